/*
  The elements around a dof in such an order that each shares a facet with the one before: a fan of triangles around a vertex, a ring of
  tetrahedra around an edge, fans around the edges that meet in a vertex. Turned alike, each then has most of its nodes where the one before
  had them, or where a fixed other place of that one is, and a kernel reads and adds only the rest.
*/
#include "orbits.h"
#include "../../integrate/integrate.h"

#define PLEX_CHAIN_FEW 16 /* states that are looked through one by one */

/* Dof i of element e as state c of its contribution: the c-th rotation that makes it its orbit's first */
static inline const int *PlexChainVertices(const PetscInt Nv, const PlexTurns *t, PetscInt i, PetscInt c)
{
  return &t->vertices[t->candidates[i * t->nturns + c] * Nv];
}

/* Whether the coordinate nodes that all elements of a row share are where they have to be */
static inline PetscBool PlexChainFixed(const PetscInt Nv, unsigned fixed, const int *nodes, const int *vertices, const int at[])
{
  unsigned other = 0;

  for (PetscInt v = 0; v < Nv; ++v) other |= (unsigned)(nodes[vertices[v]] != at[v]) << v;
  return other & fixed ? PETSC_FALSE : PETSC_TRUE;
}

/* from[v]: which place of the element before has what is at place v of the next one, -1 where none has. Returns how many are where they were; -1 if
   a place is taken from that itself takes from another */
static PetscInt PlexChainMatch(PetscInt n, const int before[], const int atBefore[], const int next[], const int atNext[], int from[])
{
  PetscInt same  = 0;
  uint64_t given = 0, taken = 0;

  for (PetscInt v = 0; v < n; ++v) {
    from[v] = -1;
    for (PetscInt u = 0; u < n; ++u)
      if (before[atBefore[u]] == next[atNext[v]]) from[v] = (int)u;
    same += from[v] == v;
    if (from[v] >= 0 && from[v] != v) {
      given |= (uint64_t)1 << from[v];
      taken |= (uint64_t)1 << v;
    }
  }
  return given & taken ? -1 : same;
}

/* Whether a whole facet is shared, with the nodes that all elements of the row share where they are */
static PetscBool PlexChainFacet(PlexElements el, unsigned fixed, const int from[])
{
  PetscInt matched = 0;

  for (PetscInt v = 0; v < el->Nv; ++v) {
    matched += from[v] >= 0;
    if (fixed >> v & 1 && from[v] != v) return PETSC_FALSE;
  }
  return (PetscBool)(matched >= el->dim && matched < el->Nv);
}

/* The link of an orbit's contributions, of the first two elements around a dof that are linked */
static void PlexChainLink(PlexElements el, PlexTurns *t, PetscInt o, const PlexChain *chain, PetscInt n)
{
  PetscInt best = -1;

  for (PetscInt a = 0; a < n && best < 0; ++a) {
    const PetscInt ia     = chain->dof[a];
    const int     *before = &el->vertices[(size_t)chain->element[a] * el->Nv], *vb = PlexChainVertices(el->Nv, t, ia, 0);
    int            at[8], from[8], dofs[PLEX_ORBITS_DOFS];

    for (PetscInt v = 0; v < el->Nv; ++v) at[v] = before[vb[v]];
    for (PetscInt b = 0; b < n; ++b) {
      const PetscInt ib = chain->dof[b];

      for (PetscInt c = 0; b != a && c < t->ncandidates[ib]; ++c) {
        const int     *next = &el->vertices[(size_t)chain->element[b] * el->Nv], *vn = PlexChainVertices(el->Nv, t, ib, c);
        const int     *db = &t->dofs[t->candidates[ia * t->nturns] * el->ef], *dn = &t->dofs[t->candidates[ib * t->nturns + c] * el->ef];
        const PetscInt same = PlexChainFixed(el->Nv, t->fixed[o], next, vn, at) ? PlexChainMatch(el->Nv, before, vb, next, vn, from) : -1;

        if (same <= best || PlexChainMatch(el->ef, &el->dofs[(size_t)chain->element[a] * el->ef], db, &el->dofs[(size_t)chain->element[b] * el->ef], dn, dofs) < 0) continue;
        if (!PlexChainFacet(el, t->fixed[o], from)) continue;
        best = same;
        PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(t->nodesFrom[o], from, el->Nv));
        PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(t->dofsFrom[o], dofs, el->ef));
      }
    }
  }
  t->linked[o] = (PetscBool)(best >= 0);
}

/* Places of the link, but for those of nodes that are fixed: at[], and in from[] where those of the element before are. Returns their number; *still: all are where
   they were */
static PetscInt PlexChainPlaces(const PetscInt Nv, const PlexTurns *t, PetscInt o, int at[], int from[], PetscBool *still)
{
  PetscInt n = 0;

  *still = PETSC_TRUE;
  for (PetscInt v = 0; v < Nv; ++v) {
    const int u = t->nodesFrom[o][v];

    if (u < 0 || t->fixed[o] >> v & 1) continue;
    at[n]     = (int)v;
    from[n++] = u;
    if (u != v) *still = PETSC_FALSE;
  }
  return n;
}

/* A number for the nodes of an element that are at n places. Others may have the same: what follows is compared node by node when it is used */
static inline uint64_t PlexChainKey(PetscInt n, const int places[], const int nodes[], const int vertices[])
{
  uint64_t key = 0;

  for (PetscInt k = 0; k < n; ++k) key = key * 0x9e3779b97f4a7c15u + (uint64_t)nodes[vertices[places[k]]];
  return key;
}

/* Many states are found by the last digits of their keys: heads[] and the next one of the same digits, in ascending order */
static void PlexChainIndex(const PlexChain *chain, PetscInt n, const uint64_t keys[], PlexChainTable *table)
{
  for (PetscInt k = 0; k <= chain->mask; ++k) table->heads[k] = -1;
  for (PetscInt k = n - 1; k >= 0; --k) {
    int *head = &table->heads[keys[k] & (uint64_t)chain->mask];

    table->others[k] = *head;
    *head            = (int)k;
  }
}

/* The first of n states of another contribution with a key, or -1 */
static int PlexChainFind(const PlexChain *chain, PetscInt n, PetscInt s, uint64_t key, const uint64_t keys[], const PlexChainTable *table)
{
  if (n <= PLEX_CHAIN_FEW) {
    for (PetscInt k = 0; k < n; ++k)
      if (keys[k] == key && chain->of[k] != chain->of[s]) return (int)k;
  } else {
    for (int k = table->heads[key & (uint64_t)chain->mask]; k >= 0; k = table->others[k])
      if (keys[k] == key && chain->of[k] != chain->of[s]) return k;
  }
  return -1;
}

/* State that follows state s, or -1; looked for once */
static PetscInt PlexChainNext(PlexChain *chain, PetscInt n, PetscInt s)
{
  if (chain->next[s] == -2) {
    chain->next[s] = PlexChainFind(chain, n, s, chain->out[s], chain->in, &chain->byIn);
    if (chain->next[s] >= 0) chain->previous[chain->next[s]] = (int)s;
  }
  return chain->next[s];
}

/* State that state s follows, or -1; looked for once */
static PetscInt PlexChainPrevious(PlexChain *chain, PetscInt n, PetscInt s)
{
  if (chain->previous[s] == -2) chain->previous[s] = PlexChainFind(chain, n, s, chain->in[s], chain->out, chain->still ? &chain->byIn : &chain->byOut);
  return chain->previous[s];
}

/* The elements not yet taken that a chain through state s has: its first state, and how many */
static PetscInt PlexChainWalk(PlexChain *chain, PetscInt n, PetscInt s, PetscInt *first)
{
  PetscInt length = 1;

  *first = s;
  for (PetscInt k = PlexChainPrevious(chain, n, s); k >= 0 && k != s && !chain->taken[chain->of[k]]; k = PlexChainPrevious(chain, n, k)) {
    *first = k;
    if (++length > chain->most) break; /* another element is met twice: degenerate */
  }
  for (PetscInt k = PlexChainNext(chain, n, s); k >= 0 && k != *first && !chain->taken[chain->of[k]] && length <= chain->most; k = PlexChainNext(chain, n, k)) ++length;
  return length;
}

/* All states of n contributions, fixed nodes where the first contribution's first state has them; *n states. Whether each contribution has one. To be inlined: Nv is
   then a number */
static inline PetscBool PlexChainStatesOf(const PetscInt Nv, PlexElements el, const PlexTurns *t, PetscInt o, PlexChain *chain, PetscInt n, PetscInt *states)
{
  const int *first  = PlexChainVertices(Nv, t, chain->dof[0], 0);
  int        at[27] = {0}, places[27], from[27];
  PetscInt   s = 0, nplaces = 0;

  for (PetscInt v = 0; v < Nv; ++v) at[v] = el->vertices[(size_t)chain->element[0] * Nv + first[v]];
  if (t->linked[o]) nplaces = PlexChainPlaces(Nv, t, o, places, from, &chain->still);
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt i = chain->dof[k], begin = s;
    const int     *nodes = &el->vertices[(size_t)chain->element[k] * Nv];

    chain->start[k] = (int)s;
    for (PetscInt c = 0; c < t->ncandidates[i]; ++c) {
      const int *vertices = PlexChainVertices(Nv, t, i, c);

      if (t->fixed[o] && !PlexChainFixed(Nv, t->fixed[o], nodes, vertices, at)) continue;
      chain->of[s]        = (int)k;
      chain->stateTurn[s] = t->candidates[i * t->nturns + c];
      chain->next[s] = chain->previous[s] = -2;
      if (t->linked[o]) {
        chain->in[s]  = PlexChainKey(nplaces, places, nodes, vertices);
        chain->out[s] = chain->still ? chain->in[s] : PlexChainKey(nplaces, from, nodes, vertices);
      }
      ++s;
      if (!t->linked[o]) break;
    }
    if (s == begin) return PETSC_FALSE;
  }
  chain->start[n] = (int)s;
  *states         = s;
  if (!t->linked[o] || s <= PLEX_CHAIN_FEW) return PETSC_TRUE;
  for (chain->mask = 1; chain->mask < s;) chain->mask = 2 * chain->mask + 1;
  PlexChainIndex(chain, s, chain->in, &chain->byIn);
  if (!chain->still) PlexChainIndex(chain, s, chain->out, &chain->byOut);
  return PETSC_TRUE;
}

static PetscBool PlexChainStates(PlexElements el, const PlexTurns *t, PetscInt o, PlexChain *chain, PetscInt n, PetscInt *states)
{
  if (el->Nv == 3) return PlexChainStatesOf(3, el, t, o, chain, n, states);
  if (el->Nv == 4) return PlexChainStatesOf(4, el, t, o, chain, n, states);
  return PlexChainStatesOf(el->Nv, el, t, o, chain, n, states);
}

/* Takes the elements of a chain */
static PetscInt PlexChainTake(PlexChain *chain, PetscInt states, PetscInt s, PetscInt n)
{
  for (PetscBool first = PETSC_TRUE; s >= 0 && !chain->taken[chain->of[s]]; first = PETSC_FALSE, s = PlexChainNext(chain, states, s)) {
    chain->taken[chain->of[s]] = 1;
    chain->order[n]            = chain->of[s];
    chain->turn[n]             = chain->stateTurn[s];
    chain->first[n++]          = (char)first;
  }
  return n;
}

/*
  Puts the contributions of an orbit to a row in order: *n of them, order[], turn[] and whether each begins a chain. The row's elements and
  its dof's positions in them are in element[] and dof[]. No chain can be longer than the elements that are left, nor than two where all that is shared
  stays in its place, as a facet has two sides: a chain that long is taken without a look at others.
*/
PetscErrorCode PlexChainOrder_Private(PlexElements el, PlexTurns *t, PetscInt o, PetscInt n, PlexChain *chain)
{
  PetscInt states, done = 0;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (t->fixed[o] && !t->linked[o]) PlexChainLink(el, t, o, chain, n);
  if (!PlexChainStates(el, t, o, chain, n, &states)) { /* nodes that coincide: the kernel then reads all of each element */
    t->fixed[o]  = 0;
    t->linked[o] = PETSC_FALSE;
    PetscCheck(PlexChainStates(el, t, o, chain, n, &states), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A dof of an orbit without a rotation to its first");
  }
  for (PetscInt k = 0; k < n; ++k) chain->taken[k] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt longest = chain->still ? PetscMin(2, n - done) : n - done;
    PetscInt       most = 0, begin = chain->start[k];

    if (chain->taken[k]) continue;
    for (PetscInt s = chain->start[k]; s < chain->start[k + 1] && t->linked[o] && most < longest; ++s) {
      PetscInt       first;
      const PetscInt length = PlexChainWalk(chain, states, s, &first);

      if (length <= most) continue;
      most  = length;
      begin = first;
    }
    if (t->linked[o]) done = PlexChainTake(chain, states, begin, done);
    else {
      chain->taken[k]      = 1;
      chain->order[done]   = (int)k;
      chain->turn[done]    = chain->stateTurn[begin];
      chain->first[done++] = 1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexChainCreate_Private(PetscInt most, PetscInt nturns, PlexChain *chain)
{
  const PetscInt states = most * PetscMax(1, nturns);

  PetscFunctionBegin;
  chain->most = most;
  PetscCall(PetscMalloc7(most, &chain->element, most, &chain->dof, most + 1, &chain->start, most, &chain->order, most, &chain->turn, most, &chain->first, most, &chain->taken));
  PetscCall(PetscMalloc6(states, &chain->of, states, &chain->stateTurn, states, &chain->next, states, &chain->previous, states, &chain->in, states, &chain->out));
  PetscCall(PetscMalloc4(2 * states + 2, &chain->byIn.heads, states, &chain->byIn.others, 2 * states + 2, &chain->byOut.heads, states, &chain->byOut.others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexChainDestroy_Private(PlexChain *chain)
{
  PetscFunctionBegin;
  PetscCall(PetscFree7(chain->element, chain->dof, chain->start, chain->order, chain->turn, chain->first, chain->taken));
  PetscCall(PetscFree6(chain->of, chain->stateTurn, chain->next, chain->previous, chain->in, chain->out));
  PetscCall(PetscFree4(chain->byIn.heads, chain->byIn.others, chain->byOut.heads, chain->byOut.others));
  PetscFunctionReturn(PETSC_SUCCESS);
}
