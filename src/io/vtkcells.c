/*
  The part of a VTKHDF file that all discretizations share: Lagrange cells whose nodes are their own

    /VTKHDF                      attributes Version, Type
      Points                     [cells n][3]
      Connectivity, Offsets, Types, NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
      PointData                  a group
*/
#include "vtk.h"

#define PLEX_VTK_LAGRANGE_TRIANGLE      69
#define PLEX_VTK_LAGRANGE_QUADRILATERAL 70
#define PLEX_VTK_LAGRANGE_TETRAHEDRON   71
#define PLEX_VTK_LAGRANGE_HEXAHEDRON    72

static PetscErrorCode PlexVTKWriteArray(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 all, PetscInt width,
                                        PetscInt64 own, const void *values)
{
  PetscFunctionBegin;
  PetscCall(PlexH5CreateArray(h, name, type, all, width > 1, &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, type, 0, own, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *h, PetscInt dim, PetscBool tensor, PetscInt Ne, PetscInt n,
                                          const PetscReal x[])
{
  const int         version[] = {2, 0};
  const char *const names[]   = {"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfConnectivityIds", "VTKHDF/NumberOfCells"};
  const PetscInt64  own       = (PetscInt64)Ne * n;
  PetscInt64        first = 0, cells = Ne, points, *index;
  unsigned char    *types;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&cells, &first, 1, MPIU_INT64, MPI_SUM, h->comm));
  if (!h->rank) first = 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &cells, 1, MPIU_INT64, MPI_SUM, h->comm));
  points = cells * n;
  PetscCall(PlexH5Group(h, "VTKHDF"));
  PetscCall(PlexH5Group(h, "VTKHDF/PointData"));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF", "Version", PLEX_H5_INT, 2, version));
  PetscCall(PlexH5SetText(h, "VTKHDF", "Type", "UnstructuredGrid"));
  for (int k = 0; k < 3; ++k)
    PetscCall(PlexVTKWriteArray(h, names[k], PLEX_H5_INT64, 1, 1, h->rank ? 0 : 1, k < 2 ? &points : &cells));
  PetscCall(PetscMalloc2(PetscMax(own, Ne), &index, Ne, &types));
  for (PetscInt e = 0; e < Ne; ++e)
    types[e] = dim == 2 ? (tensor ? PLEX_VTK_LAGRANGE_QUADRILATERAL : PLEX_VTK_LAGRANGE_TRIANGLE)
             : tensor   ? PLEX_VTK_LAGRANGE_HEXAHEDRON
                        : PLEX_VTK_LAGRANGE_TETRAHEDRON;
  for (PetscInt64 i = 0; i < own; ++i) index[i] = first * n + i;
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Points", PLEX_H5_DOUBLE, points, 3, own, x));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Types", PLEX_H5_UCHAR, cells, 1, Ne, types));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Connectivity", PLEX_H5_INT64, points, 1, own, index));
  for (PetscInt e = 0; e < Ne; ++e) index[e] = (first + e + 1) * n; /* behind the first offset, which is 0 */
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Offsets", PLEX_H5_INT64, cells + 1, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 1, Ne, index));
  index[0] = 0;
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 0, h->rank ? 0 : 1, index));
  PetscCall(PetscFree2(index, types));
  PetscFunctionReturn(PETSC_SUCCESS);
}
