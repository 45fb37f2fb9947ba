/* How a benchmark ends: one that has measured nothing fails, whatever options led to that */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <petscsys.h>

/* In the place of PetscFinalize(): rows is how many were measured */
static inline PetscErrorCode BenchFinalize(PetscInt rows)
{
  PetscFunctionBegin;
  PetscCheck(rows > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "Nothing was measured: no row is left of what the options ask for (-h says what they take)");
  PetscFunctionReturn(PetscFinalize());
}

#endif
