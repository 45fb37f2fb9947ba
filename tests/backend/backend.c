/*
  The backends: memory, kernels, the cache, messages, arrays of PETSc's objects.

    backend [-backends host,emulate,cuda]   default: host and emulate, and cuda where there is a GPU
    backend -nvrtc sm_90                    also compiles the kernels below for that architecture, which needs no GPU

  Prints "ok NAME" or "not ok NAME" a line; the exit status is 1 when something failed.
*/
#include <plexgpu/private/backendimpl.h>
#include <petsctime.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static int  failures = 0;
static char message[4096]; /* of the last error */

static void Report(PetscBool good, PlexBackend b, const char name[])
{
  (void)PetscPrintf(PETSC_COMM_SELF, "%s backend %s: %s\n", good ? "ok" : "not ok",
                    b ? ((PetscObject)b)->type_name : "-", name);
  if (!good) ++failures;
}

/* Keeps an error's message and lets the program go on */
static PetscErrorCode Keep(MPI_Comm comm, int line, const char *fn, const char *file, PetscErrorCode n,
                           PetscErrorType p, const char *text, void *ctx)
{
  (void)comm;
  (void)line;
  (void)fn;
  (void)file;
  (void)ctx;
  if (p == PETSC_ERROR_INITIAL) (void)PetscStrncpy(message, text, sizeof(message));
  return n;
}

/* The call fails, and its message holds all of the words (a NULL ends them) */
#define Fails(b, name, call, ...) \
  do { \
    const char *const words_[] = {__VA_ARGS__, NULL}; \
    PetscErrorCode    code_; \
    PetscBool         good_; \
    message[0] = 0; \
    PetscCall(PetscPushErrorHandler(Keep, NULL)); \
    code_ = (call); \
    PetscCall(PetscPopErrorHandler()); \
    good_ = (PetscBool)(code_ != PETSC_SUCCESS); \
    for (int w_ = 0; words_[w_]; ++w_) \
      if (!strstr(message, words_[w_])) good_ = PETSC_FALSE; \
    if (!good_) (void)PetscPrintf(PETSC_COMM_SELF, "# message: %s\n", message); \
    Report(good_, b, name); \
  } while (0)

static const char source
  [] = "#ifndef PLEX_EMULATE\n"
       "  #define PLEX_EXPORT_KERNEL(name)\n"
       "  #define PLEX_DYNAMIC_SHARED(T, name) extern __shared__ double plex_dynamic_shared[]; T *name = (T "
       "*)plex_dynamic_shared\n"
       "#endif\n"
       "#include \"SCALE_FILE\"\n"
       "#include \"SCALE_FILE\"\n"
       /* 32 lanes of the thread's warp, and what they vote, where a warp has 32 and where it has 64 */
       "#if PLEX_WARP == 64\n"
       "  #define LANES(mask) ((unsigned long long)(mask) << (threadIdx.x & 32))\n"
       "  #define VOTE(votes) ((unsigned)((votes) >> (threadIdx.x & 32)))\n"
       "#else\n"
       "  #define LANES(mask) (mask)\n"
       "  #define VOTE(votes) (votes)\n"
       "#endif\n"
       "extern \"C\" __global__ void saxpy(int n, double a, const double *x, double *y)\n"
       "{\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (i < n) y[i] += a * x[i] * SCALE * scale();\n"
       "}\n"
       "PLEX_EXPORT_KERNEL(saxpy)\n"
       "extern \"C\" __global__ void __launch_bounds__(256) reduce(int n, const double *__restrict__ x, double *sum)\n"
       "{\n"
       "  __shared__ double part[32];\n"
       "  double v = 0;\n"
       "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];\n"
       "  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(LANES(0xffffffffu), v, k, 32);\n"
       "  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;\n"
       "  __syncthreads();\n"
       "  if (threadIdx.x < 32) {\n"
       "    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;\n"
       "    for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(LANES(0xffffffffu), v, k, 32);\n"
       "    if (threadIdx.x == 0) sum[blockIdx.x] = v;\n"
       "  }\n"
       "}\n"
       "PLEX_EXPORT_KERNEL(reduce)\n"
       "extern \"C\" __global__ void reverse(int *x)\n"
       "{\n"
       "  PLEX_DYNAMIC_SHARED(int, s);\n"
       "  int t = threadIdx.x, n = blockDim.x;\n"
       "  s[t] = x[blockIdx.x * n + t];\n"
       "  for (int k = 0; k < 3; ++k) {\n"
       "    __syncthreads();\n"
       "    int v = s[n - 1 - t];\n"
       "    __syncthreads();\n"
       "    s[t] = v;\n"
       "  }\n"
       "  x[blockIdx.x * n + t] = s[t];\n"
       "}\n"
       "PLEX_EXPORT_KERNEL(reverse)\n"
       "extern \"C\" __global__ void atomics(double *d, float *f, int *i, unsigned *u)\n"
       "{\n"
       "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  atomicAdd(d, 0.5);\n"
       "  atomicAdd(f, 1.f);\n"
       "  atomicAdd(u, 2u);\n"
       "  atomicMax(&i[0], t);\n"
       "  atomicMin(&i[1], -t);\n"
       "}\n"
       "PLEX_EXPORT_KERNEL(atomics)\n"
       "extern \"C\" __global__ void warp(int *x)\n"
       "{\n"
       "  int t = threadIdx.x, team = t % 32 / 8 * 8;\n"
       "  unsigned mask = 0xffu << team;\n"
       "  __shared__ int s[64];\n"
       "  s[t] = t;\n"
       "  __syncwarp(LANES(mask));\n"
       "  int v = s[t ^ 7];\n"
       "  v += 100 * __shfl_sync(LANES(mask), t, team + 3, 32);\n"
       "  v += 10000 * __shfl_up_sync(LANES(mask), t % 8, 1, 8);\n"
       "  if (t % 2) v += 100000 * (VOTE(__ballot_sync(LANES(mask & 0xaaaaaaaau), t % 8 > 4)) >> team);\n"
       "  if (__any_sync(LANES(mask), t == 11)) v = -v;\n"
       "  x[t] = v;\n"
       "}\n"
       "PLEX_EXPORT_KERNEL(warp)\n";

static char scaleFile[PETSC_MAX_PATH_LEN]; /* a file that the source above includes twice */

static PetscErrorCode GetSource(char **text)
{
  const char *hit = source, *next;
  size_t      n   = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sizeof(source) + 2 * PETSC_MAX_PATH_LEN, text));
  while ((next = strstr(hit, "SCALE_FILE"))) {
    PetscCall(PetscMemcpy(*text + n, hit, (size_t)(next - hit)));
    n += (size_t)(next - hit);
    PetscCall(PetscStrncpy(*text + n, scaleFile, PETSC_MAX_PATH_LEN));
    n += strlen(scaleFile);
    hit = next + strlen("SCALE_FILE");
  }
  PetscCall(PetscStrncpy(*text + n, hit, strlen(hit) + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCreate(PlexBackend b)
{
  PlexBackend     again;
  PlexBackendType type;
  double          bandwidth;
  PetscBool       flg;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetType(b, &type));
  PetscCall(PlexBackendCreate(type, &again));
  Report((PetscBool)(again == b), b, "one instance a type");
  PetscCall(PlexBackendDestroy(&again));
  PetscCall(PlexBackendIsAvailable(type, &flg));
  Report(flg, b, "says that it is available");
  PetscCall(PlexBackendGetCopyBandwidth(b, &bandwidth));
  Report((PetscBool)(bandwidth > 1e8 && bandwidth < 1e14), b, "copy bandwidth");
  PetscCall(PlexBackendView(b, PETSC_VIEWER_STDOUT_SELF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMemory(PlexBackend b)
{
  const PetscInt n = 1000;
  PetscScalar   *x, *y, *dx, *dy;
  void          *p;
  PetscBool      good = PETSC_TRUE;
  PetscLogDouble seconds, part;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &x, n, &y));
  for (PetscInt i = 0; i < n; ++i) x[i] = (PetscScalar)(3 * i);
  PetscCall(PlexBackendTimerBegin(b));
  PetscCall(PlexBackendUpload(b, x, (size_t)n * sizeof(*x), (void **)&dx));
  PetscCall(PlexBackendTimerBegin(b));
  PetscCall(PlexBackendMalloc(b, (size_t)n * sizeof(*x), (void **)&dy));
  PetscCall(PetscSleep(0.01));
  PetscCall(PlexBackendZero(b, dy, (size_t)n * sizeof(*x)));
  PetscCall(PlexBackendCopy(b, dy, dx, (size_t)n / 2 * sizeof(*x)));
  PetscCall(PlexBackendCopyOut(b, y, dy, (size_t)n * sizeof(*x)));
  PetscCall(PlexBackendTimerEnd(b, &part));
  PetscCall(PlexBackendTimerBegin(b));
  PetscCall(PlexBackendTimerEnd(b, &seconds));
  good = (PetscBool)(seconds < part);
  PetscCall(PlexBackendTimerEnd(b, &seconds));
  Report((PetscBool)(good && part > 0.005 && seconds >= part && seconds < 100), b, "timers, one within the other");
  good = PETSC_TRUE;
  for (PetscInt i = 0; i < n; ++i)
    if (y[i] != (i < n / 2 ? x[i] : 0)) good = PETSC_FALSE;
  Report(good, b, "upload, copy, zero, copy out");
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscCall(PlexBackendFree(b, (void **)&dy));
  PetscCall(PetscFree2(x, y));
  PetscCall(PlexBackendUpload(b, NULL, 0, &p));
  Report((PetscBool)(!p && !dx), b, "no bytes, no pointer");
  Fails(b, "too little memory", PlexBackendMalloc(b, (size_t)1 << 52, &p), "4503599627370496 bytes are needed",
        "are free", "use ");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestVec(PlexBackend b, VecType type)
{
  Vec          v;
  PlexArray    a = {.access = PLEX_READ};
  PetscScalar *host, value;
  PetscBool    good = PETSC_TRUE, same;

  PetscFunctionBegin;
  PetscCall(VecCreate(PETSC_COMM_SELF, &v));
  PetscCall(VecSetSizes(v, 10, 10));
  PetscCall(VecSetType(v, type));
  PetscCall(VecSet(v, 2.));
  PetscCall(PetscMalloc1(10, &host));
  PetscCall(PlexBackendVecGet(b, v, PLEX_READ, &a));
  PetscCall(PetscStrcmp(type, VECSEQ, &same));
  Report((PetscBool)(a.inPlace == (b->device ? !same : PETSC_TRUE) && a.n == 10), b,
         same ? "host vector: in place where it should be" : "device vector: in place where it should be");
  PetscCall(PlexBackendCopyOut(b, host, a.array, 10 * sizeof(PetscScalar)));
  PetscCall(PlexBackendVecRestore(b, &a));
  for (PetscInt i = 0; i < 10; ++i) good = (PetscBool)(good && host[i] == 2.);
  for (PetscInt i = 0; i < 10; ++i) host[i] = (PetscScalar)i;
  PetscCall(PlexBackendVecGet(b, v, PLEX_WRITE, &a));
  PetscCall(PlexBackendCopyIn(b, a.array, host, 10 * sizeof(PetscScalar)));
  PetscCall(PlexBackendVecRestore(b, &a));
  PetscCall(VecSum(v, &value));
  Report((PetscBool)(good && value == 45.), b, "vector read and written");
  /* read again as it is, changed, and another one in its place */
  for (PetscInt k = 0; k < 4; ++k) {
    const PetscScalar expected = k < 2 ? 45. : 30. * k;

    if (k == 2) PetscCall(VecSet(v, 6.));
    if (k == 3) {
      PetscCall(VecDestroy(&v));
      PetscCall(VecCreate(PETSC_COMM_SELF, &v));
      PetscCall(VecSetSizes(v, 10, 10));
      PetscCall(VecSetType(v, type));
      PetscCall(VecSet(v, 9.));
    }
    PetscCall(PlexBackendVecGet(b, v, PLEX_READ, &a));
    PetscCall(PlexBackendCopyOut(b, host, a.array, 10 * sizeof(PetscScalar)));
    PetscCall(PlexBackendVecRestore(b, &a));
    value = 0.;
    for (PetscInt i = 0; i < 10; ++i) value += host[i];
    good = (PetscBool)(good && value == expected);
  }
  Report(good, b, "what was read before is read again once it has changed");
  PetscCall(PlexArrayReset(b, &a));
  PetscCall(PetscFree(host));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMat(PlexBackend b, MatType type)
{
  Mat              A;
  Vec              x, y;
  PlexArray        a = {.access = PLEX_READ};
  PetscScalar     *host, sum;
  PetscObjectState before, after;
  PetscBool        same;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 6, 6, 6, 6));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSeqAIJSetPreallocation(A, 2, NULL));
  for (PetscInt i = 0; i < 6; ++i) {
    PetscCall(MatSetValue(A, i, i, 1., INSERT_VALUES));
    if (i < 5) PetscCall(MatSetValue(A, i, i + 1, 0., INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectStateGet((PetscObject)A, &before));
  PetscCall(PetscMalloc1(11, &host));
  for (PetscInt i = 0; i < 11; ++i) host[i] = (PetscScalar)(i + 1);
  PetscCall(PlexBackendMatGet(b, A, PLEX_WRITE, &a));
  PetscCall(PetscStrcmp(type, MATSEQAIJ, &same));
  Report((PetscBool)(a.inPlace == (b->device ? !same : PETSC_TRUE) && a.n == 11), b,
         same ? "host matrix: in place where it should be" : "device matrix: in place where it should be");
  PetscCall(PlexBackendCopyIn(b, a.array, host, 11 * sizeof(PetscScalar)));
  PetscCall(PlexBackendMatRestore(b, &a));
  PetscCall(PetscObjectStateGet((PetscObject)A, &after));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecSum(y, &sum));
  Report((PetscBool)(sum == 66. && after > before), b, "matrix written, its state raised");
  PetscCall(PlexArrayReset(b, &a));
  PetscCall(PetscFree(host));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 2, 2, NULL, &A));
  Fails(b, "matrix of another type", PlexBackendMatGet(b, A, PLEX_WRITE, &a), "seqdense", "-dm_mat_type");
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSaxpy(PlexBackend b, PlexModule module)
{
  PlexKernel kernel;
  int        n = 1000;
  double     x[1000], y[1000], *dx, *dy, a = 2;
  void      *args[] = {&n, &a, &dx, &dy};
  PetscBool  good   = PETSC_TRUE;

  PetscFunctionBegin;
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 1;
  }
  PetscCall(PlexBackendUpload(b, x, sizeof(x), (void **)&dx));
  PetscCall(PlexBackendUpload(b, y, sizeof(y), (void **)&dy));
  PetscCall(PlexModuleGetKernel(module, "saxpy", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 8, 128, 0, args));
  PetscCall(PlexKernelLaunch(kernel, 0, 128, 0, args));
  PetscCall(PlexBackendCopyOut(b, y, dy, sizeof(y)));
  for (int i = 0; i < n; ++i) good = (PetscBool)(good && y[i] == 1 + 2. * i * 3 * 5);
  Report(good, b, "saxpy with a definition and an included file");
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscCall(PlexBackendFree(b, (void **)&dy));
  Fails(b, "too much shared memory", PlexKernelLaunch(kernel, 1, 128, (size_t)1 << 20, args), "saxpy", "1048576",
        "bytes");
  Fails(b, "too many threads", PlexKernelLaunch(kernel, 1, 2048, 0, args), "saxpy", "2048", "1024");
  Fails(b, "unknown kernel", PlexModuleGetKernel(module, "nosuch", &kernel), "nosuch", "unit_kernels");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestReduce(PlexBackend b, PlexModule module)
{
  PlexKernel kernel;
  int        n = 5000, good = 1;
  double    *x, *dx, *dsum, sum[4], total = 0;
  void      *args[] = {&n, &dx, &dsum};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &x));
  for (int i = 0; i < n; ++i) x[i] = i;
  PetscCall(PlexBackendUpload(b, x, (size_t)n * sizeof(*x), (void **)&dx));
  PetscCall(PlexBackendMalloc(b, sizeof(sum), (void **)&dsum));
  PetscCall(PlexModuleGetKernel(module, "reduce", &kernel));
  for (PetscInt block = 32; block <= 256; block *= 2) {
    PetscCall(PlexKernelLaunch(kernel, 4, block, 0, args));
    PetscCall(PlexBackendCopyOut(b, sum, dsum, sizeof(sum)));
    total = sum[0] + sum[1] + sum[2] + sum[3];
    good  = good && total == 0.5 * n * (n - 1);
  }
  Report((PetscBool)good, b, "block reduction by shuffles and barriers");
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscCall(PlexBackendFree(b, (void **)&dsum));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of 1000 threads takes the place of 32 warps, all shared memory there is that of one block alone */
static PetscErrorCode TestOccupancy(PlexBackend b, PlexKernel kernel)
{
  const PetscInt most = b->limits.threadsPerProcessor / 1024;
  PetscInt       blocks, one;
  PetscReal      occupancy, alone;

  PetscFunctionBegin;
  if (!b->device) {
    Fails(b, "no multiprocessors", PlexKernelGetOccupancy(kernel, 1000, 0, &blocks, &occupancy), "reverse", "cuda");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexKernelGetOccupancy(kernel, 1000, 4000, &blocks, &occupancy));
  PetscCall(PlexKernelGetOccupancy(kernel, 1000, b->limits.sharedPerBlock, &one, &alone));
  Report((PetscBool)(blocks >= 1 && blocks <= most && one == 1 &&
                     PetscAbsReal(occupancy - (PetscReal)(1024 * blocks) / b->limits.threadsPerProcessor) < 1e-6 &&
                     PetscAbsReal(alone - 1024. / b->limits.threadsPerProcessor) < 1e-6),
         b, "occupancy");
  Fails(b, "occupancy with too many threads", PlexKernelGetOccupancy(kernel, 2048, 0, &blocks, &occupancy), "2048",
        "1024");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a program is told of its launches, while it asks */
static PetscErrorCode TestLaunches(PlexBackend b, PlexModule module)
{
  PlexKernel     kernel, other;
  PlexLaunches   launches = {0}, two = {0};
  PetscLogDouble begin, end;
  int            n = 0;
  double         a = 0., *dx = NULL, *dsum = NULL;
  void          *args[] = {&n, &dx, &dsum}, *others[] = {&n, &a, &dx, &dx};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, 4 * sizeof(*dsum), (void **)&dsum));
  PetscCall(PlexBackendZero(b, dsum, 4 * sizeof(*dsum)));
  PetscCall(PlexModuleGetKernel(module, "reduce", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 1, 32, 0, args));
  b->launches = &launches;
  PetscCall(PetscTime(&begin));
  PetscCall(PlexKernelLaunch(kernel, 4, 32, 0, args));
  PetscCall(PlexKernelLaunch(kernel, 0, 96, 0, args)); /* is none */
  PetscCall(PlexKernelLaunch(kernel, 2, 64, 512, args));
  PetscCall(PetscTime(&end));
  b->launches = &two;
  PetscCall(PlexModuleGetKernel(module, "saxpy", &other));
  PetscCall(PlexKernelLaunch(kernel, 1, 32, 0, args));
  PetscCall(PlexKernelLaunch(other, 1, 32, 0, others));
  if (b->ops->gemm) {
    const PlexGemm product = {1, 1, 1, 1., 0., dsum, dsum + 1, dsum + 2};

    PetscCall(PlexBackendGemm(b, PLEX_PRECISION_DOUBLE, &product));
  } else ++two.n;
  b->launches = NULL;
  PetscCall(PlexKernelLaunch(kernel, 1, 128, 0, args));
  PetscCall(PlexBackendSynchronize(b));
  Report((PetscBool)(launches.n == 2 && launches.kernel == kernel && launches.block == 64 &&
                     launches.sharedBytes == 512 && launches.seconds > 0 && launches.seconds <= end - begin &&
                     two.n == 3 && !two.kernel),
         b, "launches are counted and timed");
  PetscCall(PlexBackendFree(b, (void **)&dsum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestShared(PlexBackend b, PlexModule module)
{
  PlexKernel           kernel;
  PlexKernelAttributes attributes;
  int                  x[2000], *dx, good = 1;
  void                *args[] = {&dx};

  PetscFunctionBegin;
  for (int i = 0; i < 2000; ++i) x[i] = i;
  PetscCall(PlexBackendUpload(b, x, sizeof(x), (void **)&dx));
  PetscCall(PlexModuleGetKernel(module, "reverse", &kernel));
  PetscCall(PlexKernelGetAttributes(kernel, &attributes));
  Report((PetscBool)(attributes.threadsPerBlock >= 1000), b, "attributes");
  PetscCall(TestOccupancy(b, kernel));
  PetscCall(PlexKernelLaunch(kernel, 2, 1000, PetscMin((size_t)200000, b->limits.sharedPerBlock), args));
  PetscCall(PlexBackendCopyOut(b, x, dx, sizeof(x)));
  for (int i = 0; i < 2000; ++i) good = good && x[i] == i / 1000 * 1000 + 999 - i % 1000;
  Report((PetscBool)good, b, "dynamic shared memory, 200000 bytes or all there is");
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAtomics(PlexBackend b, PlexModule module)
{
  PlexKernel kernel;
  double    *d, dh;
  float     *f, fh;
  int       *i, ih[2];
  unsigned  *u, uh;
  void      *args[] = {&d, &f, &i, &u};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(*d), (void **)&d));
  PetscCall(PlexBackendMalloc(b, sizeof(*f), (void **)&f));
  PetscCall(PlexBackendMalloc(b, 2 * sizeof(*i), (void **)&i));
  PetscCall(PlexBackendMalloc(b, sizeof(*u), (void **)&u));
  PetscCall(PlexBackendZero(b, d, sizeof(*d)));
  PetscCall(PlexBackendZero(b, f, sizeof(*f)));
  PetscCall(PlexBackendZero(b, i, 2 * sizeof(*i)));
  PetscCall(PlexBackendZero(b, u, sizeof(*u)));
  PetscCall(PlexModuleGetKernel(module, "atomics", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 3, 100, 0, args));
  PetscCall(PlexBackendSynchronize(b));
  PetscCall(PlexBackendCopyOut(b, &dh, d, sizeof(dh)));
  PetscCall(PlexBackendCopyOut(b, &fh, f, sizeof(fh)));
  PetscCall(PlexBackendCopyOut(b, ih, i, sizeof(ih)));
  PetscCall(PlexBackendCopyOut(b, &uh, u, sizeof(uh)));
  Report((PetscBool)(dh == 150 && fh == 300 && ih[0] == 299 && ih[1] == -299 && uh == 600), b, "atomics");
  PetscCall(PlexBackendFree(b, (void **)&d));
  PetscCall(PlexBackendFree(b, (void **)&f));
  PetscCall(PlexBackendFree(b, (void **)&i));
  PetscCall(PlexBackendFree(b, (void **)&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWarp(PlexBackend b, PlexModule module)
{
  PlexKernel kernel;
  int        x[64], *dx, good = 1;
  void      *args[] = {&dx};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(x), (void **)&dx));
  PetscCall(PlexModuleGetKernel(module, "warp", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 1, 64, 0, args));
  PetscCall(PlexBackendCopyOut(b, x, dx, sizeof(x)));
  for (int t = 0; t < 64; ++t) {
    int lane = t % 8, v = (t ^ 7) + 100 * (t / 8 * 8 % 32 + t / 32 * 32 + 3) + 10000 * (lane ? lane - 1 : 0);

    if (t % 2) v += 100000 * 0xa0;
    if (t / 8 == 1) v = -v;
    good = good && x[t] == v;
  }
  Report((PetscBool)good, b, "teams of 8: shuffles, ballot, any, syncwarp");
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Damages the files of the cache: cuts the first half off one in two, and overwrites a byte of the others */
static PetscErrorCode DamageCache(const char folder[], int *n)
{
  DIR           *directory = opendir(folder);
  struct dirent *entry;
  char           path[2 * PETSC_MAX_PATH_LEN];
  struct stat    status;

  PetscFunctionBegin;
  *n = 0;
  while (directory && (entry = readdir(directory))) {
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (stat(path, &status) || !S_ISREG(status.st_mode)) continue;
    if (*n % 2 && !truncate(path, status.st_size / 2)) ++*n;
    else if ((file = fopen(path, "r+b"))) {
      (void)fseek(file, (long)(status.st_size / 3), SEEK_SET);
      (void)fputs("damage", file);
      fclose(file);
      ++*n;
    }
  }
  if (directory) closedir(directory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCache(PlexBackend b, const char text[], const char folder[])
{
  const char *const defines[] = {"SCALE=3"}, *const others[] = {"SCALE=4"};
  PlexModule module;
  int        n;

  PetscFunctionBegin;
  PetscCall(PlexBackendCompile(b, "unit_kernels", 1, defines, text, &module));
  Report(module->fromCache, b, "the second compilation is found in the cache");
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompile(b, "unit_kernels", 1, others, text, &module));
  Report((PetscBool)!module->fromCache, b, "other definitions are compiled");
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(DamageCache(folder, &n));
  PetscCall(PlexBackendCompile(b, "unit_kernels", 1, defines, text, &module));
  Report((PetscBool)(n >= 2 && !module->fromCache), b, "a damaged file is compiled again");
  PetscCall(TestSaxpy(b, module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompile(b, "unit_kernels", 1, others, text, &module));
  Report((PetscBool)!module->fromCache, b, "a file cut short is compiled again");
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", "/proc/no/such/folder"));
  PetscCall(PlexBackendCompile(b, "unit_kernels", 1, defines, text, &module));
  PetscCall(TestReduce(b, module));
  PetscCall(TestLaunches(b, module));
  Report((PetscBool)!module->fromCache, b, "a cache that cannot be written is no error");
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(PlexBackend b)
{
  PlexModule module;
  char       text[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!b->kernels) {
    Fails(b, "does not compile kernels", PlexBackendCompile(b, "unit", 0, NULL, "", &module), "unit", "cuda",
          "emulate");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Fails(b, "a compiler's message with file and line",
        PlexBackendCompile(b, "unit_broken", 0, NULL, "#line 40 \"broken.c\"\nint x;\n__device__ void f() { y = 1; }\n",
                           &module),
        "unit_broken", "broken.c", "41", "y");
  PetscCall(PetscSNPrintf(text, sizeof(text), "#include \"%s\"\n__device__ int g() { return nothing; }\n", scaleFile));
  Fails(b, "a message behind an included file", PlexBackendCompile(b, "unit_broken", 0, NULL, text, &module),
        "unit_broken", "nothing", b->device ? "(2)" : ":2:");
  Fails(b, "a file that is not there",
        PlexBackendCompile(b, "unit_missing", 0, NULL, "#include \"no/such.cuh\"\n", &module), "no/such.cuh",
        "unit_missing", "-plexgpu_source_dir");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What only the emulation can say: threads that wait for ever, memory that nobody wrote, orders */
static PetscErrorCode TestEmulation(PlexBackend b, PlexModule kernels)
{
  static const char text[]   = "#if PLEX_WARP == 64\n"
                               "  #define LANES(mask) ((unsigned long long)(mask) << (threadIdx.x & 32))\n"
                               "#else\n"
                               "  #define LANES(mask) (mask)\n"
                               "#endif\n"
                               "extern \"C\" __global__ void hang(int k)\n"
                               "{\n"
                               "  if (k == 0 && threadIdx.x == 5) __syncwarp(LANES(0xffffffffu));\n"
                               "  if (k == 1 && threadIdx.x % 2) __syncwarp(LANES(0xffffffffu));\n"
                               "  else if (k == 1) __ballot_sync(LANES(0xffffffffu), 1);\n"
                               "  if (k == 2 && threadIdx.x == 7) __syncwarp(LANES(0xfu));\n"
                               "  if (k == 3) __trap();\n"
                               "  if (k == 5 && threadIdx.x < 32) __syncthreads();\n"
                               "  else if (k == 5) __syncthreads();\n"
                               "  __syncthreads();\n"
                               "}\n"
                               "PLEX_EXPORT_KERNEL(hang)\n"
                               "extern \"C\" __global__ void unwritten(double *x)\n"
                               "{\n"
                               "  PLEX_DYNAMIC_SHARED(double, s);\n"
                               "  x[blockIdx.x] = s[3];\n"
                               "  s[3] = 1;\n"
                               "}\n"
                               "PLEX_EXPORT_KERNEL(unwritten)\n"
                               "extern \"C\" __global__ void leave(int *x)\n"
                               "{\n"
                               "  if (threadIdx.x >= 40) return;\n"
                               "  __syncthreads();\n"
                               "  x[threadIdx.x] = __shfl_down_sync(LANES(0xffffffffu), (int)threadIdx.x, 1, 32);\n"
                               "}\n"
                               "PLEX_EXPORT_KERNEL(leave)\n";
  const char *const orders[] = {"reverse", "random", "forward"};
  PlexModule        module;
  PlexKernel        kernel;
  double           *x, y[2];
  int               k, z[40];
  void             *args[] = {&k}, *xargs[] = {&x};

  PetscFunctionBegin;
  PetscCall(PlexBackendCompile(b, "unit_emulation", 0, NULL, text, &module));
  PetscCall(PlexModuleGetKernel(module, "hang", &kernel));
  k = 0;
  Fails(b, "a lane alone in a warp operation", PlexKernelLaunch(kernel, 2, 64, 0, args), "hang", "block 0", "diverge",
        "63 wait in __syncthreads()");
  k = 1;
  Fails(b, "lanes in different warp operations", PlexKernelLaunch(kernel, 2, 64, 0, args), "hang",
        "different warp operations");
  k = 2;
  Fails(b, "a mask without the own lane", PlexKernelLaunch(kernel, 2, 64, 0, args), "hang", "mask", "thread 7");
  k = 3;
  Fails(b, "a trap", PlexKernelLaunch(kernel, 2, 64, 0, args), "hang", "__trap()");
  k = 5;
  if (b->limits.warpSize == 64)
    Fails(b, "halves of a warp at two barriers", PlexKernelLaunch(kernel, 2, 64, 0, args), "hang", "a warp of 64",
          "two __syncthreads()");
  else PetscCall(PlexKernelLaunch(kernel, 2, 64, 0, args));
  k = 4;
  PetscCall(PlexKernelLaunch(kernel, 2, 64, 0, args));
  PetscCall(PlexModuleGetKernel(module, "unwritten", &kernel));
  PetscCall(PlexBackendMalloc(b, 1024, (void **)&x));
  Report(PetscIsNanReal((PetscReal)x[5]), b, "new memory holds no numbers");
  PetscCall(PlexKernelLaunch(kernel, 2, 1, 32, xargs));
  PetscCall(PlexBackendCopyOut(b, y, x, sizeof(y)));
  Report((PetscBool)(PetscIsNanReal((PetscReal)y[0]) && PetscIsNanReal((PetscReal)y[1])), b,
         "shared memory of a new block holds no numbers");
  PetscCall(PlexModuleGetKernel(module, "leave", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 1, 64, 0, xargs));
  PetscCall(PlexBackendCopyOut(b, z, x, sizeof(z)));
  Report((PetscBool)(z[0] == 1 && z[30] == 31 && z[31] == 31 && z[38] == 39 && z[39] == -1), b,
         "threads that have left do not hold up the others");
  PetscCall(PlexBackendFree(b, (void **)&x));
  PetscCall(PlexModuleDestroy(&module));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(orders); ++i) {
    (void)setenv("PLEXGPU_EMULATE_ORDER", orders[i], 1);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "# order of threads: %s\n", orders[i]));
    PetscCall(TestReduce(b, kernels));
    PetscCall(TestShared(b, kernels));
    PetscCall(TestAtomics(b, kernels));
    PetscCall(TestWarp(b, kernels));
  }
  (void)unsetenv("PLEXGPU_EMULATE_ORDER");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char type[], const char text[], const char folder[])
{
  const char *const defines[] = {"SCALE=3"};
  PlexBackend       b;
  PlexModule        module;
  PetscBool         emulate;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate(type, &b));
  PetscCall(TestCreate(b));
  PetscCall(TestMemory(b));
  PetscCall(TestVec(b, VECSEQ));
  PetscCall(TestMat(b, MATSEQAIJ));
  if (b->device) {
    PetscCall(TestVec(b, VECSEQCUDA));
    PetscCall(TestMat(b, MATSEQAIJCUSPARSE));
  }
  PetscCall(TestMessages(b));
  if (b->kernels) {
    PetscCall(PlexBackendCompile(b, "unit_kernels", 1, defines, text, &module));
    Report((PetscBool)!module->fromCache, b, "the first compilation compiles");
    PetscCall(TestSaxpy(b, module));
    PetscCall(TestReduce(b, module));
    PetscCall(TestLaunches(b, module));
    PetscCall(TestShared(b, module));
    PetscCall(TestAtomics(b, module));
    PetscCall(TestWarp(b, module));
    PetscCall(PetscStrcmp(type, PLEXBACKENDEMULATE, &emulate));
    if (emulate) PetscCall(TestEmulation(b, module));
    PetscCall(PlexModuleDestroy(&module));
    PetscCall(TestCache(b, text, folder));
  }
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTypes(void)
{
  PlexBackend b;
  PetscBool   cuda, hip;

  PetscFunctionBegin;
  Fails(NULL, "unknown type", PlexBackendCreate("nosuch", &b), "nosuch", "auto", "cuda", "hip", "host", "emulate");
  PetscCall(PlexBackendIsAvailable("nosuch", &cuda));
  Report((PetscBool)!cuda, NULL, "an unknown type is not available");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  if (!cuda) Fails(NULL, "no GPU", PlexBackendCreate(PLEXBACKENDCUDA, &b), "cuda", "-plex_assembly_backend host");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDHIP, &hip));
  if (!hip) Fails(NULL, "no GPU of AMD", PlexBackendCreate(PLEXBACKENDHIP, &b), "hip", "HIP");
  PetscCall(PlexBackendCreate(PLEXBACKENDAUTO, &b));
  Report((PetscBool)(b->device == cuda), b, "auto");
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNVRTC(const char arch[], const char text[])
{
  const char *const defines[] = {"SCALE=3"};
  size_t            first, second;

  PetscFunctionBegin;
  PetscCall(PlexCompileOnly_CUDA("unit_kernels", 1, defines, text, arch, &first));
  PetscCall(PlexCompileOnly_CUDA("unit_kernels", 1, defines, text, arch, &second));
  Report((PetscBool)(first > 1000 && first == second), NULL, "NVRTC compiles without a GPU");
  Fails(NULL, "NVRTC's message",
        PlexCompileOnly_CUDA("unit_broken", 0, NULL, "#line 40 \"broken.c\"\nint x;\n__device__ void f() { y = 1; }\n",
                             arch, &first),
        "unit_broken", "broken.c(41)", "\"y\" is undefined");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      list[256], arch[32], folder[PETSC_MAX_PATH_LEN], *text, **types;
  FILE     *file;
  int       n;
  PetscBool flg;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscStrncpy(folder, "/tmp/plexgpu-unit-XXXXXX", sizeof(folder)));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCall(PetscSNPrintf(scaleFile, sizeof(scaleFile), "%s/scale.cuh", folder));
  file = fopen(scaleFile, "w");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", scaleFile);
  fprintf(file, "#pragma once\nstatic __device__ __forceinline__ double scale()\n{\n  return 5;\n}\n");
  fclose(file);
  PetscCall(PetscStrlcat(folder, "/cache", sizeof(folder)));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", folder));
  PetscCall(GetSource(&text));

  PetscCall(TestTypes());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backends", list, sizeof(list), &flg));
  if (!flg) {
    PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &flg));
    PetscCall(PetscStrncpy(list, flg ? "host,emulate,cuda" : "host,emulate", sizeof(list)));
  }
  PetscCall(PetscStrToArray(list, ',', &n, &types));
  for (int i = 0; i < n; ++i) PetscCall(TestBackend(types[i], text, folder));
  PetscCall(PetscStrToArrayDestroy(n, types));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-nvrtc", arch, sizeof(arch), &flg));
  if (flg) PetscCall(TestNVRTC(arch, text));

  PetscCall(PetscFree(text));
  *strrchr(folder, '/') = 0;
  PetscCall(PetscRMTree(folder));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
