// Products with the trace's matrix K = sum of A^T K^e A by the elements' symmetric matrices, without K (the local matrix
// approach of remark 2 of King and others 2014): y^e = K^e x^e element by element, then sums by faces. Nobody adds to what
// another thread adds to: the same bits in every run. src/hdg/trace.c
//
// A warp has a batch of WIDTH elements, GROUPS = 32/WIDTH lanes each. A lane takes the columns c of a block row with
// c % GROUPS its own number: for each it adds up column . x of the block row, which is the part above the diagonal, and
// adds the column times x_c to TILE sums in registers, which the groups add up at the end of the block row. So each number
// of the lower triangle is read once, WIDTH of them side by side, for 4 flops.
//
// Bytes an element: 4 NT (NT + 1) of its matrix, or 2 NT (NT + 1) where numbers' upper halves will do, 8 NT of x, 8 NT of
// y^e written and read again; 8 BLOCK a face of y. Sums are of doubles either way: the operator is linear to their rounding.
#include "trace.cuh"

#define PLEX_HDG_GROUPS (32 / PLEX_HDG_WIDTH)
#define PLEX_HDG_ROWS   (PLEX_HDG_NT / PLEX_HDG_TILE)
#define PLEX_HDG_LD     (PLEX_HDG_NT | 1)
#define PLEX_HDG_AHEAD  8 // numbers of x that a lane asks for before it has the first
static_assert(PLEX_HDG_NT % PLEX_HDG_TILE == 0 && PLEX_HDG_WIDTH * PLEX_HDG_GROUPS == 32, "tiles of equal size");
static_assert(PLEX_HDG_NT == PLEX_HDG_FACES * PLEX_HDG_BLOCK, "blocks of faces");
static_assert(PLEX_HDG_TILE >= PLEX_HDG_GROUPS, "a block row has columns for all lanes");

// Matrices of elements begin .. end, row by row at K, to their batches: a thread a number
extern "C" __global__ void plex_hdg_trace_pack(const double *K, int begin, int end, PlexHDGTraceArgs args)
{
  const long long at   = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int       lane = (int)(at % PLEX_HDG_WIDTH), k = (int)(at / PLEX_HDG_WIDTH % PLEX_HDG_PACKED);
  const long long batch = begin / PLEX_HDG_WIDTH + at / PLEX_HDG_WIDTH / PLEX_HDG_PACKED,
                  e     = batch * PLEX_HDG_WIDTH + lane;
  int             I     = 0, c, i;
  double          v;

  if (e < begin || e >= end) return;
  while (I + 1 < PLEX_HDG_ROWS && plex_hdg_block_row(I + 1) <= k) ++I;
  i = k - plex_hdg_block_row(I);
  if (i < I * PLEX_HDG_TILE * PLEX_HDG_TILE) {
    c = i / PLEX_HDG_TILE;
    i = i % PLEX_HDG_TILE;
  } else {
    i -= I * PLEX_HDG_TILE * PLEX_HDG_TILE;
    for (c = 0; i >= PLEX_HDG_TILE - c; ++c) i -= PLEX_HDG_TILE - c;
    i += c;
    c += I * PLEX_HDG_TILE;
  }
  v = K[((e - begin) * PLEX_HDG_NT + c) * PLEX_HDG_NT + I * PLEX_HDG_TILE + i];
  args.upper[(batch * PLEX_HDG_PACKED + k) * PLEX_HDG_WIDTH + lane] = plex_hdg_upper(v);
  args.lower[(batch * PLEX_HDG_PACKED + k) * PLEX_HDG_WIDTH + lane] = __double2loint(v);
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_pack)

// A column's numbers of a block row, TILE of them, or of the triangle on the diagonal those from the diagonal on; whole, or
// their upper halves. They are all asked for at once, one column ahead: what is on its way covers the memory's latency
template <bool whole>
struct PlexHDGColumn {
  int upper[PLEX_HDG_TILE], lower[whole ? PLEX_HDG_TILE : 1];

  // batch: where its numbers begin. Above the diagonal are numbers of columns before, so that no load has a condition
  __device__ __forceinline__ void read(const PlexHDGTraceArgs &args, plex_index batch, int I, int c)
  {
    const int        j  = c - I * PLEX_HDG_TILE;
    const plex_index at = batch +
                          (plex_hdg_block_row(I) + c * PLEX_HDG_TILE - (j > 0 ? j * (j + 1) / 2 : 0)) * PLEX_HDG_WIDTH;

    _Pragma("unroll")
    for (int i = 0; i < PLEX_HDG_TILE; ++i) {
      if (PLEX_HDG_GROUPS == 1 && i < j) continue;
      upper[i] = plex_read(args.upper + at + i * PLEX_HDG_WIDTH);
      if (whole) lower[i] = plex_read(args.lower + at + i * PLEX_HDG_WIDTH);
    }
  }
  // Column . x of the block row but for the diagonal, and y += column times xc; triangle: row j is the diagonal's
  template <bool triangle>
  __device__ __forceinline__ double multiply(int j, double xc, const double xi[], double yi[]) const
  {
    double sum = 0;

    _Pragma("unroll")
    for (int i = 0; i < PLEX_HDG_TILE; ++i) {
      const double a = whole ? plex_hdg_number(upper[i], lower[whole ? i : 0]) : plex_hdg_number(upper[i]),
                   v = triangle && i < j ? 0. : a;

      yi[i] += v * xc;
      sum += (triangle && i == j ? 0. : v) * xi[i];
    }
    return sum;
  }
};

// b of the elements of some batches, a warp each
template <bool whole>
PLEX_DEVICE void plex_hdg_trace_batch(const PlexHDGTraceArgs &args, double *shared)
{
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, group = lane / PLEX_HDG_WIDTH;
  const int at = (int)(blockIdx.x * (blockDim.x / 32)) + warp;
  double   *X = shared + warp * 2 * PLEX_HDG_WIDTH * PLEX_HDG_LD, *Y = X + PLEX_HDG_WIDTH * PLEX_HDG_LD;

  if (at < args.nbatches) {
    const int        batch = args.batches ? args.batches[at] : at, first = batch * PLEX_HDG_WIDTH,
                     n     = args.Ne - first < PLEX_HDG_WIDTH ? args.Ne - first : PLEX_HDG_WIDTH;
    const plex_index K     = (plex_index)batch * PLEX_HDG_PACKED * PLEX_HDG_WIDTH + lane % PLEX_HDG_WIDTH;
    const double    *x     = X + lane % PLEX_HDG_WIDTH * PLEX_HDG_LD;
    double          *y     = Y + lane % PLEX_HDG_WIDTH * PLEX_HDG_LD, *b;
    int             *faces = (int *)Y; // until there is a y

    PlexHDGColumn<whole> next;

    next.read(args, K, 0, group);
    for (int k = lane; k < PLEX_HDG_WIDTH * PLEX_HDG_FACES; k += 32)
      faces[k] = k < n * PLEX_HDG_FACES ? args.faces[(plex_index)first * PLEX_HDG_FACES + k] : args.nfree;
    plex_lanes_sync();
    for (int begin = lane; begin < PLEX_HDG_WIDTH * PLEX_HDG_NT; begin += 32 * PLEX_HDG_AHEAD) {
      double v[PLEX_HDG_AHEAD];

      _Pragma("unroll")
      for (int s = 0; s < PLEX_HDG_AHEAD; ++s) {
        const int k = begin + 32 * s, l = k < PLEX_HDG_WIDTH * PLEX_HDG_NT ? faces[k / PLEX_HDG_BLOCK] : args.nfree;

        v[s] = l < args.nfree ? plex_hdg_trace_value(args, l, k % PLEX_HDG_BLOCK) : 0.;
      }
      _Pragma("unroll")
      for (int s = 0; s < PLEX_HDG_AHEAD; ++s) {
        const int k = begin + 32 * s;

        if (k < PLEX_HDG_WIDTH * PLEX_HDG_NT) X[k / PLEX_HDG_NT * PLEX_HDG_LD + k % PLEX_HDG_NT] = v[s];
      }
    }
    plex_lanes_sync();
    for (int I = 0; I < PLEX_HDG_ROWS; ++I) {
      const int end = (I + 1) * PLEX_HDG_TILE;
      double    xi[PLEX_HDG_TILE], yi[PLEX_HDG_TILE];

      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i) {
        xi[i] = x[I * PLEX_HDG_TILE + i];
        yi[i] = 0;
      }
#if PLEX_HDG_GROUPS == 1
      _Pragma("unroll")
#endif
      for (int c = group; c < end; c += PLEX_HDG_GROUPS) {
        const PlexHDGColumn<whole> a    = next;
        const int                  j    = c - I * PLEX_HDG_TILE;
        const bool                 last = c + PLEX_HDG_GROUPS >= end;

        if (!last || I + 1 < PLEX_HDG_ROWS) next.read(args, K, I + last, last ? group : c + PLEX_HDG_GROUPS);
        plex_reads_end();
        if (j < 0) y[c] += a.template multiply<false>(j, x[c], xi, yi);
        else y[c] = a.template multiply<true>(j, x[c], xi, yi);
      }
#if PLEX_HDG_GROUPS > 1
      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i)
        for (int with = PLEX_HDG_WIDTH; with < 32; with *= 2) yi[i] += plex_lane_xor(yi[i], with);
      plex_lanes_sync();
#endif
      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i)
        if (i % PLEX_HDG_GROUPS == group) y[I * PLEX_HDG_TILE + i] += yi[i];
      plex_lanes_sync();
    }
    b = args.b + (plex_index)first * PLEX_HDG_NT;
    for (int k = lane; k < n * PLEX_HDG_NT; k += 32) b[k] = Y[k / PLEX_HDG_NT * PLEX_HDG_LD + k % PLEX_HDG_NT];
  }
}

extern "C" __global__ void plex_hdg_trace_multiply(PlexHDGTraceArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);

  plex_hdg_trace_batch<true>(args, shared);
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_multiply)

extern "C" __global__ void plex_hdg_trace_multiply_upper(PlexHDGTraceArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);

  plex_hdg_trace_batch<false>(args, shared);
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_multiply_upper)

// b of block rows of others' elements, which are kept as doubles: a thread a row. There are as many as faces between
// processes. Where own elements' numbers are upper halves, so are these
extern "C" __global__ void plex_hdg_trace_received(PlexHDGTraceArgs args)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < args.nreceived * PLEX_HDG_BLOCK) {
    const int    *columns = args.columns + (plex_index)(k / PLEX_HDG_BLOCK) * PLEX_HDG_FACES;
    const double *row     = args.received + (plex_index)k * PLEX_HDG_NT;
    double        sum     = 0;

    for (int g = 0; g < PLEX_HDG_FACES; ++g)
      for (int m = 0; columns[g] >= 0 && m < PLEX_HDG_BLOCK; ++m)
        sum += (args.whole ? row[g * PLEX_HDG_BLOCK + m]
                           : plex_hdg_number(plex_hdg_upper(row[g * PLEX_HDG_BLOCK + m]))) *
               plex_hdg_trace_value(args, columns[g], m);
    args.b[(plex_index)args.Ne * PLEX_HDG_NT + k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_received)

// y: a thread a function of a face, a sum of at most two numbers of b, and of Robin's condition
extern "C" __global__ void plex_hdg_trace_sum(PlexHDGTraceArgs args)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < args.nown * PLEX_HDG_BLOCK) {
    const int l = k / PLEX_HDG_BLOCK, m = k % PLEX_HDG_BLOCK, left = args.sides[2 * l], right = args.sides[2 * l + 1],
              robin = args.robinOf[l];
    double    sum   = args.b[(plex_index)left * PLEX_HDG_BLOCK + m];

    if (right >= 0) sum += args.b[(plex_index)right * PLEX_HDG_BLOCK + m];
    for (int j = 0; robin >= 0 && j < PLEX_HDG_BLOCK; ++j)
      sum += args.robin[((plex_index)robin * PLEX_HDG_BLOCK + m) * PLEX_HDG_BLOCK + j] *
             args.owned[(plex_index)l * PLEX_HDG_BLOCK + j];
    args.y[k] = args.rhs ? args.rhs[k] - sum : sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_sum)
