/* What the kernel of type fused reads and writes besides PlexDGArgs. One layout for host C and device C++: passed by
   value. */
#ifndef PLEX_DG_FUSED_ARGS_H
#define PLEX_DG_FUSED_ARGS_H

/* One stage of a low-storage scheme: residual = a residual + dt r(u), next = u + b residual. The next state has a place
   of its own, since neighbours still read u. In the operator's precision, [Ne][NF][NP] each.

   means: in the place of the residual is the state u_0 that a step began with, which stays, and next = u + b (a (u_0 - u)
   + dt r(u)), of schemes whose stages are means of it and of steps from u: states that rest do so exactly. `next` may be
   the same place, as an element alone reads it.

   Where a is 0 no residual is read. ends: nothing reads the residual behind this stage, which leaves it as it is. */
typedef struct {
  const void *u;
  void       *residual, *next;
  double      a, b, dt;
  int         means, ends;
} PlexDGStage;

/* D and L in the order in which a warp reads them: tile p of 8 nodes, k-th step of PLEX_UNIT_K columns, lane;
   cuda/dg/unit.cuh */
typedef struct {
  const void *D;       /* [tiles][steps of Np][DIM][32] */
  const void *L;       /* [tiles][steps of FACES * Nfp][32] */
  const void *records; /* [Ne][PLEX_DG_RECORD] bytes: what lies across the faces, PlexDGFace, then reals; form.cuh */
  /* short [FACES][TURNS][NFP]: the node of face f that lies at node m of a neighbour, then [FACES][NFP] the face's
     own */
  const void *meet;
} PlexDGFragments;

#endif
