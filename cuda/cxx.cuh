// What pointwise functions in C++ find in place of PETSc's and the standard library's headers, beside petsc.cuh: types,
// and the names of namespace std that are listed here. Their macros are in standin/cxx.h, as the text is preprocessed
// before it comes here.
#pragma once

// A variable that is declared and defined nowhere: NVRTC would define it, with zeros
#ifdef __CUDACC_RTC__
  #pragma nv_diag_error 20044
#endif

typedef int PetscErrorCode;
typedef int PetscMPIInt;
typedef long long   PetscInt64;
typedef long long   PetscCount;
typedef PetscScalar MatScalar;
typedef void(PetscVoidFn)(void);

// PETSc's objects: a header may declare functions of the host that have them
typedef struct _p_PetscObject   *PetscObject;
typedef struct _p_DM            *DM;
typedef struct _p_DMLabel       *DMLabel;
typedef struct _p_PetscDS       *PetscDS;
typedef struct _p_PetscFE       *PetscFE;
typedef struct _p_PetscWeakForm *PetscWeakForm;
typedef struct _p_PetscSection  *PetscSection;
typedef struct _p_PetscViewer   *PetscViewer;
typedef struct _p_IS            *IS;
typedef struct _p_Vec           *Vec;
typedef struct _p_Mat           *Mat;
typedef struct _p_SNES          *SNES;
typedef struct _p_TS            *TS;

#define PLEX_CXX_POINT \
  PetscInt, PetscInt, PetscInt, const PetscInt[], const PetscInt[], const PetscScalar[], const PetscScalar[], \
    const PetscScalar[], const PetscInt[], const PetscInt[], const PetscScalar[], const PetscScalar[], \
    const PetscScalar[], PetscReal
typedef void(PetscPointFn)(PLEX_CXX_POINT, const PetscReal[], PetscInt, const PetscScalar[], PetscScalar[]);
typedef void(PetscPointJacFn)(PLEX_CXX_POINT, PetscReal, const PetscReal[], PetscInt, const PetscScalar[],
                              PetscScalar[]);
typedef void(PetscBdPointFn)(PLEX_CXX_POINT, const PetscReal[], const PetscReal[], PetscInt, const PetscScalar[],
                             PetscScalar[]);
typedef void(PetscBdPointJacFn)(PLEX_CXX_POINT, PetscReal, const PetscReal[], const PetscReal[], PetscInt,
                                const PetscScalar[], PetscScalar[]);
typedef PetscPointFn      *PetscPointFunc;
typedef PetscPointJacFn   *PetscPointJac;
typedef PetscBdPointFn    *PetscBdPointFunc;
typedef PetscBdPointJacFn *PetscBdPointJac;

#ifdef PLEX_EMULATE
  #include <algorithm>
  #include <cmath>
  #include <cstddef>
  #include <cstdint>
  #include <cstring>
  #include <limits>
  #include <type_traits>
  #include <utility>
#else
typedef signed char        int8_t;
typedef short              int16_t;
typedef int                int32_t;
typedef long long          int64_t;
typedef unsigned char      uint8_t;
typedef unsigned short     uint16_t;
typedef unsigned           uint32_t;
typedef unsigned long long uint64_t;

namespace std
{
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::size_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
typedef decltype(nullptr)               nullptr_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;

using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::lround;
using ::memcpy;
using ::memset;
using ::nearbyint;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;

__device__ constexpr double abs(double x)
{
  return x < 0 ? -x : x == 0 ? 0 : x;
}
__device__ constexpr float abs(float x)
{
  return x < 0 ? -x : x == 0 ? 0 : x;
}
__device__ constexpr int abs(int x)
{
  return x < 0 ? -x : x;
}
__device__ constexpr long abs(long x)
{
  return x < 0 ? -x : x;
}
__device__ constexpr long long abs(long long x)
{
  return x < 0 ? -x : x;
}

template <class T>
__device__ constexpr const T &max(const T &a, const T &b)
{
  return a < b ? b : a;
}
template <class T>
__device__ constexpr const T &min(const T &a, const T &b)
{
  return b < a ? b : a;
}
template <class T>
__device__ void swap(T &a, T &b)
{
  const T c = a;

  a = b;
  b = c;
}

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<double> {
  __device__ static constexpr double epsilon() { return 2.220446049250313e-16; }
  __device__ static constexpr double min() { return 2.2250738585072014e-308; }
  __device__ static constexpr double max() { return 1.7976931348623157e+308; }
  __device__ static constexpr double lowest() { return -max(); }
  __device__ static double           infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
  __device__ static double           quiet_NaN() { return __longlong_as_double(0x7ff8000000000000LL); }
};
template <>
struct numeric_limits<float> {
  __device__ static constexpr float epsilon() { return 1.1920929e-7f; }
  __device__ static constexpr float min() { return 1.17549435e-38f; }
  __device__ static constexpr float max() { return 3.40282347e+38f; }
  __device__ static constexpr float lowest() { return -max(); }
  __device__ static float           infinity() { return __int_as_float(0x7f800000); }
  __device__ static float           quiet_NaN() { return __int_as_float(0x7fc00000); }
};
template <>
struct numeric_limits<int> {
  __device__ static constexpr int min() { return -2147483647 - 1; }
  __device__ static constexpr int max() { return 2147483647; }
};
} // namespace std
#endif

// Functions that print may stand in the same file; one that is reached does not link
namespace std
{
struct plex_stream { };
static constexpr plex_stream cout{}, cerr{}, endl{};
template <class T>
__device__ const plex_stream &operator<<(const plex_stream &, const T &);
} // namespace std

// A variable that the host may change: its name is that of such a function
struct plex_variable_that_may_change;
