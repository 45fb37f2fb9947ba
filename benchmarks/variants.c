static char
  help[] = "The Jacobian by every variant of the types, form by form: which one is the fastest, and where.\n\n"
           "  -bench_backend NAME  cuda, or emulate; default cuda\n"
           "  -spaces A,B,...      only these: P1triangles, ... (default all)\n"
           "  -forms A,B,...       only these: heat, coefficient, reaction, nonlinear, elasticity, motion "
           "(default all)\n"
           "  -types A,B,...       only these, as local_row:symmetry (default all)\n"
           "  -coarser N           meshes N refinements smaller (a box has half the cells along a side each "
           "time)\n"
           "  -reps N              samples of a Jacobian (default 7)\n"
           "  -csv FILE            append the table\n\n";

/*
  Set-up is what the first Jacobian takes beyond the median of the others; kernels are compiled in it, unless an earlier
  run has left them on disk. A variant that refuses a form has no figure.
*/
#include "table.h"
#include "bench.h"

static const char *const Types[] = {"element_color:plain",  "element_atomic:plain",
                                    "global_nz:plain",      "global_row:moments",
                                    "global_row:monomials", "global_row:plain",
                                    "shared_nz:points",     "shared_nz:edges",
                                    "shared_nz:gradients",  "shared_nz:matrices",
                                    "shared_nz:partial",    "shared_nz:plain",
                                    "shared_row",           "local_nz",
                                    "local_row:sumfactor",  "local_row:symmetry",
                                    "local_row:plain"};
#define TYPES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Types))

static const Space Meshes[] = {
  {"P1triangles",      DM_POLYTOPE_TRIANGLE,      6,   1, HEAT},
  {"P2triangles",      DM_POLYTOPE_TRIANGLE,      5,   2, HEAT},
  {"P3triangles",      DM_POLYTOPE_TRIANGLE,      5,   3, HEAT},
  {"P1tetrahedra",     DM_POLYTOPE_TETRAHEDRON,   3,   1, HEAT},
  {"P2tetrahedra",     DM_POLYTOPE_TETRAHEDRON,   2,   2, HEAT},
  {"P3tetrahedra",     DM_POLYTOPE_TETRAHEDRON,   2,   3, HEAT},
  {"P4tetrahedra",     DM_POLYTOPE_TETRAHEDRON,   1,   4, HEAT},
  {"Q1quadrilaterals", DM_POLYTOPE_QUADRILATERAL, 700, 1, HEAT},
  {"Q2quadrilaterals", DM_POLYTOPE_QUADRILATERAL, 500, 2, HEAT},
  {"Q3quadrilaterals", DM_POLYTOPE_QUADRILATERAL, 300, 3, HEAT},
  {"Q1hexahedra",      DM_POLYTOPE_HEXAHEDRON,    64,  1, HEAT},
  {"Q2hexahedra",      DM_POLYTOPE_HEXAHEDRON,    40,  2, HEAT},
  {"Q3hexahedra",      DM_POLYTOPE_HEXAHEDRON,    20,  3, HEAT}
};

static const char *const ProblemNames[] = {"heat", "elasticity", "nonlinear", "coefficient", "reaction", "motion"};

typedef struct {
  const char *backend, *csv;
  PetscInt    reps, coarser;
} Settings;

typedef struct {
  PlexAssembly plex;
  Vec          X;
  Mat          J;
} Call;

static PetscErrorCode Compute(void *ctx)
{
  const Call *c = (const Call *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeJacobian(c->plex, c->X, NULL, 0.0, 0.0, c->J, c->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first Jacobian of a new assembly; seconds < 0: the type refuses the form */
static PetscErrorCode First(const Settings *o, const Space *space, DM dm, const char type[], Call *c, double *seconds)
{
  char           source[PETSC_MAX_PATH_LEN];
  PlexBackend    backend;
  PetscLogDouble t0, t1;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(FindFile(ProblemSources[space->problem], source, sizeof(source)));
  PetscCall(PlexAssemblyCreate(dm, &c->plex));
  PetscCall(PlexAssemblySetFromOptions(c->plex));
  PetscCall(PlexAssemblySetFallback(c->plex, PETSC_FALSE));
  PetscCall(PlexAssemblySetBackend(c->plex, o->backend));
  PetscCall(PlexAssemblySetResidualType(c->plex, PLEXASSEMBLYELEMENTATOMIC));
  PetscCall(PlexAssemblySetJacobianType(c->plex, type));
  PetscCall(PlexAssemblySetPointwiseSource(c->plex, source));
  PetscCall(PlexAssemblyGetBackend(c->plex, &backend));
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&t0));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = Compute(c);
  PetscCall(PetscPopErrorHandler());
  if (ierr && ierr != PETSC_ERR_SUP) PetscCall(ierr);
  if (ierr) {
    *seconds = -1;
    PetscCall(PlexAssemblyDestroy(&c->plex));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const Settings *o, const Space *space, DM dm, const char type[], Call *c,
                              double *jacobian, double *setup)
{
  PetscLogDouble median = 0;
  PlexBackend    backend;

  PetscFunctionBegin;
  PetscCall(First(o, space, dm, type, c, setup));
  *jacobian = -1;
  if (*setup < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetBackend(c->plex, &backend));
  PetscCall(BenchMedian(backend, Compute, c, o->reps, &median));
  *jacobian = median;
  *setup    = PetscMax(0.0, *setup - median);
  PetscCall(PlexAssemblyDestroy(&c->plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Row(const Settings *o, const Space *space, PetscInt n, char *const names[], PetscInt *rows)
{
  double   jacobian[TYPES], setup[TYPES], best = PETSC_MAX_REAL;
  PetscInt cStart, cEnd;
  Call     c;
  DM       dm;
  FILE    *csv = NULL;

  PetscFunctionBegin;
  PetscCall(CreateSystem(space, o->coarser, (PetscBool)!strcmp(o->backend, PLEXBACKENDCUDA), &dm, &c.X, &c.J));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt t = 0; t < TYPES; ++t) {
    PetscBool wanted;

    jacobian[t] = -1;
    PetscCall(IsWanted(Types[t], n, names, &wanted));
    if (wanted) PetscCall(Measure(o, space, dm, Types[t], &c, &jacobian[t], &setup[t]));
    if (jacobian[t] > 0) best = PetscMin(best, jacobian[t]);
  }
  if (o->csv) PetscCall(BenchOpenCSV(o->csv, "space,form,elements,type,jacobian_s,setup_s", &csv));
  for (PetscInt t = 0; t < TYPES; ++t) {
    if (jacobian[t] <= 0) continue;
    ++*rows;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-16s | %-11s | %8" PetscInt_FMT " | %-20s | %9.4f | %6.2f | %7.3f |\n",
                          space->name, ProblemNames[space->problem], cEnd - cStart, Types[t], 1e3 * jacobian[t],
                          jacobian[t] / best, setup[t]));
    if (csv)
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv, "%s,%s,%" PetscInt_FMT ",%s,%.6g,%.6g\n", space->name,
                             ProblemNames[space->problem], cEnd - cStart, Types[t], jacobian[t], setup[t]));
  }
  if (csv) PetscCall(BenchCloseCSV(o->csv, &csv));
  PetscCall(VecDestroy(&c.X));
  PetscCall(MatDestroy(&c.J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  char    *name[32];
  PetscInt n;
} Names;

static PetscErrorCode GetNames(const char option[], Names *names)
{
  PetscBool set;

  PetscFunctionBegin;
  names->n = PETSC_STATIC_ARRAY_LENGTH(names->name);
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, option, names->name, &names->n, &set));
  if (!set) names->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FreeNames(Names *names)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < names->n; ++k) PetscCall(PetscFree(names->name[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rows(const Settings *o, PetscInt *rows)
{
  Names spaces, forms, types;

  PetscFunctionBegin;
  PetscCall(GetNames("-spaces", &spaces));
  PetscCall(GetNames("-forms", &forms));
  PetscCall(GetNames("-types", &types));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| space | form | elements | type | J, ms | over the best | set-up, s |\n"
                                         "|:--|:--|--:|:--|--:|--:|--:|\n"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Meshes); ++k) {
    for (int p = 0; p < PROBLEMS; ++p) {
      Space     space = Meshes[k];
      PetscBool wanted;

      space.problem = (Problem)p;
      PetscCall(IsWanted(space.name, spaces.n, spaces.name, &wanted));
      if (wanted) PetscCall(IsWanted(ProblemNames[p], forms.n, forms.name, &wanted));
      if (wanted) PetscCall(Row(o, &space, types.n, types.name, rows));
    }
  }
  PetscCall(FreeNames(&spaces));
  PetscCall(FreeNames(&forms));
  PetscCall(FreeNames(&types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Settings  o           = {.reps = 7};
  char      backend[64] = PLEXBACKENDCUDA, path[PETSC_MAX_PATH_LEN] = "";
  PetscInt  rows = 0;
  PetscBool available;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-csv", path, sizeof(path), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-coarser", &o.coarser, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &o.reps, NULL));
  PetscCheck(o.reps > 0 && o.coarser >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-reps and -coarser have to be at least 1 and 0");
  PetscCall(PlexBackendIsAvailable(backend, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP, "The backend %s is not available here: -bench_backend emulate",
             backend);
  o.backend = backend;
  o.csv     = path[0] ? path : NULL;
  PetscCall(Rows(&o, &rows));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=variants backend=%s rows=%" PetscInt_FMT "\n", backend,
                        rows));
  return (int)BenchFinalize(rows);
}
