/* Good conductors at the boundary, and thin sheets inside: what dg/impedance.h reads and writes. One layout for host C and
   device C++: passed by value */
#ifndef PLEX_DG_IMPEDANCE_ARGS_H
#define PLEX_DG_IMPEDANCE_ARGS_H

#define PLEX_IMPEDANCE_POLES   16 /* of a conductor, at most */
#define PLEX_IMPEDANCE_FIELDS  6  /* E and H */
#define PLEX_IMPEDANCE_NUMBERS 12 /* of a side */

/* What the numbers of a side are */
enum {
  PLEX_IMPEDANCE_NORMAL  = 0, /* n[3] outward, 0 along z in two dimensions */
  PLEX_IMPEDANCE_E       = 3, /* Fscale/epsilon and Fscale/mu of the element */
  PLEX_IMPEDANCE_H       = 4,
  PLEX_IMPEDANCE_VOLTAGE = 5, /* of a conductor: beta and gamma */
  PLEX_IMPEDANCE_CURRENT = 6,
  PLEX_IMPEDANCE_OWN     = 5, /* of a sheet: w, and that of the other side */
  PLEX_IMPEDANCE_OTHER   = 6,
  PLEX_IMPEDANCE_MEAN    = 7, /* c and d of E*, alpha/(Y- + Y+), G w, and what is more of alpha, over Z- + Z+ */
  PLEX_IMPEDANCE_SUM     = 8,
  PLEX_IMPEDANCE_WITHOUT = 9,
  PLEX_IMPEDANCE_THROUGH = 10,
  PLEX_IMPEDANCE_DAMPING = 11
};

/* Elements with such sides, each once */
typedef struct {
  const int    *elements;  /* [n] */
  const int    *starts;    /* [n + 1] of their sides */
  const int    *faces;     /* [sides] the element's */
  const int    *place;     /* [sides] of its memory variables, where it is of a conductor; -1: of a sheet */
  const int    *across;    /* [sides] which conductor; of a sheet the link of PlexDGArgs */
  const double *numbers;   /* [sides][PLEX_IMPEDANCE_NUMBERS] */
  const double *poles;     /* [conductors][2][npoles] residues r and poles p; 0 where there are less */
  const int    *faceNodes; /* [FACES][NFP] */
  const int    *meet;      /* [FACES + 1][turns][NFP] nodes across, as PlexDGHostBlock has them */
  const void   *L;         /* of PlexDGArgs */
  int           n, NP, NFP, FACES, turns, npoles, Ne;
  int           narrow; /* L and ghosts are float, else double */
} PlexDGImpedanceArgs;

/* Adds factor times the rates of u to r, and weight times that to next; NULL: not there. Memory variables and their residuals
   take a stage of a low-storage scheme if `update`: residual = a residual + dt rate, value += b residual. u, r and next are
   of float where `single`, else double */
typedef struct {
  const void *u, *ghosts; /* [Ne][6][NP]; [nghosts][6][NFP] */
  void       *r, *next;
  double     *values, *residual; /* [places][npoles][3][NFP] */
  double      factor, weight, a, b, dt;
  int         single, update;
} PlexDGImpedanceStage;

#endif
