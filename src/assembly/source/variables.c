/*
  Variables of a file that pointwise functions read. A constant with its initializer is compiled in. Any other lives on
  in the running program: its value there is copied to the module's block plex_variables[] before a launch, where it has
  changed.

  In single precision a variable of reals is rounded, so that it fits functions that take a PetscReal *. Structs keep
  the host's layout.
*/
#include "source.h"

struct _n_PlexVariables {
  PetscInt      n;
  PlexVariable *variables; /* [n] */
  PetscBool     single;
  size_t        bytes;
  char         *block, *now; /* [bytes] as last copied to the module, and as it is now */
  PetscBool     copied;
};

/* Whether the file changes a variable somewhere, or lets its address out, as the name of an array does that has less
   subscripts than dimensions. Of a struct only what is plain to see: its members may be arrays. */
PetscBool PlexVariableIsWritten(const PlexUnit *unit, int name)
{
  int dimensions = 0;

  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    int n = 0;

    if (unit->entities[e].kind != PLEX_VARIABLE) continue;
    for (int k = unit->entities[e].token + 1; PlexIs(unit, k, "["); k = unit->tokens[k].match + 1) ++n;
    dimensions = PetscMax(dimensions, n);
  }
  for (int k = 1; k < unit->ntokens; ++k) {
    int       before = k - 1, after = k + 1, n = 0;
    PetscBool declared = PETSC_FALSE;

    if (unit->tokens[k].name != name) continue;
    for (int e = unit->first[name]; e >= 0 && !declared; e = unit->entities[e].next)
      declared = (PetscBool)(unit->entities[e].token == k);
    if (declared) continue;
    while (PETSC_TRUE) { /* out of ((name)[1].member) */
      if (PlexIs(unit, after, "[")) {
        after = unit->tokens[after].match + 1;
        ++n;
      } else if (PlexIs(unit, after, ".")) after += 2;
      else if (PlexIs(unit, before, "(") && PlexIs(unit, after, ")")) {
        --before;
        ++after;
      } else break;
    }
    if (n < dimensions || PlexIs(unit, before, "&") || PlexIs(unit, before, "++") || PlexIs(unit, before, "--"))
      return PETSC_TRUE;
    if (PlexIsAssignment(unit, after)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The variable itself rather than one of its `extern` declarations */
static int PlexFindVariable(const PlexUnit *unit, int name)
{
  int found = -1;

  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    if (unit->entities[e].kind != PLEX_VARIABLE) continue;
    if (unit->entities[e].defined) return e;
    if (found < 0 || unit->declarations[unit->entities[found].declaration].isExtern) found = e;
  }
  return found;
}

/* Its type is a number, or an array of them: of it all changes can be seen in the text */
static PetscBool PlexIsNumber(const PlexUnit *unit, const PlexDeclaration *d)
{
  static const char *const types[] = {"PetscReal",   "PetscScalar", "PetscInt",  "PetscBool",
                                      "PetscMPIInt", "PetscInt64",  "MatScalar", "size_t"};

  for (int k = d->begin; k < d->specifiers; ++k) {
    PetscBool known = (PetscBool)(unit->tokens[k].name > PLEX_WORD_VOID && unit->tokens[k].name <= PLEX_WORD_FLOAT128);

    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) && !known; ++t) known = PlexIs(unit, k, types[t]);
    if (!known && unit->tokens[k].name != PLEX_WORD_STATIC && unit->tokens[k].name != PLEX_WORD_CONST)
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Its type is made of reals alone: a real or an array of them */
static PetscBool PlexIsReal(const PlexUnit *unit, const PlexDeclaration *d)
{
  PetscBool real = PETSC_FALSE;

  for (int k = d->begin; k < d->specifiers; ++k) {
    const int name = unit->tokens[k].name;

    if (name == PLEX_WORD_DOUBLE || PlexIs(unit, k, "PetscReal") || PlexIs(unit, k, "PetscScalar") ||
        PlexIs(unit, k, "MatScalar"))
      real = PETSC_TRUE;
    else if (name != PLEX_WORD_STATIC && name != PLEX_WORD_EXTERN && name != PLEX_WORD_CONST &&
             name != PLEX_WORD_VOLATILE)
      return PETSC_FALSE;
  }
  return real;
}

PetscBool PlexExtractIsConstant(PlexExtract x, int u, int entity)
{
  for (int k = 0; k < x->nconstants; ++k)
    if (x->constants[2 * k] == u && x->constants[2 * k + 1] == entity) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode PlexExtractAddConstant(PlexExtract x, int u, int entity)
{
  PetscFunctionBegin;
  if (PlexExtractIsConstant(x, u, entity)) PetscFunctionReturn(PETSC_SUCCESS);
  PlexGrow(x->constants, x->allocatedConstants, 2 * (x->nconstants + 1));
  x->constants[2 * x->nconstants]     = u;
  x->constants[2 * x->nconstants + 1] = entity;
  ++x->nconstants;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that was compiled by itself, rather than a header */
static PetscBool PlexIsCompiled(const PlexUnit *unit)
{
  const size_t n = strlen(unit->path);

  return (PetscBool)(n > 2 && !strcmp(unit->path + n - 2, ".c"));
}

/* The compiled file that has a unit's static variables; "" where it is not known, as for a header */
static const char *PlexExtractObject(PlexExtract x, int u)
{
  const char *path = x->program->units[u].path, *slash = strrchr(path, '/');

  if (x->objects[u]) return x->objects[u];
  if (PlexIsCompiled(&x->program->units[u])) return slash ? slash + 1 : path;
  return "";
}

/* A function of the program or library that a unit was compiled into; another unit's where none of its own is wanted */
static PetscVoidFn *PlexExtractFunction(PlexExtract x, int u)
{
  for (int v = 0; v < x->program->nunits && !x->fn[u]; ++v)
    if (x->fn[v]) return x->fn[v];
  return x->fn[u];
}

/* A static variable of a header has a copy in each file that includes it, which one name in the device source cannot
   mean */
static PetscErrorCode PlexCheckShared(PlexExtract x, int u, int e)
{
  const PlexUnit   *unit   = &x->program->units[u];
  const PlexEntity *entity = &unit->entities[e];
  const PlexToken  *here   = &unit->tokens[entity->token];

  PetscFunctionBegin;
  for (int v = 0; v < x->nvariables; ++v) {
    const PlexUnit   *other = &x->program->units[x->variables[v].unit];
    const PlexEntity *twin  = &other->entities[x->variables[v].entity];
    const PlexToken  *there = &other->tokens[twin->token];

    PetscCheck(here->line != there->line || strcmp(unit->names[entity->name], other->names[twin->name]) ||
                 strcmp(unit->files[here->file], other->files[there->file]),
               PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%s:%d: the variable '%s' is static in a header that several of the files include, so each has its own: "
               "define it in one of them, or use -plex_assembly_backend host",
               unit->files[here->file], here->line, unit->names[entity->name]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexExtractVariable(PlexExtract x, int u, int token, PetscBool *mirrored)
{
  const PlexUnit        *unit = &x->program->units[u];
  const int              name = unit->tokens[token].name, e = PlexFindVariable(unit, name);
  const PlexEntity      *entity   = &unit->entities[e];
  const PlexDeclaration *d        = &unit->declarations[entity->declaration];
  const char            *text     = unit->names[name];
  PlexVariable           variable = {.unit = u, .entity = e};
  PetscBool              constant, absent;

  PetscFunctionBegin;
  *mirrored = PETSC_FALSE;
  if (PlexExtractIsConstant(x, u, e)) PetscFunctionReturn(PETSC_SUCCESS);
  constant = (PetscBool)(entity->defined &&
                         (entity->pointer ? unit->tokens[entity->token - 1].name == PLEX_WORD_CONST : d->isConst));
  if (d->isStatic && !entity->pointer && PlexIsCompiled(unit) && PlexIsNumber(unit, d) &&
      !PlexVariableIsWritten(unit, name))
    constant = PETSC_TRUE;
  if (constant) {
    PetscCall(PlexExtractAddConstant(x, u, e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int v = 0; v < x->nvariables; ++v) {
    if (x->variables[v].unit != u || unit->entities[x->variables[v].entity].name != name) continue;
    *mirrored = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!entity->pointer, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s:%d: the variable '%s' is a pointer, which a GPU cannot follow: keep the values themselves in a "
             "variable or an array of fixed size, or use -plex_assembly_backend host",
             unit->files[unit->tokens[token].file], unit->tokens[token].line, text);
  if (d->isStatic) PetscCall(PlexCheckShared(x, u, e));
  PetscCall(PlexSymbolVariable(PlexExtractFunction(x, u), text, d->isStatic ? PlexExtractObject(x, u) : NULL,
                               (void **)&variable.address, &variable.size, &absent));
  if (!variable.address) {
    /* the compiler keeps no static variable that nothing changes: its initializer is its value. One that it has taken
       to pieces, which it may where no address is let out, is changed in plain sight. */
    if (d->isStatic && absent && !PlexVariableIsWritten(unit, name)) {
      PetscCall(PlexExtractAddConstant(x, u, e));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "%s:%d: the variable '%s', which pointwise functions read, has no address that could be found in the "
            "running program: it may be stripped or thread-local. Keep the program's symbols, declare the variable "
            "const, or use -plex_assembly_backend host",
            unit->files[unit->tokens[token].file], unit->tokens[token].line, text);
  }
  variable.real   = PlexIsReal(unit, d);
  variable.offset = x->bytes;
  /* by way of another file */
  for (int v = 0; v < x->nvariables; ++v)
    if (x->variables[v].address == variable.address) variable.offset = x->variables[v].offset;
  if (variable.offset == x->bytes) x->bytes += (variable.size + 15) / 16 * 16;
  PlexGrow(x->variables, x->allocatedVariables, x->nvariables + 1);
  x->variables[x->nvariables++] = variable;
  *mirrored                     = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexExtractGetVariables - The variables that an extract reads, apart from it

  Input Parameters:
+ x      - the extract
- single - reals on the device are float

  Output Parameter:
. variables - to be updated before launches and destroyed; `NULL` where there are none
*/
PetscErrorCode PlexExtractGetVariables(PlexExtract x, PetscBool single, PlexVariables *variables)
{
  PetscFunctionBegin;
  *variables = NULL;
  if (!x->nvariables) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(variables));
  (*variables)->n      = x->nvariables;
  (*variables)->single = single;
  (*variables)->bytes  = x->bytes;
  PetscCall(PetscMalloc1(x->nvariables, &(*variables)->variables));
  PetscCall(PetscArraycpy((*variables)->variables, x->variables, x->nvariables));
  PetscCall(PetscCalloc2((*variables)->bytes, &(*variables)->block, (*variables)->bytes, &(*variables)->now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the values to the module, where they are others than the last time */
PetscErrorCode PlexVariablesUpdate(PlexVariables v, PlexModule module)
{
  PetscBool same = PETSC_FALSE;
  void     *block;
  size_t    bytes;

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < v->n; ++k) {
    const PlexVariable *variable = &v->variables[k];

    if (variable->real && v->single) {
      const double *from = (const double *)variable->address;
      float        *to   = (float *)(v->now + variable->offset);

      for (size_t i = 0; i < variable->size / sizeof(double); ++i) to[i] = (float)from[i];
    } else PetscCall(PetscMemcpy(v->now + variable->offset, variable->address, variable->size));
  }
  if (v->copied) PetscCall(PetscMemcmp(v->now, v->block, v->bytes, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemcpy(v->block, v->now, v->bytes));
  PetscCall(PlexModuleGetVariable(module, "plex_variables", &block, &bytes));
  PetscCheck(bytes == v->bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "plex_variables[] has %zu bytes in %s, not %zu", bytes,
             module->name, v->bytes);
  PetscCall(PlexBackendCopyIn(module->backend, block, v->block, v->bytes));
  v->copied = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVariablesDestroy(PlexVariables *v)
{
  PetscFunctionBegin;
  if (!*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*v)->variables));
  PetscCall(PetscFree2((*v)->block, (*v)->now));
  PetscCall(PetscFree(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
