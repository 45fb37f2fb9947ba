// Boundary values of a hybridized DG method by pointwise functions, src/hdg/data.c: a block a facet. First a thread has a
// point, and keeps g and alpha times the weight there; then a function of the face, whose moment it sums; then an entry of
// what Dirichlet's condition projects to, or of Robin's matrix. plex_hdg_boundary_value(args, condition, x, n, g), which
// the text before this file defines, gives g and alpha.
#include "points.cuh"

extern "C" __global__ void plex_hdg_boundary(PlexHDGFacetsArgs args)
{
  PLEX_DYNAMIC_SHARED(double, values); // [NQF] g, [NQF] alpha, [NF] moments
  double            *moments = values + 2 * PLEX_HDG_NQF;
  const PlexHDGFacet facet   = args.facets[blockIdx.x];
  const double      *psi     = args.psi + facet.turn * PLEX_HDG_NQF * PLEX_HDG_NF;

  for (int q = (int)threadIdx.x; q < PLEX_HDG_NQF; q += (int)blockDim.x) {
    const double *at   = args.points + ((plex_index)blockIdx.x * PLEX_HDG_NQF + q) * (2 * PLEX_DIM + 1);
    double        x[3] = {}, n[3] = {};
    PetscScalar   g[2] = {0, 0};

    for (int d = 0; d < PLEX_DIM; ++d) {
      x[d] = at[d];
      n[d] = at[PLEX_DIM + d];
    }
    plex_hdg_boundary_value(args, facet.condition, x, n, g);
    if (facet.kind != 2) g[1] = 0;
    if (!isfinite(g[0]) || !isfinite(g[1]) || g[1] < 0) atomicMax(&args.found->bad, (int)blockIdx.x);
    values[q]                = at[2 * PLEX_DIM] * g[0];
    values[PLEX_HDG_NQF + q] = at[2 * PLEX_DIM] * g[1];
    if (facet.kind == 0 || g[1] > 0) args.found->holds = 1;
  }
  __syncthreads();
  for (int m = (int)threadIdx.x; m < PLEX_HDG_NF; m += (int)blockDim.x) {
    double sum = 0;

    for (int q = 0; q < PLEX_HDG_NQF; ++q) sum += values[q] * psi[q * PLEX_HDG_NF + m];
    moments[m] = sum;
    if (facet.kind) args.natural[(plex_index)facet.target * PLEX_HDG_NF + m] = sum;
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; facet.kind == 0 && i < PLEX_HDG_NF; i += (int)blockDim.x) {
    const double *row = args.inverse + ((plex_index)facet.matrix * PLEX_HDG_NF + i) * PLEX_HDG_NF;
    double        sum = 0;

    for (int m = 0; m < PLEX_HDG_NF; ++m) sum += row[m] * moments[m];
    args.fixed[(plex_index)facet.target * PLEX_HDG_NF + i] = sum;
  }
  for (int k = (int)threadIdx.x; facet.kind == 2 && k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x) {
    double sum = 0;

    for (int q = 0; q < PLEX_HDG_NQF; ++q)
      sum += values[PLEX_HDG_NQF + q] * psi[q * PLEX_HDG_NF + k / PLEX_HDG_NF] * psi[q * PLEX_HDG_NF + k % PLEX_HDG_NF];
    if (plex_hdg_renew(&args.robin[(plex_index)facet.matrix * PLEX_HDG_NF * PLEX_HDG_NF + k], sum))
      args.found->changed = 1;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_boundary)
