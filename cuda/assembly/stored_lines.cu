// Products of a Jacobian at a state with vectors, with stored coefficients, on quadrilaterals and hexahedra whose basis is a
// product of functions of one coordinate: N nodes and Q >= N points along a line. With B and G [N][Q] values and derivatives
// of these functions, in three dimensions
//
//   x:  A = B_x v, H = G_x v
//   y:  A <- B_y A, H <- B_y H, K = G_y A
//   z:  U = (B_z A, B_z H, B_z K, G_z A),  V = C U at the points of a line along z,
//
// and back by the same sums transposed; in two y is what z is here, and there is no K. That is 2 (2 N^3 Q + 3 N^2 Q^2 + 3 N Q^3)
// multiplications a component of a hexahedron in the place of 8 N^3 Q^3, of a form with gradients alone; with values it is N Q^3
// more each way. One with derivatives of the points' polynomials takes
// 12 Q^4 (N = Q), but has one line after the other wait for all of another direction, and three times as many barriers.
//
// Where the points are the nodes B is the identity and left out. A field whose components have each the same C is as many
// scalar ones, the copies, next to each other in a block, so that C is read once.
//
// A thread has a line, all numbers of it in registers: it reads N of them and computes Q sums from each, so that shared memory
// is read and written once a number and direction. A line belongs to one thread, which writes where it read; from one direction to
// the next is a barrier, four in all. Lines are spread over the threads of a block as they come, N^2, N Q and Q^2 of an element.
// Tables are in the constant bank, where a multiplication reads them.
//
// An element reads 4 EF bytes of dofs, 8 Q^dim for each number that is kept of a point, neighbouring threads neighbouring numbers, 8 EF of v, and adds 8 EF. C of
// the first points of a line is read before all else, and then some points ahead. Shared memory has dim N Q^(dim - 1) numbers a
// component, with places left out (PLEX_STORED_ROW, PLANE, TEAM) so that few threads meet in a bank.
#include "assembly/stored.cuh"

#define PLEX_N       PLEX_STORED_NODES
#define PLEX_Q       PLEX_STORED_LINE
#define PLEX_S       PLEX_STORED_SLAB // Q^(dim - 1)
#define PLEX_ALL     (PLEX_Q * PLEX_S)
#define PLEX_PARTS   (PLEX_STORED_ELEMENTS * PLEX_STORED_COPIES) // elements of a block, and their copies
#define PLEX_FIRST   (PLEX_DIM == 3 ? PLEX_N * PLEX_N : PLEX_N)  // lines of nodes along x of a team
#define PLEX_IN(a)   plex_stored_uses(plex_stored_in(0), a)
#define PLEX_BACK(a) plex_stored_uses(plex_stored_back(0), a)
#define PLEX_ARRAY   (PLEX_Q * PLEX_STORED_PLANE) // numbers of A, H or K of a component, from one to the next

// Points whose numbers a thread has in registers before it comes to them. Of factors one: elasticity takes as many registers as with
// C then, 70, 91, 123, 123 for Q1 to Q4 (sm_90), with two 89, 125, 133, 185
#define PLEX_STORED_ROOM 24
#define PLEX_AHEAD \
  (PLEX_STORED_NUMBERS > PLEX_STORED_ROOM                     ? 0 \
   : PLEX_STORED_FACTORS && PLEX_NC > 1                       ? 1 \
   : PLEX_STORED_NUMBERS * PLEX_Q <= PLEX_STORED_ROOM * 5 / 4 ? PLEX_Q \
                                                              : PLEX_STORED_ROOM / PLEX_STORED_NUMBERS / 2 + 1)

// Long lines take 130 to 140 registers, and with some words in local memory 96 to 128, so that a multiprocessor has about 512 threads
#if PLEX_Q >= 8 && PLEX_NC == 1 && !PLEX_STORED_COLLOCATED
  #define PLEX_BOUNDS PLEX_BLOCK, (512 + PLEX_BLOCK / 2) / PLEX_BLOCK
#else
  #define PLEX_BOUNDS PLEX_BLOCK
#endif

// ---- Sums over a line. Where a line is the same from its other end, B[n][q] = B[N-1-n][Q-1-q] and G[n][q] = -G[N-1-n][Q-1-q], by
// sums and differences of what is at both ends: with e = v[n] + v[N-1-n], o = v[n] - v[N-1-n] and tables of half as many rows and
// columns, even = (T[n][q] + T[N-1-n][q]) / 2 and odd = (T[n][q] - T[N-1-n][q]) / 2,
//
//   (B v)[q] = E + O, (B v)[Q-1-q] = E - O,   E = sum_n even e, O = sum_n odd o
//
// and likewise with the other sign of E for G, and back, where of G odd and even change places: half the multiplications.
#define PLEX_HALF(n) (((n) + 1) / 2)

// Both halves of a line's numbers: sums and differences, or the numbers as they are
template <int count>
struct PlexHalves {
#if PLEX_STORED_MIRROR
  plex_real even[PLEX_HALF(count)], odd[PLEX_HALF(count)];

  __device__ __forceinline__ explicit PlexHalves(const plex_real v[count])
  {
    _Pragma("unroll")
    for (int k = 0; k < count / 2; ++k) {
      even[k] = v[k] + v[count - 1 - k];
      odd[k]  = v[k] - v[count - 1 - k];
    }
    if (count % 2) even[count / 2] = v[count / 2];
  }
#else
  plex_real v[count];

  __device__ __forceinline__ explicit PlexHalves(const plex_real from[count])
  {
    _Pragma("unroll")
    for (int k = 0; k < count; ++k) v[k] = from[k];
  }
#endif
};

// out[q] = sum_n T[n][q] in[n], T: B or G, of derivatives
template <bool derivative>
PLEX_DEVICE void plex_lines_forth(const PlexHalves<PLEX_N> &in, plex_real out[PLEX_Q])
{
  const plex_real *T = derivative ? plex_stored_G : plex_stored_B;

#if PLEX_STORED_MIRROR
  const plex_real *even = T, *odd = T + PLEX_HALF(PLEX_N) * PLEX_HALF(PLEX_Q);

  _Pragma("unroll")
  for (int q = 0; q < PLEX_HALF(PLEX_Q); ++q) {
    plex_real E = 0, O = 0;

    _Pragma("unroll")
    for (int n = 0; n < PLEX_HALF(PLEX_N); ++n) E += even[n * PLEX_HALF(PLEX_Q) + q] * in.even[n];
    _Pragma("unroll")
    for (int n = 0; n < PLEX_N / 2; ++n) O += odd[n * PLEX_HALF(PLEX_Q) + q] * in.odd[n];
    if (q == PLEX_Q / 2) out[q] = derivative ? O : E;
    else {
      out[q]              = E + O;
      out[PLEX_Q - 1 - q] = derivative ? O - E : E - O;
    }
  }
#else
  _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) {
    plex_real sum = 0;

    _Pragma("unroll")
    for (int n = 0; n < PLEX_N; ++n) sum += T[n * PLEX_Q + q] * in.v[n];
    out[q] = sum;
  }
#endif
}

// Sums back, of values and derivatives: out[n] = sum_q B[n][q] v[q] + sum_q G[n][q] d[q]
struct PlexBack {
#if PLEX_STORED_MIRROR
  plex_real same[PLEX_HALF(PLEX_N)]  = {},
            other[PLEX_HALF(PLEX_N)] = {}; // halves of sums of both ends, and of differences

  template <bool derivative>
  __device__ __forceinline__ void add(const plex_real in[PLEX_Q])
  {
    const plex_real *even = derivative ? plex_stored_G : plex_stored_B,
                    *odd  = even + PLEX_HALF(PLEX_N) * PLEX_HALF(PLEX_Q);
    const PlexHalves<PLEX_Q> halves(in);

    _Pragma("unroll")
    for (int n = 0; n < PLEX_HALF(PLEX_N); ++n) {
      _Pragma("unroll")
      for (int q = 0; q < PLEX_HALF(PLEX_Q); ++q) {
        const plex_real e = even[n * PLEX_HALF(PLEX_Q) + q], o = odd[n * PLEX_HALF(PLEX_Q) + q];

        if (!derivative) same[n] += e * halves.even[q];
        else if (q < PLEX_Q / 2) same[n] += e * halves.odd[q];
        if (n == PLEX_N / 2) continue;
        if (derivative) other[n] += o * halves.even[q];
        else if (q < PLEX_Q / 2) other[n] += o * halves.odd[q];
      }
    }
  }
  __device__ __forceinline__ plex_real get(int n) const
  {
    return n<PLEX_N / 2 ? same[n] + other[n] : n>(PLEX_N - 1) / 2 ? same[PLEX_N - 1 - n] - other[PLEX_N - 1 - n]
                                                                  : same[n];
  }
#else
  plex_real sum[PLEX_N] = {};

  template <bool derivative>
  __device__ __forceinline__ void add(const plex_real in[PLEX_Q])
  {
    const plex_real *T = derivative ? plex_stored_G : plex_stored_B;

    _Pragma("unroll")
    for (int n = 0; n < PLEX_N; ++n) _Pragma("unroll")
    for (int q = 0; q < PLEX_Q; ++q) sum[n] += T[n * PLEX_Q + q] * in[q];
  }
  __device__ __forceinline__ plex_real get(int n) const { return sum[n]; }
#endif
};

// Values at points of a line's nodes
PLEX_DEVICE void plex_lines_values(const PlexHalves<PLEX_N> &in, const plex_real v[PLEX_N], plex_real out[PLEX_Q])
{
#if PLEX_STORED_COLLOCATED
  _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) out[q] = v[q];
#else
  plex_lines_forth<false>(in, out);
#endif
}

// out = B v + G d, each where it is used
template <bool values, bool derivatives>
PLEX_DEVICE void plex_lines_back(const plex_real v[PLEX_Q], const plex_real d[PLEX_Q], plex_real out[PLEX_N])
{
  PlexBack sums;

  if (derivatives) sums.add<true>(d);
  if (values && !PLEX_STORED_COLLOCATED) sums.add<false>(v);
  _Pragma("unroll")
  for (int n = 0; n < PLEX_N; ++n) {
    out[n] = sums.get(n);
    if (values && PLEX_STORED_COLLOCATED) out[n] += v[n];
  }
}

template <int count>
PLEX_DEVICE void plex_lines_read(const plex_real *from, int stride, plex_real v[count])
{
  _Pragma("unroll")
  for (int k = 0; k < count; ++k) v[k] = from[k * stride];
}
template <int count>
PLEX_DEVICE void plex_lines_write(const plex_real v[count], int stride, plex_real *to)
{
  _Pragma("unroll")
  for (int k = 0; k < count; ++k) to[k * stride] = v[k];
}

// ---- Lines along x, of nodes

// A thread's line
struct PlexLine {
  bool       active;
  const int *dof; // of component c of node x at [c + x * stride]
  plex_real *at;  // its first point in A of component 0

  static const int stride = PLEX_FIRST * PLEX_NC * PLEX_STORED_COPIES;

  __device__ __forceinline__ PlexLine(const PlexStoredArgs &args, plex_real *shared, int p, int past)
  {
    const int line = (int)threadIdx.x / PLEX_STORED_COPIES, copy = (int)threadIdx.x % PLEX_STORED_COPIES;
    const int element = line / PLEX_FIRST, t = line % PLEX_FIRST;

    active = element < PLEX_STORED_ELEMENTS && p + element < past;
    dof    = args.targets + (plex_index)(p + element) * PLEX_EF + t * (PLEX_NC * PLEX_STORED_COPIES) + copy;
    at     = shared + (element * PLEX_STORED_COPIES + copy) * PLEX_STORED_TEAM +
             (PLEX_DIM == 3 ? t / PLEX_N * PLEX_STORED_ROW + t % PLEX_N : t);
  }
};

PLEX_DEVICE void plex_lines_first(const PlexStoredArgs &args, const PlexLine &line)
{
  if (!line.active) return;
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real *to = line.at + c * PLEX_ARRAY, v[PLEX_N], sums[PLEX_Q];

    _Pragma("unroll")
    for (int x = 0; x < PLEX_N; ++x) v[x] = plex_stored_load(args, line.dof[c + x * PlexLine::stride]);
    const PlexHalves<PLEX_N> halves(v);

    plex_lines_values(halves, v, sums);
    plex_lines_write<PLEX_Q>(sums, PLEX_STORED_PLANE, to);
    if (!PLEX_IN(1)) continue;
    plex_lines_forth<true>(halves, sums);
    plex_lines_write<PLEX_Q>(sums, PLEX_STORED_PLANE, to + PLEX_NC * PLEX_ARRAY);
  }
}

PLEX_DEVICE void plex_lines_last(const PlexStoredArgs &args, const PlexLine &line)
{
  if (!line.active) return;
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    const plex_real *from = line.at + c * PLEX_ARRAY;
    plex_real        v[PLEX_Q], d[PLEX_Q], sums[PLEX_N];
    int              dof[PLEX_N];

    _Pragma("unroll")
    for (int x = 0; x < PLEX_N; ++x) dof[x] = line.dof[c + x * PlexLine::stride];
    plex_lines_read<PLEX_Q>(from, PLEX_STORED_PLANE, v);
    if (PLEX_BACK(1)) plex_lines_read<PLEX_Q>(from + PLEX_NC * PLEX_ARRAY, PLEX_STORED_PLANE, d);
    plex_lines_back<true, PLEX_BACK(1)>(v, d, sums);
    _Pragma("unroll")
    for (int x = 0; x < PLEX_N; ++x) plex_stored_add(args, dof[x], sums[x]);
  }
}

// ---- Lines along y, in three dimensions

#if PLEX_DIM == 3
// A thread's, or NULL
PLEX_DEVICE plex_real *plex_lines_middle(plex_real *shared)
{
  const int team = (int)threadIdx.x / (PLEX_Q * PLEX_N), t = (int)threadIdx.x % (PLEX_Q * PLEX_N);

  return team < PLEX_PARTS ? shared + team * PLEX_STORED_TEAM + t / PLEX_N * PLEX_STORED_PLANE + t % PLEX_N : NULL;
}

PLEX_DEVICE void plex_lines_second(plex_real *at)
{
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real *A = at + c * PLEX_ARRAY, *H = A + PLEX_NC * PLEX_ARRAY, *K = H + PLEX_NC * PLEX_ARRAY;
    plex_real  v[PLEX_N], sums[PLEX_Q];

    if (PLEX_IN(1) || !PLEX_STORED_COLLOCATED) {
      plex_lines_read<PLEX_N>(A, PLEX_STORED_ROW, v);
      const PlexHalves<PLEX_N> halves(v);

      if (!PLEX_STORED_COLLOCATED) {
        plex_lines_values(halves, v, sums);
        plex_lines_write<PLEX_Q>(sums, PLEX_STORED_ROW, A);
      }
      if (PLEX_IN(1)) {
        plex_lines_forth<true>(halves, sums);
        plex_lines_write<PLEX_Q>(sums, PLEX_STORED_ROW, K);
      }
    }
    if (PLEX_IN(1) && !PLEX_STORED_COLLOCATED) {
      plex_lines_read<PLEX_N>(H, PLEX_STORED_ROW, v);
      plex_lines_values(PlexHalves<PLEX_N>(v), v, sums);
      plex_lines_write<PLEX_Q>(sums, PLEX_STORED_ROW, H);
    }
  }
}

PLEX_DEVICE void plex_lines_second_back(plex_real *at)
{
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real *A = at + c * PLEX_ARRAY, *H = A + PLEX_NC * PLEX_ARRAY, *K = H + PLEX_NC * PLEX_ARRAY;
    plex_real  v[PLEX_Q], d[PLEX_Q], sums[PLEX_N];

    if (PLEX_BACK(1) || !PLEX_STORED_COLLOCATED) {
      plex_lines_read<PLEX_Q>(A, PLEX_STORED_ROW, v);
      if (PLEX_BACK(1)) plex_lines_read<PLEX_Q>(K, PLEX_STORED_ROW, d);
      plex_lines_back<true, PLEX_BACK(1)>(v, d, sums);
      plex_lines_write<PLEX_N>(sums, PLEX_STORED_ROW, A);
    }
    if (PLEX_BACK(1) && !PLEX_STORED_COLLOCATED) {
      plex_lines_read<PLEX_Q>(H, PLEX_STORED_ROW, v);
      plex_lines_back<true, false>(v, v, sums);
      plex_lines_write<PLEX_N>(sums, PLEX_STORED_ROW, H);
    }
  }
}
#endif

// ---- Lines along the last direction, of points

// What is kept of the points of a line, from the first on
struct PlexAhead {
  const plex_real *from;
  plex_real        kept[PLEX_AHEAD ? PLEX_AHEAD : 1][PLEX_STORED_NUMBERS];

  __device__ __forceinline__ plex_real read(int q, int k) const
  {
    const plex_real *at = from + (q * PLEX_STORED_NUMBERS + k) * (PLEX_STORED_ELEMENTS * PLEX_S);

    return PLEX_STORED_COPIES > 1 ? *at : __ldcs(at); // of copies from the cache, else it is read once
  }
  __device__ __forceinline__ void keep(int q)
  {
    if (PLEX_AHEAD == 0 || q >= PLEX_Q) return;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_STORED_NUMBERS; ++k) kept[q % (PLEX_AHEAD ? PLEX_AHEAD : 1)][k] = read(q, k);
  }
  __device__ __forceinline__ plex_real get(int q, int k) const
  {
    return PLEX_AHEAD ? kept[q % (PLEX_AHEAD ? PLEX_AHEAD : 1)][k] : read(q, k);
  }
};

// A thread's line of points along the last direction: jets, C times them, and what goes back
PLEX_DEVICE void plex_lines_points(plex_real *at, PlexAhead &C, const PlexStoredPhysical &physical)
{
  plex_real U[PLEX_NC][1 + PLEX_DIM][PLEX_Q];

  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real v[PLEX_N];

    plex_lines_read<PLEX_N>(at + c * PLEX_ARRAY, 1, v);
    const PlexHalves<PLEX_N> halves(v);

    if (PLEX_IN(0)) plex_lines_values(halves, v, U[c][0]);
    if (!PLEX_IN(1)) continue;
    plex_lines_forth<true>(halves, U[c][PLEX_DIM]);
    _Pragma("unroll")
    for (int a = 1; a < PLEX_DIM; ++a) {
      plex_lines_read<PLEX_N>(at + (a * PLEX_NC + c) * PLEX_ARRAY, 1, v);
      plex_lines_values(PlexHalves<PLEX_N>(v), v, U[c][a]);
    }
  }
  _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) {
    plex_real in[PLEX_JETS], out[PLEX_JETS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_JETS; ++k)
      in[k] = PLEX_IN(k % (1 + PLEX_DIM)) ? U[k / (1 + PLEX_DIM)][k % (1 + PLEX_DIM)][q] : (plex_real)0;
    plex_stored_multiply([&](int k) { return C.get(q, k); }, physical, in, out);
    C.keep(q + (PLEX_AHEAD ? PLEX_AHEAD : PLEX_Q));
    _Pragma("unroll")
    for (int k = 0; k < PLEX_JETS; ++k) U[k / (1 + PLEX_DIM)][k % (1 + PLEX_DIM)][q] = out[k];
  }
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real sums[PLEX_N];

    plex_lines_back<PLEX_BACK(0), PLEX_BACK(1)>(U[c][0], U[c][PLEX_DIM], sums);
    plex_lines_write<PLEX_N>(sums, 1, at + c * PLEX_ARRAY);
    if (!PLEX_BACK(1)) continue;
    _Pragma("unroll")
    for (int a = 1; a < PLEX_DIM; ++a) {
      plex_lines_back<true, false>(U[c][a], U[c][a], sums);
      plex_lines_write<PLEX_N>(sums, 1, at + (a * PLEX_NC + c) * PLEX_ARRAY);
    }
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BOUNDS)
  plex_apply(PlexStoredArgs args, int first, int n, PlexStoredPhysical physical)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  const int      p = first + (int)blockIdx.x * PLEX_STORED_ELEMENTS, team = (int)threadIdx.x / PLEX_S,
                 t      = (int)threadIdx.x % PLEX_S;
  const bool     active = team < PLEX_PARTS;
  const PlexLine line(args, shared, p, first + n);
  PlexAhead      C;

  C.from = (const plex_real *)args.C +
           (plex_index)(p / PLEX_STORED_ELEMENTS) * PLEX_ALL * PLEX_STORED_NUMBERS * PLEX_STORED_ELEMENTS +
           team / PLEX_STORED_COPIES * PLEX_S + t;
  if (active) {
    _Pragma("unroll")
    for (int q = 0; q < PLEX_AHEAD; ++q) C.keep(q);
  }
  plex_lines_first(args, line);
  __syncthreads();
#if PLEX_DIM == 3
  plex_real *const middle = plex_lines_middle(shared);

  if (middle) plex_lines_second(middle);
  __syncthreads();
#endif
  if (active)
    plex_lines_points(shared + team * PLEX_STORED_TEAM +
                        (PLEX_DIM == 3 ? t / PLEX_Q * PLEX_STORED_PLANE + t % PLEX_Q * PLEX_STORED_ROW
                                       : t * PLEX_STORED_PLANE),
                      C, physical);
  __syncthreads();
#if PLEX_DIM == 3
  if (middle) plex_lines_second_back(middle);
  __syncthreads();
#endif
  plex_lines_last(args, line);
}
PLEX_EXPORT_KERNEL(plex_apply)
