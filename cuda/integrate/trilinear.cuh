// Element matrices of trilinear hexahedra at 2^3 points, of a scalar field whose form has derivatives alone and is
// symmetric: by a thread, in registers.
//
// Corners, nodes and points have numbers of three bits, x y z, set where the coordinate is negative. A basis function
// is a sum of products of coordinates,
//
//   phi_i = 1/8 sum_m s_m(i) X_m,     X_m = product of the coordinates in m, s_m(i) = -1 to the number of bits that m
//                                     and i have in common
//
// so the matrix follows from B_mn = sum_q grad X_m . D_q grad X_n, of 7 functions as a constant has no gradient. At the
// points a coordinate is h or -h, and B_mn is made of sums of numbers of D_q with the signs s_k(q) of the points, which
// are found along x, y and z in turn. With j = i ^ t, where t says the coordinates in which the two nodes differ,
//
//   A_ij = 1/64 sum_mn s_m(i) s_n(j) B_mn = 1/64 sum_k s_k(i) C_k(t),     C_k(t) = sum_n s_n(t) B_n^k,n
//
// where C_k(t) is zero unless s_k(t) = 1, as A is symmetric: each t has four such k and four different entries. The 28
// of all t > 0 are kept; the one on the diagonal of a row is minus the sum of the others. An entry's class is 1 where
// s_k(i) = -1 for the first of the k > 0, and 2 more where that is so for the second.
#pragma once

static_assert(PLEX_DIM == 3 && PLEX_LINES_N == 2 && PLEX_LINES_Q == 2 && PLEX_LINES_CORNERS && PLEX_LINES_SYMMETRIC &&
                !PLEX_TEST_VALUE && !PLEX_TRIAL_VALUE,
              "trilinear");
static_assert(plex_line_slopes[0] == -plex_line_slopes[1], "linear");

#define PLEX_LINES_ENTRIES 28
#define PLEX_TRILINEAR_H   (plex_line_known[3] - plex_line_known[1]) // coordinate of the second point of a line
/* derivative of that coordinate by the reference cell's */
#define PLEX_TRILINEAR_SLOPE ((plex_real)2 * plex_line_slopes[1])

PLEX_DEVICE constexpr int plex_trilinear_count(int m)
{
  return (m & 1) + (m >> 1 & 1) + (m >> 2);
}
PLEX_DEVICE constexpr bool plex_trilinear_minus(int m, int i)
{
  return plex_trilinear_count(m & i) % 2 == 1;
}

// The first k > last with s_k(t) = 1
PLEX_DEVICE constexpr int plex_trilinear_next(int t, int last)
{
  int k = last + 1;

  while (plex_trilinear_minus(k, t)) ++k;
  return k;
}
#define PLEX_TRILINEAR_TWO(t) plex_trilinear_next(t, 0), plex_trilinear_next(t, plex_trilinear_next(t, 0))
static __device__ constexpr int plex_trilinear_k[8][2] = {{},
                                                          {PLEX_TRILINEAR_TWO(1)},
                                                          {PLEX_TRILINEAR_TWO(2)},
                                                          {PLEX_TRILINEAR_TWO(3)},
                                                          {PLEX_TRILINEAR_TWO(4)},
                                                          {PLEX_TRILINEAR_TWO(5)},
                                                          {PLEX_TRILINEAR_TWO(6)},
                                                          {PLEX_TRILINEAR_TWO(7)}};

// v_m becomes sum_i s_m(i) v_i
PLEX_DEVICE void plex_trilinear_transform(plex_real v[8])
{
  _Pragma("unroll")
  for (int bit = 4; bit > 0; bit /= 2) {
    _Pragma("unroll")
    for (int k = 0; k < 8; ++k) {
      const plex_real a = v[k], b = v[k | bit];

      if (k & bit) continue;
      v[k]       = a + b;
      v[k | bit] = a - b;
    }
  }
}

// 8 dx / dxi at the points (0, qy, qz) and (1, qy, qz); modes[m]: sum_i s_m(i) x_i
PLEX_DEVICE void plex_trilinear_jacobian(const plex_real modes[8][3], int qy, int qz, plex_real J[2][9])
{
  constexpr plex_real h = PLEX_TRILINEAR_H;
  const plex_real     y = qy ? h : -h, z = qz ? h : -h;

  _Pragma("unroll")
  for (int d = 0; d < 3; ++d) {
    const plex_real x4 = modes[4][d] + z * modes[5][d], x2 = modes[2][d] + z * modes[3][d],
                    x6 = modes[6][d] + z * modes[7][d];
    const plex_real z1 = modes[1][d] + y * modes[3][d], z5 = modes[5][d] + y * modes[7][d];

    _Pragma("unroll")
    for (int q = 0; q < 2; ++q) {
      const plex_real x = q ? h : -h;

      J[q][3 * d]     = x4 + y * x6;
      J[q][3 * d + 1] = x2 + x * x6;
      J[q][3 * d + 2] = z1 + x * z5;
    }
  }
}

// Number of D_q[a][b], a <= b, by the coordinates' bits
PLEX_DEVICE constexpr int plex_trilinear_entry(int a, int b)
{
  return plex_line_entry(2 - a / 2, 2 - b / 2);
}

// sums[k][m] = sum_q s_m(q) of number k of D_q, by which the points of a line, lines of a plane and planes come in
// pairs
PLEX_DEVICE void plex_trilinear_sums(const PlexArgs &args, const PlexLineNodal &e, plex_real sums[6][8])
{
  constexpr plex_real slope = PLEX_TRILINEAR_SLOPE;
  plex_real           modes[8][3], plane[2][6][4];

  _Pragma("unroll")
  for (int d = 0; d < 3; ++d) {
    plex_real v[8];

    _Pragma("unroll")
    for (int c = 0; c < 8; ++c)
      v[7 - c] = e.x[plex_line_conn(e, plex_line_corner[c >> 2 | (c & 2) | (c & 1) << 2]) * 3 + d];
    plex_trilinear_transform(v);
    _Pragma("unroll")
    for (int m = 0; m < 8; ++m) modes[m][d] = v[m];
  }
  _Pragma("unroll")
  for (int qz = 0; qz < 2; ++qz) {
    plex_real line[2][6][2];

    _Pragma("unroll")
    for (int qy = 0; qy < 2; ++qy) {
      plex_real x[2][3], unused[2][9], J[2][9], D[2][6];

      plex_line_geometry(args, e, qy, qz, x, unused);
      plex_trilinear_jacobian(modes, qy, qz, J);
      plex_line_numbers_of(args, e, qy, qz, x, J, (plex_real)8 / slope, slope * slope / 64, D);
      _Pragma("unroll")
      for (int k = 0; k < 6; ++k) {
        line[qy][k][0] = D[1][k] + D[0][k];
        line[qy][k][1] = D[1][k] - D[0][k];
      }
    }
    _Pragma("unroll")
    for (int k = 0; k < 6; ++k) {
      _Pragma("unroll")
      for (int m = 0; m < 2; ++m) {
        plane[qz][k][2 * m]     = line[1][k][m] + line[0][k][m];
        plane[qz][k][2 * m + 1] = line[1][k][m] - line[0][k][m];
      }
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < 6; ++k) {
    _Pragma("unroll")
    for (int m = 0; m < 4; ++m) {
      sums[k][2 * m]     = plane[1][k][m] + plane[0][k][m];
      sums[k][2 * m + 1] = plane[1][k][m] - plane[0][k][m];
    }
  }
}

// B_mn, from the derivatives of X_m along a and X_n along b, and the other way round; times two where m and n are
// different
PLEX_DEVICE plex_real plex_trilinear_product(const plex_real sums[6][8], int m, int n)
{
  constexpr plex_real h      = PLEX_TRILINEAR_H;
  const int           degree = plex_trilinear_count(m) + plex_trilinear_count(n) - 2;
  plex_real           B      = PLEX_NOTHING;

  _Pragma("unroll")
  for (int a = 4; a > 0; a /= 2) {
    _Pragma("unroll")
    for (int b = a; b > 0; b /= 2) {
      const int times = ((m & a) && (n & b) ? 1 : 0) + ((m & b) && (n & a) && a != b ? 1 : 0);

      if (times) B += (plex_real)times * sums[plex_trilinear_entry(a, b)][m ^ n ^ a ^ b];
    }
  }
  return B * ((m == n ? 1 : 2) * (degree == 0   ? 1
                                  : degree == 1 ? h
                                  : degree == 2 ? h * h
                                  : degree == 3 ? h * h * h
                                                : h * h * h * h));
}

// The entries kept of an element matrix, 4 (t - 1) + class, into `out`, where the element's numbers begin, at that
// stride
PLEX_DEVICE void plex_trilinear_matrix(const PlexArgs &args, const PlexLineNodal &e, plex_real *out, int stride)
{
  plex_real sums[6][8], B[8][8], C0[8]; // B: [n][n ^ k], n < n ^ k

  plex_trilinear_sums(args, e, sums);
  C0[0] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int n = 1; n < 8; ++n) {
    C0[n] = plex_trilinear_product(sums, n, n);
    _Pragma("unroll")
    for (int m = n + 1; m < 8; ++m) B[n][m] = plex_trilinear_product(sums, n, m);
  }
  plex_trilinear_transform(C0);
  _Pragma("unroll")
  for (int t = 1; t < 8; ++t) {
    const int k[3] = {plex_trilinear_k[t][0], plex_trilinear_k[t][1], plex_trilinear_k[t][0] ^ plex_trilinear_k[t][1]};
    plex_real C[3];

    _Pragma("unroll")
    for (int c = 0; c < 3; ++c) {
      C[c] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int n = 1; n < 8; ++n)
        if ((n ^ k[c]) > n) C[c] += plex_trilinear_minus(n, t) ? -B[n][n ^ k[c]] : B[n][n ^ k[c]];
    }
    out[(4 * t - 4) * stride] = (C0[t] + C[0]) + (C[1] + C[2]);
    out[(4 * t - 3) * stride] = (C0[t] - C[0]) + (C[1] - C[2]);
    out[(4 * t - 2) * stride] = (C0[t] + C[0]) - (C[1] + C[2]);
    out[(4 * t - 1) * stride] = (C0[t] - C[0]) - (C[1] - C[2]);
  }
}
