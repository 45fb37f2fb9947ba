/*
  Integration as a contraction of tensors (Knepley and Terrel 2011, equations 1-23).

  Where the functions g0..g3 do not depend on the solution, what they give at a point of an element, pulled back to the
  reference cell, is G[a][b] for each pair of components (D of cuda/integrate/quadrature.cuh without the quadrature's
  weight). With psi_k the Lagrange polynomials of a degree r, and G_k the values at their nodes,

    A^e_ij = sum_k sum_ab K[i][k][ab][j] G_k[ab]      K[i][k][ab][j] = sum_q w_q psi_k(q) phi_a(i,q) phi_b(j,q)

  K is made once. r = 0, a single k, is exact where G is constant in an element: affine elements and coefficients that
  are constants of the PetscDS or constant in each element. A coefficient that is a finite element function needs its
  degree (equations 20-23); in elements that are not affine, G is rational, and the sum is its interpolant (equations
  16-19).

  auto takes r = 0 where the functions are known to give one value in an element that is affine (traits.c). Other
  degrees are asked for.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "../../util/cite.h"
#include "integrate.h"
#include "../../dm/elementsimpl.h"
#include "traits.h"

/* ---- The polynomials in which coefficients are expanded ---- */

/* Nodes xi[Nk][cellDim] of the Lagrange element of a degree, and psi[Nq][Nk] of the quadrature's points */
static PetscErrorCode PlexTensorNodes(PlexElements el, PetscInt degree, PetscInt *Nk, PetscReal **xi, PetscReal **psi)
{
  PetscFE          fe, first;
  PetscDualSpace   dual;
  PetscQuadrature  quadrature;
  PetscTabulation  T;
  const PetscReal *points;
  PetscInt         Nq;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&first));
  PetscCall(PetscFEGetQuadrature(first, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, &points, NULL));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, el->cellDim, 1, el->cellType, degree, PETSC_DETERMINE, &fe));
  PetscCall(PetscFEGetDimension(fe, Nk));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscMalloc1(*Nk * el->cellDim, xi));
  for (PetscInt k = 0; k < *Nk; ++k) PetscCall(PlexDualSpaceGetNode(dual, k, el->cellDim, *xi + k * el->cellDim));
  PetscCall(PetscFECreateTabulation(fe, 1, Nq, points, 0, &T));
  PetscCall(PetscMalloc1(Nq * *Nk, psi));
  PetscCall(PetscArraycpy(*psi, T->T[0], Nq * *Nk));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Whether and how ---- */

static const char *PlexTraitsSayRead(const struct _n_PlexFormTraits *t)
{
  if (t->reads & PLEX_READS_SOLUTION) return "the solution";
  if (t->reads & PLEX_READS_X) return "the position";
  return t->auxiliary ? "auxiliary fields" : "auxiliary fields that vary in an element";
}

/* Why not tensors, or "" */
static PetscErrorCode PlexTensorRefuse(PlexAssembly asm_, const struct _n_PlexFormTraits *t, PetscInt degree,
                                       size_t size, char why[])
{
  const PetscBool asked = (PetscBool)(asm_->owner->integration == PLEX_INTEGRATION_TENSOR);

  PetscFunctionBegin;
  why[0] = 0;
  if (t->constant) {
    if (!asm_->affineElements && !asked) PetscCall(PetscStrncpy(why, "the elements are not affine", size));
  } else if (t->known || (!asm_->backend->kernels && t->reads & PLEX_READS_THE_POINT)) {
    if (!asked || t->reads & PLEX_READS_SOLUTION)
      PetscCall(PetscSNPrintf(why, size, "the Jacobian's functions read %s, %s", PlexTraitsSayRead(t), t->how));
    else if (degree < 0 && (!t->auxiliary || t->reads & PLEX_READS_X))
      PetscCall(PetscSNPrintf(why, size,
                              "the Jacobian's functions read %s, %s, and -plex_assembly_tensor_degree does not say in "
                              "polynomials of which degree they are expanded",
                              PlexTraitsSayRead(t), t->how));
  } else if (!asm_->backend->kernels && t->reads)
    PetscCall(PetscStrncpy(why, "the Jacobian's functions read the volume of an element, as called", size));
  else PetscCall(PetscStrncpy(why, "it is not known what the Jacobian's functions read", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known of the functions comes with it, or nothing where that is not made use of */
PetscErrorCode PlexTensorExamine_Private(PlexAssembly asm_, PlexProduct *product, PlexTensorPlan *plan)
{
  PlexElements             el = asm_->elements;
  struct _n_PlexFormTraits t;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  plan->degree = asm_->owner->tensorDegree;
  if (asm_->owner->integration == PLEX_INTEGRATION_QUADRATURE)
    PetscCall(PetscStrncpy(plan->why, "asked for", sizeof(plan->why)));
  else if (product->kind == PLEX_RESIDUAL) PetscCall(PetscStrncpy(plan->why, "a residual", sizeof(plan->why)));
  else if (el->integral.facets) PetscCall(PetscStrncpy(plan->why, "of facets", sizeof(plan->why)));
  else if (el->vectors) PetscCall(PetscStrncpy(plan->why, "a basis of vectors", sizeof(plan->why)));
  else if (!el->Ne) PetscCall(PetscStrncpy(plan->why, "no elements", sizeof(plan->why)));
  if (plan->why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTraitsGet_Private(asm_, &t));
  PetscCall(PlexTensorRefuse(asm_, &t, plan->degree, sizeof(plan->why), plan->why));
  if (plan->why[0] || asm_->owner->integration != PLEX_INTEGRATION_AUTO) t.watched = PETSC_FALSE;
  if (plan->degree < 0) plan->degree = asm_->affineElements ? 0 : 2;
  plan->how            = t.how;
  plan->watched        = t.watched;
  plan->solutionUnread = (PetscBool)(t.watched || (t.known && !(t.reads & PLEX_READS_SOLUTION)));
  plan->pointUnread    = (PetscBool)(t.known && !(t.reads & PLEX_READS_THE_POINT));
  plan->symmetric      = t.symmetric;
  plan->oneValue       = (PetscBool)(t.known && t.constant && !(t.reads & PLEX_READS_VOLUME) &&
                                     (plan->pointUnread || t.reciprocal) && el->Nf == 1 && el->Nv == el->dim + 1 &&
                                     !t.symmetric);
  plan->nzero          = t.n;
  plan->zero           = t.zero; /* it is the plan's now */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTensorIsIsotropic_Private(PlexAssembly asm_, PetscBool *isotropic)
{
  struct _n_PlexFormTraits t;

  PetscFunctionBegin;
  PetscCall(PlexTraitsGet_Private(asm_, &t));
  *isotropic = t.isotropic;
  PetscCall(PlexTraitsReset_Private(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- K ---- */

/* Parts a of a jet that a product uses: those from first, n of them */
static PetscReal PlexTensorJet(PlexElements el, PetscInt f, PetscInt q, PetscInt n, PetscInt a)
{
  return a ? el->dphi[f][(q * el->Nn[f] + n) * el->dim + a - 1] : el->phi[f][q * el->Nn[f] + n];
}

/* K[n][k][ab][m] of a pair of fields */
static void PlexTensorTabulate(PlexElements el, PetscInt fi, PetscInt fj, const PlexJets *jets, PetscBool symmetric,
                               PetscInt Nk, const PetscReal psi[], PetscReal K[])
{
  const PetscInt a0 = jets->testValue ? 0 : 1, a1 = jets->testGrad ? el->dim : 0, b0 = jets->trialValue ? 0 : 1,
                 b1 = jets->trialGrad ? el->dim : 0;

  for (PetscInt n = 0; n < el->Nn[fi]; ++n) {
    for (PetscInt k = 0; k < Nk; ++k) {
      for (PetscInt a = a0; a <= a1; ++a) {
        for (PetscInt b = symmetric ? a : b0; b <= b1; ++b) {
          for (PetscInt m = 0; m < el->Nn[fj]; ++m, ++K) {
            *K = 0.;
            for (PetscInt q = 0; q < el->Nq; ++q) {
              PetscReal product = PlexTensorJet(el, fi, q, n, a) * PlexTensorJet(el, fj, q, m, b);

              if (symmetric && a != b) product += PlexTensorJet(el, fi, q, n, b) * PlexTensorJet(el, fj, q, m, a);
              *K += el->weights[q] * psi[q * Nk + k] * product;
            }
          }
        }
      }
    }
  }
}

/* Entries that rounding alone keeps from zero are zero, so that kernels can leave them out */
static void PlexTensorClean(PetscInt n, PetscReal K[])
{
  PetscReal size = 0.;

  for (PetscInt k = 0; k < n; ++k) size = PetscMax(size, PetscAbsReal(K[k]));
  for (PetscInt k = 0; k < n; ++k)
    if (PetscAbsReal(K[k]) <= 4. * PETSC_MACHINE_EPSILON * size) K[k] = 0.;
}

PetscErrorCode PlexTensorCreate_Private(PlexAssembly asm_, const PlexTensorPlan *plan, PlexTensor *tensor)
{
  PlexElements el = asm_->elements;
  PlexTensor   t;
  PlexJets     jets;
  PetscReal   *xi, *psi;
  PetscInt     Nk, KT, KU;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  t->degree    = plan->degree;
  t->symmetric = plan->symmetric;
  t->oneValue  = plan->oneValue;
  PetscCall(PlexTensorNodes(el, plan->degree, &Nk, &xi, &psi));
  PetscCall(PlexElementsTabulate(el, Nk, xi, &t->at));
  t->at->affine = asm_->affineElements; /* J is then the same at all points */
  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT     = jets.testValue + el->dim * jets.testGrad;
  KU     = jets.trialValue + el->dim * jets.trialGrad;
  t->nab = t->symmetric ? KT * (KT + 1) / 2 : KT * KU;
  PetscCall(PetscMalloc1(el->Nf * el->Nf, &t->offset));
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      t->offset[fi * el->Nf + fj] = t->n;
      t->n += el->Nn[fi] * Nk * t->nab * el->Nn[fj];
    }
  }
  PetscCall(PetscMalloc1(t->n, &t->K));
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      PlexTensorTabulate(el, fi, fj, &jets, t->symmetric, Nk, psi, &t->K[t->offset[fi * el->Nf + fj]]);
      PlexTensorClean(el->Nn[fi] * Nk * t->nab * el->Nn[fj], &t->K[t->offset[fi * el->Nf + fj]]);
    }
  }
  PetscCall(PetscFree(xi));
  PetscCall(PetscFree(psi));
  *tensor = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTensorDestroy_Private(PlexTensor *tensor)
{
  PetscFunctionBegin;
  if (!*tensor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementsDestroyTabulated(&(*tensor)->at));
  PetscCall(PetscFree((*tensor)->offset));
  PetscCall(PetscFree((*tensor)->K));
  PetscCall(PetscFree(*tensor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- At each assembly ---- */

/* The host compares the functions' values at the points of each element, and has the tensor for elements where they are
   the same; of one point there is nothing to compare */
static PetscBool PlexTensorServesConstantElements(PlexAssembly asm_, const PlexProduct *product,
                                                  const PlexTensorPlan *plan)
{
  PlexElements el = asm_->elements;

  return (PetscBool)((plan->why[0] || plan->watched) && asm_->owner->integration == PLEX_INTEGRATION_AUTO &&
                     product->kind == PLEX_JACOBIAN && !asm_->backend->kernels && !el->integral.facets &&
                     !el->vectors && el->Ne && asm_->affineElements && el->Nq > 1 && el->weights[0] != 0.);
}

/* What was once not zero, or not symmetric, counts as such from then on: a number that comes and goes makes no new
   kernel each time */
static void PlexTensorPlanKeep(const PlexProduct *product, PlexTensorPlan *plan)
{
  if (!product->setUp) return;
  plan->symmetric = (PetscBool)(plan->symmetric && product->equal);
  if (product->nzero != plan->nzero) return;
  for (PetscInt k = 0; k < plan->nzero; ++k) plan->zero[k] = (PetscBool)(plan->zero[k] && product->zero[k]);
}

static PetscErrorCode PlexTensorPlanIsSame(PlexAssembly asm_, const PlexProduct *product, const PlexTensorPlan *plan,
                                           PetscBool constant, PetscBool *same)
{
  const PlexTensor tensor = product->tensor;

  PetscFunctionBegin;
  *same = (PetscBool)((product->constant != NULL) == constant && product->nzero == plan->nzero &&
                      product->equal == plan->symmetric && product->solutionUnread == plan->solutionUnread &&
                      product->watched == plan->watched && product->pointUnread == plan->pointUnread);
  if (plan->why[0]) *same = (PetscBool)(*same && !tensor);
  else
    *same = (PetscBool)(*same && tensor && tensor->degree == plan->degree && tensor->symmetric == plan->symmetric &&
                        tensor->oneValue == plan->oneValue && tensor->at->affine == asm_->affineElements);
  if (*same) PetscCall(PetscArraycmp(product->zero, plan->zero, plan->nzero, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegrationExamine_Private(PlexAssembly asm_, PlexProduct *product, PlexIntegrationPlan *integration,
                                              PetscBool *same)
{
  PlexTensorPlan *plan = &integration->tensor;
  PetscBool       lines;

  PetscFunctionBegin;
  PetscCall(PlexTensorExamine_Private(asm_, product, plan));
  if (asm_->owner->integration == PLEX_INTEGRATION_TENSOR && product->kind == PLEX_JACOBIAN &&
      !asm_->elements->integral.facets && asm_->elements->Ne)
    PetscCheck(!plan->why[0], PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Tensor integration does not serve here: %s. Use -plex_assembly_integration quadrature, or auto",
               plan->why);
  if (!plan->why[0] && asm_->owner->integration == PLEX_INTEGRATION_AUTO) {
    PetscCall(PlexLinesPreferred_Private(asm_, product, plan, &lines));
    if (lines)
      PetscCall(PetscStrncpy(plan->why, "sums along lines take fewer operations than tensors of this size",
                             sizeof(plan->why)));
  }
  integration->constant = PlexTensorServesConstantElements(asm_, product, plan);
  PlexTensorPlanKeep(product, plan);
  PetscCall(PlexTensorPlanIsSame(asm_, product, plan, integration->constant, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegrationTake_Private(PlexAssembly asm_, PlexProduct *product, PlexIntegrationPlan *integration)
{
  PlexTensorPlan *plan = &integration->tensor;

  PetscFunctionBegin;
  product->watched        = plan->watched;
  product->solutionUnread = plan->solutionUnread;
  product->pointUnread    = plan->pointUnread;
  product->equal          = plan->symmetric;
  product->zero           = plan->zero;
  product->nzero          = plan->nzero;
  plan->zero              = NULL;
  if (!plan->why[0]) PetscCall(PlexTensorCreate_Private(asm_, plan, &product->tensor));
  if (product->tensor) PetscCall(PlexCite_Private(PLEX_CITE_INTEGRATION));
  if (integration->constant) {
    PlexTensorPlan one = {.degree = 0};

    PetscCall(PlexTensorCreate_Private(asm_, &one, &product->constant));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegrationEnd_Private(PlexAssembly asm_, PlexProduct *product, PlexIntegrationPlan *integration)
{
  PlexTensorPlan *plan = &integration->tensor;

  PetscFunctionBegin;
  if (plan->why[0]) PetscCall(PetscStrncpy(product->why, plan->why, sizeof(product->why)));
  else if (asm_->owner->integration == PLEX_INTEGRATION_TENSOR)
    PetscCall(PetscStrncpy(product->why, "asked for", sizeof(product->why)));
  else
    PetscCall(PetscSNPrintf(product->why, sizeof(product->why),
                            "the Jacobian's functions give one value in an element, %s",
                            plan->watched ? "as each call is watched to show" : plan->how));
  PetscCall(PetscFree(plan->zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}
