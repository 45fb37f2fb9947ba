// Blocks of mesh nodes, and what they have: a thread an item of each step
#include "assembly/plan_blocks_steps.h"
