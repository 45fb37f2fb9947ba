static char help[] = "Settings of all classes: what is set, by a function or by an option, is what is got.\n\n";

#include <plexgpu.h>
#include <plexgpu/private/util.h>
#include "report.h"

/* An object gets one option of the database more, which is not there afterwards */
static PetscErrorCode FromOption(PetscErrorCode (*setFromOptions)(void *), void *object, const char name[],
                                 const char value[])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  ierr = (*setFromOptions)(object);
  PetscCall(PetscOptionsClearValue(NULL, name));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AssemblyFromOptions(void *object)
{
  return PlexAssemblySetFromOptions((PlexAssembly)object);
}

static PetscErrorCode DGFromOptions(void *object)
{
  return PlexDGSetFromOptions((PlexDG)object);
}

static PetscErrorCode HDGFromOptions(void *object)
{
  return PlexHDGSetFromOptions((PlexHDG)object);
}

static PetscErrorCode IsText(const char a[], const char b[], const char of[], const char what[])
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(a, b, &same));
  PetscCall(PlexTestReportOf(same, of, what, "'%s' in place of '%s'", a ? a : "(none)", b ? b : "(none)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default of a setting, what is set by its function, and by its option */
#define SETTING(Class, Name, Type, object, fallback, set, option, text, value) \
  do { \
    Type is; \
\
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(PlexTestReportOf((PetscBool)(is == (fallback)), #Class #Name, "by default", "it is another one")); \
    PetscCall(Plex##Class##Set##Name(object, set)); \
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(PlexTestReportOf((PetscBool)(is == (set)), #Class #Name, "as set", "it is another one")); \
    PetscCall(FromOption(Class##FromOptions, object, option, text)); \
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(PlexTestReportOf((PetscBool)(is == (value)), #Class #Name, option, "it is another one")); \
  } while (0)

/* Likewise of a text; option NULL: there is none */
#define TEXT(Class, Name, object, fallback, set, option, text) \
  do { \
    const char *is; \
\
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(IsText(is, fallback, #Class #Name, "by default")); \
    PetscCall(Plex##Class##Set##Name(object, set)); \
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(IsText(is, set, #Class #Name, "as set")); \
    if (!(option)) break; \
    PetscCall(FromOption(Class##FromOptions, object, option, text)); \
    PetscCall(Plex##Class##Get##Name(object, &is)); \
    PetscCall(IsText(is, text, #Class #Name, option)); \
  } while (0)

static PetscErrorCode SetMetis(void *assembly)
{
  return PlexAssemblySetPartitioner((PlexAssembly)assembly, PLEX_PARTITIONER_METIS);
}

static PetscErrorCode ViewAsOptionSays(void *assembly)
{
  return PlexAssemblyViewFromOptions((PlexAssembly)assembly, NULL, "-look");
}

static PetscErrorCode LookAtAssembly(DM dm)
{
  PlexAssembly       a;
  char               text[4096], *found;
  PetscBool          set, symmetric, depends[3];
  PlexApply          apply;
  PlexAssemblyCounts counts;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, &a));
  SETTING(Assembly, Integration, PlexIntegration, a, PLEX_INTEGRATION_AUTO, PLEX_INTEGRATION_TENSOR,
          "-plex_assembly_integration", "quadrature", PLEX_INTEGRATION_QUADRATURE);
  SETTING(Assembly, TensorDegree, PetscInt, a, PETSC_DECIDE, 3, "-plex_assembly_tensor_degree", "2", 2);
  SETTING(Assembly, Precision, PlexPrecision, a, PLEX_PRECISION_DOUBLE, PLEX_PRECISION_SINGLE,
          "-plex_assembly_precision", "double", PLEX_PRECISION_DOUBLE);
  SETTING(Assembly, Memory, PetscInt64, a, 0, 1000000, "-plex_assembly_memory", "2e6", 2000000);
  SETTING(Assembly, BlockSize, PetscInt, a, 0, 64, "-plex_assembly_block_size", "128", 128);
  SETTING(Assembly, TeamSize, PetscInt, a, 0, 4, "-plex_assembly_team_size", "8", 8);
  SETTING(Assembly, PartitionSize, PetscInt, a, 0, 100, "-plex_assembly_partition_size", "200", 200);
  if (PlexHasMetis())
    SETTING(Assembly, Partitioner, PlexPartitioner, a, PLEX_PARTITIONER_AUTO, PLEX_PARTITIONER_METIS,
            "-plex_assembly_partitioner", "curve", PLEX_PARTITIONER_CURVE);
  else {
    EXPECT("METIS that is not there", SetMetis, a, "built without METIS", "libmetis-dev", "--download-metis",
           "-plex_assembly_partitioner curve");
    SETTING(Assembly, Partitioner, PlexPartitioner, a, PLEX_PARTITIONER_AUTO, PLEX_PARTITIONER_CURVE,
            "-plex_assembly_partitioner", "auto", PLEX_PARTITIONER_AUTO);
  }
  SETTING(Assembly, SharedMemory, PetscInt, a, 0, 4096, "-plex_assembly_shared_memory", "8192", 8192);
  SETTING(Assembly, Fallback, PetscBool, a, PETSC_TRUE, PETSC_FALSE, "-plex_assembly_fallback", "true", PETSC_TRUE);
  SETTING(Assembly, Deterministic, PetscBool, a, PETSC_FALSE, PETSC_TRUE, "-plex_assembly_deterministic", "false",
          PETSC_FALSE);
  SETTING(Assembly, CheckTolerance, PetscReal, a, 0., 1e-10, "-plex_assembly_check", "1e-8", 1e-8);
  SETTING(Assembly, Tune, PlexTune, a, PLEX_TUNE_NONE, PLEX_TUNE_FULL, "-plex_assembly_tune", "quick", PLEX_TUNE_QUICK);
  SETTING(Assembly, TuneTime, PetscReal, a, (PetscReal)PETSC_DECIDE, 5., "-plex_assembly_tune_time", "7", 7.);
  TEXT(Assembly, TuneArchive, a, NULL, "one.txt", "-plex_assembly_tune_archive", "two.txt");
  TEXT(Assembly, PointwiseSource, a, NULL, "one.c", "-plex_assembly_source", "two.c,three.c");
  TEXT(Assembly, ResidualType, a, NULL, PLEXASSEMBLYGLOBALROW, "-plex_assembly_residual_type",
       PLEXASSEMBLYELEMENTCOLOR);
  TEXT(Assembly, JacobianType, a, NULL, PLEXASSEMBLYGLOBALROW, "-plex_assembly_jacobian_type", PLEXASSEMBLYLOCALROW);
  PetscCall(PlexAssemblySetApply(a, PLEX_APPLY_STORED));
  PetscCall(PlexAssemblyGetApply(a, &apply));
  PetscCall(PlexTestReportOf((PetscBool)(apply == PLEX_APPLY_STORED), "AssemblyApply", "as set", "it is another one"));
  PetscCall(FromOption(AssemblyFromOptions, a, "-plex_assembly_apply", "evaluated"));
  PetscCall(PlexAssemblyGetApply(a, &apply));
  PetscCall(PlexTestReportOf((PetscBool)(apply == PLEX_APPLY_EVALUATED), "AssemblyApply", "-plex_assembly_apply",
                             "it is another one"));
  PetscCall(PlexAssemblyGetSymmetric(a, &set, NULL));
  PetscCall(PlexTestReportOf((PetscBool)!set, "AssemblySymmetric", "by default", "it was said"));
  PetscCall(PlexAssemblySetSymmetric(a, PETSC_FALSE));
  PetscCall(PlexAssemblyGetSymmetric(a, &set, &symmetric));
  PetscCall(PlexTestReportOf((PetscBool)(set && !symmetric), "AssemblySymmetric", "as set", "it is another one"));
  PetscCall(FromOption(AssemblyFromOptions, a, "-plex_assembly_symmetric", "true"));
  PetscCall(PlexAssemblyGetSymmetric(a, &set, &symmetric));
  PetscCall(PlexTestReportOf((PetscBool)(set && symmetric), "AssemblySymmetric", "-plex_assembly_symmetric",
                             "it is another one"));
  PetscCall(PlexAssemblySetJacobianDependence(a, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE));
  PetscCall(PlexAssemblyGetJacobianDependence(a, &depends[0], &depends[1], &depends[2]));
  PetscCall(PlexTestReportOf((PetscBool)(!depends[0] && depends[1] && !depends[2]), "AssemblyJacobianDependence",
                             "as set", "it is another one"));
  PetscCall(FromOption(AssemblyFromOptions, a, "-plex_assembly_jacobian_depends", "auxiliary"));
  PetscCall(PlexAssemblyGetJacobianDependence(a, &depends[0], &depends[1], &depends[2]));
  PetscCall(PlexTestReportOf((PetscBool)(!depends[0] && !depends[1] && depends[2]), "AssemblyJacobianDependence",
                             "-plex_assembly_jacobian_depends", "it is another one"));
  PetscCall(PlexAssemblyGetCounts(a, &counts));
  PetscCall(PlexTestReport((PetscBool)(!counts.residuals && !counts.jacobians && !counts.residualsLeft &&
                                       !counts.jacobiansLeft),
                           "nothing is counted yet", "something is"));
  PetscCall(PetscOptionsSetValue(NULL, "-look", NULL));
  PetscCall(PlexTestCapture(ViewAsOptionSays, a, text, sizeof(text)));
  PetscCall(PetscOptionsClearValue(NULL, "-look"));
  PetscCall(PetscStrstr(text, "PlexAssembly Object", &found));
  PetscCall(PlexTestReport((PetscBool)!!found, "a view by an option", "it is '%s'", text));
  PetscCall(PlexTestCapture(ViewAsOptionSays, a, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!text[0], "no view without it", "it is '%s'", text));
  TEXT(Assembly, OptionsPrefix, a, NULL, "first_", NULL, NULL);
  PetscCall(PlexAssemblyDestroy(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode LookAtDG(DM dm)
{
  PlexDG               dg;
  TS                   ts;
  PlexDGCoefficientFn *func;
  void                *ctx;
  const PetscReal     *values, alpha[] = {0.25};
  PetscReal            reflection, shift;
  PetscInt             n, power;
  const char          *scheme;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  SETTING(DG, Degree, PetscInt, dg, 3, 4, "-plex_dg_degree", "2", 2);
  SETTING(DG, Discretization, PlexDGDiscretization, dg, PLEX_DG_NODAL, PLEX_DG_QUADRATURE, "-plex_dg_discretization",
          "nodal", PLEX_DG_NODAL);
  SETTING(DG, QuadratureDegree, PetscInt, dg, PETSC_DETERMINE, 6, "-plex_dg_quadrature_degree", "7", 7);
  SETTING(DG, Precision, PlexPrecision, dg, PLEX_PRECISION_DOUBLE, PLEX_PRECISION_SINGLE, "-plex_dg_precision",
          "double", PLEX_PRECISION_DOUBLE);
  SETTING(DG, CFL, PetscReal, dg, 1., 0.5, "-plex_dg_cfl", "0.25", 0.25);
  SETTING(DG, StabilityCheck, PetscInt, dg, 50, 20, "-plex_dg_check_steps", "10", 10);
  TEXT(DG, System, dg, NULL, "advection", "-plex_dg_system", "maxwell");
  TEXT(DG, Type, dg, PLEXDGAUTO, PLEXDGHOST, "-plex_dg_type", PLEXDGAUTO);
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, alpha));
  PetscCall(PlexDGGetConstant(dg, "alpha", &n, &values));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && values[0] == 0.25), "DGConstant", "as set", "it is another one"));
  PetscCall(FromOption(DGFromOptions, dg, "-plex_dg_alpha", "0.75"));
  PetscCall(PlexDGGetConstant(dg, "alpha", &n, &values));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && values[0] == 0.75), "DGConstant", "-plex_dg_alpha",
                             "it is another one"));
  PetscCall(PlexDGGetCoefficients(dg, &func, NULL));
  PetscCall(PlexTestReportOf((PetscBool)!func, "DGCoefficients", "by default", "there is a function"));
  PetscCall(PlexDGSetCoefficients(dg, Coefficients, &n));
  PetscCall(PlexDGGetCoefficients(dg, &func, &ctx));
  PetscCall(PlexTestReportOf((PetscBool)(func == Coefficients && ctx == &n), "DGCoefficients", "as set",
                             "it is another one"));
  SETTING(DG, Levels, PetscInt, dg, 1, 2, "-plex_dg_levels", "3", 3);
  SETTING(DG, AdaptiveStep, PetscBool, dg, PETSC_FALSE, PETSC_TRUE, "-plex_dg_adapt_step", "false", PETSC_FALSE);
  SETTING(DG, ShockCapturing, PetscBool, dg, PETSC_FALSE, PETSC_TRUE, "-plex_dg_shock_capturing", "false", PETSC_FALSE);
  PetscCall(PlexDGSetCurveDegree(dg, 3));
  PetscCall(PlexDGGetCurveDegree(dg, &n));
  PetscCall(PlexTestReportOf((PetscBool)(n == 3), "DGCurveDegree", "as set", "it is %" PetscInt_FMT, n));
  PetscCall(PlexDGSetPMLProfile(dg, 1e-5, 2, 0.25));
  PetscCall(PlexDGGetPMLProfile(dg, &reflection, &power, &shift));
  PetscCall(PlexTestReportOf((PetscBool)(reflection == 1e-5 && power == 2 && shift == 0.25), "DGPMLProfile", "as set",
                             "%g, %" PetscInt_FMT ", %g", (double)reflection, power, (double)shift));
  TEXT(DG, OptionsPrefix, dg, NULL, "first_", NULL, NULL);
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSPlexLowStorageGetScheme(ts, &scheme));
  PetscCall(IsText(scheme, "ck45", "scheme", "by default"));
  PetscCall(TSPlexLowStorageSetScheme(ts, "midpoint"));
  PetscCall(TSPlexLowStorageGetScheme(ts, &scheme));
  PetscCall(IsText(scheme, "midpoint", "scheme", "as set"));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Diffusion(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda,
                                void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode Stabilization(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau,
                                    void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode Material(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal *lambda, PetscReal *mu,
                               void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode Point(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  return PETSC_SUCCESS;
}

static void SourcePoint(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                        const PetscScalar constants[], PetscScalar f[])
{
  f[0] = constants[0];
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  return PETSC_SUCCESS;
}

/* A function that a discretization calls: none by default, then what is set, with its context */
#define FUNCTION(Name, Type, object, function) \
  do { \
    Type *func; \
    int   mine; \
    void *ctx; \
\
    PetscCall(PlexHDGGet##Name(object, &func, NULL)); \
    PetscCall(PlexTestReportOf((PetscBool)!func, "HDG" #Name, "by default", "there is a function")); \
    PetscCall(PlexHDGSet##Name(object, function, &mine)); \
    PetscCall(PlexHDGGet##Name(object, &func, &ctx)); \
    PetscCall(PlexTestReportOf((PetscBool)(func == (function) && ctx == &mine), "HDG" #Name, "as set", \
                               "it is another one")); \
  } while (0)

static PetscErrorCode LookAtHDG(DM dm)
{
  PlexHDG              hdg;
  PetscReal            kappa, lambda, mu, now = 0., *time;
  PlexHDGFn           *called;
  PlexHDGPointFn      *point;
  PetscBool            nonlinear, symmetric;
  void                *ctx;
  PlexHDGConvection    form;
  PlexHDGConvectionFn *velocity;
  PetscPointFn        *source, *kappaPoint, *slope;
  PlexBackend          backend;
  PlexBackendType      type;
  PetscInt             n;
  PetscReal            is[3];
  const PetscReal      beta[] = {1., 2.};
  const PetscScalar    three  = 3., *constants;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  SETTING(HDG, Degree, PetscInt, hdg, 3, 4, "-plex_hdg_degree", "2", 2);
  SETTING(HDG, Memory, PetscInt64, hdg, 0, 1000000, "-plex_hdg_memory", "2e6", 2000000);
  SETTING(HDG, Tau, PetscReal, hdg, 0., 2., "-plex_hdg_tau", "3", 3.);
  SETTING(HDG, TauFactor, PetscReal, hdg, 1., 2., "-plex_hdg_tau_factor", "3", 3.);
  SETTING(HDG, Tau, PetscReal, hdg, 0., 2., "-plex_hdg_tau", "3", 3.); /* the factor has taken its place */
  SETTING(HDG, System, PlexHDGSystem, hdg, PLEX_HDG_DIFFUSION, PLEX_HDG_ELASTICITY, "-plex_hdg_system", "diffusion",
          PLEX_HDG_DIFFUSION);
  SETTING(HDG, Transport, PlexHDGTransport, hdg, PLEX_HDG_TRANSPORT_IMPLICIT, PLEX_HDG_TRANSPORT_EXPLICIT,
          "-plex_hdg_transport", "none", PLEX_HDG_TRANSPORT_NONE);
  PetscCall(PlexHDGGetLame(hdg, &lambda, &mu));
  PetscCall(PlexTestReportOf((PetscBool)(lambda == 1. && mu == 1.), "HDGLame", "by default", "%g and %g",
                             (double)lambda, (double)mu));
  PetscCall(PlexHDGSetLame(hdg, 2., 3.));
  PetscCall(PlexHDGGetLame(hdg, &lambda, &mu));
  PetscCall(PlexTestReportOf((PetscBool)(lambda == 2. && mu == 3.), "HDGLame", "as set", "%g and %g", (double)lambda,
                             (double)mu));
  PetscCall(FromOption(HDGFromOptions, hdg, "-plex_hdg_lame", "4,5"));
  PetscCall(PlexHDGGetLame(hdg, &lambda, &mu));
  PetscCall(PlexTestReportOf((PetscBool)(lambda == 4. && mu == 5.), "HDGLame", "-plex_hdg_lame", "%g and %g",
                             (double)lambda, (double)mu));
  PetscCall(PlexHDGSetViscosity(hdg, 6.));
  PetscCall(PlexHDGGetViscosity(hdg, &mu));
  PetscCall(PlexTestReportOf((PetscBool)(mu == 6.), "HDGViscosity", "as set", "%g", (double)mu));
  PetscCall(FromOption(HDGFromOptions, hdg, "-plex_hdg_viscosity", "7"));
  PetscCall(PlexHDGGetViscosity(hdg, &mu));
  PetscCall(PlexTestReportOf((PetscBool)(mu == 7.), "HDGViscosity", "-plex_hdg_viscosity", "%g", (double)mu));
  PetscCall(PlexHDGSetSymmetricStress(hdg, PETSC_TRUE));
  PetscCall(PlexHDGGetSymmetricStress(hdg, &symmetric));
  PetscCall(PlexTestReportOf(symmetric, "HDGSymmetricStress", "as set", "it is another one"));
  PetscCall(FromOption(HDGFromOptions, hdg, "-plex_hdg_symmetric_stress", "false"));
  PetscCall(PlexHDGGetSymmetricStress(hdg, &symmetric));
  PetscCall(PlexTestReportOf((PetscBool)!symmetric, "HDGSymmetricStress", "-plex_hdg_symmetric_stress",
                             "it is another one"));
  FUNCTION(Material, PlexHDGMaterialFn, hdg, Material);
  PetscCall(PlexHDGSetTimeVariable(hdg, &now));
  PetscCall(PlexHDGGetTimeVariable(hdg, &time));
  PetscCall(PlexTestReportOf((PetscBool)(time == &now), "HDGTimeVariable", "as set", "it is another one"));
  PetscCall(PlexHDGGetDiffusion(hdg, &kappa, &lambda));
  PetscCall(PlexTestReportOf((PetscBool)(kappa == 1. && lambda == 0.), "HDGDiffusion", "by default", "%g and %g",
                             (double)kappa, (double)lambda));
  PetscCall(PlexHDGSetDiffusion(hdg, 2., 3.));
  PetscCall(PlexHDGGetDiffusion(hdg, &kappa, &lambda));
  PetscCall(PlexTestReportOf((PetscBool)(kappa == 2. && lambda == 3.), "HDGDiffusion", "as set", "%g and %g",
                             (double)kappa, (double)lambda));
  PetscCall(FromOption(HDGFromOptions, hdg, "-plex_hdg_kappa", "4"));
  PetscCall(FromOption(HDGFromOptions, hdg, "-plex_hdg_lambda", "5"));
  PetscCall(PlexHDGGetDiffusion(hdg, &kappa, &lambda));
  PetscCall(PlexTestReportOf((PetscBool)(kappa == 4. && lambda == 5.), "HDGDiffusion",
                             "-plex_hdg_kappa, -plex_hdg_lambda", "%g and %g", (double)kappa, (double)lambda));
  FUNCTION(Coefficients, PlexHDGCoefficientFn, hdg, Diffusion);
  FUNCTION(Stabilization, PlexHDGStabilizationFn, hdg, Stabilization);
  FUNCTION(Source, PlexHDGFn, hdg, Source);
  PetscCall(PlexHDGSetPointwise(hdg, Point, PETSC_TRUE, &now));
  PetscCall(PlexHDGGetPointwise(hdg, &point, &nonlinear, &ctx));
  PetscCall(PlexTestReportOf((PetscBool)(point == Point && nonlinear && ctx == &now), "HDGPointwise", "as set",
                             "it is another one"));
  PetscCall(PlexHDGSetConvection(hdg, PLEX_HDG_CONSERVATIVE, Velocity, &now));
  PetscCall(PlexHDGGetConvection(hdg, &form, &velocity, &ctx));
  PetscCall(PlexTestReportOf((PetscBool)(form == PLEX_HDG_CONSERVATIVE && velocity == Velocity && ctx == &now),
                             "HDGConvection", "as set", "it is another one"));
  PetscCall(PlexHDGSetVelocity(hdg, 2, beta));
  PetscCall(PlexHDGGetVelocity(hdg, &n, is));
  PetscCall(PlexTestReportOf((PetscBool)(n == 2 && is[0] == 1. && is[1] == 2.), "HDGVelocity", "as set",
                             "%" PetscInt_FMT " numbers, %g and %g", n, (double)is[0], (double)is[1]));
  PetscCall(PlexHDGSetSourcePoint(hdg, SourcePoint, 1, &three));
  PetscCall(PlexHDGGetSourcePoint(hdg, &source, &n, &constants));
  PetscCall(PlexTestReportOf((PetscBool)(source == SourcePoint && n == 1 && constants[0] == three), "HDGSourcePoint",
                             "as set", "it is another one"));
  PetscCall(PlexHDGGetSource(hdg, &called, NULL));
  PetscCall(PlexHDGSetCoefficientsPoint(hdg, SourcePoint, 1, &three));
  PetscCall(PlexHDGGetCoefficientsPoint(hdg, &source, &n, NULL));
  PetscCall(PlexTestReportOf((PetscBool)(!called && source == SourcePoint && n == 1), "HDGCoefficientsPoint", "as set",
                             "it is another one"));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 0.));
  PetscCall(PlexHDGGetCoefficientsPoint(hdg, &source, NULL, NULL));
  PetscCall(PlexHDGSetKappaPoint(hdg, SourcePoint, SourcePoint, 1, &three));
  PetscCall(PlexHDGGetKappaPoint(hdg, &kappaPoint, &slope, NULL, &constants));
  PetscCall(PlexHDGGetPointwise(hdg, &point, &nonlinear, NULL));
  PetscCall(PlexTestReportOf((PetscBool)(!source && kappaPoint == SourcePoint && slope == SourcePoint && !point &&
                                         nonlinear && constants[0] == three),
                             "HDGKappaPoint", "as set", "it is another one"));
  PetscCall(PlexHDGSetConvectionPoint(hdg, PLEX_HDG_CONSERVATIVE, SourcePoint, 1, &three));
  PetscCall(PlexHDGGetConvectionPoint(hdg, &form, &source, &n, NULL));
  PetscCall(PlexHDGGetConvection(hdg, NULL, &velocity, NULL));
  PetscCall(PlexTestReportOf((PetscBool)(form == PLEX_HDG_CONSERVATIVE && source == SourcePoint && !velocity),
                             "HDGConvectionPoint", "as set", "it is another one"));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGGetBackend(hdg, &backend));
  PetscCall(PlexBackendGetType(backend, &type));
  PetscCall(IsText(type, PLEXBACKENDHOST, "HDGBackend", "as set"));
  TEXT(HDG, OptionsPrefix, hdg, NULL, "first_", NULL, NULL);
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFE fe;
  DM      dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, NULL, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, 1, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(LookAtAssembly(dm));
  PetscCall(LookAtDG(dm));
  PetscCall(LookAtHDG(dm));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
