/*
  Settings of which a strategy has a choice of its own: sizes, partitions. And what is left to PETSc, or compared with it.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/

const char *const PlexPartitioners[] = {"auto", "metis", "curve", "PlexPartitioner", "PLEX_PARTITIONER_", NULL};

/* Sizes are then those that tuning has found, until a reset brings back the ones that were set */
static PetscBool PlexAssemblyIsTuned(PlexAssembly asm_)
{
  return (PetscBool)(asm_->strategy[PLEX_RESIDUAL].tuned || asm_->strategy[PLEX_JACOBIAN].tuned);
}

/*@
  PlexAssemblySetTensorDegree - Sets the degree of the polynomials in which tensor integration expands coefficients and geometry

  Logically Collective

  Input Parameters:
+ asm    - the assembly
- degree - 0 to 8; `PETSC_DECIDE`, the default: 0, or 2 for elements that are not affine

  Options Database Key:
. -plex_assembly_tensor_degree degree - likewise

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyGetTensorDegree()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetTensorDegree(PlexAssembly asm_, PetscInt degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, degree, 2);
  PetscCheck(degree >= PETSC_DECIDE && degree <= PLEX_TENSOR_DEGREE, PetscObjectComm((PetscObject)asm_),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_tensor_degree %" PetscInt_FMT
             ": the polynomials have a degree from 0 to %d (-1: 0, 2 for elements that are not affine)",
             degree, PLEX_TENSOR_DEGREE);
  if (degree != asm_->tensorDegree) PetscCall(PlexAssemblyReset(asm_));
  asm_->tensorDegree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetTensorDegree - Gets the degree of the polynomials in which tensor integration expands coefficients and geometry

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. degree - the degree; `PETSC_DECIDE` where it was not set

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetTensorDegree()`
@*/
PetscErrorCode PlexAssemblyGetTensorDegree(PlexAssembly asm_, PetscInt *degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(degree, 2);
  *degree = asm_->tensorDegree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetBlockSize - Sets how many threads a block of the kernels has

  Logically Collective

  Input Parameters:
+ asm     - the assembly
- threads - a multiple of 32, at most 1024; 0, the default: the choice of the strategy

  Options Database Key:
. -plex_assembly_block_size threads - likewise

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblyGetBlockSize()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetBlockSize(PlexAssembly asm_, PetscInt threads)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, threads, 2);
  PetscCheck(threads >= 0 && threads % 32 == 0 && threads <= 1024, PetscObjectComm((PetscObject)asm_),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_block_size %" PetscInt_FMT
             ": a block has a multiple of 32 threads, at most 1024 (0: the strategy's choice)",
             threads);
  if (threads != asm_->blockSize || PlexAssemblyIsTuned(asm_)) PetscCall(PlexAssemblyReset(asm_));
  asm_->blockSize = threads;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetBlockSize - Gets how many threads a block of the kernels has

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. threads - what was set, or has been found by tuning; 0: the choice of the strategy

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetBlockSize()`
@*/
PetscErrorCode PlexAssemblyGetBlockSize(PlexAssembly asm_, PetscInt *threads)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(threads, 2);
  *threads = asm_->blockSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetTeamSize - Sets how many threads work on one element together

  Logically Collective

  Input Parameters:
+ asm     - the assembly
- threads - 1, 2, 4, 8, 16 or 32, or a multiple of 32, which is a whole block; 0, the default: chosen from the size of the element

  Options Database Key:
. -plex_assembly_team_size threads - likewise

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblyGetTeamSize()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetTeamSize(PlexAssembly asm_, PetscInt threads)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, threads, 2);
  PetscCheck(threads >= 0 && ((threads <= 32 && !(threads & (threads - 1))) || (threads <= 1024 && threads % 32 == 0)),
             PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_team_size %" PetscInt_FMT ": a team has 1, 2, 4, 8, 16 or 32 threads, or is a whole block "
             "of a multiple of 32 (0: chosen from the element's size)",
             threads);
  if (threads != asm_->teamSize || PlexAssemblyIsTuned(asm_)) PetscCall(PlexAssemblyReset(asm_));
  asm_->teamSize = threads;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetTeamSize - Gets how many threads work on one element together

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. threads - what was set, or has been found by tuning; 0: chosen from the size of the element

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetTeamSize()`
@*/
PetscErrorCode PlexAssemblyGetTeamSize(PlexAssembly asm_, PetscInt *threads)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(threads, 2);
  *threads = asm_->teamSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetPartitionSize - Sets how many elements a partition of the mesh has, for the strategies that partition it

  Logically Collective

  Input Parameters:
+ asm      - the assembly
- elements - at most so many; 0, the default: what fits

  Options Database Key:
. -plex_assembly_partition_size elements - likewise

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblyGetPartitionSize()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetPartitionSize(PlexAssembly asm_, PetscInt elements)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, elements, 2);
  PetscCheck(elements >= 0, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_partition_size %" PetscInt_FMT
             ": the elements of a partition are not negative (0: what fits)",
             elements);
  if (elements != asm_->partitionSize || PlexAssemblyIsTuned(asm_)) PetscCall(PlexAssemblyReset(asm_));
  asm_->partitionSize = elements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetPartitionSize - Gets how many elements a partition of the mesh has

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. elements - what was set, or has been found by tuning; 0: what fits

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetPartitionSize()`
@*/
PetscErrorCode PlexAssemblyGetPartitionSize(PlexAssembly asm_, PetscInt *elements)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(elements, 2);
  *elements = asm_->partitionSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetPartitioner - Chooses what cuts the mesh into partitions

  Logically Collective

  Input Parameters:
+ asm         - the assembly
- partitioner - `PLEX_PARTITIONER_AUTO`, `PLEX_PARTITIONER_METIS` or `PLEX_PARTITIONER_CURVE`

  Options Database Key:
. -plex_assembly_partitioner (auto|metis|curve) - likewise

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblyGetPartitioner()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetPartitioner(PlexAssembly asm_, PlexPartitioner partitioner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(asm_, partitioner, 2);
  PetscCheck(partitioner != PLEX_PARTITIONER_METIS || PlexHasMetis(), PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             PLEX_METIS_MISSING ", or take -plex_assembly_partitioner curve");
  if (partitioner != asm_->partitioner) PetscCall(PlexAssemblyReset(asm_));
  asm_->partitioner = partitioner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetPartitioner - Gets what cuts the mesh into partitions

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. partitioner - the choice

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetPartitioner()`
@*/
PetscErrorCode PlexAssemblyGetPartitioner(PlexAssembly asm_, PlexPartitioner *partitioner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(partitioner, 2);
  *partitioner = asm_->partitioner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetSharedMemory - Sets how much shared memory a block of `PLEXASSEMBLYSHAREDNZ` and `PLEXASSEMBLYSHAREDROW` has

  Logically Collective

  Input Parameters:
+ asm   - the assembly
- bytes - of a block; 0, the default: a third of a multiprocessor's

  Options Database Key:
. -plex_assembly_shared_memory bytes - likewise

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblyGetSharedMemory()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetSharedMemory(PlexAssembly asm_, PetscInt bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, bytes, 2);
  PetscCheck(bytes >= 0, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_shared_memory %" PetscInt_FMT
             ": the bytes of a block are not negative (0: a third of a multiprocessor's)",
             bytes);
  if (bytes != asm_->sharedMemory) PetscCall(PlexAssemblyReset(asm_));
  asm_->sharedMemory = bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetSharedMemory - Gets how much shared memory a block of `PLEXASSEMBLYSHAREDNZ` and `PLEXASSEMBLYSHAREDROW` has

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. bytes - what was set; 0: a third of a multiprocessor's

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetSharedMemory()`
@*/
PetscErrorCode PlexAssemblyGetSharedMemory(PlexAssembly asm_, PetscInt *bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(bytes, 2);
  *bytes = asm_->sharedMemory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetFallback - Chooses what becomes of a problem that cannot be assembled here

  Logically Collective

  Input Parameters:
+ asm      - the assembly
- fallback - `PETSC_TRUE`, the default: it is left to PETSc; `PETSC_FALSE`: an error that says why

  Options Database Key:
. -plex_assembly_fallback (true|false) - likewise

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyGetFallback()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetFallback(PlexAssembly asm_, PetscBool fallback)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveBool(asm_, fallback, 2);
  if (fallback != asm_->fallback) PetscCall(PlexAssemblyReset(asm_));
  asm_->fallback = fallback;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetFallback - Gets whether a problem that cannot be assembled here is left to PETSc

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. fallback - `PETSC_TRUE`: it is; `PETSC_FALSE`: it is an error

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetFallback()`
@*/
PetscErrorCode PlexAssemblyGetFallback(PlexAssembly asm_, PetscBool *fallback)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(fallback, 2);
  *fallback = asm_->fallback;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetCheckTolerance - Has each residual and Jacobian assembled by PETSc as well, and compared

  Logically Collective

  Input Parameters:
+ asm       - the assembly
- tolerance - most difference of an entry, relative to the largest; not positive, the default: nothing is compared

  Options Database Key:
. -plex_assembly_check tolerance - likewise

  Level: intermediate

  Note:
  Entries that differ by more are an error that names the first of them.

.seealso: `PlexAssembly`, `PlexAssemblyGetCheckTolerance()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetCheckTolerance(PlexAssembly asm_, PetscReal tolerance)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveReal(asm_, tolerance, 2);
  asm_->check = tolerance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetCheckTolerance - Gets the tolerance of the comparison with PETSc

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. tolerance - the tolerance; not positive: nothing is compared

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetCheckTolerance()`
@*/
PetscErrorCode PlexAssemblyGetCheckTolerance(PlexAssembly asm_, PetscReal *tolerance)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(tolerance, 2);
  *tolerance = asm_->check;
  PetscFunctionReturn(PETSC_SUCCESS);
}
