static char help[] = "Stokes flow with Taylor-Hood elements, a traction and a preconditioner's matrix: the same "
                     "iterations as with PETSc's assembly.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "stokes.h"

/* The wall where x_0 is in the lower half, else open */
static PetscErrorCode MarkBoundary(DM dm)
{
  DMLabel  wall, open;
  PetscInt n, *facets;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "wall", &wall));
  PetscCall(PlexTestGetLabel(dm, "open", &open));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal x[3];

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], NULL, x, NULL));
    PetscCall(DMLabelSetValue(x[0] < 0.6 ? wall : open, facets[k], 1));
  }
  PetscCall(PetscFree(facets));
  PetscCall(DMPlexLabelComplete(dm, wall));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetForm(DM dm)
{
  const PetscInt one = 1;
  DMLabel        wall, open;
  PetscDS        ds;
  PetscWeakForm  wf;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_stokes_u, f1_stokes_u));
  PetscCall(PetscDSSetResidual(ds, 1, f0_stokes_p, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, g2_stokes_uu, g3_stokes_uu));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, g2_stokes_up, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, g1_stokes_pu, NULL, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 0, NULL, NULL, g2_stokes_uu, g3_stokes_uu));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 1, NULL, NULL, g2_stokes_up, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 1, 0, NULL, g1_stokes_pu, NULL, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 1, 1, g0_stokes_pp, NULL, NULL, NULL));
  PetscCall(DMGetLabel(dm, "wall", &wall));
  PetscCall(DMGetLabel(dm, "open", &open));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", wall, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                          NULL, NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "traction", open, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, open, 1, 0, 0, 0, f0_stokes_traction, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, open, 1, 0, 0, 0, 0, g0_stokes_traction, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(DMPolytopeType ct, DM *dm)
{
  PetscFE  fe[2];
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, ct, 0, dm));
  PetscCall(MarkBoundary(*dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(DMGetDimension(*dm, &dim));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, dim, f ? 1 : dim, ct, 2 - f, 2, &fe[f]));
    PetscCall(PetscObjectSetName((PetscObject)fe[f], f ? "pressure" : "velocity"));
    if (f) PetscCall(PetscFECopyQuadrature(fe[0], fe[1]));
    PetscCall(DMAddField(*dm, NULL, (PetscObject)fe[f]));
  }
  for (PetscInt f = 0; f < 2; ++f) PetscCall(PetscFEDestroy(&fe[f]));
  PetscCall(DMCreateDS(*dm));
  PetscCall(SetForm(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a solution took */
typedef struct {
  PetscInt newton, krylov, residuals, jacobians, left;
  Vec      u;
} Solution;

/* backend NULL: assembled by PETSc */
static PetscErrorCode Solve(DMPolytopeType ct, const char backend[], const char type[], Solution *s)
{
  PlexAssemblyCounts  counts;
  SNES                snes;
  DM                  dm;
  Mat                 J, P;
  PlexAssembly        assembly;
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(CreateProblem(ct, &dm));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  if (backend) {
    PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, "tests/solvers/stokes.h"));
    if (type) PetscCall(PlexAssemblySetType(assembly, type));
  } else PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(SNESSetJacobian(snes, J, P, NULL, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &s->u));
  PetscCall(SNESSolve(snes, NULL, s->u));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "SNES says %s", SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, &s->newton));
  PetscCall(SNESGetLinearSolveIterations(snes, &s->krylov));
  if (backend) {
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    s->residuals = counts.residuals;
    s->jacobians = counts.jacobians;
    s->left      = counts.residualsLeft + counts.jacobiansLeft;
  }
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DMPolytopeType ct;
  const char    *backend, *type;
  Solution       here;
} Attempt;

static PetscErrorCode TrySolve(void *ctx)
{
  Attempt *a = (Attempt *)ctx;

  PetscFunctionBegin;
  PetscCall(Solve(a->ct, a->backend, a->type, &a->here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Attempt a, const Solution *petsc)
{
  char           name[256], text[2048];
  PetscErrorCode ierr;
  PetscReal      norm, error;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "Stokes on %ss, %s%s%s", DMPolytopeTypes[a.ct], a.backend,
                          a.type ? " " : "", a.type ? a.type : ""));
  PetscCall(PlexTestTry(TrySolve, &a, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecNorm(petsc->u, NORM_2, &norm));
  PetscCall(VecAXPY(a.here.u, -1., petsc->u));
  PetscCall(VecNorm(a.here.u, NORM_2, &error));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-10 * norm && norm > 0. && a.here.newton == petsc->newton &&
                                       a.here.newton > 1 && a.here.krylov == petsc->krylov &&
                                       a.here.residuals > a.here.newton && a.here.jacobians == a.here.newton &&
                                       !a.here.left),
                           name,
                           "relative difference %.3g; %" PetscInt_FMT " and %" PetscInt_FMT
                           " iterations, with PETSc %" PetscInt_FMT " and %" PetscInt_FMT "; %" PetscInt_FMT
                           " residuals and %" PetscInt_FMT " Jacobians here, %" PetscInt_FMT " left to PETSc",
                           (double)(error / norm), a.here.newton, a.here.krylov, petsc->newton, petsc->krylov,
                           a.here.residuals, a.here.jacobians, a.here.left));
  PetscCall(VecDestroy(&a.here.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const    options = "-snes_rtol 1e-11 -ksp_type fgmres -ksp_rtol 1e-12 -pc_type fieldsplit "
                                 "-pc_fieldsplit_type schur -pc_fieldsplit_schur_factorization_type full "
                                 "-pc_fieldsplit_schur_precondition a11 -fieldsplit_velocity_pc_type redundant "
                                 "-fieldsplit_pressure_ksp_type gmres -fieldsplit_pressure_ksp_rtol 1e-12 "
                                 "-fieldsplit_pressure_pc_type jacobi -plex_assembly_fallback false";
  const char *const    types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYSHAREDROW, PLEXASSEMBLYLOCALROW};
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL};
  const char *const   *backends;
  PetscInt             n;
  PetscBool            host;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PlexTestBackends(&n, &backends));
  for (int k = 0; k < 2; ++k) {
    Solution petsc;

    PetscCall(Solve(cells[k], NULL, NULL, &petsc));
    for (PetscInt b = 0; b < n; ++b) {
      PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
      for (int t = 0; t < (host ? 1 : 3); ++t)
        PetscCall(Compare((Attempt){.ct = cells[k], .backend = backends[b], .type = host ? NULL : types[t]}, &petsc));
    }
    PetscCall(VecDestroy(&petsc.u));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
