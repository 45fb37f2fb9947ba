/* Expressions of C, carried out as they are read. What a condition leaves out is read for its types alone
   (PlexInterpreter.dead). */
#include "facts.h"

static PlexValue PlexConditional(PlexInterpreter *);

PlexValue PlexValueMake(int type, PlexCell cell)
{
  return (PlexValue){.type = type, .cell = cell};
}

int PlexTypeInt(PlexInterpreter *p)
{
  return PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE);
}

PlexValue PlexNothing(PlexInterpreter *p)
{
  return PlexValueMake(PlexTypeInt(p), PlexCellInteger(0));
}

PlexValue PlexValueOf(PlexInterpreter *p, PlexValue v)
{
  if (!v.place || p->why || p->types[v.type].kind == PLEX_C_STRUCT) return v;
  if (p->types[v.type].kind == PLEX_C_ARRAY) return PlexValueMake(PlexTypePointer(p, p->types[v.type].of), v.pointer);
  return PlexValueMake(v.type, PlexLoad(p, v.pointer, v.type));
}

PlexCell PlexReadAs(PlexInterpreter *p, PlexValue v, int type)
{
  v = PlexValueOf(p, v);
  return PlexCellConvert(p, v.cell, v.type, type);
}

PetscInt64 PlexExpressionInteger(PlexInterpreter *p)
{
  const PlexValue v = PlexValueOf(p, PlexExpression(p));

  if (v.cell.kind != PLEX_CELL_INTEGER) PlexGiveUp(p, "a size that is not known");
  return p->why ? 1 : v.cell.i;
}

int PlexScopeFind(const PlexInterpreter *p, int name)
{
  for (int k = p->nscope - 1; k >= p->function; --k)
    if (p->scope[k].name == name) return p->scope[k].object;
  return -1;
}

/* ------------------------------------------------------------------------------------------------------- arithmetic */

int PlexPromote(PlexInterpreter *p, int type)
{
  const PlexCType t = p->types[type];

  return t.kind == PLEX_C_INTEGER && t.size < 4 ? PlexTypeInt(p) : type;
}

/* The type in which two numbers are computed with */
static int PlexCommon(PlexInterpreter *p, int a, int b)
{
  const PlexCType x = p->types[a], y = p->types[b];

  if ((x.kind != PLEX_C_INTEGER && x.kind != PLEX_C_REAL) || (y.kind != PLEX_C_INTEGER && y.kind != PLEX_C_REAL)) {
    PlexGiveUp(p, "an operation on what are no numbers");
    return a;
  }
  if (x.kind == PLEX_C_REAL || y.kind == PLEX_C_REAL) {
    if (x.kind != y.kind) return x.kind == PLEX_C_REAL ? a : b;
    return x.size >= y.size ? a : b;
  }
  a = PlexPromote(p, a);
  b = PlexPromote(p, b);
  if (p->types[a].size != p->types[b].size) return p->types[a].size > p->types[b].size ? a : b;
  return p->types[a].isUnsigned ? a : b;
}

PetscBool PlexIsPointer(PlexInterpreter *p, int type)
{
  return (PetscBool)(p->types[type].kind == PLEX_C_POINTER);
}

/* Moves a pointer of some type by a number of what it points to */
PlexCell PlexMove(PlexInterpreter *p, PlexValue pointer, PlexValue by, PetscBool back)
{
  const int wide  = PlexTypeNumber(p, PLEX_C_INTEGER, 8, PETSC_FALSE);
  const int scale = p->types[p->types[pointer.type].of].cells;
  PlexCell  cell  = pointer.cell, moved;

  if (p->dead || p->why) return cell;
  if (cell.kind != PLEX_CELL_POINTER || cell.id < 0 || scale < 1 || p->types[by.type].kind != PLEX_C_INTEGER) {
    PlexGiveUp(p, "a pointer that is not known");
    return cell;
  }
  moved = PlexCellConvert(p, by.cell, by.type, wide);
  moved = PlexCellBinary(p, '*', moved, PlexCellInteger(back ? -scale : scale), wide);
  if (moved.kind == PLEX_CELL_INTEGER) {
    cell.i += moved.i;
    if (llabs(cell.i) > 1000000000) PlexGiveUp(p, "an index out of range");
  } else
    cell.index = cell.index < 0 ? PlexNodeOf(p, moved)
                                : PlexNodeOf(p, PlexCellBinary(p, '+', PlexCellNode(cell.index), moved, wide));
  return cell;
}

/* p - q and comparisons */
static PlexValue PlexBinaryPointers(PlexInterpreter *p, int op, PlexValue a, PlexValue b)
{
  const int  wide = PlexTypeNumber(p, PLEX_C_INTEGER, 8, PETSC_FALSE);
  PetscInt64 difference;
  int        condition, other, left, right;

  if (p->dead) return PlexValueMake(op == '-' ? wide : PlexTypeInt(p), PlexCellInteger(0));
  if (a.cell.kind == PLEX_CELL_INTEGER && a.cell.i == 0) a.cell = PlexCellZero(p, b.type);
  if (b.cell.kind == PLEX_CELL_INTEGER && b.cell.i == 0) b.cell = PlexCellZero(p, a.type);
  if (a.cell.kind != PLEX_CELL_POINTER || b.cell.kind != PLEX_CELL_POINTER)
    PlexGiveUp(p, "a pointer that is not known");
  if (p->why) return PlexNothing(p);
  if (a.cell.id != b.cell.id) {
    left  = PlexCellTruth(p, a.cell, &condition);
    right = PlexCellTruth(p, b.cell, &other);
    if ((op != '=' + 256 * '=' && op != '!' + 256 * '=') || (left && right)) PlexGiveUp(p, "a comparison of pointers");
    if (p->why || (left >= 0 && right >= 0))
      return PlexValueMake(PlexTypeInt(p), PlexCellInteger(op == '!' + 256 * '='));
    if (left >= 0) condition = other;
    return PlexValueMake(PlexTypeInt(p),
                         PlexCellNode(op == '!' + 256 * '=' ? condition : PlexNodeMake(p, '!', 0, 1, &condition)));
  }
  if (a.cell.id >= 0 && PlexObjectOf(p, a.cell.id)->kind == PLEX_OBJECT_CHOICE)
    PlexGiveUp(p, "a pointer that is not known");
  if (a.cell.id < -1 || a.cell.index >= 0 || b.cell.index >= 0) PlexGiveUp(p, "a pointer that is not known");
  difference = a.cell.i - b.cell.i;
  if (op != '-')
    return PlexValueMake(PlexTypeInt(p), PlexCellBinary(p, op, PlexCellInteger(difference), PlexCellInteger(0), wide));
  return PlexValueMake(wide, PlexCellInteger(difference / PetscMax(1, p->types[p->types[a.type].of].cells)));
}

PlexValue PlexBinaryValues(PlexInterpreter *p, int op, PlexValue a, PlexValue b)
{
  const PetscBool shift    = (PetscBool)(op == '<' + 256 * '<' || op == '>' + 256 * '>');
  const PetscBool compares = (PetscBool)(op == '<' || op == '>' || (op >= 256 && !shift));
  int             type;

  a = PlexValueOf(p, a);
  b = PlexValueOf(p, b);
  if (p->why) return a;
  if (PlexIsPointer(p, a.type) && (op == '+' || op == '-') && !PlexIsPointer(p, b.type))
    return PlexValueMake(a.type, PlexMove(p, a, b, (PetscBool)(op == '-')));
  if (PlexIsPointer(p, b.type) && op == '+' && !PlexIsPointer(p, a.type))
    return PlexValueMake(b.type, PlexMove(p, b, a, PETSC_FALSE));
  if (PlexIsPointer(p, a.type) || PlexIsPointer(p, b.type)) return PlexBinaryPointers(p, op, a, b);
  type = PlexCommon(p, a.type, b.type);
  if (shift) type = PlexPromote(p, a.type);
  if (p->why) return a;
  a.cell = PlexCellConvert(p, a.cell, a.type, type);
  b.cell = PlexCellConvert(p, b.cell, b.type, type);
  return PlexValueMake(compares ? PlexTypeInt(p) : type, PlexCellBinary(p, op, a.cell, b.cell, type));
}

/* ------------------------------------------------------------------------------------------------ operators between */

/* The symbol that is 1 where another is not 0, else 0 */
static int PlexNodeTruth(PlexInterpreter *p, int node)
{
  const int op = p->nodes[node].op;

  if (op == '<' || op == '>' || op == '!' || op == '?' || (op >= 256 && op != '<' + 256 * '<' && op != '>' + 256 * '>'))
    return node;
  return PlexNodeMake(p, '?', 0, 1, &node);
}

/* The operator at a token and how it binds, 0: none */
static int PlexOperator(const PlexUnit *unit, int k, int *op)
{
  static const struct {
    const char *text;
    int         binds;
  } list[] = {
    {"||", 1 },
    {"&&", 2 },
    {"|",  3 },
    {"^",  4 },
    {"&",  5 },
    {"==", 6 },
    {"!=", 6 },
    {"<",  7 },
    {">",  7 },
    {"<=", 7 },
    {">=", 7 },
    {"<<", 8 },
    {">>", 8 },
    {"+",  9 },
    {"-",  9 },
    {"*",  10},
    {"/",  10},
    {"%",  10}
  };

  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(list); ++m) {
    if (!PlexIs(unit, k, list[m].text)) continue;
    *op = list[m].text[0] + 256 * list[m].text[1];
    return list[m].binds;
  }
  return 0;
}

static PlexValue PlexBinary(PlexInterpreter *, int binds);

/* The right side of && or ||, the left one being `left` */
static PlexValue PlexLogical(PlexInterpreter *p, PlexValue left, int op, int binds)
{
  const PetscBool and  = (PetscBool)(op == '&' + 256 * '&');
  const int       path = p->path;
  int             condition, other, truth, right, n, operands[2];
  PlexCell       *before;

  left  = PlexValueOf(p, left);
  truth = PlexCellTruth(p, left.cell, &condition);
  if (p->why) return left;
  if (truth >= 0 || p->dead) {
    const PetscBool decided = (PetscBool)(truth >= 0 && truth != and);

    p->dead += decided;
    left = PlexValueOf(p, PlexBinary(p, binds + 1));
    p->dead -= decided;
    if (decided || p->why) return PlexValueMake(PlexTypeInt(p), PlexCellInteger(truth));
    if (p->dead) return PlexNothing(p);
    truth = PlexCellTruth(p, left.cell, &condition);
    return PlexValueMake(PlexTypeInt(p),
                         truth >= 0 ? PlexCellInteger(truth) : PlexCellNode(PlexNodeTruth(p, condition)));
  }
  before  = PlexStateSave(p, &n);
  p->path = PlexPathAnd(p, path, condition, and);
  ++p->branches;
  left  = PlexValueOf(p, PlexBinary(p, binds + 1));
  right = PlexCellTruth(p, left.cell, &other);
  --p->branches;
  p->path = path;
  if (!p->why) {
    int not = PlexNodeMake(p, '!', 0, 1, &condition);

    PlexStateMerge(p, and ? not : condition, n, before);
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(before));
  if (p->why) return PlexNothing(p);
  if (right == !and) return PlexValueMake(PlexTypeInt(p), PlexCellInteger(!and));
  operands[0] = condition;
  operands[1] = right < 0 ? other : PlexNodeOf(p, PlexCellInteger(1));
  if (right >= 0) return PlexValueMake(PlexTypeInt(p), PlexCellNode(PlexNodeTruth(p, condition)));
  return PlexValueMake(PlexTypeInt(p), PlexCellNode(PlexNodeMake(p, op, 0, 2, operands)));
}

static PlexValue PlexBinary(PlexInterpreter *p, int binds)
{
  PlexValue v = PlexUnary(p);
  int       op, b;

  while (!p->why && (b = PlexOperator(p->unit, p->k, &op)) >= binds && b > 0) {
    ++p->k;
    v = PlexValueOf(p, v);
    if (b <= 2) v = PlexLogical(p, v, op, b);
    else {
      const PlexValue right = PlexBinary(p, b + 1);

      v = PlexBinaryValues(p, op, v, right);
    }
  }
  return v;
}

/* Two values of ?: in the type that they have together */
static int PlexUnify(PlexInterpreter *p, PlexValue *a, PlexValue *b)
{
  const PlexCType x = p->types[a->type], y = p->types[b->type];
  int             type = a->type;

  if (p->why || a->type == b->type) return type;
  if (x.kind == PLEX_C_VOID || y.kind == PLEX_C_VOID) type = x.kind == PLEX_C_VOID ? a->type : b->type;
  else if (x.kind == PLEX_C_POINTER || y.kind == PLEX_C_POINTER) {
    type = x.kind == PLEX_C_POINTER && !(y.kind == PLEX_C_POINTER && p->types[x.of].kind == PLEX_C_VOID) ? a->type
                                                                                                         : b->type;
  } else type = PlexCommon(p, a->type, b->type);
  a->cell = PlexCellConvert(p, a->cell, a->type, type);
  b->cell = PlexCellConvert(p, b->cell, b->type, type);
  a->type = b->type = type;
  return type;
}

/* The two sides of ?: from behind the `?`, the condition not known */
static PlexValue PlexChoose(PlexInterpreter *p, int condition)
{
  const int path = p->path;
  int       n, type;
  PlexCell *before = PlexStateSave(p, &n), *then;
  PlexValue a, b;

  ++p->branches;
  p->path = PlexPathAnd(p, path, condition, PETSC_TRUE);
  a       = PlexValueOf(p, PlexExpressionComma(p));
  then    = PlexStateSave(p, &type);
  PlexStateRestore(p, n, before);
  if (!PlexIs(p->unit, p->k, ":") && !p->why) PlexGiveUp(p, "an expression that is not known");
  ++p->k;
  p->path = PlexPathAnd(p, path, condition, PETSC_FALSE);
  b       = PlexValueOf(p, p->why ? PlexNothing(p) : PlexConditional(p));
  if (!p->why) PlexStateMerge(p, condition, n, then);
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(before));
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(then));
  --p->branches;
  p->path = path;
  if (a.place || b.place) PlexGiveUp(p, "a struct of ?:");
  type = PlexUnify(p, &a, &b);
  if (p->why || p->types[type].kind == PLEX_C_VOID) return PlexValueMake(type, PlexCellInteger(0));
  return PlexValueMake(type, PlexCellPhi(p, condition, a.cell, b.cell));
}

static PlexValue PlexConditional(PlexInterpreter *p)
{
  PlexValue v = PlexBinary(p, 1), a, b;
  int       condition, truth, type;

  if (p->why || !PlexIs(p->unit, p->k, "?")) return v;
  ++p->k;
  truth = PlexCellTruth(p, PlexValueOf(p, v).cell, &condition);
  if (truth < 0 && !p->dead) return PlexChoose(p, condition);
  p->dead += truth == 0;
  a = PlexValueOf(p, PlexExpressionComma(p));
  p->dead -= truth == 0;
  if (!PlexIs(p->unit, p->k, ":") && !p->why) PlexGiveUp(p, "an expression that is not known");
  ++p->k;
  p->dead += truth == 1;
  if (!p->why) b = PlexValueOf(p, PlexConditional(p));
  p->dead -= truth == 1;
  if (p->why) return a;
  type = PlexUnify(p, &a, &b);
  (void)type;
  return truth == 0 ? b : a;
}

static PlexValue PlexAssign(PlexInterpreter *p, PlexValue to)
{
  const PlexUnit *unit = p->unit;
  const int       k    = p->k++;
  const int       op   = PlexIs(unit, k, "=")
                         ? 0
                         : (unit->tokens[k].length == 2 ? unit->tokens[k].text[0] : unit->tokens[k].text[0] * 257);
  PlexValue       v    = PlexExpression(p);

  if (!to.place && !p->why) PlexGiveUp(p, "an assignment to no variable");
  if (p->why) return v;
  if (p->types[to.type].kind == PLEX_C_STRUCT) {
    if (op || v.type != to.type || !v.place) PlexGiveUp(p, "an assignment of a struct");
    else PlexCopyCells(p, to.pointer, v.pointer, to.type);
    return to;
  }
  if (op) v = PlexBinaryValues(p, op, PlexValueOf(p, to), v);
  v = PlexValueMake(to.type, PlexReadAs(p, v, to.type));
  PlexStore(p, to.pointer, to.type, v.cell);
  return v;
}

PlexValue PlexExpression(PlexInterpreter *p)
{
  PlexValue v;

  if (++p->nesting > PLEX_NESTING) PlexGiveUp(p, "an expression that is nested deeply");
  v = p->why ? PlexNothing(p) : PlexConditional(p);
  if (!p->why && PlexIsAssignment(p->unit, p->k) && !PlexIs(p->unit, p->k, "++") && !PlexIs(p->unit, p->k, "--"))
    v = PlexAssign(p, v);
  --p->nesting;
  return v;
}

PlexValue PlexExpressionComma(PlexInterpreter *p)
{
  PlexValue v = PlexExpression(p);

  while (!p->why && PlexIs(p->unit, p->k, ",")) {
    ++p->k;
    v = PlexExpression(p);
  }
  return v;
}
