// Flux gather of type separate: Fscale times equation 5 at all nodes of all faces.
#include "separate.cuh"

// Every face of every element by itself. A thread computes a node of a face, all fields: it reads both sides' values,
// and what PLEX_DG_ALIGN threads write next to each other is aligned. 8 NF (1 + 1) read and sizeof(plex_real) NF
// written a node.
extern "C" __global__ void plex_dg_gather_faces(PlexDGArgs args, PlexDGSeparateArgs s)
{
  const plex_index q = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;
  const int        m = s.begin + (int)(q / PLEX_DG_NFM), at = (int)(q % PLEX_DG_NFM), slot = at / PLEX_DG_FLUXES,
                   f = at % PLEX_DG_FLUXES / PLEX_DG_NFP, node = at % PLEX_DG_NFP;

  if (m < s.end && slot < PLEX_DG_KM) {
    const int e = s.element[m * PLEX_DG_KM + slot];

    if (e >= 0) {
      const PlexDGAcross a = plex_dg_across(args, e, f, PLEX_DG_NF);
      plex_real          uM[PLEX_DG_NF], uP[PLEX_DG_NF], n[PLEX_DIM], flux[PLEX_DG_NF];
      const plex_real scale = plex_dg_normal((const plex_real *)args.geometry + (plex_index)e * PLEX_DIM * PLEX_DIM, f,
                                             n);

      plex_dg_get_state(s, e, plex_dg_face_nodes[f][node], uM);
      if (a.facet < 0) plex_dg_get_across(args, s, a.element, a.face, plex_dg_turn[a.turn][node], uP);
      else plex_dg_get_outside(args, e, a.facet, node, uM, n, uP);
      dg_face(uM, uP, n, PLEX_DG_COEFFICIENTS(e), PLEX_DG_COEFFICIENTS(a.element), (const plex_real *)args.constants,
              flux);
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k)
        ((plex_real *)s.flux)[((plex_index)m * PLEX_DG_NF + k) * PLEX_DG_NFM + at] = scale * flux[k];
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_gather_faces)

// A flux in shared memory, at its place in the output
PLEX_DEVICE void plex_dg_put(plex_real *shared, int at, plex_real scale, const plex_real *flux)
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) shared[at + k * PLEX_DG_NFM] = scale * flux[k];
}

// Algorithm 3: pairs of faces in blocks of elements next to each other in the mesh. A block computes s.microblocks
// microblocks. NFP threads take a pair, s.parallel of them at a time; those of pairs within the block read both sides'
// values once and compute both fluxes. All go to shared memory in the layout of the output, which is then written in
// one piece.
extern "C" __global__ void plex_dg_gather_blocks(PlexDGArgs args, PlexDGSeparateArgs s)
{
  PLEX_DYNAMIC_SHARED(plex_real, flux); // [microblocks][NF][NFM], then normals[most][DIM + 2], pairs[most]
  const int               size = s.microblocks * PLEX_DG_NF * PLEX_DG_NFM, m = (int)threadIdx.x % PLEX_DG_NFP,
                          b      = s.begin / s.microblocks + (int)blockIdx.x;
  const PlexDGGatherBlock block  = s.blocks[b];
  const int               inside = block.interior, across = inside + block.exterior, all = across + block.boundary;
  plex_real              *normals   = flux + size;
  PlexDGPair             *pairs     = (PlexDGPair *)(normals + s.most * (PLEX_DIM + 2));
  const plex_real        *constants = (const plex_real *)args.constants;
  plex_real               uM[PLEX_DG_NF], uP[PLEX_DG_NF], value[PLEX_DG_NF];

  for (int k = (int)threadIdx.x; k < all * (PLEX_DIM + 2); k += (int)blockDim.x)
    normals[k] = ((const plex_real *)s.normals)[(plex_index)block.pairs * (PLEX_DIM + 2) + k];
  for (int k = (int)threadIdx.x; k < all * (int)(sizeof(PlexDGPair) / sizeof(int)); k += (int)blockDim.x)
    ((int *)pairs)[k] = ((const int *)(s.pairs + block.pairs))[k];
  __syncthreads();
  if ((int)threadIdx.x < PLEX_DG_NFP * s.parallel) {
    int p = (int)threadIdx.x / PLEX_DG_NFP;

    for (; p < across; p += s.parallel) {
      const PlexDGPair pair   = pairs[p];
      const plex_real *n      = normals + p * (PLEX_DIM + 2);
      const int        turned = plex_dg_turn[pair.code / 64][m];

      plex_dg_get_state(s, pair.eM, plex_dg_face_nodes[pair.code % 8][m], uM);
      plex_dg_get_across(args, s, pair.eP, pair.code / 8 % 8, turned, uP);
      dg_face(uM, uP, n, PLEX_DG_COEFFICIENTS(pair.eM), PLEX_DG_COEFFICIENTS(pair.eP), constants, value);
      plex_dg_put(flux, pair.storeM + m, n[PLEX_DIM], value);
      if (p < inside) {
        plex_real inward[PLEX_DIM];

        for (int d = 0; d < PLEX_DIM; ++d) inward[d] = -n[d];
        dg_face(uP, uM, inward, PLEX_DG_COEFFICIENTS(pair.eP), PLEX_DG_COEFFICIENTS(pair.eM), constants, value);
        plex_dg_put(flux, pair.storeP + turned, n[PLEX_DIM + 1], value);
      }
    }
    for (; p < all; p += s.parallel) {
      const PlexDGPair pair = pairs[p];
      const plex_real *n    = normals + p * (PLEX_DIM + 2);

      plex_dg_get_state(s, pair.eM, plex_dg_face_nodes[pair.code % 8][m], uM);
      plex_dg_get_outside(args, pair.eM, pair.eP, m, uM, n, uP);
      dg_face(uM, uP, n, PLEX_DG_COEFFICIENTS(pair.eM), PLEX_DG_COEFFICIENTS(pair.eM), constants, value);
      plex_dg_put(flux, pair.storeM + m, n[PLEX_DIM], value);
    }
  }
  __syncthreads();
  for (int k = (int)threadIdx.x; k < size; k += (int)blockDim.x)
    ((plex_real *)s.flux)[(plex_index)b * size + k] = flux[k];
}
PLEX_EXPORT_KERNEL(plex_dg_gather_blocks)
