// Curved elements of nodal DG on tensor cores: right-hand side, or a stage of a low-storage scheme, of systems with
// dg_volume(). curved.cu is the same in plain C++. All products are those of a warp's tensor units (unit.cuh) with
// matrices of the reference element: rows are the 16 elements of a block, columns 8 points or nodes, one such product
// for each field, so that a lane has all fields of its points and the steps between are pointwise. Products whose sums
// a system does not use (of Maxwell's equations half of them) are none.
//
//   1. the block's fields to shared memory [NF][16][SN], what lies across the faces, numbers of the flux on each
//   2. PLEX_DG_AT faces at a time: traces across [NF][16][ST], both traces at tiles of 8 points, Q there [NF][16][SQ];
//      sums of nodes over them
//   3. PLEX_DG_CHUNK tiles of points at a time, in the place of 2: derivatives, then S, and fields, then G, of other
//      warps where there are more than tiles: [ROWS][16][SX]; sums of nodes over them
//   4. sums in the place of the fields; PLEX_DG_SOLVED tiles at a time: these at points, over det J, [NF][16][SB], and
//      back
//   5. rates in the place of the sums, and from there right-hand side, or residual and next state, to memory
//
// Sums of a node stay in registers from 2 to 3: a warp has PLEX_DG_TILES tiles of nodes. An element moves its state and
// time derivative, as an affine one, and (DIM^2 + 1) NG + FACES (DIM + 1) MG numbers of geometry, with NG and MG made
// multiples of 8. A block reads all matrices once, from the L2 cache, which is the most that it reads: 2 (1 + DIM) NG
// NP numbers, those of values twice, and NP FACES MG of the faces.
#include "curved.cuh"
#include "curved_fused_args.h"
#include "form.cuh"

#define PLEX_DG_ELEMENTS 16
#define PLEX_DG_BLOCK    (32 * PLEX_DG_WARPS)
#include "block.cuh"

#define PLEX_DG_NODE_TILES  ((PLEX_DG_NP + 7) / 8)
#define PLEX_DG_POINT_TILES ((PLEX_DG_NG + 7) / 8)
#define PLEX_DG_FACE_TILES  ((PLEX_DG_MG + 7) / 8)
#define PLEX_DG_MATRICES    (1 + PLEX_DIM)
#define PLEX_DG_TILE_STEPS  (8 / PLEX_UNIT_K)

// Columns of a face's nodes, and of the points of PLEX_DG_AT faces; lengths of rows
#define PLEX_DG_FN (PLEX_DG_STEPS(PLEX_DG_NFP) * PLEX_UNIT_K)
#define PLEX_DG_FC (PLEX_DG_STEPS(PLEX_DG_AT * PLEX_DG_MG) * PLEX_UNIT_K)
#define PLEX_DG_SN plex_dg_stride(PLEX_DG_NP)
#define PLEX_DG_ST plex_dg_stride(PLEX_DG_AT *PLEX_DG_FN)
#define PLEX_DG_SQ plex_dg_stride(PLEX_DG_FC)
#define PLEX_DG_SX plex_dg_stride(8 * PLEX_DG_CHUNK)
#define PLEX_DG_SB plex_dg_stride(8 * PLEX_DG_SOLVED)

// A block's arrays in shared memory; PlexDGCurvedFusedShared() in src/dg/impls/curved/fused.c counts them
struct PlexDGCurvedBlock {
  plex_real  *u;       // [NF][16][SN] fields, then sums, then rates
  plex_real  *x;       // [ROWS][16][SX] of points, or [NF][16][SB]
  plex_real  *trace;   // [NF][16][ST], the same place
  plex_real  *q;       // [NF][16][SQ], behind it
  plex_real  *k;       // [16][NK] coefficients
  plex_real  *numbers; // [16][FACES][FACE_NUMBERS] of the flux
  plex_real  *c;       // [NC]
  PlexDGFace *faces;   // [16][FACES]
  short      *meet;    // [FACES][TURNS][NFP], then the faces' own nodes [FACES][NFP]
  int         first, n, index;
};

static __device__ constexpr int plex_dg_larger(int a, int b)
{
  return a > b ? a : b;
}

PLEX_DEVICE PlexDGCurvedBlock plex_dg_block(const PlexDGArgs &args, const PlexDGCurvedFusedArgs &curved)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  constexpr int     rows = plex_dg_larger(plex_dg_larger(PLEX_DG_ROWS * PLEX_DG_SX, PLEX_DG_NF * PLEX_DG_SB),
                                          PLEX_DG_NF * (PLEX_DG_ST + PLEX_DG_SQ));
  PlexDGCurvedBlock b;

  b.u       = memory;
  b.x       = b.u + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_SN;
  b.trace   = b.x;
  b.q       = b.trace + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_ST;
  b.k       = b.x + PLEX_DG_ELEMENTS * rows;
  b.numbers = b.k + PLEX_DG_ELEMENTS * PLEX_DG_NK;
  b.c       = b.numbers + PLEX_DG_ELEMENTS * PLEX_DG_FACES * PLEX_DG_FACE_NUMBERS;
  b.faces   = (PlexDGFace *)(b.c + (PLEX_DG_NC + 1) / 2 * 2);
  b.meet    = (short *)(b.faces + PLEX_DG_ELEMENTS * PLEX_DG_FACES);
  b.first   = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
  b.n       = min(PLEX_DG_ELEMENTS, args.end - b.first);
  b.index   = curved.index + b.first - args.begin;
  return b;
}

// ---- Products

// use(s, B) for each step of the products with `tiles` tiles of a matrix, which lie `apart`; at each step there are
// `pitch` matrices, of which this is about `matrices`. They are asked for `ahead` steps before, also behind the end
template <int tiles, int matrices, int pitch, int ahead, class Use>
PLEX_DEVICE void plex_dg_multiply(const PlexUnitB *from, int apart, int steps, Use use)
{
  PlexUnitB next[ahead][tiles][matrices];

  from += threadIdx.x % 32;
  _Pragma("unroll")
  for (int j = 0; j < ahead; ++j) _Pragma("unroll")
  for (int p = 0; p < tiles; ++p) _Pragma("unroll")
  for (int m = 0; m < matrices; ++m) next[j][p][m] = plex_unit_get(from + p * apart + (j * pitch + m) * 32);
  _Pragma("unroll 2")
  for (int s = 0; s < steps; ++s) {
    PlexUnitB now[tiles][matrices];

    from += pitch * 32;
    _Pragma("unroll")
    for (int p = 0; p < tiles; ++p) _Pragma("unroll")
    for (int m = 0; m < matrices; ++m) {
      now[p][m] = next[0][p][m];
      _Pragma("unroll")
      for (int j = 1; j < ahead; ++j) next[j - 1][p][m] = next[j][p][m];
      next[ahead - 1][p][m] = plex_unit_get(from + p * apart + ((ahead - 1) * pitch + m) * 32);
    }
    use(s, now);
  }
}

// Steps of a tile, of matrices with this many columns and `pitch` of them at a step
#define PLEX_DG_TILE(columns, pitch) (PLEX_DG_STEPS(columns) * (pitch) * 32)

// Sums of tiles of nodes to the place of the fields
PLEX_DEVICE void plex_dg_collect(const PlexDGCurvedBlock &b, int tile,
                                 const plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  const int  lane = threadIdx.x % 32;
  plex_real *to   = b.u + lane / 4 * PLEX_DG_SN;

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 2; ++h) {
    const int i = (tile + p) * 8 + lane % 4 + 4 * h;

    if (i < PLEX_DG_SN) _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
    for (int t = 0; t < 2; ++t) to[(k * PLEX_DG_ELEMENTS + 8 * t) * PLEX_DG_SN + i] = sums[p][k][2 * t + h];
  }
}

// ---- 1. What a block starts from

// Asks for what is read later
PLEX_DEVICE void plex_dg_ask(const PlexDGStage &stage, const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b)
{
  constexpr size_t C = PLEX_DG_POINT_TILES * PLEX_DIM * PLEX_DIM * 8 * sizeof(plex_real),
                   J = PLEX_DG_INVERSES * PLEX_DG_POINT_TILES * 8 * sizeof(plex_real),
                   N = PLEX_DG_FACES * PLEX_DG_FACE_TILES * (PLEX_DIM + 1) * 8 * sizeof(plex_real);

  if (threadIdx.x) return;
  plex_dg_prefetch(curved.normals, b.index * N, (unsigned)(b.n * N));
  plex_dg_prefetch(curved.C, b.index * C, (unsigned)(b.n * C));
  plex_dg_prefetch(curved.J, b.index * J, (unsigned)(b.n * J));
#if PLEX_DG_STAGE
  if (stage.a != 0)
    plex_dg_prefetch(stage.residual, (size_t)b.first * (PLEX_DG_NF * PLEX_DG_NP * sizeof(plex_real)),
                     (unsigned)(b.n * (PLEX_DG_NF * PLEX_DG_NP * (int)sizeof(plex_real))));
#else
  (void)stage;
#endif
}

PLEX_DEVICE void plex_dg_load(const PlexDGArgs &args, const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b,
                              const plex_state *u)
{
  const plex_real *c = (const plex_real *)args.constants;

  for (int i = threadIdx.x; i < b.n * PLEX_DG_FACES; i += PLEX_DG_BLOCK)
    b.faces[i] = plex_dg_face_of(args, b.first + i / PLEX_DG_FACES, i % PLEX_DG_FACES);
  plex_dg_load_records((char *)NULL, b.meet, NULL, curved.meet, 0, 0); // the table alone
  plex_dg_load_fields<PLEX_DG_SN>(b.u, u, b.first, b.n);
  for (int i = threadIdx.x; i < b.n * PLEX_DG_NK; i += PLEX_DG_BLOCK) b.k[i] = PLEX_DG_COEFFICIENTS(b.first)[i];
  for (int i = threadIdx.x; i < PLEX_DG_NC; i += PLEX_DG_BLOCK) b.c[i] = c[i];
  plex_dg_clear_rest<PLEX_DG_NP, PLEX_DG_SN>(b.u, PLEX_DG_NF * PLEX_DG_ELEMENTS);
  plex_dg_clear_rest<PLEX_DG_AT * PLEX_DG_MG, PLEX_DG_SQ>(b.q, PLEX_DG_NF * PLEX_DG_ELEMENTS);
}

// Numbers of the flux on each face, which both sides' coefficients give
PLEX_DEVICE void plex_dg_prepare_faces(const PlexDGArgs &args, const PlexDGCurvedBlock &b)
{
#if PLEX_DG_FACE_NUMBERS
  for (int i = threadIdx.x; i < b.n * PLEX_DG_FACES; i += PLEX_DG_BLOCK) {
    const int        e      = b.first + i / PLEX_DG_FACES;
    const PlexDGFace face   = b.faces[i];
    const int        across = face.meet >= 0 ? face.at : face.meet == -1 ? e : args.Ne + face.at;

    plex_dg_prepare(PLEX_DG_COEFFICIENTS(e), PLEX_DG_COEFFICIENTS(across), (const plex_real *)args.constants,
                    b.numbers + i * PLEX_DG_FACE_NUMBERS);
  }
#endif
}

// ---- 2. Faces

// Traces across faces `face` ... face + AT - 1, in the order of own nodes
PLEX_DEVICE void plex_dg_load_traces(const PlexDGArgs &args, const PlexDGCurvedBlock &b, const plex_state *u, int face)
{
  constexpr int each = PLEX_DG_AT * PLEX_DG_FN, apart = PLEX_DG_ELEMENTS * PLEX_DG_ST;

  _Pragma("unroll 2")
  for (int i = threadIdx.x; i < b.n * each; i += PLEX_DG_BLOCK) {
    const int        e = i / each, r = i - e * each, m = r % PLEX_DG_FN;
    const PlexDGFace across = b.faces[e * PLEX_DG_FACES + face + r / PLEX_DG_FN];
    plex_real       *to     = b.trace + e * PLEX_DG_ST + r;

    if (m < PLEX_DG_NFP && across.meet >= 0) {
      const plex_state *from = u + (plex_index)across.at * (PLEX_DG_NF * PLEX_DG_NP) + b.meet[across.meet + m];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) plex_dg_fetch(to + k * apart, from + k * PLEX_DG_NP);
    } else {
      const plex_real *from = m < PLEX_DG_NFP && across.meet < -1
                              ? (const plex_real *)args.ghosts + (plex_index)across.at * (PLEX_DG_NF * PLEX_DG_NFP) +
                                  plex_dg_turn[-2 - across.meet][m]
                              : NULL;

      for (int k = 0; k < PLEX_DG_NF; ++k) to[k * apart] = from ? from[k * PLEX_DG_NFP] : (plex_real)0;
    }
  }
}

// Geometry of face f of the block's element e: of its points tile * 8 ..., [DIM + 1][8]
PLEX_DEVICE const plex_real *plex_dg_normals(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int e,
                                             int f, int tile)
{
  return (const plex_real *)curved.normals +
         (((plex_index)(b.index + e) * PLEX_DG_FACES + f) * PLEX_DG_FACE_TILES + tile) * ((PLEX_DIM + 1) * 8);
}

#ifdef PLEX_DG_GRADED
// Coefficients on both sides of point g of face f of the block's element e, [2 NK], 8 apart
PLEX_DEVICE const plex_real *plex_dg_graded(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int e,
                                            int f, int g)
{
  return (const plex_real *)curved.k +
         (((plex_index)(b.index + e) * PLEX_DG_FACES + f) * PLEX_DG_FACE_TILES + g / 8) * (2 * PLEX_DG_NK * 8) +
         2 * (g % 4) + g % 8 / 4;
}
#endif

// Q at point g of face f, `column` of the group's faces, from both traces there and n, the normal and its length
PLEX_DEVICE void plex_dg_put_flux(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int e, int f, int g,
                                  int column, const plex_real *uM, const plex_real *uP, const plex_real *n)
{
  const plex_real *k = b.k + e * PLEX_DG_NK;
  plex_real        scaled[PLEX_DIM], flux[PLEX_DG_NF], along[PLEX_DG_NF];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) scaled[d] = n[PLEX_DIM] * n[d];
#ifdef PLEX_DG_GRADED
  plex_dg_graded_flux<8>(uM, uP, n, plex_dg_graded(curved, b, e, f, g), k, b.c, flux);
#else
  (void)curved;
  (void)g;
  plex_dg_flux(uM, uP, n, k, b.numbers + (e * PLEX_DG_FACES + f) * PLEX_DG_FACE_NUMBERS, b.c, flux);
#endif
  plex_dg_along(uM, scaled, k, b.c, along);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q)
    b.q[(q * PLEX_DG_ELEMENTS + e) * PLEX_DG_SQ + column] = n[PLEX_DIM] * flux[q] +
                                                            (plex_dg_is_weak(q) ? PLEX_DG_HALF * along[q] : 0);
}

// A tile of points of face `face` + `place`
PLEX_DEVICE void plex_dg_face_tile(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int face, int place,
                                   int tile)
{
  const int        lane = threadIdx.x % 32, first = lane / 4, f = face + place;
  const short     *own    = b.meet + (PLEX_DG_FACES * PLEX_DG_TURNS + f) * PLEX_DG_NFP;
  const plex_real *inside = b.u + first * PLEX_DG_SN, *across = b.trace + first * PLEX_DG_ST + place * PLEX_DG_FN;
  plex_real        uM[PLEX_DG_NF][4] = {}, uP[PLEX_DG_NF][4] = {};

  plex_dg_multiply<1, 1, 1, 4>((const PlexUnitB *)curved.psi + tile * PLEX_DG_TILE(PLEX_DG_NFP, 1), 0,
                               PLEX_DG_STEPS(PLEX_DG_NFP), [&](int s, PlexUnitB(*B)[1]) {
                                 int node[PLEX_UNIT_K / 4]; // behind the last one any: the matrix has zeros there

                                 _Pragma("unroll")
                                 for (int h = 0; h < PLEX_UNIT_K / 4; ++h)
                                   node[h] = own[min(s * PLEX_UNIT_K + lane % 4 + 4 * h, PLEX_DG_NFP - 1)];
                                 _Pragma("unroll")
                                 for (int k = 0; k < PLEX_DG_NF; ++k) {
                                   const plex_real *rows = inside + k * PLEX_DG_ELEMENTS * PLEX_DG_SN;

                                   plex_unit_add(uM[k], plex_unit_make([&](int h, int j) {
                                                   return rows[8 * h * PLEX_DG_SN + node[j / 4]];
                                                 }),
                                                 B[0][0]);
                                   plex_unit_add(uP[k],
                                                 plex_unit_load<PLEX_DG_ST>(across + k * PLEX_DG_ELEMENTS * PLEX_DG_ST +
                                                                            PLEX_UNIT_K * s),
                                                 B[0][0]);
                                 }
                               });
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int        e    = first + 8 * t;
    const plex_real *from = plex_dg_normals(curved, b, min(e, b.n - 1), f, tile) + 2 * (lane % 4);
    PlexDGPair       n[PLEX_DIM + 1];

    if (e >= b.n || b.faces[e * PLEX_DG_FACES + f].meet == -1) continue;
    _Pragma("unroll")
    for (int d = 0; d <= PLEX_DIM; ++d) n[d] = plex_dg_pair(from + d * 8);
    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int g = tile * 8 + lane % 4 + 4 * h;
      plex_real minus[PLEX_DG_NF], plus[PLEX_DG_NF], normal[PLEX_DIM + 1];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        minus[k] = uM[k][2 * t + h];
        plus[k]  = uP[k][2 * t + h];
      }
      _Pragma("unroll")
      for (int d = 0; d <= PLEX_DIM; ++d) normal[d] = n[d].v[h];
      if (g < PLEX_DG_MG) plex_dg_put_flux(curved, b, e, f, g, place * PLEX_DG_MG + g, minus, plus, normal);
    }
  }
}

// Q at the points of faces on the boundary, a thread a point: they are few, but what is computed there may be long
PLEX_DEVICE void plex_dg_boundaries(const PlexDGArgs &args, const PlexDGCurvedFusedArgs &curved,
                                    const PlexDGCurvedBlock &b, int face)
{
  constexpr int each = PLEX_DG_AT * PLEX_DG_MG;

  _Pragma("unroll 1")
  for (int i = threadIdx.x; i < b.n * each; i += PLEX_DG_BLOCK) {
    const int        e = i / each, r = i - e * each, f = face + r / PLEX_DG_MG, g = r % PLEX_DG_MG;
    const PlexDGFace at = b.faces[e * PLEX_DG_FACES + f];

    if (at.meet != -1) continue;

    const plex_real *basis = (const plex_real *)curved.basis + g, *inside = b.u + e * PLEX_DG_SN,
                    *from       = plex_dg_normals(curved, b, e, f, g / 8) + 2 * (g % 4) + g % 8 / 4;
    const short *own            = b.meet + (PLEX_DG_FACES * PLEX_DG_TURNS + f) * PLEX_DG_NFP;
    plex_real    uM[PLEX_DG_NF] = {}, uP[PLEX_DG_NF] = {}, n[PLEX_DIM + 1], x[PLEX_DIM] = {};

    _Pragma("unroll 1")
    for (int m = 0; m < PLEX_DG_NFP; ++m) {
      const plex_real w = basis[m * PLEX_DG_MG];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) uM[k] += w * inside[k * PLEX_DG_ELEMENTS * PLEX_DG_SN + own[m]];
      for (int d = 0; args.facets && d < PLEX_DIM; ++d)
        x[d] += w * ((const plex_real *)args.facets)[((plex_index)at.at * PLEX_DG_NFP + m) * PLEX_DIM + d];
    }
    _Pragma("unroll")
    for (int d = 0; d <= PLEX_DIM; ++d) n[d] = from[d * 8];
#ifdef PLEX_DG_GRADED
    const plex_real *K = plex_dg_graded(curved, b, e, f, g);
    plex_real        k[PLEX_DG_NK];

    for (int q = 0; q < PLEX_DG_NK; ++q) k[q] = K[8 * q];
#else
    const plex_real *k = b.k + e * PLEX_DG_NK;
#endif
    dg_boundary(args.kinds[at.at], uM, n, args.facets ? x : NULL, (plex_real)args.t, k, b.c, uP);
    plex_dg_put_flux(curved, b, e, f, g, r, uM, uP, n);
  }
}

PLEX_DEVICE void plex_dg_add_faces(const PlexDGArgs &args, const PlexDGCurvedFusedArgs &curved,
                                   const PlexDGCurvedBlock &b, const plex_state *u, int own,
                                   plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int    groups = PLEX_DG_FACES / PLEX_DG_AT, steps = PLEX_DG_STEPS(PLEX_DG_FC), tile = groups * steps * 32;
  const int        lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const plex_real *rows = b.q + lane / 4 * PLEX_DG_SQ;

  _Pragma("unroll 1")
  for (int group = 0; group < groups; ++group) {
    const int face = group * PLEX_DG_AT;

    _Pragma("unroll 1")
    for (int item = warp; item < PLEX_DG_AT * PLEX_DG_FACE_TILES; item += PLEX_DG_WARPS)
      plex_dg_face_tile(curved, b, face, item / PLEX_DG_FACE_TILES, item % PLEX_DG_FACE_TILES);
    plex_dg_boundaries(args, curved, b, face);
    __syncthreads();
    if (group + 1 < groups) plex_dg_load_traces(args, b, u, face + PLEX_DG_AT);
    if (own < PLEX_DG_NODE_TILES)
      plex_dg_multiply<PLEX_DG_TILES, 1, 1, 4>((const PlexUnitB *)curved.lift + own * tile + group * steps * 32, tile,
                                               steps, [&](int s, PlexUnitB(*B)[1]) {
                                                 _Pragma("unroll")
                                                 for (int k = 0; k < PLEX_DG_NF; ++k) {
                                                   const PlexUnitA a = plex_unit_load<PLEX_DG_SQ>(rows +
                                                                                                  k * PLEX_DG_ELEMENTS *
                                                                                                    PLEX_DG_SQ +
                                                                                                  PLEX_UNIT_K * s);

                                                   _Pragma("unroll")
                                                   for (int p = 0; p < PLEX_DG_TILES; ++p)
                                                     plex_unit_add(sums[p][k], a, B[p][0]);
                                                 }
                                               });
    plex_dg_fetched();
    __syncthreads();
  }
}

// ---- 3. Points

// Cofactors of n coordinates, from `coordinate` on, at the lane's two points of tile `tile` of the block's element e
template <int n>
PLEX_DEVICE void plex_dg_get_cofactors(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int e, int tile,
                                       int coordinate, PlexDGPair (*C)[PLEX_DIM])
{
  const plex_real *from = (const plex_real *)curved.C +
                          ((plex_index)(b.index + min(e, b.n - 1)) * PLEX_DG_POINT_TILES + tile) *
                            (PLEX_DIM * PLEX_DIM * 8) +
                          8 * PLEX_DIM * coordinate + 2 * (threadIdx.x % 4);

  _Pragma("unroll")
  for (int a = 0; a < n; ++a) _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) C[a][d] = plex_dg_pair(from + (a * PLEX_DIM + d) * 8);
}

// Reference coordinates along which fields are differentiated at a time: as registers have room for sums
#define PLEX_DG_COORDINATES (PLEX_DG_NS * PLEX_DIM > 12 ? 1 : PLEX_DIM)

// S at tile `tile` of points, to tile `place` of the chunk: the part of coordinates from `coordinate` on
PLEX_DEVICE void plex_dg_differentiate(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int tile,
                                       int place, int coordinate)
{
  constexpr int    n = PLEX_DG_COORDINATES, steps = PLEX_DG_TILE(PLEX_DG_NP, PLEX_DG_MATRICES);
  const int        lane = threadIdx.x % 32, first = lane / 4;
  const plex_real *rows                   = b.u + first * PLEX_DG_SN;
  plex_real        sums[n][PLEX_DG_NF][4] = {};

  plex_dg_multiply<1, n, PLEX_DG_MATRICES, 2>((const PlexUnitB *)curved.evaluate + tile * steps + 32 * (1 + coordinate),
                                              0, PLEX_DG_STEPS(PLEX_DG_NP), [&](int s, PlexUnitB(*B)[n]) {
                                                _Pragma("unroll")
                                                for (int k = 0; k < PLEX_DG_NF; ++k) {
                                                  const PlexUnitA a = plex_unit_load<PLEX_DG_SN>(rows +
                                                                                                 k * PLEX_DG_ELEMENTS *
                                                                                                   PLEX_DG_SN +
                                                                                                 PLEX_UNIT_K * s);

                                                  _Pragma("unroll")
                                                  for (int d = 0; d < n; ++d) plex_unit_add(sums[d][k], a, B[0][d]);
                                                }
                                              });
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int  e  = first + 8 * t;
    plex_real *to = b.x + e * PLEX_DG_SX + place * 8 + lane % 4, k[PLEX_DG_NK + 1];
    PlexDGPair C[n][PLEX_DIM];

    plex_dg_get_cofactors<n>(curved, b, e, tile, coordinate, C);
    _Pragma("unroll")
    for (int i = 0; i < PLEX_DG_NK; ++i) k[i] = b.k[min(e, b.n - 1) * PLEX_DG_NK + i];
    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      plex_real dr[n][PLEX_DG_NF], cofactors[n][PLEX_DIM], r[PLEX_DG_NF];

      _Pragma("unroll")
      for (int a = 0; a < n; ++a) {
        _Pragma("unroll")
        for (int f = 0; f < PLEX_DG_NF; ++f) dr[a][f] = sums[a][f][2 * t + h];
        _Pragma("unroll")
        for (int d = 0; d < PLEX_DIM; ++d) cofactors[a][d] = C[a][d].v[h];
      }
      plex_dg_strong<n>(dr, cofactors, k, b.c, r);
      _Pragma("unroll")
      for (int f = 0; f < PLEX_DG_NF; ++f)
        if (plex_dg_is_strong(f)) {
          plex_real *S = to + plex_dg_strong_before(f) * PLEX_DG_ELEMENTS * PLEX_DG_SX + 4 * h;

          *S = n < PLEX_DIM && coordinate ? *S + r[f] : r[f];
        }
    }
  }
}

// G there
PLEX_DEVICE void plex_dg_evaluate(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int tile, int place)
{
  const int        lane = threadIdx.x % 32, first = lane / 4;
  const plex_real *rows                = b.u + first * PLEX_DG_SN;
  plex_real        sums[PLEX_DG_NF][4] = {};

  plex_dg_multiply<1, 1, PLEX_DG_MATRICES, 4>((const PlexUnitB *)curved.evaluate +
                                                tile * PLEX_DG_TILE(PLEX_DG_NP, PLEX_DG_MATRICES),
                                              0, PLEX_DG_STEPS(PLEX_DG_NP), [&](int s, PlexUnitB(*B)[1]) {
                                                _Pragma("unroll")
                                                for (int k = 0; k < PLEX_DG_NF; ++k)
                                                  plex_unit_add(sums[k],
                                                                plex_unit_load<PLEX_DG_SN>(rows +
                                                                                           k * PLEX_DG_ELEMENTS *
                                                                                             PLEX_DG_SN +
                                                                                           PLEX_UNIT_K * s),
                                                                B[0][0]);
                                              });
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int  e  = first + 8 * t;
    plex_real *to = b.x + e * PLEX_DG_SX + place * 8 + lane % 4, k[PLEX_DG_NK + 1];
    PlexDGPair C[PLEX_DIM][PLEX_DIM];

    plex_dg_get_cofactors<PLEX_DIM>(curved, b, e, tile, 0, C);
    _Pragma("unroll")
    for (int i = 0; i < PLEX_DG_NK; ++i) k[i] = b.k[min(e, b.n - 1) * PLEX_DG_NK + i];
    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      plex_real u[PLEX_DG_NF];

      _Pragma("unroll")
      for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = sums[f][2 * t + h];
      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) {
        plex_real n[PLEX_DIM], r[PLEX_DG_NF];

        _Pragma("unroll")
        for (int d = 0; d < PLEX_DIM; ++d) n[d] = C[a][d].v[h];
        plex_dg_along(u, n, k, b.c, r);
        _Pragma("unroll")
        for (int f = 0; f < PLEX_DG_NF; ++f)
          if (plex_dg_is_weak(f))
            to[PLEX_DG_NG_ROW(f, a) * PLEX_DG_ELEMENTS * PLEX_DG_SX + 4 * h] = -PLEX_DG_HALF * r[f];
      }
    }
  }
}

// sums of tiles of nodes over `tiles` tiles of points from `begin` on
PLEX_DEVICE void plex_dg_redistribute(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int own,
                                      int begin, int tiles, plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int    tile = PLEX_DG_TILE(8 * PLEX_DG_POINT_TILES, PLEX_DG_MATRICES), row = PLEX_DG_ELEMENTS * PLEX_DG_SX;
  const plex_real *rows = b.x + threadIdx.x % 32 / 4 * PLEX_DG_SX;

  plex_dg_multiply<
    PLEX_DG_TILES, PLEX_DG_MATRICES, PLEX_DG_MATRICES,
    PLEX_DG_TILES == 1 ? 2 : 1>((const PlexUnitB *)curved.redistribute + own * tile +
                                  begin * (PLEX_DG_TILE_STEPS * PLEX_DG_MATRICES * 32),
                                tile, tiles * PLEX_DG_TILE_STEPS, [&](int s, PlexUnitB(*B)[PLEX_DG_MATRICES]) {
                                  const plex_real *at = rows + PLEX_UNIT_K * s;

                                  _Pragma("unroll")
                                  for (int k = 0; k < PLEX_DG_NF; ++k) {
                                    if (plex_dg_is_strong(k)) {
                                      const PlexUnitA a = plex_unit_load<PLEX_DG_SX>(at +
                                                                                     plex_dg_strong_before(k) * row);

                                      _Pragma("unroll")
                                      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(sums[p][k], a, B[p][0]);
                                    }
                                    if (plex_dg_is_weak(k)) {
                                      _Pragma("unroll")
                                      for (int d = 0; d < PLEX_DIM; ++d) {
                                        const PlexUnitA a = plex_unit_load<PLEX_DG_SX>(at + PLEX_DG_NG_ROW(k, d) * row);

                                        _Pragma("unroll")
                                        for (int p = 0; p < PLEX_DG_TILES; ++p)
                                          plex_unit_add(sums[p][k], a, B[p][1 + d]);
                                      }
                                    }
                                  }
                                });
}

PLEX_DEVICE void plex_dg_add_volume(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int own,
                                    plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  // derivatives are most of the work: fields are left to other warps, where there are some
  constexpr int apart = PLEX_DG_WARPS > PLEX_DG_CHUNK ? PLEX_DG_CHUNK : 0;
  const int     warp  = threadIdx.x / 32;

  _Pragma("unroll 1")
  for (int begin = 0; begin < PLEX_DG_POINT_TILES; begin += PLEX_DG_CHUNK) {
    const int tiles = min(PLEX_DG_CHUNK, PLEX_DG_POINT_TILES - begin);

    _Pragma("unroll 1")
    for (int p = warp; p < tiles; p += PLEX_DG_WARPS) _Pragma("unroll 1")
    for (int a = 0; a < PLEX_DIM; a += PLEX_DG_COORDINATES) plex_dg_differentiate(curved, b, begin + p, p, a);
    if (warp >= apart) _Pragma("unroll 1")
    for (int p = warp - apart; p < tiles; p += PLEX_DG_WARPS - apart) plex_dg_evaluate(curved, b, begin + p, p);
    __syncthreads();
    if (own < PLEX_DG_NODE_TILES) plex_dg_redistribute(curved, b, own, begin, tiles, sums);
    __syncthreads();
  }
}

// ---- 4. M^-1 M_{1/J}

// Sums at tile `tile` of points, over det J
PLEX_DEVICE void plex_dg_divide(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int tile, int place)
{
  const int        lane = threadIdx.x % 32, first = lane / 4;
  const plex_real *rows                = b.u + first * PLEX_DG_SN;
  plex_real        sums[PLEX_DG_NF][4] = {};

  plex_dg_multiply<1, 1, PLEX_DG_MATRICES, 4>((const PlexUnitB *)curved.evaluate +
                                                tile * PLEX_DG_TILE(PLEX_DG_NP, PLEX_DG_MATRICES),
                                              0, PLEX_DG_STEPS(PLEX_DG_NP), [&](int s, PlexUnitB(*B)[1]) {
                                                _Pragma("unroll")
                                                for (int k = 0; k < PLEX_DG_NF; ++k)
                                                  plex_unit_add(sums[k],
                                                                plex_unit_load<PLEX_DG_SN>(rows +
                                                                                           k * PLEX_DG_ELEMENTS *
                                                                                             PLEX_DG_SN +
                                                                                           PLEX_UNIT_K * s),
                                                                B[0][0]);
                                              });
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int        e    = first + 8 * t;
    const plex_real *from = (const plex_real *)curved.J +
                            ((plex_index)(b.index + min(e, b.n - 1)) * (PLEX_DG_INVERSES * PLEX_DG_POINT_TILES) +
                             tile) *
                              8 +
                            2 * (lane % 4);
    plex_real       *to   = b.x + e * PLEX_DG_SB + place * 8 + lane % 4;
    PlexDGPair       J[PLEX_DG_INVERSES];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_INVERSES; ++k) J[k] = plex_dg_pair(from + k * (PLEX_DG_POINT_TILES * 8));
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
    for (int h = 0; h < 2; ++h)
      to[k * PLEX_DG_ELEMENTS * PLEX_DG_SB + 4 * h] = J[PLEX_DG_INVERSE_OF(k)].v[h] * sums[k][2 * t + h];
  }
}

PLEX_DEVICE void plex_dg_solve(const PlexDGCurvedFusedArgs &curved, const PlexDGCurvedBlock &b, int own,
                               plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int    tile = PLEX_DG_TILE(8 * PLEX_DG_POINT_TILES, PLEX_DG_MATRICES);
  const int        warp = threadIdx.x / 32;
  const plex_real *rows = b.x + threadIdx.x % 32 / 4 * PLEX_DG_SB;

  _Pragma("unroll 1")
  for (int begin = 0; begin < PLEX_DG_POINT_TILES; begin += PLEX_DG_SOLVED) {
    const int tiles = min(PLEX_DG_SOLVED, PLEX_DG_POINT_TILES - begin);

    _Pragma("unroll 1")
    for (int p = warp; p < tiles; p += PLEX_DG_WARPS) plex_dg_divide(curved, b, begin + p, p);
    __syncthreads();
    if (own < PLEX_DG_NODE_TILES)
      plex_dg_multiply<PLEX_DG_TILES, 1, PLEX_DG_MATRICES,
                       4>((const PlexUnitB *)curved.redistribute + own * tile +
                            begin * (PLEX_DG_TILE_STEPS * PLEX_DG_MATRICES * 32),
                          tile, tiles * PLEX_DG_TILE_STEPS, [&](int s, PlexUnitB(*B)[1]) {
                            _Pragma("unroll")
                            for (int k = 0; k < PLEX_DG_NF; ++k) {
                              const PlexUnitA a = plex_unit_load<PLEX_DG_SB>(rows + k * PLEX_DG_ELEMENTS * PLEX_DG_SB +
                                                                             PLEX_UNIT_K * s);

                              _Pragma("unroll")
                              for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(rates[p][k], a, B[p][0]);
                            }
                          });
    __syncthreads();
  }
}

// ---- 5. Terms without derivatives, then the right-hand side or the stage's update, in the order of memory
PLEX_DEVICE void plex_dg_update(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGCurvedFusedArgs &curved,
                                const PlexDGCurvedBlock &b, const plex_state *u)
{
  _Pragma("unroll 2")
  for (int n = threadIdx.x; n < b.n * PLEX_DG_NP; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_NP, i = n - e * PLEX_DG_NP;
    const plex_index at    = (plex_index)(b.first + e) * (PLEX_DG_NF * PLEX_DG_NP) + i;
    const plex_real *rates = b.u + e * PLEX_DG_SN + i,
                    *x     = curved.x
                             ? (const plex_real *)curved.x + ((plex_index)(b.index + e) * PLEX_DG_NP + i) * PLEX_DIM
                             : NULL;
    plex_real r[PLEX_DG_NF], v[PLEX_DG_NF], old[PLEX_DG_NF];

    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) {
      old[q] = plex_dg_residual(stage, at + q * PLEX_DG_NP);
      v[q]   = (plex_real)u[at + q * PLEX_DG_NP];
      r[q]   = rates[q * PLEX_DG_ELEMENTS * PLEX_DG_SN];
    }
    plex_dg_add_local(v, x, args.t, b.k + e * PLEX_DG_NK, b.c, r);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) plex_dg_store(args, stage, at + q * PLEX_DG_NP, v[q], old[q], r[q]);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK, PLEX_DG_RESIDENT)
  plex_dg_curved_fused(PlexDGArgs args, PlexDGStage stage, PlexDGCurvedFusedArgs curved)
{
  const PlexDGCurvedBlock b   = plex_dg_block(args, curved);
  const int               own = threadIdx.x / 32 * PLEX_DG_TILES; // tiles of nodes from this one on
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif

  plex_dg_ask(stage, curved, b);
  plex_dg_load(args, curved, b, u);
  plex_dg_fetched();
  __syncthreads();
  plex_dg_load_traces(args, b, u, 0);
  plex_dg_prepare_faces(args, b); // while these arrive
  plex_dg_fetched();
  __syncthreads();
  {
    plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

    plex_dg_add_faces(args, curved, b, u, own, sums);
    plex_dg_add_volume(curved, b, own, sums);
    plex_dg_collect(b, own, sums);
  }
  __syncthreads();
  {
    plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

    plex_dg_solve(curved, b, own, rates);
    plex_dg_collect(b, own, rates);
  }
  __syncthreads();
  plex_dg_update(args, stage, curved, b, u);
}
PLEX_EXPORT_KERNEL(plex_dg_curved_fused)
