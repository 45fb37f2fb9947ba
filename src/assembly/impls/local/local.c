/*
  local_nz and local_row: nothing of the element data is stored in global memory. A thread (or team) owns a non-zero or
  a row, and computes of each element around it just the entries that it sums (Cecka 4.4 and Table III). A block of
  threads has a part of the mesh nodes and prefetches the nodal data of all elements around them.
*/
#include "../common/terms.h" /*I "plexgpuassembly.h" I*/
#include "local.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsGetRotations() */

/* bytes of nodal data a block may prefetch, where a single node's elements take less */
#define PLEX_LOCAL_BUDGET (48 << 10)

typedef struct {
  PetscBool row;
} PlexLocal;

/* Packed lists of the rows of each part; start, order: its dofs */
static PetscErrorCode PlexLocalSetUpNZ(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan,
                                       const PetscInt start[], const int order[])
{
  const PlexBlocks *blocks  = &plan->blocks;
  const PetscInt    nblocks = blocks->nblocks;
  PlexPackBuffer    buffer  = {NULL, 0, 0};
  PlexTerms         terms;
  PetscInt          rows, totalRows = 0;
  int              *rowStart, *targetStart;

  PetscFunctionBegin;
  PetscCall(PlexTermsCreate_Private(asm_, product, 1, &terms));
  PetscCall(PetscMalloc2(nblocks + 1, &rowStart, nblocks + 1, &targetStart));
  rowStart[0] = targetStart[0] = 0;
  for (PetscInt b = 0; b < nblocks; ++b) {
    PetscCheck((PetscInt64)(blocks->elementStart[b + 1] - blocks->elementStart[b]) * product->nd < PETSC_INT32_MAX,
               PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The elements of one part have more than 2^31 entries: use a smaller -plex_assembly_partition_size, or "
               "-plex_assembly_type %s",
               PLEXASSEMBLYLOCALROW);
    for (PetscInt p = blocks->elementStart[b]; p < blocks->elementStart[b + 1]; ++p)
      if (blocks->elements[p] >= 0)
        PlexTermsSetPosition_Private(&terms, blocks->elements[p], p - blocks->elementStart[b]);
    for (PetscInt o = start[b]; o < start[b + 1]; ++o) {
      if (o + PLEX_TERMS_AHEAD < start[nblocks]) PlexTermsPrefetch_Private(&terms, order[o + PLEX_TERMS_AHEAD]);
      PetscCall(PlexTermsAddRow_Private(&terms,
                                        product->kind == PLEX_JACOBIAN ? asm_->pattern->row[order[o]] : order[o],
                                        order[o], PETSC_FALSE));
    }
    PetscCall(PlexTermsPack_Private(&terms, terms.n - terms.packed, &buffer, &rows));
    totalRows += rows;
    rowStart[b + 1]    = (int)totalRows;
    targetStart[b + 1] = (int)terms.n;
  }
  plan->padding  = buffer.n ? 1.0 - (terms.total + terms.n) / (double)buffer.n : 0.0;
  product->flops = PlexAssemblyCountFlops(asm_, product, terms.total * PlexAssemblyPoints(asm_, product), 0,
                                          terms.total);
  product->bytes = blocks->bytes + 4.0 * buffer.n + (4.0 + (product->symmetric ? 4.0 : 0.0)) * terms.n +
                   8.0 * product->Nt;
  PetscCall(PlexBackendUpload(asm_->backend, buffer.entries, sizeof(int) * buffer.n, (void **)&plan->entries));
  PetscCall(PlexBackendUpload(asm_->backend, rowStart, sizeof(int) * (nblocks + 1), (void **)&plan->rowStart));
  PetscCall(PlexBackendUpload(asm_->backend, targetStart, sizeof(int) * (nblocks + 1), (void **)&plan->targetStart));
  PetscCall(PlexBackendUpload(asm_->backend, terms.targets, sizeof(int) * terms.n, (void **)&plan->targets));
  if (product->symmetric)
    PetscCall(PlexBackendUpload(asm_->backend, terms.mirrors, sizeof(int) * terms.n, (void **)&plan->mirrors));
  PetscCall(PlexPackBufferDestroy(&buffer));
  PetscCall(PetscFree2(rowStart, targetStart));
  PetscCall(PlexTermsDestroy_Private(&terms));
  PetscCall(PlexAssemblyCompile(asm_, product, "local_nz.cu", 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLocalSetUpRow(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan,
                                        const PetscInt start[], const int order[], const int part[])
{
  const PetscInt    nblocks = plan->blocks.nblocks, groups = product->block / product->team;
  PlexBackendLimits limits;
  PetscInt          longest, fit;
  int              *rowStart;
  char              define[2][64];
  const char       *defines[] = {define[0], define[1]};

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCall(PlexRowsCreate_Private(asm_, product, &plan->blocks, 0, nblocks, start[nblocks], order, part, &plan->rows));
  PetscCall(PetscMalloc1(nblocks + 1, &rowStart));
  for (PetscInt b = 0; b <= nblocks; ++b) rowStart[b] = (int)start[b];
  PetscCall(PlexBackendUpload(asm_->backend, rowStart, sizeof(int) * (nblocks + 1), (void **)&plan->rowStart));
  PetscCall(PetscFree(rowStart));
  longest = plan->rows.longest + 1 - plan->rows.longest % 2; /* odd: rows of neighbouring threads in different banks */
  fit     = (PetscInt)(product->work * groups + plan->blocks.sharedBytes + sizeof(PetscScalar) * longest * groups <=
                       limits.sharedPerBlock / 3);
  if (fit) plan->sums = sizeof(PetscScalar) * longest * groups;
  product->flops = PlexAssemblyCountFlops(asm_, product,
                                          (double)plan->rows.contributions * PlexAssemblyPoints(asm_, product),
                                          plan->rows.contributions, 0);
  product->bytes = plan->blocks.bytes + plan->rows.bytes + 8.0 * product->Nt;
  PetscCall(PetscSNPrintf(define[0], sizeof(define[0]), "PLEX_ROW_SHARED=%d", (int)fit));
  PetscCall(PetscSNPrintf(define[1], sizeof(define[1]), "PLEX_LONGEST=%d", (int)longest));
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row.cu", 2, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Local(PlexAssembly asm_, PlexProduct *product)
{
  const PetscBool   row = ((PlexLocal *)asm_->data)->row;
  PlexLocalPlan    *plan;
  PlexBackendLimits limits;
  PetscInt         *start;
  int              *order, *part;
  size_t            shared;

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
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
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
  PetscCall(PlexNodeParts_Private(asm_, PlexBlocksElements_Private(asm_, product, PLEX_LOCAL_BUDGET)));
  PetscCall(PlexBlocksCreate_Private(asm_, product, &asm_->parts.around, &plan->blocks));
  shared = product->work * (product->block / product->team) + plan->blocks.sharedBytes;
  PetscCheck(shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The nodal data of the elements around one mesh node and the teams' work areas take %zu bytes of shared "
             "memory, and a block has %zu: use -plex_assembly_type %s",
             shared, limits.sharedPerBlock, PLEXASSEMBLYGLOBALNZ);
  PetscCall(PlexPartDofs_Private(asm_, product, &asm_->parts.nodes, &start, &order, &part));
  if (row) PetscCall(PlexLocalSetUpRow(asm_, product, plan, start, order, part));
  else PetscCall(PlexLocalSetUpNZ(asm_, product, plan, start, order));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(part));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Local(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexLocalPlan *plan  = (PlexLocalPlan *)product->plan;
  void          *row[] = {(void *)args, &plan->blocks.device, &plan->rows.device, &plan->rowStart};
  void          *nz[]  = {(void *)args,   &plan->blocks.device, &plan->entries,    &plan->rowStart,
                          &plan->targets, &plan->mirrors,       &plan->targetStart};

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
                             ((PlexLocal *)asm_->data)->row ? row : nz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Local(PlexAssembly asm_, PlexProduct *product)
{
  PlexLocalPlan *plan = (PlexLocalPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->rowStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->entries));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->targets));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->mirrors));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->targetStart));
  PetscCall(PlexSymmetryDestroy_Private(asm_, &plan->symmetry));
  PetscCall(PlexLinesDestroy_Private(asm_, &plan->lines));
  product->lines  = NULL;
  product->turned = PETSC_FALSE;
  PetscCall(PlexRowsDestroy_Private(asm_, &plan->rows));
  PetscCall(PlexBlocksDestroy_Private(asm_, &plan->blocks));
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
  if (((PlexLocal *)asm_->data)->row)
    PetscCall(PetscViewerASCIIPrintf(viewer, "longest row: %" PetscInt_FMT "; sums in %s memory\n", plan->rows.longest,
                                     plan->sums ? "shared" : "global"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "lists: %.3g %% padding\n", 100 * plan->padding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCreate_Local(PlexAssembly asm_, PetscBool row)
{
  PlexLocal *local;

  PetscFunctionBegin;
  PetscCall(PetscNew(&local));
  local->row              = row;
  asm_->data              = local;
  asm_->ops->setup        = PlexAssemblySetUp_Local;
  asm_->ops->compute      = PlexAssemblyCompute_Local;
  asm_->ops->resetproduct = PlexAssemblyResetProduct_Local;
  asm_->ops->view         = PlexAssemblyView_Local;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order in which they are tried */
PETSC_EXTERN const PlexVariant PlexVariants_LocalRow[];
const PlexVariant              PlexVariants_LocalRow[] = {
  {"sumfactor", PLEX_OF_JACOBIANS,          PETSC_TRUE,
   "Jacobians of a scalar field of orders 1 to 3 on hexahedra, and 3 on quadrilaterals"                           },
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
  PetscBool      lines, turns = (PetscBool)(product->tensor != NULL);

  PetscFunctionBegin;
  PetscCall(PlexLinesServe_Private(asm_, product, &tables, &lines));
  if (lines) {
    PetscCall(PlexLinesCountFlops_Private(asm_, product, &tables, &e->flopsElement, &e->flopsLines));
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
  PetscCall(PlexAssemblyCreate_Local(asm_, PETSC_FALSE));
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

  Those of quadrilaterals and hexahedra by quadrature, one scalar field of order 1 to 3, are summed along lines of
  points that a block computes once for all its rows; the view then says `sums along lines`.

.seealso: `PlexAssembly`, `PLEXASSEMBLYLOCALNZ`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate_Local(asm_, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
