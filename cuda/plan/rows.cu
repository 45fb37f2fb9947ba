// Rows and what they sum: a thread an item of each step
#include "plan/rows_steps.h"
