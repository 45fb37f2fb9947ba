/* Meshes of round things: vertices lie on rings, or spheres, of equal distances */
#include "roundmesh.h"

/* "Face Sets" of facets of the boundary: 1 where all vertices are nearer to radius 1 than to 0.5, else 2 */
static PetscErrorCode LabelFacets(DM dm)
{
  PetscInt     fStart, fEnd, dim;
  DMLabel      label;
  Vec          coordinates;
  PetscSection section;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMCreateLabel(dm, "Face Sets"));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscScalar *x = NULL;
    PetscInt     support, size;
    PetscReal    r = 0.;

    PetscCall(DMPlexGetSupportSize(dm, f, &support));
    if (support != 1) continue;
    PetscCall(DMPlexVecGetClosure(dm, section, coordinates, f, &size, &x));
    for (PetscInt d = 0; d < dim; ++d) r += PetscSqr(PetscRealPart(x[d]));
    PetscCall(DMPlexVecRestoreClosure(dm, section, coordinates, f, &size, &x));
    PetscCall(DMLabelSetValue(label, f, r > 0.5625 ? 1 : 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertex k of ring r, of 6 r, the first of which has the number 3 r (r - 1) + 1 on a disk */
static PetscInt RingVertex(PetscInt first, PetscInt r, PetscInt k)
{
  return r ? 3 * r * (r - 1) + 1 + k % (6 * r) - first : 0;
}

PetscErrorCode PlexTestDisk(MPI_Comm comm, PetscInt rings, PetscBool hole, DM *dm)
{
  const PetscInt all = hole ? 2 * rings : rings, begin = hole ? rings : 0,
                 first = hole ? 3 * begin * (begin - 1) + 1 : 0, nv = 3 * all * (all + 1) + 1 - first;
  PetscInt      *cells, n                                           = 0;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(3 * 6 * all * all, &cells, 2 * nv, &x));
  for (PetscInt r = begin; r <= all; ++r)
    for (PetscInt k = 0; k < (r ? 6 * r : 1); ++k) {
      const PetscReal angle = r ? PETSC_PI * k / (3. * r) : 0.;
      const PetscInt  v     = RingVertex(first, r, k);

      x[2 * v]     = r * PetscCosReal(angle) / all;
      x[2 * v + 1] = r * PetscSinReal(angle) / all;
    }
  for (PetscInt r = begin; r < all;
       ++r) /* between ring r and the next one: in each of 6 sectors r + 1 and r triangles */
    for (PetscInt s = 0; s < 6; ++s)
      for (PetscInt k = 0; k <= r; ++k) {
        const PetscInt inner = RingVertex(first, r, s * r + k), outer = RingVertex(first, r + 1, s * (r + 1) + k),
                       next = RingVertex(first, r + 1, s * (r + 1) + k + 1);

        cells[n++] = inner;
        cells[n++] = outer;
        cells[n++] = next;
        if (k == r) continue;
        cells[n++] = inner;
        cells[n++] = next;
        cells[n++] = RingVertex(first, r, s * r + k + 1);
      }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 2, rank ? 0 : n / 3, rank ? 0 : nv, 3, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(LabelFacets(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of the point (i, j, k) of the octahedron |i| + |j| + |k| = n */
static PetscInt OctahedronVertex(PetscInt n, PetscInt i, PetscInt j, PetscInt k, const PetscInt number[])
{
  return number[((i + n) * (2 * n + 1) + j + n) * (2 * n + 1) + k + n];
}

/* Three tetrahedra of a prism, whose triangle is t[], between two layers of nv vertices: sides are cut from their least
   vertex of the triangle, so that prisms agree */
static PetscInt AddPrism(const PetscInt t[3], PetscInt nv, PetscInt layer, const PetscReal x[], PetscInt cells[])
{
  PetscInt s[3] = {t[0], t[1], t[2]}, n = 0;

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (s[j] > s[j + 1]) {
        const PetscInt swap = s[j];

        s[j]     = s[j + 1];
        s[j + 1] = swap;
      }
  for (int c = 0; c < 3; ++c) { /* s0 .. sc below, sc .. s2 above */
    PetscInt  v[4], m      = 0;
    PetscReal e[3][3], det = 0.;

    for (int i = 0; i <= c; ++i) v[m++] = layer * nv + s[i];
    for (int i = c; i < 3; ++i) v[m++] = (layer + 1) * nv + s[i];
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) e[i][d] = x[3 * v[i + 1] + d] - x[3 * v[0] + d];
    for (int d = 0; d < 3; ++d)
      det += e[0][d] * (e[1][(d + 1) % 3] * e[2][(d + 2) % 3] - e[1][(d + 2) % 3] * e[2][(d + 1) % 3]);
    for (int i = 0; i < 4; ++i) cells[n++] = v[det < 0. && i > 1 ? 5 - i : i];
  }
  return n;
}

PetscErrorCode PlexTestShell(MPI_Comm comm, PetscInt n, PetscInt layers, DM *dm)
{
  const PetscInt side = 2 * n + 1, nv = 4 * n * n + 2;
  PetscInt      *number, *cells, count = 0, filled = 0;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc3(side * side * side, &number, 8 * n * n * layers * 3 * 4, &cells, 3 * nv * (layers + 1), &x));
  for (PetscInt i = -n; i <= n; ++i)
    for (PetscInt j = -n; j <= n; ++j)
      for (PetscInt k = -n; k <= n; ++k) {
        const PetscReal r = PetscSqrtReal((PetscReal)(i * i + j * j + k * k));

        if (PetscAbsInt(i) + PetscAbsInt(j) + PetscAbsInt(k) != n) continue;
        number[((i + n) * side + j + n) * side + k + n] = count;
        for (PetscInt l = 0; l <= layers; ++l) {
          PetscReal *at = &x[3 * (l * nv + count)], radius = 0.5 + 0.5 * l / layers;

          at[0] = radius * i / r;
          at[1] = radius * j / r;
          at[2] = radius * k / r;
        }
        ++count;
      }
  for (int o = 0; o < 8; ++o)
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j < n - i; ++j)
        for (int up = 0; up < (i + j < n - 1 ? 2 : 1); ++up) {
          const PetscInt a = o & 1 ? -1 : 1, b = o & 2 ? -1 : 1, c = o & 4 ? -1 : 1;
          const PetscInt at[2][3][2] = {
            {{i, j},     {i + 1, j},     {i, j + 1}},
            {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
          };
          PetscInt t[3];

          for (int v = 0; v < 3; ++v) {
            const PetscInt p = at[up][v][0], q = at[up][v][1];

            t[v] = OctahedronVertex(n, a * p, b * q, c * (n - p - q), number);
          }
          for (PetscInt l = 0; l < layers; ++l) filled += AddPrism(t, nv, l, x, &cells[filled]);
        }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, rank ? 0 : filled / 4, rank ? 0 : nv * (layers + 1), 4, PETSC_TRUE,
                                          cells, 3, x, dm));
  PetscCall(PetscFree3(number, cells, x));
  PetscCall(LabelFacets(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestSpread(DM *dm)
{
  DM parts;

  PetscFunctionBegin;
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &parts));
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(dm));
  *dm = parts;
  PetscFunctionReturn(PETSC_SUCCESS);
}
