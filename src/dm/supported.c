/* What assembly cannot do with a DM, said in a phrase each. */
#include "elementsimpl.h"
#include <petsc/private/dmpleximpl.h> /* printFEM */
#include <stdarg.h>

static PetscErrorCode PlexReason(char **reason, const char format[], ...)
{
  char    text[512];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(text, sizeof(text), format, NULL, args));
  va_end(args);
  PetscCall(PetscStrallocpy(text, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh: cells of one type on all processes, of which some may have none, and no constraints between its points */
static PetscErrorCode PlexMeshSupported(DM dm, char **reason)
{
  PetscInt       Ne, *cells, dim, cdim;
  DMPolytopeType ct, first = DM_POLYTOPE_UNKNOWN, other;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(PlexGetIntegratedCells(dm, &Ne, &cells));
  PetscCall(PlexGetCellType(dm, Ne, cells, &ct));
  if ((int)ct < 0) PetscCall(PlexReason(reason, "a mesh without cells"));
  else {
    if (Ne) PetscCall(DMPlexGetCellType(dm, cells[0], &first));
    for (PetscInt e = 0; e < Ne && !*reason; ++e) {
      PetscCall(DMPlexGetCellType(dm, cells[e], &other));
      if (DMPolytopeTypeIsHybrid(other)) PetscCall(PlexReason(reason, "hybrid (cohesive) cells, such as cell %" PetscInt_FMT, cells[e]));
      else if (other != first) PetscCall(PlexReason(reason, "mixed cell types: cell %" PetscInt_FMT " is a %s and cell %" PetscInt_FMT " a %s", cells[0], DMPolytopeTypes[first], cells[e], DMPolytopeTypes[other]));
    }
    if (Ne && !*reason && first != ct) PetscCall(PlexReason(reason, "mixed cell types: %s on one process and %s on another", DMPolytopeTypes[first], DMPolytopeTypes[ct]));
    if (!*reason && ct != DM_POLYTOPE_TRIANGLE && ct != DM_POLYTOPE_QUADRILATERAL && ct != DM_POLYTOPE_TETRAHEDRON && ct != DM_POLYTOPE_HEXAHEDRON) PetscCall(PlexReason(reason, "cells of type %s", DMPolytopeTypes[ct]));
  }
  PetscCall(PetscFree(cells));
  if (!*reason && cdim != dim) PetscCall(PlexReason(reason, "a manifold of dimension %" PetscInt_FMT " in %" PetscInt_FMT " dimensions", dim, cdim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What DMPlex does with local vectors and element data before or after integration */
static PetscErrorCode PlexTransformsSupported(DM dm, char **reason)
{
  PetscSection anchors, constraints;
  Mat          mat;
  PetscInt     Naux;
  PetscBool    transform;

  PetscFunctionBegin;
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  PetscCall(DMGetDefaultConstraints(dm, &constraints, &mat, NULL));
  PetscCall(DMHasBasisTransform(dm, &transform));
  PetscCall(DMGetNumAuxiliaryVec(dm, &Naux));
  if (anchors || mat) PetscCall(PlexReason(reason, "hanging nodes (DMPlexSetAnchors() or default constraints)"));
  else if (transform) PetscCall(PlexReason(reason, "a basis transform (-dm_plex_rotate_basis)"));
  else if (Naux) PetscCall(PlexReason(reason, "auxiliary fields (DMSetAuxiliaryVec())"));
  else if (((DM_Plex *)dm->data)->printFEM > 0) PetscCall(PlexReason(reason, "element data are to be printed (-dm_plex_print_fem)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexQuadraturesMatch(PetscQuadrature a, PetscQuadrature b, PetscBool *match)
{
  const PetscReal *xa, *xb, *wa, *wb;
  PetscInt         dima, dimb, nca, ncb, na, nb;

  PetscFunctionBegin;
  *match = PETSC_TRUE;
  if (a == b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscQuadratureGetData(a, &dima, &nca, &na, &xa, &wa));
  PetscCall(PetscQuadratureGetData(b, &dimb, &ncb, &nb, &xb, &wb));
  *match = dima == dimb && nca == ncb && na == nb ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < na * dima && *match; ++k) *match = PetscAbsReal(xa[k] - xb[k]) <= PETSC_SMALL ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < na && *match; ++k) *match = PetscAbsReal(wa[k] - wb[k]) <= PETSC_SMALL ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Field f: a finite element with nodes x components, at the quadrature of field 0 */
static PetscErrorCode PlexFieldSupported(PetscDS ds, PetscInt dim, PetscInt f, char **reason)
{
  PetscObject     disc, disc0;
  PetscClassId    id;
  PetscFE         fe;
  PetscDualSpace  dual;
  PetscQuadrature quad, quad0;
  PetscTabulation T;
  PetscInt        k, Nn, qdim, qNc;
  PetscBool       nodal, match, implicit;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(ds, f, &disc));
  PetscCall(PetscObjectGetClassId(disc, &id));
  if (id == PETSCFV_CLASSID) PetscCall(PlexReason(reason, "finite volume field %" PetscInt_FMT, f));
  else if (id != PETSCFE_CLASSID) PetscCall(PlexReason(reason, "field %" PetscInt_FMT " is not a finite element", f));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  fe = (PetscFE)disc;
  PetscCall(PetscDSGetImplicit(ds, f, &implicit));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscDualSpaceGetFormDegree(dual, &k));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscDSGetDiscretization(ds, 0, &disc0));
  PetscCall(PetscFEGetQuadrature((PetscFE)disc0, &quad0));
  PetscCall(PlexQuadraturesMatch(quad, quad0, &match));
  PetscCall(PetscQuadratureGetData(quad, &qdim, &qNc, NULL, NULL, NULL));
  PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, &Nn, NULL, NULL, &nodal));
  if (!implicit) PetscCall(PlexReason(reason, "explicit field %" PetscInt_FMT " (PetscDSSetImplicit())", f));
  else if (k) PetscCall(PlexReason(reason, "H(div) or H(curl) element in field %" PetscInt_FMT, f));
  else if (!nodal) PetscCall(PlexReason(reason, "the basis of field %" PetscInt_FMT " is not nodes times components", f));
  else if (qdim != dim || qNc != 1) PetscCall(PlexReason(reason, "field %" PetscInt_FMT " has a quadrature of dimension %" PetscInt_FMT " with %" PetscInt_FMT " components", f, qdim, qNc));
  else if (!match) PetscCall(PlexReason(reason, "fields 0 and %" PetscInt_FMT " have different quadratures", f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions for integrals over the boundary */
static PetscErrorCode PlexWeakFormHasBoundary(PetscWeakForm wf, PetscBool *has)
{
  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PetscInt kind = PETSC_WF_BDF0; kind <= PETSC_WF_BDGP3 && wf; ++kind) {
    PetscFormKey *keys;
    PetscInt      n;

    PetscCall(PetscWeakFormGetKeys(wf, (PetscWeakFormKind)kind, &n, &keys));
    PetscCall(PetscFree(keys));
    if (n) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBoundariesSupported(PetscDS ds, char **reason)
{
  PetscWeakForm wf;
  PetscInt      Nb;
  PetscBool     has;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PlexWeakFormHasBoundary(wf, &has));
  if (has) PetscCall(PlexReason(reason, "boundary integrals (PetscDSSetBdResidual() or PetscDSSetBdJacobian())"));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb && !*reason; ++b) {
    DMBoundaryConditionType type;
    const char             *name;

    PetscCall(PetscDSGetBoundary(ds, b, &wf, &type, &name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    if (type & DM_BC_ESSENTIAL) continue;
    PetscCall(PlexWeakFormHasBoundary(wf, &has));
    if (has) PetscCall(PlexReason(reason, "boundary integrals on boundary \"%s\"", name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one PetscDS of the whole mesh */
static PetscErrorCode PlexDSSupported(DM dm, char **reason)
{
  PetscDS   ds;
  DMLabel   label;
  PetscInt  Nds, Nf, dim;
  PetscBool cohesive;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  if (!Nds) PetscCall(PlexReason(reason, "no PetscDS: add fields with DMAddField() and call DMCreateDS()"));
  else if (Nds > 1) PetscCall(PlexReason(reason, "%" PetscInt_FMT " PetscDS, each on a region of the mesh", Nds));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetRegionNumDS(dm, 0, &label, NULL, &ds, NULL));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscDSIsCohesive(ds, &cohesive));
  PetscCall(DMGetDimension(dm, &dim));
  if (label) PetscCall(PlexReason(reason, "a PetscDS on a region of the mesh"));
  else if (cohesive) PetscCall(PlexReason(reason, "hybrid (cohesive) cells"));
  else if (!Nf) PetscCall(PlexReason(reason, "no fields: add them with DMAddField()"));
  else if (Nf > PLEX_MAX_FIELDS) PetscCall(PlexReason(reason, "%" PetscInt_FMT " fields, more than %d", Nf, PLEX_MAX_FIELDS));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) PetscCall(PlexFieldSupported(ds, dim, f, reason));
  if (!*reason) PetscCall(PlexBoundariesSupported(ds, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dofs of a cell, where PETSc's finite elements expect them, and few enough to be numbered by an int */
static PetscErrorCode PlexLayoutSupported(DM dm, char **reason)
{
  PetscSection section;
  PetscFE      fe;
  Vec          own;
  PetscScalar *array, *plain = NULL, *permuted = NULL;
  PetscInt     Nl, Ne, n, cell, *cells;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetStorageSize(section, &Nl));
  PetscCall(PlexGetIntegratedCells(dm, &Ne, &cells));
  cell = Ne ? cells[0] : -1;
  PetscCall(PetscFree(cells));
  if (!Ne) PetscFunctionReturn(PETSC_SUCCESS);
  if (Nl >= PETSC_MPI_INT_MAX) {
    PetscCall(PlexReason(reason, "%" PetscInt_FMT " local dofs on one process", Nl));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, Nl, &own));
  PetscCall(VecGetArrayWrite(own, &array));
  for (PetscInt k = 0; k < Nl; ++k) array[k] = (PetscReal)k;
  PetscCall(VecRestoreArrayWrite(own, &array));
  PetscCall(DMPlexVecGetOrientedClosure(dm, section, PETSC_FALSE, own, cell, 0, &n, &plain));
  PetscCall(DMPlexVecGetOrientedClosure(dm, section, PETSC_TRUE, own, cell, 0, &n, &permuted));
  for (PetscInt k = 0; k < n && !*reason; ++k) {
    if (plain[k] != permuted[k]) PetscCall(PlexReason(reason, "a closure permutation of the local section (DMPlexSetClosurePermutationTensor())"));
  }
  PetscCall(DMPlexVecRestoreClosure(dm, section, own, cell, &n, &permuted));
  PetscCall(DMPlexVecRestoreClosure(dm, section, own, cell, &n, &plain));
  PetscCall(VecDestroy(&own));
  if (!*reason) {
    DMPolytopeType  ct;
    PetscTabulation T;
    PetscReal       origin[3] = {-1., -1., -1.};
    PetscInt        Nn;
    PetscBool       nodal;

    PetscCall(DMPlexGetCellType(dm, cell, &ct));
    PetscCall(PlexGetCoordinateFE(dm, ct, &fe));
    PetscCall(PetscFECreateTabulation(fe, 1, 1, origin, 1, &T));
    PetscCall(PlexTabulationGetNodes(T, &Nn, NULL, NULL, &nodal));
    if (!nodal) PetscCall(PlexReason(reason, "the basis of the coordinates is not nodes times components"));
    PetscCall(PetscTabulationDestroy(&T));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexElementsSupported - Says why the discretized problem of a `DM` cannot be assembled here

  Collective

  Input Parameter:
. dm - the `DM`

  Output Parameter:
. reason - `NULL` where it can, else a phrase to be freed with `PetscFree()`; the same on all processes
*/
PetscErrorCode PlexElementsSupported(DM dm, char **reason)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dm);
  PetscBool plex;

  PetscFunctionBegin;
  *reason = NULL;
#if PetscDefined(USE_COMPLEX)
  PetscCall(PlexReason(reason, "PETSc configured with complex scalars"));
#elif !PetscDefined(USE_REAL_DOUBLE)
  PetscCall(PlexReason(reason, "PETSc configured with another precision than double"));
#endif
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &plex));
  if (!plex) PetscCall(PlexReason(reason, "a DM of type %s, not plex", ((PetscObject)dm)->type_name));
  /* a reason of one process is everybody's, before the next question */
  if (!*reason) PetscCall(PlexMeshSupported(dm, reason));
  PetscCall(PlexAgreeOnText(comm, reason));
  if (!*reason) PetscCall(PlexDSSupported(dm, reason));
  PetscCall(PlexAgreeOnText(comm, reason));
  if (!*reason) PetscCall(PlexTransformsSupported(dm, reason));
  PetscCall(PlexAgreeOnText(comm, reason));
  if (!*reason) PetscCall(PlexLayoutSupported(dm, reason));
  PetscCall(PlexAgreeOnText(comm, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}
