// DG with quadrature in one pass: collocation, evaluation, redistribution of elements and faces, solving and, in a stage of a low-storage scheme, the update.
// The proposal of Henry de Frahan (2011), chapter 6, on tensor cores: a block has PLEX_DG_ELEMENTS elements (a multiple of 16), whose data is in shared memory, and a
// warp multiplies rows of 16 of them by 8 columns of the matrices at a time (unit.cuh), PLEX_DG_TILES tiles for all fields at once, so that a thread ends with all
// fields of a point.
//
//   1. fields to shared memory [NF][elements][SN]; what is across the faces [NF][elements][ST], in the order of own face nodes
//   2. collocation of tiles of 8 points; fluxes, sources at these; to shared memory [NF][elements][SG], columns a NG + g, then those of sources
//   3. a thread a point of a face: both traces from the nodes of the face, the numerical flux, behind these in [SG]
//   4. redistribution: [W3 W2 -W5] times all that, a product of inner dimension (DIM + source) NG + FACES MG; affine elements have M^-1 in the matrix
//   5. other elements: sums to shared memory in the place of the fields; M^-1 of each element times that, a thread a node
//   6. right-hand side, or residual and next state, to memory
//
// An element of affine geometry reads its state, its neighbours' traces, DIM (DIM + FACES) reals of geometry and FACES links, and writes its rate: at least
// 8 (2 NF NP + NF FACES NFP); others read NP^2 + NG DIM^2 + FACES MG DIM reals more, of which M^-1 is the most. Flops: 2 NF (NP NG + NP ((DIM + source) NG + FACES MG)
// on tensor cores, 4 NF FACES MG NFP elsewhere.
#include "quadrature.cuh"
#include "rows.cuh"
#include "fused_args.h"

#define PLEX_DG_GROUPS  (PLEX_DG_ELEMENTS / 16)
#define PLEX_DG_BLOCK   (32 * PLEX_DG_WARPS)
#define PLEX_DG_F4      (PLEX_DG_FACES * PLEX_DG_NFP)
#define PLEX_DG_COLUMNS ((PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NG + PLEX_DG_FACES * PLEX_DG_MG)
#define PLEX_DG_ROWS(n) (((n) + 7) / 8)
#define PLEX_DG_SETS(n) (((n) + PLEX_DG_TILES - 1) / PLEX_DG_TILES) // that n tiles make

#define PLEX_DG_SN plex_dg_stride(PLEX_DG_NP)
#define PLEX_DG_SG plex_dg_stride(PLEX_DG_COLUMNS)
#define PLEX_DG_ST (PLEX_DG_F4 | 1)

struct PlexDGBlock {
  plex_real *u;    // [NF][elements][SN]
  plex_real *G;    // [NF][elements][SG]
  plex_real *T;    // [NF][elements][ST]
  plex_real *psi;  // [NFP][MG]
  short     *meet; // [FACES][TURNS][NFP], then the faces' own nodes [FACES][NFP]
  int        first, n;
};

PLEX_DEVICE void plex_dg_load(const PlexDGArgs &args, const PlexDGPointFragments &fragments, const PlexDGBlock &b, const plex_state *u)
{
  for (int i = threadIdx.x; i < PLEX_DG_FACES * (PLEX_DG_TURNS + 1) * PLEX_DG_NFP; i += PLEX_DG_BLOCK) b.meet[i] = ((const short *)fragments.meet)[i];
  for (int i = threadIdx.x; i < PLEX_DG_NFP * PLEX_DG_MG; i += PLEX_DG_BLOCK) b.psi[i] = ((const plex_real *)fragments.psi)[i];
  for (int i = threadIdx.x; i < PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_SN; i += PLEX_DG_BLOCK) {
    const int row = i / PLEX_DG_SN, j = i - row * PLEX_DG_SN, k = row / PLEX_DG_ELEMENTS, e = row - k * PLEX_DG_ELEMENTS;

    b.u[i] = j < PLEX_DG_NP && e < b.n ? (plex_real)u[((plex_index)(b.first + e) * PLEX_DG_NF + k) * PLEX_DG_NP + j] : (plex_real)0;
  }
  for (int i = threadIdx.x; i < PLEX_DG_NF * PLEX_DG_ELEMENTS * (PLEX_DG_SG - PLEX_DG_COLUMNS); i += PLEX_DG_BLOCK) // what is multiplied by zero has to be finite
    b.G[i / (PLEX_DG_SG - PLEX_DG_COLUMNS) * PLEX_DG_SG + PLEX_DG_COLUMNS + i % (PLEX_DG_SG - PLEX_DG_COLUMNS)] = 0;
}

// States across the faces at their nodes; on the boundary nothing is read
PLEX_DEVICE void plex_dg_load_traces(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u)
{
  for (int i = threadIdx.x; i < b.n * PLEX_DG_F4; i += PLEX_DG_BLOCK) {
    const int          e = i / PLEX_DG_F4, r = i - e * PLEX_DG_F4, f = r / PLEX_DG_NFP, m = r - f * PLEX_DG_NFP;
    const PlexDGAcross a = plex_dg_across(args, b.first + e, f, PLEX_DG_NF);

    if (a.facet >= 0) continue;
    if (a.face < PLEX_DG_FACES) {
      const plex_state *from = u + (plex_index)a.element * (PLEX_DG_NF * PLEX_DG_NP) + b.meet[(a.face * PLEX_DG_TURNS + a.turn) * PLEX_DG_NFP + m];

      for (int k = 0; k < PLEX_DG_NF; ++k) b.T[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_ST + r] = (plex_real)from[k * PLEX_DG_NP];
    } else {
      for (int k = 0; k < PLEX_DG_NF; ++k) b.T[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_ST + r] = (plex_real)a.u[k * a.stride + plex_dg_turn[a.turn][m]];
    }
  }
}

// sums[tile][field][4] += rows of the fields times tiles of a matrix, from `tile` on; rows: the thread's first row, fields PLEX_DG_ELEMENTS * stride apart
template <int inner, int tiles, int stride>
PLEX_DEVICE void plex_dg_multiply(const PlexUnitB *W, int tile, const plex_real *rows, plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int steps = PLEX_DG_STEPS(inner);
  PlexUnitB     next[PLEX_DG_TILES];

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) next[p] = plex_unit_get(W + min(tile + p, tiles - 1) * steps * 32);
  _Pragma("unroll 2")
  for (int s = 0; s < steps; ++s) {
    PlexUnitB w[PLEX_DG_TILES];

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      w[p]    = next[p];
      next[p] = plex_unit_get(W + (min(tile + p, tiles - 1) * steps + min(s + 1, steps - 1)) * 32);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const PlexUnitA a = plex_unit_load<stride>(rows + k * PLEX_DG_ELEMENTS * stride + PLEX_UNIT_K * s);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(sums[p][k], a, w[p]);
    }
  }
}

// Fluxes and sources at point g of element e of the block
PLEX_DEVICE void plex_dg_evaluate(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e, int g, const plex_real *u)
{
  plex_real F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF];

  if (e < b.n) {
    plex_dg_point_flux(args, points, b.first + e, g, u, F);
    plex_dg_to_reference_fluxes(points, b.first + e, g, F, G);
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) b.G[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG + a * PLEX_DG_NG + g] = e < b.n ? G[a][k] : (plex_real)0;
#if PLEX_DG_SOURCES
  plex_real s[PLEX_DG_NF] = {};

  if (e < b.n) plex_dg_sources(args, points, b.first + e, g, u, s);
  for (int k = 0; k < PLEX_DG_NF; ++k) b.G[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG + PLEX_DIM * PLEX_DG_NG + g] = e < b.n ? s[k] * plex_dg_determinant(points, b.first + e, g) : (plex_real)0;
#endif
}

PLEX_DEVICE void plex_dg_volume(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int tiles = PLEX_DG_ROWS(PLEX_DG_NG);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * PLEX_DG_SETS(tiles); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + lane / 4, tile = item / PLEX_DG_GROUPS * PLEX_DG_TILES;
    plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

    plex_dg_multiply<PLEX_DG_NP, tiles, PLEX_DG_SN>((const PlexUnitB *)fragments.W0 + lane, tile, b.u + first * PLEX_DG_SN, sums);
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int g = (tile + p) * 8 + 2 * (lane % 4) + h % 2;
      plex_real u[PLEX_DG_NF];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = sums[p][k][h];
      if (g < PLEX_DG_NG) plex_dg_evaluate(args, points, b, first + 8 * (h / 2), g, u);
    }
  }
}

// Fluxes through the faces, a thread a point
PLEX_DEVICE void plex_dg_faces(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b)
{
  const short *own = b.meet + PLEX_DG_FACES * PLEX_DG_TURNS * PLEX_DG_NFP;

  for (int i = threadIdx.x; i < PLEX_DG_ELEMENTS * PLEX_DG_FACES * PLEX_DG_MG; i += PLEX_DG_BLOCK) {
    const int e = i / (PLEX_DG_FACES * PLEX_DG_MG), r = i - e * (PLEX_DG_FACES * PLEX_DG_MG), f = r / PLEX_DG_MG, g = r - f * PLEX_DG_MG;
    plex_real q[PLEX_DG_NF] = {}, scale = 0;

    if (e < b.n) {
      const PlexDGAcross a              = plex_dg_across(args, b.first + e, f, PLEX_DG_NF);
      plex_real          uM[PLEX_DG_NF] = {}, uP[PLEX_DG_NF] = {}, n[PLEX_DIM];

      for (int m = 0; m < PLEX_DG_NFP; ++m) {
        const plex_real psi  = b.psi[m * PLEX_DG_MG + g];
        const int       node = own[f * PLEX_DG_NFP + m];

        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) uM[k] += psi * b.u[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SN + node];
        if (a.facet >= 0) continue;
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) uP[k] += psi * b.T[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_ST + f * PLEX_DG_NFP + m];
      }
      scale = plex_dg_point_normal(points, (plex_index)(b.first + e) * PLEX_DG_FACES + f, g, n);
      plex_dg_numerical_flux(args, points, (plex_index)(b.first + e) * PLEX_DG_FACES + f, b.first + e, a.element, a.facet, g, n, uM, uP, q);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) b.G[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG + (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NG + r] = scale * q[k];
  }
}

// The right-hand side of a field at a node, or the stage's update
PLEX_DEVICE void plex_dg_store(const PlexDGArgs &args, const PlexDGStage &stage, plex_index at, plex_real r)
{
#if PLEX_DG_STAGE
  const plex_real next = (plex_real)stage.a * ((const plex_real *)stage.residual)[at] + (plex_real)stage.dt * r;

  ((plex_real *)stage.residual)[at] = next;
  ((plex_real *)stage.next)[at]     = ((const plex_real *)stage.u)[at] + (plex_real)stage.b * next;
#else
  args.r[at] = r;
#endif
}

// Redistribution; r of affine elements, sums of the others to shared memory
PLEX_DEVICE void plex_dg_redistribute(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int tiles = PLEX_DG_ROWS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * PLEX_DG_SETS(tiles); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + lane / 4, tile = item / PLEX_DG_GROUPS * PLEX_DG_TILES;
    plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

    plex_dg_multiply<PLEX_DG_COLUMNS, tiles, PLEX_DG_SG>((const PlexUnitB *)fragments.W + lane, tile, b.G + first * PLEX_DG_SG, sums);
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = (tile + p) * 8 + 2 * (lane % 4) + h % 2, e = first + 8 * (h / 2);

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        if (i >= PLEX_DG_NP || e >= b.n) continue;
        if (PLEX_DG_AFFINE) plex_dg_store(args, stage, ((plex_index)(b.first + e) * PLEX_DG_NF + k) * PLEX_DG_NP + i, sums[p][k][h]);
        else b.u[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SN + i] = sums[p][k][h];
      }
    }
  }
}

// M^-1 of each element, a thread a node, all fields
PLEX_DEVICE void plex_dg_solve(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointArgs &points, const PlexDGBlock &b)
{
  for (int i = threadIdx.x; i < b.n * PLEX_DG_NP; i += PLEX_DG_BLOCK) {
    const int        e = i / PLEX_DG_NP, node = i - e * PLEX_DG_NP;
    const plex_real *Minv          = (const plex_real *)points.Minv + (plex_index)(b.first + e) * (PLEX_DG_NP * PLEX_DG_NP) + node;
    plex_real        r[PLEX_DG_NF] = {};

    _Pragma("unroll 4")
    for (int j = 0; j < PLEX_DG_NP; ++j) {
      const plex_real inverse = Minv[j * PLEX_DG_NP];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) r[k] += inverse * b.u[(k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SN + j];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) plex_dg_store(args, stage, ((plex_index)(b.first + e) * PLEX_DG_NF + k) * PLEX_DG_NP + node, r[k]);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK) plex_dg_quadrature_fused(PlexDGArgs args, PlexDGStage stage, PlexDGPointArgs points, PlexDGPointFragments fragments)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  PlexDGBlock b;
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif

  b.u     = memory;
  b.G     = b.u + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_SN;
  b.T     = b.G + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_SG;
  b.psi   = b.T + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_ST;
  b.meet  = (short *)(b.psi + PLEX_DG_NFP * PLEX_DG_MG);
  b.first = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
  b.n     = args.end - b.first < PLEX_DG_ELEMENTS ? args.end - b.first : PLEX_DG_ELEMENTS;
  plex_dg_load(args, fragments, b, u);
  __syncthreads();
  plex_dg_load_traces(args, b, u);
  plex_dg_volume(args, points, fragments, b);
  __syncthreads();
  plex_dg_faces(args, points, b);
  __syncthreads();
  plex_dg_redistribute(args, stage, fragments, b);
#if !PLEX_DG_AFFINE
  __syncthreads();
  plex_dg_solve(args, stage, points, b);
#endif
}
PLEX_EXPORT_KERNEL(plex_dg_quadrature_fused)
