/* maxwell.h with an incident wave that is more than a cosine: what system maxwell is where one of its constants
   wave_phase, wave_delay, wave_width, wave_ramp is not zero. They come behind those of maxwell.h; pulse.h */
#define PLEX_DG_NC 12
#include "maxwell.h"
