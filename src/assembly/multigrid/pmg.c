/*
  PCPLEXPMG: multigrid of degrees on one mesh, a PCMG whose levels are made here.

  Level l has the Lagrange space of degree p_l, p_0 = 1 < ... < p_(n-1) = P. Its operator is the Jacobian of the same form
  at the same state, which goes down by values at nodes: x_(l-1) = R x_l. The operators are of type MATPLEXGPU, but that
  of degree 1, which is assembled. Coarse corrections go up by P (transfer.c), residuals down by P^T.

  What a new state changes are the states of the levels, their diagonals and the assembled matrix; DMs, transfers,
  patterns, plans and kernels stay.

  Source: Ronquist and Patera (1987), J. Sci. Comput. 2, 389-406; Jacobi within Chebyshev's iteration as smoother: Adams,
  Brezina, Hu and Tuminaro (2003), J. Comput. Phys. 188, 593-610; its polynomials: smoothers.c.
*/
#include "multigrid.h"
#include "../interface/assemblyimpl.h"
#include <plexgpu/private/util.h>
#include <petsc/private/dmimpl.h> /* mattype */
#include <petsc/private/pcmgimpl.h>

#define PLEX_PMG_LEVELS 16 /* most */
#define PLEX_PMG_STEPS  4  /* of a smoother */
#define PLEX_PMG_CYCLES 2  /* of GAMG for degree 1: one alone takes more iterations with each refinement */

typedef struct {
  PetscInt     degree;
  DM           dm; /* of the finest one its own; owned */
  PlexAssembly asm_;
  Mat          A;            /* NULL: the level has the matrix of the preconditioner */
  Vec          locX, locX_t; /* the state; of the finest one not owned */
  PlexTransfer down;         /* values of the next finer level at the nodes of this one; NULL: this is the finest */
  Mat          up;           /* from the next coarser level */
} PlexPMGLevel;

typedef struct {
  PetscInt      n;       /* 0: not set up */
  PetscBool     looked;  /* for null spaces, */
  PetscObjectId null[2]; /* of which the matrix had these, the near one behind the other; 0: none */
  PlexPMGLevel  level[PLEX_PMG_LEVELS];
  PlexAssembly  asm_;                               /* for which it is set up; referenced */
  PetscInt64    form;                               /* and for this state of its DM's form */
  PetscObjectId finest;                             /* the matrix of the preconditioner at the last set-up */
  PetscInt      ndegrees, degrees[PLEX_PMG_LEVELS]; /* as asked for; 0: they are halved */
  PetscBool     rigid, linear, geometric;
  PetscBool     renew; /* options have changed since the levels were made */
  struct _PCOps mg;    /* PCMG's operations */
} PlexPMG;

static PlexPMG *PlexPMGOf(PC pc)
{
  return (PlexPMG *)((PC_MG *)pc->data)->innerctx;
}

/* ---- The state */

/* That of P or J, where one is of type MATPLEXGPU; or that at which P was assembled; or none, where it is of no matter */
static PetscErrorCode PlexPMGGetKept(PC pc, PlexAssembly *asm_, const PlexKept **found)
{
  const Mat mats[2] = {pc->pmat, pc->mat};
  Mat       kept;
  PetscBool plex = PETSC_FALSE;

  PetscFunctionBegin;
  *asm_  = NULL;
  *found = NULL;
  for (PetscInt k = 0; k < 2 && !*asm_; ++k) PetscCall(MatPlexGPUGetKept_Private(mats[k], asm_, found));
  if (*asm_) { /* before anything is made of it */
    PlexRequest r = {.asm_ = *asm_};

    PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
    PetscCall(PlexKeptCheckForm_Private(*asm_, *found));
  }
  if (!*asm_) {
    PetscCall(PetscObjectQuery((PetscObject)pc->pmat, PLEX_KEEP_MOMENT, (PetscObject *)&kept));
    if (kept) PetscCall(MatPlexGPUGetKept_Private(kept, asm_, found));
  }
  if (*asm_) PetscFunctionReturn(PETSC_SUCCESS);
  *found = NULL;
  if (pc->dm) PetscCall(PetscObjectTypeCompare((PetscObject)pc->dm, DMPLEX, &plex));
  PetscCheck(plex, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_type plexpmg needs the DM of its matrix: SNESSetDM(), KSPSetDM() or PCSetDM() with a DM of type "
             "plex");
  PetscCheck(PlexPMGOf(pc)->linear, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_type plexpmg does not know the state at which the matrix was assembled. Use -dm_mat_type plexgpu or "
             "-plex_assembly_apply, or set the type before the Jacobian is computed, with the DM; or, where the "
             "Jacobian "
             "depends on neither state nor time, -pc_plexpmg_linear");
  PetscCall(PlexAssemblyGetFromDM(pc->dm, asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Asks for the states of matrices that will be assembled on the DM */
static PetscErrorCode PlexPMGAsk(PC pc)
{
  PetscBool plex = PETSC_FALSE;

  PetscFunctionBegin;
  if (pc->dm) PetscCall(PetscObjectTypeCompare((PetscObject)pc->dm, DMPLEX, &plex));
  if (!plex || PlexPMGOf(pc)->linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectComposeFunction((PetscObject)pc->dm, PLEX_KEEP_MOMENT, MatPlexGPUKeepMoment_Private));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Levels */

/* p_(n-1) = P, P/2, ..., 1, or the degrees that were asked for */
static PetscErrorCode PlexPMGSetDegrees(PC pc, PetscInt P)
{
  PlexPMG *p    = PlexPMGOf(pc);
  MPI_Comm comm = PetscObjectComm((PetscObject)pc);
  PetscInt n    = 0, degrees[PLEX_PMG_LEVELS];

  PetscFunctionBegin;
  if (p->ndegrees) {
    PetscCheck(p->degrees[0] == P, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_plexpmg_degrees begins with %" PetscInt_FMT " and the field has degree %" PetscInt_FMT,
               p->degrees[0], P);
    for (; n < p->ndegrees; ++n) degrees[n] = p->degrees[n];
  } else
    for (PetscInt k = P; k >= 1; k /= 2) degrees[n++] = k;
  for (PetscInt k = 1; k < n; ++k)
    PetscCheck(degrees[k] >= 1 && degrees[k] < degrees[k - 1], comm, PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_plexpmg_degrees have to fall, to 1 at the lowest: %" PetscInt_FMT " comes after %" PetscInt_FMT,
               degrees[k], degrees[k - 1]);
  for (PetscInt k = 0; k < n; ++k) p->level[n - 1 - k].degree = degrees[k];
  p->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of the Jacobian's symmetry: a program may take it back between two set-ups */
static PetscErrorCode PlexPMGCopySymmetry(PlexAssembly from, PlexAssembly to)
{
  PetscFunctionBegin;
  if (from->symmetric == to->symmetric) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblySetSymmetric(to, (PetscBool)(from->symmetric == PETSC_BOOL3_TRUE)));
  to->symmetric = from->symmetric; /* which may be unknown */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Settings of the program's assembly that levels have, too */
static PetscErrorCode PlexPMGCopySettings(PlexAssembly from, PlexAssembly to)
{
  PetscFunctionBegin;
  if (from->backendType) PetscCall(PlexAssemblySetBackend(to, from->backendType));
  if (from->source) PetscCall(PlexAssemblySetPointwiseSource(to, from->source));
  PetscCall(PlexAssemblySetPrecision(to, from->precision));
  PetscCall(PlexAssemblySetDeterministic(to, from->deterministic));
  PetscCall(PlexPMGCopySymmetry(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix to be assembled: of the DM's type where that is one of AIJ, else of the one that goes with its vectors */
static PetscErrorCode PlexPMGGetCoarseType(DM fine, MatType *type)
{
  PetscBool aij, cuda, hip;

  PetscFunctionBegin;
  PetscCall(PetscStrbeginswith(fine->mattype, MATAIJ, &aij));
  PetscCall(PetscStrendswith(fine->vectype, "cuda", &cuda));
  PetscCall(PetscStrendswith(fine->vectype, "hip", &hip));
  *type = aij ? fine->mattype : cuda ? MATAIJCUSPARSE : hip ? MATAIJHIPSPARSE : MATAIJ;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPMGCreateMatrix(PC pc, PetscInt l)
{
  PlexPMGLevel *level = &PlexPMGOf(pc)->level[l];
  DM            dm    = PlexPMGOf(pc)->asm_->dm;
  PetscBool     set, flg;
  MatType       type = MATPLEXGPU;
  char         *kept;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(level->dm->mattype, &kept)); /* level 0 may be the program's own DM */
  if (!l) PetscCall(PlexPMGGetCoarseType(dm, &type));
  PetscCall(DMSetMatType(level->dm, type));
  PetscCall(PlexAssemblyCreateMatrix(level->asm_, &level->A));
  PetscCall(DMSetMatType(level->dm, kept));
  PetscCall(PetscFree(kept));
  if (!l) PetscCall(PlexGalerkinSet(level->A));
  PetscCall(MatIsSymmetricKnown(pc->pmat, &set, &flg));
  if (set && flg) PetscCall(MatSetOption(level->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatIsSPDKnown(pc->pmat, &set, &flg));
  if (set && flg) PetscCall(MatSetOption(level->A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level l below the next finer one */
static PetscErrorCode PlexPMGCreateLevel(PC pc, PetscInt l)
{
  PlexPMG      *p     = PlexPMGOf(pc);
  PlexPMGLevel *level = &p->level[l], *finer = &p->level[l + 1];
  PlexTransfer  up;
  PlexBackend   backend;

  PetscFunctionBegin;
  PetscCall(PlexLevelCreateDM(p->asm_->dm, level->degree, &level->dm));
  PetscCall(PlexLevelUpdateDM(p->asm_->dm, level->dm));
  PetscCall(PlexAssemblyGetFromDM(level->dm, &level->asm_));
  PetscCall(PlexPMGCopySettings(p->asm_, level->asm_));
  PetscCall(PlexAssemblyGetBackend(p->asm_, &backend));
  PetscCall(PlexTransferCreate(finer->dm, level->dm, backend, &level->down));
  PetscCall(PlexTransferCreate(level->dm, finer->dm, backend, &up));
  PetscCall(PlexTransferCreateMatrix(up, level->dm, finer->dm, &finer->up));
  PetscCall(DMCreateLocalVector(level->dm, &level->locX));
  PetscCall(PlexPMGCreateMatrix(pc, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPMGResetLevels(PC pc)
{
  PlexPMG *p = PlexPMGOf(pc);

  PetscFunctionBegin;
  for (PetscInt l = 0; l < p->n; ++l) {
    PlexPMGLevel *level = &p->level[l];

    PetscCall(MatDestroy(&level->A));
    PetscCall(MatDestroy(&level->up));
    PetscCall(PlexTransferDestroy(&level->down));
    if (l < p->n - 1) PetscCall(VecDestroy(&level->locX));
    if (l < p->n - 1) PetscCall(VecDestroy(&level->locX_t));
    PetscCall(DMDestroy(&level->dm));
    level->asm_ = NULL;
  }
  PetscCall(PlexAssemblyDestroy(&p->asm_));
  p->n      = 0;
  p->looked = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Null spaces of the matrix of degree 1 */

/* A global vector of the finest level, by its values at the nodes of level 0 */
static PetscErrorCode PlexPMGRestrictVec(PC pc, Vec fine, Vec coarse)
{
  PlexPMG           *p = PlexPMGOf(pc);
  Vec                from, to;
  PetscInt           Nl;
  int               *places;
  const PetscScalar *x;
  PetscScalar       *y;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(p->level[p->n - 1].dm, &from));
  PetscCall(VecSet(from, 0.0));
  PetscCall(DMGlobalToLocal(p->level[p->n - 1].dm, fine, INSERT_VALUES, from));
  for (PetscInt l = p->n - 2; l >= 0; --l) {
    PetscCall(DMGetLocalVector(p->level[l].dm, &to));
    PetscCall(PlexTransferValues(p->level[l].down, from, to));
    PetscCall(DMRestoreLocalVector(p->level[l + 1].dm, &from));
    from = to;
  }
  PetscCall(PlexLevelGetPlaces(p->level[0].dm, &Nl, &places));
  PetscCall(VecGetArrayRead(from, &x));
  PetscCall(VecGetArrayWrite(coarse, &y));
  for (PetscInt k = 0; k < Nl; ++k)
    if (places[k] >= 0) y[places[k]] = x[k];
  PetscCall(VecRestoreArrayWrite(coarse, &y));
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscCall(DMRestoreLocalVector(p->level[0].dm, &from));
  PetscCall(PetscFree(places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same space of level 0, with orthonormal vectors */
static PetscErrorCode PlexPMGRestrictNullSpace(PC pc, MatNullSpace fine, MatNullSpace *coarse)
{
  PlexPMG   *p = PlexPMGOf(pc);
  PetscBool  constant;
  PetscInt   n, kept = 0;
  const Vec *vecs;
  Vec       *own;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(fine, &constant, &n, &vecs));
  PetscCall(PetscMalloc1(n, &own));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal norm, before;

    PetscCall(MatCreateVecs(p->level[0].A, &own[kept], NULL));
    PetscCall(PlexPMGRestrictVec(pc, vecs[k], own[kept]));
    PetscCall(VecNorm(own[kept], NORM_2, &before));
    for (PetscInt j = 0; j < kept; ++j) {
      PetscScalar dot;

      PetscCall(VecDot(own[kept], own[j], &dot));
      PetscCall(VecAXPY(own[kept], -dot, own[j]));
    }
    PetscCall(VecNormalize(own[kept], &norm));
    if (norm > 1e-8 * before) ++kept;
    else PetscCall(VecDestroy(&own[kept]));
  }
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)pc), constant, kept, own, coarse));
  for (PetscInt k = 0; k < kept; ++k) PetscCall(VecDestroy(&own[k]));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The near-null space of functions that the DM has, or of rigid motions where asked for; NULL: none */
static PetscErrorCode PlexPMGMakeNearNullSpace(PC pc, MatNullSpace *coarse)
{
  PlexPMG *p  = PlexPMGOf(pc);
  DM       dm = p->asm_->dm, level = p->level[0].dm;
  PetscInt dim, Nc;
  PetscFE  fe;

  PetscErrorCode (*near)(DM, PetscInt, PetscInt, MatNullSpace *) = NULL;

  PetscFunctionBegin;
  *coarse = NULL;
  if (dm->nearnullspaceConstructors) PetscCall(DMGetNearNullSpaceConstructor(dm, 0, &near));
  if (near) PetscCall((*near)(level, 0, 0, coarse));
  if (near || !p->rigid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinateDim(level, &dim));
  PetscCall(DMGetField(level, 0, NULL, (PetscObject *)&fe));
  PetscCall(PetscFEGetNumComponents(fe, &Nc));
  PetscCheck(Nc == dim, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_INCOMP,
             "-pc_plexpmg_rigid_body, of a field of %" PetscInt_FMT " components in %" PetscInt_FMT " dimensions", Nc,
             dim);
  PetscCall(DMPlexCreateRigidBody(level, 0, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that the matrices have, as they change between set-ups; before that those of the DM stay */
static PetscErrorCode PlexPMGSetNullSpaces(PC pc)
{
  PlexPMG     *p = PlexPMGOf(pc);
  Mat          A = p->level[0].A;
  MatNullSpace fine[2], has[2], coarse;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(pc->pmat, &fine[0]));
  PetscCall(MatGetNearNullSpace(pc->pmat, &fine[1]));
  if (!fine[0]) PetscCall(MatGetNullSpace(pc->mat, &fine[0]));
  if (!fine[1]) PetscCall(MatGetNearNullSpace(pc->mat, &fine[1]));
  PetscCall(MatGetNullSpace(A, &has[0]));
  PetscCall(MatGetNearNullSpace(A, &has[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscObjectId id   = 0;
    PetscBool     take = PETSC_FALSE;

    if (fine[k]) PetscCall(PetscObjectGetId((PetscObject)fine[k], &id));
    if (p->looked) take = (PetscBool)(id != p->null[k]);
    else take = (PetscBool)!has[k];
    p->null[k] = id;
    if (!take) continue;
    coarse = NULL;
    if (fine[k]) PetscCall(PlexPMGRestrictNullSpace(pc, fine[k], &coarse));
    else if (k) PetscCall(PlexPMGMakeNearNullSpace(pc, &coarse));
    PetscCall(k ? MatSetNearNullSpace(A, coarse) : MatSetNullSpace(A, coarse));
    PetscCall(MatNullSpaceDestroy(&coarse));
  }
  p->looked = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The levels as those of PCMG */

/*
  Degree 1: coarser meshes where asked for, else cycles of GAMG, or one application of what the options name. Two cycles,
  with coarsening that is not aggressive, keep the iterations nearly those of a direct solver.
*/
static PetscErrorCode PlexPMGSetCoarseSolver(PC pc, KSP ksp)
{
  const char *prefix;
  PetscBool   chosen, gamg;
  MatType     type;
  PlexPMG    *p = PlexPMGOf(pc);
  PC          own;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &own));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  if (p->geometric) {
    PetscCall(PlexPMGGetCoarseType(p->asm_->dm, &type));
    PetscCall(PlexGeometricSetLevels(p->asm_->dm, p->level[0].dm, type, PLEX_PMG_STEPS, PLEX_PMG_CYCLES, own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCSetType(own, PCGAMG));
  if (p->n == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGAMGSetAggressiveLevels(own, 0));
  if (pc->setfromoptionscalled) PetscCall(KSPSetFromOptions(ksp)); /* as PCMG does later */
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, prefix, "-ksp_type", &chosen));
  PetscCall(PetscObjectTypeCompare((PetscObject)own, PCGAMG, &gamg));
  if (chosen || !gamg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(ksp, KSPRICHARDSON));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, PLEX_PMG_CYCLES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Smoothers: Chebyshev, which PCMG has, with the diagonal. Blocks of a node's components take as many iterations and a
   longer set-up, and PETSc applies them on the host where the matrix is of type plexgpu (docs/notes/2026-pmg.md) */
static PetscErrorCode PlexPMGSetSolver(PC pc, PetscInt l)
{
  PlexPMG *p = PlexPMGOf(pc);
  KSP      ksp, up = ((PC_MG *)pc->data)->levels[l]->smoothu; /* another one with -pc_mg_distinct_smoothup */
  PC       own;
  Mat      A = p->level[l].A ? p->level[l].A : pc->pmat;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(pc, l, &ksp));
  PetscCall(KSPGetPC(ksp, &own));
  if (p->level[l].A) PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetDM(ksp, p->level[l].dm)); /* for the solvers below; the matrix is not made of it */
  PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
  if (l == 0) {
    PetscCall(PlexPMGSetCoarseSolver(pc, ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCMGSetInterpolation(pc, l, p->level[l].up));
  PetscCall(PCSetType(own, PCJACOBI));
  if (up != ksp) PetscCall(KSPGetPC(up, &own));
  if (up != ksp) PetscCall(PCSetType(own, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCMG's options */
static PetscErrorCode PlexPMGReadOptions(PC pc, PetscOptionItems PetscOptionsObject)
{
  PlexPMG *p  = PlexPMGOf(pc);
  PC_MG   *mg = (PC_MG *)pc->data;

  PetscFunctionBegin;
  PetscCall((*p->mg.setfromoptions)(pc, PetscOptionsObject));
  PetscCheck(mg->nlevels == p->n && mg->galerkin == PC_MG_GALERKIN_EXTERNAL, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_WRONG,
             "-pc_mg_levels and -pc_mg_galerkin do not apply to -pc_type plexpmg: its levels are degrees, "
             "-pc_plexpmg_degrees, here %" PetscInt_FMT " of them",
             p->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPMGSetLevels(PC pc)
{
  PlexPMG *p = PlexPMGOf(pc);

  PetscFunctionBegin;
  PetscCall(PCMGSetLevels(pc, p->n, NULL));
  PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_EXTERNAL));
  PetscCall(PCMGSetNumberSmooth(pc, PLEX_PMG_STEPS));
  PetscObjectOptionsBegin((PetscObject)pc);
  PetscCall(PlexPMGReadOptions(pc, PetscOptionsObject));
  PetscOptionsEnd();
  for (PetscInt l = 0; l < p->n; ++l) PetscCall(PlexPMGSetSolver(pc, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPMGCreateLevels(PC pc, PlexAssembly asm_)
{
  PlexPMG      *p = PlexPMGOf(pc);
  PetscInt      P;
  PlexPMGLevel *finest;
  PetscBool     acts;

  PetscFunctionBegin;
  PetscCall(PlexLevelGetDegree(asm_->dm, &P));
  PetscCheck(!asm_->essential, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "-pc_type plexpmg, with rows of essential values (PlexAssemblySetEssentialRows()): give them to the DM, "
             "DMAddBoundary()");
  PetscCall(PlexAssemblyCheckActions_Private(asm_, (PetscBool)(pc->mat != pc->pmat)));
  PetscCall(PlexPMGSetDegrees(pc, P));
  PetscCall(PetscObjectReference((PetscObject)asm_));
  PetscCall(PetscObjectReference((PetscObject)asm_->dm));
  p->asm_      = asm_;
  finest       = &p->level[p->n - 1];
  finest->dm   = asm_->dm;
  finest->asm_ = asm_;
  for (PetscInt l = p->n - 2; l >= 0; --l) PetscCall(PlexPMGCreateLevel(pc, l));
  PetscCall(PetscObjectHasFunction((PetscObject)pc->pmat, PLEX_MAT_SET_MOMENT, &acts));
  if (p->n == 1 && acts) PetscCall(PlexPMGCreateMatrix(pc, 0)); /* there is one without entries */
  if (p->level[0].A) PetscCall(PlexPMGSetNullSpaces(pc));
  PetscCall(PlexPMGSetLevels(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The operations */

/* The state goes down, and the levels take it, with the constants that the DM has now */
static PetscErrorCode PlexPMGSetMoment(PC pc, const PlexKept *kept)
{
  PlexPMG         *p      = PlexPMGOf(pc);
  PlexPMGLevel    *finest = &p->level[p->n - 1];
  Vec              zero   = NULL;
  const PlexMoment none = {NULL, NULL, 0.0, 0.0}, *at = kept ? &kept->at : &none;

  PetscFunctionBegin;
  if (!at->locX) PetscCall(DMGetLocalVector(finest->dm, &zero));
  if (zero) PetscCall(VecSet(zero, 0.0));
  finest->locX   = at->locX ? at->locX : zero;
  finest->locX_t = at->locX_t;
  for (PetscInt l = p->n - 1; l >= 0; --l) {
    PlexPMGLevel *level = &p->level[l], *finer = level + 1;

    if (l < p->n - 1) {
      PetscCall(PlexLevelUpdateDM(p->asm_->dm, level->dm));
      PetscCall(PlexPMGCopySymmetry(p->asm_, level->asm_));
      PetscCall(PlexTransferValues(level->down, finer->locX, level->locX));
      if (!finer->locX_t) PetscCall(VecDestroy(&level->locX_t));
      else if (!level->locX_t) PetscCall(VecDuplicate(level->locX, &level->locX_t));
      if (finer->locX_t) PetscCall(PlexTransferValues(level->down, finer->locX_t, level->locX_t));
    }
    if (level->A)
      PetscCall(PlexAssemblyComputeJacobian(level->asm_, level->locX, level->locX_t, at->t, at->shift, level->A,
                                            level->A));
    if (level->A && kept) PetscCall(MatScale(level->A, kept->scale));
  }
  finest->locX = finest->locX_t = NULL;
  if (zero) PetscCall(DMRestoreLocalVector(finest->dm, &zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCMG takes a matrix of its finest smoothers that is not the preconditioner's, or not any more, for the program's own, and
   its residual is that of the first matrix */
static PetscErrorCode PlexPMGSetFinest(PC pc)
{
  PlexPMG      *p       = PlexPMGOf(pc);
  PC_MG_Levels *finest  = ((PC_MG *)pc->data)->levels[p->n - 1];
  KSP           both[2] = {finest->smoothd, finest->smoothu};
  const Mat     A       = pc->useAmat ? pc->mat : pc->pmat;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < (both[0] == both[1] ? 1 : 2) && !p->level[p->n - 1].A; ++k) {
    PetscBool     set;
    Mat           old, P;
    PetscObjectId id;

    PetscCall(KSPGetOperatorsSet(both[k], NULL, &set));
    if (!set) continue;
    PetscCall(KSPGetOperators(both[k], &old, &P));
    PetscCall(PetscObjectGetId((PetscObject)P, &id));
    if (id != p->finest || P == pc->pmat) continue;
    if (finest->A == old) PetscCall(PCMGSetResidual(pc, p->n - 1, NULL, A));
    PetscCall(KSPSetOperators(both[k], A, pc->pmat));
  }
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &p->finest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCMG's, and what its options have undone */
static PetscErrorCode PlexPMGSetUpSmoothers(PC pc)
{
  const PetscBool first = (PetscBool)!pc->setupcalled;
  PetscBool       meshes, mine[PLEX_HOST_PRODUCTS];
  KSP             ksp;
  PC              coarse;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(pc, 0, &ksp));
  PetscCall(KSPGetPC(ksp, &coarse));
  pc->failedreason = coarse->failedreason = PC_NOERROR; /* PCMG does not take a failure back */
  PetscCall(PlexHostProductsBegin(mine));
  PetscCall((*PlexPMGOf(pc)->mg.setup)(pc));
  PetscCall(PlexHostProductsEnd(mine));
  PetscCall(PlexSmoothersFinish(pc, first));
  PetscCall(PetscObjectTypeCompare((PetscObject)coarse, PCMG, &meshes)); /* the options may name another type */
  if (meshes && PlexPMGOf(pc)->geometric) PetscCall(PlexSmoothersFinish(coarse, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetUp_PlexPMG(PC pc)
{
  PlexPMG        *p = PlexPMGOf(pc);
  PlexAssembly    asm_;
  const PlexKept *kept;
  PetscInt64      form;
  DM              whole;
  PetscScalar    *others;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(PlexPMGGetKept(pc, &asm_, &kept));
  PetscCall(PetscObjectQuery((PetscObject)asm_->dm, PLEX_DM_OF_FIELD, (PetscObject *)&whole));
  if (whole && !kept) PetscCall(PlexLevelUpdateDM(whole, asm_->dm)); /* a block; else it is a problem of its own */
  PetscCall(PlexAssemblyGetState_Private(asm_, &form));
  if (p->asm_ != asm_ || p->form != form || p->renew) { /* levels have copies of the form */
    p->renew = PETSC_TRUE;                              /* until there are levels */
    if (p->asm_) PetscCall((*p->mg.reset)(pc));
    PetscCall(PlexPMGResetLevels(pc));
    pc->setupcalled = PETSC_FALSE;
    PetscCall(PlexPMGCreateLevels(pc, asm_));
    PetscCall(PlexAssemblyGetState_Private(asm_, &p->form)); /* of which parts may be made on the way */
    p->renew = PETSC_FALSE;
  }
  if (p->level[0].A) PetscCall(PlexPMGSetNullSpaces(pc));
  others = NULL;
  if (kept) PetscCall(PlexKeptConstantsBegin_Private(asm_->dm, kept, &others));
  ierr = PlexPMGSetMoment(pc, kept);
  PetscCall(PlexKeptConstantsEnd_Private(asm_->dm, &others));
  PetscCall(ierr);
  PetscCall(PlexPMGSetFinest(pc));
  PetscCall(PlexPMGSetUpSmoothers(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_PlexPMG(PC pc, PetscOptionItems PetscOptionsObject)
{
  PlexPMG  *p = PlexPMGOf(pc), before = *p;
  PetscInt  n = PLEX_PMG_LEVELS, degrees[PLEX_PMG_LEVELS];
  PetscBool set, same;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Multigrid of degrees on one mesh");
  PetscCall(PetscOptionsIntArray("-pc_plexpmg_degrees", "Degrees of the levels, from the field's own down", "PCPLEXPMG",
                                 degrees, &n, &set));
  if (set) {
    PetscCall(PetscArraycpy(p->degrees, degrees, n));
    p->ndegrees = n;
  }
  PetscCall(PetscOptionsBool("-pc_plexpmg_rigid_body",
                             "Rigid motions are the near-null space of the matrix of the lowest degree", "PCPLEXPMG",
                             p->rigid, &p->rigid, NULL));
  PetscCall(PetscOptionsBool("-pc_plexpmg_linear", "The Jacobian depends on neither state nor time", "PCPLEXPMG",
                             p->linear, &p->linear, NULL));
  PetscCall(PetscOptionsBool("-pc_plexpmg_geometric",
                             "The meshes from which the DM's was refined are levels below the lowest degree",
                             "PCPLEXPMG", p->geometric, &p->geometric, NULL));
  PetscOptionsHeadEnd();
  PetscCall(PlexPMGAsk(pc));
  if (!p->n) PetscFunctionReturn(PETSC_SUCCESS); /* PCMG's are read when there are levels */
  PetscCall(PetscArraycmp(p->degrees, before.degrees, PetscMax(p->ndegrees, before.ndegrees), &same));
  if (same && p->ndegrees == before.ndegrees && p->rigid == before.rigid && p->linear == before.linear &&
      p->geometric == before.geometric) {
    PetscCall(PlexPMGReadOptions(pc, PetscOptionsObject));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->renew        = PETSC_TRUE;
  pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On this process: operators and plans without a matrix; diagonals or their blocks; transfers; the assembled matrix;
   vectors */
static PetscErrorCode PlexPMGGetBytes(PC pc, double bytes[5])
{
  PlexPMG *p = PlexPMGOf(pc);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 5; ++k) bytes[k] = 0.0;
  for (PetscInt l = 0; l < p->n; ++l) {
    PlexPMGLevel *level = &p->level[l];
    Mat           A     = level->A ? level->A : pc->pmat;
    MatInfo       info;
    PetscInt      n, bs;
    PetscBool     acts, blocks;
    PlexTransfer  up;
    double        more;
    KSP           ksp;
    PC            own;

    PetscCall(MatGetLocalSize(A, &n, NULL));
    PetscCall(MatGetBlockSize(A, &bs));
    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    PetscCall(PCMGGetSmoother(pc, l, &ksp));
    PetscCall(KSPGetPC(ksp, &own));
    PetscCall(PetscObjectTypeCompare((PetscObject)own, PCPBJACOBI, &blocks));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATPLEXGPU, &acts));
    if (acts) {
      PetscCall(PlexAssemblyGetPlanBytes_Private(level->asm_, &more));
      bytes[0] += info.memory + more;
    } else if (!l) bytes[3] += info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt)) + (double)sizeof(PetscInt) * n;
    if (l) bytes[1] += (double)sizeof(PetscScalar) * n * (blocks ? bs : 1);
    if (level->down) {
      PetscCall(PlexTransferGetBytes(level->down, &more));
      bytes[2] += more;
    }
    if (level->up) {
      PetscCall(PlexTransferOfMatrix(level->up, &up));
      PetscCall(PlexTransferGetBytes(up, &more));
      bytes[2] += more;
    }
  }
  PetscCall(PlexSmoothersGetBytes(pc, &bytes[4]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPMGViewMemory(PC pc, PetscViewer viewer)
{
  double   bytes[5];
  PetscInt N;

  PetscFunctionBegin;
  PetscCall(PlexPMGGetBytes(pc, bytes));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, bytes, 5, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)pc)));
  PetscCall(MatGetSize(pc->pmat, &N, NULL));
  for (PetscInt k = 0; k < 5; ++k) bytes[k] /= (double)PetscMax(N, 1);
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "    Bytes a dof of the finest level: operators %.4g, diagonals %.4g, transfers "
                                   "%.4g, "
                                   "matrix of the lowest degree %.4g, vectors %.4g\n",
                                   bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_PlexPMG(PC pc, PetscViewer viewer)
{
  PlexPMG  *p = PlexPMGOf(pc);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !p->n || p->renew) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "    Degrees of the levels on one mesh:"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (PetscInt l = p->n - 1; l >= 0; --l)
    PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt_FMT, p->level[l].degree));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscCall(PlexPMGViewMemory(pc, viewer));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_PlexPMG(PC pc)
{
  PlexPMG *p = PlexPMGOf(pc);

  PetscFunctionBegin;
  PetscCall((*p->mg.reset)(pc));
  PetscCall(PlexPMGResetLevels(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_PlexPMG(PC pc)
{
  PlexPMG *p                    = PlexPMGOf(pc);
  PetscErrorCode (*destroy)(PC) = p->mg.destroy;

  PetscFunctionBegin;
  PetscCall(PlexPMGResetLevels(pc));
  PetscCall(PetscFree(p));
  PetscCall((*destroy)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PCPLEXPMG = "plexpmg" - multigrid of polynomial degrees on one mesh, for matrices of type `MATPLEXGPU`, or that were
  assembled, of a `DM` of type `DMPLEX`

  Options Database Keys:
+ -pc_plexpmg_degrees p,q,...             - degrees of the levels, from the field's own down; by default it is halved as
                                            long as it is above 1
. -pc_plexpmg_rigid_body (true|false)     - the near-null space of the matrix of the lowest degree are the rigid motions,
                                            where the program has given its own matrix none; false by default
. -pc_plexpmg_linear (true|false)         - the Jacobian depends on neither state nor time nor, in a TS, on the shift:
                                            levels are then made where the state of the matrix is not known, too; false by
                                            default
. -pc_plexpmg_geometric (true|false)      - the meshes from which the `DM`'s was refined (`-dm_refine_hierarchy`) are levels
                                            below the lowest degree; false by default
. -mg_levels_ksp_..., -mg_levels_pc_...   - smoothers, those of `PCMG`: by default 4 steps of `KSPCHEBYSHEV` with
                                            polynomials of the optimal 4th kind and `PCJACOBI`
- -mg_coarse_ksp_..., -mg_coarse_pc_...   - the solver of the lowest degree, which has an assembled matrix: by default 2
                                            cycles (`KSPRICHARDSON`) of `PCGAMG` without aggressive coarsening; of another
                                            type that is named one application

  Level: intermediate

  Notes:
  The field is continuous Lagrange of degree P, of one or more components, on simplices or tensor-product cells. Each
  level has the mesh, the pointwise functions, the boundary conditions and the auxiliary fields of the problem, with a
  space of a lower degree: P, P/2, ..., 1. Its operator is the Jacobian at the same state, of type `MATPLEXGPU`; that of
  the lowest degree is assembled. Functions go up as they are, since each space holds the coarser ones, and residuals
  down by the transpose, element by element and without matrices. So the cycle is symmetric where the smoothers are, and
  serves `KSPCG`.

  A new state, as in each iteration of Newton's method, renews the states of the levels, their diagonals and the matrix of
  the lowest degree. All else stays.

  It is a `PCMG`: the functions and options of that type apply, but those of the number of levels and of Galerkin's
  operators. The state is that of P or J of type `MATPLEXGPU`. An assembled P keeps its state if `PCSetFromOptions()`, or
  that of its solver, was called before the Jacobian was computed, with the `DM`.

  With `-pc_plexpmg_geometric` the solver of the lowest degree are 2 cycles of a `PCMG` on the matrix of that degree, with a
  level a mesh and operators of Galerkin's. Iterations then stay where a direct solver has them; with `PCGAMG` they grow a little on
  irregular meshes. Smoothers of these levels are `-mg_coarse_mg_levels_ksp_...`, and the coarsest mesh has a direct solver,
  `-mg_coarse_mg_coarse_pc_...`.

  `-ksp_view` and `PCView()` say how many bytes a dof the operators, the diagonals, the transfers, the assembled matrix (not
  its own preconditioner) and the vectors take.

  The null space and the near-null space of the matrix (`MatSetNearNullSpace()`), or of the `DM`
  (`DMSetNearNullSpaceConstructor()`), go to that of the lowest degree.

  Several fields, regions with functions of their own, rows of essential values
  (`PlexAssemblySetEssentialRows()`), functions of a preconditioner beside J and what `MATPLEXGPU` does not serve are
  errors.

  Example:
.vb
  ./app -dm_mat_type plexgpu -ksp_type cg -pc_type plexpmg -mg_coarse_pc_type gamg
.ve

  Source: Ronquist and Patera (1987), J. Sci. Comput. 2, 389-406; the smoother: Lottes (2023), Numer. Linear Algebra Appl. 30,
  e2518.

.seealso: `MATPLEXGPU`, `PlexAssembly`, `PCMG`, `PCGAMG`, `KSPCHEBYSHEV`, `DMPlexCreateRigidBody()`
M*/
PETSC_INTERN PetscErrorCode PCCreate_PlexPMG(PC);

PetscErrorCode PCCreate_PlexPMG(PC pc)
{
  PlexPMG *p;
  PC_MG   *mg;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  PetscCall(PCSetType(pc, PCMG));
  PetscCall(PetscObjectChangeTypeName((PetscObject)pc, PCPLEXPMG));
  mg                      = (PC_MG *)pc->data;
  mg->innerctx            = p;
  mg->view                = PCView_PlexPMG;
  p->mg                   = *pc->ops;
  pc->ops->setfromoptions = PCSetFromOptions_PlexPMG;
  pc->ops->setup          = PCSetUp_PlexPMG;
  pc->ops->reset          = PCReset_PlexPMG;
  pc->ops->destroy        = PCDestroy_PlexPMG;
  PetscCall(PlexPMGAsk(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
