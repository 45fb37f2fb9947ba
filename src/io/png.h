/* Pictures as PNG files; png.c */
#pragma once

#include <petscsys.h>

/* pixels[h][w], indices into palette[256][3], by one process */
PETSC_INTERN PetscErrorCode PlexPNGWrite(const char file[], PetscInt w, PetscInt h, const unsigned char palette[256][3],
                                         const unsigned char pixels[]);
