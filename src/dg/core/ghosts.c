/*
  Traces that travel between processes: which faces have an own element on one side and another process's on the other,
  and in which order each pair of processes sends them.

  A mesh of triangles and quadrilaterals has a part of each. Ghosts of a part are faces that it has in common with the
  other part here, in the order of faces, which is the same in both, and then those between processes. Ghost g of a part
  has place start + g among those of all parts, and places are what processes tell each other.
*/
#include "coreimpl.h"

/* Exchanges a number >= 0 of each point between the processes that know one, two at most. other[]: the other process's
   number, -1: none. mine[], other[]: [pEnd - pStart]. Collective */
static PetscErrorCode PlexPointsExchange(DM dm, const PetscInt64 mine[], PetscInt64 other[])
{
  PetscInt64 *low, *high;
  PetscInt    pStart, pEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PetscCall(PetscMalloc2(pEnd - pStart, &low, pEnd - pStart, &high));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    low[p]  = mine[p] < 0 ? PETSC_INT64_MAX : mine[p];
    high[p] = mine[p];
  }
  PetscCall(PlexPointsCombine(dm, MPI_MIN, MPIU_INT64, low));
  PetscCall(PlexPointsCombine(dm, MPI_MAX, MPIU_INT64, high));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    other[p] = mine[p] == low[p] ? high[p] : low[p];
    if (other[p] == mine[p] || other[p] == PETSC_INT64_MAX) other[p] = -1;
  }
  PetscCall(PetscFree2(low, high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes, places of traces that are sent, and how the side lies, its turn, outward and part, in one number of 64
   bits */
#define PLEX_RECORD(rank, index, lies) (((PetscInt64)(rank) << 40) | ((PetscInt64)(index) << 5) | (lies))
#define PLEX_RECORD_RANK(record)       ((PetscInt)((record) >> 40))
#define PLEX_RECORD_INDEX(record)      ((PetscInt)(((record) >> 5) & (((PetscInt64)1 << 35) - 1)))
#define PLEX_RECORD_LIES(record)       ((PetscInt)((record) & 31))
#define PLEX_RECORD_TURN(record)       ((PetscInt)((record) & 7))
#define PLEX_RECORD_OUTWARD(record)    ((PetscBool)(((record) >> 3) & 1))
#define PLEX_RECORD_PART(record)       ((PetscInt)(((record) >> 4) & 1))

/* Traces of a process are sorted by the other one, then by the parts of both, then by the place in that of the lower
   rank: what two processes, or two parts of them, tell each other is contiguous on either side */
static PetscInt64 PlexDGRecordKey(PetscInt64 mine, PetscInt64 theirs)
{
  const PetscBool  low   = (PetscBool)(PLEX_RECORD_RANK(mine) < PLEX_RECORD_RANK(theirs));
  const PetscInt64 first = low ? mine : theirs, second = low ? theirs : mine;
  const PetscInt64 parts = PLEX_RECORD_PART(first) * 2 + PLEX_RECORD_PART(second);

  return ((PetscInt64)PLEX_RECORD_RANK(theirs) << 40) | (parts << 38) | PLEX_RECORD_INDEX(first);
}

static int PlexCompareRecords(const void *a, const void *b, void *ctx)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  (void)ctx;
  return (x > y) - (x < y);
}

/* Whether an own element of F has face p, and another process a cell on its other side */
static inline PetscBool PlexDGFacesTravels(const PlexDGFaces *F, const PetscInt64 mine[], PetscInt p)
{
  return (PetscBool)(mine[p - F->pStart] >= 0 && F->sides[p - F->fStart][0] >= 0);
}

/* Renumbers the traces that are sent: by process, ascending, so that a message is contiguous on both sides. Within a
   message both sides use the order in which the process of the lower rank had numbered them. mine, theirs: what either
   side of a face says, by points */
static PetscErrorCode PlexDGFacesSortGhosts(const PlexDGFaces *F, PetscInt start, PetscInt64 mine[],
                                            const PetscInt64 theirs[])
{
  PlexDGMesh     mesh   = F->mesh;
  const PetscInt pStart = F->pStart, met = mesh->nmet, travel = mesh->nghosts - met;
  PetscInt       n = 0, *sent, *face;
  PetscInt64     m, t, *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(travel, &sent, travel, &face, travel, &key));
  for (PetscInt p = F->fStart; p < F->fEnd; ++p) {
    m = mine[p - pStart];
    t = theirs[p - pStart];
    if (!PlexDGFacesTravels(F, mine, p)) continue;
    PetscCheck(t >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No other process has face %" PetscInt_FMT, p);
    key[n]  = PlexDGRecordKey(m, t);
    face[n] = p;
    ++n;
  }
  if (n > 1) PetscCall(PetscTimSortWithArray(n, key, sizeof(*key), face, sizeof(*face), PlexCompareRecords, NULL));
  for (n = 0; n < travel; ++n) {
    m                      = mine[face[n] - pStart];
    sent[n]                = mesh->sent[PLEX_RECORD_INDEX(m) - start];
    mine[face[n] - pStart] = PLEX_RECORD(PLEX_RECORD_RANK(m), start + met + n, PLEX_RECORD_LIES(m));
  }
  for (n = 0; n < travel; ++n) mesh->sent[met + n] = (int)sent[n];
  PetscCall(PetscFree3(sent, face, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the traces that are sent in the order of own elements, mine[]: by points, what the other side is told */
static PetscErrorCode PlexDGFacesNumberGhosts(const PlexDGFaces *F, PetscInt part, PetscInt start, PetscInt64 mine[])
{
  PlexDGMesh  mesh = F->mesh;
  PetscInt    n    = mesh->nmet, trace;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &rank));
  for (PetscInt e = mesh->Ninterior; e < mesh->Ne; ++e) {
    const PetscInt *cone = &F->cones.points[PlexConesAt(&F->cones, mesh->cells[e])];

    for (PetscInt c = 0; c < mesh->faces; ++c) {
      const PetscInt   *own = F->sides[cone[c] - F->fStart];
      const PlexDGSide *side;

      if (own[1] >= 0 || F->other[cone[c] - F->pStart] < 0 || F->other[cone[c] - F->pStart] == rank) continue;
      side                      = PlexDGFacesGetSide(F, own[0], &trace);
      mesh->sent[n]             = (int)trace;
      mine[cone[c] - F->pStart] = PLEX_RECORD(rank, start + n++,
                                              side->turn | (side->outward ? 8 : 0) | (part ? 16 : 0));
    }
  }
  PetscCheck(n == mesh->nghosts, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " traces to be sent, %" PetscInt_FMT " expected", n, mesh->nghosts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Links to the traces that are received, and whose they are. theirs: what the other sides have said, by points */
static PetscErrorCode PlexDGFacesLinkGhosts(const PlexDGFaces *F, PetscInt start, const PetscInt64 mine[],
                                            const PetscInt64 theirs[], PetscSFNode remote[])
{
  PlexDGMesh mesh = F->mesh;

  PetscFunctionBegin;
  for (PetscInt p = F->fStart; p < F->fEnd; ++p) {
    const PetscInt64 m = mine[p - F->pStart], t = theirs[p - F->pStart];
    PetscInt         n;

    if (!PlexDGFacesTravels(F, mine, p)) continue;
    n = PLEX_RECORD_INDEX(m) - start;
    PetscCall(PlexDGFacesCheck_Private(F, mesh->sent[n], p, PLEX_RECORD_OUTWARD(m), PLEX_RECORD_OUTWARD(t)));
    mesh->links[mesh->sent[n]] = (int)((mesh->Ne * mesh->faces + n) * mesh->turns +
                                       F->between[PLEX_RECORD_TURN(m)][PLEX_RECORD_TURN(t)]);
    remote[start + n].rank     = PLEX_RECORD_RANK(t);
    remote[start + n].index    = PLEX_RECORD_INDEX(t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces between the parts of this process: sent, and links, of both sides */
static PetscErrorCode PlexDGFacesMeet(PlexDGFaces F[2])
{
  PetscInt g = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < F->fEnd - F->fStart; ++p) {
    const PlexDGSide *side[2];
    PetscInt          trace[2];

    if (F[0].sides[p][0] < 0 || F[1].sides[p][0] < 0) continue;
    for (PetscInt k = 0; k < 2; ++k) side[k] = PlexDGFacesGetSide(&F[k], F[k].sides[p][0], &trace[k]);
    PetscCall(PlexDGFacesCheck_Private(&F[0], trace[0], F->fStart + p, side[0]->outward, side[1]->outward));
    for (PetscInt k = 0; k < 2; ++k) {
      PlexDGMesh mesh = F[k].mesh;

      mesh->sent[g]         = (int)trace[k];
      mesh->links[trace[k]] = (int)((mesh->Ne * mesh->faces + g) * mesh->turns +
                                    F[k].between[side[k]->turn][side[1 - k]->turn]);
    }
    ++g;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many there are */
static PetscErrorCode PlexDGFacesCountGhosts(PetscInt n, PlexDGFaces F[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)F->mesh->dm), &rank));
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMesh mesh = F[k].mesh;

    for (PetscInt p = F->fStart; p < F->fEnd && F->other; ++p) {
      const PetscInt *own = F[k].sides[p - F->fStart];

      if (own[0] < 0 || own[1] >= 0 || F[k].other[p - F->pStart] < 0) continue;
      ++mesh->nghosts;
      mesh->nmet += F[k].other[p - F->pStart] == rank;
    }
    PetscCall(PlexDGIntCheck_Private((PetscInt64)mesh->Ne * mesh->faces + mesh->nghosts, mesh->turns,
                                     "codes of faces"));
    PetscCall(PetscMalloc1(mesh->nghosts, &mesh->sent));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sf: from places to places; leaves[]: those that are received, without what meets here */
static PetscErrorCode PlexDGFacesCreateSF(PetscInt n, const PlexDGFaces F[], const PetscSFNode remote[], PetscSF *sf)
{
  PetscInt     start = 0, nleaves = 0, *leaves, all = 0;
  PetscSFNode *from;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) all += F[k].mesh->nghosts;
  PetscCall(PetscMalloc2(all, &leaves, all, &from));
  for (PetscInt k = 0; k < n; start += F[k++].mesh->nghosts)
    for (PetscInt g = F[k].mesh->nmet; g < F[k].mesh->nghosts; ++g) {
      leaves[nleaves] = start + g;
      from[nleaves++] = remote[start + g];
    }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)F->mesh->dm), sf));
  PetscCall(PetscSFSetGraph(*sf, all, nleaves, nleaves == all ? NULL : leaves, PETSC_COPY_VALUES, from,
                            PETSC_COPY_VALUES));
  PetscCall(PetscFree2(leaves, from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesSetGhosts_Private(PetscInt n, PlexDGFaces F[], PetscSF *sf)
{
  const PetscInt points   = F->parallel ? F->pEnd - F->pStart : 0;
  PetscInt       start[3] = {0, 0, 0};
  PetscInt64    *mine, *theirs;
  PetscSFNode   *remote;

  PetscFunctionBegin;
  PetscCall(PlexDGFacesCountGhosts(n, F));
  for (PetscInt k = 0; k < n; ++k) start[k + 1] = start[k] + F[k].mesh->nghosts;
  if (n > 1) PetscCall(PlexDGFacesMeet(F));
  PetscCall(PetscMalloc3(points, &mine, points, &theirs, start[n], &remote));
  if (F->parallel) {
    for (PetscInt p = 0; p < points; ++p) mine[p] = -1;
    for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFacesNumberGhosts(&F[k], k, start[k], mine));
    PetscCall(PlexPointsExchange(F->mesh->dm, mine, theirs));
    for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFacesSortGhosts(&F[k], start[k], mine, theirs));
    PetscCall(PlexPointsExchange(F->mesh->dm, mine, theirs));
    for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFacesLinkGhosts(&F[k], start[k], mine, theirs, remote));
  }
  PetscCall(PlexDGFacesCreateSF(n, F, remote, n > 1 ? sf : &F->mesh->sf));
  PetscCall(PetscFree3(mine, theirs, remote));
  for (PetscInt k = 0; k < n && n > 1; ++k) { /* that of all parts alone moves something */
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)F->mesh->dm), &F[k].mesh->sf));
    PetscCall(PetscSFSetGraph(F[k].mesh->sf, F[k].mesh->nghosts, 0, NULL, PETSC_COPY_VALUES, NULL, PETSC_COPY_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sides of face p of all parts */
static PetscInt PlexDGFacesCountSides(PetscInt n, const PlexDGFaces F[], PetscInt p)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; ++k) count += (F[k].sides[p][0] >= 0) + (F[k].sides[p][1] >= 0);
  return count;
}

PetscErrorCode PlexDGFacesFindRemote_Private(PetscInt n, PlexDGFaces F[], PetscBool *remote[])
{
  const PetscInt points = F->pEnd - F->pStart, fStart = F->fStart;
  PetscInt64    *mine;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)F->mesh->dm), &rank));
  PetscCall(PetscMalloc1(points, &mine));
  for (PetscInt p = 0; p < points; ++p) mine[p] = -1;
  for (PetscInt p = fStart; p < F->fEnd; ++p) {
    const PetscInt count = PlexDGFacesCountSides(n, F, p - fStart);

    PetscCheck(count <= 2, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Face %" PetscInt_FMT " is one of more than two cells: DG needs a manifold", p);
    if (count == 1) mine[p - F->pStart] = rank;
  }
  if (F->parallel) PetscCall(PlexPointsExchange(F->mesh->dm, mine, F->other));
  else
    for (PetscInt p = 0; p < points; ++p) F->other[p] = -1;
  if (n > 1) {
    for (PetscInt p = fStart; p < F->fEnd; ++p)
      if (F[0].sides[p - fStart][0] >= 0 && F[1].sides[p - fStart][0] >= 0) F->other[p - F->pStart] = rank;
    PetscCall(PetscArraycpy(F[1].other, F->other, points));
  }
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt e = 0; e < F[k].mesh->Ne; ++e) remote[k][e] = PETSC_FALSE;
    for (PetscInt p = fStart; p < F->fEnd; ++p) {
      const PetscInt *own = F[k].sides[p - fStart];

      if (own[0] >= 0 && own[1] < 0 && F->other[p - F->pStart] >= 0) remote[k][own[0] / F[k].mesh->faces] = PETSC_TRUE;
    }
  }
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}
