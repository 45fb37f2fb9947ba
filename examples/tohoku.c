static char
  help[] = "The Tohoku tsunami of 2011: shallow water on the sphere by discontinuous Galerkin with "
           "quadrature, on a mesh of the north-west Pacific. examples/tohoku/ has the scripts for its data, "
           "mesh and figures.\n\n"
           "  -raster FILE           HDF5 or NetCDF 4: elevation[lat][lon] m, lon, lat in degrees\n"
           "  -raster_names E,X,Y    other names of these arrays\n"
           "  -mesh FILE             by mesh.py, in the plane of the projection; label \"Face Sets\": 1 "
           "coast, 2 open\n"
           "  -box W,E,S,N           in place of -mesh: triangles between these degrees, all sides open; "
           "-cells N: from west to east (default 32)\n"
           "  -center LON,LAT        of the projection (default 143.5,38)\n"
           "  -faults FILE           lines of longitude, latitude, depth of the center m, length m, width m, "
           "strike, dip, rake, slip m (default examples/tohoku/faults.txt)\n"
           "  -uplift FILE           in place of -faults: a raster of the ground's uplift, 0 outside; "
           "-uplift_names U,X,Y (default uplift,lon,lat)\n"
           "  -rupture KM/S          speed at which the rupture spreads from -hypocenter LON,LAT (default "
           "142.861,38.1035); 0, the default: all of the ground rises at once\n"
           "  -rise S                how long the ground rises at each place (default 0)\n"
           "  -gauges FILE           lines of longitude, latitude (default examples/tohoku/gauges.txt)\n"
           "  -least M               least depth (default 20): the coast is a wall in it\n"
           "  -time MINUTES          how long (default 150)\n"
           "  -output NAME           writes NAME.vtkhdf and NAME.csv for figures.py, and NAME-extrema.vtkhdf: "
           "greatest elevation, speed, arrival of 0.1 m; else nothing stays\n"
           "  -frames N              times that are written after the first one (default 10)\n"
           "  -plex_dg_degree N (default 2), -plex_dg_dry M (0.5), -plex_dg_shore M (300), -plex_dg_manning "
           "N (0.025), -plex_dg_backend NAME, -plex_dg_view: as of any PlexDG\n\n";

#include "program.h"
#include "box.h"
#include "frames.h"
#include <plexgpugeo.h>
#include <unistd.h>

#define COLUMNS 9  /* of the file of faults */
#define RINGS   32 /* around the hypocenter, in which a raster's uplift begins at different times */

/* A fault in a plane of its own, which touches the sphere at its center */
typedef struct {
  PlexSphere plane;
  PlexFault  fault;
} Subfault;

typedef struct {
  PlexSphere sphere;
  PlexRaster raster, uplift;
  PetscInt   nfaults, ngauges;
  Subfault  *faults;                       /* [nfaults] */
  PetscReal *gauges;                       /* [ngauges][2] on the plane */
  PetscReal  bounds[4];                    /* of the uplift: west, east, south, north */
  PetscReal  hypocenter[2], rupture, rise; /* degrees, m/s, s */
  PetscReal  box[4], least, time;
  PetscBool  boxed;
  PetscInt   cells, frames;
  char       output[PETSC_MAX_PATH_LEN];
} Ocean;

/* ---- Data */

/* The numbers of a text file whose lines have `columns` of them; what follows # is a comment */
static PetscErrorCode ReadTable(const char path[], PetscInt columns, PetscInt *rows, PetscReal **values)
{
  FILE    *file = fopen(path, "r");
  PetscInt most = 0, line = 0;
  char     text[1024];

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "File %s cannot be read", path);
  *rows   = 0;
  *values = NULL;
  for (; fgets(text, sizeof(text), file); ++line) {
    char    *at = text, *end, *comment = strchr(text, '#');
    PetscInt n = 0;

    if (comment) *comment = 0;
    if (*rows == most) PetscCall(PetscRealloc((most = 2 * most + 16) * columns * sizeof(PetscReal), values));
    for (; n < columns; ++n, at = end) {
      (*values)[*rows * columns + n] = strtod(at, &end);
      if (end == at) break;
    }
    at += strspn(at, " \t\r\n");
    PetscCheck((n == columns || !n) && !*at, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "Line %" PetscInt_FMT " of %s has not %" PetscInt_FMT " numbers", line + 1, path, columns);
    *rows += n > 0;
  }
  (void)fclose(file);
  PetscCheck(*rows, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "File %s has no numbers", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadFaults(Ocean *o, const char path[])
{
  PetscReal *table;

  PetscFunctionBegin;
  PetscCall(ReadTable(path, COLUMNS, &o->nfaults, &table));
  PetscCall(PetscCalloc1(o->nfaults, &o->faults));
  for (PetscInt f = 0; f < o->nfaults; ++f) {
    const PetscReal *row = &table[f * COLUMNS];

    o->faults[f].plane = (PlexSphere){
      o->sphere.radius, {row[0], row[1]}
    };
    o->faults[f].fault = (PlexFault){.depth   = row[2],
                                     .length  = row[3],
                                     .width   = row[4],
                                     .strike  = row[5],
                                     .dip     = row[6],
                                     .rake    = row[7],
                                     .slip    = row[8],
                                     .poisson = 0.25};
  }
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadGauges(Ocean *o, const char path[])
{
  PetscFunctionBegin;
  PetscCall(ReadTable(path, 2, &o->ngauges, &o->gauges));
  for (PetscInt g = 0; g < o->ngauges; ++g) {
    const PetscReal place[2] = {o->gauges[2 * g], o->gauges[2 * g + 1]};

    PetscCall(PlexSphereProject(&o->sphere, place, &o->gauges[2 * g]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The raster that an option names, and the names of its arrays that another one does */
static PetscErrorCode ReadRaster(const char option[], const char value[], PlexRaster *raster)
{
  char      path[PETSC_MAX_PATH_LEN], names_option[64], *names[3];
  PetscInt  n = 3;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, path, sizeof(path), &set));
  PetscCheck(set, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Option %s FILE names the raster of the sea: examples/tohoku/data.py writes one", option);
  PetscCall(PetscSNPrintf(names_option, sizeof(names_option), "%s_names", option));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, names_option, names, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "Option %s is to have three names: values,lon,lat",
             names_option);
  PetscCall(PlexRasterRead(PETSC_COMM_WORLD, path, set ? names[0] : value, set ? names[1] : "lon",
                           set ? names[2] : "lat", raster));
  for (PetscInt k = 0; k < 3 && set; ++k) PetscCall(PetscFree(names[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The mesh */

static PetscErrorCode MakeMesh(Ocean *o, DM *dm)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mesh", path, sizeof(path), &set));
  PetscCheck(set || o->boxed, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Option -mesh FILE names the mesh: examples/tohoku/mesh.py writes one; or see -box");
  if (o->boxed) PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, o->cells, dm));
  else PetscCall(DMPlexCreateGmshFromFile(PETSC_COMM_WORLD, path, PETSC_TRUE, dm));
  if (o->boxed) {
    DMLabel sides;

    PetscCall(DMCreateLabel(*dm, "Face Sets"));
    PetscCall(DMGetLabel(*dm, "Face Sets", &sides));
    PetscCall(DMPlexMarkBoundaryFaces(*dm, 2, sides));
  }
  PetscCall(ExampleDistribute(dm));
  if (o->boxed) {
    Vec          coordinates;
    PetscScalar *x;
    PetscInt     n;

    PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
    PetscCall(VecGetLocalSize(coordinates, &n));
    PetscCall(VecGetArray(coordinates, &x));
    for (PetscInt i = 0; i < n; i += 2) {
      const PetscReal place[2] = {o->box[0] + (o->box[1] - o->box[0]) * PetscRealPart(x[i]),
                                  o->box[2] + (o->box[3] - o->box[2]) * PetscRealPart(x[i + 1])};
      PetscReal       y[2];

      PetscCall(PlexSphereProject(&o->sphere, place, y));
      for (int d = 0; d < 2; ++d) x[i + d] = y[d];
    }
    PetscCall(VecRestoreArray(coordinates, &x));
    PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The model */

/* depth, Coriolis parameter, scale of the projection */
static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  const Ocean *o = (const Ocean *)ctx;
  PetscReal    height, place[2];

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(&o->sphere, x, place));
  PetscCall(PlexRasterEvaluate(o->raster, place, &height));
  k[0] = PetscMax(-height, o->least);
  k[1] = 2. * 7.2921e-5 * PetscSinReal(place[1] * PETSC_PI / 180.);
  PetscCall(PlexSphereGetScale(&o->sphere, x, &k[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The source: the sea's surface is lifted as the ground is */

/* Of the uplift a part that begins at a time: that of a subfault or in a ring around the hypocenter, or all of it */
typedef struct {
  const Ocean *o;
  PetscInt     fault;     /* -1: of the raster, or of all subfaults */
  PetscReal    at, width; /* of the ring, m; width 0: no ring */
} Part;

typedef struct {
  PetscInt   n;
  Vec       *parts; /* [n] of what is lifted in all */
  PetscReal *begin; /* [n] s */
  PetscReal *share; /* [n] that has been lifted */
  PetscReal  rise;
} Source;

/* m on the sphere */
static PetscReal Distance(const Ocean *o, const PetscReal a[2], const PetscReal b[2])
{
  const PetscReal degree = PETSC_PI / 180., dy = PetscSinReal((a[1] - b[1]) * degree / 2.),
                  dx = PetscSinReal((a[0] - b[0]) * degree / 2.),
                  h  = dy * dy + PetscCosReal(a[1] * degree) * PetscCosReal(b[1] * degree) * dx * dx;

  return 2. * o->sphere.radius * PetscAsinReal(PetscSqrtReal(PetscMin(1., h)));
}

static PetscErrorCode Lifted(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Part  *part = (const Part *)ctx;
  const Ocean *o    = part->o;
  PetscReal    place[2], value = 0.;

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(&o->sphere, x, place));
  if (o->uplift) {
    if (place[0] >= o->bounds[0] && place[0] <= o->bounds[1] && place[1] >= o->bounds[2] && place[1] <= o->bounds[3])
      PetscCall(PlexRasterEvaluate(o->uplift, place, &value));
    /* all rings together have all of it */
    if (part->width > 0.)
      value *= PetscMax(0., 1. - PetscAbsReal(Distance(o, place, o->hypocenter) - part->at) / part->width);
  }
  for (PetscInt f = 0; f < o->nfaults; ++f) {
    PetscReal local[2], ground[3];

    if (o->faults[f].fault.slip == 0. || (part->fault >= 0 && f != part->fault)) continue;
    PetscCall(PlexSphereProject(&o->faults[f].plane, place, local));
    PetscCall(PlexFaultDisplacement(&o->faults[f].fault, local, ground));
    value += ground[2];
  }
  u[0] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddPart(PlexDG dg, Source *s, Part part, PetscReal begin)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &s->parts[s->n]));
  PetscCall(PlexDGProject(dg, 0., Lifted, &part, s->parts[s->n]));
  s->begin[s->n]   = begin;
  s->share[s->n++] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SourceCreate(const Ocean *o, PlexDG dg, Source *s)
{
  const PetscInt most = PetscMax(RINGS + 1, o->nfaults);
  PetscReal      far  = 0.;

  PetscFunctionBegin;
  *s = (Source){.rise = o->rise};
  PetscCall(PetscCalloc3(most, &s->parts, most, &s->begin, most, &s->share));
  if (o->rupture == 0.) {
    PetscCall(AddPart(dg, s, (Part){o, -1, 0., 0.}, 0.));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt f = 0; f < o->nfaults; ++f)
    if (o->faults[f].fault.slip != 0.)
      PetscCall(AddPart(dg, s, (Part){o, f, 0., 0.},
                        Distance(o, o->faults[f].plane.center, o->hypocenter) / o->rupture));
  if (!o->uplift) PetscFunctionReturn(PETSC_SUCCESS);
  for (int corner = 0; corner < 4; ++corner)
    far = PetscMax(far, Distance(o, (PetscReal[2]){o->bounds[corner % 2], o->bounds[2 + corner / 2]}, o->hypocenter));
  for (PetscInt ring = 0; ring <= RINGS; ++ring)
    PetscCall(AddPart(dg, s, (Part){o, -1, ring * far / RINGS, far / RINGS}, ring * far / RINGS / o->rupture));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds what has been lifted until a time and is not in U yet */
static PetscErrorCode SourceLift(Source *s, PetscReal t, Vec U, PetscBool *any)
{
  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (PetscInt k = 0; k < s->n; ++k) {
    const PetscReal since = t - s->begin[k], share = since < 0. ? 0. : since >= s->rise ? 1. : since / s->rise;

    if (share <= s->share[k]) continue;
    PetscCall(VecAXPY(U, share - s->share[k], s->parts[k]));
    s->share[k] = share;
    *any        = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before each step: until its middle */
static PetscErrorCode SourceStep(TS ts)
{
  Source   *s;
  PetscReal t, dt;
  PetscBool any;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &s));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(SourceLift(s, t + dt / 2., U, &any));
  if (any) PetscCall(TSRestartStep(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SourceDestroy(Source *s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->n; ++k) PetscCall(VecDestroy(&s->parts[k]));
  PetscCall(PetscFree3(s->parts, s->begin, s->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of examples/tohoku unless an option names another one */
static PetscErrorCode GetFile(const char option[], const char name[], char path[], size_t len)
{
  PetscBool set, found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, path, len, &set));
  if (set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ExampleFindFile(name, path, len, &found));
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "There is no file examples/%s here: name one by %s", name,
             option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(Ocean *o)
{
  PetscInt  n = 2, nbox = 4, nhypocenter = 2;
  PetscBool set, begins;
  char      path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *o = (Ocean){
    .least = 20., .time = 150., .cells = 32, .frames = 10, .hypocenter = {142.861, 38.1035}
  };
  o->sphere = (PlexSphere){
    6.37122e6, {143.5, 38.}
  };
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Tohoku 2011", NULL);
  PetscCall(PetscOptionsRealArray("-center", "Of the projection, degrees", NULL, o->sphere.center, &n, NULL));
  PetscCall(PetscOptionsRealArray("-box", "West, east, south, north, degrees", NULL, o->box, &nbox, &o->boxed));
  PetscCheck(!o->boxed || nbox == 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "Option -box has four numbers: W,E,S,N");
  PetscCall(PetscOptionsBoundedInt("-cells", "Of the box, from west to east", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsReal("-least", "Least depth, m", NULL, o->least, &o->least, NULL));
  PetscCall(PetscOptionsReal("-rupture", "Speed of the rupture, km/s", NULL, o->rupture, &o->rupture, NULL));
  PetscCall(PetscOptionsReal("-rise", "How long the ground rises, s", NULL, o->rise, &o->rise, NULL));
  PetscCall(PetscOptionsRealArray("-hypocenter", "Where the rupture begins, degrees", NULL, o->hypocenter, &nhypocenter,
                                  &begins));
  PetscCall(PetscOptionsReal("-time", "How long, minutes", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsString("-output", "Name of files", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscCall(PetscOptionsBoundedInt("-frames", "Times that are written", NULL, o->frames, &o->frames, NULL, 1));
  PetscOptionsEnd();
  PetscCheck(o->least > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "Option -least %g: it has to be positive",
             (double)o->least);
  PetscCheck(o->rupture >= 0. && o->rise >= 0. && (!begins || nhypocenter == 2), PETSC_COMM_WORLD,
             PETSC_ERR_ARG_OUTOFRANGE,
             "Options -rupture %g and -rise %g must not be negative, and -hypocenter has two numbers: LON,LAT",
             (double)o->rupture, (double)o->rise);
  o->rupture *= 1e3;
  PetscCall(ReadRaster("-raster", "elevation", &o->raster));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-uplift", &set));
  if (set) {
    PetscCall(ReadRaster("-uplift", "uplift", &o->uplift));
    for (PetscInt d = 0; d < 2; ++d)
      PetscCall(PlexRasterGetRange(o->uplift, d, &o->bounds[2 * d], &o->bounds[2 * d + 1]));
  } else {
    PetscCall(GetFile("-faults", "tohoku/faults.txt", path, sizeof(path)));
    PetscCall(ReadFaults(o, path));
  }
  PetscCall(GetFile("-gauges", "tohoku/gauges.txt", path, sizeof(path)));
  PetscCall(ReadGauges(o, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeOperator(Ocean *o, DM dm, PlexDG *dg)
{
  const PetscReal dry = 0.5, shore = 300., manning = 0.025;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "tsunami"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, 2));
  PetscCall(PlexDGSetCoefficients(*dg, Coefficients, o));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
  PetscCall(PlexDGSetConstant(*dg, "shore", 1, &shore));
  PetscCall(PlexDGSetConstant(*dg, "manning", 1, &manning));
  if (!o->boxed) PetscCall(PlexDGAddBoundary(*dg, "Face Sets", 1, "wall"));
  PetscCall(PlexDGAddBoundary(*dg, "Face Sets", 2, "open"));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The highest elevation at each gauge so far, and when: seen by probes after every step */

typedef struct {
  PlexDGProbes probes;
  PetscInt     n;
  PetscReal   *values, *highest, *when; /* [n][3], [n], [n] */
} Crests;

static PetscErrorCode CrestsSee(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Crests *c = (Crests *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(c->probes, U, c->values));
  for (PetscInt g = 0; g < c->n; ++g)
    if (!step || c->values[3 * g] > c->highest[g]) {
      c->highest[g] = c->values[3 * g];
      c->when[g]    = t;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeTS(const Ocean *o, PlexDG dg, Vec U, Source *source, Crests *crests, TS *ts)
{
  PetscInt  steps;
  PetscBool set;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(FramesCreateTS(dg, U, 60. * o->time, 1., o->frames, o->output, &steps, ts));
  if (o->output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.csv", o->output));
    PetscCall(PlexDGMonitorProbes(dg, *ts, o->ngauges, o->gauges, file, 1));
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s-extrema.vtkhdf", o->output));
    /* the ground rises by centimeters far from the fault, which is no wave */
    PetscCall(PetscOptionsHasName(NULL, NULL, "-plex_dg_extrema_threshold", &set));
    PetscCall(PlexDGMonitorExtrema(dg, *ts, set ? (PetscReal)PETSC_DETERMINE : 0.1, file, 0));
  }
  crests->n = o->ngauges;
  PetscCall(PetscMalloc3(3 * crests->n, &crests->values, crests->n, &crests->highest, crests->n, &crests->when));
  PetscCall(PlexDGProbesCreate(dg, o->ngauges, o->gauges, NULL, &crests->probes));
  PetscCall(TSMonitorSet(*ts, CrestsSee, crests, NULL));
  PetscCall(TSSetApplicationContext(*ts, source));
  PetscCall(TSSetPreStep(*ts, SourceStep));
  PetscCall(TSSetFromOptions(*ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Ocean *o, Vec U, TS ts, const Crests *crests, const PetscReal energy[2],
                             PetscReal gained, PetscLogDouble seconds)
{
  PetscInt steps, size;

  PetscFunctionBegin;
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps in %.3g s; %.4g km^3 of water came in; energy %.4g, then %.4g PJ\n",
                        size, steps, seconds, (double)(gained / 1e9), (double)(energy[0] * 1e-12),
                        (double)(energy[1] * 1e-12)));
  for (PetscInt g = 0; g < o->ngauges; ++g) {
    PetscReal place[2];

    PetscCall(PlexSphereGetPosition(&o->sphere, &o->gauges[2 * g], place));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "gauge at %.3f E, %.3f N: highest %.3f m, after %.1f min\n",
                          (double)place[0], (double)place[1], (double)crests->highest[g],
                          (double)(crests->when[g] / 60.)));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "result: example=tohoku values=%" PetscInt_FMT " steps=%" PetscInt_FMT, size,
                        steps));
  for (PetscInt g = 0; g < o->ngauges; ++g)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " highest%" PetscInt_FMT "=%.9f minute%" PetscInt_FMT "=%.3f", g,
                          (double)crests->highest[g], g, (double)(crests->when[g] / 60.)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " energy=%.9f\n", (double)(energy[1] / energy[0])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Ocean          o;
  Crests         crests = {0};
  Source         source;
  PetscBool      any;
  DM             dm;
  PlexDG         dg;
  Vec            U;
  TS             ts;
  PetscReal      volume[2][3], energy[2];
  PetscLogDouble begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(MakeOperator(&o, dm, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(SourceCreate(&o, dg, &source));
  for (PetscInt k = 0; k < source.n; ++k) PetscCall(VecAXPY(U, 1., source.parts[k])); /* all of it, for the report */
  PetscCall(PlexDGComputeIntegrals(dg, U, volume[0]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(VecSet(U, 0.));
  PetscCall(SourceLift(&source, 0., U, &any));
  PetscCall(MakeTS(&o, dg, U, &source, &crests, &ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(PlexDGComputeIntegrals(dg, U, volume[1]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCall(Report(&o, U, ts, &crests, energy, volume[1][0] - volume[0][0], end - begin));
  PetscCall(SourceDestroy(&source));
  PetscCall(PlexDGProbesDestroy(&crests.probes));
  PetscCall(PetscFree3(crests.values, crests.highest, crests.when));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexRasterDestroy(&o.raster));
  PetscCall(PlexRasterDestroy(&o.uplift));
  PetscCall(PetscFree(o.faults));
  PetscCall(PetscFree(o.gauges));
  PetscCall(PetscFinalize());
  return 0;
}
