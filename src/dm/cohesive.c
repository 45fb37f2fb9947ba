/*
  Cohesive cells (hybrid cells, faults) as elements: prisms of zero volume between two sides, each a face of a cell that
  fills space.

  As in DMPlexComputeResidualHybridByKey(), test and trial functions are those of a side: of the PetscDS whose cells are
  one dimension lower. Fields are evaluated in the cells behind both sides: of the PetscDS "in", with the bases of those
  cells at the points of their faces.
*/
#include "elementsimpl.h"

/* What is read of the DM, once */
typedef struct {
  PlexElements    el;
  DM              dm, dmAux;
  PetscDS         ds, in, aux; /* of the sides; of the cells behind them; of auxiliary fields, or NULL */
  PetscBool       auxOnSide;   /* their cells are one dimension lower */
  PetscInt        Nf, NfAux;   /* of the PetscDS */
  PetscQuadrature quad;
} PlexCohesiveSource;

PetscErrorCode PlexCohesiveDestroy(PlexCohesive *cohesive)
{
  PlexCohesive c = *cohesive;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(c->field, c->side));
  PetscCall(PetscFree4(c->uOff, c->uOff_x, c->aOff, c->aOff_x));
  PetscCall(PetscFree5(c->first, c->nodes, c->table, c->row, c->frame));
  PetscCall(PetscFree(c->places));
  PetscCall(PetscFree(c->tables));
  PetscCall(PetscFree(*cohesive));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexIntegralSetCohesive(PetscInt region, PetscInt side, const PetscFormKey keys[3], IS cells, PlexIntegral *it)
{
  *it             = (PlexIntegral){.region = region, .facets = PETSC_TRUE, .cohesive = side + 1, .cells = cells};
  it->label       = keys[side].label;
  it->value       = keys[side].value;
  it->part        = keys[side].part;
  it->across      = keys[2];
  it->auxValue[0] = it->auxValue[1] = it->value;
}

/* The cell behind a side */
static PetscErrorCode PlexCohesiveGetNeighbour(DM dm, PetscInt cell, PetscInt side, PetscInt *neighbour)
{
  const PetscInt *cone, *support;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCone(dm, cell, &cone));
  PetscCall(DMPlexGetSupport(dm, cone[side], &support));
  *neighbour = support[0] == cell ? support[1] : support[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Fields and tables ---- */

static PetscErrorCode PlexCohesiveRead(PlexElements el, PlexCohesiveSource *s)
{
  PlexIntegral *it = &el->integral;
  PetscFE       fe;
  Vec           aux;
  PetscInt      dim;

  PetscFunctionBegin;
  *s = (PlexCohesiveSource){.el = el, .dm = el->dm, .ds = el->ds};
  PetscCall(DMGetRegionNumDS(el->dm, it->region, NULL, NULL, NULL, &s->in));
  PetscCall(PetscDSGetNumFields(s->ds, &s->Nf));
  PetscCall(PetscDSGetDiscretization(s->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &s->quad));
  PetscCall(PlexIntegralGetAuxiliary(el->dm, it, it->residual ? 0 : 1, &aux));
  if (!aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetDM(aux, &s->dmAux));
  PetscCall(DMGetDS(s->dmAux, &s->aux));
  PetscCall(PetscDSGetNumFields(s->aux, &s->NfAux));
  PetscCall(PetscDSGetSpatialDimension(s->aux, &dim));
  s->auxOnSide = (PetscBool)(dim == el->cellDim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The basis of one component that field f is evaluated with, behind the tables that are there */
static PetscErrorCode PlexCohesiveAddTable(PlexElements el, PetscInt f, PetscTabulation T)
{
  PlexCohesive   c   = el->cohesive;
  const PetscInt dim = el->dim, rows = T->Nr * T->Np;
  PetscReal     *phi, *dphi, *to;
  PetscBool      nodal;

  PetscFunctionBegin;
  PetscCall(PlexTabulationGetNodes(T, dim, &c->nodes[f], &phi, &dphi, &nodal));
  c->table[f] = c->size;
  PetscCall(PetscRealloc(sizeof(PetscReal) * (c->size + rows * c->nodes[f] * (1 + dim)), &c->tables));
  to = &c->tables[c->size];
  for (PetscInt k = 0; k < rows * c->nodes[f]; ++k) {
    *to++ = phi[k];
    for (PetscInt d = 0; d < dim; ++d) *to++ = dphi[k * dim + d];
  }
  c->size += rows * c->nodes[f] * (1 + dim);
  PetscCall(PetscFree(phi));
  PetscCall(PetscFree(dphi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Field f of the PetscDS on one side (0, 1), or in the cohesive cells (2), as the elements' next field k */
static PetscErrorCode PlexCohesiveAddField(const PlexCohesiveSource *s, PetscInt f, PetscInt side, PetscInt k)
{
  PlexElements    el = s->el;
  PlexCohesive    c  = el->cohesive;
  PetscFE         fe, in;
  PetscTabulation T;
  PetscInt        size, sizeIn;
  PetscBool       nodal;

  PetscFunctionBegin;
  c->field[k] = f;
  c->side[k] = c->row[k] = c->frame[k] = side;
  PetscCall(PetscDSGetDiscretization(s->ds, f, (PetscObject *)&fe));
  PetscCall(PetscDSGetDiscretization(s->in, f, (PetscObject *)&in));
  PetscCall(PetscDSGetFieldSize(s->ds, f, &size));
  PetscCall(PetscDSGetFieldSize(s->in, f, &sizeIn));
  PetscCall(PetscDSGetFieldOffsetCohesive(s->ds, f, &el->offset[k]));
  PetscCall(PetscDSGetFieldOffsetCohesive(s->in, f, &c->first[k]));
  if (side == 1) el->offset[k] += size;
  if (side == 1) c->first[k] += sizeIn;
  PetscCall(PetscFEGetNumComponents(fe, &el->Nc[k]));
  PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, el->dim, &el->Nn[k], &el->phi[k], &el->dphi[k], &nodal));
  if (side < 2) PetscCall(PetscFEGetFaceTabulation(in, 1, &T));
  PetscCall(PlexCohesiveAddTable(el, k, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary field a, of which the elements' own tables are not used. PETSc transforms its gradient with the geometry of
   the negative side */
static PetscErrorCode PlexCohesiveAddAuxiliary(const PlexCohesiveSource *s, PetscInt a)
{
  PlexElements    el = s->el;
  PlexCohesive    c  = el->cohesive;
  const PetscInt  k  = el->Nf + a;
  PetscFE         fe;
  PetscTabulation T;

  PetscFunctionBegin;
  c->row[k]   = s->auxOnSide ? 2 : el->integral.cohesive - 1;
  c->frame[k] = 2;
  PetscCall(PetscDSGetDiscretization(s->aux, a, (PetscObject *)&fe));
  PetscCall(PetscDSGetFieldOffset(s->aux, a, &c->first[k]));
  el->offset[k] = el->ef + c->first[k];
  PetscCall(PetscFEGetNumComponents(fe, &el->Nc[k]));
  if (s->auxOnSide) PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
  else PetscCall(PetscFEGetFaceTabulation(fe, 1, &T));
  PetscCall(PlexCohesiveAddTable(el, k, T));
  el->Nn[k] = c->nodes[k];
  PetscCall(PetscCalloc1(el->Nq * el->Nn[k], &el->phi[k]));
  PetscCall(PetscCalloc1(el->Nq * el->Nn[k] * el->dim, &el->dphi[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What pointwise functions are told of components: a residual of "in", a Jacobian of the sides */
static PetscErrorCode PlexCohesiveSetOffsets(const PlexCohesiveSource *s)
{
  PlexElements  el = s->el;
  PlexCohesive  c  = el->cohesive;
  const PetscDS of = el->integral.residual ? s->in : s->ds;
  PetscInt     *from;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(s->Nf + 1, &c->uOff, s->Nf + 1, &c->uOff_x, s->NfAux + 1, &c->aOff, s->NfAux + 1, &c->aOff_x));
  PetscCall(PetscDSGetComponentOffsetsCohesive(of, 0, &from));
  PetscCall(PetscArraycpy(c->uOff, from, s->Nf + 1));
  PetscCall(PetscDSGetComponentDerivativeOffsetsCohesive(of, el->integral.cohesive - 1, &from));
  PetscCall(PetscArraycpy(c->uOff_x, from, s->Nf + 1));
  if (!s->aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDSGetComponentOffsets(s->aux, &from));
  PetscCall(PetscArraycpy(c->aOff, from, s->NfAux + 1));
  PetscCall(PetscDSGetComponentDerivativeOffsets(s->aux, &from));
  PetscCall(PetscArraycpy(c->aOff_x, from, s->NfAux + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCohesiveSetFields(const PlexCohesiveSource *s)
{
  PlexElements     el = s->el;
  PlexCohesive     c  = el->cohesive;
  const PetscReal *weights;
  PetscInt         cohesive, n, k = 0;
  PetscBool        is;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumCohesive(s->ds, &cohesive));
  el->Nf    = 2 * s->Nf - cohesive;
  el->NfAux = s->NfAux;
  n         = el->Nf + el->NfAux;
  c->Nf     = s->Nf;
  PetscCall(PlexElementsAllocateFields(el, n));
  PetscCall(PetscCalloc2(el->Nf, &c->field, el->Nf, &c->side));
  PetscCall(PetscCalloc5(n, &c->first, n, &c->nodes, n, &c->table, n, &c->row, n, &c->frame));
  PetscCall(PetscQuadratureGetData(s->quad, NULL, NULL, &el->Nq, NULL, &weights));
  PetscCall(PetscMalloc1(el->Nq, &el->weights));
  PetscCall(PetscArraycpy(el->weights, weights, el->Nq));
  PetscCall(PetscDSGetTotalDimension(s->ds, &el->ef));
  PetscCall(PetscDSGetTotalDimension(s->in, &c->ei));
  if (s->aux) PetscCall(PetscDSGetTotalDimension(s->aux, &el->ea));
  for (PetscInt f = 0; f < s->Nf; ++f) {
    PetscCall(PetscDSGetCohesive(s->ds, f, &is));
    for (PetscInt side = is ? 2 : 0; side < (is ? 3 : 2); ++side) PetscCall(PlexCohesiveAddField(s, f, side, k++));
  }
  for (PetscInt a = 0; a < s->NfAux; ++a) PetscCall(PlexCohesiveAddAuxiliary(s, a));
  PetscCall(PlexCohesiveSetOffsets(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Dofs ---- */

/* A vector of n entries, each its own number: PETSc's closures of it are positions */
static PetscErrorCode PlexNumbersCreate(PetscInt n, Vec *numbers)
{
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, numbers));
  PetscCall(VecGetArrayWrite(*numbers, &array));
  for (PetscInt k = 0; k < n; ++k) array[k] = (PetscReal)k;
  PetscCall(VecRestoreArrayWrite(*numbers, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The positions of a point's closure from `from` on, n of them; size: of the closure, PETSC_DETERMINE: any */
static PetscErrorCode PlexCohesiveGather(DM dm, PetscSection section, Vec numbers, PetscInt point, PetscInt size,
                                         PetscInt from, PetscInt n, int to[])
{
  PetscScalar *values = NULL;
  PetscInt     has;

  PetscFunctionBegin;
  PetscCall(DMPlexVecGetClosure(dm, section, numbers, point, &has, &values));
  PetscCheck(from + n <= has && (size == PETSC_DETERMINE || size == has), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The closure of point %" PetscInt_FMT " has %" PetscInt_FMT " dofs, and its PetscDS %" PetscInt_FMT, point,
             has, size == PETSC_DETERMINE ? from + n : size);
  for (PetscInt k = 0; k < n; ++k) to[k] = (int)PetscRealPart(values[from + k]);
  PetscCall(DMPlexVecRestoreClosure(dm, section, numbers, point, &has, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dofs of a cohesive cell: those of its own closure, and those that are evaluated, as DMPlexGetHybridCellFields() has
   them */
static PetscErrorCode PlexCohesiveGatherFields(const PlexCohesiveSource *s, PetscSection section, Vec numbers,
                                               PetscInt e)
{
  PlexElements el     = s->el;
  PlexCohesive c      = el->cohesive;
  int         *places = &c->places[(size_t)e * PlexCohesivePlaces(el)];

  PetscFunctionBegin;
  PetscCall(PlexCohesiveGather(s->dm, section, numbers, el->cells[e], el->ef, 0, el->ef,
                               &el->dofs[(size_t)e * el->ef]));
  for (PetscInt k = 0; k < el->Nf; ++k) {
    PetscInt point = el->cells[e], from, size;
    PetscDS  ds    = s->ds;

    PetscCall(PetscDSGetFieldSize(s->in, c->field[k], &size));
    if (c->side[k] < 2) {
      PetscCall(PlexCohesiveGetNeighbour(s->dm, el->cells[e], c->side[k], &point));
      PetscCall(DMGetCellDS(s->dm, point, &ds, NULL));
      PetscCall(PetscDSGetFieldOffset(ds, c->field[k], &from));
    } else PetscCall(PetscDSGetFieldOffsetCohesive(ds, c->field[k], &from));
    PetscCall(PlexCohesiveGather(s->dm, section, numbers, point, PETSC_DETERMINE, from, size, &places[c->first[k]]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of auxiliary fields: of the cell itself, or of the cell behind its side. PETSc takes the latter's closure with
   the orientation that the side has in the cohesive cell */
static PetscErrorCode PlexCohesiveGatherAuxiliary(const PlexCohesiveSource *s, DMEnclosureType enclosure,
                                                  PetscSection section, Vec numbers, PetscInt e)
{
  PlexElements    el     = s->el;
  const PetscInt  side   = el->integral.cohesive - 1;
  PetscInt        point  = el->cells[e], has, sub;
  PetscScalar    *values = NULL;
  const PetscInt *ornt;

  PetscFunctionBegin;
  PetscCall(DMPlexGetConeOrientation(s->dm, el->cells[e], &ornt));
  if (side < 2) PetscCall(PlexCohesiveGetNeighbour(s->dm, el->cells[e], side, &point));
  PetscCall(DMGetEnclosurePoint(s->dmAux, s->dm, enclosure, point, &sub));
  if (side < 2)
    PetscCall(DMPlexVecGetOrientedClosure(s->dmAux, section, PETSC_FALSE, numbers, sub, ornt[side], &has, &values));
  else PetscCall(DMPlexVecGetClosure(s->dmAux, section, numbers, sub, &has, &values));
  PetscCheck(has == el->ea, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The closure of point %" PetscInt_FMT " of the auxiliary fields has %" PetscInt_FMT
             " dofs, and their PetscDS %" PetscInt_FMT,
             sub, has, el->ea);
  for (PetscInt k = 0; k < has; ++k) el->dofsAux[(size_t)e * el->ea + k] = (int)PetscRealPart(values[k]);
  PetscCall(DMPlexVecRestoreClosure(s->dmAux, section, numbers, sub, &has, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCohesiveSetDofs(const PlexCohesiveSource *s)
{
  PlexElements    el = s->el;
  PetscSection    section;
  DMEnclosureType enclosure;
  Vec             numbers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)el->Ne * el->ef, &el->dofs));
  PetscCall(PetscCalloc1((size_t)el->Ne * PlexCohesivePlaces(el), &el->cohesive->places));
  PetscCall(DMGetLocalSection(s->dm, &section));
  PetscCall(PlexNumbersCreate(el->Nl, &numbers));
  for (PetscInt e = 0; e < el->Ne; ++e) PetscCall(PlexCohesiveGatherFields(s, section, numbers, e));
  PetscCall(VecDestroy(&numbers));
  if (!s->aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)s->dmAux, &el->auxId));
  PetscCall(DMGetLocalSection(s->dmAux, &section));
  PetscCall(PlexSectionGetSize(section, &el->NlAux));
  PetscCall(DMGetEnclosureRelation(s->dmAux, s->dm, &enclosure));
  PetscCall(PetscMalloc1((size_t)el->Ne * el->ea, &el->dofsAux));
  PetscCall(PlexNumbersCreate(el->NlAux, &numbers));
  for (PetscInt e = 0; e < el->Ne; ++e) PetscCall(PlexCohesiveGatherAuxiliary(s, enclosure, section, numbers, e));
  PetscCall(VecDestroy(&numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Geometry ---- */

/* PETSc's geometry of the sides, and of the cells behind them: two of an element. It lives no longer than the field */
typedef struct {
  PetscFEGeom    *sides, *cells;
  PetscQuadrature quadSides, quadCells;
} PlexCohesiveGeometry;

static PetscErrorCode PlexCohesiveCreateIS(PlexElements el, PetscBool neighbours, IS *points)
{
  PetscInt *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * el->Ne, &p));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    const PetscInt *cone;

    PetscCall(DMPlexGetCone(el->dm, el->cells[e], &cone));
    for (PetscInt side = 0; side < 2; ++side) {
      p[2 * e + side] = cone[side];
      if (neighbours) PetscCall(PlexCohesiveGetNeighbour(el->dm, el->cells[e], side, &p[2 * e + side]));
    }
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 2 * el->Ne, p, PETSC_OWN_POINTER, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The quadrature of the cells behind the sides, where these are not affine: PETSc takes for a residual that of the
   first field that is not cohesive, number by number, and for a Jacobian the geometry of the sides */
static PetscErrorCode PlexCohesiveGetCellQuadrature(PlexElements el, PetscQuadrature *quad)
{
  PlexCohesive c = el->cohesive;
  PetscDS      in;
  PetscFE      fe;
  PetscInt     k = 0;

  PetscFunctionBegin;
  PetscCall(DMGetRegionNumDS(el->dm, el->integral.region, NULL, NULL, NULL, &in));
  while (k < el->Nf - 1 && c->side[k] == 2) ++k;
  PetscCall(PetscDSGetDiscretization(in, c->field[k], (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, quad));
  PetscCall(PetscObjectReference((PetscObject)*quad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCohesiveCreateGeometry(PlexElements el, DMField field, PlexCohesiveGeometry *g)
{
  IS       cells, sides, neighbours;
  PetscFE  fe;
  PetscInt degree, dim;

  PetscFunctionBegin;
  *g = (PlexCohesiveGeometry){.cells = NULL};
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, el->Ne, el->cells, PETSC_USE_POINTER, &cells));
  PetscCall(PlexCohesiveCreateIS(el, PETSC_FALSE, &sides));
  PetscCall(PlexCohesiveCreateIS(el, PETSC_TRUE, &neighbours));
  PetscCall(DMFieldGetDegree(field, cells, NULL, &degree));
  if (degree <= 1) {
    PetscCall(DMFieldCreateDefaultQuadrature(field, sides, &g->quadSides));
    PetscCall(PetscQuadratureGetData(g->quadSides, &dim, NULL, NULL, NULL, NULL));
    PetscCall(DMFieldCreateDefaultFaceQuadrature(field, neighbours, &g->quadCells));
    PetscCall(PetscQuadratureSetData(g->quadCells, dim + 1, PETSC_DECIDE, PETSC_DECIDE, NULL, NULL));
  } else {
    PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetQuadrature(fe, &g->quadSides));
    PetscCall(PetscObjectReference((PetscObject)g->quadSides));
    if (el->integral.residual) PetscCall(PlexCohesiveGetCellQuadrature(el, &g->quadCells));
  }
  PetscCall(DMFieldCreateFEGeom(field, sides, g->quadSides, PETSC_FEGEOM_COHESIVE, &g->sides));
  if (g->quadCells) PetscCall(DMFieldCreateFEGeom(field, neighbours, g->quadCells, PETSC_FEGEOM_BASIC, &g->cells));
  PetscCall(ISDestroy(&cells));
  PetscCall(ISDestroy(&sides));
  PetscCall(ISDestroy(&neighbours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCohesiveGeometryReset(PlexCohesiveGeometry *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFEGeomDestroy(&g->sides));
  if (g->cells) PetscCall(PetscFEGeomDestroy(&g->cells));
  PetscCall(PetscQuadratureDestroy(&g->quadSides));
  PetscCall(PetscQuadratureDestroy(&g->quadCells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the tables at point q on both sides: the face of the cell behind, and the point of it that q is. PETSc turns
   the points of the positive side the other way round in a Jacobian */
static PetscErrorCode PlexCohesiveGetRows(PlexElements el, const PlexCohesiveGeometry *g, PetscInt e, PetscInt q,
                                          int rows[2])
{
  const PetscInt *negative = g->sides->face[2 * e], *positive = g->sides->face[2 * e + 1];
  const PetscInt  face[2] = {negative[0], positive[2]}, own[2] = {negative[1], positive[3]},
                  across[2] = {negative[3], positive[1]};
  PetscQuadrature quad;
  PetscFE         fe;
  DMPolytopeType  ct;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetCellType(quad, &ct));
  for (PetscInt side = 0; side < 2; ++side) {
    const PetscBool turned = (PetscBool)(side && !el->integral.residual);
    const PetscInt  o      = DMPolytopeTypeComposeOrientationInv(ct, turned ? own[side] : across[side],
                                                                 turned ? across[side] : own[side]);
    PetscInt        p;

    PetscCall(PetscDSPermuteQuadPoint(el->ds, o, 0, q, &p));
    rows[side] = (int)(face[side] * el->Nq + p);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records of facets, in PETSc's order of points, and the rows of tables */
PetscErrorCode PlexElementsUpdateCohesive(PlexElements el)
{
  const PetscInt       dim = el->dim, dd = dim * dim;
  PlexCohesiveGeometry g;
  PetscQuadrature      quad;
  PetscFE              fe;
  DMField              field;
  const PetscReal     *xi;
  PetscReal           *r = el->facet;

  PetscFunctionBegin;
  PetscCall(PlexCreateCoordinateField(el->dm, &field)); /* on all processes */
  if (!el->Ne) {
    PetscCall(DMFieldDestroy(&field));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, NULL, &xi, NULL));
  PetscCall(PlexCohesiveCreateGeometry(el, field, &g));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    int        *rows = &el->cohesive->places[(size_t)e * PlexCohesivePlaces(el) + el->cohesive->ei];
    PetscReal   x[3];
    PetscFEGeom point = {.v = x}, behind[2] = {{.v = NULL}, {.v = NULL}};

    for (PetscInt q = 0; q < el->Nq; ++q, r += PLEX_COHESIVE_SIZE(dim)) {
      PetscCall(PlexCohesiveGetRows(el, &g, e, q, &rows[2 * q]));
      PetscCall(PetscFEGeomGetPoint(g.sides, 2 * e, q, &xi[q * g.sides->dim], &point));
      for (PetscInt side = 0; side < 2; ++side)
        PetscCall(PetscFEGeomGetPoint(g.cells ? g.cells : g.sides, 2 * e + side, q, NULL, &behind[side]));
      PetscCall(PetscArraycpy(r, point.v, dim));
      PetscCall(PetscArraycpy(r + dim, point.n, dim));
      r[2 * dim]     = point.detJ[0] * el->weights[q];
      r[2 * dim + 1] = 0.; /* PETSc sets no volume */
      for (PetscInt side = 0; side < 2; ++side)
        PetscCall(PetscArraycpy(r + 2 * dim + 2 + side * dd, behind[side].invJ, dd));
      PetscCall(PetscArraycpy(r + 2 * dim + 2 + 2 * dd, point.invJ, dd));
    }
  }
  PetscCall(PlexCohesiveGeometryReset(&g));
  PetscCall(DMFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsSetUpCohesive(PlexElements el)
{
  PlexCohesiveSource s;
  const PetscInt    *cells;

  PetscFunctionBegin;
  --el->cellDim; /* of the sides */
  PetscCall(PetscNew(&el->cohesive));
  PetscCall(PlexCohesiveRead(el, &s));
  PetscCall(PlexCohesiveSetFields(&s));
  PetscCall(ISGetLocalSize(el->integral.cells, &el->Ne));
  PetscCall(ISGetIndices(el->integral.cells, &cells));
  PetscCall(PetscMalloc1(el->Ne, &el->cells));
  PetscCall(PetscArraycpy(el->cells, cells, el->Ne));
  PetscCall(ISRestoreIndices(el->integral.cells, &cells));
  if (el->Ne) PetscCall(DMPlexGetCellType(el->dm, el->cells[0], &el->cellType));
  el->faces = 1; /* one set of tables for test and trial functions */
  PetscCall(PetscCalloc1(2, &el->faceStart));
  el->faceStart[1] = el->Ne;
  PetscCall(PlexCohesiveSetDofs(&s));
  PetscCall(PetscMalloc1((size_t)el->Ne * el->Nq * PLEX_COHESIVE_SIZE(el->dim), &el->facet));
  PetscCall(PlexElementsUpdateCohesive(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
