/* shared_nz by pairs of nodes: whether it can be used, sizes, kernel, launch */
#include "pairs.h"
#include "../../integrate/integrate.h"
#include "../../../util/text.h"

#define PLEX_PAIRS_MATRIX_FLOPS 310 /* from D_q to a matrix of cuda/integrate/trilinear.cuh */
#define PLEX_PAIR_BLOCKS        6   /* per multiprocessor, at least: the number of blocks of a launch */
#define PLEX_PAIR_STATIC        32  /* bytes of shared memory for barriers */

/* Threads of a block, registers that a thread needs, and blocks that share a multiprocessor. Larger blocks compute
   fewer elements twice, which matters more in three dimensions */
typedef struct {
  PetscInt block, registers, resident;
} PlexPairsSizes;

static PlexPairsSizes PlexPairsGetSizes(PlexPairsStored stored, PetscInt dim, PetscBool coefficients)
{
  const PlexPairsSizes plane = {384, 56, 3}, space = {512, 56, 2}, matrix = {192, 168, 2};
  const PlexPairsSizes planeG3 = {320, 64, 3}, spaceG3 = {384, 80, 2}; /* g3 is evaluated for each element of a pair */

  if (stored == PLEX_PAIRS_GRADIENTS && coefficients) return dim == 2 ? planeG3 : spaceG3;
  return stored == PLEX_PAIRS_MATRIX ? matrix : dim == 2 ? plane : space;
}

/* Whether the dofs of auxiliary fields of each element follow its first one */
static PetscBool PlexPairsAuxiliaryFollow(PlexElements el)
{
  PetscInt apart = 0;

  for (PetscInt e = 0; e < el->Ne; ++e)
    for (PetscInt k = 1; k < el->ea; ++k) apart += el->dofsAux[e * el->ea + k] != el->dofsAux[e * el->ea] + k;
  return (PetscBool)!apart;
}

/* Of simplices by tensors: by gradients, or of a scalar form whose G is symmetric by dofs, or by points that have
   several */
static PlexPairsStored PlexPairsOfSimplices(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements   el     = asm_->elements;
  PlexTensor     tensor = product->tensor;
  PlexJets       jets;
  PlexPairPoints points;

  if (!PlexElementsFillSpace(el) || tensor->at->Nq != 1 || el->Nf != 1 || el->integral.facets || !el->affine ||
      el->Nv != el->dim + 1 || el->ef > PLEX_PAIR_DOFS)
    return PLEX_PAIRS_NONE;
  if (el->ea > PLEX_PAIR_AUXILIARY || !PlexPairsAuxiliaryFollow(el)) return PLEX_PAIRS_NONE;
  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    if (el->Nn[f] > 1) return PLEX_PAIRS_NONE; /* kernels permute the vertices */
  if (asm_->repeated || asm_->teamSize > 1 || asm_->owner->dummy || !PlexTablesCompiledTurned_Private(asm_, product))
    return PLEX_PAIRS_NONE;
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  if (jets.testValue || jets.trialValue) return PLEX_PAIRS_NONE;
  if (tensor->symmetric)
    return asm_->owner->rowSums != PETSC_BOOL3_TRUE && PlexPairPointsGet_Private(el, &points) ? PLEX_PAIRS_POINTS
                                                                                              : PLEX_PAIRS_NUMBERS;
  return tensor->oneValue && el->Nc[0] <= PLEX_PAIR_COMPONENTS && el->Nn[0] <= PLEX_PAIR_GRADIENT_NODES
         ? PLEX_PAIRS_GRADIENTS
         : PLEX_PAIRS_NONE;
}

/* Of hexahedra by quadrature: matrices of functions that depend on nothing but the constants and the volume */
PetscErrorCode PlexPairsServe_Private(PlexAssembly asm_, PlexProduct *product, PlexPairsStored *stored)
{
  PlexLineTables tables;
  PetscBool      serves;

  PetscFunctionBegin;
  *stored = PLEX_PAIRS_NONE;
  if (product->kind == PLEX_RESIDUAL) PetscFunctionReturn(PETSC_SUCCESS);
  if (product->tensor) *stored = PlexPairsOfSimplices(asm_, product);
  if (product->tensor || !product->pointUnread) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, &tables, &serves));
  if (serves && PlexLinesHaveMatrix_Private(asm_, product, &tables)) *stored = PLEX_PAIRS_MATRIX;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* by PlexPairsStored */
static const char *const PlexPairsVariants[] = {NULL, "edges", "points", "gradients", "matrices"};

/* ---- The kernel ---- */

/* Lists of numbers that kernels are compiled with */
enum {
  KINDS,
  NUMBERS_OF,
  COEFFICIENTS,
  COEFFICIENT,
  LISTS
};

/* Appends a number to a list */
static PetscErrorCode PlexPairsAppend(PlexText *list, PetscReal number)
{
  char      text[32];
  const int n = snprintf(text, sizeof(text), "%s%.17g", strchr("={", list->text[list->length - 1]) ? "" : ",",
                         (double)number);

  PetscFunctionBegin;
  PetscCall(PlexTextAppend(list, text, (size_t)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k + 1 if C = coefficients[k], -k - 1 if C = -coefficients[k], 0 if C = 0; a new one is appended. Coefficients that
   differ by rounding are the same */
static PetscInt PlexPairsFindCoefficient(PetscReal C, PetscInt *n, PetscReal coefficients[])
{
  if (C == 0.) return 0;
  for (PetscInt k = 0; k < *n; ++k)
    if (PetscAbsReal(PetscAbsReal(C) - coefficients[k]) <= 1e-13 * coefficients[k]) return C < 0. ? -k - 1 : k + 1;
  coefficients[(*n)++] = PetscAbsReal(C);
  return C < 0. ? -*n : *n;
}

/* Appends of each kind: by dofs PlexKind of shared_nz_pairs.cu; by points plex_kinds[], plex_coefficient[] and
   plex_coefficients[] of shared_nz_points.cu; by gradients plex_factors[] and plex_coefficients[] of
   shared_nz_gradients.cu. And the vertices a and b of each number Gamma_ab */
static PetscErrorCode PlexPairsAppendKinds(const PlexPairKinds *p, PetscInt Nv, PlexText lists[])
{
  const PlexPairsTables *t = &p->t;
  PetscReal              all[PLEX_PAIR_POINT_KINDS * PLEX_PAIR_TABLE];
  PetscInt               begin = 0, different = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < t->kinds; ++k) {
    const PlexPairKind *kind = &p->kind[k];
    const PetscInt      n    = t->dofs[k][0] * t->dofs[k][1] * t->numbers;

    if (t->byPoints) {
      for (PetscInt m = 0; m < 2; ++m) PetscCall(PlexPairsAppend(&lists[KINDS], t->dofs[k][m]));
      PetscCall(PlexPairsAppend(&lists[KINDS], (PetscReal)begin));
      for (PetscInt m = 0; m < n; ++m)
        PetscCall(PlexPairsAppend(&lists[COEFFICIENT],
                                  (PetscReal)PlexPairsFindCoefficient(kind->table[m], &different, all)));
      begin += n;
    } else if (t->multiDof) {
      PetscCall(PlexPairsAppend(&lists[KINDS], kind->factor));
      for (PetscInt m = 0; m < Nv * Nv; ++m) PetscCall(PlexPairsAppend(&lists[COEFFICIENTS], kind->C[m]));
    } else {
      PetscCall(PlexTextAppend(&lists[KINDS], k ? ",{" : "{", k ? 2 : 1));
      PetscCall(PlexPairsAppend(&lists[KINDS], (PetscReal)begin));
      PetscCall(PlexPairsAppend(&lists[KINDS], kind->factor));
      PetscCall(PlexTextAppend(&lists[KINDS], ",{", 2));
      for (PetscInt m = 0; m < t->terms[k]; ++m) PetscCall(PlexPairsAppend(&lists[KINDS], kind->coefficient[m]));
      PetscCall(PlexTextAppend(&lists[KINDS], "}}", 2));
      begin += PlexPairPermutationWords(t, k);
    }
  }
  for (PetscInt k = 0; k < different; ++k) PetscCall(PlexPairsAppend(&lists[COEFFICIENTS], all[k]));
  for (PetscInt k = 0; k < 2 * t->numbers && (p->stored == PLEX_PAIRS_NUMBERS || t->byPoints); ++k)
    PetscCall(PlexPairsAppend(&lists[NUMBERS_OF], (PetscReal)p->of[k / 2][k % 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPairsCompile(PlexAssembly asm_, PlexProduct *product, const PlexPairKinds *p, size_t bytes,
                                       PetscInt resident, PetscInt distance)
{
  const PetscBool matrix = (PetscBool)(p->stored == PLEX_PAIRS_MATRIX);
  PetscInt        terms  = 1;

  for (PetscInt k = 0; k < p->t.kinds; ++k) terms = PetscMax(terms, p->t.terms[k]);
  const PlexSize sizes[] = {
    {"PLEX_NUMBERS",           p->t.numbers                               },
    {"PLEX_TERMS",             terms                                      },
    {"PLEX_KIND_COUNT",        p->t.kinds                                 },
    {"PLEX_PAIR_AUX",          p->auxiliary                               },
    {"PLEX_ELEMENT_BITS",      PLEX_PAIR_ELEMENT_BITS(asm_->elements->dim)},
    {"PLEX_PERMUTATION_BYTES", (PetscInt)bytes                            },
    {"PLEX_PREFETCH_DISTANCE", distance                                   },
    {"PLEX_ZERO_ROW_SUMS",     p->t.zeroRowSums                           },
    {"PLEX_RESIDENT",          resident                                   },
    {"PLEX_COORDINATE_FACTOR", matrix ? 1 : 2                             },
    {"PLEX_REFLECTED",         1                                          },
    {"PLEX_LINES_MATRIX",      matrix                                     }
  };
  const char *const sources[]    = {NULL, "shared_nz_pairs.cu", "shared_nz_points.cu", "shared_nz_gradients.cu",
                                    "shared_nz_pairs.cu"};
  const char *const names[]      = {"PLEX_KINDS=", "PLEX_NUMBERS_OF=", "PLEX_COEFFICIENTS=", "PLEX_COEFFICIENT="};
  PlexText          lists[LISTS] = {
    {NULL, 0, 0}
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(sizes)][64];
  const char *defines[LISTS + PETSC_STATIC_ARRAY_LENGTH(sizes)];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < LISTS; ++k) PetscCall(PlexTextAppend(&lists[k], names[k], strlen(names[k])));
  PetscCall(PlexPairsAppendKinds(p, asm_->elements->Nv, lists));
  for (PetscInt k = 0; k < LISTS; ++k) defines[k] = lists[k].text;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "%s=%" PetscInt_FMT, sizes[k].name, sizes[k].value));
    defines[LISTS + k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, sources[p->stored], PETSC_STATIC_ARRAY_LENGTH(defines), defines));
  for (PetscInt k = 0; k < LISTS; ++k) PetscCall(PetscFree(lists[k].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kinds and the blocks for pairs->stored; *serves false: it cannot be used, and nothing is allocated */
static PetscErrorCode PlexPairsMake(PlexAssembly asm_, PlexProduct *product, PlexPairs *pairs,
                                    const PlexPairsSizes *sizes, PlexPairKinds *kinds, PetscBool *serves)
{
  PlexBackendLimits limits;
  size_t            budget, permutations;

  PetscFunctionBegin;
  PetscCall(PlexPairKindsCreate_Private(asm_, product, pairs->stored, &pairs->tables, kinds, serves));
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  kinds->auxiliary = product->pointUnread ? 0 : asm_->elements->ea;
  if (pairs->stored == PLEX_PAIRS_GRADIENTS) kinds->t.numbers += (int)kinds->auxiliary;
  permutations = sizeof(unsigned) * (size_t)kinds->npermutations;
  budget       = PetscMin(limits.sharedPerBlock, asm_->owner->sharedMemory
                                                   ? (size_t)asm_->owner->sharedMemory
                                                   : limits.sharedPerProcessor / (size_t)sizes->resident - 1024);
  *serves      = (PetscBool)(*serves && budget > permutations + PLEX_PAIR_STATIC);
  if (*serves)
    PetscCall(PlexPairsFill_Private(asm_, product, kinds, budget - permutations - PLEX_PAIR_STATIC,
                                    PLEX_PAIR_BLOCKS * PetscMax(1, limits.multiprocessors), pairs, serves));
  if (!*serves) PetscCall(PetscFree(kinds->permutations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flops and bytes of a launch */
static void PlexPairsCountWork(PlexAssembly asm_, PlexProduct *product, const PlexPairs *pairs,
                               const PlexPairKinds *kinds)
{
  PlexElements el      = asm_->elements;
  const double points  = pairs->stored == PLEX_PAIRS_MATRIX ? (double)el->Nq : 1.0;
  const double element = pairs->stored == PLEX_PAIRS_MATRIX ? PLEX_PAIRS_MATRIX_FLOPS : 0.0;
  double       sums;

  sums           = pairs->stored == PLEX_PAIRS_GRADIENTS ? 3.0 * el->dim * el->dim * pairs->items
                 : pairs->stored == PLEX_PAIRS_POINTS    ? 2.0 * pairs->numbers * pairs->entries
                                                         : 2.0 * pairs->items;
  product->flops = PlexAssemblyCountFlops(asm_, product, points * pairs->elements, 0, 0) + element * pairs->elements +
                   sums;
  product->bytes = 256.0 * pairs->records +
                   (2.0 * el->Nv + 8.0 * kinds->auxiliary + (kinds->auxiliary ? 4.0 : 0.0)) * pairs->elements +
                   8.0 * el->dim * pairs->nodes + 8.0 * pairs->rows + 8.0 * product->Nt;
}

PetscErrorCode PlexPairsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexPairs *pairs)
{
  PlexElements      el = asm_->elements;
  PlexBackendLimits limits;
  PlexPairKinds     kinds;
  PlexPairsStored   stored;
  size_t            permutations;
  PetscInt          resident;
  PlexPairsSizes    sizes;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  PetscCall(PlexPairsServe_Private(asm_, product, &stored));
  sizes = PlexPairsGetSizes(stored, el->dim, (PetscBool)!product->pointUnread);
  /* if points cannot be used, as their dofs have no adjacent columns, say: by pairs of dofs */
  for (; stored != PLEX_PAIRS_NONE && !*serves;
       stored = stored == PLEX_PAIRS_POINTS ? PLEX_PAIRS_NUMBERS : PLEX_PAIRS_NONE) {
    if (!PlexVariantAllowed(asm_, product, PlexPairsVariants[stored])) continue;
    PetscCall(PetscMemzero(pairs, sizeof(*pairs)));
    pairs->stored = stored;
    if (stored == PLEX_PAIRS_MATRIX) PetscCall(PlexLinesServe_Private(asm_, product, &pairs->tables, serves));
    PetscCall(PlexPairsMake(asm_, product, pairs, &sizes, &kinds, serves));
  }
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  permutations       = sizeof(unsigned) * (size_t)kinds.npermutations;
  product->variant   = PlexPairsVariants[pairs->stored];
  product->turned    = (PetscBool)(pairs->stored != PLEX_PAIRS_MATRIX);
  product->lines     = pairs->stored == PLEX_PAIRS_MATRIX ? &pairs->tables : NULL;
  product->symmetric = PETSC_FALSE; /* of the kernel: there is no element data */
  product->nd        = el->ef * el->ef;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  product->block     = asm_->blockSize ? asm_->blockSize : sizes.block;
  pairs->shared += permutations;
  pairs->zeroRowSums = (PetscBool)kinds.t.zeroRowSums;
  pairs->kinds       = kinds.t.kinds;
  pairs->numbers     = kinds.t.numbers;
  resident = PetscMax(1, PetscMin(65536 / (sizes.registers * product->block),
                                  (PetscInt)(limits.sharedPerProcessor / (pairs->shared + PLEX_PAIR_STATIC + 1024))));
  PlexPairsCountWork(asm_, product, pairs, &kinds);
  PetscCall(PlexPairsCompile(asm_, product, &kinds, permutations, resident,
                             resident * PetscMax(1, limits.multiprocessors)));
  PetscCall(PlexModuleGetKernel(product->module, "plex_gather", &pairs->gather));
  PetscCall(PetscFree(kinds.permutations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are gathered again when the mesh has moved */
PetscErrorCode PlexPairsLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexPairs *pairs, PlexKernel kernel,
                                       const void *args)
{
  void *arguments[] = {(void *)args, &pairs->device};

  PetscFunctionBegin;
  if (!pairs->nblocks) PetscFunctionReturn(PETSC_SUCCESS);
  if (!pairs->gathered || pairs->coordinateState != asm_->coordinateState)
    PetscCall(PlexKernelLaunch(pairs->gather, pairs->nblocks, product->block, 0, arguments));
  pairs->gathered        = PETSC_TRUE;
  pairs->coordinateState = asm_->coordinateState;
  PetscCall(PlexKernelLaunch(kernel, pairs->nblocks, product->block, pairs->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsView_Private(const PlexPairs *pairs, PetscInt Ne, PetscViewer viewer)
{
  const double      n           = PetscMax(1., (double)pairs->nblocks);
  const char *const stored[]    = {"", "nodes", "points", "nodes by gradients", "nodes by element matrices"};
  char              text[2][64] = {"", ""};

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "pairs of %s%s: %" PetscInt_FMT " kinds; %" PetscInt_FMT " numbers of an element; blocks: %" PetscInt_FMT
    ", of %.4g rows and %.4g elements, %zu bytes of shared memory; an element is in %.3g blocks\n",
    stored[pairs->stored], pairs->zeroRowSums ? ", diagonals from sums of rows" : "", pairs->kinds, pairs->numbers,
    pairs->nblocks, pairs->rows / n, pairs->elements / n, pairs->shared, pairs->elements / PetscMax(1, Ne)));
  if (pairs->transactions[0] > 0)
    PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "; lanes read numbers in %.3g transactions",
                            pairs->transactions[0]));
  if (pairs->transactions[1] > 0)
    PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), ", coordinates in %.3g", pairs->transactions[1]));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "lists: %.3g bytes a pair, of %.3g elements on average%s%s; %.4g MB, made from %.4g MB\n",
    256. * pairs->records / PetscMax(1., pairs->pairs), pairs->items / PetscMax(1., pairs->pairs), text[0], text[1],
    1e-6 * pairs->planBytes, 1e-6 * pairs->setupBytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
