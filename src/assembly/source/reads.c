/*
  What a pointwise function reads, by occurrence. An argument counts as read if its name stands in the body in any way
  but

    f(..., u, ...)   the call of a function of the program whose parameter there is not read, in the same sense
    (void)u;  sizeof(u)  sizeof(*u)

  Branches that are never come to count. Whatever could reach an argument or a state of the program in another way makes
  the result unknown: assembly language, calls through pointers, functions of no file that are not known to be pure,
  variables that keep their value.
*/
#include "facts.h"
#include <ctype.h>

#define PLEX_READS_PARAMETERS 64 /* of a function; further ones count as read */

/* A function that was met */
typedef struct {
  int         unit, entity;
  PetscBool   done;                         /* PETSC_FALSE: it is being walked */
  int         n;                            /* parameters */
  PetscBool   read[PLEX_READS_PARAMETERS];  /* the parameter may be read */
  int         names[PLEX_READS_PARAMETERS]; /* of the parameters, -1 */
  int         tokens[PLEX_READS_PARAMETERS];
  PetscBool   variables; /* variables of a file may be read */
  PetscBool   casts;     /* pointers to what may be changed are made by casts */
  const char *why;       /* what was not understood, or NULL */
} PlexReader;

typedef struct {
  PlexProgram           program;
  const PlexFactsSizes *sizes;
  PlexReader           *list;
  int                   n, allocated;
  unsigned              constants; /* bits of what of constants[] is read where the index is known */
  PetscBool             variables, casts, letOut;
} PlexReads;

/* One name in a function's body */
typedef struct {
  PlexReads             *r;
  int                    reader, u;
  const PlexUnit        *unit;
  const PlexDeclaration *d;
  PlexLocals             locals;
} PlexReadsWalk;

static PetscErrorCode PlexReadsFunction(PlexReads *, int u, int entity, int *index);

PetscBool PlexFactsIsPure(const char name[])
{
  static const char *const others[] = {"malloc", "free", "printf", "memcpy", "memmove", "memset",        "memcmp",
                                       "frexp",  "modf", "remquo", "sincos", "lgamma",  "PetscLogFlops", "PetscMemcpy"};
  static const char *const builtins[] =
    {"__builtin_expect",         "__builtin_isnan",       "__builtin_isinf",       "__builtin_isinf_sign",
     "__builtin_isfinite",       "__builtin_isnormal",    "__builtin_signbit",     "__builtin_fabs",
     "__builtin_sqrt",           "__builtin_nan",         "__builtin_inf",         "__builtin_nanf",
     "__builtin_inff",           "__builtin_huge_val",    "__builtin_huge_valf",   "__builtin_isgreater",
     "__builtin_isgreaterequal", "__builtin_isless",      "__builtin_islessequal", "__builtin_islessgreater",
     "__builtin_isunordered",    "__builtin_fpclassify",  "__builtin_constant_p",  "__builtin_types_compatible_p",
     "__builtin_choose_expr",    "__builtin_unreachable", "__builtin_copysign",    "__builtin_fmax",
     "__builtin_fmin",           "__builtin_pow"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(builtins); ++k)
    if (!strcmp(name, builtins[k])) return PETSC_TRUE;
  if (name[0] < 'a' || name[0] > 'z')
    return (PetscBool)(!strcmp(name, "PetscIsInfReal") || !strcmp(name, "PetscIsNanReal") ||
                       !strcmp(name, "PetscIsNormalReal") || !strcmp(name, "__assert_fail"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); ++k)
    if (!strncmp(name, others[k], strlen(others[k]))) return PETSC_FALSE;
  return PlexDeviceHasName(name);
}

PetscBool PlexFactsIsCopy(const char name[])
{
  static const char *const words[] = {"memcpy", "memmove", "memset", "PetscMemcpy", "PetscMemmove", "PetscMemzero"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); ++k)
    if (!strcmp(name, words[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

void PlexFactsFindCalled(PlexProgram program, int u, int name, int *v, int *entity)
{
  const PlexUnit *unit = &program->units[u];

  *v      = u;
  *entity = PlexFind(unit, name, PLEX_FUNCTION, PETSC_TRUE);
  for (int w = 0; w < program->nunits && *entity < 0; ++w) {
    const PlexUnit *other  = &program->units[w];
    const int       number = w == u || other->asIs ? -1 : PlexUnitFindName(other, unit->names[name]),
                    e      = number < 0 ? -1 : PlexFind(other, number, PLEX_FUNCTION, PETSC_TRUE);

    if (e < 0 || other->declarations[other->entities[e].declaration].isStatic) continue;
    *v      = w;
    *entity = e;
  }
  if (*entity >= 0 && program->units[*v].declarations[program->units[*v].entities[*entity].declaration].body < 0)
    *entity = -1;
}

/* Whether a word stands at p, maybe between underscores */
static PetscBool PlexReadsIsWord(const char *p, const char *begin, const char word[])
{
  const char *end = p + strlen(word);

  if (strncmp(p, word, strlen(word))) return PETSC_FALSE;
  while (p > begin && p[-1] == '_') --p;
  while (*end == '_') ++end;
  return (PetscBool)!((p > begin && isalnum((unsigned char)p[-1])) || isalnum((unsigned char)*end));
}

/* Words of a body that the tokens have no more: what an attribute or assembly language does is not seen */
const char *PlexReadsHidden(const PlexUnit *unit, const PlexDeclaration *d)
{
  const char *begin = unit->tokens[d->body].text, *end = unit->tokens[d->end - 1].text;

  for (const char *p = begin; p < end; ++p) {
    if (PlexReadsIsWord(p, begin, "asm")) return "assembly language";
    if (PlexReadsIsWord(p, begin, "cleanup")) return "a clean-up by attribute";
  }
  return NULL;
}

/* The `(` of the call that has token k as an argument of its own; its number, from 0. -1: it is none */
static int PlexReadsArgument(const PlexUnit *unit, int k, int *argument)
{
  int open = k - 1;

  *argument = 0;
  if (!(PlexIs(unit, k - 1, "(") || PlexIs(unit, k - 1, ",")) ||
      !(PlexIs(unit, k + 1, ")") || PlexIs(unit, k + 1, ",")))
    return -1;
  for (; open > 0 && !PlexIs(unit, open, "("); --open) {
    if (PlexIs(unit, open, ",")) ++*argument;
    else if (PlexIs(unit, open, "{") || PlexIs(unit, open, "[") || PlexIs(unit, open, ";")) return -1;
    else if (unit->tokens[open].match >= 0) open = unit->tokens[open].match;
  }
  return open > 0 && unit->tokens[open - 1].name >= PLEX_WORDS ? open : -1;
}

static PetscBool PlexReadsIsMember(const PlexUnit *unit, int k)
{
  return (PetscBool)(PlexIs(unit, k - 1, ".") || PlexIs(unit, k - 1, "->"));
}

/* The reader of the function that is called before the `(` open, or -1; and the place of its declaration's
   parameters */
static PetscErrorCode PlexReadsCalled(PlexReadsWalk *w, int open, int *reader)
{
  const int name = w->unit->tokens[open - 1].name;
  int       v, e;

  PetscFunctionBegin;
  *reader = -1;
  if (PlexLocalsHide(&w->locals, name, open - 1) || PlexReadsIsMember(w->unit, open - 1) ||
      PlexFactsIsCopy(w->unit->names[name]))
    PetscFunctionReturn(PETSC_SUCCESS);
  PlexFactsFindCalled(w->r->program, w->u, name, &v, &e);
  if (e >= 0) PetscCall(PlexReadsFunction(w->r, v, e, reader));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the function's parameter is declared a pointer to what it does not change */
static PetscBool PlexReadsIsConstParameter(const PlexReads *r, int reader, int argument)
{
  const PlexUnit        *unit = &r->program->units[r->list[reader].unit];
  const PlexEntity      *e    = &unit->entities[r->list[reader].entity];
  const PlexDeclaration *d    = &unit->declarations[e->declaration];
  int                    tokens[PLEX_READS_PARAMETERS];

  if (argument >= PlexFunctionGetParameters(unit, d, PLEX_READS_PARAMETERS, tokens) ||
      argument >= PLEX_READS_PARAMETERS)
    return PETSC_FALSE;
  for (int k = tokens[argument] < 0 ? d->body : tokens[argument] - 1; k > e->token + 1 && !PlexIs(unit, k, ","); --k)
    if (unit->tokens[k].name == PLEX_WORD_CONST) return PETSC_TRUE;
  return (PetscBool)(tokens[argument] < 0);
}

/* The number that tokens b to end are: a literal, an enumerator of a literal, or numConstants plus one. PETSC_FALSE:
   something else */
static PetscBool PlexReadsIndex(const PlexReadsWalk *w, int b, int end, PetscInt64 *index)
{
  const PlexUnit *unit         = w->unit;
  const int       name         = unit->tokens[b].name,
                  numConstants = w->r->list[w->reader].names[15 + w->r->sizes->jacobian + w->r->sizes->facets];
  PetscInt64      left, right;

  if (b >= end) return PETSC_FALSE;
  if (PlexIs(unit, b, "(") && unit->tokens[b].match == end - 1) return PlexReadsIndex(w, b + 1, end - 1, index);
  if (end - b > 2 && PlexIs(unit, end - 2, "+")) {
    if (!PlexReadsIndex(w, b, end - 2, &left) || !PlexReadsIndex(w, end - 1, end, &right)) return PETSC_FALSE;
    *index = left + right;
    return PETSC_TRUE;
  }
  if (end - b != 1) return PETSC_FALSE;
  if (unit->tokens[b].kind == PLEX_TOKEN_NUMBER) {
    char *behind;

    *index = strtoll(unit->tokens[b].text, &behind, 0);
    return (PetscBool)(behind == unit->tokens[b].text + unit->tokens[b].length);
  }
  if (name < PLEX_WORDS) return PETSC_FALSE;
  if (name == numConstants) {
    for (int k = w->d->body; k < w->d->end; ++k)
      if (unit->tokens[k].name == name &&
          (PlexIsAssignment(unit, k + 1) || PlexIsAssignment(unit, k - 1) || PlexIs(unit, k - 1, "&")))
        return PETSC_FALSE;
    for (int k = 0; k < w->locals.n; ++k) /* declared once more in a block */
      if (w->locals.locals[k].name == name && w->locals.locals[k].from > w->d->body) return PETSC_FALSE;
    *index = w->r->sizes->numConstants;
    return PETSC_TRUE;
  }
  if (PlexLocalsHide(&w->locals, name, b)) return PETSC_FALSE;
  for (int k = w->d->body; k < w->d->end; ++k)
    if (unit->tokens[k].name == PLEX_WORD_ENUM) return PETSC_FALSE; /* its enumerators are no locals here */
  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    int k = unit->entities[e].token;

    if (unit->entities[e].kind != PLEX_ENUMERATOR || PlexIs(unit, k + 1, "=")) continue;
    for (*index = 0; !PlexIs(unit, k, "{"); --k) { /* its place in the enumeration, where none has a value */
      if (PlexIs(unit, k, "=")) return PETSC_FALSE;
      if (PlexIs(unit, k, ",")) ++*index;
    }
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* constants[index] of the pointwise function itself, the index known: notes what it is. Else PETSC_FALSE */
static PetscBool PlexReadsConstant(PlexReadsWalk *w, int k)
{
  const PetscInt n = w->r->sizes->numConstants;
  PetscInt64     index;

  if (!PlexIs(w->unit, k + 1, "[") || !PlexReadsIndex(w, k + 2, w->unit->tokens[k + 1].match, &index))
    return PETSC_FALSE;
  if (index < 0 || index > n + 2) return PETSC_FALSE;
  w->r->constants |= index < n ? PLEX_READS_CONSTANTS : (index < n + 2 ? PLEX_READS_FIELDS : PLEX_READS_VOLUME);
  return PETSC_TRUE;
}

/* Whether what tokens b to end name as a type is made of numbers: no pointers, no unions */
static PetscBool PlexReadsIsPlain(const PlexUnit *unit, int b, int end, int depth)
{
  for (int k = b; k < end; ++k) {
    const int       name = unit->tokens[k].name;
    const PetscBool tag  = (PetscBool)(k > 0 && (unit->tokens[k - 1].name == PLEX_WORD_STRUCT ||
                                                 unit->tokens[k - 1].name == PLEX_WORD_ENUM));

    if (PlexIs(unit, k, "*") || PlexIs(unit, k, "(") || name == PLEX_WORD_UNION || name == PLEX_WORD_POINTER ||
        name == PLEX_WORD_TYPEOF || name == PLEX_WORD_VALIST || name == PLEX_WORD_ATOMIC || depth > 20)
      return PETSC_FALSE;
    if (name < PLEX_WORDS || !strcmp(unit->names[name], "PetscInt64")) continue;
    for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
      const PlexEntity      *entity = &unit->entities[e];
      const PlexDeclaration *d      = &unit->declarations[entity->declaration];

      if (entity->token == k || (entity->kind != PLEX_TYPE && !(tag && entity->kind == PLEX_TAG && entity->defined)))
        continue;
      if (b < d->end && d->begin <= b) continue; /* of this declaration */
      if (entity->kind == PLEX_TYPE && !PlexReadsIsPlain(unit, entity->begin, entity->end, depth + 1))
        return PETSC_FALSE;
      if (!PlexReadsIsPlain(unit, d->begin, d->specifiers, depth + 1)) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Pointers from elsewhere than the arguments, the function's variables and arrays of the file: out of numbers, by way
   of void *, unions, structs and pointers to pointers */
static const char *PlexReadsPointer(const PlexReadsWalk *w, int k)
{
  const PlexUnit *unit  = w->unit;
  const int       close = unit->tokens[k].match, name = unit->tokens[k].name;
  PetscInt64      words;
  int             after;

  if (name == PLEX_WORD_TYPEDEF) return "a type of the function's own";
  if (name == PLEX_WORD_POINTER || name == PLEX_WORD_UNION || name == PLEX_WORD_VALIST || name == PLEX_WORD_ATOMIC)
    return "a pointer to void, or a union";
  if (PlexIs(unit, k, "*") &&
      (PlexIs(unit, k + 1, "*") || (unit->tokens[k + 1].name == PLEX_WORD_CONST && PlexIs(unit, k + 2, "*"))))
    return "a pointer to a pointer";
  if (name >= PLEX_WORDS && !PlexReadsIsMember(unit, k) && !PlexLocalsHide(&w->locals, name, k) &&
      !PlexReadsIsPlain(unit, k, k + 1, 0))
    return "a type with pointers";
  if (!PlexIs(unit, k, "(") || close < 0) return NULL;
  after = PlexParseSpecifiers(unit, k + 1, close, &words);
  if (after == k + 1 || after == close) return NULL;
  /* parameters, sizeof (type) */
  if (unit->tokens[k - 1].name >= PLEX_WORDS || unit->tokens[k - 1].name == PLEX_WORD_SIZEOF ||
      unit->tokens[k - 1].name == PLEX_WORD_FOR)
    return NULL;
  /* a cast of a parameter that is a pointer, which has another name than a type */
  for (int p = 0; p < PetscMin(w->r->list[w->reader].n, PLEX_READS_PARAMETERS); ++p) {
    const int token = w->r->list[w->reader].tokens[p];

    if (w->r->list[w->reader].names[p] != unit->tokens[close + 1].name || token < 0) continue;
    if (PlexIs(unit, token + 1, "[") || PlexIs(unit, token - 1, "*")) return NULL;
  }
  return PlexIs(unit, close + 1, "&") ? NULL : "a pointer that is made by a cast";
}

/* The name of a parameter at token k */
static PetscErrorCode PlexReadsParameter(PlexReadsWalk *w, int k, int parameter)
{
  const PlexUnit *unit   = w->unit;
  const int       before = PlexIs(unit, k - 1, "*") ? k - 2 : k - 1;
  int             open, argument, called = -1;
  const int       constants = 16 + w->r->sizes->jacobian + w->r->sizes->facets;

  PetscFunctionBegin;
  if (PlexIs(unit, k - 1, "&") && !PlexIs(unit, k + 1, "[") && unit->tokens[k - 2].kind != PLEX_TOKEN_NAME &&
      unit->tokens[k - 2].kind != PLEX_TOKEN_NUMBER && !PlexIs(unit, k - 2, ")") && !PlexIs(unit, k - 2, "]"))
    w->r->list[w->reader].why = "the address of a parameter is taken";
  if (w->r->list[w->reader].read[parameter]) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexIs(unit, k - 1, ")") && unit->tokens[k - 2].name == PLEX_WORD_VOID && PlexIs(unit, k - 3, "(") &&
      PlexIs(unit, k + 1, ";"))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexIs(unit, before, "(") && unit->tokens[before - 1].name == PLEX_WORD_SIZEOF && PlexIs(unit, k + 1, ")"))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!w->reader && parameter == constants && PlexReadsConstant(w, k)) PetscFunctionReturn(PETSC_SUCCESS);
  open = PlexReadsArgument(unit, k, &argument);
  if (open >= 0) PetscCall(PlexReadsCalled(w, open, &called));
  if (called >= 0 && w->r->list[called].done && argument < w->r->list[called].n && argument < PLEX_READS_PARAMETERS &&
      !w->r->list[called].read[argument])
    PetscFunctionReturn(PETSC_SUCCESS);
  w->r->list[w->reader].read[parameter] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a struct of the file has an array of that name */
static PetscBool PlexReadsIsArrayMember(const PlexUnit *unit, int name)
{
  for (int m = 0; m < unit->ndeclarations; ++m) {
    const PlexDeclaration *d = &unit->declarations[m];

    for (int k = d->begin; d->body < 0 && k + 1 < d->end; ++k)
      if (unit->tokens[k].name == name && PlexIs(unit, k + 1, "[") && !PlexReadsIsMember(unit, k)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The name of a variable of the file at token k */
static PetscErrorCode PlexReadsVariable(PlexReadsWalk *w, int k, int entity)
{
  const PlexUnit        *unit     = w->unit;
  const PlexEntity      *variable = &unit->entities[entity];
  const PlexDeclaration *d        = &unit->declarations[variable->declaration];
  PlexReader            *reader   = &w->r->list[w->reader];
  int                    before = k - 1, after = k + 1, n = 0, dimensions = 0, member = -1, open, argument, called = -1;

  PetscFunctionBegin;
  for (int t = d->begin; t < d->specifiers; ++t)
    if (unit->tokens[t].name == PLEX_WORD_VOLATILE) reader->why = "a volatile variable";
  if (variable->pointer || !PlexReadsIsPlain(unit, d->begin, d->specifiers, 0)) {
    reader->why = "a pointer in a variable of the file";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (d->isConst && variable->defined) PetscFunctionReturn(PETSC_SUCCESS);
  reader->variables = PETSC_TRUE;
  for (int t = variable->token + 1; PlexIs(unit, t, "["); t = unit->tokens[t].match + 1) ++dimensions;
  while (PETSC_TRUE) { /* out of ((name)[1].member) */
    if (PlexIs(unit, after, "[")) {
      after = unit->tokens[after].match + 1;
      ++n;
      member = -1;
    } else if (PlexIs(unit, after, ".")) {
      member = unit->tokens[after + 1].name;
      after += 2;
    } else if (PlexIs(unit, before, "(") && PlexIs(unit, after, ")") && unit->tokens[before - 1].name < PLEX_WORDS) {
      --before;
      ++after;
    } else break;
  }
  if (PlexIsAssignment(unit, after) || PlexIs(unit, before, "++") || PlexIs(unit, before, "--"))
    reader->why = "a variable of the file is changed";
  if (PlexIs(unit, before, "&") && unit->tokens[before - 1].kind == PLEX_TOKEN_PUNCTUATOR &&
      !PlexIs(unit, before - 1, ")") && !PlexIs(unit, before - 1, "]"))
    reader->why = "the address of a variable of the file is taken";
  if (member >= 0 && PlexReadsIsArrayMember(unit, member))
    reader->why = "the address of a variable of the file is let out";
  if (n >= dimensions || reader->why) PetscFunctionReturn(PETSC_SUCCESS);
  /* the address of an array is let out: to a function that does not change it */
  open = PlexReadsArgument(unit, k, &argument);
  if (open >= 0 && after == k + 1) PetscCall(PlexReadsCalled(w, open, &called));
  reader       = &w->r->list[w->reader]; /* the list may have moved */
  w->r->letOut = PETSC_TRUE;
  if (called < 0 || !PlexReadsIsConstParameter(w->r, called, argument))
    reader->why = "the address of a variable of the file is let out";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name of a function at token k */
static PetscErrorCode PlexReadsCall(PlexReadsWalk *w, int k)
{
  const PlexUnit *unit = w->unit;
  const char     *text = unit->names[unit->tokens[k].name];
  int             v, e, called;
  PlexReader     *reader;

  PetscFunctionBegin;
  if (!PlexIs(unit, k + 1, "(")) {
    w->r->list[w->reader].why = "the address of a function is taken";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (PlexFactsIsCopy(text)) {
    if (PlexIs(unit, k + 2, "&") && PlexIs(unit, k + 4, ","))
      w->r->list[w->reader].why = "bytes are copied into a variable";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!strcmp(text, "PetscLogFlops")) PetscFunctionReturn(PETSC_SUCCESS);
  PlexFactsFindCalled(w->r->program, w->u, unit->tokens[k].name, &v, &e);
  if (e < 0) {
    if (!PlexFactsIsPure(text)) w->r->list[w->reader].why = "it calls a function whose source is not there";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexReadsFunction(w->r, v, e, &called));
  reader = &w->r->list[w->reader];
  /* what it has belongs to a function that is walked */
  if (!w->r->list[called].done) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->r->list[called].why) reader->why = w->r->list[called].why;
  if (w->r->list[called].variables) reader->variables = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The token of a parenthesis that opens the arguments of a call through a pointer: (*f)(x), f[0](x), f(x)(y) */
static PetscBool PlexReadsIsPointerCall(const PlexUnit *unit, int k)
{
  PetscInt64 words;
  int        open;

  if (!PlexIs(unit, k, "(") || !(PlexIs(unit, k - 1, ")") || PlexIs(unit, k - 1, "]"))) return PETSC_FALSE;
  if (PlexIs(unit, k - 1, "]")) return PETSC_TRUE;
  open = unit->tokens[k - 1].match;
  if (PlexParseSpecifiers(unit, open + 1, k - 1, &words) > open + 1) return PETSC_FALSE; /* a cast */
  /* if (...) (...); */
  return (PetscBool)!(unit->tokens[open - 1].name >= 0 && unit->tokens[open - 1].name < PLEX_WORDS);
}

/* Words and marks at token k that need no name */
static void PlexReadsToken(PlexReadsWalk *w, int k)
{
  const PlexUnit *unit   = w->unit;
  PlexReader     *reader = &w->r->list[w->reader];
  PetscInt64      words;

  if (unit->tokens[k].name == PLEX_WORD_STATIC || unit->tokens[k].name == PLEX_WORD_EXTERN) {
    const int after = PlexParseSpecifiers(unit, k, w->d->end, &words);

    if (!(words & ((PetscInt64)1 << PLEX_WORD_CONST)) && unit->tokens[k - 1].name != PLEX_WORD_CONST)
      reader->why = "a variable that keeps its value";
    if (words & ((PetscInt64)1 << PLEX_WORD_EXTERN)) reader->why = "a variable that keeps its value";
    for (int t = after; t < w->d->end && !PlexIs(unit, t, ";"); ++t)
      if (PlexIs(unit, t, "*") && unit->tokens[t + 1].kind == PLEX_TOKEN_NAME) reader->why = "a static pointer";
  }
  if (PlexReadsIsPointerCall(unit, k)) reader->why = "a call through a pointer";
  if (PlexIs(unit, k, "(") && PlexIs(unit, unit->tokens[k].match - 1, "*") &&
      PlexParseSpecifiers(unit, k + 1, unit->tokens[k].match, &words) > k + 1 &&
      !(words & ((PetscInt64)1 << PLEX_WORD_CONST)))
    w->r->casts = PETSC_TRUE;
}

/* One identifier of the body */
static PetscErrorCode PlexReadsName(PlexReadsWalk *w, int k)
{
  const PlexUnit *unit = w->unit;
  const int       name = unit->tokens[k].name;
  int             e;

  PetscFunctionBegin;
  if (name < PLEX_WORDS) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexReadsIsMember(unit, k)) {
    if (PlexIs(unit, k + 1, "(")) w->r->list[w->reader].why = "a call through a pointer";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (unit->tokens[k - 1].name == PLEX_WORD_STRUCT || unit->tokens[k - 1].name == PLEX_WORD_UNION ||
      unit->tokens[k - 1].name == PLEX_WORD_ENUM)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (int p = 0; p < PetscMin(w->r->list[w->reader].n, PLEX_READS_PARAMETERS); ++p)
    if (w->r->list[w->reader].names[p] == name) PetscCall(PlexReadsParameter(w, k, p));
  if (PlexLocalsHide(&w->locals, name, k)) {
    if (PlexIs(unit, k + 1, "(")) w->r->list[w->reader].why = "a call through a pointer";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  e = PlexFind(unit, name, -1, PETSC_FALSE);
  if (e >= 0 && unit->entities[e].kind == PLEX_VARIABLE) PetscCall(PlexReadsVariable(w, k, e));
  else if ((e >= 0 && unit->entities[e].kind == PLEX_FUNCTION) || (e < 0 && PlexIs(unit, k + 1, "(")))
    PetscCall(PlexReadsCall(w, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Walks a function that was not met before. *index: its reader */
static PetscErrorCode PlexReadsFunction(PlexReads *r, int u, int entity, int *index)
{
  const PlexUnit        *unit = &r->program->units[u];
  const PlexDeclaration *d    = &unit->declarations[unit->entities[entity].declaration];
  PlexReadsWalk          w    = {.r = r, .u = u, .unit = unit, .d = d};
  PlexReader            *reader;
  int                    tokens[PLEX_READS_PARAMETERS];

  PetscFunctionBegin;
  for (*index = 0; *index < r->n; ++*index)
    if (r->list[*index].unit == u && r->list[*index].entity == entity) PetscFunctionReturn(PETSC_SUCCESS);
  PlexGrow(r->list, r->allocated, r->n + 1);
  w.reader = r->n++;
  reader   = &r->list[w.reader];
  PetscCall(PetscMemzero(reader, sizeof(*reader)));
  reader->unit   = u;
  reader->entity = entity;
  reader->n      = PlexFunctionGetParameters(unit, d, PLEX_READS_PARAMETERS, tokens);
  PetscCall(PetscArraycpy(reader->tokens, tokens, PLEX_READS_PARAMETERS));
  for (int k = 0; k < PetscMin(reader->n, PLEX_READS_PARAMETERS); ++k)
    reader->names[k] = tokens[k] < 0 ? -1 : unit->tokens[tokens[k]].name;
  if (reader->n > PLEX_READS_PARAMETERS) reader->why = "more parameters than are looked at";
  else reader->why = PlexReadsHidden(unit, d);
  PetscCall(PlexLocalsCreate(unit, d, &w.locals));
  for (int k = unit->entities[entity].token; k < d->end; ++k) {
    const char *why = PlexReadsPointer(&w, k);

    if (why) r->list[w.reader].why = why;
  }
  for (int k = d->body + 1; k < d->end; ++k) {
    PlexReadsToken(&w, k);
    PetscCall(PlexReadsName(&w, k));
  }
  PetscCall(PlexLocalsDestroy(&w.locals));
  r->list[w.reader].done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexReadsScan(PlexProgram program, int u, int entity, const PlexFactsSizes *sizes, unsigned *reads,
                             const char **why)
{
  PlexReads r = {.program = program, .sizes = sizes};
  unsigned  bits[PLEX_FACTS_PARAMETERS];
  const int n = PlexFactsParameters(sizes, bits);
  int       index;

  PetscFunctionBegin;
  *reads = 0;
  PetscCall(PlexReadsFunction(&r, u, entity, &index));
  *why = r.list[0].why;
  if (r.list[0].n != n) *why = "the number of its parameters";
  for (int k = 0; k < r.n && !*why; ++k) { /* also in cycles of calls */
    *why = r.list[k].why;
    if (r.list[k].variables) *reads |= PLEX_READS_VARIABLES;
  }
  if (!*why && r.letOut && r.casts) *why = "the address of a variable of the file is let out";
  for (int k = 0; k < n && !*why; ++k)
    if (r.list[0].read[k]) *reads |= bits[k];
  *reads |= r.constants;
  if (*why) *reads = PLEX_READS_ALL;
  PetscCall(PetscFree(r.list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
