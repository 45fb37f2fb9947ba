/* Rows of the matrix in warps */
#include "warps.h"

#define PLEX_WARP_INDEX 20 /* bits of a row's number in its block */

PetscErrorCode PlexWarpRowsCreate_Private(PetscInt most, PlexWarpRows *r)
{
  PetscFunctionBegin;
  PetscCheck(most < 1 << PLEX_WARP_INDEX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A block has %" PetscInt_FMT " rows, and %d can be sorted: use -plex_assembly_type %s", most,
             1 << PLEX_WARP_INDEX, PLEXASSEMBLYELEMENTATOMIC);
  r->n = 0;
  PetscCall(PetscMalloc1(most, &r->rows));
  PetscCall(PetscMalloc1(most, &r->other)); /* changes places with rows */
  PetscCall(PetscMalloc2(most, &r->keys, most, &r->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWarpRowsDestroy_Private(PlexWarpRows *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->rows));
  PetscCall(PetscFree(r->other));
  PetscCall(PetscFree2(r->keys, r->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into the order of keys[], which have the rows' numbers in their lowest bits */
static void PlexWarpRowsOrder(PlexWarpRows *r)
{
  PlexWarpRow *rows = r->rows;

  PlexSortKeys(r->n, PLEX_WARP_INDEX, r->keys, r->work);
  for (PetscInt k = 0; k < r->n; ++k) r->other[k] = rows[r->keys[k] & ((1u << PLEX_WARP_INDEX) - 1)];
  r->rows  = r->other;
  r->other = rows;
}

void PlexWarpRowsSort_Private(PlexWarpRows *r, PetscBool scatter)
{
  /* multiples of the golden ratio: neighbours in the mesh are far apart */
  for (PetscInt k = 0; scatter && k < r->n; ++k)
    r->keys[k] = (uint64_t)((unsigned)k * 2654435769u >> 1) << PLEX_WARP_INDEX | (uint64_t)k;
  if (scatter) PlexWarpRowsOrder(r);
  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexWarpRow *row = &r->rows[k];
    uint64_t           key = (uint64_t)row->classes; /* 12 bits */

    key        = key << 2 | (uint64_t)(3 - PlexWarpColumns(row->parts, 0));
    key        = key << 13 | (uint64_t)(8191 - PetscMin(8191, row->each));
    key        = key << 16 | (uint64_t)(65535 - row->length);
    r->keys[k] = key << PLEX_WARP_INDEX | (uint64_t)k;
  }
  PlexWarpRowsOrder(r);
}

PetscErrorCode PlexMatrixRowCheck_Private(PlexAssembly asm_, PetscInt row, PetscInt e)
{
  const PlexElements el      = asm_->elements;
  const PlexPattern  pattern = asm_->pattern;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < el->ef; ++j) {
    const PetscInt column = pattern->column[el->dofs[(size_t)e * el->ef + j]];

    PetscCheck(column < 0 || PlexPatternFind(pattern, row, column) >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT
               " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()",
               row, column, e);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
