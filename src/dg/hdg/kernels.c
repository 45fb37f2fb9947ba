#include "hdgimpl.h"
PetscErrorCode PlexHDGCreate_Kernels(PlexHDG hdg) { (void)hdg; return PETSC_ERR_SUP; }
