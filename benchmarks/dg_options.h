/* Options that the benchmarks of DG on one process share, and the lock of those that measure in turns */
#ifndef BENCH_DG_OPTIONS_H
#define BENCH_DG_OPTIONS_H

#include "dg_parts.h"
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>

#define BENCH_DG_HELP \
  "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n" \
  "  -values N              cells a side are fewer where the state would have more values than this (default 200 " \
  "million)\n" \
  "  -stages FILE           the kernels of a right-hand side each alone, as a table and appended to FILE\n" \
  "  -reps N                samples of which the median is taken\n" \
  "  -lock FILE             runs with the same file take turns in measuring, and set up side by side\n" \
  "  -csv FILE              append the table\n\n"

typedef struct {
  PetscInt    cells, hostCells, reps, ndegrees, degrees[16];
  PetscReal   values;
  char        backend[64], csv[PETSC_MAX_PATH_LEN];
  int         lock;  /* -1: none */
  BenchParts *parts; /* of -stages, or NULL */
} BenchDGOptions;

/* Between PetscOptionsBegin() and PetscOptionsEnd(); cells, hostCells and reps hold their defaults, most is the highest
   degree */
static inline PetscErrorCode BenchDGGetOptions(PetscOptionItems PetscOptionsObject, PetscInt most, BenchDGOptions *o)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  o->values   = 2e8;
  o->lock     = -1;
  o->ndegrees = PETSC_STATIC_ARRAY_LENGTH(o->degrees);
  PetscCall(PetscStrncpy(o->backend, PLEXBACKENDAUTO, sizeof(o->backend)));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-host_cells", "Cells a side for the host backend", NULL, o->hostCells,
                                   &o->hostCells, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", NULL, o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsReal("-values", "Most values of the state", NULL, o->values, &o->values, NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  if (!set)
    for (o->ndegrees = 0; o->ndegrees < most; ++o->ndegrees) o->degrees[o->ndegrees] = o->ndegrees + 1;
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscCall(PetscOptionsString("-stages", "File for the table of kernels", NULL, "", path, sizeof(path), &set));
  if (set) PetscCall(BenchPartsOpen(path, &o->parts));
  PetscCall(PetscOptionsString("-lock", "File that runs lock while they measure", NULL, "", path, sizeof(path), &set));
  if (set) {
    o->lock = open(path, O_RDWR | O_CREAT, 0644);
    PetscCheck(o->lock >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s, the file of -lock", path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits until no other run with the same file measures; a run that has the lock may ask again */
static inline PetscErrorCode BenchDGLock(const BenchDGOptions *o)
{
  PetscFunctionBegin;
  if (o->lock >= 0)
    PetscCheck(!flock(o->lock, LOCK_EX), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot lock the file of -lock");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchDGUnlock(const BenchDGOptions *o)
{
  PetscFunctionBegin;
  if (o->lock >= 0)
    PetscCheck(!flock(o->lock, LOCK_UN), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot unlock the file of -lock");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the table of kernels */
static inline PetscErrorCode BenchDGOptionsDestroy(BenchDGOptions *o)
{
  PetscFunctionBegin;
  PetscCall(BenchPartsClose(&o->parts));
  if (o->lock >= 0) close(o->lock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
