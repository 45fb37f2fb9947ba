/*
  Elements of the hybridized DG method on the host. Matrices are as LAPACK has them, columns one after the other; the
  tables of the reference element, which are in rows, are then transposed.

  With Y_k = [D_k^T | F~_k], k the coordinate, and the functions chi = (phi, psi) of the element and of its faces, the
  matrix of u and the trace after the elimination of q is (equations 8, 9, 11, 13 and 14 of King and others 2014)

    [S  R; R^T  H] = sum_f tau_f <chi, chi>_f + lambda [M 0; 0 0] + sum_kl kappa_kl Y_k^T M^-1 Y_l

  and that of the trace alone K = H - R^T S^-1 R, where S^-1 is the paper's Z and S^-1 R its U.
*/
#pragma once

#include "hdgimpl.h"

typedef struct {
  PlexHDG            hdg;
  const PlexHDGArgs *args;
  PetscInt           e;
  PetscBool          affine;
  PetscInt           dim, Np, Nf, Nt, faces, n; /* n = Np + Nt */
  const PetscReal   *kappa, *tau;
  PetscReal          reaction;
  const int         *turns;

  /* Affine: one of everything */
  /* N outward normal as long as s, a face's element over that of the reference face */
  PetscReal detJ, rx[3][3], N[PLEX_HDG_MAX_FACES][3], s[PLEX_HDG_MAX_FACES];

  /* Else at quadrature points */
  PetscReal       *w, *gradient, *wphi; /* [Nq], [dim][Nq][Np], [Nq][Np] weights times determinant, gradients, w phi */
  PetscReal       *wn, *ws;             /* [faces][Nqf][dim], [faces][Nqf] weights times normal, its length */
  PetscReal       *post;                /* [dim][Nq][Npost] gradients */
  PetscReal       *M, *Y, *A;           /* [Np][Np], [dim][n][Np], [n][n] */
  const PetscReal *kinv;                /* [Nq][dim][dim] where kappa is given pointwise; then Y is [n][dim Np] */
  PetscReal       *B;                   /* [dim Np][dim Np] (kappa^-1 phi, phi) */
  PetscReal       *t;                   /* [dim][Np] */
} PlexHDGElement;

/* hostconvection.c: convection added to A[n][n] of u and minus the trace, and to r[Np] and b[Nt], of which those that are
   NULL are not wanted */
PETSC_INTERN void PlexHDGElementAddConvection_Private(const PlexHDGElement *, PetscReal A[]);
PETSC_INTERN void PlexHDGElementResidualConvection_Private(const PlexHDGElement *, const PetscReal u[],
                                                           const PetscReal trace[], PetscReal r[], PetscReal b[]);
/* hostgeneral.c */
PETSC_INTERN PetscErrorCode PlexHDGResidual_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGFlow_Host(PlexHDG, const double b[], const double trace[], double r[]);
PETSC_INTERN PetscErrorCode PlexHDGGeneralCondense_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGGeneralLocal_Host(PlexHDG, const PlexHDGArgs *);
/* host.c: Cholesky's factor of S in SR[Np + Nt][Np] = [S | R], then L^-1 R in the place of R, and K = H - R^T S^-1 R in
   that of H, of which the upper triangle is there */
PETSC_INTERN PetscErrorCode PlexHDGCondenseElement_Private(const PlexHDGArgs *, PetscInt e, PetscInt Np, PetscInt Nt,
                                                           PetscReal SR[], PetscReal K[]);
/* u[n] of f[n] (NULL: zero) and trace[t]: S u = f + R trace. SR: [S | R], or what it has become (factored) */
PETSC_INTERN PetscErrorCode PlexHDGSolveElement_Private(const PlexHDGArgs *, PetscInt e, PetscInt n, PetscInt t,
                                                        PetscBool factored, PetscReal SR[], const PetscReal f[],
                                                        const PetscReal trace[], PetscReal u[]);
/* host.c: trace[Nt] of an element's faces */
PETSC_INTERN void PlexHDGElementSpread_Private(const PlexHDGArgs *, PetscInt faces, PetscInt Nf, const int face[],
                                               PetscReal trace[]);
PETSC_EXTERN PetscErrorCode PlexHDGElementCreate_Private(PlexHDG, const PlexHDGArgs *, PlexHDGElement *);
PETSC_EXTERN PetscErrorCode PlexHDGElementDestroy_Private(PlexHDGElement *);
PETSC_EXTERN void           PlexHDGElementSet_Private(PlexHDGElement *, PetscInt e);
/* An affine element: sum_ab detJ (r_a . kappa r_b) S_ab added to K[n][n] */
PETSC_EXTERN void PlexHDGElementAddStiffness_Private(const PlexHDGElement *, PetscInt n, const PetscReal S[],
                                                     PetscReal K[]);
/* SR[n][Np] = [S | R], of S the upper triangle at least; H[Nt][Nt], the upper triangle at least */
PETSC_INTERN PetscErrorCode PlexHDGElementBuild_Private(PlexHDGElement *, PetscReal SR[], PetscReal H[]);
/* Of kappa(u) linearized about q[dim][Np], A[n][n] of u and minus the trace: general.cuh has it; C[dim Np][Np] is
   workspace */
PETSC_INTERN PetscErrorCode PlexHDGElementNewton_Private(PlexHDGElement *, const PetscReal q[], PetscReal C[],
                                                         PetscReal A[]);
/* r[Np] of u, its derivative ut by time (NULL: zero), the trace and q */
PETSC_INTERN void PlexHDGElementResidual_Private(PlexHDGElement *, const PetscReal u[], const PetscReal ut[],
                                                 const PetscReal trace[], const PetscReal q[], PetscReal r[]);
/* q[dim][Np] of u[Np] and trace[Nt]; b[Nt] unless it is NULL */
PETSC_INTERN PetscErrorCode PlexHDGElementFlux_Private(PlexHDGElement *, const PetscReal u[], const PetscReal trace[],
                                                       PetscReal q[], PetscReal b[]);
/* K[Npost][Npost] = (kappa grad phi*_i, grad phi*_j), r[Npost] = (q, grad phi*_i); means[Npost] and mean, of phi*_i and
   of u */
PETSC_INTERN PetscErrorCode PlexHDGElementPost_Private(PlexHDGElement *, const PetscReal u[], const PetscReal q[],
                                                       PetscReal K[], PetscReal r[], PetscReal means[],
                                                       PetscReal *mean);
