/*
  Rigid motions as traces: of K of linear elasticity the near null space, from which algebraic multigrid makes its
  coarse levels, and those of them that no condition holds as its null space.

  dim translations, then rotations u = (x_i - c_i) e_j - (x_j - c_j) e_i, over the size of the domain. With the matrix
  G_ab = sum over held components d of facets, with known displacement or alpha > 0, of <r_a,d, r_b,d>, the free motions
  are those of its null space.
*/
#include "elastic.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */
#include <petscblaslapack.h>

void PlexHDGElasticMotion_Private(PlexHDGElastic el, PetscInt dim, PetscInt k, const PetscReal x[], PetscReal u[])
{
  static const int axes[3][2] = {
    {0, 1},
    {0, 2},
    {1, 2}
  };

  for (PetscInt d = 0; d < dim; ++d) u[d] = d == k ? 1. : 0.;
  if (k < dim) return;
  u[axes[k - dim][1]] = (x[axes[k - dim][0]] - el->center[axes[k - dim][0]]) / el->size;
  u[axes[k - dim][0]] = -(x[axes[k - dim][1]] - el->center[axes[k - dim][1]]) / el->size;
}

/* Center and size of the domain, by the nodes of its elements */
static PetscErrorCode PlexHDGElasticSetCenter(PlexHDG hdg)
{
  PlexHDGElastic el   = hdg->elastic;
  PlexHDGMesh    mesh = hdg->mesh;
  PetscReal      box[2][3];
  const PetscInt dim = mesh->dim;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; ++d) box[0][d] = box[1][d] = -PETSC_MAX_REAL;
  for (size_t k = 0; k < PlexHDGMeshSizeX(mesh); k += (size_t)dim) {
    for (PetscInt d = 0; d < dim; ++d) {
      box[0][d] = PetscMax(box[0][d], mesh->x[k + d]);
      box[1][d] = PetscMax(box[1][d], -mesh->x[k + d]);
    }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, box, 6, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  el->size = 0.;
  for (PetscInt d = 0; d < dim; ++d) {
    el->center[d] = 0.5 * (box[0][d] - box[1][d]);
    el->size      = PetscMax(el->size, 0.5 * (box[0][d] + box[1][d]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The free motions from G[n][n], and how large products of motions with themselves are there */
static PetscErrorCode PlexHDGElasticSetFree(PlexHDGElastic el, PetscInt n, PetscReal G[])
{
  const PetscBLASInt bn = (PetscBLASInt)n, lwork = 10 * PLEX_HDG_MAX_MODES;
  PetscReal          values[PLEX_HDG_MAX_MODES], work[10 * PLEX_HDG_MAX_MODES];
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &bn, G, &bn, values, work, &lwork, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "The motions that are held are not found");
  el->nfree = 0;
  for (PetscInt k = 0; k < n; ++k) {
    if (values[k] > 1e-10 * values[n - 1]) continue;
    for (PetscInt a = 0; a < n; ++a) el->free[el->nfree][a] = G[k * n + a];
    ++el->nfree;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticFindFree_Private(PlexHDG hdg)
{
  PlexHDGElastic   el   = hdg->elastic;
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, n = PlexHDGMotions(hdg), Nv = mesh->Nv;
  PetscReal        G[PLEX_HDG_MAX_MODES * PLEX_HDG_MAX_MODES] = {0.}, u[PLEX_HDG_MAX_MODES][3], *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticSetCenter(hdg));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGCondition *c   = &hdg->conditions[mesh->condition[b]];
    const PetscInt          row = mesh->boundary[b], e = row / mesh->faces, f = row % mesh->faces, l = mesh->face[row];
    int                     bits = c->held;

    if (c->kind == PLEX_HDG_DIRICHLET) bits = 7;
    if (c->kind == PLEX_HDG_ROBIN && hdg->robinHost[(size_t)hdg->robinOf[l] * PetscSqr(dim * R->Nf)] > 0.) bits = 7;
    for (PetscInt q = 0; bits && q < R->Nqf; ++q) {
      const PetscInt at = f * R->Nqf + q;
      PetscReal      x[3], J[3][3];

      PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[at * dim], &shape[at * Nv], &dshape[at * Nv * dim], x, J);
      for (PetscInt k = 0; k < n; ++k) PlexHDGElasticMotion_Private(el, dim, k, x, u[k]);
      for (PetscInt a = 0; a < n; ++a)
        for (PetscInt k = 0; k < n; ++k)
          for (PetscInt d = 0; d < dim; ++d)
            if (bits >> d & 1) G[a * n + k] += R->weightsFace[q] * u[a][d] * u[k][d];
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, G, (PetscMPIInt)(n * n), MPIU_REAL, MPIU_SUM,
                              PetscObjectComm((PetscObject)hdg)));
  PetscCall(PlexHDGElasticSetFree(el, n, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigid motions in the functions of own faces, modes[n] of [nown][dim][Nf]; components that are held: zero. *error: by
   how much functions of a face miss a motion, at a point */
static PetscErrorCode PlexHDGElasticProject(PlexHDG hdg, PetscInt n, PetscScalar *modes[], PetscReal *error)
{
  PlexHDGElastic   el   = hdg->elastic;
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nf = R->Nf, Nv = mesh->Nv;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  for (PetscInt row = mesh->Ne * mesh->faces; row-- > 0;) { /* the first element beside a face is the last here */
    const PetscInt   l = mesh->face[row], e = row / mesh->faces, f = row % mesh->faces;
    const PetscReal *psi  = &R->psi[mesh->turns[row] * R->Nqf * Nf];
    const int        held = el->held && el->held[row] >= 0 ? el->bits[el->held[row]] : 0;

    if (l >= mesh->nown) continue;
    for (PetscInt k = 0; k < n; ++k) {
      PetscScalar *a = &modes[k][(size_t)l * dim * Nf];

      for (PetscInt i = 0; i < dim * Nf; ++i) a[i] = 0.;
      for (PetscInt pass = 0; pass < 2; ++pass) { /* coefficients, then what they miss */
        for (PetscInt q = 0; q < R->Nqf; ++q) {
          const PetscInt at = f * R->Nqf + q;
          PetscReal      x[3], J[3][3], u[3];

          PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[at * dim], &shape[at * Nv], &dshape[at * Nv * dim], x, J);
          PlexHDGElasticMotion_Private(el, dim, k, x, u);
          for (PetscInt d = 0; d < dim; ++d) {
            for (PetscInt m = 0; m < Nf; ++m) {
              if (pass) u[d] -= PetscRealPart(a[d * Nf + m]) * psi[q * Nf + m];
              else a[d * Nf + m] += R->weightsFace[q] * psi[q * Nf + m] * u[d];
            }
            if (pass) *error = PetscMax(*error, PetscAbsReal(u[d]));
          }
        }
      }
      for (PetscInt i = 0; i < dim * Nf; ++i)
        if (held >> (i / Nf) & 1) a[i] = 0.;
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A space of v[n], which become orthonormal; those that are nearly combinations of others are left out */
static PetscErrorCode PlexHDGElasticCreateSpace(MPI_Comm comm, PetscInt n, Vec v[], MatNullSpace *space)
{
  PetscInt  good = 0;
  PetscReal before, after;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(VecNorm(v[k], NORM_2, &before));
    if (good < k) PetscCall(VecCopy(v[k], v[good]));
    for (int twice = 0; twice < 2; ++twice) {
      for (PetscInt o = 0; o < good; ++o) {
        PetscScalar dot;

        PetscCall(VecDot(v[good], v[o], &dot));
        PetscCall(VecAXPY(v[good], -dot, v[o]));
      }
    }
    PetscCall(VecNormalize(v[good], &after));
    if (after > 1e-8 * before) ++good;
  }
  PetscCall(MatNullSpaceCreate(comm, PETSC_FALSE, good, v, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticSetSpaces_Private(PlexHDG hdg, Mat A, Vec v[])
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)hdg);
  PlexHDGElastic el   = hdg->elastic;
  const PetscInt n    = PlexHDGMotions(hdg);
  Vec            w[PLEX_HDG_MAX_MODES];
  MatNullSpace   space;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < el->nfree; ++k) {
    PetscScalar c[PLEX_HDG_MAX_MODES];

    for (PetscInt m = 0; m < n; ++m) c[m] = el->free[k][m];
    PetscCall(VecDuplicate(v[k], &w[k]));
    PetscCall(VecZeroEntries(w[k]));
    PetscCall(VecMAXPY(w[k], n, c, v));
  }
  if (el->nfree && !hdg->navier) { /* steps in time have no null space */
    PetscCall(PlexHDGElasticCreateSpace(comm, el->nfree, w, &space));
    PetscCall(MatSetNullSpace(A, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscCall(PlexHDGElasticCreateSpace(comm, n, v, &space));
  PetscCall(MatSetNearNullSpace(A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  for (PetscInt k = 0; k < el->nfree; ++k) PetscCall(VecDestroy(&w[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticSetNullSpaces_Private(PlexHDG hdg, Vec trace)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)hdg);
  const PetscInt n    = PlexHDGMotions(hdg);
  Vec            v[PLEX_HDG_MAX_MODES];
  PetscScalar   *a[PLEX_HDG_MAX_MODES];
  PetscReal      error;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(VecDuplicate(trace, &v[k]));
    PetscCall(VecGetArrayWrite(v[k], &a[k]));
  }
  PetscCall(PlexHDGElasticProject(hdg, n, a, &error));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &error, 1, MPIU_REAL, MPIU_MAX, comm));
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecRestoreArrayWrite(v[k], &a[k]));
  PetscCheck(!hdg->elastic->nfree || error < 1e-9, comm, PETSC_ERR_SUP,
             "A rotation of the body is held by no condition, and traces of degree %" PetscInt_FMT
             " do not contain it, as cells are curved: a higher -plex_hdg_degree, or conditions that hold it "
             "(PlexHDGAddBoundary(), PlexHDGAddBoundaryComponents())",
             hdg->degree);
  PetscCall(PlexHDGElasticSetSpaces_Private(hdg, hdg->A, v));
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecDestroy(&v[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
