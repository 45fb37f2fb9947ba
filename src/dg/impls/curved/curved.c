/* The curved elements of nodal DG: which way computes them */
#include "curvedimpl.h"

PetscErrorCode PlexDGCurvedUploadNodes_Private(PlexDG dg, const void **at)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGMesh        mesh = dg->mesh;
  const PetscInt    n = mesh->ncurved[0] + mesh->ncurved[1], Np = dg->reference->Np;
  PetscReal        *x;

  PetscFunctionBegin;
  *at = NULL;
  if (!host->positions || !host->addsource) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)n * Np * mesh->dim, &x));
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt i = 0; i < Np; ++i)
      PetscCall(PlexDGMeshGetPosition(mesh, PlexDGMeshCurvedElement(mesh, k), &dg->shapes[i * mesh->nx],
                                      &x[((size_t)k * Np + i) * mesh->dim]));
  PetscCall(PlexDGUploadReals(dg, (size_t)n * Np * mesh->dim, x, at));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedGetInverse_Private(PlexDG dg, PetscReal *J[])
{
  const PetscInt nw = PlexDGCurvedWeights_Private(dg), NG = dg->curved->NG;
  const size_t   n = (size_t)(dg->mesh->ncurved[0] + dg->mesh->ncurved[1]);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * nw * NG, J));
  for (size_t row = 0; row < n * nw; ++row)
    for (PetscInt g = 0; g < NG; ++g)
      (*J)[row * NG + g] = (dg->graded ? dg->graded->ratio[row * NG + g] : 1.) / dg->curved->detJ[row / nw * NG + g];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedSetUp_Private(PlexDG dg)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dg);
  PetscBool separate, fused;

  PetscFunctionBegin;
  if (!dg->curved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(dg->system->host[dg->precision]->curvedvolume, comm, PETSC_ERR_SUP,
             "The mesh has curved elements, and system %s is in flux form, which nodal DG has on straight elements "
             "alone: "
             "use -plex_dg_discretization quadrature",
             dg->system->name);
  PetscCall(PetscObjectTypeCompare((PetscObject)dg, PLEXDGSEPARATE, &separate));
  PetscCheck(!separate, comm, PETSC_ERR_SUP,
             "The mesh has %s, which -plex_dg_type separate has not: use fused, plain or host",
             dg->graded ? "cells whose coefficients vary" : "curved elements");
  PetscCall(PetscNew(&dg->curvedWay));
  PetscCall(PetscObjectTypeCompare((PetscObject)dg, PLEXDGFUSED, &fused));
  if (fused) PetscCall(PlexDGCurvedCreate_Fused_Private(dg, dg->curvedWay, &fused));
  if (fused) PetscFunctionReturn(PETSC_SUCCESS);
  if (dg->backend->kernels) PetscCall(PlexDGCurvedCreate_Kernel_Private(dg, dg->curvedWay));
  else PetscCall(PlexDGCurvedCreate_Host_Private(dg, dg->curvedWay));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedCompute_Private(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PetscFunctionBegin;
  PetscCall((*dg->curvedWay->compute)(dg, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  if (dg->curvedWay && dg->curvedWay->destroy) PetscCall((*dg->curvedWay->destroy)(dg, dg->curvedWay->data));
  PetscCall(PetscFree(dg->curvedWay));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedView_Private(PlexDG dg, PetscViewer viewer)
{
  PlexDGQuadrature Q = dg->curved;
  PetscInt         n = dg->mesh->ncurved[0] + dg->mesh->ncurved[1];

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%" PetscInt_FMT " of them %s, maps of degree %" PetscInt_FMT ", %" PetscInt_FMT
                                   " points each and %" PetscInt_FMT " on a face\n",
                                   n, dg->graded ? "curved, or with or beside coefficients that vary" : "curved",
                                   Q->order, Q->NG, Q->MG));
  if (dg->curvedWay->view) PetscCall((*dg->curvedWay->view)(dg, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
