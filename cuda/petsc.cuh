// What the application's source finds in place of PETSc's headers, preprocessed as it is: the number types, which
// follow the precision, and a few functions.
#pragma once

typedef plex_real PetscReal;
typedef plex_real PetscScalar;
#if PLEX_INT64
typedef long long PetscInt;
#else
typedef int PetscInt;
#endif
typedef bool PetscBool;

#define PETSC_TRUE  true
#define PETSC_FALSE false

// PETSc's functions that are no macros or inline functions of its headers
PLEX_FUNCTION PetscBool PetscIsInfReal(PetscReal a)
{
  return isinf(a);
}
PLEX_FUNCTION PetscBool PetscIsNanReal(PetscReal a)
{
  return isnan(a);
}
PLEX_FUNCTION PetscBool PetscIsNormalReal(PetscReal a)
{
  return isfinite(a) && fabs(a) >= (sizeof(PetscReal) == 4 ? 1.17549435e-38 : 2.2250738585072014e-308);
}
PLEX_FUNCTION int PetscLogFlops(double)
{
  return 0;
}

// What INFINITY, NAN and HUGE_VAL of math.h come to
#ifndef PLEX_EMULATE
  #define __builtin_inff()      __int_as_float(0x7f800000)
  #define __builtin_huge_valf() __int_as_float(0x7f800000)
  #define __builtin_inf()       __longlong_as_double(0x7ff0000000000000LL)
  #define __builtin_huge_val()  __longlong_as_double(0x7ff0000000000000LL)
  #define __builtin_nanf(s)     __int_as_float(0x7fffffff)
  #define __builtin_nan(s)      __longlong_as_double(0x7fffffffffffffffLL)
  // What assert() of the host comes to, as CUDA has it; of HIP, an end without words
  #if defined(__HIP__)
    #define __assert_fail(assertion, file, line, function) __builtin_trap()
  #else
    #define __assert_fail(assertion, file, line, function) __assertfail(assertion, file, line, function, sizeof(char))
  #endif
#endif

// In C sqrt(2) and pow(2, x) take a double, whatever they are given; CUDA has them for float and for double
#ifndef PLEX_EMULATE
  #define PLEX_MATH1(f) \
    template <class A> \
    PLEX_FUNCTION PetscReal f(A a) \
    { \
      return f((PetscReal)a); \
    }
  #define PLEX_MATH2(f) \
    template <class A, class B> \
    PLEX_FUNCTION PetscReal f(A a, B b) \
    { \
      return f((PetscReal)a, (PetscReal)b); \
    }
PLEX_MATH1(acos)
PLEX_MATH1(acosh)
PLEX_MATH1(asin)
PLEX_MATH1(asinh)
PLEX_MATH1(atan)
PLEX_MATH1(atanh)
PLEX_MATH1(cbrt)
PLEX_MATH1(ceil)
PLEX_MATH1(cos)
PLEX_MATH1(cosh)
PLEX_MATH1(erf)
PLEX_MATH1(erfc)
PLEX_MATH1(exp)
PLEX_MATH1(exp2)
PLEX_MATH1(expm1)
PLEX_MATH1(fabs)
PLEX_MATH1(floor)
PLEX_MATH1(lgamma)
PLEX_MATH1(log)
PLEX_MATH1(log10)
PLEX_MATH1(log1p)
PLEX_MATH1(log2)
PLEX_MATH1(round)
PLEX_MATH1(sin)
PLEX_MATH1(sinh)
PLEX_MATH1(sqrt)
PLEX_MATH1(tan)
PLEX_MATH1(tanh)
PLEX_MATH1(tgamma)
PLEX_MATH1(trunc)
PLEX_MATH2(atan2)
PLEX_MATH2(copysign)
PLEX_MATH2(fdim)
PLEX_MATH2(fmax)
PLEX_MATH2(fmin)
PLEX_MATH2(fmod)
PLEX_MATH2(hypot)
PLEX_MATH2(pow)
PLEX_MATH2(remainder)
#endif

// (T){...} of C is plex_literal<T>{...}
template <class T>
using plex_literal = T;

// A `void *` of C, which converts to other pointers without a cast
struct plex_pointer {
  void *p;

  plex_pointer() = default;
  template <class T>
  __device__ plex_pointer(T *p) : p((void *)p)
  {
  }
  __device__ plex_pointer(decltype(nullptr)) : p(0) { }
  template <class T>
  __device__ operator T *() const
  {
    return (T *)p;
  }
  __device__ explicit    operator bool() const { return p != 0; }
  friend __device__ bool operator==(plex_pointer a, plex_pointer b) { return a.p == b.p; }
  friend __device__ bool operator!=(plex_pointer a, plex_pointer b) { return a.p != b.p; }
};
