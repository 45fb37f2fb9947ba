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
#define THREADS_POOL   256

typedef struct {
  PlexThreadsLoop loop;
  void           *ctx;
  PetscInt        n, size; /* of the range; of a chunk */
  atomic_int      next;    /* chunk */
} Threads;

/* Threads that wait for loops: to start and end them for each would take longer than many a loop */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t  begin, end;
  pthread_t       threads[THREADS_POOL];
  int             n;
  Threads        *loop;    /* the present one */
  int             wanted;  /* more threads that it may have */
  int             working; /* threads that are in it */
  PetscBool       over;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .begin = PTHREAD_COND_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

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

static void ThreadsWork(Threads *t)
{
  for (;;) {
    const PetscInt64 begin = (PetscInt64)t->size * atomic_fetch_add(&t->next, 1);

    if (begin >= t->n) return;
    (*t->loop)(t->ctx, (PetscInt)begin, (PetscInt)PetscMin(begin + t->size, (PetscInt64)t->n));
  }
}

static void *ThreadsWait(void *unused)
{
  (void)unused;
  (void)pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (!pool.over && !pool.wanted) (void)pthread_cond_wait(&pool.begin, &pool.lock);
    if (pool.over) break;
    pool.wanted -= 1;
    pool.working += 1;
    (void)pthread_mutex_unlock(&pool.lock);
    ThreadsWork(pool.loop);
    (void)pthread_mutex_lock(&pool.lock);
    if (!--pool.working) (void)pthread_cond_signal(&pool.end);
  }
  (void)pthread_mutex_unlock(&pool.lock);
  return NULL;
}

/* A process that was forked has none of the threads */
static void ThreadsForget(void)
{
  pool.n = pool.wanted = pool.working = 0;
  (void)pthread_mutex_init(&pool.lock, NULL);
  (void)pthread_cond_init(&pool.begin, NULL);
  (void)pthread_cond_init(&pool.end, NULL);
}

/* The calling thread works too, and alone if there are to be no others. A thread that comes too late for the loop goes
   on waiting */
static void ThreadsShare(Threads *t, int others)
{
  static PetscBool forks = PETSC_FALSE;

  if (!forks) (void)pthread_atfork(NULL, NULL, ThreadsForget);
  forks = PETSC_TRUE;
  while (pool.n < others && !pthread_create(&pool.threads[pool.n], NULL, ThreadsWait, NULL)) ++pool.n;
  (void)pthread_mutex_lock(&pool.lock);
  pool.loop   = t;
  pool.wanted = PetscMin(others, pool.n);
  (void)pthread_cond_broadcast(&pool.begin);
  (void)pthread_mutex_unlock(&pool.lock);
  ThreadsWork(t);
  (void)pthread_mutex_lock(&pool.lock);
  pool.wanted = 0;
  while (pool.working) (void)pthread_cond_wait(&pool.end, &pool.lock);
  (void)pthread_mutex_unlock(&pool.lock);
}

PetscErrorCode PlexThreadsEnd(void)
{
  PetscFunctionBegin;
  (void)pthread_mutex_lock(&pool.lock);
  pool.over = PETSC_TRUE;
  (void)pthread_cond_broadcast(&pool.begin);
  (void)pthread_mutex_unlock(&pool.lock);
  for (; pool.n; --pool.n) (void)pthread_join(pool.threads[pool.n - 1], NULL);
  pool.over = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexThreadsRun(PetscInt n, PetscInt least, PlexThreadsLoop loop, void *ctx)
{
  Threads  t = {.loop = loop, .ctx = ctx, .n = n};
  PetscInt number;

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
  ThreadsShare(&t, (int)PetscMin(number - 1, THREADS_POOL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *a, *b;
  size_t      bytes;  /* of an item */
  PlexCount   differ; /* parts */
} Compare;

static void CompareLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Compare *c = (Compare *)ctx;

  const size_t first = c->bytes * (size_t)begin, n = c->bytes * (size_t)(end - begin);

  if (!PlexCountGet(&c->differ)) PlexCountAdd(&c->differ, memcmp(c->a + first, c->b + first, n) ? 1 : 0);
}

PetscErrorCode PlexThreadsCompare(PetscInt n, size_t bytes, const void *a, const void *b, PetscBool *equal)
{
  Compare c = {.a = (const char *)a, .b = (const char *)b, .bytes = bytes};

  PetscFunctionBegin;
  PlexCountInit(&c.differ);
  PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST, CompareLoop, &c));
  *equal = PlexCountGet(&c.differ) ? PETSC_FALSE : PETSC_TRUE;
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
