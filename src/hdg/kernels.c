/* The stages of a hybridized DG method by kernels: cuda/hdg/. Sizes of teams and blocks, where the workspace is,
   launches. Elements that are not affine have kernels of their own, and come first */
#include "navier.h"

#define PLEX_HDG_BLOCK 128 /* threads of a block, where a team is smaller */
#define PLEX_HDG_PANEL 8   /* as cuda/hdg/hdg.cuh has it */

typedef enum {
  PLEX_HDG_CONDENSE,
  PLEX_HDG_LOCAL,
  PLEX_HDG_POST,
  PLEX_HDG_STAGES, /* that every problem has */
  PLEX_HDG_RESIDUAL = PLEX_HDG_STAGES,
  PLEX_HDG_ALL_STAGES
} PlexHDGStage;

static const char *const PlexHDGStageNames[]   = {"condense", "local", "post", "residual"};
static const char *const PlexHDGGeneralNames[] = {"generalcondense", "generallocal", "post", "residual"};
static const char *const PlexHDGElasticNames[] = {"elasticcondense", "elasticlocal"};
static const char *const PlexHDGStokesNames[]  = {"stokescondense", "stokeslocal"};
static const char *const PlexHDGNavierNames[]  = {"naviercondense", "navierlocal", NULL, "navierresidual"};

typedef struct {
  PlexHDGKernel stage[2][PLEX_HDG_ALL_STAGES]; /* of elements that are not affine, of affine ones */
  PlexModule    module;
  PlexKernel    assemble, gather, pack, flow;
  PetscBool     units; /* tensor cores */
} PlexHDGKernels;

/* Stages of a problem that are compiled at set-up: elasticity has no post-processing */
static int PlexHDGStages(PlexHDG hdg)
{
  return hdg->elastic ? PLEX_HDG_POST : PLEX_HDG_STAGES;
}

static const char *PlexHDGStageName(PlexHDG hdg, PlexHDGStage stage)
{
  return (hdg->navier             ? PlexHDGNavierNames
          : hdg->stokes           ? PlexHDGStokesNames
          : hdg->elastic          ? PlexHDGElasticNames
          : PlexHDGIsGeneral(hdg) ? PlexHDGGeneralNames
                                  : PlexHDGStageNames)[stage];
}

/* The elements of part 0, not affine, or 1, affine */
static void PlexHDGGetPart(PlexHDG hdg, int part, PetscInt *begin, PetscInt *end)
{
  *begin = part ? hdg->mesh->nmapped : 0;
  *end   = part ? hdg->mesh->Ne : hdg->mesh->nmapped;
}

/* Doubles of an elastic element's numbers */
PetscInt PlexHDGElasticGeometrySize_Private(PlexHDG hdg, PetscBool affine)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim;

  return 2 + R->faces + (3 * R->faces + 1) / 2 +
         (affine ? 1 + dim * dim + R->faces * dim : R->Nq * (1 + dim * dim) + R->faces * R->Nqf * dim);
}

/* Doubles of workspace of elasticity's kernels */
static void PlexHDGElasticSetWork(PlexHDG hdg, PlexHDGKernel stage[])
{
  PlexHDGReference R = hdg->reference;
  const PetscInt dim = R->dim, U = dim * hdg->elastic->Nu, T = PlexHDGTraceSize(hdg), rows = U + T, ldm = R->Np | 1,
                 most     = stage->kept ? (U + 1) * (U | 1) : rows * (rows | 1),
                 geometry = PlexHDGElasticGeometrySize_Private(hdg, stage->affine),
                 build = (stage->affine ? 0 : R->Np * ldm) + rows * ldm, V = U + R->Np - 1, points = R->faces * R->Nqf;

  stage[PLEX_HDG_CONDENSE].work = geometry + rows * (rows | 1) + build;
  stage[PLEX_HDG_LOCAL].work    = geometry + most + T + R->nab * R->Np + dim * dim * ldm + build;
  if (!hdg->stokes) return;
  stage[PLEX_HDG_CONDENSE].work = geometry + (V + T) * ((V + T) | 1) + build;
  stage[PLEX_HDG_LOCAL].work    = geometry + V * (V | 1) + U + R->Np + T + dim * dim * ldm + build;
  if (!hdg->navier) return;
  stage[PLEX_HDG_CONDENSE].work = geometry + (V + T) * ((V + T) | 1) + (V + PLEX_HDG_PANEL + 1) / 2 +
                                  PetscMax(build, R->Nq * (1 + dim * (2 + dim)) + points * (4 + 3 * dim) + U + T);
  stage[PLEX_HDG_LOCAL].work    = V * (V | 1) + V + T;
  stage[PLEX_HDG_RESIDUAL].work = geometry + 2 * U + R->Np + T +
                                  PetscMax(build + dim * dim * ldm, R->Nq * dim * (1 + dim) + 2 * points * dim);
}

/* Doubles of an element's numbers */
PetscInt PlexHDGGeometrySize_Private(PlexHDG hdg, PetscBool affine)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, points = R->faces * R->Nqf;

  if (affine) return 2 + dim * dim + 3 * dim + R->faces * (7 + R->faces) + R->nab + (R->faces + 1) / 2;
  return 1 + dim * dim + R->faces + R->Nq * (1 + dim * dim) + points * (dim + 1) + (R->faces + 2) / 2;
}

/* Doubles of workspace, as the kernels' static_assert()s have them */
static void PlexHDGSetWork(PlexHDG hdg, PlexHDGKernel stage[])
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, Np = R->Np, n = Np + R->Nt, ld = n | 1, ldm = Np | 1, ldp = (R->Npost - 1) | 1,
                   points = R->faces * R->Nqf;
  const PetscBool  affine = stage->affine, kept = stage->kept;
  const PetscInt   geometry = PlexHDGGeometrySize_Private(hdg, affine);
  PetscInt         build    = affine ? 0 : (Np + dim * n) * ldm, flux, post, rows, columns;

  if (hdg->elastic) {
    PlexHDGElasticSetWork(hdg, stage);
    return;
  }
  if (affine) {
    rows    = Np + 1;
    columns = Np;
    flux    = (R->faces + dim) * Np;
    post    = dim * Np;
  } else {
    rows    = kept ? Np + 1 : n;
    columns = kept ? Np : n;
    flux    = (Np + dim) * ldm + R->Nq + 2 * points;
    if (!kept) flux = PetscMax(flux, build);
    post = R->Nq * dim * (dim + 1);
  }
  if (hdg->point && !affine) {
    const PetscInt ldb = dim * Np | 1;

    build = (dim * Np + n) * ldb;
    flux  = (dim * Np + 1) * ldb + R->Nq + 2 * points;
    if (!kept) flux = PetscMax(flux, build);
  }
  stage[PLEX_HDG_LOCAL].work    = geometry + rows * (columns | 1) + R->Nt + dim * Np + flux;
  stage[PLEX_HDG_POST].work     = geometry + R->Npost * (ldp + 1) + 1 + (1 + dim) * Np + post;
  stage[PLEX_HDG_RESIDUAL].work = geometry + R->Nt + (2 + dim) * Np + flux + (affine ? 0 : R->Nq * (dim + 1)) +
                                  (hdg->convects ? R->Nq + 2 * points : 0);
  if (hdg->nonlinear) build = dim * Np + (dim * Np + n + Np) * (dim * Np | 1) + R->Nq * dim;
  stage[PLEX_HDG_CONDENSE].work = geometry + n * ld + build;
  if (PlexHDGIsGeneral(hdg)) stage[PLEX_HDG_LOCAL].work = geometry + R->Nt + (2 + dim) * Np + flux;
}

/* A team as large as the rows of its matrix ask for; small ones several to a block. Workspace goes to global memory
   where shared memory has no room for a team's */
static PetscErrorCode PlexHDGChooseSizes(PlexHDG hdg, PlexMemory *memory, PlexHDGKernel *k, PetscInt rows)
{
  const PlexBackendLimits *limits = &hdg->backend->limits;
  const size_t             bytes  = sizeof(double) * k->work;

  PetscFunctionBegin;
  k->threads = rows <= 24 ? 32 : rows <= 64 ? 64 : rows <= 160 ? 128 : 256;
  /* a multiprocessor with one team has few warps to wait for one another */
  if (hdg->navier && 2 * bytes > limits->sharedPerProcessor) k->threads = 256;
  k->teams = PetscMax(1, PLEX_HDG_BLOCK / k->threads);
  if (bytes > limits->sharedPerBlock) {
    k->teams  = 1;
    k->blocks = PetscMax(1, PetscMin(hdg->mesh->Ne, 2 * limits->multiprocessors));
    PetscCall(PlexMemoryAllocate(hdg->backend, memory, bytes * k->blocks, (void **)&k->global));
  }
  while (k->teams > 1 && bytes * k->teams > PetscMin(limits->sharedPerBlock, limits->sharedPerProcessor / 2))
    k->teams /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexHDGUsesUnits(PlexHDG hdg)
{
  /* emulated they are slow */
  return hdg->units == PETSC_BOOL3_UNKNOWN ? (PetscBool)(hdg->backend->device && PlexBackendHasUnits(hdg->backend))
                                           : PetscBool3ToBool(hdg->units);
}

static void PlexHDGWriteText(PlexHDG hdg, const PlexHDGKernel *k, const char kernel[], const char defines[], FILE *file)
{
  PlexHDGReference R = hdg->reference;

  fprintf(file, "#define PLEX_DIM %d\n#define PLEX_SINGLE 0\n", (int)R->dim);
  fprintf(file,
          "#define PLEX_HDG_NP %d\n#define PLEX_HDG_NF %d\n#define PLEX_HDG_FACES %d\n#define PLEX_HDG_TURNS "
          "%d\n#define PLEX_HDG_NPOST %d\n",
          (int)R->Np, (int)R->Nf, (int)R->faces, (int)R->turns, (int)R->Npost);
  fprintf(file,
          "#define PLEX_HDG_NQ %d\n#define PLEX_HDG_NQF %d\n#define PLEX_HDG_NV %d\n#define PLEX_HDG_AFFINE "
          "%d\n#define PLEX_HDG_KEPT %d\n#define PLEX_HDG_POINT %d\n",
          (int)R->Nq, (int)R->Nqf, (int)(k->affine ? R->dim + 1 : hdg->mesh->Nv), (int)k->affine, (int)k->kept,
          (int)(hdg->point && !k->affine));
  fprintf(file,
          "#define PLEX_HDG_THREADS %d\n#define PLEX_HDG_TEAMS %d\n#define PLEX_HDG_WORK %d\n#define PLEX_HDG_GEOMETRY "
          "%d\n#define PLEX_HDG_GLOBAL %d\n#define PLEX_HDG_UNITS %d\n",
          (int)k->threads, (int)k->teams, (int)k->work, (int)PlexHDGGeometrySize_Private(hdg, k->affine),
          (int)(k->blocks > 0), (int)PlexHDGUsesUnits(hdg));
  if (PlexHDGIsGeneral(hdg))
    fprintf(file, "#define PLEX_HDG_SLOPE %d\n#define PLEX_HDG_CONVECTION %d\n#define PLEX_HDG_PIVOTS %d\n",
            (int)hdg->nonlinear, hdg->convects ? (hdg->convectionForm == PLEX_HDG_ADVECTIVE ? 1 : 2) : 0,
            (int)PlexHDGHasPivots(hdg));
  if (hdg->elastic)
    fprintf(file, "#define PLEX_HDG_NU %d\n#define PLEX_ELASTIC_GEOMETRY %d\n", (int)hdg->elastic->Nu,
            (int)PlexHDGElasticGeometrySize_Private(hdg, k->affine));
  if (hdg->navier) fprintf(file, "#define PLEX_NAVIER_NF1 %d\n", (int)PlexHDGBasisSize(R->face, R->P + 1));
  fprintf(file, "static __device__ constexpr double plex_hdg_normals[%d][%d] = {\n", (int)R->faces, (int)R->dim);
  for (PetscInt f = 0; f < R->faces; ++f) {
    fprintf(file, "{");
    for (PetscInt d = 0; d < R->dim; ++d) fprintf(file, "%s%.17g", d ? ", " : "", (double)R->normal[f][d]);
    fprintf(file, "},\n");
  }
  fprintf(file, kernel[0] == '/' ? "};\n%s#include \"%s\"\n" : "};\n%s#include \"hdg/%s.cu\"\n", defines, kernel);
}

PetscErrorCode PlexHDGKernelCreate_Private(PlexHDG hdg, PlexMemory *memory, const char source[], const char name[],
                                           const char defines[], PetscInt rows, PlexHDGKernel *k)
{
  char           kernel[64], *text = NULL;
  size_t         size = 0;
  FILE          *file;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!k->threads) PetscCall(PlexHDGChooseSizes(hdg, memory, k, rows));
  file = open_memstream(&text, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PlexHDGWriteText(hdg, k, source, defines, file);
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PetscCall(PetscSNPrintf(kernel, sizeof(kernel), "hdg_%s.cu", name));
  ierr = PlexBackendCompile(hdg->backend, kernel, 0, NULL, text, &k->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PetscSNPrintf(kernel, sizeof(kernel), "plex_hdg_%s", name));
  PetscCall(PlexModuleGetKernel(k->module, kernel, &k->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCompileSums(PlexHDG hdg, PlexHDGKernels *all)
{
  char text[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "#define PLEX_DIM %" PetscInt_FMT
                          "\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NF %" PetscInt_FMT
                          "\n#define PLEX_HDG_NT %" PetscInt_FMT "\n#include \"hdg/assemble.cu\"\n",
                          hdg->reference->dim, PlexHDGBlockSize(hdg), PlexHDGTraceSize(hdg)));
  PetscCall(PlexBackendCompile(hdg->backend, "hdg_assemble.cu", 0, NULL, text, &all->module));
  PetscCall(PlexModuleGetKernel(all->module, "plex_hdg_assemble", &all->assemble));
  PetscCall(PlexModuleGetKernel(all->module, "plex_hdg_gather", &all->gather));
  PetscCall(PlexModuleGetKernel(all->module, "plex_hdg_pack", &all->pack));
  PetscCall(PlexModuleGetKernel(all->module, "plex_hdg_flow", &all->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D and F with the element's function fastest */
static PetscErrorCode PlexHDGUploadTransposed(PlexHDG hdg)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, Nf = R->Nf, pairs = R->faces * R->turns;
  PetscReal       *Dt, *Ft;

  PetscFunctionBegin;
  if (hdg->mesh->nmapped == hdg->mesh->Ne || hdg->elastic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(R->dim * Np * Np, &Dt, pairs * Np * Nf, &Ft));
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt a = 0; a < R->dim; ++a)
      for (PetscInt j = 0; j < Np; ++j) Dt[(a * Np + j) * Np + i] = R->D[(a * Np + i) * Np + j];
    for (PetscInt k = 0; k < pairs; ++k)
      for (PetscInt m = 0; m < Nf; ++m) Ft[(k * Nf + m) * Np + i] = R->F[(k * Np + i) * Nf + m];
  }
  PetscCall(PlexHDGUpload(hdg, Dt, sizeof(double) * R->dim * Np * Np, (const void **)&hdg->args.Dt));
  PetscCall(PlexHDGUpload(hdg, Ft, sizeof(double) * pairs * Np * Nf, (const void **)&hdg->args.Ft));
  PetscCall(PetscFree2(Dt, Ft));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCompileStage(PlexHDG hdg, PlexHDGStage stage, PlexHDGKernel *k)
{
  PlexHDGReference R    = hdg->reference;
  const PetscInt   n    = hdg->stokes  ? PlexHDGStokesLocalSize(hdg)
                        : hdg->elastic ? R->dim * hdg->elastic->Nu
                                       : R->Np; /* unknowns that are eliminated */
  const char      *name = PlexHDGStageName(hdg, stage);

  PetscFunctionBegin;
  PetscCall(PlexHDGKernelCreate_Private(hdg, &hdg->memory, name, name, "",
                                        stage == PLEX_HDG_CONDENSE ? n + PlexHDGTraceSize(hdg)
                                        : stage == PLEX_HDG_POST   ? R->Npost
                                                                   : n,
                                        k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSetUp_Kernels(PlexHDG hdg)
{
  PlexHDGKernels *k = (PlexHDGKernels *)hdg->data;

  PetscFunctionBegin;
  PetscCheck(hdg->units != PETSC_BOOL3_TRUE || PlexBackendHasUnits(hdg->backend), PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_SUP,
             "%s is %s, and tensor cores for double precision need compute capability 8.0: leave "
             "-plex_hdg_tensor_cores out",
             hdg->backend->limits.name, hdg->backend->limits.arch);
  k->units = PlexHDGUsesUnits(hdg);
  PetscCall(PlexHDGUploadTransposed(hdg));
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  for (int part = 0; part < 2; ++part) {
    PlexHDGKernel *stage = k->stage[part];
    PetscInt       begin, end;

    PlexHDGGetPart(hdg, part, &begin, &end);
    if (begin == end) continue;
    for (int s = 0; s < PLEX_HDG_ALL_STAGES; ++s) {
      stage[s].affine = (PetscBool)part;
      stage[s].kept   = (PetscBool)(begin < hdg->nkept);
    }
    PlexHDGSetWork(hdg, stage);
    if (part && k->units && !hdg->elastic) PetscCall(PlexHDGSquaresCreate_Private(hdg, &stage[PLEX_HDG_CONDENSE]));
    for (int s = 0; s < PlexHDGStages(hdg); ++s)
      if (!stage[s].kernel) PetscCall(PlexHDGCompileStage(hdg, (PlexHDGStage)s, &stage[s]));
  }
  PetscCall(PlexHDGCompileSums(hdg, k));
  if (hdg->navier) PetscCall(PlexHDGNavierKernelsCreate_Private(hdg, PETSC_FALSE));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGKernelLaunch_Private(PlexHDGKernel *k, PlexHDGArgs *args, void *all)
{
  PetscInt blocks      = (args->end - args->begin + k->teams - 1) / k->teams;
  void    *arguments[] = {all};

  PetscFunctionBegin;
  args->work = k->global;
  if (k->blocks) blocks = PetscMin(blocks, k->blocks);
  PetscCall(PlexKernelLaunch(k->kernel, blocks, k->threads * k->teams,
                             k->blocks ? 0 : sizeof(double) * k->work * k->teams, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements begin .. end of a part of them */
static PetscErrorCode PlexHDGLaunchPart(PlexHDG hdg, PlexHDGKernel *k, const PlexHDGArgs *args, PetscInt begin,
                                        PetscInt end)
{
  const size_t skipped = (size_t)(begin - args->begin);
  PlexHDGArgs  own     = *args;

  PetscFunctionBegin;
  own.begin = (int)begin;
  own.end   = (int)end;
  if (k->affine) own.x += PlexHDGMeshAffineOffset(hdg->mesh);
  if (own.K) own.K += skipped * PetscSqr(PlexHDGTraceSize(hdg));
  if (own.factor) own.factor = k->kept ? own.factor + skipped * PlexHDGFactorSize(hdg) : NULL;
  if (hdg->elastic) {
    PlexHDGElasticArgs elastic = hdg->elastic->args;

    elastic.hdg = own;
    if (hdg->navier) {
      PlexHDGNavierArgs navier;

      PlexHDGNavierSetArgs_Private(hdg, &own, &navier);
      PetscCall(PlexHDGKernelLaunch_Private(k, &navier.stokes.elastic.hdg, &navier));
    } else if (hdg->stokes) {
      PlexHDGStokesArgs stokes = hdg->stokes->args;

      stokes.elastic = elastic;
      PetscCall(PlexHDGKernelLaunch_Private(k, &stokes.elastic.hdg, &stokes));
    } else PetscCall(PlexHDGKernelLaunch_Private(k, &elastic.hdg, &elastic));
  } else PetscCall(PlexHDGKernelLaunch_Private(k, &own, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that set-up has not compiled is when it is first needed */
static PetscErrorCode PlexHDGLaunchStage(PlexHDG hdg, PlexHDGStage stage, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  for (int part = 0; part < 2; ++part) {
    PlexHDGKernel *k = &((PlexHDGKernels *)hdg->data)->stage[part][stage];
    PetscInt       begin, end;

    PlexHDGGetPart(hdg, part, &begin, &end);
    begin = PetscMax(begin, args->begin);
    end   = PetscMin(end, args->end);
    if (begin >= end) continue;
    if (!k->kernel) PetscCall(PlexHDGCompileStage(hdg, stage, k));
    PetscCall(PlexHDGLaunchPart(hdg, k, args, begin, end));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCondense_Kernels(PlexHDG hdg, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGLaunchStage(hdg, PLEX_HDG_CONDENSE, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGLocal_Kernels(PlexHDG hdg, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGLaunchStage(hdg, PLEX_HDG_LOCAL, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPost_Kernels(PlexHDG hdg, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGLaunchStage(hdg, PLEX_HDG_POST, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGResidual_Kernels(PlexHDG hdg, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGLaunchStage(hdg, PLEX_HDG_RESIDUAL, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of 128 threads for n things */
PetscErrorCode PlexHDGBlocks_Private(long long n, PetscInt *blocks)
{
  PetscFunctionBegin;
  PetscCheck((n + 127) / 128 < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%lld numbers are too many for a launch: use more processes", n);
  *blocks = (PetscInt)((n + 127) / 128);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGAssemble_Kernels(PlexHDG hdg, PetscInt nblocks, const PlexHDGBlock blocks[],
                                              const double K[], PetscInt64 low, PetscInt64 high, double A[], double B[])
{
  long long n = (long long)nblocks * PetscSqr(PlexHDGBlockSize(hdg)), from = low, to = high;
  PetscInt  grid        = 0;
  void     *arguments[] = {(void *)&blocks, &n, (void *)&K, &from, &to, &hdg->robin, &A, &B};

  PetscFunctionBegin;
  PetscCall(PlexHDGBlocks_Private(n, &grid));
  PetscCall(PlexKernelLaunch(((PlexHDGKernels *)hdg->data)->assemble, grid, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGGather_Kernels(PlexHDG hdg, const double b[], double rhs[])
{
  int      n           = (int)(hdg->mesh->nown * PlexHDGBlockSize(hdg));
  PetscInt blocks      = 0;
  void    *arguments[] = {&hdg->sides, &n, &hdg->natural, (void *)&b, &rhs};

  PetscFunctionBegin;
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  PetscCall(PlexKernelLaunch(((PlexHDGKernels *)hdg->data)->gather, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGFlow_Kernels(PlexHDG hdg, const double b[], const double trace[], double r[])
{
  int      n           = (int)(hdg->mesh->nown * PlexHDGBlockSize(hdg));
  PetscInt blocks      = 0;
  void    *arguments[] = {&hdg->sides, &hdg->robinAt, &n, &hdg->natural, &hdg->robin, (void *)&b, (void *)&trace, &r};

  PetscFunctionBegin;
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  PetscCall(PlexKernelLaunch(((PlexHDGKernels *)hdg->data)->flow, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPack_Kernels(PlexHDG hdg, PetscInt width, const double rows[], PetscInt begin,
                                          PetscInt end, double sent[])
{
  long long n = (long long)hdg->mesh->nsent * width;
  int       w = (int)width, first = (int)begin, last = (int)end;
  PetscInt  blocks      = 0;
  void     *arguments[] = {&hdg->sent, &n, &w, &first, &last, (void *)&rows, &sent};

  PetscFunctionBegin;
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  PetscCall(PlexKernelLaunch(((PlexHDGKernels *)hdg->data)->pack, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGView_Kernels(PlexHDG hdg, PetscViewer viewer)
{
  PlexHDGKernels *k = (PlexHDGKernels *)hdg->data;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "eliminations %s tensor cores\n", k->units ? "on" : "without"));
  for (int s = 0; s < 2 * PLEX_HDG_ALL_STAGES; ++s) {
    PlexHDGKernel       *kernel = &k->stage[s / PLEX_HDG_ALL_STAGES][s % PLEX_HDG_ALL_STAGES];
    PlexKernelAttributes attributes;

    if (!kernel->kernel) continue;
    PetscCall(PlexKernelGetAttributes(kernel->kernel, &attributes));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "kernel %s%s: %" PetscInt_FMT " threads an element, %" PetscInt_FMT
                                     " elements a block, %zu bytes of workspace each in %s memory%s, %" PetscInt_FMT
                                     " registers a thread\n",
                                     PlexHDGStageName(hdg, (PlexHDGStage)(s % PLEX_HDG_ALL_STAGES)),
                                     !hdg->mesh->nmapped || hdg->mesh->nmapped == hdg->mesh->Ne ? ""
                                     : kernel->affine                                           ? " of affine elements"
                                                                                                : " of mapped elements",
                                     kernel->threads, kernel->teams, sizeof(double) * kernel->work,
                                     kernel->blocks ? "global" : "shared",
                                     kernel->blocks ? " as a block has no room for them in shared memory" : "",
                                     attributes.registers));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGRenew_Kernels(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSquaresRenew_Private(hdg, &((PlexHDGKernels *)hdg->data)->stage[1][PLEX_HDG_CONDENSE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGReset_Kernels(PlexHDG hdg)
{
  PlexHDGKernels *k = (PlexHDGKernels *)hdg->data;

  PetscFunctionBegin;
  for (int s = 0; s < 2 * PLEX_HDG_ALL_STAGES; ++s)
    PetscCall(PlexModuleDestroy(&k->stage[s / PLEX_HDG_ALL_STAGES][s % PLEX_HDG_ALL_STAGES].module));
  PetscCall(PlexModuleDestroy(&k->module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCreate_Kernels(PlexHDG hdg)
{
  PlexHDGKernels *k;

  PetscFunctionBegin;
  PetscCall(PetscNew(&k));
  hdg->data          = k;
  hdg->ops->setup    = PlexHDGSetUp_Kernels;
  hdg->ops->condense = PlexHDGCondense_Kernels;
  hdg->ops->local    = PlexHDGLocal_Kernels;
  hdg->ops->post     = PlexHDGPost_Kernels;
  hdg->ops->assemble = PlexHDGAssemble_Kernels;
  hdg->ops->gather   = PlexHDGGather_Kernels;
  hdg->ops->pack     = PlexHDGPack_Kernels;
  hdg->ops->residual = PlexHDGResidual_Kernels;
  hdg->ops->flow     = PlexHDGFlow_Kernels;
  hdg->ops->renew    = PlexHDGRenew_Kernels;
  hdg->ops->reset    = PlexHDGReset_Kernels;
  hdg->ops->view     = PlexHDGView_Kernels;
  if (hdg->elastic) hdg->ops->post = NULL;
  if (hdg->elastic && !hdg->navier) hdg->ops->residual = NULL;
  if (hdg->elastic) hdg->ops->renew = NULL;
  hdg->ops->spread = hdg->navier ? PlexHDGNavierSpread_Kernels : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
