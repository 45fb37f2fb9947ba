/* Meshes of the assembly benchmark: numbered at random, with vertices moved; and what is counted of them */
#ifndef BENCH_MESH_H
#define BENCH_MESH_H

#include "shuffle.h"

/* The cells in an order of PETSc's, and what they have as they come, as -dm_plex_reorder has it; or the dofs along a
   curve, as -dm_reorder_section has them */
static PetscErrorCode MeshReorder(DM *dm, const char order[])
{
  DM        reordered;
  IS        perm;
  PetscBool dofs;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(order, PLEXREORDERHILBERT, &dofs));
  if (dofs) {
    PetscCall(DMReorderSectionSetDefault(*dm, DM_REORDER_DEFAULT_TRUE));
    PetscCall(DMReorderSectionSetType(*dm, order));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexGetOrdering(*dm, order, NULL, &perm));
  PetscCall(DMPlexPermute(*dm, perm, &reordered));
  PetscCall(ISDestroy(&perm));
  PetscCall(DMDestroy(dm));
  *dm = reordered;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sectors of 32 bytes that the rows of a sequential matrix's values lie in, each row by itself, and those of them that
   it shares with another row: what rows written one by one, in an order that is not the matrix's, make of 8 nnz
   bytes */
static PetscErrorCode MeshCountSectors(Mat mat, PetscLogDouble *all, PetscLogDouble *shared)
{
  const PetscInt *i;
  PetscInt        m;
  PetscBool       done;

  PetscFunctionBegin;
  *all = *shared = 0;
  PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, NULL, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix does not show its rows");
  for (PetscInt r = 0; r < m; ++r) {
    if (i[r + 1] == i[r]) continue;
    *all += (i[r + 1] - 1) / 4 - i[r] / 4 + 1;
    if (i[r] % 4) *shared += 1;
    if (i[r + 1] % 4 && ((i[r + 1] - 1) / 4 > i[r] / 4 || !(i[r] % 4))) *shared += 1;
  }
  PetscCall(MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, NULL, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
