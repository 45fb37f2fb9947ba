/*
  What is summed out of shared memory: for shared_nz lists of positions by target (Cecka 4.3.2), for shared_row lists by
  row.

  Targets are summed by the part that owns their row. Of a symmetric product, the entry of the larger row stands for
  both and is owned by its part: an element around the one row has the other too.
*/
#include "shared.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

/* Where the targets of the rows of an element begin in the part's numbers, less their first slot: shift[ef], so that
   slot + shift is the part's number; owned[ef]: it is the part that sums the row */
static inline void PlexSharedGetShifts(const PlexSharedBuild *build, PetscInt ef, const int dofs[], PetscInt shift[],
                                       PetscInt owned[])
{
  const int *part = build->part, *local = build->local;

  for (PetscInt i = 0; i < ef; ++i) {
    owned[i] = part[dofs[i]] == build->b;
    shift[i] = owned[i] ? local[dofs[i]] - PlexSharedFirst(build, dofs[i]) : 0;
  }
}

/* Terms of the lower half of a symmetric product's element data, which stands for both halves: key[], value[], of which
   n becomes the number. All are written, and those that are wanted counted, as whose row is the larger one follows no
   rule */
static inline void PlexSharedLowerTerms(PlexSharedBuild *build, PetscInt ef, PetscInt base, PetscInt *n)
{
  const int     *slots = build->slots;
  const PetscInt none = build->targets[build->b], stride = build->plan->stride, *shift = build->shift,
                 *owned = &build->shift[ef];
  int           *key = build->key, *value = build->value, *mirror = build->mirror;
  PetscInt       at = *n;

  for (PetscInt i = 0, d = 0; i < ef; ++i) {
    for (PetscInt j = 0; j <= i; ++j, ++d) {
      const PetscInt lower = slots[i * ef + j], upper = slots[j * ef + i], more = PetscMax(lower, upper),
                     less = PetscMin(lower, upper);
      const PetscInt row = lower >= upper ? i : j, wanted = owned[row] & (lower >= 0),
                     t = wanted ? more + shift[row] : none;

      key[at]   = (int)t;
      value[at] = (int)(base + d * stride);
      mirror[t] = lower == upper ? -1 : (int)less;
      at += wanted;
      if (wanted && lower == upper && i != j) { /* one dof twice in an element */
        key[at]   = key[at - 1];
        value[at] = value[at - 1];
        ++at;
      }
    }
  }
  *n = at;
}

/* key[n], value[n]: part's number of the target and position, of all entries of the pass's element data that the part
   owns */
static PetscErrorCode PlexSharedTerms(PlexSharedBuild *build, PetscInt *n)
{
  PlexSharedPlan *plan = build->plan;
  const PetscInt  EF = build->asm_->elements->ef, b = build->b;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < build->nitem; ++k) {
    const PlexSharedItem *item = &build->item[k];
    const int            *dofs = &build->asm_->elements->dofs[item->e * EF];

    if (build->product->kind == PLEX_JACOBIAN) {
      PetscCall(PlexSharedGetSlots(build, item->e));
      PlexSharedGetShifts(build, EF, dofs, build->shift, &build->shift[EF]);
    }
    if (build->product->kind == PLEX_JACOBIAN && build->product->symmetric) {
      PlexSharedLowerTerms(build, EF, item->base, n);
      continue;
    }
    for (PetscInt i = item->first; i < item->first + item->n; ++i) {
      if (build->part[dofs[i]] != b) continue;
      if (build->product->kind == PLEX_RESIDUAL) {
        build->key[*n]       = build->local[dofs[i]];
        build->value[(*n)++] = (int)(item->base + i * plan->stride);
        continue;
      }
      for (PetscInt j = 0; j < EF; ++j) {
        build->key[*n]   = (int)(build->slots[i * EF + j] + build->shift[i]);
        build->value[*n] = (int)(item->base + ((i - item->first) * EF + j) * plan->stride);
        *n += build->slots[i * EF + j] >= 0;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs the lists of targets that are seen already, or not yet. count[t]: where list t begins in value2 */
static PetscErrorCode PlexSharedPackTargets(PlexSharedBuild *build, PetscBool seen, PetscInt n, int *packed)
{
  PetscInt *start, rows, nlists = 0, ns = 0, nmirror = 0, b = build->b;
  int      *sources, *targets;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n + 1, &start, 2 * n, &sources, n, &targets));
  start[0] = 0;
  for (PetscInt o = build->dofStart[b]; o < build->dofStart[b + 1]; ++o) {
    const PetscInt l = build->order[o], first = PlexSharedFirst(build, l), length = PlexSharedLength(build, l);

    for (PetscInt t = build->local[l]; t < build->local[l] + length; ++t) {
      if (build->count[t] == build->count[t + 1] || build->seen[t] != seen) continue;
      for (PetscInt k = build->count[t]; k < build->count[t + 1]; ++k) sources[ns++] = build->value2[k];
      targets[nlists] = (int)(first + t - build->local[l]);
      /* packed, the last source of all becomes a second mark, -mirror - 1 */
      if (build->mirror && build->mirror[t] >= 0) {
        sources[ns++] = -build->mirror[t] - 2;
        ++nmirror;
      }
      start[++nlists] = ns;
    }
  }
  PetscCall(PlexPackReduction(nlists, start, sources, targets, build->product->block, &build->entries, &rows));
  build->plan->padding += (double)rows * build->product->block - ns - nlists;
  build->product->bytes += (seen ? 16.0 : 8.0) * (nlists + nmirror);
  if (!seen) build->covered += (double)(nlists + nmirror);
  *packed = (int)rows;
  PetscCall(PetscFree3(start, sources, targets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedReduction(PlexSharedBuild *build, PlexSharedPass *pass)
{
  const PetscInt targets = build->targets[build->b];
  PetscInt       n;
  int           *count = build->count;

  PetscFunctionBegin;
  PetscCall(PlexSharedTerms(build, &n));
  PetscCall(PetscArrayzero(count, targets + 1));
  for (PetscInt k = 0; k < n; ++k) ++count[build->key[k] + 1];
  for (PetscInt t = 0; t < targets; ++t) count[t + 1] += count[t];
  for (PetscInt k = 0; k < n; ++k) build->value2[count[build->key[k]]++] = build->value[k];
  for (PetscInt t = targets; t > 0; --t) count[t] = count[t - 1];
  count[0] = 0;
  PetscCall(PlexSharedPackTargets(build, PETSC_FALSE, n, &pass->store));
  if (build->again) PetscCall(PlexSharedPackTargets(build, PETSC_TRUE, n, &pass->add));
  for (PetscInt k = 0; k < n; ++k) build->seen[build->key[k]] = PETSC_TRUE;
  build->again = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i of an item's element data becomes a source of row r of a slice, as shared_row.cu reads it */
static PetscErrorCode PlexSharedFillSource(PlexSharedBuild *build, const PlexSharedItem *item, PetscInt i, PetscInt r,
                                           unsigned short list[])
{
  PlexSharedPlan *plan    = build->plan;
  PlexPattern     pattern = build->asm_->pattern;
  const PetscInt  EF = build->asm_->elements->ef, lanes = plan->lanes, rows = 32 / lanes,
                  heads = build->product->symmetric ? 2 : 1;
  const int      *dofs  = &build->asm_->elements->dofs[item->e * EF];

  PetscFunctionBegin;
  if (build->product->symmetric) {
    list[r]        = (unsigned short)item->base;
    list[rows + r] = (unsigned short)i;
  } else
    list[r] = (unsigned short)(item->base +
                               (i - item->first) * (build->product->kind == PLEX_JACOBIAN ? EF : 1) * plan->stride);
  if (build->product->kind == PLEX_RESIDUAL) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < EF; ++j) {
    const PetscInt column = pattern->column[dofs[j]];
    PetscInt       place;

    if (column < 0) continue;
    place = PlexPatternFind(pattern, pattern->row[dofs[i]], column) - PlexSharedFirst(build, dofs[i]);
    PetscCheck(place >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The matrix has no entry at row %" PetscInt_FMT ", column %" PetscInt_FMT ", where cell %" PetscInt_FMT
               " contributes: create it with DMCreateMatrix()",
               pattern->column[dofs[i]], column, build->asm_->elements->cells[item->e]);
    PetscCheck(place < PLEX_SHARED_NONE, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A row of the matrix has more than %d entries: use -plex_assembly_type shared_nz", PLEX_SHARED_NONE);
    list[heads * rows + j / lanes * 32 + r * lanes + j % lanes] = (unsigned short)place;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which rows of which items the part's o-th dof sums: value2[begin[o] .. begin[o+1]), item * EF + i. build->count is
   begin */
static void PlexSharedRowTerms(PlexSharedBuild *build, PetscInt nd, const int owned[])
{
  const PetscInt EF    = build->asm_->elements->ef;
  int           *begin = build->count;

  for (PetscInt o = 0; o < nd; ++o) build->number[owned[o]] = (int)o;
  for (PetscInt o = 0; o <= nd; ++o) begin[o] = 0;
  for (PetscInt sweep = 0; sweep < 2; ++sweep) { /* count, then list */
    for (PetscInt k = 0; k < build->nitem; ++k) {
      for (PetscInt i = build->item[k].first; i < build->item[k].first + build->item[k].n; ++i) {
        const PetscInt o = build->number[build->asm_->elements->dofs[build->item[k].e * EF + i]];

        if (o >= 0 && sweep) build->value2[begin[o]++] = (int)(k * EF + i);
        else if (o >= 0) ++begin[o + 1];
      }
    }
    if (!sweep)
      for (PetscInt o = 0; o < nd; ++o) begin[o + 1] += begin[o];
  }
  for (PetscInt o = nd; o > 0; --o) begin[o] = begin[o - 1];
  begin[0] = 0;
  for (PetscInt o = 0; o < nd; ++o) build->number[owned[o]] = -1;
}

/* value[]: the part's dofs that sum something in this pass, those with the most terms first; returns how many */
static PetscInt PlexSharedSortRows(PlexSharedBuild *build, PetscInt nd)
{
  const int *begin = build->count;
  PetscInt   most = 0, n = 0;

  for (PetscInt o = 0; o < nd; ++o) most = PetscMax(most, begin[o + 1] - begin[o]);
  for (PetscInt length = most; length > 0; --length)
    for (PetscInt o = 0; o < nd; ++o)
      if (begin[o + 1] - begin[o] == length) build->value[n++] = (int)o;
  return n;
}

/* Rows side by side in a warp, n of them at most: the part's dofs sorted[] */
static PetscErrorCode PlexSharedFillSlice(PlexSharedBuild *build, PetscInt n, const int sorted[], const int owned[],
                                          PetscInt source, int row[], unsigned short list[])
{
  PlexSharedPlan *plan  = build->plan;
  const PetscInt  EF    = build->asm_->elements->ef;
  const int      *begin = build->count;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < 32 / plan->lanes; ++r) {
    PetscInt o, l;

    row[r] = -1;
    if (r >= n) continue;
    o      = sorted[r];
    l      = owned[o];
    row[r] = plan->sums ? build->local[l] : (int)PlexSharedFirst(build, l);
    for (PetscInt t = begin[o]; t < begin[o + 1]; ++t)
      PetscCall(PlexSharedFillSource(build, &build->item[build->value2[t] / EF], build->value2[t] % EF, r,
                                     &list[(t - begin[o]) * source]));
    if (!plan->sums) build->product->bytes += 16.0 * PlexSharedLength(build, l);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedRows(PlexSharedBuild *build, PlexSharedPass *pass)
{
  PlexSharedPlan  *plan = build->plan;
  const PetscInt   EF = build->asm_->elements->ef, rows = 32 / plan->lanes,
                   nd     = build->dofStart[build->b + 1] - build->dofStart[build->b];
  const PetscInt   source = (build->product->symmetric ? 2 : 1) * rows +
                            (build->product->kind == PLEX_JACOBIAN ? (EF + plan->lanes - 1) / plan->lanes * 32 : 0);
  const int       *owned  = &build->order[build->dofStart[build->b]];
  PlexSharedSlice *slices;
  PetscInt         n = 0, nr;
  int             *row;

  PetscFunctionBegin;
  PlexSharedRowTerms(build, nd, owned);
  nr           = PlexSharedSortRows(build, nd);
  pass->slices = (int)((nr + rows - 1) / rows);
  PetscCheck(build->nslices + pass->slices < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 slices of rows: distribute the mesh over more ranks");
  PetscCall(PetscSegBufferGet(build->slices, pass->slices, &slices));
  PetscCall(PetscSegBufferGet(build->rows, pass->slices * rows, &row));
  for (PetscInt s = 0; s < pass->slices; ++s) {
    const int       longest = build->value[s * rows];
    unsigned short *list;

    slices[s].start   = (int)n;
    slices[s].sources = build->count[longest + 1] - build->count[longest];
    PetscCall(PetscSegBufferGet(build->lists, slices[s].sources * source, &list));
    for (PetscInt k = 0; k < slices[s].sources * source; ++k) list[k] = PLEX_SHARED_NONE;
    PetscCall(PlexSharedFillSlice(build, nr - s * rows, &build->value[s * rows], owned, source, &row[s * rows], list));
    n += slices[s].sources * source;
  }
  build->nlists += n;
  build->nslices += pass->slices;
  plan->listed += 2.0 * n + (8.0 + 4.0 * rows) * pass->slices;
  PetscFunctionReturn(PETSC_SUCCESS);
}
