/*
  element_color and element_atomic: a thread (or team) an element, which adds its data to the matrix or residual at once
  (Cecka 4.1). The two differ in how sums of different elements are kept apart: one launch a colour, or atomic
  additions.

  Of a distributed matrix element_atomic first launches the elements that add to others' rows, so that these can be sent
  while the others are computed: two runs of elements, in a queue each.
*/
#include "../../integrate/lines.h" /*I "plexgpuassembly.h" I*/
#include "../../integrate/units.h"
#include "../../integrate/integrate.h"
#include <plex_args.h>

#define PLEX_ELEMENT_LINES_BLOCK 64 /* threads, where a thread computes an element by sums along lines */

typedef struct {
  PetscBool atomic;
} PlexElement;

typedef struct {
  PetscInt  runs;  /* a launch each: colours, or for element_atomic all elements in one run or two */
  PetscInt *first; /* [runs+1] position of each run's first element; multiples of the interleave */
  PetscInt *n;     /* [runs] elements */
  /* interleaved [positions][NV + EF + number]: coordinate nodes, dofs, the element where numbered; -1: padding */
  int       *device;
  int       *slots; /* of a matrix, interleaved [positions][EF][EF]; -1: dropped */
  PlexKernel kernel;

  PlexLineTables tables; /* of product->lines */
} PlexElementPlan;

/* Of a residual for which a team would be needed a thread computes an element, where it can sum along lines
   (cuda/integrate/lines_vector.cuh) */
static PetscErrorCode PlexElementChooseLines(PlexAssembly asm_, PlexProduct *product, PlexElementPlan *plan)
{
  const PlexElements el = asm_->elements;
  PlexBackendLimits  limits;
  PetscBool          serves;
  size_t             work;

  PetscFunctionBegin;
  product->variant = "plain";
  if (!PlexVariantAllowed(asm_, product, "sumfactor")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServeResidual_Private(asm_, product, &plan->tables, &serves));
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  work = PlexAssemblyRealSize(asm_) * (size_t)((el->Nv * el->dim + 2 * el->ef) | 1);
  if (!serves || work * 32 > limits.sharedPerBlock / 2) PetscFunctionReturn(PETSC_SUCCESS);
  product->variant = "sumfactor";
  product->team    = 1;
  product->work    = work;
  product->block   = asm_->blockSize ? asm_->blockSize : PLEX_ELEMENT_LINES_BLOCK;
  product->lines   = &plan->tables;
  while (product->block > 32 && work * (size_t)product->block > limits.sharedPerBlock) product->block -= 32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Element e adds to rows that are sent to their owners: those behind the owned ones in the pattern */
static PetscBool PlexElementIsSent(PlexAssembly asm_, PetscInt e)
{
  const PlexPattern pattern = asm_->pattern;
  const PetscInt    ef      = asm_->elements->ef;

  for (PetscInt i = 0; i < ef; ++i)
    if (pattern->row[asm_->elements->dofs[(size_t)e * ef + i]] >= pattern->mA + pattern->halo->nown) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Colours as runs of elements; without colouring one run of all, or two, those that are sent first */
static PetscErrorCode PlexElementOrder(PlexAssembly asm_, PlexProduct *product, PetscInt *runs, PetscInt **start,
                                       int **order)
{
  PlexElements elements = asm_->elements;
  PetscInt     n        = 0;

  PetscFunctionBegin;
  product->early = PETSC_FALSE;
  if (!((PlexElement *)asm_->data)->atomic) {
    PetscCall(PlexColorElements(elements->Ne, elements->ef, elements->dofs, elements->Nl, runs, start, order));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (product->kind == PLEX_JACOBIAN && !asm_->additive && asm_->pattern->halo) product->early = PETSC_TRUE;
  *runs = product->early ? 2 : 1;
  PetscCall(PetscMalloc1(*runs + 1, start));
  PetscCall(PetscMalloc1(elements->Ne, order));
  (*start)[0] = 0;
  for (PetscInt run = 0; run < *runs; ++run) {
    for (PetscInt e = 0; e < elements->Ne; ++e)
      if (!product->early || PlexElementIsSent(asm_, e) == (PetscBool)!run) (*order)[n++] = (int)e;
    (*start)[run + 1] = n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel is told which element: for auxiliary dofs and the geometry of facets */
static PetscInt PlexElementNumbered(PlexElements elements)
{
  return elements->ea || elements->integral.facets ? 1 : 0;
}

/* Writes element e's items at position p of the interleaved plan */
static void PlexElementFill(PlexElements elements, PetscInt e, size_t p, PetscInt W, int plan[])
{
  const PetscInt NV = elements->Nv, EF = elements->ef, N = PlexElementNumbered(elements);
  int           *to = &plan[p / W * (NV + EF + N) * W + p % W];

  for (PetscInt k = 0; k < NV; ++k) to[(size_t)k * W] = elements->vertices[e * NV + k];
  for (PetscInt k = 0; k < EF; ++k) to[(size_t)(NV + k) * W] = elements->dofs[e * EF + k];
  if (N) to[(size_t)(NV + EF) * W] = (int)e;
}

static PetscErrorCode PlexAssemblySetUp_Element(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements     elements = asm_->elements;
  PlexElementPlan *plan;
  const PetscInt   NT = product->kind == PLEX_JACOBIAN ? elements->ef * elements->ef : elements->ef,
                   K  = elements->Nv + elements->ef + PlexElementNumbered(elements);
  PetscInt         W, *start;
  int             *order, *host;
  size_t           positions = 0;
  PetscBool        units;
  const char      *define = ((PlexElement *)asm_->data)->atomic ? "PLEX_ATOMIC=1" : "PLEX_ATOMIC=0";

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan = plan;
  PetscCall(PlexElementChooseLines(asm_, product, plan));
  units = PlexVariantAllowed(asm_, product, "tensorcores");
  if (units) PetscCall(PlexUnitsChoose_Private(asm_, product, &units));
  if (units) product->variant = "tensorcores";
  W = product->team == 1 ? 32 : 1;
  PetscCall(PlexElementOrder(asm_, product, &plan->runs, &start, &order));
  PetscCall(PetscMalloc2(plan->runs + 1, &plan->first, plan->runs, &plan->n));
  for (PetscInt c = 0; c < plan->runs; ++c) {
    plan->first[c] = (PetscInt)positions;
    plan->n[c]     = start[c + 1] - start[c];
    positions += (size_t)(plan->n[c] + W - 1) / W * W;
  }
  PetscCall(PetscMalloc1(positions * K, &host));
  for (size_t k = 0; k < positions * K; ++k) host[k] = -1;
  for (PetscInt c = 0; c < plan->runs; ++c)
    for (PetscInt k = 0; k < plan->n[c]; ++k)
      PlexElementFill(elements, order[start[c] + k], (size_t)plan->first[c] + k, W, host);
  PetscCall(PlexBackendUpload(asm_->backend, host, sizeof(int) * positions * K, (void **)&plan->device));
  PetscCall(PetscFree(host));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(start));
  if (product->kind == PLEX_JACOBIAN)
    PetscCall(PlexPatternGetSlots(asm_->pattern, asm_->backend, positions, W, plan->device, K, elements->Nv,
                                  &plan->slots));
  product->bytes = (double)elements->Ne *
                     (sizeof(int) * (K + (plan->slots ? NT : 0)) +
                      sizeof(PetscScalar) * (elements->cdim * elements->Nv + elements->ef + 2.0 * NT) +
                      (sizeof(int) + sizeof(PetscScalar)) * elements->ea) +
                   (asm_->additive ? 0 : sizeof(PetscScalar) * (double)product->Nt);
  if (elements->integral.facets)
    product->bytes += (double)elements->Ne *
                      (sizeof(int) + sizeof(PetscReal) * elements->Nq * PLEX_FACET_SIZE(elements->dim));
  if (product->lines)
    product->flops = (double)elements->Ne * PlexLinesResidualFlops_Private(asm_, product, &plan->tables);
  else if (product->units) product->flops = (double)elements->Ne * PlexUnitsFlops_Private(asm_, product);
  else
    product->flops = PlexAssemblyCountFlops(asm_, product, (double)elements->Ne * PlexAssemblyPoints(asm_, product),
                                            (double)elements->Ne * elements->ef, 0);
  PetscCall(PlexAssemblyCompile(asm_, product, "element.cu", 1, &define));
  PetscCall(PlexModuleGetKernel(product->module, "plex_assemble", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementLaunch(PlexProduct *product, const void *args, PetscInt run)
{
  PlexElementPlan *plan = (PlexElementPlan *)product->plan;
  /* elements a block */
  const PetscInt teams = product->units ? product->block / 32 * PLEX_UNITS_ELEMENTS : product->block / product->team;
  int            first = (int)plan->first[run], n = (int)plan->n[run];
  void          *arguments[] = {(void *)args, &plan->device, &plan->slots, &first, &n};

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
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->device));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&plan->slots));
  PetscCall(PetscFree2(plan->first, plan->n));
  PetscCall(PetscFree(product->plan));
  product->lines = NULL;
  product->units = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Element(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexElementPlan *plan  = (PlexElementPlan *)product->plan;
  PetscInt         least = PETSC_INT_MAX, most = 0;

  PetscFunctionBegin;
  if (product->lines)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "a thread computes an element, by sums along lines of %" PetscInt_FMT " points\n",
                                     plan->tables.Q));
  if (product->units)
    PetscCall(PetscViewerASCIIPrintf(viewer, "a warp computes %d elements, on tensor units\n", PLEX_UNITS_ELEMENTS));
  if (((PlexElement *)asm_->data)->atomic) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt c = 0; c < plan->runs; ++c) {
    least = PetscMin(least, plan->n[c]);
    most  = PetscMax(most, plan->n[c]);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "colours: %" PetscInt_FMT ", of %" PetscInt_FMT " to %" PetscInt_FMT " elements\n",
                                   plan->runs, least, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCreate_Element(PlexAssembly asm_, PetscBool atomic)
{
  PlexElement *element;

  PetscFunctionBegin;
  PetscCall(PetscNew(&element));
  element->atomic         = atomic;
  asm_->data              = element;
  asm_->ops->setup        = PlexAssemblySetUp_Element;
  asm_->ops->compute      = PlexAssemblyCompute_Element;
  asm_->ops->resetproduct = PlexAssemblyResetProduct_Element;
  asm_->ops->view         = PlexAssemblyView_Element;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order in which they are tried */
PETSC_EXTERN const PlexVariant PlexVariants_Element[];
const PlexVariant              PlexVariants_Element[] = {
  {"sumfactor",   PLEX_OF_RESIDUALS,          PETSC_FALSE,
   "residuals of a scalar field on quadrilaterals and hexahedra that a team of threads would share"                  },
  {"tensorcores", PLEX_OF_RESIDUALS,          PETSC_FALSE, "residuals of elements that a team of threads would share"},
  {"plain",       PLEX_OF_BOTH,               PETSC_FALSE, "everything"                                              },
  {NULL,          {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL                                                      }
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
  PetscCall(PlexAssemblyCreate_Element(asm_, PETSC_FALSE));
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
  PetscCall(PlexAssemblyCreate_Element(asm_, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
