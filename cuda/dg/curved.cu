// Curved elements of nodal DG: right-hand side, or a stage of a low-storage scheme, of systems with dg_volume(). The
// method is that of plexgpu/dg_curved_loops.h and src/dg/impls/curved/host.c: geometry at points, the mass matrix in
// the place of whose inverse stands M^-1 M_{1/J} M^-1, matrices of the reference element for all.
//
// A block has PLEX_DG_GROUPS groups of PLEX_DG_TOGETHER elements. A thread has a group and in turn a point of the
// element, a point of a face, and a node, for all elements of the group: it reads an entry of a matrix once for all
// of them, from the caches, and states or fluxes, which its neighbours read at the same time, from shared memory.
// PLEX_DG_POINTS points of the PLEX_DG_NG are in shared memory at a time.
//
//   1. fields and derivatives at points, S and G there; sums of a node over them
//   2. each face: traces across, Q at its points; sums over them
//   3. sums at points over det J, and back at nodes; local terms, update
//
// Of an equation S or G is there, or both: PLEX_DG_STRONG. An element moves its state and
// time derivative, 8 (2 NF NP + NF FACES NFP) bytes of the state as an affine one, and (DIM^2 + 1) NG + DIM FACES MG
// numbers of geometry. Flops of Maxwell's equations: 2 (12 + 12 + 12) NG NP, and 2 (12 MG NFP + 6 MG NP) a face.
#include "curved.cuh"
#include "curved_args.h"

#define PLEX_DG_E     (PLEX_DG_GROUPS * PLEX_DG_TOGETHER)
#define PLEX_DG_BLOCK ((int)blockDim.x)

// Rows of shared memory are of even length, so that two numbers are read at a time; POINTS is even. What stands behind
// the last number of a row is 0
#define PLEX_DG_EVEN(n) (((n) + 1) / 2 * 2)
#define PLEX_DG_SP      PLEX_DG_EVEN(PLEX_DG_NP)
#define PLEX_DG_SM      PLEX_DG_EVEN(PLEX_DG_MG)

// A block's arrays in shared memory; PlexDGCurvedShared() in kernels.c counts them
struct PlexDGCurvedBlock {
  plex_real *u;     // [E][NF][SP] states, later sums
  plex_real *x;     // [E][ROWS][POINTS] numbers of points, or [E][NF][SM] of a face
  plex_real *trace; // [E][NF][NFP] the trace across a face
  int        first, n;
};

// S and G of a point from its fields and reference derivatives
PLEX_DEVICE void plex_dg_point(const PlexDGArgs &args, const PlexDGCurvedArgs &curved, int e, int index, int g,
                               const plex_real *u, const plex_real (*dr)[PLEX_DG_NF], plex_real *x)
{
  const plex_real *C = (const plex_real *)curved.C + (plex_index)index * (PLEX_DIM * PLEX_DIM * PLEX_DG_NG) + g,
                  *k = PLEX_DG_COEFFICIENTS(e), *c = (const plex_real *)args.constants;
  plex_real cofactors[PLEX_DIM][PLEX_DIM], r[PLEX_DG_NF];

  _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) cofactors[a][d] = C[(a * PLEX_DIM + d) * PLEX_DG_NG];
  plex_dg_strong<PLEX_DIM>(dr, cofactors, k, c, r);
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f)
    if (plex_dg_is_strong(f)) x[plex_dg_strong_before(f) * PLEX_DG_POINTS] = r[f];
  _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) {
    plex_dg_along(u, cofactors[a], k, c, r);
    _Pragma("unroll")
    for (int f = 0; f < PLEX_DG_NF; ++f)
      if (plex_dg_is_weak(f)) x[PLEX_DG_NG_ROW(f, a) * PLEX_DG_POINTS] = -PLEX_DG_HALF * r[f];
  }
}

// Step 1, points begin .. begin + POINTS - 1: numbers of point begin + i of a group's elements
PLEX_DEVICE void plex_dg_evaluate(const PlexDGArgs &args, const PlexDGCurvedArgs &curved, const PlexDGCurvedBlock &b,
                                  int group, int begin, int i)
{
  const plex_real *u                        = b.u + group * (PLEX_DG_TOGETHER * PLEX_DG_NF * PLEX_DG_SP),
                  *matrix                   = (const plex_real *)curved.evaluate + min(begin + i, PLEX_DG_NG - 1);
  plex_real v[PLEX_DG_TOGETHER][PLEX_DG_NF] = {}, dr[PLEX_DG_TOGETHER][PLEX_DIM][PLEX_DG_NF] = {};

  if (i >= PLEX_DG_POINTS) return;
  for (int j = 0; j < PLEX_DG_NP; j += 2) {
    plex_real m[2][1 + PLEX_DIM];

    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a)
      m[h][a] = matrix[(min(j + h, PLEX_DG_NP - 1) * (1 + PLEX_DIM) + a) * PLEX_DG_NG];
    _Pragma("unroll")
    for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
    for (int f = 0; f < PLEX_DG_NF; ++f) {
      const PlexDGPair value = plex_dg_pair(u + (t * PLEX_DG_NF + f) * PLEX_DG_SP + j);

      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        v[t][f] += m[h][0] * value.v[h];
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) dr[t][a][f] += m[h][1 + a] * value.v[h];
      }
    }
  }
  _Pragma("unroll")
  for (int t = 0; t < PLEX_DG_TOGETHER; ++t) {
    const int  e = group * PLEX_DG_TOGETHER + t;
    plex_real *x = b.x + e * (PLEX_DG_ROWS * PLEX_DG_POINTS) + i;

    if (begin + i >= PLEX_DG_NG) {
      for (int row = 0; row < PLEX_DG_ROWS; ++row) x[row * PLEX_DG_POINTS] = 0;
    } else if (e < b.n)
      plex_dg_point(args, curved, b.first + e, curved.index + b.first - args.begin + e, begin + i, v[t], dr[t], x);
  }
}

// sums of node i over the points that shared memory has
PLEX_DEVICE void plex_dg_redistribute(const PlexDGCurvedArgs &curved, const PlexDGCurvedBlock &b, int group, int begin,
                                      int i, plex_real (*sums)[PLEX_DG_NF])
{
  const plex_real *x      = b.x + group * (PLEX_DG_TOGETHER * PLEX_DG_ROWS * PLEX_DG_POINTS),
                  *matrix = (const plex_real *)curved.redistribute + i;

  if (i >= PLEX_DG_NP) return;
  for (int g = 0; g < PLEX_DG_POINTS; g += 2) {
    plex_real m[2][1 + PLEX_DIM];

    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) _Pragma("unroll")
    for (int a = 0; a <= PLEX_DIM; ++a)
      m[h][a] = matrix[(a * PLEX_DG_NG + min(begin + g + h, PLEX_DG_NG - 1)) * PLEX_DG_NP];
    _Pragma("unroll")
    for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
    for (int f = 0; f < PLEX_DG_NF; ++f) {
      const plex_real *at = x + t * (PLEX_DG_ROWS * PLEX_DG_POINTS) + g;

      if (plex_dg_is_strong(f)) {
        const PlexDGPair p = plex_dg_pair(at + plex_dg_strong_before(f) * PLEX_DG_POINTS);

        sums[t][f] += m[0][0] * p.v[0] + m[1][0] * p.v[1];
      }
      if (plex_dg_is_weak(f)) {
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) {
          const PlexDGPair p = plex_dg_pair(at + PLEX_DG_NG_ROW(f, a) * PLEX_DG_POINTS);

          sums[t][f] += m[0][1 + a] * p.v[0] + m[1][1 + a] * p.v[1];
        }
      }
    }
  }
}

// Traces across face f of the block's elements, nodes in the order of the elements' own
PLEX_DEVICE void plex_dg_load_traces(const PlexDGArgs &args, const PlexDGCurvedBlock &b, const plex_state *u, int f)
{
  for (int k = (int)threadIdx.x; k < b.n * PLEX_DG_NF * PLEX_DG_NFP; k += PLEX_DG_BLOCK) {
    const int          e = k / (PLEX_DG_NF * PLEX_DG_NFP), field = k / PLEX_DG_NFP % PLEX_DG_NF, m = k % PLEX_DG_NFP;
    const PlexDGAcross a     = plex_dg_across(args, b.first + e, f, PLEX_DG_NF);
    plex_real          value = 0;

    if (a.facet < 0) {
      const int turned = plex_dg_turn[a.turn][m];

      value = a.face < PLEX_DG_FACES
              ? (plex_real)
                  u[((plex_index)a.element * PLEX_DG_NF + field) * PLEX_DG_NP + plex_dg_face_nodes[a.face][turned]]
              : ((const plex_real *)a.u)[field * a.stride + turned];
    }
    b.trace[k] = value;
  }
}

// Q at point g of face f of the block's element e
PLEX_DEVICE void plex_dg_face_point(const PlexDGArgs &args, const PlexDGCurvedArgs &curved, const PlexDGCurvedBlock &b,
                                    int e, int f, int g)
{
  const int          index = curved.index + b.first - args.begin + e;
  const PlexDGAcross a     = plex_dg_across(args, b.first + e, f, PLEX_DG_NF);
  const plex_real   *psi = (const plex_real *)curved.psi + g, *own = b.u + e * (PLEX_DG_NF * PLEX_DG_SP),
                  *across = b.trace + e * (PLEX_DG_NF * PLEX_DG_NFP), *kM = PLEX_DG_COEFFICIENTS(b.first + e),
                  *c = (const plex_real *)args.constants,
                  *N = (const plex_real *)curved.normals +
                       ((plex_index)index * PLEX_DG_FACES + f) * (PLEX_DIM * PLEX_DG_MG) + g;
#ifdef PLEX_DG_GRADED
  const plex_real *K = (const plex_real *)curved.k +
                       ((plex_index)index * PLEX_DG_FACES + f) * (2 * PLEX_DG_NK * PLEX_DG_MG) + g;
#endif
  plex_real uM[PLEX_DG_NF] = {}, uP[PLEX_DG_NF] = {}, scaled[PLEX_DIM], n[PLEX_DIM], flux[PLEX_DG_NF],
            along[PLEX_DG_NF], scale            = 0;

  for (int m = 0; m < PLEX_DG_NFP; ++m) {
    const plex_real w    = psi[m * PLEX_DG_MG];
    const int       node = plex_dg_face_nodes[f][m];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] += w * own[k * PLEX_DG_SP + node];
      uP[k] += w * across[k * PLEX_DG_NFP + m];
    }
  }
  for (int d = 0; d < PLEX_DIM; ++d) {
    scaled[d] = N[d * PLEX_DG_MG];
    scale += scaled[d] * scaled[d];
  }
  scale = sqrt(scale);
  for (int d = 0; d < PLEX_DIM; ++d) n[d] = scaled[d] * (1 / scale);
  if (a.facet >= 0) {
    plex_real x[PLEX_DIM] = {};

    for (int m = 0; args.facets && m < PLEX_DG_NFP; ++m)
      for (int d = 0; d < PLEX_DIM; ++d)
        x[d] += psi[m * PLEX_DG_MG] *
                ((const plex_real *)args.facets)[((plex_index)a.facet * PLEX_DG_NFP + m) * PLEX_DIM + d];
#ifdef PLEX_DG_GRADED
    plex_real here[PLEX_DG_NK];

    for (int i = 0; i < PLEX_DG_NK; ++i) here[i] = K[i * PLEX_DG_MG];
#else
    const plex_real *here = kM;
#endif
    dg_boundary(args.kinds[a.facet], uM, n, args.facets ? x : NULL, (plex_real)args.t, here, c, uP);
  }
#ifdef PLEX_DG_GRADED
  plex_dg_graded_flux<PLEX_DG_MG>(uM, uP, n, K, kM, c, flux);
#else
  dg_face(uM, uP, n, kM, PLEX_DG_COEFFICIENTS(a.element), c, flux);
#endif
  plex_dg_along(uM, scaled, kM, c, along);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k)
    b.x[(e * PLEX_DG_NF + k) * PLEX_DG_SM + g] = scale * flux[k] + (plex_dg_is_weak(k) ? PLEX_DG_HALF * along[k] : 0);
}

// Step 2
PLEX_DEVICE void plex_dg_add_faces(const PlexDGArgs &args, const PlexDGCurvedArgs &curved, const PlexDGCurvedBlock &b,
                                   const plex_state *u, int group, int i, plex_real (*sums)[PLEX_DG_NF])
{
  const plex_real *x = b.x + group * (PLEX_DG_TOGETHER * PLEX_DG_NF * PLEX_DG_SM);

  for (int f = 0; f < PLEX_DG_FACES; ++f) {
    const plex_real *lift = (const plex_real *)curved.lift + f * (PLEX_DG_MG * PLEX_DG_NP) + i;

    plex_dg_load_traces(args, b, u, f);
    __syncthreads(); /* those before have read x, too */
    for (int k = (int)threadIdx.x; k < b.n * PLEX_DG_SM; k += PLEX_DG_BLOCK) {
      const int e = k / PLEX_DG_SM, g = k % PLEX_DG_SM;

      if (g < PLEX_DG_MG) plex_dg_face_point(args, curved, b, e, f, g);
      else
        for (int q = 0; q < PLEX_DG_NF; ++q) b.x[(e * PLEX_DG_NF + q) * PLEX_DG_SM + g] = 0;
    }
    __syncthreads();
    for (int g = 0; i < PLEX_DG_NP && g < PLEX_DG_MG; g += 2) {
      const plex_real m[2] = {lift[g * PLEX_DG_NP], lift[min(g + 1, PLEX_DG_MG - 1) * PLEX_DG_NP]};

      _Pragma("unroll")
      for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        const PlexDGPair p = plex_dg_pair(x + (t * PLEX_DG_NF + k) * PLEX_DG_SM + g);

        sums[t][k] += m[0] * p.v[0] + m[1] * p.v[1];
      }
    }
  }
}

// Step 3: r = M^-1 M_{1/J} sums, which shared memory has in the place of states
PLEX_DEVICE void plex_dg_solve(const PlexDGArgs &args, const PlexDGCurvedArgs &curved, const PlexDGCurvedBlock &b,
                               int group, int i, plex_real (*r)[PLEX_DG_NF])
{
  const plex_real *v    = b.u + group * (PLEX_DG_TOGETHER * PLEX_DG_NF * PLEX_DG_SP),
                  *back = (const plex_real *)curved.redistribute + i;
  plex_real *x          = b.x + group * (PLEX_DG_TOGETHER * PLEX_DG_NF * PLEX_DG_POINTS);

  for (int begin = 0; begin < PLEX_DG_NG; begin += PLEX_DG_POINTS) {
    if (i < PLEX_DG_POINTS) {
      const int        g                                = min(begin + i, PLEX_DG_NG - 1);
      const plex_real *matrix                           = (const plex_real *)curved.evaluate + g;
      plex_real        at[PLEX_DG_TOGETHER][PLEX_DG_NF] = {};

      for (int j = 0; j < PLEX_DG_NP; j += 2) {
        const plex_real m[2] = {matrix[j * (1 + PLEX_DIM) * PLEX_DG_NG],
                                matrix[min(j + 1, PLEX_DG_NP - 1) * (1 + PLEX_DIM) * PLEX_DG_NG]};

        _Pragma("unroll")
        for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k) {
          const PlexDGPair p = plex_dg_pair(v + (t * PLEX_DG_NF + k) * PLEX_DG_SP + j);

          at[t][k] += m[0] * p.v[0] + m[1] * p.v[1];
        }
      }
      _Pragma("unroll")
      for (int t = 0; t < PLEX_DG_TOGETHER; ++t) {
        const int        e = min(group * PLEX_DG_TOGETHER + t, b.n - 1);
        const plex_real *J = (const plex_real *)curved.J +
                             (plex_index)(curved.index + b.first - args.begin + e) * (PLEX_DG_INVERSES * PLEX_DG_NG) +
                             g;
        plex_real        w[PLEX_DG_INVERSES];

        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_INVERSES; ++k) w[k] = J[k * PLEX_DG_NG];
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DG_NF; ++k)
          x[(t * PLEX_DG_NF + k) * PLEX_DG_POINTS + i] = begin + i < PLEX_DG_NG ? w[PLEX_DG_INVERSE_OF(k)] * at[t][k]
                                                                                : 0;
      }
    }
    __syncthreads();
    for (int g = 0; i < PLEX_DG_NP && g < PLEX_DG_POINTS; g += 2) {
      const plex_real m[2] = {back[min(begin + g, PLEX_DG_NG - 1) * PLEX_DG_NP],
                              back[min(begin + g + 1, PLEX_DG_NG - 1) * PLEX_DG_NP]};

      _Pragma("unroll")
      for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) {
        const PlexDGPair p = plex_dg_pair(x + (t * PLEX_DG_NF + k) * PLEX_DG_POINTS + g);

        r[t][k] += m[0] * p.v[0] + m[1] * p.v[1];
      }
    }
    __syncthreads();
  }
}

// Terms without derivatives, then the right-hand side or the stage's update, at node i of the block's element e
PLEX_DEVICE void plex_dg_update(const PlexDGArgs &args, const PlexDGStage &stage, const PlexDGCurvedArgs &curved,
                                const PlexDGCurvedBlock &b, const plex_state *u, int e, int i, const plex_real *rates)
{
  const plex_index at = (plex_index)(b.first + e) * (PLEX_DG_NF * PLEX_DG_NP) + i;
  const plex_real *k = PLEX_DG_COEFFICIENTS(b.first + e), *c = (const plex_real *)args.constants;
  const int        index = curved.index + b.first - args.begin + e;
  plex_real        v[PLEX_DG_NF], r[PLEX_DG_NF];

  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) {
    v[f] = (plex_real)u[at + f * PLEX_DG_NP];
    r[f] = rates[f];
  }
  plex_dg_add_local(v, curved.x ? (const plex_real *)curved.x + ((plex_index)index * PLEX_DG_NP + i) * PLEX_DIM : NULL,
                    args.t, k, c, r);
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f)
    plex_dg_store(args, stage, at + f * PLEX_DG_NP, v[f], plex_dg_residual(stage, at + f * PLEX_DG_NP), r[f]);
}

extern "C" __global__ void plex_dg_curved(PlexDGArgs args, PlexDGStage stage, PlexDGCurvedArgs curved)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  const int group = (int)threadIdx.x / PLEX_DG_LANES, i = (int)threadIdx.x % PLEX_DG_LANES;
#if PLEX_DG_STAGE
  const plex_state *u = (const plex_state *)stage.u;
#else
  const plex_state *u = args.u;
#endif
  plex_real         sums[PLEX_DG_TOGETHER][PLEX_DG_NF] = {}, r[PLEX_DG_TOGETHER][PLEX_DG_NF] = {};
  PlexDGCurvedBlock b;

  b.u     = memory;
  b.trace = b.u + PLEX_DG_E * PLEX_DG_NF * PLEX_DG_SP;
  b.x     = b.trace + PLEX_DG_EVEN(PLEX_DG_E * PLEX_DG_NF * PLEX_DG_NFP);
  b.first = args.begin + (int)blockIdx.x * PLEX_DG_E;
  b.n     = min(PLEX_DG_E, args.end - b.first);
  for (int k = (int)threadIdx.x; k < PLEX_DG_E * PLEX_DG_NF * PLEX_DG_SP; k += PLEX_DG_BLOCK) {
    const int row = k / PLEX_DG_SP, j = k % PLEX_DG_SP;

    b.u[k] = row < b.n * PLEX_DG_NF && j < PLEX_DG_NP
             ? (plex_real)u[((plex_index)b.first * PLEX_DG_NF + row) * PLEX_DG_NP + j]
             : 0;
  }
  __syncthreads();
  for (int begin = 0; begin < PLEX_DG_NG; begin += PLEX_DG_POINTS) {
    plex_dg_evaluate(args, curved, b, group, begin, i);
    __syncthreads();
    plex_dg_redistribute(curved, b, group, begin, i, sums);
    __syncthreads();
  }
  plex_dg_add_faces(args, curved, b, u, group, i, sums);
  __syncthreads();
  _Pragma("unroll")
  for (int t = 0; t < PLEX_DG_TOGETHER; ++t) _Pragma("unroll")
  for (int k = 0; k < PLEX_DG_NF; ++k)
    if (i < PLEX_DG_NP) b.u[((group * PLEX_DG_TOGETHER + t) * PLEX_DG_NF + k) * PLEX_DG_SP + i] = sums[t][k];
  __syncthreads();
  plex_dg_solve(args, curved, b, group, i, r);
  _Pragma("unroll")
  for (int t = 0; t < PLEX_DG_TOGETHER; ++t) {
    const int e = group * PLEX_DG_TOGETHER + t;

    if (e < b.n && i < PLEX_DG_NP) plex_dg_update(args, stage, curved, b, u, e, i, r[t]);
  }
}
PLEX_EXPORT_KERNEL(plex_dg_curved)
