/* shared_nz by partial sums: whether it serves, where entries are in shared memory, kernels, launch */
#include "partial.h"
#include "../../integrate/integrate.h"

#define PLEX_PARTIAL_BLOCK 288   /* threads of a half: three warps each for three pairs, */
#define PLEX_PARTIAL_LEAST 96    /* and for one */
#define PLEX_PARTIAL_PAIRS 3     /* pairs of ix < jx, and of ix = jx */
#define PLEX_PARTIAL_NODAL 16384 /* bytes of nodal data of a half, about */

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

/* place[27][27] of each entry, and by what the elements of a half are shifted and turned there: plex_put_entries() */
static void PlexPartialPlaces(const PlexLineTables *t, const PlexPartialPair pairs[2], unsigned short place[],
                              unsigned char shift[], unsigned char turn[])
{
  PetscInt V, places;

  PlexPartialCount(pairs, &V, &places);
  for (PetscInt a = 0; a < 27; ++a) {
    for (PetscInt b = 0; b < 27; ++b) {
      const PetscInt         i[3] = {a / 9, a / 3 % 3, a % 3}, j[3] = {b / 9, b / 3 % 3, b % 3};
      PetscBool              same;
      PetscInt               k, at;
      const PetscInt         m = PlexLinesMatrixEntry_Private(i, j, &same, &k);
      const PlexPartialPair *p = &pairs[same];

      if (m < p->V) at = (same ? 0 : PLEX_PARTIAL_PAIRS * pairs[1].V) + k * p->V + m;
      else
        at = V + (same ? 0 : PLEX_PARTIAL_PAIRS * PlexPartialBehind(&pairs[1])) + k * PlexPartialBehind(p) + m - p->V;
      place[t->dof[a] * 27 + t->dof[b]] = (unsigned short)at;
      shift[t->dof[a] * 27 + t->dof[b]] = (unsigned char)(7 * k + (same ? 0 : 8));
      turn[t->dof[a] * 27 + t->dof[b]]  = (unsigned char)((4 * m + 2 * (m / 9) + 8 * (m / 27)) % 16);
    }
  }
}

/* ---- The plan */

/* Bytes of shared memory of parts of so many halves, but for nodal data */
static size_t PlexPartialShared(PlexAssembly asm_, PetscInt halves, PetscInt places)
{
  return PlexAssemblyRealSize(asm_) * (size_t)(halves * PLEX_PARTIAL_LANES * places + 2);
}

PetscErrorCode PlexPartialServe_Private(PlexAssembly asm_, PlexProduct *product, PlexLineTables *tables,
                                        PetscBool *serves)
{
  PlexElements      el = asm_->elements;
  PlexPartialPair   pairs[2];
  PlexBackendLimits limits;
  PetscInt          V, places;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (product->kind == PLEX_RESIDUAL || product->tensor || el->dim != 3 || asm_->owner->sharedMemory ||
      !PlexLinesIsSymmetric_Private(asm_, product))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, tables, serves));
  *serves = (PetscBool)(*serves && tables->N == 3);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PlexPartialPairs(asm_, tables, pairs);
  PlexPartialCount(pairs, &V, &places);
  *serves = (PetscBool)(PlexPartialShared(asm_, 1, places) + PLEX_PARTIAL_NODAL <= limits.sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialCompile(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan)
{
  PetscFunctionBegin;
  const struct {
    const char *name;
    PetscInt    value;
  } sizes[] = {
    {"PARTIAL_HALVES", plan->halves                   },
    {"PARTIAL_PLACES", plan->places                   },
    {"RESIDENT",       plan->halves > 1 ? 1 : 2       }, /* blocks that share a multiprocessor */
    {"LINES_SOLUTION", product->solutionUnread ? 0 : 1}, /* else the functions do not depend on it */
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(sizes)][64];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(sizes)];

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "PLEX_%s=%" PetscInt_FMT, sizes[k].name, sizes[k].value));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "shared_nz_lines.cu", PETSC_STATIC_ARRAY_LENGTH(sizes), defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of parts of so many halves; *serves false: they have no room */
static PetscErrorCode PlexPartialMakeBlocks(PlexAssembly asm_, PlexProduct *product, PetscInt halves, PlexPartial *plan,
                                            PetscBool *serves)
{
  const PetscInt    most = halves * PLEX_PARTIAL_LANES,
                    size = PetscMin(most, asm_->partitionSize ? asm_->partitionSize : most);
  const PlexLists  *parts;
  PlexLists         bricks = {0, NULL, NULL};
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  plan->halves   = halves;
  plan->shared   = PlexPartialShared(asm_, halves, plan->places);
  product->block = halves * (asm_->blockSize ? PetscMax(PLEX_PARTIAL_LEAST, asm_->blockSize / (32 * halves) * 32)
                                             : PLEX_PARTIAL_BLOCK);
  *serves        = (PetscBool)(plan->shared <= limits.sharedPerBlock);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  if (asm_->owner->partitioner == PLEX_PARTITIONER_AUTO) {
    PetscCall(PlexPartialBricks_Private(asm_->elements, &plan->tables, size, &bricks));
    parts = &bricks;
  } else {
    PetscCall(PlexElementParts_Private(asm_, size));
    parts = &asm_->parts.elements;
  }
  PetscCall(PlexBlocksCreate_Private(asm_, product, parts, &plan->blocks));
  PetscCall(PlexListsDestroy(&bricks));
  plan->shared += plan->blocks.sharedBytes;
  /* and the number of the part */
  *serves = (PetscBool)(plan->shared + sizeof(PlexPartialPart) + sizeof(int) <= limits.sharedPerBlock);
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
  for (PetscInt halves = asm_->partitionSize && asm_->partitionSize <= PLEX_PARTIAL_LANES ? 1
                                                                                          : PLEX_PARTIAL_HALVES_MOST;
       halves > 0 && !*serves; --halves)
    PetscCall(PlexPartialMakeBlocks(asm_, product, halves, plan, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  layout.elements = plan->halves * PLEX_PARTIAL_LANES;
  layout.places   = plan->places;
  layout.zero     = (unsigned short)(layout.elements * plan->places);
  PetscCall(PlexPartialFill_Private(&layout, plan, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (sizeof(PetscScalar) * plan->room >
      (asm_->owner->memory > 0 ? (double)asm_->owner->memory : .5 * (double)limits.memoryFree))
    *serves = PETSC_FALSE;
  else
    PetscCall(PlexBackendMalloc(asm_->backend, sizeof(PetscScalar) * (size_t)PetscMax(1., plan->room), &plan->partial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexPartial *plan)
{
  const PlexProduct before = *product;
  PlexElements      el     = asm_->elements;
  const double      Ne     = (double)el->Ne;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  PetscCall(PlexPartialServe_Private(asm_, product, &plan->tables, serves));
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
  product->flops = PlexAssemblyCountFlops(asm_, product, Ne * PlexAssemblyPoints(asm_, product), 0., 0.) +
                   Ne * (PlexLinesMatrixFlops_Private(asm_, &plan->tables) + el->ef * el->ef);
  product->bytes = plan->blocks.bytes + plan->codes + 2. * sizeof(PetscScalar) * plan->sums +
                   8.0 * product->Nt * (plan->zero ? 2. : 1.);
  PetscCall(PlexPartialCompile(asm_, product, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan, PlexKernel kernel,
                                         const void *args)
{
  unsigned launches   = plan->launches + 1; /* may begin at zero again: differences count */
  void    *assemble[] = {(void *)args, &plan->blocks.device, &plan->device, &plan->partial, &launches};

  PetscFunctionBegin;
  if (plan->zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args)); /* targets that no element writes */
  if (!plan->blocks.nblocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexKernelLaunch(kernel, plan->blocks.nblocks, product->block, plan->shared, assemble));
  plan->launches = launches;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialDestroy_Private(PlexAssembly asm_, PlexPartial *plan)
{
  PlexPartialArgs *d       = &plan->device;
  void           **lists[] = {(void **)&d->parts, (void **)&d->codes,  (void **)&d->heads,
                              (void **)&d->sent,  (void **)&d->ticket, &plan->partial};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) PetscCall(PlexBackendFree(asm_->backend, lists[k]));
  PetscCall(PlexBlocksDestroy_Private(asm_, &plan->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialView_Private(const PlexPartial *plan, PetscInt Ne, PetscViewer viewer)
{
  const double n = (double)PetscMax(1, Ne);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "partial sums of parts of at most %" PetscInt_FMT
                                   " elements, half element matrices summed along lines: blocks: %" PetscInt_FMT
                                   ", %zu bytes of shared memory\n",
                                   plan->halves * PLEX_PARTIAL_LANES, plan->blocks.nblocks, plan->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "of an element: %.4g targets of rows that its part has alone, %.4g of others, %.4g "
                                   "of them of several partial sums or many numbers; %.4g partial sums sent; %.4g "
                                   "bytes of codes, shared memory read %.3g times as often as without conflicts\n",
                                   plan->alone / n, plan->owned / n, plan->mixed / n, plan->sums / n, plan->codes / n,
                                   plan->conflicts));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory of partial sums: %.4g MB\n",
                                   1e-6 * sizeof(PetscScalar) * plan->room));
  PetscFunctionReturn(PETSC_SUCCESS);
}
