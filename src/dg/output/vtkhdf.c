/*
  States as VTKHDF files of Lagrange cells, which ParaView draws at the degree that they have

    /VTKHDF                      attributes Version, Type
      Points                     [points][3]   each element has nodes of its own, as states jump between them; of each
                                 process those of triangles, then those of quadrilaterals
      Connectivity, Offsets, Types, NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
      PointData/<field>, Steps   src/io/vtksteps.c; vectors are [...][3]

  VTK's nodes are equidistant: a state's polynomials are evaluated there, which makes them the same polynomials on those
  nodes.
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

/* ---- Fields: those called <name>x, <name>y (, <name>z) next to each other are a vector */

/* Whether fields k and k + c have the same name but for their last letters, of which the second is `letter` */
static PetscBool PlexVTKComponent(PlexDGSystem system, PetscInt k, PetscInt c, char letter)
{
  const char  *first = system->fields[k], *other = k + c < system->Nf ? system->fields[k + c] : "";
  const size_t n = strlen(first);

  return (PetscBool)(n && strlen(other) == n && !strncmp(first, other, n - 1) && other[n - 1] == letter);
}

void PlexDGNextField_Private(PlexDGSystem system, PetscInt *k, PlexDGField *field)
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

/* The operators whose elements are in the file, each with the basis of the coordinates at VTK's nodes, shapes[Np][nx], and
   what takes a state there, B[Np][Np] */
typedef struct {
  PlexDG     whole, parts[2];
  PetscInt   n;
  PetscInt64 own, all; /* points of this process, and of all */
  PetscReal *shapes[2], *B[2];
} PlexVTKStates;

static PetscErrorCode PlexVTKStatesCreate(PlexDG dg, PlexVTKStates *s)
{
  PetscFunctionBegin;
  s->whole = dg;
  s->n     = PlexDGGetParts(dg, s->parts);
  s->own = s->all = 0;
  for (PetscInt k = 0; k < s->n; ++k) {
    PlexDGMesh      mesh = s->parts[k]->mesh;
    PlexDGReference R    = s->parts[k]->reference;
    PetscReal      *points;

    s->own += (PetscInt64)mesh->Ne * R->Np;
    s->all += (PetscInt64)mesh->NeGlobal * R->Np;
    PetscCall(PetscMalloc1(R->Np * mesh->nx, &s->shapes[k]));
    PetscCall(PetscMalloc1(R->Np * R->Np, &s->B[k]));
    PetscCall(PetscMalloc1(R->Np * R->dim, &points));
    PetscCall(PlexVTKGetPoints_Private(R->dim, R->tensor, R->N, points));
    PetscCall(PlexDGMeshTabulate(mesh, R->Np, points, s->shapes[k], NULL));
    PetscCall(PlexDGReferenceInterpolate(R, R->Np, points, s->B[k]));
    PetscCall(PetscFree(points));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVTKStatesDestroy(PlexVTKStates *s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->n; ++k) {
    PetscCall(PetscFree(s->shapes[k]));
    PetscCall(PetscFree(s->B[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells, with the points of all own elements */
static PetscErrorCode PlexVTKWriteMesh(const PlexVTKStates *s, PlexH5 *h)
{
  PlexVTKElements kinds[2];
  PetscReal      *x, *at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * s->own, &x));
  at = x;
  for (PetscInt k = 0; k < s->n; ++k) {
    PlexDGMesh     mesh = s->parts[k]->mesh;
    const PetscInt Np   = s->parts[k]->reference->Np;

    kinds[k] = (PlexVTKElements){mesh->tensor, mesh->Ne, Np};
    for (PetscInt e = 0; e < mesh->Ne; ++e)
      for (PetscInt i = 0; i < Np; ++i, at += 3) {
        at[2] = 0.;
        PetscCall(PlexDGMeshGetPosition(mesh, e, &s->shapes[k][i * mesh->nx], at));
      }
  }
  PetscCall(PlexVTKCreateCells_Private(h, s->parts[0]->mesh->dim, s->n, kinds, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file with the mesh and no states */
static PetscErrorCode PlexVTKCreate(const PlexVTKStates *s, PlexH5 *h)
{
  PlexDGSystem system = s->whole->system;

  PetscFunctionBegin;
  PetscCall(PlexVTKWriteMesh(s, h));
  PetscCall(PlexVTKCreateStates_Private(h));
  for (PetscInt k = 0; k < system->Nf;) {
    PlexDGField field;

    PlexDGNextField_Private(system, &k, &field);
    PetscCall(PlexVTKCreateField_Private(h, field.name, field.n > 1 ? 3 : 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of a field at VTK's nodes: v[Ne][Np][1 or 3] of u[Ne][Nf][Np] */
static void PlexVTKEvaluate(PlexDG dg, const PlexDGField *field, const PetscReal B[], const PetscScalar u[],
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
static PetscErrorCode PlexVTKWriteState(const PlexVTKStates *s, PlexH5 *h, PetscInt64 state, PetscReal t, Vec U)
{
  PlexDGSystem       system = s->whole->system;
  const PetscScalar *u;
  PetscReal         *values;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PetscMalloc1(3 * s->own, &values));
  for (PetscInt k = 0; k < system->Nf;) {
    PlexDGField field;
    PetscReal  *v = values;

    PlexDGNextField_Private(system, &k, &field);
    for (PetscInt p = 0; p < s->n; ++p) {
      PlexDG part = s->parts[p];

      PlexVTKEvaluate(part, &field, s->B[p], (const PetscScalar *)PlexDGPartsGetArray(s->parts, p, u, PETSC_FALSE), v);
      v += (size_t)part->mesh->Ne * part->reference->Np * (field.n > 1 ? 3 : 1);
    }
    PetscCall(PlexVTKWriteField_Private(h, field.name, state, s->all, s->own, values));
  }
  PetscCall(PetscFree(values));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexVTKEndState_Private(h, state, t));
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

  All but large arrays goes through the first process, in pieces; these, too, where HDF5 has no MPI-IO. The order of the
  elements depends on the processes, the picture does not.

.seealso: `PlexDG`, `PlexDGMonitorSolution()`, `PlexDGSaveCheckpoint()`
@*/
PetscErrorCode PlexDGWriteVTKHDF(PlexDG dg, const char file[], PetscBool append, PetscReal t, Vec U)
{
  PlexVTKStates s;
  PlexH5        h;
  PetscInt64    states = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexVTKStatesCreate(dg, &s));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)dg), file, append ? PLEX_H5_CHANGE : PLEX_H5_CREATE, &h));
  if (append) PetscCall(PlexVTKCountStates_Private(&h, s.all, "the operator's elements have", &states));
  else PetscCall(PlexVTKCreate(&s, &h));
  PetscCall(PlexVTKWriteState(&s, &h, states, t, U));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexVTKStatesDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
