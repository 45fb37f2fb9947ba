static char
  help[] = "Hybridized DG: tables of the reference elements are what a quadrature says, and there are those of "
           "the ways to see a face that occur.\n\n";

#include <plexgpu/private/hdgimpl.h>
#include "report.h"

/* The largest difference between A[n] and what a sum over quadrature points says */
typedef PetscReal Sum(PlexHDGReference, const PetscInt k[]);

static PetscReal SumD(PlexHDGReference R, const PetscInt k[])
{
  PetscReal sum = 0.;

  for (PetscInt q = 0; q < R->Nq; ++q)
    sum += R->weights[q] * R->phi[q * R->Np + k[1]] * R->dphi[(k[0] * R->Nq + q) * R->Np + k[2]];
  return sum;
}

static PetscReal SumE(PlexHDGReference R, const PetscInt k[])
{
  PetscReal sum = 0.;

  for (PetscInt q = 0; q < R->Nqf; ++q)
    sum += R->weightsFace[q] * R->phiFace[(k[0] * R->Nqf + q) * R->Np + k[1]] *
           R->phiFace[(k[0] * R->Nqf + q) * R->Np + k[2]];
  return sum;
}

static PetscReal SumF(PlexHDGReference R, const PetscInt k[])
{
  PetscReal sum = 0.;

  for (PetscInt q = 0; q < R->Nqf; ++q)
    sum += R->weightsFace[q] * R->phiFace[(k[0] / R->turns * R->Nqf + q) * R->Np + k[1]] *
           R->psi[(k[0] % R->turns * R->Nqf + q) * R->Nf + k[2]];
  return sum;
}

static PetscReal SumS(PlexHDGReference R, const PetscInt k[])
{
  PetscInt  a = 0, b = k[0];
  PetscReal sum = 0.;

  while (b >= R->dim - a) b -= R->dim - a++;
  b += a;
  for (PetscInt l = 0; l < R->Np; ++l) {
    const PetscInt da[2][3] =
      {
        {a, k[1], l},
        {b, k[2], l}
    },
                   db[2][3] = {{b, k[1], l}, {a, k[2], l}};

    sum += SumD(R, da[0]) * SumD(R, da[1]);
    if (a != b) sum += SumD(R, db[0]) * SumD(R, db[1]);
  }
  return sum;
}

static PetscReal SumPost(PlexHDGReference R, const PetscInt k[])
{
  PetscReal sum = 0.;

  for (PetscInt q = 0; q < R->Nq; ++q)
    sum += R->weights[q] * R->dphiPost[(k[0] * R->Nq + q) * R->Npost + k[1]] * R->phi[q * R->Np + k[2]];
  return sum;
}

static PetscReal SumStiffness(PlexHDGReference R, const PetscInt k[])
{
  PetscInt  a = 0, b = k[0];
  PetscReal sum = 0.;

  while (b >= R->dim - a) b -= R->dim - a++;
  b += a;
  for (PetscInt q = 0; q < R->Nq; ++q) {
    const PetscReal *A = &R->dphiPost[(a * R->Nq + q) * R->Npost], *B = &R->dphiPost[(b * R->Nq + q) * R->Npost];

    sum += R->weights[q] * (A[k[1]] * B[k[2]] + (a != b ? A[k[2]] * B[k[1]] : 0.));
  }
  return sum;
}

static PetscErrorCode Compare(PlexHDGReference R, const char of[], const char name[], PetscInt n0, PetscInt n1,
                              PetscInt n2, const PetscReal A[], Sum *sum)
{
  const PetscInt most = 4000; /* entries that are looked at */
  const PetscInt n = n0 * n1 * n2, step = 1 + n / most;
  PetscReal      worst = 0., size = 0.;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < n; s += step) {
    const PetscInt  k[3]  = {s / (n1 * n2), s / n2 % n1, s % n2};
    const PetscReal value = (*sum)(R, k);

    worst = PetscMax(worst, PetscAbsReal(A[s] - value));
    size  = PetscMax(size, PetscAbsReal(value));
  }
  PetscCall(PlexTestReportOf((PetscBool)(size > 0.1 && worst <= 1e-12 * size), of, name, "differs by %g of %g",
                             (double)worst, (double)size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H = D_a F, and T = F^T F of pairs that an element has and of no others */
static PetscErrorCode CompareProducts(PlexHDGReference R, const char of[], const int turns[])
{
  const PetscInt pairs = R->faces * R->turns, Np = R->Np, Nf = R->Nf;
  PetscReal      worst = 0., other = 0., size = 0.;
  PetscInt       there = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < R->dim * pairs; ++k) {
    for (PetscInt s = 0; s < Np * Nf; s += 1 + Np * Nf / 200) {
      PetscReal sum = 0.;

      for (PetscInt l = 0; l < Np; ++l)
        sum += R->D[(k / pairs * Np + s / Nf) * Np + l] * R->F[(k % pairs * Np + l) * Nf + s % Nf];
      worst = PetscMax(worst, PetscAbsReal(sum - R->H[(size_t)k * Np * Nf + s]));
      size  = PetscMax(size, PetscAbsReal(sum));
    }
  }
  PetscCall(PlexTestReportOf((PetscBool)(worst <= 1e-12 * size), of, "H", "differs by %g of %g", (double)worst,
                             (double)size));
  worst = size = 0.;
  for (PetscInt k = 0; k < pairs; ++k) {
    for (PetscInt l = 0; l < pairs; ++l) {
      const PetscBool first = (PetscBool)(k % R->turns == 0 && l % R->turns == 0);
      const PetscBool has   = (PetscBool)(turns[k / R->turns] == k % R->turns && turns[l / R->turns] == l % R->turns);
      PetscReal       most  = 0.;

      for (PetscInt s = 0; s < Nf * Nf; ++s) {
        const PetscReal entry = R->T[(size_t)(k * pairs + l) * Nf * Nf + s];
        PetscReal       sum   = 0.;

        for (PetscInt i = 0; i < Np; ++i) sum += R->F[(k * Np + i) * Nf + s / Nf] * R->F[(l * Np + i) * Nf + s % Nf];
        if (has) worst = PetscMax(worst, PetscAbsReal(sum - entry));
        if (has) size = PetscMax(size, PetscAbsReal(sum));
        most = PetscMax(most, PetscAbsReal(entry));
      }
      if (!has && !first) other = PetscMax(other, most);
      if (has) ++there;
    }
  }
  PetscCall(PlexTestReportOf((PetscBool)(there == R->faces * R->faces && worst <= 1e-12 * size && other == 0.), of, "T",
                             "%" PetscInt_FMT " pairs differ by %g of %g; others are up to %g", there, (double)worst,
                             (double)size, (double)other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One element that sees its faces in ways 1, 2, ... of all that there are, and the last */
static PetscErrorCode TestReference(DMPolytopeType cell, PetscInt P)
{
  PlexHDGReference R;
  PetscBool        occurs[8] = {PETSC_FALSE};
  PetscInt         expected  = 0;
  int              number[8], turns[PLEX_HDG_MAX_FACES];
  char             of[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, DMPolytopeTypes[cell], P));
  PetscCall(PlexHDGReferenceCreate(cell, P, &R));
  for (PetscInt f = 0; f < R->faces; ++f)
    occurs[turns[f] = (int)(f == 0 ? R->allTurns - 1 : f % 3 % R->allTurns)] = PETSC_TRUE;
  for (PetscInt t = 0; t < R->allTurns; ++t) expected += occurs[t];
  PetscCall(PlexHDGReferenceSetTurns(R, occurs, number));
  for (PetscInt f = 0; f < R->faces; ++f) {
    const int all = turns[f];

    turns[f] = number[all];
    if (R->turnOf[turns[f]] != all) expected = -1;
  }
  PetscCall(PlexTestReportOf((PetscBool)(R->turns == expected), of, "ways to see a face",
                             "%" PetscInt_FMT " and not %" PetscInt_FMT, R->turns, expected));
  PetscCall(PlexHDGReferenceSetTables(R, 1, turns));
  PetscCall(Compare(R, of, "D", R->dim, R->Np, R->Np, R->D, SumD));
  PetscCall(Compare(R, of, "E", R->faces, R->Np, R->Np, R->E, SumE));
  PetscCall(Compare(R, of, "F", R->faces * R->turns, R->Np, R->Nf, R->F, SumF));
  if (P < 3) PetscCall(Compare(R, of, "S", R->nab, R->Np, R->Np, R->S, SumS));
  PetscCall(Compare(R, of, "Ppost", R->dim, R->Npost, R->Np, R->Ppost, SumPost));
  PetscCall(Compare(R, of, "Spost", R->nab, R->Npost, R->Npost, R->Spost, SumStiffness));
  PetscCall(CompareProducts(R, of, turns));
  PetscCall(PlexHDGReferenceDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cubic(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = x[0] * x[0] * x[0] * x[1] * x[1] * x[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CubicKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                 PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Cubic(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CubicSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  f[0] = -6. * x[0] * x[1] * x[1] * x[2] - 2. * x[0] * x[0] * x[0] * x[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two hexahedra of the highest degree: a polynomial is its own solution, and all of it takes a second or two of one
   core, which it is allowed ten times of. With tables by quadrature for all 48 orientations set-up alone took 86 s */
static PetscErrorCode TestHighest(void)
{
  const PetscInt cells[3] = {2, 1, 1};
  PetscLogDouble begin, end;
  PetscReal      error[3];
  PlexHDG        hdg;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 3, PETSC_FALSE, cells, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, PLEX_HDG_MAX_DEGREE));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetSource(hdg, CubicSource, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, CubicKnown, NULL));
  PetscCall(PetscGetCPUTime(&begin));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscGetCPUTime(&end));
  PetscCall(PlexHDGComputeL2Error(hdg, Cubic, NULL, NULL, error));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] < 1e-9 && error[2] < 1e-9 && end - begin < 20.),
                             "two hexahedra of degree 9", "exact, in seconds", "errors %g, %g; %g s", (double)error[0],
                             (double)error[2], end - begin));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cells); ++k) {
    for (PetscInt P = 1; P <= 4; ++P) PetscCall(TestReference(cells[k], P));
  }
  PetscCall(TestReference(DM_POLYTOPE_QUADRILATERAL, 9));
  PetscCall(TestHighest());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
