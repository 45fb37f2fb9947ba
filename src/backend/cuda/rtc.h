/*
  Kernels compiled at run time to machine code of one architecture, and kept in the cache. cuda/compile.c and
  hip/hip.c include this file, each once; the names are NVRTC's, which hip/hipimpl.h maps to hiprtc's.
*/
/* Of the file that includes this one: options, an error where machine code cannot be right */
static PetscErrorCode PlexRTCInputCreate(const PlexRTCSource *, PlexRTCInput *);
static PetscErrorCode PlexRTCInputComplete(PlexRTCInput *, PetscBool lines, PlexCacheKey *);
static PetscErrorCode PlexRTCCheck(const char name[], const void *code, size_t n);

/* Fails with the compiler's messages, the first 1500 characters of them */
static PetscErrorCode PlexRTCFail(const char name[], nvrtcProgram program, nvrtcResult result)
{
  char   said[1500] = "", *log;
  size_t n          = 0;

  PetscFunctionBegin;
  if (PlexCU.nvrtcGetProgramLogSize(program, &n) == NVRTC_SUCCESS && n > 1) {
    PetscCall(PetscMalloc1(n + 1, &log));
    log[n] = 0;
    if (PlexCU.nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) PetscCall(PetscStrncpy(said, log, sizeof(said)));
    PetscCall(PetscFree(log));
  }
  (void)PlexCU.nvrtcDestroyProgram(&program);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "Kernels %s do not compile (%s: %s):\n%s", name, PLEX_RTC_NAME,
          PlexCU.nvrtcGetErrorString(result), said);
}

static PetscErrorCode PlexRTCCall(const char name[], PetscInt noptions, const char *const options[], const char text[],
                                  void **cubin, size_t *n)
{
  nvrtcProgram   program;
  nvrtcResult    result;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  result = PlexCU.nvrtcCreateProgram(&program, text, name, 0, NULL, NULL);
  PetscCheck(result == NVRTC_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s cannot start on %s: %s", PLEX_RTC_NAME, name,
             PlexCU.nvrtcGetErrorString(result));
  result = PlexCU.nvrtcCompileProgram(program, (int)noptions, (PLEX_RTC_OPTIONS)options);
  if (result != NVRTC_SUCCESS) PetscCall(PlexRTCFail(name, program, result));
  result = PlexCU.nvrtcGetCUBINSize(program, n);
  PetscCheck(result == NVRTC_SUCCESS && *n, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s gives no machine code of %s: %s",
             PLEX_RTC_NAME, name, PlexCU.nvrtcGetErrorString(result));
  PetscCall(PetscMalloc1(*n, (char **)cubin));
  result = PlexCU.nvrtcGetCUBIN(program, (char *)*cubin);
  (void)PlexCU.nvrtcDestroyProgram(&program);
  PetscCheck(result == NVRTC_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s gives no machine code of %s: %s",
             PLEX_RTC_NAME, name, PlexCU.nvrtcGetErrorString(result));
  ierr = PlexRTCCheck(name, *cubin, *n);
  if (ierr) PetscCall(PetscFree(*cubin));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRTCInputDestroy(PlexRTCInput *in)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->n; ++i) PetscCall(PetscFree(in->options[i]));
  PetscCall(PetscFree(in->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiles, unless another process has in the meantime, and keeps the result */
static PetscErrorCode PlexRTCCompileLocked(const PlexRTCSource *s, const PlexRTCInput *in, const char path[],
                                           PlexRTCCode *code)
{
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscBool      written;
  int            lock;

  PetscFunctionBegin;
  PetscCall(PlexCacheLock(path, &lock));
  PetscCall(PlexCacheRead(path, &code->cubin, &code->n));
  code->fromCache = (PetscBool)(code->cubin != NULL);
  if (!code->cubin)
    ierr = PlexRTCCall(s->name, in->n, (const char *const *)in->options, s->text, &code->cubin, &code->n);
  if (!ierr && !code->fromCache) ierr = PlexCacheWrite(path, code->cubin, code->n, &written);
  PetscCall(PlexCacheUnlock(path, &lock));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRTCCompile(const PlexRTCSource *s, PetscBool installed, PlexRTCCode *code)
{
  char         path[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN];
  const char  *why;
  PlexRTCInput in;
  PlexCacheKey key;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(code, sizeof(*code)));
  PetscCall(PlexLoadRTC(&why));
  PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_LIB, "Kernels %s cannot be compiled: %s", s->name, why);
  PetscCall(PlexRTCInputCreate(s, &in));
  PetscCall(PlexRTCInputComplete(&in, PETSC_TRUE, &key));
  PetscCall(PlexCacheGetPath(&key, s->name, PLEX_RTC_SUFFIX, path));
  PetscCall(PlexCacheRead(path, &code->cubin, &code->n));
  code->fromCache = (PetscBool)(code->cubin != NULL);
  if (!code->cubin && installed) {
    PetscCall(PlexSourceGetKernels(folder));
    PetscCall(PlexCacheGetPathIn(folder, &in.key, s->name, PLEX_RTC_SUFFIX, file));
    PetscCall(PlexCacheReadInstalled(file, &code->cubin, &code->n));
    code->fromCache = code->installed = (PetscBool)(code->cubin != NULL);
  }
  if (!code->cubin) PetscCall(PlexRTCCompileLocked(s, &in, path, code));
  PetscCall(PlexRTCInputDestroy(&in));
  PetscFunctionReturn(PETSC_SUCCESS);
}
