/* Batches of 8 elements in double precision, bases of vectors among them; see host.h */
typedef double real;
#define VECTORS 1

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"
#include "hostaction.h"

#define INTEGRATE PlexHostBatchIntegrate_Vectors
#include "hostintegrate.h"
