/*
  Reduction lists, row by row. The terms of a row are in the elements around its mesh node: those of all its targets are
  collected in their order and then sorted by target, in arrays of a row's size. So what is written is written in order,
  and what is read lies close together where rows that follow each other are neighbours in the mesh. What is done
  depends on the mesh in no branch that a processor could not foresee.

  Of a symmetric product, whose element data is that of the lower half, the lesser of the two rows has the list for both
  entries.
*/
#include "terms.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind(), PlexPatternLongest() */

PetscErrorCode PlexTermsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscInt interleave, PlexTerms *t)
{
  const PetscInt EF = asm_->elements->ef, Ne = asm_->elements->Ne;
  PetscInt       longest = 1, around = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(t, sizeof(*t)));
  t->asm_       = asm_;
  t->product    = product;
  t->interleave = interleave;
  PetscCall(PlexPartsGetTouching_Private(asm_, &t->touching));
  PetscCall(PetscMalloc1(Ne, &t->base));
  for (PetscInt e = 0; e < Ne; ++e) t->base[e] = -1;
  for (PetscInt n = 0; n < t->touching->n; ++n)
    around = PetscMax(around, t->touching->start[n + 1] - t->touching->start[n]);
  if (product->kind == PLEX_JACOBIAN) longest = PetscMax(longest, PlexPatternLongest(asm_->pattern));
  t->most = around * (product->kind == PLEX_JACOBIAN ? EF * (asm_->repeated ? EF : 1) : EF);
  PetscCall(PetscMalloc4(t->most + 1, &t->place, t->most + 1, &t->source, longest, &t->count, longest + 1, &t->other));
  PetscCall(PetscCalloc1(1, &t->start));
  if (product->kind == PLEX_RESIDUAL || asm_->pattern->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(asm_->pattern->m, &t->dofOf));
  PetscCall(PetscCalloc1(asm_->elements->Nl, &t->placeOf));
  for (PetscInt r = 0; r < asm_->pattern->m; ++r) t->dofOf[r] = -1;
  for (PetscInt l = 0; l < asm_->elements->Nl; ++l)
    if (asm_->pattern->row[l] >= 0) t->dofOf[asm_->pattern->row[l]] = (int)l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexTermsSetPosition_Private(PlexTerms *t, PetscInt e, PetscInt p)
{
  t->base[e] = (int)(p / t->interleave * t->product->nd * t->interleave + p % t->interleave);
}

PetscErrorCode PlexTermsDestroy_Private(PlexTerms *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->base));
  PetscCall(PetscFree(t->targets));
  PetscCall(PetscFree(t->mirrors));
  PetscCall(PetscFree(t->start));
  PetscCall(PetscFree(t->sources));
  PetscCall(PetscFree(t->places));
  PetscCall(PetscFree(t->dofOf));
  PetscCall(PetscFree(t->placeOf));
  PetscCall(PetscFree4(t->place, t->source, t->count, t->other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for that many more lists and sources */
static PetscErrorCode PlexTermsGrow(PlexTerms *t, PetscInt lists, PetscInt sources)
{
  PetscFunctionBegin;
  if (t->n + lists > t->allocated) {
    t->allocated = PetscMax(t->n + lists, 2 * t->allocated + 1024);
    PetscCall(PetscRealloc(sizeof(int) * t->allocated, &t->targets));
    PetscCall(PetscRealloc(sizeof(int) * t->allocated, &t->mirrors));
    PetscCall(PetscRealloc(sizeof(PetscInt) * (t->allocated + 1), &t->start));
  }
  sources += t->start[t->n - t->packed];
  if (sources > t->sallocated) {
    t->sallocated = PetscMax(sources, 2 * t->sallocated + 1024);
    PetscCall(PetscRealloc(sizeof(int) * t->sallocated, &t->sources));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places of the columns of row r */
static inline void PlexTermsPlaceColumns(PlexTerms *t, PetscInt r)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt   *j       = &pattern->j[pattern->i[r]];

  for (PetscInt k = 0; t->dofOf && k < pattern->i[r + 1] - pattern->i[r]; ++k) {
    const int l = t->dofOf[j[k] - pattern->rstart];

    if (l >= 0) t->placeOf[l] = (int)k;
  }
}

/* Terms of row r in element e, whose dof i it is: n becomes the new number of them; false: the matrix lacks an entry */
static inline PetscBool PlexTermsElement(const PlexTerms *t, PetscInt r, PetscInt e, PetscInt i, PetscInt *n)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt    EF = t->asm_->elements->ef, W = t->interleave, base = t->base[e];
  const PetscInt length = pattern->i[r + 1] - pattern->i[r], *const columns = &pattern->j[pattern->i[r]],
                 *const columnOf  = pattern->column;
  const PetscBool       symmetric = t->product->symmetric;
  const int *const dofs = &t->asm_->elements->dofs[(size_t)e * EF], *const rowOf = pattern->row,
                   *const placeOf = t->placeOf;
  int *restrict places = t->place, *restrict sources = t->source, *restrict other = t->other;
  PetscInt at = *n, missing = 0;

  if (!length) return PETSC_FALSE;
  for (PetscInt j = 0; j < EF; ++j) {
    const int      l = dofs[j];
    const PetscInt c = columnOf[l], row = rowOf[l], more = PetscMax(i, j), less = PetscMin(i, j);
    const PetscInt d      = symmetric ? more * (more + 1) / 2 + less : i * EF + j,
                   wanted = (c >= 0) & (!symmetric | (row >= r));
    const PetscInt place  = placeOf ? PetscMin(placeOf[l], length - 1)
                                    : PetscMax(0, PlexPatternFind(pattern, r, c) - pattern->i[r]);

    missing |= wanted & (columns[place] != c);
    places[at]                     = (int)place;
    sources[at]                    = (int)(base < 0 ? -1 : base + d * W);
    other[wanted ? place : length] = (int)row;
    at += wanted;
  }
  *n = at;
  return (PetscBool)!missing;
}

/* The elements around local dof l, whose row comes a few rows later, are fetched from memory */
void PlexTermsPrefetch_Private(const PlexTerms *t, PetscInt l)
{
  const PetscInt node = l < 0 ? 0 : t->asm_->elements->node[l];

  for (PetscInt k = l < 0 ? 0 : t->touching->start[node]; l >= 0 && k < t->touching->start[node + 1]; ++k) {
    const PetscInt e = t->touching->items[k];

    PlexFetch(&t->asm_->elements->dofs[(size_t)e * t->asm_->elements->ef]);
    PlexFetch(&t->base[e]);
  }
}

/* Sorts the n terms by place into lists of the places that have any, or of all places */
static PetscErrorCode PlexTermsSort(PlexTerms *t, PetscInt n, PetscInt length, PetscInt first, PetscBool all)
{
  const int *const place = t->place, *const source = t->source;
  int *restrict count = t->count, *restrict sources;
  PetscInt at, lists;

  PetscFunctionBegin;
  PetscCall(PlexTermsGrow(t, length, n));
  lists   = t->n - t->packed;
  at      = t->start[lists];
  sources = t->sources;
  for (PetscInt k = 0; k < length; ++k) count[k] = all ? 0 : -1;
  for (PetscInt k = 0; k < n; ++k) count[place[k]] = PetscMax(count[place[k]], 0) + (source[k] >= 0);
  for (PetscInt k = 0; k < length; ++k) {
    const int c = count[k];

    if (c < 0) continue;
    t->targets[t->n] = (int)(first + k);
    t->mirrors[t->n] = -1;
    count[k]         = (int)at;
    at += c;
    t->start[++lists] = at;
    ++t->n;
  }
  for (PetscInt k = 0; k < n; ++k)
    if (source[k] >= 0) sources[count[place[k]]++] = source[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTermsMissing(PlexTerms *t, PetscInt e)
{
  int *slots;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(t->asm_->elements->ef * t->asm_->elements->ef, &slots));
  PetscCall(PlexPatternGetElementSlots(t->asm_->pattern, e, slots)); /* says which one */
  PetscCall(PetscFree(slots));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "A row lacks an entry of element %" PetscInt_FMT, e);
}

/* Terms of the row of dof l in element e, for PlexTermsShortRow(): place[ef], source[ef], and a count of each place;
   bits of *touched: places that it adds to, of *missing: 1 if the row lacks one */
static inline __attribute__((always_inline)) void PlexTermsShortElement(const PlexTerms *t, const PetscInt ef,
                                                                        PetscInt r, PetscInt l, PetscInt e, int place[],
                                                                        int source[], int count[], int other[],
                                                                        unsigned *touched, unsigned *missing)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt first = pattern->i[r], length = pattern->i[r + 1] - first, *const columns = &pattern->j[first],
                 *const columnOf = pattern->column;
  const int *const dofs = &t->asm_->elements->dofs[(size_t)e * ef], *const rowOf = pattern->row;
  const int base = t->base[e], there = base >= 0, W = (int)t->interleave, symmetric = t->product->symmetric;
  int       i = 0;

  for (int k = 1; k < ef; ++k) i = dofs[k] == l ? k : i;
  for (int k = 0; k < ef; ++k) {
    const PetscInt c = columnOf[dofs[k]], row = rowOf[dofs[k]];
    const int      more = PetscMax(i, k), less = PetscMin(i, k),
                   d      = symmetric ? more * (more + 1) / 2 + less : i * (int)ef + k;
    const int      wanted = (c >= 0) & (!symmetric | (row >= r)), found = PlexPatternFindShort(columns, length, c),
                   p = wanted ? found : 0;

    *missing |= (unsigned)(wanted & !found);
    *touched |= 1u << p;
    place[k]  = there ? p : 0;
    source[k] = base + d * W;
    other[p]  = (int)row;
    count[place[k]]++;
  }
}

/*
  The lists of a row of at most PLEX_PATTERN_PAD entries, whose places are numbered from 1; place 0 takes what is in no
  list. All loops have lengths that are the same for most rows, and no branch depends on what is read: sources of place
  0 are written behind those of the others.
*/
static inline __attribute__((always_inline)) PetscErrorCode PlexTermsShortRow(PlexTerms *t, const PetscInt ef,
                                                                              PetscInt r, PetscInt l, PetscBool all)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt    node = t->asm_->elements->node[l], begin = t->touching->start[node],
                    n = t->touching->start[node + 1] - begin, first = pattern->i[r], length = pattern->i[r + 1] - first;
  int *place = t->place, *source = t->source, count[PLEX_PATTERN_PAD + 1] = {0}, other[PLEX_PATTERN_PAD + 1],
      next[PLEX_PATTERN_PAD + 1];
  unsigned touched = 0, missing = 0;
  PetscInt lists, at;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = t->touching->items[begin + k];

    PlexTermsShortElement(t, ef, r, l, e, &place[k * ef], &source[k * ef], count, other, &touched, &missing);
    if (missing) PetscCall(PlexTermsMissing(t, e));
  }
  PetscCall(PlexTermsGrow(t, PLEX_PATTERN_PAD, n * ef));
  touched = all ? ~0u : touched;
  lists   = t->n - t->packed;
  at      = t->start[lists];
  for (int k = 1; k <= PLEX_PATTERN_PAD; ++k) {
    const PetscInt is = (touched >> k & 1) & (k <= length);

    t->targets[t->n] = (int)(first + k - 1);
    t->mirrors[t->n] = is && t->product->symmetric ? other[k] : -1;
    next[k]          = (int)at;
    at += count[k];
    lists += is;
    t->start[lists] = at;
    t->n += is;
  }
  next[0] = (int)at;
  for (PetscInt k = 0; k < n * ef; ++k) t->sources[next[place[k]]++] = source[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a symmetric product the targets of the transposed entries, for the lists from `before` on of row r, whose mirrors
   are their columns' rows as yet */
static PetscErrorCode PlexTermsMirror(PlexTerms *t, PetscInt r, PetscInt column, PetscInt before)
{
  const PlexPattern pattern = t->asm_->pattern;

  PetscFunctionBegin;
  for (PetscInt k = before; k < t->n; ++k) PlexFetch(&pattern->j[pattern->i[t->mirrors[k]]]);
  for (PetscInt k = before; k < t->n; ++k) {
    const PetscInt row = t->mirrors[k], slot = row == r ? -1 : PlexPatternFind(pattern, row, column);

    PetscCheck(slot >= 0 || row == r, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The matrix has an entry at row %" PetscInt_FMT ", column %" PetscInt_FMT
               ", and none at the transposed place: create it with DMCreateMatrix()",
               column, pattern->j[t->targets[k]]);
    t->mirrors[k] = (int)slot;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTermsAddRow_Private(PlexTerms *t, PetscInt r, PetscInt l, PetscBool all)
{
  const PlexElements el      = t->asm_->elements;
  const PlexPattern  pattern = t->asm_->pattern;
  const PetscBool    matrix  = (PetscBool)(t->product->kind == PLEX_JACOBIAN);
  const PetscInt     node = l < 0 ? -1 : el->node[l], before = t->n, first = matrix ? pattern->i[r] : l,
                     length = matrix ? pattern->i[r + 1] - first : 1;
  PetscInt           n      = 0;

  PetscFunctionBegin;
  if (matrix && l >= 0 && length <= PLEX_PATTERN_PAD && !t->asm_->repeated) {
    if (el->ef == 3) PetscCall(PlexTermsShortRow(t, 3, r, l, all));
    else if (el->ef == 4) PetscCall(PlexTermsShortRow(t, 4, r, l, all));
    else PetscCall(PlexTermsShortRow(t, el->ef, r, l, all));
    if (t->product->symmetric) PetscCall(PlexTermsMirror(t, r, pattern->column[l], before));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (matrix && l >= 0) PlexTermsPlaceColumns(t, r);
  for (PetscInt k = l < 0 ? 0 : t->touching->start[node]; l >= 0 && k < t->touching->start[node + 1]; ++k) {
    const PetscInt e     = t->touching->items[k];
    const int     *dofs  = &el->dofs[(size_t)e * el->ef];
    PetscInt       which = -1, times = 0;
    PetscBool      there = PETSC_TRUE;

    for (PetscInt i = 0; i < el->ef; ++i) {
      which = dofs[i] == l ? i : which;
      times += dofs[i] == l;
    }
    /* all of them where it is there more than once */
    for (PetscInt i = times > 1 ? 0 : which; times && i <= which; ++i) {
      if (times > 1 && dofs[i] != l) continue;
      if (matrix) there = (PetscBool)(PlexTermsElement(t, r, e, i, &n) && there);
      else {
        t->place[n]    = 0;
        t->source[n++] = t->base[e] < 0 ? -1 : (int)(t->base[e] + i * t->interleave);
      }
    }
    if (!there) PetscCall(PlexTermsMissing(t, e));
  }
  PetscCall(PlexTermsSort(t, n, length, first, all));
  if (!t->product->symmetric) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = before; k < t->n; ++k) t->mirrors[k] = t->other[t->targets[k] - first];
  PetscCall(PlexTermsMirror(t, r, pattern->column[l], before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTermsPack_Private(PlexTerms *t, PetscInt nlists, PlexPackBuffer *buffer, PetscInt *rows)
{
  const PetscInt left = t->n - t->packed - nlists, used = t->start[nlists];

  PetscFunctionBegin;
  if (nlists > t->pallocated) {
    t->pallocated = PetscMax(nlists, 2 * t->pallocated);
    PetscCall(PetscRealloc(sizeof(int) * t->pallocated, &t->places));
    for (PetscInt k = 0; k < t->pallocated; ++k) t->places[k] = (int)k;
  }
  t->total += (double)used;
  PetscCall(PlexPackReduction(nlists, t->start, t->sources, t->places, t->product->block, buffer, rows));
  t->packed += nlists;
  PetscCall(PetscArraymove(t->sources, &t->sources[used], t->start[nlists + left] - used));
  for (PetscInt k = 0; k <= left; ++k) t->start[k] = t->start[nlists + k] - used;
  PetscFunctionReturn(PETSC_SUCCESS);
}
