// Coefficients that vary, where fused_points.cuh reads them. An element's numbers in memory: rows [NGP] at its points,
// of each coefficient and, where sources read them, of its derivatives; then rows [FACES][MG] at those of its faces, of
// the coefficients that are read there, inside, then outside, then of the scale.
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

// Row r of element e of the block
PLEX_DEVICE plex_real *plex_dg_place(const PlexDGBlock &b, int e, int r)
{
  const int part = r / PLEX_DG_NF, k = r - part * PLEX_DG_NF;

  return b.G + (k * PLEX_DG_ELEMENTS + e) * PLEX_DG_SG +
         (part < PLEX_DG_PARTS ? (1 + part) * PLEX_DG_NGP : PLEX_DG_W_AT);
}

// Two numbers at a time, an element a warp: where they come is found once
PLEX_DEVICE void plex_dg_load_numbers(const PlexDGBlock &b, const plex_real *numbers)
{
  constexpr int    row = PLEX_DG_NGP / 2, rows = PLEX_DG_PLACED ? PLEX_DG_POINT_ROWS * row : 0,
                   faces = PLEX_DG_FACE_NUMBERS / 2, skipped = PLEX_DG_PLACED ? 0 : PLEX_DG_POINT_ROWS * PLEX_DG_NGP;
  const int        warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const plex_real *from = numbers + (plex_index)(b.first + warp) * PLEX_DG_EACH + skipped + 2 * lane;

  _Pragma("unroll 2")
  for (int t = 0; t < (rows + faces + 31) / 32; ++t) {
    const int  j = 32 * t + lane, r = j / row, step = j < rows ? PLEX_DG_SG : PLEX_DG_FACE_NUMBERS;
    plex_real *to = j < rows ? plex_dg_place(b, warp, r) + 2 * (j - r * row)
                             : b.given + warp * PLEX_DG_FACE_NUMBERS + 2 * (j - rows);

    if (j < rows + faces) _Pragma("unroll")
    for (int e = 0; e < PLEX_DG_ELEMENTS; e += PLEX_DG_WARPS)
      if (warp + e < b.n) plex_dg_copy<2 * sizeof(plex_real)>(to + e * step, from + 64 * t + e * PLEX_DG_EACH);
  }
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

// The system's constants, of which those of PLEX_DG_ZEROS and PLEX_DG_ONES are known to be 0 or 1, so that what they
// switch off costs nothing
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
