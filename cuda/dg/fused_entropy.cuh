// The correction of src/dg/quadrature/entropy.c in quadrature_fused.cu, of affine elements, on tensor cores: after the
// redistribution, in the place of fluxes,
//
//   1. fields and rates at the points of elements; there entropy variables w, and what an element gains
//   2. two products with w: B, sums of weights times basis times w, and P, the projection; B . P
//   3. factors of an element from the sums of all its tiles
//   4. rates -= factors (P - mean of w)
//
// w_0 is taken from g times the elevation at the element's first node on, so that squares of changes of it are right
// where the level is far from 0. All is divided by det J.
//
// A row b.G of field k and element e: w[KG], P[NP], then sums of sets of tiles: w_k[sets of points], gain, depth and the
// least depth (k = 0, 1, 2)[sets of points], P_k B_k[sets of nodes].
#define PLEX_DG_KG          (PLEX_DG_STEPS(PLEX_DG_NG) * PLEX_UNIT_K)
#define PLEX_DG_W(k, e)     (b.G + ((k) * PLEX_DG_ELEMENTS + (e)) * PLEX_DG_SG)
#define PLEX_DG_P(k, e)     (PLEX_DG_W(k, e) + PLEX_DG_KG)
#define PLEX_DG_MEANS(k, e) (PLEX_DG_P(k, e) + PLEX_DG_NP)
#define PLEX_DG_STATS(k, e) (PLEX_DG_MEANS(k, e) + PLEX_DG_SETS(PLEX_DG_NG))
#define PLEX_DG_PB(k, e)    (PLEX_DG_STATS(k, e) + PLEX_DG_SETS(PLEX_DG_NG))

static_assert(PLEX_DG_NF >= 3 && PLEX_DG_FG >= 2 * PLEX_DG_NF, "places of an element's numbers");
static_assert(PLEX_DG_KG + PLEX_DG_NP + 2 * PLEX_DG_SETS(PLEX_DG_NG) + PLEX_DG_SETS(PLEX_DG_NP) <= PLEX_DG_SG,
              "a row of fluxes holds those of the correction");

// The sum over the 4 lanes of a row
PLEX_DEVICE plex_real plex_dg_row_sum(plex_real x)
{
  x += __shfl_xor_sync(0xffffffffu, x, 1, 32);
  return x + __shfl_xor_sync(0xffffffffu, x, 2, 32);
}
PLEX_DEVICE plex_real plex_dg_row_least(plex_real x)
{
  x = fmin(x, __shfl_xor_sync(0xffffffffu, x, 1, 32));
  return fmin(x, __shfl_xor_sync(0xffffffffu, x, 2, 32));
}

PLEX_DEVICE void plex_dg_entropy_points(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                        const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int set)
{
  const int lane = threadIdx.x % 32, tile = set * PLEX_DG_TILES;
  plex_real U[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, R[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, c[PLEX_DG_NC + 1];

  for (int i = 0; i < PLEX_DG_NC; ++i) c[i] = PLEX_DG_CONSTANTS[i];
  plex_dg_collocate(fragments, tile, b.u + first * PLEX_DG_SU, U);
  plex_dg_collocate(fragments, tile, b.sums + first * PLEX_DG_SU, R);
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int e    = first + 8 * t;
    plex_real gain = 0, depth = 0, least = 0, means[PLEX_DG_NF] = {};

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) {
      const int g                = (tile + p) * 8 + 2 * (lane % 4);
      plex_real w[2][PLEX_DG_NF] = {};

      if (e >= b.n || g >= PLEX_DG_NG) continue;
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        plex_real u[PLEX_DG_NF];

        if (g + h >= PLEX_DG_NG) continue;
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = U[p][k][2 * t + h];

        PLEX_DG_POINT_COEFFICIENTS(kappa, b.first + e, g + h);
        const plex_real weight = plex_dg_energy_weight(points, g + h), H = dg_entropy(u, kappa, c, w[h]);

        depth += weight * H;
        least = fmin(least, H - c[PLEX_DG_DRY]);
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) gain += weight * (w[h][k] * R[p][k][2 * t + h]);
        w[h][0] -= c[0] * b.u[e * PLEX_DG_SU];
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) means[k] += weight * w[h][k];
      }
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) plex_dg_put(b, k, e, g, w[0][k], w[1][k]);
    }
    gain  = plex_dg_row_sum(gain);
    depth = plex_dg_row_sum(depth);
    least = plex_dg_row_least(least);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) means[k] = plex_dg_row_sum(means[k]);
    if (e >= b.n || lane % 4) continue;
    PLEX_DG_STATS(0, e)[set] = gain;
    PLEX_DG_STATS(1, e)[set] = depth;
    PLEX_DG_STATS(2, e)[set] = least;
    for (int k = 0; k < PLEX_DG_NF; ++k) PLEX_DG_MEANS(k, e)[set] = means[k];
  }
}

PLEX_DEVICE void plex_dg_entropy_project(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first,
                                         int set)
{
  const int lane = threadIdx.x % 32, tile = set * PLEX_DG_TILES;
  plex_real B[PLEX_DG_TILES][PLEX_DG_NF][4] = {}, P[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  plex_dg_multiply<PLEX_DG_NG, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_SG,
                   PLEX_DG_ELEMENTS * PLEX_DG_SG>((const PlexUnitB *)fragments.weighted + lane, tile, 0,
                                                  PLEX_DG_STEPS(PLEX_DG_NG), b.G + first * PLEX_DG_SG, B);
  plex_dg_multiply<PLEX_DG_NG, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_SG,
                   PLEX_DG_ELEMENTS * PLEX_DG_SG>((const PlexUnitB *)fragments.projected + lane, tile, 0,
                                                  PLEX_DG_STEPS(PLEX_DG_NG), b.G + first * PLEX_DG_SG, P);
  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    const int e                = first + 8 * t;
    plex_real sums[PLEX_DG_NF] = {};

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int i = (tile + p) * 8 + 2 * (lane % 4) + h;

      if (i < PLEX_DG_NP) _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        sums[k] += P[p][k][2 * t + h] * B[p][k][2 * t + h];
        PLEX_DG_P(k, e)[i] = P[p][k][2 * t + h];
      }
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) sums[k] = plex_dg_row_sum(sums[k]);
    if (lane % 4 == 0)
      for (int k = 0; k < PLEX_DG_NF; ++k) PLEX_DG_PB(k, e)[set] = sums[k];
  }
}

// Factors and means of element e of the block, by 4 lanes, `part` of them, to its place in `energy`
PLEX_DEVICE void plex_dg_entropy_factors(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b,
                                         int e, int part)
{
  const plex_real *c = PLEX_DG_CONSTANTS;
  plex_real *to = b.energy + e * PLEX_DG_FG, crossing = 0, gain = 0, a[PLEX_DG_BALANCES] = {}, mean[PLEX_DG_NF] = {},
            sums[PLEX_DG_NF] = {}, factor[PLEX_DG_NF] = {};

  for (int r = part; r < PLEX_DG_FG; r += 4) crossing += to[r];
  for (int s = part; s < PLEX_DG_SETS(PLEX_DG_NG); s += 4) {
    gain += PLEX_DG_STATS(0, e)[s];
    a[PLEX_DG_DEPTH] += PLEX_DG_STATS(1, e)[s];
    a[PLEX_DG_LEAST] = fmin(a[PLEX_DG_LEAST], PLEX_DG_STATS(2, e)[s]);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) mean[k] += PLEX_DG_MEANS(k, e)[s];
  }
  for (int s = part; s < PLEX_DG_SETS(PLEX_DG_NP); s += 4) _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) sums[k] += PLEX_DG_PB(k, e)[s];
  crossing         = plex_dg_row_sum(crossing);
  gain             = plex_dg_row_sum(gain);
  a[PLEX_DG_DEPTH] = plex_dg_row_sum(a[PLEX_DG_DEPTH]);
  a[PLEX_DG_LEAST] = plex_dg_row_least(a[PLEX_DG_LEAST]);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] = plex_dg_row_sum(mean[k]);
    sums[k] = plex_dg_row_sum(sums[k]);
  }
  __syncwarp(); // `to` has been read
  if (part || e >= b.n) return;

  const plex_real volume = plex_dg_energy_volume(points);

  gain += crossing;
  a[PLEX_DG_AREA] = volume;
  a[PLEX_DG_DEPTH] /= volume;
  a[PLEX_DG_INVERSE] = plex_entropy_size(b.reals(e) + PLEX_DG_RECORD_C, 1);
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] /= volume;
    sums[k] = fmax(sums[k] - mean[k] * mean[k] * volume, (plex_real)0);
  }
  if (gain > 0) plex_entropy_rates(a, gain, plex_dg_energy_most(points), c, mean, sums, factor);
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    to[k]              = factor[k];
    to[PLEX_DG_NF + k] = mean[k];
  }
}

// The correction of the rates in b.sums
PLEX_DEVICE void plex_dg_correct(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                 const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int volumes = PLEX_DG_SETS(PLEX_DG_NG), nodes = PLEX_DG_SETS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * volumes; item += PLEX_DG_WARPS)
    plex_dg_entropy_points(args, points, fragments, b, item % PLEX_DG_GROUPS * 16 + lane / 4, item / PLEX_DG_GROUPS);
  __syncthreads();
  for (int item = warp; item < PLEX_DG_GROUPS * nodes; item += PLEX_DG_WARPS)
    plex_dg_entropy_project(fragments, b, item % PLEX_DG_GROUPS * 16 + lane / 4, item / PLEX_DG_GROUPS);
  __syncthreads();
  for (int base = warp * 8; base < PLEX_DG_ELEMENTS; base += PLEX_DG_WARPS * 8)
    plex_dg_entropy_factors(args, points, b, base + lane / 4, lane % 4);
  __syncthreads();
  for (int n = threadIdx.x; n < b.n * PLEX_DG_VALUES; n += PLEX_DG_BLOCK) {
    const int        e = n / PLEX_DG_VALUES, j = n - e * PLEX_DG_VALUES, k = j / PLEX_DG_NP;
    const plex_real *of = b.energy + e * PLEX_DG_FG;

    b.sums[e * PLEX_DG_SU + j] -= of[k] * (PLEX_DG_P(k, e)[j - k * PLEX_DG_NP] - of[PLEX_DG_NF + k]);
  }
  __syncthreads();
}
