/*
  Transfers between Lagrange spaces of two degrees on one mesh, element by element and without matrices.

  Interpolation P takes a function of the lower degree to its values at the nodes of the higher one, which is the same
  function. Restriction is P^T. A dof of the higher degree that belongs to another process, or is constrained, takes no
  part in either; constrained dofs of the lower degree are zero in P and dropped in P^T. With r_e the residuals that
  element e takes of the nodes that it computes, P^T r = sum_e S^T r_e, summed over processes as residuals are.

  Source: spaces of lower degree on the same mesh as levels of multigrid: Ronquist and Patera (1987), J. Sci. Comput. 2,
  389-406.
*/
#include "multigrid.h"
#include "../../dm/elementsimpl.h" /* closures, integrated cells */

/* The functionals of `to` applied to the basis of `from`: table[Nb to][Nb from] */
static PetscErrorCode PlexTransferTabulate(PetscFE from, PetscFE to, PetscInt Nto, PetscInt Nfrom, PetscReal table[])
{
  PetscDualSpace  dual;
  PetscTabulation T;
  PetscReal      *points;
  PetscInt        dim, Nc, n = 0, at = 0;

  PetscFunctionBegin;
  PetscCall(PetscFEGetDualSpace(to, &dual));
  PetscCall(PetscFEGetSpatialDimension(to, &dim));
  PetscCall(PetscFEGetNumComponents(to, &Nc));
  for (PetscInt k = 0; k < Nto; ++k) {
    PetscQuadrature functional;
    PetscInt        nq;

    PetscCall(PetscDualSpaceGetFunctional(dual, k, &functional));
    PetscCall(PetscQuadratureGetData(functional, NULL, NULL, &nq, NULL, NULL));
    n += nq;
  }
  PetscCall(PetscMalloc1(n * dim, &points));
  for (PetscInt k = 0; k < Nto; ++k) {
    PetscQuadrature  functional;
    const PetscReal *x;
    PetscInt         nq;

    PetscCall(PetscDualSpaceGetFunctional(dual, k, &functional));
    PetscCall(PetscQuadratureGetData(functional, NULL, NULL, &nq, &x, NULL));
    PetscCall(PetscArraycpy(&points[at * dim], x, nq * dim));
    at += nq;
  }
  PetscCall(PetscFECreateTabulation(from, 1, n, points, 0, &T));
  at = 0;
  for (PetscInt k = 0; k < Nto; ++k) {
    PetscQuadrature  functional;
    const PetscReal *w;
    PetscInt         nq;

    PetscCall(PetscDualSpaceGetFunctional(dual, k, &functional));
    PetscCall(PetscQuadratureGetData(functional, NULL, NULL, &nq, NULL, &w));
    for (PetscInt j = 0; j < Nfrom; ++j) {
      PetscReal sum = 0.;

      for (PetscInt q = 0; q < nq; ++q)
        for (PetscInt c = 0; c < Nc; ++c) sum += w[q * Nc + c] * T->T[0][((at + q) * Nfrom + j) * Nc + c];
      table[k * Nfrom + j] = sum;
    }
    at += nq;
  }
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFree(points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S of one component, by rows. It is that of all components, and couples no two, or this is an error */
static PetscErrorCode PlexTransferSetTable(PlexTransfer t, PetscFE from, PetscFE to)
{
  const PetscInt  Nc = t->Nc, nFrom = t->Nfrom * Nc, nTo = t->Nto * Nc;
  const PetscReal small = 100. * PETSC_MACHINE_EPSILON;
  PetscReal      *table;
  int             n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nTo * nFrom, &table));
  PetscCall(PlexTransferTabulate(from, to, nTo, nFrom, table));
  for (PetscInt k = 0; k < nTo; ++k) {
    for (PetscInt j = 0; j < nFrom; ++j) {
      const PetscReal wanted = k % Nc == j % Nc ? table[(k / Nc) * Nc * nFrom + (j / Nc) * Nc] : 0.;

      PetscCheck(PetscAbsReal(table[k * nFrom + j] - wanted) <= 100. * small, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "-pc_type plexpmg: the element's components are not interpolated alike: another preconditioner is "
                 "needed, as -pc_type gamg with -dm_mat_type aij");
    }
  }
  PetscCall(PetscMalloc3(t->Nto + 1, &t->rows, t->Nto * t->Nfrom, &t->columns, t->Nto * t->Nfrom, &t->values));
  for (PetscInt k = 0; k < t->Nto; ++k) {
    t->rows[k] = n;
    for (PetscInt j = 0; j < t->Nfrom; ++j) {
      const PetscReal value = table[k * Nc * nFrom + j * Nc];

      if (PetscAbsReal(value) <= small) continue;
      t->columns[n]  = (int)j;
      t->values[n++] = value;
    }
  }
  t->rows[t->Nto] = n;
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nodes[Ne][N]: local dofs of the first components */
static PetscErrorCode PlexTransferGetNodes(DM dm, PetscInt Ne, const PetscInt cells[], PetscInt N, PetscInt Nc,
                                           int **nodes)
{
  PetscSection section;
  PetscInt     flipped;
  int         *dofs;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscMalloc1((size_t)Ne * N * Nc, &dofs));
  PetscCall(PlexGatherClosures(dm, section, Ne, cells, N * Nc, dofs, &flipped));
  PetscCall(PetscMalloc1((size_t)Ne * N, nodes));
  for (size_t k = 0; k < (size_t)Ne * N; ++k) {
    (*nodes)[k] = dofs[k * Nc];
    for (PetscInt c = 0; c < Nc; ++c)
      PetscCheck(dofs[k * Nc + c] == (*nodes)[k] + c, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "-pc_type plexpmg: the components of a node are not beside each other in the DM's section");
  }
  PetscCall(PetscFree(dofs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTransferGetFE(DM dm, PetscFE *fe, PetscInt *Nb, PetscInt *Nc)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetDiscretization(ds, 0, (PetscObject *)fe));
  PetscCall(PetscFEGetDimension(*fe, Nb));
  PetscCall(PetscFEGetNumComponents(*fe, Nc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves each node to the last element that has it */
static PetscErrorCode PlexTransferAssign(DM to, PlexTransfer t)
{
  PetscSection section;
  PetscInt     n;
  int         *last;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(to, &section));
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(PetscMalloc1(n, &last));
  for (PetscInt e = 0; e < t->Ne; ++e)
    for (PetscInt k = 0; k < t->Nto; ++k) last[t->to[(size_t)e * t->Nto + k]] = (int)e;
  for (PetscInt e = 0; e < t->Ne; ++e) {
    for (PetscInt k = 0; k < t->Nto; ++k) {
      int *node = &t->to[(size_t)e * t->Nto + k], own = *node;

      if (last[own] != (int)e) *node = -1;
      else last[own] = -1; /* of a periodic mesh with few cells an element may have a node twice */
    }
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferCreate(DM from, DM to, PlexBackend backend, PlexTransfer *transfer)
{
  PetscFE      feFrom, feTo;
  PetscSection section;
  PlexTransfer t;
  PetscInt     nFrom, nTo, Nc, Nl, *cells;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  *transfer = t;
  PetscCall(PlexTransferGetFE(from, &feFrom, &nFrom, &Nc));
  PetscCall(PlexTransferGetFE(to, &feTo, &nTo, &t->Nc));
  t->Nfrom = nFrom / Nc;
  t->Nto   = nTo / Nc;
  PetscCall(PlexTransferSetTable(t, feFrom, feTo));
  PetscCall(PlexGetIntegratedCells(to, NULL, &t->Ne, &cells));
  PetscCall(PlexTransferGetNodes(from, t->Ne, cells, t->Nfrom, Nc, &t->from));
  PetscCall(PlexTransferGetNodes(to, t->Ne, cells, t->Nto, Nc, &t->to));
  PetscCall(PetscFree(cells));
  PetscCall(PlexTransferAssign(to, t));
  t->backend = backend;
  PetscCall(PetscObjectReference((PetscObject)backend));
  PetscCall(DMGetLocalSection(from, &section));
  PetscCall(PetscSectionGetStorageSize(section, &Nl));
  PetscCall(PlexTransferSetUpDevice(t, backend, Nl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferGetBytes(PlexTransfer t, double *bytes)
{
  PetscFunctionBegin;
  PetscCall(PlexTransferGetBytesDevice(t->device, bytes));
  *bytes += (double)sizeof(int) * t->Ne * (t->Nfrom + t->Nto);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferDestroy(PlexTransfer *transfer)
{
  PlexTransfer t = *transfer;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexArrayReset(t->backend, &t->arrayX));
  PetscCall(PlexArrayReset(t->backend, &t->arrayY));
  PetscCall(PlexTransferDestroyDevice(&t->device));
  PetscCall(PlexBackendDestroy(&t->backend));
  PetscCall(PetscFree3(t->rows, t->columns, t->values));
  PetscCall(PetscFree(t->from));
  PetscCall(PetscFree(t->to));
  PetscCall(PetscFree(*transfer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y_k = sum_j S[k][j] x_j of the nodes that elements compute; places: of local dofs in y, or NULL: y is local */
static void PlexTransferApply(PlexTransfer t, const int places[], const PetscScalar x[], PetscScalar y[])
{
  const PetscInt Nc = t->Nc;

  for (PetscInt e = 0; e < t->Ne; ++e) {
    const int *from = &t->from[(size_t)e * t->Nfrom], *to = &t->to[(size_t)e * t->Nto];

    for (PetscInt k = 0; k < t->Nto; ++k) {
      for (PetscInt c = 0; c < Nc && to[k] >= 0; ++c) {
        const int   place = places ? places[to[k] + c] : to[k] + (int)c;
        PetscScalar sum   = 0.;

        if (place < 0) continue;
        for (int j = t->rows[k]; j < t->rows[k + 1]; ++j) sum += t->values[j] * x[from[t->columns[j]] + c];
        y[place] = sum;
      }
    }
  }
}

/* x_j += sum_k S[k][j] y_k, of the same nodes */
static void PlexTransferApplyTranspose(PlexTransfer t, const int places[], const PetscScalar y[], PetscScalar x[])
{
  const PetscInt Nc = t->Nc;

  for (PetscInt e = 0; e < t->Ne; ++e) {
    const int *from = &t->from[(size_t)e * t->Nfrom], *to = &t->to[(size_t)e * t->Nto];

    for (PetscInt k = 0; k < t->Nto; ++k) {
      for (PetscInt c = 0; c < Nc && to[k] >= 0; ++c) {
        const int place = places[to[k] + c];

        if (place < 0) continue;
        for (int j = t->rows[k]; j < t->rows[k + 1]; ++j) x[from[t->columns[j]] + c] += t->values[j] * y[place];
      }
    }
  }
}

/* y = S x of all nodes that elements compute */
static PetscErrorCode PlexTransferForward(PlexTransfer t, const int places[], Vec x, Vec y, PlexAccess access)
{
  const PetscScalar *in;
  PetscScalar       *out;

  PetscFunctionBegin;
  if (t->device) {
    PetscCall(PlexBackendVecGet(t->backend, x, PLEX_READ, &t->arrayX));
    PetscCall(PlexBackendVecGet(t->backend, y, access, &t->arrayY));
    PetscCall(PlexTransferLaunch(t, (PetscBool)(places != NULL), t->arrayX.array, t->arrayY.array));
    PetscCall(PlexBackendVecRestore(t->backend, &t->arrayY));
    PetscCall(PlexBackendVecRestore(t->backend, &t->arrayX));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(x, &in));
  PetscCall(VecGetArray(y, &out));
  PlexTransferApply(t, places, in, out);
  PetscCall(VecRestoreArray(y, &out));
  PetscCall(VecRestoreArrayRead(x, &in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = S^T y, x zero before */
static PetscErrorCode PlexTransferBackward(PlexTransfer t, const int places[], Vec y, Vec x)
{
  const PetscScalar *in;
  PetscScalar       *out;

  PetscFunctionBegin;
  if (t->device) {
    PetscCall(PlexBackendVecGet(t->backend, y, PLEX_READ, &t->arrayY));
    PetscCall(PlexBackendVecGet(t->backend, x, PLEX_CHANGE, &t->arrayX));
    PetscCall(PlexTransferLaunchTranspose(t, t->arrayY.array, t->arrayX.array));
    PetscCall(PlexBackendVecRestore(t->backend, &t->arrayX));
    PetscCall(PlexBackendVecRestore(t->backend, &t->arrayY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(y, &in));
  PetscCall(VecGetArray(x, &out));
  PlexTransferApplyTranspose(t, places, in, out);
  PetscCall(VecRestoreArray(x, &out));
  PetscCall(VecRestoreArrayRead(y, &in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferValues(PlexTransfer t, Vec from, Vec to)
{
  PetscFunctionBegin;
  PetscCall(VecSet(to, 0.0)); /* dofs of cells that are not integrated */
  PetscCall(PlexTransferForward(t, NULL, from, to, PLEX_CHANGE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- As a matrix */

typedef struct {
  PlexTransfer t;
  DM           from;
  int         *places; /* [Nl] of local dofs of `to` in its global vectors */
} PlexInterpolation;

static PetscErrorCode MatMult_PlexTransfer(Mat P, Vec x, Vec y)
{
  PlexInterpolation *p;
  Vec                locX;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &p));
  PetscCall(DMGetLocalVector(p->from, &locX));
  PetscCall(VecSet(locX, 0.0)); /* constrained dofs */
  PetscCall(DMGlobalToLocalBegin(p->from, x, INSERT_VALUES, locX));
  PetscCall(DMGlobalToLocalEnd(p->from, x, INSERT_VALUES, locX));
  PetscCall(PlexTransferForward(p->t, p->places, locX, y, PLEX_WRITE)); /* each dof is a node of a cell of its owner */
  PetscCall(DMRestoreLocalVector(p->from, &locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_PlexTransfer(Mat P, Vec y, Vec x)
{
  PlexInterpolation *p;
  Vec                locX;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &p));
  PetscCall(DMGetLocalVector(p->from, &locX));
  PetscCall(VecSet(locX, 0.0));
  PetscCall(PlexTransferBackward(p->t, p->places, y, locX));
  PetscCall(VecSet(x, 0.0));
  PetscCall(DMLocalToGlobalBegin(p->from, locX, ADD_VALUES, x));
  PetscCall(DMLocalToGlobalEnd(p->from, locX, ADD_VALUES, x));
  PetscCall(DMRestoreLocalVector(p->from, &locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_PlexTransfer(Mat P)
{
  PlexInterpolation *p;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &p));
  PetscCall(PlexTransferDestroy(&p->t));
  PetscCall(DMDestroy(&p->from));
  PetscCall(PetscFree(p->places));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTransferGetRows(DM dm, PetscInt *n)
{
  PetscSection section;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalSection(dm, &section));
  PetscCall(PetscSectionGetConstrainedStorageSize(section, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferCreateMatrix(PlexTransfer t, DM from, DM to, Mat *P)
{
  PlexInterpolation *p;
  PetscInt           m, n, Nl;
  VecType            type;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->t    = t;
  p->from = from;
  PetscCall(PetscObjectReference((PetscObject)from));
  PetscCall(PlexLevelGetPlaces(to, &Nl, &p->places));
  PetscCall(PlexTransferSetPlaces(t, Nl, p->places));
  PetscCall(PlexTransferGetRows(to, &m));
  PetscCall(PlexTransferGetRows(from, &n));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)from), m, n, PETSC_DETERMINE, PETSC_DETERMINE, p, P));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT, (PetscErrorCodeFn *)MatMult_PlexTransfer));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT_TRANSPOSE, (PetscErrorCodeFn *)MatMultTranspose_PlexTransfer));
  PetscCall(MatShellSetOperation(*P, MATOP_DESTROY, (PetscErrorCodeFn *)MatDestroy_PlexTransfer));
  PetscCall(DMGetVecType(from, &type));
  PetscCall(MatShellSetVecType(*P, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferOfMatrix(Mat P, PlexTransfer *t)
{
  PlexInterpolation *p;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &p));
  *t = p->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}
