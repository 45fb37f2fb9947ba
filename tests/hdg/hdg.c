static char help[] = "Hybridized DG: the condensed system against the whole one, K, the flux, repeated runs, backends, "
                     "factors kept or not.\n\n";

#include "hdgproblem.h"
#include "report.h"
#include <petscblaslapack.h>

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      tensor, mixed, curved;
  PetscInt       regular; /* cells a side; 0: irregular */
  PetscBool      periodic;
} Case;

// clang-format off
static const Case cases[] = {
  {"triangles, degree 1", DM_POLYTOPE_TRIANGLE, 1, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 0, PETSC_FALSE},
  {"triangles, degree 3, tensor, all conditions", DM_POLYTOPE_TRIANGLE, 3, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, 0,
   PETSC_FALSE},
  {"curved triangles, degree 2, tensor, all conditions", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, 0,
   PETSC_FALSE},
  {"quadrilaterals, degree 1, tensor", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, 0,
   PETSC_FALSE},
  {"curved quadrilaterals, degree 2, tensor, all conditions", DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE, PETSC_TRUE,
   PETSC_TRUE, 0, PETSC_FALSE},
  {"tetrahedra, degree 1, tensor, all conditions", DM_POLYTOPE_TETRAHEDRON, 1, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, 0,
   PETSC_FALSE},
  {"hexahedra, degree 1", DM_POLYTOPE_HEXAHEDRON, 1, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, 0, PETSC_FALSE},
  {"regular quadrilaterals, degree 3, tensor, all conditions", DM_POLYTOPE_QUADRILATERAL, 3, PETSC_TRUE, PETSC_TRUE,
   PETSC_FALSE, 3, PETSC_FALSE},
  {"periodic triangles, degree 2, tensor", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, 3, PETSC_TRUE}
};
// clang-format on

/* The whole system of equations 5b, 5c and 6 for u, q and all traces, by quadrature with PETSc's geometry: row after
   row of a dense matrix, column-major */
typedef struct {
  PetscInt   n, nu, nq; /* unknowns; where those of q and of the traces begin */
  PetscReal *A, *b;
} Whole;

#define ADD(i, j, v) whole->A[(size_t)(j) * whole->n + (i)] += (v)

static PetscErrorCode GetGeometry(PlexHDG hdg, PetscInt e, PetscInt n, const PetscReal points[], PetscReal x[],
                                  PetscReal J[], PetscReal invJ[], PetscReal det[])
{
  PetscQuadrature q;
  PetscReal      *p, *w;
  const PetscInt  dim = hdg->reference->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * dim, &p));
  PetscCall(PetscCalloc1(n, &w));
  PetscCall(PetscArraycpy(p, points, n * dim));
  PetscCall(PetscQuadratureCreate(PETSC_COMM_SELF, &q));
  PetscCall(PetscQuadratureSetData(q, dim, 1, n, p, w));
  PetscCall(DMPlexComputeCellGeometryFEM(hdg->dm, hdg->mesh->cells[e], q, x, J, invJ, det));
  PetscCall(PetscQuadratureDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (grad v, q) - <v, q . n - tau (u - trace)> + lambda (v, u) = (v, f), (w, kappa^-1 q) + (div w, u) - <w . n,
   trace> = 0: volumes. kappa^-1 = k */
static PetscErrorCode AddVolume(PlexHDG hdg, PlexTestWaves *w, PetscInt e, const PetscReal k[], const PetscReal f[],
                                Whole *whole)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, dim = R->dim, u0 = e * Np, q0 = whole->nu + e * dim * Np;
  PetscReal       *x, *J, *invJ, *det, *g;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(R->Nq * dim, &x, R->Nq * dim * dim, &J, R->Nq * dim * dim, &invJ, R->Nq, &det, Np * dim, &g));
  PetscCall(GetGeometry(hdg, e, R->Nq, R->points, x, J, invJ, det));
  for (PetscInt p = 0; p < R->Nq; ++p) {
    const PetscReal  dx = R->weights[p] * det[p], *inverse = &invJ[p * dim * dim];
    const PetscReal *phi = &R->phi[p * Np];

    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt d = 0; d < dim; ++d) {
        g[i * dim + d] = 0.;
        for (PetscInt a = 0; a < dim; ++a) g[i * dim + d] += inverse[a * dim + d] * R->dphi[(a * R->Nq + p) * Np + i];
      }
    }
    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt j = 0; j < Np; ++j) {
        ADD(u0 + i, u0 + j, dx * w->lambda * phi[i] * phi[j]);
        for (PetscInt d = 0; d < dim; ++d) {
          ADD(u0 + i, q0 + d * Np + j, dx * g[i * dim + d] * phi[j]);
          ADD(q0 + d * Np + i, u0 + j, dx * g[i * dim + d] * phi[j]);
          for (PetscInt l = 0; l < dim; ++l)
            ADD(q0 + d * Np + i, q0 + l * Np + j, dx * k[d * dim + l] * phi[i] * phi[j]);
        }
      }
    }
  }
  for (PetscInt i = 0; i < Np; ++i) whole->b[u0 + i] = f[e * Np + i];
  PetscCall(PetscFree5(x, J, invJ, det, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* and faces; with <mu, q . n - tau (u - trace)> for those whose trace is not known */
static PetscErrorCode AddFaces(PlexHDG hdg, PetscInt e, const PetscReal tau[], Whole *whole)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt   Np = R->Np, Nf = R->Nf, dim = R->dim, n = R->faces * R->Nqf, u0 = e * Np,
                   q0 = whole->nu + e * dim * Np;
  PetscReal       *x, *J, *invJ, *det;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n * dim, &x, n * dim * dim, &J, n * dim * dim, &invJ, n, &det));
  PetscCall(GetGeometry(hdg, e, n, R->pointsFace, x, J, invJ, det));
  for (PetscInt p = 0; p < n; ++p) {
    const PetscInt   f = p / R->Nqf, l = mesh->face[e * R->faces + f], t0 = whole->nq + l * Nf;
    const PetscReal *phi = &R->phiFace[p * Np],
                    *psi = &R->psi[(mesh->turns[e * R->faces + f] * R->Nqf + p % R->Nqf) * Nf],
                    ts   = tau[e * R->faces + f];
    PetscReal normal[3] = {0., 0., 0.}, ds = 0.;

    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt a = 0; a < dim; ++a) normal[d] += det[p] * invJ[p * dim * dim + a * dim + d] * R->normal[f][a];
      ds += PetscSqr(normal[d]);
    }
    ds = PetscSqrtReal(ds);
    for (PetscInt i = 0; i < Np + Nf; ++i) {
      /* the same flux, tested by v or mu */
      const PetscReal v = R->weightsFace[p % R->Nqf] * (i < Np ? phi[i] : psi[i - Np]), sign = i < Np ? -1. : 1.;
      const PetscInt  row = i < Np ? u0 + i : t0 + i - Np;

      if (i >= Np && l >= mesh->nown) continue;
      for (PetscInt j = 0; j < Np; ++j) {
        ADD(row, u0 + j, -sign * ds * ts * v * phi[j]);
        for (PetscInt d = 0; d < dim; ++d) ADD(row, q0 + d * Np + j, sign * v * normal[d] * phi[j]);
      }
      for (PetscInt m = 0; m < Nf; ++m) {
        ADD(row, t0 + m, sign * ds * ts * v * psi[m]);
        for (PetscInt d = 0; i < Np && d < dim; ++d) ADD(q0 + d * Np + i, t0 + m, -v * normal[d] * psi[m]);
      }
    }
  }
  PetscCall(PetscFree4(x, J, invJ, det));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By Gauss and Jordan's elimination; positive definite matrices need no pivoting */
static void Invert(PetscInt n, const PetscReal a[], PetscReal inverse[])
{
  PetscReal rows[3][6];

  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < n; ++j) {
      rows[i][j]     = a[i * n + j];
      rows[i][n + j] = i == j;
    }
  }
  for (PetscInt k = 0; k < n; ++k) {
    const PetscReal pivot = rows[k][k];

    for (PetscInt j = 0; j < 2 * n; ++j) rows[k][j] /= pivot;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscReal c = rows[i][k];

      for (PetscInt j = 0; i != k && j < 2 * n; ++j) rows[i][j] -= c * rows[k][j];
    }
  }
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j) inverse[i * n + j] = rows[i][n + j];
}

/* Volume terms have (grad v, q) and (div w, u) = (grad w, u); the flux's first part -<v, q . n> is among the faces' */
static PetscErrorCode SolveWhole(PlexHDG hdg, PlexTestWaves *w, Whole *whole)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = R->dim, Nf = R->Nf;
  PetscReal        k[9];
  PetscBLASInt     n, one = 1, *pivots, info;

  PetscFunctionBegin;
  whole->nu = mesh->Ne * R->Np;
  whole->nq = whole->nu * (1 + dim);
  whole->n  = whole->nq + (mesh->nown + mesh->nfixed) * Nf;
  PetscCall(PetscBLASIntCast(whole->n, &n));
  PetscCall(PetscCalloc1((size_t)whole->n * whole->n, &whole->A));
  PetscCall(PetscCalloc1(whole->n, &whole->b));
  PetscCall(PetscMalloc1(whole->n, &pivots));
  Invert(dim, w->kappa, k);
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscCall(AddVolume(hdg, w, e, k, hdg->args.f, whole));
    PetscCall(AddFaces(hdg, e, hdg->args.tau, whole));
  }
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    for (PetscInt m = 0; m < Nf; ++m) {
      whole->b[whole->nq + l * Nf + m] = hdg->natural[l * Nf + m];
      for (PetscInt m2 = 0; hdg->robinOf[l] >= 0 && m2 < Nf; ++m2)
        ADD(whole->nq + l * Nf + m, whole->nq + l * Nf + m2, hdg->robin[(hdg->robinOf[l] * Nf + m) * Nf + m2]);
    }
  }
  for (PetscInt i = whole->nq + mesh->nown * Nf; i < whole->n; ++i) {
    ADD(i, i, 1.);
    whole->b[i] = hdg->args.fixed[i - whole->nq - mesh->nown * Nf];
  }
  PetscCallBLAS("LAPACKgesv", LAPACKgesv_(&n, &one, whole->A, &n, pivots, whole->b, &n, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "The whole system is singular");
  PetscCall(PetscFree(pivots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of two arrays over the largest entry of the second */
static PetscReal Compare(PetscInt n, const PetscScalar a[], const PetscScalar b[])
{
  PetscReal difference = 0., largest = 0.;

  for (PetscInt k = 0; k < n; ++k) {
    difference = PetscMax(difference, PetscAbsScalar(a[k] - b[k]));
    largest    = PetscMax(largest, PetscAbsScalar(b[k]));
  }
  return largest > 0. ? difference / largest : difference;
}

static PetscErrorCode CompareVec(Vec v, const PetscScalar b[], PetscReal *difference)
{
  const PetscScalar *a;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &a));
  *difference = Compare(n, a, b);
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareVecs(Vec v, Vec w, PetscReal *difference)
{
  const PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(w, &b));
  PetscCall(CompareVec(v, b, difference));
  PetscCall(VecRestoreArrayRead(w, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWhole(const char of[], PlexHDG hdg, PlexTestWaves *w)
{
  PlexHDG   host;
  Whole     whole;
  PetscReal difference[3];
  Vec       trace, u, q;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(hdg->dm, hdg->degree, w, PLEXBACKENDHOST, &host));
  PetscCall(PlexHDGSetUp(host));
  PetscCall(SolveWhole(host, w, &whole));
  PetscCall(PlexHDGGetSolution(hdg, &trace, &u, &q, NULL));
  PetscCall(CompareVec(u, whole.b, &difference[0]));
  PetscCall(CompareVec(q, whole.b + whole.nu, &difference[1]));
  PetscCall(CompareVec(trace, whole.b + whole.nq, &difference[2]));
  PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-11 && difference[1] < 1e-11 && difference[2] < 1e-11), of,
                             "the condensed system has the solution of the whole one",
                             "differences of u, q, trace %g, %g, %g", (double)difference[0], (double)difference[1],
                             (double)difference[2]));
  PetscCall(PetscFree(whole.A));
  PetscCall(PetscFree(whole.b));
  PetscCall(PlexHDGDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetric to rounding, and Cholesky's factor exists */
static PetscErrorCode TestMatrix(const char of[], PlexHDG hdg)
{
  Mat          A, dense;
  PetscScalar *a;
  PetscReal    difference = 0., largest = 0.;
  PetscInt     m;
  PetscBLASInt n, info;

  PetscFunctionBegin;
  PetscCall(PlexHDGAssemble(hdg, &A));
  PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(PetscBLASIntCast(m, &n));
  PetscCall(MatDenseGetArray(dense, &a));
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < m; ++j) {
      difference = PetscMax(difference, PetscAbsScalar(a[i * m + j] - a[j * m + i]));
      largest    = PetscMax(largest, PetscAbsScalar(a[i * m + j]));
    }
  }
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &n, a, &n, &info));
  PetscCall(MatDenseRestoreArray(dense, &a));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-13 * largest), of, "K is symmetric", "differences %g of %g",
                             (double)difference, (double)largest));
  PetscCall(PlexTestReportOf((PetscBool)!info, of, "K is positive definite", "pivot %d is not", (int)info));
  PetscCall(MatDestroy(&dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of K: [nnz], PetscFree()d */
static PetscErrorCode GetValues(PlexHDG hdg, PetscInt *nnz, PetscScalar **values)
{
  Mat                A;
  MatInfo            info;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(PlexHDGAssemble(hdg, &A));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *nnz = (PetscInt)info.nz_used;
  PetscCall(PetscMalloc1(*nnz, values));
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(PetscArraycpy(*values, a, *nnz));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRepeated(const char of[], PlexHDG hdg, const Case *c, PlexTestWaves *w, const char backend[])
{
  PlexHDG      other, host;
  PetscScalar *values[4];
  PetscInt     n[4];
  PetscBool    same;
  PetscReal    difference;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(hdg->dm, c->P, w, backend, &other));
  PetscCall(PlexTestHDGCreate(hdg->dm, c->P, w, PLEXBACKENDHOST, &host));
  PetscCall(GetValues(hdg, &n[0], &values[0]));
  PetscCall(GetValues(hdg, &n[1], &values[1]));
  PetscCall(GetValues(other, &n[2], &values[2]));
  PetscCall(GetValues(host, &n[3], &values[3]));
  PetscCall(PetscArraycmp(values[0], values[1], n[0], &same));
  PetscCall(PlexTestReportOf(same, of, "K assembled again has the same bits", "it has not"));
  PetscCall(PetscArraycmp(values[0], values[2], n[0], &same));
  PetscCall(PlexTestReportOf(same, of, "and by another object", "it has not"));
  difference = Compare(n[0], values[0], values[3]);
  PetscCall(PlexTestReportOf((PetscBool)(n[0] == n[3] && difference < 1e-12), of, "K as the host has it",
                             "%" PetscInt_FMT " values and %" PetscInt_FMT ", differences %g", n[0], n[3],
                             (double)difference));
  for (int k = 0; k < 4; ++k) PetscCall(PetscFree(values[k]));
  PetscCall(PlexHDGDestroy(&other));
  PetscCall(PlexHDGDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestKept(const char of[], PlexHDG hdg, const Case *c, PlexTestWaves *w, const char backend[])
{
  PlexHDG   other;
  Vec       a[4], b[4];
  PetscReal difference[4], jump;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(hdg->dm, c->P, w, backend, &other));
  PetscCall(PlexTestHDGOption(other, "-plex_hdg_keep", PetscBools[(PetscBool)!hdg->kept]));
  PetscCall(PlexTestHDGSolve(other));
  PetscCall(PlexHDGGetSolution(hdg, &a[0], &a[1], &a[2], &a[3]));
  PetscCall(PlexHDGGetSolution(other, &b[0], &b[1], &b[2], &b[3]));
  for (int k = 0; k < 4; ++k) {
    PetscCall(CompareVecs(a[k], b[k], &difference[k]));
    good = (PetscBool)(good && difference[k] < 1e-11);
  }
  PetscCall(PlexTestReportOf(good, of,
                             hdg->kept ? "the same when factors are not kept" : "the same when factors are kept",
                             "trace, u, q, u*: %g, %g, %g, %g", (double)difference[0], (double)difference[1],
                             (double)difference[2], (double)difference[3]));
  PetscCall(PlexHDGComputeFluxJump(other, &jump));
  PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "and its flux does not jump", "%g", (double)jump));
  PetscCall(PlexHDGDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the host post-processed u is LAPACK's */
static PetscErrorCode TestStar(const char of[], PlexHDG hdg, const Case *c, PlexTestWaves *w)
{
  PlexHDG   host;
  Vec       a, b;
  PetscReal difference;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(hdg->dm, c->P, w, PLEXBACKENDHOST, &host));
  PetscCall(PlexTestHDGSolve(host));
  PetscCall(PlexHDGGetSolution(hdg, NULL, NULL, NULL, &a));
  PetscCall(PlexHDGGetSolution(host, NULL, NULL, NULL, &b));
  PetscCall(CompareVecs(a, b, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-11), of, "u* as on the host", "differences %g",
                             (double)difference));
  PetscCall(PlexHDGDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With emulated tensor cores, or on a GPU without them: K as the host has it, solution as without. Numbers of rows that
   are and are not multiples of 8, factors kept and not, blocks that have more elements than are left */
static PetscErrorCode TestUnits(const char backend[])
{
  const DMPolytopeType cells[]   = {DM_POLYTOPE_TRIANGLE,    DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TRIANGLE,
                                    DM_POLYTOPE_TRIANGLE,    DM_POLYTOPE_TRIANGLE,      DM_POLYTOPE_QUADRILATERAL,
                                    DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_TRIANGLE,      DM_POLYTOPE_TRIANGLE};
  const PetscInt       degrees[] = {1, 3, 5, 2, 7, 2, 1, 6, 9};
  const PetscBool      keep[]    = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE,
                                    PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE};

  PetscFunctionBegin;
  for (int c = 0; c < (int)PETSC_STATIC_ARRAY_LENGTH(cells); ++c) {
    PlexTestWaves w;
    PlexHDG       hdg[2];
    PetscScalar  *values[2];
    PetscInt      n[2];
    DM            dm;
    Vec           a[3], b[3];
    PetscReal     difference[4];
    char          of[128];

    PlexTestWavesInitialize(DMPolytopeTypeGetDim(cells[c]), 2., PETSC_TRUE, PETSC_TRUE, &w);
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, tensor cores turned %s, %s, degree %" PetscInt_FMT "%s", backend,
                            strcmp(backend, PLEXBACKENDCUDA) ? "on" : "off", DMPolytopeTypes[cells[c]], degrees[c],
                            keep[c] ? ", factors kept" : ""));
    /* affine */
    if (cells[c] == DM_POLYTOPE_QUADRILATERAL && keep[c])
      PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){3, 3}, NULL, NULL, NULL,
                                    PETSC_TRUE, 0, PETSC_FALSE, &dm));
    else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cells[c], 0, &dm));
    for (int k = 0; k < 2; ++k) {
      PetscCall(PlexTestHDGCreate(dm, degrees[c], &w, k ? PLEXBACKENDHOST : backend, &hdg[k]));
      if (!k)
        PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_tensor_cores",
                                    PetscBools[(PetscBool)(strcmp(backend, PLEXBACKENDCUDA) != 0)]));
      PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_keep", PetscBools[keep[c]]));
      PetscCall(PlexTestHDGSolve(hdg[k]));
      PetscCall(GetValues(hdg[k], &n[k], &values[k]));
    }
    PetscCall(PlexHDGGetSolution(hdg[0], NULL, &a[0], &a[1], &a[2]));
    PetscCall(PlexHDGGetSolution(hdg[1], NULL, &b[0], &b[1], &b[2]));
    for (int k = 0; k < 3; ++k) PetscCall(CompareVecs(a[k], b[k], &difference[k]));
    difference[3] = Compare(n[0], values[0], values[1]);
    PetscCall(PlexTestReportOf((PetscBool)(n[0] == n[1] && difference[3] < 1e-12), of, "K as the host has it",
                               "differences %g", (double)difference[3]));
    PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-11 && difference[1] < 1e-11 && difference[2] < 1e-11), of,
                               "u, q and u* as on the host", "differences %g, %g, %g", (double)difference[0],
                               (double)difference[1], (double)difference[2]));
    for (int k = 0; k < 2; ++k) {
      PetscCall(PetscFree(values[k]));
      PetscCall(PlexHDGDestroy(&hdg[k]));
    }
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements too large for shared memory: their workspace is in global memory */
static PetscErrorCode TestLarge(const char backend[])
{
  PlexTestWaves w;
  PlexHDG       hdg[2];
  PetscScalar  *values[2];
  PetscInt      n[2];
  DM            dm;
  PetscReal     difference;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){2, 1}, NULL, NULL, NULL,
                                PETSC_TRUE, 0, PETSC_FALSE, &dm));
  PetscCall(PlexTestBend(dm));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexTestHDGCreate(dm, 8, &w, k ? PLEXBACKENDHOST : backend, &hdg[k]));
    PetscCall(GetValues(hdg[k], &n[k], &values[k]));
  }
  difference = Compare(n[0], values[0], values[1]);
  PetscCall(PlexTestReportOf((PetscBool)(n[0] == n[1] && difference < 1e-12), backend,
                             "curved quadrilaterals, degree 8: K as the host has it",
                             "%" PetscInt_FMT " values and %" PetscInt_FMT ", differences %g", n[0], n[1],
                             (double)difference));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PetscFree(values[k]));
    PetscCall(PlexHDGDestroy(&hdg[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local matrices of a few elements at a time, or of as many as some bytes have room for: the same bits */
static PetscErrorCode TestTiles(const char of[], PlexHDG hdg, const Case *c, PlexTestWaves *w, const char backend[])
{
  PlexHDG      other;
  PlexHDGBytes bytes[2];
  PetscScalar *values[2];
  PetscInt     n[2];
  PetscBool    same;
  Vec          a[4], b[4];

  PetscFunctionBegin;
  PetscCall(PlexTestHDGCreate(hdg->dm, c->P, w, backend, &other));
  PetscCall(PlexTestHDGOption(other, "-plex_hdg_keep", PetscBools[hdg->kept]));
  if (c->tensor) PetscCall(PlexTestHDGOption(other, "-plex_hdg_tile", "3"));
  else PetscCall(PlexHDGSetMemory(other, (PetscInt64)(5.5 * 8 * PetscSqr(hdg->reference->Nt))));
  PetscCall(GetValues(hdg, &n[0], &values[0]));
  PetscCall(GetValues(other, &n[1], &values[1]));
  PetscCall(PlexHDGGetBytes(hdg, &bytes[0]));
  PetscCall(PlexHDGGetBytes(other, &bytes[1]));
  PetscCall(PetscArraycmp(values[0], values[1], n[0], &same));
  PetscCall(PlexTestReportOf((PetscBool)(same &&
                                         bytes[1].tiles ==
                                           (hdg->mesh->Ne + (c->tensor ? 2 : 4)) / (c->tensor ? 3 : 5) &&
                                         bytes[0].tiles == 1 && bytes[1].local < bytes[0].local),
                             of, "K has the same bits in tiles", "%d tiles of %g bytes, and %d of %g",
                             (int)bytes[1].tiles, bytes[1].local, (int)bytes[0].tiles, bytes[0].local));
  PetscCall(PlexTestHDGSolve(other));
  PetscCall(PlexHDGGetSolution(hdg, &a[0], &a[1], &a[2], &a[3]));
  PetscCall(PlexHDGGetSolution(other, &b[0], &b[1], &b[2], &b[3]));
  for (int k = 0; k < 4 && same; ++k) PetscCall(VecEqual(a[k], b[k], &same));
  PetscCall(PlexTestReportOf(same, of, "and so have trace, u, q and u*", "they have not"));
  for (int k = 0; k < 2; ++k) PetscCall(PetscFree(values[k]));
  PetscCall(PlexHDGDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neumann's condition alone: u but for a constant, q as well as with other conditions */
static PetscErrorCode TestNeumann(const char backend[])
{
  PlexTestWaves w;
  PlexHDG       hdg;
  KSP           ksp;
  PC            pc;
  DM            dm;
  PetscReal     error[3], known[3];

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_FALSE, &w);
  w.lambda = 0.;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PlexTestHDGErrors(dm, 3, &w, backend, known));
  PetscCall(PlexTestHDGCreate(dm, 3, &w, backend, &hdg));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, PlexTestWavesNatural, &w));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGComputeL2Error(hdg, PlexTestWavesU, PlexTestWavesQ, &w, error));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 2. * known[1]), backend,
                             "Neumann's condition on all of the boundary", "error of q %g, with Dirichlet's %g",
                             (double)error[1], (double)known[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  DM            dm;
  PetscReal     jump;
  char          of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., c->tensor, c->mixed, &w);
  if (!c->regular) PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, &dm));
  else if (c->cell == DM_POLYTOPE_TRIANGLE)
    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, c->regular, c->periodic, &dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){c->regular, c->regular}, NULL,
                                  NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "the normal flux does not jump", "%g", (double)jump));
  PetscCall(TestWhole(of, hdg, &w));
  PetscCall(TestMatrix(of, hdg));
  PetscCall(TestRepeated(of, hdg, c, &w, backend));
  PetscCall(TestKept(of, hdg, c, &w, backend));
  PetscCall(TestTiles(of, hdg, c, &w, backend));
  if (strcmp(backend, PLEXBACKENDHOST)) PetscCall(TestStar(of, hdg, c, &w));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestCase(backends[b], &cases[k]));
    PetscCall(TestNeumann(backends[b]));
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    PetscCall(TestLarge(backends[b]));
    PetscCall(TestUnits(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
