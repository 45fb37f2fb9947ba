static char help
  [] = "A driven cavity by hybridized discontinuous Galerkin: a fluid so viscous that its equations are Stokes's fills "
       "the unit square or cube, and its lid y = 1 moves at speed 1 in x. The velocity at the\n"
       "center, and how much flows out of the element of which most does.\n\n"
       "  -cells N                cells a side (default 8, an even number), each of them simplices\n"
       "  -boxes                  or one quadrilateral or hexahedron\n"
       "  -dim D                  2 (default) or 3\n"
       "  -output NAME            writes NAME.vtkhdf\n"
       "  -plex_hdg_degree P      degree of gradients, pressures and traces (default 3), the velocity has one "
       "more; -plex_hdg_viscosity, -plex_hdg_backend, -plex_hdg_ksp_... and the like\n\n";

#include "program.h"
#include "box.h"

static PetscErrorCode Walls(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) g[d] = 0.;
  if (x[1] > 1. - 1e-8) g[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The velocity in x at the node next to the center */
static PetscErrorCode GetCenter(PlexHDG hdg, PetscInt dim, PetscReal *velocity)
{
  const PetscReal *x;
  PetscScalar     *values;
  PetscInt         Ne, Np, last;
  Vec              u;

  struct {
    double distance;
    int    rank;
  } mine = {PETSC_MAX_REAL, 0}, nearest;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)Ne * dim * Np + 1, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, dim, u, values));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &mine.rank));
  last = -1;
  for (PetscInt k = 0; k < Ne * Np; ++k) {
    PetscReal distance = 0.;

    for (PetscInt d = 0; d < dim; ++d) distance += PetscSqr(x[dim * k + d] - 0.5);
    if (distance < mine.distance - 1e-12) {
      mine.distance = distance;
      last          = k;
    }
  }
  *velocity = last < 0 ? 0. : PetscRealPart(values[(size_t)(last / Np) * dim * Np + last % Np]);
  PetscCall(PetscFree(values));
  PetscCallMPI(MPI_Allreduce(&mine, &nearest, 1, MPI_DOUBLE_INT, MPI_MINLOC, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(velocity, 1, MPIU_REAL, nearest.rank, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  cells = 8, dim = 2, unknowns, iterations;
  PetscBool boxes = PETSC_FALSE;
  PetscReal center, jump;
  char      output[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN];
  PlexHDG   hdg;
  DM        dm, other;
  KSP       ksp;
  Vec       trace;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Driven cavity", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, cells, &cells, NULL, 2));
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", NULL, dim, &dim, NULL, 2, 3));
  PetscCall(PetscOptionsBool("-boxes", "Quadrilaterals or hexahedra", NULL, boxes, &boxes, NULL));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, output, output, sizeof(output), NULL));
  PetscOptionsEnd();
  cells += cells % 2;
  if (boxes)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, (const PetscInt[]){cells, cells, cells}, NULL,
                                  NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, &dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, dim, cells, &dm));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &other));
  if (other) {
    PetscCall(DMDestroy(&dm));
    dm = other;
  }
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_STOKES));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Walls, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &unknowns));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(GetCenter(hdg, dim, &center));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_stokes unknowns=%" PetscInt_FMT " iterations=%" PetscInt_FMT
                        " center=%.6g jump=%.1e\n",
                        unknowns, iterations, (double)center, (double)jump));
  if (output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, NULL, NULL));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
