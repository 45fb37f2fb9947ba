// Element vectors of tensor-product cells, by sums along lines as lines.cuh has them for rows of element matrices. With
// V_q of quadrature.cuh,
//
//   F_i = sum_q sum_a phi_a(i, q) V_q[a]
//
// A thread takes the lines of points along x of an element one after the other: fields and geometry at its points, what
// the functions give there, and the sums over it of V_q times the functions of x, which then go to all nodes. Of n^3
// nodes and points that is some 10 n^5 multiplications in the place of 8 n^6.
//
// The integrator "sumfactor": src/assembly/integrate/sumfactor.c. Where it gives a thread shared memory of its own,
// nodal data are loaded there; else they are where the strategy has prefetched them.
#pragma once

#define PLEX_LINES_OWN       (PLEX_WORK > 0)
#define PLEX_LINES_ELEMENTS  1
#define PLEX_LINES_SYMMETRIC 0
#include "assembly/gather.cuh"
#include "integrate/lines.cuh"

static_assert(!PLEX_JACOBIAN, "element vectors");

// V_q at point q of a line, where x, J and the fields are known
PLEX_DEVICE void plex_line_vector_point(const PlexArgs &args, const PetscScalar known[], plex_real weight,
                                        const plex_real x[], const plex_real J[], const plex_real u[],
                                        const plex_real ut[], plex_real V[])
{
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   det, s;
  PlexPoint   p;

  plex_adjugate(J, p.invJ, det);
  s = plex_reciprocal(det);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) p.invJ[k] *= s;
  p.weight = det * weight;
  p.volume = det * (1 << PLEX_DIM);
  p.u[0]   = u[0];
  if (args.u_t) p.ut[0] = ut[0];
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real slope = PLEX_NOTHING;

    p.x[b] = (PetscReal)x[b];
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) slope += p.invJ[a * PLEX_DIM + b] * u[1 + a];
    p.ux[b] = slope;
  }
  s = p.weight;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = known[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_KT; ++k) V[k] = PLEX_NOTHING;
  PLEX_FORM(args, p, constants, s, V)
}

// The same number, of which the compiler does not know that it is: what was computed with it is not kept
PLEX_DEVICE int plex_line_again(int k)
{
  plex_opaque(k);
  return k;
}

PLEX_DEVICE void plex_line_vector(const PlexArgs &args, const PlexLineNodal &e, plex_real F[])
{
  PetscScalar constants[PLEX_NCONSTANTS + 1];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) F[i] = PLEX_NOTHING;
  _Pragma("unroll 1")
  for (int line = 0; line < PLEX_LINES_Q * PLEX_LINES_QZ; ++line) {
    int       qy = line / PLEX_LINES_QZ, qz = line % PLEX_LINES_QZ;
    plex_real x[PLEX_LINES_Q][PLEX_DIM], J[PLEX_LINES_Q][PLEX_DIM * PLEX_DIM], u[PLEX_LINES_Q][1 + PLEX_DIM],
      ut[PLEX_LINES_Q][1 + PLEX_DIM] = {};
    plex_real sums[PLEX_LINES_N][PLEX_DIM]; // over the line, of what goes with B and B, D and B, B and D across it

    plex_line_geometry(args, e, qy, qz, x, J);
    plex_line_values(e, e.u, qy, qz, u);
    if (args.u_t) plex_line_values(e, e.ut, qy, qz, ut);
    _Pragma("unroll")
    for (int n = 0; n < PLEX_LINES_N; ++n) _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) sums[n][a] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int q = 0; q < PLEX_LINES_Q; ++q) {
      plex_real V[PLEX_KT];

      plex_line_vector_point(args, constants, PLEX_LINES_WEIGHT((q * PLEX_LINES_Q + qy) * PLEX_LINES_QZ + qz), x[q],
                             J[q], u[q], ut[q], V);
      _Pragma("unroll")
      for (int n = 0; n < PLEX_LINES_N; ++n) {
        if (PLEX_TEST_VALUE) PLEX_LINES_ADD(0, sums[n][0], n, q, V[0]);
#if PLEX_TEST_GRAD
        PLEX_LINES_ADD(1, sums[n][0], n, q, V[PLEX_TEST_VALUE]);
        _Pragma("unroll")
        for (int a = 1; a < PLEX_DIM; ++a) PLEX_LINES_ADD(0, sums[n][a], n, q, V[PLEX_TEST_VALUE + a]);
#endif
      }
    }
    qy = plex_line_again(qy);
    qz = plex_line_again(qz);
    _Pragma("unroll")
    for (int m = 0; m < PLEX_LINES_N * PLEX_LINES_NZ; ++m) {
      const int       y = m / PLEX_LINES_NZ, z = m % PLEX_LINES_NZ;
      const plex_real By = PLEX_LINES_NUMBER(0, y, qy), Bz = PLEX_DIM == 3 ? PLEX_LINES_NUMBER(0, z, qz) : 1,
                      BB = By * Bz;
      const plex_real DB = PLEX_LINES_NUMBER(1, y, qy) * Bz, BD = PLEX_DIM == 3 ? By * PLEX_LINES_NUMBER(1, z, qz) : 0;

      _Pragma("unroll")
      for (int n = 0; n < PLEX_LINES_N; ++n) {
        plex_real *to = &F[plex_line_dof[n * PLEX_LINES_N * PLEX_LINES_NZ + m]];

        *to += BB * sums[n][0];
        if (PLEX_TEST_GRAD) *to += DB * sums[n][1];
        if (PLEX_TEST_GRAD && PLEX_DIM == 3) *to += BD * sums[n][PLEX_DIM - 1];
      }
    }
  }
}

// Elements, a thread each: integrate/teams.cuh
#define PLEX_ELEMENTS       PLEX_TEAMS
#define PLEX_ELEMENTS_FIRST PLEX_TEAM_INDEX

#if PLEX_LINES_OWN
  #define PLEX_LINES_AREA (PLEX_NV * PLEX_DIM + 2 * PLEX_EF | 1) // numbers of a thread; odd: threads meet in no bank
static_assert(PLEX_LINES_AREA * sizeof(plex_real) == PLEX_WORK, "as src/assembly/integrate/sumfactor.c has it");

// to[n] = from[ids] of K numbers each: indices first, then all numbers, so that each waits once
template <int n, int K>
PLEX_DEVICE void plex_area_load(const int *ids, const double *from, plex_real *to)
{
  int    id[n];
  double v[n * K];

  _Pragma("unroll")
  for (int m = 0; m < n; ++m) id[m] = plex_read(&ids[m * PLEX_INTERLEAVE]);
  _Pragma("unroll")
  for (int m = 0; m < n * K; ++m) v[m] = plex_read(&from[(plex_index)id[m / K] * K + m % K]);
  plex_reads_end();
  _Pragma("unroll")
  for (int m = 0; m < n * K; ++m) to[m] = (plex_real)v[m];
}
#endif

template <class Position, class At, class Emit>
PLEX_DEVICE void plex_elements(const PlexArgs &args, At at, Position p, Position, Emit emit)
{
  const auto e = at(p);
  plex_real  F[PLEX_EF];
#if PLEX_LINES_OWN
  PLEX_DYNAMIC_SHARED(plex_real, areas);
  plex_real          *x = areas + threadIdx.x * PLEX_LINES_AREA, *u = x + PLEX_NV * PLEX_DIM, *ut = u + PLEX_EF;
  const PlexLineNodal nodal = {x, u, ut};

  plex_area_load<PLEX_NV, PLEX_DIM>(e.conn, args.x, x);
  plex_area_load<PLEX_EF, 1>(e.conn + PLEX_NV * PLEX_INTERLEAVE, args.u, u);
  if (args.u_t) plex_area_load<PLEX_EF, 1>(e.conn + PLEX_NV * PLEX_INTERLEAVE, args.u_t, ut);
#else
  const PlexLineNodal nodal = {e.s.x, e.s.u, e.s.ut, e.conn};
#endif
  plex_line_vector(args, nodal, F);
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) emit(e, i, 0, F[i]);
}
