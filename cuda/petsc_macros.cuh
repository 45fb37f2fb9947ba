// PETSc's macros, as far as pointwise functions use them, for a header that is taken as it stands because there is no C
// compiler or no PETSc where it runs (src/assembly/source/asis.c).
#pragma once

#define PETSC_RESTRICT          __restrict__
#define PETSC_PI                ((PetscReal)3.14159265358979323846264338327950288)
#define PETSC_STATIC_INLINE     static inline
#define PETSC_UNUSED            __attribute__((unused))
#define PetscRealPart(a)        (a)
#define PetscConj(a)            (a)
#define PetscSqr(a)             ((a) * (a))
#define PetscMax(a, b)          (((a) < (b)) ? (b) : (a))
#define PetscMin(a, b)          (((a) < (b)) ? (a) : (b))
#define PetscAbsReal(a)         fabs((PetscReal)(a))
#define PetscAbsScalar(a)       fabs((PetscReal)(a))
#define PetscSqrtReal(a)        sqrt((PetscReal)(a))
#define PetscSqrtScalar(a)      sqrt((PetscReal)(a))
#define PetscPowReal(a, b)      pow((PetscReal)(a), (PetscReal)(b))
#define PetscPowScalar(a, b)    pow((PetscReal)(a), (PetscReal)(b))
#define PetscPowRealInt(a, n)   pow((PetscReal)(a), (PetscReal)(n))
#define PetscPowScalarInt(a, n) pow((PetscReal)(a), (PetscReal)(n))
#define PetscExpReal(a)         exp((PetscReal)(a))
#define PetscExpScalar(a)       exp((PetscReal)(a))
#define PetscLogReal(a)         log((PetscReal)(a))
#define PetscLogScalar(a)       log((PetscReal)(a))
#define PetscSinReal(a)         sin((PetscReal)(a))
#define PetscSinScalar(a)       sin((PetscReal)(a))
#define PetscCosReal(a)         cos((PetscReal)(a))
#define PetscCosScalar(a)       cos((PetscReal)(a))
#define PetscTanReal(a)         tan((PetscReal)(a))
#define PetscTanhReal(a)        tanh((PetscReal)(a))
#define PetscSinhReal(a)        sinh((PetscReal)(a))
#define PetscCoshReal(a)        cosh((PetscReal)(a))
#define PetscAtan2Real(a, b)    atan2((PetscReal)(a), (PetscReal)(b))
