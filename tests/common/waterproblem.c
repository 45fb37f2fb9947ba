#include "waterproblem.h"
#include <math.h>

#define DEPTH   0.8
#define GRAVITY 1.7

const char *const PlexTestShapes[] = {"affine", "straight", "curved"};

/* Where a point of the unit square goes */
static void Map(PlexTestShape shape, const PetscReal s[], PetscReal x[])
{
  const PetscReal bump = PetscSinReal(PETSC_PI * s[0]) * PetscSinReal(PETSC_PI * s[1]), r = 1. + s[0],
                  angle = 0.5 * PETSC_PI * s[1];

  x[0] = shape == PLEX_TEST_CURVED ? r * PetscCosReal(angle) : s[0] + (shape == PLEX_TEST_AFFINE ? 0. : 0.1 * bump);
  x[1] = shape == PLEX_TEST_CURVED ? r * PetscSinReal(angle) : s[1] - (shape == PLEX_TEST_AFFINE ? 0. : 0.07 * bump);
}

PetscErrorCode PlexTestBasin(MPI_Comm comm, PetscBool quadrilaterals, PlexTestShape shape, PetscInt n, PetscInt degree,
                             DM *dm)
{
  const PetscInt faces[2] = {n, n};
  Vec            coordinates;
  PetscScalar   *x;
  PetscInt       size;

  PetscFunctionBegin;
  if (quadrilaterals)
    PetscCall(DMPlexCreateBoxMesh(comm, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, dm));
  else PetscCall(PlexTestSimplexBox(comm, 2, n, PETSC_FALSE, dm));
  PetscCall(PlexTestLabelSides(*dm));
  if (shape == PLEX_TEST_CURVED) PetscCall(DMPlexCreateCoordinateSpace(*dm, degree, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < size; i += 2) {
    const PetscReal at[2] = {PetscRealPart(x[i]), PetscRealPart(x[i + 1])};
    PetscReal       moved[2];

    Map(shape, at, moved);
    x[i]     = moved[0];
    x[i + 1] = moved[1];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestChannel(MPI_Comm comm, PetscBool quadrilaterals, PetscInt n, DM *dm)
{
  const PetscInt m = PetscMax(1, n / 10), nv = (n + 1) * (m + 1), corners = quadrilaterals ? 4 : 3,
                 nc = quadrilaterals ? n * m : 2 * n * m;
  PetscInt      *cells, k = 0;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(nc * corners, &cells, nv * 2, &x));
  for (PetscInt j = 0; j <= m; ++j)
    for (PetscInt i = 0; i <= n; ++i) {
      const PetscInt v = j * (n + 1) + i;

      x[2 * v]     = (PetscReal)i / n + (i > 0 && i < n ? 0.2 / n * PetscSinReal(97. * v) : 0.);
      x[2 * v + 1] = (PetscReal)j / n + (j > 0 && j < m ? 0.2 / n * PetscSinReal(97. * v + 41.) : 0.);
    }
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt v = j * (n + 1) + i, ring[4] = {v, v + 1, v + n + 2, v + n + 1}, first = (i + j) % 2;

      for (PetscInt c = 0; c < 4 && quadrilaterals; ++c) cells[k++] = ring[c];
      for (PetscInt t = 0; t < 2 && !quadrilaterals; ++t)
        for (PetscInt c = 0; c < 3; ++c) cells[k++] = ring[(first + 2 * t + c) % 4];
    }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 2, rank ? 0 : nc, rank ? 0 : nv, corners, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestBasinCreate(DM dm, PetscInt N, PlexDG *dg)
{
  const PetscReal depth = DEPTH, gravity = GRAVITY;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water_linear"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetConstant(*dg, "depth", 1, &depth));
  PetscCall(PlexDGSetConstant(*dg, "gravity", 1, &gravity));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the ring the wave of Bessel functions that depends on r alone, and whose slope is 0 at both: k is a root of J1(k)
   Y1(2 k) = J1(2 k) Y1(k) */
PetscErrorCode PlexTestBasinWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PlexTestShape shape = *(const PlexTestShape *)ctx;
  static PetscReal    root  = 0.;

  PetscFunctionBegin;
  PetscCheck(Nf == 3 && dim == 2, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%" PetscInt_FMT " fields", Nf);
  if (shape == PLEX_TEST_CURVED) {
    const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
    PetscReal       w, slope;

    if (root == 0.) { /* by bisection */
      PetscReal low = 3., high = 3.5;

      while (high - low > 4. * PETSC_MACHINE_EPSILON) {
        const PetscReal k = 0.5 * (low + high);

        if ((j1(k) * y1(2. * k) - j1(2. * k) * y1(k)) * (j1(low) * y1(2. * low) - j1(2. * low) * y1(low)) > 0.) low = k;
        else high = k;
        if (0.5 * (low + high) == k) break;
      }
      root = low;
    }
    w     = root * PetscSqrtReal(GRAVITY * DEPTH);
    slope = -root * (j1(root * r) * y1(root) - y1(root * r) * j1(root));
    u[0]  = (j0(root * r) * y1(root) - y0(root * r) * j1(root)) * PetscCosReal(w * t);
    for (PetscInt d = 0; d < 2; ++d) u[1 + d] = -GRAVITY / w * slope * x[d] / r * PetscSinReal(w * t);
  } else {
    const PetscReal k[2] = {PETSC_PI, 2. * PETSC_PI}, w = PetscSqrtReal(GRAVITY * DEPTH * (k[0] * k[0] + k[1] * k[1])),
                    s = GRAVITY / w * PetscSinReal(w * t);

    u[0] = PetscCosReal(k[0] * x[0]) * PetscCosReal(k[1] * x[1]) * PetscCosReal(w * t);
    u[1] = s * k[0] * PetscSinReal(k[0] * x[0]) * PetscCosReal(k[1] * x[1]);
    u[2] = s * k[1] * PetscCosReal(k[0] * x[0]) * PetscSinReal(k[1] * x[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestJumpRHS(PlexDG dg, PetscReal t, Vec *values)
{
  const PetscScalar *r;
  PetscScalar       *copy;
  PetscInt           n;
  Vec                U, R;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, t, U, R));
  PetscCall(VecGetLocalSize(R, &n));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, values));
  PetscCall(VecGetArrayRead(R, &r));
  PetscCall(VecGetArrayWrite(*values, &copy));
  PetscCall(PetscArraycpy(copy, r, n));
  PetscCall(VecRestoreArrayWrite(*values, &copy));
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestVortex(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal stream[2] = {PLEX_TEST_STREAM}, width = 0.09, strength = 4. / (2. * PETSC_PI),
                  a = (x[0] - 0.5 - stream[0] * t) / width, b = (x[1] - 0.5 - stream[1] * t) / width,
                  e = PetscExpReal(0.5 * (1. - a * a - b * b));

  PetscFunctionBegin;
  u[0] = -0.5 * PetscSqr(strength * e) / 9.81;
  u[1] = (1. + u[0]) * (stream[0] - strength * b * e);
  u[2] = (1. + u[0]) * (stream[1] + strength * a * e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Islands and ponds that change as much as they can from node to node */
PetscErrorCode PlexTestIslands(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.2 + 0.6 * PetscSinReal(101. * x[0] + 57. * x[1]) + 0.5 * PetscCosReal(83. * x[0] * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestLevel(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = *(const PetscReal *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Thacker (1981), J. Fluid Mech. 107: a plane surface that turns around in a paraboloid */

PetscErrorCode PlexTestBowl(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = PLEX_TEST_BOWL_DEPTH * (1. - (PetscSqr(x[0] - 0.5) + PetscSqr(x[1] - 0.5)) / PetscSqr(PLEX_TEST_BOWL_RADIUS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestThacker(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal w = PetscSqrtReal(2. * 9.81 * PLEX_TEST_BOWL_DEPTH) / PLEX_TEST_BOWL_RADIUS, c = PetscCosReal(w * t),
                  s = PetscSinReal(w * t);
  PetscReal       depth,
    eta = 2. * PLEX_TEST_BOWL_SHIFT * PLEX_TEST_BOWL_DEPTH / PetscSqr(PLEX_TEST_BOWL_RADIUS) *
          ((x[0] - 0.5) * c - (x[1] - 0.5) * s - PLEX_TEST_BOWL_SHIFT / 2.),
    H;

  PetscFunctionBegin;
  PetscCall(PlexTestBowl(dim, x, 0, 1, &depth, NULL));
  H    = PetscMax(0., eta + depth);
  u[0] = H - depth;
  u[1] = -PLEX_TEST_BOWL_SHIFT * w * s * H;
  u[2] = -PLEX_TEST_BOWL_SHIFT * w * c * H;
  PetscFunctionReturn(PETSC_SUCCESS);
}
