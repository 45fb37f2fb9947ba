/*
  Results of tuning in a file of text, which may be that of assembly's tuning (assembly/tune/archive.c): their problems
  and these leave each other alone.

    result dg-<hash> mesh-<class>
    device, backend, version, precision, system, fixed, dim, degree
    elements, processes, skipped, budget, spent, date
    table candidates           PlexDGCandidate

  A mesh's class is a power of sqrt(2) of its elements a process: of each class one result is kept.
*/
#include "tune.h"
#include "../../../util/archive.h"

#define PLEX_RESULT(kind, name)    PLEX_FIELD(PlexDGTuneResult, PLEX_FIELD_##kind, #name, name)
#define PLEX_KEY(kind, name)       PLEX_FIELD(PlexDGTuneResult, PLEX_FIELD_##kind, #name, key.name)
#define PLEX_CANDIDATE(kind, name) PLEX_FIELD(PlexDGCandidate, PLEX_FIELD_##kind, #name, name)

static const PlexField PlexDGResultFields[] = {
  PLEX_KEY(TEXT, device),          PLEX_KEY(TEXT, backend),       PLEX_KEY(TEXT, version),
  PLEX_KEY(TEXT, precision),       PLEX_KEY(TEXT, system),        PLEX_KEY(TEXT, fixed),
  PLEX_KEY(INTEGER, dim),          PLEX_KEY(INTEGER, degree),     PLEX_RESULT(REAL, elements),
  PLEX_RESULT(INTEGER, processes), PLEX_RESULT(INTEGER, skipped), PLEX_RESULT(REAL, budget),
  PLEX_RESULT(REAL, spent),        PLEX_RESULT(TEXT, date),
};

static const PlexField PlexDGCandidateFields[] = {
  PLEX_CANDIDATE(INTEGER, part),     PLEX_CANDIDATE(INTEGER, microblock), PLEX_CANDIDATE(INTEGER, align),
  PLEX_CANDIDATE(INTEGER, way),      PLEX_CANDIDATE(INTEGER, partition),  PLEX_CANDIDATE(INTEGER, microblocks),
  PLEX_CANDIDATE(INTEGER, parallel), PLEX_CANDIDATE(INTEGER, inlined),    PLEX_CANDIDATE(INTEGER, sequential),
  PLEX_CANDIDATE(INTEGER, rows),     PLEX_CANDIDATE(REAL, seconds),       PLEX_CANDIDATE(REAL, bytes),
  PLEX_CANDIDATE(REAL, flops),
};

#define PLEX_RESULT_FIELDS    ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(PlexDGResultFields))
#define PLEX_CANDIDATE_FIELDS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(PlexDGCandidateFields))

/* Of a problem and a class of mesh */
static void PlexDGBlockName(const PlexDGTuneKey *key, int class, char name[128])
{
  char        numbers[64], problem[64];
  const char *texts[] = {key->device, key->backend, key->version, key->precision, key->system, key->fixed, numbers};

  (void)snprintf(numbers, sizeof(numbers), "%d %d", (int)key->dim, (int)key->degree);
  PlexKeyName_Private("dg", PETSC_STATIC_ARRAY_LENGTH(texts), texts, problem);
  (void)snprintf(name, 128, "%s mesh-%d", problem, class);
}

static int PlexDGMeshClass(double elements)
{
  return (int)floor(0.5 + 2. * log2(PetscMax(elements, 1.)));
}

static PetscErrorCode PlexDGResultRead(const PlexBlock *block, PlexDGTuneResult *r, PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(PlexFieldsRead_Private(block, PLEX_RESULT_FIELDS, PlexDGResultFields, r, good));
  if (*good)
    PetscCall(PlexTableRead_Private(block, "candidates", PLEX_CANDIDATE_FIELDS, PlexDGCandidateFields,
                                    sizeof(PlexDGCandidate), &r->n, &r->candidates, good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGArchiveFind_Private(const char path[], const PlexDGTuneKey *key, double elements,
                                         PlexDGTuneResult *r, PetscBool *found)
{
  const int       class = PlexDGMeshClass(elements), near[3] = {class, class - 1, class + 1};
  char            name[128];
  PlexArchiveFile file;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PlexArchiveFileRead_Private(path, &file));
  for (int k = 0; k < 3 && !*found; ++k) {
    PlexDGBlockName(key, near[k], name);
    for (PetscInt b = 0; b < file.n && !*found; ++b) {
      if (file.blocks[b].nkey != strlen(name) || strncmp(file.blocks[b].key, name, strlen(name))) continue;
      PetscCall(PlexDGResultRead(&file.blocks[b], r, found));
      if (*found && PetscMax(r->elements / elements, elements / r->elements) > PetscSqrtReal(2.)) {
        PetscCall(PetscFree(r->candidates));
        *found = PETSC_FALSE;
      }
    }
  }
  PetscCall(PlexArchiveFileDestroy_Private(&file));
  r->key = *key;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a result, as PlexArchiveAdd() does: a file that is no archive is renamed. why: why nothing was written */
PetscErrorCode PlexDGArchiveAdd_Private(const char path[], const PlexDGTuneResult *r, const char **why,
                                        PetscBool *written)
{
  PlexText         lines = {NULL, 0, 0};
  PlexArchiveState state;
  char             name[128], kept[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PlexDGBlockName(&r->key, PlexDGMeshClass(r->elements), name);
  PetscCall(PlexFieldsWrite_Private(&lines, PLEX_RESULT_FIELDS, PlexDGResultFields, r));
  PetscCall(PlexTableWrite_Private(&lines, "candidates", PLEX_CANDIDATE_FIELDS, PlexDGCandidateFields, r->n,
                                   sizeof(PlexDGCandidate), r->candidates));
  PetscCall(PlexArchiveFileAdd_Private(path, name, &lines, kept, &state, written));
  PetscCall(PetscFree(lines.text));
  *why = PlexArchiveStateText_Private(state);
  PetscFunctionReturn(PETSC_SUCCESS);
}
