/* Reduction lists, row by row: what global_nz and local_nz sum */
#pragma once

#include "blocks.h"

typedef struct {
  PlexAssembly     asm_;
  PlexProduct     *product;
  const PlexLists *touching;   /* of each mesh node the elements around it; the assembly's parts' */
  int             *base;       /* [Ne] where an element's data begins, -1: it is not there; -1 at first */
  PetscInt         interleave; /* of the element data: [positions/interleave][nd][interleave] */

  PetscInt n; /* lists, of which the first `packed` are packed */
  /* [n] what a list sums; of a symmetric product the target of the transposed entry, else -1 */
  int      *targets, *mirrors;
  PetscInt  packed, allocated;
  PetscInt *start; /* [n-packed+1] into sources */
  int      *sources, *places;
  PetscInt  sallocated, pallocated;
  double    total; /* sources, packed ones counted in */

  /* [terms of a row, most] the target's place in the row, the entry of element data or -1 */
  int *place, *source;
  int *count; /* [longest row] terms of a place, then where the next one goes */
  /* [m] place of a column in the row under way, if it is long; NULL: columns are not of this process alone */
  int *placeOf;
  int *other; /* [longest row + 1] the row that the column of a place is */
} PlexTerms;

PETSC_INTERN PetscErrorCode PlexTermsCreate_Private(PlexAssembly, PlexProduct *, PetscInt interleave, PlexTerms *);
/* Element e is at position p of the element data */
PETSC_INTERN void PlexTermsSetPosition_Private(PlexTerms *, PetscInt e, PetscInt p);
/* Appends the lists of local dof l's targets, which are those of row r of a Jacobian: those that an element adds to, or
   `all`; l < 0: no element does */
PETSC_INTERN PetscErrorCode PlexTermsAddRow_Private(PlexTerms *, PetscInt r, PetscInt l, PetscBool all);
PETSC_INTERN void           PlexTermsPrefetch_Private(const PlexTerms *, PetscInt l);
#define PLEX_TERMS_AHEAD 6 /* rows that are fetched before they come */
/* Packs the first nlists of those that are not packed yet; they are targets 0, 1, ... of the array */
PETSC_INTERN PetscErrorCode PlexTermsPack_Private(PlexTerms *, PetscInt nlists, PlexPackBuffer *, PetscInt *rows);
PETSC_INTERN PetscErrorCode PlexTermsDestroy_Private(PlexTerms *);
