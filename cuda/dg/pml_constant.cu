// A perfectly matched layer in its elements of constant rates: a pass of its own, where a stage's kernel does not have it.
// A thread has a field of a node.
//
// In double precision a stage reads and writes each variable and its residual, 32 bytes, and reads the state and reads and
// writes its residual, 24 bytes, of each node and field: 56 NP NF bytes of one axis, 16 NP NF more in the first stage alone,
// and 8 flops a variable. With six fields an element moves, for N = 1 ... 6, 1.3, 3.4, 6.7, 11.8, 18.8 and 28.2 kB.
//
// Sizes: PLEX_SINGLE, PLEX_PML_NP, PLEX_PML_NF.
#include "../plex.cuh"

#include "pml_variables.cuh"
#include "pml_constant.h"

template <class S>
PLEX_DEVICE void plex_pml_node(const PlexDGPMLConstantArgs &args, const PlexDGPMLStage &s, long long k)
{
  constexpr int       each = PLEX_PML_NF * PLEX_PML_NP;
  const PlexDGPMLItem item = args.items[k / each];
  const int           r = (int)(k % each), f = r / PLEX_PML_NP, n = plex_pml_sections_of(item.sections, f);
  const plex_index    at    = (plex_index)item.element * each + r;
  const long long     place = plex_pml_place(item, PLEX_PML_NP, f, r - f * PLEX_PML_NP);
  const plex_real    *c     = (const plex_real *)args.numbers + (item.row * PLEX_PML_NF + f) * (PLEX_PML_SECTIONS * 2);
  plex_real           add;

  if (!n) return;
  add = plex_pml_constant(&s, c, n, PLEX_PML_NP, place, plex_pml_get(&s, s.values, place), plex_pml_before(&s, place),
                          (plex_real)((const S *)s.u)[at]);
  if (!s.r) return;
  add *= (plex_real)s.factor;
  ((S *)s.r)[at] = (S)((plex_real)((S *)s.r)[at] + add);
  if (s.next) ((S *)s.next)[at] = (S)((plex_real)((S *)s.next)[at] + (plex_real)s.weight * add);
}

extern "C" __global__ void __launch_bounds__(128) plex_dg_pml_constant(PlexDGPMLConstantArgs args, PlexDGPMLStage stage)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k >= args.n * (PLEX_PML_NF * PLEX_PML_NP)) return;
#if PLEX_SINGLE
  if (stage.single) plex_pml_node<float>(args, stage, k);
  else
#endif
    plex_pml_node<double>(args, stage, k);
}
PLEX_EXPORT_KERNEL(plex_dg_pml_constant)
