/* The files of an application's source. */
#include "source.h"

static PetscErrorCode PlexUnitCreate(const char path[], const char prefix[], PlexUnit *unit)
{
  char original[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(unit, sizeof(*unit)));
  PetscCall(PetscStrallocpy(path, &unit->path));
  PetscCall(PlexPreprocess(path, prefix, &unit->text, &unit->asIs));
  if (unit->asIs) { /* files beside it are included later */
    PetscCall(PetscFree(unit->path));
    PetscCall(PetscGetRealPath(path, original));
    PetscCall(PetscStrallocpy(original, &unit->path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* what it was made of */
  if (strlen(path) > 2 && !strcmp(path + strlen(path) - 2, ".i") &&
      sscanf(unit->text, "# %*d \"%4000[^\"]\"", original) == 1) {
    PetscCall(PetscFree(unit->path));
    PetscCall(PetscStrallocpy(original, &unit->path));
  }
  PetscCall(PlexUnitTokenize(unit));
  PetscCall(PlexUnitSplit(unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexUnitDestroy(PlexUnit *unit)
{
  PetscFunctionBegin;
  for (int k = 0; k < unit->nfiles; ++k) PetscCall(PetscFree(unit->files[k]));
  for (int k = 0; k < unit->nnames; ++k) PetscCall(PetscFree(unit->names[k]));
  PetscCall(PetscFree(unit->files));
  PetscCall(PetscFree(unit->names));
  PetscCall(PetscFree(unit->spelling));
  PetscCall(PetscFree(unit->table));
  PetscCall(PetscFree(unit->first));
  PetscCall(PetscFree(unit->tokens));
  PetscCall(PetscFree(unit->declarations));
  PetscCall(PetscFree(unit->entities));
  PetscCall(PetscFree(unit->text));
  PetscCall(PetscFree(unit->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C files one by one, and behind them those of C++ as one text */
static PetscErrorCode PlexProgramRead(PlexProgram program, int n, char *const paths[], const char prefix[])
{
  char         **cxx;
  int            ncxx = 0;
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &program->units));
  PetscCall(PetscMalloc1(n, &cxx));
  for (int k = 0; k < n && !ierr; ++k)
    if (PlexPathIsCxx(paths[k])) cxx[ncxx++] = paths[k];
    else ierr = PlexUnitCreate(paths[k], prefix, &program->units[program->nunits++]);
  if (!ierr && ncxx) {
    PlexUnit *unit = &program->units[program->nunits++];

    unit->asIs = unit->cxx = PETSC_TRUE;
    ierr                   = PlexCxxRead(ncxx, cxx, prefix, &unit->text);
    if (!ierr) ierr = PetscStrallocpy(cxx[0], &unit->path);
  }
  PetscCall(PetscFree(cxx));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexProgramCreate - Reads the source files of an application

  Not Collective

  Input Parameters:
+ files  - paths with commas between; C files, headers, preprocessed C (.i), or C++ files and headers by their suffix
- prefix - of the options `-plex_assembly_source_flags` and `-plex_assembly_source_compiler`, or `NULL`

  Output Parameter:
. program - the files, preprocessed and split into declarations
*/
PetscErrorCode PlexProgramCreate(const char files[], const char prefix[], PlexProgram *program)
{
  char         **paths;
  int            n;
  PlexProgram    p;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *program = NULL;
  PetscCall(PetscNew(&p));
  PetscCall(PetscStrallocpy(files, &p->files));
  PetscCall(PetscStrToArray(files, ',', &n, &paths));
  ierr = PlexProgramRead(p, n, paths, prefix);
  PetscCall(PetscStrToArrayDestroy(n, paths));
  if (ierr) PetscCall(PlexProgramDestroy(&p));
  PetscCall(ierr);
  *program = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexProgramDestroy(PlexProgram *program)
{
  PetscFunctionBegin;
  if (!*program) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < (*program)->nunits; ++k) PetscCall(PlexUnitDestroy(&(*program)->units[k]));
  PetscCall(PetscFree((*program)->units));
  PetscCall(PetscFree((*program)->files));
  PetscCall(PetscFree(*program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether an entity is the thing itself: not a prototype, an `extern` declaration, a tag named in passing */
static PetscBool PlexIsDefinition(const PlexUnit *unit, const PlexEntity *entity)
{
  const PlexDeclaration *d = &unit->declarations[entity->declaration];

  if (entity->kind == PLEX_TYPE || entity->kind == PLEX_ENUMERATOR) return PETSC_TRUE;
  if (entity->kind == PLEX_VARIABLE) return (PetscBool)!d->isExtern;
  return entity->defined;
}

PetscBool PlexNameClashes(PlexProgram program, int u, int name)
{
  const PlexUnit *unit = &program->units[u];

  if (PlexDeviceTakesName(unit->names[name])) return PETSC_TRUE;
  for (int v = 0; v < u; ++v) {
    const PlexUnit *other  = &program->units[v];
    const int       number = other->asIs ? -1 : PlexUnitFindName(other, unit->names[name]);

    for (int e = number < 0 ? -1 : other->first[number]; e >= 0; e = other->entities[e].next) {
      const PlexToken *there = &other->tokens[other->entities[e].token];

      if (!PlexIsDefinition(other, &other->entities[e])) continue;
      for (int f = unit->first[name]; f >= 0; f = unit->entities[f].next) {
        const PlexToken *here = &unit->tokens[unit->entities[f].token];

        if (PlexIsDefinition(unit, &unit->entities[f]) &&
            (here->line != there->line || strcmp(unit->files[here->file], other->files[there->file])))
          return PETSC_TRUE;
      }
    }
  }
  return PETSC_FALSE;
}
