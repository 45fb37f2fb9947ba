// element_color and element_atomic: a team computes an element and adds its data to the matrix or residual at once.
// Colours (one launch each) keep elements that share a dof apart in time; without colours the additions are atomic.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed (Cecka, figure
// 4); -1 marks padding. slots: of a matrix, interleaved, PLEX_EF * PLEX_EF of an element (dm/slots.cu); -1 where a dof
// is constrained. The targets of a residual are the dofs. With NT targets an element reads 4 (NV + EF) bytes of plan, 4
// NT of slots and 8 (dim NV + EF) of nodal data, and reads and writes 8 NT of targets.
//
// Of a residual of larger tensor-product cells (PLEX_LINES_N) a thread computes an element, by sums along lines, with
// nodal data in shared memory.
#define PLEX_K (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS)

#if defined(PLEX_LINES_N)
  #define PLEX_LINES_OWN       1
  #define PLEX_LINES_ELEMENTS  1
  #define PLEX_LINES_SYMMETRIC 0
  #include "assembly/gather.cuh"
  #include "integrate/lines.cuh"
  #include "integrate/lines_vector.cuh"
  #define PLEX_LINES_AREA (PLEX_NV * PLEX_DIM + 2 * PLEX_EF | 1) // numbers of a thread; odd: threads meet in no bank
static_assert(PLEX_LINES_AREA * sizeof(plex_real) == PLEX_WORK, "as src/assembly/impls/element/element.c has it");

// to[n] = from[plan's numbers] of K numbers each: indices first, then all numbers, so that each waits once
template <int n, int K>
PLEX_DEVICE void plex_area_load(const int *plan, const double *from, plex_real *to)
{
  int    id[n];
  double v[n * K];

  _Pragma("unroll")
  for (int m = 0; m < n; ++m) id[m] = plex_read(&plan[m * PLEX_INTERLEAVE]);
  _Pragma("unroll")
  for (int m = 0; m < n * K; ++m) v[m] = plex_read(&from[(plex_index)id[m / K] * K + m % K]);
  plex_reads_end();
  _Pragma("unroll")
  for (int m = 0; m < n * K; ++m) to[m] = (plex_real)v[m];
}
#endif

#if PLEX_UNITS
  #include "integrate/units_vector.cuh"

// Nodal data of the elements of a lane's two rows
struct PlexElementNodal {
  const PlexArgs &args;
  const int      *plan[2];

  __device__ __forceinline__ int       at(int h, int k) const { return plan[h][k * PLEX_INTERLEAVE]; }
  __device__ __forceinline__ plex_real x(int h, int n, int d) const
  {
    return (plex_real)args.x[(plex_index)at(h, n) * PLEX_DIM + d];
  }
  __device__ __forceinline__ plex_real u(int h, int i) const { return (plex_real)args.u[at(h, PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real ut(int h, int i) const { return (plex_real)args.u_t[at(h, PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real aux(int h, int k) const
  {
    return (plex_real)args.aux[args.auxDofs[(plex_index)at(h, PLEX_NV + PLEX_EF) * PLEX_EA + k]];
  }
};
#endif

#if PLEX_UNITS
  #define PLEX_RESIDENT PLEX_UNITS_RESIDENT
#else
  #define PLEX_RESIDENT 1
#endif

PLEX_DEVICE void plex_add(PlexTarget target, int s, plex_real v)
{
  if (s < 0) return;
#if PLEX_ATOMIC
  atomicAdd(&target[s], (plex_scalar)v);
#else
  target[s] += (plex_scalar)v;
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT)
  plex_assemble(PlexArgs args, const int *plan, const int *slots, int first, int n)
{
  const int        p      = first + blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX; // position of this team's element
  const PlexTarget target = plex_target(args);

#if defined(PLEX_LINES_N)
  PLEX_DYNAMIC_SHARED(plex_real, areas);
  plex_real          *x = areas + threadIdx.x * PLEX_LINES_AREA, *u = x + PLEX_NV * PLEX_DIM, *ut = u + PLEX_EF;
  const PlexLineNodal e = {x, u, ut};
  plex_real           F[PLEX_EF];

  if (p >= first + n || plan[plex_interleaved(p, PLEX_K, 0)] < 0) return;
  plex_area_load<PLEX_NV, PLEX_DIM>(&plan[plex_interleaved(p, PLEX_K, 0)], args.x, x);
  plex_area_load<PLEX_EF, 1>(&plan[plex_interleaved(p, PLEX_K, PLEX_NV)], args.u, u);
  if (args.u_t) plex_area_load<PLEX_EF, 1>(&plan[plex_interleaved(p, PLEX_K, PLEX_NV)], args.u_t, ut);
  plex_line_vector(args, e, F);
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_NV + i)], F[i]);
#elif PLEX_UNITS
  const int        begin = first + 16 * (blockIdx.x * (PLEX_BLOCK / 32) + threadIdx.x / 32),
                   row   = begin + threadIdx.x % 32 / 4;
  PlexElementNodal nodal = {
    args,
    {&plan[plex_interleaved(row < first + n ? row : first, PLEX_K, 0)],
      &plan[plex_interleaved(row + 8 < first + n ? row + 8 : first, PLEX_K, 0)]}
  };

  if (begin >= first + n) return;
  plex_units_vector(args, nodal, [&](int h, int i, plex_real v) {
    if (row + 8 * h < first + n) plex_add(target, nodal.at(h, PLEX_NV + i), v);
  });
#else
  PLEX_TEAM_WORK(work);
  if (p >= first + n || plan[plex_interleaved(p, PLEX_K, 0)] < 0) return;
  plex_load_nodal(args, work.nodal, [&](int k) { return plan[plex_interleaved(p, PLEX_K, k)]; });
  plex_element(args, work, [&](int i, int j, plex_real v) {
  #if PLEX_JACOBIAN
    plex_add(target, slots[plex_interleaved(p, PLEX_EF * PLEX_EF, i * PLEX_EF + j)], v);
    if (PLEX_SYMMETRIC && i != j) plex_add(target, slots[plex_interleaved(p, PLEX_EF * PLEX_EF, j * PLEX_EF + i)], v);
  #else
    plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_NV + i)], v);
  #endif
  });
#endif
}
PLEX_EXPORT_KERNEL(plex_assemble)
