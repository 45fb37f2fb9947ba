/*
  Packing of lists for the threads of a block: Cecka, Lew and Darve 2011, 4.2.3, figure 6.

  Four lists of 3, 2, 2 and 1 entries for two threads, marks included (a..d), padded with 0:

    thread 0:  a a a d        entries[] = a b a b a c d c
    thread 1:  b b c c        (column-major: the threads of a block read neighbouring entries)

  Longest processing time first (LPT): lists by descending length, each to the least loaded thread. Threads wait in a
  queue for each load, first come first served, so a run of lists of one length goes to threads 0, 1, 2, ... and
  neighbouring threads work on neighbouring lists. O(lists + threads + longest).
*/
#include <plexgpu/private/util.h>

PetscErrorCode PlexPackBufferDestroy(PlexPackBuffer *buffer)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(buffer->entries));
  buffer->n         = 0;
  buffer->allocated = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackBufferExtend(PlexPackBuffer *buffer, size_t n, int **entries)
{
  PetscFunctionBegin;
  if (buffer->n + n > buffer->allocated) {
    buffer->allocated = PetscMax(2 * buffer->allocated, buffer->n + n);
    PetscCall(PetscRealloc(buffer->allocated * sizeof(int), &buffer->entries));
  }
  *entries = &buffer->entries[buffer->n];
  PetscCall(PetscArrayzero(*entries, n));
  buffer->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* order[nlists]: lists by descending length, ties in their order; total entries with a mark each */
static PetscErrorCode PackOrder(PetscInt nlists, const PetscInt start[], int order[], PetscInt *longest,
                                PetscInt *total)
{
  PetscInt *count; /* [longest+2] counting sort */

  PetscFunctionBegin;
  *longest = 0;
  *total   = nlists + start[nlists] - start[0];
  for (PetscInt l = 0; l < nlists; ++l) *longest = PetscMax(*longest, start[l + 1] - start[l]);
  PetscCall(PetscCalloc1(*longest + 2, &count));
  for (PetscInt l = 0; l < nlists; ++l) ++count[*longest - (start[l + 1] - start[l]) + 1];
  for (PetscInt c = 0; c <= *longest; ++c) count[c + 1] += count[c];
  for (PetscInt l = 0; l < nlists; ++l) order[count[*longest - (start[l + 1] - start[l])]++] = (int)l;
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* thread[nlists], row[nlists]: where list l begins; returns the longest load. No load exceeds
   total/threads + longest + 1 */
static PetscErrorCode PackPlace(PetscInt nlists, const PetscInt start[], PetscInt threads, int thread[], int row[],
                                PetscInt *rows)
{
  PetscInt longest, total, most, load = 0;
  int     *order, *head, *tail; /* [nlists], [most+1] first and last thread waiting with that load */
  int     *next;                /* [threads] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nlists, &order, threads, &next));
  PetscCall(PackOrder(nlists, start, order, &longest, &total));
  most = total / threads + longest + 2;
  PetscCall(PetscMalloc2(most + 1, &head, most + 1, &tail));
  for (PetscInt b = 0; b <= most; ++b) head[b] = tail[b] = -1;
  for (PetscInt t = 0; t < threads; ++t) next[t] = t + 1 < threads ? (int)t + 1 : -1;
  head[0] = 0;
  tail[0] = (int)threads - 1;
  *rows   = 0;
  for (PetscInt o = 0; o < nlists; ++o) {
    const int l = order[o];
    PetscInt  after;
    int       t;

    while (head[load] < 0) ++load;
    t          = head[load];
    head[load] = next[t];
    thread[l]  = t;
    row[l]     = (int)load;
    after      = load + start[l + 1] - start[l] + 1;
    next[t]    = -1;
    if (head[after] < 0) head[after] = t;
    else next[tail[after]] = t;
    tail[after] = t;
    *rows       = PetscMax(*rows, after);
  }
  PetscCall(PetscFree2(head, tail));
  PetscCall(PetscFree2(order, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackReduction(PetscInt nlists, const PetscInt start[], const int sources[], const int targets[],
                                 PetscInt threads, PlexPackBuffer *buffer, PetscInt *rows)
{
  int *thread, *row, *entries = NULL;

  PetscFunctionBegin;
  *rows = 0;
  if (!nlists) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(nlists, &thread, nlists, &row));
  PetscCall(PackPlace(nlists, start, threads, thread, row, rows));
  PetscCall(PlexPackBufferExtend(buffer, (size_t)*rows * threads, &entries));
  for (PetscInt l = 0; l < nlists; ++l) {
    int *at = &entries[(size_t)row[l] * threads + thread[l]];

    for (PetscInt i = start[l]; i < start[l + 1]; ++i, at += threads) *at = sources[i] + 1;
    *at = -targets[l] - 1;
  }
  PetscCall(PetscFree2(thread, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
