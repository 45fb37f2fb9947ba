/* What the files of src/assembly/multigrid/ share: transfers between spaces of one mesh, and levels. */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

/*
  Values of the functions of one nodal space at the nodes of another one on the same mesh. In an element with values
  x[Nfrom] of a component

    y_k = sum_j S[k][j] x_j,   S[k][j] = psi_k(phi_j)

  with phi_j the basis functions of the first space and psi_k the functionals of the second one. Where functions are
  continuous all elements around a node agree, so one of them computes each node: the last one that has it.
*/
typedef struct _n_PlexTransfer       *PlexTransfer;
typedef struct _n_PlexTransferDevice *PlexTransferDevice; /* transferdevice.c */
struct _n_PlexTransfer {
  PetscInt   Ne, Nc, Nfrom, Nto; /* elements, components, nodes of an element */
  int       *rows;               /* [Nto + 1] S by rows, of the entries that are not zero: where a row begins, */
  int       *columns;            /* [rows[Nto]] */
  PetscReal *values;             /* [rows[Nto]] */
  int       *from;               /* [Ne][Nfrom] local dof of a node's first component; the others follow it */
  int       *to;                 /* [Ne][Nto] likewise, -1: another element computes this node */

  PlexBackend        backend;
  PlexTransferDevice device;         /* NULL: the backend has no kernels */
  PlexArray          arrayX, arrayY; /* then of vectors */
};

PETSC_INTERN PetscErrorCode PlexTransferCreate(DM from, DM to, PlexBackend, PlexTransfer *);
PETSC_INTERN PetscErrorCode PlexTransferDestroy(PlexTransfer *);
/* What it keeps on this process, in the memory of the host and that of a device */
PETSC_INTERN PetscErrorCode PlexTransferGetBytes(PlexTransfer, double *bytes);
/* Local vectors: all entries of `to` are written, those of constrained dofs too */
PETSC_INTERN PetscErrorCode PlexTransferValues(PlexTransfer, Vec from, Vec to);
/* The same from a global vector of `from` to one of `to` as a matrix without entries, whose transpose is the
   restriction of residuals. Keeps the DMs; the matrix owns the transfer */
PETSC_INTERN PetscErrorCode PlexTransferCreateMatrix(PlexTransfer, DM from, DM to, Mat *);
PETSC_INTERN PetscErrorCode PlexTransferOfMatrix(Mat, PlexTransfer *);

/* For kernels: NlFrom dofs in a local vector of the first space; places of the second one's local dofs in its global
   vectors. Launch: y = S x, y global or local. LaunchTranspose: the nodes of x that elements have are written */
PETSC_INTERN PetscErrorCode PlexTransferSetUpDevice(PlexTransfer, PlexBackend, PetscInt NlFrom);
PETSC_INTERN PetscErrorCode PlexTransferSetPlaces(PlexTransfer, PetscInt Nl, const int places[]);
PETSC_INTERN PetscErrorCode PlexTransferDestroyDevice(PlexTransferDevice *);
PETSC_INTERN PetscErrorCode PlexTransferGetBytesDevice(PlexTransferDevice, double *bytes); /* NULL: none */
PETSC_INTERN PetscErrorCode PlexTransferLaunch(PlexTransfer, PetscBool global, const PetscScalar x[], PetscScalar y[]);
PETSC_INTERN PetscErrorCode PlexTransferLaunchTranspose(PlexTransfer, const PetscScalar y[], PetscScalar x[]);

/* The polynomial degree of a DM's only field. Errors where it has others, or is not continuous Lagrange */
PETSC_INTERN PetscErrorCode PlexLevelGetDegree(DM, PetscInt *degree);
/* A DM with the same mesh and problem, of a lower degree */
PETSC_INTERN PetscErrorCode PlexLevelCreateDM(DM, PetscInt degree, DM *);
/* What may change between solves: constants, auxiliary vectors, coordinates */
PETSC_INTERN PetscErrorCode PlexLevelUpdateDM(DM fine, DM level);
/* local vectors of a DM to global ones without addition: [Nl] place of a local dof in a global vector, -1: constrained
   or of another process */
PETSC_INTERN PetscErrorCode PlexLevelGetPlaces(DM, PetscInt *Nl, int **places);
/* Makes a PC a PCMG of the meshes from which one was refined, with the space of degree 1 of a DM on the finest one, for
   assembled matrices of a type. steps: of the smoothers */
PETSC_INTERN PetscErrorCode PlexGeometricSetLevels(DM mesh, DM space, MatType, PetscInt steps, PetscInt cycles, PC);

/* After a PCMG's set-up, smoothers.c. first: polynomials of the 4th kind, unless options name a kind; PETSc 3.26's
   KSPSetFromOptions() sets the 1st one. Each time: the vectors with which eigenvalues were estimated are freed */
PETSC_INTERN PetscErrorCode PlexSmoothersFinish(PC, PetscBool first);
/* Of the levels' vectors on this process: right-hand sides, solutions, residuals, those of smoothers */
PETSC_INTERN PetscErrorCode PlexSmoothersGetBytes(PC, double *bytes);
