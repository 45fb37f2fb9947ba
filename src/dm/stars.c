/* Cells around points, found breadth first through the supports in threads. */
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h>
#include <petsc/private/dmpleximpl.h> /* supports are read where they are */

#define STAR_MOST   512 /* points of one dimension around a point */
#define STAR_ABSENT -1  /* there is no cell */
#define STAR_OPEN   -2  /* PETSc has to be asked */

/* The last cell of the star of each of some points, as DMPlexGetTransitiveClosure() lists it: breadth first through the
   supports, each point when it is first met */
typedef struct {
  const PetscInt *points; /* [n] */
  PetscInt       *last;   /* [n] */
  PetscInt        pStart, cStart, cEnd;
  const PetscInt *sizes, *offsets, *supports; /* of the mesh's points, counted from pStart */
} PlexStars;

/* next[]: the points in the supports of now[n], each once; returns their number, -1: there are more than STAR_MOST */
static PetscInt PlexStarStep(const PlexStars *s, PetscInt n, const PetscInt now[], PetscInt next[])
{
  PetscInt m = 0;

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt *support = &s->supports[s->offsets[now[k] - s->pStart]];

    for (PetscInt t = 0; t < s->sizes[now[k] - s->pStart]; ++t) {
      PetscInt known = 0;

      while (known < m && next[known] != support[t]) ++known;
      if (known < m) continue;
      if (m == STAR_MOST) return -1;
      next[m++] = support[t];
    }
  }
  return m;
}

static void PlexStarsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexStars *s = (const PlexStars *)ctx;
  PetscInt         work[2][STAR_MOST];

  for (PetscInt k = begin; k < end; ++k) {
    PetscInt n = 1, last = STAR_ABSENT, from = 0;

    work[0][0] = s->points[k];
    while (n > 0 && last != STAR_OPEN) {
      n    = PlexStarStep(s, n, work[from], work[!from]);
      from = !from;
      for (PetscInt t = 0; t < n; ++t)
        if (work[from][t] >= s->cStart && work[from][t] < s->cEnd) last = work[from][t];
      if (n < 0) last = STAR_OPEN;
    }
    s->last[k] = last;
  }
}

/* Likewise of one point, by PETSc */
static PetscErrorCode PlexStarAsk(DM dm, PlexStars *s, PetscInt k)
{
  PetscInt size, *star = NULL;

  PetscFunctionBegin;
  PetscCall(DMPlexGetTransitiveClosure(dm, s->points[k], PETSC_FALSE, &size, &star));
  while (--size > 0 && (star[2 * size] < s->cStart || star[2 * size] >= s->cEnd)) continue;
  s->last[k] = size > 0 ? star[2 * size] : STAR_ABSENT;
  PetscCall(DMPlexRestoreTransitiveClosure(dm, s->points[k], PETSC_FALSE, &size, &star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStarsGetLastCells(DM dm, PetscInt n, const PetscInt points[], PetscInt cells[])
{
  const DM_Plex *mesh = (const DM_Plex *)dm->data;
  PlexStars      s    = {.points = points, .last = cells};
  PetscSection   section;
  DMPolytopeType type;
  PetscInt       depth;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepth(dm, &depth));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &s.cStart, &s.cEnd));
  PetscCall(DMPlexGetSupportSection(dm, &section));
  for (PetscInt k = 0; k < n; ++k) cells[k] = STAR_OPEN;
  /* in meshes of one level, and around points of tensor cells, PETSc has an order of its own */
  if (depth > 1 && mesh->supports && !mesh->tr) {
    PetscCall(PetscSectionGetChart(section, &s.pStart, NULL));
    s.sizes    = section->atlasDof;
    s.offsets  = section->atlasOff;
    s.supports = mesh->supports;
    PetscCall(PlexThreadsRun(n, 64, PlexStarsLoop, &s));
  }
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexGetCellType(dm, points[k], &type));
    if (cells[k] == STAR_OPEN || DMPolytopeTypeIsHybrid(type)) PetscCall(PlexStarAsk(dm, &s, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
