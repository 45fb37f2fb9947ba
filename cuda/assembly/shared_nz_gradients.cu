// shared_nz by pairs of nodes and gradients: of a form of derivatives alone whose g3 is the same in the whole mesh, of
// any components, in affine simplices.
//
//   A_(i,c)(j,d) = g3_cd : M_ij     M_ij = sum over elements of int grad phi_i (x) grad phi_j
//
// A thread sums M_ij over the elements that have nodes i and j (src/assembly/impls/shared/paircoefficients.c), and
// multiplies it by g3 once. Shared memory has the gradients sqrt|J| grad lambda_a of each element, and no element
// matrices. M_ji is M_ij transposed, so that one sum gives the entries of (i, j) and of (j, i).
//
// Blocks, their lists and rows are those of shared_nz_pairs.cu, with one pair a lane. An item takes dim (vertices)
// numbers of shared memory and dim^2 multiplications an outer product, where the entries of element matrices are
// (components)^2 dim^2 multiplications and as many numbers to be added.
//
// If g3 depends on auxiliary fields that are constant in each element, their values are stored after the gradients, and
// a thread sums g3_cd : M of each element. Then g3_cd,kl = g3_dc,lk is required, so that the entries of (j, i) are
// those of (i, j) transposed.
#define PLEX_PAIR_AUX_STORED PLEX_PAIR_AUX
#include "assembly/pairs.cuh"

/* C / factor, [PLEX_KIND_COUNT][PLEX_NV][PLEX_NV] */
static __device__ constexpr plex_real plex_factors[]      = {PLEX_KINDS}; // [PLEX_KIND_COUNT]
static __device__ constexpr plex_real plex_coefficients[] = {PLEX_COEFFICIENTS};

#define PLEX_DD        (PLEX_DIM * PLEX_DIM)
#define PLEX_PAIR_SUMS (PLEX_PAIR_AUX_STORED ? PLEX_NC * PLEX_NC : PLEX_DD) // of a pair

PLEX_DEVICE constexpr plex_real plex_pair_c(int kind, int a, int b)
{
  return plex_coefficients[(kind * PLEX_NV + a) * PLEX_NV + b];
}

// Whether row a (else column a) of C is not zero; whether C has at most as many such rows as columns
PLEX_DEVICE constexpr bool plex_pair_nonzero(int kind, int a, bool row)
{
  bool has = false;

  for (int b = 0; b < PLEX_NV; ++b) has = has || plex_pair_c(kind, row ? a : b, row ? b : a) != 0;
  return has;
}
PLEX_DEVICE constexpr bool plex_pair_by_rows(int kind)
{
  int n = 0;

  for (int a = 0; a < PLEX_NV; ++a)
    n += (plex_pair_nonzero(kind, a, true) ? 1 : 0) - (plex_pair_nonzero(kind, a, false) ? 1 : 0);
  return n <= 0;
}

// Layout: [PLEX_NV][stride] of x and y, which are one read, then [PLEX_NV][stride] of z
PLEX_DEVICE void plex_pair_store(plex_real *numbers, int stride, int e, const plex_real out[])
{
  PlexXY *xy = (PlexXY *)numbers;

  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    xy[v * stride + e].x = out[v * PLEX_DIM];
    xy[v * stride + e].y = out[v * PLEX_DIM + 1];
    if (PLEX_DIM == 3) numbers[(2 * PLEX_NV + v) * stride + e] = out[v * PLEX_DIM + PLEX_DIM - 1];
  }
}

// sqrt|J| grad lambda_a, [PLEX_NV][PLEX_DIM]
PLEX_DEVICE void plex_pair_element(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e)
{
  PlexPoint p;
  plex_real s, out[PLEX_NV * PLEX_DIM];

  plex_geometry(args, nodal, 0, p);
  s = sqrt(p.weight) * p.scale;
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) {
      plex_real g = PLEX_NOTHING;

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a)
        PLEX_ADD_PRODUCT(g, PLEX_KNOWN_ZERO(PLEX_COORDINATE(args, 0, v, 1 + a)), PLEX_COORDINATE(args, 0, v, 1 + a),
                         p.invJ[a * PLEX_DIM + k]);
      out[v * PLEX_DIM + k] = s * g;
    }
  }
  plex_pair_store(numbers, stride, e, out);
}

#if PLEX_PAIR_AUX_STORED
// Layout: [PLEX_PAIR_AUX_STORED][stride], after the gradients
PLEX_DEVICE void plex_pair_store_aux(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride,
                                     int e)
{
  _Pragma("unroll")
  for (int f = PLEX_NF; f < PLEX_NF + PLEX_NF_AUX; ++f) _Pragma("unroll")
  for (int c = 0; c < plex_field_components(f); ++c)
    numbers[(PLEX_NV * PLEX_DIM + plex_field_component(f) - PLEX_NC + c) * stride +
            e] = PLEX_BASIS_AT_POINT(args, f, 0, 0, 0) * nodal.u[plex_field_offset(f) + c];
}
#endif

// out[c][d] += g3_cd : M
struct PlexPairForm {
  const plex_scalar *M;
  plex_scalar       *out;
};

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexPairForm &form)
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) _Pragma("unroll")
  for (int kl = 0; kl < PLEX_DD; ++kl)
    PLEX_ADD_PRODUCT(form.out[c * cJ + d], zero[(c * cJ + d) * PLEX_DD + kl],
                     (plex_scalar)s * g[(c * cJ + d) * PLEX_DD + kl], form.M[kl]);
}

PLEX_DEVICE void plex_pair_form(const PlexArgs &args, const PlexPoint &p, const plex_scalar M[PLEX_DD],
                                plex_scalar out[PLEX_NC * PLEX_NC])
{
  PlexPairForm form = {M, out};
  PetscScalar  constants[PLEX_NCONSTANTS + 3];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = 1;
  PLEX_FORM(args, p, constants, (plex_real)1, form)
}

// Adds M / factor of one element
template <int kind>
PLEX_DEVICE void plex_pair_product(const plex_real *numbers, const unsigned *permutations, int stride, int item,
                                   plex_scalar M[PLEX_DD])
{
  const PlexXY    *xy          = (const PlexXY *)numbers + (item & ((1 << PLEX_ELEMENT_BITS) - 1));
  const plex_real *z           = numbers + 2 * PLEX_NV * stride + (item & ((1 << PLEX_ELEMENT_BITS) - 1));
  const unsigned   permutation = permutations[item >> PLEX_ELEMENT_BITS];
  plex_real        g[PLEX_NV][PLEX_DIM];

  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    const int at = (int)(permutation >> 8 * v & 0xff) * stride;

    if (!plex_pair_nonzero(kind, v, true) && !plex_pair_nonzero(kind, v, false)) continue;
    g[v][0] = xy[at].x;
    g[v][1] = xy[at].y;
    if (PLEX_DIM == 3) g[v][PLEX_DIM - 1] = z[at];
  }
  // sum_a g_a (x) (sum_b C_ab g_b), or with rows and columns exchanged: over the side with fewer vertices
  _Pragma("unroll")
  for (int a = 0; a < PLEX_NV; ++a) {
    const bool rows = plex_pair_by_rows(kind);
    plex_real  W[PLEX_DIM];

    if (!plex_pair_nonzero(kind, a, rows)) continue;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) W[k] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int b = 0; b < PLEX_NV; ++b) {
      const plex_real c = rows ? plex_pair_c(kind, a, b) : plex_pair_c(kind, b, a);

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DIM; ++k) PLEX_ADD_PRODUCT(W[k], c == 0, c, g[b][k]);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) M[k * PLEX_DIM + l] += (plex_scalar)(rows ? g[a][k] * W[l] : W[k] * g[a][l]);
  }
}

// Adds one element's item to the sums of its pair
template <int kind>
PLEX_DEVICE void plex_pair_item(const PlexArgs &args, const plex_real *numbers, const unsigned *permutations,
                                int stride, int item, plex_scalar sum[PLEX_PAIR_SUMS])
{
#if PLEX_PAIR_AUX_STORED
  PlexPoint   p = {};
  plex_scalar M[PLEX_DD];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DD; ++k) M[k] = -0.0;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_PAIR_AUX_STORED; ++k)
    p.u[PLEX_NC + k] = numbers[(PLEX_NV * PLEX_DIM + k) * stride + (item & ((1 << PLEX_ELEMENT_BITS) - 1))];
  plex_pair_product<kind>(numbers, permutations, stride, item, M);
  plex_pair_form(args, p, M, sum);
#else
  plex_pair_product<kind>(numbers, permutations, stride, item, sum);
#endif
}

// The sums of `words` times four items
template <int kind>
PLEX_DEVICE void plex_pair_sum(const PlexArgs &args, const plex_real *numbers, const unsigned *permutations, int stride,
                               const PlexUint2 *items, int words, plex_scalar sum[PLEX_PAIR_SUMS])
{
  _Pragma("unroll 1")
  for (; words > 0; --words, items += 32) {
    const PlexUint2 item = *items;

    _Pragma("unroll")
    for (int k = 0; k < 4; ++k)
      plex_pair_item<kind>(args, numbers, permutations, stride, plex_half(item.of[k / 2], k % 2), sum);
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_PAIR_SUMS; ++k) sum[k] *= (plex_scalar)plex_factors[kind];
}

// The sums of kind k >= `kind`
template <int kind>
PLEX_DEVICE void plex_pair_dispatch(const PlexArgs &args, int k, const plex_real *numbers, const unsigned *permutations,
                                    int stride, const PlexUint2 *items, int words, plex_scalar sum[PLEX_PAIR_SUMS])
{
  if (k == kind || kind == PLEX_KIND_COUNT - 1)
    plex_pair_sum<kind>(args, numbers, permutations, stride, items, words, sum);
  else
    plex_pair_dispatch<(kind < PLEX_KIND_COUNT - 1 ? kind + 1 : kind)>(args, k, numbers, permutations, stride, items,
                                                                       words, sum);
}

// Writes the entries of a pair of nodes, from `offset` on: those whose components have a row and a column
PLEX_DEVICE void plex_pair_write_entries(const plex_scalar out[PLEX_NC * PLEX_NC], plex_scalar *sums, int offset,
                                         int stride, unsigned rows, unsigned columns)
{
  const unsigned all = (1u << PLEX_NC) - 1;

  if ((rows & columns) == all) {
    _Pragma("unroll")
    for (int c = 0; c < PLEX_NC; ++c) _Pragma("unroll")
    for (int d = 0; d < PLEX_NC; ++d) sums[offset + c * stride + d] = out[c * PLEX_NC + d];
  } else {
    _Pragma("unroll")
    for (int c = 0; c < PLEX_NC; ++c) {
      int at = offset;

      if (rows >> c & 1) {
        _Pragma("unroll")
        for (int d = 0; d < PLEX_NC; ++d)
          if (columns >> d & 1) sums[at++] = out[c * PLEX_NC + d];
        offset += stride;
      }
    }
  }
}

// The entries of (i, j), or of (j, i), from the sums of the pair
PLEX_DEVICE void plex_pair_entries(const PlexArgs &args, const plex_scalar sum[PLEX_PAIR_SUMS], bool transposed,
                                   plex_scalar out[PLEX_NC * PLEX_NC])
{
#if PLEX_PAIR_AUX_STORED
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC; ++c) _Pragma("unroll")
  for (int d = 0; d < PLEX_NC; ++d) out[c * PLEX_NC + d] = transposed ? sum[d * PLEX_NC + c] : sum[c * PLEX_NC + d];
#else
  PlexPoint   p = {};
  plex_scalar M[PLEX_DD];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) M[k * PLEX_DIM + l] = transposed ? sum[l * PLEX_DIM + k] : sum[k * PLEX_DIM + l];
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC * PLEX_NC; ++k) out[k] = -0.0;
  plex_pair_form(args, p, M, out);
#endif
}

PLEX_DEVICE void plex_pair_tasks(const PlexArgs &args, const PlexUint2 *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *permutations, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = threadIdx.x / 32; t < n; t += PLEX_WARPS) {
    const unsigned   task                = tasks[t];
    const PlexUint2 *at                  = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
    const PlexUint2  targets             = *at;
    const int        words               = (int)(task >> 25);
    plex_scalar      sum[PLEX_PAIR_SUMS] = {0}, out[PLEX_NC * PLEX_NC];

    if (!words) {
      plex_pair_put_zeros(targets, sums);
      continue;
    }
    plex_pair_dispatch<0>(args, (int)(task >> 16 & 0x7f), numbers, permutations, stride, at + 32, words, sum);
    plex_pair_reduce<PLEX_PAIR_SUMS>(task, sum);
    if (plex_half(targets.of[0], 0) != 0xffff) {
      plex_pair_entries(args, sum, false, out);
      plex_pair_write_entries(out, sums, plex_half(targets.of[0], 0), (int)(targets.of[1] & 0x3ff),
                              targets.of[1] >> 10 & 7, targets.of[1] >> 29);
    }
    if (plex_half(targets.of[0], 1) != 0xffff) {
      plex_pair_entries(args, sum, true, out);
      plex_pair_write_entries(out, sums, plex_half(targets.of[0], 1), (int)(targets.of[1] >> 16 & 0x3ff),
                              targets.of[1] >> 13 & 7, targets.of[1] >> 26 & 7);
    }
  }
}
