/*
  Amplitudes at points of fields Re F exp(-i w t), by a sum over the samples of one period
*/
#ifndef PLEX_FARFIELD_H
#define PLEX_FARFIELD_H

#include <plexgpu.h>
#include <complex.h>
#undef I

typedef double _Complex FarComplex;
#define FAR_I __extension__ 1.0i

/* Amplitudes at points: of what, and the sum so far */
typedef struct {
  PetscInt     n;
  PetscReal   *points;  /* [n][3] */
  PetscBool   *outside; /* [n] of the mesh; NULL: none may be */
  PlexDGProbes probes;
  PetscReal   *values; /* [n][6] at one time */
  FarComplex  *sum;    /* [n][6] */
} Amplitudes;

static inline PetscErrorCode AmplitudesCreate(PlexDG dg, PetscInt n, PetscReal *points, PetscBool mayBeOutside,
                                              Amplitudes *a)
{
  PetscFunctionBegin;
  a->n       = n;
  a->points  = points;
  a->outside = NULL;
  if (mayBeOutside) PetscCall(PetscMalloc1(n, &a->outside));
  PetscCall(PetscMalloc1(6 * n, &a->values));
  PetscCall(PetscCalloc1(6 * n, &a->sum));
  PetscCall(PlexDGProbesCreate(dg, n, points, a->outside, &a->probes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode AmplitudesDestroy(Amplitudes *a)
{
  PetscFunctionBegin;
  PetscCall(PlexDGProbesDestroy(&a->probes));
  PetscCall(PetscFree(a->points));
  PetscCall(PetscFree(a->outside));
  PetscCall(PetscFree(a->values));
  PetscCall(PetscFree(a->sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of `samples` a period at angle w t */
static inline PetscErrorCode AmplitudesAdd(Amplitudes *a, Vec U, PetscReal angle, PetscInt samples)
{
  const FarComplex phase = (PetscCosReal(angle) + FAR_I * PetscSinReal(angle)) * 2. / samples;

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(a->probes, U, a->values));
  for (PetscInt k = 0; k < 6 * a->n; ++k) a->sum[k] += phase * a->values[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
