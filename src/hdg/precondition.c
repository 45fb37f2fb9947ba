/*
  The trace's preconditioner where its type is `mg`: two levels, of which the coarse one has continuous functions of
  degree 1 (coarse.c).

  The smoother is that of smoother.c. The coarse matrix goes to algebraic multigrid, or to a direct solver where it is small
  (below.c). All of it is PCMG with options of its own, -plex_hdg_mg_levels_... and -plex_hdg_mg_coarse_...
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

  PetscFunctionBegin;
  PetscCall(PlexHDGLinesDestroy_Private(&c->lines));
  if (!hdg->elements && !hdg->groups) PetscCall(PlexHDGLinesCreate_Private(hdg, &c->lines));
  PetscCall(PCMGSetLevels(pc, c->N ? 2 : 1, NULL));
  PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_NONE));
  if (c->direct) {
    hdg->smoother[0] = hdg->smoother[1] = (PlexHDGLevel){0};
    PetscCall(PlexHDGSetDirectLevel_Private(hdg, pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGSetSmoother_Private(hdg, pc));
  if (c->N) PetscCall(PlexHDGSetCoarseSolver_Private(hdg, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpPreconditioner_Private(PlexHDG hdg)
{
  const PetscBool  product = (PetscBool)(hdg->elastic ||
                                         hdg->groups); /* the coarse matrix is one by PETSc, of K as a whole */
  PetscBool        mg, first = PETSC_FALSE, stay, mine[PLEX_HOST_PRODUCTS];
  PetscObjectState state;
  MatNullSpace     space;
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
    PetscCall(PlexHDGLevelsStay_Private(hdg, pc, &stay));
    if (!stay) PetscCall(PlexHDGResetPreconditioner_Private(hdg));
    first = (PetscBool)!hdg->coarse->state;
    if (hdg->coarse->A) PetscCall(PlexHDGHoldConstants_Private(hdg, hdg->coarse->A));
  }
  PetscCall(PlexHDGHoldConstants_Private(hdg, hdg->A));
  PetscCall(MatGetNullSpace(hdg->A, &space));
  if (hdg->operator) PetscCall(MatSetNullSpace(hdg->operator, space)); /* of a copy of K */
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
