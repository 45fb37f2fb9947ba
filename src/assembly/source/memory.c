/*
  Variables and their values while a function is carried out. Each number or pointer has a cell. The cells of variables
  of functions are one stack, so that a branch can have a copy of its own: after a condition that is not known, what
  differs is a symbol of the condition and both.
*/
#include "facts.h"

#define PLEX_INDEXED 256 /* most cells of an array that an unknown index chooses from */

PlexObject *PlexObjectOf(PlexInterpreter *p, int object)
{
  return object >= PLEX_GLOBAL ? &p->globals[object - PLEX_GLOBAL] : &p->objects[object];
}

PlexCell PlexPointerTo(int object, PetscInt64 cell)
{
  return (PlexCell){.kind = PLEX_CELL_POINTER, .id = object, .index = -1, .i = cell};
}

int PlexObjectMake(PlexInterpreter *p, int type)
{
  const int n = p->types[type].cells;

  if (n < 1 || p->ncells + n > 100000) PlexGiveUp(p, "a variable of no size, or large ones");
  if (p->why) return 0;
  PlexHold(p->cells, p->allocatedCells, p->ncells + n);
  PlexHold(p->objects, p->allocatedObjects, p->nobjects + 1);
  for (int k = 0; k < n; ++k) p->cells[p->ncells + k] = (PlexCell){.kind = PLEX_CELL_UNSET, .index = -1};
  p->objects[p->nobjects] = (PlexObject){.kind = PLEX_OBJECT_CELLS, .type = type, .n = n, .base = p->ncells};
  p->ncells += n;
  return p->nobjects++;
}

/* An object that lasts: its number */
int PlexGlobalMake(PlexInterpreter *p, PlexObject object, int unit, int entity)
{
  PlexHold(p->globals, p->allocatedGlobals, p->nglobals + 1);
  PlexHold(p->globalUnits, p->allocatedUnits, p->nglobals + 1);
  PlexHold(p->globalEntities, p->allocatedEntities, p->nglobals + 1);
  p->globals[p->nglobals]        = object;
  p->globalUnits[p->nglobals]    = unit;
  p->globalEntities[p->nglobals] = entity;
  return PLEX_GLOBAL + p->nglobals++;
}

/* The pointer that is a where the condition holds, else b */
PlexCell PlexPointerChoice(PlexInterpreter *p, int condition, PlexCell a, PlexCell b)
{
  PlexObject o = {.kind = PLEX_OBJECT_CHOICE, .n = 0, .leaf = condition};

  if (a.kind != PLEX_CELL_POINTER || b.kind != PLEX_CELL_POINTER || a.id < 0 || b.id < 0)
    return (PlexCell){.kind = PLEX_CELL_POINTER, .id = PLEX_POINTER_UNKNOWN, .index = -1};
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(2, &o.fixed));
  o.fixed[0] = a;
  o.fixed[1] = b;
  return PlexPointerTo(PlexGlobalMake(p, o, -1, -1), 0);
}

/* ----------------------------------------------------------------------------------------------------------- access */

/* The two pointers that a pointer is one of, moved as it was, and the condition. PETSC_FALSE: it is no such pointer */
static PetscBool PlexIsChoice(PlexInterpreter *p, PlexCell pointer, PlexCell both[2], int *condition)
{
  const PlexObject *o;

  if (p->dead || p->why || pointer.kind != PLEX_CELL_POINTER || pointer.id < PLEX_GLOBAL) return PETSC_FALSE;
  o = PlexObjectOf(p, pointer.id);
  if (o->kind != PLEX_OBJECT_CHOICE) return PETSC_FALSE;
  *condition = o->leaf;
  for (int k = 0; k < 2; ++k) {
    both[k] = o->fixed[k];
    both[k].i += pointer.i;
    if (pointer.index >= 0 && both[k].index >= 0)
      PlexGiveUp(p, "an index that is not known, of a pointer that is not known");
    if (pointer.index >= 0) both[k].index = pointer.index;
  }
  return PETSC_TRUE;
}

void PlexMarkRead(PlexInterpreter *p, int leaf, PetscInt64 index)
{
  const PlexFactsSizes *sizes = p->sizes;
  const unsigned        bits  = p->bits[leaf];

  if (bits & PLEX_READS_A)
    for (PetscInt f = 0; f < sizes->NfAux; ++f)
      if (index < 0 || !sizes->aOff || (sizes->aOff[f] <= index && index < sizes->aOff[f + 1]))
        p->readsA[f] = PETSC_TRUE;
  if (!(bits & PLEX_READS_CONSTANTS) || index < 0) p->reads |= bits;
  else
    p->reads |= index < sizes->numConstants ? PLEX_READS_CONSTANTS
                                            : (index < sizes->numConstants + 2 ? PLEX_READS_FIELDS : PLEX_READS_VOLUME);
}

/* The object of a pointer that is followed to a number or pointer of a type; NULL: it cannot be */
static PlexObject *PlexFollow(PlexInterpreter *p, PlexCell pointer, int type)
{
  PlexObject *o;

  if (p->dead || p->why) return NULL;
  if (pointer.kind != PLEX_CELL_POINTER || pointer.id < 0 || (pointer.id < PLEX_GLOBAL && pointer.id >= p->nobjects)) {
    PlexGiveUp(p, "a pointer that is not known");
    return NULL;
  }
  o = PlexObjectOf(p, pointer.id);
  if (pointer.index < 0 && (pointer.i < 0 || pointer.i >= o->n)) PlexGiveUp(p, "an index out of range");
  if (pointer.index >= 0 && (o->n < 1 || (o->n > PLEX_INDEXED && o->kind != PLEX_OBJECT_LEAVES)))
    PlexGiveUp(p, "an index that is not known, into a large array");
  for (int k = 0; pointer.index >= 0 && !p->why && k < (o->kind == PLEX_OBJECT_LEAVES ? 1 : o->n); ++k)
    if (PlexTypeOfCell(p, o->type, k) != type) PlexGiveUp(p, "an index that is not known, into a struct");
  if (!p->why && pointer.index < 0 && PlexTypeOfCell(p, o->type, (int)pointer.i) != type)
    PlexGiveUp(p, "a pointer to another type");
  return p->why ? NULL : o;
}

/* One of the cells of an array, at an index that is a symbol */
static PlexCell PlexLoadIndexed(PlexInterpreter *p, const PlexObject *o, const PlexCell cells[], PlexCell pointer)
{
  int operands[PLEX_INDEXED + 1];

  operands[0] = pointer.index;
  for (int k = 0; k < o->n; ++k)
    operands[k + 1] = cells[k].kind == PLEX_CELL_UNSET ? PlexNodeMake(p, PLEX_NODE_UNSET, 0, 0, NULL)
                                                       : PlexNodeOf(p, cells[k]);
  return PlexCellNode(PlexNodeMake(p, PLEX_NODE_INDEX, pointer.i, o->n + 1, operands));
}

static PlexCell PlexLoadPlace(PlexInterpreter *p, PlexCell pointer, int type)
{
  PlexObject     *o     = PlexFollow(p, pointer, type);
  const PlexCell *cells = NULL;
  PlexCell        cell  = {.kind = PLEX_CELL_UNSET, .index = -1};
  PetscInt64      place;

  if (!o) return cell;
  place = ((PetscInt64)o->leaf << 32) | (unsigned)pointer.i;
  switch (o->kind) {
  case PLEX_OBJECT_LEAVES:
    PlexMarkRead(p, o->leaf, pointer.index < 0 ? pointer.i : -1);
    if (p->bits[o->leaf] & PLEX_READS_FIELDS && pointer.index < 0 &&
        (pointer.i == p->sizes->numConstants || pointer.i == p->sizes->numConstants + 1))
      return PlexCellReal(p, (double)(pointer.i == p->sizes->numConstants ? p->sizes->fieldI : p->sizes->fieldJ));
    return PlexCellNode(PlexNodeMake(p, pointer.index < 0 ? PLEX_NODE_LEAF : PLEX_NODE_LEAFX, place, pointer.index >= 0,
                                     &pointer.index));
  case PLEX_OBJECT_VARIABLES:
    p->reads |= PLEX_READS_VARIABLES;
    return PlexCellNode(PlexNodeMake(p, PLEX_NODE_VARIABLE, place, pointer.index >= 0, &pointer.index));
  case PLEX_OBJECT_FIXED:
    cells = o->fixed;
    break;
  case PLEX_OBJECT_CELLS:
    cells = &p->cells[o->base];
    break;
  default:
    return cell;
  }
  if (pointer.index >= 0) return PlexLoadIndexed(p, o, cells, pointer);
  cell = cells[pointer.i];
  if (cell.kind == PLEX_CELL_UNSET && o->kind == PLEX_OBJECT_FIXED) PlexGiveUp(p, "a size that is not known");
  return cell;
}

PlexCell PlexLoad(PlexInterpreter *p, PlexCell pointer, int type)
{
  PlexCell both[2];
  int      condition;

  if (++p->steps > PLEX_STEPS) PlexGiveUp(p, "a long computation");
  if (!PlexIsChoice(p, pointer, both, &condition)) return PlexLoadPlace(p, pointer, type);
  both[0] = PlexLoad(p, both[0], type);
  both[1] = PlexLoad(p, both[1], type);
  return PlexCellPhi(p, condition, both[0], both[1]);
}

void PlexStore(PlexInterpreter *p, PlexCell pointer, int type, PlexCell cell)
{
  PlexObject *o;
  PlexCell   *cells, both[2];
  int         condition;

  if (PlexIsChoice(p, pointer, both, &condition)) { /* where it does not go, what is there stays */
    const PlexCell first = PlexLoad(p, both[0], type), second = PlexLoad(p, both[1], type);

    if (both[0].id == both[1].id && (both[0].index >= 0 || both[1].index >= 0))
      PlexGiveUp(p, "a pointer that is not known");
    PlexStore(p, both[0], type, PlexCellPhi(p, condition, cell, first));
    PlexStore(p, both[1], type, PlexCellPhi(p, condition, second, cell));
    return;
  }
  o = PlexFollow(p, pointer, type);
  if (!o) return;
  if (o->kind != PLEX_OBJECT_CELLS && !(o->kind == PLEX_OBJECT_FIXED && o->leaf < 0)) {
    PlexGiveUp(p, "something is written that is not the function's own");
    return;
  }
  cells = o->kind == PLEX_OBJECT_FIXED ? o->fixed : &p->cells[o->base];
  if (pointer.index < 0) {
    cells[pointer.i] = cell;
    return;
  }
  for (int k = 0; k < o->n; ++k) {
    const int integer = PlexTypeNumber(p, PLEX_C_INTEGER, 8, PETSC_FALSE);
    PlexCell  here    = PlexCellBinary(p, '=' + 256 * '=', PlexCellNode(pointer.index), PlexCellInteger(k - pointer.i),
                                       integer);

    if (!p->why && here.kind == PLEX_CELL_NODE) cells[k] = PlexCellPhi(p, here.id, cell, cells[k]);
    else if (here.i) cells[k] = cell;
  }
}

void PlexCopyCells(PlexInterpreter *p, PlexCell to, PlexCell from, int type)
{
  const int n = p->types[type].cells;
  PlexCell *cells;

  if (p->dead || p->why || n < 1) return;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(n, &cells));
  for (int k = 0; k < n; ++k) { /* they may overlap */
    PlexCell at = from;

    at.i += k;
    cells[k] = PlexLoad(p, at, PlexTypeOfCell(p, type, k));
  }
  for (int k = 0; k < n && !p->why; ++k) {
    PlexCell at = to;

    at.i += k;
    PlexStore(p, at, PlexTypeOfCell(p, type, k), cells[k]);
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(cells));
}

/* --------------------------------------------------------------------------------------------------------- branches */

PlexCell *PlexStateSave(PlexInterpreter *p, int *n)
{
  PlexCell *cells;

  *n = p->ncells;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(p->ncells + 1, &cells));
  for (int k = 0; k < p->ncells; ++k) cells[k] = p->cells[k];
  p->steps += p->ncells / 16;
  return cells;
}

void PlexStateRestore(PlexInterpreter *p, int n, const PlexCell cells[])
{
  for (int k = 0; k < n; ++k) p->cells[k] = cells[k];
}

void PlexStateMerge(PlexInterpreter *p, int condition, int n, const PlexCell then[])
{
  for (int k = 0; k < n; ++k) p->cells[k] = PlexCellPhi(p, condition, then[k], p->cells[k]);
}

/* Where a condition is known to hold or not, so is which value of two it chose before */
void PlexStateAssume(PlexInterpreter *p, int condition, PetscBool holds)
{
  const PlexNode node = p->nodes[condition];

  if (p->why) return;
  if (node.op == '!' || node.op == '?')
    PlexStateAssume(p, p->operands[node.first], (PetscBool)(node.op == '!' ? !holds : holds));
  if ((node.op == '&' + 256 * '&' && holds) || (node.op == '|' + 256 * '|' && !holds)) {
    PlexStateAssume(p, p->operands[node.first], holds);
    PlexStateAssume(p, p->operands[node.first + 1], holds);
  }
  for (int k = 0; k < p->ncells; ++k) p->cells[k] = PlexCellAssume(p, p->cells[k], condition, holds);
}

/* ----------------------------------------------------------------------------------------------------- initializers */

static void PlexZero(PlexInterpreter *p, int type, PlexCell pointer)
{
  for (int k = 0; k < p->types[type].cells && !p->why; ++k) {
    const int of = PlexTypeOfCell(p, type, k);

    PlexStore(p, pointer, of, PlexCellZero(p, of));
    ++pointer.i;
  }
}

/* A designator [n] or .name at p->k: the number of the entry or member */
static int PlexDesignator(PlexInterpreter *p, const PlexCType *t)
{
  int m = -1;

  if (PlexIs(p->unit, p->k, "[") && t->kind == PLEX_C_ARRAY) {
    ++p->k;
    m = (int)PlexExpressionInteger(p);
    ++p->k;
  } else if (PlexIs(p->unit, p->k, ".") && t->kind == PLEX_C_STRUCT) {
    const PlexToken *token = &p->unit->tokens[p->k + 1];

    for (int k = 0; k < t->nmembers; ++k)
      if (p->members[t->first + k].length == token->length &&
          !strncmp(p->members[t->first + k].name, token->text, (size_t)token->length))
        m = k;
    p->k += 2;
  }
  if (m < 0 || !PlexIs(p->unit, p->k, "=")) PlexGiveUp(p, "an initializer");
  ++p->k;
  return m;
}

static PetscBool PlexIsAggregate(const PlexCType *t)
{
  return (PetscBool)(t->kind == PLEX_C_ARRAY || t->kind == PLEX_C_STRUCT);
}

/* Entries and members from p->k on, up to the `}` close; without braces of its own (elided) up to as many as there
   are */
static void PlexInitializeList(PlexInterpreter *p, int type, PlexCell pointer, int close, PetscBool elided)
{
  const PlexCType t = p->types[type];
  const int       n = t.kind == PLEX_C_ARRAY ? t.n : t.nmembers;

  for (int m = 0; p->k < close && !p->why; ++m) {
    PlexCell at = pointer;
    int      of;

    if (elided && m == n) return;
    if (PlexIs(p->unit, p->k, "[") || PlexIs(p->unit, p->k, ".")) {
      if (elided) PlexGiveUp(p, "an initializer");
      if (!p->why) m = PlexDesignator(p, &t);
    }
    if (m < 0 || m >= n) PlexGiveUp(p, "an initializer");
    if (p->why) return;
    of = t.kind == PLEX_C_ARRAY ? t.of : p->members[t.first + m].type;
    at.i += t.kind == PLEX_C_ARRAY ? m * p->types[of].cells : p->members[t.first + m].at;
    if (PlexIsAggregate(&p->types[of]) && !PlexIs(p->unit, p->k, "{")) {
      if (p->types[of].kind == PLEX_C_STRUCT) PlexGiveUp(p, "an initializer");
      else PlexInitializeList(p, of, at, close, PETSC_TRUE);
      continue; /* it passed the comma */
    }
    PlexInitialize(p, of, at);
    if (PlexIs(p->unit, p->k, ",")) ++p->k;
    else if (p->k != close) PlexGiveUp(p, "an initializer");
  }
}

void PlexInitialize(PlexInterpreter *p, int type, PlexCell pointer)
{
  const PlexCType t = p->types[type];
  PlexValue       v;

  if (p->why) return;
  if (PlexIs(p->unit, p->k, "{")) {
    const int close = p->unit->tokens[p->k].match;

    PlexZero(p, type, pointer);
    ++p->k;
    if (PlexIsAggregate(&t)) PlexInitializeList(p, type, pointer, close, PETSC_FALSE);
    else if (p->k < close) PlexInitialize(p, type, pointer);
    if (p->k != close && !p->why) PlexGiveUp(p, "an initializer");
    p->k = close + 1;
    return;
  }
  if (t.kind == PLEX_C_ARRAY) PlexGiveUp(p, "an initializer");
  if (p->why) return;
  v = PlexExpression(p);
  if (t.kind == PLEX_C_STRUCT) {
    if (v.type != type || !v.place) PlexGiveUp(p, "an initializer");
    else PlexCopyCells(p, pointer, v.pointer, type);
  } else PlexStore(p, pointer, type, PlexReadAs(p, v, type));
}

/* The `{` of an initializer behind the `=` at p->k */
int PlexInitializerCount(PlexInterpreter *p, int type)
{
  const PlexUnit *unit = p->unit;
  PlexCType       t    = p->types[type];
  const int       open = p->k + 1;
  int             n    = 0;

  if (t.kind != PLEX_C_ARRAY || t.n >= 0) return type;
  if (!PlexIs(unit, p->k, "=") || !PlexIs(unit, open, "{")) {
    PlexGiveUp(p, "an array without a size");
    return type;
  }
  for (int k = open + 1; k < unit->tokens[open].match; ++k) {
    if (PlexIs(unit, k, "[") || PlexIs(unit, k, ".") || (PlexIsAggregate(&p->types[t.of]) && !PlexIs(unit, k, "{")))
      PlexGiveUp(p, "an array without a size");
    k = PlexSkipInitializer(unit, k, unit->tokens[open].match);
    ++n;
  }
  t.n     = n;
  t.cells = n * p->types[t.of].cells;
  if (!n) PlexGiveUp(p, "an array without a size");
  return PlexTypeMake(p, t);
}

/* ---------------------------------------------------------------------------------------------- variables of a file */

/* Reads the value of a constant, which is FIXED and may be written for the time being */
static void PlexGlobalInitialize(PlexInterpreter *p, int object, int type)
{
  const int function = p->function, dead = p->dead, path = p->path;

  ++p->k;
  p->function = p->nscope; /* no names of functions */
  p->dead     = 0;
  PlexInitialize(p, type, PlexPointerTo(object, 0));
  p->function = function;
  p->dead     = dead;
  p->path     = path;
}

/* The object of a variable of this unit */
int PlexGlobal(PlexInterpreter *p, int entity)
{
  const PlexUnit        *unit = p->unit;
  const PlexEntity      *e    = &unit->entities[entity];
  const PlexDeclaration *d    = &unit->declarations[e->declaration];
  const int              back = p->k, function = p->function;
  PetscInt64             words;
  int                    type, name, object = PLEX_GLOBAL + p->nglobals;

  for (int k = 0; k < p->nglobals; ++k)
    if (p->globalUnits[k] == p->u && p->globalEntities[k] == entity) return PLEX_GLOBAL + k;
  PlexGlobalMake(p, (PlexObject){.kind = PLEX_OBJECT_VARIABLES, .leaf = object - PLEX_GLOBAL}, p->u, entity);
  p->function = p->nscope;
  p->k        = d->begin;
  type        = PlexTypeSpecifiers(p, &words);
  p->k        = e->begin;
  if (!p->why) type = PlexTypeDeclarator(p, type, PETSC_FALSE, &name);
  if (!p->why && PlexIs(unit, p->k, "=")) type = PlexInitializerCount(p, type);
  p->function = function;
  for (int k = 0; k < p->types[type].cells && !p->why; ++k)
    if (p->types[PlexTypeOfCell(p, type, k)].kind == PLEX_C_POINTER)
      PlexGiveUp(p, "a pointer in a variable of the file");
  if (p->types[type].cells < 1) PlexGiveUp(p, "an array without a size");
  if (!p->why) {
    PlexObject *o = &p->globals[object - PLEX_GLOBAL];

    o->type = type;
    o->n    = p->types[type].cells;
    if (d->isConst && e->defined && PlexIs(unit, p->k, "=")) {
      PetscCallAbort(PETSC_COMM_SELF, PetscCalloc1(o->n, &o->fixed));
      o->kind = PLEX_OBJECT_FIXED;
      o->leaf = -1;
      PlexGlobalInitialize(p, object, type);
      PlexObjectOf(p, object)->leaf = 0;
    }
  }
  p->k = back;
  return object;
}
