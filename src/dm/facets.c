/* Facets of natural boundary conditions as elements: the closure of the cell behind each, the basis on its side of the
   cell, PETSc's geometry. */
#include "elementsimpl.h"
#include <petscsf.h>
#include <petscdmfield.h>
#include <petsc/private/petscfeimpl.h> /* CoordinatesRefToReal() */

/* Facets where the label of the integral has its value, ascending. Those of a residual are this process's own; those of
   a Jacobian are all, as in DMPlexComputeResidualByKey() and DMPlexComputeJacobianByKey() */
PetscErrorCode PlexGetIntegratedFacets(DM dm, const PlexIntegral *integral, PetscInt *n, PetscInt *facets[])
{
  DMLabel         depthLabel;
  PetscSF         sf;
  IS              pointIS;
  const PetscInt *points, *leaves;
  PetscInt        dim, np, nleaves, depth, support;

  PetscFunctionBegin;
  *n      = 0;
  *facets = NULL;
  PetscCall(DMLabelGetStratumIS(integral->label, integral->value, &pointIS));
  if (!pointIS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetDepthLabel(dm, &depthLabel));
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, NULL));
  PetscCall(ISGetLocalSize(pointIS, &np));
  PetscCall(ISGetIndices(pointIS, &points));
  PetscCall(PetscMalloc1(np, facets));
  for (PetscInt p = 0; p < np; ++p) {
    PetscInt leaf = -1;

    PetscCall(DMLabelGetValue(depthLabel, points[p], &depth));
    if (depth != dim - 1) continue;
    if (integral->residual && nleaves > 0) {
      if (leaves) PetscCall(PetscFindInt(points[p], nleaves, leaves, &leaf));
      else leaf = points[p] < nleaves ? points[p] : -1;
    }
    PetscCall(DMPlexGetSupportSize(dm, points[p], &support));
    if (leaf < 0 && support) (*facets)[(*n)++] = points[p];
  }
  PetscCall(ISRestoreIndices(pointIS, &points));
  PetscCall(ISDestroy(&pointIS));
  PetscCall(PetscSortInt(*n, *facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of the facet in its first cell */
static PetscErrorCode PlexFacetGetCell(DM dm, PetscInt facet, PetscInt *cell, PetscInt *face)
{
  const PetscInt *support, *cone;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(DMPlexGetSupport(dm, facet, &support));
  *cell = support[0];
  PetscCall(DMPlexGetConeSize(dm, *cell, &n));
  PetscCall(DMPlexGetCone(dm, *cell, &cone));
  for (*face = 0; *face < n && cone[*face] != facet;) ++*face;
  PetscCheck(*face < n, PETSC_COMM_SELF, PETSC_ERR_ARG_CORRUPT,
             "Facet %" PetscInt_FMT " is not a side of cell %" PetscInt_FMT ", which supports it", facet, *cell);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells, facets and local faces, in the order of the local faces; faces, their number, is there */
PetscErrorCode PlexElementsSetUpFacets(PlexElements el)
{
  PetscInt *facets, *next, cell, face;

  PetscFunctionBegin;
  PetscCall(PlexGetIntegratedFacets(el->dm, &el->integral, &el->Ne, &facets));
  PetscCall(PetscCalloc1(el->faces + 1, &el->faceStart));
  PetscCall(PetscMalloc1(el->faces, &next));
  PetscCall(PetscMalloc1(el->Ne, &el->cells));
  PetscCall(PetscMalloc1(el->Ne, &el->points));
  PetscCall(PetscMalloc1(el->Ne, &el->face));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscCall(PlexFacetGetCell(el->dm, facets[e], &cell, &face));
    ++el->faceStart[face + 1];
  }
  for (face = 0; face < el->faces; ++face) el->faceStart[face + 1] += el->faceStart[face];
  PetscCall(PetscArraycpy(next, el->faceStart, el->faces));
  for (PetscInt k = 0; k < el->Ne; ++k) {
    PetscInt e;

    PetscCall(PlexFacetGetCell(el->dm, facets[k], &cell, &face));
    e             = next[face]++;
    el->cells[e]  = cell;
    el->points[e] = facets[k];
    el->face[e]   = (int)face;
  }
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The DM's own field keeps the vector that it was made with */
PetscErrorCode PlexCreateCoordinateField(DM dm, DMField *field)
{
  DM  cdm, cellDM;
  Vec coordinates, cellCoordinates;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMGetCellCoordinatesLocal(dm, &cellCoordinates));
  PetscCall(DMGetCellCoordinateDM(dm, &cellDM));
  if (cellCoordinates && cellDM) PetscCall(DMFieldCreateDSWithDG(cdm, cellDM, 0, coordinates, cellCoordinates, field));
  else PetscCall(DMFieldCreateDS(cdm, 0, coordinates, field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's geometry of the facets, at the centroid where it takes them for affine, else at the quadrature points. It
   lives no longer than the field, whose quadrature it points into. */
static PetscErrorCode PlexFacetsCreateGeometry(PlexElements el, DMField field, PetscQuadrature quad, PetscFEGeom **geom)
{
  IS              pointIS;
  PetscQuadrature affine = NULL;
  PetscInt        degree;

  PetscFunctionBegin;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, el->Ne, el->points, PETSC_USE_POINTER, &pointIS));
  PetscCall(DMFieldGetDegree(field, pointIS, NULL, &degree));
  if (degree <= 1) PetscCall(DMFieldCreateDefaultQuadrature(field, pointIS, &affine));
  PetscCall(DMFieldCreateFEGeom(field, pointIS, affine ? affine : quad, PETSC_FEGEOM_BOUNDARY, geom));
  PetscCall(PetscQuadratureDestroy(&affine));
  PetscCall(ISDestroy(&pointIS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PETSc integrates over the points q of the facet, and tabulates a basis at the points of the cell's side: p = q, or
  Nq - 1 - q where the facet is oriented against its cell. Records are in the order of p, with the facet's geometry at
  q. Gradients of a residual's test functions are transformed with the cell's geometry at number p of the facet's
  points, as PetscFEIntegrateBdResidual() does.
*/
PetscErrorCode PlexElementsUpdateFacets(PlexElements el)
{
  const PetscInt   dim = el->dim, size = PLEX_FACET_SIZE(dim);
  PetscFE          fe;
  PetscQuadrature  quad;
  DMField          field;
  PetscFEGeom     *g;
  const PetscReal *xi;
  PetscReal        scale = (PetscReal)PetscPowInt(2, dim);

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, el->integral.field, (PetscObject *)&fe));
  PetscCall(PetscFEGetFaceQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, NULL, &xi, NULL));
  PetscCall(PlexCreateCoordinateField(el->dm, &field)); /* on all processes */
  if (!el->Ne) {
    PetscCall(DMFieldDestroy(&field));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexFacetsCreateGeometry(el, field, quad, &g));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    for (PetscInt p = 0; p < el->Nq; ++p) {
      const PetscInt q = g->face[e][1] < 0 ? el->Nq - 1 - p : p;
      const PetscInt k = e * g->numPoints + (g->isAffine ? 0 : q), test = e * g->numPoints + (g->isAffine ? 0 : p);
      PetscReal     *r = &el->facet[(e * el->Nq + p) * size];

      if (g->isAffine)
        CoordinatesRefToReal(dim, dim - 1, g->xi, &g->v[k * dim], &g->J[k * dim * dim], &xi[q * (dim - 1)], r);
      else PetscCall(PetscArraycpy(r, &g->v[k * dim], dim));
      PetscCall(PetscArraycpy(r + dim, &g->n[k * dim], dim));
      r[2 * dim]     = g->detJ[k] * el->weights[q];
      r[2 * dim + 1] = g->detJ[k] * scale;
      PetscCall(PetscArraycpy(r + 2 * dim + 2, &g->suppInvJ[0][k * dim * dim], dim * dim));
      PetscCall(PetscArraycpy(r + 2 * dim + 2 + dim * dim, &g->suppInvJ[0][test * dim * dim], dim * dim));
    }
  }
  PetscCall(PetscFEGeomDestroy(&g));
  PetscCall(DMFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
