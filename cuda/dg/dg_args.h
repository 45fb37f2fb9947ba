/* What every kernel of a nodal DG operator reads and writes. One layout for host C and device C++: passed by value.

   plex_real is the precision of the operator, the state's values are plex_scalar. NP nodes an element, NFP nodes a
   face, FACES = DIM + 1; face f < DIM lies opposite vertex f + 1 of the reference element, where r_f = 1, and face DIM
   opposite vertex 0, (-1, -1, -1).

   A trace is one side of a face: number e * FACES + f. What lies across trace (e, f) is links[e][f]:
     l >= 0  the trace l / TURNS; its node turn[l % TURNS][m] lies at node m of this one. Traces from Ne * FACES on are
             received: trace Ne * FACES + g has its values in ghosts[g], and its coefficients in coefficients[Ne + g]
     l < 0   the boundary: facet -l - 1 of kinds[] and facets[] */
#ifndef PLEX_DG_ARGS_H
#define PLEX_DG_ARGS_H

typedef struct {
  const double *u; /* [Ne][NF][NP] the state */
  double       *r; /* [Ne][NF][NP] its time derivative */
  /* [nghosts][NF][NFP] plex_real: traces received from other processes, nodes in their own order; or NULL */
  const void *ghosts;
  const int  *links;    /* [Ne][FACES] */
  const void *geometry; /* [Ne][DIM][DIM] plex_real: dr_a/dx_d of the reference coordinates */
  const int  *kinds;    /* [nfacets] boundary condition of a facet, number of one of the system's kinds */
  /* [nfacets][NFP][DIM] plex_real: where the nodes of boundary facets are, of DG with quadrature [MG] points in their
     place, or, of a system that defines PLEX_DG_BOUNDARY_VALUES, two values in time at each point; NULL where the system
     does not ask */
  const void *facets;
  /* [Ne + nghosts][NK] plex_real: numbers of the system that an element has; NULL where NK = 0 */
  const void *coefficients;
  const void *constants; /* [NC] plex_real: numbers of the system */
  /* [Ne][DIM + 1][DIM] plex_real; NULL where the system has no source that asks for the position */
  const void *vertices;
  const void *D;          /* [DIM][NP j][NP i] plex_real: dl_j/dr_a at node i, i fastest */
  const void *L;          /* [FACES * NFP m][NP i] plex_real: lift of node m of the faces, i fastest */
  double      t;          /* time */
  int         begin, end; /* the elements to compute */
  int         Ne;         /* elements of this process */
} PlexDGArgs;

#endif
