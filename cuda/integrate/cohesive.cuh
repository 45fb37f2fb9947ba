// Fields at the points of cohesive cells: those of either side have the values and gradients of the cell behind it, at the
// point of that cell's face; cohesive fields and, for the key of the cells, auxiliary ones are those of the cells
// themselves.
//
// args.face: [Ne][PLEX_PLACES], local dofs of the PLEX_EVALUATED coefficients, then the rows of the tables at point q, of
// both sides. args.facet: tables, of each field [rows][nodes][1 + dim], value and reference gradient; then [Ne][NQ]
// records: x, n, weight, 0, inverse Jacobians of the cells on both sides and of the side. A point of field f reads 12 +
// 8 (1 + dim) bytes a coefficient and 8 dim^2 of geometry, and takes 2 (1 + dim) flops a coefficient and 2 dim^2.
#pragma once

PLEX_DEVICE void plex_point(const PlexArgs &args, const PlexNodal &nodal, int q, PlexPoint &p)
{
  const int    *places  = args.face + (plex_index)nodal.element * PLEX_PLACES;
  const double *inverse = plex_facet(args, nodal, q) + 2 * PLEX_DIM + 2;

  plex_geometry(args, nodal, q, p);
  PLEX_UNROLL
  for (int f = 0; f < PLEX_NF + PLEX_NF_AUX; ++f) {
    const int Nc = plex_field_components(f), nodes = plex_field_evaluated_nodes(f), side = plex_field_evaluated_row(f);
    const int row       = side < 2 ? places[PLEX_EVALUATED + 2 * q + side] : q;
    const double *table = args.facet + plex_field_evaluated_table(f) + row * nodes * (1 + PLEX_DIM);
    const double *invJ  = inverse + plex_field_evaluated_frame(f) * PLEX_DIM * PLEX_DIM;

    PLEX_UNROLL
    for (int c = 0; c < Nc; ++c) {
      const int k = plex_field_component(f) + c;
      plex_real u = 0, ut = 0, ur[PLEX_DIM];

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) ur[a] = 0;
      PLEX_UNROLL
      for (int n = 0; n < nodes; ++n) {
        const double   *basis = table + n * (1 + PLEX_DIM);
        const int       i     = plex_field_evaluated_first(f) + n * Nc + c;
        const plex_real un    = f < PLEX_NF ? (plex_real)args.u[places[i]] : nodal.u[PLEX_EF + i];

        u += (plex_real)basis[0] * un;
        if (f < PLEX_NF && args.u_t) ut += (plex_real)basis[0] * (plex_real)args.u_t[places[i]];
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) ur[a] += (plex_real)basis[1 + a] * un;
      }
      p.u[k] = u;
      if (f < PLEX_NF) p.ut[k] = ut;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) {
        plex_real s = 0;

        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) s += (plex_real)invJ[a * PLEX_DIM + b] * ur[a];
        p.ux[k * PLEX_DIM + b] = s;
      }
    }
  }
}
