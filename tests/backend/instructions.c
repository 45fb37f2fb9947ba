static char help[] = "Each function of cuda/instructions.cuh, emulated and on the GPU where there is one, against what "
                     "the PTX ISA says of its instruction; and\n"
                     "what only the emulation can say: lanes that are missing, copies that nobody waited for, blocks "
                     "that wait for blocks which have not begun.\n\n";

#include <plexgpu/private/backendimpl.h>
#include "report.h"

/* A[M][K], B[K][8] and C[M][8] by rows; a lane takes what the ISA says that it holds, and puts C back. which: the
   instruction, with the rows of A that it has */
static const char
  source[] = "#ifndef PLEX_EMULATE\n"
             "  #define PLEX_EXPORT_KERNEL(name)\n"
             "  #define PLEX_DYNAMIC_SHARED(T, name) extern __shared__ double plex_dynamic_shared[]; T *name = (T "
             "*)plex_dynamic_shared\n"
             "#endif\n"
             "#define PLEX_DEVICE static __device__ __forceinline__\n"
             "#include \"warp.cuh\"\n"
             "#include \"instructions.cuh\"\n"
             "extern \"C\" __global__ void __launch_bounds__(64, 1) products(int which, const double *A, const double "
             "*B, double *C)\n"
             "{\n"
             "  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;\n"
             "  if (threadIdx.x / 32 != 1) return;\n" /* the other warp has nothing to do with it */
             "  if (which == 0) {\n"
             "#if PLEX_ARCH >= 900 || PLEX_PLAIN\n"
             "    const double a[2] = {A[g * 4 + t], A[(g + 8) * 4 + t]};\n"
             "    double       c[4];\n"
             "    for (int i = 0; i < 4; ++i) c[i] = C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];\n"
             "    plex_mma_f64_16x8x4(c, a, B[t * 8 + g]);\n"
             "    for (int i = 0; i < 4; ++i) C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = c[i];\n"
             "#endif\n"
             "  } else if (which == 1) {\n"
             "    double c[2] = {C[g * 8 + 2 * t], C[g * 8 + 2 * t + 1]};\n"
             "    plex_mma_f64_8x8x4(c, A[g * 4 + t], B[t * 8 + g]);\n"
             "    for (int i = 0; i < 2; ++i) C[g * 8 + 2 * t + i] = c[i];\n"
             "  } else {\n"
             "    const unsigned a[4] = {__float_as_uint((float)A[g * 8 + t]), __float_as_uint((float)A[(g + 8) * 8 + "
             "t]), __float_as_uint((float)A[g * 8 + t + 4]), __float_as_uint((float)A[(g + 8) * 8 + t + 4])};\n"
             "    float c[4];\n"
             "    for (int i = 0; i < 4; ++i) c[i] = (float)C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];\n"
             "    plex_mma_tf32_16x8x8(c, a, (float)B[t * 8 + g], (float)B[(t + 4) * 8 + g]);\n"
             "    for (int i = 0; i < 4; ++i) C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = c[i];\n"
             "  }\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(products)\n"
             /* rows of 4 words are 20 words apart; v[lane][4] */
             "extern \"C\" __global__ void matrices(unsigned *v)\n"
             "{\n"
             "  PLEX_DYNAMIC_SHARED(unsigned, words);\n"
             "  unsigned mine[4];\n"
             "  for (int k = threadIdx.x; k < 32 * 20; k += 32) words[k] = k;\n"
             "  plex_lanes_sync();\n"
             "  plex_ldmatrix_4(mine, words + 20 * threadIdx.x);\n"
             "  for (int m = 0; m < 4; ++m) v[4 * threadIdx.x + m] = mine[m];\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(matrices)\n"
             "extern \"C\" __global__ void approximate(const double *x, double *y)\n"
             "{\n"
             "  y[2 * threadIdx.x]     = plex_rcp_approximate(x[threadIdx.x]);\n"
             "  y[2 * threadIdx.x + 1] = plex_rsqrt_approximate(x[threadIdx.x]);\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(approximate)\n"
             /* three batches on their way; a thread reads what its neighbour copied. early: it does not
                                wait for the last one */
             "extern \"C\" __global__ void copies(const double *from, double *to, int early)\n"
             "{\n"
             "  PLEX_DYNAMIC_SHARED(double, s);\n"
             "  const int t = threadIdx.x, n = blockDim.x;\n"
             "  plex_cp_async<8>(&s[t], &from[t]);\n"
             "  plex_cp_async_commit();\n"
             "  for (int h = 0; h < 2; ++h) plex_cp_async<4>((unsigned *)&s[n + t] + h, (const unsigned *)&from[n + t] "
             "+ h);\n"
             "  plex_cp_async_commit();\n"
             "  if (t % 2) plex_cp_async_line(&s[2 * n + t - 1], &from[2 * n + t - 1]);\n"
             "  plex_cp_async_wait<1>();\n"
             "  __syncthreads();\n"
             "  to[t] = s[t ^ 1];\n"
             "  if (!early) plex_cp_async_wait_all();\n"
             "  __syncthreads();\n"
             "  to[n + t]     = s[n + (t ^ 1)];\n"
             "  to[2 * n + t] = s[2 * n + (t ^ 1)];\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(copies)\n"
             /* three warps write, the fourth reads; then the four by halves */
             "#if PLEX_NUMBERED_BARRIERS\n"
             "extern \"C\" __global__ void barriers(int *x)\n"
             "{\n"
             "  __shared__ int s[128];\n"
             "  const int t = threadIdx.x, half = t / 64;\n"
             "  if (t < 96) {\n"
             "    s[t] = t;\n"
             "    __threadfence_block();\n"
             "    plex_bar_arrive<3, 128>();\n"
             "  } else {\n"
             "    plex_bar_sync<3, 128>();\n"
             "    x[t] = s[t - 96] + s[t - 64] + s[t - 32];\n"
             "  }\n"
             "  __syncthreads();\n"
             "  for (int k = 0; k < 3; ++k) {\n"
             "    s[t] = 1000 * k + t;\n"
             "    plex_bar_sync<64>(1 + half);\n"
             "    if (t < 96) x[t] = s[64 * half + 63 - t % 64];\n"
             "    plex_bar_sync<64>(1 + half);\n"
             "  }\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(barriers)\n"
             "#endif\n"
             /* block t adds its number to what block t - 1 has; with a ticket t is which block it is by
                                the order in which blocks begin */
             "extern \"C\" __global__ void chain(unsigned *ticket, unsigned *done, volatile double *sums, int tickets, "
             "unsigned launches)\n"
             "{\n"
             "  __shared__ unsigned taken;\n"
             "  if (threadIdx.x == 0) taken = tickets ? atomicInc(ticket, gridDim.x - 1) : blockIdx.x;\n"
             "  __syncthreads();\n"
             "  if (threadIdx.x == 0) {\n"
             "    if (taken > 0)\n"
             "      while ((int)(plex_load_acquire(done + taken - 1) - launches) < 0);\n"
             "    sums[taken] = (taken > 0 ? sums[taken - 1] : 0) + taken;\n"
             "    __threadfence();\n"
             "    plex_add_relaxed(done + taken, 1);\n"
             "  }\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(chain)\n"
             /* what is wrong: k */
             "#if defined(PLEX_EMULATE) && !PLEX_PLAIN\n"
             "extern \"C\" __global__ void wrong(int k, double *x)\n"
             "{\n"
             "  PLEX_DYNAMIC_SHARED(double, s);\n"
             "  const int lane = threadIdx.x % 32;\n"
             "  double    c[4] = {0, 0, 0, 0}, a[2] = {1, 1};\n"
             "  if (k == 0 && lane == 9) return;\n"
             "  if (k == 1 && lane == 9) __syncthreads();\n"
             "  if (k == 2 && lane == 9) __shfl_sync(0xffffffffu, lane, 0);\n"
             "  if (k == 3 && lane == 9) plex_mma_f64_8x8x4(c, 1, 1);\n"
             "  if (k < 4) plex_mma_f64_16x8x4(c, a, 1);\n"
             "  if (k == 4) plex_ldmatrix_4((unsigned *)c, s + (lane == 9));\n"
             "  if (k == 5) plex_cp_async<16>(s, x + 1);\n"
             "  if (k == 6 && threadIdx.x < 64) plex_bar_sync<5, 96>();\n"
             "  if (k == 7) plex_discard_line(x + 1);\n"
             "  if (k == 8) plex_discard_line(x);\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(wrong)\n"
             "#endif\n";

typedef struct {
  PlexBackend b;
  PlexModule  module;
  const char *name; /* of the kernel */
  PetscInt    grid, block;
  void      **args;
} Launch;

static PetscErrorCode DoLaunch(void *ctx)
{
  Launch    *l = (Launch *)ctx;
  PlexKernel kernel;

  PetscFunctionBegin;
  PetscCall(PlexModuleGetKernel(l->module, l->name, &kernel));
  PetscCall(PlexKernelLaunch(kernel, l->grid, l->block, 8192, l->args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(PlexBackend b, PetscBool good, const char what[])
{
  PetscFunctionBegin;
  PetscCall(PlexTestReportOf(good, ((PetscObject)b)->type_name, what, "it does not"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One product of small integers, which has no error in any precision */
static PetscErrorCode TestProduct(PlexBackend b, PlexModule module, int which)
{
  const char *const names[] = {"m16n8k4 in double precision", "m8n8k4 in double precision", "m16n8k8 in tf32"};
  const int         M = which == 1 ? 8 : 16, K = which == 2 ? 8 : 4;
  double            A[16 * 8], B[8 * 8], C[16 * 8], D[16 * 8], *dA, *dB, *dC;
  void             *args[] = {&which, &dA, &dB, &dC};
  PetscBool         same   = PETSC_TRUE;

  PetscFunctionBegin;
  for (int k = 0; k < 16 * 8; ++k) {
    A[k] = (7 * k + 3) % 31 - 15;
    C[k] = (5 * k + 1) % 101;
  }
  for (int k = 0; k < 8 * 8; ++k) B[k] = (11 * k + 2) % 29 - 14;
  PetscCall(PlexBackendUpload(b, A, sizeof(A), (void **)&dA));
  PetscCall(PlexBackendUpload(b, B, sizeof(B), (void **)&dB));
  PetscCall(PlexBackendUpload(b, C, sizeof(C), (void **)&dC));
  PetscCall(DoLaunch(&(Launch){b, module, "products", 1, 64, args}));
  PetscCall(PlexBackendCopyOut(b, D, dC, sizeof(D)));
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < 8; ++n) {
      for (int k = 0; k < K; ++k) C[m * 8 + n] += A[m * K + k] * B[k * 8 + n];
      if (C[m * 8 + n] != D[m * 8 + n]) same = PETSC_FALSE;
    }
  PetscCall(Report(b, same, names[which]));
  PetscCall(PlexBackendFree(b, (void **)&dA));
  PetscCall(PlexBackendFree(b, (void **)&dB));
  PetscCall(PlexBackendFree(b, (void **)&dC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMatrices(PlexBackend b, PlexModule module)
{
  unsigned *dv, v[128];
  void     *args[] = {&dv};
  PetscBool same   = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(v), (void **)&dv));
  PetscCall(DoLaunch(&(Launch){b, module, "matrices", 1, 32, args}));
  PetscCall(PlexBackendCopyOut(b, v, dv, sizeof(v)));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned m = 0; m < 4; ++m)
      if (v[4 * lane + m] != 20 * (8 * m + lane / 4) + lane % 4) same = PETSC_FALSE;
  PetscCall(Report(b, same, "ldmatrix"));
  PetscCall(PlexBackendFree(b, (void **)&dv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twenty bits, and none behind them; all where that is plain C++ */
static PetscErrorCode TestApproximate(PlexBackend b, PlexModule module, PetscBool plain)
{
  double    x[32], y[64], *dx, *dy;
  void     *args[] = {&dx, &dy};
  PetscBool good   = PETSC_TRUE;

  PetscFunctionBegin;
  for (int k = 0; k < 32; ++k) x[k] = exp(0.37 * k - 5);
  PetscCall(PlexBackendUpload(b, x, sizeof(x), (void **)&dx));
  PetscCall(PlexBackendMalloc(b, sizeof(y), (void **)&dy));
  PetscCall(DoLaunch(&(Launch){b, module, "approximate", 1, 32, args}));
  PetscCall(PlexBackendCopyOut(b, y, dy, sizeof(y)));
  for (int k = 0; k < 32; ++k) {
    uint64_t bits[2];

    PetscCall(PetscMemcpy(bits, &y[2 * k], sizeof(bits)));
    if (!(fabs(x[k] * y[2 * k] - 1) < ldexp(1., -19)) ||
        !(fabs(x[k] * y[2 * k + 1] * y[2 * k + 1] - 1) < ldexp(1., -18)) ||
        (!plain && ((uint32_t)bits[0] || (uint32_t)bits[1])))
      good = PETSC_FALSE;
  }
  PetscCall(Report(b, good, "1 / x and 1 / sqrt(x) to twenty bits"));
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscCall(PlexBackendFree(b, (void **)&dy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCopies(PlexBackend b, PlexModule module, PetscBool plain)
{
  const int n = 64;
  double    from[192], to[192], *dfrom, *dto;
  int       early  = 0;
  void     *args[] = {&dfrom, &dto, &early};
  PetscBool good   = PETSC_TRUE;

  PetscFunctionBegin;
  for (int k = 0; k < 3 * n; ++k) from[k] = k + 0.5;
  PetscCall(PlexBackendUpload(b, from, sizeof(from), (void **)&dfrom));
  PetscCall(PlexBackendMalloc(b, sizeof(to), (void **)&dto));
  PetscCall(DoLaunch(&(Launch){b, module, "copies", 1, n, args}));
  PetscCall(PlexBackendCopyOut(b, to, dto, sizeof(to)));
  for (int k = 0; k < 3 * n; ++k)
    if (to[k] != from[k ^ 1]) good = PETSC_FALSE;
  PetscCall(Report(b, good, "copies to shared memory in batches"));
  if (!b->device && !plain) {
    early = 1;
    PetscCall(DoLaunch(&(Launch){b, module, "copies", 1, n, args}));
    PetscCall(PlexBackendCopyOut(b, to, dto, sizeof(to)));
    PetscCall(Report(b, (PetscBool)(to[0] == from[1] && PetscIsNanReal(to[n]) && PetscIsNanReal(to[2 * n])),
                     "a copy that nobody waited for is seen"));
  }
  PetscCall(PlexBackendFree(b, (void **)&dfrom));
  PetscCall(PlexBackendFree(b, (void **)&dto));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBarriers(PlexBackend b, PlexModule module)
{
  int      *dx, x[128];
  void     *args[] = {&dx};
  PetscBool good   = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(x), (void **)&dx));
  PetscCall(DoLaunch(&(Launch){b, module, "barriers", 1, 128, args}));
  PetscCall(PlexBackendCopyOut(b, x, dx, sizeof(x)));
  for (int t = 0; t < 128; ++t)
    if (x[t] != (t < 96 ? 2000 + 64 * (t / 64) + 63 - t % 64 : 3 * (t - 96) + 96)) good = PETSC_FALSE;
  PetscCall(Report(b, good, "barriers of some of a block's threads"));
  PetscCall(PlexBackendFree(b, (void **)&dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A chain through all blocks, several launches */
static PetscErrorCode TestChain(PlexBackend b, PlexModule module, const char what[])
{
  const unsigned n = 1000, zero[1000] = {0};
  double         sums[1000], *dsums;
  unsigned      *ticket, *done, launches;
  int            tickets = 1;
  void          *args[]  = {&ticket, &done, &dsums, &tickets, &launches};
  PetscBool      good    = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(b, zero, sizeof(unsigned), (void **)&ticket));
  PetscCall(PlexBackendUpload(b, zero, sizeof(zero), (void **)&done));
  PetscCall(PlexBackendMalloc(b, sizeof(sums), (void **)&dsums));
  for (launches = 1; launches <= 3; ++launches)
    PetscCall(DoLaunch(&(Launch){b, module, "chain", (PetscInt)n, 32, args}));
  PetscCall(PlexBackendCopyOut(b, sums, dsums, sizeof(sums)));
  for (unsigned k = 0; k < n; ++k)
    if (sums[k] != k * (k + 1.) / 2) good = PETSC_FALSE;
  PetscCall(Report(b, good, what));
  PetscCall(PlexBackendFree(b, (void **)&ticket));
  PetscCall(PlexBackendFree(b, (void **)&done));
  PetscCall(PlexBackendFree(b, (void **)&dsums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that rely on the order of their numbers */
static PetscErrorCode TestOrder(PlexBackend b, PlexModule module)
{
  const unsigned    zero[8]  = {0};
  const char *const orders[] = {"reverse", "random"};
  double           *sums;
  unsigned         *done, launches = 1;
  int               tickets = 0;
  void             *args[]  = {&done, &done, &sums, &tickets, &launches};

  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(b, zero, sizeof(zero), (void **)&done));
  PetscCall(PlexBackendMalloc(b, 8 * sizeof(double), (void **)&sums));
  (void)setenv("PLEXGPU_EMULATE_ORDER", "reverse", 1);
  EXPECT("emulate: a block that waits for one that has not begun", DoLaunch,
         (&(Launch){b, module, "chain", 8, 32, args}), "chain", "block 7", "waits for ever", "thread 0");
  for (int k = 0; k < 2; ++k) {
    char name[64];

    (void)setenv("PLEXGPU_EMULATE_ORDER", orders[k], 1);
    PetscCall(PetscSNPrintf(name, sizeof(name), "emulate: a chain through blocks in %s order", orders[k]));
    PetscCall(TestChain(b, module, name + 9));
  }
  (void)unsetenv("PLEXGPU_EMULATE_ORDER");
  PetscCall(PlexBackendFree(b, (void **)&done));
  PetscCall(PlexBackendFree(b, (void **)&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWrong(PlexBackend b, PlexModule module)
{
  int     k;
  double *x;
  void   *args[] = {&k, &x};
  Launch  l      = {b, module, "wrong", 1, 64, args};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, 1024, (void **)&x));
  PetscCall(PlexBackendZero(b, x, 1024));
  k = 0;
  EXPECT("emulate: a product without a lane that has ended", DoLaunch, &l, "mma.sync.m16n8k4", "lane 9 of warp 0",
         "has ended", "32 lanes");
  k = 1;
  EXPECT("emulate: a product without a lane that waits elsewhere", DoLaunch, &l, "wrong", "diverge",
         "62 in a warp operation");
  k = 2;
  EXPECT("emulate: a product and a shuffle", DoLaunch, &l, "wrong", "different warp operations");
  k = 3;
  EXPECT("emulate: two different products", DoLaunch, &l, "mma.sync", "in another operation", "32 lanes");
  k = 4;
  EXPECT("emulate: a row of a matrix that is not aligned", DoLaunch, &l, "ldmatrix", "16 bytes");
  k = 5;
  EXPECT("emulate: a copy that is not aligned", DoLaunch, &l, "cp.async", "multiple");
  k = 6;
  EXPECT("emulate: a barrier to which too few threads come", DoLaunch, &l, "diverge", "64 at a barrier with a number");
  k = 7;
  EXPECT("emulate: half a line discarded", DoLaunch, &l, "discard", "128 bytes");
  k = 8;
  PetscCall(DoLaunch(&l));
  PetscCall(Report(b, (PetscBool)(PetscIsNanReal((PetscReal)x[0]) && PetscIsNanReal((PetscReal)x[15]) && x[16] == 0),
                   "what was discarded holds no numbers"));
  PetscCall(PlexBackendFree(b, (void **)&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PlexBackend b;
  PlexModule  module;
  PetscBool   plain;
  int         major = 90;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate(backend, &b));
  plain = (PetscBool)!strncmp(b->limits.arch, "gfx", 3); /* cuda/plain.cuh */
  PetscCall(PlexBackendCompile(b, "unit_instructions", 0, NULL, source, &module));
  if (b->device) (void)sscanf(b->limits.arch, "sm_%d", &major);
  for (int which = b->device && major < 90 ? 1 : 0; which < 3; ++which) PetscCall(TestProduct(b, module, which));
  PetscCall(TestMatrices(b, module));
  PetscCall(TestApproximate(b, module, plain));
  PetscCall(TestCopies(b, module, plain));
  if (!plain) PetscCall(TestBarriers(b, module));
  PetscCall(TestChain(b, module, "a chain through all blocks"));
  if (!b->device) {
    PetscCall(TestOrder(b, module));
    if (!plain) PetscCall(TestWrong(b, module));
  }
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
