/* Meshes with a fault: boxes cut along a surface by cohesive cells, with fields, functions and auxiliary fields. */
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsf.h>
#include "cohesive.h"
#include "fault.h"
#include "meshes.h"

/* ---- Mesh ---- */

/* Vertices of a cell in the box of a lattice of n^dim, i the fastest */
static PetscInt Vertex(const PlexTestFault *c, PetscInt dim, const PetscInt at[3])
{
  PetscInt v = 0;

  for (PetscInt d = dim - 1; d >= 0; --d) v = v * (c->n + 1) + at[d];
  return v;
}

static PetscErrorCode AddCells(const PlexTestFault *c, PetscInt dim, const PetscInt box[3], PetscInt *m,
                               PetscInt cells[])
{
  const PetscInt hex[8][3] = {
    {0, 0, 0},
    {0, 1, 0},
    {1, 1, 0},
    {1, 0, 0},
    {0, 0, 1},
    {1, 0, 1},
    {1, 1, 1},
    {0, 1, 1}
  };
  const PetscInt quad[4][2] = {
    {0, 0},
    {1, 0},
    {1, 1},
    {0, 1}
  };
  const PetscInt triangles[2][3] = {
    {0, 1, 2},
    {0, 2, 3}
  };
  const PetscInt axes[6][3] = {
    {0, 1, 2},
    {0, 2, 1},
    {1, 0, 2},
    {1, 2, 0},
    {2, 0, 1},
    {2, 1, 0}
  };
  const PetscInt turn = (box[0] + 2 * box[1] + 3 * box[2]) % 3; /* cells are rotated against each other */
  PetscInt       at[3];

  PetscFunctionBegin;
  if (c->cell == DM_POLYTOPE_HEXAHEDRON) {
    for (PetscInt k = 0; k < 8; ++k) {
      for (PetscInt d = 0; d < 3; ++d) at[d] = box[d] + hex[k][d];
      cells[(*m)++] = Vertex(c, dim, at);
    }
  } else if (c->cell == DM_POLYTOPE_QUADRILATERAL) {
    for (PetscInt k = 0; k < 4; ++k) {
      for (PetscInt d = 0; d < 2; ++d) at[d] = box[d] + quad[(k + turn) % 4][d];
      cells[(*m)++] = Vertex(c, dim, at);
    }
  } else if (c->cell == DM_POLYTOPE_TRIANGLE) {
    for (PetscInt s = 0; s < 2; ++s) {
      for (PetscInt k = 0; k < 3; ++k) {
        for (PetscInt d = 0; d < 2; ++d) at[d] = box[d] + quad[triangles[s][(k + turn) % 3]][d];
        cells[(*m)++] = Vertex(c, dim, at);
      }
    }
  } else { /* six tetrahedra around the diagonal, turned so that their volumes are positive in PETSc's sense */
    for (PetscInt s = 0; s < 6; ++s) {
      PetscInt       v[4], k = 0;
      const PetscInt even = s == 0 || s == 3 || s == 4;

      for (PetscInt d = 0; d < 3; ++d) at[d] = box[d];
      v[k++] = Vertex(c, dim, at);
      for (PetscInt d = 0; d < 3; ++d) {
        ++at[axes[s][d]];
        v[k++] = Vertex(c, dim, at);
      }
      cells[(*m)++] = v[0];
      cells[(*m)++] = v[even ? 2 : 1];
      cells[(*m)++] = v[even ? 1 : 2];
      cells[(*m)++] = v[3];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a face of the mesh without a fault is on it: its vertices are at i = n / 2, and below n / 2 + 1 along the next
   axis where the fault ends */
static PetscErrorCode IsOnFault(DM dm, const PlexTestFault *c, PetscInt face, PetscInt vStart, PetscInt vEnd,
                                PetscBool *on)
{
  PetscInt np, *closure = NULL;

  PetscFunctionBegin;
  *on = PETSC_TRUE;
  PetscCall(DMPlexGetTransitiveClosure(dm, face, PETSC_TRUE, &np, &closure));
  for (PetscInt k = 0; k < np; ++k) {
    const PetscInt p = closure[2 * k];
    PetscInt       v;

    if (p < vStart || p >= vEnd) continue;
    v = p - vStart;
    if (v % (c->n + 1) != c->n / 2) *on = PETSC_FALSE;
    if (c->has & PLEX_TEST_FAULT_PART && v / (c->n + 1) % (c->n + 1) > c->n / 2) *on = PETSC_FALSE;
  }
  PetscCall(DMPlexRestoreTransitiveClosure(dm, face, PETSC_TRUE, &np, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks the fault's points with their dimensions, and where it ends inside, its border there with 1 in `border` */
static PetscErrorCode MarkFault(DM dm, const PlexTestFault *c, DMLabel fault, DMLabel border)
{
  PetscInt dim, fStart, fEnd, vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscInt  np, *closure = NULL, depth;
    PetscBool on;

    PetscCall(IsOnFault(dm, c, f, vStart, vEnd, &on));
    if (!on) continue;
    PetscCall(DMPlexGetTransitiveClosure(dm, f, PETSC_TRUE, &np, &closure));
    for (PetscInt k = 0; k < np; ++k) {
      PetscInt  nv, *inner = NULL;
      PetscBool ends = (PetscBool)(c->has & PLEX_TEST_FAULT_PART);

      PetscCall(DMPlexGetPointDepth(dm, closure[2 * k], &depth));
      PetscCall(DMLabelSetValue(fault, closure[2 * k], depth));
      PetscCall(DMPlexGetTransitiveClosure(dm, closure[2 * k], PETSC_TRUE, &nv, &inner));
      for (PetscInt m = 0; m < nv; ++m)
        if (inner[2 * m] >= vStart && inner[2 * m] < vEnd &&
            (inner[2 * m] - vStart) / (c->n + 1) % (c->n + 1) != c->n / 2)
          ends = PETSC_FALSE;
      PetscCall(DMPlexRestoreTransitiveClosure(dm, closure[2 * k], PETSC_TRUE, &nv, &inner));
      if (ends) PetscCall(DMLabelSetValue(border, closure[2 * k], 1));
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, f, PETSC_TRUE, &np, &closure));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box of cells that are bent, without a fault, on the first process */
static PetscErrorCode CreateBox(MPI_Comm comm, const PlexTestFault *c, PetscInt dim, DM *dm)
{
  const PetscInt corners = DMPolytopeTypeGetNumVertices(c->cell), boxes = PetscPowInt(c->n, dim),
                 nv    = PetscPowInt(c->n + 1, dim),
                 parts = c->cell == DM_POLYTOPE_TRIANGLE    ? 2
                       : c->cell == DM_POLYTOPE_TETRAHEDRON ? 6
                                                            : 1;
  PetscInt      *cells, m = 0;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(boxes * parts * corners, &cells, nv * dim, &x));
  for (PetscInt b = 0; b < boxes; ++b) {
    const PetscInt box[3] = {b % c->n, b / c->n % c->n, b / c->n / c->n};

    PetscCall(AddCells(c, dim, box, &m, cells));
  }
  for (PetscInt v = 0; v < nv; ++v) {
    PetscReal at[3];
    PetscInt  rest = v;

    for (PetscInt d = 0; d < dim; ++d, rest /= c->n + 1) at[d] = (PetscReal)(rest % (c->n + 1)) / c->n;
    for (PetscInt d = 0; d < dim; ++d)
      x[v * dim + d] = at[d] + 0.06 * PetscSinReal(3. * at[(d + 1) % dim] + 2. * at[d] + d);
  }
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(DMPlexCreateFromCellListPetsc(comm, dim, rank ? 0 : boxes * parts, rank ? 0 : nv, corners, PETSC_TRUE,
                                          cells, dim, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(MPI_Comm comm, const PlexTestFault *c, DM *dm)
{
  const PetscInt dim = DMPolytopeTypeGetDim(c->cell);
  DM             box;
  DMLabel        fault, border;

  PetscFunctionBegin;
  PetscCall(CreateBox(comm, c, dim, &box));
  PetscCall(DMCreateLabel(box, "fault"));
  PetscCall(DMCreateLabel(box, "border"));
  PetscCall(DMGetLabel(box, "fault", &fault));
  PetscCall(DMGetLabel(box, "border", &border));
  PetscCall(MarkFault(box, c, fault, border));
  PetscCall(PlexTestDistributeDefault(&box, 0));
  PetscCall(DMGetLabel(box, "fault", &fault));
  PetscCall(DMGetLabel(box, "border", &border));
  PetscCall(DMPlexOrientLabel(box, fault));
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(DMPlexLabelCohesiveComplete(box, fault, c->has & PLEX_TEST_FAULT_PART ? border : NULL, 1, PETSC_FALSE,
                                        PETSC_FALSE, NULL));
#else
  PetscCall(DMPlexLabelCohesiveComplete(box, fault, c->has & PLEX_TEST_FAULT_PART ? border : NULL, 1, PETSC_FALSE,
                                        NULL));
#endif
  PetscCall(DMPlexConstructCohesiveCells(box, fault, NULL, dm));
  PetscCall(DMDestroy(&box));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Fields and functions ---- */

static PetscErrorCode GetRange(DM dm, PetscInt *start, PetscInt *end)
{
  PetscFunctionBegin;
  PetscCall(DMPlexGetSimplexOrBoxCells(dm, 0, NULL, start));
  PetscCall(DMPlexGetHeightStratum(dm, 0, NULL, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(DM dm, DMLabel label, PetscInt dim, PetscInt Nc, DMPolytopeType ct, PetscInt degree,
                               PetscInt order)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, Nc, ct, degree, order, &fe));
  PetscCall(DMAddField(dm, label, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields u, with PLEX_TEST_FAULT_SCALAR p, of all cells, and cohesive l, with PLEX_TEST_FAULT_SCALAR m */
static PetscErrorCode AddFields(DM dm, const PlexTestFault *c)
{
  const PetscInt dim = DMPolytopeTypeGetDim(c->cell), order = c->degree + 1;
  DMPolytopeType side;
  DMLabel        space;
  PetscInt       fStart;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "cohesive"));
  PetscCall(DMGetLabel(dm, "cohesive", &space));
  for (PetscInt h = 0; h <= dim; ++h) {
    PetscInt start, end;

    PetscCall(DMPlexGetSimplexOrBoxCells(dm, h, NULL, &start));
    PetscCall(DMPlexGetHeightStratum(dm, h, NULL, &end));
    for (PetscInt p = start; p < end; ++p) PetscCall(DMLabelSetValue(space, p, 1));
  }
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, NULL));
  PetscCall(DMPlexGetCellType(dm, fStart, &side));
  PetscCall(AddField(dm, NULL, dim, dim, c->cell, c->degree, order));
  if (c->has & PLEX_TEST_FAULT_SCALAR) PetscCall(AddField(dm, NULL, dim, 1, c->cell, 1, order));
  PetscCall(AddField(dm, space, dim - 1, dim, side, c->degree, order));
  if (c->has & PLEX_TEST_FAULT_SCALAR) PetscCall(AddField(dm, space, dim - 1, 1, side, 1, order));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetKeys(DM dm, PetscFormKey keys[3])
{
  DMLabel sides, cells;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &sides));
  PetscCall(DMGetLabel(dm, "cohesive", &cells));
  keys[0] = (PetscFormKey){sides, 1, 0, 0};
  keys[1] = (PetscFormKey){sides, 2, 0, 1};
  keys[2] = (PetscFormKey){cells, 1, 1, 2};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddFunctions(DM dm, const PlexTestFault *c, const PetscFormKey keys[3])
{
  PetscBdPointFn *const f[]          = {cohesive_f_negative, cohesive_f_positive, cohesive_f_cells};
  const PetscScalar     constants[2] = {0.3, -0.8};
  PetscDS               ds, bulk;
  PetscWeakForm         wf;
  DMLabel               label;
  PetscInt              start, end, Nf, region;

  PetscFunctionBegin;
  PetscCall(GetRange(dm, &start, &end));
  PetscCall(DMGetCellDS(dm, start, &ds, NULL));
  PetscCall(DMGetCellDS(dm, 0, &bulk, NULL));
  PetscCall(PetscDSGetWeakForm(bulk, &wf));
  PetscCall(DMFindRegionNum(dm, bulk, &region));
  PetscCall(DMGetRegionNumDS(dm, region, &label, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexResidual(wf, label, label ? 1 : 0, 0, 0, 0, cohesive_bulk_f0, 0, NULL));
  PetscCall(PetscWeakFormSetIndexJacobian(wf, label, label ? 1 : 0, 0, 0, 0, 0, cohesive_bulk_g0, 0, NULL, 0, NULL, 0,
                                          NULL));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt i = 0; i < Nf; ++i) {
    PetscBool coh, trial;

    PetscCall(PetscDSGetCohesive(ds, i, &coh));
    for (PetscInt k = 0; k < 3; ++k) {
      PetscCall(PetscWeakFormAddBdResidual(wf, keys[k].label, keys[k].value, i, keys[k].part,
                                           coh ? cohesive_f_cells : f[k],
                                           coh && k == 2 && c->has & PLEX_TEST_FAULT_DERIVATIVES
                                             ? cohesive_f_derivatives
                                             : NULL));
      /* PETSc's residual of SNES takes the values of the sides' label in no particular order */
      if (k < 2)
        PetscCall(PetscWeakFormAddBdResidual(wf, keys[k].label, keys[k].value, i, 1 - keys[k].part,
                                             coh ? cohesive_f_cells : f[k], NULL));
      for (PetscInt j = 0; j < Nf; ++j) {
        PetscBdPointJacFn *g;

        PetscCall(PetscDSGetCohesive(ds, j, &trial));
        g = coh || k == 2 ? cohesive_g_cells : trial ? cohesive_g_side : cohesive_g_own;
        PetscCall(PetscWeakFormAddBdJacobian(wf, keys[k].label, keys[k].value, i, j, keys[k].part, g, NULL, NULL,
                                             NULL));
        if (c->has & PLEX_TEST_FAULT_PRE && (i + j) % 2 == 0)
          PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, keys[k].label, keys[k].value, i, j, keys[k].part,
                                                                  0, g, 0, NULL, 0, NULL, 0, NULL));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFillVector(Vec v, PetscInt seed)
{
  PetscScalar *array;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &array));
  for (PetscInt i = 0; i < n; ++i) array[i] = PetscSinReal(1.7 * i + seed) * (1. + 0.1 * (i % 5));
  PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAuxiliary(DM dm, DM mesh, const PetscFormKey *key, DMPolytopeType ct, const PlexTestFault *c,
                                   PetscInt seed)
{
  DM             aux;
  Vec            v;
  const PetscInt dim = DMPolytopeTypeGetDim(ct);

  PetscFunctionBegin;
  PetscCall(DMClone(mesh, &aux));
  PetscCall(AddField(aux, NULL, dim, 1, ct, 1, c->degree + 1));
  PetscCall(AddField(aux, NULL, dim, 2, ct, 0, c->degree + 1));
  PetscCall(DMCreateDS(aux));
  PetscCall(DMCreateLocalVector(aux, &v));
  PetscCall(PlexTestFillVector(v, seed));
  PetscCall(DMSetAuxiliaryVec(dm, key->label, key->value, key->part, v));
  if (key->part < 2) PetscCall(DMSetAuxiliaryVec(dm, key->label, key->value, 1 - key->part, v));
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAuxiliary(DM dm, const PlexTestFault *c, const PetscFormKey keys[3])
{
  DM             surface;
  DMPolytopeType side;
  PetscInt       fStart;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, NULL));
  PetscCall(DMPlexGetCellType(dm, fStart, &side));
  PetscCall(SetAuxiliary(dm, dm, &keys[0], c->cell, c, 3));
  PetscCall(SetAuxiliary(dm, dm, &keys[1], c->cell, c, 5));
  PetscCall(DMPlexCreateCohesiveSubmesh(dm, PETSC_TRUE, NULL, 0, &surface));
  PetscCall(SetAuxiliary(dm, surface, &keys[2], side, c, 7));
  PetscCall(DMDestroy(&surface));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that are no other process's */
static PetscErrorCode GetCells(DM dm, IS *cells)
{
  PetscSF         sf;
  const PetscInt *leaves;
  PetscInt       *points, nleaves, start, end, n = 0;

  PetscFunctionBegin;
  PetscCall(GetRange(dm, &start, &end));
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, NULL));
  PetscCall(PetscMalloc1(end - start, &points));
  for (PetscInt c = start; c < end; ++c) {
    PetscInt leaf = -1;

    if (nleaves > 0 && leaves) PetscCall(PetscFindInt(c, nleaves, leaves, &leaf));
    if (leaf < 0) points[n++] = c;
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, points, PETSC_OWN_POINTER, cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFaultCreate(MPI_Comm comm, const PlexTestFault *c, PetscFormKey keys[3], IS *cells, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(CreateMesh(comm, c, dm));
  PetscCall(AddFields(*dm, c));
  PetscCall(GetKeys(*dm, keys));
  PetscCall(AddFunctions(*dm, c, keys));
  if (c->has & PLEX_TEST_FAULT_AUX) PetscCall(AddAuxiliary(*dm, c, keys));
  PetscCall(GetCells(*dm, cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}
