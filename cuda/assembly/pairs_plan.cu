// The plan of shared_nz by pairs of nodes: a thread an item of each step
#include "assembly/pairs_plan.h"
