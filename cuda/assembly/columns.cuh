// Rows of the matrix that a warp sums in shared memory, a column a row and 8, 16 or 32 columns (or less), so that
// threads that add, each in its column and anywhere in it, do not meet in a bank. To be written along the rows of the
// matrix they are transposed, PLEX_CHUNK of each column at a time, with the words of a row permuted so that there as
// well no two of a half warp meet.
#pragma once

#define PLEX_WARPS      (PLEX_BLOCK / 32)
#define PLEX_CHUNKED(n) (((n) + PLEX_CHUNK - 1) / PLEX_CHUNK * PLEX_CHUNK)

// Item of a record whose first bit is `at`; a byte takes one instruction
PLEX_DEVICE int plex_item(const unsigned words[], int at, int bits)
{
#if PLEX_PTX
  if (bits == 8 && at % 8 == 0) return (int)__byte_perm(words[at / 32], 0, 0x4440 + at % 32 / 8);
#endif
  return (int)(words[at / 32] >> at % 32 & ((1u << bits) - 1u));
}

// Word k of column c of a chunk once it is transposed
PLEX_DEVICE int plex_chunk_word(int c, int k)
{
  return c * PLEX_CHUNK + (k ^ c / (16 / PLEX_CHUNK) % PLEX_CHUNK);
}

// Words that a lane has on their way together, if that is more than a chunk's
#ifndef PLEX_CHUNK_WORDS
  #define PLEX_CHUNK_WORDS 1
#endif

// Has the compiler take an address as it is, and not as the sum that it was, in each use of it anew
PLEX_DEVICE void plex_keep_address(plex_scalar *&address)
{
  plex_opaque(address);
}

// The lane, of which the compiler does not know that it is always the same: what follows from it is computed in place,
// and not once for all calls, to be kept in memory meanwhile
PLEX_DEVICE int plex_lane_anew(void)
{
  int lane = (int)threadIdx.x % 32;

  plex_opaque(lane);
  return lane;
}

// Writes the rows of a warp, a column each of 2^S columns; lane c has the first target of column c's row and its length
template <int S>
PLEX_DEVICE void plex_write_rows(const PlexTarget &target, plex_scalar *sums, int longest, int id, int length)
{
  constexpr int steps  = PLEX_CHUNK << S >> 5;                                    // words of a chunk that a lane moves
  constexpr int chunks = PLEX_CHUNK_WORDS > steps ? PLEX_CHUNK_WORDS / steps : 1; // that are moved together
  const int     lane = plex_lane_anew(), c = lane % (1 << S), k = lane % PLEX_CHUNK;
  plex_scalar  *to[steps];
  int           rlength[steps];

  _Pragma("unroll")
  for (int m = 0; m < steps; ++m) {
    to[m] = target + (plex_index)plex_lane_get(id, lane / PLEX_CHUNK + m * (32 / PLEX_CHUNK)) + k;
    plex_keep_address(to[m]);
    rlength[m] = plex_lane_get(length, lane / PLEX_CHUNK + m * (32 / PLEX_CHUNK)) - k;
  }
  _Pragma("unroll 1")
  for (int first = 0; first < longest; first += chunks * PLEX_CHUNK, sums += chunks * PLEX_CHUNK << S) {
    plex_scalar v[chunks][steps];

    _Pragma("unroll")
    for (int u = 0; u < chunks; ++u) {
      _Pragma("unroll")
      for (int m = 0; m < steps; ++m)
        if (u == 0 || first + u * PLEX_CHUNK < longest) v[u][m] = sums[(u * PLEX_CHUNK << S) + lane + 32 * m];
    }
    plex_lanes_sync();
    _Pragma("unroll")
    for (int u = 0; u < chunks; ++u) {
      _Pragma("unroll")
      for (int m = 0; m < steps; ++m)
        if (u == 0 || first + u * PLEX_CHUNK < longest)
          sums[(u * PLEX_CHUNK << S) + plex_chunk_word(c, (lane >> S) + (32 >> S) * m)] = v[u][m];
    }
    plex_lanes_sync();
    _Pragma("unroll")
    for (int u = 0; u < chunks; ++u) {
      _Pragma("unroll")
      for (int m = 0; m < steps; ++m)
        if (u == 0 || first + u * PLEX_CHUNK < longest)
          v[u][m] = sums[(u * PLEX_CHUNK << S) + plex_chunk_word(lane / PLEX_CHUNK + m * (32 / PLEX_CHUNK), k)];
    }
    _Pragma("unroll")
    for (int u = 0; u < chunks; ++u) {
      _Pragma("unroll")
      for (int m = 0; m < steps; ++m) // most lanes store, and a warp would wait for itself at a branch
        plex_store_if(first + u * PLEX_CHUNK < rlength[m], &to[m][first + u * PLEX_CHUNK], v[u][m]);
    }
  }
  plex_lanes_sync();
}

// The same of 1, 2 or 4 columns, of which the lanes read one after the other
PLEX_DEVICE void plex_write_few(const PlexTarget &target, const plex_scalar *sums, int columns, int id, int length)
{
  for (int c = 0; c < 1 << columns; ++c) {
    plex_scalar *const to = target + (plex_index)plex_lane_get(id, c);
    const int          n  = plex_lane_get(length, c);

    for (int k = (int)threadIdx.x % 32; k < n; k += 32) to[k] = sums[(k << columns) + c];
  }
  plex_lanes_sync();
}
