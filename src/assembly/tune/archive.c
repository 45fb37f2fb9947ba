/*
  Results of tuning in an HDF5 file:

    /problem-<hash>            attributes device, backend, version, precision, cell, space, form, fixed; degree
      /mesh-<classes>          attributes elements, dofs, row_length, mode, processes, products, measured, skipped, failed, budget, spent,
                               date, best; bandwidth, flops, additions of the device as the cost model has them
        candidates [n]         a table, PlexCandidate
        model_input [2][...]   what the cost model goes by, PlexModelInput of residual and Jacobian; attribute names

  A mesh's classes are powers of sqrt(2) of its elements, and steps of a tenth of dofs an element and non-zeros a row: of each class one
  result is kept, and the nearest one of all is found.
*/
#include "tuneimpl.h"
#include "archivehdf5.h"
#include <sys/stat.h>
#include <unistd.h>

#define PLEX_MODEL_INPUTS_FIRST 16 /* columns of the first version's model */

/* ---- Attributes: a text or a number each */

static PetscBool PlexWriteText(hid_t at, const char name[], const char text[])
{
  hid_t     type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute;
  PetscBool good;

  (void)H5Tset_size(type, strlen(text) + 1);
  attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  good      = (PetscBool)(attribute >= 0 && H5Awrite(attribute, type, text) >= 0);
  if (attribute >= 0) (void)H5Aclose(attribute);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
  return good;
}

static PetscBool PlexReadText(hid_t at, const char name[], char text[], size_t size)
{
  hid_t     type = H5Tcopy(H5T_C_S1), attribute;
  PetscBool good;

  (void)H5Tset_size(type, size);
  attribute = H5Aopen(at, name, H5P_DEFAULT);
  good      = (PetscBool)(attribute >= 0 && H5Aread(attribute, type, text) >= 0);
  if (attribute >= 0) (void)H5Aclose(attribute);
  (void)H5Tclose(type);
  text[good ? size - 1 : 0] = 0;
  return good;
}

static PetscBool PlexWriteNumber(hid_t at, const char name[], double number)
{
  hid_t     space = H5Screate(H5S_SCALAR), attribute = H5Acreate2(at, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  PetscBool good = (PetscBool)(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number) >= 0);

  if (attribute >= 0) (void)H5Aclose(attribute);
  (void)H5Sclose(space);
  return good;
}

static PetscBool PlexReadNumber(hid_t at, const char name[], double *number)
{
  hid_t     attribute = H5Aopen(at, name, H5P_DEFAULT);
  PetscBool good      = (PetscBool)(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, number) >= 0);

  if (attribute >= 0) (void)H5Aclose(attribute);
  return good;
}

/* Attributes that are written and read alike: pointers into a result */
typedef struct {
  const char *name;
  char       *text; /* [size], or NULL: a number */
  size_t      size;
  double     *real;
  PetscInt   *integer;
} PlexAttribute;

#define PLEX_TEXT(field) {#field, r->problem.field, sizeof(r->problem.field), NULL, NULL}

static PetscBool PlexAttributesDo(hid_t at, PetscInt n, const PlexAttribute a[], PetscBool write)
{
  PetscBool good = PETSC_TRUE;

  for (PetscInt k = 0; k < n && good; ++k) {
    double number = a[k].real ? *a[k].real : a[k].integer ? (double)*a[k].integer : 0.0;

    if (a[k].text) good = write ? PlexWriteText(at, a[k].name, a[k].text) : PlexReadText(at, a[k].name, a[k].text, a[k].size);
    else good = write ? PlexWriteNumber(at, a[k].name, number) : PlexReadNumber(at, a[k].name, &number);
    if (!write && a[k].real) *a[k].real = number;
    if (!write && a[k].integer) *a[k].integer = (PetscInt)number;
  }
  return good;
}

static PetscBool PlexProblemDo(hid_t at, PlexTuneResult *r, PetscBool write)
{
  const PlexAttribute a[] = {
    PLEX_TEXT(device), PLEX_TEXT(backend), PLEX_TEXT(version), PLEX_TEXT(precision), PLEX_TEXT(cell), PLEX_TEXT(space), PLEX_TEXT(form), PLEX_TEXT(fixed), {"degree", NULL, 0, NULL, &r->degree}
  };

  return PlexAttributesDo(at, PETSC_STATIC_ARRAY_LENGTH(a), a, write);
}

static PetscBool PlexMeshDo(hid_t at, PlexTuneResult *r, PetscBool write)
{
  PetscInt            mode = (PetscInt)r->mode;
  const PlexAttribute a[]  = {
    {"elements",   NULL,    0,               &r->mesh.elements,   NULL         },
    {"dofs",       NULL,    0,               &r->mesh.dofs,       NULL         },
    {"row_length", NULL,    0,               &r->mesh.rowLength,  NULL         },
    {"mode",       NULL,    0,               NULL,                &mode        },
    {"processes",  NULL,    0,               NULL,                &r->processes},
    {"products",   NULL,    0,               NULL,                &r->products },
    {"measured",   NULL,    0,               NULL,                &r->measured },
    {"skipped",    NULL,    0,               NULL,                &r->skipped  },
    {"failed",     NULL,    0,               NULL,                &r->failed   },
    {"best",       NULL,    0,               NULL,                &r->best     },
    {"budget",     NULL,    0,               &r->budget,          NULL         },
    {"spent",      NULL,    0,               &r->spent,           NULL         },
    {"bandwidth",  NULL,    0,               &r->rates.bandwidth, NULL         },
    {"flops",      NULL,    0,               &r->rates.flops,     NULL         },
    {"additions",  NULL,    0,               &r->rates.additions, NULL         },
    {"date",       r->date, sizeof(r->date), NULL,                NULL         }
  };
  PetscBool good = PlexAttributesDo(at, PETSC_STATIC_ARRAY_LENGTH(a), a, write);

  r->mode = (PlexTune)mode;
  return good;
}

/* ---- The tables */

/* PlexCandidate in memory; members are matched by name */
static hid_t PlexCandidateType(void)
{
  const hsize_t two   = PLEX_PRODUCTS;
  hid_t         table = H5Tcreate(H5T_COMPOUND, sizeof(PlexCandidate)), pair = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two), type = H5Tcopy(H5T_C_S1), integration = H5Tcopy(H5T_C_S1);

  (void)H5Tset_size(type, sizeof(((PlexCandidate *)0)->type));
  (void)H5Tset_size(integration, sizeof(((PlexCandidate *)0)->integration));
  (void)H5Tinsert(table, "type", HOFFSET(PlexCandidate, type), type);
  (void)H5Tinsert(table, "integration", HOFFSET(PlexCandidate, integration), integration);
  (void)H5Tinsert(table, "block", HOFFSET(PlexCandidate, block), H5T_NATIVE_INT);
  (void)H5Tinsert(table, "team", HOFFSET(PlexCandidate, team), H5T_NATIVE_INT);
  (void)H5Tinsert(table, "partition", HOFFSET(PlexCandidate, partition), H5T_NATIVE_INT);
  (void)H5Tinsert(table, "state", HOFFSET(PlexCandidate, state), H5T_NATIVE_INT);
  (void)H5Tinsert(table, "seconds", HOFFSET(PlexCandidate, seconds), pair);
  (void)H5Tinsert(table, "predicted", HOFFSET(PlexCandidate, predicted), pair);
  (void)H5Tinsert(table, "bytes", HOFFSET(PlexCandidate, bytes), pair);
  (void)H5Tinsert(table, "flops", HOFFSET(PlexCandidate, flops), pair);
  (void)H5Tinsert(table, "plan", HOFFSET(PlexCandidate, plan), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(table, "compile", HOFFSET(PlexCandidate, compile), H5T_NATIVE_DOUBLE);
  (void)H5Tclose(integration);
  (void)H5Tclose(type);
  (void)H5Tclose(pair);
  return table;
}

/* data[dims[0]] or data[dims[0]][dims[1]] of a type in memory, kept as it is; names is NULL or an attribute */
static PetscBool PlexTableWrite(hid_t at, const char name[], hid_t type, int rank, const hsize_t dims[], const void *data, const char names[])
{
  hid_t     space = H5Screate_simple(rank, dims, NULL), set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  PetscBool good = (PetscBool)(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);

  if (good && names) good = PlexWriteText(set, "names", names);
  if (set >= 0) (void)H5Dclose(set);
  (void)H5Sclose(space);
  return good;
}

/* *data is allocated, [*n]; an n that is given is the number that there has to be, and *data is there */
static PetscBool PlexTableRead(hid_t at, const char name[], hid_t type, PetscInt *n, size_t size, void **data)
{
  hid_t     set = H5Dopen2(at, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
  hssize_t  found = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  PetscBool good  = (PetscBool)(found > 0 && found < 1000000 && (!*n || *n == (PetscInt)found));

  if (good && !*n) good = (PetscBool)!PetscMalloc(size * (size_t)found, data);
  if (good) good = (PetscBool)(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) >= 0);
  *n = (PetscInt)found;
  if (space >= 0) (void)H5Sclose(space);
  if (set >= 0) (void)H5Dclose(set);
  return good;
}

/* ---- A result */

/* Of an earlier version there are fewer columns; zero is then what the others mean */
static PetscBool PlexInputRead(hid_t group, PlexTuneResult *r)
{
  double   *all = NULL;
  PetscInt  n   = 0;
  PetscBool good;

  good = PlexTableRead(group, "model_input", H5T_NATIVE_DOUBLE, &n, sizeof(double), (void **)&all);
  good = (PetscBool)(good && n % PLEX_PRODUCTS == 0 && n / PLEX_PRODUCTS >= PLEX_MODEL_INPUTS_FIRST && n / PLEX_PRODUCTS <= PLEX_MODEL_INPUTS);
  (void)PetscArrayzero(r->input, PLEX_PRODUCTS);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS && good; ++kind) (void)PetscMemcpy(&r->input[kind], &all[kind * (n / PLEX_PRODUCTS)], sizeof(double) * (size_t)(n / PLEX_PRODUCTS));
  (void)PetscFree(all);
  return good;
}

static PetscBool PlexResultRead(hid_t group, PlexTuneResult *r)
{
  hid_t     type = PlexCandidateType();
  PetscBool good = PlexMeshDo(group, r, PETSC_FALSE);

  if (good) good = PlexTableRead(group, "candidates", type, &r->n, sizeof(PlexCandidate), (void **)&r->candidates);
  if (good && !PlexInputRead(group, r)) (void)PetscArrayzero(r->input, PLEX_PRODUCTS); /* of another version's model */
  if (good) good = (PetscBool)(r->best >= 0 && r->best < r->n);
  r->behind = 0;
  for (PetscInt k = 0; k < r->n && good; ++k) r->behind += r->candidates[k].state == PLEX_CANDIDATE_BEHIND;
  for (PetscInt k = 0; k < r->n && good; ++k) r->candidates[k].type[sizeof(r->candidates[k].type) - 1] = r->candidates[k].integration[sizeof(r->candidates[k].integration) - 1] = 0;
  (void)H5Tclose(type);
  return good;
}

static PetscBool PlexResultWrite(hid_t group, const PlexTuneResult *r)
{
  const hsize_t  dims[2] = {PLEX_PRODUCTS, (hsize_t)PLEX_MODEL_INPUTS}, n = (hsize_t)r->n;
  hid_t          type      = PlexCandidateType();
  PlexTuneResult copy      = *r; /* attributes are read and written by the same list */
  char           all[1024] = "";
  PetscBool      good      = PlexMeshDo(group, &copy, PETSC_TRUE);

  for (int k = 0; k < PLEX_MODEL_INPUTS; ++k) {
    (void)PetscStrlcat(all, k ? " " : "", sizeof(all));
    (void)PetscStrlcat(all, PlexModelInputNames[k], sizeof(all));
  }
  if (good) good = PlexTableWrite(group, "candidates", type, 1, &n, r->candidates, NULL);
  if (good) good = PlexTableWrite(group, "model_input", H5T_NATIVE_DOUBLE, 2, dims, r->input, all);
  (void)H5Tclose(type);
  return good;
}

/* ---- Groups */

static void PlexProblemName(const PlexTuneProblem *problem, char name[64])
{
  const char *texts[] = {problem->device, problem->backend, problem->version, problem->precision, problem->cell, problem->space, problem->form, problem->fixed};

  PlexKeyName("problem", PETSC_STATIC_ARRAY_LENGTH(texts), texts, name);
}

static int PlexClass(double number, double step)
{
  return (int)floor(0.5 + log(PetscMax(number, 1e-30)) / log(step));
}

static void PlexMeshName(const PlexTuneMesh *mesh, PetscInt products, char name[64])
{
  (void)snprintf(name, 64, "mesh-%d-%d-%d-%d", PlexClass(mesh->elements, PetscSqrtReal(2.0)), PlexClass(mesh->dofs, 1.1), PlexClass(mesh->rowLength, 1.1), (int)products);
}

/* How far apart meshes are; 1 is too far */
static double PlexMeshDistance(const PlexTuneMesh *a, const PlexTuneMesh *b)
{
  const double e = PetscAbsReal(log(a->elements / b->elements)) / log(PetscSqrtReal(2.0)), d = PetscAbsReal(log(a->dofs / b->dofs)) / log(1.1), r = PetscAbsReal(log(a->rowLength / b->rowLength)) / log(1.1);

  return PetscMax(e, PetscMax(d, r));
}

static PlexArchiveState PlexArchiveOpen(const char path[], hid_t *file)
{
  struct stat status;
  FILE       *test;

  *file = -1;
  if (stat(path, &status)) return PLEX_ARCHIVE_ABSENT;
  test = S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
  if (!test) return PLEX_ARCHIVE_UNREADABLE;
  (void)fclose(test);
  *file = PlexOpenFile(path, H5F_ACC_RDONLY);
  return *file >= 0 ? PLEX_ARCHIVE_GOOD : PLEX_ARCHIVE_DAMAGED;
}

/* Names of the groups in a group, [n]; false where it cannot be read */
static PetscBool PlexGroupGetNames(hid_t group, PetscInt *n, char (**names)[64])
{
  H5G_info_t info;
  PetscBool  good = (PetscBool)(H5Gget_info(group, &info) >= 0 && !PetscMalloc1(info.nlinks, names));

  *n = good ? (PetscInt)info.nlinks : 0;
  for (PetscInt k = 0; k < *n && good; ++k) good = (PetscBool)(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)k, (*names)[k], sizeof((*names)[k]), H5P_DEFAULT) > 0);
  return good;
}

/* Appends the results of a problem's group */
static PetscBool PlexProblemRead(hid_t problem, PetscInt *n, PlexTuneResult **results)
{
  char (*names)[64] = NULL;
  PetscInt  nnames;
  PetscBool good = PlexGroupGetNames(problem, &nnames, &names);

  for (PetscInt k = 0; k < nnames && good; ++k) {
    hid_t           mesh = H5Gopen2(problem, names[k], H5P_DEFAULT);
    PlexTuneResult *r;

    good = (PetscBool)!PetscRealloc(sizeof(PlexTuneResult) * (*n + 1), results);
    if (good) {
      r = &(*results)[(*n)++];
      (void)PetscMemzero(r, sizeof(*r));
      good = (PetscBool)(mesh >= 0 && PlexProblemDo(problem, r, PETSC_FALSE) && PlexResultRead(mesh, r));
    }
    if (mesh >= 0) (void)H5Gclose(mesh);
  }
  (void)PetscFree(names);
  return good;
}

/* All problems, or the one of this name, if it is there */
static PetscBool PlexArchiveReadFrom(hid_t file, const char only[], PetscInt *n, PlexTuneResult **results)
{
  char (*names)[64] = NULL;
  PetscInt  nnames;
  PetscBool good = PlexGroupGetNames(file, &nnames, &names);

  for (PetscInt k = 0; k < nnames && good; ++k) {
    hid_t problem;

    if (only ? strcmp(only, names[k]) : strncmp(names[k], "problem-", strlen("problem-"))) continue; /* nodal DG's are there, too */
    problem = H5Gopen2(file, names[k], H5P_DEFAULT);
    good    = (PetscBool)(problem >= 0 && PlexProblemRead(problem, n, results));
    if (problem >= 0) (void)H5Gclose(problem);
  }
  (void)PetscFree(names);
  return good;
}

PetscErrorCode PlexTuneResultsDestroy(PetscInt n, PlexTuneResult *results[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree((*results)[k].candidates));
  PetscCall(PetscFree(*results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArchiveReadOnly(const char path[], const char only[], PetscInt *n, PlexTuneResult *results[], PlexArchiveState *state)
{
  PlexQuiet quiet;
  hid_t     file;

  PetscFunctionBegin;
  *n       = 0;
  *results = NULL;
  PlexQuietBegin(&quiet);
  *state = PlexArchiveOpen(path, &file);
  if (*state == PLEX_ARCHIVE_GOOD) {
    if (!PlexArchiveReadFrom(file, only, n, results)) *state = PLEX_ARCHIVE_DAMAGED;
    (void)H5Fclose(file);
  }
  PlexQuietEnd(&quiet);
  if (*state != PLEX_ARCHIVE_GOOD) {
    PetscCall(PlexTuneResultsDestroy(*n, results));
    *n = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveRead(const char path[], PetscInt *n, PlexTuneResult *results[], PlexArchiveState *state)
{
  PetscFunctionBegin;
  PetscCall(PlexArchiveReadOnly(path, NULL, n, results, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveFind(const char path[], const PlexTuneProblem *problem, const PlexTuneMesh *mesh, PetscInt products, PlexTuneResult *result, PlexArchiveState *state)
{
  PlexTuneResult *all;
  PetscInt        n, nearest = -1;
  char            name[64];
  double          least = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(result, sizeof(*result)));
  PlexProblemName(problem, name);
  PetscCall(PlexArchiveReadOnly(path, name, &n, &all, state));
  for (PetscInt k = 0; k < n; ++k) {
    const double distance = PlexMeshDistance(mesh, &all[k].mesh);

    if (all[k].products != products || !(distance < least)) continue;
    least   = distance;
    nearest = k;
  }
  if (nearest >= 0) {
    *result                 = all[nearest];
    all[nearest].candidates = NULL;
  }
  PetscCall(PlexTuneResultsDestroy(n, &all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the file, a copy that nobody else sees */
static PetscBool PlexArchivePut(hid_t file, const PlexTuneResult *r)
{
  PlexTuneResult copy = *r;
  hid_t          problem, mesh = -1;
  char           name[64];
  PetscBool      good;

  PlexProblemName(&r->problem, name);
  good    = (PetscBool)(H5Lexists(file, name, H5P_DEFAULT) > 0);
  problem = good ? H5Gopen2(file, name, H5P_DEFAULT) : H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  good    = (PetscBool)(problem >= 0 && (good || PlexProblemDo(problem, &copy, PETSC_TRUE)));
  PlexMeshName(&r->mesh, r->products, name);
  if (good && H5Lexists(problem, name, H5P_DEFAULT) > 0) good = (PetscBool)(H5Ldelete(problem, name, H5P_DEFAULT) >= 0);
  if (good) mesh = H5Gcreate2(problem, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  good = (PetscBool)(good && mesh >= 0 && PlexResultWrite(mesh, r));
  if (mesh >= 0) (void)H5Gclose(mesh);
  if (problem >= 0) (void)H5Gclose(problem);
  return good;
}

PetscErrorCode PlexArchiveAdd(const char path[], const PlexTuneResult *r, char kept[PETSC_MAX_PATH_LEN], PetscBool *written)
{
  PlexTuneResult  *all;
  PlexArchiveState state;
  PlexArchiveFile  file;
  PlexQuiet        quiet;
  PetscInt         n;
  PetscBool        exists, good = PETSC_FALSE;
  hid_t            copy;

  PetscFunctionBegin;
  kept[0]  = 0;
  *written = PETSC_FALSE;
  PetscCall(PlexArchiveBegin_Private(path, &file, &exists));
  PetscCall(PlexArchiveRead(path, &n, &all, &state)); /* whether what is there can be read to its end */
  PetscCall(PlexTuneResultsDestroy(n, &all));
  if (state == PLEX_ARCHIVE_DAMAGED) {
    PetscCall(PlexArchivePutAside_Private(&file, kept));
    exists = PETSC_FALSE;
  }
  if (state != PLEX_ARCHIVE_UNREADABLE && (state != PLEX_ARCHIVE_DAMAGED || kept[0]) && exists == (state == PLEX_ARCHIVE_GOOD)) {
    PlexQuietBegin(&quiet);
    copy = PlexOpenFile(file.temporary, exists ? H5F_ACC_RDWR : H5F_ACC_EXCL);
    good = (PetscBool)(copy >= 0 && PlexArchivePut(copy, r));
    if (copy >= 0) good = (PetscBool)(H5Fclose(copy) >= 0 && good);
    PlexQuietEnd(&quiet);
  }
  PetscCall(PlexArchiveEnd_Private(&file, good, written));
  PetscFunctionReturn(PETSC_SUCCESS);
}
