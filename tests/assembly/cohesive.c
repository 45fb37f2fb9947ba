static char help[] =
  "Residuals and Jacobians of cohesive cells (a fault), by each backend and both types that add, compared entry by entry "
  "with PETSc's own; on any number of processes.\n\n";

#include <plexgpu.h>
#include <petscsf.h>
#include "report.h"
#include "cohesive.h"

enum {
  AUX     = 1,  /* auxiliary fields of both sides and of the cells */
  TIME    = 2,  /* a time derivative */
  PRE     = 4,  /* functions of a preconditioner */
  SCALAR  = 8,  /* a scalar field on all cells, and a cohesive one, besides */
  PART    = 16, /* the fault ends inside */
  READS_U = 32  /* Jacobians that depend on the solution: PETSc's cells one at a time */
};

typedef struct {
  DMPolytopeType cell;
  PetscInt       n, degree, has;
} Case;

static const char *backendName, *typeName;

/* ---- Mesh ---- */

/* Vertices of a cell in the box of a lattice of n^dim, i the fastest */
static PetscInt Vertex(const Case *c, PetscInt dim, const PetscInt at[3])
{
  PetscInt v = 0;

  for (PetscInt d = dim - 1; d >= 0; --d) v = v * (c->n + 1) + at[d];
  return v;
}

static PetscErrorCode AddCells(const Case *c, PetscInt dim, const PetscInt box[3], PetscInt *m, PetscInt cells[])
{
  const PetscInt hex[8][3] = {
    {0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}
  };
  const PetscInt quad[4][2] = {
    {0, 0}, {1, 0}, {1, 1}, {0, 1}
  };
  const PetscInt triangles[2][3] = {
    {0, 1, 2}, {0, 2, 3}
  };
  const PetscInt axes[6][3] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}
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
static PetscErrorCode IsOnFault(DM dm, const Case *c, PetscInt face, PetscInt vStart, PetscInt vEnd, const int vertex[],
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
    v = vertex[p - vStart];
    if (v % (c->n + 1) != c->n / 2) *on = PETSC_FALSE;
    if (c->has & PART && v / (c->n + 1) % (c->n + 1) > c->n / 2) *on = PETSC_FALSE;
  }
  PetscCall(DMPlexRestoreTransitiveClosure(dm, face, PETSC_TRUE, &np, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks the fault's points with their dimensions, and where it ends inside, its border there with 1 in `border` */
static PetscErrorCode MarkFault(DM dm, const Case *c, const int vertex[], DMLabel fault, DMLabel border)
{
  PetscInt dim, fStart, fEnd, vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscInt  np, *closure = NULL, depth;
    PetscBool on;

    PetscCall(IsOnFault(dm, c, f, vStart, vEnd, vertex, &on));
    if (!on) continue;
    PetscCall(DMPlexGetTransitiveClosure(dm, f, PETSC_TRUE, &np, &closure));
    for (PetscInt k = 0; k < np; ++k) {
      PetscInt  nv, *inner = NULL;
      PetscBool ends = (PetscBool)(c->has & PART);

      PetscCall(DMPlexGetPointDepth(dm, closure[2 * k], &depth));
      PetscCall(DMLabelSetValue(fault, closure[2 * k], depth));
      PetscCall(DMPlexGetTransitiveClosure(dm, closure[2 * k], PETSC_TRUE, &nv, &inner));
      for (PetscInt m = 0; m < nv; ++m)
        if (inner[2 * m] >= vStart && inner[2 * m] < vEnd &&
            vertex[inner[2 * m] - vStart] / (c->n + 1) % (c->n + 1) != c->n / 2)
          ends = PETSC_FALSE;
      PetscCall(DMPlexRestoreTransitiveClosure(dm, closure[2 * k], PETSC_TRUE, &nv, &inner));
      if (ends) PetscCall(DMLabelSetValue(border, closure[2 * k], 1));
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, f, PETSC_TRUE, &np, &closure));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box of cells that are bent, without a fault; lattice[] numbers of the vertices are their coordinates' */
static PetscErrorCode CreateBox(const Case *c, PetscInt dim, DM *dm)
{
  const PetscInt corners = DMPolytopeTypeGetNumVertices(c->cell), boxes = PetscPowInt(c->n, dim),
                 nv = PetscPowInt(c->n + 1, dim), parts = c->cell == DM_POLYTOPE_TRIANGLE      ? 2
                                                          : c->cell == DM_POLYTOPE_TETRAHEDRON ? 6
                                                                                               : 1;
  PetscInt *cells, m = 0;
  PetscReal *x;

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
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, dim, boxes * parts, nv, corners, PETSC_TRUE, cells, dim, x,
                                          dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(const Case *c, DM *dm)
{
  const PetscInt dim = DMPolytopeTypeGetDim(c->cell);
  DM             box;
  DMLabel        fault, border;
  PetscInt       vStart, vEnd;
  int           *vertex;

  PetscFunctionBegin;
  PetscCall(CreateBox(c, dim, &box));
  PetscCall(DMPlexGetDepthStratum(box, 0, &vStart, &vEnd));
  PetscCall(PetscMalloc1(vEnd - vStart, &vertex));
  for (PetscInt v = 0; v < vEnd - vStart; ++v) vertex[v] = (int)v; /* as they were given */
  PetscCall(DMCreateLabel(box, "fault"));
  PetscCall(DMCreateLabel(box, "border"));
  PetscCall(DMGetLabel(box, "fault", &fault));
  PetscCall(DMGetLabel(box, "border", &border));
  PetscCall(MarkFault(box, c, vertex, fault, border));
  PetscCall(DMPlexOrientLabel(box, fault));
  PetscCall(DMPlexLabelCohesiveComplete(box, fault, c->has & PART ? border : NULL, 1, PETSC_FALSE, NULL));
  PetscCall(DMPlexConstructCohesiveCells(box, fault, NULL, dm));
  PetscCall(DMDestroy(&box));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Fields and functions ---- */

static PetscErrorCode CohesiveRange(DM dm, PetscInt *start, PetscInt *end)
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

/* Fields u, with SCALAR p, of all cells, and cohesive l, with SCALAR m */
static PetscErrorCode AddFields(DM dm, const Case *c)
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
  if (c->has & SCALAR) PetscCall(AddField(dm, NULL, dim, 1, c->cell, 1, order));
  PetscCall(AddField(dm, space, dim - 1, dim, side, c->degree, order));
  if (c->has & SCALAR) PetscCall(AddField(dm, space, dim - 1, 1, side, 1, order));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys that DMPlexSNESComputeResidualFEM() makes: two values of a label, parts 0 and 1; the cells, part 2 */
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

static PetscErrorCode AddFunctions(DM dm, const Case *c, const PetscFormKey keys[3])
{
  PetscBdPointFn *const f[] = {cohesive_f_negative, cohesive_f_positive, cohesive_f_cells};
  const PetscScalar     constants[2] = {0.3, -0.8};
  PetscDS               ds, bulk;
  PetscWeakForm         wf;
  DMLabel               label;
  PetscInt              start, end, Nf, region;

  PetscFunctionBegin;
  PetscCall(CohesiveRange(dm, &start, &end));
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
                                           coh ? cohesive_f_cells : f[k], NULL));
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
        if (c->has & PRE && (i + j) % 2 == 0)
          PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, keys[k].label, keys[k].value, i, j, keys[k].part,
                                                                  0, g, 0, NULL, 0, NULL, 0, NULL));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A local vector of numbers that look random */
static PetscErrorCode FillVector(Vec v, PetscInt seed)
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

static PetscErrorCode SetAuxiliary(DM dm, DM mesh, const PetscFormKey *key, DMPolytopeType ct, const Case *c,
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
  PetscCall(FillVector(v, seed));
  PetscCall(DMSetAuxiliaryVec(dm, key->label, key->value, key->part, v));
  if (key->part < 2) PetscCall(DMSetAuxiliaryVec(dm, key->label, key->value, 1 - key->part, v));
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAuxiliary(DM dm, const Case *c, const PetscFormKey keys[3])
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

/* ---- Comparison ---- */

/* The largest difference of two vectors over the largest entry of the second */
static PetscErrorCode Difference(Vec a, Vec b, PetscReal *difference)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(a, -1., b));
  PetscCall(VecNorm(a, NORM_INFINITY, difference));
  *difference = norm > 0. ? *difference / norm : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of values, on this process */
static PetscErrorCode MatDifference(Mat A, Mat B, PetscReal *difference)
{
  const PetscScalar *a, *b;
  const PetscInt    *i, *j;
  PetscInt           m;
  PetscBool          done;
  PetscReal          largest = 0.;

  PetscFunctionBegin;
  *difference = 0.;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(MatSeqAIJGetArrayRead(B, &b));
  for (PetscInt k = 0; k < i[m]; ++k) {
    largest     = PetscMax(largest, PetscAbsScalar(b[k]));
    *difference = PetscMax(*difference, PetscAbsScalar(a[k] - b[k]));
  }
  PetscCall(MatSeqAIJRestoreArrayRead(B, &b));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  *difference = largest > 0. ? *difference / largest : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexAssembly assembly;
  DM           dm;
  PetscFormKey keys[3];
  IS           cells;
  Vec          x, x_t;
  PetscReal    t, shift;
} Problem;

/* PETSc's Jacobian, of one cell after the other: of several it reads the values of other cells' fields */
static PetscErrorCode JacobianPETSc(Problem *p, Mat J, Mat P)
{
  const PetscInt *cells;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(p->cells, &n));
  PetscCall(ISGetIndices(p->cells, &cells));
  for (PetscInt e = 0; e < n; ++e) {
    PetscFormKey keys[3] = {p->keys[0], p->keys[1], p->keys[2]};
    IS           one;

    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 1, &cells[e], PETSC_COPY_VALUES, &one));
    PetscCall(DMPlexComputeJacobianHybridByKey(p->dm, keys, one, p->t, p->shift, p->x, p->x_t, J, P, NULL));
    PetscCall(ISDestroy(&one));
  }
  PetscCall(ISRestoreIndices(p->cells, &cells));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  if (J != P) PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  if (J != P) PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareResidual(Problem *p, PetscReal *difference)
{
  PetscFormKey keys[3] = {p->keys[0], p->keys[1], p->keys[2]};
  Vec          F, reference;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(p->dm, &F));
  PetscCall(VecDuplicate(F, &reference));
  PetscCall(FillVector(F, 11)); /* both are added to this */
  PetscCall(VecCopy(F, reference));
  PetscCall(DMPlexComputeResidualHybridByKey(p->dm, keys, p->cells, p->x_t ? p->t : PETSC_MIN_REAL, p->x, p->x_t, p->t,
                                             reference, NULL));
  PetscCall(PlexAssemblyAddCohesiveFunction(p->assembly, p->keys, p->cells, p->x, p->x_t, p->t, F));
  PetscCall(Difference(F, reference, difference));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J and P, both with the Jacobian of the bulk before */
static PetscErrorCode CompareJacobian(Problem *p, PetscBool pre, PetscReal difference[2])
{
  Mat J, P, refJ, refP;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(p->dm, &P));
  PetscCall(DMPlexSNESComputeJacobianFEM(p->dm, p->x, P, P, NULL));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &refP));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &J));
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &refJ));
  if (!pre) PetscCall(MatDestroy(&J));
  if (!pre) PetscCall(MatDestroy(&refJ));
  PetscCall(JacobianPETSc(p, pre ? refJ : refP, refP));
  PetscCall(PlexAssemblyAddCohesiveJacobian(p->assembly, p->keys, p->cells, p->x, p->x_t, p->t, p->shift, pre ? J : P,
                                            P));
  PetscCall(MatDifference(P, refP, &difference[0]));
  difference[1] = 0.;
  if (pre) PetscCall(MatDifference(J, refJ, &difference[1]));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&refJ));
  PetscCall(MatDestroy(&refP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSNES(Problem *p, PetscReal *difference)
{
  Vec F, reference;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(p->dm, &F));
  PetscCall(VecDuplicate(F, &reference));
  PetscCall(DMPlexSNESComputeResidualFEM(p->dm, p->x, reference, NULL));
  PetscCall(PlexAssemblyComputeFunction(p->assembly, p->x, NULL, 0., F));
  PetscCall(Difference(F, reference, difference));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const Case *c)
{
  Problem   p = {.t = 0.7, .shift = 1.3};
  PetscReal F, J[2], snes = 0.;
  PetscInt  start, end;
  PetscBool host;
  char      name[256];

  PetscFunctionBegin;
  PetscCall(CreateMesh(c, &p.dm));
  PetscCall(AddFields(p.dm, c));
  PetscCall(GetKeys(p.dm, p.keys));
  PetscCall(AddFunctions(p.dm, c, p.keys));
  if (c->has & AUX) PetscCall(AddAuxiliary(p.dm, c, p.keys));
  PetscCall(CohesiveRange(p.dm, &start, &end));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, end - start, start, 1, &p.cells));
  PetscCall(DMCreateLocalVector(p.dm, &p.x));
  PetscCall(FillVector(p.x, 1));
  if (c->has & TIME) PetscCall(VecDuplicate(p.x, &p.x_t));
  if (c->has & TIME) PetscCall(FillVector(p.x_t, 2));
  PetscCall(PlexAssemblyCreate(p.dm, &p.assembly));
  PetscCall(PlexAssemblySetBackend(p.assembly, backendName));
  PetscCall(PlexAssemblySetPointwiseSource(p.assembly, "tests/assembly/cohesive.h"));
  PetscCall(PetscStrcmp(backendName, PLEXBACKENDHOST, &host));
  if (!host) PetscCall(PlexAssemblySetType(p.assembly, typeName));
  PetscCall(CompareResidual(&p, &F));
  PetscCall(CompareJacobian(&p, (PetscBool)(c->has & PRE), J));
  if (!(c->has & TIME)) PetscCall(CompareSNES(&p, &snes));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, degree %" PetscInt_FMT ", %" PetscInt_FMT " cohesive cells%s%s%s%s%s, %s %s",
                          DMPolytopeTypes[c->cell], c->degree, end - start, c->has & AUX ? ", auxiliary fields" : "",
                          c->has & TIME ? ", time" : "", c->has & PRE ? ", preconditioner" : "",
                          c->has & SCALAR ? ", four fields" : "", c->has & PART ? ", ends inside" : "", backendName,
                          host ? "" : typeName));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-13 && J[0] <= 1e-13 && J[1] <= 1e-13 && snes <= 1e-13), name,
                           "relative errors: residual %g, Jacobian %g and %g, residual of SNES %g", (double)F,
                           (double)J[0], (double)J[1], (double)snes));
  PetscCall(PlexAssemblyDestroy(&p.assembly));
  PetscCall(VecDestroy(&p.x));
  PetscCall(VecDestroy(&p.x_t));
  PetscCall(ISDestroy(&p.cells));
  PetscCall(DMDestroy(&p.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Case cases[] = {
    {DM_POLYTOPE_TRIANGLE,      2, 1, 0           },
    {DM_POLYTOPE_TRIANGLE,      4, 2, AUX | TIME  },
    {DM_POLYTOPE_QUADRILATERAL, 3, 1, AUX | PRE   },
    {DM_POLYTOPE_QUADRILATERAL, 2, 2, SCALAR      },
    {DM_POLYTOPE_TETRAHEDRON,   2, 1, AUX | SCALAR},
    {DM_POLYTOPE_TETRAHEDRON,   2, 2, TIME        },
    {DM_POLYTOPE_HEXAHEDRON,    2, 1, AUX | PRE   },
    {DM_POLYTOPE_HEXAHEDRON,    2, 2, 0           }
  };
  const char *const  types[] = {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYELEMENTCOLOR};
  const char *const *backends;
  PetscInt           n, turn = 0, only = -1;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-case", &only, NULL));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      backendName = backends[b];
      typeName    = types[turn++ % 2];
      if (only < 0 || only == (PetscInt)k) PetscCall(Test(&cases[k]));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
