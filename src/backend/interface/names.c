/*
  Names in the source of a kernel that its machine code does not depend on. Programs that generate pointwise functions
  may draw their names, and the folder of their file, anew in each run; a compiled kernel is to be found again.

  The source says which names these are, in a line PLEX_NAMES_LINE f0_u f1_u.
*/
#include "backendimpl.h"
#include <ctype.h>

static PetscBool PlexIsLetter(char c)
{
  return (PetscBool)(isalnum((unsigned char)c) || c == '_');
}

/* The number of a word in a list of words with blanks between, -1: it is not there */
static int PlexFindWord(const char list[], size_t length, const char word[], size_t n)
{
  int number = 0;

  for (const char *p = list; p < list + length; ++number) {
    size_t k = 0;

    while (p + k < list + length && p[k] != ' ') ++k;
    if (k == n && !strncmp(p, word, n)) return number;
    p += k + 1;
  }
  return -1;
}

/* Appends a line with the names of the list as numbers; not in strings. Of a file's path in #line its last part. */
static PetscErrorCode PlexAppendWithoutNames(PlexText *same, const char line[], size_t n, const char list[],
                                             size_t length)
{
  PetscFunctionBegin;
  if (n > 6 && !strncmp(line, "#line ", 6)) {
    size_t slash = n, quote = 0;

    while (quote < n && line[quote] != '"') ++quote;
    while (slash > quote && line[slash - 1] != '/') --slash;
    if (slash > quote) {
      PetscCall(PlexTextAppend(same, line, PetscMin(quote + 1, n)));
      PetscCall(PlexTextAppend(same, line + slash, n - slash));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  for (size_t k = 0; k < n;) {
    size_t m = 1;
    int    number;

    if (line[k] == '"' || line[k] == '\'') {
      while (k + m < n && line[k + m] != line[k]) m += 1 + (line[k + m] == '\\');
      m = PetscMin(m + 1, n - k);
    } else if (PlexIsLetter(line[k])) {
      while (k + m < n && PlexIsLetter(line[k + m])) ++m;
      number = PlexFindWord(list, length, line + k, m);
      if (number >= 0) {
        PetscCall(PlexTextPrintf(same, "plex_name_%d", number));
        k += m;
        continue;
      }
    }
    PetscCall(PlexTextAppend(same, line + k, m));
    k += m;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexSourceWithoutNames - What of a source counts for a compiled kernel

  Input Parameter:
. text - the source

  Output Parameters:
+ plain - the source without the line that lists names; to be freed with PetscFree()
- same  - that with the names of the list as numbers; to be freed with PetscFree()
*/
PetscErrorCode PlexSourceWithoutNames(const char text[], char **plain, char **same)
{
  const size_t mark = strlen(PLEX_NAMES_LINE);
  const char  *line = strstr(text, PLEX_NAMES_LINE), *list;
  PlexText     out  = {NULL, 0, 0};
  size_t       length;

  PetscFunctionBegin;
  if (!line || (line > text && line[-1] != '\n')) {
    PetscCall(PetscStrallocpy(text, plain));
    PetscCall(PetscStrallocpy(text, same));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  list   = line + mark;
  length = strcspn(list, "\n");
  PetscCall(PlexTextAppend(&out, text, (size_t)(line - text)));
  list += length + (list[length] == '\n');
  PetscCall(PlexTextAppend(&out, list, strlen(list)));
  *plain = out.text;
  list   = line + mark;
  out    = (PlexText){NULL, 0, 0};
  for (const char *p = *plain; *p;) {
    const size_t n = strcspn(p, "\n");

    PetscCall(PlexAppendWithoutNames(&out, p, n, list, length));
    PetscCall(PlexTextAppend(&out, "\n", 1));
    p += n + (p[n] == '\n');
  }
  PetscCall(PlexTextAppend(&out, "\n", 1));
  *same = out.text;
  PetscFunctionReturn(PETSC_SUCCESS);
}
