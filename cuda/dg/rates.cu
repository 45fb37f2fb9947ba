// The largest rate of a state, c/s + r/2, and that of viscous fluxes, of each element: c and r the largest speed and
// rate of damping at its nodes, where `decays` with the linear decay, s as PlexDGComputeTimeStep() has it. In double precision, whatever the operator's is. The same bits in each run: a
// largest number does not depend on the order.
//
// A block takes PLEX_DG_RATES_ELEMENTS elements at a time, every gridDim.x-th such group; a thread has a node, then an
// element, whose nodes' speeds are in shared memory. It leaves one number a block; one that is no rate is left as
// PLEX_DG_RATES_NONE.
//
// It reads 8 NF NP bytes of the state of an element and 8 of its size, and those coefficients that the speed asks for:
// 8 bytes each, 8 NP where they vary in the element.
#include "dg.cuh"

#define PLEX_DG_RATES_NODES (PLEX_DG_RATES_ELEMENTS * PLEX_DG_NP)

// Whether x is a rate
PLEX_DEVICE bool plex_dg_is_rate(double x)
{
  return x >= 0 && x < PLEX_DG_RATES_NONE;
}

extern "C" __global__ void plex_dg_rates(const double *u, const double *scales, const double *coefficients,
                                         const double *constants, int Ne, double damps, double viscous, int decays,
                                         double *largest)
{
  __shared__ double speeds[PLEX_DG_RATES_NODES], dampings[PLEX_DG_RATES_NODES], partial[PLEX_DG_RATES_THREADS];
  double            most = 0;
#ifdef PLEX_DG_VISCOUS
  __shared__ double viscosities[PLEX_DG_RATES_NODES], inertias[PLEX_DG_RATES_NODES];
#endif

  for (int first = (int)blockIdx.x * PLEX_DG_RATES_ELEMENTS; first < Ne;
       first += (int)gridDim.x * PLEX_DG_RATES_ELEMENTS) {
    const int count = min(PLEX_DG_RATES_ELEMENTS, Ne - first);

    for (int n = (int)threadIdx.x; n < count * PLEX_DG_NP; n += PLEX_DG_RATES_THREADS) {
      const plex_index e = first + n / PLEX_DG_NP;
      const int        i = n % PLEX_DG_NP;
      double           v[PLEX_DG_NF], speed, damping = 0;

      for (int f = 0; f < PLEX_DG_NF; ++f) v[f] = u[(e * PLEX_DG_NF + f) * PLEX_DG_NP + i];
#ifdef PLEX_DG_VARIABLE
      double k[PLEX_DG_NK * (1 + PLEX_DIM)] = {};

      for (int c = 0; c < PLEX_DG_NK; ++c) k[c * (1 + PLEX_DIM)] = coefficients[(e * PLEX_DG_NK + c) * PLEX_DG_NP + i];
#else
      const double *k = PLEX_DG_NK ? coefficients + e * PLEX_DG_NK : NULL;
#endif
      speed = dg_speed(v, k, constants);
#ifdef PLEX_DG_VISCOUS
      viscosities[n] = dg_viscosity(v, k, constants, &inertias[n]);
#endif
#ifdef PLEX_DG_RATE
      damping = dg_rate(v, k, constants);
#endif
#ifdef PLEX_DG_DECAY
      double rates[PLEX_DG_NF] = {}, decay = 0;

      dg_decay(k, constants, rates);
      for (int f = 0; f < PLEX_DG_NF; ++f) decay = rates[f] <= decay ? decay : rates[f];
      if (decays) damping += decay;
#endif
      if (!plex_dg_is_rate(speed) || !plex_dg_is_rate(damping)) {
        most  = PLEX_DG_RATES_NONE;
        speed = damping = 0;
      }
      speeds[n]   = speed;
      dampings[n] = damping;
    }
    __syncthreads();
    for (int e = (int)threadIdx.x; e < count; e += PLEX_DG_RATES_THREADS) {
      double speed = 0, damping = 0;

      for (int i = 0; i < PLEX_DG_NP; ++i) {
        speed   = fmax(speed, speeds[e * PLEX_DG_NP + i]);
        damping = fmax(damping, dampings[e * PLEX_DG_NP + i]);
      }
      speed = scales[first + e] * speed + damps * damping;
#ifdef PLEX_DG_VISCOUS
      if (viscous > 0) {
        double viscosity = 0, least = PLEX_DG_RATES_NONE;

        for (int i = e * PLEX_DG_NP; i < (e + 1) * PLEX_DG_NP; ++i) {
          if (!(inertias[i] > 0)) continue;
          viscosity = fmax(viscosity, viscosities[i]);
          least     = fmin(least, inertias[i]);
        }
        speed += viscous * scales[first + e] * scales[first + e] * viscosity / least;
      }
#endif
      most = fmax(most, speed);
    }
    __syncthreads();
  }
  partial[threadIdx.x] = most;
  for (int half = PLEX_DG_RATES_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) partial[threadIdx.x] = fmax(partial[threadIdx.x], partial[threadIdx.x + half]);
  }
  if (!threadIdx.x) largest[blockIdx.x] = partial[0];
}
PLEX_EXPORT_KERNEL(plex_dg_rates)
