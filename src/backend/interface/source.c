/*
  Device sources: where they are, and one text made of a source and all that it includes, as the compilers at run time
  take it.
*/
#define _GNU_SOURCE
#include "backendimpl.h"
#include <dlfcn.h>
#include <sys/stat.h>

#define PLEX_MAX_INCLUDES 256

typedef struct {
  PlexText text;
  char     folder[PETSC_MAX_PATH_LEN];
  char    *files[PLEX_MAX_INCLUDES]; /* included already */
  PetscInt nfiles;
} PlexFlatten;

static PetscBool PlexIsFolder(const char path[])
{
  struct stat status;

  return (PetscBool)(path && path[0] && !stat(path, &status) && S_ISDIR(status.st_mode));
}

/* The folder of the device sources that option or environment names; *named NULL: none does */
static PetscErrorCode PlexSourceGetNamed(char folder[PETSC_MAX_PATH_LEN], const char **named)
{
  const char *env = getenv("PLEXGPU_SOURCE_DIR");
  PetscBool   flg;

  PetscFunctionBegin;
  *named = NULL;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-plexgpu_source_dir", folder, PETSC_MAX_PATH_LEN, &flg));
  if (flg) *named = "-plexgpu_source_dir";
  else if (env && env[0]) {
    PetscCall(PetscStrncpy(folder, env, PETSC_MAX_PATH_LEN));
    *named = "environment variable PLEXGPU_SOURCE_DIR";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A folder of what is installed with the library; it need not be there */
static PetscErrorCode PlexSourceGetInstalled(const char name[], char folder[PETSC_MAX_PATH_LEN])
{
  char   *slash;
  Dl_info info;

  PetscFunctionBegin;
  folder[0] = 0;
  if (!dladdr(&PLEXBACKEND_CLASSID, &info) || !info.dli_fname) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(folder, info.dli_fname, PETSC_MAX_PATH_LEN));
  PetscCall(PetscStrrchr(folder, '/', &slash));
  *slash = 0;
  PetscCall(PetscStrlcat(folder, "../share/plexgpu/", PETSC_MAX_PATH_LEN));
  PetscCall(PetscStrlcat(folder, name, PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder of the device sources: named by option or environment, else installed beside the library, else in the
   source tree. It need not be there; *named NULL: neither option nor environment names it */
static PetscErrorCode PlexSourceFind(char folder[PETSC_MAX_PATH_LEN], const char **named)
{
  PetscFunctionBegin;
  PetscCall(PlexSourceGetNamed(folder, named));
  if (*named) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSourceGetInstalled("cuda", folder));
#if defined(PLEXGPU_SOURCE_DIR)
  if (!PlexIsFolder(folder)) PetscCall(PetscStrncpy(folder, PLEXGPU_SOURCE_DIR, PETSC_MAX_PATH_LEN));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSourceGetFolder(char folder[PETSC_MAX_PATH_LEN])
{
  const char *named;

  PetscFunctionBegin;
  PetscCall(PlexSourceFind(folder, &named));
  if (PlexIsFolder(folder)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!named, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "There is no folder %s, given by %s: name the folder that holds PlexGPU's device sources (plex.cuh)",
             folder, named);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
          "PlexGPU's device sources are neither beside the library nor in %s: use -plexgpu_source_dir folder, or the "
          "environment variable PLEXGPU_SOURCE_DIR",
          folder);
}

/* A flattened source without the path of the folder of device sources in its #line directives, PetscFree() it: the same
   wherever that folder lies */
PetscErrorCode PlexSourceWithoutFolder(const char text[], char **without)
{
  const char *named, *from = text;
  char        folder[PETSC_MAX_PATH_LEN], root[PETSC_MAX_PATH_LEN], *to;
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, without));
  PetscCall(PlexSourceFind(folder, &named));
  if (!PlexIsFolder(folder)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscGetRealPath(folder, root)); /* PlexFlattenAppend() has real paths */
  PetscCall(PetscStrlcat(root, "/", sizeof(root)));
  PetscCall(PetscStrlen(root, &n));
  for (to = *without; *from;)
    if (strncmp(from, root, n)) *to++ = *from++;
    else from += n;
  *to = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder `kernels` beside device sources that are named, else beside those that are installed */
PetscErrorCode PlexSourceGetKernels(char folder[PETSC_MAX_PATH_LEN])
{
  const char *named;

  PetscFunctionBegin;
  PetscCall(PlexSourceGetNamed(folder, &named));
  if (named) PetscCall(PetscStrlcat(folder, "/../kernels", PETSC_MAX_PATH_LEN));
  else PetscCall(PlexSourceGetInstalled("kernels", folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of a file, PetscFree() it; NULL where it cannot be read */
PetscErrorCode PlexSourceGetFileText(const char path[], char **text)
{
  struct stat status;
  FILE       *file = NULL;
  size_t      n;

  PetscFunctionBegin;
  *text = NULL;
  if (stat(path, &status) || !S_ISREG(status.st_mode)) PetscFunctionReturn(PETSC_SUCCESS);
  file = fopen(path, "rb");
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  n = (size_t)status.st_size;
  PetscCall(PetscMalloc1(n + 1, text));
  n          = fread(*text, 1, n, file);
  (*text)[n] = 0;
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds an included file: absolute, beside the file that includes it, or in the source folder */
static PetscErrorCode PlexFlattenFind(PlexFlatten *f, const char include[], const char from[],
                                      char path[PETSC_MAX_PATH_LEN], char **text)
{
  char *slash;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(path, include, PETSC_MAX_PATH_LEN));
  if (include[0] == '/') {
    PetscCall(PlexSourceGetFileText(path, text));
    PetscCheck(*text, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s, included by %s", path, from);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *text = NULL;
  PetscCall(PetscStrncpy(path, from, PETSC_MAX_PATH_LEN));
  PetscCall(PetscStrrchr(path, '/', &slash));
  if (slash != path) {
    *slash = 0;
    PetscCall(PetscStrlcat(path, include, PETSC_MAX_PATH_LEN));
    PetscCall(PlexSourceGetFileText(path, text));
  }
  if (*text) PetscFunctionReturn(PETSC_SUCCESS);
  if (!f->folder[0]) PetscCall(PlexSourceGetFolder(f->folder));
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", f->folder, include));
  PetscCall(PlexSourceGetFileText(path, text));
  PetscCheck(*text, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot find \"%s\", included by %s: it is not beside that file nor in %s. -plexgpu_source_dir names "
             "another folder of device sources",
             include, from, f->folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSC_TRUE when a line is: # word "quoted"; blanks are free. The word may be followed by a number, given back (else
   0). */
static PetscBool PlexFlattenDirective(const char line[], size_t length, const char word[],
                                      char quoted[PETSC_MAX_PATH_LEN], PetscInt *number)
{
  const char *p = line, *end = line + length;
  size_t      n = strlen(word), k = 0;

  *number   = 0;
  quoted[0] = 0;
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  if (p >= end || *p++ != '#') return PETSC_FALSE;
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  if ((size_t)(end - p) < n || strncmp(p, word, n)) return PETSC_FALSE;
  p += n;
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  while (p < end && *p >= '0' && *p <= '9') *number = 10 * *number + (*p++ - '0');
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  if (p >= end || *p++ != '"') return PETSC_FALSE;
  while (p < end && *p != '"' && k + 1 < PETSC_MAX_PATH_LEN) quoted[k++] = *p++;
  quoted[k] = 0;
  return (PetscBool)(p < end && *p == '"');
}

static PetscErrorCode PlexFlattenAppend(PlexFlatten *f, const char name[], const char source[])
{
  char     current[PETSC_MAX_PATH_LEN], quoted[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
  PetscInt line = 1, number;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(current, name, sizeof(current)));
  if (strncmp(source, "#line ", 6)) PetscCall(PlexTextPrintf(&f->text, "#line 1 \"%s\"\n", current));
  for (const char *p = source; *p; ++line) {
    const char *end    = strchr(p, '\n');
    size_t      length = end ? (size_t)(end - p) : strlen(p);

    if (PlexFlattenDirective(p, length, "include", quoted, &number)) {
      char     *text = NULL;
      PetscBool seen = PETSC_FALSE;

      PetscCall(PlexFlattenFind(f, quoted, current, path, &text));
      PetscCall(PetscGetRealPath(path, quoted));
      for (PetscInt i = 0; i < f->nfiles && !seen; ++i) PetscCall(PetscStrcmp(quoted, f->files[i], &seen));
      if (!seen) {
        PetscCheck(f->nfiles < PLEX_MAX_INCLUDES, PETSC_COMM_SELF, PETSC_ERR_SUP, "%s includes more than %d files",
                   name, PLEX_MAX_INCLUDES);
        PetscCall(PetscStrallocpy(quoted, &f->files[f->nfiles++]));
        PetscCall(PlexFlattenAppend(f, quoted, text));
      }
      PetscCall(PetscFree(text));
      PetscCall(PlexTextPrintf(&f->text, "#line %" PetscInt_FMT " \"%s\"\n", line + 1, current));
    } else {
      if (PlexFlattenDirective(p, length, "line", quoted, &number)) {
        PetscCall(PetscStrncpy(current, quoted, sizeof(current)));
        line = number - 1;
      }
      PetscCall(PlexTextAppend(&f->text, p, length));
      PetscCall(PlexTextAppend(&f->text, "\n", 1));
    }
    p += length + (end ? 1 : 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One text of a source and all files that it includes in quotes, each once (what #pragma once means), with #line
   directives, so that a compiler's messages name the real files. Includes in angle brackets are left to the
   compiler. What is one text already stays as it is. */
PetscErrorCode PlexSourceFlatten(const char name[], const char source[], char **text)
{
  PlexFlatten *f;
  PetscInt     i;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  PetscCall(PlexFlattenAppend(f, name, source));
  *text = f->text.text;
  for (i = 0; i < f->nfiles; ++i) PetscCall(PetscFree(f->files[i]));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
