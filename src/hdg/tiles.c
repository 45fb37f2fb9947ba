/* Local matrices in tiles of elements where memory has no room for those of all, and K from them: the same sums in the
   same order, whatever the tiles */
#include "trace.h"
#include "stokes.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGSetMemory - Sets how many bytes local matrices may take at once while K is assembled

  Logically Collective

  Input Parameters:
+ hdg   - the discretization
- bytes - of a process; 0, which it is if it is not set: half of the memory that is free once all else is there

  Options Database Key:
. -plex_hdg_memory bytes - likewise

  Level: advanced

  Note:
  An element takes 8 Nt^2 bytes, Nt the functions of all its faces. An error where there is no room for that of one.

.seealso: `PlexHDG`, `PlexHDGGetMemory()`, `PlexHDGSetFromOptions()`
@*/
PetscErrorCode PlexHDGSetMemory(PlexHDG hdg, PetscInt64 bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(bytes >= 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt64_FMT " bytes of memory for local matrices: see -plex_hdg_memory", bytes);
  PetscCall(PlexHDGReset(hdg));
  hdg->memoryLimit = bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetMemory - Gets how many bytes local matrices may take at once while K is assembled

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. bytes - of a process; 0: half of the memory that is free once all else is there

  Level: advanced

.seealso: `PlexHDG`, `PlexHDGSetMemory()`
@*/
PetscErrorCode PlexHDGGetMemory(PlexHDG hdg, PetscInt64 *bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(bytes, 2);
  *bytes = hdg->memoryLimit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double PlexHDGFactorBytes(PlexHDG hdg)
{
  return 8. * hdg->nkept * PlexHDGFactorSize(hdg);
}

/* Block rows that K has room for: a tile's, and those received; behind each other where there is one tile */
static PetscInt PlexHDGTileRows(PlexHDG hdg)
{
  PlexHDGMesh mesh = hdg->mesh;

  return hdg->tileElements >= mesh->Ne ? mesh->Ne * mesh->faces + mesh->nreceived
                                       : PetscMax(hdg->tileElements * mesh->faces, mesh->nreceived);
}

PetscErrorCode PlexHDGGetBytes(PlexHDG hdg, PlexHDGBytes *bytes)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(hdg->A, MAT_LOCAL, &info));
  bytes->factors = PlexHDGFactorBytes(hdg);
  bytes->kept    = hdg->memory.bytes + (hdg->args.factor ? 0. : bytes->factors);
  bytes->local   = 8. * PlexHDGTileRows(hdg) * PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg);
  bytes->K       = hdg->elements ? PlexHDGTraceBytes_Private(hdg) : 12. * info.nz_allocated;
  bytes->tiles   = PetscMax(1, (hdg->mesh->Ne + hdg->tileElements - 1) / PetscMax(1, hdg->tileElements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpTiles_Private(PlexHDG hdg)
{
  PlexHDGMesh       mesh = hdg->mesh;
  const double      one  = 8. * PetscSqr(PlexHDGTraceSize(hdg));
  PlexBackendLimits limits;
  PlexHDGBytes      bytes;
  double            room;

  PetscFunctionBegin;
  hdg->keepK        = PETSC_FALSE;
  hdg->tileElements = hdg->tile ? PetscMin(hdg->tile, mesh->Ne) : mesh->Ne;
  if (hdg->tile || !mesh->Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(hdg->backend, &limits));
  PetscCall(PlexHDGGetBytes(hdg, &bytes));
  room = (double)hdg->memoryLimit;
  /* which are not there yet */
  if (!hdg->memoryLimit)
    room = 0.5 * ((double)limits.memoryFree - bytes.factors - (hdg->backend->device && !hdg->elements ? bytes.K : 0.));
  /* allocating takes longer than computing where there is little of it */
  hdg->keepK = (PetscBool)(bytes.local <= 0.1 * room);
  if (bytes.local <= room) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(room >= one, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "The local matrix of one element of degree %" PetscInt_FMT
             " takes %.0f bytes, and there is room for %.0f, with %zu bytes free on %s: a larger -plex_hdg_memory, "
             "-plex_hdg_keep 0, a lower degree or more processes",
             hdg->degree, one, PetscMax(0., room), limits.memoryFree, limits.name);
  hdg->tileElements = (PetscInt)PetscMin((double)mesh->Ne, room / one);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B1, B2: matrices of elements begin .. end, at the beginning of K */
static PetscErrorCode PlexHDGComputeTile(PlexHDG hdg, PetscInt begin, PetscInt end)
{
  PlexHDGArgs args = hdg->args;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGLocal, hdg, 0, 0, 0));
  args.K     = hdg->K;
  args.begin = (int)begin;
  args.end   = (int)end;
  if (args.factor) args.factor += (size_t)begin * PlexHDGFactorSize(hdg);
  PetscCall(PlexHDGLaunch_Private(hdg, hdg->ops->condense, &args));
  PetscCall(PetscLogEventEnd(PLEX_HDGLocal, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B3: what block rows begin .. end, at K, are in some blocks of the matrix */
static PetscErrorCode PlexHDGAddRows(PlexHDG hdg, PetscInt nblocks, const PlexHDGBlock blocks[], PetscInt begin,
                                     PetscInt end, const double K[])
{
  const PetscInt64 row = (PetscInt64)PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg);

  PetscFunctionBegin;
  if (nblocks && end > begin)
    PetscUseTypeMethod(hdg, assemble, nblocks, blocks, K, begin * row, end * row, hdg->arrayA.array, hdg->arrayB.array);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGAssembleTiles_Private(PlexHDG hdg)
{
  PlexHDGMesh    mesh  = hdg->mesh;
  const PetscInt faces = mesh->faces, Ne = mesh->Ne, width = PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg);
  PetscBool      one      = (PetscBool)(hdg->tileElements >= Ne);
  Mat            diagonal = NULL, other = NULL;
  double        *received;

  PetscFunctionBegin;
  if (!hdg->K)
    PetscCall(PlexBackendMalloc(hdg->backend, sizeof(double) * PlexHDGTileRows(hdg) * width, (void **)&hdg->K));
  if (hdg->nonlinear) { /* the flux that it is linearized about */
    PetscCall(PlexBackendVecGet(hdg->backend, hdg->q, PLEX_READ, &hdg->arrayQ));
    hdg->args.q = hdg->arrayQ.array;
  }
  if (hdg->kept && !hdg->args.factor)
    PetscCall(PlexHDGAllocate(hdg, (size_t)PlexHDGFactorBytes(hdg), (void **)&hdg->args.factor));
  if (!hdg->elements) {
    PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
    PetscCall(PlexBackendMatGet(hdg->backend, diagonal, PLEX_WRITE, &hdg->arrayA));
  }
  if (other) PetscCall(PlexBackendMatGet(hdg->backend, other, PLEX_WRITE, &hdg->arrayB));
  for (PetscInt begin = 0; begin < Ne; begin += hdg->tileElements) {
    const PetscInt end = PetscMin(Ne, begin + hdg->tileElements);

    PetscCall(PlexHDGComputeTile(hdg, begin, end));
    PetscCall(PetscLogEventBegin(PLEX_HDGAssemble, hdg, 0, 0, 0));
    PetscCall(PlexHDGPackRows_Private(hdg, width, hdg->K, begin * faces, end * faces));
    if (one) PetscCall(PlexHDGExchangeBegin_Private(hdg, width)); /* while messages travel, own rows are added */
    if (hdg->elements) PetscCall(PlexHDGTracePack_Private(hdg, begin, end, hdg->K));
    else PetscCall(PlexHDGAddRows(hdg, hdg->nblocks, hdg->blocks, begin * faces, end * faces, hdg->K));
    PetscCall(PetscLogEventEnd(PLEX_HDGAssemble, hdg, 0, 0, 0));
  }
  PetscCall(PetscLogEventBegin(PLEX_HDGAssemble, hdg, 0, 0, 0));
  if (!one || !Ne) PetscCall(PlexHDGExchangeBegin_Private(hdg, width));
  received = hdg->elements ? PlexHDGTraceReceived_Private(hdg)
           : one && hdg->K ? hdg->K + (size_t)Ne * faces * width
                           : hdg->K;
  PetscCall(PlexHDGExchangeEnd_Private(hdg, width, received));
  if (!hdg->elements)
    PetscCall(PlexHDGAddRows(hdg, hdg->nlate, hdg->late, Ne * faces, Ne * faces + mesh->nreceived, received));
  if (hdg->nonlinear) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayQ));
  hdg->args.q = NULL;
  if (diagonal) PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayA));
  if (other) PetscCall(PlexBackendMatRestore(hdg->backend, &hdg->arrayB));
  PetscCall(MatAssemblyBegin(hdg->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(hdg->A, MAT_FINAL_ASSEMBLY));
  if (hdg->K) PetscCall(PlexBackendSynchronize(hdg->backend));
  if (hdg->K && !hdg->keepK) PetscCall(PlexBackendFree(hdg->backend, (void **)&hdg->K));
  PetscCall(PetscLogEventEnd(PLEX_HDGAssemble, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
