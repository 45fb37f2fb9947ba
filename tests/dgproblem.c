#include "dgproblem.h"
#include <petscdmplextransform.h>

PetscErrorCode PlexTestRefine(DM *dm)
{
  DM refined;

  PetscFunctionBegin;
  PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
  PetscCall(DMRefine(*dm, PetscObjectComm((PetscObject)*dm), &refined));
  PetscCall(DMDestroy(dm));
  *dm = refined;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestSimplexBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, DM *dm)
{
  const PetscInt       faces[3] = {n, n, n};
  const DMBoundaryType bd       = periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE, types[3] = {bd, bd, bd};
  DMPlexTransform      transform;
  DMLabel              boundary;
  DM                   simplices;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, faces, NULL, NULL, types, PETSC_TRUE, 0, PETSC_TRUE, dm));
  PetscCall(DMPlexTransformCreate(comm, &transform));
  PetscCall(DMPlexTransformSetDM(transform, *dm));
  PetscCall(DMPlexTransformSetType(transform, DMPLEXREFINETOSIMPLEX));
  PetscCall(DMPlexTransformSetUp(transform));
  PetscCall(DMPlexTransformApply(transform, *dm, &simplices));
  PetscCall(DMPlexTransformDestroy(&transform));
  PetscCall(DMDestroy(dm));
  *dm = simplices;
  PetscCall(PlexTestGetLabel(*dm, "boundary", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWaveCreate(DM dm, PetscInt N, PetscReal alpha, PlexDG *dg)
{
  const PetscReal epsilon = 1.5, mu = 0.8, frequency = 5.;
  PetscReal       direction[3] = {0.6, 0.8, 0.}, polarization[3] = {-0.4, 0.3, 0.9};
  PetscInt        dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  if (dim == 3) {
    const PetscReal d[3] = {2. / 3., -1. / 3., 2. / 3.}, p[3] = {1., 0., -1.};

    PetscCall(PetscArraycpy(direction, d, 3));
    PetscCall(PetscArraycpy(polarization, p, 3));
  }
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetConstant(*dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(*dg, "mu", 1, &mu));
  PetscCall(PlexDGSetConstant(*dg, "direction", 3, direction));
  PetscCall(PlexDGSetConstant(*dg, "polarization", 3, polarization));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &frequency));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "incident"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E = P cos(w (t - d.x sqrt(epsilon mu))), H = d x E sqrt(epsilon/mu) */
PetscErrorCode PlexTestWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PlexDG           dg = (PlexDG)ctx;
  const PetscReal *d = &dg->constants[1], *P = &dg->constants[4], epsilon = dg->uniform[0], mu = dg->uniform[1];
  PetscReal        phase = t, wave;

  PetscFunctionBegin;
  PetscCheck(Nf == 6, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%" PetscInt_FMT " fields", Nf);
  for (PetscInt k = 0; k < dim; ++k) phase -= d[k] * x[k] * PetscSqrtReal(epsilon * mu);
  wave = PetscCosReal(dg->constants[7] * phase);
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscInt a = (k + 1) % 3, b = (k + 2) % 3;

    u[k]     = P[k] * wave;
    u[3 + k] = (d[a] * P[b] - d[b] * P[a]) * wave * PetscSqrtReal(epsilon / mu);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWaveRun(PlexDG dg, PetscReal T, Vec U)
{
  TS        ts;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, T / PetscCeilReal(T / dt)));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
