static char
  help[] = "Cook's membrane by hybridized discontinuous Galerkin: a tapered panel, 48 wide, 44 high where it is "
           "clamped and 16 where a shear load of 1 in all pulls it up; Young's modulus 1. The\n"
           "displacement upwards of the middle of the loaded end is 23.96 in plane stress with Poisson's "
           "ratio 1/3.\n\n"
           "  -cells N                cells a side (default 8, an even number), each of them 2 triangles\n"
           "  -quads                  or one quadrilateral\n"
           "  -poisson NU             Poisson's ratio (default 1/3)\n"
           "  -strain                 plane strain in place of plane stress\n"
           "  -output NAME            writes NAME.vtkhdf\n"
           "  -plex_hdg_degree P      degree of stress and traces (default 3), the displacement has one "
           "more; -plex_hdg_backend, -plex_hdg_ksp_... and the like\n\n";

#include "program.h"
#include "box.h"

/* The panel from the unit square */
static PetscErrorCode Taper(DM dm)
{
  PetscScalar *x;
  PetscInt     n;
  Vec          v;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &v));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt k = 0; k < n; k += 2) {
    const PetscReal s = PetscRealPart(x[k]), t = PetscRealPart(x[k + 1]);

    x[k]     = 48. * s;
    x[k + 1] = 44. * s + t * (44. - 28. * s);
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "end" of the boundary: 1 where the panel is clamped, 2 where it is loaded */
static PetscErrorCode LabelEnds(DM dm)
{
  DMLabel         label;
  IS              is;
  const PetscInt *facets;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "end"));
  PetscCall(DMCreateLabel(dm, "facets"));
  PetscCall(DMGetLabel(dm, "facets", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, label));
  PetscCall(DMLabelGetStratumIS(label, 1, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal x[3], normal[3], length;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], &length, x, normal));
    if (x[0] < 1e-8) PetscCall(DMSetLabelValue(dm, "end", facets[k], 1));
    if (x[0] > 48. - 1e-8) PetscCall(DMSetLabelValue(dm, "end", facets[k], 2));
  }
  PetscCall(ISRestoreIndices(is, &facets));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                           void *ctx)
{
  PetscFunctionBegin;
  g[0] = 0.;
  g[1] = 1. / 16.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The displacement upwards of the middle of the loaded end */
static PetscErrorCode GetTip(PlexHDG hdg, PetscReal *tip)
{
  const PetscReal *x;
  PetscScalar     *values;
  PetscInt         Ne, Np;
  Vec              u;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)Ne * 2 * Np + 1, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, 2, u, values));
  *tip = PETSC_MIN_REAL;
  for (PetscInt k = 0; k < Ne * Np; ++k)
    if (PetscAbsReal(x[2 * k] - 48.) < 1e-8 && PetscAbsReal(x[2 * k + 1] - 52.) < 1e-8)
      *tip = PetscMax(*tip, PetscRealPart(values[((size_t)(k / Np) * 2 + 1) * Np + k % Np]));
  PetscCall(PetscFree(values));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, tip, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  cells = 8, unknowns, iterations;
  PetscBool quads = PETSC_FALSE, strain = PETSC_FALSE;
  PetscReal nu                         = 1. / 3., lambda, mu, tip, jump;
  char      output[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN];
  PlexHDG   hdg;
  DM        dm, other;
  KSP       ksp;
  Vec       trace;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Cook's membrane", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, cells, &cells, NULL, 2));
  PetscCall(PetscOptionsBool("-quads", "Quadrilaterals", NULL, quads, &quads, NULL));
  PetscCall(PetscOptionsReal("-poisson", "Poisson's ratio", NULL, nu, &nu, NULL));
  PetscCall(PetscOptionsBool("-strain", "Plane strain", NULL, strain, &strain, NULL));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, output, output, sizeof(output), NULL));
  PetscOptionsEnd();
  cells += cells % 2;
  if (quads)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){cells, cells}, NULL, NULL, NULL,
                                  PETSC_TRUE, 0, PETSC_FALSE, &dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, cells, &dm));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &other));
  if (other) {
    PetscCall(DMDestroy(&dm));
    dm = other;
  }
  PetscCall(Taper(dm));
  PetscCall(LabelEnds(dm));
  lambda = nu / ((1. + nu) * (1. - 2. * nu));
  mu     = 0.5 / (1. + nu);
  if (!strain) lambda *= 2. * mu / (lambda + 2. * mu);
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_ELASTICITY));
  PetscCall(PlexHDGSetLame(hdg, lambda, mu));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, NULL, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, "end", 1, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, "end", 2, PLEX_HDG_NEUMANN, Load, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGGetLame(hdg, &lambda, &mu)); /* -plex_hdg_lame sets them, too */
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &unknowns));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(GetTip(hdg, &tip));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_elastic unknowns=%" PetscInt_FMT " iterations=%" PetscInt_FMT
                        " tip=%.6g jump=%.1e lambda=%.4g mu=%.4g\n",
                        unknowns, iterations, (double)tip, (double)jump, (double)lambda, (double)mu));
  if (output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, NULL, NULL));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
