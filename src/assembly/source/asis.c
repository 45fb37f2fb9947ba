/*
  A header as it stands, for a machine without a C compiler or PETSc's headers: its functions call nothing but each
  other and what cuda/ has. Includes of PETSc's and the C library's headers are passed over; PETSc's macros come from
  cuda/petsc_macros.cuh.
*/
#include "source.h"
#include <ctype.h>

PetscBool PlexTextHasName(const char text[], const char name[])
{
  const size_t n = strlen(name);

  for (const char *p = strstr(text, name); p; p = strstr(p + 1, name))
    if ((p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
        !(isalnum((unsigned char)p[n]) || p[n] == '_'))
      return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Other includes that are in quotes are looked for beside the file. */
static void PlexWriteSourceLine(FILE *out, const char folder[], const char line[], size_t length)
{
  const char *p = line, *end = line + length;
  char        path[PETSC_MAX_PATH_LEN];
  int         n;

  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  if (p < end && *p == '#') {
    do ++p;
    while (p < end && (*p == ' ' || *p == '\t'));
    if (end - p > 7 && !strncmp(p, "include", 7)) {
      for (p += 7; p < end && (*p == ' ' || *p == '\t');) ++p;
      if (*p == '<' || !strncmp(p, "\"petsc", 6)) {
        fprintf(out, "\n");
        return;
      }
      if (sscanf(p, "\"%1000[^\"]\"%n", path, &n) == 1) {
        fprintf(out, "#include \"%s%s\"\n", path[0] == '/' ? "" : folder, path);
        return;
      }
    } else if (end - p >= 11 && !strncmp(p, "pragma once", 11)) {
      fprintf(out, "\n");
      return;
    }
  }
  fwrite(line, 1, length, out);
  fputc('\n', out);
}

PetscErrorCode PlexWriteText(const char path[], const char text[], FILE *out)
{
  char folder[PETSC_MAX_PATH_LEN], *slash;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, path, sizeof(folder)));
  slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  fprintf(out, "#line 1 \"%s\"\n", path);
  for (const char *p = text; *p;) {
    const size_t length = strcspn(p, "\n");

    PlexWriteSourceLine(out, folder, p, length);
    p += length + (p[length] == '\n');
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWriteAsIs(const PlexUnit *unit, FILE *out)
{
  PetscFunctionBegin;
  fprintf(out, "\n#include \"petsc_macros.cuh\"\n");
  PetscCall(PlexWriteText(unit->path, unit->text, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
