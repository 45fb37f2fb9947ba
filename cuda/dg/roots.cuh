// Reciprocals and roots without the branches that the language's have, behind plex.cuh
#pragma once

#include "../instructions.cuh"

// 1/x of a normal number to a rounding or two, without the branches of a division: two steps of Newton's method. Of 0 or
// infinity it is no number
PLEX_DEVICE double plex_reciprocal(double x)
{
  double y = plex_rcp_approximate(x);

  y = fma(fma(-x, y, 1.), y, y);
  return fma(fma(-x, y, 1.), y, y);
}
PLEX_DEVICE float plex_reciprocal(float x)
{
  return 1 / x;
}

// The root of x to a rounding or two, without the branches of sqrt(): one step that triples the digits of 1/sqrt(x).
// 0 of what is smaller than 1e-290, and of negative numbers
PLEX_DEVICE double plex_root(double x)
{
  const double y = plex_rsqrt_approximate(x), e = fma(-x * y, y, 1.), root = x * fma(y * e, fma(0.375, e, 0.5), y);

  return !(x <= 1e-290) ? root : 0;
}
PLEX_DEVICE float plex_root(float x)
{
  return sqrtf(x < 0 ? 0 : x);
}

// x to the power -1/3 likewise, from single precision on: x from 1e-37 to 1e38
PLEX_DEVICE double plex_inverse_cube_root(double x)
{
  const double y = exp2f(log2f((float)x) * (-1 / 3.f)), e = fma(-x * y, y * y, 1.);

  return fma(y * e, fma(2 / 9., e, 1 / 3.), y);
}
PLEX_DEVICE float plex_inverse_cube_root(float x)
{
  return 1 / cbrtf(x);
}
