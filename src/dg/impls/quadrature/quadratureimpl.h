/* The type of DG with quadrature: shared by the files of src/dg/impls/quadrature/ */
#pragma once

#include <plexgpu/dg.h>

/* On the host, by BLAS; host.c */
PETSC_INTERN PetscErrorCode PlexDGCreateQuadrature_Host_Private(PlexDG);
