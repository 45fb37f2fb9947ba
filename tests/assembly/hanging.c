static char
  help[] = "Hanging nodes: residuals, Jacobians and Newton's method on a mesh of which one cell is refined, and with "
           "anchors\n"
           "that a program sets on one process, against PETSc's own.\n"
           "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default host,emulate.\n\n";

#include <petscsf.h>
#include <plexgpu.h>
#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* A mesh of which one cell is refined; PETSc refines on one process, and shares cells out */
static PetscErrorCode CreateMesh(DMPolytopeType cell, DM *dm)
{
  const PetscInt  dim      = DMPolytopeTypeGetDim(cell);
  const PetscInt  faces[3] = {2, 2, 2};
  const PetscBool simplex  = (PetscBool)(cell == DM_POLYTOPE_TRIANGLE);
  DM              tree, refined;
  DMLabel         label;

  PetscFunctionBegin;
  if (simplex) PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0,
                                  PETSC_FALSE, dm));
  PetscCall(DMPlexCreateDefaultReferenceTree(PETSC_COMM_WORLD, dim, simplex, &tree));
  PetscCall(DMPlexSetReferenceTree(*dm, tree));
  PetscCall(DMDestroy(&tree));
  PetscCall(DMPlexTreeRefineCell(*dm, 0, &refined));
  PetscCall(DMDestroy(dm));
  *dm = refined;
  PetscCall(DMCreateLabel(*dm, "boundary"));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a problem */
static PetscErrorCode CreateDM(DMPolytopeType cell, PetscInt degree, PlexTestForm form, DM *dm)
{
  const PlexTestProblem problem = {.cell       = cell,
                                   .degree     = degree,
                                   .components = form == PLEX_TEST_GENERAL && DMPolytopeTypeGetDim(cell) == 2 ? 2 : 1,
                                   .form       = form};

  PetscFunctionBegin;
  PetscCall(CreateMesh(cell, dm));
  PetscCall(PlexTestProblemShare(&problem, 0, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points that other processes have too */
static PetscErrorCode MarkShared(DM dm, DMLabel shared)
{
  PetscSF         sf;
  const PetscInt *leaves, *degree;
  PetscInt        roots, n;

  PetscFunctionBegin;
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, &roots, &n, &leaves, NULL));
  if (roots < 0) PetscFunctionReturn(PETSC_SUCCESS); /* of one process */
  for (PetscInt k = 0; k < n; ++k) PetscCall(DMLabelSetValue(shared, leaves ? leaves[k] : k, 1));
  PetscCall(PetscSFComputeDegreeBegin(sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(sf, &degree));
  for (PetscInt p = 0; p < roots; ++p)
    if (degree[p]) PetscCall(DMLabelSetValue(shared, p, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On process 0 a vertex inside follows two others; the other processes have no anchors */
static PetscErrorCode SetAnchors(DM dm, PetscInt *vertex, PetscInt anchors[2])
{
  PetscSection section;
  IS           is;
  DMLabel      taken;
  PetscInt     vStart, vEnd, is1, is2, n = 0;
  PetscMPIInt  rank;

  PetscFunctionBegin;
  *vertex = -1;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(DMLabelCreate(PETSC_COMM_SELF, "taken", &taken));
  PetscCall(MarkShared(dm, taken));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt v = vStart; v < vEnd && *vertex < 0 && !rank; ++v) {
    PetscCall(DMGetLabelValue(dm, "boundary", v, &is1));
    PetscCall(DMLabelGetValue(taken, v, &is2));
    if (is1 != 1 && is2 != 1) *vertex = v;
  }
  PetscCall(DMLabelDestroy(&taken));
  if (*vertex < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt v = vStart; v < vEnd && n < 2; ++v)
    if (v != *vertex) anchors[n++] = v;
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &section));
  PetscCall(PetscSectionSetChart(section, *vertex, *vertex + 1));
  PetscCall(PetscSectionSetDof(section, *vertex, 2));
  PetscCall(PetscSectionSetUp(section));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 2, anchors, PETSC_COPY_VALUES, &is));
  PetscCall(DMPlexSetAnchors(dm, section, is));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u(vertex) = 0.3 u(anchors[0]) + 0.7 u(anchors[1]) */
static PetscErrorCode SetConstraints(DM dm, PetscInt vertex, const PetscInt anchors[2])
{
  PetscSection section, rows;
  Mat          C;
  PetscInt     n, row, column;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMGetDefaultConstraints(dm, &rows, &C, NULL));
  if (vertex < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetDof(rows, vertex, &n));
  PetscCall(PetscSectionGetOffset(rows, vertex, &row));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscSectionGetOffset(section, anchors[k], &column));
    for (PetscInt c = 0; c < n; ++c) PetscCall(MatSetValue(C, row + c, column + c, k ? 0.7 : 0.3, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh without a tree, whose anchors the program sets, and so that one process has them */
static PetscErrorCode CreateDMOfOne(DM *dm)
{
  const PlexTestProblem problem  = {.cell       = DM_POLYTOPE_QUADRILATERAL,
                                    .degree     = 1,
                                    .components = 2,
                                    .form       = PLEX_TEST_GENERAL};
  const PetscInt        faces[2] = {4, 5};
  DMLabel               label;
  PetscInt              vertex, anchors[2];

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(DMCreateLabel(*dm, "boundary"));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(SetAnchors(*dm, &vertex, anchors));
  PetscCall(PlexTestProblemSetUp(*dm, &problem));
  PetscCall(SetConstraints(*dm, vertex, anchors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes with dofs that follow others */
static PetscErrorCode CountAnchored(DM dm, PetscInt *n)
{
  PetscSection anchors;

  PetscFunctionBegin;
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  *n = 0;
  if (anchors) PetscCall(PetscSectionGetStorageSize(anchors, n));
  *n = *n > 0 ? 1 : 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(DM dm, const char backend[], const char what[])
{
  PlexAssembly       assembly;
  PlexAssemblyCounts counts;
  PetscReal          residual, jacobian;
  PetscBool          good;
  char               name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, what));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  good = (PetscBool)(residual < 1e-11 && jacobian < 1e-11);
  PetscCall(PlexTestReportOf(good, name, "values", "relative differences %g and %g", (double)residual,
                             (double)jacobian));
  PetscCall(PlexTestReportOf((PetscBool)(counts.residuals == 1 && counts.jacobians == 1), name, "assembled here",
                             "%" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians", counts.residuals,
                             counts.jacobians));
  PetscCall(PlexAssemblySetCheckTolerance(assembly, 1e-11));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  good = (PetscBool)(residual < 1e-11 && jacobian < 1e-11);
  PetscCall(PlexTestReportOf(good, name, "again, with -plex_assembly_check", "relative differences %g and %g",
                             (double)residual, (double)jacobian));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtTree(const char backend[], DMPolytopeType cell, PetscInt degree)
{
  DM       dm;
  PetscInt n;
  char     name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%ss of degree %" PetscInt_FMT, DMPolytopeTypes[cell], degree));
  PetscCall(CreateDM(cell, degree, PLEX_TEST_GENERAL, &dm));
  PetscCall(CountAnchored(dm, &n));
  PetscCall(PlexTestReportOf((PetscBool)(n > 0), name, "there are anchors", "none"));
  PetscCall(Look(dm, backend, name));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtOne(const char backend[])
{
  DM       dm;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(CreateDMOfOne(&dm));
  PetscCall(CountAnchored(dm, &n));
  PetscCall(PlexTestReport((PetscBool)(n == 1), "anchors are one process's", "%" PetscInt_FMT " have some", n));
  PetscCall(Look(dm, backend, "anchors of one process"));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HasAssembled(DM dm, PetscInt its, const char name[])
{
  PlexAssembly       assembly;
  PlexAssemblyCounts counts;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(counts.residuals > its && counts.jacobians == its), name, "assembled here",
                             "%" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians of %" PetscInt_FMT " steps",
                             counts.residuals, counts.jacobians, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -div((1 + u^2) grad u) = f by Newton's method through PETSc's own calls */
static PetscErrorCode LookAtNewton(const char backend[])
{
  DM        dm[2];
  Vec       u[2];
  PetscInt  its[2][2];
  PetscReal error;
  char      name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s Newton's method", backend));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(CreateDM(DM_POLYTOPE_QUADRILATERAL, 2, PLEX_TEST_DIFFUSION, &dm[k]));
    PetscCall(PlexTestNewton(dm[k], k ? backend : NULL, its[k], &u[k]));
  }
  PetscCall(PlexTestVecError(u[1], u[0], &error));
  PetscCall(PlexTestReport((PetscBool)(error < 1e-9 && its[0][0] > 2 && its[0][0] == its[1][0] &&
                                       its[0][1] == its[1][1]),
                           name,
                           "%" PetscInt_FMT " and %" PetscInt_FMT " iterations, with PETSc %" PetscInt_FMT
                           " and %" PetscInt_FMT ", solutions differ by %g",
                           its[1][0], its[1][1], its[0][0], its[0][1], (double)error));
  PetscCall(HasAssembled(dm[1], its[0][0], name));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&u[k]));
    PetscCall(DMDestroy(&dm[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Constant(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar u[], void *ctx)
{
  (void)dim, (void)t, (void)x, (void)ctx;
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 1.0 + c;
  return PETSC_SUCCESS;
}

/* How far PETSc's constraints are from the interpolation of a constant, whose dofs on each side they should reproduce */
static PetscErrorCode GetDistance(DM dm, PetscReal *distance)
{
  PetscErrorCode (*f[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Constant};
  Vec global, local, constrained;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(dm, &global));
  PetscCall(DMGetLocalVector(dm, &local));
  PetscCall(DMGetLocalVector(dm, &constrained));
  PetscCall(DMProjectFunctionLocal(dm, 0.0, f, NULL, INSERT_ALL_VALUES, local));
  PetscCall(DMLocalToGlobal(dm, local, INSERT_VALUES, global));
  PetscCall(VecZeroEntries(constrained));
  PetscCall(DMGlobalToLocal(dm, global, INSERT_VALUES, constrained));
  PetscCall(PlexTestVecError(constrained, local, distance));
  PetscCall(DMRestoreLocalVector(dm, &constrained));
  PetscCall(DMRestoreLocalVector(dm, &local));
  PetscCall(DMRestoreGlobalVector(dm, &global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H(div): with a PETSc whose constraints are right the last check fails, and there is no reason any more to leave them */
static PetscErrorCode LookAtVectors(void)
{
  const char *const names[]   = {"linear Lagrange", "BDM"},
                    *spaces[] = {"-petscspace_degree 1", "-petscspace_degree 1 -petscdualspace_type bdm"};
  PetscOptions      options;
  DM                dm;
  PetscFE           fe;
  PetscReal         distance;
  PetscBool         said;
  char             *reason = NULL, *found = NULL;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(CreateMesh(DM_POLYTOPE_TRIANGLE, &dm));
    PetscCall(PetscOptionsCreate(&options));
    PetscCall(PetscOptionsInsertString(options, spaces[k]));
    PetscCall(PetscOptionsPush(options));
    PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, 2, 2, DM_POLYTOPE_TRIANGLE, NULL, 2, &fe));
    PetscCall(PetscOptionsPop());
    PetscCall(PetscOptionsDestroy(&options));
    PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
    PetscCall(DMCreateDS(dm));
    PetscCall(PlexElementsSupported(dm, &reason));
    if (reason) PetscCall(PetscStrstr(reason, "Piola", &found));
    said = (PetscBool)(found != NULL);
    PetscCall(PlexTestReportOf((PetscBool)(said == (k == 1) && !reason == !said), names[k], "left to PETSc", "%s",
                               reason ? reason : "no"));
    PetscCall(PetscFree(reason));
    PetscCall(GetDistance(dm, &distance));
    PetscCall(PlexTestReportOf((PetscBool)(k ? distance > 0.1 : distance < 1e-12), names[k],
                               k ? "PETSc's constraints miss a constant" : "PETSc's constraints keep a constant",
                               "off by %g", (double)distance));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(LookAtTree(backends[k], DM_POLYTOPE_QUADRILATERAL, 1));
    PetscCall(LookAtTree(backends[k], DM_POLYTOPE_QUADRILATERAL, 2));
    PetscCall(LookAtTree(backends[k], DM_POLYTOPE_HEXAHEDRON, 1));
    PetscCall(LookAtOne(backends[k]));
    PetscCall(LookAtNewton(backends[k]));
  }
  PetscCall(LookAtVectors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
