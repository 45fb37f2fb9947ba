/*
  The cache of compiled kernels is code that is run: what others own or may write to is not used, a file holds what it
  says or is made anew, nothing is written through links, and what is loaded does not change with the file.

    cache                 all of it
    cache -once           compiles one kernel with -plexgpu_cache_dir and says where it came from: for
                          tests/backend/cache-disk.sh
*/
#include <plexgpu/private/backendimpl.h>
#include "report.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] = "Cache of compiled kernels\n";

/* Its object is larger than its text, which goes to a file as well */
static const char source[] = "extern \"C\" __device__ double large[1536] = {1.};\n"
                             "extern \"C\" __global__ void fill(double *x)\n"
                             "{\n"
                             "  x[threadIdx.x] = VALUE + threadIdx.x + (x ? 0. : large[threadIdx.x]);\n"
                             "}\n"
                             "PLEX_EXPORT_KERNEL(fill)\n";

#define HEADER "emulate-" /* with this begins the name of the precompiled header's file */

static PlexBackend backend;
static char        folder[PETSC_MAX_PATH_LEN];     /* of this test */
static char        cache[PETSC_MAX_PATH_LEN + 16]; /* in it */
static char        said[4096];                     /* on stderr, of the last Compile() */
static int         caches = 0;

/* Compiles a kernel that fills with `value`; says what came on stderr */
static PetscErrorCode Compile(PetscInt value, PlexModule *module)
{
  char        define[64], log[PETSC_MAX_PATH_LEN + 16];
  const char *defines[] = {define};
  FILE       *file;
  int         saved = dup(STDERR_FILENO), to;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(log, sizeof(log), "%s/log", folder));
  PetscCall(PetscSNPrintf(define, sizeof(define), "VALUE=%" PetscInt_FMT, value));
  to = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
  PetscCheck(to >= 0 && dup2(to, STDERR_FILENO) >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", log);
  (void)close(to);
  PetscCall(PlexBackendCompile(backend, "test_cache", 1, defines, source, module));
  (void)fflush(stderr);
  (void)dup2(saved, STDERR_FILENO);
  (void)close(saved);
  file = fopen(log, "r");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s", log);
  said[fread(said, 1, sizeof(said) - 1, file)] = 0;
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the kernel fills with this value */
static PetscErrorCode Launch(PlexModule module, PetscInt value, PetscBool *right)
{
  PlexKernel kernel;
  double    *x, host[8];
  void      *args[] = {&x};

  PetscFunctionBegin;
  PetscCall(PlexModuleGetKernel(module, "fill", &kernel));
  PetscCall(PlexBackendMalloc(backend, sizeof(host), (void **)&x));
  PetscCall(PlexKernelLaunch(kernel, 1, 8, 0, args));
  PetscCall(PlexBackendCopyOut(backend, host, x, sizeof(host)));
  PetscCall(PlexBackendFree(backend, (void **)&x));
  *right = PETSC_TRUE;
  for (int k = 0; k < 8; ++k)
    if (host[k] != (double)(value + k)) *right = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Try(PetscInt value, PetscBool *right, PetscBool *fromCache)
{
  PlexModule module;

  PetscFunctionBegin;
  PetscCall(Compile(value, &module));
  *fromCache = module->fromCache;
  PetscCall(Launch(module, value, right));
  PetscCall(PlexModuleDestroy(&module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cache of its own for what comes, which is not there yet */
static PetscErrorCode NewCache(void)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(cache, sizeof(cache), "%s/cache%d", folder, ++caches));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files in the cache whose name begins so, or of kernels (NULL), and the last one's path */
static int FilesOf(const char begin[], char path[2 * PETSC_MAX_PATH_LEN])
{
  DIR           *directory = opendir(cache);
  struct dirent *entry;
  int            n = 0;

  while (directory && (entry = readdir(directory))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (begin ? strncmp(entry->d_name, begin, strlen(begin)) : !strncmp(entry->d_name, HEADER, strlen(HEADER)))
      continue;
    (void)snprintf(path, 2 * PETSC_MAX_PATH_LEN, "%s/%s", cache, entry->d_name);
    ++n;
  }
  if (directory) (void)closedir(directory);
  return n;
}

static int Files(char path[2 * PETSC_MAX_PATH_LEN])
{
  return FilesOf(NULL, path);
}

/* The path of the only file after a kernel was compiled into a new cache */
static PetscErrorCode Fill(PetscInt value, char path[2 * PETSC_MAX_PATH_LEN])
{
  PetscBool right, fromCache;

  PetscFunctionBegin;
  PetscCall(NewCache());
  PetscCall(Try(value, &right, &fromCache));
  PetscCheck(right && !fromCache && Files(path) == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "A new cache holds no kernel: right %d, from the cache %d", right, fromCache);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Says(const char name[])
{
  return (PetscBool)(strstr(said, "PlexGPU: ") && strstr(said, name) && strstr(said, "-plexgpu_cache_dir"));
}

/* ---- Who may write */

/* A folder that holds the kernel and then comes to be another one's, or writable by others: it is named, and neither
   read nor written */
static PetscErrorCode TestFolder(const char what[], mode_t mode, uid_t owner)
{
  char      path[2 * PETSC_MAX_PATH_LEN], name[256];
  PetscBool right, fromCache, otherRight, other;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCheck(!chmod(cache, mode) && (owner == geteuid() || !chown(cache, owner, (gid_t)-1)), PETSC_COMM_SELF,
             PETSC_ERR_FILE_OPEN, "Cannot change %s", cache);
  PetscCall(Try(1, &right, &fromCache));
  PetscCall(PetscSNPrintf(name, sizeof(name), "a folder that %s is refused, with a message", what));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && Says(cache)), name, "right %d, from the cache %d; '%s'",
                           (int)right, (int)fromCache, said));
  PetscCall(Try(2, &otherRight, &other));
  PetscCall(PetscSNPrintf(name, sizeof(name), "a folder that %s is not written to, and that is said once", what));
  PetscCall(PlexTestReport((PetscBool)(otherRight && !other && Files(path) == 1 && !said[0]), name,
                           "right %d, from the cache %d, %d files; '%s'", (int)otherRight, (int)other, Files(path),
                           said));
  if (owner != geteuid())
    PetscCheck(!chown(cache, geteuid(), (gid_t)-1), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot change %s", cache);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with the file in a folder that is right: it is named and replaced */
static PetscErrorCode TestFile(const char what[], mode_t mode, uid_t owner)
{
  char        path[2 * PETSC_MAX_PATH_LEN], name[256];
  struct stat status;
  PetscBool   right, fromCache, again, same;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCheck(!chmod(path, mode) && (owner == geteuid() || !chown(path, owner, (gid_t)-1)), PETSC_COMM_SELF,
             PETSC_ERR_FILE_OPEN, "Cannot change %s", path);
  PetscCall(Try(1, &right, &fromCache));
  PetscCall(PetscSNPrintf(name, sizeof(name), "a file that %s is refused, with a message", what));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && Says(path)), name, "right %d, from the cache %d; '%s'",
                           (int)right, (int)fromCache, said));
  PetscCall(Try(1, &right, &again));
  same = (PetscBool)(!stat(path, &status) && status.st_uid == geteuid() && !(status.st_mode & 022) && Files(path) == 1);
  PetscCall(PetscSNPrintf(name, sizeof(name), "a file that %s is replaced", what));
  PetscCall(PlexTestReport((PetscBool)(right && again && same && !said[0]), name,
                           "right %d, from the cache %d, owner and mode are right %d; '%s'", (int)right, (int)again,
                           (int)same, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOwners(void)
{
  const uid_t other = 65534;

  PetscFunctionBegin;
  PetscCall(TestFolder("everybody may write to", 0777, geteuid()));
  PetscCall(TestFolder("its group may write to", 0770, geteuid()));
  PetscCall(TestFile("everybody may write to", 0666, geteuid()));
  PetscCall(TestFile("its group may write to", 0660, geteuid()));
  if (geteuid())
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip folders and files of other users: only root can make some\n"));
  else {
    PetscCall(TestFolder("another user owns", 0755, other));
    PetscCall(TestFile("another user owns", 0644, other));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With any umask the folder and its files are this user's alone */
static PetscErrorCode TestUmask(void)
{
  char         path[2 * PETSC_MAX_PATH_LEN];
  const mode_t before = umask(0);
  struct stat  status[2];
  PetscBool    right, fromCache;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  (void)umask(before);
  PetscCall(Try(1, &right, &fromCache));
  PetscCheck(!stat(cache, &status[0]) && !stat(path, &status[1]), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot look at %s", path);
  PetscCall(PlexTestReport((PetscBool)(right && fromCache && !(status[0].st_mode & 022) && !(status[1].st_mode & 022)),
                           "with umask 0 nobody else may write, either",
                           "right %d, from the cache %d, modes %o and %o; '%s'", (int)right, (int)fromCache,
                           status[0].st_mode & 0777, status[1].st_mode & 0777, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a file holds */

/* The file of one kernel in the place of another one's, whole and undamaged */
static PetscErrorCode TestSwapped(void)
{
  char      path[2 * PETSC_MAX_PATH_LEN], other[2 * PETSC_MAX_PATH_LEN], *bytes;
  PetscBool right, fromCache;
  size_t    n;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCall(Fill(2, other));
  PetscCall(PlexTestReadFile(path, &bytes, &n));
  PetscCall(PlexTestWriteFile(other, bytes, n));
  PetscCall(PetscFree(bytes));
  PetscCall(Try(2, &right, &fromCache));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache),
                           "another kernel's file under this one's name is not loaded", "right %d, from the cache %d",
                           (int)right, (int)fromCache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Empty, cut short, longer, and with a bit that is another one, in the payload and in each part of the trailer */
static PetscErrorCode TestDamage(void)
{
  char      path[2 * PETSC_MAX_PATH_LEN], *bytes;
  PetscBool right, fromCache, again;
  PetscInt  wrong = 0, kinds = 0;
  size_t    n;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCall(PlexTestReadFile(path, &bytes, &n));
  for (size_t cut = 0; cut < 4; ++cut, ++kinds) {
    const size_t length = (size_t[]){0, 10, n / 2, n - 1}[cut];

    PetscCall(PlexTestWriteFile(path, bytes, length));
    PetscCall(Try(1, &right, &fromCache));
    PetscCall(Try(1, &right, &again));
    if (!right || fromCache || !again) ++wrong;
  }
  for (size_t k = 0; k < 5; ++k, ++kinds) {
    const size_t at = (size_t[]){0, n / 2, n - 1, n - 20, n - 30}[k];

    bytes[at] ^= 4;
    PetscCall(PlexTestWriteFile(path, bytes, n));
    bytes[at] ^= 4;
    PetscCall(Try(1, &right, &fromCache));
    PetscCall(Try(1, &right, &again));
    if (!right || fromCache || !again) ++wrong;
  }
  PetscCall(PlexTestReport((PetscBool)!wrong, "a damaged file is made anew, whatever the damage",
                           "%" PetscInt_FMT " of %" PetscInt_FMT " are not", wrong, kinds));
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that is cut while the kernel is loaded, and kernels that are loaded at once are not mixed up */
static PetscErrorCode TestLoaded(void)
{
  PlexModule modules[6];
  char       path[2 * PETSC_MAX_PATH_LEN];
  PetscBool  right[6];
  PetscInt   good = 0;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCall(Compile(1, &modules[0]));
  PetscCheck(modules[0]->fromCache && !truncate(path, 0), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The kernel is not found again");
  PetscCall(Launch(modules[0], 1, &right[0]));
  PetscCall(PlexTestReport(right[0], "a kernel does not change with its file", "it computes something else"));
  for (PetscInt k = 1; k < 6; ++k) PetscCall(Compile(1 + k, &modules[k]));
  for (PetscInt k = 0; k < 6; ++k) PetscCall(Launch(modules[k], 1 + k, &right[k]));
  for (PetscInt k = 0; k < 6; ++k) good += right[k];
  for (PetscInt k = 0; k < 6; k += 2) PetscCall(PlexModuleDestroy(&modules[k]));
  for (PetscInt k = 0; k < 6; k += 2) PetscCall(Compile(101 + k, &modules[k]));
  for (PetscInt k = 0; k < 6; ++k) PetscCall(Launch(modules[k], k % 2 ? 1 + k : 101 + k, &right[k]));
  for (PetscInt k = 0; k < 6; ++k) good += right[k];
  for (PetscInt k = 0; k < 6; ++k) PetscCall(PlexModuleDestroy(&modules[k]));
  PetscCall(PlexTestReport((PetscBool)(good == 12), "kernels that are loaded at the same time are not mixed up",
                           "%" PetscInt_FMT " of 12 launches are right", good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Links */

static PetscErrorCode TestLinks(void)
{
  char path[2 * PETSC_MAX_PATH_LEN], file[3 * PETSC_MAX_PATH_LEN], victim[PETSC_MAX_PATH_LEN + 16], *bytes, host[64];
  struct stat status;
  PetscBool   right, fromCache;
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(victim, sizeof(victim), "%s/victim", folder));
  PetscCall(Fill(1, path));
  PetscCheck(!rename(path, victim) && !symlink(victim, path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot make a link %s", path);
  PetscCall(Try(1, &right, &fromCache));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && Says(path) && !lstat(path, &status) &&
                                       S_ISREG(status.st_mode)),
                           "a link in the place of a file is not followed, but replaced",
                           "right %d, from the cache %d; '%s'", (int)right, (int)fromCache, said));

  PetscCall(PlexTestWriteFile(victim, "mine",
                              4)); /* a file for the same process to write to, where its name can be known before */
  PetscCheck(!unlink(path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot remove %s", path);
  PetscCall(PetscGetHostName(host, sizeof(host)));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.%s.%ld", path, host, (long)getpid()));
  PetscCheck(!symlink(victim, file), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make a link %s", file);
  PetscCall(Try(1, &right, &fromCache));
  PetscCall(PlexTestReadFile(victim, &bytes, &n));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && n == 4 && !memcmp(bytes, "mine", 4)),
                           "nothing is written through a link whose name was guessed",
                           "right %d, from the cache %d; %d bytes there", (int)right, (int)fromCache, (int)n));
  PetscCall(PetscFree(bytes));
  (void)unlink(file);

  PetscCheck(!unlink(victim) && !unlink(path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot remove %s", victim);
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.lock", path));
  PetscCheck(!symlink(victim, file), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make a link %s", file);
  PetscCall(Try(1, &right, &fromCache));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && access(victim, F_OK)), "no lock is made through a link",
                           "right %d, from the cache %d", (int)right, (int)fromCache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that cannot be written to its end, for a limit on the size of files, which is one byte less; the compiler,
   another process, has none */
static PetscErrorCode TestLimit(void)
{
  const char *compiler = getenv("PLEXGPU_CXX");
  char        path[2 * PETSC_MAX_PATH_LEN], script[PETSC_MAX_PATH_LEN + 16], text[2 * PETSC_MAX_PATH_LEN],
    own[PETSC_MAX_PATH_LEN];
  struct rlimit before, limit;
  struct stat   status;
  PetscBool     right, fromCache;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(own, compiler ? compiler : "c++", sizeof(own)));
  PetscCall(PetscSNPrintf(script, sizeof(script), "%s/c++", folder));
  PetscCall(PetscSNPrintf(text, sizeof(text), "#!/bin/sh\nulimit -S -f unlimited\nexec %s \"$@\"\n", own));
  PetscCall(PlexTestWriteFile(script, text, strlen(text)));
  PetscCheck(!chmod(script, 0700) && !setenv("PLEXGPU_CXX", script, 1) && !getrlimit(RLIMIT_FSIZE, &before),
             PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot use %s", script);
  PetscCall(Fill(1, path));
  PetscCheck(!stat(path, &status), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot look at %s", path);
  PetscCall(NewCache());
  limit          = before;
  limit.rlim_cur = (rlim_t)status.st_size - 1;
  PetscCheck(!setrlimit(RLIMIT_FSIZE, &limit), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot limit the size of files");
  PetscCall(Try(2, &right, &fromCache));
  PetscCheck(!setrlimit(RLIMIT_FSIZE, &before), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot limit the size of files");
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && Files(path) == 0),
                           "a file that may not get that large is not kept, and no error",
                           "right %d, from the cache %d, %d files", (int)right, (int)fromCache, Files(path)));
  if (compiler) (void)setenv("PLEXGPU_CXX", own, 1);
  else (void)unsetenv("PLEXGPU_CXX");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The header that GCC has precompiled: it decides about time, not about results */
static PetscErrorCode TestHeader(void)
{
  char        header[2 * PETSC_MAX_PATH_LEN], path[2 * PETSC_MAX_PATH_LEN], first[sizeof(cache)], *bytes;
  struct stat status;
  PetscBool   right, fromCache;
  size_t      n;
  int         files;

  PetscFunctionBegin;
  PetscCall(Fill(1, path));
  PetscCall(Try(2, &right, &fromCache));
  files = FilesOf(HEADER, header);
  if (!files) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip cache: precompiled headers: the compiler is not GCC\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!stat(header, &status), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot look at %s", header);
  PetscCall(PlexTestReport((PetscBool)(right && files == 1 && Files(path) == 2),
                           "one precompiled header is kept beside the kernels", "right %d, %d headers, %d kernels",
                           (int)right, files, Files(path)));
  PetscCall(PlexTestReadFile(header, &bytes, &n));
  PetscCall(PlexTestWriteFile(header, bytes, n / 2));
  PetscCall(Try(3, &right, &fromCache));
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache),
                           "a precompiled header that is damaged after it was read does not stop the compiler",
                           "right %d, from the cache %d", (int)right, (int)fromCache));

  PetscCall(Fill(1, path)); /* in another folder, where there is another file */
  PetscCheck(FilesOf(HEADER, header) == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There is no precompiled header in %s",
             cache);
  PetscCall(PetscStrncpy(first, cache, sizeof(first)));
  PetscCall(PlexTestWriteFile(header, bytes, n / 2));
  PetscCall(Fill(1, path)); /* so that the process has forgotten that it read it */
  PetscCall(PetscStrncpy(cache, first, sizeof(cache)));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  PetscCall(Try(4, &right, &fromCache));
  PetscCheck(!stat(header, &status), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot look at %s", header);
  PetscCall(PlexTestReport((PetscBool)(right && !fromCache && 10 * (size_t)status.st_size > 9 * n),
                           "a damaged precompiled header is made anew", "right %d, %zu bytes of %zu", (int)right,
                           (size_t)status.st_size, n));
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool once = PETSC_FALSE, right, fromCache;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-once", &once, NULL));
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-cache-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &right));
  if (!right)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip cache: there is no C++ compiler for %s\n", PLEXBACKENDEMULATE));
  else {
    PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &backend));
    if (once) {
      PetscCall(Try(7, &right, &fromCache));
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s%s%s", right ? "right" : "wrong",
                            fromCache ? "from the cache" : "compiled", said[0] ? ": " : "\n", said));
    } else {
      PetscCall(TestOwners());
      PetscCall(TestUmask());
      PetscCall(TestSwapped());
      PetscCall(TestDamage());
      PetscCall(TestLoaded());
      PetscCall(TestLinks());
      PetscCall(TestLimit());
      PetscCall(TestHeader());
    }
    PetscCall(PlexBackendDestroy(&backend));
  }
  PetscCall(PetscRMTree(folder));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
