// Products of a Jacobian at a state with vectors, F += sum_q B_q^T C_q B_q v, with stored coefficients and full tables, by blocks of
// elements on tensor cores. Of simplices with one C an element the points are modes (integrate/stored.h of the library).
//
//   v of all dofs of the block's elements to shared memory, each once, and lists of which the copy is waited for at the end;
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
// number, 8 of v, and 16 of F. Tables are right factors in the order in which lanes take them, from the L1 cache.
#include "assembly/stored.cuh"
#include "dg/unit.cuh"

#define PLEX_WARPS     (PLEX_BLOCK / 32)
#define PLEX_LOADS     8                 // slices whose dofs a warp reads at once
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
  int       tile;                     // of all
  unsigned  words[PLEX_STORED_WORDS]; // where two numbers of v are in shared memory
  plex_real v[PLEX_STORED_WORDS][2];  // left factors: of each component sums, then differences
  plex_real kept[PLEX_STORED_KEPT ? PLEX_STORED_NUMBERS : 1][2];
  plex_real Y[PLEX_STORED_SUMS][4];

  __device__ __forceinline__ void read(const PlexStoredArgs &args)
  {
    const unsigned *from = args.words + (plex_index)tile * PLEX_STORED_WORDS * 32 + threadIdx.x % 32;

    _Pragma("unroll")
    for (int w = 0; w < PLEX_STORED_WORDS; ++w) words[w] = from[w * 32];
    _Pragma("unroll")
    for (int k = 0; k < PLEX_STORED_NUMBERS && PLEX_STORED_KEPT; ++k) coefficient(args, 0, k, kept[k]);
  }

  // Number k that is kept of points 4 group + lane % 4 of both elements; of points that there are not that of the last one
  __device__ __forceinline__ void coefficient(const PlexStoredArgs &args, int group, int k, plex_real c[2]) const
  {
    const int        row = (int)(threadIdx.x % 32) / 4 * 2;
    const plex_real *C   = (const plex_real *)args.C;

#if PLEX_STORED_POINTS == 1
    const PlexPair pair = *(const PlexPair *)(C + ((plex_index)tile * PLEX_STORED_NUMBERS + k) * PLEX_ROWS + row);

    (void)group;
    c[0] = pair.x;
    c[1] = pair.y;
#else
    const int q = 4 * group + (int)(threadIdx.x % 4) < PLEX_NQ ? 4 * group + (int)(threadIdx.x % 4) : PLEX_NQ - 1;

    C += (((plex_index)tile * PLEX_FOURS(PLEX_NQ) + q / 4) * PLEX_STORED_NUMBERS + k) * (4 * PLEX_ROWS) + row * 4 +
         q % 4;
    c[0] = C[0];
    c[1] = C[4];
#endif
  }

  // Sums and differences of component k
  __device__ __forceinline__ void gather(const plex_real *shared, int k)
  {
    const int first = plex_stored_word(k), fours = PLEX_FOURS(plex_stored_even(k));

    _Pragma("unroll")
    for (int q = 0; q < fours; ++q) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) v[first + q][h] = shared[words[first + q] >> 16 * h & 0xffff];
    _Pragma("unroll")
    for (int q = 0; q < PLEX_FOURS(plex_stored_odd(k)); ++q) _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const plex_real x = v[first + q][h], y = shared[words[first + fours + q] >> 16 * h & 0xffff];

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
  __device__ __forceinline__ void multiply(const PlexStoredArgs &args, const PlexStoredPhysical &physical, int group,
                                           const plex_real U[groups][2][PLEX_JETS],
                                           plex_real       W[groups][2][PLEX_JETS]) const
  {
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g) {
      plex_real c[PLEX_STORED_NUMBERS][2];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_STORED_NUMBERS; ++k) {
        if (PLEX_STORED_KEPT) {
          c[k][0] = kept[PLEX_STORED_KEPT ? k : 0][0];
          c[k][1] = kept[PLEX_STORED_KEPT ? k : 0][1];
        } else coefficient(args, group + g, k, c[k]);
      }
      _Pragma("unroll")
      for (int h = 0; h < 2; ++h) plex_stored_multiply([&](int k) { return c[k][h]; }, physical, U[g][h], W[g][h]);
    }
  }
#else
  // W = C U
  template <int groups>
  __device__ __forceinline__ void multiply(const PlexStoredArgs &args, const PlexStoredPhysical &, int group,
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

      if (!PLEX_STORED_KEPT && k % 16 == 0) plex_lanes_sync(); // before it no more are loaded than registers hold

      _Pragma("unroll")
      for (int g = 0; g < groups; ++g) {
        const int from = PLEX_STORED_POINTS == 1 ? 0 : g;

        if (PLEX_STORED_KEPT) {
          c[g][0] = kept[PLEX_STORED_KEPT ? k : 0][0];
          c[g][1] = kept[PLEX_STORED_KEPT ? k : 0][1];
        } else if (from == g) coefficient(args, group + g, k, c[g]);
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
  __device__ __forceinline__ void modes(const PlexStoredArgs &args, const PlexStoredPhysical &physical,
                                        const PlexUnitB *tables, const plex_real *shared, int batches)
  {
    _Pragma("unroll 1")
    for (int b = 0; b < batches; ++b) {
      plex_real U[groups][2][PLEX_JETS], W[groups][2][PLEX_JETS];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_NC; ++k) {
        if (!PLEX_STORED_KEEP) plex_lanes_sync();
        if (!PLEX_STORED_KEEP) gather(shared, k);
        jets<odd, groups>(tables, b, k, U);
        if (PLEX_STORED_SPLIT && (plex_stored_in(k) & 2)) exchange<groups>(U, k);
      }
      multiply<groups>(args, physical, b * groups, U, W);
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

// From memory to the L2 cache: what warps read of their elements later than now
PLEX_DEVICE void plex_blocks_prefetch(const PlexStoredArgs &args)
{
  const int        lines = PLEX_STORED_POINTS == 1 ? PLEX_STORED_NUMBERS
                                                   : PLEX_FOURS(PLEX_NQ) * PLEX_STORED_NUMBERS * 4; // of C of a tile
  const plex_index tile  = (plex_index)blockIdx.x * PLEX_STORED_TILES;

  _Pragma("unroll 1")
  for (int k = PLEX_WARPS * PLEX_STORED_WORDS + (int)threadIdx.x; k < PLEX_STORED_TILES * PLEX_STORED_WORDS;
       k += PLEX_BLOCK)
    plex_prefetch_L2(args.words + (tile * PLEX_STORED_WORDS + k) * 32);
  _Pragma("unroll 1")
  for (int k = (PLEX_STORED_KEPT ? PLEX_WARPS * lines : 0) + (int)threadIdx.x; k < PLEX_STORED_TILES * lines;
       k += PLEX_BLOCK)
    plex_prefetch_L2((const plex_real *)args.C + (tile * lines + k) * PLEX_ROWS);
}

// Dofs of the block, 32 a slice, and where they are
PLEX_DEVICE void plex_blocks_load(const PlexStoredArgs &args, int begin, int slices, plex_real *v, int *rows)
{
  const int  lane = (int)threadIdx.x % 32;
  const int *from = args.rows + (plex_index)begin * 32 + lane;

  _Pragma("unroll 1")
  for (int first = (int)threadIdx.x / 32; first < slices; first += PLEX_LOADS * PLEX_WARPS) {
    int       row[PLEX_LOADS];
    plex_real x[PLEX_LOADS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_LOADS; ++k)
      row[k] = first + k * PLEX_WARPS < slices ? from[(first + k * PLEX_WARPS) * 32] : -1;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_LOADS; ++k) x[k] = row[k] < 0 ? (plex_real)0 : (plex_real)args.v[row[k]];
    _Pragma("unroll")
    for (int k = 0; k < PLEX_LOADS; ++k) {
      if (first + k * PLEX_WARPS >= slices) break;
      v[2 + (first + k * PLEX_WARPS) * 32 + lane] = x[k];
      rows[(first + k * PLEX_WARPS) * 32 + lane]  = row[k];
    }
  }
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
      F[k]   = own[k] ? args.F[row[k]] : 0;
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

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_BLOCK == 128 ? PLEX_STORED_RESIDENT : 1)
  plex_apply(PlexStoredArgs args, int first, int n, PlexStoredPhysical physical)
{
  PLEX_DYNAMIC_SHARED(plex_real, v);
  const int        warp = (int)threadIdx.x / 32, *start = args.starts + 2 * blockIdx.x;
  const int        slices = start[2] - start[0], chunks = (start[3] - start[1]) * 4;
  const PlexUnitB *tables = (const PlexUnitB *)args.tables + threadIdx.x % 32;
  plex_real       *sums   = v + args.places;
  unsigned short  *lists  = (unsigned short *)(sums + PLEX_STORED_TILES * PLEX_ROWS * PLEX_STORED_STRIDE + 4);
  int             *rows = (int *)(lists + 32 * args.terms), *heads = rows + args.places;
  PlexTile         t;

  (void)first;
  (void)n;
  t.tile = (int)blockIdx.x * PLEX_STORED_TILES + warp;
  if (warp < PLEX_STORED_TILES) t.read(args);
  _Pragma("unroll 1")
  for (int k = (int)threadIdx.x; k < chunks; k += PLEX_BLOCK)
    plex_cp_async_line(lists + 8 * k, args.lists + (plex_index)start[1] * 32 + 8 * k);
  plex_cp_async_commit();
  plex_blocks_prefetch(args);
  _Pragma("unroll 1")
  for (int k = (int)threadIdx.x; k < 2 * slices; k += PLEX_BLOCK) heads[k] = args.slices[2 * (plex_index)start[0] + k];
  plex_blocks_load(args, start[0], slices, v, rows);
  if (threadIdx.x == 0) {
    v[0]                                                     = 0; // of nodes that there are not
    sums[PLEX_STORED_TILES * PLEX_ROWS * PLEX_STORED_STRIDE] = 0; // and of elements
  }
  __syncthreads();
  _Pragma("unroll 1")
  for (int i = warp; i < PLEX_STORED_TILES; i += PLEX_WARPS) {
    if (i > warp) {
      t.tile += PLEX_WARPS;
      t.read(args);
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_NC && PLEX_STORED_KEEP; ++k) t.gather(v, k);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_STORED_SUMS; ++k) t.Y[k][0] = t.Y[k][1] = t.Y[k][2] = t.Y[k][3] = 0;
    t.modes<0, PLEX_STORED_BATCH_EVEN>(args, physical, tables, v, PLEX_STORED_BATCHES_EVEN);
    if (PLEX_STORED_BATCHES_ODD)
      t.modes<PLEX_STORED_SPLIT, PLEX_STORED_BATCH_ODD>(args, physical, tables, v, PLEX_STORED_BATCHES_ODD);
    t.put(sums + i * PLEX_ROWS * PLEX_STORED_STRIDE);
  }
  plex_cp_async_wait_all();
  __syncthreads();
  plex_blocks_add(args, slices, sums, lists, rows, heads);
}
PLEX_EXPORT_KERNEL(plex_apply)
