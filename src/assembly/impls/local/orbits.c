/*
  The plan of local_row where elements can be turned. A row of element data of dof i is that of the first dof of i's orbit under the
  rotations of the cell, of the element read in another order of its nodes. Blocks are runs of the mesh nodes along a Hilbert curve;
  of each the rows are sorted by the orbits of their contributions and the number of these, and put into warps with the records that they sum,
  orbit by orbit.
*/
#include "orbits.h"
#include "../../interface/assemblyimpl.h"

#define PLEX_ORBITS_MOST     12          /* orbits, each compiled: rows of element data that a kernel holds */
#define PLEX_ORBITS_TERMS    6000        /* multiplications, all compiled */
#define PLEX_ORBITS_SHARED   (40 << 10)  /* bytes of shared memory that a block has in general */
#define PLEX_ORBITS_NUMBERED 256         /* nodes that a byte can number */

typedef struct {
  PetscInt n;       /* orbits */
  PetscInt first[PLEX_ORBITS_MOST]; /* dof that an orbit's rows are computed as */
  int     *orbit;   /* [ef] of a dof */
  int     *turn;    /* [ef] the rotation that makes it its orbit's first */
  int     *dofs, *vertices; /* of the rotations */
} PlexTurns;

static PetscErrorCode PlexTurnsCreate(PlexAssembly asm_, PlexProduct *product, PlexTurns *t)
{
  PlexElements   el = asm_->elements;
  const PetscInt ef = el->ef;
  PetscInt       n;

  PetscFunctionBegin;
  t->n = 0;
  PetscCall(PlexElementsGetRotations(el, product->tensor ? PETSC_FALSE : PETSC_TRUE, &n, &t->dofs, &t->vertices));
  PetscCall(PetscMalloc2(ef, &t->orbit, ef, &t->turn));
  for (PetscInt i = 0; i < ef && t->n <= PLEX_ORBITS_MOST && n; ++i) {
    PetscInt least = ef, o;

    for (PetscInt k = 0; k < n; ++k) {
      for (PetscInt j = 0; j < least; ++j) {
        if (t->dofs[k * ef + j] != i) continue;
        least      = j;
        t->turn[i] = (int)k;
      }
    }
    for (o = 0; o < t->n; ++o)
      if (t->first[o] == least) break;
    if (o == t->n && t->n < PLEX_ORBITS_MOST) t->first[o] = least;
    if (o == t->n) ++t->n;
    t->orbit[i] = (int)o;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTurnsDestroy(PlexTurns *t)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsRestoreRotations(&t->dofs, &t->vertices));
  PetscCall(PetscFree2(t->orbit, t->turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Where things are in a record: from items of 4 bytes to items of one ---- */

typedef struct {
  PetscInt node, dof, place;              /* bytes of a number */
  PetscInt atElement, atNodes, atDofs, atPlaces, words;
} PlexRecord;

static void PlexRecordLayOut(PlexElements el, PetscBool solution, PlexRecord *r)
{
  PetscInt at = 0;

  r->atElement = 0;
  if (el->ea) at += 4;
  for (PetscInt bytes = 2; bytes >= 1; --bytes) {
    if (r->node == bytes) {
      r->atNodes = at;
      at += bytes * el->Nv;
    }
    if (r->dof == bytes) {
      r->atDofs = at;
      if (solution) at += bytes * el->ef;
    }
    if (r->place == bytes) {
      r->atPlaces = at;
      at += bytes * el->ef;
    }
  }
  r->words = (at + 3) / 4;
}

static void PlexRecordSet(unsigned *record, PetscInt at, PetscInt value)
{
  record[32 * (at / 4)] |= (unsigned)value << 8 * (at % 4); /* words of a record are a warp apart */
}

/* ---- Blocks ---- */

typedef struct {
  PlexAssembly asm_;
  PlexProduct *product;
  PlexTurns    turns;
  PetscBool    solution;
  PlexRecord   record;
  PlexLists    touching;                       /* of a local dof, the elements that have it */
  PetscInt     nblocks, mostNodes, mostDofs, mostRows; /* of a block */
  size_t       mostSums;
  int         *order, *dofStart, *rowDofs;     /* mesh nodes along the curve; dofs of a mesh node */
  PetscInt    *start;                          /* [nblocks+1] into order */
  int         *node, *nodeOwner, *dof, *dofOwner; /* numbers in the block, and for which block plus one they are */
} PlexOrbitsWalk;

/* A dof's row of the matrix, or -1 */
static PetscInt PlexOrbitsRow(PlexOrbitsWalk *w, PetscInt l)
{
  return w->asm_->pattern->row[l];
}

static PetscInt PlexOrbitsLength(PlexOrbitsWalk *w, PetscInt l)
{
  const PetscInt r = PlexOrbitsRow(w, l);

  return r < 0 ? 0 : w->asm_->pattern->i[r + 1] - w->asm_->pattern->i[r];
}

/* Mesh nodes by their places in space: means over the centres of their elements */
static PetscErrorCode PlexOrbitsOrder(PlexOrbitsWalk *w)
{
  PlexElements el = w->asm_->elements;
  PetscReal   *x;
  int         *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(el->Nnodes * el->cdim, &x, el->Nnodes, &count));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscReal centre[3] = {0.};

    for (PetscInt v = 0; v < el->Nv; ++v)
      for (PetscInt d = 0; d < el->cdim; ++d) centre[d] += el->x[(size_t)el->vertices[e * el->Nv + v] * el->cdim + d] / (PetscReal)el->Nv;
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt n = el->node[el->dofs[e * el->ef + i]];

      count[n]++;
      for (PetscInt d = 0; d < el->cdim; ++d) x[n * el->cdim + d] += centre[d];
    }
  }
  for (PetscInt n = 0; n < el->Nnodes; ++n)
    for (PetscInt d = 0; d < el->cdim && count[n]; ++d) x[n * el->cdim + d] /= count[n];
  PetscCall(PetscMalloc1(el->Nnodes, &w->order));
  PetscCall(PlexCurveOrder(el->Nnodes, el->cdim, x, w->order));
  PetscCall(PetscFree2(x, count));
  /* dofs of each mesh node */
  PetscCall(PetscCalloc1(el->Nnodes + 1, &w->dofStart));
  PetscCall(PetscMalloc1(el->Nl, &w->rowDofs));
  for (PetscInt l = 0; l < el->Nl; ++l) w->dofStart[el->node[l] + 1]++;
  for (PetscInt n = 0; n < el->Nnodes; ++n) w->dofStart[n + 1] += w->dofStart[n];
  for (PetscInt l = el->Nl - 1; l >= 0; --l) w->rowDofs[--w->dofStart[el->node[l] + 1]] = (int)l;
  for (PetscInt n = 0; n < el->Nnodes; ++n) w->dofStart[n] = w->dofStart[n + 1];
  w->dofStart[el->Nnodes] = (int)el->Nl;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinate nodes (and dofs) that the elements around a mesh node add to the block that `mark` stands for: numbered, and listed where
   there are lists */
static void PlexOrbitsTouch(PlexOrbitsWalk *w, PetscInt n, int mark, PetscInt *nodes, PetscInt *dofs, int nodeList[], int dofList[])
{
  PlexElements el = w->asm_->elements;

  for (PetscInt d = w->dofStart[n]; d < w->dofStart[n + 1]; ++d) {
    const PetscInt l = w->rowDofs[d];

    if (PlexOrbitsRow(w, l) < 0) continue;
    for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) {
      const PetscInt e = w->touching.items[t];

      for (PetscInt v = 0; v < el->Nv; ++v) {
        const int x = el->vertices[e * el->Nv + v];

        if (w->nodeOwner[x] == mark) continue;
        w->nodeOwner[x] = mark;
        if (nodeList) nodeList[*nodes] = x;
        w->node[x] = (int)(*nodes)++;
      }
      for (PetscInt i = 0; i < el->ef && w->solution; ++i) {
        const int k = el->dofs[e * el->ef + i];

        if (w->dofOwner[k] == mark) continue;
        w->dofOwner[k] = mark;
        if (dofList) dofList[*dofs] = k;
        w->dof[k] = (int)(*dofs)++;
      }
    }
    break; /* the dofs of a mesh node have the same elements around them, but for fields that some elements lack */
  }
}

/* Shared memory of a block: nodal data, then sums */
static size_t PlexOrbitsNodal(PlexOrbitsWalk *w, PetscInt nodes, PetscInt dofs)
{
  return (PlexAssemblyRealSize(w->asm_) * (size_t)(nodes * w->asm_->elements->cdim + 2 * dofs) + 15) / 16 * 16;
}

/* Cuts the order of the mesh nodes into blocks of at most `threads` rows, as many nodes as are numbered, and the shared memory */
static PetscErrorCode PlexOrbitsCut(PlexOrbitsWalk *w, PetscInt threads, PetscInt numbered, size_t budget)
{
  PlexElements el = w->asm_->elements;
  PetscInt     rows = 0, nodes = 0, dofs = 0, allocated = 1024;
  size_t       sums = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(w->nodeOwner, el->Nx));
  PetscCall(PetscArrayzero(w->dofOwner, el->Nl));
  PetscCall(PetscFree(w->start));
  PetscCall(PetscMalloc1(allocated, &w->start));
  w->nblocks = w->mostNodes = w->mostDofs = w->mostRows = 0;
  w->start[0] = 0;
  w->mostSums = 0;
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    const PetscInt n   = w->order[k];
    PetscInt       own = 0, nodesNow = nodes, dofsNow = dofs;
    size_t         more = 0;

    for (PetscInt d = w->dofStart[n]; d < w->dofStart[n + 1]; ++d) {
      own += PlexOrbitsRow(w, w->rowDofs[d]) >= 0;
      more += sizeof(PetscScalar) * (size_t)(PlexOrbitsLength(w, w->rowDofs[d]) + 1);
    }
    PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, NULL, NULL);
    if (k > w->start[w->nblocks] && (rows + own > threads || nodesNow > numbered || dofsNow > 65535 || PlexOrbitsNodal(w, nodesNow, dofsNow) + sums + more > budget)) {
      if (w->nblocks + 2 >= allocated) PetscCall(PetscRealloc(sizeof(PetscInt) * (allocated *= 2), &w->start));
      w->start[++w->nblocks] = k;
      rows = nodesNow = dofsNow = 0;
      sums                      = 0;
      PlexOrbitsTouch(w, n, (int)w->nblocks + 1, &nodesNow, &dofsNow, NULL, NULL);
    }
    rows += own;
    sums += more;
    w->mostNodes = PetscMax(w->mostNodes, nodesNow);
    w->mostDofs  = PetscMax(w->mostDofs, dofsNow);
    w->mostRows  = PetscMax(w->mostRows, rows);
    w->mostSums  = PetscMax(w->mostSums, sums);
    nodes = nodesNow;
    dofs  = dofsNow;
  }
  w->start[++w->nblocks] = el->Nnodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows of a block, in warps ---- */

typedef struct {
  int l, orbits, count, length; /* dof, orbits of its contributions as bits, contributions, targets */
} PlexOrbitsRowOf;

static int PlexOrbitsCompare(const void *a, const void *b)
{
  const PlexOrbitsRowOf *p = (const PlexOrbitsRowOf *)a, *q = (const PlexOrbitsRowOf *)b;

  if (p->orbits != q->orbits) return p->orbits - q->orbits;
  if (p->count != q->count) return q->count - p->count;
  return p->length != q->length ? q->length - p->length : p->l - q->l;
}

typedef struct {
  void  *data;
  size_t n, allocated, size;
} PlexBuffer;

/* Room for n more items, zeroed */
static PetscErrorCode PlexBufferExtend(PlexBuffer *b, size_t n, void **room)
{
  PetscFunctionBegin;
  if (b->n + n > b->allocated) {
    b->allocated = PetscMax(b->n + n, 2 * b->allocated + 1024);
    PetscCall(PetscRealloc(b->allocated * b->size, &b->data));
  }
  *room = (char *)b->data + b->n * b->size;
  PetscCall(PetscMemzero(*room, n * b->size));
  b->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexBuffer nodeStart, nodes, dofStart, dofs, warpStart, warps, segments, rows, records;
} PlexOrbitsBuffers;

/* Position of dof i's rows: which of an element's dofs l is */
static PetscInt PlexOrbitsFind(PlexElements el, PetscInt e, PetscInt l)
{
  PetscInt i = 0;

  while (el->dofs[e * el->ef + i] != l) ++i;
  return i;
}

/* The record of dof i of element e, for lane 0 of a group; places dropped go behind the longest row of the warp */
static PetscErrorCode PlexOrbitsRecord(PlexOrbitsWalk *w, PetscInt e, PetscInt i, PetscInt dropped, unsigned *record)
{
  PlexElements      el      = w->asm_->elements;
  PlexPattern       pattern = w->asm_->pattern;
  const PlexRecord *r       = &w->record;
  const int        *dofs = &w->turns.dofs[w->turns.turn[i] * el->ef], *vertices = &w->turns.vertices[w->turns.turn[i] * el->Nv];
  const PetscInt    row = pattern->row[el->dofs[e * el->ef + i]], n = pattern->i[row + 1] - pattern->i[row], *columns = &pattern->j[pattern->i[row]];

  PetscFunctionBegin;
  if (el->ea) record[0] = (unsigned)e;
  for (PetscInt v = 0; v < el->Nv; ++v) PlexRecordSet(record, r->atNodes + v * r->node, w->node[el->vertices[e * el->Nv + vertices[v]]]);
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      l      = el->dofs[e * el->ef + dofs[j]];
    const PetscInt column = pattern->column[l];
    PetscInt       low = 0, high = n;

    if (w->solution) PlexRecordSet(record, r->atDofs + j * r->dof, w->dof[l]);
    while (column >= 0 && high - low > 1) {
      const PetscInt middle = (low + high) / 2;

      if (columns[middle] <= column) low = middle;
      else high = middle;
    }
    PetscCheck(column < 0 || (n && columns[low] == column), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()", row, column, e);
    PlexRecordSet(record, r->atPlaces + j * r->place, column < 0 ? dropped : low);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The records of one orbit: as many groups as the row with most of them needs */
static PetscErrorCode PlexOrbitsSegment(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsRowOf rows[], PetscInt dropped, PlexOrbitsBuffers *b)
{
  PlexElements   el    = w->asm_->elements;
  const PetscInt words = w->record.words;
  PetscInt       groups = 0;
  int           *segment;
  unsigned      *records;

  PetscFunctionBegin;
  for (PetscInt fill = 0; fill < 2; ++fill) {
    for (PetscInt k = 0; k < 32; ++k) {
      const PetscInt l = k < n ? rows[k].l : -1;
      PetscInt       g = 0;

      for (PetscInt t = l < 0 ? 0 : w->touching.start[l]; l >= 0 && t < w->touching.start[l + 1]; ++t) {
        const PetscInt e = w->touching.items[t], i = PlexOrbitsFind(el, e, l);

        if (w->turns.orbit[i] != o) continue;
        if (fill) PetscCall(PlexOrbitsRecord(w, e, i, dropped, &records[(size_t)g * 32 * (size_t)words + (size_t)k]));
        ++g;
      }
      for (; fill && g < groups; ++g)
        for (PetscInt j = 0; j < el->ef; ++j) PlexRecordSet(&records[(size_t)g * 32 * (size_t)words + (size_t)k], w->record.atPlaces + j * w->record.place, dropped);
      groups = PetscMax(groups, g);
    }
    if (!groups) PetscFunctionReturn(PETSC_SUCCESS);
    if (!fill) PetscCall(PlexBufferExtend(&b->records, (size_t)groups * 32 * (size_t)words, (void **)&records));
  }
  PetscCall(PlexBufferExtend(&b->segments, 2, (void **)&segment));
  segment[0] = (int)o;
  segment[1] = (int)groups;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A warp of n rows whose contributions are of the same orbits; *column is where its sums begin */
static PetscErrorCode PlexOrbitsWarp(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsRowOf rows[], PetscInt *column, PlexOrbitsBuffers *b)
{
  const size_t first = b->records.n / (size_t)(32 * w->record.words), segment = b->segments.n / 2;
  PetscInt     longest = 0;
  int         *warp, *ids;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, rows[k].length);
  PetscCheck(*column < 32768 && longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "A row of the matrix has %" PetscInt_FMT " non-zeros, and a block's sums are numbered with 15 bits: use -plex_assembly_type %s", longest, PLEXASSEMBLYELEMENTATOMIC);
  PetscCall(PlexBufferExtend(&b->rows, 64, (void **)&ids));
  for (PetscInt k = 0; k < n; ++k) {
    ids[k]      = (int)w->asm_->pattern->i[w->asm_->pattern->row[rows[k].l]];
    ids[32 + k] = rows[k].length;
  }
  for (PetscInt o = 0; o < w->turns.n; ++o)
    if (rows[0].orbits & 1 << o) PetscCall(PlexOrbitsSegment(w, o, n, rows, longest, b));
  PetscCall(PlexBufferExtend(&b->warps, 4, (void **)&warp));
  warp[0] = (int)first;
  warp[1] = (int)segment;
  warp[2] = (int)(b->segments.n / 2 - segment);
  warp[3] = (int)(*column << 16 | longest);
  *column += longest + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends block b */
static PetscErrorCode PlexOrbitsBlock(PlexOrbitsWalk *w, PetscInt b, PlexOrbitsRowOf rows[], PlexOrbits *o, PlexOrbitsBuffers *out)
{
  PlexElements el = w->asm_->elements;
  PetscInt     n = 0, nodes = 0, dofs = 0, column = 0;
  int         *to, *nodeList, *dofList;

  PetscFunctionBegin;
  PetscCall(PlexBufferExtend(&out->nodeStart, 1, (void **)&to));
  *to = (int)out->nodes.n;
  PetscCall(PlexBufferExtend(&out->dofStart, 1, (void **)&to));
  *to = (int)out->dofs.n;
  PetscCall(PlexBufferExtend(&out->nodes, (size_t)w->mostNodes, (void **)&nodeList));
  PetscCall(PlexBufferExtend(&out->dofs, (size_t)w->mostDofs, (void **)&dofList));
  for (PetscInt k = w->start[b]; k < w->start[b + 1]; ++k) {
    for (PetscInt d = w->dofStart[w->order[k]]; d < w->dofStart[w->order[k] + 1]; ++d) {
      const PetscInt l = w->rowDofs[d], count = w->touching.start[l + 1] - w->touching.start[l];

      if (!PlexOrbitsLength(w, l)) continue;
      rows[n].l      = (int)l;
      rows[n].count  = (int)count;
      rows[n].length = (int)PlexOrbitsLength(w, l);
      rows[n].orbits = 0;
      for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t) rows[n].orbits |= 1 << w->turns.orbit[PlexOrbitsFind(el, w->touching.items[t], l)];
      ++n;
      o->contributions += count;
    }
    PlexOrbitsTouch(w, w->order[k], (int)b + 1, &nodes, &dofs, nodeList, dofList);
  }
  out->nodes.n -= (size_t)(w->mostNodes - nodes);
  out->dofs.n -= (size_t)(w->mostDofs - dofs);
  o->rows += n;
  o->nodes += nodes;
  qsort(rows, (size_t)n, sizeof(*rows), PlexOrbitsCompare);
  PetscCall(PlexBufferExtend(&out->warpStart, 1, (void **)&to));
  *to = (int)(out->warps.n / 4);
  for (PetscInt k = 0, m; k < n; k += m) {
    for (m = 1; m < 32 && k + m < n && rows[k + m].orbits == rows[k].orbits; ++m);
    PetscCall(PlexOrbitsWarp(w, m, &rows[k], &column, out));
  }
  o->columns = PetscMax(o->columns, column);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* A residual's row is an entry, which a thread of the general way computes; so are rows of forms and elements too large to be compiled once an orbit */
static PetscBool PlexOrbitsServe(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements el = asm_->elements;
  PlexJets     jets;
  double       terms = (double)el->ef * (double)PlexAssemblyPoints(asm_, product);

  if (product->kind == PLEX_RESIDUAL || el->integral.facets || asm_->repeated || asm_->teamSize > 1 || !PlexTablesCompiled_Private(asm_, product)) return PETSC_FALSE;
  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    if (el->Nn[f] > 1) return PETSC_FALSE; /* auxiliary dofs are read in the elements' own order */
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  terms *= product->tensor ? (double)product->tensor->nab : (double)(jets.trialValue + el->dim * jets.trialGrad);
  return (PetscBool)(el->ef <= 30 && terms <= PLEX_ORBITS_TERMS);
}

static PetscErrorCode PlexOrbitsUpload(PlexAssembly asm_, PlexBuffer *b, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, b->data, b->n * b->size, (void **)device));
  PetscCall(PetscFree(b->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsCompile(PlexAssembly asm_, PlexProduct *product, PlexOrbitsWalk *w, PlexOrbits *o, size_t nodal)
{
  const PlexRecord *r    = &w->record;
  const double      mean = o->rows > 0 ? (double)product->Nt / o->rows : 1;
  const PetscInt    writers = mean <= 5 ? 4 : mean <= 10 ? 8 : mean <= 20 ? 16 : 32;
  char              text[11][64], orbits[256] = "PLEX_ORBITS=", number[16];
  const char       *defines[11];
  const PetscInt    values[11] = {r->words, r->node, r->dof, r->place, r->atElement, r->atNodes, r->atDofs, r->atPlaces, writers, (PetscInt)nodal, 0};
  const char *const names[11]  = {"WORDS", "NODE_BYTES", "DOF_BYTES", "PLACE_BYTES", "AT_ELEMENT", "AT_NODES", "AT_DOFS", "AT_PLACES", "WRITERS", "SUMS", NULL};
  PetscInt          n;

  PetscFunctionBegin;
  for (n = 0; names[n]; ++n) {
    PetscCall(PetscSNPrintf(text[n], sizeof(text[n]), "PLEX_%s=%" PetscInt_FMT, names[n], values[n]));
    defines[n] = text[n];
  }
  for (PetscInt k = 0; k < w->turns.n; ++k) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "%s%" PetscInt_FMT, k ? "," : "", w->turns.first[k]));
    PetscCall(PetscStrlcat(orbits, number, sizeof(orbits)));
  }
  defines[n++] = orbits;
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_orbits.cu", n, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFill(PlexOrbitsWalk *w, PlexOrbits *o, PlexOrbitsBuffers *b)
{
  PlexElements     el = w->asm_->elements;
  PlexOrbitsRowOf *rows;
  PlexBuffer      *starts[] = {&b->nodeStart, &b->dofStart, &b->warpStart};
  const PlexBuffer *items[] = {&b->nodes, &b->dofs, &b->warps};
  int             *to;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(w->nodeOwner, el->Nx));
  PetscCall(PetscArrayzero(w->dofOwner, el->Nl));
  PetscCall(PetscMalloc1(w->mostRows, &rows));
  for (PetscInt k = 0; k < w->nblocks; ++k) PetscCall(PlexOrbitsBlock(w, k, rows, o, b));
  PetscCall(PetscFree(rows));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PlexBufferExtend(starts[k], 1, (void **)&to));
    *to = (int)(items[k]->n / (k == 2 ? 4 : 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFree(PlexOrbitsWalk *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(w->node, w->nodeOwner, w->dof, w->dofOwner));
  PetscCall(PetscFree(w->order));
  PetscCall(PetscFree(w->dofStart));
  PetscCall(PetscFree(w->rowDofs));
  PetscCall(PetscFree(w->start));
  PetscCall(PlexListsDestroy(&w->touching));
  PetscCall(PlexTurnsDestroy(&w->turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexOrbits *o)
{
  PlexElements      el = asm_->elements;
  PlexOrbitsWalk    w;
  PlexOrbitsBuffers b;
  PlexBackendLimits limits;
  size_t            nodal, budget;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  *serves = PlexOrbitsServe(asm_, product);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(&w, sizeof(w)));
  w.asm_     = asm_;
  w.product  = product;
  w.solution = product->tensor ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(PlexTurnsCreate(asm_, product, &w.turns));
  *serves = (PetscBool)(w.turns.n >= 1 && w.turns.n <= PLEX_ORBITS_MOST);
  if (!*serves) {
    PetscCall(PlexOrbitsFree(&w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->team  = 1;
  product->rows  = 1;
  product->work  = 0;
  product->block = asm_->blockSize ? asm_->blockSize : 128;
  if (product->symmetric) { /* a row is computed whole */
    product->symmetric = PETSC_FALSE;
    product->nd        = el->ef * el->ef;
  }
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  budget = PetscMin(limits.sharedPerBlock, asm_->sharedMemory ? (size_t)asm_->sharedMemory : PLEX_ORBITS_SHARED);
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &w.touching));
  PetscCall(PetscMalloc4(el->Nx, &w.node, el->Nx, &w.nodeOwner, el->Nl, &w.dof, el->Nl, &w.dofOwner));
  PetscCall(PlexOrbitsOrder(&w));
  PetscCall(PlexOrbitsCut(&w, product->block, el->Nv <= 8 ? PLEX_ORBITS_NUMBERED : 65535, budget));
  PetscCheck(w.mostNodes <= 65535 && w.mostDofs <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "The elements around one mesh node have %" PetscInt_FMT " nodes and %" PetscInt_FMT " dofs, and 65535 can be numbered: use -plex_assembly_type %s", w.mostNodes, w.mostDofs, PLEXASSEMBLYELEMENTATOMIC);
  w.record.node  = w.mostNodes <= 256 ? 1 : 2;
  w.record.dof   = w.mostDofs <= 256 ? 1 : 2;
  w.record.place = 1;
  for (PetscInt l = 0; l < el->Nl; ++l)
    if (PlexOrbitsLength(&w, l) > 255) w.record.place = 2;
  PlexRecordLayOut(el, w.solution, &w.record);
  PetscCall(PetscMemzero(&b, sizeof(b)));
  b.nodeStart.size = b.nodes.size = b.dofStart.size = b.dofs.size = b.warpStart.size = b.warps.size = b.segments.size = b.rows.size = b.records.size = sizeof(int);
  PetscCall(PlexOrbitsFill(&w, o, &b));
  nodal      = PlexOrbitsNodal(&w, w.mostNodes, w.mostDofs);
  o->shared  = nodal + sizeof(PetscScalar) * 33 * (size_t)o->columns;
  o->nblocks = w.nblocks;
  o->norbits = w.turns.n;
  o->words   = w.record.words;
  o->nwarps  = (PetscInt)(b.warps.n / 4);
  o->groups  = b.records.n / (size_t)(32 * o->words);
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP, "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has %zu: use -plex_assembly_type %s", o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product), o->contributions, 0);
  product->bytes = 128.0 * (double)o->groups * o->words + (16.0 + 256.0) * o->nwarps + (4.0 + 8.0 * el->cdim) * o->nodes + 12.0 * (double)b.dofs.n + 8.0 * product->Nt;
  PetscCall(PlexOrbitsUpload(asm_, &b.nodeStart, &o->device.nodeStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.nodes, &o->device.nodes));
  PetscCall(PlexOrbitsUpload(asm_, &b.dofStart, &o->device.dofStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.dofs, &o->device.dofs));
  PetscCall(PlexOrbitsUpload(asm_, &b.warpStart, &o->device.warpStart));
  PetscCall(PlexOrbitsUpload(asm_, &b.warps, &o->device.warps));
  PetscCall(PlexOrbitsUpload(asm_, &b.segments, &o->device.segments));
  PetscCall(PlexOrbitsUpload(asm_, &b.rows, &o->device.rows));
  PetscCall(PlexOrbitsUpload(asm_, &b.records, &o->device.records));
  PetscCall(PlexOrbitsCompile(asm_, product, &w, o, nodal));
  PetscCall(PlexOrbitsFree(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly asm_, PlexOrbits *o)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.nodeStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.nodes));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.dofStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.dofs));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.warpStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.warps));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.segments));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.rows));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&o->device.records));
  PetscFunctionReturn(PETSC_SUCCESS);
}
