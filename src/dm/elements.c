/* Element maps: which cells there are and which local dofs each of them holds. */
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h> /* the dofs of millions of points are read where they are */

PetscErrorCode PlexGetIntegratedCells(DM dm, DMLabel region, PetscInt *Ne, PetscInt *cells[])
{
  IS              cellIS;
  DMLabel         ghost;
  const PetscInt *points;
  PetscInt        depth, n;

  PetscFunctionBegin;
  *Ne    = 0;
  *cells = NULL;
  PetscCall(DMPlexGetDepth(dm, &depth));
  PetscCall(DMGetStratumIS(dm, "dim", depth, &cellIS));
  if (!cellIS) PetscCall(DMGetStratumIS(dm, "depth", depth, &cellIS));
  if (!cellIS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLabel(dm, "ghost", &ghost));
  PetscCall(ISGetLocalSize(cellIS, &n));
  PetscCall(ISGetIndices(cellIS, &points));
  PetscCall(PetscMalloc1(n, cells));
  for (PetscInt c = 0; c < n; ++c) {
    PetscInt  value = -1;
    PetscBool in    = PETSC_TRUE;

    if (ghost) PetscCall(DMLabelGetValue(ghost, points[c], &value));
    if (region) PetscCall(DMLabelStratumHasPoint(region, 1, points[c], &in));
    if (value <= 0 && in) (*cells)[(*Ne)++] = points[c];
  }
  PetscCall(ISRestoreIndices(cellIS, &points));
  PetscCall(ISDestroy(&cellIS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetCellType(DM dm, PetscInt Ne, const PetscInt cells[], DMPolytopeType *type)
{
  DMPolytopeType ct;
  PetscMPIInt    highest = -1;

  PetscFunctionBegin;
  if (Ne) {
    PetscCall(DMPlexGetCellType(dm, cells[0], &ct));
    highest = (PetscMPIInt)ct;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dm)));
  *type = (DMPolytopeType)highest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegralSetRegion(DM dm, PetscInt region, PlexIntegral *integral)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(integral, sizeof(*integral)));
  integral->region   = region;
  integral->residual = integral->jacobian = PETSC_TRUE;
  PetscCall(DMGetRegionNumDS(dm, region, &integral->label, NULL, NULL, NULL));
  integral->value = integral->auxValue[0] = integral->auxValue[1] = integral->label ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosureSize(DM dm, PetscSection section, PetscInt cell, PetscInt *n)
{
  PetscInt np, *closure = NULL, pStart, pEnd;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &np, &closure));
  for (PetscInt k = 0; k < np; ++k) {
    PetscInt dof;

    if (closure[2 * k] < pStart || closure[2 * k] >= pEnd) continue;
    PetscCall(PetscSectionGetDof(section, closure[2 * k], &dof));
    *n += dof;
  }
  PetscCall(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &np, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the mesh points that hold dofs, in the order of these, and gives each local dof its point's number */
static PetscErrorCode PlexElementsNumberNodes(PlexElements el, PetscSection section)
{
  const PetscInt *perm = NULL;
  PetscInt        pStart, pEnd, Nf;
  IS              order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Nl, &el->node));
  PetscCall(PetscSectionGetNumFields(section, &Nf)); /* those of other regions too */
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionGetPermutation(section, &order));
  if (order) PetscCall(ISGetIndices(order, &perm));
  el->permuted = (PetscBool)(order != NULL);
  for (PetscInt k = 0; k < pEnd - pStart; ++k) {
    const PetscInt p = pStart + (perm ? perm[k] : k), dof = section->atlasDof[p - pStart];

    if (!dof) continue;
    for (PetscInt f = 0; f < Nf; ++f) {
      PetscInt fdof, off;

      PetscCall(PetscSectionGetFieldDof(section, p, f, &fdof));
      PetscCall(PetscSectionGetFieldOffset(section, p, f, &off));
      for (PetscInt d = 0; d < fdof; ++d) el->node[off + d] = (int)el->Nnodes;
    }
    ++el->Nnodes;
  }
  if (order) PetscCall(ISRestoreIndices(order, &perm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementsSetUpFields(PlexElements el)
{
  PetscFE          fe;
  PetscQuadrature  quad;
  PetscTabulation  T;
  const PetscReal *weights;
  PetscBool        nodal;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumFields(el->ds, &el->Nf));
  PetscCall(PetscDSGetTotalDimension(el->ds, &el->ef));
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
    PetscCall(PetscDSGetFieldOffset(el->ds, f, &el->offset[f]));
    PetscCall(PetscFEGetNumComponents(fe, &el->Nc[f]));
    if (el->integral.facets) PetscCall(PetscFEGetFaceTabulation(fe, 1, &T));
    else PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
    PetscCall(PlexTabulationGetNodes(T, &el->Nn[f], &el->phi[f], &el->dphi[f], &nodal));
    el->faces = T->Nr;
  }
  PetscCall(PetscDSGetDiscretization(el->ds, el->integral.facets ? el->integral.field : 0, (PetscObject *)&fe));
  if (el->integral.facets) PetscCall(PetscFEGetFaceQuadrature(fe, &quad));
  else PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &el->Nq, NULL, &weights));
  PetscCall(PetscMalloc1(el->Nq, &el->weights));
  PetscCall(PetscArraycpy(el->weights, weights, el->Nq));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells or facets, the closures of the cells, and their coordinates */
static PetscErrorCode PlexElementsSetUpPoints(PlexElements el, PlexClosures *closures)
{
  PetscFE          fe;
  PetscQuadrature  quad;
  const PetscReal *points;

  PetscFunctionBegin;
  if (el->integral.facets) PetscCall(PlexElementsSetUpFacets(el));
  else PetscCall(PlexGetIntegratedCells(el->dm, el->integral.label, &el->Ne, &el->cells));
  /* processes without cells agree */
  if (!el->integral.facets && !el->integral.label) PetscCall(PlexGetCellType(el->dm, el->Ne, el->cells, &el->cellType));
  else if (el->Ne) PetscCall(DMPlexGetCellType(el->dm, el->cells[0], &el->cellType));
  PetscCall(PlexClosuresCreate(el->dm, el->Ne, el->cells, closures));
  if (!el->Ne && !el->integral.facets) PetscFunctionReturn(PETSC_SUCCESS);
  if (el->integral.facets) {
    PetscCall(PetscMalloc1((size_t)el->Ne * el->Nq * PLEX_FACET_SIZE(el->dim), &el->facet));
    PetscCall(PlexElementsUpdateFacets(el));
  } else {
    PetscCall(PetscMalloc1(2, &el->faceStart));
    el->faceStart[0] = 0;
    el->faceStart[1] = el->Ne;
    PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetQuadrature(fe, &quad));
    PetscCall(PetscQuadratureGetData(quad, NULL, NULL, NULL, &points, NULL));
    PetscCall(PlexElementsSetUpCoordinates(el, *closures, el->Nq, points));
    PetscCall(PlexElementsSetUpOrder(el));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Section b has n times the dofs of section a, of one field, on each point, at n times the offset, and neither permutes
   closures */
static PetscErrorCode PlexSectionIsMultiple(PetscSection a, PetscSection b, PetscInt n, PetscBool *is)
{
  PetscInt pStart, pEnd, qStart, qEnd, fields[2], other = 0;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(PetscSectionGetNumFields(a, &fields[0]));
  PetscCall(PetscSectionGetNumFields(b, &fields[1]));
  if (fields[0] != 1 || fields[1] > 1 || a->clObj || b->clObj) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetChart(a, &pStart, &pEnd));
  PetscCall(PetscSectionGetChart(b, &qStart, &qEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    const PetscInt dof = a->atlasDof[p - pStart], in = p >= qStart && p < qEnd;

    other |= n * dof != (in ? b->atlasDof[p - qStart] : 0);
    other |= dof && in && b->atlasOff[p - qStart] != n * a->atlasOff[p - pStart];
  }
  for (PetscInt q = qStart; q < PetscMin(qEnd, pStart); ++q) other |= b->atlasDof[q - qStart];
  for (PetscInt q = PetscMax(qStart, pEnd); q < qEnd; ++q) other |= b->atlasDof[q - qStart];
  *is = (PetscBool)!other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The location matrix: that of the coordinates where each of their nodes has one dof, and is numbered as it is */
static PetscErrorCode PlexElementsSetUpDofs(PlexElements el, PlexClosures closures, PetscSection section)
{
  PetscSection coordinates;
  PetscInt     flipped;
  PetscBool    same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)el->Ne * el->ef, &el->dofs));
  if (!el->integral.facets && !el->place && el->ef == el->Nv && el->Nx == el->Nl) {
    PetscCall(DMGetCoordinateSection(el->dm, &coordinates));
    PetscCall(PlexSectionIsMultiple(section, coordinates, el->cdim, &same));
  }
  if (same) {
    PetscCall(PetscArraycpy(el->dofs, el->vertices, (size_t)el->Ne * el->ef));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexClosuresGather(closures, el->dm, section, el->cells, el->ef, 1, el->dofs, &flipped));
  PetscCheck(flipped < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " flips the sign of dofs by the orientation of its faces, which node bases do not",
             flipped);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsCreateIntegral(DM dm, const PlexIntegral *integral, PlexElements *elements)
{
  PlexElements el;
  PlexClosures closures;
  PetscSection section;

  PetscFunctionBegin;
  *elements = NULL;
  PetscCall(PetscNew(&el));
  el->refct    = 1;
  el->dm       = dm;
  el->integral = *integral;
  PetscCall(PetscObjectReference((PetscObject)el->integral.label)); /* its name is shown when the mesh may be gone */
  PetscCall(DMGetRegionNumDS(dm, integral->region, NULL, NULL, &el->ds, NULL));
  PetscCall(DMGetDimension(dm, &el->dim));
  PetscCall(DMGetCoordinateDim(dm, &el->cdim));
  PetscCall(PlexElementsSetUpFields(el));
  PetscCall(PlexElementsSetUpPoints(el, &closures));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetStorageSize(section, &el->Nl));
  PetscCall(PlexElementsSetUpDofs(el, closures, section));
  PetscCall(PlexClosuresDestroy(&closures));
  if (!integral->facets) PetscCall(PlexElementsNumberNodes(el, section)); /* for the types that partition */
  /* processes without elements too: all see alike when the auxiliary vector is exchanged */
  PetscCall(PlexElementsSetUpAuxiliary(el));
  *elements = el;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexElementsCreate - Extracts from a `DM` all that assembly needs: the location matrix, the coordinates and the
  tabulated bases

  Collective

  Input Parameter:
. dm - the `DM`, of type `DMPLEX`, with its `PetscDS`

  Output Parameter:
. elements - the arrays of `struct _n_PlexElements`, on the host

  Note:
  Stops with the reason of `PlexElementsSupported()` where there is one.
*/
PetscErrorCode PlexElementsCreate(DM dm, PlexElements *elements)
{
  PlexIntegral integral;
  char        *reason;

  PetscFunctionBegin;
  *elements = NULL;
  PetscCall(PlexElementsSupported(dm, &reason));
  PetscCheck(!reason, PetscObjectComm((PetscObject)dm), PETSC_ERR_SUP,
             "Not assembled by PlexGPU: %s. Leave this DM to PETSc (DMPlexSetSNESLocalFEM(), or "
             "-plex_assembly_fallback)",
             reason);
  PetscCall(PlexIntegralSetRegion(dm, 0, &integral));
  PetscCall(PlexElementsCreateIntegral(dm, &integral, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsDestroy(PlexElements *elements)
{
  PlexElements el = *elements;

  PetscFunctionBegin;
  *elements = NULL;
  if (!el || --el->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    PetscCall(PetscFree(el->phi[f]));
    PetscCall(PetscFree(el->dphi[f]));
  }
  PetscCall(DMLabelDestroy(&el->integral.label));
  PetscCall(PetscFree(el->cells));
  PetscCall(PetscFree(el->dofs));
  PetscCall(PetscFree(el->node));
  PetscCall(PetscFree(el->vertices));
  PetscCall(PetscFree(el->x));
  PetscCall(PetscFree(el->place));
  PetscCall(PetscFree(el->weights));
  PetscCall(PetscFree(el->psi));
  PetscCall(PetscFree(el->dpsi));
  PetscCall(PetscFree(el->dofsAux));
  PetscCall(PetscFree(el->face));
  PetscCall(PetscFree(el->faceStart));
  PetscCall(PetscFree(el->points));
  PetscCall(PetscFree(el->facet));
  PetscCall(PetscFree(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
