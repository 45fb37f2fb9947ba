/*
  Gradients of the basis as polynomials of few terms, for cuda/integrate/modal.cuh: d phi_j / d xi_b (q) = sum_m B_jbm
  L_m(q), with L_m the monomials of the barycentric coordinates but the first. Rows of element matrices take fewer
  operations so, where a thread computes them alone.
*/
#include <plexgpu/private/assemblyimpl.h>
#include <petscblaslapack.h>
#include "integrate.h"

#define PLEX_MODAL_DEGREE 2  /* of the gradients, most */
#define PLEX_MODAL_MOST   10 /* monomials of that degree, in three dimensions */

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

/*
  The expansions of all gradients in the monomials L[Nq][n], weighted least squares: G B = R of all right sides at once,
  B[Nn][dim][n], where G_mk = sum_q w_q L_m(q) L_k(q) and R_m = sum_q w_q L_m(q) d phi_j / d xi_b (q). *solved false:
  the points do not tell the monomials apart.
*/
static PetscErrorCode PlexModalSolve(PlexElements el, PetscInt n, const PetscReal L[], PetscReal B[], PetscBool *solved)
{
  const PetscInt sides                                = el->Nn[0] * el->dim;
  PetscReal      G[PLEX_MODAL_MOST * PLEX_MODAL_MOST] = {0.};
  PetscBLASInt   bn, bsides, info;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  if (PetscDefined(USE_COMPLEX))
    PetscFunctionReturn(PETSC_SUCCESS); /* PETSc's LAPACK has complex matrices, and no kernels run */
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(sides, &bsides));
  PetscCall(PetscArrayzero(B, sides * n));
  for (PetscInt q = 0; q < el->Nq; ++q) {
    for (PetscInt m = 0; m < n; ++m) {
      const PetscReal wL = el->weights[q] * L[q * n + m];

      for (PetscInt k = 0; k < n; ++k) G[m * n + k] += wL * L[q * n + k];
      for (PetscInt s = 0; s < sides; ++s) B[s * n + m] += wL * el->dphi[0][q * sides + s];
    }
  }
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bn, (PetscScalar *)G, &bn, &info));
  if (!info)
    PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bn, &bsides, (PetscScalar *)G, &bn, (PetscScalar *)B, &bn, &info));
  PetscCall(PetscFPTrapPop());
  *solved = (PetscBool)!info;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All gradients: L[Nq][n] and B[Nn][dim][n]; whether they are of the degree, and the points tell its monomials apart */
static PetscErrorCode PlexModalFind(PlexElements el, PetscInt degree, PetscInt *n, PetscReal L[], PetscReal B[],
                                    PetscBool *found)
{
  const PetscInt sides = el->Nn[0] * el->dim;
  PetscReal      size  = 0.;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt q = 0; q < el->Nq; ++q)
    *n = PlexModalMonomials(el->dim, degree, &el->psi[q * el->Nv], &L[q * (q ? *n : 0)]);
  if (*n > el->Nq) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModalSolve(el, *n, L, B, found));
  for (PetscInt k = 0; k < sides * *n; ++k) size = PetscMax(size, PetscAbsReal(B[k]));
  for (PetscInt k = 0; k < sides * *n; ++k)
    if (PetscAbsReal(B[k]) <= 1e-13 * size) B[k] = 0.; /* but for rounding */
  for (PetscInt s = 0; s < sides && *found; ++s) {
    const PetscReal *b = &B[s * *n];

    for (PetscInt q = 0; q < el->Nq && *found; ++q) {
      PetscReal sum = 0.;

      for (PetscInt m = 0; m < *n; ++m) sum += b[m] * L[q * *n + m];
      *found = (PetscBool)(PetscAbsReal(sum - el->dphi[0][q * sides + s]) <= 1e-13 * (1. + el->Nn[0])); /* NaN is not */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexModalWriteNumbers(FILE *out, PetscInt n, const PetscReal values[])
{
  for (PetscInt k = 0; k < n; ++k)
    fprintf(out, "(plex_real)%.17g,%s", (double)values[k], k % 8 == 7 || k == n - 1 ? "\n" : " ");
}

/* Of each point weight, monomials but the first, the coordinates' basis, basis and gradients; and B */
static void PlexModalWriteTables(PlexElements el, PetscInt n, const PetscReal L[], const PetscReal B[], FILE *out)
{
  const PetscInt Nn = el->Nn[0], dim = el->dim;

  fprintf(out, "static __constant__ plex_real plex_modal_points[] = {\n");
  for (PetscInt q = 0; q < el->Nq; ++q) {
    PlexModalWriteNumbers(out, 1, &el->weights[q]);
    PlexModalWriteNumbers(out, n - 1, &L[q * n + 1]);
    PlexModalWriteNumbers(out, el->Nv, &el->psi[q * el->Nv]);
    PlexModalWriteNumbers(out, Nn, &el->phi[0][q * Nn]);
    PlexModalWriteNumbers(out, Nn * dim, &el->dphi[0][q * Nn * dim]);
  }
  fprintf(out, "};\nstatic __device__ constexpr plex_real plex_modal_basis[] = {\n");
  PlexModalWriteNumbers(out, Nn * dim * n, B);
  fprintf(out, "};\n");
}

/* A Jacobian for which expansions are of use: *n of them, L and B, which the caller frees with PetscFree2(); or *n 0
   and nothing to be freed */
static PetscErrorCode PlexModalGet(PlexAssembly asm_, PlexProduct *product, PetscInt *n, PetscReal **L, PetscReal **B)
{
  PlexElements el    = asm_->elements;
  PetscBool    found = PETSC_FALSE;
  PlexJets     jets;

  PetscFunctionBegin;
  *n = 0;
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  if (!PlexElementsFillSpace(asm_->elements) || product->kind != PLEX_JACOBIAN || product->tensor ||
      asm_->owner->dummy || !el->affine || el->integral.facets || el->Nf != 1 || el->Nc[0] != 1 || el->NfAux ||
      !jets.trialGrad || el->ef * el->Nq > PLEX_MOST_COMPILED || !PlexTablesCompiled_Private(asm_, product))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(el->Nq * PLEX_MODAL_MOST, L, el->Nn[0] * el->dim * PLEX_MODAL_MOST, B));
  for (PetscInt degree = 0; degree <= PLEX_MODAL_DEGREE && !found; ++degree)
    PetscCall(PlexModalFind(el, degree, n, *L, *B, &found));
  if (!found) {
    PetscCall(PetscFree2(*L, *B));
    *n = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModalServes_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves)
{
  PetscInt   n;
  PetscReal *L, *B;

  PetscFunctionBegin;
  PetscCall(PlexModalGet(asm_, product, &n, &L, &B));
  *serves = (PetscBool)(n > 0);
  if (n) PetscCall(PetscFree2(L, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModalServesElement_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves)
{
  PetscFunctionBegin;
  PetscCall(PlexModalServes_Private(asm_, product, serves));
  *serves = (PetscBool)(*serves && !asm_->form->g[1][0].n && !asm_->form->d[1][0].n);
  if (*serves) PetscCall(PlexTensorIsIsotropic_Private(asm_, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWriteModal_Private(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PetscInt   n = 0;
  PetscReal *L, *B;
  PetscBool  isotropic = PETSC_FALSE;

  PetscFunctionBegin;
  if (product->team == 1) PetscCall(PlexModalGet(asm_, product, &n, &L, &B));
  if (n) {
    PlexModalWriteTables(asm_->elements, n, L, B, out);
    PetscCall(PetscFree2(L, B));
    PetscCall(PlexTensorIsIsotropic_Private(asm_, &isotropic));
  }
  fprintf(out, "#define PLEX_MODAL %d\n#define PLEX_NM %d\n#define PLEX_MODAL_ISOTROPIC %d\n", n > 0, (int)n,
          (int)isotropic);
  PetscFunctionReturn(PETSC_SUCCESS);
}
