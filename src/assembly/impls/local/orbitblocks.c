/* Blocks of local_row where elements can be turned: runs of the mesh nodes along a Hilbert curve, as long as their
   nodal data and rows allow */
#include "orbitsimpl.h"

#define PLEX_ORBITS_MORE    1.6  /* times the usual contributions that a thread sums alone */
#define PLEX_ORBITS_LONGEST 256  /* numbers of a column for a lane, most */
#define PLEX_ORBITS_NODAL   6144 /* bytes of nodal data of a block, about */
#define PLEX_ORBITS_WARPS   16   /* of a multiprocessor, beyond which more are of little use */
#define PLEX_ORBITS_ROUNDS  4    /* of the warps of a block, most */
/* blocks that a multiprocessor has at least, over time, if each is to have several rounds of warps */
#define PLEX_ORBITS_BLOCKS 12

/* The contributions that most rows have at most */
PetscErrorCode PlexOrbitsUsual_Private(PlexOrbitsWalk *w)
{
  PetscInt histogram[65] = {0}, rows = 0, below = 0;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l) {
    const PetscInt count = w->touching.start[l + 1] - w->touching.start[l];

    if (!PlexOrbitsLength(w, l) || !count) continue;
    histogram[PetscMin(count, 64)]++;
    ++rows;
  }
  for (w->usual = 1; w->usual < 64; ++w->usual) {
    below += histogram[w->usual];
    if (3 * below >= 2 * rows) break;
  }
  w->most = (PetscInt)(PLEX_ORBITS_MORE * (double)w->usual);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places of mesh nodes: means over the centres of their elements, x[Nnodes][cdim] */
static PetscErrorCode PlexOrbitsPlaces(PlexElements el, PetscReal x[])
{
  int *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nnodes, &count));
  PetscCall(PetscArrayzero(x, el->Nnodes * el->cdim));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscReal centre[3];

    PlexElementsGetCentres(el, e, 1, centre);
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt n = el->node[el->dofs[e * el->ef + i]];

      count[n]++;
      for (PetscInt d = 0; d < el->cdim; ++d) x[n * el->cdim + d] += centre[d];
    }
  }
  for (PetscInt n = 0; n < el->Nnodes; ++n)
    for (PetscInt d = 0; d < el->cdim && count[n]; ++d) x[n * el->cdim + d] /= count[n];
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether mesh node n is coordinate node n, with one dof */
static PetscBool PlexOrbitsNodesAreVertices(PlexElements el)
{
  PetscBool same = PETSC_FALSE;

  if (el->ef != el->Nv || el->Nx != el->Nnodes || !PlexElementsDofsAreNodes(el)) return PETSC_FALSE;
  return PetscArraycmp(el->dofs, el->vertices, (size_t)el->Ne * el->ef, &same) ? PETSC_FALSE : same;
}

/* The dofs of each mesh node */
static PetscErrorCode PlexOrbitsDofsOf(PlexElements el, PlexLists *dofsOf)
{
  PetscFunctionBegin;
  if (PlexElementsDofsAreNodes(el)) {
    dofsOf->n = el->Nnodes;
    PetscCall(PetscMalloc1(el->Nnodes + 1, &dofsOf->start));
    PetscCall(PetscMalloc1(el->Nnodes, &dofsOf->items));
    for (PetscInt n = 0; n <= el->Nnodes; ++n) dofsOf->start[n] = n;
    for (PetscInt n = 0; n < el->Nnodes; ++n) dofsOf->items[n] = (int)n;
  } else PetscCall(PlexListsInvert(el->Nl, 1, el->node, el->Nnodes, dofsOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh nodes along a curve, by their places in space */
PetscErrorCode PlexOrbitsOrder_Private(PlexOrbitsWalk *w)
{
  PlexElements el = w->asm_->elements;
  PetscReal   *x  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Nnodes, &w->order));
  if (!PlexOrbitsNodesAreVertices(el)) {
    PetscCall(PetscMalloc1(el->Nnodes * el->cdim, &x));
    PetscCall(PlexOrbitsPlaces(el, x));
  }
  PetscCall(PlexCurveOrder(el->Nnodes, el->cdim, x ? x : el->x, w->order));
  PetscCall(PetscFree(x));
  PetscCall(PlexOrbitsDofsOf(el, &w->dofsOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The orbits of a mesh node's dofs, as bits; of each the one that it has in one of its elements */
static PetscInt PlexOrbitsKind(PlexOrbitsWalk *w, PetscInt n)
{
  PetscInt orbits = 0;

  for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d) {
    const PetscInt l = w->dofsOf.items[d];

    if (w->asm_->pattern->row[l] >= 0 && w->touching.start[l] < w->touching.start[l + 1])
      orbits |= 1 << w->turns.orbit[PlexOrbitsFind(w->asm_->elements, w->touching.items[w->touching.start[l]], l)];
  }
  return orbits;
}

/* Mesh nodes of one kind after those of another, each in the order that there is: the code of all rows of a large
   element does not fit in the memory for instructions, and a processor then has that of one kind */
PetscErrorCode PlexOrbitsSort_Private(PlexOrbitsWalk *w)
{
  const PetscInt n = w->asm_->elements->Nnodes, kinds = 1 << PLEX_ORBITS_MOST;
  PetscInt      *start, *kind;
  int           *to;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(kinds + 1, &start));
  PetscCall(PetscMalloc2(n, &kind, n, &to));
  for (PetscInt k = 0; k < n; ++k) {
    kind[k] = PlexOrbitsKind(w, w->order[k]);
    start[kind[k] + 1]++;
  }
  for (PetscInt k = 0; k < kinds; ++k) start[k + 1] += start[k];
  for (PetscInt k = 0; k < n; ++k) to[start[kind[k]]++] = w->order[k];
  PetscCall(PetscArraycpy(w->order, to, n));
  PetscCall(PetscFree2(kind, to));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dof of a mesh node that has a row and elements around it, which are those around the node's other dofs too; -1
   where it has none */
static PetscInt PlexOrbitsDof(PlexOrbitsWalk *w, PetscInt n)
{
  for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d) {
    const PetscInt l = w->dofsOf.items[d];

    if (w->asm_->pattern->row[l] >= 0 && w->touching.start[l] < w->touching.start[l + 1]) return l;
  }
  return -1;
}

/* Room for so many more items behind those of a list */
static PetscErrorCode PlexOrbitsRoom(PlexPackBuffer *list, PetscInt more)
{
  PetscFunctionBegin;
  if (list->n + (size_t)more > list->allocated) {
    list->allocated = PetscMax(2 * list->allocated, list->n + (size_t)more);
    PetscCall(PetscRealloc(sizeof(int) * list->allocated, &list->entries));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinate nodes (and dofs) that the elements around a mesh node add to the block that `mark` stands for, listed
   behind those that it has */
static PetscErrorCode PlexOrbitsTouch(PlexOrbitsWalk *w, PetscInt n, int mark, PetscInt *nodes, PetscInt *dofs,
                                      PlexOrbitsBuffers *b)
{
  PlexElements   el = w->asm_->elements;
  const PetscInt l = PlexOrbitsDof(w, n), begin = l < 0 ? 0 : w->touching.start[l],
                 end = l < 0 ? 0 : w->touching.start[l + 1];

  PetscFunctionBegin;
  PetscCall(PlexOrbitsRoom(&b->nodes, *nodes + (end - begin) * el->Nv + 1));
  if (w->solution) PetscCall(PlexOrbitsRoom(&b->dofs, *dofs + (end - begin) * el->ef + 1));
  for (PetscInt t = begin; t < end; ++t) {
    const size_t e = (size_t)w->touching.items[t];

    if (el->Nv == 3)
      PlexOrbitsTouchList(3, &el->vertices[e * 3], mark, w->nodeOwner, nodes, &b->nodes.entries[b->nodes.n]);
    else if (el->Nv == 4)
      PlexOrbitsTouchList(4, &el->vertices[e * 4], mark, w->nodeOwner, nodes, &b->nodes.entries[b->nodes.n]);
    else
      PlexOrbitsTouchList(el->Nv, &el->vertices[e * (size_t)el->Nv], mark, w->nodeOwner, nodes,
                          &b->nodes.entries[b->nodes.n]);
    if (w->solution)
      PlexOrbitsTouchList(el->ef, &el->dofs[e * (size_t)el->ef], mark, w->dofOwner, dofs, &b->dofs.entries[b->dofs.n]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the lists of a block begin, behind those of `nodes` and `dofs` of the one before */
static PetscErrorCode PlexOrbitsNext(PlexOrbitsBuffers *b, PetscInt nodes, PetscInt dofs)
{
  int *to;

  PetscFunctionBegin;
  b->nodes.n += (size_t)nodes;
  b->dofs.n += (size_t)dofs;
  PetscCall(PlexPackBufferExtend(&b->nodeStart, 1, &to));
  *to = (int)b->nodes.n;
  PetscCall(PlexPackBufferExtend(&b->dofStart, 1, &to));
  *to = (int)b->dofs.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings nearer what is read of mesh nodes that come later in the order, each thing when what says where it is has
   come */
void PlexOrbitsFetch_Private(PlexOrbitsWalk *w, PetscInt k)
{
  PlexElements    el    = w->asm_->elements;
  PlexPattern     p     = w->asm_->pattern;
  const PetscInt *start = w->dofsOf.start, n = el->Nnodes;
  PetscInt        l;

  if (k + 60 < n) PlexFetch(&start[w->order[k + 60]]);
  if (k + 48 < n) PlexFetch(&w->dofsOf.items[start[w->order[k + 48]]]);
  if (k + 36 < n && start[w->order[k + 36]] < start[w->order[k + 36] + 1]) {
    l = w->dofsOf.items[start[w->order[k + 36]]];
    PlexFetch(&p->row[l]);
    PlexFetch(&w->touching.start[l]);
  }
  if (k + 24 < n && (l = PlexOrbitsDof(w, w->order[k + 24])) >= 0) {
    PlexFetch(&w->touching.items[w->touching.start[l]]);
    PlexFetch(&p->i[p->row[l]]);
  }
  if (k + 12 < n && (l = PlexOrbitsDof(w, w->order[k + 12])) >= 0) {
    for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t)
      PlexFetch(&el->vertices[(size_t)w->touching.items[t] * el->Nv]);
  }
}

/* Bytes of shared memory for a block's nodal data; sums come behind it */
size_t PlexOrbitsNodal_Private(PlexOrbitsWalk *w, PetscInt nodes, PetscInt dofs)
{
  return (PlexAssemblyRealSize(w->asm_) * (size_t)(nodes * w->asm_->elements->cdim + 2 * dofs) + 15) / 16 * 16;
}

/* Cuts the order of the mesh nodes into blocks of at most so many lanes, as many nodes as are numbered, and bytes of
   nodal data; of one kind where the nodes are sorted. Lists of the blocks' nodes and dofs */
PetscErrorCode PlexOrbitsCut_Private(PlexOrbitsWalk *w, PetscInt lanes, PetscInt numbered, size_t budget,
                                     PlexOrbitsBuffers *b)
{
  PlexElements el   = w->asm_->elements;
  PetscInt     rows = 0, nodes = 0, dofs = 0, allocated = 1024, kind = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(w->nodeOwner, el->Nx));
  PetscCall(PetscArrayzero(w->dofOwner, el->Nl));
  PetscCall(PetscMalloc1(allocated, &w->start));
  w->nblocks = w->mostNodes = w->mostDofs = w->mostLanes = 0;
  w->start[0]                                            = 0;
  PetscCall(PlexOrbitsNext(b, 0, 0));
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    const PetscInt n   = w->order[k];
    PetscInt       own = 0, nodesNow = nodes, dofsNow = dofs, before = kind;

    for (PetscInt d = w->dofsOf.start[n]; d < w->dofsOf.start[n + 1]; ++d)
      if (w->asm_->pattern->row[w->dofsOf.items[d]] >= 0) own += PlexOrbitsParts(w, w->dofsOf.items[d]);
    PlexOrbitsFetch_Private(w, k);
    PetscCall(PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, b));
    if (w->sorted) kind = PlexOrbitsKind(w, n);
    if (k > w->start[w->nblocks] && (kind != before || rows + own > lanes || nodesNow > numbered || dofsNow > 65535 ||
                                     PlexOrbitsNodal_Private(w, nodesNow, dofsNow) > budget)) {
      if (w->nblocks + 2 >= allocated) PetscCall(PetscRealloc(sizeof(PetscInt) * (allocated *= 2), &w->start));
      w->start[++w->nblocks] = k;
      PetscCall(PlexOrbitsNext(b, nodes, dofs));
      rows = nodesNow = dofsNow = 0;
      PetscCall(PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, b));
    }
    rows += own;
    w->mostNodes = PetscMax(w->mostNodes, nodesNow);
    w->mostDofs  = PetscMax(w->mostDofs, dofsNow);
    w->mostLanes = PetscMax(w->mostLanes, rows);
    nodes        = nodesNow;
    dofs         = dofsNow;
  }
  w->start[++w->nblocks] = el->Nnodes;
  PetscCall(PlexOrbitsNext(b, nodes, dofs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of a column of sums, where lanes[n] is how many lanes have columns of n, and the longest row is
   `tallest`: longer columns are those of a half full warp, or less. Few numbers leave room for more warps at once,
   whose waits are hidden then, in part: the time goes as the number of warps over the root of that of those at work */
static PetscInt PlexOrbitsLongest(PlexOrbitsWalk *w, PetscInt block, PetscInt tallest, const double lanes[])
{
  const PetscInt warps = block / 32;
  PetscInt       best  = w->chunk;
  double         least = PETSC_MAX_REAL;

  for (PetscInt n = w->chunk; n <= PLEX_ORBITS_LONGEST; n += w->chunk) {
    const PetscInt sums     = PetscMax(32 * n, PlexOrbitsColumn(w, tallest));
    const size_t   bytes    = PLEX_ORBITS_BLOCK + PLEX_ORBITS_NODAL +
                              (size_t)warps * (sizeof(PetscScalar) * (size_t)sums + PLEX_ORBITS_WAYS);
    const PetscInt resident = warps * PetscMin((PetscInt)(w->shared / bytes), PlexOrbitsResident(w, block));
    double         all      = 0;

    for (PetscInt k = 0; k <= PLEX_ORBITS_LONGEST; ++k)
      all += lanes[k] * (k <= n ? 1 : k <= 2 * n ? 2 : k <= 4 * n ? 4 : k <= 8 * n ? 8 : 16);
    all /= PetscSqrtReal(PetscMax(0.5, PetscMin(PLEX_ORBITS_WARPS, resident)));
    if (all >= least) continue;
    least = all;
    best  = n;
  }
  return best;
}

/* What warps are like, with records as they will be: lanes of a block, several rounds of its warps where there are
   enough blocks then, as that makes warps fuller and has some at work while others end; and the numbers that a warp
   sums in */
PetscInt PlexOrbitsLanes_Private(PlexOrbitsWalk *w, PetscInt block, const PlexBackendLimits *limits)
{
  PetscInt tallest                            = 0;
  double   histogram[PLEX_ORBITS_LONGEST + 1] = {0}, lanes = 0;

  for (PetscInt l = 0; l < w->asm_->elements->Nl; ++l) {
    const PetscInt parts = PlexOrbitsParts(w, l), length = PlexOrbitsLength(w, l);

    if (!length) continue;
    tallest = PetscMax(tallest, length);
    lanes += (double)parts;
    histogram[PetscMin((PlexOrbitsColumn(w, length) + parts - 1) / parts, PLEX_ORBITS_LONGEST)] += (double)parts;
  }
  /* numbers of nodes and dofs are not known yet */
  PlexRecordLayOut_Private(w->asm_->elements, w->solution, 255, 255, tallest, &w->record);
  w->sums = 32 * PlexOrbitsLongest(w, block, tallest, histogram);
  return block * (PetscInt)PetscMax(1, PetscMin(PLEX_ORBITS_ROUNDS, lanes / ((double)block * PLEX_ORBITS_BLOCKS *
                                                                             PetscMax(1, limits->multiprocessors))));
}
