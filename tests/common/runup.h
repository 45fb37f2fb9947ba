/* What laboratories measure of a wave that runs up: the highest water at gauges, and when; and the highest ground under
   water at places of the shore.

   Run-up is the highest elevation at vertices on land with more than a film of water. Vertices alone count: an element
   that is partly dry has the level of its water at those that are wet, and from there its surface rises to the land. */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* The place, from 0, of a vertex at x, and the depth of the bottom there; negative: none, or no land */
typedef PetscInt PlexTestPlaceFn(const PetscReal x[], PetscReal *depth, void *ctx);

typedef struct {
  PetscReal    film, begin; /* depth that is seen; added to the time of TS */
  PetscInt     ngauges, nplaces, n;
  PlexDGProbes probes;
  PetscReal   *values;       /* [ngauges][3] */
  PetscReal   *crest, *when; /* [ngauges] highest water, its time */
  PetscInt    *at, *place;   /* [n] vertices on land: where their elevation is in the state, and their place */
  PetscReal   *depth;        /* [n] */
  PetscReal   *highest;      /* [nplaces] run-up; 0 where land stays dry */
} PlexTestRunup;

/* Of water, with triangles or quadrilaterals, that is set up */
PetscErrorCode PlexTestRunupCreate(PlexDG dg, PetscReal film, PetscReal begin, PetscInt ngauges,
                                   const PetscReal gauges[], PetscInt nplaces, PlexTestPlaceFn *place, void *ctx,
                                   PlexTestRunup *runup);
PetscErrorCode PlexTestRunupDestroy(PlexTestRunup *runup);

/* For TSMonitorSet(); ctx is the PlexTestRunup */
PetscErrorCode PlexTestRunupMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx);

/* Prints the gauges beside measured heights and times; *mean: of the relative differences of heights */
PetscErrorCode PlexTestRunupCompare(const PlexTestRunup *runup, const char *const names[], const PetscReal crest[],
                                    const PetscReal when[], PetscReal *mean);

/* Solves as many steps of the problem ctx; *norm: of the last state */
typedef PetscErrorCode PlexTestNormFn(const char backend[], PetscInt steps, void *ctx, PetscReal *norm);

/* Some steps with the backend are those of the host */
PetscErrorCode PlexTestRunupSteps(const char backend[], const char of[], PlexTestNormFn *solve, void *ctx);

/* Of files that are not part of the project the folder, from the environment or an option; "": there is none, and a line says
   that the test of `of` is skipped, and why */
PetscErrorCode PlexTestRunupFolder(const char backend[], const char of[], const char whose[], const char variable[],
                                   const char option[], size_t size, char folder[]);

/* main(): `test` with each backend, the host among them; what it returns */
int PlexTestRunupMain(int argc, char **argv, const char help[], PetscErrorCode (*test)(const char backend[]));
