/* What -help says of options beyond what PetscOptionsInt() and the like say themselves */
#pragma once

#include <petscsys.h>

typedef struct {
  const char *option; /* "-plex_dg_bc" */
  const char *value;  /* "kind", and what of the name is the user's: "_label" of "-plex_dg_bc_label" */
  const char *text;
  const char *manual; /* the function whose manual page has it */
} PlexHelp;

/* Lines of options that are read elsewhere, as PetscOptionsGetString() does. Within PetscOptionsBegin() */
PETSC_INTERN PetscErrorCode PlexHelpSay_Private(PetscOptionItems, PetscInt n, const PlexHelp[]);
#define PlexHelpSay(items, options) PlexHelpSay_Private(items, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(options), options)

/* PetscOptionsBool3(), whose line of -help has a name for what is not known. Within PetscOptionsBegin() */
PETSC_INTERN PetscErrorCode PlexOptionsBool3_Private(PetscOptionItems, const char option[], const char text[],
                                                     const char manual[], PetscBool3 *value, PetscBool *set);

/* out[size]: "TEXT (one of) FIRST a b c", with the names of the list */
PETSC_INTERN PetscErrorCode PlexHelpChoices_Private(const char text[], const char first[], PetscFunctionList,
                                                    size_t size, char out[]);
