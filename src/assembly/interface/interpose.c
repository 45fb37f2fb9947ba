/*
  PETSc's functions that assemble a whole DM, when a program calls them by name: in a callback of its own, or with no
  solver at all. libplexgpu_preload.so stands before these names and calls the functions here. They assemble with the
  PlexAssembly of the DM, as the callbacks of snes.c and ts.c do, and leave to PETSc what these leave.

  Two things are PETSc's way:

    residuals and right-hand sides   are added to what the vector holds
    Jacobians                        replace what the matrix holds
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

/* What the program calls by name, which libplexgpu_preload.so looks up */
PETSC_EXTERN PetscErrorCode PlexInterposeSNESFunction_Private(DM, Vec, Vec, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeSNESJacobian_Private(DM, Vec, Mat, Mat, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeTSIFunction_Private(DM, PetscReal, Vec, Vec, Vec, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeTSIJacobian_Private(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeTSRHSFunction_Private(DM, PetscReal, Vec, Vec, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeCohesiveFunction_Private(DM, PetscFormKey[], IS, PetscReal, Vec, Vec,
                                                                  PetscReal, Vec, void *);
PETSC_EXTERN PetscErrorCode PlexInterposeCohesiveJacobian_Private(DM, PetscFormKey[], IS, PetscReal, PetscReal, Vec,
                                                                  Vec, Mat, Mat, void *);

/* The assembly of a DM that is to be taken over; else NULL */
static PetscErrorCode PlexInterposeFind(DM dm, PlexAssembly *asm_)
{
  PetscBool plex, wanted;

  PetscFunctionBegin;
  *asm_ = NULL;
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &plex));
  if (!plex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTakeOverWanted_Private(dm, &wanted));
  if (wanted) PetscCall(PlexAssemblyGetFromDM(dm, asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector like F, of the DM's where these are of F's type and size. Return it with PlexReturnWork() */
static PetscErrorCode PlexBorrowWork(DM dm, Vec F, Vec *work, PetscBool *borrowed)
{
  VecType  type;
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(dm, work));
  PetscCall(VecGetType(F, &type));
  PetscCall(PetscObjectTypeCompare((PetscObject)*work, type, borrowed));
  PetscCall(VecGetLocalSize(F, &n));
  PetscCall(VecGetLocalSize(*work, &m));
  if (*borrowed && m == n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMRestoreLocalVector(dm, work));
  *borrowed = PETSC_FALSE;
  PetscCall(VecDuplicate(F, work));
  PetscCall(VecSet(*work, 0.0)); /* entries that are of no dof */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReturnWork(DM dm, Vec *work, PetscBool borrowed)
{
  PetscFunctionBegin;
  if (borrowed) PetscCall(DMRestoreLocalVector(dm, work));
  else PetscCall(VecDestroy(work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a residual to locF; `explicitPart`: the right-hand side */
static PetscErrorCode PlexInterposeFunction(PlexAssembly asm_, PetscReal t, Vec locX, Vec locX_t, Vec locF,
                                            PetscBool explicitPart)
{
  DM        dm = asm_->dm;
  Vec       work;
  PetscBool borrowed;

  PetscFunctionBegin;
  PlexInterposeEnter_Private(1);
  PetscCall(PlexBorrowWork(dm, locF, &work, &borrowed));
  if (explicitPart) PetscCall(PlexAssemblyComputeRHSFunction(asm_, locX, t, work));
  else PetscCall(PlexAssemblyComputeFunction(asm_, locX, locX_t, t, work));
  PetscCall(VecAXPY(locF, 1.0, work));
  PetscCall(PlexReturnWork(dm, &work, borrowed));
  asm_->interposed[PLEX_RESIDUAL]++;
  PlexInterposeEnter_Private(-1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a matrix has the size of the DM's: one may have more rows, which are the program's own */
static PetscErrorCode PlexIsOfDM(DM dm, Mat P, PetscBool *is)
{
  Vec      global;
  PetscInt M, N, n;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(dm, &global));
  PetscCall(VecGetSize(global, &n));
  PetscCall(DMRestoreGlobalVector(dm, &global));
  PetscCall(MatGetSize(P, &M, &N));
  *is = (PetscBool)(M == n && N == n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexInterposeJacobian(PlexAssembly asm_, PetscReal t, Vec locX, Vec locX_t, PetscReal X_tShift,
                                            Mat J, Mat P)
{
  PetscFunctionBegin;
  PlexInterposeEnter_Private(1);
  PetscCall(PlexAssemblyComputeJacobian(asm_, locX, locX_t, t, X_tShift, J, P));
  asm_->interposed[PLEX_JACOBIAN]++;
  PlexInterposeEnter_Private(-1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeSNESFunction_Private(DM dm, Vec locX, Vec locF, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexInterposeFunction(asm_, 0.0, locX, NULL, locF, PETSC_FALSE));
  else PetscCall((*PlexPetsc.function)(dm, locX, locF, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeSNESJacobian_Private(DM dm, Vec locX, Mat J, Mat P, void *ctx)
{
  PlexAssembly asm_;
  PetscBool    fits = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexIsOfDM(dm, P, &fits));
  if (fits) PetscCall(PlexInterposeJacobian(asm_, 0.0, locX, NULL, 0.0, J, P));
  else PetscCall((*PlexPetsc.jacobian)(dm, locX, J, P, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a derivative in time PETSc integrates the fields that are not implicit: that is left to it */
PetscErrorCode PlexInterposeTSIFunction_Private(DM dm, PetscReal t, Vec locX, Vec locX_t, Vec locF, void *ctx)
{
  PlexAssembly asm_ = NULL;

  PetscFunctionBegin;
  if (locX_t) PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexInterposeFunction(asm_, t, locX, locX_t, locF, PETSC_FALSE));
  else PetscCall((*PlexPetsc.ifunction)(dm, t, locX, locX_t, locF, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeTSIJacobian_Private(DM dm, PetscReal t, Vec locX, Vec locX_t, PetscReal X_tShift, Mat J,
                                                Mat P, void *ctx)
{
  PlexAssembly asm_ = NULL;
  PetscBool    fits = PETSC_FALSE;

  PetscFunctionBegin;
  if (locX_t) PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexIsOfDM(dm, P, &fits));
  if (fits) PetscCall(PlexInterposeJacobian(asm_, t, locX, locX_t, X_tShift, J, P));
  else PetscCall((*PlexPetsc.ijacobian)(dm, t, locX, locX_t, X_tShift, J, P, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeTSRHSFunction_Private(DM dm, PetscReal t, Vec locX, Vec locG, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexInterposeFunction(asm_, t, locX, NULL, locG, PETSC_TRUE));
  else PetscCall((*PlexPetsc.rhsfunction)(dm, t, locX, locG, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both are added to what vector and matrix hold, in PETSc's way too. PETSc calls the former by its name as well, in its
   own residual */
PetscErrorCode PlexInterposeCohesiveFunction_Private(DM dm, PetscFormKey keys[], IS cells, PetscReal time, Vec locX,
                                                     Vec locX_t, PetscReal t, Vec locF, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscCall(PlexInterposeFind(dm, &asm_));
  if (PlexIsPetscs_Private()) asm_ = NULL;
  PlexInterposeEnter_Private(1);
  if (asm_) PetscCall(PlexAssemblyAddCohesiveFunction(asm_, keys, cells, locX, locX_t, t, locF));
  else PetscCall((*PlexPetsc.cohesivefunction)(dm, keys, cells, time, locX, locX_t, t, locF, ctx));
  PlexInterposeEnter_Private(-1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeCohesiveJacobian_Private(DM dm, PetscFormKey keys[], IS cells, PetscReal t,
                                                     PetscReal X_tShift, Vec locX, Vec locX_t, Mat J, Mat P, void *ctx)
{
  PlexAssembly asm_;
  PetscBool    fits = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexInterposeFind(dm, &asm_));
  if (asm_) PetscCall(PlexIsOfDM(dm, P, &fits));
  PlexInterposeEnter_Private(1);
  if (fits) PetscCall(PlexAssemblyAddCohesiveJacobian(asm_, keys, cells, locX, locX_t, t, X_tShift, J, P));
  else PetscCall((*PlexPetsc.cohesivejacobian)(dm, keys, cells, t, X_tShift, locX, locX_t, J, P, ctx));
  PlexInterposeEnter_Private(-1);
  PetscFunctionReturn(PETSC_SUCCESS);
}
