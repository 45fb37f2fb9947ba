/*
  Reduction lists, row by row. The terms of a row are in the elements around its mesh node: those of all its targets are
  collected in their order and then sorted by target, in arrays of a row's size. So what is written is written in order,
  and what is read lies close together where rows that follow each other are neighbours in the mesh. What is done
  depends on the mesh in no branch that a processor could not foresee.

  Of a symmetric product, whose element data is that of the lower half, the lesser of the two rows has the list for both
  entries.
*/
#include "terms.h"
#include "warps.h"

PetscErrorCode PlexTermsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscInt interleave, PlexTerms *t)
{
  const PetscInt EF = asm_->elements->ef, Ne = asm_->elements->Ne;
  PetscInt       longest = 1, around = 0, most;

  PetscFunctionBegin;
  *t = (PlexTerms){.asm_ = asm_, .product = product, .interleave = interleave};
  PetscCall(PlexPartsGetTouching_Private(asm_, &t->touching));
  PetscCall(PetscMalloc1(Ne, &t->base));
  for (PetscInt e = 0; e < Ne; ++e) t->base[e] = -1;
  for (PetscInt n = 0; n < t->touching->n; ++n)
    around = PetscMax(around, t->touching->start[n + 1] - t->touching->start[n]);
  if (product->kind == PLEX_JACOBIAN) longest = PetscMax(longest, PlexPatternLongest(asm_->pattern));
  most = around * (product->kind == PLEX_JACOBIAN ? EF * (asm_->repeated ? EF : 1) : EF);
  PetscCall(PetscMalloc4(most + 1, &t->place, most + 1, &t->source, longest, &t->count, longest + 1, &t->other));
  PetscCall(PetscCalloc1(1, &t->start));
  if (product->kind == PLEX_JACOBIAN && !asm_->pattern->halo) PetscCall(PetscCalloc1(asm_->pattern->m, &t->placeOf));
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

/* Place of local dof m's column in the row, as PlexMatrixRowPlace() says it; in long rows it is looked up */
static inline PetscInt PlexTermsPlace(const PlexTerms *t, const PlexMatrixRow *row, PetscInt m)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt    column  = pattern->column[m];
  PetscInt          place;

  if (row->length <= PLEX_PATTERN_PAD || !t->placeOf || column < 0) return PlexMatrixRowPlace(pattern, row, m);
  place = PetscMin(t->placeOf[column - pattern->rstart], row->length - 1);
  return row->columns[place] == column ? place : -1;
}

/* Terms of a row in element e, whose dof i it is, behind the n that there are; returns how many there are then, or -1
   where the matrix lacks one. To be inlined: EF is a number where it is called with one */
static inline __attribute__((always_inline)) PetscInt PlexTermsElement(const PlexTerms *t, const PetscInt EF,
                                                                       const PlexMatrixRow *row, PetscInt e, PetscInt i,
                                                                       PetscInt n)
{
  const PlexPattern pattern = t->asm_->pattern;
  const PetscInt    W = t->interleave, base = t->base[e], length = row->length;
  const PetscBool   symmetric = t->product->symmetric;
  const int *const  dofs      = &t->asm_->elements->dofs[(size_t)e * EF];
  int *restrict places = t->place, *restrict sources = t->source, *restrict others = t->other;
  PetscInt missing = 0;

  for (PetscInt j = 0; j < EF; ++j) {
    const PetscInt other = pattern->row[dofs[j]], more = PetscMax(i, j), less = PetscMin(i, j),
                   d = symmetric ? more * (more + 1) / 2 + less : i * EF + j, place = PlexTermsPlace(t, row, dofs[j]),
                   wanted = (place < length) & (!symmetric | (other >= row->row));

    missing |= wanted & (place < 0);
    places[n]                                  = (int)place;
    sources[n]                                 = (int)(base < 0 ? -1 : base + d * W);
    others[wanted & !missing ? place : length] = (int)other;
    n += wanted;
  }
  return missing ? -1 : n;
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
  const PlexElements  el      = t->asm_->elements;
  const PlexPattern   pattern = t->asm_->pattern;
  const PetscBool     matrix  = (PetscBool)(t->product->kind == PLEX_JACOBIAN);
  const PetscInt      node = l < 0 ? -1 : el->node[l], before = t->n, first = matrix ? pattern->i[r] : l,
                      length = matrix ? pattern->i[r + 1] - first : 1;
  const PlexMatrixRow row    = PlexMatrixRowGet(pattern, matrix ? l : -1, length); /* dropped: behind all */
  PetscInt            n      = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; t->placeOf && row.length > PLEX_PATTERN_PAD && k < row.length; ++k)
    t->placeOf[row.columns[k] - pattern->rstart] = (int)k;
  for (PetscInt k = l < 0 ? 0 : t->touching->start[node]; l >= 0 && k < t->touching->start[node + 1]; ++k) {
    const PetscInt e    = t->touching->items[k];
    const int     *dofs = &el->dofs[(size_t)e * el->ef];
    PetscInt       last = -1, times = 0;

    for (PetscInt i = 0; i < el->ef; ++i) { /* without branches, which would be taken at random */
      last = dofs[i] == l ? i : last;
      times += dofs[i] == l;
    }
    for (PetscInt i = times == 1 ? last : 0; i <= last; ++i) {
      if (dofs[i] != l) continue;
      if (matrix && el->ef == 3) n = PlexTermsElement(t, 3, &row, e, i, n);
      else if (matrix && el->ef == 4) n = PlexTermsElement(t, 4, &row, e, i, n);
      else if (matrix) n = PlexTermsElement(t, el->ef, &row, e, i, n);
      else {
        t->place[n]    = 0;
        t->source[n++] = t->base[e] < 0 ? -1 : (int)(t->base[e] + i * t->interleave);
      }
      if (n < 0) PetscCall(PlexMatrixRowCheck_Private(t->asm_, row.row, e));
    }
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
