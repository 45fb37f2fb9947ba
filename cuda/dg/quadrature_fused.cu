// DG with quadrature in one pass: collocation, evaluation, redistribution of elements and faces, solving and, in a
// stage of a low-storage scheme, the update. The proposal of Henry de Frahan (2011), chapter 6, on tensor cores: a
// block has PLEX_DG_ELEMENTS elements (a multiple of 16), whose data is in shared memory, and a warp multiplies rows of
// 16 of them by 8 columns of the matrices at a time (unit.cuh), PLEX_DG_TILES tiles for all fields at once, so that a
// thread ends with all fields of a point.
//
//   1. fields to shared memory [elements][SU], records of the elements: geometry, neighbours; then what is across
//       the faces [NF][elements][ST], in the order of own face nodes
//   2. collocation of tiles of 8 points, of elements or of faces, there of both traces; fluxes, sources, numerical
//       fluxes at these; to shared memory
//      [NF][elements][SG], columns a NGP + g, then those of sources, then of faces; NGP = NG, made even
//   3. redistribution: [W3 W2 -W5] times all that, a product of inner dimension (DIM + source) NGP + FACES MG,
//       whose sums [elements][SU] take the place of what is
//      across the faces; affine elements have M^-1 in the matrix
//   4. M^-1 of each other element times that; right-hand side, or residual and next state, in the order of memory
//
// An element of affine geometry reads its state, its neighbours' traces, a record of DIM^2 + FACES (DIM + 1) reals and
// FACES neighbours, and writes its rate: at least 8 (2 NF NP + NF FACES NFP); others read NP^2 + NG DIM^2 + FACES MG
// DIM reals more, of which M^-1 is the most. Flops on tensor cores: 2 NF (NP NG + FACES MG (NP + NFP) + NP
// ((DIM + source) NG + FACES MG)).
#include "quadrature.cuh"
#include "fused_args.h"

#define PLEX_DG_RECORD_C       0 // reals of a record: dr_a/dx_d, then of each face the normal, DIM, and its length
#define PLEX_DG_RECORD_NORMALS (PLEX_DIM * PLEX_DIM)
#define PLEX_DG_GEOMETRY       (PLEX_DG_STRAIGHT ? PLEX_DG_RECORD_NORMALS + PLEX_DG_FACES * (PLEX_DIM + 1) : 0)
#ifdef PLEX_DG_VARIABLE // these are with coefficients there
  #define PLEX_DG_RECORD_STRAIGHT 0
#else
  #define PLEX_DG_RECORD_STRAIGHT PLEX_DG_GEOMETRY
#endif
// then, where energy is looked at: the inverse of the sum of weights times det J, mean size of dr/dx
#define PLEX_DG_RECORD_AREA  PLEX_DG_RECORD_STRAIGHT
#define PLEX_DG_RECORD_REALS (PLEX_DG_RECORD_STRAIGHT + 2 * PLEX_DG_ENERGY)
#define PLEX_DG_BLOCK        (32 * PLEX_DG_WARPS)
#include "block.cuh"

#define PLEX_DG_GROUPS (PLEX_DG_ELEMENTS / 16)
#define PLEX_DG_F4     (PLEX_DG_FACES * PLEX_DG_NFP)
#define PLEX_DG_FG     (PLEX_DG_FACES * PLEX_DG_MG)
#ifdef PLEX_DG_VARIABLE // columns of a part of the fluxes
  #define PLEX_DG_NGP PLEX_DG_NG
#else
  #define PLEX_DG_NGP ((PLEX_DG_NG + 1) / 2 * 2)
#endif
#define PLEX_DG_COLUMNS ((PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP + PLEX_DG_FG)
#define PLEX_DG_ROWS(n) (((n) + 7) / 8)
#define PLEX_DG_SETS(n) ((PLEX_DG_ROWS(n) + PLEX_DG_TILES - 1) / PLEX_DG_TILES) // of tiles, for n points or nodes
#define PLEX_DG_VALUES  (PLEX_DG_NF * PLEX_DG_NP)                               // of an element

#define PLEX_DG_AHEAD 4 // steps for which numbers of a matrix are asked before

#ifdef PLEX_DG_VARIABLE // fused_points.cuh: behind fluxes are w, then B where it has no other place
  #define PLEX_DG_SU   plex_dg_odd_stride((PLEX_DG_NF - 1) * PLEX_DG_NP + PLEX_DG_STEPS(PLEX_DG_NP) * PLEX_UNIT_K)
  #define PLEX_DG_ST   (PLEX_DG_F4 | 1) // a thread an element
  #define PLEX_DG_W_AT (PLEX_DG_STEPS(PLEX_DG_COLUMNS) * PLEX_UNIT_K)
  #define PLEX_DG_X_AT (PLEX_DG_W_AT + (PLEX_DG_ENERGY ? PLEX_DG_STEPS(PLEX_DG_NG) * PLEX_UNIT_K : 0))
  #define PLEX_DG_SG   (PLEX_DG_X_AT + (PLEX_DG_ENERGY && !PLEX_DG_GIVEN_PLACE ? PLEX_DG_NP : 0))
#else
  #define PLEX_DG_SU plex_dg_stride((PLEX_DG_NF - 1) * PLEX_DG_NP + PLEX_DG_STEPS(PLEX_DG_NP) * PLEX_UNIT_K)
  #define PLEX_DG_ST plex_dg_stride(PLEX_DG_F4)
  #define PLEX_DG_SG plex_dg_stride((PLEX_DG_COLUMNS + 1) / 2 * 2)
#endif

// Of rows that a thread an element reads, and products: few threads of either meet in a bank
static __device__ constexpr int plex_dg_odd_stride(int n)
{
  return n % 16 == 3 || n % 16 == 5 || n % 16 == 11 || n % 16 == 13 ? n : plex_dg_odd_stride(n + 1);
}

// Two neighbouring numbers in shared memory, the first at an even place
struct alignas(2 * sizeof(plex_real)) PlexDGPair {
  plex_real value[2];
};

// A block's arrays in shared memory; PlexDGQuadratureFusedShared() in fused.c counts them
struct PlexDGBlock {
  char      *records; // [elements][PLEX_DG_RECORD]
  plex_real *u;       // [elements][SU], fields one behind the other
  plex_real *T;       // [NF][elements][ST]
  plex_real *sums;    // [elements][SU], as u; in the place of T
  plex_real *G;       // [NF][elements][SG]; in fused_points.cuh [SG][NF][elements]
#ifdef PLEX_DG_VARIABLE
  plex_real          *given;   // [PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY][elements]
  unsigned long long *arrived; // where all wait for coefficients
  int                 number;  // of the block where coefficients are
  plex_real          *basis;   // [MG][NFP] functions of a face at its points
  plex_real          *depth;   // [NG][elements] det J times depth, in the order of the point's column; or NULL
#endif
#if PLEX_DG_ENERGY
  plex_real *energy; // [FACES MG][elements] what leaves at the points of faces
  plex_real *weight; // [NG], then [MG] of the points
  int       *thin;   // [elements] whether there is less water than counts as dry at a point
#endif
  short *meet;     // [FACES][TURNS][NFP], then the faces' own nodes [FACES][NFP]
  int    first, n; // elements first ... first + n - 1

  __device__ __forceinline__ const plex_real *reals(int e) const
  {
    return (const plex_real *)(records + e * PLEX_DG_RECORD + PLEX_DG_FACES * sizeof(PlexDGFace));
  }
  __device__ __forceinline__ PlexDGFace face(int e, int f) const
  {
    return ((const PlexDGFace *)(records + e * PLEX_DG_RECORD))[f];
  }
};

#ifdef PLEX_DG_VARIABLE
  #include "fused_numbers.cuh"
#endif

PLEX_DEVICE PlexDGBlock plex_dg_block(const PlexDGArgs &args)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  constexpr int traces = PLEX_DG_NF * PLEX_DG_ST;
  PlexDGBlock   b;

  b.records = (char *)memory;
  b.u       = (plex_real *)(b.records + PLEX_DG_ELEMENTS * PLEX_DG_RECORD);
  b.T = b.sums = b.u + PLEX_DG_ELEMENTS * PLEX_DG_SU;
  b.G          = b.T + PLEX_DG_ELEMENTS * (traces > PLEX_DG_SU ? traces : PLEX_DG_SU);
  b.meet       = (short *)(b.G + PLEX_DG_NF * PLEX_DG_ELEMENTS * PLEX_DG_SG);
#ifdef PLEX_DG_VARIABLE
  b.given   = (plex_real *)b.meet;
  b.arrived = (unsigned long long *)(b.given + PLEX_DG_ELEMENTS * (PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY));
  b.meet    = (short *)(b.arrived + 2);
#endif
#if PLEX_DG_ENERGY
  b.energy = (plex_real *)b.meet;
  b.depth  = b.energy + PLEX_DG_ELEMENTS * PLEX_DG_FG;
  b.weight = b.depth + PLEX_DG_ELEMENTS * PLEX_DG_NG;
  b.thin   = (int *)(b.weight + PLEX_DG_NG + PLEX_DG_MG);
  b.meet   = (short *)(b.thin + PLEX_DG_ELEMENTS);
#endif
#ifdef PLEX_DG_VARIABLE
  b.basis = (plex_real *)b.meet;
  b.meet  = (short *)(b.basis + PLEX_DG_MG * PLEX_DG_NFP);
#endif
  b.first = args.begin + (int)blockIdx.x * PLEX_DG_ELEMENTS;
#ifdef PLEX_DG_VARIABLE
  b.number = (args.begin + PLEX_DG_ELEMENTS - 1) / PLEX_DG_ELEMENTS + (int)blockIdx.x;
  #if !PLEX_DG_ENERGY
  b.depth = NULL;
  #endif
#endif
  b.n = args.end - b.first < PLEX_DG_ELEMENTS ? args.end - b.first : PLEX_DG_ELEMENTS;
  return b;
}

// Asks for the block's residuals in the L2 cache, and for what a block reads first that comes PLEX_DG_LATER blocks
// later
PLEX_DEVICE void plex_dg_ask(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointFragments &fragments,
                             const PlexDGBlock &b, const plex_state *u)
{
  const int later = b.first + PLEX_DG_LATER * PLEX_DG_ELEMENTS;

  if (threadIdx.x) return;
#if defined(PLEX_DG_VARIABLE) && !PLEX_DG_AFFINE
  plex_dg_prefetch(fragments.Minv, (size_t)b.number * (PLEX_DG_ELEMENTS * PLEX_DG_HALF * sizeof(plex_real)),
                   PLEX_DG_ELEMENTS * PLEX_DG_HALF * (int)sizeof(plex_real));
#endif
#if PLEX_DG_STAGE
  if (stage.a != 0)
    plex_dg_prefetch(stage.residual, (size_t)b.first * (PLEX_DG_VALUES * sizeof(plex_real)),
                     (unsigned)(b.n * (PLEX_DG_VALUES * (int)sizeof(plex_real))));
#endif
  if (later + PLEX_DG_ELEMENTS > args.end) return;
  plex_dg_prefetch(u, (size_t)later * (PLEX_DG_VALUES * sizeof(plex_state)),
                   (unsigned)(PLEX_DG_ELEMENTS * (PLEX_DG_VALUES * (int)sizeof(plex_state))));
  plex_dg_prefetch(fragments.records, (size_t)later * PLEX_DG_RECORD, (unsigned)(PLEX_DG_ELEMENTS * PLEX_DG_RECORD));
}

// Zeros behind an element's fields, which products read
PLEX_DEVICE void plex_dg_clear_rest_of_fields(plex_real *u)
{
  constexpr int rest = (PLEX_DG_NF - 1) * PLEX_DG_NP + PLEX_DG_STEPS(PLEX_DG_NP) * PLEX_UNIT_K - PLEX_DG_VALUES;

  if constexpr (rest > 0)
    for (int i = threadIdx.x; i < PLEX_DG_ELEMENTS * rest; i += PLEX_DG_BLOCK)
      u[i / rest * PLEX_DG_SU + PLEX_DG_VALUES + i % rest] = 0;
}

// Fields to shared memory
PLEX_DEVICE void plex_dg_load(const PlexDGBlock &b, const plex_state *u)
{
  plex_dg_load_block<PLEX_DG_VALUES, PLEX_DG_SU>(b.u, u, b.first, b.n);
  plex_dg_clear_rest_of_fields(b.u);
}

// States across the faces at their nodes, zero on the boundary
PLEX_DEVICE void plex_dg_load_traces(const PlexDGArgs &args, const PlexDGBlock &b, const plex_state *u)
{
  _Pragma("unroll 2")
  for (int i = threadIdx.x; i < b.n * PLEX_DG_F4; i += PLEX_DG_BLOCK) {
    const int        e = i / PLEX_DG_F4, r = i - e * PLEX_DG_F4, f = r / PLEX_DG_NFP, m = r - f * PLEX_DG_NFP;
    const PlexDGFace face = b.face(e, f);
    plex_real       *to   = b.T + e * PLEX_DG_ST + r;

    if (face.meet >= 0) {
      const plex_state *from = u + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NP) + b.meet[face.meet + m];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) plex_dg_fetch(to + k * PLEX_DG_ELEMENTS * PLEX_DG_ST, from + k * PLEX_DG_NP);
    } else {
      const plex_real *from = face.meet == -1
                              ? NULL
                              : (const plex_real *)args.ghosts + (plex_index)face.at * (PLEX_DG_NF * PLEX_DG_NFP) +
                                  plex_dg_turn[-2 - face.meet][m];

      for (int k = 0; k < PLEX_DG_NF; ++k)
        to[k * PLEX_DG_ELEMENTS * PLEX_DG_ST] = from ? from[k * PLEX_DG_NFP] : (plex_real)0;
    }
  }
}

// sums[tile][field][4] += rows of the fields times tiles of a matrix, from `tile` on, columns of `steps` steps from
// `first` on; rows: the thread's first row, `stride` before the next one, fields `apart`. The matrix comes from the L2
// cache as often as from L1: it is asked for PLEX_DG_AHEAD steps before, also behind its end
template <int inner, int tiles, int stride, int apart>
PLEX_DEVICE void plex_dg_multiply(const PlexUnitB *W, int tile, int first, int steps, const plex_real *rows,
                                  plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  const PlexUnitB *from[PLEX_DG_TILES];
  PlexUnitB        w[PLEX_DG_AHEAD][PLEX_DG_TILES];

  rows += first * PLEX_UNIT_K;
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) {
    from[p] = W + (min(tile + p, tiles - 1) * PLEX_DG_STEPS(inner) + first) * 32;
    _Pragma("unroll")
    for (int j = 0; j < PLEX_DG_AHEAD; ++j) w[j][p] = plex_unit_get(from[p] + j * 32);
  }
  _Pragma("unroll 8")
  for (int s = 0; s < steps; ++s) {
    PlexUnitB now[PLEX_DG_TILES];

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      now[p] = w[0][p];
      _Pragma("unroll")
      for (int j = 1; j < PLEX_DG_AHEAD; ++j) w[j - 1][p] = w[j][p];
      w[PLEX_DG_AHEAD - 1][p] = plex_unit_get(from[p] + (s + PLEX_DG_AHEAD) * 32);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const PlexUnitA a = plex_unit_load<stride, apart % 4 == 0>(rows + k * apart + PLEX_UNIT_K * s);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(sums[p][k], a, now[p]);
    }
  }
}

// Values at tiles of points of elements; rows: the fields of the thread's first element
PLEX_DEVICE void plex_dg_collocate(const PlexDGPointFragments &fragments, int tile, const plex_real *rows,
                                   plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  plex_dg_multiply<PLEX_DG_NP, PLEX_DG_ROWS(PLEX_DG_NG), PLEX_DG_SU, PLEX_DG_NP>((const PlexUnitB *)fragments.W0 +
                                                                                   threadIdx.x % 32,
                                                                                 tile, 0, PLEX_DG_STEPS(PLEX_DG_NP),
                                                                                 rows, sums);
}

// Two columns of a field's row in the place of fluxes
PLEX_DEVICE void plex_dg_put(const PlexDGBlock &b, int k, int e, int column, plex_real first, plex_real second)
{
  *(PlexDGPair *)(b.G + (k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG + column) = {first, second};
}

// Fluxes, and sources, of element e of the block at points g and g + 1, where the fields are u; C: its cofactors where
// it has one Jacobian
PLEX_DEVICE void plex_dg_evaluate(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e,
                                  int g, const plex_real *C, const plex_real *c, plex_real u[2][PLEX_DG_NF])
{
  plex_real G[2][PLEX_DIM][PLEX_DG_NF] = {};
#if PLEX_DG_SOURCES
  plex_real s[2][PLEX_DG_NF] = {};
#endif

  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) {
    plex_real F[PLEX_DIM][PLEX_DG_NF];

    if (g + h >= PLEX_DG_NG) break;
    plex_dg_point_flux(args, points, b.first + e, g + h, u[h], c, F);
    plex_dg_to_reference_fluxes(PLEX_DG_AFFINE ? C : plex_dg_cofactors(points, b.first + e, g + h), F, G[h]);
#if PLEX_DG_SOURCES
    const plex_real determinant = plex_dg_determinant(points, b.first + e, g + h);

    plex_dg_sources(args, points, b.first + e, g + h, u[h], c, s[h]);
    for (int k = 0; k < PLEX_DG_NF; ++k) s[h][k] *= determinant;
#endif
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) plex_dg_put(b, k, e, a * PLEX_DG_NGP + g, G[0][a][k], G[1][a][k]);
#if PLEX_DG_SOURCES
    plex_dg_put(b, k, e, PLEX_DIM * PLEX_DG_NGP + g, s[0][k], s[1][k]);
#endif
  }
}

// Points of elements: tiles from `tile` on of 16 elements; first: the thread's
PLEX_DEVICE void plex_dg_volume(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int tile)
{
  const int lane                               = threadIdx.x % 32;
  plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, c[PLEX_DG_NC + 1];

  for (int i = 0; i < PLEX_DG_NC; ++i) c[i] = PLEX_DG_CONSTANTS[i];
  plex_dg_collocate(fragments, tile, b.u + first * PLEX_DG_SU, sums);
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int e = first + 8 * t;
    plex_real C[PLEX_DIM * PLEX_DIM];

    if (e >= b.n) break;
    if (PLEX_DG_AFFINE)
      for (int i = 0; i < PLEX_DIM * PLEX_DIM; ++i) C[i] = b.reals(e)[PLEX_DG_RECORD_C + i];
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      const int g = (tile + p) * 8 + 2 * (lane % 4);
      plex_real u[2][PLEX_DG_NF];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) _Pragma("unroll")
      for (int h = 0; h < 2; ++h) u[h][k] = sums[p][k][2 * t + h];
      if (g < PLEX_DG_NG) plex_dg_evaluate(args, points, b, e, g, C, c, u);
    }
  }
}

// Numerical flux q at point r of the faces of element e of the block, by the Jacobian of the face
PLEX_DEVICE void plex_dg_evaluate_face(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b,
                                       int e, int r, const plex_real *c, const plex_real *uM, plex_real *uP,
                                       plex_real *q)
{
  const int        f = r / PLEX_DG_MG, g = r - f * PLEX_DG_MG, element = b.first + e;
  const plex_index trace = (plex_index)element * PLEX_DG_FACES + f;
  const PlexDGFace face  = b.face(e, f);
  plex_real        n[PLEX_DIM], scale;

#if PLEX_DG_AFFINE
  const plex_real *normal = b.reals(e) + PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1);

  for (int d = 0; d < PLEX_DIM; ++d) n[d] = normal[d];
  scale = normal[PLEX_DIM];
#else
  scale = plex_dg_point_normal(points, trace, g, n);
#endif
  plex_dg_numerical_flux(args, points, trace, element,
                         face.meet >= 0    ? face.at
                         : face.meet == -1 ? element
                                           : args.Ne + face.at,
                         face.meet == -1 ? face.at : -1, g, n, c, uM, uP, q);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) q[k] *= scale;
}

// Points of faces likewise. Across a face only its own nodes count
PLEX_DEVICE void plex_dg_faces(const PlexDGArgs &args, const PlexDGPointArgs &points,
                               const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int tile)
{
  const int lane = threadIdx.x % 32, from = tile * 8 / PLEX_DG_MG,
            to = min(((tile + PLEX_DG_TILES) * 8 - 1) / PLEX_DG_MG, PLEX_DG_FACES - 1) + 1;
  plex_real uM[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, uP[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, c[PLEX_DG_NC + 1];

  for (int i = 0; i < PLEX_DG_NC; ++i) c[i] = PLEX_DG_CONSTANTS[i];
  plex_dg_multiply<PLEX_DG_NP, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_SU, PLEX_DG_NP>((const PlexUnitB *)fragments.inside +
                                                                                   lane,
                                                                                 tile, 0, PLEX_DG_STEPS(PLEX_DG_NP),
                                                                                 b.u + first * PLEX_DG_SU, uM);
  plex_dg_multiply<PLEX_DG_F4, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_ST,
                   PLEX_DG_ELEMENTS * PLEX_DG_ST>((const PlexUnitB *)fragments.across + lane, tile,
                                                  from * PLEX_DG_NFP / PLEX_UNIT_K,
                                                  PLEX_DG_STEPS(to * PLEX_DG_NFP) - from * PLEX_DG_NFP / PLEX_UNIT_K,
                                                  b.T + first * PLEX_DG_ST, uP);
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int e = first + 8 * t;

    if (e >= b.n) break;
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      const int r                = (tile + p) * 8 + 2 * (lane % 4);
      plex_real q[2][PLEX_DG_NF] = {};

      if (r >= PLEX_DG_FG) break;
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        plex_real inside[PLEX_DG_NF], outside[PLEX_DG_NF];

        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) {
          inside[k]  = uM[p][k][2 * t + h];
          outside[k] = uP[p][k][2 * t + h];
        }
        if (r + h < PLEX_DG_FG) plex_dg_evaluate_face(args, points, b, e, r + h, c, inside, outside, q[h]);
      }
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k)
        plex_dg_put(b, k, e, (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP + r, q[0][k], q[1][k]);
    }
  }
}

// The redistribution of tiles of nodes
PLEX_DEVICE void plex_dg_redistribute(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int tile)
{
  const int lane                               = threadIdx.x % 32;
  plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  plex_dg_multiply<PLEX_DG_COLUMNS, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_SG,
                   PLEX_DG_ELEMENTS * PLEX_DG_SG>((const PlexUnitB *)fragments.W + lane, tile, 0,
                                                  PLEX_DG_STEPS(PLEX_DG_COLUMNS), b.G + first * PLEX_DG_SG, sums);
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 4; ++h) {
    const int  i  = (tile + p) * 8 + 2 * (lane % 4) + h % 2;
    plex_real *to = b.sums + (first + 8 * (h / 2)) * PLEX_DG_SU + i;

    if (i < PLEX_DG_NP) _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) to[k * PLEX_DG_NP] = sums[p][k][h];
  }
}

#ifdef PLEX_DG_VARIABLE
  #include "fused_points.cuh"
#else
// M^-1 of each element, a thread a node
PLEX_DEVICE void plex_dg_solve(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointArgs &points,
                               const PlexDGBlock &b)
{
  for (int n = threadIdx.x; n < b.n * PLEX_DG_NP; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_NP, i = n - e * PLEX_DG_NP;
    const plex_real *Minv = (const plex_real *)points.Minv + (plex_index)(b.first + e) * (PLEX_DG_NP * PLEX_DG_NP) + i;
    plex_real        r[PLEX_DG_NF] = {};

    _Pragma("unroll 4")
    for (int j = 0; j < PLEX_DG_NP; ++j) {
      const plex_real inverse = __ldcs(Minv + j * PLEX_DG_NP);

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) r[k] += inverse * b.sums[e * PLEX_DG_SU + k * PLEX_DG_NP + j];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const plex_index at = (plex_index)(b.first + e) * PLEX_DG_VALUES + k * PLEX_DG_NP + i;

      plex_dg_store(args, stage, at, b.u[e * PLEX_DG_SU + k * PLEX_DG_NP + i], plex_dg_residual(stage, at), r[k]);
    }
  }
}
#endif

extern "C" __global__ void __launch_bounds__(PLEX_DG_BLOCK, PLEX_DG_RESIDENT)
  plex_dg_quadrature_fused(PlexDGArgs args, PlexDGStage stage, PlexDGPointArgs points, PlexDGPointFragments fragments)
{
  const PlexDGBlock b = plex_dg_block(args);
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif

  plex_dg_ask(args, stage, fragments, b, u);
  plex_dg_load_records(b.records, b.meet, fragments.records, fragments.meet, b.first, b.n);
#ifdef PLEX_DG_VARIABLE
  plex_dg_load_numbers(b, (const plex_real *)fragments.numbers);
  plex_dg_load(b, u);
  plex_dg_fetched();
  __syncthreads();
  plex_dg_load_traces(args, b, u);
  plex_dg_begin_points(points, fragments, b);
  plex_dg_take_to_points(fragments, b);
#else
  plex_dg_commit();
  plex_dg_load(b, u);
  plex_dg_committed(); // not yet the fields
  __syncthreads();
  plex_dg_load_traces(args, b, u);
  plex_dg_clear_rest<PLEX_DG_F4, PLEX_DG_ST>(b.T, PLEX_DG_NF * PLEX_DG_ELEMENTS);
  plex_dg_clear_rest<PLEX_DG_COLUMNS, PLEX_DG_SG>(b.G, PLEX_DG_NF * PLEX_DG_ELEMENTS);
#endif
  plex_dg_fetched();
  __syncthreads();
#ifdef PLEX_DG_VARIABLE
  plex_dg_by_points(args, stage, points, fragments, b);
#else
  constexpr int faces = PLEX_DG_SETS(PLEX_DG_FG), volumes = PLEX_DG_SETS(PLEX_DG_NG), sums = PLEX_DG_SETS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * (faces + volumes); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + lane / 4, set = item / PLEX_DG_GROUPS;

    if (set < faces) plex_dg_faces(args, points, fragments, b, first, set * PLEX_DG_TILES);
    else plex_dg_volume(args, points, fragments, b, first, (set - faces) * PLEX_DG_TILES);
  }
  __syncthreads();
  for (int item = warp; item < PLEX_DG_GROUPS * sums; item += PLEX_DG_WARPS)
    plex_dg_redistribute(fragments, b, item % PLEX_DG_GROUPS * 16 + lane / 4, item / PLEX_DG_GROUPS * PLEX_DG_TILES);
  __syncthreads();
  if (PLEX_DG_AFFINE)
    plex_dg_update_block<PLEX_DG_VALUES, PLEX_DG_SU>(args, stage, b.first, b.n, b.u,
                                                     [&](int e, int j) { return b.sums[e * PLEX_DG_SU + j]; });
  else plex_dg_solve(args, stage, points, b);
#endif
}
PLEX_EXPORT_KERNEL(plex_dg_quadrature_fused)

// Records of all elements, at set-up: a thread an element. args.begin: the first element that waits for traces
extern "C" __global__ void plex_dg_quadrature_records(PlexDGArgs args, PlexDGPointArgs points, const plex_real *numbers,
                                                      char *records)
{
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (e >= args.Ne) return;

  PlexDGFace *face  = (PlexDGFace *)(records + (size_t)e * PLEX_DG_RECORD);
  plex_real  *reals = (plex_real *)(face + PLEX_DG_FACES);

  for (int f = 0; f < PLEX_DG_FACES; ++f) {
    plex_real *n = reals + PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1);

    face[f] = plex_dg_face_of(args, e, f);
    if (PLEX_DG_RECORD_STRAIGHT) n[PLEX_DIM] = plex_dg_point_normal(points, (plex_index)e * PLEX_DG_FACES + f, 0, n);
  }
  if (PLEX_DG_RECORD_STRAIGHT)
    for (int c = 0; c < PLEX_DIM * PLEX_DIM; ++c) reals[PLEX_DG_RECORD_C + c] = plex_dg_cofactors(points, e, 0)[c];
#if PLEX_DG_ENERGY
  plex_real a[PLEX_DG_BALANCES] = {};

  for (int g = 0; g < PLEX_DG_NG; ++g) {
  #ifdef PLEX_DG_SCALE
    const int place = e < args.begin ? e : e + (PLEX_DG_ELEMENTS - args.begin % PLEX_DG_ELEMENTS) % PLEX_DG_ELEMENTS;
    const plex_real weight = plex_dg_energy_weight(points, g), m = plex_dg_scale(numbers, place, g),
                    *C = plex_dg_cofactors(points, e, g);

    a[PLEX_DG_AREA] += weight * m * m * plex_dg_flat_determinant(C);
    a[PLEX_DG_INVERSE] += weight * m * plex_entropy_size(C, 1);
  #else
    plex_dg_energy_add(points, e, g, 0, PLEX_DG_CONSTANTS, a);
  #endif
  }
  reals[PLEX_DG_RECORD_AREA]     = 1 / a[PLEX_DG_AREA];
  reals[PLEX_DG_RECORD_AREA + 1] = a[PLEX_DG_INVERSE] / a[PLEX_DG_AREA];
#endif
}
PLEX_EXPORT_KERNEL(plex_dg_quadrature_records)
