/* Batches of 8 elements in double precision; see host.h */
typedef double real;
#define VECTORS 0

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"
#include "hostaction.h"

#define INTEGRATE PlexHostBatchIntegrate_Double
#include "hostintegrate.h"
