// quadrature_fused.cu for systems whose coefficients vary, as water's: most of the work is at points, not in products.
// Values at points go through shared memory, so that each thread has one point at a time, of an element or of a face.
//
//   1. products: fields at points of elements, both traces at points of faces, in the places of fluxes
//   2. fluxes, sources, numerical fluxes; where energy is looked at, entropy variables w
//   3. redistribution; B, sums of weights times basis times w
//   4. P = M^-1 B; of elements with an M^-1 of their own the rates
//   5. factors of an element: src/dg/quadrature/entropy.c
//   6. update by rates - factors (P - mean of w)
//
// w_0 is taken from g times the elevation at the element's first node on, so that squares of changes of it are right
// where the level is far from 0.
//
// Behind 4, a row of field k and element e begins with P[NP], then own rates [NP].
#define PLEX_DG_LANES   4 // of an element, for its factors
#define PLEX_DG_FACE_AT ((PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP)
#define PLEX_DG_APART_K (PLEX_DG_ELEMENTS * PLEX_DG_SG) // from field to field

static_assert(!PLEX_DG_ENERGY || PLEX_DG_FG >= 2 * PLEX_DG_NF,
              "an element's factors and means take the place of energy");
static_assert(2 * PLEX_DG_NP <= PLEX_DG_FACE_AT, "P and rates take the place of fluxes");

// Sums of tiles, from `tile` on, to columns `at` ... `at` + n - 1 of their rows
PLEX_DEVICE void plex_dg_spread(const PlexDGBlock &b, int first, int tile, int at, int n,
                                const plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4])
{
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) {
    const int column = (tile + p) * 8 + 2 * (threadIdx.x % 4);

    if (column < n) _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      plex_dg_put(b, k, first, at + column, sums[p][k][0], sums[p][k][1]);
      plex_dg_put(b, k, first + 8, at + column, sums[p][k][2], sums[p][k][3]);
    }
  }
}

// The products of 1: sets of tiles of faces, then of elements
PLEX_DEVICE void plex_dg_take_to_points(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int set)
{
  constexpr int faces = PLEX_DG_SETS(PLEX_DG_FG);
  const int     lane = threadIdx.x % 32, tile = (set < faces ? set : set - faces) * PLEX_DG_TILES;
  plex_real     sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  if (set < faces) {
    const int from = tile * 8 / PLEX_DG_MG,
              to   = min(((tile + PLEX_DG_TILES) * 8 - 1) / PLEX_DG_MG, PLEX_DG_FACES - 1) + 1,
              step = from * PLEX_DG_NFP / PLEX_UNIT_K;
    plex_real across[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

    plex_dg_multiply<PLEX_DG_NP, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_SU, PLEX_DG_NP>((const PlexUnitB *)fragments.inside +
                                                                                     lane,
                                                                                   tile, 0, PLEX_DG_STEPS(PLEX_DG_NP),
                                                                                   b.u + first * PLEX_DG_SU, sums);
    plex_dg_spread(b, first, tile, PLEX_DG_FACE_AT, PLEX_DG_FG, sums);
    plex_dg_multiply<PLEX_DG_F4, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_ST,
                     PLEX_DG_ELEMENTS * PLEX_DG_ST>((const PlexUnitB *)fragments.across + lane, tile, step,
                                                    PLEX_DG_STEPS(to * PLEX_DG_NFP) - step, b.T + first * PLEX_DG_ST,
                                                    across);
    plex_dg_spread(b, first, tile, PLEX_DG_X_AT, PLEX_DG_FG, across);
  } else {
    plex_dg_collocate(fragments, tile, b.u + first * PLEX_DG_SU, sums);
    plex_dg_spread(b, first, tile, 0, PLEX_DG_NG, sums);
  }
}

// Point g of element e of the block: fluxes, sources, w
PLEX_DEVICE void plex_dg_at_point(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e,
                                  int g, const plex_real *c)
{
  const int       element = b.first + e;
  plex_real      *row     = b.G + e * PLEX_DG_SG + g;
  const plex_real det     = plex_dg_determinant(points, element, g);
  plex_real       u[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF];
  PLEX_DG_POINT_COEFFICIENTS(kappa, element, g);

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = row[k * PLEX_DG_APART_K];
  dg_flux(u, kappa, c, F);
  plex_dg_to_reference_fluxes(PLEX_DG_AFFINE ? b.reals(e) + PLEX_DG_RECORD_C : plex_dg_cofactors(points, element, g), F,
                              G);
#if PLEX_DG_SOURCES
  plex_real s[PLEX_DG_NF];

  plex_dg_sources(args, points, element, g, u, c, s);
#endif
#if PLEX_DG_ENERGY
  plex_real       w[PLEX_DG_NF];
  const plex_real H = dg_entropy(u, kappa, c, w);

  b.depth[e * PLEX_DG_NG + g] = plex_dg_energy_weight(points, g) * det * H;
  if (H < c[PLEX_DG_DRY]) atomicMax(&b.thin[e], 1);
  w[0] -= c[0] * b.u[e * PLEX_DG_SU];
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) row[k * PLEX_DG_APART_K + a * PLEX_DG_NGP] = G[a][k];
#if PLEX_DG_SOURCES
    row[k * PLEX_DG_APART_K + PLEX_DIM * PLEX_DG_NGP] = det * s[k];
#endif
#if PLEX_DG_ENERGY
    row[k * PLEX_DG_APART_K + PLEX_DG_W_AT] = det * w[k];
#endif
  }
}

// Point r of the faces of element e of the block
PLEX_DEVICE void plex_dg_at_face(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e,
                                 int r, const plex_real *c)
{
  plex_real *row = b.G + e * PLEX_DG_SG + r, uM[PLEX_DG_NF], uP[PLEX_DG_NF], q[PLEX_DG_NF];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    uM[k] = row[k * PLEX_DG_APART_K + PLEX_DG_FACE_AT];
    uP[k] = row[k * PLEX_DG_APART_K + PLEX_DG_X_AT];
  }
  plex_dg_evaluate_face(args, points, b, e, r, c, uM, uP, q);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) row[k * PLEX_DG_APART_K + PLEX_DG_FACE_AT] = q[k];
}

// All points of the block: those of elements begin a warp, as those of faces do
PLEX_DEVICE void plex_dg_at_points(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b)
{
  constexpr int    volume = PLEX_DG_ELEMENTS * PLEX_DG_NG, faces = (volume + 31) / 32 * 32;
  const plex_real *c = PLEX_DG_CONSTANTS;

  for (int n = threadIdx.x; n < faces + PLEX_DG_ELEMENTS * PLEX_DG_FG; n += PLEX_DG_BLOCK) {
    if (n < faces) {
      const int e = n / PLEX_DG_NG;

      if (n < volume && e < b.n) plex_dg_at_point(args, points, b, e, n - e * PLEX_DG_NG, c);
    } else {
      const int e = (n - faces) / PLEX_DG_FG;

      if (e < b.n) plex_dg_at_face(args, points, b, e, n - faces - e * PLEX_DG_FG, c);
    }
  }
}

#if PLEX_DG_ENERGY
// B of tiles of nodes
PLEX_DEVICE void plex_dg_weigh(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int tile)
{
  plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  plex_dg_multiply<PLEX_DG_NG, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_SG,
                   PLEX_DG_APART_K>((const PlexUnitB *)fragments.weighted + threadIdx.x % 32, tile, 0,
                                    PLEX_DG_STEPS(PLEX_DG_NG), b.G + first * PLEX_DG_SG + PLEX_DG_W_AT, sums);
  plex_dg_spread(b, first, tile, PLEX_DG_X_AT, PLEX_DG_NP, sums);
}

// The sum over the lanes of an element
PLEX_DEVICE plex_real plex_dg_lanes_sum(plex_real x)
{
  _Pragma("unroll")
  for (int lane = 1; lane < PLEX_DG_LANES; lane *= 2) x += __shfl_xor_sync(0xffffffffu, x, lane, 32);
  return x;
}

// Factors and means of element e of the block, by PLEX_DG_LANES lanes, `part` of them, to its place in `energy`
PLEX_DEVICE void plex_dg_factors(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e,
                                 int part)
{
  const plex_real *c = PLEX_DG_CONSTANTS, *row = b.G + e * PLEX_DG_SG, *own = b.sums + e * PLEX_DG_SU;
  plex_real       *to = b.energy + e * PLEX_DG_FG, gain = 0, rate = 0, a[PLEX_DG_BALANCES] = {}, mean[PLEX_DG_NF] = {},
            sums[PLEX_DG_NF] = {}, factor[PLEX_DG_NF] = {};

  for (int r = part; r < PLEX_DG_FG; r += PLEX_DG_LANES) gain += to[r];
  for (int g = part; g < PLEX_DG_NG; g += PLEX_DG_LANES) a[PLEX_DG_DEPTH] += b.depth[e * PLEX_DG_NG + g];
  for (int i = part; i < PLEX_DG_NP; i += PLEX_DG_LANES) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const plex_real *of = row + k * PLEX_DG_APART_K, B = of[PLEX_DG_X_AT + i];

      gain += B * (PLEX_DG_AFFINE ? own[k * PLEX_DG_NP + i] : of[PLEX_DG_NP + i]);
      mean[k] += B;
      sums[k] += of[i] * B;
    }
    rate += PLEX_DG_AFFINE ? plex_dg_energy_integral(points, i) * own[i] : own[i]; // of the volume of water
  }
  gain             = plex_dg_lanes_sum(gain + c[0] * b.u[e * PLEX_DG_SU] * rate);
  a[PLEX_DG_DEPTH] = plex_dg_lanes_sum(a[PLEX_DG_DEPTH]);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] = plex_dg_lanes_sum(mean[k]);
    sums[k] = plex_dg_lanes_sum(sums[k]);
  }
  __syncwarp(); // `to` has been read
  if (part || e >= b.n) return;

  const plex_real *reals = b.reals(e);
  const plex_real  area  = PLEX_DG_AFFINE ? plex_dg_energy_volume(points) : reals[PLEX_DG_RECORD_AREA];

  a[PLEX_DG_AREA] = area;
  a[PLEX_DG_DEPTH] /= area;
  a[PLEX_DG_LEAST]   = b.thin[e] ? -1 : 0;
  a[PLEX_DG_INVERSE] = PLEX_DG_AFFINE ? plex_entropy_size(reals + PLEX_DG_RECORD_C, 1) : reals[PLEX_DG_RECORD_AREA + 1];
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] /= area;
    sums[k] = fmax(sums[k] - mean[k] * mean[k] * area, (plex_real)0);
  }
  if (gain > 0) plex_entropy_rates(a, gain, plex_dg_energy_most(points), c, mean, sums, factor);
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    to[k]              = factor[k];
    to[PLEX_DG_NF + k] = mean[k];
  }
}
#endif

// P, and rates of elements that have an M^-1 of their own, a thread a node
PLEX_DEVICE void plex_dg_solve_nodes(const PlexDGPointArgs &points, const PlexDGBlock &b)
{
  for (int n = threadIdx.x; n < b.n * PLEX_DG_NP; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_NP, i = n - e * PLEX_DG_NP;
    const plex_real *Minv = (const plex_real *)points.Minv + i +
                            (PLEX_DG_AFFINE ? 0 : (plex_index)(b.first + e) * (PLEX_DG_NP * PLEX_DG_NP));
    plex_real       *row = b.G + e * PLEX_DG_SG, P[PLEX_DG_NF] = {}, r[PLEX_DG_NF] = {};

    _Pragma("unroll 5")
    for (int j = 0; j < PLEX_DG_NP; ++j) {
      const plex_real inverse = Minv[j * PLEX_DG_NP];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        if (PLEX_DG_ENERGY) P[k] += inverse * row[k * PLEX_DG_APART_K + PLEX_DG_X_AT + j];
        if (!PLEX_DG_AFFINE) r[k] += inverse * b.sums[e * PLEX_DG_SU + k * PLEX_DG_NP + j];
      }
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      if (PLEX_DG_ENERGY) row[k * PLEX_DG_APART_K + i] = P[k];
      if (!PLEX_DG_AFFINE) row[k * PLEX_DG_APART_K + PLEX_DG_NP + i] = r[k];
    }
  }
}

// The update, or the right-hand side: a thread a node
PLEX_DEVICE void plex_dg_update_nodes(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGBlock &b)
{
  for (int n = threadIdx.x; n < b.n * PLEX_DG_NP; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_NP, i = n - e * PLEX_DG_NP;
    const plex_index at  = (plex_index)(b.first + e) * PLEX_DG_VALUES + i;
    const plex_real *row = b.G + e * PLEX_DG_SG + i, *own = b.sums + e * PLEX_DG_SU + i, *u = b.u + e * PLEX_DG_SU + i;
    plex_real        residual[PLEX_DG_NF];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) residual[k] = plex_dg_residual(stage, at + k * PLEX_DG_NP);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      plex_real r = PLEX_DG_AFFINE ? own[k * PLEX_DG_NP] : row[k * PLEX_DG_APART_K + PLEX_DG_NP];

#if PLEX_DG_ENERGY
      const plex_real *of = b.energy + e * PLEX_DG_FG + k;

      r -= of[0] * (row[k * PLEX_DG_APART_K] - of[PLEX_DG_NF]);
#endif
      plex_dg_store(args, stage, at + k * PLEX_DG_NP, u[k * PLEX_DG_NP], residual[k], r);
    }
  }
}

// What products read besides values that are written before: zeros
PLEX_DEVICE void plex_dg_clear_between(const PlexDGBlock &b)
{
  if (PLEX_DG_NG % 2)
    for (int i = threadIdx.x; i < PLEX_DG_NF * PLEX_DG_ELEMENTS * (PLEX_DIM + PLEX_DG_SOURCES); i += PLEX_DG_BLOCK)
      b.G[i / (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_SG + i % (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP +
          PLEX_DG_NG] = 0;
#if PLEX_DG_ENERGY
  plex_dg_clear_rest<PLEX_DG_NG, PLEX_DG_SG>(b.G + PLEX_DG_W_AT, PLEX_DG_NF * PLEX_DG_ELEMENTS);
  for (int e = threadIdx.x; e < PLEX_DG_ELEMENTS; e += PLEX_DG_BLOCK) b.thin[e] = 0;
#endif
}

// All of a stage, once fields and traces are in shared memory
PLEX_DEVICE void plex_dg_by_points(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointArgs &points,
                                   const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int collocated = PLEX_DG_SETS(PLEX_DG_FG) + PLEX_DG_SETS(PLEX_DG_NG), sums = PLEX_DG_SETS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * collocated; item += PLEX_DG_WARPS)
    plex_dg_take_to_points(fragments, b, item % PLEX_DG_GROUPS * 16 + lane / 4, item / PLEX_DG_GROUPS);
  __syncthreads();
  plex_dg_at_points(args, points, b);
  __syncthreads();
  for (int item = warp; item < PLEX_DG_GROUPS * sums * (1 + PLEX_DG_ENERGY); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + lane / 4, set = item / PLEX_DG_GROUPS;

    if (set < sums) plex_dg_redistribute(fragments, b, first, set * PLEX_DG_TILES);
#if PLEX_DG_ENERGY
    else plex_dg_weigh(fragments, b, first, (set - sums) * PLEX_DG_TILES);
#endif
  }
  __syncthreads();
  if (PLEX_DG_ENERGY || !PLEX_DG_AFFINE) {
    plex_dg_solve_nodes(points, b);
    __syncthreads();
  }
#if PLEX_DG_ENERGY
  constexpr int each = 32 / PLEX_DG_LANES; // elements of a warp

  for (int first = warp * each; first < PLEX_DG_ELEMENTS; first += PLEX_DG_WARPS * each)
    plex_dg_factors(args, points, b, first + lane / PLEX_DG_LANES, lane % PLEX_DG_LANES);
  __syncthreads();
#endif
  plex_dg_update_nodes(args, stage, b);
}
