/* An ideal gas at a point, for the host and for kernels: what PLEX_SHOCK_FUNCTION is put before. A state of NF fields is
   density, momentum and total energy; primitive variables are density, velocity and pressure. */

/* u becomes its primitive variables */
PLEX_SHOCK_FUNCTION void plex_gas_primitive(double gamma, int NF, double *u)
{
  for (int k = 1; k < NF - 1; ++k) {
    const double v = u[k] / u[0];

    u[NF - 1] -= u[k] * v / 2;
    u[k] = v;
  }
  u[NF - 1] *= gamma - 1;
}

/* The largest share x in 0 .. 1 with f(x) = a x^2 + b x + c >= 0, where c >= 0; f has one change of sign there at most if
   f(1) < 0, and else that is 1 */
PLEX_SHOCK_FUNCTION double plex_gas_root(double a, double b, double c)
{
  double inverse;

  if (a + b + c >= 0) return 1;
  if (!(c > 0)) return 0;
  inverse = b * b - 4 * a * c;
  inverse = (inverse > 0 ? sqrt(inverse) : 0) - b;
  return inverse > 2 * c ? 2 * c / inverse : 1;
}

/* The largest share of `off`, the state at a point less the mean u, with which the density is at least low */
PLEX_SHOCK_FUNCTION double plex_gas_density_share(double u, double off, double low, double high)
{
  return off < 0 ? plex_gas_root(0, off, u - low) : plex_gas_root(0, -off, high - u);
}

/* Likewise of the pressure, at least `bound` where sign is 1, at most where it is -1: 2 rho (p - bound)/(gamma - 1) =
   2 rho (E - bound/(gamma - 1)) - |m|^2 is a quadratic polynomial of the share */
PLEX_SHOCK_FUNCTION double plex_gas_pressure_share(double gamma, int NF, const double *u, const double *off,
                                                   double bound, double sign)
{
  const double E = u[NF - 1] - bound / (gamma - 1);
  double       a = 2 * off[0] * off[NF - 1], b = 2 * (u[0] * off[NF - 1] + off[0] * E), c = 2 * u[0] * E;

  for (int k = 1; k < NF - 1; ++k) {
    a -= off[k] * off[k];
    b -= 2 * u[k] * off[k];
    c -= u[k] * u[k];
  }
  return plex_gas_root(sign * a, sign * b, sign * c);
}

/* And of velocity k, between low and high: m - v rho is linear */
PLEX_SHOCK_FUNCTION double plex_gas_velocity_share(int k, const double *u, const double *off, double low, double high)
{
  const double above = plex_gas_root(0, high * off[0] - off[k], high * u[0] - u[k]),
               below = plex_gas_root(0, off[k] - low * off[0], u[k] - low * u[0]);

  return above < below ? above : below;
}
