#include "rocks.h"
#include <petscds.h>

#define POINT \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define REST PetscInt numConstants, const PetscScalar constants[], PetscScalar f[]

/* A function with the symbol of one in C++ */
#define RESIDUAL(name, symbol) \
  void name(POINT, const PetscReal x[], REST) __asm__(symbol); \
  void name(POINT, const PetscReal x[], REST) { }
#define JACOBIAN(name, symbol) \
  void name(POINT, PetscReal shift, const PetscReal x[], REST) __asm__(symbol); \
  void name(POINT, PetscReal shift, const PetscReal x[], REST) { }

RESIDUAL(RocksF0u, "_ZN5rocks6Motion3f0uEv")
RESIDUAL(RocksF0v, "_ZN5rocks6Motion3f0vEv")
JACOBIAN(RocksG0uu, "_ZN5rocks6Motion4g0uuEv")
JACOBIAN(RocksG0uv, "_ZN5rocks6Motion4g0uvEv")
JACOBIAN(RocksG0vv, "_ZN5rocks6Motion4g0vvEv")
RESIDUAL(RocksF1v2, "_ZN5rocks10ElasticityINS_9IsotropicELi2EE3f1vEv")
RESIDUAL(RocksF1v3, "_ZN5rocks10ElasticityINS_9IsotropicELi3EE3f1vEv")
JACOBIAN(RocksG3vu2, "_ZN5rocks10ElasticityINS_9IsotropicELi2EE4g3vuEv")
JACOBIAN(RocksG3vu3, "_ZN5rocks10ElasticityINS_9IsotropicELi3EE4g3vuEv")
JACOBIAN(RocksG3vv2, "_ZN5rocks10ElasticityINS_9IsotropicELi2EE4g3vvEv")
JACOBIAN(RocksG3vv3, "_ZN5rocks10ElasticityINS_9IsotropicELi3EE4g3vvEv")
void RocksAbsorbF(POINT, const PetscReal x[], const PetscReal n[], REST) __asm__("_ZN5rocks9Absorbing3f0vEv");
void RocksAbsorbF(POINT, const PetscReal x[], const PetscReal n[], REST) { }
void RocksAbsorbG(POINT, PetscReal shift, const PetscReal x[], const PetscReal n[],
                  REST) __asm__("_ZN5rocks9Absorbing4g0vvEv");
void RocksAbsorbG(POINT, PetscReal shift, const PetscReal x[], const PetscReal n[], REST) { }

static PetscErrorCode AddFields(DM dm, PetscInt n, const PetscInt components[], PetscInt degree, PetscInt quadrature)
{
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  for (PetscInt f = 0; f < n; ++f) {
    PetscFE fe;

    PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, dim, components[f], PETSC_FALSE, degree, quadrature, &fe));
    PetscCall(DMSetField(dm, f, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFunctions(DM dm, PetscDS ds)
{
  const PetscScalar constants[2] = {0.01, 2.};
  const PetscInt    one          = 1;
  PetscInt          dim, bd;
  DMLabel           label;
  PetscWeakForm     wf;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(PetscDSSetResidual(ds, 0, RocksF0u, NULL));
  PetscCall(PetscDSSetResidual(ds, 1, RocksF0v, dim == 2 ? RocksF1v2 : RocksF1v3));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, RocksG0uu, NULL, NULL, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, RocksG0uv, NULL, NULL, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, NULL, NULL, dim == 2 ? RocksG3vu2 : RocksG3vu3));
  PetscCall(PetscDSSetJacobian(ds, 1, 1, RocksG0vv, NULL, NULL, dim == 2 ? RocksG3vv2 : RocksG3vv3));
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, one, label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "sides", label, 1, &one, 1, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, one, 1, 0, 0, RocksAbsorbF, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, one, 1, 1, 0, 0, RocksAbsorbG, 0, NULL, 0, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRocksCreate(PetscInt dim, DM *dm)
{
  const PetscInt faces[3] = {2, 2, 2}, solution[2] = {dim, dim}, auxiliary[4] = {1, dim, 1, 1};
  PetscDS        ds;
  DM             dmAux;
  Vec            a;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(AddFields(*dm, 2, solution, 1, 1));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(SetFunctions(*dm, ds));
  PetscCall(DMClone(*dm, &dmAux));
  PetscCall(AddFields(dmAux, 4, auxiliary, 1, 1));
  PetscCall(DMCreateLocalVector(dmAux, &a));
  PetscCall(VecSet(a, 1.));
  PetscCall(DMSetAuxiliaryVec(*dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}
