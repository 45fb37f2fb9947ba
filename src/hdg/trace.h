/* Products with K by the elements' matrices, without K: what src/hdg/trace*.c share. trace.c has the method */
#pragma once

#include "hdgimpl.h"
#include <hdg/trace_args.h>

enum {
  PLEX_HDG_TRACE_AIJ,
  PLEX_HDG_TRACE_ELEMENTS,
  PLEX_HDG_TRACE_AUTO /* the elements' by kernels, as long as nobody asks for K's values; the default */
};

struct _n_PlexHDGTrace {
  PetscInt         width, tile; /* of the elements' matrices, trace_args.h */
  PetscInt         warps;       /* batches of a block of threads */
  PetscInt         nbatches;    /* of all elements */
  PetscInt         nsome[2];    /* batches without and with faces of other processes */
  int             *some[2];     /* in the backend's memory; NULL: all, on one process */
  PlexHDGTraceArgs args;        /* but for what changes with a call */
  Vec              ghosts;      /* of the faces of own elements, and of received block rows */
  VecScatter       scatter;
  Mat              smoothed; /* K of the smoother, whose numbers are upper halves; NULL: it has K */
  PlexMemory       memory;
  PlexModule       module;
  PlexKernel       pack, multiply[2], received, sum; /* NULL: the host's way. [whole] */
  PlexArray        arrayX, arrayY, arrayRHS, arrayGhosts;
};

/* Numbers of an element that are kept */
static inline size_t PlexHDGTraceNumbers(PlexHDG hdg)
{
  const size_t n = (size_t)PlexHDGTraceSize(hdg);

  return n * (n + 1) / 2;
}

/* Where entry (r, c) of element e is */
static inline size_t PlexHDGTracePlace(PlexHDG hdg, PetscInt e, PetscInt r, PetscInt c)
{
  const PetscInt T = hdg->elements->tile, W = hdg->elements->width;
  PetscInt       row, j; /* the block row */
  size_t         at;

  if (r < c) {
    const PetscInt s = r;

    r = c;
    c = s;
  }
  row = r / T;
  j   = c - row * T;
  at  = (size_t)(row * (row - 1) / 2 * T * T + row * (T * (T + 1) / 2));
  at += (size_t)(j < 0 ? c * T + r % T : row * T * T + j * T - j * (j - 1) / 2 + r % T - j);
  return ((size_t)(e / W) * PlexHDGTraceNumbers(hdg) + at) * (size_t)W + (size_t)(e % W);
}

/* A number's upper half, the nearest one, and the number of both halves, trace_args.h */
static inline int PlexHDGTraceUpper(double v)
{
  int64_t bits;

  memcpy(&bits, &v, sizeof(v));
  return (int)((bits + 0x80000000) >> 32);
}
static inline double PlexHDGTraceNumber(int upper, int lower)
{
  const int64_t bits = (int64_t)upper * 0x100000000 + lower;
  double        v;

  memcpy(&v, &bits, sizeof(v));
  return v;
}

/* trace.c: all but values, with the operator hdg->A */
PETSC_INTERN PetscErrorCode PlexHDGTraceCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGTraceDestroy_Private(PlexHDG);
/* Errors where a problem, a solver or an option needs K's values */
PETSC_INTERN PetscErrorCode PlexHDGTraceCheck_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGTraceCheckSolver_Private(PlexHDG, KSP);
/* Whether K is not made, hdg->without; ksp: that has its preconditioner, where it is to be found out, else NULL. An error
   where options ask for what K does not have */
PETSC_INTERN PetscErrorCode PlexHDGTraceChoose_Private(PlexHDG, KSP ksp);
/* Of -plex_hdg_trace auto without K: whether the solver still needs none, which the program may have changed */
PETSC_INTERN PetscErrorCode PlexHDGTraceStays_Private(PlexHDG, KSP ksp, PetscBool *stays);
/* An error where there is K, and an option asks for what products without it have */
PETSC_INTERN PetscErrorCode PlexHDGTraceCheckPrecision_Private(PlexHDG);
/* After new values: of the trace's multigrid the smoother gets its matrix */
PETSC_INTERN PetscErrorCode PlexHDGTraceSetSmoother_Private(PlexHDG, KSP, PC);
/* Matrices K of elements begin .. end to where they are kept; block rows of others' elements are received at *rows */
PETSC_INTERN PetscErrorCode PlexHDGTracePack_Private(PlexHDG, PetscInt begin, PetscInt end, const double K[]);
PETSC_INTERN double        *PlexHDGTraceReceived_Private(PlexHDG);
PETSC_INTERN double         PlexHDGTraceBytes_Private(PlexHDG);
/* Arguments of kernels that are the same in all calls */
PETSC_INTERN PetscErrorCode PlexHDGTraceGetArgs_Private(PlexHDG, PlexHDGTraceArgs *);
/* tracehost.c: the kernels of trace.cu by the host */
PETSC_INTERN void PlexHDGTracePackHost_Private(PlexHDG, const PlexHDGTraceArgs *, PetscInt begin, PetscInt end,
                                               const double K[]);
PETSC_INTERN PetscErrorCode PlexHDGTraceMultiplyHost_Private(PlexHDG, const PlexHDGTraceArgs *);
PETSC_INTERN void           PlexHDGTraceReceivedHost_Private(PlexHDG, const PlexHDGTraceArgs *);
PETSC_INTERN void           PlexHDGTraceSumHost_Private(PlexHDG, const PlexHDGTraceArgs *);
/* traceparts.c: rows and columns i, j[nparts] of the parts of the coarse matrix, PetscFree2() them; number[]: of the
   mesh's vertices. The parts' values, and the inverses of the faces' blocks */
PETSC_INTERN PetscErrorCode PlexHDGTracePlanParts_Private(PlexHDG, PlexHDGCoarse, const PetscInt number[], PetscInt **i,
                                                          PetscInt **j);
PETSC_INTERN PetscErrorCode PlexHDGTraceUpdateParts_Private(PlexHDG, PlexHDGCoarse);
