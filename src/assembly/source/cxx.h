/*
  Pointwise functions in C++. The C++ compiler of a kernel reads them whole; what is done before is

    files -> one text      cxxread.c       preprocessed, with cuda/standin/cxx.h in the place of system headers
          -> tokens        cxxtokens.c     enough to find declarations: names, numbers, strings, brackets
          -> device text   cxxedit.c       the text with a few words changed: variables, line markers
    symbol -> name         cxxnames.c      _ZN1A1fEi is A::f
*/
#pragma once

#include "source.h"
#include "../../util/text.h"

/* For messages */
#define PLEX_CXX_MAY_USE \
  "Files of pointwise functions in C++ may have classes, templates, constructors, references, constants, assert() " \
  "and " \
  "the functions of <cmath>, but no other part of the standard library, no exceptions and no variables that change; " \
  "the rest stands between #ifndef PLEXGPU_DEVICE and #endif or in another file."

typedef struct {
  const char *text; /* [length] in the text that was read */
  int         length;
  int         match; /* the other bracket, -1 for other tokens */
  char        kind;  /* PlexTokenKind */
} PlexCxxToken;

typedef struct {
  const char   *text;
  PlexCxxToken *tokens; /* [n] and one of length 0 */
  int           n, allocated;
} PlexCxxText;

/* cxxtokens.c */
PETSC_INTERN PetscErrorCode PlexCxxTokenize(const char text[], PlexCxxText *);
PETSC_INTERN PetscErrorCode PlexCxxTextDestroy(PlexCxxText *);
PETSC_INTERN PetscBool      PlexCxxIs(const PlexCxxText *, int token, const char text[]);
/* The file and line of a place in a text with line markers */
PETSC_INTERN void PlexCxxPlace(const char text[], const char *at, char file[PETSC_MAX_PATH_LEN], int *line);

/* cxxedit.c */
PETSC_INTERN PetscErrorCode PlexCxxEdit(const char text[], char **edited);
