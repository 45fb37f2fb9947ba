/*
  global_nz and global_row: one kernel writes the element data of a pass of elements to global memory, a second one sums
  it into the matrix or residual (Cecka 4.2, [A F] = S G). They differ in what a thread of the second kernel owns: a
  non-zero, by packed reduction lists, or a row. Passes keep G within the memory that is given.
*/
#include "../common/terms.h" /*I "plexgpuassembly.h" I*/
#include "../../integrate/lines.h"
#include "../../integrate/units.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */
#include "runs.h"

#define PLEX_GLOBAL_BUDGET  (32 << 10) /* bytes of nodal data a block may prefetch */
#define PLEX_GLOBAL_RUN     512        /* rows that are sorted by the number of elements around them */
#define PLEX_GLOBAL_VECTORS 64         /* elements a block where a thread computes an element vector, or a warp 16 */
#define PLEX_GLOBAL_TARGETS 1024       /* reduction lists a block: enough to balance its threads */

typedef struct {
  PetscBool row;
} PlexGlobal;

typedef struct {
  PetscInt     firstBlock, nblocks; /* of elements */
  PetscInt     grid;                /* blocks of the second kernel */
  int         *entries, *rowStart;  /* global_nz: packed lists */
  double       padding;             /* of the packed array, relative */
  PlexRows     rows;                /* global_row */
  PlexRunsPass runs;                /* in the place of rows */
  /* and where elements' data lie one by one the first of them that add to what an earlier pass has left */
  PetscInt fresh;
} PlexGlobalPass;

typedef struct {
  PlexBlocks blocks;
  /* global_row: a thread computes an element, by cuda/integrate/modal_element.cuh; G is [runs][EF][PLEX_RUN][EF]
     then */
  PetscBool       modal;
  PlexRuns        runs;
  PlexLineTables  tables; /* of product->lines of a residual */
  size_t          shared; /* all of them */
  PetscBool       turns;  /* of data that lie one by one: passes take turns, see PlexGlobalTurn() */
  PetscInt        npasses;
  PlexGlobalPass *passes;
  void           *G;             /* element data of a pass, interleaved [positions][nd] */
  size_t          positions;     /* of the largest pass */
  PetscInt        nlists;        /* global_nz */
  int            *ids, *mirrors; /* [nlists] targets of the lists of a symmetric form; NULL: list l is target l */
  PetscInt        group;         /* global_row: threads a row */
  PetscBool       whole;         /* global_row: all rows of the matrix are summed */
  size_t          sums;          /* bytes of shared memory of the second kernel */
  PlexKernel      integrate, reduce;
} PlexGlobalPlan;

/* Runs of blocks whose element data fits in the memory given, one after another in G */
static PetscErrorCode PlexGlobalMakePasses(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  PlexBackendLimits limits;
  const PlexBlocks *blocks = &plan->blocks;
  const size_t      one    = PlexAssemblyRealSize(asm_) * product->nd;
  size_t            memory, most;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  memory      = asm_->owner->memory > 0 ? (size_t)asm_->owner->memory : limits.memoryFree / 2;
  plan->turns = (PetscBool)(plan->modal && memory / one < blocks->positions);
  if (plan->turns) memory /= 2;
  most = PetscMin(memory / one, (size_t)(PETSC_INT32_MAX - 64) / product->nd);
  PetscCall(PetscCalloc1(blocks->nblocks, &plan->passes));
  for (PetscInt b = 0; b < blocks->nblocks;) {
    PlexGlobalPass *pass = &plan->passes[plan->npasses++];

    pass->firstBlock = b;
    while (b < blocks->nblocks && (b == pass->firstBlock || (size_t)(blocks->elementStart[b + 1] -
                                                                     blocks->elementStart[pass->firstBlock]) <= most))
      ++b;
    pass->nblocks   = b - pass->firstBlock;
    plan->positions = PetscMax(plan->positions,
                               (size_t)(blocks->elementStart[b] - blocks->elementStart[pass->firstBlock]));
  }
  PetscCheck(plan->positions * product->nd < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A block of elements has more than 2^31 entries of element data: use a smaller "
             "-plex_assembly_partition_size");
  PetscCall(PlexBackendMalloc(asm_->backend, (plan->turns ? 2 : 1) * plan->positions * one, &plan->G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs lists into blocks of the second kernel as long as there are enough for one, or, last, all that are left */
static PetscErrorCode PlexGlobalPack(PlexTerms *terms, PetscBool last, PlexGlobalPass *pass, PetscInt *total,
                                     PlexPackBuffer *buffer, int rowStart[])
{
  PetscInt rows;

  PetscFunctionBegin;
  while (terms->n - terms->packed >= PLEX_GLOBAL_TARGETS || (last && terms->n > terms->packed)) {
    PetscCall(PlexTermsPack_Private(terms, PetscMin(PLEX_GLOBAL_TARGETS, terms->n - terms->packed), buffer, &rows));
    *total += rows;
    rowStart[++pass->grid] = (int)*total;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dofs[n]: of each row of a Jacobian, or entry of a residual, its local dof; -1: no element adds to it */
static PetscErrorCode PlexGlobalRowDofs(PlexAssembly asm_, PlexProduct *product, PetscInt *n, int **dofs)
{
  const PetscInt Nl = asm_->elements->Nl;

  PetscFunctionBegin;
  *n = product->kind == PLEX_JACOBIAN ? asm_->pattern->m : Nl;
  PetscCall(PetscMalloc1(*n, dofs));
  for (PetscInt r = 0; r < *n; ++r) (*dofs)[r] = product->kind == PLEX_JACOBIAN ? -1 : (int)r;
  for (PetscInt l = 0; l < Nl && product->kind == PLEX_JACOBIAN; ++l)
    if (asm_->pattern->row[l] >= 0) (*dofs)[asm_->pattern->row[l]] = (int)l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The packed reduction lists of one pass (Cecka 4.2.3): of all targets in their order, or of a symmetric form of those
   of one half that elements write */
static PetscErrorCode PlexGlobalPackPass(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan,
                                         PlexGlobalPass *pass)
{
  const PlexBlocks *blocks = &plan->blocks;
  const PetscInt    first  = blocks->elementStart[pass->firstBlock],
                    last   = blocks->elementStart[pass->firstBlock + pass->nblocks];
  PlexPackBuffer    buffer = {NULL, 0, 0};
  PlexTerms         terms;
  PetscInt          n, total = 0;
  double            sources;
  int              *dofs, *rowStart;

  PetscFunctionBegin;
  PetscCall(PlexTermsCreate_Private(asm_, product, blocks->interleave, &terms));
  PetscCall(PlexGlobalRowDofs(asm_, product, &n, &dofs));
  PetscCall(PetscMalloc1(product->Nt / PLEX_GLOBAL_TARGETS + 2, &rowStart));
  for (PetscInt p = first; p < last; ++p)
    if (blocks->elements[p] >= 0) PlexTermsSetPosition_Private(&terms, blocks->elements[p], p - first);
  rowStart[0] = 0;
  pass->grid  = 0;
  for (PetscInt r = 0; r < n; ++r) {
    if (r + PLEX_TERMS_AHEAD < n) PlexTermsPrefetch_Private(&terms, dofs[r + PLEX_TERMS_AHEAD]);
    PetscCall(PlexTermsAddRow_Private(&terms, r, dofs[r], (PetscBool)!product->symmetric));
    PetscCall(PlexGlobalPack(&terms, PETSC_FALSE, pass, &total, &buffer, rowStart));
  }
  PetscCall(PlexGlobalPack(&terms, PETSC_TRUE, pass, &total, &buffer, rowStart));
  sources       = terms.total;
  plan->nlists  = terms.n;
  pass->padding = buffer.n ? 1.0 - (sources + plan->nlists) / (double)buffer.n : 0.0;
  product->bytes += 4.0 * buffer.n + (double)PlexAssemblyRealSize(asm_) * sources +
                    8.0 * plan->nlists * (pass == plan->passes ? 1 : 2);
  PetscCall(PlexBackendUpload(asm_->backend, buffer.entries, sizeof(int) * buffer.n, (void **)&pass->entries));
  PetscCall(PlexBackendUpload(asm_->backend, rowStart, sizeof(int) * (pass->grid + 1), (void **)&pass->rowStart));
  if (product->symmetric && pass == plan->passes) {
    PetscCall(PlexBackendUpload(asm_->backend, terms.targets, sizeof(int) * terms.n, (void **)&plan->ids));
    PetscCall(PlexBackendUpload(asm_->backend, terms.mirrors, sizeof(int) * terms.n, (void **)&plan->mirrors));
  }
  PetscCall(PlexPackBufferDestroy(&buffer));
  PetscCall(PetscFree(rowStart));
  PetscCall(PetscFree(dofs));
  PetscCall(PlexTermsDestroy_Private(&terms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexGlobalSetUpNZ(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  char        define[64];
  const char *defines[] = {define};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < plan->npasses; ++k) PetscCall(PlexGlobalPackPass(asm_, product, plan, &plan->passes[k]));
  plan->sums = sizeof(PetscScalar) * PLEX_GLOBAL_TARGETS;
  PetscCall(PetscSNPrintf(define, sizeof(define), "PLEX_TARGETS=%d", PLEX_GLOBAL_TARGETS));
  PetscCall(PlexAssemblyCompile(asm_, product, "global_nz.cu", 1, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the sums of a block of rows, of so many threads each */
static size_t PlexGlobalSums(PlexProduct *product, PetscInt group, PetscInt longest)
{
  longest += 1 - longest % 2; /* odd: rows of neighbouring threads in different banks */
  return sizeof(PetscScalar) * (size_t)(longest * (product->block / group));
}

/* Rows of element matrices from the second way to compute them, where it serves */
static PetscErrorCode PlexGlobalChooseModal(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  const PetscInt    ef = asm_->elements->ef;
  PetscInt          longest;
  PetscBool         moments = PETSC_FALSE;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  if (!PlexVariantAllowed(asm_, product, "monomials") && !PlexVariantAllowed(asm_, product, "moments"))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexRunsServe_Private(asm_, product, &plan->modal));
  if (!plan->modal) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexVariantAllowed(asm_, product, "moments")) PetscCall(PlexMomentsServe_Private(asm_, product, &moments));
  if (!moments && !PlexVariantAllowed(asm_, product, "monomials")) {
    plan->modal = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  longest        = PetscMax(1, PlexPatternLongest(asm_->pattern));
  product->team  = 1;
  product->rows  = 1;
  product->work  = 0;
  product->block = asm_->blockSize ? asm_->blockSize : 128;
  if (PlexGlobalSums(product, ef, longest) <= limits.sharedPerBlock / 4) {
    product->symmetric = PETSC_FALSE; /* an element matrix is computed whole */
    product->nd        = ef * ef;
    product->moments   = moments;
    product->variant   = moments ? "moments" : "monomials";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  plan->modal = PETSC_FALSE;
  PetscCall(PlexAssemblyChooseTeam(asm_, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Element vectors where a team would have an element otherwise: by sums along lines, a thread an element
   (cuda/integrate/lines_vector.cuh), or on tensor units */
static PetscErrorCode PlexGlobalChooseVectors(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  PetscBool serves = PlexVariantAllowed(asm_, product, "sumfactor");

  PetscFunctionBegin;
  if (serves) PetscCall(PlexLinesServeResidual_Private(asm_, product, &plan->tables, &serves));
  if (!serves) {
    serves = PlexVariantAllowed(asm_, product, "tensorcores");
    if (serves) PetscCall(PlexUnitsChoose_Private(asm_, product, &serves));
    if (serves) product->variant = "tensorcores";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->variant = "sumfactor";
  product->team    = 1;
  product->work    = 0;
  product->block   = asm_->blockSize ? asm_->blockSize : PLEX_GLOBAL_VECTORS;
  product->lines   = &plan->tables;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block, most */
static PetscInt PlexGlobalElements(PlexAssembly asm_, PlexProduct *product, const PlexGlobalPlan *plan)
{
  if (plan->modal) return PetscMin(PLEX_RUN, asm_->partitionSize ? asm_->partitionSize : PLEX_RUN);
  if (product->kind == PLEX_RESIDUAL && (product->lines || product->units) && !asm_->partitionSize)
    return PLEX_GLOBAL_VECTORS;
  return PlexBlocksElements_Private(asm_, product, PLEX_GLOBAL_BUDGET);
}

/* Of each run of some, the rows to which most elements add first, so that neighbouring threads have as many */
static PetscErrorCode PlexGlobalSortRows(PetscInt n, int dofs[], const int count[])
{
  PetscInt key[PLEX_GLOBAL_RUN], run[PLEX_GLOBAL_RUN];

  PetscFunctionBegin;
  for (PetscInt first = 0; first < n; first += PLEX_GLOBAL_RUN) {
    const PetscInt m = PetscMin(PLEX_GLOBAL_RUN, n - first);

    for (PetscInt k = 0; k < m; ++k) {
      run[k] = dofs[first + k];
      key[k] = -count[run[k]] * PLEX_GLOBAL_RUN + k;
    }
    PetscCall(PetscSortIntWithArray(m, key, run));
    for (PetscInt k = 0; k < m; ++k) dofs[first + k] = (int)run[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local dofs whose rows the elements of a pass add to, in the order in which they come to them, so that the rows of an
   element matrix are read at about the same time: first those that no earlier pass added to, as seen[] says; count[] is
   of the pass. From the last element back, whose matrices are in the L2 cache yet, and in short runs by how many
   elements add to them */
static PetscErrorCode PlexGlobalOrderRows(PlexAssembly asm_, const PlexBlocks *blocks, PlexGlobalPass *pass,
                                          PetscBool seen[], int count[], PetscInt *n, int dofs[])
{
  PlexElements   el    = asm_->elements;
  const PetscInt first = blocks->elementStart[pass->firstBlock],
                 last  = blocks->elementStart[pass->firstBlock + pass->nblocks];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, el->Nl));
  for (PetscInt p = first; p < last; ++p)
    for (PetscInt i = 0; blocks->elements[p] >= 0 && i < el->ef; ++i)
      count[el->dofs[blocks->elements[p] * el->ef + i]]++;
  *n = 0;
  for (PetscInt again = 0; again < 2; ++again) {
    const PetscInt begin = *n;

    for (PetscInt k = first; k < last; ++k) {
      const PetscInt p = first + last - 1 - k;

      for (PetscInt i = 0; blocks->elements[p] >= 0 && i < el->ef; ++i) {
        const int l = el->dofs[blocks->elements[p] * el->ef + i];

        if (asm_->pattern->row[l] < 0 || count[l] < 0 || seen[l] != (PetscBool)again) continue;
        dofs[(*n)++] = l;
        count[l]     = -count[l]; /* listed */
      }
    }
    for (PetscInt k = begin; k < *n; ++k) count[dofs[k]] = -count[dofs[k]];
    PetscCall(PlexGlobalSortRows(*n - begin, &dofs[begin], count));
    for (PetscInt k = begin; k < *n; ++k) count[dofs[k]] = -count[dofs[k]];
    if (!again) pass->fresh = *n;
  }
  for (PetscInt k = 0; k < *n; ++k) seen[dofs[k]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of each pass; *longest: targets of a row */
static PetscErrorCode PlexGlobalMakeRows(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan,
                                         PetscInt *longest)
{
  const PetscInt Nl = asm_->elements->Nl;
  PetscInt       n = 0, all = 0, fresh = 0;
  PetscBool     *seen;
  int           *dofs, *count;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Nl, &dofs, Nl, &count));
  PetscCall(PetscCalloc1(Nl, &seen));
  for (PetscInt l = 0; l < Nl; ++l)
    if (product->kind == PLEX_RESIDUAL || asm_->pattern->row[l] >= 0) dofs[all++] = (int)l;
  for (PetscInt k = 0; k < plan->npasses; ++k) {
    PlexGlobalPass *pass = &plan->passes[k];

    n = all;
    if (plan->modal) PetscCall(PlexGlobalOrderRows(asm_, &plan->blocks, pass, seen, count, &n, dofs));
    if (plan->modal) {
      PetscCall(PlexRunsPassCreate_Private(asm_, product, &plan->runs, &plan->blocks, pass->firstBlock, pass->nblocks,
                                           n, pass->fresh, dofs, &pass->runs));
      pass->grid = pass->runs.grid;
      product->bytes += pass->runs.bytes;
    } else {
      PetscCall(PlexRowsCreate_Private(asm_, product, &plan->blocks, pass->firstBlock, pass->firstBlock + pass->nblocks,
                                       n, dofs, NULL, &pass->rows));
      pass->grid = (n + product->block / plan->group - 1) / (product->block / plan->group);
      *longest   = PetscMax(*longest, pass->rows.longest);
      product->bytes += pass->rows.bytes;
    }
    fresh += plan->modal ? pass->fresh : k ? 0 : n;
    product->bytes += (double)PlexAssemblyRealSize(asm_) * asm_->elements->Ne * product->nd / plan->npasses +
                      8.0 * product->Nt * (k ? 2 : 1) * (double)n / (double)PetscMax(1, all);
  }
  plan->whole = (PetscBool)(product->kind == PLEX_JACOBIAN && fresh == asm_->pattern->m);
  PetscCall(PetscFree(seen));
  PetscCall(PetscFree2(dofs, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexGlobalSetUpRow(PlexAssembly asm_, PlexProduct *product, PlexGlobalPlan *plan)
{
  const PetscInt    ef = asm_->elements->ef;
  PlexBackendLimits limits;
  PetscInt          longest = 0, fit;
  char              define[3][64];
  const char       *defines[] = {define[0], define[1], define[2]};

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (plan->modal) {
    PetscCall(PlexGlobalMakeRows(asm_, product, plan, &longest));
    for (PetscInt k = 0; k < plan->npasses; ++k)
      plan->sums = PetscMax(plan->sums,
                            sizeof(PetscScalar) * (size_t)(plan->passes[k].runs.rows.sums * (product->block / 32)));
    PetscCall(PlexRunsCompile_Private(asm_, product, &plan->runs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  plan->group = product->kind == PLEX_RESIDUAL || asm_->repeated || ef <= 6 ? 1 : ef <= 16 ? 8 : 32;
  PetscCall(PlexGlobalMakeRows(asm_, product, plan, &longest));
  fit        = (PetscInt)(PlexGlobalSums(product, plan->group, longest) <= limits.sharedPerBlock / 4);
  plan->sums = fit ? PlexGlobalSums(product, plan->group, longest) : 0;
  PetscCall(PetscSNPrintf(define[0], sizeof(define[0]), "PLEX_GROUP=%d", (int)plan->group));
  PetscCall(PetscSNPrintf(define[1], sizeof(define[1]), "PLEX_ROW_SHARED=%d", (int)fit));
  PetscCall(PetscSNPrintf(define[2], sizeof(define[2]), "PLEX_LONGEST=%d", (int)(longest + 1 - longest % 2)));
  PetscCall(PlexAssemblyCompile(asm_, product, "global_row.cu", 3, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Global(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements    elements = asm_->elements;
  PlexGlobalPlan *plan;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  product->variant = "plain";
  if (((PlexGlobal *)asm_->data)->row) PetscCall(PlexGlobalChooseModal(asm_, product, plan));
  PetscCall(PlexGlobalChooseVectors(asm_, product, plan));
  PetscCall(PlexElementParts_Private(asm_, PlexGlobalElements(asm_, product, plan)));
  if (plan->modal) {
    PlexBackendLimits limits;

    PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
    PetscCall(PlexRunsCreate_Private(asm_, product, &asm_->parts.elements, &plan->blocks, &plan->runs));
    while (product->block > 32 && plan->runs.shared * (size_t)(product->block / 32) > limits.sharedPerBlock)
      product->block = product->block / 64 * 32;
  } else PetscCall(PlexBlocksCreate_Private(asm_, product, &asm_->parts.elements, &plan->blocks));
  PetscCall(PlexGlobalMakePasses(asm_, product, plan));
  plan->shared   = plan->modal ? plan->runs.shared * (size_t)(product->block / 32)
                               : product->work * (product->block / product->team) + plan->blocks.sharedBytes;
  product->bytes = plan->blocks.bytes + (double)PlexAssemblyRealSize(asm_) * elements->Ne * product->nd;
  if (product->kind == PLEX_RESIDUAL && product->lines)
    product->flops = (double)elements->Ne * PlexLinesResidualFlops_Private(asm_, product, &plan->tables);
  else if (product->units) product->flops = (double)elements->Ne * PlexUnitsFlops_Private(asm_, product);
  else
    product->flops = PlexAssemblyCountFlops(asm_, product, (double)elements->Ne * PlexAssemblyPoints(asm_, product),
                                            (double)elements->Ne * elements->ef, 0);
  product->flops += (double)elements->Ne * (plan->modal ? elements->ef * elements->ef : product->nd);
  if (((PlexGlobal *)asm_->data)->row) PetscCall(PlexGlobalSetUpRow(asm_, product, plan));
  else PetscCall(PlexGlobalSetUpNZ(asm_, product, plan));
  PetscCall(PlexModuleGetKernel(product->module, "plex_integrate", &plan->integrate));
  PetscCall(PlexModuleGetKernel(product->module, "plex_reduce", &plan->reduce));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes take turns in two queues, and in two halves of G: elements of the next one are computed while rows of this one
   are summed. Sums are taken pass by pass, as later ones add to what is there */
static PetscErrorCode PlexGlobalTurn(PlexAssembly asm_, PlexGlobalPlan *plan, PetscInt pass, PetscBool after)
{
  PetscFunctionBegin;
  if (plan->turns) PetscCall(PlexBackendSetQueue(asm_->backend, pass % 2 ? PLEX_QUEUE_SIDE : PLEX_QUEUE_MAIN, after));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Global(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexGlobalPlan *plan = (PlexGlobalPlan *)product->plan;

  PetscFunctionBegin;
  /* targets that no element writes are in no list */
  if (plan->ids || (((PlexGlobal *)asm_->data)->row && !plan->whole))
    PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  PetscCall(PlexGlobalTurn(asm_, plan, 1, PETSC_TRUE));
  for (PetscInt k = 0; k < plan->npasses; ++k) {
    PlexGlobalPass *pass = &plan->passes[k];
    void *G = (char *)plan->G + (plan->turns ? k % 2 : 0) * plan->positions * PlexAssemblyRealSize(asm_) * product->nd;
    int   firstBlock = (int)pass->firstBlock, add = k > 0, nlists = (int)plan->nlists, nrows = (int)pass->rows.nrows;
    void *integrate[] = {(void *)args, &plan->blocks.device, &firstBlock, &G};
    void *runs[]      = {(void *)args, &pass->runs.device, &G};
    void *runsRow[]   = {(void *)args, &G, &pass->runs.rows};
    void *nz[]        = {(void *)args, &G, &pass->entries, &pass->rowStart, &plan->ids, &plan->mirrors, &nlists, &add};
    void *row[]       = {(void *)args, &G, &pass->rows.device, &nrows, &add};

    PetscCall(PlexGlobalTurn(asm_, plan, k, PETSC_FALSE));
    PetscCall(PetscLogEventBegin(PLEX_Integrate, asm_, 0, 0, 0));
    PetscCall(PlexKernelLaunch(plan->integrate, plan->modal ? pass->runs.blocks : pass->nblocks, product->block,
                               plan->shared, plan->modal ? runs : integrate));
    PetscCall(PetscLogEventEnd(PLEX_Integrate, asm_, 0, 0, 0));
    PetscCall(PlexGlobalTurn(asm_, plan, k, PETSC_TRUE));
    PetscCall(PetscLogEventBegin(PLEX_Reduce, asm_, 0, 0, 0));
    PetscCall(PlexKernelLaunch(plan->reduce, pass->grid, product->block, plan->sums,
                               plan->modal                       ? runsRow
                               : ((PlexGlobal *)asm_->data)->row ? row
                                                                 : nz));
    PetscCall(PetscLogEventEnd(PLEX_Reduce, asm_, 0, 0, 0));
  }
  PetscCall(PlexGlobalTurn(asm_, plan, 0, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Global(PlexAssembly asm_, PlexProduct *product)
{
  PlexGlobalPlan *plan = (PlexGlobalPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < plan->npasses; ++k) {
    PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->passes[k].entries));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->passes[k].rowStart));
    PetscCall(PlexRowsDestroy_Private(asm_, &plan->passes[k].rows));
    PetscCall(PlexRunsPassDestroy_Private(asm_, &plan->passes[k].runs));
  }
  PetscCall(PlexRunsDestroy_Private(asm_, &plan->runs));
  PetscCall(PetscFree(plan->passes));
  PetscCall(PlexBackendFree(asm_->backend, &plan->G));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->ids));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->mirrors));
  PetscCall(PlexBlocksDestroy_Private(asm_, &plan->blocks));
  PetscCall(PetscFree(product->plan));
  product->lines   = NULL;
  product->units   = PETSC_FALSE;
  product->moments = PETSC_FALSE;
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
  if (product->kind == PLEX_RESIDUAL && product->lines)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "a thread computes an element, by sums along lines of %" PetscInt_FMT " points\n",
                                     plan->tables.Q));
  if (product->units)
    PetscCall(PetscViewerASCIIPrintf(viewer, "a warp computes %d elements, on tensor units\n", PLEX_UNITS_ELEMENTS));
  if (plan->modal)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "a thread computes an element, %s; threads a row: %" PetscInt_FMT
                                     ", rows a warp: %" PetscInt_FMT ", places of %" PetscInt_FMT " bytes\n",
                                     product->moments ? "by moments" : "gradients expanded", asm_->elements->ef,
                                     plan->runs.abreast, plan->runs.placeBytes));
  else if (((PlexGlobal *)asm_->data)->row)
    PetscCall(PetscViewerASCIIPrintf(viewer, "threads a row: %" PetscInt_FMT "; sums in %s memory\n", plan->group,
                                     plan->sums ? "shared" : "global"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "reduction lists: %" PetscInt_FMT ", %.3g %% padding\n", plan->nlists,
                                     100 * plan->passes[0].padding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCreate_Global(PlexAssembly asm_, PetscBool row)
{
  PlexGlobal *global;

  PetscFunctionBegin;
  PetscCall(PetscNew(&global));
  global->row             = row;
  asm_->data              = global;
  asm_->ops->setup        = PlexAssemblySetUp_Global;
  asm_->ops->compute      = PlexAssemblyCompute_Global;
  asm_->ops->resetproduct = PlexAssemblyResetProduct_Global;
  asm_->ops->view         = PlexAssemblyView_Global;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order in which they are tried */
PETSC_EXTERN const PlexVariant PlexVariants_GlobalRow[];
const PlexVariant              PlexVariants_GlobalRow[] = {
  {"sumfactor",   PLEX_OF_RESIDUALS,          PETSC_FALSE,
   "residuals of a scalar field on quadrilaterals and hexahedra that a team of threads would share"                  },
  {"tensorcores", PLEX_OF_RESIDUALS,          PETSC_FALSE, "residuals of elements that a team of threads would share"},
  {"moments",     PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by quadrature of a scalar field of order 2 on affine simplices, of an isotropic g3 alone"              },
  {"monomials",   PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by quadrature of a scalar field of orders 1 to 3 on affine simplices"                                  },
  {"plain",       PLEX_OF_BOTH,               PETSC_FALSE, "everything"                                              },
  {NULL,          {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL                                                      }
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
  PetscCall(PlexAssemblyCreate_Global(asm_, PETSC_FALSE));
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
  PetscCall(PlexAssemblyCreate_Global(asm_, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
