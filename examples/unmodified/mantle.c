static char help[] = "Creeping flow of a mantle that slips freely along its top: a program that knows PETSc alone.\n\n";

/*
     -div(2 mu e(u) - p) = b r      in the shell between the core and radius 1, e(u) = (grad u + grad u^T) / 2
                   div u = 0
                       u = 0        on the core
               u . n = 0            on top, and no shear stress there

  r is the unit vector outwards, b the buoyancy, mu = exp(stiff (|x| - 1)) the viscosity. Elements of Taylor and Hood. Nitsche's method (J.
  Freund, R. Stenberg, 1995) imposes u . n = 0, with s = n . (2 mu e(u) - p) n and the element size h:

     ... - int s(u, p) v . n - int s(v, q) u . n + int gamma mu / h u . n v . n

  Everything is PETSc: mesh, finite elements, assembly, solver. README.md beside this file has the commands.
*/
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>

#define CORE  0.55 /* its radius */
#define STIFF constants[0]
#define GAMMA constants[1] /* gamma / h */

#define FIELDS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define CONSTANTS PetscInt numConstants, const PetscScalar constants[]

static PetscScalar Dot(PetscInt dim, const PetscScalar u[], const PetscReal n[])
{
  PetscScalar un = 0.0;

  for (PetscInt d = 0; d < dim; ++d) un += u[d] * n[d];
  return un;
}

static PetscScalar Viscosity(PetscInt dim, const PetscReal x[], PetscScalar stiff)
{
  return PetscExpScalar(stiff * (PetscSqrtReal(Dot(dim, x, x)) - 1.0));
}

/* ---- In the shell ---- */

static void Buoyancy(FIELDS, const PetscReal x[], CONSTANTS, PetscScalar f0[])
{
  const PetscReal r = PetscSqrtReal(Dot(dim, x, x)), s = PetscSinReal(PETSC_PI * (r - CORE) / (1.0 - CORE));
  const PetscReal b = s * (x[0] * x[0] - x[1] * x[1]) / (r * r);

  for (PetscInt d = 0; d < dim; ++d) f0[d] = -b * x[d] / r;
}

static void Stress(FIELDS, const PetscReal x[], CONSTANTS, PetscScalar f1[])
{
  const PetscScalar mu = Viscosity(dim, x, STIFF);

  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f1[c * dim + d] = mu * (u_x[c * dim + d] + u_x[d * dim + c]);
    f1[c * dim + c] -= u[dim];
  }
}

static void Continuity(FIELDS, const PetscReal x[], CONSTANTS, PetscScalar f0[])
{
  f0[0] = 0.0;
  for (PetscInt d = 0; d < dim; ++d) f0[0] -= u_x[d * dim + d];
}

static void StressOfGradient(FIELDS, PetscReal u_tShift, const PetscReal x[], CONSTANTS, PetscScalar g3[])
{
  const PetscScalar mu = Viscosity(dim, x, STIFF);

  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g3[((c * dim + c) * dim + d) * dim + d] += mu;
      g3[((c * dim + d) * dim + d) * dim + c] += mu;
    }
  }
}

static void StressOfPressure(FIELDS, PetscReal u_tShift, const PetscReal x[], CONSTANTS, PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d * dim + d] = -1.0;
}

static void ContinuityOfGradient(FIELDS, PetscReal u_tShift, const PetscReal x[], CONSTANTS, PetscScalar g1[])
{
  for (PetscInt d = 0; d < dim; ++d) g1[d * dim + d] = -1.0;
}

/* For the preconditioner alone: the Schur complement is about this mass matrix */
static void PressureMass(FIELDS, PetscReal u_tShift, const PetscReal x[], CONSTANTS, PetscScalar g0[])
{
  g0[0] = 1.0 / Viscosity(dim, x, STIFF);
}

/* ---- On top ---- */

static void Slip(FIELDS, const PetscReal x[], const PetscReal n[], CONSTANTS, PetscScalar f0[])
{
  const PetscScalar mu = Viscosity(dim, x, STIFF);
  PetscScalar       s  = u[dim];

  for (PetscInt c = 0; c < dim; ++c) s -= 2.0 * mu * n[c] * Dot(dim, &u_x[c * dim], n);
  s += GAMMA * mu * Dot(dim, u, n);
  for (PetscInt c = 0; c < dim; ++c) f0[c] = s * n[c];
}

static void SlipOfTest(FIELDS, const PetscReal x[], const PetscReal n[], CONSTANTS, PetscScalar f1[])
{
  const PetscScalar s = -2.0 * Viscosity(dim, x, STIFF) * Dot(dim, u, n);

  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) f1[c * dim + d] = s * n[c] * n[d];
}

static void Outflow(FIELDS, const PetscReal x[], const PetscReal n[], CONSTANTS, PetscScalar f0[])
{
  f0[0] = Dot(dim, u, n);
}

static void SlipOfVelocity(FIELDS, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], CONSTANTS,
                           PetscScalar g0[])
{
  const PetscScalar s = GAMMA * Viscosity(dim, x, STIFF);

  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) g0[c * dim + d] = s * n[c] * n[d];
}

static void SlipOfGradient(FIELDS, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], CONSTANTS,
                           PetscScalar g1[])
{
  const PetscScalar s = -2.0 * Viscosity(dim, x, STIFF);

  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt k = 0; k < dim; ++k) g1[(c * dim + d) * dim + k] = s * n[c] * n[d] * n[k];
}

static void SlipOfTestOfVelocity(FIELDS, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], CONSTANTS,
                                 PetscScalar g2[])
{
  const PetscScalar s = -2.0 * Viscosity(dim, x, STIFF);

  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt k = 0; k < dim; ++k) g2[(c * dim + d) * dim + k] = s * n[c] * n[d] * n[k];
}

static void Normal(FIELDS, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], CONSTANTS, PetscScalar g0[])
{
  for (PetscInt d = 0; d < dim; ++d) g0[d] = n[d];
}

/* ---- Mesh ---- */

/* Moves vertices in and out to the nearest of `layers` layers, or with none to the core, and the mesh to its mirror image
   where cells would be inverted: those on a circle are */
static PetscErrorCode Round(DM dm, PetscInt layers, PetscBool mirror)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBeginUser;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    const PetscReal r     = PetscSqrtReal(PetscRealPart(Dot(dim, &x[i], &x[i])));
    const PetscReal layer = layers ? PetscRintReal((r - CORE) / (1.0 - CORE) * layers) / layers : 0.0;

    for (PetscInt d = 0; d < dim; ++d) x[i + d] *= (CORE + (1.0 - CORE) * layer) / r;
    if (mirror) x[i] = -x[i];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of the core get 1, those on top 2 */
static PetscErrorCode MarkFaces(DM dm, PetscInt dim, DMLabel label)
{
  PetscInt fStart, fEnd, size;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscReal volume, x[3], n[3];

    PetscCall(DMPlexGetSupportSize(dm, f, &size));
    if (size > 1) continue;
    PetscCall(DMPlexComputeCellGeometryFVM(dm, f, &volume, x, n));
    PetscCall(DMLabelSetValue(label, f, Dot(dim, x, x) > PetscSqr(0.75) ? 2 : 1));
  }
  PetscCall(DMPlexLabelComplete(dm, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A circle or a sphere, refined and extruded */
static PetscErrorCode CreateMesh(PetscInt dim, PetscInt refine, PetscInt layers, DM *dm)
{
  DM      sphere, fine;
  DMLabel label;

  PetscFunctionBeginUser;
  PetscCall(DMPlexCreateSphereMesh(PETSC_COMM_WORLD, dim - 1, PETSC_FALSE, CORE, &sphere));
  for (PetscInt k = 0; k < refine; ++k) {
    PetscCall(DMRefine(sphere, PETSC_COMM_WORLD, &fine));
    PetscCall(DMDestroy(&sphere));
    sphere = fine;
  }
  PetscCall(Round(sphere, 0, PETSC_FALSE));
  PetscCall(DMPlexExtrude(sphere, layers, 1.0 - CORE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, NULL, NULL, NULL, dm));
  PetscCall(DMDestroy(&sphere));
  PetscCall(Round(*dm, layers, (PetscBool)(dim == 2)));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMCreateLabel(*dm, "surface"));
  PetscCall(DMGetLabel(*dm, "surface", &label));
  PetscCall(MarkFaces(*dm, dim, label));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The problem ---- */

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode One(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 1.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode AddField(DM dm, PetscInt dim, PetscInt Nc, PetscInt degree, PetscInt order, const char name[])
{
  PetscFE fe;

  PetscFunctionBeginUser;
  PetscCall(PetscFECreateLagrange(PETSC_COMM_WORLD, dim, Nc, PETSC_FALSE, degree, order, &fe));
  PetscCall(PetscObjectSetName((PetscObject)fe, name));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm, PetscInt dim, PetscInt degree, PetscReal stiff, PetscReal gamma)
{
  const PetscInt    core = 1, top = 2, order = degree + 1;
  const PetscScalar constants[] = {stiff, gamma};
  PetscDS           ds;
  DMLabel           label;
  PetscWeakForm     wf;
  PetscInt          bd;

  PetscFunctionBeginUser;
  PetscCall(AddField(dm, dim, dim, degree, order, "velocity"));
  PetscCall(AddField(dm, dim, 1, degree - 1, order, "pressure"));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(PetscDSSetResidual(ds, 0, Buoyancy, Stress));
  PetscCall(PetscDSSetResidual(ds, 1, Continuity, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, StressOfGradient));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, StressOfPressure, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, ContinuityOfGradient, NULL, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 0, NULL, NULL, NULL, StressOfGradient));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 1, NULL, NULL, StressOfPressure, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 1, 0, NULL, ContinuityOfGradient, NULL, NULL));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 1, 1, PressureMass, NULL, NULL, NULL));
  PetscCall(DMGetLabel(dm, "surface", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "core", label, 1, &core, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL,
                          NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "top", label, 1, &top, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, top, 0, 0, 0, Slip, 0, SlipOfTest));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, top, 1, 0, 0, Outflow, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, top, 0, 0, 0, 0, SlipOfVelocity, 0, SlipOfGradient, 0,
                                            SlipOfTestOfVelocity, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, top, 0, 1, 0, 0, Normal, 0, NULL, 0, NULL, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, top, 1, 0, 0, 0, Normal, 0, NULL, 0, NULL, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, label, top, 0, 0, 0, 0, SlipOfVelocity, 0, SlipOfGradient,
                                                          0, SlipOfTestOfVelocity, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, label, top, 0, 1, 0, 0, Normal, 0, NULL, 0, NULL, 0,
                                                          NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, label, top, 1, 0, 0, 0, Normal, 0, NULL, 0, NULL, 0,
                                                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant pressure does nothing */
static PetscErrorCode SetNullSpace(DM dm, SNES snes)
{
  PetscErrorCode (*values[])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Zero, One};
  MatNullSpace space;
  Mat          J;
  Vec          v;

  PetscFunctionBeginUser;
  PetscCall(DMCreateGlobalVector(dm, &v));
  PetscCall(DMProjectFunction(dm, 0.0, values, NULL, INSERT_VALUES, v));
  PetscCall(VecNormalize(v, NULL));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &v, &space));
  PetscCall(SNESSetUp(snes));
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(MatSetNullSpace(J, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pressure by its Schur complement, for which the mass matrix stands */
static PetscErrorCode SetDefaults(void)
{
  const char *const options[][2] = {
    {"-snes_type",                        "ksponly"   },
    {"-ksp_type",                         "fgmres"    },
    {"-ksp_rtol",                         "1e-10"     },
    {"-ksp_gmres_restart",                "100"       },
    {"-pc_type",                          "fieldsplit"},
    {"-pc_fieldsplit_type",               "schur"     },
    {"-pc_fieldsplit_schur_fact_type",    "upper"     },
    {"-pc_fieldsplit_schur_precondition", "a11"       },
    {"-fieldsplit_velocity_ksp_type",     "cg"        },
    {"-fieldsplit_velocity_ksp_rtol",     "1e-2"      },
    {"-fieldsplit_velocity_pc_type",      "jacobi"    },
    {"-fieldsplit_pressure_ksp_type",     "preonly"   },
    {"-fieldsplit_pressure_pc_type",      "jacobi"    }
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); ++k) {
    PetscBool has;

    PetscCall(PetscOptionsHasName(NULL, NULL, options[k][0], &has));
    if (!has) PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt            dim = 2, degree = 2, refine = 3, layers = 8, unknowns, linear;
  PetscReal           stiff = -3.0, gamma = 10.0, norm;
  DM                  dm;
  SNES                snes;
  SNESConvergedReason reason;
  Vec                 u;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &degree, NULL)); /* of velocities */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-refine", &refine, NULL)); /* the core's surface, so often */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-layers", &layers, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stiff", &stiff, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-gamma", &gamma, NULL));
  PetscCall(SetDefaults());
  PetscCall(CreateMesh(dim, refine, layers, &dm));
  PetscCall(SetUpProblem(dm, dim, degree, stiff, gamma * degree * degree * layers / (1.0 - CORE)));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SetNullSpace(dm, snes));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(VecSet(u, 0.0));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "No flow is found (%s)",
             SNESConvergedReasons[reason]);
  PetscCall(SNESGetLinearSolveIterations(snes, &linear));
  PetscCall(VecNorm(u, NORM_2, &norm));
  PetscCall(VecGetSize(u, &unknowns));
  PetscCall(VecViewFromOptions(u, NULL, "-solution_view"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=mantle unknowns=%" PetscInt_FMT " linear=%" PetscInt_FMT " norm=%.12e\n",
                        unknowns, linear, (double)norm));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
