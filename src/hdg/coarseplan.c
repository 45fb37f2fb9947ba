/*
  What the entries of the coarse matrix sum, on one process: the parts of coarse.c, sorted by row and column.

    pairs p      (face l, vertex w of the faces that K couples with l), face by face
    parts        pair p and vertex v of its face: of the entry (row v, column w)
    keys[part]   row << bits | column; of a vertex that is no unknown n << bits, behind all others
    entry s      parts order[entry[s]] .. order[entry[s+1]), of one key

  A backend with kernels has cuda/hdg/precondition.cu find pairs and keys; the host's way here says what these do. Sorts
  are those of src/backend/arrays/. Sums are in the order of the parts: the same bits in every run.
*/
#include "hdgimpl.h"
#include "../backend/arrays/arrays.h"

/* Vertices of the faces that K couples with face l, each once; returns their number. pair[block of the face][vertex]:
   which one that is, -1: none; NULL: not wanted. *items: vertices that are one */
static PetscInt PlexHDGFindPairs(PlexHDG hdg, PetscInt nv, const PetscInt vertices[], PetscInt l, int found[],
                                 int pair[], PetscInt *items)
{
  const PetscInt begin = hdg->blockStart[l], end = hdg->blockStart[l + 1];
  PetscInt       n = 0;

  *items = 0;
  for (PetscInt k = begin; k < end; ++k) {
    for (PetscInt v = 0; v < nv; ++v) {
      const int w  = (int)vertices[hdg->blockColumn[k] * nv + v];
      PetscInt  at = 0;

      while (at < n && found[at] != w) ++at;
      if (pair) pair[(k - begin) * nv + v] = w < 0 ? -1 : (int)at;
      if (w < 0) continue;
      ++*items;
      if (at == n) found[n++] = w;
    }
  }
  return n;
}

/* By the host, in the backend's memory, which is the host's: start, items, diagonal of c, and keys[npairs][nv] */
static PetscErrorCode PlexHDGPairsHost(PlexHDG hdg, PlexHDGCoarse c, const PetscInt vertices[], int bits,
                                       uint64_t **keys)
{
  const PetscInt nown = hdg->mesh->nown, nv = c->nv;
  int            found[8 * PLEX_HDG_MAX_FACES], pair[8 * PLEX_HDG_MAX_FACES];
  PetscInt       nitems = 0, all = 0, items;

  PetscFunctionBegin;
  c->npairs = 0;
  for (PetscInt l = 0; l < nown; ++l) {
    c->npairs += PlexHDGFindPairs(hdg, nv, vertices, l, found, NULL, &items);
    all += items;
  }
  PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(int) * (size_t)(c->npairs + 1), (void **)&c->start));
  PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(int) * (size_t)PetscMax(1, all), (void **)&c->items));
  PetscCall(PlexBackendMalloc(hdg->backend, sizeof(**keys) * (size_t)PetscMax(1, c->npairs * nv), (void **)keys));
  c->npairs = 0;
  for (PetscInt l = 0; l < nown; ++l) {
    const PetscInt first = hdg->blockStart[l], entries = (hdg->blockStart[l + 1] - first) * nv,
                   n = PlexHDGFindPairs(hdg, nv, vertices, l, found, pair, &items);

    for (PetscInt k = first; k < hdg->blockStart[l + 1]; ++k)
      if (hdg->blockColumn[k] == l) c->diagonal[l] = (int)k;
    for (PetscInt p = 0; p < n; ++p) {
      c->start[c->npairs] = (int)nitems;
      for (PetscInt s = 0; s < entries; ++s)
        if (pair[s] == p) c->items[nitems++] = (int)(first * nv + s);
      for (PetscInt v = 0; v < nv; ++v) {
        const int row = (int)vertices[l * nv + v];

        (*keys)[c->npairs * nv + v] = row < 0 ? (uint64_t)c->n << bits : (uint64_t)row << bits | (uint64_t)found[p];
      }
      ++c->npairs;
    }
  }
  c->start[c->npairs] = (int)nitems;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* counts[nown] become their exclusive sums, with the total behind them */
static PetscErrorCode PlexHDGPairsSum(PlexHDG hdg, PlexArrays arrays, int counts[], PetscInt *total)
{
  const PetscInt nown = hdg->mesh->nown;
  int            last;

  PetscFunctionBegin;
  PetscCall(PlexArraysSum(arrays, nown, counts, counts, total));
  last = (int)*total;
  PetscCall(PlexBackendCopyIn(hdg->backend, &counts[nown], &last, sizeof(last)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by kernels */
static PetscErrorCode PlexHDGPairsKernels(PlexHDG hdg, PlexHDGCoarse c, PlexArrays arrays, const PetscInt vertices[],
                                          int bits, uint64_t **keys)
{
  PlexBackend     b      = hdg->backend;
  const PetscInt  nown   = hdg->mesh->nown;
  const size_t    faces  = sizeof(int) * (size_t)(nown + 1);
  PlexMemory      memory = {NULL, 0, 0, 0.};
  PlexHDGPairArgs args   = {.nown = (int)nown, .bits = bits, .none = (int)c->n, .diagonal = c->diagonal};
  PetscInt        grid   = 0, nitems;
  int             last;
  void           *arguments[] = {&args};

  PetscFunctionBegin;
  PetscCall(PlexMemoryUploadInts(b, &memory, nown * c->nv, vertices, &args.vertices));
  PetscCall(PlexMemoryUploadInts(b, &memory, nown + 1, hdg->blockStart, &args.blockStart));
  PetscCall(PlexMemoryUploadInts(b, &memory, hdg->nblocks, hdg->blockColumn, &args.columns));
  PetscCall(PlexMemoryAllocate(b, &memory, faces, (void **)&args.pairs));
  PetscCall(PlexMemoryAllocate(b, &memory, faces, (void **)&args.counts));
  PetscCall(PlexHDGBlocks_Private(nown, &grid));
  PetscCall(PlexKernelLaunch(c->countPairs, grid, 128, 0, arguments));
  PetscCall(PlexHDGPairsSum(hdg, arrays, args.pairs, &c->npairs));
  PetscCall(PlexHDGPairsSum(hdg, arrays, args.counts, &nitems));
  PetscCall(PlexMemoryAllocate(b, &c->memory, sizeof(int) * (size_t)(c->npairs + 1), (void **)&c->start));
  PetscCall(PlexMemoryAllocate(b, &c->memory, sizeof(int) * (size_t)PetscMax(1, nitems), (void **)&c->items));
  PetscCall(PlexBackendMalloc(b, sizeof(**keys) * (size_t)PetscMax(1, c->npairs * c->nv), (void **)keys));
  last       = (int)nitems;
  args.start = c->start;
  args.items = c->items;
  args.keys  = (unsigned long long *)*keys;
  PetscCall(PlexBackendCopyIn(b, &c->start[c->npairs], &last, sizeof(last)));
  PetscCall(PlexKernelLaunch(c->writePairs, grid, 128, 0, arguments));
  PetscCall(PlexMemoryFree(b, &memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rows[n + 1], columns[nz] of the entries, whose keys are where they begin */
static PetscErrorCode PlexHDGEntriesToRows(PlexHDG hdg, PlexHDGCoarse c, int bits, const uint64_t keys[],
                                           PetscInt rows[], PetscInt columns[])
{
  PlexBackend    b    = hdg->backend;
  const PetscInt m    = c->n * PlexHDGComponents(hdg);
  int            n    = (int)c->nz;
  PetscInt       grid = 0;
  uint64_t      *distinct, *host;
  void          *arguments[] = {(void *)&keys, (void *)&c->entry, &n, &distinct};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(*distinct) * (size_t)PetscMax(1, n), (void **)&distinct));
  PetscCall(PetscMalloc1(n, &host));
  if (c->distinct && n) {
    PetscCall(PlexHDGBlocks_Private(n, &grid));
    PetscCall(PlexKernelLaunch(c->distinct, grid, 128, 0, arguments));
  }
  for (int s = 0; s < n && !c->distinct; ++s) distinct[s] = keys[c->entry[s]];
  PetscCall(PlexBackendCopyOut(b, host, distinct, sizeof(*host) * (size_t)n));
  for (PetscInt r = 0; r <= m; ++r) rows[r] = 0;
  for (int s = 0; s < n; ++s) {
    ++rows[(host[s] >> bits) + 1];
    columns[s] = (PetscInt)(host[s] & (((uint64_t)1 << bits) - 1));
  }
  for (PetscInt r = 0; r < m; ++r) rows[r + 1] += rows[r];
  PetscCall(PetscFree(host));
  PetscCall(PlexBackendFree(b, (void **)&distinct));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts by their keys: order, and where entries begin */
static PetscErrorCode PlexHDGSortParts(PlexHDG hdg, PlexHDGCoarse c, PlexArrays arrays, int bits, uint64_t keys[])
{
  PlexBackend    b = hdg->backend;
  const PetscInt n = c->nparts;
  uint64_t       last;

  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(b, &c->memory, sizeof(int) * (size_t)PetscMax(1, n), (void **)&c->order));
  PetscCall(PlexArraysSort(arrays, n, 0, 2 * bits, keys, c->order, PETSC_TRUE));
  PetscCall(PlexArraysSegments(arrays, n, 0, keys, &c->nz, &c->entry));
  PetscCall(PlexMemoryAdd(&c->memory, sizeof(int) * (size_t)(c->nz + 1), c->entry));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCopyOut(b, &last, &keys[n - 1], sizeof(last)));
  if (last == (uint64_t)(c->n * PlexHDGComponents(hdg)) << bits) --c->nz; /* of vertices that are no unknowns */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of A from the keys of parts, which are sorted */
static PetscErrorCode PlexHDGCoarseSetEntries(PlexHDG hdg, PlexHDGCoarse c, PlexArrays arrays, int bits,
                                              uint64_t keys[])
{
  const PetscInt n = c->n * PlexHDGComponents(hdg);
  PetscInt      *rows, *columns;

  PetscFunctionBegin;
  PetscCall(PlexHDGSortParts(hdg, c, arrays, bits, keys));
  PetscCall(PetscMalloc2(n + 1, &rows, c->nz, &columns));
  PetscCall(PlexHDGEntriesToRows(hdg, c, bits, keys, rows, columns));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &c->A));
  PetscCall(MatSetSizes(c->A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(c->A, PlexBackendMatType(hdg->backend)));
  PetscCall(PlexHDGMatSetRows_Private(c->A, rows, columns, NULL));
  PetscCall(PetscFree2(rows, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCoarsePlanEntries_Private(PlexHDG hdg, PlexHDGCoarse c, const PetscInt i[], const PetscInt j[])
{
  const PetscInt n    = c->n * PlexHDGComponents(hdg);
  int            bits = 1;
  uint64_t      *keys, *copy;
  PlexArrays     arrays;

  PetscFunctionBegin;
  while ((PetscInt64)1 << bits <= n) ++bits;
  PetscCall(PetscMalloc1(c->nparts, &keys));
  for (PetscInt k = 0; k < c->nparts; ++k)
    keys[k] = i[k] < 0 || j[k] < 0 ? (uint64_t)n << bits : (uint64_t)i[k] << bits | (uint64_t)j[k];
  PetscCall(PlexBackendMalloc(hdg->backend, sizeof(*copy) * (size_t)PetscMax(1, c->nparts), (void **)&copy));
  PetscCall(PlexBackendCopyIn(hdg->backend, copy, keys, sizeof(*copy) * (size_t)c->nparts));
  PetscCall(PetscFree(keys));
  PetscCall(PlexArraysCreate(hdg->backend, &arrays));
  PetscCall(PlexHDGCoarseSetEntries(hdg, c, arrays, bits, copy));
  PetscCall(PlexArraysDestroy(&arrays));
  PetscCall(PlexBackendFree(hdg->backend, (void **)&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCoarsePlanSorted_Private(PlexHDG hdg, PlexHDGCoarse c, const PetscInt vertices[])
{
  PlexBackend b = hdg->backend;
  PlexArrays  arrays;
  uint64_t   *keys;
  int         bits = 1;

  PetscFunctionBegin;
  while ((PetscInt64)1 << bits <= c->n) ++bits;
  PetscCall(PlexArraysCreate(b, &arrays));
  PetscCall(PlexMemoryAllocate(b, &c->memory, sizeof(int) * (size_t)PetscMax(1, hdg->mesh->nown),
                               (void **)&c->diagonal));
  if (c->countPairs && hdg->mesh->nown) PetscCall(PlexHDGPairsKernels(hdg, c, arrays, vertices, bits, &keys));
  else PetscCall(PlexHDGPairsHost(hdg, c, vertices, bits, &keys));
  c->nparts = c->npairs * c->nv;
  PetscCall(PlexHDGCoarseSetEntries(hdg, c, arrays, bits, keys));
  PetscCall(PlexMemoryAllocate(b, &c->memory, sizeof(double) * (size_t)PetscMax(1, c->nparts), (void **)&c->parts));
  PetscCall(PlexBackendFree(b, (void **)&keys));
  PetscCall(PlexArraysDestroy(&arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCoarseSumParts_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  int      n           = (int)c->nz;
  PetscInt grid        = 0;
  void    *arguments[] = {(void *)&c->entry, (void *)&c->order, &n, (void *)&c->parts, &c->arrayA.array};

  PetscFunctionBegin;
  PetscCall(PlexBackendMatGet(hdg->backend, c->A, PLEX_WRITE, &c->arrayA));
  if (c->sumParts && n) {
    PetscCall(PlexHDGBlocks_Private(n, &grid));
    PetscCall(PlexKernelLaunch(c->sumParts, grid, 128, 0, arguments));
  }
  for (int s = 0; s < n && !c->sumParts; ++s) {
    PetscReal sum = 0.;

    for (int t = c->entry[s]; t < c->entry[s + 1]; ++t) sum += c->parts[c->order[t]];
    c->arrayA.array[s] = sum;
  }
  PetscCall(PlexBackendMatRestore(hdg->backend, &c->arrayA));
  PetscCall(MatAssemblyBegin(c->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(c->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
