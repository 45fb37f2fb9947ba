// Products of a Jacobian at a state with vectors, F += sum_q B_q^T C_q B_q v, with stored coefficients and full tables. Of
// simplices with one C an element the points are modes (integrate/stored.h of the library).
//
// PLEX_TEAM 1: a thread has an element, v and F in registers, tables in its code. Else a warp has one: lanes take points,
// then dofs, by way of shared memory: v [EF] and V [NQ][jets].
//
// An element reads 4 EF bytes of dofs, 8 bytes for each number that is kept of a point (once where there is one C an element)
// and 8 EF of v, and adds 8 EF bytes. It takes 2 NQ (sum of Nn parts there and back, and n or nearly 2 n) flops.
#include "assembly/stored.cuh"

#if PLEX_TEAM == 1

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_apply(PlexStoredArgs args, int first, int n, PlexStoredPhysical physical)
{
  const int p = first + (int)(blockIdx.x * PLEX_BLOCK + threadIdx.x);

  if (p >= first + n) return;
  const int       *dofs = &args.targets[(plex_index)(p / 32) * PLEX_EF * 32 + p % 32];
  const plex_real *C    = (const plex_real *)args.C +
                          (plex_index)(p / 32) * PLEX_STORED_POINTS * PLEX_STORED_NUMBERS * 32 + p % 32;
  plex_real        v[PLEX_EF], F[PLEX_EF], U[PLEX_JETS], V[PLEX_JETS];

  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) {
    v[i] = plex_stored_load(args, dofs[i * 32]);
    F[i] = 0;
  }
  _Pragma("unroll")
  for (int q = 0; q < PLEX_NQ; ++q) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_NC; ++k) _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a) {
      plex_real sum = 0;

      if (!plex_stored_uses(plex_stored_in(k), a)) continue;
      _Pragma("unroll")
      for (int i = 0; i < plex_stored_nodes(k); ++i) {
        const plex_real
          b = plex_stored_tables[plex_stored_table(k) + (q * (1 + PLEX_DIM) + a) * plex_stored_nodes(k) + i];

        if (b != 0) sum += b * v[plex_stored_first(k) + i * plex_stored_stride(k)];
      }
      U[k * (1 + PLEX_DIM) + a] = sum;
    }
    plex_stored_multiply([&](int k) { return C[((PLEX_STORED_POINTS > 1 ? q : 0) * PLEX_STORED_NUMBERS + k) * 32]; },
                         physical, U, V);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_NC; ++k) _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a) {
      if (!plex_stored_uses(plex_stored_back(k), a)) continue;
      _Pragma("unroll")
      for (int i = 0; i < plex_stored_nodes(k); ++i) {
        const plex_real
          b = plex_stored_tables[plex_stored_table(k) + (q * (1 + PLEX_DIM) + a) * plex_stored_nodes(k) + i];

        if (b != 0) F[plex_stored_first(k) + i * plex_stored_stride(k)] += b * V[k * (1 + PLEX_DIM) + a];
      }
    }
  }
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) plex_stored_add(args, dofs[i * 32], F[i]);
}
PLEX_EXPORT_KERNEL(plex_apply)

#else

// Jets of v at point q, tables by points
PLEX_DEVICE void plex_stored_jets(const plex_real *tables, const plex_real v[], int q, plex_real U[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC; ++k) {
    const int nodes = plex_stored_nodes(k);

    _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a) {
      const plex_real *b   = tables + 2 * plex_stored_table(k) + a * nodes * PLEX_NQ + q;
      plex_real        sum = 0;

      if (!plex_stored_uses(plex_stored_in(k), a)) continue;
      _Pragma("unroll 4")
      for (int i = 0; i < nodes; ++i) sum += b[i * PLEX_NQ] * v[plex_stored_first(k) + i * plex_stored_stride(k)];
      U[k * (1 + PLEX_DIM) + a] = sum;
    }
  }
}

// Element dof `node` of component k, tables by nodes
PLEX_DEVICE plex_real plex_stored_sum(const plex_real *tables, const plex_real V[], int k, int node)
{
  const int        nodes = plex_stored_nodes(k);
  const plex_real *b     = tables + 2 * plex_stored_table(k) + (1 + PLEX_DIM) * nodes * PLEX_NQ + node;
  plex_real        sum   = 0;

  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_NQ; ++q) _Pragma("unroll")
  for (int a = 0; a <= PLEX_DIM; ++a)
    if (plex_stored_uses(plex_stored_back(k), a))
      sum += b[(q * (1 + PLEX_DIM) + a) * nodes] * V[q * PLEX_JETS + k * (1 + PLEX_DIM) + a];
  return sum;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_apply(PlexStoredArgs args, int first, int n, PlexStoredPhysical physical)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  const int        p = first + (int)blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX;
  plex_real       *v = shared + PLEX_TEAM_INDEX * (PLEX_EF + PLEX_NQ * PLEX_JETS), *V = v + PLEX_EF;
  const int       *dofs   = &args.targets[(plex_index)p * PLEX_EF];
  const plex_real *C      = (const plex_real *)args.C + (plex_index)p * PLEX_STORED_POINTS * PLEX_STORED_NUMBERS;
  const plex_real *tables = (const plex_real *)args.tables;

  if (p >= first + n) return; /* the whole warp */
  for (int i = PLEX_LANE; i < PLEX_EF; i += PLEX_TEAM) v[i] = plex_stored_load(args, dofs[i]);
  plex_team_sync();
  for (int q = PLEX_LANE; q < PLEX_NQ; q += PLEX_TEAM) {
    plex_real U[PLEX_JETS];

    plex_stored_jets(tables, v, q, U);
    plex_stored_multiply([&](int k) { return C[k * PLEX_STORED_POINTS + (PLEX_STORED_POINTS > 1 ? q : 0)]; }, physical,
                         U, &V[q * PLEX_JETS]);
  }
  plex_team_sync();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC; ++k)
    for (int i = PLEX_LANE; i < plex_stored_nodes(k); i += PLEX_TEAM)
      plex_stored_add(args, dofs[plex_stored_first(k) + i * plex_stored_stride(k)], plex_stored_sum(tables, V, k, i));
}
PLEX_EXPORT_KERNEL(plex_apply)

#endif
