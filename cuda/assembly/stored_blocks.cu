// Products of a Jacobian at a state with vectors, F += sum_q B_q^T C_q B_q v, with stored coefficients and full tables, by blocks of
// elements on tensor cores. Of simplices with one C an element the points are modes (integrate/stored.h of the library).
//
// A block of threads stays, and takes one block of elements after the other:
//
//   v of all dofs of the block's elements to shared memory, each once, and lists of which the copy is waited for at the end.
//   What the next block of elements needs is on its way meanwhile: numbers of its dofs while this one begins, from half of it
//   on v at these;
//   a warp takes 16 elements at a time: rows of left factors. Jets U[e][(m, a)] = v[e][n] T[n][(m, a)], W = C_e U in the
//   registers of the lane that has them, Y[e][n] = W[e][(m, a)] T^T, Y to shared memory;
//   each dof of the block is summed over its elements there, in the order of a list, and added to F: by an atomic addition
//   if another block has it too.
//
// A lane has elements 2 (lane / 4) and the next one of its 16, and points or modes m = lane % 4 (mod 4) with all parts a of
// their jets, which C multiplies: two columns of a product are two of these parts or of a batch's groups of four modes.
//
// Where a simplex is its own image when its first two coordinates are exchanged (PLEX_STORED_SPLIT), a product with tables
// is two of half the size: of sums and of differences of v at pairs of nodes that are exchanged, with modes that are even
// and odd. Derivatives are then those by both coordinates, half the sum and half the difference, and by the third one. An even mode has
// values, sums and the third from sums of v, differences from differences of v; an odd one the other way round.
//
// An element reads 2 bytes a dof to find v in shared memory and 2 to be summed, and its C; a dof of a block 4 bytes for its
// number, 8 of v, and 16 of F, 8 where F is zero and no other block has the dof. Tables are right factors in the order in which lanes take them, from the L1 cache.
#include "assembly/stored.cuh"
#include "dg/unit.cuh"

#define PLEX_WARPS     (PLEX_BLOCK / 32)
#define PLEX_LOADS     4                 // slices whose dofs a warp copies at once
#define PLEX_ADDS      4                 // and whose sums it adds
#define PLEX_ROWS      16                // elements of a warp at a time
#define PLEX_STEP      (PLEX_UNIT_K / 4) // fours of columns of a left factor, of an instruction
#define PLEX_STEPS(n)  (((n) + PLEX_STEP - 1) / PLEX_STEP)
#define PLEX_FOURS(n)  (((n) + 3) / 4)
#define PLEX_EIGHTS(n) (((n) + 7) / 8)
#define PLEX_EVEN(n)   (((n) + 1) / 2 * 2)

#if PLEX_SINGLE
typedef float2 PlexPair;
#else
typedef double2 PlexPair;
#endif

// Parts of the jets of a component that come from sums (odd: from differences) in even modes, or the other way round in odd ones; jet i of these
PLEX_DEVICE constexpr int plex_parts(int parts, int odd)
{
  return odd ? (PLEX_STORED_SPLIT && (parts & 2) ? 1 : 0)
             : (parts & 1) + (parts & 2 ? PLEX_DIM - PLEX_STORED_SPLIT : 0);
}
PLEX_DEVICE constexpr int plex_part(int parts, int odd, int i)
{
  return odd ? 2 : i < (parts & 1) ? 0 : i == (parts & 1) ? 1 : i - (parts & 1) + 1 + PLEX_STORED_SPLIT;
}
// Sums of a component, or differences
PLEX_DEVICE constexpr int plex_columns(int k, int odd)
{
  return odd ? plex_stored_odd(k) : plex_stored_even(k);
}
PLEX_DEVICE constexpr int plex_id(int k, int odd, int source)
{
  return (k * 2 + odd) * 2 + source;
}

// A left factor of two fours of columns; in double precision of the first one
PLEX_DEVICE PlexUnitA plex_left(const plex_real first[2], const plex_real second[2])
{
#if PLEX_SINGLE
  const unsigned v[4] = {__float_as_uint(first[0]), __float_as_uint(first[1]), __float_as_uint(second[0]),
                         __float_as_uint(second[1])};

  return plex_unit_split(v);
#else
  (void)second;
  return PlexUnitA{
    {first[0], first[1]}
  };
#endif
}

// What a lane has of 16 elements
struct PlexTile {
  int              tile;                    // of all
  const unsigned  *words;                   // [.][32] in shared memory: where two numbers of v are there
  const plex_real *C;                       // in shared memory, or in memory
  plex_real        v[PLEX_STORED_WORDS][2]; // left factors: of each component sums, then differences
  plex_real        Y[PLEX_STORED_SUMS][4];

  // Number k that is kept of points 4 group + lane % 4 of both elements; of points that there are not that of the last one
  __device__ __forceinline__ void coefficient(int group, int k, plex_real c[2]) const
  {
    const int row = (int)(threadIdx.x % 32) / 4 * 2;

#if PLEX_STORED_POINTS == 1
    const PlexPair pair = *(const PlexPair *)(C + k * PLEX_ROWS + row);

    (void)group;
    c[0] = pair.x;
    c[1] = pair.y;
#else
    const int q = 4 * group + (int)(threadIdx.x % 4) < PLEX_NQ ? 4 * group + (int)(threadIdx.x % 4) : PLEX_NQ - 1;
    const plex_real *at = C + (q / 4 * PLEX_STORED_NUMBERS + k) * (4 * PLEX_ROWS) + row * 4 + q % 4;

    c[0] = at[0];
    c[1] = at[4];
#endif
  }

  // Sums and differences of component k
  __device__ __forceinline__ void gather(const double *shared, int k)
  {
    const int first = plex_stored_word(k), fours = PLEX_FOURS(plex_stored_even(k));

    _Pragma("unroll")
    for (int q = 0; q < fours; ++q) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) v[first + q][h] = (plex_real)shared[words[(first + q) * 32] >> 16 * h & 0xffff];
    _Pragma("unroll")
    for (int q = 0; q < PLEX_FOURS(plex_stored_odd(k)); ++q) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const plex_real x = v[first + q][h], y = (plex_real)shared[words[(first + fours + q) * 32] >> 16 * h & 0xffff];

      v[first + q][h]         = x + y;
      v[first + fours + q][h] = x - y;
    }
  }

  // A left factor of v of component k
  __device__ __forceinline__ PlexUnitA factor(int k, int source, int step) const
  {
    const plex_real zero[2] = {0, 0};
    const int       fours = PLEX_FOURS(plex_columns(k, source)), q = step * PLEX_STEP,
                    first = plex_stored_word(k) + (source ? PLEX_FOURS(plex_stored_even(k)) : 0);

    return plex_left(v[first + q], q + 1 < fours ? v[first + (q + 1 < fours ? q + 1 : 0)] : zero);
  }

  // Jets of component k in a batch of groups of modes
  template <int odd, int groups>
  __device__ __forceinline__ void jets(const PlexUnitB *tables, int batch, int k,
                                       plex_real U[groups][2][PLEX_JETS]) const
  {
    _Pragma("unroll")
    for (int source = 0; source <= PLEX_STORED_SPLIT; ++source) {
      const int parts = plex_parts(plex_stored_in(k), odd ^ source), tiles = (groups * parts + 1) / 2,
                steps = PLEX_STEPS(PLEX_FOURS(plex_columns(k, source)));

      if (!parts) continue;
      const PlexUnitB *T = tables + (plex_stored_there(plex_id(k, odd, source)) + batch * (tiles * steps)) * 32;

      _Pragma("unroll")
      for (int t = 0; t < tiles; ++t) {
        plex_real c[4] = {0, 0, 0, 0};

        _Pragma("unroll")
        for (int s = 0; s < steps; ++s) plex_unit_add(c, factor(k, source, s), plex_unit_get(T + (t * steps + s) * 32));
        _Pragma("unroll")
        for (int i = 2 * t; i < 2 * t + 2 && i < groups * parts; ++i) _Pragma("unroll")
        for (int h = 0; h < 2; ++h)
          U[i / parts][h]
           [k * (1 + PLEX_DIM) + plex_part(plex_stored_in(k), odd ^ source, i % parts)] = c[2 * h + i % 2];
      }
    }
  }

  // Y += T^T W of component k
  template <int odd, int groups>
  __device__ __forceinline__ void back(const PlexUnitB *tables, int batch, int k,
                                       const plex_real W[groups][2][PLEX_JETS])
  {
    _Pragma("unroll")
    for (int source = 0; source <= PLEX_STORED_SPLIT; ++source) {
      const int parts = plex_parts(plex_stored_back(k), odd ^ source), n = groups * parts, steps = PLEX_STEPS(n),
                tiles = PLEX_EIGHTS(plex_columns(k, source)),
                first = plex_stored_sum(k) + (source ? PLEX_EIGHTS(plex_stored_even(k)) : 0);

      if (!parts) continue;
      const PlexUnitB *T = tables + (plex_stored_fro(plex_id(k, odd, source)) + batch * (tiles * steps)) * 32;

      _Pragma("unroll")
      for (int s = 0; s < steps; ++s) {
        plex_real w[2][2] = {};

        _Pragma("unroll")
        for (int i = s * PLEX_STEP; i < (s + 1) * PLEX_STEP && i < n; ++i) _Pragma("unroll")
        for (int h = 0; h < 2; ++h)
          w[i % PLEX_STEP][h] = W[i / parts][h]
                                 [k * (1 + PLEX_DIM) + plex_part(plex_stored_back(k), odd ^ source, i % parts)];
        const PlexUnitA A = plex_left(w[0], w[1]);

        _Pragma("unroll")
        for (int t = 0; t < tiles; ++t) plex_unit_add(Y[first + t], A, plex_unit_get(T + (t * steps + s) * 32));
      }
    }
  }

  // Derivatives by both coordinates from their half sum and half difference; or sum and difference of what these are
  // multiplied with: the same numbers
  template <int groups>
  __device__ __forceinline__ static void exchange(plex_real J[groups][2][PLEX_JETS], int k)
  {
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      plex_real *j = &J[g][h][k * (1 + PLEX_DIM)], x = j[1] + j[PLEX_DIM > 1 ? 2 : 1],
                y = j[1] - j[PLEX_DIM > 1 ? 2 : 1];

      j[1]                    = x;
      j[PLEX_DIM > 1 ? 2 : 1] = y;
    }
  }

#if PLEX_STORED_FACTORS
  // W = C U
  template <int groups>
  __device__ __forceinline__ void multiply(const PlexStoredPhysical &physical, int group,
                                           const plex_real U[groups][2][PLEX_JETS],
                                           plex_real       W[groups][2][PLEX_JETS]) const
  {
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g) {
      plex_real c[PLEX_STORED_NUMBERS][2];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_STORED_NUMBERS; ++k) coefficient(group + g, k, c[k]);
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) plex_stored_multiply([&](int k) { return c[k][h]; }, physical, U[g][h], W[g][h]);
    }
  }
#else
  // W = C U
  template <int groups>
  __device__ __forceinline__ void multiply(const PlexStoredPhysical &, int group,
                                           const plex_real U[groups][2][PLEX_JETS],
                                           plex_real       W[groups][2][PLEX_JETS]) const
  {
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) _Pragma("unroll")
    for (int k = 0; k < PLEX_JETS; ++k) W[g][h][k] = 0;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_STORED_N; ++k) {
      plex_real c[groups][2];

      if (k % 16 == 0) plex_lanes_sync(); // before it no more are loaded than registers hold

      _Pragma("unroll")
      for (int g = 0; g < groups; ++g) {
        const int from = PLEX_STORED_POINTS == 1 ? 0 : g;

        if (from == g) coefficient(group + g, k, c[g]);
        else {
          c[g][0] = c[from][0];
          c[g][1] = c[from][1];
        }
      }
      _Pragma("unroll")
      for (int g = 0; g < groups; ++g) _Pragma("unroll")
      for (int h = 0; h < 2; ++h) _Pragma("unroll")
      for (int first = 0; first < PLEX_JETS; first += PLEX_STORED_JETS) {
        const int i = first + plex_stored_row[k], j = first + plex_stored_column[k];

        if (!PLEX_TRANSPOSED || PLEX_SYMMETRIC) W[g][h][i] += c[g][h] * U[g][h][j];
        if (PLEX_SYMMETRIC ? i != j : PLEX_TRANSPOSED) W[g][h][j] += c[g][h] * U[g][h][i];
      }
    }
  }
#endif

  // All modes of one parity
  template <int odd, int groups>
  __device__ __forceinline__ void modes(const PlexStoredPhysical &physical, const PlexUnitB *tables,
                                        const double *shared, int begin, int end)
  {
    _Pragma("unroll 1")
    for (int b = begin; b < end; ++b) {
      plex_real U[groups][2][PLEX_JETS], W[groups][2][PLEX_JETS];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_NC; ++k) {
        if (!PLEX_STORED_KEEP) plex_lanes_sync();
        if (!PLEX_STORED_KEEP) gather(shared, k);
        jets<odd, groups>(tables, b, k, U);
        if (PLEX_STORED_SPLIT && (plex_stored_in(k) & 2)) exchange<groups>(U, k);
      }
      multiply<groups>(physical, b * groups, U, W);
      _Pragma("unroll")
      for (int k = 0; k < PLEX_NC; ++k) {
        if (!PLEX_STORED_KEEP) plex_lanes_sync();
        if (PLEX_STORED_SPLIT && (plex_stored_back(k) & 2)) exchange<groups>(W, k);
        back<odd, groups>(tables, b, k, W);
      }
    }
  }

  // Y to shared memory, [elements][PLEX_STORED_STRIDE]: of each component at first nodes of pairs and at those without, then at second ones
  __device__ __forceinline__ void put(plex_real *shared) const
  {
    const int t = (int)(threadIdx.x % 4), row = (int)(threadIdx.x % 32) / 4 * 2;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_NC; ++k) {
      const int even = plex_stored_even(k), odd = plex_stored_odd(k), sum = plex_stored_sum(k);

      _Pragma("unroll")
      for (int i = 0; i < PLEX_EIGHTS(even); ++i) _Pragma("unroll")
      for (int h = 0; h < 2; ++h) {
        const bool       pairs = i < PLEX_EIGHTS(odd);
        const plex_real *e = &Y[sum + i][2 * h], *o = &Y[sum + (pairs ? PLEX_EIGHTS(even) + i : 0)][2 * h];
        plex_real       *to = shared + (row + h) * PLEX_STORED_STRIDE + plex_stored_at(k) + 8 * i + 2 * t;

        if (8 * i + 2 * t < even) {
          PlexPair pair;

          pair.x          = pairs ? e[0] + o[0] : e[0];
          pair.y          = pairs ? e[1] + o[1] : e[1];
          *(PlexPair *)to = pair;
        }
        if (pairs && 8 * i + 2 * t < odd) {
          PlexPair pair;

          pair.x                              = e[0] - o[0];
          pair.y                              = e[1] - o[1];
          *(PlexPair *)(to + PLEX_EVEN(even)) = pair;
        }
      }
    }
  }
};

// Numbers of C of 16 elements
#define PLEX_OF_C \
  (PLEX_STORED_POINTS == 1 ? PLEX_STORED_NUMBERS * PLEX_ROWS \
                           : PLEX_FOURS(PLEX_NQ) * PLEX_STORED_NUMBERS * 4 * PLEX_ROWS)

// A block's shared memory. Of slices of dofs, v and rows, a lane copies, and reads at the end, the same ones
struct PlexBlocksShared {
  double         *v;      // [2][places] of this block of elements and of the next one
  plex_real      *sums;   // [elements][PLEX_STORED_STRIDE], and 0
  plex_real      *C;      // [elements / 16][PLEX_OF_C] where PLEX_STORED_STAGED
  unsigned       *words;  // [elements / 16][PLEX_STORED_WORDS][32]
  unsigned short *lists;  // [terms][32]
  int            *starts; // [4][4] slices and terms, begin and end, of this one and three to come
  int            *heads;  // [slices][2]
  int            *rows;   // [2][places] likewise
  int             places;

  __device__ __forceinline__ PlexBlocksShared(const PlexStoredArgs &args, double *begin)
  {
    places = args.places;
    v      = begin;
    sums   = (plex_real *)(v + 2 * places);
    C      = sums + PLEX_STORED_TILES * PLEX_ROWS * PLEX_STORED_STRIDE + 4;
    words  = (unsigned *)(C + (PLEX_STORED_STAGED ? PLEX_STORED_TILES * PLEX_OF_C : 0));
    lists  = (unsigned short *)(words + PLEX_STORED_TILES * PLEX_STORED_WORDS * 32);
    starts = (int *)(lists + 32 * args.terms);
    heads  = starts + 16;
    rows   = heads + places / 32 * 2;
  }
};

// Copies that are waited for later, of a block of elements
PLEX_DEVICE void plex_blocks_ask_start(const PlexStoredArgs &args, const PlexBlocksShared &shared, int block, int slot)
{
  if (threadIdx.x < 2)
    plex_cp_async<8>(shared.starts + 4 * slot + 2 * threadIdx.x, args.starts + 2 * (block + (int)threadIdx.x));
}
PLEX_DEVICE void plex_blocks_ask_lists(const PlexStoredArgs &args, const PlexBlocksShared &shared, const int *start)
{
  const int slices = start[2] - start[0], chunks = (start[3] - start[1]) * 4;

  _Pragma("unroll 1")
  for (int k = (int)threadIdx.x; k < chunks; k += PLEX_BLOCK)
    plex_cp_async_line(shared.lists + 8 * k, args.lists + (plex_index)start[1] * 32 + 8 * k);
  _Pragma("unroll 1")
  for (int k = (int)threadIdx.x; k < slices; k += PLEX_BLOCK)
    plex_cp_async<8>(shared.heads + 2 * k, args.slices + 2 * ((plex_index)start[0] + k));
}
PLEX_DEVICE void plex_blocks_ask_rows(const PlexStoredArgs &args, int *rows, const int *start)
{
  const int  slices = start[2] - start[0], lane = (int)threadIdx.x % 32;
  const int *from = args.rows + (plex_index)start[0] * 32 + lane;

  _Pragma("unroll 4")
  for (int s = (int)threadIdx.x / 32; s < slices; s += PLEX_WARPS)
    plex_cp_async<4>(rows + s * 32 + lane, from + s * 32);
}
// The lane's rows are there
PLEX_DEVICE void plex_blocks_ask_v(const PlexStoredArgs &args, double *v, const int *rows, const int *start)
{
  const int slices = start[2] - start[0], lane = (int)threadIdx.x % 32;

  _Pragma("unroll 1")
  for (int first = (int)threadIdx.x / 32; first < slices; first += PLEX_LOADS * PLEX_WARPS) {
    int row[PLEX_LOADS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_LOADS; ++k) {
      const int s = first + k * PLEX_WARPS;

      row[k] = rows[(s < slices ? s : first) * 32 + lane];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_LOADS; ++k) {
      const int s = first + k * PLEX_WARPS;

      if (s >= slices) break;
      if (row[k] >= 0) plex_cp_async<8>(v + 2 + s * 32 + lane, args.v + row[k]);
      else v[2 + s * 32 + lane] = 0;
    }
  }
}
// Of 16 elements what a warp reads itself: a lane the words that it copies, all lanes C
PLEX_DEVICE void plex_blocks_ask_tile(const PlexStoredArgs &args, const PlexBlocksShared &shared, int i,
                                      plex_index tile)
{
  const int lane = (int)threadIdx.x % 32;

  _Pragma("unroll")
  for (int w = 0; w < PLEX_STORED_WORDS; ++w)
    plex_cp_async<4>(shared.words + (i * PLEX_STORED_WORDS + w) * 32 + lane,
                     args.words + (tile * PLEX_STORED_WORDS + w) * 32 + lane);
#if PLEX_STORED_STAGED
  const char *from = (const char *)((const plex_real *)args.C + tile * PLEX_OF_C);

  _Pragma("unroll 4")
  for (int k = lane; k < PLEX_OF_C * (int)sizeof(plex_real) / 16; k += 32)
    plex_cp_async_line((char *)(shared.C + i * PLEX_OF_C) + 16 * k, from + 16 * k);
#endif
}

// From memory to the L2 cache: C of a block of elements that warps read from there
PLEX_DEVICE void plex_blocks_prefetch(const PlexStoredArgs &args, int block)
{
#if !PLEX_STORED_STAGED
  const plex_real *C = (const plex_real *)args.C + (plex_index)block * PLEX_STORED_TILES * PLEX_OF_C;

  _Pragma("unroll 1")
  for (int k = (int)threadIdx.x; k < PLEX_STORED_TILES * PLEX_OF_C / PLEX_ROWS; k += PLEX_BLOCK)
    plex_prefetch_L2(C + k * PLEX_ROWS);
#else
  (void)args, (void)block;
#endif
}

// Each dof's sum, by a lane or by some
PLEX_DEVICE void plex_blocks_add(const PlexStoredArgs &args, int slices, const plex_real *sums,
                                 const unsigned short *lists, const int *rows, const int *heads)
{
  const int lane = (int)threadIdx.x % 32;

  _Pragma("unroll 1")
  for (int first = (int)threadIdx.x / 32; first < slices; first += PLEX_ADDS * PLEX_WARPS) {
    int         row[PLEX_ADDS];
    bool        own[PLEX_ADDS];
    plex_scalar F[PLEX_ADDS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_ADDS; ++k) {
      const int s = first + k * PLEX_WARPS;

      row[k] = s < slices ? rows[s * 32 + lane] : -1;
      own[k] = row[k] >= 0 && !(heads[2 * (s < slices ? s : 0) + 1] & 1);
      F[k]   = own[k] && !args.zero ? args.F[row[k]] : 0;
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_ADDS; ++k) {
      const int s = first + k * PLEX_WARPS;

      if (s >= slices) break;
      const unsigned short *list  = lists + (heads[2 * s] - heads[0]) * 32 + lane;
      const int             terms = heads[2 * s + 1] >> 1;
      plex_scalar           sum   = F[k];

      _Pragma("unroll 4")
      for (int t = 0; t < terms; ++t) sum += (plex_scalar)sums[list[t * 32]];
      if (own[k]) args.F[row[k]] = sum;
      else if (row[k] >= 0) atomicAdd(&args.F[row[k]], sum);
    }
  }
}

// v of the block's next elements on its way, where the lane's rows have been on theirs
PLEX_DEVICE void plex_blocks_ask_next(const PlexStoredArgs &args, const PlexBlocksShared &shared, int slot, bool next)
{
  plex_cp_async_wait<1>(); // but for lists
  if (next)
    plex_blocks_ask_v(args, shared.v + (slot + 1) % 2 * shared.places, shared.rows + (slot + 1) % 2 * shared.places,
                      shared.starts + (slot + 1) % 4 * 4);
  plex_cp_async_commit();
}

// Y of the warp's elements; then words and C of those that it has in the block's next elements are on their way. Half of the
// way through the first of them v of the next elements is asked for
PLEX_DEVICE void plex_blocks_multiply(const PlexStoredArgs &args, const PlexStoredPhysical &physical,
                                      const PlexBlocksShared &shared, int slot, int block, int next, int blocks)
{
  const double    *v      = shared.v + slot % 2 * shared.places;
  const PlexUnitB *tables = (const PlexUnitB *)args.tables + threadIdx.x % 32;
  const int        warp   = (int)threadIdx.x / 32;
  PlexTile         t;

  if (warp >= PLEX_STORED_TILES) plex_blocks_ask_next(args, shared, slot, next < blocks);
  _Pragma("unroll 1")
  for (int i = warp; i < PLEX_STORED_TILES; i += PLEX_WARPS) {
    t.tile  = block * PLEX_STORED_TILES + i;
    t.words = shared.words + i * PLEX_STORED_WORDS * 32 + threadIdx.x % 32;
#if PLEX_STORED_STAGED
    t.C = shared.C + i * PLEX_OF_C;
#else
    t.C = (const plex_real *)args.C + (plex_index)t.tile * PLEX_OF_C;
#endif
    _Pragma("unroll")
    for (int k = 0; k < PLEX_NC && PLEX_STORED_KEEP; ++k) t.gather(v, k);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_STORED_SUMS; ++k) t.Y[k][0] = t.Y[k][1] = t.Y[k][2] = t.Y[k][3] = 0;
#if PLEX_STORED_BATCHES_ODD
    t.modes<0, PLEX_STORED_BATCH_EVEN>(physical, tables, v, 0, PLEX_STORED_BATCHES_EVEN);
    if (i == warp) plex_blocks_ask_next(args, shared, slot, next < blocks);
    t.modes<PLEX_STORED_SPLIT, PLEX_STORED_BATCH_ODD>(physical, tables, v, 0, PLEX_STORED_BATCHES_ODD);
#else
    _Pragma("unroll 1")
    for (int half = PLEX_STORED_BATCHES_EVEN < 2; half < 2; ++half) {
      if (half && i == warp) plex_blocks_ask_next(args, shared, slot, next < blocks);
      t.modes<0, PLEX_STORED_BATCH_EVEN>(physical, tables, v, half ? PLEX_STORED_BATCHES_EVEN / 2 : 0,
                                         half ? PLEX_STORED_BATCHES_EVEN : PLEX_STORED_BATCHES_EVEN / 2);
    }
#endif
    t.put(shared.sums + i * PLEX_ROWS * PLEX_STORED_STRIDE);
    plex_lanes_sync(); // all have read C
    if (next < blocks) plex_blocks_ask_tile(args, shared, i, (plex_index)next * PLEX_STORED_TILES + i);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_STORED_RESIDENT)
  plex_apply(PlexStoredArgs args, int first, int n, PlexStoredPhysical physical)
{
  PLEX_DYNAMIC_SHARED(double, memory);
  const PlexBlocksShared shared(args, memory);
  const int step = (int)gridDim.x, blocks = (n + PLEX_ROWS * PLEX_STORED_TILES - 1) / (PLEX_ROWS * PLEX_STORED_TILES),
            warp  = (int)threadIdx.x / 32;
  int       block = (int)blockIdx.x, slot = 0; // of starts, v and rows

  (void)first;
  if (block >= blocks) return;
  for (int k = 0; k < 3; ++k)
    if (block + k * step < blocks) plex_blocks_ask_start(args, shared, block + k * step, k);
  if (threadIdx.x < 2) shared.v[threadIdx.x * shared.places] = 0; // of nodes that there are not
  if (threadIdx.x == 0) shared.sums[PLEX_STORED_TILES * PLEX_ROWS * PLEX_STORED_STRIDE] = 0; // and of elements
  plex_cp_async_wait_all();
  __syncthreads();
  plex_blocks_ask_rows(args, shared.rows, shared.starts);
  plex_cp_async_commit();
  _Pragma("unroll 1")
  for (int i = warp; i < PLEX_STORED_TILES; i += PLEX_WARPS)
    plex_blocks_ask_tile(args, shared, i, (plex_index)block * PLEX_STORED_TILES + i);
  plex_cp_async_commit();
  plex_cp_async_wait<1>();
  plex_blocks_ask_v(args, shared.v, shared.rows, shared.starts);
  plex_cp_async_commit();
  if (block + step < blocks) plex_blocks_ask_rows(args, shared.rows + shared.places, shared.starts + 4);
  plex_cp_async_commit();
  plex_blocks_prefetch(args, block);
  _Pragma("unroll 1")
  for (; block < blocks; block += step) {
    const int *start = shared.starts + slot % 4 * 4;

    plex_cp_async_wait<1>(); // v, words and C; not rows of the next elements
    __syncthreads();         // and nobody reads what was of the last ones
    plex_blocks_ask_lists(args, shared, start);
    if (block + 3 * step < blocks) plex_blocks_ask_start(args, shared, block + 3 * step, (slot + 3) % 4);
    plex_cp_async_commit();
    if (block + step < blocks) plex_blocks_prefetch(args, block + step);
    plex_blocks_multiply(args, physical, shared, slot, block, block + step, blocks);
    plex_cp_async_commit();
    plex_cp_async_wait<2>(); // lists
    __syncthreads();
    plex_blocks_add(args, start[2] - start[0], shared.sums, shared.lists, shared.rows + slot % 2 * shared.places,
                    shared.heads);
    if (block + 2 * step < blocks)
      plex_blocks_ask_rows(args, shared.rows + slot % 2 * shared.places, shared.starts + (slot + 2) % 4 * 4);
    plex_cp_async_commit();
    slot = (slot + 1) % 4;
  }
}
PLEX_EXPORT_KERNEL(plex_apply)
