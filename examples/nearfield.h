/*
  The electric field around a sphere of radius 1 at one wavenumber k of a pulse, beside Mie's series, in the plane of the
  wave's direction d and its polarization P: with g(t) P the wave at 0,

    E(x) = int E(x, t) exp(i k t) dt / int g(t) exp(i k t) dt + P exp(i k d . x) where the state is the scattered field

  which it is outside of a convex surface of facets.
*/
#ifndef PLEX_NEARFIELD_H
#define PLEX_NEARFIELD_H

#include "farfield.h"
#include "mie.h"

#define NEAR_SAMPLES 24 /* a period of the wave, at least */

typedef struct {
  PetscInt   grid;                /* points a side; 0: no near field */
  PetscReal  k, axes[2][3], size; /* d and P of length 1, that of P */
  PetscInt   interval;            /* steps between samples */
  PetscReal  dt;                  /* of these */
  PetscReal *place;               /* [grid grid][2], along d and P */
  PetscBool *total;               /* [grid grid] whether the state is the total field */
  Amplitudes sums;
} NearField;

/* total[n]: the points within the surface of the facets of "sphere" with this value, by the planes of all of them */
static inline PetscErrorCode NearFieldWithin(DM dm, PetscInt value, PetscInt n, const PetscReal points[],
                                             PetscBool total[])
{
  const PetscInt *facets = NULL;
  PetscReal      *beyond, centroid[3], normal[3];
  PetscInt        nfacets = 0;
  DMLabel         label;
  IS              is;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "sphere", &label));
  PetscCall(DMLabelGetStratumIS(label, value, &is));
  if (is) PetscCall(ISGetLocalSize(is, &nfacets));
  if (is) PetscCall(ISGetIndices(is, &facets));
  PetscCall(PetscMalloc1(n, &beyond));
  for (PetscInt p = 0; p < n; ++p) beyond[p] = PETSC_MIN_REAL;
  for (PetscInt f = 0; f < nfacets; ++f) {
    PetscReal outward = 0.;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[f], NULL, centroid, normal));
    for (int d = 0; d < 3; ++d) outward += normal[d] * centroid[d]; /* the surface is around 0 */
    for (PetscInt p = 0; p < n; ++p) {
      PetscReal distance = 0.;

      for (int d = 0; d < 3; ++d) distance += normal[d] * (points[3 * p + d] - centroid[d]);
      beyond[p] = PetscMax(beyond[p], outward < 0. ? -distance : distance);
    }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, beyond, (PetscMPIInt)n, MPIU_REAL, MPIU_MAX,
                              PetscObjectComm((PetscObject)dm)));
  for (PetscInt p = 0; p < n; ++p) total[p] = (PetscBool)(beyond[p] < 0.);
  PetscCall(PetscFree(beyond));
  if (is) PetscCall(ISRestoreIndices(is, &facets));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NearFieldMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  NearField *near = (NearField *)ctx;

  PetscFunctionBegin;
  (void)ts;
  if (step % near->interval == 0) PetscCall(AmplitudesAdd(&near->sums, U, near->k * t, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* grid[n][n] points of a square of this half side, sampled in the TS, whose step is known. surface: the value of "sphere"
   within which the state is the total field */
static inline PetscErrorCode NearFieldCreate(PlexDG dg, DM dm, PetscInt grid, PetscReal half, PetscInt surface,
                                             PetscReal k, TS ts, NearField *near)
{
  const PetscInt   n = grid * grid;
  const PetscReal *axes[2];
  PetscReal       *points, dt, length = 0.;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(near, sizeof(*near)));
  near->grid = grid;
  if (!grid) PetscFunctionReturn(PETSC_SUCCESS);
  near->k = k;
  PetscCall(PlexDGGetConstant(dg, "direction", NULL, &axes[0]));
  PetscCall(PlexDGGetConstant(dg, "polarization", NULL, &axes[1]));
  for (int d = 0; d < 3; ++d) length += PetscSqr(axes[1][d]);
  near->size = PetscSqrtReal(length);
  for (int d = 0; d < 6; ++d) near->axes[d / 3][d % 3] = axes[d / 3][d % 3] / (d < 3 ? 1. : near->size);
  PetscCall(PetscMalloc1(3 * n, &points)); /* of the amplitudes */
  PetscCall(PetscMalloc2(2 * n, &near->place, n, &near->total));
  for (PetscInt p = 0; p < n; ++p) {
    near->place[2 * p]     = half * (2. * (p % grid + 0.5) / grid - 1.);
    near->place[2 * p + 1] = half * (2. * (p / grid + 0.5) / grid - 1.);
    for (int d = 0; d < 3; ++d)
      points[3 * p + d] = near->place[2 * p] * near->axes[0][d] + near->place[2 * p + 1] * near->axes[1][d];
  }
  PetscCall(NearFieldWithin(dm, surface, n, points, near->total));
  PetscCall(AmplitudesCreate(dg, n, points, PETSC_TRUE, &near->sums));
  PetscCall(TSGetTimeStep(ts, &dt));
  near->interval = PetscMax(1, (PetscInt)(2. * PETSC_PI / (NEAR_SAMPLES * k * dt)));
  near->dt       = near->interval * dt;
  PetscCall(TSMonitorSet(ts, NearFieldMonitor, near, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table NAME.csv, and the difference from the series in all points but those next to the surface, over the series'
   size. spectrum: of the wave at k */
static inline PetscErrorCode NearFieldWrite(const NearField *near, const PetscReal spectrum[2], PetscBool conductor,
                                            double _Complex m, const char name[], PetscReal *error)
{
  const double _Complex i     = __extension__ 1.0i;
  const double _Complex scale = near->dt / (near->size * (spectrum[0] + i * spectrum[1]));
  PetscReal sums[2]           = {0., 0.};
  FILE     *file;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, name, "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "along_direction,along_polarization,field,series\n"));
  for (PetscInt p = 0; p < near->grid * near->grid; ++p) {
    const PetscReal *at = &near->place[2 * p], r = PetscSqrtReal(at[0] * at[0] + at[1] * at[1]);
    double _Complex E[3], own[3];
    PetscReal size[2] = {0., 0.};

    if (near->sums.outside[p]) continue;
    PetscCall(MieField(near->k, 1., conductor, m, (const PetscReal[]){at[1], 0., at[0]}, E));
    own[0] = own[1] = own[2] = 0.;
    for (int d = 0; d < 3; ++d) {
      const double _Complex own_d = scale * near->sums.sum[6 * p + d];

      own[0] += near->axes[1][d] * own_d;
      own[2] += near->axes[0][d] * own_d;
    }
    if (!near->total[p]) own[0] += cexp(i * near->k * at[0]);
    for (int d = 0; d < 3; ++d) {
      size[0] += PetscSqr(cabs(own[d]));
      size[1] += PetscSqr(cabs(E[d]));
      if (PetscAbsReal(r - 1.) < 0.05) continue;
      sums[0] += PetscSqr(cabs(own[d] - E[d]));
      sums[1] += PetscSqr(cabs(E[d]));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%.6g,%.6g,%.6g,%.6g\n", (double)at[0], (double)at[1],
                           (double)PetscSqrtReal(size[0]), (double)PetscSqrtReal(size[1])));
  }
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  *error = PetscSqrtReal(sums[0] / sums[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NearFieldDestroy(NearField *near)
{
  PetscFunctionBegin;
  if (!near->grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(near->place, near->total));
  PetscCall(AmplitudesDestroy(&near->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
