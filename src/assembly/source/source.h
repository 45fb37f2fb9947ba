/*
  The application's own source files, and what a kernel needs of them.

    file -> preprocessed C       preprocess.c    the C compiler with PETSc's flags; kept in the cache on disk
         -> tokens               tokens.c        a few words of C put as C++ has them
         -> declarations         declarations.c  at file scope: where each begins and ends, what it declares
    names -> what they reach     reach.c         functions, types, constants, variables, transitively
          -> device source       write.c         in the order of the source, with #line
    variables -> a block         variables.c     addresses in the running program, values before a launch

  Words. A unit is one file with all it includes. A declaration is a piece of the unit at file scope, up to its `;` or
  `}`. An entity is a thing that a declaration declares: `static int a, b[2];` is one declaration of two entities.
*/
#pragma once

#include <plexgpu/private/sourceimpl.h>
#include "../../util/command.h"

typedef enum {
  PLEX_TOKEN_NAME, /* identifiers and keywords */
  PLEX_TOKEN_NUMBER,
  PLEX_TOKEN_STRING, /* and characters */
  PLEX_TOKEN_PUNCTUATOR
} PlexTokenKind;

typedef enum {
  PLEX_USE_NONE,    /* keywords, members, local names, what the device supplies: written as they are */
  PLEX_USE_GLOBAL,  /* an entity of this unit or another */
  PLEX_USE_VARIABLE /* one whose value is mirrored */
} PlexUse;

typedef struct {
  const char *text; /* [length] in the unit's text, or a constant */
  int         length;
  int         name;  /* number of the identifier, -1 for other kinds */
  int         line;  /* in files[file] */
  int         match; /* the other bracket, -1 for other tokens */
  short       file;
  char        kind;  /* PlexTokenKind */
  char        space; /* blanks before it on its line */
  char        use;   /* PlexUse, set when the declaration is reached */
} PlexToken;

typedef enum {
  PLEX_TYPE, /* by typedef */
  PLEX_TAG,  /* of struct, union or enum: a name space of its own */
  PLEX_ENUMERATOR,
  PLEX_FUNCTION,
  PLEX_VARIABLE
} PlexEntityKind;

typedef struct {
  PlexEntityKind kind;
  int            name;
  int            declaration;
  int            token;      /* the name */
  int            begin, end; /* tokens of the declarator, without the initializer; of a tag or enumerator its name */
  int            next;       /* entity of the same name, or -1 */
  PetscBool      defined;    /* a function with its body, a variable with its initializer, a tag with its braces */
  PetscBool      pointer;    /* the declarator has a `*` */
} PlexEntity;

typedef struct {
  int       begin, end; /* tokens */
  int       specifiers; /* end of `static const struct {...}` and the like */
  int       body;       /* `{` of a function's body, or -1 */
  int       entities;   /* the first of its entities; they are in a row */
  int       nentities;  /* with the enumerators and tags in its specifiers */
  int       parent, at; /* the declaration that reached this one, and its token that did; -1 */
  PetscBool isTypedef, isStatic, isExtern, isConst;
} PlexDeclaration;

/* A file and all it includes, preprocessed */
typedef struct {
  char            *path; /* as the user gave it */
  char            *text;
  PlexToken       *tokens; /* [ntokens] and one of length 0 */
  int              ntokens, allocatedTokens;
  char           **files; /* [nfiles] that tokens come from; file 0 is the path */
  int              nfiles, allocatedFiles;
  char           **names; /* [nnames] identifiers, the words of C first */
  int              nnames, allocatedNames;
  const char     **spelling; /* [nnames] how C++ spells it, NULL: the same; beyond the words of C */
  int              allocatedSpelling;
  int             *table; /* [tableSize] of name numbers, by hash; -1: free */
  int              tableSize;
  int             *first; /* [nnames] first entity of a name, -1 */
  PlexDeclaration *declarations;
  int              ndeclarations, allocatedDeclarations;
  PlexEntity      *entities;
  int              nentities, allocatedEntities;
  PetscBool        asIs; /* not split: the text of a header for a machine without a C compiler, or C++ */
  PetscBool        cxx;  /* the device text of all C++ files of the program (cxx.h) */
} PlexUnit;

struct _n_PlexProgram {
  char     *files; /* the list that was given */
  int       nunits;
  PlexUnit *units;
};

/* A variable whose value is taken from the running program before each launch */
typedef struct {
  int         unit, entity;
  const void *address;
  size_t      size;   /* bytes there */
  size_t      offset; /* in the block, a multiple of 16 */
  PetscBool   real;   /* made of reals alone: rounded in single precision; other variables keep the host's layout */
} PlexVariable;

/* What a kernel needs of a program, for each declaration */
typedef struct {
  unsigned kept : 1, wanted : 1, host : 1; /* host: part of the type of a mirrored variable */
} PlexMark;

struct _n_PlexExtract {
  PlexProgram   program;
  PlexMark    **marks; /* [nunits][ndeclarations] */
  int          *queue; /* pairs (unit, declaration) still to be walked */
  int           nqueue, allocatedQueue;
  PlexVariable *variables;
  int           nvariables, allocatedVariables;
  int          *constants; /* pairs (unit, entity): variables whose initializer is their value */
  int           nconstants, allocatedConstants;
  /* [nunits] the file that was compiled with the unit in it, as the program's symbols name it; NULL: not known */
  char **objects;
  /* [nunits] one of its pointwise functions, which is in the object that has its variables; NULL */
  PetscVoidFn **fn;
  size_t        bytes; /* of all variables */
};

/* Words of C that are looked for by number; the order is that of PlexWords[] in tokens.c */
typedef enum {
  PLEX_WORD_STRUCT,
  PLEX_WORD_UNION,
  PLEX_WORD_ENUM,
  PLEX_WORD_TYPEDEF,
  PLEX_WORD_STATIC,
  PLEX_WORD_EXTERN,
  PLEX_WORD_INLINE,
  PLEX_WORD_CONST,
  PLEX_WORD_VOLATILE,
  PLEX_WORD_RESTRICT,
  PLEX_WORD_THREAD,  /* _Thread_local */
  PLEX_WORD_THREAD2, /* __thread */
  PLEX_WORD_TYPEOF,
  PLEX_WORD_ATOMIC,
  PLEX_WORD_ALIGNAS,
  PLEX_WORD_VOID, /* from here to _Complex: names of types */
  PLEX_WORD_CHAR,
  PLEX_WORD_SHORT,
  PLEX_WORD_INT,
  PLEX_WORD_LONG,
  PLEX_WORD_FLOAT,
  PLEX_WORD_DOUBLE,
  PLEX_WORD_SIGNED,
  PLEX_WORD_UNSIGNED,
  PLEX_WORD_BOOL,
  PLEX_WORD_INT128,
  PLEX_WORD_FLOAT128,
  PLEX_WORD_VALIST,
  PLEX_WORD_POINTER, /* what `void *` is put as */
  PLEX_WORD_COMPLEX,
  PLEX_WORD_STATIC_ASSERT,
  PLEX_WORD_SIZEOF, /* from here on: words of statements and expressions */
  PLEX_WORD_FOR,
  PLEX_WORD_GOTO,
  PLEX_WORD_IF,
  PLEX_WORD_ELSE,
  PLEX_WORD_WHILE,
  PLEX_WORD_DO,
  PLEX_WORD_SWITCH,
  PLEX_WORD_CASE,
  PLEX_WORD_DEFAULT,
  PLEX_WORD_BREAK,
  PLEX_WORD_CONTINUE,
  PLEX_WORD_RETURN,
  PLEX_WORDS
} PlexWord;

/* Limits that no file written by people reaches: they bound memory, stack and time for any input */
#define PLEX_MOST_TEXT   (64 << 20) /* bytes of a file with all it includes */
#define PLEX_MOST_NESTED 1000       /* brackets in brackets, statements in statements */
#define PLEX_MOST_SAME   10000      /* declarations of one name */
#define PLEX_MOST_LOCALS 4000       /* names that a function declares */

/* Grows an array to hold n items and some more */
#define PlexGrow(array, allocated, n) \
  do { \
    if ((n) > (allocated)) { \
      (allocated) = 2 * (n) + 16; \
      PetscCall(PetscRealloc((size_t)(allocated) * sizeof(*(array)), &(array))); \
    } \
  } while (0)

typedef struct {
  const char *path;
  PetscBool   header; /* by its suffix: it is read behind petsc.h */
  PetscBool   cxx;
  PetscBool   hasPetsc;                      /* PETSc's headers are here */
  char        more[PETSC_MAX_PATH_LEN];      /* -plex_assembly_source_flags and PLEXGPU_CC_FLAGS */
  char        flags[8 * PETSC_MAX_PATH_LEN]; /* all of them */
  char        command[PETSC_MAX_PATH_LEN];   /* the compiler; empty: there is none */
  PetscBool   chosen;                        /* by option or environment */
} PlexPreprocessor;

/* preprocess.c */
PETSC_INTERN PetscErrorCode PlexPreprocess(const char path[], const char prefix[], char **text, PetscBool *asIs);
PETSC_INTERN PetscErrorCode PlexPreprocessorGetFlags(const char prefix[], char flags[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexPreprocessorChoose(const char prefix[], PlexPreprocessor *, PetscInt n,
                                                   const char *const candidates[]);
PETSC_INTERN PetscErrorCode PlexPreprocessRead(const PlexPreprocessor *, const char standin[], const char source[],
                                               char cache[PETSC_MAX_PATH_LEN], char **text);
PETSC_INTERN PetscErrorCode PlexPreprocessWrite(const char cache[], const char text[]);
PETSC_INTERN PetscErrorCode PlexCallCompiler(const PlexPreprocessor *, const PlexWorkplace *, const char how[],
                                             const char source[], int *status, char said[1500]);

/* cxxread.c, cxxnames.c, cxxedit.c */
PETSC_INTERN PetscBool      PlexPathIsCxx(const char path[]);
PETSC_INTERN PetscErrorCode PlexCxxRead(int n, char *const paths[], const char prefix[], char **text);
PETSC_INTERN PetscErrorCode PlexSymbolSpell(const char symbol[], char **name);
PETSC_INTERN PetscBool      PlexCxxHasFunction(const char text[], const char name[]);
PETSC_INTERN PetscErrorCode PlexCxxWrite(const char text[], PetscBool single, FILE *);

/* tokens.c */
PETSC_INTERN PetscBool      PlexIs(const PlexUnit *, int token, const char text[]);
PETSC_INTERN PetscBool      PlexIsAssignment(const PlexUnit *, int token); /* also ++ and -- */
PETSC_INTERN PetscErrorCode PlexUnitTokenize(PlexUnit *);
PETSC_INTERN int            PlexUnitFindName(const PlexUnit *, const char name[]); /* -1: not in the unit */
PETSC_INTERN PetscBool      PlexTokenIs(const PlexToken *, const char text[]);
PETSC_INTERN int            PlexStatementEnd(const PlexUnit *, int token);

/* declarations.c */
PETSC_INTERN PetscErrorCode PlexUnitSplit(PlexUnit *);
/* Parses specifiers from token b on. Returns the token behind them, or b if this is no declaration. words: a bit for
   each PlexWord among them */
PETSC_INTERN int PlexParseSpecifiers(const PlexUnit *, int b, int end, PetscInt64 *words);
/* Parses one declarator from token b on. Returns its end (before `=`, `,`, `;`, `:` or a body). name: the token of its
   name, or -1; function: it declares a function; pointer: it has a `*` */
PETSC_INTERN int PlexParseDeclarator(const PlexUnit *, int b, int end, int *name, PetscBool *function,
                                     PetscBool *pointer);
PETSC_INTERN int PlexSkipInitializer(const PlexUnit *, int b, int end);

/* locals.c: names that a function or a struct declares inside, so that they hide those of the file */
typedef struct {
  int name, from, to; /* hides from token `from` to token `to` */
} PlexLocal;
typedef struct {
  PlexLocal *locals; /* to be destroyed after an error too */
  int        n, allocated;
  int        fixed; /* arrays have a size that follows from the first arguments of a pointwise function */
} PlexLocals;
PETSC_INTERN PetscErrorCode PlexLocalsCreate(const PlexUnit *, const PlexDeclaration *, PlexLocals *);
PETSC_INTERN PetscErrorCode PlexLocalsDestroy(PlexLocals *);
PETSC_INTERN PetscBool      PlexLocalsHide(const PlexLocals *, int name, int token);
/* tokens[n]: names of a function's first n parameters, -1 if unnamed. Returns the number of parameters */
PETSC_INTERN int PlexFunctionGetParameters(const PlexUnit *, const PlexDeclaration *, int n, int tokens[]);

/* arrays.c */
#define PLEX_FIXED 5 /* parameters dim, Nf, NfAux, uOff, uOff_x come first */
PETSC_INTERN PetscErrorCode PlexCheckLocals(const PlexUnit *, const PlexDeclaration *, PetscBool wanted, int names[],
                                            PetscBool *fixed);

/* asis.c */
PETSC_INTERN PetscErrorCode PlexWriteAsIs(const PlexUnit *, FILE *);
/* without includes of PETSc's and the C library's headers */
PETSC_INTERN PetscErrorCode PlexWriteText(const char path[], const char text[], FILE *);
PETSC_INTERN PetscBool      PlexTextHasName(const char text[], const char name[]);

/* names.c: what the device has by itself */
PETSC_INTERN PetscBool PlexDeviceHasName(const char name[]);
/* the device means something else by it: to be renamed */
PETSC_INTERN PetscBool PlexDeviceTakesName(const char name[]);

/* program.c */
/* a unit before it, or the device, defines the name otherwise */
PETSC_INTERN PetscBool PlexNameClashes(PlexProgram, int unit, int name);

/* reach.c */
/* The entity of a name that is no tag, of the given kind if that is not -1, defined if there is such a one; or -1 */
PETSC_INTERN int            PlexFind(const PlexUnit *, int name, int kind, PetscBool definition);
PETSC_INTERN PetscErrorCode PlexProgramFindFunction(PlexProgram, PetscVoidFn *, const char name[], int *unit,
                                                    int *entity);

/* variables.c */
/* The variable that a token names: whether its value is mirrored; else it is a constant of the source */
PETSC_INTERN PetscErrorCode PlexExtractVariable(PlexExtract, int unit, int token, PetscBool *mirrored);
PETSC_INTERN PetscBool      PlexExtractIsConstant(PlexExtract, int unit, int entity);
PETSC_INTERN PetscBool      PlexVariableIsWritten(const PlexUnit *, int name);
