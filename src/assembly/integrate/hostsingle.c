/* Batches of 16 elements in single precision; see host.h */
typedef float real;
#define VECTORS 0

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"
#include "hostaction.h"

#define INTEGRATE PlexHostBatchIntegrate_Single
#include "hostintegrate.h"
