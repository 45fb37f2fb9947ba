static char help[] = "Reference elements of the nodal DG method: nodes, derivatives, masses, lift.\n\n";

#include <plexgpu/private/dgimpl.h>
#include "report.h"

/* A polynomial of degree N on the reference element, with all monomials x^a y^b z^c, and its derivatives; c is a number
   that varies its coefficients */
static PetscReal Polynomial(PetscInt dim, PetscInt N, const PetscReal x[], PetscInt derivative)
{
  PetscReal sum = 0.;

  for (PetscInt a = 0; a <= N; ++a) {
    for (PetscInt b = 0; b <= N - a; ++b) {
      for (PetscInt c = 0; c <= (dim > 2 ? N - a - b : 0); ++c) {
        const PetscInt e[3] = {a, b, c};
        PetscReal      term = PetscCosReal(1. + a + 2. * b + 3. * c) / (1. + a + b + c);

        for (PetscInt d = 0; d < dim; ++d) {
          if (d == derivative) term *= e[d] ? e[d] * PetscPowRealInt(x[d], (int)e[d] - 1) : 0.;
          else term *= PetscPowRealInt(x[d], (int)e[d]);
        }
        sum += term;
      }
    }
  }
  return sum;
}

/* Of the largest derivative */
static PetscReal TestDerivatives(PlexDGReference R)
{
  PetscReal most = 0., largest = 0.;

  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt i = 0; i < R->Np; ++i) {
      PetscReal sum = 0.;

      for (PetscInt j = 0; j < R->Np; ++j)
        sum += R->D[(a * R->Np + i) * R->Np + j] * Polynomial(R->dim, R->N, &R->r[j * R->dim], -1);
      most    = PetscMax(most, PetscAbsReal(sum - Polynomial(R->dim, R->N, &R->r[i * R->dim], a)));
      largest = PetscMax(largest, PetscAbsReal(sum));
    }
  }
  return most / largest;
}

/* Permuted vertices: each node has to lie where another one does */
static PetscReal TestSymmetry(PlexDGReference R)
{
  const PetscInt nv   = R->dim + 1;
  PetscReal      most = 0.;

  for (PetscInt s = 0; s < nv; ++s) {
    for (PetscInt t = 0; t < s; ++t) {
      for (PetscInt i = 0; i < R->Np; ++i) {
        PetscReal least = PETSC_MAX_REAL;

        for (PetscInt j = 0; j < R->Np; ++j) {
          PetscReal far = 0.;

          for (PetscInt v = 0; v < nv; ++v)
            far = PetscMax(far, PetscAbsReal(R->lambda[i * nv + v] - R->lambda[j * nv + (v == s   ? t
                                                                                         : v == t ? s
                                                                                                  : v)]));
          least = PetscMin(least, far);
        }
        most = PetscMax(most, least);
      }
    }
  }
  return most;
}

/* The mass matrix against a quadrature of degree 2N, and the lift against a quadrature of the faces: M L g = sum of the
   faces' integrals of l_i g, g on each face another polynomial of degree N */
static PetscErrorCode TestIntegrals(PlexDGReference R, PetscReal *mass, PetscReal *lift)
{
  const PetscInt   dim = R->dim, Np = R->Np, Nfp = R->Nfp;
  PetscQuadrature  volume, face;
  const PetscReal *points, *weights;
  PetscReal       *B, *g, *Lg, *rhs, *on;
  PetscInt         Nq;

  PetscFunctionBegin;
  *mass = *lift = 0.;
  PetscCall(PetscDTStroudConicalQuadrature(dim, 1, R->N + 1, -1., 1., &volume));
  PetscCall(PetscDTStroudConicalQuadrature(dim - 1, 1, R->N + 1, -1., 1., &face));
  PetscCall(PetscQuadratureGetData(volume, NULL, NULL, &Nq, &points, &weights));
  PetscCall(PetscMalloc5(Nq * Np, &B, R->faces * Nfp, &g, Np, &Lg, Np, &rhs, Nq * dim, &on));
  PetscCall(PlexDGReferenceInterpolate(R, Nq, points, B));
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal sum = 0.;

      for (PetscInt q = 0; q < Nq; ++q) sum += weights[q] * B[q * Np + i] * B[q * Np + j];
      *mass = PetscMax(*mass, PetscAbsReal(sum - R->M[i * Np + j]));
    }
  }
  PetscCall(PetscArrayzero(rhs, Np));
  PetscCall(PetscQuadratureGetData(face, NULL, NULL, &Nq, &points, &weights));
  for (PetscInt f = 0; f < R->faces; ++f) {
    PetscInt vertices[3], n = 0;

    for (PetscInt v = 0; v <= dim; ++v)
      if (v != (f < dim ? f + 1 : 0)) vertices[n++] = v;
    for (PetscInt q = 0; q < Nq; ++q) {
      PetscReal lambda[4] = {0., 0., 0., 0.}, first = 1.;

      for (PetscInt a = 0; a < dim - 1; ++a) first -= lambda[vertices[a + 1]] = 0.5 * (1. + points[q * (dim - 1) + a]);
      lambda[vertices[0]] = first;
      for (PetscInt a = 0; a < dim; ++a) on[q * dim + a] = 2. * lambda[a + 1] - 1.;
    }
    PetscCall(PlexDGReferenceInterpolate(R, Nq, on, B));
    for (PetscInt q = 0; q < Nq; ++q)
      for (PetscInt i = 0; i < Np; ++i)
        rhs[i] += weights[q] * B[q * Np + i] * (1. + f) * Polynomial(dim, R->N, &on[q * dim], -1);
    for (PetscInt m = 0; m < Nfp; ++m)
      g[f * Nfp + m] = (1. + f) * Polynomial(dim, R->N, &R->r[R->faceNodes[f * Nfp + m] * dim], -1);
  }
  for (PetscInt i = 0; i < Np; ++i) {
    Lg[i] = 0.;
    for (PetscInt m = 0; m < R->faces * Nfp; ++m) Lg[i] += R->L[i * R->faces * Nfp + m] * g[m];
  }
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal sum = 0.;

    for (PetscInt j = 0; j < Np; ++j) sum += R->M[i * Np + j] * Lg[j];
    *lift = PetscMax(*lift, PetscAbsReal(sum - rhs[i]));
  }
  PetscCall(PetscFree5(B, g, Lg, rhs, on));
  PetscCall(PetscQuadratureDestroy(&volume));
  PetscCall(PetscQuadratureDestroy(&face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lebesgue constants of these nodes: 1, 5/3 and 2 where they are equidistant. The others were computed from coordinates
   in an equilateral simplex, as Hesthaven and Warburton (2007) construct them, in the Bernstein basis, with a search
   from the 40 best points of a grid of 150 (44) steps an edge. */
static const PetscReal lebesgue[2][PLEX_DG_MAX_DEGREE] = {
  {1., 5. / 3., 2.1125, 2.6622, 3.1212, 3.7020, 4.2748, 4.9630,  5.7365 },
  {1., 2.,      2.9328, 4.0742, 5.3170, 7.0095, 9.2103, 12.5361, 17.0228}
};

/* Sums of |l_j| at n points */
static PetscErrorCode LebesgueFunction(PlexDGReference R, PetscInt n, const PetscReal points[], PetscReal sums[])
{
  PetscReal *B;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * R->Np, &B));
  PetscCall(PlexDGReferenceInterpolate(R, n, points, B));
  for (PetscInt q = 0; q < n; ++q) {
    sums[q] = 0.;
    for (PetscInt j = 0; j < R->Np; ++j) sums[q] += PetscAbsReal(B[q * R->Np + j]);
  }
  PetscCall(PetscFree(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The maximum near a point: steps along the element's edges, halved when none leads further up */
static PetscErrorCode Climb(PlexDGReference R, PetscReal step, PetscReal x[], PetscReal *value)
{
  const PetscInt dim = R->dim, nv = dim + 1;

  PetscFunctionBegin;
  while (step > 1e-4) {
    PetscReal points[12 * 3], sums[12], lambda[4];
    PetscInt  n = 0, best = -1;

    lambda[0] = 1.;
    for (PetscInt d = 0; d < dim; ++d) lambda[0] -= lambda[d + 1] = 0.5 * (1. + x[d]);
    for (PetscInt from = 0; from < nv; ++from) {
      for (PetscInt to = 0; to < nv; ++to) {
        if (from == to || lambda[from] < step) continue;
        for (PetscInt d = 0; d < dim; ++d) points[n * dim + d] = x[d] + 2. * step * ((to == d + 1) - (from == d + 1));
        ++n;
      }
    }
    PetscCall(LebesgueFunction(R, n, points, sums));
    for (PetscInt q = 0; q < n; ++q) {
      if (sums[q] > *value) {
        *value = sums[q];
        best   = q;
      }
    }
    if (best < 0) step /= 2.;
    else PetscCall(PetscArraycpy(x, &points[best * dim], dim));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest sum of |l_j|: on a grid of n steps an edge, and near the largest there */
static PetscErrorCode Lebesgue(PlexDGReference R, PetscInt n, PetscReal *most)
{
  const PetscInt dim = R->dim, count = PlexDGNodesSize(dim, n);
  PetscReal     *points, *sums, x[3];
  PetscInt       q = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(count * dim, &points, count, &sums));
  for (PetscInt c = 0; c <= (dim > 2 ? n : 0); ++c) {
    for (PetscInt b = 0; b <= n - c; ++b) {
      for (PetscInt a = 0; a <= n - b - c; ++a, ++q) {
        const PetscInt multi[3] = {a, b, c};

        for (PetscInt d = 0; d < dim; ++d) points[q * dim + d] = -1. + 2. * multi[d] / (PetscReal)n;
      }
    }
  }
  PetscCall(LebesgueFunction(R, count, points, sums));
  *most = 0.;
  for (q = 0; q < count; ++q) {
    if (sums[q] <= *most) continue;
    *most = sums[q];
    PetscCall(PetscArraycpy(x, &points[q * dim], dim));
  }
  PetscCall(Climb(R, 0.5 / n, x, most));
  PetscCall(PetscFree2(points, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face's nodes, and what a turned neighbour has there: the points have to be the same */
static PetscReal TestTurns(PlexDGReference R)
{
  const PetscInt dim  = R->dim;
  PetscReal      most = 0.;
  PetscInt       p[3];

  for (p[0] = 0; p[0] < dim; ++p[0]) {
    for (p[1] = 0; p[1] < dim; ++p[1]) {
      for (p[2] = 0; p[2] < (dim > 2 ? 3 : 1); ++p[2]) {
        if (p[0] == p[1] || (dim > 2 && (p[2] == p[0] || p[2] == p[1]))) continue;
        for (PetscInt m = 0; m < R->Nfp; ++m) { /* face dim has the vertices 1 .. dim, and so no offset is needed */
          const int here  = R->faceNodes[dim * R->Nfp + m],
                    there = R->faceNodes[dim * R->Nfp + R->turn[PlexDGTurnNumber(dim, p) * R->Nfp + m]];

          for (PetscInt v = 0; v < dim; ++v)
            most = PetscMax(most, PetscAbsReal(R->lambda[here * (dim + 1) + 1 + v] -
                                               R->lambda[there * (dim + 1) + 1 + p[v]]));
        }
      }
    }
  }
  return most;
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt dim = 2; dim <= 3; ++dim) {
    for (PetscInt N = 1; N <= PLEX_DG_MAX_DEGREE; ++N) {
      PlexDGReference R;
      PetscReal       mass, lift, most, constant = 0.;
      char            of[64];

      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, dim == 2 ? "triangle" : "tetrahedron", N));
      PetscCall(PlexDGReferenceCreate(dim, N, &R));
      most = TestSymmetry(R);
      PetscCall(PlexTestReportOf((PetscBool)(most < 1e-13), of, "the nodes are symmetric", "off by %g", (double)most));
      most = TestDerivatives(R);
      PetscCall(PlexTestReportOf((PetscBool)(most < 1e-12), of, "polynomials are derived exactly", "off by %g",
                                 (double)most));
      PetscCall(TestIntegrals(R, &mass, &lift));
      PetscCall(PlexTestReportOf((PetscBool)(mass < 1e-13), of, "the mass matrix is that of a quadrature", "off by %g",
                                 (double)mass));
      PetscCall(PlexTestReportOf((PetscBool)(lift < 1e-12), of, "the lift is that of a quadrature", "off by %g",
                                 (double)lift));
      most = TestTurns(R);
      PetscCall(PlexTestReportOf((PetscBool)(most < 1e-14), of, "nodes of turned faces meet", "off by %g",
                                 (double)most));
      PetscCall(Lebesgue(R, dim == 2 ? 60 : 20, &constant));
      PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(constant - lebesgue[dim - 2][N - 1]) < 2e-4), of,
                                 "the Lebesgue constant is the one of these nodes", "%g, not %g", (double)constant,
                                 (double)lebesgue[dim - 2][N - 1]));
      PetscCall(PlexDGReferenceDestroy(&R));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
