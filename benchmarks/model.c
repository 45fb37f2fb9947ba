static char help[] = "How far the cost model's choices are from the best types that tuning found, for each "
                     "result of an archive.\n\n"
                     "  -archive FILE          the archive (default tuning.txt)\n"
                     "  -most R                fail where the model's choice takes more than R times what the "
                     "best type does\n"
                     "  -terms FILE            write the terms of the model's sum for every type that was "
                     "measured, as comma separated\n"
                     "                         values: what benchmarks/tuning.py --fit takes to make the "
                     "model's constants\n\n";

/* ratio: time of the model's choice over that of the best type, at their own sizes; tuned: over that of the best
   candidate, of all sizes. The model is the present one, whatever it was when the results were measured: its input is
   kept with them. */
#include "rows.h"
#include <plexgpu/private/tuneimpl.h>

static PetscErrorCode Judge(PetscInt n, const PlexTuneResult results[], double *worst, PetscInt *judged)
{
  PetscFunctionBegin;
  *worst  = 0;
  *judged = 0;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-28s %-14s %6s %10s  %-8s %-16s %-16s %6s %6s\n", "device", "cell", "degree",
                        "elements", "product", "model's choice", "best type", "ratio", "tuned"));
  for (PetscInt k = 0; k < PLEX_PRODUCTS * n; ++k) {
    const PlexTuneResult *r    = &results[k / PLEX_PRODUCTS];
    const PlexProductKind kind = (PlexProductKind)(k % PLEX_PRODUCTS);
    const char           *pick, *best;
    double                ratio, tuned;

    PetscCall(PlexTuneResultJudgeModel(r, kind, &pick, &best, &ratio, &tuned));
    if (!pick) continue;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-28s %-14s %6" PetscInt_FMT " %10.0f  %-8s %-16s %-16s %6.2f %6.2f\n",
                          r->problem.device, r->problem.cell, r->degree, r->mesh.elements,
                          kind == PLEX_JACOBIAN ? "Jacobian" : "residual", pick, best, ratio, tuned));
    *worst = PetscMax(*worst, ratio);
    ++*judged;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of candidates that differ in how the Jacobian is integrated, which have the same time of the residual */
static PetscBool IsFirst(const PlexTuneResult *r, PetscInt i)
{
  for (PetscInt k = 0; k < i; ++k) {
    const PlexCandidate *c = &r->candidates[k], *o = &r->candidates[i];

    if (!strcmp(c->type, o->type) && c->block == o->block && c->team == o->team && c->partition == o->partition &&
        c->seconds[PLEX_RESIDUAL] > 0)
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* A line for each product and type that was measured at its own sizes; product is one of PLEX_MODEL_KINDS. The input is
   that of the integration that auto takes */
static PetscErrorCode WriteTerms(const char path[], PetscInt n, const PlexTuneResult results[])
{
  FILE *file = fopen(path, "w");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
  fprintf(file, "type,product,cell,degree,elements,seconds");
  for (PetscInt t = 0; t < PLEX_MODEL_TERMS; ++t) fprintf(file, ",term%d", (int)t);
  fprintf(file, "\n");
  for (PetscInt k = 0; k < n; ++k) {
    const PlexTuneResult *r = &results[k];

    for (PetscInt i = 0; i < r->n; ++i) {
      const PlexCandidate *c = &r->candidates[i];

      if (c->state != PLEX_CANDIDATE_MEASURED || c->block || c->team || c->partition) continue;
      for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
        const PetscBool tensor = (PetscBool)(r->input[kind].tensor > 0);
        PlexModelCost   cost;
        double          terms[PLEX_MODEL_TERMS];
        PetscInt        constants;

        if (!(r->products & (1 << kind)) || c->seconds[kind] <= 0 || r->input[kind].Ne <= 0) continue;
        if (kind == PLEX_RESIDUAL ? !IsFirst(r, i) : strcmp(c->integration, tensor ? "tensor" : "quadrature")) continue;
        PetscCall(PlexModelGetKind(&r->input[kind], c->type, &constants));
        if (constants < 0) continue;
        PetscCall(PlexModelGetTerms(&r->input[kind], c->type, &r->rates, &cost, terms));
        fprintf(file, "%s,%d,%s,%d,%.0f,%.9g", c->type, (int)constants, r->problem.cell, (int)r->degree,
                r->mesh.elements, c->seconds[kind]);
        for (PetscInt t = 0; t < PLEX_MODEL_TERMS; ++t) fprintf(file, ",%.9g", terms[t]);
        fprintf(file, "\n");
      }
    }
  }
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char             path[PETSC_MAX_PATH_LEN] = "tuning.txt", terms[PETSC_MAX_PATH_LEN] = "";
  PlexTuneResult  *results;
  PlexArchiveState state;
  PetscInt         n, judged;
  PetscReal        most = 0.0;
  double           worst;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "The cost model and an archive of tuning results", "");
  PetscCall(PetscOptionsString("-archive", "Archive", "model.c", path, path, sizeof(path), NULL));
  PetscCall(PetscOptionsReal("-most", "Largest ratio allowed; 0: any", "model.c", most, &most, NULL));
  PetscCall(PetscOptionsString("-terms", "File of comma separated values", "model.c", terms, terms, sizeof(terms),
                               NULL));
  PetscOptionsEnd();
  PetscCall(PlexArchiveRead(path, &n, &results, &state));
  PetscCheck(state == PLEX_ARCHIVE_GOOD, PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s %s: -archive FILE names one that -plex_assembly_tune has written", path,
             state == PLEX_ARCHIVE_ABSENT ? "does not exist" : "is no archive of tuning results, or is damaged");
  PetscCall(Judge(n, results, &worst, &judged));
  if (terms[0]) PetscCall(WriteTerms(terms, n, results));
  PetscCall(PlexTuneResultsDestroy(n, &results));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "result: benchmark=model results=%" PetscInt_FMT " worst=%.3f\n", judged,
                        worst));
  PetscCheck(most <= 0 || worst <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The model's choice takes up to %g times what the best type does, more than -most %g: fit its constants "
             "with benchmarks/tuning.py --fit",
             worst, (double)most);
  PetscCall(BenchFinalize(judged));
  return 0;
}
