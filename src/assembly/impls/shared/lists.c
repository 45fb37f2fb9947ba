/*
  What is summed out of shared memory: for shared_nz lists of positions by target (Cecka 4.3.2), for shared_row lists by row.

  Targets are summed by the part that owns their row. Of a symmetric product, the entry of the larger row stands for both and is
  owned by its part: an element around the one row has the other too.
*/
#include "shared.h"

/* Entry of element data at `position` is a term of target `slot`, in the row of dof l */
static void PlexSharedAddTerm(PlexSharedBuild *build, PetscInt l, PetscInt slot, PetscInt mirror, PetscInt position, PetscInt *n)
{
  const PetscInt t = build->local[l] + slot - PlexSharedFirst(build, l);

  build->key[*n]   = (int)t;
  build->value[*n] = (int)position;
  if (build->mirror) build->mirror[t] = (int)mirror;
  ++*n;
}

/* key[n], value[n]: part's number of the target and position, of all entries of the pass's element data that the part owns */
static PetscErrorCode PlexSharedTerms(PlexSharedBuild *build, PetscInt *n)
{
  PlexSharedPlan *plan = build->plan;
  const PetscInt  EF = build->asm_->elements->ef, b = build->b;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < build->nitem; ++k) {
    const PlexSharedItem *item = &build->item[k];
    const int            *dofs = &build->asm_->elements->dofs[item->e * EF];

    if (build->product->kind == PLEX_JACOBIAN) PetscCall(PlexSharedGetSlots(build, item->e));
    for (PetscInt i = item->first; i < item->first + item->n; ++i) {
      if (build->product->kind == PLEX_RESIDUAL) {
        if (build->part[dofs[i]] == b) PlexSharedAddTerm(build, dofs[i], dofs[i], -1, item->base + i * plan->stride, n);
      } else if (!build->product->symmetric) {
        if (build->part[dofs[i]] != b) continue;
        for (PetscInt j = 0; j < EF; ++j)
          if (build->slots[i * EF + j] >= 0) PlexSharedAddTerm(build, dofs[i], build->slots[i * EF + j], -1, item->base + ((i - item->first) * EF + j) * plan->stride, n);
      } else {
        for (PetscInt j = 0; j <= i; ++j) {
          const PetscInt lower = build->slots[i * EF + j], upper = build->slots[j * EF + i], position = item->base + (i * (i + 1) / 2 + j) * plan->stride;
          const PetscInt l = lower >= upper ? dofs[i] : dofs[j];

          if (lower < 0 || build->part[l] != b) continue;
          PlexSharedAddTerm(build, l, PetscMax(lower, upper), lower == upper ? -1 : PetscMin(lower, upper), position, n);
          if (lower == upper && i != j) PlexSharedAddTerm(build, l, lower, -1, position, n); /* one dof twice in an element */
        }
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
      if (build->mirror && build->mirror[t] >= 0) { /* packed, the last source of all becomes a second mark, -mirror - 1 */
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
  PetscCall(PlexSharedPackTargets(build, PETSC_TRUE, n, &pass->add));
  for (PetscInt k = 0; k < n; ++k) build->seen[build->key[k]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Source s of row r of a slice: row i of an item's element data, as shared_row.cu reads it */
static PetscErrorCode PlexSharedFillSource(PlexSharedBuild *build, const PlexSharedItem *item, PetscInt i, PetscInt r, unsigned short list[])
{
  PlexSharedPlan  *plan = build->plan;
  const PetscInt   EF = build->asm_->elements->ef, lanes = plan->lanes, rows = 32 / lanes, heads = build->product->symmetric ? 2 : 1;
  const PetscInt   first = PlexSharedFirst(build, build->asm_->elements->dofs[item->e * EF + i]);

  PetscFunctionBegin;
  if (build->product->symmetric) {
    list[r]        = (unsigned short)item->base;
    list[rows + r] = (unsigned short)i;
  } else list[r] = (unsigned short)(item->base + (i - item->first) * (build->product->kind == PLEX_JACOBIAN ? EF : 1) * plan->stride);
  if (build->product->kind == PLEX_RESIDUAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSharedGetSlots(build, item->e));
  for (PetscInt j = 0; j < EF; ++j) {
    const PetscInt place = build->slots[i * EF + j] - first;

    PetscCheck(place < PLEX_SHARED_NONE, PETSC_COMM_SELF, PETSC_ERR_SUP, "A row of the matrix has more than %d entries: use -plex_assembly_type shared_nz", PLEX_SHARED_NONE - 1);
    if (build->slots[i * EF + j] >= 0) list[heads * rows + j / lanes * 32 + r * lanes + j % lanes] = (unsigned short)place;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the owned dofs that have terms in the pass by how many these are, most first, into value[]; count[o] terms of the part's o-th */
static PetscInt PlexSharedSortRows(PlexSharedBuild *build, PetscInt nd, const int begin[])
{
  PetscInt most = 0, n = 0;

  for (PetscInt o = 0; o < nd; ++o) most = PetscMax(most, begin[o + 1] - begin[o]);
  for (PetscInt length = most; length > 0; --length)
    for (PetscInt o = 0; o < nd; ++o)
      if (begin[o + 1] - begin[o] == length) build->value[n++] = (int)o;
  return n;
}

PetscErrorCode PlexSharedRows(PlexSharedBuild *build, PlexSharedPass *pass)
{
  PlexSharedPlan  *plan = build->plan;
  const PetscInt   EF = build->asm_->elements->ef, b = build->b, nd = build->dofStart[b + 1] - build->dofStart[b], rows = 32 / plan->lanes;
  const PetscInt   source = (build->product->symmetric ? 2 : 1) * rows + (build->product->kind == PLEX_JACOBIAN ? (EF + plan->lanes - 1) / plan->lanes * 32 : 0);
  int             *begin = build->count, *terms = build->value2, *row;
  unsigned short  *lists;
  PlexSharedSlice *slice;
  PetscInt         n = 0, nr;

  PetscFunctionBegin;
  /* terms[begin[o] .. begin[o+1]): of the part's o-th dof, items * EF + i */
  for (PetscInt o = 0; o < nd; ++o) build->number[build->order[build->dofStart[b] + o]] = (int)o;
  PetscCall(PetscArrayzero(begin, nd + 1));
  for (PetscInt sweep = 0; sweep < 2; ++sweep) {
    for (PetscInt k = 0; k < build->nitem; ++k) {
      for (PetscInt i = build->item[k].first; i < build->item[k].first + build->item[k].n; ++i) {
        const PetscInt o = build->number[build->asm_->elements->dofs[build->item[k].e * EF + i]];

        if (o < 0) continue;
        if (sweep) terms[begin[o]++] = (int)(k * EF + i);
        else ++begin[o + 1];
      }
    }
    if (sweep) for (PetscInt o = nd; o > 0; --o) begin[o] = begin[o - 1];
    else for (PetscInt o = 0; o < nd; ++o) begin[o + 1] += begin[o];
    begin[0] = 0;
  }
  for (PetscInt o = 0; o < nd; ++o) build->number[build->order[build->dofStart[b] + o]] = -1;
  nr           = PlexSharedSortRows(build, nd, begin);
  pass->slices = (int)((nr + rows - 1) / rows);
  PetscCall(PetscSegBufferGet(build->slices, pass->slices, &slice));
  PetscCall(PetscSegBufferGet(build->rows, pass->slices * rows, &row));
  for (PetscInt s = 0; s < pass->slices; ++s, row += rows) {
    slice[s].sources = begin[build->value[s * rows] + 1] - begin[build->value[s * rows]];
    slice[s].start   = (int)n;
    n += slice[s].sources * source;
    PetscCall(PetscSegBufferGet(build->lists, slice[s].sources * source, &lists));
    for (PetscInt k = 0; k < slice[s].sources * source; ++k) lists[k] = PLEX_SHARED_NONE;
    for (PetscInt r = 0; r < rows; ++r) {
      const PetscInt o = s * rows + r < nr ? build->value[s * rows + r] : -1, l = o < 0 ? -1 : build->order[build->dofStart[b] + o];

      row[r] = l < 0 ? -1 : plan->sums ? build->local[l] : (int)PlexSharedFirst(build, l);
      for (PetscInt t = 0; l >= 0 && t < begin[o + 1] - begin[o]; ++t) PetscCall(PlexSharedFillSource(build, &build->item[terms[begin[o] + t] / EF], terms[begin[o] + t] % EF, r, &lists[t * source]));
      if (l >= 0 && !plan->sums) build->product->bytes += 16.0 * PlexSharedLength(build, l);
    }
  }
  build->nlists += n;
  build->nslices += pass->slices;
  plan->listed += 2.0 * n + (8.0 + 4.0 * rows) * pass->slices;
  PetscFunctionReturn(PETSC_SUCCESS);
}
