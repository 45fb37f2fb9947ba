/*
  A pointwise function carried out: sizes and offsets are numbers, all else symbols. Loops are unrolled. Of a condition that is not
  known both ways are taken, one after the other from the same state, and the two states merged.

  A way out of a loop or function under such a condition (if (x > 0) return;) is put by with its condition and state, and the rest goes on
  where the condition does not hold. At the end of the loop or function they are merged, the last one first:

    state = c1 ? state1 : (c2 ? state2 : ... state)

  where each condition holds that of the branches around it, and that the earlier ones do not.
*/
#include "facts.h"

#define PLEX_DEPTH 40 /* most, of calls */

static PlexFlow PlexStatement(PlexInterpreter *);

/* ------------------------------------------------------------------------------------------------------------------ ways out */

static void PlexExitPush(PlexInterpreter *p, PlexFlow flow, int path, PlexCell value)
{
  PlexExit *exit;

  if (p->nexits > 1000) PlexGiveUp(p, "many ways out");
  if (p->why) return;
  PlexHold(p->exits, p->allocatedExits, p->nexits + 1);
  exit        = &p->exits[p->nexits++];
  *exit       = (PlexExit){.flow = flow, .path = path, .value = value};
  exit->cells = PlexStateSave(p, &exit->n);
}

/* Merges the ways out of one kind from the base-th on into the first n cells and p->value. live: the state that is there is come to. Returns
   whether what follows is. */
static PetscBool PlexExitMerge(PlexInterpreter *p, PlexFlow flow, int base, int n, PetscBool live)
{
  int kept = base;

  for (int k = p->nexits - 1; k >= base; --k) {
    PlexExit *exit = &p->exits[k];

    if (exit->flow != (int)flow) continue;
    if (!p->why && live) {
      PlexStateMerge(p, exit->path, n, exit->cells);
      if (flow == PLEX_FLOW_RETURN) p->value = PlexCellPhi(p, exit->path, exit->value, p->value);
    } else if (!p->why) {
      PlexStateRestore(p, n, exit->cells);
      p->value = exit->value;
    }
    live = PETSC_TRUE;
  }
  for (int k = base; k < p->nexits; ++k) {
    if (p->exits[k].flow == (int)flow) PetscCallAbort(PETSC_COMM_SELF, PetscFree(p->exits[k].cells));
    else p->exits[kept++] = p->exits[k];
  }
  p->nexits = kept;
  return live;
}

/* What is carried out from here on is under the condition `path`, and that of no way out from the base-th on */
static void PlexPathSet(PlexInterpreter *p, int path, int base)
{
  p->path = path;
  for (int k = base; k < p->nexits; ++k) p->path = PlexPathAnd(p, p->path, p->exits[k].path, PETSC_FALSE);
}

/* ------------------------------------------------------------------------------------------------------------------ scopes */

typedef struct {
  int nscope, nobjects, ncells;
} PlexFrame;

static PlexFrame PlexFrameOpen(const PlexInterpreter *p)
{
  return (PlexFrame){p->nscope, p->nobjects, p->ncells};
}

static void PlexFrameClose(PlexInterpreter *p, PlexFrame frame)
{
  p->nscope   = frame.nscope;
  p->nobjects = frame.nobjects;
  p->ncells   = frame.ncells;
}

static void PlexScopeAdd(PlexInterpreter *p, int name, int object)
{
  PlexHold(p->scope, p->allocatedScope, p->nscope + 1);
  p->scope[p->nscope++] = (PlexScoped){name, object};
}

/* ------------------------------------------------------------------------------------------------------------------ statements */

static void PlexDeclare(PlexInterpreter *p)
{
  const PlexUnit  *unit = p->unit;
  PetscInt64       words;
  const int        base = PlexTypeSpecifiers(p, &words);
  const PetscInt64 bad = ((PetscInt64)1 << PLEX_WORD_TYPEDEF) | ((PetscInt64)1 << PLEX_WORD_EXTERN), fixed = (PetscInt64)1 << PLEX_WORD_CONST;

  if ((words & bad) || ((words & ((PetscInt64)1 << PLEX_WORD_STATIC)) && !(words & fixed))) PlexGiveUp(p, "a variable that keeps its value");
  while (!p->why && !PlexIs(unit, p->k, ";")) {
    int name, type = PlexTypeDeclarator(p, base, PETSC_FALSE, &name), object;

    if (name < 0 && !p->why) PlexGiveUp(p, "a declaration");
    if (!p->why) type = PlexInitializerCount(p, type);
    if ((words & ((PetscInt64)1 << PLEX_WORD_STATIC)) && p->types[type].kind == PLEX_C_POINTER) PlexGiveUp(p, "a static pointer");
    if (p->why) return;
    object = PlexObjectMake(p, type);
    PlexScopeAdd(p, unit->tokens[name].name, object);
    if (PlexIs(unit, p->k, "=")) {
      ++p->k;
      PlexInitialize(p, type, PlexPointerTo(object, 0));
    } else if (words & ((PetscInt64)1 << PLEX_WORD_STATIC)) PlexGiveUp(p, "a constant without a value");
    if (PlexIs(unit, p->k, ",")) ++p->k;
    else if (!PlexIs(unit, p->k, ";") && !p->why) PlexGiveUp(p, "a declaration");
  }
  ++p->k;
}

/* Statements up to the token `end` */
static PlexFlow PlexStatements(PlexInterpreter *p, int end)
{
  PlexFlow flow = PLEX_FLOW_ON;

  while (!p->why && flow == PLEX_FLOW_ON && p->k < end) flow = PlexStatement(p);
  return flow;
}

static PlexFlow PlexBlock(PlexInterpreter *p)
{
  const PlexFrame frame = PlexFrameOpen(p);
  const int       close = p->unit->tokens[p->k].match;
  PlexFlow        flow;

  ++p->k;
  flow = PlexStatements(p, close);
  p->k = close + 1;
  PlexFrameClose(p, frame);
  return flow;
}

/* The statement at a token */
static PlexFlow PlexStatementAt(PlexInterpreter *p, int k)
{
  const PlexFrame frame = PlexFrameOpen(p);
  PlexFlow        flow;

  p->k = k;
  flow = PlexStatement(p);
  PlexFrameClose(p, frame);
  return flow;
}

/* Both statements of an if, other: -1 or that of its else */
static PlexFlow PlexBranch(PlexInterpreter *p, int condition, int then, int other)
{
  const int path = p->path, exits = p->nexits;
  PlexFlow  first, second         = PLEX_FLOW_ON;
  int       n;
  PlexCell *before = PlexStateSave(p, &n), *after, value;

  ++p->branches;
  p->path = PlexPathAnd(p, path, condition, PETSC_TRUE);
  PlexStateAssume(p, condition, PETSC_TRUE);
  first = PlexStatementAt(p, then);
  after = PlexStateSave(p, &n);
  value = p->value;
  if (!p->why) {
    PlexStateRestore(p, n, before);
    PlexStateAssume(p, condition, PETSC_FALSE);
    p->path = PlexPathAnd(p, path, condition, PETSC_FALSE);
    if (other >= 0) second = PlexStatementAt(p, other);
  }
  --p->branches;
  if (first == PLEX_FLOW_ON && second == PLEX_FLOW_ON) PlexStateMerge(p, condition, n, after);
  else if (first == PLEX_FLOW_ON) {
    PlexStateRestore(p, n, after);
    p->value = value;
  }
  PlexPathSet(p, path, exits);
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(before));
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(after));
  if (first == PLEX_FLOW_ON || second == PLEX_FLOW_ON) return PLEX_FLOW_ON;
  return PLEX_FLOW_NEVER; /* both went out, and are put by */
}

/* The truth of the condition between token p->k and `end`, -1: not known */
static int PlexCondition(PlexInterpreter *p, int end, int *condition)
{
  const PlexValue v = PlexValueOf(p, PlexExpressionComma(p));

  if (p->k != end && !p->why) PlexGiveUp(p, "a condition");
  return PlexCellTruth(p, v.cell, condition);
}

static PlexFlow PlexIf(PlexInterpreter *p)
{
  const PlexUnit *unit  = p->unit;
  const int       close = unit->tokens[p->k + 1].match, end = PlexStatementEnd(unit, close + 1);
  const int       other = unit->tokens[end].name == PLEX_WORD_ELSE ? end + 1 : -1, next = other < 0 ? end : PlexStatementEnd(unit, other);
  int             condition, truth;
  PlexFlow        flow = PLEX_FLOW_ON;

  p->k += 2;
  truth = PlexCondition(p, close, &condition);
  if (p->why) return flow;
  if (truth < 0) flow = PlexBranch(p, condition, close + 1, other);
  else if (truth) flow = PlexStatementAt(p, close + 1);
  else if (other >= 0) flow = PlexStatementAt(p, other);
  p->k = next;
  return flow;
}

/* A loop: its condition in tokens from to to (none: always), what is done after a turn from `step` to stepEnd, its body, what follows it */
typedef struct {
  int       from, to, step, stepEnd, body, next;
  PetscBool first; /* the condition is asked before the first turn */
} PlexLoop;

static PlexFlow PlexRepeat(PlexInterpreter *p, PlexLoop l)
{
  const int exits = p->nexits, path = p->path, branches = p->branches, n = p->ncells;
  PlexFlow  flow = PLEX_FLOW_ON;
  PetscBool live = PETSC_TRUE;

  for (PetscBool ask = l.first; live && !p->why; ask = PETSC_TRUE) {
    int condition, truth = 1, turn;

    p->k = l.from;
    if (ask && l.to > l.from) truth = PlexCondition(p, l.to, &condition);
    if (!truth || p->why) break;
    if (truth < 0) {
      PlexExitPush(p, PLEX_FLOW_BREAK, PlexPathAnd(p, p->path, condition, PETSC_FALSE), p->value);
      p->path = PlexPathAnd(p, p->path, condition, PETSC_TRUE);
      PlexStateAssume(p, condition, PETSC_TRUE);
    }
    turn = p->nexits;
    flow = PlexStatementAt(p, l.body);
    live = PlexExitMerge(p, PLEX_FLOW_CONTINUE, turn, n, (PetscBool)(flow == PLEX_FLOW_ON || flow == PLEX_FLOW_CONTINUE));
    if (flow == PLEX_FLOW_BREAK) {
      live = PETSC_TRUE;
      break;
    }
    if (flow == PLEX_FLOW_RETURN) break;
    PlexPathSet(p, path, exits);
    p->k = l.step;
    if (live && l.stepEnd > l.step) PlexExpressionComma(p);
  }
  if (flow == PLEX_FLOW_RETURN && p->nexits > exits) {
    /* the state is that of the return: others may leave the loop */
    PlexExitPush(p, PLEX_FLOW_RETURN, p->path < 0 ? PlexNodeOf(p, PlexCellInteger(1)) : p->path, p->value);
    live = PETSC_FALSE;
    flow = PLEX_FLOW_NEVER;
  }
  p->branches = branches;
  p->k        = l.next;
  if (flow == PLEX_FLOW_RETURN) return flow;
  live = PlexExitMerge(p, PLEX_FLOW_BREAK, exits, n, live);
  PlexPathSet(p, path, exits);
  return live ? PLEX_FLOW_ON : PLEX_FLOW_NEVER;
}

/* The `;` that comes next */
static int PlexSemicolon(const PlexUnit *unit, int k)
{
  while (k < unit->ntokens && !PlexIs(unit, k, ";")) k = unit->tokens[k].match > k ? unit->tokens[k].match + 1 : k + 1;
  return k;
}

static PlexFlow PlexFor(PlexInterpreter *p)
{
  const PlexUnit *unit  = p->unit;
  const PlexFrame frame = PlexFrameOpen(p);
  const int       close = unit->tokens[p->k + 1].match, first = PlexSemicolon(unit, p->k + 2), second = PlexSemicolon(unit, first + 1);
  PlexFlow        flow;

  p->k += 2;
  if (second >= close) PlexGiveUp(p, "a loop");
  if (p->why) return PLEX_FLOW_ON;
  if (PlexTypeIsNext(p)) PlexDeclare(p);
  else if (p->k < first) PlexExpressionComma(p);
  flow = PlexRepeat(p, (PlexLoop){first + 1, second, second + 1, close, close + 1, PlexStatementEnd(unit, close + 1), PETSC_TRUE});
  PlexFrameClose(p, frame);
  return flow;
}

static PlexFlow PlexWhile(PlexInterpreter *p)
{
  const PlexUnit *unit  = p->unit;
  const int       close = unit->tokens[p->k + 1].match;

  return PlexRepeat(p, (PlexLoop){p->k + 2, close, 0, 0, close + 1, PlexStatementEnd(unit, close + 1), PETSC_TRUE});
}

static PlexFlow PlexDo(PlexInterpreter *p)
{
  const PlexUnit *unit = p->unit;
  const int       body = p->k + 1, end = PlexStatementEnd(unit, body); /* while (...); */

  if (unit->tokens[end].name != PLEX_WORD_WHILE || !PlexIs(unit, end + 1, "(")) PlexGiveUp(p, "a loop");
  if (p->why) return PLEX_FLOW_ON;
  return PlexRepeat(p, (PlexLoop){end + 2, unit->tokens[end + 1].match, 0, 0, body, unit->tokens[end + 1].match + 2, PETSC_FALSE});
}

/* The token behind the label of a switch that a number goes to, of the block at token open; -1: none */
static int PlexCaseFind(PlexInterpreter *p, int open, PetscInt64 value)
{
  const PlexUnit *unit  = p->unit;
  const int       close = unit->tokens[open].match;
  int             other = -1;

  for (int k = open + 1; k < close && !p->why; ++k) {
    if (unit->tokens[k].name == PLEX_WORD_DEFAULT) other = k + 2;
    if (unit->tokens[k].name == PLEX_WORD_CASE) {
      PetscInt64 label;

      p->k  = k + 1;
      label = PlexExpressionInteger(p);
      if (!PlexIs(unit, p->k, ":") && !p->why) PlexGiveUp(p, "a label of a switch");
      if (label == value) return p->k + 1;
      k = p->k;
    }
    if (unit->tokens[k].match > k) { /* labels inside statements are not looked for */
      for (int m = k; m < unit->tokens[k].match; ++m)
        if (unit->tokens[m].name == PLEX_WORD_CASE || unit->tokens[m].name == PLEX_WORD_DEFAULT) {
          int around = m; /* they may be of a switch in this one */

          while (around > k && !(unit->tokens[around].name == PLEX_WORD_SWITCH && unit->tokens[unit->tokens[around + 1].match + 1].match > m)) --around;
          if (around == k) PlexGiveUp(p, "a label of a switch");
        }
      k = unit->tokens[k].match;
    }
  }
  return other;
}

static PlexFlow PlexSwitch(PlexInterpreter *p)
{
  const PlexUnit *unit  = p->unit;
  const int       close = unit->tokens[p->k + 1].match, open = close + 1, exits = p->nexits, path = p->path, n = p->ncells;
  const PlexFrame frame = PlexFrameOpen(p);
  PetscInt64      value;
  int             label;
  PlexFlow        flow = PLEX_FLOW_ON;

  p->k += 2;
  value = PlexExpressionInteger(p);
  if ((p->k != close || !PlexIs(unit, open, "{")) && !p->why) PlexGiveUp(p, "a switch");
  label = p->why ? -1 : PlexCaseFind(p, open, value);
  if (label >= 0) {
    p->k = label;
    flow = PlexStatements(p, unit->tokens[open].match);
  }
  p->k = unit->tokens[open].match + 1;
  if (p->why) return PLEX_FLOW_ON;
  PlexFrameClose(p, frame);
  if (flow == PLEX_FLOW_RETURN || flow == PLEX_FLOW_CONTINUE) {
    if (p->nexits > exits) PlexGiveUp(p, "a way out of a switch");
    return flow;
  }
  flow = PlexExitMerge(p, PLEX_FLOW_BREAK, exits, n, (PetscBool)(flow != PLEX_FLOW_NEVER)) ? PLEX_FLOW_ON : PLEX_FLOW_NEVER;
  PlexPathSet(p, path, exits);
  return flow;
}

/* break, continue and return, of which those under a condition that is not known are put by */
static PlexFlow PlexGoOut(PlexInterpreter *p, PlexFlow flow)
{
  const int branches = flow == PLEX_FLOW_RETURN ? p->branches0 : p->branchesLoop;

  ++p->k;
  if (flow == PLEX_FLOW_RETURN && !PlexIs(p->unit, p->k, ";")) {
    const PlexValue v = PlexValueOf(p, PlexExpression(p));

    if (p->why) return flow;
    if (p->types[p->returns].kind == PLEX_C_STRUCT) {
      if (v.type != p->returns || !v.place) PlexGiveUp(p, "a struct that is returned");
      else PlexCopyCells(p, PlexPointerTo(p->temporary, 0), v.pointer, v.type);
    } else if (p->types[p->returns].kind != PLEX_C_VOID) p->value = PlexReadAs(p, v, p->returns);
  }
  if (!PlexIs(p->unit, p->k, ";") && !p->why) PlexGiveUp(p, "a statement");
  ++p->k;
  if (p->branches > branches) PlexExitPush(p, flow, p->path, p->value);
  return flow;
}

static PlexFlow PlexLoopStatement(PlexInterpreter *p, int word)
{
  const int back = p->branchesLoop;
  PlexFlow  flow;

  p->branchesLoop = p->branches;
  flow            = word == PLEX_WORD_FOR ? PlexFor(p) : (word == PLEX_WORD_WHILE ? PlexWhile(p) : PlexDo(p));
  p->branchesLoop = back;
  return flow;
}

/* Statements that a word begins. PETSC_FALSE: there is none */
static PetscBool PlexWordStatement(PlexInterpreter *p, int word, PlexFlow *flow)
{
  switch (word) {
  case PLEX_WORD_IF:
    *flow = PlexIf(p);
    return PETSC_TRUE;
  case PLEX_WORD_FOR:
  case PLEX_WORD_WHILE:
  case PLEX_WORD_DO:
    *flow = PlexLoopStatement(p, word);
    return PETSC_TRUE;
  case PLEX_WORD_SWITCH:
    *flow = PlexSwitch(p);
    return PETSC_TRUE;
  case PLEX_WORD_BREAK:
    *flow = PlexGoOut(p, PLEX_FLOW_BREAK);
    return PETSC_TRUE;
  case PLEX_WORD_CONTINUE:
    *flow = PlexGoOut(p, PLEX_FLOW_CONTINUE);
    return PETSC_TRUE;
  case PLEX_WORD_RETURN:
    *flow = PlexGoOut(p, PLEX_FLOW_RETURN);
    return PETSC_TRUE;
  case PLEX_WORD_CASE: /* come to from the one before */
    while (!PlexIs(p->unit, p->k, ":")) ++p->k;
    ++p->k;
    return PETSC_TRUE;
  case PLEX_WORD_DEFAULT:
    p->k += 2;
    return PETSC_TRUE;
  case PLEX_WORD_STATIC_ASSERT:
    p->k = PlexSemicolon(p->unit, p->k) + 1;
    return PETSC_TRUE;
  case PLEX_WORD_GOTO:
    PlexGiveUp(p, "a goto");
    return PETSC_TRUE;
  default:
    return PETSC_FALSE;
  }
}

static PlexFlow PlexStatement(PlexInterpreter *p)
{
  const PlexUnit *unit = p->unit;
  PlexFlow        flow = PLEX_FLOW_ON;

  if (++p->nesting > 300 || ++p->steps > PLEX_STEPS) PlexGiveUp(p, "a long computation");
  if (p->why) return flow;
  if (PlexIs(unit, p->k, "{")) flow = PlexBlock(p);
  else if (PlexIs(unit, p->k, ";")) ++p->k;
  else if (PlexWordStatement(p, unit->tokens[p->k].name, &flow)) { /* done */ } else if (unit->tokens[p->k].name >= PLEX_WORDS && PlexIs(unit, p->k + 1, ":"))
    p->k += 2; /* a label */
  else if (PlexTypeIsNext(p)) PlexDeclare(p);
  else {
    PlexExpressionComma(p);
    if (!PlexIs(unit, p->k, ";") && !p->why) PlexGiveUp(p, "a statement");
    ++p->k;
  }
  --p->nesting;
  return flow;
}

/* ------------------------------------------------------------------------------------------------------------------ functions */

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

/* The object of each parameter from behind the parenthesis at p->k on, without a value; their names in scope. Their number */
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
    } else PlexStore(p, PlexPointerTo(objects[k], 0), type, PlexCellConvert(p, arguments[k].cell, arguments[k].type, type));
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

/* ------------------------------------------------------------------------------------------------------------------ the pointwise function */

/* An array of sizes that are known; NULL: they are not */
static void PlexBindSizes(PlexInterpreter *p, int object, PetscInt n, const PetscInt values[])
{
  const PlexCType pointer = p->types[PlexObjectOf(p, object)->type];
  PlexObject      o       = {.kind = PLEX_OBJECT_FIXED, .n = (int)n};

  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_INTEGER) PlexGiveUp(p, "the types of its parameters");
  if (p->why) return;
  o.type = PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = pointer.of, .n = (int)n, .cells = (int)n});
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(n, &o.fixed));
  for (PetscInt k = 0; k < n; ++k) o.fixed[k] = values ? PlexCellInteger(values[k]) : (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
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
    PlexStore(p, PlexPointerTo(object, 0), type, PlexCellNode(PlexNodeMake(p, PLEX_NODE_LEAF, (PetscInt64)leaf << 32, 0, NULL)));
    return;
  }
  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_REAL) PlexGiveUp(p, "the types of its parameters");
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

  if (pointer.kind != PLEX_C_POINTER || p->types[pointer.of].kind != PLEX_C_REAL) PlexGiveUp(p, "the types of its parameters");
  if (p->why) return 0;
  result = PlexObjectMake(p, PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = pointer.of, .n = (int)n, .cells = (int)n}));
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
  const PetscInt        n = s->uOff ? s->uOff[s->Nf] : 1000000, nx = s->uOff_x ? s->uOff_x[s->Nf] : 1000000, na = s->aOff ? s->aOff[s->NfAux] : 1000000, nax = s->aOff_x ? s->aOff_x[s->NfAux] : 1000000;
  const PetscInt        counts[3] =
    {
      s->dim, s->Nf, s->NfAux
  },
                 sizes[2][3]          = {{n, n, nx}, {na, na, nax}};
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

/* Carries a function out. done: all of it was understood. Then *reads is what it read, and facts->value and readsA are set. Else *why */
PetscErrorCode PlexInterpretFunction(PlexProgram program, int u, int entity, const PlexFactsSizes *sizes, PlexFacts *facts, unsigned *reads, PetscBool *done, const char **why)
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
    *done  = PETSC_TRUE;
    *reads = p.reads;
    PetscCall(PlexNumberEntries(&p, result, facts));
    for (PetscInt f = 0; f < sizes->NfAux; ++f) facts->readsA[f] = p.readsA[f];
  }
  PetscCall(PlexInterpreterDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
