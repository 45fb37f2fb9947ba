/*
  The points of the closures of many cells, in the order and with the orientations of DMPlexGetTransitiveClosure().

  PETSc goes through the cones breadth first: cell, faces, edges, vertices, each when it is first met. Where a point is
  first met depends on the type of cell alone, once the points in a cone are counted as the point that they are the cone
  of lies in the cell. So PETSc is asked for the first cell, and the closure of any other cell of its type is

    place k     point        cones[off(parent) + c]
                orientation  o composed with coneOrientations[off(parent) + c]
    where (c, o) = arrangement of the parent's type at its orientation, position at[k]

  A cell of another type is asked for by itself, and so is one that has a vertex twice, as in a periodic mesh of very
  few cells: its closure is shorter.
*/
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h> /* the offsets of cones are read where they are */

#define PLEX_ORIENTATIONS_HALF (PLEX_ORIENTATIONS / 2)

/* A type of points, with the orientations -PLEX_ORIENTATIONS_HALF to PLEX_ORIENTATIONS_HALF - 1 */
typedef struct {
  DMPolytopeType type;
  PetscInt       size;                                          /* of the cone */
  signed char    arrangement[PLEX_ORIENTATIONS][6][2];          /* point of the cone, its orientation */
  signed char    compose[PLEX_ORIENTATIONS][PLEX_ORIENTATIONS]; /* of an orientation there and that in the cone */
} PlexPointType;

typedef struct {
  PetscInt             parent, at;
  const PlexPointType *parentType, *type;
  PetscBool            needed; /* it is a vertex, or its point was asked for, or it leads to one of these */
} PlexPlace;

struct _n_PlexClosures {
  DM              dm;    /* not owned */
  const PetscInt *cells; /* [Ne] not owned */
  PetscInt        Ne, np;
  PetscInt       *closure; /* work of PETSc's */
  DMPolytopeType  type;
  PlexPlace      *places; /* [np] NULL: PETSc is asked for all cells */
  PetscInt       *follow; /* [nfollow] places that are needed, ascending */
  PetscInt        nfollow;
  PetscInt        vertices; /* the first place of a vertex */
  PetscInt        ntypes;
  PlexPointType   types[4];
  PetscInt        pStart, ncones;                 /* points in all cones */
  const PetscInt *offsets, *cones, *orientations; /* of the mesh's cones */
  const uint8_t  *cellTypes;                      /* of its points; NULL: PETSc is asked for them */
};

static PetscErrorCode PlexPointTypeCreate(DMPolytopeType type, PlexPointType *t)
{
  const PetscInt n = DMPolytopeTypeGetNumArrangements(type) / 2;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(t, sizeof(*t)));
  t->type = type;
  t->size = DMPolytopeTypeGetConeSize(type);
  for (PetscInt o = -n; o < n && type != DM_POLYTOPE_POINT; ++o) {
    const PetscInt *arrangement = DMPolytopeTypeGetArrangement(type, o);

    for (PetscInt k = 0; k < 2 * t->size; ++k)
      t->arrangement[o + PLEX_ORIENTATIONS_HALF][k / 2][k % 2] = (signed char)arrangement[k];
    for (PetscInt second = -n; second < n; ++second)
      t->compose[o + PLEX_ORIENTATIONS_HALF][second + PLEX_ORIENTATIONS_HALF] = (signed char)
        DMPolytopeTypeComposeOrientation(type, o, second);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of a point, described when it is first met; NULL: none of those that cells here are made of */
static PetscErrorCode PlexClosuresGetType(PlexClosures c, PetscInt p, const PlexPointType **type)
{
  DMPolytopeType ct;

  PetscFunctionBegin;
  *type = NULL;
  PetscCall(DMPlexGetCellType(c->dm, p, &ct));
  for (PetscInt k = 0; k < c->ntypes; ++k)
    if (c->types[k].type == ct) *type = &c->types[k];
  if (*type || c->ntypes == PETSC_STATIC_ARRAY_LENGTH(c->types)) PetscFunctionReturn(PETSC_SUCCESS);
  if (ct != DM_POLYTOPE_POINT && ct != DM_POLYTOPE_SEGMENT && ct != DM_POLYTOPE_TRIANGLE &&
      ct != DM_POLYTOPE_QUADRILATERAL && ct != DM_POLYTOPE_TETRAHEDRON && ct != DM_POLYTOPE_HEXAHEDRON)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPointTypeCreate(ct, &c->types[c->ntypes]));
  *type = &c->types[c->ntypes++];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where each point of the first cell's closure is met first; *found: the closure is one of a cell whose points are all
   different */
static PetscErrorCode PlexClosuresFindPlaces(PlexClosures c, PetscSection cones, PetscBool *found)
{
  const PetscInt *closure = c->closure; /* points and orientations in turn */
  PetscInt        met     = 1;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt k = 0; k < c->np; ++k) {
    PlexPlace *place = &c->places[k];
    PetscInt   size;

    PetscCall(PlexClosuresGetType(c, closure[2 * k], &place->type));
    PetscCall(PetscSectionGetDof(cones, closure[2 * k], &size));
    if (!place->type || place->type->size != size || k >= met) PetscFunctionReturn(PETSC_SUCCESS);
    if (place->type->type == DM_POLYTOPE_POINT && c->vertices == c->np) c->vertices = k;
    for (PetscInt at = 0; at < size; ++at) {
      const PetscInt p     = c->cones[c->offsets[closure[2 * k] - c->pStart] +
                                      place->type->arrangement[closure[2 * k + 1] + PLEX_ORIENTATIONS_HALF][at][0]];
      PetscInt       known = 0;

      while (known < met && closure[2 * known] != p) ++known;
      if (known < met) continue;
      if (met == c->np || closure[2 * met] != p) PetscFunctionReturn(PETSC_SUCCESS);
      c->places[met].parent     = k;
      c->places[met].at         = at;
      c->places[met].parentType = place->type;
      ++met;
    }
  }
  *found = (PetscBool)(met == c->np && c->np - c->vertices == DMPolytopeTypeGetNumVertices(c->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Place k of a closure whose places before it are known */
static inline void PlexClosuresApplyPlace(const PlexClosures c, PetscInt k, int points[], signed char orientation[])
{
  const PlexPlace   *place  = &c->places[k];
  const PetscInt     turned = orientation[place->parent] + PLEX_ORIENTATIONS_HALF;
  const signed char *from   = place->parentType->arrangement[turned][place->at];
  const PetscInt     at     = c->offsets[points[place->parent] - c->pStart] + from[0];
  const PetscInt     own    = c->orientations[at] + PLEX_ORIENTATIONS_HALF;

  points[k]      = (int)c->cones[at];
  orientation[k] = place->type->compose[from[1] + PLEX_ORIENTATIONS_HALF][own];
}

/* No vertex is there twice */
static inline PetscBool PlexClosuresDiffer(const PlexClosures c, const int points[])
{
  for (PetscInt k = c->vertices + 1; k < c->np; ++k)
    for (PetscInt j = c->vertices; j < k; ++j)
      if (points[j] == points[k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* closure[np] of cell e by the places that are known */
static inline PetscBool PlexClosuresApply(const PlexClosures c, PetscInt e, int points[], signed char orientation[])
{
  points[0]      = (int)c->cells[e];
  orientation[0] = 0;
  for (PetscInt k = 1; k < c->np; ++k) PlexClosuresApplyPlace(c, k, points, orientation);
  return PlexClosuresDiffer(c, points);
}

/* Fetches the cones of the points in the cones of cells that come later, and before that where these are. Inlined by
   force: a compiler may leave out a call that has no effect but this one */
static inline __attribute__((always_inline)) void PlexClosuresFetch(const PlexClosures c, PetscInt e)
{
  if (e + 2 * PLEX_FETCH_AHEAD >= c->Ne) return;
  for (PetscInt f = 0; f < c->nfollow && !c->places[c->follow[f]].parent; ++f) {
    const PetscInt k = c->places[c->follow[f]].at, atSoon = c->offsets[c->cells[e + PLEX_FETCH_AHEAD] - c->pStart] + k,
                   atLater = c->offsets[c->cells[e + 2 * PLEX_FETCH_AHEAD] - c->pStart] + k;
    /* cells of other types may have less */
    const PetscInt soon = c->cones[PetscMin(atSoon, c->ncones - 1)], later = c->cones[PetscMin(atLater, c->ncones - 1)];

    PlexFetch(&c->offsets[later - c->pStart]);
    PlexFetch(&c->cones[c->offsets[soon - c->pStart]]);
    PlexFetch(&c->orientations[c->offsets[soon - c->pStart]]);
  }
}

void PlexClosuresFollow(PlexClosures c, PetscInt n, const PetscInt places[])
{
  if (!c->places) return;
  for (PetscInt k = 0; k < c->np; ++k) c->places[k].needed = (PetscBool)(k >= c->vertices);
  for (PetscInt u = 0; u < n; ++u) c->places[places[u]].needed = PETSC_TRUE;
  for (PetscInt k = c->np - 1; k > 0; --k)
    if (c->places[k].needed) c->places[c->places[k].parent].needed = PETSC_TRUE;
  c->nfollow = 0;
  for (PetscInt k = 1; k < c->np; ++k)
    if (c->places[k].needed) c->follow[c->nfollow++] = k;
}

PetscBool PlexClosuresGetFollowed(const PlexClosures c, PetscInt e, int points[], signed char orientation[])
{
  if (!c->places || !c->cellTypes) return PETSC_FALSE;
  PlexClosuresFetch(c, e);
  if (c->cellTypes[c->cells[e] - c->pStart] != (uint8_t)c->type) return PETSC_FALSE;
  points[0]      = (int)c->cells[e];
  orientation[0] = 0;
  for (PetscInt f = 0; f < c->nfollow; ++f) PlexClosuresApplyPlace(c, c->follow[f], points, orientation);
  return PlexClosuresDiffer(c, points);
}

static PetscErrorCode PlexClosuresLearn(PlexClosures c)
{
  PetscSection cones;
  PetscInt     depth, *raw, *orientations;
  PetscBool    found = PETSC_FALSE, same = PETSC_TRUE;
  int         *points;
  signed char *orientation;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellType(c->dm, c->cells[0], &c->type));
  PetscCall(DMPlexGetDepth(c->dm, &depth));
  PetscCall(DMPlexGetConeSection(c->dm, &cones));
  PetscCall(DMPlexGetCones(c->dm, &raw));
  PetscCall(DMPlexGetConeOrientations(c->dm, &orientations));
  if (depth < 2 || depth != DMPolytopeTypeGetDim(c->type) || !raw || !orientations) PetscFunctionReturn(PETSC_SUCCESS);
  c->cones        = raw;
  c->orientations = orientations;
  c->offsets      = cones->atlasOff;
  c->pStart       = cones->pStart;
  PetscCall(PlexSectionGetSize(cones, &c->ncones));
  c->vertices = c->np;
  PetscCall(PlexGetCellTypes(c->dm, &c->cellTypes, &c->pStart));
  PetscCall(PetscCalloc1(c->np, &c->places));
  PetscCall(PetscMalloc1(c->np, &c->follow));
  PetscCall(PlexClosuresFindPlaces(c, cones, &found));
  if (found) {
    PetscCall(PetscMalloc2(c->np, &points, c->np, &orientation));
    same = PlexClosuresApply(c, 0, points, orientation);
    for (PetscInt k = 0; k < c->np; ++k)
      same = (PetscBool)(same && points[k] == c->closure[2 * k] && orientation[k] == c->closure[2 * k + 1]);
    PetscCall(PetscFree2(points, orientation));
  }
  if (!found || !same || c->np > PLEX_CLOSURE_MOST) PetscCall(PetscFree(c->places));
  for (PetscInt k = 1; k < c->np; ++k) c->follow[c->nfollow++] = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresCreate(DM dm, PetscInt Ne, const PetscInt cells[], PlexClosures *closures)
{
  PlexClosures c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *closures = c;
  c->dm     = dm;
  c->Ne     = Ne;
  c->cells  = cells;
  if (!Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetTransitiveClosure(dm, cells[0], PETSC_TRUE, &c->np, &c->closure));
  PetscCall(PlexClosuresLearn(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresGetSizes(PlexClosures c, PetscInt *Ne, PetscInt *np)
{
  PetscFunctionBegin;
  *Ne = c->Ne;
  *np = c->np;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresGetCell(PlexClosures c, PetscInt e, int points[], signed char orientation[])
{
  DMPolytopeType type;
  PetscInt       n;

  PetscFunctionBeginHot;
  if (c->places) {
    PlexClosuresFetch(c, e);
    PetscCall(DMPlexGetCellType(c->dm, c->cells[e], &type));
    if (type == c->type && PlexClosuresApply(c, e, points, orientation)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* in the same memory each time */
  PetscCall(DMPlexGetTransitiveClosure(c->dm, c->cells[e], PETSC_TRUE, &n, &c->closure));
  if (n != c->np) {
    points[0] = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < n; ++k) {
    points[k]      = (int)c->closure[2 * k];
    orientation[k] = (signed char)c->closure[2 * k + 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosuresDestroy(PlexClosures *closures)
{
  PlexClosures c = *closures;
  PetscInt     n;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->Ne) PetscCall(DMPlexRestoreTransitiveClosure(c->dm, c->cells[0], PETSC_TRUE, &n, &c->closure));
  PetscCall(PetscFree(c->places));
  PetscCall(PetscFree(c->follow));
  PetscCall(PetscFree(*closures));
  PetscFunctionReturn(PETSC_SUCCESS);
}
