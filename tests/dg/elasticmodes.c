#include "elasticmodes.h"
#include "report.h"

/* A, B and what of the stress goes with cos(k x), sxx and syy, or sin(k x), sxy: of amplitude 1 of one potential */
typedef struct {
  PetscReal A, B, sxx, syy, sxy;
} Profile;

/* side: 1 where y > 0, -1; shear: of psi, else of phi */
static Profile GetProfile(const ElasticMedium *m, PetscReal k, PetscReal c, PetscReal side, PetscBool shear,
                          PetscReal y)
{
  const PetscReal mu = m->rho * m->cs * m->cs, lambda = m->rho * m->cp * m->cp - 2. * mu, speed = shear ? m->cs : m->cp,
                  decay = k * PetscSqrtReal(1. - c * c / (speed * speed)), e = PetscExpReal(-decay * PetscAbsReal(y));
  const PetscReal A = shear ? -side * decay * e : -k * e, B = shear ? -k * e : -side * decay * e;
  const PetscReal A_y = -side * decay * A, B_y = -side * decay * B;
  const Profile   p = {A, B, (lambda + 2. * mu) * k * A + lambda * B_y, lambda * k * A + (lambda + 2. * mu) * B_y,
                       mu * (A_y - k * B)};

  return p;
}

/* The equations at y = 0, M[n][n], of the amplitudes a[1], b[1], a[0], b[0], of fluids without b; returns n */
static PetscInt GetConditions(const ElasticMedium media[2], PetscReal k, PetscReal c, PetscReal M[4][4])
{
  PetscInt n = 0, rows = 0;

  for (PetscInt side = 1; side >= 0; --side) {
    for (PetscInt shear = 0; shear < 2 && media[side].rho > 0.; ++shear) {
      const PetscReal sign = side ? 1. : -1.;
      Profile         p;

      if (shear && media[side].cs == 0.) continue;
      p            = GetProfile(&media[side], k, c, sign, (PetscBool)shear, 0.);
      rows         = 0;
      M[rows++][n] = sign * p.syy;
      M[rows++][n] = sign * p.sxy; /* of a fluid 0 */
      if (media[0].rho > 0.) M[rows++][n] = sign * p.B;
      if (media[0].cs > 0. && media[1].cs > 0.) M[rows++][n] = sign * p.A;
      ++n;
    }
  }
  return n;
}

/* Determinant, by elimination with full pivots; x[n]: that M x is 0 where it is 0 */
static PetscReal Eliminate(PetscInt n, PetscReal M[4][4], PetscReal x[])
{
  PetscInt  order[4] = {0, 1, 2, 3};
  PetscReal det      = 1., z[4];

  for (PetscInt i = 0; i < n; ++i) {
    PetscInt p = i, q = i;

    for (PetscInt r = i; r < n; ++r)
      for (PetscInt s = i; s < n; ++s)
        if (PetscAbsReal(M[r][s]) > PetscAbsReal(M[p][q])) {
          p = r;
          q = s;
        }
    for (PetscInt s = 0; s < n; ++s) {
      const PetscReal swap = M[i][s];

      M[i][s] = M[p][s];
      M[p][s] = swap;
    }
    for (PetscInt r = 0; r < n; ++r) {
      const PetscReal swap = M[r][i];

      M[r][i] = M[r][q];
      M[r][q] = swap;
    }
    if ((p != i) != (q != i)) det = -det;
    {
      const PetscInt swap = order[i];

      order[i] = order[q];
      order[q] = swap;
    }
    det *= M[i][i];
    for (PetscInt r = i + 1; r < n && M[i][i] != 0.; ++r)
      for (PetscInt s = n - 1; s >= i; --s) M[r][s] -= M[r][i] / M[i][i] * M[i][s];
  }
  z[n - 1] = 1.;
  for (PetscInt i = n - 2; i >= 0; --i) {
    z[i] = 0.;
    for (PetscInt s = i + 1; s < n; ++s) z[i] -= M[i][s] / M[i][i] * z[s];
  }
  for (PetscInt i = 0; i < n; ++i) x[order[i]] = z[i];
  return det;
}

static PetscReal Determinant(const ElasticMedium media[2], PetscReal k, PetscReal c, PetscReal x[])
{
  PetscReal      M[4][4];
  const PetscInt n = GetConditions(media, k, c, M);

  return Eliminate(n, M, x);
}

PetscErrorCode ElasticModeInitialize(const ElasticMedium media[2], PetscReal k, ElasticMode *mode)
{
  const PetscInt steps = 1000;
  PetscReal      most = PETSC_MAX_REAL, low = 0., high = 0., below, x[4];
  PetscInt       n = 0, at;

  PetscFunctionBegin;
  for (PetscInt side = 0; side < 2; ++side) {
    mode->media[side] = media[side];
    mode->a[side] = mode->b[side] = 0.;
    if (media[side].rho > 0.) most = PetscMin(most, media[side].cs > 0. ? media[side].cs : media[side].cp);
  }
  mode->k = k;
  below   = Determinant(media, k, 0.3 * most, x);
  for (at = 1; at <= steps; ++at) {
    low  = (0.3 + 0.7 * (at - 1) / steps) * most;
    high = (0.3 + 0.7 * PetscMin(at, steps - 1e-3) / steps) * most;
    if (below * Determinant(media, k, high, x) <= 0.) break;
  }
  PetscCheck(at <= steps, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "These media have no wave along their surface");
  for (PetscInt step = 0; step < 60; ++step) {
    mode->c = (low + high) / 2.;
    if (below * Determinant(media, k, mode->c, x) <= 0.) high = mode->c;
    else low = mode->c;
  }
  (void)Determinant(media, k, mode->c, x);
  for (PetscInt side = 1; side >= 0; --side) {
    if (media[side].rho > 0.) mode->a[side] = x[n++];
    if (media[side].rho > 0. && media[side].cs > 0.) mode->b[side] = x[n++];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticModeValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const ElasticMode   *mode = (const ElasticMode *)ctx;
  const PetscInt       side = x[1] >= 0.;
  const ElasticMedium *m    = &mode->media[side];
  const PetscReal      k = mode->k, w = k * mode->c, s = PetscSinReal(k * x[0]), c = PetscCosReal(k * x[0]),
                       velocity = -w * PetscSinReal(w * t), stress = PetscCosReal(w * t);
  const PetscReal      lambda = m->rho * (m->cp * m->cp - 2. * m->cs * m->cs), mu = m->rho * m->cs * m->cs;
  PetscReal            sum[5] = {0., 0., 0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt shear = 0; shear < 2; ++shear) {
    const PetscReal amplitude = shear ? mode->b[side] : mode->a[side];
    Profile         p;

    if (amplitude == 0.) continue;
    p = GetProfile(m, k, mode->c, side ? 1. : -1., (PetscBool)shear, x[1]);
    sum[0] += amplitude * p.A * s * velocity;
    sum[1] += amplitude * p.B * c * velocity;
    sum[2] += amplitude * p.sxx * c * stress;
    sum[3] += amplitude * p.syy * c * stress;
    sum[4] += amplitude * p.sxy * s * stress;
  }
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  u[0]       = sum[0];
  u[1]       = sum[1];
  u[dim]     = sum[2];
  u[dim + 1] = sum[3];
  if (dim == 3) u[5] = lambda / (2. * (lambda + mu)) * (sum[2] + sum[3]); /* no strain along z */
  u[dim == 3 ? 6 : 4] = sum[4];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticModeMedium(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const ElasticMedium *m = &((const ElasticMode *)ctx)->media[x[1] >= 0.];

  PetscFunctionBegin;
  (void)dim;
  (void)cell;
  (void)n;
  k[0] = m->rho;
  k[1] = m->cp;
  k[2] = m->cs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticPlaneValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx)
{
  const ElasticPlane *p  = (const ElasticPlane *)ctx;
  const PetscReal     mu = p->rho * p->cs * p->cs, lambda = p->rho * p->cp * p->cp - 2. * mu;
  const PetscInt      pairs[6][2] = {
    {0,       0      },
    {1,       1      },
    {dim - 1, dim - 1},
    {0,       1      },
    {0,       2      },
    {1,       2      }
  };
  PetscReal phase = t, along = 0., wave;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim; ++k) {
    phase -= p->d[k] * x[k] / p->c;
    along += p->d[k] * p->P[k];
  }
  wave = PetscCosReal(p->w * phase);
  for (PetscInt k = 0; k < dim; ++k) u[k] = p->P[k] * wave;
  for (PetscInt k = dim; k < Nf; ++k) {
    const PetscInt *at = pairs[dim == 2 && k == 4 ? 3 : k - dim], i = at[0], j = at[1];

    u[k] = -((i == j ? lambda * along : 0.) + mu * (p->d[i] * p->P[j] + p->d[j] * p->P[i])) / p->c * wave;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ElasticPlaneInitialize(PetscInt dim, PetscBool shear, ElasticPlane *p)
{
  const ElasticPlane two[2] =
    {
      {{0.6, 0.8, 0.}, {0.6, 0.8, 0.},  1.5, 1.2, 0.7, 3., 1.2},
      {{0.6, 0.8, 0.}, {0.8, -0.6, 0.}, 1.5, 1.2, 0.7, 2., 0.7}
  },
                     three[2] = {{{2. / 3., -1. / 3., 2. / 3.}, {2. / 3., -1. / 3., 2. / 3.}, 1.5, 1.2, 0.7, 2., 1.2},
                                 {{2. / 3., -1. / 3., 2. / 3.}, {1., 0., -1.}, 1.5, 1.2, 0.7, 2., 0.7}};

  *p = dim == 2 ? two[shear] : three[shear];
}

PetscErrorCode ElasticLeavingValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                    void *ctx)
{
  const ElasticLeaving *l       = (const ElasticLeaving *)ctx;
  const PetscReal       zero[3] = {0., 0., 0.}, at = x[0] - 1. / 3.;

  PetscFunctionBegin;
  PetscCall(ElasticPlaneValues(dim, 0., zero, Nf, u, (void *)&l->plane));
  for (PetscInt k = 0; k < Nf; ++k)
    u[k] *= t == 0. ? PetscPowRealInt(at, l->N) : -l->plane.c * l->N * PetscPowRealInt(at, l->N - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticUneven(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const PetscReal phase = 7. * x[0] + 9. * x[1] + (dim == 3 ? 5. * x[2] : 0.);

  PetscFunctionBegin;
  (void)cell;
  (void)n;
  (void)ctx;
  k[0] = 1. + 0.5 * PetscSinReal(phase);
  k[1] = 1.5 + 0.4 * PetscCosReal(phase);
  k[2] = PetscSinReal(2. * phase) < -0.3 ? 0. : 0.6 + 0.2 * PetscSinReal(3. * phase);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticDistribute(DM *dm)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticCreate(DM dm, const char backend[], PetscInt N, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "elastic"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticGetError(PlexDG dg, PetscReal T, PlexDGFn *func, void *ctx, Vec U, PetscReal *error)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeL2Error(dg, T, func, ctx, U, error));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, T, func, ctx, U, &norm));
  *error /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ElasticReportRate(const char of[], PetscInt N, const PetscReal error[2])
{
  const PetscReal rate = PetscLog2Real(error[0] / error[1]);

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - (N + 1)) < 0.4), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}
