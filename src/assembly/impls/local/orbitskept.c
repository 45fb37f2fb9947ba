/*
  What plans of local_row have in common, whatever their blocks: the elements around each dof, mesh nodes along the curve, and contributions in the order of
  chains. Tuning makes a plan for each block size; meanwhile this is kept, in an object composed with the assembly.
*/
#include "orbitsimpl.h"

#define PLEX_ORBITS_KEPT "PlexOrbitsKept" /* name of the object */

struct _n_PlexOrbitsKept {
  PlexElements  elements; /* that it is of */
  PlexLists     touching, dofsOf;
  int          *order; /* along the curve */
  PetscBool     vertices;
  PetscBool     chained;             /* chains of all dofs are there */
  PetscBool     solution;            /* as in PlexOrbitsWalk, */
  PetscInt      components, norbits; /* likewise */
  PlexOrbitsRun run;                 /* [touching.start[Nl]] of each dof one orbit after the other */
  PlexTurns     turns;               /* its links alone */
};

static PetscErrorCode PlexOrbitsKeptClear(PlexOrbitsKept kept)
{
  PetscFunctionBegin;
  PetscCall(PlexListsDestroy(&kept->touching));
  PetscCall(PlexListsDestroy(&kept->dofsOf));
  PetscCall(PetscFree(kept->order));
  PetscCall(PetscFree3(kept->run.element, kept->run.turn, kept->run.first));
  PetscCall(PetscMemzero(kept, sizeof(*kept)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsKeptDestroy(PetscCtxRt ctx)
{
  PlexOrbitsKept kept = *(PlexOrbitsKept *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexOrbitsKeptClear(kept));
  PetscCall(PetscFree(kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on what plans have in common is kept; or it is freed */
PetscErrorCode PlexOrbitsKeep_Private(PlexAssembly asm_, PetscBool keep)
{
  PetscContainer container = NULL;
  PlexOrbitsKept kept;

  PetscFunctionBegin;
  if (keep) {
    PetscCall(PetscNew(&kept));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, kept));
    PetscCall(PetscContainerSetCtxDestroy(container, PlexOrbitsKeptDestroy));
  }
  PetscCall(PetscObjectCompose((PetscObject)asm_, PLEX_ORBITS_KEPT, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is kept of the assembly's elements, or NULL where nothing is to be */
static PetscErrorCode PlexOrbitsGetKept(PlexAssembly asm_, PlexOrbitsKept *kept)
{
  PetscContainer container;

  PetscFunctionBegin;
  *kept = NULL;
  PetscCall(PetscObjectQuery((PetscObject)asm_, PLEX_ORBITS_KEPT, (PetscObject *)&container));
  if (!container) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscContainerGetPointer(container, kept));
  if ((*kept)->elements != asm_->elements) {
    PetscCall(PlexOrbitsKeptClear(*kept));
    (*kept)->elements = asm_->elements;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements around each dof */
PetscErrorCode PlexOrbitsTouching_Private(PlexOrbitsWalk *w)
{
  PlexElements el = w->asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexOrbitsGetKept(w->asm_, &w->kept));
  if (!w->kept || !w->kept->touching.start) PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &w->touching));
  else w->touching = w->kept->touching;
  if (w->kept) w->kept->touching = w->touching;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh nodes along the curve, and their dofs; the order is the walk's own, as it may be changed */
PetscErrorCode PlexOrbitsCurve_Private(PlexOrbitsWalk *w)
{
  PlexElements   el   = w->asm_->elements;
  PlexOrbitsKept kept = w->kept;

  PetscFunctionBegin;
  if (!kept || !kept->order) PetscCall(PlexOrbitsOrder_Private(w));
  else {
    w->dofsOf   = kept->dofsOf;
    w->vertices = kept->vertices;
    PetscCall(PetscMalloc1(el->Nnodes, &w->order));
    PetscCall(PetscArraycpy(w->order, kept->order, el->Nnodes));
  }
  if (!kept || kept->order) PetscFunctionReturn(PETSC_SUCCESS);
  kept->dofsOf   = w->dofsOf;
  kept->vertices = w->vertices;
  PetscCall(PetscMalloc1(el->Nnodes, &kept->order));
  PetscCall(PetscArraycpy(kept->order, w->order, el->Nnodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsCopyLinks(const PlexTurns *from, PlexTurns *to)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(to->fixed, from->fixed, PLEX_ORBITS_MOST));
  PetscCall(PetscArraycpy(to->linked, from->linked, PLEX_ORBITS_MOST));
  PetscCall(PetscMemcpy(to->nodesFrom, from->nodesFrom, sizeof(to->nodesFrom)));
  PetscCall(PetscMemcpy(to->dofsFrom, from->dofsFrom, sizeof(to->dofsFrom)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before records are made: room for a row's chain, or for all of them; w->chained: they are there */
PetscErrorCode PlexOrbitsBeginChains_Private(PlexOrbitsWalk *w, PetscInt longest)
{
  PlexOrbitsKept kept = w->kept;
  const PetscInt n    = kept ? w->touching.start[w->asm_->elements->Nl] : longest;
  PlexOrbitsRun *run  = kept ? &kept->run : &w->all;

  PetscFunctionBegin;
  w->chained = (PetscBool)(kept && kept->chained && kept->solution == w->solution && kept->components == w->components && kept->norbits == w->turns.n);
  if (w->chained) PetscCall(PlexOrbitsCopyLinks(&kept->turns, &w->turns));
  if (!run->element) PetscCall(PetscMalloc3(n, &run->element, n, &run->turn, n, &run->first));
  if (kept && !w->chained) kept->chained = PETSC_FALSE; /* until they are all there */
  w->all = *run;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsEndChains_Private(PlexOrbitsWalk *w)
{
  PlexOrbitsKept kept = w->kept;

  PetscFunctionBegin;
  if (!kept || w->chained) PetscFunctionReturn(PETSC_SUCCESS);
  kept->chained    = PETSC_TRUE;
  kept->solution   = w->solution;
  kept->components = w->components;
  kept->norbits    = w->turns.n;
  PetscCall(PlexOrbitsCopyLinks(&w->turns, &kept->turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is not kept */
PetscErrorCode PlexOrbitsFreeCommon_Private(PlexOrbitsWalk *w)
{
  PetscFunctionBegin;
  if (w->kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(&w->dofsOf));
  PetscCall(PlexListsDestroy(&w->touching));
  PetscCall(PetscFree3(w->all.element, w->all.turn, w->all.first));
  PetscFunctionReturn(PETSC_SUCCESS);
}
