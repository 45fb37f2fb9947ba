static char help[] = "Dofs along a Hilbert curve, PLEXREORDERHILBERT: the same problems and solutions, point by point, "
                     "and neighbours beside each other.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include "benchmarks/shuffle.h"

typedef struct {
  const char     *name;
  PlexTestProblem problem;
  PetscInt        overlap;
} Case;

// clang-format off
static const Case cases[] = {
  {"triangles", {.cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .components = 1, .form = PLEX_TEST_DIFFUSION}, 0},
  {"triangles of order 4", {.cell = DM_POLYTOPE_TRIANGLE, .degree = 4, .components = 1, .form = PLEX_TEST_DIFFUSION},
   1},
  {"two fields on triangles", {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 2, .form = PLEX_TEST_MIXED}, 1},
  {"tetrahedra", {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3, .components = 1, .form = PLEX_TEST_DIFFUSION}, 0},
  {"vectors on tetrahedra", {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 3,
   .form = PLEX_TEST_SYMMETRIC}, 0},
  {"quadrilaterals", {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3, .components = 1, .form = PLEX_TEST_GENERAL}, 0},
  {"hexahedra", {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION}, 0}
};
// clang-format on

static const char *const types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                    PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                    PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

static PetscErrorCode SetOrder(DM dm, MatOrderingType order)
{
  PetscFunctionBegin;
  PetscCall(DMReorderSectionSetDefault(dm, DM_REORDER_DEFAULT_TRUE));
  PetscCall(DMReorderSectionSetType(dm, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* order NULL: that of the mesh's points */
static PetscErrorCode CreateDM(const Case *c, MatOrderingType order, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->problem.cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, c->overlap, PETSC_FALSE));
  if (order) PetscCall(SetOrder(*dm, order));
  PetscCall(PlexTestProblemSetUp(*dm, &c->problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every entry of a section has one place: each point's dofs, one after the other */
static PetscErrorCode IsWhole(PetscSection section, PetscBool *whole)
{
  PetscInt pStart, pEnd, n, seen = 0, *times;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(PetscCalloc1(n, &times));
  *whole = PETSC_TRUE;
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dof, offset;

    PetscCall(PetscSectionGetDof(section, p, &dof));
    PetscCall(PetscSectionGetOffset(section, p, &offset));
    for (PetscInt d = 0; d < dof; ++d) {
      if (offset + d >= n || times[offset + d]++) *whole = PETSC_FALSE;
      ++seen;
    }
  }
  *whole = (PetscBool)(*whole && seen == n);
  PetscCall(PetscFree(times));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, whole, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of two global vectors on the same points, over the largest value; moved: points whose dofs are
   elsewhere */
static PetscErrorCode PointsDifference(DM a, Vec x, DM b, Vec y, PetscReal *difference, PetscInt *moved)
{
  DM                 dm[2]     = {a, b};
  Vec                global[2] = {x, y}, local[2];
  const PetscScalar *value[2];
  PetscSection       section[2];
  PetscInt           pStart, pEnd;
  PetscReal          most[2] = {0., 0.};

  PetscFunctionBegin;
  *moved = 0;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMGetLocalSection(dm[k], &section[k]));
    PetscCall(DMGetLocalVector(dm[k], &local[k]));
    PetscCall(VecZeroEntries(local[k]));
    PetscCall(DMGlobalToLocal(dm[k], global[k], INSERT_VALUES, local[k]));
    PetscCall(VecGetArrayRead(local[k], &value[k]));
  }
  PetscCall(PetscSectionGetChart(section[0], &pStart, &pEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dof[2], offset[2];

    for (PetscInt k = 0; k < 2; ++k) {
      PetscCall(PetscSectionGetDof(section[k], p, &dof[k]));
      PetscCall(PetscSectionGetOffset(section[k], p, &offset[k]));
    }
    PetscCheck(dof[0] == dof[1], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Point %" PetscInt_FMT " has %" PetscInt_FMT " dofs and %" PetscInt_FMT, p, dof[0], dof[1]);
    *moved += dof[0] && offset[0] != offset[1];
    for (PetscInt d = 0; d < dof[0]; ++d) {
      const PetscScalar u = value[0][offset[0] + d], v = value[1][offset[1] + d];

      most[0] = PetscMax(most[0], PetscIsNanScalar(v) ? PETSC_MAX_REAL : PetscAbsScalar(u - v));
      most[1] = PetscMax(most[1], PetscAbsScalar(u));
    }
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecRestoreArrayRead(local[k], &value[k]));
    PetscCall(DMRestoreLocalVector(dm[k], &local[k]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moved, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  *difference = most[0] / most[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problem solved in both orders, assembled by PETSc where the order is the points', and by the host here */
static PetscErrorCode LookAtSolution(const Case *c)
{
  DM           plain, curve;
  Vec          x, y;
  PetscInt     its[2][2], moved;
  PetscReal    difference = PETSC_MAX_REAL;
  PetscSection section;
  PetscBool    whole;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, NULL, &plain));
  PetscCall(CreateDM(c, PLEXREORDERHILBERT, &curve));
  PetscCall(PlexTestNewton(plain, NULL, its[0], &x));
  PetscCall(PlexTestNewton(curve, PLEXBACKENDHOST, its[1], &y));
  PetscCall(DMGetLocalSection(curve, &section));
  PetscCall(IsWhole(section, &whole));
  PetscCall(PlexTestReportOf(whole, c->name, "each dof has a place", "some have none, or several have one"));
  PetscCall(PointsDifference(plain, x, curve, y, &difference, &moved));
  PetscCall(PlexTestReportOf((PetscBool)(difference <= 1e-8 && moved), c->name, "the same solution on each point",
                             "iterations %" PetscInt_FMT " and %" PetscInt_FMT ", difference %g, %" PetscInt_FMT
                             " points moved",
                             its[0][0], its[1][0], (double)difference, moved));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(DMDestroy(&plain));
  PetscCall(DMDestroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries against PETSc's own assembly of the same DM */
static PetscErrorCode LookAtEntries(const Case *c, const char backend[], const char type[])
{
  PlexAssembly assembly;
  PetscReal    F, J;
  DM           dm;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(CreateDM(c, PLEXREORDERHILBERT, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  if (type) PetscCall(PlexAssemblySetType(assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, dm, &F, &J));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s%s%s", c->name, backend, type ? ", " : "", type ? type : ""));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-12 && J <= 1e-12), name, "relative errors: residual %g, Jacobian %g",
                           (double)F, (double)J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtHost(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    PetscCall(LookAtEntries(&cases[k], PLEXBACKENDHOST, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtKernels(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); ++t)
      if (PlexTestWanted()) PetscCall(LookAtEntries(&cases[k], backend, types[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean distance in memory of the vertices of an edge, with fields of order 1 */
static PetscErrorCode EdgeLength(DM dm, PetscReal *length)
{
  PetscSection section;
  PetscInt     eStart, eEnd;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMPlexGetDepthStratum(dm, 1, &eStart, &eEnd));
  *length = 0.;
  for (PetscInt e = eStart; e < eEnd; ++e) {
    const PetscInt *cone;
    PetscInt        offset[2];

    PetscCall(DMPlexGetCone(dm, e, &cone));
    for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscSectionGetOffset(section, cone[k], &offset[k]));
    *length += (PetscReal)PetscAbsInt(offset[1] - offset[0]) / (PetscReal)(eEnd - eStart);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh numbered at random, in its own order and along the curve: of n vertices those of an edge are n / 3 apart, or
   about the root of n */
static PetscErrorCode LookAtNeighbours(void)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  PetscReal             length[2];
  PetscInt              vStart, vEnd;
  DM                    dm, fine;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestMesh(PETSC_COMM_SELF, problem.cell, 0, &dm));
    for (PetscInt l = 0; l < 4; ++l) {
      PetscCall(DMRefine(dm, PETSC_COMM_SELF, &fine));
      PetscCall(DMDestroy(&dm));
      dm = fine;
    }
    PetscCall(MeshShuffle(&dm, 1));
    if (k) PetscCall(SetOrder(dm, PLEXREORDERHILBERT));
    PetscCall(PlexTestProblemSetUp(dm, &problem));
    PetscCall(EdgeLength(dm, &length[k]));
    PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReport((PetscBool)(length[0] > 0.3 * (vEnd - vStart) &&
                                       length[1] < 3. * PetscSqrtReal(vEnd - vStart)),
                           "neighbours beside each other",
                           "%" PetscInt_FMT " vertices; those of an edge are %g apart at random, %g along the curve",
                           vEnd - vStart, (double)length[0], (double)length[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the points' dofs come in falling order, in rising order, or in neither */
static PetscErrorCode Direction(DM dm, PetscInt *direction)
{
  PetscSection section;
  PetscInt     pStart, pEnd, last = -1, rising = 0, falling = 0;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dof, offset;

    PetscCall(PetscSectionGetDof(section, p, &dof));
    PetscCall(PetscSectionGetOffset(section, p, &offset));
    if (!dof) continue;
    rising += last >= 0 && offset > last;
    falling += last >= 0 && offset < last;
    last = offset;
  }
  *direction = !falling ? 1 : !rising ? -1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whose the order is: PETSc's own types stay, a clone has ours once it is assembled here */
static PetscErrorCode LookAtTypes(void)
{
  const Case *c = &cases[2];
  PetscInt    direction[4];
  DM          dm, clone;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, NULL, &dm));
  PetscCall(Direction(dm, &direction[0]));
  PetscCall(DMDestroy(&dm));
  PetscCall(CreateDM(c, "reverse", &dm));
  PetscCall(Direction(dm, &direction[1]));
  /* PETSc, which does not copy operations, does not know the type, and then keeps the order */
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMClone(dm, &clone));
    PetscCall(DMCopyFields(dm, PETSC_DETERMINE, PETSC_DETERMINE, clone));
    PetscCall(DMCreateDS(clone));
    PetscCall(SetOrder(clone, PLEXREORDERHILBERT));
    if (k) PetscCall(PlexAssemblySetSNESLocal(clone, NULL));
    PetscCall(Direction(clone, &direction[2 + k]));
    PetscCall(DMDestroy(&clone));
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestReport((PetscBool)(direction[0] == 1 && direction[1] == -1), "PETSc's own types of order",
                           "without %" PetscInt_FMT ", reverse %" PetscInt_FMT, direction[0], direction[1]));
  PetscCall(PlexTestReport((PetscBool)(direction[2] == 1 && direction[3] == 0), "a clone that is assembled here",
                           "before %" PetscInt_FMT ", then %" PetscInt_FMT, direction[2], direction[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage()); /* before the DMs */
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    if (cases[k].problem.form == PLEX_TEST_DIFFUSION) PetscCall(LookAtSolution(&cases[k]));
  if (size == 1) {
    PetscCall(LookAtNeighbours());
    PetscCall(LookAtTypes());
  }
  PetscCall(PlexTestEachBackend(LookAtKernels, LookAtHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
