/* Operands of C: numbers, names, members, calls, casts, and the operators that stand at one of them. */
#include "facts.h"
#include <errno.h>

static PlexValue PlexPlace(int type, PlexCell pointer)
{
  return (PlexValue){.type = type, .place = PETSC_TRUE, .pointer = pointer};
}

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
  real = (PetscBool)(strpbrk(text, ".pP") || (strpbrk(text, "eE") && strncmp(text, "0x", 2) && strncmp(text, "0X", 2)));
  if (real) {
    x = strtod(text, &end);
    if (*end == 'f' || *end == 'F') {
      x = (double)strtof(text, &end);
      ++end;
      if (*end) PlexGiveUp(p, "a number");
      return PlexValueMake(PlexTypeNumber(p, PLEX_C_REAL, 4, PETSC_FALSE), PlexCellReal(p, x));
    }
    if ((*end == 'l' || *end == 'L') && !end[1] && strtold(text, &end) == (long double)x)
      return PlexValueMake(PlexTypeNumber(p, PLEX_C_REAL, 16, PETSC_FALSE), PlexCellReal(p, x));
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

/* ---------------------------------------------------------------------------------------------- operators at a name */

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
    } else if (PlexIs(p->unit, p->k, "++") || PlexIs(p->unit, p->k, "--"))
      v = PlexIncrement(p, v, PlexIs(p->unit, p->k++, "--"), PETSC_TRUE);
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
  return PlexValueMake(PlexTypeNumber(p, PLEX_C_INTEGER, 8, PETSC_TRUE),
                       PlexCellInteger(p->why ? 1 : PlexTypeBytes(p, type)));
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

PlexValue PlexUnary(PlexInterpreter *p)
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
