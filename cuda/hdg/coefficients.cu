// kappa, lambda, tau and convection's numbers of a hybridized DG method by pointwise functions, which the text before this
// file defines: PLEX_HDG_COEFFICIENTS(args, x, f) f[DIM DIM + 1], kappa and lambda at the center of an element;
// PLEX_HDG_KAPPA(args, x, u, f) and PLEX_HDG_KAPPA_SLOPE f[DIM DIM], at points; PLEX_HDG_VELOCITY(args, x, f) f[DIM]. The
// formulas are those of src/hdg/coefficients.c and flow.c, which call the same functions on the host.
#include "points.cuh"

// A number of K changed
PLEX_DEVICE void plex_hdg_changed(PlexHDGFound *found, bool changed)
{
  if (changed && !*(volatile int *)&found->changed) atomicMax(&found->changed, 1);
}

// Whether kappa[DIM][DIM] is symmetric and has positive pivots
PLEX_DEVICE bool plex_hdg_positive(const double *kappa)
{
  double a[PLEX_DIM * PLEX_DIM], size = 0;
  bool   good = true;

  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) {
    a[k] = kappa[k];
    size = fmax(size, fabs(a[k]));
    good = good && isfinite(a[k]);
  }
  for (int i = 0; i < PLEX_DIM; ++i)
    for (int j = 0; j < i; ++j) good = good && fabs(a[i * PLEX_DIM + j] - a[j * PLEX_DIM + i]) <= 1e-12 * size;
  for (int k = 0; k < PLEX_DIM; ++k) {
    good = good && a[k * PLEX_DIM + k] > 2.2204460492503131e-16 * size;
    for (int i = k + 1; i < PLEX_DIM; ++i)
      for (int j = k + 1; j < PLEX_DIM; ++j)
        a[i * PLEX_DIM + j] -= a[i * PLEX_DIM + k] * a[k * PLEX_DIM + j] / a[k * PLEX_DIM + k];
  }
  return good;
}

PLEX_DEVICE bool plex_hdg_still(const double *kappa)
{
  bool zero = true;

  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) zero = zero && kappa[k] == 0;
  return zero;
}

// tau[FACES] by default, of kappa and lambda of an element
PLEX_DEVICE void plex_hdg_default_tau(const PlexHDGPointsArgs &args, const double *nodes, const double *kappa,
                                      double lambda, double *tau)
{
  double x[3], J[PLEX_DIM][PLEX_DIM], C[PLEX_DIM][PLEX_DIM], volume;

  plex_hdg_map(nodes, args.centers, args.shapeCenters, args.dshapeCenters, 0, x, J);
  volume = plex_hdg_cofactors(J, C) * PLEX_HDG_VOLUME;
  for (int f = 0; f < PLEX_HDG_FACES; ++f) {
    double n[PLEX_DIM], length = 0, height, kn = 0, inverse = 6 / args.length;

    plex_hdg_map(nodes, args.centers, args.shapeCenters, args.dshapeCenters, f + 1, x, J);
    (void)plex_hdg_cofactors(J, C);
    for (int d = 0; d < PLEX_DIM; ++d) {
      n[d] = 0;
      for (int a = 0; a < PLEX_DIM; ++a) n[d] += C[a][d] * plex_hdg_normals[f][a];
      length += n[d] * n[d];
    }
    length = sqrt(length);
    height = (PLEX_HDG_FACES == PLEX_DIM + 1 ? PLEX_DIM : 1) * volume / (length * PLEX_HDG_AREA);
    for (int d = 0; d < PLEX_DIM; ++d)
      for (int k = 0; k < PLEX_DIM; ++k) kn += n[d] / length * kappa[d * PLEX_DIM + k] * (n[k] / length);
    if (lambda > 0) inverse += 0.1 / fmax(sqrt(kn / lambda), 2 * height / PLEX_HDG_DEGREE);
    if (lambda < 0) inverse = fmax(inverse, sqrt(-lambda / kn));
    tau[f] = args.factor * (kn == 0 ? 0.01 * args.speed : kn * inverse);
  }
}

// A thread an element
extern "C" __global__ void plex_hdg_coefficients(PlexHDGPointsArgs args)
{
  const int e    = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  bool      good = true, changed = false;

  if (e >= args.Ne) return;
  const double *nodes = args.x + (plex_index)e * PLEX_HDG_NODES;
  PetscScalar   f[PLEX_DIM * PLEX_DIM + 1]; // kappa, lambda

  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) f[k] = k % (PLEX_DIM + 1) ? 0 : args.kappa0;
  f[PLEX_DIM * PLEX_DIM] = args.reaction0;
#ifdef PLEX_HDG_COEFFICIENTS
  double x[3] = {}, J[PLEX_DIM][PLEX_DIM];

  plex_hdg_map(nodes, args.centers, args.shapeCenters, args.dshapeCenters, 0, x, J);
  PLEX_HDG_COEFFICIENTS(args, x, f);
  for (int k = 0; args.todo & PLEX_HDG_KAPPA_FORCED && k < PLEX_DIM * PLEX_DIM; ++k)
    f[k] = k % (PLEX_DIM + 1) ? 0 : args.kappa0;
  if (args.todo & PLEX_HDG_LAMBDA_FORCED) f[PLEX_DIM * PLEX_DIM] = args.reaction0;
#endif
  const double lambda = f[PLEX_DIM * PLEX_DIM];

  good = isfinite(lambda) && (plex_hdg_positive(f) || (args.todo & PLEX_HDG_ZERO_ALLOWED && plex_hdg_still(f)));
  if (lambda != 0) args.found->reacts = 1;
  if (lambda < 0) args.found->negative = 1;
  if (args.todo & PLEX_HDG_TODO_VALUES) {
    for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k)
      changed = plex_hdg_renew(&args.kappa[(plex_index)e * PLEX_DIM * PLEX_DIM + k], f[k]) || changed;
    changed = plex_hdg_renew(&args.reaction[e], lambda) || changed;
  }
  if (args.todo & PLEX_HDG_TODO_TAU) {
    double tau[PLEX_HDG_FACES];

#ifdef PLEX_HDG_KAPPA
    for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) { // the mean over the points
      f[k] = 0;
      for (int q = 0; q < PLEX_HDG_NQ; ++q)
        f[k] += args.kappaq[((plex_index)e * PLEX_HDG_NQ + q) * PLEX_DIM * PLEX_DIM + k] / PLEX_HDG_NQ;
    }
#endif
    plex_hdg_default_tau(args, nodes, f, lambda, tau);
    for (int k = 0; k < PLEX_HDG_FACES; ++k) {
      double      *own = &args.tau[(plex_index)e * PLEX_HDG_FACES + k];
      const double v   = args.todo & PLEX_HDG_TAU_FORCED ? args.tau0 : tau[k];

      good = good && v > 0 && isfinite(v);
      if (v > 0) plex_hdg_least(&args.found->tauLeast, v);
      if (v > 0) plex_hdg_most(&args.found->tauMost, v);
      if (args.todo & PLEX_HDG_TODO_FOLLOW && v <= 2 * *own && *own <= 2 * v) continue;
      changed = plex_hdg_renew(own, v) || changed;
    }
  }
  if (!good) atomicMax(&args.found->bad, e);
  plex_hdg_changed(args.found, changed);
}
PLEX_EXPORT_KERNEL(plex_hdg_coefficients)

#ifdef PLEX_HDG_KAPPA
// kappa at a point where u has its value, its inverse, and of that the derivative by u, -kappa^-1 (d kappa/du) kappa^-1: a
// thread a point
extern "C" __global__ void plex_hdg_kappa(PlexHDGPointsArgs args)
{
  const plex_index s = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;
  const int        e = (int)(s / PLEX_HDG_NQ), q = (int)(s % PLEX_HDG_NQ), size = PLEX_DIM * PLEX_DIM;
  bool             changed = false;

  if (e >= args.Ne) return;
  double      x[3] = {}, J[PLEX_DIM][PLEX_DIM], C[PLEX_DIM][PLEX_DIM], det;
  PetscScalar u[1] = {0}, f[PLEX_DIM * PLEX_DIM] = {};

  plex_hdg_map(args.x + (plex_index)e * PLEX_HDG_NODES, args.points, args.shape, args.dshape, q, x, J);
  for (int i = 0; args.u && i < PLEX_HDG_NP; ++i)
    u[0] += args.phi[q * PLEX_HDG_NP + i] * args.u[(plex_index)e * PLEX_HDG_NP + i];
  PLEX_HDG_KAPPA(args, x, u, f);
  if (!plex_hdg_positive(f)) atomicMax(&args.found->bad, e);
  for (int d = 0; d < PLEX_DIM; ++d)
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = f[d * PLEX_DIM + a];
  det = plex_hdg_cofactors(J, C);
  for (int k = 0; k < size; ++k) {
    changed = plex_hdg_renew(&args.kappaq[s * size + k], f[k]) || changed;
    C[k / PLEX_DIM][k % PLEX_DIM] /= det;
    args.kinv[s * size + k] = C[k / PLEX_DIM][k % PLEX_DIM];
  }
  #ifdef PLEX_HDG_KAPPA_SLOPE
  if (args.dkinv) {
    PetscScalar g[PLEX_DIM * PLEX_DIM] = {};

    PLEX_HDG_KAPPA_SLOPE(args, x, u, g);
    for (int i = 0; i < PLEX_DIM; ++i) {
      for (int j = 0; j < PLEX_DIM; ++j) {
        double sum = 0;

        for (int k = 0; k < PLEX_DIM; ++k)
          for (int l = 0; l < PLEX_DIM; ++l) sum -= C[i][k] * g[k * PLEX_DIM + l] * C[l][j];
        args.dkinv[s * size + i * PLEX_DIM + j] = sum;
      }
    }
  }
  #endif
  plex_hdg_changed(args.found, changed);
}
PLEX_EXPORT_KERNEL(plex_hdg_kappa)
#endif

#ifdef PLEX_HDG_VELOCITY
  #define PLEX_HDG_FLOW_POINTS (PLEX_HDG_NQ + PLEX_HDG_FACES * PLEX_HDG_NQF)

// Convection at a point of an element or a face, src/hdg/flow.c: a thread a point
extern "C" __global__ void plex_hdg_flow(PlexHDGPointsArgs args)
{
  const plex_index s = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;
  const int        e = (int)(s / PLEX_HDG_FLOW_POINTS), q = (int)(s % PLEX_HDG_FLOW_POINTS), k = q - PLEX_HDG_NQ,
                   f       = k / PLEX_HDG_NQF;
  bool             changed = false;

  if (e >= args.Ne) return;
  const double *nodes = args.x + (plex_index)e * PLEX_HDG_NODES;
  double        x[3] = {}, J[PLEX_DIM][PLEX_DIM], C[PLEX_DIM][PLEX_DIM], square = 0, b = 0, area = 0, up, c[4];
  PetscScalar   beta[PLEX_DIM] = {};

  if (k < 0) plex_hdg_map(nodes, args.points, args.shape, args.dshape, q, x, J);
  else plex_hdg_map(nodes, args.pointsFace, args.shapeFace, args.dshapeFace, k, x, J);
  (void)plex_hdg_cofactors(J, C);
  PLEX_HDG_VELOCITY(args, x, beta);
  for (int d = 0; d < PLEX_DIM; ++d) square += beta[d] * beta[d];
  if (!isfinite(square)) atomicMax(&args.found->bad, e);
  else plex_hdg_most(&args.found->speed, square);
  if (k < 0) {
    for (int a = 0; a < PLEX_DIM; ++a) {
      double sum = 0;

      for (int d = 0; d < PLEX_DIM; ++d) sum += args.weights[q] * C[a][d] * beta[d];
      changed = plex_hdg_renew(&args.flow[((plex_index)e * PLEX_HDG_NQ + q) * PLEX_DIM + a], sum) || changed;
    }
    plex_hdg_changed(args.found, changed);
    return;
  }
  for (int d = 0; d < PLEX_DIM; ++d) {
    double n = 0;

    for (int a = 0; a < PLEX_DIM; ++a) n += C[a][d] * plex_hdg_normals[f][a];
    b += n * beta[d];
    area += n * n;
  }
  const bool outer = args.outer[e * PLEX_HDG_FACES + f];

  if (outer && isfinite(b)) plex_hdg_most(&args.found->through, fabs(b) / sqrt(area));
  b *= args.weightsFace[k % PLEX_HDG_NQF];
  up = fmax(b, 0.);
  #if PLEX_HDG_CONVECTION == 1
  c[0] = c[1] = up - b;
  c[2] = c[3] = up;
  #else
  c[0] = c[2] = up;
  c[1]        = up - b;
  c[3]        = outer ? up : up - b;
  #endif
  for (int m = 0; m < 4; ++m)
    changed = plex_hdg_renew(&args.flowFace[((plex_index)e * PLEX_HDG_FACES * PLEX_HDG_NQF + k) * 4 + m], c[m]) ||
              changed;
  plex_hdg_changed(args.found, changed);
}
PLEX_EXPORT_KERNEL(plex_hdg_flow)
#endif
