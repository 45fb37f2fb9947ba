/* What local time steps read and write besides rates. One layout for host C and device C++: passed by value. States,
   rates and means are [Ne][NF][NP] double. */
#ifndef PLEX_DG_MULTIRATE_ARGS_H
#define PLEX_DG_MULTIRATE_ARGS_H

#define PLEX_MULTIRATE_ORDER 4 /* of the polynomials in time that elements have in a step, less one */

/* out = sum of c_j in_j, values begin .. end */
typedef struct {
  const double *in[PLEX_MULTIRATE_ORDER]; /* NULL: none, and none behind it */
  double        c[PLEX_MULTIRATE_ORDER];
  double       *out; /* may be one of in[] */
  long long     begin, end;
} PlexDGMultirateSum;

/* Elements of a level that have neighbours of the next finer one, and their derivatives in time, the state first, where
   their step begins */
typedef struct {
  const int *elements; /* [n] */
  double    *kept;     /* [n][PLEX_MULTIRATE_ORDER][size] */
  int        n, size;  /* values of an element */
} PlexDGMultirateKept;

/* What is evaluated of their polynomials: out_j = sum of c_jk times derivative k */
typedef struct {
  double *out[PLEX_MULTIRATE_ORDER]; /* NULL: none, and none behind it */
  double  c[PLEX_MULTIRATE_ORDER][PLEX_MULTIRATE_ORDER];
} PlexDGMultirateValues;

/* Elements of a level that have neighbours of the next coarser one, and half of their means over the first one of two
   steps */
typedef struct {
  const int *elements; /* [n] */
  double    *sums;     /* [n][size] */
  int        n, size;
} PlexDGMultirateHalf;

/* Elements of a level with sources or boundaries that change in time, and what these add to their rates at times of their
   step, the nodes of a quadrature by Lobatto */
#define PLEX_MULTIRATE_SAMPLES 4

typedef struct {
  const int *elements; /* [n] */
  double    *samples;  /* [n][PLEX_MULTIRATE_SAMPLES][size] */
  int        n, size;
} PlexDGMultirateDriven;

/* Each sample is multiplied by c */
typedef struct {
  double c[PLEX_MULTIRATE_SAMPLES];
} PlexDGMultirateWeights;

#endif
