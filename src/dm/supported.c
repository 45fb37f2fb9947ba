/* What cannot be assembled of a DM, and the reason, a phrase each. */
#include "elementsimpl.h"
#include <petsc/private/dmpleximpl.h> /* printFEM */
#include <stdarg.h>

PetscErrorCode PlexReason(char **reason, const char format[], ...)
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
  PetscInt       Ne, *cells, dim, cdim, from = 0;
  DMPolytopeType ct, first = DM_POLYTOPE_UNKNOWN, other;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(PlexGetIntegratedCells(dm, NULL, &Ne, &cells));
  PetscCall(PlexDropCohesive(dm, &Ne, cells));
  PetscCall(PlexGetCellType(dm, Ne, cells, &ct));
  if ((int)ct < 0) PetscCall(PlexReason(reason, "a mesh without cells"));
  else {
    if (Ne) PetscCall(DMPlexGetCellType(dm, cells[0], &first));
    if (!DMPolytopeTypeIsHybrid(first)) PetscCall(PlexFindOtherType(dm, Ne, cells, &from));
    for (PetscInt e = from; e < Ne && !*reason; ++e) {
      PetscCall(DMPlexGetCellType(dm, cells[e], &other));
      if (DMPolytopeTypeIsHybrid(other))
        PetscCall(PlexReason(reason, "hybrid (cohesive) cells, such as cell %" PetscInt_FMT, cells[e]));
      else if (other != first)
        PetscCall(PlexReason(reason, "mixed cell types: cell %" PetscInt_FMT " is a %s and cell %" PetscInt_FMT " a %s",
                             cells[0], DMPolytopeTypes[first], cells[e], DMPolytopeTypes[other]));
    }
    if (Ne && !*reason && first != ct)
      PetscCall(PlexReason(reason, "mixed cell types: %s on one process and %s on another", DMPolytopeTypes[first],
                           DMPolytopeTypes[ct]));
    if (!*reason && ct != DM_POLYTOPE_SEGMENT && ct != DM_POLYTOPE_TRIANGLE && ct != DM_POLYTOPE_QUADRILATERAL &&
        ct != DM_POLYTOPE_TETRAHEDRON && ct != DM_POLYTOPE_HEXAHEDRON && ct != DM_POLYTOPE_TRI_PRISM)
      PetscCall(PlexReason(reason, "cells of type %s", DMPolytopeTypes[ct]));
  }
  PetscCall(PetscFree(cells));
  if (!*reason && (cdim < dim || cdim > 3))
    PetscCall(PlexReason(reason, "cells of dimension %" PetscInt_FMT " in %" PetscInt_FMT " dimensions", dim, cdim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a field of any region has a basis of vectors */
static PetscErrorCode PlexHasVectors(DM dm, PetscBool *has)
{
  PetscInt Nds, Nf, dE;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds && !*has; ++s) {
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSGetNumFields(ds, &Nf));
    PetscCall(PetscDSGetCoordinateDimension(ds, &dE));
    for (PetscInt f = 0; f < Nf && !*has; ++f) {
      PetscFE         fe;
      PetscTabulation T;
      PlexFieldSpace  space;
      const char     *why;

      PetscCall(PetscDSGetDiscretization(ds, f, (PetscObject *)&fe));
      PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
      PetscCall(PlexFEGetSpace(fe, dE, T, &space, &why));
      *has = (PetscBool)(space != PLEX_SPACE_NODES);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What DMPlex does with local vectors and element data before or after integration */
static PetscErrorCode PlexTransformsSupported(DM dm, char **reason)
{
  PetscSection anchors, constraints;
  Mat          mat;
  PetscBool    transform, tree, vectors = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  PetscCall(DMGetDefaultConstraints(dm, &constraints, &mat, NULL));
  PetscCall(DMHasBasisTransform(dm, &transform));
  tree = (PetscBool)(anchors && ((DM_Plex *)dm->data)->computeanchormatrix);
  if (transform || tree) PetscCall(PlexHasVectors(dm, &vectors));
  if (transform && vectors) PetscCall(PlexReason(reason, "a basis transform of a field whose basis is of vectors"));
  else if (tree && vectors) /* a child's flux is 2^(1-d) of its parent's, and the same in PETSc's constraints */
    PetscCall(PlexReason(reason,
                         "hanging nodes of a field whose basis is of vectors: PETSc's constraints (DMPlexSetTree()) "
                         "leave out the Piola map"));
  else PetscCall(PlexBasisCreate(dm, NULL, NULL, reason));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (anchors && (!constraints || !mat || dm->transform))
    PetscCall(PlexReason(reason, "hanging nodes with a basis transform, or without default constraints"));
  else if (!anchors && mat) PetscCall(PlexReason(reason, "default constraints without hanging nodes"));
  else if (((DM_Plex *)dm->data)->printFEM > 0)
    PetscCall(PlexReason(reason, "element data are to be printed (-dm_plex_print_fem)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexQuadraturesMatch(PetscQuadrature a, PetscQuadrature b, PetscBool *match)
{
  const PetscReal *xa, *xb, *wa, *wb;
  PetscInt         dima, dimb, nca, ncb, na, nb;

  PetscFunctionBegin;
  *match = PETSC_TRUE;
  if (a == b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscQuadratureGetData(a, &dima, &nca, &na, &xa, &wa));
  PetscCall(PetscQuadratureGetData(b, &dimb, &ncb, &nb, &xb, &wb));
  *match = dima == dimb && nca == ncb && na == nb ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < na * dima && *match; ++k)
    *match = PetscAbsReal(xa[k] - xb[k]) <= PETSC_SMALL ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < na && *match; ++k)
    *match = PetscAbsReal(wa[k] - wb[k]) <= PETSC_SMALL ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Field f, or auxiliary field f: a finite element with nodes x components, or vectors */
PetscErrorCode PlexElementSupported(PetscDS ds, PetscInt dim, PetscInt f, const char kind[], PetscBool vectors,
                                    char **reason)
{
  PetscObject     disc;
  PetscClassId    id;
  PetscFE         fe;
  PetscQuadrature quad;
  PetscTabulation T;
  PetscInt        qdim, qNc, jet, dE;
  PlexFieldSpace  space;
  const char     *why;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(ds, f, &disc));
  PetscCall(PetscObjectGetClassId(disc, &id));
  if (id == PETSCFV_CLASSID) PetscCall(PlexReason(reason, "finite volume %s %" PetscInt_FMT, kind, f));
  else if (id != PETSCFE_CLASSID)
    PetscCall(PlexReason(reason, "%s %" PetscInt_FMT " is not a finite element", kind, f));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  fe = (PetscFE)disc;
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, &qdim, &qNc, NULL, NULL, NULL));
  PetscCall(PetscDSGetJetDegree(ds, f, &jet));
  PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
  PetscCall(PetscDSGetCoordinateDimension(ds, &dE));
  PetscCall(PlexFEGetSpace(fe, dE, T, &space, &why));
  if (space > PLEX_SPACE_VECTORS && (why || !vectors))
    PetscCall(PlexReason(reason, "H(div) or H(curl) element in %s %" PetscInt_FMT "%s%s", kind, f, why ? ", " : "",
                         why ? why : ""));
  else if (space == PLEX_SPACE_VECTORS && !vectors)
    PetscCall(PlexReason(reason, "the basis of %s %" PetscInt_FMT " is not nodes times components", kind, f));
  else if (qdim != dim || qNc != 1)
    PetscCall(PlexReason(reason,
                         "%s %" PetscInt_FMT " has a quadrature of dimension %" PetscInt_FMT " with %" PetscInt_FMT
                         " components",
                         kind, f, qdim, qNc));
  else if (jet > 1)
    PetscCall(PlexReason(reason, "second derivatives of %s %" PetscInt_FMT " (PetscDSSetJetDegree())", kind, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields of a region, at the quadrature of its field 0 */
static PetscErrorCode PlexFieldsSupported(PetscDS ds, PetscInt dim, char **reason)
{
  PetscObject     disc0, disc;
  PetscQuadrature quad0, quad;
  PetscInt        Nf;
  PetscBool       match;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) {
    PetscCall(PlexElementSupported(ds, dim, f, "field", PETSC_TRUE, reason));
    if (*reason) break;
    PetscCall(PetscDSGetDiscretization(ds, 0, &disc0));
    PetscCall(PetscDSGetDiscretization(ds, f, &disc));
    PetscCall(PetscFEGetQuadrature((PetscFE)disc0, &quad0));
    PetscCall(PetscFEGetQuadrature((PetscFE)disc, &quad));
    PetscCall(PlexQuadraturesMatch(quad, quad0, &match));
    if (!match) PetscCall(PlexReason(reason, "fields 0 and %" PetscInt_FMT " have different quadratures", f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The auxiliary fields of an integral's key: on cells of the same dimension, with as many points as the fields have, as
   PETSc asks */
static PetscErrorCode PlexAuxiliarySupported(DM dm, PetscDS ds, const PlexIntegral *integral, PetscInt kind,
                                             char **reason)
{
  Vec             aux;
  DM              dmAux = NULL;
  PetscDS         dsAux;
  PetscFE         fe;
  PetscQuadrature quad;
  PetscInt        Nds, Nf, dim, dimAux, n, nAux;
  PetscBool       plex;

  PetscFunctionBegin;
  PetscCall(PlexIntegralGetAuxiliary(dm, integral, kind, &aux));
  if (aux) PetscCall(VecGetDM(aux, &dmAux));
  if (!aux || *reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (!dmAux) {
    PetscCall(PlexReason(reason, "auxiliary vector without a DM"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)dmAux, DMPLEX, &plex));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetDimension(dmAux, &dimAux));
  PetscCall(DMGetNumDS(dmAux, &Nds));
  if (!plex) PetscCall(PlexReason(reason, "auxiliary fields on a DM of type %s", ((PetscObject)dmAux)->type_name));
  else if (Nds != 1) PetscCall(PlexReason(reason, "auxiliary fields with %" PetscInt_FMT " PetscDS", Nds));
  else if (dimAux != dim)
    PetscCall(PlexReason(reason, "auxiliary fields on a mesh of dimension %" PetscInt_FMT, dimAux));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetDS(dmAux, &dsAux));
  PetscCall(PetscDSGetNumFields(dsAux, &Nf));
  PetscCall(PetscDSGetDiscretization(ds, integral->facets ? integral->field : 0, (PetscObject *)&fe));
  PetscCall(integral->facets ? PetscFEGetFaceQuadrature(fe, &quad) : PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &n, NULL, NULL));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) {
    PetscCall(PlexElementSupported(dsAux, dim, f, "auxiliary field", PETSC_FALSE, reason));
    if (*reason) break;
    PetscCall(PetscDSGetDiscretization(dsAux, f, (PetscObject *)&fe));
    PetscCall(integral->facets ? PetscFEGetFaceQuadrature(fe, &quad) : PetscFEGetQuadrature(fe, &quad));
    nAux = 0;
    if (quad) PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &nAux, NULL, NULL));
    if (nAux != n)
      PetscCall(PlexReason(reason,
                           "auxiliary field %" PetscInt_FMT " has %" PetscInt_FMT
                           " quadrature points and the fields have %" PetscInt_FMT " (PetscFECopyQuadrature())",
                           f, nAux, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWeakFormGetKeys(PetscWeakForm wf, PetscWeakFormKind kind, PetscInt *n, PetscFormKey *keys[])
{
#if PETSC_VERSION_LT(3, 26, 0)
  PetscInt at = 0;

  PetscFunctionBegin;
  PetscCall(PetscHMapFormGetSize(wf->form[kind], n));
  PetscCall(PetscMalloc1(*n, keys));
  PetscCall(PetscHMapFormGetKeys(wf->form[kind], &at, *keys));
#else
  PetscFunctionBegin;
  PetscCall(PetscWeakFormGetKeys(wf, kind, n, keys));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has the weak form of a boundary any function of these kinds */
static PetscErrorCode PlexWeakFormHas(PetscWeakForm wf, PetscWeakFormKind first, PetscWeakFormKind last, PetscBool *has)
{
  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PetscInt kind = first; kind <= (PetscInt)last && wf; ++kind) {
    PetscFormKey *keys;
    PetscInt      n;

    PetscCall(PlexWeakFormGetKeys(wf, (PetscWeakFormKind)kind, &n, &keys));
    PetscCall(PetscFree(keys));
    if (n) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets: one quadrature for all fields on a side of a cell. Boundary functions of the PetscDS's own weak form,
   PetscDSSetBdResidual(), are for hybrid cells alone: PETSc does not integrate them elsewhere. */
static PetscErrorCode PlexFacetsSupported(DM dm, PetscDS ds, const char name[], const PlexIntegral *integral,
                                          char **reason)
{
  PetscFE         fe;
  PetscQuadrature quad, other;
  PetscInt        Nf;
  PetscBool       match = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscDSGetDiscretization(ds, integral->field, (PetscObject *)&fe));
  PetscCall(PetscFEGetFaceQuadrature(fe, &quad));
  if (!quad) PetscCall(PlexReason(reason, "no quadrature for the facets of boundary \"%s\"", name));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) {
    PetscCall(PetscDSGetDiscretization(ds, f, (PetscObject *)&fe));
    PetscCall(PetscFEGetFaceQuadrature(fe, &other));
    if (other) PetscCall(PlexQuadraturesMatch(quad, other, &match));
    if (!other || !match)
      PetscCall(PlexReason(reason,
                           "fields %" PetscInt_FMT " and %" PetscInt_FMT " have different quadratures on facets",
                           integral->field, f));
  }
  for (PetscInt kind = 0; kind < 2; ++kind) PetscCall(PlexAuxiliarySupported(dm, ds, integral, kind, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBoundariesSupported(DM dm, PetscDS ds, PetscInt Nds, char **reason)
{
  DMPolytopeType ct = DM_POLYTOPE_UNKNOWN;
  PetscInt       Nb, dim, cdim, cell;

  PetscFunctionBegin;
  PetscCall(PlexGetFirstIntegratedCell(dm, NULL, &cell));
  if (cell >= 0) PetscCall(DMPlexGetCellType(dm, cell, &ct));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb && !*reason; ++b) {
    PetscWeakForm           wf;
    DMBoundaryConditionType type;
    const char             *name;
    const PetscInt         *values;
    PlexIntegral            integral = {.facets = PETSC_TRUE, .boundary = b};
    PetscInt                Nv;
    PetscBool               has;

    PetscCall(PetscDSGetBoundary(ds, b, &wf, &type, &name, &integral.label, &Nv, &values, &integral.field, NULL, NULL,
                                 NULL, NULL, NULL));
    if (type & DM_BC_ESSENTIAL) continue;
    PetscCall(PlexWeakFormHas(wf, PETSC_WF_BDF0, PETSC_WF_BDGP3, &has));
    if (has && Nds > 1)
      PetscCall(PlexReason(reason, "boundary integrals on boundary \"%s\" with %" PetscInt_FMT " PetscDS", name, Nds));
    else if (has && cdim != dim)
      PetscCall(PlexReason(reason,
                           "boundary integrals on boundary \"%s\" of cells of dimension %" PetscInt_FMT
                           " in %" PetscInt_FMT " dimensions",
                           name, dim, cdim));
    else if (has && ct == DM_POLYTOPE_TRI_PRISM)
      PetscCall(PlexReason(reason, "boundary integrals on boundary \"%s\" of prisms, whose faces differ", name));
    for (PetscInt v = 0; v < Nv && has && !*reason; ++v) {
      integral.value       = values[v];
      integral.auxValue[0] = values[v];
      integral.auxValue[1] = values[0];
      PetscCall(PlexFacetsSupported(dm, ds, name, &integral, reason));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cohesive cells are integrated by keys of boundaries (PlexCohesiveSupported()): functions of cells would be for the
   volume that they do not have */
static PetscErrorCode PlexCohesiveRegionSupported(PetscDS ds, char **reason)
{
  PetscWeakForm wf;
  PetscBool     residual, jacobian;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PlexWeakFormHas(wf, PETSC_WF_F0, PETSC_WF_F1, &residual));
  PetscCall(PlexWeakFormHas(wf, PETSC_WF_G0, PETSC_WF_GT3, &jacobian));
  if (residual || jacobian)
    PetscCall(PlexReason(reason, "functions of cells, not of boundaries, for hybrid (cohesive) cells"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each cell of a region has the dofs of its own fields and no others. Cells at the border of a region may have dofs of
   the neighbouring region's fields, which is not supported */
static PetscErrorCode PlexRegionSupported(DM dm, PetscInt s, PetscInt Nds, char **reason)
{
  PetscSection section;
  PetscDS      ds;
  PlexIntegral integral;
  PetscInt     Ne, n, *cells, Nf, dim;
  PetscBool    cohesive;

  PetscFunctionBegin;
  PetscCall(PlexIntegralSetRegion(dm, s, &integral));
  PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscDSIsCohesive(ds, &cohesive));
  PetscCall(DMGetDimension(dm, &dim));
  if (cohesive) {
    PetscCall(PlexCohesiveRegionSupported(ds, reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!Nf) PetscCall(PlexReason(reason, "no fields: add them with DMAddField()"));
  if (!*reason) PetscCall(PlexFieldsSupported(ds, dim, reason));
  if (!*reason) PetscCall(PlexAuxiliarySupported(dm, ds, &integral, 0, reason));
  if (!*reason && !s) PetscCall(PlexBoundariesSupported(dm, ds, Nds, reason));
  if (*reason || Nds == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDSGetTotalDimension(ds, &n));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexGetIntegratedCells(dm, integral.label, &Ne, &cells));
  for (PetscInt e = 0; e < Ne && !*reason; ++e) {
    PetscInt size;

    PetscCall(PlexClosureSize(dm, section, cells[e], &size));
    if (size != n)
      PetscCall(PlexReason(reason,
                           "cell %" PetscInt_FMT " of region %" PetscInt_FMT " has dofs of a field of another region",
                           cells[e], s));
  }
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The PetscDS, of the whole mesh or each of a region */
static PetscErrorCode PlexDSSupported(DM dm, char **reason)
{
  PetscInt Nds;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  if (!Nds) PetscCall(PlexReason(reason, "no PetscDS: add fields with DMAddField() and call DMCreateDS()"));
  for (PetscInt s = 0; s < Nds && !*reason; ++s) PetscCall(PlexRegionSupported(dm, s, Nds, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dofs of a cell, where PETSc's finite elements expect them, and few enough to be numbered by an int */
static PetscErrorCode PlexLayoutSupported(DM dm, char **reason)
{
  PetscSection section;
  PetscFE      fe;
  Vec          own;
  PetscScalar *array, *plain = NULL, *permuted = NULL;
  PetscInt     Nl, n, cell, dofs;
  PetscDS      ds;

  DMPolytopeType ct;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexSectionGetSize(section, &Nl));
  PetscCall(PlexGetFirstIntegratedCell(dm, NULL, &cell));
  if (cell < 0) PetscFunctionReturn(PETSC_SUCCESS);
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
    if (plain[k] != permuted[k])
      PetscCall(PlexReason(reason, "a closure permutation of the local section (DMPlexSetClosurePermutationTensor())"));
  }
  PetscCall(DMPlexGetCellType(dm, cell, &ct));
  PetscCall(DMGetCellDS(dm, cell, &ds, NULL));
  PetscCall(PetscDSGetTotalDimension(ds, &dofs));
  /* PETSc gives all faces as many dofs as the first one has */
  if (!*reason && ct == DM_POLYTOPE_TRI_PRISM && n != dofs)
    PetscCall(PlexReason(reason,
                         "prisms of a degree whose triangles and quadrilaterals have different numbers of dofs"));
  PetscCall(DMPlexVecRestoreClosure(dm, section, own, cell, &n, &permuted));
  PetscCall(DMPlexVecRestoreClosure(dm, section, own, cell, &n, &plain));
  PetscCall(VecDestroy(&own));
  if (!*reason) {
    PetscTabulation T;
    PetscReal       origin[3] = {-1., -1., -1.};
    PetscInt        Nn;
    PetscBool       nodal;

    PetscCall(PlexGetCoordinateFE(dm, ct, &fe));
    PetscCall(PetscFECreateTabulation(fe, 1, 1, origin, 1, &T));
    PetscCall(PlexTabulationGetNodes(T, 0, &Nn, NULL, NULL, &nodal));
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
  if (!PetscDefined(USE_REAL_DOUBLE))
    PetscCall(PlexReason(reason, "PETSc configured with another precision than double"));
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
