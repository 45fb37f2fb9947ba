/* Steps over arrays: cuda/arrays/arrays.cu, and on a backend without kernels the same as loops */
#include "arrays.h"
#include <arrays/arrays_sizes.h>

#define PLEX_ARRAYS_TILE   (PLEX_ARRAYS_BLOCK * PLEX_ARRAYS_ITEMS)
#define PLEX_ARRAYS_BITS   8 /* of a digit */
#define PLEX_ARRAYS_DIGITS (1 << PLEX_ARRAYS_BITS)

typedef enum {
  SUM_TILES,
  SUM_WITHIN,
  COUNT_DIGITS,
  MOVE_KEYS,
  MARK_SEGMENTS,
  LIST_SEGMENTS,
  PLEX_ARRAYS_KERNELS
} PlexArraysKernel;

static const char *const Names[PLEX_ARRAYS_KERNELS] = {"plex_sum_tiles", "plex_sum_within",    "plex_count_digits",
                                                       "plex_move_keys", "plex_mark_segments", "plex_list_segments"};

#define PLEX_ARRAYS_PIECES 256
#define PLEX_ARRAYS_GROWTH 16 /* a piece more has this part of what there is: so much may be left over */
#define PLEX_ARRAYS_ALIGN  256
#define PLEX_ARRAYS_LEAST  ((size_t)1 << 20) /* bytes of a piece of memory */

struct _n_PlexArrays {
  PlexBackend backend;
  char       *piece[PLEX_ARRAYS_PIECES]; /* memory, of so many bytes each, of which some are used */
  size_t      bytes[PLEX_ARRAYS_PIECES], used[PLEX_ARRAYS_PIECES];
  PetscInt    pieces;
  size_t      all, most; /* bytes of all pieces, now and at most */
  size_t      room;      /* bytes that were in use at one time, at most */
  PlexModule  module;
  PlexKernel  kernel[PLEX_ARRAYS_KERNELS];
};

PetscErrorCode PlexArraysCreate(PlexBackend backend, PlexArrays *arrays)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(arrays));
  (*arrays)->backend = backend;
  if (!backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(backend, "arrays/arrays.cu", &(*arrays)->module));
  for (int k = 0; k < PLEX_ARRAYS_KERNELS; ++k)
    PetscCall(PlexModuleGetKernel((*arrays)->module, Names[k], &(*arrays)->kernel[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArraysDestroy(PlexArrays *arrays)
{
  PetscFunctionBegin;
  if (!*arrays) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*arrays)->pieces; ++k)
    PetscCall(PlexBackendFree((*arrays)->backend, (void **)&(*arrays)->piece[k]));
  if ((*arrays)->module) PetscCall(PlexModuleDestroy(&(*arrays)->module));
  PetscCall(PetscFree(*arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Room */

PetscErrorCode PlexArraysGet(PlexArrays a, size_t bytes, void *array)
{
  const size_t need = (PetscMax(bytes, 1) + PLEX_ARRAYS_ALIGN - 1) / PLEX_ARRAYS_ALIGN * PLEX_ARRAYS_ALIGN;
  PetscInt     k    = a->pieces - 1;
  size_t       used = 0;

  PetscFunctionBegin;
  if (k < 0 || a->used[k] + need > a->bytes[k]) {
    const size_t size = PetscMax(PetscMax(need, PLEX_ARRAYS_LEAST), a->pieces ? a->all / PLEX_ARRAYS_GROWTH : a->room);

    PetscCheck(++k < PLEX_ARRAYS_PIECES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d pieces of memory", PLEX_ARRAYS_PIECES);
    PetscCall(PlexBackendMalloc(a->backend, size, (void **)&a->piece[k]));
    a->bytes[k] = size;
    a->used[k]  = 0;
    a->pieces   = k + 1;
    a->all += size;
    a->most = PetscMax(a->most, a->all);
  }
  *(void **)array = a->piece[k] + a->used[k];
  a->used[k] += need;
  for (PetscInt i = 0; i < a->pieces; ++i) used += a->used[i];
  a->room = PetscMax(a->room, used);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArraysGetMark(PlexArrays a, PlexArraysMark *mark)
{
  PetscFunctionBegin;
  mark->piece = a->pieces - 1;
  mark->used  = a->pieces ? a->used[a->pieces - 1] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No piece is kept in the end that has not room for all: the next one will have */
PetscErrorCode PlexArraysGiveBack(PlexArrays a, const PlexArraysMark *mark)
{
  const PetscInt last = mark ? mark->piece : -1;

  PetscFunctionBegin;
  if (last < 0 && a->pieces == 1 && a->bytes[0] >= a->room) a->used[0] = 0;
  else
    for (; a->pieces - 1 > last; --a->pieces) {
      a->all -= a->bytes[a->pieces - 1];
      PetscCall(PlexBackendFree(a->backend, (void **)&a->piece[a->pieces - 1]));
    }
  if (last >= 0) a->used[last] = mark->used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArraysGetMost(PlexArrays a, size_t *bytes)
{
  PetscFunctionBegin;
  *bytes = a->most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt PlexArraysTiles(PetscInt64 n)
{
  return (PetscInt)((n + PLEX_ARRAYS_TILE - 1) / PLEX_ARRAYS_TILE);
}

static PetscErrorCode PlexArraysLaunch(PlexArrays a, PlexArraysKernel kernel, PetscInt blocks, void *args[])
{
  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(a->kernel[kernel], blocks, PLEX_ARRAYS_BLOCK, 0, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Sums */

/* By kernels: sums of tiles, exclusive sums of these, and sums within tiles on top */
static PetscErrorCode PlexArraysSumTiles(PlexArrays a, PetscInt64 n, const int values[], int to[])
{
  const PetscInt tiles    = PlexArraysTiles(n);
  int           *before   = NULL;
  void          *sum[]    = {&n, &values, &before};
  void          *within[] = {&n, &values, &before, &to};
  PlexArraysMark mark;

  PetscFunctionBegin;
  PetscCall(PlexArraysGetMark(a, &mark));
  if (tiles > 1) {
    PetscCall(PlexArraysGet(a, sizeof(int) * (size_t)tiles, &before));
    PetscCall(PlexArraysLaunch(a, SUM_TILES, tiles, sum));
    PetscCall(PlexArraysSumTiles(a, tiles, before, before));
  }
  PetscCall(PlexArraysLaunch(a, SUM_WITHIN, tiles, within));
  PetscCall(PlexArraysGiveBack(a, &mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArraysSum(PlexArrays a, PetscInt n, const int values[], int to[], PetscInt *total)
{
  int last[2] = {0, 0};

  PetscFunctionBegin;
  if (total) *total = 0;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (!a->backend->kernels) {
    PetscInt sum = 0;

    for (PetscInt k = 0; k < n; ++k) {
      const int value = values[k];

      to[k] = (int)sum;
      sum += value;
    }
    if (total) *total = sum;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (total) PetscCall(PlexBackendCopyOut(a->backend, &last[0], &values[n - 1], sizeof(int))); /* may be in place */
  PetscCall(PlexArraysSumTiles(a, n, values, to));
  if (total) PetscCall(PlexBackendCopyOut(a->backend, &last[1], &to[n - 1], sizeof(int)));
  if (total) *total = (PetscInt)last[0] + last[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Sorts */

/* A pass on the host: by the digit at `shift`; NULL for values that nobody has, and before they are there */
static PetscErrorCode PlexArraysPassHost(PetscInt n, PetscInt shift, PetscInt mask, const uint64_t keys[],
                                         const int values[], uint64_t keysTo[], int valuesTo[])
{
  PetscInt start[PLEX_ARRAYS_DIGITS + 1] = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) start[(PetscInt)(keys[k] >> shift & (uint64_t)mask) + 1]++;
  for (PetscInt d = 0; d < PLEX_ARRAYS_DIGITS; ++d) start[d + 1] += start[d];
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt at = start[keys[k] >> shift & (uint64_t)mask]++;

    keysTo[at] = keys[k];
    if (valuesTo) valuesTo[at] = values ? values[k] : (int)k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by kernels; counts[digits][tiles] is work */
static PetscErrorCode PlexArraysPass(PlexArrays a, PetscInt64 n, int shift, int mask, const uint64_t keys[],
                                     const int values[], uint64_t keysTo[], int valuesTo[], int counts[])
{
  const PetscInt tiles   = PlexArraysTiles(n);
  void          *count[] = {&n, &keys, &shift, &mask, &counts};
  void          *move[]  = {&n, &keys, &values, &shift, &mask, &counts, &keysTo, &valuesTo};

  PetscFunctionBegin;
  PetscCall(PlexArraysLaunch(a, COUNT_DIGITS, tiles, count));
  PetscCall(PlexArraysSumTiles(a, (PetscInt64)tiles * PLEX_ARRAYS_DIGITS, counts, counts));
  PetscCall(PlexArraysLaunch(a, MOVE_KEYS, tiles, move));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArraysSort(PlexArrays a, PetscInt n, PetscInt first, PetscInt end, uint64_t keys[], int values[],
                              PetscBool order)
{
  const PetscBool kernels = a->backend->kernels;
  uint64_t       *k[2]    = {keys, NULL};
  int            *v[2] = {values, NULL}, *counts = NULL;
  PetscInt        at = 0;
  PlexArraysMark  mark;

  PetscFunctionBegin;
  PetscCheck(first >= 0 && end <= 64 && end >= first, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Keys have 64 bits, and are to be sorted by those from %" PetscInt_FMT " to %" PetscInt_FMT, first,
             end - 1);
  PetscCheck(values || !order, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "The order of keys is asked for without an array");
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexArraysGetMark(a, &mark));
  PetscCall(PlexArraysGet(a, sizeof(uint64_t) * (size_t)n, &k[1]));
  if (values) PetscCall(PlexArraysGet(a, sizeof(int) * (size_t)n, &v[1]));
  if (kernels) PetscCall(PlexArraysGet(a, sizeof(int) * (size_t)PlexArraysTiles(n) * PLEX_ARRAYS_DIGITS, &counts));
  for (PetscInt shift = first; shift < end || (order && shift == first); shift += PLEX_ARRAYS_BITS, at = 1 - at) {
    const int *from = order && shift == first ? NULL : v[at];
    const int  mask = (1 << PetscMin(PLEX_ARRAYS_BITS, end - shift)) - 1; /* 0 where no bit is to be sorted by */

    if (kernels) PetscCall(PlexArraysPass(a, n, (int)shift, mask, k[at], from, k[1 - at], v[1 - at], counts));
    else PetscCall(PlexArraysPassHost(n, shift, mask, k[at], from, k[1 - at], v[1 - at]));
  }
  if (at) {
    PetscCall(PlexBackendCopy(a->backend, keys, k[1], sizeof(uint64_t) * (size_t)n));
    if (values) PetscCall(PlexBackendCopy(a->backend, values, v[1], sizeof(int) * (size_t)n));
  }
  PetscCall(PlexArraysGiveBack(a, &mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Segments */

/* Whether a key differs from the one before in the bits from `shift` on */
static inline PetscBool PlexArraysBegins(const uint64_t keys[], PetscInt i, PetscInt shift)
{
  return (PetscBool)(i == 0 || keys[i] >> shift != keys[i - 1] >> shift);
}

PetscErrorCode PlexArraysSegments(PlexArrays a, PetscInt n, PetscInt shift, const uint64_t keys[], PetscInt *segments,
                                  int **starts)
{
  const PetscInt blocks = (n + PLEX_ARRAYS_BLOCK - 1) / PLEX_ARRAYS_BLOCK;
  PetscInt64     all    = n;
  int            by = (int)shift, *number, end = (int)n;
  void          *mark[] = {&all, &keys, &by, &number}, *list[] = {&all, &keys, &by, &number, starts};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(a->backend, sizeof(int) * (size_t)PetscMax(1, n), (void **)&number));
  if (a->backend->kernels && n) PetscCall(PlexArraysLaunch(a, MARK_SEGMENTS, blocks, mark));
  for (PetscInt i = 0; i < n && !a->backend->kernels; ++i) number[i] = PlexArraysBegins(keys, i, shift);
  PetscCall(PlexArraysSum(a, n, number, number, segments));
  PetscCall(PlexBackendMalloc(a->backend, sizeof(int) * (size_t)(*segments + 1), (void **)starts));
  if (a->backend->kernels && n) PetscCall(PlexArraysLaunch(a, LIST_SEGMENTS, blocks, list));
  for (PetscInt i = 0; i < n && !a->backend->kernels; ++i)
    if (PlexArraysBegins(keys, i, shift)) (*starts)[number[i]] = (int)i;
  PetscCall(PlexBackendCopyIn(a->backend, &(*starts)[*segments], &end, sizeof(end)));
  PetscCall(PlexBackendFree(a->backend, (void **)&number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
