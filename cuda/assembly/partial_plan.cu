// The plan of shared_nz:partial: a thread an item of each step
#include "assembly/partial_plan_steps.h"
