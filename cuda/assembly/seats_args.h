/* Rows whose sums are in registers, one warp's (seats.cuh). One layout for host C and device C++. */
#ifndef PLEX_SEATS_ARGS_H
#define PLEX_SEATS_ARGS_H

/* Lowest bits of a seat, which number the entry of an element that a lane reads; the others say which of its registers it is added to */
#define PLEX_SEAT_ENTRY_BITS 13
/* The register of a lane that adds nothing */
#define PLEX_SEAT_NONE 7
/* Items that are on their way together; one that adds to a row is the first number of an element */
#define PLEX_SEATS_AHEAD 4
/* Targets of a row that are summed together, most: of a longer one there are several parts */
#define PLEX_SEATS_TARGETS 160
/* Lowest bits of PlexSeatsPart's count, which are its groups */
#define PLEX_SEATS_GROUP_BITS 3

/* A part of a row */
typedef struct {
  int      first; /* target of the matrix */
  unsigned count; /* groups of targets, each of which is in registers of one number, and items << PLEX_SEATS_GROUP_BITS */
  unsigned shape; /* its seats in `seats` */
  unsigned more;  /* its other items in `items` */
  unsigned items[PLEX_SEATS_AHEAD];
} PlexSeatsPart;

/* Of a lane: its seats of some items, and which targets of the part its registers have, 255: none */
typedef struct {
  unsigned short of[PLEX_SEATS_AHEAD];
} PlexSeat;
typedef struct {
  unsigned char of[8];
} PlexSeatsTargets;

typedef struct {
  const PlexSeatsPart *parts;
  const unsigned      *items;
  const PlexSeat      *seats; /* of parts alike: [lane] PlexSeatsTargets, as many bytes, and where `shape` points to [items / PLEX_SEATS_AHEAD][lane] */
} PlexSeatsArgs;

#endif
