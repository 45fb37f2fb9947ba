/*
  The part of a VTKHDF file that all discretizations share: Lagrange cells whose nodes are their own or shared, or
  linear cells between an element's nodes

    /VTKHDF                      attributes Version, Type
      Points                     [points][3]
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

/* m cells of a VTK type in each of Ne elements, with the corners nodes[m][nv] of its n points; shared[Ne][n]: numbers of
   these, NULL where each element has its own */
typedef struct {
  unsigned char     type;
  PetscInt          Ne, n, m, nv;
  PetscInt         *nodes;
  const PetscInt64 *shared;
} PlexVTKCells;

enum {
  POINTS,
  CELLS,
  IDS
};

/* Points, cells and numbers in the connectivity: of this process, of those before it, of all. shared: points of this
   process; -1: each element has its own */
static PetscErrorCode PlexVTKCount(MPI_Comm comm, PetscInt n, const PlexVTKCells kinds[], PetscInt64 shared,
                                   PetscInt64 own[3], PetscInt64 first[3], PetscInt64 total[3])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) own[k] = first[k] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    own[POINTS] += (PetscInt64)kinds[k].Ne * kinds[k].n;
    own[CELLS] += (PetscInt64)kinds[k].Ne * kinds[k].m;
    own[IDS] += (PetscInt64)kinds[k].Ne * kinds[k].m * kinds[k].nv;
  }
  if (shared >= 0) own[POINTS] = shared;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Exscan(own, first, 3, MPIU_INT64, MPI_SUM, comm));
  for (int k = 0; k < 3 && !rank; ++k) first[k] = 0;
  PetscCallMPI(MPIU_Allreduce(own, total, 3, MPIU_INT64, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of this process: types, points, and the end of each among these numbers. first: that of points and of these
   numbers of the processes before */
static void PlexVTKList(PetscInt n, const PlexVTKCells kinds[], const PetscInt64 first[3], unsigned char types[],
                        PetscInt64 index[], PetscInt64 ends[])
{
  PetscInt64 point = first[POINTS], end = 0, cell = 0;

  for (PetscInt k = 0; k < n; ++k) {
    const PlexVTKCells *c = &kinds[k];

    for (PetscInt e = 0; e < c->Ne; ++e, point += c->n)
      for (PetscInt i = 0; i < c->m; ++i, ++cell) {
        types[cell] = c->type;
        for (PetscInt v = 0; v < c->nv; ++v) {
          const PetscInt node = c->nodes[i * c->nv + v];

          index[end++] = c->shared ? c->shared[(size_t)e * c->n + node] : point + node;
        }
        ends[cell] = first[IDS] + end;
      }
  }
}

static PetscErrorCode PlexVTKCreate(PlexH5 *h, PetscInt n, const PlexVTKCells kinds[], PetscInt64 shared,
                                    const PetscReal x[])
{
  const int         version[] = {2, 0};
  const char *const names[]   = {"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfCells", "VTKHDF/NumberOfConnectivityIds"};
  const PetscInt64  none      = 0;
  PetscInt64        own[3], first[3], total[3], *index, *ends;
  unsigned char    *types;

  PetscFunctionBegin;
  PetscCall(PlexVTKCount(h->comm, n, kinds, shared, own, first, total));
  PetscCall(PlexH5Group(h, "VTKHDF"));
  PetscCall(PlexH5Group(h, "VTKHDF/PointData"));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF", "Version", PLEX_H5_INT, 2, version));
  PetscCall(PlexH5SetText(h, "VTKHDF", "Type", "UnstructuredGrid"));
  for (int k = 0; k < 3; ++k)
    PetscCall(PlexVTKWriteArray(h, names[k], PLEX_H5_INT64, 1, 1, h->rank ? 0 : 1, &total[k]));
  PetscCall(PetscMalloc3(own[IDS], &index, own[CELLS], &ends, own[CELLS], &types));
  PlexVTKList(n, kinds, first, types, index, ends);
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Points", PLEX_H5_DOUBLE, total[POINTS], 3, own[POINTS], x));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Types", PLEX_H5_UCHAR, total[CELLS], 1, own[CELLS], types));
  PetscCall(PlexVTKWriteArray(h, "VTKHDF/Connectivity", PLEX_H5_INT64, total[IDS], 1, own[IDS], index));
  /* behind the first offset, which is 0 */
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Offsets", PLEX_H5_INT64, total[CELLS] + 1, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 1, own[CELLS], ends));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", PLEX_H5_INT64, 0, h->rank ? 0 : 1, &none));
  PetscCall(PetscFree3(index, ends, types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVTKCreateLagrange(PlexH5 *h, PetscInt dim, PetscInt nkinds, const PlexVTKElements kinds[],
                                            const PetscInt64 points[], PetscInt64 shared, const PetscReal x[])
{
  PlexVTKCells *cells;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nkinds, &cells));
  for (PetscInt k = 0; k < nkinds; ++k) {
    PlexVTKCells *c = &cells[k];

    *c      = (PlexVTKCells){.Ne = kinds[k].Ne, .n = kinds[k].n, .m = 1, .nv = kinds[k].n, .shared = points};
    c->type = dim == 2        ? (kinds[k].tensor ? PLEX_VTK_LAGRANGE_QUADRILATERAL : PLEX_VTK_LAGRANGE_TRIANGLE)
            : kinds[k].tensor ? PLEX_VTK_LAGRANGE_HEXAHEDRON
                              : PLEX_VTK_LAGRANGE_TETRAHEDRON;
    PetscCall(PetscMalloc1(c->n, &c->nodes));
    for (PetscInt i = 0; i < c->n; ++i) c->nodes[i] = i;
  }
  PetscCall(PlexVTKCreate(h, nkinds, cells, shared, x));
  for (PetscInt k = 0; k < nkinds; ++k) PetscCall(PetscFree(cells[k].nodes));
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *h, PetscInt dim, PetscInt nkinds, const PlexVTKElements kinds[],
                                          const PetscReal x[])
{
  PetscFunctionBegin;
  PetscCall(PlexVTKCreateLagrange(h, dim, nkinds, kinds, NULL, -1, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateShared_Private(PlexH5 *h, PetscInt dim, const PlexVTKElements *kind,
                                           const PetscInt64 points[], PetscInt64 npoints, const PetscReal x[])
{
  PetscFunctionBegin;
  PetscCall(PlexVTKCreateLagrange(h, dim, 1, kind, points, npoints, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells between the nodes of an element of degree N */
static PetscErrorCode PlexVTKDivide(PetscBool tensor, PetscInt N, PlexVTKCells *c)
{
  const PetscInt nv = tensor ? 4 : 3;

  PetscFunctionBegin;
  c->type = tensor ? PLEX_VTK_QUADRILATERAL : PLEX_VTK_TRIANGLE;
  c->nv   = nv;
  c->m    = 0;
  PetscCall(PetscMalloc1(N * N * nv, &c->nodes));
  for (PetscInt b = 0, row = 0; b < N; row += tensor ? N + 1 : N + 1 - b, ++b) {
    const PetscInt next = row + (tensor ? N + 1 : N + 1 - b); /* where row b + 1 begins */

    for (PetscInt a = 0; a < (tensor ? N : N - b); ++a) {
      const PetscInt quadrilateral[] = {row + a, row + a + 1, next + a + 1, next + a},
                     other[]         = {row + a + 1, next + a + 1, next + a};

      PetscCall(PetscArraycpy(&c->nodes[nv * c->m++], quadrilateral, nv));
      if (tensor) continue;
      c->nodes[nv * c->m - 1] = next + a; /* the triangle at its lower left */
      if (a < N - b - 1) PetscCall(PetscArraycpy(&c->nodes[nv * c->m++], other, nv));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateParts_Private(PlexH5 *h, PetscInt N, PetscInt nkinds, const PlexVTKElements kinds[],
                                          const PetscReal x[])
{
  PlexVTKCells cells[2] = {{0}};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nkinds; ++k) {
    cells[k] = (PlexVTKCells){.Ne = kinds[k].Ne, .n = kinds[k].n};
    PetscCall(PlexVTKDivide(kinds[k].tensor, N, &cells[k]));
  }
  PetscCall(PlexVTKCreate(h, nkinds, cells, -1, x));
  for (PetscInt k = 0; k < nkinds; ++k) PetscCall(PetscFree(cells[k].nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
