// The plan of local_row by sum factorization: a thread an item of each step
#include "assembly/lines_plan_steps.h"
