/*
  Taking over in programs that know nothing of PlexGPU.

  Every type of SNES and TS is registered again with a create routine of ours, which calls PETSc's and then puts
  functions around these operations of the new object:

    setfromoptions, setup, solve (SNES), step (TS)   the DM's local callbacks, where they are PETSc's own for DMPLEX,
                                                     become ours
    solve (SNES)                                     and what is kept within a nonlinear solve is counted as old, and
                                                     output is written that options ask for
    setup (TS)                                       monitors are set that options ask for
    setup (SNES)                                     what assembly makes once is made after PETSc's set-up

  With the Jacobian goes what DMCreateMatrix() calls (matrix.c). Projections of functions are taken over when a DM is
  created (project.c), and again here, where its operations were set anew.

  So it does not matter when the callbacks are set, as long as it is before the solve, nor by whom: the program, a
  convergence estimate or an adaptive refinement that sets them anew, on DMs that it makes; a nonlinear preconditioner
  or a level of FAS, each of which is a SNES of its own. Levels of a linear multigrid share the callbacks of the finest
  or inherit them.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexTake_Private() */
#include <petscdmshell.h>
#include <petsc/private/dmimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>

#define PLEX_MAX_TYPES 128 /* of SNES or TS */

/* Whether a callback is PETSc's function: by its name, before which another may stand, or PETSc's own address, which a
   PETSc linked with -Bsymbolic sets */
#define PLEX_IS_PETSC(callback, Function, member) ((callback) == (Function) || (callback) == PlexPetsc.member)

/* The operations of an object that ours stand before */
typedef struct {
  PetscErrorCode (*setfromoptions)(SNES, PetscOptionItems);
  PetscErrorCode (*setup)(SNES);
  PetscErrorCode (*solve)(SNES);
} PlexOpsSNES;
typedef struct {
  PetscErrorCode (*setfromoptions)(TS, PetscOptionItems);
  PetscErrorCode (*setup)(TS);
  PetscErrorCode (*step)(TS);
  PetscBool monitored; /* options of output have been read */
} PlexOpsTS;

/* PETSc's global callbacks, which call the local ones. If a program has set others, its local callbacks are not used */
static struct {
  SNESFunctionFn  *function;
  SNESJacobianFn  *jacobian;
  TSIFunctionFn   *ifunction;
  TSIJacobianFn   *ijacobian;
  TSRHSFunctionFn *rhsfunction;
} PlexGlobal;

static PetscFunctionList PlexTypesSNES = NULL, PlexTypesTS = NULL; /* PETSc's create routines, by type */

static PetscErrorCode PlexTakeOverSNES(DM dm)
{
  PetscErrorCode (*boundary)(DM, Vec, void *);
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *);
  SNESFunctionFn *F;
  SNESJacobianFn *J;
  void           *bctx, *fctx, *jctx;
  PetscBool       isplex, wanted, takeB, takeF, takeJ, ours;

  PetscFunctionBegin;
  if (!dm || !dm->dmsnes || !((DMSNES)dm->dmsnes)->data) PetscFunctionReturn(PETSC_SUCCESS); /* no local callbacks */
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMSNESGetBoundaryLocal(dm, &boundary, &bctx));
  PetscCall(DMSNESGetFunctionLocal(dm, &function, &fctx));
  PetscCall(DMSNESGetJacobianLocal(dm, &jacobian, &jctx));
  PetscCall(DMSNESGetFunction(dm, &F, NULL));
  PetscCall(DMSNESGetJacobian(dm, &J, NULL));
  takeF = (PetscBool)(PLEX_IS_PETSC(function, DMPlexSNESComputeResidualFEM, function) && F == PlexGlobal.function);
  takeJ = (PetscBool)(PLEX_IS_PETSC(jacobian, DMPlexSNESComputeJacobianFEM, jacobian) && J == PlexGlobal.jacobian);
  ours  = (PetscBool)(takeF || takeJ || function == PlexAssemblySNESFunction_Private ||
                      jacobian == PlexAssemblySNESJacobian_Private);
  takeB = (PetscBool)(ours && boundary == DMPlexSNESComputeBoundaryFEM);
  if (!takeF && !takeJ && !takeB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTakeOverWanted_Private(dm, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (takeF) PetscCall(DMSNESSetFunctionLocal(dm, PlexAssemblySNESFunction_Private, fctx));
  if (takeJ) PetscCall(DMSNESSetJacobianLocal(dm, PlexAssemblySNESJacobian_Private, jctx));
  if (takeB) PetscCall(DMSNESSetBoundaryLocal(dm, PlexAssemblySNESBoundary_Private, bctx));
  PetscCall(PlexTake_Private(dm, NULL));
  if (takeJ) PetscCall(PlexAssemblyTakeMatrix_Private(dm));
  if (takeJ) PetscCall(PlexAssemblyTakeMass_Private(dm));
  PetscCall(PetscInfo(dm, "PlexGPU takes over of a SNES:%s%s%s\n", takeF ? " residuals" : "", takeJ ? " Jacobians" : "",
                      takeB ? " boundary values" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has no call that gets the boundary callback of a TS: it is the first entry of what DMTSSetBoundaryLocal()
   writes */
static PetscBool PlexIsBoundaryTS(DM dm)
{
  PetscErrorCode (*boundary)(DM, PetscReal, Vec, Vec, void *);

  memcpy(&boundary, ((DMTS)dm->dmts)->data, sizeof(boundary));
  return (PetscBool)(boundary == DMPlexTSComputeBoundary);
}

static PetscErrorCode PlexTakeOverTS(DM dm)
{
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *);
  PetscErrorCode (*ijacobian)(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *);
  PetscErrorCode (*rhsfunction)(DM, PetscReal, Vec, Vec, void *);
  TSIFunctionFn   *F;
  TSIJacobianFn   *J;
  TSRHSFunctionFn *G;
  void            *fctx, *jctx, *gctx;
  PetscBool        isplex, wanted, takeB, takeF, takeJ, takeG, ours;

  PetscFunctionBegin;
  if (!dm || !dm->dmts || !((DMTS)dm->dmts)->data) PetscFunctionReturn(PETSC_SUCCESS); /* no local callbacks */
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMTSGetIFunctionLocal(dm, &ifunction, &fctx));
  PetscCall(DMTSGetIJacobianLocal(dm, &ijacobian, &jctx));
  PetscCall(DMTSGetRHSFunctionLocal(dm, &rhsfunction, &gctx));
  PetscCall(DMTSGetIFunction(dm, &F, NULL));
  PetscCall(DMTSGetIJacobian(dm, &J, NULL));
  PetscCall(DMTSGetRHSFunction(dm, &G, NULL));
  takeF = (PetscBool)(PLEX_IS_PETSC(ifunction, DMPlexTSComputeIFunctionFEM, ifunction) && F == PlexGlobal.ifunction);
  takeJ = (PetscBool)(PLEX_IS_PETSC(ijacobian, DMPlexTSComputeIJacobianFEM, ijacobian) && J == PlexGlobal.ijacobian);
  takeG = (PetscBool)(PLEX_IS_PETSC(rhsfunction, DMPlexTSComputeRHSFunctionFEM, rhsfunction) &&
                      G == PlexGlobal.rhsfunction);
  ours  = (PetscBool)(takeF || takeJ || takeG || ifunction == PlexAssemblyTSIFunction_Private ||
                      ijacobian == PlexAssemblyTSIJacobian_Private || rhsfunction == PlexAssemblyTSRHSFunction_Private);
  takeB = (PetscBool)(ours && PlexIsBoundaryTS(dm));
  if (!takeF && !takeJ && !takeG && !takeB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTakeOverWanted_Private(dm, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (takeF) PetscCall(DMTSSetIFunctionLocal(dm, PlexAssemblyTSIFunction_Private, fctx));
  if (takeJ) PetscCall(DMTSSetIJacobianLocal(dm, PlexAssemblyTSIJacobian_Private, jctx));
  if (takeG) PetscCall(DMTSSetRHSFunctionLocal(dm, PlexAssemblyTSRHSFunction_Private, gctx));
  /* PETSc's makes no use of its context */
  if (takeB) PetscCall(DMTSSetBoundaryLocal(dm, PlexAssemblyTSBoundary_Private, NULL));
  PetscCall(PlexTake_Private(dm, NULL));
  if (takeJ) PetscCall(PlexAssemblyTakeMatrix_Private(dm));
  if (takeJ) PetscCall(PlexAssemblyTakeMass_Private(dm));
  PetscCall(PetscInfo(dm, "PlexGPU takes over of a TS:%s%s%s%s\n", takeF ? " implicit functions" : "",
                      takeJ ? " implicit Jacobians" : "", takeG ? " right-hand sides" : "",
                      takeB ? " boundary values" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Before the operations of a SNES */

static PetscErrorCode SNESSetFromOptions_PlexGPU(SNES snes, PetscOptionItems PetscOptionsObject)
{
  PlexOpsSNES *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)snes, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverSNES(snes->dm));
  if (ops->setfromoptions) PetscCall((*ops->setfromoptions)(snes, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once a solver is set up its matrices exist. Plans and kernels are made now, not in the first residual and Jacobian */
static PetscErrorCode PlexPrepareSNES(SNES snes)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *);
  SNESFunctionFn *F;
  SNESJacobianFn *J;
  PlexAssembly    asm_;
  DM              dm = snes->dm;
  PetscBool       isplex, hasF, hasJ;

  PetscFunctionBegin;
  if (!dm || !dm->dmsnes || !((DMSNES)dm->dmsnes)->data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMSNESGetFunctionLocal(dm, &function, NULL));
  PetscCall(DMSNESGetJacobianLocal(dm, &jacobian, NULL));
  PetscCall(DMSNESGetFunction(dm, &F, NULL));
  PetscCall(DMSNESGetJacobian(dm, &J, NULL));
  hasF = (PetscBool)(function == PlexAssemblySNESFunction_Private && F == PlexGlobal.function);
  hasJ = (PetscBool)(jacobian == PlexAssemblySNESJacobian_Private && J == PlexGlobal.jacobian);
  if (!hasF && !hasJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexAssemblyPrepare_Private(asm_, hasF, hasJ ? snes->jacobian : NULL, hasJ ? snes->jacobian_pre : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_assembly_apply: J of a SNES that has no matrices yet is of type MATPLEXGPU, beside P as DMCreateMatrix() makes
   it */
static PetscErrorCode PlexApplySNES(SNES snes)
{
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *);
  const char *prefix;
  char       *kept;
  PetscBool   isplex, apply;
  Mat         J, P;
  DM          dm = snes->dm;

  PetscFunctionBegin;
  if (snes->jacobian || snes->jacobian_pre || snes->mf || snes->mf_operator || !dm || !dm->dmsnes ||
      !((DMSNES)dm->dmsnes)->data)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMSNESGetJacobianLocal(dm, &jacobian, NULL));
  if (jacobian != PlexAssemblySNESJacobian_Private) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_apply", &prefix));
  PetscCall(PlexApplyRead_Private(prefix, &apply, NULL));
  if (!apply) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(PetscStrallocpy(dm->mattype, &kept));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMSetMatType(dm, kept));
  PetscCall(PetscFree(kept));
  PetscCall(SNESSetJacobian(snes, J, P, NULL, NULL));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SNESSetUp_PlexGPU(SNES snes)
{
  PlexOpsSNES *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)snes, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverSNES(snes->dm));
  PetscCall(PlexApplySNES(snes));
  if (ops->setup) PetscCall((*ops->setup)(snes));
  PetscCall(PlexPrepareSNES(snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes what options ask for after a solve that is part of no other, and whose function is ours */
static PetscErrorCode PlexOutputSNES(SNES snes)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  SNESFunctionFn *F;
  DM              dm = snes->dm;
  PetscBool       isplex;

  PetscFunctionBegin;
  if (!dm || !dm->dmsnes || !((DMSNES)dm->dmsnes)->data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMSNESGetFunctionLocal(dm, &function, NULL));
  PetscCall(DMSNESGetFunction(dm, &F, NULL));
  if (function == PlexAssemblySNESFunction_Private && F == PlexGlobal.function)
    PetscCall(PlexAssemblyMonitorSNES_Private(snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SNESSolve_PlexGPU(SNES snes)
{
  PlexOpsSNES   *ops;
  PlexSolveOuter outer;
  PetscErrorCode ierr;
  PetscBool      watching;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)snes, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverSNES(snes->dm));
  PetscCall(PlexWatchBegin_Private(snes->dm, &watching));
  PlexSolveBegin_Private(snes, &outer);
  ierr = (*ops->solve)(snes);
  PlexSolveEnd_Private(&outer);
  PetscCall(PlexWatchEnd_Private(watching));
  PetscCall(ierr);
  if (!outer.id) PetscCall(PlexOutputSNES(snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SNESSetType() has set the new type's name, and calls this in place of its create routine */
static PetscErrorCode SNESCreate_PlexGPU(SNES snes)
{
  PetscErrorCode (*create)(SNES);
  PlexOpsSNES *ops;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PlexTypesSNES, ((PetscObject)snes)->type_name, &create));
  PetscCheck(create, PetscObjectComm((PetscObject)snes), PETSC_ERR_PLIB, "No create routine is kept for SNES type %s",
             ((PetscObject)snes)->type_name);
  PetscCall((*create)(snes));
  PetscCall(PetscObjectContainerQuery((PetscObject)snes, "PlexGPU ops", &ops));
  if (!ops) {
    PetscCall(PetscNew(&ops));
    PetscCall(PetscObjectContainerCompose((PetscObject)snes, "PlexGPU ops", ops, PetscCtxDestroyDefault));
  }
  ops->setfromoptions       = snes->ops->setfromoptions;
  ops->setup                = snes->ops->setup;
  ops->solve                = snes->ops->solve;
  snes->ops->setfromoptions = SNESSetFromOptions_PlexGPU;
  snes->ops->setup          = SNESSetUp_PlexGPU;
  if (ops->solve) snes->ops->solve = SNESSolve_PlexGPU;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Before the operations of a TS */

static PetscErrorCode TSSetFromOptions_PlexGPU(TS ts, PetscOptionItems PetscOptionsObject)
{
  PlexOpsTS *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)ts, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverTS(ts->dm));
  if (ops->setfromoptions) PetscCall((*ops->setfromoptions)(ts, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the monitors that options ask for, of a TS whose functions are ours */
static PetscErrorCode PlexOutputTS(TS ts, PlexOpsTS *ops)
{
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *);
  PetscErrorCode (*rhsfunction)(DM, PetscReal, Vec, Vec, void *);
  DM        dm = ts->dm;
  PetscBool isplex;

  PetscFunctionBegin;
  if (ops->monitored || !dm || !dm->dmts || !((DMTS)dm->dmts)->data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  if (!isplex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMTSGetIFunctionLocal(dm, &ifunction, NULL));
  PetscCall(DMTSGetRHSFunctionLocal(dm, &rhsfunction, NULL));
  if (ifunction != PlexAssemblyTSIFunction_Private && rhsfunction != PlexAssemblyTSRHSFunction_Private)
    PetscFunctionReturn(PETSC_SUCCESS);
  ops->monitored = PETSC_TRUE;
  PetscCall(PlexAssemblyMonitorTS_Private(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetUp_PlexGPU(TS ts)
{
  PlexOpsTS *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)ts, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverTS(ts->dm));
  if (ops->setup) PetscCall((*ops->setup)(ts));
  PetscCall(PlexOutputTS(ts, ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSStep_PlexGPU(TS ts)
{
  PlexOpsTS     *ops;
  PetscErrorCode ierr;
  PetscBool      watching;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)ts, "PlexGPU ops", &ops));
  PetscCall(PlexTakeOverTS(ts->dm));
  PetscCall(PlexWatchBegin_Private(ts->dm, &watching));
  ierr = (*ops->step)(ts);
  PetscCall(PlexWatchEnd_Private(watching));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSCreate_PlexGPU(TS ts)
{
  PetscErrorCode (*create)(TS);
  PlexOpsTS *ops;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PlexTypesTS, ((PetscObject)ts)->type_name, &create));
  PetscCheck(create, PetscObjectComm((PetscObject)ts), PETSC_ERR_PLIB, "No create routine is kept for TS type %s",
             ((PetscObject)ts)->type_name);
  PetscCall((*create)(ts));
  PetscCall(PetscObjectContainerQuery((PetscObject)ts, "PlexGPU ops", &ops));
  if (!ops) {
    PetscCall(PetscNew(&ops));
    PetscCall(PetscObjectContainerCompose((PetscObject)ts, "PlexGPU ops", ops, PetscCtxDestroyDefault));
  }
  ops->setfromoptions     = ts->ops->setfromoptions;
  ops->setup              = ts->ops->setup;
  ops->step               = ts->ops->step;
  ts->ops->setfromoptions = TSSetFromOptions_PlexGPU;
  ts->ops->setup          = TSSetUp_PlexGPU;
  if (ops->step) ts->ops->step = TSStep_PlexGPU;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Registration */

/* Copies a list of create routines to *kept, and puts ours in their place */
static PetscErrorCode PlexWrapTypes(PetscFunctionList *list, PetscErrorCodeFn *ours, PetscFunctionList *kept)
{
  const char      **names;
  char             *copies[PLEX_MAX_TYPES];
  PetscErrorCodeFn *create;
  int               n;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListGet(*list, &names, &n));
  PetscCheck(n <= PLEX_MAX_TYPES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d types of solvers, more than %d", n,
             PLEX_MAX_TYPES);
  for (int k = 0; k < n; ++k) PetscCall(PetscStrallocpy(names[k], &copies[k]));
  for (int k = 0; k < n; ++k) {
    PetscCall(PetscFunctionListFind(*list, copies[k], &create));
    if (create != ours) {
      PetscCall(PetscFunctionListAdd(kept, copies[k], create));
      PetscCall(PetscFunctionListAdd(list, copies[k], ours));
    }
    PetscCall(PetscFree(copies[k]));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands in a DM once local callbacks have been set */
static PetscErrorCode PlexLearnGlobal(void)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(DMShellCreate(PETSC_COMM_SELF, &dm));
  PetscCall(DMSNESSetFunctionLocal(dm, PlexAssemblySNESFunction_Private, NULL));
  PetscCall(DMSNESSetJacobianLocal(dm, PlexAssemblySNESJacobian_Private, NULL));
  PetscCall(DMTSSetIFunctionLocal(dm, PlexAssemblyTSIFunction_Private, NULL));
  PetscCall(DMTSSetIJacobianLocal(dm, PlexAssemblyTSIJacobian_Private, NULL));
  PetscCall(DMTSSetRHSFunctionLocal(dm, PlexAssemblyTSRHSFunction_Private, NULL));
  PetscCall(DMSNESGetFunction(dm, &PlexGlobal.function, NULL));
  PetscCall(DMSNESGetJacobian(dm, &PlexGlobal.jacobian, NULL));
  PetscCall(DMTSGetIFunction(dm, &PlexGlobal.ifunction, NULL));
  PetscCall(DMTSGetIJacobian(dm, &PlexGlobal.ijacobian, NULL));
  PetscCall(DMTSGetRHSFunction(dm, &PlexGlobal.rhsfunction, NULL));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's packages first: each registers its own types when it is initialized */
PetscErrorCode PlexTakeOverRegister_Private(void)
{
  PetscFunctionBegin;
  PetscCall(DMInitializePackage());
  PetscCall(SNESInitializePackage());
  PetscCall(TSInitializePackage());
  PetscCall(PlexInterposeInitialize_Private());
  PetscCall(PlexLearnGlobal());
  PetscCall(PlexWrapTypes(&SNESList, (PetscErrorCodeFn *)SNESCreate_PlexGPU, &PlexTypesSNES));
  PetscCall(PlexWrapTypes(&TSList, (PetscErrorCodeFn *)TSCreate_PlexGPU, &PlexTypesTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTakeOverFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexTypesSNES));
  PetscCall(PetscFunctionListDestroy(&PlexTypesTS));
  PlexTakeOverForget_Private();
  PetscCall(PlexInterposeFinalize_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}
