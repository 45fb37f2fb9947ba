/*
  Sum factorization: whether it serves a Jacobian, whether it is preferred to tensors, and what it takes; and the
  integrator of residuals. Elements are products of lines (lines.c); the kernels are cuda/integrate/lines.cuh,
  lines_matrix.cuh, trilinear.cuh and lines_vector.cuh.
*/
#include "lines.h"
#include "integrate.h"
#include <petscviewer.h>

#define PLEX_LINES_TENSOR 4096 /* numbers of K from which tensors are not compiled row by row, see tables.c */
#define PLEX_LINES_PLANE  4    /* nodes along a line of a quadrilateral whose geometry is bilinear, least */
#define PLEX_LINES_BLOCK  64   /* threads, where a thread computes an element vector */

PetscBool PlexLinesIsSymmetric_Private(PlexAssembly asm_, const PlexProduct *product)
{
  PlexJets jets;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  return (PetscBool)((product->symmetric || product->equal) && jets.testValue == jets.trialValue &&
                     jets.testGrad == jets.trialGrad);
}

PetscBool PlexLinesHaveMatrix_Private(PlexAssembly asm_, const PlexProduct *product, const PlexLineTables *t)
{
  PlexJets jets;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  return (PetscBool)(PlexLinesIsSymmetric_Private(asm_, product) && t->dim == 3 && t->N == 2 && t->Q == 2 &&
                     t->corners && t->mirror && !jets.testValue);
}

PetscInt PlexLinesMatrixNumbers_Private(PlexAssembly asm_, PetscInt *same, PetscInt *other)
{
  PlexJets jets;
  PetscInt KT, across;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT     = jets.testValue + 3 * jets.testGrad;
  across = KT - jets.testGrad; /* parts without a derivative along x */
  *same  = KT * (KT + 1) / 2;
  *other = across * (across + 1) / 2 + 2 * across * jets.testGrad + jets.testGrad;
  return KT;
}

/* Number of the pair i <= j of three */
static PetscInt PlexLinesPair(PetscInt i, PetscInt j)
{
  return 3 * i - i * (i - 1) / 2 + j - i;
}

PetscInt PlexLinesMatrixEntry_Private(const PetscInt i[3], const PetscInt j[3], PetscBool *same, PetscInt *pair)
{
  /* of the pairs iy <= jy, where ix = jx: of iy = jy there are the entries with iz <= jz */
  const PetscInt first[] = {0, 6, 15, 24, 30, 39};

  if (i[0] > j[0] || (i[0] == j[0] && (i[1] > j[1] || (i[1] == j[1] && i[2] > j[2]))))
    return PlexLinesMatrixEntry_Private(j, i, same, pair);
  *same = (PetscBool)(i[0] == j[0]);
  *pair = *same ? i[0] : i[0] + j[0] - 1; /* (0, 1), (0, 2), (1, 2) */
  if (!*same) return 9 * (3 * i[1] + j[1]) + 3 * i[2] + j[2];
  return first[PlexLinesPair(i[1], j[1])] + (i[1] == j[1] ? PlexLinesPair(i[2], j[2]) : 3 * i[2] + j[2]);
}

/* V; of 45 pairs their sums over y; 4 products an entry and point */
double PlexLinesMatrixFlops_Private(PlexAssembly asm_, const PlexLineTables *t)
{
  const double Q = (double)t->Q;
  PetscInt     same, other, KT;

  KT = PlexLinesMatrixNumbers_Private(asm_, &same, &other);
  return 2. * (3. * (double)(same + other) * Q * Q * Q + 45. * (double)(KT * KT) * Q * Q + 378. * 4. * Q);
}

/* The test function's parts, w_b, then the sums along lines */
double PlexLinesRowFlops_Private(PlexAssembly asm_, const PlexLineTables *t)
{
  const double N = (double)t->N, Q = (double)t->Q;
  PlexJets     jets;
  double       KT, KU;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT = jets.testValue + t->dim * jets.testGrad;
  KU = jets.trialValue + t->dim * jets.trialGrad;
  if (t->dim == 2) return Q * Q * KT + 2 * (Q * Q * KT * KU + Q * Q * N * KU + Q * N * N * 2);
  return (Q * Q * Q + Q * Q) * KT +
         2 * (Q * Q * Q * KT * KU + Q * Q * Q * N * KU + Q * Q * N * N * 3 + Q * N * N * N * 2);
}

PetscErrorCode PlexLinesServe_Private(PlexAssembly asm_, PlexProduct *product, PlexLineTables *tables,
                                      PetscBool *serves)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (product->kind == PLEX_RESIDUAL || product->tensor || el->integral.facets || el->NfAux || asm_->repeated ||
      asm_->teamSize > 1 || asm_->owner->dummy)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLineTablesCreate_Private(el, tables, serves));
  /* turned elements are faster */
  if (*serves && el->dim == 2 && tables->corners && tables->N < PLEX_LINES_PLANE) *serves = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPreferred_Private(PlexAssembly asm_, PlexProduct *product, const PlexTensorPlan *plan,
                                          PetscBool *lines)
{
  PlexElements        el         = asm_->elements;
  const PlexStrategy *s          = &asm_->strategy[product->kind];
  PlexProduct         quadrature = {.kind = product->kind};
  PlexLineTables      tables;
  PlexJets            jets;
  double              nab, points;
  PetscBool           row = PETSC_TRUE;

  PetscFunctionBegin;
  *lines = PETSC_FALSE;
  if (!asm_->backend || !asm_->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->variant) {
    if (PlexIntegratorOf_Private(s->variant)) *lines = s->variant->quadrature;
    else if (s->variant->quadrature) PetscCall(PlexLinesServe_Private(asm_, &quadrature, &tables, lines));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->type && !s->chosen) PetscCall(PetscStrcmp(s->type, PLEXASSEMBLYLOCALROW, &row));
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  nab    = (double)(jets.testValue + el->dim * jets.testGrad) * (double)(jets.trialValue + el->dim * jets.trialGrad);
  points = (double)PetscPowInt(plan->degree + 1, el->dim);
  if (!row || points * nab * (double)(el->ef * el->ef) <= PLEX_LINES_TENSOR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, &quadrature, &tables, lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions of cuda/integrate/trilinear.cuh: the sign s_m(i) is minus */
static PetscBool PlexTrilinearMinus(PetscInt m, PetscInt i)
{
  const PetscInt both = m & i;

  return (PetscBool)((both ^ both >> 1 ^ both >> 2) & 1);
}

/* The classes of the entries of node i's row there, two bits each */
static unsigned PlexTrilinearClasses(PetscInt i)
{
  unsigned classes = 0;

  for (PetscInt t = 1; t < 8; ++t) {
    PetscInt first = 1, second;

    while (PlexTrilinearMinus(first, t)) ++first;
    for (second = first + 1; PlexTrilinearMinus(second, t);) ++second;
    classes |= (unsigned)(PlexTrilinearMinus(first, i) + 2 * PlexTrilinearMinus(second, i)) << (2 * t - 2);
  }
  return classes;
}

PetscInt PlexTrilinearEntry_Private(PetscInt i, PetscInt j)
{
  const PetscInt t = i ^ j;

  return 4 * (t - 1) + (PetscInt)(PlexTrilinearClasses(7 - i) >> (2 * t - 2) & 3);
}

/* ---- Residuals: a thread computes an element that a team would share otherwise */

/* Where the strategy does not prefetch nodal data, a thread has those of its element in shared memory: an odd number,
   so that threads meet in no bank */
static PetscErrorCode PlexSumFactorCreate(PlexAssembly asm_, PlexProduct *product, PlexStrategyCall call,
                                          PetscBool *serves)
{
  const PlexElements el   = asm_->elements;
  const size_t       all  = asm_->backend->limits.sharedPerBlock,
                     work = call == PLEX_CALLS_PREFETCHED
                            ? 0
                            : PlexAssemblyRealSize(asm_) * (size_t)((el->Nv * el->dim + 2 * el->ef) | 1);
  PlexLineTables    *tables;

  PetscFunctionBegin;
  if (product->team == 1 || asm_->teamSize || el->integral.facets || el->NfAux || work * 32 > all / 2)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&tables));
  PetscCall(PlexLineTablesCreate_Private(el, tables, serves));
  if (!*serves) {
    PetscCall(PetscFree(tables));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->integratorData = tables;
  product->team           = 1;
  product->work           = work;
  product->block          = asm_->blockSize ? asm_->blockSize : PLEX_LINES_BLOCK;
  while (product->block > 32 && work * (size_t)product->block > all) product->block -= 32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSumFactorWrite(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PetscFunctionBegin;
  (void)asm_;
  PetscCall(PlexLineTablesWrite_Private((const PlexLineTables *)product->integratorData, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a point all but sums over nodes; of a line what its values are, and what goes back to the nodes */
static double PlexSumFactorFlops(PlexAssembly asm_, PlexProduct *product)
{
  const PlexLineTables *t      = (const PlexLineTables *)product->integratorData;
  const PlexElements    el     = asm_->elements;
  const double          points = (double)PlexAssemblyPoints(asm_, product), dim = (double)el->dim, Nn = (double)el->ef,
                        lines = (double)el->Nq / (double)t->Q;

  return PlexAssemblyCountFlops(asm_, product, points, 0, 0) - points * 2 * Nn * (1 + dim) +
         lines * 2 * (2 * dim * Nn + 2 * (1 + dim) * (double)(t->N * t->Q));
}

static PetscErrorCode PlexSumFactorView(const PlexProduct *product, PetscViewer viewer)
{
  const PlexLineTables *t = (const PlexLineTables *)product->integratorData;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "a thread computes an element, by sums along lines of %" PetscInt_FMT " points\n",
                                   t->Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PlexIntegrator PlexIntegrator_SumFactor = {
  .variant   = {"sumfactor", PLEX_OF_RESIDUALS, PETSC_FALSE,
                "residuals of a scalar field on quadrilaterals and hexahedra that a team of threads would share"},
  .automatic = PETSC_TRUE,
  .file      = "integrate/lines_vector.cuh",
  .elements  = PETSC_TRUE,
  .create    = PlexSumFactorCreate,
  .write     = PlexSumFactorWrite,
  .flops     = PlexSumFactorFlops,
  .view      = PlexSumFactorView,
};
