/* Expressions of C, carried out as they are read. What a condition leaves out is read for its types alone (PlexInterpreter.dead). */
#include "facts.h"
#include <errno.h>

#define PLEX_NESTING 300 /* most, of expressions and statements in each other */

static PlexValue PlexUnary(PlexInterpreter *);
static PlexValue PlexConditional(PlexInterpreter *);

static PlexValue PlexValueMake(int type, PlexCell cell)
{
  return (PlexValue){.type = type, .cell = cell};
}

static PlexValue PlexPlace(int type, PlexCell pointer)
{
  return (PlexValue){.type = type, .place = PETSC_TRUE, .pointer = pointer};
}

static int PlexTypeInt(PlexInterpreter *p)
{
  return PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE);
}

static PlexValue PlexNothing(PlexInterpreter *p)
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

/* ------------------------------------------------------------------------------------------------------------------ arithmetic */

static int PlexPromote(PlexInterpreter *p, int type)
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

static PetscBool PlexIsPointer(PlexInterpreter *p, int type)
{
  return (PetscBool)(p->types[type].kind == PLEX_C_POINTER);
}

/* Moves a pointer of some type by a number of what it points to */
static PlexCell PlexMove(PlexInterpreter *p, PlexValue pointer, PlexValue by, PetscBool back)
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
  } else cell.index = cell.index < 0 ? PlexNodeOf(p, moved) : PlexNodeOf(p, PlexCellBinary(p, '+', PlexCellNode(cell.index), moved, wide));
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
  if (a.cell.kind != PLEX_CELL_POINTER || b.cell.kind != PLEX_CELL_POINTER) PlexGiveUp(p, "a pointer that is not known");
  if (p->why) return PlexNothing(p);
  if (a.cell.id != b.cell.id) {
    left  = PlexCellTruth(p, a.cell, &condition);
    right = PlexCellTruth(p, b.cell, &other);
    if ((op != '=' + 256 * '=' && op != '!' + 256 * '=') || (left && right)) PlexGiveUp(p, "a comparison of pointers");
    if (p->why || (left >= 0 && right >= 0)) return PlexValueMake(PlexTypeInt(p), PlexCellInteger(op == '!' + 256 * '='));
    if (left >= 0) condition = other;
    return PlexValueMake(PlexTypeInt(p), PlexCellNode(op == '!' + 256 * '=' ? condition : PlexNodeMake(p, '!', 0, 1, &condition)));
  }
  if (a.cell.id >= 0 && PlexObjectOf(p, a.cell.id)->kind == PLEX_OBJECT_CHOICE) PlexGiveUp(p, "a pointer that is not known");
  if (a.cell.id < -1 || a.cell.index >= 0 || b.cell.index >= 0) PlexGiveUp(p, "a pointer that is not known");
  difference = a.cell.i - b.cell.i;
  if (op != '-') return PlexValueMake(PlexTypeInt(p), PlexCellBinary(p, op, PlexCellInteger(difference), PlexCellInteger(0), wide));
  return PlexValueMake(wide, PlexCellInteger(difference / PetscMax(1, p->types[p->types[a.type].of].cells)));
}

static PlexValue PlexBinaryValues(PlexInterpreter *p, int op, PlexValue a, PlexValue b)
{
  const PetscBool shift    = (PetscBool)(op == '<' + 256 * '<' || op == '>' + 256 * '>');
  const PetscBool compares = (PetscBool)(op == '<' || op == '>' || (op >= 256 && !shift));
  int             type;

  a = PlexValueOf(p, a);
  b = PlexValueOf(p, b);
  if (p->why) return a;
  if (PlexIsPointer(p, a.type) && (op == '+' || op == '-') && !PlexIsPointer(p, b.type)) return PlexValueMake(a.type, PlexMove(p, a, b, (PetscBool)(op == '-')));
  if (PlexIsPointer(p, b.type) && op == '+' && !PlexIsPointer(p, a.type)) return PlexValueMake(b.type, PlexMove(p, b, a, PETSC_FALSE));
  if (PlexIsPointer(p, a.type) || PlexIsPointer(p, b.type)) return PlexBinaryPointers(p, op, a, b);
  type = PlexCommon(p, a.type, b.type);
  if (shift) type = PlexPromote(p, a.type);
  if (p->why) return a;
  a.cell = PlexCellConvert(p, a.cell, a.type, type);
  b.cell = PlexCellConvert(p, b.cell, b.type, type);
  return PlexValueMake(compares ? PlexTypeInt(p) : type, PlexCellBinary(p, op, a.cell, b.cell, type));
}

/* ------------------------------------------------------------------------------------------------------------------ primaries */

static PlexValue PlexNumber(PlexInterpreter *p)
{
  const PlexToken *token = &p->unit->tokens[p->k++];
  char             text[64], *end;
  PetscBool        real, isUnsigned = PETSC_FALSE;
  int              longs = 0;
  double           x;
  PetscInt64       i;

  if (token->length >= (int)sizeof(text)) PlexGiveUp(p, "a number of many digits");
  if (p->why) return PlexNothing(p);
  memcpy(text, token->text, (size_t)token->length);
  text[token->length] = '\0';
  real                = (PetscBool)(strpbrk(text, ".pP") || (strpbrk(text, "eE") && strncmp(text, "0x", 2) && strncmp(text, "0X", 2)));
  if (real) {
    x = strtod(text, &end);
    if (*end == 'f' || *end == 'F') {
      x = (double)strtof(text, &end);
      ++end;
      if (*end) PlexGiveUp(p, "a number");
      return PlexValueMake(PlexTypeNumber(p, PLEX_C_REAL, 4, PETSC_FALSE), PlexCellReal(p, x));
    }
    if ((*end == 'l' || *end == 'L') && !end[1] && strtold(text, &end) == (long double)x) return PlexValueMake(PlexTypeNumber(p, PLEX_C_REAL, 16, PETSC_FALSE), PlexCellReal(p, x));
    if (*end) PlexGiveUp(p, "a number of extended precision");
    return PlexValueMake(PlexTypeNumber(p, PLEX_C_REAL, 8, PETSC_FALSE), PlexCellReal(p, x));
  }
  errno = 0;
  i     = strtoll(text, &end, 0);
  if (errno || (end == text + 1 && (text[1] == 'b' || text[1] == 'B'))) PlexGiveUp(p, "a large integer");
  for (; *end; ++end) {
    if (*end == 'u' || *end == 'U') isUnsigned = PETSC_TRUE;
    else if (*end == 'l' || *end == 'L') ++longs;
    else PlexGiveUp(p, "a number");
  }
  if (i > (isUnsigned ? 4294967295LL : 2147483647LL)) longs = 2;
  if (text[0] == '0' && i > 2147483647LL) PlexGiveUp(p, "a large integer"); /* octal and hexadecimal: may be unsigned */
  return PlexValueMake(PlexTypeNumber(p, PLEX_C_INTEGER, longs ? 8 : 4, isUnsigned), PlexCellInteger(i));
}

static PlexValue PlexEnumerator(PlexInterpreter *p, int entity)
{
  const PlexUnit *unit = p->unit;
  const int       back = p->k, function = p->function, dead = p->dead, target = unit->entities[entity].token;
  int             open  = target;
  PetscInt64      value = -1;

  while (!PlexIs(unit, open, "{")) --open;
  p->function = p->nscope;
  p->dead     = 0;
  for (int k = open + 1; k <= target && !p->why;) {
    p->k = k + 1;
    ++value;
    if (PlexIs(unit, p->k, "=")) {
      ++p->k;
      value = PlexExpressionInteger(p);
      if (!PlexIs(unit, p->k, ",") && !PlexIs(unit, p->k, "}")) PlexGiveUp(p, "an enumerator");
    }
    k = p->k + 1;
  }
  p->function = function;
  p->dead     = dead;
  p->k        = back;
  if (value > 2147483647LL || value < -2147483647LL) PlexGiveUp(p, "a large integer");
  return PlexValueMake(PlexTypeInt(p), PlexCellInteger(value));
}

static PlexValue PlexName(PlexInterpreter *p)
{
  const PlexUnit *unit   = p->unit;
  const int       name   = unit->tokens[p->k].name;
  const int       object = PlexScopeFind(p, name);
  int             e;

  if (object >= 0) {
    ++p->k;
    return PlexPlace(PlexObjectOf(p, object)->type, PlexPointerTo(object, 0));
  }
  if (PlexIs(unit, p->k + 1, "(")) return PlexExpressionCall(p);
  e = PlexFind(unit, name, -1, PETSC_FALSE);
  ++p->k;
  if (e >= 0 && unit->entities[e].kind == PLEX_ENUMERATOR) return PlexEnumerator(p, e);
  if (e >= 0 && unit->entities[e].kind == PLEX_VARIABLE) {
    const int global = PlexGlobal(p, e);

    return PlexPlace(PlexObjectOf(p, global)->type, PlexPointerTo(global, 0));
  }
  if (e < 0 && PlexIs(unit, p->k - 1, "true")) return PlexValueMake(PlexTypeInt(p), PlexCellInteger(1));
  if (e < 0 && PlexIs(unit, p->k - 1, "false")) return PlexNothing(p);
  if (e < 0 && PlexIs(unit, p->k - 1, "nullptr")) {
    const int type = PlexTypePointer(p, PlexTypeNumber(p, PLEX_C_VOID, 0, PETSC_FALSE));

    return PlexValueMake(type, PlexCellZero(p, type));
  }
  PlexGiveUp(p, "a name that is not known");
  return PlexNothing(p);
}

static PlexValue PlexPrimary(PlexInterpreter *p)
{
  const PlexToken *token = &p->unit->tokens[p->k];
  PlexValue        v;

  if (++p->steps > PLEX_STEPS) PlexGiveUp(p, "a long computation");
  if (p->why) return PlexNothing(p);
  if (token->kind == PLEX_TOKEN_NUMBER) return PlexNumber(p);
  if (token->name >= PLEX_WORDS) return PlexName(p);
  if (!PlexIs(p->unit, p->k, "(") || PlexIs(p->unit, p->k + 1, "{")) {
    PlexGiveUp(p, "an expression that is not known");
    return PlexNothing(p);
  }
  ++p->k;
  v = PlexExpressionComma(p);
  if (p->k != token->match && !p->why) PlexGiveUp(p, "an expression that is not known");
  p->k = token->match + 1;
  return v;
}

/* ------------------------------------------------------------------------------------------------------------------ operators at a name */

static PlexValue PlexMember(PlexInterpreter *p, PlexValue v)
{
  const PlexCType  t     = p->types[v.type];
  const PlexToken *token = &p->unit->tokens[p->k++];

  for (int m = 0; m < t.nmembers && t.kind == PLEX_C_STRUCT && v.place; ++m) {
    const PlexCMember *member = &p->members[t.first + m];

    if (member->length != token->length || strncmp(member->name, token->text, (size_t)token->length)) continue;
    v.pointer.i += member->at;
    v.type = member->type;
    return v;
  }
  if (!p->why) PlexGiveUp(p, "a member that is not known");
  return PlexNothing(p);
}

static PlexValue PlexDereference(PlexInterpreter *p, PlexValue v)
{
  v = PlexValueOf(p, v);
  if (p->why) return v;
  if (!PlexIsPointer(p, v.type)) {
    PlexGiveUp(p, "a pointer that is not known");
    return v;
  }
  return PlexPlace(p->types[v.type].of, v.cell);
}

/* Adds 1 or takes it away at a place. The value before or after */
static PlexValue PlexIncrement(PlexInterpreter *p, PlexValue place, PetscBool back, PetscBool before)
{
  PlexValue old, one = PlexValueMake(PlexTypeInt(p), PlexCellInteger(1)), new;

  if (!place.place && !p->why) PlexGiveUp(p, "an assignment to no variable");
  old = PlexValueOf(p, place);
  new = PlexBinaryValues(p, back ? '-' : '+', old, one);
  if (p->why) return old;
  new = PlexValueMake(place.type, PlexCellConvert(p, new.cell, new.type, place.type));
  PlexStore(p, place.pointer, place.type, new.cell);
  return before ? old : new;
}

static PlexValue PlexPostfix(PlexInterpreter *p)
{
  PlexValue v = PlexPrimary(p), index;

  while (!p->why) {
    if (PlexIs(p->unit, p->k, "[")) {
      const int close = p->unit->tokens[p->k].match;

      ++p->k;
      v     = PlexValueOf(p, v);
      index = PlexValueOf(p, PlexExpressionComma(p));
      if (p->why) break;
      if (PlexIsPointer(p, index.type)) { /* 2[array] */
        const PlexValue number = v;

        v     = index;
        index = number;
      }
      if (!PlexIsPointer(p, v.type) || p->k != close) PlexGiveUp(p, "an index");
      else v = PlexPlace(p->types[v.type].of, PlexMove(p, v, index, PETSC_FALSE));
      p->k = close + 1;
    } else if (PlexIs(p->unit, p->k, ".")) {
      ++p->k;
      v = PlexMember(p, v);
    } else if (PlexIs(p->unit, p->k, "->")) {
      ++p->k;
      v = PlexMember(p, PlexDereference(p, v));
    } else if (PlexIs(p->unit, p->k, "++") || PlexIs(p->unit, p->k, "--")) v = PlexIncrement(p, v, PlexIs(p->unit, p->k++, "--"), PETSC_TRUE);
    else break;
  }
  return v;
}

static PlexValue PlexSizeof(PlexInterpreter *p)
{
  const int back = ++p->k;
  int       type;

  ++p->dead;
  p->k += PlexIs(p->unit, p->k, "(");
  if (p->k > back && PlexTypeIsNext(p)) {
    type = PlexTypeName(p);
    p->k = p->unit->tokens[back].match + 1;
  } else {
    p->k = back;
    type = PlexUnary(p).type;
  }
  --p->dead;
  if (!p->why && !PlexTypeBytes(p, type)) PlexGiveUp(p, "a size that is not known");
  return PlexValueMake(PlexTypeNumber(p, PLEX_C_INTEGER, 8, PETSC_TRUE), PlexCellInteger(p->why ? 1 : PlexTypeBytes(p, type)));
}

/* (type)value or (type){...} */
static PlexValue PlexCast(PlexInterpreter *p)
{
  const int close = p->unit->tokens[p->k].match;
  int       type;
  PlexValue v;

  ++p->k;
  type = PlexTypeName(p);
  if (p->k != close && !p->why) PlexGiveUp(p, "the name of a type");
  p->k = close + 1;
  if (p->why) return PlexNothing(p);
  if (PlexIs(p->unit, p->k, "{")) {
    const int dead = p->dead;
    int       object;

    if (dead) PlexGiveUp(p, "a literal of a struct in what is left out");
    object = PlexObjectMake(p, type);
    v      = PlexPlace(type, PlexPointerTo(object, 0));
    PlexInitialize(p, type, v.pointer);
    return v;
  }
  v = PlexUnary(p);
  if (p->types[type].kind == PLEX_C_VOID) return PlexValueMake(type, PlexCellInteger(0));
  if (p->types[type].kind == PLEX_C_STRUCT) PlexGiveUp(p, "a cast to a struct");
  return PlexValueMake(type, PlexReadAs(p, v, type));
}

static PlexValue PlexNot(PlexInterpreter *p)
{
  const PlexValue v = PlexValueOf(p, PlexUnary(p));
  int             condition;
  const int       truth = PlexCellTruth(p, v.cell, &condition);

  if (truth >= 0) return PlexValueMake(PlexTypeInt(p), PlexCellInteger(!truth));
  return PlexValueMake(PlexTypeInt(p), PlexCellNode(PlexNodeMake(p, '!', 0, 1, &condition)));
}

static PlexValue PlexMinus(PlexInterpreter *p)
{
  PlexValue v    = PlexValueOf(p, PlexUnary(p));
  const int type = PlexPromote(p, v.type);

  v.cell = PlexCellConvert(p, v.cell, v.type, type);
  v.type = type;
  if (p->why) return v;
  if (p->types[type].kind == PLEX_C_REAL) v.cell = PlexCellNegate(p, v.cell, type);
  else v = PlexBinaryValues(p, '-', PlexValueMake(type, PlexCellInteger(0)), v);
  return v;
}

static PlexValue PlexUnary(PlexInterpreter *p)
{
  const PlexUnit *unit = p->unit;
  PlexValue       v;

  if (++p->nesting > PLEX_NESTING) PlexGiveUp(p, "an expression that is nested deeply");
  if (p->why) v = PlexNothing(p);
  else if (PlexIs(unit, p->k, "(")) {
    ++p->k;
    if (PlexTypeIsNext(p)) {
      --p->k;
      v = PlexCast(p);
    } else {
      --p->k;
      v = PlexPostfix(p);
    }
  } else if (unit->tokens[p->k].name == PLEX_WORD_SIZEOF) v = PlexSizeof(p);
  else if (PlexIs(unit, p->k, "++") || PlexIs(unit, p->k, "--")) {
    const PetscBool back = PlexIs(unit, p->k++, "--");

    v = PlexIncrement(p, PlexUnary(p), back, PETSC_FALSE);
  } else if (PlexIs(unit, p->k, "&")) {
    ++p->k;
    v = PlexUnary(p);
    if (!v.place && !p->why) PlexGiveUp(p, "the address of a value");
    v = PlexValueMake(PlexTypePointer(p, v.type), v.pointer);
  } else if (PlexIs(unit, p->k, "*")) {
    ++p->k;
    v = PlexDereference(p, PlexUnary(p));
  } else if (PlexIs(unit, p->k, "-")) {
    ++p->k;
    v = PlexMinus(p);
  } else if (PlexIs(unit, p->k, "+")) {
    ++p->k;
    v      = PlexValueOf(p, PlexUnary(p));
    v.cell = PlexCellConvert(p, v.cell, v.type, PlexPromote(p, v.type));
    v.type = PlexPromote(p, v.type);
  } else if (PlexIs(unit, p->k, "~")) {
    ++p->k;
    v = PlexBinaryValues(p, '^', PlexUnary(p), PlexValueMake(PlexTypeInt(p), PlexCellInteger(-1)));
  } else if (PlexIs(unit, p->k, "!")) {
    ++p->k;
    v = PlexNot(p);
  } else v = PlexPostfix(p);
  --p->nesting;
  return v;
}

/* ------------------------------------------------------------------------------------------------------------------ operators between */

/* The symbol that is 1 where another is not 0, else 0 */
static int PlexNodeTruth(PlexInterpreter *p, int node)
{
  const int op = p->nodes[node].op;

  if (op == '<' || op == '>' || op == '!' || op == '?' || (op >= 256 && op != '<' + 256 * '<' && op != '>' + 256 * '>')) return node;
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
    return PlexValueMake(PlexTypeInt(p), truth >= 0 ? PlexCellInteger(truth) : PlexCellNode(PlexNodeTruth(p, condition)));
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
    type = x.kind == PLEX_C_POINTER && !(y.kind == PLEX_C_POINTER && p->types[x.of].kind == PLEX_C_VOID) ? a->type : b->type;
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
  const int       op   = PlexIs(unit, k, "=") ? 0 : (unit->tokens[k].length == 2 ? unit->tokens[k].text[0] : unit->tokens[k].text[0] * 257);
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
  if (!p->why && PlexIsAssignment(p->unit, p->k) && !PlexIs(p->unit, p->k, "++") && !PlexIs(p->unit, p->k, "--")) v = PlexAssign(p, v);
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
