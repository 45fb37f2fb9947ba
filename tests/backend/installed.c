/*
  Kernels that were compiled when the library was installed: their files are found by any copy of the same sources, and
  are taken where they are whole and nobody else can have written them. Without a GPU they are compiled and looked up,
  and not loaded.

    installed             all of it
    installed -beside     takes a file beside the library for sm_90: for tests/programs/install.sh
*/
#include <plexgpu/private/backendimpl.h>
#include "report.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] = "Kernels that are compiled when the library is installed\n";

#define FILE_OF_KERNELS "dg/convert.cu"

static char folder[PETSC_MAX_PATH_LEN]; /* of this test */
static char arch[32] = "sm_90";

/* ---- A backend that compiles for a GPU that is not there, and launches nothing */

static PetscErrorCode GetLimits(PlexBackend b, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  (void)b;
  PetscCall(PetscMemzero(limits, sizeof(*limits)));
  PetscCall(PetscStrncpy(limits->arch, arch, sizeof(limits->arch)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompileOnly(PlexBackend b, const char name[], PetscInt ndefines, const char *const defines[],
                                  const char source[], PlexModule module)
{
  size_t bytes;

  PetscFunctionBegin;
  (void)b;
  PetscCall(PlexCompileOnly_CUDA(name, ndefines, defines, source, arch, &bytes));
  module->handle = bytes ? module : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ModuleDestroy(PlexModule module)
{
  PetscFunctionBegin;
  (void)module;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BackendCreate_Compile(PlexBackend b)
{
  PetscFunctionBegin;
  b->kernels            = PETSC_TRUE;
  b->ops->getlimits     = GetLimits;
  b->ops->compile       = CompileOnly;
  b->ops->moduledestroy = ModuleDestroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Folders and files */

/* folder/name is that of the device sources, its kernels beside it in folder/name/../kernels */
static PetscErrorCode UseSources(const char name[])
{
  char path[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s/cuda", folder, name));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_source_dir", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cache that is not there yet, or one of those before */
static PetscErrorCode UseCache(PetscInt number, char cache[2 * PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(cache, 2 * PETSC_MAX_PATH_LEN, "%s/cache%" PetscInt_FMT, folder, number));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels in a folder */
static int Files(const char path[])
{
  DIR           *directory = opendir(path);
  struct dirent *entry;
  int            n = 0;

  while (directory && (entry = readdir(directory))) n += !strncmp(entry->d_name, "dg_convert", 10);
  if (directory) (void)closedir(directory);
  return n;
}

/* ---- The tests */

/* Whether the kernels can be launched, and are right: they narrow numbers */
static PetscErrorCode Launch(PlexBackend b, PlexModule module, PetscBool *right)
{
  const double from[3] = {1., 2.5, -3.};
  float        to[3]   = {0};
  long long    n       = 3;
  void        *x, *y, *args[] = {&x, &y, &n};
  PlexKernel   kernel;

  PetscFunctionBegin;
  PetscCall(PlexModuleGetKernel(module, "plex_dg_narrow", &kernel));
  PetscCall(PlexBackendUpload(b, from, sizeof(from), &x));
  PetscCall(PlexBackendUpload(b, to, sizeof(to), &y));
  PetscCall(PlexKernelLaunch(kernel, 1, 32, 0, args));
  PetscCall(PlexBackendCopyOut(b, to, y, sizeof(to)));
  PetscCall(PlexBackendFree(b, &x));
  PetscCall(PlexBackendFree(b, &y));
  *right = (PetscBool)(to[0] == 1.f && to[1] == 2.5f && to[2] == -3.f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiles with a new cache: of what was installed nothing gets there */
static PetscErrorCode Try(PlexBackend b, PetscBool installed, const char what[])
{
  static PetscInt number = 100;
  PetscBool       right  = PETSC_TRUE;
  PlexModule      module;
  char            cache[2 * PETSC_MAX_PATH_LEN];
  int             files;

  PetscFunctionBegin;
  PetscCall(UseCache(number++, cache));
  PetscCall(PlexBackendCompileFile(b, FILE_OF_KERNELS, &module));
  if (b->ops->launch) {
    PetscCall(Launch(b, module, &right));
    right = (PetscBool)(right && module->installed == installed);
  }
  PetscCall(PlexModuleDestroy(&module));
  files = Files(cache);
  PetscCall(PlexTestReportOf((PetscBool)(right && files == !installed), "installed", what,
                             "%d files in the cache; right and loaded from there %d", files, (int)right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an emulated kernel the file in the cache serves each copy of the sources */
static PetscErrorCode TestEmulated(void)
{
  PlexBackend b;
  PlexModule  module;
  PetscBool   available, right, fromCache[2];
  char        cache[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &available));
  if (!available) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip installed: emulated kernels: there is no C++ compiler\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &b));
  PetscCall(UseCache(0, cache));
  for (int k = 0; k < 2; ++k) {
    PetscCall(UseSources(k ? "b" : "a"));
    PetscCall(PlexBackendCompileFile(b, FILE_OF_KERNELS, &module));
    PetscCall(Launch(b, module, &right));
    fromCache[k] = module->fromCache;
    PetscCall(PlexModuleDestroy(&module));
  }
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache[0] && fromCache[1] && Files(cache) == 1),
                           "installed: a cached kernel serves each copy of the sources",
                           "right %d, from the cache %d and %d", (int)right, (int)fromCache[0], (int)fromCache[1]));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From two copies of the sources: files of the same names and bytes; path: of the first */
static PetscErrorCode TestCopies(char path[PETSC_MAX_PATH_LEN])
{
  char      other[PETSC_MAX_PATH_LEN], kernels[2 * PETSC_MAX_PATH_LEN], *bytes[2];
  PetscBool made[3];
  size_t    n[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PetscCall(UseSources(k ? "b" : "a"));
    PetscCall(PetscSNPrintf(kernels, sizeof(kernels), "%s/%s/kernels", folder, k ? "b" : "a"));
    PetscCheck(!mkdir(kernels, 0755), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", kernels);
    PetscCall(PlexPrecompile_CUDA(FILE_OF_KERNELS, arch, kernels, k ? other : path, &made[k]));
    PetscCall(PlexTestReadFile(k ? other : path, &bytes[k], &n[k]));
  }
  PetscCall(PlexPrecompile_CUDA(FILE_OF_KERNELS, arch, kernels, other, &made[2]));
  PetscCall(PlexTestReport((PetscBool)(made[0] && made[1] && !strcmp(strrchr(path, '/'), strrchr(other, '/')) &&
                                       n[0] == n[1] && !memcmp(bytes[0], bytes[1], n[0])),
                           "installed: files are the same wherever they are compiled",
                           "%s of %zu bytes and %s of %zu bytes", path, n[0], other, n[1]));
  PetscCall(PlexTestReport((PetscBool)!made[2], "installed: a file that is there is not compiled again", "it is"));
  PetscCall(PetscFree(bytes[0]));
  PetscCall(PetscFree(bytes[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file in all states; path: where it lies */
static PetscErrorCode TestStates(PlexBackend b, const char path[])
{
  char   kernels[PETSC_MAX_PATH_LEN], moved[PETSC_MAX_PATH_LEN + 16], *bytes;
  size_t n;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(kernels, path, sizeof(kernels)));
  *strrchr(kernels, '/') = 0;
  PetscCall(PetscSNPrintf(moved, sizeof(moved), "%s.moved", path));
  PetscCall(PlexTestReadFile(path, &bytes, &n));
  PetscCall(Try(b, PETSC_TRUE, "the file is taken"));
  bytes[n / 2] ^= 4;
  PetscCall(PlexTestWriteFile(path, bytes, n));
  bytes[n / 2] ^= 4;
  PetscCall(Try(b, PETSC_FALSE, "a damaged file is not taken"));
  PetscCall(PlexTestWriteFile(path, bytes, n / 2));
  PetscCall(Try(b, PETSC_FALSE, "a file cut short is not taken"));
  PetscCall(PlexTestWriteFile(path, bytes, n));
  (void)chmod(path, 0664);
  PetscCall(Try(b, PETSC_FALSE, "a file that others may write to is not taken"));
  (void)chmod(path, 0644);
  (void)chmod(kernels, 0777);
  PetscCall(Try(b, PETSC_FALSE, "nor one in a folder that others may write to"));
  (void)chmod(kernels, 0755);
  if (geteuid())
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip installed: files of other users: only root makes some\n"));
  else {
    PetscCheck(!chown(path, 65534, (gid_t)-1), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot change %s", path);
    PetscCall(Try(b, PETSC_FALSE, "another user's file is not taken"));
    PetscCheck(!chown(path, geteuid(), (gid_t)-1), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot change %s", path);
  }
  PetscCheck(!rename(path, moved) && !symlink(moved, path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot link %s",
             path);
  PetscCall(Try(b, PETSC_FALSE, "a link is not followed"));
  PetscCheck(!rename(moved, path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot move %s", moved);
  PetscCall(Try(b, PETSC_TRUE, "the file is taken again"));
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is compiled now is something else than what was installed */
static PetscErrorCode TestChanged(PlexBackend b)
{
  char  path[2 * PETSC_MAX_PATH_LEN];
  FILE *file;

  PetscFunctionBegin;
  PetscCall(UseSources("b"));
  PetscCall(Try(b, PETSC_TRUE, "a copy of the sources takes what is beside it"));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/b/cuda/plex.cuh", folder));
  file = fopen(path, "a");
  PetscCheck(file && fputs("// changed\n", file) >= 0 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "Cannot write %s", path);
  PetscCall(Try(b, PETSC_FALSE, "sources that were changed since are compiled"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestInstalled(void)
{
  PlexBackend b;
  PetscBool   device;
  char        path[PETSC_MAX_PATH_LEN], why[512];

  PetscFunctionBegin;
  PetscCall(PlexTestOnDevice(&device));
  PetscCall(PlexBackendRegister("compile", BackendCreate_Compile));
  PetscCall(PlexCanCompileFor_CUDA(arch, why, sizeof(why)));
  if (why[0]) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip installed: %s\n", why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexCanCompileFor_CUDA("sm_1", why, sizeof(why)));
  PetscCall(PlexTestReport((PetscBool)(strstr(why, "sm_1") != NULL),
                           "installed: an architecture that NVRTC does not know", "it is said to be known"));
  PetscCall(PlexBackendCreate(device ? PLEXBACKENDCUDA : "compile", &b));
  PetscCall(PetscStrncpy(arch, b->limits.arch, sizeof(arch)));
  PetscCall(TestCopies(path));
  PetscCall(UseSources("a"));
  PetscCall(TestStates(b, path));
  PetscCall(TestChanged(b));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBeside(void)
{
  PlexBackend b;

  PetscFunctionBegin;
  PetscCall(PlexBackendRegister("compile", BackendCreate_Compile));
  PetscCall(PlexBackendCreate("compile", &b));
  PetscCall(Try(b, PETSC_TRUE, "the file beside the library is taken"));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two copies of the device sources */
static PetscErrorCode CopySources(void)
{
  char command[4 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof(command),
                          "from=cuda; [ -d $from ] || from=build/share/plexgpu/cuda; for to in a b; do mkdir '%s'/$to "
                          "&& cp -r $from '%s'/$to/cuda || exit 1; done",
                          folder, folder));
  PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot do: %s", command);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool beside = PETSC_FALSE;
  char      command[4 * PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-installed-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-beside", &beside, NULL));
  if (beside) PetscCall(TestBeside());
  else {
    PetscCall(CopySources());
    PetscCall(TestEmulated());
    PetscCall(TestInstalled());
  }
  PetscCall(PetscSNPrintf(command, sizeof(command), "rm -rf '%s'", folder));
  if (system(command)) PetscCall(PetscInfo(NULL, "Cannot remove %s\n", folder));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
