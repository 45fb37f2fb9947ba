/* What -citations prints: PlexGPU itself, and the paper of what a program uses */
#pragma once

#include <petscsys.h>

typedef enum {
  PLEX_CITE_LIBRARY,
  PLEX_CITE_ASSEMBLY,    /* the strategies of Cecka, Lew and Darve (2011) */
  PLEX_CITE_INTEGRATION, /* tensor integration of Knepley and Terrel (2013) */
  PLEX_CITE_DG,          /* Kloeckner and others (2009) */
  PLEX_CITE_HDG,         /* King and others (2014) */
  PLEX_CITATIONS
} PlexCitation;
/* Once for each, however often it is called. Not collective */
PETSC_INTERN PetscErrorCode PlexCite_Private(PlexCitation);
/* A program may begin anew after PetscFinalize() */
PETSC_INTERN PetscErrorCode PlexCiteFinalize_Private(void);
