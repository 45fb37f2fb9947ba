/*
  Traces that travel between processes: which faces have an own element on one side and another process's on the other,
  and in which order each pair of processes sends them.
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

/* Processes, numbers of traces that are sent, and how the side lies, its turn and outward, in one number of 64 bits */
#define PLEX_RECORD(rank, index, lies) (((PetscInt64)(rank) << 40) | ((PetscInt64)(index) << 4) | (lies))
#define PLEX_RECORD_RANK(record)       ((PetscInt)((record) >> 40))
#define PLEX_RECORD_INDEX(record)      ((PetscInt)(((record) >> 4) & (((PetscInt64)1 << 36) - 1)))
#define PLEX_RECORD_LIES(record)       ((PetscInt)((record) & 15))
#define PLEX_RECORD_TURN(record)       ((PetscInt)((record) & 7))
#define PLEX_RECORD_OUTWARD(record)    ((PetscBool)(((record) >> 3) & 1))

static int PlexCompareRecords(const void *a, const void *b, void *ctx)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  (void)ctx;
  return (x > y) - (x < y);
}

/* Renumbers the traces that are sent: by process, ascending, so that a message is contiguous on both sides. Within a
   message both sides use the order in which the process of the lower rank had numbered them. mine, theirs: what either
   side of a face says, by points */
static PetscErrorCode PlexDGFacesSortGhosts(const PlexDGFaces *F, PetscInt64 mine[], const PetscInt64 theirs[])
{
  PlexDGMesh     mesh   = F->mesh;
  const PetscInt pStart = F->pStart;
  PetscInt       n      = 0, *sent, *face;
  PetscInt64     m, t, *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mesh->nghosts, &sent, mesh->nghosts, &face, mesh->nghosts, &key));
  for (PetscInt p = F->fStart; p < F->fEnd; ++p) {
    m = mine[p - pStart];
    t = theirs[p - pStart];
    if (m < 0) continue;
    PetscCheck(t >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No other process has face %" PetscInt_FMT, p);
    key[n]  = PLEX_RECORD(PLEX_RECORD_RANK(t),
                          PLEX_RECORD_RANK(m) < PLEX_RECORD_RANK(t) ? PLEX_RECORD_INDEX(m) : PLEX_RECORD_INDEX(t), 0);
    face[n] = p;
    ++n;
  }
  if (n > 1) PetscCall(PetscTimSortWithArray(n, key, sizeof(*key), face, sizeof(*face), PlexCompareRecords, NULL));
  for (n = 0; n < mesh->nghosts; ++n) {
    m                      = mine[face[n] - pStart];
    sent[n]                = mesh->sent[PLEX_RECORD_INDEX(m)];
    mine[face[n] - pStart] = PLEX_RECORD(PLEX_RECORD_RANK(m), n, PLEX_RECORD_LIES(m));
  }
  for (n = 0; n < mesh->nghosts; ++n) mesh->sent[n] = (int)sent[n];
  PetscCall(PetscFree3(sent, face, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the traces that are sent in the order of own elements, mine[]: by points, what the other side is told */
static PetscErrorCode PlexDGFacesNumberGhosts(const PlexDGFaces *F, PetscInt64 mine[])
{
  PlexDGMesh  mesh = F->mesh;
  PetscInt    n    = 0, trace;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &rank));
  for (PetscInt p = 0; p < F->pEnd - F->pStart; ++p) mine[p] = -1;
  for (PetscInt e = mesh->Ninterior; e < mesh->Ne; ++e) {
    const PetscInt *cone = &F->cones.points[PlexConesAt(&F->cones, mesh->cells[e])];

    for (PetscInt c = 0; c < mesh->faces; ++c) {
      const PetscInt   *own = F->sides[cone[c] - F->fStart];
      const PlexDGSide *side;

      if (own[1] >= 0 || F->other[cone[c] - F->pStart] < 0) continue;
      side                      = PlexDGFacesGetSide(F, own[0], &trace);
      mesh->sent[n]             = (int)trace;
      mine[cone[c] - F->pStart] = PLEX_RECORD(rank, n++, side->turn | (side->outward ? 8 : 0));
    }
  }
  PetscCheck(n == mesh->nghosts, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " traces to be sent, %" PetscInt_FMT " expected", n, mesh->nghosts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Links to the traces that are received, and whose they are. theirs: what the other sides have said, by points */
static PetscErrorCode PlexDGFacesLinkGhosts(const PlexDGFaces *F, const PetscInt64 mine[], const PetscInt64 theirs[],
                                            PetscSFNode remote[])
{
  PlexDGMesh mesh = F->mesh;

  PetscFunctionBegin;
  for (PetscInt p = F->fStart; p < F->fEnd; ++p) {
    const PetscInt64 m = mine[p - F->pStart], t = theirs[p - F->pStart];
    PetscInt         n;

    if (m < 0) continue;
    n = PLEX_RECORD_INDEX(m);
    PetscCall(PlexDGFacesCheck_Private(F, mesh->sent[n], p, PLEX_RECORD_OUTWARD(m), PLEX_RECORD_OUTWARD(t)));
    mesh->links[mesh->sent[n]] = (int)((mesh->Ne * mesh->faces + n) * mesh->turns +
                                       F->between[PLEX_RECORD_TURN(m)][PLEX_RECORD_TURN(t)]);
    remote[n].rank             = PLEX_RECORD_RANK(t);
    remote[n].index            = PLEX_RECORD_INDEX(t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesSetGhosts_Private(PlexDGFaces *F)
{
  PlexDGMesh   mesh   = F->mesh;
  PetscInt     points = F->parallel ? F->pEnd - F->pStart : 0;
  PetscInt64  *mine, *theirs;
  PetscSFNode *remote;

  PetscFunctionBegin;
  for (PetscInt p = F->fStart; p < F->fEnd && F->parallel; ++p)
    mesh->nghosts += F->sides[p - F->fStart][0] >= 0 && F->sides[p - F->fStart][1] < 0 && F->other[p - F->pStart] >= 0;
  PetscCall(PetscMalloc1(mesh->nghosts, &mesh->sent));
  PetscCall(PetscMalloc3(points, &mine, points, &theirs, mesh->nghosts, &remote));
  if (F->parallel) {
    PetscCall(PlexDGFacesNumberGhosts(F, mine));
    PetscCall(PlexPointsExchange(mesh->dm, mine, theirs));
    PetscCall(PlexDGFacesSortGhosts(F, mine, theirs));
    PetscCall(PlexPointsExchange(mesh->dm, mine, theirs));
    PetscCall(PlexDGFacesLinkGhosts(F, mine, theirs, remote));
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)mesh->dm), &mesh->sf));
  PetscCall(PetscSFSetGraph(mesh->sf, mesh->nghosts, mesh->nghosts, NULL, PETSC_COPY_VALUES, remote,
                            PETSC_COPY_VALUES));
  PetscCall(PetscFree3(mine, theirs, remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesFindRemote_Private(PlexDGFaces *F, PetscBool remote[])
{
  PlexDGMesh  mesh = F->mesh;
  PetscInt64 *mine;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &rank));
  PetscCall(PetscMalloc1(F->pEnd - F->pStart, &mine));
  for (PetscInt p = 0; p < F->pEnd - F->pStart; ++p) mine[p] = -1;
  for (PetscInt p = F->fStart; p < F->fEnd; ++p)
    if (F->sides[p - F->fStart][0] >= 0 && F->sides[p - F->fStart][1] < 0) mine[p - F->pStart] = rank;
  PetscCall(PlexPointsExchange(mesh->dm, mine, F->other));
  for (PetscInt e = 0; e < mesh->Ne; ++e) remote[e] = PETSC_FALSE;
  for (PetscInt p = F->fStart; p < F->fEnd; ++p) {
    if (mine[p - F->pStart] >= 0 && F->other[p - F->pStart] >= 0)
      remote[F->sides[p - F->fStart][0] / mesh->faces] = PETSC_TRUE;
  }
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}
