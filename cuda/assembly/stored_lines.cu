// Products of a Jacobian at a state with vectors, with stored coefficients, on quadrilaterals and hexahedra whose basis is a
// product of functions of one coordinate: N nodes and Q >= N points along a line. With B [N][Q] values of these functions
// and D [Q][Q] derivatives of the polynomials of the points,
//
//   X = (B x B x B) v,   U = (X, D_x X, D_y X, D_z X),   V = C U,   F += (B x B x B)^T (V_0 + D_x^T V_x + ...)
//
// one direction after the other: 12 Q^4 multiplications a component of a hexahedron in the place of 6 Q^6 (N = Q).
//
// Where the points are the nodes B is the identity and left out. A field whose components have each the same C is as many
// scalar ones, next to each other in a block, so that C is read once.
//
// A thread has a line of nodes and points along x in registers, of an element's slab (y, z), Q^2 of them, or Q in two
// dimensions; a block PLEX_STORED_ELEMENTS elements and their copies. Sums along x are in registers, sums along y and z by way of shared
// memory, (1 + slab directions) NC Q^dim numbers an element. All threads of a block come to all barriers.
//
// An element reads 4 EF bytes of dofs, 8 n Q^dim of C, neighbouring threads neighbouring numbers, 8 EF of v, and adds 8 EF.
#include "assembly/stored.cuh"

#define PLEX_N       PLEX_STORED_NODES
#define PLEX_Q       PLEX_STORED_LINE
#define PLEX_S       PLEX_STORED_SLAB // Q^(dim - 1)
#define PLEX_ALL     (PLEX_Q * PLEX_S)
#define PLEX_IN(a)   plex_stored_uses(plex_stored_in(0), a)
#define PLEX_BACK(a) plex_stored_uses(plex_stored_back(0), a)

// Numbers of an element in shared memory: [NC][Q][S], values and then what is derived along y, z, or intermediate sums
struct PlexLines {
  plex_real *X, *Y, *Z; // in two dimensions Y is not there
  plex_real *B, *D;     // tables, of the block
  int        y, z, copy;

  // Numbers of a table in shared memory that a thread needs for all slabs: M of them, `stride` apart
  template <int M>
  __device__ __forceinline__ void load(const plex_real *table, int stride, plex_real T[]) const
  {
    _Pragma("unroll")
    for (int m = 0; m < M; ++m) T[m] = table[m * stride];
  }
  // Sum over the line along y (or z) through the thread's place in slab x of a: sum_m T[m] a[..m..]
  template <bool isY, int M>
  __device__ __forceinline__ plex_real along(const plex_real *a, int x, const plex_real T[]) const
  {
    plex_real sum = 0;

    _Pragma("unroll")
    for (int m = 0; m < M; ++m) sum += T[m] * a[x * PLEX_S + (isY ? m * PLEX_Q + z : y * PLEX_Q + m)];
    return sum;
  }
};

// Place of a dof of a thread's line, of component c. dofs: [N^dim][components]
PLEX_DEVICE int plex_lines_dof(const PlexLines &s, int c, int x)
{
  const int node = (PLEX_DIM == 3 ? (x * PLEX_N + s.y) * PLEX_N : x * PLEX_N) + s.z;

  return node * (PLEX_NC * PLEX_STORED_COPIES) + s.copy + c;
}

// X = (B x B x B) v, in registers r[c][x] and in s.X; ends with a barrier
PLEX_DEVICE void plex_lines_forth(const PlexStoredArgs &args, const PlexLines &s, const int *dofs, bool active,
                                  bool node, int t, plex_real r[PLEX_NC][PLEX_Q])
{
#if !PLEX_STORED_COLLOCATED
  plex_real *to = PLEX_DIM == 3 ? s.Y : s.X, T[PLEX_N];
#endif

  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    plex_real v[PLEX_N];

    _Pragma("unroll")
    for (int x = 0; x < PLEX_N; ++x)
      v[x] = active && node ? plex_stored_load(args, dofs[plex_lines_dof(s, c, x)]) : (plex_real)0;
#if PLEX_STORED_COLLOCATED
    _Pragma("unroll")
    for (int q = 0; q < PLEX_Q; ++q) {
      r[c][q] = v[q];
      if (active) s.X[(c * PLEX_Q + q) * PLEX_S + t] = v[q];
    }
  }
  __syncthreads();
}
#else
    _Pragma("unroll")
    for (int q = 0; q < PLEX_Q; ++q) {
      r[c][q] = 0;
      _Pragma("unroll")
      for (int x = 0; x < PLEX_N; ++x) r[c][q] += plex_stored_B[x * PLEX_Q + q] * v[x];
      if (active) s.Z[(c * PLEX_Q + q) * PLEX_S + t] = r[c][q];
    }
  }
  __syncthreads();
  s.load<PLEX_N>(s.B + s.z, PLEX_Q, T);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC * PLEX_Q; ++k)
    if (active) to[k * PLEX_S + t] = s.along<false, PLEX_N>(s.Z, k, T);
  __syncthreads();
  #if PLEX_DIM == 3
  s.load<PLEX_N>(s.B + s.y, PLEX_Q, T);
  #endif
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) {
    const int k = c * PLEX_Q + q;

    if (!active) continue;
  #if PLEX_DIM == 3
    r[c][q]             = s.along<true, PLEX_N>(s.Y, k, T);
    s.X[k * PLEX_S + t] = r[c][q];
  #else
    r[c][q] = s.X[k * PLEX_S + t];
  #endif
  }
  __syncthreads();
}
#endif

// V = C U of the thread's points, and what goes back along x: out[c][x]; along y and z to s.Y and s.Z
PLEX_DEVICE void plex_lines_points(const PlexLines &s, const plex_real *C, bool active, int t,
                                   const plex_real r[PLEX_NC][PLEX_Q], plex_real out[PLEX_NC][PLEX_Q])
{
  plex_real Dy[PLEX_Q], Dz[PLEX_Q];

  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) out[c][q] = 0;
  if (!active) return;
  s.load<PLEX_Q>(s.D + s.y * PLEX_Q, 1, Dy);
  s.load<PLEX_Q>(s.D + s.z * PLEX_Q, 1, Dz);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) {
    plex_real U[PLEX_JETS], V[PLEX_JETS];

    _Pragma("unroll")
    for (int c = 0; c < PLEX_NC; ++c) {
      plex_real *own = &U[c * (1 + PLEX_DIM)];

      own[0] = r[c][q];
      if (PLEX_IN(1)) {
        own[1] = 0;
        _Pragma("unroll")
        for (int x = 0; x < PLEX_Q; ++x) own[1] += plex_stored_D[q * PLEX_Q + x] * r[c][x];
#if PLEX_DIM == 3
        own[2] = s.along<true, PLEX_Q>(s.X, c * PLEX_Q + q, Dy);
#endif
        own[PLEX_DIM] = s.along<false, PLEX_Q>(s.X, c * PLEX_Q + q, Dz);
      }
    }
    plex_stored_multiply([&](int
                               k) { return C[(plex_index)(q * PLEX_STORED_N + k) * (PLEX_STORED_ELEMENTS * PLEX_S)]; },
                         U, V);
    _Pragma("unroll")
    for (int c = 0; c < PLEX_NC; ++c) {
      const plex_real *own = &V[c * (1 + PLEX_DIM)];

      if (PLEX_BACK(0)) out[c][q] += own[0];
      if (PLEX_BACK(1)) {
        _Pragma("unroll")
        for (int x = 0; x < PLEX_Q; ++x) out[c][x] += plex_stored_D[q * PLEX_Q + x] * own[1];
#if PLEX_DIM == 3
        s.Y[(c * PLEX_Q + q) * PLEX_S + t] = own[2];
#endif
        s.Z[(c * PLEX_Q + q) * PLEX_S + t] = own[PLEX_DIM];
      }
    }
  }
}

// F += (B x B x B)^T of what is at the points
PLEX_DEVICE void plex_lines_back(const PlexStoredArgs &args, const PlexLines &s, const int *dofs, bool active,
                                 bool node, int t, plex_real out[PLEX_NC][PLEX_Q])
{
  plex_real T[PLEX_Q], other[PLEX_Q];

  s.load<PLEX_Q>(s.D + s.y, PLEX_Q, other);
  s.load<PLEX_Q>(s.D + s.z, PLEX_Q, T);
  __syncthreads();
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) _Pragma("unroll")
  for (int q = 0; q < PLEX_Q; ++q) {
    const int k = c * PLEX_Q + q;

    if (!active) continue;
    if (PLEX_BACK(1)) {
#if PLEX_DIM == 3
      out[c][q] += s.along<true, PLEX_Q>(s.Y, k, other);
#endif
      out[c][q] += s.along<false, PLEX_Q>(s.Z, k, T);
    }
#if PLEX_STORED_COLLOCATED
    plex_stored_add(args, dofs[plex_lines_dof(s, c, q)], out[c][q]);
#else
    s.X[k * PLEX_S + t] = out[c][q];
#endif
  }
#if !PLEX_STORED_COLLOCATED
  __syncthreads();
  #if PLEX_DIM == 3
  s.load<PLEX_Q>(s.B + (s.y < PLEX_N ? s.y : 0) * PLEX_Q, 1, T);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC * PLEX_Q; ++k)
    if (active && s.y < PLEX_N) s.Z[k * PLEX_S + t] = s.along<true, PLEX_Q>(s.X, k, T);
  __syncthreads();
  #endif
  if (!active || !node) return;
  s.load<PLEX_Q>(s.B + s.z * PLEX_Q, 1, T);
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) {
    _Pragma("unroll")
    for (int q = 0; q < PLEX_Q; ++q) out[c][q] = s.along<false, PLEX_Q>(PLEX_DIM == 3 ? s.Z : s.X, c * PLEX_Q + q, T);
    _Pragma("unroll")
    for (int x = 0; x < PLEX_N; ++x) {
      plex_real sum = 0;

      _Pragma("unroll")
      for (int q = 0; q < PLEX_Q; ++q) sum += plex_stored_B[x * PLEX_Q + q] * out[c][q];
      plex_stored_add(args, dofs[plex_lines_dof(s, c, x)], sum);
    }
  }
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_apply(PlexStoredArgs args, int first, int n)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  __shared__ plex_real B[PLEX_N * PLEX_Q], D[PLEX_Q * PLEX_Q];
  const int            line = (int)threadIdx.x / PLEX_S, t = (int)threadIdx.x % PLEX_S;
  const int            own = line / PLEX_STORED_COPIES, copy = line % PLEX_STORED_COPIES;
  const int            p      = first + (int)blockIdx.x * PLEX_STORED_ELEMENTS + own;
  const bool           active = own < PLEX_STORED_ELEMENTS && p < first + n;
  const int           *dofs   = args.targets + (plex_index)p * PLEX_EF;
  const plex_real     *C    = (const plex_real *)args.C +
                              (plex_index)(p / PLEX_STORED_ELEMENTS) * PLEX_ALL * PLEX_STORED_N * PLEX_STORED_ELEMENTS +
                              own * PLEX_S + t;
  plex_real           *room = shared + line * (PLEX_DIM * PLEX_NC * PLEX_ALL);
  const PlexLines      s{room,
                         room + PLEX_NC * PLEX_ALL,
                         room + (PLEX_DIM - 1) * PLEX_NC * PLEX_ALL,
                         B,
                         D,
                         PLEX_DIM == 3 ? t / PLEX_Q : 0,
                         t % PLEX_Q,
                         copy};
  const bool           node = s.y < PLEX_N && s.z < PLEX_N;
  plex_real            r[PLEX_NC][PLEX_Q], out[PLEX_NC][PLEX_Q];

  for (int k = (int)threadIdx.x; k < PLEX_N * PLEX_Q; k += PLEX_BLOCK) B[k] = plex_stored_B[k];
  for (int k = (int)threadIdx.x; k < PLEX_Q * PLEX_Q; k += PLEX_BLOCK) D[k] = plex_stored_D[k];
  plex_lines_forth(args, s, dofs, active, node, t, r);
  plex_lines_points(s, C, active, t, r, out);
  plex_lines_back(args, s, dofs, active, node, t, out);
}
PLEX_EXPORT_KERNEL(plex_apply)
