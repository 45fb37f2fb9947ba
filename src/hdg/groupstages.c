/*
  The stages of elements of several types or degrees (groups.h): K, local problems, sums of fluxes, post-processing.

  Each group's part computes its elements' matrices by its own stage, on the host. Entries of K are the sums of those of
  at most two elements and of Robin's matrices, by MatSetValuesCOO(), in an order that is always the same.
*/
#include "groups.h"
#include "stokes.h" /* PlexHDGFactorSize() */

/* Elements whose matrices are there at once, unless -plex_hdg_tile says so */
#define PLEX_HDG_GROUP_TILE 256

/* Places [faces][functions] of an element's unknowns among the functions of its faces, and their numbers among the
   unknowns of this process; returns how many there are. known: those of known traces too */
static PetscInt PlexHDGGroupGetUnknowns(PlexHDGGroups G, const PlexHDGGroup *g, PetscInt e, PetscBool known,
                                        PetscInt place[], PetscInt number[])
{
  PlexHDGReference R     = g->part->reference;
  const PetscInt   faces = g->part->mesh->faces;
  PetscInt         n     = 0;

  for (PetscInt f = 0; f < faces; ++f) {
    const PetscInt l = g->part->mesh->face[e * faces + f];

    if (!known && G->start[l] >= G->own + G->ghost) continue;
    for (PetscInt k = G->start[l]; k < G->start[l + 1]; ++k, ++n) {
      place[n]  = f * R->Nf + PlexHDGFaceFunction(G->face, R->trace, G->degree[l], k - G->start[l]);
      number[n] = k;
    }
  }
  return n;
}

/* Where the numbers of all elements' matrices, then those of Robin's, go in K; rows NULL: their number alone */
static PetscErrorCode PlexHDGGroupsPlan(PlexHDG hdg, PetscInt rows[], PetscInt columns[], PetscCount *n)
{
  PlexHDGGroups G  = hdg->groups;
  PetscCount    at = 0;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < G->n; ++g) {
    const PetscInt Nt = G->group[g].part->reference->Nt;
    PetscInt      *place, *number;

    PetscCall(PetscMalloc2(Nt, &place, Nt, &number));
    for (PetscInt e = 0; e < G->group[g].part->mesh->Ne; ++e) {
      const PetscInt m = PlexHDGGroupGetUnknowns(G, &G->group[g], e, PETSC_FALSE, place, number);

      for (PetscInt k = 0; rows && k < m * m; ++k) {
        rows[at + k]    = G->number[number[k / m]];
        columns[at + k] = G->number[number[k % m]];
      }
      at += m * m;
    }
    PetscCall(PetscFree2(place, number));
  }
  for (PetscInt r = 0; r < G->nrobin; ++r) {
    const PetscInt first = G->start[G->robin[r]], m = G->start[G->robin[r] + 1] - first;

    for (PetscInt k = 0; rows && k < m * m; ++k) {
      rows[at + k]    = G->number[first + k / m];
      columns[at + k] = G->number[first + k % m];
    }
    at += m * m;
  }
  *n = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant trace is a multiple of the faces' first functions, which are all the same constant */
static PetscErrorCode PlexHDGGroupsSetNullSpace(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;
  Vec           v;
  PetscScalar  *a;
  MatNullSpace  space;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), G->own, &v));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l) a[G->start[l]] = 1. / PetscSqrtReal((PetscReal)hdg->mesh->nownGlobal);
  PetscCall(VecRestoreArray(v, &a));
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_FALSE, 1, &v, &space));
  PetscCall(MatSetNullSpace(hdg->A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of K, and what takes a trace to the elements' faces */
PetscErrorCode PlexHDGGroupsCreateMatrix_Private(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;
  PetscCount    n = 0;
  PetscInt     *rows, *columns, *sizes;
  Vec           v;
  IS            is;

  PetscFunctionBegin;
  PetscCall(PlexHDGGroupsPlan(hdg, NULL, NULL, &n));
  PetscCall(PetscIntCast(n, &G->nvalues));
  PetscCall(PetscMalloc2(n, &rows, n, &columns));
  PetscCall(PlexHDGGroupsPlan(hdg, rows, columns, &n));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &hdg->A));
  PetscCall(MatSetSizes(hdg->A, G->own, G->own, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(hdg->A, MATAIJ));
  PetscCall(MatSetPreallocationCOO(hdg->A, n, rows, columns));
  PetscCall(PetscFree2(rows, columns));
  PetscCall(PetscMalloc1(hdg->mesh->nown, &sizes));
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l) sizes[l] = G->start[l + 1] - G->start[l];
  PetscCall(MatSetVariableBlockSizes(hdg->A, hdg->mesh->nown, sizes));
  PetscCall(PetscFree(sizes));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRIC, PlexHDGIsUnsymmetric(hdg) ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SPD, hdg->singular || PlexHDGIsGeneral(hdg) ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(PetscObjectSetName((PetscObject)hdg->A, "K"));
  if (hdg->singular) PetscCall(PlexHDGGroupsSetNullSpace(hdg));
  PetscCall(PlexHDGCreateVec_Private(hdg, PETSC_COMM_SELF, G->own + G->ghost, &G->local));
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), G->own, &v));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, G->own + G->ghost, G->number, PETSC_USE_POINTER, &is));
  PetscCall(VecScatterCreate(v, is, G->local, NULL, &G->scatter));
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of a group's matrices, in the order of the plan, from values on; *n of them */
static PetscErrorCode PlexHDGGroupCondense(PlexHDG hdg, PlexHDGGroup *g, PetscScalar values[], PetscCount *n)
{
  PlexHDG        part = g->part;
  const PetscInt Nt = part->reference->Nt, Ne = part->mesh->Ne, tile = hdg->tile ? hdg->tile : PLEX_HDG_GROUP_TILE;
  PetscInt      *place, *number;
  PetscReal     *K;
  PlexHDGArgs    args;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc3(Nt, &place, Nt, &number, (size_t)PetscMin(tile, Ne) * Nt * Nt, &K));
  for (PetscInt begin = 0; begin < Ne; begin += tile) {
    args       = part->args;
    args.begin = (int)begin;
    args.end   = (int)PetscMin(Ne, begin + tile);
    args.K     = K;
    if (args.factor) args.factor += (size_t)begin * PlexHDGFactorSize(part);
    PetscCall(PlexHDGLaunch_Private(part, part->ops->condense, &args));
    for (PetscInt e = begin; e < args.end; ++e) {
      const PetscInt m = PlexHDGGroupGetUnknowns(hdg->groups, g, e, PETSC_FALSE, place, number);

      for (PetscInt k = 0; k < m * m; ++k)
        values[*n + k] = K[((size_t)(e - begin) * Nt + place[k / m]) * Nt + place[k % m]];
      *n += m * m;
    }
  }
  PetscCall(PetscFree3(place, number, K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsAssemble_Private(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;
  PetscScalar  *values;
  PetscCount    at = 0, n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(G->nvalues, &values));
  PetscCall(PetscLogEventBegin(PLEX_HDGLocal, hdg, 0, 0, 0));
  for (PetscInt g = 0; g < G->n; ++g, at += n) PetscCall(PlexHDGGroupCondense(hdg, &G->group[g], values + at, &n));
  PetscCall(PetscLogEventEnd(PLEX_HDGLocal, hdg, 0, 0, 0));
  for (PetscCount k = at; k < G->nvalues; ++k) values[k] = G->matrices[k - at];
  PetscCall(PetscLogEventBegin(PLEX_HDGAssemble, hdg, 0, 0, 0));
  PetscCall(MatSetValuesCOO(hdg->A, values, INSERT_VALUES));
  PetscCall(PetscLogEventEnd(PLEX_HDGAssemble, hdg, 0, 0, 0));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace of all elements' faces; NULL: zero where it is not known */
static PetscErrorCode PlexHDGGroupsSpread(PlexHDG hdg, Vec trace)
{
  PlexHDGGroups G = hdg->groups;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGSpread, hdg, 0, 0, 0));
  if (trace) {
    const PetscScalar *a;

    PetscCall(VecScatterBegin(G->scatter, trace, G->local, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(G->scatter, trace, G->local, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(G->local, &a));
    PetscCall(PetscArraycpy(G->trace, a, G->own + G->ghost));
    PetscCall(VecRestoreArrayRead(G->local, &a));
  } else PetscCall(PetscArrayzero(G->trace, G->own + G->ghost));
  for (PetscInt g = 0; g < G->n; ++g) {
    const PetscInt Nt = G->group[g].part->reference->Nt, Ne = G->group[g].part->mesh->Ne;
    PetscInt      *place, *number;

    PetscCall(PetscMalloc2(Nt, &place, Nt, &number));
    for (PetscInt e = 0; e < Ne; ++e) { /* functions of higher degree than the face's stay zero */
      const PetscInt n = PlexHDGGroupGetUnknowns(G, &G->group[g], e, PETSC_TRUE, place, number);

      for (PetscInt k = 0; k < n; ++k)
        G->group[g].trace[(size_t)e * Nt + place[k]] = PetscRealPart(G->trace[number[k]]);
    }
    PetscCall(PetscFree2(place, number));
  }
  PetscCall(PetscLogEventEnd(PLEX_HDGSpread, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsSolveLocal_Private(PlexHDG hdg, Vec trace, Vec u, Vec q, PetscBool flux)
{
  PlexHDGGroups G  = hdg->groups;
  PetscScalar  *ua = NULL, *qa = NULL;

  PetscFunctionBegin;
  PetscCall(PlexHDGGroupsSpread(hdg, trace));
  if (u) PetscCall(VecGetArrayWrite(u, &ua));
  if (q) PetscCall(VecGetArrayWrite(q, &qa));
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG     part = G->group[g].part;
    PlexHDGArgs args = part->args;

    args.u   = u ? ua + G->group[g].offset[0] : NULL;
    args.q   = q ? qa + G->group[g].offset[1] : NULL;
    args.b   = flux ? G->group[g].flux : NULL;
    args.end = (int)part->mesh->Ne;
    PetscCall(PlexHDGLaunch_Private(part, part->ops->local, &args));
  }
  if (u) PetscCall(VecRestoreArrayWrite(u, &ua));
  if (q) PetscCall(VecRestoreArrayWrite(q, &qa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of the elements' fluxes, and g of Neumann's and Robin's conditions */
PetscErrorCode PlexHDGGroupsGather_Private(PlexHDG hdg, Vec rhs)
{
  PlexHDGGroups G = hdg->groups;
  PetscScalar  *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(G->local, &a));
  for (PetscInt k = 0; k < G->own + G->ghost; ++k) a[k] = k < G->own ? G->natural[k] : 0.;
  for (PetscInt g = 0; g < G->n; ++g) {
    const PetscInt Nt = G->group[g].part->reference->Nt, Ne = G->group[g].part->mesh->Ne;
    PetscInt      *place, *number;

    PetscCall(PetscMalloc2(Nt, &place, Nt, &number));
    for (PetscInt e = 0; e < Ne; ++e) {
      const PetscInt n = PlexHDGGroupGetUnknowns(G, &G->group[g], e, PETSC_FALSE, place, number);

      for (PetscInt k = 0; k < n; ++k) a[number[k]] += G->group[g].flux[(size_t)e * Nt + place[k]];
    }
    PetscCall(PetscFree2(place, number));
  }
  PetscCall(VecRestoreArrayWrite(G->local, &a));
  PetscCall(VecSet(rhs, 0.));
  PetscCall(VecScatterBegin(G->scatter, G->local, rhs, ADD_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(G->scatter, G->local, rhs, ADD_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsPostprocess_Private(PlexHDG hdg, Vec u, Vec q, Vec star)
{
  PlexHDGGroups      G = hdg->groups;
  const PetscScalar *ua, *qa;
  PetscScalar       *sa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u, &ua));
  PetscCall(VecGetArrayRead(q, &qa));
  PetscCall(VecGetArrayWrite(star, &sa));
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG     part = G->group[g].part;
    PlexHDGArgs args = part->args;

    args.u    = (double *)ua + G->group[g].offset[0];
    args.q    = (double *)qa + G->group[g].offset[1];
    args.star = sa + G->group[g].offset[2];
    args.end  = (int)part->mesh->Ne;
    PetscCall(PlexHDGLaunch_Private(part, part->ops->post, &args));
  }
  PetscCall(VecRestoreArrayRead(u, &ua));
  PetscCall(VecRestoreArrayRead(q, &qa));
  PetscCall(VecRestoreArrayWrite(star, &sa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsComputeFluxJump_Private(PlexHDG hdg, PetscReal *jump)
{
  PlexHDGGroups      G          = hdg->groups;
  PetscReal          largest[2] = {0., 0.};
  const PetscScalar *sums;
  PetscBool         *outer;
  Vec                rhs;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(hdg->trace, &rhs));
  PetscCall(PlexHDGGroupsSolveLocal_Private(hdg, hdg->trace, NULL, NULL, PETSC_TRUE));
  PetscCall(PlexHDGGroupsGather_Private(hdg, rhs));
  PetscCall(PetscCalloc1(hdg->mesh->nown + hdg->mesh->nghost + hdg->mesh->nfixed, &outer));
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh    mesh = G->group[g].part->mesh;
    const PetscInt n    = mesh->Ne * G->group[g].part->reference->Nt;

    for (PetscInt k = 0; k < n; ++k) largest[1] = PetscMax(largest[1], PetscAbsReal(G->group[g].flux[k]));
    for (PetscInt b = 0; b < mesh->nboundary; ++b) outer[mesh->face[mesh->boundary[b]]] = PETSC_TRUE;
  }
  PetscCall(VecGetArrayRead(rhs, &sums));
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l)
    for (PetscInt k = G->start[l]; !outer[l] && k < G->start[l + 1]; ++k)
      largest[0] = PetscMax(largest[0], PetscAbsScalar(sums[k]));
  PetscCall(VecRestoreArrayRead(rhs, &sums));
  PetscCall(PetscFree(outer));
  PetscCall(VecDestroy(&rhs));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  *jump = largest[1] > 0. ? largest[0] / largest[1] : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupGetVec_Private(const PlexHDGGroup *g, PetscInt which, Vec v, Vec *part)
{
  PlexHDGReference   R    = g->part->reference;
  const PetscInt     n[3] = {R->Np, R->dim * R->Np, R->Npost};
  const PetscScalar *a;

  PetscFunctionBegin;
  *part = NULL;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(VecCreateMPIWithArray(PetscObjectComm((PetscObject)g->part), 1, g->part->mesh->Ne * n[which],
                                  PETSC_DETERMINE, a + g->offset[which], part));
  PetscCall(VecRestoreArrayRead(v, &a)); /* the vector of the whole stays where it is on the host */
  PetscFunctionReturn(PETSC_SUCCESS);
}
