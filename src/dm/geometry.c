/* Coordinate nodes of the elements, and the map x(xi) = sum_v x_v psi_v(xi) from the reference cell. */
#include "elementsimpl.h"
#include <integrate/normals.h>

/* That of a coordinate DM without one: to make it takes milliseconds, and it is kept with the DM */
static PetscErrorCode PlexGetLinearCoordinateFE(DM cdm, PetscInt dim, PetscInt cdim, DMPolytopeType ct, PetscFE *fe)
{
  char     name[64];
  PetscInt Nc = -1;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "PlexGPU coordinates of %s", DMPolytopeTypes[ct]));
  PetscCall(PetscObjectQuery((PetscObject)cdm, name, (PetscObject *)fe));
  if (*fe) PetscCall(PetscFEGetNumComponents(*fe, &Nc));
  if (Nc == cdim) PetscCall(PetscObjectReference((PetscObject)*fe));
  else {
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, cdim, ct, 1, PETSC_DETERMINE, fe));
    PetscCall(PetscObjectCompose((PetscObject)cdm, name, (PetscObject)*fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetCoordinateFE(DM dm, DMPolytopeType ct, PetscFE *fe)
{
  DM           cdm;
  PetscObject  disc = NULL;
  PetscClassId id   = 0;
  PetscInt     dim, cdim, Nf;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(DMGetNumFields(cdm, &Nf));
  if (Nf) PetscCall(DMGetField(cdm, 0, NULL, &disc));
  if (disc) PetscCall(PetscObjectGetClassId(disc, &id));
  if (id == PETSCFE_CLASSID) {
    *fe = (PetscFE)disc;
    PetscCall(PetscObjectReference(disc));
  } else PetscCall(PlexGetLinearCoordinateFE(cdm, dim, cdim, ct, fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Section and local vector of cellwise coordinates (periodic meshes), NULL where there are none */
static PetscErrorCode PlexGetCellwiseCoordinates(DM dm, PetscSection *section, Vec *coordinates)
{
  DM cdm;

  PetscFunctionBegin;
  *section     = NULL;
  *coordinates = NULL;
  PetscCall(DMGetCellCoordinateDM(dm, &cdm));
  if (!cdm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCellCoordinatesLocal(dm, coordinates));
  if (*coordinates) PetscCall(DMGetLocalSection(cdm, section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Coordinate nodes are those of the coordinate vector, [n0][dim], followed by those of the cellwise coordinate vector.
  A cell that has cellwise coordinates uses these. Positions in the vectors of the components of a node are consecutive:
  position = node*dim + component.
*/
static PetscErrorCode PlexElementsNumberVertices(PlexElements el, PlexClosures closures)
{
  DM           cdm;
  PetscSection section, cellSection;
  Vec          coordinates;
  PetscInt     n0, pStart = 0, pEnd = 0, nx = el->Nv * el->dim, flipped;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDM(el->dm, &cdm));
  PetscCall(DMGetLocalSection(cdm, &section));
  PetscCall(PlexSectionGetSize(section, &n0));
  PetscCall(PlexGetCellwiseCoordinates(el->dm, &cellSection, &coordinates));
  if (cellSection) PetscCall(PetscSectionGetChart(cellSection, &pStart, &pEnd));
  PetscCall(PetscMalloc1((size_t)el->Ne * el->Nv, &el->vertices));
  PetscCall(PlexClosuresGather(closures, cdm, section, el->cells, nx, el->dim, el->vertices, &flipped));
  for (PetscInt e = 0; e < el->Ne && cellSection; ++e) {
    PetscInt dof = 0, off;
    int     *v   = &el->vertices[(size_t)e * el->Nv];

    if (el->cells[e] >= pStart && el->cells[e] < pEnd) PetscCall(PetscSectionGetDof(cellSection, el->cells[e], &dof));
    if (!dof) continue;
    PetscCheck(dof == nx, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "Cell %" PetscInt_FMT " has %" PetscInt_FMT
               " cellwise coordinates and its coordinate element has %" PetscInt_FMT,
               el->cells[e], dof, nx);
    PetscCall(PetscSectionGetOffset(cellSection, el->cells[e], &off));
    for (PetscInt n = 0; n < el->Nv; ++n) v[n] = (int)((n0 + off) / el->dim + n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementsCountCoordinates(PlexElements el, Vec coordinates[2], PetscInt n[2])
{
  PetscSection cellSection;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(el->dm, &coordinates[0]));
  PetscCheck(coordinates[0], PetscObjectComm((PetscObject)el->dm), PETSC_ERR_ARG_WRONGSTATE,
             "The DM has no coordinates: set them with DMSetCoordinates()");
  PetscCall(PlexGetCellwiseCoordinates(el->dm, &cellSection, &coordinates[1]));
  n[1] = 0;
  PetscCall(VecGetLocalSize(coordinates[0], &n[0]));
  if (coordinates[1]) PetscCall(VecGetLocalSize(coordinates[1], &n[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that changes with the coordinates: their vectors, and what they hold */
PetscErrorCode PlexGetCoordinateState(DM dm, PetscObjectState *state)
{
  Vec coordinates[2] = {NULL, NULL};

  PetscFunctionBegin;
  *state = 0;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates[0]));
  PetscCall(DMGetCellCoordinatesLocal(dm, &coordinates[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscObjectState own;
    PetscObjectId    id;

    if (!coordinates[k]) continue;
    PetscCall(PetscObjectStateGet((PetscObject)coordinates[k], &own));
    PetscCall(PetscObjectGetId((PetscObject)coordinates[k], &id));
    *state = (PetscObjectState)(1000003u * (uint64_t)*state + ((uint64_t)id << 32) + (uint64_t)own); /* may go round */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHashCoordinates(DM dm, PetscInt64 *hash)
{
  Vec      coordinates[2] = {NULL, NULL};
  uint64_t h              = 0xcbf29ce484222325ULL;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates[0]));
  PetscCall(DMGetCellCoordinatesLocal(dm, &coordinates[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscScalar *x;
    PetscInt           n;

    if (!coordinates[k]) continue;
    PetscCall(VecGetLocalSize(coordinates[k], &n));
    PetscCall(VecGetArrayRead(coordinates[k], &x));
    for (PetscInt i = 0; i < n; ++i) {
      uint64_t bits = 0;

      PetscCall(PetscMemcpy(&bits, &x[i], PetscMin(sizeof(bits), sizeof(x[i]))));
      h = (h ^ bits) * 0x100000001b3ULL;
      h ^= h >> 29; /* or changes of two signs would cancel */
    }
    PetscCall(VecRestoreArrayRead(coordinates[k], &x));
  }
  *hash = (PetscInt64)h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsUpdateCoordinates(PlexElements el)
{
  Vec                coordinates[2];
  const PetscScalar *array;
  PetscInt           n[2], first = 0;

  PetscFunctionBegin;
  if (el->integral.facets) {
    if (el->cohesive) PetscCall(PlexElementsUpdateCohesive(el));
    else PetscCall(PlexElementsUpdateFacets(el));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexElementsCountCoordinates(el, coordinates, n));
  PetscCheck(n[0] + n[1] == el->Nx * el->dim, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The DM has %" PetscInt_FMT " coordinates and had %" PetscInt_FMT
             ": after a change of mesh or of coordinate space set the assembly up again (PlexAssemblyReset())",
             n[0] + n[1], el->Nx * el->dim);
  for (PetscInt k = 0; k < 2; ++k) {
    if (!coordinates[k]) continue;
    PetscCall(VecGetArrayRead(coordinates[k], &array));
    for (PetscInt i = 0; i < n[k]; ++i)
      el->x[el->place ? el->place[(first + i) / el->dim] * el->dim + i % el->dim : first + i] = PetscRealPart(array[i]);
    PetscCall(VecRestoreArrayRead(coordinates[k], &array));
    first += n[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsSetUpCoordinates(PlexElements el, PlexClosures closures, PetscInt Nq,
                                            const PetscReal points[])
{
  PetscFE         fe;
  PetscTabulation T;
  Vec             coordinates[2];
  PetscInt        n[2];
  PetscBool       nodal;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(el->dm, el->cellType, &fe));
  PetscCall(PetscFECreateTabulation(fe, 1, Nq, points, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, el->dim, &el->Nv, &el->psi, &el->dpsi, &nodal));
  PetscCheck(nodal, PetscObjectComm((PetscObject)el->dm), PETSC_ERR_SUP, "The coordinate space has no node basis");
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&fe));
  el->affine = (el->cellType == DM_POLYTOPE_SEGMENT || el->cellType == DM_POLYTOPE_TRIANGLE ||
                el->cellType == DM_POLYTOPE_TETRAHEDRON) &&
                   el->Nv == el->cellDim + 1
               ? PETSC_TRUE
               : PETSC_FALSE;
  PetscCall(PlexElementsNumberVertices(el, closures));
  PetscCall(PlexElementsCountCoordinates(el, coordinates, n));
  el->Nx = (n[0] + n[1]) / el->dim;
  PetscCall(PetscMalloc1(el->Nx * el->dim, &el->x));
  PetscCall(PlexElementsUpdateCoordinates(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* det J at a point, J[d][k] = sum_v x_v[d] dpsi_v/dxi_k; x[Nv][dim], dpsi[Nv][dim]. To be inlined: dim is then a
   number. */
static inline PetscReal PlexDeterminantOf(const PetscInt dim, PetscInt cellDim, PetscInt Nv, const PetscReal x[],
                                          const PetscReal dpsi[])
{
  PetscReal J[9] = {0.};

  for (PetscInt n = 0; n < Nv; ++n) {
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt k = 0; k < dim; ++k) J[d * dim + k] += x[n * dim + d] * dpsi[n * dim + k];
    }
  }
  if (cellDim < dim) plex_complete_jacobian((int)dim, (int)cellDim, J);
  if (dim == 1) return J[0];
  if (dim == 2) return J[0] * J[3] - J[1] * J[2];
  return J[0] * (J[4] * J[8] - J[5] * J[7]) + J[1] * (J[5] * J[6] - J[3] * J[8]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

static inline PetscReal PlexDeterminant(PlexElements el, const PetscReal x[], PetscInt q)
{
  const PetscReal *dpsi = &el->dpsi[q * el->Nv * el->dim];

  if (el->cellDim < el->dim || el->dim == 1) return PlexDeterminantOf(el->dim, el->cellDim, el->Nv, x, dpsi);
  return el->dim == 2 ? PlexDeterminantOf(2, 2, el->Nv, x, dpsi) : PlexDeterminantOf(3, 3, el->Nv, x, dpsi);
}

/* x[Nv][dim]: the coordinate nodes of element e */
static inline void PlexElementGetCoordinates(PlexElements el, PetscInt e, PetscReal x[])
{
  for (PetscInt n = 0; n < el->Nv; ++n)
    for (PetscInt d = 0; d < el->dim; ++d)
      x[n * el->dim + d] = el->x[(size_t)el->vertices[(size_t)e * el->Nv + n] * el->dim + d];
}

/* The first quadrature point of element e where the determinant is not positive, of Nq; Nq: there is none. x[Nv][dim]
   is work */
static inline PetscInt PlexElementFindFlat(PlexElements el, PetscInt e, PetscInt Nq, PetscReal x[])
{
  PetscInt q = 0;

  PlexElementGetCoordinates(el, e, x);
  while (q < Nq && PlexDeterminant(el, x, q) > 0.) ++q;
  return q;
}

typedef struct {
  PlexElements el;
  PetscInt     Nq;   /* points that are looked at */
  PlexLowest   cell; /* that has one where the determinant is not positive */
} PlexFlat;

static void PlexFlatLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexFlat    *flat = (PlexFlat *)ctx;
  PlexElements el   = flat->el;
  PetscReal    x[el->Nv * el->dim];

  for (PetscInt e = begin; e < end; ++e) {
    PlexElementsFetchCoordinates(el, e);
    if (PlexElementFindFlat(el, e, flat->Nq, x) < flat->Nq) PlexLowestPut(&flat->cell, el->cells[e]);
  }
}

/* Position e * Nq + q of the first point with a determinant that is not positive, in the cell with the lowest number;
   -1: none. x[Nv][dim] is work, and then has that element's nodes */
static PetscErrorCode PlexElementsFindFlat(PlexElements el, PetscReal x[], PetscInt *position)
{
  /* facets: their cells are elements of another integral */
  PlexFlat flat = {.el = el, .Nq = el->integral.facets ? 0 : el->affine ? 1 : el->Nq};
  PetscInt cell;

  PetscFunctionBegin;
  *position = -1;
  if (!flat.Nq) PetscFunctionReturn(PETSC_SUCCESS);
  PlexLowestInit(&flat.cell, PETSC_INT_MAX);
  PetscCall(PlexThreadsRun(el->Ne, PLEX_THREADS_LEAST, PlexFlatLoop, &flat));
  cell = PlexLowestGet(&flat.cell);
  for (PetscInt e = 0; e < el->Ne && cell < PETSC_INT_MAX && *position < 0; ++e)
    if (el->cells[e] == cell) *position = e * el->Nq + PlexElementFindFlat(el, e, flat.Nq, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cell with the lowest number that has a point where the determinant is not positive, in words; NULL: there is
   none. Not collective. PETSc integrates such cells with a negative volume. */
PetscErrorCode PlexElementsFindInverted(PlexElements el, char **text)
{
  PetscInt    flat, e, q;
  PetscReal  *x, centre[3] = {0., 0., 0.}, det;
  PetscMPIInt rank, size;
  char        where[64] = "", line[256];

  PetscFunctionBegin;
  *text = NULL;
  PetscCall(PetscMalloc1(el->Nv * el->dim, &x));
  PetscCall(PlexElementsFindFlat(el, x, &flat));
  if (flat >= 0) {
    e = flat / el->Nq;
    q = flat % el->Nq;
    for (PetscInt n = 0; n < el->Nv; ++n)
      for (PetscInt d = 0; d < el->dim; ++d)
        centre[d] += el->x[(size_t)el->vertices[(size_t)e * el->Nv + n] * el->dim + d] / el->Nv;
    det = PlexDeterminant(el, x, q);
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)el->dm), &size));
    PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)el->dm), &rank));
    if (size > 1) PetscCall(PetscSNPrintf(where, sizeof(where), " of process %d", (int)rank));
    PetscCall(PetscSNPrintf(line, sizeof(line),
                            "cell %" PetscInt_FMT
                            "%s at (%g, %g, %g) has Jacobian determinant %g at quadrature point %" PetscInt_FMT,
                            el->cells[e], where, (double)centre[0], (double)centre[1], (double)centre[2], (double)det,
                            q));
    PetscCall(PetscStrallocpy(line, text));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
