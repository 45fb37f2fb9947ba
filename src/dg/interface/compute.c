/* The right-hand side of nodal DG */
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../impls/curved/curvedimpl.h"

/*@
  PlexDGCreateVec - Creates a vector for the state: values of each field at the nodes of each element,
  [element][field][node]

  Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. v - the vector, zero; on the GPU where the operator is

  Level: beginner

  Note:
  More than 2^31 - 1 values of a process need a PETSc with 64-bit indices. PETSc's vectors of a GPU are not longer than
  that with any indices: then this one is in the host's memory, and what computes on the GPU copies it there and back, a
  low-storage scheme (`TSPLEXLOWSTORAGE`) once in a step.

.seealso: `PlexDG`, `PlexDGProject()`, `PlexDGComputeRHS()`
@*/
PetscErrorCode PlexDGCreateVec(PlexDG dg, Vec *v)
{
  PlexDG     parts[2];
  PetscInt   nparts;
  PetscInt64 values = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(v, 2);
  PetscCall(PlexDGSetUp(dg));
  nparts = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < nparts; ++k)
    values += (PetscInt64)parts[k]->mesh->Ne * (parts[k]->system->Nf * parts[k]->reference->Np);
  if (nparts > 1) PetscCall(PlexDGSizeCheck_Private(values, 1, "values of fields"));
  else PetscCall(PlexDGSizeCheck_Private(dg->mesh->Ne, dg->system->Nf * dg->reference->Np, "values of fields"));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &values, 1, MPIU_INT64, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)dg), v));
  PetscCall(VecSetSizes(*v, PlexDGGetLocalSize(dg), PETSC_DETERMINE));
  /* PETSc's vectors on a device are not longer */
  PetscCall(VecSetType(*v, values > PETSC_INT32_MAX ? VECSTANDARD : PlexBackendVecType(dg->backend)));
  PetscCall(VecSet(*v, 0.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements begin .. end, of which the last ones are curved: right-hand side, or a stage */
static PetscErrorCode PlexDGComputeElements(PlexDG dg, PlexDGArgs *args, const PlexDGStage *stage, PetscInt begin,
                                            PetscInt end, PetscInt ncurved)
{
  PetscFunctionBegin;
  args->begin = (int)begin;
  args->end   = (int)(end - ncurved);
  if (args->begin < args->end) {
    if (stage) PetscUseTypeMethod(dg, stage, args, stage);
    else PetscUseTypeMethod(dg, rhs, args);
  }
  args->begin = (int)(end - ncurved);
  args->end   = (int)end;
  if (ncurved) PetscCall(PlexDGCurvedCompute_Private(dg, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arguments, and the stage where there is one, of each part: those of the whole with the arrays of the part */
static void PlexDGSetPartArgs(PetscInt n, const PlexDG parts[], const PlexDGArgs *args, const PlexDGStage *stage,
                              PlexDGArgs partArgs[], PlexDGStage partStages[])
{
  for (PetscInt k = 0; k < n; ++k) {
    const PetscBool isSingle = (PetscBool)(parts[k]->precision == PLEX_PRECISION_SINGLE);

    partArgs[k]   = parts[k]->args;
    partArgs[k].t = args->t;
    partArgs[k].u = (const double *)PlexDGPartsGetArray(parts, k, args->u, PETSC_FALSE);
    partArgs[k].r = (double *)PlexDGPartsGetArray(parts, k, args->r, PETSC_FALSE);
    if (!stage) continue;
    partStages[k]          = *stage;
    partStages[k].u        = PlexDGPartsGetArray(parts, k, stage->u, isSingle);
    partStages[k].residual = PlexDGPartsGetArray(parts, k, stage->residual, isSingle);
    partStages[k].next     = PlexDGPartsGetArray(parts, k, stage->next, isSingle);
  }
}

/* Computes all elements. Elements that need no trace of another process, or part, are computed while traces travel, the
   others afterwards. u: the state; in a stage, in the operator's precision */
static PetscErrorCode PlexDGComputeAll(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage, const void *u)
{
  const PetscBool isSingle = (PetscBool)(stage && dg->precision == PLEX_PRECISION_SINGLE),
                  means    = (PetscBool)(stage && stage->means);
  /* where other terms go: to the residual, and from there to the next state, or to that alone */
  void *to = means ? stage->next : stage ? stage->residual : args->r, *next = stage && !means ? stage->next : NULL;
  const PetscReal factor = !stage ? 1. : means ? stage->b * stage->dt : stage->dt;
  PlexDG          parts[2];
  PlexDGArgs      partArgs[2];
  PlexDGStage     partStages[2];
  const PetscInt  n      = PlexDGGetParts(dg, parts);
  const PetscBool decays = (PetscBool)(!dg->bare && PlexDGDecays_Private(dg));
  /* nothing comes between the force at shores and their limit */
  const PetscBool limit = (PetscBool)(stage && !dg->viscous && !parts[0]->shock && !decays);

  PetscFunctionBegin;
  PlexDGSetPartArgs(n, parts, args, stage, partArgs, partStages);
  if (dg->pml && stage) PetscCall(PlexDGPMLStage_Private(dg, stage, PETSC_TRUE));
  if (dg->exchange) PetscCall(PlexDGExchangePack_Private(dg->exchange, u, isSingle));
  if (dg->exchange && !dg->backend->device) PetscCall(PlexDGExchangeSend_Private(dg->exchange));
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PlexDGComputeElements(parts[k], &partArgs[k], stage ? &partStages[k] : NULL, 0, parts[k]->mesh->Ninterior,
                                    parts[k]->mesh->ncurved[0]));
  /* the launch above returned at once */
  if (dg->exchange && dg->backend->device) PetscCall(PlexDGExchangeSend_Private(dg->exchange));
  if (dg->exchange) PetscCall(PlexDGExchangeReceive_Private(dg->exchange));
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PlexDGComputeElements(parts[k], &partArgs[k], stage ? &partStages[k] : NULL, parts[k]->mesh->Ninterior,
                                    parts[k]->mesh->Ne, parts[k]->mesh->ncurved[1]));
  for (PetscInt k = 0; k < n; ++k)
    if (parts[k]->shore)
      PetscCall(PlexDGShoreCorrect_Private(parts[k], PlexDGPartsGetArray(parts, k, u, isSingle),
                                           PlexDGPartsGetArray(parts, k, to, isSingle), factor,
                                           PlexDGPartsGetArray(parts, k, next, isSingle), stage ? stage->b : 0.,
                                           limit ? PlexDGPartsGetArray(parts, k, stage->next, isSingle) : NULL,
                                           isSingle));
  if (dg->viscous) PetscCall(PlexDGViscousAdd_Private(dg, u, to, factor, next, stage ? stage->b : 0., isSingle));
  if (dg->sources) PetscCall(PlexDGSourcesAdd_Private(dg, args->t, to, factor, next, stage ? stage->b : 0., isSingle));
  if (dg->impedance)
    PetscCall(PlexDGImpedanceAdd_Private(dg, stage, u, to, factor, next, stage ? stage->b : 0., isSingle));
  if (decays) PetscCall(PlexDGDecayAdd_Private(dg, u, to, factor, next, stage ? stage->b : 0., isSingle));
  if (dg->pml && stage) PetscCall(PlexDGPMLStage_Private(dg, stage, PETSC_FALSE));
  else if (dg->pml) PetscCall(PlexDGPMLAdd_Private(dg, u, args->r));
  if (stage && !limit) PetscCall(PlexDGLimit_Private(dg, stage->next, isSingle));
  ++dg->evaluations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGComputeStage(PlexDG dg, PetscReal t, const PlexDGStage *stage)
{
  PlexDGArgs args;

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  PetscCheck(dg->ops->stage, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Type %s of nodal DG computes no stages of low-storage schemes: use -plex_dg_type %s",
             ((PetscObject)dg)->type_name, PLEXDGFUSED);
  PetscCall(PetscLogEventBegin(PLEX_DGRHS, dg, 0, 0, 0));
  PetscCall(PlexDGDrivenSetTime_Private(dg, t));
  args   = dg->args;
  args.t = t;
  PetscCall(PlexDGComputeAll(dg, &args, stage, stage->u));
  PetscCall(PetscLogEventEnd(PLEX_DGRHS, dg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of some levels: those without faces of other processes, and, in half 1, the others */
static PetscErrorCode PlexDGComputeLevelsHalf(PlexDG dg, PlexDGArgs *args, const PlexDGStage *stage, PetscInt first,
                                              PetscInt last, PetscInt half)
{
  const PetscInt  n      = PlexDGMeshLevelsN(dg->mesh);
  const PetscInt *affine = &dg->mesh->begins[2 * half * (n + 1)], *curved = affine + n + 1;
  const PetscInt  begins[2] = {affine[first], curved[first]}, ends[2] = {affine[last + 1], curved[last + 1]};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    if (begins[k] == ends[k]) continue;
    PetscCall(PlexDGComputeElements(dg, args, stage, begins[k], ends[k], k ? ends[k] - begins[k] : 0));
    if (dg->decay)
      PetscCall(PlexDGDecayAddElements_Private(dg, begins[k], ends[k], args->u, stage ? stage->residual : args->r,
                                               stage ? stage->dt : 1.));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLevelsComputeRest_Private(PlexDG dg, PetscReal t, PetscInt level, PetscBool curved,
                                               const double *zero, const void *ghosts, double *r)
{
  const PetscInt n    = PlexDGMeshLevelsN(dg->mesh);
  PlexDGArgs     args = dg->args;

  PetscFunctionBegin;
  args.t      = t;
  args.u      = zero;
  args.ghosts = ghosts;
  args.r      = r;
  for (PetscInt part = curved ? 1 : 0; part < 4; part += curved ? 2 : 1) {
    const PetscInt *begins = &dg->mesh->begins[part * (n + 1) + level];

    if (begins[0] < begins[1])
      PetscCall(PlexDGComputeElements(dg, &args, NULL, begins[0], begins[1], part % 2 ? begins[1] - begins[0] : 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLevelsCompute_Private(PlexDG dg, PetscReal t, const void *constants, PetscInt first, PetscInt last,
                                           const PlexDGStage *stage, const double *u, double *r)
{
  PlexDGArgs args = dg->args;

  PetscFunctionBegin;
  if (constants) args.constants = constants;
  PetscCall(PetscLogEventBegin(PLEX_DGRHS, dg, 0, 0, 0));
  args.t = t;
  args.u = u;
  args.r = r;
  if (dg->exchange) PetscCall(PlexDGExchangePack_Private(dg->exchange, u, PETSC_FALSE));
  if (dg->exchange && !dg->backend->device) PetscCall(PlexDGExchangeSend_Private(dg->exchange));
  PetscCall(PlexDGComputeLevelsHalf(dg, &args, stage, first, last, 0));
  if (dg->exchange && dg->backend->device) PetscCall(PlexDGExchangeSend_Private(dg->exchange));
  if (dg->exchange) PetscCall(PlexDGExchangeReceive_Private(dg->exchange));
  PetscCall(PlexDGComputeLevelsHalf(dg, &args, stage, first, last, 1));
  ++dg->evaluations;
  PetscCall(PetscLogEventEnd(PLEX_DGRHS, dg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read and write, with the arrays of a state and of its time derivative */
static PetscErrorCode PlexDGBegin(PlexDG dg, PetscReal t, Vec U, Vec R, PlexDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  PetscCall(PlexBackendVecGet(dg->backend, R, PLEX_WRITE, &dg->arrayR));
  PetscCall(PlexDGDrivenSetTime_Private(dg, t));
  *args   = dg->args;
  args->u = dg->arrayU.array;
  args->r = dg->arrayR.array;
  args->t = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGEnd(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayR));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGComputePart(PlexDG dg, PetscReal t, Vec U, Vec R, PetscInt k, PlexDGPart *part)
{
  PlexDGArgs args;

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  part->name = NULL;
  if (!dg->ops->part) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGCheckVec_Private(dg, R));
  PetscCall(PlexDGBegin(dg, t, U, R, &args));
  PetscUseTypeMethod(dg, part, &args, k, part);
  PetscCall(PlexDGEnd(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGComputeRHS - Computes the time derivative of the state

  Collective

  Input Parameters:
+ dg - the operator
. t  - time
- U  - the state, of `PlexDGCreateVec()`

  Output Parameter:
. R - its time derivative (equation 4 of Kloeckner, Warburton, Bridge and Hesthaven 2009); a vector of its own

  Level: beginner

  Note:
  Traces of faces between processes travel while the elements that need none of others are computed.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGCreateVec()`
@*/
PetscErrorCode PlexDGComputeRHS(PlexDG dg, PetscReal t, Vec U, Vec R)
{
  PlexDGArgs args;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(R, VEC_CLASSID, 4);
  PetscCheck(U != R, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_IDN,
             "The state and its time derivative have to be different vectors");
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGCheckVec_Private(dg, R));
  PetscCall(PetscLogEventBegin(PLEX_DGRHS, dg, U, R, 0));
  PetscCall(PlexDGBegin(dg, t, U, R, &args));
  PetscCall(PlexDGComputeAll(dg, &args, NULL, args.u));
  PetscCall(PlexDGEnd(dg));
  PetscCall(PetscLogEventEnd(PLEX_DGRHS, dg, U, R, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
