/* Records of local_row where elements can be turned: of each contribution to a row, the nodes of its element and the places in the row */
#include "orbitsimpl.h"

static PetscInt PlexBits(PetscInt most)
{
  PetscInt bits = 1;

  while (bits < 31 && most >= 1 << bits) ++bits;
  return bits;
}

/* Each item goes to the first word that has room; the element's number is a word of its own, the first. Returns the words */
static PetscInt PlexRecordPlace(PlexRecord *r, PetscBool element)
{
  PlexRecordPart *parts[]                 = {&r->places, &r->nodes, &r->dofs, &r->flags};
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
void PlexRecordLayOut_Private(PlexElements el, PetscBool solution, PetscInt places, PetscInt mostNode, PetscInt mostDof, PetscInt mostPlace, PlexRecord *r)
{
  PlexRecordPart *parts[] = {&r->places, &r->nodes, &r->dofs};
  const PetscBool element = el->ea ? PETSC_TRUE : PETSC_FALSE;

  r->nodes.bits  = PlexBits(mostNode);
  r->nodes.n     = el->Nv;
  r->dofs.bits   = PlexBits(mostDof);
  r->dofs.n      = solution ? el->ef : 0;
  r->places.bits = PlexBits(mostPlace);
  r->places.n    = places;
  r->flags.bits  = 1;
  r->flags.n     = 2;
  r->words       = PlexRecordPlace(r, element);
  r->flags.n     = PLEX_RECORD_FLAGS;
  if (PlexRecordPlace(r, element) > r->words) r->flags.n = 2; /* then turns are taken always */
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

static PetscInt PlexRecordGet(const unsigned record[], const PlexRecordPart *part, PetscInt i)
{
  return (PetscInt)(record[32 * (part->at[i] / 32)] >> part->at[i] % 32 & ((1u << part->bits) - 1));
}

/* The record of dof i of element e and a piece of its row, in words a warp apart; places dropped go behind the longest row of the warp, all of them if i is
   negative */
static PetscErrorCode PlexOrbitsRecord(PlexOrbitsWalk *w, PetscInt e, PetscInt i, PetscInt piece, PetscInt turn, PetscInt dropped, PetscBool first, PetscBool last, unsigned *to)
{
  PlexElements      el      = w->asm_->elements;
  PlexPattern       pattern = w->asm_->pattern;
  const PlexRecord *r       = &w->record;
  const int        *dofs = &w->turns.dofs[turn * el->ef], *vertices = &w->turns.vertices[turn * el->Nv];
  const PetscInt    row = i < 0 ? -1 : pattern->row[el->dofs[e * el->ef + i]], start = row < 0 ? 0 : pattern->i[row] + PlexOrbitsFirst(w, el->dofs[e * el->ef + i], piece);
  unsigned          record[PLEX_RECORD_ITEMS];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->words; ++k) record[k] = 0;
  if (el->ea) record[0] = (unsigned)e;
  for (PetscInt v = 0; v < el->Nv; ++v) PlexRecordSet(record, &r->nodes, v, w->node[el->vertices[e * el->Nv + vertices[v]]]);
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      l      = el->dofs[e * el->ef + dofs[j]];
    const PetscInt column = row < 0 || w->piece[j] != piece ? -1 : pattern->column[l], slot = column < 0 ? -1 : PlexPatternFind(pattern, row, column);

    if (w->components > 1 && j % w->components) continue; /* it is where the first one of its node is */
    if (w->solution) PlexRecordSet(record, &r->dofs, j, w->dof[l]);
    PetscCheck(column < 0 || slot >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()", row, column, e);
    if (w->piece[j] == piece) PlexRecordSet(record, &r->places, w->item[j], column < 0 ? dropped : slot - start);
  }
  PlexRecordSet(record, &r->flags, 0, first);
  PlexRecordSet(record, &r->flags, 1, last);
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
static PetscErrorCode PlexOrbitsLaneRecords(PlexOrbitsWalk *w, PetscInt o, PetscInt piece, PetscInt begin, PetscInt end, PetscInt dropped, unsigned *record)
{
  PetscBool ends = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = begin; k < end; ++k, record += 32 * w->record.words) {
    const PetscInt  c = w->chain.order[k], e = w->chain.element[c], turn = w->chain.turn[k];
    const PetscBool first = ends;

    ends = (PetscBool)(k + 1 == end || !PlexOrbitsFollows(w, o, k + 1));
    PetscCall(PlexOrbitsRecord(w, e, w->chain.dof[c], piece, turn, dropped, first, ends, record));
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

/* The entries of a contribution of orbit o that are added to the row when a chain ends, as bits; the others are added each time */
static PetscInt64 PlexOrbitsKept(PlexOrbitsWalk *w, PetscInt o)
{
  const int *from = w->turns.dofsFrom[o];
  PetscInt64 kept = 0;

  for (PetscInt j = 0; j < w->asm_->elements->ef && w->turns.linked[o]; ++j)
    if (from[j] >= 0) kept |= (PetscInt64)1 << from[j];
  return kept;
}

/* Whether two of the n threads that share a row add to the same place of it with a group of records: what they add each time, or where a chain ends */
static PetscBool PlexOrbitsMeet(PlexOrbitsWalk *w, PetscInt n, const unsigned records[], PetscInt piece, PetscInt64 entries, PetscBool ends, PetscInt dropped)
{
  const PlexRecord *r    = &w->record;
  PetscBool         meet = PETSC_FALSE;

  ++w->seenLast;
  for (PetscInt k = 0; k < n; ++k) {
    if (ends && !PlexRecordGet(records + k, &r->flags, 1)) continue;
    for (PetscInt j = 0; j < w->asm_->elements->ef; j += w->components) {
      PetscInt place;

      if (!(entries >> j & 1) || w->piece[j] != piece) continue;
      place = PlexRecordGet(records + k, &r->places, w->item[j]);
      if (place != dropped && w->seen[place] == w->seenLast) meet = PETSC_TRUE;
      w->seen[place] = w->seenLast;
    }
  }
  return meet;
}

/* Says of each group of records whether threads that share a row are to take turns with what they add */
static void PlexOrbitsTakeTurns(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[], PetscInt groups, PetscInt dropped, unsigned records[])
{
  const PlexRecord *r    = &w->record;
  const PetscInt64  kept = PlexOrbitsKept(w, o);

  for (PetscInt g = 0; g < groups && r->flags.n > 2 && lanes[0].parts > 1; ++g, records += 32 * r->words) {
    PetscBool each = PETSC_FALSE, last = PETSC_FALSE;

    for (PetscInt k = 0; k < n && lanes[k].parts > 1; k += lanes[k].parts) {
      each = (PetscBool)(each || PlexOrbitsMeet(w, lanes[k].parts, records + k, lanes[k].piece, ~kept, PETSC_FALSE, dropped));
      last = (PetscBool)(last || PlexOrbitsMeet(w, lanes[k].parts, records + k, lanes[k].piece, kept, PETSC_TRUE, dropped));
    }
    for (PetscInt k = 0; k < 32; ++k) {
      records[k + 32 * (r->flags.at[2] / 32)] |= (unsigned)each << r->flags.at[2] % 32;
      records[k + 32 * (r->flags.at[3] / 32)] |= (unsigned)last << r->flags.at[3] % 32;
    }
  }
}

/* The records of one orbit: as many groups as the lane with most of them needs; 0 if there are none */
PetscErrorCode PlexOrbitsSegment_Private(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[], PetscInt dropped, PlexOrbitsBuffers *b, int *segment)
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
    PetscCall(PlexOrbitsLaneRecords(w, o, lanes[k].piece, begin, end, dropped, records + k));
    if (begin < end) {
      element = w->chain.element[w->chain.order[begin]];
      turn    = w->chain.turn[begin];
    }
  }
  for (PetscInt k = 0; k < 32; ++k) { /* an element whose geometry is good, but all of its row dropped */
    for (PetscInt g = done[k]; g < groups; ++g) PetscCall(PlexOrbitsRecord(w, element, -1, lanes[0].piece, turn, dropped, PETSC_TRUE, PETSC_TRUE, records + (size_t)g * 32 * (size_t)words + k));
  }
  PlexOrbitsTakeTurns(w, o, n, lanes, groups, dropped, records);
  *segment = (int)(groups << 5 | (o * w->npieces + lanes[0].piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}
