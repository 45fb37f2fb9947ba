/*
  The trace's preconditioner where its type is `mg`: two levels, of which the coarse one has continuous functions of
  degree 1 (coarse.c).

  The smoother on the faces has the blocks D of faces. On triangles it is a step x <- x + omega D^-1 (b - K x) before, and
  one after. omega needs no estimate: K is a sum of elements' matrices K^e, so no eigenvalue of D^-1 K is beyond the largest
  of any (D^e)^-1 K^e, which is the number of an element's faces at most, as that of (D^e)^-1 times each of its blocks is 1.
  On other cells, where the largest is well below that, and of Stokes's equations, it is Chebyshev's iteration with D^-1
  and the optimal polynomials of the 4th kind (Phillips and Fischer 2022, arXiv:2210.03179), whose only number PETSc estimates
  once for a matrix, by ten products. The coarse matrix goes to algebraic multigrid, or to a direct solver where it is small
  (below.c). Where elements are anisotropic the smoother is one along lines of them (lines.c). With convection K is not such a sum, and the smoother is a step with incomplete factors. All of it is PCMG with options of its own, -plex_hdg_mg_levels_... and -plex_hdg_mg_coarse_...
*/
#include "stokes.h"
#include <plexgpu/private/util.h>
#include "groups.h"
#include "trace.h"

PetscErrorCode PlexHDGCoarseCompile_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  const PetscInt Nf   = hdg->reference->Nf;
  char          *text = NULL;
  size_t         size = 0;
  FILE          *file = open_memstream(&text, &size);
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  fprintf(file,
          "#define PLEX_DIM %d\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NF %d\n#define PLEX_HDG_FACES %d\n#define "
          "PLEX_HDG_VERTICES %d\n#define PLEX_HDG_MODES %d\n",
          (int)hdg->reference->dim, (int)PlexHDGBlockSize(hdg), (int)hdg->mesh->faces, (int)c->nv, (int)c->nmodes);
  fprintf(file, "static __device__ constexpr int plex_hdg_modes[%d] = {", (int)c->nmodes);
  for (PetscInt m = 0; m < c->nmodes; ++m) fprintf(file, "%s%d", m ? ", " : "", c->modes[m]);
  fprintf(file, "};\nstatic __device__ constexpr double plex_hdg_weights[%d][%d] = {\n", (int)c->nv, (int)c->nmodes);
  for (PetscInt v = 0; v < c->nv; ++v) {
    fprintf(file, "{");
    for (PetscInt m = 0; m < c->nmodes; ++m)
      fprintf(file, "%s%.17g", m ? ", " : "", (double)c->weights[v * Nf + c->modes[m]]);
    fprintf(file, "},\n");
  }
  fprintf(file, "};\n#include \"hdg/precondition.cu\"\n");
  if (hdg->elements)
    fprintf(file,
            "#define PLEX_HDG_BLOCK PLEX_HDG_NF\n#define PLEX_HDG_NT %d\n#define PLEX_HDG_TILE %d\n#define "
            "PLEX_HDG_WIDTH %d\n#define PLEX_HDG_CORNERS %d\n#define PLEX_HDG_COMPONENTS %d\n#include "
            "\"hdg/traceparts.cu\"\n",
            (int)PlexHDGTraceSize(hdg), (int)hdg->elements->tile, (int)hdg->elements->width,
            DMPolytopeTypeGetNumVertices(hdg->mesh->cell), (int)PlexHDGComponents(hdg));
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  ierr = PlexBackendCompile(hdg->backend, hdg->elements ? "hdg_traceparts.cu" : "hdg_precondition.cu", 0, NULL, text,
                            &c->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(c->module, hdg->elements ? "plex_hdg_trace_invert" : "plex_hdg_invert", &c->invert));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_smooth", &c->smooth));
  PetscCall(PlexModuleGetKernel(c->module, hdg->elements ? "plex_hdg_trace_coarse" : "plex_hdg_coarse", &c->sums));
  if (hdg->elements) PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_trace_coarse_robin", &c->sumsRobin));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_count_pairs", &c->countPairs));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_write_pairs", &c->writePairs));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_distinct", &c->distinct));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_sum_parts", &c->sumParts));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by the host, n functions of all faces */
static void PlexHDGSmoothHost(PlexHDG hdg, PetscInt n, const double b[], const double w[], double x[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt first = k - k % Nf;
    const double  *D     = &hdg->coarse->inverses[(size_t)first * Nf + k % Nf];
    double         sum   = 0.;

    for (PetscInt j = 0; j < Nf; ++j) sum += D[j * Nf] * (w ? b[first + j] - w[first + j] : b[first + j]);
    x[k] = w ? x[k] + sum : sum;
  }
}

/* x = omega D^-1 b, or x + omega D^-1 (b - w) where there is w = K x */
static PetscErrorCode PlexHDGSmooth(PlexHDG hdg, Vec b, Vec w, Vec x)
{
  PlexHDGCoarse c           = hdg->coarse;
  int           n           = (int)(hdg->mesh->nown * PlexHDGBlockSize(hdg));
  PetscInt      blocks      = 0;
  double       *none        = NULL;
  void         *arguments[] = {&c->inverses, &n, &c->arrayB.array, w ? (void *)&c->arrayW.array : (void *)&none,
                               &c->arrayX.array};

  PetscFunctionBegin;
  if (c->lines) {
    PetscCall(PlexHDGLinesSmooth_Private(c->lines, b, w, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendVecGet(hdg->backend, b, PLEX_READ, &c->arrayB));
  if (w) PetscCall(PlexBackendVecGet(hdg->backend, w, PLEX_READ, &c->arrayW));
  PetscCall(PlexBackendVecGet(hdg->backend, x, w ? PLEX_CHANGE : PLEX_WRITE, &c->arrayX));
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  if (n && c->smooth) PetscCall(PlexKernelLaunch(c->smooth, blocks, 128, 0, arguments));
  else if (n) PlexHDGSmoothHost(hdg, n, c->arrayB.array, w ? c->arrayW.array : NULL, c->arrayX.array);
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayB));
  if (w) PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayW));
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSmootherApply(PC pc, Vec b, Vec x)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &hdg));
  PetscCall(PlexHDGSmooth(hdg, b, NULL, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of KSPRICHARDSON, all operations on vectors in one launch each */
static PetscErrorCode PlexHDGSmootherRichardson(PC pc, Vec b, Vec x, Vec w, PetscReal rtol, PetscReal abstol,
                                                PetscReal dtol, PetscInt its, PetscBool zero, PetscInt *done,
                                                PCRichardsonConvergedReason *reason)
{
  PlexHDG hdg;
  Mat     K;

  PetscFunctionBegin;
  (void)rtol;
  (void)abstol;
  (void)dtol;
  PetscCall(PCShellGetContext(pc, &hdg));
  PetscCall(PCGetOperators(pc, &K, NULL));
  for (PetscInt k = 0; k < its; ++k) {
    if (k || !zero) PetscCall(MatMult(K, x, w));
    PetscCall(PlexHDGSmooth(hdg, b, k || !zero ? w : NULL, x));
  }
  *done   = its;
  *reason = PCRICHARDSON_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of the coarse matrix, [npairs][nv], of both parts of K */
static PetscErrorCode PlexHDGSumParts(PlexHDG hdg, PlexHDGCoarse c, const double A[], const double B[])
{
  const PetscInt nv = c->nv, Nf = hdg->reference->Nf;
  int            n      = (int)c->nparts;
  PetscInt       blocks = 0;
  void *arguments[]     = {&hdg->blocks, (void *)&c->start, (void *)&c->items, &n, (void *)&A, (void *)&B, &c->parts};

  PetscFunctionBegin;
  if (c->sums && n) {
    PetscCall(PlexHDGBlocks_Private(n, &blocks));
    PetscCall(PlexKernelLaunch(c->sums, blocks, 128, 0, arguments));
  }
  for (int k = 0; !c->sums && k < n; ++k) {
    const PetscReal *W = &c->weights[k % nv * Nf];

    c->parts[k] = 0.;
    for (int s = c->start[k / nv]; s < c->start[k / nv + 1]; ++s) {
      const PlexHDGBlock *b = &hdg->blocks[c->items[s] / nv];
      const double       *K = (b->part ? B : A) + b->target;
      const PetscReal    *U = &c->weights[c->items[s] % nv * Nf];

      for (PetscInt m = 0; m < c->nmodes; ++m)
        for (PetscInt o = 0; o < c->nmodes; ++o)
          c->parts[k] += W[c->modes[m]] * K[c->modes[m] * b->stride + c->modes[o]] * U[c->modes[o]];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverses of the faces' blocks, where kernels multiply by them */
static PetscErrorCode PlexHDGInvertBlocks(PlexHDG hdg, PlexHDGCoarse c, const double A[])
{
  const PetscInt Nf          = hdg->reference->Nf;
  void          *arguments[] = {&hdg->blocks, (void *)&c->diagonal, (void *)&A, &c->omega, &c->inverses};

  PetscFunctionBegin;
  if (!c->inverses)
    PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(double) * hdg->mesh->nown * Nf * Nf,
                                 (void **)&c->inverses));
  if (hdg->mesh->nown)
    PetscCall(PlexKernelLaunch(c->invert, hdg->mesh->nown, Nf * Nf <= 36 ? 32 : 128, sizeof(double) * Nf * (Nf + 2),
                               arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that K's values say */
static PetscErrorCode PlexHDGCoarseUpdate(PlexHDG hdg)
{
  PlexHDGCoarse c = hdg->coarse;
  Mat           diagonal, other;

  PetscFunctionBegin;
  if (hdg->elements) {
    PetscCall(PlexHDGTraceUpdateParts_Private(hdg, c));
    if (c->N && c->order) PetscCall(PlexHDGCoarseSumParts_Private(hdg, c));
    else if (c->N) PetscCall(MatSetValuesCOO(c->A, c->parts, INSERT_VALUES));
    PetscCall(PlexHDGFetchValues_Private(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsUpdateCoarse_Private(hdg, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (hdg->elastic) {
    if (c->N) PetscCall(PlexHDGCoarseUpdateElastic_Private(hdg, c));
    PetscCall(PlexHDGFetchValues_Private(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
  /* K's values are in place and stay what they are */
  PetscCall(PlexBackendMatGet(hdg->backend, diagonal, PLEX_WRITE, &hdg->arrayA));
  if (other) PetscCall(PlexBackendMatGet(hdg->backend, other, PLEX_WRITE, &hdg->arrayB));
  if (c->N) PetscCall(PlexHDGSumParts(hdg, c, hdg->arrayA.array, other ? hdg->arrayB.array : NULL));
  if (c->invert && !hdg->convects && !c->lines) PetscCall(PlexHDGInvertBlocks(hdg, c, hdg->arrayA.array));
  PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayA));
  if (other) PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayB));
  if (c->N && c->order) PetscCall(PlexHDGCoarseSumParts_Private(hdg, c));
  else if (c->N) PetscCall(MatSetValuesCOO(c->A, c->parts, INSERT_VALUES));
  PetscCall(PlexHDGFetchValues_Private(hdg));
  if (c->lines) PetscCall(PlexHDGLinesUpdate_Private(hdg, c->lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step with the faces' blocks, or along lines, where it does much of what is to be done; polynomials of degree 2 or 3 where iterations
   would be many. With convection one step with incomplete factors of each process's part of K, which follow the flow */
static PetscErrorCode PlexHDGSetSmoother(PlexHDG hdg, KSP smoother)
{
  const PetscBool polynomial = (PetscBool)(!hdg->convects && !hdg->navier && !hdg->coarse->lines &&
                                           (hdg->mesh->cell != DM_POLYTOPE_TRIANGLE || hdg->stokes));
  const PetscInt  steps      = !polynomial ? 1 : hdg->mesh->faces == hdg->mesh->dim + 1 ? 3 : 2;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(KSPSetType(smoother, polynomial ? KSPCHEBYSHEV : KSPRICHARDSON));
  PetscCall(KSPSetTolerances(smoother, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, steps));
  if (hdg->convects || hdg->navier) {
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscCall(KSPRichardsonSetScale(smoother, 1.));
  } else if (hdg->coarse->smooth || hdg->coarse->lines || hdg->elements) {
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetName(pc, hdg->coarse->lines ? "solves along lines of elements"
                                                    : "inverses of the faces' blocks of K"));
    PetscCall(PCShellSetContext(pc, hdg));
    PetscCall(PCShellSetApply(pc, PlexHDGSmootherApply));
    PetscCall(PCShellSetApplyRichardson(pc, PlexHDGSmootherRichardson));
  } else {
    PetscCall(PCSetType(pc, PCPBJACOBI));
    if (!polynomial) PetscCall(KSPRichardsonSetScale(smoother, hdg->coarse->omega));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver, and of Stokes's equations that of K within it */
static PetscErrorCode PlexHDGResetKSP(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(KSPReset(hdg->ksp));
  if (hdg->stokes && hdg->stokes->velocity) PetscCall(KSPReset(hdg->stokes->velocity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCreateCoarse(PlexHDG hdg)
{
  PetscFunctionBegin;
  if (hdg->coarse && hdg->elastic && hdg->coarse->direct != PlexHDGElasticIsDirect(hdg)) { /* another material */
    PetscCall(PlexHDGResetKSP(hdg));
    PetscCall(PlexHDGCoarseDestroy_Private(hdg, &hdg->coarse));
  }
  if (hdg->coarse) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGCoarseCreate_Private(hdg, &hdg->coarse));
  hdg->coarse->omega = 2. / (1.1 * (double)hdg->mesh->faces);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels and their solvers */
static PetscErrorCode PlexHDGSetUpLevels(PlexHDG hdg, PC pc)
{
  PlexHDGCoarse c = hdg->coarse;
  KSP           smoother;

  PetscFunctionBegin;
  PetscCall(PlexHDGLinesDestroy_Private(&c->lines));
  if (!hdg->elements && !hdg->groups) PetscCall(PlexHDGLinesCreate_Private(hdg, &c->lines));
  PetscCall(PCMGSetLevels(pc, c->N ? 2 : 1, NULL));
  PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_NONE));
  if (c->direct) {
    PetscCall(PCMGGetCoarseSolve(pc, &smoother));
    PetscCall(KSPSetType(smoother, KSPPREONLY));
    PetscCall(KSPGetPC(smoother, &pc));
    PetscCall(PlexHDGSetDirect_Private(PetscObjectComm((PetscObject)hdg), pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCMGGetSmoother(pc, c->N ? 1 : 0, &smoother));
  PetscCall(PlexHDGSetSmoother(hdg, smoother));
  if (hdg->groups && !hdg->convects) PetscCall(PlexHDGGroupsSetSmoother_Private(smoother));
  if (c->N) PetscCall(PlexHDGSetCoarseSolver_Private(hdg, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpPreconditioner_Private(PlexHDG hdg)
{
  const PetscBool  product = (PetscBool)(hdg->elastic ||
                                         hdg->groups); /* the coarse matrix is one by PETSc, of K as a whole */
  PetscBool        mg, first = PETSC_FALSE, mine[PLEX_HOST_PRODUCTS];
  PetscObjectState state;
  KSP              ksp;
  PC               pc;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGLevels, hdg, 0, 0, 0));
  if (hdg->stokes) PetscCall(PlexHDGStokesGetVelocityKSP_Private(hdg, &ksp));
  else PetscCall(PlexHDGGetKSP(hdg, &ksp));
  if (hdg->elements) PetscCall(PlexHDGTraceCheckSolver_Private(hdg, ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &mg));
  PetscCall(PetscObjectStateGet((PetscObject)hdg->A, &state));
  if (mg) {
    PetscCall(PlexHDGCreateCoarse(hdg));
    first = (PetscBool)!hdg->coarse->state;
  }
  if (first && product) PetscCall(PlexHDGCoarseUpdate(hdg));
  if (first) PetscCall(PlexHDGSetUpLevels(hdg, pc));
  if (mg && hdg->coarse->state != state && !(first && product)) { /* else there is another right-hand side alone */
    PetscCall(PlexHDGCoarseUpdate(hdg));
    PetscCall(PetscObjectStateGet((PetscObject)hdg->A, &hdg->coarse->state)); /* changed where values were looked at */
  }
  if (mg && product) PetscCall(PetscObjectStateGet((PetscObject)hdg->A, &hdg->coarse->state));
  if (mg && hdg->elements) PetscCall(PlexHDGTraceSetSmoother_Private(hdg, ksp, pc));
  PetscCall(KSPSetOperators(ksp, hdg->operator ? hdg->operator : hdg->A, hdg->A));
  PetscCall(PlexHostProductsBegin(mine));
  if (first) PetscCall(PlexHDGSetUpSolver_Private(hdg, ksp));
  else PetscCall(KSPSetUp(ksp));
  PetscCall(PlexHostProductsEnd(mine));
  PetscCall(PetscLogEventEnd(PLEX_HDGLevels, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGResetPreconditioner_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  if (!hdg->coarse || !hdg->coarse->state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGResetKSP(hdg));
  hdg->coarse->state = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
