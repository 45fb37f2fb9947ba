static char
  help[] = "Monitors that a program sets by function write what the options of the same meaning do; a type of "
           "one's own.\n\n";

#include "dgproblem.h"
#include "report.h"

#define ENERGY   "build/tests/dgmonitors-energy.csv"
#define FARFIELD "build/tests/dgmonitors-far.csv"
#define UGRID    "build/tests/dgmonitors.nc"

/* ---- A type in the place of the one of that name: it counts how often it is made */

static PetscInt made = 0;

PETSC_EXTERN PetscErrorCode PlexDGCreate_Host(PlexDG);

static PetscErrorCode Create_Counted(PlexDG dg)
{
  ++made;
  return PlexDGCreate_Host(dg);
}

/* ---- Runs of a few steps, with monitors by functions or by options */

static PetscErrorCode Run(PetscInt dim, PetscBool options, PetscReal *energy)
{
  const PetscReal frequencies[] = {1., 2.};
  PlexDG          dg;
  DM              dm;
  TS              ts;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, 1, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetType(dg, PLEXDGHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  if (options && dim == 3)
    PetscCall(PetscOptionsInsertString(NULL, "-plex_dg_monitor_energy " ENERGY ":2 -plex_dg_farfield " FARFIELD
                                             ":1 -plex_dg_farfield_label boundary:1 "
                                             "-plex_dg_farfield_frequencies 1,2"));
  PetscCall(PlexDGSetTS(dg, ts));
  if (options && dim == 3)
    PetscCall(PlexTestClearOptions("-plex_dg_monitor_energy x -plex_dg_farfield x -plex_dg_farfield_label x "
                                   "-plex_dg_farfield_frequencies x"));
  if (!options && dim == 3) {
    PetscCall(PlexDGMonitorEnergy(dg, ts, ENERGY, 2));
    PetscCall(PlexDGMonitorFarField(dg, ts, "boundary", 1, 2, frequencies, FARFIELD, 1));
  }
  if (dim == 2) PetscCall(PlexDGMonitorUGRID(dg, ts, UGRID, 0));
  PetscCall(TSSetMaxSteps(ts, 4));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeEnergy(dg, U, energy));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SameFiles(const char path[], char **before, size_t *n)
{
  char     *bytes;
  size_t    now;
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexTestReadFile(path, &bytes, &now));
  if (now == *n) PetscCall(PetscMemcmp(bytes, *before, now, &same));
  PetscCall(PlexTestReportOf(same, path, "by function and by option", "%zu and %zu bytes, or others", *n, now));
  PetscCall(PetscFree(bytes));
  PetscCall(PetscFree(*before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char       *energies, *far, *last, *bytes;
  size_t      ne, nf, n;
  PetscInt    lines = 0;
  PetscReal   energy;
  const char *hdf5;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexDGRegister(PLEXDGHOST, Create_Counted));
  PetscCall(Run(3, PETSC_FALSE, &energy));
  PetscCall(PlexTestReport((PetscBool)(made > 0), "a type of one's own", "the library made its own"));
  PetscCall(PlexTestReadFile(ENERGY, &energies, &ne));
  for (char *c = energies; *c; ++c) lines += *c == '\n';
  PetscCall(PlexTestReport((PetscBool)(lines == 4), "energy of steps 0, 2 and 4", "%" PetscInt_FMT " lines", lines));
  PetscCall(PetscStrrchr(energies, ',', &last));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal((PetscReal)strtod(last, NULL) - energy) < 1e-12 * energy),
                           "energy of the last step", "%s in place of %.16g", last, (double)energy));
  PetscCall(PlexTestReadFile(FARFIELD, &far, &nf));
  PetscCall(Run(3, PETSC_TRUE, &energy));
  PetscCall(SameFiles(ENERGY, &energies, &ne));
  PetscCall(SameFiles(FARFIELD, &far, &nf));
  hdf5 = getenv("PLEXGPU_TEST_HDF5");
  if (hdf5 && !strcmp(hdf5, "no")) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip UGRID: there is no HDF5\n"));
  else {
    PetscCall(Run(2, PETSC_FALSE, &energy));
    PetscCall(PlexTestReadFile(UGRID, &bytes, &n));
    PetscCall(PlexTestReport((PetscBool)(n > 1000 && !memcmp(bytes, "\211HDF", 4)), "a file of UGRID", "%zu bytes", n));
    PetscCall(PetscFree(bytes));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
