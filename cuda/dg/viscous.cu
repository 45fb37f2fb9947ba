// Viscous fluxes after a right-hand side or a stage: src/dg/interface/viscous.c, viscous.h. In double precision, whatever
// the operator's is.
//
// A block has `elements` elements, `threads` threads each, and a->work numbers of shared memory for each. Of an element
// the first step reads 8 NF NP bytes and writes 8 NV NP; the second reads these, those of the neighbours' traces, and
// 8 NF NP, and writes 8 NV DIM NP; the third reads all of that and adds to 8 NV NP.
#include "dg.cuh"

#define PLEX_VISCOUS_SYNC() __syncthreads()
#include "viscous.h"

extern "C" __global__ void plex_dg_viscous(PlexDGViscousArgs args, PlexDGViscousStage stage, int step, int threads)
{
  PLEX_DYNAMIC_SHARED(double, work);
  const int place = (int)threadIdx.x / threads, e = (int)(blockIdx.x * (blockDim.x / threads)) + place;

  plex_viscous_step(&args, &stage, step, e < args.Ne ? e : 0, e < args.Ne ? (int)threadIdx.x % threads : 1 << 30,
                    threads, work + place * args.work);
}
PLEX_EXPORT_KERNEL(plex_dg_viscous)

// A thread a trace
extern "C" __global__ void plex_dg_viscous_pack(PlexDGViscousArgs args, int which)
{
  const int g = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (g < args.nghosts) plex_viscous_pack(&args, g, which);
}
PLEX_EXPORT_KERNEL(plex_dg_viscous_pack)
