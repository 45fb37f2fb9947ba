static char
  help[] = "Messages between processes of nodal DG operators: how many bytes, and when. MPI's functions that start "
           "and complete them are this program's, and so is a backend that takes note of what it is given.\n\n";

#include <plexgpu/private/backendimpl.h>
#include "dgproblem.h"
#include "report.h"

#undef MPI_Startall /* PETSc counts messages by macros */
#undef MPI_Waitall
#undef MPI_Isend

/* ---- What is done, a letter each: launch of the kernel that packs (p), of another one (k); the side queue is to wait
   for the main queue (s), or the main for the side (m); the host waits for the side queue (w), or the main (W); copy from
   the device in the side queue (o), or the main (O), to it (i, I); messages are received or sent from now on (S), are
   complete (R) */

static char      events[512];
static size_t    nevents;
static PetscBool tracing, onSide;
static double    bytes; /* of messages that were started */

static void Note(char event)
{
  if (tracing && nevents + 1 < sizeof(events)) events[nevents++] = event;
  events[nevents] = 0;
}

/* Persistent requests that send, and their bytes */
static struct {
  MPI_Request request;
  double      bytes;
} sends[64];
static int nsends;

int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
  const int error = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
  int       size;

  (void)PMPI_Type_size(type, &size);
  for (int k = 0; k < nsends; ++k)
    if (sends[k].request == *request) sends[k].bytes = 0; /* of one that was freed */
  if (nsends < (int)PETSC_STATIC_ARRAY_LENGTH(sends)) {
    sends[nsends].request = *request;
    sends[nsends++].bytes = (double)count * size;
  }
  return error;
}

int MPI_Startall(int n, MPI_Request requests[])
{
  Note('S');
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < nsends; ++k)
      if (sends[k].request == requests[r]) bytes += sends[k].bytes;
  return PMPI_Startall(n, requests);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
  Note('R');
  return PMPI_Waitall(n, requests, statuses);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
  int size;

  (void)PMPI_Type_size(type, &size);
  bytes += (double)count * size;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* ---- A backend as emulate is, which says that it is a device and takes note */

static struct _PlexBackendOps emulated;

static PetscErrorCode TraceLaunch(PlexKernel kernel, PetscInt grid, PetscInt block, size_t shared, void *args[])
{
  PetscBool packs;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(kernel->name, "plex_dg_pack", &packs));
  Note(packs ? 'p' : 'k');
  PetscCall((*emulated.launch)(kernel, grid, block, shared, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TraceSetQueue(PlexBackend backend, PlexQueue queue, PetscBool after)
{
  PetscFunctionBegin;
  (void)backend;
  onSide = (PetscBool)(queue == PLEX_QUEUE_SIDE);
  if (after) Note(onSide ? 's' : 'm');
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TraceSynchronize(PlexBackend backend)
{
  PetscFunctionBegin;
  (void)backend;
  Note(onSide ? 'w' : 'W');
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TraceCopyOut(PlexBackend backend, void *to, const void *from, size_t n)
{
  PetscFunctionBegin;
  Note(onSide ? 'o' : 'O');
  PetscCall((*emulated.copyout)(backend, to, from, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TraceCopyIn(PlexBackend backend, void *to, const void *from, size_t n)
{
  PetscFunctionBegin;
  Note(onSide ? 'i' : 'I');
  PetscCall((*emulated.copyin)(backend, to, from, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateTrace(PlexBackend backend)
{
  PlexBackend like;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &like)); /* stays, as every backend, until the end */
  emulated                  = *like->ops;
  *backend->ops             = emulated;
  backend->ops->destroy     = NULL;
  backend->ops->launch      = TraceLaunch;
  backend->ops->setqueue    = TraceSetQueue;
  backend->ops->synchronize = TraceSynchronize;
  backend->ops->copyout     = TraceCopyOut;
  backend->ops->copyin      = TraceCopyIn;
  backend->kernels = backend->device = backend->apart = PETSC_TRUE;
  backend->limits                                     = like->limits;
  backend->data                                       = like->data;
  PetscCall(PlexBackendDestroy(&like));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tests */

/* Maxwell's wave on several processes, with elements on each that need no trace of another one */
static PetscErrorCode Create(const char backend[], const char type[], PlexPrecision precision, DM *dm, PlexDG *dg,
                             Vec *U, Vec *R)
{
  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 4, PETSC_FALSE, dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(PlexTestWaveCreate(*dm, 2, 1., dg));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetType(*dg, type));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(VecDuplicate(*U, R));
  PetscCall(PlexDGProject(*dg, 0., PlexTestWave, *dg, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(DM *dm, PlexDG *dg, Vec *U, Vec *R)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(U));
  PetscCall(VecDestroy(R));
  PetscCall(PlexDGDestroy(dg));
  PetscCall(DMDestroy(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of the scheme of five stages, or a right-hand side: bytes of each of its exchanges */
static PetscErrorCode CountBytes(PlexDG dg, Vec U, Vec R, PetscBool stages, double *each)
{
  TS ts;

  PetscFunctionBegin;
  bytes = 0;
  if (!stages) {
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    *each = bytes;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecCopy(U, R));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetStabilityCheck(dg, 0));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  bytes = 0;
  PetscCall(TSSolve(ts, R));
  *each = bytes / 5.;
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBytes(const char backend[], const char type[], PlexPrecision precision, PetscBool stages)
{
  const double value = precision == PLEX_PRECISION_SINGLE ? 4 : 8;
  double       each  = 0, expected;
  PetscBool    same;
  PetscMPIInt  size;
  char         of[128];
  DM           dm;
  PlexDG       dg;
  Vec          U, R;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  nsends = 0;
  PetscCall(Create(backend, type, precision, &dm, &dg, &U, &R));
  PetscCall(CountBytes(dg, U, R, stages, &each));
  expected = (double)(dg->mesh->nghosts * dg->system->Nf * dg->reference->Nfp) * value;
  same     = (PetscBool)(each == expected && (expected > 0) == (size > 1));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &same, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s%s", backend, type, PlexPrecisions[precision],
                          stages ? ", stages" : ""));
  PetscCall(PlexTestReportOf(same, of,
                             precision == PLEX_PRECISION_SINGLE ? "4 bytes a value are sent"
                                                                : "8 bytes a value are sent",
                             "%g bytes, not %g", each, expected));
  PetscCall(Destroy(&dm, &dg, &U, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a right-hand side does, in order */
static PetscErrorCode TestOrder(PetscBool aware, PlexPrecision precision, const char expected[])
{
  const PetscBool before = use_gpu_aware_mpi;
  PetscReal       difference;
  PetscBool       same;
  char            of[128];
  const char     *found;
  DM              dm, dmHost;
  PlexDG          dg, dgHost;
  Vec             U, R, UHost, RHost;

  PetscFunctionBegin;
  use_gpu_aware_mpi = aware;
  nsends            = 0;
  PetscCall(Create("trace", PLEXDGFUSED, precision, &dm, &dg, &U, &R));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  nevents = 0;
  tracing = PETSC_TRUE;
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  tracing = PETSC_FALSE;
  found   = strstr(events, expected); /* what vectors need comes before or after */
  same    = (PetscBool)(found && dg->mesh->Ninterior > 0 && !strchr(events, 'W'));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &same, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "MPI that %s the device's memory, %s", aware ? "reads" : "does not read",
                          PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf(same, of, "messages wait for what is packed alone, and travel behind inner elements",
                             "%s and not %s", events, expected));
  PetscCall(Create(PLEXBACKENDEMULATE, PLEXDGFUSED, precision, &dmHost, &dgHost, &UHost, &RHost));
  PetscCall(PlexDGComputeRHS(dgHost, 0., UHost, RHost));
  PetscCall(VecAXPY(RHost, -1., R));
  PetscCall(VecNorm(RHost, NORM_INFINITY, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference == 0.), of, "the same bits", "off by %g", (double)difference));
  PetscCall(Destroy(&dmHost, &dgHost, &UHost, &RHost));
  PetscCall(Destroy(&dm, &dg, &U, &R));
  use_gpu_aware_mpi = before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscBool          emulates = PETSC_FALSE;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool host = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);

    if (!strcmp(backends[b], PLEXBACKENDEMULATE)) emulates = PETSC_TRUE;
    for (PetscInt p = 0; p < 2; ++p) {
      PetscCall(TestBytes(backends[b], host ? PLEXDGHOST : PLEXDGFUSED, (PlexPrecision)p, PETSC_FALSE));
      PetscCall(TestBytes(backends[b], host ? PLEXDGHOST : PLEXDGFUSED, (PlexPrecision)p, PETSC_TRUE));
    }
  }
  if (emulates && size > 1) {
    PetscCall(PlexBackendRegister("trace", CreateTrace));
    for (PetscInt p = 0; p < 2; ++p) {
      PetscCall(TestOrder(PETSC_TRUE, (PlexPrecision)p, "pskwSSRk"));
      PetscCall(TestOrder(PETSC_FALSE, (PlexPrecision)p, "pskoSSRimk"));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
