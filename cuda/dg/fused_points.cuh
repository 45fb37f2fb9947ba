// quadrature_fused.cu for systems whose coefficients vary, as water's: most of the work is at points, not in products.
// Values at points go through shared memory, so that each thread has one point at a time, of an element or of a face.
//
//   1. products: fields at points of elements, both traces at points of faces, in the places of fluxes
//   2. fluxes, sources, numerical fluxes; where energy is looked at, entropy variables w
//   3. redistribution; B, sums of weights times basis times w
//   4. P = M^-1 B; of elements with an M^-1 of their own the rates
//   5. factors of an element, src/dg/quadrature/entropy.c, and update by rates - factors (P - mean of w), by lanes of a
//      warp
//
// w_0 is taken from g times the elevation at the element's first node on, so that squares of changes of it are right
// where the level is far from 0.
//
// Behind 4, a row of field k and element e begins with P[NP], then own rates [NP].
#define PLEX_DG_LANES   8 // of an element, for 5
#define PLEX_DG_FACE_AT ((PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP)
#define PLEX_DG_APART_K (PLEX_DG_ELEMENTS * PLEX_DG_SG) // from field to field

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

// The products of 1: sets of tiles of elements, of traces inside, of those across
PLEX_DEVICE void plex_dg_take_to_points(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int set)
{
  constexpr int volumes = PLEX_DG_SETS(PLEX_DG_NG), faces = PLEX_DG_SETS(PLEX_DG_FG);
  const int     lane = threadIdx.x % 32, inside = set - volumes, across = inside - faces;
  plex_real     sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  if (inside < 0) {
    plex_dg_collocate(fragments, set * PLEX_DG_TILES, b.u + first * PLEX_DG_SU, sums);
    plex_dg_spread(b, first, set * PLEX_DG_TILES, 0, PLEX_DG_NG, sums);
  } else if (across < 0) {
    plex_dg_multiply<PLEX_DG_NP, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_SU, PLEX_DG_NP>((const PlexUnitB *)fragments.inside +
                                                                                     lane,
                                                                                   inside * PLEX_DG_TILES, 0,
                                                                                   PLEX_DG_STEPS(PLEX_DG_NP),
                                                                                   b.u + first * PLEX_DG_SU, sums);
    plex_dg_spread(b, first, inside * PLEX_DG_TILES, PLEX_DG_FACE_AT, PLEX_DG_FG, sums);
  } else {
    const int tile = across * PLEX_DG_TILES, from = tile * 8 / PLEX_DG_MG,
              to   = min(((tile + PLEX_DG_TILES) * 8 - 1) / PLEX_DG_MG, PLEX_DG_FACES - 1) + 1,
              step = from * PLEX_DG_NFP / PLEX_UNIT_K;

    plex_dg_multiply<PLEX_DG_F4, PLEX_DG_ROWS(PLEX_DG_FG), PLEX_DG_ST,
                     PLEX_DG_ELEMENTS * PLEX_DG_ST>((const PlexUnitB *)fragments.across + lane, tile, step,
                                                    PLEX_DG_STEPS(to * PLEX_DG_NFP) - step, b.T + first * PLEX_DG_ST,
                                                    sums);
    plex_dg_spread(b, first, tile, PLEX_DG_X_AT, PLEX_DG_FG, sums);
  }
}

// Point g of element e of the block: fluxes, sources, w
PLEX_DEVICE void plex_dg_at_point(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                  const PlexDGPointFragments &fragments, const PlexDGBlock &b, int e, int g,
                                  const plex_real *c)
{
  const int        element = b.first + e;
  plex_real       *row     = b.G + e * PLEX_DG_SG + g;
  const plex_real *C       = PLEX_DG_STRAIGHT ? b.reals(e) + PLEX_DG_RECORD_C : plex_dg_cofactors(points, element, g);
  plex_real        u[PLEX_DG_NF], kappa[PLEX_DG_NUMBERS], F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = row[k * PLEX_DG_APART_K];
  plex_dg_get_numbers(fragments, b, e, g, kappa);
#ifdef PLEX_DG_SCALE
  const plex_real m = kappa[PLEX_DG_SCALE * (1 + PLEX_DIM)], det = m * m * plex_dg_flat_determinant(C);
#else
  const plex_real m = 1, det = plex_dg_determinant(points, element, g);
#endif
  dg_flux(u, kappa, c, F);
  plex_dg_to_reference_fluxes(C, F, G);
#if PLEX_DG_SOURCES
  plex_real s[PLEX_DG_NF];

  for (int k = 0; k < PLEX_DG_NF; ++k) s[k] = 0;
  dg_source(u, points.x ? (const plex_real *)points.x + ((plex_index)element * PLEX_DG_NG + g) * PLEX_DIM : NULL,
            (plex_real)args.t, kappa, c, s);
#endif
#if PLEX_DG_ENERGY
  plex_real       w[PLEX_DG_NF];
  const plex_real H = dg_entropy(u, kappa, c, w);

  b.depth[e * PLEX_DG_NG + g] = det * H;
  if (H < c[PLEX_DG_DRY]) atomicMax(&b.thin[e], 1);
  w[0] -= c[0] * b.u[e * PLEX_DG_SU];
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) row[k * PLEX_DG_APART_K + a * PLEX_DG_NGP] = m * G[a][k];
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
  const int  f = r / PLEX_DG_MG, g = r - f * PLEX_DG_MG;
  plex_real *row = b.G + e * PLEX_DG_SG + r, uM[PLEX_DG_NF], uP[PLEX_DG_NF], q[PLEX_DG_NF], kM[PLEX_DG_NUMBERS],
            kP[PLEX_DG_NUMBERS], n[PLEX_DIM], scale;
  const PlexDGFace face = b.face(e, f);

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    uM[k] = row[k * PLEX_DG_APART_K + PLEX_DG_FACE_AT];
    uP[k] = row[k * PLEX_DG_APART_K + PLEX_DG_X_AT];
  }
  plex_dg_get_face_numbers(b, e, r, 0, kM);
  plex_dg_get_face_numbers(b, e, r, 1, kP);
#if PLEX_DG_STRAIGHT
  const plex_real *normal = b.reals(e) + PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1);

  for (int d = 0; d < PLEX_DIM; ++d) n[d] = normal[d];
  scale = normal[PLEX_DIM];
  if (PLEX_DG_SCALED) scale *= b.given[e * PLEX_DG_FACE_NUMBERS + 2 * PLEX_DG_SIDE_ROWS * PLEX_DG_FG + r];
#else
  scale = plex_dg_point_normal(points, (plex_index)(b.first + e) * PLEX_DG_FACES + f, g, n);
#endif

  const plex_real energy = plex_dg_flux_across(args, face.meet == -1 ? face.at : -1, g, n, kM, kP, c, uM, uP, q);

#if PLEX_DG_ENERGY
  b.energy[e * PLEX_DG_FG + r] = scale * b.weight[PLEX_DG_NG + g] * energy;
#else
  (void)energy;
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) row[k * PLEX_DG_APART_K + PLEX_DG_FACE_AT] = scale * q[k];
}

// All points of the block: those of elements begin a warp, as those of faces do
PLEX_DEVICE void plex_dg_at_points(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                   const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int volume = PLEX_DG_ELEMENTS * PLEX_DG_NG, faces = (volume + 31) / 32 * 32;
  plex_real     c[PLEX_DG_NC + 1];

  plex_dg_get_constants(args, fragments, c);

  for (int n = threadIdx.x; n < faces + PLEX_DG_ELEMENTS * PLEX_DG_FG; n += PLEX_DG_BLOCK) {
    if (n < faces) {
      const int e = n / PLEX_DG_NG;

      if (n < volume && e < b.n) plex_dg_at_point(args, points, fragments, b, e, n - e * PLEX_DG_NG, c);
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

// Numbers part, part + PLEX_DG_LANES, .. below n
template <int n, class Work>
PLEX_DEVICE void plex_dg_each_of(int part, Work work)
{
  _Pragma("unroll 4")
  for (int t = 0; t < (n + PLEX_DG_LANES - 1) / PLEX_DG_LANES; ++t)
    if (t * PLEX_DG_LANES + part < n) work(t * PLEX_DG_LANES + part);
}

// The sum over the lanes of an element
PLEX_DEVICE plex_real plex_dg_lanes_sum(plex_real x)
{
  _Pragma("unroll")
  for (int lane = 1; lane < PLEX_DG_LANES; lane *= 2) x += __shfl_xor_sync(0xffffffffu, x, lane, 32);
  return x;
}

// Factors of element e of the block and its update, by PLEX_DG_LANES lanes, of which this is number `part`. All lanes of
// a warp come here, also for elements that there are not
PLEX_DEVICE void plex_dg_correct_element(const PlexDGArgs &args, const PlexDGStage &stage,
                                         const PlexDGPointArgs &points, const PlexDGPointFragments &fragments,
                                         const PlexDGBlock &b, int e, int part)
{
  const plex_real *row = b.G + e * PLEX_DG_SG, *own = b.sums + e * PLEX_DG_SU, *u = b.u + e * PLEX_DG_SU,
                  *reals = b.reals(e);
  plex_real gain = 0, rate = 0, a[PLEX_DG_BALANCES] = {}, mean[PLEX_DG_NF] = {}, sums[PLEX_DG_NF] = {},
            factor[PLEX_DG_NF] = {}, c[PLEX_DG_NC + 1];

  plex_dg_get_constants(args, fragments, c);
  plex_dg_each_of<PLEX_DG_FG>(part, [&](int r) { gain += b.energy[e * PLEX_DG_FG + r]; });
  plex_dg_each_of<PLEX_DG_NG>(part, [&](int g) { a[PLEX_DG_DEPTH] += b.weight[g] * b.depth[e * PLEX_DG_NG + g]; });
  plex_dg_each_of<PLEX_DG_NP>(part, [&](int i) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const plex_real *of = row + k * PLEX_DG_APART_K, B = of[PLEX_DG_X_AT + i];

      gain += B * (PLEX_DG_AFFINE ? own[k * PLEX_DG_NP + i] : of[PLEX_DG_NP + i]);
      mean[k] += B;
      sums[k] += of[i] * B;
    }
    rate += PLEX_DG_AFFINE ? plex_dg_energy_integral(points, i) * own[i] : own[i]; // of the volume of water
  });
  gain             = plex_dg_lanes_sum(gain + c[0] * u[0] * rate);
  a[PLEX_DG_DEPTH] = plex_dg_lanes_sum(a[PLEX_DG_DEPTH]);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] = plex_dg_lanes_sum(mean[k]);
    sums[k] = plex_dg_lanes_sum(sums[k]);
  }
  if (e >= b.n) return;

  const plex_real inverse = reals[PLEX_DG_RECORD_AREA];

  a[PLEX_DG_DEPTH] *= inverse;
  a[PLEX_DG_LEAST]   = b.thin[e] ? -1 : 0;
  a[PLEX_DG_INVERSE] = reals[PLEX_DG_RECORD_AREA + 1];
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    sums[k] -= mean[k] * mean[k] * inverse;
    if (!(sums[k] > 0)) sums[k] = 0;
    mean[k] *= inverse;
  }
  if (gain > 0) plex_entropy_rates(a, gain, plex_dg_energy_most(points), c, mean, sums, factor);
  plex_dg_each_of<PLEX_DG_NP>(part, [&](int i) {
    const plex_index at = (plex_index)(b.first + e) * PLEX_DG_VALUES + i;
    plex_real        residual[PLEX_DG_NF];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) residual[k] = plex_dg_residual(stage, at + k * PLEX_DG_NP);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const plex_real *of = row + k * PLEX_DG_APART_K;

      plex_dg_store(args, stage, at + k * PLEX_DG_NP, u[k * PLEX_DG_NP + i], residual[k],
                    (PLEX_DG_AFFINE ? own[k * PLEX_DG_NP + i] : of[PLEX_DG_NP + i]) - factor[k] * (of[i] - mean[k]));
    }
  });
}
#else
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
    for (int k = 0; k < PLEX_DG_NF; ++k)
      plex_dg_store(args, stage, at + k * PLEX_DG_NP, u[k * PLEX_DG_NP], residual[k],
                    PLEX_DG_AFFINE ? own[k * PLEX_DG_NP] : row[k * PLEX_DG_APART_K + PLEX_DG_NP]);
  }
}
#endif

// Where column c of what M^-1 multiplies is: B of the fields, then sums, where elements have an M^-1 of their own
#define PLEX_DG_SOLVED (PLEX_DG_ENERGY * PLEX_DG_NF)
PLEX_DEVICE const plex_real *plex_dg_column(const PlexDGBlock &b, int e, int c)
{
  return c < PLEX_DG_SOLVED ? b.G + e * PLEX_DG_SG + c * PLEX_DG_APART_K + PLEX_DG_X_AT
                            : b.sums + e * PLEX_DG_SU + (c - PLEX_DG_SOLVED) * PLEX_DG_NP;
}

// P, and rates of elements that have an M^-1 of their own: 16 rows by 8 columns of an element a warp
PLEX_DEVICE void plex_dg_solve_elements(const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int columns = PLEX_DG_SOLVED + (PLEX_DG_AFFINE ? 0 : PLEX_DG_NF), tiles = (columns + 7) / 8,
                parts = (PLEX_DG_NP + 15) / 16 * tiles;
  const int     lane  = threadIdx.x % 32;

  for (int part = 0; part < parts; ++part) {
    const int first = part / tiles * 16 + lane / 4, from = part % tiles * 8; // row and column

    for (int e = threadIdx.x / 32; e < b.n; e += PLEX_DG_WARPS) {
      const plex_real *Minv   = (const plex_real *)fragments.Minv +
                                (PLEX_DG_AFFINE ? 0 : (plex_index)(b.first + e) * PLEX_DG_HALF),
                      *column = plex_dg_column(b, e, from + lane / 4);
      plex_real sums[4] = {}, *row = b.G + e * PLEX_DG_SG;

      _Pragma("unroll 4")
      for (int s = 0; s < PLEX_DG_STEPS(PLEX_DG_NP); ++s) {
        const PlexUnitA A = plex_unit_make([&](int h, int k) {
          const int i = first + 8 * h, j = s * PLEX_UNIT_K + k, more = i > j ? i : j, less = i > j ? j : i;

          return more < PLEX_DG_NP ? Minv[more * (more + 1) / 2 + less] : (plex_real)0;
        });

        plex_unit_add(sums, A, plex_unit_make_rows([&](int k) {
                        const int j = s * PLEX_UNIT_K + k;

                        return from + lane / 4 < columns && j < PLEX_DG_NP ? column[j] : (plex_real)0;
                      }));
      }
      _Pragma("unroll")
      for (int h = 0; h < 4; ++h) {
        const int i = first + 8 * (h / 2), c = from + 2 * (lane % 4) + h % 2;

        if (i < PLEX_DG_NP && c < columns)
          row[c < PLEX_DG_SOLVED ? c * PLEX_DG_APART_K + i
                                 : (c - PLEX_DG_SOLVED) * PLEX_DG_APART_K + PLEX_DG_NP + i] = sums[h];
      }
    }
  }
}

// The redistribution of field k to tiles of nodes
PLEX_DEVICE void plex_dg_redistribute_field(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first,
                                            int tile, int k)
{
  const int lane                      = threadIdx.x % 32;
  plex_real sums[PLEX_DG_TILES][1][4] = {};

  plex_dg_multiply<PLEX_DG_COLUMNS, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_SG, 0, 1>((const PlexUnitB *)fragments.W + lane,
                                                                                tile, 0, PLEX_DG_STEPS(PLEX_DG_COLUMNS),
                                                                                b.G + k * PLEX_DG_APART_K +
                                                                                  first * PLEX_DG_SG,
                                                                                sums);
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 4; ++h) {
    const int i = (tile + p) * 8 + 2 * (lane % 4) + h % 2;

    if (i < PLEX_DG_NP) b.sums[(first + 8 * (h / 2)) * PLEX_DG_SU + k * PLEX_DG_NP + i] = sums[p][0][h];
  }
}

// What products read behind values at points: zeros, once the numbers that came there before have been read or are there
PLEX_DEVICE void plex_dg_clear_between(const PlexDGBlock &b)
{
  if (PLEX_DG_NG % 2)
    for (int i = threadIdx.x; i < PLEX_DG_NF * PLEX_DG_ELEMENTS * (PLEX_DIM + PLEX_DG_SOURCES); i += PLEX_DG_BLOCK)
      b.G[i / (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_SG + i % (PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NGP +
          PLEX_DG_NG] = 0;
#if PLEX_DG_ENERGY
  plex_dg_clear_rest<PLEX_DG_NG, PLEX_DG_SG>(b.G + PLEX_DG_W_AT, PLEX_DG_NF * PLEX_DG_ELEMENTS);
#endif
}

// What values at points need: weights, and that nothing is dry yet
PLEX_DEVICE void plex_dg_begin_points(const PlexDGPointArgs &points, const PlexDGBlock &b)
{
#if PLEX_DG_ENERGY
  for (int e = threadIdx.x; e < PLEX_DG_ELEMENTS; e += PLEX_DG_BLOCK) b.thin[e] = 0;
  for (int g = threadIdx.x; g < PLEX_DG_NG + PLEX_DG_MG; g += PLEX_DG_BLOCK)
    b.weight[g] = plex_dg_energy_weight(points, g);
#endif
}

// All of a stage, once fields and traces are in shared memory
PLEX_DEVICE void plex_dg_by_points(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointArgs &points,
                                   const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int collocated = 2 * PLEX_DG_SETS(PLEX_DG_FG) + PLEX_DG_SETS(PLEX_DG_NG), sums = PLEX_DG_SETS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int item = warp; item < PLEX_DG_GROUPS * collocated; item += PLEX_DG_WARPS)
    plex_dg_take_to_points(fragments, b, item % PLEX_DG_GROUPS * 16 + lane / 4, item / PLEX_DG_GROUPS);
  __syncthreads();
  plex_dg_clear_between(b);
  plex_dg_at_points(args, points, fragments, b);
  __syncthreads();
  for (int item = warp; item < PLEX_DG_GROUPS * sums * (PLEX_DG_NF + PLEX_DG_ENERGY); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + lane / 4, set = item / PLEX_DG_GROUPS;

    if (set < sums * PLEX_DG_NF)
      plex_dg_redistribute_field(fragments, b, first, set / PLEX_DG_NF * PLEX_DG_TILES, set % PLEX_DG_NF);
#if PLEX_DG_ENERGY
    else plex_dg_weigh(fragments, b, first, (set - sums * PLEX_DG_NF) * PLEX_DG_TILES);
#endif
  }
  __syncthreads();
  if (PLEX_DG_ENERGY || !PLEX_DG_AFFINE) {
    plex_dg_solve_elements(fragments, b);
    __syncthreads();
  }
#if PLEX_DG_ENERGY
  constexpr int each = 32 / PLEX_DG_LANES; // elements of a warp

  for (int first = warp * each; first < PLEX_DG_ELEMENTS; first += PLEX_DG_WARPS * each)
    plex_dg_correct_element(args, stage, points, fragments, b, first + lane / PLEX_DG_LANES, lane % PLEX_DG_LANES);
#else
  plex_dg_update_nodes(args, stage, b);
#endif
}
