/* A preprocessed C++ text as tokens: names, numbers, strings, and single characters but for :: and -> */
#include "cxx.h"
#include <ctype.h>

PetscBool PlexCxxIs(const PlexCxxText *t, int token, const char text[])
{
  return (PetscBool)(token >= 0 && token < t->n &&
                     !strncmp(t->tokens[token].text, text, (size_t)t->tokens[token].length) &&
                     !text[t->tokens[token].length]);
}

void PlexCxxPlace(const char text[], const char *at, char file[PETSC_MAX_PATH_LEN], int *line)
{
  int number;

  (void)snprintf(file, PETSC_MAX_PATH_LEN, "?");
  *line = 1;
  for (const char *p = text; p && p <= at; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
    const char *end = strchr(p, '\n');

    if (*p == '#' && (sscanf(p, "# %d \"%4000[^\"\n]\"", &number, file) == 2 ||
                      sscanf(p, "#line %d \"%4000[^\"\n]\"", &number, file) == 2))
      *line = number - 1;
    if (!end || end >= at) return;
    ++*line;
  }
}

/* The end of a string or character that begins at its quote */
static const char *PlexCxxSkipQuoted(const char *p)
{
  const char quote = *p++;

  for (; *p && *p != quote && *p != '\n'; ++p)
    if (*p == '\\' && p[1]) ++p;
  return *p ? p + 1 : p;
}

/* The end of a raw string, R"x(...)x", that begins at its quote */
static const char *PlexCxxSkipRaw(const char *p)
{
  const size_t n = strcspn(p + 1, "(");
  char         close[32];
  const char  *end;

  if (n > 16) return p + strlen(p);
  (void)snprintf(close, sizeof(close), ")%.*s\"", (int)n, p + 1);
  end = strstr(p, close);
  return end ? end + strlen(close) : p + strlen(p);
}

/* The end of a number: digits, letters, points, ' between digits, the sign of an exponent */
static const char *PlexCxxSkipNumber(const char *p)
{
  for (; isalnum((unsigned char)*p) || *p == '.' || *p == '_' || (*p == '\'' && isalnum((unsigned char)p[1])); ++p)
    if (strchr("eEpP", *p) && (p[1] == '+' || p[1] == '-')) ++p;
  return p;
}

static PetscBool PlexCxxIsLetter(char c)
{
  return (PetscBool)(isalpha((unsigned char)c) || c == '_' || c == '$' || (c & 0x80));
}

/* The end and the kind of the token at p, which is no blank */
static const char *PlexCxxTokenEnd(const char *p, PlexTokenKind *kind)
{
  const char *start = p;

  *kind = PLEX_TOKEN_PUNCTUATOR;
  if (PlexCxxIsLetter(*p)) {
    *kind = PLEX_TOKEN_NAME;
    while (PlexCxxIsLetter(*p) || isdigit((unsigned char)*p)) ++p;
    if ((*p == '"' || *p == '\'') && p - start <= 3 && strspn(start, "uUL8R") >= (size_t)(p - start)) {
      *kind = PLEX_TOKEN_STRING; /* its prefix */
      return p[-1] == 'R' && *p == '"' ? PlexCxxSkipRaw(p) : PlexCxxSkipQuoted(p);
    }
    return p;
  }
  if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
    *kind = PLEX_TOKEN_NUMBER;
    return PlexCxxSkipNumber(p);
  }
  if (*p == '"' || *p == '\'') {
    *kind = PLEX_TOKEN_STRING;
    return PlexCxxSkipQuoted(p);
  }
  return p + (!strncmp(p, "::", 2) || !strncmp(p, "->", 2) ? 2 : 1);
}

/* Pairs of brackets */
static PetscErrorCode PlexCxxMatch(PlexCxxText *t)
{
  int *open, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(t->n + 1, &open));
  for (int k = 0; k < t->n; ++k) {
    const char c = *t->tokens[k].text;

    if (t->tokens[k].kind != PLEX_TOKEN_PUNCTUATOR) continue;
    if (c == '(' || c == '[' || c == '{') open[n++] = k;
    else if (c == ')' || c == ']' || c == '}') {
      const char *pairs = "()[]{}", *pair = n ? strchr(pairs, *t->tokens[open[n - 1]].text) : NULL;

      if (!pair || pair[1] != c) {
        char file[PETSC_MAX_PATH_LEN];
        int  line;

        PlexCxxPlace(t->text, t->tokens[k].text, file, &line);
        PetscCall(PetscFree(open));
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s:%d: this '%c' closes nothing", file, line, c);
      }
      t->tokens[k].match                  = open[--n];
      t->tokens[t->tokens[k].match].match = k;
    }
  }
  if (n) {
    char file[PETSC_MAX_PATH_LEN];
    int  line;

    PlexCxxPlace(t->text, t->tokens[open[n - 1]].text, file, &line);
    PetscCall(PetscFree(open));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s:%d: a bracket is not closed", file, line);
  }
  PetscCall(PetscFree(open));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCxxTokenize(const char text[], PlexCxxText *t)
{
  PetscBool begin = PETSC_TRUE; /* of a line */

  PetscFunctionBegin;
  PetscCall(PetscMemzero(t, sizeof(*t)));
  t->text = text;
  for (const char *p = text; *p;) {
    PlexTokenKind kind;
    const char   *end;

    if (*p == '\n' || isspace((unsigned char)*p)) {
      begin = (PetscBool)(begin || *p == '\n');
      ++p;
      continue;
    }
    if (begin && *p == '#') { /* a line marker or a pragma */
      p += strcspn(p, "\n");
      continue;
    }
    begin = PETSC_FALSE;
    end   = PlexCxxTokenEnd(p, &kind);
    PlexGrow(t->tokens, t->allocated, t->n + 2);
    t->tokens[t->n++] = (PlexCxxToken){.text = p, .length = (int)(end - p), .match = -1, .kind = (char)kind};
    p                 = end;
  }
  PlexGrow(t->tokens, t->allocated, t->n + 2);
  t->tokens[t->n] = (PlexCxxToken){.text = text + strlen(text), .length = 0, .match = -1};
  PetscCall(PlexCxxMatch(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCxxTextDestroy(PlexCxxText *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->tokens));
  PetscFunctionReturn(PETSC_SUCCESS);
}
