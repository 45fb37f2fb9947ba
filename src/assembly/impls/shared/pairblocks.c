/*
  The plan of shared_nz by pairs. Blocks are runs of the mesh nodes along a Hilbert curve, as long as the numbers of the
  elements around them and the rows of their dofs have room. Of each block the items that its elements add to pairs are
  listed and sorted by pair.
*/
#include "pairsimpl.h"

/* ---- Cutting the order into blocks ---- */

/* Rows and entries of the mesh nodes up to each one of the order */
static PetscErrorCode PlexPairsCountEntries(PlexPairsWalk *w)
{
  PlexPattern          pattern = w->asm_->pattern;
  const PlexNodeOrder *order   = &w->order;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(order->n + 1, &w->rowsTo, order->n + 1, &w->entriesTo));
  for (PetscInt k = 0; k < order->n; ++k) {
    w->rowsTo[k + 1]    = w->rowsTo[k];
    w->entriesTo[k + 1] = w->entriesTo[k];
    for (PetscInt d = order->dofs.start[order->nodes[k]]; d < order->dofs.start[order->nodes[k] + 1]; ++d) {
      const PetscInt length = PlexPatternLength(pattern, pattern->row[order->dofs.items[d]]);

      w->rowsTo[k + 1] += length > 0;
      w->entriesTo[k + 1] += length;
    }
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
static PetscBool PlexPairsHasRoom(const PlexPairsWalk *w, PetscInt first, PetscInt end, PetscInt elements,
                                  PetscInt nodes)
{
  const PetscInt entries = w->entriesTo[end] - w->entriesTo[first], rows = w->rowsTo[end] - w->rowsTo[first],
                 tasks  = entries / 64 + 3 * w->kinds->kinds + 4,
                 stride = PLEX_PAIRS_STRIDE(elements, PlexAssemblyRealSize(w->asm_));

  return (PetscBool)(stride <= (1 << w->elementBits) && w->kinds->numbers * stride < PLEX_PAIR_NONE &&
                     nodes <= PLEX_PAIR_NODES && entries + 2 * rows < 65535 &&
                     PlexPairsShared(w, elements, nodes, entries + 2 * rows, rows, rows, tasks,
                                     (PetscInt)(w->groups * (double)entries) + 2 * w->kinds->kinds) <= w->budget);
}

static PetscBool PlexPairsFits(const PlexCut *cut, PetscInt first, PetscInt end, const PetscInt counts[], void *ctx)
{
  const PlexPairsWalk *w    = (const PlexPairsWalk *)ctx;
  const PetscInt       most = w->asm_->partitionSize;

  (void)cut;
  return (PetscBool)(end - first <= w->mostNow && (!most || counts[0] <= most) &&
                     PlexPairsHasRoom(w, first, end, counts[0], counts[1]));
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

/* Items of element e, which is number `at` of the block; false where the matrix lacks an entry */
static PetscBool PlexPairsElement(PlexPairsWalk *w, PetscInt e, PetscInt at)
{
  PlexElements         el   = w->asm_->elements;
  const PetscInt       ef   = el->ef;
  const int           *dofs = &el->dofs[(size_t)e * ef], mark = w->cut.mark;
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
  PlexPairLists  lists = {w->pairs, w->banks, n, PLEX_PAIR_TRIES, 1, w->start, w->vertex, 0, 0};
  PlexPairLanes *l     = w->lanes;

  for (PetscInt e = 0; e < n; ++e) {
    w->before[e] = w->elements[e];
    w->pairs[e]  = (int)e;
    w->start[e]  = (int)(e * Nv);
    w->banks[e]  = 0;
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

/* The block's elements in their order, the numbers of their vertices and the first dof of their auxiliary fields */
static PetscErrorCode PlexPairsConnect(PlexPairsWalk *w, PlexPairsBuffers *b)
{
  PlexElements   el    = w->asm_->elements;
  const PetscInt words = (el->Nv + 1) / 2, auxiliary = w->kinds->auxiliary > 0;
  int           *to;

  PetscFunctionBegin;
  PlexCutNumber(&w->cut, 1, w->cut.nblocks - 1, w->node);
  PetscCall(PlexPackBufferExtend(&b->conn, (size_t)((words + auxiliary) * w->nelements), &to));
  /* of other orders that gains less than it takes */
  if (w->arranges && w->kinds->kept != PLEX_PAIRS_MATRIX && el->Nn[0] == el->Nv)
    PlexPairsOrderElements(w, (unsigned *)to);
  else PlexPairsListElements(w, (unsigned *)to);
  for (PetscInt e = 0; e < w->nelements && auxiliary; ++e)
    to[words * w->nelements + e] = el->dofsAux[(size_t)w->elements[e] * el->ea];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the block's elements add to its pairs, sorted by pair */
static PetscErrorCode PlexPairsListItems(PlexPairsWalk *w)
{
  PlexElements el                                             = w->asm_->elements;
  PetscBool (*const add)(PlexPairsWalk *, PetscInt, PetscInt) = w->kinds->kept == PLEX_PAIRS_GRADIENTS
                                                                ? PlexPairsElementGradients_Private
                                                              : w->kinds->kept == PLEX_PAIRS_POINTS
                                                                ? PlexPairsElementPoints_Private
                                                                : PlexPairsElement;

  PetscFunctionBegin;
  w->nitems = 0;
  PetscCall(PetscArrayzero(w->start, w->nentries + 1));
  memset(w->kind, 0xff, (size_t)w->nentries);
  PetscCall(PetscArrayzero(w->covered, w->nentries));
  for (PetscInt k = 0; k < w->nholes; ++k) w->covered[w->hole[k]] = 1;
  for (PetscInt e = 0; e < w->nelements; ++e) {
    if (add(w, w->elements[e], e)) continue;
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt row = w->asm_->pattern->row[el->dofs[(size_t)w->elements[e] * el->ef + i]];

      if (row >= 0) PetscCall(PlexMatrixRowCheck_Private(w->asm_, row, w->elements[e]));
    }
  }
  if (w->kinds->rowSums) PetscCall(PlexPairsDiagonals_Private(w));
  for (PetscInt k = 0; k < w->nentries; ++k) w->start[k + 1] += w->start[k];
  for (PetscInt k = w->nitems; k-- > 0;) w->sorted[--w->start[w->itemPos[k] + 1]] = w->item[k];
  for (PetscInt k = 0; k < w->nentries; ++k) w->start[k] = w->start[k + 1];
  w->start[w->nentries] = (int)w->nitems;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts of a block that is kept */
static void PlexPairsCountBlock(const PlexPairsWalk *w, const PlexPairsBlock *block, PetscInt npairs, size_t shared,
                                PlexPairs *pairs)
{
  ++pairs->nblocks;
  pairs->shared = PetscMax(pairs->shared, shared);
  pairs->lines += block->lines;
  pairs->pairs += (double)npairs;
  pairs->items += (double)w->nitems;
  pairs->elements += (double)w->nelements;
  pairs->rows += (double)w->nrows;
  for (PetscInt k = 0; k < npairs && w->kinds->kept == PLEX_PAIRS_POINTS; ++k) {
    const PlexPairKind *kind = &w->kinds->kind[w->kind[w->pairs[k]]];

    pairs->entries += (double)(PlexPairsCount(w, w->pairs[k]) * kind->dofs[0] * kind->dofs[1]);
  }
}

/* The last block that was cut. *fits false: there is more in the lists than was foreseen, and nothing is appended */
static PetscErrorCode PlexPairsBlockFill(PlexPairsWalk *w, PlexPairs *pairs, PlexPairsBuffers *b, PetscBool *fits)
{
  const PetscInt n = w->cut.nblocks - 1, first = w->cut.start[n], end = w->cut.start[n + 1];
  const size_t   real = PlexAssemblyRealSize(w->asm_);
  PlexPairsBlock block;
  PetscInt       npairs, complete = 0;
  size_t         shared;
  int           *to;

  PetscFunctionBegin;
  *fits = PETSC_TRUE;
  if (w->rowsTo[end] == w->rowsTo[first]) PetscFunctionReturn(PETSC_SUCCESS);
  w->elements  = PlexCutItems(&w->cut, 0, n);
  w->nelements = PlexCutCount(&w->cut, 0, n);
  w->nnodes    = PlexCutCount(&w->cut, 1, n);
  w->stride    = PLEX_PAIRS_STRIDE(w->nelements, real);
  block        = (PlexPairsBlock){.node     = (int)w->cut.list[1].start[n],
                                  .nodes    = (int)w->nnodes,
                                  .conn     = (int)b->conn.n,
                                  .elements = (int)w->nelements,
                                  .list     = (int)(b->lists.n / 4),
                                  .group    = (int)(b->records.n / 64),
                                  .lines    = (int)((real * (size_t)(w->nnodes * w->asm_->elements->cdim) + 15) / 16),
                                  .place    = (int)pairs->lines};
  PetscCall(PlexPairsConnect(w, b));
  PlexPairsPlaceRows_Private(w, first, end);
  PetscCall(PlexPairsListItems(w));
  PetscCall(PlexPairsAddTasks_Private(w, &block, b, &npairs));
  PetscCall(PlexPairsAddRows_Private(w, b, &complete));
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
    b->conn.n    = (size_t)block.conn;
    b->lists.n   = 4 * (size_t)block.list;
    b->records.n = 64 * (size_t)block.group;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexPairsCountBlock(w, &block, npairs, shared, pairs);
  PetscCall(PlexPackBufferExtend(&b->blocks, sizeof(block) / sizeof(int), &to));
  PetscCall(PetscMemcpy(to, &block, sizeof(block)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* *serves false: the elements or entries of one mesh node have no room, or the entries of a pair of nodes do not lie
   row behind row */
static PetscErrorCode PlexPairsFillAll(PlexPairsWalk *w, PlexPairs *pairs, PlexPairsBuffers *b, PetscBool *serves)
{
  PlexCut  *cut = &w->cut;
  PetscBool fits;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l)
    *serves = (PetscBool)(*serves && w->order.elements.start[l + 1] - w->order.elements.start[l] <= PLEX_PAIR_ITEMS(w));
  w->mostNow = w->mostNodes;
  while (*serves && cut->start[cut->nblocks] < cut->n) {
    const PetscInt first = cut->start[cut->nblocks];
    PetscInt       n;

    PetscCall(PlexCutNext_Private(cut, cut->n, PlexPairsFits, w));
    n = cut->start[cut->nblocks] - first;
    /* a mesh node alone is looked at for the first time */
    *serves = (PetscBool)(n > 1 || PlexPairsHasRoom(w, first, first + n, PlexCutCount(cut, 0, cut->nblocks - 1),
                                                    PlexCutCount(cut, 1, cut->nblocks - 1)));
    if (!*serves) break;
    PetscCall(PlexPairsBlockFill(w, pairs, b, &fits));
    *serves    = (PetscBool)!w->irregular;
    w->mostNow = fits ? w->mostNodes : PetscMax(1, n * 15 / 16);
    if (!fits) PlexCutBack_Private(cut);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read */
static PetscErrorCode PlexPairsUpload(PlexPairsWalk *w, PlexPairs *pairs, PlexPairsBuffers *b)
{
  PlexBackend backend = w->asm_->backend;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(backend, (size_t)(16 * pairs->lines), (void **)&pairs->device.places));
  pairs->nodes  = (double)w->cut.list[1].start[w->cut.nblocks];
  pairs->groups = (double)(b->records.n / 64);
  PetscCall(PlexBlocksUploadBuffer_Private(w->asm_, &b->blocks, &pairs->device.blocks));
  PetscCall(PlexBackendUpload(backend, w->cut.list[1].items, sizeof(int) * (size_t)pairs->nodes,
                              (void **)&pairs->device.nodes));
  PetscCall(PlexBlocksUploadBuffer_Private(w->asm_, &b->conn, &pairs->device.conn));
  PetscCall(PlexBlocksUploadBuffer_Private(w->asm_, &b->lists, &pairs->device.lists));
  PetscCall(PlexBlocksUploadBuffer_Private(w->asm_, &b->records, &pairs->device.records));
  PetscCall(PlexBackendUpload(backend, w->kinds->turns, sizeof(unsigned) * (size_t)w->kinds->nturns,
                              (void **)&pairs->device.turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for a block's entries, items and elements */
static PetscErrorCode PlexPairsBegin(PlexPairsWalk *w)
{
  PlexElements   el    = w->asm_->elements;
  const PetscInt N     = w->kinds->kept == PLEX_PAIRS_GRADIENTS ? el->Nn[0]
                       : w->kinds->kept == PLEX_PAIRS_POINTS    ? w->kinds->points.n
                                                                : el->ef,
                 items = (N * (N + 1) / 2) << w->elementBits;

  PetscFunctionBegin;
  PetscCall(PlexNodeOrderCreate_Private(w->asm_, &w->order));
  PetscCall(PlexCutCreate_Private(w->order.n, w->order.lead, &w->order.elements, el->Ne, &w->cut));
  PetscCall(PlexCutAddList_Private(&w->cut, el->Nv, el->vertices, el->Nx));
  PetscCall(PlexPairsCountEntries(w));
  PetscCall(PetscMalloc1(el->Nx, &w->node));
  PetscCall(PetscCalloc2(el->Nl, &w->dof, el->Nl, &w->dofOwner));
  PetscCall(PetscMalloc7(65537, &w->start, 65536, &w->other, 65536, &w->kind, 65536, &w->covered, 65536, &w->pairs,
                         65536, &w->hole, 65536, &w->banks));
  PetscCall(PetscMalloc5(65536, &w->rows, 65536, &w->work, items, &w->itemPos, items, &w->item, items, &w->sorted));
  PetscCall(PetscMalloc3(65536, &w->before, 65536, &w->turn, 65536 * el->Nv, &w->vertex));
  if (w->kinds->rowSums) PetscCall(PlexPairsFindIncomplete_Private(w));
  if (PLEX_PAIR_SEVERAL(w)) PetscCall(PetscMalloc2(65536, &w->place, 65536, &w->shape));
  PetscCall(PetscNew(&w->lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPairsEnd(PlexPairsWalk *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(w->lanes));
  PetscCall(PetscFree2(w->place, w->shape));
  PetscCall(PetscFree(w->diagonal));
  PetscCall(PetscFree(w->incomplete));
  PetscCall(PetscFree3(w->before, w->turn, w->vertex));
  PetscCall(PetscFree5(w->rows, w->work, w->itemPos, w->item, w->sorted));
  PetscCall(PetscFree7(w->start, w->other, w->kind, w->covered, w->pairs, w->hole, w->banks));
  PetscCall(PetscFree2(w->dof, w->dofOwner));
  PetscCall(PetscFree(w->node));
  PetscCall(PetscFree2(w->rowsTo, w->entriesTo));
  PetscCall(PlexCutDestroy_Private(&w->cut));
  PetscCall(PlexNodeOrderDestroy_Private(&w->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsFill_Private(PlexAssembly asm_, const PlexPairKinds *kinds, size_t budget, PetscInt least,
                                     PlexPairs *pairs, PetscBool *serves)
{
  PlexElements     el = asm_->elements;
  PlexPairsWalk    w  = {.asm_        = asm_,
                         .kinds       = kinds,
                         .budget      = budget,
                         .elementBits = PLEX_PAIR_ELEMENT_BITS(el->dim),
                         .groups      = 0.02,
                         /* of triangles it took more than half as long again as the rest of a plan, and J took 0.93 to
                            1.03 of the time */
                         .arranges  = (PetscBool)(el->dim == 3),
                         .mostNodes = PetscMax(1, el->Nnodes / PetscMax(1, least))};
  PlexPairsBuffers b;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&b, sizeof(b)));
  PetscCall(PlexPairsBegin(&w));
  *serves = PETSC_TRUE;
  PetscCall(PlexPairsFillAll(&w, pairs, &b, serves));
  for (PetscInt k = 0; k < 2; ++k) pairs->turns[k] = w.turns[k] / PetscMax(1., w.reads[k]);
  if (*serves) PetscCall(PlexPairsUpload(&w, pairs, &b));
  PetscCall(PlexPackBufferDestroy(&b.blocks));
  PetscCall(PlexPackBufferDestroy(&b.conn));
  PetscCall(PlexPackBufferDestroy(&b.lists));
  PetscCall(PlexPackBufferDestroy(&b.records));
  PetscCall(PlexPairsEnd(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
