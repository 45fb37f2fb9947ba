/* maxwell.h with boundaries impedance:R: what system maxwell is where there are any. The different R of a run, 16 at most, come
   behind all constants, and facets of the i-th one have the kind 5 + i */
#define PLEX_DG_NC 38
#include "maxwell.h"
