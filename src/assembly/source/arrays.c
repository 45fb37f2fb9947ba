/*
  Declarations inside functions that C takes and device code does not: arrays whose size is known when the program runs,
  and variables that keep their value from call to call.

  A pointwise function is called with dim, Nf, uOff and uOff_x of the kernel it is compiled into, so there they are
  constants. In

    const PetscInt Nc = uOff[1] - uOff[0];
    PetscScalar    w[Nc * dim];

  the size is a constant once the parameters are declared `constexpr` with those values, which write.c does where this
  file says so.
*/
#include "source.h"

typedef struct {
  const PlexUnit        *unit;
  const PlexDeclaration *d;
  const char            *function;
  PlexLocals             locals;
  int                    parameters[PLEX_FIXED]; /* names that may become constants, -1 */
  int                   *constants;              /* [nconstants] tokens that name local constants */
  int                    nconstants, allocated;
  PetscBool              fixed; /* an array's size, or a constant it takes, uses those parameters */
} PlexBounds;

/* A parameter that the body assigns to or takes the address of is no constant */
static PetscBool PlexIsChanged(const PlexUnit *unit, const PlexDeclaration *d, int name)
{
  for (int k = d->body; k < d->end; ++k) {
    if (unit->tokens[k].name != name) continue;
    if (PlexIs(unit, k - 1, "++") || PlexIs(unit, k - 1, "--")) return PETSC_TRUE;
    if (PlexIs(unit, k - 1, "&") && unit->tokens[k - 2].kind != PLEX_TOKEN_NAME &&
        unit->tokens[k - 2].kind != PLEX_TOKEN_NUMBER && !PlexIs(unit, k - 2, ")"))
      return PETSC_TRUE;
    if (PlexIsAssignment(unit, k + 1)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether the tokens b to end make a constant expression of C++; names that would, if the parameters were constants,
   set *fixed */
static PetscBool PlexIsConstant(const PlexBounds *s, int b, int end, PetscBool *fixed)
{
  const PlexUnit *unit = s->unit;

  for (int k = b; k < end; ++k) {
    const int name  = unit->tokens[k].name;
    PetscBool known = PETSC_FALSE;

    if (name == PLEX_WORD_SIZEOF && PlexIs(unit, k + 1, "(")) {
      k = unit->tokens[k + 1].match;
      continue;
    }
    if (name < PLEX_WORDS || PlexIs(unit, k - 1, ".") || PlexIs(unit, k - 1, "->")) continue;
    for (int c = 0; c < s->nconstants && !known; ++c) known = (PetscBool)(unit->tokens[s->constants[c]].name == name);
    for (int c = 0; c < PLEX_FIXED && !known; ++c) {
      if (s->parameters[c] != name) continue;
      known  = PETSC_TRUE;
      *fixed = PETSC_TRUE;
    }
    if (!known && PlexLocalsHide(&s->locals, name, k)) return PETSC_FALSE;
    for (int e = known ? -1 : unit->first[name]; e >= 0 && !known; e = unit->entities[e].next) {
      const PlexEntity *entity = &unit->entities[e];

      if (entity->kind == PLEX_VARIABLE)
        known = (PetscBool)(unit->declarations[entity->declaration].isConst && entity->defined && !entity->pointer);
      else known = (PetscBool)(entity->kind != PLEX_FUNCTION);
    }
    if (!known) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The sizes of one declarator's arrays */
static PetscErrorCode PlexCheckArray(PlexBounds *s, int name, int end)
{
  const PlexUnit *unit = s->unit;

  PetscFunctionBegin;
  for (int k = name + 1; k < end; ++k) {
    const PlexToken *token = &unit->tokens[name];

    if (!PlexIs(unit, k, "[")) {
      if (unit->tokens[k].match > k) k = unit->tokens[k].match;
      continue;
    }
    PetscCheck(PlexIsConstant(s, k + 1, unit->tokens[k].match, &s->fixed), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%s:%d: the array '%s' of the function '%s' has a size that device code does not know when it is "
               "compiled: give it a constant size, the largest that is needed, or use -plex_assembly_backend host",
               unit->files[token->file], token->line, unit->names[token->name], s->function);
    k = unit->tokens[k].match;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One declaration of the body, its specifiers behind it from token b */
static PetscErrorCode PlexCheckDeclaration(PlexBounds *s, int b, int specifiers, PetscInt64 words)
{
  const PlexUnit *unit     = s->unit;
  const PetscBool isConst  = (PetscBool)!!(words & ((PetscInt64)1 << PLEX_WORD_CONST)),
                  isStatic = (PetscBool)!!(words & ((PetscInt64)1 << PLEX_WORD_STATIC));

  PetscFunctionBegin;
  for (int k = specifiers; k < s->d->end && !PlexIs(unit, k, ";"); ++k) {
    PetscBool function, pointer;
    int       name;

    k = PlexParseDeclarator(unit, k, s->d->end, &name, &function, &pointer);
    if (name >= 0) {
      PetscCheck(!isStatic || isConst, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "%s:%d: the variable '%s' of the function '%s' is static and keeps its value from call to call, which "
                 "threads of a GPU cannot: make it a variable of the file that the functions only read, or use "
                 "-plex_assembly_backend host",
                 unit->files[unit->tokens[b].file], unit->tokens[b].line, unit->names[unit->tokens[name].name],
                 s->function);
      PetscCall(PlexCheckArray(s, name, k));
    }
    if (PlexIs(unit, k, "=")) {
      const int end = PlexSkipInitializer(unit, k, s->d->end);

      if (name >= 0 && isConst && !pointer && PlexIsConstant(s, k + 1, end, &s->fixed)) {
        PlexGrow(s->constants, s->allocated, s->nconstants + 1);
        s->constants[s->nconstants++] = name;
      }
      k = end;
    }
    if (!PlexIs(unit, k, ",")) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCheckBody(PlexBounds *s, PetscBool wanted)
{
  const PlexUnit        *unit = s->unit;
  const PlexDeclaration *d    = s->d;
  int                    tokens[PLEX_FIXED];

  PetscFunctionBegin;
  PetscCall(PlexLocalsCreate(unit, d, &s->locals));
  PlexFunctionGetParameters(unit, d, PLEX_FIXED, tokens);
  for (int k = 0; k < PLEX_FIXED; ++k) {
    s->parameters[k] = -1;
    if (wanted && k != 2 && tokens[k] >= 0 && !PlexIsChanged(unit, d, unit->tokens[tokens[k]].name))
      s->parameters[k] = unit->tokens[tokens[k]].name;
  }
  for (int k = d->body + 1; k < d->end; ++k) {
    PetscInt64 words;
    int        after;

    if (!(PlexIs(unit, k - 1, "{") || PlexIs(unit, k - 1, "}") || PlexIs(unit, k - 1, ";") || PlexIs(unit, k - 1, ":")))
      continue;
    if (unit->tokens[k].name >= 0 && PlexLocalsHide(&s->locals, unit->tokens[k].name, k)) continue;
    after = PlexParseSpecifiers(unit, k, d->end, &words);
    if (after > k) PetscCall(PlexCheckDeclaration(s, k, after, words));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks what a kept function declares inside. fixed: an array needs its parameters dim, Nf, uOff and uOff_x to be
   constants, which those of a function that the kernel itself calls (wanted) can be; names: of the parameters
   [PLEX_FIXED] that can, -1 */
PetscErrorCode PlexCheckLocals(const PlexUnit *unit, const PlexDeclaration *d, PetscBool wanted, int names[],
                               PetscBool *fixed)
{
  PlexBounds     s = {.unit = unit, .d = d, .function = "?"};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (int e = d->entities; e < d->entities + d->nentities; ++e)
    if (unit->entities[e].kind == PLEX_FUNCTION) s.function = unit->names[unit->entities[e].name];
  ierr = PlexCheckBody(&s, wanted);
  PetscCall(PetscArraycpy(names, s.parameters, PLEX_FIXED));
  *fixed = s.fixed;
  PetscCall(PetscFree(s.constants));
  PetscCall(PlexLocalsDestroy(&s.locals));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
