/* The files of the pointwise functions where debugging information is to say them: -plex_assembly_source auto */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexAgreeOnText() */

/* Adds the file of a function to files, with a comma before it; *text: why it is not found */
static PetscErrorCode PlexFindFile(PetscVoidFn *fn, const char name[], PlexDebug *opened, char **files, char **text)
{
  char        path[PETSC_MAX_PATH_LEN], reason[PETSC_MAX_PATH_LEN + 128], *more;
  const char *at;
  size_t      length, n;

  PetscFunctionBegin;
  PetscCall(PlexSymbolFile(fn, opened, path, reason, sizeof(reason)));
  PetscCall(PetscStrlen(path, &n));
  if (!n) {
    length = sizeof(reason) + 256;
    PetscCall(PetscMalloc1(length, text));
    PetscCall(PetscSNPrintf(*text, length, "the pointwise function '%s': %s", name ? name : "?", reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (at = *files; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (!strncmp(at, path, n) && (!at[n] || at[n] == ',')) PetscFunctionReturn(PETSC_SUCCESS);
  length = n + 2 + (*files ? strlen(*files) : 0);
  PetscCall(PetscMalloc1(length, &more));
  PetscCall(PetscSNPrintf(more, length, "%s%s%s", *files ? *files : "", *files ? "," : "", path));
  PetscCall(PetscFree(*files));
  *files = more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFindFiles(const PlexFunctions functions[], PetscInt n, PlexDebug *opened, char **files,
                                    char **text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt k = 0; k < functions[i].n && !*text; ++k)
      PetscCall(PlexFindFile(functions[i].fn[k], functions[i].names[k], opened, files, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyFindSource_Private(PlexAssembly asm_, PlexAssembly first)
{
  char     *text = NULL, *files = NULL;
  PlexDebug opened = NULL;
  PetscBool is, same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(asm_->source, "auto", &is));
  if (!is || !first || !asm_->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrallocpy(asm_->found, &files));
  for (PlexAssembly term = first; term; term = term->next) {
    PlexForm form;

    PetscCall(PlexFormCreateIntegral(asm_->dm, &term->integral, &form));
    for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexFindFiles(form->f[k], form->Nf, &opened, &files, &text));
    for (PetscInt k = 0; k < 4; ++k) {
      PetscCall(PlexFindFiles(form->g[k], form->Nf * form->Nf, &opened, &files, &text));
      PetscCall(PlexFindFiles(form->d[k], form->Nf * form->Nf, &opened, &files, &text));
    }
    PetscCall(PlexFormDestroy(&form));
  }
  PetscCall(PlexDebugClose(&opened));
  PetscCall(PlexAgreeOnText(PetscObjectComm((PetscObject)asm_->dm), &text));
  PetscCheck(!text || asm_->fallback, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONGSTATE,
             "-plex_assembly_source auto: %s; or name the files, or use -plex_assembly_backend host, which needs none",
             text);
  if (text)
    PetscCall(PlexAssemblyLeave_Private(
      asm_, "-plex_assembly_source auto does not find all files (compile with -g, or name them)", text));
  PetscCall(PetscStrcmp(files, asm_->found, &same));
  if (!same) PetscCall(PlexProgramDestroy(&asm_->program)); /* read again, with the new ones */
  PetscCall(PetscFree(asm_->found));
  asm_->found = files;
  if (files) PetscCall(PetscInfo(asm_, "Pointwise functions are taken from %s\n", files));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
