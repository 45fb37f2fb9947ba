/* What the decay of fields reads and writes. One layout for host C and device C++: passed by value. States and residuals
   are [Ne][NF][NP] of float where `single`, else double. */
#ifndef PLEX_DG_DECAY_ARGS_H
#define PLEX_DG_DECAY_ARGS_H

/* Those fields of elements that decay, at a rate of dg_decay() that is not 0 */
typedef struct {
  const int    *at;    /* [n] e * NF + f */
  const double *rates; /* [n] 1/time */
  int           n, NP;
} PlexDGDecayArgs;

/* A stage of a low-storage scheme, whose residual and next state were computed without the decay. In time it takes
   `duration`, which is `share` of the step */
typedef struct {
  void   *residual, *next;
  void   *forcing; /* [n][NP] as the residual: that of the first stage, kept to the last one */
  double  a, b;    /* of the scheme: residual = a residual + dt F, next = u + b residual */
  double  duration, share;
  double *error; /* double: the sum of the residuals times weights, with that of this stage, `weight`; NULL: none */
  double  weight;
  int     first, single;
  int     index; /* of the stage */
} PlexDGDecayStage;

#endif
