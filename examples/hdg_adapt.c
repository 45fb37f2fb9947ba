static char
  help[] = "p-adaptivity of hybridized discontinuous Galerkin: a solution with a singularity in a corner, r^(2/3) "
           "sin(2 a/3) in polar coordinates, and degrees of elements that follow an indicator of their "
           "errors.\n\n"
           "  -cells N                cells a side of the unit square (default 6), each of them 2 triangles\n"
           "  -grade G                lines of the mesh at (i/N)^G (default 2): smaller cells at the "
           "corner\n"
           "  -mixed                  cells away from the corner are quadrilaterals\n"
           "  -steps S                changes of degrees, at most (default 12)\n"
           "  -tolerance T            or until the error is estimated to be so small (default 1e-5)\n"
           "  -fraction F             elements with so much of the largest indicator are raised (default "
           "0.2); 0: all of them,\n"
           "                          as a uniform degree that grows\n"
           "  -most P                 largest degree (default 9)\n"
           "  -output NAME            writes NAME.vtkhdf: u, q, post-processed u, its error, degrees\n"
           "  -plex_hdg_degree P      first degree (default 1 here)\n"
           "  -plex_hdg_monitor_image FILE -plex_image_field degree  a picture of the degrees after each "
           "solve\n\n";

#include "program.h"
#include <plexgpu.h>

typedef struct {
  PetscInt  cells, steps, most;
  PetscReal grade, tolerance, fraction;
  PetscBool mixed;
  char      output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  *o = (Options){.cells = 6, .steps = 12, .most = 9, .grade = 2., .tolerance = 1e-5, .fraction = 0.2};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "p-adaptivity", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsReal("-grade", "Exponent of the mesh's lines", NULL, o->grade, &o->grade, NULL));
  PetscCall(PetscOptionsBool("-mixed", "Quadrilaterals away from the corner", NULL, o->mixed, &o->mixed, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Changes of degrees", NULL, o->steps, &o->steps, NULL, 0));
  PetscCall(PetscOptionsReal("-tolerance", "Of the estimated error", NULL, o->tolerance, &o->tolerance, NULL));
  PetscCall(PetscOptionsReal("-fraction", "Of the largest indicator", NULL, o->fraction, &o->fraction, NULL));
  PetscCall(PetscOptionsRangeInt("-most", "Largest degree", NULL, o->most, &o->most, NULL, 1, 9));
  PetscCall(PetscOptionsString("-output", "File", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Squares between the lines, each cut into 2 triangles, or where it is to be a quadrilateral not */
static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  const PetscInt n = o->cells, nv = (n + 1) * (n + 1);
  PetscInt       counts[2] = {0, 0}, size = 0, *sizes, *cones, *orientations;
  PetscReal     *x;
  PetscMPIInt    rank;
  DM             whole;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(DMCreate(PETSC_COMM_WORLD, &whole));
  PetscCall(DMSetType(whole, DMPLEX));
  PetscCall(DMSetDimension(whole, 2));
  PetscCall(DMSetCoordinateDim(whole, 2));
  PetscCall(PetscCalloc4(2 * n * n + nv, &sizes, 6 * n * n, &cones, 6 * n * n, &orientations, 2 * nv, &x));
  for (PetscInt s = 0; !rank && s < n * n; ++s) {
    const PetscInt i = s % n, j = s / n, v = j * (n + 1) + i,
                   corner[4] =
                     {
                       v, v + 1, v + n + 2, v + n + 1
    },
                   cut[2][3] = {{0, 1, 2}, {0, 2, 3}};

    if (o->mixed && (2 * i >= n || 2 * j >= n)) {
      sizes[counts[1]++] = 4;
      for (PetscInt k = 0; k < 4; ++k) cones[size++] = corner[k];
    } else {
      for (PetscInt t = 0; t < 2; ++t) {
        sizes[counts[1]++] = 3;
        for (PetscInt k = 0; k < 3; ++k) cones[size++] = corner[cut[t][k]];
      }
    }
  }
  for (PetscInt k = 0; k < size; ++k) cones[k] += counts[1];
  if (!rank) counts[0] = nv;
  for (PetscInt v = 0; v < counts[0]; ++v) {
    x[2 * v]     = PetscPowReal(v % (n + 1) / (PetscReal)n, o->grade);
    x[2 * v + 1] = PetscPowReal(v / (n + 1) / (PetscReal)n, o->grade);
  }
  PetscCall(DMPlexCreateFromDAG(whole, 1, counts, sizes, cones, orientations, x));
  PetscCall(PetscFree4(sizes, cones, orientations, x));
  PetscCall(DMPlexInterpolate(whole, dm));
  PetscCall(DMDestroy(&whole));
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]), a = PetscAtan2Real(x[1], x[0]);

  PetscFunctionBegin;
  u[0] = PetscPowReal(r, 2. / 3.) * PetscSinReal(2. * a / 3.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Exact(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  unknowns, iterations, least, largest; /* degrees */
  PetscReal error[3], estimate;
} Result;

static PetscErrorCode Solve(DM dm, PlexHDG hdg, Result *r)
{
  PetscInt range[2] = {-PETSC_INT_MAX, 0}, cStart, cEnd, *degrees;
  Vec      trace;
  KSP      ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &r->unknowns));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &r->iterations));
  PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, NULL, r->error));
  PetscCall(PlexHDGComputeErrorIndicator(hdg, NULL, &r->estimate));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &degrees));
  PetscCall(PlexHDGGetDegrees(hdg, degrees));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) {
    range[0] = PetscMax(range[0], -degrees[c]);
    range[1] = PetscMax(range[1], degrees[c]);
  }
  PetscCall(PetscFree(degrees));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, range, 2, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  r->least   = -range[0];
  r->largest = range[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options  o;
  Result   r;
  DM       dm;
  PlexHDG  hdg;
  PetscInt step, raised;
  char     file[PETSC_MAX_PATH_LEN];

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "step  degrees  unknowns  its    error u   error u*   estimate\n"));
  for (step = 0;; ++step) {
    PetscCall(Solve(dm, hdg, &r));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%4" PetscInt_FMT "   %" PetscInt_FMT " to %" PetscInt_FMT " %9" PetscInt_FMT
                          " %4" PetscInt_FMT " %10.3e %10.3e %10.3e\n",
                          step, r.least, r.largest, r.unknowns, r.iterations, (double)r.error[0], (double)r.error[2],
                          (double)r.estimate));
    if (r.estimate < o.tolerance || step == o.steps) break;
    PetscCall(PlexHDGAdaptDegrees(hdg, o.fraction, o.most, &raised));
    if (!raised) break;
  }
  if (o.output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", o.output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, Exact, NULL));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_adapt steps=%" PetscInt_FMT " unknowns=%" PetscInt_FMT
                        " least=%" PetscInt_FMT " largest=%" PetscInt_FMT
                        " error_u=%.6e error_star=%.6e estimate=%.6e\n",
                        step, r.unknowns, r.least, r.largest, (double)r.error[0], (double)r.error[2],
                        (double)r.estimate));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
