static char help[] = "Elements: location matrix, coordinates and bases, compared with what PETSc gathers, maps "
                     "and integrates.\n\n";

#include <plexgpu/private/meshimpl.h>
#include "meshes.h"
#include "report.h"

/* ---- A form that mixes all that a form may read: two fields, gradients, coordinates */

static void f0_0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f[])
{
  for (PetscInt c = 0; c < uOff[1] - uOff[0]; ++c) f[c] = u[c] * (1. + u[uOff[Nf - 1]]) + (c + 1) * x[0];
}

static void f1_0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f[])
{
  for (PetscInt c = 0; c < uOff[1] - uOff[0]; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = u_x[c * dim + d] * (1. + u[0]) + x[d];
  }
}

static void f0_1(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f[])
{
  for (PetscInt c = 0; c < uOff[2] - uOff[1]; ++c) f[c] = u[uOff[1] + c] + u[0] * u_x[0] + u_x[uOff_x[1]];
}

static void f1_1(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f[])
{
  for (PetscInt c = 0; c < uOff[2] - uOff[1]; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = (c + 1) * u_x[d] + x[d] * u[uOff[1] + c];
  }
}

static PetscErrorCode zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.;
  return PETSC_SUCCESS;
}

/* ---- Problems */

typedef struct {
  PetscInt  Nf;
  PetscInt  degree[2], Nc[2];
  PetscBool broken;      /* discontinuous fields */
  PetscInt  constrained; /* components of field 0 held on the boundary */
} Space;

static PetscErrorCode AddFields(DM dm, const Space *space)
{
  PetscDS        ds;
  DMLabel        label;
  DMPolytopeType ct;
  PetscFE        fe, continuous;
  PetscInt       dim, qorder = PetscMax(space->degree[0], space->degree[1]) + 1;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  for (PetscInt f = 0; f < space->Nf; ++f) {
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, space->Nc[f], ct, space->degree[f], qorder, &fe));
    if (space->broken) {
      continuous = fe;
      PetscCall(PetscFECreateBrokenElement(continuous, &fe));
      PetscCall(PetscFEDestroy(&continuous));
    }
    PetscCall(DMSetField(dm, f, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_0, f1_0));
  if (space->Nf > 1) PetscCall(PetscDSSetResidual(ds, 1, f0_1, f1_1));
  if (space->constrained) {
    const PetscInt one = 1, comps[3] = {space->Nc[0] - 1, 0, 1};

    PetscCall(DMGetLabel(dm, "boundary", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, space->constrained, comps,
                            (PetscVoidFn *)zero, NULL, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RandomLocalVector(DM dm, Vec *locX)
{
  PetscRandom  rand;
  PetscSection section;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, locX));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &rand));
  PetscCall(VecSetRandom(*locX, rand));
  PetscCall(PetscRandomDestroy(&rand));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Comparisons */

static PetscErrorCode CheckClosures(PlexElements el, Vec locX, const char name[])
{
  const PetscScalar *x;
  PetscInt           wrong = 0, offset = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(locX, &x));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscScalar *values = NULL;
    PetscInt     n;

    PetscCall(DMPlexVecGetClosure(el->dm, NULL, locX, el->cells[e], &n, &values));
    wrong += n != el->ef;
    for (PetscInt i = 0; i < el->ef; ++i) wrong += values[i] != x[el->dofs[e * el->ef + i]];
    PetscCall(DMPlexVecRestoreClosure(el->dm, NULL, locX, el->cells[e], &n, &values));
  }
  PetscCall(VecRestoreArrayRead(locX, &x));
  for (PetscInt f = 0; f < el->Nf; ++f) {
    wrong += el->offset[f] != offset;
    offset += el->Nn[f] * el->Nc[f];
  }
  PetscCall(PlexTestReportOf(wrong || offset != el->ef ? PETSC_FALSE : PETSC_TRUE, name, "dofs of closures",
                             "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNodes(PlexElements el, const char name[])
{
  PetscSection section;
  PetscInt     pStart, pEnd, nodes = 0, wrong = 0;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(el->dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dof, off;

    PetscCall(PetscSectionGetDof(section, p, &dof));
    PetscCall(PetscSectionGetOffset(section, p, &off));
    for (PetscInt d = 0; d < dof; ++d) wrong += el->node[off + d] != nodes;
    nodes += dof > 0;
  }
  PetscCall(PlexTestReportOf(wrong || nodes != el->Nnodes ? PETSC_FALSE : PETSC_TRUE, name, "nodes", "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X(xi_q), J and its inverse at point q of element e; returns det J */
static PetscReal Map(PlexElements el, PetscInt e, PetscInt q, PetscReal X[], PetscReal J[], PetscReal invJ[])
{
  const PetscInt dim = el->dim;
  PetscReal      det;

  for (PetscInt d = 0; d < dim; ++d) X[d] = 0.;
  for (PetscInt d = 0; d < dim * dim; ++d) J[d] = 0.;
  for (PetscInt v = 0; v < el->Nv; ++v) {
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscReal x = el->x[el->vertices[e * el->Nv + v] * dim + d];

      X[d] += x * el->psi[q * el->Nv + v];
      for (PetscInt k = 0; k < dim; ++k) J[d * dim + k] += x * el->dpsi[(q * el->Nv + v) * dim + k];
    }
  }
  if (dim == 2) {
    det     = J[0] * J[3] - J[1] * J[2];
    invJ[0] = J[3] / det;
    invJ[1] = -J[1] / det;
    invJ[2] = -J[2] / det;
    invJ[3] = J[0] / det;
    return det;
  }
  det = J[0] * (J[4] * J[8] - J[5] * J[7]) + J[1] * (J[5] * J[6] - J[3] * J[8]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
  for (PetscInt r = 0; r < 3; ++r) {
    for (PetscInt c = 0; c < 3; ++c) {
      const PetscInt r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;

      invJ[r * 3 + c] = (J[r1 * 3 + c1] * J[r2 * 3 + c2] - J[r1 * 3 + c2] * J[r2 * 3 + c1]) / det;
    }
  }
  return det;
}

static PetscErrorCode CheckGeometry(PlexElements el, const char name[])
{
  const PetscInt  dim = el->dim;
  PetscFE         fe;
  PetscQuadrature quad;
  PetscReal      *v, *J, *invJ, *detJ, X[3], myJ[9], myInv[9], error = 0.;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscMalloc4(el->Nq * dim, &v, el->Nq * dim * dim, &J, el->Nq * dim * dim, &invJ, el->Nq, &detJ));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscCall(DMPlexComputeCellGeometryFEM(el->dm, el->cells[e], quad, v, J, invJ, detJ));
    for (PetscInt q = 0; q < el->Nq; ++q) {
      error = PetscMax(error, PetscAbsReal(Map(el, e, q, X, myJ, myInv) - detJ[q]));
      for (PetscInt d = 0; d < dim; ++d) error = PetscMax(error, PetscAbsReal(X[d] - v[q * dim + d]));
      for (PetscInt d = 0; d < dim * dim; ++d) error = PetscMax(error, PetscAbsReal(myJ[d] - J[q * dim * dim + d]));
      for (PetscInt d = 0; d < dim * dim; ++d)
        error = PetscMax(error, PetscAbsReal(myInv[d] - invJ[q * dim * dim + d]) * detJ[q]);
    }
  }
  PetscCall(PetscFree4(v, J, invJ, detJ));
  PetscCall(PlexTestReportOf(error < 1e-12 ? PETSC_TRUE : PETSC_FALSE, name, "coordinates and Jacobians", "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Element e's share of the residual, straight from the definition */
static PetscErrorCode IntegrateElement(PlexElements el, PetscInt e, const PetscScalar x[], PetscScalar F[])
{
  const PetscInt      dim     = el->dim;
  PetscInt            uOff[3] = {0, 0, 0}, uOff_x[3] = {0, 0, 0};
  PetscPointFn *const f[2][2] = {
    {f0_0, f0_1},
    {f1_0, f1_1}
  };

  PetscFunctionBegin;
  for (PetscInt k = 0; k < el->Nf; ++k) {
    uOff[k + 1]   = uOff[k] + el->Nc[k];
    uOff_x[k + 1] = uOff_x[k] + el->Nc[k] * dim;
  }
  for (PetscInt q = 0; q < el->Nq; ++q) {
    PetscReal   X[3], J[9], invJ[9], w = Map(el, e, q, X, J, invJ) * el->weights[q];
    PetscScalar u[8] = {0}, u_x[24] = {0}, r[2][24];

    for (PetscInt k = 0; k < el->Nf; ++k) {
      for (PetscInt i = 0; i < el->Nn[k] * el->Nc[k]; ++i) {
        const PetscInt    n = i / el->Nc[k], c = i % el->Nc[k];
        const PetscScalar xi = x[el->dofs[e * el->ef + el->offset[k] + i]];

        u[uOff[k] + c] += xi * el->phi[k][q * el->Nn[k] + n];
        for (PetscInt d = 0; d < dim; ++d) {
          for (PetscInt l = 0; l < dim; ++l)
            u_x[uOff_x[k] + c * dim + d] += xi * el->dphi[k][(q * el->Nn[k] + n) * dim + l] * invJ[l * dim + d];
        }
      }
    }
    for (PetscInt k = 0; k < el->Nf; ++k) {
      for (PetscInt m = 0; m < 2; ++m)
        f[m][k](dim, el->Nf, 0, uOff, uOff_x, u, NULL, u_x, NULL, NULL, NULL, NULL, NULL, 0., X, 0, NULL, r[m]);
      for (PetscInt i = 0; i < el->Nn[k] * el->Nc[k]; ++i) {
        const PetscInt n = i / el->Nc[k], c = i % el->Nc[k];
        PetscScalar   *Fi = &F[el->dofs[e * el->ef + el->offset[k] + i]];

        *Fi += w * el->phi[k][q * el->Nn[k] + n] * r[0][c];
        for (PetscInt d = 0; d < dim; ++d) {
          for (PetscInt l = 0; l < dim; ++l)
            *Fi += w * el->dphi[k][(q * el->Nn[k] + n) * dim + l] * invJ[l * dim + d] * r[1][c * dim + d];
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckResidual(PlexElements el, Vec locX, const char name[])
{
  const PetscScalar *x;
  PetscScalar       *f;
  Vec                F, G;
  PetscReal          norm, error;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locX, &F));
  PetscCall(VecDuplicate(locX, &G));
  PetscCall(VecSet(F, 0.));
  PetscCall(VecSet(G, 0.));
  PetscCall(DMPlexSNESComputeResidualFEM(el->dm, locX, G, NULL));
  PetscCall(VecGetArrayRead(locX, &x));
  PetscCall(VecGetArray(F, &f));
  for (PetscInt e = 0; e < el->Ne; ++e) PetscCall(IntegrateElement(el, e, x, f));
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(locX, &x));
  PetscCall(VecNorm(G, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(F, -1., G));
  PetscCall(VecNorm(F, NORM_INFINITY, &error));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscCall(PlexTestReportOf(norm > 0. && error <= 1e-12 * norm ? PETSC_TRUE : PETSC_FALSE, name, "residual",
                             "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckProblem(DM dm, const Space *space, PetscBool affine, const char name[])
{
  PlexElements el;
  Vec          locX;
  char        *reason;

  PetscFunctionBegin;
  PetscCall(AddFields(dm, space));
  PetscCall(PlexElementsSupported(dm, &reason));
  if (reason) {
    PetscCall(PlexTestReportOf(PETSC_FALSE, name, reason, "differs"));
    PetscCall(PetscFree(reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PlexElementsFindInverted(el, &reason));
  if (reason) PetscCall(PlexTestReportOf(PETSC_FALSE, name, "cells inside out", "%s", reason));
  PetscCall(PetscFree(reason));
  PetscCall(RandomLocalVector(dm, &locX));
  PetscCall(CheckClosures(el, locX, name));
  PetscCall(CheckNodes(el, name));
  PetscCall(CheckGeometry(el, name));
  PetscCall(CheckResidual(el, locX, name));
  if (el->affine != affine) PetscCall(PlexTestReportOf(PETSC_FALSE, name, "affine", "differs"));
  PetscCall(VecDestroy(&locX));
  PetscCall(PlexElementsDestroy(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The cases */

static const DMPolytopeType cellTypes[4] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                            DM_POLYTOPE_HEXAHEDRON};

static PetscBool IsSimplex(DMPolytopeType ct)
{
  return ct == DM_POLYTOPE_TRIANGLE || ct == DM_POLYTOPE_TETRAHEDRON ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode TestCellType(DMPolytopeType ct)
{
  const PetscInt dim = DMPolytopeTypeGetDim(ct), most = dim == 2 ? 5 : 4;
  DM             dm;
  char           name[128];

  PetscFunctionBegin;
  for (PetscInt degree = 1; degree <= most; ++degree) {
    for (PetscInt Nc = 1; Nc <= dim; Nc += dim - 1) {
      for (PetscInt constrained = 0; constrained < 2; ++constrained) {
        const Space space = {
          1, {degree, 0},
           {Nc,     0},
           PETSC_FALSE, constrained
        };

        PetscCall(PetscSNPrintf(name, sizeof(name), "%s degree %" PetscInt_FMT " components %" PetscInt_FMT "%s",
                                DMPolytopeTypes[ct], degree, Nc, constrained ? " constrained" : ""));
        PetscCall(PlexTestMesh(PETSC_COMM_SELF, ct, degree + constrained, &dm));
        PetscCall(CheckProblem(dm, &space, IsSimplex(ct), name));
        PetscCall(DMDestroy(&dm));
      }
    }
  }
  for (PetscInt k = 0; k < 4; ++k) {
    const Space spaces[4] = {
      {2, {2, 1}, {dim, 1}, PETSC_FALSE, dim},
      {2, {1, 0}, {1, 1},   PETSC_FALSE, 0  },
      {1, {0, 0}, {2, 0},   PETSC_FALSE, 0  },
      {2, {2, 3}, {1, 2},   PETSC_TRUE,  0  }
    };
    const char *const names[4] = {"P2-P1", "P1-P0", "P0", "discontinuous P2-P3"};

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", DMPolytopeTypes[ct], names[k]));
    PetscCall(PlexTestMesh(PETSC_COMM_SELF, ct, 10 + k, &dm));
    PetscCall(CheckProblem(dm, &spaces[k], IsSimplex(ct), name));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of degree 2, bent */
static PetscErrorCode TestCurved(DMPolytopeType ct)
{
  const PetscInt dim   = DMPolytopeTypeGetDim(ct);
  const Space    space = {
    1, {2, 0},
     {1, 0},
     PETSC_FALSE, 0
  };
  DM           dm;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s curved", DMPolytopeTypes[ct]));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, ct, 20, &dm));
  PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k += dim) x[k] += 0.1 * PetscSqr(x[k + 1]) + 0.05 * x[k] * x[k + dim - 1];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(CheckProblem(dm, &space, PETSC_FALSE, name));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells across the periodic seam have coordinates of their own */
static PetscErrorCode TestPeriodic(PetscInt dim)
{
  const Space space = {
    1, {2,   0},
     {dim, 0},
     PETSC_FALSE, 0
  };
  const PetscInt       faces[3]    = {4, 3, 3};
  const DMBoundaryType periodic[3] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC};
  DM                   dm;
  char                 name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "periodic in %" PetscInt_FMT "D", dim));
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, periodic, PETSC_TRUE, 0,
                                PETSC_TRUE, &dm));
  PetscCall(CheckProblem(dm, &space, PETSC_FALSE, name));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mirrored coordinates turn every cell inside out: not seen before they are read again */
static PetscErrorCode TestInsideOut(DMPolytopeType ct)
{
  const PetscInt dim   = DMPolytopeTypeGetDim(ct);
  const Space    space = {
    1, {1, 0},
     {1, 0},
     PETSC_FALSE, 0
  };
  DM           dm;
  PlexElements el;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;
  PetscBool    named = PETSC_FALSE;
  char         name[128], *before, *after;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s inside out", DMPolytopeTypes[ct]));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, ct, 21, &dm));
  PetscCall(AddFields(dm, &space));
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k += dim) x[k] *= -1.;
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PlexElementsFindInverted(el, &before));
  PetscCall(PlexElementsUpdateCoordinates(el));
  PetscCall(PlexElementsFindInverted(el, &after));
  if (after) PetscCall(PetscStrbeginswith(after, "cell 0 at (-", &named));
  PetscCall(PlexTestReportOf((PetscBool)(!before && named), name, "cells inside out are found", "before: %s; after: %s",
                             before ? before : "none", after ? after : "none"));
  PetscCall(PetscFree(before));
  PetscCall(PetscFree(after));
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt k = 0; k < 4; ++k) {
    PetscCall(TestCellType(cellTypes[k]));
    PetscCall(TestCurved(cellTypes[k]));
    PetscCall(TestInsideOut(cellTypes[k]));
  }
  for (PetscInt dim = 2; dim <= 3; ++dim) PetscCall(TestPeriodic(dim));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
