#include "hdgproblem.h"
#include "problem.h"

void PlexTestWavesInitialize(PetscInt dim, PetscReal frequency, PetscBool tensor, PetscBool mixed, PlexTestWaves *w)
{
  const PetscReal p[3] = {1., 0.6, -0.4}, r[3] = {-0.5, 0.9, 0.7},
                  kappa[9] = {2., 0.5, 0.2, 0.5, 1., -0.3, 0.2, -0.3, 1.5};

  (void)PetscMemzero(w, sizeof(*w));
  w->dim    = dim;
  w->lambda = 1.;
  w->alpha  = 2.;
  w->mixed  = mixed;
  for (PetscInt d = 0; d < dim; ++d) {
    w->p[d] = frequency * p[d];
    w->r[d] = frequency * r[d];
    for (PetscInt k = 0; k < dim; ++k) w->kappa[d * dim + k] = tensor ? kappa[d * 3 + k] : d == k ? 1.3 : 0.;
  }
}

/* sine and cosine of both phases, and p . kappa p, r . kappa r */
static void GetWaves(const PlexTestWaves *w, const PetscReal x[], PetscReal s[2], PetscReal c[2], PetscReal square[2])
{
  PetscReal phase[2] = {0.3, 0.};

  square[0] = square[1] = 0.;
  for (PetscInt d = 0; d < w->dim; ++d) {
    phase[0] += w->p[d] * x[d];
    phase[1] += w->r[d] * x[d];
    for (PetscInt k = 0; k < w->dim; ++k) {
      square[0] += w->p[d] * w->kappa[d * w->dim + k] * w->p[k];
      square[1] += w->r[d] * w->kappa[d * w->dim + k] * w->r[k];
    }
  }
  for (int k = 0; k < 2; ++k) {
    s[k] = PetscSinReal(phase[k]);
    c[k] = PetscCosReal(phase[k]);
  }
}

PetscErrorCode PlexTestWavesU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscReal s[2], c[2], square[2];

  PetscFunctionBegin;
  GetWaves((PlexTestWaves *)ctx, x, s, c, square);
  u[0] = s[0] + c[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWavesQ(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const PlexTestWaves *w = (PlexTestWaves *)ctx;
  PetscReal            s[2], c[2], square[2];

  PetscFunctionBegin;
  GetWaves(w, x, s, c, square);
  for (PetscInt d = 0; d < dim; ++d) {
    q[d] = 0.;
    for (PetscInt k = 0; k < dim; ++k) q[d] += w->kappa[d * dim + k] * (w->p[k] * c[0] - w->r[k] * s[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const PlexTestWaves *w = (PlexTestWaves *)ctx;
  PetscReal            s[2], c[2], square[2];

  PetscFunctionBegin;
  GetWaves(w, x, s, c, square);
  f[0] = (square[0] + w->lambda) * s[0] + (square[1] + w->lambda) * c[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexTestWavesU(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neumann's g, and Robin's with alpha, which grows along the boundary */
PetscErrorCode PlexTestWavesNatural(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                    PetscScalar g[], void *ctx)
{
  const PlexTestWaves *w = (PlexTestWaves *)ctx;
  PetscScalar          q[3], u;

  PetscFunctionBegin;
  PetscCall(PlexTestWavesQ(dim, x, dim, q, ctx));
  g[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) g[0] += q[d] * normal[d];
  if (n > 1) {
    PetscCall(PlexTestWavesU(dim, x, 1, &u, ctx));
    g[1] = w->alpha * (1.5 + PetscSinReal(3. * x[0] + x[1]));
    g[0] += g[1] * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PlexTestWaves *w = (PlexTestWaves *)ctx;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(kappa, w->kappa, dim * dim));
  PetscCall(PetscArraycpy(w->center, x, dim));
  *lambda = w->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another one on each face, and on both sides of it, about what it is without this function: by the face's center, and
   the cell's, whose coefficients are asked for first */
static PetscErrorCode Stabilization(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau,
                                    void *ctx)
{
  const PlexTestWaves *w      = (PlexTestWaves *)ctx;
  const PetscReal     *center = w->center;

  PetscFunctionBegin;
  *tau *= (1. + 0.4 * PetscSinReal(20. * x[0] + 9. * x[1]) + 0.3 * PetscCosReal(30. * center[0] + 17. * center[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which condition a facet has, by where it is: 0 Dirichlet, 1 Neumann, 2 Robin, and all three are there */
PetscErrorCode PlexTestLabelKinds(DM dm)
{
  DMLabel   label;
  PetscInt  n, *facets;
  PetscReal x[3], low[3], high[3], split;
  PetscBool there, upper;

  PetscFunctionBegin;
  PetscCall(DMHasLabel(dm, "kinds", &there));
  if (there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestGetLabel(dm, "kinds", &label));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  PetscCall(DMGetBoundingBox(dm, low, high));
  upper = PETSC_FALSE; /* the corner of a tetrahedron has no facet there */
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], NULL, x, NULL));
    if (x[0] >= low[0] + 0.4 * (high[0] - low[0]) && x[1] >= low[1] + 0.5 * (high[1] - low[1])) upper = PETSC_TRUE;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &upper, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dm)));
  split = upper ? 0.5 : 0.15;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], NULL, x, NULL));
    x[0] = (x[0] - low[0]) / (high[0] - low[0]);
    x[1] = (x[1] - low[1]) / (high[1] - low[1]);
    PetscCall(DMLabelSetValue(label, facets[k], x[0] < 0.4 ? 0 : x[1] < split ? 1 : 2));
  }
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGCreate(DM dm, PetscInt degree, PlexTestWaves *w, const char backend[], PlexHDG *hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetDegree(*hdg, degree));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetCoefficients(*hdg, Coefficients, w));
  PetscCall(PlexHDGSetSource(*hdg, Source, w));
  if (w->tau > 0.) PetscCall(PlexHDGSetTau(*hdg, w->tau));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, w));
  if (w->mixed) {
    PetscCall(PlexTestLabelKinds(dm));
    PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 1, PLEX_HDG_NEUMANN, PlexTestWavesNatural, w));
    PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 2, PLEX_HDG_ROBIN, PlexTestWavesNatural, w));
    PetscCall(PlexHDGSetStabilization(*hdg, Stabilization, w));
  }
  PetscCall(PlexHDGSetFromOptions(*hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGOption(PlexHDG hdg, const char name[], const char value[])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  ierr = PlexHDGSetFromOptions(hdg);
  PetscCall(PetscOptionsClearValue(NULL, name));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGSolve(PlexHDG hdg)
{
  PetscMPIInt size;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (size == 1) {
    PetscCall(KSPSetType(ksp, KSPRICHARDSON)); /* and what rounding has left once more */
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  } else PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-14, 1e-50, PETSC_CURRENT, 10000));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGErrors(DM dm, PetscInt degree, PlexTestWaves *w, const char backend[], PetscReal error[])
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(dm, degree, w, backend, &hdg));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGComputeL2Error(hdg, PlexTestWavesU, PlexTestWavesQ, w, error));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestBend(DM dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestLabelKinds(dm));
  PetscCall(PlexTestCurve(dm, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestBendOne(DM dm)
{
  PetscSection section;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     edge, offset;

  PetscFunctionBegin;
  PetscCall(PlexTestLabelKinds(dm));
  PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMPlexGetDepthStratum(dm, 1, &edge, NULL));
  PetscCall(PetscSectionGetOffset(section, edge, &offset));
  PetscCall(VecGetArray(coordinates, &x));
  x[offset] += 0.02;
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestLabelUnitSides(DM dm)
{
  DMLabel         label;
  IS              is;
  const PetscInt *facets;
  PetscInt        n;
  PetscBool       has;

  PetscFunctionBegin;
  PetscCall(DMHasLabel(dm, "sides", &has));
  if (has) PetscFunctionReturn(PETSC_SUCCESS); /* before it was bent */
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMCreateLabel(dm, "outer"));
  PetscCall(DMGetLabel(dm, "outer", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, label));
  PetscCall(DMLabelGetStratumIS(label, 1, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal x[3], normal[3], volume;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], &volume, x, normal));
    if (x[0] < 0.01) PetscCall(DMSetLabelValue(dm, "sides", facets[k], 1));
    else if (x[0] > 0.99) PetscCall(DMSetLabelValue(dm, "sides", facets[k], 2));
    else if (x[1] < 0.01) PetscCall(DMSetLabelValue(dm, "sides", facets[k], 3));
  }
  PetscCall(ISRestoreIndices(is, &facets));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGBox(MPI_Comm comm, DMPolytopeType cell, PetscInt n, DM *dm)
{
  const PetscInt dim = DMPolytopeTypeGetDim(cell), m[3] = {n, n, n};

  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON)
    PetscCall(PlexTestSimplexBox(comm, dim, n, PETSC_FALSE, dm));
  else PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, m, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestDifference(Vec v, Vec w, PetscReal *largest)
{
  const PetscScalar *a, *b;
  PetscInt           n;
  PetscReal          size = 0.;

  PetscFunctionBegin;
  *largest = 0.;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(VecGetArrayRead(w, &b));
  for (PetscInt k = 0; k < n; ++k) {
    *largest = PetscMax(*largest, PetscAbsScalar(a[k] - b[k]));
    size     = PetscMax(size, PetscAbsScalar(a[k]));
  }
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCall(VecRestoreArrayRead(w, &b));
  *largest /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHDGIterations(PlexHDG hdg, PetscInt *its)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}
