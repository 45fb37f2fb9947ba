/* Local matrices of affine elements by squares of 8 x 8: what squares.c and squareteams.c share */
#pragma once

#include "hdgimpl.h"

#define PLEX_HDG_STEP 4 /* terms of a sum that a step of the tensor cores has: PLEX_UNIT_K */

/* Squares that rows or columns are put into */
static inline PetscInt PlexHDGSquares(PetscInt n)
{
  return (n + 7) / 8;
}

/* Doubles of -S and -R^T in squares */
static inline PetscInt PlexHDGSquaresSize(PlexHDGReference R)
{
  const PetscInt NS = PlexHDGSquares(R->Np), N = NS + PlexHDGSquares(R->Nt);

  return 64 * (NS * N - NS * (NS - 1) / 2);
}

/* Doubles for what an element keeps of faces that are turned, PlexHDGTurned, a multiple of 8 */
static inline PetscInt PlexHDGTurnedSize(PlexHDGReference R)
{
  return (R->faces * R->faces + R->faces + (R->faces + 1) / 2 + 7) / 8 * 8 + 8 * PlexHDGSquares(R->Nt);
}

/* Terms of S: stiffness, faces, reaction, and 1 where rows are added */
static inline PetscInt PlexHDGTerms(PlexHDGReference R)
{
  return (R->nab + R->faces + 2 + PLEX_HDG_STEP - 1) / PLEX_HDG_STEP * PLEX_HDG_STEP;
}

/* Term c of entry (i, j) of S */
static inline PetscReal PlexHDGTermS(PlexHDGReference R, PetscInt c, PetscInt i, PetscInt j)
{
  const PetscInt Np = R->Np;

  if (i >= Np || j >= Np) return i == j && c == R->nab + R->faces + 1;
  if (c < R->nab) return R->S[(c * Np + i) * Np + j];
  if (c < R->nab + R->faces) return R->E[((c - R->nab) * Np + i) * Np + j];
  return i == j && c == R->nab + R->faces;
}

/* Term c of entry (i, t) of R, t of all faces' functions, unturned */
static inline PetscReal PlexHDGTermR(PlexHDGReference R, PetscInt c, PetscInt i, PetscInt t)
{
  const PetscInt at = t / R->Nf * R->turns * R->Np * R->Nf + i * R->Nf + t % R->Nf;

  if (i >= R->Np || t >= R->Nt || c > R->dim) return 0.;
  return c ? R->H[(c - 1) * R->faces * R->turns * R->Np * R->Nf + at] : R->F[at];
}

/* What is appended to a kernel's text: an array of constants */
PETSC_INTERN PetscErrorCode PlexHDGWriteConstants_Private(char text[], size_t size, const char type[],
                                                          const char name[], PetscInt n, const PetscInt64 values[]);
/* squareteams.c: a team of warps an element: its sizes and tables, and what its kernel's text has of these. *resident:
   blocks at once; 0: shared memory has no room for an element */
PETSC_INTERN PetscErrorCode PlexHDGTeamsCreate_Private(PlexHDG, PlexHDGKernel *, PetscInt *resident, char text[],
                                                       size_t size);
