/*
  The order in which rows are written where neighbours in the mesh lie anywhere in the matrix.

  A row begins and ends in sectors of 32 bytes that it shares with the rows before and behind it. Where these are written long before or after it,
  the sectors leave the cache half written and have to be read again, and each time another page of the memory is opened: a row then takes as long
  as LOST bytes, whatever its length. So the rows are written window by window of the matrix's values, each of a quarter of the L2 cache, and
  along the curve in each of them; sectors are then complete when they leave the cache, which records and nodal data go through too. Against
  that, a block has rows that are less close in space, and reads more nodal data.

  Both are counted, for the mesh at hand:

    lost   LOST bytes for each two rows that follow each other in the matrix and are written further apart than a window
    extra  nodal data of the blocks in the order of windows, less that of the blocks along the curve alone

  and windows are what is done where less is extra than lost. Whether there may be much to lose is seen in a sample.

  LOST is from the record of docs/performance.md (NVIDIA H200): numbered at random, P1 triangles take 73 ps a row longer, rows of 56 bytes, and P2
  tetrahedra 58 ps, rows of 217 bytes; at the rate of a copy that is 310 and 250 bytes.
*/
#include "orbits.h"
#include "../../../util/prefix.h"

#define PLEX_WINDOWS_LOST    250  /* bytes */
#define PLEX_WINDOWS_LEAST   0.5  /* share of pairs of dofs that are apart for more to be counted */
#define PLEX_WINDOWS_SAMPLES 4096 /* pairs of dofs that are looked at, most, */
#define PLEX_WINDOWS_RUN     64   /* so many one after the other: refined meshes repeat with a period */

/* Bytes of a window */
static PetscErrorCode PlexWindowsSize(PlexAssembly asm_, double *bytes)
{
  PlexBackendLimits limits;
  const char       *prefix;
  PetscReal         asked = 0;
  PetscBool         set;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCall(PlexOptionsFindPrefix_Private(((PetscObject)asm_)->prefix, "-plex_assembly_window", &prefix));
  PetscCall(PetscOptionsGetReal(((PetscObject)asm_)->options, prefix, "-plex_assembly_window", &asked, &set));
  PetscCheck(!set || asked >= 0, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_OUTOFRANGE, "-plex_assembly_window %g: bytes of the matrix that are written at a time, or 0 for a quarter of the L2 cache", (double)asked);
  *bytes = asked > 0 ? (double)asked : (double)limits.cacheL2 / 4;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the first dof of a mesh node that has one, or -1 */
static PetscInt PlexWindowsRow(PlexAssembly asm_, const PlexLists *dofsOf, PetscInt node)
{
  PetscInt row = -1;

  for (PetscInt d = dofsOf->start[node]; d < dofsOf->start[node + 1] && row < 0; ++d) row = asm_->pattern->row[dofsOf->items[d]];
  return row;
}

/* Where a dof is, about; NULL: nowhere */
static const PetscReal *PlexWindowsPlace(PlexElements el, const PlexLists *touching, PetscInt l)
{
  return touching->start[l] < touching->start[l + 1] ? &el->x[(size_t)el->vertices[(size_t)touching->items[touching->start[l]] * el->Nv] * el->cdim] : NULL;
}

/* Share of the dofs that are further from the next one than a part of the mesh is long whose rows fill a window */
static double PlexWindowsApart(PlexAssembly asm_, const PlexLists *touching, double share)
{
  PlexElements   el    = asm_->elements;
  const PetscInt pairs = PetscMin(el->Nl - 1, PLEX_WINDOWS_SAMPLES);
  PetscInt       apart = 0, all = 0;
  PetscReal      side[3];

  for (PetscInt d = 0; d < el->cdim; ++d) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;

    for (PetscInt n = 0; n < el->Nx; n += 1 + el->Nx / (16 * PLEX_WINDOWS_SAMPLES)) {
      low  = PetscMin(low, el->x[(size_t)n * el->cdim + d]);
      high = PetscMax(high, el->x[(size_t)n * el->cdim + d]);
    }
    side[d] = (high - low) * PetscPowReal((PetscReal)share, 1 / (PetscReal)el->cdim);
  }
  for (PetscInt s = 0; s < pairs; ++s) {
    const PetscInt   l = (PetscInt)((PetscInt64)(s / PLEX_WINDOWS_RUN * PLEX_WINDOWS_RUN) * (el->Nl - 1) / pairs) + s % PLEX_WINDOWS_RUN;
    const PetscReal *x = l + 1 < el->Nl ? PlexWindowsPlace(el, touching, l) : NULL, *y = x ? PlexWindowsPlace(el, touching, l + 1) : NULL;
    PetscInt         far = 0;

    if (!y || asm_->pattern->row[l] < 0 || asm_->pattern->row[l + 1] < 0) continue;
    for (PetscInt d = 0; d < el->cdim; ++d) far |= PetscAbsReal(x[d] - y[d]) > side[d];
    apart += far;
    ++all;
  }
  return (double)apart / (double)PetscMax(1, all);
}

/* Bytes that are lost if the rows are written as order[] says: when[m] is how much of the matrix is written before a row */
static PetscErrorCode PlexWindowsCountLost(PlexAssembly asm_, const PlexLists *dofsOf, const int order[], double reach, double *lost)
{
  const PlexPattern pattern = asm_->pattern;
  double            written = 0, apart = 0;
  double           *when; /* -1: by nobody */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(pattern->m, &when));
  for (PetscInt r = 0; r < pattern->m; ++r) when[r] = -1;
  for (PetscInt k = 0; k < asm_->elements->Nnodes; ++k) {
    for (PetscInt d = dofsOf->start[order[k]]; d < dofsOf->start[order[k] + 1]; ++d) {
      const PetscInt r = pattern->row[dofsOf->items[d]];

      if (r < 0) continue;
      when[r] = written;
      written += (double)sizeof(PetscScalar) * (double)(pattern->i[r + 1] - pattern->i[r]);
    }
  }
  for (PetscInt r = 0; r + 1 < pattern->m; ++r)
    if (when[r] >= 0 && when[r + 1] >= 0 && PetscAbs(when[r] - when[r + 1]) > reach) ++apart;
  *lost = PLEX_WINDOWS_LOST * apart;
  PetscCall(PetscFree(when));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinate nodes that a mesh node adds to a block, of which owner[Nx] has the number */
static PetscInt PlexWindowsTouch(PlexElements el, const PlexLists *touching, PetscInt l, int block, int owner[])
{
  PetscInt n = 0;

  for (PetscInt t = touching->start[l]; t < touching->start[l + 1]; ++t) {
    for (PetscInt v = 0; v < el->Nv; ++v) {
      const int x = el->vertices[(size_t)touching->items[t] * el->Nv + v];

      n += owner[x] != block;
      owner[x] = block;
    }
  }
  return n;
}

/* Coordinate nodes of all blocks, runs of order[] with at most `most` of them */
static PetscErrorCode PlexWindowsCountNodes(PlexAssembly asm_, const PlexLists *touching, const PlexLists *dofsOf, PetscInt most, const int order[], double *nodes)
{
  PlexElements el    = asm_->elements;
  PetscInt     here  = 0;
  int          block = 1, *owner;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nx, &owner));
  *nodes = 0;
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    const PetscInt d = dofsOf->start[order[k]], row = PlexWindowsRow(asm_, dofsOf, order[k]);
    PetscInt       more;

    if (row < 0) continue;
    more = PlexWindowsTouch(el, touching, dofsOf->items[d], block, owner);
    if (here + more > most && here) {
      *nodes += (double)here;
      here = 0;
      more = PlexWindowsTouch(el, touching, dofsOf->items[d], ++block, owner);
    }
    here += more;
  }
  *nodes += (double)here;
  PetscCall(PetscFree(owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sorted[]: the nodes of order[], in as many runs as there are windows */
static PetscErrorCode PlexWindowsSort(PlexAssembly asm_, const PlexLists *dofsOf, double bytes, PetscInt windows, const int order[], int sorted[])
{
  const PetscInt Nnodes = asm_->elements->Nnodes;
  PetscInt      *start;
  int           *of; /* [Nnodes] window, 0 where there is no row */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(windows + 1, &start));
  PetscCall(PetscMalloc1(Nnodes, &of));
  for (PetscInt k = 0; k < Nnodes; ++k) {
    const PetscInt row = PlexWindowsRow(asm_, dofsOf, k);

    of[k] = row < 0 ? 0 : (int)((double)sizeof(PetscScalar) * (double)asm_->pattern->i[row] / bytes);
    ++start[of[k] + 1];
  }
  for (PetscInt w = 0; w < windows; ++w) start[w + 1] += start[w];
  for (PetscInt k = 0; k < Nnodes; ++k) sorted[start[of[order[k]]]++] = order[k];
  PetscCall(PetscFree(of));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWindowsOrder_Private(PlexAssembly asm_, const PlexLists *touching, const PlexLists *dofsOf, PetscBool solution, PetscInt *numbered, int order[], PetscInt *windows)
{
  PlexElements el     = asm_->elements;
  const double matrix = (double)sizeof(PetscScalar) * (double)asm_->pattern->nnz, node = 4.0 + 8.0 * (double)el->cdim + (solution ? 12.0 * (double)el->Nl / (double)PetscMax(1, el->Nx) : 0.0);
  double       bytes = 0, lost = 0, nodes[2] = {0, 0};
  PetscInt     n;
  int         *sorted;

  PetscFunctionBegin;
  *windows = 1;
  PetscCall(PlexWindowsSize(asm_, &bytes));
  if (bytes <= 0 || matrix <= bytes) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexWindowsApart(asm_, touching, bytes / matrix) < PLEX_WINDOWS_LEAST) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexWindowsCountLost(asm_, dofsOf, order, bytes, &lost));
  n = 1 + (PetscInt)(matrix / bytes);
  PetscCall(PetscMalloc1(el->Nnodes, &sorted));
  PetscCall(PlexWindowsSort(asm_, dofsOf, bytes, n, order, sorted));
  PetscCall(PlexWindowsCountNodes(asm_, touching, dofsOf, *numbered, order, &nodes[0]));
  PetscCall(PlexWindowsCountNodes(asm_, touching, dofsOf, PetscMax(*numbered, PLEX_WINDOWS_NUMBERED), sorted, &nodes[1]));
  PetscCall(PetscInfo(asm_, "Rows lie anywhere in the matrix: %.4g MB are lost along the curve, and %.4g MB more of nodal data read in %" PetscInt_FMT " windows of the matrix\n", 1e-6 * lost, 1e-6 * node * (nodes[1] - nodes[0]), n));
  if (node * (nodes[1] - nodes[0]) < lost) {
    PetscCall(PetscArraycpy(order, sorted, el->Nnodes));
    *numbered = PetscMax(*numbered, PLEX_WINDOWS_NUMBERED);
    *windows  = n;
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}
