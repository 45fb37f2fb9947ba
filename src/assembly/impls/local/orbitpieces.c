/*
  Rows in pieces. A thread that sums a long row holds many entries in registers and its warp many sums in shared memory, so that few warps are at
  work at once, and wait for each other's memory. Where the columns of some orbits' dofs all come before those of the others - PETSc numbers
  cells, vertices, faces and edges one after the other - a row is two runs of columns, and each is summed like a row of its own. Against that, the
  geometry of an element is computed for each.
*/
#include "orbitsimpl.h"

#define PLEX_ORBITS_WHOLE 30 /* dofs an element, most, whose rows are whole; times components, where a thread sums those of a node together */

/* First and last column of each orbit's dofs */
static void PlexOrbitsRanges(PlexOrbitsWalk *w, PetscInt low[], PetscInt high[])
{
  PlexElements el = w->asm_->elements;

  for (PetscInt o = 0; o < w->turns.n; ++o) {
    low[o]  = PETSC_INT_MAX;
    high[o] = -1;
  }
  for (PetscInt e = 0; e < el->Ne; ++e) {
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt column = w->asm_->pattern->column[el->dofs[(size_t)e * el->ef + i]], o = w->turns.orbit[i];

      if (column < 0) continue;
      low[o]  = PetscMin(low[o], column);
      high[o] = PetscMax(high[o], column);
    }
  }
}

/* Dofs of an element whose orbits' columns all come before `cut`; 0 if those of an orbit come before and behind it */
static PetscInt PlexOrbitsBefore(PlexOrbitsWalk *w, const PetscInt low[], const PetscInt high[], PetscInt cut)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < w->asm_->elements->ef; ++i) {
    const PetscInt o = w->turns.orbit[i];

    if (low[o] < cut && high[o] >= cut) return 0;
    n += high[o] < cut;
  }
  return n;
}

/* Of each dof's row, how many columns come before `cut` */
static PetscErrorCode PlexOrbitsSplit(PlexOrbitsWalk *w, PetscInt cut)
{
  const PlexPattern pattern = w->asm_->pattern;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->asm_->elements->Nl, &w->split));
  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l) {
    const PetscInt  r = PlexOrbitsRow(w, l);
    const PetscInt *j = r < 0 ? NULL : &pattern->j[pattern->i[r]];
    PetscInt        n = PlexOrbitsLength(w, l), first = 0;

    while (n > 0) { /* the cut is among n columns from `first` on, or behind them */
      const PetscInt half = n / 2;

      if (j[first + half] < cut) {
        first += half + 1;
        n -= half + 1;
      } else n = half;
    }
    w->split[l] = (int)first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two pieces, as near to halves of an element's dofs as the numbering of columns allows, or one */
PetscErrorCode PlexOrbitsPieces_Private(PlexOrbitsWalk *w)
{
  const PetscInt ef = w->asm_->elements->ef;
  PetscInt       low[PLEX_ORBITS_MOST], high[PLEX_ORBITS_MOST], n[2] = {0}, best = 0, cut = 0;

  PetscFunctionBegin;
  if (!w->solution && ef * w->components > PLEX_ORBITS_WHOLE) {
    PlexOrbitsRanges(w, low, high);
    for (PetscInt o = 0; o < w->turns.n; ++o) {
      const PetscInt before = PlexOrbitsBefore(w, low, high, low[o]), smaller = PetscMin(before, ef - before);

      if (smaller <= best) continue;
      best = smaller;
      cut  = low[o];
    }
  }
  w->npieces = best ? 2 : 1;
  for (PetscInt i = 0; i < ef; ++i) {
    w->piece[i] = best && low[w->turns.orbit[i]] >= cut;
    w->item[i]  = (int)n[w->piece[i]];
    n[w->piece[i]] += i % w->components == w->components - 1;
  }
  w->mostItems = PetscMax(n[0], n[1]);
  if (best) PetscCall(PlexOrbitsSplit(w, cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}
