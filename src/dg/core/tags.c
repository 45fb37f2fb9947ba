/* Options whose names end with a label or a value of the mesh */
#include "coreimpl.h"

void PlexDGUnderscore_Private(char name[])
{
  for (char *c = name; *c; ++c)
    if (*c == ' ') *c = '_';
}

PetscErrorCode PlexDGFindLabel_Private(PlexDG dg, const char name[], size_t size, char label[], PetscBool *found)
{
  PetscInt n;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscStrncpy(label, name, size));
  PetscCall(DMGetNumLabels(dg->dm, &n));
  for (PetscInt l = 0; l < n; ++l) {
    const char *own;
    char        written[256];
    PetscBool   same, equal;

    PetscCall(DMGetLabelName(dg->dm, l, &own));
    PetscCall(PetscStrncpy(written, own, sizeof(written)));
    PlexDGUnderscore_Private(written);
    PetscCall(PetscStrcasecmp(written, name, &same)); /* as names of options are compared */
    PetscCall(PetscStrcmp(written, name, &equal));
    if (same) PetscCall(PetscStrncpy(label, own, size));
    if (same) *found = PETSC_TRUE;
    if (equal) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGEachTag_Private(PlexDG dg, const char name[], PetscErrorCode (*each)(PlexDG, const char tag[]))
{
  const char *prefix = ((PetscObject)dg)->prefix;
  char        begin[PETSC_MAX_OPTION_NAME], *all, **words;
  int         nwords;
  size_t      length;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(begin, sizeof(begin), "-%s%s_", prefix ? prefix : "", name));
  PetscCall(PetscStrlen(begin, &length));
  PetscCall(PetscOptionsGetAll(((PetscObject)dg)->options, &all));
  PetscCall(PetscStrToArray(all, ' ', &nwords, &words));
  for (int w = 0; w < nwords; ++w) {
    char      head[PETSC_MAX_OPTION_NAME];
    PetscBool same;

    PetscCall(PetscStrncpy(head, words[w], PetscMin(sizeof(head), length + 1)));
    PetscCall(PetscStrcasecmp(head, begin, &same));
    if (same && words[w][length]) PetscCall((*each)(dg, words[w] + length));
  }
  PetscCall(PetscStrToArrayDestroy(nwords, words));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
