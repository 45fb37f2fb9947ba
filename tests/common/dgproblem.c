#include "dgproblem.h"

PetscErrorCode PlexTestRefine(DM *dm)
{
  DM refined;

  PetscFunctionBegin;
  PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
  PetscCall(DMRefine(*dm, PetscObjectComm((PetscObject)*dm), &refined));
  PetscCall(DMDestroy(dm));
  *dm = refined;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertex at (i, j, k) of the box */
static PetscInt BoxVertex(PetscInt dim, PetscInt n, PetscBool periodic, const PetscInt at[])
{
  const PetscInt side = periodic ? n : n + 1;
  PetscInt       v    = 0;

  for (PetscInt d = dim - 1; d >= 0; --d) v = v * side + at[d] % (periodic ? n : n + 1);
  return v;
}

/* The 2 or 6 simplices of the box's cell at `at`: paths from its first corner to its last along the axes. PETSc's
   triangles turn left, and the first face of its tetrahedra turns left seen from outside. */
static PetscInt BoxCell(PetscInt dim, PetscInt n, PetscBool periodic, const PetscInt at[], PetscInt cells[])
{
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {1, 0, 2},
    {1, 2, 0},
    {2, 1, 0},
    {2, 0, 1},
    {0, 2, 1}
  }; /* even and odd in turns */
  const PetscInt count = dim == 2 ? 2 : 6;

  for (PetscInt c = 0; c < count; ++c) {
    PetscInt corner[3] = {at[0], at[1], at[2]}, *cell = &cells[c * (dim + 1)];

    cell[0] = BoxVertex(dim, n, periodic, corner);
    for (PetscInt v = 1; v <= dim; ++v) {
      ++corner[paths[c][v - 1]];
      cell[v] = BoxVertex(dim, n, periodic, corner);
    }
    if (c % 2 == (dim == 2)) {
      const PetscInt swap = cell[1];

      cell[1] = cell[2];
      cell[2] = swap;
    }
  }
  return count * (dim + 1);
}

PetscErrorCode PlexTestSimplexBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, DM *dm)
{
  const PetscInt  side = periodic ? n : n + 1, nv = side * side * (dim == 3 ? side : 1),
                  nc      = n * n * (dim == 3 ? 6 * n : 2);
  const PetscReal most[3] = {1.5 / n, 1.5 / n, 1.5 / n}, low[3] = {0., 0., 0.}, length[3] = {1., 1., 1.};
  PetscInt       *cells, filled = 0, at[3];
  PetscReal      *x;
  PetscMPIInt     rank;
  DMLabel         boundary;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(nc * (dim + 1), &cells, nv * dim, &x));
  for (PetscInt v = 0; v < nv; ++v)
    for (PetscInt d = 0, rest = v; d < dim; ++d, rest /= side) x[v * dim + d] = (rest % side) / (PetscReal)n;
  for (at[2] = 0; at[2] < (dim == 3 ? n : 1); ++at[2])
    for (at[1] = 0; at[1] < n; ++at[1])
      for (at[0] = 0; at[0] < n; ++at[0]) filled += BoxCell(dim, n, periodic, at, &cells[filled]);
  PetscCall(DMPlexCreateFromCellListPetsc(comm, dim, rank ? 0 : nc, rank ? 0 : nv, dim + 1, PETSC_TRUE, cells, dim, x,
                                          dm));
  PetscCall(PetscFree2(cells, x));
  if (periodic) {
    PetscCall(DMSetPeriodicity(*dm, most, low, length));
    PetscCall(DMLocalizeCoordinates(*dm));
  }
  PetscCall(PlexTestGetLabel(*dm, "boundary", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWaveCreate(DM dm, PetscInt N, PetscReal alpha, PlexDG *dg)
{
  const PetscReal epsilon = 1.5, mu = 0.8, frequency = 2.;
  PetscReal       direction[3] = {0.6, 0.8, 0.}, polarization[3] = {-0.4, 0.3, 0.9};
  PetscInt        dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  if (dim == 3) {
    const PetscReal d[3] = {2. / 3., -1. / 3., 2. / 3.}, p[3] = {1., 0., -1.};

    PetscCall(PetscArraycpy(direction, d, 3));
    PetscCall(PetscArraycpy(polarization, p, 3));
  }
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetConstant(*dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(*dg, "mu", 1, &mu));
  PetscCall(PlexDGSetConstant(*dg, "direction", 3, direction));
  PetscCall(PlexDGSetConstant(*dg, "polarization", 3, polarization));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &frequency));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "incident"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E = P cos(w (t - d.x sqrt(epsilon mu))), H = d x E sqrt(epsilon/mu) */
PetscErrorCode PlexTestWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PlexDG           dg = (PlexDG)ctx;
  const PetscReal *d = &dg->constants[1], *P = &dg->constants[4], epsilon = dg->uniform[0], mu = dg->uniform[1];
  PetscReal        phase = t, wave;

  PetscFunctionBegin;
  PetscCheck(Nf == 6, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%" PetscInt_FMT " fields", Nf);
  for (PetscInt k = 0; k < dim; ++k) phase -= d[k] * x[k] * PetscSqrtReal(epsilon * mu);
  wave = PetscCosReal(dg->constants[7] * phase);
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscInt a = (k + 1) % 3, b = (k + 2) % 3;

    u[k]     = P[k] * wave;
    u[3 + k] = (d[a] * P[b] - d[b] * P[a]) * wave * PetscSqrtReal(epsilon / mu);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRun(PlexDG dg, PetscReal T, PlexDGFn *func, void *ctx, Vec U)
{
  TS        ts;
  PetscReal dt;

  PetscFunctionBegin;
  if (func) PetscCall(PlexDGProject(dg, 0., func, ctx, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, T / PetscCeilReal(T / dt)));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestLabelSides(DM dm)
{
  PetscInt  n, *facets;
  PetscReal x[3], normal[3];
  DMLabel   label;
  PetscInt  dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexTestGetLabel(dm, "sides", &label));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], NULL, x, normal));
    for (PetscInt d = 0; d < dim; ++d) {
      if (PetscAbsReal(x[d]) < 1e-10) PetscCall(DMLabelSetValue(label, facets[k], 2 * d + 1));
      if (PetscAbsReal(x[d] - 1.) < 1e-10) PetscCall(DMLabelSetValue(label, facets[k], 2 * d + 2));
    }
  }
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRough(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  (void)t;
  (void)ctx;
  for (PetscInt k = 0; k < Nf; ++k) {
    PetscReal phase = 1. + k;

    for (PetscInt d = 0; d < dim; ++d) phase += (17. + 5. * d + 3. * k) * x[d];
    u[k] = PetscSinReal(phase);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestJumps(Vec U)
{
  PetscScalar *u;
  PetscInt     first, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(U, &first, NULL));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayWrite(U, &u));
  for (PetscInt i = 0; i < n; ++i)
    u[i] = PetscSinReal(1. + 0.7 * (PetscReal)(first + i)) +
           0.3 * PetscCosReal(0.11 * (PetscReal)(first + i) * (PetscReal)(first + i));
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestUneven(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  (void)cell;
  (void)ctx;
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal phase = i;

    for (PetscInt d = 0; d < dim; ++d) phase += (7. + d) * x[d];
    k[i] *= 1. + 0.5 * PetscSinReal(phase);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestClearOptions(const char options[])
{
  char **words;
  int    n;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(options, ' ', &n, &words));
  for (int k = 0; k < n; k += 2) PetscCall(PetscOptionsClearValue(NULL, words[k]));
  PetscCall(PetscStrToArrayDestroy(n, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}
