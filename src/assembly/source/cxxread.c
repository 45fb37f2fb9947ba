/*
  The C++ files of a program as one text, which is compiled on the device as a whole: functions and types cannot be
  picked out of C++ as out of C. System headers do not go to a device. In their place the files include cuda/standin/
  cxx.h, under all names that a file of pointwise functions may ask for. Other system headers are not found. The text is
  compiled on the host without making anything of it, so that an error is that of a C++ compiler in the user's file.

  Constants with a computed value, and variables, are changed in the text: cxxedit.c.
*/
#include "cxx.h"
#include "../../backend/interface/backendimpl.h"
#include <sys/stat.h>
#include <unistd.h>

/* Headers whose place is taken */
static const char *const PlexCxxHeaders[] = {/* of C and C++ */
                                             "algorithm", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdio",
                                             "cstdlib", "cstring", "float.h", "iosfwd", "iostream", "limits",
                                             "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
                                             "string.h", "type_traits", "utility",
                                             /* of PETSc */
                                             "petsc.h", "petscconf.h", "petscdevice.h", "petscdm.h", "petscdmfield.h",
                                             "petscdmlabel.h", "petscdmplex.h", "petscdmtypes.h", "petscds.h",
                                             "petscdstypes.h", "petscdt.h", "petscerror.h", "petscfe.h",
                                             "petscfetypes.h", "petscfv.h", "petscis.h", "petscksp.h", "petsclog.h",
                                             "petscmacros.h", "petscmat.h", "petscmath.h", "petscoptions.h",
                                             "petscpc.h", "petscsection.h", "petscsnes.h", "petscspace.h", "petscsys.h",
                                             "petscsystypes.h", "petsctime.h", "petscts.h", "petscvec.h",
                                             "petscversion.h", "petscviewer.h"};

PetscBool PlexPathIsCxx(const char path[])
{
  const char *const suffixes[] = {".cc",  ".cpp", ".cxx", ".C",   ".c++", ".hh",
                                  ".hpp", ".hxx", ".H",   ".h++", ".tcc", ".ipp"};
  const size_t      n          = strlen(path);

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(suffixes); ++k) {
    const size_t m = strlen(suffixes[k]);

    if (n > m && !strcmp(path + n - m, suffixes[k])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Writes a file of one line, or removes it and its folder */
static PetscErrorCode PlexCxxHeader(const char folder[], const char name[], PetscBool make, const char text[])
{
  char  path[PETSC_MAX_PATH_LEN];
  FILE *file;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, name));
  if (make) {
    file = fopen(path, "w");
    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s: set TMPDIR to a folder with room", path);
    fprintf(file, "#include \"%s\"\n", text);
    (void)fclose(file);
  } else (void)unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder of headers beside a compiler's files */
static PetscErrorCode PlexCxxHeaderFolder(const PlexWorkplace *w, PetscBool make, char folder[PETSC_MAX_PATH_LEN])
{
  char sources[PETSC_MAX_PATH_LEN], all[PETSC_MAX_PATH_LEN + 32], assertion[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  PetscCall(PlexSourceGetFolder(sources));
  PetscCall(PetscSNPrintf(all, sizeof(all), "%s/standin/cxx.h", sources));
  PetscCall(PetscSNPrintf(assertion, sizeof(assertion), "%s/standin/cxx_assert.h", sources));
  PetscCall(PetscSNPrintf(folder, PETSC_MAX_PATH_LEN, "%s/include", w->folder));
  if (make)
    PetscCheck(!mkdir(folder, 0700), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot make the folder %s", folder);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexCxxHeaders); ++k)
    PetscCall(PlexCxxHeader(folder, PlexCxxHeaders[k], make, all));
  PetscCall(PlexCxxHeader(folder, "cassert", make, assertion));
  PetscCall(PlexCxxHeader(folder, "assert.h", make, assertion));
  if (!make) (void)rmdir(folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCxxWriteFile(const char path[], const char before[], const char text[])
{
  FILE *file = fopen(path, "w");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s: set TMPDIR to a folder with room", path);
  fprintf(file, "%s%s", before, text);
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiles a device text for the host, without a result */
static PetscErrorCode PlexCxxCheck(const PlexPreprocessor *p, const PlexWorkplace *w, const char text[], int *status,
                                   char said[1500])
{
  PlexPreprocessor plain = *p;
  char             folder[PETSC_MAX_PATH_LEN], before[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexSourceGetFolder(folder));
  PetscCall(PetscSNPrintf(before, sizeof(before),
                          "#define PLEX_EMULATE\n#define PLEX_INT64 %d\n#define PLEX_FUNCTION static inline\n"
                          "#define __device__\n#include <assert.h>\n#include <math.h>\n#include <stdio.h>\n"
                          "#include <string.h>\ntypedef double plex_real;\n#include \"%s/petsc.cuh\"\n"
                          "#include \"%s/cxx.cuh\"\n",
                          (int)PetscDefined(USE_64BIT_INDICES), folder, folder));
  PetscCall(PlexCxxWriteFile(w->source, before, text));
  plain.flags[0] = '\0';
  PetscCall(PlexCallCompiler(&plain, w, "-x c++ -std=gnu++17 -fsyntax-only -fno-exceptions -w", w->source, status,
                             said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preprocesses, and checks what is made of that; *status is the compiler's */
static PetscErrorCode PlexCxxMake(PlexPreprocessor *p, const PlexWorkplace *w, const char includes[],
                                  char **preprocessed, int *status, char said[1500])
{
  char           folder[PETSC_MAX_PATH_LEN], how[2 * PETSC_MAX_PATH_LEN], *text;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexCxxHeaderFolder(w, PETSC_TRUE, folder));
  PetscCall(PlexCxxWriteFile(w->source, "", includes));
  PetscCall(PetscSNPrintf(p->flags, sizeof(p->flags), "-std=gnu++17 -nostdinc -I%s -DPLEXGPU_DEVICE %s", folder,
                          p->more));
  PetscCall(PetscSNPrintf(how, sizeof(how), "-x c++ -E -o %s", w->object));
  ierr = PlexCallCompiler(p, w, how, w->source, status, said);
  PetscCall(PlexCxxHeaderFolder(w, PETSC_FALSE, folder));
  PetscCall(ierr);
  if (*status) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSourceGetFileText(w->object, preprocessed));
  PetscCheck(*preprocessed, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "The compiler %s wrote nothing for '%s'", p->command,
             p->path);
  PetscCall(PlexCxxEdit(*preprocessed, &text));
  PetscCall(PlexCxxCheck(p, w, text, status, said));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preprocessed text, from the cache or of the compiler */
static PetscErrorCode PlexCxxPreprocess(PlexPreprocessor *p, const char includes[], char **text)
{
  PlexWorkplace  w;
  char           cache[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN], standin[PETSC_MAX_PATH_LEN + 32], said[1500];
  int            status;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexSourceGetFolder(folder));
  PetscCall(PetscSNPrintf(standin, sizeof(standin), "%s/standin/cxx.h", folder));
  PetscCall(PlexPreprocessRead(p, standin, includes, cache, text));
  if (*text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(p->command[0], PETSC_COMM_SELF, PETSC_ERR_SUP,
             "There is no C++ compiler to preprocess '%s' (c++, g++, clang++, mpicxx): name one with "
             "-plex_assembly_source_compiler or the environment variable PLEXGPU_CXX; or run the program once where "
             "there is one with the same -plexgpu_cache_dir",
             p->path);
  PetscCall(PlexWorkplaceCreate(&w, "source.cc", "source.ii"));
  ierr = PlexCxxMake(p, &w, includes, text, &status, said);
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  if (ierr || status) PetscCall(PetscFree(*text));
  PetscCall(ierr);
  PetscCheck(!status, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "'%s', source of the pointwise functions, does not compile for a device (%s, status %d). " PLEX_CXX_MAY_USE
             " -plex_assembly_source_flags \"IFOLDER DNAME\" adds -I and -D:\n%s",
             p->path, p->command, status, said);
  PetscCall(PlexPreprocessWrite(cache, *text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexCxxRead - The device text of C++ files

  Input Parameters:
+ n      - how many files
. paths  - [n] the files
- prefix - of the options `-plex_assembly_source_flags` and `-plex_assembly_source_compiler`, or `NULL`

  Output Parameter:
. text - what all of them come to, each header once; to be freed with PetscFree()
*/
PetscErrorCode PlexCxxRead(int n, char *const paths[], const char prefix[], char **text)
{
  const char *const candidates[] = {getenv("PLEXGPU_CXX"), "c++", "g++", "clang++", "mpicxx"};
  const PetscInt    first        = candidates[0] && candidates[0][0] ? 0 : 1;
  PlexPreprocessor  p            = {.path = paths[0], .cxx = PETSC_TRUE};
  PlexText          includes     = {NULL, 0, 0};
  char              path[PETSC_MAX_PATH_LEN], *preprocessed = NULL;
  PetscErrorCode    ierr;

  PetscFunctionBegin;
  *text = NULL;
  for (int k = 0; k < n; ++k) {
    PetscCheck(!access(paths[k], R_OK), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
               "Cannot read '%s', named as source of the pointwise functions by -plex_assembly_source or "
               "PlexAssemblySetPointwiseSource(): correct the path",
               paths[k]);
    PetscCall(PetscGetRealPath(paths[k], path));
    PetscCall(PlexTextPrintf(&includes, "#include \"%s\"\n", path));
  }
  PetscCall(PlexPreprocessorGetFlags(prefix, p.more));
  PetscCall(PlexPreprocessorChoose(prefix, &p, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(candidates) - first,
                                   candidates + first));
  ierr = PlexCxxPreprocess(&p, includes.text, &preprocessed);
  PetscCall(PetscFree(includes.text));
  PetscCall(ierr);
  ierr = PlexCxxEdit(preprocessed, text);
  PetscCall(PetscFree(preprocessed));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
