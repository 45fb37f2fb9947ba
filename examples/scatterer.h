/*
  What examples of a wave that meets an obstacle have in common: options, and boundaries of meshes on spheres. "Face Sets" is
  1 on the obstacle, 2 at the outer boundary.
*/
#ifndef PLEX_SCATTERER_H
#define PLEX_SCATTERER_H

#include "program.h"

/* -mesh, whether it is given, or a file of this folder */
static inline PetscErrorCode ScattererGetMesh(PetscOptionItems PetscOptionsObject, const char file[], size_t size,
                                              char path[], PetscBool *given)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-mesh", "Mesh", NULL, path, path, size, given));
  if (*given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ExampleFindFile(file, path, size, &found));
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "%s of the examples' folder is not found: use -mesh", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -wavenumbers FROM:TO:N, or that text; where both are empty n and range stay */
static inline PetscErrorCode ScattererGetWavenumbers(PetscOptionItems PetscOptionsObject, const char otherwise[],
                                                     PetscInt *n, PetscReal range[2])
{
  char   text[256];
  double from, to;
  int    count;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, otherwise, sizeof(text)));
  PetscCall(PetscOptionsString("-wavenumbers", "Of a pulse", NULL, text, text, sizeof(text), NULL));
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(sscanf(text, "%lf:%lf:%d", &from, &to, &count) == 3 && from > 0. && to > from && count > 1,
             PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-wavenumbers %s is not FROM:TO:N, with 0 < FROM < TO and 2 wavenumbers or more", text);
  *n       = count;
  range[0] = from;
  range[1] = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of the facets that Face Sets has with a value: vertices[3 nfacets], those of each facet after each
   other, as places in the local coordinates */
static inline PetscErrorCode ScattererGetFacets(DM dm, PetscInt value, PetscInt *nfacets, PetscInt **vertices)
{
  const PetscInt *point = NULL;
  PetscInt        fStart, fEnd, vStart, vEnd, npoints = 0, n = 0;
  PetscSection    section;
  DMLabel         label;
  IS              facets;

  PetscFunctionBegin;
  *nfacets = 0;
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCheck(label, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "The mesh has no label Face Sets: physical surfaces of Gmsh make it, 1 of the conductor and 2 of the "
             "outer boundary");
  PetscCall(DMLabelGetStratumIS(label, value, &facets));
  if (facets) PetscCall(ISGetLocalSize(facets, &npoints));
  if (facets) PetscCall(ISGetIndices(facets, &point));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(PetscMalloc1(3 * npoints, vertices));
  for (PetscInt p = 0; p < npoints; ++p) {
    PetscInt *closure = NULL, size;

    if (point[p] < fStart || point[p] >= fEnd) continue; /* refined meshes have edges and vertices there, too */
    PetscCall(DMPlexGetTransitiveClosure(dm, point[p], PETSC_TRUE, &size, &closure));
    for (PetscInt c = 0; c < size; ++c)
      if (closure[2 * c] >= vStart && closure[2 * c] < vEnd)
        PetscCall(PetscSectionGetOffset(section, closure[2 * c], &(*vertices)[n++]));
    PetscCall(DMPlexRestoreTransitiveClosure(dm, point[p], PETSC_TRUE, &size, &closure));
    ++*nfacets;
  }
  if (facets) PetscCall(ISRestoreIndices(facets, &point));
  PetscCall(ISDestroy(&facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the vertices of a boundary to a sphere round 0 with that radius; 0: with that of its outermost vertex */
static inline PetscErrorCode ScattererSnap(DM dm, PetscInt value, PetscReal radius)
{
  PetscInt     n, *vertices;
  PetscScalar *x;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(ScattererGetFacets(dm, value, &n, &vertices));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetArray(coordinates, &x));
  for (int pass = radius > 0.; pass < 2; ++pass) { /* the radius, then the vertices */
    for (PetscInt v = 0; v < 3 * n; ++v) {
      PetscScalar    *at = &x[vertices[v]];
      const PetscReal r  = PetscSqrtReal(PetscSqr(PetscRealPart(at[0])) + PetscSqr(PetscRealPart(at[1])) +
                                         PetscSqr(PetscRealPart(at[2])));

      if (!pass) radius = PetscMax(radius, r);
      else
        for (int d = 0; d < 3; ++d) at[d] *= radius / r;
    }
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PetscFree(vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
