/* Velocities in H(div) without divergence: what solenoidal*.c and navierexplicit.c share. solenoidal.c
   has the method */
#pragma once

#include "stokes.h"

struct _n_PlexHDGSolenoidal {
  PetscInt         NF;      /* functions of a face of degree P + 1; of them the first Nf are those of degree P */
  PetscInt         nc;      /* conditions of an element: NF of each face, and Np - 1 of its divergence */
  PetscReal       *psi;     /* [turns][Nqf][NF] at the points that an element has on a face, as R->psi */
  PetscReal       *moments; /* [faces][turns][NF][Nu] <psi_m, U_j> on the reference face */
  PetscReal       *turn;    /* [turns][NF][NF] functions of the face in those of the order that the element has there */
  PetscReal       *divergence;  /* [dim][Np - 1][Nu] (phi_i+1, dU_j/dr_a) */
  PetscReal       *solve;       /* [nc][dim][Nu] least functions by conditions */
  PetscBool       *outer;       /* [Ne][faces] on the boundary of the domain */
  PetscReal       *own, *other; /* [Ne][faces][dim][NF] moments of u, and of the neighbours' u */
  PetscReal       *trace;       /* [Ne][faces][dim][Nf] with known ones */
  Vec              sums;        /* of a trace, as is */
  Vec              balanced;    /* the trace whose flows balance */
  Mat              laplacian;   /* B B^T */
  KSP              ksp;         /* of it */
  Vec              flows[2];    /* [Ne] */
  Vec              velocity;    /* of the solution u, when it was in */
  PetscObjectState state;
};

/* An affine element */
typedef struct {
  PetscReal det, J[3][3], C[3][3]; /* C = det J^-1 */
  PetscReal normal[PLEX_HDG_MAX_FACES][3];
} PlexHDGSolenoidalElement;

/* solenoidaldata.c: tables, once; an error where elements are not straight simplices. Freed with Stokes's equations */
PETSC_INTERN PetscErrorCode PlexHDGSolenoidalSetUp_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGSolenoidalDestroy_Private(PlexHDG);
/* solenoidal.c: s->trace of a trace */
PETSC_INTERN PetscErrorCode PlexHDGSolenoidalSetTrace_Private(PlexHDG, Vec);
/* s->own of u[Ne][dim][Nu], and s->other: high ones, or all; on the boundary those of the element. Collective */
PETSC_INTERN PetscErrorCode PlexHDGSolenoidalShare_Private(PlexHDG, const PetscReal u[], PetscBool all);
PETSC_INTERN void           PlexHDGSolenoidalElementSet_Private(PlexHDG, PetscInt e, PlexHDGSolenoidalElement *);
/* After those, of element e: flux[faces][NF] the normal components, times the face's area over that of the reference face, of
   which v[dim][Nu] nearest to u[dim][Nu] has no divergence but for the sum of them. work[nc + dim Nu] */
PETSC_INTERN void PlexHDGSolenoidalProject_Private(PlexHDG, PetscInt e, const PlexHDGSolenoidalElement *,
                                                   const PetscReal u[], PetscReal flux[], PetscReal v[],
                                                   PetscReal work[]);
