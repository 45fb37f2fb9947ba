// DG with quadrature in one pass, a thread an element: for elements of few nodes, whose fields and sums are in
// registers. What quadrature_fused.cu spends there on tiles that are mostly empty and on barriers is more than the
// arithmetic itself. Elements are affine.
//
//   1. fields of a block's elements to shared memory, as they are; a thread's own to registers. Traces of
//       neighbours in other blocks to shared memory too
//   2. volume: fields at each point, fluxes and sources there, redistributed at once
//   3. faces likewise; neighbours in the block, most of them along a curve of elements, are read where their fields are
//   4. sums to shared memory, and from there the rate, or residual and next state, in the order of memory
//
// An element reads its state, DIM^2 reals of geometry, FACES links and the traces of its neighbours outside of the
// block, and writes its rate: at least 8 (2 NF NP + DIM^2) + 4 FACES bytes, 16 NF NP more in a stage. Flops: 2 NF (NP
// ((1 + DIM) NG + FACES MG) + 2 FACES MG NFP).
#define PLEX_DG_BLOCK        PLEX_DG_ELEMENTS
#define PLEX_DG_RECORD_REALS 0
#include "quadrature.cuh"
#include "block.cuh"

#define PLEX_DG_VALUES (PLEX_DG_NF * PLEX_DG_NP)                                   // of an element
#define PLEX_DG_TRACES (PLEX_DG_NF * PLEX_DG_FACES * PLEX_DG_NFP)                  // of its neighbours
#define PLEX_DG_ST     (PLEX_DG_TRACES / 2 * 2 + 1)                                // odd: threads read different banks
#define PLEX_DG_SECOND (PLEX_DG_ST > PLEX_DG_VALUES ? PLEX_DG_ST : PLEX_DG_VALUES) // an element's in the second array

// Matrices, in the memory of arguments, from which arithmetic takes numbers directly. M^-1 is in W2, W3, W5;
// PlexDGElementTables() in element.c
struct PlexDGElementTables {
  plex_real phi[PLEX_DG_NG][PLEX_DG_NP], psi[PLEX_DG_MG][PLEX_DG_NFP];
  plex_real W3[PLEX_DIM][PLEX_DG_NG][PLEX_DG_NP], W5[PLEX_DG_FACES][PLEX_DG_MG][PLEX_DG_NP];
#if PLEX_DG_SOURCES
  plex_real W2[PLEX_DG_NG][PLEX_DG_NP];
#endif
};

// A block's elements, and its arrays in shared memory
struct PlexDGBlock {
  /* [elements][ST]: [NF][FACES][NFP] of neighbours outside of the block, in the order of own face nodes */
  plex_real *u; // [elements][NF][NP]
  plex_real *T;
  plex_real *sums;     // [elements][NF][NP], in the place of T
  int        first, n; // elements first ... first + n - 1

  __device__ __forceinline__ bool has(const PlexDGFace &face) const
  {
    return face.meet >= 0 && face.at >= first && face.at < first + n;
  }
};

PLEX_DEVICE PlexDGBlock plex_dg_block(const PlexDGArgs &args)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  PlexDGBlock b;

  b.u = memory;
  b.T = b.sums = memory + PLEX_DG_ELEMENTS * PLEX_DG_VALUES;
  b.first      = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
  b.n          = args.end - b.first < PLEX_DG_ELEMENTS ? args.end - b.first : PLEX_DG_ELEMENTS;
  return b;
}

// The trace across face f of the thread's element, where it is not in the block; zero on the boundary
PLEX_DEVICE void plex_dg_load_trace(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u,
                                    const short *meet, const PlexDGFace &face, int f)
{
  plex_real *to = b.T + threadIdx.x * PLEX_DG_ST + f * PLEX_DG_NFP;

  if (b.has(face)) return;
  _Pragma("unroll")
  for (int m = 0; m < PLEX_DG_NFP; ++m) {
    const plex_state *from  = u + (plex_index)face.at * PLEX_DG_VALUES + (face.meet >= 0 ? meet[face.meet + m] : 0);
    const plex_real  *ghost = (const plex_real *)args.ghosts + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NFP) +
                              (face.meet < -1 ? plex_dg_turn[-2 - face.meet][m] : 0);

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      plex_real *place = to + k * (PLEX_DG_FACES * PLEX_DG_NFP) + m;

      if (face.meet >= 0) plex_dg_fetch(place, from + k * PLEX_DG_NP);
      else *place = face.meet == -1 ? (plex_real)0 : ghost[k * PLEX_DG_NFP];
    }
  }
}

// sums[k][i] += w[i] q[k]
PLEX_DEVICE void plex_dg_redistribute(const plex_real *w, const plex_real *q, plex_real sums[PLEX_DG_NF][PLEX_DG_NP])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NP; ++i) sums[k][i] += w[i] * q[k];
}

// Fluxes and sources at the points of element e
PLEX_DEVICE void plex_dg_volume(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                const PlexDGElementTables &tables, int e, const plex_real *C, const plex_real *c,
                                const plex_real u[PLEX_DG_NF][PLEX_DG_NP], plex_real sums[PLEX_DG_NF][PLEX_DG_NP])
{
  _Pragma("unroll")
  for (int g = 0; g < PLEX_DG_NG; ++g) {
    plex_real ug[PLEX_DG_NF] = {}, F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
    for (int i = 0; i < PLEX_DG_NP; ++i) ug[k] += tables.phi[g][i] * u[k][i];
    plex_dg_point_flux(args, points, e, g, ug, c, F);
    plex_dg_to_reference_fluxes(C, F, G);
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) plex_dg_redistribute(tables.W3[a][g], G[a], sums);
#if PLEX_DG_SOURCES
    plex_real s[PLEX_DG_NF];

    plex_dg_sources(args, points, e, g, ug, c, s);
    plex_dg_redistribute(tables.W2[g], s, sums);
#endif
  }
}

// Numerical fluxes at the points of face f; returns the energy that leaves through it
PLEX_DEVICE plex_real plex_dg_face_points(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                          const PlexDGElementTables &tables, const PlexDGBlock &b, const short *meet,
                                          const PlexDGFace &face, int f, const plex_real *C, const plex_real *c,
                                          const plex_real u[PLEX_DG_NF][PLEX_DG_NP],
                                          plex_real       sums[PLEX_DG_NF][PLEX_DG_NP])
{
  const bool       here    = b.has(face);
  const int        element = b.first + (int)threadIdx.x, apart = here ? PLEX_DG_NP : PLEX_DG_FACES * PLEX_DG_NFP;
  const plex_real *from = here ? b.u + (face.at - b.first) * PLEX_DG_VALUES
                               : b.T + threadIdx.x * PLEX_DG_ST + f * PLEX_DG_NFP;
  plex_real        across[PLEX_DG_NFP][PLEX_DG_NF], n[PLEX_DIM];
  const plex_real  scale    = plex_dg_affine_normal(C, f, n);
  plex_real        crossing = 0;

  _Pragma("unroll")
  for (int m = 0; m < PLEX_DG_NFP; ++m) {
    const int node = here ? meet[face.meet + m] : m;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) across[m][k] = from[k * apart + node];
  }
  _Pragma("unroll")
  for (int g = 0; g < PLEX_DG_MG; ++g) {
    plex_real uM[PLEX_DG_NF] = {}, uP[PLEX_DG_NF] = {}, q[PLEX_DG_NF];

    _Pragma("unroll")
    for (int m = 0; m < PLEX_DG_NFP; ++m) _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] += tables.psi[g][m] * u[k][plex_dg_face_nodes[f][m]];
      uP[k] += tables.psi[g][m] * across[m][k];
    }
    const plex_real energy = plex_dg_numerical_flux(args, points, (plex_index)element * PLEX_DG_FACES + f, element,
                                                    face.meet >= 0    ? face.at
                                                    : face.meet == -1 ? element
                                                                      : args.Ne + face.at,
                                                    face.meet == -1 ? face.at : -1, g, n, c, uM, uP, q);
#if PLEX_DG_ENERGY
    crossing += scale * plex_dg_energy_face_weight(points, g) * energy;
#else
    (void)energy;
#endif
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) q[k] *= -scale;
    plex_dg_redistribute(tables.W5[f][g], q, sums);
  }
  return crossing;
}

// All of the thread's element
PLEX_DEVICE void plex_dg_element(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                 const PlexDGElementTables &tables, const PlexDGBlock &b, const short *meet,
                                 const PlexDGFace *face, plex_real sums[PLEX_DG_NF][PLEX_DG_NP])
{
  const int        e    = b.first + (int)threadIdx.x;
  const plex_real *from = plex_dg_cofactors(points, e, 0);
  plex_real        u[PLEX_DG_NF][PLEX_DG_NP], C[PLEX_DIM * PLEX_DIM], c[PLEX_DG_NC + 1], crossing = 0;

  for (int i = 0; i < PLEX_DIM * PLEX_DIM; ++i) C[i] = from[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) c[i] = PLEX_DG_CONSTANTS[i];
  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_VALUES; ++i) u[i / PLEX_DG_NP][i % PLEX_DG_NP] = b.u[threadIdx.x * PLEX_DG_VALUES + i];
  plex_dg_volume(args, points, tables, e, C, c, u, sums);
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_FACES; ++f)
    crossing += plex_dg_face_points(args, points, tables, b, meet, face[f], f, C, c, u, sums);
#if PLEX_DG_ENERGY
  plex_dg_energy_correct(points, e, crossing, c, &u[0][0], &sums[0][0]);
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK, PLEX_DG_RESIDENT)
  plex_dg_quadrature_element(PlexDGArgs args, PlexDGStage stage, PlexDGPointArgs points, PlexDGElementTables tables,
                             const short *meet)
{
  const PlexDGBlock b                            = plex_dg_block(args);
  const bool        mine                         = (int)threadIdx.x < b.n;
  plex_real         sums[PLEX_DG_NF][PLEX_DG_NP] = {};
  PlexDGFace        face[PLEX_DG_FACES];
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;

  if (!threadIdx.x && stage.a != 0)
    plex_dg_prefetch(stage.residual, (size_t)b.first * (PLEX_DG_VALUES * sizeof(plex_real)),
                     (unsigned)(b.n * (PLEX_DG_VALUES * (int)sizeof(plex_real))));
#else
  const plex_state *u = args.u;
#endif

  plex_dg_load_block<PLEX_DG_VALUES, PLEX_DG_VALUES>(b.u, u, b.first, b.n);
  if (mine)
    for (int f = 0; f < PLEX_DG_FACES; ++f) {
      face[f] = plex_dg_face_of(args, b.first + (int)threadIdx.x, f);
      plex_dg_load_trace(args, b, u, meet, face[f], f);
    }
  plex_dg_fetched();
  __syncthreads();
  if (mine) plex_dg_element(args, points, tables, b, meet, face, sums);
  __syncthreads();
  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_VALUES; ++i)
    b.sums[threadIdx.x * PLEX_DG_VALUES + i] = sums[i / PLEX_DG_NP][i % PLEX_DG_NP];
  __syncthreads();
  plex_dg_update_block<PLEX_DG_VALUES, PLEX_DG_VALUES>(args, stage, b.first, b.n, b.u,
                                                       [&](int e, int j) { return b.sums[e * PLEX_DG_VALUES + j]; });
}
PLEX_EXPORT_KERNEL(plex_dg_quadrature_element)
