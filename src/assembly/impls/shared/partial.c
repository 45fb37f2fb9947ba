/* shared_nz by partial sums: whether it serves, where entries are in shared memory, kernels, launch */
#include "partial.h"
#include "../local/lines.h"
#include "../../interface/assemblyimpl.h"

#define PLEX_PARTIAL_HALVES   2   /* of a part, where they have room; a block then has a multiprocessor alone, and else two share it */
#define PLEX_PARTIAL_BLOCK    288 /* threads of a half: three warps each for three pairs, */
#define PLEX_PARTIAL_LEAST    96  /* and for one */
#define PLEX_PARTIAL_REDUCE   256 /* threads of a block of the second kernel, */
#define PLEX_PARTIAL_RESIDENT 5   /* such blocks of a multiprocessor, */
#define PLEX_PARTIAL_UNITS    64  /* and units of one */
#define PLEX_PARTIAL_PAIRS    3   /* pairs of ix < jx, and of ix = jx */

/* ---- Where entries are: cuda/assembly/shared_nz_lines.cu */

/* Of pairs ix < jx (0) and ix = jx (1): numbers V of one, and its entries */
typedef struct {
  PetscInt V, entries;
} PlexPartialPair;

static PetscInt PlexPartialBehind(const PlexPartialPair *p)
{
  return PetscMax(0, p->entries - p->V);
}

static void PlexPartialPairs(PlexAssembly asm_, const PlexLineTables *t, PlexPartialPair pairs[2])
{
  PetscInt same, other;

  PlexLinesMatrixNumbers_Private(asm_, &same, &other);
  pairs[0] = (PlexPartialPair){t->Q * t->Q * other, 81};
  pairs[1] = (PlexPartialPair){t->Q * t->Q * same, 45};
}

/* All numbers V of an element, and places of it with those of entries behind them */
static void PlexPartialCount(const PlexPartialPair pairs[2], PetscInt *V, PetscInt *places)
{
  *V      = PLEX_PARTIAL_PAIRS * (pairs[0].V + pairs[1].V);
  *places = *V + PLEX_PARTIAL_PAIRS * (PlexPartialBehind(&pairs[0]) + PlexPartialBehind(&pairs[1]));
}

/* Number of the pair i <= j of three */
static PetscInt PlexPartialHalf(PetscInt i, PetscInt j)
{
  return 3 * i - i * (i - 1) / 2 + j - i;
}

/* Which entry of its pair (i, j) is, i[3] and j[3] numbers of the nodes along the lines, and which pair */
static PetscInt PlexPartialEntry(const PetscInt i[3], const PetscInt j[3], PetscBool *same, PetscInt *k)
{
  const PetscInt first[] = {0, 6, 15, 24, 30, 39}; /* of the pairs (iy, jy), iy <= jy, where ix = jx: of equals those with iz <= jz are entries alone */

  if (i[0] > j[0] || (i[0] == j[0] && (i[1] > j[1] || (i[1] == j[1] && i[2] > j[2])))) return PlexPartialEntry(j, i, same, k);
  *same = (PetscBool)(i[0] == j[0]);
  *k    = *same ? i[0] : i[0] + j[0] - 1; /* (0, 1), (0, 2), (1, 2) */
  if (!*same) return 9 * (3 * i[1] + j[1]) + 3 * i[2] + j[2];
  return first[PlexPartialHalf(i[1], j[1])] + (i[1] == j[1] ? PlexPartialHalf(i[2], j[2]) : 3 * i[2] + j[2]);
}

/* place[27][27] of each entry, and by what the elements of a half are shifted and turned there: plex_put_entries() */
static void PlexPartialPlaces(const PlexLineTables *t, const PlexPartialPair pairs[2], unsigned short place[], unsigned char shift[], unsigned char turn[])
{
  PetscInt V, places;

  PlexPartialCount(pairs, &V, &places);
  for (PetscInt a = 0; a < 27; ++a) {
    for (PetscInt b = 0; b < 27; ++b) {
      const PetscInt         i[3] = {a / 9, a / 3 % 3, a % 3}, j[3] = {b / 9, b / 3 % 3, b % 3};
      PetscBool              same;
      PetscInt               k, at;
      const PetscInt         m = PlexPartialEntry(i, j, &same, &k);
      const PlexPartialPair *p = &pairs[same];

      if (m < p->V) at = (same ? 0 : PLEX_PARTIAL_PAIRS * pairs[1].V) + k * p->V + m;
      else at = V + (same ? 0 : PLEX_PARTIAL_PAIRS * PlexPartialBehind(&pairs[1])) + k * PlexPartialBehind(p) + m - p->V;
      place[t->dof[a] * 27 + t->dof[b]] = (unsigned short)at;
      shift[t->dof[a] * 27 + t->dof[b]] = (unsigned char)(7 * k + (same ? 0 : 8));
      turn[t->dof[a] * 27 + t->dof[b]]  = (unsigned char)((4 * m + 2 * (m / 9) + 8 * (m / 27)) % 16);
    }
  }
}

/* ---- The plan */

static PetscErrorCode PlexPartialChoose(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan, PetscBool *serves)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (product->kind == PLEX_RESIDUAL || product->tensor || el->dim != 3 || !PlexLinesIsSymmetric_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, &plan->tables, serves));
  *serves = (PetscBool)(*serves && plan->tables.N == 3 && !asm_->sharedMemory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialCompile(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan)
{
  PetscFunctionBegin;
  const struct {
    const char *name;
    PetscInt    value;
  } sizes[] = {
    {"PARTIAL_HALVES",  plan->halves            },
    {"PARTIAL_PLACES",  plan->places            },
    {"REDUCE_BLOCK",    PLEX_PARTIAL_REDUCE     },
    {"REDUCE_UNITS",    PLEX_PARTIAL_UNITS      },
    {"REDUCE_RESIDENT", PLEX_PARTIAL_RESIDENT   },
    {"RESIDENT",        plan->halves > 1 ? 1 : 2}, /* blocks that share a multiprocessor */
    {"LINES_SOLUTION",  product->nzero ? 0 : 1  }, /* else the functions do not depend on it */
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(sizes)][64];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(sizes)];

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "PLEX_%s=%" PetscInt_FMT, sizes[k].name, sizes[k].value));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "shared_nz_lines.cu", PETSC_STATIC_ARRAY_LENGTH(sizes), defines));
  PetscCall(PlexModuleGetKernel(product->module, "plex_reduce", &plan->reduce));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of parts of so many halves; *serves false: they have no room */
static PetscErrorCode PlexPartialMakeBlocks(PlexAssembly asm_, PlexProduct *product, PetscInt halves, PlexPartial *plan, PetscBool *serves)
{
  const PetscInt    most = halves * PLEX_PARTIAL_LANES;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  plan->halves   = halves;
  plan->shared   = PlexAssemblyRealSize(asm_) * (size_t)(most * plan->places + 2);
  product->block = halves * (asm_->blockSize ? PetscMax(PLEX_PARTIAL_LEAST, asm_->blockSize / (32 * halves) * 32) : PLEX_PARTIAL_BLOCK);
  *serves        = (PetscBool)(plan->shared <= limits.sharedPerBlock);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementParts_Private(asm_, PetscMin(most, asm_->partitionSize ? asm_->partitionSize : most)));
  PetscCall(PlexBlocksCreate_Private(asm_, product, &asm_->parts.elements, &plan->blocks));
  plan->shared += plan->blocks.sharedBytes;
  *serves = (PetscBool)(plan->shared <= limits.sharedPerBlock);
  if (!*serves) PetscCall(PlexBlocksDestroy_Private(asm_, &plan->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks, and what they sum; *serves false: they, or the partial sums, have no room */
static PetscErrorCode PlexPartialMake(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan, PetscBool *serves)
{
  unsigned short    place[27 * 27];
  unsigned char     shift[27 * 27], turn[27 * 27];
  PlexPartialPair   pairs[2];
  PlexPartialLayout layout = {.asm_ = asm_, .blocks = &plan->blocks, .place = place, .shift = shift, .turn = turn};
  PlexBackendLimits limits;
  PetscInt          V;

  PetscFunctionBegin;
  PlexPartialPairs(asm_, &plan->tables, pairs);
  PlexPartialCount(pairs, &V, &plan->places);
  PlexPartialPlaces(&plan->tables, pairs, place, shift, turn);
  *serves = PETSC_FALSE;
  for (PetscInt halves = asm_->partitionSize && asm_->partitionSize <= PLEX_PARTIAL_LANES ? 1 : PLEX_PARTIAL_HALVES; halves > 0 && !*serves; --halves) PetscCall(PlexPartialMakeBlocks(asm_, product, halves, plan, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  layout.elements = plan->halves * PLEX_PARTIAL_LANES;
  layout.places   = plan->places;
  layout.zero     = (unsigned short)(layout.elements * plan->places);
  PetscCall(PlexPartialFill_Private(&layout, plan, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (sizeof(PetscScalar) * plan->sums > (asm_->memory > 0 ? (double)asm_->memory : .5 * (double)limits.memoryFree)) *serves = PETSC_FALSE;
  else PetscCall(PlexBackendMalloc(asm_->backend, sizeof(PetscScalar) * (size_t)PetscMax(1., plan->sums), &plan->partial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexPartial *plan)
{
  const PlexProduct before = *product;
  PlexElements      el     = asm_->elements;
  double            Ne     = (double)el->Ne, Q, KT;
  PlexPartialPair   pairs[2];
  PlexJets          jets;
  PetscInt          V, places;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  PetscCall(PlexPartialChoose(asm_, product, plan, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  product->symmetric = PETSC_TRUE;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  product->nd        = el->ef * (el->ef + 1) / 2;
  product->lines     = &plan->tables;
  PetscCall(PlexPartialMake(asm_, product, plan, serves));
  if (!*serves) {
    PetscCall(PlexPartialDestroy_Private(asm_, plan));
    *product = before;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexPartialPairs(asm_, &plan->tables, pairs);
  PlexPartialCount(pairs, &V, &places);
  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  Q  = (double)plan->tables.Q;
  KT = (double)(jets.testValue + 3 * jets.testGrad);
  product->flops = PlexAssemblyCountFlops(asm_, product, Ne * PlexAssemblyPoints(asm_, product), 0., 0.) + Ne * (2. * (V * Q + 45. * KT * KT * Q * Q + 4. * product->nd * Q) + el->ef * el->ef); /* V; of 45 pairs their sums over y; of entries 4 products a point; sums */
  product->bytes   = plan->blocks.bytes + plan->codes + 2. * sizeof(PetscScalar) * plan->sums + plan->heads + plan->shapes + 8.0 * product->Nt * (plan->zero ? 2. : 1.);
  plan->reduceGrid = (plan->nunits + PLEX_PARTIAL_UNITS - 1) / PLEX_PARTIAL_UNITS;
  PetscCall(PlexPartialCompile(asm_, product, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan, PlexKernel kernel, const void *args)
{
  int   nunits     = (int)plan->nunits;
  void *assemble[] = {(void *)args, &plan->blocks.device, &plan->device, &plan->partial}, *reduce[] = {(void *)args, &plan->partial, &plan->device, &nunits};

  PetscFunctionBegin;
  if (plan->zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args)); /* targets that no element writes */
  if (!plan->blocks.nblocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexKernelLaunch(kernel, plan->blocks.nblocks, product->block, plan->shared, assemble));
  if (!nunits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_Reduce, asm_, 0, 0, 0));
  PetscCall(PlexKernelLaunch(plan->reduce, plan->reduceGrid, PLEX_PARTIAL_REDUCE, 0, reduce));
  PetscCall(PetscLogEventEnd(PLEX_Reduce, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialDestroy_Private(PlexAssembly asm_, PlexPartial *plan)
{
  PlexPartialArgs *d       = &plan->device;
  void           **lists[] = {(void **)&d->parts, (void **)&d->codes, (void **)&d->heads, (void **)&d->chunks, (void **)&d->shapes, (void **)&d->bases, &plan->partial};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) PetscCall(PlexBackendFree(asm_->backend, lists[k]));
  PetscCall(PlexBlocksDestroy_Private(asm_, &plan->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialView_Private(const PlexPartial *plan, PetscInt Ne, PetscViewer viewer)
{
  const double n = (double)PetscMax(1, Ne);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "partial sums of parts of at most %" PetscInt_FMT " elements, half element matrices summed along lines: blocks: %" PetscInt_FMT ", %zu bytes of shared memory\n", plan->halves * PLEX_PARTIAL_LANES,
                                   plan->blocks.nblocks, plan->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer, "of an element: %.4g targets that its part sums alone, %.4g partial sums; %.4g bytes of codes, shared memory read %.3g times as often as without conflicts\n", plan->complete / n, plan->sums / n, plan->codes / n,
                                   plan->conflicts));
  PetscCall(PetscViewerASCIIPrintf(viewer, "rows of several parts: %" PetscInt_FMT ", %.4g MB of shapes; partial sums %.4g MB\n", plan->nrows, 1e-6 * plan->shapes, 1e-6 * sizeof(PetscScalar) * plan->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}
