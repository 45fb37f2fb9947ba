#include <unistd.h>
#include "report.h"
#include <plexgpu.h>
#include <stdarg.h>
#include <sys/stat.h>

static PetscInt failures = 0;

static PetscErrorCode Report(PetscBool ok, const char name[], const char details[], va_list args)
{
  char text[4096] = "";

  PetscFunctionBegin;
  /* what is printed is seen on the first process alone */
  PetscCallMPI(MPI_Bcast(&ok, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
  if (ok) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok %s\n", name));
  else {
    ++failures;
    PetscCall(PetscVSNPrintf(text, sizeof(text), details, NULL, args));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "not ok %s (%s)\n", name, text));
  }
  fflush(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestReport(PetscBool ok, const char name[], const char details[], ...)
{
  va_list args;

  PetscFunctionBegin;
  va_start(args, details);
  PetscCall(Report(ok, name, details, args));
  va_end(args);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestReportOf(PetscBool ok, const char of[], const char what[], const char details[], ...)
{
  char    name[512];
  va_list args;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s", of, what));
  va_start(args, details);
  PetscCall(Report(ok, name, details, args));
  va_end(args);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  char  *text;
  size_t size;
} Message;

/* Keeps the text of an error where it is raised, and passes its code on */
static PetscErrorCode KeepMessage(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                  PetscErrorType p, const char *text, void *ctx)
{
  Message *message = (Message *)ctx;

  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  if (p == PETSC_ERROR_INITIAL && text) (void)PetscStrncpy(message->text, text, message->size);
  return n;
}

PetscErrorCode PlexTestTry(PetscErrorCode (*f)(void *), void *ctx, PetscErrorCode *ierr, char text[], size_t size)
{
  Message message = {text, size};

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(PetscPushErrorHandler(KeepMessage, &message));
  *ierr = (*f)(ctx);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Message printed;
static PetscErrorCode (*print)(FILE *, const char[], va_list); /* what PetscVFPrintf was before */

static PetscErrorCode KeepPrinted(FILE *file, const char format[], va_list args)
{
  char   text[8192];
  size_t length;

  PetscFunctionBegin;
  if (file != stdout && file != stderr) {
    PetscCall((*print)(file, format, args));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscVSNPrintf(text, sizeof(text), format, &length, args));
  PetscCall(PetscStrlcat(printed.text, text, printed.size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestExpect(const char name[], PetscErrorCode (*f)(void *), void *ctx, const char *const words[])
{
  char           text[8192], *found;
  const char    *missing = NULL;
  PetscErrorCode ierr    = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(f, ctx, &ierr, text, sizeof(text)));
  for (PetscInt k = 0; words[k] && !missing; ++k) {
    PetscCall(PetscStrstr(text, words[k], &found));
    if (!found) missing = words[k];
  }
  PetscCall(PlexTestReport((PetscBool)(ierr && !missing), name, "error %d, '%s' is not in the message: %s", (int)ierr,
                           missing ? missing : "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestCapture(PetscErrorCode (*f)(void *), void *ctx, char text[], size_t size)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  text[0]       = '\0';
  printed.text  = text;
  printed.size  = size;
  print         = PetscVFPrintf;
  PetscVFPrintf = KeepPrinted;
  ierr          = (*f)(ctx);
  PetscVFPrintf = print;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestBackends(PetscInt *n, const char *const **backends)
{
  static char        list[256] = "host,emulate";
  static const char *available[16];
  static PetscInt    navailable = -1;
  const char        *env        = getenv("PLEXGPU_TEST_BACKENDS");
  char              *rest;
  PetscBool          is;

  PetscFunctionBegin;
  if (navailable < 0) {
    if (env && env[0]) PetscCall(PetscStrncpy(list, env, sizeof(list)));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", list, sizeof(list), NULL));
    navailable = 0;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
      PetscCheck(navailable < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(available), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
                 "More than %" PetscInt_FMT " backends", navailable);
      PetscCall(PlexBackendIsAvailable(name, &is));
      if (is) available[navailable++] = name;
      else
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip %s: %s\n", name,
                              PetscDefined(USE_COMPLEX) ? "complex scalars" : "not available on this machine"));
    }
  }
  *n        = navailable;
  *backends = available;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt part, shard[2] = {0, 1};

PetscBool PlexTestWanted(void)
{
  return (PetscBool)(part++ % shard[1] == shard[0]);
}

PetscErrorCode PlexTestEachBackend(PetscErrorCode (*kernels)(const char backend[]), PetscErrorCode (*host)(void))
{
  char               text[64] = "";
  const char *const *backends;
  PetscInt           n;
  PetscBool          set, is;
  PetscMPIInt        size;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-shard", text, sizeof(text), &set));
  if (set)
    PetscCheck(sscanf(text, "%" PetscInt_FMT "/%" PetscInt_FMT, &shard[0], &shard[1]) == 2 && shard[1] > 0,
               PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "-shard %s: this is <k>/<n>", text);
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDHOST, &is));
    if (!is) PetscCall((*kernels)(backends[k]));
    else if (host && size == 1) PetscCall((*host)());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestOnDevice(PetscBool *device)
{
  const char *const *backends;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexTestBackends(&n, &backends));
  *device = PETSC_FALSE;
  if (n == 1) PetscCall(PetscStrcmp(backends[0], PLEXBACKENDCUDA, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexTestLong(void)
{
  const char *asked = getenv("PLEXGPU_TEST_LONG"), *backends = getenv("PLEXGPU_TEST_BACKENDS");

  return (PetscBool)((asked && !strcmp(asked, "yes")) || (backends && !strcmp(backends, PLEXBACKENDCUDA)));
}

PetscErrorCode PlexTestQuickKernels(void)
{
  const char *flags = getenv("PLEXGPU_EMULATE_FLAGS");

  PetscFunctionBegin;
  if (!flags || !strcmp(flags, "-O1")) (void)setenv("PLEXGPU_EMULATE_FLAGS", "-O0", 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int PlexTestStatus(void)
{
  return failures ? 1 : 0;
}

PetscErrorCode PlexTestReadFile(const char path[], char **bytes, size_t *n)
{
  struct stat status;
  FILE       *file = fopen(path, "rb");

  PetscFunctionBegin;
  PetscCheck(file && !fstat(fileno(file), &status), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s", path);
  PetscCall(PetscMalloc1((size_t)status.st_size + 1, bytes));
  *n           = fread(*bytes, 1, (size_t)status.st_size, file);
  (*bytes)[*n] = 0;
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWriteFile(const char path[], const char bytes[], size_t n)
{
  FILE *file = fopen(path, "wb");

  PetscFunctionBegin;
  PetscCheck(file && fwrite(bytes, 1, n, file) == n && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "Cannot write %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int PlexTestSkip(int argc, char **argv, const char help[], const char why[])
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip %s\n", why));
  PetscCall(PetscFinalize());
  return 0;
}

PetscErrorCode PlexTestOwnFile(const char base[], const char end[], size_t n, char file[])
{
  int id = (int)getpid();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&id, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(file, n, "build/tests/%s-%d.%s", base, id, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRemoveFile(const char file[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)remove(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}
