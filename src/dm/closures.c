/*
  Where the closure of each cell is in a local vector.

  DMPlexVecGetClosure() gathers the values of one cell. What it does with those of a mesh point depends on the point's place in the closure and its
  orientation there, so it is asked once for each place and orientation, and the answer serves all other cells:

    closures   points[Ne][np], orientation[Ne][np]
    layout     values of place k: to[start[k] .. start[k+1]), from[k][orientation] of the same length, counted from the point's first value
    cell e     position[to] = offset of the point in the section + from

  A cell whose closure is of another kind, with a point twice or another number of values, is asked for by itself.
*/
#include "elementsimpl.h"

#define PLEX_ORIENTATIONS 64 /* those of any polytope are from -32 to 31 */

struct _n_PlexClosures {
  PetscInt     Ne, np;
  int         *points;      /* [Ne][np]; -1 first: another number of points */
  signed char *orientation; /* [Ne][np] */
};

PetscErrorCode PlexClosuresCreate(DM dm, PetscInt Ne, const PetscInt cells[], PlexClosures *closures)
{
  PlexClosures c;
  PetscInt    *closure = NULL, n;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  c->Ne = Ne;
  for (PetscInt e = 0; e < Ne; ++e) {
    PetscCall(DMPlexGetTransitiveClosure(dm, cells[e], PETSC_TRUE, &n, &closure)); /* in the same memory each time */
    if (!e) {
      c->np = n;
      PetscCall(PetscMalloc2((size_t)Ne * n, &c->points, (size_t)Ne * n, &c->orientation));
    }
    if (n != c->np) {
      c->points[(size_t)e * c->np] = -1;
      continue;
    }
    for (PetscInt k = 0; k < n; ++k) {
      c->points[(size_t)e * n + k]      = (int)closure[2 * k];
      c->orientation[(size_t)e * n + k] = (signed char)closure[2 * k + 1];
    }
  }
  if (Ne) PetscCall(DMPlexRestoreTransitiveClosure(dm, cells[Ne - 1], PETSC_TRUE, &n, &closure));
  *closures = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresPermute(PlexClosures c, const int order[])
{
  int         *points;
  signed char *orientation;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)c->Ne * c->np, &points, (size_t)c->Ne * c->np, &orientation));
  for (PetscInt e = 0; e < c->Ne; ++e) {
    PetscCall(PetscArraycpy(&points[(size_t)e * c->np], &c->points[(size_t)order[e] * c->np], c->np));
    PetscCall(PetscArraycpy(&orientation[(size_t)e * c->np], &c->orientation[(size_t)order[e] * c->np], c->np));
  }
  PetscCall(PetscFree2(c->points, c->orientation));
  c->points      = points;
  c->orientation = orientation;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresDestroy(PlexClosures *closures)
{
  PetscFunctionBegin;
  if (!*closures) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*closures)->points, (*closures)->orientation));
  PetscCall(PetscFree(*closures));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DM           dm;
  PetscSection section;
  PetscInt     np, n, pStart, pEnd;
  PetscInt    *dof, *start; /* [np] values of a place; [np+1]; there when the first cell has been asked for */
  int         *to;          /* [n] */
  int        **from;        /* [np][PLEX_ORIENTATIONS] NULL: not known yet */
  Vec          own;         /* entries are their own position, counted from 1, so that a change of sign shows */
  PetscScalar *values;      /* [n] */
} PlexLayout;

static PetscErrorCode PlexLayoutCreate(DM dm, PetscSection section, PetscInt np, PetscInt n, PlexLayout *layout)
{
  PetscScalar *array;
  PetscInt     size;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(layout, sizeof(*layout)));
  layout->dm      = dm;
  layout->section = section;
  layout->np      = np;
  layout->n       = n;
  PetscCall(PetscSectionGetChart(section, &layout->pStart, &layout->pEnd));
  PetscCall(PetscSectionGetStorageSize(section, &size));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, size, &layout->own));
  PetscCall(VecGetArrayWrite(layout->own, &array));
  for (PetscInt k = 0; k < size; ++k) array[k] = (PetscReal)(k + 1);
  PetscCall(VecRestoreArrayWrite(layout->own, &array));
  PetscCall(PetscMalloc1(n, &layout->values));
  PetscCall(PetscCalloc1(np * PLEX_ORIENTATIONS, &layout->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLayoutDestroy(PlexLayout *layout)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < layout->np * PLEX_ORIENTATIONS; ++k) PetscCall(PetscFree(layout->from[k]));
  PetscCall(PetscFree(layout->from));
  PetscCall(PetscFree3(layout->dof, layout->start, layout->to));
  PetscCall(PetscFree(layout->values));
  PetscCall(VecDestroy(&layout->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode PlexLayoutGetPoint(const PlexLayout *layout, PetscInt p, PetscInt *dof, PetscInt *off)
{
  PetscFunctionBeginHot;
  *dof = *off = 0;
  if (p < layout->pStart || p >= layout->pEnd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetDof(layout->section, p, dof));
  PetscCall(PetscSectionGetOffset(layout->section, p, off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* positions[n] of one cell, as PETSc gathers them */
static PetscErrorCode PlexLayoutAsk(PlexLayout *layout, PetscInt cell, int positions[], PetscInt *flipped)
{
  PetscInt size = layout->n;

  PetscFunctionBegin;
  PetscCall(DMPlexVecGetClosure(layout->dm, layout->section, layout->own, cell, &size, &layout->values));
  PetscCheck(size == layout->n, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "Cell %" PetscInt_FMT " has %" PetscInt_FMT " dofs in its closure and its finite elements have %" PetscInt_FMT ": set up the DM's local section from its PetscDS (DMCreateDS())", cell, size,
             layout->n);
  for (PetscInt i = 0; i < size; ++i) {
    positions[i] = (int)PetscRealPart(layout->values[i]) - 1;
    if (positions[i] < 0 && *flipped < 0) *flipped = cell;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place in the closure that a position belongs to: place[n]; *plain: each has one, and places have as many as their points have */
static PetscErrorCode PlexLayoutFindPlaces(const PlexLayout *layout, const int points[], const int positions[], PetscInt place[], PetscBool *plain)
{
  PetscInt sum = 0;

  PetscFunctionBegin;
  *plain = PETSC_TRUE;
  for (PetscInt i = 0; i < layout->n; ++i) place[i] = -1;
  for (PetscInt k = 0; k < layout->np; ++k) {
    PetscInt dof, off;

    PetscCall(PlexLayoutGetPoint(layout, points[k], &dof, &off));
    sum += dof;
    for (PetscInt i = 0; i < layout->n; ++i) {
      if (positions[i] < off || positions[i] >= off + dof) continue;
      if (place[i] >= 0) *plain = PETSC_FALSE;
      place[i] = k;
    }
  }
  for (PetscInt i = 0; i < layout->n; ++i)
    if (place[i] < 0) *plain = PETSC_FALSE;
  if (sum != layout->n) *plain = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first cell says where the values of each place go */
static PetscErrorCode PlexLayoutSetPlaces(PlexLayout *layout, const PetscInt place[])
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc3(layout->np, &layout->dof, layout->np + 1, &layout->start, layout->n, &layout->to));
  for (PetscInt i = 0; i < layout->n; ++i) ++layout->dof[place[i]];
  for (PetscInt k = 0; k < layout->np; ++k) {
    PetscInt at = layout->start[k];

    for (PetscInt i = 0; i < layout->n; ++i)
      if (place[i] == k) layout->to[at++] = (int)i;
    layout->start[k + 1] = at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Asks for a cell, and keeps what was done with the orientations that it has */
static PetscErrorCode PlexLayoutLearn(PlexLayout *layout, PetscInt cell, const int points[], const signed char orientation[], int positions[], PetscInt *flipped)
{
  PetscInt *place, before = *flipped, dof, off;
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(PlexLayoutAsk(layout, cell, positions, flipped));
  if (points[0] < 0 || *flipped != before) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(layout->n, &place));
  PetscCall(PlexLayoutFindPlaces(layout, points, positions, place, &plain));
  if (plain && !layout->to) PetscCall(PlexLayoutSetPlaces(layout, place));
  for (PetscInt k = 0; k < layout->np && plain; ++k) { /* of another kind than the first one? */
    for (PetscInt t = layout->start[k]; t < layout->start[k + 1]; ++t)
      if (place[layout->to[t]] != k) plain = PETSC_FALSE;
  }
  for (PetscInt k = 0; k < layout->np && plain; ++k) {
    int **from = &layout->from[k * PLEX_ORIENTATIONS + orientation[k] + PLEX_ORIENTATIONS / 2];

    if (*from || !layout->dof[k]) continue;
    PetscCall(PlexLayoutGetPoint(layout, points[k], &dof, &off));
    PetscCall(PetscMalloc1(layout->dof[k], from));
    for (PetscInt t = 0; t < layout->dof[k]; ++t) (*from)[t] = positions[layout->to[layout->start[k] + t]] - (int)off;
  }
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* positions[n] of a cell from what is known; *known: all of it is */
static PetscErrorCode PlexLayoutApply(const PlexLayout *layout, const int points[], const signed char orientation[], int positions[], PetscBool *known)
{
  PetscFunctionBeginHot;
  *known = (PetscBool)(layout->to && points[0] >= 0);
  for (PetscInt k = 0; k < layout->np && *known; ++k) {
    const int *from = layout->from[k * PLEX_ORIENTATIONS + orientation[k] + PLEX_ORIENTATIONS / 2], *to = &layout->to[layout->start[k]];
    PetscInt   dof, off;

    PetscCall(PlexLayoutGetPoint(layout, points[k], &dof, &off));
    if (dof != layout->dof[k] || (dof && !from)) *known = PETSC_FALSE;
    else
      for (PetscInt t = 0; t < dof; ++t) positions[to[t]] = (int)off + from[t];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresGather(PlexClosures c, DM dm, PetscSection section, const PetscInt cells[], PetscInt n, int positions[], PetscInt *flipped)
{
  PlexLayout layout;
  PetscBool  known;

  PetscFunctionBegin;
  *flipped = -1;
  PetscCall(PlexLayoutCreate(dm, section, c->np, n, &layout));
  for (PetscInt e = 0; e < c->Ne; ++e) {
    const int         *points      = &c->points[(size_t)e * c->np];
    const signed char *orientation = &c->orientation[(size_t)e * c->np];

    PetscCall(PlexLayoutApply(&layout, points, orientation, &positions[(size_t)e * n], &known));
    if (!known) PetscCall(PlexLayoutLearn(&layout, cells[e], points, orientation, &positions[(size_t)e * n], flipped));
  }
  PetscCall(PlexLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGatherClosures(DM dm, PetscSection section, PetscInt Ne, const PetscInt cells[], PetscInt n, int positions[], PetscInt *flipped)
{
  PlexClosures closures;

  PetscFunctionBegin;
  PetscCall(PlexClosuresCreate(dm, Ne, cells, &closures));
  PetscCall(PlexClosuresGather(closures, dm, section, cells, n, positions, flipped));
  PetscCall(PlexClosuresDestroy(&closures));
  PetscFunctionReturn(PETSC_SUCCESS);
}
