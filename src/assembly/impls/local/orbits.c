/*
  The plan of local_row where elements can be turned. A row of element data of dof i is that of the first dof of i's orbit under the
  rotations of the cell, of the element read in another order of its nodes. Blocks are runs of the mesh nodes along a Hilbert curve;
  of each the rows are sorted by the orbits of their contributions and the number of these, and put into warps with the records that they sum,
  orbit by orbit.
*/
#include "orbits.h"
#include "../../interface/assemblyimpl.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsTabulate() */

#define PLEX_TASK                96             /* words of a task, see cuda/plex_args.h */
#define PLEX_ORBITS_STAGES       2              /* groups of records that are on their way, PLEX_STAGES in the kernel */
#define PLEX_ORBITS_PARTS        4              /* threads that a row is shared out to, most: of a power of two a warp is full */
#define PLEX_ORBITS_MORE         1.6            /* times the usual contributions that a thread sums alone */
#define PLEX_ORBITS_SHARED       (24 << 10)     /* bytes of nodal data of a block, most */
#define PLEX_ORBITS_LONGEST      256            /* numbers of a column for a lane, most */
#define PLEX_ORBITS_FULL         0.99           /* share of the lanes whose warps have the sums to be full */
#define PLEX_ORBITS_ROUNDS       4              /* of the warps of a block, most */
#define PLEX_ORBITS_REGISTERS(n) (40 + 6 * (n)) /* that a thread takes for a row of n numbers, about; by quadrature, which has the solution's too, for twice as many */
#define PLEX_ORBITS_BLOCKS       12             /* blocks that a multiprocessor has at least, over time, if each is to have several rounds of warps */

/* ---- Where things are in a record: fields of bits that do not cross words ---- */

#define PLEX_RECORD_ITEMS (8 + 27 + 2 * 30 + 2) /* most: coordinate nodes, dofs, places, whether a chain begins and ends */

typedef struct {
  PetscInt bits, n, at[PLEX_RECORD_ITEMS]; /* bits of an item, items, first bit of each */
} PlexRecordPart;

typedef struct {
  PlexRecordPart nodes, dofs, places, ends;
  PetscInt       words;
} PlexRecord;

static PetscInt PlexBits(PetscInt most)
{
  PetscInt bits = 1;

  while (bits < 31 && most >= 1 << bits) ++bits;
  return bits;
}

/* Each item goes to the first word that has room; the element's number is a word of its own, the first. Returns the words */
static PetscInt PlexRecordPlace(PlexRecord *r, PetscBool element)
{
  PlexRecordPart *parts[]                 = {&r->places, &r->nodes, &r->dofs, &r->ends};
  PetscInt        used[PLEX_RECORD_ITEMS] = {0}, words = element ? 1 : 0;

  if (element) used[0] = 32;
  for (PetscInt bytes = 1; bytes >= 0; --bytes) {
    for (PetscInt k = 0; k < 4; ++k) {
      if ((parts[k]->bits == 8) != bytes) continue;
      for (PetscInt i = 0; i < parts[k]->n; ++i) {
        PetscInt w = 0;

        while (used[w] + parts[k]->bits > 32) ++w;
        parts[k]->at[i] = 32 * w + used[w];
        used[w] += parts[k]->bits;
        words = PetscMax(words, w + 1);
      }
    }
  }
  return words;
}

/* Whole bytes, which are read faster, where that makes a record no longer */
static void PlexRecordLayOut(PlexElements el, PetscBool solution, PetscInt mostNode, PetscInt mostDof, PetscInt mostPlace, PlexRecord *r)
{
  PlexRecordPart *parts[] = {&r->places, &r->nodes, &r->dofs};
  const PetscBool element = el->ea ? PETSC_TRUE : PETSC_FALSE;

  r->nodes.bits  = PlexBits(mostNode);
  r->nodes.n     = el->Nv;
  r->dofs.bits   = PlexBits(mostDof);
  r->dofs.n      = solution ? el->ef : 0;
  r->places.bits = PlexBits(mostPlace);
  r->places.n    = el->ef;
  r->ends.bits   = 1;
  r->ends.n      = 2;
  r->words       = PlexRecordPlace(r, element);
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscInt bits = parts[k]->bits;

    if (bits < 8) parts[k]->bits = 8;
    if (PlexRecordPlace(r, element) > r->words) parts[k]->bits = bits;
  }
  r->words = PlexRecordPlace(r, element);
}

static void PlexRecordSet(unsigned record[], const PlexRecordPart *part, PetscInt i, PetscInt value)
{
  record[part->at[i] / 32] |= (unsigned)value << part->at[i] % 32;
}

/* ---- Blocks ---- */

typedef struct {
  PlexAssembly asm_;
  PlexTurns    turns;
  PetscBool    solution;
  PlexRecord   record;
  PlexChain    chain;
  double       chains;                                  /* of all rows together */
  PlexLists    touching, dofsOf;                        /* of a local dof, the elements that have it; of a mesh node, its dofs */
  size_t       shared;                                  /* of a multiprocessor */
  PetscInt     sums;                                    /* of a warp, where a row needs no more */
  PetscInt     chunk;                                   /* of a column that is written at a time, 32 bytes or 64 */
  PetscInt     usual, most;                             /* contributions that a row has as a rule, and that a thread sums alone */
  PetscInt     nblocks, mostNodes, mostDofs, mostLanes; /* of a block */
  int         *order;                                   /* mesh nodes along the curve */
  PetscInt    *start;                                   /* [nblocks+1] into order */
  int         *node, *nodeOwner, *dof, *dofOwner;       /* numbers in the block, and for which block plus one they are */
} PlexOrbitsWalk;

/* A dof's row of the matrix, or -1 */
static PetscInt PlexOrbitsRow(PlexOrbitsWalk *w, PetscInt l)
{
  return w->asm_->pattern->row[l];
}

static PetscInt PlexOrbitsLength(PlexOrbitsWalk *w, PetscInt l)
{
  const PetscInt r = PlexOrbitsRow(w, l);

  return r < 0 ? 0 : w->asm_->pattern->i[r + 1] - w->asm_->pattern->i[r];
}

/* Numbers of a column of sums: the row's, one behind it, and as many as fill a chunk of those that are written at a time */
static PetscInt PlexOrbitsColumn(PlexOrbitsWalk *w, PetscInt length)
{
  return (length + w->chunk) / w->chunk * w->chunk;
}

/* Threads that sum a row together: a warp waits for the row with most contributions, so those with far more than the usual are shared out, to no
   more threads than that takes */
static PetscInt PlexOrbitsParts(PlexOrbitsWalk *w, PetscInt l)
{
  const PetscInt count = w->touching.start[l + 1] - w->touching.start[l];
  PetscInt       parts = 1;

  while (parts < PLEX_ORBITS_PARTS && count > parts * w->most) parts *= 2;
  return parts;
}

/* The contributions that most rows have at most */
static PetscErrorCode PlexOrbitsUsual(PlexOrbitsWalk *w)
{
  PetscInt histogram[65] = {0}, rows = 0, below = 0;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l) {
    const PetscInt count = w->touching.start[l + 1] - w->touching.start[l];

    if (!PlexOrbitsLength(w, l) || !count) continue;
    histogram[PetscMin(count, 64)]++;
    ++rows;
  }
  for (w->usual = 1; w->usual < 64; ++w->usual) {
    below += histogram[w->usual];
    if (3 * below >= 2 * rows) break;
  }
  w->most = (PetscInt)(PLEX_ORBITS_MORE * (double)w->usual);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places of mesh nodes: means over the centres of their elements, x[Nnodes][cdim] */
static PetscErrorCode PlexOrbitsPlaces(PlexElements el, PetscReal x[])
{
  int *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nnodes, &count));
  PetscCall(PetscArrayzero(x, el->Nnodes * el->cdim));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscReal centre[3];

    PlexElementsGetCentres(el, e, 1, centre);
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt n = el->node[el->dofs[e * el->ef + i]];

      count[n]++;
      for (PetscInt d = 0; d < el->cdim; ++d) x[n * el->cdim + d] += centre[d];
    }
  }
  for (PetscInt n = 0; n < el->Nnodes; ++n)
    for (PetscInt d = 0; d < el->cdim && count[n]; ++d) x[n * el->cdim + d] /= count[n];
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether mesh node n is coordinate node n, with one dof */
static PetscBool PlexOrbitsNodesAreVertices(PlexElements el)
{
  PetscBool same = PETSC_FALSE;

  if (el->ef != el->Nv || el->Nx != el->Nnodes || !PlexElementsDofsAreNodes(el)) return PETSC_FALSE;
  return PetscArraycmp(el->dofs, el->vertices, (size_t)el->Ne * el->ef, &same) ? PETSC_FALSE : same;
}

/* Mesh nodes along a curve, by their places in space */
static PetscErrorCode PlexOrbitsOrder(PlexOrbitsWalk *w)
{
  PlexElements el = w->asm_->elements;
  PetscReal   *x  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Nnodes, &w->order));
  if (!PlexOrbitsNodesAreVertices(el)) {
    PetscCall(PetscMalloc1(el->Nnodes * el->cdim, &x));
    PetscCall(PlexOrbitsPlaces(el, x));
  }
  PetscCall(PlexCurveOrder(el->Nnodes, el->cdim, x ? x : el->x, w->order));
  PetscCall(PetscFree(x));
  PetscCall(PlexListsInvert(el->Nl, 1, el->node, el->Nnodes, &w->dofsOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of n things that the block `mark` stands for does not have yet: numbered in the block from *count on, and listed where there is a list, with room for
   one more. Without branches, which would be taken at random */
static void PlexOrbitsTouchList(PetscInt n, const int things[], int mark, int owner[], int number[], PetscInt *count, int list[])
{
  PetscInt m = *count;

  for (PetscInt k = 0; k < n; ++k) {
    const int x = things[k], fresh = owner[x] != mark;

    owner[x] = mark;
    if (list) {
      number[x] = fresh ? (int)m : number[x];
      list[m]   = x;
    }
    m += fresh;
  }
  *count = m;
}

/* A dof of a mesh node that has a row and elements around it, which are those around the node's other dofs too; -1 where it has none */
static PetscInt PlexOrbitsDof(PlexOrbitsWalk *w, PetscInt n)
{
  for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d) {
    const PetscInt l = w->dofsOf.items[d];

    if (PlexOrbitsRow(w, l) >= 0 && w->touching.start[l] < w->touching.start[l + 1]) return l;
  }
  return -1;
}

/* Coordinate nodes (and dofs) that the elements around a mesh node add to the block that `mark` stands for: counted, and where there are lists numbered
   and listed */
static void PlexOrbitsTouch(PlexOrbitsWalk *w, PetscInt n, int mark, PetscInt *nodes, PetscInt *dofs, int nodeList[], int dofList[])
{
  PlexElements   el = w->asm_->elements;
  const PetscInt l  = PlexOrbitsDof(w, n);

  for (PetscInt t = l < 0 ? 0 : w->touching.start[l]; l >= 0 && t < w->touching.start[l + 1]; ++t) {
    const size_t e = (size_t)w->touching.items[t];

    PlexOrbitsTouchList(el->Nv, &el->vertices[e * el->Nv], mark, w->nodeOwner, w->node, nodes, nodeList);
    if (w->solution) PlexOrbitsTouchList(el->ef, &el->dofs[e * el->ef], mark, w->dofOwner, w->dof, dofs, dofList);
  }
}

/* Brings nearer what is read of mesh nodes that come later in the order, each thing when what says where it is has come */
static void PlexOrbitsFetch(PlexOrbitsWalk *w, PetscInt k)
{
  PlexElements   el = w->asm_->elements;
  const PetscInt n  = el->Nnodes;
  PetscInt       l;

  if (k + 48 < n) PlexFetch(&w->dofsOf.start[w->order[k + 48]]);
  if (k + 36 < n) PlexFetch(&w->dofsOf.items[w->dofsOf.start[w->order[k + 36]]]);
  if (k + 24 < n && (l = PlexOrbitsDof(w, w->order[k + 24])) >= 0) PlexFetch(&w->touching.items[w->touching.start[l]]);
  if (k + 12 < n && (l = PlexOrbitsDof(w, w->order[k + 12])) >= 0) {
    for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) PlexFetch(&el->vertices[(size_t)w->touching.items[t] * el->Nv]);
  }
}

/* Bytes of shared memory for a block's nodal data; sums come behind it */
static size_t PlexOrbitsNodal(PlexOrbitsWalk *w, PetscInt nodes, PetscInt dofs)
{
  return (PlexAssemblyRealSize(w->asm_) * (size_t)(nodes * w->asm_->elements->cdim + 2 * dofs) + 15) / 16 * 16;
}

/* Cuts the order of the mesh nodes into blocks of at most so many lanes, as many nodes as are numbered, and bytes of nodal data */
static PetscErrorCode PlexOrbitsCut(PlexOrbitsWalk *w, PetscInt lanes, PetscInt numbered, size_t budget)
{
  PlexElements el   = w->asm_->elements;
  PetscInt     rows = 0, nodes = 0, dofs = 0, allocated = 1024;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(w->nodeOwner, el->Nx));
  PetscCall(PetscArrayzero(w->dofOwner, el->Nl));
  PetscCall(PetscMalloc1(allocated, &w->start));
  w->nblocks = w->mostNodes = w->mostDofs = w->mostLanes = 0;
  w->start[0]                                            = 0;
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    const PetscInt n   = w->order[k];
    PetscInt       own = 0, nodesNow = nodes, dofsNow = dofs;

    for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d)
      if (PlexOrbitsRow(w, w->dofsOf.items[d]) >= 0) own += PlexOrbitsParts(w, w->dofsOf.items[d]);
    PlexOrbitsFetch(w, k);
    PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, NULL, NULL);
    if (k > w->start[w->nblocks] && (rows + own > lanes || nodesNow > numbered || dofsNow > 65535 || PlexOrbitsNodal(w, nodesNow, dofsNow) > budget)) {
      if (w->nblocks + 2 >= allocated) PetscCall(PetscRealloc(sizeof(PetscInt) * (allocated *= 2), &w->start));
      w->start[++w->nblocks] = k;
      rows = nodesNow = dofsNow = 0;
      PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, NULL, NULL);
    }
    rows += own;
    w->mostNodes = PetscMax(w->mostNodes, nodesNow);
    w->mostDofs  = PetscMax(w->mostDofs, dofsNow);
    w->mostLanes = PetscMax(w->mostLanes, rows);
    nodes        = nodesNow;
    dofs         = dofsNow;
  }
  w->start[++w->nblocks] = el->Nnodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What warps are like: lanes of a block, several rounds of its warps where there are enough blocks then, as that makes warps fuller and has
   some at work while others end; and the numbers that a warp sums in, which are enough for nearly all that are full */
static PetscInt PlexOrbitsLanes(PlexOrbitsWalk *w, PetscInt block, const PlexBackendLimits *limits)
{
  double   histogram[PLEX_ORBITS_LONGEST + 1] = {0}, lanes = 0, below = 0;
  PetscInt longest = 1;

  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l) {
    const PetscInt parts = PlexOrbitsParts(w, l), length = PlexOrbitsLength(w, l);

    if (!length) continue;
    lanes += (double)parts;
    histogram[PetscMin((PlexOrbitsColumn(w, length) + parts - 1) / parts, PLEX_ORBITS_LONGEST)] += (double)parts;
  }
  while (longest < PLEX_ORBITS_LONGEST && (below += histogram[longest]) < PLEX_ORBITS_FULL * lanes) ++longest;
  w->sums = 32 * longest;
  return block * (PetscInt)PetscMax(1, PetscMin(PLEX_ORBITS_ROUNDS, lanes / ((double)block * PLEX_ORBITS_BLOCKS * PetscMax(1, limits->multiprocessors))));
}

/* ---- Rows of a block, in warps ---- */

/* A thread's row, or its part of one that several threads of the warp sum: contributions part, part + parts, ... */
typedef struct {
  int l, orbits, count, length; /* dof, orbits of its contributions as bits, contributions of the first part, targets */
  int part, parts, at;          /* at: along the curve, as neighbours read the same nodes */
} PlexOrbitsLane;

static int PlexOrbitsCompare(const void *a, const void *b)
{
  const PlexOrbitsLane *p = (const PlexOrbitsLane *)a, *q = (const PlexOrbitsLane *)b;

  if (p->orbits != q->orbits) return p->orbits - q->orbits;
  if (p->parts != q->parts) return q->parts - p->parts;
  if (p->count != q->count) return q->count - p->count;
  if (p->length != q->length) return q->length - p->length;
  return p->at - q->at;
}

typedef struct {
  PlexPackBuffer nodeStart, nodes, dofStart, dofs, taskStart, tasks, records;
} PlexOrbitsBuffers;

/* Position of dof i's rows: which of an element's dofs l is */
static PetscInt PlexOrbitsFind(PlexElements el, PetscInt e, PetscInt l)
{
  PetscInt i = 0;

  while (el->dofs[e * el->ef + i] != l) ++i;
  return i;
}

/* The record of dof i of element e, in words a warp apart; places dropped go behind the longest row of the warp, all of them if i is negative */
static PetscErrorCode PlexOrbitsRecord(PlexOrbitsWalk *w, PetscInt e, PetscInt i, PetscInt turn, PetscInt dropped, PetscBool first, PetscBool last, unsigned *to)
{
  PlexElements      el      = w->asm_->elements;
  PlexPattern       pattern = w->asm_->pattern;
  const PlexRecord *r       = &w->record;
  const int        *dofs = &w->turns.dofs[turn * el->ef], *vertices = &w->turns.vertices[turn * el->Nv];
  const PetscInt    row = i < 0 ? -1 : pattern->row[el->dofs[e * el->ef + i]];
  unsigned          record[PLEX_RECORD_ITEMS];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->words; ++k) record[k] = 0;
  if (el->ea) record[0] = (unsigned)e;
  for (PetscInt v = 0; v < el->Nv; ++v) PlexRecordSet(record, &r->nodes, v, w->node[el->vertices[e * el->Nv + vertices[v]]]);
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      l      = el->dofs[e * el->ef + dofs[j]];
    const PetscInt column = row < 0 ? -1 : pattern->column[l], slot = column < 0 ? -1 : PlexPatternFind(pattern, row, column);

    if (w->solution) PlexRecordSet(record, &r->dofs, j, w->dof[l]);
    PetscCheck(column < 0 || slot >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()", row, column, e);
    PlexRecordSet(record, &r->places, j, column < 0 ? dropped : slot - pattern->i[row]);
  }
  PlexRecordSet(record, &r->ends, 0, first);
  PlexRecordSet(record, &r->ends, 1, last);
  for (PetscInt k = 0; k < r->words; ++k) to[32 * k] = record[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The contributions of orbit o to a dof's row, in order; returns their number */
static PetscErrorCode PlexOrbitsChain(PlexOrbitsWalk *w, PetscInt o, PetscInt l, PetscInt *n)
{
  PlexElements el = w->asm_->elements;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) {
    const PetscInt e = w->touching.items[t], i = PlexOrbitsFind(el, e, l);

    if (w->turns.orbit[i] != o) continue;
    w->chain.element[*n] = (int)e;
    w->chain.dof[(*n)++] = (int)i;
  }
  PetscCall(PlexChainOrder_Private(el, &w->turns, o, *n, &w->chain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the things of the next element that the link has at a place of the one before are those of that place */
static PetscBool PlexOrbitsSame(PetscInt n, const int from[], const int before[], const int atBefore[], const int next[], const int atNext[])
{
  for (PetscInt j = 0; j < n; ++j)
    if (from[j] >= 0 && next[atNext[j]] != before[atBefore[from[j]]]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Whether contribution k of the chain, as it is turned, follows the one before */
static PetscBool PlexOrbitsFollows(PlexOrbitsWalk *w, PetscInt o, PetscInt k)
{
  PlexElements     el = w->asm_->elements;
  const PlexTurns *t  = &w->turns;
  size_t           before, next;
  PetscInt         turnBefore, turn;

  if (w->chain.first[k]) return PETSC_FALSE;
  before     = (size_t)w->chain.element[w->chain.order[k - 1]];
  next       = (size_t)w->chain.element[w->chain.order[k]];
  turnBefore = w->chain.turn[k - 1];
  turn       = w->chain.turn[k];
  return (PetscBool)(PlexOrbitsSame(el->ef, t->dofsFrom[o], &el->dofs[before * el->ef], &t->dofs[turnBefore * el->ef], &el->dofs[next * el->ef], &t->dofs[turn * el->ef]) && PlexOrbitsSame(el->Nv, t->nodesFrom[o], &el->vertices[before * el->Nv], &t->vertices[turnBefore * el->Nv], &el->vertices[next * el->Nv], &t->vertices[turn * el->Nv]));
}

/* The records of a lane: contributions begin to end - 1 of the chain */
static PetscErrorCode PlexOrbitsLaneRecords(PlexOrbitsWalk *w, PetscInt o, PetscInt begin, PetscInt end, PetscInt dropped, unsigned *record)
{
  PetscBool ends = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = begin; k < end; ++k, record += 32 * w->record.words) {
    const PetscInt  c = w->chain.order[k], e = w->chain.element[c], turn = w->chain.turn[k];
    const PetscBool first = ends;

    ends = (PetscBool)(k + 1 == end || !PlexOrbitsFollows(w, o, k + 1));
    PetscCall(PlexOrbitsRecord(w, e, w->chain.dof[c], turn, dropped, first, ends, record));
    w->chains += first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contributions of orbit o to a dof's row */
static PetscInt PlexOrbitsCount(PlexOrbitsWalk *w, PetscInt o, PetscInt l)
{
  PetscInt n = 0;

  if (w->turns.n == 1) return w->touching.start[l + 1] - w->touching.start[l];
  for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) n += w->turns.orbit[PlexOrbitsFind(w->asm_->elements, w->touching.items[t], l)] == o;
  return n;
}

/* The records of one orbit: as many groups as the lane with most of them needs; 0 if there are none */
static PetscErrorCode PlexOrbitsSegment(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[], PetscInt dropped, PlexOrbitsBuffers *b, int *segment)
{
  const PetscInt words  = w->record.words;
  PetscInt       groups = 0, count = 0, done[32] = {0}, element = 0, turn = 0;
  unsigned      *records;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) groups = PetscMax(groups, (PlexOrbitsCount(w, o, lanes[k].l) + lanes[k].parts - 1) / lanes[k].parts);
  *segment = 0;
  if (!groups) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPackBufferExtend(&b->records, (size_t)groups * 32 * (size_t)words, (int **)&records));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt begin, end;

    if (lanes[k].part == 0) PetscCall(PlexOrbitsChain(w, o, lanes[k].l, &count));
    begin   = PetscMin(count, (count + lanes[k].parts - 1) / lanes[k].parts * lanes[k].part);
    end     = PetscMin(count, (count + lanes[k].parts - 1) / lanes[k].parts * (lanes[k].part + 1));
    done[k] = end - begin;
    PetscCall(PlexOrbitsLaneRecords(w, o, begin, end, dropped, records + k));
    if (begin < end) {
      element = w->chain.element[w->chain.order[begin]];
      turn    = w->chain.turn[begin];
    }
  }
  for (PetscInt k = 0; k < 32; ++k) { /* an element whose geometry is good, but all of its row dropped */
    for (PetscInt g = done[k]; g < groups; ++g) PetscCall(PlexOrbitsRecord(w, element, -1, turn, dropped, PETSC_TRUE, PETSC_TRUE, records + (size_t)g * 32 * (size_t)words + k));
  }
  *segment = (int)(groups << 4 | o);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of a warp's sums, as a power of two: one a row, and so many that the column is the bank */
static PetscInt PlexOrbitsColumns(PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt rows = 0;

  for (PetscInt k = 0; k < n; ++k) rows += lanes[k].part == 0;
  return rows <= 8 ? 3 : rows <= 16 ? 4 : 5;
}

/* Numbers that a warp of n lanes sums in */
static PetscInt PlexOrbitsSums(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt longest = 0;

  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, lanes[k].length);
  return PlexOrbitsColumn(w, longest) << PlexOrbitsColumns(n, lanes);
}

/* A warp of n lanes whose contributions are of the same orbits */
static PetscErrorCode PlexOrbitsWarp(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[], PlexOrbitsBuffers *b)
{
  const size_t   first   = b->records.n / (size_t)(32 * w->record.words);
  const PetscInt columns = PlexOrbitsColumns(n, lanes);
  PetscInt       longest = 0, column = -1, parts = 1, segments = 0;
  int           *task;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, lanes[k].length);
  PetscCall(PlexPackBufferExtend(&b->tasks, PLEX_TASK, &task));
  for (PetscInt k = 0; k < n; ++k) {
    if (lanes[k].part == 0) {
      ++column;
      task[32 + column] = (int)w->asm_->pattern->i[w->asm_->pattern->row[lanes[k].l]];
      task[64 + column] = (int)((unsigned)lanes[k].length << 16);
    }
    parts = PetscMax(parts, lanes[k].parts);
  }
  column = -1;
  for (PetscInt k = 0; k < 32; ++k) {
    if (k < n && lanes[k].part == 0) ++column;
    task[64 + k] |= k < n ? (int)column << 8 | lanes[k].part : 0xff; /* no part, and nothing added */
  }
  for (PetscInt o = 0; o < w->turns.n; ++o) {
    if (lanes[0].orbits & 1 << o) PetscCall(PlexOrbitsSegment(w, o, n, lanes, longest, b, &task[8 + segments]));
    segments += task[8 + segments] > 0;
  }
  task[0] = (int)first;
  task[1] = (int)segments;
  task[2] = (int)(b->records.n / (size_t)(32 * w->record.words) - first);
  task[3] = (int)longest;
  task[4] = (int)columns;
  task[5] = (int)parts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lanes for a warp: of the same orbits, no row cut in two, and half as many, or fewer, where their sums take more than others' */
static PetscInt PlexOrbitsWarpLanes(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt m = lanes[0].parts;

  for (PetscInt most = 32; most > 0; most /= 2) {
    m = lanes[0].parts;
    while (m < n && lanes[m].orbits == lanes[0].orbits && m + lanes[m].parts <= most) m += lanes[m].parts;
    if (PlexOrbitsSums(w, m, lanes) <= w->sums) break;
  }
  return m;
}

/* Appends block b */
static PetscErrorCode PlexOrbitsBlock(PlexOrbitsWalk *w, PetscInt b, PlexOrbitsLane lanes[], PlexOrbits *o, PlexOrbitsBuffers *out)
{
  PlexElements el = w->asm_->elements;
  PetscInt     n = 0, nodes = 0, dofs = 0;
  int         *to, *nodeList, *dofList;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&out->nodeStart, 1, &to));
  *to = (int)out->nodes.n;
  PetscCall(PlexPackBufferExtend(&out->dofStart, 1, &to));
  *to = (int)out->dofs.n;
  PetscCall(PlexPackBufferExtend(&out->nodes, (size_t)w->mostNodes + 1, &nodeList));
  PetscCall(PlexPackBufferExtend(&out->dofs, (size_t)w->mostDofs + 1, &dofList));
  for (PetscInt k = w->start[b]; k < w->start[b + 1]; ++k) {
    for (PetscInt d = w->dofsOf.start[w->order[k]]; d < w->dofsOf.start[w->order[k] + 1]; ++d) {
      const PetscInt l = w->dofsOf.items[d], parts = PlexOrbitsParts(w, l);
      int            orbits = 0;

      if (!PlexOrbitsLength(w, l)) continue;
      if (w->turns.n == 1) orbits = w->touching.start[l] < w->touching.start[l + 1];
      else
        for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) orbits |= 1 << w->turns.orbit[PlexOrbitsFind(el, w->touching.items[t], l)];
      for (PetscInt p = 0; p < parts; ++p) {
        lanes[n] = (PlexOrbitsLane){(int)l, orbits, (int)((w->touching.start[l + 1] - w->touching.start[l] + parts - 1) / parts), (int)PlexOrbitsLength(w, l), (int)p, (int)parts, (int)n};
        ++n;
      }
      o->contributions += w->touching.start[l + 1] - w->touching.start[l];
      o->rows++;
    }
    PlexOrbitsTouch(w, w->order[k], (int)b + 1, &nodes, &dofs, nodeList, dofList);
  }
  out->nodes.n -= (size_t)(w->mostNodes + 1 - nodes);
  out->dofs.n -= (size_t)(w->mostDofs + 1 - dofs);
  o->nodes += nodes;
  qsort(lanes, (size_t)n, sizeof(*lanes), PlexOrbitsCompare);
  PetscCall(PlexPackBufferExtend(&out->taskStart, 1, &to));
  *to = (int)(out->tasks.n / PLEX_TASK);
  for (PetscInt k = 0, m; k < n; k += m) {
    m       = PlexOrbitsWarpLanes(w, n - k, &lanes[k]);
    o->sums = PetscMax(o->sums, PlexOrbitsSums(w, m, &lanes[k]));
    PetscCall(PlexOrbitsWarp(w, m, &lanes[k], out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

static PetscErrorCode PlexOrbitsUpload(PlexAssembly asm_, PlexPackBuffer *b, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, b->entries, sizeof(int) * b->n, (void **)device));
  PetscCall(PlexPackBufferDestroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -DPLEX_<name>=<numbers>, commas between */
static PetscErrorCode PlexOrbitsDefine(const char name[], PetscInt n, const PetscInt numbers[], size_t size, char text[])
{
  char number[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "PLEX_%s=", name));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "%s%" PetscInt_FMT, k ? "," : "", numbers[k]));
    PetscCall(PetscStrlcat(text, number, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsCompile(PlexAssembly asm_, PlexProduct *product, PlexOrbitsWalk *w, PlexOrbits *o, size_t nodal)
{
  const PlexRecord *r     = &w->record;
  const PetscInt    bytes = (PetscInt)nodal, none = 0, resident = PetscMax(1, PetscMin(65536 / PLEX_ORBITS_REGISTERS((product->tensor ? 1 : 2) * asm_->elements->ef) / product->block, (PetscInt)(w->shared / (o->shared + 1024))));
  PetscInt          fixed[PLEX_ORBITS_MOST], nodesFrom[PLEX_ORBITS_MOST * 27], dofsFrom[PLEX_ORBITS_MOST * 32];
  const PetscInt    gathered = PetscMax(1, PetscMin(4, (w->mostNodes + product->block - 1) / product->block));
  PetscInt          parts    = 1;
  const struct {
    const char     *name;
    PetscInt        n;
    const PetscInt *numbers;
  } lists[] = {
    {"ORBITS", w->turns.n, w->turns.first},
    {"ORBITS_FIXED", w->turns.n, fixed},
    {"PARTS", 1, &parts},
    {"GATHERED", 1, &gathered},
    {"NODES_FROM", w->turns.n * asm_->elements->Nv, nodesFrom},
    {"DOFS_FROM", w->turns.n * asm_->elements->ef, dofsFrom},
    {"ENDS_AT", 2, r->ends.at},
    {"WORDS", 1, &r->words},
    {"CHUNK", 1, &w->chunk},
    {"RESIDENT", 1, &resident},
    {"SUMS", 1, &bytes},
    {"SUMS_WARP", 1, &o->sums},
    {"NODE_BITS", 1, &r->nodes.bits},
    {"NODES_AT", r->nodes.n, r->nodes.at},
    {"DOF_BITS", 1, &r->dofs.bits},
    {"DOFS_AT", PetscMax(1, r->dofs.n), r->dofs.n ? r->dofs.at : &none},
    {"PLACE_BITS", 1, &r->places.bits},
    {"PLACES_AT", r->places.n, r->places.at}
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(lists)][2048];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(lists)];

  PetscFunctionBegin;
  for (PetscInt l = 0; l < asm_->elements->Nl; ++l) parts = PetscMax(parts, PlexOrbitsParts(w, l));
  for (PetscInt k = 0; k < w->turns.n; ++k) {
    fixed[k] = (PetscInt)w->turns.fixed[k];
    for (PetscInt v = 0; v < asm_->elements->Nv; ++v) nodesFrom[k * asm_->elements->Nv + v] = w->turns.linked[k] ? w->turns.nodesFrom[k][v] : -1;
    for (PetscInt j = 0; j < asm_->elements->ef; ++j) dofsFrom[k * asm_->elements->ef + j] = w->turns.linked[k] ? w->turns.dofsFrom[k][j] : -1;
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) {
    PetscCall(PlexOrbitsDefine(lists[k].name, lists[k].n, lists[k].numbers, sizeof(text[k]), text[k]));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_orbits.cu", PETSC_STATIC_ARRAY_LENGTH(lists), defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFill(PlexOrbitsWalk *w, PlexOrbits *o, PlexOrbitsBuffers *b)
{
  PlexElements          el = w->asm_->elements;
  PlexOrbitsLane       *lanes;
  PlexPackBuffer       *starts[] = {&b->nodeStart, &b->dofStart, &b->taskStart};
  const PlexPackBuffer *items[]  = {&b->nodes, &b->dofs, &b->tasks};
  int                  *to;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(w->nodeOwner, el->Nx));
  PetscCall(PetscArrayzero(w->dofOwner, el->Nl));
  PetscCall(PetscMalloc1(w->mostLanes, &lanes));
  for (PetscInt k = 0; k < w->nblocks; ++k) PetscCall(PlexOrbitsBlock(w, k, lanes, o, b));
  PetscCall(PetscFree(lanes));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PlexPackBufferExtend(starts[k], 1, &to));
    *to = (int)(items[k]->n / (k == 2 ? PLEX_TASK : 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFree(PlexOrbitsWalk *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(w->node, w->nodeOwner, w->dof, w->dofOwner));
  PetscCall(PetscFree(w->order));
  PetscCall(PlexListsDestroy(&w->dofsOf));
  PetscCall(PetscFree(w->start));
  PetscCall(PlexListsDestroy(&w->touching));
  PetscCall(PlexTurnsDestroy_Private(&w->turns));
  PetscCall(PlexChainDestroy_Private(&w->chain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexOrbits *o)
{
  PlexElements      el = asm_->elements;
  PlexOrbitsWalk    w;
  PlexOrbitsBuffers b;
  PlexBackendLimits limits;
  PetscInt          longest = 0, numbered = el->Nv > 8 ? 65535 : el->dim == 2 ? 256 : 512;
  size_t            nodal, budget;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  *serves = PlexOrbitsServe_Private(asm_, product);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(&w, sizeof(w)));
  w.asm_     = asm_;
  w.solution = product->tensor ? PETSC_FALSE : PETSC_TRUE;
  w.chunk    = product->Nt <= 10 * asm_->pattern->m ? 4 : 8;
  PetscCall(PlexTurnsCreate_Private(asm_, product, &w.turns));
  *serves = (PetscBool)(w.turns.n >= 1 && w.turns.n <= PLEX_ORBITS_MOST);
  if (!*serves) {
    PetscCall(PlexOrbitsFree(&w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->team  = 1;
  product->rows  = 1;
  product->work  = 0;
  product->block = asm_->blockSize ? asm_->blockSize : 128;
  if (product->symmetric) { /* a row is computed whole */
    product->symmetric = PETSC_FALSE;
    product->nd        = el->ef * el->ef;
  }
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  budget   = asm_->sharedMemory ? (size_t)asm_->sharedMemory : PLEX_ORBITS_SHARED;
  w.shared = limits.sharedPerProcessor;
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &w.touching));
  PetscCall(PetscMalloc4(el->Nx, &w.node, el->Nx, &w.nodeOwner, el->Nl, &w.dof, el->Nl, &w.dofOwner));
  for (PetscInt l = 0; l < el->Nl; ++l) longest = PetscMax(longest, w.touching.start[l + 1] - w.touching.start[l]);
  PetscCall(PlexChainCreate_Private(longest, w.turns.nturns, &w.chain));
  longest = 0;
  PetscCall(PlexOrbitsUsual(&w));
  PetscCall(PlexOrbitsOrder(&w));
  PetscCall(PlexWindowsOrder_Private(asm_, &w.touching, &w.dofsOf, w.solution, &numbered, w.order, &o->windows));
  PetscCall(PlexOrbitsCut(&w, PlexOrbitsLanes(&w, product->block, &limits), numbered, budget));
  PetscCheck(w.mostNodes <= 65535 && w.mostDofs <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "The elements around one mesh node have %" PetscInt_FMT " nodes and %" PetscInt_FMT " dofs, and 65535 can be numbered: use -plex_assembly_type %s", w.mostNodes, w.mostDofs, PLEXASSEMBLYELEMENTATOMIC);
  for (PetscInt l = 0; l < el->Nl; ++l) longest = PetscMax(longest, PlexOrbitsLength(&w, l));
  PetscCheck(longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "A row of the matrix has %" PetscInt_FMT " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s", longest, PLEXASSEMBLYELEMENTATOMIC);
  PlexRecordLayOut(el, w.solution, w.mostNodes - 1, w.mostDofs - 1, longest, &w.record);
  PetscCall(PetscMemzero(&b, sizeof(b)));
  PetscCall(PlexOrbitsFill(&w, o, &b));
  nodal      = PlexOrbitsNodal(&w, w.mostNodes, w.mostDofs);
  o->shared  = nodal + (sizeof(PetscScalar) * (size_t)o->sums + sizeof(int) * (size_t)(2 * PLEX_TASK + PLEX_ORBITS_STAGES * 32 * w.record.words)) * (size_t)(product->block / 32);
  o->nblocks = w.nblocks;
  o->norbits = w.turns.n;
  o->chains  = w.chains;
  o->words   = w.record.words;
  o->nwarps  = (PetscInt)(b.tasks.n / PLEX_TASK);
  o->groups  = b.records.n / (size_t)(32 * o->words);
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP, "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has %zu: use -plex_assembly_type %s", o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product), o->contributions, 0);
  product->bytes = 128.0 * (double)o->groups * o->words + 384.0 * o->nwarps + (4.0 + 8.0 * el->cdim) * o->nodes + 12.0 * (double)b.dofs.n + 8.0 * product->Nt;
  PetscCall(PlexOrbitsUpload(asm_, &b.nodeStart, &o->device.nodeStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.nodes, &o->device.nodes));
  PetscCall(PlexOrbitsUpload(asm_, &b.dofStart, &o->device.dofStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.dofs, &o->device.dofs));
  PetscCall(PlexOrbitsUpload(asm_, &b.taskStart, &o->device.taskStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.tasks, &o->device.tasks));
  PetscCall(PlexOrbitsUpload(asm_, &b.records, &o->device.records));
  PetscCall(PlexOrbitsCompile(asm_, product, &w, o, nodal));
  PetscCall(PlexOrbitsFree(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly asm_, PlexOrbits *o)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.nodeStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.nodes));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.dofStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.dofs));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.taskStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.tasks));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.records));
  PetscFunctionReturn(PETSC_SUCCESS);
}
