/*
  local_nz and local_row: nothing of the element data is stored in global memory. A thread (or team) owns a non-zero or
  a row, and computes of each element around it just the entries that it sums (Cecka 4.4 and Table III). A block of
  threads has a part of the mesh nodes and prefetches the nodal data of all elements around them.
*/
#include "local.h" /*I "plexgpuassembly.h" I*/
#include "../../plan/blocks.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsGetRotations() */

/* bytes of nodal data a block may prefetch, where a single node's elements take less */
#define PLEX_LOCAL_BUDGET (48 << 10)

/* What the targets of part b sum, as keys: target << 32 | entry of the element data of the part's block, in order;
   mirrors[Nt]: of a symmetric product the target of the transposed entry, which the lesser of the two has with it */
static PetscErrorCode PlexLocalListSources(PlexAssembly asm_, PlexProduct *product, const PlexBlocks *blocks,
                                           PetscInt b, const int part[], uint64_t keys[], int mirrors[], PetscInt *n)
{
  const PetscBool matrix = (PetscBool)(product->kind == PLEX_JACOBIAN), symmetric = product->symmetric;
  const PetscInt  EF = asm_->elements->ef, nd = product->nd;
  int            *target, *mirror;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc2(nd, &target, nd, &mirror));
  for (PetscInt p = blocks->elementStart[b], first = 0; p < blocks->elementStart[b + 1]; ++p, first += nd) {
    const PetscInt e    = blocks->elements[p]; /* -1: padding */
    const int     *dofs = &asm_->elements->dofs[PetscMax(0, e) * EF];

    if (e >= 0) PetscCall(PlexAssemblyGetElementTargets(asm_, product, e, target, symmetric ? mirror : NULL));
    for (PetscInt i = 0, d = 0; e >= 0 && i < EF; ++i) {
      for (PetscInt j = 0; j < (!matrix ? 1 : symmetric ? i + 1 : EF); ++j, ++d) {
        const PetscBool swap = (PetscBool)(symmetric && (unsigned)mirror[d] < (unsigned)target[d]); /* -1: none */
        const int       t    = swap ? mirror[d] : target[d];

        if (t < 0 || part[dofs[swap ? j : i]] != b) continue;
        keys[(*n)++] = (uint64_t)t << 32 | (uint64_t)(first + d);
        if (!symmetric) continue;
        mirrors[t] = swap ? target[d] : mirror[d];
        if (mirrors[t] != t) continue;
        keys[*n] = keys[*n - 1]; /* an element that has a dof twice */
        ++*n;
      }
    }
  }
  PetscCall(PetscFree2(target, mirror));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorted keys as lists: where each begins, its sources, and its target, which is appended; mirror NULL: targets have
   none */
static PetscErrorCode PlexLocalList(PetscInt n, const uint64_t keys[], const int mirror[], PetscInt start[],
                                    int sources[], PetscInt *lists, PlexPackBuffer *targets, PlexPackBuffer *mirrors)
{
  int *to;

  PetscFunctionBegin;
  *lists = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const int target = (int)(keys[k] >> 32);

    sources[k] = (int)(keys[k] & PETSC_INT32_MAX);
    if (k && target == (int)(keys[k - 1] >> 32)) continue;
    start[(*lists)++] = k;
    PetscCall(PlexPackBufferExtend(targets, 1, &to));
    *to = target;
    if (!mirror) continue;
    PetscCall(PlexPackBufferExtend(mirrors, 1, &to));
    *to = mirror[target];
  }
  start[*lists] = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packed lists of the targets of each part */
static PetscErrorCode PlexLocalSetUpNZ(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan, const int part[])
{
  const PlexBlocks *blocks  = &plan->blocks;
  const PetscInt    nblocks = blocks->nblocks, nd = product->nd;
  PlexPackBuffer    buffer = {NULL, 0, 0}, targets = {NULL, 0, 0}, mirrors = {NULL, 0, 0};
  PetscInt          most = 0, totalRows = 0, *start;
  double            total = 0;
  uint64_t         *keys, *work;
  int              *rowStart, *targetStart, *mirror, *sources, *places;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < nblocks; ++b) most = PetscMax(most, blocks->elementStart[b + 1] - blocks->elementStart[b]);
  PetscCheck((PetscInt64)most * nd < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The elements of one part have more than 2^31 entries: use a smaller -plex_assembly_partition_size, or "
             "-plex_assembly_type %s",
             PLEXASSEMBLYLOCALROW);
  most *= asm_->elements->ef * (product->kind == PLEX_JACOBIAN ? asm_->elements->ef : 1);
  PetscCall(PetscMalloc3(nblocks + 1, &rowStart, nblocks + 1, &targetStart, product->symmetric ? product->Nt : 0,
                         &mirror));
  PetscCall(PetscMalloc5(most, &keys, most, &work, most, &sources, most, &places, most + 1, &start));
  rowStart[0] = targetStart[0] = 0;
  for (PetscInt k = 0; k < most; ++k) places[k] = (int)k;
  for (PetscInt b = 0; b < nblocks; ++b) {
    PetscInt n, lists, rows;

    PetscCall(PlexLocalListSources(asm_, product, blocks, b, part, keys, mirror, &n));
    PlexSortKeys(n, 32, keys, work);
    PetscCall(PlexLocalList(n, keys, product->symmetric ? mirror : NULL, start, sources, &lists, &targets, &mirrors));
    total += (double)n;
    PetscCall(PlexPackReduction(lists, start, sources, places, product->block, &buffer, &rows));
    totalRows += rows;
    rowStart[b + 1]    = (int)totalRows;
    targetStart[b + 1] = (int)targets.n;
  }
  plan->padding  = buffer.n ? 1.0 - (total + (double)targets.n) / (double)buffer.n : 0.0;
  product->flops = PlexAssemblyCountFlops(asm_, product, total * PlexAssemblyPoints(asm_, product), 0, total);
  product->bytes = blocks->bytes + 4.0 * (double)(buffer.n + targets.n + mirrors.n) + 8.0 * product->Nt;
  PetscCall(PlexProductUpload(asm_, product, rowStart, sizeof(int) * (size_t)(nblocks + 1), &plan->rowStart));
  PetscCall(PlexProductUpload(asm_, product, targetStart, sizeof(int) * (size_t)(nblocks + 1), &plan->targetStart));
  PetscCall(PlexProductUpload(asm_, product, buffer.entries, sizeof(int) * buffer.n, &plan->entries));
  PetscCall(PlexProductUpload(asm_, product, targets.entries, sizeof(int) * targets.n, &plan->targets));
  if (mirrors.n) PetscCall(PlexProductUpload(asm_, product, mirrors.entries, sizeof(int) * mirrors.n, &plan->mirrors));
  PetscCall(PlexPackBufferDestroy(&buffer));
  PetscCall(PlexPackBufferDestroy(&targets));
  PetscCall(PlexPackBufferDestroy(&mirrors));
  PetscCall(PetscFree3(rowStart, targetStart, mirror));
  PetscCall(PetscFree5(keys, work, sources, places, start));
  PetscCall(PlexAssemblyCompile(asm_, product, "local_nz.cu", 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLocalSetUpRow(PlexAssembly asm_, PlexProduct *product, PlexLocalPlan *plan,
                                        const PetscInt start[], const int order[], const int part[])
{
  const PetscInt nblocks = plan->blocks.nblocks, groups = product->block / product->team;
  PetscInt       longest;
  size_t         sums;
  int           *rowStart;

  PetscFunctionBegin;
  PetscCall(PlexRowsCreate_Private(asm_, product, &plan->blocks, 0, nblocks, start[nblocks], order, part, &plan->rows));
  PetscCall(PetscMalloc1(nblocks + 1, &rowStart));
  for (PetscInt b = 0; b <= nblocks; ++b) rowStart[b] = (int)start[b];
  PetscCall(PlexProductUpload(asm_, product, rowStart, sizeof(int) * (size_t)(nblocks + 1), &plan->rowStart));
  PetscCall(PetscFree(rowStart));
  longest = plan->rows.longest | 1; /* odd: rows of neighbouring threads in different banks */
  sums    = sizeof(PetscScalar) * (size_t)(longest * groups);
  if (product->work * (size_t)groups + plan->blocks.sharedBytes + sums <= asm_->backend->limits.sharedPerBlock / 3)
    plan->sums = sums;
  product->flops = PlexAssemblyCountFlops(asm_, product,
                                          (double)plan->rows.contributions * PlexAssemblyPoints(asm_, product),
                                          plan->rows.contributions, 0);
  product->bytes = plan->blocks.bytes + plan->rows.bytes + 8.0 * product->Nt;
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
  PetscInt       *start;
  int            *order, *part;
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
  PetscCall(PlexNodeParts_Private(asm_, PlexBlocksElements_Private(asm_, product, PLEX_LOCAL_BUDGET)));
  PetscCall(PlexBlocksCreate_Private(asm_, product, &asm_->parts.around, &plan->blocks));
  shared = product->work * (product->block / product->team) + plan->blocks.sharedBytes;
  PetscCheck(shared <= all, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The nodal data of the elements around one mesh node and the teams' work areas take %zu bytes of shared "
             "memory, and a block has %zu: use -plex_assembly_type %s",
             shared, all, PLEXASSEMBLYGLOBALNZ);
  PetscCall(PlexPartDofs_Private(asm_, product, &asm_->parts.nodes, &start, &order, &part));
  if (row) PetscCall(PlexLocalSetUpRow(asm_, product, plan, start, order, part));
  else PetscCall(PlexLocalSetUpNZ(asm_, product, plan, part));
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
                             PlexAssemblyFlag(asm_) ? row : nz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Local(PlexAssembly asm_, PlexProduct *product)
{
  PlexLocalPlan *plan = (PlexLocalPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
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
  if (PlexAssemblyFlag(asm_))
    PetscCall(PetscViewerASCIIPrintf(viewer, "longest row: %" PetscInt_FMT "; sums in %s memory\n", plan->rows.longest,
                                     plan->sums ? "shared" : "global"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "lists: %.3g %% padding\n", 100 * plan->padding));
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

  Those of quadrilaterals and hexahedra by quadrature, one scalar field of order 1 to 3, are summed along lines of
  points that a block computes once for all its rows; the view then says `sums along lines`.

.seealso: `PlexAssembly`, `PLEXASSEMBLYLOCALNZ`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalRow(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Local, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
