/* Times of calls: on the host in processor time, on a device between two events; and the rate of a copy, likewise */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "bench.h"
#include "processortime.h"

static inline PetscErrorCode BenchBegin(PlexBackend backend, PetscLogDouble *begin)
{
  PetscFunctionBegin;
  if (backend->device) PetscCall(PlexBackendTimerBegin(backend));
  else PetscCall(ProcessorTime(begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchEnd(PlexBackend backend, PetscLogDouble begin, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  if (backend->device) PetscCall(PlexBackendTimerEnd(backend, seconds));
  else {
    PetscCall(ProcessorTime(seconds));
    *seconds -= begin;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes a second of a copy, read and written: on the host in processor time, as products are, of arrays that no cache
   holds */
static inline PetscErrorCode BenchCopyRate(PlexBackend backend, double *rate)
{
  const size_t   bytes = (size_t)1 << 26;
  PetscLogDouble begin = 0., end = 0.;
  char          *from, *to;

  PetscFunctionBegin;
  if (backend->device) {
    PetscCall(BenchCopyBandwidth(backend, rate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc2(bytes, &from, bytes, &to));
  PetscCall(PetscMemzero(from, bytes));
  *rate = 0.;
  for (PetscInt k = 0; k < 5; ++k) { /* the first one touches the pages */
    PetscCall(ProcessorTime(&begin));
    PetscCall(PetscMemcpy(to, from, bytes));
    PetscCall(ProcessorTime(&end));
    *rate = PetscMax(*rate, 2. * (double)bytes / PetscMax(end - begin, 1e-9));
  }
  PetscCall(PetscFree2(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices are moved by `most` at most, smoothly, so that cells are no parallelepipeds */
static inline PetscErrorCode BenchMoveVertices(DM dm, PetscReal most)
{
  PetscScalar *x;
  Vec          coordinates;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k += dim) {
    PetscReal wave = 1.;

    for (PetscInt d = 0; d < dim; ++d) wave *= PetscSinReal(7. * PetscRealPart(x[k + d]) + (PetscReal)d + 0.5);
    for (PetscInt d = 0; d < dim; ++d) x[k + d] += most * wave;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
