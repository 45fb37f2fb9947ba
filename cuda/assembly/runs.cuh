// Elements in runs of 32: a warp computes one run after the other. Meanwhile it copies the data of the next two runs to
// shared memory. Warps do not wait for each other.
//
// A run is described in runs_args.h. A warp has PLEX_RUN_SHARED bytes of its block's shared memory, for
//
//   PLEX_RUN_RECORDS records of runs
//   PLEX_RUN_VALUES times nodal values: coordinates, solution and, if it is used, its time derivative
#pragma once

#include "assembly/async.cuh"
#include "assembly/blocks.cuh"
#include "assembly/runs_args.h"

#define PLEX_RUN_RECORDS 3 // of this run, of the next one, and one that is being copied
#define PLEX_RUN_VALUES  2
#define PLEX_RUN_K       (PLEX_NV + PLEX_EF)
#define PLEX_RUN_CONN    (16 + 4 * (PLEX_RUN_NODES + PLEX_RUN_DOFS)) // bytes of a record before the elements' numbers
#define PLEX_RUN_RECORD  (PLEX_RUN_CONN + 2 * PLEX_RUN * PLEX_RUN_K)
#define PLEX_RUN_VALUE   (8 * (PLEX_RUN_NODES * PLEX_DIM + 2 * PLEX_RUN_DOFS))
#define PLEX_RUN_SHARED  (PLEX_RUN_RECORDS * PLEX_RUN_RECORD + PLEX_RUN_VALUES * PLEX_RUN_VALUE)

#define PLEX_RUN_PADDING 0xffff

// Record and nodal values of the warp's run k in its shared memory
PLEX_DEVICE char *plex_run_record(char *warpShared, int k)
{
  return warpShared + k % PLEX_RUN_RECORDS * PLEX_RUN_RECORD;
}
PLEX_DEVICE double *plex_run_values(char *warpShared, int k)
{
  return (double *)(warpShared + PLEX_RUN_RECORDS * PLEX_RUN_RECORD + k % PLEX_RUN_VALUES * PLEX_RUN_VALUE);
}

// Begins to copy the record of a run, which is the warp's run k
PLEX_DEVICE void plex_run_copy_record(const PlexRunsArgs &runs, int run, char *warpShared, int k)
{
  const int   lane = threadIdx.x % 32;
  char       *to   = plex_run_record(warpShared, k);
  const char *from = runs.records + (plex_index)run * PLEX_RUN_RECORD;

  if (run < runs.runs) {
    _Pragma("unroll")
    for (int m = 0; m < PLEX_RUN_RECORD / 16; m += 32)
      if (m + lane < PLEX_RUN_RECORD / 16) plex_copy_line(to + 16 * (m + lane), from + 16 * (m + lane));
  }
  plex_copy_batch();
}

// Begins to copy the nodal values that the record of the warp's run k lists
PLEX_DEVICE void plex_run_copy_values(const PlexArgs &args, char *warpShared, int k)
{
  const int  lane = threadIdx.x % 32;
  const int *head = (const int *)plex_run_record(warpShared, k), *nodes = head + 4, *dofs = nodes + PLEX_RUN_NODES;
  double    *x = plex_run_values(warpShared, k), *u = x + PLEX_RUN_NODES * PLEX_DIM;

  _Pragma("unroll 4")
  for (int m = lane; m < head[0] * PLEX_DIM; m += 32)
    plex_copy_piece<8>(&x[m], &args.x[(plex_index)nodes[m / PLEX_DIM] * PLEX_DIM + m % PLEX_DIM]);
#if PLEX_SOLUTION
  _Pragma("unroll 4")
  for (int m = lane; m < head[1]; m += 32) {
    plex_copy_piece<8>(&u[m], &args.u[dofs[m]]);
    if (args.u_t) plex_copy_piece<8>(&u[PLEX_RUN_DOFS + m], &args.u_t[dofs[m]]);
  }
#endif
  plex_copy_batch();
}

// Loads the lane's element of the warp's run k; padding is the run's first element
PLEX_DEVICE void plex_run_load(const PlexArgs &args, const PlexRunsArgs &runs, int run, char *warpShared, int k,
                               PlexNodal &nodal)
{
  const unsigned short *conn = (const unsigned short *)(plex_run_record(warpShared, k) + PLEX_RUN_CONN);
  const int             lane = conn[threadIdx.x % 32] == PLEX_RUN_PADDING ? 0 : (int)threadIdx.x % 32;
  const double         *x = plex_run_values(warpShared, k), *u = x + PLEX_RUN_NODES * PLEX_DIM;

#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, runs.elements[run * PLEX_RUN + lane]);
#endif
  conn += lane;
  _Pragma("unroll")
  for (int m = 0; m < PLEX_NV * PLEX_DIM; ++m)
    nodal.x[m] = (plex_real)x[(int)conn[m / PLEX_DIM * PLEX_RUN] * PLEX_DIM + m % PLEX_DIM];
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int m = 0; m < PLEX_EF; ++m) nodal.u[m] = (plex_real)u[conn[(PLEX_NV + m) * PLEX_RUN]];
  if (args.u_t) {
    _Pragma("unroll")
    for (int m = 0; m < PLEX_EF; ++m) nodal.ut[m] = (plex_real)u[PLEX_RUN_DOFS + conn[(PLEX_NV + m) * PLEX_RUN]];
  }
#endif
}

// Computes all runs of the warp: calls compute(run, k), with run the warp's run k
template <class Compute>
PLEX_DEVICE void plex_runs(const PlexArgs &args, const PlexRunsArgs &runs, char *warpShared, Compute compute)
{
  const int first = blockIdx.x * (PLEX_BLOCK / 32) + plex_warp(), step = gridDim.x * (PLEX_BLOCK / 32);

  if (first >= runs.runs) return;
  plex_run_copy_record(runs, first, warpShared, 0);
  plex_run_copy_record(runs, first + step, warpShared, 1);
  plex_copy_wait<1>();
  plex_lanes_sync();
  plex_run_copy_values(args, warpShared, 0);
  _Pragma("unroll 1")
  for (int k = 0, run = first; run < runs.runs; ++k, run += step) {
    plex_run_copy_record(runs, run + 2 * step, warpShared, k + 2);
    plex_copy_wait<1>(); // for the next run's record, and this run's nodal values
    plex_lanes_sync();
    if (run + step < runs.runs) plex_run_copy_values(args, warpShared, k + 1);
    else plex_copy_batch();
    compute(run, k);
  }
}
