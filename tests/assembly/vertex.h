/* An integrator that is added from outside the library: vertex.c */
#pragma once

#include <plexgpu/impl.h>

PetscErrorCode PlexTestVertexRegister(void);
