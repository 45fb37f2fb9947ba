/*
  shared_nz and shared_row: a block owns a part of the mesh nodes, has the element data of all elements around them in
  shared memory, and sums it there: a thread a non-zero, by a packed reduction array (Cecka 4.3), or a thread a row
  (Table III). The two differ in the lists that sum, and in the kernel.
*/
#include "shared.h" /*I "plexgpuassembly.h" I*/
#include "pairs.h"

static PetscErrorCode PlexSharedBuildCreate(PlexAssembly asm_, PlexProduct *product, PlexSharedPlan *plan,
                                            PlexSharedBuild *build)
{
  PlexElements elements = asm_->elements;
  PetscInt     most     = 0, n;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(build, sizeof(*build)));
  build->asm_    = asm_;
  build->product = product;
  build->plan    = plan;
  build->row     = ((PlexShared *)asm_->data)->row;
  build->slotsOf = -1;
  PetscCall(PlexSharedChooseSizes(build));
  for (PetscInt b = 0; b < plan->parts; ++b)
    most = PetscMax(most, PetscMax(build->targets[b], build->dofStart[b + 1] - build->dofStart[b]));
  n = PetscMax(elements->Nx, elements->Nl);
  PetscCall(PetscMalloc3(plan->capacity, &build->item, most, &build->seen, n, &build->number));
  PetscCall(PetscMalloc4(2 * plan->capacity, &build->key, 2 * plan->capacity, &build->value, 2 * plan->capacity,
                         &build->value2, most + 1, &build->count));
  PetscCall(PetscMalloc5(elements->ef * elements->ef, &build->slots, 2 * elements->ef, &build->shift,
                         4 * plan->capacity, &build->sources, plan->parts + 1, &build->start, plan->parts + 1,
                         &build->outStart));
  if (product->symmetric) PetscCall(PetscMalloc1(most + 1, &build->mirror));
  for (PetscInt k = 0; k < n; ++k) build->number[k] = -1;
  PetscCall(PetscSegBufferCreate(sizeof(PlexSharedPass), 1024, &build->passes));
  PetscCall(PetscSegBufferCreate(2 * sizeof(int), 1024, &build->items));
  PetscCall(PetscSegBufferCreate(sizeof(int), 1024, &build->elements));
  PetscCall(PetscSegBufferCreate(sizeof(unsigned short), 65536, &build->lists));
  PetscCall(PetscSegBufferCreate(sizeof(PlexSharedSlice), 1024, &build->slices));
  PetscCall(PetscSegBufferCreate(sizeof(int), 1024, &build->rows));
  PetscCall(PetscSegBufferCreate(3 * sizeof(int), 1024, &build->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedBuildDestroy(PlexSharedBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PlexSharedDestroyParts_Private(build));
  PetscCall(PetscFree(build->mirror));
  PetscCall(PetscFree3(build->item, build->seen, build->number));
  PetscCall(PetscFree4(build->key, build->value, build->value2, build->count));
  PetscCall(PetscFree5(build->slots, build->shift, build->sources, build->start, build->outStart));
  PetscCall(PlexPackBufferDestroy(&build->entries));
  PetscCall(PetscSegBufferDestroy(&build->passes));
  PetscCall(PetscSegBufferDestroy(&build->items));
  PetscCall(PetscSegBufferDestroy(&build->elements));
  PetscCall(PetscSegBufferDestroy(&build->lists));
  PetscCall(PetscSegBufferDestroy(&build->slices));
  PetscCall(PetscSegBufferDestroy(&build->rows));
  PetscCall(PetscSegBufferDestroy(&build->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves a growing array of entries of `size` bytes to the backend */
static PetscErrorCode PlexSharedUpload(PlexBackend backend, PetscSegBuffer buffer, size_t size, void **device)
{
  PetscCount n;
  void      *host;

  PetscFunctionBegin;
  PetscCall(PetscSegBufferGetSize(buffer, &n));
  PetscCall(PetscSegBufferExtractAlloc(buffer, &host));
  PetscCall(PlexBackendUpload(backend, host, size * (size_t)n, device));
  PetscCall(PetscFree(host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedUploadPlan(PlexSharedBuild *build)
{
  PlexSharedPlan *plan    = build->plan;
  PlexBackend     backend = build->asm_->backend;

  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(backend, build->start, sizeof(int) * (plan->parts + 1), (void **)&plan->device.start));
  PetscCall(PlexBackendUpload(backend, build->outStart, sizeof(int) * (plan->parts + 1),
                              (void **)&plan->device.outStart));
  PetscCall(PlexBackendUpload(backend, build->entries.entries, sizeof(int) * build->entries.n,
                              (void **)&plan->device.entries));
  PetscCall(PlexPackBufferDestroy(&build->entries)); /* the largest of all */
  PetscCall(PlexSharedUpload(backend, build->passes, sizeof(PlexSharedPass), (void **)&plan->device.passes));
  PetscCall(PlexSharedUpload(backend, build->items, 2 * sizeof(int), (void **)&plan->device.items));
  PetscCall(PlexSharedUpload(backend, build->elements, sizeof(int), (void **)&plan->device.elements));
  PetscCall(PlexSharedUpload(backend, build->lists, sizeof(unsigned short), (void **)&plan->device.lists));
  PetscCall(PlexSharedUpload(backend, build->slices, sizeof(PlexSharedSlice), (void **)&plan->device.slices));
  PetscCall(PlexSharedUpload(backend, build->rows, sizeof(int), (void **)&plan->device.rows));
  PetscCall(PlexSharedUpload(backend, build->out, 3 * sizeof(int), (void **)&plan->device.out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedCompile(PlexAssembly asm_, PlexProduct *product)
{
  PlexSharedPlan *plan     = (PlexSharedPlan *)product->plan;
  const PetscBool row      = ((PlexShared *)asm_->data)->row;
  const char     *names[]  = {"PLEX_CHUNKED", "PLEX_STRIDE", "PLEX_ITEM", "PLEX_SUMS", "PLEX_LANES", "PLEX_OUT"};
  const PetscInt  values[] = {plan->chunked, plan->stride, plan->stride > 1 ? 1 : plan->region,
                              plan->sums,    plan->lanes,  plan->out};
  char            text[6][64];
  const char     *defines[6];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 6; ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "%s=%" PetscInt_FMT, names[k], values[k]));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, row ? "shared_row.cu" : "shared_nz.cu", row ? 6 : 3, defines));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Shared(PlexAssembly asm_, PlexProduct *product)
{
  PlexSharedPlan *plan;
  PlexSharedBuild build;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  product->variant = "plain";
  if (!((PlexShared *)asm_->data)->row) {
    PetscCall(PlexPairsCreate_Private(asm_, product, &plan->paired, &plan->pairs));
    if (plan->paired) {
      PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PlexSharedVariantCreate_Private(asm_, product, &plan->variant, &plan->ofVariant));
    if (plan->variant) PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->bytes = 0.0; /* nodal data and targets are added as the passes are built */
  PetscCall(PlexSharedBuildCreate(asm_, product, plan, &build));
  PetscCall(PlexSharedBuildPasses(&build));
  PetscCall(PlexSharedUploadPlan(&build));
  PetscCall(PlexSharedBuildDestroy(&build));
  product->bytes += sizeof(int) * plan->packed + plan->listed + (plan->chunked ? 8.0 * plan->nitems : 0.0) +
                    sizeof(PlexSharedPass) * (double)plan->passes;
  if (plan->sums)
    product->bytes += 8.0 * product->Nt +
                      12.0 * (product->kind == PLEX_JACOBIAN ? asm_->pattern->m : asm_->elements->Nl);
  if (plan->zero) product->bytes += 8.0 * product->Nt;
  product->flops = PlexAssemblyCountFlops(asm_, product, plan->nitems * PlexAssemblyPoints(asm_, product), plan->nrows,
                                          0);
  plan->sharedBytes = product->work * (size_t)(product->block / product->team) + sizeof(PetscScalar) * plan->sums +
                      PlexAssemblyRealSize(asm_) * plan->used;
  PetscCall(PlexSharedCompile(asm_, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Shared(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexSharedPlan *plan        = (PlexSharedPlan *)product->plan;
  void           *arguments[] = {(void *)args, &plan->device};

  PetscFunctionBegin;
  if (plan->paired) {
    PetscCall(PlexPairsLaunch_Private(asm_, product, &plan->pairs, plan->kernel, args));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->variant) {
    PetscCall((*plan->variant->launch)(asm_, product, plan->ofVariant, args));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  if (plan->parts) PetscCall(PlexKernelLaunch(plan->kernel, plan->parts, product->block, plan->sharedBytes, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Shared(PlexAssembly asm_, PlexProduct *product)
{
  PlexSharedPlan *plan = (PlexSharedPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.start));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.outStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.entries));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.passes));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.items));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.elements));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.lists));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.slices));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.rows));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device.out));
  if (plan->paired) PetscCall(PlexPairsDestroy_Private(asm_, &plan->pairs));
  if (plan->variant) PetscCall((*plan->variant->destroy)(asm_, plan->ofVariant));
  product->turned = PETSC_FALSE;
  product->lines  = NULL;
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Shared(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexSharedPlan *plan      = (PlexSharedPlan *)product->plan;
  const PetscInt  Ne        = PetscMax(1, asm_->elements->Ne);
  char            runs[128] = "", lists[128] = "";

  PetscFunctionBegin;
  if (plan->paired) {
    PetscCall(PlexPairsView_Private(&plan->pairs, Ne, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->variant) {
    PetscCall((*plan->variant->view)(asm_, plan->ofVariant, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->chunked)
    PetscCall(PetscSNPrintf(runs, sizeof(runs), " (of at most %" PetscInt_FMT "; a row is computed %.3g times)",
                            plan->rows, plan->nrows / ((double)Ne * asm_->elements->ef)));
  if (((PlexShared *)asm_->data)->row)
    PetscCall(PetscSNPrintf(lists, sizeof(lists),
                            "; row lists: %.4g MB, %" PetscInt_FMT " threads a row, summed in %s memory",
                            plan->listed * 1e-6, plan->lanes, plan->sums ? "shared" : "global"));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "parts: %" PetscInt_FMT ", of at most %" PetscInt_FMT
                                   " elements in at most %" PetscInt_FMT " passes; an element is in %.3g of them\n",
                                   plan->parts, plan->maxElements, plan->mostPasses, plan->elements / Ne));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "passes: %" PetscInt_FMT " of %.4g %s each%s; shared memory %zu bytes a block\n",
                                   plan->passes, plan->nitems / PetscMax(1, plan->passes),
                                   plan->chunked ? "runs of element rows" : "elements", runs, plan->sharedBytes));
  PetscCall(PetscViewerASCIIPrintf(viewer, "packed arrays: %.4g MB, %.3g %% padding%s\n",
                                   sizeof(int) * plan->packed * 1e-6, 100 * plan->padding / PetscMax(1, plan->packed),
                                   lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCreate_Shared(PlexAssembly asm_, PetscBool row)
{
  PlexShared *shared;

  PetscFunctionBegin;
  PetscCall(PetscNew(&shared));
  shared->row             = row;
  asm_->data              = shared;
  asm_->ops->setup        = PlexAssemblySetUp_Shared;
  asm_->ops->compute      = PlexAssemblyCompute_Shared;
  asm_->ops->resetproduct = PlexAssemblyResetProduct_Shared;
  asm_->ops->view         = PlexAssemblyView_Shared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PlexEstimateFn PlexAssemblyEstimate_SharedNZ;
PetscErrorCode              PlexAssemblyEstimate_SharedNZ(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PlexPairsKept  kept;
  PlexPairPoints points;

  PetscFunctionBegin;
  PetscCall(PlexPairsServe_Private(asm_, product, &kept));
  e->pairs = kept != PLEX_PAIRS_NONE ? (double)asm_->elements->Nc[0] : 0.0;
  if (kept == PLEX_PAIRS_POINTS && PlexPairPointsGet_Private(asm_->elements, &points)) e->points = (double)points.n;
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
  where a team of threads works on an element, just the rows that the part owns are computed, in runs.

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
  PetscCall(PlexAssemblyCreate_Shared(asm_, PETSC_FALSE));
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

  The part's rows are summed in shared memory where they fit, and each target is then written once; else in the matrix
  itself.

.seealso: `PlexAssembly`, `PLEXASSEMBLYSHAREDNZ`, `PLEXASSEMBLYLOCALROW`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate_Shared(asm_, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
