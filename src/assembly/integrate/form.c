/* The pointwise functions of a PetscDS. */
#include <plexgpu/private/assemblyimpl.h>

/* Copies n functions, leaving out NULL, and names them */
static PetscErrorCode PlexFunctionsSet(PlexFunctions *functions, PetscInt n, PetscVoidFn **fn)
{
  PetscFunctionBegin;
  functions->n     = 0;
  functions->parts = 1;
  functions->part  = 0;
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

/* f0, f1 of the integral's key for test field i; of facets for their own field alone, and of the fields that are (or
   are not) implicit */
static PetscErrorCode PlexFormSetResidual(PetscDS ds, PetscWeakForm wf, const PlexIntegral *it, PetscInt i,
                                          PlexForm form)
{
  PetscVoidFn **f[2];
  PetscInt      n[2];
  PetscBool     implicit;

  PetscFunctionBegin;
  PetscCall(PetscDSGetImplicit(ds, i, &implicit));
  if (!it->residual || (it->facets && i != it->field) || (!it->facets && implicit == it->explicitPart))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (it->facets)
    PetscCall(PetscWeakFormGetBdResidual(wf, it->label, it->value, i, it->part, &n[0], (PetscBdPointFn ***)&f[0], &n[1],
                                         (PetscBdPointFn ***)&f[1]));
  else
    PetscCall(PetscWeakFormGetResidual(wf, it->label, it->value, i, it->part, &n[0], (PetscPointFn ***)&f[0], &n[1],
                                       (PetscPointFn ***)&f[1]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexFunctionsSet(&form->f[k][i], n[k], f[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g0..g3 likewise, and those of the dynamic Jacobian */
static PetscErrorCode PlexFormSetJacobian(PetscWeakForm wf, const PlexIntegral *it, PetscInt i, PetscInt j,
                                          PlexForm form)
{
  PetscVoidFn **g[4];
  PetscInt      n[4];

  PetscFunctionBegin;
  if (!it->jacobian || (it->facets && i != it->field)) PetscFunctionReturn(PETSC_SUCCESS);
#define PLEX_FORM_GET(get, type) \
  PetscCall(get(wf, it->label, it->value, i, j, it->part, &n[0], (type ***)&g[0], &n[1], (type ***)&g[1], &n[2], \
                (type ***)&g[2], &n[3], (type ***)&g[3]))
  if (it->facets && it->preconditioner) PLEX_FORM_GET(PetscWeakFormGetBdJacobianPreconditioner, PetscBdPointJacFn);
  else if (it->facets) PLEX_FORM_GET(PetscWeakFormGetBdJacobian, PetscBdPointJacFn);
  else if (it->preconditioner) PLEX_FORM_GET(PetscWeakFormGetJacobianPreconditioner, PetscPointJacFn);
  else PLEX_FORM_GET(PetscWeakFormGetJacobian, PetscPointJacFn);
  for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsSet(&form->g[k][i * form->Nf + j], n[k], g[k]));
  if (it->facets || it->preconditioner) PetscFunctionReturn(PETSC_SUCCESS);
  PLEX_FORM_GET(PetscWeakFormGetDynamicJacobian, PetscPointJacFn);
  for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsSet(&form->d[k][i * form->Nf + j], n[k], g[k]));
#undef PLEX_FORM_GET
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Cohesive cells: the fields of either side are fields of their own */

/* A field of the form: the PetscDS's field, and its side, 2 for one of the cohesive cells */
typedef struct {
  PetscInt field, side;
} PlexFormSide;

/* f0 of a key for test field i. That of a side (0, 1) is for this side alone; that of the cells has both sides' numbers
   of a field that is not cohesive */
static PetscErrorCode PlexFormSetResidualCohesive(PetscWeakForm wf, const PlexIntegral *it, PlexFormSide test,
                                                  PetscInt i, PlexForm form)
{
  const PetscInt   side = it->cohesive - 1;
  PetscBdPointFn **f0, **f1;
  PetscInt         n0, n1;

  PetscFunctionBegin;
  if (!it->residual || (test.side < 2 && side < 2 && test.side != side)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscWeakFormGetBdResidual(wf, it->label, it->value, test.field, it->part, &n0, &f0, &n1, &f1));
  PetscCall(PlexFunctionsSet(&form->f[0][i], n0, (PetscVoidFn **)f0));
  if (test.side == 2 || side < 2) PetscFunctionReturn(PETSC_SUCCESS);
  form->f[0][i].parts = 2;
  form->f[0][i].part  = test.side;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g0 likewise, of test field i and trial field j. A cohesive test field has both sides' numbers of a trial field that is
   not, whatever the key */
static PetscErrorCode PlexFormSetJacobianCohesive(PetscWeakForm wf, const PlexIntegral *it, PlexFormSide test,
                                                  PlexFormSide trial, PetscInt at, PlexForm form)
{
  const PetscInt      side = it->cohesive - 1;
  PlexFunctions      *g0   = &form->g[0][at];
  PetscBdPointJacFn **g[4];
  PetscInt            n[4];

  PetscFunctionBegin;
  if (!it->jacobian || (test.side < 2 && side < 2 && (test.side != side || (trial.side < 2 && trial.side != side))))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (it->preconditioner)
    PetscCall(PetscWeakFormGetBdJacobianPreconditioner(wf, it->label, it->value, test.field, trial.field, it->part,
                                                       &n[0], &g[0], &n[1], &g[1], &n[2], &g[2], &n[3], &g[3]));
  else
    PetscCall(PetscWeakFormGetBdJacobian(wf, it->label, it->value, test.field, trial.field, it->part, &n[0], &g[0],
                                         &n[1], &g[1], &n[2], &g[2], &n[3], &g[3]));
  PetscCall(PlexFunctionsSet(g0, n[0], (PetscVoidFn **)g[0]));
  if (test.side < 2 && side < 2) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscInt own = k ? trial.side : test.side;

    if (own == 2) continue;
    g0->part = g0->part * 2 + own;
    g0->parts *= 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields of both sides, negative first */
static PetscErrorCode PlexFormSetCohesive(PetscDS ds, const PlexIntegral *it, PlexForm form)
{
  PetscWeakForm wf;
  PlexFormSide *sides;
  PetscInt      Nf, n = 0;
  PetscBool     cohesive;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscMalloc1(form->Nf, &sides));
  PetscCall(PetscMalloc1(form->Nf, &form->field));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscCall(PetscDSGetCohesive(ds, f, &cohesive));
    for (PetscInt side = cohesive ? 2 : 0; side < (cohesive ? 3 : 2); ++side) {
      form->field[n] = f;
      sides[n++]     = (PlexFormSide){f, side};
    }
  }
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(PlexFormSetResidualCohesive(wf, it, sides[i], i, form));
    for (PetscInt j = 0; j < n; ++j)
      PetscCall(PlexFormSetJacobianCohesive(wf, it, sides[i], sides[j], i * n + j, form));
  }
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No functions of any key */
static PetscErrorCode PlexFormAllocate(PlexForm form)
{
  const PetscInt pairs = form->Nf * form->Nf;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(2 * form->Nf, &form->f[0], 4 * pairs, &form->g[0], 4 * pairs, &form->d[0]));
  form->f[1] = form->f[0] + form->Nf;
  for (PetscInt k = 1; k < 4; ++k) {
    form->g[k] = form->g[k - 1] + pairs;
    form->d[k] = form->d[k - 1] + pairs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFormCreateIntegral(DM dm, const PlexIntegral *integral, PlexForm *form)
{
  PetscDS       ds;
  PetscWeakForm wf;
  PlexForm      out;
  PetscInt      cohesive = 0;

  PetscFunctionBegin;
  *form = NULL;
  PetscCall(DMGetRegionNumDS(dm, integral->region, NULL, NULL, &ds, NULL));
  if (integral->facets && !integral->cohesive)
    PetscCall(PetscDSGetBoundary(ds, integral->boundary, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL));
  else PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscNew(&out));
  out->action = integral->action;
  PetscCall(PetscDSGetNumFields(ds, &out->Nf));
  if (integral->cohesive) {
    PetscCall(PetscDSGetNumCohesive(ds, &cohesive));
    out->Nf = 2 * out->Nf - cohesive;
  }
  PetscCall(PlexFormAllocate(out));
  PetscCall(PetscDSGetConstants(ds, &out->numConstants, NULL));
  PetscCall(PetscDSHasJacobianPreconditioner(ds, &out->hasPreconditioner));
  PetscCall(PetscDSHasDynamicJacobian(ds, &out->hasDynamic));
  if (integral->cohesive) PetscCall(PlexFormSetCohesive(ds, integral, out));
  for (PetscInt i = 0; i < out->Nf && !integral->cohesive; ++i) {
    PetscCall(PlexFormSetResidual(ds, wf, integral, i, out));
    for (PetscInt j = 0; j < out->Nf; ++j) PetscCall(PlexFormSetJacobian(wf, integral, i, j, out));
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
      for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsReset(&out->g[k][i * out->Nf + j]));
      for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexFunctionsReset(&out->d[k][i * out->Nf + j]));
    }
  }
  PetscCall(PetscFree3(out->f[0], out->g[0], out->d[0]));
  PetscCall(PetscFree(out->field));
  PetscCall(PetscFree(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}
