/*
  Symbols. A number that follows from the arguments alone is one symbol wherever it comes from: sums and products with
  their operands in one order, a - b as a + (-b), signs outside of products. All of that is exact in floating point
  arithmetic. So is 0 + x = x, but for the sign of a zero. Nothing is associated anew, and 0 * x is not 0, since x may
  be infinite.

  Numbers that are known are computed where the result is exact in single precision too, as the device may have that.
*/
#include "facts.h"

static unsigned PlexNodeHash(const PlexInterpreter *p, int op, PetscInt64 value, int n, const int operands[])
{
  unsigned hash = 2166136261u ^ (unsigned)op;

  (void)p;
  hash = (hash * 16777619u) ^ (unsigned)value;
  hash = (hash * 16777619u) ^ (unsigned)((PetscInt64)value >> 32);
  for (int k = 0; k < n; ++k) hash = (hash * 16777619u) ^ (unsigned)operands[k];
  return (hash ^ (hash >> 15)) % PLEX_HASH;
}

int PlexNodeMake(PlexInterpreter *p, int op, PetscInt64 value, int n, const int operands[])
{
  const unsigned slot = PlexNodeHash(p, op, value, n, operands);

  for (int k = p->hash[slot]; k >= 0; k = p->nodes[k].next) {
    const PlexNode *node = &p->nodes[k];

    if (node->op == op && node->value == value && node->n == n &&
        (!n || !memcmp(&p->operands[node->first], operands, sizeof(int) * (size_t)n)))
      return k;
  }
  PlexHold(p->nodes, p->allocatedNodes, p->nnodes + 1);
  PlexHold(p->operands, p->allocatedOperands, p->noperands + n + 1);
  p->nodes[p->nnodes] = (PlexNode){.op = op, .value = value, .first = p->noperands, .n = n, .next = p->hash[slot]};
  for (int k = 0; k < n; ++k) p->operands[p->noperands++] = operands[k];
  p->hash[slot] = p->nnodes;
  return p->nnodes++;
}

PlexCell PlexCellInteger(PetscInt64 i)
{
  return (PlexCell){.kind = PLEX_CELL_INTEGER, .index = -1, .i = i};
}

PlexCell PlexCellNode(int node)
{
  return (PlexCell){.kind = PLEX_CELL_NODE, .id = node, .index = -1};
}

PlexCell PlexCellReal(PlexInterpreter *p, double x)
{
  PetscInt64 bits;

  memcpy(&bits, &x, sizeof(bits));
  return PlexCellNode(PlexNodeMake(p, PLEX_NODE_REAL, bits, 0, NULL));
}

PlexCell PlexCellZero(PlexInterpreter *p, int type)
{
  if (p->types[type].kind == PLEX_C_INTEGER) return PlexCellInteger(0);
  if (p->types[type].kind == PLEX_C_POINTER) return (PlexCell){.kind = PLEX_CELL_POINTER, .id = -1, .index = -1};
  return PlexCellReal(p, 0.);
}

PetscBool PlexCellSame(PlexCell a, PlexCell b)
{
  return (PetscBool)(a.kind == b.kind &&
                     (a.kind == PLEX_CELL_UNSET ||
                      (a.kind == PLEX_CELL_INTEGER
                         ? a.i == b.i
                         : a.id == b.id && (a.kind == PLEX_CELL_NODE || (a.i == b.i && a.index == b.index)))));
}

/* The symbol of a cell */
int PlexNodeOf(PlexInterpreter *p, PlexCell cell)
{
  switch (cell.kind) {
  case PLEX_CELL_NODE:
    return cell.id;
  case PLEX_CELL_INTEGER:
    return PlexNodeMake(p, PLEX_NODE_INTEGER, cell.i, 0, NULL);
  case PLEX_CELL_POINTER:
    PlexGiveUp(p, "a pointer as a number");
    break;
  default:
    if (!p->dead) PlexGiveUp(p, "a value that was not set");
  }
  return PlexNodeMake(p, PLEX_NODE_UNSET, 0, 0, NULL);
}

PetscBool PlexCellReals(PlexInterpreter *p, PlexCell cell, double *x)
{
  if (cell.kind != PLEX_CELL_NODE || p->nodes[cell.id].op != PLEX_NODE_REAL) return PETSC_FALSE;
  memcpy(x, &p->nodes[cell.id].value, sizeof(*x));
  return PETSC_TRUE;
}

static PetscBool PlexIsSingle(double x)
{
  return (PetscBool)((double)(float)x == x);
}

/* An integer as a type has it */
static PetscInt64 PlexWrap(const PlexCType *t, PetscInt64 i)
{
  if (t->isBool) return i != 0;
  switch (t->size) {
  case 1:
    return t->isUnsigned ? (PetscInt64)(unsigned char)i : (PetscInt64)(signed char)i;
  case 2:
    return t->isUnsigned ? (PetscInt64)(unsigned short)i : (PetscInt64)(short)i;
  case 4:
    return t->isUnsigned ? (PetscInt64)(unsigned)i : (PetscInt64)(int)i;
  default:
    return i;
  }
}

PlexCell PlexCellConvert(PlexInterpreter *p, PlexCell cell, int from, int to)
{
  const PlexCType t = p->types[to];
  double          x;
  int             node;

  if (from == to || p->why) return cell;
  if (cell.kind == PLEX_CELL_UNSET) return cell;
  if (t.kind == PLEX_C_VOID) return cell;
  if (t.kind == PLEX_C_POINTER) {
    if (cell.kind == PLEX_CELL_INTEGER && cell.i == 0) return PlexCellZero(p, to);
    if (cell.kind != PLEX_CELL_POINTER) PlexGiveUp(p, "a pointer out of a number");
    return cell;
  }
  if (p->types[from].kind == PLEX_C_POINTER || p->types[from].kind == PLEX_C_STRUCT || t.kind == PLEX_C_STRUCT ||
      t.kind == PLEX_C_ARRAY) {
    PlexGiveUp(p, "a pointer as a number");
    return cell;
  }
  if (cell.kind == PLEX_CELL_INTEGER && t.kind == PLEX_C_INTEGER) return PlexCellInteger(PlexWrap(&t, cell.i));
  if (cell.kind == PLEX_CELL_INTEGER && llabs(cell.i) < (1 << 24)) return PlexCellReal(p, (double)cell.i);
  if (PlexCellReals(p, cell, &x) && t.kind == PLEX_C_REAL && PlexIsSingle(x)) return cell;
  if (PlexCellReals(p, cell, &x) && t.kind == PLEX_C_INTEGER && PlexIsSingle(x) && PetscAbsReal(x) < 1e9)
    return PlexCellInteger(t.isBool ? x != 0. : (PetscInt64)x);
  node = PlexNodeOf(p, cell);
  return PlexCellNode(PlexNodeMake(p, PLEX_NODE_CONVERT, to, 1, &node));
}

PlexCell PlexCellNegate(PlexInterpreter *p, PlexCell a, int type)
{
  const int      node = PlexNodeOf(p, a);
  const PlexNode n    = p->nodes[node];
  double         x;

  if (PlexCellReals(p, a, &x)) return PlexCellReal(p, -x);
  if (n.op == PLEX_NODE_NEGATE && n.value == type) return PlexCellNode(p->operands[n.first]);
  return PlexCellNode(PlexNodeMake(p, PLEX_NODE_NEGATE, type, 1, &node));
}

/* a without its sign, which is turned into *negative */
static PlexCell PlexUnsign(PlexInterpreter *p, PlexCell a, int type, PetscBool *negative)
{
  double x;

  if (PlexCellReals(p, a, &x) && x < 0.) {
    *negative = (PetscBool)!*negative;
    return PlexCellReal(p, -x);
  }
  if (p->nodes[a.id].op != PLEX_NODE_NEGATE || p->nodes[a.id].value != type) return a;
  *negative = (PetscBool)!*negative;
  return PlexCellNode(p->operands[p->nodes[a.id].first]);
}

/* An operation on known reals, if its result is exact */
static PetscBool PlexFoldReal(int op, double x, double y, double *r)
{
  if (!PlexIsSingle(x) || !PlexIsSingle(y)) return PETSC_FALSE;
  switch (op) {
  case '+':
    *r = x + y;
    return (PetscBool)(PlexIsSingle(*r) && *r - x == y && *r - y == x);
  case '*':
    *r = x * y; /* of 24 bits each: exact in double */
    return (PetscBool)(PlexIsSingle(*r) && (*r != 0. || x == 0. || y == 0.));
  case '/':
    *r = y == 0. ? 0. : x / y;
    return (PetscBool)(y != 0. && PlexIsSingle(*r) && *r * y == x && (x == 0. || *r != 0.));
  default:
    return PETSC_FALSE;
  }
}

/* An operation on reals, of which one is not known */
static PlexCell PlexBinaryReal(PlexInterpreter *p, int op, PlexCell a, PlexCell b, int type)
{
  double    x, y, r;
  PetscBool knownA, knownB, negative = PETSC_FALSE;
  int       operands[2];

  a = PlexCellNode(PlexNodeOf(p, a));
  b = PlexCellNode(PlexNodeOf(p, b));
  if (op == '-') {
    b  = PlexCellNegate(p, b, type);
    op = '+';
  }
  if (op == '*' || op == '/') {
    a = PlexUnsign(p, a, type, &negative);
    b = PlexUnsign(p, b, type, &negative);
  }
  knownA = PlexCellReals(p, a, &x);
  knownB = PlexCellReals(p, b, &y);
  if (knownA && knownB && PlexFoldReal(op, x, y, &r)) return PlexCellReal(p, negative ? -r : r);
  if (op == '+' && knownA && x == 0.) return b;
  if (op == '+' && knownB && y == 0.) return a;
  if (op == '*' && knownA && x == 1.) return negative ? PlexCellNegate(p, b, type) : b;
  if (op != '+' && knownB && y == 1.) return negative ? PlexCellNegate(p, a, type) : a;
  operands[0] = op == '/' ? a.id : PetscMin(a.id, b.id);
  operands[1] = op == '/' ? b.id : PetscMax(a.id, b.id);
  a           = PlexCellNode(PlexNodeMake(p, op, type, 2, operands));
  return negative ? PlexCellNode(PlexNodeMake(p, PLEX_NODE_NEGATE, type, 1, &a.id)) : a;
}

static PlexCell PlexFoldInteger(PlexInterpreter *p, int op, PetscInt64 a, PetscInt64 b, const PlexCType *t)
{
  const PetscBool wide = (PetscBool)(t->isUnsigned && t->size == 8);

  if ((op == '/' || op == '%') && (b == 0 || (wide && (a < 0 || b < 0)))) {
    if (!p->dead) PlexGiveUp(p, "a division of integers by zero");
    return PlexCellInteger(0);
  }
  if (a == PETSC_INT64_MIN || b == PETSC_INT64_MIN) {
    PlexGiveUp(p, "a large integer");
    return PlexCellInteger(0);
  }
  switch (op) {
  case '+':
    return PlexCellInteger(PlexWrap(t, (PetscInt64)((uint64_t)a + (uint64_t)b)));
  case '-':
    return PlexCellInteger(PlexWrap(t, (PetscInt64)((uint64_t)a - (uint64_t)b)));
  case '*':
    return PlexCellInteger(PlexWrap(t, (PetscInt64)((uint64_t)a * (uint64_t)b)));
  case '/':
    return PlexCellInteger(PlexWrap(t, a / b));
  case '%':
    return PlexCellInteger(PlexWrap(t, a % b));
  case '&':
    return PlexCellInteger(PlexWrap(t, a & b));
  case '|':
    return PlexCellInteger(PlexWrap(t, a | b));
  case '^':
    return PlexCellInteger(PlexWrap(t, a ^ b));
  default:
    if (b < 0 || b > 31 || a < 0) PlexGiveUp(p, "a shift");
    if (p->why) return PlexCellInteger(0);
    return PlexCellInteger(PlexWrap(t, op == '<' + 256 * '<' ? (PetscInt64)((uint64_t)a << b) : a >> b));
  }
}

/* A comparison of what has one type */
static PlexCell PlexCompare(PlexInterpreter *p, int op, PlexCell a, PlexCell b, int type)
{
  double    x, y;
  int       operands[2];
  PetscBool known = PETSC_FALSE, less = PETSC_FALSE, equal = PETSC_FALSE;

  if (a.kind == PLEX_CELL_INTEGER && b.kind == PLEX_CELL_INTEGER) {
    known = PETSC_TRUE;
    less  = (PetscBool)(p->types[type].isUnsigned ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i);
    equal = (PetscBool)(a.i == b.i);
  } else if (PlexCellReals(p, a, &x) && PlexCellReals(p, b, &y) && PlexIsSingle(x) && PlexIsSingle(y)) {
    known = PETSC_TRUE;
    less  = (PetscBool)(x < y);
    equal = (PetscBool)(x == y);
  }
  if (known) {
    if (op == '<') return PlexCellInteger(less);
    if (op == '>') return PlexCellInteger(!less && !equal);
    if (op == '<' + 256 * '=') return PlexCellInteger(less || equal);
    if (op == '>' + 256 * '=') return PlexCellInteger(!less);
    return PlexCellInteger(op == '=' + 256 * '=' ? equal : !equal);
  }
  operands[0] = PlexNodeOf(p, a);
  operands[1] = PlexNodeOf(p, b);
  for (int side = 0; side < 2; ++side) { /* one of two numbers, and both compare alike */
    const PlexNode n = p->nodes[operands[side]];
    PlexCell       first, second;

    if (n.op != PLEX_NODE_PHI || p->nodes[p->operands[n.first + 1]].op != PLEX_NODE_INTEGER ||
        p->nodes[p->operands[n.first + 2]].op != PLEX_NODE_INTEGER || (side ? a : b).kind != PLEX_CELL_INTEGER)
      continue;
    first  = PlexCellInteger(p->nodes[p->operands[n.first + 1]].value);
    second = PlexCellInteger(p->nodes[p->operands[n.first + 2]].value);
    first  = side ? PlexCompare(p, op, a, first, type) : PlexCompare(p, op, first, b, type);
    second = side ? PlexCompare(p, op, a, second, type) : PlexCompare(p, op, second, b, type);
    return PlexCellPhi(p, p->operands[n.first], first, second);
  }
  return PlexCellNode(PlexNodeMake(p, op, type, 2, operands));
}

PlexCell PlexCellBinary(PlexInterpreter *p, int op, PlexCell a, PlexCell b, int type)
{
  const PlexCType t = p->types[type];
  int             operands[2];

  if (p->why) return a;
  if (op == '<' || op == '>' || (op >= 256 && op != '<' + 256 * '<' && op != '>' + 256 * '>'))
    return PlexCompare(p, op, a, b, type);
  if (t.kind == PLEX_C_REAL) return PlexBinaryReal(p, op, a, b, type);
  if (a.kind == PLEX_CELL_INTEGER && b.kind == PLEX_CELL_INTEGER) return PlexFoldInteger(p, op, a.i, b.i, &t);
  if (b.kind == PLEX_CELL_INTEGER && ((b.i == 0 && (op == '+' || op == '-')) || (b.i == 1 && (op == '*' || op == '/'))))
    return a;
  if (a.kind == PLEX_CELL_INTEGER && ((a.i == 0 && op == '+') || (a.i == 1 && op == '*'))) return b;
  operands[0] = PlexNodeOf(p, a);
  operands[1] = PlexNodeOf(p, b);
  if ((op == '+' || op == '*') && operands[0] > operands[1]) {
    const int first = operands[0];

    operands[0] = operands[1];
    operands[1] = first;
  }
  return PlexCellNode(PlexNodeMake(p, op, type, 2, operands));
}

/* What a cell is where a condition holds, or does not: one side of a choice on that condition */
PlexCell PlexCellAssume(const PlexInterpreter *p, PlexCell cell, int condition, PetscBool holds)
{
  while (cell.kind == PLEX_CELL_NODE && p->nodes[cell.id].op == PLEX_NODE_PHI &&
         p->operands[p->nodes[cell.id].first] == condition) {
    const int chosen = p->operands[p->nodes[cell.id].first + (holds ? 1 : 2)];

    if (p->nodes[chosen].op == PLEX_NODE_UNSET) cell = (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
    else
      cell = p->nodes[chosen].op == PLEX_NODE_INTEGER ? PlexCellInteger(p->nodes[chosen].value) : PlexCellNode(chosen);
  }
  return cell;
}

PlexCell PlexCellPhi(PlexInterpreter *p, int condition, PlexCell a, PlexCell b)
{
  int operands[3];

  if (PlexCellSame(a, b)) return a;
  a = PlexCellAssume(p, a, condition, PETSC_TRUE);
  b = PlexCellAssume(p, b, condition, PETSC_FALSE);
  if (PlexCellSame(a, b)) return a;
  if (p->nodes[condition].op == '!') return PlexCellPhi(p, p->operands[p->nodes[condition].first], b, a);
  if (a.kind == PLEX_CELL_POINTER || b.kind == PLEX_CELL_POINTER) return PlexPointerChoice(p, condition, a, b);
  operands[0] = condition;
  operands[1] = a.kind == PLEX_CELL_UNSET ? PlexNodeMake(p, PLEX_NODE_UNSET, 0, 0, NULL) : PlexNodeOf(p, a);
  operands[2] = b.kind == PLEX_CELL_UNSET ? PlexNodeMake(p, PLEX_NODE_UNSET, 0, 0, NULL) : PlexNodeOf(p, b);
  return PlexCellNode(PlexNodeMake(p, PLEX_NODE_PHI, 0, 3, operands));
}

int PlexCellTruth(PlexInterpreter *p, PlexCell cell, int *condition)
{
  double x;

  *condition = -1;
  if (p->why) return 0;
  if (cell.kind == PLEX_CELL_INTEGER) return cell.i != 0;
  if (PlexCellReals(p, cell, &x)) return x != 0.;
  if (cell.kind == PLEX_CELL_POINTER && !p->dead) {
    const PlexObject *o = cell.id >= 0 ? PlexObjectOf(p, cell.id) : NULL;

    if (o && o->kind == PLEX_OBJECT_LEAVES) { /* whether the argument is there: u_t is not, without a time derivative */
      PlexMarkRead(p, o->leaf, -1);
      *condition = PlexNodeMake(p, PLEX_NODE_LEAF, ((PetscInt64)o->leaf << 32) | 0xffffffff, 0, NULL);
      return -1;
    }
    if (cell.id == PLEX_POINTER_UNKNOWN || (o && o->kind == PLEX_OBJECT_CHOICE))
      PlexGiveUp(p, "whether a pointer is NULL");
    return cell.id >= 0;
  }
  *condition = PlexNodeOf(p, cell);
  return -1;
}

int PlexPathAnd(PlexInterpreter *p, int path, int condition, PetscBool holds)
{
  int operands[2];

  if (!holds) condition = PlexNodeMake(p, '!', 0, 1, &condition);
  if (path < 0) return condition;
  operands[0] = path;
  operands[1] = condition;
  return PlexNodeMake(p, '&' + 256 * '&', 0, 2, operands);
}
