// Layout of the arrays of type separate: src/dg/impls/separate/, and cuda/dg/separate_args.h. Sizes come as
// definitions:
//
//   PLEX_DG_KM slots of a microblock, PLEX_DG_NPM, PLEX_DG_NFM, PLEX_DG_NGM padded sizes of its units,
//       PLEX_DG_ALIGN that they are multiples of
//   PLEX_DG_STAGE: the state is in the operator's precision
#pragma once

#include "source.cuh"
#include "separate_args.h"
#include "fused_args.h"

#define PLEX_DG_FLUXES (PLEX_DG_FACES * PLEX_DG_NFP) // of a field of an element

#if PLEX_DG_STAGE
typedef plex_real plex_dg_state;
#else
typedef double plex_dg_state;
#endif

// Fields of element e at node i
PLEX_DEVICE void plex_dg_get_state(const PlexDGSeparateArgs &s, int e, int i, plex_real *u)
{
  const plex_dg_state *at = (const plex_dg_state *)s.u + (plex_index)e * PLEX_DG_NF * PLEX_DG_NP + i;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = (plex_real)at[k * PLEX_DG_NP];
}

// Fields across a face, at node `turned` of the other side: of element e, or of a received trace where face is
// PLEX_DG_FACES
PLEX_DEVICE void plex_dg_get_across(const PlexDGArgs &args, const PlexDGSeparateArgs &s, int e, int face, int turned,
                                    plex_real *u)
{
  if (face < PLEX_DG_FACES) plex_dg_get_state(s, e, plex_dg_face_nodes[face][turned], u);
  else {
    const plex_real *at = (const plex_real *)args.ghosts + (plex_index)(e - args.Ne) * PLEX_DG_NF * PLEX_DG_NFP +
                          turned;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = at[k * PLEX_DG_NFP];
  }
}

// The state outside at node m of a facet of the boundary
PLEX_DEVICE void plex_dg_get_outside(const PlexDGArgs &args, int e, int facet, int m, const plex_real *uM,
                                     const plex_real *n, plex_real *uP)
{
  const plex_real *x = args.facets ? (const plex_real *)args.facets + ((plex_index)facet * PLEX_DG_NFP + m) * PLEX_DIM
                                   : NULL;

  dg_boundary(args.kinds[facet], uM, n, x, (plex_real)args.t, PLEX_DG_COEFFICIENTS(e),
              (const plex_real *)args.constants, uP);
}
