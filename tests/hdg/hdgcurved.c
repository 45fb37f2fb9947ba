static char
  help[] = "Hybridized DG on meshes of which few cells are not affine: which they are, the same solution as by "
           "quadrature on all, orders on a disk.\n\n";

#include "hdgproblem.h"
#include "report.h"
#include "roundmesh.h"

typedef enum {
  DIFFUSION,
  CONVECTION,
  ELASTICITY
} Equation;

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       order; /* of the coordinates */
  PetscInt       curved;
  PetscInt       P;
  Equation       equation;
  PetscBool      emulate; /* that backend has the time for it */
  const char    *option, *value;
} Case;

// clang-format off
static const Case cases[] = {
  {"triangles, one curved",           DM_POLYTOPE_TRIANGLE,      2, 1, 2, DIFFUSION,  PETSC_TRUE,  NULL, NULL},
  {"triangles, factors kept",         DM_POLYTOPE_TRIANGLE,      2, 1, 2, DIFFUSION,  PETSC_FALSE, "-plex_hdg_keep", "true"},
  {"triangles, factors not kept",     DM_POLYTOPE_TRIANGLE,      2, 1, 2, DIFFUSION,  PETSC_FALSE, "-plex_hdg_keep", "false"},
  {"triangles, tiles of 3",           DM_POLYTOPE_TRIANGLE,      2, 1, 3, DIFFUSION,  PETSC_FALSE, "-plex_hdg_tile", "3"},
  {"quadrilaterals, tiles of 3",      DM_POLYTOPE_QUADRILATERAL, 1, 4, 2, DIFFUSION,  PETSC_FALSE, "-plex_hdg_tile", "3"},
  {"tetrahedra, at one edge curved",  DM_POLYTOPE_TETRAHEDRON,   2, 0, 1, DIFFUSION,  PETSC_FALSE, NULL, NULL},
  {"hexahedra, at one vertex others", DM_POLYTOPE_HEXAHEDRON,    1, 8, 1, DIFFUSION,  PETSC_FALSE, NULL, NULL},
  {"triangles, convection",           DM_POLYTOPE_TRIANGLE,      2, 1, 1, CONVECTION, PETSC_TRUE,  NULL, NULL},
  {"triangles, elasticity",           DM_POLYTOPE_TRIANGLE,      2, 1, 1, ELASTICITY, PETSC_TRUE,  NULL, NULL},
  {"triangles, tensor cores",         DM_POLYTOPE_TRIANGLE,      2, 1, 2, DIFFUSION,  PETSC_TRUE,  "-plex_hdg_tensor_cores", "true"}
};
// clang-format on

/* Coordinates of degree `order`; the node at x is moved by y */
static PetscErrorCode Move(DM dm, PetscInt order, const PetscReal x[], const PetscReal y[])
{
  Vec          old, coordinates;
  PetscScalar *a;
  PetscInt     dim, n;

  PetscFunctionBegin;
  if (order > 1) PetscCall(DMPlexCreateCoordinateSpace(dm, order, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinatesLocalSetUp(dm));
  PetscCall(DMGetCoordinatesLocal(dm, &old));
  PetscCall(VecDuplicate(old, &coordinates));
  PetscCall(VecCopy(old, coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &a));
  for (PetscInt k = 0; k < n; k += dim) {
    PetscReal distance = 0.;

    for (PetscInt d = 0; d < dim; ++d) distance = PetscMax(distance, PetscAbsScalar(a[k + d] - x[d]));
    for (PetscInt d = 0; d < dim && distance < 1e-8; ++d) a[k + d] += y[d];
  }
  PetscCall(VecRestoreArray(coordinates, &a));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box of four cells a side, three in 3D; of coordinates of degree 2 the middle of an edge on the boundary is moved, of
   degree 1 a vertex inside */
static PetscErrorCode MakeMesh(MPI_Comm comm, const Case *c, PetscReal by, DM *dm)
{
  const PetscInt  dim = DMPolytopeTypeGetDim(c->cell), side = dim == 2 ? 4 : 3, n[3] = {side, side, side};
  const PetscReal h = 1. / side, edge[3] = {0.5 * h, 0., 0.}, vertex[3] = {h, h, h}, y[3] = {0.3 * by, by, 0.2 * by};

  PetscFunctionBegin;
  if (c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON)
    PetscCall(PlexTestSimplexBox(comm, dim, side, PETSC_FALSE, dm));
  else PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, n, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexTestLabelKinds(*dm));
  PetscCall(Move(*dm, c->order, c->order > 1 ? edge : vertex, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  for (PetscInt k = 0; k < n; ++k) f[k] = PetscSinReal(3. * x[0] + (2. + k) * x[1]) + (dim == 3 ? x[2] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, const Case *c, PlexTestWaves *w, const char backend[], PlexHDG *hdg)
{
  const PetscReal velocity[3] = {3., 1., -2.};
  PetscMPIInt     size;
  KSP             ksp;
  PC              pc;

  PetscFunctionBegin;
  if (c->equation == ELASTICITY) {
    PetscCall(PlexHDGCreate(dm, hdg));
    PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_ELASTICITY));
    PetscCall(PlexHDGSetDegree(*hdg, c->P));
    PetscCall(PlexHDGSetBackend(*hdg, backend));
    PetscCall(PlexHDGSetSource(*hdg, Load, NULL));
    PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  } else PetscCall(PlexTestHDGCreate(dm, c->P, w, backend, hdg));
  if (c->equation == CONVECTION) PetscCall(PlexHDGSetVelocity(*hdg, DMPolytopeTypeGetDim(c->cell), velocity));
  if (c->option) PetscCall(PlexTestHDGOption(*hdg, c->option, c->value));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &size));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (size == 1) {
    PetscCall(KSPSetType(ksp, KSPRICHARDSON)); /* and what rounding has left once more */
    PetscCall(PCSetType(pc, PCLU));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  } else PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-14, 1e-50, PETSC_CURRENT, 10000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of two vectors that have n numbers an element, whose orders differ, over the largest number */
static PetscErrorCode Difference(PlexHDG one, PlexHDG two, Vec v, Vec w, PetscReal *difference)
{
  const PetscInt     Ne       = one->mesh->Ne;
  PetscReal          sizes[2] = {0., 0.};
  const PetscScalar *a, *b;
  PetscInt           n, cStart, cEnd, *place;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(one->dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &place));
  for (PetscInt e = 0; e < Ne; ++e) place[two->mesh->cells[e] - cStart] = e;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(VecGetArrayRead(w, &b));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = k / (n / Ne), at = place[one->mesh->cells[e] - cStart] * (n / Ne) + k % (n / Ne);

    sizes[0] = PetscMax(sizes[0], PetscAbsScalar(a[k] - b[at]));
    sizes[1] = PetscMax(sizes[1], PetscAbsScalar(b[at]));
  }
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCall(VecRestoreArrayRead(w, &b));
  PetscCall(PetscFree(place));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sizes, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)one)));
  *difference = PetscMax(*difference, sizes[0] / sizes[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solutions(PlexHDG one, PlexHDG two, PetscReal *difference)
{
  Vec u[2][3];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetSolution(one, NULL, &u[0][0], &u[0][1], &u[0][2]));
  PetscCall(PlexHDGGetSolution(two, NULL, &u[1][0], &u[1][1], &u[1][2]));
  *difference = 0.;
  for (int k = 0; k < 3; ++k)
    if (u[0][k] && !(k == 2 && one->elastic)) PetscCall(Difference(one, two, u[0][k], u[1][k], difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Few cells in a mesh, and all by quadrature; the host beside a backend */
static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexTestWaves w;
  PlexHDG       hdg[3];
  DM            dm;
  PetscReal     difference, jump;
  char          of[128];
  PetscInt      curved = c->curved;
  PetscBool     host;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(MakeMesh(PETSC_COMM_WORLD, c, 0.05, &dm));
  for (int k = 0; k < 3; ++k) {
    if (k == 2 && host) continue;
    PetscCall(Create(dm, c, &w, k == 2 ? PLEXBACKENDHOST : backend, &hdg[k]));
    if (k == 1) PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_affine", "false"));
    PetscCall(PlexHDGSolve(hdg[k]));
  }
  if (!curved) curved = hdg[0]->mesh->nmappedGlobal;
  PetscCall(PlexTestReportOf((PetscBool)(hdg[0]->mesh->nmappedGlobal == curved && curved > 0 &&
                                         3 * curved <= hdg[0]->mesh->NeGlobal &&
                                         hdg[1]->mesh->nmappedGlobal == hdg[1]->mesh->NeGlobal),
                             of, "cells that are not affine",
                             "%" PetscInt_FMT " of %" PetscInt_FMT ", all %" PetscInt_FMT, hdg[0]->mesh->nmappedGlobal,
                             hdg[0]->mesh->NeGlobal, hdg[1]->mesh->nmappedGlobal));
  PetscCall(Solutions(hdg[0], hdg[1], &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12), of, "u, q and u* as by quadrature on all", "%g",
                             (double)difference));
  if (!host) {
    PetscCall(Solutions(hdg[0], hdg[2], &difference));
    PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12), of, "as on the host", "%g", (double)difference));
  }
  if (!hdg[0]->elastic && c->equation == DIFFUSION) {
    PetscCall(PlexHDGComputeFluxJump(hdg[0], &jump));
    PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "the normal flux does not jump", "%g", (double)jump));
  }
  for (int k = 0; k < (host ? 2 : 3); ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distances of all processes' solution to functions, and of one's */
static PetscErrorCode TestProcesses(const Case *c)
{
  PlexTestWaves w, other;
  PetscReal     distance[2][3], worst = 0.;
  PetscInt      curved[2];

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 3., PETSC_TRUE, PETSC_TRUE, &other);
  for (int k = 0; k < 2; ++k) {
    DM      dm;
    PlexHDG hdg;

    PetscCall(MakeMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, c, 0.05, &dm));
    PetscCall(Create(dm, c, &w, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGSolve(hdg));
    curved[k] = hdg->mesh->nmappedGlobal;
    PetscCall(PlexHDGComputeL2Error(hdg, PlexTestWavesU, PlexTestWavesQ, &other, distance[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) worst = PetscMax(worst, PetscAbsReal(distance[0][k] - distance[1][k]) / distance[1][k]);
  PetscCall(PlexTestReportOf((PetscBool)(worst < 1e-12 && curved[0] == curved[1]), c->name, "as on one process",
                             "%g, %" PetscInt_FMT " and %" PetscInt_FMT " curved", (double)worst, curved[0],
                             curved[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parallelograms in the map y = origin + A x of the unit square, one with a vertex that is `by` of its size off */
static PetscErrorCode TestFound(const char name[], PetscReal origin, PetscReal thin, PetscReal by, PetscInt expected)
{
  const Case   c = {.cell = DM_POLYTOPE_QUADRILATERAL, .order = 1, .P = 1};
  DM           dm;
  PlexHDG      hdg;
  Vec          coordinates;
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(MakeMesh(PETSC_COMM_SELF, &c, 0.25 * by, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &a));
  for (PetscInt k = 0; k < n; k += 2) {
    const PetscScalar x = a[k], y = thin * a[k + 1];

    a[k]     = origin + 0.8 * x - 0.6 * y;
    a[k + 1] = origin + 0.6 * x + 0.8 * y;
  }
  PetscCall(VecRestoreArray(coordinates, &a));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexTestReportOf((PetscBool)(hdg->mesh->nmapped == expected), "parallelograms", name,
                             "%" PetscInt_FMT " of %" PetscInt_FMT " are not affine", hdg->mesh->nmapped,
                             hdg->mesh->Ne));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edges at the boundary of a disk, quadratic curves through the circle */
static PetscErrorCode Round(DM dm)
{
  PetscSection section;
  Vec          coordinates;
  PetscScalar *a;
  PetscInt     n, *facets;

  PetscFunctionBegin;
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetArray(coordinates, &a));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt  offset;
    PetscReal r;

    PetscCall(PetscSectionGetOffset(section, facets[k], &offset));
    r = PetscSqrtReal(PetscSqr(PetscRealPart(a[offset])) + PetscSqr(PetscRealPart(a[offset + 1])));
    a[offset] /= r;
    a[offset + 1] /= r;
  }
  PetscCall(VecRestoreArray(coordinates, &a));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDisk(PetscInt P)
{
  PlexTestWaves w;
  PetscReal     error[2][3], rate[3];
  char          of[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "disk of degree %" PetscInt_FMT, P));
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_FALSE, &w);
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscInt rings = 4 << k;
    DM             dm;
    PlexHDG        hdg;

    PetscCall(PlexTestDisk(PETSC_COMM_SELF, rings, PETSC_FALSE, &dm));
    PetscCall(Round(dm));
    PetscCall(PlexTestHDGCreate(dm, P, &w, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexTestHDGSolve(hdg));
    PetscCall(PlexHDGComputeL2Error(hdg, PlexTestWavesU, PlexTestWavesQ, &w, error[k]));
    PetscCall(PlexTestReportOf((PetscBool)(hdg->mesh->nmapped == 6 * rings), of, "cells at the boundary are curved",
                               "%" PetscInt_FMT " of %" PetscInt_FMT, hdg->mesh->nmapped, hdg->mesh->Ne));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) rate[k] = PetscLog2Real(error[0][k] / error[1][k]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, %.3g, rates %.2f, %.2f, %.2f\n", of,
                        (double)error[1][0], (double)error[1][1], (double)error[1][2], (double)rate[0], (double)rate[1],
                        (double)rate[2]));
  PetscCall(PlexTestReportOf((PetscBool)(rate[0] > P + 0.8 && rate[1] > P + 0.8 && rate[2] > P + 1.7), of,
                             "orders of u, q and u*", "%g, %g, %g", (double)rate[0], (double)rate[1], (double)rate[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscBool emulate, host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDEMULATE, &emulate));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    if (emulate && !cases[k].emulate) continue;
    if (host && cases[k].option && !strcmp(cases[k].option, "-plex_hdg_tensor_cores")) continue;
    PetscCall(TestCase(backend, &cases[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    for (int k = 0; k < 7; k += 3) PetscCall(TestProcesses(&cases[k]));
    PetscCall(PetscFinalize());
    return PlexTestStatus();
  }
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  PetscCall(TestFound("all are", 0., 1., 0., 0));
  PetscCall(TestFound("but for four", 0., 1., 1e-9, 4));
  PetscCall(TestFound("to rounding", 0., 1., 1e-14, 0));
  PetscCall(TestFound("all thin ones are", 0., 1e-6, 0., 0));
  PetscCall(TestFound("but for four thin ones", 0., 1e-6, 1e-9, 4));
  PetscCall(TestFound("far away", 1e6, 1e-3, 0., 0));
  PetscCall(TestDisk(1));
  PetscCall(TestDisk(3));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
