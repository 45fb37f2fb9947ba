// DG with quadrature by the eleven kernels of Henry de Frahan (2011), chapter 4, with arrays in global memory between
// them. A step is a loop over its results, a thread a result (an output number, or all fields of a point); collocation
// and redistribution are products with the matrices of the reference element, by plex_dg_gemm() or a library.
//
// Bytes of an element in double precision, s = 8, beside its share of faces, FACES/2 of them: collocation reads s NF NP
// and writes s NF NG; evaluation reads that and writes (DIM + 1) as much, the Jacobians read and write (DIM + 1) of it
// again, redistribution reads it and writes s NF NP, which mapping, solving read and write. So at NP about NG each
// number moves some 15 times, where the fused kernel moves it twice.
#include "quadrature.cuh"

#define PLEX_DG_FOR(i, n) \
  for (plex_index i = (plex_index)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
       i += (plex_index)gridDim.x * blockDim.x)

// Traces at the nodes of each face, both sides in the order of the left one
extern "C" __global__ void plex_dg_map_to_face(PlexDGArgs args, PlexDGFaceArgs faces)
{
  plex_real *UF = (plex_real *)faces.UF;

  PLEX_DG_FOR(i, (plex_index)(faces.lastFace - faces.firstFace) * PLEX_DG_NF * PLEX_DG_NFP)
  {
    const int t = faces.firstFace + (int)(i / (PLEX_DG_NF * PLEX_DG_NFP)), k = (int)(i / PLEX_DG_NFP % PLEX_DG_NF),
              m    = (int)(i % PLEX_DG_NFP);
    const int left = faces.left[t], e = left / PLEX_DG_FACES, f = left % PLEX_DG_FACES;
    const PlexDGAcross a  = plex_dg_across(args, e, f, PLEX_DG_NF);
    const plex_index   at = ((plex_index)t * 2 * PLEX_DG_NF + k) * PLEX_DG_NFP + m;
    const plex_real own   = (plex_real)args.u[((plex_index)e * PLEX_DG_NF + k) * PLEX_DG_NP + plex_dg_face_nodes[f][m]];
    const int       turned = plex_dg_turn[a.turn][m];

    UF[at]                            = own;
    UF[at + PLEX_DG_NF * PLEX_DG_NFP] = a.facet >= 0
                                        ? own
                                        : a.get(k * a.stride +
                                                (a.face < PLEX_DG_FACES ? plex_dg_face_nodes[a.face][turned] : turned));
  }
}
PLEX_EXPORT_KERNEL(plex_dg_map_to_face)

// s and f of equations 2.11, 2.12 at a point: f[d] along the coordinates
extern "C" __global__ void plex_dg_evaluate_sf(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(args.end - args.begin) * PLEX_DG_NG)
  {
    const int        e = args.begin + (int)(i / PLEX_DG_NG), g = (int)(i % PLEX_DG_NG);
    const plex_real *U = (const plex_real *)faces.Ug + (plex_index)e * PLEX_DG_NF * PLEX_DG_NG + g;
    plex_real       *f = (plex_real *)faces.f + (plex_index)e * PLEX_DG_NF * PLEX_DIM * PLEX_DG_NG + g;
    plex_real        u[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

    for (int k = 0; k < PLEX_DG_NF; ++k) u[k] = U[k * PLEX_DG_NG];
    plex_dg_point_flux(args, points, e, g, u, PLEX_DG_CONSTANTS, F);
    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (int d = 0; d < PLEX_DIM; ++d) f[(k * PLEX_DIM + d) * PLEX_DG_NG] = F[d][k];
#if PLEX_DG_SOURCES
    plex_real  value[PLEX_DG_NF];
    plex_real *s = (plex_real *)faces.s + (plex_index)e * PLEX_DG_NF * PLEX_DG_NG + g;

    plex_dg_sources(args, points, e, g, u, PLEX_DG_CONSTANTS, value);
    for (int k = 0; k < PLEX_DG_NF; ++k) s[k * PLEX_DG_NG] = value[k];
#endif
  }
}
PLEX_EXPORT_KERNEL(plex_dg_evaluate_sf)

// Equations 2.13 and 2.14, in place
extern "C" __global__ void plex_dg_jacobian_sf(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(args.end - args.begin) * PLEX_DG_NG)
  {
    const int  e = args.begin + (int)(i / PLEX_DG_NG), g = (int)(i % PLEX_DG_NG);
    plex_real *f = (plex_real *)faces.f + (plex_index)e * PLEX_DG_NF * PLEX_DIM * PLEX_DG_NG + g,
              F[PLEX_DIM][PLEX_DG_NF], G[PLEX_DIM][PLEX_DG_NF];

    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (int d = 0; d < PLEX_DIM; ++d) F[d][k] = f[(k * PLEX_DIM + d) * PLEX_DG_NG];
    plex_dg_to_reference_fluxes(plex_dg_cofactors(points, e, g), F, G);
    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (int a = 0; a < PLEX_DIM; ++a) f[(k * PLEX_DIM + a) * PLEX_DG_NG] = G[a][k];
#if PLEX_DG_SOURCES
    for (int k = 0; k < PLEX_DG_NF; ++k)
      ((plex_real *)faces.s)[((plex_index)e * PLEX_DG_NF + k) * PLEX_DG_NG + g] *= plex_dg_determinant(points, e, g);
#endif
  }
}
PLEX_EXPORT_KERNEL(plex_dg_jacobian_sf)

// Equation 2.18 at a point of a face
extern "C" __global__ void plex_dg_evaluate_q(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(faces.lastFace - faces.firstFace) * PLEX_DG_MG)
  {
    const int          t = faces.firstFace + (int)(i / PLEX_DG_MG), g = (int)(i % PLEX_DG_MG), left = faces.left[t],
                       e = left / PLEX_DG_FACES;
    const PlexDGAcross a = plex_dg_across(args, e, left % PLEX_DG_FACES, PLEX_DG_NF);
    const plex_real   *U = (const plex_real *)faces.UFg + (plex_index)t * 2 * PLEX_DG_NF * PLEX_DG_MG + g;
    plex_real          uM[PLEX_DG_NF], uP[PLEX_DG_NF], n[PLEX_DIM], q[PLEX_DG_NF];

    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] = U[k * PLEX_DG_MG];
      uP[k] = U[(PLEX_DG_NF + k) * PLEX_DG_MG];
    }
    plex_dg_point_normal(points, left, g, n);
    plex_dg_numerical_flux(args, points, left, e, a.element, a.facet, g, n, PLEX_DG_CONSTANTS, uM, uP, q);
    for (int k = 0; k < PLEX_DG_NF; ++k)
      ((plex_real *)faces.q)[((plex_index)t * PLEX_DG_NF + k) * PLEX_DG_MG + g] = q[k];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_evaluate_q)

// Equation 2.19, in place. Affine elements divide by their det J, which both sides of a face do when it is mapped to
// them
extern "C" __global__ void plex_dg_jacobian_q(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(faces.lastFace - faces.firstFace) * PLEX_DG_NF * PLEX_DG_MG)
  {
    const int       t = faces.firstFace + (int)(i / (PLEX_DG_NF * PLEX_DG_MG)), g = (int)(i % PLEX_DG_MG);
    plex_real       n[PLEX_DIM];
    const plex_real scale = PLEX_DG_AFFINE ? (plex_real)1 : plex_dg_point_normal(points, faces.left[t], g, n);

    ((plex_real *)faces.q)[(plex_index)faces.firstFace * PLEX_DG_NF * PLEX_DG_MG + i] *= scale;
  }
}
PLEX_EXPORT_KERNEL(plex_dg_jacobian_q)

// The fluxes of an element's faces, from its sums: a thread a node, all its faces
extern "C" __global__ void plex_dg_map_to_element(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(args.end - args.begin) * PLEX_DG_NP)
  {
    const int  e = args.begin + (int)(i / PLEX_DG_NP), node = (int)(i % PLEX_DG_NP);
    plex_real *B = (plex_real *)faces.B + (plex_index)e * PLEX_DG_NF * PLEX_DG_NP + node;

    for (int f = 0; f < PLEX_DG_FACES; ++f) {
      for (int m = 0; m < PLEX_DG_NFP; ++m) {
        if (plex_dg_face_nodes[f][m] != node) continue;
        const plex_index trace = (plex_index)e * PLEX_DG_FACES + f;
        const int        face = faces.face[trace], right = face % 2,
                         at = right ? plex_dg_turn[args.links[trace] % PLEX_DG_TURNS][m] : m;
        plex_real        n[PLEX_DIM], scale = PLEX_DG_AFFINE ? plex_dg_point_normal(points, trace, 0, n) : (plex_real)1;

        if (right) scale = -scale;
        for (int k = 0; k < PLEX_DG_NF; ++k)
          B[k * PLEX_DG_NP] -= scale * ((const plex_real *)
                                          faces.Q)[((plex_index)(face / 2) * PLEX_DG_NF + k) * PLEX_DG_NFP + at];
      }
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_map_to_element)

// Equation 2.23: a thread a node, all fields
extern "C" __global__ void plex_dg_solve(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  PLEX_DG_FOR(i, (plex_index)(args.end - args.begin) * PLEX_DG_NP)
  {
    const int        e = args.begin + (int)(i / PLEX_DG_NP), node = (int)(i % PLEX_DG_NP);
    const plex_real *B      = (const plex_real *)faces.B + (plex_index)e * PLEX_DG_NF * PLEX_DG_NP,
                    *Minv   = (const plex_real *)points.Minv +
                              (PLEX_DG_AFFINE ? 0 : (plex_index)e * (PLEX_DG_NP * PLEX_DG_NP));
    plex_real r[PLEX_DG_NF] = {};

    for (int j = 0; j < PLEX_DG_NP; ++j) {
      const plex_real inverse = Minv[j * PLEX_DG_NP + node];

      for (int k = 0; k < PLEX_DG_NF; ++k) r[k] += inverse * B[k * PLEX_DG_NP + j];
    }
    for (int k = 0; k < PLEX_DG_NF; ++k) args.r[((plex_index)e * PLEX_DG_NF + k) * PLEX_DG_NP + node] = r[k];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_solve)

#if PLEX_DG_ENERGY
// The correction of energy: a thread an element. It reads its state, its rates, and both sides of its faces, and writes
// its rates: 8 NF (3 NP + 3 FACES MG) bytes, and geometry
extern "C" __global__ void plex_dg_correct(PlexDGArgs args, PlexDGPointArgs points, PlexDGFaceArgs faces)
{
  const plex_real *c = PLEX_DG_CONSTANTS;

  PLEX_DG_FOR(i, (plex_index)(args.end - args.begin))
  {
    const int        e        = args.begin + (int)i;
    const plex_index at       = (plex_index)e * (PLEX_DG_NF * PLEX_DG_NP);
    plex_real        crossing = 0, u[PLEX_DG_NF * PLEX_DG_NP], r[PLEX_DG_NF * PLEX_DG_NP];

    for (int f = 0; f < PLEX_DG_FACES; ++f) {
      const plex_index   trace = (plex_index)e * PLEX_DG_FACES + f;
      const int          face = faces.face[trace], t = face / 2, left = faces.left[t], owner = left / PLEX_DG_FACES;
      const PlexDGAcross a = plex_dg_across(args, owner, left % PLEX_DG_FACES, PLEX_DG_NF);

      for (int g = 0; g < PLEX_DG_MG; ++g) {
        const plex_real *U = (const plex_real *)faces.UFg + (plex_index)t * 2 * PLEX_DG_NF * PLEX_DG_MG + g;
        plex_real        uM[PLEX_DG_NF], uP[PLEX_DG_NF], n[PLEX_DIM], q[PLEX_DG_NF], scale;

        for (int k = 0; k < PLEX_DG_NF; ++k) {
          uM[k] = U[k * PLEX_DG_MG];
          uP[k] = U[(PLEX_DG_NF + k) * PLEX_DG_MG];
        }
        scale = plex_dg_point_normal(points, PLEX_DG_AFFINE ? trace : (plex_index)left, g, n);
        if (PLEX_DG_AFFINE) plex_dg_point_normal(points, left, g, n);
        if (face % 2) scale = -scale;
        crossing += scale * plex_dg_energy_face_weight(points, g) *
                    plex_dg_numerical_flux(args, points, left, owner, a.element, a.facet, g, n, c, uM, uP, q);
      }
    }
    for (int k = 0; k < PLEX_DG_NF * PLEX_DG_NP; ++k) {
      u[k] = (plex_real)args.u[at + k];
      r[k] = (plex_real)args.r[at + k];
    }
    plex_dg_energy_correct(points, e, crossing, c, u, r);
    for (int k = 0; k < PLEX_DG_NF * PLEX_DG_NP; ++k) args.r[at + k] = r[k];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_correct)
#endif

// R[columns][rows] = W X (+ R where `add`), W[inner][rows], X[columns][inner], `stride` numbers from one column to the
// next: the products of collocation and redistribution. X may be the state, whose numbers are double. A block has
// PLEX_DG_GEMM_COLUMNS columns, a thread four of them in a row, with X in shared memory.
#define PLEX_DG_GEMM_COLUMNS 16
template <typename T>
PLEX_DEVICE void plex_dg_multiply(const plex_real *W, const T *X, plex_real *R, int rows, int inner, int stride,
                                  plex_index columns, int add)
{
  PLEX_DYNAMIC_SHARED(plex_real, x); // [PLEX_DG_GEMM_COLUMNS][inner]

  for (plex_index first = (plex_index)blockIdx.x * PLEX_DG_GEMM_COLUMNS; first < columns;
       first += (plex_index)gridDim.x * PLEX_DG_GEMM_COLUMNS) {
    const int count = (int)(columns - first < PLEX_DG_GEMM_COLUMNS ? columns - first : PLEX_DG_GEMM_COLUMNS);

    __syncthreads();
    for (int k = (int)threadIdx.x; k < PLEX_DG_GEMM_COLUMNS * inner; k += (int)blockDim.x)
      x[k] = k < count * inner ? (plex_real)X[(first + k / inner) * stride + k % inner] : (plex_real)0;
    __syncthreads();
    for (int k = (int)threadIdx.x; k < rows * (PLEX_DG_GEMM_COLUMNS / 4); k += (int)blockDim.x) {
      const int        row = k % rows, c = k / rows * 4;
      const plex_real *at     = x + c * inner;
      plex_real        sum[4] = {};

      for (int j = 0; j < inner; ++j) {
        const plex_real w = W[(plex_index)j * rows + row];

        _Pragma("unroll")
        for (int v = 0; v < 4; ++v) sum[v] += w * at[v * inner + j];
      }
      _Pragma("unroll")
      for (int v = 0; v < 4; ++v)
        if (c + v < count) {
          plex_real *to = R + (first + c + v) * rows + row;

          *to = add ? *to + sum[v] : sum[v];
        }
    }
  }
}

extern "C" __global__ void plex_dg_gemm(const plex_real *W, const plex_real *X, plex_real *R, int rows, int inner,
                                        int stride, plex_index columns, int add)
{
  plex_dg_multiply(W, X, R, rows, inner, stride, columns, add);
}
PLEX_EXPORT_KERNEL(plex_dg_gemm)

extern "C" __global__ void plex_dg_gemm_state(const plex_real *W, const double *X, plex_real *R, int rows, int inner,
                                              int stride, plex_index columns, int add)
{
  plex_dg_multiply(W, X, R, rows, inner, stride, columns, add);
}
PLEX_EXPORT_KERNEL(plex_dg_gemm_state)
