/*
  Coarser meshes below degree 1: a PCMG with the assembled matrix A_k of a mesh that was refined from others.

  Level j has the degree 1 space of the mesh that was refined j times. Interpolation P_j takes a function of the coarser
  mesh to its values at the vertices of the finer one, a matrix that PETSc makes of the two meshes, and the operators are
  Galerkin's: A_(j-1) = P_j^T A_j P_j. Each mesh has the essential boundaries of the finest one, by the names of labels.
*/
#include "multigrid.h"

/* A DM of a mesh with the field and the boundaries of another one, for a matrix of the type `mattype` */
static PetscErrorCode PlexGeometricCreateDM(DM mesh, DM space, MatType mattype, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(DMClone(mesh, dm));
  PetscCall(DMCopyDisc(space, *dm));
  PetscCall(DMSetMatType(*dm, mattype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGeometricSetLevels(DM mesh, DM space, MatType mattype, PetscInt steps, PetscInt cycles, PC pc)
{
  PetscInt n      = 0;
  DM       coarse = mesh, fine, dm;
  Mat      P;

  PetscFunctionBegin;
  for (; coarse; ++n) PetscCall(DMGetCoarseDM(coarse, &coarse));
  PetscCheck(n > 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_plexpmg_geometric, of a DM that was not refined from a coarser one: -dm_refine_hierarchy makes such "
             "DMs");
  PetscCall(PCSetType(pc, PCMG));
  PetscCall(PCMGSetLevels(pc, n, NULL));
  PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_PMAT));
  PetscCall(PCMGSetNumberSmooth(pc, steps));
  PetscCall(PCMGMultiplicativeSetCycles(pc, cycles));
  PetscCall(PlexGeometricCreateDM(mesh, space, mattype, &fine));
  for (PetscInt j = n - 1; j > 0; --j) {
    KSP ksp;
    PC  smoother;

    PetscCall(PCMGGetSmoother(pc, j, &ksp));
    PetscCall(KSPGetPC(ksp, &smoother));
    PetscCall(PCSetType(smoother, PCJACOBI));
    PetscCall(DMGetCoarseDM(mesh, &mesh));
    PetscCall(PlexGeometricCreateDM(mesh, space, mattype, &dm));
    PetscCall(DMSetCoarseDM(fine, dm)); /* which tells that cells lie within cells */
    PetscCall(DMCreateInterpolation(dm, fine, &P, NULL));
    PetscCall(PCMGSetInterpolation(pc, j, P));
    PetscCall(MatDestroy(&P));
    PetscCall(DMDestroy(&fine));
    fine = dm;
  }
  PetscCall(DMDestroy(&fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}
