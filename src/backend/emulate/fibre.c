/*
  The runtime of the emulated device: runs the threads of one block as fibres, block after block.

  A fibre is a stack and a place to go on. It runs threads from their start to their end; when a thread waits (at a barrier, in a warp
  operation), its fibre keeps it and another fibre goes on: with a thread that may run again, else by starting the next thread. So
  kernels without barriers run on one fibre without a switch. When nothing can go on, the launch looks whether all threads have ended.

  A thread is  unstarted -> running <-> ready
                               |  ^      ^
                               v  +------+--- the last thread arrives
                         waiting for its block or its warp          and, at the end, exited
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
  PLEX_THREAD_WARP,
  PLEX_THREAD_EXITED
} PlexThreadState;

typedef struct {
  PlexThreadState    state;
  PlexFibre          fibre;
  PlexEmulateWarp    op; /* of the warp operation that it waits in */
  unsigned           mask, source;
  unsigned long long value, result;
} PlexThread;

typedef enum {
  PLEX_ORDER_FORWARD,
  PLEX_ORDER_REVERSE,
  PLEX_ORDER_RANDOM
} PlexOrder;

#define PLEX_MAX_THREADS 1024

static struct {
  PlexEmulateThread   now; /* what the module sees */
  PlexThunk          *thunk;
  void              **args;
  PlexThread          threads[PLEX_MAX_THREADS];
  int                 block;                   /* threads */
  int                 started, live, waiting;  /* threads that were started; that have not exited; that wait for their block */
  int                 order[PLEX_MAX_THREADS]; /* in which threads start and leave barriers */
  int                 queue[PLEX_MAX_THREADS]; /* ring of ready threads */
  int                 head, queued;
  int                 current;
  struct _n_PlexFibre caller;             /* the launch */
  PlexFibre           fibres, free, self; /* all; those without a thread; the one that runs */
  char               *sharedArea;
  size_t              sharedSize; /* ends at a guard page */
  PlexOrder           how;
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

/* Gives the processor to a ready thread, to a fibre that starts the next one, or to the launch */
static void PlexNext(void)
{
  PlexFibre to = &run.caller;

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

/* Lets all threads go on that wait for their block, once all that have not exited do */
static void PlexReleaseBlock(void)
{
  if (!run.live || run.waiting < run.live) return;
  run.waiting = 0;
  PlexShuffleOrder(run.block, run.order);
  for (int i = 0; i < run.block; ++i)
    if (run.threads[run.order[i]].state == PLEX_THREAD_BLOCK) PlexThreadReady(run.order[i]);
}

/* Lets the lanes go on that thread t waits for in its warp operation, once all of them that have not exited are in it */
static void PlexReleaseWarp(int t)
{
  const PlexThread  *me    = &run.threads[t];
  int                first = t / 32 * 32, lanes[32], n = 0;
  unsigned           group  = 0;
  unsigned long long ballot = 0;

  for (int lane = 0; lane < 32; ++lane) {
    const PlexThread *other = &run.threads[first + lane];

    if (!(me->mask >> lane & 1u) || first + lane >= run.block || other->state == PLEX_THREAD_EXITED) continue;
    if (other->state != PLEX_THREAD_WARP || other->mask != me->mask) return;
    if (other->op != me->op) {
      PlexFail("lanes of a warp wait for each other in different warp operations");
      return;
    }
    if (other->value) ballot |= 1ull << lane;
    group |= 1u << lane;
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
    if (other->op == PLEX_WARP_SHUFFLE) other->result = other->source < 32 && (group >> other->source & 1u) ? run.threads[first + other->source].value : ~0ull;
    else other->result = ballot;
    PlexThreadReady(first + lanes[i]);
  }
}

static void PlexBlockBarrier(void)
{
  run.threads[run.current].state = PLEX_THREAD_BLOCK;
  ++run.waiting;
  PlexReleaseBlock();
  PlexNext();
}

static unsigned long long PlexWarpOperation(PlexEmulateWarp op, unsigned mask, unsigned long long value, unsigned source)
{
  int         t  = run.current;
  PlexThread *me = &run.threads[t];

  if (!(mask >> (t % 32) & 1u)) PlexFail("the mask of a warp operation lacks the calling lane");
  me->op     = op;
  me->mask   = mask;
  me->source = source;
  me->value  = value;
  me->state  = PLEX_THREAD_WARP;
  PlexReleaseWarp(t);
  PlexNext();
  return me->result;
}

static void PlexThreadExit(int t)
{
  int first = t / 32 * 32;

  run.threads[t].state = PLEX_THREAD_EXITED;
  --run.live;
  PlexReleaseBlock();
  for (int k = first; k < first + 32 && k < run.block; ++k)
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

PlexEmulateThread *PlexEmulateGetThread(void)
{
  run.now.block = PlexBlockBarrier;
  run.now.warp  = PlexWarpOperation;
  run.now.trap  = PlexFail;
  return &run.now;
}

PetscErrorCode PlexEmulateFinalize(void)
{
  PetscFunctionBegin;
  PlexFibresDestroy();
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
    PetscCheck(run.sharedArea, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes of emulated shared memory", limit);
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
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "PLEXGPU_EMULATE_ORDER is %s: it is forward, reverse or random", env);
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
  for (int t = 0; t < block; ++t) run.threads[t].state = PLEX_THREAD_UNSTARTED;
  PlexSetOrder(block, run.order);
  run.self = &run.caller;
  PlexNext();
}

/* Why a block did not end: the error of one of its threads, or threads that wait for others that never come */
static PetscErrorCode PlexEmulateCheckBlock(const char name[], int index)
{
  char error[256];
  int  warp = 0, first = -1;

  PetscFunctionBegin;
  if (!run.live && !run.error[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int t = run.block - 1; t >= 0; --t) {
    if (run.threads[t].state == PLEX_THREAD_WARP) ++warp;
    if (run.threads[t].state == PLEX_THREAD_WARP || run.threads[t].state == PLEX_THREAD_BLOCK) first = t;
  }
  PetscCall(PetscStrncpy(error, run.error, sizeof(error)));
  run.error[0] = 0;
  PlexFibresDestroy();
  PetscCheck(!error[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Kernel %s, block %d: %s", name, index, error);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "Kernel %s, block %d hangs, its threads diverge: %d wait in __syncthreads(), %d in a warp operation whose other lanes do not come, %d have ended; the first that waits is thread %d", name, index, run.waiting, warp,
          run.block - run.live, first);
}

PetscErrorCode PlexEmulateLaunch(PlexThunk *thunk, const char name[], PetscInt grid, PetscInt block, size_t sharedBytes, size_t sharedLimit, void **args)
{
  int *blocks;

  PetscFunctionBegin;
  PetscCheck(block <= PLEX_MAX_THREADS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Kernel %s: %" PetscInt_FMT " threads a block are more than %d", name, block, PLEX_MAX_THREADS);
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
