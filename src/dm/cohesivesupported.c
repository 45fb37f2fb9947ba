/* What cannot be integrated over cohesive cells, and the reason, a phrase each. */
#include "elementsimpl.h"
#include <petscsf.h>

PetscErrorCode PlexRegionIsCohesive(DM dm, PetscInt region, PetscBool *is)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(DMGetRegionNumDS(dm, region, NULL, NULL, &ds, NULL));
  PetscCall(PetscDSIsCohesive(ds, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDropCohesive(DM dm, PetscInt *Ne, PetscInt cells[])
{
  PetscInt  Nds, n = 0;
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds && !any; ++s) PetscCall(PlexRegionIsCohesive(dm, s, &any));
  for (PetscInt e = 0; e < *Ne && any; ++e) {
    DMPolytopeType ct;
    PetscDS        ds;
    PetscBool      is = PETSC_FALSE;

    PetscCall(DMPlexGetCellType(dm, cells[e], &ct));
    if (DMPolytopeTypeIsHybrid(ct)) {
      PetscCall(DMGetCellDS(dm, cells[e], &ds, NULL));
      if (ds) PetscCall(PetscDSIsCohesive(ds, &is));
    }
    if (!is) cells[n++] = cells[e];
  }
  if (any) *Ne = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCohesiveGetRegion(DM dm, IS cells, PetscInt *region)
{
  const PetscInt *points;
  PetscDS         ds, own;
  PetscInt        n, Nds;

  PetscFunctionBegin;
  *region = PETSC_DETERMINE;
  PetscCall(ISGetLocalSize(cells, &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetIndices(cells, &points));
  PetscCall(DMGetCellDS(dm, points[0], &own, NULL));
  PetscCall(ISRestoreIndices(cells, &points));
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds && *region < 0; ++s) {
    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    if (ds == own) *region = s;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields, on the sides and in the cells behind them: one quadrature, and as many points on faces */
static PetscErrorCode PlexCohesiveFieldsSupported(DM dm, PetscDS ds, PetscDS in, char **reason)
{
  PetscFE         fe;
  PetscQuadrature first, quad;
  PetscInt        dim, Nf, n, m;
  PetscBool       cohesive, match;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscDSGetDiscretization(ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &first));
  PetscCall(PetscQuadratureGetData(first, NULL, NULL, &n, NULL, NULL));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) {
    PetscCall(PetscDSGetCohesive(ds, f, &cohesive));
    PetscCall(PlexElementSupported(ds, dim - 1, f, "field", PETSC_FALSE, reason));
    if (!*reason) PetscCall(PlexElementSupported(in, cohesive ? dim - 1 : dim, f, "field", PETSC_FALSE, reason));
    if (*reason) break;
    PetscCall(PetscDSGetDiscretization(ds, f, (PetscObject *)&fe));
    PetscCall(PetscFEGetQuadrature(fe, &quad));
    PetscCall(PlexQuadraturesMatch(quad, first, &match));
    m = n;
    if (!cohesive) {
      PetscCall(PetscDSGetDiscretization(in, f, (PetscObject *)&fe));
      PetscCall(PetscFEGetFaceQuadrature(fe, &quad));
      if (quad) PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &m, NULL, NULL));
      else m = 0;
    }
    if (!match || m != n)
      PetscCall(PlexReason(reason, "fields 0 and %" PetscInt_FMT " have different quadratures on cohesive cells", f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives of test and trial functions of this key: PETSc 3.26 does not transform them */
static PetscErrorCode PlexCohesiveFormSupported(PetscDS ds, const PlexIntegral *it, char **reason)
{
  const char *const name = it->residual ? "f1" : "g1, g2 or g3";
  PetscWeakForm     wf;
  PetscInt          Nf, n[4] = {0, 0, 0, 0};
  PetscBdPointFn  **f0, **f1;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt i = 0; i < Nf && !*reason; ++i) {
    if (it->residual)
      PetscCall(PetscWeakFormGetBdResidual(wf, it->label, it->value, i, it->part, &n[0], &f0, &n[1], &f1));
    for (PetscInt j = 0; j < Nf && it->jacobian && !n[1] && !n[2] && !n[3]; ++j) {
      PetscBdPointJacFn **g[4];

      if (it->preconditioner)
        PetscCall(PetscWeakFormGetBdJacobianPreconditioner(wf, it->label, it->value, i, j, it->part, &n[0], &g[0],
                                                           &n[1], &g[1], &n[2], &g[2], &n[3], &g[3]));
      else
        PetscCall(PetscWeakFormGetBdJacobian(wf, it->label, it->value, i, j, it->part, &n[0], &g[0], &n[1], &g[1],
                                             &n[2], &g[2], &n[3], &g[3]));
    }
    if (n[1] || n[2] || n[3])
      PetscCall(PlexReason(reason,
                           "%s of field %" PetscInt_FMT
                           " on cohesive cells, where PETSc does not transform derivatives of basis functions",
                           name, i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary fields of the key: of the cohesive cells on a mesh of their sides, of a side on that of its cells. A vector
   under the key of the cells with the opposite value scales what PETSc computes */
static PetscErrorCode PlexCohesiveAuxiliarySupported(DM dm, PetscDS ds, const PlexIntegral *it, char **reason)
{
  const PetscFormKey *across = &it->across;
  const PetscBool     onSide = (PetscBool)(it->cohesive == 3);
  Vec                 aux, scale, whole;
  DM                  dmAux = NULL;
  PetscDS             dsAux;
  PetscFE             fe;
  PetscQuadrature     quad;
  PetscInt            dim, dimAux, Nds, Nf, n, nAux;
  PetscBool           plex;

  PetscFunctionBegin;
  PetscCall(DMGetAuxiliaryVec(dm, across->label, across->value, across->part, &whole));
  PetscCall(DMGetAuxiliaryVec(dm, across->label, -across->value, across->part, &scale));
  PetscCall(PlexIntegralGetAuxiliary(dm, it, it->residual ? 0 : 1, &aux));
  if (scale)
    PetscCall(PlexReason(reason, "a vector that scales cohesive cells (DMSetAuxiliaryVec() with their value negated, "
                                 "or with no label)"));
  else if (whole && !aux) PetscCall(PlexReason(reason, "auxiliary fields of cohesive cells without those of a side"));
  if (!aux || *reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetDM(aux, &dmAux));
  if (dmAux) PetscCall(PetscObjectTypeCompare((PetscObject)dmAux, DMPLEX, &plex));
  if (dmAux) PetscCall(DMGetNumDS(dmAux, &Nds));
  if (!dmAux) PetscCall(PlexReason(reason, "auxiliary vector without a DM"));
  else if (!plex) PetscCall(PlexReason(reason, "auxiliary fields on a DM of type %s", ((PetscObject)dmAux)->type_name));
  else if (Nds != 1) PetscCall(PlexReason(reason, "auxiliary fields with %" PetscInt_FMT " PetscDS", Nds));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetDS(dmAux, &dsAux));
  PetscCall(PetscDSGetSpatialDimension(dsAux, &dimAux));
  PetscCall(PetscDSGetNumFields(dsAux, &Nf));
  if (dimAux != (onSide ? dim - 1 : dim))
    PetscCall(PlexReason(reason, "auxiliary fields of dimension %" PetscInt_FMT " for %s", dimAux,
                         onSide ? "cohesive cells" : "a side of cohesive cells"));
  PetscCall(PetscDSGetDiscretization(ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &n, NULL, NULL));
  for (PetscInt f = 0; f < Nf && !*reason; ++f) {
    PetscCall(PlexElementSupported(dsAux, dimAux, f, "auxiliary field", PETSC_FALSE, reason));
    if (*reason) break;
    PetscCall(PetscDSGetDiscretization(dsAux, f, (PetscObject *)&fe));
    PetscCall(onSide ? PetscFEGetQuadrature(fe, &quad) : PetscFEGetFaceQuadrature(fe, &quad));
    nAux = 0;
    if (quad) PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &nAux, NULL, NULL));
    if (nAux != n)
      PetscCall(PlexReason(reason,
                           "auxiliary field %" PetscInt_FMT " has %" PetscInt_FMT
                           " quadrature points on cohesive cells and the fields have %" PetscInt_FMT,
                           f, nAux, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell between two others, with sides of one orientation, that belongs to this process */
static PetscErrorCode PlexCohesiveCellSupported(DM dm, PetscInt cell, DMPolytopeType first, char **reason)
{
  const PetscInt *cone, *ornt, *leaves;
  PetscInt        nleaves, leaf = -1, size;
  PetscSF         sf;
  DMLabel         ghost;
  DMPolytopeType  ct;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellType(dm, cell, &ct));
  if (ct != DM_POLYTOPE_SEG_PRISM_TENSOR && ct != DM_POLYTOPE_TRI_PRISM_TENSOR && ct != DM_POLYTOPE_QUAD_PRISM_TENSOR)
    PetscCall(PlexReason(reason, "cohesive cells of type %s", DMPolytopeTypes[ct]));
  else if (ct != first)
    PetscCall(PlexReason(reason, "cohesive cells of types %s and %s", DMPolytopeTypes[first], DMPolytopeTypes[ct]));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetCone(dm, cell, &cone));
  PetscCall(DMPlexGetConeOrientation(dm, cell, &ornt));
  for (PetscInt side = 0; side < 2 && !*reason; ++side) {
    PetscCall(DMPlexGetSupportSize(dm, cone[side], &size));
    if (size != 2) PetscCall(PlexReason(reason, "cohesive cells with no cell behind a side"));
  }
  if (!*reason && ornt[0] != ornt[1]) PetscCall(PlexReason(reason, "cohesive cells with sides of two orientations"));
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, NULL));
  if (nleaves > 0 && leaves) PetscCall(PetscFindInt(cell, nleaves, leaves, &leaf));
  else if (nleaves > 0 && cell < nleaves) leaf = cell;
  PetscCall(DMGetLabel(dm, "ghost", &ghost));
  if (ghost) PetscCall(DMLabelGetValue(ghost, cell, &size));
  if (!*reason && (leaf >= 0 || (ghost && size > 0)))
    PetscCall(PlexReason(reason, "cohesive cells of another process"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCohesiveSupported(DM dm, const PlexIntegral *it, char **reason)
{
  const PetscInt *cells;
  PetscDS         ds, in;
  PetscInt        dim, cdim, n;
  PetscBool       cohesive;
  DMPolytopeType  first = DM_POLYTOPE_UNKNOWN;

  PetscFunctionBegin;
  *reason = NULL;
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(PlexReason(reason, "cohesive cells with a PETSc before 3.26"));
  PetscFunctionReturn(PETSC_SUCCESS);
#endif
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCall(DMGetRegionNumDS(dm, it->region, NULL, NULL, &ds, &in));
  PetscCall(PetscDSIsCohesive(ds, &cohesive));
  if (!cohesive || !in) PetscCall(PlexReason(reason, "cohesive cells without a cohesive field"));
  else if (dim < 2 || cdim != dim)
    PetscCall(PlexReason(reason, "cohesive cells in a mesh of dimension %" PetscInt_FMT " in %" PetscInt_FMT, dim,
                         cdim));
  if (!*reason) PetscCall(PlexCohesiveFieldsSupported(dm, ds, in, reason));
  if (!*reason) PetscCall(PlexCohesiveFormSupported(ds, it, reason));
  if (!*reason) PetscCall(PlexCohesiveAuxiliarySupported(dm, ds, it, reason));
  PetscCall(ISGetLocalSize(it->cells, &n));
  PetscCall(ISGetIndices(it->cells, &cells));
  if (n) PetscCall(DMPlexGetCellType(dm, cells[0], &first));
  for (PetscInt e = 0; e < n && !*reason; ++e) PetscCall(PlexCohesiveCellSupported(dm, cells[e], first, reason));
  PetscCall(ISRestoreIndices(it->cells, &cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}
