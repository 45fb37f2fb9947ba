/*
  Results of tuning of assembly in a file of text (util/archive.h):

    result problem-<hash> mesh-<classes>
    device, backend, version, precision, cell, space, form, fixed, degree
    elements, dofs, row_length, mode, processes, products, measured, skipped, failed, budget, spent, date, best;
    bandwidth, flops, additions of the device as the cost model has them
    table candidates           PlexCandidate
    table model_input          what the cost model goes by, PlexModelInput of residual and Jacobian

  A mesh's classes are powers of sqrt(2) of its elements, and steps of a tenth of dofs an element and non-zeros a row:
  of each class one result is kept, and the nearest one of all is found.
*/
#include "tuneimpl.h"
#include "../../util/archive.h"

#define PLEX_RESULT(kind, name, member)    PLEX_FIELD(PlexTuneResult, PLEX_FIELD_##kind, name, member)
#define PLEX_CANDIDATE(kind, name, member) PLEX_FIELD(PlexCandidate, PLEX_FIELD_##kind, name, member)

static const PlexField PlexResultFields[] = {
  PLEX_RESULT(TEXT, "device", problem.device),
  PLEX_RESULT(TEXT, "backend", problem.backend),
  PLEX_RESULT(TEXT, "version", problem.version),
  PLEX_RESULT(TEXT, "precision", problem.precision),
  PLEX_RESULT(TEXT, "cell", problem.cell),
  PLEX_RESULT(TEXT, "space", problem.space),
  PLEX_RESULT(TEXT, "form", problem.form),
  PLEX_RESULT(TEXT, "fixed", problem.fixed),
  PLEX_RESULT(INTEGER, "degree", degree),
  PLEX_RESULT(REAL, "elements", mesh.elements),
  PLEX_RESULT(REAL, "dofs", mesh.dofs),
  PLEX_RESULT(REAL, "row_length", mesh.rowLength),
  PLEX_RESULT(INTEGER, "mode", mode),
  PLEX_RESULT(INTEGER, "processes", processes),
  PLEX_RESULT(INTEGER, "products", products),
  PLEX_RESULT(INTEGER, "measured", measured),
  PLEX_RESULT(INTEGER, "skipped", skipped),
  PLEX_RESULT(INTEGER, "failed", failed),
  PLEX_RESULT(INTEGER, "best", best),
  PLEX_RESULT(REAL, "budget", budget),
  PLEX_RESULT(REAL, "spent", spent),
  PLEX_RESULT(REAL, "bandwidth", rates.bandwidth),
  PLEX_RESULT(REAL, "flops", rates.flops),
  PLEX_RESULT(REAL, "additions", rates.additions),
  PLEX_RESULT(TEXT, "date", date),
};

static const PlexField PlexCandidateFields[] = {
  PLEX_CANDIDATE(TEXT, "type", type),
  PLEX_CANDIDATE(TEXT, "integration", integration),
  PLEX_CANDIDATE(INTEGER, "block", block),
  PLEX_CANDIDATE(INTEGER, "team", team),
  PLEX_CANDIDATE(INTEGER, "partition", partition),
  PLEX_CANDIDATE(INTEGER, "state", state),
  PLEX_CANDIDATE(REAL, "residual_seconds", seconds[PLEX_RESIDUAL]),
  PLEX_CANDIDATE(REAL, "jacobian_seconds", seconds[PLEX_JACOBIAN]),
  PLEX_CANDIDATE(REAL, "residual_predicted", predicted[PLEX_RESIDUAL]),
  PLEX_CANDIDATE(REAL, "jacobian_predicted", predicted[PLEX_JACOBIAN]),
  PLEX_CANDIDATE(REAL, "residual_bytes", bytes[PLEX_RESIDUAL]),
  PLEX_CANDIDATE(REAL, "jacobian_bytes", bytes[PLEX_JACOBIAN]),
  PLEX_CANDIDATE(REAL, "residual_flops", flops[PLEX_RESIDUAL]),
  PLEX_CANDIDATE(REAL, "jacobian_flops", flops[PLEX_JACOBIAN]),
  PLEX_CANDIDATE(REAL, "plan_seconds", plan),
  PLEX_CANDIDATE(REAL, "compile_seconds", compile),
};

#define PLEX_RESULT_FIELDS    ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(PlexResultFields))
#define PLEX_CANDIDATE_FIELDS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(PlexCandidateFields))

static void PlexModelInputGetFields(PlexField fields[PLEX_MODEL_INPUTS])
{
  for (int k = 0; k < PLEX_MODEL_INPUTS; ++k)
    fields[k] = (PlexField){PlexModelInputNames[k], PLEX_FIELD_REAL, (size_t)k * sizeof(double), sizeof(double)};
}

/* ---- Keys */

static void PlexProblemName(const PlexTuneProblem *problem, char name[64])
{
  const char *texts[] = {problem->device, problem->backend, problem->version, problem->precision,
                         problem->cell,   problem->space,   problem->form,    problem->fixed};

  PlexKeyName_Private("problem", PETSC_STATIC_ARRAY_LENGTH(texts), texts, name);
}

static int PlexClass(double number, double step)
{
  return (int)floor(0.5 + log(PetscMax(number, 1e-30)) / log(step));
}

static void PlexMeshName(const PlexTuneMesh *mesh, PetscInt products, char name[64])
{
  (void)snprintf(name, 64, "mesh-%d-%d-%d-%d", PlexClass(mesh->elements, PetscSqrtReal(2.0)),
                 PlexClass(mesh->dofs, 1.1), PlexClass(mesh->rowLength, 1.1), (int)products);
}

/* How far apart meshes are; 1 is too far */
static double PlexMeshDistance(const PlexTuneMesh *a, const PlexTuneMesh *b)
{
  const double e = PetscAbsReal(log(a->elements / b->elements)) / log(PetscSqrtReal(2.0)),
               d = PetscAbsReal(log(a->dofs / b->dofs)) / log(1.1),
               r = PetscAbsReal(log(a->rowLength / b->rowLength)) / log(1.1);

  return PetscMax(e, PetscMax(d, r));
}

/* ---- Results */

PetscErrorCode PlexTuneResultsDestroy(PetscInt n, PlexTuneResult *results[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree((*results)[k].candidates));
  PetscCall(PetscFree(*results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of another version's model the input may have other columns: zero is what those mean that are not there */
static PetscErrorCode PlexResultReadInput(const PlexBlock *block, PlexTuneResult *r)
{
  PlexField       fields[PLEX_MODEL_INPUTS];
  PlexModelInput *input = NULL;
  PetscInt        rows;
  PetscBool       good;

  PetscFunctionBegin;
  PlexModelInputGetFields(fields);
  PetscCall(PlexTableRead_Private(block, "model_input", PLEX_MODEL_INPUTS, fields, sizeof(PlexModelInput), &rows,
                                  &input, &good));
  if (good && rows == PLEX_PRODUCTS) PetscCall(PetscArraycpy(r->input, input, PLEX_PRODUCTS));
  if (good) PetscCall(PetscFree(input));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *good is false for a block that is whole and yet no result: nothing is then allocated */
static PetscErrorCode PlexResultRead(const PlexBlock *block, PlexTuneResult *r, PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  PetscCall(PlexFieldsRead_Private(block, PLEX_RESULT_FIELDS, PlexResultFields, r, good));
  if (*good)
    PetscCall(PlexTableRead_Private(block, "candidates", PLEX_CANDIDATE_FIELDS, PlexCandidateFields,
                                    sizeof(PlexCandidate), &r->n, &r->candidates, good));
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexResultReadInput(block, r));
  for (PetscInt k = 0; k < r->n; ++k) r->behind += r->candidates[k].state == PLEX_CANDIDATE_BEHIND;
  *good = (PetscBool)(r->best >= 0 && r->best < r->n);
  if (!*good) PetscCall(PetscFree(r->candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all problems, or of the one of this name */
static PetscErrorCode PlexArchiveReadOnly(const char path[], const char only[], PetscInt *n, PlexTuneResult *results[],
                                          PlexArchiveState *state)
{
  const char     *prefix = only ? only : "problem-"; /* nodal DG's are there, too */
  PlexArchiveFile file;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PlexArchiveFileRead_Private(path, &file));
  PetscCall(PetscMalloc1(file.n, results));
  for (PetscInt k = 0; k < file.n; ++k) {
    const PlexBlock *block = &file.blocks[k];
    PetscBool        good;

    if (block->nkey <= strlen(prefix) || strncmp(block->key, prefix, strlen(prefix)) ||
        (only && block->key[strlen(only)] != ' '))
      continue;
    PetscCall(PlexResultRead(block, &(*results)[*n], &good));
    if (good) ++*n;
    else file.state = PLEX_ARCHIVE_DAMAGED;
  }
  *state = file.state;
  PetscCall(PlexArchiveFileDestroy_Private(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveRead(const char path[], PetscInt *n, PlexTuneResult *results[], PlexArchiveState *state)
{
  PetscFunctionBegin;
  PetscCall(PlexArchiveReadOnly(path, NULL, n, results, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveFind(const char path[], const PlexTuneProblem *problem, const PlexTuneMesh *mesh,
                               PetscInt products, PlexTuneResult *result, PlexArchiveState *state)
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

PetscErrorCode PlexArchiveAdd(const char path[], const PlexTuneResult *r, char kept[PETSC_MAX_PATH_LEN],
                              PetscBool *written)
{
  PlexField        fields[PLEX_MODEL_INPUTS];
  PlexText         lines = {NULL, 0, 0};
  PlexArchiveState state;
  char             problem[64], mesh[64], key[160];

  PetscFunctionBegin;
  PlexProblemName(&r->problem, problem);
  PlexMeshName(&r->mesh, r->products, mesh);
  PetscCall(PetscSNPrintf(key, sizeof(key), "%s %s", problem, mesh));
  PlexModelInputGetFields(fields);
  PetscCall(PlexFieldsWrite_Private(&lines, PLEX_RESULT_FIELDS, PlexResultFields, r));
  PetscCall(PlexTableWrite_Private(&lines, "candidates", PLEX_CANDIDATE_FIELDS, PlexCandidateFields, r->n,
                                   sizeof(PlexCandidate), r->candidates));
  PetscCall(PlexTableWrite_Private(&lines, "model_input", PLEX_MODEL_INPUTS, fields, PLEX_PRODUCTS,
                                   sizeof(PlexModelInput), r->input));
  PetscCall(PlexArchiveFileAdd_Private(path, key, &lines, kept, &state, written));
  PetscCall(PetscFree(lines.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
