/*
  Statements of C, carried out. Loops are unrolled. Of a condition that is not known both ways are taken, one after the
  other from the same state, and the two states merged.

  A way out of a loop or function under such a condition (if (x > 0) return;) is put by with its condition and state,
  and the rest goes on where the condition does not hold. At the end of the loop or function they are merged, the last
  one first:

    state = c1 ? state1 : (c2 ? state2 : ... state)

  where each condition holds that of the branches around it, and that the earlier ones do not.
*/
#include "facts.h"

static PlexFlow PlexStatement(PlexInterpreter *);

/* --------------------------------------------------------------------------------------------------------- ways out */

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

PetscBool PlexExitMerge(PlexInterpreter *p, PlexFlow flow, int base, int n, PetscBool live)
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

/* ----------------------------------------------------------------------------------------------------------- scopes */

PlexFrame PlexFrameOpen(const PlexInterpreter *p)
{
  return (PlexFrame){p->nscope, p->nobjects, p->ncells};
}

void PlexFrameClose(PlexInterpreter *p, PlexFrame frame)
{
  p->nscope   = frame.nscope;
  p->nobjects = frame.nobjects;
  p->ncells   = frame.ncells;
}

void PlexScopeAdd(PlexInterpreter *p, int name, int object)
{
  PlexHold(p->scope, p->allocatedScope, p->nscope + 1);
  p->scope[p->nscope++] = (PlexScoped){name, object};
}

/* ------------------------------------------------------------------------------------------------------- statements */

static void PlexDeclare(PlexInterpreter *p)
{
  const PlexUnit  *unit = p->unit;
  PetscInt64       words;
  const int        base  = PlexTypeSpecifiers(p, &words);
  const PetscInt64 bad   = ((PetscInt64)1 << PLEX_WORD_TYPEDEF) | ((PetscInt64)1 << PLEX_WORD_EXTERN),
                   fixed = (PetscInt64)1 << PLEX_WORD_CONST;

  if ((words & bad) || ((words & ((PetscInt64)1 << PLEX_WORD_STATIC)) && !(words & fixed)))
    PlexGiveUp(p, "a variable that keeps its value");
  while (!p->why && !PlexIs(unit, p->k, ";")) {
    int name, type = PlexTypeDeclarator(p, base, PETSC_FALSE, &name), object;

    if (name < 0 && !p->why) PlexGiveUp(p, "a declaration");
    if (!p->why) type = PlexInitializerCount(p, type);
    if ((words & ((PetscInt64)1 << PLEX_WORD_STATIC)) && p->types[type].kind == PLEX_C_POINTER)
      PlexGiveUp(p, "a static pointer");
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

PlexFlow PlexBlock(PlexInterpreter *p)
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
  const int       other = unit->tokens[end].name == PLEX_WORD_ELSE ? end + 1 : -1,
                  next  = other < 0 ? end : PlexStatementEnd(unit, other);
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

/* A loop: its condition in tokens from to to (none: always), what is done after a turn from `step` to stepEnd, its
   body, what follows it */
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
    live = PlexExitMerge(p, PLEX_FLOW_CONTINUE, turn, n,
                         (PetscBool)(flow == PLEX_FLOW_ON || flow == PLEX_FLOW_CONTINUE));
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
  const int       close = unit->tokens[p->k + 1].match, first = PlexSemicolon(unit, p->k + 2),
                  second = PlexSemicolon(unit, first + 1);
  PlexFlow        flow;

  p->k += 2;
  if (second >= close) PlexGiveUp(p, "a loop");
  if (p->why) return PLEX_FLOW_ON;
  if (PlexTypeIsNext(p)) PlexDeclare(p);
  else if (p->k < first) PlexExpressionComma(p);
  flow = PlexRepeat(p, (PlexLoop){first + 1, second, second + 1, close, close + 1, PlexStatementEnd(unit, close + 1),
                                  PETSC_TRUE});
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
  return PlexRepeat(p, (PlexLoop){end + 2, unit->tokens[end + 1].match, 0, 0, body, unit->tokens[end + 1].match + 2,
                                  PETSC_FALSE});
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

          while (around > k && !(unit->tokens[around].name == PLEX_WORD_SWITCH &&
                                 unit->tokens[unit->tokens[around + 1].match + 1].match > m))
            --around;
          if (around == k) PlexGiveUp(p, "a label of a switch");
        }
      k = unit->tokens[k].match;
    }
  }
  return other;
}

static PlexFlow PlexSwitch(PlexInterpreter *p)
{
  const PlexUnit *unit = p->unit;
  const int close = unit->tokens[p->k + 1].match, open = close + 1, exits = p->nexits, path = p->path, n = p->ncells;
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
  flow = PlexExitMerge(p, PLEX_FLOW_BREAK, exits, n, (PetscBool)(flow != PLEX_FLOW_NEVER)) ? PLEX_FLOW_ON
                                                                                           : PLEX_FLOW_NEVER;
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

  if (++p->nesting > PLEX_NESTING || ++p->steps > PLEX_STEPS) PlexGiveUp(p, "a long computation");
  if (p->why) return flow;
  if (PlexIs(unit, p->k, "{")) flow = PlexBlock(p);
  else if (PlexIs(unit, p->k, ";")) ++p->k;
  else if (PlexWordStatement(p, unit->tokens[p->k].name, &flow)) {                            /* done */
  } else if (unit->tokens[p->k].name >= PLEX_WORDS && PlexIs(unit, p->k + 1, ":")) p->k += 2; /* a label */
  else if (PlexTypeIsNext(p)) PlexDeclare(p);
  else {
    PlexExpressionComma(p);
    if (!PlexIs(unit, p->k, ";") && !p->why) PlexGiveUp(p, "a statement");
    ++p->k;
  }
  --p->nesting;
  return flow;
}
