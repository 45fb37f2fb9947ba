static char
  help[] = "Complex scalars: residuals and Jacobians of forms that are truly complex, against PETSc's own, on "
           "any number of processes; a plane wave through an absorbing boundary; what is refused.\n\n";

#include <plexgpu.h>
#include <plexgpudg.h>
#include <plexgpuhdg.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#if !PetscDefined(USE_COMPLEX)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "complex: PETSc configured with real scalars");
}
#else

  #define POINT_ARGUMENTS \
    PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
      const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
      const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
  #define POINT(name) \
    static void name(POINT_ARGUMENTS, const PetscReal x[], PetscInt nc, const PetscScalar k[], PetscScalar f[])
  #define POINT_JAC(name) \
    static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt nc, const PetscScalar k[], \
                     PetscScalar g[])
  #define FACET(name) \
    static void name(POINT_ARGUMENTS, const PetscReal x[], const PetscReal n[], PetscInt nc, const PetscScalar k[], \
                     PetscScalar f[])
  #define FACET_JAC(name) \
    static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], const PetscReal n[], PetscInt nc, \
                     const PetscScalar k[], PetscScalar g[])

/* ---- Waves: div grad u + k^2 u = 0 and du/dn = i k u + e on the boundary, k[0] = k; exact is u = exp(i k d . x) */

static const PetscReal direction[3] = {0.6, 0.8, 0.};

static PetscScalar Wave(PetscInt dim, PetscScalar k, const PetscReal x[])
{
  PetscReal s = 0.;

  for (PetscInt d = 0; d < dim; ++d) s += direction[d] * x[d];
  return PetscExpScalar(PETSC_i * k * s);
}

POINT(f0_wave)
{
  f[0] = -k[0] * k[0] * u[0];
}

POINT(f1_wave)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d];
}

POINT_JAC(g0_wave)
{
  g[0] = -k[0] * k[0];
}

POINT_JAC(g3_wave)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1.;
}

FACET(f0_absorb)
{
  PetscReal dn = 0.;

  for (PetscInt d = 0; d < dim; ++d) dn += direction[d] * n[d];
  f[0] = -PETSC_i * k[0] * (u[0] + (dn - 1.) * Wave(dim, k[0], x));
}

FACET_JAC(g0_absorb)
{
  g[0] = -PETSC_i * k[0];
}

/* ---- A medium whose real part is the same everywhere, and whose imaginary part is not */

POINT(f0_medium)
{
  f[0] = (2. + PETSC_i * x[0]) * u[0];
}

POINT(f1_medium)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = (1. + PETSC_i * (0.5 + x[0] * x[dim - 1])) * u_x[d];
}

POINT_JAC(g0_medium)
{
  g[0] = 2. + PETSC_i * x[0];
}

POINT_JAC(g3_medium)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1. + PETSC_i * (0.5 + x[0] * x[dim - 1]);
}

/* ---- A Hermitian form, with the same real parts in both first derivatives, which is not symmetric; constants alone */

POINT(f0_hermitian)
{
  f[0] = 3. * u[0];
  for (PetscInt d = 0; d < dim; ++d) f[0] += PETSC_i * (1. + d) * k[0] * u_x[d];
}

POINT(f1_hermitian)
{
  for (PetscInt d = 0; d < dim; ++d)
    f[d] = 2. * u_x[d] + PETSC_i * u_x[(d + 1) % dim] - PETSC_i * (1. + d) * k[0] * u[0];
}

POINT_JAC(g0_hermitian)
{
  g[0] = 3.;
}

POINT_JAC(g1_hermitian)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = PETSC_i * (1. + d) * k[0];
}

POINT_JAC(g2_hermitian)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = -PETSC_i * (1. + d) * k[0];
}

POINT_JAC(g3_hermitian)
{
  for (PetscInt d = 0; d < dim; ++d) {
    g[d * dim + d] += 2.;
    g[d * dim + (d + 1) % dim] += PETSC_i;
  }
}

/* ---- Two fields: a scalar u and a vector v, with an auxiliary field a; not linear */

POINT(f0_pair_u)
{
  f[0] = k[1] * a[0] * u[0] * u[0] + PETSC_i * u[uOff[1]];
}

POINT(f1_pair_u)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = k[0] * u_x[d] + a[0] * u[0] * u[uOff[1] + d];
}

POINT(f0_pair_v)
{
  for (PetscInt c = 0; c < dim; ++c) f[c] = (1. - PETSC_i * x[0]) * u[uOff[1] + c] + k[1] * u_x[c] * u[0] + a_x[c];
}

POINT_JAC(g0_pair_uu)
{
  g[0] = 2. * k[1] * a[0] * u[0];
}

POINT_JAC(g2_pair_uu)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = a[0] * u[uOff[1] + d];
}

POINT_JAC(g3_pair_uu)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k[0];
}

POINT_JAC(g0_pair_uv)
{
  g[0] = PETSC_i;
}

POINT_JAC(g2_pair_uv)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = a[0] * u[0];
}

POINT_JAC(g0_pair_vu)
{
  for (PetscInt c = 0; c < dim; ++c) g[c] = k[1] * u_x[c];
}

POINT_JAC(g1_pair_vu)
{
  for (PetscInt c = 0; c < dim; ++c) g[c * dim + c] = k[1] * u[0];
}

POINT_JAC(g0_pair_vv)
{
  for (PetscInt c = 0; c < dim; ++c) g[c * dim + c] = 1. - PETSC_i * x[0];
}

/* ---- Problems */

typedef enum {
  WAVE,
  MEDIUM,
  HERMITIAN,
  PAIR
} Form;

static const char *const Forms[] = {"wave", "medium", "Hermitian", "pair"};

static PetscErrorCode AddAbsorption(DM dm)
{
  const PetscInt one = 1;
  PetscWeakForm  wf;
  PetscDS        ds;
  DMLabel        label;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "absorb", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, 1, 0, 0, 0, f0_absorb, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, 1, 0, 0, 0, 0, g0_absorb, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetForm(DM dm, Form form)
{
  PetscScalar constants[2] = {PetscCMPLX(4., form == WAVE ? 0. : 0.3), PetscCMPLX(-0.4, 0.7)};
  PetscDS     ds;

  PetscFunctionBegin;
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetConstants(ds, 2, constants));
  switch (form) {
  case WAVE:
    PetscCall(PetscDSSetResidual(ds, 0, f0_wave, f1_wave));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_wave, NULL, NULL, g3_wave));
    break;
  case MEDIUM:
    PetscCall(PetscDSSetResidual(ds, 0, f0_medium, f1_medium));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_medium, NULL, NULL, g3_medium));
    break;
  case HERMITIAN:
    PetscCall(PetscDSSetResidual(ds, 0, f0_hermitian, f1_hermitian));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_hermitian, g1_hermitian, g2_hermitian, g3_hermitian));
    break;
  case PAIR:
    PetscCall(PetscDSSetResidual(ds, 0, f0_pair_u, f1_pair_u));
    PetscCall(PetscDSSetResidual(ds, 1, f0_pair_v, NULL));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_pair_uu, NULL, g2_pair_uu, g3_pair_uu));
    PetscCall(PetscDSSetJacobian(ds, 0, 1, g0_pair_uv, NULL, g2_pair_uv, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 0, g0_pair_vu, g1_pair_vu, NULL, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_pair_vv, NULL, NULL, NULL));
    break;
  }
  PetscCall(AddAbsorption(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(DM dm, DMPolytopeType ct, PetscInt Nc, PetscInt degree, PetscInt qorder)
{
  PetscInt dim;
  PetscFE  fe;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, dim, Nc, ct, degree, qorder, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDM(DMPolytopeType ct, PetscInt degree, Form form, DM *dm)
{
  PetscInt dim;
  DM       aux;
  Vec      a;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, ct, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(DMGetDimension(*dm, &dim));
  PetscCall(AddField(*dm, ct, 1, degree, degree + 1));
  if (form == PAIR) PetscCall(AddField(*dm, ct, dim, 1, degree + 1));
  PetscCall(SetForm(*dm, form));
  if (form == PAIR) {
    PetscCall(DMClone(*dm, &aux));
    PetscCall(AddField(aux, ct, 1, 1, degree + 1));
    PetscCall(DMCreateDS(aux));
    PetscCall(PlexTestLocalVector(aux, 5, &a));
    PetscCall(DMSetAuxiliaryVec(*dm, NULL, 0, 0, a));
    PetscCall(VecDestroy(&a));
    PetscCall(DMDestroy(&aux));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The imaginary part is there at all: a comparison of zeros says nothing */
static PetscErrorCode HasImaginaryPart(PlexAssembly assembly, DM dm, PetscBool *has)
{
  Vec                X, F;
  Mat                J;
  const PetscScalar *f;
  PetscInt           n;
  PetscReal          most = 0.;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 3, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(VecGetLocalSize(F, &n));
  PetscCall(VecGetArrayRead(F, &f));
  for (PetscInt i = 0; i < n; ++i) most = PetscMax(most, PetscAbsReal(PetscImaginaryPart(f[i])));
  PetscCall(VecRestoreArrayRead(F, &f));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  *has = (PetscBool)(most > 0.01);
  PetscCall(MatImaginaryPart(J));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &most));
  *has = (PetscBool)(*has && most > 0.01);
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* symmetric: said of the form; a complex form may be symmetric, and is not Hermitian then */
static PetscErrorCode Look(DMPolytopeType ct, PetscInt degree, Form form, PetscBool symmetric, PlexPrecision precision)
{
  const PetscReal    limit = precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12;
  DM                 dm;
  PlexAssembly       assembly;
  PlexAssemblyCounts counts;
  PetscReal          residual, jacobian;
  PetscBool          has;
  char               name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s of degree %" PetscInt_FMT ", %s%s%s", DMPolytopeTypes[ct], degree,
                          Forms[form], symmetric ? ", said to be symmetric" : "",
                          precision == PLEX_PRECISION_SINGLE ? ", single precision" : ""));
  PetscCall(CreateDM(ct, degree, form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetPrecision(assembly, precision));
  if (symmetric) PetscCall(PlexAssemblySetSymmetric(assembly, PETSC_TRUE));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  PetscCall(PlexTestReportOf((PetscBool)(residual < limit && jacobian < limit), name, "values",
                             "relative differences %g and %g", (double)residual, (double)jacobian));
  PetscCall(HasImaginaryPart(assembly, dm, &has));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(has && counts.residuals == 2 && counts.jacobians == 2), name,
                             "assembled here, with imaginary parts",
                             "%" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians", counts.residuals,
                             counts.jacobians));
  if (precision == PLEX_PRECISION_DOUBLE) { /* PETSc's results compared within the library: a difference is an error */
    PetscCall(PlexAssemblySetCheckTolerance(assembly, 1e-12));
    PetscCall(PlexTestCompute(assembly, dm));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A plane wave by SNES */

static PetscErrorCode Exact(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  (void)time, (void)Nc, (void)ctx;
  u[0] = Wave(dim, 4., x);
  return PETSC_SUCCESS;
}

/* Error in L2 of the solution on a refined mesh, by PlexGPU or by PETSc */
static PetscErrorCode Solve(DMPolytopeType ct, PetscInt refine, PetscBool here, PetscReal *error, PetscInt *its)
{
  PetscErrorCode (*exact[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Exact};
  DM                 dm, fine;
  SNES               snes;
  KSP                ksp;
  PlexAssembly       assembly;
  PlexAssemblyCounts counts;
  Vec                u;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, ct, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  for (PetscInt r = 0; r < refine; ++r) {
    PetscCall(DMPlexSetRefinementUniform(dm, PETSC_TRUE));
    PetscCall(DMRefine(dm, PETSC_COMM_WORLD, &fine));
    PetscCall(DMDestroy(&dm));
    dm = fine;
  }
  PetscCall(AddField(dm, ct, 1, 2, 3));
  PetscCall(SetForm(dm, WAVE));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  if (here) PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  else PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetTolerances(snes, 0., 1e-8, 0., 10, 100));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 0., PETSC_CURRENT, 2000));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(VecSet(u, 0.));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(SNESGetIterationNumber(snes, its));
  PetscCall(DMComputeL2Diff(dm, 0., exact, NULL, u, error));
  if (here) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    if (counts.residuals < 2 || counts.jacobians < 1) *its = -1; /* PETSc did it */
  }
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtWave(DMPolytopeType ct)
{
  PetscReal   coarse, fine, petsc;
  PetscInt    its[3];
  const char *name = ct == DM_POLYTOPE_TRIANGLE ? "plane wave on triangles" : "plane wave on quadrilaterals";

  PetscFunctionBegin;
  PetscCall(Solve(ct, 1, PETSC_TRUE, &coarse, &its[0]));
  PetscCall(Solve(ct, 2, PETSC_TRUE, &fine, &its[1]));
  PetscCall(Solve(ct, 2, PETSC_FALSE, &petsc, &its[2]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0] == its[2] && its[1] == its[2] && its[2] > 0), name,
                             "assembled here, iterations as PETSc's",
                             "%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT, its[0], its[1], its[2]));
  /* quadratic elements: the error is of order 3 */
  PetscCall(PlexTestReportOf((PetscBool)(coarse < 1e-2 && fine < coarse / 7.), name, "error of order 3", "%g, %g",
                             (double)coarse, (double)fine));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(fine - petsc) < 1e-6 * petsc), name, "error is PETSc's", "%g, %g",
                             (double)fine, (double)petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is refused */

static PetscErrorCode CreateBackend(void *ctx)
{
  PlexBackend backend;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate((const char *)ctx, &backend));
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDG(void *ctx)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate((DM)ctx, &dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateHDG(void *ctx)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate((DM)ctx, &hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtRefusals(void)
{
  const char *const types[] = {PLEXBACKENDEMULATE, PLEXBACKENDCUDA, PLEXBACKENDHIP};
  PlexBackend       backend;
  PetscBool         is;
  DM                dm;
  char              name[64];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "backend %s is refused", types[k]));
    EXPECT(name, CreateBackend, (void *)types[k], types[k], "complex scalars", "backend host", "real scalars");
  }
  PetscCall(PlexBackendCreate(PLEXBACKENDAUTO, &backend));
  PetscCall(PetscStrcmp(((PetscObject)backend)->type_name, PLEXBACKENDHOST, &is));
  PetscCall(PlexTestReport(is, "backend auto is host", "%s", ((PetscObject)backend)->type_name));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  EXPECT("PlexDGCreate() is refused", CreateDG, dm, "complex scalars", "--with-scalar-type=real");
  EXPECT("PlexHDGCreate() is refused", CreateHDG, dm, "complex scalars", "--with-scalar-type=real");
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON};
  PetscMPIInt          size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "bjacobi"));
  PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", "lu"));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_gmres_restart", "500"));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cells); ++c) {
    for (Form form = WAVE; form <= PAIR; ++form)
      for (PetscInt degree = 1; degree <= 2; ++degree)
        PetscCall(Look(cells[c], degree, form, PETSC_FALSE, PLEX_PRECISION_DOUBLE));
    PetscCall(Look(cells[c], 1, MEDIUM, PETSC_TRUE, PLEX_PRECISION_DOUBLE));
    PetscCall(Look(cells[c], 2, WAVE, PETSC_TRUE, PLEX_PRECISION_DOUBLE));
    PetscCall(Look(cells[c], 2, PAIR, PETSC_FALSE, PLEX_PRECISION_SINGLE));
  }
  PetscCall(LookAtWave(DM_POLYTOPE_TRIANGLE));
  PetscCall(LookAtWave(DM_POLYTOPE_QUADRILATERAL));
  if (size == 1) PetscCall(LookAtRefusals());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
#endif
