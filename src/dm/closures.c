/*
  Where the closure of each cell is in a local vector.

  DMPlexVecGetClosure() gathers the values of one cell. What it does with those of a mesh point depends on the point's
  place in the closure and its orientation there, so it is asked once for each place and orientation, and the answer
  serves all other cells:

    layout     values of place k: to[start[k] .. start[k+1]), from[k][orientation] of the same length, counted from the
               point's first value
    cell e     position[to] = offset of the point in the section + from

  A value v of which PETSc changes the sign on the way is ~v in from and in position: negative.

  A cell whose closure is of another kind, with a point twice or another number of values, is asked for by itself.

  The first cells are asked for one after the other. The others are gone through in threads, which leave out those that
  need an answer of PETSc's; these come last, in their order.
*/
#include "elementsimpl.h"
#include <limits.h>
#include <stdatomic.h>
#include <petsc/private/sectionimpl.h> /* dofs and offsets of millions of points are read where they are */

typedef struct {
  DM              dm;
  PetscSection    section;
  PetscInt        np, n, pStart, pEnd;
  const PetscInt *dofs, *offsets; /* [pEnd-pStart] of the section */
  PetscInt       *dof, *start;    /* [np] values of a place; [np+1]; there when the first cell has been asked for */
  PetscInt        nused, *used;   /* [np] places, but for those where no point of the mesh has values */
  int            *to;             /* [n] */
  int           **from;           /* [np][PLEX_ORIENTATIONS] NULL: not known yet */
  PetscInt        bs;             /* values of a run */
  PetscBool       runs;           /* from and to are in runs, as far as they are known */
  PetscBool       signs;          /* some `from` has a value of which the sign changes */
  /* entries of cells that were asked for are their own position, counted from 1, so that a change of sign shows */
  Vec          own;
  PetscScalar *values; /* [n] */
} PlexLayout;

static PetscErrorCode PlexLayoutCreate(DM dm, PetscSection section, PetscInt np, PetscInt n, PetscInt bs,
                                       PlexLayout *layout)
{
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(layout, sizeof(*layout)));
  layout->dm      = dm;
  layout->section = section;
  layout->np      = np;
  layout->n       = n;
  layout->bs      = bs;
  layout->runs    = PETSC_TRUE;
  layout->dofs    = section->atlasDof;
  layout->offsets = section->atlasOff;
  PetscCall(PetscSectionGetChart(section, &layout->pStart, &layout->pEnd));
  PetscCall(PlexSectionGetSize(section, &size));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, size, &layout->own));
  PetscCall(PetscMalloc1(n, &layout->values));
  PetscCall(PetscCalloc1(np * PLEX_ORIENTATIONS, &layout->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLayoutDestroy(PlexLayout *layout)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < layout->np * PLEX_ORIENTATIONS; ++k) PetscCall(PetscFree(layout->from[k]));
  PetscCall(PetscFree(layout->from));
  PetscCall(PetscFree4(layout->dof, layout->start, layout->to, layout->used));
  PetscCall(PetscFree(layout->values));
  PetscCall(VecDestroy(&layout->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of a point, and where they begin */
static inline void PlexLayoutGetPoint(const PlexLayout *layout, PetscInt p, PetscInt *dof, PetscInt *off)
{
  const PetscBool in = (PetscBool)(p >= layout->pStart && p < layout->pEnd);

  *dof = in ? layout->dofs[p - layout->pStart] : 0;
  *off = in ? layout->offsets[p - layout->pStart] : 0;
}

/* Entries of a cell's closure become their own positions */
static PetscErrorCode PlexLayoutNumber(PlexLayout *layout, PetscInt cell)
{
  PetscScalar *own;
  PetscInt     np, *closure = NULL, dof, off;

  PetscFunctionBegin;
  PetscCall(VecGetArray(layout->own, &own));
  PetscCall(DMPlexGetTransitiveClosure(layout->dm, cell, PETSC_TRUE, &np, &closure));
  for (PetscInt k = 0; k < np; ++k) {
    PlexLayoutGetPoint(layout, closure[2 * k], &dof, &off);
    for (PetscInt d = 0; d < dof; ++d) own[off + d] = (PetscReal)(off + d + 1);
  }
  PetscCall(DMPlexRestoreTransitiveClosure(layout->dm, cell, PETSC_TRUE, &np, &closure));
  PetscCall(VecRestoreArray(layout->own, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* positions[n] of one cell, as PETSc gathers them */
static PetscErrorCode PlexLayoutAsk(PlexLayout *layout, PetscInt cell, int positions[], PetscInt *flipped)
{
  PetscInt size = layout->n;

  PetscFunctionBegin;
  PetscCall(PlexLayoutNumber(layout, cell));
  PetscCall(DMPlexVecGetClosure(layout->dm, layout->section, layout->own, cell, &size, &layout->values));
  PetscCheck(size == layout->n, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT
             " dofs in its closure and its finite elements have %" PetscInt_FMT
             ": set up the DM's local section from its PetscDS (DMCreateDS())",
             cell, size, layout->n);
  for (PetscInt i = 0; i < size; ++i) {
    const int at = (int)PetscRealPart(layout->values[i]);

    PetscCheck(layout->values[i] == (PetscReal)at, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "PETSc changes more than the sign of a dof of cell %" PetscInt_FMT " by its orientation", cell);
    positions[i] = at > 0 ? at - 1 : at; /* -v - 1 is ~v */
    if (at < 0 && *flipped < 0) *flipped = cell;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place in the closure that a position belongs to: place[n]; *plain: each has one, and places have as many as their
   points have */
static PetscErrorCode PlexLayoutFindPlaces(const PlexLayout *layout, const int points[], const int positions[],
                                           PetscInt place[], PetscBool *plain)
{
  PetscInt sum = 0;

  PetscFunctionBegin;
  *plain = PETSC_TRUE;
  for (PetscInt i = 0; i < layout->n; ++i) place[i] = -1;
  for (PetscInt k = 0; k < layout->np; ++k) {
    PetscInt dof, off;

    PlexLayoutGetPoint(layout, points[k], &dof, &off);
    sum += dof;
    for (PetscInt i = 0; i < layout->n; ++i) {
      const int at = PlexPositionOf(positions[i]);

      if (at < off || at >= off + dof) continue;
      if (place[i] >= 0) *plain = PETSC_FALSE;
      place[i] = k;
    }
  }
  for (PetscInt i = 0; i < layout->n; ++i)
    if (place[i] < 0) *plain = PETSC_FALSE;
  if (sum != layout->n) *plain = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether no point of the same depth as p has values */
static PetscErrorCode PlexLayoutIsEmpty(const PlexLayout *layout, PetscInt p, PetscBool *empty)
{
  PetscInt depth, start, end, dof = 0;

  PetscFunctionBegin;
  PetscCall(DMPlexGetPointDepth(layout->dm, p, &depth));
  PetscCall(DMPlexGetDepthStratum(layout->dm, depth, &start, &end));
  for (PetscInt q = PetscMax(start, layout->pStart); q < PetscMin(end, layout->pEnd); ++q)
    dof |= layout->dofs[q - layout->pStart];
  *empty = (PetscBool)!dof;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first cell, with these points, says where the values of each place go */
static PetscErrorCode PlexLayoutSetPlaces(PlexLayout *layout, const int points[], const PetscInt place[])
{
  PetscBool empty[4] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
            known[4] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(layout->np, &layout->dof, layout->np + 1, &layout->start, layout->n, &layout->to, layout->np,
                         &layout->used));
  for (PetscInt i = 0; i < layout->n; ++i) ++layout->dof[place[i]];
  for (PetscInt k = 0; k < layout->np; ++k) {
    PetscInt at = layout->start[k], depth;

    for (PetscInt i = 0; i < layout->n; ++i)
      if (place[i] == k) layout->to[at++] = (int)i;
    layout->start[k + 1] = at;
    PetscCall(DMPlexGetPointDepth(layout->dm, points[k], &depth));
    if (!known[depth] && !layout->dof[k]) PetscCall(PlexLayoutIsEmpty(layout, points[k], &empty[depth]));
    known[depth] = PETSC_TRUE;
    if (!empty[depth]) layout->used[layout->nused++] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the dof values of a place go and come in runs of bs */
static PetscBool PlexLayoutIsInRuns(const PlexLayout *layout, PetscInt k, const int from[])
{
  const PetscInt bs = layout->bs;
  const int     *to = &layout->to[layout->start[k]];

  if (layout->dof[k] % bs) return PETSC_FALSE;
  for (PetscInt t = 0; t < layout->dof[k]; ++t)
    if (from[t] < 0 && bs > 1) return PETSC_FALSE;
  for (PetscInt t = 0; t < layout->dof[k]; ++t)
    if (from[t] != from[t - t % bs] + t % bs || to[t] != to[t - t % bs] + t % bs || from[t - t % bs] % bs ||
        to[t - t % bs] % bs)
      return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Asks for a cell, and keeps what was done with the orientations that it has */
static PetscErrorCode PlexLayoutLearn(PlexLayout *layout, PetscInt cell, const int points[],
                                      const signed char orientation[], int positions[], PetscInt *flipped)
{
  PetscInt *place, dof, off;
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(PlexLayoutAsk(layout, cell, positions, flipped));
  if (points[0] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(layout->n, &place));
  PetscCall(PlexLayoutFindPlaces(layout, points, positions, place, &plain));
  if (plain && !layout->to) PetscCall(PlexLayoutSetPlaces(layout, points, place));
  for (PetscInt k = 0; k < layout->np && plain; ++k) { /* of another kind than the first one? */
    for (PetscInt t = layout->start[k]; t < layout->start[k + 1]; ++t)
      if (place[layout->to[t]] != k) plain = PETSC_FALSE;
  }
  for (PetscInt k = 0; k < layout->np && plain; ++k) {
    int **from = &layout->from[k * PLEX_ORIENTATIONS + orientation[k] + PLEX_ORIENTATIONS / 2];

    if (*from || !layout->dof[k]) continue;
    PlexLayoutGetPoint(layout, points[k], &dof, &off);
    PetscCall(PetscMalloc1(layout->dof[k], from));
    for (PetscInt t = 0; t < layout->dof[k]; ++t) {
      const int at = positions[layout->to[layout->start[k] + t]];

      (*from)[t]    = at < 0 ? ~(~at - (int)off) : at - (int)off;
      layout->signs = (PetscBool)(layout->signs || at < 0);
    }
    layout->runs = (PetscBool)(layout->runs && PlexLayoutIsInRuns(layout, k, *from));
  }
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* positions[n] of a cell from what is known; false: not all of it is */
static inline PetscBool PlexLayoutApply(const PlexLayout *layout, const int points[], const signed char orientation[],
                                        int positions[])
{
  if (!layout->to || points[0] < 0) return PETSC_FALSE;
  for (PetscInt u = 0; u < layout->nused; ++u) {
    const PetscInt k    = layout->used[u];
    const int     *from = layout->from[k * PLEX_ORIENTATIONS + orientation[k] + PLEX_ORIENTATIONS / 2],
              *to       = &layout->to[layout->start[k]];
    PetscInt dof, off;

    PlexLayoutGetPoint(layout, points[k], &dof, &off);
    if (dof != layout->dof[k] || (dof && !from)) return PETSC_FALSE;
    if (!layout->signs)
      for (PetscInt t = 0; t < dof; ++t) positions[to[t]] = (int)off + from[t];
    else
      for (PetscInt t = 0; t < dof; ++t) positions[to[t]] = from[t] < 0 ? ~((int)off + ~from[t]) : (int)off + from[t];
  }
  return PETSC_TRUE;
}

/* runs[n / bs] likewise, of a layout in runs */
static inline PetscBool PlexLayoutApplyRuns(const PlexLayout *layout, const int points[],
                                            const signed char orientation[], int runs[])
{
  const int bs = (int)layout->bs;

  for (PetscInt u = 0; u < layout->nused; ++u) {
    const PetscInt k    = layout->used[u];
    const int     *from = layout->from[k * PLEX_ORIENTATIONS + orientation[k] + PLEX_ORIENTATIONS / 2],
              *to       = &layout->to[layout->start[k]];
    PetscInt dof, off;

    PlexLayoutGetPoint(layout, points[k], &dof, &off);
    if (dof != layout->dof[k] || (dof && !from) || off % bs) return PETSC_FALSE;
    for (PetscInt t = 0; t < dof; t += bs) runs[to[t] / bs] = ((int)off + from[t]) / bs;
  }
  return PETSC_TRUE;
}

/* Runs of bs positions that follow each other, the first one a multiple of bs: their number in place of them */
static PetscBool PlexPositionsToRuns(PetscInt n, PetscInt bs, const int positions[], int runs[])
{
  PetscBool are = PETSC_TRUE;

  for (PetscInt i = 0; i < n; i += bs) {
    runs[i / bs] = positions[i] / (int)bs;
    for (PetscInt k = 0; k < bs; ++k) are = (PetscBool)(are && positions[i + k] == runs[i / bs] * (int)bs + (int)k);
  }
  return are;
}

#define GATHER_FIRST 256     /* cells that are gone through before the threads begin */
#define GATHER_OPEN  INT_MIN /* in place of the first position of a cell that they leave out, and ~ of none */

typedef struct {
  PlexLayout      layout;
  PlexClosures    closures;
  const PetscInt *cells;     /* [Ne] */
  PetscInt        first, m;  /* cell that threads begin with; positions a cell */
  int            *positions; /* [Ne][m] */
  atomic_bool     open;      /* cells were left out */
  int            *points, *work;
  signed char    *orientation;
} PlexGather;

/* One cell, PETSc asked where it has to be */
static PetscErrorCode PlexGatherCell(PlexGather *g, PetscInt e, PetscInt *flipped)
{
  PlexLayout    *layout = &g->layout;
  const PetscInt bs     = layout->bs;
  int           *at = &g->positions[(size_t)e * g->m], *to = bs == 1 ? at : g->work;

  PetscFunctionBegin;
  PetscCall(PlexClosuresGetCell(g->closures, e, g->points, g->orientation));
  if (!PlexLayoutApply(layout, g->points, g->orientation, to))
    PetscCall(PlexLayoutLearn(layout, g->cells[e], g->points, g->orientation, to, flipped));
  if (bs > 1)
    PetscCheck(PlexPositionsToRuns(layout->n, bs, to, at), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The values of cell %" PetscInt_FMT ", its coordinates, are not stored node by node", g->cells[e]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexGatherLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexGather       *g      = (PlexGather *)ctx;
  const PlexLayout *layout = &g->layout;
  int               points[PLEX_CLOSURE_MOST];
  signed char       orientation[PLEX_CLOSURE_MOST];
  PetscBool         open = PETSC_FALSE;

  for (PetscInt e = g->first + begin; e < g->first + end; ++e) {
    int *to = &g->positions[(size_t)e * g->m];

    if (PlexClosuresGetFollowed(g->closures, e, points, orientation) &&
        (layout->bs > 1 ? PlexLayoutApplyRuns(layout, points, orientation, to)
                        : PlexLayoutApply(layout, points, orientation, to)))
      continue;
    to[0] = GATHER_OPEN;
    open  = PETSC_TRUE;
  }
  if (open) atomic_store(&g->open, true);
}

PetscErrorCode PlexClosuresGather(PlexClosures c, DM dm, PetscSection section, const PetscInt cells[], PetscInt n,
                                  PetscInt bs, int positions[], PetscInt *flipped)
{
  PlexGather  g      = {.closures = c, .cells = cells, .m = n / bs, .positions = positions};
  PlexLayout *layout = &g.layout;
  PetscInt    Ne, np;

  PetscFunctionBegin;
  *flipped = -1;
  PetscCall(PlexClosuresGetSizes(c, &Ne, &np));
  PetscCall(PlexLayoutCreate(dm, section, np, n, bs, layout));
  PetscCall(PetscMalloc3(np, &g.points, np, &g.orientation, n, &g.work));
  g.first = PetscMin(Ne, GATHER_FIRST);
  for (PetscInt e = 0; e < g.first; ++e) PetscCall(PlexGatherCell(&g, e, flipped));
  if (layout->to && layout->runs && g.m) {
    PlexClosuresFollow(c, layout->nused, layout->used);
    atomic_init(&g.open, false);
    PetscCall(PlexThreadsRun(Ne - g.first, PLEX_THREADS_LEAST, PlexGatherLoop, &g));
    for (PetscInt e = g.first; e < Ne && atomic_load(&g.open); ++e)
      if (positions[(size_t)e * g.m] == GATHER_OPEN) PetscCall(PlexGatherCell(&g, e, flipped));
  } else
    for (PetscInt e = g.first; e < Ne; ++e) PetscCall(PlexGatherCell(&g, e, flipped));
  PetscCall(PetscFree3(g.points, g.orientation, g.work));
  PetscCall(PlexLayoutDestroy(layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGatherClosures(DM dm, PetscSection section, PetscInt Ne, const PetscInt cells[], PetscInt n,
                                  int positions[], PetscInt *flipped)
{
  PlexClosures closures;

  PetscFunctionBegin;
  PetscCall(PlexClosuresCreate(dm, Ne, cells, &closures));
  PetscCall(PlexClosuresGather(closures, dm, section, cells, n, 1, positions, flipped));
  PetscCall(PlexClosuresDestroy(&closures));
  PetscFunctionReturn(PETSC_SUCCESS);
}
