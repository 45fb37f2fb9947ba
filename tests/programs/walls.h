/* For autosource.sh: functions of the whole program that are equal, which gcc folds; and the wall of the greatest x_0, through which heat leaves. */
#include <petscdmplex.h>
#include <petscds.h>

/* Two parts of one key, in place of one that is NULL */
void NoneOfGradient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                    const PetscScalar constants[], PetscScalar g1[])
{
  for (PetscInt d = 0; d < dim; ++d) g1[d] = 0.25;
}

void NeitherOfGradient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                       const PetscScalar constants[], PetscScalar g1[])
{
  for (PetscInt d = 0; d < dim; ++d) g1[d] = 0.25;
}

static void Out(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                PetscReal t, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = 0.5 * n[0] * u[0] * u[0];
}

static void OutOfTemperature(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                             const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                             const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                             const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                             const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                             const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = n[0] * u[0];
}

/* In the place of DMPlexMarkBoundaryFaces(): the walls of PETSc's box are 1 to 2 dim of "Face Sets" */
static PetscErrorCode MarkWalls(DM dm, PetscInt value, DMLabel label)
{
  PetscInt dim, mark, sides;

  PetscFunctionBeginUser;
  PetscCall(DMGetDimension(dm, &dim));
  for (PetscInt side = 1; side <= 2 * dim; ++side) {
    IS              is;
    const PetscInt *faces;
    PetscReal       x[3] = {0, 0, 0}, n[3];

    PetscCall(DMGetStratumIS(dm, "Face Sets", side, &is));
    if (!is) continue;
    PetscCall(ISGetLocalSize(is, &sides));
    PetscCall(ISGetIndices(is, &faces));
    if (sides) PetscCall(DMPlexComputeCellGeometryFVM(dm, faces[0], NULL, x, n));
    mark = sides && x[0] > 1. - 1e-9 ? value + 1 : value;
    for (PetscInt k = 0; k < sides; ++k) PetscCall(DMLabelSetValue(label, faces[k], mark));
    PetscCall(ISRestoreIndices(is, &faces));
    PetscCall(ISDestroy(&is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After PetscDSSetJacobian() */
static PetscErrorCode AddWall(DM dm, PetscDS ds, DMLabel label)
{
  PetscWeakForm  form;
  PetscInt       boundary;
  const PetscInt two = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscDSGetWeakForm(ds, &form));
  PetscCall(PetscWeakFormAddJacobian(form, NULL, 0, 0, 0, 0, NULL, NeitherOfGradient, NULL, NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "out", label, 1, &two, 0, 0, NULL, NULL, NULL, NULL, &boundary));
  PetscCall(PetscDSGetBoundary(ds, boundary, &form, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(form, label, two, 0, 0, 0, Out, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(form, label, two, 0, 0, 0, 0, OutOfTemperature, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
