static char
  help[] = "Multigrid of degrees, -pc_type plexpmg: transfers, iterations under refinement, elasticity, Newton's "
           "method, assembled matrices, messages.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include "pmg.h"
#include <petscpc.h>

#define TRI  DM_POLYTOPE_TRIANGLE
#define QUAD DM_POLYTOPE_QUADRILATERAL
#define TET  DM_POLYTOPE_TETRAHEDRON
#define HEX  DM_POLYTOPE_HEXAHEDRON

typedef enum {
  LAPLACE,   /* values on the boundary */
  MASS,      /* -lap u + u, nothing is held */
  ELASTIC,   /* components as dimensions, held on a part of the boundary */
  NONLINEAR, /* -div((1 + u^2) grad u) */
  NEOHOOKE,  /* held and loaded as ELASTIC */
  AUXILIARY, /* a field as coefficient */
  ROBIN,     /* facets: without them all matrices are singular */
} Form;

typedef struct {
  DMPolytopeType cell;
  PetscInt       degree, refine;
  Form           form;
  const char    *backend;
  MatType        type;   /* NULL: plexgpu */
  KSPType        ksp;    /* NULL: CG */
  const char    *coarse; /* NULL: LU */
} Case;

static PetscBool Solid(const Case *c)
{
  return (PetscBool)(c->form == ELASTIC || c->form == NEOHOOKE);
}

static PetscBool device = PETSC_FALSE; /* vectors and matrices of CUDA types */

static PetscErrorCode CreateMesh(const Case *c, DM *dm)
{
  const PetscInt n[3]   = {2, 2, 2};
  PetscBool      levels = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-pc_plexpmg_geometric", &levels, NULL));
  if (c->cell == HEX) PetscCall(PlexTestHexahedronBox(PETSC_COMM_WORLD, n, PETSC_FALSE, dm));
  else if (c->form == NEOHOOKE)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, NULL, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  for (PetscInt r = 0; r < c->refine; ++r) {
    DM fine;

    PetscCall(DMRefine(*dm, PETSC_COMM_WORLD, &fine));
    if (levels) PetscCall(DMSetCoarseDM(fine, *dm));
    if (levels) PetscCall(DMPlexSetRegularRefinement(fine, PETSC_TRUE));
    PetscCall(DMDestroy(dm));
    *dm = fine;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficient(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                                  void *ctx)
{
  (void)dim, (void)time, (void)Nc, (void)ctx;
  u[0] = 1. + 5. * x[0] * x[0];
  return PETSC_SUCCESS;
}

static PetscErrorCode SetAuxiliary(DM dm, const Case *c)
{
  PetscErrorCode (*function[])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Coefficient};
  PetscInt dim;
  PetscFE  fe;
  DM       dmAux;
  Vec      a;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, dim, 1, c->cell, 1, c->degree, &fe));
  PetscCall(DMAddField(dmAux, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(DMCreateLocalVector(dmAux, &a));
  PetscCall(DMProjectFunctionLocal(dmAux, 0., function, NULL, INSERT_ALL_VALUES, a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetRobin(DM dm, PetscDS ds, DMLabel label)
{
  const PetscInt one = 1;
  PetscWeakForm  wf;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "robin", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, 1, 0, 0, 0, f0_robin, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, 1, 0, 0, 0, 0, g0_robin, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetForm(DM dm, const Case *c)
{
  const PetscInt one = 1;
  PetscDS        ds;
  DMLabel        label;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  switch (c->form) {
  case LAPLACE:
  case ROBIN:
    PetscCall(PetscDSSetResidual(ds, 0, f0_one, f1_laplace));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_laplace));
    break;
  case MASS:
    PetscCall(PetscDSSetResidual(ds, 0, f0_mass, f1_laplace));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_mass, NULL, NULL, g3_laplace));
    break;
  case ELASTIC:
    PetscCall(PetscDSSetResidual(ds, 0, f0_one, f1_elastic));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_elastic));
    break;
  case NEOHOOKE:
    PetscCall(PetscDSSetResidual(ds, 0, f0_load, f1_neohooke));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_neohooke));
    break;
  case AUXILIARY:
    PetscCall(PetscDSSetResidual(ds, 0, f0_one, f1_auxiliary));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_auxiliary));
    PetscCall(SetAuxiliary(dm, c));
    break;
  case NONLINEAR:
    PetscCall(PetscDSSetResidual(ds, 0, f0_nonlinear, f1_nonlinear));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, g2_nonlinear, g3_nonlinear));
    break;
  }
  if (c->form == MASS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLabel(dm, Solid(c) ? "held" : "boundary", &label));
  if (c->form == ROBIN) PetscCall(SetRobin(dm, ds, label));
  else PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(const Case *c, DM *dm)
{
  PlexAssembly assembly;
  PetscInt     dim;
  PetscFE      fe;

  PetscFunctionBegin;
  PetscCall(CreateMesh(c, dm));
  PetscCall(DMGetDimension(*dm, &dim));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, dim, Solid(c) ? dim : 1, c->cell, c->degree, PETSC_DETERMINE,
                                        &fe));
  PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(SetForm(*dm, c));
  PetscCall(PlexAssemblySetSNESLocal(*dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(*dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, c->backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, "tests/solvers/pmg.h"));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(DMSetMatType(*dm, c->type ? c->type : MATPLEXGPU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(const Case *c, DM dm, SNES *snes)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-mg_coarse_pc_type", c->coarse ? c->coarse : "redundant"));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, snes));
  PetscCall(SNESSetType(*snes, c->form == NONLINEAR || c->form == NEOHOOKE ? SNESNEWTONLS : SNESKSPONLY));
  PetscCall(SNESSetDM(*snes, dm));
  PetscCall(SNESGetKSP(*snes, &ksp));
  PetscCall(KSPSetType(ksp, c->ksp ? c->ksp : KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 50));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPLEXPMG));
  PetscCall(SNESSetFromOptions(*snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* its: of SNES and of KSP, all together; u NULL: not wanted */
static PetscErrorCode Solve(const Case *c, PetscInt its[2], Vec *u)
{
  SNESConvergedReason reason;
  SNES                snes;
  Vec                 x;
  DM                  dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(c, &dm));
  PetscCall(CreateSolver(c, dm, &snes));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecSet(x, 0.0));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESGetIterationNumber(snes, &its[0]));
  PetscCall(SNESGetLinearSolveIterations(snes, &its[1]));
  if (reason <= 0) its[1] = 1000;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, degree %d, form %d, %s, refined %d: %d, %d iterations\n",
                        DMPolytopeTypes[c->cell], (int)c->degree, (int)c->form, c->backend, (int)c->refine, (int)its[0],
                        (int)its[1]));
  if (u) *u = x;
  else PetscCall(VecDestroy(&x));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Transfers */

static PetscErrorCode Polynomial(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                                 void *ctx)
{
  const PetscInt degree = *(PetscInt *)ctx;

  (void)time;
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 1. + c + PetscPowRealInt(x[0] - 0.3 * x[dim - 1] + 0.1 * c, (int)degree);
  return PETSC_SUCCESS;
}

static PetscErrorCode Project(DM dm, PetscInt degree, Vec u)
{
  PetscErrorCode (*function[])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Polynomial};
  void *ctx[]                                                                                           = {&degree};

  PetscFunctionBegin;
  PetscCall(DMProjectFunction(dm, 0., function, ctx, INSERT_ALL_VALUES, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *exact: error of a polynomial's interpolation, *adjoint: |(P x, y) - (x, P^T y)| over |P x| |y| */
static PetscErrorCode CompareTransfer(PC pc, PetscInt l, PetscInt degree, PetscReal *exact, PetscReal *adjoint)
{
  KSP         ksp[2];
  DM          dm[2];
  Mat         P;
  Vec         u[2], x, y, Px, Py;
  PetscScalar dot[2];
  PetscReal   norm[2];

  PetscFunctionBegin;
  PetscCall(PCMGGetInterpolation(pc, l, &P));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PCMGGetSmoother(pc, l - 1 + k, &ksp[k]));
    PetscCall(KSPGetDM(ksp[k], &dm[k]));
    PetscCall(DMCreateGlobalVector(dm[k], &u[k]));
    PetscCall(Project(dm[k], degree, u[k]));
  }
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(VecDuplicate(u[1], &y));
  PetscCall(VecDuplicate(u[1], &Px));
  PetscCall(VecDuplicate(u[0], &Py));
  PetscCall(MatMult(P, u[0], Px));
  PetscCall(PlexTestVecError(Px, u[1], exact));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecSetRandom(y, NULL));
  PetscCall(MatMult(P, x, Px));
  PetscCall(MatMultTranspose(P, y, Py));
  PetscCall(VecTDot(Px, y, &dot[0]));
  PetscCall(VecTDot(x, Py, &dot[1]));
  PetscCall(VecNorm(Px, NORM_2, &norm[0]));
  PetscCall(VecNorm(y, NORM_2, &norm[1]));
  *adjoint = PetscAbsScalar(dot[0] - dot[1]) / (norm[0] * norm[1]);
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&Px));
  PetscCall(VecDestroy(&Py));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtTransfers(const Case *c)
{
  PetscReal exact = 0., adjoint = 0.;
  PetscInt  n, degree           = c->degree;
  SNES      snes;
  KSP       ksp;
  PC        pc;
  Vec       x;
  DM        dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(c, &dm));
  PetscCall(CreateSolver(c, dm, &snes));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecSet(x, 0.0));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetLevels(pc, &n));
  for (PetscInt l = n - 1; l > 0; --l) {
    degree /= 2;
    PetscCall(CompareTransfer(pc, l, c->form == MASS ? degree : 0, &exact, &adjoint));
    if (c->form == MASS)
      PetscCall(PlexTestReportOf((PetscBool)(exact <= 1e-13), DMPolytopeTypes[c->cell],
                                 "interpolation is exact on polynomials of the coarse degree", "level %d: %.3g", (int)l,
                                 (double)exact));
    PetscCall(PlexTestReportOf((PetscBool)(adjoint <= 1e-14), DMPolytopeTypes[c->cell],
                               "restriction is the transpose of interpolation", "level %d: %.3g", (int)l,
                               (double)adjoint));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Settings */

/* A level's assembly has what the program last said of symmetry, and a solve with it takes as many iterations */
static PetscErrorCode LookAtSymmetry(void)
{
  const Case      c      = {TRI, 2, 0, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};
  const PetscBool said[] = {PETSC_TRUE, PETSC_FALSE, PETSC_TRUE};
  PlexAssembly    assembly, coarse;
  SNES            snes;
  KSP             ksp, smoother;
  PC              pc;
  Vec             x;
  DM              dm, below;

  PetscFunctionBegin;
  PetscCall(CreateProblem(&c, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(CreateSolver(&c, dm, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(DMCreateGlobalVector(dm, &x));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(said); ++k) {
    PetscBool set, symmetric;
    PetscInt  its;

    PetscCall(PlexAssemblySetSymmetric(assembly, said[k]));
    PetscCall(VecSet(x, 0.0));
    PetscCall(SNESSolve(snes, NULL, x));
    PetscCall(SNESGetLinearSolveIterations(snes, &its));
    PetscCall(PCMGGetSmoother(pc, 0, &smoother));
    PetscCall(KSPGetDM(smoother, &below));
    PetscCall(PlexAssemblyGetFromDM(below, &coarse));
    PetscCall(PlexAssemblyGetSymmetric(coarse, &set, &symmetric));
    PetscCall(PlexTestReport((PetscBool)(coarse != assembly && set && symmetric == said[k] &&
                                         coarse->product[PLEX_JACOBIAN].symmetric == said[k] && its <= 15),
                             said[k] ? "a level is symmetric" : "a level's symmetry is taken back",
                             "set %d, symmetric %d, half of the entries %d, %d iterations", (int)set, (int)symmetric,
                             (int)coarse->product[PLEX_JACOBIAN].symmetric, (int)its));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Iterations */

static PetscErrorCode LookAtRefinement(Case c, PetscInt refine)
{
  PetscInt its[2][2];
  char     name[64];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < 2; ++r) {
    c.refine = refine + r;
    PetscCall(Solve(&c, its[r], NULL));
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s of degree %d", DMPolytopeTypes[c.cell], (int)c.degree));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][1] <= 15 && its[1][1] <= 15 && its[1][1] <= its[0][1] + 2), name,
                             c.form == ELASTIC ? "elasticity, iterations" : "Laplace, iterations", "%d and %d",
                             (int)its[0][1], (int)its[1][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh is too coarse to say what refinement does */
static PetscErrorCode LookAtTetrahedra(void)
{
  const Case c = {TET, 2, 1, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};
  PetscInt   its[2];

  PetscFunctionBegin;
  PetscCall(Solve(&c, its, NULL));
  PetscCall(PlexTestReport((PetscBool)(its[1] <= 15), "tetrahedron of degree 2: Laplace, iterations", "%d",
                           (int)its[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state is taken down to the levels: Newton's iterations take as many of the linear solver as a linear problem */
static PetscErrorCode LookAtNewton(void)
{
  Case      c = {TRI, 3, 1, NONLINEAR, PLEXBACKENDHOST, NULL, KSPGMRES, NULL};
  PetscInt  its[2][2];
  PetscReal error;
  Vec       u[2];

  PetscFunctionBegin;
  PetscCall(Solve(&c, its[0], &u[0]));
  c.type = MATAIJ;
  PetscCall(Solve(&c, its[1], &u[1]));
  PetscCall(PlexTestVecError(u[0], u[1], &error));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][0] > 2 && its[0][1] <= 15 * its[0][0]), "Newton",
                             "iterations with a matrix of type plexgpu", "%d, of the linear solver %d", (int)its[0][0],
                             (int)its[0][1]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][0] == its[1][0] && its[0][1] == its[1][1] && error <= 1e-10), "Newton",
                             "the same with an assembled one, whose state is kept", "%d and %d, error %.3g",
                             (int)its[1][0], (int)its[1][1], (double)error));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With options that are set for these solves alone: GAMG's cycles, or coarser meshes, in the place of LU factors */
static PetscErrorCode LookAtCoarse(Case c, const char option[], const char coarse[], const char what[])
{
  PetscInt its[2][2], lu[2];
  char     name[64];

  PetscFunctionBegin;
  c.refine = 2;
  PetscCall(Solve(&c, lu, NULL));
  PetscCall(PetscOptionsSetValue(NULL, option, "true"));
  c.coarse = coarse;
  for (PetscInt r = 0; r < 2; ++r) {
    c.refine = 1 + r;
    PetscCall(Solve(&c, its[r], NULL));
  }
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s of degree %d, form %d", DMPolytopeTypes[c.cell], (int)c.degree,
                          (int)c.form));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][1] <= 15 && its[1][1] <= 15 && its[1][1] <= lu[1] + 2), name, what,
                             "%d and %d iterations, with LU %d", (int)its[0][1], (int)its[1][1], (int)lu[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's steps take as many iterations of CG on a finer mesh, each with new operators on all levels */
static PetscErrorCode LookAtNeoHooke(void)
{
  Case     c = {QUAD, 2, 0, NEOHOOKE, PLEXBACKENDHOST, NULL, NULL, PCMG}; /* 4^2 and 8^2 cells */
  PetscInt its[2][2];

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_geometric", "true"));
  for (PetscInt r = 0; r < 2; ++r) {
    c.refine = 1 + r;
    PetscCall(Solve(&c, its[r], NULL));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_geometric"));
  PetscCall(PlexTestReport((PetscBool)(its[0][0] > 2 && its[1][1] <= 15 * its[1][0] &&
                                       its[1][1] * its[0][0] <= (its[0][1] + 2 * its[0][0]) * its[1][0]),
                           "neo-Hooke: iterations of a Newton step", "%d of %d steps and %d of %d", (int)its[0][1],
                           (int)its[0][0], (int)its[1][1], (int)its[1][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = J x of a Neo-Hooke problem at a state; stored: by coefficients */
static PetscErrorCode Apply(const char backend[], PlexApply apply, Vec *y, PetscBool *stored)
{
  const Case   c = {QUAD, 2, 0, NEOHOOKE, backend, NULL, NULL, NULL};
  PlexAssembly assembly;
  DM           dm;
  Mat          J;
  Vec          u, x;

  PetscFunctionBegin;
  PetscCall(CreateProblem(&c, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetApply(assembly, apply));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateLocalVector(dm, &u));
  PetscCall(VecSetRandom(u, NULL));
  PetscCall(VecScale(u, 0.01));
  PetscCall(PlexAssemblyComputeJacobian(assembly, u, NULL, 0., 0., J, J));
  PetscCall(MatCreateVecs(J, &x, y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(J, x, *y));
  *stored = assembly->action[PLEX_ACTION_APPLY]->product[PLEX_RESIDUAL].stored;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state has many products: coefficients are stored though nothing is known of their symmetry */
static PetscErrorCode LookAtChoice(const char backend[])
{
  Vec       y[2];
  PetscBool stored[2];
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(Apply(backend, PLEX_APPLY_AUTO, &y[0], &stored[0]));
  PetscCall(Apply(backend, PLEX_APPLY_EVALUATED, &y[1], &stored[1]));
  PetscCall(PlexTestVecError(y[0], y[1], &error));
  PetscCall(PlexTestReportOf((PetscBool)(stored[0] && !stored[1] && error <= 1e-12), backend,
                             "neo-Hooke: coefficients are stored", "stored %d and %d, error %.3g", (int)stored[0],
                             (int)stored[1], (double)error));
  PetscCall(VecDestroy(&y[0]));
  PetscCall(VecDestroy(&y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigid motions of the lowest degree: those of its DM, or those that the program has given its matrix, which are the
   same space */
static PetscErrorCode GetMotions(PetscBool given, SNES *snes, DM *dm, PetscInt *n, const Vec **motions)
{
  const Case   c = {TRI, 4, 0, ELASTIC, PLEXBACKENDHOST, NULL, NULL, "gamg"};
  MatNullSpace space;
  PetscBool    constant;
  Mat          A;
  KSP          ksp;
  PC           pc;
  Vec          x;

  PetscFunctionBegin;
  PetscCall(CreateProblem(&c, dm));
  PetscCall(DMCreateMatrix(*dm, &A));
  if (given) {
    PetscCall(DMPlexCreateRigidBody(*dm, 0, &space));
    PetscCall(MatSetNearNullSpace(A, space));
    PetscCall(MatNullSpaceDestroy(&space));
  } else PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_rigid_body", "true"));
  PetscCall(CreateSolver(&c, *dm, snes));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_rigid_body"));
  PetscCall(SNESSetJacobian(*snes, A, A, NULL, NULL));
  PetscCall(DMCreateGlobalVector(*dm, &x));
  PetscCall(VecSet(x, 0.0));
  PetscCall(SNESSolve(*snes, NULL, x));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(SNESGetKSP(*snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetSmoother(pc, 0, &ksp));
  PetscCall(KSPGetOperators(ksp, NULL, &A));
  PetscCall(MatGetNearNullSpace(A, &space));
  *n = 0;
  if (space) PetscCall(MatNullSpaceGetVecs(space, &constant, n, motions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMotions(void)
{
  SNES       snes[2];
  DM         dm[2];
  PetscInt   n[2];
  const Vec *motions[2];
  PetscReal  most = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(GetMotions((PetscBool)(k == 1), &snes[k], &dm[k], &n[k], &motions[k]));
  for (PetscInt i = 0; i < n[1] && n[0] == 3; ++i) {
    PetscReal norm = 1.; /* |v|^2 - sum_j (v, w_j)^2 */

    for (PetscInt j = 0; j < n[0]; ++j) {
      PetscScalar dot;

      PetscCall(VecDot(motions[1][i], motions[0][j], &dot));
      norm -= PetscRealPart(dot * PetscConj(dot));
    }
    most = PetscMax(most, PetscAbsReal(norm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(n[0] == 3 && n[1] == 3 && most <= 1e-12), "rigid motions",
                             "those given to the fine matrix are those of degree 1", "%d and %d, error %.3g", (int)n[0],
                             (int)n[1], (double)most));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(SNESDestroy(&snes[k]));
    PetscCall(DMDestroy(&dm[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The block of a field */

static PetscErrorCode CreateFluid(PetscInt refine, DM *dm)
{
  const Case     c   = {TRI, 2, refine, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};
  const PetscInt one = 1;
  DMLabel        label;
  PetscDS        ds;
  PetscFE        fe;

  PetscFunctionBegin;
  PetscCall(CreateMesh(&c, dm));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, 2, f ? 1 : 2, TRI, f ? 1 : 2, 2, &fe));
    PetscCall(PetscObjectSetName((PetscObject)fe, f ? "pressure" : "velocity")); /* of the prefixes of options */
    PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_one, f1_fluid_u));
  PetscCall(PetscDSSetResidual(ds, 1, f0_fluid_p, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_fluid_uu));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, g2_fluid_up, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, g1_fluid_pu, NULL, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_mass, NULL, NULL, NULL));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PlexAssemblySetSNESLocal(*dm, NULL));
  PetscCall(DMSetMatType(*dm, MATAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The velocity's block of a linear problem, by PCFIELDSPLIT: as many iterations as with its LU factors, and a few more */
static PetscErrorCode LookAtSplit(void)
{
  const char *const options[] = {"-pc_type",
                                 "fieldsplit",
                                 "-fieldsplit_pressure_pc_type",
                                 "jacobi",
                                 "-fieldsplit_velocity_pc_plexpmg_linear",
                                 "true",
                                 "-fieldsplit_velocity_mg_coarse_pc_type",
                                 "redundant",
                                 "-fieldsplit_velocity_pc_type"};
  const PetscInt    n         = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(options);
  PetscInt          its[2];
  PetscReal         error;
  Vec               u[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n - 1; k += 2) PetscCall(PetscOptionsSetValue(NULL, options[k], options[k + 1]));
  for (PetscInt how = 0; how < 2; ++how) {
    SNES                snes;
    KSP                 ksp;
    DM                  dm;
    SNESConvergedReason reason;

    PetscCall(PetscOptionsSetValue(NULL, options[n - 1], how ? "redundant" : "plexpmg"));
    PetscCall(CreateFluid(1, &dm));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
    PetscCall(SNESSetType(snes, SNESKSPONLY));
    PetscCall(SNESSetDM(snes, dm));
    PetscCall(SNESGetKSP(snes, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-11, PETSC_CURRENT, PETSC_CURRENT, 200));
    PetscCall(SNESSetFromOptions(snes));
    PetscCall(DMCreateGlobalVector(dm, &u[how]));
    PetscCall(VecSet(u[how], 0.0));
    PetscCall(SNESSolve(snes, NULL, u[how]));
    PetscCall(SNESGetConvergedReason(snes, &reason));
    PetscCall(SNESGetLinearSolveIterations(snes, &its[how]));
    if (reason <= 0) its[how] = 1000;
    PetscCall(SNESDestroy(&snes));
    PetscCall(DMDestroy(&dm));
  }
  for (PetscInt k = 0; k < n; k += k < n - 1 ? 2 : 1) PetscCall(PetscOptionsClearValue(NULL, options[k]));
  PetscCall(PlexTestVecError(u[0], u[1], &error));
  PetscCall(PlexTestReportOf((PetscBool)(its[0] <= its[1] + 15 && its[1] < 200 && error <= 1e-8), "fieldsplit",
                             "the block of a velocity", "%d iterations, with LU %d; error %.3g", (int)its[0],
                             (int)its[1], (double)error));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The velocity's block solved by CG, with GAMG for degree 1: iterations of its last solve; applied: its products are
   those of a J that is not assembled */
static PetscErrorCode SolveVelocity(PetscInt refine, PetscInt *its, PetscBool *applied)
{
  SNES snes;
  KSP  ksp, *sub;
  PC   pc;
  Vec  u;
  DM   dm;
  Mat  J, block;

  PetscFunctionBegin;
  PetscCall(CreateFluid(refine, &dm));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(VecSet(u, 0.0));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitGetSubKSP(pc, NULL, &sub));
  PetscCall(KSPGetIterationNumber(sub[0], its));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATPLEXGPU, applied));
  PetscCall(KSPGetOperators(sub[0], &block, NULL));
  if (*applied) PetscCall(PetscObjectTypeCompare((PetscObject)block, MATSUBMATRIX, applied));
  PetscCall(PetscFree(sub));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtVelocity(void)
{
  const char *const options[][2] = {
    {"-ksp_type",                              "fgmres"    },
    {"-ksp_rtol",                              "1e-2"      },
    {"-pc_type",                               "fieldsplit"},
    {"-fieldsplit_pressure_pc_type",           "jacobi"    },
    {"-fieldsplit_velocity_ksp_type",          "cg"        },
    {"-fieldsplit_velocity_ksp_rtol",          "1e-8"      },
    {"-fieldsplit_velocity_pc_type",           "plexpmg"   },
    {"-fieldsplit_velocity_pc_plexpmg_linear", "true"      },
  };
  PetscInt  its[3];
  PetscBool applied[3];

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); ++k)
    PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  for (PetscInt r = 0; r < 2; ++r) PetscCall(SolveVelocity(1 + r, &its[r], &applied[r]));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_apply", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_use_amat", "true"));
  PetscCall(SolveVelocity(2, &its[2], &applied[2]));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_use_amat"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_apply"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); ++k)
    PetscCall(PetscOptionsClearValue(NULL, options[k][0]));
  PetscCall(PlexTestReport((PetscBool)(its[0] > 2 && its[1] <= 15 && its[1] <= its[0] + 2),
                           "fieldsplit: iterations of a velocity's block", "%d and %d", (int)its[0], (int)its[1]));
  PetscCall(PlexTestReport((PetscBool)(!applied[1] && applied[2] && its[2] <= its[1] + 1 && its[2] > 2),
                           "fieldsplit: a velocity's block of a J that is not assembled",
                           "%d, of an assembled one %d%s", (int)its[2], (int)its[1],
                           applied[2] ? "" : "; it is assembled"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages */

static PetscErrorCode SolveWrong(void *ctx)
{
  PetscInt its[2];

  PetscFunctionBegin;
  PetscCall(Solve((Case *)ctx, its, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveTwoFields(void *ctx)
{
  const PlexTestProblem problem = {.cell = TRI, .degree = 2, .components = 2, .form = PLEX_TEST_MIXED, .cells = 4};
  Case                  c       = {TRI, 2, 0, LAPLACE, PLEXBACKENDHOST, NULL, KSPGMRES, NULL};
  SNES                  snes;
  Vec                   x;
  DM                    dm;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(CreateSolver(&c, dm, &snes));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecSet(x, 0.0));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that was assembled before the preconditioner asked for its state */
static PetscErrorCode SolveUnknown(void *ctx)
{
  Case c = {TRI, 2, 0, LAPLACE, PLEXBACKENDHOST, MATAIJ, NULL, NULL};
  PC   pc;
  DM   dm;
  Mat  A;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(CreateProblem(&c, &dm));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCPLEXPMG));
  PetscCall(PCSetDM(pc, dm));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMessages(void)
{
  Case c = {TRI, 3, 0, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};

  PetscFunctionBegin;
  EXPECT("several fields", SolveTwoFields, NULL, "one field", "fieldsplit");
  EXPECT("a state that is not known", SolveUnknown, NULL, "state", "-dm_mat_type plexgpu", "-pc_plexpmg_linear");
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_degrees", "2,1"));
  EXPECT("degrees that are not the field's", SolveWrong, &c, "-pc_plexpmg_degrees", "degree 3");
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_degrees", "3,3,1"));
  EXPECT("degrees that do not fall", SolveWrong, &c, "have to fall");
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_degrees"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_geometric", "true"));
  EXPECT("meshes that were not refined", SolveWrong, &c, "-pc_plexpmg_geometric", "-dm_refine_hierarchy");
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_geometric"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_rigid_body", "true"));
  EXPECT("rigid motions of a scalar", SolveWrong, &c, "-pc_plexpmg_rigid_body", "1 components");
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_rigid_body"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- */

/* What is looked at on several processes, too; -few: on one, to compare */
static PetscErrorCode LookAtFew(void)
{
  const Case transfers = {TRI, 4, 0, ELASTIC, PLEXBACKENDHOST, NULL, NULL, NULL};
  const Case laplace   = {TRI, 4, 1, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};
  const Case meshes    = {TRI, 4, 1, LAPLACE, PLEXBACKENDHOST, NULL, NULL, PCMG};
  const Case boxes     = {HEX, 2, 1, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL};
  const Case newton    = {QUAD, 2, 0, NONLINEAR, PLEXBACKENDHOST, MATAIJ, KSPGMRES, NULL};
  const Case others[]  = {
    {TRI,  3, 1, AUXILIARY, PLEXBACKENDHOST, NULL, NULL, NULL},
    {QUAD, 2, 1, ROBIN,     PLEXBACKENDHOST, NULL, NULL, NULL},
  };
  PetscInt its[2];

  PetscFunctionBegin;
  PetscCall(LookAtTransfers(&transfers));
  PetscCall(Solve(&laplace, its, NULL));
  PetscCall(Solve(&boxes, its, NULL));
  PetscCall(Solve(&newton, its, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_geometric", "true"));
  PetscCall(Solve(&meshes, its, NULL));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_geometric"));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(Solve(&others[k], its, NULL));
    PetscCall(PlexTestReport((PetscBool)(its[1] <= 15),
                             k ? "terms of facets on the levels" : "auxiliary fields on the levels", "%d iterations",
                             (int)its[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtHost(void)
{
  const Case transfers[] = {
    {TRI, 4, 0, MASS, PLEXBACKENDHOST, NULL, NULL, NULL},
    {HEX, 3, 0, MASS, PLEXBACKENDHOST, NULL, NULL, NULL},
  };
  Case elastic = {QUAD, 2, 0, ELASTIC, PLEXBACKENDHOST, NULL, NULL, NULL};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(transfers); ++k) PetscCall(LookAtTransfers(&transfers[k]));
  PetscCall(LookAtFew());
  PetscCall(LookAtSymmetry());
  for (PetscInt degree = 2; degree <= 4; ++degree) {
    PetscCall(LookAtRefinement((Case){TRI, degree, 0, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL}, 1));
    PetscCall(LookAtRefinement((Case){QUAD, degree, 0, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL}, 1));
  }
  PetscCall(LookAtRefinement((Case){HEX, 2, 0, LAPLACE, PLEXBACKENDHOST, NULL, NULL, NULL}, 1));
  PetscCall(LookAtTetrahedra());
  PetscCall(LookAtRefinement(elastic, 1));
  PetscCall(LookAtCoarse(elastic, "-pc_plexpmg_rigid_body", PCGAMG, "iterations with GAMG"));
  PetscCall(LookAtCoarse(elastic, "-pc_mg_distinct_smoothup", "redundant",
                         "iterations with smoothers of their own after the correction"));
  elastic.form = LAPLACE;
  PetscCall(LookAtCoarse(elastic, "-pc_plexpmg_geometric", PCMG, "iterations with coarser meshes"));
  PetscCall(LookAtNeoHooke());
  PetscCall(LookAtChoice(PLEXBACKENDHOST));
  PetscCall(LookAtMotions());
  PetscCall(LookAtNewton());
  PetscCall(LookAtSplit());
  PetscCall(LookAtVelocity());
  PetscCall(LookAtMessages());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same iterations and solution as on the host */
static PetscErrorCode LookAtKernels(const char backend[])
{
  Case      c = {TRI, 2, 0, ELASTIC, PLEXBACKENDHOST, NULL, NULL, NULL};
  PetscInt  its[2][2];
  PetscReal error;
  Vec       u[2];

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  PetscCall(Solve(&c, its[0], &u[0]));
  c.backend = backend;
  PetscCall(LookAtTransfers(&c));
  PetscCall(Solve(&c, its[1], &u[1]));
  PetscCall(PlexTestVecError(u[1], u[0], &error));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][1] == its[1][1] && error <= 1e-12), backend,
                             "the iterations and the solution of the host", "%d and %d, error %.3g", (int)its[1][1],
                             (int)its[0][1], (double)error));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(LookAtChoice(backend));
  device = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscBool   few = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-few", &few, NULL));
  PetscCall(PlexTestQuickKernels());
  if (few) PetscCall(LookAtFew());
  else PetscCall(PlexTestEachBackend(LookAtKernels, LookAtHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
