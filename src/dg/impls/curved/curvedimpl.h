/* How the curved elements of nodal DG are computed: what files of src/dg/impls/curved/ share, and what is above them */
#pragma once

#include "../../quadrature/quadratureimpl.h"

/* SetUp: an error where the type or the system is not for curved elements. Compute: right-hand side of args->begin ..
   args->end, all curved, or a stage of a low-storage scheme in its place; curved.c */
PETSC_INTERN PetscErrorCode PlexDGCurvedSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGCurvedCompute_Private(PlexDG, const PlexDGArgs *, const PlexDGStage *);
PETSC_INTERN PetscErrorCode PlexDGCurvedDestroy_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGCurvedView_Private(PlexDG, PetscViewer);

struct _n_PlexDGCurvedWay {
  PetscErrorCode (*compute)(PlexDG, const PlexDGArgs *, const PlexDGStage *);
  PetscErrorCode (*destroy)(PlexDG, void *);
  PetscErrorCode (*view)(PlexDG, PetscViewer);
  void *data;
};
/* On the host, by a kernel, and by one on tensor cores unless these are too many numbers for a block: set `compute`,
   `destroy` and `data`; host.c, kernels.c, fused.c */
PETSC_INTERN PetscErrorCode PlexDGCurvedCreate_Host_Private(PlexDG, PlexDGCurvedWay);
PETSC_INTERN PetscErrorCode PlexDGCurvedCreate_Kernel_Private(PlexDG, PlexDGCurvedWay);
PETSC_INTERN PetscErrorCode PlexDGCurvedCreate_Fused_Private(PlexDG, PlexDGCurvedWay, PetscBool *fits);
/* [ncurved][Np][dim] the nodes of curved elements, where sources ask for them; else NULL */
PETSC_INTERN PetscErrorCode PlexDGCurvedUploadNodes_Private(PlexDG, const void **x);
/* 1/det J at points, J[ncurved][nweights][NG]; where coefficients vary of each weight times PlexDGGraded.ratio; PetscFree()
   it. Weights: how many there are, 1 where none varies */
PETSC_INTERN PetscErrorCode PlexDGCurvedGetInverse_Private(PlexDG, PetscReal *J[]);
static inline PetscInt      PlexDGCurvedWeights_Private(PlexDG dg)
{
  return dg->graded ? dg->graded->nweights : 1;
}
