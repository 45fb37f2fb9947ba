/*
  The solver of a step of Navier-Stokes equations: of the changes of the trace and of the pressure's constants

    [K B^T; B 0] [t; m] = [f; g]

  which is not symmetric. FGMRES has a block triangle for it, m = -S^-1 g, t = P (f - B^T m), with preconditioners P of K
  and S^-1 of the Schur complement B K^-1 B^T. There are two kinds:

  - P direct, up to some size. K is then replaced by K + gamma B^T W B, with as much more of f, gamma B^T W g, which has the
    same solution (augmented Lagrangian; M. Benzi and M. A. Olshanskii, SIAM J. Sci. Comput. 28 (2006), 2095-2113), and the
    pattern of K, as B couples the faces of one element. Where gamma is large its Schur complement's inverse is nearly gamma
    W, whatever the Reynolds number and the time step are. W is mu over the elements' volumes.
  - else K's two levels (precondition.c), with steps of incomplete factors as for convection. In steady flows of Reynolds
    numbers up to 150 S^-1 is W; in others, and in steps of time, the least-squares commutator S^-1 = L^-1 (B D^-1 K D^-1 B^T) L^-1, L = B D^-1 B^T, D the diagonal of K (H. Elman, V. E. Howle, J. Shadid,
    R. Shuttleworth and R. Tuminaro, SIAM J. Sci. Comput. 27 (2006), 1651-1668). L is a Laplacian of the elements' pressures.
*/
#include "navier.h"
#include <plexgpu/private/util.h>

/* Steady flows of larger Reynolds numbers have the least-squares commutator, and more exact solvers of K, which take
   less time in all */
#define PLEX_HDG_NAVIER_STEADY 150.
#define PLEX_HDG_NAVIER_COARSE 1e-2
#define PLEX_HDG_NAVIER_FEW    50
#define PLEX_HDG_NAVIER_FINE   1e-3
#define PLEX_HDG_NAVIER_MANY   200

/* By how much the penalty is larger than K */
#define PLEX_HDG_NAVIER_PENALTY 1e3

PetscErrorCode PlexHDGNavierSetDefaults_Private(PlexHDG hdg, KSP velocity)
{
  const PetscInt64 rows = (PetscInt64)hdg->mesh->nownGlobal * PlexHDGBlockSize(hdg);
  PC               pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(velocity, &pc));
  if (rows <= (hdg->mesh->dim == 2 ? 100000 : 20000))
    PetscCall(PlexHDGSetDirect_Private(PetscObjectComm((PetscObject)hdg), pc));
  PetscCall(KSPSetFromOptions(velocity));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &hdg->navier->direct, PCLU, PCREDUNDANT, PCCHOLESKY, ""));
  if (hdg->navier->direct) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(velocity, KSPGMRES));
  PetscCall(KSPSetTolerances(velocity, PLEX_HDG_NAVIER_COARSE, PETSC_CURRENT, PETSC_CURRENT, PLEX_HDG_NAVIER_FEW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B^T W B, once, and K with it */
static PetscErrorCode PlexHDGNavierAugment(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;
  PetscBool     mine[PLEX_HOST_PRODUCTS];
  PetscReal     largest[2];
  Vec           root;
  Mat           scaled;

  PetscFunctionBegin;
  if (!s->traces[0]) {
    PetscCall(VecDuplicate(hdg->trace, &s->traces[0]));
    PetscCall(VecDuplicate(hdg->trace, &s->traces[1]));
  }
  PetscCall(MatDestroy(&s->penalty)); /* mu may be another one */
  PetscCall(VecDuplicate(hdg->stokes->scale, &root));
  PetscCall(VecCopy(hdg->stokes->scale, root));
  PetscCall(VecSqrtAbs(root));
  PetscCall(MatDuplicate(hdg->stokes->B, MAT_COPY_VALUES, &scaled));
  PetscCall(MatDiagonalScale(scaled, root, NULL));
  PetscCall(PlexHostProductsBegin(mine));
  PetscCall(MatTransposeMatMult(scaled, scaled, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->penalty));
  PetscCall(PlexHostProductsEnd(mine));
  PetscCall(MatDestroy(&scaled));
  PetscCall(VecDestroy(&root));
  PetscCall(MatGetDiagonal(hdg->A, s->traces[0]));
  PetscCall(MatGetDiagonal(s->penalty, s->traces[1]));
  PetscCall(VecNorm(s->traces[0], NORM_INFINITY, &largest[0]));
  PetscCall(VecNorm(s->traces[1], NORM_INFINITY, &largest[1]));
  s->gamma = PLEX_HDG_NAVIER_PENALTY * largest[0] / largest[1];
  if (!s->K) PetscCall(MatDuplicate(hdg->A, MAT_COPY_VALUES, &s->K));
  else PetscCall(MatCopy(hdg->A, s->K, SAME_NONZERO_PATTERN));
  PetscCall(MatAXPY(s->K, s->gamma, s->penalty, SUBSET_NONZERO_PATTERN));
  PetscCall(PlexHDGFetchMatrix_Private(hdg, s->K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L and its solver */
static PetscErrorCode PlexHDGNavierSetPressure(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;
  PetscBool     mine[PLEX_HOST_PRODUCTS];
  MatNullSpace  space;
  const char   *prefix;
  Mat           scaled;
  PC            pc;

  PetscFunctionBegin;
  if (!s->diagonal) {
    PetscCall(VecDuplicate(hdg->trace, &s->diagonal));
    PetscCall(VecDuplicate(hdg->trace, &s->traces[0]));
    PetscCall(VecDuplicate(hdg->trace, &s->traces[1]));
  }
  if (!hdg->stokes->Bt) PetscCall(MatTranspose(hdg->stokes->B, MAT_INITIAL_MATRIX, &hdg->stokes->Bt));
  PetscCall(MatGetDiagonal(hdg->A, s->diagonal));
  PetscCall(VecReciprocal(s->diagonal));
  PetscCall(MatDuplicate(hdg->stokes->Bt, MAT_COPY_VALUES, &scaled));
  PetscCall(MatDiagonalScale(scaled, s->diagonal, NULL));
  PetscCall(PlexHostProductsBegin(mine));
  if (s->pressure) PetscCall(MatMatMult(hdg->stokes->B, scaled, MAT_REUSE_MATRIX, PETSC_DETERMINE, &s->pressure));
  else {
    PetscCall(MatMatMult(hdg->stokes->B, scaled, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->pressure));
    PetscCall(MatSetOption(s->pressure, MAT_SPD, PETSC_TRUE));
    if (hdg->stokes->closed) {
      PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_TRUE, 0, NULL, &space));
      PetscCall(MatSetNullSpace(s->pressure, space));
      PetscCall(MatNullSpaceDestroy(&space));
    }
  }
  PetscCall(MatDestroy(&scaled));
  if (!s->pressureKSP) {
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)hdg), &s->pressureKSP));
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
    PetscCall(KSPSetOptionsPrefix(s->pressureKSP, prefix));
    PetscCall(KSPAppendOptionsPrefix(s->pressureKSP, "plex_hdg_pressure_"));
    PetscCall(KSPSetType(s->pressureKSP, KSPCG));
    PetscCall(KSPSetTolerances(s->pressureKSP, 1e-3, PETSC_CURRENT, PETSC_CURRENT, 100));
    PetscCall(KSPGetPC(s->pressureKSP, &pc));
    if (hdg->mesh->NeGlobal > 1000) PetscCall(PCSetType(pc, PCGAMG));
    else PetscCall(PlexHDGSetDirect_Private(PetscObjectComm((PetscObject)hdg), pc));
    PetscCall(KSPSetFromOptions(s->pressureKSP));
  }
  PetscCall(PlexHDGFetchMatrix_Private(hdg, s->pressure));
  PetscCall(KSPSetOperators(s->pressureKSP, s->pressure, s->pressure));
  PetscCall(KSPSetUp(s->pressureKSP));
  PetscCall(PlexHostProductsEnd(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether S^-1 is the commutator: of the state that K is linearized about, by the largest mean velocity of a face. Collective */
static PetscErrorCode PlexHDGNavierSetCommutes(PlexHDG hdg, KSP velocity)
{
  PlexHDGNavier    s        = hdg->navier;
  PlexHDGReference R        = hdg->reference;
  PetscReal        speed[2] = {0., 0.}, rtol; /* over viscosity, of all processes and of this one */
  PetscReal       *material, *trace;
  PetscInt         most;
  const PetscBool  before = s->commutes;
  const size_t     Ne = s->args.linearized ? hdg->mesh->Ne : 0, n = Ne * PlexHDGTraceSize(hdg);

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * Ne, &material, n, &trace));
  if (Ne) {
    PetscCall(PlexBackendCopyOut(hdg->backend, material, hdg->elastic->args.material, sizeof(double) * 2 * Ne));
    PetscCall(PlexBackendCopyOut(hdg->backend, trace, s->args.trace, sizeof(double) * n));
  }
  for (size_t e = 0; e < Ne; ++e)
    for (PetscInt k = 0; k < R->faces * R->dim; ++k)
      speed[1] = PetscMax(speed[1],
                          PetscAbsReal(trace[(e * R->faces * R->dim + k) * R->Nf] * R->psi[0]) / material[2 * e + 1]);
  PetscCall(PetscFree2(material, trace));
  PetscCallMPI(MPIU_Allreduce(&speed[1], &speed[0], 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  speed[0] *= hdg->density * PetscPowReal(hdg->stokes->allVolume, 1. / R->dim);
  s->commutes = (PetscBool)(hdg->args.shift != 0. || speed[0] > PLEX_HDG_NAVIER_STEADY);
  PetscCall(KSPGetTolerances(velocity, &rtol, NULL, NULL, &most));
  if (s->commutes && hdg->args.shift == 0. && rtol == PLEX_HDG_NAVIER_COARSE && most == PLEX_HDG_NAVIER_FEW)
    PetscCall(KSPSetTolerances(velocity, PLEX_HDG_NAVIER_FINE, PETSC_CURRENT, PETSC_CURRENT, PLEX_HDG_NAVIER_MANY));
  if ((!s->commutes || hdg->args.shift != 0.) && rtol == PLEX_HDG_NAVIER_FINE && most == PLEX_HDG_NAVIER_MANY)
    PetscCall(KSPSetTolerances(velocity, PLEX_HDG_NAVIER_COARSE, PETSC_CURRENT, PETSC_CURRENT, PLEX_HDG_NAVIER_FEW));
  if (before != s->commutes)
    PetscCall(PetscInfo(hdg, "Schur complement by %s\n", s->commutes ? "a commutator" : "mu over volumes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierSetOperators_Private(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;
  KSP           velocity;

  PetscFunctionBegin;
  PetscCall(PlexHDGStokesGetVelocityKSP_Private(hdg, &velocity));
  s->gamma = 0.;
  if (s->direct) {
    PetscCall(PlexHDGNavierAugment(hdg));
    PetscCall(KSPSetOperators(velocity, s->K, s->K));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGNavierSetCommutes(hdg, velocity));
  if (s->commutes) PetscCall(PlexHDGNavierSetPressure(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierPrepare_Private(PlexHDG hdg, Mat *K, Vec *f, Vec g)
{
  PlexHDGNavier s = hdg->navier;
  Vec           weighted;

  PetscFunctionBegin;
  if (!s->direct) PetscFunctionReturn(PETSC_SUCCESS);
  *K = s->K;
  PetscCall(VecDuplicate(g, &weighted));
  PetscCall(VecPointwiseMult(weighted, hdg->stokes->scale, g));
  PetscCall(MatMultTranspose(hdg->stokes->B, weighted, s->traces[0]));
  PetscCall(VecAYPX(s->traces[0], s->gamma, *f));
  PetscCall(VecDestroy(&weighted));
  *f = s->traces[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m = S^-1 g */
PetscErrorCode PlexHDGNavierSchur_Private(PlexHDG hdg, Vec g, Vec m)
{
  PlexHDGNavier s = hdg->navier;

  PetscFunctionBegin;
  if (s->direct || !s->commutes) {
    PetscCall(VecPointwiseMult(m, hdg->stokes->scale, g));
    PetscCall(VecScale(m, 1. + s->gamma));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSolve(s->pressureKSP, g, m));
  PetscCall(MatMult(hdg->stokes->Bt, m, s->traces[0]));
  PetscCall(VecPointwiseMult(s->traces[0], s->diagonal, s->traces[0]));
  PetscCall(MatMult(hdg->A, s->traces[0], s->traces[1]));
  PetscCall(VecPointwiseMult(s->traces[1], s->diagonal, s->traces[1]));
  PetscCall(MatMult(hdg->stokes->B, s->traces[1], m));
  PetscCall(VecCopy(m, hdg->stokes->rhs)); /* workspace until the next residual */
  PetscCall(KSPSolve(s->pressureKSP, hdg->stokes->rhs, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
