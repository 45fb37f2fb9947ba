/* Problems of the nodal discontinuous Galerkin operator that several tests share */
#pragma once

#include <plexgpu/dg.h>
#include "meshes.h"

/* Each simplex in 4 or 8; the label "boundary" stays */
PetscErrorCode PlexTestRefine(DM *dm);

/* A box of [0, 1]^dim of n cells a side, each cut into simplices; periodic in all directions where asked. The label "boundary" holds 1. */
PetscErrorCode PlexTestSimplexBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, DM *dm);

/* Maxwell's equations of degree N, a plane wave that enters through all of the boundary. epsilon and mu are not 1. */
PetscErrorCode PlexTestWaveCreate(DM dm, PetscInt N, PetscReal alpha, PlexDG *dg);
/* That wave; ctx is the operator */
PetscErrorCode PlexTestWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
/* U from time 0 to T, by the classical Runge-Kutta method with the operator's time step */
PetscErrorCode PlexTestWaveRun(PlexDG dg, PetscReal T, Vec U);
