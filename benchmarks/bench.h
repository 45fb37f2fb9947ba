/* What the benchmarks begin with, how they take device times, and their files of comma separated values */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "../examples/program.h"
#include "rows.h"
#include <plexgpu/impl.h>

static inline PetscErrorCode BenchInitialize(int *argc, char ***argv, const char help[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscInitialize(argc, argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "This benchmark runs on one rank, not %d", size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The backend of -bench_backend */
static inline PetscErrorCode BenchCreateBackend(const char type[], PlexBackend *backend)
{
  PetscBool available;

  PetscFunctionBegin;
  PetscCall(PlexBackendIsAvailable(type, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The backend %s is not available here; -bench_backend takes cuda, host or emulate", type);
  PetscCall(PlexBackendCreate(type, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best of three: another run's copies between host and device may disturb one */
static inline PetscErrorCode BenchCopyBandwidth(PlexBackend backend, double *copy)
{
  double bandwidth;

  PetscFunctionBegin;
  *copy = 0;
  for (PetscInt k = 0; k < 3; ++k) {
    backend->bandwidth = 0; /* measure again */
    PetscCall(PlexBackendGetCopyBandwidth(backend, &bandwidth));
    *copy = PetscMax(*copy, bandwidth);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median seconds of device time a call, over samples of about 1 ms */
static inline PetscErrorCode BenchMedian(PlexBackend backend, PetscErrorCode (*call)(void *), void *ctx, PetscInt reps,
                                         PetscLogDouble *median)
{
  PetscReal     *samples;
  PetscLogDouble seconds;
  PetscInt       calls = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(reps, &samples));
  for (PetscInt r = -1; r < reps; ++r) { /* r = -1 finds how many calls make 1 ms */
    PetscCall(PlexBackendTimerBegin(backend));
    for (PetscInt i = 0; i < calls; ++i) PetscCall(call(ctx));
    PetscCall(PlexBackendTimerEnd(backend, &seconds));
    if (r >= 0) samples[r] = (PetscReal)(seconds / calls);
    else if (seconds < 1e-3) calls = (PetscInt)PetscMin(100.0, PetscCeilReal(1e-3 / PetscMax(seconds, 1e-6)));
  }
  PetscCall(PetscSortReal(reps, samples));
  *median = reps % 2 ? samples[reps / 2] : 0.5 * (samples[reps / 2 - 1] + samples[reps / 2]);
  PetscCall(PetscFree(samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Opens the file of -csv behind what it has; the first line of a new one names the columns */
static inline PetscErrorCode BenchOpenCSV(const char path[], const char columns[], FILE **file)
{
  PetscBool exists;

  PetscFunctionBegin;
  PetscCall(PetscTestFile(path, 'r', &exists));
  *file = fopen(path, "a");
  PetscCheck(*file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s, the file of -csv", path);
  if (!exists) PetscCall(PetscFPrintf(PETSC_COMM_SELF, *file, "%s\n", columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchCloseCSV(const char path[], FILE **file)
{
  PetscFunctionBegin;
  PetscCheck(!ferror(*file) && !fclose(*file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "Cannot write %s, the file of -csv", path);
  *file = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
