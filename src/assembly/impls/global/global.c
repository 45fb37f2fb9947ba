/*
  global_nz and global_row: one kernel writes the element data of a pass of elements to global memory, a second one sums
  it into the matrix or residual (Cecka 4.2, [A F] = S G). They differ in what a thread of the second kernel owns: a
  non-zero, by packed reduction lists, or a row. Passes keep G within the memory that is given.
*/
#include "../../integrate/integrate.h" /*I "plexgpuassembly.h" I*/
#include "../../../dm/elementsimpl.h"  /* PlexPatternLongest() */
#include "global.h"

#define PLEX_GLOBAL_BUDGET  (32 << 10) /* bytes of nodal data a block may prefetch */
#define PLEX_GLOBAL_RUN     512        /* rows that are sorted by the number of elements around them */
#define PLEX_GLOBAL_VECTORS 64         /* elements a block where a thread computes an element vector, or a warp 16 */
#define PLEX_GLOBAL_TARGETS 1024       /* reduction lists a block: enough to balance its threads */

/* Runs of blocks whose element data fits in the memory given, one after another in G */
static PetscErrorCode PlexGlobalMakePasses(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  PlexBackendLimits limits;
  const PlexBlocks *blocks = &plan->blocks;
  const PetscInt   *start  = asm_->parts.elements.start;
  const size_t      one = PlexAssemblyRealSize(asm_) * product->nd, ef = (size_t)asm_->elements->ef;
  size_t            memory, most;
  PetscInt          first = 0;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  memory = asm_->owner->memory > 0 ? (size_t)asm_->owner->memory : limits.memoryFree / 2;
  most   = PetscMin(memory / one, (size_t)(PETSC_INT32_MAX - 64) / (ef * ef));
  PetscCall(PetscCalloc1(blocks->nblocks, &plan->passes));
  for (PetscInt b = 0; b < blocks->nblocks; ++b) {
    const PetscInt  n    = (start[b + 1] - start[b] + blocks->interleave - 1) / blocks->interleave * blocks->interleave;
    PlexGlobalPass *pass = b ? &plan->passes[plan->npasses - 1] : NULL;

    if (!pass || (size_t)(pass->positions + n) > most) {
      pass  = &plan->passes[plan->npasses++];
      *pass = (PlexGlobalPass){.firstBlock = b, .first = first};
    }
    ++pass->nblocks;
    pass->positions += n;
    first += n;
    plan->positions = PetscMax(plan->positions, (size_t)pass->positions);
  }
  PetscCheck(plan->positions * ef * ef < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A block of elements has more than 2^31 entries of element data: use a smaller "
             "-plex_assembly_partition_size");
  PetscCall(PlexMemoryAllocate(asm_->backend, &product->memory, plan->positions * one, &plan->G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of element matrices from the second way to compute them, where it serves */
static PetscErrorCode PlexGlobalChooseModal(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  const PetscInt  ef        = asm_->elements->ef;
  const PetscBool monomials = PlexVariantAllowed(asm_, product, "monomials");
  PetscBool       serves, moments = PlexVariantAllowed(asm_, product, "moments");
  PlexProduct     alone;

  PetscFunctionBegin;
  if (!monomials && !moments) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexRunsServe_Private(asm_, product, &serves));
  if (serves && moments) PetscCall(PlexMomentsServe_Private(asm_, product, &moments));
  if (!serves || (!moments && !monomials)) PetscFunctionReturn(PETSC_SUCCESS);
  alone           = *product;
  alone.team      = 1;
  alone.rows      = 1;
  alone.work      = 0;
  alone.block     = asm_->blockSize ? asm_->blockSize : 128;
  alone.symmetric = PETSC_FALSE; /* an element matrix is computed whole */
  alone.nd        = ef * ef;
  alone.moments   = moments;
  alone.variant   = moments ? "moments" : "monomials";
  plan->modal     = (PetscBool)(PlexAssemblyRowSums(asm_, &alone, ef, PlexPatternLongest(asm_->pattern)) > 0);
  if (plan->modal) *product = alone;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block, most */
static PetscInt PlexGlobalElements(PlexAssembly asm_, PlexProduct *product, const PlexGlobalPlan *plan)
{
  if (plan->modal) return PetscMin(PLEX_RUN, asm_->partitionSize ? asm_->partitionSize : PLEX_RUN);
  if (product->integrator && product->integrator->elements && !asm_->partitionSize) return PLEX_GLOBAL_VECTORS;
  return PlexBlocksElements_Private(asm_, product, PLEX_GLOBAL_BUDGET);
}

/* What is summed in each pass */
static PetscErrorCode PlexGlobalSetUpPasses(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan,
                                            PlexRowsPlanner *w)
{
  const PetscBool row = PlexAssemblyFlag(asm_), matrix = (PetscBool)(product->kind == PLEX_JACOBIAN);
  const PetscInt  all   = matrix ? asm_->pattern->m : product->Nt;
  const double    data  = (double)PlexAssemblyRealSize(asm_) * (double)(asm_->elements->Ne * product->nd);
  PetscInt        fresh = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < plan->npasses; ++k) {
    PlexGlobalPass *pass = &plan->passes[k];

    PetscCall(PlexRowsPlannerPass_Private(w, pass->first, pass->positions, plan->modal ? PLEX_GLOBAL_RUN : 0,
                                          row ? &pass->fresh : NULL));
    PetscCall(PlexRowsPlannerFill_Private(w));
    if (!row) {
      PetscCall(PlexRowsPlannerPack_Private(w, PLEX_GLOBAL_TARGETS));
      PetscCall(PlexRowsPlannerEndPacked_Private(w, &pass->packed));
      pass->grid = (product->Nt + PLEX_GLOBAL_TARGETS - 1) / PLEX_GLOBAL_TARGETS;
      product->bytes += pass->packed.bytes + (double)PlexAssemblyRealSize(asm_) * pass->packed.terms +
                        8.0 * (double)product->Nt * (k ? 2 : 1);
      continue;
    }
    if (plan->modal) {
      PetscCall(PlexRunsPass_Private(w, &plan->runs, pass->fresh, &pass->runs));
      pass->grid = pass->runs.grid;
      plan->sums = PetscMax(plan->sums, sizeof(PetscScalar) * (size_t)(pass->runs.rows.sums * (product->block / 32)));
    } else {
      PetscCall(PlexRowsPlannerKeep_Private(w));
      PetscCall(PlexRowsPlannerEndRows_Private(w, &pass->rows));
      pass->grid = (pass->rows.nrows + product->block / plan->group - 1) / (product->block / plan->group);
    }
    fresh += pass->fresh;
    product->bytes += pass->runs.bytes + pass->rows.bytes + data / (double)plan->npasses +
                      8.0 * (double)product->Nt * (double)(2 * w->p.cut.rows - pass->fresh) / (double)PetscMax(1, all);
  }
  plan->whole = (PetscBool)(matrix && fresh == all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexGlobalCompile(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  PetscFunctionBegin;
  if (plan->modal) PetscCall(PlexRunsCompile_Private(asm_, product, &plan->runs));
  else if (PlexAssemblyFlag(asm_)) {
    plan->sums = PlexAssemblyRowSums(asm_, product, plan->group, plan->longest);
    PetscCall(PlexAssemblyCompileSizes(asm_, product, "global_row.cu", 3,
                                       (PlexSize[]){
                                         {"PLEX_GROUP",      plan->group      },
                                         {"PLEX_ROW_SHARED", plan->sums > 0   },
                                         {"PLEX_LONGEST",    plan->longest | 1}
    }));
  } else {
    plan->sums = sizeof(PetscScalar) * PLEX_GLOBAL_TARGETS;
    PetscCall(PlexAssemblyCompileSizes(asm_, product, "global_nz.cu", 1,
                                       &(PlexSize){"PLEX_TARGETS", PLEX_GLOBAL_TARGETS}));
  }
  PetscCall(PlexModuleGetKernel(product->module, "plex_integrate", &plan->integrate));
  PetscCall(PlexModuleGetKernel(product->module, "plex_reduce", &plan->reduce));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Global(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements      elements = asm_->elements;
  const PetscInt    ef       = elements->ef;
  PlexGlobalPlan   *plan;
  PlexBackendLimits limits;
  PlexRowsPlanner   w;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  product->variant = "plain";
  PetscCall(PlexIntegratorChoose(asm_, product));
  if (PlexAssemblyFlag(asm_) && !product->integrator) PetscCall(PlexGlobalChooseModal(asm_, product, plan));
  PetscCall(PlexElementParts_Private(asm_, PlexGlobalElements(asm_, product, plan)));
  PetscCall(PlexRowsPlannerCreate_Private(asm_, product, PETSC_FALSE, &w));
  PetscCall(PlexRowsPlannerCutElements_Private(&w, &asm_->parts.elements, &plan->blocks));
  if (plan->modal) {
    PetscCall(PlexRunsCreate_Private(&w, &plan->blocks, &plan->runs));
    while (product->block > 32 && plan->runs.shared * (size_t)(product->block / 32) > limits.sharedPerBlock)
      product->block = product->block / 64 * 32;
  } else PetscCall(PlexRowsPlannerEndBlocks_Private(&w, &plan->blocks));
  PetscCall(PlexGlobalMakePasses(asm_, product, plan));
  plan->shared   = plan->modal ? plan->runs.shared * (size_t)(product->block / 32)
                               : product->work * (product->block / product->team) + plan->blocks.sharedBytes;
  product->bytes = plan->blocks.bytes + (double)PlexAssemblyRealSize(asm_) * elements->Ne * product->nd;
  product->flops = PlexIntegratorFlops(asm_, product);
  product->flops += (double)elements->Ne * product->nd;
  plan->longest = w.longest;
  plan->group   = product->kind == PLEX_RESIDUAL || asm_->repeated || ef <= 6 ? 1 : ef <= 16 ? 8 : 32;
  PetscCall(PlexGlobalSetUpPasses(asm_, product, plan, &w));
  PetscCall(PlexStepsDestroy(&plan->runs.steps));
  PetscCall(PlexRowsPlannerDestroy_Private(&w));
  PetscCall(PlexGlobalCompile(asm_, product, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Global(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexGlobalPlan *plan = (PlexGlobalPlan *)product->plan;

  PetscFunctionBegin;
  /* targets that no element writes are in no row */
  if (PlexAssemblyFlag(asm_) && !plan->whole) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  for (PetscInt k = 0; k < plan->npasses; ++k) {
    PlexGlobalPass *pass = &plan->passes[k];
    int   firstBlock = (int)pass->firstBlock, add = k > 0, Nt = (int)product->Nt, nrows = (int)pass->rows.nrows,
          fresh       = (int)pass->fresh;
    void *integrate[] = {(void *)args, &plan->blocks.device, &firstBlock, &plan->G};
    void *runs[]      = {(void *)args, &pass->runs.device, &plan->G};
    void *runsRow[]   = {(void *)args, &plan->G, &pass->runs.rows};
    void *nz[]        = {(void *)args, &plan->G, &pass->packed.entries, &pass->packed.rowStart, &Nt, &add};
    void *row[]       = {(void *)args, &plan->G, &pass->rows.device, &nrows, &fresh};

    PetscCall(PetscLogEventBegin(PLEX_Integrate, asm_, 0, 0, 0));
    PetscCall(PlexKernelLaunch(plan->integrate, plan->modal ? pass->runs.blocks : pass->nblocks, product->block,
                               plan->shared, plan->modal ? runs : integrate));
    PetscCall(PetscLogEventEnd(PLEX_Integrate, asm_, 0, 0, 0));
    PetscCall(PetscLogEventBegin(PLEX_Reduce, asm_, 0, 0, 0));
    PetscCall(PlexKernelLaunch(plan->reduce, pass->grid, product->block, plan->sums,
                               plan->modal              ? runsRow
                               : PlexAssemblyFlag(asm_) ? row
                                                        : nz));
    PetscCall(PetscLogEventEnd(PLEX_Reduce, asm_, 0, 0, 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Global(PlexAssembly asm_, PlexProduct *product)
{
  PlexGlobalPlan *plan = (PlexGlobalPlan *)product->plan;

  PetscFunctionBegin;
  (void)asm_;
  if (plan) PetscCall(PetscFree(plan->passes));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Global(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexGlobalPlan *plan = (PlexGlobalPlan *)product->plan;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "blocks of elements: %" PetscInt_FMT
                                   ", at most %zu bytes of nodal data prefetched; passes: %" PetscInt_FMT
                                   ", element data of a pass %.4g MB\n",
                                   plan->blocks.nblocks, plan->blocks.sharedBytes, plan->npasses,
                                   1e-6 * PlexAssemblyRealSize(asm_) * product->nd * plan->positions));
  PetscCall(PlexIntegratorView(product, viewer));
  if (plan->modal)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "a thread computes an element, %s; threads a row: %" PetscInt_FMT
                                     ", rows a warp: %" PetscInt_FMT ", places of %" PetscInt_FMT " bytes\n",
                                     product->moments ? "by moments" : "gradients expanded", asm_->elements->ef,
                                     plan->runs.taskRows, plan->runs.offsetBytes));
  else if (PlexAssemblyFlag(asm_))
    PetscCall(PetscViewerASCIIPrintf(viewer, "threads a row: %" PetscInt_FMT "; sums in %s memory\n", plan->group,
                                     plan->sums ? "shared" : "global"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "reduction lists: %" PetscInt_FMT ", %.3g %% padding\n", product->Nt,
                                     100 * plan->passes[0].packed.padding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _PlexAssemblyOps PlexOps_Global = {
  .setup        = PlexAssemblySetUp_Global,
  .compute      = PlexAssemblyCompute_Global,
  .resetproduct = PlexAssemblyResetProduct_Global,
  .view         = PlexAssemblyView_Global,
};

/* In the order in which they are tried, behind the integrators */
PETSC_EXTERN const PlexVariant PlexVariants_GlobalRow[];
const PlexVariant              PlexVariants_GlobalRow[] = {
  {"moments",   PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by quadrature of a scalar field of order 2 on affine simplices, of an isotropic g3 alone"},
  {"monomials", PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by quadrature of a scalar field of orders 1 to 3 on affine simplices"                    },
  {"plain",     PLEX_OF_BOTH,               PETSC_FALSE, "everything"                                  },
  {NULL,        {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL                                          }
};

PETSC_EXTERN PlexEstimateFn PlexAssemblyEstimate_GlobalRow;
PetscErrorCode              PlexAssemblyEstimate_GlobalRow(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PetscBool serves;

  PetscFunctionBegin;
  PetscCall(PlexRunsServe_Private(asm_, product, &serves));
  e->runs = serves ? 1.0 : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYGLOBALNZ = "global_nz" - Element data goes to global memory, and a thread sums non-zeros by packed
  reduction lists

  Options Database Keys:
+ -plex_assembly_memory bytes     - most device memory for element data; more is done in passes
. -plex_assembly_partition_size n - elements a block
- -plex_assembly_block_size n     - threads a block

  Level: beginner

  Note:
  After Cecka, Lew and Darve (2011), section 4.2. Each element is computed once. Bitwise repeatable.

.seealso: `PlexAssembly`, `PLEXASSEMBLYGLOBALROW`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalNZ(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Global, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYGLOBALROW = "global_row" - Element data goes to global memory, and a thread or a few sum a row

  Options Database Keys:
+ -plex_assembly_memory bytes     - most device memory for element data; more is done in passes
. -plex_assembly_partition_size n - elements a block
- -plex_assembly_block_size n     - threads a block

  Level: beginner

  Note:
  The row column of Table III of Cecka, Lew and Darve (2011). Bitwise repeatable. Where a thread computes an element
  matrix by quadrature, of scalar fields on simplices, a warp takes elements in runs of at most 32: the view says `rows
  a warp`.

.seealso: `PlexAssembly`, `PLEXASSEMBLYGLOBALNZ`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Global, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
