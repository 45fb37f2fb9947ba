/*
  What is known of a pointwise function from its source, in two ways:

    reads.c        by occurrence: an argument whose name does not stand in the text is not read. Works for all that a
                   kernel can be made of.
    interpret.c    the function is carried out with the sizes as numbers and all else as symbols
    statements.c   its statements
    expressions.c  expressions: operators between values, conditions, assignments
    operands.c     what stands between them: names, numbers, members, casts
    calls.c        calls
    memory.c       variables and what they are, on each of several branches
    types.c        types of C, declarators
    values.c       symbols: each expression of the arguments has one number, so that equal ones have equal numbers

  The second knows more: which entries are zero or equal, which branches are never come to, which constants are read.
  What it does not understand ends it, and the first stands.
*/
#pragma once

#include "source.h"

#define PLEX_FACTS_PARAMETERS 20 /* most, of a pointwise function */

/* bits[]: PLEX_READS_* of each parameter, 0 for a size or the result. Returns the number of parameters */
PETSC_INTERN int PlexFactsParameters(const PlexFactsSizes *, unsigned bits[PLEX_FACTS_PARAMETERS]);

/* reads.c: *why is NULL if all was understood, else says what was not */
PETSC_INTERN PetscErrorCode PlexReadsScan(PlexProgram, int unit, int entity, const PlexFactsSizes *, unsigned *reads,
                                          const char **why);

/* Finds the definition of the function that a name in a unit means: unit *v and *entity, -1 if it is in no file */
PETSC_INTERN void PlexFactsFindCalled(PlexProgram, int unit, int name, int *v, int *entity);
/* Whether a function that is in no file is pure: its value depends on its arguments alone, and it changes nothing */
PETSC_INTERN PetscBool PlexFactsIsPure(const char name[]);
/* memcpy and the like, also PETSc's: they read and write through their arguments, and nothing else */
PETSC_INTERN PetscBool PlexFactsIsCopy(const char name[]);

/* ----------------------------------------------------------------------------------------------------- carrying out */

/* A type of C, without qualifiers. Types are numbered: equal ones have one number. */
typedef enum {
  PLEX_C_VOID,
  PLEX_C_INTEGER,
  PLEX_C_REAL,
  PLEX_C_POINTER,
  PLEX_C_ARRAY,
  PLEX_C_STRUCT
} PlexCKind;

typedef struct {
  PlexCKind kind;
  int       size;       /* bytes of a number */
  PetscBool isUnsigned; /* also bool, of size 1 */
  PetscBool isBool;
  int       of;          /* what is pointed to, what an array is of */
  int       n;           /* entries of an array, -1: as many as the initializer has */
  int       unit, token; /* of the `{` of a struct */
  int       first, nmembers;
  int       cells; /* numbers and pointers in it */
} PlexCType;

typedef struct {
  const char *name;
  int         length, type;
  int         at; /* cell in the struct */
} PlexCMember;

/* What a number or a pointer is */
typedef enum {
  PLEX_CELL_UNSET,
  PLEX_CELL_INTEGER, /* i */
  PLEX_CELL_NODE,    /* id: a symbol */
  /* id: the object, -1: NULL, PLEX_POINTER_UNKNOWN: one of several; i: the cell in it; index: -1, or a symbol to be
     added */
  PLEX_CELL_POINTER
} PlexCellKind;

typedef struct {
  PlexCellKind kind;
  int          id, index;
  PetscInt64   i;
} PlexCell;

typedef enum {
  PLEX_OBJECT_CELLS,     /* a variable, the result */
  PLEX_OBJECT_LEAVES,    /* an argument of the function: its entries are symbols of their own, and cannot be written */
  PLEX_OBJECT_FIXED,     /* numbers that are known, and cannot be written */
  PLEX_OBJECT_VARIABLES, /* a variable of a file that is not const, likewise */
  PLEX_OBJECT_CHOICE     /* what a pointer points to that is fixed[0] where the condition `leaf` holds, else fixed[1] */
} PlexObjectKind;

typedef struct {
  PlexObjectKind kind;
  int            type;
  int            n;     /* cells */
  int            base;  /* the first in PlexInterpreter.cells, of PLEX_OBJECT_CELLS */
  PlexCell      *fixed; /* [n] */
  int            leaf;  /* number of the parameter; of a variable its entity */
  int            unit;  /* of a variable */
} PlexObject;

/* A symbol: an operation on symbols. Equal ones have one number. */
typedef struct {
  int        op;
  PetscInt64 value; /* of a constant its bits, of a leaf its place, of an operation its type */
  int        first, n;
  int        next; /* of the same hash */
} PlexNode;

enum { /* further operations: the characters of C's own, `<` + 256 * `=` and the like */
  PLEX_NODE_UNSET = 1,
  PLEX_NODE_INTEGER,
  PLEX_NODE_REAL,
  PLEX_NODE_LEAF,  /* value: parameter << 32 | index */
  PLEX_NODE_LEAFX, /* the same, with an index that is a symbol to be added */
  PLEX_NODE_VARIABLE,
  PLEX_NODE_NEGATE,
  PLEX_NODE_CONVERT,
  PLEX_NODE_CALL, /* value: number of the name */
  PLEX_NODE_PHI,  /* condition, value if it holds, else */
  PLEX_NODE_INDEX
};

/* A value, or the place of one */
typedef struct {
  int       type;
  PetscBool place; /* pointer is where it is; else it is in cell */
  PlexCell  cell, pointer;
} PlexValue;

typedef struct {
  int name, object;
} PlexScoped;

/* A way out of a loop or function that is taken under a condition: what there is then */
typedef struct {
  int       flow;
  int       path; /* the condition */
  int       n;
  PlexCell *cells; /* [n] */
  PlexCell  value; /* that is returned */
} PlexExit;

typedef enum {
  PLEX_FLOW_ON,
  PLEX_FLOW_BREAK,
  PLEX_FLOW_CONTINUE,
  PLEX_FLOW_RETURN,
  PLEX_FLOW_NEVER /* what comes next is not come to */
} PlexFlow;

typedef struct {
  PlexProgram           program;
  const PlexFactsSizes *sizes;
  unsigned              bits[PLEX_FACTS_PARAMETERS];
  const char           *why; /* what ended it, or NULL */
  int                   u;   /* unit that is read */
  const PlexUnit       *unit;
  int                   k;        /* token that comes next */
  int                   dead;     /* what is read is not carried out: only its types are asked for */
  int                   path;     /* under this condition; -1: always */
  int                   depth;    /* of calls */
  int                   nesting;  /* of expressions and statements */
  int                   branches; /* taken on conditions that are not known, around what is carried out */
  int                   steps;
  int                   returns;      /* type that the function returns */
  int                   branches0;    /* branches around that function */
  int                   branchesLoop; /* around the innermost loop in it */
  int                   temporary;    /* object for a struct that it returns */
  PlexCell              value;        /* that it returned */

  PlexCType   *types;
  int          ntypes, allocatedTypes;
  PlexCMember *members;
  int          nmembers, allocatedMembers;
  PlexNode    *nodes;
  int          nnodes, allocatedNodes;
  int         *operands;
  int          noperands, allocatedOperands;
  int         *hash; /* [PLEX_HASH] */
  char       **names;
  int          nnames, allocatedNames;
  PlexCell    *cells;
  int          ncells, allocatedCells;
  PlexObject  *objects;
  int          nobjects, allocatedObjects;
  PlexObject  *globals; /* of the files; their numbers are from PLEX_GLOBAL on */
  int          nglobals, allocatedGlobals;
  PlexScoped  *scope;                            /* names, the innermost last */
  int          nscope, allocatedScope, function; /* first of the function that is carried out */
  PlexExit    *exits;
  int          nexits, allocatedExits;
  int         *globalUnits, *globalEntities;
  int          allocatedUnits, allocatedEntities;
  unsigned     reads;
  PetscBool   *readsA;
} PlexInterpreter;

#define PLEX_POINTER_UNKNOWN (-2)

#define PLEX_HASH    65536
#define PLEX_GLOBAL  (1 << 24)
#define PLEX_STEPS   400000 /* most, of a function */
#define PLEX_NESTING 300    /* most, of expressions and statements in each other */

#define PlexHold(array, allocated, n) \
  do { \
    if ((n) > (allocated)) { \
      (allocated) = 2 * (n) + 64; \
      PetscCallAbort(PETSC_COMM_SELF, PetscRealloc((size_t)(allocated) * sizeof(*(array)), &(array))); \
    } \
  } while (0)

/* Ends it: the first reason stands */
static inline void PlexGiveUp(PlexInterpreter *p, const char why[])
{
  if (!p->why) p->why = why;
}

/* types.c */
PETSC_INTERN int PlexTypeMake(PlexInterpreter *, PlexCType);
PETSC_INTERN int PlexTypeNumber(PlexInterpreter *, PlexCKind, int size, PetscBool isUnsigned);
PETSC_INTERN int PlexTypePointer(PlexInterpreter *, int of);
/* a declaration or the name of a type */
PETSC_INTERN PetscBool PlexTypeIsNext(PlexInterpreter *);
/* reads them */
PETSC_INTERN int PlexTypeSpecifiers(PlexInterpreter *, PetscInt64 *words);
/* reads it; name: token or -1 */
PETSC_INTERN int PlexTypeDeclarator(PlexInterpreter *, int type, PetscBool parameter, int *name);
/* as in a cast */
PETSC_INTERN int PlexTypeName(PlexInterpreter *);
/* -1: there is none */
PETSC_INTERN int        PlexTypeOfCell(PlexInterpreter *, int type, int cell);
PETSC_INTERN PetscInt64 PlexTypeBytes(PlexInterpreter *, int type);

/* values.c */
PETSC_INTERN int       PlexNodeMake(PlexInterpreter *, int op, PetscInt64 value, int n, const int operands[]);
PETSC_INTERN int       PlexNodeOf(PlexInterpreter *, PlexCell);
PETSC_INTERN PlexCell  PlexCellReal(PlexInterpreter *, double);
PETSC_INTERN PlexCell  PlexCellInteger(PetscInt64);
PETSC_INTERN PlexCell  PlexCellNode(int node);
PETSC_INTERN PlexCell  PlexCellZero(PlexInterpreter *, int type);
PETSC_INTERN PetscBool PlexCellReals(PlexInterpreter *, PlexCell, double *); /* it is a number that is known */
PETSC_INTERN PlexCell  PlexCellConvert(PlexInterpreter *, PlexCell, int from, int to);
PETSC_INTERN PlexCell  PlexCellBinary(PlexInterpreter *, int op, PlexCell, PlexCell, int type);
PETSC_INTERN PlexCell  PlexCellNegate(PlexInterpreter *, PlexCell, int type);
PETSC_INTERN PlexCell  PlexCellPhi(PlexInterpreter *, int condition, PlexCell, PlexCell);
PETSC_INTERN PlexCell  PlexCellAssume(const PlexInterpreter *, PlexCell, int condition, PetscBool holds);
/* 0, 1, or -1: the symbol `condition` */
PETSC_INTERN int       PlexCellTruth(PlexInterpreter *, PlexCell, int *condition);
PETSC_INTERN PetscBool PlexCellSame(PlexCell, PlexCell);
PETSC_INTERN int       PlexPathAnd(PlexInterpreter *, int path, int condition, PetscBool holds);

/* memory.c: variables, the state that branches have each of their own */
PETSC_INTERN int         PlexObjectMake(PlexInterpreter *, int type);
PETSC_INTERN PlexObject *PlexObjectOf(PlexInterpreter *, int object);
PETSC_INTERN PlexCell    PlexPointerTo(int object, PetscInt64 cell);
PETSC_INTERN PlexCell    PlexPointerChoice(PlexInterpreter *, int condition, PlexCell, PlexCell);
PETSC_INTERN int         PlexGlobalMake(PlexInterpreter *, PlexObject, int unit, int entity);
/* an argument's entry is read; index -1: any of them */
PETSC_INTERN void     PlexMarkRead(PlexInterpreter *, int leaf, PetscInt64 index);
PETSC_INTERN PlexCell PlexLoad(PlexInterpreter *, PlexCell pointer, int type);
PETSC_INTERN void     PlexStore(PlexInterpreter *, PlexCell pointer, int type, PlexCell);
PETSC_INTERN void     PlexCopyCells(PlexInterpreter *, PlexCell to, PlexCell from, int type);
PETSC_INTERN void     PlexInitialize(PlexInterpreter *, int type, PlexCell pointer);
/* the type with the size of an array that has none */
PETSC_INTERN int       PlexInitializerCount(PlexInterpreter *, int type);
PETSC_INTERN int       PlexGlobal(PlexInterpreter *, int entity);
PETSC_INTERN PlexCell *PlexStateSave(PlexInterpreter *, int *n);
PETSC_INTERN void      PlexStateRestore(PlexInterpreter *, int n, const PlexCell cells[]);
/* else: what is there */
PETSC_INTERN void PlexStateMerge(PlexInterpreter *, int condition, int n, const PlexCell then[]);
PETSC_INTERN void PlexStateAssume(PlexInterpreter *, int condition, PetscBool holds);

/* statements.c */
typedef struct {
  int nscope, nobjects, ncells;
} PlexFrame; /* what is undone at the end of a block */
PETSC_INTERN PlexFrame PlexFrameOpen(const PlexInterpreter *);
PETSC_INTERN void      PlexFrameClose(PlexInterpreter *, PlexFrame);
PETSC_INTERN void      PlexScopeAdd(PlexInterpreter *, int name, int object);
PETSC_INTERN PlexFlow  PlexBlock(PlexInterpreter *); /* {...} */
/* Merges the ways out of one kind from the base-th on into the first n cells and p->value. live: the state that is
   there is come to. Returns whether what follows is. */
PETSC_INTERN PetscBool PlexExitMerge(PlexInterpreter *, PlexFlow, int base, int n, PetscBool live);

/* interpret.c */
PETSC_INTERN PlexValue      PlexCallFunction(PlexInterpreter *, int u, int entity, int n, const PlexValue arguments[]);
PETSC_INTERN int            PlexReturnType(PlexInterpreter *, int u, int entity);
PETSC_INTERN PetscErrorCode PlexInterpretFunction(PlexProgram, int u, int entity, const PlexFactsSizes *, PlexFacts *,
                                                  unsigned *reads, PetscBool *done, const char **why);

/* expressions.c */
PETSC_INTERN PlexValue PlexExpressionComma(PlexInterpreter *);
PETSC_INTERN PlexValue PlexExpression(PlexInterpreter *); /* without a comma */
/* what is at a place; an array is a pointer then, a struct stays where it is */
PETSC_INTERN PlexValue  PlexValueOf(PlexInterpreter *, PlexValue);
PETSC_INTERN PlexCell   PlexReadAs(PlexInterpreter *, PlexValue, int type); /* a number or a pointer */
PETSC_INTERN PetscInt64 PlexExpressionInteger(PlexInterpreter *);           /* that is known */
PETSC_INTERN PlexValue  PlexValueMake(int type, PlexCell cell);             /* that has no place */
PETSC_INTERN int        PlexTypeInt(PlexInterpreter *);
PETSC_INTERN PlexValue  PlexNothing(PlexInterpreter *);           /* 0, where the interpreter has ended */
PETSC_INTERN int        PlexPromote(PlexInterpreter *, int type); /* of an operand: int for smaller integers */
PETSC_INTERN PetscBool  PlexIsPointer(PlexInterpreter *, int type);
/* a pointer by a number of what it points to */
PETSC_INTERN PlexCell  PlexMove(PlexInterpreter *, PlexValue pointer, PlexValue by, PetscBool back);
PETSC_INTERN PlexValue PlexBinaryValues(PlexInterpreter *, int op, PlexValue a, PlexValue b);
PETSC_INTERN int       PlexScopeFind(const PlexInterpreter *, int name); /* object or -1 */

/* operands.c */
PETSC_INTERN PlexValue PlexUnary(PlexInterpreter *); /* with the operators before and behind it */

/* calls.c */
PETSC_INTERN PlexValue PlexExpressionCall(PlexInterpreter *); /* name(...) from the name on */

/* reads.c */
PETSC_INTERN const char *PlexReadsHidden(const PlexUnit *, const PlexDeclaration *);
