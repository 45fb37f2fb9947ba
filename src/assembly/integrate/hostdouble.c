/* Batches of 8 elements in double precision; see host.h */
typedef double real;

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"

#define INTEGRATE PlexHostBatchIntegrate_Double
#include "hostintegrate.h"
