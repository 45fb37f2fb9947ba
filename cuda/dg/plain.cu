// The right-hand side of equation 4 in one simple kernel, with which the other types are compared.
//
// A block computes PLEX_DG_BLOCK_ELEMENTS elements, a thread all fields at a node. It copies the elements' states to
// shared memory. Its threads compute Fscale times equation 5 at the nodes of the faces, also to shared memory. Then
// each thread differentiates and lifts at its node.
//
// An element reads its state and geometry, its neighbours' traces and 4 or 3 links, and writes its time derivative:
// 8 (2 NF NP + NF FACES NFP) + sizeof(plex_real) DIM^2 + 4 FACES bytes. D and L come from the caches.
#include "source.cuh"

// Fscale times equation 5 at node m of face f of element e, whose state is own[NF][NP]
PLEX_DEVICE void plex_dg_face_node(const PlexDGArgs &args, int e, int f, int m, const plex_real (*own)[PLEX_DG_NP],
                                   plex_real *flux)
{
  const PlexDGAcross a    = plex_dg_across(args, e, f, PLEX_DG_NF);
  const int          node = plex_dg_face_nodes[f][m];
  const plex_real   *kM = PLEX_DG_COEFFICIENTS(e), *constants = (const plex_real *)args.constants;
  plex_real          uM[PLEX_DG_NF], uP[PLEX_DG_NF], n[PLEX_DIM], scale;

  scale = plex_dg_normal((const plex_real *)args.geometry + (plex_index)e * PLEX_DIM * PLEX_DIM, f, n);
  for (int k = 0; k < PLEX_DG_NF; ++k) uM[k] = own[k][node];
  if (a.facet < 0) {
    const int turned = plex_dg_turn[a.turn][m],
              at     = a.face < PLEX_DG_FACES ? plex_dg_face_nodes[a.face][turned] : turned;

    for (int k = 0; k < PLEX_DG_NF; ++k) uP[k] = a.get(k * a.stride + at);
  } else {
    const plex_real *x = args.facets
                         ? (const plex_real *)args.facets + ((plex_index)a.facet * PLEX_DG_NFP + m) * PLEX_DIM
                         : NULL;

    dg_boundary(args.kinds[a.facet], uM, n, x, (plex_real)args.t, kM, constants, uP);
  }
  dg_face(uM, uP, n, kM, PLEX_DG_COEFFICIENTS(a.element), constants, flux);
  for (int k = 0; k < PLEX_DG_NF; ++k) flux[k] *= scale;
}

extern "C" __global__ void plex_dg_plain(PlexDGArgs args)
{
  __shared__ plex_real u[PLEX_DG_BLOCK_ELEMENTS][PLEX_DG_NF][PLEX_DG_NP],
    flux[PLEX_DG_BLOCK_ELEMENTS][PLEX_DG_NF][PLEX_DG_FACES * PLEX_DG_NFP];
#ifdef PLEX_DG_FLUX_FORM
  /* fluxes along the reference coordinates */
  __shared__ plex_real G[PLEX_DG_BLOCK_ELEMENTS][PLEX_DIM][PLEX_DG_NF][PLEX_DG_NP];
#endif
  const int        first = args.begin + (int)blockIdx.x * PLEX_DG_BLOCK_ELEMENTS,
                   count = min(PLEX_DG_BLOCK_ELEMENTS, args.end - first);
  const int        b = (int)threadIdx.x / PLEX_DG_NP, i = (int)threadIdx.x % PLEX_DG_NP, e = first + b;
  const plex_real *D = (const plex_real *)args.D, *L = (const plex_real *)args.L,
                  *constants = (const plex_real *)args.constants;
  const plex_real *rx        = (const plex_real *)args.geometry + (plex_index)e * PLEX_DIM * PLEX_DIM;

  for (int k = (int)threadIdx.x; k < count * PLEX_DG_NF * PLEX_DG_NP; k += (int)blockDim.x)
    (&u[0][0][0])[k] = (plex_real)args.u[(plex_index)first * PLEX_DG_NF * PLEX_DG_NP + k];
  __syncthreads();
  for (int k = (int)threadIdx.x; k < count * PLEX_DG_FACES * PLEX_DG_NFP; k += (int)blockDim.x) {
    const int c = k / (PLEX_DG_FACES * PLEX_DG_NFP), m = k % (PLEX_DG_FACES * PLEX_DG_NFP);
    plex_real value[PLEX_DG_NF];

    plex_dg_face_node(args, first + c, m / PLEX_DG_NFP, m % PLEX_DG_NFP, u[c], value);
    for (int f = 0; f < PLEX_DG_NF; ++f) flux[c][f][m] = value[f];
  }
#ifdef PLEX_DG_FLUX_FORM
  if (b < count) {
    plex_real own[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

    for (int f = 0; f < PLEX_DG_NF; ++f) own[f] = u[b][f][i];
    dg_flux(own, PLEX_DG_COEFFICIENTS(e), constants, F);
    for (int a = 0; a < PLEX_DIM; ++a) {
      for (int f = 0; f < PLEX_DG_NF; ++f) {
        plex_real sum = 0;

        for (int d = 0; d < PLEX_DIM; ++d) sum += rx[a * PLEX_DIM + d] * F[d][f];
        G[b][a][f][i] = sum;
      }
    }
  }
#endif
  __syncthreads();
  if (b < count) {
    plex_real own[PLEX_DG_NF], r[PLEX_DG_NF];

    for (int f = 0; f < PLEX_DG_NF; ++f) own[f] = u[b][f][i];
#ifdef PLEX_DG_FLUX_FORM
    for (int f = 0; f < PLEX_DG_NF; ++f) r[f] = 0;
    for (int a = 0; a < PLEX_DIM; ++a) {
      for (int j = 0; j < PLEX_DG_NP; ++j) {
        const plex_real derivative = D[(a * PLEX_DG_NP + j) * PLEX_DG_NP + i];

        for (int f = 0; f < PLEX_DG_NF; ++f) r[f] -= derivative * G[b][a][f][j];
      }
    }
#else
    plex_real dr[PLEX_DIM][PLEX_DG_NF] = {}, du[PLEX_DIM][PLEX_DG_NF];

    for (int j = 0; j < PLEX_DG_NP; ++j) {
      for (int a = 0; a < PLEX_DIM; ++a) {
        const plex_real derivative = D[(a * PLEX_DG_NP + j) * PLEX_DG_NP + i];

        for (int f = 0; f < PLEX_DG_NF; ++f) dr[a][f] += derivative * u[b][f][j];
      }
    }
    for (int d = 0; d < PLEX_DIM; ++d) {
      for (int f = 0; f < PLEX_DG_NF; ++f) {
        du[d][f] = 0;
        for (int a = 0; a < PLEX_DIM; ++a) du[d][f] += rx[a * PLEX_DIM + d] * dr[a][f];
      }
    }
    dg_volume(own, du, PLEX_DG_COEFFICIENTS(e), constants, r);
#endif
#ifdef PLEX_DG_SOURCE
    plex_dg_add_source(args, e, i, own, r);
#endif
    for (int m = 0; m < PLEX_DG_FACES * PLEX_DG_NFP; ++m) {
      const plex_real lift = L[m * PLEX_DG_NP + i];

      for (int f = 0; f < PLEX_DG_NF; ++f) r[f] += lift * flux[b][f][m];
    }
    for (int f = 0; f < PLEX_DG_NF; ++f) args.r[((plex_index)e * PLEX_DG_NF + f) * PLEX_DG_NP + i] = r[f];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_plain)
