/*
  The device text of pointwise functions in C++: the text of their files, but for line markers and variables. A device
  has variables of its own, with the values that the text gives them at compile time. So

    const T A::c = f();                      f() and the constructors of T become constexpr, and what they call
    static const T c = 3;                    static constexpr T c = 3;
    a variable that may change, double mu;   void mu(plex_variable_that_may_change) = delete;
    static double w; in a function           plex_static_variable_of_a_function double w;

  where the last two do not compile where they are used. Everything else is as the compiler of the program had it.

  A declaration is found as in C: it ends at a `;` outside brackets or at the `}` of a body. Where it cannot be told
  whether T f(x); is a function or a variable, it is one if x is not known as a type, and then cannot be used.
*/
#include "cxx.h"

typedef struct {
  const char *at; /* in the text */
  size_t      n;  /* characters that are replaced */
  char       *by;
} PlexCxxChange;

/* A function with its body */
typedef struct {
  int       begin, name, end; /* tokens */
  PetscBool isConstexpr;
} PlexCxxFunction;

typedef struct {
  PlexCxxText      t;
  PlexCxxChange   *changes;
  int              n, allocated;
  PlexCxxFunction *functions;
  int              nfunctions, allocatedFunctions;
  int             *calls; /* [ncalls] tokens: functions and types that values of constants are made by */
  int              ncalls, allocatedCalls;
} PlexCxxEditor;

/* One declaration of a class or a namespace */
typedef struct {
  int       first;      /* token, with `template <...>` */
  int       begin, end; /* tokens, without `;` */
  int       name;       /* of a variable; or -1 */
  int       init;       /* of its value: `=`, `{` or `(`; end: there is none */
  PetscBool member;     /* of a class */
  PetscBool qualified;  /* A::name */
  PetscBool list;       /* several variables are declared */
  PetscBool isStatic, isConst, isConstexpr, isExtern, isInline;
} PlexCxxVariable;

static PetscErrorCode PlexCxxChangeTokens(PlexCxxEditor *e, int begin, int end, const char by[])
{
  const PlexCxxToken *first = &e->t.tokens[begin], *last = &e->t.tokens[end - 1];

  PetscFunctionBegin;
  PlexGrow(e->changes, e->allocated, e->n + 1);
  e->changes[e->n].at = first->text;
  e->changes[e->n].n  = (size_t)(last->text + last->length - first->text);
  PetscCall(PetscStrallocpy(by, &e->changes[e->n].by));
  ++e->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCxxInsert(PlexCxxEditor *e, int token, const char text[])
{
  PetscFunctionBegin;
  PetscCall(PlexCxxChangeTokens(e, token, token + 1, text));
  e->changes[e->n - 1].n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexCxxIsOneOf(const PlexCxxText *t, int k, const char *const words[])
{
  for (int w = 0; words[w]; ++w)
    if (PlexCxxIs(t, k, words[w])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool PlexCxxIsName(const PlexCxxText *t, int k)
{
  return (PetscBool)(k >= 0 && k < t->n && t->tokens[k].kind == PLEX_TOKEN_NAME);
}

/* The token behind a bracket or a single token */
static int PlexCxxNext(const PlexCxxText *t, int k)
{
  return t->tokens[k].match > k ? t->tokens[k].match + 1 : k + 1;
}

/* The token behind <...> at token k; k where there is no such thing before end */
static int PlexCxxSkipAngles(const PlexCxxText *t, int k, int end)
{
  int depth = 0;

  for (int j = k; j < end; j = PlexCxxNext(t, j)) {
    if (PlexCxxIs(t, j, "<")) ++depth;
    else if (PlexCxxIs(t, j, ">") && !--depth) return j + 1;
    else if (PlexCxxIs(t, j, ";") || PlexCxxIs(t, j, "{")) return k;
    if (!depth) return k;
  }
  return k;
}

static int PlexCxxSkipTo(const PlexCxxText *t, int k, int end, const char what[])
{
  while (k < end && !PlexCxxIs(t, k, what)) k = PlexCxxNext(t, k);
  return k;
}

/* Attributes at token k: [[...]], __attribute__((...)), alignas(...) */
static int PlexCxxSkipAttributes(const PlexCxxText *t, int k, int end)
{
  const char *const words[] = {"__attribute__", "__attribute", "alignas", "__declspec", NULL};

  while (k < end) {
    if (PlexCxxIs(t, k, "[") && PlexCxxIs(t, k + 1, "[")) k = t->tokens[k].match + 1;
    else if (PlexCxxIsOneOf(t, k, words) && PlexCxxIs(t, k + 1, "(")) k = t->tokens[k + 1].match + 1;
    else break;
  }
  return k;
}

/* ------------------------------------------------------------------------------------------------------- functions */

/* Static variables in a function's body, between braces; static functions of a class in it are passed over */
static PetscErrorCode PlexCxxEditBody(PlexCxxEditor *e, int open)
{
  const PlexCxxText *t     = &e->t;
  const char *const good[] = {"const", "constexpr", NULL}, *const stop[] = {"=", ";", "{", "(", NULL};

  PetscFunctionBegin;
  for (int k = open + 1; k < t->tokens[open].match; ++k) {
    const PetscBool local    = PlexCxxIs(t, k, "thread_local");
    PetscBool       constant = PETSC_FALSE;
    int             j;

    if (!local && !PlexCxxIs(t, k, "static")) continue;
    for (j = k + 1; j < t->tokens[open].match && !PlexCxxIsOneOf(t, j, stop); ++j) {
      if (PlexCxxIsOneOf(t, j, good)) constant = PETSC_TRUE;
      if (PlexCxxIs(t, j, "*")) constant = PETSC_FALSE;
    }
    if (PlexCxxIs(t, j, "(")) { /* T f(...) {} or T f(...) const {} */
      j = PlexCxxNext(t, j);
      if (PlexCxxIs(t, j, "const") || PlexCxxIs(t, j, "noexcept")) ++j;
      if (PlexCxxIs(t, j, "{")) constant = PETSC_TRUE;
    }
    if (local || !constant) PetscCall(PlexCxxChangeTokens(e, k, k + 1, "plex_static_variable_of_a_function"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The body `{` of a constructor behind `:` at token k */
static int PlexCxxSkipInitializers(const PlexCxxText *t, int k, int end)
{
  for (++k; k < end;) {
    while (k < end && !PlexCxxIs(t, k, "(") && !PlexCxxIs(t, k, "{")) {
      const int next = PlexCxxSkipAngles(t, k, end);

      k = next > k ? next : k + 1;
    }
    if (k >= end) return end;
    k = t->tokens[k].match + 1;
    if (PlexCxxIs(t, k, ".")) k += 3; /* a pack */
    if (!PlexCxxIs(t, k, ",")) return k;
    ++k;
  }
  return end;
}

/* Whether (x) behind a name has the value of a variable rather than a function's parameters */
static PetscBool PlexCxxIsValue(const PlexCxxText *t, int open)
{
  const char *const types[]  = {"void",   "bool",     "char",      "short",       "int",       "long",
                                "float",  "double",   "signed",    "unsigned",    "const",     "struct",
                                "class",  "enum",     "union",     "auto",        "volatile",  "typename",
                                "size_t", "PetscInt", "PetscReal", "PetscScalar", "PetscBool", NULL};
  const char *const values[] = {"true", "false", "nullptr", "sizeof", "-", "&", "+", "!", "{", NULL};
  const char *const before[] = {"class", "struct", "union", "enum", "typename", "using", NULL};
  const int         k = open + 1, close = t->tokens[open].match;

  if (k == close) return PETSC_FALSE;
  if (t->tokens[k].kind != PLEX_TOKEN_NAME)
    return (PetscBool)(t->tokens[k].kind != PLEX_TOKEN_PUNCTUATOR || PlexCxxIsOneOf(t, k, values));
  if (PlexCxxIsOneOf(t, k, values)) return PETSC_TRUE;
  if (PlexCxxIsOneOf(t, k, types) || !(PlexCxxIs(t, k + 1, ",") || k + 1 == close)) {
    /* Type name, Type *, ns::Type ...; an expression has another sign behind its first name */
    const char *const signs[] = {"+", "-", "/", "(", ".", "->", "?", NULL};

    return (PetscBool)(!PlexCxxIsOneOf(t, k, types) && PlexCxxIsOneOf(t, k + 1, signs));
  }
  for (int j = 1; j < t->n; ++j) {
    if (t->tokens[j].length != t->tokens[k].length ||
        strncmp(t->tokens[j].text, t->tokens[k].text, (size_t)t->tokens[k].length))
      continue;
    if (PlexCxxIsOneOf(t, j - 1, before)) return PETSC_FALSE;
    if (PlexCxxIs(t, j + 1, ";")) { /* the name of a typedef */
      for (int b = j; b >= 0 && !PlexCxxIs(t, b, ";") && !PlexCxxIs(t, b, "{"); --b)
        if (PlexCxxIs(t, b, "typedef")) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* ------------------------------------------------------------------------------------------------------- variables */

/* The words before a variable's name. A type in angles is not looked into; a pointer is constant by what follows
   `*`. */
static void PlexCxxSpecifiers(const PlexCxxText *t, PlexCxxVariable *v)
{
  for (int k = v->begin; k < v->name;) {
    const int next = PlexCxxSkipAngles(t, k, v->name);

    if (next > k) {
      k = next;
      continue;
    }
    if (PlexCxxIs(t, k, "static")) v->isStatic = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "thread_local")) v->isStatic = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "const")) v->isConst = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "constexpr")) v->isConstexpr = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "extern")) v->isExtern = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "inline")) v->isInline = PETSC_TRUE;
    else if (PlexCxxIs(t, k, "*")) v->isConst = PETSC_FALSE;
    else if (PlexCxxIs(t, k, "&")) v->isConst = PETSC_TRUE; /* a reference stays what it is */
    k = PlexCxxNext(t, k);
  }
  if (v->isConstexpr) v->isConst = PETSC_TRUE;
  v->qualified = (PetscBool)(v->name > v->begin && PlexCxxIs(t, v->name - 1, "::"));
}

/* A variable that may change: its name cannot be used. Of A::name, what the class says is enough. */
static PetscErrorCode PlexCxxForbid(PlexCxxEditor *e, const PlexCxxVariable *v)
{
  const PlexCxxText *t    = &e->t;
  PlexText           text = {NULL, 0, 0};

  PetscFunctionBegin;
  for (int k = v->name; !v->qualified && k < v->end;) {
    PetscCall(PlexTextPrintf(&text, "%s%svoid %.*s(plex_variable_that_may_change) = delete", k == v->name ? "" : "; ",
                             v->member ? "static " : "", t->tokens[k].length, t->tokens[k].text));
    k = v->list ? PlexCxxSkipTo(t, k, v->end, ",") + 1 : v->end;
    while (k < v->end && (PlexCxxIs(t, k, "*") || PlexCxxIs(t, k, "&") || PlexCxxIs(t, k, "const"))) ++k;
  }
  for (const char *p = t->tokens[v->first].text; p < t->tokens[v->end].text; ++p)
    if (*p == '\n') PetscCall(PlexTextAppend(&text, "\n", 1));
  PetscCall(PlexTextAppend(&text, "", 0));
  PetscCall(PlexCxxChangeTokens(e, v->qualified ? v->first : v->begin, v->end, text.text ? text.text : ""));
  PetscCall(PetscFree(text.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexCxxSame(const PlexCxxText *t, int a, int b)
{
  return (PetscBool)(t->tokens[a].length == t->tokens[b].length &&
                     !strncmp(t->tokens[a].text, t->tokens[b].text, (size_t)t->tokens[a].length));
}

static PetscErrorCode PlexCxxAddCall(PlexCxxEditor *e, int name)
{
  PetscFunctionBegin;
  for (int k = 0; k < e->ncalls; ++k)
    if (PlexCxxSame(&e->t, e->calls[k], name)) PetscFunctionReturn(PETSC_SUCCESS);
  PlexGrow(e->calls, e->allocatedCalls, e->ncalls + 1);
  e->calls[e->ncalls++] = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that is called from token k to end: f(...), f<...>(...), T{...} */
static PetscErrorCode PlexCxxAddCalls(PlexCxxEditor *e, int k, int end)
{
  PetscFunctionBegin;
  for (; k < end; ++k) {
    const int next = PlexCxxIs(&e->t, k + 1, "<") ? PlexCxxSkipAngles(&e->t, k + 1, end) : k + 1;

    if (PlexCxxIsName(&e->t, k) && (PlexCxxIs(&e->t, next, "(") || PlexCxxIs(&e->t, next, "{")))
      PetscCall(PlexCxxAddCall(e, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the value of a constant is made by; T name, T name(...) and T name{...} call a constructor */
static PetscErrorCode PlexCxxAddConstant(PlexCxxEditor *e, const PlexCxxVariable *v)
{
  PetscFunctionBegin;
  for (int k = v->begin; k < v->name && !PlexCxxIs(&e->t, v->init, "="); ++k)
    if (PlexCxxIsName(&e->t, k)) PetscCall(PlexCxxAddCall(e, k));
  PetscCall(PlexCxxAddCalls(e, v->init, v->end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions that values of constants are made by become constexpr, as NVRTC computes them where it compiles */
static PetscErrorCode PlexCxxEditCalled(PlexCxxEditor *e)
{
  PetscFunctionBegin;
  for (int c = 0; c < e->ncalls; ++c) {
    for (int k = 0; k < e->nfunctions; ++k) {
      PlexCxxFunction *f = &e->functions[k];

      if (f->isConstexpr || !PlexCxxSame(&e->t, f->name, e->calls[c])) continue;
      f->isConstexpr = PETSC_TRUE;
      PetscCall(PlexCxxInsert(e, f->begin, "constexpr "));
      PetscCall(PlexCxxAddCalls(e, f->name + 1, f->end));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCxxAddFunction(PlexCxxEditor *e, int begin, int name, int open)
{
  PlexCxxFunction f = {.begin = begin, .name = name, .end = e->t.tokens[open].match};

  PetscFunctionBegin;
  for (int k = begin; k < name; ++k)
    if (PlexCxxIs(&e->t, k, "constexpr") || PlexCxxIs(&e->t, k, "consteval")) f.isConstexpr = PETSC_TRUE;
  PlexGrow(e->functions, e->allocatedFunctions, e->nfunctions + 1);
  e->functions[e->nfunctions++] = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether one of the names of a declaration is that of a pointer or a reference */
static PetscBool PlexCxxHasPointer(const PlexCxxText *t, const PlexCxxVariable *v)
{
  for (int k = v->begin; k < v->name; ++k)
    if (PlexCxxIs(t, k, "*") || PlexCxxIs(t, k, "&") || PlexCxxIs(t, k, "(")) return PETSC_TRUE;
  for (int k = v->name; k < v->end; k = PlexCxxNext(t, k))
    if (PlexCxxIs(t, k, ",") && (PlexCxxIs(t, k + 1, "*") || PlexCxxIs(t, k + 1, "&"))) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode PlexCxxEditVariable(PlexCxxEditor *e, PlexCxxVariable *v)
{
  const PlexCxxText *t = &e->t;

  PetscFunctionBegin;
  if (v->name <= v->begin) PetscFunctionReturn(PETSC_SUCCESS);
  PlexCxxSpecifiers(t, v);
  if (v->member && !v->isStatic) PetscFunctionReturn(PETSC_SUCCESS); /* of each object */
  if (!v->isConst) {
    PetscCall(PlexCxxForbid(e, v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (v->isConstexpr) PetscFunctionReturn(PETSC_SUCCESS);
  if (!v->qualified && PlexCxxIs(t, v->init, "=") && !PlexCxxHasPointer(t, v))
    for (int k = v->begin; k < v->name; ++k)
      if (PlexCxxIs(t, k, "const")) PetscCall(PlexCxxChangeTokens(e, k, k + 1, "constexpr"));
  if (!v->isExtern || v->init < v->end) PetscCall(PlexCxxAddConstant(e, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---------------------------------------------------------------------------------------------------- declarations */

/* The name of a pointer to a function, T (*name)(...), whose first parenthesis is at k; -1 where that is no such */
static int PlexCxxPointerName(const PlexCxxText *t, int k)
{
  int j = k + 1;

  if (!PlexCxxIs(t, j, "*")) return -1;
  while (PlexCxxIs(t, j, "*") || PlexCxxIs(t, j, "const")) ++j;
  return PlexCxxIsName(t, j) ? j : -1;
}

/* Whether tokens k to name, `class A::B`, say no more than that there is a class or an enumeration */
static PetscBool PlexCxxOnlyNames(const PlexCxxText *t, int k, int name)
{
  const char *const tags[] = {"class", "struct", "union", "enum", NULL};

  if (!PlexCxxIsOneOf(t, k, tags)) return PETSC_FALSE;
  while (PlexCxxIsOneOf(t, k, tags)) ++k;
  for (; k < name; ++k)
    if (!PlexCxxIs(t, k, "::") && !PlexCxxIs(t, k + 1, "::")) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* One declaration from token k on, which is no class, template or namespace. Returns the token behind it. */
static PetscErrorCode PlexCxxEditDeclaration(PlexCxxEditor *e, int first, int k, int end, PetscBool member, int *behind)
{
  const char *const  tags[]   = {"class", "struct", "union", "enum", NULL};
  const char *const  notes[]  = {"decltype", "noexcept", "explicit", "throw", "requires", NULL};
  const PlexCxxText *t        = &e->t;
  PlexCxxVariable    v        = {.first = first, .begin = k, .name = -1, .init = -1, .member = member};
  PetscBool          function = PETSC_FALSE, tag = PETSC_FALSE;
  int                j = k, name = -1; /* of a function */

  PetscFunctionBegin;
  while (j < end && !PlexCxxIs(t, j, ";")) {
    const int skipped = PlexCxxSkipAttributes(t, j, end);

    if (skipped > j) {
      j = skipped;
      continue;
    }
    if (PlexCxxIs(t, j, "operator")) {
      function = PETSC_TRUE;
      while (j + 1 < end && !PlexCxxIs(t, j + 1, "(")) ++j;
      if (PlexCxxIs(t, j + 3, "(")) j += 2; /* operator()(...) */
      ++j;
      continue;
    }
    if (PlexCxxIsOneOf(t, j, tags)) tag = PETSC_TRUE;
    if (PlexCxxIsOneOf(t, j, notes) && PlexCxxIs(t, j + 1, "(")) {
      j = t->tokens[j + 1].match + 1;
      continue;
    }
    if (PlexCxxIs(t, j, "<") && PlexCxxIsName(t, j - 1) && v.init < 0 && PlexCxxSkipAngles(t, j, end) > j) {
      j = PlexCxxSkipAngles(t, j, end);
      continue;
    }
    if (PlexCxxIs(t, j, "(") && v.init < 0 && !function) {
      const int pointer = PlexCxxPointerName(t, j), after = t->tokens[j].match + 1;

      if (pointer >= 0 && v.name < 0 && PlexCxxIs(t, after, "(")) {
        v.name = pointer;
        j      = t->tokens[after].match + 1;
        continue;
      }
      if (j > k + 1 && PlexCxxIsName(t, j - 1) && !member && (PlexCxxIs(t, after, ";") || PlexCxxIs(t, after, ",")) &&
          PlexCxxIsValue(t, j)) {
        v.name = v.name < 0 ? j - 1 : v.name;
        v.init = j;
      } else if (v.name < 0) {
        function = PETSC_TRUE;
        name     = j - 1;
      }
    } else if (PlexCxxIs(t, j, ":") && function) {
      j = PlexCxxSkipInitializers(t, j, end);
      continue;
    } else if (PlexCxxIs(t, j, "{") && function && v.init < 0) {
      PetscCall(PlexCxxEditBody(e, j));
      if (PlexCxxIsName(t, name)) PetscCall(PlexCxxAddFunction(e, k, name, j));
      *behind = t->tokens[j].match + 1;
      PetscFunctionReturn(PETSC_SUCCESS);
    } else if (PlexCxxIs(t, j, "{") && tag && v.name < 0) {
      tag = PETSC_FALSE; /* struct {...} name */
    } else if (!function && v.init < 0 && (PlexCxxIs(t, j, "=") || PlexCxxIs(t, j, "{"))) {
      if (v.name < 0) v.name = j - 1;
      v.init = j;
    } else if (!function && PlexCxxIs(t, j, "[")) {
      if (v.name < 0) v.name = j - 1;
    } else if (!function && PlexCxxIs(t, j, ",")) {
      if (v.name < 0) v.name = j - 1;
      v.list = PETSC_TRUE;
    } else if (!function && !tag && PlexCxxIs(t, j, ":") && v.name < 0) v.name = j - 1; /* bits */
    j = PlexCxxNext(t, j);
  }
  *behind = j + 1;
  if (function) PetscFunctionReturn(PETSC_SUCCESS);
  if (v.name < 0) v.name = j - 1;
  v.end = j;
  if (v.init < 0) v.init = j;
  if (PlexCxxIsName(t, v.name) && !PlexCxxOnlyNames(t, k, v.name)) PetscCall(PlexCxxEditVariable(e, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The `{` of a class from its first word at token k on; -1 where it is only named */
static int PlexCxxFindClass(const PlexCxxText *t, int k, int end)
{
  for (++k; k < end; k = PlexCxxNext(t, k)) {
    const int skipped = PlexCxxSkipAttributes(t, k, end), angles = PlexCxxSkipAngles(t, k, end);

    if (PlexCxxIs(t, k, "{")) return k;
    if (PlexCxxIs(t, k, ";") || PlexCxxIs(t, k, "=") || PlexCxxIs(t, k, "(")) return -1;
    if (skipped > k) k = skipped - 1;
    else if (PlexCxxIs(t, k, "<") && angles > k) k = angles - 1;
  }
  return -1;
}

/* The declarations of a namespace or a class, tokens k to end */
static PetscErrorCode PlexCxxEditScope(PlexCxxEditor *e, int k, int end, PetscBool member)
{
  const char *const  skip[]   = {"using", "typedef", "static_assert", "_Static_assert", "asm", "concept", NULL};
  const char *const  access[] = {"public", "private", "protected", NULL};
  const char *const  tags[]   = {"class", "struct", "union", NULL};
  const PlexCxxText *t        = &e->t;
  int                first    = k; /* with `template <...>` */

  PetscFunctionBegin;
  while (k < end) {
    const int attributes = PlexCxxSkipAttributes(t, k, end);
    int       open;

    if (attributes > k) k = attributes;
    else if (PlexCxxIs(t, k, "template")) {
      const int angles = PlexCxxSkipAngles(t, k + 1, end);

      k = angles > k + 1 ? angles : k + 1;
      continue; /* the same declaration */
    } else if (PlexCxxIs(t, k, "friend") || (PlexCxxIs(t, k, "extern") && t->tokens[k + 1].kind == PLEX_TOKEN_STRING)) {
      k += PlexCxxIs(t, k, "friend") ? 1 : 2;
      if (PlexCxxIs(t, k, "{")) {
        PetscCall(PlexCxxEditScope(e, k + 1, t->tokens[k].match, member));
        k = t->tokens[k].match + 1;
      }
    } else if (PlexCxxIs(t, k, ";")) ++k;
    else if (PlexCxxIs(t, k, "inline") && PlexCxxIs(t, k + 1, "namespace")) ++k;
    else if (PlexCxxIs(t, k, "namespace")) {
      while (k < end && !PlexCxxIs(t, k, "{") && !PlexCxxIs(t, k, ";")) ++k;
      if (PlexCxxIs(t, k, "{")) PetscCall(PlexCxxEditScope(e, k + 1, t->tokens[k].match, PETSC_FALSE));
      k = PlexCxxNext(t, k);
    } else if (PlexCxxIsOneOf(t, k, access) && PlexCxxIs(t, k + 1, ":")) k += 2;
    else if (PlexCxxIsOneOf(t, k, skip)) k = PlexCxxSkipTo(t, k, end, ";") + 1;
    else if (PlexCxxIsOneOf(t, k, tags) && (open = PlexCxxFindClass(t, k, end)) >= 0) {
      PetscCall(PlexCxxEditScope(e, open + 1, t->tokens[open].match, PETSC_TRUE));
      if (PlexCxxIs(t, t->tokens[open].match + 1, ";")) k = t->tokens[open].match + 2;
      else PetscCall(PlexCxxEditDeclaration(e, first, k, end, member, &k)); /* struct {...} name */
    } else PetscCall(PlexCxxEditDeclaration(e, first, k, end, member, &k));
    first = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------- text */

static int PlexCxxCompareChanges(const void *a, const void *b)
{
  const PlexCxxChange *x = (const PlexCxxChange *)a, *y = (const PlexCxxChange *)b;

  return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->n < y->n) - (x->n > y->n);
}

/* Line markers of the preprocessor as #line; edited: PetscFree() it */
static PetscErrorCode PlexCxxEditMarkers(const char text[], PlexText *edited)
{
  PetscFunctionBegin;
  for (const char *p = text; *p;) {
    const size_t n = strcspn(p, "\n");
    char         file[PETSC_MAX_PATH_LEN];
    int          line;

    if (sscanf(p, "# %d \"%4000[^\"\n]\"", &line, file) == 2) {
      if (line > 0) PetscCall(PlexTextPrintf(edited, "#line %d \"%s\"\n", line, file));
    } else {
      PetscCall(PlexTextAppend(edited, p, n));
      PetscCall(PlexTextAppend(edited, "\n", 1));
    }
    p += n + (p[n] == '\n');
  }
  PetscCall(PlexTextAppend(edited, "\n", 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCxxEditAll(PlexCxxEditor *e, PlexText *edited)
{
  const char *from = e->t.text;

  PetscFunctionBegin;
  PetscCall(PlexCxxEditScope(e, 0, e->t.n, PETSC_FALSE));
  PetscCall(PlexCxxEditCalled(e));
  qsort(e->changes, (size_t)e->n, sizeof(*e->changes), PlexCxxCompareChanges);
  for (int k = 0; k < e->n; ++k) {
    if (e->changes[k].at < from) continue; /* inside of another */
    PetscCall(PlexTextAppend(edited, from, (size_t)(e->changes[k].at - from)));
    PetscCall(PlexTextAppend(edited, e->changes[k].by, strlen(e->changes[k].by)));
    from = e->changes[k].at + e->changes[k].n;
  }
  PetscCall(PlexTextAppend(edited, from, strlen(from)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device text of a preprocessed text, PetscFree() it */
PetscErrorCode PlexCxxEdit(const char text[], char **edited)
{
  PlexText       lines = {NULL, 0, 0}, out = {NULL, 0, 0};
  PlexCxxEditor  e;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&e, sizeof(e)));
  PetscCall(PlexCxxEditMarkers(text, &lines));
  ierr = PlexCxxTokenize(lines.text, &e.t);
  if (!ierr) ierr = PlexCxxEditAll(&e, &out);
  for (int k = 0; k < e.n; ++k) PetscCall(PetscFree(e.changes[k].by));
  PetscCall(PetscFree(e.changes));
  PetscCall(PetscFree(e.calls));
  PetscCall(PetscFree(e.functions));
  PetscCall(PlexCxxTextDestroy(&e.t));
  PetscCall(PetscFree(lines.text));
  *edited = out.text;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes a device text. single: `double` is PetscReal, and 0.5 is 0.5f */
PetscErrorCode PlexCxxWrite(const char text[], PetscBool single, FILE *out)
{
  PlexCxxText t;
  const char *from = text;

  PetscFunctionBegin;
  fprintf(out, "\n#include \"cxx.cuh\"\n");
  if (!single) {
    fprintf(out, "%s", text);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexCxxTokenize(text, &t));
  fprintf(out, "#define double PetscReal\n");
  for (int k = 0; k < t.n; ++k) {
    const PlexCxxToken *token = &t.tokens[k];
    const char         *end   = token->text + token->length;
    const PetscBool     hex   = (PetscBool)(token->length > 1 && (token->text[1] == 'x' || token->text[1] == 'X'));
    PetscBool           real  = PETSC_FALSE;

    if (token->kind != PLEX_TOKEN_NUMBER || hex || strchr("fFlL", end[-1])) continue;
    for (int c = 0; c < token->length; ++c) real = (PetscBool)(real || strchr(".eE", token->text[c]));
    if (!real) continue;
    fprintf(out, "%.*sf", (int)(end - from), from);
    from = end;
  }
  fprintf(out, "%s\n#undef double\n", from);
  PetscCall(PlexCxxTextDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
