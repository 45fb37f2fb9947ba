/* Types of C as far as functions of numbers need them: numbers, pointers, arrays, structs. What is none of these ends
   the interpreter. */
#include "facts.h"

#define PlexBit(word) ((PetscInt64)1 << (word))

int PlexTypeMake(PlexInterpreter *p, PlexCType type)
{
  for (int k = 0; k < p->ntypes; ++k) {
    const PlexCType *t = &p->types[k];

    if (t->kind == type.kind && t->size == type.size && t->isUnsigned == type.isUnsigned && t->isBool == type.isBool &&
        t->of == type.of && t->n == type.n && t->unit == type.unit && t->token == type.token)
      return k;
  }
  PlexHold(p->types, p->allocatedTypes, p->ntypes + 1);
  p->types[p->ntypes] = type;
  return p->ntypes++;
}

int PlexTypeNumber(PlexInterpreter *p, PlexCKind kind, int size, PetscBool isUnsigned)
{
  return PlexTypeMake(p, (PlexCType){.kind       = kind,
                                     .size       = size,
                                     .isUnsigned = isUnsigned,
                                     .cells      = kind == PLEX_C_VOID ? 0 : 1});
}

int PlexTypePointer(PlexInterpreter *p, int of)
{
  return PlexTypeMake(p, (PlexCType){.kind = PLEX_C_POINTER, .of = of, .cells = 1});
}

static int PlexTypeArray(PlexInterpreter *p, int of, PetscInt64 n)
{
  const int cells = p->types[of].cells;

  if (n > 0 && n * cells > 100000) PlexGiveUp(p, "a large array");
  if (p->why) n = 1;
  return PlexTypeMake(p, (PlexCType){.kind = PLEX_C_ARRAY, .of = of, .n = (int)n, .cells = n < 0 ? 0 : (int)n * cells});
}

int PlexTypeOfCell(PlexInterpreter *p, int type, int cell)
{
  while (PETSC_TRUE) {
    const PlexCType t = p->types[type];

    if (cell < 0 || (cell >= t.cells && !(t.kind == PLEX_C_ARRAY && t.n < 0))) return -1;
    if (t.kind == PLEX_C_ARRAY) {
      type = t.of;
      if (!p->types[type].cells) return -1;
      cell %= p->types[type].cells;
    } else if (t.kind == PLEX_C_STRUCT) {
      int m = t.nmembers - 1;

      while (m > 0 && p->members[t.first + m].at > cell) --m;
      if (m < 0) return -1;
      type = p->members[t.first + m].type;
      cell -= p->members[t.first + m].at;
    } else return type;
  }
}

/* As sizeof has it; 0: not known */
PetscInt64 PlexTypeBytes(PlexInterpreter *p, int type)
{
  const PlexCType t = p->types[type];

  switch (t.kind) {
  case PLEX_C_INTEGER:
  case PLEX_C_REAL:
    return t.size;
  case PLEX_C_POINTER:
    return (PetscInt64)sizeof(void *);
  case PLEX_C_ARRAY:
    return t.n < 0 ? 0 : t.n * PlexTypeBytes(p, t.of);
  default:
    return 0;
  }
}

/* A name that means a variable here, whatever it is in the file */
static PetscBool PlexTypeIsHidden(PlexInterpreter *p, int name)
{
  for (int k = p->nscope - 1; k >= p->function; --k)
    if (p->scope[k].name == name) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscBool PlexTypeIsNext(PlexInterpreter *p)
{
  PetscInt64 words;
  const int  name = p->unit->tokens[p->k].name;

  if (name < 0 || (name >= PLEX_WORDS && PlexTypeIsHidden(p, name))) return PETSC_FALSE;
  return (PetscBool)(PlexParseSpecifiers(p->unit, p->k, p->unit->ntokens, &words) > p->k);
}

/* The members of a struct whose `{` is at token open */
static int PlexTypeStruct(PlexInterpreter *p, int open)
{
  PlexCType   t  = {.kind = PLEX_C_STRUCT, .unit = p->u, .token = open};
  const int   id = PlexTypeMake(p, t), close = p->unit->tokens[open].match, back = p->k;
  PlexCMember list[64];
  int         n = 0, cells = 0;

  if (p->types[id].nmembers) return id;
  for (p->k = open + 1; p->k < close && !p->why;) {
    PetscInt64 words;
    const int  type = PlexTypeSpecifiers(p, &words);

    while (!p->why && !PlexIs(p->unit, p->k, ";")) {
      int       name;
      const int member = PlexTypeDeclarator(p, type, PETSC_FALSE, &name);

      if (name < 0 || n == 64 || p->types[member].kind == PLEX_C_VOID ||
          (p->types[member].kind == PLEX_C_ARRAY && p->types[member].n < 0))
        PlexGiveUp(p, "a member of a struct");
      if (p->why) break;
      list[n++] = (PlexCMember){p->unit->tokens[name].text, p->unit->tokens[name].length, member, cells};
      cells += p->types[member].cells;
      if (PlexIs(p->unit, p->k, ",")) ++p->k;
      else if (!PlexIs(p->unit, p->k, ";")) PlexGiveUp(p, "a member of a struct");
    }
    ++p->k;
  }
  p->k = back;
  PlexHold(p->members, p->allocatedMembers, p->nmembers + n);
  for (int m = 0; m < n; ++m) p->members[p->nmembers + m] = list[m];
  p->types[id].first    = p->nmembers;
  p->types[id].nmembers = n;
  p->types[id].cells    = cells;
  p->nmembers += n;
  if (!n) PlexGiveUp(p, "a struct without members");
  return id;
}

/* Whether a tag or enumerator is declared at file scope, rather than in a function */
static PetscBool PlexTypeIsOfFile(const PlexUnit *unit, int token)
{
  for (int e = unit->tokens[token].name < 0 ? -1 : unit->first[unit->tokens[token].name]; e >= 0;
       e     = unit->entities[e].next)
    if (unit->entities[e].token == token) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* struct, union or enum at p->k */
static int PlexTypeTagged(PlexInterpreter *p)
{
  const PlexUnit *unit = p->unit;
  const int       word = unit->tokens[p->k].name;
  int             open = -1, tag = -1;

  ++p->k;
  if (unit->tokens[p->k].kind == PLEX_TOKEN_NAME) tag = unit->tokens[p->k++].name;
  if (PlexIs(unit, p->k, "{")) {
    open = p->k;
    p->k = unit->tokens[open].match + 1;
  }
  for (int e = tag < 0 || open >= 0 ? -1 : unit->first[tag]; e >= 0; e = unit->entities[e].next)
    if (unit->entities[e].kind == PLEX_TAG && unit->entities[e].defined) open = unit->entities[e].token + 1;
  if (word == PLEX_WORD_UNION || open < 0) PlexGiveUp(p, "a union, or a struct that is not known");
  if (p->why) return PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE);
  if (tag >= 0 && !PlexTypeIsOfFile(unit, open - 1)) PlexGiveUp(p, "a struct of the function's own that has a name");
  if (word == PLEX_WORD_ENUM) {
    PetscBool negative = PETSC_FALSE;

    if (!PlexTypeIsOfFile(unit, open + 1)) PlexGiveUp(p, "an enumeration of the function's own");
    for (int k = open; k < unit->tokens[open].match; ++k)
      if (PlexIs(unit, k, "-") || PlexIs(unit, k, "~")) negative = PETSC_TRUE;
    return PlexTypeNumber(p, PLEX_C_INTEGER, 4, (PetscBool)!negative);
  }
  return PlexTypeStruct(p, open);
}

/* The type that a typedef names */
static int PlexTypeNamed(PlexInterpreter *p, int name)
{
  const PlexUnit *unit = p->unit;
  const int       back = p->k;
  PetscInt64      words;
  int             type = PlexTypeNumber(p, PLEX_C_INTEGER, 4, PETSC_FALSE);

  for (int e = unit->first[name]; e >= 0; e = unit->entities[e].next) {
    if (unit->entities[e].kind != PLEX_TYPE) continue;
    p->k = unit->declarations[unit->entities[e].declaration].begin;
    type = PlexTypeSpecifiers(p, &words);
    p->k = unit->entities[e].begin;
    if (!p->why) type = PlexTypeDeclarator(p, type, PETSC_FALSE, &name);
    p->k = back;
    return type;
  }
  PlexGiveUp(p, "a type that is not known");
  return type;
}

/* The type of words like unsigned long */
static int PlexTypeWords(PlexInterpreter *p, PetscInt64 words, int longs)
{
  const PetscInt64 others     = PlexBit(PLEX_WORD_INT128) | PlexBit(PLEX_WORD_FLOAT128) | PlexBit(PLEX_WORD_VALIST) |
                                PlexBit(PLEX_WORD_COMPLEX);
  const PetscBool  isUnsigned = (PetscBool)!!(words & PlexBit(PLEX_WORD_UNSIGNED));
  int              size       = 4;

  if (words & others) PlexGiveUp(p, "a type that is not known");
  /* void * */
  if (words & PlexBit(PLEX_WORD_POINTER)) return PlexTypePointer(p, PlexTypeNumber(p, PLEX_C_VOID, 0, PETSC_FALSE));
  if (words & PlexBit(PLEX_WORD_VOID)) return PlexTypeNumber(p, PLEX_C_VOID, 0, PETSC_FALSE);
  if (words & PlexBit(PLEX_WORD_FLOAT)) return PlexTypeNumber(p, PLEX_C_REAL, 4, PETSC_FALSE);
  if (words & PlexBit(PLEX_WORD_DOUBLE)) return PlexTypeNumber(p, PLEX_C_REAL, longs ? 16 : 8, PETSC_FALSE);
  if (words & PlexBit(PLEX_WORD_BOOL))
    return PlexTypeMake(p, (PlexCType){.kind       = PLEX_C_INTEGER,
                                       .size       = 1,
                                       .isUnsigned = PETSC_TRUE,
                                       .isBool     = PETSC_TRUE,
                                       .cells      = 1});
  if (words & PlexBit(PLEX_WORD_CHAR)) size = 1;
  else if (words & PlexBit(PLEX_WORD_SHORT)) size = 2;
  else if (longs > 1) size = 8;
  else if (longs) size = (int)sizeof(long);
  return PlexTypeNumber(p, PLEX_C_INTEGER, size, isUnsigned);
}

int PlexTypeSpecifiers(PlexInterpreter *p, PetscInt64 *words)
{
  const PlexUnit *unit = p->unit;
  const int       end  = PlexParseSpecifiers(unit, p->k, unit->ntokens, words);
  int             type = -1, longs = 0;

  if (end == p->k) PlexGiveUp(p, "a declaration");
  if (*words & (PlexBit(PLEX_WORD_VOLATILE) | PlexBit(PLEX_WORD_THREAD) | PlexBit(PLEX_WORD_THREAD2)))
    PlexGiveUp(p, "a volatile variable");
  while (p->k < end && !p->why) {
    const int name = unit->tokens[p->k].name;

    if (name == PLEX_WORD_STRUCT || name == PLEX_WORD_UNION || name == PLEX_WORD_ENUM) type = PlexTypeTagged(p);
    else if (name == PLEX_WORD_TYPEOF || name == PLEX_WORD_ATOMIC || name == PLEX_WORD_ALIGNAS)
      PlexGiveUp(p, "a type that is not known");
    else {
      if (name == PLEX_WORD_LONG) ++longs;
      if (name >= PLEX_WORDS) type = PlexTypeNamed(p, name);
      ++p->k;
    }
  }
  p->k = PetscMax(p->k, end);
  return type >= 0 ? type : PlexTypeWords(p, *words, longs);
}

/* [2][3] or (parameters) from p->k on */
static int PlexTypeSuffix(PlexInterpreter *p, int type, PetscBool parameter)
{
  PetscInt64 sizes[8];
  int        n = 0;

  if (PlexIs(p->unit, p->k, "(")) PlexGiveUp(p, "a function as a value");
  while (!p->why && PlexIs(p->unit, p->k, "[")) {
    const int close = p->unit->tokens[p->k].match;

    if (n == 8) PlexGiveUp(p, "an array of many dimensions");
    if (p->why) break;
    sizes[n] = -1;
    ++p->k;
    /* static, const */
    while (p->unit->tokens[p->k].name >= 0 && p->unit->tokens[p->k].name <= PLEX_WORD_RESTRICT) ++p->k;
    if (p->k < close && !(parameter && !n)) {
      sizes[n] = PlexExpressionInteger(p);
      if (sizes[n] < 1 || p->k != close) PlexGiveUp(p, "the size of an array");
    }
    ++n;
    p->k = close + 1;
  }
  while (n-- > 0 && !p->why) {
    if (!n && parameter) return PlexTypePointer(p, type);
    type = PlexTypeArray(p, type, sizes[n]);
  }
  return type;
}

int PlexTypeDeclarator(PlexInterpreter *p, int type, PetscBool parameter, int *name)
{
  const PlexUnit *unit = p->unit;
  int             open = -1, after;

  *name = -1;
  while (PlexIs(unit, p->k, "*") ||
         (unit->tokens[p->k].name >= PLEX_WORD_CONST && unit->tokens[p->k].name <= PLEX_WORD_RESTRICT)) {
    if (unit->tokens[p->k].name == PLEX_WORD_VOLATILE) PlexGiveUp(p, "a volatile variable");
    if (PlexIs(unit, p->k++, "*")) type = PlexTypePointer(p, type);
  }
  if (PlexIs(unit, p->k, "(")) { /* what is in the parentheses comes last */
    open = p->k;
    p->k = unit->tokens[open].match + 1;
  } else if (unit->tokens[p->k].name >= PLEX_WORDS) *name = p->k++;
  type = PlexTypeSuffix(p, type, (PetscBool)(parameter && open < 0));
  if (open < 0 || p->why) return type;
  after = p->k;
  p->k  = open + 1;
  type  = PlexTypeDeclarator(p, type, parameter, name);
  if (p->k != unit->tokens[open].match) PlexGiveUp(p, "a declarator");
  p->k = after;
  return type;
}

int PlexTypeName(PlexInterpreter *p)
{
  PetscInt64 words;
  int        type = PlexTypeSpecifiers(p, &words), name = -1;

  if (!p->why) type = PlexTypeDeclarator(p, type, PETSC_FALSE, &name);
  if (name >= 0) PlexGiveUp(p, "the name of a type");
  return type;
}
