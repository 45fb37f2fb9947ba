// Blocks of mesh nodes, and what they have: a thread an item of each step
#include "plan/blocks_steps.h"
