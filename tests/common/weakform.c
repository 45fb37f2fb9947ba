#include "weakform.h"
#include "problem.h"
#include "meshes.h"
#include <petscdmplextransform.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "integrals.h"

static PetscErrorCode AddDisc(DM dm, PetscInt dim, PetscInt Nc, DMPolytopeType ct, PetscInt qorder, PetscFE *fe)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_degree", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_poly_tensor", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscdualspace_lagrange_continuity", "0"));
  PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, dim, Nc, ct, "disc_", qorder, fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of a tensor product space of each component, of a degree more along its own direction */
static PetscErrorCode AppendTensors(PetscInt dim, PetscInt degree, char text[], size_t size)
{
  char line[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(line, sizeof(line),
                          " -petscspace_type sum -petscspace_variables %d -petscspace_sum_spaces %d "
                          "-petscspace_sum_concatenate true",
                          (int)dim, (int)dim));
  PetscCall(PetscStrlcat(text, line, size));
  for (PetscInt c = 0; c < dim; ++c) {
    PetscCall(PetscSNPrintf(line, sizeof(line),
                            " -sumcomp_%d_petscspace_variables %d -sumcomp_%d_petscspace_type tensor "
                            "-sumcomp_%d_petscspace_tensor_spaces %d -sumcomp_%d_petscspace_tensor_uniform false",
                            (int)c, (int)dim, (int)c, (int)c, (int)dim, (int)c));
    PetscCall(PetscStrlcat(text, line, size));
    for (PetscInt d = 0; d < dim; ++d) {
      PetscCall(PetscSNPrintf(line, sizeof(line), " -sumcomp_%d_tensorcomp_%d_petscspace_degree %d", (int)c, (int)d,
                              (int)(d == c ? degree : degree - 1)));
      PetscCall(PetscStrlcat(text, line, size));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements that PETSc makes by options alone, which are gone afterwards */
static PetscErrorCode AddSpace(PetscInt dim, DMPolytopeType ct, const PlexTestField *field, PetscInt qorder,
                               PetscFE *fe)
{
  const int       d = (int)dim, degree = (int)field->degree, form = field->space == PLEX_TEST_NEDELEC ? 1 : 1 - d;
  const PetscBool tensor = (PetscBool)(field->space == PLEX_TEST_RT &&
                                       (ct == DM_POLYTOPE_QUADRILATERAL || ct == DM_POLYTOPE_HEXAHEDRON));
  char            text[4096];
  PetscOptions    options;

  PetscFunctionBegin;
  if (field->space == PLEX_TEST_BDM)
    PetscCall(PetscSNPrintf(text, sizeof(text), "-petscspace_degree %d -petscdualspace_type bdm", degree));
  else if (field->space == PLEX_TEST_ENRICHED)
    PetscCall(PetscSNPrintf(text, sizeof(text),
                            "-petscspace_type sum -petscspace_variables 3 -petscspace_components 3 "
                            "-petscspace_sum_spaces 2 -petscspace_sum_concatenate false "
                            "-sumcomp_0_petscspace_variables 3 -sumcomp_0_petscspace_components 3 "
                            "-sumcomp_0_petscspace_degree 1 -sumcomp_1_petscspace_variables 3 "
                            "-sumcomp_1_petscspace_components 3 -sumcomp_1_petscspace_type wxy "
                            "-petscdualspace_form_degree 0 -petscdualspace_order 1 -petscdualspace_components 3"));
  else
    PetscCall(PetscSNPrintf(text, sizeof(text),
                            "-petscspace_components %d -petscspace_degree %d -petscdualspace_order %d "
                            "-petscdualspace_form_degree %d -petscdualspace_lagrange_trimmed true",
                            d, tensor ? degree : degree - 1, degree, form));
  if (tensor) PetscCall(AppendTensors(dim, field->degree, text, sizeof(text)));
  else if (field->space == PLEX_TEST_RT || field->space == PLEX_TEST_NEDELEC) {
    char line[128];

    PetscCall(PetscSNPrintf(line, sizeof(line), " -petscspace_type ptrimmed -petscspace_ptrimmed_form_degree %d",
                            form));
    PetscCall(PetscStrlcat(text, line, sizeof(text)));
  }
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, text));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, dim, dim, ct, NULL, qorder, fe));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddFields(DM dm, DMPolytopeType ct, const PlexTestWeakForm *c, DMLabel part)
{
  PetscInt dim, cdim, qorder = 1;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  for (PetscInt f = 0; f < c->Nf; ++f) qorder = PetscMax(qorder, c->fields[f].degree);
  for (PetscInt f = 0; f < c->Nf; ++f) {
    PetscFE        fe;
    const PetscInt Nc = c->fields[f].components ? c->fields[f].components : cdim;

    if (c->fields[f].space >= PLEX_TEST_RT) PetscCall(AddSpace(dim, ct, &c->fields[f], qorder, &fe));
    else if (c->fields[f].space == PLEX_TEST_DISC) PetscCall(AddDisc(dm, dim, Nc, ct, qorder, &fe));
    else PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, Nc, ct, c->fields[f].degree, qorder, &fe));
    PetscCall(DMAddField(dm, part && f == c->Nf - 1 ? part : NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsTurned(DM dm, PetscInt facet, PetscBool *turned)
{
  const PetscInt *support, *cone, *orientation;
  PetscInt        n;

  PetscFunctionBegin;
  *turned = PETSC_FALSE;
  PetscCall(DMPlexGetSupport(dm, facet, &support));
  PetscCall(DMPlexGetConeSize(dm, support[0], &n));
  PetscCall(DMPlexGetCone(dm, support[0], &cone));
  PetscCall(DMPlexGetConeOrientation(dm, support[0], &orientation));
  for (PetscInt k = 0; k < n; ++k)
    if (cone[k] == facet && orientation[k] < 0) *turned = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets with two cells in turn: open (4, 5), not */
static PetscErrorCode MarkInside(DM dm, DMLabel open)
{
  PetscInt fStart, fEnd, n, found = 0;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscCall(DMPlexGetSupportSize(dm, f, &n));
    if (n == 2 && found++ % 3 < 2) PetscCall(DMLabelSetValue(open, f, 4 + found % 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary facets in turn: held in all components of field 0, in component 0 of it, open (4 and 5) */
static PetscErrorCode MarkBoundary(DM dm, PetscInt has)
{
  DMLabel   held, open;
  PetscInt  n, *facets, found[2] = {0, 0};
  PetscBool turned;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "held", &held));
  PetscCall(PlexTestGetLabel(dm, "open", &open));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    if (k % 4 < 2) PetscCall(DMLabelSetValue(held, facets[k], k % 4 + 1));
    PetscCall(IsTurned(dm, facets[k], &turned));
    if (has & LONE ? !turned || found[k % 2] : k % 4 == 0) continue;
    PetscCall(DMLabelSetValue(open, facets[k], k % 2 + 4));
    ++found[k % 2];
  }
  PetscCall(PetscFree(facets));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, found, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dm)));
  PetscCheck(found[0] || found[1], PetscObjectComm((PetscObject)dm), PETSC_ERR_PLIB, "The mesh has no such facet");
  PetscCall(DMPlexLabelComplete(dm, held));
  if (has & INSIDE) PetscCall(MarkInside(dm, open));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetForm(PetscDS ds, const PlexTestWeakForm *c, DMLabel label, PetscInt value)
{
  PetscWeakForm wf;
  PetscInt      Nf;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt i = 0; i < Nf; ++i) {
    PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 0, f0_cells, i % 2 && c->has & SPARSE ? NULL : f1_cells));
    if (c->has & SEVERAL) PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 0, f0_other, f1_other));
    if (c->has & EXPLICIT) PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 100, f0_other, f1_cells));
    for (PetscInt j = 0; j < Nf; ++j) {
      const PetscBool empty = c->has & SPARSE && i + j == 1 ? PETSC_TRUE : PETSC_FALSE;

      if (c->has & CHAIN && PetscAbsInt(i - j) > 1) continue;
      if (c->has & CONSTANT) {
        PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, g0_constant, NULL, NULL,
                                           i == j ? g3_constant : NULL));
        continue;
      }
      if (!empty && !(c->has & PRE_ONLY))
        PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, i == j ? g0_cells : NULL, g1_cells,
                                           j ? NULL : g2_cells, i == j ? g3_cells : NULL));
      if (!empty && c->has & SEVERAL)
        PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, g0_other, NULL, NULL, g3_other));
      if (c->has & PRECONDITIONER && i == j)
        PetscCall(PetscWeakFormAddJacobianPreconditioner(wf, label, value, i, j, 0, g0_other, NULL, NULL, g3_cells));
      if (c->has & DYNAMIC)
        PetscCall(PetscWeakFormAddDynamicJacobian(wf, label, value, i, j, 0, g0_other, i == j ? g1_cells : NULL, NULL,
                                                  NULL));
    }
  }
  if (c->has & UNUSED) PetscCall(PetscDSUseJacobianPreconditioner(ds, PETSC_FALSE));
  if (c->has & EXPLICIT) PetscCall(PetscDSSetImplicit(ds, Nf - 1, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One boundary with two values and a Jacobian, one without, one that is of no type; functions that PETSc does not
   use */
static PetscErrorCode AddNatural(DM dm, PetscDS ds, const PlexTestWeakForm *c)
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
    PetscCall(PetscWeakFormAddBdResidual(wf, label, values[v], 0, 0, f0_facets, v ? NULL : f1_facets));
    if (v) PetscCall(PetscWeakFormAddBdResidual(wf, label, values[v], 0, 0, f0_other_facets, f1_facets));
    for (PetscInt j = 0; j < c->Nf; ++j)
      PetscCall(PetscWeakFormAddBdJacobian(wf, label, values[v], 0, j, 0, g0_facets, g1_facets, v ? g2_facets : NULL,
                                           v ? g3_facets : NULL));
    for (PetscInt j = 0; j < c->Nf && c->has & FACETS_PRE; ++j)
      PetscCall(PetscWeakFormAddBdJacobianPreconditioner(wf, label, values[v], 0, j, 0, g0_facets, NULL, NULL,
                                                         v ? NULL : g3_facets));
  }
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL_FIELD, "more", label, 1, values, c->Nf - 1, 0, NULL, NULL, NULL, NULL,
                          &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormAddBdResidual(wf, label, values[0], c->Nf - 1, 0, f0_other_facets, NULL));
  PetscCall(PetscDSSetBdResidual(ds, 0, f0_facets, f1_facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three of eight cells are in the part: the first ones, so that some processes have none. With two matrices every other
   one, which all processes have: else some would wait in PETSc's DMPlexComputeJacobianByKey() for those without
   cells. */
static PetscErrorCode MarkPart(DM dm, PetscInt has)
{
  DMLabel  label;
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "part of it", &label));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt cell = cStart; has & PRECONDITIONER ? cell < cEnd : 8 * (cell - cStart) < 3 * (cEnd - cStart);
       cell += has & PRECONDITIONER ? 2 : 1)
    PetscCall(DMLabelSetValue(label, cell, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestAddAuxiliary(DM dm, DM mesh, const PlexTestWeakForm *c)
{
  const PlexTestWeakForm aux = {
    .Nf     = c->has & NINE_AUX ? 9 : 2,
    .fields = {{1, 1, PLEX_TEST_LAGRANGE},
               {0, 0, PLEX_TEST_LAGRANGE},
               {1, 2, PLEX_TEST_LAGRANGE},
               {2, 1, PLEX_TEST_LAGRANGE},
               {0, 1, PLEX_TEST_LAGRANGE},
               {1, 1, PLEX_TEST_LAGRANGE},
               {0, 2, PLEX_TEST_LAGRANGE},
               {1, 1, PLEX_TEST_LAGRANGE},
               {2, 1, PLEX_TEST_LAGRANGE}}
  };
  DM      dmAux;
  Vec     a;
  PetscFE fe, main;
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(DMClone(mesh, &dmAux));
  if (c->has & DEVICE) PetscCall(DMSetVecType(dmAux, VECCUDA));
  PetscCall(AddFields(dmAux, c->cell, &aux, NULL));
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&main));
  for (PetscInt f = 0; f < aux.Nf; ++f) {
    PetscCall(DMGetField(dmAux, f, NULL, (PetscObject *)&fe));
    PetscCall(PetscFECopyQuadrature(main, fe));
  }
  PetscCall(DMCreateDS(dmAux));
  PetscCall(PlexTestLocalVector(dmAux, 5, &a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  if (c->has & OWN_AUX) {
    PetscCall(DMGetLabel(dm, "open", &label));
    PetscCall(PlexTestLocalVector(dmAux, 6, &a));
    PetscCall(DMSetAuxiliaryVec(dm, label, 5, 0, a));
    PetscCall(VecDestroy(&a));
  }
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layer of prisms over irregular triangles */
static PetscErrorCode PrismMesh(DM *dm)
{
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(PlexTestPrisms(1, dm));
  PetscCall(PlexTestGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A periodic box, of triangles where asked; its coordinates are bent */
static PetscErrorCode PeriodicMesh(const PlexTestWeakForm *c, DM *dm)
{
  const PetscInt       faces[3] = {3, 3, 2};
  const DMBoundaryType types[3] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE};
  const PetscInt       dim      = DMPolytopeTypeGetDim(c->cell);
  const PetscBool      simplex  = c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON ? PETSC_TRUE
                                                                                                        : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, types, PETSC_TRUE, 0, PETSC_TRUE,
                                dm));
  if (simplex) {
    DMPlexTransform tr;
    DM              split;

    PetscCall(DMPlexTransformCreate(PETSC_COMM_WORLD, &tr));
    PetscCall(DMPlexTransformSetType(tr, DMPLEXREFINETOSIMPLEX));
    PetscCall(DMPlexTransformSetDM(tr, *dm));
    PetscCall(DMPlexTransformSetUp(tr));
    PetscCall(DMPlexTransformApply(tr, *dm, &split));
    PetscCall(DMPlexTransformDestroy(&tr));
    PetscCall(DMDestroy(dm));
    *dm = split;
    PetscCall(DMLocalizeCoordinates(*dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMove(DM dm, PetscBool exchange)
{
  Vec          coordinates, moved;
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  if (exchange) {
    PetscCall(VecDuplicate(coordinates, &moved));
    PetscCall(VecCopy(coordinates, moved));
  } else {
    moved = coordinates;
    PetscCall(PetscObjectReference((PetscObject)moved));
  }
  PetscCall(VecGetLocalSize(moved, &n));
  PetscCall(VecGetArray(moved, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    for (PetscInt d = 0; d < dim; ++d)
      x[i + d] = 1.2 * x[i + d] + 0.01 * PetscSinReal(7. * PetscRealPart(x[i + (d + 1) % dim]) + d);
  }
  PetscCall(VecRestoreArray(moved, &x));
  if (exchange) PetscCall(DMSetCoordinatesLocal(dm, moved));
  PetscCall(VecDestroy(&moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh, distributed, its cells and facets marked; of an enclosing one the part and the whole, else twice the
   same */
static PetscErrorCode CreateMesh(const PlexTestWeakForm *c, DM *dm, DM *whole)
{
  const PetscInt  overlap = c->has & OVERLAP ? 1 : 0;
  const PetscBool idle    = c->has & IDLE ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (c->has & PERIODIC) PetscCall(PeriodicMesh(c, dm));
  else if (c->cell == DM_POLYTOPE_TRI_PRISM) PetscCall(PrismMesh(dm));
  else
    PetscCall(PlexTestMeshInSpace(PETSC_COMM_WORLD, c->cell,
                                  DMPolytopeTypeGetDim(c->cell) + (c->has & BENT    ? 1
                                                                   : c->has & BENT2 ? 2
                                                                                    : 0),
                                  0, dm));
  if (c->has & ENCLOSING) {
    PetscCall(PlexTestMarkCells(*dm, c->cells));
    PetscCall(PlexTestDistribute(dm, overlap, idle));
    *whole = *dm;
    PetscCall(PlexTestFilterCells(*whole, dm));
    PetscCall(MarkBoundary(*dm, c->has));
  } else {
    PetscCall(PlexTestKeepCells(dm, c->cells));
    if (c->has & CURVED) PetscCall(PlexTestCurve(*dm, 2));
    PetscCall(MarkBoundary(*dm, c->has));
    if (c->has & REGION) PetscCall(MarkPart(*dm, c->has));
    PetscCall(PlexTestDistribute(dm, overlap, idle));
    *whole = *dm;
    PetscCall(PetscObjectReference((PetscObject)*whole));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestWeakFormCreate(const PlexTestWeakForm *c, DM *dm)
{
  const PetscInt    one = 1, two = 2, component = 0;
  const PetscScalar constants[2] = {PLEX_TEST_VALUE(0.7, 0.4), PLEX_TEST_VALUE(-0.3, 0.2)};
  DM                whole;
  DMLabel           held, part = NULL, label;
  PetscDS           ds;
  PetscInt          Nds;
  DMField           field;

  PetscFunctionBegin;
  PetscCall(CreateMesh(c, dm, &whole));
  /* PETSc makes it together, when first needed, but would not ask a process without cells */
  PetscCall(DMGetCoordinateField(*dm, &field));
  if (c->has & DEVICE) PetscCall(PlexTestUseDevice(*dm));
  if (c->has & REGION) PetscCall(DMGetLabel(*dm, "part of it", &part));
  PetscCall(AddFields(*dm, c->cell, c, part));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetNumDS(*dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(*dm, s, &label, NULL, &ds, NULL));
    PetscCall(SetForm(ds, c, label, label ? 1 : 0));
    PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  }
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(DMGetLabel(*dm, "held", &held));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                          NULL, NULL));
  /* dofs of vectors have no component */
  if (c->fields[0].space < PLEX_TEST_RT)
    PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "guided", held, 1, &two, 0, 1, &component,
                            (PetscVoidFn *)PlexTestZero, NULL, NULL, NULL));
  if (c->has & FACETS) PetscCall(AddNatural(*dm, ds, c));
  if (c->has & (AUX | ENCLOSING)) PetscCall(PlexTestAddAuxiliary(*dm, c->has & ENCLOSING ? whole : *dm, c));
  PetscCall(DMDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}
