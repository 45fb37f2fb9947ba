/* Products with stored coefficients, by batches of 8 elements in double precision; see stored.h */
typedef double real;
#define VECTORS 0

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"

#define PLEX_HOST_STORE    PlexHostStore_Double
#define PLEX_HOST_PHYSICAL PlexHostPhysical_Double
#define PLEX_HOST_APPLY    PlexHostApply_Double
#include "hoststored.h"
