/*
  Writes Lagrange fields at the mesh's vertices: FILE.h5 and FILE.xdmf, which ParaView and plot.py open.

    /geometry/vertices [vertices][dim]      /topology/cells [cells][corners]
    /field/NAME        [vertices] or [vertices][components], one for each field, and a name for each
    /cell/NAME         [cells], values that a program has computed for each cell

  Fields of higher order are sampled at the vertices.
*/
#ifndef PLEX_XDMF_H
#define PLEX_XDMF_H

#include <petscdmplex.h>
#include <petscsnes.h>
#include "viewerhdf5.h"

/* Coordinates of the vertices that this rank owns, [n][cdim] */
static inline PetscErrorCode XDMFGetCoordinates(DM dm, IS numbering, Vec *coordinates)
{
  PetscInt           vStart, vEnd, cdim, n = 0;
  PetscSection       section;
  Vec                local;
  const PetscInt    *number;
  const PetscScalar *x;
  PetscScalar       *out;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &local));
  PetscCall(ISGetIndices(numbering, &number));
  for (PetscInt v = vStart; v < vEnd; ++v)
    if (number[v - vStart] >= 0) ++n;
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)dm), n * cdim, PETSC_DETERMINE, coordinates));
  PetscCall(VecSetBlockSize(*coordinates, cdim));
  PetscCall(VecGetArrayRead(local, &x));
  PetscCall(VecGetArrayWrite(*coordinates, &out));
  for (PetscInt v = vStart, o = 0; v < vEnd; ++v) {
    PetscInt off;

    if (number[v - vStart] < 0) continue;
    PetscCall(PetscSectionGetOffset(section, v, &off));
    for (PetscInt d = 0; d < cdim; ++d) out[o++] = x[off + d];
  }
  PetscCall(VecRestoreArrayWrite(*coordinates, &out));
  PetscCall(VecRestoreArrayRead(local, &x));
  PetscCall(ISRestoreIndices(numbering, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Field f at the vertices that this rank owns, [n][Nc]; locX is a local vector with its boundary values */
static inline PetscErrorCode XDMFGetField(DM dm, Vec locX, PetscInt f, IS numbering, Vec *values)
{
  PetscInt           vStart, vEnd, Nc, n = 0;
  PetscSection       section;
  const PetscInt    *number;
  const PetscScalar *x;
  PetscScalar       *out;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetFieldComponents(section, f, &Nc));
  PetscCall(ISGetIndices(numbering, &number));
  for (PetscInt v = vStart; v < vEnd; ++v)
    if (number[v - vStart] >= 0) ++n;
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)dm), n * Nc, PETSC_DETERMINE, values));
  PetscCall(VecSetBlockSize(*values, Nc));
  PetscCall(VecGetArrayRead(locX, &x));
  PetscCall(VecGetArrayWrite(*values, &out));
  for (PetscInt v = vStart, o = 0; v < vEnd; ++v) {
    PetscInt off;

    if (number[v - vStart] < 0) continue;
    PetscCall(PetscSectionGetFieldOffset(section, v, f, &off));
    for (PetscInt c = 0; c < Nc; ++c) out[o++] = x[off + c];
  }
  PetscCall(VecRestoreArrayWrite(*values, &out));
  PetscCall(VecRestoreArrayRead(locX, &x));
  PetscCall(ISRestoreIndices(numbering, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global vertex numbers [cells][corners] in the order of VTK, and XDMF's name of the cell */
static inline PetscErrorCode XDMFGetCells(DM dm, IS numbering, IS *cells, const char **type)
{
  MPI_Comm        comm = PetscObjectComm((PetscObject)dm);
  PetscInt        cStart, cEnd, vStart, vEnd, corners, *idx;
  DMPolytopeType  ct = DM_POLYTOPE_TRIANGLE;
  const PetscInt *number;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  if (cEnd > cStart) PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  *type   = ct == DM_POLYTOPE_TRIANGLE      ? "Triangle"
          : ct == DM_POLYTOPE_QUADRILATERAL ? "Quadrilateral"
          : ct == DM_POLYTOPE_TETRAHEDRON   ? "Tetrahedron"
                                            : "Hexahedron";
  corners = DMPolytopeTypeGetNumVertices(ct);
  PetscCall(ISGetIndices(numbering, &number));
  PetscCall(PetscMalloc1((cEnd - cStart) * corners, &idx));
  for (PetscInt cell = cStart, o = 0; cell < cEnd; ++cell, o += corners) {
    PetscInt *closure = NULL, Ncl, k = 0;

    PetscCall(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &Ncl, &closure));
    for (PetscInt cl = 0; cl < Ncl; ++cl) {
      const PetscInt v = closure[2 * cl];

      if (v >= vStart && v < vEnd)
        idx[o + k++] = number[v - vStart] < 0 ? -(number[v - vStart] + 1) : number[v - vStart];
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &Ncl, &closure));
    PetscCall(DMPlexInvertCell(ct, &idx[o])); /* PETSc's corners of tetrahedra and hexahedra to VTK's */
  }
  PetscCall(ISRestoreIndices(numbering, &number));
  PetscCall(ISCreateGeneral(comm, (cEnd - cStart) * corners, idx, PETSC_OWN_POINTER, cells));
  PetscCall(ISSetBlockSize(*cells, corners));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The description that ParaView reads, from its beginning to the geometry */
static inline PetscErrorCode XDMFWriteHead(MPI_Comm comm, FILE *file, const char base[], const char type[], PetscInt Nv,
                                           PetscInt cdim, PetscInt Nc, PetscInt corners)
{
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(comm, file,
                         "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"%s\" "
                         "GridType=\"Uniform\">\n",
                         base));
  PetscCall(PetscFPrintf(comm, file, "      <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\">\n",
                         type, Nc));
  PetscCall(PetscFPrintf(comm, file,
                         "        <DataItem Dimensions=\"%" PetscInt_FMT " %" PetscInt_FMT
                         "\" NumberType=\"Int\" Precision=\"%d\" Format=\"HDF\">%s.h5:/topology/cells</DataItem>\n     "
                         " </Topology>\n",
                         Nc, corners, (int)sizeof(PetscInt), base));
  PetscCall(PetscFPrintf(comm, file, "      <Geometry GeometryType=\"%s\">\n", cdim == 2 ? "XY" : "XYZ"));
  PetscCall(PetscFPrintf(comm, file,
                         "        <DataItem Dimensions=\"%" PetscInt_FMT " %" PetscInt_FMT
                         "\" NumberType=\"Float\" Precision=\"%d\" "
                         "Format=\"HDF\">%s.h5:/geometry/vertices</DataItem>\n      </Geometry>\n",
                         Nv, cdim, (int)sizeof(PetscReal), base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One field of it, at vertices (group "field") or in cells (group "cell") */
static inline PetscErrorCode XDMFWriteAttribute(MPI_Comm comm, FILE *file, const char base[], const char group[],
                                                const char name[], Vec values)
{
  PetscInt  n, Nc;
  PetscBool cell;

  PetscFunctionBegin;
  PetscCall(VecGetSize(values, &n));
  PetscCall(VecGetBlockSize(values, &Nc));
  PetscCall(PetscStrcmp(group, "cell", &cell));
  PetscCall(PetscFPrintf(comm, file, "      <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n", name,
                         Nc == 1   ? "Scalar"
                         : Nc == 3 ? "Vector"
                                   : "Matrix",
                         cell ? "Cell" : "Node"));
  PetscCall(PetscFPrintf(comm, file,
                         "        <DataItem Dimensions=\"%" PetscInt_FMT " %" PetscInt_FMT
                         "\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">%s.h5:/%s/%s</DataItem>\n      "
                         "</Attribute>\n",
                         n / Nc, Nc, (int)sizeof(PetscReal), base, group, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode XDMFWriteGroup(PetscViewer viewer, const char group[], const char name[], PetscObject obj)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectSetName(obj, name));
  PetscCall(PetscViewerHDF5PushGroup(viewer, group));
  PetscCall(PetscObjectView(obj, viewer));
  PetscCall(PetscViewerHDF5PopGroup(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  XDMFWriteWithCells - writes the global vector X of dm to name.h5 and name.xdmf, and with it cells: a value for each
  cell of this rank, under the vector's name (NULL: none)

  A single field has the name of X, several have their own. The boundary values are those of the DM's essential boundary
  conditions.
*/
static inline PetscErrorCode XDMFWriteWithCells(DM dm, Vec X, const char name[], Vec cellwise)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)dm);
  char        path[PETSC_MAX_PATH_LEN], *base;
  const char *type = NULL, *fieldName;
  PetscInt    cdim, corners, Nv, Nc, Nf;
  IS          numbering, cells;
  Vec         locX, coordinates, values;
  PetscViewer viewer;
  FILE       *file;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(DMPlexGetVertexNumbering(dm, &numbering));
  PetscCall(XDMFGetCoordinates(dm, numbering, &coordinates));
  PetscCall(XDMFGetCells(dm, numbering, &cells, &type));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.h5", name));
  PetscCall(PetscViewerHDF5Open(comm, path, FILE_MODE_WRITE, &viewer));
  PetscCall(XDMFWriteGroup(viewer, "/geometry", "vertices", (PetscObject)coordinates));
  PetscCall(XDMFWriteGroup(viewer, "/topology", "cells", (PetscObject)cells));
  PetscCall(VecGetSize(coordinates, &Nv));
  PetscCall(VecGetBlockSize(coordinates, &cdim));
  PetscCall(ISGetSize(cells, &Nc));
  PetscCall(ISGetBlockSize(cells, &corners));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.xdmf", name));
  PetscCall(PetscStrrchr(name, '/', &base)); /* the two files lie beside each other */
  PetscCall(PetscFOpen(comm, path, "w", &file));
  PetscCall(XDMFWriteHead(comm, file, base, type, Nv / cdim, cdim, Nc / corners, corners));
  PetscCall(DMGetNumFields(dm, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscObject field = (PetscObject)X;

    if (Nf > 1) PetscCall(DMGetField(dm, f, NULL, &field));
    PetscCall(PetscObjectGetName(field, &fieldName));
    PetscCall(XDMFGetField(dm, locX, f, numbering, &values));
    PetscCall(XDMFWriteGroup(viewer, "/field", fieldName, (PetscObject)values));
    PetscCall(XDMFWriteAttribute(comm, file, base, "field", fieldName, values));
    PetscCall(VecDestroy(&values));
  }
  if (cellwise) {
    PetscCall(PetscObjectGetName((PetscObject)cellwise, &fieldName));
    PetscCall(XDMFWriteGroup(viewer, "/cell", fieldName, (PetscObject)cellwise));
    PetscCall(XDMFWriteAttribute(comm, file, base, "cell", fieldName, cellwise));
  }
  PetscCall(PetscFPrintf(comm, file, "    </Grid>\n  </Domain>\n</Xdmf>\n"));
  PetscCall(PetscFClose(comm, file));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscCall(ISDestroy(&cells));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same without values in cells */
static inline PetscErrorCode XDMFWrite(DM dm, Vec X, const char name[])
{
  PetscFunctionBegin;
  PetscCall(XDMFWriteWithCells(dm, X, name, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
