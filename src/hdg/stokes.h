/* Stokes's equations: what src/hdg/stokes*.c and hoststokes.c share. stokes.c has the method */
#pragma once

#include "elastic.h"
#include <hdg/stokes_args.h>

typedef struct _n_PlexHDGSolenoidal *PlexHDGSolenoidal; /* solenoidal.h */

struct _n_PlexHDGStokes {
  PlexHDGStokesArgs args;    /* but for args.elastic */
  PetscBool         closed;  /* nothing can flow through the boundary but what is known to: p has a free constant */
  PetscInt          nfacets; /* faces with known numbers of a trace: */
  int              *facetElement; /* [nfacets] */
  int              *facetStart;   /* [nfacets + 1] their numbers */
  PetscInt          nknown;
  int              *known;   /* [nknown] place among args.fixed, [nfixed][dim][Nf], and then those of held components */
  PetscReal        *weights; /* [nknown] what they bring out of the element */
  PetscReal         allVolume;  /* of all elements' args.volume */
  Mat               B, Bt;      /* [NeGlobal][trace] minus what a trace brings out of each element; transposed */
  Mat               nest;       /* [K B^T; B 0] */
  Vec               mean, rhs;  /* [Ne] the pressure's constants; right-hand side of B t */
  Vec               pressure;   /* [Ne][Np] */
  Vec               scale;      /* [Ne] mu over volume */
  Vec               work;       /* a trace */
  PetscBool         diagonal;   /* the preconditioner is block diagonal, else a block triangle */
  KSP               velocity;   /* a step of the preconditioner of K */
  PlexHDGSolenoidal solenoidal; /* or NULL: not asked for yet */
  PlexArray         arrayMean, arrayPressure;
};

/* Unknowns of an element's local problem, [dim][Nu] of u and the pressure's but for its constant; and with the trace */
static inline PetscInt PlexHDGStokesLocalSize(PlexHDG hdg)
{
  return hdg->reference->dim * hdg->elastic->Nu + hdg->reference->Np - 1;
}

static inline PetscInt PlexHDGStokesRows(PlexHDG hdg)
{
  return PlexHDGStokesLocalSize(hdg) + PlexHDGTraceSize(hdg);
}

/* Doubles that are kept of an element's factors */
static inline PetscInt PlexHDGFactorSize(PlexHDG hdg)
{
  const PetscInt n = hdg->reference->Np + PlexHDGTraceSize(hdg);

  if (hdg->navier) return PlexHDGStokesLocalSize(hdg) * (PlexHDGStokesLocalSize(hdg) + 2 * PlexHDGTraceSize(hdg));
  if (hdg->stokes) return PlexHDGStokesRows(hdg) * PlexHDGStokesLocalSize(hdg);
  if (hdg->elastic)
    return hdg->kept
           ? (hdg->reference->dim * hdg->elastic->Nu + PlexHDGTraceSize(hdg)) * hdg->reference->dim * hdg->elastic->Nu
           : 0;
  if (PlexHDGIsGeneral(hdg)) return PlexHDGGeneralSize(hdg);
  return hdg->kept ? n * hdg->reference->Np : 0;
}

/* stokesdata.c */
PETSC_INTERN PetscErrorCode PlexHDGStokesCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGStokesDestroy_Private(PlexHDG);
/* stokespressure.c: vectors, and what kernels write */
PETSC_INTERN PetscErrorCode PlexHDGStokesAllocate_Private(PlexHDG);
/* what local problems of a trace (NULL: zero) need, before and
   after them; p has mean zero where it has a free constant */
PETSC_INTERN PetscErrorCode PlexHDGStokesBeginLocal_Private(PlexHDG, Vec trace, Vec u);
PETSC_INTERN PetscErrorCode PlexHDGStokesEndLocal_Private(PlexHDG, Vec trace, Vec u);
/* stokesdivergence.c: after K is assembled, B and what known traces bring out of elements, once; mu over volume */
PETSC_INTERN PetscErrorCode PlexHDGStokesSetDivergence_Private(PlexHDG);
/* The right-hand side of div u = 0 */
PETSC_INTERN PetscErrorCode PlexHDGStokesComputeRHS_Private(PlexHDG);
/* stokessolve.c: the solver of K; the solve for trace and mean pressures */
PETSC_INTERN PetscErrorCode PlexHDGStokesGetVelocityKSP_Private(PlexHDG, KSP *);
PETSC_INTERN PetscErrorCode PlexHDGStokesSolve_Private(PlexHDG, KSP, Vec f, Vec g, Vec trace, Vec mean);
/* stokespressure.c: moves p and its constants so that the mean is zero */
PETSC_INTERN PetscErrorCode PlexHDGStokesCenter_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGStokesCreateVec_Private(PlexHDG, PetscInt n, Vec *);

/* hoststokes.c */
PETSC_INTERN PetscErrorCode PlexHDGStokesCondense_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGStokesLocal_Host(PlexHDG, const PlexHDGArgs *);
