/*
  Blocks of local_row by symmetry classes: runs of the mesh nodes along a Hilbert curve, as long as their nodal data and
  rows allow. Of each block the rows are sorted by the classes of their contributions and the number of these, and put
  into warps with the records that they sum, class by class.
*/
#include "symmetryimpl.h"

#define PLEX_SYMMETRY_MORE    1.6  /* times the usual contributions that a thread sums alone */
#define PLEX_SYMMETRY_PARTS   4    /* threads that a row is shared out to, most: of a power of two a warp is full */
#define PLEX_SYMMETRY_LONGEST 256  /* numbers of a column for a lane, most */
#define PLEX_SYMMETRY_NODAL   6144 /* bytes of nodal data of a block, about */
#define PLEX_SYMMETRY_WARPS   16   /* of a multiprocessor, beyond which more are of little use */
#define PLEX_SYMMETRY_ROUNDS  4    /* of the warps of a block, most */
/* blocks that a multiprocessor has at least, over time, if each is to have several rounds of warps */
#define PLEX_SYMMETRY_BLOCKS 12
/* dofs an element beyond which mesh nodes are sorted by the classes of their rows */
#define PLEX_SYMMETRY_SORTED 24

/* ---- Sizes ---- */

/* The contributions that a thread sums alone: somewhat more than most rows have */
static PetscInt PlexSymmetryMost(const PlexSymmetryBuild *s)
{
  PetscInt histogram[65] = {0}, rows = 0, below = 0, usual;

  for (PetscInt l = 0; l < s->asm_->elements->Nl; ++l) {
    const PetscInt count = PlexSymmetryAround(s, l);

    if (!PlexSymmetryLength(s, l) || !count) continue;
    histogram[PetscMin(count, 64)]++;
    ++rows;
  }
  for (usual = 1; usual < 64; ++usual) {
    below += histogram[usual];
    if (3 * below >= 2 * rows) break;
  }
  return (PetscInt)(PLEX_SYMMETRY_MORE * (double)usual);
}

/* Threads of each row, and of all rows up to each mesh node. A warp waits for the row with most contributions, so those
   with far more than the usual are shared out, to no more threads than that takes */
static PetscErrorCode PlexSymmetryCountLanes(PlexSymmetryBuild *s)
{
  const PlexNodeOrder *order = &s->order;

  PetscFunctionBegin;
  s->most = PlexSymmetryMost(s);
  PetscCall(PetscMalloc2(s->asm_->elements->Nl, &s->parts, order->n + 1, &s->lanes));
  for (PetscInt l = 0; l < s->asm_->elements->Nl; ++l) {
    PetscInt parts = 1;

    while (parts < PLEX_SYMMETRY_PARTS && PlexSymmetryAround(s, l) > parts * s->most) parts *= 2;
    s->parts[l] = (unsigned char)parts;
  }
  s->lanes[0] = 0;
  for (PetscInt k = 0; k < order->n; ++k) {
    PetscInt own = 0;

    for (PetscInt d = order->dofs.start[order->nodes[k]]; d < order->dofs.start[order->nodes[k] + 1]; ++d)
      if (s->asm_->pattern->row[order->dofs.items[d]] >= 0) own += s->parts[order->dofs.items[d]];
    s->lanes[k + 1] = s->lanes[k] + own;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of shared memory for a block's nodal data; sums come behind it */
size_t PlexSymmetryNodal_Private(const PlexSymmetryBuild *s, PetscInt nodes, PetscInt dofs)
{
  return (PlexAssemblyRealSize(s->asm_) * (size_t)(nodes * s->asm_->elements->cdim + 2 * dofs) + 15) / 16 * 16;
}

/* The numbers of a column of sums, where lanes[n] is how many lanes have columns of n, and the longest row is
   `tallest`: longer columns are those of a half full warp, or less. Few numbers leave room for more warps at once,
   whose waits are hidden then, in part: the time goes as the number of warps over the root of that of those at work */
static PetscInt PlexSymmetryLongest(PlexSymmetryBuild *s, PetscInt block, PetscInt tallest, const double lanes[])
{
  const PetscInt warps = block / 32;
  PetscInt       best  = s->chunk;
  double         least = PETSC_MAX_REAL;

  for (PetscInt n = s->chunk; n <= PLEX_SYMMETRY_LONGEST; n += s->chunk) {
    const PetscInt sums     = PetscMax(32 * n, PlexWarpColumn(tallest, s->chunk));
    const size_t   bytes    = PLEX_SYMMETRY_BLOCK + PLEX_SYMMETRY_NODAL +
                              (size_t)warps * (sizeof(PetscScalar) * (size_t)sums + PLEX_SYMMETRY_WAYS);
    const PetscInt resident = warps * PetscMin((PetscInt)(s->shared / bytes), PlexSymmetryResident(s, block));
    double         all      = 0;

    for (PetscInt k = 0; k <= PLEX_SYMMETRY_LONGEST; ++k)
      all += lanes[k] * (k <= n ? 1 : k <= 2 * n ? 2 : k <= 4 * n ? 4 : k <= 8 * n ? 8 : 16);
    all /= PetscSqrtReal(PetscMax(0.5, PetscMin(PLEX_SYMMETRY_WARPS, resident)));
    if (all >= least) continue;
    least = all;
    best  = n;
  }
  return best;
}

/* Lanes of a block: several rounds of its warps where there are enough blocks then, as that makes warps fuller and has
   some at work while others end. And the numbers that a warp sums in */
static PetscErrorCode PlexSymmetryChooseLanes(PlexSymmetryBuild *s, PetscInt block, PetscInt *most)
{
  PlexBackendLimits limits;
  PetscInt          tallest                              = 0;
  double            histogram[PLEX_SYMMETRY_LONGEST + 1] = {0}, lanes = 0;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(s->asm_->backend, &limits));
  for (PetscInt l = 0; l < s->asm_->elements->Nl; ++l) {
    const PetscInt parts = s->parts[l], length = PlexSymmetryLength(s, l);

    if (!length) continue;
    tallest = PetscMax(tallest, length);
    lanes += (double)parts;
    histogram[PetscMin((PlexWarpColumn(length, s->chunk) + parts - 1) / parts, PLEX_SYMMETRY_LONGEST)] += (double)parts;
  }
  s->sums = 32 * PlexSymmetryLongest(s, block, tallest, histogram);
  *most = block * (PetscInt)PetscMax(1, PetscMin(PLEX_SYMMETRY_ROUNDS, lanes / ((double)block * PLEX_SYMMETRY_BLOCKS *
                                                                                PetscMax(1, limits.multiprocessors))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Blocks ---- */

/* Mesh nodes whose dofs are of the same classes one after the other, each in the order that there is: the code of all
   rows of a large element does not fit in the memory for instructions, and a processor then has that of few. keys[n]:
   those classes, as bits; of each dof the one that it has in one of its elements */
static PetscErrorCode PlexSymmetrySortNodes(PlexSymmetryBuild *s, int keys[])
{
  const PlexNodeOrder *order = &s->order;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < order->n; ++k) {
    const PetscInt n = order->nodes[k];

    keys[k] = 0;
    for (PetscInt d = order->dofs.start[n]; d < order->dofs.start[n + 1]; ++d) {
      const PetscInt l = order->dofs.items[d];

      if (s->asm_->pattern->row[l] >= 0 && PlexSymmetryAround(s, l))
        keys[k] |= 1 << s->classes.of[PlexSymmetryFind(s->asm_->elements,
                                                       order->elements.items[order->elements.start[l]], l)];
    }
  }
  PetscCall(PlexNodeOrderSort_Private(&s->order, keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const PlexSymmetryBuild *build;
  const int               *keys; /* NULL: nodes are not sorted */
  PetscInt                 lanes, nodes;
  size_t                   budget;
} PlexSymmetryRoom;

static PetscBool PlexSymmetryFits(const PlexCut *cut, PetscInt first, PetscInt end, const PetscInt counts[], void *ctx)
{
  const PlexSymmetryRoom *room = (const PlexSymmetryRoom *)ctx;
  const PetscInt          dofs = cut->nlists > 2 ? counts[2] : 0;

  return (PetscBool)((!room->keys || room->keys[end - 1] == room->keys[first]) &&
                     room->build->lanes[end] - room->build->lanes[first] <= room->lanes && counts[1] <= room->nodes &&
                     dofs <= 65535 && PlexSymmetryNodal_Private(room->build, counts[1], dofs) <= room->budget);
}

PetscErrorCode PlexSymmetryCut_Private(PlexSymmetryBuild *s, PetscInt block, size_t budget)
{
  PlexElements     el   = s->asm_->elements;
  PlexSymmetryRoom room = {.build = s, .nodes = el->Nv > 8 ? 65535 : el->dim == 2 ? 256 : 512, .budget = budget};
  int             *keys = NULL;

  PetscFunctionBegin;
  if (s->classes.n > 1 && el->ef > PLEX_SYMMETRY_SORTED) {
    PetscCall(PetscMalloc1(s->order.n, &keys));
    PetscCall(PlexSymmetrySortNodes(s, keys));
    room.keys = keys;
  }
  PetscCall(PlexSymmetryCountLanes(s));
  PetscCall(PlexSymmetryChooseLanes(s, block, &room.lanes));
  PetscCall(PlexCutCreate_Private(s->order.n, s->order.lead, &s->order.elements, el->Ne, &s->cut));
  PetscCall(PlexCutAddList_Private(&s->cut, el->Nv, el->vertices, el->Nx));
  if (s->solution) PetscCall(PlexCutAddList_Private(&s->cut, el->ef, el->dofs, el->Nl));
  while (s->cut.start[s->cut.nblocks] < s->cut.n)
    PetscCall(PlexCutNext_Private(&s->cut, s->cut.n, PlexSymmetryFits, &room));
  PetscCall(PetscFree(keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Warps ---- */

/* Numbers that a warp of n rows sums in */
static PetscInt PlexSymmetrySums(PlexSymmetryBuild *s, PetscInt n, const PlexWarpRow rows[])
{
  PetscInt longest = 0;

  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, rows[k].length);
  return PlexWarpColumn(longest, s->chunk) << PlexWarpColumns(n, 0);
}

/* Rows for a warp: of the same classes, and for half as many lanes, or fewer, where their sums take more than
   others' */
static PetscInt PlexSymmetryWarpRows(PlexSymmetryBuild *s, PetscInt n, const PlexWarpRow rows[])
{
  PetscInt m = 1;

  for (PetscInt most = 32; most > 0; most /= 2) {
    PetscInt lanes = rows[0].parts;

    for (m = 1; m < n && rows[m].classes == rows[0].classes && lanes + rows[m].parts <= most; ++m)
      lanes += rows[m].parts;
    if (PlexSymmetrySums(s, m, rows) <= s->sums) break;
  }
  return m;
}

/* A warp of n rows whose contributions are of the same classes */
static PetscErrorCode PlexSymmetryWarp(PlexSymmetryBuild *s, PetscInt n, const PlexWarpRow rows[],
                                       PlexSymmetryBuffers *b)
{
  const size_t first   = b->records.n / (size_t)(32 * s->record.words);
  PetscInt     longest = 0, lane = 0, segments = 0;
  int         *task;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&b->tasks, PLEX_TASK, &task));
  for (PetscInt k = 0; k < n; ++k) {
    longest      = PetscMax(longest, rows[k].length);
    task[32 + k] = (int)s->asm_->pattern->i[s->asm_->pattern->row[rows[k].l]];
    task[64 + k] = (int)((unsigned)rows[k].length << 16);
  }
  for (PetscInt k = 0; k < n; ++k)
    for (int part = 0; part < rows[k].parts; ++part) task[64 + lane++] |= (int)k << 8 | part;
  for (; lane < 32; ++lane) task[64 + lane] |= 0xff; /* no part, and nothing added */
  for (PetscInt c = 0; c < s->classes.n; ++c) {
    if (rows[0].classes & 1 << c)
      PetscCall(PlexSymmetrySegment_Private(s, c, n, rows, longest, &b->records, &task[8 + segments]));
    segments += task[8 + segments] > 0;
  }
  task[0] = (int)first;
  task[1] = (int)segments;
  task[2] = (int)(b->records.n / (size_t)(32 * s->record.words) - first);
  task[3] = (int)longest;
  task[4] = (int)PlexWarpColumns(n, 0);
  task[5] = rows[0].parts; /* the most */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fetches what the records of a dof's row are made of: its columns, and the dofs of the elements around it */
static void PlexSymmetryFetch(const PlexSymmetryBuild *s, PetscInt l)
{
  PlexElements     el       = s->asm_->elements;
  const PlexLists *elements = &s->order.elements;
  PlexMatrixRow    row      = PlexMatrixRowGet(s->asm_->pattern, l, 0);

  for (PetscInt k = 0; k < row.length; k += 64 / (PetscInt)sizeof(*row.columns)) PlexFetch(&row.columns[k]);
  PlexFetch(&row.columns[row.length - 1]);
  for (PetscInt t = elements->start[l]; t < elements->start[l + 1]; ++t)
    PlexFetch(&el->dofs[(size_t)elements->items[t] * el->ef]);
}

/* The rows of block b */
static void PlexSymmetryListRows(const PlexSymmetryBuild *s, PetscInt b, PlexWarpRows *list, PlexSymmetry *o)
{
  const PlexNodeOrder *order = &s->order;

  list->n = 0;
  for (PetscInt k = s->cut.start[b]; k < s->cut.start[b + 1]; ++k) {
    PlexNodeOrderFetch(order, s->asm_, k);
    for (PetscInt d = order->dofs.start[order->nodes[k]]; d < order->dofs.start[order->nodes[k] + 1]; ++d) {
      const PetscInt l = order->dofs.items[d], length = PlexSymmetryLength(s, l), parts = s->parts[l];

      if (!length) continue;
      PlexSymmetryFetch(s, l);
      list->rows[list->n++] = (PlexWarpRow){.l       = (int)l,
                                            .classes = PlexSymmetryClasses(s, l),
                                            .each    = (int)((PlexSymmetryAround(s, l) + parts - 1) / parts),
                                            .length  = (int)length,
                                            .parts   = (int)parts};
      o->contributions += (double)PlexSymmetryAround(s, l);
    }
  }
  o->rows += (double)list->n;
}

PetscErrorCode PlexSymmetryFill_Private(PlexSymmetryBuild *s, PlexSymmetry *o, PlexSymmetryBuffers *buffers)
{
  const PlexCut *cut  = &s->cut;
  PetscInt       most = 0, lines = 0;
  PlexWarpRows   list;
  int           *to;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < cut->nblocks; ++b)
    most = PetscMax(most, s->lanes[cut->start[b + 1]] - s->lanes[cut->start[b]]);
  PetscCall(PlexWarpRowsCreate_Private(most, &list));
  PetscCall(PetscCalloc1(1 << s->record.places.bits, &s->seen));
  for (PetscInt b = 0; b <= cut->nblocks; ++b) {
    PetscCall(PlexPackBufferExtend(&buffers->taskStart, 1, &to));
    *to = (int)(buffers->tasks.n / PLEX_TASK);
    PetscCall(PlexPackBufferExtend(&buffers->placeStart, 1, &to));
    *to = (int)lines;
    if (b == cut->nblocks) break;
    lines += (PetscInt)(PlexSymmetryNodal_Private(s, PlexCutCount(cut, 1, b),
                                                  s->solution ? PlexCutCount(cut, 2, b) : 0) /
                        16);
    PlexCutNumber(cut, 1, b, s->node);
    if (s->solution) PlexCutNumber(cut, 2, b, s->dof);
    PlexSymmetryListRows(s, b, &list, o);
    PlexWarpRowsSort_Private(&list, PETSC_FALSE);
    for (PetscInt k = 0, m; k < list.n; k += m) {
      m       = PlexSymmetryWarpRows(s, list.n - k, &list.rows[k]);
      o->sums = PetscMax(o->sums, PlexSymmetrySums(s, m, &list.rows[k]));
      PetscCall(PlexSymmetryWarp(s, m, &list.rows[k], buffers));
    }
  }
  PetscCall(PetscFree(s->seen));
  PetscCall(PlexWarpRowsDestroy_Private(&list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
