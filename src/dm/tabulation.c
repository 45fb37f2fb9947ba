/* Basis functions at quadrature points, one component of them, or of vectors each. */
#include "elementsimpl.h"

/* Compares T[p][n*Nc + b][c][d] with (b == c) s[p][n][d], s being component 0 of function n*Nc */
static PetscBool PlexTableIsNodal(PetscInt Np, PetscInt Nn, PetscInt Nc, PetscInt dim, const PetscReal T[])
{
  const PetscInt  Nb  = Nn * Nc;
  const PetscReal tol = 1000. * PETSC_MACHINE_EPSILON;
  PetscReal       max = 0.;

  for (PetscInt k = 0; k < Np * Nb * Nc * dim; ++k) max = PetscMax(max, PetscAbsReal(T[k]));
  for (PetscInt p = 0; p < Np; ++p) {
    for (PetscInt n = 0; n < Nn; ++n) {
      const PetscReal *s = &T[(p * Nb + n * Nc) * Nc * dim];

      for (PetscInt b = 0; b < Nc; ++b) {
        for (PetscInt c = 0; c < Nc; ++c) {
          for (PetscInt d = 0; d < dim; ++d) {
            if (!(PetscAbsReal(T[((p * Nb + n * Nc + b) * Nc + c) * dim + d] - (b == c ? s[d] : 0.)) <= tol * max))
              return PETSC_FALSE;
          }
        }
      }
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexTabulationGetNodes(PetscTabulation T, PetscInt dimSpace, PetscInt *Nn, PetscReal *phi[],
                                      PetscReal *dphi[], PetscBool *nodal)
{
  const PetscInt Np = T->Nr * T->Np, Nb = T->Nb, Nc = T->Nc, dim = T->cdim, to = PetscMax(dim, dimSpace);

  PetscFunctionBegin;
  *Nn    = Nb / Nc;
  *nodal = Nb % Nc == 0 && T->K >= 1 && PlexTableIsNodal(Np, *Nn, Nc, 1, T->T[0]) &&
               PlexTableIsNodal(Np, *Nn, Nc, dim, T->T[1])
           ? PETSC_TRUE
           : PETSC_FALSE;
  if (phi) *phi = NULL;
  if (dphi) *dphi = NULL;
  if (!*nodal || !phi || !dphi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(Np * *Nn, phi));
  PetscCall(PetscCalloc1(Np * *Nn * to, dphi));
  for (PetscInt p = 0; p < Np; ++p) {
    for (PetscInt n = 0; n < *Nn; ++n) {
      const PetscInt b = (p * Nb + n * Nc) * Nc; /* component 0 of function n*Nc at point p */

      (*phi)[p * *Nn + n] = T->T[0][b];
      for (PetscInt d = 0; d < dim; ++d) (*dphi)[(p * *Nn + n) * to + d] = T->T[1][b * dim + d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFEGetSpace(PetscFE fe, PetscInt dim, PetscTabulation T, PlexFieldSpace *space, const char **why)
{
  PetscDualSpace dual;
  PetscInt       k, Nn;
  PetscBool      nodal;

  PetscFunctionBegin;
  *why   = NULL;
  *space = PLEX_SPACE_NODES;
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscDualSpaceGetFormDegree(dual, &k));
  if (!k) {
    PetscCall(PlexTabulationGetNodes(T, 0, &Nn, NULL, NULL, &nodal));
    if (!nodal) *space = PLEX_SPACE_VECTORS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* PetscDualSpaceGetDeRahm(), PetscDualSpaceTransformGradient() */
  *space = k == 1 ? PLEX_SPACE_HCURL : PLEX_SPACE_HDIV;
  if (T->cdim < 2 || (k != 1 && k != 1 - T->cdim)) *why = "which PETSc has no map to cells for";
  else if (T->cdim != dim) *why = "on a surface, where PETSc does not map them";
  else if (T->Nc != dim) *why = "several vectors of them, of which PETSc does not map the gradients";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* phi[Nc][points][Nb], dphi[Nc][points][Nb][dim] of T[points][Nb][Nc] */
static PetscErrorCode PlexTabulationGetVectors(PetscTabulation T, PetscInt dimSpace, PetscReal *phi[],
                                               PetscReal *dphi[])
{
  const PetscInt Np = T->Nr * T->Np, Nb = T->Nb, Nc = T->Nc, dim = T->cdim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Nc * Np * Nb, phi));
  PetscCall(PetscCalloc1(Nc * Np * Nb * dimSpace, dphi));
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt k = 0; k < Np * Nb; ++k) {
      (*phi)[c * Np * Nb + k] = T->T[0][k * Nc + c];
      for (PetscInt d = 0; d < dim; ++d) (*dphi)[(c * Np * Nb + k) * dimSpace + d] = T->T[1][(k * Nc + c) * dim + d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsTakeTabulation(PlexElements el, PetscInt f, PetscFE fe, PetscTabulation T)
{
  const char *why;
  PetscBool   nodal;

  PetscFunctionBegin;
  el->Nc[f] = T->Nc;
  PetscCall(PlexFEGetSpace(fe, el->dim, T, &el->space[f], &why));
  if (el->space[f] == PLEX_SPACE_NODES) {
    PetscCall(PlexTabulationGetNodes(T, el->dim, &el->Nn[f], &el->phi[f], &el->dphi[f], &nodal));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  el->vectors = PETSC_TRUE;
  el->Nn[f]   = T->Nb;
  PetscCall(PlexTabulationGetVectors(T, el->dim, &el->phi[f], &el->dphi[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCoordinateTabulate(PetscFE fe, PetscInt nx, PetscInt n, const PetscReal points[], PetscReal B[],
                                      PetscReal dB[])
{
  PetscTabulation T;
  PetscReal      *phi, *dphi;
  PetscInt        functions;
  PetscBool       nodal;

  PetscFunctionBegin;
  PetscCall(PetscFECreateTabulation(fe, 1, n, points, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, 0, &functions, &phi, &dphi, &nodal));
  PetscCheck(nodal && functions == nx, PETSC_COMM_SELF, PETSC_ERR_SUP, "The coordinate space has no node basis");
  PetscCall(PetscArraycpy(B, phi, n * nx));
  if (dB) PetscCall(PetscArraycpy(dB, dphi, n * nx * T->cdim));
  PetscCall(PetscFree(phi));
  PetscCall(PetscFree(dphi));
  PetscCall(PetscTabulationDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDualSpaceIsLagrange(PetscDualSpace dual, PetscBool *lagrange, PetscBool *continuous, PetscInt *order)
{
  PetscBool sum;
  PetscInt  n = 0, form;

  PetscFunctionBegin;
  *continuous = PETSC_FALSE;
  if (order) *order = -1;
  PetscCall(PetscObjectTypeCompare((PetscObject)dual, PETSCDUALSPACESUM, &sum));
  if (sum) {
    PetscCall(PetscDualSpaceSumGetNumSubspaces(dual, &n));
    *lagrange = *continuous = (PetscBool)(n > 0);
    for (PetscInt i = 0; i < n && *lagrange; ++i) {
      PetscDualSpace part;
      PetscBool      same;

      PetscCall(PetscDualSpaceSumGetSubspace(dual, i, &part));
      PetscCall(PlexDualSpaceIsLagrange(part, lagrange, &same, order));
      *continuous = (PetscBool)(*continuous && same);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)dual, PETSCDUALSPACELAGRANGE, lagrange));
  if (!*lagrange) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDualSpaceGetFormDegree(dual, &form)); /* 0: values at points */
  PetscCall(PetscDualSpaceLagrangeGetContinuity(dual, continuous));
  if (order) PetscCall(PetscDualSpaceGetOrder(dual, order));
  *lagrange = (PetscBool)!form;
  PetscFunctionReturn(PETSC_SUCCESS);
}
