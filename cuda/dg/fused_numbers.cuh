// Coefficients that vary, where fused_points.cuh reads them. An element's numbers in memory: rows [NGP] at its points, of
// each coefficient and, where sources read them, of its derivatives; then rows [FACES][MG] at those of its faces, of the
// coefficients that are read there, inside, then outside, then of the scale.
//
// They come to shared memory by themselves: those of faces to `given`, the other rows to places of fluxes and of entropy
// variables at points, which are free until these are computed; if there are too few they are read from memory.
#ifndef PLEX_DG_SLOPES // bits of the coefficients whose derivatives are read, and of those that are read on faces
  #define PLEX_DG_SLOPES ((1u << PLEX_DG_NK) - 1)
#endif
#ifndef PLEX_DG_ON_FACES
  #define PLEX_DG_ON_FACES ((1u << PLEX_DG_NK) - 1)
#endif

// How many of the first i coefficients are in a set
static __device__ constexpr int plex_dg_members(unsigned set, int i)
{
  return i ? (int)(set >> (i - 1) & 1u) + plex_dg_members(set, i - 1) : 0;
}
static __device__ constexpr int plex_dg_row(int i) // of coefficient i
{
  return i + PLEX_DIM * plex_dg_members(PLEX_DG_SLOPES, i);
}
#ifdef PLEX_DG_SCALE
  #define PLEX_DG_SCALED 1
#else
  #define PLEX_DG_SCALED 0
#endif
#define PLEX_DG_POINT_ROWS   plex_dg_row(PLEX_DG_NK)
#define PLEX_DG_SIDE_ROWS    plex_dg_members(PLEX_DG_ON_FACES, PLEX_DG_NK)
#define PLEX_DG_FACE_NUMBERS (((2 * PLEX_DG_SIDE_ROWS + PLEX_DG_SCALED) * PLEX_DG_FG + 1) / 2 * 2)
#define PLEX_DG_EACH         (PLEX_DG_POINT_ROWS * PLEX_DG_NGP + PLEX_DG_FACE_NUMBERS)
#define PLEX_DG_HALF         (PLEX_DG_NP * (PLEX_DG_NP + 1) / 2) // of M^-1

// Places: parts 1 .. DIM + SOURCES - 1 of a field's row, behind values of the field; then those of w
#define PLEX_DG_PARTS  (PLEX_DIM + PLEX_DG_SOURCES - 1)
#define PLEX_DG_PLACED (PLEX_DG_POINT_ROWS <= PLEX_DG_NF * (PLEX_DG_PARTS + PLEX_DG_ENERGY))
// Pieces that stay together: rows of a field, rows in places of w, numbers of faces
#define PLEX_DG_FIELD_ROWS   (PLEX_DG_NF * PLEX_DG_PARTS)
#define PLEX_DG_FIELD_PIECES ((min(PLEX_DG_POINT_ROWS, PLEX_DG_FIELD_ROWS) + PLEX_DG_PARTS - 1) / PLEX_DG_PARTS)
#define PLEX_DG_PIECES (PLEX_DG_PLACED ? PLEX_DG_FIELD_PIECES + max(PLEX_DG_POINT_ROWS - PLEX_DG_FIELD_ROWS, 0) + 1 : 1)
#define PLEX_DG_IN_BULK (PLEX_BULK && !PLEX_SINGLE) // pieces are multiples of 16 bytes

// Row r of element e of the block
PLEX_DEVICE plex_real *plex_dg_place(const PlexDGBlock &b, int e, int r)
{
  const int k    = r < PLEX_DG_FIELD_ROWS ? r / PLEX_DG_PARTS : r - PLEX_DG_FIELD_ROWS,
            part = r < PLEX_DG_FIELD_ROWS ? 1 + r % PLEX_DG_PARTS : 0;

  return b.G + (k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG + (part ? part * PLEX_DG_NGP : PLEX_DG_W_AT);
}

// Piece `piece` of element e of the block: where it comes to, where it begins and how many numbers it has
PLEX_DEVICE plex_real *plex_dg_piece(const PlexDGBlock &b, int e, int piece, int *from, int *n)
{
  const int beyond = piece - PLEX_DG_FIELD_PIECES, r = beyond < 0 ? piece * PLEX_DG_PARTS : PLEX_DG_FIELD_ROWS + beyond;

  if (piece == PLEX_DG_PIECES - 1) {
    *from = PLEX_DG_POINT_ROWS * PLEX_DG_NGP;
    *n    = PLEX_DG_FACE_NUMBERS;
    return b.given + e * PLEX_DG_FACE_NUMBERS;
  }
  *from = r * PLEX_DG_NGP;
  *n    = beyond < 0 ? min(PLEX_DG_PARTS, PLEX_DG_POINT_ROWS - r) * PLEX_DG_NGP : PLEX_DG_NGP;
  return plex_dg_place(b, e, r);
}

// Puts the numbers on their way: in bulk by a warp, or two at a time by all, who wait by plex_dg_fetched()
PLEX_DEVICE void plex_dg_load_numbers(const PlexDGBlock &b, const plex_real *numbers)
{
  const plex_real *first = numbers + (plex_index)b.first * PLEX_DG_EACH;
  const int        all   = b.n * PLEX_DG_PIECES;

#if PLEX_DG_IN_BULK
  if (threadIdx.x >= 32) return;
  if (threadIdx.x == 0)
    plex_mbarrier_expect(b.arrived,
                         b.n * (PLEX_DG_PLACED ? PLEX_DG_EACH : PLEX_DG_FACE_NUMBERS) * (int)sizeof(plex_real));
  __syncwarp();
#endif
  for (int i = threadIdx.x; i < all; i += PLEX_DG_IN_BULK ? 32 : PLEX_DG_BLOCK) {
    const int        e = i / PLEX_DG_PIECES;
    int              at, n;
    plex_real       *to   = plex_dg_piece(b, e, i - e * PLEX_DG_PIECES, &at, &n);
    const plex_real *from = first + e * PLEX_DG_EACH + at;

#if PLEX_DG_IN_BULK
    plex_bulk_load(b.arrived, to, from, n * (int)sizeof(plex_real));
#else
    for (int j = 0; j < n; j += 2) plex_dg_copy<2 * sizeof(plex_real)>(to + j, from + j);
#endif
  }
}

// Waits for those in bulk, behind a barrier of the block
PLEX_DEVICE void plex_dg_wait_for_numbers(const PlexDGBlock &b)
{
#if PLEX_DG_IN_BULK
  while (!plex_mbarrier_done(b.arrived)) continue;
#else
  (void)b;
#endif
}

// Coefficients, and derivatives, at point g of element e of the block
PLEX_DEVICE void plex_dg_get_numbers(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int e, int g,
                                     plex_real k[PLEX_DG_NUMBERS])
{
  const plex_real *memory = (const plex_real *)fragments.numbers + (plex_index)(b.first + e) * PLEX_DG_EACH + g;

  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NK; ++i) _Pragma("unroll")
  for (int d = 0; d <= PLEX_DIM; ++d) {
    const int r = plex_dg_row(i) + d;

    k[i * (1 + PLEX_DIM) + d] = d && !(PLEX_DG_SLOPES >> i & 1u) ? 0
                              : PLEX_DG_PLACED                   ? plex_dg_place(b, e, r)[g]
                                                                 : memory[r * PLEX_DG_NGP];
  }
}

// Coefficients at point r of the faces of element e of the block, inside (side 0) or outside (1)
PLEX_DEVICE void plex_dg_get_face_numbers(const PlexDGBlock &b, int e, int r, int side, plex_real k[PLEX_DG_NUMBERS])
{
  const plex_real *from = b.given + e * PLEX_DG_FACE_NUMBERS + side * (PLEX_DG_SIDE_ROWS * PLEX_DG_FG) + r;

  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NK; ++i) {
    _Pragma("unroll")
    for (int d = 0; d <= PLEX_DIM; ++d) k[i * (1 + PLEX_DIM) + d] = 0;
    if (PLEX_DG_ON_FACES >> i & 1u) k[i * (1 + PLEX_DIM)] = from[plex_dg_members(PLEX_DG_ON_FACES, i) * PLEX_DG_FG];
  }
}

#ifdef PLEX_DG_SCALE
// Of element e of all
PLEX_DEVICE plex_real plex_dg_scale(const plex_real *numbers, int e, int g)
{
  return numbers[(plex_index)e * PLEX_DG_EACH + plex_dg_row(PLEX_DG_SCALE) * PLEX_DG_NGP + g];
}
// det J of the plane, from its cofactors
PLEX_DEVICE plex_real plex_dg_flat_determinant(const plex_real *C)
{
  return C[0] * C[3] - C[1] * C[2];
}
#endif

// The system's constants, of which those of PLEX_DG_ZEROS and PLEX_DG_ONES are known to be 0 or 1, so that what they switch
// off costs nothing
PLEX_DEVICE void plex_dg_get_constants(const PlexDGArgs &args, const PlexDGPointFragments &fragments,
                                       plex_real c[PLEX_DG_NC + 1])
{
  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NC; ++i) {
    c[i] = i >= PLEX_DG_GIVEN_CONSTANTS ? PLEX_DG_CONSTANTS[i]
         : PLEX_DG_ZEROS >> i & 1u      ? (plex_real)0
         : PLEX_DG_ONES >> i & 1u       ? (plex_real)1
                                        : (plex_real)fragments.constants[i % PLEX_DG_GIVEN_CONSTANTS];
  }
}
