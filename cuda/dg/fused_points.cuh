// quadrature_fused.cu for systems whose coefficients vary, as water's: most of the work is at points, not in products.
// A thread has one point at a time, of an element or of a face. Values at points are in shared memory in rows of all
// elements of the block, fused_numbers.cuh.
//
//   1. products, while traces from across the faces arrive: fields at points of elements, in the places of fluxes
//   2. fluxes, sources; both traces at points of faces, which the thread of a point sums up itself, and numerical fluxes;
//      where energy is looked at, entropy variables w
//   3. redistribution; B, sums of weights times basis times w
//   4. P = M^-1 B; of elements with an M^-1 of their own the rates: a thread a node. From here on elements have rows
//   5. factors of an element, src/dg/quadrature/entropy.c, and update by rates - factors (P - mean of w), by lanes of a
//      warp
//
// w_0 is taken from g times the elevation at the element's first node on, so that squares of changes of it are right
// where the level is far from 0.
#define PLEX_DG_FACE_AT ((PLEX_DIM + PLEX_DG_SOURCES) * PLEX_DG_NG)
// Behind 4, in the places of fluxes and w, rows of elements: rates, then P, an odd number, so that threads of an element
// each write without conflicts of banks; then rows of all elements of what nodes give to the balance of energy
#define PLEX_DG_RS     ((1 + PLEX_DG_ENERGY) * PLEX_DG_VALUES | 1)
#define PLEX_DG_SHARES (PLEX_DG_NF + 1)
#define PLEX_DG_LANES  8                                   // of an element, for 5: 4 of each half of a warp
#define PLEX_DG_DIRECT (PLEX_DG_AFFINE && !PLEX_DG_ENERGY) // sums are rates
// Whether a thread has one node in 4, so that its row of M^-1 can be in registers before
#define PLEX_DG_ROW_AHEAD (!PLEX_DG_DIRECT && PLEX_DG_NP <= 10 && PLEX_DG_ELEMENTS * PLEX_DG_NP <= PLEX_DG_BLOCK)

static_assert(PLEX_DG_RS + PLEX_DG_ENERGY * PLEX_DG_SHARES * PLEX_DG_NP <= PLEX_DG_X_AT * PLEX_DG_NF,
              "rates, P and shares take the place of fluxes");

// Of the 16 elements of a product those of the lane, the second one PLEX_DG_SECOND behind: 16 lanes have elements 4 apart
// and 4 columns, and meet no conflicts of banks, neither in rows of elements, whose length is odd, nor in rows of all
#define PLEX_DG_SECOND 2
PLEX_DEVICE int plex_dg_own_element()
{
  const int row = threadIdx.x % 32 / 4;

  return 4 * (row % 4) + row / 4;
}

// Sums of tiles, from `tile` on, to the first n columns of `to`. The order of matrices' rows,
// in fused.c, is such that a lane has columns 4 apart
template <int fields>
PLEX_DEVICE void plex_dg_spread(plex_real *to, int first, int tile, int n,
                                const plex_real sums[PLEX_DG_TILES][fields][4])
{
  const int  own    = threadIdx.x % 4;
  plex_real *column = to + (tile * 8 + own) * PLEX_DG_ROW;

  _Pragma("unroll")
  for (int t = 0; t < 2; ++t) {
    plex_real *place = column + (first + PLEX_DG_SECOND * t ^ plex_dg_order(own));

    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
    for (int h = 0; h < 2; ++h)
      if ((tile + p) * 8 + own + 4 * h < n) _Pragma("unroll")
    for (int k = 0; k < fields; ++k)
      place[(8 * p + 4 * h) * PLEX_DG_ROW + k * PLEX_DG_ELEMENTS] = sums[p][k][2 * t + h];
  }
}

// Columns that plex_dg_multiply_by() gets, of elements `first` and `first` + PLEX_DG_SECOND: those of field k and step s
struct PlexDGColumns {
  const plex_real *at[2];

  __device__ __forceinline__ PlexDGColumns(const plex_real *from, int first)
  {
    const int own = threadIdx.x % 4;

    for (int h = 0; h < 2; ++h) at[h] = from + own * PLEX_DG_ROW + (first + PLEX_DG_SECOND * h ^ plex_dg_order(own));
  }
  __device__ __forceinline__ PlexUnitA operator()(int k, int s) const
  {
    return plex_unit_make([&](int h, int j) {
      return at[h][(s * PLEX_UNIT_K + j / 4 * 4) * PLEX_DG_ROW + k * PLEX_DG_ELEMENTS];
    });
  }
};

// plex_dg_multiply(), where get(k, s) has the numbers of field k and step s. Not one with it: stages of the linear equations
// spilled registers then, and took 4.6 % longer
template <int inner, int tiles, int fields, class Get>
PLEX_DEVICE void plex_dg_multiply_by(const PlexUnitB *W, int tile, int first, int steps, Get get,
                                     plex_real sums[PLEX_DG_TILES][fields][4])
{
  const PlexUnitB *from[PLEX_DG_TILES];
  PlexUnitB        w[PLEX_DG_AHEAD][PLEX_DG_TILES];

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
    for (int k = 0; k < fields; ++k) {
      const PlexUnitA a = get(k, s);

      _Pragma("unroll")
      for (int p = 0; p < PLEX_DG_TILES; ++p) plex_unit_add(sums[p][k], a, now[p]);
    }
  }
}

// Field k at tiles of points of elements
PLEX_DEVICE void plex_dg_take_to_points(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first,
                                        int tile, int k)
{
  const plex_real *rows                      = b.u + first * PLEX_DG_SU + k * PLEX_DG_NP;
  plex_real        sums[PLEX_DG_TILES][1][4] = {};

  plex_dg_multiply_by<PLEX_DG_NP, PLEX_DG_ROWS(PLEX_DG_NG),
                      1>((const PlexUnitB *)fragments.W0 + threadIdx.x % 32, tile, 0, PLEX_DG_STEPS(PLEX_DG_NP),
                         [&](int, int s) {
                           return plex_unit_make([&](int h, int j) {
                             return rows[h * (PLEX_DG_SECOND * PLEX_DG_SU) + s * PLEX_UNIT_K + j];
                           });
                         },
                         sums);
  plex_dg_spread(b.G + k * PLEX_DG_ELEMENTS, first, tile, PLEX_DG_NG, sums);
}

// Of all fields, shared out to the warps
PLEX_DEVICE void plex_dg_take_to_points(const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int sets = PLEX_DG_SETS(PLEX_DG_NG);

  for (int item = threadIdx.x / 32; item < PLEX_DG_GROUPS * sets * PLEX_DG_NF; item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + plex_dg_own_element(), set = item / PLEX_DG_GROUPS;

    plex_dg_take_to_points(fragments, b, first, set / PLEX_DG_NF * PLEX_DG_TILES, set % PLEX_DG_NF);
  }
}

// u: a face's nodes, node(k, m) of field k, at a point with this row of the basis functions
template <class Node>
PLEX_DEVICE void plex_dg_take_to_face(const plex_real *basis, Node node, plex_real u[PLEX_DG_NF])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = 0;
  _Pragma("unroll 8")
  for (int m = 0; m < PLEX_DG_NFP; ++m) _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] += basis[m] * node(k, m);
}

// Point g of element e of the block: fluxes, sources, w
PLEX_DEVICE void plex_dg_at_point(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                  const PlexDGPointFragments &fragments, const PlexDGBlock &b, int e, int g,
                                  const plex_real *c)
{
  const int  element = b.first + e;
  plex_real *at      = b.G + plex_dg_at(g, e);
  plex_real  u[PLEX_DG_NF], kappa[PLEX_DG_NUMBERS], F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF],
    C[PLEX_DIM * PLEX_DIM];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = at[k * PLEX_DG_ELEMENTS];
  plex_dg_get_numbers(fragments, b, e, g, kappa);
#if PLEX_DG_STRAIGHT
  _Pragma("unroll")
  for (int i = 0; i < PLEX_DIM * PLEX_DIM; ++i) C[i] = *plex_dg_geometry(b, e, PLEX_DG_RECORD_C + i);
#endif
#ifdef PLEX_DG_SCALE
  const plex_real m = kappa[PLEX_DG_SCALE * (1 + PLEX_DIM)], det = m * m * plex_dg_flat_determinant(C);
#else
  const plex_real m = 1, det = plex_dg_determinant(points, element, g);
#endif
  dg_flux(u, kappa, c, F);
  plex_dg_to_reference_fluxes(PLEX_DG_STRAIGHT ? C : plex_dg_cofactors(points, element, g), F, G);
#if PLEX_DG_SOURCES
  plex_real s[PLEX_DG_NF];

  for (int k = 0; k < PLEX_DG_NF; ++k) s[k] = 0;
  dg_source(u, points.x ? (const plex_real *)points.x + ((plex_index)element * PLEX_DG_NG + g) * PLEX_DIM : NULL,
            (plex_real)args.t, kappa, c, s);
#endif
#if PLEX_DG_ENERGY
  plex_real       w[PLEX_DG_NF];
  const plex_real H = dg_entropy(u, kappa, c, w);

  b.depth[g * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(g))] = det * H;
  if (H < c[PLEX_DG_DRY]) atomicMax(&b.thin[e], 1);
  w[0] -= c[0] * b.u[e * PLEX_DG_SU];
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) b.G[plex_dg_in_part(a, g, e) + k * PLEX_DG_ELEMENTS] = m * G[a][k];
#if PLEX_DG_SOURCES
    b.G[plex_dg_in_part(PLEX_DIM, g, e) + k * PLEX_DG_ELEMENTS] = det * s[k];
#endif
#if PLEX_DG_ENERGY
    at[PLEX_DG_W_AT * PLEX_DG_ROW + k * PLEX_DG_ELEMENTS] = det * w[k];
#endif
  }
}

// Point r of the faces of element e of the block
PLEX_DEVICE void plex_dg_at_face(const PlexDGArgs &args, const PlexDGPointArgs &points, const PlexDGBlock &b, int e,
                                 int r, const plex_real *c)
{
  const int f = r / PLEX_DG_MG, g = r - f * PLEX_DG_MG;
  plex_real uM[PLEX_DG_NF], uP[PLEX_DG_NF], q[PLEX_DG_NF], kM[PLEX_DG_NUMBERS], kP[PLEX_DG_NUMBERS], n[PLEX_DIM], scale;
  const PlexDGFace face = b.face(e, f);

  const plex_real *basis = b.basis + g * PLEX_DG_NFP, *inside = b.u + e * PLEX_DG_SU,
                  *across = b.T + e * PLEX_DG_ST + f * PLEX_DG_NFP;
  const short *own        = b.meet + (PLEX_DG_FACES * PLEX_DG_TURNS + f) * PLEX_DG_NFP;

  plex_dg_take_to_face(basis, [&](int k, int m) { return inside[k * PLEX_DG_NP + own[m]]; }, uM);
  plex_dg_take_to_face(basis, [&](int k, int m) { return across[k * PLEX_DG_ELEMENTS * PLEX_DG_ST + m]; }, uP);
  plex_dg_get_face_numbers(b, e, r, 0, kM);
  plex_dg_get_face_numbers(b, e, r, 1, kP);
#if PLEX_DG_STRAIGHT
  const plex_real *normal = plex_dg_geometry(b, e, PLEX_DG_RECORD_NORMALS + f * (PLEX_DIM + 1));

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) n[d] = normal[d * PLEX_DG_ELEMENTS];
  scale = normal[PLEX_DIM * PLEX_DG_ELEMENTS];
  if (PLEX_DG_SCALED) scale *= b.given[(2 * PLEX_DG_SIDE_ROWS * PLEX_DG_FG + r) * PLEX_DG_ELEMENTS + e];
#else
  scale = plex_dg_point_normal(points, (plex_index)(b.first + e) * PLEX_DG_FACES + f, g, n);
#endif

  const plex_real energy = plex_dg_flux_across(args, face.meet == -1 ? face.at : -1, g, n, kM, kP, c, uM, uP, q);

#if PLEX_DG_ENERGY
  b.energy[r * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(r))] = scale * b.weight[PLEX_DG_NG + g] * energy;
#else
  (void)energy;
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k)
    b.G[plex_dg_in_part(PLEX_DIM + PLEX_DG_SOURCES, r, e) + k * PLEX_DG_ELEMENTS] = scale * q[k];
}

// All points of the block: those of elements begin a warp, as those of faces do
PLEX_DEVICE void plex_dg_at_points(const PlexDGArgs &args, const PlexDGPointArgs &points,
                                   const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int volume = PLEX_DG_ELEMENTS * PLEX_DG_NG, faces = (volume + 31) / 32 * 32;
  plex_real     c[PLEX_DG_NC + 1];

  plex_dg_get_constants(args, fragments, c);

  for (int n = threadIdx.x; n < faces + PLEX_DG_ELEMENTS * PLEX_DG_FG; n += PLEX_DG_BLOCK) {
    const int e = n % PLEX_DG_ELEMENTS;

    if (e >= b.n) continue;
    if (n >= faces) plex_dg_at_face(args, points, b, e, (n - faces) / PLEX_DG_ELEMENTS, c);
    else if (n < volume) plex_dg_at_point(args, points, fragments, b, e, n / PLEX_DG_ELEMENTS, c);
  }
}

#if PLEX_DG_ENERGY
// B of tiles of nodes
PLEX_DEVICE void plex_dg_weigh(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first, int tile)
{
  plex_real sums[PLEX_DG_TILES][PLEX_DG_NF][4] = {};

  plex_dg_multiply_by<PLEX_DG_NG, PLEX_DG_ROWS(PLEX_DG_NP), PLEX_DG_NF>((const PlexUnitB *)fragments.weighted +
                                                                          threadIdx.x % 32,
                                                                        tile, 0, PLEX_DG_STEPS(PLEX_DG_NG),
                                                                        PlexDGColumns(b.G + PLEX_DG_W_AT * PLEX_DG_ROW,
                                                                                      first),
                                                                        sums);
  plex_dg_spread(plex_dg_get_sums_of_w(b), first, tile, PLEX_DG_NP, sums);
}
#endif

// Number (i, j) of M^-1 of element e of the block
PLEX_DEVICE plex_real plex_dg_inverse(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int e, int i, int j)
{
  constexpr int    apart = PLEX_DG_AFFINE ? 1 : PLEX_DG_ELEMENTS;
  const plex_real *Minv  = (const plex_real *)fragments.Minv +
                           (PLEX_DG_AFFINE ? 0 : (plex_index)b.number * (PLEX_DG_HALF * PLEX_DG_ELEMENTS) + e);

  if (j > i) return Minv[i * apart + j * (j + 1) / 2 * apart];
  return Minv[i * (i + 1) / 2 * apart + j * apart];
}

// Rates and P at node i of element e of the block. ahead: the node's row of M^-1, where PLEX_DG_ROW_AHEAD
PLEX_DEVICE void plex_dg_solve_node(const PlexDGPointArgs &points, const PlexDGPointFragments &fragments,
                                    const PlexDGBlock &b, plex_real gravity, int e, int i, const plex_real *ahead)
{
  const int own           = plex_dg_at(i, e);
  plex_real R[PLEX_DG_NF] = {}, P[PLEX_DG_NF] = {}, *row = b.G + e * PLEX_DG_RS + i;
  int       order[4]; // of 4 columns

  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) order[j] = e ^ plex_dg_order(j);
  _Pragma("unroll 10")
  for (int j = 0; j < PLEX_DG_NP; ++j) {
    const plex_real  inverse = PLEX_DG_ROW_AHEAD ? ahead[j] : plex_dg_inverse(fragments, b, e, i, j);
    const plex_real *sums    = b.sums + order[j % 4] + j * PLEX_DG_ROW,
                    *B       = plex_dg_get_sums_of_w(b) + order[j % 4] + j * PLEX_DG_ROW;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      if (!PLEX_DG_AFFINE) R[k] += inverse * sums[k * PLEX_DG_ELEMENTS];
      if (PLEX_DG_ENERGY) P[k] += inverse * B[k * PLEX_DG_ELEMENTS];
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    if (PLEX_DG_AFFINE) R[k] = b.sums[own + k * PLEX_DG_ELEMENTS];
    row[k * PLEX_DG_NP] = R[k];
    if (PLEX_DG_ENERGY) row[PLEX_DG_VALUES + k * PLEX_DG_NP] = P[k];
  }
#if PLEX_DG_ENERGY
  plex_real *shares = b.G + PLEX_DG_ELEMENTS * (PLEX_DG_RS + i * PLEX_DG_SHARES) + (e ^ plex_dg_order(i)),
            gain    = gravity * b.u[e * PLEX_DG_SU] * // of the volume of water
                      (PLEX_DG_AFFINE ? plex_dg_energy_integral(points, i) * R[0] : b.sums[own]);

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    const plex_real B = plex_dg_get_sums_of_w(b)[own + k * PLEX_DG_ELEMENTS];

    gain += B * R[k];
    shares[k * PLEX_DG_ELEMENTS] = B * P[k];
  }
  shares[PLEX_DG_NF * PLEX_DG_ELEMENTS] = gain;
#endif
}

PLEX_DEVICE void plex_dg_solve(const PlexDGArgs &args, const PlexDGPointArgs &points,
                               const PlexDGPointFragments &fragments, const PlexDGBlock &b, const plex_real *ahead)
{
  plex_real c[PLEX_DG_NC + 1];

  plex_dg_get_constants(args, fragments, c);
  for (int n = threadIdx.x; n < PLEX_DG_ELEMENTS * PLEX_DG_NP; n += PLEX_DG_BLOCK)
    if (n % PLEX_DG_ELEMENTS < b.n)
      plex_dg_solve_node(points, fragments, b, c[0], n % PLEX_DG_ELEMENTS, n / PLEX_DG_ELEMENTS, ahead);
}

// The thread's row of M^-1, asked for before others are waited for
PLEX_DEVICE void plex_dg_ask_for_inverse(const PlexDGPointFragments &fragments, const PlexDGBlock &b, plex_real *ahead)
{
  const int e = threadIdx.x % PLEX_DG_ELEMENTS, i = threadIdx.x / PLEX_DG_ELEMENTS;

  if (!PLEX_DG_ROW_AHEAD || i >= PLEX_DG_NP || e >= b.n) return;
  _Pragma("unroll")
  for (int j = 0; j < PLEX_DG_NP; ++j) ahead[j] = plex_dg_inverse(fragments, b, e, i, j);
}

#if PLEX_DG_ENERGY
// Numbers part, part + PLEX_DG_LANES, .. below n: work(t, number)
template <int n, class Work>
PLEX_DEVICE void plex_dg_each_of(int part, Work work)
{
  _Pragma("unroll")
  for (int t = 0; t < (n + PLEX_DG_LANES - 1) / PLEX_DG_LANES; ++t)
    if (t * PLEX_DG_LANES + part < n) work(t, t * PLEX_DG_LANES + part);
}

// The sum over the lanes of an element, 4 of each half of the warp
PLEX_DEVICE plex_real plex_dg_lanes_sum(plex_real x)
{
  _Pragma("unroll")
  for (int lane = 1; lane < 32; lane = lane == 2 ? 16 : 2 * lane) x += __shfl_xor_sync(0xffffffffu, x, lane, 32);
  return x;
}

// Factors of element e of the block and its update, by PLEX_DG_LANES lanes, of which this is number `part`. All lanes of
// a warp come here, also for elements that there are not
PLEX_DEVICE void plex_dg_correct_element(const PlexDGArgs &args, const PlexDGStage &stage,
                                         const PlexDGPointArgs &points, const PlexDGPointFragments &fragments,
                                         const PlexDGBlock &b, int e, int part)
{
  constexpr int    steps  = (PLEX_DG_NP + PLEX_DG_LANES - 1) / PLEX_DG_LANES;
  const plex_real *shares = b.G + PLEX_DG_ELEMENTS * PLEX_DG_RS, *reals = b.reals(e), *row = b.G + e * PLEX_DG_RS,
                  *u       = b.u + e * PLEX_DG_SU;
  const plex_real  inverse = reals[PLEX_DG_RECORD_AREA];
  const plex_index first   = (plex_index)(b.first + e) * PLEX_DG_VALUES;
  plex_real gain = 0, a[PLEX_DG_BALANCES] = {}, mean[PLEX_DG_NF] = {}, sums[PLEX_DG_NF] = {}, factor[PLEX_DG_NF] = {},
            c[PLEX_DG_NC + 1], residual[steps][PLEX_DG_NF] = {};

  if (e < b.n)
    plex_dg_each_of<PLEX_DG_NP>(part, [&](int t, int i) {
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) residual[t][k] = plex_dg_residual(stage, first + k * PLEX_DG_NP + i);
    });
  plex_dg_get_constants(args, fragments, c);
  plex_dg_each_of<PLEX_DG_FG>(part,
                              [&](int, int r) { gain += b.energy[r * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(r))]; });
  plex_dg_each_of<PLEX_DG_NG>(part, [&](int, int g) {
    a[PLEX_DG_DEPTH] += b.weight[g] * b.depth[g * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(g))];
  });
  plex_dg_each_of<PLEX_DG_NP>(part, [&](int, int i) {
    const plex_real *share = shares + i * (PLEX_DG_SHARES * PLEX_DG_ELEMENTS) + (e ^ plex_dg_order(i)),
                    *B     = plex_dg_get_sums_of_w(b) + plex_dg_at(i, e);

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      mean[k] += B[k * PLEX_DG_ELEMENTS];
      sums[k] += share[k * PLEX_DG_ELEMENTS];
    }
    gain += share[PLEX_DG_NF * PLEX_DG_ELEMENTS];
  });
  gain               = plex_dg_lanes_sum(gain);
  a[PLEX_DG_DEPTH]   = plex_dg_lanes_sum(a[PLEX_DG_DEPTH]) * inverse;
  a[PLEX_DG_LEAST]   = b.thin[e] ? -1 : 0;
  a[PLEX_DG_INVERSE] = reals[PLEX_DG_RECORD_AREA + 1];
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    mean[k] = plex_dg_lanes_sum(mean[k]);
    sums[k] = plex_dg_lanes_sum(sums[k]) - mean[k] * mean[k] * inverse;
    if (!(sums[k] > 0)) sums[k] = 0;
    mean[k] *= inverse;
  }
  if (e >= b.n) return;
  if (gain > 0) plex_entropy_rates(a, gain, plex_dg_energy_most(points), c, mean, sums, factor);
  plex_dg_each_of<PLEX_DG_NP>(part, [&](int t, int i) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const int j = k * PLEX_DG_NP + i;

      plex_dg_store(args, stage, first + j, u[j], residual[t][k],
                    row[j] - factor[k] * (row[PLEX_DG_VALUES + j] - mean[k]));
    }
  });
}
#endif

// The redistribution of field k to tiles of nodes
PLEX_DEVICE void plex_dg_redistribute_field(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int first,
                                            int tile, int k)
{
  const int lane                      = threadIdx.x % 32;
  plex_real sums[PLEX_DG_TILES][1][4] = {};

  plex_dg_multiply_by<PLEX_DG_COLUMNS, PLEX_DG_ROWS(PLEX_DG_NP), 1>((const PlexUnitB *)fragments.W + lane, tile, 0,
                                                                    PLEX_DG_STEPS(PLEX_DG_COLUMNS),
                                                                    PlexDGColumns(b.G + k * PLEX_DG_ELEMENTS, first),
                                                                    sums);
#if PLEX_DG_DIRECT
  _Pragma("unroll")
  for (int p = 0; p < PLEX_DG_TILES; ++p) _Pragma("unroll")
  for (int h = 0; h < 4; ++h) {
    const int i = (tile + p) * 8 + lane % 4 + 4 * (h % 2);

    if (i < PLEX_DG_NP) b.sums[(first + PLEX_DG_SECOND * (h / 2)) * PLEX_DG_SU + k * PLEX_DG_NP + i] = sums[p][0][h];
  }
#else
  plex_dg_spread(b.sums + k * PLEX_DG_ELEMENTS, first, tile, PLEX_DG_NP, sums);
#endif
}

// Zeros in columns from .. to - 1, which products read
template <int from, int to>
PLEX_DEVICE void plex_dg_clear_columns(const PlexDGBlock &b)
{
  _Pragma("unroll")
  for (int t = 0; t < ((to - from) * PLEX_DG_ROW + PLEX_DG_BLOCK - 1) / PLEX_DG_BLOCK; ++t) {
    const int i = t * PLEX_DG_BLOCK + threadIdx.x;

    if (i < (to - from) * PLEX_DG_ROW) b.G[from * PLEX_DG_ROW + i] = 0;
  }
}

// What values at points need: zeros behind them, weights, and that nothing is dry yet
PLEX_DEVICE void plex_dg_begin_points(const PlexDGPointArgs &points, const PlexDGPointFragments &fragments,
                                      const PlexDGBlock &b)
{
  for (int i = threadIdx.x; i < PLEX_DG_MG * PLEX_DG_NFP; i += PLEX_DG_BLOCK)
    b.basis[i] = ((const plex_real *)fragments.basis)[i];
  plex_dg_clear_columns<PLEX_DG_COLUMNS, PLEX_DG_W_AT>(b);
#if PLEX_DG_ENERGY
  plex_dg_clear_columns<PLEX_DG_W_AT + PLEX_DG_NG, PLEX_DG_X_AT>(b);
  for (int e = threadIdx.x; e < PLEX_DG_ELEMENTS; e += PLEX_DG_BLOCK) b.thin[e] = 0;
  for (int g = threadIdx.x; g < PLEX_DG_NG + PLEX_DG_MG; g += PLEX_DG_BLOCK)
    b.weight[g] = plex_dg_energy_weight(points, g);
#endif
}

// All of a stage, once fields and traces are in shared memory
PLEX_DEVICE void plex_dg_by_points(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGPointArgs &points,
                                   const PlexDGPointFragments &fragments, const PlexDGBlock &b)
{
  constexpr int sums = PLEX_DG_SETS(PLEX_DG_NP);
  const int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  plex_real     ahead[PLEX_DG_ROW_AHEAD ? PLEX_DG_NP : 1];

  plex_dg_wait_for_numbers(b);
  plex_dg_at_points(args, points, fragments, b);
  __syncthreads();
  for (int item = warp; item < PLEX_DG_GROUPS * sums * (PLEX_DG_NF + PLEX_DG_ENERGY); item += PLEX_DG_WARPS) {
    const int first = item % PLEX_DG_GROUPS * 16 + plex_dg_own_element(), set = item / PLEX_DG_GROUPS;

    if (set < sums * PLEX_DG_NF)
      plex_dg_redistribute_field(fragments, b, first, set / PLEX_DG_NF * PLEX_DG_TILES, set % PLEX_DG_NF);
#if PLEX_DG_ENERGY
    else plex_dg_weigh(fragments, b, first, (set - sums * PLEX_DG_NF) * PLEX_DG_TILES);
#endif
  }
  plex_dg_ask_for_inverse(fragments, b, ahead);
  __syncthreads();
  if (!PLEX_DG_DIRECT) {
    plex_dg_solve(args, points, fragments, b, ahead);
    __syncthreads();
  }
#if PLEX_DG_ENERGY
  // of 16 elements a warp has 4, which are 4 apart
  for (int set = warp; set < PLEX_DG_ELEMENTS / 4; set += PLEX_DG_WARPS)
    plex_dg_correct_element(args, stage, points, fragments, b, set / 4 * 16 + set % 4 + lane / 4 % 4 * 4,
                            lane / 16 * 4 + lane % 4);
#else
  plex_dg_update_block<PLEX_DG_VALUES, PLEX_DG_SU>(args, stage, b.first, b.n, b.u, [&](int e, int j) {
    return PLEX_DG_DIRECT ? b.sums[e * PLEX_DG_SU + j] : b.G[e * PLEX_DG_RS + j];
  });
#endif
}
