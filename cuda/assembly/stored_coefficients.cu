// Coefficients of a Jacobian at a state, C = w |J| (g0, g1 J^-T; J^-1 g2, J^-1 g3 J^-T) of all points, or where they are
// kept in factors w |J| and J^-1: a thread a point, once a state. Threads of neighbouring numbers have the same point of
// neighbouring elements, or of lines and teams, as they are written, neighbouring points of an element.
//
// Reads the nodal data of an element at each of its points, from the caches but for the first, and writes sizeof(plex_real)
// bytes for each number that is kept of a point. Of factors plex_physical writes D, by one thread, as double numbers.
#include "assembly/stored_args.h"

#define PLEX_STORED_CELL (PLEX_NV + 1)

PLEX_DEVICE plex_index plex_stored_place(const PlexStoredArgs &stored, int p, int q, int k)
{
#if PLEX_STORED_LAYOUT == PLEX_STORED_THREADS
  return (((plex_index)(p / 32) * PLEX_STORED_POINTS + q) * PLEX_STORED_NUMBERS + k) * 32 + p % 32;
#elif PLEX_STORED_LAYOUT == PLEX_STORED_TEAMS
  return ((plex_index)p * PLEX_STORED_NUMBERS + k) * PLEX_STORED_POINTS + q;
#else
  const int g = stored.point[q], E = PLEX_STORED_ELEMENTS, S = PLEX_STORED_SLAB;

  return ((((plex_index)(p / E) * ((PLEX_STORED_POINTS + S - 1) / S) + g / S) * PLEX_STORED_NUMBERS + k) * E + p % E) *
           S +
         g % S;
#endif
}

// Entry k of what the functions have at a point; of a symmetric form the mean of both halves
PLEX_DEVICE plex_real plex_stored_entry(const PlexStoredArgs &stored, const plex_real D[], int k)
{
  const int from = stored.from[k], mirror = stored.from[PLEX_STORED_N + k];
  plex_real v = 0;

  if (from >= 0) v += D[from];
  if (mirror >= 0) v += D[mirror];
  return (plex_real)stored.factor * v;
}

extern "C" __global__ void __launch_bounds__(128) plex_store(PlexArgs args, PlexStoredArgs stored, int positions)
{
  const plex_index id = (plex_index)blockIdx.x * 128 + threadIdx.x;
#if PLEX_STORED_LAYOUT == PLEX_STORED_THREADS
  const int p = (int)(id % positions), q = (int)(id / positions);
#else
  const int p = (int)(id / PLEX_STORED_POINTS), q = (int)(id % PLEX_STORED_POINTS);
#endif
  const int *cell = &stored.cells[(plex_index)p * PLEX_STORED_CELL];
  PlexNodal  nodal;

  if (p >= positions || q >= PLEX_STORED_POINTS || cell[0] < 0) return;
  plex_load_nodal(args, nodal, [&](int k) {
    if (k < PLEX_NV) return cell[k];
    if (k == PLEX_NV + PLEX_EF) return cell[PLEX_NV];
    k = stored.place[k - PLEX_NV];
#if PLEX_STORED_LAYOUT == PLEX_STORED_THREADS
    return stored.dofs[((plex_index)(p / 32) * PLEX_EF + k) * 32 + p % 32];
#else
    return stored.dofs[(plex_index)p * PLEX_EF + k];
#endif
  });
#if PLEX_STORED_FACTORS
  PlexPoint point;

  plex_geometry(args, nodal, q, point);
  for (int k = 0; k < PLEX_STORED_NUMBERS; ++k)
    ((plex_real *)stored.C)[plex_stored_place(stored, p, q, k)] = k ? PLEX_INVERSE(point, point.invJ[k ? k - 1 : 0])
                                                                    : (plex_real)stored.factor * point.weight;
#else
  plex_real D[PLEX_POINT_SIZE];

  plex_point_data(args, nodal, q, D);
  for (int k = 0; k < PLEX_STORED_N; ++k)
    ((plex_real *)stored.C)[plex_stored_place(stored, p, q, k)] = plex_stored_entry(stored, D, k);
#endif
}
PLEX_EXPORT_KERNEL(plex_store)

#if PLEX_STORED_FACTORS
// D[PLEX_STORED_N] of C = w |J| P^T D P: the functions' numbers at J = 1 and w = 1, as they read nothing of a point
extern "C" __global__ void plex_physical(PlexArgs args, PlexStoredArgs stored, double *out)
{
  PlexPoint       p;
  PetscScalar     constants[PLEX_NCONSTANTS + 3];
  plex_real       D[PLEX_POINT_SIZE];
  const plex_real s = 1;

  for (int d = 0; d < PLEX_DIM; ++d) p.x[d] = 0;
  for (int k = 0; k < PLEX_NC + PLEX_NC_AUX; ++k) p.u[k] = 0;
  for (int k = 0; k < PLEX_NC; ++k) p.ut[k] = 0;
  for (int k = 0; k < (PLEX_NC + PLEX_NC_AUX) * PLEX_DIM; ++k) p.ux[k] = 0;
  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) p.invJ[k] = k % (PLEX_DIM + 1) ? 0 : 1;
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  p.scale = p.weight = p.volume  = 1;
  constants[PLEX_NCONSTANTS + 2] = 1;
  for (int k = 0; k < PLEX_POINT_SIZE; ++k) D[k] = PLEX_NOTHING;
  PLEX_FORM(args, p, constants, s, D)
  for (int k = 0; k < PLEX_STORED_N; ++k) out[k] = (double)plex_stored_entry(stored, D, k);
}
PLEX_EXPORT_KERNEL(plex_physical)
#endif
