/*
  Times PlexAssembly objects and PETSc's own assembly of the same problem, and compares what they assemble.
*/
#ifndef PLEX_TIMING_H
#define PLEX_TIMING_H

#include <plexgpu.h>
#include <petscdevice.h>

static const char *const TimingTypes[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                          PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                          PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};
#define TIMING_TYPES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(TimingTypes))

/* A problem whose matrix and vectors live where a backend wants them */
typedef struct {
  DM  dm;   /* not owned */
  Vec locX; /* local vector, boundary values included */
  Vec locF;
  Vec F; /* global vector */
  Mat J;
} TimingProblem;

typedef struct {
  PetscLogDouble jacobian, residual; /* seconds, medians */
} TimingResult;

/* Matrix and vectors of dm of the given types; locX is copied */
static inline PetscErrorCode TimingProblemCreate(DM dm, MatType mattype, VecType vectype, PetscBool symmetric, Vec locX,
                                                 TimingProblem *problem)
{
  PlexAssembly plex;
  char        *oldmat, *oldvec;
  MatType      mtype;
  VecType      vtype;

  PetscFunctionBegin;
  PetscCall(DMGetMatType(dm, &mtype));
  PetscCall(DMGetVecType(dm, &vtype));
  PetscCall(PetscStrallocpy(mtype, &oldmat));
  PetscCall(PetscStrallocpy(vtype, &oldvec));
  PetscCall(DMSetMatType(dm, mattype));
  PetscCall(DMSetVecType(dm, vectype));
  problem->dm = dm;
  PetscCall(PlexAssemblyCreate(dm, &plex));
  PetscCall(PlexAssemblySetBackend(plex, PLEXBACKENDHOST));
  PetscCall(PlexAssemblyCreateMatrix(plex, &problem->J));
  PetscCall(PlexAssemblyDestroy(&plex));
  if (symmetric) {
    PetscCall(MatSetOption(problem->J, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(problem->J, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscCall(DMCreateLocalVector(dm, &problem->locX));
  PetscCall(VecCopy(locX, problem->locX));
  PetscCall(VecDuplicate(problem->locX, &problem->locF));
  PetscCall(DMCreateGlobalVector(dm, &problem->F));
  PetscCall(DMSetMatType(dm, oldmat));
  PetscCall(DMSetVecType(dm, oldvec));
  PetscCall(PetscFree(oldmat));
  PetscCall(PetscFree(oldvec));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The types of matrix and vector that live in a backend's memory */
static inline PetscErrorCode TimingProblemCreateForBackend(DM dm, PlexBackendType backend, PetscBool symmetric,
                                                           Vec locX, TimingProblem *problem)
{
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &cuda));
  PetscCall(TimingProblemCreate(dm, cuda ? MATAIJCUSPARSE : MATAIJ, cuda ? VECCUDA : VECSTANDARD, symmetric, locX,
                                problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode TimingProblemDestroy(TimingProblem *problem)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&problem->J));
  PetscCall(VecDestroy(&problem->locX));
  PetscCall(VecDestroy(&problem->locF));
  PetscCall(VecDestroy(&problem->F));
  problem->dm = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One assembly; asm NULL: PETSc's own, on the host */
static inline PetscErrorCode TimingJacobian(PlexAssembly plex, TimingProblem *problem)
{
  PetscFunctionBegin;
  if (plex) PetscCall(PlexAssemblyComputeJacobian(plex, problem->locX, NULL, 0.0, 0.0, problem->J, problem->J));
  else PetscCall(DMPlexSNESComputeJacobianFEM(problem->dm, problem->locX, problem->J, problem->J, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode TimingResidual(PlexAssembly plex, TimingProblem *problem)
{
  PetscFunctionBegin;
  if (plex) PetscCall(PlexAssemblyComputeFunction(plex, problem->locX, NULL, 0.0, problem->locF));
  else PetscCall(DMPlexSNESComputeResidualFEM(problem->dm, problem->locX, problem->locF, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums that a solver sees: the Jacobian in problem->J, the residual in problem->F */
static inline PetscErrorCode TimingAssemble(PlexAssembly plex, TimingProblem *problem)
{
  PetscFunctionBegin;
  PetscCall(TimingJacobian(plex, problem));
  PetscCall(VecZeroEntries(problem->locF));
  PetscCall(TimingResidual(plex, problem));
  PetscCall(VecZeroEntries(problem->F));
  PetscCall(DMLocalToGlobal(problem->dm, problem->locF, ADD_VALUES, problem->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits for what was launched on PETSc's stream */
static inline PetscErrorCode TimingSynchronize(PlexAssembly plex)
{
  PlexBackend     backend;
  PlexBackendType type = PLEXBACKENDHOST;
  PetscBool       cuda;

  PetscFunctionBegin;
  if (plex) {
    PetscCall(PlexAssemblyGetBackend(plex, &backend));
    PetscCall(PlexBackendGetType(backend, &type));
  }
  PetscCall(PetscStrcmp(type, PLEXBACKENDCUDA, &cuda));
  if (cuda) {
    PetscDeviceContext dctx;

    PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
    PetscCall(PetscDeviceContextSynchronize(dctx));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Median seconds of one call of f: at most reps samples, each of as many calls as take 2 ms, stopping (after one sample
  at least) when budget seconds are spent. The caller has called f once before, so that nothing is set up in here. The
  slowest rank's time counts, and all ranks call f as often.
*/
static inline PetscErrorCode TimingMedian(PetscErrorCode (*f)(PlexAssembly, TimingProblem *), PlexAssembly plex,
                                          TimingProblem *problem, PetscInt reps, PetscLogDouble budget,
                                          PetscLogDouble *median)
{
  PetscReal     *samples;
  PetscInt       n = 0, calls = 1;
  PetscLogDouble begin, end, seconds, spent = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(reps, &samples));
  PetscCall(TimingSynchronize(plex));
  while (n < reps && (n == 0 || spent < budget)) {
    PetscCall(PetscTime(&begin));
    for (PetscInt i = 0; i < calls; ++i) PetscCall(f(plex, problem));
    PetscCall(TimingSynchronize(plex));
    PetscCall(PetscTime(&end));
    seconds = end - begin;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX,
                                PetscObjectComm((PetscObject)problem->dm)));
    spent += seconds;
    if (calls == 1 && seconds < 2e-3 && n == 0) {
      calls = (PetscInt)PetscMin(100.0, PetscCeilReal(2e-3 / PetscMax(seconds, 1e-6)));
      if (calls > 1) continue; /* too short to time one call: take the sample again */
    }
    samples[n++] = (PetscReal)(seconds / calls);
  }
  PetscCall(PetscSortReal(n, samples));
  *median = n % 2 ? samples[n / 2] : 0.5 * (samples[n / 2 - 1] + samples[n / 2]);
  PetscCall(PetscFree(samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode TimingMeasure(PlexAssembly plex, TimingProblem *problem, PetscInt reps,
                                           PetscLogDouble budget, TimingResult *result)
{
  PetscFunctionBegin;
  PetscCall(TimingMedian(TimingJacobian, plex, problem, reps, budget, &result->jacobian));
  PetscCall(TimingMedian(TimingResidual, plex, problem, reps, budget, &result->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max |a_k - b_k| / max |b_k| over the entries of two sequential or MPI AIJ matrices of the same pattern, here and on
   all ranks */
static inline PetscErrorCode TimingMatDifference(Mat A, Mat B, PetscReal *difference)
{
  PetscMPIInt size;
  Mat         part[2][2] = {
    {A, NULL},
    {B, NULL}
  };
  PetscReal diff[2] = {0, 0}; /* largest difference, largest entry */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0][0], &part[0][1], NULL));
    PetscCall(MatMPIAIJGetSeqAIJ(B, &part[1][0], &part[1][1], NULL));
  }
  for (PetscInt p = 0; p < (size > 1 ? 2 : 1); ++p) {
    const PetscScalar *a, *b;
    MatInfo            ia, ib;

    PetscCall(MatGetInfo(part[0][p], MAT_LOCAL, &ia));
    PetscCall(MatGetInfo(part[1][p], MAT_LOCAL, &ib));
    PetscCheck(ia.nz_used == ib.nz_used, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The matrices have %g and %g entries, so they cannot be compared entry by entry", ia.nz_used,
               ib.nz_used);
    PetscCall(MatSeqAIJGetArrayRead(part[0][p], &a));
    PetscCall(MatSeqAIJGetArrayRead(part[1][p], &b));
    for (PetscInt k = 0; k < (PetscInt)ia.nz_used; ++k) {
      diff[0] = PetscMax(diff[0], PetscAbsScalar(a[k] - b[k]));
      diff[1] = PetscMax(diff[1], PetscAbsScalar(b[k]));
    }
    PetscCall(MatSeqAIJRestoreArrayRead(part[1][p], &b));
    PetscCall(MatSeqAIJRestoreArrayRead(part[0][p], &a));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, diff, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)A)));
  *difference = diff[1] > 0 ? diff[0] / diff[1] : diff[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The differences of a problem's Jacobian and residual from the reference's, over the largest entry of the reference.
   The residual of a solution vanishes but at its constrained dofs, so its largest entry is that of the local vector. */
static inline PetscErrorCode TimingDifference(TimingProblem *problem, TimingProblem *reference, PetscReal difference[2])
{
  Vec       work;
  PetscReal norm, scale;

  PetscFunctionBegin;
  PetscCall(TimingMatDifference(problem->J, reference->J, &difference[0]));
  PetscCall(VecNorm(reference->locF, NORM_INFINITY, &scale));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &scale, 1, MPIU_REAL, MPIU_MAX,
                              PetscObjectComm((PetscObject)reference->F)));
  PetscCall(VecDuplicate(reference->F, &work));
  PetscCall(VecCopy(problem->F, work));
  PetscCall(VecAXPY(work, -1.0, reference->F));
  PetscCall(VecNorm(work, NORM_INFINITY, &norm));
  PetscCall(VecDestroy(&work));
  difference[1] = scale > 0 ? norm / scale : norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Least bytes of one [A F] that a GPU must move: the entries of A and F written, the coordinates of the nodes read */
static inline PetscErrorCode TimingBytes(TimingProblem *problem, PetscLogDouble *bytes)
{
  MatInfo  info;
  PetscInt rows, cdim, vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(problem->J, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetSize(problem->J, &rows, NULL));
  PetscCall(DMGetCoordinateDim(problem->dm, &cdim));
  PetscCall(DMPlexGetDepthStratum(problem->dm, 0, &vStart, &vEnd));
  *bytes = 8.0 * ((PetscLogDouble)info.nz_used + (PetscLogDouble)rows +
                  (PetscLogDouble)cdim * (PetscLogDouble)(vEnd - vStart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
