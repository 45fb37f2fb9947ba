/* What a call is beside its time: how long the host takes to launch it, what its kernel occupies of a multiprocessor,
   and by how much its time varies: tables 5.1, 5.2, C.1 and C.2 of Henry de Frahan (2011) */
#ifndef BENCH_LAUNCHES_H
#define BENCH_LAUNCHES_H

#include "bench.h"
#include <petsctime.h>

#define BENCH_LAUNCHES         300 /* calls, most, of which launches are timed, and as many that are timed each alone */
#define BENCH_LAUNCHES_WAITING 50  /* of them without waiting: so many, the queue has room for */
#define BENCH_LAUNCHES_SECONDS 0.02 /* for each of both, about, of calls that take long: */
#define BENCH_LAUNCHES_LEAST   5    /* as few as this */
#define BENCH_LAUNCHES_COLUMNS \
  "threads,registers,local_bytes,shared_bytes,occupancy,launches,launch_s,mean_s,deviation,samples,processor_threads," \
  "processor_registers,processor_blocks,processor_shared"

typedef struct {
  PlexBackendLimits    limits;
  PlexLaunches         last; /* of a call; kernel NULL: not one of ours, or there are no multiprocessors */
  PlexKernelAttributes attributes;
  PetscReal            occupancy;
  double               launch;          /* seconds of the host, in a call's launches; 0: there are none */
  double               mean, deviation; /* of calls timed each alone: seconds, and over their mean */
  PetscInt             samples;
} BenchLaunches;

/* Launches of a call, and of its last kernel what it occupies */
static inline PetscErrorCode BenchLaunchesLook(PlexBackend backend, PetscErrorCode (*call)(void *), void *ctx,
                                               BenchLaunches *l)
{
  PetscInt blocks;

  PetscFunctionBegin;
  backend->launches = &l->last;
  PetscCall(call(ctx));
  backend->launches = NULL;
  if (!backend->device) l->last.kernel = NULL;
  if (!l->last.kernel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexKernelGetAttributes(l->last.kernel, &l->attributes));
  PetscCall(PlexKernelGetOccupancy(l->last.kernel, l->last.block, l->last.sharedBytes, &blocks, &l->occupancy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of the host in the launches of a call, which takes `seconds`: the mean of calls of which a batch waits for
   nothing, and is short enough that the queue is never full. petsc: its launches are PETSc's own, and the call is timed
   as a whole */
static inline PetscErrorCode BenchLaunchesTime(PlexBackend backend, PetscErrorCode (*call)(void *), void *ctx,
                                               PetscBool petsc, PetscLogDouble seconds, BenchLaunches *l)
{
  const PetscInt batch = (PetscInt)PetscMax(1., PetscMin((double)BENCH_LAUNCHES_WAITING,
                                                         0.5 * BENCH_LAUNCHES_SECONDS / PetscMax(seconds, 1e-9)));
  PlexLaunches   ours  = {0};
  PetscLogDouble begin, first, last, calls = 0.;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&begin));
  do {
    backend->launches = &ours;
    PetscCall(PetscTime(&first));
    for (PetscInt k = 0; k < batch; ++k) PetscCall(call(ctx));
    PetscCall(PetscTime(&last));
    backend->launches = NULL;
    calls += last - first;
    n += batch;
    PetscCall(PlexBackendSynchronize(backend));
    PetscCall(PetscTime(&last));
  } while (n < BENCH_LAUNCHES && last - begin < BENCH_LAUNCHES_SECONDS);
  if (backend->device) l->launch = (petsc ? calls : ours.seconds) / (double)n;
  if (petsc) l->last.n = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean and standard deviation of calls between events, each waited for, as the thesis has them: where the queue is
   empty, a call's launch is a part of its time */
static inline PetscErrorCode BenchLaunchesVary(PlexBackend backend, PetscErrorCode (*call)(void *), void *ctx,
                                               BenchLaunches *l)
{
  PetscLogDouble begin, now, seconds;
  double         squares = 0.;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  do {
    double off;

    PetscCall(PlexBackendTimerBegin(backend));
    PetscCall(call(ctx));
    PetscCall(PlexBackendTimerEnd(backend, &seconds));
    off = seconds - l->mean; /* Welford's sums */
    l->mean += off / (double)++l->samples;
    squares += off * (seconds - l->mean);
    PetscCall(PetscTime(&now));
  } while (l->samples < BENCH_LAUNCHES_LEAST || (l->samples < BENCH_LAUNCHES && now - begin < BENCH_LAUNCHES_SECONDS));
  l->deviation = l->mean > 0. ? PetscSqrtReal(squares / (double)(l->samples - 1)) / l->mean : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a call that takes `seconds`, and has been made before */
static inline PetscErrorCode BenchLaunchesMeasure(PlexBackend backend, PetscErrorCode (*call)(void *), void *ctx,
                                                  PetscBool petsc, PetscLogDouble seconds, BenchLaunches *l)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(l, sizeof(*l)));
  l->limits = backend->limits;
  PetscCall(BenchLaunchesLook(backend, call, ctx, l));
  PetscCall(BenchLaunchesTime(backend, call, ctx, petsc, seconds, l));
  PetscCall(BenchLaunchesVary(backend, call, ctx, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a row of the table: | threads | registers | shared, bytes | occupancy | launch, us | of its time | deviation |,
   and a dash for what the backend does not have */
static inline void BenchLaunchesPrint(FILE *text, const BenchLaunches *l)
{
  if (l->last.kernel)
    fprintf(text, " %d | %d | %zu | %.0f %% |", (int)l->last.block, (int)l->attributes.registers,
            l->attributes.sharedBytes + l->last.sharedBytes, 100. * l->occupancy);
  else fprintf(text, " - | - | - | - |");
  if (l->launch > 0. && l->mean > 0.) fprintf(text, " %.3g | %.3g %% |", 1e6 * l->launch, 100. * l->launch / l->mean);
  else fprintf(text, " - | - |");
  fprintf(text, " %.3g %% |\n", 100. * l->deviation);
}

/* The columns of a file, and nothing in those that the backend does not have. The device's limits, which its occupancy
   comes from, are those of a multiprocessor */
static inline void BenchLaunchesWrite(FILE *csv, const BenchLaunches *l)
{
  if (l->last.kernel)
    fprintf(csv, "%d,%d,%zu,%zu,%.6g", (int)l->last.block, (int)l->attributes.registers, l->attributes.localBytes,
            l->attributes.sharedBytes + l->last.sharedBytes, l->occupancy);
  else fprintf(csv, ",,,,");
  if (l->launch > 0.) fprintf(csv, ",%d,%.6g", (int)l->last.n, l->launch);
  else fprintf(csv, ",,");
  fprintf(csv, ",%.6g,%.6g,%d", l->mean, l->deviation, (int)l->samples);
  if (l->limits.registersPerProcessor)
    fprintf(csv, ",%d,%d,%d,%zu\n", (int)l->limits.threadsPerProcessor, (int)l->limits.registersPerProcessor,
            (int)l->limits.blocksPerProcessor, l->limits.sharedPerProcessor);
  else fprintf(csv, ",,,,\n");
}

#endif
