// Nodal DG in one pass: derivatives, fluxes, lift and, in a stage of a low-storage scheme, the update, so that a state is read and
// written once. A block has PLEX_DG_ELEMENTS elements (a multiple of 16), a warp 16 of them and PLEX_DG_TILES tiles of 8 nodes.
//
// The products with D and L are those of a warp's tensor units (unit.cuh): rows are elements, columns nodes, and there is one such
// matrix for each field, so that a thread holds all fields of the nodes that it owns and the steps between are pointwise.
//
// What is differentiated is the reference form of a system (form.cuh): fields w in reference coordinates, and a list of products
// D_a w_k that are summed. Maxwell's equations have 12 of them, with covariant components, where derivatives of all fields are 18.
//
//   1. the block's fields to shared memory [NW][elements][nodes], geometry and neighbours of its faces
//   2. fluxes, in a place of their own or, where PLEX_DG_SPLIT, after step 4 in the place of w
//   3. w of the fields, in place
//   4. sums of the products; the rates that follow from them
//   5. L times the fluxes on top
//   6. right-hand side, or residual and next state, to memory
#include "form.cuh"
#include "unit.cuh"
#include "fused_args.h"

#define PLEX_DG_F4       (PLEX_DG_FACES * PLEX_DG_NFP) // face nodes of an element
#define PLEX_DG_ROWS     ((PLEX_DG_NP + 7) / 8)        // tiles of nodes
#define PLEX_DG_WARPS    ((PLEX_DG_ROWS + PLEX_DG_TILES - 1) / PLEX_DG_TILES * (PLEX_DG_ELEMENTS / 16))
#define PLEX_DG_BLOCK    (32 * PLEX_DG_WARPS)
#define PLEX_DG_PLANES   (PLEX_DG_NW > PLEX_DG_NF ? PLEX_DG_NW : PLEX_DG_NF) // of fields, and of w in their place
#define PLEX_DG_STEPS(n) (((n) + PLEX_UNIT_K - 1) / PLEX_UNIT_K)

// Distance of an element's rows in shared memory, at least n and a multiple of PLEX_UNIT_K: a warp reads 8 rows of 4 numbers without
// conflicts of banks where it is an odd multiple of 4
static __device__ constexpr int plex_dg_stride(int n)
{
  n = PLEX_DG_STEPS(n) * PLEX_UNIT_K;
  return n / 4 % 2 ? n : n + 4;
}

#define PLEX_DG_SN plex_dg_stride(PLEX_DG_NP)
#define PLEX_DG_SF plex_dg_stride(PLEX_DG_F4)

#if PLEX_DG_STAGE // of a low-storage scheme
typedef plex_real plex_state;
#else
typedef plex_scalar plex_state;
#endif

// What lies across a face
struct PlexDGFace {
  int at;   // neighbour; received trace; facet of the boundary
  int meet; // >= 0: where its nodes are in the table of meeting nodes; -1: boundary; -2 - turn: received
};

PLEX_DEVICE void plex_dg_fetch(plex_real *to, const plex_state *from)
{
#if PLEX_DG_STAGE && !defined(PLEX_EMULATE)
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(plex_real)) : "memory");
#else
  *to = (plex_real)*from;
#endif
}

PLEX_DEVICE void plex_dg_fetched()
{
#if PLEX_DG_STAGE && !defined(PLEX_EMULATE)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Asks for bytes of a block's part of an array, which are read at its end
PLEX_DEVICE void plex_dg_prefetch(const void *array, size_t first, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
  const size_t at = ((size_t)array + first) & ~(size_t)15;

  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes & ~15u) : "memory");
#endif
}

// A block's arrays in shared memory; PlexDGFusedShared() in fused.c counts them
struct PlexDGBlock {
  plex_real  *w;        // [PLANES][elements][SN]
  plex_real  *flux;     // [NF][elements][SF]
  plex_real  *geometry; // [elements][PLEX_DG_GEOMETRY]
  plex_real  *k;        // [elements][NK] coefficients
  plex_real  *numbers;  // [elements][FACES][FACE_NUMBERS] what fluxes need of both sides' coefficients
  plex_real  *c;        // [NC]
  PlexDGFace *face;     // [elements][FACES]
  int        *boundary; // whether an element has a face on the boundary
  short      *meet;     // [FACES][TURNS][NFP], then the faces' own nodes [FACES][NFP]
  int         first, n; // elements first ... first + n - 1
};

#define PLEX_DG_NORMALS  (2 * PLEX_DIM * PLEX_DIM + 1) // rx, x, det, then normal and Fscale of each face
#define PLEX_DG_GEOMETRY (PLEX_DG_NORMALS + PLEX_DG_FACES * (PLEX_DIM + 1))

PLEX_DEVICE PlexDGBlock plex_dg_block(const PlexDGArgs &args)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  PlexDGBlock   b;
  constexpr int nw = PLEX_DG_PLANES * PLEX_DG_SN, nf = PLEX_DG_NF * PLEX_DG_SF;

  b.w        = memory;
  b.flux     = PLEX_DG_SPLIT ? b.w : b.w + PLEX_DG_ELEMENTS * nw;
  b.geometry = b.w + PLEX_DG_ELEMENTS * (PLEX_DG_SPLIT ? (nw > nf ? nw : nf) : nw + nf);
  b.k        = b.geometry + PLEX_DG_ELEMENTS * PLEX_DG_GEOMETRY;
  b.numbers  = b.k + PLEX_DG_ELEMENTS * PLEX_DG_NK;
  b.c        = b.numbers + PLEX_DG_ELEMENTS * PLEX_DG_FACES * PLEX_DG_FACE_NUMBERS;
  b.face     = (PlexDGFace *)(b.c + (PLEX_DG_NC + 1) / 2 * 2);
  b.boundary = (int *)(b.face + PLEX_DG_ELEMENTS * PLEX_DG_FACES);
  b.meet     = (short *)(b.boundary + 2);
  b.first    = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
  b.n        = args.end - b.first < PLEX_DG_ELEMENTS ? args.end - b.first : PLEX_DG_ELEMENTS;
  return b;
}

// What stands behind the n numbers of each row is zero, as 0 times it has to be
template <int n, int stride>
PLEX_DEVICE void plex_dg_clear_rest(plex_real *array, int rows)
{
  if constexpr (stride > n)
    for (int i = threadIdx.x; i < rows * (stride - n); i += PLEX_DG_BLOCK) array[i / (stride - n) * stride + n + i % (stride - n)] = 0;
}

// Fields to shared memory; numbers that no element has are zero, as 0 times what is there has to be
PLEX_DEVICE void plex_dg_load(const PlexDGBlock &b, const plex_state *u)
{
  const plex_state *from = u + (plex_index)b.first * (PLEX_DG_NF * PLEX_DG_NP);

  _Pragma("unroll 4")
  for (int i = threadIdx.x; i < b.n * PLEX_DG_NF * PLEX_DG_NP; i += PLEX_DG_BLOCK) {
    const int row = i / PLEX_DG_NP, e = row / PLEX_DG_NF, k = row - e * PLEX_DG_NF;

    plex_dg_fetch(b.w + (k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SN + i - row * PLEX_DG_NP, from + i);
  }
  constexpr int rows = PLEX_DG_PLANES * PLEX_DG_ELEMENTS;
  plex_dg_clear_rest<PLEX_DG_NP, PLEX_DG_SN>(b.w, rows);
  if (b.n < PLEX_DG_ELEMENTS)
    for (int i = threadIdx.x; i < rows * PLEX_DG_NP; i += PLEX_DG_BLOCK)
      if (i / PLEX_DG_NP % PLEX_DG_ELEMENTS >= b.n) b.w[i / PLEX_DG_NP * PLEX_DG_SN + i % PLEX_DG_NP] = 0;
}

// What lies across face f of element e of the block
PLEX_DEVICE void plex_dg_load_face(const PlexDGArgs &args, const PlexDGBlock &b, int e, int f)
{
  const PlexDGAcross a    = plex_dg_across(args, b.first + e, f, PLEX_DG_NF);
  const plex_real   *k    = (const plex_real *)args.coefficients;
  PlexDGFace        *face = &b.face[e * PLEX_DG_FACES + f];

  if (a.facet >= 0) {
    face->at   = a.facet;
    face->meet = -1;
    atomicMax(b.boundary, 1);
  } else if (a.face < PLEX_DG_FACES) {
    face->at   = a.element;
    face->meet = (a.face * PLEX_DG_TURNS + a.turn) * PLEX_DG_NFP;
  } else {
    face->at   = a.element - args.Ne;
    face->meet = -2 - a.turn;
  }
  plex_dg_prepare(k + (plex_index)(b.first + e) * PLEX_DG_NK, k + (plex_index)a.element * PLEX_DG_NK, (const plex_real *)args.constants, b.numbers + (e * PLEX_DG_FACES + f) * PLEX_DG_FACE_NUMBERS);
}

// Geometry: threads by face, and one more for the rest of an element
PLEX_DEVICE void plex_dg_load_geometry(const PlexDGArgs &args, const short *meet, const PlexDGBlock &b)
{
  for (int i = threadIdx.x; i < b.n * (PLEX_DG_FACES + 1); i += PLEX_DG_BLOCK) {
    const int        f = i / b.n, e = i - f * b.n;
    const plex_real *rx = (const plex_real *)args.geometry + (plex_index)(b.first + e) * (PLEX_DIM * PLEX_DIM);
    plex_real       *g  = b.geometry + e * PLEX_DG_GEOMETRY;

    if (f < PLEX_DG_FACES) {
      plex_real *n = g + PLEX_DG_NORMALS + f * (PLEX_DIM + 1);

      n[PLEX_DIM] = plex_dg_normal(rx, f, n);
      plex_dg_load_face(args, b, e, f);
    } else {
      for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) g[d] = rx[d];
      g[2 * PLEX_DIM * PLEX_DIM] = plex_dg_inverse(rx, g + PLEX_DIM * PLEX_DIM);
      for (int q = 0; q < PLEX_DG_NK; ++q) b.k[e * PLEX_DG_NK + q] = ((const plex_real *)args.coefficients)[(plex_index)(b.first + e) * PLEX_DG_NK + q];
    }
  }
  for (int i = threadIdx.x; i < PLEX_DG_NC; i += PLEX_DG_BLOCK) b.c[i] = ((const plex_real *)args.constants)[i];
  for (int i = threadIdx.x; i < PLEX_DG_FACES * (PLEX_DG_TURNS + 1) * PLEX_DG_NFP; i += PLEX_DG_BLOCK) b.meet[i] = meet[i];
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

// Fluxes times Fscale of all faces of the block's elements between two elements, or of those on the boundary. These are few, but what is
// computed there may be long.
template <bool boundary>
PLEX_DEVICE void plex_dg_fluxes(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u)
{
  _Pragma("unroll 2")
  for (int i = threadIdx.x; i < PLEX_DG_ELEMENTS * PLEX_DG_F4; i += PLEX_DG_BLOCK) {
    const int e = i / PLEX_DG_F4, r = i - e * PLEX_DG_F4, f = r / PLEX_DG_NFP, m = r - f * PLEX_DG_NFP;
    plex_real flux[PLEX_DG_NF] = {};

    if (e < b.n) {
      const PlexDGFace face = b.face[e * PLEX_DG_FACES + f];
      const plex_real *n = b.geometry + e * PLEX_DG_GEOMETRY + PLEX_DG_NORMALS + f * (PLEX_DIM + 1), *k = b.k + e * PLEX_DG_NK;
      const int        own = b.meet[PLEX_DG_FACES * PLEX_DG_TURNS * PLEX_DG_NFP + r];
      plex_real        uM[PLEX_DG_NF], uP[PLEX_DG_NF];

      if (boundary && face.meet != -1) continue;
      if (!boundary && face.meet != -1) {
        if (face.meet >= 0) {
          const plex_state *at = u + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NP) + b.meet[face.meet + m];
          _Pragma("unroll")
          for (int q = 0; q < PLEX_DG_NF; ++q) uP[q] = (plex_real)at[q * PLEX_DG_NP];
        } else {
          const double *at = args.ghosts + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NFP) + plex_dg_turn[-2 - face.meet][m];
          _Pragma("unroll")
          for (int q = 0; q < PLEX_DG_NF; ++q) uP[q] = (plex_real)at[q * PLEX_DG_NFP];
        }
      }
      if (boundary || face.meet != -1) {
        plex_dg_inside(b, u, e, own, uM);
        if (boundary) dg_boundary(args.kinds[face.at], uM, n, args.facets ? (const plex_real *)args.facets + ((plex_index)face.at * PLEX_DG_NFP + m) * PLEX_DIM : NULL, (plex_real)args.t, k, b.c, uP);
        plex_dg_flux(uM, uP, n, k, b.numbers + (e * PLEX_DG_FACES + f) * PLEX_DG_FACE_NUMBERS, b.c, flux);
        _Pragma("unroll")
        for (int q = 0; q < PLEX_DG_NF; ++q) flux[q] *= n[PLEX_DIM];
      }
    }
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) b.flux[(q * PLEX_DG_ELEMENTS + e) * PLEX_DG_SF + r] = flux[q];
  }
}

PLEX_DEVICE void plex_dg_all_fluxes(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u)
{
  plex_dg_fluxes<false>(args, b, u);
  if (*b.boundary) plex_dg_fluxes<true>(args, b, u);
  plex_dg_clear_rest<PLEX_DG_F4, PLEX_DG_SF>(b.flux, PLEX_DG_NF * PLEX_DG_ELEMENTS);
}

// The reference form's fields, each node's in the place of its fields
PLEX_DEVICE void plex_dg_transform(const PlexDGBlock &b)
{
#if PLEX_DG_TRANSFORM
  for (int i = threadIdx.x; i < b.n * PLEX_DG_NP; i += PLEX_DG_BLOCK) {
    const int        e = i / PLEX_DG_NP;
    plex_real       *p = b.w + e * PLEX_DG_SN + i - e * PLEX_DG_NP, u[PLEX_DG_NF], w[PLEX_DG_NW];
    const plex_real *g = b.geometry + e * PLEX_DG_GEOMETRY;

    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) u[q] = p[q * PLEX_DG_ELEMENTS * PLEX_DG_SN];
    plex_dg_to_reference(u, g, g + PLEX_DIM * PLEX_DIM, b.k + e * PLEX_DG_NK, b.c, w);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NW; ++q) p[q * PLEX_DG_ELEMENTS * PLEX_DG_SN] = w[q];
  }
#endif
}

// sums[tile][NA][4] of products D_a w_k
PLEX_DEVICE void plex_dg_differentiate(const PlexDGBlock &b, const PlexUnitB *D, int tile, const plex_real *rows, plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4])
{
  constexpr int steps = PLEX_DG_STEPS(PLEX_DG_NP);
  PlexUnitB     d[PLEX_DG_TILES][PLEX_DIM], next[PLEX_DG_TILES][PLEX_DIM];

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) next[p][a] = D[(plex_index)(min(tile + p, PLEX_DG_ROWS - 1) * steps * PLEX_DIM + a) * 32];
  _Pragma("unroll 1")
  for (int s = 0; s < steps; ++s) {
    const int ahead = min(s + 1, steps - 1);

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) {
      d[p][a]    = next[p][a];
      next[p][a] = D[(plex_index)((min(tile + p, PLEX_DG_ROWS - 1) * steps + ahead) * PLEX_DIM + a) * 32];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NW; ++k) {
      const PlexUnitA w = plex_unit_load(rows + k * PLEX_DG_ELEMENTS * PLEX_DG_SN + PLEX_UNIT_K * s, PLEX_DG_SN);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NPRODUCTS; ++q)
        if (plex_dg_products[q][2] == k) plex_unit_add(sums[p][plex_dg_products[q][0]], w, plex_dg_products[q][3] > 0 ? d[p][plex_dg_products[q][1]] : plex_unit_negative(d[p][plex_dg_products[q][1]]));
    }
  }
}

// rates[tile][NF][4] += L flux
PLEX_DEVICE void plex_dg_lift(const PlexUnitB *L, int tile, const plex_real *rows, plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  constexpr int steps = PLEX_DG_STEPS(PLEX_DG_F4);
  PlexUnitB     l[PLEX_DG_TILES], next[2][PLEX_DG_TILES];

  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 2; ++h) next[h][p] = L[(plex_index)(min(tile + p, PLEX_DG_ROWS - 1) * steps + min(h, steps - 1)) * 32];
  _Pragma("unroll 1")
  for (int s = 0; s < steps; ++s) {
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      l[p]       = next[0][p];
      next[0][p] = next[1][p];
      next[1][p] = L[(plex_index)(min(tile + p, PLEX_DG_ROWS - 1) * steps + min(s + 2, steps - 1)) * 32];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const PlexUnitA w = plex_unit_load(rows + k * PLEX_DG_ELEMENTS * PLEX_DG_SF + PLEX_UNIT_K * s, PLEX_DG_SF);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(rates[p][k], w, l[p]);
    }
  }
}

// Rates of the thread's nodes from their sums: of element 8 t + lane / 4, node 2 (lane % 4) + c of the tile, in [2 t + c]
PLEX_DEVICE void plex_dg_rates(const PlexDGBlock &b, int first, int tile, plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4], plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int        e = first + 8 * t, valid = e < b.n ? e : 0;
    const plex_real *g = b.geometry + valid * PLEX_DG_GEOMETRY, *k = b.k + valid * PLEX_DG_NK;

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
      plex_dg_from_reference(a, u, g, g + PLEX_DIM * PLEX_DIM, g[2 * PLEX_DIM * PLEX_DIM], k, b.c, r);
      _Pragma("unroll")
      for (int q = 0; q < PLEX_DG_NF; ++q) rates[p][q][2 * t + c] = r[q];
    }
  }
}

// Terms without derivatives of two nodes of an element that follow one another, then the right-hand side or the stage's update. All is read
// before any is written.
PLEX_DEVICE void plex_dg_store(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGBlock &b, int e, int i, const plex_state *u, plex_real r[2][PLEX_DG_NF])
{
  const plex_index at               = (plex_index)(b.first + e) * (PLEX_DG_NF * PLEX_DG_NP) + i;
  const bool       two              = i + 1 < PLEX_DG_NP;
  plex_real        v[2][PLEX_DG_NF] = {};

#if PLEX_DG_STAGE
  plex_real residual[2][PLEX_DG_NF];

  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) {
    residual[0][q] = ((const plex_real *)stage.residual)[at + q * PLEX_DG_NP];
    residual[1][q] = two ? ((const plex_real *)stage.residual)[at + q * PLEX_DG_NP + 1] : 0;
  }
#endif
#if PLEX_DG_STAGE || PLEX_DG_LOCAL || defined(PLEX_DG_SOURCE)
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) {
    v[0][q] = (plex_real)u[at + q * PLEX_DG_NP];
    v[1][q] = two ? (plex_real)u[at + q * PLEX_DG_NP + 1] : 0;
  }
#endif
  _Pragma("unroll")
  for (int c = 0; c < 2; ++c) {
    if (c && !two) break;
    plex_dg_local(args, b.first + e, i + c, v[c], b.k + e * PLEX_DG_NK, b.c, r[c]);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) {
#if PLEX_DG_STAGE
      const plex_real next = (plex_real)stage.a * residual[c][q] + (plex_real)stage.dt * r[c][q];

      ((plex_real *)stage.residual)[at + q * PLEX_DG_NP + c] = next;
      ((plex_real *)stage.next)[at + q * PLEX_DG_NP + c]     = v[c][q] + (plex_real)stage.b * next;
#else
      args.r[at + q * PLEX_DG_NP + c] = r[c][q];
#endif
    }
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK, PLEX_DG_RESIDENT) plex_dg_fused(PlexDGArgs args, PlexDGStage stage, PlexDGFragments fragments)
{
  const PlexDGBlock b    = plex_dg_block(args);
  const int         lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = PLEX_DG_WARPS / (PLEX_DG_ELEMENTS / 16), tile = warp % tiles * PLEX_DG_TILES;
  const int         first = warp / tiles * 16 + lane / 4; // element
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif
  plex_real rates[PLEX_DG_TILES][PLEX_DG_NF][4];

  if (threadIdx.x == 0) *b.boundary = 0;
  plex_dg_load(b, u);
  __syncthreads();
  plex_dg_load_geometry(args, (const short *)fragments.meet, b);
#if PLEX_DG_STAGE
  if (threadIdx.x == 0) plex_dg_prefetch(stage.residual, (size_t)b.first * (PLEX_DG_NF * PLEX_DG_NP * sizeof(plex_real)), (unsigned)(b.n * (PLEX_DG_NF * PLEX_DG_NP * (int)sizeof(plex_real))));
#endif
  plex_dg_fetched();
  __syncthreads();
#if !PLEX_DG_SPLIT
  plex_dg_all_fluxes(args, b, u);
#endif
#if PLEX_DG_TRANSFORM
  __syncthreads();
  plex_dg_transform(b);
#endif
#if PLEX_DG_TRANSFORM || !PLEX_DG_SPLIT
  __syncthreads();
#endif
  {
    plex_real sums[PLEX_DG_TILES][PLEX_DG_NA][4] = {};

    plex_dg_differentiate(b, (const PlexUnitB *)fragments.D + lane, tile, b.w + first * PLEX_DG_SN + lane % 4, sums);
    plex_dg_rates(b, first, tile, sums, rates);
  }
#if PLEX_DG_SPLIT
  __syncthreads();
  plex_dg_all_fluxes(args, b, u);
  __syncthreads();
#endif
  plex_dg_lift((const PlexUnitB *)fragments.L + lane, tile, b.flux + first * PLEX_DG_SF + lane % 4, rates);
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int i = (tile + p) * 8 + lane % 4 * 2, e = first + 8 * t;
    plex_real r[2][PLEX_DG_NF];

    _Pragma("unroll")
    for (int c = 0; c < 2; ++c) _Pragma("unroll")
    for (int q = 0; q < PLEX_DG_NF; ++q) r[c][q] = rates[p][q][2 * t + c];
    if (i < PLEX_DG_NP && e < b.n) plex_dg_store(args, stage, b, e, i, u, r);
  }
}
PLEX_EXPORT_KERNEL(plex_dg_fused)
