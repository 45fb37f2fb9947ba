// What the application's source finds in place of PETSc's headers, preprocessed as it is: the number types, which follow the precision, and
// a few functions.
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
  __device__ explicit operator bool() const { return p != 0; }
};
