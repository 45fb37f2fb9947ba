// Values at points, and coefficients that vary, as fused_points.cuh has them: rows of a number of all elements of the block,
// one element a thread, so that neither threads of an element nor products meet conflicts of banks.
//
// Coefficients of a block in memory, src/dg/impls/quadrature/numbers.c: rows at the points of elements, of each coefficient
// and, where sources read them, of its derivatives, in parts [NG][NF], then the rest [NG][rows of it]; rows [FACES][MG] at
// points of faces, of the coefficients that are read there, inside, then outside, then of the scale; of straight elements
// dr_a/dx_d, and the normal of each face and its length.
//
// They come to shared memory by themselves: those at points of elements to places of fluxes, and the rest to that of the
// depth or of another part, which are free until these are computed; if there are too few they are read from memory.
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
#define PLEX_DG_FACE_NUMBERS ((2 * PLEX_DG_SIDE_ROWS + PLEX_DG_SCALED) * PLEX_DG_FG)
#define PLEX_DG_HALF         (PLEX_DG_NP * (PLEX_DG_NP + 1) / 2) // of M^-1

// Places: parts 1 .. PLEX_DG_PLACES of fluxes and sources, behind values of the fields; then those of w
#define PLEX_DG_PLACES (PLEX_DIM + PLEX_DG_SOURCES - 1)
#define PLEX_DG_PLACED (PLEX_DG_POINT_ROWS <= PLEX_DG_NF * (PLEX_DG_PLACES + PLEX_DG_ENERGY))
#define PLEX_DG_FULL \
  (PLEX_DG_POINT_ROWS / PLEX_DG_NF < PLEX_DG_PLACES ? PLEX_DG_POINT_ROWS / PLEX_DG_NF : PLEX_DG_PLACES) // parts
#define PLEX_DG_REST  (PLEX_DG_POINT_ROWS - PLEX_DG_FULL * PLEX_DG_NF) // rows of the rest
#define PLEX_DG_SIDES (PLEX_DG_POINT_ROWS * PLEX_DG_NG)                // the first row of faces
#define PLEX_DG_EACH  (PLEX_DG_SIDES + PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY)
#define PLEX_DG_DEEP  (PLEX_DG_ENERGY && PLEX_DG_REST == 1) // the rest is where depths come
#define PLEX_DG_ROW   (PLEX_DG_NF * PLEX_DG_ELEMENTS)       // from column to column
#define PLEX_DG_REST_AT \
  (PLEX_DG_FULL < PLEX_DG_PLACES ? (1 + PLEX_DG_FULL) * PLEX_DG_NG : PLEX_DG_W_AT) // or its column

// B of fused_points.cuh has the place of what was given at points of faces, where that is enough
#define PLEX_DG_GIVEN_PLACE (PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY >= PLEX_DG_VALUES)
PLEX_DEVICE plex_real *plex_dg_get_sums_of_w(const PlexDGBlock &b)
{
  return PLEX_DG_GIVEN_PLACE ? b.given : b.G + PLEX_DG_X_AT * PLEX_DG_ROW;
}

// In a row of column c element e stands at e ^ plex_dg_order(c): 4 elements of 4 columns are in 16 banks
PLEX_DEVICE int plex_dg_order(int column)
{
  return column & 3;
}
// Field 0 of element e in a column; other fields are PLEX_DG_ELEMENTS apart
PLEX_DEVICE int plex_dg_at(int column, int e)
{
  return column * PLEX_DG_ROW + (e ^ plex_dg_order(column));
}

// Of column c of a part of the fluxes, sources, or of what is behind them. Where parts begin at a multiple of 4 all have one
// order
PLEX_DEVICE int plex_dg_in_part(int part, int c, int e)
{
  if (PLEX_DG_NG % 4 == 0) return plex_dg_at(c, e) + part * (PLEX_DG_NG * PLEX_DG_ROW);
  return plex_dg_at(part * PLEX_DG_NG + c, e);
}

// In a block's numbers row r of those at points, at point g of element e: in the order of the column where it comes to
PLEX_DEVICE int plex_dg_number_at(int r, int g, int e)
{
  constexpr int full = PLEX_DG_FULL * PLEX_DG_NF, rest = PLEX_DG_DEEP ? 0 : PLEX_DG_REST_AT;
  const int     row    = r < full ? (r / PLEX_DG_NF * PLEX_DG_NG + g) * PLEX_DG_NF + r % PLEX_DG_NF
                                  : full * PLEX_DG_NG + g * PLEX_DG_REST + r - full,
                column = r < full ? (1 + r / PLEX_DG_NF) * PLEX_DG_NG : rest;

  return row * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(column + g));
}

// `rows` rows of the block's numbers, from row `first` on
PLEX_DEVICE void plex_dg_load_rows(const PlexDGBlock &b, plex_real *to, const plex_real *numbers, int first, int rows)
{
  const plex_real *from = numbers + ((plex_index)b.number * PLEX_DG_EACH + first) * PLEX_DG_ELEMENTS;

#if PLEX_BULK
  plex_bulk_load(b.arrived, to, from, rows * PLEX_DG_ELEMENTS * (int)sizeof(plex_real));
#else
  constexpr int wide = 16 / (int)sizeof(plex_real);

  for (int i = threadIdx.x * wide; i < rows * PLEX_DG_ELEMENTS; i += PLEX_DG_BLOCK * wide)
    plex_dg_copy<16>(to + i, from + i);
#endif
}

// By one thread where there are copies in bulk
PLEX_DEVICE void plex_dg_load_numbers(const PlexDGBlock &b, const plex_real *numbers)
{
  constexpr int part = PLEX_DG_NG * PLEX_DG_NF, sides = PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY;

#if PLEX_BULK
  if (threadIdx.x) return;
  plex_mbarrier_expect(b.arrived,
                       (sides + (PLEX_DG_PLACED ? PLEX_DG_SIDES : 0)) * PLEX_DG_ELEMENTS * (int)sizeof(plex_real));
#endif
  if (PLEX_DG_PLACED) {
    _Pragma("unroll")
    for (int p = 0; p < PLEX_DG_FULL; ++p)
      plex_dg_load_rows(b, b.G + (1 + p) * (PLEX_DG_NG * PLEX_DG_ROW), numbers, p * part, part);
    if (PLEX_DG_DEEP) plex_dg_load_rows(b, b.depth, numbers, PLEX_DG_FULL * part, PLEX_DG_NG);
    else if (PLEX_DG_REST)
      for (int g = 0; g < PLEX_DG_NG; ++g)
        plex_dg_load_rows(b, b.G + (PLEX_DG_REST_AT + g) * PLEX_DG_ROW, numbers, PLEX_DG_FULL * part + g * PLEX_DG_REST,
                          PLEX_DG_REST);
  }
  if (sides) plex_dg_load_rows(b, b.given, numbers, PLEX_DG_SIDES, sides);
}

// By all, behind a barrier of the block
PLEX_DEVICE void plex_dg_wait_for_numbers(const PlexDGBlock &b)
{
#if PLEX_BULK
  while (!plex_mbarrier_done(b.arrived)) continue;
#else
  (void)b;
#endif
}

// Coefficients, and derivatives, at point g of element e of the block
PLEX_DEVICE void plex_dg_get_numbers(const PlexDGPointFragments &fragments, const PlexDGBlock &b, int e, int g,
                                     plex_real k[PLEX_DG_NUMBERS])
{
  const plex_real *memory = (const plex_real *)fragments.numbers +
                            (plex_index)b.number * (PLEX_DG_EACH * PLEX_DG_ELEMENTS);

  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NK; ++i) _Pragma("unroll")
  for (int d = 0; d <= PLEX_DIM; ++d) {
    const int r = plex_dg_row(i) + d, part = r / PLEX_DG_NF, more = r - PLEX_DG_FULL * PLEX_DG_NF;

    if (d && !(PLEX_DG_SLOPES >> i & 1u)) k[i * (1 + PLEX_DIM) + d] = 0;
    else if (!PLEX_DG_PLACED) k[i * (1 + PLEX_DIM) + d] = memory[plex_dg_number_at(r, g, e)];
    else if (more < 0)
      k[i * (1 + PLEX_DIM) + d] = b.G[plex_dg_in_part(1 + part, g, e) + r % PLEX_DG_NF * PLEX_DG_ELEMENTS];
    else if (PLEX_DG_DEEP) k[i * (1 + PLEX_DIM) + d] = b.depth[g * PLEX_DG_ELEMENTS + (e ^ plex_dg_order(g))];
    else k[i * (1 + PLEX_DIM) + d] = b.G[plex_dg_at(PLEX_DG_REST_AT + g, e) + more * PLEX_DG_ELEMENTS];
  }
}

// Coefficients at point r of the faces of element e of the block, inside (side 0) or outside (1)
PLEX_DEVICE void plex_dg_get_face_numbers(const PlexDGBlock &b, int e, int r, int side, plex_real k[PLEX_DG_NUMBERS])
{
  const plex_real *from = b.given + r * PLEX_DG_ELEMENTS + e +
                          side * (PLEX_DG_SIDE_ROWS * PLEX_DG_FG * PLEX_DG_ELEMENTS);

  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NK; ++i) {
    _Pragma("unroll")
    for (int d = 0; d <= PLEX_DIM; ++d) k[i * (1 + PLEX_DIM) + d] = 0;
    if (PLEX_DG_ON_FACES >> i & 1u)
      k[i * (1 + PLEX_DIM)] = from[plex_dg_members(PLEX_DG_ON_FACES, i) * (PLEX_DG_FG * PLEX_DG_ELEMENTS)];
  }
}

// Number i of the geometry of element e of the block: PLEX_DG_RECORD_C, PLEX_DG_RECORD_NORMALS
PLEX_DEVICE const plex_real *plex_dg_geometry(const PlexDGBlock &b, int e, int i)
{
  return b.given + e + (PLEX_DG_FACE_NUMBERS + i) * PLEX_DG_ELEMENTS;
}

#ifdef PLEX_DG_SCALE
// Of the element at place e of all
PLEX_DEVICE plex_real plex_dg_scale(const plex_real *numbers, int e, int g)
{
  return numbers[(plex_index)(e / PLEX_DG_ELEMENTS) * (PLEX_DG_EACH * PLEX_DG_ELEMENTS) +
                 plex_dg_number_at(plex_dg_row(PLEX_DG_SCALE), g, e % PLEX_DG_ELEMENTS)];
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
