/* Callbacks of the program's own that call PETSc's assembly, as foreign.c finds them: the lines that name them, each once */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

typedef struct _n_PlexForeign *PlexForeign;
struct _n_PlexForeign {
  PetscVoidFn *fn;
  char        *line;
  PetscBool    shown;
  PlexForeign  next;
};

static PlexForeign PlexForeignFound = NULL;

/* Notes a local callback that is neither PETSc's nor ours */
PetscErrorCode PlexForeignNote_Private(PetscVoidFn *fn, PetscVoidFn *petsc, PetscVoidFn *ours, const char what[])
{
  PlexForeign found;
  char       *name = NULL, line[512];

  PetscFunctionBegin;
  if (!fn || fn == petsc || fn == ours) PetscFunctionReturn(PETSC_SUCCESS);
  for (found = PlexForeignFound; found; found = found->next)
    if (found->fn == fn) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSymbolName(fn, &name));
  PetscCall(PetscSNPrintf(line, sizeof(line), "the program's own %s '%s' calls PETSc's assembly: not taken over%s\n",
                          what, name ? name : "(without a symbol)",
                          PlexInterposes_Private(NULL) ? "" : " (LD_PRELOAD=libplexgpu_preload.so may do it)"));
  PetscCall(PetscFree(name));
  PetscCall(PetscNew(&found));
  PetscCall(PetscStrallocpy(line, &found->line));
  found->fn        = fn;
  found->next      = PlexForeignFound;
  PlexForeignFound = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What no view has shown yet */
PetscErrorCode PlexForeignView_Private(PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PlexForeign found = PlexForeignFound; found; found = found->next) {
    if (!found->shown) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", found->line));
    found->shown = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a run where no assembly is viewed any more: the first process says it */
static PetscErrorCode PlexForeignViewLeft(void)
{
  PetscMPIInt       rank;
  PetscViewer       viewer;
  PetscViewerFormat format;
  PetscBool         left = PETSC_FALSE, flg;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (PlexForeign found = PlexForeignFound; found; found = found->next) left = (PetscBool)(left || !found->shown);
  if (!left || rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsCreateViewer(PETSC_COMM_SELF, NULL, NULL, "-plex_assembly_view", &viewer, &format, &flg));
  if (!flg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "PlexGPU:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PlexForeignView_Private(viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind the last view, which comes when the package may be finalized already */
PetscErrorCode PlexForeignEnd_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PlexForeignViewLeft());
  while (PlexForeignFound) {
    PlexForeign found = PlexForeignFound;

    PlexForeignFound = found->next;
    PetscCall(PetscFree(found->line));
    PetscCall(PetscFree(found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
