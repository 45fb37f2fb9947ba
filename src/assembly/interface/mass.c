/*
  Mass matrices that programs get from DMCreateMassMatrix() and DMCreateMassMatrixLumped().

  The operations of DMPLEX that make them are replaced in a DM whose Jacobian is assembled here and, where
  libplexgpu_preload.so stands before these two names, in the DM of each call. PETSc's way is kept: a clone of the DM has
  the fields and boundary conditions, and the identity as its form. What is different is who assembles:

    matrix   M_ij = int phi_i . phi_j   the Jacobian of that form
    lumped   sum_j M_ij                 its residual, int phi_i . u, where all dofs of u are 1

  The clone's assembly goes when its matrix is there, as the clone does in PETSc: a DM may have other coordinates, fields
  or types by the next call. Left to PETSc is a mass matrix between two DMs, of which each process looks up the points of
  one in the cells of the other.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h"               /* PlexGetOperations_Private() */
#include "../../backend/interface/backendimpl.h" /* PlexSourceGetFolder() */
#include <petsc/private/dmimpl.h>

#define PLEX_MASS_SOURCE "dm/mass.h"

/* Seen by name where a kernel takes their source */
PETSC_EXTERN PetscPointJacFn PlexMassJacobian_Private;
PETSC_EXTERN PetscPointFn    PlexMassFunction_Private;

/* What the functions do not read */
#if defined(__GNUC__)
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <dm/mass.h>

PETSC_EXTERN PetscErrorCode PlexInterposeMassMatrix_Private(DM, DM, Mat *);
PETSC_EXTERN PetscErrorCode PlexInterposeMassLumped_Private(DM, Vec *, Vec *);

/* DMPLEX's own operations */
static struct {
  PetscErrorCode (*matrix)(DM, DM, Mat *);
  PetscErrorCode (*lumped)(DM, Vec *, Vec *);
} PlexMassPETSc;

/* A clone of the DM, and its assembly, which it owns */
typedef struct {
  DM           clone;
  PlexAssembly asm_;
} PlexMass;

/* The form of fields is the identity, and nothing else of the weak form is left */
static PetscErrorCode PlexMassSetForm(DM clone)
{
  PetscDS       ds;
  PetscWeakForm wf;
  PetscInt      Nf;

  PetscFunctionBegin;
  PetscCall(DMGetDS(clone, &ds));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscWeakFormClear(wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscCall(PetscDSSetResidual(ds, f, PlexMassFunction_Private, NULL));
    PetscCall(PetscDSSetJacobian(ds, f, f, PlexMassJacobian_Private, NULL, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The assembly of a clone, which is used once: with the options of the DM, but nothing is tuned. It is viewed once for
   each DM */
static PetscErrorCode PlexMassCreateAssembly(DM dm, const char what[], PlexMass *m)
{
  const char    *prefix, *name = ((PetscObject)dm)->name;
  char           text[PETSC_MAX_PATH_LEN];
  PetscContainer viewed;
  size_t         length;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s%s", what, name ? " of " : "", name ? name : ""));
  PetscCall(PetscObjectSetName((PetscObject)m->clone, text));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)m->clone, prefix));
  PetscCall(PlexAssemblyGetFromDM(m->clone, &m->asm_));
  PetscCall((*PlexAssemblyTuning.destroy)(&m->asm_->tuner));
  m->asm_->expected = 1;
  PetscCall(PlexSourceGetFolder(text));
  PetscCall(PetscStrlen(text, &length));
  PetscCall(PetscSNPrintf(text + length, sizeof(text) - length, "/" PLEX_MASS_SOURCE));
  PetscCall(PlexAssemblySetPointwiseSource(m->asm_, text));
  PetscCall(PetscObjectQuery((PetscObject)dm, what, (PetscObject *)&viewed));
  if (viewed) m->asm_->timing = PETSC_FALSE;
  else PetscCall(PetscObjectContainerCompose((PetscObject)dm, what, dm, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees the assembly: the matrix has a reference to the clone */
static PetscErrorCode PlexMassEnd(PlexMass *m)
{
  PetscFunctionBegin;
  if (m->asm_) PetscCall(PetscObjectCompose((PetscObject)m->clone, "PlexAssembly", NULL));
  m->asm_ = NULL;
  PetscCall(DMDestroy(&m->clone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* reason: why PETSc's lumped matrix is not that of the identity alone. It keeps the weak form of the DM but for the first
   g0 of each field by itself; cells of a ghost label count in its sums and not in those of residuals */
static PetscErrorCode PlexMassCompareLumped(DM dm, const char **reason)
{
  const char   *others = "PETSc adds g1, g2, g3, Jacobians of one field by another and boundary conditions of the DM's "
                         "form to them";
  PetscDS       ds;
  PetscWeakForm wf;
  DMLabel       ghost;
  PetscInt      Nf, n[4], Nb;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(DMGetLabel(dm, "ghost", &ghost));
  if (ghost) *reason = "cells of a ghost label, which PETSc counts";
  for (PetscInt f = 0; f < Nf; ++f)
    for (PetscInt g = 0; g < Nf && !*reason; ++g) {
      PetscPointJacFn **g0, **g1, **g2, **g3;

      PetscCall(PetscWeakFormGetJacobian(wf, NULL, 0, f, g, 0, &n[0], &g0, &n[1], &g1, &n[2], &g2, &n[3], &g3));
      for (PetscInt k = 0; k < 4; ++k)
        if (n[k] > (f == g && !k ? 1 : 0)) *reason = others;
    }
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb && !*reason; ++b) {
    DMBoundaryConditionType type;

    PetscCall(PetscDSGetBoundary(ds, b, NULL, &type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    if (!(type & DM_BC_ESSENTIAL)) *reason = others;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line with the reason, by an assembly that has the options of the DM and nothing else */
static PetscErrorCode PlexMassLeave(DM dm, const char what[], const char reason[])
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, &asm_));
  PetscCall(PlexAssemblySetFromOptions(asm_));
  asm_->timing = PETSC_FALSE;
  PetscCall(PlexAssemblySayLeft_Private(asm_, what, reason, NULL));
  PetscCall(PlexAssemblyDestroy(&asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m->asm_ NULL: the whole is left to PETSc, which has been said */
static PetscErrorCode PlexMassBegin(DM dmc, DM dmf, PetscBool lumped, PlexMass *m)
{
  const char *reason = NULL;
  PlexRequest r      = {.asm_ = NULL};
  PetscInt    Nds;

  PetscFunctionBegin;
  *m = (PlexMass){NULL, NULL};
  PetscCall(DMGetNumDS(dmc, &Nds));
  if (dmc != dmf) reason = "two DMs, where each process looks up the points of one in the cells of the other";
  else if (Nds != 1)
    reason = "a DM that does not have one PetscDS: PETSc sets functions of one and takes all cells for its own";
  else if (lumped) PetscCall(PlexMassCompareLumped(dmc, &reason));
  if (reason) {
    PetscCall(PlexMassLeave(dmc, lumped ? "lumped mass matrices" : "mass matrices", reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMClone(dmc, &m->clone));
  PetscCall(DMCopyDisc(dmc, m->clone));
  PetscCall(PlexMassSetForm(m->clone));
  PetscCall(PlexMassCreateAssembly(dmc, lumped ? "lumped mass matrix" : "mass matrix", m));
  r.asm_ = m->asm_;
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
  if (r.leave) PetscCall(PlexMassEnd(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of DMPLEX's own operation. The pattern is that of DMCreateMatrix() */
static PetscErrorCode DMCreateMassMatrix_PlexGPU(DM dmc, DM dmf, Mat *mass)
{
  PlexMass m;
  Vec      u;

  PetscFunctionBegin;
  PetscCall(PlexMassBegin(dmc, dmf, PETSC_FALSE, &m));
  if (!m.asm_) {
    PetscCall((*PlexMassPETSc.matrix)(dmc, dmf, mass));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyTakeMatrix_Private(m.clone));
  PetscCall(DMCreateMatrix(m.clone, mass));
  PetscCall(DMGetLocalVector(m.clone, &u));
  PetscCall(VecSet(u, 0.0));
  PetscCall(PlexAssemblyComputeJacobian(m.asm_, u, NULL, 0.0, 0.0, *mass, *mass));
  PetscCall(DMRestoreLocalVector(m.clone, &u));
  PetscCall(PlexMassEnd(&m));
  PetscCall(MatViewFromOptions(*mass, NULL, "-mass_mat_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc adds nothing to constrained dofs */
static PetscErrorCode PlexMassZeroConstrained(DM dm, Vec local)
{
  PetscSection section;
  PetscInt     pStart, pEnd;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(VecGetArray(local, &x));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    const PetscInt *constrained;
    PetscInt        n, offset;

    PetscCall(PetscSectionGetConstraintDof(section, p, &n));
    if (n <= 0) continue;
    PetscCall(PetscSectionGetConstraintIndices(section, p, &constrained));
    PetscCall(PetscSectionGetOffset(section, p, &offset));
    for (PetscInt k = 0; k < n; ++k) x[offset + constrained[k]] = 0.0;
  }
  PetscCall(VecRestoreArray(local, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise. Local vectors are the DM's, as PETSc's are; the clone's section says which dofs they have */
static PetscErrorCode DMCreateMassMatrixLumped_PlexGPU(DM dm, Vec *lmass, Vec *mass)
{
  PlexMass m;
  Vec      ones, local;

  PetscFunctionBegin;
  PetscCall(PlexMassBegin(dm, dm, PETSC_TRUE, &m));
  if (!m.asm_) {
    PetscCall((*PlexMassPETSc.lumped)(dm, lmass, mass));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (lmass) PetscCall(DMCreateLocalVector(dm, &local));
  else PetscCall(DMGetLocalVector(dm, &local));
  PetscCall(DMGetLocalVector(dm, &ones));
  PetscCall(VecSet(ones, 1.0));
  PetscCall(PlexAssemblyComputeFunction(m.asm_, ones, NULL, 0.0, local));
  PetscCall(DMRestoreLocalVector(dm, &ones));
  if (mass) {
    PetscCall(DMCreateGlobalVector(dm, mass));
    PetscCall(DMLocalToGlobalBegin(dm, local, ADD_VALUES, *mass));
    PetscCall(DMLocalToGlobalEnd(dm, local, ADD_VALUES, *mass));
  }
  if (lmass) {
    PetscCall(PlexMassZeroConstrained(m.clone, local));
    *lmass = local;
  } else PetscCall(DMRestoreLocalVector(dm, &local));
  PetscCall(PlexMassEnd(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lets mass matrices of a DM be assembled here; a DM with operations of its own keeps them */
PetscErrorCode PlexAssemblyTakeMass_Private(DM dm)
{
  struct _DMOps ops;

  PetscFunctionBegin;
  if (!PlexMassPETSc.matrix) {
    PetscCall(PlexGetOperations_Private(&ops));
    PlexMassPETSc.matrix = ops.createmassmatrix;
    PlexMassPETSc.lumped = ops.createmassmatrixlumped;
  }
  if (dm->ops->createmassmatrix == PlexMassPETSc.matrix) dm->ops->createmassmatrix = DMCreateMassMatrix_PlexGPU;
  if (dm->ops->createmassmatrixlumped == PlexMassPETSc.lumped)
    dm->ops->createmassmatrixlumped = DMCreateMassMatrixLumped_PlexGPU;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the program calls by name, which libplexgpu_preload.so looks up */

static PetscErrorCode PlexInterposeMass(DM dm)
{
  PetscBool plex = PETSC_FALSE, wanted;

  PetscFunctionBegin;
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &plex));
  if (!plex) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTakeOverWanted_Private(dm, &wanted));
  if (wanted) PetscCall(PlexAssemblyTakeMass_Private(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeMassMatrix_Private(DM dmc, DM dmf, Mat *mass)
{
  PetscFunctionBegin;
  PetscCall(PlexInterposeMass(dmc));
  PetscCall((*PlexPetsc.massmatrix)(dmc, dmf, mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeMassLumped_Private(DM dm, Vec *local, Vec *global)
{
  PetscFunctionBegin;
  PetscCall(PlexInterposeMass(dm));
  PetscCall((*PlexPetsc.masslumped)(dm, local, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}
