/* Sizes of steps over arrays, for their kernels and src/backend/arrays/arrays.c */
#ifndef PLEX_ARRAYS_SIZES_H
#define PLEX_ARRAYS_SIZES_H

#define PLEX_ARRAYS_BLOCK 256 /* threads, as many as a digit has values */
#define PLEX_ARRAYS_ITEMS 16  /* values of a thread */

#endif
