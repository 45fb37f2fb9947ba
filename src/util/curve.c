/*
  Points in the order of a Hilbert curve: neighbours on the curve are neighbours in space, and a run of it is a compact
  patch. Its parts have more border than those of METIS, and cost a tenth of a second for millions of points.

  A point is one number of 64 bits, its position on the curve above its own number, so that numbers alone are sorted,
  and points in one cell of the curve keep their order. Two sweeps sort by the first digits, of which there are about as
  many values as points; the few that still share them lie side by side then.
*/
#include <plexgpu/private/util.h>

#define CURVE_DIGIT 12 /* bits that a sweep of the sort looks at, most: as many places are written at a time */
#define CURVE_BATCH 64 /* points whose positions are found together, in vector registers */
#define CURVE_FEW   16 /* points that are sorted by insertion */

/* Bits of a dimension: 32 cells of the curve between neighbours of evenly spread points, as far as 64 bits hold the
   points' numbers besides */
static int CurveBits(PetscInt n, PetscInt dim, int numberBits)
{
  int bits = 5;

  for (double cells = 1; cells < (double)n; cells *= (double)(1 << dim)) ++bits;
  return PetscMin(bits, PetscMin(31, (64 - numberBits) / (int)dim));
}

/* Bit b of x to bit b * dim, dim 2 or 3, of at most 31 or 21 bits */
static inline uint64_t CurveSpread(const int dim, uint64_t x)
{
  if (dim == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
  }
  if (dim == 3) {
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
  }
  return x;
}

/*
  Positions on the curve of the cells with integer coordinates X[dim] of `bits` bits each, after J. Skilling,
  "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004): from the highest bit down, the reflections and exchanges
  of axes that the curve makes are undone; a Gray code then turns the coordinates into the key, whose bits they hold in
  turn. To be inlined: dim is then a number.
*/
static inline void CurveKeys(const int dim, int bits, unsigned X[3][CURVE_BATCH], uint64_t key[CURVE_BATCH])
{
  unsigned t[CURVE_BATCH] = {0};

  for (int b = bits - 1; b > 0; --b) {
    const unsigned low = (1u << b) - 1;

    for (int k = 0; k < CURVE_BATCH; ++k) X[0][k] ^= -(X[0][k] >> b & 1) & low;
    for (int d = 1; d < dim; ++d) {
      for (int k = 0; k < CURVE_BATCH; ++k) {
        const unsigned set = -(X[d][k] >> b & 1), swap = (X[0][k] ^ X[d][k]) & low & ~set;

        X[0][k] ^= (low & set) | swap; /* reflect, or exchange with the first axis */
        X[d][k] ^= swap;
      }
    }
  }
  for (int d = 1; d < dim; ++d)
    for (int k = 0; k < CURVE_BATCH; ++k) X[d][k] ^= X[d - 1][k];
  for (int b = bits - 1; b > 0; --b)
    for (int k = 0; k < CURVE_BATCH; ++k) t[k] ^= -(X[dim - 1][k] >> b & 1) & ((1u << b) - 1);
  for (int k = 0; k < CURVE_BATCH; ++k) key[k] = 0;
  for (int d = 0; d < dim; ++d)
    for (int k = 0; k < CURVE_BATCH; ++k) key[k] |= CurveSpread(dim, X[d][k] ^ t[k]) << (dim - 1 - d);
}

/* The cells of the curve in the points' box, and how a point's key is made of its cell and its number */
typedef struct {
  PetscReal low[3];     /* corner of the box */
  PetscReal scale;      /* cells per unit of length, the same in all dimensions */
  int       bits;       /* of a cell's coordinate in each dimension */
  int       numberBits; /* of the point's number, the lowest bits of the key */
} CurveGrid;

/* points[n], a key each: position on the curve << numberBits | number */
static inline void CurveFill(const int dim, PetscInt n, PlexCurvePoints get, const void *ctx, const CurveGrid *grid,
                             uint64_t points[])
{
  const PetscReal *low = grid->low, scale = grid->scale;

  for (PetscInt first = 0; first < n; first += CURVE_BATCH) {
    const int m = (int)PetscMin(CURVE_BATCH, n - first);
    PetscReal x[3 * CURVE_BATCH];
    unsigned  X[3][CURVE_BATCH];
    uint64_t  key[CURVE_BATCH];

    get(ctx, first, m, x);
    for (int d = 0; d < dim; ++d) {
      for (int k = 0; k < m; ++k) X[d][k] = (unsigned)(int)((x[k * dim + d] - low[d]) * scale);
      for (int k = m; k < CURVE_BATCH; ++k) X[d][k] = 0;
    }
    CurveKeys(dim, grid->bits, X, key);
    for (int k = 0; k < m; ++k) points[first + k] = key[k] << grid->numberBits | (uint64_t)(first + k);
  }
}

/* Brings from[n] into to[n] by the digit that begins at bit `shift`, stable */
static void CurveSortDigit(PetscInt n, int shift, PetscInt start[], const uint64_t from[], uint64_t to[])
{
  const uint64_t mask = (1 << CURVE_DIGIT) - 1;
  PetscInt       sum  = 0;

  for (uint64_t b = 0; b <= mask; ++b) {
    const PetscInt count = start[b];

    start[b] = sum;
    sum += count;
  }
  for (PetscInt k = 0; k < n; ++k) to[start[from[k] >> shift & mask]++] = from[k];
}

static int CurveCompare(const void *a, const void *b)
{
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

  return p < q ? -1 : p > q;
}

/* Sorts runs of points whose bits from `shift` on agree, where these are in order already */
static void CurveSortRuns(PetscInt n, int shift, uint64_t points[])
{
  for (PetscInt k = 0, end; k < n; k = end) {
    for (end = k + 1; end < n && points[end] >> shift == points[k] >> shift;) ++end;
    if (end - k > CURVE_FEW) qsort(&points[k], (size_t)(end - k), sizeof(*points), CurveCompare);
    else {
      for (PetscInt i = k + 1; i < end; ++i) {
        const uint64_t point = points[i];
        PetscInt       at    = i;

        for (; at > k && points[at - 1] > point; --at) points[at] = points[at - 1];
        points[at] = point;
      }
    }
  }
}

/* In the end points[n] is in order; bits: those of the positions */
static PetscErrorCode CurveSort(PetscInt n, int bits, int numberBits, uint64_t points[], uint64_t work[])
{
  /* where the two digits begin */
  const int      high = PetscMax(numberBits, bits + numberBits - CURVE_DIGIT),
                 low  = PetscMax(numberBits, high - CURVE_DIGIT);
  const uint64_t mask = (1 << CURVE_DIGIT) - 1;
  PetscInt      *count[2];

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(mask + 1, &count[0], mask + 1, &count[1]));
  for (PetscInt k = 0; k < n; ++k) {
    ++count[0][points[k] >> low & mask];
    ++count[1][points[k] >> high & mask];
  }
  CurveSortDigit(n, low, count[0], points, work);
  CurveSortDigit(n, high, count[1], work, points);
  CurveSortRuns(n, low, points);
  PetscCall(PetscFree2(count[0], count[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCurveOrderOf(PetscInt n, PetscInt dim, PlexCurvePoints get, const void *ctx, const PetscReal low[],
                                const PetscReal high[], int order[])
{
  CurveGrid grid = {.numberBits = 0};
  PetscReal side = 0;
  uint64_t *points, *work;

  PetscFunctionBegin;
  PetscCheck(dim >= 1 && dim <= 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Points of %" PetscInt_FMT " dimensions have no curve here", dim);
  while ((PetscInt64)1 << grid.numberBits < (PetscInt64)n) ++grid.numberBits;
  grid.bits = CurveBits(n, dim, grid.numberBits);
  for (PetscInt d = 0; d < dim; ++d) {
    grid.low[d] = low[d];
    side        = PetscMax(side, high[d] - low[d]);
  }
  grid.scale = side > 0 ? (PetscReal)((1u << grid.bits) - 1) / side : 0;
  PetscCall(PetscMalloc2(n, &points, n, &work));
  if (dim == 1) CurveFill(1, n, get, ctx, &grid, points);
  else if (dim == 2) CurveFill(2, n, get, ctx, &grid, points);
  else CurveFill(3, n, get, ctx, &grid, points);
  PetscCall(CurveSort(n, grid.bits * (int)dim, grid.numberBits, points, work));
  for (PetscInt k = 0; k < n; ++k) order[k] = (int)(points[k] & (((uint64_t)1 << grid.numberBits) - 1));
  PetscCall(PetscFree2(points, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexCurveGetBox(PetscInt n, PetscInt dim, const PetscReal x[], PetscReal low[], PetscReal high[])
{
  for (PetscInt d = 0; d < dim; ++d) {
    low[d]  = PETSC_MAX_REAL;
    high[d] = PETSC_MIN_REAL;
  }
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt d = 0; d < dim; ++d) {
      low[d]  = PetscMin(low[d], x[k * dim + d]);
      high[d] = PetscMax(high[d], x[k * dim + d]);
    }
  }
}

typedef struct {
  PetscInt         dim;
  const PetscReal *x;
} CurveArray;

static void CurveGetPoints(const void *ctx, PetscInt first, PetscInt n, PetscReal x[])
{
  const CurveArray *array = (const CurveArray *)ctx;

  memcpy(x, &array->x[(size_t)first * array->dim], sizeof(*x) * (size_t)(n * array->dim));
}

PetscErrorCode PlexCurveOrder(PetscInt n, PetscInt dim, const PetscReal x[], int order[])
{
  const CurveArray array = {dim, x};
  PetscReal        low[3], high[3];

  PetscFunctionBegin;
  PetscCheck(dim >= 1 && dim <= 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Points of %" PetscInt_FMT " dimensions have no curve here", dim);
  PlexCurveGetBox(n, dim, x, low, high);
  PetscCall(PlexCurveOrderOf(n, dim, CurveGetPoints, &array, low, high, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}
