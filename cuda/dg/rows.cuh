// Rows of elements in shared memory that tensor cores multiply, and the numbers of the states that come there.
// PLEX_DG_STAGE: the kernel is one of a low-storage scheme's stages, whose states are in the operator's precision.
#pragma once

#include "stage.cuh"
#include "unit.cuh"

#define PLEX_DG_STEPS(n) (((n) + PLEX_UNIT_K - 1) / PLEX_UNIT_K)

// Distance of an element's rows in shared memory, at least n and a multiple of PLEX_UNIT_K: a warp reads 8 rows of 4
// numbers without conflicts of banks where it is an odd multiple of 4
static __device__ constexpr int plex_dg_stride(int n)
{
  n = PLEX_DG_STEPS(n) * PLEX_UNIT_K;
  return n / 4 % 2 ? n : n + 4;
}
