/*
  shared_nz and shared_row. A block owns a part of the mesh nodes. It computes the data of all elements around them into
  shared memory, and sums them from there: in shared_nz a thread sums a non-zero (Cecka 4.3), in shared_row a few
  threads sum a row (Table III).
*/
#include "shared.h" /*I "plexgpuassembly.h" I*/

static PetscErrorCode PlexAssemblySetUp_Shared(PlexAssembly asm_, PlexProduct *product)
{
  const PetscBool row = PlexAssemblyFlag(asm_);
  PlexShared     *plan;
  PlexSharedPlan *plain;
  PetscInt        group = 1; /* threads a row */

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  product->variant = "plain";
  plain            = &plan->plain;
  plain->row       = row;
  if (!row) {
    PetscCall(PlexPairsCreate_Private(asm_, product, &plan->paired, &plan->pairs));
    if (!plan->paired) PetscCall(PlexSharedVariantCreate_Private(asm_, product, &plan->variant, &plan->ofVariant));
    if (plan->variant) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!plan->paired) {
    PetscCall(PlexIntegratorChoose(asm_, product));
    PetscCall(PlexSharedPlanCreate_Private(asm_, product, plain));
    PetscCheck(!plain->chunked || !product->integrator, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%s computes whole elements, of which shared memory has room for a few rows alone: use %s:%s",
               product->variant, PLEXASSEMBLYELEMENTATOMIC, product->variant);
    while (group < PetscMin(asm_->elements->ef, 32) && product->kind == PLEX_JACOBIAN) group *= 2;
    PetscCall(PlexAssemblyCompileSizes(asm_, product, row ? "shared_row.cu" : "shared_nz.cu", 2,
                                       (PlexSize[]){
                                         {"PLEX_CHUNKED", plain->chunked},
                                         {"PLEX_GROUP",   group         }
    }));
  }
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Shared(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexShared     *plan        = (PlexShared *)product->plan;
  PlexSharedPlan *plain       = &plan->plain;
  void           *arguments[] = {(void *)args, &plain->device};

  PetscFunctionBegin;
  if (plan->paired) PetscCall(PlexPairsLaunch_Private(asm_, product, &plan->pairs, plan->kernel, args));
  else if (plan->variant) PetscCall((*plan->variant->launch)(asm_, product, plan->ofVariant, args));
  else {
    if (plain->zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
    if (plain->parts)
      PetscCall(PlexKernelLaunch(plan->kernel, plain->parts, product->block, plain->sharedBytes, arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Shared(PlexAssembly asm_, PlexProduct *product)
{
  PlexShared *plan = (PlexShared *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  if (plan->variant) PetscCall((*plan->variant->destroy)(asm_, plan->ofVariant));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Shared(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexShared     *plan  = (PlexShared *)product->plan;
  PlexSharedPlan *plain = &plan->plain;
  const PetscInt  Ne    = PetscMax(1, asm_->elements->Ne);

  PetscFunctionBegin;
  if (plan->paired) PetscCall(PlexPairsView_Private(&plan->pairs, Ne, viewer));
  if (plan->variant) PetscCall((*plan->variant->view)(asm_, plan->ofVariant, viewer));
  if (plan->paired || plan->variant) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "parts: %" PetscInt_FMT ", of at most %" PetscInt_FMT
                                   " elements in at most %" PetscInt_FMT " passes; an element is in %.3g of them\n",
                                   plain->parts, plain->maxElements, plain->mostPasses, plain->elements / Ne));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "passes: %" PetscInt_FMT " of %.4g %s each, shared memory %zu bytes a block\n",
                                   plain->passes, (double)plain->nitems / (double)PetscMax(1, plain->passes),
                                   plain->chunked ? "ranges of element rows" : "elements", plain->sharedBytes));
  PetscCall(PetscViewerASCIIPrintf(viewer, "lists: %.4g MB; a row of element data is computed %.3g times\n",
                                   plain->listed * 1e-6, plain->nrows / ((double)Ne * asm_->elements->ef)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _PlexAssemblyOps PlexOps_Shared = {
  .setup        = PlexAssemblySetUp_Shared,
  .compute      = PlexAssemblyCompute_Shared,
  .resetproduct = PlexAssemblyResetProduct_Shared,
  .view         = PlexAssemblyView_Shared,
};

PETSC_EXTERN PlexEstimateFn PlexAssemblyEstimate_SharedNZ;
PetscErrorCode              PlexAssemblyEstimate_SharedNZ(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PlexPairsStored stored;
  PlexPairPoints  points;

  PetscFunctionBegin;
  PetscCall(PlexPairsServe_Private(asm_, product, &stored));
  e->pairs    = stored != PLEX_PAIRS_NONE ? (double)asm_->elements->Nc[0] : 0.0;
  e->matrices = stored == PLEX_PAIRS_MATRIX ? 1.0 : 0.0;
  if (stored == PLEX_PAIRS_POINTS && PlexPairPointsGet_Private(asm_->elements, &points)) e->points = (double)points.n;
  PetscCall(PlexSharedVariantsEstimate_Private(asm_, product, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYSHAREDNZ = "shared_nz" - A block of threads owns a part of the mesh nodes, computes the elements around
  them into shared memory, and sums from there, a thread a non-zero

  Options Database Keys:
+ -plex_assembly_block_size n      - threads a block
. -plex_assembly_team_size n       - threads an element
. -plex_assembly_partition_size n  - elements around a part's nodes
- -plex_assembly_shared_memory n   - bytes of shared memory a block; by default a third of what a processor has

  Level: beginner

  Notes:
  After Cecka, Lew and Darve (2011), section 4.3. Elements on the border of two parts are computed for both. Bitwise
  repeatable.

  Elements that do not fit in shared memory together come in passes, and of elements that do not fit one at a time, or
  where a team of threads works on an element, just the rows that the part owns are computed, a range of them at a
  time.

  Jacobians by tensors of one scalar field, g3 alone and symmetric, on straight-sided simplices need no element
  matrices: a block keeps a few numbers of each element, and a thread sums a pair of nodes; the view then says `pairs of
  nodes`, and a block takes a half of a processor's shared memory on tetrahedra. So it does on trilinear hexahedra by
  quadrature, by the entries of element matrices off the diagonal, where the functions depend on neither solution nor
  position.

  `-help` lists its variants, of which shared_nz:NAME asks for one.

.seealso: `PlexAssembly`, `PLEXASSEMBLYSHAREDROW`, `PLEXASSEMBLYGLOBALNZ`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedNZ(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Shared, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYSHAREDROW = "shared_row" - A block of threads owns a part of the mesh nodes, computes the elements around
  them into shared memory, and sums from there, a thread (or a few) a row

  Options Database Keys:
+ -plex_assembly_block_size n      - threads a block
. -plex_assembly_team_size n       - threads an element
. -plex_assembly_partition_size n  - elements around a part's nodes
- -plex_assembly_shared_memory n   - bytes of shared memory a block; by default a third of what a processor has

  Level: beginner

  Notes:
  After Table III of Cecka, Lew and Darve (2011). Bitwise repeatable.

  What has room in shared memory at a time is a pass; later passes add to what earlier ones wrote.

.seealso: `PlexAssembly`, `PLEXASSEMBLYSHAREDNZ`, `PLEXASSEMBLYLOCALROW`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Shared, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
