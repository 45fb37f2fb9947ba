/*
  The plate of the heat example: its mesh, its PetscDS and its boundary values. Shared by heat.c and the benchmarks.
*/
#ifndef HEAT_PROBLEM_H
#define HEAT_PROBLEM_H

#include "program.h"

#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "heat.h"

/* Physical groups of plate.geo and block.geo: PETSc's label "Face Sets" holds their tags */
#define HEAT_LEFT  1
#define HEAT_HOLES 2

static inline PetscErrorCode HeatLeft(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                                      PetscCtx ctx)
{
  u[0] = 200.0;
  return PETSC_SUCCESS;
}

static inline PetscErrorCode HeatHoles(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                                       PetscCtx ctx)
{
  u[0] = 10.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

/* A file of this folder, which has to be there */
static inline PetscErrorCode HeatFindFile(const char name[], char path[], size_t len)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(ExampleFindFile(name, path, len, &found));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot find %s in examples/ or here; run from the project's folder", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the mesh in file (NULL: plate.msh) and checks that it has the two boundaries that carry a value */
static inline PetscErrorCode HeatCreateMesh(MPI_Comm comm, const char file[], DM *dm)
{
  const PetscInt tags[]  = {HEAT_LEFT, HEAT_HOLES};
  const char    *names[] = {"left", "holes"};
  char           path[PETSC_MAX_PATH_LEN];
  PetscBool      found;
  DMLabel        label;

  PetscFunctionBegin;
  if (file && file[0]) PetscCall(PetscStrncpy(path, file, sizeof(path)));
  else PetscCall(HeatFindFile("plate.msh", path, sizeof(path)));
  PetscCall(PetscTestFile(path, 'r', &found));
  PetscCheck(found, comm, PETSC_ERR_FILE_OPEN,
             "Cannot read the mesh %s: there is no such file; -mesh takes a Gmsh file such as examples/plate.msh",
             path);
  PetscCall(DMPlexCreateFromFile(comm, path, "plate", PETSC_TRUE, dm));
  PetscCall(DMGetLabel(*dm, "Face Sets", &label));
  for (PetscInt i = 0; i < 2; ++i) {
    PetscInt here = 0, all;

    if (label) PetscCall(DMLabelGetStratumSize(label, tags[i], &here));
    PetscCallMPI(MPIU_Allreduce(&here, &all, 1, MPIU_INT, MPI_SUM, comm));
    PetscCheck(all, comm, PETSC_ERR_FILE_UNEXPECTED,
               "The mesh %s has no boundary of physical group %" PetscInt_FMT
               " (%s), which carries a value; see examples/plate.geo",
               path, tags[i], names[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lagrange elements of the given order, the forms of heat.h, and the values at the left edge and the holes */
static inline PetscErrorCode HeatSetUpProblem(DM dm, PetscInt order, PetscBool nonlinear, PetscReal source)
{
  const PetscInt left = HEAT_LEFT, holes = HEAT_HOLES;
  PetscScalar    constants[1];
  PetscInt       dim, cStart, cEnd;
  DMPolytopeType ct = DM_POLYTOPE_TRIANGLE;
  DMLabel        label;
  PetscFE        fe;
  PetscDS        ds;

  PetscFunctionBegin;
  PetscCheck(order >= 1 && order <= 5, PetscObjectComm((PetscObject)dm), PETSC_ERR_ARG_OUTOFRANGE,
             "Order %" PetscInt_FMT " is not offered; -order takes 1 to 5", order);
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  if (cEnd > cStart) PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    DMPolytopeType other;

    PetscCall(DMPlexGetCellType(dm, c, &other));
    PetscCheck(other == ct, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The mesh mixes cells: cell %" PetscInt_FMT " is a %s, cell %" PetscInt_FMT
               " a %s; this example takes meshes of one cell type",
               cStart, DMPolytopeTypes[ct], c, DMPolytopeTypes[other]);
  }
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, ct, order, PETSC_DETERMINE, &fe));
  PetscCall(PetscObjectSetName((PetscObject)fe, "temperature"));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_heat, nonlinear ? f1_heat_nonlinear : f1_heat));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, nonlinear ? g2_heat_nonlinear : NULL,
                               nonlinear ? g3_heat_nonlinear : g3_heat));
  constants[0] = source;
  PetscCall(PetscDSSetConstants(ds, 1, constants));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "left", label, 1, &left, 0, 0, NULL, (PetscVoidFn *)HeatLeft, NULL, NULL,
                          NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "holes", label, 1, &holes, 0, 0, NULL, (PetscVoidFn *)HeatHoles, NULL,
                          NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes and elements of all ranks: nodes are where the unknowns and the boundary values sit */
static inline PetscErrorCode HeatGetCounts(DM dm, PetscInt *nodes, PetscInt *elements)
{
  PetscSection section, global;
  PetscInt     cStart, cEnd, pStart, pEnd, n[2];

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMGetGlobalSection(dm, &global));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  n[0] = 0;
  n[1] = cEnd - cStart;
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt dof, gdof;

    PetscCall(PetscSectionGetDof(section, p, &dof));
    PetscCall(PetscSectionGetDof(global, p, &gdof));
    if (gdof >= 0) n[0] += dof; /* negative: another rank's point */
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dm)));
  *nodes    = n[0];
  *elements = n[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
