// Element matrices of trilinear hexahedra at 2^3 points, of a scalar field whose form has derivatives alone and is symmetric: by a thread, in registers.
//
// A basis function is a product of L_0 = (1 - x) / 2 and L_1 = (1 + x) / 2, whose derivatives are constant, and so is its derivative's part along x but for
// the sign s_i. Of the terms of
//
//   A_ij = sum_q sum_ab d_a phi_i(q) D_q[a][b] d_b phi_j(q)
//
// those with a = b = x are s_i s_j Sx[iy + jy][iz + jz], nine numbers, as L_iy L_jy does not depend on the order of i and j; those with a = x, b = y are
// s_i s_j Txy[jx][iy][iz + jz], twelve, and with a and b exchanged the same numbers of j and i. 63 numbers in all make the 36 entries of half a matrix;
// they are sums over lines of points along x. J is found likewise: a column is a bilinear function of the other two coordinates.
#pragma once

static_assert(PLEX_DIM == 3 && PLEX_LINES_N == 2 && PLEX_LINES_Q == 2 && PLEX_LINES_CORNERS && PLEX_LINES_SYMMETRIC && !PLEX_TEST_VALUE && !PLEX_TRIAL_VALUE, "trilinear");
static_assert(plex_line_slopes[0] == -plex_line_slopes[1], "linear");

#define PLEX_LINES_ENTRIES  36
#define PLEX_LINES_L(n, q)  plex_line_known[(n) * 2 + (q)]
#define PLEX_LINES_LL(k, q) (PLEX_LINES_L((k) == 2, q) * PLEX_LINES_L((k) > 0, q)) // L_i L_j, i + j = k

// Column a of J at the four values of the other two coordinates, the first of which is the slower; X[x + 2 y + 4 z]
PLEX_DEVICE void plex_trilinear_column(const plex_real X[8][3], int a, plex_real column[2][2][3])
{
  const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;

  _Pragma("unroll")
  for (int d = 0; d < 3; ++d) {
    plex_real half[2][2]; // [q along b][corner along c]

    _Pragma("unroll")
    for (int k = 0; k < 2; ++k) {
      const plex_real first = X[(k << c) + (1 << a)][d] - X[k << c][d], second = X[(k << c) + (1 << b) + (1 << a)][d] - X[(k << c) + (1 << b)][d];

      _Pragma("unroll")
      for (int q = 0; q < 2; ++q) half[q][k] = plex_line_slopes[1] * PLEX_LINES_L(0, q) * first + plex_line_slopes[1] * PLEX_LINES_L(1, q) * second;
    }
    _Pragma("unroll")
    for (int q = 0; q < 2; ++q) {
      _Pragma("unroll")
      for (int r = 0; r < 2; ++r) column[q][r][d] = PLEX_LINES_L(0, r) * half[q][0] + PLEX_LINES_L(1, r) * half[q][1];
    }
  }
}

// The sums that an element's entries are made of
struct PlexTrilinear {
  plex_real Sx[3][3], Sy[3][3], Sz[3][3];             // [of the first of the other two coordinates][of the second]
  plex_real Txy[2][2][3], Txz[2][2][3], Tyz[2][2][3]; // [j along a][i along b][the third]
};

// Adds the points (0, qy, qz) and (1, qy, qz)
PLEX_DEVICE void plex_trilinear_add(PlexTrilinear &t, const plex_real D[2][6], int qy, int qz)
{
  const plex_real xx = D[0][0] + D[1][0];
  plex_real       xy[2], xz[2], yy[3], yz[3], zz[3];

  _Pragma("unroll")
  for (int n = 0; n < 2; ++n) {
    xy[n] = PLEX_LINES_L(n, 0) * D[0][1] + PLEX_LINES_L(n, 1) * D[1][1];
    xz[n] = PLEX_LINES_L(n, 0) * D[0][2] + PLEX_LINES_L(n, 1) * D[1][2];
  }
  _Pragma("unroll")
  for (int k = 0; k < 3; ++k) {
    yy[k] = PLEX_LINES_LL(k, 0) * D[0][3] + PLEX_LINES_LL(k, 1) * D[1][3];
    yz[k] = PLEX_LINES_LL(k, 0) * D[0][4] + PLEX_LINES_LL(k, 1) * D[1][4];
    zz[k] = PLEX_LINES_LL(k, 0) * D[0][5] + PLEX_LINES_LL(k, 1) * D[1][5];
  }
  _Pragma("unroll")
  for (int k = 0; k < 3; ++k) {
    _Pragma("unroll")
    for (int l = 0; l < 3; ++l) {
      t.Sx[k][l] += PLEX_LINES_LL(k, qy) * PLEX_LINES_LL(l, qz) * xx;
      t.Sy[k][l] += PLEX_LINES_LL(l, qz) * yy[k];
      t.Sz[k][l] += PLEX_LINES_LL(l, qy) * zz[k];
    }
    _Pragma("unroll")
    for (int n = 0; n < 2; ++n) {
      _Pragma("unroll")
      for (int m = 0; m < 2; ++m) {
        t.Txy[n][m][k] += PLEX_LINES_L(m, qy) * PLEX_LINES_LL(k, qz) * xy[n];
        t.Txz[n][m][k] += PLEX_LINES_L(m, qz) * PLEX_LINES_LL(k, qy) * xz[n];
        t.Tyz[n][m][k] += PLEX_LINES_L(n, qy) * PLEX_LINES_L(m, qz) * yz[k];
      }
    }
  }
}

// v + number, or minus where the signs along two coordinates are different: bits
PLEX_DEVICE plex_real plex_trilinear_signed(plex_real v, int s, int t, plex_real number)
{
  return s != t ? v - number : v + number;
}

// What goes with the derivative of j along z, but for j's sign: of i along x, and along y
PLEX_DEVICE plex_real plex_trilinear_across(const PlexTrilinear &t, int ix, int iy, int jx, int jy, int iz)
{
  const plex_real v = ix ? t.Txz[jx][iz][iy + jy] : -t.Txz[jx][iz][iy + jy];

  return iy ? v + t.Tyz[jy][iz][ix + jx] : v - t.Tyz[jy][iz][ix + jx];
}

// Entries of the nodes (ix, iy, .) and (jx, jy, .)
PLEX_DEVICE void plex_trilinear_entries(const PlexTrilinear &t, int ixy, int jxy, plex_real *out)
{
  const int ix = ixy >> 1, iy = ixy & 1, jx = jxy >> 1, jy = jxy & 1;
  plex_real plane[3], ij[2], ji[2]; // by iz + jz; by iz, by jz

  _Pragma("unroll")
  for (int k = 0; k < 3; ++k) {
    plane[k] = plex_trilinear_signed(plex_trilinear_signed(PLEX_NOTHING, ix, jx, t.Sx[iy + jy][k]), iy, jy, t.Sy[ix + jx][k]);
    plane[k] = plex_trilinear_signed(plex_trilinear_signed(plane[k], ix, jy, t.Txy[jx][iy][k]), iy, jx, t.Txy[ix][jy][k]);
  }
  _Pragma("unroll")
  for (int z = 0; z < 2; ++z) {
    ij[z] = plex_trilinear_across(t, ix, iy, jx, jy, z);
    ji[z] = plex_trilinear_across(t, jx, jy, ix, iy, z);
  }
  _Pragma("unroll")
  for (int iz = 0; iz < 2; ++iz) {
    _Pragma("unroll")
    for (int jz = 0; jz < 2; ++jz) {
      const int i = 2 * ixy + iz, j = 2 * jxy + jz;
      plex_real v = plex_trilinear_signed(plane[iz + jz], iz, jz, t.Sz[ix + jx][iy + jy]);

      if (j > i) continue;
      v                                                = jz ? v + ij[iz] : v - ij[iz];
      v                                                = iz ? v + ji[jz] : v - ji[jz];
      out[(i * (i + 1) / 2 + j) * PLEX_LINES_ELEMENTS] = v;
    }
  }
}

// Half of the element matrix, entry i (i + 1) / 2 + j with j <= i, into `out`, where the element's numbers begin
PLEX_DEVICE void plex_trilinear_matrix(const PlexArgs &args, const PlexLineNodal &e, plex_real *out)
{
  constexpr plex_real slope = plex_line_known[6];
  plex_real           X[8][3], column[3][2][2][3];
  PlexTrilinear       t = {};

  _Pragma("unroll")
  for (int c = 0; c < 8; ++c) {
    const int node = plex_line_conn(e, plex_line_corner[c]) * 3;

    _Pragma("unroll")
    for (int d = 0; d < 3; ++d) X[c][d] = e.x[node + d];
  }
  _Pragma("unroll")
  for (int a = 0; a < 3; ++a) plex_trilinear_column(X, a, column[a]);
  _Pragma("unroll")
  for (int l = 0; l < 4; ++l) {
    const int qy = l / 2, qz = l % 2;
    plex_real x[2][3], unused[2][9], J[2][9], D[2][6];

    plex_line_geometry(args, e, qy, qz, x, unused);
    _Pragma("unroll")
    for (int q = 0; q < 2; ++q) {
      _Pragma("unroll")
      for (int d = 0; d < 3; ++d) {
        J[q][3 * d]     = column[0][qy][qz][d];
        J[q][3 * d + 1] = column[1][q][qz][d];
        J[q][3 * d + 2] = column[2][q][qy][d];
      }
    }
    plex_line_numbers_of(args, e, qy, qz, x, J, slope * slope, D);
    plex_trilinear_add(t, D, qy, qz);
  }
  _Pragma("unroll")
  for (int i = 0; i < 4; ++i) {
    _Pragma("unroll")
    for (int j = 0; j <= i; ++j) plex_trilinear_entries(t, i, j, out);
  }
}

// Row i of it
PLEX_DEVICE void plex_trilinear_row(const plex_real *matrix, int i, plex_real row[])
{
  const plex_real *lower = matrix + i * (i + 1) / 2 * PLEX_LINES_ELEMENTS, *upper = matrix + i * PLEX_LINES_ELEMENTS;

  _Pragma("unroll")
  for (int j = 0; j < 8; ++j) row[j] = *(j <= i ? lower + j * PLEX_LINES_ELEMENTS : upper + j * (j + 1) / 2 * PLEX_LINES_ELEMENTS);
}
