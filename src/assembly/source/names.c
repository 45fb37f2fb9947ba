/* Names that device code has by itself: not taken from the application's source, or meant otherwise there. */
#include "source.h"

/* First those of cuda/petsc.cuh */
static const char *const PlexDeviceNames[] =
  {"PetscReal", "PetscScalar", "PetscInt", "PetscBool", "PETSC_TRUE", "PETSC_FALSE", "NULL", "true", "false",
   "PetscLogFlops", "PetscIsInfReal", "PetscIsNanReal", "PetscIsNormalReal",
   /* the compiler */
   "size_t", "wchar_t", "nullptr", "va_list", "alignof", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__",
   "__assert_fail",
   /* the device's C library but for files */
   "memcpy", "memset", "memmove", "memcmp", "printf", "abs", "labs", "llabs", "malloc", "free", "div_t",
   /* math.h; each also with f at its end */
   "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc",
   "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb",
   "isfinite", "isinf", "isnan", "isnormal", "signbit", "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log",
   "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter", "pow", "remainder",
   "remquo", "rint", "round", "scalbln", "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
   "y0", "y1", "yn", "exp10"};

/* Of a math function's name with the suffix f, the length without */
PetscBool PlexDeviceHasName(const char name[])
{
  const size_t length = strlen(name);

  if (!strncmp(name, "__builtin_", 10)) return PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexDeviceNames); ++k) {
    const char  *known = PlexDeviceNames[k];
    const size_t n     = strlen(known);

    if (!strncmp(name, known, n) &&
        (length == n || (length == n + 1 && name[n] == 'f' && known[0] >= 'a' && known[0] <= 'z')))
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Names of CUDA that C does not have, and those of the text around the application's source: what the application calls
   so is renamed */
static const char *const PlexTakenNames[]  = {"min",
                                              "max",
                                              "umin",
                                              "umax",
                                              "llmin",
                                              "llmax",
                                              "ullmin",
                                              "ullmax",
                                              "rsqrt",
                                              "rcbrt",
                                              "norm",
                                              "norm3d",
                                              "norm4d",
                                              "rnorm",
                                              "rnorm3d",
                                              "rnorm4d",
                                              "rhypot",
                                              "cospi",
                                              "sinpi",
                                              "sincospi",
                                              "normcdf",
                                              "normcdfinv",
                                              "erfinv",
                                              "erfcinv",
                                              "erfcx",
                                              "cyl_bessel_i0",
                                              "cyl_bessel_i1",
                                              "fdivide",
                                              "clock",
                                              "clock64",
                                              "threadIdx",
                                              "blockIdx",
                                              "blockDim",
                                              "gridDim",
                                              "warpSize",
                                              "dim3",
                                              "uint",
                                              "args",
                                              "p",
                                              "s",
                                              "out",
                                              "constants",
                                              "r",
                                              "m",
                                              "x",
                                              "u",
                                              "f",
                                              "g",
                                              "n",
                                              "e",
                                              "q",
                                              "k",
                                              "b",
                                              "c",
                                              "J",
                                              "C",
                                              "det",
                                              "up",
                                              "area",
                                              "square",
                                              "beta",
                                              "first",
                                              "values",
                                              "nodes",
                                              "size",
                                              "good",
                                              "changed",
                                              "condition",
                                              "lambda"};
static const char *const PlexVectorTypes[] = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                              "long", "ulong", "longlong", "ulonglong", "float", "double"};

PetscBool PlexDeviceTakesName(const char name[])
{
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexTakenNames); ++k)
    if (!strcmp(name, PlexTakenNames[k])) return PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexVectorTypes); ++k) { /* double2, and make_double2() */
    const char  *rest = strncmp(name, "make_", 5) ? name : name + 5;
    const size_t n    = strlen(PlexVectorTypes[k]);

    if (!strncmp(rest, PlexVectorTypes[k], n) && rest[n] >= '1' && rest[n] <= '4' && !rest[n + 1]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
