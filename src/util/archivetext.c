/*
  Structs as lines of text. Numbers are written with all digits that they need, and with a point whatever the locale;
  blanks within the words of a table, and ends of lines, as \s and \n.
*/
#define _GNU_SOURCE
#include "archive.h"
#include <locale.h>

#define PLEX_WORD 4096 /* characters of a value, with room for what is escaped */

static locale_t PlexLocaleBegin(locale_t *c)
{
  *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return *c ? uselocale(*c) : (locale_t)0;
}

static void PlexLocaleEnd(locale_t before, locale_t c)
{
  if (!c) return;
  (void)uselocale(before);
  freelocale(c);
}

uint64_t PlexTextHash_Private(uint64_t hash, const char text[], size_t n)
{
  for (size_t k = 0; k < n; ++k) hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3ULL;
  return hash;
}

/* The texts' ends count, too */
void PlexKeyName_Private(const char prefix[], size_t n, const char *const texts[], char name[64])
{
  uint64_t hash = PLEX_TEXT_HASH;

  for (size_t k = 0; k < n; ++k) hash = PlexTextHash_Private(hash, texts[k], strlen(texts[k]) + 1);
  (void)snprintf(name, 64, "%s-%016llx", prefix, (unsigned long long)hash);
}

/* ---- Values */

/* As few digits as give the same number again */
static void PlexRealFormat(double number, char value[PLEX_WORD])
{
  for (int digits = 15; digits <= 17; ++digits) {
    (void)snprintf(value, PLEX_WORD, "%.*g", digits, number);
    if (strtod(value, NULL) == number) return;
  }
}

static void PlexValueFormat(const PlexField *f, const void *from, PetscBool word, char value[PLEX_WORD])
{
  const char *at = (const char *)from + f->offset;
  size_t      n  = 0;

  if (f->kind == PLEX_FIELD_REAL) PlexRealFormat(*(const double *)at, value);
  else if (f->kind == PLEX_FIELD_INTEGER)
    (void)snprintf(value, PLEX_WORD, "%lld",
                   f->size == sizeof(int) ? (long long)*(const int *)at : (long long)*(const PetscInt *)at);
  else {
    for (size_t k = 0; k < f->size && at[k] && n + 3 < PLEX_WORD; ++k) {
      const char escaped = at[k] == '\\' ? '\\' : at[k] == '\n' ? 'n' : word && at[k] == ' ' ? 's' : 0;

      if (escaped) value[n++] = '\\';
      value[n++] = escaped ? escaped : at[k];
    }
    if (word && !n) value[n++] = '\\', value[n++] = 'e'; /* nothing */
    value[n] = 0;
  }
}

/* value[n], which need not end; false where it is none of its kind */
static PetscBool PlexValueParse(const PlexField *f, const char value[], size_t n, void *to)
{
  char  *at = (char *)to + f->offset, number[64], *end;
  size_t m  = 0;

  if (f->kind == PLEX_FIELD_TEXT) {
    for (size_t k = 0; k < n && m + 1 < f->size; ++k) {
      if (value[k] != '\\' || k + 1 == n) at[m++] = value[k];
      else if (value[++k] != 'e') at[m++] = value[k] == 'n' ? '\n' : value[k] == 's' ? ' ' : value[k];
    }
    at[m] = 0;
    return PETSC_TRUE;
  }
  if (!n || n >= sizeof(number)) return PETSC_FALSE;
  (void)memcpy(number, value, n);
  number[n] = 0;
  if (f->kind == PLEX_FIELD_REAL) *(double *)at = strtod(number, &end);
  else if (f->size == sizeof(int)) *(int *)at = (int)strtoll(number, &end, 10);
  else *(PetscInt *)at = (PetscInt)strtoll(number, &end, 10);
  return (PetscBool)(end == number + n);
}

/* ---- Lines */

static const char *PlexLineEnd(const char line[], const char end[])
{
  const char *newline = (const char *)memchr(line, '\n', (size_t)(end - line));

  return newline ? newline : end;
}

/* The rest of the line behind a name and a blank; NULL where the line does not begin so */
static const char *PlexLineIs(const char line[], const char end[], const char name[])
{
  const size_t n = strlen(name);

  return (size_t)(end - line) > n && !strncmp(line, name, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

PetscErrorCode PlexFieldsWrite_Private(PlexText *text, PetscInt n, const PlexField fields[], const void *from)
{
  char     value[PLEX_WORD];
  locale_t c, before;

  PetscFunctionBegin;
  before = PlexLocaleBegin(&c);
  for (PetscInt k = 0; k < n; ++k) {
    PlexValueFormat(&fields[k], from, PETSC_FALSE, value);
    PetscCall(PlexTextPrintf(text, "%s %s\n", fields[k].name, value));
  }
  PlexLocaleEnd(before, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFieldsRead_Private(const PlexBlock *block, PetscInt n, const PlexField fields[], void *to,
                                      PetscBool *good)
{
  locale_t c, before;

  PetscFunctionBegin;
  before = PlexLocaleBegin(&c);
  *good  = PETSC_TRUE;
  for (PetscInt k = 0; k < n && *good; ++k) {
    const char *value = NULL, *end = NULL;

    for (const char *line = block->begin; line < block->end && !value; line = end + 1) {
      if (PlexLineIs(line, block->end, "table")) break;
      end   = PlexLineEnd(line, block->end);
      value = PlexLineIs(line, end, fields[k].name);
    }
    *good = (PetscBool)(value && PlexValueParse(&fields[k], value, (size_t)(end - value), to));
  }
  PlexLocaleEnd(before, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tables */

PetscErrorCode PlexTableWrite_Private(PlexText *text, const char name[], PetscInt n, const PlexField fields[],
                                      PetscInt rows, size_t size, const void *from)
{
  char     value[PLEX_WORD];
  locale_t c, before;

  PetscFunctionBegin;
  before = PlexLocaleBegin(&c);
  PetscCall(PlexTextPrintf(text, "table %s %" PetscInt_FMT, name, rows));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexTextPrintf(text, " %s", fields[k].name));
  PetscCall(PlexTextAppend(text, "\n", 1));
  for (PetscInt r = 0; r < rows; ++r) {
    for (PetscInt k = 0; k < n; ++k) {
      PlexValueFormat(&fields[k], (const char *)from + (size_t)r * size, PETSC_TRUE, value);
      PetscCall(PlexTextPrintf(text, "%s%s", k ? " " : "", value));
    }
    PetscCall(PlexTextAppend(text, "\n", 1));
  }
  PlexLocaleEnd(before, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next word of a line, [*n]; NULL at its end */
static const char *PlexNextWord(const char **at, const char end[], size_t *n)
{
  const char *word = *at;

  if (word >= end) return NULL;
  while (*at < end && **at != ' ') ++*at;
  *n = (size_t)(*at - word);
  if (*at < end) ++*at;
  return word;
}

/* columns[ncolumns]: the fields that a table's columns are, -1: none of them */
static PetscInt PlexColumnsFind(const char header[], const char end[], PetscInt n, const PlexField fields[],
                                PetscInt most, PetscInt columns[])
{
  const char *word;
  PetscInt    ncolumns = 0;
  size_t      length;

  while (ncolumns < most && (word = PlexNextWord(&header, end, &length))) {
    columns[ncolumns] = -1;
    for (PetscInt k = 0; k < n; ++k)
      if (strlen(fields[k].name) == length && !strncmp(fields[k].name, word, length)) columns[ncolumns] = k;
    ++ncolumns;
  }
  return ncolumns;
}

static PetscBool PlexRowParse(const char line[], const char end[], const PlexField fields[], PetscInt ncolumns,
                              const PetscInt columns[], void *to)
{
  const char *word;
  size_t      n;

  for (PetscInt c = 0; c < ncolumns; ++c) {
    word = PlexNextWord(&line, end, &n);
    if (!word || (columns[c] >= 0 && !PlexValueParse(&fields[columns[c]], word, n, to))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexTableRead_Private(const PlexBlock *block, const char name[], PetscInt n, const PlexField fields[],
                                     size_t size, PetscInt *rows, void *to, PetscBool *good)
{
  const char *header = NULL, *end = block->begin, *line;
  char       *table, title[64];
  PetscInt    columns[64], ncolumns;
  locale_t    c, before;

  PetscFunctionBegin;
  *rows = 0;
  *good = PETSC_FALSE;
  (void)snprintf(title, sizeof(title), "table %s", name);
  for (line = block->begin; line < block->end && !header; line = end + 1) {
    end    = PlexLineEnd(line, block->end);
    header = PlexLineIs(line, end, title);
  }
  if (!header) PetscFunctionReturn(PETSC_SUCCESS);
  *rows    = (PetscInt)strtoll(header, (char **)&header, 10);
  ncolumns = PlexColumnsFind(header + 1, end, n, fields, PETSC_STATIC_ARRAY_LENGTH(columns), columns);
  /* a line has a character at least */
  if (*rows <= 0 || (ptrdiff_t)*rows > block->end - line) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc((size_t)*rows * size, &table));
  before = PlexLocaleBegin(&c);
  *good  = PETSC_TRUE;
  for (PetscInt r = 0; r < *rows && *good; ++r, line = end + 1) {
    *good = (PetscBool)(line < block->end);
    if (!*good) break;
    end   = PlexLineEnd(line, block->end);
    *good = PlexRowParse(line, end, fields, ncolumns, columns, table + (size_t)r * size);
  }
  PlexLocaleEnd(before, c);
  if (*good) *(void **)to = table;
  else PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
