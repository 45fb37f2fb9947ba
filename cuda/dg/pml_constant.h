/* A perfectly matched layer in an element where each stretched axis has a constant rate sigma, for the host and for kernels:
   what PLEX_PML_FUNCTION is put before. There S of pml.h is sigma times the identity, and L a number for each field,

     L = product of (z + l_k + t_k)/(z + l_k),   t_k = P - Q,   l_k = alpha + Q

   with a rate P of the numerator and one, Q, of the denominator, or 0. Each section has a variable p at the nodes, whose
   input is w, u of the first one:

     p' = w - l p,   rate of u: -t p',   the next one's input: w + t p

   Nothing is interpolated or projected, and no node or field waits for another. */
#include "pml.h"
#include "pml_constant_args.h"

/* Sections of field f, and of all fields before it */
PLEX_PML_FUNCTION int plex_pml_sections_of(unsigned sections, int f)
{
  return (int)(sections >> 2 * f & 3);
}

PLEX_PML_FUNCTION int plex_pml_sections_before(unsigned sections, int f)
{
  unsigned n = sections & ((1u << 2 * f) - 1);

  n = (n & 0x33333333u) + (n >> 2 & 0x33333333u);
  n = (n & 0x0f0f0f0fu) + (n >> 4 & 0x0f0f0f0fu);
  return (int)(n * 0x01010101u >> 24);
}

/* Place of the first variable of field f at node i */
PLEX_PML_FUNCTION long long plex_pml_place(PlexDGPMLItem item, int NP, int f, int i)
{
  return item.first + (long long)plex_pml_sections_before(item.sections, f) * NP + i;
}

/* The residual of the variable at `at` from the stage before */
PLEX_PML_FUNCTION PLEX_PML_REAL plex_pml_before(const PlexDGPMLStage *s, long long at)
{
  return s->update && s->a != 0 ? plex_pml_get(s, s->residual, at) : 0;
}

/* What the layer adds to the rate of u, a field at a node with n > 0 sections; numbers c[n][2] t and l. p and R: the first
   variable, at `at`, and its residual, 0 where the stage has none before it */
PLEX_PML_FUNCTION PLEX_PML_REAL plex_pml_constant(const PlexDGPMLStage *s, const PLEX_PML_REAL *c, int n, int NP,
                                                  long long at, PLEX_PML_REAL p, PLEX_PML_REAL R, PLEX_PML_REAL u)
{
  PLEX_PML_REAL rate = 0, w = u;

  for (;;) {
    const PLEX_PML_REAL dp = w - c[1] * p;

    rate -= c[0] * dp;
    w += c[0] * p;
    if (s->update) {
      R = (PLEX_PML_REAL)s->dt * dp + (PLEX_PML_REAL)s->a * R;
      plex_pml_set(s, s->residual, at, R);
      plex_pml_set(s, s->values, at, p + (PLEX_PML_REAL)s->b * R);
    }
    if (--n == 0) return rate;
    at += NP;
    c += 2;
    p = plex_pml_get(s, s->values, at);
    R = plex_pml_before(s, at);
  }
}
