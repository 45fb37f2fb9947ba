/* maxwell_current.h with the boundaries of maxwell_impedance.h */
#define PLEX_DG_NC 38
#include "maxwell_current.h"
