/* local_row of tensor-product cells by sum factorization: cuda/assembly/local_row_lines.cu has the idea */
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include "../../integrate/lines.h"
#include <assembly/lines_args.h>

typedef struct {
  PetscInt        nblocks;
  PetscInt        elements; /* of a block, most, and their numbers that far apart; */
  PetscInt        fit;      /* those that have room in a block of these sizes; */
  PetscInt        nodal;    /* numbers of its nodes and dofs; */
  PetscInt        warps;    /* warps */
  PlexLinesLayout layout;
  size_t          shared;                        /* bytes of shared memory a block */
  double          reads, turns;                  /* of half warps: elements, one each; turns in which these are read */
  double          rows, contributions, computed; /* computed: elements in blocks, each as often as it is there */
  double          groups, bytes;                 /* of 32 records; read by all blocks together */
  PlexLineTables  tables;
  PetscBool       symmetric;
  PetscBool       zero; /* some row is in no block */
  PlexLinesArgs   device;
} PlexLines;

/* Whether it serves a Jacobian: rows of order 1 are computed faster by symmetry */
PETSC_INTERN PetscErrorCode PlexSumfactorServes_Private(PlexAssembly, PlexProduct *, PlexLineTables *,
                                                        PetscBool *serves);
/* The plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexLinesCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexLines *);
PETSC_INTERN PetscErrorCode PlexLinesView_Private(const PlexLines *, PetscViewer);
