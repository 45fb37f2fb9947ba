/*
  shared_nz:partial, interface reduction on a partition of the elements. cuda/assembly/partial.cuh has the idea

    partial.c     the variant: whether it serves, its sizes, kernel and launch
    structured.c  blocks of elements that are structured boxes, as far as the mesh is structured
    reduction.c   rows and entries of each block, and what it sends and receives
    lists.c       index lists of a block, as partial_args.h has them
*/
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/partial_args.h>
#include <petsc/private/hashmapi.h>

/* halves of a block, where they have room; it then has a multiprocessor alone, and else two share one */
#define PLEX_PARTIAL_HALVES_MOST 2
/* of partial sums: of one number, of two, of more */
#define PLEX_PARTIAL_CLASSES 3

/* Where the entries of element matrices are in shared memory: 32 numbers a place, in which that of element k of a half
   is number ((k + shift) % 32) ^ turn */
typedef struct {
  unsigned short place;
  unsigned char  shift, turn;
} PlexPartialPlace;
typedef struct {
  PetscInt         elements; /* of a block, most */
  PetscInt         places;   /* of each half of a block */
  unsigned short   zero;     /* code of a number that is zero */
  PlexPartialPlace of[27 * 27];
} PlexPartialLayout;

typedef struct {
  PlexBlocks        blocks;
  PlexLineTables    tables;
  PlexPartialLayout layout;
  PetscInt          halves;             /* of a block, of PLEX_PARTIAL_LANES elements each */
  size_t            shared;             /* bytes of shared memory of a block */
  PetscBool         zero;               /* some entries of the matrix are written by nobody */
  double            alone, owned, sums; /* entries of interior rows, of rows that blocks own; partial sums sent */
  double            mixed;              /* of `owned` those that are not one or two numbers and one partial sum */
  double            codes, conflicts;   /* bytes of index lists; reads of shared memory over those without conflicts */
  double            room;               /* places of partial sums */
  PlexPartialArgs   device;
  void             *partial; /* [room] */
  PlexKernel        kernel;
  unsigned          launches;
} PlexPartial;

/* Blocks of at most so many elements, at most PLEX_PARTIAL_HALVES_MOST PLEX_PARTIAL_LANES: structured.c */
PETSC_INTERN PetscErrorCode PlexPartialStructured_Private(PlexElements, const PlexLineTables *, PetscInt most,
                                                          PlexLists *blocks);
/* What all blocks sum, send and receive, on the device; *serves false: there is too much of it. reduction.c */
PETSC_INTERN PetscErrorCode PlexPartialReduce_Private(PlexAssembly, PlexPartial *, PetscBool *serves);

/* Room for n things of so many bytes; *most: for how many there is */
PETSC_INTERN PetscErrorCode PlexPartialGrow_Private(size_t n, size_t bytes, size_t *most, void *things);

/* ---- Between reduction.c and lists.c */

/* Entries of the rows of a block, row after row */
typedef struct {
  PetscInt        n;
  int            *start; /* [n + 2] entry t sums codes[start[t] .. start[t + 1]), */
  unsigned short *codes;
  int            *sumStart; /* [n + 2] and of what the block receives likewise sums[] */
  int            *sums;
  unsigned char  *list; /* [n] PLEX_PARTIAL_SENT_1 to _OWNED; _FEW, _MIXED: longer ones; _KINDS: nothing is summed */
  PetscInt        nlongs;
  int            *longs; /* [nlongs] the longer ones */
} PlexPartialEntries;

/* Entries begin to end - 1: those of rows that are neighbours in the matrix, or those that go to one block */
typedef struct {
  PetscInt list; /* PLEX_PARTIAL_ALONE or _OWNED; PLEX_PARTIAL_SENT_1: sent */
  PetscInt begin, end;
  /* the first one's index in the matrix; of those sent of one number, of two, of more, where they are received, */
  int first[PLEX_PARTIAL_CLASSES];
  int owner; /* by this block; else -1 */
} PlexPartialSegment;

/* An entry of more numbers than batches have room for: n with its partial sums. It goes to entry `to` of the matrix, or
   to a place of what `owner` receives */
typedef struct {
  unsigned to;
  int      owner, entry, n, list;
} PlexPartialLong;

/* Where `owner` receives something is known last: this is added to a head, or to codes[at], counted in 32 bits */
typedef struct {
  PetscInt owner, head; /* head -1: codes */
  size_t   at;
} PlexPartialPatch;

/* Index lists of all blocks */
typedef struct {
  unsigned short    zero;
  unsigned short   *codes; /* [nlines][PLEX_PARTIAL_LINE] */
  int              *heads;
  PlexPartialPatch *patches;
  PlexPartialLong  *longs; /* of one block */
  size_t            nlines, mostCodes, nheads, mostHeads, npatches, mostPatches, nlongs, mostLongs;
  PetscHMapI        known;        /* first lines by a hash of what they hold */
  double            reads, turns; /* half warps that read shared memory, and times that they wait for a bank */
} PlexPartialLists;

PETSC_INTERN PetscErrorCode PlexPartialListsDestroy_Private(PlexPartialLists *);
/* owner -1, or the value counts from where this block receives */
PETSC_INTERN PetscErrorCode PlexPartialAddHead_Private(PlexPartialLists *, PetscInt value, PetscInt owner);
/* Those of a block with n segments; all of *part but what it receives and from whom */
PETSC_INTERN PetscErrorCode PlexPartialAddBlock_Private(PlexPartialLists *, const PlexPartialEntries *, PetscInt n,
                                                        const PlexPartialSegment[], PlexPartialPart *part);
/* Copies them to the device: parts[] of all blocks */
PETSC_INTERN PetscErrorCode PlexPartialListsUpload_Private(PlexPartialLists *, PlexBackend,
                                                           const PlexPartialPart parts[], PlexPartialArgs *);
