static char help[] = "Steady heat conduction in a plate with four round holes, assembled by PlexGPU.\n\n"
                     "  -div(kappa grad u) = f,  u = 200 on the left edge, u = 10 on the holes, no flux elsewhere\n\n"
                     "  -mesh FILE       Gmsh file with the physical groups of examples/plate.geo (default "
                     "examples/plate.msh)\n"
                     "  -order N         order of the Lagrange elements, 1 to 5\n"
                     "  -dm_refine N     refine the mesh N times\n"
                     "  -nonlinear       kappa = 1 + u^2/100 instead of 1\n"
                     "  -source F        f (default 0.1)\n"
                     "  -bench           time every assembly type on every backend beside PETSc's own assembly\n"
                     "  -bench_emulate   with it the emulated GPU, on the mesh before refinement (default true)\n"
                     "  -output NAME     write NAME.h5 and NAME.xdmf for ParaView and plot.py\n"
                     "  -plex_assembly_type, -plex_assembly_backend, ... as in the manual; -snes_..., -ksp_..., "
                     "-pc_... as in PETSc\n\n";

/*
  The first example. What PlexGPU needs of a PETSc program is in main(): PlexAssemblySetSNESLocal() stands where a
  program without it has DMPlexSetSNESLocalFEM(), and PlexAssemblySetPointwiseSource() names the file with the pointwise
  functions.
*/
#include "heat_problem.h"
#include "timing.h"
#include "xdmf.h"

typedef struct {
  char      mesh[PETSC_MAX_PATH_LEN], output[PETSC_MAX_PATH_LEN], source[PETSC_MAX_PATH_LEN];
  PetscInt  order;
  PetscReal f;
  PetscBool nonlinear, bench, emulate;
} HeatOptions;

static PetscErrorCode HeatOptionsGet(MPI_Comm comm, HeatOptions *o)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->order   = 1;
  o->f       = 0.1;
  o->emulate = PETSC_TRUE;
  PetscOptionsBegin(comm, NULL, "Heat conduction in a plate", "");
  PetscCall(PetscOptionsString("-mesh", "Gmsh file", "heat.c", o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscCall(PetscOptionsInt("-order", "Order of the elements", "heat.c", o->order, &o->order, NULL));
  PetscCall(PetscOptionsReal("-source", "Source f", "heat.c", o->f, &o->f, NULL));
  PetscCall(PetscOptionsBool("-nonlinear", "kappa = 1 + u^2/100", "heat.c", o->nonlinear, &o->nonlinear, NULL));
  PetscCall(PetscOptionsBool("-bench", "Time every type on every backend", "heat.c", o->bench, &o->bench, NULL));
  PetscCall(PetscOptionsBool("-bench_emulate", "With it the emulated GPU", "heat.c", o->emulate, &o->emulate, NULL));
  PetscCall(PetscOptionsString("-output", "Write NAME.h5 and NAME.xdmf", "heat.c", o->output, o->output,
                               sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscCheck(o->order >= 1 && o->order <= 5, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Order %" PetscInt_FMT " is not offered; -order takes 1 to 5", o->order);
  PetscCall(HeatFindFile("heat.h", o->source, sizeof(o->source)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a user need not type: matrix and vectors on the GPU where there is one, and solvers that suit the equation */
static PetscErrorCode HeatDefaults(const HeatOptions *o)
{
  PetscFunctionBegin;
  PetscCall(ExampleDefaultTypes());
  /* grad kappa makes the Jacobian unsymmetric */
  PetscCall(ExampleDefault("-ksp_type", o->nonlinear ? KSPGMRES : KSPCG));
  PetscCall(ExampleDefault("-pc_type", PCGAMG));
  PetscCall(ExampleDefault("-ksp_rtol", "1e-10"));
  PetscCall(ExampleDefault("-snes_rtol", "1e-9"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh, refined as the options with this prefix say, and the problem on it */
static PetscErrorCode HeatCreateDM(MPI_Comm comm, const char prefix[], const HeatOptions *o, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(HeatCreateMesh(comm, o->mesh, dm));
  PetscCall(DMSetOptionsPrefix(*dm, prefix));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(HeatSetUpProblem(*dm, o->order, o->nonlinear, o->f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PlexGPU left what it cannot assemble to PETSc */
static PetscErrorCode HeatLeftToPETSc(PlexAssembly plex, PetscBool *left)
{
  PlexAssemblyCounts counts = {0};

  PetscFunctionBegin;
  if (plex) PetscCall(PlexAssemblyGetCounts(plex, &counts));
  *left = (PetscBool)(counts.residualsLeft + counts.jacobiansLeft > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of the table: the assembly of one type on one backend (none: PETSc's own), measured and compared with the
   reference */
static PetscErrorCode HeatRow(const char backend[], const char type[], PlexAssembly plex, TimingProblem *problem,
                              TimingProblem *reference, TimingResult *result, PetscReal *difference)
{
  MPI_Comm       comm    = PetscObjectComm((PetscObject)problem->dm);
  PetscReal      diff[2] = {0, 0};
  PetscBool      left    = PETSC_FALSE;
  PetscLogDouble bytes   = 0, seconds;
  PetscInt       nodes, elements;

  PetscFunctionBegin;
  PetscCall(TimingAssemble(plex, problem)); /* sets up and compiles */
  if (plex) PetscCall(TimingDifference(problem, reference, diff));
  PetscCall(TimingMeasure(plex, problem, 11, 1.0, result));
  PetscCall(TimingBytes(problem, &bytes));
  PetscCall(HeatGetCounts(problem->dm, &nodes, &elements));
  seconds     = result->jacobian + result->residual;
  *difference = PetscMax(diff[0], diff[1]);
  PetscCall(PetscPrintf(comm, "  %-8s %-15s %12.4f %12.4f %12.2f %10.3f", backend, type, 1e3 * result->jacobian,
                        1e3 * result->residual, 1e9 * seconds / elements, 1e-9 * bytes / seconds));
  if (plex) PetscCall(PetscPrintf(comm, " %10.1e", (double)*difference));
  PetscCall(HeatLeftToPETSc(plex, &left));
  if (left) PetscCall(PetscPrintf(comm, "  left to PETSc"));
  PetscCall(PetscPrintf(comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every type on one backend, on the mesh of the reference */
static PetscErrorCode HeatRows(PlexBackendType backend, const HeatOptions *o, TimingProblem *reference)
{
  TimingProblem problem;
  PlexAssembly  plex;
  PetscBool     given, host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-plex_assembly_source", &given));
  PetscCall(TimingProblemCreateForBackend(reference->dm, backend, (PetscBool)!o->nonlinear, reference->locX, &problem));
  for (PetscInt i = 0; i < (host ? 1 : TIMING_TYPES); ++i) {
    TimingResult result;
    PetscReal    difference;

    PetscCall(PlexAssemblyCreate(reference->dm, &plex));
    PetscCall(PlexAssemblySetFromOptions(plex));
    PetscCall(PlexAssemblySetBackend(plex, backend));
    if (!host) PetscCall(PlexAssemblySetType(plex, TimingTypes[i]));
    if (!given) PetscCall(PlexAssemblySetPointwiseSource(plex, o->source));
    PetscCall(HeatRow(backend, host ? "-" : TimingTypes[i], plex, &problem, reference, &result, &difference));
    PetscCall(PlexAssemblyDestroy(&plex));
  }
  PetscCall(TimingProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeatTableHead(DM dm, const char note[])
{
  PetscInt nodes, elements;

  PetscFunctionBegin;
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)dm),
                        "\nAssembly of %" PetscInt_FMT " elements, %" PetscInt_FMT
                        " nodes%s\n  %-8s %-15s %12s %12s %12s %10s %10s\n",
                        elements, nodes, note, "backend", "type", "Jacobian ms", "residual ms", "ns/element", "GB/s",
                        "difference"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table on the emulated GPU, on the mesh before refinement and with u = 100 inside */
static PetscErrorCode HeatBenchEmulate(MPI_Comm comm, const HeatOptions *o)
{
  DM            dm;
  Vec           locX;
  TimingProblem reference;
  TimingResult  result;
  PetscReal     difference;

  PetscFunctionBegin;
  PetscCall(HeatCreateDM(comm, "unrefined_", o, &dm));
  PetscCall(DMSetVecType(dm, VECSTANDARD));
  PetscCall(DMCreateLocalVector(dm, &locX));
  PetscCall(VecSet(locX, 100.0));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(TimingProblemCreate(dm, MATAIJ, VECSTANDARD, (PetscBool)!o->nonlinear, locX, &reference));
  PetscCall(HeatTableHead(dm, ", the GPU's kernels run thread by thread on this processor: for their results, not "
                              "their time"));
  PetscCall(HeatRow("PETSc", "-", NULL, &reference, NULL, &result, &difference));
  PetscCall(HeatRows(PLEXBACKENDEMULATE, o, &reference));
  PetscCall(TimingProblemDestroy(&reference));
  PetscCall(VecDestroy(&locX));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times the assembly that the solve used, PETSc's, and with -bench all others; ends in the result line */
static PetscErrorCode HeatReport(SNES snes, Vec X, PlexAssembly plex, const HeatOptions *o)
{
  const char      *backends[] = {PLEXBACKENDHOST, PLEXBACKENDCUDA};
  DM               dm;
  Vec              locX;
  PlexBackend      backend;
  PlexBackendType  backendType;
  PlexAssemblyType type;
  TimingProblem    reference, problem;
  TimingResult     petsc, ours;
  PetscReal        difference;
  PetscInt         nodes, elements, its;
  PetscBool        available, left = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(DMCreateLocalVector(dm, &locX));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(PlexAssemblyGetType(plex, &type));
  PetscCall(PlexAssemblyGetBackend(plex, &backend));
  PetscCall(PlexBackendGetType(backend, &backendType));
  PetscCall(TimingProblemCreate(dm, MATAIJ, VECSTANDARD, (PetscBool)!o->nonlinear, locX, &reference));
  PetscCall(TimingProblemCreateForBackend(dm, backendType, (PetscBool)!o->nonlinear, locX, &problem));
  PetscCall(HeatTableHead(dm, ""));
  PetscCall(HeatRow("PETSc", "-", NULL, &reference, NULL, &petsc, &difference));
  PetscCall(HeatRow(backendType, type ? type : "-", plex, &problem, &reference, &ours, &difference));
  PetscCall(TimingProblemDestroy(&problem));
  if (o->bench) {
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(backends); ++i) {
      PetscBool host, used;

      PetscCall(PlexBackendIsAvailable(backends[i], &available));
      PetscCall(PetscStrcmp(backends[i], PLEXBACKENDHOST, &host));
      PetscCall(PetscStrcmp(backends[i], backendType, &used));
      if (host && used) continue; /* one way only, and it is in the table */
      if (available) PetscCall(HeatRows(backends[i], o, &reference));
      else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-8s not available here\n", backends[i]));
    }
    PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &available));
    if (available && o->emulate) PetscCall(HeatBenchEmulate(PetscObjectComm((PetscObject)dm), o));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\nJacobian and residual: medians. GB/s: the bytes of A, F and the coordinates over both "
                        "times. Difference: largest, from\nPETSc's entries, over the largest of them.\n"));
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(SNESGetIterationNumber(snes, &its));
  PetscCall(HeatLeftToPETSc(plex, &left));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=heat nodes=%" PetscInt_FMT " elements=%" PetscInt_FMT " order=%" PetscInt_FMT
                        " type=%s backend=%s jacobian_ms=%.4f residual_ms=%.4f petsc_jacobian_ms=%.4f diff=%.2e "
                        "snes_its=%" PetscInt_FMT "\n",
                        nodes, elements, o->order, type ? type : "-", left ? "petsc" : backendType, 1e3 * ours.jacobian,
                        1e3 * ours.residual, 1e3 * petsc.jacobian, (double)difference, its));
  PetscCall(TimingProblemDestroy(&reference));
  PetscCall(VecDestroy(&locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  HeatOptions         options;
  DM                  dm;
  SNES                snes;
  Mat                 J;
  Vec                 X;
  PlexAssembly        plex;
  SNESConvergedReason reason;
  PetscReal           low, high;
  PetscInt            its, kspits;
  PetscBool           given;
  PetscLogDouble      begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(HeatOptionsGet(PETSC_COMM_WORLD, &options));
  PetscCall(HeatDefaults(&options));
  PetscCall(HeatCreateDM(PETSC_COMM_WORLD, NULL, &options, &dm));
  PetscCall(DMViewFromOptions(dm, NULL, "-dm_view"));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL)); /* instead of DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL) */
  PetscCall(PlexAssemblyGetFromDM(dm, &plex));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-plex_assembly_source", &given));
  if (!given) PetscCall(PlexAssemblySetPointwiseSource(plex, options.source));
  PetscCall(DMCreateMatrix(dm, &J));
  if (!options.nonlinear) {
    PetscCall(MatSetOption(J, MAT_SPD, PETSC_TRUE)); /* half of each symmetric element matrix need not be computed */
    PetscCall(MatSetOption(J, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  PetscCall(SNESSetJacobian(snes, J, J, NULL, NULL));
  PetscCall(SNESSetFromOptions(snes));

  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(PetscObjectSetName((PetscObject)X, "u"));
  PetscCall(VecSet(X, 200.0)); /* kappa grows with u, and Newton's method converges from the hot side */
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Solving\n"));
  PetscCall(PetscTime(&begin));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(PetscTime(&end));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "The solve did not converge: %s; see -snes_monitor -ksp_monitor", SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, &its));
  PetscCall(SNESGetLinearSolveIterations(snes, &kspits));
  PetscCall(VecMin(X, NULL, &low));
  PetscCall(VecMax(X, NULL, &high));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "Solved in %.2f s: %" PetscInt_FMT " Newton steps, %" PetscInt_FMT
                        " linear iterations, u from %.4f to %.4f\n",
                        end - begin, its, kspits, (double)low, (double)high));
  if (options.output[0]) {
    PetscCall(XDMFWrite(dm, X, options.output));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Wrote %s.h5 and %s.xdmf\n", options.output, options.output));
  }
  PetscCall(HeatReport(snes, X, plex, &options));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
