// The plan of local_row by symmetry classes: a thread an item of each step
#include "assembly/symmetry_plan.h"
