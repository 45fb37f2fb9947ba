/*
  Gradients of the basis as polynomials of few terms, for cuda/integrate/modal.cuh: d phi_j / d xi_b (q) = sum_m B_jbm L_m(q), with L_m
  the monomials of the barycentric coordinates but the first. Rows of element matrices take fewer operations so, where a thread computes them alone.
*/
#include <plexgpu/impl.h>
#include "../interface/assemblyimpl.h"

#define PLEX_MODAL_DEGREE 2   /* of the gradients, most */
#define PLEX_MODAL_MOST   10  /* monomials of that degree, in three dimensions */
#define PLEX_MODAL_WORK   160 /* dofs times points, most: all of it is compiled, see PLEX_UNROLL in cuda/plex.cuh */

/* Monomials of the barycentric coordinates psi[1..dim] up to a degree; returns their number */
static PetscInt PlexModalMonomials(PetscInt dim, PetscInt degree, const PetscReal psi[], PetscReal L[])
{
  PetscInt n = 0;

  L[n++] = 1.;
  for (PetscInt d = 1; d <= dim && degree > 0; ++d) L[n++] = psi[d];
  for (PetscInt d = 1; d <= dim && degree > 1; ++d)
    for (PetscInt e = d; e <= dim; ++e) L[n++] = psi[d] * psi[e];
  return n;
}

/* Solves the symmetric positive definite G x = b by elimination, G[n][n] and b[n] overwritten */
static void PlexModalSolve(PetscInt n, PetscReal G[], PetscReal b[])
{
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt i = k + 1; i < n; ++i) {
      const PetscReal f = G[i * n + k] / G[k * n + k];

      for (PetscInt j = k; j < n; ++j) G[i * n + j] -= f * G[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (PetscInt k = n - 1; k >= 0; --k) {
    for (PetscInt j = k + 1; j < n; ++j) b[k] -= G[k * n + j] * b[j];
    b[k] /= G[k * n + k];
  }
}

/* The expansion of values v[q * stride] in the monomials L[q][n], weighted least squares; the largest difference at a point. What rounding alone keeps
   from zero is zero. */
static PetscReal PlexModalExpand(PetscInt Nq, const PetscReal weights[], PetscInt n, const PetscReal L[], const PetscReal v[], PetscInt stride, PetscReal B[])
{
  PetscReal G[PLEX_MODAL_MOST * PLEX_MODAL_MOST] = {0.}, most = 0., size = 0.;

  for (PetscInt m = 0; m < n; ++m) {
    B[m] = 0.;
    for (PetscInt q = 0; q < Nq; ++q) B[m] += weights[q] * L[q * n + m] * v[q * stride];
    for (PetscInt k = 0; k < n; ++k)
      for (PetscInt q = 0; q < Nq; ++q) G[m * n + k] += weights[q] * L[q * n + m] * L[q * n + k];
  }
  PlexModalSolve(n, G, B);
  for (PetscInt m = 0; m < n; ++m) size = PetscMax(size, PetscAbsReal(B[m]));
  for (PetscInt m = 0; m < n; ++m)
    if (PetscAbsReal(B[m]) <= 1e-13 * size) B[m] = 0.;
  for (PetscInt q = 0; q < Nq; ++q) {
    PetscReal sum = 0.;

    for (PetscInt m = 0; m < n; ++m) sum += B[m] * L[q * n + m];
    most = PetscMax(most, PetscAbsReal(sum - v[q * stride]));
  }
  return most;
}

/* All gradients: L[Nq][n] and B[Nn][dim][n]; whether they are of the degree, and the points tell its monomials apart */
static PetscBool PlexModalFind(PlexElements el, PetscInt degree, PetscInt *n, PetscReal L[], PetscReal B[])
{
  for (PetscInt q = 0; q < el->Nq; ++q) *n = PlexModalMonomials(el->dim, degree, &el->psi[q * el->Nv], &L[q * (q ? *n : 0)]);
  if (*n > el->Nq) return PETSC_FALSE;
  for (PetscInt j = 0; j < el->Nn[0]; ++j) {
    for (PetscInt b = 0; b < el->dim; ++b) {
      /* NaN, where points do not tell monomials apart, is not small */
      if (!(PlexModalExpand(el->Nq, el->weights, *n, L, &el->dphi[0][j * el->dim + b], el->Nn[0] * el->dim, &B[(j * el->dim + b) * *n]) <= 1e-13 * (1. + el->Nn[0]))) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

static void PlexModalWriteTable(FILE *out, const char name[], PetscInt n, const PetscReal values[])
{
  fprintf(out, "static __device__ constexpr plex_real %s[] = {", name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)values[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "};\n");
}

PetscErrorCode PlexWriteModal_Private(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PlexElements el    = asm_->elements;
  PetscBool    found = PETSC_FALSE, serves;
  PetscInt     n     = 0;
  PetscReal   *L, *B;
  PlexJets     jets;

  PetscFunctionBegin;
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  serves = (PetscBool)(product->kind == PLEX_JACOBIAN && product->team == 1 && !product->tensor && !asm_->dummy && el->affine && !el->integral.facets && el->Nf == 1 && el->Nc[0] == 1 && !el->NfAux && jets.trialGrad && el->ef * el->Nq <= PLEX_MODAL_WORK && PlexTablesCompiled_Private(asm_, product));
  if (serves) {
    PetscCall(PetscMalloc2(el->Nq * PLEX_MODAL_MOST, &L, el->Nn[0] * el->dim * PLEX_MODAL_MOST, &B));
    for (PetscInt degree = 0; degree <= PLEX_MODAL_DEGREE && !found; ++degree) found = PlexModalFind(el, degree, &n, L, B);
    if (found) {
      PlexModalWriteTable(out, "plex_modal_point", el->Nq * n, L);
      PlexModalWriteTable(out, "plex_modal_basis", el->Nn[0] * el->dim * n, B);
    }
    PetscCall(PetscFree2(L, B));
  }
  fprintf(out, "#define PLEX_MODAL %d\n#define PLEX_NM %d\n", (int)found, (int)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}
