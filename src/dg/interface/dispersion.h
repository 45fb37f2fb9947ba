/* Models of dispersive media: what dispersion.c, their settings, and dispersioncells.c share */
#pragma once

#include "dgimpl.h"

/* What a model's numbers are: at least 0, or more than that */
typedef struct {
  const char *name, *numbers;
  PetscInt    n, m; /* numbers and memory variables of a pole */
  PetscBool   positive[3];
} PlexDGDispersionModel;

typedef enum {
  PLEX_DG_DEBYE,
  PLEX_DG_DRUDE,
  PLEX_DG_LORENTZ,
  PLEX_DG_DISPERSIONS
} PlexDGDispersionKind;

PETSC_INTERN const PlexDGDispersionModel PlexDGDispersionModels[PLEX_DG_DISPERSIONS];
