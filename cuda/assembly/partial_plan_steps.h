/* The steps that make the plan of shared_nz:partial: partial_plan.h */
#include "partial_plan.h"

/* ---- Elements of blocks ---- */

/* Item of conn[] */
PLEX_STEP(plex_partial_pad, PlexPartialPlan)
{
  p->conn[i] = 0xffff;
}

/* Item of an element of the batch: numbers of its things */
PLEX_STEP(plex_partial_connect, PlexPartialPlan)
{
  const int        b    = plex_list_of(p->cut.nblocks, p->cut.elementStart, (int)i);
  const plex_index at   = p->positionStart[b] + i - p->cut.elementStart[b];
  unsigned short  *conn = &p->conn[at / 32 * 32 * (p->cut.Nv + p->cut.ef) + at % 32];

  for (int k = 0; k < p->cut.k; ++k) conn[(p->at + k) * 32] = (unsigned short)p->cut.thing[i * p->cut.k + k];
}

/* Item d */
PLEX_STEP(plex_partial_owners, PlexPartialPlan)
{
  const int b = p->first + plex_list_of(p->cut.nblocks, p->dofStart, (int)i);

  plex_raise(&p->last[p->dofs[i]], b + 1);
  plex_raise(&p->ahead[p->dofs[i]], p->all - b);
}

/* ---- Rows and entries ---- */

/* Item d */
PLEX_STEP(plex_partial_count_rows, PlexPartialPlan)
{
  p->rowTo[i] = p->cut.row[p->dofs[i]] >= 0;
}

PLEX_STEP(plex_partial_list_rows, PlexPartialPlan)
{
  const int l = p->dofs[i], r = p->rowTo[i], b = plex_list_of(p->cut.nblocks, p->dofStart, (int)i);
  const int what = p->last[l] != p->first + b + 1         ? p->last[l] - 1 + PLEX_PARTIAL_OWNERS
                 : p->last[l] + p->ahead[l] == p->all + 1 ? PLEX_PARTIAL_INTERIOR
                                                          : PLEX_PARTIAL_OWN;

  if (p->rowTo[i + 1] == r) return;
  p->keys[r]   = (plex_key)b << p->above | (plex_key)what << p->rowBits | (plex_key)p->cut.row[l];
  p->rowDof[r] = (int)i;
}

/* Item r */
PLEX_STEP(plex_partial_row_lengths, PlexPartialPlan)
{
  p->rowOf[p->rowDof[i]] = (int)i + 1;
  p->rowAt[i]            = plex_plan_length(&p->cut, p->dofs[p->rowDof[i]]);
}

/* Item b, one more than there are */
PLEX_STEP(plex_partial_block_rows, PlexPartialPlan)
{
  p->blockRow[i] = (int)plex_lower_key(p->rows, p->keys, (plex_key)i << p->above);
}

/* Item of a row of an element, [positions][ef]: the block's row that it adds to. While messages are counted, of rows
   that are sent alone */
PLEX_STEP(plex_partial_items, PlexPartialPlan)
{
  const int        ef = p->cut.ef, at = (int)(i / ef), b = plex_list_of(p->cut.nblocks, p->positionStart, at);
  const plex_index k      = (plex_index)(at / 32 * 32) * (p->cut.Nv + ef) + at % 32;
  const int        number = p->conn[k + 32 * (p->cut.Nv + i % ef)];
  const int        r      = number == 0xffff ? -1 : p->rowOf[p->dofStart[b] + number] - 1;

  p->in[i] = r >= 0 && (p->slotOf || plex_partial_what(p, r) >= PLEX_PARTIAL_OWNERS) ? r : -1;
}

/* Item r: its entries that elements add to, and how many numbers each has */
PLEX_STEP_SHARED(plex_partial_count, PlexPartialPlan)
{
  const int       first = p->rowAt[i], n = p->rowAt[i + 1] - first, b = plex_partial_block(p, (int)i);
  const plex_int *columns = &p->cut.j[p->cut.i[plex_partial_row(p, (int)i)]];

  for (int k = p->itemTo[i]; k < p->itemTo[i + 1]; ++k) {
    const int  at = p->items[k] / p->cut.ef - p->positionStart[b], e = p->cut.element[p->cut.elementStart[b] + at];
    const int *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];

    for (int m = lane, next = 0; m < p->cut.ef; m += lanes) {
      const plex_int c     = p->cut.column[dofs[m]];
      const int      found = c < 0                                        ? -1
                           : lanes == 1 && next < n && columns[next] == c ? next
                                                                          : plex_find_column(n, columns, c);

      p->found[(plex_index)p->items[k] * p->cut.ef + m] = (unsigned short)found;
      if (found >= 0) plex_add_shared(&p->number[first + found], 1);
      else if (c >= 0) *p->cut.missing = e + 1;
      next = found + 1;
    }
  }
}

/* Item r: how many sums the row sends */
PLEX_STEP_SHARED(plex_partial_count_sent, PlexPartialPlan)
{
  int sent = 0;

  if (plex_partial_what(p, (int)i) < PLEX_PARTIAL_OWNERS) return;
  for (int t = p->rowAt[i] + lane; t < p->rowAt[i + 1]; t += lanes) sent += p->number[t] > 0;
  plex_add_shared(&p->sentTo[i], sent);
}

/* Item r: the codes of its entries. number[t] moves to where they end. A lane has every lanes-th entry */
PLEX_STEP_SHARED(plex_partial_fill, PlexPartialPlan)
{
  const int first = p->rowAt[i], b = plex_partial_block(p, (int)i);

  for (int k = p->itemTo[i]; k < p->itemTo[i + 1]; ++k) {
    const int position = p->items[k] / p->cut.ef, ij = p->items[k] % p->cut.ef * p->cut.ef;

    for (int m = 0; m < p->cut.ef; ++m) {
      const int found = p->found[(plex_index)p->items[k] * p->cut.ef + m];

      if (found != 0xffff && found % lanes == lane)
        p->code[p->number[first + found]++] = plex_partial_code(p, b, position, ij + m);
    }
  }
}

/* ---- Segments and messages ---- */

/* Rows of the matrix go on where the row before ends, others lie elsewhere from nA on; rows that are sent with the
   owner */
PLEX_STEP(plex_partial_segments, PlexPartialPlan)
{
  const int r      = (int)i;
  int       begins = r == 0 || p->keys[r] >> p->rowBits != p->keys[r - 1] >> p->rowBits;

  if (!begins && plex_partial_what(p, r) < PLEX_PARTIAL_OWNERS)
    begins = plex_partial_slot(p, r) - plex_partial_slot(p, r - 1) != p->rowAt[r] - p->rowAt[r - 1] ||
             plex_partial_slot(p, r) == p->cut.nA;
  p->segmentTo[r] = begins;
}

/* The message of a segment that begins with row r; of rows that are not sent an owner behind all */
PLEX_HOST_DEVICE plex_key plex_partial_message(const PlexPartialPlan *p, int r)
{
  const int what = plex_partial_what(p, r), owner = what < PLEX_PARTIAL_OWNERS ? p->all : what - PLEX_PARTIAL_OWNERS;

  return (plex_key)owner << 32 | (plex_key)(p->first + plex_partial_block(p, r));
}

/* Item s */
PLEX_STEP(plex_partial_list_messages, PlexPartialPlan)
{
  p->messages[i] = plex_partial_message(p, p->segmentRow[i]);
  p->counts[i]   = p->sentTo[p->segmentRow[i + 1]] - p->sentTo[p->segmentRow[i]];
}

/* Item of a message */
PLEX_STEP(plex_partial_count_places, PlexPartialPlan)
{
  p->placeTo[i] = (p->counts[p->sorted[i]] + PLEX_PARTIAL_ALIGN - 1) / PLEX_PARTIAL_ALIGN * PLEX_PARTIAL_ALIGN;
  p->senders[i] = (int)(p->messages[i] & 0xffffffffu);
}

/* Item of a block of all, one more than there are */
PLEX_STEP(plex_partial_block_messages, PlexPartialPlan)
{
  p->messageTo[i]  = (int)plex_lower_key(p->nmessages, p->messages, (plex_key)i << 32);
  p->receivedTo[i] = p->placeTo[p->messageTo[i]];
}

/* Item s */
PLEX_STEP(plex_partial_bases, PlexPartialPlan)
{
  const int r = p->segmentRow[i];

  if (plex_partial_what(p, r) >= PLEX_PARTIAL_OWNERS)
    p->base[i] = p->placeTo[plex_lower_key(p->nmessages, p->messages, plex_partial_message(p, r))] - p->sentTo[r];
}

/* Place of the first sum that row r sends */
PLEX_HOST_DEVICE int plex_partial_place(const PlexPartialPlan *p, int r)
{
  return p->base[plex_partial_segment(p, r)] + p->sentTo[r];
}

/* Item r: what it sends is told to the owner */
PLEX_STEP(plex_partial_send, PlexPartialPlan)
{
  const int r = (int)i, sent = plex_partial_what(p, r) >= PLEX_PARTIAL_OWNERS;
  int       q = sent ? plex_partial_place(p, r) : 0;

  for (int t = p->rowAt[r]; t < p->rowAt[r + 1] && sent; ++t)
    if (plex_partial_numbers(p, t)) p->slotOf[q++] = plex_partial_slot(p, r) + t - p->rowAt[r] + 1;
}

/* Item of a place, from the batch's last one back: the entry that receives it */
PLEX_STEP(plex_partial_receive, PlexPartialPlan)
{
  const int *to = &p->receivedTo[p->first];
  const int  q = to[p->cut.nblocks] - 1 - (int)i, slot = p->slotOf[q] - 1;
  const int  b     = plex_list_of(p->cut.nblocks, to, q);
  int        first = p->blockRow[b], n = p->blockRow[b + 1] - first;

  while (n > 0) { /* the first row that is sent, or owned and begins behind the slot */
    const int r = first + n / 2, what = plex_partial_what(p, r);

    if (what < PLEX_PARTIAL_OWN || (what == PLEX_PARTIAL_OWN && plex_partial_slot(p, r) <= slot)) {
      first = r + 1;
      n -= n / 2 + 1;
    } else n /= 2;
  }
  p->in[i] = slot < 0 ? -1 : p->rowAt[first - 1] + slot - plex_partial_slot(p, first - 1);
}

/* ---- Lists ---- */

/* Item r: in which list each of its entries is */
PLEX_STEP_SHARED(plex_partial_kinds, PlexPartialPlan)
{
  const int r = (int)i, what = plex_partial_what(p, r), b = plex_partial_block(p, r);
  int       rest = 0, written = 0;

  for (int t = p->rowAt[r] + lane; t < p->rowAt[r + 1]; t += lanes) {
    const int n = plex_partial_numbers(p, t), sums = plex_partial_sums(p, t);
    const int fits = n <= 2 && sums <= 1 && (!sums || plex_partial_sum_code(p, b, t, 0) < PLEX_PARTIAL_NONE);
    const int list = n + sums == 0 ? PLEX_PARTIAL_KINDS
                   : !fits         ? (what == PLEX_PARTIAL_OWN ? PLEX_PARTIAL_REST_OWNED : PLEX_PARTIAL_REST)
                   : what >= PLEX_PARTIAL_OWNERS ? PLEX_PARTIAL_SENT
                   : what == PLEX_PARTIAL_OWN    ? PLEX_PARTIAL_OWNED
                                                 : PLEX_PARTIAL_ALONE;

    p->list[t] = (unsigned char)list;
    rest += list == PLEX_PARTIAL_REST || list == PLEX_PARTIAL_REST_OWNED;
    written += what < PLEX_PARTIAL_OWNERS && list != PLEX_PARTIAL_KINDS;
  }
  plex_add_shared(&p->restTo[r], rest);
  plex_add_shared(&p->written[r], written);
}

/* Item r: its entries of the rest, to be sorted, those of most terms first */
PLEX_STEP(plex_partial_list_rest, PlexPartialPlan)
{
  const int most = (1 << PLEX_PARTIAL_TERM_BITS) - 1;
  int       at   = p->restTo[i];

  for (int t = p->rowAt[i]; at < p->restTo[i + 1]; ++t) {
    const int terms = plex_partial_numbers(p, t) + plex_partial_sums(p, t),
              owned = p->list[t] == PLEX_PARTIAL_REST_OWNED;

    if (p->list[t] != PLEX_PARTIAL_REST && !owned) continue;
    p->restKeys[at] = (plex_key)(2 * plex_partial_block(p, (int)i) + owned) << PLEX_PARTIAL_TERM_BITS |
                      (plex_key)(most - terms);
    p->rest[at++]   = t;
  }
}

/* ---- Batches of entries of at most two numbers: chunks of 32 that are neighbours ---- */

/* Item s: chunks of the list */
PLEX_STEP(plex_partial_count_chunks, PlexPartialPlan)
{
  const int r = p->segmentRow[i], end = p->segmentRow[i + 1], what = plex_partial_what(p, r);
  int       n = p->sentTo[end] - p->sentTo[r];

  if (p->kind != PLEX_PARTIAL_SENT)
    n = what == (p->kind == PLEX_PARTIAL_OWNED ? PLEX_PARTIAL_OWN : PLEX_PARTIAL_INTERIOR) ? p->rowAt[end] - p->rowAt[r]
                                                                                           : 0;
  p->chunkTo[i] = (n + PLEX_PARTIAL_LINE - 1) / PLEX_PARTIAL_LINE;
}

/* Chunks of the blocks before */
PLEX_HOST_DEVICE int plex_partial_chunks(const PlexPartialPlan *p, int b)
{
  return p->chunkTo[p->segmentTo[p->blockRow[b]]];
}

/* Item b */
PLEX_STEP(plex_partial_count_batches, PlexPartialPlan)
{
  const int chunks = plex_partial_chunks(p, (int)i + 1) - plex_partial_chunks(p, (int)i);

  p->unitTo[i] = (chunks + PLEX_PARTIAL_CHUNKS - 1) / PLEX_PARTIAL_CHUNKS;
}

/* Item of a word of codes: nothing is summed */
PLEX_STEP(plex_partial_no_codes, PlexPartialPlan)
{
  const int receives = p->perUnit && i / 16 % p->perUnit >= PLEX_PARTIAL_LINES;

  p->codes[i] = !p->perUnit ? p->zero : (receives ? PLEX_PARTIAL_NONE : p->zero) * 0x10001u;
}

/* Item r. Entries of the matrix have the lane of their place in the segment; those that are sent come one after the
   other */
PLEX_STEP_SHARED(plex_partial_batch_codes, PlexPartialPlan)
{
  const int  r = (int)i, s = plex_partial_segment(p, r), b = plex_partial_block(p, r);
  const int  sent = p->kind == PLEX_PARTIAL_SENT, first = p->chunkTo[s] - plex_partial_chunks(p, b);
  const int *from = sent ? p->sentTo : p->rowAt;
  int        next = from[r] - from[p->segmentRow[s]];

  if (p->chunkTo[s + 1] == p->chunkTo[s]) return;
  for (int t = p->rowAt[r]; t < p->rowAt[r + 1]; ++t) {
    const int       n = plex_partial_numbers(p, t), at = next, chunk = first + at / PLEX_PARTIAL_LINE;
    const int       slot  = at % PLEX_PARTIAL_LINE * PLEX_PARTIAL_CHUNKS + chunk % PLEX_PARTIAL_CHUNKS;
    const int       unit  = p->unitTo[b] + chunk / PLEX_PARTIAL_CHUNKS;
    unsigned short *codes = (unsigned short *)&p->codes[16 * (plex_index)p->perUnit * unit];

    next += n || !sent;
    if (t % lanes != lane || p->list[t] != p->kind) continue;
    for (int k = 0; k < n; ++k) codes[2 * slot + k] = p->code[p->number[t] + k];
    if (plex_partial_sums(p, t))
      codes[2 * PLEX_PARTIAL_BATCH + slot] = (unsigned short)plex_partial_sum_code(p, b, t, 0);
  }
}

/* Item of a chunk: its first target */
PLEX_STEP(plex_partial_batch_heads, PlexPartialPlan)
{
  const int s = plex_list_of(p->segments, p->chunkTo, (int)i), r = p->segmentRow[s], b = plex_partial_block(p, r);
  const int first = p->kind == PLEX_PARTIAL_SENT ? plex_partial_place(p, r) : plex_partial_slot(p, r);
  const int chunk = (int)i - p->chunkTo[s];

  p->heads[PLEX_PARTIAL_CHUNKS * p->unitTo[b] + i - plex_partial_chunks(p, b)] = first + PLEX_PARTIAL_LINE * chunk;
}

/* ---- The rest, in chunks of 32 ---- */

PLEX_HOST_DEVICE int plex_partial_is_owned(const PlexPartialPlan *p)
{
  return p->kind == PLEX_PARTIAL_REST_OWNED;
}

/* Item b */
PLEX_STEP(plex_partial_count_rest, PlexPartialPlan)
{
  const int owned = plex_partial_is_owned(p);
  const int n     = plex_partial_rest_begin(p, (int)i, owned + 1) - plex_partial_rest_begin(p, (int)i, owned);

  p->unitTo[i] = (n + PLEX_PARTIAL_LINE - 1) / PLEX_PARTIAL_LINE;
}

/* Item u: lines of codes, as many as its first entry takes */
PLEX_STEP(plex_partial_rest_lines, PlexPartialPlan)
{
  const int b = plex_list_of(p->cut.nblocks, p->unitTo, (int)i);
  const int
    t = p->rest[plex_partial_rest_begin(p, b, plex_partial_is_owned(p)) + PLEX_PARTIAL_LINE * ((int)i - p->unitTo[b])];

  p->unitLine[i] = (plex_partial_numbers(p, t) + plex_partial_sums(p, t) + PLEX_PARTIAL_REST_CODES - 1) /
                   PLEX_PARTIAL_REST_CODES * PLEX_PARTIAL_REST_LINES;
}

/* Item u: where its codes are, how often there are some, and no targets */
PLEX_STEP(plex_partial_rest_heads, PlexPartialPlan)
{
  const int b = plex_list_of(p->cut.nblocks, p->unitTo, (int)i), n = p->unitTo[b + 1] - p->unitTo[b];
  int      *heads = &p->heads[(plex_index)p->unitHeads * p->unitTo[b]], u = (int)i - p->unitTo[b];

  heads[2 * u]     = p->unitLine[i] - p->unitLine[p->unitTo[b]];
  heads[2 * u + 1] = (p->unitLine[i + 1] - p->unitLine[i]) / PLEX_PARTIAL_REST_LINES;
  for (int k = 0; k < PLEX_PARTIAL_LINE; ++k) heads[2 * n + PLEX_PARTIAL_LINE * u + k] = -1;
}

/* Item of the rest */
PLEX_STEP(plex_partial_rest_codes, PlexPartialPlan)
{
  const int which = (int)(p->restKeys[i] >> PLEX_PARTIAL_TERM_BITS), b = which / 2, t = p->rest[i];
  const int r = p->blockRow[b] + plex_list_of(p->blockRow[b + 1] - p->blockRow[b], &p->rowAt[p->blockRow[b]], t);
  const int n = plex_partial_numbers(p, t);
  int       at, u, to;
  unsigned *codes;

  if (which % 2 != plex_partial_is_owned(p)) return;
  at = (int)i - plex_partial_rest_begin(p, b, which % 2);
  u  = p->unitTo[b] + at / PLEX_PARTIAL_LINE;
  at %= PLEX_PARTIAL_LINE;
  to = plex_partial_slot(p, r) + t - p->rowAt[r];
  if (plex_partial_what(p, r) >= PLEX_PARTIAL_OWNERS) {
    to = plex_partial_place(p, r);
    for (int before = p->rowAt[r]; before < t; ++before) to += plex_partial_numbers(p, before) > 0;
    to = (int)(PLEX_PARTIAL_SUM | (unsigned)to);
  }
  p->heads[(plex_index)p->unitHeads * p->unitTo[b] + 2 * (p->unitTo[b + 1] - p->unitTo[b]) +
           PLEX_PARTIAL_LINE * (u - p->unitTo[b]) + at] = to;
  codes = &p->codes[16 * (plex_index)p->unitLine[u] + PLEX_PARTIAL_REST_CODES * at];
  for (int k = 0; k < n + plex_partial_sums(p, t); ++k)
    codes[k / PLEX_PARTIAL_REST_CODES * PLEX_PARTIAL_REST_CODES * PLEX_PARTIAL_LINE +
          k % PLEX_PARTIAL_REST_CODES] = k < n ? (unsigned)p->code[p->number[t] + k]
                                               : PLEX_PARTIAL_SUM | (unsigned)plex_partial_sum_code(p, b, t, k - n);
}

/* ---- Lines that several blocks of the batch have in common ---- */

/* Item b, one more than there are */
PLEX_STEP(plex_partial_block_lines, PlexPartialPlan)
{
  p->lineTo[i] = p->perUnit ? p->unitTo[i] * p->perUnit : p->unitLine[p->unitTo[i]];
}

/* Item of a line */
PLEX_STEP(plex_partial_hash, PlexPartialPlan)
{
  const int b    = plex_list_of(p->cut.nblocks, p->lineTo, (int)i);
  plex_key  hash = (plex_key)(i - p->lineTo[b] + 1);

  for (int k = 0; k < 16; ++k) {
    hash = (hash ^ p->codes[16 * i + k]) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  plex_add_key(&p->hash[b], hash);
}

/* Item b */
PLEX_STEP(plex_partial_put_lines, PlexPartialPlan)
{
  if (p->lineTo[i + 1] > p->lineTo[i])
    plex_raise(&p->table[p->hash[i] & (PLEX_PARTIAL_TABLE - 1)], p->cut.nblocks - (int)i);
}

/* Item of a line */
PLEX_STEP(plex_partial_compare_lines, PlexPartialPlan)
{
  const int        b = plex_list_of(p->cut.nblocks, p->lineTo, (int)i), other = plex_partial_alike(p, b);
  const plex_index there   = p->lineTo[other] + i - p->lineTo[b];
  int              differs = p->lineTo[other + 1] - p->lineTo[other] != p->lineTo[b + 1] - p->lineTo[b];

  for (int k = 0; k < 16 && !differs; ++k) differs = p->codes[16 * i + k] != p->codes[16 * there + k];
  if (differs) p->differs[b] = 1;
}

/* Item b */
PLEX_STEP(plex_partial_count_kept, PlexPartialPlan)
{
  p->keptTo[i] = plex_partial_same(p, (int)i) == (int)i ? p->lineTo[i + 1] - p->lineTo[i] : 0;
}

/* Item of a line */
PLEX_STEP(plex_partial_keep_lines, PlexPartialPlan)
{
  const int  b  = plex_list_of(p->cut.nblocks, p->lineTo, (int)i);
  plex_index to = p->keptTo[b] + i - p->lineTo[b];

  if (p->keptTo[b + 1] == p->keptTo[b]) return;
  for (int k = 0; k < 16; ++k) p->kept[16 * to + k] = p->codes[16 * i + k];
}

/* Item b */
PLEX_STEP(plex_partial_parts, PlexPartialPlan)
{
  PlexPartialPart *part = &p->parts[p->first + i];
  PlexPartialKind *kind = &part->of[p->kind];

  kind->line      = (unsigned)(p->firstLine + p->keptTo[plex_partial_same(p, (int)i)]);
  kind->lines     = (unsigned)(p->lineTo[i + 1] - p->lineTo[i]);
  kind->n         = p->unitTo[i + 1] - p->unitTo[i];
  kind->head      = p->firstHead + p->unitHeads * p->unitTo[i];
  part->received  = p->receivedTo[p->first + i];
  part->nreceived = p->receivedTo[p->first + i + 1] - part->received;
  part->senders   = p->messageTo[p->first + i];
  part->nsenders  = p->messageTo[p->first + i + 1] - part->senders;
}
