// local_row where elements can be turned (src/dm/rotations.c): a thread sums a row, and each of its elements is read in the order of
// nodes in which that row is one of the PLEX_ORBITS of the element data. So a warp computes one and the same row, known to the compiler.
//
// A block has a part of the mesh nodes, and the nodal data of all elements around them in shared memory, where it comes from one place: plex_gather has
// put it together there, coordinates once for a mesh, the solution each time. The rows of a warp have
// contributions of the same orbits, and about as many; a row with far more of them than the usual is shared out to several threads,
// which add their contributions in turns, where they have to. The sums lie in shared memory, a column a row and up to 32 columns, so that threads that add,
// each in its column and anywhere in it, do not meet in a bank. To be written along the rows of the matrix they are transposed,
// PLEX_CHUNK of each column at a time, with the words of a row permuted so that there as well no two of a half warp meet.
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: the element's number where that is needed, numbers of its nodes
// and dofs in the block, and the place in the row of each of its EF entries; one place behind the row takes what is dropped. Coordinate
// nodes that all elements of a row share (PLEX_ORBITS_FIXED) are read once. Contributions come in chains (src/assembly/impls/local/chains.c),
// each element with a facet of the one before: nodes of that are not read again, and entries of its dofs stay in registers until the chain
// leaves them (PLEX_NODES_FROM, PLEX_DOFS_FROM). Threads that share a row add at once where a record's flags say that no two of them add to
// one place of it. Reads 4 PLEX_WORDS bytes a contribution and 12 a row; writes 8 bytes a target.
//
// A row may come in pieces, runs of its columns, each summed like a row of its own. And a thread may sum the rows of all PLEX_COMPONENTS of a node
// together: what is said of dofs here is then said of nodes, and sums are as many planes of PLEX_SUMS_WARP numbers.
#include "assembly/async.cuh"
#include "assembly/columns.cuh"

static __device__ constexpr int plex_orbits[]       = {PLEX_ORBITS};       // first dof of each orbit
static __device__ constexpr int plex_orbits_fixed[] = {PLEX_ORBITS_FIXED}; // coordinate nodes, as bits
static __device__ constexpr int plex_nodes_from[]   = {PLEX_NODES_FROM};   // of an orbit's node, its place in the element before, or -1
static __device__ constexpr int plex_dofs_from[]    = {PLEX_DOFS_FROM};    // dofs likewise
static __device__ constexpr int plex_nodes_at[]     = {PLEX_NODES_AT};     // first bit of each item of a record
static __device__ constexpr int plex_dofs_at[]      = {PLEX_DOFS_AT};
static __device__ constexpr int plex_places_at[]    = {PLEX_PLACES_AT};
static __device__ constexpr int plex_flags_at[]     = {PLEX_FLAGS_AT}; // a chain begins, ends; turns with an entry, with a chain's
static __device__ constexpr int plex_piece[]        = {PLEX_PIECE};    // of a row, that a dof's entry is in
#define PLEX_NORBITS ((int)(sizeof(plex_orbits) / sizeof(int)))

// A thread sums the rows of PLEX_COMPONENTS dofs of a node, and its items are the element's nodes; of one dof, and its items are the element's dofs
#define PLEX_ITEMS   (PLEX_EF / PLEX_COMPONENTS)
#define PLEX_ENTRIES (PLEX_COMPONENTS * PLEX_COMPONENTS) // entries of an item: [of the row][of the column]

typedef unsigned long long plex_bits; // numbers below 64
#if PLEX_COMPONENTS > 1
  #include "integrate/vector.cuh"
#endif

// An orbit's nodes (or dofs) as bits: those that are where they were in the element before, those that were at other places, and those places
static __device__ constexpr plex_bits plex_held(const int from[], int n)
{
  plex_bits bits = 0;

  for (int k = 0; k < n; ++k)
    if (from[k] == k) bits |= (plex_bits)1 << k;
  return bits;
}
static __device__ constexpr plex_bits plex_moved(const int from[], int n)
{
  plex_bits bits = 0;

  for (int k = 0; k < n; ++k)
    if (from[k] >= 0 && from[k] != k) bits |= (plex_bits)1 << k;
  return bits;
}
static __device__ constexpr plex_bits plex_sources(const int from[], int n)
{
  plex_bits bits = 0;

  for (int k = 0; k < n; ++k)
    if (from[k] >= 0 && from[k] != k) bits |= (plex_bits)1 << from[k];
  return bits;
}

// Those of a piece's dofs
static __device__ constexpr plex_bits plex_mine(int piece)
{
  plex_bits bits = 0;

  for (int k = 0; k < PLEX_ITEMS; ++k)
    if (plex_piece[k] == piece) bits |= (plex_bits)1 << k;
  return bits;
}

// Item of a record whose first bit is `at`; a byte takes one instruction
PLEX_DEVICE int plex_item(const unsigned words[], int at, int bits)
{
#if defined(__CUDA_ARCH__)
  if (bits == 8 && at % 8 == 0) return (int)__byte_perm(words[at / 32], 0, 0x4440 + at % 32 / 8);
#endif
  return (int)(words[at / 32] >> at % 32 & ((1u << bits) - 1u));
}

// Of a thread without a row, which adds nothing
#define PLEX_NO_PART 0xff

// Where a record has no room for a flag it is set
PLEX_DEVICE bool plex_flag(const unsigned words[], int k)
{
  return k >= PLEX_FLAGS || plex_item(words, plex_flags_at[k < PLEX_FLAGS ? k : 0], 1);
}

// A number as it is: the compiler would unpack it anew for each address that it is part of
PLEX_DEVICE int plex_number_anew(int n)
{
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(n));
#endif
  return n;
}

// Nodal data of a block: the first two coordinates of its nodes, the third, and the solution
struct alignas(2 * sizeof(plex_real)) PlexPlace {
  plex_real x, y; // read in one: words of 8 bytes that are 16 apart would be in half of the banks
};
struct PlexGathered {
  PlexPlace *xy;
  plex_real *z, *u, *ut;
};

// Coordinates of the nodes of a record that are in the set `mask`
template <plex_bits mask>
PLEX_DEVICE void plex_load_coordinates(const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    if (!(mask >> v & 1)) continue;
    const int       n     = plex_number_anew(plex_item(words, plex_nodes_at[v], PLEX_NODE_BITS));
    const PlexPlace place = s.xy[n];

    nodal.x[v * PLEX_DIM]     = place.x;
    nodal.x[v * PLEX_DIM + 1] = place.y;
    if (PLEX_DIM == 3) nodal.x[v * PLEX_DIM + 2] = s.z[n];
  }
}

template <plex_bits mask>
PLEX_DEVICE void plex_load_dofs(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) {
    if (!(mask >> i & 1)) continue;
    const int n = plex_item(words, plex_dofs_at[i], PLEX_DOF_BITS);

    nodal.u[i] = s.u[n];
    if (args.u_t) nodal.ut[i] = s.ut[n];
  }
#endif
}

// Nodal data of the next element of orbit O: what the one before has is not read again, unless a chain `begins`
template <int O>
PLEX_DEVICE void plex_load_next(const PlexArgs &args, const PlexGathered &s, const unsigned words[], bool begins, PlexNodal &nodal)
{
  constexpr const int *nodes = plex_nodes_from + O * PLEX_NV, *dofs = plex_dofs_from + O * PLEX_ITEMS;
  constexpr plex_bits  fixed = (plex_bits)plex_orbits_fixed[O], held = plex_held(nodes, PLEX_NV) & ~fixed, moved = plex_moved(nodes, PLEX_NV);
  constexpr plex_bits  heldDofs = plex_held(dofs, PLEX_ITEMS), movedDofs = plex_moved(dofs, PLEX_ITEMS);

  if (begins) {
    plex_load_coordinates<held | moved>(s, words, nodal);
    plex_load_dofs<heldDofs | movedDofs>(args, s, words, nodal);
  } else {
    _Pragma("unroll")
    for (int v = 0; v < PLEX_NV; ++v) {
      if (!(moved >> v & 1)) continue;
      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) nodal.x[v * PLEX_DIM + d] = nodal.x[nodes[v] * PLEX_DIM + d];
    }
#if PLEX_SOLUTION
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) {
      if (!(movedDofs >> i & 1)) continue;
      nodal.u[i] = nodal.u[dofs[i]];
      if (args.u_t) nodal.ut[i] = nodal.ut[dofs[i]];
    }
#endif
  }
  plex_load_coordinates<~(fixed | held | moved)>(s, words, nodal);
  plex_load_dofs<~(heldDofs | movedDofs)>(args, s, words, nodal);
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, (int)words[0]);
#endif
}

// Entries of row I of the element data, known to the compiler: by tensors those in the set `mask` are added, by quadrature all are set
template <int I, plex_bits mask>
PLEX_DEVICE void plex_orbit_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[])
{
#if PLEX_MODAL
  plex_modal_row(args, nodal, I, row);
#else
  int fi, ni, ci, fj, nj, cj;

  #if PLEX_TENSOR && PLEX_TENSOR_COMMON
  if (plex_tensor_common(I) >= 0) {
    plex_tensor_common_row<I, mask>(args, nodal, row);
    return;
  }
  #endif
  plex_dof(I, fi, ni, ci);
  #if PLEX_TENSOR
  plex_real point[PLEX_NQ * PLEX_POINT_SIZE];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_NQ; ++k) plex_point_data(args, nodal, k, &point[k * PLEX_POINT_SIZE]);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    if (!(mask >> j & 1)) continue;
    plex_dof(j, fj, nj, cj);
    row[j] = plex_tensor_entry(args, point, fi, ni, ci, fj, nj, cj, row[j]);
  }
  #else
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = 0;
  PLEX_UNROLL // where the tables are then numbers of the program
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real t[PLEX_JU];

    plex_point_row(args, nodal, q, fi, ni, ci, t);
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) {
      plex_dof(j, fj, nj, cj);
      _Pragma("unroll")
      for (int b = 0; b < PLEX_KU; ++b) PLEX_ADD_PRODUCT(row[j], PLEX_KNOWN_ZERO(plex_trial(args, fj, q, nj, b)), t[(plex_field_component(fj) + cj) * PLEX_KU + b], plex_trial(args, fj, q, nj, b));
    }
  }
  #endif
#endif
}

// Records that are on their way at a time. Two in turns where a contribution takes few instructions: no register is copied, which would wait for it
#define PLEX_AHEAD (PLEX_ITEMS <= 4 && PLEX_COMPONENTS == 1 ? 2 : 1)

// The records of a task that are still to come, this lane's words of them, and those of the next, which are on their way to registers
struct PlexRecords {
  const unsigned *next; // of the group behind those in `words`
  int             left; // groups from `next` on
  unsigned        words[PLEX_AHEAD][PLEX_WORDS];
};

// Puts the next record on its way
PLEX_DEVICE void plex_fetch_record(PlexRecords &r, int to)
{
  if (r.left-- <= 0) return;
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) r.words[to][w] = r.next[w * 32];
  r.next += PLEX_WORDS * 32;
}

#if PLEX_COMPONENTS > 1
// Adds a block of entries to the sums of PLEX_COMPONENTS rows, PLEX_SUMS_WARP numbers apart, in places one behind the other
PLEX_DEVICE void plex_sum_block(const plex_scalar block[], char *at, int stride)
{
  plex_scalar v[PLEX_ENTRIES];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_COMPONENTS; ++d) _Pragma("unroll")
  for (int c = 0; c < PLEX_COMPONENTS; ++c) v[c * PLEX_COMPONENTS + d] = *(plex_scalar *)(at + d * stride + c * PLEX_SUMS_WARP * (int)sizeof(plex_scalar)) + block[c * PLEX_COMPONENTS + d];
  _Pragma("unroll")
  for (int d = 0; d < PLEX_COMPONENTS; ++d) _Pragma("unroll")
  for (int c = 0; c < PLEX_COMPONENTS; ++c) *(plex_scalar *)(at + d * stride + c * PLEX_SUMS_WARP * (int)sizeof(plex_scalar)) = v[c * PLEX_COMPONENTS + d];
}
#endif

// Adds the entries in the set `mask` to the column that begins at `sum`; their places differ, but for the one behind the row, whose sum is dropped. Entries
// are then zero, if they are to be cleared
template <plex_bits mask, bool clear>
PLEX_DEVICE void plex_sum_entries(const unsigned words[], plex_scalar row[][PLEX_ENTRIES], char *sum, int stride)
{
#if PLEX_COMPONENTS > 1
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j)
    if (mask >> j & 1) plex_sum_block(row[j], sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride, stride);
#else
  plex_scalar v[PLEX_ITEMS];

  // all reads before all writes
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j)
    if (mask >> j & 1) v[j] = *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) + row[j][0];
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j)
    if (mask >> j & 1) *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) = v[j];
#endif
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j) _Pragma("unroll")
  for (int k = 0; k < PLEX_ENTRIES; ++k)
    if (clear && mask >> j & 1) row[j][k] = 0;
}

// The same where the thread is `active`: threads that share a row take `turns` where two of them add to one place
template <plex_bits mask, bool clear, bool alone>
PLEX_DEVICE void plex_sum_add(const unsigned words[], plex_scalar row[][PLEX_ENTRIES], char *sum, int stride, bool active, bool turns, int part, int parts)
{
  if (alone) {
    if (active) plex_sum_entries<mask, clear>(words, row, sum, stride);
    return;
  }
  if (!__any_sync(0xffffffffu, active)) return;
  if (!turns) parts = 1;
  _Pragma("unroll 1")
  for (int p = 0; p < parts; ++p) {
    if ((p == part || !turns) && active) plex_sum_entries<mask, clear>(words, row, sum, stride);
    __syncwarp(0xffffffffu);
  }
}

// Entries are added to those of the chain's elements before, where they are of the same precision
#define PLEX_FUSED (PLEX_TENSOR && !PLEX_SINGLE)

// What stays from a contribution to the next: nodal data of the element, and entries that are still to be added
struct PlexChained {
  PlexNodal   nodal;
  plex_scalar keep[PLEX_ITEMS][PLEX_ENTRIES];
};

// The next contribution to a piece of a row, whose record is the one `at`, added to the column that begins at `sum`; `alone` where no threads share a row
template <int O, int piece, bool alone, int at>
PLEX_DEVICE void plex_sum_contribution(const PlexArgs &args, const PlexGathered &s, PlexRecords &records, PlexChained &chained, char *sum, int stride, int part, int parts)
{
  constexpr const int *from = plex_dofs_from + O * PLEX_ITEMS;
  constexpr plex_bits  mine = plex_mine(piece), held = plex_held(from, PLEX_ITEMS) & mine, moved = plex_moved(from, PLEX_ITEMS) & mine, sources = plex_sources(from, PLEX_ITEMS) & mine;
  auto                &keep = chained.keep;
  unsigned             words[PLEX_WORDS];
  plex_real            row[PLEX_ITEMS][PLEX_ENTRIES];
  plex_scalar          rest[PLEX_ITEMS][PLEX_ENTRIES];

  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records.words[at][w];
  plex_fetch_record(records, at);
  plex_load_next<O>(args, s, words, plex_flag(words, 0), chained.nodal);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j) _Pragma("unroll")
  for (int k = 0; k < PLEX_ENTRIES; ++k) row[j][k] = PLEX_FUSED && held >> j & 1 ? (plex_real)keep[j][k] : PLEX_FUSED && moved >> j & 1 ? (plex_real)keep[from[j]][k] : PLEX_NOTHING;
#if PLEX_COMPONENTS > 1
  plex_vector_row<plex_orbits[O] / PLEX_COMPONENTS, mine>(args, chained.nodal, row);
#else
  plex_orbit_row<plex_orbits[O], mine>(args, chained.nodal, &row[0][0]);
#endif
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j) {
    if (!(mine >> j & 1)) continue;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_ENTRIES; ++k) {
      if (held >> j & 1) keep[j][k] = (plex_scalar)row[j][k] + (PLEX_FUSED ? (plex_scalar)PLEX_NOTHING : keep[j][k]);
      else if (!PLEX_FUSED && moved >> j & 1) rest[j][k] = keep[from[j]][k] + (plex_scalar)row[j][k];
      else rest[j][k] = (plex_scalar)row[j][k];
    }
  }
  plex_sum_add<mine & ~(held | sources), false, alone>(words, rest, sum, stride, part != PLEX_NO_PART, plex_flag(words, 2), part, parts);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j)
    if (sources >> j & 1) _Pragma("unroll")
  for (int k = 0; k < PLEX_ENTRIES; ++k) keep[j][k] = rest[j][k];
  if (held | sources) plex_sum_add<held | sources, true, alone>(words, keep, sum, stride, part != PLEX_NO_PART && plex_flag(words, 1), plex_flag(words, 3), part, parts);
}

// A thread's part of a piece of a row: so many groups of its task
template <int O, int piece, bool alone>
PLEX_DEVICE void plex_sum_part(const PlexArgs &args, const PlexGathered &s, PlexRecords &records, int groups, char *sum, int stride, int part, int parts)
{
  PlexChained chained;

  plex_load_coordinates<(plex_bits)plex_orbits_fixed[O]>(s, records.words[0], chained.nodal);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_ITEMS; ++j) _Pragma("unroll")
  for (int k = 0; k < PLEX_ENTRIES; ++k) chained.keep[j][k] = 0;
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g) {
    plex_sum_contribution<O, piece, alone, 0>(args, s, records, chained, sum, stride, part, parts);
    if (PLEX_AHEAD == 1) continue;
    if (++g < groups) plex_sum_contribution<O, piece, alone, PLEX_AHEAD - 1>(args, s, records, chained, sum, stride, part, parts);
  }
  if (PLEX_AHEAD == 2 && PLEX_NORBITS * PLEX_PIECES > 1 && groups % 2) { // the next one is the first again
    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) {
      const unsigned swap = records.words[0][w];

      records.words[0][w]              = records.words[PLEX_AHEAD - 1][w];
      records.words[PLEX_AHEAD - 1][w] = swap;
    }
  }
}

// One after the other, and not each within the one before, whose ends a warp would have to keep in memory
template <int O>
PLEX_DEVICE void plex_sum_orbit(int orbit, const PlexArgs &args, const PlexGathered &s, PlexRecords &records, int groups, char *sum, int stride, int part, int parts)
{
  if (__any_sync(0xffffffffu, orbit == O)) {
    // where that is little code, warps that share no row have their own
    if (PLEX_PARTS > 1 && PLEX_AHEAD == 2 && parts == 1) plex_sum_part<O / PLEX_PIECES, O % PLEX_PIECES, PLEX_AHEAD == 2>(args, s, records, groups, sum, stride, part, parts);
    else plex_sum_part<O / PLEX_PIECES, O % PLEX_PIECES, PLEX_PARTS == 1>(args, s, records, groups, sum, stride, part, parts);
  }
  if (O + 1 < PLEX_NORBITS * PLEX_PIECES) plex_sum_orbit<(O + 1 < PLEX_NORBITS * PLEX_PIECES ? O + 1 : O)>(orbit, args, s, records, groups, sum, stride, part, parts);
}

// Nodal data of the block where it lies, of nn coordinate nodes and nd dofs
PLEX_DEVICE PlexGathered plex_gathered(char *at, int nn, int nd)
{
  PlexGathered s;

  s.xy = (PlexPlace *)at;
  s.z  = (plex_real *)(s.xy + nn);
  s.u  = s.z + (PLEX_DIM == 3 ? nn : 0);
  s.ut = s.u + nd;
  return s;
}

// Puts together the nodal data of the block that has this number when it assembles: coordinates, or the solution
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_gather(PlexArgs args, PlexOrbitsArgs plan, int solution)
{
  const int          n0 = plan.nodeStart[blockIdx.x], nn = plan.nodeStart[blockIdx.x + 1] - n0;
  const int          d0 = plan.dofStart[blockIdx.x], nd = plan.dofStart[blockIdx.x + 1] - d0;
  const PlexGathered s = plex_gathered(plan.places + 16 * (plex_index)plan.placeStart[blockIdx.x], nn, nd);

  for (int k = threadIdx.x; k < nn && !solution; k += PLEX_BLOCK) {
    const double *x = args.x + (plex_index)plan.nodes[n0 + k] * PLEX_DIM;

    s.xy[k].x = (plex_real)(x[0] / PLEX_COORDINATE_FACTOR);
    s.xy[k].y = (plex_real)(x[1] / PLEX_COORDINATE_FACTOR);
    if (PLEX_DIM == 3) s.z[k] = (plex_real)(x[PLEX_DIM - 1] / PLEX_COORDINATE_FACTOR);
  }
#if PLEX_SOLUTION
  for (int k = threadIdx.x; k < nd && solution; k += PLEX_BLOCK) {
    s.u[k] = (plex_real)args.u[plan.dofs[d0 + k]];
    if (args.u_t) s.ut[k] = (plex_real)args.u_t[plan.dofs[d0 + k]];
  }
#endif
}
PLEX_EXPORT_KERNEL(plex_gather)

// A warp's memory for what is on its way: the heads of two tasks, of PLEX_HEAD words
#define PLEX_WARP_WAYS (2 * PLEX_HEAD)

// Puts the head of a task on its way
PLEX_DEVICE void plex_fetch_head(const PlexOrbitsArgs &plan, int t, unsigned *head)
{
  const int lane = threadIdx.x % 32;

  if (lane < PLEX_HEAD / 4) plex_copy_line(head + 4 * lane, plan.tasks + (plex_index)t * PLEX_HEAD + 4 * lane);
}

// Puts the first record of a task on its way
PLEX_DEVICE PlexRecords plex_fetch_records(const PlexOrbitsArgs &plan, const unsigned *head)
{
  PlexRecords records = {plan.records + (plex_index)head[0] * 32 * PLEX_WORDS + threadIdx.x % 32, (int)head[2]};

#if defined(__CUDA_ARCH__)
  // the others to the L2 cache: a line of 32 words each
  for (int k = threadIdx.x % 32; k < records.left * PLEX_WORDS; k += 32) asm volatile("prefetch.global.L2 [%0];" ::"l"(records.next - threadIdx.x % 32 + 32 * k));
#endif
  _Pragma("unroll")
  for (int k = 0; k < PLEX_AHEAD; ++k) plex_fetch_record(records, k);
  return records;
}

// The nodal data of the block is put on its way
PLEX_DEVICE void plex_fetch_nodal(const PlexOrbitsArgs &plan, char *to)
{
  const int   line = plan.placeStart[blockIdx.x], lines = plan.placeStart[blockIdx.x + 1] - line;
  const char *from = plan.places + 16 * (plex_index)line;

  _Pragma("unroll 1")
  for (int k = threadIdx.x; k < lines; k += PLEX_BLOCK) plex_copy_line(to + 16 * k, from + 16 * k);
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexOrbitsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  __shared__ int   taken, end; // tasks of the block: up to which they are taken, and there are
  const int        lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = plan.taskStart[blockIdx.x], last = plan.taskStart[blockIdx.x + 1];
  const PlexTarget target  = plex_target(args);
  plex_scalar     *sums    = (plex_scalar *)(shared + PLEX_SUMS) + PLEX_COMPONENTS * PLEX_SUMS_WARP * warp;
  unsigned        *head    = (unsigned *)((plex_scalar *)(shared + PLEX_SUMS) + PLEX_COMPONENTS * PLEX_SUMS_WARP * PLEX_WARPS) + PLEX_WARP_WAYS * warp;
  unsigned        *other   = head + PLEX_HEAD;
  PlexRecords      records = {NULL, 0};
  int              t       = first + warp;
  bool             more    = t < last;

  if (threadIdx.x == 0) {
    taken = first + PLEX_WARPS;
    end   = last;
  }
  if (more) plex_fetch_head(plan, t, head);
  plex_copy_batch();
  plex_fetch_nodal(plan, shared);
  plex_copy_batch();
  plex_copy_wait<1>();
  __syncwarp(0xffffffffu);

  const PlexGathered s = plex_gathered(shared, plan.nodeStart[blockIdx.x + 1] - plan.nodeStart[blockIdx.x], plan.dofStart[blockIdx.x + 1] - plan.dofStart[blockIdx.x]);

  if (more) records = plex_fetch_records(plan, head);
  plex_copy_wait<0>();
  __syncthreads();
  while (more) {
    const int       segments = (int)head[1], longest = (int)head[3], columns = (int)head[4], parts = (int)head[5], place = (int)head[64 + lane];
    unsigned *const swap = head;

    // the head of the next task is on its way meanwhile, and its records while the rows of this one are written
    if (lane == 0) t = atomicAdd(&taken, 1);
    t    = __shfl_sync(0xffffffffu, t, 0);
    more = t < end;
    if (more) {
      plex_fetch_head(plan, t, other);
      plex_copy_batch();
    }
    for (int k = lane; k < PLEX_CHUNKED(longest + PLEX_COMPONENTS) << columns; k += 32) _Pragma("unroll")
    for (int c = 0; c < PLEX_COMPONENTS; ++c) sums[c * PLEX_SUMS_WARP + k] = 0;
    __syncwarp(0xffffffffu);
    for (int k = 0; k < segments; ++k) {
      const int segment = (int)head[8 + k];

      plex_sum_orbit<0>(segment & 31, args, s, records, segment >> 5, (char *)(sums + (place >> 8 & 0xff)), (int)sizeof(plex_scalar) << columns, place & 0xff, parts);
    }
    plex_copy_wait<0>();
    __syncwarp(0xffffffffu);
    if (more) records = plex_fetch_records(plan, other);
    const int id = (int)head[32 + lane], length = (int)(head[64 + lane] >> 16), whole = PLEX_COMPONENTS > 1 ? (int)head[PLEX_HEAD - 32 + lane] : 0;

    _Pragma("unroll 1")
    for (int c = 0; c < PLEX_COMPONENTS; ++c) { // rows of a node are one behind the other
      if (columns == 5) plex_write_rows<5>(target, sums + c * PLEX_SUMS_WARP, longest, id + c * whole, length);
      else if (columns == 4) plex_write_rows<4>(target, sums + c * PLEX_SUMS_WARP, longest, id + c * whole, length);
      else if (columns == 3) plex_write_rows<3>(target, sums + c * PLEX_SUMS_WARP, longest, id + c * whole, length);
      else plex_write_few(target, sums + c * PLEX_SUMS_WARP, columns, id + c * whole, length);
    }
    head  = other;
    other = swap;
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
