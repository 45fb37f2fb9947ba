/*
  Writes a scalar Lagrange field at the mesh's vertices: FILE.h5 and FILE.xdmf, which ParaView opens.

    /geometry/vertices [vertices][dim]      /topology/cells [cells][corners]      /field/u [vertices]

  Fields of higher order are sampled at the vertices.
*/
#ifndef PLEX_XDMF_H
#define PLEX_XDMF_H

#include <petscdmplex.h>
#include <petscsnes.h>
#include <petscviewerhdf5.h>

/* Vertices that this rank owns: coordinates[n][cdim] and values[n]; locX is a local vector with its boundary values */
static inline PetscErrorCode XDMFGetVertexData(DM dm, Vec locX, IS numbering, Vec *coordinates, Vec *values)
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)dm);
  PetscInt           vStart, vEnd, cdim, n = 0;
  PetscSection       section, csection;
  Vec                locC;
  const PetscInt    *number;
  const PetscScalar *x, *c;
  PetscScalar       *xo, *co;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMGetCoordinateSection(dm, &csection));
  PetscCall(DMGetCoordinatesLocal(dm, &locC));
  PetscCall(ISGetIndices(numbering, &number));
  for (PetscInt v = vStart; v < vEnd; ++v)
    if (number[v - vStart] >= 0) ++n;
  PetscCall(VecCreateMPI(comm, n * cdim, PETSC_DETERMINE, coordinates));
  PetscCall(VecSetBlockSize(*coordinates, cdim));
  PetscCall(VecCreateMPI(comm, n, PETSC_DETERMINE, values));
  PetscCall(VecGetArrayRead(locX, &x));
  PetscCall(VecGetArrayRead(locC, &c));
  PetscCall(VecGetArrayWrite(*coordinates, &co));
  PetscCall(VecGetArrayWrite(*values, &xo));
  for (PetscInt v = vStart, o = 0; v < vEnd; ++v) {
    PetscInt off, coff;

    if (number[v - vStart] < 0) continue;
    PetscCall(PetscSectionGetOffset(section, v, &off));
    PetscCall(PetscSectionGetOffset(csection, v, &coff));
    for (PetscInt d = 0; d < cdim; ++d) co[o * cdim + d] = c[coff + d];
    xo[o++] = x[off];
  }
  PetscCall(VecRestoreArrayWrite(*values, &xo));
  PetscCall(VecRestoreArrayWrite(*coordinates, &co));
  PetscCall(VecRestoreArrayRead(locC, &c));
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
  *type   = ct == DM_POLYTOPE_TRIANGLE ? "Triangle" : ct == DM_POLYTOPE_QUADRILATERAL ? "Quadrilateral" : ct == DM_POLYTOPE_TETRAHEDRON ? "Tetrahedron" : "Hexahedron";
  corners = DMPolytopeTypeGetNumVertices(ct);
  PetscCall(ISGetIndices(numbering, &number));
  PetscCall(PetscMalloc1((cEnd - cStart) * corners, &idx));
  for (PetscInt cell = cStart, o = 0; cell < cEnd; ++cell, o += corners) {
    PetscInt *closure = NULL, Ncl, k = 0;

    PetscCall(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &Ncl, &closure));
    for (PetscInt cl = 0; cl < Ncl; ++cl) {
      const PetscInt v = closure[2 * cl];

      if (v >= vStart && v < vEnd) idx[o + k++] = number[v - vStart] < 0 ? -(number[v - vStart] + 1) : number[v - vStart];
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &Ncl, &closure));
    PetscCall(DMPlexInvertCell(ct, &idx[o])); /* PETSc's corners of tetrahedra and hexahedra to VTK's */
  }
  PetscCall(ISRestoreIndices(numbering, &number));
  PetscCall(ISCreateGeneral(comm, (cEnd - cStart) * corners, idx, PETSC_OWN_POINTER, cells));
  PetscCall(ISSetBlockSize(*cells, corners));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The description that ParaView reads: which dataset of name.h5 is what */
static inline PetscErrorCode XDMFWriteDescription(MPI_Comm comm, const char name[], const char type[], PetscInt Nv, PetscInt cdim, PetscInt Nc, PetscInt corners)
{
  char  path[PETSC_MAX_PATH_LEN], *base;
  FILE *file;

  PetscFunctionBegin;
  PetscCall(PetscStrrchr(name, '/', &base)); /* the two files lie beside each other */
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.xdmf", name));
  PetscCall(PetscFOpen(comm, path, "w", &file));
  PetscCall(PetscFPrintf(comm, file, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"%s\" GridType=\"Uniform\">\n", base));
  PetscCall(PetscFPrintf(comm, file, "      <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\">\n", type, Nc));
  PetscCall(PetscFPrintf(comm, file, "        <DataItem Dimensions=\"%" PetscInt_FMT " %" PetscInt_FMT "\" NumberType=\"Int\" Precision=\"%d\" Format=\"HDF\">%s.h5:/topology/cells</DataItem>\n      </Topology>\n", Nc, corners, (int)sizeof(PetscInt), base));
  PetscCall(PetscFPrintf(comm, file, "      <Geometry GeometryType=\"%s\">\n", cdim == 2 ? "XY" : "XYZ"));
  PetscCall(PetscFPrintf(comm, file, "        <DataItem Dimensions=\"%" PetscInt_FMT " %" PetscInt_FMT "\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">%s.h5:/geometry/vertices</DataItem>\n      </Geometry>\n", Nv, cdim, (int)sizeof(PetscReal), base));
  PetscCall(PetscFPrintf(comm, file, "      <Attribute Name=\"u\" AttributeType=\"Scalar\" Center=\"Node\">\n"));
  PetscCall(PetscFPrintf(comm, file, "        <DataItem Dimensions=\"%" PetscInt_FMT "\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">%s.h5:/field/u</DataItem>\n      </Attribute>\n", Nv, (int)sizeof(PetscReal), base));
  PetscCall(PetscFPrintf(comm, file, "    </Grid>\n  </Domain>\n</Xdmf>\n"));
  PetscCall(PetscFClose(comm, file));
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
  XDMFWrite - writes the global vector X of dm, a scalar field, to name.h5 and name.xdmf

  The field's boundary values are those of the DM's essential boundary conditions.
*/
static inline PetscErrorCode XDMFWrite(DM dm, Vec X, const char name[])
{
  char        path[PETSC_MAX_PATH_LEN];
  const char *type = NULL;
  PetscInt    cdim, corners, Nv, Nc;
  IS          numbering, cells;
  Vec         locX, coordinates, values;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(DMPlexGetVertexNumbering(dm, &numbering));
  PetscCall(XDMFGetVertexData(dm, locX, numbering, &coordinates, &values));
  PetscCall(XDMFGetCells(dm, numbering, &cells, &type));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.h5", name));
  PetscCall(PetscViewerHDF5Open(PetscObjectComm((PetscObject)dm), path, FILE_MODE_WRITE, &viewer));
  PetscCall(XDMFWriteGroup(viewer, "/geometry", "vertices", (PetscObject)coordinates));
  PetscCall(XDMFWriteGroup(viewer, "/topology", "cells", (PetscObject)cells));
  PetscCall(XDMFWriteGroup(viewer, "/field", "u", (PetscObject)values));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecGetSize(values, &Nv));
  PetscCall(VecGetBlockSize(coordinates, &cdim));
  PetscCall(ISGetSize(cells, &Nc));
  PetscCall(ISGetBlockSize(cells, &corners));
  PetscCall(XDMFWriteDescription(PetscObjectComm((PetscObject)dm), name, type, Nv, cdim, Nc / corners, corners));
  PetscCall(ISDestroy(&cells));
  PetscCall(VecDestroy(&coordinates));
  PetscCall(VecDestroy(&values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
