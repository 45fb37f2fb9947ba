/*
  shared_nz and shared_row: element data in shared memory (Cecka 4.3).

  A part is what a block owns: mesh nodes, the dofs on them and their targets. An item is an element around these nodes,
  or a run of rows of its element data. A pass is the items that a block has in shared memory at a time.
    sizes.c   shared memory, parts, items a pass
    passes.c  items and passes of each part, scatter arrays
    lists.c   what is summed from shared memory: reduction arrays (shared_nz), row lists (shared_row)
    shared.c  the two types
*/
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>
#include <assembly/shared_args.h>
#include "../common/blocks.h"
#include "pairs.h"
#include "variant.h"

#define PLEX_SHARED_NONE 0xffff /* ends lists of 16-bit numbers */

typedef struct {
  PetscBool row; /* shared_row */
} PlexShared;

typedef struct {
  /* shared memory of a block, past the teams' work areas: [sums] entries of the matrix, then [used] numbers of element
     data */
  PetscInt  capacity, used;
  PetscInt  sums;        /* shared_row: most targets of a part; 0: they are summed in the matrix itself */
  PetscInt  nodal;       /* numbers of nodal data an element */
  PetscInt  region;      /* numbers an element needs for nodal, then element data */
  PetscInt  rows;        /* most rows of element data an item; the element's where items are elements */
  PetscInt  items;       /* most items a pass */
  PetscInt  maxElements; /* around a part's nodes */
  PetscBool chunked;     /* items are runs of rows */
  PetscInt  stride;      /* between entries of a region: items where regions are interleaved, else 1 */
  PetscInt  lanes, out;  /* shared_row: threads a row that sum, that write */
  size_t    sharedBytes;
  PetscBool zero; /* some targets are written by nobody, or all are added to: zeroed before the launch */

  PetscInt parts, passes, mostPasses;
  double   elements, nitems, nrows; /* of all parts: elements around, items, rows of element data */
  double   packed, padding, listed; /* packed entries, padding among them; bytes of row lists */

  PlexSharedArgs device; /* arrays in the backend's memory */
  PetscBool      paired; /* shared_nz: by pairs, and nothing of the above */
  PlexPairs      pairs;
  /* or by a variant of a folder of its own, or NULL */
  const PlexSharedVariant *variant;
  void                    *ofVariant; /* its plan */
  PlexKernel               kernel;
} PlexSharedPlan;

/* A run of rows of an element's data: [first, first + n) */
typedef struct {
  PetscInt e, first, n;
  PetscInt base; /* where its region begins */
} PlexSharedItem;

/* While a plan is built */
typedef struct {
  PlexAssembly    asm_;
  PlexProduct    *product;
  PlexSharedPlan *plan;
  PetscBool       row;

  PlexLists nodes, around; /* of each part: mesh nodes, elements around them; those of the assembly, not owned */
  PetscInt *dofStart;      /* [parts+1] */
  int      *order;         /* owned dofs by part: of a Jacobian, those that have a row */
  int      *part;          /* [Nl] of a dof, or -1 */
  int      *local;         /* [Nl] the part's number of the first target of an owned dof */
  PetscInt *targets;       /* [parts] */

  PlexSharedItem *item; /* of the pass that is being filled */
  PetscInt        nitem, used;
  PetscInt        b;                    /* part that is being built */
  PetscBool      *seen;                 /* [most targets] of the part, in earlier passes */
  PetscBool       again;                /* there were such */
  int            *slots;                /* [ef][ef] of an element */
  PetscInt        slotsOf;              /* which */
  PetscInt       *shift;                /* [2][ef] of an element: work of lists.c */
  int            *number;               /* [max(Nx, Nl)] work, -1 between uses */
  int            *key, *value, *value2; /* [capacity] work */
  int            *sources;              /* [2][capacity] work of passes.c */
  int            *count;                /* [most targets + 1] work */
  /* [most targets + 1] of a symmetric product: the target of the transposed entry */
  int   *mirror;
  double covered; /* targets that are written */

  PlexPackBuffer entries;
  /* PlexSharedPass, int[2], int, unsigned short, PlexSharedSlice, int, int[3] */
  PetscSegBuffer passes, items, elements, lists, slices, rows, out;
  PetscInt64     nlists, nslices;
  int           *start, *outStart; /* [parts+1] */
} PlexSharedBuild;

/* Targets of local dof l, a row of the matrix or an entry of the residual: first and how many */
static inline PetscInt PlexSharedFirst(const PlexSharedBuild *build, PetscInt l)
{
  return build->product->kind == PLEX_JACOBIAN ? build->asm_->pattern->i[build->asm_->pattern->row[l]] : l;
}
static inline PetscInt PlexSharedLength(const PlexSharedBuild *build, PetscInt l)
{
  const PetscInt *i = build->product->kind == PLEX_JACOBIAN ? build->asm_->pattern->i + build->asm_->pattern->row[l]
                                                            : NULL;

  return i ? i[1] - i[0] : 1;
}

PETSC_INTERN PetscErrorCode PlexSharedDestroyParts_Private(PlexSharedBuild *);
PETSC_INTERN PetscErrorCode PlexSharedChooseSizes(PlexSharedBuild *);
PETSC_INTERN PetscErrorCode PlexSharedBuildPasses(PlexSharedBuild *);
PETSC_INTERN PetscErrorCode PlexSharedGetSlots(PlexSharedBuild *, PetscInt e);
PETSC_INTERN PetscErrorCode PlexSharedReduction(PlexSharedBuild *, PlexSharedPass *);
PETSC_INTERN PetscErrorCode PlexSharedRows(PlexSharedBuild *, PlexSharedPass *);
