static char help[] = "Residuals and Jacobians of cohesive cells (a fault), by each backend and both types that add, "
                     "compared entry by entry "
                     "with PETSc's own; on any number of processes.\n\n";

#include <plexgpu.h>
#include "fault.h"
#include "report.h"

static const char *backendName, *typeName;

/* ---- Comparison ---- */

/* The largest difference of two vectors over the largest entry of the second */
static PetscErrorCode Difference(Vec a, Vec b, PetscReal *difference)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(a, -1., b));
  PetscCall(VecNorm(a, NORM_INFINITY, difference));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &norm, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, difference, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  *difference = norm > 0. ? *difference / norm : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of matrices */
static PetscErrorCode MatDifference(Mat A, Mat B, PetscReal *difference)
{
  Vec       rows;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, NULL, &rows));
  PetscCall(MatGetRowMaxAbs(B, rows, NULL));
  PetscCall(VecNorm(rows, NORM_INFINITY, &norm));
  PetscCall(MatAXPY(A, -1., B, SAME_NONZERO_PATTERN));
  PetscCall(MatGetRowMaxAbs(A, rows, NULL));
  PetscCall(VecNorm(rows, NORM_INFINITY, difference));
  *difference = norm > 0. ? *difference / norm : PETSC_INFINITY;
  PetscCall(VecDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexAssembly assembly;
  DM           dm;
  PetscFormKey keys[3];
  IS           cells;
  Vec          x, x_t;
  PetscReal    t, shift;
} Problem;

/* PETSc's Jacobian, of one cell after the other: of several it reads the values of other cells' fields */
static PetscErrorCode JacobianPETSc(Problem *p, Mat J, Mat P)
{
  const PetscInt *cells;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(p->cells, &n));
  PetscCall(ISGetIndices(p->cells, &cells));
  for (PetscInt e = 0; e < n; ++e) {
    PetscFormKey keys[3] = {p->keys[0], p->keys[1], p->keys[2]};
    IS           one;

    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 1, &cells[e], PETSC_COPY_VALUES, &one));
    PetscCall(DMPlexComputeJacobianHybridByKey(p->dm, keys, one, p->t, p->shift, p->x, p->x_t, J, P, NULL));
    PetscCall(ISDestroy(&one));
  }
  PetscCall(ISRestoreIndices(p->cells, &cells));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  if (J != P) PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  if (J != P) PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareResidual(Problem *p, PetscReal *difference)
{
  PetscFormKey keys[3] = {p->keys[0], p->keys[1], p->keys[2]};
  Vec          F, reference;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(p->dm, &F));
  PetscCall(VecDuplicate(F, &reference));
  PetscCall(PlexTestFillVector(F, 11)); /* both are added to this */
  PetscCall(VecCopy(F, reference));
  PetscCall(DMPlexComputeResidualHybridByKey(p->dm, keys, p->cells, p->x_t ? p->t : PETSC_MIN_REAL, p->x, p->x_t, p->t,
                                             reference, NULL));
  PetscCall(PlexAssemblyAddCohesiveFunction(p->assembly, p->keys, p->cells, p->x, p->x_t, p->t, F));
  PetscCall(Difference(F, reference, difference));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J and P, both with the Jacobian of the bulk before */
static PetscErrorCode CompareJacobian(Problem *p, PetscBool pre, PetscReal difference[2])
{
  Mat J, P, refJ, refP;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(p->dm, &P));
  PetscCall(DMPlexSNESComputeJacobianFEM(p->dm, p->x, P, P, NULL));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &refP));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &J));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &refJ));
  if (!pre) PetscCall(MatDestroy(&J));
  if (!pre) PetscCall(MatDestroy(&refJ));
  PetscCall(JacobianPETSc(p, pre ? refJ : refP, refP));
  PetscCall(PlexAssemblyAddCohesiveJacobian(p->assembly, p->keys, p->cells, p->x, p->x_t, p->t, p->shift, pre ? J : P,
                                            P));
  if (J) PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  if (J) PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY)); /* where PETSc has added to it */
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDifference(P, refP, &difference[0]));
  difference[1] = 0.;
  if (pre) PetscCall(MatDifference(J, refJ, &difference[1]));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&refJ));
  PetscCall(MatDestroy(&refP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSNES(Problem *p, PetscReal *difference)
{
  Vec F, reference;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(p->dm, &F));
  PetscCall(VecDuplicate(F, &reference));
  PetscCall(DMPlexSNESComputeResidualFEM(p->dm, p->x, reference, NULL));
  PetscCall(PlexAssemblyComputeFunction(p->assembly, p->x, NULL, 0., F));
  PetscCall(Difference(F, reference, difference));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const PlexTestFault *c)
{
  Problem   p = {.t = 0.7, .shift = 1.3};
  PetscReal F, J[2], snes = 0.;
  PetscInt  n;
  PetscBool host;
  char      name[256];

  PetscFunctionBegin;
  PetscCall(PlexTestFaultCreate(PETSC_COMM_WORLD, c, p.keys, &p.cells, &p.dm));
  PetscCall(ISGetLocalSize(p.cells, &n));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(DMCreateLocalVector(p.dm, &p.x));
  PetscCall(PlexTestFillVector(p.x, 1));
  if (c->has & PLEX_TEST_FAULT_TIME) PetscCall(VecDuplicate(p.x, &p.x_t));
  if (c->has & PLEX_TEST_FAULT_TIME) PetscCall(PlexTestFillVector(p.x_t, 2));
  PetscCall(PlexAssemblyCreate(p.dm, &p.assembly));
  PetscCall(PlexAssemblySetBackend(p.assembly, backendName));
  PetscCall(PlexAssemblySetPointwiseSource(p.assembly, PLEX_TEST_COHESIVE));
  PetscCall(PetscStrcmp(backendName, PLEXBACKENDHOST, &host));
  if (!host) PetscCall(PlexAssemblySetType(p.assembly, typeName));
  PetscCall(CompareResidual(&p, &F));
  PetscCall(CompareJacobian(&p, (PetscBool)(c->has & PLEX_TEST_FAULT_PRE), J));
  /* PETSc takes the keys of the sides in the order of a hash, of addresses: with auxiliary fields by key it may miss them */
  if (!(c->has & (PLEX_TEST_FAULT_TIME | PLEX_TEST_FAULT_AUX))) PetscCall(CompareSNES(&p, &snes));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s, degree %" PetscInt_FMT ", %" PetscInt_FMT " cohesive cells%s%s%s%s%s, %s %s",
                          DMPolytopeTypes[c->cell], c->degree, n,
                          c->has & PLEX_TEST_FAULT_AUX ? ", auxiliary fields" : "",
                          c->has & PLEX_TEST_FAULT_TIME ? ", time" : "",
                          c->has & PLEX_TEST_FAULT_PRE ? ", preconditioner" : "",
                          c->has & PLEX_TEST_FAULT_SCALAR ? ", four fields" : "",
                          c->has & PLEX_TEST_FAULT_PART ? ", ends inside" : "", backendName, host ? "" : typeName));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-13 && J[0] <= 1e-13 && J[1] <= 1e-13 && snes <= 1e-13), name,
                           "relative errors: residual %g, Jacobian %g and %g, residual of SNES %g", (double)F,
                           (double)J[0], (double)J[1], (double)snes));
  PetscCall(PlexAssemblyDestroy(&p.assembly));
  PetscCall(VecDestroy(&p.x));
  PetscCall(VecDestroy(&p.x_t));
  PetscCall(ISDestroy(&p.cells));
  PetscCall(DMDestroy(&p.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc does not transform: derivatives of basis functions */
static PetscErrorCode AddDerivatives(void *ctx)
{
  const PlexTestFault c = {DM_POLYTOPE_TRIANGLE, 2, 1, PLEX_TEST_FAULT_DERIVATIVES};
  Problem             p = {.t = 0.7, .shift = 1.3};
  PetscReal           F;

  PetscFunctionBegin;
  PetscCall(PlexTestFaultCreate(PETSC_COMM_WORLD, &c, p.keys, &p.cells, &p.dm));
  PetscCall(DMCreateLocalVector(p.dm, &p.x));
  PetscCall(PlexTestFillVector(p.x, 1));
  PetscCall(PlexAssemblyCreate(p.dm, &p.assembly));
  PetscCall(PlexAssemblySetBackend(p.assembly, PLEXBACKENDHOST));
  PetscCall(PlexAssemblySetFallback(p.assembly, *(PetscBool *)ctx));
  PetscCall(CompareResidual(&p, &F));
  PetscCall(PlexTestReport((PetscBool)(F == 0.), "derivatives of test functions are left to PETSc", "difference %g",
                           (double)F));
  PetscCall(PlexAssemblyDestroy(&p.assembly));
  PetscCall(VecDestroy(&p.x));
  PetscCall(ISDestroy(&p.cells));
  PetscCall(DMDestroy(&p.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A process without cohesive cells may have no functions for them: PETSc asks for none there. The last one has neither */
static PetscErrorCode LeaveOutFunctions(PetscBool last)
{
  const PlexTestFault c = {DM_POLYTOPE_TRIANGLE, 2, 1, 0}; /* one cohesive cell a process, where there are two */
  Problem             p = {.t = 0.7, .shift = 1.3};
  PetscReal           F, J[2];
  PetscInt            Nds;
  DMField             field;

  PetscFunctionBegin;
  PetscCall(PlexTestFaultCreate(PETSC_COMM_WORLD, &c, p.keys, &p.cells, &p.dm));
  PetscCall(DMGetNumDS(p.dm, &Nds));
  for (PetscInt s = 0; s < Nds && last; ++s) {
    PetscDS       ds;
    PetscWeakForm wf;
    PetscBool     cohesive;

    PetscCall(DMGetRegionNumDS(p.dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSIsCohesive(ds, &cohesive));
    PetscCall(PetscDSGetWeakForm(ds, &wf));
    if (cohesive) PetscCall(PetscWeakFormClear(wf));
  }
  if (last) PetscCall(ISDestroy(&p.cells));
  if (last) PetscCall(ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, &p.cells));
  PetscCall(DMGetCoordinateField(p.dm, &field)); /* which PETSc makes where it has cells */
  PetscCall(DMCreateLocalVector(p.dm, &p.x));
  PetscCall(PlexTestFillVector(p.x, 1));
  PetscCall(PlexAssemblyCreate(p.dm, &p.assembly));
  PetscCall(PlexAssemblySetBackend(p.assembly, PLEXBACKENDHOST));
  PetscCall(CompareResidual(&p, &F));
  PetscCall(CompareJacobian(&p, PETSC_FALSE, J));
  PetscCall(PlexTestReport((PetscBool)(F == 0. && J[0] == 0.),
                           "no functions on a process without cohesive cells: left to PETSc", "differences %g and %g",
                           (double)F, (double)J[0]));
  PetscCall(PlexAssemblyDestroy(&p.assembly));
  PetscCall(VecDestroy(&p.x));
  PetscCall(ISDestroy(&p.cells));
  PetscCall(DMDestroy(&p.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestFault cases[] = {
    {DM_POLYTOPE_TRIANGLE,      2, 1, 0                                           },
    {DM_POLYTOPE_TRIANGLE,      4, 2, PLEX_TEST_FAULT_AUX | PLEX_TEST_FAULT_TIME  },
    {DM_POLYTOPE_QUADRILATERAL, 3, 1, PLEX_TEST_FAULT_AUX | PLEX_TEST_FAULT_PRE   },
    {DM_POLYTOPE_QUADRILATERAL, 2, 2, PLEX_TEST_FAULT_SCALAR                      },
    {DM_POLYTOPE_TETRAHEDRON,   2, 1, PLEX_TEST_FAULT_AUX | PLEX_TEST_FAULT_SCALAR},
    {DM_POLYTOPE_TETRAHEDRON,   2, 2, PLEX_TEST_FAULT_TIME                        },
    {DM_POLYTOPE_HEXAHEDRON,    2, 1, PLEX_TEST_FAULT_AUX | PLEX_TEST_FAULT_PRE   },
    {DM_POLYTOPE_HEXAHEDRON,    2, 2, 0                                           },
    {DM_POLYTOPE_HEXAHEDRON,    4, 1, PLEX_TEST_FAULT_PART                        }
  };
  const char *const  types[] = {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYELEMENTCOLOR};
  const char *const *backends;
  PetscInt           n, turn = 0, only = -1;
  PetscBool          fallback = PETSC_TRUE;
  PetscMPIInt        size, rank;

  if (PETSC_VERSION_LT(3, 26, 0))
    return PlexTestSkip(argc, argv, help, "cohesive: cohesive cells are assembled with PETSc 3.26 and newer");
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-case", &only, NULL));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      backendName = backends[b];
      typeName    = types[turn++ % 2];
      if (only < 0 || only == (PetscInt)k) PetscCall(Test(&cases[k]));
    }
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (only < 0 && size > 1) PetscCall(LeaveOutFunctions((PetscBool)(rank == size - 1)));
  if (only < 0 && size == 1) {
    PetscCall(AddDerivatives(&fallback));
    fallback = PETSC_FALSE;
    EXPECT("derivatives of test functions, without fallback", AddDerivatives, &fallback, "f1 of field 1",
           "does not transform");
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
