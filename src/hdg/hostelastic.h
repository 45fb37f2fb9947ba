/* An element of linear elasticity on the host: what hostelastic.c and hoststokes.c share */
#pragma once

#include "host.h"
#include "elastic.h"

typedef struct {
  PlexHDGElement   el; /* geometry */
  PlexHDGElastic   elastic;
  PetscInt         dim, Np, Nu, Nf, Nt, n; /* n = Nu + Nt functions of a component, Nt of them of faces */
  PetscReal        lambda, mu;
  PetscReal        ts[PLEX_HDG_MAX_FACES];    /* tau times the face's area over that of the reference face */
  int              held[PLEX_HDG_MAX_FACES];  /* bits of the face's components that are known, though it has unknowns */
  const PetscReal *known[PLEX_HDG_MAX_FACES]; /* [dim][Nf] their trace */
  PetscReal       *Y, *M, *W, *G;             /* [dim][n][Np], [Np][Np], [n][n], [dim][dim][Np] */
} PlexHDGElasticElement;

PETSC_INTERN PetscErrorCode PlexHDGElasticElementCreate_Private(PlexHDG, const PlexHDGArgs *, PlexHDGElasticElement *);
PETSC_INTERN PetscErrorCode PlexHDGElasticElementDestroy_Private(PlexHDGElasticElement *);
PETSC_INTERN void           PlexHDGElasticElementSet_Private(PlexHDGElasticElement *, PetscInt e);
/* Q of face f as the element sees it, [Nf][Nu] */
PETSC_INTERN const PetscReal *PlexHDGElasticQ_Private(const PlexHDGElasticElement *, PetscInt f);
/* Y and M, of which an affine element's is a multiple of the identity */
PETSC_INTERN void PlexHDGElasticFormY_Private(PlexHDGElasticElement *);
/* After that, SR = [S | R] and H of A_km = delta_km (mu sum_l W_ll + stabilization) + shear W_mk + lambda W_km, all of
   both, as hostelastic.c has it; Y becomes X */
PETSC_INTERN PetscErrorCode PlexHDGElasticBuild_Private(PlexHDGElasticElement *, PetscReal lambda, PetscReal shear,
                                                        PetscReal mu, PetscReal SR[], PetscReal H[]);
/* Rows and columns of K of components that are known: tau s times the identity */
PETSC_INTERN void PlexHDGElasticHold_Private(const PlexHDGElasticElement *, PetscReal K[]);
/* G[dim][dim][Np] = M^-1 (F~_l trace_k - D_l^T u_k) of u[dim][Nu] and trace[faces][dim][Nf]; leaves Y */
PETSC_INTERN PetscErrorCode PlexHDGElasticGradient_Private(PlexHDGElasticElement *, const PetscReal u[],
                                                           const PetscReal trace[], PetscReal G[]);
/* u[dim][Nu] at its places among the functions of degree P + 1, to[dim][Npost] */
PETSC_INTERN PetscErrorCode PlexHDGElasticWrite_Private(const PlexHDGElasticElement *, const PetscReal u[],
                                                        PetscReal to[]);

/* hoststokes.c: of an element with Y, C^T in Z and N, of the pressure's functions 1 .. Np - 1; net[T] of its function 0 */
PETSC_INTERN void PlexHDGStokesConstrain_Private(const PlexHDGElasticElement *, PetscReal Z[], PetscReal N[],
                                                 PetscReal net[]);
/* b = <psi, tau (Pi u - trace) - (mu (G + G^T) - p I) n>, G^T where the stress is symmetric; of components that are known
   what their rows of K have */
PETSC_INTERN void PlexHDGStokesFlows_Private(const PlexHDGElasticElement *, PetscBool symmetric, const PetscReal u[],
                                             const PetscReal p[], const PetscReal trace[], const PetscReal G[],
                                             PetscReal b[]);
/* (phi_0, p) */
PETSC_INTERN PetscReal PlexHDGStokesIntegral_Private(const PlexHDGElasticElement *, const PetscReal p[]);
