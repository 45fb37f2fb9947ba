/*
  element_color and element_atomic: a thread (or team) an element, which adds its data to the matrix or residual at once
  (Cecka 4.1). The two differ in how sums of different elements are kept apart: one launch a colour, or atomic
  additions.

  Of a distributed matrix element_atomic first launches the elements that add to others' rows, so that these can be sent
  while the others are computed: two runs of elements, in a queue each.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include <plexgpu/private/util.h>
#include <plex_args.h>

typedef struct {
  PetscInt  runs;  /* a launch each: colours, or for element_atomic all elements in one run or two */
  PetscInt *first; /* [runs+1] position of each run's first element; multiples of the interleave */
  PetscInt *n;     /* [runs] elements */
  /* interleaved [positions][NV + EF + number]: coordinate nodes, dofs, the element where numbered; -1: padding */
  int       *device;
  int       *slots; /* of a matrix, interleaved [positions][EF][EF]; -1: dropped */
  PlexKernel kernel;
} PlexElementPlan;

typedef struct {
  PlexAssembly asm_;
  char        *sent; /* [Ne] */
} PlexElementSent;

/* Elements that add to rows that are sent to their owners: those behind the owned ones in the pattern */
static void PlexElementSentLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexElementSent  *s       = (PlexElementSent *)ctx;
  const PlexPattern pattern = s->asm_->pattern;
  const PetscInt    ef      = s->asm_->elements->ef;

  for (PetscInt e = begin; e < end; ++e) {
    s->sent[e] = 0;
    for (PetscInt i = 0; i < ef; ++i)
      s->sent[e] |= pattern->row[s->asm_->elements->dofs[(size_t)e * ef + i]] >= pattern->mA + pattern->halo->nown;
  }
}

/* Colours as runs of elements; without colouring one run of all, or two, those that are sent first. *order NULL: as
   they are */
static PetscErrorCode PlexElementOrder(PlexAssembly asm_, PlexProduct *product, PetscInt *runs, PetscInt **start,
                                       int **order)
{
  PlexElements    elements = asm_->elements;
  PlexElementSent s        = {.asm_ = asm_};

  PetscFunctionBegin;
  product->early = PETSC_FALSE;
  if (!PlexAssemblyFlag(asm_)) {
    PetscCall(PlexColorElements(elements->Ne, elements->ef, elements->dofs, elements->Nl, runs, start, order));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (product->kind == PLEX_JACOBIAN && !asm_->additive && asm_->pattern->halo) product->early = PETSC_TRUE;
  *runs = product->early ? 2 : 1;
  PetscCall(PetscMalloc1(*runs + 1, start));
  (*start)[0] = 0;
  (*start)[1] = elements->Ne;
  *order      = NULL;
  if (!product->early) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(elements->Ne, &s.sent));
  PetscCall(PlexThreadsRun(elements->Ne, PLEX_THREADS_LEAST, PlexElementSentLoop, &s));
  PetscCall(PlexThreadsSelect(elements->Ne, s.sent, PETSC_TRUE, &(*start)[1], order));
  (*start)[2] = elements->Ne;
  PetscCall(PetscFree(s.sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel is told which element: for auxiliary dofs, the geometry of facets, and signs */
static PetscInt PlexElementNumbered(PlexElements elements)
{
  return elements->ea || elements->integral.facets || elements->vectors ? 1 : 0;
}

/* What the kernel reads of each element of a run, interleaved */
typedef struct {
  PlexElements el;
  PetscInt     numbered, K, W; /* the element's number too; items an element; elements that are interleaved */
  const int   *order;          /* [n] elements; NULL: from `start` on */
  PetscInt     start, n;
  int         *to; /* of the run's first position, a multiple of W */
} PlexElementRun;

/* Groups of W positions, the last one padded with -1 */
static void PlexElementRunLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexElementRun *run = (const PlexElementRun *)ctx;
  const PlexElements    el  = run->el;
  const PetscInt        W   = run->W;

  for (PetscInt p = begin * W; p < end * W; ++p) {
    const size_t e  = p >= run->n ? 0 : run->order ? (size_t)run->order[p] : (size_t)(run->start + p);
    int         *to = &run->to[(size_t)(p / W) * run->K * W + p % W];

    for (PetscInt m = 0; m < run->K && p >= run->n; ++m, to += W) *to = -1;
    if (p >= run->n) continue;
    for (PetscInt m = 0; m < el->Nv; ++m, to += W) *to = el->vertices[e * el->Nv + m];
    for (PetscInt m = 0; m < el->ef; ++m, to += W) *to = el->dofs[e * el->ef + m];
    if (run->numbered) *to = (int)e;
  }
}

/* Positions of the elements in their order, and what the kernel reads of each, interleaved */
static PetscErrorCode PlexElementFillPlan(PlexAssembly asm_, PlexProduct *product, PlexElementPlan *plan,
                                          const PetscInt start[], const int order[])
{
  const PlexElements el = asm_->elements;
  const PetscInt     N = PlexElementNumbered(el), K = el->Nv + el->ef + N, W = product->team == 1 ? 32 : 1;
  size_t             positions = 0;
  int               *host;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(plan->runs + 1, &plan->first, plan->runs, &plan->n));
  for (PetscInt c = 0; c < plan->runs; ++c) {
    plan->first[c] = (PetscInt)positions;
    plan->n[c]     = start[c + 1] - start[c];
    positions += (size_t)(plan->n[c] + W - 1) / W * W;
  }
  PetscCall(PetscMalloc1(positions * K, &host));
  for (PetscInt c = 0; c < plan->runs; ++c) {
    PlexElementRun run = {.el = el, .numbered = N, .K = K, .W = W, .start = start[c], .n = plan->n[c]};

    run.order = order ? &order[start[c]] : NULL;
    run.to    = &host[(size_t)plan->first[c] * K];
    PetscCall(PlexThreadsRun((run.n + W - 1) / W, PLEX_THREADS_LEAST / W, PlexElementRunLoop, &run));
  }
  PetscCall(PlexProductUpload(asm_, product, host, sizeof(int) * positions * K, &plan->device));
  PetscCall(PetscFree(host));
  if (product->kind == PLEX_RESIDUAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPatternGetSlots(asm_->pattern, asm_->backend, positions, W, plan->device, K, el->Nv, &plan->slots));
  PetscCall(PlexMemoryAdd(&product->memory, sizeof(int) * positions * (size_t)(el->ef * el->ef), plan->slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that all elements read and write */
static double PlexElementBytes(PlexAssembly asm_, const PlexProduct *product)
{
  const PlexElements el    = asm_->elements;
  const double       NT    = product->kind == PLEX_JACOBIAN ? el->ef * el->ef : el->ef;
  double             bytes = sizeof(int) * (el->Nv + el->ef + PlexElementNumbered(el)) +
                             sizeof(PetscScalar) * (el->dim * el->Nv + el->ef + 2.0 * NT) +
                             (sizeof(int) + sizeof(PetscScalar)) * el->ea;

  if (product->kind == PLEX_JACOBIAN) bytes += sizeof(int) * NT; /* slots */
  if (el->integral.facets) bytes += sizeof(int) + sizeof(PetscReal) * el->Nq * PlexElementsFacetSize(el);
  return (double)el->Ne * bytes + (asm_->additive ? 0 : sizeof(PetscScalar) * (double)product->Nt);
}

static PetscErrorCode PlexAssemblySetUp_Element(PlexAssembly asm_, PlexProduct *product)
{
  PlexElementPlan *plan;
  PetscInt        *start;
  int             *order;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  product->variant = "plain";
  PetscCall(PlexIntegratorChoose(asm_, product));
  PetscCall(PlexElementOrder(asm_, product, &plan->runs, &start, &order));
  PetscCall(PlexElementFillPlan(asm_, product, plan, start, order));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(start));
  product->bytes = PlexElementBytes(asm_, product);
  product->flops = PlexIntegratorFlops(asm_, product);
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "element.cu", 1,
                                     &(PlexSize){"PLEX_ATOMIC", PlexAssemblyFlag(asm_)}));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementLaunch(PlexProduct *product, const void *args, PetscInt run)
{
  PlexElementPlan *plan  = (PlexElementPlan *)product->plan;
  const PetscInt   teams = PlexIntegratorElements(product);
  int              first = (int)plan->first[run], n = (int)plan->n[run];
  void            *arguments[] = {(void *)args, &plan->device, &plan->slots, &first, &n};

  PetscFunctionBegin;
  if (n)
    PetscCall(PlexKernelLaunch(plan->kernel, (n + teams - 1) / teams, product->block, product->work * teams,
                               arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second run waits for the zeros alone: sums of both are atomic */
static PetscErrorCode PlexElementLaunchEarly(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendSetQueue(asm_->backend, PLEX_QUEUE_SIDE, PETSC_TRUE));
  PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  PetscCall(PlexBackendSetQueue(asm_->backend, PLEX_QUEUE_MAIN, PETSC_TRUE));
  PetscCall(PlexBackendSetQueue(asm_->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
  PetscCall(PlexElementLaunch(product, args, 0));
  PetscCall(PlexBackendSetQueue(asm_->backend, PLEX_QUEUE_MAIN, PETSC_FALSE));
  PetscCall(PlexElementLaunch(product, args, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Element(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexElementPlan *plan = (PlexElementPlan *)product->plan;

  PetscFunctionBegin;
  if (product->early) {
    PetscCall(PlexElementLaunchEarly(asm_, product, args));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!asm_->additive) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  for (PetscInt run = 0; run < plan->runs; ++run) PetscCall(PlexElementLaunch(product, args, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Element(PlexAssembly asm_, PlexProduct *product)
{
  PlexElementPlan *plan = (PlexElementPlan *)product->plan;

  PetscFunctionBegin;
  (void)asm_;
  if (plan) PetscCall(PetscFree2(plan->first, plan->n));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Element(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexElementPlan *plan  = (PlexElementPlan *)product->plan;
  PetscInt         least = PETSC_INT_MAX, most = 0;

  PetscFunctionBegin;
  PetscCall(PlexIntegratorView(product, viewer));
  if (PlexAssemblyFlag(asm_)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt c = 0; c < plan->runs; ++c) {
    least = PetscMin(least, plan->n[c]);
    most  = PetscMax(most, plan->n[c]);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "colours: %" PetscInt_FMT ", of %" PetscInt_FMT " to %" PetscInt_FMT " elements\n",
                                   plan->runs, least, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _PlexAssemblyOps PlexOps_Element = {
  .setup        = PlexAssemblySetUp_Element,
  .compute      = PlexAssemblyCompute_Element,
  .resetproduct = PlexAssemblyResetProduct_Element,
  .view         = PlexAssemblyView_Element,
};

/* Behind the integrators */
PETSC_EXTERN const PlexVariant PlexVariants_Element[];
const PlexVariant              PlexVariants_Element[] = {
  {"plain", PLEX_OF_BOTH,               PETSC_FALSE, "everything"},
  {NULL,    {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL        }
};

/*MC
  PLEXASSEMBLYELEMENTCOLOR = "element_color" - A thread (or team of threads) an element; elements that share a dof are
  in different colours, and a colour is a launch

  Options Database Keys:
+ -plex_assembly_block_size n - threads a block
- -plex_assembly_team_size n  - threads an element

  Level: beginner

  Note:
  After Cecka, Lew and Darve (2011), section 4.1. Bitwise repeatable.

.seealso: `PlexAssembly`, `PLEXASSEMBLYELEMENTATOMIC`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementColor(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Element, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PLEXASSEMBLYELEMENTATOMIC = "element_atomic" - A thread (or team of threads) an element, which adds with atomicAdd()

  Level: beginner

  Note:
  Today's usual way, kept as the yardstick. The order of the sums is not fixed: results repeat to rounding only.

.seealso: `PlexAssembly`, `PLEXASSEMBLYELEMENTCOLOR`
M*/
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementAtomic(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetOps(asm_, &PlexOps_Element, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
