/* What shock capturing reads and writes. One layout for host C and device C++: passed by value. Everything but the state
   is double, whatever the operator's precision; NF fields, NP nodes, FACES; links and traces as PlexDGArgs has them.

   A record of an element is, of its limited variables w:
     [NF]    their means; of water that is not deeper than `dry` the first one is PLEX_SHOCK_NONE
     [2]     least and largest value of w_0 at the nodes
     [FACES] means of w_0 over the faces
     [1]     of a gas alone: 1 where density and pressure are surely positive in the element, else 0
   A ring is the range of the means of w in an element and its neighbours: [NF] low, [NF] high. Of a trace that is sent
   travels its element's record, with the mean over its own face alone, and then the ring. */
#ifndef PLEX_DG_SHOCK_ARGS_H
#define PLEX_DG_SHOCK_ARGS_H

#define PLEX_SHOCK_NONE   1e300
#define PLEX_SHOCK_FIELDS 16 /* at most */
/* numbers of a record that travel, and with the ring */
#define PLEX_SHOCK_SENT(NF)  ((NF) + 3)
#define PLEX_SHOCK_TRACE(NF) (PLEX_SHOCK_SENT(NF) + 2 * (NF))

typedef struct {
  const int    *links;     /* [Ne][FACES] */
  const int    *sent;      /* [nghosts] own traces that are sent */
  const double *weights;   /* affine: [NP] the mean of a function from its values at the nodes; else [Ne][NP] */
  const int    *faceNodes; /* [FACES][NFP] */
  const double *along;     /* [NFP] the mean of a function over a face */
  const double *checks;    /* [checked][NP] basis functions where bounds hold besides the nodes */
  const double *depth;     /* [Ne][NP] of water at rest at the nodes; of other systems NULL */
  const double *rest;      /* [Ne] its mean, or NULL */
  const double *deep;      /* [Ne] its least value at the nodes and there, or NULL */
  double       *records;   /* [Ne][RECORD] */
  double       *out, *in;  /* [nghosts][TRACE] of each trace that is sent, and received */
  double       *met;   /* [nmet][TRACE] where the first traces are received, those of the other part of a mixed mesh */
  double        most;  /* of the sum of |checks| over the nodes */
  double        dry;   /* water that is less deep is no neighbour */
  double        gamma; /* of a gas; of other systems 0 */
  double        weakest; /* jump of the density, over it, that may be a shock */
  int           Ne, nghosts, nmet, NF, NP, NFP, FACES, TURNS, RECORD, checked, affine;
  int           tile; /* elements of a block that makes records */
} PlexDGShockArgs;

#endif
