/*
  The trace's matrix K as what it does, K x = sum over elements of A^T K^e A x (the local matrix approach of remark 2 of
  King and others 2014): the symmetric K^e are kept, half of each, and K is never made.

    x of other processes' faces   sent, while batches of elements without such faces are computed
    b^e = K^e x^e                 batch by batch, cuda/hdg/trace.cu
    y                             sums of b by faces; with Robin's matrices

  The preconditioner's smoother, and the residual that goes to its coarse level, have a matrix K~ of their own: its K^e are
  the nearest numbers of 21 bits, which are the upper halves of the numbers that are kept, so that it reads half the bytes.
  K~ is symmetric, and products with it are sums of doubles, so the preconditioner M is linear and symmetric as before. It
  is also positive definite, whatever rounding has done to the least eigenvalues of K: with S = p(D^-1 K~), p(0) = 1,

    M = (1 - S^2) K~^-1 + S P A^-1 P^T S^T

  of which the second term is positive semidefinite, A being P^T K P of whole numbers, and in the first the polynomial
  (1 - p(z)^2)/z has the value -2 p'(0) > 0 at z = 0 and is positive about it, if p^2 < 1 where D^-1 K~ has eigenvalues.

  An own face whose other element is another process's has that element's block row, which was received at the assembly, as
  K has its numbers: products have one exchange, and each process has the y of its own faces without another one.
  docs/notes/2026-trace.md counts bytes, beside those of AIJ and of blocks.
*/
#include "elastic.h"
#include "trace.h"

/* Why K is not symmetric, NULL: it is */
static const char *PlexHDGTraceUnsymmetric(PlexHDG hdg)
{
  return hdg->navier ? "Navier-Stokes equations" : hdg->convects ? "convection" : hdg->nonlinear ? "kappa(u)" : NULL;
}

PetscErrorCode PlexHDGTraceCheck_Private(PlexHDG hdg)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)hdg);
  const char *what = PlexHDGTraceUnsymmetric(hdg);

  PetscFunctionBegin;
  PetscCheck(!what, comm, PETSC_ERR_SUP,
             "-plex_hdg_trace elements keeps halves of symmetric matrices, and those of %s are not symmetric: leave it "
             "out",
             what);
  PetscCheck(!hdg->sell, comm, PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_sell is a copy of K, and with -plex_hdg_trace elements there is no K: give one of them");
  PetscCheck(hdg->lines != PETSC_BOOL3_TRUE, comm, PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_lines takes the values of K, and with -plex_hdg_trace elements there is no K: give one of "
             "them");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether options make another smoother, or coarse matrices, of K's values; of the preconditioner mg */
static PetscErrorCode PlexHDGTraceOptionsServe(KSP ksp, PetscBool *serve)
{
  /* 1 is also of -mg_levels_pc_type; 0 where there is no coarse level */
  static const char *const names[] = {"-mg_levels_1_pc_type", "-mg_levels_1_up_pc_type", "-mg_levels_0_pc_type",
                                      "-mg_fine_pc_type", "-pc_mg_galerkin"};
  const char              *prefix;
  char                     value[64];
  PetscBool                set, same;

  PetscFunctionBegin;
  *serve = PETSC_TRUE;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k) {
    PetscCall(PetscOptionsGetString(((PetscObject)ksp)->options, prefix, names[k], value, sizeof(value), &set));
    if (!set) continue;
    PetscCall(PetscStrcmpAny(value, &same, PCSHELL, PCNONE, ""));
    if (!same) *serve = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceCheckSolver_Private(PlexHDG hdg, KSP ksp)
{
  PetscBool serves;
  PCType    type;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &serves, PCMG, PCNONE, PCSHELL, ""));
  PetscCheck(serves, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "The preconditioner %s takes the values of K, and with -plex_hdg_trace elements there is no K: leave "
             "-plex_hdg_trace out, or take another one",
             type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a batch, and the shared memory that a warp takes for them */
static PetscInt PlexHDGTraceWidth(PlexHDG hdg)
{
  return PlexHDGTraceSize(hdg) <= 24 && hdg->backend->kernels ? 32 : 8;
}

static size_t PlexHDGTraceShared(PlexHDG hdg)
{
  return sizeof(double) * 2 * (size_t)PlexHDGTraceWidth(hdg) * (size_t)(PlexHDGTraceSize(hdg) | 1);
}

PetscErrorCode PlexHDGTraceStays_Private(PlexHDG hdg, KSP ksp, PetscBool *stays)
{
  PC pc;

  PetscFunctionBegin;
  *stays = (PetscBool)!(hdg->elastic && PlexHDGElasticIsDirect(hdg));
  if (!*stays) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  /* a program's own preconditioner may take K's values */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, stays, PCMG, PCNONE, ""));
  if (*stays) PetscCall(PlexHDGSmoothsWithoutMatrix_Private(hdg, pc, stays));
  if (*stays) PetscCall(PlexHDGTraceOptionsServe(ksp, stays)); /* which may be others since */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceCheckPrecision_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCheck(hdg->rounded != PETSC_BOOL3_TRUE, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_smoother_precision single is of products without K, and there is K: give -plex_hdg_trace "
             "elements, or leave it out");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceChoose_Private(PlexHDG hdg, KSP ksp)
{
  PetscBool *wanted = &hdg->without;

  PetscFunctionBegin;
  *wanted = (PetscBool)(hdg->local == PLEX_HDG_TRACE_ELEMENTS);
  /* by kernels products without K take less time on all elements, and so do set-up and solve of tetrahedra; on the host K is up to
     twice as fast where it fits into caches: measured, docs/notes/2026-trace.md */
  if (ksp && hdg->backend->kernels && PlexHDGTraceShared(hdg) <= hdg->backend->limits.sharedPerBlock &&
      !PlexHDGTraceUnsymmetric(hdg) && !hdg->sell && hdg->lines != PETSC_BOOL3_TRUE) {
    PetscCall(PlexHDGTraceStays_Private(hdg, ksp, wanted));
  }
  if (!*wanted) PetscCall(PlexHDGTraceCheckPrecision_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceSetSmoother_Private(PlexHDG hdg, KSP ksp, PC mg)
{
  Mat       K = hdg->elements->smoothed;
  PetscBool alone;
  KSP       smoother;

  PetscFunctionBegin;
  if (!K) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatPropagateSymmetryOptions(hdg->A, K));
  /* it leaves all to PCMG, which takes residuals of the finest level's matrix: they have to be those of K */
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPRICHARDSON, &alone));
  if (alone) K = hdg->A;
  PetscCall(PCMGGetSmoother(mg, hdg->coarse->N ? 1 : 0, &smoother));
  PetscCall(KSPSetOperators(smoother, K, K)); /* whenever values are new, so that eigenvalues are estimated again */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceGetArgs_Private(PlexHDG hdg, PlexHDGTraceArgs *args)
{
  PetscFunctionBegin;
  *args         = hdg->elements->args;
  args->robin   = hdg->robin;
  args->robinOf = hdg->robinAt;
  args->sides   = hdg->sides;
  args->faces   = hdg->args.faces;
  args->b       = hdg->args.b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = K x, or b - K x where there is b; of the smoother's matrix by the upper halves of the elements' numbers */
static PetscErrorCode PlexHDGTraceApply(Mat A, Vec b, Vec x, Vec y)
{
  PetscBool        whole;
  PlexHDG          hdg;
  PlexHDGTrace     t;
  PlexHDGTraceArgs args;
  PetscInt         grid        = 0;
  void            *arguments[] = {&args};

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &hdg));
  t = hdg->elements;
  PetscCheck(t, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The discretization that this matrix multiplies for has been reset: take the one of PlexHDGAssemble()");
  whole = (PetscBool)(A != t->smoothed);
  PetscCall(PlexHDGTraceGetArgs_Private(hdg, &args));
  args.whole = whole;
  if (t->scatter) PetscCall(VecScatterBegin(t->scatter, x, t->ghosts, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(PlexBackendVecGet(hdg->backend, x, PLEX_READ, &t->arrayX));
  args.owned = t->arrayX.array;
  for (int k = 0; k < (t->scatter ? 2 : 1); ++k) {
    if (k) {
      PetscCall(VecScatterEnd(t->scatter, x, t->ghosts, INSERT_VALUES, SCATTER_FORWARD));
      PetscCall(PlexBackendVecGet(hdg->backend, t->ghosts, PLEX_READ, &t->arrayGhosts));
      args.ghosts = t->arrayGhosts.array;
    }
    args.batches  = t->some[k];
    args.nbatches = (int)t->nsome[k];
    if (!args.nbatches) continue;
    if (t->multiply[whole])
      PetscCall(PlexKernelLaunch(t->multiply[whole], (args.nbatches + t->warps - 1) / t->warps, 32 * t->warps,
                                 sizeof(double) * t->warps * 2 * t->width * (PlexHDGTraceSize(hdg) | 1), arguments));
    else PetscCall(PlexHDGTraceMultiplyHost_Private(hdg, &args));
  }
  if (args.nreceived) {
    PetscCall(PlexHDGBlocks_Private((long long)args.nreceived * PlexHDGBlockSize(hdg), &grid));
    if (t->received) PetscCall(PlexKernelLaunch(t->received, grid, 128, 0, arguments));
    else PlexHDGTraceReceivedHost_Private(hdg, &args);
  }
  if (b) PetscCall(PlexBackendVecGet(hdg->backend, b, PLEX_READ, &t->arrayRHS));
  PetscCall(PlexBackendVecGet(hdg->backend, y, PLEX_WRITE, &t->arrayY));
  args.rhs = b ? t->arrayRHS.array : NULL;
  args.y   = t->arrayY.array;
  if (args.nown) {
    PetscCall(PlexHDGBlocks_Private((long long)args.nown * PlexHDGBlockSize(hdg), &grid));
    if (t->sum) PetscCall(PlexKernelLaunch(t->sum, grid, 128, 0, arguments));
    else PlexHDGTraceSumHost_Private(hdg, &args);
  }
  PetscCall(PlexBackendVecRestore(hdg->backend, &t->arrayY));
  if (b) PetscCall(PlexBackendVecRestore(hdg->backend, &t->arrayRHS));
  PetscCall(PlexBackendVecRestore(hdg->backend, &t->arrayX));
  if (t->scatter) PetscCall(PlexBackendVecRestore(hdg->backend, &t->arrayGhosts));
  PetscCall(PetscLogFlops(4. * (double)PlexHDGTraceNumbers(hdg) * (double)args.Ne));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGTraceMult(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGTraceApply(A, NULL, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGTraceResidual(Mat A, Vec b, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGTraceApply(A, b, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that are kept, and their bytes */
static PetscErrorCode PlexHDGTraceGetInfo(Mat A, MatInfoType type, MatInfo *info)
{
  PlexHDG   hdg;
  PetscReal n[2];

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &hdg));
  PetscCheck(hdg->elements, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The discretization of this matrix has been reset");
  PetscCall(PetscMemzero(info, sizeof(*info)));
  n[0] = (PetscReal)PlexHDGTraceNumbers(hdg) * hdg->mesh->Ne +
         (PetscReal)hdg->mesh->nreceived * PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg);
  n[1] = PlexHDGTraceBytes_Private(hdg);
  if (type != MAT_LOCAL)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, n, 2, MPIU_REAL, type == MAT_GLOBAL_SUM ? MPIU_SUM : MPIU_MAX,
                                PetscObjectComm((PetscObject)A)));
  info->block_size = (PetscLogDouble)PlexHDGBlockSize(hdg);
  info->nz_used = info->nz_allocated = (PetscLogDouble)n[0];
  info->memory                       = (PetscLogDouble)n[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Batches of 32 elements, all of whose numbers are in registers, or of 8 with tiles of at most 12 rows */
static void PlexHDGTraceChooseSizes(PlexHDG hdg, PlexHDGTrace t)
{
  const PetscInt Nt = PlexHDGTraceSize(hdg);

  t->width = PlexHDGTraceWidth(hdg);
  t->tile  = Nt <= 24 ? Nt : 12;
  while (Nt % t->tile) --t->tile;
  t->nbatches = (hdg->mesh->Ne + t->width - 1) / t->width;
}

static PetscErrorCode PlexHDGTraceCompile(PlexHDG hdg, PlexHDGTrace t)
{
  const size_t bytes = PlexHDGTraceShared(hdg);
  char         text[512];

  PetscFunctionBegin;
  PetscCheck(bytes <= hdg->backend->limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-plex_hdg_trace elements needs %zu bytes of shared memory for elements with %" PetscInt_FMT
             " functions on their faces, and %s has %zu: leave it out, or take a lower degree",
             bytes, PlexHDGTraceSize(hdg), hdg->backend->limits.name, hdg->backend->limits.sharedPerBlock);
  t->warps = 4;
  while (t->warps > 1 && bytes * (size_t)t->warps >
                           PetscMin(hdg->backend->limits.sharedPerBlock, hdg->backend->limits.sharedPerProcessor / 2))
    t->warps /= 2;
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "#define PLEX_DIM %" PetscInt_FMT
                          "\n#define PLEX_SINGLE 0\n#define PLEX_HDG_BLOCK %" PetscInt_FMT
                          "\n#define PLEX_HDG_FACES %" PetscInt_FMT "\n#define PLEX_HDG_NT %" PetscInt_FMT
                          "\n#define PLEX_HDG_TILE %" PetscInt_FMT "\n#define PLEX_HDG_WIDTH %" PetscInt_FMT
                          "\n#include \"hdg/trace.cu\"\n",
                          hdg->reference->dim, PlexHDGBlockSize(hdg), hdg->mesh->faces, PlexHDGTraceSize(hdg), t->tile,
                          t->width));
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexBackendCompile(hdg->backend, "hdg_trace.cu", 0, NULL, text, &t->module));
  PetscCall(PlexModuleGetKernel(t->module, "plex_hdg_trace_pack", &t->pack));
  PetscCall(PlexModuleGetKernel(t->module, "plex_hdg_trace_multiply_upper", &t->multiply[0]));
  PetscCall(PlexModuleGetKernel(t->module, "plex_hdg_trace_multiply", &t->multiply[1]));
  PetscCall(PlexModuleGetKernel(t->module, "plex_hdg_trace_received", &t->received));
  PetscCall(PlexModuleGetKernel(t->module, "plex_hdg_trace_sum", &t->sum));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGTraceCreateVec(PlexHDG hdg, MPI_Comm comm, PetscInt n, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetSizes(*v, n, PETSC_DETERMINE));
  PetscCall(VecSetType(*v, PlexBackendVecType(hdg->backend)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of other processes: those of own elements, in the order of the mesh, then those that received block rows have
   besides; numbers of the columns of these rows */
static PetscErrorCode PlexHDGTraceCreateGhosts(PlexHDG hdg, PlexHDGTrace t)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt n = mesh->nreceived * mesh->faces, Nf = PlexHDGBlockSize(hdg), *known = mesh->faceGlobal + mesh->nown;
  PetscInt      *more, *all, nmore                                                     = 0, at;
  int           *columns;
  PetscMPIInt    size;
  IS             is;
  Vec            v;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(n, &more, n, &columns));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt c = mesh->receivedFaces[k];

    columns[k] = c < 0 ? -1 : c >= mesh->first && c < mesh->first + mesh->nown ? (int)(c - mesh->first) : -2;
    if (columns[k] > -2) continue;
    PetscCall(PetscFindInt(c, mesh->nghost, known, &at));
    if (at >= 0) columns[k] = (int)(mesh->nown + at);
    else more[nmore++] = c;
  }
  PetscCall(PetscSortRemoveDupsInt(&nmore, more));
  for (PetscInt k = 0; k < n; ++k) {
    if (columns[k] > -2) continue;
    PetscCall(PetscFindInt(mesh->receivedFaces[k], nmore, more, &at));
    columns[k] = (int)(mesh->nown + mesh->nghost + at);
  }
  PetscCall(PlexMemoryUpload(hdg->backend, &t->memory, columns, sizeof(*columns) * (size_t)n,
                             (const void **)&t->args.columns));
  PetscCall(PetscMalloc1(mesh->nghost + nmore, &all));
  PetscCall(PetscArraycpy(all, known, mesh->nghost));
  PetscCall(PetscArraycpy(all + mesh->nghost, more, nmore));
  PetscCall(PetscFree2(more, columns));
  PetscCall(PlexHDGTraceCreateVec(hdg, PETSC_COMM_SELF, (mesh->nghost + nmore) * Nf, &t->ghosts));
  PetscCall(PlexHDGTraceCreateVec(hdg, PetscObjectComm((PetscObject)hdg), mesh->nown * Nf, &v));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, Nf, mesh->nghost + nmore, all, PETSC_OWN_POINTER, &is));
  PetscCall(VecScatterCreate(v, is, t->ghosts, NULL, &t->scatter));
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Batches that need no other process's x, and the others */
static PetscErrorCode PlexHDGTraceSplit(PlexHDG hdg, PlexHDGTrace t)
{
  PlexHDGMesh mesh = hdg->mesh;
  int        *lists[2];

  PetscFunctionBegin;
  t->nsome[0] = t->nbatches;
  if (!t->scatter) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(t->nbatches, &lists[0], t->nbatches, &lists[1]));
  t->nsome[0] = 0;
  for (PetscInt batch = 0; batch < t->nbatches; ++batch) {
    const PetscInt begin = batch * t->width * mesh->faces,
                   end   = PetscMin(mesh->Ne, (batch + 1) * t->width) * mesh->faces;
    int            other = 0;

    for (PetscInt k = begin; k < end; ++k)
      if (mesh->face[k] >= mesh->nown && mesh->face[k] < mesh->nown + mesh->nghost) other = 1;
    lists[other][t->nsome[other]++] = (int)batch;
  }
  for (int k = 0; k < 2; ++k)
    PetscCall(PlexMemoryUpload(hdg->backend, &t->memory, lists[k], sizeof(int) * (size_t)t->nsome[k],
                               (const void **)&t->some[k]));
  PetscCall(PetscFree2(lists[0], lists[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGTraceCreateMat(PlexHDG hdg, Mat *A)
{
  const PetscInt n = hdg->mesh->nown * PlexHDGBlockSize(hdg);

  PetscFunctionBegin;
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)hdg), n, n, PETSC_DETERMINE, PETSC_DETERMINE, hdg, A));
  PetscCall(MatSetBlockSize(*A, PlexHDGBlockSize(hdg)));
  PetscCall(MatShellSetVecType(*A, PlexBackendVecType(hdg->backend)));
  PetscCall(MatShellSetOperation(*A, MATOP_MULT, (PetscErrorCodeFn *)PlexHDGTraceMult));
  PetscCall(MatShellSetOperation(*A, MATOP_MULT_TRANSPOSE, (PetscErrorCodeFn *)PlexHDGTraceMult));
  PetscCall(MatShellSetOperation(*A, MATOP_RESIDUAL, (PetscErrorCodeFn *)PlexHDGTraceResidual));
  PetscCall(MatShellSetOperation(*A, MATOP_GETINFO, (PetscErrorCodeFn *)PlexHDGTraceGetInfo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceCreate_Private(PlexHDG hdg)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf   = PlexHDGBlockSize(hdg);
  size_t         bytes;
  PlexHDGTrace   t;

  PetscFunctionBegin;
  PetscCall(PlexHDGTraceCheck_Private(hdg));
  PetscCall(PetscNew(&t));
  hdg->elements = t;
  PlexHDGTraceChooseSizes(hdg, t);
  PetscCheck((PetscInt64)(mesh->Ne * mesh->faces + mesh->nreceived) * Nf < PETSC_INT32_MAX, PETSC_COMM_SELF,
             PETSC_ERR_SUP, "The elements' faces have more than %d functions on one process: use more of them",
             PETSC_INT32_MAX);
  t->args.Ne        = (int)mesh->Ne;
  t->args.nown      = (int)mesh->nown;
  t->args.nfree     = (int)(mesh->nown + mesh->nghost);
  t->args.nreceived = (int)mesh->nreceived;
  if (hdg->backend->kernels && mesh->Ne) PetscCall(PlexHDGTraceCompile(hdg, t));
  PetscCall(PlexHDGTraceCreateGhosts(hdg, t));
  PetscCall(PlexHDGTraceSplit(hdg, t));
  bytes = sizeof(int) * (size_t)(t->nbatches * t->width) * PlexHDGTraceNumbers(hdg);
  for (int k = 0; k < 2; ++k) {
    int **half = k ? &t->args.lower : &t->args.upper;

    PetscCall(PlexMemoryAllocate(hdg->backend, &t->memory, PetscMax(sizeof(int), bytes), (void **)half));
    PetscCall(PlexBackendZero(hdg->backend, *half, bytes)); /* what a last batch has no elements for */
  }
  if (mesh->nreceived)
    PetscCall(PlexMemoryAllocate(hdg->backend, &t->memory,
                                 sizeof(double) * (size_t)(mesh->nreceived * Nf) * (size_t)PlexHDGTraceSize(hdg),
                                 (void **)&t->args.received));
  PetscCall(PlexHDGTraceCreateMat(hdg, &hdg->A));
  if (hdg->rounded != PETSC_BOOL3_FALSE) PetscCall(PlexHDGTraceCreateMat(hdg, &t->smoothed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceDestroy_Private(PlexHDG hdg)
{
  PlexHDGTrace t = hdg->elements;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexArrayReset(hdg->backend, &t->arrayX));
  PetscCall(PlexArrayReset(hdg->backend, &t->arrayY));
  PetscCall(PlexArrayReset(hdg->backend, &t->arrayRHS));
  PetscCall(PlexArrayReset(hdg->backend, &t->arrayGhosts));
  PetscCall(MatDestroy(&t->smoothed));
  PetscCall(VecDestroy(&t->ghosts));
  PetscCall(VecScatterDestroy(&t->scatter));
  PetscCall(PlexMemoryFree(hdg->backend, &t->memory));
  PetscCall(PlexModuleDestroy(&t->module));
  PetscCall(PetscFree(hdg->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTracePack_Private(PlexHDG hdg, PetscInt begin, PetscInt end, const double K[])
{
  PlexHDGTrace     t    = hdg->elements;
  PlexHDGTraceArgs args = t->args;
  int              from = (int)begin, to = (int)end;
  PetscInt         grid        = 0;
  const long long  batches     = end > begin ? (end - 1) / t->width - begin / t->width + 1 : 0;
  void            *arguments[] = {(void *)&K, &from, &to, &args};

  PetscFunctionBegin;
  if (!batches) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGBlocks_Private(batches * (long long)PlexHDGTraceNumbers(hdg) * t->width / 2 + 1, &grid));
  if (t->pack) PetscCall(PlexKernelLaunch(t->pack, grid, 256, 0, arguments));
  else PlexHDGTracePackHost_Private(hdg, &args, begin, end, K);
  PetscFunctionReturn(PETSC_SUCCESS);
}

double *PlexHDGTraceReceived_Private(PlexHDG hdg)
{
  return hdg->elements->args.received;
}

double PlexHDGTraceBytes_Private(PlexHDG hdg)
{
  const PlexHDGTrace t = hdg->elements;

  return 8. * ((double)(t->nbatches * t->width) * (double)PlexHDGTraceNumbers(hdg) +
               (double)hdg->mesh->nreceived * (double)(PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg)));
}
