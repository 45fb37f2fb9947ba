/*
  The part of a VTKHDF file that all discretizations share: Lagrange cells whose nodes are their own, or
  linear cells between an element's nodes

    /VTKHDF                      attributes Version, Type
      Points                     [elements n][3]
      Connectivity, Offsets, Types, NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
      PointData                  a group
*/
#include "vtk.h"

#define PLEX_VTK_TRIANGLE               5
#define PLEX_VTK_QUADRILATERAL          9
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

/* m cells of a VTK type in each element, with the corners nodes[m][nv] of its n points */
static PetscErrorCode PlexVTKCreate(PlexH5 *h, unsigned char type, PetscInt Ne, PetscInt n, const PetscReal x[],
                                    PetscInt m, PetscInt nv, const PetscInt nodes[])
{
  const int         version[] = {2, 0};
  const char *const names[]   = {"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfCells", "VTKHDF/NumberOfConnectivityIds"};
  const PetscInt64  cells = (PetscInt64)Ne * m, own = cells * nv;
  PetscInt64        first = 0, all = Ne, total[3], *index;
  unsigned char    *types;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&all, &first, 1, MPIU_INT64, MPI_SUM, h->comm));
  if (!h->rank) first = 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, h->comm));
  total[0] = all * n;
  total[1] = all * m;
  total[2] = total[1] * nv;
  PetscCall(PlexH5Group(h, "VTKHDF"));
  PetscCall(PlexH5Group(h, "VTKHDF/PointData"));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF", "Version", PLEX_H5_INT, 2, version));
  PetscCall(PlexH5SetText(h, "VTKHDF", "Type", "UnstructuredGrid"));
  for (int k = 0; k < 3; ++k)
    PetscCall(PlexVTKWriteArray(h, names[k], PLEX_H5_INT64, 1, 1, h->rank ? 0 : 1, &total[k]));
  PetscCall(PetscMalloc2(PetscMax(own, 1), &index, cells, &types));
  for (PetscInt64 c = 0; c < cells; ++c) types[c] = type;
  for (PetscInt64 i = 0; i < own; ++i) index[i] = (first + i / (m * nv)) * n + nodes[i % (m * nv)];
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Points", PLEX_H5_DOUBLE, total[0], 3, (PetscInt64)Ne * n, x));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Types", PLEX_H5_UCHAR, total[1], 1, cells, types));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Connectivity", PLEX_H5_INT64, total[2], 1, own, index));
  /* behind the first offset, which is 0 */
  for (PetscInt64 c = 0; c < cells; ++c) index[c] = (first * m + c + 1) * nv;
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Offsets", PLEX_H5_INT64, total[1] + 1, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 1, cells, index));
  index[0] = 0;
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 0, h->rank ? 0 : 1, index));
  PetscCall(PetscFree2(index, types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *h, PetscInt dim, PetscBool tensor, PetscInt Ne, PetscInt n,
                                          const PetscReal x[])
{
  const unsigned char type = dim == 2 ? (tensor ? PLEX_VTK_LAGRANGE_QUADRILATERAL : PLEX_VTK_LAGRANGE_TRIANGLE)
                           : tensor   ? PLEX_VTK_LAGRANGE_HEXAHEDRON
                                      : PLEX_VTK_LAGRANGE_TETRAHEDRON;
  PetscInt           *nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &nodes));
  for (PetscInt i = 0; i < n; ++i) nodes[i] = i;
  PetscCall(PlexVTKCreate(h, type, Ne, n, x, 1, n, nodes));
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateParts_Private(PlexH5 *h, PetscBool tensor, PetscInt N, PetscInt Ne, const PetscReal x[])
{
  const PetscInt nv = tensor ? 4 : 3, n = tensor ? (N + 1) * (N + 1) : (N + 1) * (N + 2) / 2;
  PetscInt      *nodes, m               = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(N * N * nv, &nodes));
  for (PetscInt b = 0, row = 0; b < N; row += tensor ? N + 1 : N + 1 - b, ++b) {
    const PetscInt next = row + (tensor ? N + 1 : N + 1 - b); /* where row b + 1 begins */

    for (PetscInt a = 0; a < (tensor ? N : N - b); ++a) {
      const PetscInt quadrilateral[] = {row + a, row + a + 1, next + a + 1, next + a},
                     other[]         = {row + a + 1, next + a + 1, next + a};

      PetscCall(PetscArraycpy(&nodes[nv * m++], quadrilateral, nv));
      if (tensor) continue;
      nodes[nv * m - 1] = next + a; /* the triangle at its lower left */
      if (a < N - b - 1) PetscCall(PetscArraycpy(&nodes[nv * m++], other, nv));
    }
  }
  PetscCall(PlexVTKCreate(h, tensor ? PLEX_VTK_QUADRILATERAL : PLEX_VTK_TRIANGLE, Ne, n, x, m, nv, nodes));
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
