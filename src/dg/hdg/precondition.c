/*
  The trace's preconditioner where its type is `mg`: two levels, of which the coarse one has continuous functions of degree 1 (coarse.c).

  The smoother on the faces is Chebyshev's iteration with the inverses of the faces' blocks, D. Its bounds need no estimate: K is a sum of elements' matrices K^e, D^-1 K has no
  eigenvalue beyond the largest of any (D^e)^-1 K^e, and those add up to the number of an element's faces times their functions, which bounds the largest by the number of faces.
  All of it is PCMG with options of its own, -plex_hdg_mg_levels_... and -plex_hdg_mg_coarse_...
*/
#include "hdgimpl.h"

static PetscErrorCode PlexHDGCompile(PlexHDG hdg, PlexHDGCoarse c)
{
  const PetscInt Nf   = hdg->reference->Nf;
  char          *text = NULL;
  size_t         size = 0;
  FILE          *file = open_memstream(&text, &size);
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  fprintf(file, "#define PLEX_DIM %d\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NF %d\n#define PLEX_HDG_VERTICES %d\n#define PLEX_HDG_MODES %d\n", (int)hdg->reference->dim, (int)Nf, (int)c->nv, (int)c->nmodes);
  fprintf(file, "static __device__ constexpr int plex_hdg_modes[%d] = {", (int)c->nmodes);
  for (PetscInt m = 0; m < c->nmodes; ++m) fprintf(file, "%s%d", m ? ", " : "", c->modes[m]);
  fprintf(file, "};\nstatic __device__ constexpr double plex_hdg_weights[%d][%d] = {\n", (int)c->nv, (int)c->nmodes);
  for (PetscInt v = 0; v < c->nv; ++v) {
    fprintf(file, "{");
    for (PetscInt m = 0; m < c->nmodes; ++m) fprintf(file, "%s%.17g", m ? ", " : "", (double)c->weights[v * Nf + c->modes[m]]);
    fprintf(file, "},\n");
  }
  fprintf(file, "};\n#include \"hdg/precondition.cu\"\n");
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  ierr = PlexBackendCompile(hdg->backend, "hdg_precondition.cu", 0, NULL, text, &c->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_invert", &c->invert));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_blocks", &c->apply));
  PetscCall(PlexModuleGetKernel(c->module, "plex_hdg_coarse", &c->sums));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = D^-1 r */
static PetscErrorCode PlexHDGApplyBlocks(PC pc, Vec r, Vec z)
{
  PlexHDG       hdg;
  PlexHDGCoarse c;
  int           n;
  PetscInt      blocks = 0;
  void         *arguments[4];

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &hdg));
  c = hdg->coarse;
  n = (int)(hdg->mesh->nown * hdg->reference->Nf);
  PetscCall(PlexBackendVecGet(hdg->backend, r, PLEX_READ, &c->arrayR));
  PetscCall(PlexBackendVecGet(hdg->backend, z, PLEX_WRITE, &c->arrayZ));
  arguments[0] = &c->inverses;
  arguments[1] = &n;
  arguments[2] = &c->arrayR.array;
  arguments[3] = &c->arrayZ.array;
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  if (n) PetscCall(PlexKernelLaunch(c->apply, blocks, 128, 0, arguments));
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayR));
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayZ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of the coarse matrix, [npairs][nv], of both parts of K */
static PetscErrorCode PlexHDGSumParts(PlexHDG hdg, PlexHDGCoarse c, const double A[], const double B[])
{
  const PetscInt nv = c->nv, Nf = hdg->reference->Nf;
  int            n           = (int)(c->npairs * nv);
  PetscInt       blocks      = 0;
  void          *arguments[] = {&hdg->blocks, (void *)&c->start, (void *)&c->items, &n, (void *)&A, (void *)&B, &c->parts};

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
        for (PetscInt o = 0; o < c->nmodes; ++o) c->parts[k] += W[c->modes[m]] * K[c->modes[m] * b->stride + c->modes[o]] * U[c->modes[o]];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverses of the faces' blocks, where kernels multiply by them */
static PetscErrorCode PlexHDGInvertBlocks(PlexHDG hdg, PlexHDGCoarse c, const double A[])
{
  const PetscInt Nf          = hdg->reference->Nf;
  void          *arguments[] = {&hdg->blocks, (void *)&c->diagonal, (void *)&A, &c->inverses};

  PetscFunctionBegin;
  if (!c->inverses) PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(double) * hdg->mesh->nown * Nf * Nf, (void **)&c->inverses));
  if (hdg->mesh->nown) PetscCall(PlexKernelLaunch(c->invert, hdg->mesh->nown, Nf * Nf <= 36 ? 32 : 128, sizeof(double) * Nf * (Nf + 2), arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that K's values say */
static PetscErrorCode PlexHDGCoarseUpdate(PlexHDG hdg)
{
  PlexHDGCoarse c = hdg->coarse;
  Mat           diagonal, other;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
  PetscCall(PlexBackendMatGet(hdg->backend, diagonal, &hdg->arrayA)); /* K's values are in place and stay what they are */
  if (other) PetscCall(PlexBackendMatGet(hdg->backend, other, &hdg->arrayB));
  if (c->N) PetscCall(PlexHDGSumParts(hdg, c, hdg->arrayA.array, other ? hdg->arrayB.array : NULL));
  if (c->invert) PetscCall(PlexHDGInvertBlocks(hdg, c, hdg->arrayA.array));
  PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayA));
  if (other) PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayB));
  if (c->N) PetscCall(MatSetValuesCOO(c->A, c->parts, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chebyshev's iteration with the faces' blocks; on the only level once */
static PetscErrorCode PlexHDGSetSmoother(PlexHDG hdg, KSP smoother, PetscBool only)
{
  const PetscReal largest = (PetscReal)hdg->mesh->faces;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(KSPSetType(smoother, only ? KSPPREONLY : KSPCHEBYSHEV));
  if (!only) PetscCall(KSPSetTolerances(smoother, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1));
  if (!only) PetscCall(KSPChebyshevSetEigenvalues(smoother, largest, 0.1 * largest));
  PetscCall(KSPGetPC(smoother, &pc));
  if (hdg->coarse->apply) {
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetName(pc, "inverses of the faces' blocks of K"));
    PetscCall(PCShellSetContext(pc, hdg));
    PetscCall(PCShellSetApply(pc, PlexHDGApplyBlocks));
  } else PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Algebraic multigrid for the values at vertices, whose coarsest level, solved directly, is large enough for few levels */
static PetscErrorCode PlexHDGSetCoarseSolver(PlexHDG hdg, PC mg)
{
  PetscReal threshold = 0.01;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PCMGSetInterpolation(mg, 1, hdg->coarse->P));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(KSPSetOperators(ksp, hdg->coarse->A, hdg->coarse->A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetAggressiveLevels(pc, 0));
  PetscCall(PCGAMGSetCoarseEqLim(pc, 500));
  PetscCall(PCGAMGSetThreshold(pc, &threshold, 1));
  if (!hdg->nonlinear) PetscCall(PCGAMGSetRecomputeEstEig(pc, PETSC_FALSE)); /* values change little beside the diagonal */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpPreconditioner_Private(PlexHDG hdg)
{
  PetscBool     mg;
  PlexHDGCoarse c;
  KSP           ksp, smoother;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &mg));
  if (!mg) PetscFunctionReturn(PETSC_SUCCESS);
  if (hdg->coarse) {
    PetscCall(PlexHDGCoarseUpdate(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGCoarseCreate_Private(hdg, &hdg->coarse));
  c = hdg->coarse;
  if (hdg->backend->kernels) PetscCall(PlexHDGCompile(hdg, c));
  PetscCall(PlexHDGCoarseUpdate(hdg));
  PetscCall(PCMGSetLevels(pc, c->N ? 2 : 1, NULL));
  PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_NONE));
  PetscCall(PCMGGetSmoother(pc, c->N ? 1 : 0, &smoother));
  PetscCall(PlexHDGSetSmoother(hdg, smoother, (PetscBool)!c->N));
  if (c->N) PetscCall(PlexHDGSetCoarseSolver(hdg, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
