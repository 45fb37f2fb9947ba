/*
  Names that are declared inside a function or a struct: parameters, variables, members. They hide those of the file in
  a range of tokens; a member's name hides at its declaration only, elsewhere it stands behind `.` or `->`.
*/
#include "source.h"

static PetscErrorCode PlexAddLocal(PlexLocals *l, int name, int from, int to)
{
  PetscFunctionBegin;
  PetscCheck(l->n < PLEX_MOST_LOCALS, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A function or struct declares more than %d names: use -plex_assembly_backend host", PLEX_MOST_LOCALS);
  PlexGrow(l->locals, l->allocated, l->n + 1);
  l->locals[l->n++] = (PlexLocal){name, from, to};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members of the structs and unions in tokens b to end */
static PetscErrorCode PlexAddMembers(const PlexUnit *unit, int b, int end, PlexLocals *l)
{
  PetscFunctionBegin;
  for (int k = b; k < end; ++k) {
    int open = k + 1, close;

    if (unit->tokens[k].name != PLEX_WORD_STRUCT && unit->tokens[k].name != PLEX_WORD_UNION) continue;
    if (unit->tokens[open].kind == PLEX_TOKEN_NAME) ++open;
    if (!PlexIs(unit, open, "{")) continue;
    close = unit->tokens[open].match;
    for (int m = open + 1; m < close; ++m) {
      PetscInt64 words;
      PetscBool  function, pointer;
      int        name, after = PlexParseSpecifiers(unit, m, close, &words);

      for (m = after; m < close && !PlexIs(unit, m, ";"); ++m) {
        m = PlexParseDeclarator(unit, m, close, &name, &function, &pointer);
        if (name >= 0) PetscCall(PlexAddLocal(l, unit->tokens[name].name, name, name));
        while (m < close && !PlexIs(unit, m, ",") && !PlexIs(unit, m, ";")) ++m; /* a field's bits */
        if (PlexIs(unit, m, ";")) break;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters between the parentheses open and its match: they hide up to token `to` */
static PetscErrorCode PlexAddParameters(const PlexUnit *unit, int open, int to, PlexLocals *l)
{
  const int close = unit->tokens[open].match;

  PetscFunctionBegin;
  for (int k = open + 1; k < close; ++k) {
    PetscInt64 words;
    PetscBool  function, pointer;
    int        name, after = PlexParseSpecifiers(unit, k, close, &words);
    const int  specifiers = after - k; /* none: these are no parameters */

    k = PlexParseDeclarator(unit, after, close, &name, &function, &pointer);
    if (name >= 0 && specifiers) PetscCall(PlexAddLocal(l, unit->tokens[name].name, name, to));
    while (k < close && !PlexIs(unit, k, ",")) ++k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parenthesis that opens the parameters of the function of a declaration, or -1 */
static int PlexFunctionParameters(const PlexUnit *unit, const PlexDeclaration *d)
{
  int k;

  for (int e = d->entities; e < d->entities + d->nentities; ++e) {
    if (unit->entities[e].kind != PLEX_FUNCTION) continue;
    for (k = unit->entities[e].token + 1; PlexIs(unit, k, ")");) ++k;
    return PlexIs(unit, k, "(") ? k : -1;
  }
  return -1;
}

int PlexFunctionGetParameters(const PlexUnit *unit, const PlexDeclaration *d, int n, int tokens[])
{
  const int open = PlexFunctionParameters(unit, d);
  int       m    = 0;

  for (int k = 0; k < n; ++k) tokens[k] = -1;
  if (open < 0) return 0;
  for (int k = open + 1; k < unit->tokens[open].match; ++k, ++m) {
    PetscInt64 words;
    PetscBool  function, pointer;
    int        name, after = PlexParseSpecifiers(unit, k, unit->tokens[open].match, &words);

    k = PlexParseDeclarator(unit, after, unit->tokens[open].match, &name, &function, &pointer);
    if (m < n) tokens[m] = name;
    while (k < unit->tokens[open].match && !PlexIs(unit, k, ",")) ++k;
  }
  return m;
}

/* Variables and types declared in a function's body, each up to the end of its block */
static PetscErrorCode PlexAddVariables(const PlexUnit *unit, int body, PlexLocals *l)
{
  const int end = unit->tokens[body].match;
  int       blocks[PLEX_MOST_NESTED + 1], n = 0, block = body;

  PetscFunctionBegin;
  for (int k = body + 1; k < end; ++k) {
    PetscInt64 words;
    PetscBool  function, pointer;
    int        name, after;

    if (PlexIs(unit, k, "{")) {
      blocks[n++] = block;
      block       = k;
    } else if (PlexIs(unit, k, "}")) block = blocks[--n]; /* back to the block around it */
    if (!(PlexIs(unit, k - 1, "{") || PlexIs(unit, k - 1, "}") || PlexIs(unit, k - 1, ";") ||
          PlexIs(unit, k - 1, ":") || (PlexIs(unit, k - 1, "(") && unit->tokens[k - 2].name == PLEX_WORD_FOR)))
      continue;
    /* a variable with the name of a type */
    if (unit->tokens[k].name >= 0 && PlexLocalsHide(l, unit->tokens[k].name, k)) continue;
    after = PlexParseSpecifiers(unit, k, end, &words);
    if (after == k) continue;
    PetscCall(PlexAddMembers(unit, k, after, l));
    for (int m = after; m < end && !PlexIs(unit, m, ";"); ++m) {
      m = PlexParseDeclarator(unit, m, end, &name, &function, &pointer);
      if (name >= 0) PetscCall(PlexAddLocal(l, unit->tokens[name].name, name, unit->tokens[block].match));
      if (PlexIs(unit, m, "=")) m = PlexSkipInitializer(unit, m, end);
      if (!PlexIs(unit, m, ",")) break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLocalsCreate(const PlexUnit *unit, const PlexDeclaration *d, PlexLocals *l)
{
  const int open = PlexFunctionParameters(unit, d);

  PetscFunctionBegin;
  PetscCall(PetscMemzero(l, sizeof(*l)));
  PetscCall(PlexAddMembers(unit, d->begin, d->specifiers, l));
  /* parameters, also of prototypes and pointers to functions */
  for (int k = d->specifiers; k < (d->body >= 0 ? d->body : d->end); ++k)
    if (PlexIs(unit, k, "("))
      PetscCall(PlexAddParameters(unit, k, k == open && d->body >= 0 ? d->end : unit->tokens[k].match, l));
  if (d->body >= 0) PetscCall(PlexAddVariables(unit, d->body, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLocalsDestroy(PlexLocals *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->locals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexLocalsHide(const PlexLocals *l, int name, int token)
{
  for (int k = 0; k < l->n; ++k)
    if (l->locals[k].name == name && l->locals[k].from <= token && token <= l->locals[k].to) return PETSC_TRUE;
  return PETSC_FALSE;
}
