/*
  Projections of functions into Lagrange fields, as DMProjectFunctionLocal() makes them: values at nodes.

  Cell after cell, PETSc makes the geometry of the cell at all nodes, calls the functions there, applies the functionals
  of the dual space, which are values at nodes, and inserts what they give by way of the cell's closure. Here places of
  nodes are all the geometry that is made, and the dofs of all cells are gathered before:

    cell e     for each field: u[k] = f(x(e, k)) at its nodes k; then array[dofs[e][i]] = u[node of i][component of i]
    x(e, k)  = sum_v psi_v(xi_k) X_v, or, where the coordinates are of degree 1 on simplices,
               x(e, xi_0) + J(e, xi_0) (xi_k - xi_0), xi_0 being the first point of the coordinates' quadrature,

  in the order of operations of PETSc's DMFIELDDS. The functions, which are the user's, are called as PETSc calls them:
  by the one thread that it runs in, at the same nodes in the same order, so that they may count their calls or draw
  random numbers. Places are computed in threads, for a batch of cells at a time.

  A node of several cells has the value of the last of them. With `once` it is evaluated for that cell alone:

    owner[l]   the last cell that has local dof l
*/
#include "elementsimpl.h"
#include "nodalspace.h"
#include "project.h"
#include <petsc/private/dmpleximpl.h>  /* printProject, anchors */
#include <petsc/private/sectionimpl.h> /* the constraints of millions of points are read where they are */

#define PROJECT_CELLS 1024 /* cells of a batch */
#define PROJECT_LEAST 128  /* cells a thread: each takes a quarter of a microsecond, and more */

/* A field that has a function */
typedef struct {
  PetscInt       f, first; /* number of the field; of its first node among those of all such fields */
  PlexNodalSpace space;
  PetscInt      *node; /* [Nb] of each of the field's dofs of a cell */
  PetscReal     *step; /* [Nn][dim] xi_k - xi_0; NULL unless affine */
} ProjectField;

typedef struct {
  DM            dm;
  PetscBool     once;
  PetscInt      dim, dE; /* of cells, of coordinates */
  PetscInt      nfields, Nn, ef, Nl;
  ProjectField *fields; /* [nfields] */
  PetscInt      Ne;
  PetscInt     *cells;  /* [Ne] */
  int          *dofs;   /* [Ne][ef] local dofs */
  int          *owner;  /* [Nl] the cell, or 0 where all cells write it; -1: the dof is not written */
  PetscInt      Nv;     /* basis functions of a coordinate */
  PetscReal    *x;      /* [Ne][Nv][dE] */
  PetscBool     affine; /* the coordinates' degree is 1 */
  PetscReal    *psi;    /* [Nv] coordinate basis at xi_0, */
  PetscReal    *dpsi;   /* [Nv][dim] and its derivatives */
  /* of the batch's cells */
  PetscInt   begin;
  char      *wanted; /* [PROJECT_CELLS][Nn] the node is evaluated */
  PetscReal *places; /* [PROJECT_CELLS][Nn][dE] */
} Projection;

/* What owner[] is of a dof that cell e writes */
static inline int ProjectOwns(const Projection *p, PetscInt e)
{
  return p->once ? (int)e : 0;
}

/* ---- Whether PETSc has to do it */

/* Aspects of the DM that change which points PETSc goes through, or what it makes of values */
static PetscErrorCode ProjectLooksAtDM(DM dm, const char **why)
{
  const DM_Plex *mesh = (const DM_Plex *)dm->data;
  DM             aux;
  Vec            a;
  PetscInt       height, most, dim, other;
  PetscBool      transform, plex;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetVTKCellHeight(dm, &height));
  PetscCall(DMPlexGetMaxProjectionHeight(dm, &most));
  PetscCall(DMHasBasisTransform(dm, &transform));
  if (height || most) *why = "points of other heights than cells";
  else if (transform) *why = "a basis transform";
  else if (mesh->anchorSection || mesh->createanchors) *why = "hanging nodes";
  else if (mesh->printProject) *why = "projections are to be printed (-dm_plex_print_project)";
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
  if (*why || !a) PetscFunctionReturn(PETSC_SUCCESS);
  /* PETSc projects into the faces of cells where the auxiliary fields are on a mesh of faces */
  PetscCall(VecGetDM(a, &aux));
  PetscCall(PetscObjectTypeCompare((PetscObject)aux, DMPLEX, &plex));
  if (plex) PetscCall(DMGetDimension(aux, &other));
  if (plex) PetscCall(DMPlexGetVTKCellHeight(aux, &height));
  if (!plex || other != dim || height) *why = "auxiliary fields on a mesh of another dimension";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cells[Ne], those that PETSc goes through, are of one type */
static PetscErrorCode ProjectLooksAtCells(DM dm, PetscInt Ne, const PetscInt cells[], const char **why)
{
  DMPolytopeType first, other;
  PetscInt       from;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellType(dm, cells[0], &first));
  if (first != DM_POLYTOPE_SEGMENT && first != DM_POLYTOPE_TRIANGLE && first != DM_POLYTOPE_QUADRILATERAL &&
      first != DM_POLYTOPE_TETRAHEDRON && first != DM_POLYTOPE_HEXAHEDRON && first != DM_POLYTOPE_TRI_PRISM)
    *why = "cells that are no simplices, quadrilaterals, hexahedra or prisms";
  PetscCall(PlexFindOtherType(dm, Ne, cells, &from));
  for (PetscInt e = from; e < Ne && !*why; ++e) {
    PetscCall(DMPlexGetCellType(dm, cells[e], &other));
    if (other != first) *why = "cells of several types";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether values of closures come in an order that is not DMPlex's own: PETSc inserts them in that one */
static PetscErrorCode ProjectSectionIsPermuted(PetscSection section, PetscBool *permuted)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  if (section->clHash) PetscCall(PetscClPermGetSize(section->clHash, &n));
  *permuted = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether points of one type have the same number of dofs of each field, so that cells have. PETSc looks at the first
   cell, and goes through sections of a program's own that have other cells too */
static PetscErrorCode ProjectDofsAreEven(DM dm, PetscSection section, PetscBool *even)
{
  const uint8_t *types;
  PetscInt       first, end, pStart, pEnd, mStart;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(dm, &first, &end));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PlexGetCellTypes(dm, &types, &mStart));
  *even = (PetscBool)(types != NULL);
  for (PetscInt f = 0; f < section->numFields; ++f) {
    const PetscInt *dofs                    = section->field[f]->atlasDof;
    PetscInt        of[DM_NUM_POLYTOPES]    = {0};
    PetscBool       known[DM_NUM_POLYTOPES] = {PETSC_FALSE};

    for (PetscInt q = first; q < end && *even; ++q) {
      const PetscInt n = q >= pStart && q < pEnd ? dofs[q - pStart] : 0, type = types[q - mStart];

      if (!known[type]) of[type] = n;
      known[type] = PETSC_TRUE;
      *even       = (PetscBool)(of[type] == n);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields and dofs of the DM, and the vector: *ds is the PetscDS of all cells */
static PetscErrorCode ProjectLooksAtFields(DM dm, PetscInt cell, Vec X, PetscDS *ds, const char **why)
{
  PetscSection section, coordinates;
  DM           cdm;
  DMLabel      region = NULL;
  PetscInt     Nds, Nf, n, ef, size, Nl;
  PetscBool    cohesive, permuted[2], even = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  if (Nds == 1) PetscCall(DMGetRegionNumDS(dm, 0, &region, NULL, ds, NULL));
  if (Nds != 1 || region) {
    *why = "fields on parts of the mesh";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMGetLocalSection(cdm, &coordinates));
  PetscCall(PetscDSIsCohesive(*ds, &cohesive));
  PetscCall(PetscDSGetNumFields(*ds, &Nf));
  PetscCall(PetscDSGetTotalDimension(*ds, &ef));
  PetscCall(ProjectSectionIsPermuted(section, &permuted[0]));
  PetscCall(ProjectSectionIsPermuted(coordinates, &permuted[1]));
  PetscCall(ProjectDofsAreEven(dm, section, &even));
  PetscCall(PlexClosureSize(dm, section, cell, &size));
  PetscCall(PlexSectionGetSize(section, &Nl));
  PetscCall(VecGetLocalSize(X, &n));
  if (cohesive) *why = "cohesive cells";
  else if (permuted[0] || permuted[1]) *why = "a closure permutation";
  else if (section->numFields != Nf || !even || size != ef || n != Nl || Nl >= PETSC_MPI_INT_MAX)
    *why = "dofs that are not those of the PetscDS";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The fields */

static PetscErrorCode ProjectFieldDestroy(ProjectField *field)
{
  PetscFunctionBegin;
  PetscCall(PlexNodalSpaceDestroy(&field->space));
  PetscCall(PetscFree(field->node));
  PetscCall(PetscFree(field->step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields that have a function. *why: one of them is of another kind */
static PetscErrorCode ProjectSetUpFields(Projection *p, PetscDS ds, PetscSimplePointFn *funcs[], const char **why)
{
  PetscInt Nf;

  PetscFunctionBegin;
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  PetscCall(PetscDSGetTotalDimension(ds, &p->ef));
  PetscCall(PetscCalloc1(Nf, &p->fields));
  for (PetscInt f = 0; f < Nf && !*why; ++f) {
    ProjectField *field = &p->fields[p->nfields];
    PetscObject   disc;
    PetscClassId  id;

    PetscCall(PetscDSGetDiscretization(ds, f, &disc));
    if (disc) PetscCall(PetscObjectGetClassId(disc, &id));
    if (!disc || id != PETSCFE_CLASSID) *why = "a field that is no finite element";
    if (*why || !funcs[f]) continue;
    ++p->nfields;
    field->f     = f;
    field->first = p->Nn;
    PetscCall(PlexNodalSpaceCreate(p->dm, ds, f, p->cells[0], &field->space));
    if (!field->space.value) *why = "a field, or coordinates, whose dofs are not values at nodes";
    PetscCall(PetscMalloc1(field->space.Nb, &field->node));
    for (PetscInt i = 0; i < field->space.Nb && !*why; ++i) field->node[i] = field->space.value[i] / field->space.Nc;
    p->Nn += field->space.Nn;
    p->Nv = field->space.Nv;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the affine map reads: the coordinate basis at xi_0, and how far nodes are from it */
static PetscErrorCode ProjectSetUpAffine(Projection *p, PetscFE fe)
{
  PetscQuadrature  quad;
  const PetscReal *xi = p->fields[0].space.xi;
  PetscInt         n  = 1;

  PetscFunctionBegin;
  /* PETSc tabulates all points at once: likewise here, for the same bits */
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  if (quad) PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &n, &xi, NULL));
  PetscCall(PetscMalloc2(n * p->Nv, &p->psi, n * p->Nv * p->dim, &p->dpsi));
  PetscCall(PlexCoordinateTabulate(fe, p->Nv, n, xi, p->psi, p->dpsi));
  for (PetscInt f = 0; f < p->nfields; ++f) {
    ProjectField *field = &p->fields[f];

    PetscCall(PetscMalloc1(field->space.Nn * p->dim, &field->step));
    for (PetscInt i = 0; i < field->space.Nn * p->dim; ++i) field->step[i] = field->space.xi[i] - xi[i % p->dim];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The map from the reference cell, and the coordinates of all cells */
static PetscErrorCode ProjectSetUpMap(Projection *p, const char **why)
{
  const PetscInt nx = p->Nv * p->dE;
  DMPolytopeType ct;
  PetscFE        fe;
  PetscSpace     space;
  PetscInt       degree, Nc, other, has;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellType(p->dm, p->cells[0], &ct));
  PetscCall(PlexGetCoordinateFE(p->dm, ct, &fe));
  PetscCall(PetscFEGetNumComponents(fe, &Nc));
  PetscCall(PetscFEGetBasisSpace(fe, &space));
  PetscCall(PetscSpaceGetDegree(space, NULL, &degree));
  p->affine = (PetscBool)(degree <= 1);
  if (Nc != p->dE) *why = "coordinates with other components";
  else if (p->affine) PetscCall(ProjectSetUpAffine(p, fe));
  PetscCall(PetscFEDestroy(&fe));
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)p->Ne * nx, &p->x));
  PetscCall(PlexGatherCoordinates(p->dm, p->Ne, p->cells, nx, p->x, &other, &has));
  if (other >= 0) *why = "a cell with other coordinates";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Which dofs are written, and by which cells */

/* Dofs that are not written have no owner. PETSc looks for constraints in their order */
static PetscErrorCode ProjectDisown(Projection *p, PetscSection section, InsertMode mode)
{
  PetscInt pStart, pEnd;

  PetscFunctionBegin;
  if (mode == INSERT_ALL_VALUES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  for (PetscInt k = 0; k < p->nfields; ++k) {
    const PetscSection s    = section->field[p->fields[k].f];
    const PetscBool    free = (PetscBool)(mode == INSERT_VALUES);

    if (!s->bc && free) continue;
    for (PetscInt q = pStart; q < pEnd; ++q) {
      int            *owner = &p->owner[s->atlasOff[q - pStart]];
      const PetscInt *held  = NULL;
      PetscInt        n = s->bc ? s->bc->atlasDof[q - pStart] : 0, at = 0;

      if (n <= 0 && free) continue;
      if (n > 0) PetscCall(PetscSectionGetFieldConstraintIndices(section, q, p->fields[k].f, &held));
      for (PetscInt b = 0; b < s->atlasDof[q - pStart]; ++b) {
        const PetscBool is = (PetscBool)(at < n && held[at] == b);

        if (is) ++at;
        if (is == free) owner[b] = -1;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProjectSetUpOwners(Projection *p, InsertMode mode, const char **why)
{
  PetscSection section;
  PetscInt     flipped;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(p->dm, &section));
  PetscCall(PetscMalloc1((size_t)p->Ne * p->ef, &p->dofs));
  PetscCall(PlexGatherClosures(p->dm, section, p->Ne, p->cells, p->ef, p->dofs, &flipped));
  if (flipped >= 0) *why = "dofs that change their sign";
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(p->Nl, &p->owner));
  PetscCall(PetscArrayzero(p->owner, p->Nl));
  for (PetscInt e = 0; e < p->Ne && p->once; ++e)
    for (PetscInt k = 0; k < p->nfields; ++k) {
      const int *dofs = &p->dofs[(size_t)e * p->ef + p->fields[k].space.offset];

      for (PetscInt i = 0; i < p->fields[k].space.Nb; ++i) p->owner[dofs[i]] = (int)e;
    }
  PetscCall(ProjectDisown(p, section, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Places and values */

/* x[dE] = sum_v psi[v] X[v][dE] */
static inline void ProjectPlace(const Projection *p, const PetscReal psi[], const PetscReal X[], PetscReal x[])
{
  for (PetscInt d = 0; d < p->dE; ++d) {
    PetscReal sum = 0.;

    for (PetscInt v = 0; v < p->Nv; ++v) sum += psi[v] * X[v * p->dE + d];
    x[d] = sum;
  }
}

/* x[dE] = x0[dE] + J[dE][dim] step[dim] */
static inline void ProjectPlaceAffine(const Projection *p, const PetscReal x0[], const PetscReal J[],
                                      const PetscReal step[], PetscReal x[])
{
  for (PetscInt d = 0; d < p->dE; ++d) {
    x[d] = x0[d];
    for (PetscInt a = 0; a < p->dim; ++a) x[d] += J[d * p->dim + a] * step[a];
  }
}

/* Which nodes of the batch's cells are evaluated, and where they are. A thread has a cell */
static void ProjectPlacesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const Projection *p = (const Projection *)ctx;

  for (PetscInt c = begin; c < end; ++c) {
    const PetscInt   e = p->begin + c;
    const PetscReal *X = &p->x[(size_t)e * p->Nv * p->dE];
    PetscReal        x0[3], J[9];

    if (p->affine) {
      ProjectPlace(p, p->psi, X, x0);
      for (PetscInt d = 0; d < p->dE; ++d)
        for (PetscInt a = 0; a < p->dim; ++a) {
          PetscReal sum = 0.;

          for (PetscInt v = 0; v < p->Nv; ++v) sum += p->dpsi[v * p->dim + a] * X[v * p->dE + d];
          J[d * p->dim + a] = sum;
        }
    }
    for (PetscInt f = 0; f < p->nfields; ++f) {
      const ProjectField *field  = &p->fields[f];
      const int          *dofs   = &p->dofs[(size_t)e * p->ef + field->space.offset];
      char               *wanted = &p->wanted[c * p->Nn + field->first];

      for (PetscInt k = 0; k < field->space.Nn; ++k) wanted[k] = (char)!p->once;
      for (PetscInt i = 0; i < field->space.Nb && p->once; ++i)
        wanted[field->node[i]] |= p->owner[dofs[i]] == ProjectOwns(p, e);
      for (PetscInt k = 0; k < field->space.Nn; ++k) {
        PetscReal *x = &p->places[(c * p->Nn + field->first + k) * p->dE];

        if (!wanted[k]) continue;
        if (p->affine) ProjectPlaceAffine(p, x0, J, &field->step[k * p->dim], x);
        else ProjectPlace(p, &field->space.psi[k * p->Nv], X, x);
      }
    }
  }
}

/* Calls the function of a field at the nodes of cell c of the batch, and writes the values. u[Nn][Nc], and room behind */
static PetscErrorCode ProjectCell(const Projection *p, const ProjectField *field, PetscInt c, PetscReal time,
                                  PetscSimplePointFn *func, void *ctx, PetscScalar u[], PetscScalar array[])
{
  const PetscInt e = p->begin + c, Nc = field->space.Nc, at = c * p->Nn + field->first;
  const int     *dofs = &p->dofs[(size_t)e * p->ef + field->space.offset], owns = ProjectOwns(p, e);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(u, field->space.Nn * Nc));
  for (PetscInt k = 0; k < field->space.Nn; ++k)
    if (p->wanted[at + k]) PetscCall((*func)(p->dE, time, &p->places[(at + k) * p->dE], Nc, &u[k * Nc], ctx));
  for (PetscInt i = 0; i < field->space.Nb; ++i) /* PETSc's sum of one term: no -0 */
    if (p->owner[dofs[i]] == owns) array[dofs[i]] = 0. + u[field->space.value[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Batch after batch */
static PetscErrorCode ProjectEvaluate(Projection *p, PetscReal time, PetscSimplePointFn *funcs[], void *ctxs[],
                                      PetscScalar array[])
{
  PetscScalar *u;
  PetscInt     room, most = 0;

  PetscFunctionBegin;
  PetscCall(PlexGetMostComponents(p->dm, &room));
  for (PetscInt f = 0; f < p->nfields; ++f) most = PetscMax(most, p->fields[f].space.Nn * p->fields[f].space.Nc);
  PetscCall(PetscMalloc1(most + room, &u));
  PetscCall(PetscMalloc2(PROJECT_CELLS * p->Nn, &p->wanted, PROJECT_CELLS * p->Nn * p->dE, &p->places));
  for (p->begin = 0; p->begin < p->Ne; p->begin += PROJECT_CELLS) {
    const PetscInt n = PetscMin(PROJECT_CELLS, p->Ne - p->begin);

    PetscCall(PlexThreadsRun(n, PROJECT_LEAST, ProjectPlacesLoop, p));
    for (PetscInt c = 0; c < n; ++c) {
      PetscCall(DMPlexSetActivePoint(p->dm, p->cells[p->begin + c])); /* the function may ask for it */
      for (PetscInt k = 0; k < p->nfields; ++k) {
        const PetscInt f = p->fields[k].f;

        PetscCall(ProjectCell(p, &p->fields[k], c, time, funcs[f], ctxs ? ctxs[f] : NULL, u, array));
      }
    }
  }
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All together */

/* Cells, and whether all can be done here */
static PetscErrorCode ProjectionSetUp(Projection *p, PetscSimplePointFn *funcs[], InsertMode mode, Vec X,
                                      const char **why)
{
  PetscDS ds = NULL;

  PetscFunctionBegin;
  PetscCall(ProjectLooksAtDM(p->dm, why));
  if (!*why && p->Ne) PetscCall(ProjectLooksAtCells(p->dm, p->Ne, p->cells, why));
  if (!*why && p->Ne) PetscCall(ProjectLooksAtFields(p->dm, p->cells[0], X, &ds, why));
  if (!*why && p->Ne) PetscCall(ProjectSetUpFields(p, ds, funcs, why));
  if (*why || !p->nfields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProjectSetUpMap(p, why));
  if (!*why) PetscCall(ProjectSetUpOwners(p, mode, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProjectionCreate(DM dm, Vec X, PetscBool once, Projection *p)
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  *p = (Projection){.dm = dm, .once = once};
  PetscCall(DMGetDimension(dm, &p->dim));
  PetscCall(DMGetCoordinateDim(dm, &p->dE));
  PetscCall(VecGetLocalSize(X, &p->Nl));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  p->Ne = cEnd - cStart;
  PetscCall(PetscMalloc1(p->Ne, &p->cells));
  for (PetscInt e = 0; e < p->Ne; ++e) p->cells[e] = cStart + e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProjectionDestroy(Projection *p)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->nfields; ++k) PetscCall(ProjectFieldDestroy(&p->fields[k]));
  PetscCall(PetscFree(p->fields));
  PetscCall(PetscFree(p->cells));
  PetscCall(PetscFree(p->dofs));
  PetscCall(PetscFree(p->owner));
  PetscCall(PetscFree(p->x));
  PetscCall(PetscFree2(p->psi, p->dpsi));
  PetscCall(PetscFree2(p->wanted, p->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether places are not those of the coordinate vector, but of a field that the program has set */
static PetscErrorCode ProjectHasOwnPlaces(DM dm, DMField coordinates, PetscBool *own)
{
  PetscBool vectors;
  DM        cdm, of;

  PetscFunctionBegin;
  *own = PETSC_FALSE;
  if (!coordinates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)coordinates, DMFIELDDS, &vectors));
  PetscCall(DMFieldGetDM(coordinates, &of));
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  *own = (PetscBool)(!vectors || of != cdm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexProjectFunctionLocal(DM dm, PetscReal time, PetscSimplePointFn *funcs[], void *ctxs[],
                                        InsertMode mode, PetscBool once, Vec X, const char **why)
{
  Projection     p;
  DMField        coordinates;
  PetscBool      own;
  PetscScalar   *array;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *why = NULL;
  /* what is collective comes first: some processes may have no cells, or leave it to PETSc */
  PetscCall(DMGetCoordinateField(dm, &coordinates));
  PetscCall(DMGetCoordinatesLocalSetUp(dm));
  PetscCall(DMGetCellCoordinatesLocalSetUp(dm));
  PetscCall(ProjectHasOwnPlaces(dm, coordinates, &own));
  if (!coordinates) *why = "a mesh without coordinates";
  else if (own) *why = "a coordinate field of the program's own";
  else if (mode != INSERT_VALUES && mode != INSERT_ALL_VALUES && mode != INSERT_BC_VALUES) *why = "values are added";
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProjectionCreate(dm, X, once, &p));
  PetscCall(ProjectionSetUp(&p, funcs, mode, X, why));
  if (!*why && p.nfields) {
    PetscCall(VecGetArray(X, &array));
    ierr = ProjectEvaluate(&p, time, funcs, ctxs, array);
    PetscCall(VecRestoreArray(X, &array));
    PetscCall(ierr);
  }
  PetscCall(ProjectionDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
