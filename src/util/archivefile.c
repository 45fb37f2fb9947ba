/*
  The archive's file. Who changes it holds a lock, writes a new file, and puts that in its place at once: readers need
  no lock and see the old file or the new one, and a process that ends on the way leaves the old one. The lock is a file
  beside it that stays there.
*/
#define _GNU_SOURCE
#include "archive.h"
#include "file.h"
#include <unistd.h>

static const char PlexArchiveTitle[] = "PlexGPU tuning results ";

const char *PlexArchiveStateText_Private(PlexArchiveState state)
{
  switch (state) {
  case PLEX_ARCHIVE_HDF5:
    return "is an HDF5 file, as earlier versions have written it, and results are kept as text now";
  case PLEX_ARCHIVE_REFUSED:
    return "belongs to another user, or others may write to it (chmod go-w), or it is a link";
  case PLEX_ARCHIVE_UNREADABLE:
    return "cannot be read";
  default:
    return "cannot be written";
  }
}

static PetscBool PlexBegins(const char line[], const char end[], const char word[])
{
  return (PetscBool)((size_t)(end - line) >= strlen(word) && !strncmp(line, word, strlen(word)));
}

/* Whether the line "end HASH" is that of a block from `begin` on */
static PetscBool PlexBlockIsWhole(const char begin[], const char line[], const char end[])
{
  char expected[32];

  (void)snprintf(expected, sizeof(expected), "end %016llx",
                 (unsigned long long)PlexTextHash_Private(PLEX_TEXT_HASH, begin, (size_t)(line - begin)));
  return (PetscBool)((size_t)(end - line) == strlen(expected) && !memcmp(line, expected, strlen(expected)));
}

/* Blocks of a text, [f->n] */
static PetscErrorCode PlexArchiveFileParse(PlexArchiveFile *f, size_t length)
{
  const char *last = f->text + length, *begin = NULL, *end;

  PetscFunctionBegin;
  for (const char *line = f->text; line < last; line = end + 1) {
    end = (const char *)memchr(line, '\n', (size_t)(last - line));
    if (!end) end = last;
    if (PlexBegins(line, end, "result ")) {
      if (begin) f->state = PLEX_ARCHIVE_DAMAGED; /* the block before has no end */
      begin = line;
    } else if (PlexBegins(line, end, "end ")) {
      if (begin && PlexBlockIsWhole(begin, line, end)) {
        const char *first = (const char *)memchr(begin, '\n', (size_t)(line - begin));

        /* as many as there can be */
        if (!f->blocks) PetscCall(PetscMalloc1(length / strlen("result \nend ") + 1, &f->blocks));
        f->blocks[f->n++] = (PlexBlock){begin + strlen("result "),
                                        first + 1,
                                        line,
                                        (size_t)(first - begin) - strlen("result "),
                                        begin,
                                        (size_t)(end - begin)};
      } else f->state = PLEX_ARCHIVE_DAMAGED;
      begin = NULL;
    } else if (!begin && line < end && *line != '#' && line != f->text) f->state = PLEX_ARCHIVE_DAMAGED;
  }
  if (begin) f->state = PLEX_ARCHIVE_DAMAGED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveFileRead_Private(const char path[], PlexArchiveFile *f)
{
  static const char hdf5[] = {(char)0x89, 'H', 'D', 'F'};
  PlexFileState     state;
  char              why[PLEX_FILE_WHY];
  size_t            n;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(f, sizeof(*f)));
  PetscCall(PlexFileRead(path, PETSC_FALSE, &f->text, &n, &state, why));
  if (!f->text) {
    f->state = state == PLEX_FILE_ABSENT  ? PLEX_ARCHIVE_ABSENT
             : state == PLEX_FILE_REFUSED ? PLEX_ARCHIVE_REFUSED
                                          : PLEX_ARCHIVE_UNREADABLE;
    PetscCall(PetscInfo(NULL, "Archive of tuning results %s: %s\n", path, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  f->state = PLEX_ARCHIVE_GOOD;
  if (n >= sizeof(hdf5) && !memcmp(f->text, hdf5, sizeof(hdf5))) f->state = PLEX_ARCHIVE_HDF5;
  else {
    if (n && !PlexBegins(f->text, f->text + n, PlexArchiveTitle)) f->state = PLEX_ARCHIVE_DAMAGED;
    PetscCall(PlexArchiveFileParse(f, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveFileDestroy_Private(PlexArchiveFile *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(f->text));
  PetscCall(PetscFree(f->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file also gets the name FILE.damaged, or FILE.damaged.2 and so on: nothing is overwritten. kept[] is empty where
   that did not work */
static PetscErrorCode PlexArchiveKeep(const char path[], char kept[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s.damaged", path));
  for (int k = 2; !access(kept, F_OK); ++k)
    PetscCall(PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s.damaged.%d", path, k));
  if (link(path, kept) && rename(path, kept)) kept[0] = 0; /* not every file system has links */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole of the new file */
static PetscErrorCode PlexArchiveFileCompose(const PlexArchiveFile *old, const char key[], const PlexText *lines,
                                             PlexText *all)
{
  const size_t nkey = strlen(key);
  size_t       begin;

  PetscFunctionBegin;
  PetscCall(PlexTextPrintf(all,
                           "%s1\n# What -plex_assembly_tune and -plex_dg_tune have measured, a block a result. The "
                           "file may be deleted at any time.\n",
                           PlexArchiveTitle));
  for (PetscInt k = 0; k < old->n; ++k) {
    const PlexBlock *b = &old->blocks[k];

    if (b->nkey == nkey && !memcmp(b->key, key, nkey)) continue;
    PetscCall(PlexTextAppend(all, "\n", 1));
    PetscCall(PlexTextAppend(all, b->all, b->nall));
    PetscCall(PlexTextAppend(all, "\n", 1));
  }
  PetscCall(PlexTextAppend(all, "\n", 1));
  begin = all->length;
  PetscCall(PlexTextPrintf(all, "result %s\n", key));
  PetscCall(PlexTextAppend(all, lines->text, lines->length));
  PetscCall(PlexTextPrintf(all, "end %016llx\n",
                           (unsigned long long)PlexTextHash_Private(PLEX_TEXT_HASH, all->text + begin,
                                                                    all->length - begin)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveFileAdd_Private(const char path[], const char key[], const PlexText *lines,
                                          char kept[PETSC_MAX_PATH_LEN], PlexArchiveState *state, PetscBool *written)
{
  PlexArchiveFile old;
  PlexFilePart    part;
  PlexText        all = {NULL, 0, 0};
  int             lock;

  PetscFunctionBegin;
  kept[0]  = 0;
  *written = PETSC_FALSE;
  PetscCall(PlexFileLock(path, PETSC_FALSE, &lock));
  PetscCall(PlexArchiveFileRead_Private(path, &old));
  *state = old.state;
  if (old.state == PLEX_ARCHIVE_DAMAGED) PetscCall(PlexArchiveKeep(path, kept));
  if (old.state == PLEX_ARCHIVE_GOOD || old.state == PLEX_ARCHIVE_ABSENT || kept[0]) {
    PetscCall(PlexArchiveFileCompose(&old, key, lines, &all));
    part = (PlexFilePart){all.text, all.length};
    PetscCall(PlexFileWrite(path, PETSC_FALSE, 1, &part, written));
    PetscCall(PetscFree(all.text));
  }
  if (kept[0] && !*written && !rename(kept, path)) kept[0] = 0; /* as it was */
  PetscCall(PlexArchiveFileDestroy_Private(&old));
  if (lock >= 0) (void)close(lock); /* gives the lock back */
  PetscFunctionReturn(PETSC_SUCCESS);
}
