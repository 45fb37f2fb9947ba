/* Records of local_row where elements can be turned: of each contribution to a row, the nodes of its element and the
   places in the row */
#include "orbitsimpl.h"

/* In each place where it is called, so that arguments that are numbers there are numbers in it */
#define PLEX_INLINED static inline __attribute__((always_inline))

static PetscInt PlexBits(PetscInt most)
{
  PetscInt bits = 1;

  while (bits < 31 && most >= 1 << bits) ++bits;
  return bits;
}

/* Each item goes to the first word that has room; the element's number is a word of its own, the first. Returns the
   words */
static PetscInt PlexRecordPlace(PlexRecord *r, PetscBool element)
{
  PlexRecordPart *parts[]                 = {&r->places, &r->nodes, &r->dofs, &r->flag};
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
void PlexRecordLayOut_Private(PlexElements el, PetscBool solution, PetscInt mostNode, PetscInt mostDof,
                              PetscInt mostPlace, PlexRecord *r)
{
  PlexRecordPart *parts[] = {&r->places, &r->nodes, &r->dofs};
  const PetscBool element = el->ea ? PETSC_TRUE : PETSC_FALSE;

  r->nodes.bits  = PlexBits(mostNode);
  r->nodes.n     = el->Nv;
  r->dofs.bits   = PlexBits(mostDof);
  r->dofs.n      = solution ? el->ef : 0;
  r->places.bits = PlexBits(mostPlace);
  r->places.n    = el->ef;
  r->flag.bits   = 1;
  r->flag.n      = 0;
  r->words       = PlexRecordPlace(r, element);
  r->flag.n      = 1;
  if (PlexRecordPlace(r, element) > r->words) r->flag.n = 0;
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscInt bits = parts[k]->bits;

    if (bits < 8) parts[k]->bits = 8;
    if (PlexRecordPlace(r, element) > r->words) parts[k]->bits = bits;
  }
  r->words = PlexRecordPlace(r, element);
}

/* What is written of a record: halves of 64-bit words are words of it. A word of its own for what may go past the last
   one */
#define PLEX_RECORD_LONG ((PLEX_RECORD_ITEMS + 1) / 2 + 1)

/* A record of one number is summed in a register */
PLEX_INLINED void PlexRecordSet(const PetscBool one, uint64_t *only, uint64_t record[], const PlexRecordPart *part,
                                PetscInt i, PetscInt value)
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
  PetscInt        row;     /* of the matrix, or -1: all places are dropped */
  PetscInt        start;   /* slot of its first non-zero */
  PetscInt        length;  /* of the row */
  PetscInt        dropped; /* place of what is dropped, behind the longest row of the warp */
  const PetscInt *columns; /* of the row */
} PlexRecordRow;

static inline PlexRecordRow PlexOrbitsRecordRow(PlexOrbitsWalk *w, PetscInt l, PetscInt dropped)
{
  const PlexPattern pattern = w->asm_->pattern;
  PlexRecordRow     r       = {.row = l < 0 ? -1 : pattern->row[l], .dropped = dropped};

  r.start   = r.row < 0 ? 0 : pattern->i[r.row];
  r.length  = PlexPatternLength(pattern, r.row);
  r.columns = r.row < 0 ? NULL : &pattern->j[pattern->i[r.row]];
  return r;
}

/* Sizes of records, which are numbers of the program where functions that get them by value are inlined */
typedef struct {
  PetscInt  ef, Nv;
  PetscBool plain; /* they have no element and no solution, */
  PetscBool one;   /* and are one number of two words */
} PlexRecordSizes;

/* The record of element e and a row, in words a warp apart; returns false where the matrix lacks an entry of it */
PLEX_INLINED PetscBool PlexOrbitsRecord(const PlexRecordSizes size, const PlexOrbitsWalk *w, const PlexRecordRow *row,
                                        PetscInt e, PetscInt turn, unsigned *to)
{
  PlexElements      el      = w->asm_->elements;
  const PlexPattern pattern = w->asm_->pattern;
  const PlexRecord *r       = &w->record;
  const PetscInt    ef = size.ef, Nv = size.Nv;
  const int        *dofs = &w->turns.dofs[turn * ef], *vertices = &w->turns.vertices[turn * Nv];
  const int        *elDofs = &el->dofs[(size_t)e * ef], *elVertices = &el->vertices[(size_t)e * Nv];
  PetscBool         complete = PETSC_TRUE;
  uint64_t          record[PLEX_RECORD_LONG], only = 0;

  for (PetscInt k = 0; !size.one && k <= r->words / 2; ++k) record[k] = 0;
  if (!size.plain && el->ea) record[0] = (uint64_t)(unsigned)e;
  for (PetscInt v = 0; v < Nv; ++v)
    PlexRecordSet(size.one, &only, record, &r->nodes, v, w->node[elVertices[vertices[v]]]);
#pragma GCC unroll 4
  for (PetscInt j = 0; j < ef; ++j) {
    const int      l      = elDofs[dofs[j]];
    const PetscInt column = row->row < 0 ? -1 : pattern->column[l];
    PetscInt       slot   = column;

    if (!size.plain && w->solution) PlexRecordSet(size.one, &only, record, &r->dofs, j, w->dof[l]);
    if (column >= 0) {
      if (row->length <= PLEX_PATTERN_PAD)
        slot = row->start - 1 + PlexPatternFindShort(row->columns, row->length, column);
      else slot = PlexPatternFind(pattern, row->row, column);
      if (slot < row->start) complete = PETSC_FALSE;
    }
    PlexRecordSet(size.one, &only, record, &r->places, j, column < 0 ? row->dropped : slot - row->start);
  }
  for (PetscInt k = 0; k < (size.one ? 2 : r->words); ++k)
    to[32 * k] = (unsigned)((size.one ? only : record[k / 2]) >> k % 2 * 32);
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

    PetscCheck(column < 0 || PlexPatternFind(pattern, row, column) >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT
               " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()",
               row, column, e);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether coordinate nodes that all elements of a row share are where the first of them, turned, has them: at[Nv] */
static inline PetscBool PlexOrbitsShares(PetscInt Nv, unsigned fixed, const int nodes[], const int vertices[],
                                         const int at[])
{
  unsigned other = 0;

  for (PetscInt v = 0; v < Nv; ++v) other |= (unsigned)(nodes[vertices[v]] != at[v]) << v;
  return other & fixed ? PETSC_FALSE : PETSC_TRUE;
}

/* A rotation of element e that makes its dof i its orbit's first, with the shared nodes at[]; -1: there is none */
static PetscInt PlexOrbitsTurn(PlexOrbitsWalk *w, PetscInt o, PetscInt e, PetscInt i, const int at[])
{
  const PlexTurns *t  = &w->turns;
  const PetscInt   Nv = w->asm_->elements->Nv, n = t->ncandidates[i];
  const int       *nodes = &w->asm_->elements->vertices[(size_t)e * Nv], *turns = &t->candidates[i * t->nturns];

  if (!t->fixed[o]) return turns[0];
  for (PetscInt c = 0; c < n; ++c)
    if (PlexOrbitsShares(Nv, t->fixed[o], nodes, &t->vertices[turns[c] * Nv], at)) return turns[c];
  return -1;
}

/* The contributions of orbit o to a dof's row go to w->run, in the order of their elements */
static void PlexOrbitsGather(PlexOrbitsWalk *w, PetscInt o, PetscInt l)
{
  PlexElements el     = w->asm_->elements;
  PlexTurns   *t      = &w->turns;
  int          at[27] = {0};
  PetscInt     n      = 0;

  for (PetscInt k = w->touching.start[l]; k < w->touching.start[l + 1]; ++k) {
    const PetscInt e = w->touching.items[k], i = PlexOrbitsFind(el, e, l);
    PetscInt       turn = t->candidates[i * t->nturns];

    if (t->orbit[i] != o) continue;
    if (!n) {
      for (PetscInt v = 0; v < el->Nv; ++v) at[v] = el->vertices[(size_t)e * el->Nv + t->vertices[turn * el->Nv + v]];
    } else {
      turn = PlexOrbitsTurn(w, o, e, i, at);
      if (turn < 0) { /* nodes that coincide: the kernel reads all of each element */
        t->fixed[o] = 0;
        turn        = t->candidates[i * t->nturns];
      }
    }
    w->run.element[n] = (int)e;
    w->run.turn[n++]  = (unsigned char)turn;
  }
}

/* The records of a lane: contributions begin to end - 1. Returns the first one whose entries the matrix lacks, or -1 */
PLEX_INLINED PetscInt PlexOrbitsLaneRecordsOf(const PlexRecordSizes size, PlexOrbitsWalk *w, const PlexRecordRow *row,
                                              PetscInt begin, PetscInt end, unsigned *record)
{
  const PetscInt apart = 32 * (size.one ? 2 : w->record.words);

  for (PetscInt k = begin; k < end; ++k, record += apart)
    if (!PlexOrbitsRecord(size, w, row, w->run.element[k], w->run.turn[k], record)) return k;
  return -1;
}

static PetscErrorCode PlexOrbitsLaneRecords(PlexOrbitsWalk *w, const PlexRecordRow *row, PetscInt begin, PetscInt end,
                                            unsigned *record)
{
  const PlexElements el = w->asm_->elements;
  const PetscInt     ef = el->ef, Nv = el->Nv;
  const PetscBool    plain = (PetscBool)(!el->ea && !w->solution), one = (PetscBool)(plain && w->record.words == 2);
  PetscInt           lacks;

  PetscFunctionBegin;
  if (one && ef == 3 && Nv == 3)
    lacks = PlexOrbitsLaneRecordsOf((PlexRecordSizes){3, 3, PETSC_TRUE, PETSC_TRUE}, w, row, begin, end, record);
  else if (one && ef == 4 && Nv == 4)
    lacks = PlexOrbitsLaneRecordsOf((PlexRecordSizes){4, 4, PETSC_TRUE, PETSC_TRUE}, w, row, begin, end, record);
  else if (plain && ef == 6 && Nv == 3)
    lacks = PlexOrbitsLaneRecordsOf((PlexRecordSizes){6, 3, PETSC_TRUE, PETSC_FALSE}, w, row, begin, end, record);
  else if (plain && ef == 10 && Nv == 4)
    lacks = PlexOrbitsLaneRecordsOf((PlexRecordSizes){10, 4, PETSC_TRUE, PETSC_FALSE}, w, row, begin, end, record);
  else lacks = PlexOrbitsLaneRecordsOf((PlexRecordSizes){ef, Nv, PETSC_FALSE, PETSC_FALSE}, w, row, begin, end, record);
  if (lacks >= 0) PetscCall(PlexOrbitsMissing_Private(w->asm_, row->row, w->run.element[lacks]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contributions of orbit o to a dof's row */
static PetscInt PlexOrbitsCount(PlexOrbitsWalk *w, PetscInt o, PetscInt l)
{
  PetscInt n = 0;

  if (w->turns.n == 1) return w->touching.start[l + 1] - w->touching.start[l];
  for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t)
    n += w->turns.orbit[PlexOrbitsFind(w->asm_->elements, w->touching.items[t], l)] == o;
  return n;
}

/* Whether two of the n threads that share a row add to the same place of it with a group of records */
static PetscBool PlexOrbitsMeet(PlexOrbitsWalk *w, PetscInt n, const unsigned records[], PetscInt dropped)
{
  const PlexRecord *r    = &w->record;
  PetscBool         meet = PETSC_FALSE;

  ++w->seenLast;
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool drops = PETSC_FALSE; /* no two threads write what they drop either, though it is never read */

    for (PetscInt j = 0; j < w->asm_->elements->ef; ++j) {
      const PetscInt place = PlexRecordGet(records + k, &r->places, j);

      if (w->seen[place] == w->seenLast) meet = PETSC_TRUE;
      if (place == dropped) drops = PETSC_TRUE;
      else w->seen[place] = w->seenLast;
    }
    if (drops) w->seen[dropped] = w->seenLast;
  }
  return meet;
}

/* Says of each group of records whether threads that share a row are to take turns with what they add */
static void PlexOrbitsTakeTurns(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[], PetscInt groups,
                                PetscInt dropped, unsigned records[])
{
  const PlexRecord *r = &w->record;

  for (PetscInt g = 0; g < groups && r->flag.n && lanes[0].parts > 1; ++g, records += 32 * r->words) {
    PetscBool meet = PETSC_FALSE;

    for (PetscInt k = 0; k < n && lanes[k].parts > 1 && !meet; k += lanes[k].parts)
      meet = PlexOrbitsMeet(w, lanes[k].parts, records + k, dropped);
    for (PetscInt k = 0; k < 32; ++k) records[k + 32 * (r->flag.at[0] / 32)] |= (unsigned)meet << r->flag.at[0] % 32;
  }
}

/* The records of one orbit: as many groups as the lane with most of them needs; 0 if there are none */
PetscErrorCode PlexOrbitsSegment_Private(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[],
                                         PetscInt dropped, PlexOrbitsBuffers *b, int *segment)
{
  const PlexRecordSizes size   = {w->asm_->elements->ef, w->asm_->elements->Nv, PETSC_FALSE, PETSC_FALSE};
  const PetscInt        words  = w->record.words;
  PetscInt              groups = 0, count = 0, done[32] = {0}, element = 0, turn = 0;
  unsigned             *records;
  PlexRecordRow         row;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k)
    groups = PetscMax(groups, (PlexOrbitsCount(w, o, lanes[k].l) + lanes[k].parts - 1) / lanes[k].parts);
  *segment = 0;
  if (!groups) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPackBufferExtend(&b->records, (size_t)groups * 32 * (size_t)words, (int **)&records));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt each, begin, end;

    if (lanes[k].part == 0) {
      count = PlexOrbitsCount(w, o, lanes[k].l);
      PlexOrbitsGather(w, o, lanes[k].l);
    }
    each    = (count + lanes[k].parts - 1) / lanes[k].parts;
    begin   = PetscMin(count, each * lanes[k].part);
    end     = PetscMin(count, begin + each);
    done[k] = end - begin;
    row     = PlexOrbitsRecordRow(w, lanes[k].l, dropped);
    PetscCall(PlexOrbitsLaneRecords(w, &row, begin, end, records + k));
    if (begin < end) {
      element = w->run.element[begin];
      turn    = w->run.turn[begin];
    }
  }
  row = PlexOrbitsRecordRow(w, -1, dropped);
  for (PetscInt k = 0; k < 32; ++k) { /* an element whose geometry is good, but all of its row dropped */
    for (PetscInt g = done[k]; g < groups; ++g)
      (void)PlexOrbitsRecord(size, w, &row, element, turn, records + (size_t)g * 32 * (size_t)words + k);
  }
  PlexOrbitsTakeTurns(w, n, lanes, groups, dropped, records);
  *segment = (int)(groups << 5 | o);
  PetscFunctionReturn(PETSC_SUCCESS);
}
