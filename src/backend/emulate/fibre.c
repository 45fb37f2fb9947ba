/*
  The runtime of the emulated device: runs the threads of one block as fibres, block after block. What is shared by all
  threads of a warp or block (barriers, shuffles, products of tensor cores) happens when the last of them has come; a
  thread that is missing is an error.

  A fibre is a stack and a place to go on. It runs threads from their start to their end; when a thread waits (at a
  barrier, in a warp operation), its fibre keeps it and another fibre goes on: with a thread that may run again, else by
  starting the next thread. So kernels without barriers run on one fibre without a switch. When nothing can go on, the
  launch looks whether all threads have ended.

  A thread is  unstarted -> running <-> ready     and, at the end, exited
                               |  ^      ^
                               v  +------+--- the last thread arrives
                            waiting for its block, a barrier with a number, its warp, or a word of memory

  A thread that waits for a word of memory goes on when no other thread can. If nothing at all has happened since it
  last looked, it waits for a block that has not run yet: blocks run one after the other, and on a GPU, too, nobody
  promises that it ever starts.
*/
#define _GNU_SOURCE
#include "emulateimpl.h"
#include <sys/mman.h>
#include <unistd.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(PLEX_FIBRE_UCONTEXT)
  #define PLEX_FIBRE_ASSEMBLY 1
#else
  #define PLEX_FIBRE_ASSEMBLY 0
  #include <ucontext.h>
#endif

#define PLEX_STACK ((size_t)2 << 20) /* CUDA's local memory of a thread is at most 512 KiB */

/* ------------------------------------------------------------------------------------------------------------------
   Fibres: a stack each, and the switch from one to another
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexFibre *PlexFibre;
struct _n_PlexFibre {
#if PLEX_FIBRE_ASSEMBLY
  void *sp; /* where the registers lie that the next switch takes */
#else
  ucontext_t context;
#endif
  char     *stack;    /* [PLEX_STACK], its lowest page is a guard; NULL for the caller's own stack */
  PlexFibre nextFree; /* list of fibres that hold no thread */
  PlexFibre nextAll;
};

#if PLEX_FIBRE_ASSEMBLY
void plex_fibre_switch(void **from, void *to) __attribute__((visibility("hidden")));
  #if defined(__x86_64__)
/* Pushes the registers that a call preserves, exchanges the stacks, pops */
__asm__(".text\n"
        ".hidden plex_fibre_switch\n"
        ".globl plex_fibre_switch\n"
        ".type plex_fibre_switch,@function\n"
        "plex_fibre_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size plex_fibre_switch,.-plex_fibre_switch\n");

/* The first switch to a fibre pops six zeros and returns into `start`, with the stack aligned as behind a call */
static void *PlexFibreFirst(char *top, void (*start)(void))
{
  void **sp = (void **)top - 8;

  memset(sp, 0, 8 * sizeof(*sp));
  sp[6] = (void *)start;
  return sp;
}
  #else
__asm__(".text\n"
        ".hidden plex_fibre_switch\n"
        ".globl plex_fibre_switch\n"
        ".type plex_fibre_switch,%function\n"
        "plex_fibre_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size plex_fibre_switch,.-plex_fibre_switch\n");

static void *PlexFibreFirst(char *top, void (*start)(void))
{
  void **sp = (void **)top - 20;

  memset(sp, 0, 20 * sizeof(*sp));
  sp[11] = (void *)start;
  return sp;
}
  #endif
#endif

/* ------------------------------------------------------------------------------------------------------------------
   Threads of the block that runs
   ------------------------------------------------------------------------------------------------------------------ */

typedef enum {
  PLEX_THREAD_UNSTARTED,
  PLEX_THREAD_RUNNING,
  PLEX_THREAD_READY,
  PLEX_THREAD_BLOCK,
  PLEX_THREAD_BARRIER,
  PLEX_THREAD_WARP,
  PLEX_THREAD_POLL,
  PLEX_THREAD_EXITED
} PlexThreadState;

/* A copy that is on its way */
typedef struct {
  void       *to;
  const void *from;
  /* from shared memory, else to it; the batch of the thread and of this kind that it belongs to */
  unsigned bytes, bulk, group;
} PlexCopy;

typedef struct {
  PlexThreadState     state;
  PlexFibre           fibre;
  PlexEmulateWarp     op; /* of the warp operation that it waits in */
  unsigned            source;
  unsigned long long  mask, value, result;
  PlexEmulateCollect *collect; /* of an operation of the whole warp, */
  const char         *name;
  void               *mine;    /* and what the lane gives and gets */
  unsigned            barrier; /* that it waits at, */
  const char         *site;    /* and which __syncthreads() */
  const void         *word;    /* of memory that it has read last, and what was there */
  unsigned            read;
  PlexCopy           *copies;                  /* [room], of which there are ncopies */
  unsigned            ncopies, room, group[2]; /* batches that have ended, to shared memory and from it */
} PlexThread;

/* A barrier with a number (PTX: bar.sync, bar.arrive): threads that have come, of so many */
typedef struct {
  unsigned threads, come;
} PlexBarrier;

typedef enum {
  PLEX_ORDER_FORWARD,
  PLEX_ORDER_REVERSE,
  PLEX_ORDER_RANDOM
} PlexOrder;

#define PLEX_MAX_THREADS 1024
#define PLEX_BARRIERS    16

static struct {
  PlexEmulateThread now; /* what the module sees */
  PlexThunk        *thunk;
  void            **args;
  PlexThread        threads[PLEX_MAX_THREADS];
  int               block; /* threads */
  /* threads that were started; that have not exited; that wait for their block */
  int                 started, live, waiting;
  int                 order[PLEX_MAX_THREADS]; /* in which threads start and leave barriers */
  int                 queue[PLEX_MAX_THREADS]; /* ring of ready threads */
  int                 head, queued;
  int                 current;
  int                 polling; /* threads that wait for a word of memory */
  int                 moved;   /* whether any thread did anything but that since they were last asked to look */
  PlexBarrier         barriers[PLEX_BARRIERS];
  struct _n_PlexFibre caller;             /* the launch */
  PlexFibre           fibres, free, self; /* all; those without a thread; the one that runs */
  char               *sharedArea;
  size_t              sharedSize; /* ends at a guard page */
  PlexOrder           how;
  int                 warp; /* threads */
  unsigned long long  random;
  char                error[256];
} run;

static unsigned PlexRandom(unsigned n)
{
  run.random ^= run.random << 13;
  run.random ^= run.random >> 7;
  run.random ^= run.random << 17;
  return (unsigned)((run.random >> 11) % n);
}

static void PlexShuffleOrder(int n, int order[])
{
  if (run.how != PLEX_ORDER_RANDOM) return;
  for (int i = n - 1; i > 0; --i) {
    int k = (int)PlexRandom((unsigned)i + 1), t = order[i];

    order[i] = order[k];
    order[k] = t;
  }
}

static void PlexSetOrder(int n, int order[])
{
  for (int i = 0; i < n; ++i) order[i] = run.how == PLEX_ORDER_REVERSE ? n - 1 - i : i;
  PlexShuffleOrder(n, order);
}

static void PlexFibreSwitch(PlexFibre to)
{
  PlexFibre from = run.self;

  if (to == from) return;
  run.self = to;
#if PLEX_FIBRE_ASSEMBLY
  plex_fibre_switch(&from->sp, to->sp);
#else
  swapcontext(&from->context, &to->context);
#endif
}

static void PlexFibreMain(void);

/* A fibre without a thread; NULL when there is no memory for its stack */
static PlexFibre PlexFibreGet(void)
{
  PlexFibre f = run.free;

  if (f) {
    run.free = f->nextFree;
    return f;
  }
  f = (PlexFibre)calloc(1, sizeof(*f));
  if (!f) return NULL;
  f->stack = (char *)mmap(NULL, PLEX_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (f->stack == MAP_FAILED) {
    free(f);
    return NULL;
  }
  (void)mprotect(f->stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
#if PLEX_FIBRE_ASSEMBLY
  f->sp = PlexFibreFirst(f->stack + PLEX_STACK, PlexFibreMain);
#else
  getcontext(&f->context);
  f->context.uc_stack.ss_sp   = f->stack;
  f->context.uc_stack.ss_size = PLEX_STACK;
  f->context.uc_link          = NULL;
  makecontext(&f->context, PlexFibreMain, 0);
#endif
  f->nextAll = run.fibres;
  run.fibres = f;
  return f;
}

static void PlexFibresDestroy(void)
{
  while (run.fibres) {
    PlexFibre f = run.fibres;

    run.fibres = f->nextAll;
    munmap(f->stack, PLEX_STACK);
    free(f);
  }
  run.free = NULL;
}

static void PlexThreadEnter(int t)
{
  run.current          = t;
  run.now.threadIdx.x  = (unsigned)t;
  run.threads[t].state = PLEX_THREAD_RUNNING;
}

static void PlexThreadReady(int t)
{
  run.threads[t].state                                    = PLEX_THREAD_READY;
  run.queue[(run.head + run.queued++) % PLEX_MAX_THREADS] = t;
}

/* Lets all threads look once more at the words of memory that they wait for */
static void PlexReleasePolling(void)
{
  if (!run.moved) {
    for (int t = run.block - 1; t >= 0; --t)
      if (run.threads[t].state == PLEX_THREAD_POLL) run.current = t;
    snprintf(run.error, sizeof(run.error),
             "it waits for ever, as no block before it writes what it waits for: blocks may start in any order, and "
             "run one after the other here (thread %d)",
             run.current);
    return;
  }
  run.moved   = 0;
  run.polling = 0;
  PlexShuffleOrder(run.block, run.order);
  for (int i = 0; i < run.block; ++i)
    if (run.threads[run.order[i]].state == PLEX_THREAD_POLL) PlexThreadReady(run.order[i]);
}

/* Gives the processor to a ready thread, to a fibre that starts the next one, or to the launch */
static void PlexNext(void)
{
  PlexFibre to = &run.caller;

  if (!run.queued && run.started >= run.block && run.polling && !run.error[0]) PlexReleasePolling();
  if (run.error[0]) PlexFibreSwitch(to);
  if (run.queued) {
    int t = run.queue[run.head];

    run.head = (run.head + 1) % PLEX_MAX_THREADS;
    --run.queued;
    PlexThreadEnter(t);
    to = run.threads[t].fibre;
  } else if (run.started < run.block) {
    to = PlexFibreGet();
    if (!to) {
      snprintf(run.error, sizeof(run.error), "no memory for the stacks of %d threads", run.block);
      to = &run.caller;
    }
  }
  PlexFibreSwitch(to);
}

static void PlexFail(const char *message)
{
  if (!run.error[0]) snprintf(run.error, sizeof(run.error), "%s (thread %d)", message, run.current);
  PlexFibreSwitch(&run.caller);
}

/* A GPU with 64 threads a warp counts warps at a barrier, and not threads: those of a warp come to the same one */
static void PlexCheckSites(void)
{
  for (int t = 0, first = 0; t < run.block; ++t) {
    const char *a, *b;

    if (t % run.warp == 0 || run.threads[first].state != PLEX_THREAD_BLOCK) first = t;
    a = run.threads[first].site;
    b = run.threads[t].site;
    if (run.threads[t].state != PLEX_THREAD_BLOCK || a == b || !strcmp(a, b)) continue;
    snprintf(run.error, sizeof(run.error),
             "threads of a warp of %d wait at two __syncthreads(), %s and %s (threads %d and %d)", run.warp, a, b,
             first, t);
    PlexFibreSwitch(&run.caller);
  }
}

/* Lets all threads go on that wait for their block, once all that have not exited do */
static void PlexReleaseBlock(void)
{
  if (!run.live || run.waiting < run.live) return;
  if (run.warp > 32) PlexCheckSites();
  run.waiting = 0;
  PlexShuffleOrder(run.block, run.order);
  for (int i = 0; i < run.block; ++i)
    if (run.threads[run.order[i]].state == PLEX_THREAD_BLOCK) PlexThreadReady(run.order[i]);
}

/* An operation of the whole warp, once all its lanes are in it: there is none without one of them */
static void PlexReleaseCollective(int t)
{
  const PlexThread *me    = &run.threads[t];
  const int         first = t / 32 * 32;
  void             *lanes[32];
  int               order[32], missing = 0;

  for (int lane = 0; lane < 32; ++lane) {
    const PlexThread *other = &run.threads[first + lane];
    const PetscBool   ended = (PetscBool)(first + lane >= run.block || other->state == PLEX_THREAD_EXITED);

    if (ended ||
        (other->state == PLEX_THREAD_WARP && (other->op != PLEX_WARP_COLLECTIVE || other->collect != me->collect))) {
      snprintf(run.error, sizeof(run.error),
               "%s: lane %d of warp %d %s, and all 32 lanes have to take part (thread %d)", me->name, lane, first / 32,
               ended ? "has ended" : "is in another operation", t);
      PlexFibreSwitch(&run.caller);
      return;
    }
    if (other->state != PLEX_THREAD_WARP) ++missing;
    lanes[lane] = other->mine;
    order[lane] = first + lane;
  }
  if (missing) return;
  (*me->collect)(lanes);
  for (int i = 0; run.how == PLEX_ORDER_REVERSE && i < 32; ++i) order[i] = first + 31 - i;
  PlexShuffleOrder(32, order);
  for (int i = 0; i < 32; ++i) PlexThreadReady(order[i]);
}

/* Lets the lanes go on that thread t waits for in its warp operation, once all of them that have not exited are in
   it */
static void PlexReleaseWarp(int t)
{
  const PlexThread  *me    = &run.threads[t];
  int                first = t / run.warp * run.warp, lanes[64], n = 0;
  unsigned long long ballot = 0, group = 0;

  if (me->op == PLEX_WARP_COLLECTIVE) {
    PlexReleaseCollective(t);
    return;
  }
  for (int lane = 0; lane < run.warp; ++lane) {
    const PlexThread *other = &run.threads[first + lane];

    if (!(me->mask >> lane & 1) || first + lane >= run.block || other->state == PLEX_THREAD_EXITED) continue;
    if (other->state != PLEX_THREAD_WARP || other->mask != me->mask) return;
    if (other->op != me->op) {
      PlexFail("lanes of a warp wait for each other in different warp operations");
      return;
    }
    if (other->value) ballot |= 1ull << lane;
    group |= 1ull << lane;
    lanes[n++] = lane;
  }
  if (run.how == PLEX_ORDER_REVERSE)
    for (int i = 0; i < n / 2; ++i) {
      int lane = lanes[i];

      lanes[i]         = lanes[n - 1 - i];
      lanes[n - 1 - i] = lane;
    }
  PlexShuffleOrder(n, lanes);
  for (int i = 0; i < n; ++i) {
    PlexThread *other = &run.threads[first + lanes[i]];

    /* What comes from a lane that does not take part is undefined: not a number */
    if (other->op == PLEX_WARP_SHUFFLE)
      other->result = other->source < 64 && (group >> other->source & 1) ? run.threads[first + other->source].value
                                                                         : ~0ull;
    else other->result = ballot;
    PlexThreadReady(first + lanes[i]);
  }
}

static void PlexBlockBarrier(const char *site)
{
  run.moved                      = 1;
  run.threads[run.current].state = PLEX_THREAD_BLOCK;
  run.threads[run.current].site  = site;
  ++run.waiting;
  PlexReleaseBlock();
  PlexNext();
}

static unsigned long long PlexWarpOperation(PlexEmulateWarp op, unsigned long long mask, unsigned long long value,
                                            unsigned source)
{
  int         t  = run.current;
  PlexThread *me = &run.threads[t];

  if (!(mask >> (t % run.warp) & 1)) PlexFail("the mask of a warp operation lacks the calling lane");
  me->op     = op;
  me->mask   = mask;
  me->source = source;
  me->value  = value;
  me->state  = PLEX_THREAD_WARP;
  run.moved  = 1;
  PlexReleaseWarp(t);
  PlexNext();
  return me->result;
}

static void PlexWarpCollective(const char *name, PlexEmulateCollect *collect, void *mine)
{
  PlexThread *me = &run.threads[run.current];

  me->name    = name;
  me->collect = collect;
  me->mine    = mine;
  (void)PlexWarpOperation(PLEX_WARP_COLLECTIVE, 0xffffffffu, 0, 0);
}

/* bar.sync, or, where the thread does not wait, bar.arrive */
static void PlexNumberedBarrier(unsigned number, unsigned threads, int wait)
{
  PlexBarrier *b  = &run.barriers[number % PLEX_BARRIERS];
  PlexThread  *me = &run.threads[run.current];

  run.moved = 1;
  if (number >= PLEX_BARRIERS || !threads || threads % 32)
    PlexFail("a barrier has a number from 0 to 15, and a multiple of 32 threads");
  if (b->come && b->threads != threads)
    PlexFail("threads come to one barrier that is one of several numbers of threads");
  b->threads = threads;
  ++b->come;
  if (wait) {
    me->state   = PLEX_THREAD_BARRIER;
    me->barrier = number;
  }
  if (b->come == threads) {
    b->come = 0;
    PlexShuffleOrder(run.block, run.order);
    for (int i = 0; i < run.block; ++i)
      if (run.threads[run.order[i]].state == PLEX_THREAD_BARRIER && run.threads[run.order[i]].barrier == number)
        PlexThreadReady(run.order[i]);
  }
  if (wait) PlexNext();
}

/* A thread that reads a word for the second time waits until another one may have written it */
static void PlexPoll(const void *word, unsigned value)
{
  PlexThread *me = &run.threads[run.current];

  if (me->word != word || me->read != value) {
    me->word  = word;
    me->read  = value;
    run.moved = 1;
    return;
  }
  me->state = PLEX_THREAD_POLL;
  ++run.polling;
  PlexNext();
}

/* ------------------------------------------------------------------------------------------------------------------
   Copies to shared memory and from it: one arrives as late as it may, when its thread waits for it; until then there
   are no numbers
   ------------------------------------------------------------------------------------------------------------------ */

static void PlexCopyAsk(unsigned bulk, void *to, const void *from, unsigned bytes)
{
  PlexThread *me = &run.threads[run.current];

  if (bulk && ((size_t)to | (size_t)from | bytes) % 16)
    PlexFail("cp.async.bulk: addresses and bytes are multiples of 16");
  if (!bulk && ((size_t)to | (size_t)from) % bytes)
    PlexFail("cp.async: an address is no multiple of the bytes that are copied");
  if (me->ncopies == me->room) {
    const unsigned room   = me->room ? 2 * me->room : 64;
    PlexCopy      *copies = (PlexCopy *)realloc(me->copies, room * sizeof(*copies));

    if (!copies) PlexFail("no memory for copies that are on their way");
    me->copies = copies;
    me->room   = room;
  }
  me->copies[me->ncopies++] = (PlexCopy){to, from, bytes, bulk, me->group[bulk]};
  memset(to, 0xff, bytes);
}

/* Those of all batches but the last n, and of none that has not ended; ~0: all */
static void PlexCopyWait(unsigned bulk, unsigned n)
{
  PlexThread *me   = &run.threads[run.current];
  unsigned    left = 0;

  for (unsigned k = 0; k < me->ncopies; ++k) {
    const PlexCopy c = me->copies[k];

    if (c.bulk == bulk && (n == ~0u || c.group + n < me->group[bulk])) memcpy(c.to, c.from, c.bytes);
    else me->copies[left++] = c;
  }
  me->ncopies = left;
}

static void PlexCopies(PlexEmulateCopy op, void *to, const void *from, unsigned n)
{
  const unsigned bulk = op >= PLEX_BULK_ASK;

  if (op == PLEX_COPY_ASK || op == PLEX_BULK_ASK) PlexCopyAsk(bulk, to, from, n);
  else if (op == PLEX_COPY_BATCH || op == PLEX_BULK_BATCH) ++run.threads[run.current].group[bulk];
  else PlexCopyWait(bulk, n);
}

static void PlexThreadExit(int t)
{
  int first = t / run.warp * run.warp;

  run.threads[t].state   = PLEX_THREAD_EXITED;
  run.threads[t].ncopies = 0; /* those that it has not waited for nobody may count on */
  run.moved              = 1;
  --run.live;
  PlexReleaseBlock();
  for (int k = first; k < first + run.warp && k < run.block; ++k)
    if (run.threads[k].state == PLEX_THREAD_WARP) PlexReleaseWarp(k);
}

/* What a fibre does: starts threads as long as none is ready to go on */
static void PlexFibreMain(void)
{
  for (;;) {
    while (run.started < run.block && !run.queued) {
      int t = run.order[run.started++];

      PlexThreadEnter(t);
      run.threads[t].fibre = run.self;
      (*run.thunk)(run.args);
      PlexThreadExit(t);
    }
    run.self->nextFree = run.free;
    run.free           = run.self;
    PlexNext();
  }
}

/* ------------------------------------------------------------------------------------------------------------------
   Launches
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode PlexEmulateSetWarp(void)
{
  const char *env = getenv("PLEXGPU_EMULATE_WARP");

  PetscFunctionBegin;
  PetscCheck(!env || !env[0] || !strcmp(env, "32") || !strcmp(env, "64"), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "PLEXGPU_EMULATE_WARP is %s: it is 32 or 64, threads a warp", env);
  run.warp = env && !strcmp(env, "64") ? 64 : 32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt PlexEmulateGetWarp(void)
{
  return run.warp;
}

PlexEmulateThread *PlexEmulateGetThread(void)
{
  run.now.block      = PlexBlockBarrier;
  run.now.barrier    = PlexNumberedBarrier;
  run.now.warp       = PlexWarpOperation;
  run.now.collective = PlexWarpCollective;
  run.now.copy       = PlexCopies;
  run.now.poll       = PlexPoll;
  run.now.trap       = PlexFail;
  return &run.now;
}

PetscErrorCode PlexEmulateFinalize(void)
{
  PetscFunctionBegin;
  PlexFibresDestroy();
  for (int t = 0; t < PLEX_MAX_THREADS; ++t) {
    free(run.threads[t].copies);
    run.threads[t].copies = NULL;
    run.threads[t].room   = 0;
  }
  if (run.sharedArea) munmap(run.sharedArea, run.sharedSize);
  run.sharedArea = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shared memory that ends, up to alignment, at a page that nobody may touch */
static PetscErrorCode PlexEmulateSetShared(size_t bytes, size_t limit)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);

  PetscFunctionBegin;
  if (!run.sharedArea) {
    run.sharedSize = (limit + page - 1) / page * page + page;
    run.sharedArea = (char *)mmap(NULL, run.sharedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (run.sharedArea == MAP_FAILED) run.sharedArea = NULL;
    PetscCheck(run.sharedArea, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes of emulated shared memory",
               limit);
    (void)mprotect(run.sharedArea + run.sharedSize - page, page, PROT_NONE);
  }
  run.now.shared = run.sharedArea + run.sharedSize - page - (bytes + 127) / 128 * 128;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of threads and blocks, so that tests can show that results do not depend on it */
static PetscErrorCode PlexEmulateSetOrder(void)
{
  const char *const orders[] = {"forward", "reverse", "random"};
  const char       *env      = getenv("PLEXGPU_EMULATE_ORDER");
  PetscInt          k        = 0;
  PetscBool         found    = PETSC_TRUE;

  PetscFunctionBegin;
  if (env && env[0]) PetscCall(PetscEListFind(PETSC_STATIC_ARRAY_LENGTH(orders), orders, env, &k, &found));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "PLEXGPU_EMULATE_ORDER is %s: it is forward, reverse or random", env);
  run.how = (PlexOrder)k;
  if (!run.random) run.random = 0x9e3779b97f4a7c15ull;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexEmulateBlock(int index, int block)
{
  run.now.blockIdx.x = (unsigned)index;
  run.block          = block;
  run.live           = block;
  run.started        = 0;
  run.waiting        = 0;
  run.head           = 0;
  run.queued         = 0;
  run.polling        = 0;
  run.moved          = 1;
  memset(run.barriers, 0, sizeof(run.barriers));
  for (int t = 0; t < block; ++t) {
    run.threads[t].state   = PLEX_THREAD_UNSTARTED;
    run.threads[t].ncopies = run.threads[t].group[0] = run.threads[t].group[1] = 0;
    run.threads[t].word                                                        = NULL;
  }
  PlexSetOrder(block, run.order);
  run.self = &run.caller;
  PlexNext();
}

/* Why a block did not end: the error of one of its threads, or threads that wait for others that never come */
static PetscErrorCode PlexEmulateCheckBlock(const char name[], int index)
{
  char error[256];
  int  warp = 0, barrier = 0, first = -1;

  PetscFunctionBegin;
  if (!run.live && !run.error[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int t = run.block - 1; t >= 0; --t) {
    const PlexThreadState state = run.threads[t].state;

    if (state == PLEX_THREAD_WARP) ++warp;
    if (state == PLEX_THREAD_BARRIER) ++barrier;
    if (state == PLEX_THREAD_WARP || state == PLEX_THREAD_BARRIER || state == PLEX_THREAD_BLOCK) first = t;
  }
  PetscCall(PetscStrncpy(error, run.error, sizeof(error)));
  run.error[0] = 0;
  PlexFibresDestroy();
  PetscCheck(!error[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Kernel %s, block %d: %s", name, index, error);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB,
          "Kernel %s, block %d hangs, its threads diverge: %d wait in __syncthreads(), %d at a barrier with a number, "
          "%d in a warp operation whose other lanes do not come, %d have ended; the first that waits is thread %d",
          name, index, run.waiting, barrier, warp, run.block - run.live, first);
}

PetscErrorCode PlexEmulateLaunch(PlexThunk *thunk, const char name[], PetscInt grid, PetscInt block, size_t sharedBytes,
                                 size_t sharedLimit, void **args)
{
  int *blocks;

  PetscFunctionBegin;
  PetscCheck(block <= PLEX_MAX_THREADS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: %" PetscInt_FMT " threads a block are more than %d", name, block, PLEX_MAX_THREADS);
  PetscCall(PlexEmulateSetShared(sharedBytes, sharedLimit));
  PetscCall(PlexEmulateSetOrder());
  run.thunk        = thunk;
  run.args         = args;
  run.error[0]     = 0;
  run.now.gridDim  = (PlexEmulateIndex){(unsigned)grid, 1, 1};
  run.now.blockDim = (PlexEmulateIndex){(unsigned)block, 1, 1};
  run.now.blockIdx = run.now.threadIdx = (PlexEmulateIndex){0, 0, 0};
  PetscCall(PetscMalloc1(grid, &blocks));
  PlexSetOrder((int)grid, blocks);
  for (PetscInt i = 0; i < grid; ++i) {
    memset(run.now.shared, 0xff, (sharedBytes + 127) / 128 * 128);
    PlexEmulateBlock(blocks[i], (int)block);
    PetscCall(PlexEmulateCheckBlock(name, blocks[i]));
  }
  PetscCall(PetscFree(blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}
