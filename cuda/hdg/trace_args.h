/* Products with K by the elements' matrices, trace.cu: what kernels read and write. One layout for host C and device
   C++: passed by value.

   Matrices are kept in batches of WIDTH elements, one number of all of them after the other, and of a symmetric matrix
   the lower triangle, in block rows of TILE rows: of block row I first its columns c < I TILE, TILE numbers each, then the
   triangle on the diagonal, column by column.

   The 64 bits of a double are kept as 2^32 upper + lower with -2^31 <= lower < 2^31, in two arrays. So upper alone, as the
   upper half of a double, is the nearest number with 20 bits behind the point: products of the smoother read no more */
#ifndef PLEX_HDG_TRACE_ARGS_H
#define PLEX_HDG_TRACE_ARGS_H

typedef struct {
  int          *upper;    /* [batches][NT (NT + 1)/2][WIDTH] elements' matrices */
  int          *lower;    /* likewise */
  double       *received; /* [nreceived][BLOCK][NT] block rows of others' elements for own faces */
  const int    *faces;    /* [Ne][FACES] number of the face */
  const int    *columns;  /* [nreceived][FACES] of block rows received, of which ghosts has more faces; -1: known */
  const int    *batches;  /* [nbatches] which to compute; NULL: all */
  const int    *sides;    /* [nown][2] block rows of a face, -1: none */
  const int    *robinOf;  /* [nown] its matrix among those of Robin's conditions, -1: none */
  const double *robin;    /* [][BLOCK][BLOCK] */
  const double *owned;    /* [nown][BLOCK] x */
  const double *ghosts;   /* [][BLOCK] x of other processes' faces; NULL: there are none */
  const double *rhs;      /* [nown][BLOCK] or NULL */
  double       *b;        /* [Ne FACES + nreceived][BLOCK] what block rows give */
  double       *y;        /* [nown][BLOCK] K x, or rhs - K x */
  int           whole;    /* 0: products by numbers' upper halves */
  int           nbatches, Ne, nreceived;
  int           nown, nfree; /* own faces; those of elements that have unknowns, here or at other processes */
} PlexHDGTraceArgs;

/* What the two-level preconditioner takes from them, traceparts.cu */
typedef struct {
  PlexHDGTraceArgs   trace;
  const signed char *corners;    /* [FACES VERTICES][Ne] the element's vertex that is a vertex of its face */
  const int         *robinFaces; /* [nrobin] own faces with Robin's condition */
  double            *parts;      /* [(CORNERS COMPONENTS)^2][Ne], then [nrobin][(VERTICES COMPONENTS)^2] */
  double            *inverses;   /* [nown][BLOCK j][BLOCK i] */
  double             omega;
  int                nrobin;
} PlexHDGTracePartsArgs;

#endif
