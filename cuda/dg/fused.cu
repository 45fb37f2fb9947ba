// Nodal DG in one pass: derivatives, fluxes, lift and, in a stage of a low-storage scheme, the update, so that a state
// is read and written once. A block has PLEX_DG_ELEMENTS elements (a multiple of 16), a warp 16 of them and
// PLEX_DG_TILES tiles of 8 nodes.
//
// The products with D and L are those of a warp's tensor units (unit.cuh): rows are elements, columns nodes, and there
// is one such matrix for each field, so that a thread holds all fields of the nodes that it owns and the steps between
// are pointwise.
//
// What is differentiated is the reference form of a system (form.cuh): fields w in reference coordinates, and a list of
// products D_a w_k that are summed. Maxwell's equations have 12 of them, with covariant components, where derivatives
// of all fields are 18.
//
//   1. the block's fields to shared memory [NW][elements][nodes], and the records of its elements: geometry,
//       numbers of the fluxes, neighbours
//   2. fluxes, in a place of their own or, where PLEX_DG_SPLIT, after step 4 in the place of w
//   3. w of the fields, in place
//   4. sums of the products; the rates that follow from them
//   5. L times the fluxes on top
//   6. the rates in the place of w, and from there right-hand side, or residual and next state, to memory
//
// Where PLEX_DG_LAYER, elements of a perfectly matched layer whose rates are constant take up its variables in step 6: 32
// bytes a variable besides 40 of a node and field, in double precision.
#include "form.cuh"
#include "fused_args.h"
#include "pml_constant_args.h"

#ifndef PLEX_DG_LAYER // elements of a perfectly matched layer have their part of the stage here
  #define PLEX_DG_LAYER 0
#endif
#if PLEX_DG_LAYER
  #define PLEX_DG_LAYER_PARAMETER , PlexDGLayer layer
  #define PLEX_DG_LAYER_UPDATE    , const PlexDGLayer &layer, PlexDGPMLItem item
#else
  #define PLEX_DG_LAYER_PARAMETER
  #define PLEX_DG_LAYER_UPDATE
#endif

#define PLEX_DG_F4     (PLEX_DG_FACES * PLEX_DG_NFP) // face nodes of an element
#define PLEX_DG_ROWS   ((PLEX_DG_NP + 7) / 8)        // tiles of nodes
#define PLEX_DG_WARPS  ((PLEX_DG_ROWS + PLEX_DG_TILES - 1) / PLEX_DG_TILES * (PLEX_DG_ELEMENTS / 16))
#define PLEX_DG_BLOCK  (32 * PLEX_DG_WARPS)
#define PLEX_DG_PLANES (PLEX_DG_NW > PLEX_DG_NF ? PLEX_DG_NW : PLEX_DG_NF) // of fields, and of w in their place

#include "block.cuh"

#define PLEX_DG_SN plex_dg_stride(PLEX_DG_NP)
#define PLEX_DG_SF plex_dg_stride(PLEX_DG_F4)

// A block's arrays in shared memory; PlexDGFusedShared() in fused.c counts them
struct PlexDGBlock {
  char      *records;  // [elements][PLEX_DG_RECORD]
  plex_real *w;        // [PLANES][elements][SN]
  plex_real *flux;     // [NF][elements][SF]
  plex_real *c;        // [NC]
  short     *meet;     // [FACES][TURNS][NFP], then the faces' own nodes [FACES][NFP]
  int        first, n; // elements first ... first + n - 1

  // Reals of element e's record
  __device__ __forceinline__ const plex_real *reals(int e) const
  {
    return (const plex_real *)(records + e * PLEX_DG_RECORD + PLEX_DG_FACES * sizeof(PlexDGFace));
  }
  __device__ __forceinline__ PlexDGFace face(int e, int f) const
  {
    return ((const PlexDGFace *)(records + e * PLEX_DG_RECORD))[f];
  }
};

PLEX_DEVICE PlexDGBlock plex_dg_block(const PlexDGArgs &args)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  PlexDGBlock   b;
  constexpr int nw = PLEX_DG_PLANES * PLEX_DG_SN, nf = PLEX_DG_NF * PLEX_DG_SF;

  b.records = (char *)memory;
  b.w       = (plex_real *)(b.records + PLEX_DG_ELEMENTS * PLEX_DG_RECORD);
  b.flux    = PLEX_DG_SPLIT ? b.w : b.w + PLEX_DG_ELEMENTS * nw;
  b.c       = b.w + PLEX_DG_ELEMENTS * (PLEX_DG_SPLIT ? (nw > nf ? nw : nf) : nw + nf);
  b.meet    = (short *)(b.c + (PLEX_DG_NC + 1) / 2 * 2);
  b.first   = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
  b.n       = args.end - b.first < PLEX_DG_ELEMENTS ? args.end - b.first : PLEX_DG_ELEMENTS;
  return b;
}

// The block's fields to shared memory, records of its elements, and the constants
PLEX_DEVICE void plex_dg_load(const PlexDGArgs &args, const PlexDGFragments &fragments, const PlexDGBlock &b,
                              const plex_state *u)
{
  plex_dg_load_records(b.records, b.meet, fragments.records, fragments.meet, b.first, b.n);
  for (int i = threadIdx.x; i < PLEX_DG_NC; i += PLEX_DG_BLOCK)
    plex_dg_copy<sizeof(plex_real)>(b.c + i, (const plex_real *)args.constants + i);
  plex_dg_load_fields<PLEX_DG_SN>(b.w, u, b.first, b.n);
  plex_dg_clear_rest<PLEX_DG_NP, PLEX_DG_SN>(b.w, PLEX_DG_PLANES * PLEX_DG_ELEMENTS);
  plex_dg_fetched();
}

// The element's own state at node `own`
PLEX_DEVICE void plex_dg_inside(const PlexDGBlock &b, const plex_state *u, int e, int own, plex_real *uM)
{
#if PLEX_DG_SPLIT
  const plex_state *at = u + (plex_index)(b.first + e) * (PLEX_DG_NF * PLEX_DG_NP) + own;
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) uM[q] = (plex_real)at[q * PLEX_DG_NP];
#else
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) uM[q] = b.w[(q * PLEX_DG_ELEMENTS + e) * PLEX_DG_SN + own];
#endif
}

// Flux times Fscale at face node i of the block, where it lies between two elements, or on the boundary. Nodes on the
// boundary are few, but what is computed there may be long. False: it is the other case's
template <bool boundary>
PLEX_DEVICE bool plex_dg_flux_at(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u, int i)
{
  const int        e = i / PLEX_DG_F4, r = i - e * PLEX_DG_F4, f = r / PLEX_DG_NFP, m = r - f * PLEX_DG_NFP,
                   own   = b.meet[PLEX_DG_FACES * PLEX_DG_TURNS * PLEX_DG_NFP + r];
  const PlexDGFace face  = b.face(e, f);
  const plex_real *reals = b.reals(e), *n = reals + PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1);
  plex_real        uM[PLEX_DG_NF], uP[PLEX_DG_NF], flux[PLEX_DG_NF];

  if (boundary != (face.meet == -1)) return false;
  if (!boundary) {
    if (face.meet >= 0) {
      const plex_state *at = u + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NP) + b.meet[face.meet + m];
      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NF; ++q) uP[q] = (plex_real)at[q * PLEX_DG_NP];
    } else {
      const plex_real *at = (const plex_real *)args.ghosts + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NFP) +
                            plex_dg_turn[-2 - face.meet][m];
      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NF; ++q) uP[q] = at[q * PLEX_DG_NFP];
    }
  }
  plex_dg_inside(b, u, e, own, uM);
  if (boundary) {
    const plex_real *x = args.facets
                         ? (const plex_real *)args.facets + ((plex_index)face.at * PLEX_DG_NFP + m) * PLEX_DIM
                         : NULL;

    dg_boundary(args.kinds[face.at], uM, n, x, (plex_real)args.t,
                (const plex_real *)args.coefficients + (plex_index)(b.first + e) * PLEX_DG_NK, b.c, uP);
  }
  plex_dg_flux(uM, uP, n, reals + PLEX_DG_RECORD_K, reals + PLEX_DG_RECORD_FACES + f * PLEX_DG_FACE_NUMBERS, b.c, flux);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) b.flux[(q * PLEX_DG_ELEMENTS + e) * PLEX_DG_SF + r] = n[PLEX_DIM] * flux[q];
  return true;
}

PLEX_DEVICE void plex_dg_fluxes(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u)
{
  bool left = false; // nodes on the boundary

  _Pragma("unroll 2")
  for (int i = threadIdx.x; i < b.n * PLEX_DG_F4; i += PLEX_DG_BLOCK) left |= !plex_dg_flux_at<false>(args, b, u, i);
  if (left) {
    _Pragma("unroll 1")
    for (int i = threadIdx.x; i < b.n * PLEX_DG_F4; i += PLEX_DG_BLOCK) plex_dg_flux_at<true>(args, b, u, i);
  }
  plex_dg_clear_rest<PLEX_DG_F4, PLEX_DG_SF>(b.flux, PLEX_DG_NF * PLEX_DG_ELEMENTS);
}

// The reference form's fields, each node's in the place of its fields
PLEX_DEVICE void plex_dg_transform(const PlexDGBlock &b)
{
#if PLEX_DG_TRANSFORM
  for (int i = threadIdx.x; i < b.n * PLEX_DG_NP; i += PLEX_DG_BLOCK) {
    const int        e     = i / PLEX_DG_NP;
    plex_real       *p     = b.w + e * PLEX_DG_SN + i - e * PLEX_DG_NP, u[PLEX_DG_NF], w[PLEX_DG_NW];
    const plex_real *reals = b.reals(e);

    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) u[q] = p[q * PLEX_DG_ELEMENTS * PLEX_DG_SN];
    plex_dg_to_reference(u, reals, reals + PLEX_DG_RECORD_K, b.c, w);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NW; ++q) p[q * PLEX_DG_ELEMENTS * PLEX_DG_SN] = w[q];
  }
#endif
}

// sums[tile][NA][4] of products D_a w_k
PLEX_DEVICE void plex_dg_differentiate(const PlexDGBlock &b, const PlexUnitB *D, int tile, const plex_real *rows,
                                       plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4])
{
  constexpr int steps = PLEX_DG_STEPS(PLEX_DG_NP);
  PlexUnitB     d[PLEX_DG_TILES][PLEX_DIM], next[PLEX_DG_TILES][PLEX_DIM];

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a)
    next[p][a] = plex_unit_get(D + (min(tile + p, PLEX_DG_ROWS - 1) * steps * PLEX_DIM + a) * 32);
  _Pragma("unroll 1")
  for (int s = 0; s < steps; ++s) {
    const int ahead = min(s + 1, steps - 1);

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) {
      d[p][a]    = next[p][a];
      next[p][a] = plex_unit_get(D + ((min(tile + p, PLEX_DG_ROWS - 1) * steps + ahead) * PLEX_DIM + a) * 32);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NW; ++k) {
      const PlexUnitA w = plex_unit_load<PLEX_DG_SN>(rows + k * PLEX_DG_ELEMENTS * PLEX_DG_SN + PLEX_UNIT_K * s);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NPRODUCTS; ++q)
        if (plex_dg_products[q][2] == k)
          plex_unit_add(sums[p][plex_dg_products[q][0]], w,
                        plex_dg_products[q][3] > 0 ? d[p][plex_dg_products[q][1]]
                                                   : plex_unit_negative(d[p][plex_dg_products[q][1]]));
    }
  }
}

// rates[tile][NF][4] += L flux
PLEX_DEVICE void plex_dg_lift(const PlexUnitB *L, int tile, const plex_real *rows,
                              plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int steps = PLEX_DG_STEPS(PLEX_DG_F4);
  PlexUnitB     l[PLEX_DG_TILES], next[2][PLEX_DG_TILES];

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 2; ++h)
    next[h][p] = plex_unit_get(L + (min(tile + p, PLEX_DG_ROWS - 1) * steps + min(h, steps - 1)) * 32);
  _Pragma("unroll 1")
  for (int s = 0; s < steps; ++s) {
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      l[p]       = next[0][p];
      next[0][p] = next[1][p];
      next[1][p] = plex_unit_get(L + (min(tile + p, PLEX_DG_ROWS - 1) * steps + min(s + 2, steps - 1)) * 32);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const PlexUnitA w = plex_unit_load<PLEX_DG_SF>(rows + k * PLEX_DG_ELEMENTS * PLEX_DG_SF + PLEX_UNIT_K * s);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(rates[p][k], w, l[p]);
    }
  }
}

// Rates of the thread's nodes from their sums: of element 8 t + lane / 4, node 2 (lane % 4) + c of the tile, in [2
// t + c]
PLEX_DEVICE void plex_dg_rates(const PlexDGBlock &b, int first, int tile, plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4],
                               plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int        e = first + 8 * t, valid = e < b.n ? e : 0;
    const plex_real *reals = b.reals(valid);

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int c = 0; c < 2; ++c) {
      plex_real a[PLEX_DG_NA], r[PLEX_DG_NF], u[PLEX_DG_NF] = {};

      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NA; ++q) a[q] = sums[p][q][2 * t + c];
#if PLEX_DG_RATES_OF_STATE // w are the fields
      const int i = min((tile + p) * 8 + 2 * ((int)threadIdx.x % 4) + c, PLEX_DG_NP - 1);
      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NF; ++q) u[q] = b.w[(q * PLEX_DG_ELEMENTS + valid) * PLEX_DG_SN + i];
#endif
      plex_dg_from_reference(a, u, reals, reals + PLEX_DG_RECORD_K, b.c, r);
      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NF; ++q) rates[p][q][2 * t + c] = r[q];
    }
  }
}

// A warp's rates, to the place of w: [NF][elements][SN]
PLEX_DEVICE void plex_dg_collect(const PlexDGBlock &b, int first, int tile,
                                 const plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) {
    const int i = (tile + p) * 8 + (int)threadIdx.x % 4 * 2;

    if (i >= PLEX_DG_SN) break;
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) _Pragma("unroll")
    for (int t = 0; t < 2; ++t) {
      plex_real *to = b.w + (q * PLEX_DG_ELEMENTS + first + 8 * t) * PLEX_DG_SN + i;

      to[0] = rates[p][q][2 * t];
      to[1] = rates[p][q][2 * t + 1];
    }
  }
}

#if PLEX_DG_LAYER
// ---- A perfectly matched layer in elements of constant rates, pml_constant.h, with the stage. Other blocks pay for the 16
// bytes an element that say so, which come with its fields, and have an update of their own
  #define PLEX_PML_MOST   PLEX_DG_NF
  #define PLEX_PML_UNROLL _Pragma("unroll")
  #include "pml_variables.cuh"
  #include "pml_constant.h"

  #define PLEX_DG_LAYER_EARLY (PLEX_DG_NP <= 4) // its variables are asked for before the derivatives, else behind them

// Nonzero where an element that the lane looks at is in the layer
PLEX_DEVICE int plex_dg_layer_look(const PlexDGLayer &layer, const PlexDGBlock &b)
{
  int rounds = 0;

  _Pragma("unroll")
  for (int e = 0; e < PLEX_DG_ELEMENTS; e += 32)
    if (e + (int)threadIdx.x % 32 < b.n) rounds |= layer.items[b.first + e + threadIdx.x % 32].rounds;
  return rounds;
}

// Asks for the variables of the block's elements, 32 bytes a thread, some threads an element: in bulk a warp would do so a
// lane at a time
PLEX_DEVICE void plex_dg_layer_prefetch(const PlexDGLayer &layer, const PlexDGStage &stage, const PlexDGBlock &b)
{
  constexpr int threads = PLEX_DG_BLOCK / PLEX_DG_ELEMENTS;
  const int     e       = (int)threadIdx.x / threads;

  if (e >= b.n) return;

  const PlexDGPMLItem item  = layer.items[b.first + e];
  const size_t        first = (size_t)item.first * sizeof(plex_real),
                      end   = first + (size_t)(item.variables * (PLEX_DG_NP * (int)sizeof(plex_real)));

  for (size_t at = (first & ~(size_t)31) + 32 * (threadIdx.x % threads); at < end; at += 32 * threads) {
    plex_prefetch_L2((const char *)layer.values + at);
    if (stage.a != 0) plex_prefetch_L2((const char *)layer.residual + at);
  }
}

// That of the element of the block's n-th node
PLEX_DEVICE PlexDGPMLItem plex_dg_layer_item(const PlexDGLayer &layer, const PlexDGBlock &b, int n)
{
  return layer.items[b.first + min(n / PLEX_DG_NP, b.n - 1)];
}

PLEX_DEVICE void plex_dg_layer(const PlexDGLayer &layer, const PlexDGStage &stage, const PlexDGPMLItem &item, int i,
                               const plex_real *u, plex_real *r)
{
  PlexDGPMLStage s = {};

  if (!item.rounds) return;
  s.values   = layer.values;
  s.residual = layer.residual;
  s.a        = stage.a;
  s.b        = stage.b;
  s.dt       = stage.dt;
  s.update   = 1;
  plex_pml_constant(&s, item, (const plex_real *)layer.numbers, layer.axes, layer.alpha, PLEX_DG_NF, PLEX_DG_NP, i, u,
                    r);
}
#endif

// Terms without derivatives, then the right-hand side or the stage's update, in the order of memory. Nothing of the
// block's reads again what is read or written here, but for u. layered: the block has elements of the layer; item: of the
// thread's first node, then of the next one, asked for before the stores of this one
template <bool layered>
PLEX_DEVICE void plex_dg_update(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGBlock &b,
                                const plex_state *u PLEX_DG_LAYER_UPDATE)
{
  _Pragma("unroll (layered ? 1 : 2)")
  for (int n = threadIdx.x; n < b.n * PLEX_DG_NP; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_NP, i = n - e * PLEX_DG_NP;
    const plex_index at    = (plex_index)(b.first + e) * (PLEX_DG_NF * PLEX_DG_NP) + i;
    const plex_real *rates = b.w + e * PLEX_DG_SN + i;
    plex_real        r[PLEX_DG_NF], v[PLEX_DG_NF] = {}, old[PLEX_DG_NF];

    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) old[q] = plex_dg_residual(stage, at + q * PLEX_DG_NP);

#if PLEX_DG_STAGE || PLEX_DG_LOCAL || defined(PLEX_DG_SOURCE)
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) v[q] = (plex_real)u[at + q * PLEX_DG_NP];
#endif
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) r[q] = rates[q * PLEX_DG_ELEMENTS * PLEX_DG_SN];
#if PLEX_DG_LAYER
    if constexpr (layered) {
      const PlexDGPMLItem own = item;

      item = plex_dg_layer_item(layer, b, n + PLEX_DG_BLOCK);
      plex_dg_layer(layer, stage, own, i, v, r);
    }
#endif
    plex_dg_local(args, b.first + e, i, v, b.reals(e), b.c, r);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) plex_dg_store(args, stage, at + q * PLEX_DG_NP, v[q], old[q], r[q]);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK, PLEX_DG_RESIDENT)
  plex_dg_fused(PlexDGArgs args, PlexDGStage stage, PlexDGFragments fragments PLEX_DG_LAYER_PARAMETER)
{
  const PlexDGBlock b    = plex_dg_block(args);
  const int         lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = PLEX_DG_WARPS / (PLEX_DG_ELEMENTS / 16),
                    tile  = warp % tiles * PLEX_DG_TILES;
  const int         first = warp / tiles * 16 + lane / 4; // element
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif
  plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4];

#if PLEX_DG_LAYER
  const int look = plex_dg_layer_look(layer, b);
#endif

  plex_dg_load(args, fragments, b, u);
  __syncthreads();
#if PLEX_DG_LAYER
  const bool    layered = plex_lanes_any(look != 0);
  PlexDGPMLItem item    = {};

  if (PLEX_DG_LAYER_EARLY && layered) plex_dg_layer_prefetch(layer, stage, b);
#endif
#if !PLEX_DG_SPLIT
  plex_dg_fluxes(args, b, u);
#endif
#if PLEX_DG_TRANSFORM
  #if !PLEX_DG_SPLIT
  __syncthreads();
  #endif
  plex_dg_transform(b);
#endif
#if PLEX_DG_TRANSFORM || !PLEX_DG_SPLIT
  __syncthreads();
#endif
  {
    plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4] = {};

    plex_dg_differentiate(b, (const PlexUnitB *)fragments.D + lane, tile, b.w + first * PLEX_DG_SN, sums);
    plex_dg_rates(b, first, tile, sums, rates);
  }
#if PLEX_DG_SPLIT
  __syncthreads();
  plex_dg_fluxes(args, b, u);
  __syncthreads();
#endif
#if PLEX_DG_STAGE
  if (threadIdx.x == 0 && stage.a != 0)
    plex_dg_prefetch(stage.residual, (size_t)b.first * (PLEX_DG_NF * PLEX_DG_NP * sizeof(plex_real)),
                     (unsigned)(b.n * (PLEX_DG_NF * PLEX_DG_NP * (int)sizeof(plex_real))));
#endif
#if PLEX_DG_LAYER
  if (layered) {
    if (!PLEX_DG_LAYER_EARLY) plex_dg_layer_prefetch(layer, stage, b);
    item = plex_dg_layer_item(layer, b, threadIdx.x);
  }
#endif
  plex_dg_lift((const PlexUnitB *)fragments.L + lane, tile, b.flux + first * PLEX_DG_SF, rates);
  __syncthreads();
  plex_dg_collect(b, first, tile, rates);
  __syncthreads();
#if PLEX_DG_LAYER
  if (layered) plex_dg_update<true>(args, stage, b, u, layer, item);
  else plex_dg_update<false>(args, stage, b, u, layer, item);
#else
  plex_dg_update<false>(args, stage, b, u);
#endif
}
PLEX_EXPORT_KERNEL(plex_dg_fused)

// Records of elements begin ... Ne - 1, at set-up; records[e]. Threads by face, and one more for the rest of an element
extern "C" __global__ void plex_dg_fused_records(PlexDGArgs args, char *records)
{
  const plex_index i = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;
  const int        e = args.begin + (int)(i / (PLEX_DG_FACES + 1)), f = (int)(i % (PLEX_DG_FACES + 1));
  const plex_real *rx = (const plex_real *)args.geometry + (plex_index)e * (PLEX_DIM * PLEX_DIM),
                  *k = (const plex_real *)args.coefficients, *c = (const plex_real *)args.constants;

  if (e >= args.Ne) return;

  PlexDGFace *face  = (PlexDGFace *)(records + (size_t)e * PLEX_DG_RECORD);
  plex_real  *reals = (plex_real *)(face + PLEX_DG_FACES), *n = reals + PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1);

  if (f < PLEX_DG_FACES) {
    const PlexDGAcross a = plex_dg_across(args, e, f, PLEX_DG_NF);

    n[PLEX_DIM] = plex_dg_normal(rx, f, n);
    plex_dg_prepare(k + (plex_index)e * PLEX_DG_NK, k + (plex_index)a.element * PLEX_DG_NK, c,
                    reals + PLEX_DG_RECORD_FACES + f * PLEX_DG_FACE_NUMBERS);
    face[f] = plex_dg_face_of(args, e, f);
  } else {
    plex_dg_prepare_element(rx, k + (plex_index)e * PLEX_DG_NK, c, reals);
    for (int q = 0; q < PLEX_DG_RECORD_NK; ++q) reals[PLEX_DG_RECORD_K + q] = k[(plex_index)e * PLEX_DG_NK + q];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_fused_records)
