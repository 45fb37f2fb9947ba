/*
  What the examples have in common: options, files, the vectors and matrices of a GPU, and what is printed and written
  at the end.
*/
#ifndef PLEX_EXAMPLE_H
#define PLEX_EXAMPLE_H

#include <plexgpu.h>
#include "program.h"
#include "xdmf.h"

#if defined(__GNUC__)
  #pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have PETSc's parameters, used or not */
#endif

/* PETSc's parameters of a pointwise function for a residual, of one for a Jacobian, and of one on the boundary for a
   residual */
#define POINT_ARGS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define RESIDUAL_ARGS(result) \
  POINT_ARGS, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar result[]
#define JACOBIAN_ARGS(result) \
  POINT_ARGS, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], \
    PetscScalar result[]
#define BOUNDARY_ARGS(result) \
  POINT_ARGS, const PetscReal x[], const PetscReal n[], PetscInt numConstants, const PetscScalar constants[], \
    PetscScalar result[]
/* and those of a function that gives boundary or initial values */
#define VALUE_ARGS PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[], PetscCtx ctx

/* Tells PlexGPU that the pointwise functions are in the program's own file NAME.c, unless -plex_assembly_source says
   otherwise. A GPU needs them as source. NAME.i, the same preprocessed, goes with programs for a machine that has no C
   compiler or no PETSc. */
static inline PetscErrorCode ExampleSetSource(DM dm, const char name[])
{
  const char  *suffixes[] = {"i", "c"};
  char         file[64], path[PETSC_MAX_PATH_LEN];
  PlexAssembly plex;
  PetscBool    found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-plex_assembly_source", &found));
  for (PetscInt i = 0; i < 2 && !found; ++i) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.%s", name, suffixes[i]));
    PetscCall(ExampleFindFile(file, path, sizeof(path), &found));
    if (!found) continue;
    PetscCall(PlexAssemblyGetFromDM(dm, &plex));
    PetscCall(PlexAssemblySetPointwiseSource(plex, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS); /* not found: host needs no source, and the others say which option names it */
}

/* Lagrange elements of the mesh's type of cell, added as a field; quadrature: that of another field, or NULL */
static inline PetscErrorCode ExampleAddField(DM dm, const char name[], PetscInt Nc, PetscInt order, PetscFE quadrature,
                                             PetscFE *fe)
{
  PetscInt       dim, cStart, cEnd;
  DMPolytopeType ct = DM_POLYTOPE_QUADRILATERAL;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  if (cEnd > cStart) PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PetscObjectComm((PetscObject)dm), dim, Nc, ct, order, PETSC_DETERMINE, fe));
  PetscCall(PetscObjectSetName((PetscObject)*fe, name));
  if (quadrature) PetscCall(PetscFECopyQuadrature(quadrature, *fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)*fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quantity computed from X in the middle of each cell, [cells of this rank] */
static inline PetscErrorCode ExampleGetCellwise(DM dm, Vec X, const char name[], PetscPointFn *quantity, Vec *cellwise)
{
  DM                 cdm;
  PetscFE            fe;
  Vec                locX, local;
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, &cdm));
  PetscCall(ExampleAddField(cdm, name, 1, 0, NULL, &fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(cdm));
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(DMGetLocalVector(cdm, &local));
  PetscCall(DMProjectFieldLocal(cdm, 0.0, locX, &quantity, INSERT_VALUES, local));
  PetscCall(VecGetLocalSize(local, &n));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)dm), n, PETSC_DETERMINE, cellwise));
  PetscCall(PetscObjectSetName((PetscObject)*cellwise, name));
  PetscCall(VecGetArrayRead(local, &from));
  PetscCall(VecGetArrayWrite(*cellwise, &to));
  PetscCall(PetscArraycpy(to, from, n));
  PetscCall(VecRestoreArrayWrite(*cellwise, &to));
  PetscCall(VecRestoreArrayRead(local, &from));
  PetscCall(DMRestoreLocalVector(cdm, &local));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscCall(DMDestroy(&cdm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes X, and cellwise where it is not NULL, to the files that -output names */
static inline PetscErrorCode ExampleWrite(DM dm, Vec X, Vec cellwise)
{
  char      name[PETSC_MAX_PATH_LEN];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-output", name, sizeof(name), &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(XDMFWriteWithCells(dm, X, name, cellwise));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)dm), "Wrote %s.h5 and %s.xdmf\n", name, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stops where a nonlinear solve has failed */
static inline PetscErrorCode ExampleCheckConverged(SNES snes)
{
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PetscObjectComm((PetscObject)snes), PETSC_ERR_NOT_CONVERGED,
             "The solve did not converge: %s; see -snes_monitor -ksp_converged_reason", SNESConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The beginning of the result line: what was solved, and who assembled ("petsc" where any of it was left to PETSc) */
static inline PetscErrorCode ExampleResult(DM dm, const char name[], Vec X)
{
  PlexAssemblyCounts counts;
  PlexAssembly       plex;
  PlexBackend        backend;
  PlexBackendType    type;
  PetscInt           unknowns;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetFromDM(dm, &plex));
  PetscCall(PlexAssemblyGetBackend(plex, &backend));
  PetscCall(PlexBackendGetType(backend, &type));
  PetscCall(PlexAssemblyGetCounts(plex, &counts));
  PetscCall(VecGetSize(X, &unknowns));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)dm),
                        "result: example=%s unknowns=%" PetscInt_FMT " assembled_by=%s", name, unknowns,
                        counts.residualsLeft + counts.jacobiansLeft ? "petsc" : type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
