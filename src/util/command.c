/*
  Programs run by the library: compilers at run time. Which one, how it is called, and a folder for its files.
*/
#define _GNU_SOURCE
#include "command.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Whether the first word of a command is a program that can be run: a path, or a name in one of the folders of PATH */
PetscErrorCode PlexCommandExists(const char command[], PetscBool *exists)
{
  const char *path = getenv("PATH");
  char      **folders, file[PETSC_MAX_PATH_LEN], word[PETSC_MAX_PATH_LEN];
  int         n;

  PetscFunctionBegin;
  *exists = PETSC_FALSE;
  PetscCall(PetscStrncpy(word, command, sizeof(word)));
  word[strcspn(word, " ")] = 0;
  if (!word[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (strchr(word, '/')) {
    *exists = (PetscBool)!access(word, X_OK);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrToArray(path ? path : "/usr/bin:/bin", ':', &n, &folders));
  for (int i = 0; i < n && !*exists; ++i) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s/%s", folders[i], word));
    *exists = (PetscBool)!access(file, X_OK);
  }
  PetscCall(PetscStrToArrayDestroy(n, folders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the words of a text to a list of arguments */
PetscErrorCode PlexArgumentsAdd(PetscInt max, PetscInt *n, char *argv[], const char words[])
{
  char **list;
  int    k;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(words, ' ', &k, &list));
  for (int i = 0; i < k; ++i) {
    PetscCheck(*n < max, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than %" PetscInt_FMT " arguments of the compiler", max);
    PetscCall(PetscStrallocpy(list[i], &argv[(*n)++]));
  }
  PetscCall(PetscStrToArrayDestroy(k, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a program with what it says sent to the file `log`; *status is its exit status, 127 when it could not be run */
PetscErrorCode PlexRunProgram(char *argv[], const char log[], int *status)
{
  posix_spawn_file_actions_t actions;
  pid_t                      child;

  PetscFunctionBegin;
  *status = 127;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (!posix_spawnp(&child, argv[0], &actions, NULL, argv, environ)) {
    int s, got;

    do got = (int)waitpid(child, &s, 0);
    while (got < 0 && errno == EINTR);
    if (got == child) *status = WIFEXITED(s) ? WEXITSTATUS(s) : 128;
  }
  posix_spawn_file_actions_destroy(&actions);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* source, object: names of the compiler's files in the folder */
PetscErrorCode PlexWorkplaceCreate(PlexWorkplace *w, const char source[], const char object[])
{
  const char *tmp = getenv("TMPDIR");

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(w->folder, sizeof(w->folder), "%s/plexgpu-XXXXXX", tmp && tmp[0] ? tmp : "/tmp"));
  PetscCheck(mkdtemp(w->folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot make the folder %s for the compiler's files: set TMPDIR to a folder that can be written",
             w->folder);
  PetscCall(PetscSNPrintf(w->source, sizeof(w->source), "%s/%s", w->folder, source));
  PetscCall(PetscSNPrintf(w->object, sizeof(w->object), "%s/%s", w->folder, object));
  PetscCall(PetscSNPrintf(w->log, sizeof(w->log), "%s/log", w->folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWorkplaceDestroy(PlexWorkplace *w, PetscBool keepObject)
{
  PetscFunctionBegin;
  (void)unlink(w->source);
  (void)unlink(w->log);
  if (!keepObject) {
    (void)unlink(w->object);
    (void)rmdir(w->folder);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
