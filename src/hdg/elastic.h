/* Linear elasticity: what src/hdg/elastic*.c and hostelastic.c share. elastic.c has the method */
#pragma once

#include "hdgimpl.h"

#define PLEX_HDG_MAX_MODES 6 /* rigid motions in 3D */

struct _n_PlexHDGElastic {
  PetscInt           Nu;        /* functions of a component of u */
  int               *functions; /* [Nu] their places among the Npost of degree P + 1 */
  PetscReal         *U;         /* [Nq][Nu] at the points of an element */
  PetscReal         *D;         /* [dim][Np][Nu] (d phi_i/dr_a, U_j) */
  PetscReal         *Q;         /* [faces][turns][Nf][Nu] <psi_m, U_j> on the reference face */
  PetscReal         *E;         /* [faces][Nu][Nu] products of these projections, the same for all turns */
  PetscReal          area;      /* of the reference face */
  PetscReal          ratio;     /* largest lambda/mu of all processes */
  PetscReal          center[3]; /* about which motions turn */
  PetscReal          size;      /* largest distance from there */
  PetscInt           nfree;     /* rigid motions that no condition holds */
  PetscReal          free[PLEX_HDG_MAX_MODES][PLEX_HDG_MAX_MODES]; /* [nfree] of the rigid motions */
  PetscInt           nheld; /* faces of this process that have unknowns of some components, and known ones of others */
  int               *held;  /* [Ne][faces] a face's place among them, -1: none */
  int               *bits;  /* [nheld] components that are known */
  PlexHDGElasticArgs args;  /* but for args.hdg */
};

/* elastictables.c: sizes and tables, after the reference element and turns */
PETSC_INTERN PetscErrorCode PlexHDGElasticCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGElasticDestroy_Private(PlexHDG);
/* elasticmaterial.c: copies of them in the backend's memory */
PETSC_INTERN PetscErrorCode PlexHDGElasticUpload_Private(PlexHDG);
/* elasticmotions.c: of K, rigid motions as its near null space, and those that nothing holds as its null space;
   trace: a vector of the trace */
PETSC_INTERN PetscErrorCode PlexHDGElasticSetNullSpaces_Private(PlexHDG, Vec trace);
/* Of a matrix whose vectors v[] have as rigid motions, which are changed: its near null space and null space */
PETSC_INTERN PetscErrorCode PlexHDGElasticSetSpaces_Private(PlexHDG, Mat, Vec v[]);
/* Which motions no condition holds. Collective */
PETSC_INTERN PetscErrorCode PlexHDGElasticFindFree_Private(PlexHDG);
/* Rigid motion k at a point */
PETSC_INTERN void PlexHDGElasticMotion_Private(PlexHDGElastic, PetscInt dim, PetscInt k, const PetscReal x[],
                                               PetscReal u[]);
/* Motions without stress: a stress mu grad u of Stokes's equations is one of rotations, too */
static inline PetscInt PlexHDGMotions(PlexHDG hdg)
{
  const PetscInt dim = hdg->mesh->dim;

  return PlexHDGIsFluid(hdg) && !hdg->symmetricStress ? dim : dim * (dim + 1) / 2;
}

/* Nearly incompressible, where coarse functions of degree 1 lock, and small enough for a direct solver */
static inline PetscBool PlexHDGElasticIsDirect(PlexHDG hdg)
{
  return (PetscBool)(hdg->elastic->ratio > 20. && (PetscInt64)hdg->mesh->nownGlobal * PlexHDGBlockSize(hdg) <=
                                                    (hdg->mesh->dim == 2 ? 100000 : 20000));
}

/* hostelastic.c */
PETSC_INTERN PetscErrorCode PlexHDGElasticCondense_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGElasticLocal_Host(PlexHDG, const PlexHDGArgs *);
