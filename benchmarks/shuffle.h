/* Meshes numbered at random, and with vertices moved, of benchmarks and of tests */
#ifndef BENCH_SHUFFLE_H
#define BENCH_SHUFFLE_H

#include <petscdmplex.h>

/* Uniform in [0, 1), the same on every machine (xorshift64*) */
static double MeshRandom(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

/* Cells, faces, edges and vertices numbered at random, each among their like */
static inline PetscErrorCode MeshShuffle(DM *dm, PetscInt seed)
{
  uint64_t state = 88172645463325252u + (uint64_t)seed;
  PetscInt pStart, pEnd, depth, *number;
  DM       shuffled;
  IS       perm;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(*dm, &pStart, &pEnd));
  PetscCall(DMPlexGetDepth(*dm, &depth));
  PetscCall(PetscMalloc1(pEnd - pStart, &number));
  for (PetscInt p = pStart; p < pEnd; ++p) number[p - pStart] = p;
  for (PetscInt d = 0; d <= depth; ++d) {
    PetscInt first, end;

    PetscCall(DMPlexGetDepthStratum(*dm, d, &first, &end));
    for (PetscInt p = end - 1; p > first; --p) {
      const PetscInt k = first + (PetscInt)(MeshRandom(&state) * (double)(p - first + 1)), n = number[p - pStart];

      number[p - pStart] = number[k - pStart];
      number[k - pStart] = n;
    }
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, pEnd - pStart, number, PETSC_OWN_POINTER, &perm));
  PetscCall(DMPlexPermute(*dm, perm, &shuffled));
  PetscCall(ISDestroy(&perm));
  PetscCall(DMDestroy(dm));
  *dm = shuffled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each coordinate of each vertex by up to `most` */
static inline PetscErrorCode MeshMoveVertices(DM dm, PetscReal most)
{
  uint64_t     state = 88172645463325252u;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; ++k) x[k] += most * (PetscReal)(2.0 * MeshRandom(&state) - 1.0);
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
