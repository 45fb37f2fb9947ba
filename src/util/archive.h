/*
  How results of tuning are kept: assembly's own (archive.c), and those of nodal DG, which may be in the same file. A
  text, a block of lines a result:

    PlexGPU tuning results 1

    result KEY                       the problem and the class of mesh: of each key there is one block
    NAME VALUE                       a line a field
    table NAME ROWS COLUMN ...       followed by so many lines of words
    end HASH                         FNV-1a, 64 bits, of all that is before it in the block, so that a damaged one is
                                     seen

  Lines that begin with # are left out. What is behind a damaged block is read again from the next "result" on.
*/
#pragma once

#include <plexgpu/private/util.h>
#include "text.h"

/* A member of a struct that is written and read under its name */
typedef enum {
  PLEX_FIELD_TEXT,   /* char[size] */
  PLEX_FIELD_REAL,   /* double */
  PLEX_FIELD_INTEGER /* int or PetscInt, by its size */
} PlexFieldKind;
typedef struct {
  const char   *name;
  PlexFieldKind kind;
  size_t        offset, size;
} PlexField;
#define PLEX_FIELD(Struct, kind, name, member) {name, kind, offsetof(Struct, member), sizeof(((Struct *)NULL)->member)}

/* Lines of a block, between its first and its last; key[] is the rest of its first line */
typedef struct {
  const char *key, *begin, *end;
  size_t      nkey;
  const char *all; /* the whole block */
  size_t      nall;
} PlexBlock;

/* archivetext.c */
PETSC_INTERN PetscErrorCode PlexFieldsWrite_Private(PlexText *, PetscInt n, const PlexField[], const void *from);
/* good: all are there */
PETSC_INTERN PetscErrorCode PlexFieldsRead_Private(const PlexBlock *, PetscInt n, const PlexField[], void *to,
                                                   PetscBool *good);
PETSC_INTERN PetscErrorCode PlexTableWrite_Private(PlexText *, const char name[], PetscInt n, const PlexField[],
                                                   PetscInt rows, size_t size, const void *from);
/* *to is allocated, [*rows] structs of a size; a column that the file does not have stays zero, and one that is not
   among the fields is left out */
PETSC_INTERN PetscErrorCode PlexTableRead_Private(const PlexBlock *, const char name[], PetscInt n, const PlexField[],
                                                  size_t size, PetscInt *rows, void *to, PetscBool *good);
/* <prefix>-<hash of n texts> */
PETSC_INTERN void     PlexKeyName_Private(const char prefix[], size_t n, const char *const texts[], char name[64]);
PETSC_INTERN uint64_t PlexTextHash_Private(uint64_t, const char[], size_t);
#define PLEX_TEXT_HASH 0xcbf29ce484222325ULL /* of nothing */

/* archivefile.c: a file, read as a whole; one process at a time changes it */
typedef struct {
  char            *text;
  PetscInt         n;
  PlexBlock       *blocks; /* [n], those that are not damaged */
  PlexArchiveState state;
} PlexArchiveFile;
PETSC_INTERN PetscErrorCode PlexArchiveFileRead_Private(const char path[], PlexArchiveFile *);
PETSC_INTERN PetscErrorCode PlexArchiveFileDestroy_Private(PlexArchiveFile *);
/* Writes a block, in place of one that has its key. A damaged file is renamed to kept[]. state: why nothing was
   written */
PETSC_INTERN PetscErrorCode PlexArchiveFileAdd_Private(const char path[], const char key[], const PlexText *lines,
                                                       char       kept[PETSC_MAX_PATH_LEN], PlexArchiveState *,
                                                       PetscBool *written);
/* Why a file is not used: "is an HDF5 file ..." */
PETSC_INTERN const char *PlexArchiveStateText_Private(PlexArchiveState);
