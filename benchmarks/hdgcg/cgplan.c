/* The matrix of statically condensed continuous elements: its pattern, and lists of the entries of elements' matrices
   that each of its entries sums. Nobody adds to what another one adds to, as in hybridized DG, but lists are as long as
   elements meet at a vertex. */
#include "cgimpl.h"

/* Lists by key[n], which is not listed where it is not below `keys`: start[keys + 1], items[] ascending */
static PetscErrorCode PlexHDGCGInvert(PetscInt n, const int key[], PetscInt keys, int **start, int **items)
{
  int *at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(keys + 2, start));
  PetscCall(PetscMalloc1(n, items));
  at = *start + 1; /* at[k] becomes the end of k while items are placed */
  for (PetscInt k = 0; k < n; ++k)
    if (key[k] < keys) ++at[key[k] + 1];
  for (PetscInt k = 0; k < keys; ++k) at[k + 1] += at[k];
  for (PetscInt k = 0; k < n; ++k)
    if (key[k] < keys) (*items)[at[key[k]]++] = (int)k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of row r, ascending, and for each the number of entries it sums: count[] by column, which is zero again on
   return where `count` is not wanted */
static PetscInt PlexHDGCGGetColumns(PlexHDGCG cg, PetscInt n, const int rows[], PetscInt columns[], int count[])
{
  PetscInt found = 0;

  for (PetscInt k = 0; k < n; ++k) {
    const int *nodes = &cg->nodes[(size_t)(rows[k] / cg->Nb) * cg->Nb];

    for (PetscInt j = 0; j < cg->Nb; ++j)
      if (nodes[j] < cg->nfree && !count[nodes[j]]++) columns[found++] = nodes[j];
  }
  return found;
}

/* i[nfree + 1], j[] and lists: start[nnz + 1], sources[]; j NULL: only i and the sizes */
static PetscErrorCode PlexHDGCGPlan(PlexHDGCG cg, const int startRow[], const int rows[], PetscInt i[], PetscInt j[],
                                    int start[], int sources[], PetscInt *nsources)
{
  PetscInt *columns, total = 0;
  int      *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(cg->nfree, &count));
  PetscCall(PetscMalloc1(cg->nfree, &columns));
  i[0] = 0;
  if (j) start[0] = 0;
  for (PetscInt r = 0; r < cg->nfree; ++r) {
    const int     *own = &rows[startRow[r]], n = startRow[r + 1] - startRow[r];
    const PetscInt found = PlexHDGCGGetColumns(cg, n, own, columns, count);

    i[r + 1] = i[r] + found;
    if (j) PetscCall(PetscSortInt(found, columns));
    for (PetscInt k = 0; k < found; ++k) {
      const int length = count[columns[k]];

      count[columns[k]] = (int)total; /* where the next entry goes */
      total += length;
      if (!j) continue;
      j[i[r] + k]         = columns[k];
      start[i[r] + k + 1] = (int)total;
    }
    for (PetscInt k = 0; j && k < n; ++k) {
      const int *nodes = &cg->nodes[(size_t)(own[k] / cg->Nb) * cg->Nb];

      for (PetscInt m = 0; m < cg->Nb; ++m)
        if (nodes[m] < cg->nfree) sources[count[nodes[m]]++] = (int)(own[k] * cg->Nb + m);
    }
    for (PetscInt k = 0; k < found; ++k) count[columns[k]] = 0;
  }
  *nsources = total;
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCGCreateMatrix(PlexHDGCG cg, const PetscInt i[], const PetscInt j[])
{
  PlexHDG     hdg = cg->hdg;
  PC          pc;
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &cg->A));
  PetscCall(MatSetSizes(cg->A, cg->nfree, cg->nfree, cg->nfree, cg->nfree));
  PetscCall(MatSetType(cg->A, hdg->backend->device ? MATSEQAIJCUSPARSE : MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(cg->A, i, j, NULL));
  PetscCall(MatSetOption(cg->A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(cg->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(MatCreateVecs(cg->A, &cg->x, &cg->rhs));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &cg->ksp));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  PetscCall(KSPSetOptionsPrefix(cg->ksp, prefix));
  PetscCall(KSPAppendOptionsPrefix(cg->ksp, "plex_hdg_cg_"));
  PetscCall(KSPSetType(cg->ksp, KSPCG));
  PetscCall(KSPGetPC(cg->ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetTolerances(cg->ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(cg->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGSetUpMatrix_Private(PlexHDGCG cg)
{
  const PetscInt n = cg->hdg->mesh->Ne * cg->Nb;
  PlexBackend    b = cg->hdg->backend;
  int           *startRow, *rows, *start, *sources;
  PetscInt      *i, *j, nsources = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGInvert(n, cg->nodes, cg->nfree, &startRow, &rows));
  PetscCall(PetscMalloc1(cg->nfree + 1, &i));
  PetscCall(PlexHDGCGPlan(cg, startRow, rows, i, NULL, NULL, NULL, &nsources));
  cg->nnz = i[cg->nfree];
  PetscCall(PetscMalloc3(cg->nnz, &j, cg->nnz + 1, &start, nsources, &sources));
  PetscCall(PlexHDGCGPlan(cg, startRow, rows, i, j, start, sources, &nsources));
  PetscCall(PlexHDGCGCreateMatrix(cg, i, j));
  PetscCall(PlexMemoryUpload(b, &cg->memory, start, sizeof(int) * (cg->nnz + 1), (const void **)&cg->start));
  PetscCall(PlexMemoryUpload(b, &cg->memory, sources, sizeof(int) * nsources, (const void **)&cg->sources));
  PetscCall(PlexMemoryUpload(b, &cg->memory, startRow, sizeof(int) * (cg->nfree + 1), (const void **)&cg->startRow));
  PetscCall(PlexMemoryUpload(b, &cg->memory, rows, sizeof(int) * n, (const void **)&cg->sourcesRow));
  PetscCall(PetscFree3(j, start, sources));
  PetscCall(PetscFree(i));
  PetscCall(PetscFree(startRow));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
