/*
  From the functions that a kernel calls to all that they reach: other functions, types, constants, variables. What is
  reached is marked as kept, and each of its tokens that names an entity of a file as such.
*/
#include "source.h"

/* The entity of a name that is no tag, of the given kind if that is not -1, defined if there is such a one; or -1 */
int PlexFind(const PlexUnit *unit, int name, int kind, PetscBool definition)
{
  int found = -1;

  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    const PlexEntity *entity = &unit->entities[e];

    if (entity->kind == PLEX_TAG || (kind >= 0 && (int)entity->kind != kind)) continue;
    if (entity->defined) return e;
    if (!definition && found < 0) found = e;
  }
  return found;
}

PetscErrorCode PlexExtractCreate(PlexProgram program, PlexExtract *extract)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(extract));
  (*extract)->program = program;
  PetscCall(PetscMalloc1(program->nunits, &(*extract)->marks));
  PetscCall(PetscCalloc2(program->nunits, &(*extract)->objects, program->nunits, &(*extract)->fn));
  for (int u = 0; u < program->nunits; ++u) {
    PlexUnit *unit = &program->units[u];

    PetscCall(PetscCalloc1(unit->ndeclarations, &(*extract)->marks[u]));
    for (int k = 0; k < unit->ntokens; ++k) unit->tokens[k].use = PLEX_USE_NONE;
    for (int k = 0; k < unit->ndeclarations; ++k) unit->declarations[k].parent = unit->declarations[k].at = -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexExtractDestroy(PlexExtract *extract)
{
  PetscFunctionBegin;
  if (!*extract) PetscFunctionReturn(PETSC_SUCCESS);
  for (int u = 0; u < (*extract)->program->nunits; ++u) {
    PetscCall(PetscFree((*extract)->marks[u]));
    PetscCall(PetscFree((*extract)->objects[u]));
  }
  PetscCall(PetscFree2((*extract)->objects, (*extract)->fn));
  PetscCall(PetscFree((*extract)->marks));
  PetscCall(PetscFree((*extract)->queue));
  PetscCall(PetscFree((*extract)->variables));
  PetscCall(PetscFree((*extract)->constants));
  PetscCall(PetscFree(*extract));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReachQueue(PlexExtract x, int u, int declaration)
{
  PetscFunctionBegin;
  PlexGrow(x->queue, x->allocatedQueue, 2 * (x->nqueue + 1));
  x->queue[2 * x->nqueue]     = u;
  x->queue[2 * x->nqueue + 1] = declaration;
  ++x->nqueue;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps a declaration, which is walked later. parent, at: the declaration that reached it, and its token that did. */
static PetscErrorCode PlexKeep(PlexExtract x, int u, int declaration, PetscBool host, int parent, int at)
{
  PlexMark *mark = &x->marks[u][declaration];

  PetscFunctionBegin;
  if (mark->kept && (mark->host || !host)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!mark->kept) {
    x->program->units[u].declarations[declaration].parent = parent;
    x->program->units[u].declarations[declaration].at     = at;
  }
  mark->kept = 1;
  if (host) mark->host = 1;
  PetscCall(PlexReachQueue(x, u, declaration));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All declarations of one name in a unit: a prototype and a function, a struct named first and filled later */
static PetscErrorCode PlexKeepName(PlexExtract x, int u, int name, PetscBool tag, PetscBool host, int parent, int at)
{
  PlexUnit *unit = &x->program->units[u];

  PetscFunctionBegin;
  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    const PlexEntity *entity = &unit->entities[e];

    if ((entity->kind == PLEX_TAG) != tag) continue;
    /* named in passing */
    if (tag && !entity->defined && unit->declarations[entity->declaration].nentities > 1) continue;
    PetscCall(PlexKeep(x, u, entity->declaration, host, parent, at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *PlexDeclarationName(const PlexUnit *unit, int declaration)
{
  const PlexDeclaration *d = &unit->declarations[declaration];

  for (int e = d->entities; e < d->entities + d->nentities; ++e)
    if (unit->entities[e].kind != PLEX_TAG) return unit->names[unit->entities[e].name];
  return "?";
}

/* A call of a function that is in no file. Where the call is in a header (PETSc's inline functions), what is named is
   the call in the user's own file that led there. */
static PetscErrorCode PlexFailHostOnly(PlexExtract x, int u, int declaration, int token)
{
  const PlexUnit *unit = &x->program->units[u];
  const char     *callee, *note = "";
  char            because[256] = "";

  PetscFunctionBegin;
  callee = unit->names[unit->tokens[token].name];
  if (unit->tokens[token].file != 0 && unit->declarations[declaration].parent >= 0)
    PetscCall(PetscSNPrintf(because, sizeof(because), ", which calls %s()", callee));
  while (unit->tokens[token].file != 0 && unit->declarations[declaration].parent >= 0) {
    token       = unit->declarations[declaration].at;
    declaration = unit->declarations[declaration].parent;
  }
  callee = unit->names[unit->tokens[token].name];
  if (!strncmp(callee, "PetscError", 10)) note = " (PetscCall(), PetscCheck() and SETERRQ() do)";
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "%s:%d: the %s '%s' calls %s()%s%s, which runs on the host only: compute what it gives before, and pass it "
          "through PetscDSSetConstants(), an auxiliary field or a variable of the file; or name the file that defines "
          "it too, with -plex_assembly_source FILE,FILE; or use -plex_assembly_backend host",
          unit->files[unit->tokens[token].file], unit->tokens[token].line,
          x->marks[u][declaration].wanted ? "pointwise function" : "function", PlexDeclarationName(unit, declaration),
          callee, because, note);
}

/* A function's name: its definition here, or the exported one of another file */
static PetscErrorCode PlexReachFunction(PlexExtract x, int u, int declaration, int token, PetscBool *kept)
{
  PlexUnit   *unit = &x->program->units[u];
  const int   name = unit->tokens[token].name;
  const char *text = unit->names[name];

  PetscFunctionBegin;
  *kept = PETSC_TRUE;
  if (PlexFind(unit, name, PLEX_FUNCTION, PETSC_TRUE) >= 0) {
    PetscCall(PlexKeepName(x, u, name, PETSC_FALSE, PETSC_FALSE, declaration, token));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int v = 0; v < x->program->nunits; ++v) {
    PlexUnit *other  = &x->program->units[v];
    const int number = v == u || other->asIs ? -1 : PlexUnitFindName(other, text),
              e      = number < 0 ? -1 : PlexFind(other, number, PLEX_FUNCTION, PETSC_TRUE);

    if (e < 0 || other->declarations[other->entities[e].declaration].isStatic) continue;
    PetscCall(PlexKeepName(x, v, number, PETSC_FALSE, PETSC_FALSE, -1, -1));
    PetscCall(PlexKeepName(x, u, name, PETSC_FALSE, PETSC_FALSE, declaration, token));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *kept = PETSC_FALSE;
  if (PlexTokenIs(&unit->tokens[token + 1], "(")) PetscCall(PlexFailHostOnly(x, u, declaration, token));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One identifier of a kept declaration */
static PetscErrorCode PlexReachName(PlexExtract x, int u, int declaration, int token, PetscBool host)
{
  PlexUnit *unit = &x->program->units[u];
  const int name = unit->tokens[token].name;
  const int n    = x->nconstants;
  int       e;
  PetscBool use = PETSC_TRUE;

  PetscFunctionBegin;
  if (PlexDeviceHasName(unit->names[name])) PetscFunctionReturn(PETSC_SUCCESS);
  e = PlexFind(unit, name, -1, PETSC_FALSE);
  if (e < 0) PetscFunctionReturn(PETSC_SUCCESS);
  switch (unit->entities[e].kind) {
  case PLEX_FUNCTION:
    PetscCall(PlexReachFunction(x, u, declaration, token, &use));
    break;
  case PLEX_VARIABLE:
    PetscCall(PlexExtractVariable(x, u, token, &use));
    if (use) {
      unit->tokens[token].use = PLEX_USE_VARIABLE;
      host                    = PETSC_TRUE;
    } else unit->tokens[token].use = PLEX_USE_GLOBAL;
    PetscCall(PlexKeepName(x, u, name, PETSC_FALSE, host, declaration, token));
    /* with its initializer */
    if (x->nconstants > n) PetscCall(PlexReachQueue(x, u, unit->entities[x->constants[2 * n + 1]].declaration));
    PetscFunctionReturn(PETSC_SUCCESS);
  default:
    PetscCall(PlexKeepName(x, u, name, PETSC_FALSE, host, declaration, token));
  }
  if (use) unit->tokens[token].use = PLEX_USE_GLOBAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The token behind what of a declaration is not walked from token k on: the name of an entity of its own, and the
   initializer of a variable that is no constant. k where there is no such thing. */
static int PlexSkipOwn(PlexExtract x, int u, const PlexDeclaration *d, int k)
{
  const PlexUnit *unit = &x->program->units[u];

  for (int e = d->entities; e < d->entities + d->nentities; ++e) {
    const PlexEntity *entity = &unit->entities[e];

    if (entity->token == k && (entity->kind != PLEX_TAG || entity->defined)) return k + 1;
    if (entity->kind == PLEX_VARIABLE && entity->end == k && PlexTokenIs(&unit->tokens[k], "=") &&
        !PlexExtractIsConstant(x, u, e))
      return PlexSkipInitializer(unit, k, d->end);
  }
  return k;
}

/* All identifiers of a kept declaration, out of those that its own names hide */
static PetscErrorCode PlexWalkTokens(PlexExtract x, int u, int declaration, const PlexLocals *locals)
{
  PlexUnit              *unit = &x->program->units[u];
  const PlexDeclaration *d    = &unit->declarations[declaration];
  const PetscBool        host = (PetscBool)x->marks[u][declaration].host;

  PetscFunctionBegin;
  for (int k = d->begin; k < d->end; ++k) {
    const int own  = PlexSkipOwn(x, u, d, k);
    const int name = unit->tokens[k].name, before = k > d->begin ? unit->tokens[k - 1].name : -1;
    PetscBool tag = (PetscBool)(before == PLEX_WORD_STRUCT || before == PLEX_WORD_UNION || before == PLEX_WORD_ENUM);

    if (own > k) {
      k = own - 1;
      continue;
    }
    if (name < PLEX_WORDS) continue;
    if (PlexTokenIs(&unit->tokens[k - (k > 0)], ".") || PlexTokenIs(&unit->tokens[k - (k > 0)], "->") ||
        before == PLEX_WORD_GOTO)
      continue;
    if (tag) {
      unit->tokens[k].use = PLEX_USE_GLOBAL;
      PetscCall(PlexKeepName(x, u, name, PETSC_TRUE, host, declaration, k));
    } else if (!PlexLocalsHide(locals, name, k)) PetscCall(PlexReachName(x, u, declaration, k, host));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexWalk(PlexExtract x, int u, int declaration)
{
  PlexUnit              *unit = &x->program->units[u];
  const PlexDeclaration *d    = &unit->declarations[declaration];
  PlexLocals             locals;
  PetscBool              fixed;
  int                    names[PLEX_FIXED];
  PetscErrorCode         ierr;

  PetscFunctionBegin;
  if (d->body >= 0) PetscCall(PlexCheckLocals(unit, d, (PetscBool)x->marks[u][declaration].wanted, names, &fixed));
  for (int e = d->entities; e < d->entities + d->nentities; ++e) {
    const PlexEntity *entity = &unit->entities[e];

    if (!PlexDeviceHasName(unit->names[entity->name])) unit->tokens[entity->token].use = PLEX_USE_GLOBAL;
  }
  ierr = PlexLocalsCreate(unit, d, &locals);
  if (!ierr) ierr = PlexWalkTokens(x, u, declaration, &locals);
  PetscCall(PlexLocalsDestroy(&locals));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The definition of a function in a unit, or -1 */
static int PlexFindDefinition(const PlexUnit *unit, const char name[])
{
  const int number = unit->asIs ? -1 : PlexUnitFindName(unit, name),
            e      = number < 0 ? -1 : PlexFind(unit, number, PLEX_FUNCTION, PETSC_TRUE);

  return e >= 0 && unit->declarations[unit->entities[e].declaration].body >= 0 ? e : -1;
}

/* Whether a unit that was not split has a function in its text */
static PetscBool PlexTextMayDefine(const PlexUnit *unit, const char name[])
{
  return unit->cxx ? PlexCxxHasFunction(unit->text, name) : PlexTextHasName(unit->text, name);
}

/* The unit u with the definition of the function that has one of n names, -1: none; its entity there, -1 where the
   unit was not split and has the name in its text. A file beside a symbol is where the program says that a static
   function comes from, NULL: unknown. Whether that says which function is meant. */
static PetscBool PlexFindFunction(PlexProgram program, PetscInt n, char *const names[], char *const files[], int *u,
                                  int *entity, PetscInt *symbol)
{
  int found = -1, several = 0;

  for (PetscInt s = 0; s < n; ++s) {
    for (int v = 0; v < program->nunits; ++v) {
      const PlexUnit *unit  = &program->units[v];
      const char     *slash = strrchr(unit->path, '/');
      const int       e     = PlexFindDefinition(unit, names[s]);
      int             rank  = 1;

      if (e < 0 && !(unit->asIs && PlexTextMayDefine(unit, names[s]))) continue;
      if (files[s] && !strcmp(files[s], slash ? slash + 1 : unit->path)) rank = 3;
      else if (!files[s] && e >= 0 && !unit->declarations[unit->entities[e].declaration].isStatic) rank = 2;
      if (rank < found) continue;
      several = rank > found ? 1 : several + (*u != v);
      found   = rank;
      *u      = v;
      *entity = e;
      *symbol = s;
    }
  }
  if (found < 0) *u = -1;
  return (PetscBool)(found < 0 || found > 1 || several == 1);
}

/* The names of a function as its language spells them, and `name` if that is not NULL */
static PetscErrorCode PlexGetNames(PetscVoidFn *fn, const char name[], PetscInt *n, char ***names, char ***files)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  PetscCall(PlexSymbolNames(fn, n, names, files));
  if (name) PetscCall(PlexSymbolNamesAdd(n, names, files, name, NULL));
  for (PetscInt s = 0; s < *n; ++s) {
    char *spelled;

    PetscCall(PlexSymbolSpell((*names)[s], &spelled));
    PetscCall(PetscFree((*names)[s]));
    if (spelled) {
      (*names)[kept]   = spelled;
      (*files)[kept++] = (*files)[s];
    } else PetscCall(PetscFree((*files)[s]));
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexExtractAddFunction - Wants a pointwise function and all that it reaches

  Input Parameters:
+ x    - the extract
. fn   - the function in the running program, or `NULL`
- name - its symbol, or `NULL`

  Output Parameters:
+ found - whether one of the files defines it
- text  - what it is called in the device source; at most `size` characters
*/
PetscErrorCode PlexExtractAddFunction(PlexExtract x, PetscVoidFn *fn, const char name[], PetscBool *found, char text[],
                                      size_t size)
{
  char    **names = NULL, **files = NULL;
  PetscInt  n = 0, s = 0;
  int       u = -1, entity = -1;
  PetscBool sure;
  PlexUnit *unit;
  char      which[128];

  PetscFunctionBegin;
  PetscCall(PlexGetNames(fn, name, &n, &names, &files));
  sure   = PlexFindFunction(x->program, n, names, files, &u, &entity, &s);
  *found = (PetscBool)(sure && u >= 0);
  PetscCall(PetscStrncpy(which, s < n ? names[s] : "", sizeof(which)));
  if (*found && entity < 0)
    PetscCall(PetscSNPrintf(text, size, "%s%s", x->program->units[u].cxx ? "::" : "", names[s]));
  if (*found && files[s] && !x->objects[u]) PetscCall(PetscStrallocpy(files[s], &x->objects[u]));
  PetscCall(PlexSymbolNamesDestroy(n, &names, &files));
  PetscCheck(sure, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The function '%s' is static in several of the files '%s', and the program's symbols do not say which is "
             "meant, as after link-time optimization or strip: give them different names, compile without -flto, strip "
             "with --keep-file-symbols, or use -plex_assembly_backend host",
             which, x->program->files);
  if (!*found || entity < 0) PetscFunctionReturn(PETSC_SUCCESS);
  unit = &x->program->units[u];
  if (!x->fn[u]) x->fn[u] = fn;
  x->marks[u][unit->entities[entity].declaration].wanted = 1;
  PetscCall(PlexKeepName(x, u, unit->entities[entity].name, PETSC_FALSE, PETSC_FALSE, -1, -1));
  for (int k = 0; k < x->nqueue; ++k) PetscCall(PlexWalk(x, x->queue[2 * k], x->queue[2 * k + 1]));
  x->nqueue = 0;
  if (PlexNameClashes(x->program, u, unit->entities[entity].name))
    PetscCall(PetscSNPrintf(text, size, "%s_plex%d", unit->names[unit->entities[entity].name], u));
  else PetscCall(PetscStrncpy(text, unit->names[unit->entities[entity].name], size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The definition of a function in the running program, or of that name: unit and entity; *entity is -1 where there is
   none, it was not read or several could be meant */
PetscErrorCode PlexProgramFindFunction(PlexProgram program, PetscVoidFn *fn, const char name[], int *u, int *entity)
{
  char   **names = NULL, **files = NULL;
  PetscInt n = 0, s = 0;

  PetscFunctionBegin;
  *u = *entity = -1;
  PetscCall(PlexGetNames(fn, name, &n, &names, &files));
  if (!PlexFindFunction(program, n, names, files, u, entity, &s)) *entity = -1;
  PetscCall(PlexSymbolNamesDestroy(n, &names, &files));
  PetscFunctionReturn(PETSC_SUCCESS);
}
