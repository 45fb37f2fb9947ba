/* Basis functions at quadrature points, one component of them. */
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
