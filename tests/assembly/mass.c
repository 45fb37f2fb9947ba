static char help
  [] = "Mass matrices of DMCreateMassMatrix() and DMCreateMassMatrixLumped() against PETSc's own, and who assembled.\n"
       "With libplexgpu_preload.so before PETSc the program says nothing of PlexGPU.\n"
       "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default host,emulate.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static PetscBool preloaded; /* libplexgpu_preload.so stands before PETSc, by LD_PRELOAD */

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       degree, components, coordinates, overlap;
  PlexTestForm   form;
  PetscBool      noForm; /* the weak form is empty. Else PETSc's lumped matrix has other terms too */
  PetscBool      robin;  /* a boundary with a Jacobian, which PETSc adds to a mass matrix */
  PetscBool      left;
} Case;

static const Case cases[] = {
  {.name = "segments P2", .cell = DM_POLYTOPE_SEGMENT, .degree = 2, .components = 1},
  {.name       = "triangles P1 vector",
   .cell       = DM_POLYTOPE_TRIANGLE,
   .degree     = 1,
   .components = 2,
   .overlap    = 1,
   .noForm     = PETSC_TRUE},
  {.name        = "curved quadrilaterals Q2",
   .cell        = DM_POLYTOPE_QUADRILATERAL,
   .degree      = 2,
   .components  = 1,
   .coordinates = 2,
   .noForm      = PETSC_TRUE},
  {.name = "triangles P2 and P1", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 2, .form = PLEX_TEST_MIXED},
  {.name       = "triangles P2 and P1, no form",
   .cell       = DM_POLYTOPE_TRIANGLE,
   .degree     = 2,
   .components = 2,
   .form       = PLEX_TEST_MIXED,
   .noForm     = PETSC_TRUE},
  {.name = "tetrahedra P2 vector", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 3, .noForm = PETSC_TRUE},
  {.name = "hexahedra Q1 vector", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 3},
  {.name       = "triangles P1, Robin",
   .cell       = DM_POLYTOPE_TRIANGLE,
   .degree     = 1,
   .components = 1,
   .noForm     = PETSC_TRUE,
   .robin      = PETSC_TRUE},
};

/* Who assembles, of residuals and Jacobians */
typedef struct {
  PetscInt petsc, here;
} Counts;

static PetscErrorCode CountCalls(Counts *counts)
{
  const char *const events[] = {"DMPlexJacobianFE", "PlexJacobian", "PlexResidual"};
  PetscInt          n[3]     = {0, 0, 0}, nstages;
  PetscLogState     state;

  PetscFunctionBegin;
  PetscCall(PetscLogGetState(&state));
  PetscCall(PetscLogStateGetNumStages(state, &nstages));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscLogEvent id;

    PetscCall(PetscLogEventGetId(events[k], &id));
    for (PetscInt stage = 0; stage < nstages && id >= 0; ++stage) {
      PetscEventPerfInfo info;

      PetscCall(PetscLogEventGetPerfInfo(stage, id, &info));
      n[k] += info.count;
    }
  }
  counts->petsc = n[0];
  counts->here  = n[1] + n[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void robin_g0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                     const PetscScalar constants[], PetscScalar g0[])
{
  (void)dim, (void)Nf, (void)NfAux, (void)uOff, (void)uOff_x, (void)u, (void)u_t, (void)u_x, (void)aOff, (void)aOff_x;
  (void)a, (void)a_t, (void)a_x, (void)t, (void)u_tShift, (void)n, (void)numConstants, (void)constants;
  g0[0] = 3.0 + x[0];
}

static PetscErrorCode AddRobin(DM dm)
{
  PetscDS        ds;
  PetscWeakForm  wf;
  DMLabel        label;
  const PetscInt value = 1;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "robin", label, 1, &value, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, value, 0, 0, 0, 0, robin_g0, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDM(const Case *c, PetscBool device, DM *dm)
{
  const PlexTestProblem problem = {.cell        = c->cell,
                                   .degree      = c->degree,
                                   .components  = c->components,
                                   .coordinates = c->coordinates,
                                   .form        = c->form ? c->form : PLEX_TEST_GENERAL,
                                   .device      = device};
  PetscDS               ds;
  PetscWeakForm         wf;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestProblemShare(&problem, c->overlap, dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  if (c->noForm) PetscCall(PetscWeakFormClear(wf));
  if (c->robin) PetscCall(AddRobin(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Mat M;
  Vec local[2], global[2]; /* of calls for both vectors, and of calls for one */
} Results;

static PetscErrorCode Compute(DM dm, Results *r)
{
  PetscFunctionBegin;
  PetscCall(DMCreateMassMatrix(dm, NULL, &r->M));
  PetscCall(DMCreateMassMatrixLumped(dm, &r->local[0], &r->global[0]));
  PetscCall(DMCreateMassMatrixLumped(dm, &r->local[1], NULL));
  PetscCall(DMCreateMassMatrixLumped(dm, NULL, &r->global[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyResults(Results *r)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&r->M));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&r->local[k]));
    PetscCall(VecDestroy(&r->global[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a program that takes over, if PlexGPU is not there before PETSc */
static PetscErrorCode TakeOver(DM dm)
{
  PetscFunctionBegin;
  if (!preloaded) PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(const Case *c, const char backend[], PetscBool device)
{
  DM        dm;
  Results   petsc, here;
  Counts    n[3];
  PetscReal error[3] = {0, 0, 0}, one;
  PetscInt  left     = c->left ? 4 : c->robin || !c->noForm ? 3 : 0;
  PetscBool good;
  char      name[128];

  PetscFunctionBegin;
  PetscCall(CreateDM(c, device, &dm));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c->name));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly", "false"));
  PetscCall(CountCalls(&n[0]));
  PetscCall(Compute(dm, &petsc));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly"));
  PetscCall(TakeOver(dm));
  PetscCall(CountCalls(&n[1]));
  PetscCall(Compute(dm, &here));
  PetscCall(CountCalls(&n[2]));
  PetscCall(PlexTestMatError(here.M, petsc.M, &error[0]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestVecError(here.local[k], petsc.local[k], &one));
    error[1] = PetscMax(error[1], one);
    PetscCall(PlexTestVecError(here.global[k], petsc.global[k], &one));
    error[2] = PetscMax(error[2], one);
  }
  good = (PetscBool)(error[0] < 1e-12 && error[1] < 1e-12 && error[2] < 1e-12);
  PetscCall(PlexTestReportOf(good, name, "values", "relative differences %g, lumped %g and %g", (double)error[0],
                             (double)error[1], (double)error[2]));
  good = (PetscBool)(n[1].petsc - n[0].petsc == 4 && n[1].here == n[0].here && n[2].petsc - n[1].petsc == left &&
                     n[2].here - n[1].here == 4 - left);
  PetscCall(PlexTestReportOf(good, name, "who assembles",
                             "PETSc %" PetscInt_FMT " times, PlexGPU %" PetscInt_FMT " times, not %" PetscInt_FMT
                             " and %" PetscInt_FMT "; alone, PETSc %" PetscInt_FMT,
                             n[2].petsc - n[1].petsc, n[2].here - n[1].here, left, 4 - left, n[1].petsc - n[0].petsc));
  PetscCall(DestroyResults(&here));
  PetscCall(DestroyResults(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a call reads is what the DM has then: other coordinates, another matrix type */
static PetscErrorCode LookAtChange(const char backend[])
{
  DM          dm;
  Vec         x;
  Mat         M[3];
  PetscReal   first, second;
  char        name[128];
  PetscBool   dense;
  PetscScalar sum[3];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s a mesh that moves", backend));
  PetscCall(CreateDM(&cases[1], PETSC_FALSE, &dm));
  PetscCall(TakeOver(dm));
  PetscCall(DMCreateMassMatrix(dm, dm, &M[0]));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecScale(x, 2.0));
  PetscCall(DMSetCoordinatesLocal(dm, x));
  PetscCall(DMCreateMassMatrix(dm, dm, &M[1]));
  PetscCall(DMSetMatType(dm, MATDENSE));
  PetscCall(DMCreateMassMatrix(dm, dm, &M[2]));
  for (PetscInt k = 0; k < 3; ++k) {
    Vec a, b;

    PetscCall(MatCreateVecs(M[k], &a, &b));
    PetscCall(VecSet(a, 1.0));
    PetscCall(MatMult(M[k], a, b));
    PetscCall(VecSum(b, &sum[k]));
    PetscCall(VecDestroy(&a));
    PetscCall(VecDestroy(&b));
  }
  first  = PetscAbsScalar(sum[1] / sum[0] - 4.0);
  second = PetscAbsScalar(sum[2] / sum[1] - 1.0);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)M[2], &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(PlexTestReport((PetscBool)(first < 1e-12 && second < 1e-12 && dense), name,
                           "twice the size: off by %g; dense: %d, off by %g", (double)first, (int)dense,
                           (double)second));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(MatDestroy(&M[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A space of linear functions on n x n quadrilaterals of a square */
static PetscErrorCode CreateSquare(PetscInt n, DM *dm)
{
  const PetscInt faces[2] = {n, n};
  PetscFE        fe;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, 1, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetCoordinatesLocalSetUp(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is left to PETSc: between two meshes; on a mesh with two PetscDS; lumped, of a form that PETSc keeps */
typedef struct {
  const char *name, *line;
  PetscBool   lumped;
  DM          coarse, fine;
  Mat         M;
  Vec         v;
} Left;

/* A constant on some cells more */
static PetscErrorCode AddRegion(DM dm)
{
  PetscFE  fe;
  DMLabel  some;
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "some"));
  PetscCall(DMGetLabel(dm, "some", &some));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; c += 3) PetscCall(DMLabelSetValue(some, c, 1));
  PetscCall(DMClearDS(dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, 0, 1, &fe));
  PetscCall(DMAddField(dm, some, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeLeft(void *ctx)
{
  Left *l = (Left *)ctx;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&l->M));
  PetscCall(VecDestroy(&l->v));
  if (l->lumped) PetscCall(DMCreateMassMatrixLumped(l->coarse, &l->v, NULL));
  else PetscCall(DMCreateMassMatrix(l->coarse, l->fine, &l->M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's result, and a line with the reason, once a run; an error with -plex_assembly_fallback false */
static PetscErrorCode LookAtLeft(Left *l)
{
  Mat       M;
  Vec       v;
  PetscReal error;
  Counts    n[2];
  PetscBool once, quiet;
  char      text[2][1024];

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly", "false"));
  PetscCall(MakeLeft(l));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly"));
  M    = l->M;
  v    = l->v;
  l->M = NULL;
  l->v = NULL;
  PetscCall(TakeOver(l->coarse));
  PetscCall(CountCalls(&n[0]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexTestCapture(MakeLeft, l, text[k], sizeof(text[k])));
  PetscCall(CountCalls(&n[1]));
  if (l->lumped) PetscCall(PlexTestVecError(l->v, v, &error));
  else PetscCall(PlexTestMatError(l->M, M, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error == 0.0 && n[0].here == n[1].here), l->name, "PETSc's result",
                             "differs by %g", (double)error));
  PetscCall(PetscStrcmp(text[0], l->line, &once));
  quiet = (PetscBool)!text[1][0];
  PetscCall(PlexTestReportOf((PetscBool)(once && quiet), l->name, "a line says that PETSc does it, once",
                             "'%s' and '%s' were to be '%s' and nothing", text[0], text[1], l->line));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  EXPECT(l->name, MakeLeft, l, "PlexGPU cannot assemble this", "-plex_assembly_fallback");
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_fallback"));
  PetscCall(MatDestroy(&l->M));
  PetscCall(VecDestroy(&l->v));
  PetscCall(MatDestroy(&M));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void advection_g1(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                         const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                         const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                         const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                         PetscInt numConstants, const PetscScalar constants[], PetscScalar g1[])
{
  (void)Nf, (void)NfAux, (void)uOff, (void)uOff_x, (void)u, (void)u_t, (void)u_x, (void)aOff, (void)aOff_x, (void)a;
  (void)a_t, (void)a_x, (void)t, (void)u_tShift, (void)x, (void)numConstants, (void)constants;
  for (PetscInt d = 0; d < dim; ++d) g1[d] = 1.0 + d;
}

static PetscErrorCode LookAtAllLeft(void)
{
  Left cases[] = {
    {.name = "between two meshes",
     .line = "PlexGPU: mass matrices are left to PETSc: two DMs, where each process looks up the points of one in the "
             "cells of the other\n"},
    {.name = "two PetscDS",
     .line = "PlexGPU: mass matrices are left to PETSc: a DM that does not have one PetscDS: PETSc sets functions of "
             "one "
             "and takes all cells for its own\n"},
    {.name   = "lumped, with g1",
     .line   = "PlexGPU: lumped mass matrices are left to PETSc: PETSc adds g1, g2, g3, Jacobians of one field by "
               "another "
               "and boundary conditions of the DM's form to them\n", .lumped = PETSC_TRUE}
  };
  PetscDS ds;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    Left *l = &cases[k];

    if (!k) PetscCall(PetscOptionsSetValue(NULL, "-dm_plex_hash_location", "true"));
    PetscCall(CreateSquare(3, &l->coarse));
    if (!k) PetscCall(CreateSquare(6, &l->fine));
    PetscCall(PetscOptionsClearValue(NULL, "-dm_plex_hash_location"));
    if (k == 1) PetscCall(AddRegion(l->coarse));
    PetscCall(DMGetDS(l->coarse, &ds));
    if (k == 2) PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, advection_g1, NULL, NULL));
    PetscCall(LookAtLeft(l));
    PetscCall(DMDestroy(&l->fine));
    PetscCall(DMDestroy(&l->coarse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAll(const char backend[])
{
  PetscBool device, host;

  PetscFunctionBegin;
  PetscCall(PlexTestOnDevice(&device));
  PetscCall(PetscStrcmp(backend, "host", &host));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_backend", backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    Case c = cases[k];

    if (!PlexTestWanted()) continue;
    c.left = (PetscBool)(c.robin && !host); /* a kernel would need the source of robin_g0() too */
    PetscCall(Look(&c, backend, device));
  }
  PetscCall(LookAtChange(backend));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char        *libraries = getenv("LD_PRELOAD");
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  preloaded = (PetscBool)(libraries && strstr(libraries, "libplexgpu_preload"));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(LookAtAllLeft()); /* first: a line is printed once a run */
  for (PetscInt k = 0; k < n; ++k) PetscCall(LookAll(backends[k]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
