/*
  States as VTKHDF files of Lagrange cells, which ParaView draws at the degree that they have

    /VTKHDF                      attributes Version, Type
      Points                     [elements Np][3]   each element has nodes of its own, as states jump between them
      Connectivity, Offsets, Types, NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
      PointData/<field>          [states elements Np], or [...][3] of vectors
      Steps                      attribute NSteps; Values, the times; where each state's parts begin, those of the mesh
                                 at 0 always

  VTK's nodes are equidistant: a state's polynomials are evaluated there, which makes them the same polynomials on those
  nodes.
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

/* ---- Fields: those called <name>x, <name>y (, <name>z) next to each other are a vector */

typedef struct {
  char     name[64];
  PetscInt first, n; /* fields of the system; components */
} PlexVTKField;

/* Whether fields k and k + c have the same name but for their last letters, of which the second is `letter` */
static PetscBool PlexVTKComponent(PlexDGSystem system, PetscInt k, PetscInt c, char letter)
{
  const char  *first = system->fields[k], *other = k + c < system->Nf ? system->fields[k + c] : "";
  const size_t n = strlen(first);

  return (PetscBool)(n && strlen(other) == n && !strncmp(first, other, n - 1) && other[n - 1] == letter);
}

/* The next field from *k on, which goes behind it */
static void PlexVTKNextField(PlexDGSystem system, PetscInt *k, PlexVTKField *field)
{
  field->first = *k;
  field->n     = 1;
  (void)PetscStrncpy(field->name, system->fields[*k], sizeof(field->name));
  if (PlexVTKComponent(system, *k, 0, 'x') && PlexVTKComponent(system, *k, 1, 'y')) {
    field->n = PlexVTKComponent(system, *k, 2, 'z') ? 3 : 2;
    if (strlen(field->name) > 1) field->name[strlen(field->name) - 1] = 0;
    else (void)PetscStrncpy(field->name, "vector", sizeof(field->name));
  }
  *k += field->n;
}

/* ---- Geometry and values */

/* Basis of the coordinates at VTK's nodes, shapes[Np][nx], and what takes a state there: B[Np][Np] */
static PetscErrorCode PlexVTKGetNodes(PlexDG dg, PetscReal shapes[], PetscReal B[])
{
  PlexDGReference R = dg->reference;
  PetscReal      *points;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(R->Np * R->dim, &points));
  PetscCall(PlexVTKGetPoints_Private(R->dim, R->tensor, R->N, points));
  PetscCall(PlexDGMeshTabulate(dg->mesh, R->Np, points, shapes, NULL));
  PetscCall(PlexDGReferenceInterpolate(R, R->Np, points, B));
  PetscCall(PetscFree(points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells, with the points of all own elements */
static PetscErrorCode PlexVTKWriteMesh(PlexDG dg, PlexH5 *h, const PetscReal shapes[])
{
  const PetscInt Ne = dg->mesh->Ne, Np = dg->reference->Np;
  PetscReal     *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)Ne * Np, &x));
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < Np; ++i) {
      PetscReal *at = &x[3 * ((size_t)e * Np + i)];

      at[2] = 0.;
      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &shapes[i * dg->mesh->nx], at));
    }
  }
  PetscCall(PlexVTKCreateCells_Private(h, dg->mesh->dim, dg->mesh->tensor, Ne, Np, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One number of the whole at a row */
static PetscErrorCode PlexVTKWriteNumber(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 row,
                                         const void *value)
{
  PetscFunctionBegin;
  PetscCall(PlexH5WriteRows(h, name, type, row, h->rank ? 0 : 1, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const PlexVTKOffsets[] = {"PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"};

/* A file with the mesh and no states */
static PetscErrorCode PlexVTKCreate(PlexDG dg, PlexH5 *h, const PetscReal shapes[])
{
  const int      none = 0;
  const PetscInt one = 1, three = 3;
  char           name[128];

  PetscFunctionBegin;
  PetscCall(PlexVTKWriteMesh(dg, h, shapes));
  PetscCall(PlexH5Group(h, "VTKHDF/Steps"));
  PetscCall(PlexH5Group(h, "VTKHDF/Steps/PointDataOffsets"));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &none));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Steps/Values", PLEX_H5_DOUBLE, 0, 0, NULL, PETSC_TRUE));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Steps/NumberOfParts", PLEX_H5_INT64, 0, 0, NULL, PETSC_TRUE));
  for (int k = 0; k < 4; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/%s", PlexVTKOffsets[k]));
    PetscCall(PlexH5CreateArray(h, name, PLEX_H5_INT64, 0, k > 1, &one, PETSC_TRUE));
  }
  for (PetscInt k = 0; k < dg->system->Nf;) {
    PlexVTKField field;

    PlexVTKNextField(dg->system, &k, &field);
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", field.name));
    PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, 0, field.n > 1, &three, PETSC_TRUE));
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/PointDataOffsets/%s", field.name));
    PetscCall(PlexH5CreateArray(h, name, PLEX_H5_INT64, 0, 0, NULL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of a field at VTK's nodes: v[Ne][Np][1 or 3] of u[Ne][Nf][Np] */
static void PlexVTKEvaluate(PlexDG dg, const PlexVTKField *field, const PetscReal B[], const PetscScalar u[],
                            PetscReal v[])
{
  const PetscInt Np = dg->reference->Np, Nf = dg->system->Nf, width = field->n > 1 ? 3 : 1;

  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt c = 0; c < width; ++c) {
      const PetscScalar *values = &u[((size_t)e * Nf + field->first + c) * Np];

      for (PetscInt i = 0; i < Np; ++i) {
        PetscReal sum = 0.;

        for (PetscInt j = 0; c < field->n && j < Np; ++j) sum += B[i * Np + j] * PetscRealPart(values[j]);
        v[((size_t)e * Np + i) * width + c] = sum;
      }
    }
  }
}

/* State number `state` of the file, at time t */
static PetscErrorCode PlexVTKWriteState(PlexDG dg, PlexH5 *h, PetscInt64 state, PetscReal t, const PetscReal B[], Vec U)
{
  const PetscInt64   n  = (PetscInt64)dg->mesh->Ne * dg->reference->Np,
                     at = state * dg->mesh->NeGlobal * dg->reference->Np, none = 0, one = 1;
  const int          states = (int)state + 1;
  const PetscScalar *u;
  PetscReal         *values;
  char               name[128];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PetscMalloc1(3 * n, &values));
  for (PetscInt k = 0; k < dg->system->Nf;) {
    PlexVTKField field;

    PlexVTKNextField(dg->system, &k, &field);
    PlexVTKEvaluate(dg, &field, B, u, values);
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", field.name));
    PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, at, n, values));
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/PointDataOffsets/%s", field.name));
    PetscCall(PlexVTKWriteNumber(h, name, PLEX_H5_INT64, state, &at));
  }
  PetscCall(PetscFree(values));
  PetscCall(VecRestoreArrayRead(U, &u));
  for (int k = 0; k < 4; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/%s", PlexVTKOffsets[k]));
    PetscCall(PlexVTKWriteNumber(h, name, PLEX_H5_INT64, state, &none));
  }
  PetscCall(PlexVTKWriteNumber(h, "VTKHDF/Steps/NumberOfParts", PLEX_H5_INT64, state, &one));
  PetscCall(PlexVTKWriteNumber(h, "VTKHDF/Steps/Values", PLEX_H5_DOUBLE, state, &t));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &states));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGWriteVTKHDF - Writes a state to a file that ParaView (5.12 and newer) draws at its degree

  Collective

  Input Parameters:
+ dg     - the operator
. file   - name of the file, which ends in .vtkhdf
. append - add the state, as that of a later time, to those that the file has from the same operator; else the file is
           new
. t      - time
- U      - the state

  Options Database Key:
. -plex_dg_monitor_solution file[:n] - every so many steps of the `TS` that `PlexDGSetTS()` was given, and at the end

  Level: beginner

  Notes:
  A VTKHDF file of one unstructured grid of Lagrange cells, and as many states as there are. The mesh is written once.
  Fields have the names that the system gives them; <name>x, <name>y and <name>z make a vector <name>. VTK's nodes are
  equidistant, and the polynomials are evaluated there.

  All of it goes through the first process, in pieces. The order of the elements depends on the processes, the picture
  does not.

.seealso: `PlexDG`, `PlexDGMonitorSolution()`, `PlexDGSaveCheckpoint()`
@*/
PetscErrorCode PlexDGWriteVTKHDF(PlexDG dg, const char file[], PetscBool append, PetscReal t, Vec U)
{
  PlexDGReference R;
  PlexH5          h;
  PetscReal      *shapes, *B;
  PetscInt64      points;
  int             states = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckOneKind_Private(dg, "Output as VTKHDF, PlexDGWriteVTKHDF(),"));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  R = dg->reference;
  PetscCall(PetscMalloc2(R->Np * dg->mesh->nx, &shapes, R->Np * R->Np, &B));
  PetscCall(PlexVTKGetNodes(dg, shapes, B));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)dg), file, append ? PLEX_H5_CHANGE : PLEX_H5_CREATE, &h));
  if (append) {
    PetscCall(PlexH5GetNumbers(&h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &states));
    PetscCall(PlexH5GetRows(&h, "VTKHDF/Points", &points));
    PetscCheck(points == (PetscInt64)dg->mesh->NeGlobal * R->Np, h.comm, PETSC_ERR_FILE_UNEXPECTED,
               "File %s has %" PetscInt64_FMT " points, and the operator %" PetscInt_FMT " elements of %" PetscInt_FMT
               " nodes: states of one mesh and degree go to one file",
               file, points, dg->mesh->NeGlobal, R->Np);
  } else PetscCall(PlexVTKCreate(dg, &h, shapes));
  PetscCall(PlexVTKWriteState(dg, &h, states, t, B, U));
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscFree2(shapes, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
