/* Sound in a porous medium, p_t + div v = 0, v_t + grad p = -s v, with the drag s of each element, in flux form; s v is
   what dg_decay() says. The speed of sound is 1, walls reflect. Coefficient: s */
#define PLEX_DG_NF (1 + PLEX_DIM)
#define PLEX_DG_NK 1
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_DECAY

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
    for (int f = 1; f < PLEX_DG_NF; ++f) F[d][f] = 0;
    F[d][0]     = u[1 + d];
    F[d][1 + d] = u[0];
  }
}

/* Upwind: n.v* = {n.v} - [p]/2, p* = {p} - [n.v]/2, [.] = + less - */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  const plex_real dp = uP[0] - uM[0];
  plex_real       dv = 0;

  for (int d = 0; d < PLEX_DIM; ++d) dv += n[d] * (uP[1 + d] - uM[1 + d]);
  f[0] = (dp - dv) / 2;
  for (int d = 0; d < PLEX_DIM; ++d) f[1 + d] = n[d] * (dv - dp) / 2;
}

PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  plex_real vn = 0;

  for (int d = 0; d < PLEX_DIM; ++d) vn += n[d] * uM[1 + d];
  uP[0] = uM[0];
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = uM[1 + d] - 2 * vn * n[d];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return 1;
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real sum = 0;

  for (int f = 0; f < PLEX_DG_NF; ++f) sum += u[f] * u[f] / 2;
  return sum;
}

PLEX_DG_FUNCTION void dg_decay(const plex_real k[], const plex_real c[], plex_real rates[])
{
  for (int d = 0; d < PLEX_DIM; ++d) rates[1 + d] = k[0];
}
