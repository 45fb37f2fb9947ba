/* What the kernels of type separate read and write besides PlexDGArgs. One layout for host C and device C++: passed by
   value.

   Elements lie in microblocks of KM slots (section 4 of Kloeckner, Warburton, Bridge and Hesthaven 2009). A unit is a
   field of a microblock, number m * NF + k. An array of units has each unit's values of all slots one behind the other,
   padded together to a multiple of 16 or 32: NPM >= KM * NP, NFM >= KM * FACES * NFP, NGM >= KM * DIM * NP. */
#ifndef PLEX_DG_SEPARATE_ARGS_H
#define PLEX_DG_SEPARATE_ARGS_H

/* A face of a block of the flux gather, section 5.3: one of two elements in the block, of one and an element or
   received trace elsewhere, or of the boundary. Which of these follows from its place: a block has them in this
   order. */
typedef struct {
  int eM, eP; /* elements; eP: of a received trace Ne + its number, of the boundary the facet */
  /* where the flux at node 0 of either side goes in a field's part of the block, (slot / KM) * NF * NFM + (slot %
     KM) * FACES * NFP + face * NFP */
  int storeM, storeP;
  int code; /* faceM + 8 faceP + 64 turn; faceP = FACES: a received trace */
} PlexDGPair;

typedef struct {
  int pairs;                        /* the first one */
  int interior, exterior, boundary; /* how many of each kind */
} PlexDGGatherBlock;

typedef struct {
  const void       *u;       /* [Ne][NF][NP] the state: double, or of a stage plex_real */
  const int        *element; /* [nM][KM] the element in a slot; -1: none */
  const PlexDGPair *pairs;   /* of all blocks */
  /* [pairs][DIM + 2] plex_real: outward normal of eM of length 1, Fscale of eM and of eP */
  const void              *normals;
  const PlexDGGatherBlock *blocks; /* of microblocks microblocks each, the first one at microblock 0 */
  const void              *matrix; /* [SUMS][COLUMNS][NP i] plex_real: of products, i fastest */
  const void              *in;     /* array of units that a product is of; NULL: the state */
  void                    *out;    /* array of units, or [nM][NF][DIM][NPM], that a product is */
  void                    *flux;   /* array of units, NFM: Fscale times equation 5 */
  /* array of units, NGM: in flux form the fluxes along the reference coordinates, [slot][DIM][NP]; else NULL */
  void *reference;
  /* [nM][NF][DIM][NPM] derivatives; in flux form an array of units, minus the divergence's place */
  const void *volume;
  const void *lifted;               /* array of units, NPM */
  int         begin, end;           /* microblocks to compute */
  int         parallel, sequential; /* w_p and w_s of Table 3 */
  int         rows;                 /* of a segment of the matrix in shared memory, N_R of Algorithm 4 */
  int         microblocks;          /* of a block of the flux gather, M_B */
  int         most;                 /* pairs of a block, for which there is shared memory */
} PlexDGSeparateArgs;

#endif
