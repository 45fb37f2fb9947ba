/*
  What moments of products of barycentric coordinates need, cuda/integrate/moments.cuh: which vertices the nodes of
  order 2 belong to, found in the basis' tables, and those products at the points, each different number once.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "integrate.h"

#define PLEX_MOMENTS_TOLERANCE 1e-12

/* The basis function that belongs to the vertices k and l, at a point with the barycentric coordinates lambda, and its
   derivative b by those of the reference cell */
static PetscReal PlexMomentsBasis(const PetscReal lambda[], const PetscReal dlambda[], PetscInt dim, PetscInt k,
                                  PetscInt l, PetscInt b)
{
  if (b < 0) return k == l ? lambda[k] * (2. * lambda[k] - 1.) : 4. * lambda[k] * lambda[l];
  return k == l ? (4. * lambda[k] - 1.) * dlambda[k * dim + b]
                : 4. * (lambda[k] * dlambda[l * dim + b] + lambda[l] * dlambda[k * dim + b]);
}

/* Node n is that of the vertices k and l at all points */
static PetscBool PlexMomentsIsNode(PlexElements el, PetscInt n, PetscInt k, PetscInt l)
{
  const PetscInt dim = el->dim, Nn = el->Nn[0];

  for (PetscInt q = 0; q < el->Nq; ++q) {
    const PetscReal *lambda = &el->psi[q * el->Nv], *dlambda = &el->dpsi[q * el->Nv * dim];

    if (!(PetscAbsReal(PlexMomentsBasis(lambda, dlambda, dim, k, l, -1) - el->phi[0][q * Nn + n]) <=
          PLEX_MOMENTS_TOLERANCE))
      return PETSC_FALSE;
    for (PetscInt b = 0; b < dim; ++b)
      if (!(PetscAbsReal(PlexMomentsBasis(lambda, dlambda, dim, k, l, b) - el->dphi[0][(q * Nn + n) * dim + b]) <=
            PLEX_MOMENTS_TOLERANCE))
        return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Vertices in an order such that the first one's barycentric coordinate falls by 1/2 along each axis of the reference
   cell, and that of number k > 0 rises by 1/2 along axis k - 1 */
static PetscBool PlexMomentsOrder(PlexElements el, PetscInt order[])
{
  for (PetscInt k = 0; k < el->Nv; ++k) {
    PetscBool found = PETSC_FALSE;

    for (PetscInt v = 0; v < el->Nv && !found; ++v) {
      found    = PETSC_TRUE;
      order[k] = v;
      for (PetscInt b = 0; b < el->dim; ++b)
        if (!(PetscAbsReal(el->dpsi[v * el->dim + b] - (k == 0       ? -.5
                                                        : k == b + 1 ? .5
                                                                     : 0.)) <= PLEX_MOMENTS_TOLERANCE))
          found = PETSC_FALSE;
    }
    if (!found) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* order[Nv] of the vertices, and those of each node by their numbers there, ends[Nn][2]; *found false: it is another
   element */
static PetscBool PlexMomentsFind(PlexElements el, PetscInt order[], PetscInt ends[])
{
  if (!PlexElementsFillSpace(el) || !el->affine || el->Nf != 1 || el->Nc[0] != 1 || el->Nv != el->dim + 1 ||
      el->Nn[0] != (el->dim + 1) * (el->dim + 2) / 2 || !PlexMomentsOrder(el, order))
    return PETSC_FALSE;
  for (PetscInt n = 0; n < el->Nn[0]; ++n) {
    PetscBool found = PETSC_FALSE;

    for (PetscInt k = 0; k < el->Nv && !found; ++k)
      for (PetscInt l = k; l < el->Nv && !found; ++l) {
        found           = PlexMomentsIsNode(el, n, order[k], order[l]);
        ends[2 * n]     = k;
        ends[2 * n + 1] = l;
      }
    if (!found) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexMomentsServe_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves)
{
  PlexElements el = asm_->elements;
  PetscInt     order[4], ends[20];
  PlexJets     jets;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  if (product->kind != PLEX_JACOBIAN || product->tensor || jets.testValue || !jets.trialGrad || el->Nn[0] > 10)
    PetscFunctionReturn(PETSC_SUCCESS);
  *serves = PlexMomentsFind(el, order, ends);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a point its weight, the coordinates' basis, the products of lambda in the order that was found, the basis: as
   PLEX_MOMENT_SIZE. Returns how many */
static PetscInt PlexMomentsPoint(PlexElements el, PetscInt q, const PetscInt order[], PetscReal numbers[])
{
  const PetscInt Nv = el->Nv;
  PetscReal      lambda[4];
  PetscInt       n = 0;

  numbers[n++] = el->weights[q];
  for (PetscInt k = 0; k < Nv; ++k) numbers[n++] = el->psi[q * Nv + k];
  for (PetscInt k = 0; k < Nv; ++k) lambda[k] = el->psi[q * Nv + order[k]];
  for (PetscInt k = 0; k < Nv; ++k)
    for (PetscInt l = k; l < Nv; ++l) numbers[n++] = lambda[k] * lambda[l];
  for (PetscInt k = 0; k < Nv; ++k)
    for (PetscInt l = k; l < Nv; ++l)
      for (PetscInt m = l; m < Nv; ++m) numbers[n++] = lambda[k] * lambda[l] * lambda[m];
  for (PetscInt j = 0; j < el->Nn[0]; ++j) numbers[n++] = el->phi[0][q * el->Nn[0] + j];
  return n;
}

PetscErrorCode PlexWriteMoments_Private(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PlexElements el = asm_->elements;
  PetscReal    numbers[64], *different;
  PetscInt     order[4], ends[20], n = 0;

  PetscFunctionBegin;
  fprintf(out, "#define PLEX_MOMENTS %d\n", (int)product->moments);
  if (!product->moments) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(PlexMomentsFind(el, order, ends), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The basis is not that of order 2 any more");
  PetscCall(PetscMalloc1(el->Nq * 64, &different));
  fprintf(out, "static __device__ constexpr int plex_moment_ends[] = {");
  for (PetscInt k = 0; k < 2 * el->Nn[0]; ++k) fprintf(out, "%d,", (int)ends[k]);
  fprintf(out, "};\nstatic __device__ constexpr short plex_moment_number[] = {\n");
  for (PetscInt q = 0; q < el->Nq; ++q) {
    const PetscInt size = PlexMomentsPoint(el, q, order, numbers);

    for (PetscInt k = 0; k < size; ++k) {
      PetscInt at = 0;

      /* of numbers up to one */
      while (at < n && PetscAbsReal(different[at] - numbers[k]) > 8. * PETSC_MACHINE_EPSILON) ++at;
      if (at == n) different[n++] = numbers[k];
      fprintf(out, "%d,", (int)at);
    }
    fprintf(out, "\n");
  }
  fprintf(out, "};\nstatic __constant__ plex_real plex_moment_numbers[] = {\n");
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)different[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "};\n");
  PetscCall(PetscFree(different));
  PetscFunctionReturn(PETSC_SUCCESS);
}
