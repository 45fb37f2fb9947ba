// The integrator of tests/assembly/vertex.c: linear simplices by the rule whose points are the vertices, each with the
// weight |K| / (dim + 1), so that mass matrices are diagonal. vertex_of[n] is the vertex of node n of each field.

// Entry a of the jet of node n of field f at vertex v: gradients are the same at all points
PLEX_DEVICE plex_real vertex_basis(const PlexArgs &args, int f, int n, int v, int a)
{
  return a ? PLEX_BASIS_OF_NODE(args, f, 0, n, a) : vertex_of[n] == v;
}

// D or V of vertex v; p has the element's geometry and gradients
PLEX_DEVICE void vertex_point(const PlexArgs &args, const PlexNodal &nodal, int v, PlexPoint &p, plex_real out[])
{
  PetscScalar     constants[PLEX_NCONSTANTS + 3];
  const plex_real weight = p.volume / (PLEX_DIM == 2 ? 6 : 24);

  for (int d = 0; d < PLEX_DIM; ++d) p.x[d] = (PetscReal)nodal.x[v * PLEX_DIM + d];
  for (int i = 0; i < PLEX_EF; ++i) {
    int f, n, c;

    plex_dof(i, f, n, c);
    if (vertex_of[n] != v) continue;
    p.u[plex_field_component(f) + c] = nodal.u[i];
    if (args.u_t) p.ut[plex_field_component(f) + c] = nodal.ut[i];
  }
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  for (int k = 0; k < PLEX_POINT_SIZE; ++k) out[k] = 0;
  PLEX_FORM(args, p, constants, weight, out)
}

template <class Emit>
PLEX_DEVICE void plex_integrator_element(const PlexArgs &args, PlexWork &work, Emit emit)
{
  plex_real D[PLEX_NV][PLEX_POINT_SIZE];
  PlexPoint p;

  plex_point(args, work.nodal, 0, p);
  for (int v = 0; v < PLEX_NV; ++v) vertex_point(args, work.nodal, v, p, D[v]);
  for (int i = 0; i < PLEX_EF; ++i) {
    int f, n, c, g = 0, m = 0, d = 0;

    plex_dof(i, f, n, c);
    for (int j = 0; j < (!PLEX_JACOBIAN ? 1 : PLEX_SYMMETRIC ? i + 1 : PLEX_EF); ++j) {
      const int KU  = PLEX_JACOBIAN ? PLEX_KU : 1; // of a residual there is no trial function
      const int row = (plex_field_component(f) + c) * PLEX_KT, length = PLEX_JACOBIAN ? PLEX_JU : 1;
      plex_real sum = 0;

      if (PLEX_JACOBIAN) plex_dof(j, g, m, d);
      for (int v = 0; v < PLEX_NV; ++v)
        for (int a = 0; a < PLEX_KT; ++a)
          for (int b = 0; b < KU; ++b)
            sum += vertex_basis(args, f, n, v, a + 1 - PLEX_TEST_VALUE) *
                   D[v][(row + a) * length + (PLEX_JACOBIAN ? (plex_field_component(g) + d) * PLEX_KU + b : 0)] *
                   (PLEX_JACOBIAN ? vertex_basis(args, g, m, v, b + 1 - PLEX_TRIAL_VALUE) : (plex_real)1);
      emit(i, j, sum);
    }
  }
}
