/* Reading shared memory without conflicts: 16 threads at a time (half a warp, words of 8 bytes) read an item each, and
   item n is in bank n mod 16 */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

#define PLEX_BANKS       16
#define PLEX_BANKS_ITEMS 32 /* that a row has, most */

/* The order in which a group of 16 threads reads: row r, of which `parts` threads read, has the items
   start[r]..start[r+1), numbers items[], but for those that are taken[] already, as are then those that it reads. In
   each of `steps` steps slot[step][16] says which item a thread reads, -1: none; thread p * (16 / parts) + r is of row
   r. together: threads that read one item do it in one pass; passes: of all steps */
PETSC_INTERN void PlexBanksOrder_Private(PetscBool together, PetscInt rows, PetscInt parts, PetscInt steps,
                                         const PetscInt start[], const int items[], PetscBool taken[], int slot[],
                                         PetscInt *passes);
