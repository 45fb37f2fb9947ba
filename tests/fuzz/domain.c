/* Meshes of the fuzzer, shared by all processes, with the labels "held" and "open" on the boundary and "part" in a half
   of the cells. */
#include "fuzz.h"
#include "meshes.h"
#include "problem.h"
#include <petscdmplextransform.h>

static PetscErrorCode Split(DM *dm)
{
  DMPlexTransform tr;
  DM              split;

  PetscFunctionBegin;
  PetscCall(DMPlexTransformCreate(PETSC_COMM_WORLD, &tr));
  PetscCall(DMPlexTransformSetType(tr, DMPLEXREFINETOSIMPLEX));
  PetscCall(DMPlexTransformSetDM(tr, *dm));
  PetscCall(DMPlexTransformSetUp(tr));
  PetscCall(DMPlexTransformApply(tr, *dm, &split));
  PetscCall(DMPlexTransformDestroy(&tr));
  PetscCall(DMDestroy(dm));
  *dm = split;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Box(const PlexFuzzCase *c, DM *dm)
{
  const DMBoundaryType none[3]     = {DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE},
                       periodic[3] = {DM_BOUNDARY_PERIODIC, c->variant % 2 ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE,
                                      DM_BOUNDARY_NONE};
  const PetscBool      wraps       = (PetscBool)(c->mesh == PLEX_FUZZ_PERIODIC);

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, PlexFuzzDim(c), PETSC_FALSE, c->faces, NULL, NULL,
                                wraps ? periodic : none, PETSC_TRUE, 0, PETSC_TRUE, dm));
  if (c->cell == DM_POLYTOPE_TRIANGLE) {
    PetscCall(Split(dm));
    if (wraps) PetscCall(DMLocalizeCoordinates(*dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one vertex */
static void Move(const PlexFuzzCase *c, PetscInt dim, PetscScalar x[])
{
  PetscReal from[3] = {0., 0., 0.};

  for (PetscInt d = 0; d < dim; ++d) from[d] = PetscRealPart(x[d]);
  for (PetscInt d = 0; d < dim; ++d) {
    if (c->shape == PLEX_FUZZ_MOVED)
      x[d] += (c->mesh == PLEX_FUZZ_IRREGULAR ? 0.005 : 0.02) *
              PetscSinReal(23. * from[(d + 1) % dim] + 11. * from[d] + d + c->variant);
    else if (c->shape == PLEX_FUZZ_SHEARED) x[d] += 0.3 * from[(d + 1) % dim];
    else if (c->shape == PLEX_FUZZ_STRETCHED) x[d] *= d ? 1. : 0.02;
  }
  if (c->clockwise) x[0] = -x[0];
}

/* Vertices, and the coordinates that the cells of a periodic mesh have of their own */
static PetscErrorCode MoveAll(const PlexFuzzCase *c, DM dm)
{
  Vec          coordinates[2];
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates[0]));
  PetscCall(DMGetCellCoordinatesLocal(dm, &coordinates[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    if (!coordinates[k]) continue;
    PetscCall(VecGetLocalSize(coordinates[k], &n));
    PetscCall(VecGetArray(coordinates[k], &x));
    for (PetscInt i = 0; i < n; i += dim) Move(c, dim, x + i);
    PetscCall(VecRestoreArray(coordinates[k], &x));
  }
  PetscCall(DMSetCoordinatesLocal(dm, coordinates[0]));
  if (coordinates[1]) PetscCall(DMSetCellCoordinatesLocal(dm, coordinates[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets on the boundary in turn: held in all components of field 0, in component 0; open with the values 4, 5. Every
   other cell is in the part. */
static PetscErrorCode Mark(DM dm)
{
  DMLabel  held, open, part;
  PetscInt n, *facets, cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "held", &held));
  PetscCall(PlexTestGetLabel(dm, "open", &open));
  PetscCall(PlexTestGetLabel(dm, "half", &part));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    if (k % 4 < 2) PetscCall(DMLabelSetValue(held, facets[k], k % 4 + 1));
    if (k % 4) PetscCall(DMLabelSetValue(open, facets[k], k % 2 + 4));
  }
  PetscCall(PetscFree(facets));
  PetscCall(DMPlexLabelComplete(dm, held));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt cell = cStart; cell < cEnd; cell += 2) PetscCall(DMLabelSetValue(part, cell, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moved and curved cells may be turned inside out somewhere, of which there is nothing to compare */
static PetscErrorCode Check(const PlexFuzzCase *c, DM dm)
{
  PetscFE         fe;
  PetscQuadrature quadrature;
  PetscInt        cStart, cEnd, Nq;
  PetscReal       least = PETSC_MAX_REAL, v[3 * 64], J[9 * 64], inverse[9 * 64], det[64];

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, PlexFuzzDim(c), 1, c->cell, 1, 3, &fe));
  PetscCall(PetscFEGetQuadrature(fe, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, NULL, NULL));
  PetscCheck(Nq <= 64, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " points", Nq);
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt cell = cStart; cell < cEnd; ++cell) {
    PetscCall(DMPlexComputeCellGeometryFEM(dm, cell, quadrature, v, J, inverse, det));
    for (PetscInt q = 0; q < Nq; ++q) least = PetscMin(least, c->clockwise ? -det[q] : det[q]);
  }
  PetscCall(PetscFEDestroy(&fe));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  PetscCheck(least > 1e-9, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "A cell is turned inside out"); /* on all processes */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzDomainCreate(const PlexFuzzCase *c, DM *dm)
{
  DMField field;

  PetscFunctionBegin;
  if (c->mesh == PLEX_FUZZ_IRREGULAR) PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, c->variant, dm));
  else PetscCall(Box(c, dm));
  if (c->mesh != PLEX_FUZZ_PERIODIC) PetscCall(PlexTestKeepCells(dm, c->cells));
  PetscCall(MoveAll(c, *dm));
  if (c->curved) PetscCall(PlexTestCurve(*dm, c->curved));
  PetscCall(Mark(*dm));
  PetscCall(Check(c, *dm));
  PetscCall(PlexTestDistribute(dm, c->overlap, c->idle));
  /* PETSc makes it together, when first needed, but would not ask a process without cells */
  PetscCall(DMGetCoordinateField(*dm, &field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
