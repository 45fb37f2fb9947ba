static char help
  [] = "A tsunami in a synthetic ocean: bathymetry from a raster, a fault that slips, a coast, the "
       "sphere; shallow water by discontinuous Galerkin with quadrature.\n\n"
       "  -cells N               cells from north to south (default 16), and 4/3 of that from west to "
       "east\n"
       "  -triangles             two triangles in place of each quadrilateral\n"
       "  -bathymetry FILE       an HDF5 or NetCDF 4 file with the arrays elevation[y][x], x, y in m; "
       "else a synthetic ocean is written and read, NAME-ocean.h5 of -output\n"
       "  -manning_raster FILE   a file with the arrays manning[y][x], x, y in m: Manning's n, friction that varies\n"
       "  -island                the synthetic ocean has an island, which needs -plex_dg_dry\n"
       "  -offshore KM           how far from the shore line of the synthetic ocean the mesh begins "
       "(default 20; with -plex_dg_dry -30, on land)\n"
       "  -extent KM             where it ends in the east (default 600)\n"
       "  -sides W,E,S,N         coast, open or none of each side (default coast,open,open,open); tide: open, with a "
       "tide\n"
       "  -tide TEXT             it: name or period in s, amplitude in m, phase in degrees of each constituent "
       "(default "
       "M2,1,0)\n"
       "  -slip M                of the fault (default 15); -center LON,LAT of the projection (default "
       "143.5,38); -plane: neither sphere nor Coriolis force\n"
       "  -time MINUTES          how long (default 60)\n"
       "  -output NAME           writes NAME.vtkhdf for ParaView and examples/water.py, NAME.csv of the gauges, and "
       "NAME-extrema.vtkhdf: greatest elevation, speed, arrival; else nothing stays\n"
       "  -frames N              times that are written after the first one (default 4)\n"
       "  -plex_dg_dry M         depth that counts as dry: the sea runs up the land; -plex_dg_linear 1: "
       "the linear equations; -plex_dg_manning N: friction\n"
       "  -plex_dg_degree N, -plex_dg_gemm NAME, -plex_dg_backend NAME, -plex_dg_checkpoint FILE, "
       "-plex_dg_restart FILE, -plex_dg_view: as of any PlexDG\n\n";

#include "program.h"
#include "box.h"
#include "frames.h"
#include <plexgpugeo.h>
#include <petscdmda.h>
#include "viewerhdf5.h"
#include <unistd.h>

#define KM     1e3
#define GAUGES 3

typedef struct {
  PetscInt  cells, frames;
  PetscBool triangles, island, plane;
  PetscReal offshore, extent, slip, time, dry;
  char bathymetry[PETSC_MAX_PATH_LEN], manning[PETSC_MAX_PATH_LEN], tide[1024], output[PETSC_MAX_PATH_LEN], *sides[4];
  PlexSphere sphere;
  PlexFault  fault;
  PlexRaster raster, roughness; /* NULL: Manning's n is the same everywhere */
} Ocean;

/* on the shelf, near the fault, in the deep sea */
static const PetscReal gauges[GAUGES * 2] = {-340. * KM, 0., 0., 0., 400. * KM, -100. * KM};

/* ---- The synthetic ocean */

static PetscReal ShoreLine(PetscReal y)
{
  return -420. * KM + 35. * KM * PetscSinReal(y / (110. * KM)) + 20. * KM * PetscSinReal(y / (47. * KM) + 1.);
}

/* Height of the ground: a plain, a shelf, a slope, a trench, the deep sea with a seamount, or an island */
static PetscReal Height(const Ocean *o, PetscReal x, PetscReal y)
{
  const PetscReal off = x - ShoreLine(y), peak = o->island ? 4600. : 3000.,
                  r2 = PetscSqr(x - 180. * KM) + PetscSqr(y + 150. * KM);
  PetscReal       depth;

  if (off < 60. * KM) depth = off / (60. * KM) * 200.;
  else if (off < 170. * KM) depth = 200. + 1900. * (1. - PetscCosReal(PETSC_PI * (off - 60. * KM) / (110. * KM)));
  else depth = 4000.;
  depth += 2500. * PetscExpReal(-PetscSqr((off - 240. * KM) / (40. * KM)));
  return peak * PetscExpReal(-r2 / (2. * PetscSqr(45. * KM))) - depth;
}

/* By the first process: elevation[y][x] and its axes */
static PetscErrorCode WriteOcean(const Ocean *o, const char path[])
{
  const char *const names[2] = {"x", "y"};
  const PetscInt    n[2]     = {281, 221};
  const PetscReal   lower[2] = {-700. * KM, -550. * KM}, step = 5. * KM;
  PetscViewer       viewer;
  PetscMPIInt       rank;
  PetscScalar     **h, *a;
  DM                da;
  Vec               heights;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(PetscViewerHDF5Open(PETSC_COMM_SELF, path, FILE_MODE_WRITE, &viewer));
    PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n[0], n[1], 1, 1, 1,
                           1, NULL, NULL, &da));
    PetscCall(DMSetUp(da));
    PetscCall(DMCreateGlobalVector(da, &heights));
    PetscCall(PetscObjectSetName((PetscObject)heights, "elevation"));
    PetscCall(DMDAVecGetArray(da, heights, &h));
    for (PetscInt j = 0; j < n[1]; ++j)
      for (PetscInt i = 0; i < n[0]; ++i) h[j][i] = Height(o, lower[0] + i * step, lower[1] + j * step);
    PetscCall(DMDAVecRestoreArray(da, heights, &h));
    PetscCall(VecView(heights, viewer));
    PetscCall(VecDestroy(&heights));
    PetscCall(DMDestroy(&da));
    for (PetscInt d = 0; d < 2; ++d) {
      Vec axis;

      PetscCall(VecCreateSeq(PETSC_COMM_SELF, n[d], &axis));
      PetscCall(PetscObjectSetName((PetscObject)axis, names[d]));
      PetscCall(VecGetArrayWrite(axis, &a));
      for (PetscInt i = 0; i < n[d]; ++i) a[i] = lower[d] + i * step;
      PetscCall(VecRestoreArrayWrite(axis, &a));
      PetscCall(VecView(axis, viewer));
      PetscCall(VecDestroy(&axis));
    }
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The mesh: a square whose west side follows the coast; label "sides": 1 west, 2 east, 3 south, 4 north */

static PetscErrorCode LabelSides(DM dm)
{
  DMLabel         boundary, sides;
  IS              facets;
  const PetscInt *points;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "outside"));
  PetscCall(DMGetLabel(dm, "outside", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, boundary));
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &sides));
  PetscCall(DMLabelGetStratumIS(boundary, 1, &facets));
  if (!facets) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(facets, &n));
  PetscCall(ISGetIndices(facets, &points));
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal x[2];

    PetscCall(DMPlexComputeCellGeometryFVM(dm, points[i], NULL, x, NULL));
    PetscCall(DMLabelSetValue(sides, points[i], x[0] < 1e-9 ? 1 : x[0] > 1. - 1e-9 ? 2 : x[1] < 0.5 ? 3 : 4));
  }
  PetscCall(ISRestoreIndices(facets, &points));
  PetscCall(ISDestroy(&facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Ocean *o, DM *dm)
{
  const PetscInt faces[2] = {o->triangles ? o->cells : (4 * o->cells + 2) / 3, o->cells};
  Vec            coordinates;
  PetscScalar   *x;
  PetscInt       n;

  PetscFunctionBegin;
  if (o->triangles) PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, o->cells, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
  PetscCall(LabelSides(*dm));
  PetscCall(ExampleDistribute(dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2) {
    const PetscReal y = 450. * KM * (2. * PetscRealPart(x[i + 1]) - 1.), west = ShoreLine(y) + o->offshore * KM,
                    s = PetscRealPart(x[i]);

    x[i]     = west + (o->extent * KM - west) * s * (0.6 + 0.4 * s); /* smaller cells at the coast */
    x[i + 1] = y;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The model */

/* depth, Coriolis parameter, scale of the projection, and Manning's n where it varies */
static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  const Ocean *o = (const Ocean *)ctx;
  PetscReal    height, place[2];

  PetscFunctionBegin;
  PetscCall(PlexRasterEvaluate(o->raster, x, &height));
  k[0] = -height;
  PetscCheck(k[0] > 0. || o->dry > 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The sea is %g m deep at (%g, %g) km, in cell %" PetscInt_FMT
             ": there is land in the mesh. Let it fall dry with -plex_dg_dry 0.1, or begin the mesh further -offshore",
             (double)k[0], (double)(x[0] / KM), (double)(x[1] / KM), cell);
  if (o->roughness) PetscCall(PlexRasterEvaluate(o->roughness, x, &k[3]));
  if (o->plane) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSphereGetPosition(&o->sphere, x, place));
  k[1] = 2. * 7.2921e-5 * PetscSinReal(place[1] * PETSC_PI / 180.);
  PetscCall(PlexSphereGetScale(&o->sphere, x, &k[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sea's surface is lifted as the ground is; land keeps dry */
static PetscErrorCode Lifted(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Ocean *o = (const Ocean *)ctx;
  PetscReal    ground[3], height;

  PetscFunctionBegin;
  PetscCall(PlexRasterEvaluate(o->raster, x, &height));
  PetscCall(PlexFaultDisplacement(&o->fault, x, ground));
  u[0] = height < 0. ? ground[2] : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The raster of -bathymetry, or a synthetic one: beside the other files of -output, else for as long as it is read */
static PetscErrorCode ReadOcean(Ocean *o)
{
  const PetscBool synthetic = (PetscBool)!o->bathymetry[0], passing = (PetscBool)(synthetic && !o->output[0]);
  PetscMPIInt     rank;
  char            folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (passing) { /* the first process writes and reads it */
    PetscCall(PetscGetTmp(PETSC_COMM_SELF, folder, sizeof(folder)));
    PetscCall(PetscSNPrintf(o->bathymetry, sizeof(o->bathymetry), "%s/tsunami-ocean-%d.h5", folder, (int)getpid()));
  } else if (synthetic) PetscCall(PetscSNPrintf(o->bathymetry, sizeof(o->bathymetry), "%s-ocean.h5", o->output));
  if (synthetic) PetscCall(WriteOcean(o, o->bathymetry));
  PetscCall(PlexRasterRead(PETSC_COMM_WORLD, o->bathymetry, "elevation", "x", "y", &o->raster));
  if (passing && !rank) (void)remove(o->bathymetry);
  if (o->manning[0]) PetscCall(PlexRasterRead(PETSC_COMM_WORLD, o->manning, "manning", "x", "y", &o->roughness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(Ocean *o)
{
  PetscInt  n = 2, nsides = 4;
  PetscBool set;

  PetscFunctionBegin;
  o->cells  = 16;
  o->frames = 4;
  o->extent = 600.;
  o->time   = 60.;
  o->sphere = (PlexSphere){
    6.37122e6, {143.5, 38.}
  };
  o->fault = (PlexFault){
    .center  = {-150. * KM, 20. * KM},
    .depth   = 22. * KM,
    .length  = 260. * KM,
    .width   = 110. * KM,
    .strike  = 185.,
    .dip     = 14.,
    .rake    = 90.,
    .slip    = 15.,
    .poisson = 0.25
  };
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-plex_dg_dry", &o->dry, NULL));
  o->offshore = o->dry > 0. ? -30. : 20.;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Tsunami", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells from north to south", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBool("-triangles", "Triangles", NULL, o->triangles, &o->triangles, NULL));
  PetscCall(PetscOptionsString("-bathymetry", "File of the raster", NULL, o->bathymetry, o->bathymetry,
                               sizeof(o->bathymetry), NULL));
  PetscCall(PetscOptionsString("-manning_raster", "File of Manning's n", NULL, o->manning, o->manning,
                               sizeof(o->manning), NULL));
  PetscCall(PetscOptionsBool("-island", "An island", NULL, o->island, &o->island, NULL));
  PetscCall(PetscOptionsReal("-offshore", "Where the mesh begins, km", NULL, o->offshore, &o->offshore, NULL));
  PetscCall(PetscOptionsReal("-extent", "Where the mesh ends, km", NULL, o->extent, &o->extent, NULL));
  PetscCall(PetscStrncpy(o->tide, "M2,1,0", sizeof(o->tide)));
  PetscCall(PetscOptionsString("-tide", "Constituents", NULL, o->tide, o->tide, sizeof(o->tide), NULL));
  PetscCall(PetscOptionsStringArray("-sides", "coast, open, tide or none", NULL, o->sides, &nsides, &set));
  PetscCheck(!set || nsides == 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "Option -sides has %" PetscInt_FMT " names, and the mesh 4 sides: west,east,south,north", nsides);
  for (PetscInt s = 0; s < 4 && !set; ++s) PetscCall(PetscStrallocpy(s ? "open" : "coast", &o->sides[s]));
  PetscCall(PetscOptionsReal("-slip", "Of the fault, m", NULL, o->fault.slip, &o->fault.slip, NULL));
  PetscCall(PetscOptionsRealArray("-center", "Of the projection, degrees", NULL, o->sphere.center, &n, NULL));
  PetscCall(PetscOptionsBool("-plane", "No sphere", NULL, o->plane, &o->plane, NULL));
  PetscCall(PetscOptionsReal("-time", "How long, minutes", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsString("-output", "Name of files", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscCall(PetscOptionsBoundedInt("-frames", "Times that are written", NULL, o->frames, &o->frames, NULL, 1));
  PetscOptionsEnd();
  PetscCall(ReadOcean(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeOperator(const Ocean *o, DM dm, PlexDG *dg)
{
  const PetscReal shore = 300.;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, o->roughness ? "tsunami_manning" : "tsunami"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetCoefficients(*dg, Coefficients, (void *)o));
  PetscCall(PlexDGSetConstant(*dg, "shore", 1, &shore));
  for (PetscInt s = 0; s < 4; ++s) {
    PetscBool none, coast, open, tide;

    PetscCall(PetscStrcmp(o->sides[s], "none", &none));
    PetscCall(PetscStrcmp(o->sides[s], "coast", &coast));
    PetscCall(PetscStrcmp(o->sides[s], "open", &open));
    PetscCall(PetscStrcmp(o->sides[s], "tide", &tide));
    PetscCheck(none || coast || open || tide, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "Unknown side %s of -sides: coast, open, tide or none", o->sides[s]);
    if (tide) PetscCall(PlexDGSetBoundaryTide(*dg, "sides", s + 1, o->tide));
    if (!none) PetscCall(PlexDGAddBoundary(*dg, "sides", s + 1, coast ? "wall" : open ? "open" : "elevation"));
  }
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With gauges, and from a checkpoint where one is named. Waves that run up are faster than those at the beginning */
static PetscErrorCode MakeTS(const Ocean *o, PlexDG dg, Vec U, TS *ts)
{
  PetscInt steps;
  char     file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(FramesCreateTS(dg, U, 60. * o->time, o->dry > 0. ? 0.7 : 1., o->frames, o->output, &steps, ts));
  if (o->output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.csv", o->output));
    PetscCall(PlexDGMonitorProbes(dg, *ts, GAUGES, gauges, file, 1));
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s-extrema.vtkhdf", o->output));
    PetscCall(PlexDGMonitorExtrema(dg, *ts, PETSC_DETERMINE, file, 0));
  }
  PetscCall(TSSetFromOptions(*ts));
  PetscCall(PlexDGRestartFromOptions(dg, *ts, U, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Ocean          o = {0};
  DM             dm;
  PlexDG         dg;
  Vec            U;
  TS             ts;
  PetscReal      volume[2][3], energy[2], values[GAUGES * 3];
  PetscInt       steps, size;
  PlexDGProbes   probes;
  PetscLogDouble begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(MakeOperator(&o, dm, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Lifted, &o, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, volume[0]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(MakeTS(&o, dg, U, &ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(PlexDGComputeIntegrals(dg, U, volume[1]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCall(PlexDGProbesCreate(dg, GAUGES, gauges, NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, values));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps in %.3g s; %.6g km^3 of water came in; energy %.4g, then %.4g PJ\n",
                        size, steps, end - begin, (double)((volume[1][0] - volume[0][0]) / 1e9),
                        (double)(energy[0] * 1e-12), (double)(energy[1] * 1e-12)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=tsunami values=%" PetscInt_FMT " steps=%" PetscInt_FMT
                        " shelf=%.9f fault=%.9f deep=%.9f gained=%.3e energy=%.9f\n",
                        size, steps, (double)values[0], (double)values[3], (double)values[6],
                        (double)((volume[1][0] - volume[0][0]) / 1e9), (double)(energy[1] / energy[0])));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexRasterDestroy(&o.raster));
  PetscCall(PlexRasterDestroy(&o.roughness));
  for (PetscInt s = 0; s < 4; ++s) PetscCall(PetscFree(o.sides[s]));
  PetscCall(PetscFinalize());
  return 0;
}
