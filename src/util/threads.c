/*
  Loops over plain arrays that run in several threads of the processor. PETSc is not thread-safe: a loop calls nothing
  of it, and nothing of MPI.
*/
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE /* sched_getaffinity() */
#endif
#include <plexgpu/private/util.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS_MOST   16 /* by default: set-up is limited by memory beyond that */
#define THREADS_CHUNKS 4  /* chunks a thread, on average: a thread that other programs slow down takes fewer */

typedef struct {
  PlexThreadsLoop loop;
  void           *ctx;
  PetscInt        n, size; /* of the range; of a chunk */
  atomic_int      next;    /* chunk */
} Threads;

/* Cores that this process may run on */
static PetscInt ThreadsCores(void)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  if (!sched_getaffinity(0, sizeof(set), &set)) return PetscMax(1, (PetscInt)CPU_COUNT(&set));
  return PetscMax(1, (PetscInt)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Processes of this node: as the program that started them says, else all */
static PetscErrorCode ThreadsProcesses(PetscInt *processes)
{
  const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
                               "SLURM_NTASKS_PER_NODE"};
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *processes = size;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names) && size > 1; ++k) {
    const char *text = getenv(names[k]);

    if (!text || atoi(text) <= 0) continue;
    *processes = atoi(text);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexThreadsGetNumber(PetscInt *n)
{
  PetscInt  processes;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plexgpu_threads", n, &set));
  PetscCheck(!set || *n > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-plexgpu_threads %" PetscInt_FMT ": at least 1 thread computes", *n);
  if (set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ThreadsProcesses(&processes));
  *n = PetscClipInterval(ThreadsCores() / processes, 1, THREADS_MOST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void *ThreadsWork(void *argument)
{
  Threads *t = (Threads *)argument;

  for (;;) {
    const PetscInt64 begin = (PetscInt64)t->size * atomic_fetch_add(&t->next, 1);

    if (begin >= t->n) return NULL;
    (*t->loop)(t->ctx, (PetscInt)begin, (PetscInt)PetscMin(begin + t->size, (PetscInt64)t->n));
  }
}

PetscErrorCode PlexThreadsRun(PetscInt n, PetscInt least, PlexThreadsLoop loop, void *ctx)
{
  Threads    t = {.loop = loop, .ctx = ctx, .n = n};
  pthread_t *threads;
  PetscInt   number, started = 0;

  PetscFunctionBegin;
  if (n <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plexgpu_threads_least", &least, NULL)); /* tests have small meshes */
  PetscCall(PlexThreadsGetNumber(&number));
  number = PetscMin(number, n / PetscMax(1, least));
  if (number <= 1) {
    (*loop)(ctx, 0, n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  t.size = PetscMax(PetscMax(1, least), (n - 1) / (THREADS_CHUNKS * number) + 1);
  atomic_init(&t.next, 0);
  PetscCall(PetscMalloc1(number, &threads));
  /* this thread works too, and alone if there are to be no others */
  while (started < number - 1 && !pthread_create(&threads[started], NULL, ThreadsWork, &t)) ++started;
  (void)ThreadsWork(&t);
  for (PetscInt k = 0; k < started; ++k) (void)pthread_join(threads[k], NULL);
  PetscCall(PetscFree(threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Items that have something */

#define SELECT_CHUNK 16384 /* items */

typedef struct {
  const char *is;
  PetscInt    n, *before; /* [chunks + 1] selected items of a chunk, then of those before */
  PetscBool   rest;
  int        *items;
} Select;

static void SelectCount(void *ctx, PetscInt begin, PetscInt end)
{
  Select *s = (Select *)ctx;

  for (PetscInt c = begin; c < end; ++c) {
    const PetscInt last = PetscMin(s->n, (c + 1) * SELECT_CHUNK);
    PetscInt       n    = 0;

    for (PetscInt k = c * SELECT_CHUNK; k < last; ++k) n += s->is[k] != 0;
    s->before[c + 1] = n;
  }
}

static void SelectFill(void *ctx, PetscInt begin, PetscInt end)
{
  Select        *s   = (Select *)ctx;
  const PetscInt all = s->before[(s->n + SELECT_CHUNK - 1) / SELECT_CHUNK];

  for (PetscInt c = begin; c < end; ++c) {
    const PetscInt first = c * SELECT_CHUNK, last = PetscMin(s->n, first + SELECT_CHUNK);
    int           *in = &s->items[s->before[c]], *out = &s->items[all + first - s->before[c]];

    for (PetscInt k = first; k < last; ++k) {
      if (s->is[k]) *in++ = (int)k;
      else if (s->rest) *out++ = (int)k;
    }
  }
}

PetscErrorCode PlexThreadsSelect(PetscInt n, const char is[], PetscBool rest, PetscInt *count, int **items)
{
  const PetscInt chunks = (n + SELECT_CHUNK - 1) / SELECT_CHUNK;
  Select         s      = {.is = is, .n = n, .rest = rest};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(chunks + 1, &s.before));
  PetscCall(PlexThreadsRun(chunks, 1, SelectCount, &s));
  for (PetscInt c = 0; c < chunks; ++c) s.before[c + 1] += s.before[c];
  *count = s.before[chunks];
  PetscCall(PetscMalloc1(rest ? n : *count, items));
  s.items = *items;
  PetscCall(PlexThreadsRun(chunks, 1, SelectFill, &s));
  PetscCall(PetscFree(s.before));
  PetscFunctionReturn(PETSC_SUCCESS);
}
