/* Rows of the matrix in warps, which sum them from records: shared by the plans of local_row */
#pragma once

#include "cut.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

/* A row of a block */
typedef struct {
  int l;       /* its local dof */
  int classes; /* symmetry classes of its contributions, as bits */
  int each;    /* contributions that one of its threads sums, most */
  int length;  /* non-zeros */
  int parts;   /* threads that sum it: 1, 2, 4 or 8 */
} PlexWarpRow;

/* Rows of a block, and room to sort them */
typedef struct {
  PetscInt     n;
  PlexWarpRow *rows, *other; /* [most] */
  uint64_t    *keys, *work;  /* [most] */
} PlexWarpRows;

PETSC_INTERN PetscErrorCode PlexWarpRowsCreate_Private(PetscInt most, PlexWarpRows *);
/* By classes, then most threads a row, most contributions and longest row first. Rows that are alike stay in their
   order, or are scattered */
PETSC_INTERN void           PlexWarpRowsSort_Private(PlexWarpRows *, PetscBool scatter);
PETSC_INTERN PetscErrorCode PlexWarpRowsDestroy_Private(PlexWarpRows *);

/* Numbers of a column of sums that are written at a time: 32 bytes of short rows, 64 of others */
static inline PetscInt PlexWarpChunk(PlexAssembly asm_, PlexProduct *product)
{
  return product->Nt <= 10 * asm_->pattern->m ? 4 : 8;
}

/* Numbers of a column of sums: the row's, one behind it, and as many as fill a chunk */
static inline PetscInt PlexWarpColumn(PetscInt length, PetscInt chunk)
{
  return (length + chunk) / chunk * chunk;
}

/* Columns of so many rows, as a power of two that is not less than `least` */
static inline PetscInt PlexWarpColumns(PetscInt rows, PetscInt least)
{
  while (1 << least < rows) ++least;
  return least;
}

/* A row of the matrix, in which the columns of dofs have places */
typedef struct {
  PetscInt        row;     /* or -1: it has no places */
  PetscInt        start;   /* slot of its first non-zero */
  PetscInt        length;  /* non-zeros */
  PetscInt        dropped; /* place of dofs that have no column */
  const PetscInt *columns; /* [length] */
} PlexMatrixRow;

/* The row of local dof l, or of none where l < 0 */
static inline PlexMatrixRow PlexMatrixRowGet(const PlexPattern pattern, PetscInt l, PetscInt dropped)
{
  PlexMatrixRow r = {.row = l < 0 ? -1 : pattern->row[l], .dropped = dropped};

  r.start   = r.row < 0 ? 0 : pattern->i[r.row];
  r.length  = PlexPatternLength(pattern, r.row);
  r.columns = r.row < 0 ? NULL : &pattern->j[r.start];
  return r;
}

/* Place of local dof m's column in the row; < 0: the matrix lacks it */
static inline PetscInt PlexMatrixRowPlace(const PlexPattern pattern, const PlexMatrixRow *r, PetscInt m)
{
  const PetscInt column = r->row < 0 ? -1 : pattern->column[m];

  if (column < 0) return r->dropped;
  if (r->length <= PLEX_PATTERN_PAD) return PlexPatternFindShort(r->columns, r->length, column) - 1;
  return PlexPatternFind(pattern, r->row, column) - r->start;
}

/* An error if the matrix lacks an entry of the row that element e adds to */
PETSC_INTERN PetscErrorCode PlexMatrixRowCheck_Private(PlexAssembly, PetscInt row, PetscInt e);
