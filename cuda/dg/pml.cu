// A perfectly matched layer, in its elements alone, on tensor cores (unit.cuh): a block has a batch of 16 elements that are
// stretched along the same axes, a warp one of their fields. Rows of products are the elements, so that a lane has two
// neighbouring nodes, or points, of a tile of 8, of two elements; what a tile of points has becomes the left factor of the
// projection where it is. Where one axis is stretched a warp shares nothing with others:
//
//   1. w = u - alpha p, or u - q, at the nodes; p takes its stage
//   2. a tile of points at a time: w there, times sigma, and from there sums of the nodes
//   3. q takes its stage; rates to the residual, in the first stage to the next state too
//
// Where several are, 1 has u alone, and the variables are at the points of 2. In a radial layer, PLEX_PML_ROUND, fields of
// a point meet in shared memory.
//
// In double precision a stage reads and writes each variable and its residual, 32 bytes, and reads the state and reads and
// writes its residual, 24 bytes, of each node and field: 56 NP NF bytes, and 8 a number of NQ points, made a multiple of 8;
// next states 16 NP NF more in the first stage alone. With one axis and six fields an element moves, for N = 1 ... 6,
//
//   1.4, 3.5, 6.9, 12.1, 19.5 and 29.6 kB,   and 4 NP NQ NF flops are 0.4, 3.4, 12, 39, 109 and 339 thousand
//
// At 4 TB/s and 60 TFLOP/s the bytes would take 1.3 times as long as the flops at the sixth degree, more at others: bytes are the
// floor, and each is moved once. Matrices come from the L1 cache.
//
// An element of a layer around a box costs as much as 2.4, 2.6, 2.5, 2.9, 3.4 and 3.7 others, which type fused computes, for
// N = 1 ... 6 on an H200: for N = 4 memory has something to do in less than a third of the time, as a warp waits for numbers
// from the caches and from memory more than half of its own, and there are few, with sums of all nodes in registers.
//
// Sizes: PLEX_DIM, PLEX_SINGLE, PLEX_PML_NP, PLEX_PML_NQ, PLEX_PML_NF, PLEX_PML_ROUND; PLEX_PML_RESIDENT blocks at once on a
// multiprocessor.
#include "../plex.cuh"
#include "unit.cuh"

#include "pml_variables.cuh"
#include "pml.h"

#define PLEX_PML_NODE_TILES  ((PLEX_PML_NP + 7) / 8)
#define PLEX_PML_POINT_TILES ((PLEX_PML_NQ + 7) / 8)
#define PLEX_PML_TILE_STEPS  (8 / PLEX_UNIT_K)
#define PLEX_PML_TILE        (PLEX_PML_ELEMENTS * 8)                // numbers of a tile
#define PLEX_PML_APART       (PLEX_PML_POINT_TILES * PLEX_PML_TILE) // variables at points
#define PLEX_PML_GROUP       3                                      // tiles of nodes that are asked for at once

// ---- Two neighbouring numbers

template <class S>
struct PlexPMLTwo;
template <>
struct PlexPMLTwo<double> {
  typedef double2 type;
};
template <>
struct PlexPMLTwo<float> {
  typedef float2 type;
};

// Numbers i and i + 1 of n; even: `from` is that of two. What is not there is 0
template <bool once, class S>
PLEX_DEVICE void plex_pml_pair(const S *from, int i, int n, bool even, plex_real v[2])
{
  typedef typename PlexPMLTwo<S>::type Two;

  v[0] = v[1] = 0;
  if (even) {
    if (i < n) {
      const Two two = once ? __ldcs((const Two *)(from + i)) : *(const Two *)(from + i);

      v[0] = (plex_real)two.x;
      v[1] = (plex_real)two.y;
    }
  } else {
    if (i < n) v[0] = (plex_real)(once ? __ldcs(from + i) : from[i]);
    if (i + 1 < n) v[1] = (plex_real)(once ? __ldcs(from + i + 1) : from[i + 1]);
  }
}

template <bool once, class S>
PLEX_DEVICE void plex_pml_put(S *to, int i, int n, bool even, const plex_real v[2])
{
  typedef typename PlexPMLTwo<S>::type Two;

  if (even) {
    if (i < n) {
      Two two;

      two.x = (S)v[0];
      two.y = (S)v[1];
      if (once) __stcs((Two *)(to + i), two);
      else *(Two *)(to + i) = two;
    }
  } else {
    if (i < n) to[i] = (S)v[0];
    if (i + 1 < n) to[i + 1] = (S)v[1];
  }
}

// ---- A warp's field of a batch

template <class S>
struct PlexPMLUnit {
  const S         *u;
  S               *r, *next;
  plex_real       *values, *residual; // of the field
  const plex_real *numbers;           // of the batch
  plex_index       row[2];            // where the field begins in the states, of elements lane / 4 (+ 8)
  bool             here[2];           // there is such an element
  int              first;             // element of the batch, and number of the tile that the lane has
  int              i;

  static constexpr bool even = PLEX_PML_NP % 2 == 0;

  // Numbers of tile t
  __device__ __forceinline__ static int width(int t) { return min(8, PLEX_PML_NP - 8 * t); }
  // Where a variable's tile t of row h begins, of nodes
  __device__ __forceinline__ int node(int t, int h) const { return PLEX_PML_TILE * t + (first + 8 * h) * width(t); }
  // and of points
  __device__ __forceinline__ int point(int t, int h) const { return PLEX_PML_TILE * t + (first + 8 * h) * 8 + i; }
};

// A variable's value p, with its residual R, has the rate dp
PLEX_DEVICE void plex_pml_step(const PlexDGPMLStage &s, plex_real dp, plex_real *p, plex_real *R)
{
  *R = (plex_real)s.dt * dp + (s.a != 0 ? (plex_real)s.a * *R : 0);
  *p += (plex_real)s.b * *R;
}

// Numbers of rates are added to the states, at tile t of row h
template <class S>
PLEX_DEVICE void plex_pml_add(const PlexDGPMLStage &s, const PlexPMLUnit<S> &x, int t, int h, plex_real r[2],
                              const plex_real rate[2])
{
  const int w = x.here[h] ? x.width(t) : 0;
  plex_real next[2];

  for (int c = 0; c < 2; ++c) r[c] += (plex_real)s.factor * rate[c];
  plex_pml_put<false>(x.r + x.row[h] + 8 * t, x.i, w, x.even, r);
  if (!x.next) return;
  plex_pml_pair<false>(x.next + x.row[h] + 8 * t, x.i, w, x.even, next);
  for (int c = 0; c < 2; ++c) next[c] += (plex_real)s.weight * (plex_real)s.factor * rate[c];
  plex_pml_put<false>(x.next + x.row[h] + 8 * t, x.i, w, x.even, next);
}

// A lane's numbers of all tiles of nodes, in shared memory, where other lanes have nothing to do with them
struct PlexPMLNodes {
  plex_real *v; // [tiles][4][threads]

  __device__ __forceinline__ plex_real get(int t, int c) const { return v[(4 * t + c) * (32 * PLEX_PML_NF)]; }
  __device__ __forceinline__ void put(int t, int c, plex_real value) { v[(4 * t + c) * (32 * PLEX_PML_NF)] = value; }
};

// 1. w of all tiles. factor: of the variable; step: it takes its stage here
template <bool nodal, class S>
PLEX_DEVICE void plex_pml_begin(const PlexDGPMLStage &s, const PlexPMLUnit<S> &x, plex_real factor, bool step,
                                PlexPMLNodes &w)
{
  const bool before = nodal && step && s.a != 0;

  _Pragma("unroll")
  for (int begin = 0; begin < PLEX_PML_NODE_TILES; begin += PLEX_PML_GROUP) {
    plex_real u[PLEX_PML_GROUP][4], p[PLEX_PML_GROUP][4], R[PLEX_PML_GROUP][4] = {};

    _Pragma("unroll")
    for (int k = 0; k < PLEX_PML_GROUP; ++k) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int t = begin + k, n = x.width(t);

      if (t >= PLEX_PML_NODE_TILES) break;
      if (nodal) plex_pml_pair<true>(x.values + x.node(t, h), x.i, n, n % 2 == 0, p[k] + 2 * h);
      if (before) plex_pml_pair<true>(x.residual + x.node(t, h), x.i, n, n % 2 == 0, R[k] + 2 * h);
      plex_pml_pair<false>(x.u + x.row[h] + 8 * t, x.i, n, x.even, u[k] + 2 * h);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PML_GROUP; ++k) {
      const int t = begin + k, n = x.width(t);

      if (t >= PLEX_PML_NODE_TILES) break;
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) {
        if (nodal) u[k][c] -= factor * p[k][c];
        w.put(t, c, u[k][c]);
      }
      if (!nodal || !step) continue;
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) plex_pml_step(s, u[k][c], &p[k][c], &R[k][c]);
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        plex_pml_put<true>(x.values + x.node(t, h), x.i, n, n % 2 == 0, p[k] + 2 * h);
        plex_pml_put<true>(x.residual + x.node(t, h), x.i, n, n % 2 == 0, R[k] + 2 * h);
      }
    }
  }
}

// 2. Sums of the nodes: rate(tile, numbers[4], sigma[4]) makes of fields at points what is projected, with sigma of ask(tile,
// sigma), which arrives meanwhile
template <class Ask, class Rate>
PLEX_DEVICE void plex_pml_multiply(const PlexDGPMLArgs &args, const PlexPMLNodes &w,
                                   plex_real sums[PLEX_PML_NODE_TILES][4], Ask ask, Rate rate)
{
  const PlexUnitB *V = (const PlexUnitB *)args.interpolate + threadIdx.x % 32,
                  *P = (const PlexUnitB *)args.project + threadIdx.x % 32;

  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_PML_POINT_TILES; ++q) {
    plex_real at[2][4] = {}, sigma[4];

    ask(q, sigma);
    _Pragma("unroll")
    for (int t = 0; t < PLEX_PML_NODE_TILES; ++t) {
      const plex_real v[4] = {w.get(t, 0), w.get(t, 1), w.get(t, 2), w.get(t, 3)};

      _Pragma("unroll")
      for (int j = 0; j < PLEX_PML_TILE_STEPS; ++j)
        plex_unit_add(at[(t * PLEX_PML_TILE_STEPS + j) % 2], plex_unit_of(v, j),
                      plex_unit_get(V + ((q * PLEX_PML_NODE_TILES + t) * PLEX_PML_TILE_STEPS + j) * 32));
    }
    _Pragma("unroll")
    for (int c = 0; c < 4; ++c) at[0][c] += at[1][c];
    rate(q, at[0], sigma);
    _Pragma("unroll")
    for (int j = 0; j < PLEX_PML_TILE_STEPS; ++j) {
      const PlexUnitA a = plex_unit_of(at[0], j);

      _Pragma("unroll")
      for (int t = 0; t < PLEX_PML_NODE_TILES; ++t)
        plex_unit_add(sums[t], a, plex_unit_get(P + ((t * PLEX_PML_POINT_TILES + q) * PLEX_PML_TILE_STEPS + j) * 32));
    }
  }
}

// 3. Where rates go; inverse: they are those of a variable that takes its stage here
template <bool nodal, class S>
PLEX_DEVICE void plex_pml_end(const PlexDGPMLArgs &args, const PlexDGPMLStage &s, const PlexPMLUnit<S> &x, bool inverse,
                              plex_real sums[PLEX_PML_NODE_TILES][4])
{
  const bool step = nodal && inverse && s.update;

  _Pragma("unroll")
  for (int begin = 0; begin < PLEX_PML_NODE_TILES; begin += PLEX_PML_GROUP) {
    plex_real p[PLEX_PML_GROUP][4], R[PLEX_PML_GROUP][4] = {}, r[PLEX_PML_GROUP][4];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_PML_GROUP; ++k) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int t = begin + k, n = x.width(t);

      if (t >= PLEX_PML_NODE_TILES) break;
      if (x.r) plex_pml_pair<false>(x.r + x.row[h] + 8 * t, x.i, x.here[h] ? n : 0, x.even, r[k] + 2 * h);
      if (!nodal || !inverse) continue;
      plex_pml_pair<true>(x.values + x.node(t, h), x.i, n, n % 2 == 0, p[k] + 2 * h);
      if (step && s.a != 0) plex_pml_pair<true>(x.residual + x.node(t, h), x.i, n, n % 2 == 0, R[k] + 2 * h);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PML_GROUP; ++k) {
      const int t = begin + k, n = x.width(t);

      if (t >= PLEX_PML_NODE_TILES) break;
      if (nodal) {
        _Pragma("unroll")
        for (int c = 0; c < 4; ++c) {
          sums[t][c] = inverse ? sums[t][c] - (plex_real)args.alpha * p[k][c] : -sums[t][c];
          if (step) plex_pml_step(s, sums[t][c], &p[k][c], &R[k][c]);
        }
      }
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        if (step) {
          plex_pml_put<true>(x.values + x.node(t, h), x.i, n, n % 2 == 0, p[k] + 2 * h);
          plex_pml_put<true>(x.residual + x.node(t, h), x.i, n, n % 2 == 0, R[k] + 2 * h);
        }
        if (x.r) plex_pml_add(s, x, t, h, r[k] + 2 * h, sums[t] + 2 * h);
      }
    }
  }
}

// Asks for bytes that are read soon
PLEX_DEVICE void plex_pml_prefetch(const void *array, size_t bytes)
{
  plex_prefetch_L2_bulk((const void *)((size_t)array & ~(size_t)15), (unsigned)bytes & ~15u);
}

// For all that the block reads of the states; a warp for all fields
template <class S>
PLEX_DEVICE void plex_pml_ask(const PlexDGPMLArgs &args, const PlexPMLUnit<S> &x)
{
  constexpr int each = PLEX_PML_NF * PLEX_PML_NP;
  const int     lane = threadIdx.x % 32;

  if (lane >= PLEX_PML_ELEMENTS || threadIdx.x / 32) return;
  const plex_index at = (plex_index)args.elements[blockIdx.x * PLEX_PML_ELEMENTS + lane] * each;

  plex_pml_prefetch(x.u + at, each * sizeof(S));
  if (x.r) plex_pml_prefetch(x.r + at, each * sizeof(S));
}

// And for a field's variables at nodes, and the batch's numbers of points
template <class S>
PLEX_DEVICE void plex_pml_ask_nodal(const PlexDGPMLStage &s, const PlexPMLUnit<S> &x)
{
  constexpr size_t bytes = PLEX_PML_ELEMENTS * PLEX_PML_NP * sizeof(plex_real);

  if (threadIdx.x % 32) return;
  plex_pml_prefetch(x.values, bytes);
  if (s.update && s.a != 0) plex_pml_prefetch(x.residual, bytes);
  if (!threadIdx.x) plex_pml_prefetch(x.numbers, PLEX_PML_APART * sizeof(plex_real));
}

// Powers of field f in a batch, 0 where an axis is not stretched
PLEX_DEVICE void plex_pml_powers(const PlexDGPMLArgs &args, int kind, int f, int e[3])
{
  _Pragma("unroll")
  for (int d = 0; d < 3; ++d) e[d] = d < PLEX_DIM && (kind >> d & 1) ? args.stretch[f][d] : 0;
}

// A field where rates do not depend on others
template <bool nodal, class S>
PLEX_DEVICE void plex_pml_field(const PlexDGPMLArgs &args, const PlexDGPMLStage &s, const PlexPMLUnit<S> &x, int kind,
                                const int e[3], PlexPMLNodes &w)
{
  const int  power                        = e[0] + e[1] + e[2];
  const bool inverse                      = power < 0;
  plex_real  sums[PLEX_PML_NODE_TILES][4] = {};

  if (nodal) plex_pml_ask_nodal(s, x);
  plex_pml_begin<nodal>(s, x, inverse ? (plex_real)1 : (plex_real)args.alpha, nodal && !inverse && s.update, w);
  plex_pml_multiply(
    args, w, sums,
    [&](int q, plex_real *sigma) {
      if (nodal) _Pragma("unroll")
      for (int h = 0; h < 2; ++h) plex_pml_pair<false>(x.numbers + x.point(q, h), 0, 2, true, sigma + 2 * h);
    },
    [&](int q, plex_real *at, const plex_real *sigma) {
      _Pragma("unroll")
      for (int k = 0; k < 4; ++k) {
        const plex_real *number = x.numbers + x.point(q, k / 2) + k % 2;

        if (nodal) {
          at[k] *= sigma[k];
          continue;
        }
        const plex_real r0 = kind & 1 ? number[0] : 0, r1 = kind & 2 ? number[kind & 1 ? PLEX_PML_APART : 0] : 0,
                        r2 = kind & 4 ? number[((kind & 1) + (kind >> 1 & 1)) * PLEX_PML_APART] : 0;

        at[k] = plex_pml_scalar(&args, &s, at[k], e[0], e[1], e[2], r0, r1, r2,
                                (long long)(x.values - (plex_real *)s.values) + x.point(q, k / 2) + k % 2,
                                PLEX_PML_APART);
      }
    });
  plex_pml_end<nodal>(args, s, x, inverse, sums);
}

#if PLEX_PML_ROUND
// All fields of a tile of points, [NF][16][8] of shared memory
PLEX_DEVICE void plex_pml_meet(const PlexDGPMLArgs &args, const PlexDGPMLStage &s, const PlexDGPMLBatch &batch, int q,
                               plex_real *tile)
{
  for (int k = threadIdx.x; k < PLEX_PML_TILE; k += 32 * PLEX_PML_NF)
    plex_pml_radial(&args, &s, (const plex_real *)args.numbers + batch.at + PLEX_PML_TILE * q + k, tile + k,
                    PLEX_PML_TILE, batch.first + PLEX_PML_TILE * q + k, PLEX_PML_APART);
}
#endif

template <class S>
PLEX_DEVICE void plex_pml_batch(const PlexDGPMLArgs &args, const PlexDGPMLStage &s)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  const PlexDGPMLBatch batch = args.batches[blockIdx.x];
  const int            f = threadIdx.x / 32, lane = threadIdx.x % 32;
  PlexPMLUnit<S>       x;
  PlexPMLNodes         w;

  w.v        = memory + threadIdx.x;
  x.u        = (const S *)s.u;
  x.r        = (S *)s.r;
  x.next     = (S *)s.next;
  x.values   = (plex_real *)s.values + batch.first;
  x.residual = (plex_real *)s.residual + batch.first;
  x.numbers  = (const plex_real *)args.numbers + batch.at;
  x.first    = lane / 4;
  x.i        = 2 * (lane % 4);
  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) {
    x.row[h]  = ((plex_index)args.elements[blockIdx.x * PLEX_PML_ELEMENTS + x.first + 8 * h] * PLEX_PML_NF + f) *
                PLEX_PML_NP;
    x.here[h] = x.first + 8 * h < batch.n;
  }
  plex_pml_ask(args, x);
#if PLEX_PML_ROUND
  plex_real *tile                         = memory + 32 * PLEX_PML_NF * PLEX_PML_NODE_TILES * 4;
  plex_real  sums[PLEX_PML_NODE_TILES][4] = {};

  plex_pml_begin<false>(s, x, 0, false, w);
  plex_pml_multiply(
    args, w, sums, [](int, plex_real *) { },
    [&](int q, plex_real *at, const plex_real *) {
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) tile[f * PLEX_PML_TILE + x.point(0, c / 2) + c % 2] = at[c];
      __syncthreads();
      plex_pml_meet(args, s, batch, q, tile);
      __syncthreads();
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) at[c] = tile[f * PLEX_PML_TILE + x.point(0, c / 2) + c % 2];
    });
  plex_pml_end<false>(args, s, x, false, sums);
#else
  const bool nodal     = plex_pml_is_nodal(batch.kind);
  int        variables = 0, e[3];

  for (int k = 0; k < f; ++k) {
    plex_pml_powers(args, batch.kind, k, e);
    variables += plex_pml_sections(e[0], e[1], e[2]);
  }
  plex_pml_powers(args, batch.kind, f, e);
  if (!plex_pml_sections(e[0], e[1], e[2])) return;
  x.values += (plex_index)variables * (nodal ? PLEX_PML_ELEMENTS * PLEX_PML_NP : PLEX_PML_APART);
  x.residual += (plex_index)variables * (nodal ? PLEX_PML_ELEMENTS * PLEX_PML_NP : PLEX_PML_APART);
  if (nodal) plex_pml_field<true>(args, s, x, batch.kind, e, w);
  else plex_pml_field<false>(args, s, x, batch.kind, e, w);
#endif
}

extern "C" __global__ void __launch_bounds__(32 * PLEX_PML_NF, PLEX_PML_RESIDENT)
  plex_dg_pml(PlexDGPMLArgs args, PlexDGPMLStage stage)
{
#if PLEX_SINGLE
  if (stage.single) plex_pml_batch<float>(args, stage);
  else
#endif
    plex_pml_batch<double>(args, stage);
}
PLEX_EXPORT_KERNEL(plex_dg_pml)
