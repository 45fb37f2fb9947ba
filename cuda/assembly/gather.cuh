// What a block of threads gathers in shared memory, several numbers of a thread on their way together.
#pragma once

#define PLEX_FETCHED 4 // numbers that a thread has on their way together

// to[k] = from[ids[k]] of K numbers each, by all threads of the block
template <int K>
PLEX_DEVICE void plex_gather(int n, const int *ids, const double *from, plex_real *to)
{
  for (int first = threadIdx.x; first < n; first += PLEX_FETCHED * PLEX_BLOCK) {
    plex_index id[PLEX_FETCHED];
    double     v[PLEX_FETCHED][K];

    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m)
      if (first + m * PLEX_BLOCK < n) id[m] = ids[first + m * PLEX_BLOCK];
    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m) {
      _Pragma("unroll")
      for (int k = 0; k < K; ++k)
        if (first + m * PLEX_BLOCK < n) v[m][k] = from[id[m] * K + k];
    }
    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m) {
      _Pragma("unroll")
      for (int k = 0; k < K; ++k)
        if (first + m * PLEX_BLOCK < n) to[(first + m * PLEX_BLOCK) * K + k] = (plex_real)v[m][k];
    }
  }
}

// The nodes' coordinates and the dofs' numbers together, so that neither waits for the other: as much as most blocks
// have, and the rest after it. Reads stay in order: the compiler would have those of one list wait for what another one
// leads to. Threads that have no node or dof read the last one's
PLEX_DEVICE void plex_gather_both(int nn, const int *nodes, const double *x, plex_real *toX, int nd, const int *dofs,
                                  const double *u, plex_real *toU)
{
  constexpr int fetched = 6;
  const int     thread = threadIdx.x, node = plex_read(&nodes[thread < nn ? thread : nn - 1]);
  int           id[fetched];
  double        v[fetched], place[PLEX_DIM];

  _Pragma("unroll")
  for (int m = 0; m < fetched; ++m)
    if (m * PLEX_BLOCK < nd) id[m] = plex_read(&dofs[thread + m * PLEX_BLOCK < nd ? thread + m * PLEX_BLOCK : nd - 1]);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) place[k] = plex_read(&x[(plex_index)node * PLEX_DIM + k]);
  _Pragma("unroll")
  for (int m = 0; m < fetched; ++m)
    if (m * PLEX_BLOCK < nd) v[m] = plex_read(&u[id[m]]);
  plex_reads_end();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k)
    if (thread < nn) toX[thread * PLEX_DIM + k] = (plex_real)place[k];
  _Pragma("unroll")
  for (int m = 0; m < fetched; ++m)
    if (thread + m * PLEX_BLOCK < nd) toU[thread + m * PLEX_BLOCK] = (plex_real)v[m];
  if (nn > PLEX_BLOCK) plex_gather<PLEX_DIM>(nn - PLEX_BLOCK, nodes + PLEX_BLOCK, x, toX + PLEX_BLOCK * PLEX_DIM);
  if (nd > fetched * PLEX_BLOCK)
    plex_gather<1>(nd - fetched * PLEX_BLOCK, dofs + fetched * PLEX_BLOCK, u, toU + fetched * PLEX_BLOCK);
}
