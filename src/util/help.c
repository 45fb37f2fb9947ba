/*
  -help: options that are read where they are used, and not in the SetFromOptions() of their class, stand in tables there;
  lists of names that a choice is made from.

  The options of a class are shown once, by its first object.
*/
#include "help.h"

PetscErrorCode PlexHelpSay_Private(PetscOptionItems items, PetscInt n, const PlexHelp options[])
{
  PetscFunctionBegin;
  if (!items->printhelp || items->count != 1 || items->alreadyprinted) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; ++k)
    PetscCall((*PetscHelpPrintf)(items->comm, "  -%s%s <%s>: %s (%s)\n", items->prefix ? items->prefix : "",
                                 options[k].option + 1, options[k].value, options[k].text, options[k].manual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOptionsBool3_Private(PetscOptionItems items, const char option[], const char text[],
                                        const char manual[], PetscBool3 *value, PetscBool *set)
{
  const char *now  = *value == PETSC_BOOL3_UNKNOWN ? "unknown" : *value == PETSC_BOOL3_TRUE ? "true" : "false";
  PlexHelp    line = {option, now, NULL, manual};
  char        choice[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(choice, sizeof(choice), "%s (one of) unknown true false", text));
  line.text = choice;
  PetscCall(PlexHelpSay_Private(items, 1, &line));
  PetscCall(PetscOptionsGetBool3(items->options, items->prefix, option, value, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHelpChoices_Private(const char text[], const char first[], PetscFunctionList list, size_t size,
                                       char out[])
{
  const char **names;
  int          n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(out, size, "%s (one of)%s%s", text, first ? " " : "", first ? first : ""));
  PetscCall(PetscFunctionListGet(list, &names, &n));
  for (int k = 0; k < n; ++k) {
    PetscCall(PetscStrlcat(out, " ", size));
    PetscCall(PetscStrlcat(out, names[k], size));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}
