// The plan of global_row in runs: a thread an item of each step
#include "assembly/runs_plan.h"
