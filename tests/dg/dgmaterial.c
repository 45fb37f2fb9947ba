static char
  help[] = "Materials of nodal DG by labels of the mesh: options against a function of coefficients, what of them "
           "is an error, and the rate at an interface.\n\n";

#define PLEX_DG_POINTWISE "tests/dg/layers.h" /* from the top folder, where tests run */
#define PLEX_DG_ONLY      2
#include <plexgpu/dg_system.h>
#include "dgproblem.h"
#include "mixedmesh.h"
#include "report.h"
#include <unistd.h>

/* ---- A mesh with tags */

/* Of n cells: "Cell Sets" 1 in the first third, 2 in the second, none in the last; "glass block" 7 in every second cell
   of the last third; "part" 2 in the first half and 3 in the second. "nobody" is of a vertex */
static PetscErrorCode TaggedMesh(MPI_Comm comm, PetscInt dim, DM *dm)
{
  PetscInt    cStart, cEnd;
  DMLabel     sets, glass, part, nobody;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(comm, dim == 3 ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_TRIANGLE, 1, dm));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  PetscCall(PlexTestGetLabel(*dm, "Cell Sets", &sets));
  PetscCall(PlexTestGetLabel(*dm, "glass block", &glass));
  PetscCall(PlexTestGetLabel(*dm, "part", &part));
  PetscCall(PlexTestGetLabel(*dm, "nobody", &nobody));
  if (cEnd > cStart) PetscCall(DMLabelSetValue(nobody, cEnd, 1));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    const PetscInt third = 3 * (c - cStart) / (cEnd - cStart);

    if (third < 2) PetscCall(DMLabelSetValue(sets, c, third + 1));
    else if (c % 2) PetscCall(DMLabelSetValue(glass, c, 7));
    PetscCall(DMLabelSetValue(part, c, 2 * (c - cStart) < cEnd - cStart ? 2 : 3));
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options give what a function gives */

typedef struct {
  const char *name, *system, *options;
  PetscBool   function, program; /* that there are coefficients of a function, materials of a program */
  const char *shown;             /* line of the view, that ends with the number of cells */
  PetscInt    tag;               /* which are those with this value of Cell Sets, or 7 of "glass block" */
} Case;

static const Case cases[] = {
  {"by values, the last are left out",                            "maxwell",   "-plex_dg_mu 1.5 -plex_dg_material_1 4,2,0.1 -plex_dg_material_2 3",
   PETSC_FALSE,                                                                                                                                                  PETSC_FALSE, "material 1: epsilon 4., mu 2., sigma 0.1, ", 1 },
  {"by a name with a blank, values by name, and all other cells", "maxwell",
   "-plex_dg_material_glass_block sigma=0.2,epsilon=2.5 -plex_dg_material 1.25,1,0.01",                                                             PETSC_FALSE, PETSC_FALSE,
   "material glass_block: epsilon 2.5, mu 1., sigma 0.2, ",                                                                                                                                                                 7 },
  {"by label and value",                                          "maxwell",   "-plex_dg_material_part:2 5 -plex_dg_material_PART:3 6,1.1",         PETSC_FALSE,
   PETSC_FALSE,                                                                                                                                                               NULL,                                         0 },
  {"after a function",                                            "maxwell",   "-plex_dg_material_2 4,1.5",                                         PETSC_TRUE,  PETSC_FALSE, NULL,                                         0 },
  {"before those of a program",                                   "maxwell",   "-plex_dg_material_1 4,1.5 -plex_dg_material_part:3 3",              PETSC_FALSE,
   PETSC_TRUE,                                                                                                                                                                "material 2: epsilon 2., mu 1., sigma 0., ",  -1},
  {"two in a cell that are the same",                             "maxwell",   "-plex_dg_material_part:2 5,1 -plex_dg_material_1 mu=1,epsilon=5",
   PETSC_FALSE,                                                                                                                                                  PETSC_FALSE, NULL,                                         0 },
  {"of sound",                                                    "acoustics", "-plex_dg_material_1 kappa=3 -plex_dg_material_glass_block 2,5",     PETSC_FALSE, PETSC_FALSE,
   "material 1: rho 1., kappa 3., ",                                                                                                                                                                                        1 },
  {"of solids and a fluid",                                       "elastic",   "-plex_dg_material_1 cs=0 -plex_dg_material_glass_block 2,1.5,0.5",  PETSC_FALSE,
   PETSC_FALSE,                                                                                                                                                               "material 1: rho 1., cp 1., cs 0., ",         1 },
};

typedef struct {
  DM  dm;
  int at; /* of cases[] */
} Expected;

static void Set(PetscReal k[], PetscReal a, PetscReal b, PetscReal c)
{
  k[0] = a;
  k[1] = b;
  k[2] = c;
}

/* What the case says, by the labels and numbers in plain words. k[] is what holds without materials */
static PetscErrorCode ByFunction(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const Expected *e = (const Expected *)ctx;
  PetscInt        sets, glass, part;

  PetscFunctionBegin;
  PetscCall(DMGetLabelValue(e->dm, "Cell Sets", cell, &sets));
  PetscCall(DMGetLabelValue(e->dm, "glass block", cell, &glass));
  PetscCall(DMGetLabelValue(e->dm, "part", cell, &part));
  switch (e->at) {
  case 0:
    Set(k, 1., 1.5, 0.);
    if (sets == 1) Set(k, 4., 2., 0.1);
    if (sets == 2) k[0] = 3.;
    break;
  case 1:
    if (glass == 7) Set(k, 2.5, 1., 0.2);
    else Set(k, 1.25, 1., 0.01);
    break;
  case 2:
    if (part == 2) k[0] = 5.;
    else Set(k, 6., 1.1, 0.);
    break;
  case 3:
    PetscCall(PlexTestUneven(dim, x, cell, n, k, NULL));
    if (sets == 2) Set(k, 4., 1.5, 0.);
    break;
  case 4:
    if (glass == 7) k[0] = 7.;
    if (sets == 2) k[0] = 2.;
    if (part == 3) Set(k, 3., 1., 0.);
    if (sets == 1) Set(k, 4., 1.5, 0.);
    break;
  case 5:
    if (part == 2) k[0] = 5.;
    break;
  case 7:
    if (sets == 1) k[2] = 0.;
    if (glass == 7) Set(k, 2., 1.5, 0.5);
    break;
  default:
    if (sets == 1) k[1] = 3.;
    if (glass == 7) {
      k[0] = 2.;
      k[1] = 5.;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *backend, *type;
} Way;

/* Rates and a short run: U[0], U[1]. how: 0 neither options nor function, 1 the function above, 2 the options */
static PetscErrorCode RunCase(DM dm, int at, int how, const Way *way, Vec U[2], PlexDG *newdg)
{
  const Case     *c      = &cases[at];
  const PetscReal two[2] = {2., 1.}, eight[3] = {8., 8., 8.}, seven = 7.;
  Expected        e = {dm, at};
  PlexDG          dg;
  Vec             R;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, c->system));
  PetscCall(PlexDGSetDegree(dg, 2));
  PetscCall(PlexDGSetBackend(dg, way->backend));
  PetscCall(PlexDGSetType(dg, way->type));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  if (how == 1) PetscCall(PlexDGSetCoefficients(dg, ByFunction, &e));
  if (how == 2 && c->function) PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  if (how == 2 && c->program) {
    PetscCall(PlexDGAddMaterial(dg, "Cell Sets", 1, 3, eight));
    PetscCall(PlexDGAddMaterial(dg, "Cell Sets", 2, 1, eight));
    PetscCall(PlexDGAddMaterial(dg, "Cell Sets", 2, 2, two));
    PetscCall(PlexDGAddMaterial(dg, "glass block", PETSC_DETERMINE, 1, &seven));
  }
  if (how == 2) PetscCall(PetscOptionsInsertString(NULL, c->options));
  PetscCall(PlexDGSetFromOptions(dg));
  if (how == 2) PetscCall(PlexTestClearOptions(c->options));
  for (int k = 0; k < 2; ++k) PetscCall(PlexDGCreateVec(dg, &U[k]));
  PetscCall(VecDuplicate(U[0], &R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, R));
  PetscCall(PlexDGComputeRHS(dg, 0., R, U[0]));
  PetscCall(PlexTestRun(dg, 0.05, PlexTestRough, NULL, U[1]));
  PetscCall(VecDestroy(&R));
  if (newdg) *newdg = dg;
  else PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view shows the line of the case with the number of cells that take it, of all processes */
static PetscErrorCode TestView(PlexDG dg, const Case *c, const char of[])
{
  char        text[8192], line[256], *found;
  PetscInt    count = 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscInt sets, glass, part;

    PetscCall(DMGetLabelValue(dg->dm, "Cell Sets", dg->mesh->cells[e], &sets));
    PetscCall(DMGetLabelValue(dg->dm, "glass block", dg->mesh->cells[e], &glass));
    PetscCall(DMGetLabelValue(dg->dm, "part", dg->mesh->cells[e], &part));
    count += c->tag < 0 ? sets == 2 && part != 3 : c->tag == 7 ? glass == 7 : sets == c->tag;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s%" PetscInt_FMT " cells\n", c->shown, count));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscStrstr(text, line, &found));
  PetscCall(PlexTestReportOf((PetscBool)(rank || found), of, "the view", "'%s' is not in:\n%s", line, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCases(PetscInt dim, const Way *way)
{
  const char *of[] = {"rates", "a run"};
  DM          dm;

  PetscFunctionBegin;
  PetscCall(TaggedMesh(PETSC_COMM_WORLD, dim, &dm));
  for (int at = 0; at < (int)PETSC_STATIC_ARRAY_LENGTH(cases); ++at) {
    PlexDG dg;
    Vec    U[3][2];
    char   name[256];

    for (int how = 0; how < 3; ++how) PetscCall(RunCase(dm, at, how, way, U[how], how == 2 ? &dg : NULL));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, %" PetscInt_FMT "D, %s", way->backend, way->type, dim,
                            cases[at].name));
    for (int k = 0; k < 2; ++k) {
      PetscBool same;
      PetscReal norm, size;

      PetscCall(VecEqual(U[1][k], U[2][k], &same));
      PetscCall(VecNorm(U[1][k], NORM_INFINITY, &size));
      PetscCall(VecAXPY(U[0][k], -1., U[2][k]));
      PetscCall(VecNorm(U[0][k], NORM_INFINITY, &norm));
      PetscCall(PlexTestReportOf((PetscBool)(same && norm > 1e-3 * size), name, of[k],
                                 "same bits: %d, differs from none by %g of %g", (int)same, (double)norm,
                                 (double)size));
    }
    if (cases[at].shown) PetscCall(TestView(dg, &cases[at], name));
    for (int how = 0; how < 3; ++how)
      for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&U[how][k]));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A mesh of triangles and quadrilaterals, whose parts have the materials of the whole */

static const char *const     fields[]       = {"u"};
static const char *const     kinds[]        = {"nothing"};
static const PlexDGParameter coefficients[] = {
  {"speed", 1, {1.}}
};

static PetscErrorCode CreateLayers(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, PLEX_DG_NONE, coefficients);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Speed 2 in every third cell, 3 in the others */
static PetscErrorCode Speed(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = cell % 3 ? 3. : 2.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMixed(void)
{
  const PetscReal fast = 3., slow = 2.;
  PetscInt        cStart, cEnd;
  PetscBool       same;
  PetscReal       norm;
  DM              dm;
  DMLabel         label;
  Vec             U, R[3];

  PetscFunctionBegin;
  PetscCall(PlexTestMixedDistribute(PLEX_TEST_MIX_ROWS, 6, &dm));
  PetscCall(PlexTestGetLabel(dm, "slow lanes", &label));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c)
    if (c % 3 == 0) PetscCall(DMLabelSetValue(label, c, 1));
  for (int how = 0; how < 3; ++how) {
    PlexDG dg;

    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "layers"));
    PetscCall(PlexDGSetDegree(dg, 2));
    PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
    PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "nothing"));
    if (how == 1) PetscCall(PlexDGSetCoefficients(dg, Speed, NULL));
    if (how == 2) PetscCall(PlexDGAddMaterial(dg, "slow lanes", PETSC_DETERMINE, 1, &slow));
    if (how == 2) PetscCall(PlexDGAddMaterial(dg, NULL, PETSC_DETERMINE, 1, &fast));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R[how]));
    PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R[how]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(VecEqual(R[1], R[2], &same));
  PetscCall(VecAXPY(R[0], -1., R[2]));
  PetscCall(VecNorm(R[0], NORM_INFINITY, &norm));
  PetscCall(PlexTestReport((PetscBool)(same && norm > 1e-3), "triangles and quadrilaterals",
                           "same bits: %d, differs from none by %g", (int)same, (double)norm));
  for (int how = 0; how < 3; ++how) PetscCall(VecDestroy(&R[how]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Errors */

typedef struct {
  MPI_Comm    comm;
  const char *system, *options;
  PetscInt    n;      /* values of a material of the program; 0: none */
  PetscBool   points; /* DG with quadrature */
} Wrong;

static PetscErrorCode WithOptions(void *ctx)
{
  const Wrong    *w         = (const Wrong *)ctx;
  const PetscReal values[9] = {1., 1., 1., 1., 1., 1., 1., 1., 1.};
  PetscErrorCode  ierr      = PETSC_SUCCESS;
  DM              dm;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(TaggedMesh(w->comm, 2, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  if (w->system) PetscCall(PlexDGSetSystem(dg, w->system));
  if (w->n) PetscCall(PlexDGAddMaterial(dg, NULL, PETSC_DETERMINE, w->n, values));
  if (w->points) PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  if (w->options) {
    PetscCall(PetscOptionsInsertString(NULL, w->options));
    ierr = PlexDGSetFromOptions(dg);
    PetscCall(PlexTestClearOptions(w->options));
    PetscCall(ierr);
  }
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WRONG(name, s, o, ...) \
  EXPECT(name, WithOptions, (&(Wrong){.comm = PETSC_COMM_SELF, .system = s, .options = o}), __VA_ARGS__)

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  WRONG("two materials in a cell", "maxwell", "-plex_dg_material_1 4 -plex_dg_material_part 3,1,0.5",
        "There are two materials for cell ", ", centroid (", "1 (epsilon 4., mu 1., sigma 0.)",
        "part (epsilon 3., mu 1., sigma 0.5)", "-plex_dg_material_1", "-plex_dg_material_part", "same values");
  WRONG("a name that is no coefficient", "maxwell", "-plex_dg_material_1 permittivity=4",
        "-plex_dg_material_1: system maxwell has no coefficient permittivity", "epsilon, mu, sigma");
  WRONG("a value that is no number", "maxwell", "-plex_dg_material_1 4,one", "-plex_dg_material_1 has the value one",
        "no number", "epsilon, mu, sigma", "name=number");
  WRONG("a name without number", "maxwell", "-plex_dg_material_1 epsilon=", "has the value epsilon=", "no number");
  WRONG("more values than coefficients", "acoustics", "-plex_dg_material_1 1,2,3",
        "-plex_dg_material_1 has more values", "acoustics", "rho, kappa");
  WRONG("values with and without names", "maxwell", "-plex_dg_material_1 4,mu=1", "with and without names",
        "epsilon, mu, sigma");
  WRONG("values without and with names", "maxwell", "-plex_dg_material_1 mu=1,4", "with and without names");
  WRONG("a value twice", "maxwell", "-plex_dg_material_1 mu=1,mu=2", "gives mu twice");
  WRONG("no values", "maxwell", "-plex_dg_material_1", "-plex_dg_material_1 has no values");
  WRONG("an epsilon of 0", "maxwell", "-plex_dg_material_glass_block 0", "Coefficient epsilon of system maxwell is 0",
        "in cell ", "centroid (", "of material glass_block", "more than 0", "-plex_dg_material_glass_block",
        "PlexDGAddMaterial()");
  WRONG("a mu that is not a number", "maxwell", "-plex_dg_material 1,nan", "Coefficient mu of system maxwell is ",
        "of material all other cells", "see -plex_dg_material,");
  WRONG("a sigma of a constant, in a material", "maxwell", "-plex_dg_sigma -1 -plex_dg_material_1 4",
        "Coefficient sigma of system maxwell is -1", "see -plex_dg_sigma");
  WRONG("a system without coefficients", "advection", "-plex_dg_material 4", "System advection has no coefficients",
        "PlexDGSetConstant()");
  EXPECT("coefficients that vary in an element", WithOptions,
         (&(Wrong){PETSC_COMM_SELF, "shallow_water", "-plex_dg_material_1 4", 0, PETSC_TRUE}),
         "coefficients of system shallow_water vary in an element", "PlexDGSetCoefficients()");
  EXPECT("a program's values, too many", WithOptions, (&(Wrong){PETSC_COMM_SELF, "maxwell", NULL, 4, PETSC_FALSE}),
         "at most 3 values, not 4", "epsilon, mu, sigma");
  EXPECT("a program's material before its system", WithOptions, (&(Wrong){PETSC_COMM_SELF, NULL, NULL, 1, PETSC_FALSE}),
         "no system yet", "PlexDGSetSystem()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all processes: each names what the cells of all have */
static PetscErrorCode TestMissing(void)
{
  PetscFunctionBegin;
  EXPECT("a value that no cell has", WithOptions,
         (&(Wrong){PETSC_COMM_WORLD, "maxwell", "-plex_dg_material_1 4 -plex_dg_material_3 4", 0, PETSC_FALSE}),
         "No cell of the mesh has the material 3", "-plex_dg_material_3", " 1 ", " 2 ", "glass_block", " part",
         "-dm_plex_gmsh_use_regions");
  EXPECT("a label that is not there", WithOptions,
         (&(Wrong){PETSC_COMM_WORLD, "maxwell", "-plex_dg_material_air 4", 0, PETSC_FALSE}),
         "No cell of the mesh has the material air", "-plex_dg_material_air", "glass_block");
  EXPECT("a label that no cell has", WithOptions,
         (&(Wrong){PETSC_COMM_WORLD, "maxwell", "-plex_dg_material_nobody 4", 0, PETSC_FALSE}),
         "No cell of the mesh has the material nobody");
  EXPECT("a value of a label that no cell has", WithOptions,
         (&(Wrong){PETSC_COMM_WORLD, "maxwell", "-plex_dg_material_part:4 4", 0, PETSC_FALSE}),
         "No cell of the mesh has the material part:4");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Names of Gmsh */

static const char gmsh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$PhysicalNames\n2\n2 5 \"air\"\n2 6 \"glass\"\n$EndPhysicalNames\n"
                           "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                           "$Elements\n2\n1 2 2 5 1 1 2 3\n2 2 2 6 2 1 3 4\n$EndElements\n";

/* Of the two triangles the one above has the coefficients */
static PetscErrorCode TestGmsh(PetscBool regions)
{
  const char *options = regions ? "-plex_dg_material_glass 4,1,0.5" : "-plex_dg_material_6 4,1,0.5";
  char        name[PETSC_MAX_PATH_LEN];
  PetscBool   right = PETSC_TRUE;
  DM          dm;
  PlexDG      dg;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "build/tests/material-%d.msh", (int)getpid()));
  PetscCall(PlexTestWriteFile(name, gmsh, sizeof(gmsh) - 1));
  if (regions) PetscCall(PetscOptionsSetValue(NULL, "-dm_plex_gmsh_use_regions", NULL));
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_SELF, name, NULL, PETSC_TRUE, &dm));
  if (regions) PetscCall(PetscOptionsClearValue(NULL, "-dm_plex_gmsh_use_regions"));
  (void)unlink(name);
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexTestClearOptions(options));
  PetscCall(PlexDGSetUp(dg));
  for (PetscInt e = 0; e < 2; ++e) {
    const PetscReal *x = &dg->mesh->x[e * 6], *k = &dg->coefficients[e * 3];
    const PetscBool  above = (PetscBool)(x[0] + x[2] + x[4] < x[1] + x[3] + x[5]);

    right = (PetscBool)(right && k[0] == (above ? 4. : 1.) && k[1] == 1. && k[2] == (above ? 0.5 : 0.));
  }
  PetscCall(PlexTestReportOf(right, "a mesh of Gmsh", regions ? "names" : "numbers", "other coefficients"));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A cavity with epsilon 1 on the left and 4 on the right */

/* a cos(a/2) sin(b/2) + b cos(b/2) sin(a/2), which is 0 at frequencies w > pi */
static PetscReal Dispersion(PetscReal w, PetscReal *a, PetscReal *b)
{
  *a = PetscSqrtReal(w * w - PETSC_PI * PETSC_PI);
  *b = PetscSqrtReal(4. * w * w - PETSC_PI * PETSC_PI);
  return *a * PetscCosReal(*a / 2.) * PetscSinReal(*b / 2.) + *b * PetscCosReal(*b / 2.) * PetscSinReal(*a / 2.);
}

/* E_z = X(x) sin(pi y) cos(w t), X = sin(a x) on the left of 1/2, B sin(b (1 - x)) on the right, X and X' continuous */
static PetscErrorCode Mode(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscReal low = 4.6, high = 5.1, w, a, b, B, X, slope;

  PetscFunctionBegin;
  for (int k = 0; k < 60; ++k) {
    w = (low + high) / 2.;
    if (Dispersion(low, &a, &b) * Dispersion(w, &a, &b) > 0.) low = w;
    else high = w;
  }
  (void)Dispersion(w = low, &a, &b);
  B     = PetscSinReal(a / 2.) / PetscSinReal(b / 2.);
  X     = x[0] < 0.5 ? PetscSinReal(a * x[0]) : B * PetscSinReal(b * (1. - x[0]));
  slope = x[0] < 0.5 ? a * PetscCosReal(a * x[0]) : -B * b * PetscCosReal(b * (1. - x[0]));
  PetscCall(PetscArrayzero(u, Nf));
  u[2] = X * PetscSinReal(PETSC_PI * x[1]) * PetscCosReal(w * t);
  u[3] = -PETSC_PI / w * X * PetscCosReal(PETSC_PI * x[1]) * PetscSinReal(w * t);
  u[4] = slope / w * PetscSinReal(PETSC_PI * x[1]) * PetscSinReal(w * t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CavityError(PetscInt N, PetscInt n, PetscReal *error)
{
  const PetscReal T = 1.;
  DM              dm;
  DMLabel         glass;
  PlexDG          dg;
  Vec             U;
  PetscInt        cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, n, PETSC_FALSE, &dm));
  PetscCall(PlexTestGetLabel(dm, "glass", &glass));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal x[3];

    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, NULL, x, NULL));
    if (x[0] > 0.5) PetscCall(DMLabelSetValue(glass, c, 1));
  }
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, Mode, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, Mode, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestInterface(void)
{
  const char *options = "-plex_dg_material_glass 4";
  PetscReal   error[2];

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  for (PetscInt N = 2; N < 5; N += 2) {
    PetscReal rate;

    for (int k = 0; k < 2; ++k) PetscCall(CavityError(N, k ? 8 : 4, &error[k]));
    rate = PetscLog2Real(error[0] / error[1]);
    PetscCall(PlexTestReport((PetscBool)(rate > N + 0.7),
                             N == 2 ? "rate at an interface, degree 2" : "rate at an interface, degree 4",
                             "%g of errors %g and %g", (double)rate, (double)error[0], (double)error[1]));
  }
  PetscCall(PlexTestClearOptions(options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexDGSystemRegister("layers", CreateLayers));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool   host    = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);
    const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGFUSED};

    for (int k = 0; k < (host ? 1 : 2); ++k)
      for (PetscInt dim = 2; dim <= 3; ++dim) PetscCall(TestCases(dim, &(Way){backends[b], types[k]}));
  }
  PetscCall(TestMixed());
  PetscCall(TestMissing());
  if (size == 1) {
    PetscCall(TestErrors());
    for (int k = 0; k < 2; ++k) PetscCall(TestGmsh((PetscBool)k));
    PetscCall(TestInterface());
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
