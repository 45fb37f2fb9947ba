/*
  The solver of Stokes's equations: of the trace t and the pressure's constant m in each element

    [K B^T; B 0] [t; m] = [f; g]

  which is symmetric and indefinite, with K symmetric and positive definite. Preconditioners have K's two levels
  (precondition.c), P, and for its Schur complement B K^-1 B^T the matrix of (phi_0, phi_0)/mu, a diagonal one, W. They are
  spectrally equivalent with constants that do not depend on the mesh, as the faces' normal velocities control
  piecewise constant pressures (inf-sup condition). MINRES and its like get the positive definite block diagonal

    t = P f,  m = W^-1 g

  and others a block triangle: m = -W^-1 g, t = P (f - B^T m). MINRES is the default: it has no restarts, and in the norm
  of its preconditioner residuals of t and m have the same units whatever the viscosity is. GMRES takes half as many
  iterations where they are few, and stagnates after restarts where they are not.
*/
#include "navier.h"

PetscErrorCode PlexHDGStokesGetVelocityKSP_Private(PlexHDG hdg, KSP *ksp)
{
  PlexHDGStokes s = hdg->stokes;
  const char   *prefix;
  PC            pc;

  PetscFunctionBegin;
  if (!s->velocity) {
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)hdg), &s->velocity));
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
    PetscCall(KSPSetOptionsPrefix(s->velocity, prefix));
    PetscCall(KSPAppendOptionsPrefix(s->velocity, "plex_hdg_velocity_"));
    PetscCall(KSPSetType(s->velocity, KSPPREONLY));
    PetscCall(KSPGetPC(s->velocity, &pc));
    PetscCall(PCSetType(pc, PCMG));
    PetscCall(PCMGSetLevels(pc, 2, NULL));
    if (hdg->navier) PetscCall(PlexHDGNavierSetDefaults_Private(hdg, s->velocity));
    PetscCall(KSPSetFromOptions(s->velocity));
  }
  *ksp = s->velocity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGStokesApply(PC pc, Vec x, Vec y)
{
  PlexHDG       hdg;
  PlexHDGStokes s;
  Vec           f, g, t, m;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &hdg));
  s = hdg->stokes;
  PetscCall(VecNestGetSubVec(x, 0, &f));
  PetscCall(VecNestGetSubVec(x, 1, &g));
  PetscCall(VecNestGetSubVec(y, 0, &t));
  PetscCall(VecNestGetSubVec(y, 1, &m));
  if (hdg->navier) PetscCall(PlexHDGNavierSchur_Private(hdg, g, m));
  else PetscCall(VecPointwiseMult(m, s->scale, g));
  if (!s->diagonal) {
    PetscCall(VecScale(m, -1.));
    PetscCall(MatMult(s->Bt, m, s->work));
    PetscCall(VecAYPX(s->work, -1., f));
    f = s->work;
  }
  PetscCall(KSPSolve(s->velocity, f, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Motions that nothing holds, without pressure, and a constant pressure without motion; orthonormal */
static PetscErrorCode PlexHDGStokesSetNullSpace(PlexHDG hdg)
{
  PlexHDGStokes s    = hdg->stokes;
  MPI_Comm      comm = PetscObjectComm((PetscObject)hdg);
  PetscInt      n    = 0;
  const Vec    *motions;
  Vec           v[PLEX_HDG_MAX_MODES + 1], parts[2];
  MatNullSpace  space;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(hdg->A, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, &n, &motions));
  for (PetscInt k = 0; k < n + s->closed; ++k) {
    PetscCall(VecDuplicate(s->work, &parts[0]));
    PetscCall(VecDuplicate(s->mean, &parts[1]));
    PetscCall(VecSet(parts[0], 0.));
    PetscCall(VecSet(parts[1], k < n ? 0. : 1.));
    if (k < n) PetscCall(VecCopy(motions[k], parts[0]));
    else PetscCall(VecNormalize(parts[1], NULL));
    PetscCall(VecCreateNest(comm, 2, NULL, parts, &v[k]));
    PetscCall(VecDestroy(&parts[0]));
    PetscCall(VecDestroy(&parts[1]));
  }
  n += s->closed;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNullSpaceCreate(comm, PETSC_FALSE, n, v, &space));
  PetscCall(MatSetNullSpace(s->nest, space));
  if (hdg->navier) PetscCall(MatSetTransposeNullSpace(s->nest, space)); /* what rounding leaves of a right-hand side */
  PetscCall(MatNullSpaceDestroy(&space));
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecDestroy(&v[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two blocks, of which K may be another object than before */
static PetscErrorCode PlexHDGStokesSetMatrix(PlexHDG hdg, Mat K)
{
  PlexHDGStokes s = hdg->stokes;
  Mat           blocks[4], present = NULL;

  PetscFunctionBegin;
  if (!s->Bt) PetscCall(MatTranspose(s->B, MAT_INITIAL_MATRIX, &s->Bt));
  if (s->nest) PetscCall(MatNestGetSubMat(s->nest, 0, 0, &present));
  if (present == K) {
    PetscCall(PetscObjectStateIncrease((PetscObject)s->nest));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatDestroy(&s->nest));
  blocks[0] = K;
  blocks[1] = s->Bt;
  blocks[2] = s->B;
  blocks[3] = NULL;
  PetscCall(MatCreateNest(PetscObjectComm((PetscObject)hdg), 2, NULL, 2, NULL, blocks, &s->nest));
  PetscCall(MatNestSetVecType(s->nest, VECNEST));
  if (!hdg->navier) PetscCall(MatSetOption(s->nest, MAT_SYMMETRIC, PETSC_TRUE));
  if (!s->work) PetscCall(MatCreateVecs(s->B, &s->work, NULL));
  PetscCall(PlexHDGStokesSetNullSpace(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesSolve_Private(PlexHDG hdg, KSP ksp, Vec f, Vec g, Vec trace, Vec mean)
{
  PlexHDGStokes s = hdg->stokes;
  Mat           K = hdg->operator ? hdg->operator : hdg->A;
  Vec           right[2], left[2], b, x;
  PCType        type;
  PetscBool     shell, none;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscStrcmp(type, PCSHELL, &shell));
  PetscCall(PetscStrcmp(type, PCNONE, &none));
  PetscCheck(shell || none, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "-plex_hdg_pc_type %s: of Stokes's and Navier-Stokes equations the preconditioner is one of two blocks. "
             "For the velocity's "
             "take -plex_hdg_velocity_pc_type %s",
             type, type);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &s->diagonal, KSPMINRES, KSPSYMMLQ, ""));
  if (hdg->navier) PetscCall(PlexHDGNavierPrepare_Private(hdg, &K, &f, g));
  PetscCall(PlexHDGStokesSetMatrix(hdg, K));
  PetscCall(KSPSetOperators(ksp, s->nest, s->nest));
  if (shell) {
    PetscCall(PCShellSetContext(pc, hdg));
    PetscCall(PCShellSetApply(pc, PlexHDGStokesApply));
    PetscCall(PCShellSetName(pc, s->diagonal   ? "two levels of K, and mu over volumes"
                                 : hdg->navier ? "of K and of its Schur complement, as a block triangle"
                                               : "two levels of K, and mu over volumes, as a block triangle"));
  }
  right[0] = f;
  right[1] = g;
  left[0]  = trace;
  left[1]  = mean;
  PetscCall(VecCreateNest(PetscObjectComm((PetscObject)hdg), 2, NULL, right, &b));
  PetscCall(VecCreateNest(PetscObjectComm((PetscObject)hdg), 2, NULL, left, &x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
