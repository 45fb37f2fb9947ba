/* What is known of the functions of a Jacobian: traits.c */
#pragma once

#include "point.h"

#define PLEX_READS_SOLUTION  (PLEX_READS_U | PLEX_READS_U_T | PLEX_READS_U_X)
#define PLEX_READS_AUXILIARY (PLEX_READS_A | PLEX_READS_A_T | PLEX_READS_A_X)
/* what differs between the points of an element */
#define PLEX_READS_THE_POINT (PLEX_READS_SOLUTION | PLEX_READS_AUXILIARY | PLEX_READS_X)

/* Entries are numbered key by key: test field, trial field, g0..g3 and then those of the dynamic Jacobian, in each as
   the function returns them */
struct _n_PlexFormTraits {
  PetscBool   known;      /* reads is an upper bound; else what was read at one point, or nothing was looked at */
  unsigned    reads;      /* arguments that the functions read, PLEX_READS_... */
  PetscBool   constant;   /* in each element: they read auxiliary fields only that are constant there, if any */
  PetscBool   auxiliary;  /* the auxiliary fields are constant in each element */
  PetscBool   watched;    /* that they read nothing else was seen at one point, and is to be watched at all others */
  PetscBool   symmetric;  /* of one scalar field: g1 = g2^T, g3 = g3^T, and there is a g1 where there is a g2 */
  PetscBool   isotropic;  /* of one scalar field: g3 is a multiple of the identity */
  PetscBool   reciprocal; /* of one field: entry (c,d,k,l) of g3 is (d,c,l,k), as in elasticity */
  PetscBool   alike;      /* of one field: none of its entries couples two components, and those of each are the same */
  PetscInt    n;          /* entries; 0: of none is known whether it is zero */
  PetscBool  *zero;       /* [n] entries that are zero at all points */
  const char *how;        /* "by their source", ...; static */
};

/* Calls of an assembly's functions, with what they must not read behind a guard: see PlexProduct.watched. The point's
   element is the caller's to set */
PETSC_INTERN PetscErrorCode PlexGuardCalls_Private(PlexAssembly, const void *args /* PlexArgs */, PlexGuard *,
                                                   PlexPoint *);

/* At this assembly; asm's moment NULL: as far as that is known without calling the functions */
PETSC_INTERN PetscErrorCode PlexTraitsGet_Private(PlexAssembly, PlexFormTraits);
PETSC_INTERN PetscErrorCode PlexTraitsReset_Private(PlexFormTraits);
/* Frees what an assembly keeps for it */
PETSC_INTERN PetscErrorCode PlexTraitsForget_Private(PlexAssembly);
