/*
  Levels of elements, of time steps of their own, which a TSPLEXMULTIRATE takes: src/dg/ts/multirate.c.

  With rate r of an element, 1/r its stable step, and R the largest one of all, level l of n has the step

    dt_l = q 2^(n-1-l)/R,   1/2 < q <= 1

  and each element has the longest one that its rate allows. q is the one of 32 numbers with which the fewest evaluations
  are needed: with q = 1 elements whose step might be 7.9 times the least one take 4 times that, with q = 7.9/8 they take
  7.9 times. After that, elements whose neighbours' level is finer by more than one become finer.

  The elements of a level stand together in the operator's order: PlexDGMesh.begins.
*/
#include "coreimpl.h"

#define PLEX_LEVELS_BINS 32 /* of steps from one to twice its length, as many q */

PetscErrorCode PlexDGLevelsDestroy_Private(PlexDGLevels *levels)
{
  PetscFunctionBegin;
  if (!*levels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*levels)->level));
  PetscCall(PetscFree((*levels)->elements));
  PetscCall(PetscFree(*levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLevelsView_Private(PlexDG dg, PetscViewer viewer)
{
  PlexDGLevels L = dg->levels;

  PetscFunctionBegin;
  if (!L) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "levels of time steps: %" PetscInt_FMT ", elements", L->n));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (PetscInt l = 0; l < L->n; ++l) PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt64_FMT, L->elements[l]));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "; -ts_type %s: longest step %g times that time step, %.2f times fewer evaluations "
                                   "of elements than with one step\n",
                                   TSPLEXMULTIRATE, (double)L->factor, (double)L->saving));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bins of elements by step: bin b has those of steps from 2^(b/BINS) times the least one on, the last one the rest */
static PetscErrorCode PlexDGLevelsFillBins(PlexDG dg, const PetscReal rates[], PetscReal most, PetscInt nbins,
                                           int bin[])
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    /* steps that differ by rounding are the same */
    const PetscReal b = rates[e] > 0. ? PLEX_LEVELS_BINS * (PetscLog2Real(most / rates[e]) + 1e-9) : nbins;

    bin[e] = (int)PetscClipInterval(b, 0., nbins - 1.);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many times the step of an element in a bin is longer than the least, as a power of 2 at most n - 1, with
   q = 2^(-shift/BINS) */
static inline int PlexDGLevelsPower(PetscInt n, PetscInt bin, PetscInt shift)
{
  return (int)PetscMin((bin + shift) / PLEX_LEVELS_BINS, n - 1);
}

/* The shift with which the fewest evaluations are needed */
static PetscErrorCode PlexDGLevelsChoose(PlexDG dg, PetscInt n, const int bin[], PetscInt nbins, PetscInt *shift)
{
  PetscReal   least = PETSC_MAX_REAL;
  PetscInt64 *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nbins, &count));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) ++count[bin[e]];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)nbins, MPIU_INT64, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  for (PetscInt s = 0; s < PLEX_LEVELS_BINS; ++s) {
    PetscReal work = 0.; /* evaluations of elements in the least step */

    for (PetscInt b = 0; b < nbins; ++b)
      work += (PetscReal)count[b] * PetscPowReal(2., (PetscReal)s / PLEX_LEVELS_BINS - PlexDGLevelsPower(n, b, s));
    if (work >= least * (1. - 1e-9)) continue;
    least  = work;
    *shift = s;
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of elements across the traces that other processes have, all[Ne + nghosts] */
static PetscErrorCode PlexDGLevelsShare(PlexDG dg, int all[])
{
  PlexDGMesh mesh = dg->mesh;
  int       *sent;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->nghosts, &sent));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) sent[g] = all[mesh->sent[g] / mesh->faces];
  PetscCall(PlexDGShare_Private(dg, MPI_INT, sent, &all[mesh->Ne]));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all elements: powers at most one larger than those of neighbours. power[Ne + nghosts] */
static PetscErrorCode PlexDGLevelsSmooth(PlexDG dg, int power[])
{
  PlexDGMesh mesh = dg->mesh;
  PetscBool  changed;

  PetscFunctionBegin;
  do {
    changed = PETSC_FALSE;
    PetscCall(PlexDGLevelsShare(dg, power));
    for (PetscInt e = 0; e < mesh->Ne; ++e)
      for (PetscInt f = 0; f < mesh->faces; ++f) {
        const PetscInt other = PlexDGMeshAcross(mesh, e, f);

        if (other < 0 || power[e] <= power[other] + 1) continue;
        power[e] = power[other] + 1;
        changed  = PETSC_TRUE;
      }
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  } while (changed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels from powers of the elements: the largest of all processes is level 0 */
static PetscErrorCode PlexDGLevelsSet(PlexDG dg, const int power[], PetscReal q, PlexDGLevels L)
{
  PlexDGMesh mesh  = dg->mesh;
  MPI_Comm   comm  = PetscObjectComm((PetscObject)dg);
  PetscInt   most  = 0, cEnd;
  PetscReal  work  = 0.;
  PetscInt64 total = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) most = PetscMax(most, power[e]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, comm));
  L->n = most + 1;
  PetscCall(DMPlexGetHeightStratum(dg->dm, 0, &L->cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - L->cStart, &L->level));
  PetscCall(PetscCalloc1(L->n, &L->elements));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt l = most - power[e];

    L->level[mesh->cells[e] - L->cStart] = l;
    ++L->elements[l];
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, L->elements, (PetscMPIInt)L->n, MPIU_INT64, MPI_SUM, comm));
  L->factor = q * PetscPowReal(2., (PetscReal)most);
  for (PetscInt l = 0; l < L->n; ++l) {
    total += L->elements[l];
    work += (PetscReal)L->elements[l] * PetscPowReal(2., (PetscReal)l) / L->factor;
  }
  L->saving = (PetscReal)total / work;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLevelsFind_Private(PlexDG dg, const PetscReal rates[], PlexDGLevels *levels)
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt n = dg->maxlevels, nbins = n * PLEX_LEVELS_BINS;
  PetscInt       shift = 0;
  PetscReal      most  = 0.;
  int           *power;

  PetscFunctionBegin;
  PetscCall(PetscNew(levels));
  PetscCall(PetscMalloc1(mesh->Ne + mesh->nghosts, &power));
  for (PetscInt e = 0; e < mesh->Ne; ++e) most = PetscMax(most, rates[e]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCall(PlexDGLevelsFillBins(dg, rates, most, nbins, power));
  PetscCall(PlexDGLevelsChoose(dg, n, power, nbins, &shift));
  for (PetscInt e = 0; e < mesh->Ne; ++e) power[e] = PlexDGLevelsPower(n, power[e], shift);
  PetscCall(PlexDGLevelsSmooth(dg, power));
  PetscCall(PlexDGLevelsSet(dg, power, PetscPowReal(2., -(PetscReal)shift / PLEX_LEVELS_BINS), *levels));
  PetscCall(PetscFree(power));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLevelsGetOf_Private(PlexDG dg, int **levels)
{
  PlexDGMesh mesh = dg->mesh;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->Ne + mesh->nghosts, levels));
  for (PetscInt e = 0; e < mesh->Ne && dg->levels; ++e)
    (*levels)[e] = (int)dg->levels->level[mesh->cells[e] - dg->levels->cStart];
  PetscCall(PlexDGLevelsShare(dg, *levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
