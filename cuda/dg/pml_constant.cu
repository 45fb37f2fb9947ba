// A perfectly matched layer in its elements of constant rates: a pass of its own, where a stage's kernel does not have it.
// A thread has all fields of a node, and asks for all its numbers before it uses the first one.
//
// In double precision a stage reads and writes each variable and its residual, 32 bytes, and reads the state and reads and
// writes its residual, 24 bytes, of each node and field: 56 NP NF bytes of one axis, 16 NP NF more in the first stage alone,
// and 8 flops a variable. With six fields an element moves, for N = 1 ... 6, 1.3, 3.4, 6.7, 11.8, 18.8 and 28.2 kB.
//
// Sizes: PLEX_SINGLE, PLEX_PML_NP, PLEX_PML_NF.
#include "../plex.cuh"

#define PLEX_PML_MOST   PLEX_PML_NF
#define PLEX_PML_UNROLL _Pragma("unroll")
#include "pml_variables.cuh"
#include "pml_constant.h"

template <class S>
PLEX_DEVICE void plex_pml_node(const PlexDGPMLConstantArgs &args, const PlexDGPMLStage &s, long long k)
{
  const PlexDGPMLItem item = args.items[k / PLEX_PML_NP];
  const int           i    = (int)(k % PLEX_PML_NP);
  const plex_index    at   = (plex_index)item.element * (PLEX_PML_NF * PLEX_PML_NP) + i;
  plex_real           u[PLEX_PML_NF], r[PLEX_PML_NF], rate[PLEX_PML_NF] = {};

  _Pragma("unroll")
  for (int f = 0; f < PLEX_PML_NF; ++f) u[f] = (plex_real)((const S *)s.u)[at + f * PLEX_PML_NP];
  if (s.r) {
    _Pragma("unroll")
    for (int f = 0; f < PLEX_PML_NF; ++f) r[f] = (plex_real)((const S *)s.r)[at + f * PLEX_PML_NP];
  }
  plex_pml_constant(&s, item, (const plex_real *)args.numbers, args.axes, args.alpha, PLEX_PML_NF, PLEX_PML_NP, i, u,
                    rate);
  if (!s.r) return;
  _Pragma("unroll")
  for (int f = 0; f < PLEX_PML_NF; ++f) {
    const plex_real add  = (plex_real)s.factor * rate[f];
    S              *next = (S *)s.next + at + f * PLEX_PML_NP;

    ((S *)s.r)[at + f * PLEX_PML_NP] = (S)(r[f] + add);
    if (s.next) *next = (S)((plex_real)*next + (plex_real)s.weight * add);
  }
}

extern "C" __global__ void __launch_bounds__(128) plex_dg_pml_constant(PlexDGPMLConstantArgs args, PlexDGPMLStage stage)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k >= args.n * PLEX_PML_NP) return;
#if PLEX_SINGLE
  if (stage.single) plex_pml_node<float>(args, stage, k);
  else
#endif
    plex_pml_node<double>(args, stage, k);
}
PLEX_EXPORT_KERNEL(plex_dg_pml_constant)
