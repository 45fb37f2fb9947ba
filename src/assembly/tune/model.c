/*
  What a strategy costs, in bytes and flops, before there is a plan:

    seconds = sum of constants[k] terms[k]
    terms   = {bytes / bandwidth, flops / rate, flops / rate * ef / 10, the same two for teams, additions / rate}

  Bytes and flops are those that the plans count (docs/theory.md), from means in the place of lists: an element is in so
  many parts of the mesh. Of the terms of flops the first two are for a thread an element, the others for a team; those
  with ef are for larger elements, whose registers spill, or whose teams wait for each other. What a launch takes
  without work is no term: it matters on small meshes alone. Terms are added, as a kernel of this kind hides little of
  the one behind the other.

  The constants are those of a kind of product for each type, in models/nvidia-h200.txt: modeldata.c.
*/
#include "tuneimpl.h"

#define PLEX_MODEL_MATRIX  380 /* operations for a hexahedron's matrix whose pairs are summed, about */
#define PLEX_MODEL_NUMBERS 100 /* operations for the numbers of an element whose pairs are summed, about */
#define PLEX_MODEL_SENT    115 /* partial sums an element, */
#define PLEX_MODEL_CODES   900 /* and bytes of codes: boxes */

/* Parts of the mesh that an element is in, on the average, where a part has so many elements around its nodes: a share
   of these is on its surface. The factors are those of triangles and tetrahedra as the views of plans show them */
static double PlexModelOverlap(const PlexModelInput *in, double elements)
{
  return 1.0 + (in->dim == 2 ? 3.0 : 7.0) * pow(PetscMax(elements, 1.0), -1.0 / in->dim);
}

/* Elements around a part of what a block prefetches at most (src/assembly/plan/blocks.c) */
static double PlexModelPart(const PlexModelInput *in, double budget, double teams)
{
  return PetscMax(1.0, PetscMin(floor(budget / (in->real * (in->dim * in->Nv + 2 * in->ef))), 4 * teams));
}

/* Bytes of blocks of elements with their nodal data, each element in `overlap` of them */
static double PlexModelBlocks(const PlexModelInput *in, double overlap)
{
  return overlap * (2 * in->Ne * (in->Nv + in->ef) + (4 + 8 * in->dim) * in->Nx + 12 * in->Nl +
                    (4 + 12 * in->ea) * in->Ne * (in->ea > 0 ? 1 : 0));
}

typedef struct {
  double NT;     /* entries of element data an element, all of them */
  double nd;     /* those that are computed */
  double lists;  /* targets that lists of a symmetric form sum for */
  double length; /* entries of a row of element data */
  double flops;  /* of all elements once */
} PlexModelElement;

/* After PlexAssemblySetUp_Element() */
static void PlexModelOfElement(const PlexModelInput *in, const PlexModelElement *e, PetscBool color, PlexModelCost *c)
{
  c->flops     = e->flops;
  c->additions = in->Ne * e->NT;
  c->bytes     = in->Ne * (4 * (in->Nv + in->ef + (e->length > 1 ? e->NT : 0) + (in->ea > 0 ? 1 : 0)) +
                           8 * (in->dim * in->Nv + in->ef + 2 * e->NT) + 12 * in->ea) +
                 8 * in->Nt;
  /* zeroes; about half as many colours again as elements around a vertex */
  c->launches = 2 + (color ? 1.5 * in->Ne * in->Nv / PetscMax(in->Nx, 1.0) : 0);
}

/* After src/assembly/impls/global/: element data goes out and comes in */
static void PlexModelOfGlobal(const PlexModelInput *in, const PlexModelElement *e, PetscBool row, PlexModelCost *c)
{
  const double part   = PlexModelPart(in, 32 << 10, 128 / in->team),
               border = 1.0 + 0.5 * (PlexModelOverlap(in, part) - 1.0);

  c->flops    = e->flops;
  c->launches = 3;
  c->bytes    = PlexModelBlocks(in, 1.0) + (border - 1.0) * ((4 + 8 * in->dim) * in->Nx + 12 * in->Nl) +
                2 * in->real * in->Ne * e->nd + 8 * in->Nt;
  if (row) {
    c->bytes += 12 * in->Nl + in->Ne * in->ef * (4 + 2 * e->length);
    c->additions = in->Ne * e->NT;
  } else c->bytes += 4 * 1.06 * (in->Ne * e->nd + e->lists);
}

/* After src/assembly/impls/global/runs.c: whole element matrices of runs out and in, and what batches of rows say of
   each contribution */
static void PlexModelOfRuns(const PlexModelInput *in, const PlexModelElement *e, PlexModelCost *c)
{
  const double run = 32, border = 1.0 + 0.5 * (PlexModelOverlap(in, run) - 1.0);

  c->flops     = e->flops;
  c->launches  = 2;
  c->additions = in->Ne * e->NT;
  c->bytes     = in->Ne * (16 / run + 2 * (in->Nv + in->ef) + in->ef * (4 + in->ef) + 2 * in->real * e->NT) +
                 border * ((4 + 8 * in->dim) * in->Nx + 12 * in->Nl) + 8 * in->Nt;
}

/* After src/assembly/impls/shared/: elements on the border of parts are computed for each */
static void PlexModelOfShared(const PlexModelInput *in, const PlexModelElement *e, PetscBool row, PlexModelCost *c)
{
  /* passes.c: a third of a processor's shared memory */
  const double one     = in->real * PetscMax(in->dim * in->Nv + 2 * in->ef, e->nd),
               fit     = PetscMax(floor(75000 / one), in->team > 1 ? 64 : 1);
  const double overlap = PlexModelOverlap(in, PetscMin(fit, PetscMax(16, in->Ne / 132)));

  c->flops     = overlap * e->flops;
  c->launches  = 1;
  c->additions = in->Ne * e->NT;
  c->bytes     = overlap * in->Ne * (8 * (in->Nv + in->ef) + 4 * (in->dim * in->Nv + in->ef)) + 8 * in->Nt;
  c->bytes += row ? in->Ne * in->ef * 2 * (1 + e->length) + 12 * in->Nl : 4 * 1.1 * (in->Ne * e->nd + e->lists);
}

/* After src/assembly/impls/local/: entries one by one, or rows */
static void PlexModelOfLocal(const PlexModelInput *in, const PlexModelElement *e, PetscBool row, PlexModelCost *c)
{
  const double sources = in->Ne * e->nd, rows = in->Ne * in->ef,
               overlap = PlexModelOverlap(in, PlexModelPart(in, 48 << 10,
                                                            128 / (row && in->kind == PLEX_JACOBIAN ? in->team : 1)));

  c->launches = 2;
  c->bytes    = PlexModelBlocks(in, overlap) + 8 * in->Nt;
  if (row) {
    c->flops = rows * (in->Nq * in->flopsPoint + in->flopsRow);
    c->bytes += 12 * in->Nl + rows * (4 + 2 * e->length);
    c->additions = in->Ne * e->NT;
  } else {
    c->flops = sources * (in->Nq * in->flopsPoint + in->flopsEntry);
    c->bytes += 4 * 1.06 * (sources + e->lists) + 4 * e->lists * (in->symmetric > 0 ? 2 : 1);
  }
}

/* After src/assembly/impls/local/symmetry.c: rows of elements that are turned, in records of 9 bits a node and 8 bits a
   place in a row */
static void PlexModelOfTurned(const PlexModelInput *in, const PlexModelElement *e, PlexModelCost *c)
{
  const double rows = in->Ne * in->ef;

  c->launches  = 1;
  c->flops     = rows * (in->Nq * in->flopsPoint + in->flopsRow);
  c->additions = in->Ne * e->NT;
  c->bytes     = rows * (9 * in->Nv + 8 * in->ef) / 8 +
                 (4 + 8 * in->dim) * PlexModelOverlap(in, in->dim == 2 ? 256 : 512) * in->Nx + 8 * in->Nt;
}

/* After src/assembly/impls/local/lines.c: points of elements once a block, whose numbers fill the shared
   memory, and rows by sums along lines; a record of a number and 8 bits a place in a row */
static void PlexModelOfLines(const PlexModelInput *in, const PlexModelElement *e, PlexModelCost *c)
{
  const double rows = in->Ne * in->ef, overlap = PlexModelOverlap(in, 64);

  c->launches  = 1;
  c->flops     = overlap * in->Ne * in->Nq * in->flopsPoint + rows * in->flopsLines;
  c->additions = in->Ne * e->NT;
  c->bytes     = rows * (4 + in->ef) + PlexModelBlocks(in, overlap) + 8 * in->Nt;
}

/* After src/assembly/impls/shared/pairs.c: the numbers of all elements around a block's nodes, items of pairs, and rows
   in shared memory */
static void PlexModelOfPairs(const PlexModelInput *in, PlexModelCost *c)
{
  const PetscBool points = (PetscBool)(in->points > 0);
  /* of an element; of several components their gradients are kept */
  const double nodes = in->ef / in->pairs, n = in->dim + 1, room = in->dim < 3 ? 75000 : 112000;
  /* entries, of hexahedra by quadrature */
  const double matrix  = in->matrices > 0 ? in->ef * (in->ef - 1) / 2 : 0;
  const double numbers = 8 * (matrix > 0                               ? matrix
                              : in->pairs > 1                          ? in->dim * n
                              : points || (in->dim == 3 && nodes == n) ? n * (n - 1) / 2
                                                                       : n * (n + 1) / 2);
  const double pairs   = (in->Nt / (in->pairs * in->pairs) + in->Nl / in->pairs) / 2;
  const double paired = points ? in->points : nodes, items = in->Ne * paired * (paired + 1) / 2;
  double       own = 100, overlap = 1, border;

  for (int k = 0; k < 20; ++k) { /* elements of a block and those that it shares with others */
    overlap = PlexModelOverlap(in, own);
    own     = room / ((points ? 8 * in->Nt + 12 * items : 10 * in->Nt + 2 * items) / in->Ne + numbers * overlap);
  }
  border       = 1 + (overlap - 1) / 2;
  c->launches  = 1;
  c->flops     = overlap * in->Ne * (matrix > 0 ? PLEX_MODEL_MATRIX : PLEX_MODEL_NUMBERS);
  c->additions = border * in->pairs * (pairs + items); /* a thread has all components of a pair */
  c->bytes     = 8 * in->Nt + overlap * (2 * in->Nv * in->Ne + (4 + 8 * in->dim) * in->Nx) +
                 border * (points ? 12 * items : 4 * pairs + 2 * items);
}

/* After src/assembly/impls/partial/: each element once, partial sums out and in, and codes, most of which
   parts have in common */
static void PlexModelOfPartial(const PlexModelInput *in, const PlexModelElement *e, PlexModelCost *c)
{
  c->launches  = 1;
  c->flops     = in->Ne * (in->Nq * in->flopsPoint + in->flopsMatrix);
  c->additions = in->Ne * e->NT;
  c->bytes     = PlexModelBlocks(in, 1.0) + in->Ne * (PLEX_MODEL_CODES + 2 * 8 * PLEX_MODEL_SENT) + 8 * in->Nt;
}

static PetscErrorCode PlexModelCount(const PlexModelInput *in, PlexAssemblyType type, PlexModelCost *c,
                                     PetscBool *alone)
{
  PlexModelElement e;
  PetscBool        is[8];
  const char      *names[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                              PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                              PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 8; ++k) PetscCall(PetscStrcmp(type, names[k], &is[k]));
  PetscCall(PetscMemzero(c, sizeof(*c)));
  e.NT     = in->kind == PLEX_JACOBIAN ? in->ef * in->ef : in->ef;
  e.nd     = in->kind == PLEX_JACOBIAN && in->symmetric > 0 && !is[7] ? in->ef * (in->ef + 1) / 2 : e.NT;
  e.lists  = in->Nt * e.nd / e.NT;
  e.length = in->kind == PLEX_JACOBIAN ? in->ef : 1;
  e.flops  = in->Ne * (in->Nq * in->flopsPoint + in->ef * in->flopsRow);
  *alone   = (PetscBool)(in->team <= 1 || is[6] || (is[3] && in->runs > 0) ||
                         (is[4] && (in->pairs > 0 || in->flopsMatrix > 0)) ||
                         (is[7] && (in->kind == PLEX_RESIDUAL || in->turned > 0 || in->flopsLines > 0)));
  /* along lines by a thread an element, or on tensor units */
  if (in->kind == PLEX_RESIDUAL && in->flopsElement > 0 && (is[0] || is[1] || is[2] || is[3])) {
    e.flops = in->Ne * in->flopsElement;
    *alone  = PETSC_TRUE;
  }
  if (is[4] && in->flopsMatrix > 0) PlexModelOfPartial(in, &e, c);
  else if (is[4] && in->pairs > 0) PlexModelOfPairs(in, c);
  else if (is[7] && in->flopsLines > 0) PlexModelOfLines(in, &e, c);
  else if (is[7] && in->turned > 0) PlexModelOfTurned(in, &e, c);
  else if (is[3] && in->runs > 0) PlexModelOfRuns(in, &e, c);
  else if (is[0] || is[1]) PlexModelOfElement(in, &e, is[0], c);
  else if (is[2] || is[3]) PlexModelOfGlobal(in, &e, is[3], c);
  else if (is[4] || is[5]) PlexModelOfShared(in, &e, is[5], c);
  else if (is[6] || is[7]) PlexModelOfLocal(in, &e, is[7], c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModelGetTerms(const PlexModelInput *in, PlexAssemblyType type, const PlexModelRates *rates,
                                 PlexModelCost *c, double terms[PLEX_MODEL_TERMS])
{
  PetscBool alone;
  double    flops;

  PetscFunctionBegin;
  PetscCall(PlexModelCount(in, type, c, &alone));
  flops    = c->flops / (rates->flops * (in->real < 8 ? 2 : 1));
  terms[0] = c->bytes / rates->bandwidth;
  terms[1] = alone ? flops : 0;
  terms[2] = alone ? flops * in->ef / 10 : 0;
  terms[3] = alone ? 0 : flops;
  terms[4] = alone ? 0 : flops * in->ef / 10;
  terms[5] = c->additions / rates->additions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModelGetKind(const PlexModelInput *in, PlexAssemblyType type, PetscInt *kind)
{
  PetscBool row, shared, global;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYGLOBALROW, &global));
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYLOCALROW, &row));
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYSHAREDNZ, &shared));
  if (in->kind != PLEX_JACOBIAN) *kind = 0;
  else if (shared && in->flopsMatrix > 0) *kind = 6;
  else if (shared && in->pairs > 0) *kind = PLEX_MODEL_EDGES;
  else if (global && in->runs > 0) *kind = 7;
  else if (row && in->flopsLines > 0) *kind = 4;
  else if (in->tensor > 0) *kind = row && in->turned <= 0 ? -1 : 2;
  else *kind = row && in->turned > 0 ? 3 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModelPredict(const PlexModelInput *in, PlexAssemblyType type, const PlexModelRates *rates,
                                PlexModelCost *c, PetscBool *known)
{
  const PlexModelData *data;
  double               terms[PLEX_MODEL_TERMS];
  PetscInt             kind;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(PlexModelGetData_Private(&data));
  for (PetscInt k = 0; k < data->n && !*known; ++k) {
    PetscCall(PetscStrcmp(data->types[k].type, type, known));
    if (!*known) continue;
    *known = PETSC_FALSE;
    PetscCall(PlexModelGetKind(in, type, &kind));
    for (PetscInt t = 0; t < PLEX_MODEL_TERMS && kind >= 0; ++t)
      *known = (PetscBool)(*known || data->types[k].constants[kind][t] > 0);
    if (!*known) break;
    PetscCall(PlexModelGetTerms(in, type, rates, c, terms));
    for (PetscInt t = 0; t < PLEX_MODEL_TERMS; ++t) c->seconds += data->types[k].constants[kind][t] * terms[t];
    c->seconds += 1e-12 * data->types[k].apart * in->apart * data->rates.bandwidth / rates->bandwidth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
