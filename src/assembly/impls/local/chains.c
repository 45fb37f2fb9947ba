/*
  The elements around a dof in such an order that each shares a facet with the one before: a fan of triangles around a vertex, a ring of
  tetrahedra around an edge, fans around the edges that meet in a vertex. Turned alike, each then has most of its nodes where the one before
  had them, or where a fixed other place of that one is, and a kernel reads and adds only the rest.
*/
#include "orbits.h"
#include "../../interface/assemblyimpl.h"

/* Dof i of element e as state c of its contribution: the c-th rotation that makes it its orbit's first */
static const int *PlexChainVertices(PlexElements el, const PlexTurns *t, PetscInt i, PetscInt c)
{
  return &t->vertices[t->candidates[i * t->nturns + c] * el->Nv];
}

/* Whether the coordinate nodes that all elements of a row share are where they have to be */
static PetscBool PlexChainFixed(PlexElements el, unsigned fixed, const int *nodes, const int *vertices, const int at[])
{
  for (PetscInt v = 0; v < el->Nv; ++v)
    if (fixed >> v & 1 && nodes[vertices[v]] != at[v]) return PETSC_FALSE;
  return PETSC_TRUE;
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
    const int     *before = &el->vertices[(size_t)chain->element[a] * el->Nv], *vb = PlexChainVertices(el, t, ia, 0);
    int            at[8], from[8], dofs[PLEX_ORBITS_DOFS];

    for (PetscInt v = 0; v < el->Nv; ++v) at[v] = before[vb[v]];
    for (PetscInt b = 0; b < n; ++b) {
      const PetscInt ib = chain->dof[b];

      for (PetscInt c = 0; b != a && c < t->ncandidates[ib]; ++c) {
        const int     *next = &el->vertices[(size_t)chain->element[b] * el->Nv], *vn = PlexChainVertices(el, t, ib, c);
        const int     *db = &t->dofs[t->candidates[ia * t->nturns] * el->ef], *dn = &t->dofs[t->candidates[ib * t->nturns + c] * el->ef];
        const PetscInt same = PlexChainFixed(el, t->fixed[o], next, vn, at) ? PlexChainMatch(el->Nv, before, vb, next, vn, from) : -1;

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

/* A number for the nodes of an element that are at the places of the link, or, of the element before, where those come from. Others may have the
   same: what follows is compared node by node when it is used */
static uint64_t PlexChainKey(PlexElements el, const PlexTurns *t, PetscInt o, const int nodes[], const int vertices[], PetscBool before)
{
  uint64_t key = 0;

  for (PetscInt v = 0; v < el->Nv; ++v) {
    const PetscInt u = t->nodesFrom[o][v];

    if (u < 0 || t->fixed[o] >> v & 1) continue;
    key = key * 0x9e3779b97f4a7c15u + (uint64_t)nodes[vertices[before ? u : v]];
  }
  return key;
}

/* The first of n states of another contribution with a key, or -1 */
static int PlexChainFind(const PlexChain *chain, PetscInt n, PetscInt s, uint64_t key, const uint64_t keys[])
{
  for (PetscInt k = 0; k < n; ++k)
    if (keys[k] == key && chain->of[k] != chain->of[s]) return (int)k;
  return -1;
}

/* State that follows state s, or -1; looked for once */
static PetscInt PlexChainNext(PlexChain *chain, PetscInt n, PetscInt s)
{
  if (chain->next[s] == -2) {
    chain->next[s] = PlexChainFind(chain, n, s, chain->out[s], chain->in);
    if (chain->next[s] >= 0) chain->previous[chain->next[s]] = (int)s;
  }
  return chain->next[s];
}

/* State that state s follows, or -1; looked for once */
static PetscInt PlexChainPrevious(PlexChain *chain, PetscInt n, PetscInt s)
{
  if (chain->previous[s] == -2) chain->previous[s] = PlexChainFind(chain, n, s, chain->in[s], chain->out);
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

/* All states of n contributions, fixed nodes where the first contribution's first state has them; *n states. Whether each contribution has one */
static PetscBool PlexChainStates(PlexElements el, const PlexTurns *t, PetscInt o, PlexChain *chain, PetscInt n, PetscInt *states)
{
  const int *first = PlexChainVertices(el, t, chain->dof[0], 0);
  int        at[8] = {0};
  PetscInt   s     = 0;

  for (PetscInt v = 0; v < PetscMin(el->Nv, 8); ++v) at[v] = el->vertices[(size_t)chain->element[0] * el->Nv + first[v]];
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt i = chain->dof[k], begin = s;
    const int     *nodes = &el->vertices[(size_t)chain->element[k] * el->Nv];

    chain->start[k] = (int)s;
    for (PetscInt c = 0; c < t->ncandidates[i]; ++c) {
      const int *vertices = PlexChainVertices(el, t, i, c);

      if (t->fixed[o] && !PlexChainFixed(el, t->fixed[o], nodes, vertices, at)) continue;
      chain->of[s]        = (int)k;
      chain->stateTurn[s] = t->candidates[i * t->nturns + c];
      chain->next[s] = chain->previous[s] = -2;
      if (t->linked[o]) {
        chain->in[s]  = PlexChainKey(el, t, o, nodes, vertices, PETSC_FALSE);
        chain->out[s] = PlexChainKey(el, t, o, nodes, vertices, PETSC_TRUE);
      }
      ++s;
      if (!t->linked[o]) break;
    }
    if (s == begin) return PETSC_FALSE;
  }
  chain->start[n] = (int)s;
  *states         = s;
  return PETSC_TRUE;
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
  its dof's positions in them are in element[] and dof[].
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
  PetscCall(PetscArrayzero(chain->taken, n));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt most = 0, begin = chain->start[k];

    if (chain->taken[k]) continue;
    for (PetscInt s = chain->start[k]; s < chain->start[k + 1] && t->linked[o]; ++s) {
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexChainDestroy_Private(PlexChain *chain)
{
  PetscFunctionBegin;
  PetscCall(PetscFree7(chain->element, chain->dof, chain->start, chain->order, chain->turn, chain->first, chain->taken));
  PetscCall(PetscFree6(chain->of, chain->stateTurn, chain->next, chain->previous, chain->in, chain->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
