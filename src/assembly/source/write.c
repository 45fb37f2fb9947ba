/*
  The kept declarations as device source: in the order of the application's files, with #line, so that a compiler's
  messages name the user's file and line. Where C and device code differ:

    functions             static and __device__, whatever they were; those that the kernel calls are always inlined
    enum                  as in C an int, with its enumerators apart: enum { A, B }; typedef int Kind;
    constants of a file   __device__
    mirrored variables    typedef const <type> plex_type_NAME; plex_variable_NAME is its place in plex_variables[]
    single precision      double is PetscReal, as on the host both are the same, and 0.5 is PetscReal(0.5); what is
                          mirrored as it is keeps double
    several files         of two different things with one name, the later gets the number of its file behind its name:
                          f0_u_plex1
*/
#include "source.h"

typedef struct {
  FILE           *out;
  PlexExtract     x;
  int             u;
  const PlexUnit *unit;
  PetscBool       single, host;           /* host: the declaration keeps the host's layout */
  PetscBool       fixed;                  /* a function's first parameters become constants */
  int             file, line;             /* where the text is now; -1: nowhere yet */
  int             parameters[PLEX_FIXED]; /* tokens of those names, -1 */
} PlexWriter;

/* Blanks and lines up to a token's place */
static void PlexWritePlace(PlexWriter *w, const PlexToken *token)
{
  const int lines = token->line - w->line;

  if (w->file == token->file && lines > 0 && lines < 4) {
    for (int k = 0; k < lines; ++k) fputc('\n', w->out);
  } else if (w->file != token->file || lines)
    fprintf(w->out, "\n#line %d \"%s\"\n", token->line, w->unit->files[token->file]);
  fprintf(w->out, "%*s", w->file == token->file && !lines ? !!token->space : token->space, "");
  w->file = token->file;
  w->line = token->line;
}

static void PlexWriteName(PlexWriter *w, const char before[], int name)
{
  const PetscBool clashes = PlexNameClashes(w->x->program, w->u, name);

  fprintf(w->out, "%s%s", before, w->unit->names[name]);
  if (clashes) fprintf(w->out, "_plex%d", w->u);
}

/* A number that is a double: 1. or 1e-3, but not 1, 1.f, 0x1e */
static PetscBool PlexIsDouble(const PlexToken *token)
{
  const PetscBool hex  = (PetscBool)(token->length > 2 && (token->text[1] == 'x' || token->text[1] == 'X'));
  PetscBool       real = PETSC_FALSE;

  if (token->kind != PLEX_TOKEN_NUMBER || strchr(hex ? "lL" : "fFlL", token->text[token->length - 1]))
    return PETSC_FALSE;
  for (int k = 0; k < token->length; ++k)
    if (strchr(hex ? ".pP" : ".eE", token->text[k])) real = PETSC_TRUE;
  return real;
}

/* A token's text, behind its place */
static void PlexWriteToken(PlexWriter *w, int k)
{
  const PlexToken *token = &w->unit->tokens[k];

  PlexWritePlace(w, token);
  if (token->use == PLEX_USE_VARIABLE) PlexWriteName(w, "plex_variable_", token->name);
  else if (token->use == PLEX_USE_GLOBAL) PlexWriteName(w, "", token->name);
  else if (w->single && !w->host && token->name == PLEX_WORD_DOUBLE &&
           w->unit->tokens[k - (k > 0)].name != PLEX_WORD_LONG)
    fputs("PetscReal", w->out);
  else if (w->single && w->host && (PlexIs(w->unit, k, "PetscReal") || PlexIs(w->unit, k, "PetscScalar")))
    fputs("double", w->out);
  else if (w->single && !w->host && PlexIsDouble(token)) fprintf(w->out, "PetscReal(%.*s)", token->length, token->text);
  else fwrite(token->text, 1, (size_t)token->length, w->out);
}

/* Whether the parenthesis at token k is that of a literal of a type: (T){...} */
static PetscBool PlexIsLiteral(const PlexUnit *unit, int k)
{
  PetscInt64 words;

  if (!PlexIs(unit, k, "(") || !PlexIs(unit, unit->tokens[k].match + 1, "{") ||
      unit->tokens[k - (k > 0)].kind == PLEX_TOKEN_NAME)
    return PETSC_FALSE;
  return (PetscBool)(PlexParseSpecifiers(unit, k + 1, unit->tokens[k].match, &words) > k + 1);
}

/* Tokens b to end; enumerations become int. hoisted: their enumerators have been written before, else they are here */
static void PlexWriteTokens(PlexWriter *w, int b, int end, PetscBool hoisted)
{
  for (int k = b; k < end; ++k) {
    PetscBool argument = PETSC_FALSE;

    if (w->unit->tokens[k].name == PLEX_WORD_ENUM) {
      int after = k + 1;

      if (w->unit->tokens[after].kind == PLEX_TOKEN_NAME) ++after;
      if (PlexIs(w->unit, after, "{") && !hoisted) {
        PlexWriteToken(w, k);
        for (int e = after; e <= w->unit->tokens[after].match; ++e) PlexWriteToken(w, e);
        fputs("; int", w->out);
      } else {
        PlexWritePlace(w, &w->unit->tokens[k]);
        fputs("int", w->out);
      }
      k = PlexIs(w->unit, after, "{") ? w->unit->tokens[after].match : after - 1;
      continue;
    }
    if (PlexIsLiteral(w->unit, k)) {
      PlexWritePlace(w, &w->unit->tokens[k]);
      fputs("plex_literal<", w->out);
      PlexWriteTokens(w, k + 1, w->unit->tokens[k].match, hoisted);
      fputc('>', w->out);
      k = w->unit->tokens[k].match;
      continue;
    }
    for (int p = 0; w->fixed && p < PLEX_FIXED; ++p) argument = (PetscBool)(argument || w->parameters[p] == k);
    if (argument) {
      PlexWritePlace(w, &w->unit->tokens[k]);
      fprintf(w->out, "plex_argument_%.*s", w->unit->tokens[k].length, w->unit->tokens[k].text);
    } else PlexWriteToken(w, k);
  }
}

/* The enumerators of tokens b to end */
static void PlexWriteEnumerators(PlexWriter *w, int b, int end)
{
  for (int k = b; k < end; ++k) {
    int open = k + 1;

    if (w->unit->tokens[k].name != PLEX_WORD_ENUM) continue;
    if (w->unit->tokens[open].kind == PLEX_TOKEN_NAME) ++open;
    if (!PlexIs(w->unit, open, "{")) continue;
    PlexWriteToken(w, k);
    for (int e = open; e <= w->unit->tokens[open].match; ++e) PlexWriteToken(w, e);
    fputs("; ", w->out);
    k = w->unit->tokens[open].match;
  }
}

/* Specifiers without those that say where and how long a thing is there */
static void PlexWriteSpecifiers(PlexWriter *w, int b, int end)
{
  for (int k = b; k < end;) {
    const int name = w->unit->tokens[k].name;
    int       next = k + 1;

    if (name == PLEX_WORD_STRUCT || name == PLEX_WORD_UNION || name == PLEX_WORD_ENUM) next = end;
    if (name != PLEX_WORD_STATIC && name != PLEX_WORD_EXTERN && name != PLEX_WORD_INLINE && name != PLEX_WORD_THREAD &&
        name != PLEX_WORD_THREAD2)
      PlexWriteTokens(w, k, next, PETSC_TRUE);
    k = next;
  }
}

static PetscErrorCode PlexWriteFunction(PlexWriter *w, const PlexDeclaration *d)
{
  const char *const values[] = {"PLEX_DIM", "PLEX_NF", "0", "plex_uOff", "plex_uOff_x"};
  const char *const types[]  = {"PetscInt ", "PetscInt ", "PetscInt ", "auto &", "auto &"};
  const PetscBool   wanted   = (PetscBool)w->x->marks[w->u][d - w->unit->declarations].wanted;
  int               names[PLEX_FIXED];

  PetscFunctionBegin;
  if (d->body >= 0) PetscCall(PlexCheckLocals(w->unit, d, wanted, names, &w->fixed));
  if (w->fixed) PlexFunctionGetParameters(w->unit, d, PLEX_FIXED, w->parameters);
  for (int p = 0; w->fixed && p < PLEX_FIXED; ++p)
    if (names[p] < 0) w->parameters[p] = -1;
  PlexWritePlace(w, &w->unit->tokens[d->begin]);
  fputs(wanted ? "PLEX_DEVICE" : "PLEX_FUNCTION", w->out);
  fputc(' ', w->out);
  PlexWriteSpecifiers(w, d->begin, d->specifiers);
  if (d->body >= 0) {
    PlexWriteTokens(w, d->specifiers, d->body + 1, PETSC_FALSE);
    for (int p = 0; w->fixed && p < PLEX_FIXED; ++p)
      if (names[p] >= 0) fprintf(w->out, " constexpr %s%s = %s;", types[p], w->unit->names[names[p]], values[p]);
    w->fixed = PETSC_FALSE;
    PlexWriteTokens(w, d->body + 1, d->end, PETSC_FALSE);
  } else PlexWriteTokens(w, d->specifiers, d->end, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of a mirrored variable, and where it is */
static void PlexWriteVariable(PlexWriter *w, const PlexVariable *variable)
{
  const PlexEntity      *entity = &w->unit->entities[variable->entity];
  const PlexDeclaration *d      = &w->unit->declarations[entity->declaration];

  w->host = (PetscBool)!variable->real;
  fputs("\ntypedef const ", w->out);
  for (int k = d->begin; k < d->specifiers; ++k)
    if (w->unit->tokens[k].name != PLEX_WORD_CONST) {
      int next = k + 1;

      if (w->unit->tokens[k].name == PLEX_WORD_STRUCT || w->unit->tokens[k].name == PLEX_WORD_UNION ||
          w->unit->tokens[k].name == PLEX_WORD_ENUM)
        next = d->specifiers;
      PlexWriteSpecifiers(w, k, next);
      k = next - 1;
    }
  fputc(' ', w->out);
  for (int k = entity->begin; k < entity->end; ++k) {
    if (k == entity->token) {
      PlexWritePlace(w, &w->unit->tokens[k]);
      PlexWriteName(w, "plex_type_", entity->name);
    } else PlexWriteToken(w, k);
  }
  fputs(";\n#define ", w->out);
  PlexWriteName(w, "plex_variable_", entity->name);
  fputs(" (*(", w->out);
  PlexWriteName(w, "plex_type_", entity->name);
  fprintf(w->out, " *)(plex_variables + %zu))\n", variable->offset);
  w->line = w->file = -1;
}

/* A constant of the file */
static void PlexWriteConstant(PlexWriter *w, const PlexDeclaration *d, const PlexEntity *entity)
{
  fputs("\nstatic __device__ ", w->out);
  if (!d->isConst) fputs("const ", w->out);
  PlexWriteSpecifiers(w, d->begin, d->specifiers);
  fputc(' ', w->out);
  PlexWriteTokens(w, entity->begin, entity->end, PETSC_TRUE);
  if (entity->defined) PlexWriteTokens(w, entity->end, PlexSkipInitializer(w->unit, entity->end, d->end), PETSC_TRUE);
  else fputs(" = {}", w->out);
  fputc(';', w->out);
}

/* Types, constants, mirrored variables */
static void PlexWriteOther(PlexWriter *w, int declaration)
{
  const PlexDeclaration *d        = &w->unit->declarations[declaration];
  PetscBool              variable = PETSC_FALSE, declares = PETSC_FALSE, written = PETSC_FALSE;

  PlexWriteEnumerators(w, d->begin, d->specifiers);
  for (int v = 0; v < w->x->nvariables; ++v) {
    if (w->x->variables[v].unit != w->u || w->unit->entities[w->x->variables[v].entity].declaration != declaration)
      continue;
    PlexWriteVariable(w, &w->x->variables[v]);
    written = PETSC_TRUE;
  }
  w->host = (PetscBool)w->x->marks[w->u][declaration].host;
  for (int e = d->entities; e < d->entities + d->nentities; ++e) {
    const PlexEntity *entity = &w->unit->entities[e];

    if (entity->kind == PLEX_VARIABLE) variable = PETSC_TRUE;
    if (entity->kind == PLEX_TYPE) declares = PETSC_TRUE;
    if (entity->kind != PLEX_VARIABLE || !PlexExtractIsConstant(w->x, w->u, e)) continue;
    PlexWriteConstant(w, d, entity);
    written = PETSC_TRUE;
  }
  /* reached for the struct that is defined along with it */
  if (variable && !written && PlexIs(w->unit, d->specifiers - 1, "}")) {
    PlexWriteSpecifiers(w, d->begin, d->specifiers);
    fputc(';', w->out);
  }
  /* enumerators without a type's name are all there is */
  if (variable || (!declares && w->unit->tokens[d->begin].name == PLEX_WORD_ENUM)) return;
  PlexWriteTokens(w, d->begin, d->end, PETSC_TRUE);
}

/* Whether a file before this one had the same declaration, from a header that both include */
static PetscBool PlexIsWritten(PlexExtract x, int u, int declaration)
{
  const PlexUnit        *unit  = &x->program->units[u];
  const PlexDeclaration *d     = &unit->declarations[declaration];
  const PlexToken       *first = &unit->tokens[d->begin];

  for (int v = 0; v < u; ++v) {
    const PlexUnit *other = &x->program->units[v];

    for (int k = 0; k < other->ndeclarations; ++k) {
      const PlexDeclaration *o = &other->declarations[k];

      if (x->marks[v][k].kept && other->tokens[o->begin].line == first->line &&
          o->end - o->begin == d->end - d->begin &&
          !strcmp(other->files[other->tokens[o->begin].file], unit->files[first->file]) &&
          o->nentities == d->nentities &&
          (!d->nentities ||
           !strcmp(other->names[other->entities[o->entities].name], unit->names[unit->entities[d->entities].name])))
        return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The names of pointwise functions, which the key of a compiled kernel is without */
static void PlexWriteNames(PlexExtract x, FILE *out)
{
  const char *before = PLEX_NAMES_LINE;

  for (int u = 0; u < x->program->nunits; ++u) {
    const PlexUnit *unit = &x->program->units[u];

    for (int k = 0; k < unit->ndeclarations; ++k) {
      const PlexDeclaration *d = &unit->declarations[k];

      if (!x->marks[u][k].wanted || !d->nentities) continue;
      fprintf(out, "%s%s", before, unit->names[unit->entities[d->entities + d->nentities - 1].name]);
      before = " ";
    }
  }
  if (before[0] == ' ') fputc('\n', out);
}

/*
  PlexExtractWrite - Writes the device source of all that an extract has

  Input Parameters:
+ x      - the extract
. single - reals on the device are float
- out    - the text to write to
*/
PetscErrorCode PlexExtractWrite(PlexExtract x, PetscBool single, FILE *out)
{
  PetscFunctionBegin;
  PlexWriteNames(x, out);
  /* constant memory serves one word at a time: it is right for parameters, not for tables */
  if (x->nvariables)
    fprintf(out, "PLEX_MODULE_VARIABLES(%s, plex_variables, %zu)\n", x->bytes > 4096 ? "__device__" : "__constant__",
            x->bytes);
  for (int u = 0; u < x->program->nunits; ++u) {
    PlexWriter w = {.out = out, .x = x, .u = u, .single = single, .file = -1, .line = -1};

    w.unit = &x->program->units[u];
    if (w.unit->cxx) {
      PetscCall(PlexCxxWrite(w.unit->text, single, out));
      continue;
    }
    if (w.unit->asIs) {
      PetscCall(PlexWriteAsIs(w.unit, out));
      continue;
    }
    for (int k = 0; k < w.unit->ndeclarations; ++k) {
      const PlexDeclaration *d = &w.unit->declarations[k];

      if (!x->marks[u][k].kept || PlexIsWritten(x, u, k)) continue;
      w.host = (PetscBool)x->marks[u][k].host;
      if (d->nentities && w.unit->entities[d->entities + d->nentities - 1].kind == PLEX_FUNCTION)
        PetscCall(PlexWriteFunction(&w, d));
      else PlexWriteOther(&w, k);
    }
  }
  fputc('\n', out);
  PetscFunctionReturn(PETSC_SUCCESS);
}
