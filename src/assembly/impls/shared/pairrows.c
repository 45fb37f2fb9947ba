/*
  Rows of a block of pairs, in the order of the matrix: those that lie one behind another there, a run, do so in the
  block's sums, so that they can be copied line by line.
*/
#include "pairsimpl.h"

/* Whether a row comes right behind the one before, in the same array */
static PetscBool PlexPairsFollows(PlexPattern pattern, PetscInt before, PetscInt row)
{
  return (PetscBool)(pattern->i[before + 1] == pattern->i[row] && pattern->i[row] != pattern->nA);
}

/* Places of the rows of the block's mesh nodes: runs begin in lines of two places of their own, at places as odd or
   even as in the matrix */
void PlexPairsPlaceRows_Private(PlexPairsWalk *w, PetscInt first, PetscInt end)
{
  PlexPattern pattern = w->asm_->pattern;
  PetscInt    n = 0, place = 0;

  for (PetscInt k = first; k < end; ++k) {
    const PetscInt *dofs = &w->order.dofs.start[w->order.nodes[k]];

    for (PetscInt d = dofs[0]; d < dofs[1]; ++d) {
      const PetscInt l = w->order.dofs.items[d];

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
    w->dofOwner[l] = w->cut.mark;
    place += PlexPatternLength(pattern, row);
  }
  w->nrows    = n;
  w->nentries = place;
}

/* Dofs around which an element has one without a column */
PetscErrorCode PlexPairsFindIncomplete_Private(PlexPairsWalk *w)
{
  PlexElements el = w->asm_->elements;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nl, &w->incomplete));
  PetscCall(PetscMalloc1(65536, &w->diagonal));
  for (PetscInt l = 0; l < el->Nl; ++l) {
    if (w->asm_->pattern->column[l] >= 0) continue;
    for (PetscInt t = w->order.elements.start[l]; t < w->order.elements.start[l + 1]; ++t)
      for (PetscInt i = 0; i < el->ef; ++i)
        w->incomplete[el->dofs[(size_t)w->order.elements.items[t] * el->ef + i]] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the block's rows the places of diagonal entries that are to make sums zero */
PetscErrorCode PlexPairsDiagonals_Private(PlexPairsWalk *w)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < w->nrows; ++k) {
    const PetscInt l = (PetscInt)(w->rows[k] & 0xffffffff);
    PetscInt       pos;

    w->diagonal[k] = -1;
    if (w->incomplete[l]) continue;
    pos = PlexPairsFind(w, l, l);
    if (pos < 0)
      PetscCall(PlexMatrixRowCheck_Private(w->asm_, (PetscInt)(w->rows[k] >> 32),
                                           w->order.elements.items[w->order.elements.start[l]]));
    w->diagonal[k]  = (int)pos;
    w->covered[pos] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the runs of rows to the lists, in which lines they begin, and rows whose sums are made zero */
PetscErrorCode PlexPairsAddRows_Private(PlexPairsWalk *w, PlexPairsBuffers *b, PetscInt *complete)
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
