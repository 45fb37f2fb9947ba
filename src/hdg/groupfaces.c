/* Faces between groups of elements: numbers of faces and of their unknowns, conditions of the boundary (groups.h) */
#include "groups.h"

/* Faces by point - pStart */
typedef struct {
  PetscInt           pStart, pEnd;
  PetscMPIInt        rank;
  const PetscMPIInt *owner;
  const PetscInt    *sides, *degree;
  PetscInt          *number; /* number l; -1: none yet */
  PetscInt          *global; /* of faces of all processes; -1: none */
  PetscInt          *first;  /* global number of a face's first unknown */
} PlexHDGFaces;

/* Facets of the boundary in all parts, and their conditions; number l of those with known trace is -2 - (place among
   these) for now. A face has two cells at most */
static PetscErrorCode PlexHDGGroupsFindBoundary(PlexHDG hdg, PlexHDGFaces *F)
{
  PlexHDGGroups G = hdg->groups;
  PetscInt     *points, n = 0;
  int          *condition;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;

    for (PetscInt r = 0; r < mesh->Ne * mesh->faces; ++r) {
      PetscCheck(F->sides[mesh->face[r] - F->pStart] <= 2, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Face %d is one of more than two cells, cell %" PetscInt_FMT
                 " among them: hybridized DG needs a manifold",
                 mesh->face[r], mesh->cells[r / mesh->faces]);
      mesh->nboundary += F->sides[mesh->face[r] - F->pStart] == 1;
    }
    PetscCall(PetscMalloc2(mesh->nboundary, &mesh->boundary, mesh->nboundary, &mesh->condition));
    n += mesh->nboundary;
  }
  PetscCall(PetscMalloc2(n, &points, n, &condition));
  n = 0;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;
    PetscInt    at   = 0;

    for (PetscInt r = 0; r < mesh->Ne * mesh->faces; ++r) {
      if (F->sides[mesh->face[r] - F->pStart] != 1) continue;
      mesh->boundary[at++] = (int)r;
      points[n++]          = mesh->face[r];
    }
  }
  PetscCall(PlexHDGConditionsFind_Private(hdg, n, points, condition));
  n = 0;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;

    for (PetscInt b = 0; b < mesh->nboundary; ++b, ++n) {
      mesh->condition[b] = condition[n];
      if (hdg->conditions[condition[n]].kind == PLEX_HDG_DIRICHLET)
        F->number[points[n] - F->pStart] = -2 - hdg->mesh->nfixed++;
    }
    mesh->nfixed = 0;
  }
  hdg->mesh->nboundary = 0; /* the parts have them */
  PetscCall(PetscFree2(points, condition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own faces as elements come to them, then those of others ascending in their global number, then those of known trace */
static PetscErrorCode PlexHDGGroupsNumberFaces(PlexHDG hdg, PlexHDGFaces *F)
{
  PlexHDGMesh    whole = hdg->mesh;
  PlexHDGGroups  G     = hdg->groups;
  const MPI_Comm comm  = PetscObjectComm((PetscObject)hdg);
  const PetscInt n     = F->pEnd - F->pStart;
  PetscInt      *ghosts, *points, last = 0, nall;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;

    for (PetscInt r = 0; r < mesh->Ne * mesh->faces; ++r) {
      const PetscInt p = mesh->face[r] - F->pStart;

      if (F->owner[p] == F->rank && F->number[p] == -1) F->number[p] = whole->nown++;
      else if (F->owner[p] != F->rank) ++whole->nghost; /* once: the other side is another process's */
    }
  }
  PetscCallMPI(MPI_Scan(&whole->nown, &last, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPIU_Allreduce(&whole->nown, &whole->nownGlobal, 1, MPIU_INT, MPI_SUM, comm));
  whole->first = last - whole->nown;
  for (PetscInt p = 0; p < n; ++p)
    if (F->number[p] >= 0) F->global[p] = whole->first + F->number[p];
  PetscCall(PlexPointsCombine(hdg->dm, MPI_MAX, MPIU_INT, F->global));
  PetscCall(PetscMalloc2(whole->nghost, &ghosts, whole->nghost, &points));
  for (PetscInt g = 0, at = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;

    for (PetscInt r = 0; r < mesh->Ne * mesh->faces; ++r) {
      const PetscInt p = mesh->face[r] - F->pStart;

      if (F->owner[p] == F->rank) continue;
      ghosts[at]   = F->global[p];
      points[at++] = p;
    }
  }
  PetscCall(PetscSortIntWithArray(whole->nghost, ghosts, points));
  for (PetscInt k = 0; k < whole->nghost; ++k) F->number[points[k]] = whole->nown + k;
  PetscCall(PetscFree2(ghosts, points));
  nall = whole->nown + whole->nghost + whole->nfixed;
  PetscCall(PetscMalloc2(nall, &whole->facePoint, whole->nown + whole->nghost, &whole->faceGlobal));
  for (PetscInt p = 0; p < n; ++p) {
    if (F->number[p] <= -2) F->number[p] = whole->nown + whole->nghost - 2 - F->number[p];
    if (F->number[p] < 0) continue;
    whole->facePoint[F->number[p]] = F->pStart + p;
    if (F->number[p] < whole->nown + whole->nghost) whole->faceGlobal[F->number[p]] = F->global[p];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees of faces, and numbers of their unknowns */
static PetscErrorCode PlexHDGGroupsNumberUnknowns(PlexHDG hdg, PlexHDGFaces *F)
{
  PlexHDGMesh    whole    = hdg->mesh;
  PlexHDGGroups  G        = hdg->groups;
  const PetscInt nall     = whole->nown + whole->nghost + whole->nfixed;
  PetscInt       range[2] = {PETSC_INT_MIN, 0}, last = 0;
  PetscInt64     total;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nall, &G->degree, nall + 1, &G->start));
  G->start[0] = 0;
  for (PetscInt l = 0; l < nall; ++l) {
    G->degree[l]    = (int)F->degree[whole->facePoint[l] - F->pStart];
    G->start[l + 1] = G->start[l] + PlexHDGBasisSize(G->face, G->degree[l]);
  }
  G->own   = G->start[whole->nown];
  G->ghost = G->start[whole->nown + whole->nghost] - G->own;
  G->fixed = G->start[nall] - G->own - G->ghost;
  total    = G->own;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCheck(total < PETSC_INT_MAX, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "The trace has %" PetscInt64_FMT " unknowns, more than %" PetscInt_FMT ": use a PETSc with 64-bit indices",
             total, PETSC_INT_MAX);
  G->all = (PetscInt)total;
  PetscCallMPI(MPI_Scan(&G->own, &last, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  for (PetscInt p = 0; p < F->pEnd - F->pStart; ++p) F->first[p] = -1;
  for (PetscInt l = 0; l < whole->nown; ++l) F->first[whole->facePoint[l] - F->pStart] = last - G->own + G->start[l];
  PetscCall(PlexPointsCombine(hdg->dm, MPI_MAX, MPIU_INT, F->first));
  PetscCall(PetscMalloc1(G->own + G->ghost, &G->number));
  for (PetscInt l = 0; l < whole->nown + whole->nghost; ++l)
    for (PetscInt k = G->start[l]; k < G->start[l + 1]; ++k)
      G->number[k] = F->first[whole->facePoint[l] - F->pStart] + k - G->start[l];
  for (PetscInt g = 0; g < G->n; ++g) {
    range[0] = PetscMax(range[0], -G->group[g].part->degree);
    range[1] = PetscMax(range[1], G->group[g].part->degree);
  }
  G->range[0] = -range[0]; /* all processes have all groups */
  G->range[1] = range[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsSetFaces_Private(PlexHDG hdg, const PetscMPIInt owner[], const PetscInt sides[],
                                             const PetscInt degree[])
{
  PlexHDGGroups G = hdg->groups;
  PlexHDGFaces  F = {.owner = owner, .sides = sides, .degree = degree};
  PetscInt      n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)hdg), &F.rank));
  PetscCall(DMPlexGetChart(hdg->dm, &F.pStart, &F.pEnd));
  n = F.pEnd - F.pStart;
  PetscCall(PetscMalloc3(n, &F.number, n, &F.global, n, &F.first));
  for (PetscInt p = 0; p < n; ++p) F.number[p] = F.global[p] = -1;
  G->face = G->group[0].part->reference->face;
  PetscCall(PlexHDGGroupsFindBoundary(hdg, &F));
  PetscCall(PlexHDGGroupsNumberFaces(hdg, &F));
  PetscCall(PlexHDGGroupsNumberUnknowns(hdg, &F));
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG        part = G->group[g].part;
    const PetscInt rows = part->mesh->Ne * part->mesh->faces;

    for (PetscInt r = 0; r < rows; ++r) part->mesh->face[r] = (int)F.number[part->mesh->face[r] - F.pStart];
    G->group[g].offset[0] = G->lengths[0];
    G->group[g].offset[1] = G->lengths[1];
    G->group[g].offset[2] = G->lengths[2];
    G->lengths[0] += part->mesh->Ne * part->reference->Np;
    G->lengths[1] += part->mesh->Ne * part->reference->Np * part->reference->dim;
    G->lengths[2] += part->mesh->Ne * part->reference->Npost;
    hdg->mesh->Ne += part->mesh->Ne;
    hdg->mesh->NeGlobal += part->mesh->NeGlobal;
  }
  PetscCall(PetscMalloc1(hdg->mesh->Ne, &hdg->mesh->cells));
  n = 0;
  for (PetscInt g = 0; g < G->n; ++g)
    for (PetscInt e = 0; e < G->group[g].part->mesh->Ne; ++e) hdg->mesh->cells[n++] = G->group[g].part->mesh->cells[e];
  PetscCall(PetscFree3(F.number, F.global, F.first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of facet b of a part, which is face l: moments[n] of g with the functions of its degree, G[n][n] */
static PetscErrorCode PlexHDGGroupMoments(PlexHDGGroups G, PlexHDG part, PetscInt b, const PetscReal shape[],
                                          const PetscReal dshape[], PetscReal work[], PetscReal moments[],
                                          PetscReal matrix[])
{
  PlexHDGReference R = part->reference;
  const PetscInt   l = part->mesh->face[part->mesh->boundary[b]], k = G->degree[l], n = G->start[l + 1] - G->start[l];
  PetscReal       *all = work + R->Nf; /* [Nf][Nf] */

  PetscFunctionBegin;
  PetscCall(PlexHDGBoundaryMoments_Private(part, b, shape, dshape, work, all));
  for (PetscInt m = 0; m < n; ++m) {
    const PetscInt row = PlexHDGFaceFunction(G->face, R->trace, k, m);

    moments[m] = work[row];
    for (PetscInt o = 0; o < n; ++o)
      matrix[m * n + o] = all[row * R->Nf + PlexHDGFaceFunction(G->face, R->trace, k, o)];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets with Robin's condition, and the numbers of their matrices */
static PetscErrorCode PlexHDGGroupsCountRobin(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;
  PetscInt      n = 0, numbers = 0;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDGMesh mesh = G->group[g].part->mesh;

    for (PetscInt b = 0; b < mesh->nboundary; ++b) {
      const PetscInt l = mesh->face[mesh->boundary[b]];

      if (hdg->conditions[mesh->condition[b]].kind != PLEX_HDG_ROBIN) continue;
      ++n;
      numbers += PetscSqr(G->start[l + 1] - G->start[l]);
    }
  }
  PetscCall(PetscMalloc1(n, &G->robin));
  PetscCall(PetscMalloc1(numbers, &G->matrices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known traces are the projections of g (equation 6a); g of the others goes to the right-hand side, alpha to K */
PetscErrorCode PlexHDGGroupsSetBoundary_Private(PlexHDG hdg)
{
  PlexHDGGroups G  = hdg->groups;
  PetscInt      at = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(G->own + G->ghost + G->fixed, &G->trace, G->own, &G->natural));
  PetscCall(PlexHDGGroupsCountRobin(hdg));
  hdg->holds = PETSC_FALSE;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG          part = G->group[g].part;
    PlexHDGMesh      mesh = part->mesh;
    PlexHDGReference R    = part->reference;
    PetscReal       *shape, *dshape, *work, *moments, *matrix;

    PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
    PetscCall(PetscMalloc3(R->Nf * (R->Nf + 1), &work, R->Nf, &moments, R->Nf * R->Nf, &matrix));
    for (PetscInt b = 0; b < mesh->nboundary; ++b) {
      const PlexHDGBoundary kind = hdg->conditions[mesh->condition[b]].kind;
      const PetscInt        l = mesh->face[mesh->boundary[b]], n = G->start[l + 1] - G->start[l];

      PetscCall(PlexHDGGroupMoments(G, part, b, shape, dshape, work, moments, matrix));
      if (matrix[0] > 0.) hdg->holds = PETSC_TRUE;
      if (kind == PLEX_HDG_DIRICHLET) {
        PetscCall(PlexHDGSolveSmall_Private(n, matrix, moments));
        for (PetscInt m = 0; m < n; ++m) G->trace[G->start[l] + m] = moments[m];
        continue;
      }
      PetscCall(PetscArraycpy(&G->natural[G->start[l]], moments, n));
      if (kind != PLEX_HDG_ROBIN) continue;
      G->robin[G->nrobin++] = l;
      PetscCall(PetscArraycpy(&G->matrices[at], matrix, n * n));
      at += n * n;
    }
    PetscCall(PetscFree2(shape, dshape));
    PetscCall(PetscFree3(work, moments, matrix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
