static char help[] = "shared_nz by partial sums, whose blocks wait for other blocks: the same bits in each of many "
                     "launches, in whatever order blocks begin.\n"
                     "  emulate: blocks and threads in order, in reverse and at random. cuda: 1,000 launches, while "
                     "kernels of a second queue keep the GPU busy\n"
                     "  -launches <n> : so many of them\n\n";

#include <plexgpu/impl.h>
#include <stdlib.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#define ORDERS 3

/* On the second queue: blocks that last for other times each, in the way of those that wait for each other */
static const char
  source[] = "#ifndef PLEX_EMULATE\n"
             "  #define PLEX_EXPORT_KERNEL(name)\n"
             "#endif\n"
             "extern \"C\" __global__ void busy(unsigned seed, double *x)\n"
             "{\n"
             "  unsigned n = (blockIdx.x + 1) * 2654435761u ^ seed * 40503u;\n"
             "  double   v = threadIdx.x;\n"
             "  n = (n ^ n >> 15) % 20000;\n"
             "  for (unsigned k = 0; k < n; ++k) v = v * 0.999999 + 1;\n"
             "  if (v == -1) *x = v;\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(busy)\n"
             "extern \"C\" __global__ void differ(int n, const unsigned long long *a, const unsigned long long *b, "
             "unsigned *count)\n"
             "{\n"
             "  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)\n"
             "    if (a[k] != b[k]) atomicAdd(count, 1u);\n"
             "}\n"
             "PLEX_EXPORT_KERNEL(differ)\n";

typedef struct {
  PlexBackend  b;
  PlexModule   module;
  PlexKernel   busy, differ;
  DM           dm;
  PlexAssembly assembly;
  Vec          X;
  Mat          J;
  PlexArray    values; /* its own */
  int          nnz;
  double      *first; /* [nnz] what the first launch gave, in the backend's memory */
  unsigned    *count; /* values of all launches that differ from it, there too */
} Stress;

/* n hexahedra of order 2 along a side, a few a block */
static PetscErrorCode StressCreate(const char backend[], PetscInt n, PetscInt partition, Stress *s)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_HEXAHEDRON,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_SYMMETRIC};
  const PetscInt        faces[] = {n, n, n};
  MatInfo               info;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscCall(PlexBackendCreate(backend, &s->b));
  PetscCall(PlexBackendCompile(s->b, "partial_stress", 0, NULL, source, &s->module));
  PetscCall(PlexModuleGetKernel(s->module, "busy", &s->busy));
  PetscCall(PlexModuleGetKernel(s->module, "differ", &s->differ));
  PetscCall(PlexTestHexahedronBox(PETSC_COMM_SELF, faces, PETSC_FALSE, &s->dm));
  if (s->b->device) {
    PetscCall(DMSetVecType(s->dm, VECCUDA));
    PetscCall(DMSetMatType(s->dm, MATAIJCUSPARSE));
  }
  PetscCall(PlexTestProblemSetUp(s->dm, &problem));
  PetscCall(PlexTestLocalVector(s->dm, 1, &s->X));
  PetscCall(DMCreateMatrix(s->dm, &s->J));
  PetscCall(MatGetInfo(s->J, MAT_LOCAL, &info));
  s->nnz = (int)info.nz_used;
  PetscCall(PlexAssemblyCreate(s->dm, &s->assembly));
  PetscCall(PlexAssemblySetBackend(s->assembly, backend));
  PetscCall(PlexAssemblySetType(s->assembly, PLEXASSEMBLYSHAREDNZ));
  PetscCall(PlexAssemblySetSymmetric(s->assembly, PETSC_TRUE));
  PetscCall(PlexAssemblySetPointwiseSource(s->assembly, PLEX_TEST_FORMS));
  s->assembly->partitionSize = partition;
  PetscCall(PlexBackendMalloc(s->b, sizeof(double) * (size_t)s->nnz, (void **)&s->first));
  PetscCall(PlexBackendMalloc(s->b, sizeof(*s->count), (void **)&s->count));
  PetscCall(PlexBackendZero(s->b, s->count, sizeof(*s->count)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StressDestroy(Stress *s)
{
  PetscFunctionBegin;
  PetscCall(PlexArrayReset(s->b, &s->values));
  PetscCall(PlexBackendFree(s->b, (void **)&s->first));
  PetscCall(PlexBackendFree(s->b, (void **)&s->count));
  PetscCall(PlexAssemblyDestroy(&s->assembly));
  PetscCall(MatDestroy(&s->J));
  PetscCall(VecDestroy(&s->X));
  PetscCall(DMDestroy(&s->dm));
  PetscCall(PlexModuleDestroy(&s->module));
  PetscCall(PlexBackendDestroy(&s->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian, over numbers that are nobody's; its values are kept or compared, where they are */
static PetscErrorCode StressCompute(Stress *s, PetscBool keep)
{
  PlexArray *values = &s->values;
  void      *args[] = {&s->nnz, &s->first, &values->array, &s->count};

  PetscFunctionBegin;
  PetscCall(PlexBackendMatGet(s->b, s->J, PLEX_WRITE, values));
  PetscCall(PlexBackendZero(s->b, values->array, sizeof(double) * (size_t)s->nnz));
  PetscCall(PlexBackendMatRestore(s->b, values));
  PetscCall(PlexAssemblyComputeJacobian(s->assembly, s->X, NULL, 0., 0., s->J, s->J));
  PetscCall(PlexBackendMatGet(s->b, s->J, PLEX_WRITE, values));
  if (keep) PetscCall(PlexBackendCopy(s->b, s->first, values->array, sizeof(double) * (size_t)s->nnz));
  else PetscCall(PlexKernelLaunch(s->differ, s->b->device ? 1024 : 1, s->b->device ? 256 : 32, 0, args));
  PetscCall(PlexBackendMatRestore(s->b, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the other queue, as many blocks as there are multiprocessors, or a few more */
static PetscErrorCode StressDisturb(Stress *s, PetscInt k)
{
  unsigned seed   = (unsigned)k;
  void    *args[] = {&seed, &s->first};

  PetscFunctionBegin;
  PetscCall(PlexBackendSetQueue(s->b, PLEX_QUEUE_SIDE, PETSC_FALSE));
  PetscCall(PlexKernelLaunch(s->busy, s->b->limits.multiprocessors + 7 * (k % 31), 32 << k % 5, 0, args));
  PetscCall(PlexBackendSetQueue(s->b, PLEX_QUEUE_MAIN, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStress(const char backend[])
{
  static const char *const orders[ORDERS] = {"forward", "reverse", "random"};
  PetscReal                residual, error;
  PetscInt                 launches;
  Stress                   s;
  unsigned                 count;
  const char              *variant;
  char                     name[128];
  PetscBool                cuda, taken;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &cuda));
  launches = cuda ? 1000 : 2 * ORDERS;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-launches", &launches, NULL));
  PetscCall(StressCreate(backend, cuda ? 20 : 4, cuda ? 8 : 4, &s));
  PetscCall(PlexTestCompare(s.assembly, s.dm, &residual, &error));
  PetscCall(PlexAssemblyGetVariants(s.assembly, NULL, &variant));
  PetscCall(PetscStrcmp(variant, "partial", &taken));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: a Jacobian by partial sums", backend));
  PetscCall(PlexTestReport((PetscBool)(taken && error <= 1e-12), name, "error %g, variant %s", (double)error, variant));
  PetscCall(StressCompute(&s, PETSC_TRUE));
  for (PetscInt k = 0; k < launches; ++k) {
    if (cuda) PetscCall(StressDisturb(&s, k));
    else (void)setenv("PLEXGPU_EMULATE_ORDER", orders[k % ORDERS], 1);
    PetscCall(StressCompute(&s, PETSC_FALSE));
  }
  (void)unsetenv("PLEXGPU_EMULATE_ORDER");
  PetscCall(PlexBackendSetQueue(s.b, PLEX_QUEUE_MAIN, PETSC_TRUE)); /* what keeps it busy ends before its module goes */
  PetscCall(PlexBackendCopyOut(s.b, &count, s.count, sizeof(count)));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: the same bits in %" PetscInt_FMT " launches%s", backend, launches,
                          cuda ? " on a busy GPU" : ", blocks in order, in reverse and at random"));
  PetscCall(PlexTestReport((PetscBool)!count, name,
                           "%u of %d values, all launches together, differ from the first one's", count, s.nnz));
  PetscCall(StressDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(TestStress, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
