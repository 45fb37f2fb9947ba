/*
  Actions of the Jacobian A of an assembly at a state: A v, A^T v, the diagonal of A. No matrix is there: with g0..g3 the
  functions of the Jacobian at the state, test functions phi and v the function that the vector describes,

    (A v)_i   = sum_e int_e phi_i (g0 v + g1 . grad v) + grad phi_i . (g2 v + g3 grad v)
    (A^T v)_j = sum_e int_e phi_j (g0 v + g2 . grad v) + grad phi_j . (g1 v + grad v . g3)

  so each of them is a sum of integrals like a residual, which is linear in v: a sum of its own beside that of the
  residual, with the terms of the Jacobian (regions, facets of boundary conditions). Algorithms of assembly serve products:
  Cecka, Lew and Darve (2011), section 5.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../impls/stored/plan.h"

/* preconditioner: of a matrix for the preconditioner beside another one that is the Jacobian */
PetscErrorCode PlexAssemblyCheckActions_Private(PlexAssembly asm_, PetscBool preconditioner)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)asm_);
  PetscBool cohesive, has = PETSC_FALSE;
  PetscInt  Nds;

  PetscFunctionBegin;
  PetscCheck(!asm_->reason, comm, PETSC_ERR_SUP,
             "A matrix of type plexgpu, of a problem that is left to PETSc (%s): use -dm_mat_type aij", asm_->reason);
  PetscCheck(!asm_->anchors, comm, PETSC_ERR_SUP,
             "A matrix of type plexgpu, on a DM with hanging nodes: use -dm_mat_type aij");
  PetscCall(PlexHasCohesive_Private(asm_->dm, &cohesive));
  PetscCheck(!cohesive, comm, PETSC_ERR_SUP,
             "A matrix of type plexgpu, on a DM with cohesive cells: use -dm_mat_type aij");
  PetscCheck(!preconditioner || !asm_->preconditioner, comm, PETSC_ERR_SUP,
             "A matrix of type plexgpu for the functions of a preconditioner: make that matrix with -dm_mat_type aij, "
             "or leave the functions out with -petscds_jac_pre 0");
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds && !has; ++s) {
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSHasJacobian(ds, &has));
  }
  PetscCheck(has || !asm_->preconditioner, comm, PETSC_ERR_SUP,
             "A matrix of type plexgpu, where the PetscDS has functions of a preconditioner alone: use -dm_mat_type "
             "aij, or PetscDSSetJacobian()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the diagonal is a sum of those of elements */
static PetscErrorCode PlexAssemblyCheckDiagonal(PlexAssembly asm_)
{
  PetscBool repeated = PETSC_FALSE;

  PetscFunctionBegin;
  for (PlexAssembly term = asm_->action[PLEX_ACTION_DIAGONAL]; term; term = term->next)
    repeated = (PetscBool)(repeated || term->repeated);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &repeated, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  PetscCheck(!repeated && !asm_->basis, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "The diagonal of a matrix of type plexgpu, on %s: use -dm_mat_type aij, or MatConvert()",
             repeated ? "a periodic mesh of so few cells that one has a dof twice" : "a DM with a basis transform");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With rows of essential values the matrix has zeros in these and their columns, and 1 on their diagonal */
static PetscErrorCode PlexAssemblyComputeEssential(const PlexRequest *r, Vec locW)
{
  PlexAssembly asm_  = r->asm_;
  PlexRequest  inner = *r;
  Vec          ones;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(asm_->dm, &ones)); /* v, or 1 of the diagonal */
  if (r->direction) {
    PetscCall(VecCopy(r->direction, ones));
    PetscCall(DMGetLocalVector(asm_->dm, &inner.direction));
    PetscCall(VecCopy(r->direction, inner.direction));
    PetscCall(PlexEssentialAction_Private(asm_, inner.direction, NULL));
  } else PetscCall(VecSet(ones, 1.0));
  PetscCall(PlexAssemblyComputeTerms_Private(&inner, PLEX_WRITE, locW));
  PetscCall(PlexEssentialAction_Private(asm_, ones, locW));
  if (r->direction) PetscCall(DMRestoreLocalVector(asm_->dm, &inner.direction));
  PetscCall(DMRestoreLocalVector(asm_->dm, &ones));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By way of local vectors, or in the global ones themselves */
static PetscErrorCode PlexAssemblyAddAction(PlexRequest *r, Vec x, Vec y)
{
  DM        dm     = r->asm_->dm;
  Vec       locV   = NULL, locW;
  PetscBool direct = PETSC_FALSE;

  PetscFunctionBegin;
  if (x) PetscCall(PlexStoredDirectBegin_Private(r->first, r->zero, &direct));
  if (direct) {
    r->direction = x;
    PetscCall(PlexAssemblyComputeTerms_Private(r, PLEX_CHANGE, y));
    PetscCall(PlexStoredDirectEnd_Private(r->first));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMGetLocalVector(dm, &locW));
  if (x) {
    PetscCall(DMGetLocalVector(dm, &locV));
    PetscCall(VecSet(locV, 0.0)); /* of constrained dofs nothing comes */
    PetscCall(DMGlobalToLocalBegin(dm, x, INSERT_VALUES, locV));
    PetscCall(DMGlobalToLocalEnd(dm, x, INSERT_VALUES, locV));
  }
  r->direction = locV;
  if (r->asm_->essential) PetscCall(PlexAssemblyComputeEssential(r, locW));
  else PetscCall(PlexAssemblyComputeTerms_Private(r, PLEX_WRITE, locW));
  PetscCall(DMLocalToGlobalBegin(dm, locW, ADD_VALUES, y));
  PetscCall(DMLocalToGlobalEnd(dm, locW, ADD_VALUES, y));
  if (x) PetscCall(DMRestoreLocalVector(dm, &locV));
  PetscCall(DMRestoreLocalVector(dm, &locW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is set up before is looked at by what it costs: form and constants each time; coordinates, which take a reduction
   over all processes, once a state, and where another matrix has had the action set up for its own */
static PetscErrorCode PlexAssemblyReadyAction(PlexRequest *r, PlexAction action, PlexKept *kept)
{
  PlexAssembly asm_ = r->asm_;

  PetscFunctionBegin;
  r->first = asm_->action[action];
  if (kept->fresh[action] && r->first && r->first->product[PLEX_RESIDUAL].setUp && !r->leave &&
      asm_->actionMoves[action] == kept->moves) {
    PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_CONSTANTS, PLEX_REFRESH_CONSTANTS));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexKeptCheckMesh_Private(asm_, kept));
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_TYPES, PLEX_REFRESH_INTEGRALS));
  PetscCall(PlexAssemblyCheckActions_Private(asm_, PETSC_FALSE));
  PetscCall(PlexAssemblyMakeAction_Private(asm_, action));
  r->first = asm_->action[action];
  if (action == PLEX_ACTION_DIAGONAL) PetscCall(PlexAssemblyCheckDiagonal(asm_));
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
  PetscCall(PlexAssemblyCheckActions_Private(asm_, PETSC_FALSE));
  asm_->actionMoves[action] = kept->moves;
  kept->fresh[action]       = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyReadyAndAdd(PlexRequest *r, PlexAction action, PlexKept *kept, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyReadyAction(r, action, kept));
  PetscCall(PlexAssemblyAddAction(r, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyComputeAction_Private(PlexAssembly asm_, PlexAction action, PlexKept *kept,
                                                 PetscInt component, PetscBool zero, Vec x, Vec y)
{
  PlexRequest    r = {.asm_      = asm_,
                      .kind      = PLEX_RESIDUAL,
                      .at        = &kept->at,
                      .beside    = (PetscBool)!kept->single,
                      .component = component,
                      .zero      = zero};
  PetscScalar   *others;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
  PetscCall(PlexKeptCheckForm_Private(asm_, kept));
  PetscCall(PlexKeptConstantsBegin_Private(asm_->dm, kept, &others));
  ierr = PlexAssemblyReadyAndAdd(&r, action, kept, x, y);
  PetscCall(PlexKeptConstantsEnd_Private(asm_->dm, &others));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
