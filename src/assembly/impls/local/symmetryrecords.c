/* Records of local_row by symmetry classes: of each contribution to a row, the nodes of its element and the
   places in the row */
#include "symmetryimpl.h"

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

/* Sizes of records, which are numbers of the program where functions that get them by value are inlined */
typedef struct {
  PetscInt  ef, Nv;
  PetscBool plain; /* they have no element and no solution, */
  PetscBool one;   /* and are one number of two words */
} PlexRecordSizes;

/* The record of element e and a row, in words a warp apart; returns false where the matrix lacks an entry of it */
PLEX_INLINED PetscBool PlexSymmetryRecord(const PlexRecordSizes size, const PlexSymmetryBuild *s,
                                          const PlexMatrixRow *row, PetscInt e, PetscInt rotation, unsigned *to)
{
  PlexElements      el = s->asm_->elements;
  const PlexRecord *r  = &s->record;
  const PetscInt    ef = size.ef, Nv = size.Nv;
  const int        *dofs = &s->classes.dofs[rotation * ef], *vertices = &s->classes.vertices[rotation * Nv];
  const int        *elDofs = &el->dofs[(size_t)e * ef], *elVertices = &el->vertices[(size_t)e * Nv];
  PetscInt          least = 0;
  uint64_t          record[PLEX_RECORD_LONG], only = 0;

  for (PetscInt k = 0; !size.one && k <= r->words / 2; ++k) record[k] = 0;
  if (!size.plain && el->ea) record[0] = (uint64_t)(unsigned)e;
  for (PetscInt v = 0; v < Nv; ++v)
    PlexRecordSet(size.one, &only, record, &r->nodes, v, s->node[elVertices[vertices[v]]]);
#pragma GCC unroll 4
  for (PetscInt j = 0; j < ef; ++j) {
    const int      l     = elDofs[dofs[j]];
    const PetscInt place = PlexMatrixRowPlace(s->asm_->pattern, row, l);

    if (!size.plain && s->solution) PlexRecordSet(size.one, &only, record, &r->dofs, j, s->dof[l]);
    least = PetscMin(least, place);
    PlexRecordSet(size.one, &only, record, &r->places, j, place);
  }
  for (PetscInt k = 0; k < (size.one ? 2 : r->words); ++k)
    to[32 * k] = (unsigned)((size.one ? only : record[k / 2]) >> k % 2 * 32);
  return (PetscBool)(least >= 0);
}

/* Whether coordinate nodes that all elements of a row share are where the first of them, in its order, has them:
   at[Nv] */
static inline PetscBool PlexSymmetryShares(PetscInt Nv, unsigned fixed, const int nodes[], const int vertices[],
                                           const int at[])
{
  unsigned other = 0;

  for (PetscInt v = 0; v < Nv; ++v) other |= (unsigned)(nodes[vertices[v]] != at[v]) << v;
  return other & fixed ? PETSC_FALSE : PETSC_TRUE;
}

/* A rotation of element e that makes its dof i the first of class c, with the shared nodes at[]. Where there is none,
   as nodes coincide, the kernel reads all of each element */
static PetscInt PlexSymmetryRotation(PlexDofClasses *classes, PetscInt Nv, PetscInt c, const int nodes[], PetscInt i,
                                     const int at[])
{
  const int *rotations = &classes->candidates[i * classes->nrotations];

  for (PetscInt k = 0; k < classes->ncandidates[i] && classes->fixed[c]; ++k)
    if (PlexSymmetryShares(Nv, classes->fixed[c], nodes, &classes->vertices[rotations[k] * Nv], at))
      return rotations[k];
  classes->fixed[c] = 0;
  return rotations[0];
}

/* The contributions of class c to a dof's row, in the order of their elements; returns how many */
static PetscInt PlexSymmetryGather(PlexSymmetryBuild *s, PetscInt c, PetscInt l)
{
  PlexElements     el       = s->asm_->elements;
  PlexDofClasses  *classes  = &s->classes;
  const PlexLists *elements = &s->order.elements;
  int              at[27]   = {0};
  PetscInt         n        = 0;

  for (PetscInt k = elements->start[l]; k < elements->start[l + 1]; ++k) {
    const PetscInt e = elements->items[k], i = PlexSymmetryFind(el, e, l);
    const int     *nodes    = &el->vertices[(size_t)e * el->Nv];
    PetscInt       rotation = classes->candidates[i * classes->nrotations];

    if (classes->of[i] != c) continue;
    if (n) rotation = PlexSymmetryRotation(classes, el->Nv, c, nodes, i, at);
    else
      for (PetscInt v = 0; v < el->Nv; ++v) at[v] = nodes[classes->vertices[rotation * el->Nv + v]];
    s->element[n]    = (int)e;
    s->rotation[n++] = (unsigned char)rotation;
  }
  return n;
}

/* The records of a lane: contributions begin to end - 1. Returns the first one whose entries the matrix lacks, or -1 */
PLEX_INLINED PetscInt PlexSymmetryLaneRecordsOf(const PlexRecordSizes size, const PlexSymmetryBuild *s,
                                                const PlexMatrixRow *row, PetscInt begin, PetscInt end,
                                                unsigned *record)
{
  const PetscInt apart = 32 * (size.one ? 2 : s->record.words);

  for (PetscInt k = begin; k < end; ++k, record += apart)
    if (!PlexSymmetryRecord(size, s, row, s->element[k], s->rotation[k], record)) return k;
  return -1;
}

static PetscErrorCode PlexSymmetryLaneRecords(PlexSymmetryBuild *s, const PlexMatrixRow *row, PetscInt begin,
                                              PetscInt end, unsigned *record)
{
  const PlexElements    el    = s->asm_->elements;
  const PetscBool       plain = (PetscBool)(!el->ea && !s->solution), one = (PetscBool)(plain && s->record.words == 2);
  const PlexRecordSizes size = {el->ef, el->Nv, PETSC_FALSE, PETSC_FALSE}, triangle = {3, 3, PETSC_TRUE, PETSC_TRUE},
                        triangle2 = {6, 3, PETSC_TRUE, PETSC_FALSE}, tetrahedron = {4, 4, PETSC_TRUE, PETSC_TRUE},
                        tetrahedron2 = {10, 4, PETSC_TRUE, PETSC_FALSE};
  PetscInt              lacks;

  PetscFunctionBegin;
  if (one && el->ef == 3 && el->Nv == 3) lacks = PlexSymmetryLaneRecordsOf(triangle, s, row, begin, end, record);
  else if (one && el->ef == 4 && el->Nv == 4)
    lacks = PlexSymmetryLaneRecordsOf(tetrahedron, s, row, begin, end, record);
  else if (plain && el->ef == 6 && el->Nv == 3)
    lacks = PlexSymmetryLaneRecordsOf(triangle2, s, row, begin, end, record);
  else if (plain && el->ef == 10 && el->Nv == 4)
    lacks = PlexSymmetryLaneRecordsOf(tetrahedron2, s, row, begin, end, record);
  else lacks = PlexSymmetryLaneRecordsOf(size, s, row, begin, end, record);
  if (lacks >= 0) PetscCall(PlexMatrixRowCheck_Private(s->asm_, row->row, s->element[lacks]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contributions of class c to a dof's row */
static PetscInt PlexSymmetryCount(const PlexSymmetryBuild *s, PetscInt c, PetscInt l)
{
  const PlexLists *elements = &s->order.elements;
  PetscInt         n        = 0;

  if (s->classes.n == 1) return PlexSymmetryAround(s, l);
  for (PetscInt t = elements->start[l]; t < elements->start[l + 1]; ++t)
    n += s->classes.of[PlexSymmetryFind(s->asm_->elements, elements->items[t], l)] == c;
  return n;
}

/* Whether two of the n threads that share a row add to the same place of it with a group of records */
static PetscBool PlexSymmetryMeet(PlexSymmetryBuild *s, PetscInt n, const unsigned records[], PetscInt dropped)
{
  PetscBool meet = PETSC_FALSE;

  ++s->seenLast;
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool drops = PETSC_FALSE; /* no two threads write what they drop either, though it is never read */

    for (PetscInt j = 0; j < s->asm_->elements->ef; ++j) {
      const PetscInt place = PlexRecordGet(records + k, &s->record.places, j);

      if (s->seen[place] == s->seenLast) meet = PETSC_TRUE;
      if (place == dropped) drops = PETSC_TRUE;
      else s->seen[place] = s->seenLast;
    }
    if (drops) s->seen[dropped] = s->seenLast;
  }
  return meet;
}

/* Says of each group of records whether threads that share a row are to add one after the other */
static void PlexSymmetryTakeTurns(PlexSymmetryBuild *s, PetscInt n, const PlexWarpRow rows[], PetscInt groups,
                                  PetscInt dropped, unsigned records[])
{
  const PlexRecord *r = &s->record;

  for (PetscInt g = 0; g < groups && r->flag.n && rows[0].parts > 1; ++g, records += 32 * r->words) {
    PetscBool meet = PETSC_FALSE;
    PetscInt  lane = 0;

    for (PetscInt k = 0; k < n && rows[k].parts > 1 && !meet; lane += rows[k++].parts)
      meet = PlexSymmetryMeet(s, rows[k].parts, records + lane, dropped);
    for (PetscInt k = 0; k < 32; ++k) records[k + 32 * (r->flag.at[0] / 32)] |= (unsigned)meet << r->flag.at[0] % 32;
  }
}

PetscErrorCode PlexSymmetrySegment_Private(PlexSymmetryBuild *s, PetscInt c, PetscInt n, const PlexWarpRow rows[],
                                           PetscInt dropped, PlexPackBuffer *buffer, int *segment)
{
  const PlexRecordSizes size   = {s->asm_->elements->ef, s->asm_->elements->Nv, PETSC_FALSE, PETSC_FALSE};
  const size_t          group  = 32 * (size_t)s->record.words;
  PetscInt              groups = 0, lane = 0, done[32] = {0}, element = 0, rotation = 0;
  unsigned             *records;
  PlexMatrixRow         row;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexFetch(&s->order.elements.items[s->order.elements.start[rows[k].l]]);
    groups = PetscMax(groups, (PlexSymmetryCount(s, c, rows[k].l) + rows[k].parts - 1) / rows[k].parts);
  }
  *segment = (int)(groups << 5 | c);
  if (!groups) *segment = 0;
  if (!groups) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPackBufferExtend(buffer, (size_t)groups * group, (int **)&records));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt count = PlexSymmetryGather(s, c, rows[k].l), each = (count + rows[k].parts - 1) / rows[k].parts;

    row = PlexMatrixRowGet(s->asm_->pattern, rows[k].l, dropped);
    for (PetscInt begin = 0, last = lane + rows[k].parts; lane < last; ++lane, begin = PetscMin(count, begin + each)) {
      const PetscInt end = PetscMin(count, begin + each);

      PetscCall(PlexSymmetryLaneRecords(s, &row, begin, end, records + lane));
      done[lane] = end - begin;
      if (begin == end) continue;
      element  = s->element[begin];
      rotation = s->rotation[begin];
    }
  }
  row = PlexMatrixRowGet(s->asm_->pattern, -1, dropped);
  for (PetscInt k = 0; k < 32; ++k) { /* an element whose geometry is good, but all of its row dropped */
    for (PetscInt g = done[k]; g < groups; ++g)
      (void)PlexSymmetryRecord(size, s, &row, element, rotation, records + (size_t)g * group + k);
  }
  PlexSymmetryTakeTurns(s, n, rows, groups, dropped, records);
  PetscFunctionReturn(PETSC_SUCCESS);
}
