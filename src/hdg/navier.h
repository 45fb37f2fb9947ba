/* Navier-Stokes equations: what src/hdg/navier*.c and hostnavier.c share. navier.c has the method */
#pragma once

#include "stokes.h"
#include <hdg/navier_args.h>

/* navierkernels.c: convection that is explicit in time, and sums and traces of elements, by kernels; zero: not there */
typedef struct {
  PlexModule    module;
  PlexKernel    spread, moments, others;
  PlexHDGKernel carry;
  double       *zero; /* [nown][dim][Nf] zeros in the backend's memory */
} PlexHDGNavierKernels;

struct _n_PlexHDGNavier {
  PetscReal           *dU;    /* [dim][Nq][Nu] derivatives of U by reference coordinates at an element's points */
  PetscReal           *UFace; /* [faces][Nqf][Nu] U at the faces' points */
  int                 *outer; /* [Ne][faces] whether it is on the boundary of the domain */
  PlexHDGNavierArgs    args;  /* but for args.stokes and args.rho; in the backend's memory, as these tables are there */
  PlexHDGNavierKernels kernels;
  PlexArray            arrayConstant;
  Vec                  g;          /* [Ne] right-hand side of the pressure's constants */
  Vec                  state;      /* the last solution of PlexHDGSolve() */
  Vec                  scaled;     /* [Ne] changes of the pressure's constants */
  Mat                  penalty, K; /* B^T W B, and K with it: what the direct solver factors */
  Mat                  pressure;   /* L of naviersolve.c */
  KSP                  pressureKSP;
  Vec                  diagonal, traces[2]; /* 1/D; workspace */
  PetscReal            gamma;               /* by which the penalty is multiplied; 0: there is none */
  PetscBool            ready;               /* K is assembled without convection, and the solvers are of it */
  PetscBool            asked;               /* there was a Jacobian */
  PetscBool            commutes;            /* the Schur complement is a commutator, else mu over volumes */
  PetscBool            direct;              /* the velocity's solver is direct */
  PetscReal            data;                /* residual of u = 0: by which those of Newton's method are measured */
};

/* Places in a state of one process: u[Ne][dim][Nu], p[Ne][Np], trace[nown][dim][Nf] */
static inline size_t PlexHDGNavierPlaceP(PlexHDG hdg)
{
  return (size_t)hdg->mesh->Ne * hdg->reference->dim * hdg->elastic->Nu;
}

static inline size_t PlexHDGNavierPlaceTrace(PlexHDG hdg)
{
  return PlexHDGNavierPlaceP(hdg) + (size_t)hdg->mesh->Ne * hdg->reference->Np;
}

static inline size_t PlexHDGNavierSize(PlexHDG hdg)
{
  return PlexHDGNavierPlaceTrace(hdg) + (size_t)hdg->mesh->nown * PlexHDGBlockSize(hdg);
}

/* navierdata.c: tables, and what is kept; made with its mesh, freed with it */
PETSC_INTERN PetscErrorCode PlexHDGNavierCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGNavierDestroy_Private(PlexHDG);
/* and copies of the tables in the backend's memory */
PETSC_INTERN PetscErrorCode PlexHDGNavierUpload_Private(PlexHDG);
/* naviersolve.c: [K B^T; B 0] [dt; dm] = [f; g] */
PETSC_INTERN PetscErrorCode PlexHDGNavierSetDefaults_Private(PlexHDG, KSP velocity);
PETSC_INTERN PetscErrorCode PlexHDGNavierPrepare_Private(PlexHDG, Mat *K, Vec *f, Vec g);
PETSC_INTERN PetscErrorCode PlexHDGNavierSchur_Private(PlexHDG, Vec g, Vec m);
PETSC_INTERN PetscErrorCode PlexHDGNavierSetOperators_Private(PlexHDG);
/* navierstate.c: what a state needs */
PETSC_INTERN PetscErrorCode PlexHDGNavierSetUp_Private(PlexHDG);
/* The trace of a state X, in the backend's memory, becomes `delta` */
PETSC_INTERN PetscErrorCode PlexHDGNavierSetTrace_Private(PlexHDG, const PetscScalar X[]);
/* navierexplicit.c: what a time stepper needs besides; -c of a state X, zero of p and the trace */
PETSC_INTERN PetscErrorCode PlexHDGNavierSetTS_Private(PlexHDG, TS);
PETSC_INTERN PetscErrorCode PlexHDGNavierExplicit_Private(PlexHDG, Vec X, Vec G);
/* state.c: source, conditions and coefficients of a time */
PETSC_INTERN PetscErrorCode PlexHDGSetTime_Private(PlexHDG, PetscReal t);
/* navierstate.c: of a state X, what state.c calls. F NULL: the solution's vectors are set from X instead */
PETSC_INTERN PetscErrorCode PlexHDGNavierResidual_Private(PlexHDG, Vec X, Vec Xdot, Vec F);
PETSC_INTERN PetscErrorCode PlexHDGNavierJacobian_Private(PlexHDG, PetscInt iteration, Vec X, PetscReal shift);
PETSC_INTERN PetscErrorCode PlexHDGNavierApply_Private(PlexHDG, PC, Vec r, Vec z);
PETSC_INTERN PetscErrorCode PlexHDGNavierProject_Private(PlexHDG, PlexHDGFn *, void *ctx, Vec X);
PETSC_INTERN PetscErrorCode PlexHDGNavierSolve_Private(PlexHDG);
/* Errors in time are those of u alone */
PETSC_INTERN PetscErrorCode PlexHDGNavierSetTolerances_Private(PlexHDG, TS);
/* The moments of all fluxes of the last solution, in args.b */
PETSC_INTERN PetscErrorCode PlexHDGNavierFluxes_Private(PlexHDG);

/* navierkernels.c, of a backend with kernels: those that every state needs, at set-up; explicit: those of convection that is
   explicit in time, too */
PETSC_INTERN PetscErrorCode PlexHDGNavierKernelsCreate_Private(PlexHDG, PetscBool explicit);
/* All of what a kernel reads and writes, with these */
PETSC_INTERN void PlexHDGNavierSetArgs_Private(PlexHDG, const PlexHDGArgs *, PlexHDGNavierArgs *);
/* args.trace of navier->args: the traces of args with known ones, of all elements */
PETSC_INTERN PetscErrorCode PlexHDGNavierSpread_Kernels(PlexHDG, const PlexHDGArgs *);
/* One of those whose threads have a number of all elements' traces; of functions first .. first + n of the faces */
PETSC_INTERN PetscErrorCode PlexHDGNavierShare_Private(PlexHDG, PlexKernel, const PlexHDGArgs *, PetscInt first,
                                                       PetscInt n);

/* hostnavier.c: all of these read and write what navier->args says */
PETSC_INTERN PetscErrorCode PlexHDGNavierCondense_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGNavierResidual_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGNavierLocal_Host(PlexHDG, const PlexHDGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGNavierSpread_Host(PlexHDG, const PlexHDGArgs *);
