/*
  Tuning: ways to assemble are timed on the user's own mesh, and the fastest is taken.

    settings.c    what the user asks for
    problem.c     what a result is good for: the problem and the mesh
    candidates.c  which ways there are
    measure.c     what one of them takes
    values.c      whether it computes what the others do
    search.c      which are tried, within the time
    tune.c        when tuning happens; what is found is applied, said and kept
    archive.c     results in a file of text; archivetext.c: structs as lines; archivefile.c: the file and those who
                  share it
    model.c       what a strategy costs, without measuring; modelinput.c: what that depends on
    modeldata.c   its constants, from a file
    choose.c      which type auto takes
*/
#pragma once

#include <plexgpu/private/tuneimpl.h>
#include <plex_args.h>
#include "../interface/assemblyimpl.h"

/* not tried: expected by the model to take more than so many times what the best one does */
#define PLEX_TUNE_HOPELESS 5

struct _n_PlexTuner {
  PlexTune  mode;
  PetscReal time;    /* most seconds; < 0: the mode's default */
  char     *archive; /* file; NULL: in the folder of compiled kernels */
  PetscBool done;    /* a result is applied, or there is none to be had */
  PetscBool warned;  /* of an archive that is no good */
  /* what was asked for and is put back when the assembly is reset; of use where a result is applied */
  PetscBool       applied;
  PetscBool       typeFixed[PLEX_PRODUCTS];
  PlexIntegration integration;
  PetscInt        block, team, partition;
};

/* What became of a candidate, product by product */
typedef struct {
  PetscBool tried[PLEX_PRODUCTS]; /* state is there */
  int       state[PLEX_PRODUCTS]; /* PlexCandidateState */
  double    plan[PLEX_PRODUCTS];  /* seconds */
} PlexTuneOutcome;

/* What the first candidate has computed of a product, at some places of the targets: chunks of as many in a row, evenly
   spaced */
typedef struct {
  PetscInt chunks, length, stride;
  double  *first, *now; /* [chunks][length]; first: NULL, none has computed it */
  double   largest;     /* of first, in absolute value */
  char     type[32];    /* that has computed it */
} PlexTuneValues;

/* A search under way; the same on all processes, but for args, P and values */
typedef struct {
  PlexAssembly     asm_;
  PlexTuneResult   result;
  PlexTuneOutcome *outcome; /* [allocated], of each candidate */
  PlexTuneValues   values[PLEX_PRODUCTS];
  PetscInt         allocated;
  PlexArgs         args; /* the user's state, and targets of our own */
  Mat              P;    /* NULL: residuals alone */
  PetscBool        has[PLEX_PRODUCTS];
  char             present[PLEX_PRODUCTS][32]; /* types when it began */
  PetscLogDouble   begin;
  double           slowness;               /* plans take so many times what candidates.c expects, */
  double           compile;                /* and a kernel's compilation that many seconds, at most so far */
  PetscInt         tried;                  /* measurements so far */
  PetscInt         current[PLEX_PRODUCTS]; /* candidate whose plan of a product is there; -1: none */
  PetscBool        tensors;                /* what auto integrates the Jacobian by, on some process */
  PlexModelInput   plain;                  /* the Jacobian's by quadrature; by what auto takes is in the result */
} PlexTuneSearch;

PETSC_INTERN PetscErrorCode PlexAssemblyGetTuner_Private(PlexAssembly, PlexTuner *);
PETSC_INTERN PetscReal      PlexTunerGetTime_Private(PlexTuner);
PETSC_INTERN PetscErrorCode PlexTunerGetArchive_Private(PlexTuner, char path[PETSC_MAX_PATH_LEN]);

/* Collective: problem and mesh, the same on all processes */
PETSC_INTERN PetscErrorCode PlexTuneProblemGet_Private(PlexAssembly, PlexTuneProblem *, PlexTuneMesh *);

/* Settings of a candidate for a product, which is reset */
PETSC_INTERN PetscErrorCode PlexCandidateApply_Private(PlexAssembly, PlexProductKind, const PlexCandidate *);
/* The product is there, and has no other type that was asked for */
PETSC_INTERN PetscBool PlexCandidateServes_Private(PlexTuneSearch *, PlexProductKind, const PlexCandidate *);
/* What a product would have without tuning */
PETSC_INTERN PetscBool PlexCandidateIsPresent_Private(PlexTuneSearch *, PlexProductKind, const PlexCandidate *);
/* Whether the Jacobian would be integrated by tensors on some process, by the integration and type that are set now:
   the one place that tuning asks. Collective */
PETSC_INTERN PetscErrorCode PlexTuneHasTensors_Private(PlexAssembly, PetscBool *);
/* All types with all integrations, at the strategies' own sizes; the likeliest first */
PETSC_INTERN PetscErrorCode PlexTuneListTypes_Private(PlexTuneSearch *);
/* Further sizes of a candidate that was measured: what == 0: blocks, 1: teams, 2: partitions; list[*n] of candidates,
   which may have been there */
#define PLEX_TUNE_SIZES 8 /* most values of one size */
PETSC_INTERN PetscErrorCode PlexTuneListSizes_Private(PlexTuneSearch *, PetscInt base, PetscInt what, PetscInt *n,
                                                      PetscInt list[PLEX_TUNE_SIZES]);
/* Two candidates are the same way to compute a product: the residual has no integration to choose */
PETSC_INTERN PetscBool PlexCandidateIsSame_Private(PlexProductKind, const PlexCandidate *, const PlexCandidate *);
/* Seconds that a candidate's plan takes, by its type */
PETSC_INTERN double PlexTuneExpectPlan_Private(PlexTuneSearch *, PlexProductKind, const PlexCandidate *);

/* Collective: sets a product up, launches, and writes what that took into the candidate and its outcome, or that it
   failed */
PETSC_INTERN PetscErrorCode PlexTuneMeasure_Private(PlexTuneSearch *, PetscInt candidate, PlexProductKind);

/* Targets are no values, so that what is not written shows; then an error where they are not those of the first
   candidate, up to rounding */
PETSC_INTERN PetscErrorCode PlexTuneSpoilValues_Private(PlexTuneSearch *, PlexProductKind);
PETSC_INTERN PetscErrorCode PlexTuneCheckValues_Private(PlexTuneSearch *, PlexProductKind, const char type[]);
PETSC_INTERN PetscErrorCode PlexTuneDestroyValues_Private(PlexTuneSearch *);

/* Collective: candidates are listed and measured; seconds since the search began */
PETSC_INTERN PetscErrorCode PlexTuneSearch_Private(PlexTuneSearch *);
PETSC_INTERN PetscErrorCode PlexTuneElapsed_Private(PlexTuneSearch *, double *seconds);
/* What the interface calls of this folder, by way of PlexAssemblyTuning */
PETSC_INTERN PetscErrorCode PlexTunerRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTunerRestore_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexTunerDestroy_Private(PlexTuner *);
PETSC_INTERN PetscErrorCode PlexTunerSetFromOptions_Private(PlexAssembly, PetscOptionItems);
PETSC_INTERN PetscErrorCode PlexChooseType_Private(PlexAssembly, PlexProductKind, PlexChoice *);

#define PLEX_MODEL_TYPES 8 /* that the cost model knows */
#define PLEX_MODEL_PLAN  3
typedef struct {
  char   type[32];
  double constants[PLEX_MODEL_KINDS][PLEX_MODEL_TERMS];
  double plan[PLEX_MODEL_KINDS][PLEX_MODEL_PLAN]; /* of a plan: s, and ns of an element and of an entry of its data */
  double apart;                                   /* ps more for a row of a Jacobian that lies apart from others */
} PlexModelType;
/* What was measured of a device: models/nvidia-h200.txt says of each number what it is */
typedef struct {
  PlexModelRates rates;
  double         processors, clear, least, runsDofs, hexahedra, edgesNodes;
  PetscInt       n;
  PlexModelType  types[PLEX_MODEL_TYPES];
} PlexModelData;
PETSC_INTERN PetscErrorCode PlexModelGetData_Private(const PlexModelData **);
