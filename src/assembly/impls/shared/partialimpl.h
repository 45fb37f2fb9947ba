/* What parts of the mesh sum, while it is made: lists of one part (partiallists.c), and parts one after the other
   (partialparts.c) */
#pragma once

#include "partial.h"
#include <petsc/private/hashmapi.h>

#define PLEX_PARTIAL_CLASSES 3 /* of partial sums: of one number, of two, of more */

/* First target of a chunk; or, of partial sums, the place of the first one among those that the part `owner` receives,
   which is -1 for others */
typedef struct {
  int first, owner;
} PlexPartialHead;

/* A target that is in no batch: its codes codes[start .. start + n); partial sums as above */
typedef struct {
  unsigned to;
  int      owner, start, n;
} PlexPartialTarget;

/* Those of a part: of 16 bits, or of 32 */
typedef struct {
  PetscInt           n, max, ncodes, maxCodes;
  PlexPartialTarget *targets; /* [max], */
  unsigned          *codes;   /* [maxCodes] */
} PlexPartialRest;

/* The lists of a part, and behind each other those of all */
typedef struct {
  const PlexPartialLayout *layout;

  PetscInt        n[PLEX_PARTIAL_KINDS];     /* of the part: batches of each kind, */
  PetscInt        nchunks[PLEX_PARTIAL_FEW]; /* chunks, */
  unsigned short *lines[PLEX_PARTIAL_FEW];   /* their codes, */
  /* and of rows that are owned which partial sums; room for those of a part */
  unsigned short  *received;
  PlexPartialHead *heads[PLEX_PARTIAL_FEW];
  PlexPartialRest  rest, mixed;

  unsigned short *stream; /* codes of all parts */
  size_t          nlines, maxStream;
  PetscHMapI      known;               /* first lines of kinds of parts, by what these are */
  PetscSegBuffer  headBuffer, patches; /* PlexPartialHead; PlexPartialPatch */
  PetscInt        nheads, npatches;
  double          reads, turns; /* half warps that read shared memory, and turns in which they do */
} PlexPartialLists;

/* Where in the stream, counted in 32 bits, it says where a partial sum of a part goes */
typedef struct {
  size_t at;
  int    owner;
} PlexPartialPatch;

PETSC_INTERN PetscErrorCode PlexPartialListsCreate_Private(const PlexPartialLayout *, PlexPartialLists *);
PETSC_INTERN PetscErrorCode PlexPartialListsDestroy_Private(PlexPartialLists *);
/* A part begins */
PETSC_INTERN void PlexPartialListsBegin_Private(PlexPartialLists *);
/* Another chunk of a kind */
PETSC_INTERN void PlexPartialAddChunk_Private(PlexPartialLists *, PetscInt kind, int first, int owner);
/* The codes of target k of the last chunk of a kind, which has room for as many as the kind says; received:
   PLEX_PARTIAL_NONE, or of a kind that has them which partial sum */
PETSC_INTERN void PlexPartialPutCodes_Private(PlexPartialLists *, PetscInt kind, PetscInt k, PetscInt n,
                                              const unsigned short codes[], unsigned short received);
/* A target that is in no batch, of `rest` or `mixed`, with room for n codes */
PETSC_INTERN PetscErrorCode PlexPartialAddRest_Private(PlexPartialRest *, unsigned to, int owner, PetscInt n,
                                                       unsigned **codes);
/* The part ends: codes, heads, senders; all of *part but what it receives */
PETSC_INTERN PetscErrorCode PlexPartialListsEnd_Private(PlexPartialLists *, PetscInt nsenders, const int senders[],
                                                        PlexPartialPart *part);
/* All parts are there: what they send goes to the places that the others have from received[part] on; copies codes and
   heads to the backend */
PETSC_INTERN PetscErrorCode PlexPartialListsUpload_Private(PlexPartialLists *, const PlexPartialPart parts[],
                                                           PlexPartialArgs *);
