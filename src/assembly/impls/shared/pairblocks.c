/*
  The plan of shared_nz by pairs. Blocks are runs of the mesh nodes along a Hilbert curve, as long as the numbers of the
  elements around them and the rows of their dofs have room. Of each block the pairs that its elements have, sorted by
  kind and number of elements, in tasks of a warp.
*/
#include "pairsimpl.h"

static PetscErrorCode PlexPairsGrow(PetscInt need, PetscInt *most, int **list)
{
  PetscFunctionBegin;
  if (need > *most) {
    *most = PetscMax(2 * *most, need);
    PetscCall(PetscRealloc(sizeof(int) * (size_t)*most, list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Cutting the order into blocks ---- */

/* Entries of the rows of a mesh node's dofs */
static PetscInt PlexPairsEntries(const PlexPairsWalk *w, PetscInt n, PetscInt *rows)
{
  PlexPattern pattern = w->asm_->pattern;
  PetscInt    entries = 0;

  *rows = 0;
  for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d) {
    const PetscInt length = PlexPatternLength(pattern, pattern->row[w->dofsOf.items[d]]);

    entries += length;
    *rows += length > 0;
  }
  return entries;
}

/* Lists the elements around a mesh node, and their coordinate nodes, that the block does not have yet */
static PetscErrorCode PlexPairsTouch(PlexPairsWalk *w, PetscInt n)
{
  PlexElements el   = w->asm_->elements;
  const int    mark = w->mark;

  PetscFunctionBegin;
  for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d) {
    const PetscInt l = w->dofsOf.items[d], first = w->touching.start[l], end = w->touching.start[l + 1];

    if (!PlexPatternLength(w->asm_->pattern, w->asm_->pattern->row[l])) continue;
    PetscCall(PlexPairsGrow(w->nelements + end - first + 1, &w->elementsMost, &w->elements));
    PetscCall(PlexPairsGrow(w->nnodes + (end - first) * el->Nv + 1, &w->nodesMost, &w->nodes));
    for (PetscInt t = first; t < end; ++t) {
      const int e = w->touching.items[t];

      if (w->element[e] == mark) continue;
      w->element[e]               = mark;
      w->elements[w->nelements++] = e;
      PlexOrbitsTouchList(el->Nv, &el->vertices[(size_t)e * el->Nv], mark, w->nodeOwner, &w->nnodes, w->nodes);
    }
    break; /* those of the other dofs are the same */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of shared memory of a block for numbers, lists, and behind them for coordinates and then sums; but for turns */
static size_t PlexPairsShared(const PlexPairsWalk *w, PetscInt elements, PetscInt nodes, PetscInt entries,
                              PetscInt runs, PetscInt rows, PetscInt tasks, PetscInt groups)
{
  const size_t real = PlexAssemblyRealSize(w->asm_);

  return real * (size_t)(w->kinds->numbers * PLEX_PAIRS_STRIDE(elements, real)) +
         sizeof(int) * (size_t)((tasks + 3) / 4 * 4) +
         (sizeof(int) * (size_t)((runs + 3) / 4 * 4) + sizeof(PlexPairsLines) * (size_t)((entries + 63) / 64) +
          (w->kinds->rowSums ? sizeof(PlexPairsRow) * (size_t)rows : 0) + 15) /
           16 * 16 +
         256 * (size_t)groups +
         PetscMax((real * (size_t)(nodes * w->asm_->elements->cdim) + 15) / 16 * 16,
                  sizeof(PetscScalar) * (size_t)((entries + 1) / 2 * 2));
}

/* Whether a block has room, as far as its lists can be foreseen from those of the blocks before */
static PetscBool PlexPairsFits(const PlexPairsWalk *w, PetscInt elements, PetscInt nodes, PetscInt entries,
                               PetscInt rows)
{
  const PetscInt tasks  = entries / 64 + 3 * w->kinds->kinds + 4,
                 stride = PLEX_PAIRS_STRIDE(elements, PlexAssemblyRealSize(w->asm_));

  return (PetscBool)(stride <= (1 << w->elementBits) && w->kinds->numbers * stride < PLEX_PAIR_NONE &&
                     nodes <= PLEX_PAIR_NODES && entries + 2 * rows < 65535 &&
                     PlexPairsShared(w, elements, nodes, entries + 2 * rows, rows, rows, tasks,
                                     (PetscInt)(w->groups * (double)entries) + 2 * w->kinds->kinds) <= w->budget);
}

/* Groups of records for an entry, from those of the block that was filled: the most of all so far. Of points a sixth of
   blocks would stay empty so: what is foreseen goes back slowly, and a block that has no room after all is filled
   again */
static void PlexPairsForesee(PlexPairsWalk *w, double groups)
{
  const double now    = PetscMax(0., groups),
               before = w->kinds->kept == PLEX_PAIRS_POINTS ? 0.9 * w->groups + 0.1 * now : w->groups;

  w->groups = PetscMax(before, now);
}

/* ---- Filling one ---- */

/* Whether a row comes right behind the one before, in the same array */
static PetscBool PlexPairsFollows(PlexPattern pattern, PetscInt before, PetscInt row)
{
  return (PetscBool)(pattern->i[before + 1] == pattern->i[row] && pattern->i[row] != pattern->nA);
}

/* Places of the rows, in the order of the matrix: runs of them that lie one behind the other there begin in lines of
   two places of their own, at places as odd or even as they do there, so that they can be copied line by line */
static PetscErrorCode PlexPairsPlaceRows(PlexPairsWalk *w, PetscInt first, PetscInt end)
{
  PlexPattern pattern = w->asm_->pattern;
  PetscInt    n = 0, place = 0;

  PetscFunctionBegin;
  if (w->nrows > w->rowsMost) {
    w->rowsMost = 2 * w->nrows;
    PetscCall(PetscFree2(w->rows, w->work));
    PetscCall(PetscMalloc2(w->rowsMost, &w->rows, w->rowsMost, &w->work));
  }
  for (PetscInt k = first; k < end; ++k) {
    for (PetscInt d = w->dofsOf.start[w->order[k]]; d < w->dofsOf.start[w->order[k] + 1]; ++d) {
      const PetscInt l = w->dofsOf.items[d];

      if (PlexPatternLength(pattern, pattern->row[l])) w->rows[n++] = (uint64_t)pattern->row[l] << 32 | (uint64_t)l;
    }
  }
  PlexSortKeys(n, 32, w->rows, w->work);
  w->nholes = w->nruns = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt row = (PetscInt)(w->rows[k] >> 32), l = (PetscInt)(w->rows[k] & 0xffffffff),
                   slot = pattern->i[row] - (pattern->i[row] < pattern->nA ? 0 : pattern->nA);

    if (!k || !PlexPairsFollows(pattern, (PetscInt)(w->rows[k - 1] >> 32), row)) {
      if (place % 2) w->hole[w->nholes++] = (int)place++;
      if (slot % 2) w->hole[w->nholes++] = (int)place++;
      ++w->nruns;
    }
    w->dof[l]      = (int)place;
    w->dofOwner[l] = w->mark;
    place += PlexPatternLength(pattern, row);
  }
  w->nentries = place;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the block's rows the places of diagonal entries that are to make sums zero */
static PetscErrorCode PlexPairsDiagonals(PlexPairsWalk *w)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < w->nrows; ++k) {
    const PetscInt l = (PetscInt)(w->rows[k] & 0xffffffff);
    PetscInt       pos;

    w->diagonal[k] = -1;
    if (w->incomplete[l]) continue;
    pos = PlexPairsFind(w, l, l);
    if (pos < 0)
      PetscCall(PlexOrbitsMissing_Private(w->asm_, (PetscInt)(w->rows[k] >> 32),
                                          w->touching.items[w->touching.start[l]]));
    w->diagonal[k]  = (int)pos;
    w->covered[pos] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the runs of rows to the lists, in which lines they begin, and rows whose sums are made zero */
static PetscErrorCode PlexPairsAddRows(PlexPairsWalk *w, PlexPairsBuffers *b, PetscInt *complete)
{
  PlexPattern     pattern = w->asm_->pattern;
  const PetscInt  n = (w->nentries + 63) / 64, offsets = (w->nruns + 3) / 4 * 4; /* in lines of their own */
  PetscInt        before = 0;
  PlexPairsLines *lines;
  int            *to;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&b->lists, (size_t)offsets + sizeof(PlexPairsLines) / sizeof(int) * (size_t)n, &to));
  lines = (PlexPairsLines *)(to + offsets);
  for (PetscInt k = 0, m; k < w->nrows; k = m) {
    const PetscInt row = (PetscInt)(w->rows[k] >> 32), place = w->dof[w->rows[k] & 0xffffffff];
    PetscInt       last;

    for (m = k + 1;
         m < w->nrows && PlexPairsFollows(pattern, (PetscInt)(w->rows[m - 1] >> 32), (PetscInt)(w->rows[m] >> 32));)
      ++m;
    last  = place + pattern->i[(w->rows[m - 1] >> 32) + 1] - pattern->i[row] - 1;
    *to++ = (int)(pattern->i[row] - place);
    lines[place / 64].begins |= 1u << place / 2 % 32;
    if (place % 2) lines[place / 64].second |= 1u << place / 2 % 32;
    if (last % 2 == 0) lines[last / 64].first |= 1u << last / 2 % 32;
  }
  for (PetscInt k = 0; k < n; ++k) {
    lines[k].before = (int)before;
    before += __builtin_popcount(lines[k].begins);
  }
  *complete = 0;
  for (PetscInt k = 0; k < w->nrows && w->kinds->rowSums; ++k) {
    if (w->diagonal[k] < 0) continue;
    PetscCall(PlexPackBufferExtend(&b->lists, 2, &to));
    to[0] = (int)((unsigned)w->dof[w->rows[k] & 0xffffffff] |
                  (unsigned)PlexPatternLength(pattern, (PetscInt)(w->rows[k] >> 32)) << 16);
    to[1] = w->diagonal[k];
    ++*complete;
  }
  if (b->lists.n % 4) PetscCall(PlexPackBufferExtend(&b->lists, 4 - b->lists.n % 4, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items of element e, which is number `at` of the block; false where the matrix lacks an entry */
static PetscBool PlexPairsElement(PlexPairsWalk *w, PetscInt e, PetscInt at)
{
  PlexElements         el   = w->asm_->elements;
  const PetscInt       ef   = el->ef;
  const int           *dofs = &el->dofs[(size_t)e * ef], mark = w->mark;
  const PlexPairKinds *p       = w->kinds;
  const PetscInt       turn    = w->turn[at] * p->symmetries;
  PlexPattern          pattern = w->asm_->pattern;

  for (PetscInt i = 0; i < ef; ++i) {
    const PetscInt  l    = dofs[i];
    const PetscBool mine = (PetscBool)(w->dofOwner[l] == mark);

    if (pattern->column[l] < 0 && !mine) continue;
    for (PetscInt j = i; j < ef; ++j) {
      const PetscInt  m = dofs[j], kind = p->kindOf[i * ef + j], s = p->composed[turn + p->symmetryOf[i * ef + j]];
      const PetscBool both = (PetscBool)(mine && w->dofOwner[m] == mark);
      PetscInt        pos;

      if (l == m && p->rowSums && !w->incomplete[l]) continue;
      if (kind == PLEX_PAIR_KINDS || (!mine && w->dofOwner[m] != mark) || pattern->column[m] < 0 ||
          pattern->column[l] < 0)
        continue;
      if (both) pos = w->dof[l] <= w->dof[m] ? PlexPairsFind(w, l, m) : PlexPairsFind(w, m, l);
      else pos = mine ? PlexPairsFind(w, l, m) : PlexPairsFind(w, m, l);
      if (pos < 0) return PETSC_FALSE;
      if (w->kind[pos] == 0xff) {
        w->kind[pos]  = (unsigned char)kind;
        w->other[pos] = PLEX_PAIR_NONE;
        if (both && l != m) {
          const PetscInt other = w->dof[l] <= w->dof[m] ? PlexPairsFind(w, m, l) : PlexPairsFind(w, l, m);

          if (other < 0) return PETSC_FALSE;
          w->other[pos]     = (unsigned short)other;
          w->covered[other] = 1;
        }
      }
      w->itemPos[w->nitems] = (int)pos;
      w->item[w->nitems++]  = (unsigned short)(p->kind[kind].terms > 1
                                                 ? at | s << w->elementBits
                                                 : (p->entry ? p->entry[i * ef + j]
                                                             : p->turned[s * p->numbers + p->kind[kind].number[0]]) *
                                                       w->stride +
                                                     at);
      w->start[pos + 1]++;
    }
  }
  return PETSC_TRUE;
}

/* Primary places sorted by kind, those with most items first */
static PetscInt PlexPairsSort(PlexPairsWalk *w)
{
  PetscInt  n    = 0;
  PetscInt  most = 0, *to;
  const int bins = 64;

  for (PetscInt k = 0; k < w->nentries; ++k) {
    if (w->kind[k] == 0xff) continue;
    w->pairs[0][n++] = (int)k;
    most             = PetscMax(most, w->start[k + 1] - w->start[k]);
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscCalloc1(w->kinds->kinds * bins + 1, &to));
#define PLEX_PAIR_BIN(k) ((k)[w->kind] * bins + PetscMax(0, bins - 1 - (w->start[(k) + 1] - w->start[k])))
  for (PetscInt k = 0; k < n; ++k) to[PLEX_PAIR_BIN(w->pairs[0][k]) + 1]++;
  for (PetscInt k = 0; k < w->kinds->kinds * bins; ++k) to[k + 1] += to[k];
  for (PetscInt k = 0; k < n; ++k) w->pairs[1][to[PLEX_PAIR_BIN(w->pairs[0][k])]++] = w->pairs[0][k];
#undef PLEX_PAIR_BIN
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(to));
  return n;
}

/* Lanes that read an item at once: x and y of a gradient are one number of twice the bytes */
static inline PetscInt PlexPairsBanks(const PlexPairsWalk *w)
{
  return PLEX_PAIRS_LINE / (PetscInt)PlexAssemblyRealSize(w->asm_) / (w->kinds->kept == PLEX_PAIRS_GRADIENTS ? 2 : 1);
}

/* Banks that the sorted pairs read and write */
static void PlexPairsGetBanks(PlexPairsWalk *w, PetscInt n)
{
  const PetscInt mask = PlexPairsBanks(w) - 1;

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt pos = w->pairs[1][k], place = PLEX_PAIR_SEVERAL(w) ? w->place[pos] : pos;
    uint64_t       banks = (place == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(0, place)) |
                           (w->other[pos] == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(1, w->other[pos]));

    for (PetscInt i = w->start[pos]; i < w->start[pos + 1]; ++i) banks |= (uint64_t)1 << (w->sorted[i] & mask);
    w->banks[k] = banks;
  }
}

/* A task of `words` words of items in so many groups of records, of a kind, whose pairs are shared out to 2^split
   lanes; to: its records */
static PetscErrorCode PlexPairsBeginTask(PetscInt first, PetscInt kind, PetscInt terms, PetscInt split, PetscInt words,
                                         PetscInt groups, PlexPairsBuffers *b, unsigned **to)
{
  const PetscInt group = (PetscInt)(b->records.n / 64) - first;
  int           *task;

  PetscFunctionBegin;
  PetscCheck(group <= 0x1fff && words <= PLEX_PAIR_LONGEST, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " groups, %" PetscInt_FMT " words", group, words);
  PetscCall(PlexPackBufferExtend(&b->lists, 1, &task));
  *task = (int)((unsigned)group | (unsigned)terms << 13 | (unsigned)kind << 16 | (unsigned)split << 23 |
                (unsigned)words << 25);
  PetscCall(PlexPackBufferExtend(&b->records, 64 * (size_t)(1 + groups), (int **)to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lanes that a pair is shared out to, as a power of two: one with many elements would keep its warp when all others
   wait */
static inline PetscInt PlexPairsSplit(const PlexPairsWalk *w, PetscInt pos)
{
  return PlexPairsCount(w, pos) > 2 * PLEX_PAIR_MANY ? 2 : PlexPairsCount(w, pos) > PLEX_PAIR_MANY ? 1 : 0;
}

/* Words of items of a lane */
static inline PetscInt PlexPairsWords(const PlexPairsWalk *w, PetscInt pos, PetscInt split)
{
  const PetscInt items = PLEX_PAIR_ITEMS_WORD(w) << split;

  return (PlexPairsCount(w, pos) + items - 1) / items;
}

/* A task of the pairs at n of so many primary places, which become the first ones: as many as there are lanes for, one
   or two a lane; first: the block's first group of records */
static PetscErrorCode PlexPairsAddTask(PlexPairsWalk *w, PetscInt first, PetscInt split, PetscInt n,
                                       PetscInt candidates, int pos[], uint64_t banks[], PlexPairsBuffers *b)
{
  const PetscBool     several = PLEX_PAIR_SEVERAL(w);
  const PlexPairKind *kind    = &w->kinds->kind[w->kind[pos[0]]];
  const PetscInt      parts = 1 << split, some = PLEX_PAIR_ITEMS_GROUP(w);
  const PetscInt      lanes = PlexPairsBanks(w), sets = PLEX_PAIR_LANES(w) / lanes;
  PlexPairLanes      *l     = w->lanes;
  PlexPairLists       lists = {pos,      banks,     candidates,   PLEX_PAIR_TRIES, PLEX_PAIR_MORE,
                               w->start, w->sorted, w->nelements, w->stride};
  PetscInt            words = 0;
  unsigned           *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) words = PetscMax(words, PlexPairsWords(w, pos[k], split));
  PetscCall(PlexPairsBeginTask(first, w->kind[pos[0]] | (PetscMax(1, kind->dofs[0]) - 1) << 5,
                               several ? kind->dofs[1] : kind->terms, split, words,
                               (words * PLEX_PAIR_ITEMS_WORD(w) + some - 1) / some, b, &to));
  PlexPairLanesBegin_Private(l, PLEX_PAIR_LANES(w), lanes, words * PLEX_PAIR_ITEMS_WORD(w));
  if (!w->arranges) PlexPairLanesFillInOrder_Private(l, parts, n, &lists);
  for (PetscInt set = 0, done = 0, end; set < sets && w->arranges; ++set, done = end) {
    end = done + (n - done + sets - set - 1) / (sets - set);
    w->turns[0] += (double)PlexPairLanesFillSet_Private(l, set, parts, done, end - done, &lists);
    w->reads[0] += (double)l->steps;
  }
  for (PetscInt k = 0; k < PLEX_PAIR_LANES(w); ++k) {
    const PetscInt  p      = l->list[k];
    const PetscBool writes = (PetscBool)(p >= 0 && k % parts == 0);
    unsigned       *at     = to + k % 32 * 2 + k / 32;

    at[0] = writes ? (unsigned)(several ? w->place[p] : p) | (unsigned)w->other[p] << 16 : 0xffffffffu;
    if (several) at[1] = writes ? w->shape[p] : 0;
    for (PetscInt i = 0; i < l->steps; ++i)
      at[64 * (1 + i / some) + i % some / 2] |= (unsigned)l->item[k * l->steps + i] << i % 2 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places to which nothing is added, four a lane */
static PetscErrorCode PlexPairsZeros(PlexPairsWalk *w, PetscInt first, PlexPairsBuffers *b)
{
  PetscInt  n = 0;
  unsigned *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < w->nentries; ++k)
    if (w->kind[k] == 0xff && !w->covered[k]) w->pairs[0][n++] = (int)k;
  for (PetscInt k = 0; k < n; k += 128) {
    PetscCall(PlexPairsBeginTask(first, 0, 0, 0, 0, 0, b, &to));
    for (PetscInt i = 0; i < 128; ++i)
      to[i % 64] |= (k + i < n ? (unsigned)w->pairs[0][k + i] : PLEX_PAIR_NONE) << i / 64 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tasks with most words first, as warps take one after the other */
static int PlexPairsCompare(const void *a, const void *b)
{
  const unsigned s = *(const unsigned *)a, t = *(const unsigned *)b;

  return s < t ? 1 : s > t ? -1 : 0;
}

/* Elements in the order in which they come: conn, [words][elements] two nodes a word */
static void PlexPairsListElements(PlexPairsWalk *w, unsigned conn[])
{
  PlexElements el = w->asm_->elements;
  /* vertex v in bits 2 v and 2 v + 1, of hexahedra the first four */
  const PetscInt Nv = el->Nv, n = w->nelements, same = Nv == 3 ? 0x24 : 0xe4;

  for (PetscInt e = 0; e < n; ++e) {
    for (PetscInt v = 0; v < Nv; ++v)
      conn[v / 2 * n + e] |= (unsigned)w->node[el->vertices[(size_t)w->elements[e] * Nv + v]] << v % 2 * 16;
    w->turn[e] = w->kinds->symmetry[same];
  }
}

/* ... and in an order in which lanes read their vertices' coordinates from many banks */
static void PlexPairsOrderElements(PlexPairsWalk *w, unsigned conn[])
{
  PlexElements el = w->asm_->elements;
  /* x and y are read in one */
  const PetscInt Nv = el->Nv, n = w->nelements, banks = PLEX_PAIRS_LINE / 2 / (PetscInt)PlexAssemblyRealSize(w->asm_);
  PlexPairLists  lists = {w->pairs[0], w->banks, n, PLEX_PAIR_TRIES, 1, w->start, w->vertex, 0, 0};
  PlexPairLanes *l     = w->lanes;

  for (PetscInt e = 0; e < n; ++e) {
    w->before[e]   = w->elements[e];
    w->pairs[0][e] = (int)e;
    w->start[e]    = (int)(e * Nv);
    w->banks[e]    = 0;
    for (PetscInt v = 0; v < Nv; ++v) {
      w->vertex[e * Nv + v] = (unsigned short)w->node[el->vertices[(size_t)w->elements[e] * Nv + v]];
      w->banks[e] |= (uint64_t)1 << (w->vertex[e * Nv + v] & (banks - 1));
    }
  }
  w->start[n] = (int)(n * Nv);
  for (PetscInt first = 0; first < n; first += banks) {
    const PetscInt some = PetscMin(banks, n - first);

    PlexPairLanesBegin_Private(l, banks, banks, Nv);
    w->turns[1] += (double)PlexPairLanesFillSet_Private(l, 0, 1, first, some, &lists);
    w->reads[1] += (double)Nv;
    for (PetscInt k = 0; k < some; ++k) {
      const PetscInt        e      = first + k;
      const unsigned short *before = &w->vertex[l->list[k] * Nv], *after = &l->item[k * Nv];
      PetscInt              turn = 0;

      w->elements[e] = w->before[l->list[k]];
      for (PetscInt v = 0; v < Nv; ++v) {
        PetscInt to = 0;

        while (after[to] != before[v]) ++to;
        turn |= to << 2 * v;
        conn[v / 2 * n + e] |= (unsigned)after[v] << v % 2 * 16;
      }
      w->turn[e] = w->kinds->symmetry[turn];
      if (w->kinds->reflects[w->turn[e]]) conn[(Nv - 1) / 2 * n + e] |= 0x80000000u;
    }
  }
}

/* *fits false: there is more in the lists than was foreseen, and nothing is appended */
static PetscErrorCode PlexPairsBlockFill(PlexPairsWalk *w, PetscInt first, PetscInt end, PlexPairs *pairs,
                                         PlexPairsBuffers *b, PetscBool *fits)
{
  PlexElements   el    = w->asm_->elements;
  const PetscInt ef    = el->ef,
                 N     = w->kinds->kept == PLEX_PAIRS_GRADIENTS ? el->Nn[0]
                       : w->kinds->kept == PLEX_PAIRS_POINTS    ? w->kinds->points.n
                                                                : ef,
                 words = (el->Nv + 1) / 2, auxiliary = w->kinds->auxiliary > 0;
  PlexPairsBlock block                                        = {0};
  PetscBool (*const add)(PlexPairsWalk *, PetscInt, PetscInt) = w->kinds->kept == PLEX_PAIRS_GRADIENTS
                                                                ? PlexPairsElementGradients_Private
                                                              : w->kinds->kept == PLEX_PAIRS_POINTS
                                                                ? PlexPairsElementPoints_Private
                                                                : PlexPairsElement;
  PetscInt npairs, complete = 0;
  size_t   shared;
  int     *to;

  PetscFunctionBegin;
  *fits = PETSC_TRUE;
  if (!w->nrows) PetscFunctionReturn(PETSC_SUCCESS);
  block.node     = (int)b->nodes.n;
  block.nodes    = (int)w->nnodes;
  block.conn     = (int)b->conn.n;
  block.elements = (int)w->nelements;
  w->stride      = PLEX_PAIRS_STRIDE(w->nelements, PlexAssemblyRealSize(w->asm_));
  block.list     = (int)(b->lists.n / 4);
  block.group    = (int)(b->records.n / 64);
  block.lines    = (int)((PlexAssemblyRealSize(w->asm_) * (size_t)(w->nnodes * el->cdim) + 15) / 16);
  block.place    = (int)pairs->lines;
  PetscCall(PlexPackBufferExtend(&b->nodes, (size_t)w->nnodes, &to));
  for (PetscInt k = 0; k < w->nnodes; ++k) {
    to[k]                = w->nodes[k];
    w->node[w->nodes[k]] = (int)k;
  }
  PetscCall(PlexPackBufferExtend(&b->conn, (size_t)((words + auxiliary) * w->nelements), &to));
  /* of other orders that gains less than it takes */
  if (w->arranges && w->kinds->kept != PLEX_PAIRS_MATRIX && el->Nn[0] == el->Nv)
    PlexPairsOrderElements(w, (unsigned *)to);
  else PlexPairsListElements(w, (unsigned *)to);
  for (PetscInt e = 0; e < w->nelements && auxiliary; ++e)
    to[words * w->nelements + e] = el->dofsAux[(size_t)w->elements[e] * el->ea];
  PetscCall(PlexPairsPlaceRows(w, first, end));
  if (w->nelements * (N * (N + 1) / 2) > w->itemsMost) {
    w->itemsMost = 2 * w->nelements * (N * (N + 1) / 2);
    PetscCall(PetscFree3(w->itemPos, w->item, w->sorted));
    PetscCall(PetscMalloc3(w->itemsMost, &w->itemPos, w->itemsMost, &w->item, w->itemsMost, &w->sorted));
  }
  w->nitems = 0;
  PetscCall(PetscArrayzero(w->start, w->nentries + 1));
  memset(w->kind, 0xff, (size_t)w->nentries);
  PetscCall(PetscArrayzero(w->covered, w->nentries));
  for (PetscInt k = 0; k < w->nholes; ++k) w->covered[w->hole[k]] = 1;
  for (PetscInt e = 0; e < w->nelements; ++e) {
    if (add(w, w->elements[e], e)) continue;
    for (PetscInt i = 0; i < ef; ++i) {
      const PetscInt row = w->asm_->pattern->row[el->dofs[(size_t)w->elements[e] * ef + i]];

      if (row >= 0) PetscCall(PlexOrbitsMissing_Private(w->asm_, row, w->elements[e]));
    }
  }
  if (w->kinds->rowSums) PetscCall(PlexPairsDiagonals(w));
  for (PetscInt k = 0; k < w->nentries; ++k) w->start[k + 1] += w->start[k];
  for (PetscInt k = w->nitems; k-- > 0;) w->sorted[--w->start[w->itemPos[k] + 1]] = w->item[k];
  for (PetscInt k = 0; k < w->nentries; ++k) w->start[k] = w->start[k + 1];
  w->start[w->nentries] = (int)w->nitems;
  npairs                = PlexPairsSort(w);
  if (w->arranges) PlexPairsGetBanks(w, npairs);
  for (PetscInt k = 0, m; k < npairs; k += m) {
    int *const     pos   = &w->pairs[1][k];
    const PetscInt split = PlexPairsSplit(w, *pos), room = PLEX_PAIR_LANES(w) >> split;

    /* all that have as many words, or as many as there is room for */
    for (m = 1; k + m < npairs && w->kind[pos[m]] == w->kind[*pos] && PlexPairsSplit(w, pos[m]) == split &&
                (m < room || PlexPairsWords(w, pos[m], split) == PlexPairsWords(w, *pos, split));)
      ++m;
    PetscCall(PlexPairsAddTask(w, block.group, split, PetscMin(m, room), m, pos, &w->banks[k], b));
    m = PetscMin(m, room);
  }
  PetscCall(PlexPairsZeros(w, block.group, b));
  block.tasks = (int)b->lists.n - 4 * block.list;
  qsort(&b->lists.entries[4 * (size_t)block.list], (size_t)block.tasks, sizeof(int), PlexPairsCompare);
  if (block.tasks % 4) PetscCall(PlexPackBufferExtend(&b->lists, 4 - block.tasks % 4, &to));
  PetscCall(PlexPairsAddRows(w, b, &complete));
  block.complete = (int)complete;
  block.runs     = (int)w->nruns;
  block.sums     = (int)((w->nentries + 1) / 2);
  block.heads    = (int)(b->lists.n / 4) - block.list;
  block.groups   = (int)(b->records.n / 64) - block.group;
  PlexPairsForesee(w, (double)(block.groups - 2 * w->kinds->kinds) / (double)w->nentries);
  shared = PlexPairsShared(w, w->nelements, w->nnodes, w->nentries, w->nruns, block.complete, block.tasks,
                           block.groups);
  *fits  = (PetscBool)(shared <= w->budget || end == first + 1);
  if (!*fits) {
    b->nodes.n   = (size_t)block.node;
    b->conn.n    = (size_t)block.conn;
    b->lists.n   = 4 * (size_t)block.list;
    b->records.n = 64 * (size_t)block.group;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ++pairs->nblocks;
  pairs->shared = PetscMax(pairs->shared, shared);
  pairs->lines += block.lines;
  pairs->pairs += (double)npairs;
  pairs->items += (double)w->nitems;
  for (PetscInt k = 0; k < npairs && w->kinds->kept == PLEX_PAIRS_POINTS; ++k) {
    const PlexPairKind *kind = &w->kinds->kind[w->kind[w->pairs[1][k]]];

    pairs->entries += (double)(PlexPairsCount(w, w->pairs[1][k]) * kind->dofs[0] * kind->dofs[1]);
  }
  pairs->elements += (double)w->nelements;
  pairs->rows += (double)w->nrows;
  PetscCall(PlexPackBufferExtend(&b->blocks, sizeof(block) / sizeof(int), &to));
  PetscCall(PetscMemcpy(to, &block, sizeof(block)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* Dofs around which an element has one without a column */
static PetscErrorCode PlexPairsFindIncomplete(PlexPairsWalk *w)
{
  PlexElements el = w->asm_->elements;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nl, &w->incomplete));
  PetscCall(PetscMalloc1(65536, &w->diagonal));
  for (PetscInt l = 0; l < el->Nl; ++l) {
    if (w->asm_->pattern->column[l] >= 0) continue;
    for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t)
      for (PetscInt i = 0; i < el->ef; ++i) w->incomplete[el->dofs[(size_t)w->touching.items[t] * el->ef + i]] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexPairsBegin(PlexPairsWalk *w)
{
  w->nelements = w->nnodes = w->nentries = w->nrows = 0;
  ++w->mark;
}

/* *serves false: the elements or entries of one mesh node have no room, or the entries of a pair of nodes do not lie
   row behind row */
static PetscErrorCode PlexPairsFillAll(PlexPairsWalk *w, PlexPairs *pairs, PlexPairsBuffers *b, PetscBool *serves)
{
  const PetscInt n     = w->asm_->elements->Nnodes;
  PetscInt       first = 0, most = w->mostNodes, rows = 0, entries = 0;
  PetscBool      fits;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l)
    *serves = (PetscBool)(*serves && w->touching.start[l + 1] - w->touching.start[l] <= PLEX_PAIR_ITEMS(w));
  PlexPairsBegin(w);
  for (PetscInt k = 0; k <= n && *serves; ++k) {
    const PetscInt elements = w->nelements, nodes = w->nnodes;

    if (k < n) {
      PlexOrbitsFetch_Private(w->curve, k);
      entries = PlexPairsEntries(w, w->order[k], &rows);
      PetscCall(PlexPairsTouch(w, w->order[k]));
    }
    if (k > first &&
        (k == n || k - first >= most || (w->asm_->partitionSize && w->nelements > w->asm_->partitionSize) ||
         !PlexPairsFits(w, w->nelements, w->nnodes, w->nentries + entries, w->nrows + rows))) {
      w->nelements = elements;
      w->nnodes    = nodes;
      PetscCall(PlexPairsBlockFill(w, first, k, pairs, b, &fits));
      *serves = (PetscBool)!w->irregular;
      most    = fits ? w->mostNodes : PetscMax(1, (k - first) * 15 / 16);
      if (fits) first = k;
      PlexPairsBegin(w);
      k = first - 1; /* the next one begins */
      continue;
    }
    *serves = (PetscBool)(k == n || k > first || PlexPairsFits(w, w->nelements, w->nnodes, entries, rows));
    if (!*serves) break;
    w->nentries += entries;
    w->nrows += rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read */
static PetscErrorCode PlexPairsUpload(PlexAssembly asm_, const PlexPairKinds *kinds, PlexPairs *pairs,
                                      PlexPairsBuffers *b)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(asm_->backend, (size_t)(16 * pairs->lines), (void **)&pairs->device.places));
  pairs->nodes  = (double)b->nodes.n;
  pairs->groups = (double)(b->records.n / 64);
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->blocks, &pairs->device.blocks));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->nodes, &pairs->device.nodes));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->conn, &pairs->device.conn));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->lists, &pairs->device.lists));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->records, &pairs->device.records));
  PetscCall(PlexBackendUpload(asm_->backend, kinds->turns, sizeof(unsigned) * (size_t)kinds->nturns,
                              (void **)&pairs->device.turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsFill_Private(PlexAssembly asm_, const PlexPairKinds *kinds, size_t budget, PetscInt least,
                                     PlexPairs *pairs, PetscBool *serves)
{
  PlexElements     el = asm_->elements;
  PlexPairsWalk    w;
  PlexPairsBuffers b;
  PlexOrbitsWalk   curve;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&w, sizeof(w)));
  PetscCall(PetscMemzero(&b, sizeof(b)));
  PetscCall(PetscMemzero(&curve, sizeof(curve)));
  w.asm_        = asm_;
  w.kinds       = kinds;
  w.budget      = budget;
  w.elementBits = PLEX_PAIR_ELEMENT_BITS(el->dim);
  w.groups      = 0.02;
  /* of triangles it took more than half as long again as the rest of a plan, and J took 0.93 to 1.03 of the time */
  w.arranges  = (PetscBool)(el->dim == 3);
  w.mostNodes = PetscMax(1, el->Nnodes / PetscMax(1, least));
  curve.asm_  = asm_;
  PetscCall(PlexOrbitsOrder_Private(&curve));
  w.order  = curve.order;
  w.dofsOf = curve.dofsOf;
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &w.touching));
  curve.touching = w.touching;
  w.curve        = &curve;
  PetscCall(PetscCalloc5(el->Nx, &w.node, el->Nx, &w.nodeOwner, el->Ne, &w.element, el->Nl, &w.dof, el->Nl,
                         &w.dofOwner));
  PetscCall(PetscMalloc6(65537, &w.start, 65536, &w.other, 65536, &w.kind, 65536, &w.covered, 65536, &w.pairs[0], 65536,
                         &w.pairs[1]));
  PetscCall(PetscMalloc2(65536, &w.hole, 65536, &w.banks));
  if (kinds->rowSums) PetscCall(PlexPairsFindIncomplete(&w));
  if (PLEX_PAIR_SEVERAL(&w)) PetscCall(PetscMalloc2(65536, &w.place, 65536, &w.shape));
  PetscCall(PetscNew(&w.lanes));
  PetscCall(PetscMalloc3(65536, &w.before, 65536, &w.turn, 65536 * el->Nv, &w.vertex));
  *serves = PETSC_TRUE;
  PetscCall(PlexPairsFillAll(&w, pairs, &b, serves));
  for (PetscInt k = 0; k < 2; ++k) pairs->turns[k] = w.turns[k] / PetscMax(1., w.reads[k]);
  PetscCall(PetscFree(w.lanes));
  PetscCall(PetscFree3(w.before, w.turn, w.vertex));
  if (*serves) PetscCall(PlexPairsUpload(asm_, kinds, pairs, &b));
  PetscCall(PlexPackBufferDestroy(&b.blocks));
  PetscCall(PlexPackBufferDestroy(&b.nodes));
  PetscCall(PlexPackBufferDestroy(&b.conn));
  PetscCall(PlexPackBufferDestroy(&b.lists));
  PetscCall(PlexPackBufferDestroy(&b.records));
  PetscCall(PetscFree5(w.node, w.nodeOwner, w.element, w.dof, w.dofOwner));
  PetscCall(PetscFree2(w.hole, w.banks));
  PetscCall(PetscFree2(w.place, w.shape));
  PetscCall(PetscFree(w.diagonal));
  PetscCall(PetscFree(w.incomplete));
  PetscCall(PetscFree6(w.start, w.other, w.kind, w.covered, w.pairs[0], w.pairs[1]));
  PetscCall(PetscFree3(w.itemPos, w.item, w.sorted));
  PetscCall(PetscFree2(w.rows, w.work));
  PetscCall(PetscFree(w.elements));
  PetscCall(PetscFree(w.nodes));
  PetscCall(PetscFree(w.order));
  PetscCall(PlexListsDestroy(&w.dofsOf));
  PetscCall(PlexListsDestroy(&w.touching));
  PetscFunctionReturn(PETSC_SUCCESS);
}
