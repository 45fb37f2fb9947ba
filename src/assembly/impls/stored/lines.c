/*
  Stored coefficients of elements with sums along lines (cuda/assembly/stored_lines.cu): elements of a block, and where their
  numbers are in shared memory.

  An array of a component is [Q][Q][N], [Q][N] in two dimensions, of rows `row` and planes `plane` apart; elements and their copies are
  `team` apart. Threads next to each other have lines next to each other, along one direction after the other: they read
  places 1, plane and row apart, which of many sizes are in the same banks of shared memory. The distances are those of
  which the kernel takes fewest passes: one a bank that is read at several places, of 128 bytes' worth of threads.
*/
#include "plan.h"

#define PLEX_STORED_MOST_BLOCK 192 /* threads, where an element takes no more */
#define PLEX_STORED_MOST_ROW   2   /* numbers that a row is longer than it has to be, most */
#define PLEX_STORED_BANKS      128 /* bytes that shared memory gives at once */

typedef struct {
  PetscInt dim, N, Q, copies, elements, banks;
} PlexLinesShape;

/* Address of number 0 of line l of a direction; directions that are read: 0 along x, of nodes, dim - 1 of points */
static PetscInt PlexLinesAddress(const PlexLinesShape *a, const PlexStoredLines *l, PetscInt direction, PetscInt line)
{
  const PetscInt S = PetscPowInt(a->Q, a->dim - 1), first = PetscPowInt(a->N, a->dim - 1);

  if (direction == 0) {
    const PetscInt own = line / a->copies, t = own % first;

    return (own / first * a->copies + line % a->copies) * l->team + (a->dim == 3 ? t / a->N * l->row + t % a->N : t);
  }
  if (direction == a->dim - 1)
    return line / S * l->team + (a->dim == 3 ? line % S / a->Q * l->plane + line % a->Q * l->row : line % S * l->plane);
  return line / (a->Q * a->N) * l->team + line % (a->Q * a->N) / a->N * l->plane + line % a->N;
}

/* Passes of all lines of a direction, of one number of each */
static PetscInt PlexLinesPasses(const PlexLinesShape *a, const PlexStoredLines *l, PetscInt direction)
{
  const PetscInt across = direction == 0 ? 0 : direction == a->dim - 1 ? a->dim - 1 : 1;
  const PetscInt lines  = a->elements * a->copies * PetscPowInt(a->Q, across) * PetscPowInt(a->N, a->dim - 1 - across);
  PetscInt       passes = 0;

  for (PetscInt begin = 0; begin < lines; begin += a->banks) {
    PetscInt count[32] = {0}, most = 0;

    for (PetscInt line = begin; line < PetscMin(lines, begin + a->banks); ++line) {
      const PetscInt bank = PlexLinesAddress(a, l, direction, line) % a->banks;

      ++count[bank];
      most = PetscMax(most, count[bank]);
    }
    passes += most;
  }
  return passes;
}

/* Passes of a product with gradients */
static double PlexLinesCost(const PlexLinesShape *a, const PlexStoredLines *l)
{
  const double N = (double)a->N, Q = (double)a->Q;
  double       cost = 4. * Q * (double)PlexLinesPasses(a, l, 0);

  if (a->dim == 3) cost += (4. * N + 6. * Q) * (double)PlexLinesPasses(a, l, 1);
  return cost + 2. * (double)a->dim * N * (double)PlexLinesPasses(a, l, a->dim - 1);
}

/* Distances, of so many arrays of a team */
static void PlexLinesChoosePitch(const PlexLinesShape *a, PetscInt arrays, PlexStoredLines *l)
{
  const PetscInt  Q = a->Q, rows = a->dim == 3 ? PLEX_STORED_MOST_ROW : 0,
                  least    = arrays * Q * (a->dim == 3 ? Q : 1) * a->N;
  PlexStoredLines best     = {0};
  double          bestCost = 0.;

  for (l->row = a->N; l->row <= a->N + rows; ++l->row) {
    const PetscInt plane = a->dim == 3 ? Q * l->row : a->N;

    for (l->plane = plane; l->plane < plane + a->banks; ++l->plane) {
      const PetscInt team = arrays * Q * l->plane;

      for (l->team = team; l->team < team + (a->elements * a->copies > 1 ? a->banks : 1); ++l->team) {
        /* a third of the memory is as much as a tenth of the passes */
        const double cost = PlexLinesCost(a, l) * (1. + 0.3 * (double)(l->team - least) / (double)least);

        if (best.team && cost >= bestCost) continue;
        best     = *l;
        bestCost = cost;
      }
    }
  }
  *l = best;
}

/* Elements of a block: of blocks that are not large that one of whose threads fewest have nothing to do */
void PlexStoredChooseLines_Private(PlexStored s, PetscInt dim, size_t real, size_t most, PlexStoredLines *l)
{
  const PetscInt       N = s->lines->N, Q = s->lines->Q, slab = PetscPowInt(Q, dim - 1) * s->copies;
  const PetscInt       arrays = s->NC / s->copies * (((s->trial[0] | s->test[0]) & 2u) ? dim : 1);
  const PetscInt       one    = arrays * s->copies * N * PetscPowInt(Q, dim - 1);
  const PlexLinesShape shape  = {dim, N, Q, s->copies, 1, PLEX_STORED_BANKS / (PetscInt)real};
  double               best   = 0.;

  l->elements = 1;
  for (PetscInt W = 1; W == 1 || W * slab <= PLEX_STORED_MOST_BLOCK; ++W) {
    const double share = (double)(W * slab) / (double)((W * slab + 31) / 32 * 32);

    if (W > 1 && real * (size_t)(one * W) > most / 6) break;
    if (share < best || (share == best && W * slab > 128)) continue;
    best        = share;
    l->elements = W;
  }
  PlexLinesShape a = shape;

  a.elements = l->elements;
  PlexLinesChoosePitch(&a, arrays, l);
  /* more places than a block has: none is left out */
  if (real * (size_t)(l->team * l->elements * s->copies) > most) {
    l->row   = N;
    l->plane = dim == 3 ? Q * N : N;
    l->team  = arrays * Q * l->plane;
  }
  l->bytes = real * (size_t)(l->team * l->elements * s->copies);
}
