/* The same elements with their bases tabulated at other points than the quadrature's. */
#include "elementsimpl.h"

PetscErrorCode PlexDualSpaceGetNode(PetscDualSpace dual, PetscInt k, PetscInt dim, PetscReal xi[])
{
  PetscQuadrature  functional;
  const PetscReal *point;

  PetscFunctionBegin;
  PetscCall(PetscDualSpaceGetFunctional(dual, k, &functional));
  PetscCall(PetscQuadratureGetData(functional, NULL, NULL, NULL, &point, NULL));
  PetscCall(PetscArraycpy(xi, point, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTabulateFE(PetscFE fe, PetscInt dim, PetscInt n, const PetscReal points[], PetscInt *Nn,
                                     PetscReal **phi, PetscReal **dphi)
{
  PetscTabulation T;
  PetscBool       nodal;

  PetscFunctionBegin;
  PetscCall(PetscFECreateTabulation(fe, 1, n, points, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, dim, Nn, phi, dphi, &nodal));
  PetscCheck(nodal, PETSC_COMM_SELF, PETSC_ERR_SUP, "The finite element has no node basis");
  PetscCall(PetscTabulationDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsTabulate(PlexElements el, PetscInt n, const PetscReal points[], PlexElements *at)
{
  PetscFE fe;
  PetscDS ds = NULL;
  DM      dm;

  PetscFunctionBegin;
  PetscCheck(!el->integral.facets, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Facets are integrated at the points of their quadrature alone");
  if (el->NfAux) PetscCall(PlexElementsGetAuxiliary(el, &dm, &ds));
  PetscCall(PetscNew(at));
  **at      = *el;
  (*at)->Nq = n;
  PetscCall(PlexElementsAllocateFields(*at, el->Nf + el->NfAux));
  PetscCall(PetscArraycpy((*at)->Nc, el->Nc, el->Nf + el->NfAux));
  PetscCall(PetscArraycpy((*at)->offset, el->offset, el->Nf + el->NfAux));
  PetscCall(PetscMalloc1(n, &(*at)->weights));
  for (PetscInt q = 0; q < n; ++q) (*at)->weights[q] = 1.;
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    PetscCall(PetscDSGetDiscretization(f < el->Nf ? el->ds : ds, f < el->Nf ? f : f - el->Nf, (PetscObject *)&fe));
    PetscCall(PlexTabulateFE(fe, el->dim, n, points, &(*at)->Nn[f], &(*at)->phi[f], &(*at)->dphi[f]));
  }
  PetscCall(PlexGetCoordinateFE(el->dm, el->cellType, &fe));
  PetscCall(PlexTabulateFE(fe, el->dim, n, points, &(*at)->Nv, &(*at)->psi, &(*at)->dpsi));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsDestroyTabulated(PlexElements *at)
{
  PetscFunctionBegin;
  if (!*at) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementsFreeFields(*at));
  PetscCall(PetscFree((*at)->weights));
  PetscCall(PetscFree((*at)->psi));
  PetscCall(PetscFree((*at)->dpsi));
  PetscCall(PetscFree(*at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x_n - x_0 = J (xi_n - xi_0) for all nodes of all elements, to rounding */
PetscErrorCode PlexElementsAreAffine(PlexElements el, PetscBool *affine)
{
  const PetscInt dim = el->dim, cellDim = el->cellDim, Nv = el->Nv;
  PetscFE        fe;
  PetscDualSpace dual;
  PetscReal     *xi;
  PetscInt       cdim;

  PetscFunctionBegin;
  *affine = el->affine;
  if (el->affine || el->integral.facets || !el->Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexGetCoordinateFE(el->dm, el->cellType, &fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscFEGetNumComponents(fe, &cdim));
  PetscCall(PetscMalloc1(Nv * cellDim, &xi));
  for (PetscInt n = 0; n < Nv; ++n) PetscCall(PlexDualSpaceGetNode(dual, n * cdim, cellDim, &xi[n * cellDim]));
  PetscCall(PetscFEDestroy(&fe));
  *affine = PETSC_TRUE;
  for (PetscInt e = 0; e < el->Ne && *affine; ++e) {
    const int       *v    = &el->vertices[(size_t)e * Nv];
    const PetscReal *x0   = &el->x[(size_t)v[0] * dim];
    PetscReal        J[9] = {0.}, size = 0.;

    for (PetscInt n = 0; n < Nv; ++n)
      for (PetscInt d = 0; d < dim; ++d)
        for (PetscInt k = 0; k < dim; ++k) J[d * dim + k] += el->x[(size_t)v[n] * dim + d] * el->dpsi[n * dim + k];
    for (PetscInt k = 0; k < dim * dim; ++k) size = PetscMax(size, PetscAbsReal(J[k]));
    for (PetscInt n = 1; n < Nv; ++n) {
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal difference = el->x[(size_t)v[n] * dim + d] - x0[d];

        for (PetscInt k = 0; k < cellDim; ++k) difference -= J[d * dim + k] * (xi[n * cellDim + k] - xi[k]);
        if (PetscAbsReal(difference) > 100. * PETSC_MACHINE_EPSILON * (size + PetscAbsReal(x0[d])))
          *affine = PETSC_FALSE;
      }
    }
  }
  PetscCall(PetscFree(xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
