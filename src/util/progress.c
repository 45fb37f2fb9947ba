/*
  Progress of what takes long: set-up, compiling kernels, tuning. After 5 seconds, and then each time that the time has
  doubled, the first process prints a line on stderr,

    PlexGPU: 10 s: set-up of an assembly: compiling kernels global_nz

  A call to a compiler does not come back until it is done: a thread of its own looks at the clock, each second. It calls
  nothing of PETSc or MPI.
*/
#include "progress.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define PROGRESS_LEVELS  8
#define PROGRESS_SECONDS 5 /* before the first line */

static struct {
  pthread_mutex_t lock;
  pthread_cond_t  end;
  pthread_t       thread;
  PetscBool       wanted, running, over, forks;
  int             level;       /* what has begun, one within the other */
  time_t          begin, next; /* of the outermost; of the next line */
  char            what[PROGRESS_LEVELS][160], at[PROGRESS_LEVELS][64];
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ProgressSay(long seconds)
{
  (void)fprintf(stderr, "PlexGPU: %ld s", seconds);
  for (int k = 0; k < PetscMin(progress.level, PROGRESS_LEVELS); ++k)
    (void)fprintf(stderr, ": %s%s%s", progress.what[k], progress.at[k][0] ? ", " : "", progress.at[k]);
  (void)fprintf(stderr, "%s\n", seconds < 2 * PROGRESS_SECONDS ? " (-plexgpu_progress 0: without such lines)" : "");
  (void)fflush(stderr);
}

static void *ProgressWatch(void *unused)
{
  struct timespec now;

  (void)unused;
  (void)pthread_mutex_lock(&progress.lock);
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  while (!progress.over) {
    now.tv_sec += 1;
    (void)pthread_cond_timedwait(&progress.end, &progress.lock, &now);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!progress.level || progress.over || now.tv_sec < progress.next) continue;
    ProgressSay((long)(now.tv_sec - progress.begin));
    progress.next = now.tv_sec + (now.tv_sec - progress.begin);
  }
  (void)pthread_mutex_unlock(&progress.lock);
  return NULL;
}

/* A process that was forked has no such thread */
static void ProgressForget(void)
{
  (void)pthread_mutex_init(&progress.lock, NULL);
  progress.wanted = progress.running = PETSC_FALSE;
  progress.level                     = 0;
}

/* Signals are for the threads of the program */
static void ProgressStart(void)
{
  sigset_t           all, before;
  pthread_condattr_t attributes;

  if (!progress.forks) (void)pthread_atfork(NULL, NULL, ProgressForget);
  progress.forks = PETSC_TRUE;
  (void)pthread_condattr_init(&attributes);
  (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&progress.end, &attributes);
  (void)pthread_condattr_destroy(&attributes);
  progress.over = PETSC_FALSE;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  progress.running = (PetscBool)!pthread_create(&progress.thread, NULL, ProgressWatch, NULL);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!progress.running) progress.wanted = PETSC_FALSE;
}

int PlexProgressBegin_Private(const char format[], ...)
{
  va_list args;
  int     level;

  if (!progress.wanted) return 0;
  if (!progress.running) ProgressStart();
  if (!progress.running) return 0;
  (void)pthread_mutex_lock(&progress.lock);
  level = progress.level++;
  if (level < PROGRESS_LEVELS) {
    va_start(args, format);
    (void)vsnprintf(progress.what[level], sizeof(progress.what[level]), format, args);
    va_end(args);
    progress.at[level][0] = 0;
  }
  if (!level) {
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    progress.begin = now.tv_sec;
    progress.next  = now.tv_sec + PROGRESS_SECONDS;
  }
  (void)pthread_mutex_unlock(&progress.lock);
  return level;
}

void PlexProgressEnd_Private(int level)
{
  if (!progress.running) return;
  (void)pthread_mutex_lock(&progress.lock);
  progress.level = level;
  (void)pthread_mutex_unlock(&progress.lock);
}

void PlexProgressAt_Private(const char format[], ...)
{
  va_list args;
  int     level;

  if (!progress.running) return;
  (void)pthread_mutex_lock(&progress.lock);
  level = progress.level - 1;
  if (level >= 0 && level < PROGRESS_LEVELS) {
    va_start(args, format);
    (void)vsnprintf(progress.at[level], sizeof(progress.at[level]), format, args);
    va_end(args);
  }
  (void)pthread_mutex_unlock(&progress.lock);
}

PetscErrorCode PlexProgressInitialize_Private(void)
{
  PetscMPIInt rank;
  PetscBool   wanted = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plexgpu_progress", &wanted, NULL));
  progress.wanted = (PetscBool)(wanted && !rank);
  progress.level  = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexProgressFinalize_Private(void)
{
  PetscFunctionBegin;
  if (progress.running) {
    (void)pthread_mutex_lock(&progress.lock);
    progress.over = PETSC_TRUE;
    (void)pthread_cond_signal(&progress.end);
    (void)pthread_mutex_unlock(&progress.lock);
    (void)pthread_join(progress.thread, NULL);
    (void)pthread_cond_destroy(&progress.end);
  }
  progress.running = progress.wanted = PETSC_FALSE;
  progress.level                     = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
