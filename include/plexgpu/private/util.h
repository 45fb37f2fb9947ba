/*
  Index work on plain arrays: threads, lists, sorting, colouring, curves, partitions, packing. src/util/
*/
#pragma once

#include <petscmat.h>
#include <stdatomic.h>

/* Real numbers of a PetscScalar: a complex one is its real and its imaginary part, in this order */
#define PLEX_REALS (PetscDefined(USE_COMPLEX) ? 2 : 1)

/* Fetches what is read or written a few steps later, while memory has little to do: where millions of items are gone
   through, whose places are far apart */
#define PlexFetch(address) __builtin_prefetch(address)
#define PLEX_FETCH_AHEAD   16 /* items */

/* Runs loop(ctx, begin, end) over parts that together are 0 to n - 1, in several threads where there are at least two
   times `least` items. A loop calls nothing of PETSc or MPI. What it writes for an item depends on that item alone, or
   is added up atomically as integers: results are the same for any number of threads. Not collective */
typedef void (*PlexThreadsLoop)(void *ctx, PetscInt begin, PetscInt end);
PETSC_EXTERN PetscErrorCode PlexThreadsRun(PetscInt n, PetscInt least, PlexThreadsLoop, void *ctx);
/* Ends the threads that wait for loops; a later loop starts new ones. Not collective */
PETSC_INTERN PetscErrorCode PlexThreadsEnd(void);
/* Whether two arrays of n items of so many bytes are equal */
PETSC_EXTERN PetscErrorCode PlexThreadsCompare(PetscInt n, size_t bytes, const void *a, const void *b,
                                               PetscBool *equal);
/* The items of n of which is[] is not 0, ascending; *count of them in items[n], which the caller frees. With rest the
   others follow them, ascending, too */
PETSC_EXTERN PetscErrorCode PlexThreadsSelect(PetscInt n, const char is[], PetscBool rest, PetscInt *count,
                                              int **items);
/* -plexgpu_threads, else the cores that this process may run on, shared out among the processes of the node, at most
   16 */
PETSC_EXTERN PetscErrorCode PlexThreadsGetNumber(PetscInt *n);
#define PLEX_THREADS_LEAST 4096 /* items a thread, where one takes some nanoseconds */

/* What loops in threads say of all items: a sum, and the lowest item that something is true of, `none` if there is
   none */
typedef struct {
  atomic_llong sum;
} PlexCount;
static inline void PlexCountInit(PlexCount *c)
{
  atomic_init(&c->sum, 0);
}
static inline void PlexCountAdd(PlexCount *c, long long n)
{
  (void)atomic_fetch_add(&c->sum, n);
}
static inline PetscInt64 PlexCountGet(PlexCount *c)
{
  return (PetscInt64)atomic_load(&c->sum);
}
typedef struct {
  atomic_llong item;
} PlexLowest;
static inline void PlexLowestInit(PlexLowest *l, PetscInt none)
{
  atomic_init(&l->item, none);
}
static inline void PlexLowestPut(PlexLowest *l, PetscInt item)
{
  long long now = atomic_load(&l->item);

  while (item < now && !atomic_compare_exchange_weak(&l->item, &now, item)) continue;
}
static inline PetscInt PlexLowestGet(PlexLowest *l)
{
  return (PetscInt)atomic_load(&l->item);
}

/* Between the two, products of sparse matrices that lie on a device are set up to be computed on the host, if the options
   do not say otherwise. mine[PLEX_HOST_PRODUCTS]: what the second one takes back. products.c */
#define PLEX_HOST_PRODUCTS 8 /* options */
PETSC_EXTERN PetscErrorCode PlexHostProductsBegin(PetscBool mine[PLEX_HOST_PRODUCTS]);
PETSC_EXTERN PetscErrorCode PlexHostProductsEnd(const PetscBool mine[PLEX_HOST_PRODUCTS]);
/* MatPtAP() of a matrix of one process, and of what comes of it, as the levels of PCGAMG: on the host, in threads and by
   blocks of the interpolation's columns. -matptap_backend_cpu false, or an algorithm that is named: PETSc's. galerkin.c */
PETSC_EXTERN PetscErrorCode PlexGalerkinSet(Mat);

/* Compressed lists: list k holds items[start[k] .. start[k+1]) */
typedef struct {
  PetscInt  n;
  PetscInt *start; /* [n+1] */
  int      *items; /* [start[n]] */
} PlexLists;
PETSC_EXTERN PetscErrorCode PlexListsDestroy(PlexLists *);
/* Turns "element e touches items conn[e][0..k)" around: for each of n items, the elements that touch it, ascending */
PETSC_EXTERN PetscErrorCode PlexListsInvert(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PlexLists *);
/* Likewise, the elements of each list in the order of order[Ne] */
PETSC_EXTERN PetscErrorCode PlexListsInvertAlong(PetscInt Ne, PetscInt k, const int conn[], PetscInt n,
                                                 const int order[], PlexLists *);

/* Ascending, by digits: a[n]; work[n] */
PETSC_EXTERN void PlexSortInts(PetscInt n, int a[], int work[]);
/* Ascending by the bits from `shift` on, where these agree in the order that there is: keys[n]; work[n] */
PETSC_EXTERN void PlexSortKeys(PetscInt n, int shift, uint64_t keys[], uint64_t work[]);

/* Greedy colouring, balanced: no two elements of a colour share an entry of conn[e][0..k).
   order[Ne]: elements by colour; start[ncolors+1] offsets into it. Cecka 4.1.1 */
PETSC_EXTERN PetscErrorCode PlexColorElements(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt *ncolors,
                                              PetscInt **start, int **order);

/* order[n]: the points x[n][dim] along a Hilbert curve */
PETSC_EXTERN PetscErrorCode PlexCurveOrder(PetscInt n, PetscInt dim, const PetscReal x[], int order[]);
/* Likewise points that are nowhere stored: get() gives x[n][dim] of those from `first` on, a few at a time; all are in
   the box from low[dim] to high[dim] */
typedef void (*PlexCurvePoints)(const void *ctx, PetscInt first, PetscInt n, PetscReal x[]);
PETSC_EXTERN PetscErrorCode PlexCurveOrderOf(PetscInt n, PetscInt dim, PlexCurvePoints get, const void *ctx,
                                             const PetscReal low[], const PetscReal high[], int order[]);
PETSC_EXTERN void PlexCurveGetBox(PetscInt n, PetscInt dim, const PetscReal x[], PetscReal low[], PetscReal high[]);

/* Whether PlexGPU was built with METIS */
PETSC_EXTERN PetscBool PlexHasMetis(void);
#define PLEX_METIS_MISSING \
  "PlexGPU was built without METIS: install it (Debian: apt-get install libmetis-dev), or configure PETSc with it " \
  "(--download-metis), and build PlexGPU again"
/* Parts of the elements, joined where they share nodes (the dual graph by faces would do; nodes serve every cell type),
   of at most maxElements elements and maxNodes nodes each. Cecka 4.2.2 eq 8. order NULL: METIS, tried again with more
   parts until it fits, or without METIS the elements as they come; else order[Ne], elements whose neighbours in the
   order are neighbours in the mesh: runs of it, as long as fit. parts->n parts, items are elements. */
PETSC_EXTERN PetscErrorCode PlexPartitionElements(PetscInt Ne, PetscInt k, const int conn[], PetscInt n,
                                                  PetscInt maxElements, PetscInt maxNodes, const int order[],
                                                  PlexLists *parts);
/* Parts of the nodes, so that no part's nodes touch more than maxElements elements. Cecka 4.3 eq 9. A node alone may
   touch more: it is a part of its own. order: of the elements, as above; nodes follow as these come to them. items are
   nodes. */
PETSC_EXTERN PetscErrorCode PlexPartitionNodes(PetscInt Ne, PetscInt k, const int conn[], PetscInt n,
                                               PetscInt maxElements, const int order[], PlexLists *parts);
/* The same in steps, where several limits are tried: the nodes that order makes, and runs of them; touching: the
   elements of each node */
PETSC_EXTERN PetscErrorCode PlexNodesAlong(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, const int order[],
                                           int **nodes);
PETSC_EXTERN PetscErrorCode PlexPartitionNodesAlong(PetscInt Ne, const PlexLists *touching, PetscInt maxElements,
                                                    const int nodes[], PlexLists *parts);

/* Lists packed for a block of `threads` threads into a column-major array with `threads` rows, longest first onto the
   least loaded thread (LPT), padded with zeros (Cecka 4.2.3, figure 6). Of list k, source s becomes s + 1 and is
   followed by the end mark -targets[k] - 1. Appends rows*threads entries to the growing buffer and returns the number
   of rows. */
typedef struct {
  int   *entries;
  size_t n, allocated;
} PlexPackBuffer;
PETSC_EXTERN PetscErrorCode PlexPackReduction(PetscInt nlists, const PetscInt start[], const int sources[],
                                              const int targets[], PetscInt threads, PlexPackBuffer *, PetscInt *rows);
/* Room for n more entries, zeroed; what was given before may have moved */
PETSC_EXTERN PetscErrorCode PlexPackBufferExtend(PlexPackBuffer *, size_t n, int **entries);
PETSC_EXTERN PetscErrorCode PlexPackBufferDestroy(PlexPackBuffer *);

/* What was found of a file of tuning results */
typedef enum {
  PLEX_ARCHIVE_GOOD,
  PLEX_ARCHIVE_ABSENT,
  PLEX_ARCHIVE_DAMAGED,    /* part of it, or all, is not what is written here; the rest is read */
  PLEX_ARCHIVE_UNREADABLE, /* no permission, a folder, ... */
  PLEX_ARCHIVE_REFUSED,    /* another user's, or others may write to it, or a link */
  PLEX_ARCHIVE_HDF5        /* as earlier versions have written it */
} PlexArchiveState;
