static char help[] = "Statically condensed continuous elements beside hybridized DG: polynomials of the degree, rates, "
                     "backends against the host, what cannot be compared.\n\n";

#include "../../benchmarks/hdgcg/cg.h"
#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscBool      curved;
  PetscInt       P[2];
} Case;

static const Case cases[] = {
  {"triangles",             DM_POLYTOPE_TRIANGLE,      PETSC_FALSE, {1, 5}},
  {"quadrilaterals",        DM_POLYTOPE_QUADRILATERAL, PETSC_FALSE, {1, 4}},
  {"curved quadrilaterals", DM_POLYTOPE_QUADRILATERAL, PETSC_TRUE,  {2, 3}},
  {"tetrahedra",            DM_POLYTOPE_TETRAHEDRON,   PETSC_FALSE, {2, 4}}
};

/* u = s^P, s = a . x + 0.3, with -div(kappa grad u) + lambda u = f */
typedef struct {
  PetscInt      P;
  PlexTestWaves w;
} Power;

static const PetscReal a[3] = {0.8, -0.5, 0.4};

/* a . x + 0.3 */
static PetscReal PowerPlace(PetscInt dim, const PetscReal x[])
{
  PetscReal s = 0.3;

  for (PetscInt d = 0; d < dim; ++d) s += a[d] * x[d];
  return s;
}

static PetscErrorCode PowerU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscPowRealInt(PowerPlace(dim, x), (int)((Power *)ctx)->P);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PowerKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                 PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PowerU(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PowerSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Power    *p   = (Power *)ctx;
  const PetscReal s   = PowerPlace(dim, x);
  PetscReal       aka = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim * dim; ++k) aka += a[k / dim] * p->w.kappa[k] * a[k % dim];
  f[0] = p->w.lambda * PetscPowRealInt(s, (int)p->P) -
         (p->P < 2 ? 0. : p->P * (p->P - 1) * aka * PetscPowRealInt(s, (int)p->P - 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Case *c, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  for (PetscInt r = 0; r < level; ++r) PetscCall(PlexTestRefine(dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  if (c->curved) PetscCall(PlexTestBend(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solved directly, or to rounding on several processes */
static PetscErrorCode Solve(PlexHDG hdg, PlexHDGCG *cg)
{
  PC          pc;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGCreate(hdg, cg));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    PetscCall(KSPGetPC((*cg)->ksp, &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(KSPSetTolerances((*cg)->ksp, 1e-15, 1e-50, PETSC_CURRENT, 10000));
    PetscCall(PlexHDGCGSolve(*cg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSetType((*cg)->ksp, KSPRICHARDSON));
  PetscCall(KSPGetPC((*cg)->ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(KSPSetTolerances((*cg)->ksp, 1e-14, 1e-50, PETSC_CURRENT, 10000));
  PetscCall(PlexHDGCGSolve(*cg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A polynomial of the degree is the solution itself, where elements are affine or its degree is that of a bilinear
   map's images */
static PetscErrorCode TestPolynomial(const char backend[], const Case *c, PetscInt P)
{
  Power       p;
  PlexHDG     hdg;
  PlexHDGCG   cg;
  DM          dm;
  PetscReal   largest, L2;
  PetscInt    m;
  PetscBool   symmetric = PETSC_TRUE;
  PetscMPIInt size;
  char        of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, c->name, P));
  p.P = P;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_FALSE, &p.w);
  PetscCall(MakeMesh(c, 0, &dm));
  PetscCall(PlexTestHDGCreate(dm, P, &p.w, backend, &hdg));
  PetscCall(PlexHDGSetSource(hdg, PowerSource, &p));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, PowerKnown, &p));
  PetscCall(Solve(hdg, &cg));
  PetscCall(PlexHDGCGComputeError(cg, PowerU, &p, &largest, &L2));
  PetscCall(MatGetSize(cg->A, &m, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscCall(MatIsSymmetric(cg->A, 1e-11, &symmetric));
  PetscCall(PlexTestReportOf((PetscBool)(largest < 1e-11), of, "a polynomial of that degree is found",
                             "largest error %g, %" PetscInt_FMT " unknowns", (double)largest, m));
  if (size == 1) PetscCall(PlexTestReportOf(symmetric, of, "the matrix is symmetric", "it is not"));
  PetscCall(PlexHDGCGDestroy(&cg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of two meshes; the matrix as on the host, and with the same bits again */
static PetscErrorCode TestRate(const char backend[], const Case *c, PetscInt P)
{
  PlexTestWaves w;
  PetscReal     largest, L2[2] = {0., 0.}, difference, norm;
  char          of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, c->name, P));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), DMPolytopeTypeGetDim(c->cell) == 3 ? 1.5 : 4., PETSC_TRUE,
                          PETSC_FALSE, &w);
  for (PetscInt level = 0; level < (strcmp(backend, PLEXBACKENDEMULATE) ? 2 : 1); ++level) {
    const char *backends[2] = {backend, PLEXBACKENDHOST};
    PlexHDG     hdg[2];
    PlexHDGCG   cg[2];
    Mat         A;
    PetscBool   same;
    DM          dm;

    PetscCall(MakeMesh(c, level + (P < 3 && strcmp(backend, PLEXBACKENDEMULATE)), &dm));
    for (int k = 0; k < (level ? 1 : 2); ++k) {
      PetscCall(PlexTestHDGCreate(dm, P, &w, backends[k], &hdg[k]));
      PetscCall(Solve(hdg[k], &cg[k]));
    }
    PetscCall(PlexHDGCGComputeError(cg[0], PlexTestWavesU, &w, &largest, &L2[level]));
    if (!level) {
      PetscCall(MatDuplicate(cg[0]->A, MAT_COPY_VALUES, &A));
      PetscCall(PlexHDGCGSolve(cg[0]));
      PetscCall(MatEqual(A, cg[0]->A, &same));
      PetscCall(PlexTestReportOf(same, of, "assembled again it has the same bits", "it has not"));
      PetscCall(MatNorm(cg[1]->A, NORM_FROBENIUS, &norm));
      PetscCall(MatAXPY(A, -1., cg[1]->A, SAME_NONZERO_PATTERN));
      PetscCall(MatNorm(A, NORM_FROBENIUS, &difference));
      PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-13 * norm), of, "the matrix as the host has it",
                                 "%g of %g", (double)difference, (double)norm));
      PetscCall(MatDestroy(&A));
    }
    for (int k = 0; k < (level ? 1 : 2); ++k) {
      PetscCall(PlexHDGCGDestroy(&cg[k]));
      PetscCall(PlexHDGDestroy(&hdg[k]));
    }
    PetscCall(DMDestroy(&dm));
  }
  if (strcmp(backend, PLEXBACKENDEMULATE))
    PetscCall(PlexTestReportOf((PetscBool)(PetscLog2Real(L2[0] / L2[1]) >
                                           P + (DMPolytopeTypeGetDim(c->cell) == 3 ? 0.3 : 0.7)),
                               of, "u falls as h^(P+1)", "errors %g, %g", (double)L2[0], (double)L2[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunNeumann(void *ctx)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  PlexHDGCG     cg;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_TRUE, &w);
  PetscCall(PlexTestHDGCreate((DM)ctx, 2, &w, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexHDGCGCreate(hdg, &cg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;
  DM                 dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      for (PetscInt P = cases[k].P[0]; P <= cases[k].P[1]; ++P) {
        /* each of them compiles kernels */
        if (!strcmp(backends[b], PLEXBACKENDEMULATE) && P != (k ? 2 : 1) && P != (k ? 2 : 3)) continue;
        if (!cases[k].curved) PetscCall(TestPolynomial(backends[b], &cases[k], P));
        if (size == 1) PetscCall(TestRate(backends[b], &cases[k], P));
      }
    }
  }
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 0, &dm));
  EXPECT("other conditions than Dirichlet's", RunNeumann, dm, "for Dirichlet's conditions", "has condition");
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
