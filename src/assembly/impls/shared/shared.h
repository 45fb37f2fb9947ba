/*
  shared_nz and shared_row: element data in shared memory (Cecka 4.3).
    shared.c  the two types
    passes.c  the plan: parts of the mesh, items, passes, and what is summed in each
*/
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>
#include <assembly/shared_args.h>
#include "../../plan/blocks.h"
#include "pairs.h"
#include "variant.h"

typedef struct {
  PetscBool row;         /* shared_row */
  PetscInt  maxElements; /* around a part's nodes */
  PetscInt  capacity;    /* numbers of element data in shared memory */
  PetscBool chunked;     /* items are ranges of rows of elements, of which a Jacobian computes no others */
  PetscInt  rows;        /* most rows of an item */
  size_t    sharedBytes; /* the teams' work areas and element data */
  PetscBool zero;        /* some targets are written by nobody: all are zeroed before the launch */

  PetscInt parts, passes, mostPasses, nitems;
  double   elements, nrows; /* of all parts: elements around, rows of element data */
  double   listed;          /* bytes of lists */

  PlexSharedArgs device;
} PlexSharedPlan;

/* plan->row is given */
PETSC_INTERN PetscErrorCode PlexSharedPlanCreate_Private(PlexAssembly, PlexProduct *, PlexSharedPlan *plan);

/* A product's plan */
typedef struct {
  PlexSharedPlan           plain;
  PetscBool                paired; /* shared_nz: by pairs in its place */
  PlexPairs                pairs;
  const PlexSharedVariant *variant;   /* or by a variant of a folder of its own, or NULL */
  void                    *ofVariant; /* its plan */
  PlexKernel               kernel;    /* of `plain` and pairs */
} PlexShared;
