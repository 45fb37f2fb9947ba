/*
  Coordinates of cells one after the other, as DMPlexGetCellCoordinates() gives them: those that a cell has of its own,
  in a periodic mesh, else those of the points of its closure. All are placed in threads where their places in the
  vectors are found by PlexGatherClosures(), else PETSc is asked cell by cell.
*/
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h> /* the dofs of millions of points are read where they are */

typedef struct {
  const PetscInt    *cells;
  PetscInt           n;         /* coordinates of a cell */
  PetscReal         *x;         /* [Ne][n] */
  const PetscScalar *array;     /* of the points */
  const int         *positions; /* [Ne][n] in it */
  /* of the cells; NULL: none has coordinates of its own */
  const PetscScalar *own;
  PetscInt           pStart, pEnd;
  const PetscInt    *dofs, *offsets; /* [pEnd - pStart] */
  PlexLowest         other;          /* the first cell that has another number of them */
} CellCoordinates;

/* Coordinates that a cell has of its own */
static inline PetscInt CellCoordinatesOwn(const CellCoordinates *c, PetscInt cell)
{
  return c->own && cell >= c->pStart && cell < c->pEnd ? c->dofs[cell - c->pStart] : 0;
}

static void CellCoordinatesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  CellCoordinates *c = (CellCoordinates *)ctx;
  const PetscInt   n = c->n;

  for (PetscInt e = begin; e < end; ++e) {
    const PetscInt own = CellCoordinatesOwn(c, c->cells[e]);
    const int     *at  = &c->positions[(size_t)e * n];
    PetscReal     *x   = &c->x[(size_t)e * n];

    if (!own) {
      for (PetscInt k = 0; k < n; ++k) x[k] = PetscRealPart(c->array[at[k]]);
    } else if (own == n) {
      const PetscScalar *values = &c->own[c->offsets[c->cells[e] - c->pStart]];

      for (PetscInt k = 0; k < n; ++k) x[k] = PetscRealPart(values[k]);
    } else PlexLowestPut(&c->other, e);
  }
}

/* x[n] of one cell by PETSc, which has *has of them: none are copied where that is another number */
static PetscErrorCode CellCoordinatesAsk(DM dm, PetscInt cell, PetscInt n, PetscReal x[], PetscInt *has)
{
  const PetscScalar *array;
  PetscScalar       *coordinates = NULL;
  PetscBool          isDG;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellCoordinates(dm, cell, &isDG, has, &array, &coordinates));
  for (PetscInt k = 0; *has == n && k < n; ++k) x[k] = PetscRealPart(coordinates[k]);
  PetscCall(DMPlexRestoreCellCoordinates(dm, cell, &isDG, has, &array, &coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the first cell that has none of its own is as PETSc gathers it: a section may have an order of its own for
   closures */
static PetscErrorCode CellCoordinatesAreRight(DM dm, PetscInt Ne, const CellCoordinates *c, PetscBool *right)
{
  PetscInt   e = 0, has;
  PetscReal *x;

  PetscFunctionBegin;
  *right = PETSC_TRUE;
  while (e < Ne && CellCoordinatesOwn(c, c->cells[e])) ++e;
  if (e == Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(c->n, &x));
  PetscCall(CellCoordinatesAsk(dm, c->cells[e], c->n, x, &has));
  *right = (PetscBool)(has == c->n);
  for (PetscInt k = 0; *right && k < c->n; ++k) *right = (PetscBool)(x[k] == c->x[(size_t)e * c->n + k]);
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector of coordinates that cells have of their own, and where those of each are */
static PetscErrorCode CellCoordinatesSetOwn(DM dm, Vec own, CellCoordinates *c)
{
  PetscSection section = NULL;

  PetscFunctionBegin;
  PetscCall(DMGetCellCoordinateSection(dm, &section));
  if (!own || !section) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetChart(section, &c->pStart, &c->pEnd));
  c->dofs    = section->atlasDof;
  c->offsets = section->atlasOff;
  PetscCall(VecGetArrayRead(own, &c->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells by the places of their coordinates; *done false: these are not found, *other is as it was */
static PetscErrorCode CellCoordinatesPlace(DM dm, PetscInt Ne, CellCoordinates *c, PetscInt *other, PetscBool *done)
{
  DM           cdm;
  PetscSection section;
  Vec          coordinates, own;
  PetscInt     n, flipped;
  int         *positions;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMGetLocalSection(cdm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCellCoordinatesLocal(dm, &own));
  if (!Ne || !coordinates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexClosureSize(cdm, section, c->cells[0], &n));
  if (n != c->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)Ne * n, &positions));
  PetscCall(PlexGatherClosures(cdm, section, Ne, c->cells, n, positions, &flipped));
  c->positions = positions;
  if (flipped < 0) {
    PlexLowestInit(&c->other, Ne);
    PetscCall(CellCoordinatesSetOwn(dm, own, c));
    PetscCall(VecGetArrayRead(coordinates, &c->array));
    PetscCall(PlexThreadsRun(Ne, PLEX_THREADS_LEAST, CellCoordinatesLoop, c));
    PetscCall(VecRestoreArrayRead(coordinates, &c->array));
    PetscCall(CellCoordinatesAreRight(dm, Ne, c, done));
    if (c->own) PetscCall(VecRestoreArrayRead(own, &c->own));
    if (*done && PlexLowestGet(&c->other) < Ne) *other = PlexLowestGet(&c->other);
  }
  PetscCall(PetscFree(positions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGatherCoordinates(DM dm, PetscInt Ne, const PetscInt cells[], PetscInt n, PetscReal x[],
                                     PetscInt *other, PetscInt *has)
{
  CellCoordinates c = {.cells = cells, .n = n, .x = x};
  PetscBool       done;

  PetscFunctionBegin;
  *other = -1;
  *has   = n;
  PetscCall(CellCoordinatesPlace(dm, Ne, &c, other, &done));
  if (*other >= 0) PetscCall(CellCoordinatesAsk(dm, cells[*other], n, NULL, has));
  for (PetscInt e = 0; e < Ne && !done && *other < 0; ++e) {
    PetscCall(CellCoordinatesAsk(dm, cells[e], n, &x[(size_t)e * n], has));
    if (*has != n) *other = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
