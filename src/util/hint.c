/*
  A hint: one line on stderr, at the end of a run in which there was a GPU and all that PlexGPU did stayed on the host,
  or was copied there from the GPU each time. None where the user has named the backend, or hidden GPUs from the program.

  A GPU is what the driver of NVIDIA has in /dev: the device itself is not touched, as a program without CUDA would wait
  for that.
*/
#include "hint.h"
#include <ctype.h>
#include <dirent.h>

static struct {
  PetscBool wanted, ran[PLEX_RAN_WAYS];
  char      why[512];
} hint;

void PlexHintRan_Private(PlexRan how)
{
  hint.ran[how] = PETSC_TRUE;
}

void PlexHintWhy_Private(const char why[])
{
  (void)snprintf(hint.why, sizeof(hint.why), "%s", why);
}

/* A file nvidia0, nvidia1, ... of the folder; PLEXGPU_DEVICES is another folder than /dev, of tests */
static PetscBool HintFindGPU(void)
{
  const char    *visible = getenv("CUDA_VISIBLE_DEVICES"), *folder = getenv("PLEXGPU_DEVICES");
  DIR           *dir;
  struct dirent *entry;
  PetscBool      found = PETSC_FALSE;

  if (visible && (!visible[0] || visible[0] == '-' || !strcmp(visible, "NoDevFiles"))) return PETSC_FALSE;
  dir = opendir(folder ? folder : "/dev");
  if (!dir) return PETSC_FALSE;
  while (!found && (entry = readdir(dir)))
    found = (PetscBool)(!strncmp(entry->d_name, "nvidia", 6) && isdigit((unsigned char)entry->d_name[6]));
  (void)closedir(dir);
  return found;
}

PetscErrorCode PlexHintInitialize_Private(void)
{
  PetscMPIInt rank;
  PetscBool   wanted = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plexgpu_hint", &wanted, NULL));
  PetscCall(PetscMemzero(&hint, sizeof(hint)));
  hint.wanted = (PetscBool)(wanted && !rank);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHintFinalize_Private(void)
{
  const char *what = NULL;

  PetscFunctionBegin;
  if (!hint.wanted) PetscFunctionReturn(PETSC_SUCCESS);
  hint.wanted = PETSC_FALSE;
  if (hint.ran[PLEX_RAN_ASKED]) PetscFunctionReturn(PETSC_SUCCESS);
  if (hint.ran[PLEX_RAN_DEVICE]) {
    if (hint.ran[PLEX_RAN_COPIED])
      what = "matrices were copied from the GPU after each Jacobian: -dm_mat_type aijcusparse -dm_vec_type cuda leave "
             "them there";
  } else if ((hint.ran[PLEX_RAN_HOST] || hint.ran[PLEX_RAN_LEFT]) && HintFindGPU()) {
    if (hint.why[0]) what = hint.why;
    else if (hint.ran[PLEX_RAN_LEFT]) what = "all was left to PETSc, on the host, and a line above says why";
  }
  if (what)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "PlexGPU: %s%s (-plexgpu_hint 0: without this line)\n",
                           hint.ran[PLEX_RAN_DEVICE] ? "" : "there is a GPU, and nothing was computed on it: ", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}
