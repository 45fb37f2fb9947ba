/* Products with stored coefficients, by batches of 16 elements in single precision; see stored.h */
typedef float real;
#define VECTORS 0

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"

#define PLEX_HOST_STORE    PlexHostStore_Single
#define PLEX_HOST_PHYSICAL PlexHostPhysical_Single
#define PLEX_HOST_APPLY    PlexHostApply_Single
#include "hoststored.h"
