/* Batches of 16 elements in single precision, bases of vectors among them; see host.h */
typedef float real;
#define VECTORS 1

#include "hostbatch.h"
#include "hostresidual.h"
#include "hostjacobian.h"

#define INTEGRATE PlexHostBatchIntegrate_VectorsSingle
#include "hostintegrate.h"
