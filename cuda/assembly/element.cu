// element_color and element_atomic: a team computes an element and adds its data to the matrix or residual at once.
// Colours (one launch each) keep elements that share a dof apart in time; without colours the additions are atomic.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed (Cecka, figure
// 4); -1 marks padding. slots: of a matrix, interleaved, PLEX_EF * PLEX_EF of an element (dm/slots.cu); -1 where a dof
// is constrained. The targets of a residual are the dofs. With NT targets an element reads 4 (NV + EF) bytes of plan, 4
// NT of slots and 8 (dim NV + EF) of nodal data, and reads and writes 8 NT of targets.
//
// An integrator may compute them in another way than a team each: integrate/teams.cuh.
#include "integrate/teams.cuh"

#define PLEX_K (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS)
#ifndef PLEX_ELEMENTS_RESIDENT
  #define PLEX_ELEMENTS_RESIDENT 1
#endif

// An element, whose nodal data are in global memory
struct PlexPlannedElement {
  const PlexArgs &args;
  const int      *conn;
  int             p; // its position

  __device__ __forceinline__ int       at(int k) const { return conn[k * PLEX_INTERLEAVE]; }
  __device__ __forceinline__ bool      padding() const { return at(0) < 0; }
  __device__ __forceinline__ plex_real x(int n, int d) const
  {
    return (plex_real)args.x[(plex_index)at(n) * PLEX_DIM + d];
  }
  __device__ __forceinline__ plex_real u(int i) const { return (plex_real)args.u[at(PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real ut(int i) const { return (plex_real)args.u_t[at(PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real aux(int k) const
  {
    return (plex_real)args.aux[args.auxDofs[(plex_index)at(PLEX_NV + PLEX_EF) * PLEX_EA + k]];
  }
  __device__ __forceinline__ void load(PlexNodal &nodal) const
  {
    plex_load_nodal(args, nodal, [&](int k) { return at(k); });
  }
};

PLEX_DEVICE void plex_add(PlexTarget target, int s, plex_real v)
{
  if (s < 0) return;
#if PLEX_ATOMIC
  atomicAdd(&target[s], (plex_scalar)v);
#else
  target[s] += (plex_scalar)v;
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_ELEMENTS_RESIDENT)
  plex_assemble(PlexArgs args, const int *plan, const int *slots, int first, int n)
{
  const int        begin  = first + blockIdx.x * PLEX_ELEMENTS + PLEX_ELEMENTS_FIRST;
  const PlexTarget target = plex_target(args);
  const auto       at     = [&](int p) { return PlexPlannedElement{args, &plan[plex_interleaved(p, PLEX_K, 0)], p}; };

  if (begin >= first + n || at(begin).padding()) return;
  plex_elements(args, at, begin, first + n, [&](const PlexPlannedElement &e, int i, int j, plex_real v) {
#if PLEX_JACOBIAN
    plex_add(target, slots[plex_interleaved(e.p, PLEX_EF * PLEX_EF, i * PLEX_EF + j)], v);
    if (PLEX_SYMMETRIC && i != j) plex_add(target, slots[plex_interleaved(e.p, PLEX_EF * PLEX_EF, j * PLEX_EF + i)], v);
#else
    plex_add(target, e.at(PLEX_NV + i), v);
#endif
  });
}
PLEX_EXPORT_KERNEL(plex_assemble)
