/*
  local_nz and local_row: nothing of the element data is stored in global memory. A thread (or team) owns a non-zero or
  a row, and computes of each element around it just the entries that it sums (Cecka 4.4 and Table III). A block of
  threads has a part of the mesh nodes and prefetches the nodal data of all elements around them.
*/
#include "local.h" /*I "plexgpuassembly.h" I*/
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsGetRotations() */

/* bytes of nodal data a block may prefetch, where a single node's elements take less */
#define PLEX_LOCAL_BUDGET (48 << 10)

/* Parts of the mesh nodes, the elements around each, and what is summed of these */
static PetscErrorCode PlexLocalMakePlan(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan)
{
  const PetscBool row  = PlexAssemblyFlag(asm_);
  const PetscInt  most = PlexBlocksElements_Private(asm_, product, PLEX_LOCAL_BUDGET);
  PetscBool       left = PETSC_TRUE;
  PlexRowsPlanner w;

  PetscFunctionBegin;
  PetscCall(PlexRowsPlannerCreate_Private(asm_, product, PETSC_TRUE, &w));
  while (1) {
    PetscCall(PlexPlannerBegin_Private(&w.planner, &left));
    if (!left) break;
    PetscCall(PlexPlannerCutElements_Private(&w.planner, most));
    PetscCall(PlexPlannerListElements_Private(&w.planner));
    PetscCall(PlexRowsPlannerBlocks_Private(&w, &plan->blocks));
    PetscCall(PlexPlannerListRows_Private(&w.planner, PETSC_TRUE));
    PetscCall(PlexRowsPlannerFill_Private(&w));
    if (row) PetscCall(PlexRowsPlannerKeep_Private(&w));
    else PetscCall(PlexRowsPlannerPack_Private(&w, 0));
    PetscCall(PlexPlannerEnd_Private(&w.planner));
  }
  PetscCall(PlexRowsPlannerEndBlocks_Private(&w, &plan->blocks));
  if (row) PetscCall(PlexRowsPlannerEndRows_Private(&w, &plan->rows));
  else PetscCall(PlexRowsPlannerEndPacked_Private(&w, &plan->packed));
  PetscCall(PlexRowsPlannerDestroy_Private(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLocalCompile(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan)
{
  const PetscInt longest = plan->rows.longest | 1; /* odd: rows of neighbouring threads in different banks */
  const size_t   groups  = (size_t)(product->block / product->team);
  const size_t   sums    = sizeof(PetscScalar) * (size_t)longest * groups;
  const double   rows = (double)plan->rows.contributions, terms = plan->packed.terms;

  PetscFunctionBegin;
  product->flops = PlexAssemblyCountFlops(asm_, product, (rows + terms) * PlexAssemblyPoints(asm_, product), rows,
                                          terms);
  product->bytes = plan->blocks.bytes + plan->rows.bytes + plan->packed.bytes + 8.0 * product->Nt;
  if (!PlexAssemblyFlag(asm_)) {
    PetscCall(PlexAssemblyCompile(asm_, product, "local_nz.cu", 0, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (product->work * groups + plan->blocks.sharedBytes + sums <= asm_->backend->limits.sharedPerBlock / 3)
    plan->sums = sums;
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "local_row.cu", 2,
                                     (PlexSize[]){
                                       {"PLEX_ROW_SHARED", plan->sums > 0},
                                       {"PLEX_LONGEST",    longest       }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Local(PlexAssembly asm_, PlexProduct *product)
{
  const PetscBool row = PlexAssemblyFlag(asm_);
  const size_t    all = asm_->backend->limits.sharedPerBlock;
  PlexLocalPlan  *plan;
  size_t          shared;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan = plan;
  if (row && PlexVariantAllowed(asm_, product, "sumfactor"))
    PetscCall(PlexLinesCreate_Private(asm_, product, &plan->summed, &plan->lines));
  if (row && !plan->summed && PlexVariantAllowed(asm_, product, "symmetry"))
    PetscCall(PlexSymmetryCreate_Private(asm_, product, &plan->reoriented, &plan->symmetry));
  product->variant = plan->summed ? "sumfactor" : plan->reoriented ? "symmetry" : "plain";
  if (plan->reoriented || plan->summed) {
    PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!row || product->kind == PLEX_RESIDUAL) { /* a thread computes an entry alone */
    product->team  = 1;
    product->rows  = 1;
    product->work  = 0;
    product->block = asm_->blockSize ? asm_->blockSize : 128;
  }
  product->rows = 1;               /* of element data at a time, as contributions come one by one */
  if (row && product->symmetric) { /* a row is computed whole */
    product->symmetric = PETSC_FALSE;
    product->nd        = asm_->elements->ef * asm_->elements->ef;
  }
  PetscCall(PlexLocalMakePlan(asm_, product, plan));
  shared = product->work * (product->block / product->team) + plan->blocks.sharedBytes;
  PetscCheck(shared <= all, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The nodal data of the elements around one mesh node and the teams' work areas take %zu bytes of shared "
             "memory, and a block has %zu: use -plex_assembly_type %s",
             shared, all, PLEXASSEMBLYGLOBALNZ);
  PetscCall(PlexLocalCompile(asm_, product, plan));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Local(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexLocalPlan *plan   = (PlexLocalPlan *)product->plan;
  PlexPacked    *packed = &plan->packed;
  void          *row[]  = {(void *)args, &plan->blocks.device, &plan->rows.device, &plan->rows.rowStart};
  void          *nz[]   = {(void *)args,     &plan->blocks.device, &packed->entries,    &packed->rowStart,
                           &packed->targets, &packed->mirrors,     &packed->targetStart};

  PetscFunctionBegin;
  if (plan->reoriented) { /* all rows are in the plan, those that no element adds to as well */
    PetscCall(PlexSymmetryLaunch_Private(asm_, product, &plan->symmetry, plan->kernel, args));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->summed) {
    void *summed[] = {(void *)args, &plan->lines.device};

    if (plan->lines.zero) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
    PetscCall(PlexKernelLaunch(plan->kernel, plan->lines.nblocks, product->block, plan->lines.shared, summed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* targets that no element writes are in no list */
  PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  PetscCall(PlexKernelLaunch(plan->kernel, plan->blocks.nblocks, product->block,
                             product->work * (product->block / product->team) + plan->sums + plan->blocks.sharedBytes,
                             PlexAssemblyFlag(asm_) ? row : nz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Local(PlexAssembly asm_, PlexProduct *product)
{
  PlexLocalPlan *plan = (PlexLocalPlan *)product->plan;

  PetscFunctionBegin;
  (void)asm_;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  product->lines  = NULL;
  product->turned = PETSC_FALSE;
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Local(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexLocalPlan *plan = (PlexLocalPlan *)product->plan;

  PetscFunctionBegin;
  if (plan->summed) {
    PetscCall(PlexLinesView_Private(&plan->lines, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan->reoriented) {
    PetscCall(PlexSymmetryView_Private(&plan->symmetry, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "parts of the nodes: %" PetscInt_FMT
                                   ", at most %zu bytes of nodal data prefetched; an element is in %.3g parts\n",
                                   plan->blocks.nblocks, plan->blocks.sharedBytes,
                                   (double)plan->blocks.positions / asm_->elements->Ne));
  if (PlexAssemblyFlag(asm_))
    PetscCall(PetscViewerASCIIPrintf(viewer, "longest row: %" PetscInt_FMT "; sums in %s memory\n", plan->rows.longest,
                                     plan->sums ? "shared" : "global"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "lists: %.3g %% padding\n", 100 * plan->packed.padding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _PlexAssemblyOps PlexOps_Local = {
  .setup        = PlexAssemblySetUp_Local,
  .compute      = PlexAssemblyCompute_Local,
  .resetproduct = PlexAssemblyResetProduct_Local,
  .view         = PlexAssemblyView_Local,
};

/* In the order in which they are tried */
PETSC_EXTERN const PlexVariant PlexVariants_LocalRow[];
const PlexVariant              PlexVariants_LocalRow[] = {
  {"sumfactor", PLEX_OF_JACOBIANS,          PETSC_TRUE,
   "Jacobians of a scalar field of orders 2 and 3 on hexahedra, and 3 on quadrilaterals"                          },
  {"symmetry",  PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians of elements of at most 40 dofs by tensors, 30 by quadrature, that rotations of the cell leave alike"},
  {"plain",     PLEX_OF_BOTH,               PETSC_FALSE, "everything"                                             },
  {NULL,        {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL                                                     }
};

/* Whether elements are turned, as far as that is known without a plan */
static PetscErrorCode PlexLocalTurns(PlexAssembly asm_, PlexProduct *product, PetscBool *turns)
{
  PetscInt n;
  int     *dofs, *vertices;

  PetscFunctionBegin;
  *turns = PlexSymmetryServes_Private(asm_, product);
  if (!*turns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementsGetRotations(asm_->elements, product->tensor ? PETSC_FALSE : PETSC_TRUE, &n, &dofs, &vertices));
  PetscCall(PlexElementsRestoreRotations(&dofs, &vertices));
  *turns = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PlexEstimateFn PlexAssemblyEstimate_LocalRow;
PetscErrorCode              PlexAssemblyEstimate_LocalRow(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PlexLineTables tables;
  /* of order 1; a mesh of those of order 2 has to be large */
  const PetscBool box = (PetscBool)((asm_->elements->cellType == DM_POLYTOPE_QUADRILATERAL ||
                                     asm_->elements->cellType == DM_POLYTOPE_HEXAHEDRON) &&
                                    asm_->elements->Nn[0] == asm_->elements->Nv);
  PetscBool       lines, turns = (PetscBool)(product->tensor || box);

  PetscFunctionBegin;
  PetscCall(PlexSumfactorServes_Private(asm_, product, &tables, &lines));
  if (lines) {
    e->flopsLines = PlexLinesRowFlops_Private(asm_, &tables);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!turns) PetscCall(PlexModalServes_Private(asm_, product, &turns));
  if (turns) PetscCall(PlexLocalTurns(asm_, product, &turns));
  e->turned = turns ? 1.0 : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYLOCALNZ = "local_nz" - A thread a non-zero, which computes the element entries that it sums and no others

  Options Database Keys:
+ -plex_assembly_partition_size n - most elements around a part of the nodes
- -plex_assembly_block_size n     - threads a block

  Level: beginner

  Note:
  After Cecka, Lew and Darve (2011), section 4.4. Bitwise repeatable.

.seealso: `PlexAssembly`, `PLEXASSEMBLYLOCALROW`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalNZ(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Local, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYLOCALROW = "local_row" - A thread (or team) a row, which computes the element rows that it sums and no
  others

  Options Database Keys:
+ -plex_assembly_partition_size n - most elements around a part of the nodes
. -plex_assembly_team_size n      - threads a row
- -plex_assembly_block_size n     - threads a block

  Level: beginner

  Notes:
  The row column of Table III of Cecka, Lew and Darve (2011). Nothing is stored between: the matrix is written once, in
  order. Bitwise repeatable.

  The rows of a Jacobian's elements with few dofs are computed of turned elements: an element is read in the order of
  nodes, given by a rotation of the reference cell, in which the row is one of a few that are compiled, one for each
  symmetry class of the dofs. That needs bases, and for quadrature its points, that the rotations permute, a thread a
  row, at most 30 dofs an element (40 by tensors), and auxiliary fields of one dof an element; the view then says
  `elements turned`.

  Those of quadrilaterals and hexahedra by quadrature, one scalar field of order 2 or 3, are summed along lines of
  points that a block computes once for all its rows; the view then says `sums along lines`.

.seealso: `PlexAssembly`, `PLEXASSEMBLYLOCALNZ`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Local, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
