/*
  Tuning: candidates that are timed on a mesh, the archive that keeps what they took, and the cost model that predicts
  it. src/assembly/tune/
*/
#pragma once

#include <plexgpu/private/assemblyimpl.h>

/* ------------------------------------------------------------------------------------------------------------------
   Cost model
   ------------------------------------------------------------------------------------------------------------------ */

/* What the time of a product depends on, known before there is a plan. Plain numbers, so that an archive keeps them as
   a row; of one process. */
typedef struct {
  double kind;            /* PLEX_RESIDUAL or PLEX_JACOBIAN */
  double dim, Ne, Nx, Nl; /* elements, coordinate nodes, local dofs */
  double Nt;              /* targets: Nl, or non-zeros as counted or estimated */
  double ef, ea, Nv, Nq;  /* an element: dofs, auxiliary dofs, coordinate nodes, points where functions are evaluated */
  double symmetric;       /* half of the element data suffices */
  double team;            /* threads an element, as PlexAssemblyChooseTeam() has it */
  double real;            /* bytes of an entry of element data */
  double flopsPoint, flopsRow; /* of a quadrature point, and of a row of element data */
  double flopsEntry;           /* of an entry that is computed alone */
  double tensor;               /* integration by tensors: Nq and the flops are those of its points */
  double turned;               /* local_row turns elements: by tensors, or by quadrature with gradients expanded */
  double flopsElement;         /* of an element, of residuals along lines or on tensor units; else 0 */
  double flopsLines;           /* of a row; 0: local_row does not sum along lines */
  double pairs;    /* shared_nz sums pairs of nodes, and few enough of an element that it may be the fastest type */
  double points;   /* those are of so many DMPlex points an element, and of all their dofs; 0: of dofs */
  double matrices; /* those are of element matrices */
  /* shared_nz by partial sums, of so many elements that it is the fastest type: of an element's matrix, beside its
     points; 0: it is not */
  double flopsMatrix;
  double runs; /* global_row has runs of elements, whose matrices a thread each computes */
  /* rows of a matrix that is larger than the cache, of a mesh numbered without order: they are written one by one,
     anywhere in it */
  double apart;
} PlexModelInput;
#define PLEX_MODEL_INPUTS ((int)(sizeof(PlexModelInput) / sizeof(double)))
PETSC_EXTERN const char *const PlexModelInputNames[]; /* [PLEX_MODEL_INPUTS] */

/* What a device reaches */
typedef struct {
  double bandwidth; /* B/s, read plus written, of a copy */
  double flops;     /* 1/s, multiplications and additions in double precision */
  double additions; /* 1/s, of element data to targets */
} PlexModelRates;

/* What a strategy moves and computes, and how long that takes */
typedef struct {
  double bytes, flops, additions, launches;
  double seconds;
} PlexModelCost;

/* The terms of the model's sum, for fitting its constants to measurements; see model.c */
#define PLEX_MODEL_TERMS 6
/* residual; Jacobian by quadrature, by tensors; of local_row by quadrature with turned elements, by sums along lines;
   of shared_nz by pairs, by partial sums; of global_row by runs */
#define PLEX_MODEL_KINDS 8
#define PLEX_MODEL_EDGES 5 /* that of pairs */
/* Which of these constants are a type's; -1: it has none, as for rows by tensors of elements that are not turned */
PETSC_EXTERN PetscErrorCode PlexModelGetKind(const PlexModelInput *, PlexAssemblyType, PetscInt *kind);
PETSC_EXTERN PetscErrorCode PlexModelGetTerms(const PlexModelInput *, PlexAssemblyType, const PlexModelRates *,
                                              PlexModelCost *, double terms[PLEX_MODEL_TERMS]);
/* *known is false for a type that the model does not know; the cost is then zero */
PETSC_EXTERN PetscErrorCode PlexModelPredict(const PlexModelInput *, PlexAssemblyType, const PlexModelRates *,
                                             PlexModelCost *, PetscBool *known);
/* The rates of a backend's device; those of the device that the model was calibrated on where they are not known */
PETSC_EXTERN PetscErrorCode PlexModelGetRates(PlexBackend, PlexModelRates *);
/* The input of a product of an assembly whose elements and form are there, by the integration that it would have now;
   non-zeros are estimated where there is no pattern yet. symmetric: half of a Jacobian's element data suffices */
PETSC_EXTERN PetscErrorCode PlexModelGetInput(PlexAssembly, PlexProductKind, PetscBool symmetric, PlexModelInput *);
/* Non-zeros of a matrix on the elements, from the numbers of points of the mesh alone. Exact on a mesh that is a
   manifold with a boundary, if closed surfaces are spheres */
PETSC_EXTERN PetscErrorCode PlexModelEstimateNonzeros(PlexElements, double *nonzeros);

/* ------------------------------------------------------------------------------------------------------------------
   Candidates and results
   ------------------------------------------------------------------------------------------------------------------ */

typedef enum {
  PLEX_CANDIDATE_MEASURED,
  PLEX_CANDIDATE_SKIPPED, /* plan, compilation and launches would have taken more than what was left of the time */
  /* cannot be set up or launched: too little shared memory, registers, ...; or computes other values than the first
     one */
  PLEX_CANDIDATE_FAILED,
  PLEX_CANDIDATE_BEHIND /* expected to take several times what the best one does */
} PlexCandidateState;

/* A way to assemble and what it took; a row of the archive's table. Of several processes the longest times, the sums of
   the others */
typedef struct {
  char   type[32], integration[16];
  int    block, team, partition; /* 0: the strategy's own choice */
  int    state;                  /* PlexCandidateState; measured: for some product */
  double seconds[PLEX_PRODUCTS]; /* of a launch, the median; 0: not measured, or failed for this product */
  double predicted[PLEX_PRODUCTS];
  double bytes[PLEX_PRODUCTS], flops[PLEX_PRODUCTS]; /* of a launch, as the plan counts them */
  double plan, compile;                              /* seconds, of both products */
} PlexCandidate;

/* What has to be the same for a result to be of use, as texts */
typedef struct {
  char device[256];   /* name of the GPU or processor */
  char backend[32];   /* and what it is driven by */
  char version[32];   /* of PlexGPU */
  char precision[16]; /* of element data */
  char cell[32];
  char space[512]; /* fields, dofs and quadrature points of an element */
  char form[1024]; /* pointwise functions, by kind and name */
  char fixed[256]; /* what the user has asked for, and is not tuned */
} PlexTuneProblem;

/* What has to be about the same; of one process, the mean of all */
typedef struct {
  double elements;  /* within a factor of sqrt(2) */
  double dofs;      /* local dofs an element, within a tenth */
  double rowLength; /* non-zeros a row, likewise */
} PlexTuneMesh;

typedef struct {
  PlexTuneProblem problem;
  PlexTuneMesh    mesh;
  PlexTune        mode;
  PetscInt        degree, processes;
  /* candidates; skipped also counts those that were measured for one of two products */
  PetscInt       measured, skipped, failed;
  PetscInt       behind;        /* candidates that were not tried for that */
  double         budget, spent; /* seconds */
  char           date[32];      /* UTC */
  PetscInt       products;      /* 1: the residual alone, 2: the Jacobian alone, 3: both */
  PetscInt       best, n;       /* best: as PlexTuneResultGetBest() has it for all these products */
  PlexCandidate *candidates;    /* [n] */
  PlexModelInput input[PLEX_PRODUCTS];
  PlexModelRates rates;
} PlexTuneResult;

/* Not collective, all of them. All results of an archive; PlexTuneResultsDestroy() them */
PETSC_EXTERN PetscErrorCode PlexArchiveRead(const char path[], PetscInt *n, PlexTuneResult *results[],
                                            PlexArchiveState *);
PETSC_EXTERN PetscErrorCode PlexTuneResultsDestroy(PetscInt n, PlexTuneResult *results[]);
/* The result for a problem on a mesh that is nearest; result->n is 0 where there is none */
PETSC_EXTERN PetscErrorCode PlexArchiveFind(const char path[], const PlexTuneProblem *, const PlexTuneMesh *,
                                            PetscInt products, PlexTuneResult *result, PlexArchiveState *);
/* Adds a result, in place of one for the same problem and class of mesh; a damaged archive is put aside under the name
   in kept[], and what can be read of it is in the new one. Others may read and write at the same time. *written is
   false where the folder or file cannot be written, or is not to be used */
PETSC_EXTERN PetscErrorCode PlexArchiveAdd(const char path[], const PlexTuneResult *, char kept[PETSC_MAX_PATH_LEN],
                                           PetscBool *written);
/* The candidate with the least time for products (1: the residual, 2: the Jacobian, 3: both together); -1: none was
   measured for them */
PETSC_EXTERN PetscErrorCode PlexTuneResultGetBest(const PlexTuneResult *, PetscInt products, PetscInt *best);
/* Of a product of a result: how much longer than the best type the model's choice takes (1: it is the best), each at
   its own sizes and with the integration that suits it best; and than the best candidate of all sizes, unless tuned is
   NULL. *pick is NULL where no type was measured that the model knows */
PETSC_EXTERN PetscErrorCode PlexTuneResultJudgeModel(const PlexTuneResult *, PlexProductKind, const char **pick,
                                                     const char **best, double *ratio, double *tuned);
