/* n.F* of a system with dg_flux(), for the host (plexgpu/dg_point_loops.h) and for kernels, behind the header of the
   system: what its dg_numerical_flux() says, if it defines PLEX_DG_NUMERICAL_FLUX, or n.F(u-) - (n.F(u-) - n.F*) */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_flux_star)(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                                   const plex_real kM[], const plex_real kP[], const plex_real c[],
                                                   plex_real q[])
{
#ifdef PLEX_DG_NUMERICAL_FLUX
  dg_numerical_flux(uM, uP, n, kM, kP, c, q);
#else
  plex_real f[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

  dg_face(uM, uP, n, kM, kP, c, f);
  dg_flux(uM, kM, c, F);
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    q[k] = -f[k];
    for (int d = 0; d < PLEX_DIM; ++d) q[k] += n[d] * F[d][k];
  }
#endif
}
