/*
  Greedy colouring of elements: within a colour no two elements share a node, so their element data is summed without
  conflict.

  Cecka, Lew and Darve 2011, 4.1.1. Two sweeps, each over bit sets of the colours seen at a node:
    first fit  an element takes the lowest colour that none of its nodes has seen: few colours, the first ones much
               larger
    balance    an element of a colour larger than the mean moves to the smallest colour that its nodes allow
*/
#include <plexgpu/private/util.h>

typedef struct {
  PetscInt  words; /* of 64 colours */
  PetscInt  n;     /* nodes */
  uint64_t *seen;  /* [n][words] bit c: an element of colour c touches this node */
} ColorSets;

/* One more word a node */
static PetscErrorCode ColorSetsGrow(ColorSets *sets)
{
  const PetscInt words = sets->words + 1;
  uint64_t      *seen;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)sets->n * words, &seen));
  for (PetscInt v = 0; v < sets->n; ++v)
    for (PetscInt w = 0; w < sets->words; ++w) seen[v * words + w] = sets->seen[v * sets->words + w];
  PetscCall(PetscFree(sets->seen));
  sets->seen  = seen;
  sets->words = words;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Colours of word w that are taken at the nodes of an element */
static inline uint64_t ColorSetsTaken(const ColorSets *sets, PetscInt k, const int nodes[], PetscInt w)
{
  uint64_t taken = 0;

  for (PetscInt i = 0; i < k; ++i)
    if (nodes[i] >= 0) taken |= sets->seen[(size_t)nodes[i] * sets->words + w];
  return taken;
}

static inline void ColorSetsFlip(ColorSets *sets, PetscInt k, const int nodes[], PetscInt color, PetscBool on)
{
  const uint64_t bit = (uint64_t)1 << (color % 64);

  for (PetscInt i = 0; i < k; ++i) {
    if (nodes[i] < 0) continue;
    if (on) sets->seen[(size_t)nodes[i] * sets->words + color / 64] |= bit;
    else sets->seen[(size_t)nodes[i] * sets->words + color / 64] &= ~bit;
  }
}

static PetscErrorCode ColorFirstFit(ColorSets *sets, PetscInt Ne, PetscInt k, const int conn[], int color[],
                                    PetscInt *ncolors)
{
  PetscFunctionBegin;
  *ncolors = 0;
  for (PetscInt e = 0; e < Ne; ++e) {
    const int *nodes = &conn[(size_t)e * k];
    uint64_t   taken = ~(uint64_t)0;
    PetscInt   w;

    for (w = 0; w < sets->words; ++w) {
      taken = ColorSetsTaken(sets, k, nodes, w);
      if (~taken) break;
    }
    if (w == sets->words) {
      PetscCall(ColorSetsGrow(sets));
      taken = 0;
    }
    color[e] = (int)(64 * w + __builtin_ctzll(~taken));
    *ncolors = PetscMax(*ncolors, color[e] + 1);
    ColorSetsFlip(sets, k, nodes, color[e], PETSC_TRUE);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* count[ncolors]: elements of each colour, kept up to date */
static void ColorBalance(ColorSets *sets, PetscInt Ne, PetscInt k, const int conn[], PetscInt ncolors, int color[],
                         PetscInt count[])
{
  const PetscInt mean = (Ne + ncolors - 1) / ncolors;

  for (PetscInt e = 0; e < Ne; ++e) {
    const int *nodes = &conn[(size_t)e * k];
    PetscInt   best  = -1;

    if (count[color[e]] <= mean) continue;
    for (PetscInt w = 0; 64 * w < ncolors; ++w) {
      uint64_t free = ~ColorSetsTaken(sets, k, nodes, w);

      if (ncolors - 64 * w < 64) free &= ((uint64_t)1 << (ncolors - 64 * w)) - 1;
      for (; free; free &= free - 1) {
        const PetscInt c = 64 * w + __builtin_ctzll(free);

        if (count[c] < mean && (best < 0 || count[c] < count[best])) best = c;
      }
    }
    if (best < 0) continue;
    ColorSetsFlip(sets, k, nodes, color[e], PETSC_FALSE);
    --count[color[e]];
    color[e] = (int)best;
    ++count[best];
    ColorSetsFlip(sets, k, nodes, best, PETSC_TRUE);
  }
}

PetscErrorCode PlexColorElements(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt *ncolors,
                                 PetscInt **start, int **order)
{
  ColorSets sets = {1, n, NULL};
  PetscInt *count; /* [ncolors+1] */
  int      *color; /* [Ne] */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &sets.seen));
  PetscCall(PetscMalloc1(Ne, &color));
  PetscCall(ColorFirstFit(&sets, Ne, k, conn, color, ncolors));
  PetscCall(PetscCalloc1(*ncolors + 1, &count));
  for (PetscInt e = 0; e < Ne; ++e) ++count[color[e]];
  if (Ne) ColorBalance(&sets, Ne, k, conn, *ncolors, color, count);

  PetscCall(PetscMalloc1(*ncolors + 1, start));
  PetscCall(PetscMalloc1(Ne, order));
  (*start)[0] = 0;
  for (PetscInt c = 0; c < *ncolors; ++c) {
    (*start)[c + 1] = (*start)[c] + count[c];
    count[c]        = (*start)[c];
  }
  for (PetscInt e = 0; e < Ne; ++e) (*order)[count[color[e]]++] = (int)e;
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(color));
  PetscCall(PetscFree(sets.seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}
