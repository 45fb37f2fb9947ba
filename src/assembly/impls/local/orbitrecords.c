/* Records of local_row where elements can be turned: of each contribution to a row, the nodes of its element and the places in the row */
#include "orbitsimpl.h"

/* In each place where it is called, so that arguments that are numbers there are numbers in it */
#define PLEX_INLINED static inline __attribute__((always_inline))

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

/* What is written of a record: halves of 64-bit words are words of it. A word of its own for what may go past the last one */
#define PLEX_RECORD_LONG ((PLEX_RECORD_ITEMS + 1) / 2 + 1)

/* A record of one number is summed in a register */
PLEX_INLINED void PlexRecordSet(const PetscBool one, uint64_t *only, uint64_t record[], const PlexRecordPart *part, PetscInt i, PetscInt value)
{
  const uint64_t bits = (uint64_t)(unsigned)value << (unsigned)part->at[i] % 64;

  if (one) *only |= bits;
  else record[(unsigned)part->at[i] / 64] |= bits;
}

static PetscInt PlexRecordGet(const unsigned record[], const PlexRecordPart *part, PetscInt i)
{
  return (PetscInt)(record[32 * (part->at[i] / 32)] >> part->at[i] % 32 & ((1u << part->bits) - 1));
}

/* What the records of a lane have in common */
typedef struct {
  PetscInt        row;    /* of the matrix, or -1: all places are dropped */
  PetscInt        start;  /* slot of its piece's first non-zero */
  PetscInt        length; /* of the row */
  PetscInt        piece;
  PetscInt        dropped; /* place of what is dropped, behind the longest row of the warp */
  const PetscInt *columns; /* of the row */
} PlexRecordRow;

static inline void PlexOrbitsRecordRow(PlexOrbitsWalk *w, PetscInt l, PetscInt piece, PetscInt dropped, PlexRecordRow *r)
{
  const PlexPattern pattern = w->asm_->pattern;

  r->row     = l < 0 ? -1 : pattern->row[l];
  r->start   = r->row < 0 ? 0 : pattern->i[r->row] + PlexOrbitsFirst(w, l, piece);
  r->length  = PlexPatternLength(pattern, r->row);
  r->columns = r->row < 0 ? NULL : &pattern->j[pattern->i[r->row]];
  r->piece   = piece;
  r->dropped = dropped;
}

/*
  The record of element e and a piece of a row, in words a warp apart; returns false where the matrix lacks an entry of it. To be inlined: ef and Nv are then
  numbers, `plain` records have no element, no solution, no pieces and no components, and those that are `one` number have two words.
*/
PLEX_INLINED PetscBool PlexOrbitsRecord(const PetscInt ef, const PetscInt Nv, const PetscBool plain, const PetscBool one, const PlexOrbitsWalk *w, const PlexRecordRow *row, PetscInt e, PetscInt turn, PetscBool first, PetscBool last, unsigned *to)
{
  PlexElements      el      = w->asm_->elements;
  const PlexPattern pattern = w->asm_->pattern;
  const PlexRecord *r       = &w->record;
  const int        *dofs = &w->turns.dofs[turn * ef], *vertices = &w->turns.vertices[turn * Nv];
  const int        *elDofs = &el->dofs[(size_t)e * ef], *elVertices = &el->vertices[(size_t)e * Nv];
  const PetscInt    step = plain ? 1 : w->components, begins = row->row < 0 ? 0 : pattern->i[row->row];
  PetscBool         complete = PETSC_TRUE;
  uint64_t          record[PLEX_RECORD_LONG], only = 0;

  for (PetscInt k = 0; !one && k <= r->words / 2; ++k) record[k] = 0;
  if (!plain && el->ea) record[0] = (uint64_t)(unsigned)e;
  for (PetscInt v = 0; v < Nv; ++v) PlexRecordSet(one, &only, record, &r->nodes, v, w->node[elVertices[vertices[v]]]);
#pragma GCC unroll 4
  for (PetscInt j = 0; j < ef; j += step) { /* of components the first one of a node, where the others follow */
    const int      l      = elDofs[dofs[j]];
    const PetscInt column = row->row < 0 ? -1 : pattern->column[l];
    PetscInt       slot   = column;

    if (!plain && w->solution) PlexRecordSet(one, &only, record, &r->dofs, j, w->dof[l]);
    if (!plain && w->piece[j] != row->piece) continue;
    if (column >= 0) {
      if (row->length <= PLEX_PATTERN_PAD) slot = begins - 1 + PlexPatternFindShort(row->columns, row->length, column);
      else slot = PlexPatternFind(pattern, row->row, column);
      if (slot < begins) complete = PETSC_FALSE;
    }
    PlexRecordSet(one, &only, record, &r->places, plain ? j : w->item[j], column < 0 ? row->dropped : slot - row->start);
  }
  PlexRecordSet(one, &only, record, &r->flags, 0, first);
  PlexRecordSet(one, &only, record, &r->flags, 1, last);
  for (PetscInt k = 0; k < (one ? 2 : r->words); ++k) to[32 * k] = (unsigned)((one ? only : record[k / 2]) >> k % 2 * 32);
  return complete;
}

/* Says which entry the matrix lacks of those that element e adds to a row */
PetscErrorCode PlexOrbitsMissing_Private(PlexAssembly asm_, PetscInt row, PetscInt e)
{
  const PlexElements el      = asm_->elements;
  const PlexPattern  pattern = asm_->pattern;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < el->ef; ++j) {
    const PetscInt column = pattern->column[el->dofs[(size_t)e * el->ef + j]];

    PetscCheck(column < 0 || PlexPatternFind(pattern, row, column) >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()", row, column, e);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the things of the next element that the link has at a place of the one before are those of that place */
static inline PetscBool PlexOrbitsSame(const PetscInt n, const int from[], const int before[], const int atBefore[], const int next[], const int atNext[])
{
  for (PetscInt j = 0; j < n; ++j)
    if (from[j] >= 0 && next[atNext[j]] != before[atBefore[from[j]]]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Whether contribution k of a run, as it is turned, has what it shares with the one before where that is expected */
PLEX_INLINED PetscBool PlexOrbitsFollows(const PetscInt ef, const PetscInt Nv, const PlexOrbitsWalk *w, PetscInt o, const PlexOrbitsRun *run, PetscInt k)
{
  PlexElements     el     = w->asm_->elements;
  const PlexTurns *t      = &w->turns;
  const size_t     before = (size_t)run->element[k - 1], next = (size_t)run->element[k];
  const PetscInt   turnBefore = run->turn[k - 1], turn = run->turn[k];

  return (PetscBool)((w->vertices || PlexOrbitsSame(ef, t->dofsFrom[o], &el->dofs[before * ef], &t->dofs[turnBefore * ef], &el->dofs[next * ef], &t->dofs[turn * ef])) && PlexOrbitsSame(Nv, t->nodesFrom[o], &el->vertices[before * Nv], &t->vertices[turnBefore * Nv], &el->vertices[next * Nv], &t->vertices[turn * Nv]));
}

/* Contributions to a dof's row of orbits before o, which come before those of o */
static PetscInt PlexOrbitsBefore(PlexOrbitsWalk *w, PetscInt o, PetscInt l)
{
  PetscInt n = 0;

  for (PetscInt t = w->touching.start[l]; o && t < w->touching.start[l + 1]; ++t) n += w->turns.orbit[PlexOrbitsFind(w->asm_->elements, w->touching.items[t], l)] < o;
  return n;
}

/* The n contributions of orbit o to a dof's row, in order */
static PetscErrorCode PlexOrbitsChain(PlexOrbitsWalk *w, PetscInt o, PetscInt l, PetscInt n, PlexOrbitsRun *run)
{
  PlexElements   el = w->asm_->elements;
  PlexChain     *c  = &w->chain;
  const PetscInt at = w->kept ? w->touching.start[l] + PlexOrbitsBefore(w, o, l) : 0;
  PetscInt       m  = 0;

  PetscFunctionBegin;
  *run = (PlexOrbitsRun){w->all.element + at, w->all.turn + at, w->all.first + at};
  if (w->chained) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) {
    const PetscInt e = w->touching.items[t], i = PlexOrbitsFind(el, e, l);

    if (w->turns.orbit[i] != o) continue;
    c->element[m] = (int)e;
    c->dof[m++]   = (int)i;
  }
  PetscCall(PlexChainOrder_Private(el, &w->turns, o, n, c));
  for (PetscInt k = 0; k < n; ++k) {
    run->element[k] = c->element[c->order[k]];
    run->turn[k]    = (unsigned char)c->turn[k];
    run->first[k]   = c->first[k];
    if (run->first[k]) continue;
    if (el->ef == 3 && el->Nv == 3) run->first[k] = !PlexOrbitsFollows(3, 3, w, o, run, k);
    else if (el->ef == 4 && el->Nv == 4) run->first[k] = !PlexOrbitsFollows(4, 4, w, o, run, k);
    else run->first[k] = !PlexOrbitsFollows(el->ef, el->Nv, w, o, run, k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The records of a lane: contributions begin to end - 1 of a run. Returns the first one whose entries the matrix lacks, or -1; to be inlined like
   PlexOrbitsRecord() */
PLEX_INLINED PetscInt PlexOrbitsLaneRecordsOf(const PetscInt ef, const PetscInt Nv, const PetscBool plain, const PetscBool one, PlexOrbitsWalk *w, const PlexOrbitsRun *run, const PlexRecordRow *row, PetscInt begin, PetscInt end, unsigned *record)
{
  const PetscInt apart = 32 * (one ? 2 : w->record.words);
  PetscBool      ends  = PETSC_TRUE;

  for (PetscInt k = begin; k < end; ++k, record += apart) {
    const PetscBool first = ends;

    ends = (PetscBool)(k + 1 == end || run->first[k + 1]);
    if (!PlexOrbitsRecord(ef, Nv, plain, one, w, row, run->element[k], run->turn[k], first, ends, record)) return k;
    w->chains += first;
  }
  return -1;
}

static PetscErrorCode PlexOrbitsLaneRecords(PlexOrbitsWalk *w, const PlexOrbitsRun *run, const PlexRecordRow *row, PetscInt begin, PetscInt end, unsigned *record)
{
  const PlexElements el = w->asm_->elements;
  const PetscInt     ef = el->ef, Nv = el->Nv;
  const PetscBool    plain = (PetscBool)(!el->ea && !w->solution && w->npieces == 1 && w->components == 1);
  PetscInt           lacks;

  PetscFunctionBegin;
  if (plain && w->record.words == 2 && ef == 3 && Nv == 3) lacks = PlexOrbitsLaneRecordsOf(3, 3, PETSC_TRUE, PETSC_TRUE, w, run, row, begin, end, record);
  else if (plain && w->record.words == 2 && ef == 4 && Nv == 4) lacks = PlexOrbitsLaneRecordsOf(4, 4, PETSC_TRUE, PETSC_TRUE, w, run, row, begin, end, record);
  else if (plain && ef == 6 && Nv == 3) lacks = PlexOrbitsLaneRecordsOf(6, 3, PETSC_TRUE, PETSC_FALSE, w, run, row, begin, end, record);
  else if (plain && ef == 10 && Nv == 4) lacks = PlexOrbitsLaneRecordsOf(10, 4, PETSC_TRUE, PETSC_FALSE, w, run, row, begin, end, record);
  else lacks = PlexOrbitsLaneRecordsOf(ef, Nv, PETSC_FALSE, PETSC_FALSE, w, run, row, begin, end, record);
  if (lacks >= 0) PetscCall(PlexOrbitsMissing_Private(w->asm_, row->row, run->element[lacks]));
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
static PetscInt64 PlexOrbitsLasting(PlexOrbitsWalk *w, PetscInt o)
{
  const int *from    = w->turns.dofsFrom[o];
  PetscInt64 lasting = 0;

  for (PetscInt j = 0; j < w->asm_->elements->ef && w->turns.linked[o]; ++j)
    if (from[j] >= 0) lasting |= (PetscInt64)1 << from[j];
  return lasting;
}

/* Whether two of the n threads that share a row add to the same place of it with a group of records: what they add each time, or where a chain ends */
static PetscBool PlexOrbitsMeet(PlexOrbitsWalk *w, PetscInt n, const unsigned records[], PetscInt piece, PetscInt64 entries, PetscBool ends, PetscInt dropped)
{
  const PlexRecord *r    = &w->record;
  PetscBool         meet = PETSC_FALSE;

  ++w->seenLast;
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool drops = PETSC_FALSE; /* no two threads write what they drop either, though it is never read */

    if (ends && !PlexRecordGet(records + k, &r->flags, 1)) continue;
    for (PetscInt j = 0; j < w->asm_->elements->ef; j += w->components) {
      PetscInt place;

      if (!(entries >> j & 1) || w->piece[j] != piece) continue;
      place = PlexRecordGet(records + k, &r->places, w->item[j]);
      if (w->seen[place] == w->seenLast) meet = PETSC_TRUE;
      if (place == dropped) drops = PETSC_TRUE;
      else w->seen[place] = w->seenLast;
    }
    if (drops) w->seen[dropped] = w->seenLast;
  }
  return meet;
}

/* Says of each group of records whether threads that share a row are to take turns with what they add */
static void PlexOrbitsTakeTurns(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[], PetscInt groups, PetscInt dropped, unsigned records[])
{
  const PlexRecord *r       = &w->record;
  const PetscInt64  lasting = PlexOrbitsLasting(w, o);

  for (PetscInt g = 0; g < groups && r->flags.n > 2 && lanes[0].parts > 1; ++g, records += 32 * r->words) {
    PetscBool each = PETSC_FALSE, last = PETSC_FALSE;

    for (PetscInt k = 0; k < n && lanes[k].parts > 1; k += lanes[k].parts) {
      each = (PetscBool)(each || PlexOrbitsMeet(w, lanes[k].parts, records + k, lanes[k].piece, ~lasting, PETSC_FALSE, dropped));
      last = (PetscBool)(last || PlexOrbitsMeet(w, lanes[k].parts, records + k, lanes[k].piece, lasting, PETSC_TRUE, dropped));
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
  PlexRecordRow  row;
  PlexOrbitsRun  run = w->all;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) groups = PetscMax(groups, (PlexOrbitsCount(w, o, lanes[k].l) + lanes[k].parts - 1) / lanes[k].parts);
  *segment = 0;
  if (!groups) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPackBufferExtend(&b->records, (size_t)groups * 32 * (size_t)words, (int **)&records));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt begin, end;

    if (lanes[k].part == 0) {
      count = PlexOrbitsCount(w, o, lanes[k].l);
      PetscCall(PlexOrbitsChain(w, o, lanes[k].l, count, &run));
    }
    begin   = PetscMin(count, (count + lanes[k].parts - 1) / lanes[k].parts * lanes[k].part);
    end     = PetscMin(count, (count + lanes[k].parts - 1) / lanes[k].parts * (lanes[k].part + 1));
    done[k] = end - begin;
    PlexOrbitsRecordRow(w, lanes[k].l, lanes[k].piece, dropped, &row);
    PetscCall(PlexOrbitsLaneRecords(w, &run, &row, begin, end, records + k));
    if (begin < end) {
      element = run.element[begin];
      turn    = run.turn[begin];
    }
  }
  PlexOrbitsRecordRow(w, -1, lanes[0].piece, dropped, &row);
  for (PetscInt k = 0; k < 32; ++k) { /* an element whose geometry is good, but all of its row dropped */
    for (PetscInt g = done[k]; g < groups; ++g) (void)PlexOrbitsRecord(w->asm_->elements->ef, w->asm_->elements->Nv, PETSC_FALSE, PETSC_FALSE, w, &row, element, turn, PETSC_TRUE, PETSC_TRUE, records + (size_t)g * 32 * (size_t)words + k);
  }
  PlexOrbitsTakeTurns(w, o, n, lanes, groups, dropped, records);
  *segment = (int)(groups << 5 | (o * w->npieces + lanes[0].piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}
