/*
  The macros of the headers that pointwise functions in C++ include, PETSc's and the standard library's. Each of those
  headers is this file when the functions are preprocessed (src/assembly/source/cxxread.c); types and functions follow
  with the kernel (cuda/cxx.cuh).
*/
#pragma once

#include "../petsc_macros.cuh"

#define PETSC_SUCCESS              0
#define PETSC_NULLPTR              nullptr
#define PETSC_EXTERN               extern "C"
#define PETSC_INTERN               extern "C"
#define PETSC_MACHINE_EPSILON      2.2204460492503131e-16
#define PETSC_SQRT_MACHINE_EPSILON 1.490116119384766e-08
#define PETSC_SMALL                1.e-10
#define PETSC_MAX_REAL             1.7976931348623157e+308
#define PETSC_MIN_REAL             (-1.7976931348623157e+308)
#define PETSC_INFINITY             (PETSC_MAX_REAL / 4)
#define PETSC_NINFINITY            (-PETSC_INFINITY)
#define PetscFunctionBegin
#define PetscFunctionBeginUser
#define PetscFunctionReturn(value) return value
#define PetscFunctionReturnVoid()  return
#define PetscImaginaryPart(a)      ((PetscReal)0)
#define PetscConjComplex(a)        (a)
#define PetscSign(a)               (((a) >= 0) ? ((a) == 0 ? 0 : 1) : -1)
#define PetscAbs(a)                (((a) >= 0) ? (a) : (-(a)))
#define PetscAbsInt(a)             (((a) < 0) ? (-(a)) : (a))
#define PetscFloorReal(a)          floor((PetscReal)(a))
#define PetscCeilReal(a)           ceil((PetscReal)(a))
#define PetscFmodReal(a, b)        fmod((PetscReal)(a), (PetscReal)(b))
#define PetscHypotReal(a, b)       hypot((PetscReal)(a), (PetscReal)(b))
#define PetscAcosReal(a)           acos((PetscReal)(a))
#define PetscAsinReal(a)           asin((PetscReal)(a))
#define PetscAtanReal(a)           atan((PetscReal)(a))

/* math.h */
#define M_E        2.7182818284590452354
#define M_LOG2E    1.4426950408889634074
#define M_LOG10E   0.43429448190325182765
#define M_LN2      0.69314718055994530942
#define M_LN10     2.30258509299404568402
#define M_PI       3.14159265358979323846
#define M_PI_2     1.57079632679489661923
#define M_PI_4     0.78539816339744830962
#define M_1_PI     0.31830988618379067154
#define M_2_PI     0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_SQRT1_2  0.70710678118654752440
#define INFINITY   (__builtin_inff())
#define HUGE_VAL   (__builtin_huge_val())
#define NAN        (__builtin_nanf(""))

/* float.h, limits.h */
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN     2.2250738585072014e-308
#define DBL_MAX     1.7976931348623157e+308
#define FLT_EPSILON 1.1920929e-7f
#define FLT_MIN     1.17549435e-38f
#define FLT_MAX     3.40282347e+38f
#define INT_MAX     2147483647
#define INT_MIN     (-2147483647 - 1)
