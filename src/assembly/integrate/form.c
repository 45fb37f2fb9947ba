/* The pointwise functions of a PetscDS. */
#include <plexgpu/impl.h>

/* Copies n functions, leaving out NULL, and names them */
static PetscErrorCode PlexFunctionsSet(PlexFunctions *functions, PetscInt n, PetscVoidFn **fn)
{
  PetscFunctionBegin;
  functions->n = 0;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &functions->fn));
  PetscCall(PetscCalloc1(n, &functions->names));
  for (PetscInt k = 0; k < n; ++k) {
    if (!fn[k]) continue;
    functions->fn[functions->n] = fn[k];
    PetscCall(PlexSymbolName(fn[k], &functions->names[functions->n]));
    ++functions->n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFunctionsReset(PlexFunctions *functions)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < functions->n; ++k) PetscCall(PetscFree(functions->names[k]));
  PetscCall(PetscFree(functions->names));
  PetscCall(PetscFree(functions->fn));
  functions->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexFormCreate - Takes the pointwise functions of the residual and Jacobian out of a `PetscDS`

  Not Collective

  Input Parameter:
. ds - the `PetscDS`

  Output Parameter:
. form - the functions of key (no label, value 0, part 0): what `SNES` and an implicit `TS` integrate over all cells

  Note:
  Later changes of the `PetscDS` do not show in the form. The functions of a Jacobian preconditioner and of a dynamic Jacobian
  are not in it; `hasPreconditioner` and `hasDynamic` say whether there are any.
*/
PetscErrorCode PlexFormCreate(PetscDS ds, PlexForm *form)
{
  PetscWeakForm     wf;
  PlexForm          out;
  PetscPointFn    **f[2];
  PetscPointJacFn **g[4];
  PetscInt          n[4];

  PetscFunctionBegin;
  *form = NULL;
  PetscCall(PetscNew(&out));
  PetscCall(PetscDSGetNumFields(ds, &out->Nf));
  PetscCheck(out->Nf <= PLEX_MAX_FIELDS, PetscObjectComm((PetscObject)ds), PETSC_ERR_SUP, "%" PetscInt_FMT " fields, more than %d", out->Nf, PLEX_MAX_FIELDS);
  PetscCall(PetscDSGetConstants(ds, &out->numConstants, NULL));
  PetscCall(PetscDSHasJacobianPreconditioner(ds, &out->hasPreconditioner));
  PetscCall(PetscDSHasDynamicJacobian(ds, &out->hasDynamic));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  for (PetscInt i = 0; i < out->Nf; ++i) {
    PetscCall(PetscWeakFormGetResidual(wf, NULL, 0, i, 0, &n[0], &f[0], &n[1], &f[1]));
    for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexFunctionsSet(&out->f[k][i], n[k], (PetscVoidFn **)f[k]));
    for (PetscInt j = 0; j < out->Nf; ++j) {
      PetscCall(PetscWeakFormGetJacobian(wf, NULL, 0, i, j, 0, &n[0], &g[0], &n[1], &g[1], &n[2], &g[2], &n[3], &g[3]));
      for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsSet(&out->g[k][i][j], n[k], (PetscVoidFn **)g[k]));
    }
  }
  *form = out;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFormDestroy(PlexForm *form)
{
  PlexForm out = *form;

  PetscFunctionBegin;
  if (!out) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < out->Nf; ++i) {
    for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexFunctionsReset(&out->f[k][i]));
    for (PetscInt j = 0; j < out->Nf; ++j) {
      for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsReset(&out->g[k][i][j]));
    }
  }
  PetscCall(PetscFree(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}
