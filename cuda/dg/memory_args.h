/* What memory variables read and write: memory.h. One layout for host C and device C++: passed by value */
#ifndef PLEX_DG_MEMORY_ARGS_H
#define PLEX_DG_MEMORY_ARGS_H

#define PLEX_MEMORY_MOST 8 /* memory variables of a field, at most */

/* Fields of elements with as many memory variables each, m */
typedef struct {
  const int    *at;       /* [n] e * NF + f */
  const int    *matrix;   /* [n] the item's */
  const double *matrices; /* [(m + 1)^2][nmatrices] 1/time: entry i (m + 1) + j of each is M_ij */
  int           n, NP, m, nmatrices;
} PlexDGMemoryArgs;

/* Their values, and what a step keeps of them: of float where `single`, else double */
typedef struct {
  void         *values, *residual; /* [n][m][NP] */
  void         *forcing;           /* [n][NP] of the fields: PlexDGDecayStage */
  double       *error;             /* [n][m][NP] likewise, or NULL */
  const double *table;             /* [(m + 1) (m + 2)][nmatrices] of a stage: plex_memory_exponential() */
  int           single;
} PlexDGMemoryValues;

#endif
