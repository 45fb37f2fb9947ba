/* tsunami.h with Manning's n as coefficient `manning`, which varies in an element as the depth does. The constant in its
   place, manning_factor, multiplies it

   coefficients: depth, coriolis f, scale m, manning n; constants: those of tsunami.h */
#define PLEX_DG_NK          4
#define WATER_MANNING(k, c) (c[11] * k[3 * (1 + PLEX_DIM)])
#define WATER_ROUGH(n, c)   ((n) > 0)
#include "tsunami.h"
