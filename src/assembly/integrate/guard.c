/*
  Which arguments a pointwise function reads, found by calling it.

  Each array of the point lies on pages that cannot be read. The first read of one is a fault: the handler writes there
  what the point has, makes the pages readable, and the function goes on with the next instruction. So a function is
  called with the arguments of a point of the mesh and no others, and PlexGuard.read tells afterwards what it read.

  A function is determined by its arguments and by variables of the program, which are the same in all calls of one
  assembly. One that reads no array of the point therefore returns the same values at every point of this assembly.
*/
#include "guard.h"
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned PlexGuardBits[PLEX_GUARDED] = {PLEX_READS_U,   PLEX_READS_U_T, PLEX_READS_U_X,   PLEX_READS_A,
                                                     PLEX_READS_A_X, PLEX_READS_X,   PLEX_READS_VOLUME};

static const int        PlexGuardSignals[] = {SIGSEGV, SIGBUS};
static struct sigaction PlexGuardBefore[PETSC_STATIC_ARRAY_LENGTH(PlexGuardSignals)]; /* handlers that are put back */
static PlexGuard        PlexGuardActive = NULL;

/* A fault elsewhere is the program's: the handler that was there before meets it when the instruction is run again */
static void PlexGuardHandle(int sig, siginfo_t *info, void *context)
{
  const char *at = (const char *)info->si_addr;
  PlexGuard   g  = PlexGuardActive;

  (void)context;
  for (int k = 0; g && k < PLEX_GUARDED; ++k) {
    if (at < g->page[k] || at >= g->page[k] + g->bytes[k]) continue;
    if (mprotect(g->page[k], g->bytes[k], PROT_READ | PROT_WRITE)) break;
    (*g->fill)(g->ctx, (PlexGuarded)k, g->page[k]);
    g->read |= PlexGuardBits[k];
    return;
  }
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(PlexGuardSignals); ++s)
    if (PlexGuardSignals[s] == sig) sigaction(sig, &PlexGuardBefore[s], NULL);
}

PetscErrorCode PlexGuardCreate_Private(PetscInt nc, const PetscInt n[PLEX_GUARDED], PlexGuard *guard)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE),
               head = ((size_t)(nc + 2) * sizeof(PetscScalar) + page - 1) / page * page;
  size_t       at   = head;
  void        *memory;
  PlexGuard    g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  /* the constants end where the volume's page begins, which comes first */
  for (int i = 0; i < PLEX_GUARDED; ++i) {
    const int k = (i + PLEX_GUARD_VOLUME) % PLEX_GUARDED;

    g->bytes[k] = ((size_t)n[k] * sizeof(PetscScalar) + page) / page * page;
    g->page[k]  = (char *)0 + at; /* an offset until there is memory */
    at += g->bytes[k];
  }
  memory = mmap(NULL, at, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  PetscCheck(memory != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the arguments of a point (%zu bytes)",
             at);
  g->pages = (char *)memory;
  g->size  = at;
  for (int k = 0; k < PLEX_GUARDED; ++k) g->page[k] = g->pages + (size_t)g->page[k];
  g->nc        = nc;
  g->constants = (PetscScalar *)g->page[PLEX_GUARD_VOLUME] - (nc + 2);
  *guard       = g;
  PetscCheck(!mprotect(g->pages, head, PROT_READ | PROT_WRITE), PETSC_COMM_SELF, PETSC_ERR_SYS,
             "Pages for constants cannot be made writable");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGuardDestroy_Private(PlexGuard *guard)
{
  PetscFunctionBegin;
  if (!*guard) PetscFunctionReturn(PETSC_SUCCESS);
  if (*guard == PlexGuardActive) PetscCall(PlexGuardEnd_Private(*guard));
  munmap((*guard)->pages, (*guard)->size);
  PetscCall(PetscFree(*guard));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGuardBegin_Private(PlexGuard g)
{
  struct sigaction action;

  PetscFunctionBegin;
  if (PlexGuardActive) PetscCall(PlexGuardEnd_Private(PlexGuardActive)); /* whatever an error left */
  PetscCall(PetscMemzero(&action, sizeof(action)));
  action.sa_sigaction = PlexGuardHandle;
  action.sa_flags     = SA_SIGINFO | SA_NODEFER; /* a fault within fill() is not ours */
  sigemptyset(&action.sa_mask);
  g->read         = 0;
  PlexGuardActive = g;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(PlexGuardSignals); ++s)
    PetscCheck(!sigaction(PlexGuardSignals[s], &action, &PlexGuardBefore[s]), PETSC_COMM_SELF, PETSC_ERR_SYS,
               "The handler of signal %d cannot be set", PlexGuardSignals[s]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGuardClose_Private(PlexGuard g)
{
  PetscFunctionBegin;
  for (int k = 0; k < PLEX_GUARDED; ++k)
    if (g->read & PlexGuardBits[k])
      PetscCheck(!mprotect(g->page[k], g->bytes[k], PROT_NONE), PETSC_COMM_SELF, PETSC_ERR_SYS,
                 "Pages of a point's arguments cannot be protected");
  g->read = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGuardEnd_Private(PlexGuard g)
{
  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(PlexGuardSignals); ++s)
    sigaction(PlexGuardSignals[s], &PlexGuardBefore[s], NULL);
  PlexGuardActive = NULL;
  PetscCall(PlexGuardClose_Private(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
