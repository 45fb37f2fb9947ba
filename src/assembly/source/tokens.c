/*
  From preprocessed C to tokens: where each came from, which bracket closes which, and a few words put as C++ has them,
  so that all that follows reads one language:

    __attribute__((...)), __asm__(...), __extension__, register, _Noreturn     left out
    restrict, _Bool, __inline__, ...                                           __restrict__, bool, inline
    ((void *)0)                                                                nullptr
    ({ if (e) ; else __assert_fail(...); })                                    ((e) ? (void)0 : __assert_fail(...))
    void *                                                                     plex_pointer, which converts to other
                                                                               pointers as in C
    new, class, ...                                                            plex_c_new, plex_c_class
*/
#include "source.h"
#include <ctype.h>

static const char *const PlexWords[PLEX_WORDS] = {"struct",
                                                  "union",
                                                  "enum",
                                                  "typedef",
                                                  "static",
                                                  "extern",
                                                  "inline",
                                                  "const",
                                                  "volatile",
                                                  "__restrict__",
                                                  "_Thread_local",
                                                  "__thread",
                                                  "__typeof__",
                                                  "_Atomic",
                                                  "_Alignas",
                                                  "void",
                                                  "char",
                                                  "short",
                                                  "int",
                                                  "long",
                                                  "float",
                                                  "double",
                                                  "signed",
                                                  "unsigned",
                                                  "bool",
                                                  "__int128",
                                                  "_Float128",
                                                  "__builtin_va_list",
                                                  "plex_pointer",
                                                  "_Complex",
                                                  "static_assert",
                                                  "sizeof",
                                                  "for",
                                                  "goto",
                                                  "if",
                                                  "else",
                                                  "while",
                                                  "do",
                                                  "switch",
                                                  "case",
                                                  "default",
                                                  "break",
                                                  "continue",
                                                  "return"};

/* Other spellings of words */
static const char *const PlexSpellings[][2] = {
  {"restrict",       "__restrict__"    },
  {"__restrict",     "__restrict__"    },
  {"_Bool",          "bool"            },
  {"__inline",       "inline"          },
  {"__inline__",     "inline"          },
  {"__const",        "const"           },
  {"__const__",      "const"           },
  {"__volatile",     "volatile"        },
  {"__volatile__",   "volatile"        },
  {"__signed",       "signed"          },
  {"__signed__",     "signed"          },
  {"typeof",         "__typeof__"      },
  {"__typeof",       "__typeof__"      },
  {"__complex__",    "_Complex"        },
  {"_Static_assert", "static_assert"   },
  {"__alignof__",    "alignof"         },
  {"_Alignof",       "alignof"         },
  {"_Float64",       "double"          },
  {"_Float32",       "float"           },
  {"thread_local",   "__thread"        },
  {"and",            "plex_c_and"      }, /* words of C++ that C takes as names */
  {"bitand",         "plex_c_bitand"   },
  {"bitor",          "plex_c_bitor"    },
  {"catch",          "plex_c_catch"    },
  {"class",          "plex_c_class"    },
  {"compl",          "plex_c_compl"    },
  {"constexpr",      "plex_c_constexpr"},
  {"concept",        "plex_c_concept"  },
  {"decltype",       "plex_c_decltype" },
  {"delete",         "plex_c_delete"   },
  {"explicit",       "plex_c_explicit" },
  {"export",         "plex_c_export"   },
  {"friend",         "plex_c_friend"   },
  {"mutable",        "plex_c_mutable"  },
  {"namespace",      "plex_c_namespace"},
  {"new",            "plex_c_new"      },
  {"noexcept",       "plex_c_noexcept" },
  {"not",            "plex_c_not"      },
  {"operator",       "plex_c_operator" },
  {"or",             "plex_c_or"       },
  {"private",        "plex_c_private"  },
  {"protected",      "plex_c_protected"},
  {"public",         "plex_c_public"   },
  {"requires",       "plex_c_requires" },
  {"template",       "plex_c_template" },
  {"this",           "plex_c_this"     },
  {"throw",          "plex_c_throw"    },
  {"try",            "plex_c_try"      },
  {"typeid",         "plex_c_typeid"   },
  {"typename",       "plex_c_typename" },
  {"using",          "plex_c_using"    },
  {"virtual",        "plex_c_virtual"  },
  {"xor",            "plex_c_xor"      }
};

static const char *const PlexWithGroup[] = {"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__declspec"};
static const char *const PlexLeftOut[]   = {"__extension__", "_Noreturn", "__noreturn__", "register"};

PetscBool PlexTokenIs(const PlexToken *token, const char text[])
{
  return (PetscBool)(token->length && *token->text == *text && !strncmp(token->text, text, (size_t)token->length) &&
                     !text[token->length]);
}

PetscBool PlexIs(const PlexUnit *unit, int token, const char text[])
{
  return PlexTokenIs(&unit->tokens[token], text);
}

PetscBool PlexIsAssignment(const PlexUnit *unit, int token)
{
  static const char *const words[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); ++k)
    if (PlexIs(unit, token, words[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* ------------------------------------------------------------------------------------------------------------ names */

static unsigned PlexNameHash(const char text[], int length)
{
  unsigned hash = 2166136261u;

  for (int k = 0; k < length; ++k) hash = (hash ^ (unsigned char)text[k]) * 16777619u;
  return hash;
}

/* The slot of the table that has the name, or the free one where it belongs */
static int PlexNameSlot(const PlexUnit *unit, const char text[], int length)
{
  const unsigned mask = (unsigned)unit->tableSize - 1;
  unsigned       slot = PlexNameHash(text, length) & mask;

  while (unit->table[slot] >= 0) {
    const char *name = unit->names[unit->table[slot]];

    if (!strncmp(name, text, (size_t)length) && !name[length]) break;
    slot = (slot + 1) & mask;
  }
  return (int)slot;
}

int PlexUnitFindName(const PlexUnit *unit, const char name[])
{
  return unit->tableSize ? unit->table[PlexNameSlot(unit, name, (int)strlen(name))] : -1;
}

static PetscErrorCode PlexUnitAddName(PlexUnit *unit, const char text[], int length, int *number)
{
  int slot;

  PetscFunctionBegin;
  if (2 * unit->nnames >= unit->tableSize) { /* half full: twice the size */
    unit->tableSize = PetscMax(4096, 2 * unit->tableSize);
    PetscCall(PetscRealloc(sizeof(int) * (size_t)unit->tableSize, &unit->table));
    for (int k = 0; k < unit->tableSize; ++k) unit->table[k] = -1;
    for (int k = 0; k < unit->nnames; ++k)
      unit->table[PlexNameSlot(unit, unit->names[k], (int)strlen(unit->names[k]))] = k;
  }
  slot = PlexNameSlot(unit, text, length);
  if (unit->table[slot] < 0) {
    PlexGrow(unit->names, unit->allocatedNames, unit->nnames + 1);
    PetscCall(PetscMalloc1(length + 1, &unit->names[unit->nnames]));
    PetscCall(PetscArraycpy(unit->names[unit->nnames], text, length));
    unit->names[unit->nnames][length] = '\0';
    unit->table[slot]                 = unit->nnames++;
  }
  *number = unit->table[slot];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --------------------------------------------------------------------------------------------------------- scanning */

static PetscErrorCode PlexUnitAddFile(PlexUnit *unit, const char text[], int length, int *number)
{
  PetscFunctionBegin;
  for (*number = unit->nfiles - 1; *number >= 0; --*number)
    if (!strncmp(unit->files[*number], text, (size_t)length) && !unit->files[*number][length]) break;
  if (*number < 0) {
    PetscCheck(unit->nfiles < 32767, PETSC_COMM_SELF, PETSC_ERR_SUP, "'%s' includes more than %d files", unit->path,
               unit->nfiles);
    PlexGrow(unit->files, unit->allocatedFiles, unit->nfiles + 1);
    PetscCall(PetscMalloc1(length + 1, &unit->files[unit->nfiles]));
    PetscCall(PetscArraycpy(unit->files[unit->nfiles], text, length));
    unit->files[unit->nfiles][length] = '\0';
    *number                           = unit->nfiles++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line # 12 "file" or #line 12 "file" sets where the next line is from; other directives (#pragma) are passed over */
static PetscErrorCode PlexReadMarker(PlexUnit *unit, const char *p, const char *end, int *line, int *file)
{
  const char *quote;
  int         number;

  PetscFunctionBegin;
  for (++p; p < end && (*p == ' ' || *p == '\t');) ++p;
  if (end - p > 4 && !strncmp(p, "line", 4)) p += 4;
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  if (p == end || !isdigit((unsigned char)*p)) PetscFunctionReturn(PETSC_SUCCESS);
  number = atoi(p);
  while (p < end && *p != '"') ++p;
  if (p < end) {
    for (quote = ++p; p < end && *p != '"';) ++p;
    PetscCall(PlexUnitAddFile(unit, quote, (int)(p - quote), file));
  }
  *line = number - 1; /* the marker's own end of line makes it the number */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexPunctuatorLength(const char *p)
{
  static const char *const longer[] = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                       "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(longer); ++k)
    if (*p == longer[k][0] && !strncmp(p, longer[k], strlen(longer[k]))) return (int)strlen(longer[k]);
  return 1;
}

/* The end of the token at p, and its kind */
static const char *PlexTokenEnd(const char *p, PlexTokenKind *kind)
{
  if (isalpha((unsigned char)*p) || *p == '_' || *p == '$' || (unsigned char)*p >= 128) {
    *kind = PLEX_TOKEN_NAME;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '$' || (unsigned char)*p >= 128) ++p;
    if ((*p == '"' || *p == '\'')) *kind = PLEX_TOKEN_STRING; /* L"..." */
    else return p;
  }
  if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
    *kind = PLEX_TOKEN_NUMBER;
    for (++p;
         isalnum((unsigned char)*p) || *p == '.' || *p == '_' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]));)
      ++p;
    return p;
  }
  if (*p == '"' || *p == '\'') {
    const char quote = *p;

    *kind = PLEX_TOKEN_STRING;
    for (++p; *p && *p != quote && *p != '\n'; ++p)
      if (*p == '\\' && p[1]) ++p;
    return *p == quote ? p + 1 : p;
  }
  *kind = PLEX_TOKEN_PUNCTUATOR;
  return p + PlexPunctuatorLength(p);
}

/* A name's token, in the spelling that C++ has */
static PetscErrorCode PlexSetName(PlexUnit *unit, PlexToken *token)
{
  int known = unit->nnames;

  PetscFunctionBegin;
  PetscCall(PlexUnitAddName(unit, token->text, token->length, &token->name));
  if (unit->nnames > known) { /* seen for the first time */
    PlexGrow(unit->spelling, unit->allocatedSpelling, unit->nnames);
    unit->spelling[token->name] = NULL;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexSpellings); ++k)
      if (PlexTokenIs(token, PlexSpellings[k][0])) unit->spelling[token->name] = PlexSpellings[k][1];
  }
  if (token->name >= PLEX_WORDS && unit->spelling[token->name]) {
    token->text   = unit->spelling[token->name];
    token->length = (int)strlen(token->text);
    known         = unit->nnames;
    PetscCall(PlexUnitAddName(unit, token->text, token->length, &token->name));
    if (unit->nnames > known) {
      PlexGrow(unit->spelling, unit->allocatedSpelling, unit->nnames);
      unit->spelling[token->name] = NULL;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind the last token there are some of no length, to look at */
#define PLEX_BEHIND 4
static void PlexUnitEnd(PlexUnit *unit)
{
  for (int k = 0; k < PLEX_BEHIND; ++k)
    unit->tokens[unit->ntokens + k] = (PlexToken){.text = "", .name = -1, .match = -1, .kind = PLEX_TOKEN_PUNCTUATOR};
}

static PetscErrorCode PlexUnitScan(PlexUnit *unit)
{
  int       line  = 1, file, number;
  int       space = 0;
  PetscBool fresh = PETSC_TRUE; /* only blanks on this line yet */

  PetscFunctionBegin;
  for (int k = 0; k < PLEX_WORDS; ++k)
    PetscCall(PlexUnitAddName(unit, PlexWords[k], (int)strlen(PlexWords[k]), &number));
  PetscCall(PlexUnitAddFile(unit, unit->path, (int)strlen(unit->path), &file));
  for (const char *p = unit->text; *p;) {
    PlexTokenKind kind = PLEX_TOKEN_PUNCTUATOR;
    const char   *end;
    PlexToken    *token;

    if (isspace((unsigned char)*p) || (*p == '\\' && p[1] == '\n')) {
      if (*p == '\n') {
        ++line;
        fresh = PETSC_TRUE;
        space = -1;
      }
      space = PetscMin(space + 1, 120);
      ++p;
      continue;
    }
    if (fresh && *p == '#') {
      end = p + strcspn(p, "\n");
      PetscCall(PlexReadMarker(unit, p, end, &line, &file));
      p = end;
      continue;
    }
    end = PlexTokenEnd(p, &kind);
    PlexGrow(unit->tokens, unit->allocatedTokens, unit->ntokens + 1 + PLEX_BEHIND);
    token  = &unit->tokens[unit->ntokens++];
    *token = (PlexToken){.text   = p,
                         .length = (int)(end - p),
                         .name   = -1,
                         .line   = line,
                         .match  = -1,
                         .file   = (short)file,
                         .kind   = (char)kind,
                         .space  = (char)space};
    if (kind == PLEX_TOKEN_NAME) PetscCall(PlexSetName(unit, token));
    fresh = PETSC_FALSE;
    space = 0;
    p     = end;
  }
  PlexUnitEnd(unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---------------------------------------------------------------------------------------------------------- tidying */

/* Which bracket closes which */
static PetscErrorCode PlexUnitMatch(PlexUnit *unit)
{
  int open[PLEX_MOST_NESTED], n = 0;

  PetscFunctionBegin;
  for (int k = 0; k < unit->ntokens; ++k) {
    PlexToken  *token = &unit->tokens[k];
    const char *place;

    token->match = -1;
    if (token->kind != PLEX_TOKEN_PUNCTUATOR || token->length != 1) continue;
    if (strchr("([{", token->text[0])) {
      PetscCheck(n < PLEX_MOST_NESTED, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
                 "%s:%d: more than %d brackets inside each other", unit->files[token->file], token->line,
                 PLEX_MOST_NESTED);
      open[n++] = k;
    }
    if (!(place = strchr(")]}", token->text[0]))) continue;
    PetscCheck(n > 0 && unit->tokens[open[n - 1]].text[0] == "([{"[place - ")]}"], PETSC_COMM_SELF,
               PETSC_ERR_FILE_UNEXPECTED, "%s:%d: a '%c' closes nothing", unit->files[token->file], token->line,
               token->text[0]);
    --n;
    token->match                = open[n];
    unit->tokens[open[n]].match = k;
  }
  PetscCheck(!n, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s:%d: a '%c' is not closed",
             unit->files[unit->tokens[open[n - 1]].file], unit->tokens[open[n - 1]].line,
             unit->tokens[open[n - 1]].text[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexTokenIsOf(const PlexToken *token, size_t n, const char *const words[])
{
  if (token->kind != PLEX_TOKEN_NAME) return PETSC_FALSE;
  for (size_t k = 0; k < n; ++k)
    if (PlexTokenIs(token, words[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether tokens from k on are those of `text`, which has blanks between them */
static PetscBool PlexTokensAre(const PlexUnit *unit, int k, const char text[])
{
  while (*text) {
    const size_t length = strcspn(text, " ");

    if (k >= unit->ntokens || (size_t)unit->tokens[k].length != length || strncmp(unit->tokens[k].text, text, length))
      return PETSC_FALSE;
    text += length + (text[length] == ' ');
    ++k;
  }
  return PETSC_TRUE;
}

/* Tokens at k that make a pointer to void, or 0. `void *a, *b` is left as it is: the type would be taken for both. */
static int PlexPointerLength(const PlexUnit *unit, int k)
{
  int n = k;

  if (unit->tokens[n].name == PLEX_WORD_CONST) ++n;
  if (unit->tokens[n].name != PLEX_WORD_VOID) return 0;
  ++n;
  if (unit->tokens[n].name == PLEX_WORD_CONST) ++n;
  if (n >= unit->ntokens || !PlexTokenIs(&unit->tokens[n], "*")) return 0;
  ++n;
  while (n < unit->ntokens && unit->tokens[n].name == PLEX_WORD_RESTRICT) ++n;
  if (n + 2 < unit->ntokens && (PlexTokenIs(&unit->tokens[n], "*") ||
                                (PlexTokenIs(&unit->tokens[n + 1], ",") && PlexTokenIs(&unit->tokens[n + 2], "*"))))
    return 0;
  return n - k;
}

/*
  What glibc makes of assert(e) for GNU C, a statement as an expression, which the device's compiler does not have:

    ({ if (e) ; else __assert_fail(...); })  ->  ((e) ? (void)0 : __assert_fail(...))

  k: the first parenthesis; false where this is something else. As many tokens as before.
*/
static PetscBool PlexTidyAssertion(PlexUnit *unit, int k)
{
  PlexToken *token = &unit->tokens[k];
  const int  end   = token->match;
  int        close, last;

  if (!PlexTokensAre(unit, k, "( { if (") || end < 0) return PETSC_FALSE;
  close = unit->tokens[k + 3].match; /* of the condition */
  if (close < 0 || !PlexTokensAre(unit, close + 1, "; else __assert_fail (")) return PETSC_FALSE;
  last = unit->tokens[close + 4].match; /* of the call */
  if (last < 0 || last + 3 != end || !PlexTokensAre(unit, last + 1, "; } )")) return PETSC_FALSE;
  {
    const char *const between[] = {"?", "(", "void", ")", "0", ":"};
    const int         condition = close - (k + 3) + 1, call = last - (close + 3) + 1;
    const PlexToken   at = unit->tokens[k + 2];

    memmove(&token[1], &token[3], sizeof(*token) * (size_t)condition);
    memmove(&token[1 + condition + 6], &unit->tokens[close + 3], sizeof(*token) * (size_t)call);
    for (int b = 0; b < 6; ++b) {
      PlexToken *t = &token[1 + condition + b];

      *t = (PlexToken){.text   = between[b],
                       .length = (int)strlen(between[b]),
                       .name   = b == 2 ? PLEX_WORD_VOID : -1,
                       .line   = at.line,
                       .match  = -1,
                       .file   = at.file,
                       .kind   = (char)(b == 2   ? PLEX_TOKEN_NAME
                                        : b == 4 ? PLEX_TOKEN_NUMBER
                                                 : PLEX_TOKEN_PUNCTUATOR),
                       .space  = 1};
    }
    token[1 + condition + 6 + call] = unit->tokens[end];
  }
  return PETSC_TRUE;
}

/* Leaves tokens out and joins some, in place */
static PetscErrorCode PlexUnitTidy(PlexUnit *unit)
{
  int n = 0, length, name = -1;

  PetscFunctionBegin;
  for (int k = 0; k < unit->ntokens; ++k) {
    PlexToken token = unit->tokens[k];

    if (PlexTokenIsOf(&token, PETSC_STATIC_ARRAY_LENGTH(PlexLeftOut), PlexLeftOut)) continue;
    if (PlexTokenIsOf(&token, PETSC_STATIC_ARRAY_LENGTH(PlexWithGroup), PlexWithGroup)) {
      while (k + 1 < unit->ntokens && unit->tokens[k + 1].name == PLEX_WORD_VOLATILE) ++k;
      if (k + 1 < unit->ntokens && PlexTokenIs(&unit->tokens[k + 1], "(")) k = unit->tokens[k + 1].match;
      continue;
    }
    if (PlexTokensAre(unit, k, "( ( void * ) 0 )")) {
      token.text   = "nullptr";
      token.length = 7;
      token.kind   = PLEX_TOKEN_NAME;
      PetscCall(PlexUnitAddName(unit, "nullptr", 7, &name));
      token.name = name;
      k += 6;
    } else if ((length = PlexPointerLength(unit, k))) {
      token.text   = PlexWords[PLEX_WORD_POINTER];
      token.length = (int)strlen(token.text);
      token.name   = PLEX_WORD_POINTER;
      k += length - 1;
      if (k + 1 < unit->ntokens) unit->tokens[k + 1].space = 1;
    }
    unit->tokens[n++] = token;
  }
  unit->ntokens = n;
  PlexUnitEnd(unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The token behind the next `;` that is in no brackets, from token k on */
static int PlexSemicolonEnd(const PlexUnit *unit, int k)
{
  for (; k < unit->ntokens && !PlexTokenIs(&unit->tokens[k], ";"); ++k)
    if (unit->tokens[k].match > k) k = unit->tokens[k].match;
  return PetscMin(k + 1, unit->ntokens);
}

/* The token behind the statement that begins at token k, which has no label */
int PlexStatementEnd(const PlexUnit *unit, int k)
{
  enum {
    LOOP,
    IF,
    DO
  } inside[PLEX_MOST_NESTED]; /* the statements that this one is the end of */
  int n = 0;

  while (n < PLEX_MOST_NESTED) {
    const int word = unit->tokens[k].name;
    PetscBool more = PETSC_FALSE; /* behind else */

    if ((word == PLEX_WORD_IF || word == PLEX_WORD_FOR || word == PLEX_WORD_WHILE || word == PLEX_WORD_SWITCH) &&
        unit->tokens[k + 1].match > k) {
      inside[n++] = word == PLEX_WORD_IF ? IF : LOOP;
      k           = unit->tokens[k + 1].match + 1;
      continue;
    }
    if (word == PLEX_WORD_DO) {
      inside[n++] = DO;
      ++k;
      continue;
    }
    k = PlexTokenIs(&unit->tokens[k], "{") ? unit->tokens[k].match + 1 : PlexSemicolonEnd(unit, k);
    while (n && !more) {
      more = (PetscBool)(inside[n - 1] == IF && unit->tokens[k].name == PLEX_WORD_ELSE);
      if (inside[n - 1] == DO) k = PlexSemicolonEnd(unit, k);
      if (more) {
        inside[n - 1] = LOOP;
        ++k;
      } else --n;
    }
    if (!more) return k;
  }
  return unit->ntokens;
}

/* Leaves out what `if (1) ... else` and `if (0) {...}` never come to: it may call what the device has not. Brackets are
   matched before and after. */
static void PlexUnitDropDead(PlexUnit *unit)
{
  int n = 0, from = -1, to = -1; /* tokens left out next */

  for (int k = 0; k < unit->ntokens; ++k) {
    if (k == from) {
      k    = to - 1;
      from = -1;
      continue;
    }
    if (unit->tokens[k].name == PLEX_WORD_IF && unit->tokens[k + 2].kind == PLEX_TOKEN_NUMBER &&
        unit->tokens[k + 1].match == k + 3) {
      const int body = k + 4, end = PlexTokenIs(&unit->tokens[k + 2], "0") || PlexTokenIs(&unit->tokens[k + 2], "1")
                                    ? PlexStatementEnd(unit, body)
                                    : -1;

      if (end > 0 && PlexTokenIs(&unit->tokens[k + 2], "0") && PlexTokenIs(&unit->tokens[body], "{")) {
        from = body + 1;
        to   = unit->tokens[body].match;
      } else if (end > 0 && PlexTokenIs(&unit->tokens[k + 2], "1") && unit->tokens[end].name == PLEX_WORD_ELSE) {
        from = end;
        to   = PlexStatementEnd(unit, end + 1);
      }
      if (from == to) from = -1;
    }
    unit->tokens[n++] = unit->tokens[k];
  }
  unit->ntokens = n;
  PlexUnitEnd(unit);
}

PetscErrorCode PlexUnitTokenize(PlexUnit *unit)
{
  PetscFunctionBegin;
  PetscCheck(strlen(unit->text) <= PLEX_MOST_TEXT, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "'%s' has more than %d MB with all that it includes: name a file with the pointwise functions and what "
             "they need",
             unit->path, PLEX_MOST_TEXT >> 20);
  PlexGrow(unit->tokens, unit->allocatedTokens, 8);
  PetscCall(PlexUnitScan(unit));
  PetscCall(PlexUnitMatch(unit));
  PetscCall(PlexUnitTidy(unit));
  PetscCall(PlexUnitMatch(unit));
  for (int k = 0; k < unit->ntokens; ++k) {
    const int end = unit->tokens[k].match;

    if (PlexTidyAssertion(unit, k)) k = end;
  }
  PetscCall(PlexUnitMatch(unit));
  PetscCall(PlexUnitMatch(unit));
  PlexUnitDropDead(unit);
  PetscCall(PlexUnitMatch(unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
