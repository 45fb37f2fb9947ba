/* The constants of the cost model and the thresholds of the choice, read once from models/nvidia-h200.txt in the folder
   of the device sources. Other devices have as much a processor, where nothing was measured */
#include "tuneimpl.h"
#include "../../backend/interface/backendimpl.h" /* PlexSourceGetFolder() */

#define PLEX_MODEL_FILE "models/nvidia-h200.txt"

static PlexModelData PlexModel;
static PetscBool     PlexModelRead = PETSC_FALSE;

/* In the order of the kinds of PlexModelGetKind() */
static const char *const PlexModelKinds[PLEX_MODEL_KINDS] = {"residual",  "quadrature", "tensors", "symmetry",
                                                             "sumfactor", "edges",      "partial", "runs"};

/* The row of a type, a new one if it has none yet */
static PetscErrorCode PlexModelRow(const char type[], const char path[], PlexModelType **row)
{
  PetscBool same = PETSC_FALSE;
  PetscInt  k    = 0;

  PetscFunctionBegin;
  for (; k < PlexModel.n; ++k) {
    PetscCall(PetscStrcmp(PlexModel.types[k].type, type, &same));
    if (same) break;
  }
  PetscCheck(k < PLEX_MODEL_TYPES, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s has more than %d types", path,
             PLEX_MODEL_TYPES);
  if (k == PlexModel.n) {
    PetscCall(PetscStrncpy(PlexModel.types[k].type, type, sizeof(PlexModel.types[k].type)));
    ++PlexModel.n;
  }
  *row = &PlexModel.types[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of a plan's time; *good: it is one */
static PetscErrorCode PlexModelPlanLine(const char line[], const char path[], PetscBool *good)
{
  char           type[32] = "", kind[32] = "";
  double         c[PLEX_MODEL_PLAN];
  PlexModelType *row;

  PetscFunctionBegin;
  *good = PETSC_FALSE;
  if (sscanf(line, "plan %31s %31s %lf %lf %lf", type, kind, &c[0], &c[1], &c[2]) != 2 + PLEX_MODEL_PLAN)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModelRow(type, path, &row));
  for (PetscInt k = 0; k < PLEX_MODEL_KINDS && !*good; ++k) {
    PetscCall(PetscStrcmp(kind, PlexModelKinds[k], good));
    if (*good) PetscCall(PetscArraycpy(row->plan[k], c, PLEX_MODEL_PLAN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line; *good: it is one of those that the file may have */
static PetscErrorCode PlexModelLine(const char line[], const char path[], PetscBool *good)
{
  const struct {
    const char *name;
    double     *value;
  } numbers[] = {
    {"processors",  &PlexModel.processors     },
    {"bandwidth",   &PlexModel.rates.bandwidth},
    {"flops",       &PlexModel.rates.flops    },
    {"additions",   &PlexModel.rates.additions},
    {"clear",       &PlexModel.clear          },
    {"least",       &PlexModel.least          },
    {"runs_dofs",   &PlexModel.runsDofs       },
    {"hexahedra",   &PlexModel.hexahedra      },
    {"edges_nodes", &PlexModel.edgesNodes     }
  };
  char           name[32] = "", kind[32] = "";
  double         c[PLEX_MODEL_TERMS];
  PetscBool      same;
  PlexModelType *row;
  const int n = sscanf(line, "%31s %31s %lf %lf %lf %lf %lf %lf", name, kind, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5]);

  PetscFunctionBegin;
  *good = (PetscBool)(n < 1 || name[0] == '#');
  if (*good) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(numbers) && n == 2; ++k) {
    PetscCall(PetscStrcmp(name, numbers[k].name, &same));
    if (same) *good = (PetscBool)(sscanf(kind, "%lf", numbers[k].value) == 1 && *numbers[k].value > 0);
  }
  PetscCall(PetscStrcmp(name, "plan", &same));
  if (same) PetscCall(PlexModelPlanLine(line, path, good));
  if (n < 3 || same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModelRow(name, path, &row));
  PetscCall(PetscStrcmp(kind, "apart", &same));
  if (same) row->apart = c[0];
  *good = (PetscBool)(same && n == 3);
  for (PetscInt k = 0; k < PLEX_MODEL_KINDS && n == 2 + PLEX_MODEL_TERMS && !*good; ++k) {
    PetscCall(PetscStrcmp(kind, PlexModelKinds[k], good));
    if (*good) PetscCall(PetscArraycpy(row->constants[k], c, PLEX_MODEL_TERMS));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModelGetData_Private(const PlexModelData **data)
{
  char      path[PETSC_MAX_PATH_LEN], line[512];
  PetscInt  n    = 0;
  PetscBool good = PETSC_TRUE;
  FILE     *file;

  PetscFunctionBegin;
  *data = &PlexModel;
  if (PlexModelRead) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSourceGetFolder(path));
  PetscCall(PetscStrlcat(path, "/" PLEX_MODEL_FILE, sizeof(path)));
  file = fopen(path, "r");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot read %s, which the choice of a type goes by: it is installed with the device sources. Name a "
             "folder that has it with -plexgpu_source_dir, or choose a type with -plex_assembly_type",
             path);
  PetscCall(PetscMemzero(&PlexModel, sizeof(PlexModel)));
  while (good && fgets(line, sizeof(line), file)) {
    PetscCall(PlexModelLine(line, path, &good));
    ++n;
  }
  (void)fclose(file);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "Line %" PetscInt_FMT
             " of %s is not one of the cost model's: the head of the file says what a line may be",
             n, path);
  PetscCheck(PlexModel.n == PLEX_MODEL_TYPES && PlexModel.processors > 0 && PlexModel.rates.bandwidth > 0 &&
               PlexModel.rates.flops > 0 && PlexModel.rates.additions > 0 && PlexModel.clear > 0 &&
               PlexModel.least > 0 && PlexModel.runsDofs > 0 && PlexModel.hexahedra > 0 && PlexModel.edgesNodes > 0,
             PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s lacks a type or a number", path);
  PlexModelRead = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
