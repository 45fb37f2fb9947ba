// The energy of a state: its density at quadrature points, weighted and summed, in double precision whatever the
// operator's is.
//
// A block takes PLEX_DG_ENERGY_ELEMENTS elements at a time, every gridDim.x-th such group, and leaves one sum; a thread
// takes every blockDim.x-th point of all elements of a group. Which sums are added to which is the same in each run,
// and so are the bits of the result.
//
// Curved elements of nodal DG are kept in another norm: plex_dg_energy_norm takes their states to z = T u, T[NP j][NP
// i] of each element, and plex_dg_energy sums the density of z; the sum over all elements leaves them out, by determinants of 0.
//
// An element's state is read once into shared memory, B[NP j][NQ q] from the caches, once a group: 8 NF NP bytes and 2
// NQ NP NF flops an element.
#include "dg.cuh"

extern "C" __global__ void plex_dg_energy(const double *u, const double *B, const double *weights,
                                          const double *determinants, const double *coefficients,
                                          const double *constants, int Ne, double *sums)
{
  __shared__ double state[PLEX_DG_ENERGY_ELEMENTS][PLEX_DG_NF][PLEX_DG_NP], partial[PLEX_DG_ENERGY_THREADS];
  double            sum = 0;

  for (int first = (int)blockIdx.x * PLEX_DG_ENERGY_ELEMENTS; first < Ne;
       first += (int)gridDim.x * PLEX_DG_ENERGY_ELEMENTS) {
    const int count = min(PLEX_DG_ENERGY_ELEMENTS, Ne - first);

    __syncthreads();
    for (int k = (int)threadIdx.x; k < PLEX_DG_ENERGY_ELEMENTS * PLEX_DG_NF * PLEX_DG_NP; k += PLEX_DG_ENERGY_THREADS)
      (&state[0][0][0])[k] = k < count * PLEX_DG_NF * PLEX_DG_NP ? u[(plex_index)first * PLEX_DG_NF * PLEX_DG_NP + k]
                                                                 : 0;
    __syncthreads();
    for (int q = (int)threadIdx.x; q < PLEX_DG_ENERGY_POINTS; q += PLEX_DG_ENERGY_THREADS) {
      double v[PLEX_DG_ENERGY_ELEMENTS][PLEX_DG_NF] = {};

      for (int j = 0; j < PLEX_DG_NP; ++j) {
        const double b = B[j * PLEX_DG_ENERGY_POINTS + q];

        for (int e = 0; e < PLEX_DG_ENERGY_ELEMENTS; ++e)
          for (int f = 0; f < PLEX_DG_NF; ++f) v[e][f] += b * state[e][f][j];
      }
      for (int e = 0; e < count; ++e)
        sum += weights[q] *
               determinants[PLEX_DG_ENERGY_CURVED ? (plex_index)(first + e) * PLEX_DG_ENERGY_POINTS + q : first + e] *
               dg_energy(v[e], PLEX_DG_NK ? coefficients + (plex_index)(first + e) * PLEX_DG_NK : NULL, constants);
    }
  }
  partial[threadIdx.x] = sum;
  for (int half = PLEX_DG_ENERGY_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (!threadIdx.x) sums[blockIdx.x] = partial[0];
}
PLEX_EXPORT_KERNEL(plex_dg_energy)

// z[ncurved][NF][NP]; a thread a number, element[ncurved] of the state
extern "C" __global__ void plex_dg_energy_norm(const double *u, const double *norm, const int *element, int n,
                                               double *z)
{
  const plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;
  const int        i = (int)(k % PLEX_DG_NP), c = (int)(k / (PLEX_DG_NF * PLEX_DG_NP)),
                   field = (int)(k / PLEX_DG_NP % PLEX_DG_NF);

  if (c < n) {
    const double *v = u + ((plex_index)element[c] * PLEX_DG_NF + field) * PLEX_DG_NP,
                 *T = norm + (plex_index)c * (PLEX_DG_NP * PLEX_DG_NP) + i;
    double sum      = 0;

    for (int j = 0; j < PLEX_DG_NP; ++j) sum += T[j * PLEX_DG_NP] * v[j];
    z[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_dg_energy_norm)
