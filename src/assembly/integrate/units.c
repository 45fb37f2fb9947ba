/*
  Residuals of larger elements on tensor units: which are computed so, and their tables, right factors as the units take
  them (cuda/integrate/units_vector.cuh, cuda/dg/unit.cuh). Points come in groups of eight; the last group repeats the
  last point with a weight of zero, as a function may have no value where there is no point.
*/
#include "integrate.h"
#include <petscviewer.h>

#define PLEX_UNITS_ELEMENTS 16  /* of a warp */
#define PLEX_UNITS_BLOCK    128 /* threads, unless asked otherwise */
#define PLEX_UNITS_POINTS   8   /* of a group */
#define PLEX_UNITS_NUMBERS  200 /* doubles that a thread has in registers, most */

/* In the order of the tables; starts are in fragments of right factors, those of a step and a tile */
typedef struct {
  PetscInt *there, *back; /* [Nf + NfAux] */
  PetscInt  coordinates, weights;
} PlexUnitsLayout;

static PetscInt PlexUnitsGroups(PlexElements el)
{
  return (el->Nq + PLEX_UNITS_POINTS - 1) / PLEX_UNITS_POINTS;
}

static PetscInt PlexUnitsSteps(PlexPrecision precision, PetscInt n)
{
  return (n + PlexFragmentColumns(precision) - 1) / PlexFragmentColumns(precision);
}

/* Jets of the test functions: value, gradient */
static PetscInt PlexUnitsJets(PlexAssembly asm_, PetscInt *first)
{
  PlexJets jets;

  PlexFormGetJets_Private(asm_->form, PLEX_RESIDUAL, &jets);
  *first = 1 - jets.testValue;
  return jets.testValue + asm_->elements->dim * jets.testGrad;
}

/* PetscFree2() there and back */
static PetscErrorCode PlexUnitsGetLayout(PlexAssembly asm_, PlexUnitsLayout *layout)
{
  const PlexElements el     = asm_->elements;
  const PetscInt     groups = PlexUnitsGroups(el);
  PetscInt           n      = 0, first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(el->Nf + el->NfAux, &layout->there, el->Nf + el->NfAux, &layout->back));
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    layout->there[f] = n;
    n += groups * (1 + el->dim) * PlexUnitsSteps(asm_->owner->precision, el->Nn[f]);
    layout->back[f] = n;
    if (f < el->Nf)
      n += groups * PlexUnitsJets(asm_, &first) * ((el->Nn[f] + 7) / 8) *
           PlexUnitsSteps(asm_->owner->precision, PLEX_UNITS_POINTS);
  }
  layout->coordinates = n;
  layout->weights     = n + groups * (1 + el->dim) * PlexUnitsSteps(asm_->owner->precision, el->Nv);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a thread keeps: coefficients and sums of two rows, and what it has at two points of both */
static PetscInt PlexUnitsNumbers(PlexElements el)
{
  PetscInt n = (el->affine ? 2 : 4) * el->dim * el->dim;

  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f)
    n += el->Nc[f] * (2 * ((el->Nn[f] + 3) / 4) + (f < el->Nf ? 4 * ((el->Nn[f] + 7) / 8) : 0) + 4 * (1 + el->dim));
  return n;
}

/* Where a team would have an element otherwise */
static PetscErrorCode PlexUnitsCreate(PlexAssembly asm_, PlexProduct *product, PlexStrategyCall call, PetscBool *serves)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  (void)call;
  *serves = (PetscBool)(product->team > 1 && !asm_->teamSize && PlexElementsFillSpace(el) && !el->integral.facets &&
                        PlexBackendHasUnits(asm_->backend) && PlexUnitsNumbers(el) <= PLEX_UNITS_NUMBERS);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  product->team  = 1;
  product->work  = 0;
  product->block = asm_->blockSize ? asm_->blockSize : PLEX_UNITS_BLOCK;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexUnitsWriteStarts(const char name[], PetscInt n, const PetscInt starts[], FILE *out)
{
  fprintf(out, "static __device__ __forceinline__ constexpr int plex_field_%s(int f) { return ", name);
  for (PetscInt f = 0; f < n - 1; ++f) fprintf(out, "f == %d ? %d : ", (int)f, (int)(32 * starts[f]));
  fprintf(out, "%s%d; }\n", n > 1 ? "" : "(void)f, ", (int)(32 * starts[n - 1]));
}

static PetscErrorCode PlexUnitsWrite(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  const PlexElements el   = asm_->elements;
  PetscInt           most = 0;
  PlexUnitsLayout    layout;

  PetscFunctionBegin;
  (void)product;
  PetscCall(PlexUnitsGetLayout(asm_, &layout));
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) most = PetscMax(most, el->Nn[f]);
  fprintf(out, "#define PLEX_UNITS_MOST %d\n#define PLEX_UNITS_NUMBERS %d\n", (int)most, (int)PlexUnitsNumbers(el));
  fprintf(out, "#define PLEX_UNITS_X %d\n#define PLEX_UNITS_WEIGHTS %d\n", (int)(32 * layout.coordinates),
          (int)(32 * layout.weights));
  PlexUnitsWriteStarts("there", el->Nf + el->NfAux, layout.there, out);
  PlexUnitsWriteStarts("back", el->Nf + el->NfAux, layout.back, out);
  PetscCall(PetscFree2(layout.there, layout.back));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry a of 1 + dim, value and gradient, of function n at point q */
static PetscReal PlexUnitsJet(PetscInt dim, PetscInt N, const PetscReal value[], const PetscReal gradient[], PetscInt q,
                              PetscInt n, PetscInt a)
{
  return a ? gradient[(q * N + n) * dim + a - 1] : value[q * N + n];
}

/* Appends the right factors matrix[8 tiles][columns]^T to tables[n] */
static PetscErrorCode PlexUnitsAppend(PlexPrecision precision, PetscInt tiles, PetscInt columns,
                                      const PetscReal matrix[], PetscInt *n, PetscReal **tables)
{
  const PetscInt unit  = PlexFragmentColumns(precision);
  const size_t   count = (size_t)(tiles * ((columns + unit - 1) / unit)) * (size_t)(unit == 8 ? 128 : 32);
  size_t         all;
  PetscReal     *fragments;

  PetscFunctionBegin;
  PetscCall(PlexFragmentsCreate(precision, tiles, 1, matrix, 8 * tiles, columns, &all, &fragments));
  PetscCall(PetscRealloc(sizeof(PetscReal) * ((size_t)*n + count), tables));
  PetscCall(PetscArraycpy(*tables + *n, fragments, count));
  *n += (PetscInt)count;
  PetscCall(PetscFree(fragments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of functions at the points: [groups][1 + dim][8 points][N] */
static PetscErrorCode PlexUnitsAppendThere(PlexAssembly asm_, PetscInt N, const PetscReal value[],
                                           const PetscReal gradient[], PetscInt *n, PetscReal **tables)
{
  const PlexElements el    = asm_->elements;
  const PetscInt     tiles = PlexUnitsGroups(el) * (1 + el->dim);
  PetscReal         *matrix;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tiles * PLEX_UNITS_POINTS * N, &matrix));
  for (PetscInt r = 0; r < tiles * PLEX_UNITS_POINTS; ++r) {
    const PetscInt group = r / PLEX_UNITS_POINTS / (1 + el->dim), a = r / PLEX_UNITS_POINTS % (1 + el->dim),
                   q = PetscMin(el->Nq - 1, group * PLEX_UNITS_POINTS + r % PLEX_UNITS_POINTS);

    for (PetscInt k = 0; k < N; ++k) matrix[r * N + k] = PlexUnitsJet(el->dim, N, value, gradient, q, k, a);
  }
  PetscCall(PlexUnitsAppend(asm_->owner->precision, tiles, N, matrix, n, tables));
  PetscCall(PetscFree(matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of points to functions of field f: [groups][jets of the test functions][tiles of 8 nodes][8 nodes][8 points in the
   order in which they are taken] */
static PetscErrorCode PlexUnitsAppendBack(PlexAssembly asm_, PetscInt f, PetscInt *n, PetscReal **tables)
{
  const PlexElements el = asm_->elements;
  const PetscInt     N = el->Nn[f], groups = PlexUnitsGroups(el), tiles = (N + 7) / 8;
  PetscInt           first;
  const PetscInt     KT = PlexUnitsJets(asm_, &first);
  PetscReal         *matrix;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(groups * KT * tiles * 8 * PLEX_UNITS_POINTS, &matrix));
  for (PetscInt r = 0; r < groups * KT * tiles * 8; ++r) {
    const PetscInt node = r % (8 * tiles), a = r / (8 * tiles) % KT + first, group = r / (8 * tiles) / KT;

    for (PetscInt k = 0; k < PLEX_UNITS_POINTS && node < N; ++k) {
      const PetscInt q = group * PLEX_UNITS_POINTS + 2 * (k % 4) + k / 4;

      if (q < el->Nq) matrix[r * PLEX_UNITS_POINTS + k] = PlexUnitsJet(el->dim, N, el->phi[f], el->dphi[f], q, node, a);
    }
  }
  PetscCall(PlexUnitsAppend(asm_->owner->precision, groups * KT * tiles, PLEX_UNITS_POINTS, matrix, n, tables));
  PetscCall(PetscFree(matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexUnitsTables(PlexAssembly asm_, PlexProduct *product, PetscInt *n, PetscReal **tables)
{
  const PlexElements el     = asm_->elements;
  const PetscInt     points = PlexUnitsGroups(el) * PLEX_UNITS_POINTS,
                     size   = PlexFragmentColumns(asm_->owner->precision) == 8 ? 128 : 32;
  PlexUnitsLayout    layout;

  PetscFunctionBegin;
  (void)product;
  PetscCall(PlexUnitsGetLayout(asm_, &layout));
  *n      = 0;
  *tables = NULL;
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    PetscCall(PlexUnitsAppendThere(asm_, el->Nn[f], el->phi[f], el->dphi[f], n, tables));
    if (f < el->Nf) PetscCall(PlexUnitsAppendBack(asm_, f, n, tables));
  }
  PetscCall(PlexUnitsAppendThere(asm_, el->Nv, el->psi, el->dpsi, n, tables));
  PetscCheck(*n == layout.weights * size, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Tables of %" PetscInt_FMT " numbers in the place of %" PetscInt_FMT, *n, layout.weights * size);
  PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)(*n + points), tables));
  for (PetscInt q = 0; q < points; ++q) (*tables)[(*n)++] = q < el->Nq ? el->weights[q] : 0.;
  PetscCall(PetscFree2(layout.there, layout.back));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those on padding are not counted */
static double PlexUnitsFlops(PlexAssembly asm_, PlexProduct *product)
{
  return PlexAssemblyCountFlops(asm_, product, (double)PlexAssemblyPoints(asm_, product), (double)asm_->elements->ef,
                                0);
}

static PetscErrorCode PlexUnitsView(const PlexProduct *product, PetscViewer viewer)
{
  PetscFunctionBegin;
  (void)product;
  PetscCall(PetscViewerASCIIPrintf(viewer, "a warp computes %d elements, on tensor units\n", PLEX_UNITS_ELEMENTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PlexIntegrator PlexIntegrator_TensorCores = {
  .variant   = {"tensorcores", PLEX_OF_RESIDUALS, PETSC_FALSE,
                "residuals of elements that a team of threads would share"},
  .automatic = PETSC_TRUE,
  .file      = "integrate/units_vector.cuh",
  .elements  = PETSC_TRUE,
  .warp      = PLEX_UNITS_ELEMENTS,
  .create    = PlexUnitsCreate,
  .write     = PlexUnitsWrite,
  .tables    = PlexUnitsTables,
  .flops     = PlexUnitsFlops,
  .view      = PlexUnitsView,
};
