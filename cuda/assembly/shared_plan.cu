// The plan of shared_nz and shared_row: a thread an item of each step
#include "assembly/shared_plan.h"
