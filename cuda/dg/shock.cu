// Shock capturing after a stage. All elements read their state, 8 NF NP bytes, and write a record of 8 (NF + 2 + FACES);
// then read records of neighbours. Those at a shock are read again and written.
#define PLEX_SHOCK_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "shock.h"

// A block copies the state of args.tile elements to shared memory, one behind the other; a thread then has a part of a
// record, in the end an element
extern "C" __global__ void plex_dg_shock_record(PlexDGShockArgs args, const void *u, int single)
{
  PLEX_DYNAMIC_SHARED(double, values);
  const int size = args.NF * args.NP, stride = size | 1, first = (int)blockIdx.x * args.tile,
            count = args.Ne - first < args.tile ? args.Ne - first : args.tile, threads = (int)blockDim.x;
  double   *records = values + args.tile * stride;

  for (int n = (int)threadIdx.x; n < count * size; n += threads)
    values[n / size * stride + n % size] = plex_state_get(u, single, (long long)first * size + n);
  __syncthreads();
  for (int n = (int)threadIdx.x; n < count * (args.RECORD - 1); n += threads) { // two of the parts are one
    const int e = n % count, part = n / count, at = e * stride;
    double   *record = records + e * args.RECORD;

    if (part < args.NF) record[part] = plex_shock_mean(&args, first + e, part, values, 0, at);
    else if (part == args.NF) plex_shock_extremes(&args, values, 0, at, record + args.NF);
    else if (part < args.NF + 1 + args.FACES)
      record[part + 1] = plex_shock_edge(&args, part - args.NF - 1, values, 0, at);
    else record[part + 1] = plex_gas_is_safe(&args, first + e, values, 0, at);
  }
  __syncthreads();
  for (int e = (int)threadIdx.x; e < count; e += threads)
    plex_shock_limited(&args, first + e, records + e * args.RECORD);
  __syncthreads();
  for (int n = (int)threadIdx.x; n < count * args.RECORD; n += threads)
    args.records[(long long)first * args.RECORD + n] = records[n];
}
PLEX_EXPORT_KERNEL(plex_dg_shock_record)

// A thread a trace
extern "C" __global__ void plex_dg_shock_pack(PlexDGShockArgs args, int rings)
{
  const int g = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (g < args.nghosts) plex_shock_pack(&args, g, rings);
}
PLEX_EXPORT_KERNEL(plex_dg_shock_pack)

// A thread an element
extern "C" __global__ void plex_dg_shock_limit(PlexDGShockArgs args, void *u, int single)
{
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (e < args.Ne) plex_shock_limit(&args, e, u, single);
}
PLEX_EXPORT_KERNEL(plex_dg_shock_limit)
