// What elements of Navier-Stokes equations have of their faces: traces, and moments of velocities on both sides. A thread has
// a number of an element's trace, [FACES][DIM][NF]; what it reads and writes is a few times that.
#include "../plex.cuh"
#include "navier_args.h"

#define PLEX_NAVIER_BLOCK (PLEX_DIM * PLEX_HDG_NF) // unknowns of a face

// trace[Ne][T] of all elements' faces with known ones: a thread a number
extern "C" __global__ void plex_hdg_navierspread(const PlexHDGNavierArgs args, int, int, long long size)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < size) {
    const PlexHDGArgs &a   = args.stokes.elastic.hdg;
    const long long    row = k / PLEX_NAVIER_BLOCK;
    const int          of = (int)(k % PLEX_NAVIER_BLOCK), l = a.faces[row], known = a.nown + a.nghost,
                       held = args.stokes.elastic.held ? args.stokes.elastic.held[row] : -1;
    const double      *from = l < a.nown ? a.owned : l < known ? a.ghosts : a.fixed;
    const int          at   = l < a.nown ? l : l < known ? l - a.nown : l - known;

    if (held >= 0 && args.stokes.elastic.bits[held] >> (of / PLEX_HDG_NF) & 1)
      args.trace[k] = args.stokes.elastic.known[(plex_index)held * PLEX_NAVIER_BLOCK + of];
    else args.trace[k] = from ? from[(plex_index)at * PLEX_NAVIER_BLOCK + of] : 0;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_navierspread)

// Moments of u[Ne][DIM][NU] with functions first .. first + n of the faces, and the same as block rows b[Ne FACES][DIM][NF],
// filled up with zeros: a thread a number of b
extern "C" __global__ void plex_hdg_naviermoments(const PlexHDGNavierArgs args, int first, int n, long long size)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < size) {
    const PlexHDGArgs &a   = args.stokes.elastic.hdg;
    const long long    row = k / PLEX_NAVIER_BLOCK;
    const int d = (int)(k / PLEX_HDG_NF % PLEX_DIM), m = (int)(k % PLEX_HDG_NF), f = (int)(row % PLEX_HDG_FACES);
    double    sum = 0;

    if (m < n) {
      const double *M = args.solenoidal.moments +
                        ((f * PLEX_HDG_TURNS + a.turns[row]) * PLEX_NAVIER_NF1 + first + m) * PLEX_HDG_NU,
                   *u = args.u + (row / PLEX_HDG_FACES * PLEX_DIM + d) * PLEX_HDG_NU;

      for (int j = 0; j < PLEX_HDG_NU; ++j) sum += M[j] * u[j];
      args.solenoidal.own[(row * PLEX_DIM + d) * PLEX_NAVIER_NF1 + first + m] = sum;
    }
    a.b[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_naviermoments)

// Those of the neighbours from sums of both sides, of which args has a trace; on the boundary the element's own
extern "C" __global__ void plex_hdg_navierothers(const PlexHDGNavierArgs args, int first, int n, long long size)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int       m = (int)(k % PLEX_HDG_NF);

  if (k < size && m < n) {
    const PlexHDGArgs &a   = args.stokes.elastic.hdg;
    const long long    row = k / PLEX_NAVIER_BLOCK,
                       at  = (row * PLEX_DIM + k / PLEX_HDG_NF % PLEX_DIM) * PLEX_NAVIER_NF1 + first + m;
    const int          l = a.faces[row], of = (int)(k % PLEX_NAVIER_BLOCK);
    const double       own = args.solenoidal.own[at];

    if (args.outer[row]) args.solenoidal.other[at] = own;
    else {
      const double *from = l < a.nown ? a.owned + (plex_index)l * PLEX_NAVIER_BLOCK
                                      : a.ghosts + (plex_index)(l - a.nown) * PLEX_NAVIER_BLOCK;

      args.solenoidal.other[at] = from[of] - own;
    }
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_navierothers)
