// Products of type separate: flux lifting and local differentiation (sections 5.2 and 5.4), by matrices of the
// reference element.
//
//   PLEX_DG_SUMS, PLEX_DG_COLUMNS    lifting: 1, FACES NFP. Differentiation: DIM, NP; in flux form 1, DIM NP, [D_1 ..
//                                    D_DIM]
//   PLEX_DG_NIN                      padded size of an array of units that is multiplied; 0: the state is
//   PLEX_DG_INLINE                   w_i: units that a thread computes at once, whose sums are in registers
//
// A thread computes one dof of w_i units. Of several sums, the derivatives in reference coordinates, come those in x:
// one a direction.
#include "separate.cuh"

// Where the values of unit `unit` for slot 0 begin
#if PLEX_DG_NIN
typedef plex_real plex_dg_value;
#else
typedef plex_dg_state plex_dg_value;
#endif
PLEX_DEVICE const plex_dg_value *plex_dg_values(const PlexDGSeparateArgs &s, int unit, int slot)
{
#if PLEX_DG_NIN
  return (const plex_real *)s.in + (plex_index)unit * PLEX_DG_NIN + slot * PLEX_DG_COLUMNS;
#else
  const int e = s.element[unit / PLEX_DG_NF * PLEX_DG_KM + slot];

  return (const plex_dg_state *)s.u + ((plex_index)max(e, 0) * PLEX_DG_NF + unit % PLEX_DG_NF) * PLEX_DG_NP;
#endif
}

// Writes the sums of dof i of a unit
PLEX_DEVICE void plex_dg_store(const PlexDGArgs &args, const PlexDGSeparateArgs &s, int unit, int i,
                               const plex_real *sum)
{
#if PLEX_DG_SUMS == 1
  (void)args;
  ((plex_real *)s.out)[(plex_index)unit * PLEX_DG_NPM + i] = sum[0];
#else
  const int e = s.element[unit / PLEX_DG_NF * PLEX_DG_KM + i / PLEX_DG_NP];

  if (e >= 0) {
    const plex_real *rx = (const plex_real *)args.geometry + (plex_index)e * PLEX_DIM * PLEX_DIM;

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) {
      plex_real derivative = 0;

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) derivative += rx[a * PLEX_DIM + d] * sum[a];
      ((plex_real *)s.out)[((plex_index)unit * PLEX_DIM + d) * PLEX_DG_NPM + i] = derivative;
    }
  }
#endif
}

// Algorithm 1: fields in shared memory, the matrix from the caches. A block has NPM w_p threads, and PLEX_DG_ALIGN = 16
// or 32 of one unit stand next to those of the next one (figure 5b): of the warps, few have threads of two elements. It
// computes w_p w_i w_s units.
extern "C" __global__ void plex_dg_product_field(PlexDGArgs args, PlexDGSeparateArgs s)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared); // [w_p][w_i][COLUMNS KM]
  const int        part = (int)threadIdx.x / PLEX_DG_ALIGN, y = part % s.parallel,
                   i      = part / s.parallel * PLEX_DG_ALIGN + (int)threadIdx.x % PLEX_DG_ALIGN;
  plex_real       *field  = shared + y * (PLEX_DG_INLINE * PLEX_DG_COLUMNS * PLEX_DG_KM);
  const plex_real *matrix = (const plex_real *)s.matrix + i % PLEX_DG_NP,
                  *own    = field + i / PLEX_DG_NP * PLEX_DG_COLUMNS;

  for (int q = 0; q < s.sequential; ++q) {
    const int unit  = s.begin * PLEX_DG_NF + (((int)blockIdx.x * s.sequential + q) * s.parallel + y) * PLEX_DG_INLINE,
              count = i < PLEX_DG_NPM ? min(PLEX_DG_INLINE, s.end * PLEX_DG_NF - unit) : 0;

    if (q) __syncthreads();
    for (int w = 0; w < count; ++w)
      for (int c = i; c < PLEX_DG_COLUMNS * PLEX_DG_KM; c += PLEX_DG_NPM)
        field[w * PLEX_DG_COLUMNS * PLEX_DG_KM + c] = (plex_real)plex_dg_values(s, unit + w,
                                                                                c /
                                                                                  PLEX_DG_COLUMNS)[c % PLEX_DG_COLUMNS];
    __syncthreads();
    if (i < PLEX_DG_KM * PLEX_DG_NP && count > 0) {
      plex_real sum[PLEX_DG_INLINE][PLEX_DG_SUMS] = {};

      _Pragma("unroll 4")
      for (int c = 0; c < PLEX_DG_COLUMNS; ++c) {
        plex_real row[PLEX_DG_SUMS];

        _Pragma("unroll")
        for (int a = 0; a < PLEX_DG_SUMS; ++a) row[a] = matrix[(a * PLEX_DG_COLUMNS + c) * PLEX_DG_NP];
        _Pragma("unroll")
        for (int w = 0; w < PLEX_DG_INLINE; ++w) {
          const plex_real value = own[w * PLEX_DG_COLUMNS * PLEX_DG_KM + c];

          _Pragma("unroll")
          for (int a = 0; a < PLEX_DG_SUMS; ++a) sum[w][a] += row[a] * value;
        }
      }
      _Pragma("unroll")
      for (int w = 0; w < PLEX_DG_INLINE; ++w)
        if (w < count) plex_dg_store(args, s, unit + w, i, sum[w]);
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_product_field)

// Algorithm 4: a segment of s.rows rows of the matrix, KM times one below the other, in shared memory with an odd
// stride; fields from the caches. A block has s.rows w_p threads and computes these rows of w_p w_i w_s units. The
// blocks of all segments of the same units follow each other.
extern "C" __global__ void plex_dg_product_matrix(PlexDGArgs args, PlexDGSeparateArgs s)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared); // [rows][stride]
  const int stride = PLEX_DG_SUMS * PLEX_DG_COLUMNS | 1, segments = (PLEX_DG_KM * PLEX_DG_NP + s.rows - 1) / s.rows,
            first = (int)blockIdx.x % segments * s.rows;
  const int x = (int)threadIdx.x % s.rows, y = (int)threadIdx.x / s.rows, i = first + x;
  const plex_real *own = shared + x * stride;

  for (int k = (int)threadIdx.x; k < s.rows * PLEX_DG_SUMS * PLEX_DG_COLUMNS; k += (int)blockDim.x)
    shared[k % s.rows * stride + k / s.rows] = ((const plex_real *)s.matrix)[k / s.rows * PLEX_DG_NP +
                                                                             (first + k % s.rows) % PLEX_DG_NP];
  __syncthreads();
  if (i < PLEX_DG_KM * PLEX_DG_NP && y < s.parallel) {
    for (int q = 0; q < s.sequential; ++q) {
      const int            unit  = s.begin * PLEX_DG_NF +
                                   (((int)blockIdx.x / segments * s.sequential + q) * s.parallel + y) * PLEX_DG_INLINE,
                           count = min(PLEX_DG_INLINE, s.end * PLEX_DG_NF - unit);
      const plex_dg_value *value[PLEX_DG_INLINE];
      plex_real            sum[PLEX_DG_INLINE][PLEX_DG_SUMS] = {};

      if (count <= 0) break;
      _Pragma("unroll")
      for (int w = 0; w < PLEX_DG_INLINE; ++w) value[w] = plex_dg_values(s, unit + min(w, count - 1), i / PLEX_DG_NP);
      _Pragma("unroll 4")
      for (int c = 0; c < PLEX_DG_COLUMNS; ++c) _Pragma("unroll")
      for (int w = 0; w < PLEX_DG_INLINE; ++w) {
        const plex_real v = (plex_real)value[w][c];

        _Pragma("unroll")
        for (int a = 0; a < PLEX_DG_SUMS; ++a) sum[w][a] += own[a * PLEX_DG_COLUMNS + c] * v;
      }
      _Pragma("unroll")
      for (int w = 0; w < PLEX_DG_INLINE; ++w)
        if (w < count) plex_dg_store(args, s, unit + w, i, sum[w]);
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_product_matrix)
