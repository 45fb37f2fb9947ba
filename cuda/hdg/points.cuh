// Where points of an element are that the host gives on the reference cell, and the map's Jacobian there: of affine
// elements by vertex 0 and the ends of the axes, of others by the coordinates' finite element.
#pragma once

#define PLEX_HDG_NODES (PLEX_HDG_NV * PLEX_DIM) // doubles of an element's coordinates

// x[3] and J[d][a] = dx_d/dr_a of point q of a table of them; shape, dshape: of affine elements not read
PLEX_DEVICE void plex_hdg_map(const double *nodes, const double *points, const double *shape, const double *dshape,
                              int q, double *x, double (*J)[PLEX_DIM])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
#if PLEX_HDG_AFFINE
    x[d] = nodes[d];
    for (int a = 0; a < PLEX_DIM; ++a) {
      J[d][a] = 0.5 * (nodes[(a + 1) * PLEX_DIM + d] - nodes[d]);
      x[d] += J[d][a] * (1 + points[q * PLEX_DIM + a]);
    }
#else
    x[d] = 0;
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = 0;
    for (int v = 0; v < PLEX_HDG_NV; ++v) {
      x[d] += shape[q * PLEX_HDG_NV + v] * nodes[v * PLEX_DIM + d];
      for (int a = 0; a < PLEX_DIM; ++a)
        J[d][a] += dshape[(q * PLEX_HDG_NV + v) * PLEX_DIM + a] * nodes[v * PLEX_DIM + d];
    }
#endif
  }
}

// C[a][d] = det J dr_a/dx_d, that is det J J^-1; returns det J
PLEX_DEVICE double plex_hdg_cofactors(const double (*J)[PLEX_DIM], double (*C)[PLEX_DIM])
{
  double det = 0;

#if PLEX_DIM == 2
  C[0][0] = J[1][1];
  C[0][1] = -J[0][1];
  C[1][0] = -J[1][0];
  C[1][1] = J[0][0];
#else
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d)
      C[a][d] = J[(d + 1) % 3][(a + 1) % 3] * J[(d + 2) % 3][(a + 2) % 3] -
                J[(d + 1) % 3][(a + 2) % 3] * J[(d + 2) % 3][(a + 1) % 3];
#endif
  for (int d = 0; d < PLEX_DIM; ++d) det += J[d][0] * C[0][d];
  return det;
}

// Numbers that are not negative in the order of their bits, for atomic operations
PLEX_DEVICE unsigned long long plex_hdg_bits(double v)
{
  union
  {
    double             v;
    unsigned long long bits;
  } both;

  both.v = v;
  return both.bits;
}

// *most at least v >= 0; few threads are more than the last one that was
PLEX_DEVICE void plex_hdg_most(unsigned long long *most, double v)
{
  const unsigned long long bits = plex_hdg_bits(v);

  if (bits > *(volatile unsigned long long *)most) atomicMax(most, bits);
}

PLEX_DEVICE void plex_hdg_least(unsigned long long *least, double v)
{
  const unsigned long long bits = plex_hdg_bits(v);

  if (bits < *(volatile unsigned long long *)least) atomicMin(least, bits);
}

// *at = v, and whether it was another one
PLEX_DEVICE bool plex_hdg_renew(double *at, double v)
{
  const bool other = !(*at == v);

  *at = v;
  return other;
}
