/* A partition in the making: partition.c cuts runs of items, partitionmetis.c the graph of items by METIS */
#pragma once

#include <plexgpu/private/util.h>

typedef struct {
  PetscInt   n;      /* items */
  PetscInt  *start;  /* [n+1] into touch */
  const int *touch;  /* things an item touches; distinct ones; negative entries are none */
  PetscInt   ntouch; /* things */
  PetscInt   maxItems, maxTouched;
  PetscBool  alone;    /* an item that touches more than maxTouched is a part of its own, and no error */
  PetscInt  *adjStart; /* [n+1] graph of the items */
  int       *adj;      /* neighbours: items that share many things, see PartitionGraph() */
  int       *local;    /* [n] work: position of an item in the set being cut, else -1 */
  int       *stamp;    /* [ntouch] work: last set counted at a thing */
  int        stamps;   /* sets counted so far */
  double     overhead; /* parts needed over parts that the totals suggest, as learned */
  PetscInt   nparts, allocated;
  PetscInt  *partStart; /* [nparts+1] */
  int       *items;     /* [n] items by part */
} PlexPartition;

/* Runs of order[n] */
PETSC_INTERN PetscErrorCode PlexPartitionRuns_Private(PlexPartition *, const int order[], PlexLists *parts);
/* By METIS, where PlexGPU was built with it, else runs of the items in their order; touching: the items that touch each
   thing */
PETSC_INTERN PetscErrorCode PlexPartitionByMetis_Private(PlexPartition *, const PlexLists *touching, PlexLists *parts);
