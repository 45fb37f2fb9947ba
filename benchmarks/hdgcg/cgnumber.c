/* Numbers of the nodes of continuous elements, and what Dirichlet's conditions say at them. A node on the boundary of an
   element is in one of its vertices, edges or faces, by the weights of its vertices: place n of that point of the mesh,
   where its vertices are taken in the order of their global numbers, so all elements beside it agree. */
#include "cgimpl.h"
#include "../../src/dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */

/* The point of the mesh that node i of an element with these vertices is in, and its place there */
static PetscErrorCode PlexHDGCGFind(PlexHDGCG cg, const PetscInt vertices[], const PetscInt global[], PetscInt i,
                                    PetscInt *point, PetscInt *place)
{
  const PetscInt  P      = cg->hdg->degree;
  const int      *weight = &cg->weights[4 * i];
  PetscInt        n = 0, corner[4], key[4], order[4] = {0, 1, 2, 3}, njoin;
  const PetscInt *join;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < 4; ++v) {
    if (!weight[v]) continue;
    corner[n] = v;
    key[n++]  = global[v];
  }
  PetscCall(PetscSortIntWithPermutation(n, key, order));
  for (PetscInt k = 0; k < n; ++k) key[k] = vertices[corner[k]];
  *point = key[0];
  if (n > 1) {
    PetscCall(DMPlexGetFullJoin(cg->hdg->mesh->dm, n, key, &njoin, &join));
    PetscCheck(njoin == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%" PetscInt_FMT " points of the mesh have the vertices of one", njoin);
    *point = join[0];
    PetscCall(DMPlexRestoreJoin(cg->hdg->mesh->dm, n, key, &njoin, &join));
  }
  *place = n > 1 ? weight[corner[order[1]]] - 1 : 0;
  if (n == 3) /* rows of P - 2, P - 3, ... */
    for (int k = 1; k < weight[corner[order[2]]]; ++k) *place += P - 1 - k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest number of all processes that have a point, of an array by points or by dofs */
static PetscErrorCode PlexHDGCGAgree(PetscSF sf, MPI_Datatype unit, MPI_Op op, size_t bytes, void *values)
{
  PetscInt nroots;
  void    *leaves;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(sf, &nroots, NULL, NULL, NULL));
  if (nroots < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc(bytes, &leaves));
  PetscCall(PetscMemcpy(leaves, values, bytes));
  PetscCall(PetscSFReduceBegin(sf, unit, leaves, values, op));
  PetscCall(PetscSFReduceEnd(sf, unit, leaves, values, op));
  PetscCall(PetscMemcpy(leaves, values, bytes));
  PetscCall(PetscSFBcastBegin(sf, unit, leaves, values, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, leaves, values, MPI_REPLACE));
  PetscCall(PetscFree(leaves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* known[p] 1: on the boundary */
static PetscErrorCode PlexHDGCGGetBoundary(PlexHDGCG cg, PetscInt npoints, int known[])
{
  PlexHDGMesh mesh = cg->hdg->mesh;
  PetscSF     sf;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PetscInt *cone;
    PetscInt       *closure = NULL, n;

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[mesh->boundary[b] / mesh->faces], &cone));
    PetscCall(DMPlexGetTransitiveClosure(mesh->dm, cone[mesh->boundary[b] % mesh->faces], PETSC_TRUE, &n, &closure));
    for (PetscInt k = 0; k < n; ++k) known[closure[2 * k]] = 1;
    PetscCall(DMPlexRestoreTransitiveClosure(mesh->dm, cone[mesh->boundary[b] % mesh->faces], PETSC_TRUE, &n,
                                             &closure));
  }
  PetscCall(DMGetPointSF(mesh->dm, &sf));
  PetscCall(PlexHDGCGAgree(sf, MPI_INT, MPI_MAX, sizeof(int) * (size_t)npoints, known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* point[Ne][Nb], place[Ne][Nb] of all nodes */
static PetscErrorCode PlexHDGCGFindAll(PlexHDGCG cg, PetscInt point[], PetscInt place[])
{
  PlexHDGMesh     mesh = cg->hdg->mesh;
  IS              is;
  const PetscInt *numbers;
  PetscInt        vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(DMPlexGetVertexNumbering(mesh->dm, &is));
  PetscCall(ISGetIndices(is, &numbers));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscInt *closure = NULL, n, vertices[4], global[4], found = 0;

    PetscCall(DMPlexGetTransitiveClosure(mesh->dm, mesh->cells[e], PETSC_TRUE, &n, &closure));
    for (PetscInt k = 0; k < n && found < 4; ++k) {
      const PetscInt v = closure[2 * k];

      if (v < vStart || v >= vEnd) continue;
      vertices[found] = v;
      global[found++] = numbers[v - vStart] < 0 ? -numbers[v - vStart] - 1 : numbers[v - vStart];
    }
    PetscCall(DMPlexRestoreTransitiveClosure(mesh->dm, mesh->cells[e], PETSC_TRUE, &n, &closure));
    for (PetscInt i = 0; i < cg->Nb; ++i)
      PetscCall(PlexHDGCGFind(cg, vertices, global, i, &point[e * cg->Nb + i], &place[e * cg->Nb + i]));
  }
  PetscCall(ISRestoreIndices(is, &numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes by points, in the order in which elements meet them; known[p]: constrained */
static PetscErrorCode PlexHDGCGCreateSection(PlexHDGCG cg, const PetscInt point[], const int known[],
                                             PetscSection *section)
{
  PlexHDGMesh    mesh = cg->hdg->mesh;
  const PetscInt P = cg->hdg->degree, each[3] = {1, P - 1, (P - 1) * (P - 2) / 2};
  PetscInt       pStart, pEnd, n = 0, *order, *constraints;
  PetscBool     *met;
  IS             is;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscCalloc1(pEnd, &met));
  PetscCall(PetscMalloc1(pEnd, &order));
  for (PetscInt k = 0; k < mesh->Ne * cg->Nb; ++k) {
    if (met[point[k]]) continue;
    met[point[k]] = PETSC_TRUE;
    order[n++]    = point[k];
  }
  for (PetscInt p = 0; p < pEnd; ++p)
    if (!met[p]) order[n++] = p;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, pEnd, order, PETSC_OWN_POINTER, &is));
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)mesh->dm), section));
  PetscCall(PetscSectionSetChart(*section, pStart, pEnd));
  PetscCall(PetscSectionSetPermutation(*section, is));
  for (PetscInt depth = 0; depth < mesh->dim; ++depth) {
    PetscInt begin, end;

    PetscCall(DMPlexGetDepthStratum(mesh->dm, depth, &begin, &end));
    for (PetscInt p = begin; p < end; ++p) {
      PetscCall(PetscSectionSetDof(*section, p, each[depth]));
      PetscCall(PetscSectionSetConstraintDof(*section, p, known[p] ? each[depth] : 0));
    }
  }
  PetscCall(PetscSectionSetUp(*section));
  PetscCall(PetscMalloc1(PetscMax(P, each[2]), &constraints));
  for (PetscInt k = 0; k < PetscMax(P, each[2]); ++k) constraints[k] = k;
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dofs;

    PetscCall(PetscSectionGetConstraintDof(*section, p, &dofs));
    if (dofs) PetscCall(PetscSectionSetConstraintIndices(*section, p, constraints));
  }
  PetscCall(PetscFree(constraints));
  PetscCall(PetscFree(met));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values: of the node of each dof that is known; nodes of own boundary facets */
static PetscErrorCode PlexHDGCGEvaluate(PlexHDGCG cg, const PetscInt dof[], PetscReal values[])
{
  PlexHDG          hdg  = cg->hdg;
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, faces = mesh->faces, Nv = mesh->Nv;
  const PetscReal *points = cg->points + dim * cg->Ni;
  PetscReal       *shape, *dshape, corner[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cg->Nb * Nv, &shape, cg->Nb * Nv * dim, &dshape));
  if (mesh->nmapped) PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, cg->Nb, points, shape, dshape));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGCondition *c = &hdg->conditions[mesh->condition[b]];
    const PetscInt          e = mesh->boundary[b] / faces, f = mesh->boundary[b] % faces;

    PetscCheck(c->kind == PLEX_HDG_DIRICHLET, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Continuous elements are compared with for Dirichlet's conditions, and facet %" PetscInt_FMT
               " of cell %" PetscInt_FMT " has condition %s",
               f, mesh->cells[e], PlexHDGBoundaries[c->kind]);
    PetscCall(PlexHDGFacePoints(mesh->cell, f, 1, (const PetscReal[]){-1., -1.}, corner));
    for (PetscInt i = 0; i < cg->Nb; ++i) {
      PetscReal   x[3] = {0., 0., 0.}, J[3][3], C[3][3], n[3] = {0., 0., 0.}, length = 0.;
      PetscScalar g      = 0.;
      PetscReal   beside = 0.;

      for (PetscInt d = 0; d < dim; ++d) beside += R->normal[f][d] * (points[dim * i + d] - corner[d]);
      if (PetscAbsReal(beside) > 1e-8) continue; /* not on this facet */
      PlexHDGMeshMap_Private(mesh, e, &points[dim * i], &shape[i * Nv], &dshape[i * Nv * dim], x, J);
      (void)PlexCofactors(dim, J, C);
      for (PetscInt d = 0; d < dim; ++d) {
        for (PetscInt a = 0; a < dim; ++a) n[d] += C[a][d] * R->normal[f][a];
        length += PetscSqr(n[d]);
      }
      for (PetscInt d = 0; d < dim; ++d) n[d] /= PetscSqrtReal(length);
      if (c->func) PetscCall((*c->func)(dim, x, n, 1, &g, c->ctx));
      values[dof[e * cg->Nb + i]] = PetscRealPart(g);
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known values of all processes, in the order of the nodes */
static PetscErrorCode PlexHDGCGSetKnown(PlexHDGCG cg, PetscSection section, const PetscInt dof[])
{
  PlexHDGMesh mesh = cg->hdg->mesh;
  PetscInt    n, nroots, *offsets = NULL;
  PetscReal  *values, *known;
  PetscSF     points, sf;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(PetscMalloc2(n, &values, cg->nfixed, &known));
  for (PetscInt k = 0; k < n; ++k) values[k] = PETSC_MIN_REAL;
  PetscCall(PlexHDGCGEvaluate(cg, dof, values));
  PetscCall(DMGetPointSF(mesh->dm, &points));
  PetscCall(PetscSFGetGraph(points, &nroots, NULL, NULL, NULL));
  if (nroots >= 0) {
    PetscCall(PetscSFCreateRemoteOffsets(points, section, section, &offsets));
    PetscCall(PetscSFCreateSectionSF(points, section, offsets, section, &sf));
    PetscCall(PlexHDGCGAgree(sf, MPIU_REAL, MPIU_MAX, sizeof(PetscReal) * (size_t)n, values));
    PetscCall(PetscSFDestroy(&sf));
    PetscCall(PetscFree(offsets));
  }
  for (PetscInt k = 0; k < mesh->Ne * cg->Nb; ++k)
    if (cg->nodes[k] >= cg->nfree) known[cg->nodes[k] - cg->nfree] = values[dof[k]];
  PetscCall(PlexMemoryUpload(cg->hdg->backend, &cg->memory, known, sizeof(double) * (size_t)cg->nfixed,
                             (const void **)&cg->args.known));
  PetscCall(PetscFree2(values, known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nodes, nfree and nfixed, global, the numbers of unknowns, and known values */
PetscErrorCode PlexHDGCGNumber_Private(PlexHDGCG cg)
{
  PlexHDGMesh    mesh = cg->hdg->mesh;
  const PetscInt n    = mesh->Ne * cg->Nb;
  PetscInt       pStart, pEnd, size, *point, *place, *dof, *number;
  PetscSection   section, global;
  int           *known;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc3(n, &point, n, &place, n, &dof));
  PetscCall(PetscCalloc1(pEnd, &known));
  PetscCall(PlexHDGCGFindAll(cg, point, place));
  PetscCall(PlexHDGCGGetBoundary(cg, pEnd, known));
  PetscCall(PlexHDGCGCreateSection(cg, point, known, &section));
  PetscCall(DMClone(mesh->dm, &dm));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(DMGetGlobalSection(dm, &global));
  PetscCall(PetscSectionGetConstrainedStorageSize(global, &cg->nown));
  PetscCall(PetscSectionGetStorageSize(section, &size));
  PetscCall(PetscMalloc1(size, &number));
  PetscCall(PetscMalloc1(size, &cg->global));
  for (PetscInt k = 0; k < size; ++k) number[k] = -1;
  for (int pass = 0; pass < 2; ++pass) { /* free ones, then known ones */
    for (PetscInt k = 0; k < n; ++k) {
      PetscInt offset;

      PetscCall(PetscSectionGetOffset(section, point[k], &offset));
      dof[k] = offset + place[k];
      if (known[point[k]] != pass) continue;
      if (number[dof[k]] < 0) {
        number[dof[k]] = cg->nfree + cg->nfixed;
        PetscCall(PetscSectionGetOffset(global, point[k], &offset));
        if (!pass) cg->global[cg->nfree] = (offset < 0 ? -offset - 1 : offset) + place[k];
        ++*(pass ? &cg->nfixed : &cg->nfree);
      }
      cg->nodes[k] = (int)number[dof[k]];
    }
  }
  PetscCall(PlexHDGCGSetKnown(cg, section, dof));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(known));
  PetscCall(PetscFree3(point, place, dof));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
