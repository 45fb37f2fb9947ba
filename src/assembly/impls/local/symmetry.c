/*
  local_row by symmetry classes. A row of element data of dof i is that of the first dof of i's class under the
  rotations of the cell, of the element read in another order of its nodes. The steps of its plan
  (cuda/assembly/symmetry_plan.h) run where the kernels are, or on the host, a batch of blocks at a time.
*/
#include "symmetry.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */
#include "../../../util/text.h"
#include "../../plan/batches.h"
#include "../../integrate/integrate.h"
#include <assembly/symmetry_plan.h>

#define PLEX_SYMMETRY_SHARED (24 << 10) /* bytes of nodal data of a block, most */
/* bytes of shared memory that a block takes besides its own; and a warp for what is on its way, heads of two tasks */
#define PLEX_SYMMETRY_BLOCK  1024
#define PLEX_SYMMETRY_WAYS   (sizeof(int) * (size_t)(2 * PLEX_SYMMETRY_HEAD))
#define PLEX_SYMMETRY_MORE   1.5  /* times the mean of contributions to a row that a thread sums alone */
#define PLEX_SYMMETRY_NODAL  6144 /* bytes of nodal data of a block, about */
#define PLEX_SYMMETRY_WARPS  16   /* of a multiprocessor, beyond which more are of little use */
#define PLEX_SYMMETRY_ROUNDS 4    /* of the warps of a block, most */
/* blocks that a multiprocessor has at least, over time, if each is to have several rounds of warps */
#define PLEX_SYMMETRY_BLOCKS 12
/* dofs an element beyond which mesh nodes are sorted by the classes of their rows: the code of all rows of a large
   element does not fit in the memory for instructions, and a processor then has that of few */
#define PLEX_SYMMETRY_SORTED 24

typedef struct {
  PlexBatches      b;
  PlexSymmetryPlan p;
} PlexSymmetryPlanner;

/* Arrays, in the order of PlexSymmetryArgs */
enum {
  BLOCKS,
  NODES,
  DOFS,
  PLACES,
  TASKS,
  RECORDS,
  ARRAYS
};

static int PlexBits(PetscInt most)
{
  int bits = 1;

  while (bits < 31 && most >= 1 << bits) ++bits;
  return bits;
}

/* ---- Records ---- */

/* Each item goes to the first word that has room, whole bytes first; the element's number is a word of its own, the
   first. Returns the words */
static int PlexRecordPlace(PlexRecord *r, PetscBool element)
{
  PlexRecordItems *parts[]                   = {&r->places, &r->nodes, &r->dofs};
  int              used[PLEX_SYMMETRY_WORDS] = {0}, words = element ? 1 : 0;

  if (element) used[0] = 32;
  for (int k = 0; k < 6; ++k) {
    PlexRecordItems *items = parts[k % 3];

    if ((items->bits == 8) != (k < 3)) continue;
    for (int i = 0; i < items->n; ++i) {
      int w = 0;

      while (used[w] + items->bits > 32) ++w;
      items->at[i] = 32 * w + used[w];
      used[w] += items->bits;
      words = PetscMax(words, w + 1);
    }
  }
  return words;
}

/* Whole bytes, which are read faster, where that makes a record no longer */
static void PlexRecordLayOut(PetscBool element, PlexRecord *r)
{
  PlexRecordItems *parts[] = {&r->places, &r->nodes, &r->dofs};

  r->words = PlexRecordPlace(r, element);
  for (int k = 0; k < 3; ++k) {
    const int bits = parts[k]->bits;

    if (bits < 8) parts[k]->bits = 8;
    if (PlexRecordPlace(r, element) > r->words) parts[k]->bits = bits;
  }
  r->words = PlexRecordPlace(r, element);
}

/* ---- Sizes ---- */

/* Blocks of a multiprocessor whose threads have the registers that they need, about; with fewer they would keep numbers
   in memory. A row by quadrature needs those of the solution too */
static PetscInt PlexSymmetryResident(PlexAssembly asm_, const PlexSymmetry *o, PetscInt block)
{
  return 65536 / (40 + (o->solution ? 12 : 6) * asm_->elements->ef) / block;
}

/* The numbers of a column of sums, where lanes[n] is how many lanes have columns of n: longer columns are those of a
   half full warp, or less. Few numbers leave room for more warps at once, whose waits are hidden then, in part: the
   time goes as the number of warps over the root of that of those at work. least: numbers that a warp has in any
   case */
static int PlexSymmetryLongest(PlexAssembly asm_, const PlexSymmetry *o, const PlexBackendLimits *limits,
                               PetscInt block, int chunk, int least, const int lanes[])
{
  const PetscInt warps = block / 32;
  int            best  = chunk;
  double         time  = PETSC_MAX_REAL;

  for (int n = chunk; n <= PLEX_SYMMETRY_LONGEST; n += chunk) {
    const size_t   sums     = sizeof(PetscScalar) * (size_t)PetscMax(32 * n, least);
    const size_t   bytes    = PLEX_SYMMETRY_BLOCK + PLEX_SYMMETRY_NODAL + (size_t)warps * (sums + PLEX_SYMMETRY_WAYS);
    const PetscInt resident = warps * PetscMin((PetscInt)(limits->sharedPerProcessor / bytes),
                                               PlexSymmetryResident(asm_, o, block));
    double         all      = 0;

    for (int k = 0; k <= PLEX_SYMMETRY_LONGEST; ++k)
      all += lanes[k] * (k <= n ? 1. : k <= 2 * n ? 2. : k <= 4 * n ? 4. : k <= 8 * n ? 8. : 16.);
    all /= PetscSqrtReal(PetscMax(0.5, PetscMin(PLEX_SYMMETRY_WARPS, resident)));
    if (all >= time) continue;
    time = all;
    best = n;
  }
  return best;
}

/* Lanes of a block: several rounds of its warps where there are enough blocks then, as that makes warps fuller and has
   some at work while others end. And the numbers that a warp sums in: so many the longest row takes alone */
static PetscErrorCode PlexSymmetryChooseLanes(PlexSymmetryPlanner *w, PetscInt block, int longest, PlexSymmetry *o)
{
  PlexSymmetryPlan *p = &w->p;
  PlexBackendLimits limits;
  int               columns[PLEX_SYMMETRY_LONGEST + 1], lanes, contributions;

  PetscFunctionBegin;
  PetscCall(PlexPlanWhole(w, p->cut.nodes + 1, lanesTo));
  PetscCall(PlexPlanWhole(w, p->cut.nodes + 1, addendsTo));
  PetscCall(PlexPlanWhole(w, PLEX_SYMMETRY_LONGEST + 1, columns));
  PetscCall(PlexPlanRun(w, plex_symmetry_lanes, p->cut.nodes));
  PetscCall(PlexPlanSumOf(w, p->cut.nodes, lanesTo, &lanes));
  PetscCall(PlexPlanSumOf(w, p->cut.nodes, addendsTo, &contributions));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, columns, p->columns, sizeof(columns)));
  PetscCall(PlexBackendGetLimits(w->b.planner.asm_->backend, &limits));
  longest = plex_plan_column(p->chunk, longest);
  p->sums = 32 * PlexSymmetryLongest(w->b.planner.asm_, o, &limits, block, p->chunk, longest, columns);
  lanes /= (int)(block * PLEX_SYMMETRY_BLOCKS * PetscMax(1, limits.multiprocessors));
  p->mostLanes     = (int)block * PetscMax(1, PetscMin(PLEX_SYMMETRY_ROUNDS, lanes));
  o->sums          = PetscMax(longest, p->sums);
  o->contributions = (double)contributions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits of blocks, and the layout of records, which can number what they allow. A block of a single mesh node may have
   more: that, too */
static PetscErrorCode PlexSymmetrySetLimits(PlexSymmetryPlanner *w, PetscInt longest)
{
  PlexElements      el    = w->b.planner.asm_->elements;
  PlexSymmetryPlan *p     = &w->p;
  const PetscInt    nodes = w->b.planner.around * el->Nv, dofs = w->b.planner.around * (el->ef - 1) + 1;

  PetscFunctionBegin;
  PetscCheck(nodes <= 65535 && (dofs <= 65535 || !p->solution), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The elements around one mesh node have %" PetscInt_FMT " nodes and %" PetscInt_FMT
             " dofs, and 65535 can be numbered: use -plex_assembly_type %s",
             nodes, dofs, PLEXASSEMBLYELEMENTATOMIC);
  PetscCheck(longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %" PetscInt_FMT
             " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s",
             longest, PLEXASSEMBLYELEMENTATOMIC);
  p->mostNodes          = el->Nv > 8 ? 1024 : el->dim == 3 && el->Nn[0] <= el->Nv ? 512 : 256;
  p->mostDofs           = 1024;
  p->record.nodes.bits  = PlexBits(PetscMax(nodes, p->mostNodes) - 1);
  p->record.nodes.n     = (int)el->Nv;
  p->record.dofs.bits   = PlexBits(PetscMax(dofs, p->mostDofs) - 1);
  p->record.dofs.n      = p->solution ? (int)el->ef : 0;
  p->record.places.bits = PlexBits(longest);
  p->record.places.n    = (int)el->ef;
  PlexRecordLayOut((PetscBool)(p->ea > 0), &p->record);
  p->eachBits   = PlexBits(w->b.planner.around);
  p->lengthBits = PlexBits(longest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is the same in all batches */
static PetscErrorCode PlexSymmetryBegin(PlexSymmetryPlanner *w, PlexAssembly asm_, PlexProduct *product, size_t budget,
                                        PlexSymmetry *o)
{
  PlexElements      el      = asm_->elements;
  PlexSymmetryPlan *p       = &w->p;
  const PetscInt    longest = PlexPatternLongest(asm_->pattern);

  PetscFunctionBegin;
  PetscCall(PlexBatchesCreate_Private(asm_, product, "assembly/symmetry_plan.h", PETSC_TRUE, p, &w->b));
  PetscCall(PlexPlannerInput_Private(&w->b.planner, &o->classes, sizeof(o->classes), (const void **)&p->classes));
  p->ea       = (int)el->ea;
  p->real     = (int)PlexAssemblyRealSize(asm_);
  p->solution = o->solution;
  p->budget   = (int)budget;
  p->chunk    = o->chunk;
  p->nodesOf  = 1.4 * (double)el->Nx / (double)PetscMax(1, el->Ne); /* until a batch says more */
  p->dofsOf   = 1.4 * (double)el->Nl / (double)PetscMax(1, el->Ne);
  p->most     = (int)PetscMax(1, PLEX_SYMMETRY_MORE * (double)el->Ne * (double)el->ef / (double)PetscMax(1, el->Nl));
  o->parts    = plex_symmetry_parts(p, (int)w->b.planner.around);
  PetscCall(PlexSymmetrySetLimits(w, longest));
  PetscCall(PlexPlanWhole(w, PLEX_CLASSES_MOST, strays));
  PetscCall(PlexPlanWhole(w, el->Nl * o->classes.n, counts));
  PetscCall(PlexPlanRun(w, plex_symmetry_count, el->Nl));
  if (o->classes.n > 1 && el->ef > PLEX_SYMMETRY_SORTED) {
    PetscCall(PlexPlanWhole(w, p->cut.nodes, kinds));
    PetscCall(PlexPlanRun(w, plex_symmetry_kinds, p->cut.nodes));
    PetscCall(PlexPlannerSortNodes_Private(&w->b.planner, o->classes.n, p->kinds));
  }
  PetscCall(PlexSymmetryChooseLanes(w, product->block, (int)longest, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A batch ---- */

/* What the elements of blocks have; blocks that have too much are cut in two: *again. As much of an element is foreseen
   for the next batch */
static PetscErrorCode PlexSymmetryListThings(PlexSymmetryPlanner *w, PlexPlanList list[2], PlexSymmetry *o,
                                             PetscBool *again)
{
  PlexPlanner      *planner = &w->b.planner;
  PlexSymmetryPlan *p       = &w->p;
  const PetscInt    n       = planner->nblocks;
  const int *const  conn[2] = {p->cut.vertices, p->cut.dofs}, k[2] = {p->cut.Nv, p->cut.ef};
  int              *elements, *things[2], mostElements = 0, most[2] = {0};
  double           *of[2] = {&p->nodesOf, &p->dofsOf};
  PetscBool        *fits, fit;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListElements_Private(planner));
  PetscCall(PetscCalloc4(n + 1, &elements, n + 1, &things[0], n + 1, &things[1], n, &fits));
  PetscCall(PlexBackendCopyOut(planner->where, elements, p->cut.elementStart, sizeof(int) * (size_t)(n + 1)));
  for (PetscInt b = 0; b < n; ++b) mostElements = PetscMax(mostElements, elements[b + 1] - elements[b]);
  for (PetscInt q = 0; q < (p->solution ? 2 : 1); ++q) {
    PetscCall(PlexPlannerListThings_Private(planner, k[q], conn[q], &list[q]));
    PetscCall(PlexBackendCopyOut(planner->where, things[q], list[q].start, sizeof(int) * (size_t)(n + 1)));
    *of[q] = 0;
    for (PetscInt b = 0; b < n; ++b) {
      const int e = elements[b + 1] - elements[b];

      things[q][b] = things[q][b + 1] - things[q][b];
      most[q]      = PetscMax(most[q], things[q][b]);
      /* else much of it is border */
      if (2 * e > mostElements) *of[q] = PetscMax(*of[q], (double)(things[q][b] - k[q]) / e);
    }
  }
  for (PetscInt b = 0; b < n; ++b) fits[b] = (PetscBool)plex_symmetry_fits(p, things[0][b], things[1][b]);
  PetscCall(PlexBatchesSplit_Private(&w->b, fits, again, &fit));
  if (!*again) o->mostNodes = PetscMax(o->mostNodes, most[0]);
  if (!*again) o->mostDofs = PetscMax(o->mostDofs, most[1]);
  PetscCall(PetscFree4(elements, things[0], things[1], fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in warps */
static PetscErrorCode PlexSymmetryListTasks(PlexSymmetryPlanner *w, PetscInt classes)
{
  PlexPlanner      *planner = &w->b.planner;
  PlexSymmetryPlan *p       = &w->p;
  const PetscInt    bits    = classes + 2 + p->eachBits + p->lengthBits;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListRows_Private(planner, PETSC_FALSE));
  PetscCall(PlexPlanRun(w, plex_symmetry_row_keys, p->cut.rows));
  PetscCall(PlexArraysSort(planner->arrays, p->cut.rows, 0, PlexPlannerBits_Private(planner, bits), p->cut.keys,
                           p->cut.rowDof, PETSC_FALSE));
  PetscCall(PlexBatchesBegins_Private(&w->b, PLEX_STEP_OF(plex_symmetry_tasks), planner->nblocks, p->cut.rows,
                                      &p->taskTo, &p->taskRow, &p->tasks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymmetryBatch(PlexSymmetryPlanner *w, PlexSymmetry *o)
{
  PlexSymmetryPlan *p = &w->p;
  PlexPlanList      list[2];
  PetscBool         again = PETSC_TRUE;
  int               groups;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(list, sizeof(list)));
  while (again) PetscCall(PlexSymmetryListThings(w, list, o, &again));
  p->nodeStart = list[0].start;
  p->vertex    = list[0].number;
  p->dofStart  = list[1].start;
  p->dof       = list[1].number;
  PetscCall(PlexSymmetryListTasks(w, o->classes.n));
  PetscCall(PlexBatchesKeep_Private(&w->b, NODES, &list[0], &p->firstNode));
  PetscCall(PlexBatchesKeep_Private(&w->b, DOFS, &list[1], &p->firstDof));
  PetscCall(PlexPlanPiece(w, BLOCKS, w->b.planner.nblocks, blocks, NULL));
  PetscCall(PlexBatchesPiece_Private(&w->b, TASKS, p->tasks, sizeof(int) * PLEX_SYMMETRY_HEAD, &p->heads,
                                     &p->firstTask));
  PetscCall(PlexPlanRun(w, plex_symmetry_blocks, w->b.planner.nblocks));
  PetscCall(PlexPlanSum(w, plex_symmetry_heads, p->tasks, groupTo, &groups));
  PetscCall(PlexBatchesPiece_Private(&w->b, RECORDS, groups, (size_t)(128 * p->record.words), &p->records,
                                     &p->firstGroup));
  PetscCall(PlexPlanRun(w, plex_symmetry_records, 32 * p->tasks));
  o->nblocks += w->b.planner.nblocks;
  o->rows += (double)p->cut.rows;
  PetscCall(PlexPlannerEnd_Private(&w->b.planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

static PetscErrorCode PlexSymmetryEnd(PlexSymmetryPlanner *w, PlexSymmetry *o)
{
  PlexSymmetryPlan *p = &w->p;
  PlexPlanPieces   *a = w->b.pieces;
  PlexSymmetryBlock last;
  int               strays[PLEX_CLASSES_MOST];

  PetscFunctionBegin;
  PetscCall(PlexBatchesCheck_Private(&w->b));
  last = (PlexSymmetryBlock){(int)(a[NODES].bytes / sizeof(int)), (int)(a[DOFS].bytes / sizeof(int)),
                             (int)(a[TASKS].bytes / sizeof(int) / PLEX_SYMMETRY_HEAD)};
  PetscCall(PlexPlanPiece(w, BLOCKS, 1, blocks, NULL));
  PetscCall(PlexBackendCopyIn(w->b.planner.where, p->blocks, &last, sizeof(last)));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, strays, p->strays, sizeof(strays)));
  for (PetscInt c = 0; c < o->classes.n; ++c)
    if (strays[c]) o->classes.fixed[c] = 0;
  o->record = p->record;
  o->nodal  = (size_t)PLEX_SYMMETRY_BYTES(p->real, p->cut.cdim, o->mostNodes, o->mostDofs);
  o->nodes  = (double)last.node;
  o->dofs   = (double)last.dof;
  o->tasks  = (double)last.task;
  o->groups = (double)(a[RECORDS].bytes / (size_t)(128 * p->record.words));
  PetscCall(PlexBatchesJoin_Private(&w->b, 0, ARRAYS, &o->device));
  PetscCall(PlexBatchesAllocate_Private(&w->b, 16 * (size_t)PLEX_SYMMETRY_LINE(p->real, p->cut.cdim, &last, o->nblocks),
                                        &o->device.places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks, tasks and records, of at most `budget` bytes of nodal data a block; what the solution, classes and chunk
   follow from is there */
static PetscErrorCode PlexSymmetryFill(PlexAssembly asm_, PlexProduct *product, size_t budget, PlexSymmetry *o)
{
  PlexSymmetryPlanner w;
  PetscBool           left;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&w, sizeof(w)));
  PetscCall(PlexSymmetryBegin(&w, asm_, product, budget, o));
  for (;;) {
    PetscCall(PlexBatchesNext_Private(&w.b, PLEX_STEP_OF(plex_symmetry_cut), &left));
    if (!left) break;
    PetscCall(PlexSymmetryBatch(&w, o));
  }
  PetscCall(PlexSymmetryEnd(&w, o));
  PetscCall(PlexBatchesDestroy_Private(&w.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The kernel ---- */

static PetscErrorCode PlexSymmetryCompile(PlexAssembly asm_, PlexProduct *product, PetscInt shared, PlexSymmetry *o)
{
  const PlexDofClasses *classes = &o->classes;
  const PlexRecord     *r       = &o->record;
  const int nodal = (int)o->nodal, factor = product->tensor && asm_->elements->Nv == asm_->elements->dim + 1 ? 2 : 1,
            resident = (int)PetscMax(1, PetscMin(PlexSymmetryResident(asm_, o, product->block),
                                                 shared / (PetscInt)(o->shared + PLEX_SYMMETRY_BLOCK)));
  const struct {
    const char *name;
    int         n;
    const int  *numbers;
  } lists[] = {
    {"CLASSES",           classes->n,  classes->first },
    {"CLASSES_FIXED",     classes->n,  classes->fixed },
    {"PARTS",             1,           &o->parts      },
    {"COORDINATE_FACTOR", 1,           &factor        },
    {"WORDS",             1,           &r->words      },
    {"CHUNK",             1,           &o->chunk      },
    {"RESIDENT",          1,           &resident      },
    {"SUMS",              1,           &nodal         },
    {"SUMS_WARP",         1,           &o->sums       },
    {"NODE_BITS",         1,           &r->nodes.bits },
    {"NODES_AT",          r->nodes.n,  r->nodes.at    },
    {"DOF_BITS",          1,           &r->dofs.bits  },
    {"DOFS_AT",           r->dofs.n,   r->dofs.at     },
    {"PLACE_BITS",        1,           &r->places.bits},
    {"PLACES_AT",         r->places.n, r->places.at   }
  };
  PlexText    text[PETSC_STATIC_ARRAY_LENGTH(lists)];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(lists)];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(text, sizeof(text)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) {
    PetscCall(PlexTextPrintf(&text[k], "PLEX_%s=%d", lists[k].name, lists[k].numbers[0]));
    for (int m = 1; m < lists[k].n; ++m) PetscCall(PlexTextPrintf(&text[k], ",%d", lists[k].numbers[m]));
    defines[k] = text[k].text;
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_symmetry.cu", PETSC_STATIC_ARRAY_LENGTH(lists), defines));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) PetscCall(PetscFree(text[k].text));
  PetscCall(PlexModuleGetKernel(product->module, "plex_gather", &o->gather));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexSymmetry *o)
{
  const PetscInt    budget = asm_->owner->sharedMemory ? asm_->owner->sharedMemory : PLEX_SYMMETRY_SHARED;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  *serves = PlexSymmetryServes_Private(asm_, product);
  if (*serves) PetscCall(PlexDofClassesCreate_Private(asm_, product, serves, &o->classes));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  o->solution     = product->tensor ? PETSC_FALSE : PETSC_TRUE;
  o->chunk        = (int)PlexPlannerChunk(asm_, product);
  product->turned = PETSC_TRUE;
  product->team   = 1;
  product->rows   = 1;
  product->work   = 0;
  product->block  = asm_->blockSize ? asm_->blockSize : 128;
  if (product->symmetric) product->nd = asm_->elements->ef * asm_->elements->ef;
  product->symmetric = PETSC_FALSE; /* a row is computed whole */
  PetscCall(PlexSymmetryFill(asm_, product, (size_t)budget, o));
  o->shared = o->nodal + (sizeof(PetscScalar) * (size_t)o->sums + PLEX_SYMMETRY_WAYS) * (size_t)(product->block / 32);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has "
             "%zu: use -plex_assembly_type %s",
             o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product),
                                          o->contributions, 0);
  product->bytes = 128.0 * o->groups * o->record.words + 4.0 * PLEX_SYMMETRY_HEAD * o->tasks +
                   8.0 * asm_->elements->dim * o->nodes + 12.0 * o->dofs + 8.0 * product->Nt;
  PetscCall(PlexSymmetryCompile(asm_, product, (PetscInt)limits.sharedPerProcessor, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are gathered again when the mesh has moved, the solution each time */
PetscErrorCode PlexSymmetryLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexSymmetry *o, PlexKernel kernel,
                                          const void *args)
{
  int             solution;
  const PetscBool moved      = (PetscBool)(!o->gathered || o->coordinateState != asm_->coordinateState);
  void           *gather[]   = {(void *)args, &o->device, &solution};
  void           *assemble[] = {(void *)args, &o->device};

  PetscFunctionBegin;
  for (solution = 0; solution < 2; ++solution)
    if (solution ? o->solution : moved) PetscCall(PlexKernelLaunch(o->gather, o->nblocks, product->block, 0, gather));
  o->gathered        = PETSC_TRUE;
  o->coordinateState = asm_->coordinateState;
  PetscCall(PlexKernelLaunch(kernel, o->nblocks, product->block, o->shared, assemble));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryView_Private(const PlexSymmetry *o, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "elements turned: %" PetscInt_FMT " kinds of rows; blocks: %" PetscInt_FMT
                                   ", of %.4g rows and %.4g coordinate nodes, %zu bytes of shared memory\n",
                                   (PetscInt)o->classes.n, o->nblocks, o->rows / o->nblocks, o->nodes / o->nblocks,
                                   o->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer, "records: %" PetscInt_FMT " bytes, %.3g %% padding\n",
                                   (PetscInt)(4 * o->record.words),
                                   100 * (1.0 - o->contributions / (32.0 * o->groups))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
