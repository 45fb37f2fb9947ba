/*
  shared_nz:partial: symmetric Jacobians of a scalar field of order 2 on hexahedra, by quadrature. Elements are cut into
  blocks, so that each is computed once, and blocks send each other partial sums of the rows that they share.

  They take 8 bytes a partial sum, some 130 of an element, of device memory: where there is not so much, where
  -plex_assembly_memory says less, or where -plex_assembly_shared_memory is given, the variant does not serve. Blocks
  are structured, of at most 64 elements, where the mesh is, unless -plex_assembly_partitioner says otherwise.
*/
#include "partial.h"
#include "../shared/variant.h"
#include "../../integrate/integrate.h"

#define PLEX_PARTIAL_BLOCK 288   /* threads of a half: three warps each for three pairs, */
#define PLEX_PARTIAL_LEAST 96    /* and for one */
#define PLEX_PARTIAL_PAIRS 3     /* pairs of ix < jx, and of ix = jx */
#define PLEX_PARTIAL_NODAL 16384 /* bytes of nodal data of a half, about */

/* ---- Where entries are: cuda/assembly/shared_nz_lines.cu */

/* Of pairs ix < jx (0) and ix = jx (1): numbers V of one, and its entries, those for which there is no room in the
   place of V; of all pairs of a kind */
typedef struct {
  PetscInt V, entries, behind;
} PlexPartialPair;

/* Returns the numbers V of an element */
static PetscInt PlexPartialPairs(PlexAssembly asm_, const PlexLineTables *t, PlexPartialPair pairs[2])
{
  PetscInt same, other;

  PlexLinesMatrixNumbers_Private(asm_, &same, &other);
  pairs[0] = (PlexPartialPair){t->Q * t->Q * other, 81, PetscMax(0, 81 - t->Q * t->Q * other)};
  pairs[1] = (PlexPartialPair){t->Q * t->Q * same, 45, PetscMax(0, 45 - t->Q * t->Q * same)};
  return PLEX_PARTIAL_PAIRS * (pairs[0].V + pairs[1].V);
}

/* Places of an element: numbers V, and the entries behind them */
static PetscInt PlexPartialPlaces(PlexAssembly asm_, const PlexLineTables *t)
{
  PlexPartialPair pairs[2];
  const PetscInt  V = PlexPartialPairs(asm_, t, pairs);

  return V + PLEX_PARTIAL_PAIRS * (pairs[0].behind + pairs[1].behind);
}

/* Of each entry its place, and by what the elements of a half are shifted and turned there: plex_put_entries() */
static void PlexPartialLayOut(PlexAssembly asm_, PetscInt halves, const PlexLineTables *t, PlexPartialLayout *layout)
{
  PlexPartialPair pairs[2];
  const PetscInt  V = PlexPartialPairs(asm_, t, pairs);

  layout->places   = PlexPartialPlaces(asm_, t);
  layout->elements = halves * PLEX_PARTIAL_LANES;
  layout->zero     = (unsigned short)(layout->elements * layout->places);
  for (PetscInt a = 0; a < 27; ++a) {
    for (PetscInt b = 0; b < 27; ++b) {
      const PetscInt         i[3] = {a / 9, a / 3 % 3, a % 3}, j[3] = {b / 9, b / 3 % 3, b % 3};
      PetscBool              same;
      PetscInt               k, at;
      const PetscInt         m = PlexLinesMatrixEntry_Private(i, j, &same, &k), ij = t->dof[a] * 27 + t->dof[b];
      const PlexPartialPair *p = &pairs[same];

      if (m < p->V) at = (same ? 0 : PLEX_PARTIAL_PAIRS * pairs[1].V) + k * p->V + m;
      else at = V + (same ? 0 : PLEX_PARTIAL_PAIRS * pairs[1].behind) + k * p->behind + m - p->V;
      layout->of[ij] = (PlexPartialPlace){(unsigned short)at, (unsigned char)(7 * k + (same ? 0 : 8)),
                                          (unsigned char)((4 * m + 2 * (m / 9) + 8 * (m / 27)) % 16)};
    }
  }
}

/* ---- The plan */

/* Bytes of shared memory of blocks of so many halves, but for nodal data */
static size_t PlexPartialShared(PlexAssembly asm_, PetscInt halves, PetscInt places)
{
  return PlexAssemblyRealSize(asm_) * (size_t)(halves * PLEX_PARTIAL_LANES * places + 2);
}

/* Whether it serves a Jacobian, as far as that is known without a plan */
static PetscErrorCode PlexPartialServe(PlexAssembly asm_, PlexProduct *product, PlexLineTables *tables,
                                       PetscBool *serves)
{
  PlexElements      el = asm_->elements;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (product->kind == PLEX_RESIDUAL || product->tensor || el->dim != 3 || asm_->owner->sharedMemory ||
      !PlexLinesIsSymmetric_Private(asm_, product))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, tables, serves));
  *serves = (PetscBool)(*serves && tables->N == 3);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  *serves = (PetscBool)(PlexPartialShared(asm_, 1, PlexPartialPlaces(asm_, tables)) + PLEX_PARTIAL_NODAL <=
                        limits.sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialCompile(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan)
{
  const PlexSize sizes[] = {
    {"PLEX_PARTIAL_HALVES", plan->halves                   },
    {"PLEX_PARTIAL_PLACES", plan->layout.places            },
    {"PLEX_RESIDENT",       plan->halves > 1 ? 1 : 2       }, /* blocks that share a multiprocessor */
    {"PLEX_LINES_SOLUTION", product->solutionUnread ? 0 : 1}, /* else the functions do not depend on it */
  };

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "shared_nz_lines.cu", PETSC_STATIC_ARRAY_LENGTH(sizes), sizes));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of so many halves; *fit: they have room. And what they sum; *serves false: there is too much of it */
static PetscErrorCode PlexPartialMakeBlocks(PlexAssembly asm_, PlexProduct *product, PetscInt halves, PlexPartial *plan,
                                            PetscBool *fit, PetscBool *serves)
{
  const double      asked      = (double)asm_->owner->memory;
  const PetscInt    most       = halves * PLEX_PARTIAL_LANES,
                    size       = PetscMin(most, asm_->partitionSize ? asm_->partitionSize : most);
  PlexLists         structured = {0, NULL, NULL};
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PlexPartialLayOut(asm_, halves, &plan->tables, &plan->layout);
  plan->halves   = halves;
  plan->shared   = PlexPartialShared(asm_, halves, plan->layout.places);
  product->block = halves * (asm_->blockSize ? PetscMax(PLEX_PARTIAL_LEAST, asm_->blockSize / (32 * halves) * 32)
                                             : PLEX_PARTIAL_BLOCK);
  *fit           = (PetscBool)(plan->shared <= limits.sharedPerBlock);
  if (!*fit) PetscFunctionReturn(PETSC_SUCCESS);
  if (asm_->owner->partitioner == PLEX_PARTITIONER_AUTO)
    PetscCall(PlexPartialStructured_Private(asm_->elements, &plan->tables, size, &structured));
  else PetscCall(PlexElementParts_Private(asm_, size));
  PetscCall(PlexPartialPlan_Private(asm_, product, plan, structured.start ? &structured : &asm_->parts.elements,
                                    asked > 0 ? asked : .5 * (double)limits.memoryFree, fit, serves));
  PetscCall(PlexListsDestroy(&structured));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialDestroy(PlexAssembly asm_, void *ctx)
{
  PetscFunctionBegin;
  (void)asm_;
  PetscCall(PetscFree(((PlexPartial *)ctx)->blocks.elementStart));
  PetscCall(PetscFree(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialCreate(PlexAssembly asm_, PlexProduct *product, void **ctx)
{
  const PlexProduct before = *product;
  const PetscInt    ef     = asm_->elements->ef;
  const double      Ne     = (double)asm_->elements->Ne;
  PetscInt     halves = asm_->partitionSize && asm_->partitionSize <= PLEX_PARTIAL_LANES ? 1 : PLEX_PARTIAL_HALVES_MOST;
  PlexPartial *plan;
  PetscBool    serves, fit = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  PetscCall(PlexPartialServe(asm_, product, &plan->tables, &serves));
  if (serves) {
    product->symmetric = PETSC_TRUE;
    product->team      = 1;
    product->rows      = 1;
    product->work      = 0;
    product->nd        = ef * (ef + 1) / 2;
    product->lines     = &plan->tables;
    for (serves = PETSC_FALSE; halves > 0 && !fit; --halves)
      PetscCall(PlexPartialMakeBlocks(asm_, product, halves, plan, &fit, &serves));
  }
  if (!serves) {
    PetscCall(PlexPartialDestroy(asm_, plan));
    *product = before;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->flops = PlexAssemblyCountFlops(asm_, product, Ne * PlexAssemblyPoints(asm_, product), 0., 0.) +
                   Ne * (PlexLinesMatrixFlops_Private(asm_, &plan->tables) + ef * ef);
  product->bytes = plan->blocks.bytes + plan->codes + 2. * sizeof(PetscScalar) * plan->sums +
                   8.0 * product->Nt * (plan->zero ? 2. : 1.);
  PetscCall(PlexPartialCompile(asm_, product, plan));
  *ctx = plan;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The variant */

static PetscErrorCode PlexPartialLaunch(PlexAssembly asm_, PlexProduct *product, void *ctx, const void *args)
{
  PlexPartial *plan       = (PlexPartial *)ctx;
  unsigned     launches   = plan->launches + 1; /* may begin at zero again: differences count */
  void        *assemble[] = {(void *)args, &plan->blocks.device, &plan->device, &plan->partial, &launches};

  PetscFunctionBegin;
  if (plan->zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args)); /* entries that no element writes */
  if (!plan->blocks.nblocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexKernelLaunch(plan->kernel, plan->blocks.nblocks, product->block, plan->shared, assemble));
  plan->launches = launches;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialView(PlexAssembly asm_, const void *ctx, PetscViewer viewer)
{
  const PlexPartial *plan = (const PlexPartial *)ctx;
  const double       n    = (double)PetscMax(1, asm_->elements->Ne);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "partial sums of parts of at most %" PetscInt_FMT
                                   " elements, half element matrices summed along lines: blocks: %" PetscInt_FMT
                                   ", %zu bytes of shared memory\n",
                                   plan->halves * PLEX_PARTIAL_LANES, plan->blocks.nblocks, plan->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "of an element: %.4g targets; %.4g partial sums sent; %.4g sums of several partial "
                                   "sums or many numbers; %.4g bytes of codes\n",
                                   plan->written / n, plan->sums / n, plan->rest / n, plan->codes / n));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory of partial sums: %.4g MB; lists were made in %.4g MB\n",
                                   1e-6 * sizeof(PetscScalar) * plan->room, 1e-6 * plan->made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialEstimate(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PlexLineTables tables;
  PetscBool      serves;

  PetscFunctionBegin;
  PetscCall(PlexPartialServe(asm_, product, &tables, &serves));
  if (serves) e->flopsMatrix = PlexLinesMatrixFlops_Private(asm_, &tables);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PlexSharedVariant PlexPartialVariant = {
  .variant  = {"partial", PLEX_OF_JACOBIANS, PETSC_TRUE,
               "symmetric Jacobians of a scalar field of order 2 on hexahedra"},
  .create   = PlexPartialCreate,
  .launch   = PlexPartialLaunch,
  .destroy  = PlexPartialDestroy,
  .view     = PlexPartialView,
  .estimate = PlexPartialEstimate
};

PETSC_EXTERN PetscErrorCode PlexAssemblyRegister_SharedNZPartial(void);
PetscErrorCode              PlexAssemblyRegister_SharedNZPartial(void)
{
  PetscFunctionBegin;
  PetscCall(PlexSharedVariantRegister_Private(&PlexPartialVariant));
  PetscFunctionReturn(PETSC_SUCCESS);
}
