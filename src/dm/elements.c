/* Element maps: which cells there are and which local dofs each of them holds. */
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h> /* the dofs of millions of points are read where they are */

/* The points of the cells' dimension, and the label of ghost cells; NULL: there are none */
static PetscErrorCode PlexGetCellPoints(DM dm, IS *cellIS, DMLabel *ghost)
{
  PetscInt depth;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepth(dm, &depth));
  PetscCall(DMGetStratumIS(dm, "dim", depth, cellIS));
  if (!*cellIS) PetscCall(DMGetStratumIS(dm, "depth", depth, cellIS));
  PetscCall(DMGetLabel(dm, "ghost", ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexIsIntegrated(DMLabel ghost, DMLabel region, PetscInt cell, PetscBool *is)
{
  PetscInt value = -1;

  PetscFunctionBegin;
  *is = PETSC_TRUE;
  if (ghost) PetscCall(DMLabelGetValue(ghost, cell, &value));
  if (region) PetscCall(DMLabelStratumHasPoint(region, 1, cell, is));
  if (value > 0) *is = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const PetscInt *from; /* NULL: points follow each other */
  PetscInt        first, *to;
} PlexCellCopy;

static void PlexCellCopyLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexCellCopy *copy = (const PlexCellCopy *)ctx;

  for (PetscInt c = begin; c < end; ++c) copy->to[c] = copy->from ? copy->from[c] : copy->first + c;
}

PetscErrorCode PlexGetIntegratedCells(DM dm, DMLabel region, PetscInt *Ne, PetscInt *cells[])
{
  PlexCellCopy copy = {.from = NULL};
  IS           cellIS;
  DMLabel      ghost;
  PetscInt     n, step = 0;
  PetscBool    stride;

  PetscFunctionBegin;
  *Ne    = 0;
  *cells = NULL;
  PetscCall(PlexGetCellPoints(dm, &cellIS, &ghost));
  if (!cellIS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(cellIS, &n));
  PetscCall(PetscMalloc1(n, cells));
  PetscCall(PetscObjectTypeCompare((PetscObject)cellIS, ISSTRIDE, &stride));
  if (stride) PetscCall(ISStrideGetInfo(cellIS, &copy.first, &step));
  if (step != 1) PetscCall(ISGetIndices(cellIS, &copy.from));
  copy.to = *cells;
  PetscCall(PlexThreadsRun(n, PLEX_SECTION_LEAST, PlexCellCopyLoop, &copy));
  if (step != 1) PetscCall(ISRestoreIndices(cellIS, &copy.from));
  PetscCall(ISDestroy(&cellIS));
  *Ne = n;
  if (!ghost && !region) PetscFunctionReturn(PETSC_SUCCESS);
  *Ne = 0;
  for (PetscInt c = 0; c < n; ++c) {
    PetscBool is;

    PetscCall(PlexIsIntegrated(ghost, region, (*cells)[c], &is));
    if (is) (*cells)[(*Ne)++] = (*cells)[c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetFirstIntegratedCell(DM dm, DMLabel region, PetscInt *cell)
{
  IS        cellIS;
  DMLabel   ghost;
  PetscInt  n, first = 0, step = 0;
  PetscBool stride, is = PETSC_FALSE;

  PetscFunctionBegin;
  *cell = -1;
  PetscCall(PlexGetCellPoints(dm, &cellIS, &ghost));
  if (!cellIS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(cellIS, &n));
  PetscCall(PetscObjectTypeCompare((PetscObject)cellIS, ISSTRIDE, &stride));
  if (stride) PetscCall(ISStrideGetInfo(cellIS, &first, &step));
  if (stride) {
    for (PetscInt c = 0; c < n && !is; ++c) PetscCall(PlexIsIntegrated(ghost, region, *cell = first + step * c, &is));
  } else {
    const PetscInt *points;

    PetscCall(ISGetIndices(cellIS, &points));
    for (PetscInt c = 0; c < n && !is; ++c) PetscCall(PlexIsIntegrated(ghost, region, *cell = points[c], &is));
    PetscCall(ISRestoreIndices(cellIS, &points));
  }
  if (!is) *cell = -1;
  PetscCall(ISDestroy(&cellIS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetCellType(DM dm, PetscInt Ne, const PetscInt cells[], DMPolytopeType *type)
{
  DMPolytopeType ct;
  PetscMPIInt    highest = -1;

  PetscFunctionBegin;
  if (Ne) {
    PetscCall(DMPlexGetCellType(dm, cells[0], &ct));
    highest = (PetscMPIInt)ct;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dm)));
  *type = (DMPolytopeType)highest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegralSetRegion(DM dm, PetscInt region, PlexIntegral *integral)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(integral, sizeof(*integral)));
  integral->region   = region;
  integral->residual = integral->jacobian = PETSC_TRUE;
  PetscCall(DMGetRegionNumDS(dm, region, &integral->label, NULL, NULL, NULL));
  integral->value = integral->auxValue[0] = integral->auxValue[1] = integral->label ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexClosureSize(DM dm, PetscSection section, PetscInt cell, PetscInt *n)
{
  PetscInt np, *closure = NULL, pStart, pEnd;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &np, &closure));
  for (PetscInt k = 0; k < np; ++k) {
    PetscInt dof;

    if (closure[2 * k] < pStart || closure[2 * k] >= pEnd) continue;
    PetscCall(PetscSectionGetDof(section, closure[2 * k], &dof));
    *n += dof;
  }
  PetscCall(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &np, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of a section in its order, in blocks: nodes are those that have dofs */
typedef struct {
  const PetscInt  *perm;           /* [points] NULL: ascending */
  PetscInt         points, fields; /* fields, those of other regions too */
  const PetscInt  *dofs;           /* [points] */
  const PetscInt **dof, **offset;  /* [fields][points] */
  PetscInt        *first;          /* [blocks] nodes in a block, then number of its first one */
  int             *node;           /* [Nl]; NULL: nodes are counted */
} PlexNodeNumbers;
#define NODE_BLOCK 16384 /* points */

static void PlexNodeNumbersLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexNodeNumbers *s = (PlexNodeNumbers *)ctx;

  for (PetscInt b = begin; b < end; ++b) {
    PetscInt n = s->node ? s->first[b] : 0;

    for (PetscInt k = b * NODE_BLOCK; k < PetscMin((b + 1) * NODE_BLOCK, s->points); ++k) {
      const PetscInt p = s->perm ? s->perm[k] : k;

      if (!s->dofs[p]) continue;
      for (PetscInt f = 0; f < s->fields && s->node; ++f)
        for (PetscInt d = 0; d < s->dof[f][p]; ++d) s->node[s->offset[f][p] + d] = (int)n;
      ++n;
    }
    if (!s->node) s->first[b] = n;
  }
}

/* Numbers the mesh points that hold dofs, in the order of these, and gives each local dof its point's number */
static PetscErrorCode PlexElementsNumberNodes(PlexElements el, PetscSection section)
{
  PlexNodeNumbers s = {.node = NULL};
  PetscInt        pStart, pEnd, blocks;
  IS              order;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetNumFields(section, &s.fields));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionGetPermutation(section, &order));
  if (order) PetscCall(ISGetIndices(order, &s.perm));
  el->permuted = (PetscBool)(order != NULL);
  s.points     = pEnd - pStart;
  s.dofs       = section->atlasDof;
  blocks       = (s.points + NODE_BLOCK - 1) / NODE_BLOCK;
  PetscCall(PetscMalloc3(s.fields, &s.dof, s.fields, &s.offset, blocks, &s.first));
  for (PetscInt f = 0; f < s.fields; ++f) {
    s.dof[f]    = section->field[f]->atlasDof;
    s.offset[f] = section->field[f]->atlasOff;
  }
  PetscCall(PlexThreadsRun(blocks, PLEX_SECTION_LEAST / NODE_BLOCK, PlexNodeNumbersLoop, &s));
  for (PetscInt b = 0; b < blocks; ++b) {
    const PetscInt n = s.first[b];

    s.first[b] = el->Nnodes;
    el->Nnodes += n;
  }
  PetscCall(PetscMalloc1(el->Nl, &el->node));
  s.node = el->node;
  PetscCall(PlexThreadsRun(blocks, PLEX_SECTION_LEAST / NODE_BLOCK, PlexNodeNumbersLoop, &s));
  PetscCall(PetscFree3(s.dof, s.offset, s.first));
  if (order) PetscCall(ISRestoreIndices(order, &s.perm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsAllocateFields(PlexElements el, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc6(n, &el->Nc, n, &el->Nn, n, &el->offset, n, &el->phi, n, &el->dphi, n, &el->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsFreeFields(PlexElements el)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    PetscCall(PetscFree(el->phi[f]));
    PetscCall(PetscFree(el->dphi[f]));
  }
  PetscCall(PetscFree6(el->Nc, el->Nn, el->offset, el->phi, el->dphi, el->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementsSetUpFields(PlexElements el)
{
  PetscFE          fe;
  PetscQuadrature  quad;
  PetscTabulation  T;
  const PetscReal *weights;
  PetscInt         NfAux = 0;
  DM               dmAux;
  PetscDS          dsAux;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumFields(el->ds, &el->Nf));
  PetscCall(PlexElementsGetAuxiliary(el, &dmAux, &dsAux));
  if (dsAux) PetscCall(PetscDSGetNumFields(dsAux, &NfAux));
  PetscCall(PlexElementsAllocateFields(el, el->Nf + NfAux));
  PetscCall(PetscDSGetTotalDimension(el->ds, &el->ef));
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
    PetscCall(PetscDSGetFieldOffset(el->ds, f, &el->offset[f]));
    if (el->integral.facets) PetscCall(PetscFEGetFaceTabulation(fe, 1, &T));
    else PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
    PetscCall(PlexElementsTakeTabulation(el, f, fe, T));
    el->faces = T->Nr;
  }
  PetscCall(PetscDSGetDiscretization(el->ds, el->integral.facets ? el->integral.field : 0, (PetscObject *)&fe));
  if (el->integral.facets) PetscCall(PetscFEGetFaceQuadrature(fe, &quad));
  else PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &el->Nq, NULL, &weights));
  PetscCall(PetscMalloc1(el->Nq, &el->weights));
  PetscCall(PetscArraycpy(el->weights, weights, el->Nq));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells or facets, the closures of the cells, and their coordinates */
static PetscErrorCode PlexElementsSetUpPoints(PlexElements el, PlexClosures *closures)
{
  PetscFE          fe;
  PetscQuadrature  quad;
  const PetscReal *points;

  PetscFunctionBegin;
  if (el->integral.facets) PetscCall(PlexElementsSetUpFacets(el));
  else PetscCall(PlexGetIntegratedCells(el->dm, el->integral.label, &el->Ne, &el->cells));
  /* processes without cells agree */
  if (!el->integral.facets && !el->integral.label) PetscCall(PlexGetCellType(el->dm, el->Ne, el->cells, &el->cellType));
  else if (el->Ne) PetscCall(DMPlexGetCellType(el->dm, el->cells[0], &el->cellType));
  PetscCall(PlexClosuresCreate(el->dm, el->Ne, el->cells, closures));
  if (!el->Ne && !el->integral.facets) PetscFunctionReturn(PETSC_SUCCESS);
  if (el->integral.facets) {
    PetscCall(PetscMalloc1((size_t)el->Ne * el->Nq * PLEX_FACET_SIZE(el->dim), &el->facet));
    PetscCall(PlexElementsUpdateFacets(el));
  } else {
    PetscCall(PetscMalloc1(2, &el->faceStart));
    el->faceStart[0] = 0;
    el->faceStart[1] = el->Ne;
    PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetQuadrature(fe, &quad));
    PetscCall(PetscQuadratureGetData(quad, NULL, NULL, NULL, &points, NULL));
    PetscCall(PlexElementsSetUpCoordinates(el, *closures, el->Nq, points));
    PetscCall(PlexElementsSetUpOrder(el));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points p of section a and p + shift of section b, which has those from 0 to nb - 1 */
typedef struct {
  const struct _p_PetscSection *a, *b;
  PetscInt                      n, shift, nb;
  PlexCount                     other; /* parts with a point that has other dofs, or elsewhere */
} PlexMultiple;

static void PlexMultipleLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexMultiple   *m    = (PlexMultiple *)ctx;
  const PetscInt *dofs = m->a->atlasDof, *off = m->a->atlasOff;
  PetscInt        other = 0;

  for (PetscInt p = begin; p < end; ++p) {
    const PetscInt q = p + m->shift, in = q >= 0 && q < m->nb;

    other |= m->n * dofs[p] != (in ? m->b->atlasDof[q] : 0);
    other |= dofs[p] && in && m->b->atlasOff[q] != m->n * off[p];
  }
  PlexCountAdd(&m->other, other);
}

/* Section b has n times the dofs of section a, of one field, on each point, at n times the offset, and neither permutes
   closures */
static PetscErrorCode PlexSectionIsMultiple(PetscSection a, PetscSection b, PetscInt n, PetscBool *is)
{
  PlexMultiple m = {.a = a, .b = b, .n = n};
  PetscInt     pStart, pEnd, qStart, qEnd, fields[2], other = 0;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(PetscSectionGetNumFields(a, &fields[0]));
  PetscCall(PetscSectionGetNumFields(b, &fields[1]));
  if (fields[0] != 1 || fields[1] > 1 || a->clObj || b->clObj) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetChart(a, &pStart, &pEnd));
  PetscCall(PetscSectionGetChart(b, &qStart, &qEnd));
  m.shift = pStart - qStart;
  m.nb    = qEnd - qStart;
  PlexCountInit(&m.other);
  PetscCall(PlexThreadsRun(pEnd - pStart, PLEX_SECTION_LEAST, PlexMultipleLoop, &m));
  for (PetscInt q = qStart; q < PetscMin(qEnd, pStart); ++q) other |= b->atlasDof[q - qStart];
  for (PetscInt q = PetscMax(qStart, pEnd); q < qEnd; ++q) other |= b->atlasDof[q - qStart];
  *is = (PetscBool)(!other && !PlexCountGet(&m.other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies n ints at a time */
typedef struct {
  const int *from;
  int       *to;
  PetscInt   n;
} PlexIntCopy;

static void PlexIntCopyLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexIntCopy *c = (const PlexIntCopy *)ctx;

  memcpy(&c->to[(size_t)begin * c->n], &c->from[(size_t)begin * c->n], sizeof(int) * (size_t)(end - begin) * c->n);
}

/* Signs out of the positions of a gather */
static PetscErrorCode PlexElementsTakeSigns(PlexElements el)
{
  const size_t n = (size_t)el->Ne * el->ef;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &el->signs));
  for (size_t k = 0; k < n; ++k) {
    el->signs[k] = el->dofs[k] < 0 ? -1 : 1;
    el->dofs[k]  = PlexPositionOf(el->dofs[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The location matrix: that of the coordinates where each of their nodes has one dof, and is numbered as it is */
static PetscErrorCode PlexElementsSetUpDofs(PlexElements el, PlexClosures closures, PetscSection section)
{
  PetscSection coordinates;
  PetscInt     flipped;
  PetscBool    same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)el->Ne * el->ef, &el->dofs));
  if (!el->integral.facets && !el->place && !el->vectors && el->ef == el->Nv && el->Nx == el->Nl) {
    PetscCall(DMGetCoordinateSection(el->dm, &coordinates));
    PetscCall(PlexSectionIsMultiple(section, coordinates, el->dim, &same));
  }
  if (same) {
    PlexIntCopy copy = {.from = el->vertices, .to = el->dofs, .n = el->ef};

    PetscCall(PlexThreadsRun(el->Ne, PLEX_SECTION_LEAST, PlexIntCopyLoop, &copy));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexClosuresGather(closures, el->dm, section, el->cells, el->ef, 1, el->dofs, &flipped));
  PetscCheck(flipped < 0 || el->vectors, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " flips the sign of dofs by the orientation of its faces, which node bases do not",
             flipped);
  if (flipped >= 0) PetscCall(PlexElementsTakeSigns(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsCreateIntegral(DM dm, const PlexIntegral *integral, PlexElements *elements)
{
  PlexElements el;
  PlexClosures closures;
  PetscSection section;

  PetscFunctionBegin;
  *elements = NULL;
  PetscCall(PetscNew(&el));
  el->refct    = 1;
  el->dm       = dm;
  el->integral = *integral;
  PetscCall(PetscObjectReference((PetscObject)el->integral.label)); /* its name is shown when the mesh may be gone */
  PetscCall(PetscObjectReference((PetscObject)el->integral.cells));
  PetscCall(DMGetRegionNumDS(dm, integral->region, NULL, NULL, &el->ds, NULL));
  PetscCall(DMGetDimension(dm, &el->cellDim));
  PetscCall(DMGetCoordinateDim(dm, &el->dim));
  if (integral->cohesive) {
    PetscCall(DMGetLocalSection(dm, &section));
    PetscCall(PlexSectionGetSize(section, &el->Nl));
    PetscCall(PlexElementsSetUpCohesive(el));
    *elements = el;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexElementsSetUpFields(el));
  PetscCall(PlexElementsSetUpPoints(el, &closures));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexSectionGetSize(section, &el->Nl));
  PetscCall(PlexElementsSetUpDofs(el, closures, section));
  PetscCall(PlexClosuresDestroy(&closures));
  if (!integral->facets) PetscCall(PlexElementsNumberNodes(el, section)); /* for the types that partition */
  /* processes without elements too: all see alike when the auxiliary vector is exchanged */
  PetscCall(PlexElementsSetUpAuxiliary(el));
  *elements = el;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexElementsCreate - Extracts from a `DM` all that assembly needs: the location matrix, the coordinates and the
  tabulated bases

  Collective

  Input Parameter:
. dm - the `DM`, of type `DMPLEX`, with its `PetscDS`

  Output Parameter:
. elements - the arrays of `struct _n_PlexElements`, on the host

  Note:
  Stops with the reason of `PlexElementsSupported()` where there is one.
*/
PetscErrorCode PlexElementsCreate(DM dm, PlexElements *elements)
{
  PlexIntegral integral;
  char        *reason;

  PetscFunctionBegin;
  *elements = NULL;
  PetscCall(PlexElementsSupported(dm, &reason));
  PetscCheck(!reason, PetscObjectComm((PetscObject)dm), PETSC_ERR_SUP,
             "Not assembled by PlexGPU: %s. Leave this DM to PETSc (DMPlexSetSNESLocalFEM(), or "
             "-plex_assembly_fallback)",
             reason);
  PetscCall(PlexIntegralSetRegion(dm, 0, &integral));
  PetscCall(PlexElementsCreateIntegral(dm, &integral, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsDestroy(PlexElements *elements)
{
  PlexElements el = *elements;

  PetscFunctionBegin;
  *elements = NULL;
  if (!el || --el->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementsFreeFields(el));
  PetscCall(DMLabelDestroy(&el->integral.label));
  PetscCall(ISDestroy(&el->integral.cells));
  PetscCall(PlexCohesiveDestroy(&el->cohesive));
  PetscCall(PetscFree(el->cells));
  PetscCall(PetscFree(el->dofs));
  PetscCall(PetscFree(el->signs));
  PetscCall(PetscFree(el->node));
  PetscCall(PetscFree(el->vertices));
  PetscCall(PetscFree(el->x));
  PetscCall(PetscFree(el->place));
  PetscCall(PetscFree(el->weights));
  PetscCall(PetscFree(el->psi));
  PetscCall(PetscFree(el->dpsi));
  PetscCall(PetscFree(el->dofsAux));
  PetscCall(PetscFree(el->face));
  PetscCall(PetscFree(el->faceStart));
  PetscCall(PetscFree(el->points));
  PetscCall(PetscFree(el->facet));
  PetscCall(PetscFree(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
