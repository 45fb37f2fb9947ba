/* Water whose energy does not grow: the correction of an element's rates, for the host (plexgpu/dg_point_loops.h) and for
   kernels, behind the header of a system of water. src/dg/quadrature/entropy.c has the method.

   Entropy variables w = dE/du of dg_entropy(); sums are over quadrature points, divided by det J where elements are
   affine. An element has a balance[PLEX_DG_BALANCES]. */
#include "quadrature_args.h"

/* The flux of energy along n through a point of a face, mean(w) . f - mean(psi) . n with the numerical fluxes f: the
   same from both sides */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(plex_entropy_crossing)(const plex_real uM[], const plex_real uP[],
                                                               const plex_real n[], const plex_real kM[],
                                                               const plex_real kP[], const plex_real c[],
                                                               const plex_real f[])
{
  plex_real wM[PLEX_DG_NF], wP[PLEX_DG_NF], sum = 0, vM = 0, vP = 0;

  dg_entropy(uM, kM, c, wM);
  dg_entropy(uP, kP, c, wP);
  for (int k = 0; k < PLEX_DG_NF; ++k) sum += (wM[k] + wP[k]) * f[k];
  for (int d = 0; d < PLEX_DIM; ++d) {
    vM += n[d] * wM[1 + d];
    vP += n[d] * wP[1 + d];
  }
  return (sum - vM * dg_pressure(uM, kM, c) - vP * dg_pressure(uP, kP, c)) / 2;
}

/* sqrt of the sum of squares of C[DIM][DIM], numbers `step` from each other */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(plex_entropy_size)(const plex_real C[], int step)
{
  plex_real sum = 0;

  for (int i = 0; i < PLEX_DIM * PLEX_DIM; ++i) sum += C[i * step] * C[i * step];
  return PLEX_DG_ROOT(sum);
}

/* Squares of changes as small as this, of what runs ahead of a wave in a sea at rest, have no reciprocal */
#define PLEX_ENTROPY_LEAST (sizeof(plex_real) < 8 ? (plex_real)1e-37 : (plex_real)1e-300)

/* The rate at which changes of w from their means are to decay, so that an element with the balance a loses `gain`:
   sums[k] are those of the squares of these changes. factor[k]: times that rate. `most`: the largest rate, in units of
   wave speed over length */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_entropy_rates)(const plex_real a[], plex_real gain, plex_real most,
                                                       const plex_real c[], const plex_real mean[],
                                                       const plex_real sums[], plex_real factor[])
{
  plex_real sum = 0, speed = 0, rate;

  dg_entropy_scale(a[PLEX_DG_DEPTH], a[PLEX_DG_LEAST] < 0, c, factor);
  for (int k = 0; k < PLEX_DG_NF; ++k) sum += factor[k] * sums[k];
  for (int d = 0; d < PLEX_DIM; ++d) speed += mean[1 + d] * mean[1 + d];
  speed = PLEX_DG_ROOT(speed) + PLEX_DG_ROOT(c[0] * a[PLEX_DG_DEPTH]);
  rate  = most * speed * a[PLEX_DG_INVERSE];
  if (gain < rate * sum) rate = gain * PLEX_DG_RECIPROCAL(sum);
  if (!(sum > PLEX_ENTROPY_LEAST)) rate = 0;
  for (int k = 0; k < PLEX_DG_NF; ++k) factor[k] *= rate;
}

/* Rates r[NF][Np] of an element with the balance a: what its energy gains is taken from them. B[NF][Np]: sums of
   weights times basis times w; weights[Np]: sums of weights times basis; Minv[Np][Np] */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_entropy_correct)(int Np, const plex_real a[], plex_real gain, plex_real most,
                                                         const plex_real c[], const plex_real B[],
                                                         const plex_real weights[], const plex_real Minv[],
                                                         plex_real r[])
{
  plex_real mean[PLEX_DG_NF], sums[PLEX_DG_NF], factor[PLEX_DG_NF], P[PLEX_DG_NF][PLEX_DG_MAX_NODES];

  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] = sums[k] = 0;
    for (int i = 0; i < Np; ++i) mean[k] += B[k * Np + i];
    mean[k] /= a[PLEX_DG_AREA];
    for (int i = 0; i < Np; ++i) P[k][i] = 0;
    for (int j = 0; j < Np; ++j) {
      const plex_real here = B[k * Np + j] - mean[k] * weights[j];

      for (int i = 0; i < Np; ++i) P[k][i] += Minv[j * Np + i] * here;
    }
    for (int i = 0; i < Np; ++i) sums[k] += P[k][i] * (B[k * Np + i] - mean[k] * weights[i]);
  }
  PLEX_DG_NAME(plex_entropy_rates)(a, gain, most, c, mean, sums, factor);
  for (int k = 0; k < PLEX_DG_NF; ++k)
    for (int i = 0; i < Np; ++i) r[k * Np + i] -= factor[k] * P[k][i];
}
