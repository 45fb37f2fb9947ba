/* Calls in expressions: of functions of the program, which are carried out; of mathematics, which are symbols; of
   memcpy() and the like. */
#include "facts.h"

#define PLEX_ARGUMENTS 64

/* Whether a name is one of a list that ends with NULL, also with f at its end */
static PetscBool PlexNameIsOf(const char name[], const char *const list[])
{
  for (; *list; ++list) {
    const size_t n = strlen(*list);

    if (!strncmp(name, *list, n) && (!name[n] || (name[n] == 'f' && !name[n + 1]))) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The type that a function of no file returns: as its prototype has it; the compiler's own have none */
static int PlexPrototypeType(PlexInterpreter *p, int name)
{
  static const char *const reals[]    = {"__builtin_fabs",     "__builtin_sqrt",
                                         "__builtin_copysign", "__builtin_fmax",
                                         "__builtin_fmin",     "__builtin_pow",
                                         "__builtin_nan",      "__builtin_inf",
                                         "__builtin_huge_val", NULL};
  static const char *const integers[] = {"__builtin_isnan",
                                         "__builtin_isinf",
                                         "__builtin_isinf_sign",
                                         "__builtin_isfinite",
                                         "__builtin_isnormal",
                                         "__builtin_signbit",
                                         "__builtin_isgreater",
                                         "__builtin_isgreaterequal",
                                         "__builtin_isless",
                                         "__builtin_islessequal",
                                         "__builtin_islessgreater",
                                         "__builtin_isunordered",
                                         NULL};
  const char              *text       = p->unit->names[name];
  const int                e          = PlexFind(p->unit, name, PLEX_FUNCTION, PETSC_FALSE);

  if (e >= 0) return PlexReturnType(p, p->u, e);
  if (PlexNameIsOf(text, reals))
    return PlexTypeNumber(p, PLEX_C_REAL, text[strlen(text) - 1] == 'f' && strcmp(text, "__builtin_inf") ? 4 : 8,
                          PETSC_FALSE);
  if (!PlexNameIsOf(text, integers)) PlexGiveUp(p, "it calls a function that is not known");
  return PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE);
}

static int PlexNameNumber(PlexInterpreter *p, const char text[])
{
  for (int k = 0; k < p->nnames; ++k)
    if (!strcmp(p->names[k], text)) return k;
  PlexHold(p->names, p->allocatedNames, p->nnames + 1);
  p->names[p->nnames] = (char *)text; /* of the unit */
  return p->nnames++;
}

/* A function of mathematics: a symbol of its arguments */
static PlexValue PlexCallPure(PlexInterpreter *p, int name, int n, const PlexValue arguments[])
{
  PlexValue v = {.type = PlexPrototypeType(p, name)};
  int       operands[PLEX_ARGUMENTS];

  v.cell = (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
  if (p->types[v.type].kind != PLEX_C_INTEGER && p->types[v.type].kind != PLEX_C_REAL)
    PlexGiveUp(p, "it calls a function that is not known");
  if (p->dead || p->why) return v;
  for (int k = 0; k < n; ++k) {
    const PlexValue a = PlexValueOf(p, arguments[k]);

    if (p->types[a.type].kind != PLEX_C_INTEGER && p->types[a.type].kind != PLEX_C_REAL)
      PlexGiveUp(p, "it calls a function that is not known, with a pointer");
    if (p->why) return v;
    operands[k] = PlexNodeOf(p, a.cell);
  }
  v.cell = PlexCellNode(PlexNodeMake(p, PLEX_NODE_CALL, PlexNameNumber(p, p->unit->names[name]), n, operands));
  return v;
}

/* How many cells from a pointer on have so many bytes; -1: they end inside one, or are of several types */
static int PlexCellsOf(PlexInterpreter *p, PlexCell pointer, PetscInt64 bytes)
{
  const PlexObject *o = pointer.kind == PLEX_CELL_POINTER && pointer.id >= 0 ? PlexObjectOf(p, pointer.id) : NULL;
  PetscInt64        size;
  int               n, type;

  if (!o || pointer.index >= 0 || pointer.i < 0 || pointer.i >= o->n) return -1;
  type = PlexTypeOfCell(p, o->type, (int)pointer.i);
  size = type < 0 ? 0 : PlexTypeBytes(p, type);
  if (!size || bytes < 0 || bytes % size || bytes / size > o->n - pointer.i) return -1;
  n = (int)(bytes / size);
  for (int k = 0; k < n; ++k)
    if (PlexTypeOfCell(p, o->type, (int)pointer.i + k) != type) return -1;
  return n;
}

/* memcpy(to, from, bytes), memset(to, 0, bytes) and PETSc's */
static PlexValue PlexCallCopy(PlexInterpreter *p, const char name[], int n, const PlexValue arguments[])
{
  const PetscBool zero   = (PetscBool)(!strcmp(name, "memset") || !strcmp(name, "PetscMemzero"));
  const int       wanted = !strcmp(name, "PetscMemzero") ? 2 : 3;
  PlexValue       to, from, size;
  int             cells = -1, type;

  if (p->dead || p->why)
    return (PlexValue){.type = PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE), .cell = PlexCellInteger(0)};
  if (n == wanted) {
    to    = PlexValueOf(p, arguments[0]);
    from  = PlexValueOf(p, arguments[1]);
    size  = PlexValueOf(p, arguments[n - 1]);
    cells = size.cell.kind == PLEX_CELL_INTEGER ? PlexCellsOf(p, to.cell, size.cell.i) : -1;
    if (zero && n == 3 && (from.cell.kind != PLEX_CELL_INTEGER || from.cell.i)) cells = -1;
    if (!zero && cells > 0 && cells != PlexCellsOf(p, from.cell, size.cell.i)) cells = -1;
  }
  if (cells < 0) PlexGiveUp(p, "bytes that are copied");
  if (p->why || !cells)
    return (PlexValue){.type = PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE), .cell = PlexCellInteger(0)};
  type = PlexTypeOfCell(p, PlexObjectOf(p, to.cell.id)->type, (int)to.cell.i);
  if (zero) {
    for (int k = 0; k < cells && !p->why; ++k, ++to.cell.i) PlexStore(p, to.cell, type, PlexCellZero(p, type));
  } else
    PlexCopyCells(p, to.cell, from.cell,
                  PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = type, .n = cells, .cells = cells}));
  if (!strncmp(name, "Petsc", 5))
    return (PlexValue){.type = PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE), .cell = PlexCellInteger(0)};
  return to;
}

PlexValue PlexExpressionCall(PlexInterpreter *p)
{
  const PlexUnit *unit  = p->unit;
  const int       name  = unit->tokens[p->k].name;
  const char     *text  = unit->names[name];
  const int       close = unit->tokens[p->k + 1].match;
  PlexValue       arguments[PLEX_ARGUMENTS],
    v   = {.type = PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE), .cell = PlexCellInteger(0)};
  int n = 0, u, e;

  p->k += 2;
  while (p->k < close && !p->why) {
    if (n == PLEX_ARGUMENTS) PlexGiveUp(p, "a call with many arguments");
    if (n < PLEX_ARGUMENTS) arguments[n++] = PlexValueOf(p, PlexExpression(p));
    if (PlexIs(unit, p->k, ",")) ++p->k;
    else if (p->k != close && !p->why) PlexGiveUp(p, "a call that is not known");
  }
  p->k = close + 1;
  if (p->why) return v;
  if (PlexFactsIsCopy(text)) return PlexCallCopy(p, text, n, arguments);
  if (!strcmp(text, "PetscLogFlops")) return v;
  if (!strcmp(text, "__builtin_expect") && n == 2) return arguments[0];
  PlexFactsFindCalled(p->program, p->u, name, &u, &e);
  if (e >= 0 && p->dead) {
    v.type  = PlexReturnType(p, u, e);
    v.cell  = (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
    v.place = (PetscBool)(p->types[v.type].kind == PLEX_C_STRUCT);
    return v;
  }
  if (e >= 0) return PlexCallFunction(p, u, e, n, arguments);
  if (PlexFactsIsPure(text)) return PlexCallPure(p, name, n, arguments);
  PlexGiveUp(p, "it calls a function whose source is not there");
  return v;
}
