// Pointwise parts of type separate: a thread takes a dof of a microblock, all fields.
#include "separate.cuh"

// Element and node of this thread's dof; false: none
PLEX_DEVICE bool plex_dg_dof(const PlexDGSeparateArgs &s, int *m, int *at, int *e, int *i)
{
  const plex_index q = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;

  *m  = s.begin + (int)(q / PLEX_DG_NPM);
  *at = (int)(q % PLEX_DG_NPM);
  *i  = *at % PLEX_DG_NP;
  if (*m >= s.end || *at >= PLEX_DG_KM * PLEX_DG_NP) return false;
  *e = s.element[*m * PLEX_DG_KM + *at / PLEX_DG_NP];
  return *e >= 0;
}

#ifdef PLEX_DG_FLUX_FORM
// Fluxes of a nonlinear system along the reference coordinates, to be differentiated
extern "C" __global__ void plex_dg_reference(PlexDGArgs args, PlexDGSeparateArgs s)
{
  int       m, at, e, i;
  plex_real u[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

  if (plex_dg_dof(s, &m, &at, &e, &i)) {
    const plex_real *rx = (const plex_real *)args.geometry + (plex_index)e * PLEX_DIM * PLEX_DIM;

    plex_dg_get_state(s, e, i, u);
    dg_flux(u, PLEX_DG_COEFFICIENTS(e), (const plex_real *)args.constants, F);
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      for (int a = 0; a < PLEX_DIM; ++a) {
        plex_real sum = 0;

        for (int d = 0; d < PLEX_DIM; ++d) sum += rx[a * PLEX_DIM + d] * F[d][k];
        ((plex_real *)s.reference)[((plex_index)m * PLEX_DG_NF + k) * PLEX_DG_NGM +
                                   (at / PLEX_DG_NP * PLEX_DIM + a) * PLEX_DG_NP + i] = sum;
      }
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_reference)
#endif

// Operator assembly: the time derivative from derivatives, lifted fluxes and sources; in a stage of a low-storage
// scheme residual and next state. Reads NF (DIM + 1) sizeof(plex_real) and the state, writes NF 8 bytes a dof.
extern "C" __global__ void plex_dg_update(PlexDGArgs args, PlexDGSeparateArgs s, PlexDGStage stage)
{
  int       m, at, e, i;
  plex_real u[PLEX_DG_NF], r[PLEX_DG_NF];

  if (plex_dg_dof(s, &m, &at, &e, &i)) {
    const plex_index first  = ((plex_index)e * PLEX_DG_NF) * PLEX_DG_NP + i;
    const plex_real *lifted = (const plex_real *)s.lifted + (plex_index)m * PLEX_DG_NF * PLEX_DG_NPM + at;

    plex_dg_get_state(s, e, i, u);
#ifdef PLEX_DG_FLUX_FORM
    for (int k = 0; k < PLEX_DG_NF; ++k)
      r[k] = -((const plex_real *)s.volume)[((plex_index)m * PLEX_DG_NF + k) * PLEX_DG_NPM + at];
#else
    plex_real du[PLEX_DIM][PLEX_DG_NF];

    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (int d = 0; d < PLEX_DIM; ++d)
        du[d][k] = ((const plex_real *)s.volume)[(((plex_index)m * PLEX_DG_NF + k) * PLEX_DIM + d) * PLEX_DG_NPM + at];
    dg_volume(u, du, PLEX_DG_COEFFICIENTS(e), (const plex_real *)args.constants, r);
#endif
#ifdef PLEX_DG_SOURCE
    plex_dg_add_source(args, e, i, u, r);
#endif
    for (int k = 0; k < PLEX_DG_NF; ++k) r[k] += lifted[k * PLEX_DG_NPM];
    for (int k = 0; k < PLEX_DG_NF; ++k) {
#if PLEX_DG_STAGE
      plex_real      *residual = (plex_real *)stage.residual + first + k * PLEX_DG_NP;
      const plex_real old      = stage.a == 0 ? 0
                               : stage.means  ? *residual - u[k]
                                              : *residual,
                      next     = (plex_real)stage.a * old + (plex_real)stage.dt * r[k];

      if (!stage.means && !stage.ends) *residual = next;
      ((plex_real *)stage.next)[first + k * PLEX_DG_NP] = u[k] + (plex_real)stage.b * next;
#else
      args.r[first + k * PLEX_DG_NP] = r[k];
#endif
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_update)
