/* Problems of the nodal discontinuous Galerkin operator that several tests share */
#pragma once

#include <plexgpu/private/dgimpl.h>
#include "meshes.h"

/* Each simplex in 4 or 8; the label "boundary" stays */
PetscErrorCode PlexTestRefine(DM *dm);

/* A box of [0, 1]^dim of n cells a side, each cut into 2 triangles or 6 tetrahedra; periodic in all directions where
   asked, n >= 3. The label "boundary" holds 1. On several processes the first has all cells. */
PetscErrorCode PlexTestSimplexBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, DM *dm);

/* Maxwell's equations of degree N, a plane wave that enters through all of the boundary. epsilon and mu are not 1. */
PetscErrorCode PlexTestWaveCreate(DM dm, PetscInt N, PetscReal alpha, PlexDG *dg);
/* That wave; ctx is the operator */
PetscErrorCode PlexTestWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
/* U from the function at time 0, or where that is NULL from U, to T, by the classical Runge-Kutta method with the operator's time step */
PetscErrorCode PlexTestRun(PlexDG dg, PetscReal T, PlexDGFn *func, void *ctx, Vec U);

/* Registers burgers, and without_flux and without_header, systems that cannot be used */
PetscErrorCode PlexTestRegisterSystems(void);
/* Registers maxwell_driven, Maxwell's equations with the current of driven.h */
PetscErrorCode PlexTestRegisterDriven(void);
/* Registers drag, sound with the drag of drag.h */
PetscErrorCode PlexTestRegisterDrag(void);
/* Coefficients: the last one, such as sigma, is *ctx, a PetscReal, of all cells or, where that is negative, -*ctx right of
   the middle alone */
PetscErrorCode PlexTestConductor(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                 void *ctx);

/* Facets on the boundary of the unit box: label "sides", 2 d + 1 where x_d = 0 and 2 d + 2 where x_d = 1 */
PetscErrorCode PlexTestLabelSides(DM dm);

/* A state that is continuous nowhere, by the numbers of its entries: fluxes then depend on jumps */
PetscErrorCode PlexTestJumps(Vec U);
/* Numbers between -1 and 1 that depend on x and the field alone, rough enough that no two nodes agree; ctx is not
   used */
PetscErrorCode PlexTestRough(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
/* Coefficients between 0.5 and 1.5 times the value that they have, by the centroid */
PetscErrorCode PlexTestUneven(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx);

/* Takes options that were inserted as a string, names and values in turn, out of the database again */
PetscErrorCode PlexTestClearOptions(const char options[]);
