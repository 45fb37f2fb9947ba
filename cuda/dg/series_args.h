/* Values in time of boundaries, passed by value to a kernel. One layout for host C and device C++ */
#ifndef PLEX_DG_SERIES_ARGS_H
#define PLEX_DG_SERIES_ARGS_H

#define PLEX_DG_SERIES_TABLE 64 /* boundaries of a launch */

typedef struct {
  double value[PLEX_DG_SERIES_TABLE][2];
} PlexDGSeriesTable;

#endif
