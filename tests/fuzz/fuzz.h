/*
  A differential fuzzer: problems drawn at random, assembled here and by PETSc, compared entry by entry.

    seed -> functions   library.c, write.c   pointwise functions as C, compiled to a shared object and loaded
         -> a problem   draw.c               mesh, fields, auxiliary fields, functions, values: all of PlexFuzzCase
         -> reduced     reduce.c             the same problem with parts taken away, by names: "natural", "g3.0.1"
         -> DM          domain.c, problem.c
         -> compared    compare.c
         -> shrunken    fuzz.c               a failing one is reduced as long as it fails

  64 seeds in a row share their functions, so that these are compiled once.
*/
#pragma once

#include <plexgpu.h>
#include <stdint.h>

/* ---- random.c: the same numbers on every machine */
typedef struct {
  uint64_t state;
} PlexFuzzRandom;
void      PlexFuzzSeed(PlexFuzzRandom *, uint64_t seed, uint64_t stream);
PetscInt  PlexFuzzInt(PlexFuzzRandom *, PetscInt n); /* 0 ... n - 1 */
PetscBool PlexFuzzChance(PlexFuzzRandom *, PetscInt percent);
/* six digits: no number that a quadrature point or a node has */
PetscReal PlexFuzzReal(PlexFuzzRandom *, PetscReal from, PetscReal to);

/* ---- library.c */
typedef enum {
  PLEX_FUZZ_F0,
  PLEX_FUZZ_F1,
  PLEX_FUZZ_G0,
  PLEX_FUZZ_G1,
  PLEX_FUZZ_G2,
  PLEX_FUZZ_G3,
  PLEX_FUZZ_SLOTS
} PlexFuzzSlot;
typedef enum {
  PLEX_FUZZ_ONE,
  PLEX_FUZZ_DIM,
  PLEX_FUZZ_ANY
} PlexFuzzComponents; /* of a field that a function is for: 1, dim, all by PETSc's hidden constants */

typedef struct {
  char               name[32];
  PlexFuzzSlot       slot;
  PetscBool          facet;
  PlexFuzzComponents test, trial;
  PetscInt           NfAux; /* auxiliary fields that it needs at least */
  PetscVoidFn       *fn;
} PlexFuzzFunction;

#define PLEX_FUZZ_MOST_FUNCTIONS 160
typedef struct {
  uint64_t number;
  char     source[PETSC_MAX_PATH_LEN];
  void    *handle; /* of the shared object */
  void (*setScale)(PetscReal);
  PetscInt         n;
  PlexFuzzFunction functions[PLEX_FUZZ_MOST_FUNCTIONS];
} PlexFuzzLibrary;
PetscErrorCode PlexFuzzCanCompile(PetscBool *); /* whether there is a C compiler here, and PETSc to include */
PetscErrorCode PlexFuzzLibraryLoad(const char folder[], uint64_t number, PlexFuzzLibrary *);
PetscErrorCode PlexFuzzLibraryClose(PlexFuzzLibrary *);
PetscErrorCode PlexFuzzLibraryPrint(const PlexFuzzLibrary *, PetscInt function); /* its text, as comments of a report */

/* write.c: the text of a library, and what its functions are */
void PlexFuzzWrite(FILE *, PlexFuzzLibrary *);

/* ---- draw.c */
typedef enum {
  PLEX_FUZZ_IRREGULAR,
  PLEX_FUZZ_BOX,
  PLEX_FUZZ_PERIODIC
} PlexFuzzMesh;
typedef enum {
  PLEX_FUZZ_STRAIGHT,
  PLEX_FUZZ_MOVED,
  PLEX_FUZZ_SHEARED,
  PLEX_FUZZ_STRETCHED
} PlexFuzzShape;

typedef struct {
  PetscInt  degree, Nc;   /* Nc 0: as many as dimensions */
  PetscBool disc;         /* linear, discontinuous, of no tensor product */
  PetscReal scale, shift; /* values are shift + scale (-1 ... 1) */
} PlexFuzzField;

#define PLEX_FUZZ_FIELDS    3
#define PLEX_FUZZ_AUX       4 /* material tag, temperature in Kelvin, level set, velocity */
#define PLEX_FUZZ_CONSTANTS 6
#define PLEX_FUZZ_ROUNDS    4
#define PLEX_FUZZ_KEYS      2 /* functions a key at most */

typedef struct {
  uint64_t       seed;
  DMPolytopeType cell;
  PlexFuzzMesh   mesh;
  PlexFuzzShape  shape;
  PetscInt       variant, faces[3], cells; /* cells: most; 0: all */
  PetscInt       curved;                   /* degree of coordinates, 0: the mesh's own */
  PetscBool      clockwise, essential, natural, region;
  PetscInt       overlap;
  PetscBool      idle;
  PetscInt       Nf, NfAux;
  PlexFuzzField  fields[PLEX_FUZZ_FIELDS], aux[PLEX_FUZZ_AUX];
  /* numbers in the library, -1: none */
  PetscInt f[2][PLEX_FUZZ_FIELDS][PLEX_FUZZ_KEYS], g[4][PLEX_FUZZ_FIELDS][PLEX_FUZZ_FIELDS][PLEX_FUZZ_KEYS];
  /* of field 0 on facets */
  PetscInt bf[2], bg[4];
  PetscInt rounds;
  /* with a time derivative, as TS does; auxiliary velocity zero */
  PetscBool   moving[PLEX_FUZZ_ROUNDS], still[PLEX_FUZZ_ROUNDS];
  PetscReal   time[PLEX_FUZZ_ROUNDS], shift[PLEX_FUZZ_ROUNDS];
  PetscScalar constants[PLEX_FUZZ_ROUNDS][PLEX_FUZZ_CONSTANTS];
  PetscInt    type; /* of PlexFuzzTypes[], for backends with kernels */
} PlexFuzzCase;
extern const char *const PlexFuzzTypes[9]; /* [0] auto */
PetscInt                 PlexFuzzDim(const PlexFuzzCase *);
PetscErrorCode           PlexFuzzDraw(uint64_t seed, const PlexFuzzLibrary *, PlexFuzzCase *);

/* ---- reduce.c */
/* Takes away what the names say, with commas between; a name that is not known is an error */
PetscErrorCode PlexFuzzReduce(const char names[], const PlexFuzzLibrary *, PlexFuzzCase *);
/* The k-th name of something that this case still has, false: there are no more */
PetscBool PlexFuzzReduction(const PlexFuzzCase *, PetscInt k, char name[32]);
/* What a case is, in lines; with the functions' text */
PetscErrorCode PlexFuzzDescribe(const PlexFuzzCase *, const PlexFuzzLibrary *);

/* ---- domain.c, problem.c */
PetscErrorCode PlexFuzzDomainCreate(const PlexFuzzCase *, DM *);
PetscErrorCode PlexFuzzProblemCreate(const PlexFuzzCase *, const PlexFuzzLibrary *, DM *);
/* Constants, auxiliary values and the library's variable for a round; and local vectors, Xt NULL without a time
   derivative */
PetscErrorCode PlexFuzzProblemSetRound(const PlexFuzzCase *, const PlexFuzzLibrary *, PetscInt round, DM, Vec *X,
                                       Vec *Xt);

/* ---- compare.c */
typedef struct {
  const char     *backend;
  PetscInt        type; /* of PlexFuzzTypes[] */
  PlexIntegration integration;
} PlexFuzzWay;

typedef enum {
  PLEX_FUZZ_SAME,
  PLEX_FUZZ_DIFFERENT,
  PLEX_FUZZ_ERROR,
  PLEX_FUZZ_CRASH
} PlexFuzzVerdict;
typedef struct {
  /* residuals and Jacobians; left to PETSc; cases that PETSc itself refuses */
  PetscInt        compared, different, left, impossible;
  PlexFuzzVerdict verdict;    /* the worst */
  PetscBool       here;       /* PETSc's part of the round is done */
  PlexFuzzWay     way;        /* of what was not the same first, */
  char            what[4096]; /* and what that was */
} PlexFuzzResult;
/* On one process each case is in a child, which may crash, or hang for so many seconds; with its output or without */
typedef enum {
  PLEX_FUZZ_QUIET,
  PLEX_FUZZ_LOUD,
  PLEX_FUZZ_TOGETHER
} PlexFuzzApart;
#define PLEX_FUZZ_HANGS 300
PetscErrorCode PlexFuzzCompare(const PlexFuzzCase *, const PlexFuzzLibrary *, PetscInt nways, const PlexFuzzWay[],
                               PlexFuzzApart, PlexFuzzResult *);
