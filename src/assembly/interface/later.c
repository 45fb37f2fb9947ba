/*
  A type whose plan is soon made, and the faster one that follows it once that pays: when the faster one would have saved
  most of the time that its plan takes. Whenever a program ends, it has then taken at most twice as long as by the better
  one of the two (the rule of renting and buying skis: Karlin, Manasse, Rudolph, Sleator, Algorithmica 3 (1988)), as far
  as the expected times are right: B for what is set up in any case, C for the plan, a share s of C saved, at most
  (B + s C + C) / (B + s C), and B is more than (1 - s) C. Of several processes the slowest one counts, so that all
  change at once. Beside a third type, nearly as fast as the second and sooner made, it may be more than twice: which
  type comes first goes by that too (tune/choose.c).
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

#define PLEX_LATER_MEASURED 2 /* the assembly that is timed: the first one may load its kernel */

PetscBool PlexAssemblyMeasuresLater_Private(const PlexRequest *r)
{
  const PlexStrategy *s = &r->asm_->strategy[r->kind];

  return (PetscBool)(r->first == r->asm_ && s->later.type && s->done + 1 == PLEX_LATER_MEASURED);
}

PetscErrorCode PlexAssemblyCountLater_Private(const PlexRequest *r, PetscLogDouble seconds)
{
  PlexStrategy *s = &r->asm_->strategy[r->kind];
  double        after;
  char          text[512];

  PetscFunctionBegin;
  if (r->first != r->asm_ || !s->later.type || ++s->done != PLEX_LATER_MEASURED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)r->asm_)));
  after    = PLEX_LATER_SHARE * s->later.plan / PetscMax(1e-12, seconds * (1.0 - s->later.ratio));
  s->after = (PetscInt)PetscMax((double)PLEX_LATER_MEASURED, PetscMin(1e9, PetscCeilReal(after)));
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "its plan is soon made; %s follows after %" PetscInt_FMT
                          " assemblies, as it is expected to take %.3g ms in the place of %.3g, and its plan %.3g s",
                          s->later.type, s->after, 1e3 * s->later.ratio * seconds, 1e3 * seconds, s->later.plan));
  PetscCall(PetscFree(s->why));
  PetscCall(PetscStrallocpy(text, &s->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyChangeLater_Private(PlexRequest *r)
{
  PlexStrategy    *s     = &r->asm_->strategy[r->kind];
  PlexAssemblyType later = s->later.type;
  const PetscInt   done  = s->done;
  char             text[256];

  PetscFunctionBegin;
  if (r->first != r->asm_ || !r->at || !later || !s->after || done < s->after) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyResetIntegrals_Private(r->asm_));
  PetscCall(PlexAssemblySwitchType_Private(r->asm_, r->kind, later));
  PetscCall(PetscSNPrintf(text, sizeof(text), "its plan pays: there were %" PetscInt_FMT " assemblies before", done));
  PetscCall(PetscFree(s->why));
  PetscCall(PetscStrallocpy(text, &s->why));
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_INTEGRALS, PLEX_REFRESH_CONSTANTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetExpectedAssemblies - Says how many residuals and Jacobians a program will compute

  Logically Collective

  Input Parameters:
+ asm - the assembly
- n   - of either, about so many; `PETSC_DETERMINE`, the default: not known; `PETSC_UNLIMITED`: very many

  Options Database Key:
. -plex_assembly_expected_assemblies n - likewise

  Level: intermediate

  Note:
  Types that are fast have plans that take long. `PLEXASSEMBLYAUTO` begins with a type whose plan is soon made, and
  changes to a faster one when this would have saved most of the time that its plan takes: at most twice
  the time that the better choice would have taken. A program that knows better, or that is timed, says so before the first assembly: the
  type with the least time in all is then taken at once.

.seealso: `PlexAssembly`, `PlexAssemblyGetExpectedAssemblies()`, `PlexAssemblySetType()`,
         `PlexAssemblySetDeterministic()`
@*/
PetscErrorCode PlexAssemblySetExpectedAssemblies(PlexAssembly asm_, PetscInt n)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveInt(asm_, n, 2);
  PetscCheck(n > 0 || n == PETSC_DETERMINE || n == PETSC_UNLIMITED, PetscObjectComm((PetscObject)asm_),
             PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " assemblies cannot be expected: give a number from 1 on, PETSC_DETERMINE or "
             "PETSC_UNLIMITED",
             n);
  if (n != asm_->expected) PetscCall(PlexAssemblyReset(asm_));
  asm_->expected = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetExpectedAssemblies - Gets how many residuals and Jacobians a program will compute

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. n - as it was set; `PETSC_DETERMINE`: not known

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetExpectedAssemblies()`
@*/
PetscErrorCode PlexAssemblyGetExpectedAssemblies(PlexAssembly asm_, PetscInt *n)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(n, 2);
  *n = asm_->expected;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetDeterministic - Asks for types of which all sums are the same bits in each run

  Logically Collective

  Input Parameters:
+ asm           - the assembly
- deterministic - `PETSC_TRUE`: `PLEXASSEMBLYAUTO` does not take `PLEXASSEMBLYELEMENTATOMIC`, and stays with its type;
                  `PETSC_FALSE`, the default

  Options Database Key:
. -plex_assembly_deterministic (true|false) - likewise

  Level: intermediate

  Note:
  `PLEXASSEMBLYELEMENTATOMIC` adds in the order in which threads come, and when a type follows another one depends on
  times. A type that is asked for by name is taken as it is.

.seealso: `PlexAssembly`, `PlexAssemblyGetDeterministic()`, `PlexAssemblySetType()`
@*/
PetscErrorCode PlexAssemblySetDeterministic(PlexAssembly asm_, PetscBool deterministic)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveBool(asm_, deterministic, 2);
  if (deterministic != asm_->deterministic) PetscCall(PlexAssemblyReset(asm_));
  asm_->deterministic = deterministic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetDeterministic - Gets whether all sums are to be the same bits in each run

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. deterministic - `PETSC_TRUE`: they are

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetDeterministic()`
@*/
PetscErrorCode PlexAssemblyGetDeterministic(PlexAssembly asm_, PetscBool *deterministic)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(deterministic, 2);
  *deterministic = asm_->deterministic;
  PetscFunctionReturn(PETSC_SUCCESS);
}
