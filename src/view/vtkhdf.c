/*
  Fields of a DMPLEX as VTKHDF files of Lagrange cells, which ParaView draws at the degree that they have

    /VTKHDF                      the cells: src/io/vtkcells.c. Their degree N is the highest of fields and coordinates
      PointData/<field>, Steps   src/io/vtksteps.c

  Where all fields are continuous, cells share points: these are the nodes of a scalar Lagrange space of degree N with
  equidistant nodes, whose dofs PETSc numbers, each on the process that owns it. VTK's node i of a cell is the dof of its
  closure that has the same position in the reference cell. Where fields jump, or coordinates do, as in periodic meshes,
  each cell has points of its own. Polynomials are evaluated at the points, which makes them the same polynomials there.
*/
#include <plexgpuview.h> /*I "plexgpuview.h" I*/
#include "../dm/elementsimpl.h"
#include "../io/vtk.h"
#include "fesampler.h"
#include "viewimpl.h"

/* A file's points */
typedef struct {
  PlexFESampler sampler;
  PetscInt      N, n;            /* degree; nodes of a cell */
  PetscInt64   *points;          /* [Ne][n] their numbers among all; NULL: each cell has its own */
  PetscInt64    first, own, all; /* points of the processes before, of this one, of all */
} PlexVTKFields;

/* dofs[n]: of VTK's nodes points[n][dim], which functional of the dual space has that position */
static PetscErrorCode PlexVTKMatchNodes(PetscDualSpace dual, PetscInt dim, PetscInt n, const PetscReal points[],
                                        PetscInt dofs[])
{
  PetscInt found = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal xi[3];

    PetscCall(PlexDualSpaceGetNode(dual, k, dim, xi));
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal distance = 0.;

      for (PetscInt d = 0; d < dim; ++d) distance = PetscMax(distance, PetscAbsReal(points[i * dim + d] - xi[d]));
      if (distance > 1e-6) continue; /* nodes are 2/N apart */
      dofs[i] = k;
      ++found;
    }
  }
  PetscCheck(found == n, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " of %" PetscInt_FMT " nodes are PETSc's too", found, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scalar Lagrange elements of degree N with equidistant nodes */
static PetscErrorCode PlexVTKCreateFE(PlexFESampler s, PetscInt N, PetscFE *fe)
{
  PetscFE         usual;
  PetscSpace      space;
  PetscDualSpace  dual, usualDual;
  PetscQuadrature q, fq;
  DM              cell;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, s->dim, 1, s->cell, N, PETSC_DETERMINE, &usual));
  PetscCall(PetscFEGetBasisSpace(usual, &space));
  PetscCall(PetscFEGetDualSpace(usual, &usualDual));
  PetscCall(PetscFEGetQuadrature(usual, &q));
  PetscCall(PetscFEGetFaceQuadrature(usual, &fq));
  PetscCall(PetscDualSpaceGetDM(usualDual, &cell));
  PetscCall(PetscDualSpaceCreate(PETSC_COMM_SELF, &dual));
  PetscCall(PetscDualSpaceSetType(dual, PETSCDUALSPACELAGRANGE));
  PetscCall(PetscDualSpaceSetDM(dual, cell));
  PetscCall(PetscDualSpaceSetNumComponents(dual, 1));
  PetscCall(PetscDualSpaceSetOrder(dual, N));
  PetscCall(PetscDualSpaceLagrangeSetTensor(dual, s->tensor));
  PetscCall(PetscDualSpaceLagrangeSetNodeType(dual, PETSCDTNODES_EQUISPACED, PETSC_TRUE, 0.));
  PetscCall(PetscDualSpaceSetUp(dual));
  /* each of them is taken over */
  PetscCall(PetscObjectReference((PetscObject)space));
  PetscCall(PetscObjectReference((PetscObject)q));
  PetscCall(PetscObjectReference((PetscObject)fq));
  PetscCall(PetscFECreateFromSpaces(space, dual, q, fq, fe));
  PetscCall(PetscFEDestroy(&usual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the points that cells share */
static PetscErrorCode PlexVTKSharePoints(PlexVTKFields *v, const PetscReal points[])
{
  PlexFESampler  s = v->sampler;
  PetscFE        fe;
  PetscDualSpace dual;
  PetscSection   local, global;
  Vec            numbers;
  PetscInt      *dofs, first, own, all;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(PlexVTKCreateFE(s, v->N, &fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscMalloc1(v->n, &dofs));
  PetscCall(PlexVTKMatchNodes(dual, s->dim, v->n, points, dofs));
  PetscCall(DMClone(s->dm, &dm));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetLocalSection(dm, &local));
  PetscCall(DMGetGlobalSection(dm, &global));
  PetscCall(DMCreateGlobalVector(dm, &numbers));
  PetscCall(VecGetSize(numbers, &all));
  PetscCall(VecGetLocalSize(numbers, &own));
  PetscCall(VecGetOwnershipRange(numbers, &first, NULL));
  PetscCall(VecDestroy(&numbers));
  v->first = first;
  v->own   = own;
  v->all   = all;
  PetscCall(PetscMalloc1((size_t)s->Ne * v->n, &v->points));
  for (PetscInt e = 0; e < s->Ne; ++e) {
    PetscInt *index, n;

    PetscCall(DMPlexGetClosureIndices(dm, local, global, s->cells[e], PETSC_TRUE, &n, &index, NULL, NULL));
    PetscCheck(n == v->n, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Cell %" PetscInt_FMT " has %" PetscInt_FMT " dofs, not %" PetscInt_FMT, s->cells[e], n, v->n);
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt at = index[dofs[i]];

      v->points[(size_t)e * n + i] = at < 0 ? -(at + 1) : at;
    }
    PetscCall(DMPlexRestoreClosureIndices(dm, local, global, s->cells[e], PETSC_TRUE, &n, &index, NULL, NULL));
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(PetscFree(dofs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVTKFieldsCreate(DM dm, Vec u, PetscReal t, PlexVTKFields *v)
{
  PlexFESampler s;
  PetscReal    *points;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(v, sizeof(*v)));
  PetscCall(PlexFESamplerCreate_Private(dm, u, t, &v->sampler));
  s    = v->sampler;
  v->N = PetscMax(1, s->coordinateDegree);
  for (PetscInt f = 0; f < s->Nf; ++f) v->N = PetscMax(v->N, s->degree[f]);
  v->n = 1;
  for (PetscInt d = 0; d < s->dim && s->tensor; ++d) v->n *= v->N + 1;
  if (!s->tensor) v->n = PlexVTKSize_Private(s->dim, v->N);
  PetscCall(PetscMalloc1(v->n * s->dim, &points));
  PetscCall(PlexVTKGetPoints_Private(s->dim, s->tensor, v->N, points));
  PetscCall(PlexFESamplerTabulate_Private(s, v->n, points));
  if (s->continuous) PetscCall(PlexVTKSharePoints(v, points));
  else {
    v->own = (PetscInt64)s->Ne * v->n;
    PetscCallMPI(MPIU_Allreduce(&v->own, &v->all, 1, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)dm)));
  }
  PetscCall(PetscFree(points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVTKFieldsDestroy(PlexVTKFields *v)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(v->points));
  PetscCall(PlexFESamplerDestroy_Private(&v->sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts nc numbers of each of a cell's points, from[n][nc], to those of this process, to[own][width] */
static void PlexVTKPut(const PlexVTKFields *v, PetscInt e, PetscInt nc, const PetscReal from[], PetscInt width,
                       PetscReal to[])
{
  for (PetscInt i = 0; i < v->n; ++i) {
    const size_t     k  = (size_t)e * v->n + i;
    const PetscInt64 at = v->points ? v->points[k] - v->first : (PetscInt64)k;

    if (at < 0 || at >= v->own) continue; /* another process has it */
    for (PetscInt c = 0; c < nc; ++c) to[at * width + c] = from[i * nc + c];
  }
}

static PetscErrorCode PlexVTKWriteCells(const PlexVTKFields *v, PlexH5 *h)
{
  PlexFESampler         s    = v->sampler;
  const PlexVTKElements kind = {s->tensor, s->Ne, v->n};
  PetscReal            *x, *cell;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(3 * (size_t)v->own, &x, 3 * v->n, &cell));
  for (PetscInt e = 0; e < s->Ne; ++e) {
    PetscCall(PlexFESamplerGetPositions_Private(s, e, cell));
    PlexVTKPut(v, e, 3, cell, 3, x);
  }
  if (v->points) PetscCall(PlexVTKCreateShared_Private(h, s->dim, &kind, v->points, v->own, x));
  else PetscCall(PlexVTKCreateCells_Private(h, s->dim, 1, &kind, x));
  PetscCall(PetscFree2(x, cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of a point in the file: vectors in the plane get a third one, 0 */
static PetscInt PlexVTKWidth(PlexFESampler s, PetscInt f)
{
  return s->Nc[f] == 2 && s->cdim == 2 ? 3 : s->Nc[f];
}

#define PLEX_VTK_PARTS (PetscDefined(USE_COMPLEX) ? 2 : 1) /* real, imaginary */

static PetscErrorCode PlexVTKName(PlexFESampler s, PetscInt f, PetscInt part, char name[80])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, 80, "%s%s", s->names[f], part ? "_imaginary" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVTKWriteFields(const PlexVTKFields *v, PlexH5 *h, PetscInt64 state, PetscReal t)
{
  PlexFESampler s = v->sampler;
  char          name[80];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < s->Nf; ++f) {
    const PetscInt width = PlexVTKWidth(s, f);
    PetscReal     *values, *cell;

    PetscCall(PetscCalloc2((size_t)v->own * width, &values, v->n * s->Nc[f], &cell));
    for (PetscInt part = 0; part < PLEX_VTK_PARTS; ++part) {
      for (PetscInt e = 0; e < s->Ne; ++e) {
        PetscCall(PlexFESamplerGetValues_Private(s, e, f, (PetscBool)(part > 0), cell));
        PlexVTKPut(v, e, s->Nc[f], cell, width, values);
      }
      PetscCall(PlexVTKName(s, f, part, name));
      PetscCall(PlexVTKWriteField_Private(h, name, state, v->all, v->own, values));
    }
    PetscCall(PetscFree2(values, cell));
  }
  PetscCall(PlexVTKEndState_Private(h, state, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWriteVTKHDF_Private(DM dm, Vec u, const char file[], PetscBool append, PetscReal boundary,
                                       PetscReal t)
{
  PlexVTKFields v;
  PlexH5        h;
  PetscInt64    states = 0;
  char          name[80];

  PetscFunctionBegin;
  PetscCall(PlexVTKFieldsCreate(dm, u, boundary, &v));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)dm), file, append ? PLEX_H5_CHANGE : PLEX_H5_CREATE, &h));
  if (append) PetscCall(PlexVTKCountStates_Private(&h, v.all, "the fields have", &states));
  else {
    PetscCall(PlexVTKWriteCells(&v, &h));
    PetscCall(PlexVTKCreateStates_Private(&h));
    for (PetscInt f = 0; f < v.sampler->Nf; ++f)
      for (PetscInt part = 0; part < PLEX_VTK_PARTS; ++part) {
        PetscCall(PlexVTKName(v.sampler, f, part, name));
        PetscCall(PlexVTKCreateField_Private(&h, name, PlexVTKWidth(v.sampler, f)));
      }
  }
  PetscCall(PlexVTKWriteFields(&v, &h, states, t));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexVTKFieldsDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexVecWriteVTKHDF - Writes finite element fields to a file that ParaView (5.12 and newer) draws at their degree

  Collective

  Input Parameters:
+ u      - a global vector of a `DM` of type `DMPLEX`, whose fields have Lagrange elements
. file   - name of the file, which ends in .vtkhdf
. append - add the state, as that of a later time, to those that the file has of the same `DM`; else the file is new
- t      - time, which essential conditions get, too

  Options Database Key:
. -plex_assembly_monitor_solution file[:n] - of a `TS`, every so many steps and at the end; of a `SNES`, after each solve

  Level: beginner

  Notes:
  A VTKHDF file of one unstructured grid of Lagrange cells, triangles, quadrilaterals, tetrahedra or hexahedra, whose
  degree is the highest of fields and coordinates, and as many states as there are. The mesh is written once. Fields have
  the names of their discretizations, `PetscObjectSetName()`, and as many components; vectors in the plane get a third
  one, 0. Imaginary parts of complex fields are fields <name>_imaginary.

  Cells share points where all fields are continuous; else, or in a periodic mesh, each has its own. VTK's nodes are
  equidistant, and the polynomials are evaluated there, on the host: of a vector on a GPU all values are copied.

  All but large arrays goes through the first process, in pieces; these, too, where HDF5 has no MPI-IO.

.seealso: `PlexTSMonitorSolution()`, `PlexImageWrite()`, `PlexDGWriteVTKHDF()`, `PlexHDGWriteVTKHDF()`
@*/
PetscErrorCode PlexVecWriteVTKHDF(Vec u, const char file[], PetscBool append, PetscReal t)
{
  DM dm;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(u, VEC_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscCall(VecGetDM(u, &dm));
  PetscCheck(dm, PetscObjectComm((PetscObject)u), PETSC_ERR_ARG_WRONG,
             "The vector has no DM: it has to be one of DMCreateGlobalVector(), or VecSetDM() gives it one");
  PetscCall(PlexWriteVTKHDF_Private(dm, u, file, append, t, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
