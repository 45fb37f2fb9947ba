/* Rows that are summed from element data which lie element by element (packed.cuh). One layout for host C and device C++. */
#ifndef PLEX_PACKED_ARGS_H
#define PLEX_PACKED_ARGS_H

/* Numbers of an element that are written together */
#define PLEX_PACKED_CHUNK 8
/* Lowest bits of a contribution, which are the dof of the element */
#define PLEX_PACKED_DOF_BITS 6

typedef struct {
  const int            *start;   /* [rows + 1] first word of each row's record */
  const unsigned       *records; /* of a row: its first target; its targets | contributions << 16; of each contribution position << PLEX_PACKED_DOF_BITS | dof, of
                                    whose row of element data it is; and of each the places in the row of its EF entries, in bytes or, in rows that are
                                    too long, in two, PLEX_LONGEST where that dof is constrained */
  const unsigned short *order;   /* [EF][EF] number of the entry (i, j) among those of an element */
} PlexPackedArgs;

#endif
