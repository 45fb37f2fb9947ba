/* Fields, auxiliary fields, functions and values of a problem. */
#include "fuzz.h"
#include "meshes.h"
#include "problem.h"

static PetscErrorCode Discontinuous(PetscInt dim, PetscInt Nc, DMPolytopeType ct, PetscInt qorder, PetscFE *fe)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_degree", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_poly_tensor", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscdualspace_lagrange_continuity", "0"));
  PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, dim, Nc, ct, "disc_", qorder, fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddFields(DM dm, const PlexFuzzCase *c, PetscInt n, const PlexFuzzField fields[], PetscInt qorder,
                                DMLabel part)
{
  const PetscInt dim = PlexFuzzDim(c);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) {
    const PetscInt Nc = fields[f].Nc ? fields[f].Nc : dim;
    PetscFE        fe;

    if (fields[f].disc) PetscCall(Discontinuous(dim, Nc, c->cell, qorder, &fe));
    else PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, Nc, c->cell, fields[f].degree, qorder, &fe));
    PetscCall(DMAddField(dm, part && f == n - 1 ? part : NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscVoidFn *Get(const PlexFuzzLibrary *l, PetscInt k)
{
  return k < 0 ? NULL : l->functions[k].fn;
}

static PetscErrorCode SetForm(PetscDS ds, const PlexFuzzCase *c, const PlexFuzzLibrary *l, DMLabel label)
{
  const PetscInt value = label ? 1 : 0;
  PetscWeakForm  wf;
  PetscInt       Nf;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt k = 0; k < PLEX_FUZZ_KEYS; ++k) {
    for (PetscInt i = 0; i < Nf; ++i) {
      if (c->f[0][i][k] >= 0 || c->f[1][i][k] >= 0)
        PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 0, (PetscPointFn *)Get(l, c->f[0][i][k]),
                                           (PetscPointFn *)Get(l, c->f[1][i][k])));
      for (PetscInt j = 0; j < Nf; ++j) {
        PetscPointJacFn *g[4];
        PetscBool        any = PETSC_FALSE;

        for (PetscInt s = 0; s < 4; ++s) {
          g[s] = (PetscPointJacFn *)Get(l, c->g[s][i][j][k]);
          any  = (PetscBool)(any || g[s]);
        }
        if (any) PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, g[0], g[1], g[2], g[3]));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddNatural(DM dm, PetscDS ds, const PlexFuzzCase *c, const PlexFuzzLibrary *l)
{
  const PetscInt values[2] = {4, 5};
  DMLabel        label;
  PetscWeakForm  wf;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "open", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "flux", label, 2, values, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  for (PetscInt v = 0; v < 2; ++v) {
    if (c->bf[0] >= 0 || c->bf[1] >= 0)
      PetscCall(PetscWeakFormAddBdResidual(wf, label, values[v], 0, 0, (PetscBdPointFn *)Get(l, c->bf[0]),
                                           v ? NULL : (PetscBdPointFn *)Get(l, c->bf[1])));
    if (c->bg[0] >= 0 || c->bg[1] >= 0 || c->bg[2] >= 0 || c->bg[3] >= 0)
      PetscCall(PetscWeakFormAddBdJacobian(wf, label, values[v], 0, 0, 0, (PetscBdPointJacFn *)Get(l, c->bg[0]),
                                           (PetscBdPointJacFn *)Get(l, c->bg[1]), (PetscBdPointJacFn *)Get(l, c->bg[2]),
                                           (PetscBdPointJacFn *)Get(l, c->bg[3])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddEssential(DM dm)
{
  const PetscInt one = 1, two = 2, component = 0;
  DMLabel        held;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "held", &held));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                          NULL, NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "guided", held, 1, &two, 0, 1, &component, (PetscVoidFn *)PlexTestZero,
                          NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAuxiliary(DM dm, const PlexFuzzCase *c, PetscInt qorder)
{
  DM      dmAux;
  Vec     a;
  PetscFE fe, main;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(AddFields(dmAux, c, c->NfAux, c->aux, qorder, NULL));
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&main));
  for (PetscInt f = 0; f < c->NfAux; ++f) {
    PetscCall(DMGetField(dmAux, f, NULL, (PetscObject *)&fe));
    PetscCall(PetscFECopyQuadrature(main, fe));
  }
  PetscCall(DMCreateDS(dmAux));
  PetscCall(DMCreateLocalVector(dmAux, &a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzProblemCreate(const PlexFuzzCase *c, const PlexFuzzLibrary *library, DM *dm)
{
  PetscInt qorder = 1, Nds;
  DMLabel  part   = NULL, label;
  PetscDS  ds;

  PetscFunctionBegin;
  PetscCall(PlexFuzzDomainCreate(c, dm));
  for (PetscInt f = 0; f < c->Nf; ++f) qorder = PetscMax(qorder, c->fields[f].degree);
  if (c->region) PetscCall(DMGetLabel(*dm, "half", &part));
  PetscCall(AddFields(*dm, c, c->Nf, c->fields, qorder, part));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetNumDS(*dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(*dm, s, &label, NULL, &ds, NULL));
    PetscCall(SetForm(ds, c, library, label));
  }
  PetscCall(DMGetDS(*dm, &ds));
  if (c->essential) PetscCall(AddEssential(*dm));
  if (c->natural) PetscCall(AddNatural(*dm, ds, c, library));
  if (c->NfAux) PetscCall(AddAuxiliary(*dm, c, qorder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of a local vector, field by field; tags: the first field's are whole numbers from 0 */
static PetscErrorCode Fill(Vec v, const PlexFuzzCase *c, PetscInt Nf, const PlexFuzzField fields[], PetscBool tags,
                           PetscInt still, uint64_t stream)
{
  DM             dm;
  PetscSection   section;
  PlexFuzzRandom r;
  PetscScalar   *x;
  PetscInt       pStart, pEnd;

  PetscFunctionBegin;
  PetscCall(VecGetDM(v, &dm));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PlexFuzzSeed(&r, c->seed, stream);
  PetscCall(VecGetArrayWrite(v, &x));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    for (PetscInt f = 0; f < Nf; ++f) {
      PetscInt n, at;

      PetscCall(PetscSectionGetFieldDof(section, p, f, &n));
      PetscCall(PetscSectionGetFieldOffset(section, p, f, &at));
      for (PetscInt k = 0; k < n; ++k) {
        const PetscReal value = PlexFuzzReal(&r, -1., 1.);

        if (tags && f == 0) x[at + k] = PetscFloorReal(0.5 * (value + 1.) * fields[f].scale);
        else x[at + k] = f == still ? 0. : fields[f].shift + fields[f].scale * value;
      }
    }
  }
  PetscCall(VecRestoreArrayWrite(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzProblemSetRound(const PlexFuzzCase *c, const PlexFuzzLibrary *library, PetscInt round, DM dm,
                                       Vec *X, Vec *Xt)
{
  const uint64_t stream = 100 + 10 * (uint64_t)round;
  PetscInt       Nds;
  PetscDS        ds;
  Vec            a;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSSetConstants(ds, PLEX_FUZZ_CONSTANTS, (PetscScalar *)c->constants[round]));
  }
  (*library->setScale)(1. + round % 3);
  if (c->NfAux) {
    PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
    PetscCall(Fill(a, c, c->NfAux, c->aux, PETSC_TRUE, c->still[round] ? 3 : -1, stream));
  }
  *Xt = NULL;
  PetscCall(DMCreateLocalVector(dm, X));
  PetscCall(Fill(*X, c, c->Nf, c->fields, PETSC_FALSE, -1, stream + 1));
  if (!c->moving[round]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMCreateLocalVector(dm, Xt));
  PetscCall(Fill(*Xt, c, c->Nf, c->fields, PETSC_FALSE, -1, stream + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}
