/* A problem with parts taken away, and what it is in words. */
#include "fuzz.h"

static PetscInt *Function(PlexFuzzCase *c, PetscInt k, char name[32])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < PLEX_FUZZ_FIELDS; ++i) {
    for (PetscInt key = 0; key < PLEX_FUZZ_KEYS; ++key) {
      for (PetscInt s = 0; s < 2; ++s) {
        (void)snprintf(name, 32, "f%d.%d.%d", (unsigned char)s, (unsigned char)i, (unsigned char)key);
        if (n++ == k) return &c->f[s][i][key];
      }
      for (PetscInt j = 0; j < PLEX_FUZZ_FIELDS; ++j)
        for (PetscInt s = 0; s < 4; ++s) {
          (void)snprintf(name, 32, "g%d.%d.%d.%d", (unsigned char)s, (unsigned char)i, (unsigned char)j,
                         (unsigned char)key);
          if (n++ == k) return &c->g[s][i][j][key];
        }
    }
  }
  for (PetscInt s = 0; s < 6; ++s) {
    (void)snprintf(name, 32, "b%s%d", s < 2 ? "f" : "g", (int)(s < 2 ? s : s - 2));
    if (n++ == k) return s < 2 ? &c->bf[s] : &c->bg[s - 2];
  }
  return NULL;
}

/* Things that a problem may have, in the order in which they are tried; the functions follow */
static const char *const Names[] = {"field2",    "field1", "natural",    "essential", "region",  "rounds1", "rounds2",
                                    "clockwise", "curved", "cells1",     "cells2",    "cells3",  "cells5",  "faces",
                                    "periodic",  "shape",  "degrees1",   "degrees2",  "vectors", "aux0",    "aux1",
                                    "aux2",      "aux3",   "auxdegrees", "scales",    "overlap", "idle",    "moving"};
#define NAMES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Names))

/* Whether it changes anything is seen by comparing the cases */
static void Apply(const char name[], const PlexFuzzLibrary *l, PlexFuzzCase *c)
{
  const PetscInt number = name[strlen(name) - 1] - '0';
  char           function[32];
  PetscInt      *at;

  if (!strncmp(name, "field", 5)) c->Nf = PetscMin(c->Nf, number);
  else if (!strcmp(name, "natural")) c->natural = PETSC_FALSE;
  else if (!strcmp(name, "essential")) c->essential = PETSC_FALSE;
  else if (!strcmp(name, "region")) c->region = PETSC_FALSE;
  else if (!strncmp(name, "rounds", 6)) c->rounds = PetscMin(c->rounds, number);
  else if (!strcmp(name, "clockwise")) c->clockwise = PETSC_FALSE;
  else if (!strcmp(name, "curved")) c->curved = 0;
  else if (!strncmp(name, "cells", 5))
    c->cells = c->mesh == PLEX_FUZZ_PERIODIC ? 0 : !c->cells ? number : PetscMin(c->cells, number);
  else if (!strcmp(name, "faces")) c->faces[0] = c->faces[1] = c->faces[2] = c->mesh == PLEX_FUZZ_PERIODIC ? 3 : 1;
  else if (!strcmp(name, "periodic")) c->mesh = c->mesh == PLEX_FUZZ_PERIODIC ? PLEX_FUZZ_BOX : c->mesh;
  else if (!strcmp(name, "shape")) c->shape = PLEX_FUZZ_STRAIGHT;
  else if (!strncmp(name, "degrees", 7)) {
    for (PetscInt f = 0; f < PLEX_FUZZ_FIELDS; ++f) c->fields[f].degree = PetscMin(c->fields[f].degree, number);
  } else if (!strcmp(name, "vectors")) { /* functions for vectors go with them */
    for (PetscInt f = 0; f < PLEX_FUZZ_FIELDS; ++f) c->fields[f].Nc = 1;
    for (PetscInt k = 0; (at = Function(c, k, function)); ++k)
      if (*at >= 0 && (l->functions[*at].test == PLEX_FUZZ_DIM || l->functions[*at].trial == PLEX_FUZZ_DIM)) *at = -1;
  } else if (!strcmp(name, "auxdegrees")) {
    for (PetscInt f = 1; f < c->NfAux; ++f) {
      c->aux[f].degree = f == 1 ? 0 : 1;
      c->aux[f].disc   = PETSC_FALSE;
    }
  } else if (!strncmp(name, "aux", 3)) { /* likewise those that read them */
    c->NfAux = PetscMin(c->NfAux, number);
    for (PetscInt k = 0; (at = Function(c, k, function)); ++k)
      if (*at >= 0 && l->functions[*at].NfAux > c->NfAux) *at = -1;
  } else if (!strcmp(name, "scales")) {
    for (PetscInt f = 0; f < PLEX_FUZZ_FIELDS; ++f) {
      c->fields[f].scale = 1.;
      c->fields[f].shift = 0.;
    }
  } else if (!strcmp(name, "overlap")) c->overlap = 0;
  else if (!strcmp(name, "idle")) c->idle = PETSC_FALSE;
  else if (!strcmp(name, "moving")) {
    for (PetscInt k = 0; k < PLEX_FUZZ_ROUNDS; ++k) {
      c->moving[k] = PETSC_FALSE;
      c->time[k] = c->shift[k] = 0.;
    }
  }
  if (c->Nf < 2) c->region = PETSC_FALSE;
}

PetscErrorCode PlexFuzzReduce(const char names[], const PlexFuzzLibrary *library, PlexFuzzCase *c)
{
  char    **list, function[32];
  int       n;
  PetscInt *at;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(names, ',', &n, &list));
  for (int k = 0; k < n; ++k) {
    PetscBool known = PETSC_FALSE;

    for (PetscInt i = 0; i < NAMES && !known; ++i) known = (PetscBool)!strcmp(Names[i], list[k]);
    if (known) Apply(list[k], library, c);
    for (PetscInt i = 0; !known && (at = Function(c, i, function)); ++i) {
      if (strcmp(function, list[k])) continue;
      *at   = -1;
      known = PETSC_TRUE;
    }
    PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-without %s: there is nothing of this name",
               list[k]);
  }
  PetscCall(PetscStrToArrayDestroy(n, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexFuzzReduction(const PlexFuzzCase *c, PetscInt k, char name[32])
{
  PlexFuzzCase copy = *c;

  if (k < NAMES) {
    (void)snprintf(name, 32, "%s", Names[k]);
    return PETSC_TRUE;
  }
  return (PetscBool)(Function(&copy, k - NAMES, name) != NULL);
}

/* ---- in words */

static PetscErrorCode DescribeField(const char what[], PetscInt f, const PlexFuzzField *field)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "#   %s %" PetscInt_FMT ": degree %" PetscInt_FMT "%s, ", what, f,
                        field->degree, field->disc ? ", discontinuous P1" : ""));
  if (field->Nc) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " components", field->Nc));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a vector"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", values %g +- %g\n", (double)field->shift, (double)field->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzDescribe(const PlexFuzzCase *c, const PlexFuzzLibrary *library)
{
  static const char *const meshes[] = {"irregular", "box", "periodic box"}, *const shapes[] = {"straight",
                                                                                               "vertices moved",
                                                                                               "sheared", "stretched"};
  PlexFuzzCase copy = *c;
  char         name[32];
  PetscInt    *at;
  PetscBool    printed[PLEX_FUZZ_MOST_FUNCTIONS] = {PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "#   %s, %s, %s", DMPolytopeTypes[c->cell], meshes[c->mesh],
                        shapes[c->shape]));
  if (c->mesh == PLEX_FUZZ_IRREGULAR) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", variant %" PetscInt_FMT, c->variant));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT, c->faces[0],
                          c->faces[1], c->faces[2]));
  if (c->cells) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", at most %" PetscInt_FMT " cells", c->cells));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s%s%s%s%s%s\n", c->curved ? ", curved" : "",
                        c->clockwise ? ", clockwise" : "", c->essential ? ", essential conditions" : "",
                        c->natural ? ", natural conditions" : "", c->region ? ", the last field in a region" : "",
                        c->overlap ? ", overlap" : "", c->idle ? ", an idle process" : ""));
  for (PetscInt f = 0; f < c->Nf; ++f) PetscCall(DescribeField("field", f, &c->fields[f]));
  for (PetscInt f = 0; f < c->NfAux; ++f) PetscCall(DescribeField("auxiliary field", f, &c->aux[f]));
  for (PetscInt k = 0; k < c->rounds; ++k) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "#   round %" PetscInt_FMT ": t = %g, shift %g%s%s; constants", k,
                          (double)c->time[k], (double)c->shift[k], c->moving[k] ? ", with u_t" : "",
                          c->still[k] ? ", auxiliary velocity 0" : ""));
    for (PetscInt i = 0; i < PLEX_FUZZ_CONSTANTS; ++i)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %g", (double)PetscRealPart(c->constants[k][i])));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  for (PetscInt k = 0; (at = Function(&copy, k, name)); ++k) {
    const PetscBool used = (PetscBool)(*at >= 0 && (name[0] == 'b' ? c->natural
                                                                   : name[3] - '0' < c->Nf &&
                                                                       (name[0] == 'f' || name[5] - '0' < c->Nf)));

    if (!used) continue;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "#   %s:%s%s\n", name, printed[*at] ? " as above, " : "",
                          printed[*at] ? library->functions[*at].name : ""));
    if (!printed[*at]) PetscCall(PlexFuzzLibraryPrint(library, *at));
    printed[*at] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
