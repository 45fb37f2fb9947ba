/*
  The declarations of a unit at file scope, and what they declare. The text is known to be C that compiles, so no more
  of the grammar is needed than where things end and which identifier is the one that is declared.
*/
#include "source.h"

#define PlexBit(word) ((PetscInt64)1 << (word))

/* Whether a name is that of a type, by typedef */
static PetscBool PlexIsType(const PlexUnit *unit, int name)
{
  if (name < PLEX_WORDS || !unit->first) return PETSC_FALSE;
  for (int k = unit->first[name]; k >= 0; k = unit->entities[k].next)
    if (unit->entities[k].kind == PLEX_TYPE) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Behind struct, union or enum: its tag and what is in its braces */
static int PlexSkipTagged(const PlexUnit *unit, int k)
{
  ++k;
  if (unit->tokens[k].kind == PLEX_TOKEN_NAME) ++k;
  if (PlexIs(unit, k, ":") && unit->tokens[k + 1].kind == PLEX_TOKEN_NAME) k += 2; /* enum of a given type */
  if (PlexIs(unit, k, "{")) k = unit->tokens[k].match + 1;
  return k;
}

int PlexParseSpecifiers(const PlexUnit *unit, int b, int end, PetscInt64 *words)
{
  PetscBool type = PETSC_FALSE;
  int       k    = b;

  *words = 0;
  while (k < end) {
    const int name = unit->tokens[k].name;

    if (name < 0) break;
    if (name == PLEX_WORD_STRUCT || name == PLEX_WORD_UNION || name == PLEX_WORD_ENUM) {
      *words |= PlexBit(name);
      k    = PlexSkipTagged(unit, k);
      type = PETSC_TRUE;
    } else if (name == PLEX_WORD_TYPEOF || name == PLEX_WORD_ATOMIC || name == PLEX_WORD_ALIGNAS) {
      if (name != PLEX_WORD_ALIGNAS) type = PETSC_TRUE;
      ++k;
      if (PlexIs(unit, k, "(")) k = unit->tokens[k].match + 1;
    } else if (name < PLEX_WORD_STATIC_ASSERT) {
      *words |= PlexBit(name);
      if (name >= PLEX_WORD_VOID) type = PETSC_TRUE;
      ++k;
    } else if (!type && PlexIsType(unit, name)) {
      type = PETSC_TRUE;
      ++k;
    } else break;
  }
  return type ? PetscMin(k, end) : b;
}

int PlexParseDeclarator(const PlexUnit *unit, int b, int end, int *name, PetscBool *function, PetscBool *pointer)
{
  int       k     = b;
  PetscBool inner = PETSC_FALSE; /* a `*` in the parentheses around the name */

  *name     = -1;
  *function = *pointer = PETSC_FALSE;
  for (; k < end; ++k) { /* to the name, into parentheses */
    if (PlexIs(unit, k, "*")) *pointer = inner = PETSC_TRUE;
    else if (PlexIs(unit, k, "(")) inner = PETSC_FALSE;
    else if (unit->tokens[k].name >= 0 && unit->tokens[k].name < PLEX_WORDS) continue; /* const and the like */
    else break;
  }
  if (k < end && unit->tokens[k].name >= PLEX_WORDS) *name = k++;
  else k = b;
  if (*name >= 0) {
    int after = k;

    while (after < end && PlexIs(unit, after, ")")) ++after; /* (name)(...) is a function as name(...) is */
    if (after == k) inner = PETSC_FALSE;
    *function = (PetscBool)(PlexIs(unit, after, "(") && !inner);
  }
  for (; k < end; ++k) { /* its arrays and parameters, and the parentheses it is in */
    if (PlexIs(unit, k, "[") || PlexIs(unit, k, "(")) k = unit->tokens[k].match;
    else if (PlexIs(unit, k, "=") || PlexIs(unit, k, ",") || PlexIs(unit, k, ";") || PlexIs(unit, k, ":") ||
             PlexIs(unit, k, "{"))
      break;
    else if (PlexIs(unit, k, ")") && unit->tokens[k].match < b) break;
  }
  return k;
}

int PlexSkipInitializer(const PlexUnit *unit, int b, int end)
{
  int k = b;

  for (; k < end && !PlexIs(unit, k, ",") && !PlexIs(unit, k, ";"); ++k)
    if (unit->tokens[k].match > k) k = unit->tokens[k].match;
  return k;
}

static PetscErrorCode PlexAddEntity(PlexUnit *unit, PlexEntityKind kind, int token, int begin, int end,
                                    PetscBool defined, PetscBool pointer)
{
  const int name = unit->tokens[token].name;
  int      *at = &unit->first[name], same = 0;

  PetscFunctionBegin;
  PlexGrow(unit->entities, unit->allocatedEntities, unit->nentities + 1);
  unit->entities[unit->nentities] = (PlexEntity){.kind        = kind,
                                                 .name        = name,
                                                 .declaration = unit->ndeclarations,
                                                 .token       = token,
                                                 .begin       = begin,
                                                 .end         = end,
                                                 .next        = -1,
                                                 .defined     = defined,
                                                 .pointer     = pointer};
  for (; *at >= 0; ++same) at = &unit->entities[*at].next;
  PetscCheck(same < PLEX_MOST_SAME, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s:%d: '%s' is declared more than %d times", unit->files[unit->tokens[token].file],
             unit->tokens[token].line, unit->names[name], PLEX_MOST_SAME);
  *at = unit->nentities++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tags and enumerators in tokens b to end, also in braces of braces */
static PetscErrorCode PlexAddTags(PlexUnit *unit, int b, int end)
{
  PetscFunctionBegin;
  for (int k = b; k < end; ++k) {
    const int word = unit->tokens[k].name;
    int       open = k + 1;

    if (word != PLEX_WORD_STRUCT && word != PLEX_WORD_UNION && word != PLEX_WORD_ENUM) continue;
    if (unit->tokens[open].kind == PLEX_TOKEN_NAME) ++open;
    if (open == k + 2)
      PetscCall(PlexAddEntity(unit, PLEX_TAG, k + 1, k + 1, k + 2, PlexIs(unit, open, "{"), PETSC_FALSE));
    if (word != PLEX_WORD_ENUM || !PlexIs(unit, open, "{")) continue;
    for (int e = open + 1; e < unit->tokens[open].match; ++e) {
      if (unit->tokens[e].name >= PLEX_WORDS)
        PetscCall(PlexAddEntity(unit, PLEX_ENUMERATOR, e, e, e + 1, PETSC_TRUE, PETSC_FALSE));
      e = PlexSkipInitializer(unit, e, unit->tokens[open].match);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The declaration from token b on, which ends before *end */
static PetscErrorCode PlexAddDeclaration(PlexUnit *unit, int b, int *end)
{
  PlexDeclaration d = {.begin = b, .body = -1, .entities = unit->nentities, .parent = -1, .at = -1};
  PetscInt64      words;
  int             k, name;
  PetscBool       function, pointer;

  PetscFunctionBegin;
  k            = PlexParseSpecifiers(unit, b, unit->ntokens, &words);
  d.specifiers = k;
  d.isTypedef  = (PetscBool)!!(words & PlexBit(PLEX_WORD_TYPEDEF));
  d.isStatic   = (PetscBool)!!(words & PlexBit(PLEX_WORD_STATIC));
  d.isExtern   = (PetscBool)!!(words & PlexBit(PLEX_WORD_EXTERN));
  d.isConst    = (PetscBool)!!(words & PlexBit(PLEX_WORD_CONST));
  PetscCall(PlexAddTags(unit, b, k));
  while (k > b && k < unit->ntokens && !PlexIs(unit, k, ";")) {
    const int from = k;

    k = PlexParseDeclarator(unit, k, unit->ntokens, &name, &function, &pointer);
    if (function && PlexIs(unit, k, "{")) d.body = k;
    if (name >= 0) {
      const PlexEntityKind kind = d.isTypedef ? PLEX_TYPE : (function ? PLEX_FUNCTION : PLEX_VARIABLE);

      PetscCall(PlexAddEntity(unit, kind, name, from, k, (PetscBool)(d.body >= 0 || PlexIs(unit, k, "=")), pointer));
    }
    if (d.body >= 0) break;
    if (PlexIs(unit, k, "=")) k = PlexSkipInitializer(unit, k, unit->ntokens);
    if (PlexIs(unit, k, ",")) ++k;
    else if (!PlexIs(unit, k, ";")) break;
  }
  if (d.body >= 0) k = unit->tokens[d.body].match + 1;
  else { /* also what was no declaration: static_assert(...); a stray `;` */
    for (; k < unit->ntokens && !PlexIs(unit, k, ";"); ++k)
      if (unit->tokens[k].match > k) k = unit->tokens[k].match;
    ++k;
  }
  d.end       = PetscMin(k, unit->ntokens);
  d.nentities = unit->nentities - d.entities;
  *end        = d.end;
  PlexGrow(unit->declarations, unit->allocatedDeclarations, unit->ndeclarations + 1);
  unit->declarations[unit->ndeclarations++] = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexUnitSplit(PlexUnit *unit)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(unit->nnames, &unit->first));
  for (int k = 0; k < unit->nnames; ++k) unit->first[k] = -1;
  for (int k = 0; k < unit->ntokens;) PetscCall(PlexAddDeclaration(unit, k, &k));
  PetscFunctionReturn(PETSC_SUCCESS);
}
