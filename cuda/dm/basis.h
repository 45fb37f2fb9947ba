/*
  What a basis transform of PETSc's (src/dm/basis.c) does with a matrix and with a local vector, in steps: functions of an
  index, which run as kernels, and on the host as loops in threads. R, [d][d], takes d neighbouring dofs from the local
  basis to the global one.

    matrix   each block of d or one rows and d or one columns becomes R block, block R^T or R block R^T
    vector   each d entries become R entries, or R^T entries
*/
#ifndef PLEX_BASIS_H
#define PLEX_BASIS_H

#include "plan/steps.h"

#ifndef __cplusplus
typedef PetscScalar plex_scalar;
#endif

#define PLEX_BASIS_ROWS    1 /* a block has d rows that R takes to others, */
#define PLEX_BASIS_COLUMNS 2 /* d such columns */

typedef struct {
  int          d; /* 2 or 3 */
  plex_scalar  R[9];
  const int   *items;  /* [n][4] of a block: where its rows begin in A, the first three; what it has */
  plex_scalar *A;      /* values of a matrix */
  const int   *first;  /* [n] of d entries the first */
  int          global; /* R; else R^T */
  plex_scalar *x;      /* a local vector */
} PlexBasisArgs;

PLEX_HOST_DEVICE void plex_basis_multiply(const PlexBasisArgs *p, int global, plex_scalar x[3])
{
  const plex_scalar x0 = x[0], x1 = x[1], x2 = p->d == 3 ? x[2] : 0;

  for (int a = 0; a < 3; ++a) {
    if (a >= p->d) continue;
    x[a] = global ? p->R[a * p->d] * x0 + p->R[a * p->d + 1] * x1 : p->R[a] * x0 + p->R[p->d + a] * x1;
    if (p->d == 3) x[a] += (global ? p->R[3 * a + 2] : p->R[6 + a]) * x2;
  }
}

/* Item of a block. It reads 16 bytes, and reads and writes 8 bytes a value */
PLEX_STEP(plex_basis_blocks, PlexBasisArgs)
{
  const int  *item = &p->items[4 * i];
  const int   rows = item[3] & PLEX_BASIS_ROWS ? p->d : 1, columns = item[3] & PLEX_BASIS_COLUMNS ? p->d : 1;
  plex_scalar a[3][3], t[3];

  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) a[r][c] = r < rows && c < columns ? p->A[item[r] + c] : 0;
  }
  if (rows > 1) {
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) t[r] = a[r][c];
      plex_basis_multiply(p, 1, t);
      for (int r = 0; r < 3; ++r) a[r][c] = t[r];
    }
  }
  for (int r = 0; r < 3; ++r) {
    if (columns > 1) plex_basis_multiply(p, 1, a[r]);
    for (int c = 0; c < 3; ++c)
      if (r < rows && c < columns) p->A[item[r] + c] = a[r][c];
  }
}

/* Item of d entries of a vector. It reads 4 bytes, and reads and writes 8 bytes an entry */
PLEX_STEP(plex_basis_vector, PlexBasisArgs)
{
  plex_scalar x[3];

  for (int a = 0; a < 3; ++a) x[a] = a < p->d ? p->x[p->first[i] + a] : 0;
  plex_basis_multiply(p, p->global, x);
  for (int a = 0; a < 3; ++a)
    if (a < p->d) p->x[p->first[i] + a] = x[a];
}

#endif
