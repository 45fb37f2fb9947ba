// Rows of element data of tensor-product cells, in the place of sums over points one by one: a scalar field whose basis
// functions are products, phi_j(q) = B_jx(q_x) B_jy(q_y) B_jz(q_z), with derivatives D_jx B_jy B_jz and so on
// (src/assembly/integrate/lines.c). With D_q of quadrature.cuh,
//
//   w_b(q) = sum_a phi_a(i, q) D_q[a][b],     A^e_ij = sum_q sum_b w_b(q) phi_b(j, q)
//
// and the second sum goes line by line, over q_z, q_y and q_x in turn: of n^3 nodes and points it takes 8 n^4
// multiplications in the place of 3 n^6. D_q is computed once an element, and read by all its rows from shared memory.
#pragma once

#define PLEX_LINES_NZ      (PLEX_DIM == 3 ? PLEX_LINES_N : 1) // nodes and points along the third line
#define PLEX_LINES_QZ      (PLEX_DIM == 3 ? PLEX_LINES_Q : 1)
#define PLEX_LINES_NUMBERS (PLEX_LINES_SYMMETRIC ? PLEX_KT * (PLEX_KT + 1) / 2 : PLEX_KT * PLEX_KU) // stored of D_q
/* number k of point q, from the element's first on */
#define PLEX_LINES_AT(q, k) (((q) * PLEX_LINES_NUMBERS + (k)) * PLEX_LINES_ELEMENTS)
#if PLEX_LINES_N <= 3
  #define PLEX_LINES_UNROLL _Pragma("unroll")
#else
  #define PLEX_LINES_UNROLL _Pragma("unroll 1")
#endif

static_assert(PLEX_NF == 1 && PLEX_NC == 1 && !PLEX_NF_AUX, "one scalar field");

// B and D of node n at point q of a line: as a number that the compiler knows, and as an operand from the memory for
// constants
#define PLEX_LINES_ZERO(D, n, q)   (plex_line_known[((D) * PLEX_LINES_N + (n)) * PLEX_LINES_Q + (q)] == 0)
#define PLEX_LINES_NUMBER(D, n, q) plex_line_numbers[((D) * PLEX_LINES_N + (n)) * PLEX_LINES_Q + (q)]

// Weight of a point, likewise: where an element's points are all of one thread, the compiler knows which point it is
#if PLEX_LINES_MATRIX
  #define PLEX_LINES_WEIGHT(q) plex_line_known_weights[q]
#else
  #define PLEX_LINES_WEIGHT(q) plex_line_weights[q]
#endif

// v[n] += sum_q B_n(q) w (or D)
#define PLEX_LINES_ADD(D, v, n, q, w) PLEX_ADD_PRODUCT(v, PLEX_LINES_ZERO(D, n, q), PLEX_LINES_NUMBER(D, n, q), w)

// ---- Points: those along the first line through (., qy, qz), by a thread

// Nodal data of one element: of a thread's own, or of a block's with numbers k of the element's coordinate nodes, and
// from PLEX_NV on its dofs
struct PlexLineNodal {
  const plex_real *x, *u, *ut;
#if !PLEX_LINES_OWN
  const unsigned short *conn;
#endif
};
PLEX_DEVICE int plex_line_conn(const PlexLineNodal &e, int k)
{
#if PLEX_LINES_OWN
  return k < PLEX_NV ? k : k - PLEX_NV;
#else
  return e.conn[k * PLEX_INTERLEAVE];
#endif
}

// x and J = dx / dxi at the points of a line
PLEX_DEVICE void plex_line_geometry(const PlexArgs &args, const PlexLineNodal &e, int qy, int qz,
                                    plex_real x[][PLEX_DIM], plex_real J[][PLEX_DIM * PLEX_DIM])
{
#if PLEX_LINES_CORNERS
  // both ends of the line: position, and derivatives across
  plex_real end[2][PLEX_DIM], across[2][PLEX_DIM - 1][PLEX_DIM], first[PLEX_DIM];

  _Pragma("unroll")
  for (int b = 0; b < 2; ++b) {
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) {
      end[b][d] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM - 1; ++a) across[b][a][d] = PLEX_NOTHING;
    }
    _Pragma("unroll")
    for (int c = 0; c < 1 << (PLEX_DIM - 1); ++c) {
      const int       node = plex_line_conn(e, plex_line_corner[b + 2 * c]) * PLEX_DIM;
      const plex_real Ly   = plex_line_coordinates[(c & 1) * PLEX_LINES_Q + qy],
                      Lz   = PLEX_DIM == 3 ? plex_line_coordinates[(c >> 1) * PLEX_LINES_Q + qz] : 1;

      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) {
        const plex_real value = e.x[node + d];

        end[b][d] += Ly * Lz * value;
        across[b][0][d] += plex_line_slopes[c & 1] * Lz * value;
        if (PLEX_DIM == 3) across[b][PLEX_DIM - 2][d] += Ly * plex_line_slopes[c >> 1] * value;
      }
    }
  }
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) first[d] = plex_line_slopes[0] * end[0][d] + plex_line_slopes[1] * end[1][d];
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) {
    const plex_real L0 = plex_line_coordinates[q], L1 = plex_line_coordinates[PLEX_LINES_Q + q];

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) {
      x[q][d]            = L0 * end[0][d] + L1 * end[1][d];
      J[q][d * PLEX_DIM] = first[d];
      _Pragma("unroll")
      for (int a = 1; a < PLEX_DIM; ++a) J[q][d * PLEX_DIM + a] = L0 * across[0][a - 1][d] + L1 * across[1][a - 1][d];
    }
  }
#else
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) {
    const int point = plex_line_point[(q * PLEX_LINES_Q + qy) * PLEX_LINES_QZ + qz];

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) x[q][d] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) J[q][d] = PLEX_NOTHING;
    _Pragma("unroll 1")
    for (int n = 0; n < PLEX_NV; ++n) {
      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) {
        const plex_real value = e.x[plex_line_conn(e, n) * PLEX_DIM + d];

        x[q][d] += PLEX_COORDINATE(args, point, n, 0) * value;
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) J[q][d * PLEX_DIM + a] += PLEX_COORDINATE(args, point, n, 1 + a) * value;
      }
    }
  }
#endif
}

// A function's value and reference gradient at the points of a line, from its values at the nodes
PLEX_DEVICE void plex_line_values(const PlexLineNodal &e, const plex_real values[], int qy, int qz,
                                  plex_real u[][1 + PLEX_DIM])
{
  plex_real node[PLEX_LINES_N][PLEX_DIM]; // value, derivatives across

  _Pragma("unroll")
  for (int n = 0; n < PLEX_LINES_N; ++n) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) node[n][a] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int m = 0; m < PLEX_LINES_N * PLEX_LINES_NZ; ++m) {
      const int       y = m / PLEX_LINES_NZ, z = m % PLEX_LINES_NZ;
      const plex_real value = values[plex_line_conn(e, PLEX_NV + plex_line_dof[n * PLEX_LINES_N * PLEX_LINES_NZ + m])];
      const plex_real By = PLEX_LINES_NUMBER(0, y, qy), Bz = PLEX_DIM == 3 ? PLEX_LINES_NUMBER(0, z, qz) : 1;

      node[n][0] += By * Bz * value;
      node[n][1] += PLEX_LINES_NUMBER(1, y, qy) * Bz * value;
      if (PLEX_DIM == 3) node[n][PLEX_DIM - 1] += By * PLEX_LINES_NUMBER(1, z, qz) * value;
    }
  }
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) {
    _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a) {
      u[q][a] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int n = 0; n < PLEX_LINES_N; ++n) u[q][a] += PLEX_LINES_NUMBER(a == 1, n, q) * node[n][a > 0 ? a - 1 : 0];
    }
  }
}

// size / det of the points of a line: of a few by one division, as long as their product is a number
PLEX_DEVICE void plex_line_inverses(const plex_real det[], plex_real size, plex_real inverse[])
{
#if PLEX_LINES_MATRIX
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) inverse[q] = size * plex_reciprocal(det[q]);
#elif PLEX_SINGLE || PLEX_LINES_Q > 3
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) inverse[q] = size / det[q];
#else
  plex_real before[PLEX_LINES_Q] = {1}, rest; // product of those before a point, and what inverts the rest

  _Pragma("unroll")
  for (int q = 1; q < PLEX_LINES_Q; ++q) before[q] = before[q - 1] * det[q - 1];
  rest = size / (before[PLEX_LINES_Q - 1] * det[PLEX_LINES_Q - 1]);
  _Pragma("unroll")
  for (int q = PLEX_LINES_Q - 1; q >= 0; --q) {
    inverse[q] = rest * before[q];
    rest *= det[q];
  }
#endif
}

#if PLEX_JACOBIAN

// D_q of the points of a line where x and J are known, J times `size`, with a factor
PLEX_DEVICE void plex_line_numbers_of(const PlexArgs &args, const PlexLineNodal &e, int qy, int qz,
                                      const plex_real x[][PLEX_DIM], const plex_real J[][PLEX_DIM * PLEX_DIM],
                                      plex_real size, plex_real factor, plex_real numbers[][PLEX_LINES_NUMBERS])
{
  plex_real   u[PLEX_LINES_Q][1 + PLEX_DIM] = {}, ut[PLEX_LINES_Q][1 + PLEX_DIM] = {},
                                  adjugate[PLEX_LINES_Q][PLEX_DIM * PLEX_DIM], det[PLEX_LINES_Q], inverse[PLEX_LINES_Q];
  PetscScalar constants[PLEX_NCONSTANTS + 3];

  if (PLEX_SOLUTION) plex_line_values(e, e.u, qy, qz, u);
  if (PLEX_SOLUTION && args.u_t) plex_line_values(e, e.ut, qy, qz, ut);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) plex_adjugate(J[q], adjugate[q], det[q]);
  plex_line_inverses(det, size, inverse);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) {
    const plex_real weight = PLEX_LINES_WEIGHT((q * PLEX_LINES_Q + qy) * PLEX_LINES_QZ + qz);
    const plex_real detJ   = det[q] * (1 / (PLEX_DIM == 3 ? size * size * size : size * size));
    PlexPoint       p;
    plex_real       s, D[PLEX_POINT_SIZE];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) p.invJ[k] = adjugate[q][k];
    p.scale  = inverse[q];
    p.weight = detJ * weight;
    p.volume = detJ * (1 << PLEX_DIM);
    p.u[0]   = u[q][0];
    if (args.u_t) p.ut[0] = ut[q][0];
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) {
      plex_real slope = PLEX_NOTHING;

      p.x[b] = (PetscReal)x[q][b];
      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) slope += p.invJ[a * PLEX_DIM + b] * u[q][1 + a];
      p.ux[b] = PLEX_INVERSE(p, slope);
    }
    s                              = p.weight * factor;
    constants[PLEX_NCONSTANTS + 2] = p.volume;
  #if !PLEX_TEST_VALUE && !PLEX_TRIAL_VALUE && PLEX_DIM == 3
    s       = p.scale * (weight * factor / (size * size)); // the weight times both inverses' factors, det scale^2
    p.scale = 1;
  #endif
    _Pragma("unroll")
    for (int k = 0; k < PLEX_POINT_SIZE; ++k) D[k] = PLEX_NOTHING;
    PLEX_FORM(args, p, constants, s, D)
    _Pragma("unroll")
    for (int a = 0, k = 0; a < PLEX_KT; ++a) {
      _Pragma("unroll")
      for (int b = PLEX_LINES_SYMMETRIC ? a : 0; b < PLEX_KU; ++b, ++k) numbers[q][k] = D[a * PLEX_KU + b];
    }
  }
}

// D_q of the points of a line, into `out`, where the element's numbers begin
PLEX_DEVICE void plex_line_points(const PlexArgs &args, const PlexLineNodal &e, int qy, int qz, plex_real *out)
{
  plex_real x[PLEX_LINES_Q][PLEX_DIM], J[PLEX_LINES_Q][PLEX_DIM * PLEX_DIM], numbers[PLEX_LINES_Q][PLEX_LINES_NUMBERS];

  plex_line_geometry(args, e, qy, qz, x, J);
  plex_line_numbers_of(args, e, qy, qz, x, J, 1, 1, numbers);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_LINES_Q; ++q) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_LINES_NUMBERS; ++k)
      out[PLEX_LINES_AT((q * PLEX_LINES_Q + qy) * PLEX_LINES_QZ + qz, k)] = numbers[q][k];
  }
}

// ---- Rows

// Number of D_q that is entry (a, b)
PLEX_DEVICE constexpr int plex_line_entry(int a, int b)
{
  return !PLEX_LINES_SYMMETRIC ? a * PLEX_KU + b
       : a <= b                ? a * PLEX_KT - a * (a - 1) / 2 + b - a
                               : b * PLEX_KT - b * (b - 1) / 2 + a - b;
}

// A function of one coordinate and its derivative at a point
struct alignas(2 * sizeof(plex_real)) PlexLineFunction {
  plex_real B, D;
};

// Those of node n at point q, [n][q], into shared memory, by all threads of a block
PLEX_DEVICE void plex_line_functions(PlexLineFunction functions[])
{
  for (int k = threadIdx.x; k < PLEX_LINES_N * PLEX_LINES_Q; k += PLEX_BLOCK)
    functions[k] = PlexLineFunction{PLEX_LINES_NUMBER(0, 0, k), PLEX_LINES_NUMBER(1, 0, k)};
}

// w_b of a point: D the point's numbers, g the test function's parts
PLEX_DEVICE void plex_line_test_function(const plex_real *D, const plex_real g[], plex_real w[])
{
  _Pragma("unroll")
  for (int b = 0; b < PLEX_KU; ++b) {
    w[b] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int a = 0; a < PLEX_KT; ++a) w[b] += D[plex_line_entry(a, b) * PLEX_LINES_ELEMENTS] * g[a];
  }
}

// Parts of the test function at a point, from its functions of each coordinate
PLEX_DEVICE void plex_line_parts(const PlexLineFunction &x, const PlexLineFunction &y, const PlexLineFunction &z,
                                 plex_real g[])
{
  if (PLEX_TEST_VALUE) g[0] = PLEX_DIM == 3 ? x.B * y.B * z.B : x.B * y.B;
  #if PLEX_TEST_GRAD
  g[PLEX_TEST_VALUE]     = PLEX_DIM == 3 ? x.D * y.B * z.B : x.D * y.B;
  g[PLEX_TEST_VALUE + 1] = PLEX_DIM == 3 ? x.B * y.D * z.B : x.B * y.D;
    #if PLEX_DIM == 3
  g[PLEX_TEST_VALUE + 2] = x.B * y.B * z.D;
    #endif
  #endif
}

// The row of a node, whose numbers along the lines are in four bits each; D: where the element's numbers begin
PLEX_DEVICE void plex_line_row(const plex_real *D, const PlexLineFunction functions[], unsigned node, plex_real row[])
{
  const PlexLineFunction *fx = functions + (node & 0xf) * PLEX_LINES_Q,
                         *fy = functions + (node >> 4 & 0xf) * PLEX_LINES_Q,
                         *fz = functions + (node >> 8 & 0xf) * PLEX_LINES_Q;

  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = PLEX_NOTHING;
  PLEX_LINES_UNROLL
  for (int qx = 0; qx < PLEX_LINES_Q; ++qx) {
    // of a slab of points, the sums over y and z that D goes with along x, and those that B does
    plex_real withD[PLEX_LINES_N][PLEX_LINES_NZ], withB[PLEX_LINES_N][PLEX_LINES_NZ];

    _Pragma("unroll")
    for (int y = 0; y < PLEX_LINES_N; ++y) {
      _Pragma("unroll")
      for (int z = 0; z < PLEX_LINES_NZ; ++z) withD[y][z] = withB[y][z] = PLEX_NOTHING;
    }
    _Pragma("unroll")
    for (int qy = 0; qy < PLEX_LINES_Q; ++qy) {
      /* sums along z, by what follows: D and B, B and D, B and B */
      plex_real tx[PLEX_LINES_NZ], ty[PLEX_LINES_NZ], tz[PLEX_LINES_NZ];

      _Pragma("unroll")
      for (int z = 0; z < PLEX_LINES_NZ; ++z) tx[z] = ty[z] = tz[z] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int qz = 0; qz < PLEX_LINES_QZ; ++qz) {
        plex_real g[PLEX_KT], w[PLEX_KU];

        plex_line_parts(fx[qx], fy[qy], fz[qz], g);
        plex_line_test_function(D + PLEX_LINES_AT((qx * PLEX_LINES_Q + qy) * PLEX_LINES_QZ + qz, 0), g, w);
        _Pragma("unroll")
        for (int z = 0; z < PLEX_LINES_NZ; ++z) {
  #if PLEX_DIM == 3
    #if PLEX_TRIAL_GRAD
          PLEX_LINES_ADD(0, tx[z], z, qz, w[PLEX_TRIAL_VALUE]);
          PLEX_LINES_ADD(0, ty[z], z, qz, w[PLEX_TRIAL_VALUE + 1]);
          PLEX_LINES_ADD(1, tz[z], z, qz, w[PLEX_TRIAL_VALUE + 2]);
    #endif
          if (PLEX_TRIAL_VALUE) PLEX_LINES_ADD(0, tz[z], z, qz, w[0]);
  #else
    #if PLEX_TRIAL_GRAD
          tx[z] = w[PLEX_TRIAL_VALUE];
          ty[z] = w[PLEX_TRIAL_VALUE + 1];
    #endif
          if (PLEX_TRIAL_VALUE) tz[z] = w[0];
  #endif
        }
      }
      _Pragma("unroll")
      for (int y = 0; y < PLEX_LINES_N; ++y) {
        _Pragma("unroll")
        for (int z = 0; z < PLEX_LINES_NZ; ++z) {
  #if PLEX_TRIAL_GRAD
          PLEX_LINES_ADD(0, withD[y][z], y, qy, tx[z]);
          PLEX_LINES_ADD(1, withB[y][z], y, qy, ty[z]);
  #endif
          if (PLEX_TRIAL_VALUE || PLEX_DIM == 3) PLEX_LINES_ADD(0, withB[y][z], y, qy, tz[z]);
        }
      }
    }
    _Pragma("unroll")
    for (int x = 0; x < PLEX_LINES_N; ++x) {
      _Pragma("unroll")
      for (int y = 0; y < PLEX_LINES_N; ++y) {
        _Pragma("unroll")
        for (int z = 0; z < PLEX_LINES_NZ; ++z) {
          plex_real *to = &row[(x * PLEX_LINES_N + y) * PLEX_LINES_NZ + z];

  #if PLEX_LINES_N <= 3
          if (PLEX_TRIAL_GRAD) PLEX_LINES_ADD(1, *to, x, qx, withD[y][z]);
          PLEX_LINES_ADD(0, *to, x, qx, withB[y][z]);
  #else
          if (PLEX_TRIAL_GRAD) *to += PLEX_LINES_NUMBER(1, x, qx) * withD[y][z];
          *to += PLEX_LINES_NUMBER(0, x, qx) * withB[y][z];
  #endif
        }
      }
    }
  }
}

#endif
