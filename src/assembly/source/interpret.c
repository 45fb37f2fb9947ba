/*
  Functions carried out: those that are called, and the pointwise function itself, whose sizes and offsets are numbers
  and whose other arguments are symbols.
*/
#include "facts.h"

#define PLEX_DEPTH 40 /* most, of calls */

/* -------------------------------------------------------------------------------------------------------- functions */

static const PlexDeclaration *PlexFunctionOf(const PlexInterpreter *p, int u, int entity)
{
  return &p->program->units[u].declarations[p->program->units[u].entities[entity].declaration];
}

int PlexReturnType(PlexInterpreter *p, int u, int entity)
{
  const PlexInterpreter back = *p;
  const PlexEntity     *e    = &p->program->units[u].entities[entity];
  PetscInt64            words;
  int                   type;

  p->u        = u;
  p->unit     = &p->program->units[u];
  p->k        = PlexFunctionOf(p, u, entity)->begin;
  p->function = p->nscope;
  type        = PlexTypeSpecifiers(p, &words);
  for (int k = e->begin; k < e->token; ++k) {
    if (PlexIs(p->unit, k, "*")) type = PlexTypePointer(p, type);
    else if (p->unit->tokens[k].name < 0) PlexGiveUp(p, "what a function returns");
  }
  p->u        = back.u;
  p->unit     = back.unit;
  p->k        = back.k;
  p->function = back.function;
  return type;
}

/* The object of each parameter from behind the parenthesis at p->k on, without a value; their names in scope. Their
   number */
static int PlexParameters(PlexInterpreter *p, int most, int objects[])
{
  const int close = p->unit->tokens[p->k].match;
  int       n     = 0;

  for (++p->k; p->k < close && !p->why;) {
    PetscInt64 words;
    int        type = PlexTypeSpecifiers(p, &words), name;

    if (!p->why) type = PlexTypeDeclarator(p, type, PETSC_TRUE, &name);
    if (p->why || (p->types[type].kind == PLEX_C_VOID && n == 0 && p->k == close)) break;
    if (n == most) PlexGiveUp(p, "a function of many parameters");
    if (p->why) break;
    objects[n] = PlexObjectMake(p, type);
    if (name >= 0) PlexScopeAdd(p, p->unit->tokens[name].name, objects[n]);
    ++n;
    if (PlexIs(p->unit, p->k, ",")) ++p->k;
    else if (p->k != close) PlexGiveUp(p, "a parameter");
  }
  p->k = close + 1;
  return n;
}

/* Moves to a function's parameters, inside which names are its own */
static void PlexEnter(PlexInterpreter *p, int u, int entity)
{
  const PlexUnit *unit = &p->program->units[u];
  const char     *why  = PlexReadsHidden(unit, PlexFunctionOf(p, u, entity));
  int             k    = unit->entities[entity].token + 1;

  p->returns      = PlexReturnType(p, u, entity);
  p->u            = u;
  p->unit         = unit;
  p->function     = p->nscope;
  p->branches0    = p->branches;
  p->branchesLoop = p->branches;
  p->value        = (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
  while (PlexIs(unit, k, ")")) ++k;
  p->k = k;
  if (why) PlexGiveUp(p, why);
  if (!PlexIs(unit, k, "(")) PlexGiveUp(p, "a function");
}

/* Carries out the body that comes next; what was put by is merged into the first n cells */
static void PlexBody(PlexInterpreter *p, int n, int exits)
{
  PlexFlow flow;

  if (!PlexIs(p->unit, p->k, "{") && !p->why) PlexGiveUp(p, "a function");
  if (p->why) return;
  flow = PlexBlock(p);
  PlexExitMerge(p, PLEX_FLOW_RETURN, exits, n, (PetscBool)(flow != PLEX_FLOW_NEVER));
  if (p->nexits > exits) PlexGiveUp(p, "a way out of no loop");
}

PlexValue PlexCallFunction(PlexInterpreter *p, int u, int entity, int n, const PlexValue arguments[])
{
  const PlexInterpreter back   = *p;
  PlexValue             result = {.type = 0};
  PlexFrame             frame;
  int                   objects[64];

  if (++p->depth > PLEX_DEPTH) PlexGiveUp(p, "calls that are nested deeply");
  if (p->why) return result;
  result.type = PlexReturnType(p, u, entity);
  if (!p->why && p->types[result.type].kind == PLEX_C_STRUCT) { /* outlives the call */
    p->temporary   = PlexObjectMake(p, result.type);
    result.place   = PETSC_TRUE;
    result.pointer = PlexPointerTo(p->temporary, 0);
  }
  frame = PlexFrameOpen(p);
  PlexEnter(p, u, entity);
  if (!p->why && PlexParameters(p, 64, objects) != n) PlexGiveUp(p, "a call with another number of arguments");
  for (int k = 0; k < n && !p->why; ++k) {
    const int type = PlexObjectOf(p, objects[k])->type;

    if (p->types[type].kind == PLEX_C_STRUCT) {
      if (arguments[k].type != type || !arguments[k].place) PlexGiveUp(p, "a struct as an argument");
      else PlexCopyCells(p, PlexPointerTo(objects[k], 0), arguments[k].pointer, type);
    } else
      PlexStore(p, PlexPointerTo(objects[k], 0), type, PlexCellConvert(p, arguments[k].cell, arguments[k].type, type));
  }
  if (!p->why) PlexBody(p, frame.ncells, back.nexits);
  result.cell = p->value;
  PlexFrameClose(p, frame);
  p->u            = back.u;
  p->unit         = back.unit;
  p->k            = back.k;
  p->function     = back.function;
  p->returns      = back.returns;
  p->branches0    = back.branches0;
  p->branchesLoop = back.branchesLoop;
  p->temporary    = back.temporary;
  p->value        = back.value;
  p->depth        = back.depth;
  p->nesting      = back.nesting;
  p->path         = back.path;
  return result;
}

/* ------------------------------------------------------------------------------------------- the pointwise function */

/* An array of sizes that are known; NULL: they are not */
static void PlexBindSizes(PlexInterpreter *p, int object, PetscInt n, const PetscInt values[])
{
  const PlexCType pointer = p->types[PlexObjectOf(p, object)->type];
  PlexObject      o       = {.kind = PLEX_OBJECT_FIXED, .n = (int)n};

  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_INTEGER)
    PlexGiveUp(p, "the types of its parameters");
  if (p->why) return;
  o.type = PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = pointer.of, .n = (int)n, .cells = (int)n});
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(n, &o.fixed));
  for (PetscInt k = 0; k < n; ++k)
    o.fixed[k] = values ? PlexCellInteger(values[k]) : (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
  PlexStore(p, PlexPointerTo(object, 0), PlexObjectOf(p, object)->type, PlexPointerTo(PlexGlobalMake(p, o, -1, -1), 0));
}

/* An argument whose n entries are symbols, or itself is one (n < 0) */
static void PlexBindLeaves(PlexInterpreter *p, int object, int leaf, PetscInt n)
{
  const int       type    = PlexObjectOf(p, object)->type;
  const PlexCType pointer = p->types[type];
  PlexObject      o       = {.kind = PLEX_OBJECT_LEAVES, .n = (int)PetscMax(n, 0), .leaf = leaf};

  if (n < 0) {
    if (pointer.kind != PLEX_C_REAL) PlexGiveUp(p, "the types of its parameters");
    PlexStore(p, PlexPointerTo(object, 0), type,
              PlexCellNode(PlexNodeMake(p, PLEX_NODE_LEAF, (PetscInt64)leaf << 32, 0, NULL)));
    return;
  }
  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_REAL)
    PlexGiveUp(p, "the types of its parameters");
  if (p->why) return;
  o.type = PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = pointer.of, .n = o.n + 1, .cells = o.n + 1});
  PlexStore(p, PlexPointerTo(object, 0), type, PlexPointerTo(PlexGlobalMake(p, o, -1, -1), 0));
}

/* The result: zeros. Its object */
static int PlexBindResult(PlexInterpreter *p, int object, PetscInt n)
{
  const int       type    = PlexObjectOf(p, object)->type;
  const PlexCType pointer = p->types[type];
  int             result;

  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_REAL)
    PlexGiveUp(p, "the types of its parameters");
  if (p->why) return 0;
  result = PlexObjectMake(p, PlexTypeMake(p, (PlexCType){.kind  = PLEX_C_ARRAY,
                                                         .of    = pointer.of,
                                                         .n     = (int)n,
                                                         .cells = (int)n}));
  for (PetscInt m = 0; m < n && !p->why; ++m) p->cells[p->objects[result].base + m] = PlexCellReal(p, 0.);
  PlexStore(p, PlexPointerTo(object, 0), type, PlexPointerTo(result, 0));
  return result;
}

static void PlexBindInteger(PlexInterpreter *p, int object, PetscInt value)
{
  const int type = PlexObjectOf(p, object)->type;

  if (p->types[type].kind != PLEX_C_INTEGER) PlexGiveUp(p, "the types of its parameters");
  PlexStore(p, PlexPointerTo(object, 0), type, PlexCellInteger(value));
}

/* Gives the parameters their values. The object of the result */
static int PlexBind(PlexInterpreter *p, const int objects[])
{
  const PlexFactsSizes *s = p->sizes;
  const PetscInt        n = s->uOff ? s->uOff[s->Nf] : 1000000, nx = s->uOff_x ? s->uOff_x[s->Nf] : 1000000,
                        na = s->aOff ? s->aOff[s->NfAux] : 1000000, nax = s->aOff_x ? s->aOff_x[s->NfAux] : 1000000;
  const PetscInt        counts[3]   = {s->dim, s->Nf, s->NfAux};
  const PetscInt        sizes[2][3] = {
    {n,  n,  nx },
    {na, na, nax}
  };
  const PetscInt *const offsets[2][2] = {
    {s->uOff, s->uOff_x},
    {s->aOff, s->aOff_x}
  };
  int k = 0;

  for (; k < 3; ++k) PlexBindInteger(p, objects[k], counts[k]);
  for (int set = 0; set < 2; ++set) {
    for (int m = 0; m < 2; ++m, ++k) PlexBindSizes(p, objects[k], counts[1 + set] + 1, offsets[set][m]);
    for (int m = 0; m < 3; ++m, ++k) PlexBindLeaves(p, objects[k], k, sizes[set][m]);
  }
  PlexBindLeaves(p, objects[k], k, -1); /* t */
  ++k;
  if (s->jacobian) {
    PlexBindLeaves(p, objects[k], k, -1);
    ++k;
  }
  for (int m = 0; m < 1 + s->facets; ++m, ++k) PlexBindLeaves(p, objects[k], k, s->dim);
  PlexBindInteger(p, objects[k++], s->numConstants);
  PlexBindLeaves(p, objects[k], k, s->numConstants + 3);
  ++k;
  return PlexBindResult(p, objects[k], s->n);
}

/* A number among the arguments, t or u_tShift, is read where something is computed of it: to hand it on is not to read
   it */
static void PlexMarkNumbers(PlexInterpreter *p, int result)
{
  const PlexCell *cells = &p->cells[p->objects[result].base];

  for (int k = 0; k < p->noperands + p->objects[result].n; ++k) {
    const PlexCell  *cell = k < p->noperands ? NULL : &cells[k - p->noperands];
    const int        node = !cell ? p->operands[k] : (cell->kind == PLEX_CELL_NODE ? cell->id : -1);
    const PetscInt64 leaf = node >= 0 && p->nodes[node].op == PLEX_NODE_LEAF ? p->nodes[node].value >> 32 : 0;

    p->reads |= p->bits[leaf] & (PLEX_READS_T | PLEX_READS_SHIFT);
  }
}

/* Numbers the entries of the result: 0 for zero, else one number for each symbol */
static PetscErrorCode PlexNumberEntries(PlexInterpreter *p, int result, PlexFacts *facts)
{
  const PetscInt  n     = p->sizes->n;
  const PlexCell *cells = &p->cells[p->objects[result].base];
  int             count = 0, *numbers; /* of the symbols, 0: none yet */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->nnodes, &numbers));
  PetscCall(PetscMalloc1(n, &facts->value));
  for (PetscInt k = 0; k < n; ++k) {
    double x;

    facts->value[k] = 0;
    if (PlexCellReals(p, cells[k], &x) && x == 0.) continue;
    if (cells[k].kind != PLEX_CELL_NODE) facts->value[k] = ++count;
    else if (!numbers[cells[k].id]) facts->value[k] = numbers[cells[k].id] = ++count;
    else facts->value[k] = numbers[cells[k].id];
  }
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexInterpreterDestroy(PlexInterpreter *p)
{
  PetscFunctionBegin;
  for (int k = 0; k < p->nglobals; ++k) PetscCall(PetscFree(p->globals[k].fixed));
  for (int k = 0; k < p->nexits; ++k) PetscCall(PetscFree(p->exits[k].cells));
  PetscCall(PetscFree(p->types));
  PetscCall(PetscFree(p->members));
  PetscCall(PetscFree(p->nodes));
  PetscCall(PetscFree(p->operands));
  PetscCall(PetscFree(p->hash));
  PetscCall(PetscFree(p->names));
  PetscCall(PetscFree(p->cells));
  PetscCall(PetscFree(p->objects));
  PetscCall(PetscFree(p->globals));
  PetscCall(PetscFree(p->globalUnits));
  PetscCall(PetscFree(p->globalEntities));
  PetscCall(PetscFree(p->scope));
  PetscCall(PetscFree(p->exits));
  PetscCall(PetscFree(p->readsA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Carries a function out. done: all of it was understood. Then *reads is what it read, and facts->value and readsA are
   set. Else *why */
PetscErrorCode PlexInterpretFunction(PlexProgram program, int u, int entity, const PlexFactsSizes *sizes,
                                     PlexFacts *facts, unsigned *reads, PetscBool *done, const char **why)
{
  PlexInterpreter p = {.program = program, .sizes = sizes, .path = -1};
  const int       n = PlexFactsParameters(sizes, p.bits);
  int             objects[PLEX_FACTS_PARAMETERS], result = 0;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(PetscMalloc1(PLEX_HASH, &p.hash));
  for (int k = 0; k < PLEX_HASH; ++k) p.hash[k] = -1;
  PetscCall(PetscCalloc1(sizes->NfAux, &p.readsA));
  p.u    = u;
  p.unit = &program->units[u];
  (void)PlexTypeNumber(&p, PLEX_C_INTEGER, 4, PETSC_FALSE); /* type 0 */
  if (sizes->n < 1 || sizes->n > 90000) PlexGiveUp(&p, "a result of no size, or a large one");
  if (!p.why) PlexEnter(&p, u, entity);
  if (!p.why && PlexParameters(&p, PLEX_FACTS_PARAMETERS, objects) != n) PlexGiveUp(&p, "the number of its parameters");
  if (!p.why) result = PlexBind(&p, objects);
  if (!p.why) PlexBody(&p, p.ncells, 0);
  *why = p.why;
  if (!p.why) {
    PlexMarkNumbers(&p, result);
    *done  = PETSC_TRUE;
    *reads = p.reads;
    PetscCall(PlexNumberEntries(&p, result, facts));
    for (PetscInt f = 0; f < sizes->NfAux; ++f) facts->readsA[f] = p.readsA[f];
  }
  PetscCall(PlexInterpreterDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
