/*
  What the two-level preconditioner (precondition.c, coarse.c) takes from the elements' matrices where there is no K:

    inverses of the faces' blocks   D_l = sum of K^e[f][f] over the elements of face l, and Robin's matrix
    the coarse matrix               A = P^T K P = sum over elements of P_e^T K^e P_e, and over faces of P_l^T R_l P_l

  P_e takes values at the element's vertices to the traces on its faces. A part is of an element and two of its functions,
  or of a face with Robin's condition and two of its own. On one process parts are sorted by their entries, coarseplan.c;
  on several MatSetValuesCOO() sends those of other processes' rows. Each process has the parts of its own elements.
*/
#include "trace.h"
#include <petscblaslapack.h>

typedef struct {
  PetscInt     corners, functions;  /* vertices of an element; functions at them */
  PetscInt     nrobin, robin;       /* own faces with Robin's condition; functions at their vertices */
  signed char *corner;              /* [faces nv][Ne] */
  int         *robinFaces;          /* [nrobin] */
  PetscInt    *vertex, *vertexFace; /* [Ne][corners], [nrobin][nv] global numbers, -1: none */
} PlexHDGTraceCorners;

static PetscErrorCode PlexHDGTraceGetCorners(PlexHDG hdg, PlexHDGCoarse c, const PetscInt number[],
                                             PlexHDGTraceCorners *C)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt nv = c->nv, Ne = mesh->Ne;
  PetscInt       pStart, pEnd, vertices[4];

  PetscFunctionBegin;
  C->corners   = DMPolytopeTypeGetNumVertices(mesh->cell);
  C->functions = C->corners * PlexHDGComponents(hdg);
  C->robin     = nv * PlexHDGComponents(hdg);
  C->nrobin    = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) C->nrobin += hdg->robinOf[l] >= 0;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc4(mesh->faces * nv * Ne, &C->corner, C->nrobin, &C->robinFaces, Ne * C->corners, &C->vertex,
                         C->nrobin * nv, &C->vertexFace));
  for (PetscInt e = 0; e < Ne; ++e) {
    PetscInt point[8], n = 0;

    for (PetscInt f = 0; f < mesh->faces; ++f) {
      PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[mesh->face[e * mesh->faces + f]], nv, vertices));
      for (PetscInt v = 0; v < nv; ++v) {
        PetscInt at = 0;

        while (at < n && point[at] != vertices[v]) ++at;
        PetscCheck(at < C->corners, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Cell %" PetscInt_FMT " has too many vertices",
                   mesh->cells[e]);
        if (at == n) {
          C->vertex[e * C->corners + n] = number[vertices[v] - pStart];
          point[n++]                    = vertices[v];
        }
        C->corner[(f * nv + v) * Ne + e] = (signed char)at;
      }
    }
  }
  C->nrobin = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    if (hdg->robinOf[l] < 0) continue;
    PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[l], nv, vertices));
    for (PetscInt v = 0; v < nv; ++v) C->vertexFace[C->nrobin * nv + v] = number[vertices[v] - pStart];
    C->robinFaces[C->nrobin++] = (int)l;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row and column of a part, -1: none */
static void PlexHDGTraceEntry(PlexHDG hdg, PlexHDGCoarse c, const PlexHDGTraceCorners *C, PetscInt part, PetscInt *row,
                              PetscInt *column)
{
  const PetscInt  Ne = hdg->mesh->Ne, of = C->functions * C->functions * Ne, m = PlexHDGComponents(hdg),
                  n = part < of ? C->functions : C->robin, rest = part - of,
                  pair   = part < of ? part / Ne : rest % (n * n);
  const PetscInt *vertex = part < of ? &C->vertex[part % Ne * C->corners] : &C->vertexFace[rest / (n * n) * c->nv];
  const PetscInt  v = vertex[pair / n / m], w = vertex[pair % n / m];

  *row    = v < 0 || w < 0 ? -1 : v * m + pair / n % m;
  *column = v < 0 || w < 0 ? -1 : w * m + pair % n % m;
}

typedef struct {
  PlexHDG                    hdg;
  PlexHDGCoarse              c;
  const PlexHDGTraceCorners *C;
  PetscInt                  *i, *j;
} PlexHDGTraceEntries;

static void PlexHDGTraceEntriesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGTraceEntries *e = (PlexHDGTraceEntries *)ctx;

  for (PetscInt k = begin; k < end; ++k) PlexHDGTraceEntry(e->hdg, e->c, e->C, k, &e->i[k], &e->j[k]);
}

PetscErrorCode PlexHDGTracePlanParts_Private(PlexHDG hdg, PlexHDGCoarse c, const PetscInt number[], PetscInt **i,
                                             PetscInt **j)
{
  PlexHDGMesh         mesh = hdg->mesh;
  PlexHDGTraceCorners C;
  PlexHDGTraceEntries entries;
  PetscInt64          nparts;

  PetscFunctionBegin;
  PetscCall(PlexHDGTraceGetCorners(hdg, c, number, &C));
  nparts = (PetscInt64)C.functions * C.functions * mesh->Ne + (PetscInt64)C.nrobin * C.robin * C.robin;
  PetscCheck(nparts < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The coarse matrix has more than %d parts on one process: use more of them, or leave -plex_hdg_trace "
             "elements out",
             PETSC_INT32_MAX);
  c->nparts = (PetscInt)nparts;
  c->nrobin = C.nrobin;
  PetscCall(PetscMalloc2(c->nparts, i, c->nparts, j));
  entries = (PlexHDGTraceEntries){.hdg = hdg, .c = c, .C = &C, .i = *i, .j = *j};
  PetscCall(PlexThreadsRun(c->nparts, PLEX_THREADS_LEAST, PlexHDGTraceEntriesLoop, &entries));
  PetscCall(PlexMemoryUpload(hdg->backend, &c->memory, C.corner, (size_t)(mesh->faces * c->nv * mesh->Ne),
                             (const void **)&c->corners));
  PetscCall(PlexMemoryUpload(hdg->backend, &c->memory, C.robinFaces, sizeof(int) * (size_t)C.nrobin,
                             (const void **)&c->robinFaces));
  PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(double) * (size_t)PetscMax(1, c->nparts),
                               (void **)&c->parts));
  PetscCall(PetscFree4(C.corner, C.robinFaces, C.vertex, C.vertexFace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of elements by the host: of all functions of degree 1 at faces' vertices, x and y, K^e's entry at offset[x][y] */
static PetscErrorCode PlexHDGTracePartsHost(PlexHDG hdg, PlexHDGCoarse c)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf = hdg->reference->Nf, B = PlexHDGBlockSize(hdg), m = PlexHDGComponents(hdg), nv = c->nv,
                 Ne = mesh->Ne, W = hdg->elements->width, n = DMPolytopeTypeGetNumVertices(mesh->cell) * m,
                 per = m * c->nmodes, L = mesh->faces * nv * per;
  double        *weight, *sum;
  PetscInt      *row;
  size_t        *offset;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(L, &weight, L, &row, L * L, &offset, n * n, &sum));
  for (PetscInt x = 0; x < L; ++x) {
    const PetscInt s = x / per, mode = c->modes[x % c->nmodes];

    weight[x] = c->weights[s % nv * Nf + mode];
    row[x]    = s / nv * B + x / c->nmodes % m * Nf + mode;
  }
  for (PetscInt x = 0; x < L * L; ++x) offset[x] = PlexHDGTracePlace(hdg, 0, row[x / L], row[x % L]);
  for (PetscInt e = 0; e < Ne; ++e) {
    const size_t of    = (size_t)(e / W * W) * PlexHDGTraceNumbers(hdg) + e % W;
    const int   *upper = hdg->elements->args.upper + of, *lower = hdg->elements->args.lower + of;

    PetscCall(PetscArrayzero(sum, n * n));
    for (PetscInt x = 0; x < L; ++x) {
      const PetscInt v = c->corners[x / per * Ne + e] * m + x / c->nmodes % m;

      for (PetscInt y = 0; y < L; ++y) {
        const size_t at = offset[x * L + y];

        sum[v * n + c->corners[y / per * Ne + e] * m + y / c->nmodes % m] += weight[x] *
                                                                             PlexHDGTraceNumber(upper[at], lower[at]) *
                                                                             weight[y];
      }
    }
    for (PetscInt k = 0; k < n * n; ++k) c->parts[k * Ne + e] = sum[k];
  }
  PetscCall(PetscFree4(weight, row, offset, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise of Robin's conditions */
static void PlexHDGTracePartsRobinHost(PlexHDG hdg, PlexHDGCoarse c)
{
  const PetscInt Nf = hdg->reference->Nf, B = PlexHDGBlockSize(hdg), m = PlexHDGComponents(hdg), nv = c->nv,
                 n     = DMPolytopeTypeGetNumVertices(hdg->mesh->cell) * m;
  double        *robin = c->parts + (size_t)(n * n) * hdg->mesh->Ne;

  for (PetscInt k = 0; k < c->nrobin * nv * m * nv * m; ++k) {
    const PetscInt pair = k % (nv * m * nv * m), v = pair / (nv * m) / m, p = pair / (nv * m) % m,
                   w = pair % (nv * m) / m, q = pair % m;
    const double  *R = &hdg->robin[(size_t)hdg->robinOf[c->robinFaces[k / (nv * m * nv * m)]] * B * B];

    robin[k] = 0.;
    for (PetscInt a = 0; a < c->nmodes; ++a)
      for (PetscInt b = 0; b < c->nmodes; ++b)
        robin[k] += c->weights[v * Nf + c->modes[a]] * R[(p * Nf + c->modes[a]) * B + q * Nf + c->modes[b]] *
                    c->weights[w * Nf + c->modes[b]];
  }
}

/* Block of face l, B x B */
static void PlexHDGTraceGetBlock(PlexHDG hdg, PetscInt l, double D[])
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt B = PlexHDGBlockSize(hdg), Nt = PlexHDGTraceSize(hdg), own = mesh->Ne * mesh->faces;

  for (PetscInt k = 0; k < B * B; ++k)
    D[k] = hdg->robinOf[l] < 0 ? 0. : hdg->robin[(size_t)hdg->robinOf[l] * B * B + k];
  for (int s = 0; s < 2; ++s) {
    const PetscInt r = hdg->sides[2 * l + s], f = r % mesh->faces;

    if (r < 0) continue;
    for (PetscInt k = 0; k < B * B && r < own; ++k) {
      const size_t at = PlexHDGTracePlace(hdg, r / mesh->faces, f * B + k / B, f * B + k % B);

      D[k] += PlexHDGTraceNumber(hdg->elements->args.upper[at], hdg->elements->args.lower[at]);
    }
    for (PetscInt g = 0; g < mesh->faces && r >= own; ++g) {
      if (hdg->elements->args.columns[(r - own) * mesh->faces + g] != l) continue;
      for (PetscInt k = 0; k < B * B; ++k)
        D[k] += hdg->elements->args.received[((size_t)(r - own) * B + k / B) * Nt + g * B + k % B];
    }
  }
}

/* D^-1 in its place by Gauss-Jordan elimination, without pivots, which positive definite matrices need not have; row[n] is
   room. false: there is none */
static PetscBool PlexHDGTraceInvertBlock(PetscInt n, double D[], double row[])
{
  for (PetscInt p = 0; p < n; ++p) {
    const double pivot = 1. / D[p * n + p];

    if (!(PetscAbsReal(D[p * n + p]) > 0.)) return PETSC_FALSE;
    for (PetscInt j = 0; j < n; ++j) row[j] = j == p ? pivot : pivot * D[p * n + j];
    for (PetscInt i = 0; i < n; ++i) {
      const double a = D[i * n + p];

      if (i == p) continue;
      D[i * n + p] = 0.;
      for (PetscInt j = 0; j < n; ++j) D[i * n + j] -= a * row[j];
    }
    for (PetscInt j = 0; j < n; ++j) D[p * n + j] = row[j];
  }
  return PETSC_TRUE;
}

static PetscErrorCode PlexHDGTraceInvertHost(PlexHDG hdg, PlexHDGCoarse c)
{
  const PetscInt     B = PlexHDGBlockSize(hdg);
  const PetscBLASInt n = (PetscBLASInt)B, nwork = n * n;
  PetscBLASInt      *pivots, info;
  PetscScalar       *work;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &pivots, nwork, &work));
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l) {
    double *D = &c->inverses[(size_t)l * B * B];

    PlexHDGTraceGetBlock(hdg, l, D);
    if (hdg->indefinite) {
      PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&n, &n, D, &n, pivots, &info));
      if (!info) PetscCallBLAS("LAPACKgetri", LAPACKgetri_(&n, D, &n, pivots, work, &nwork, &info));
    } else info = !PlexHDGTraceInvertBlock(B, D, work);
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "The block of K of face %" PetscInt_FMT " is singular",
               hdg->mesh->facePoint[l]);
    for (PetscInt k = 0; k < B * B; ++k) D[k] *= c->omega; /* symmetric */
  }
  PetscCall(PetscFree2(pivots, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTraceUpdateParts_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  PlexHDGMesh           mesh        = hdg->mesh;
  const PetscInt        B           = PlexHDGBlockSize(hdg);
  PlexHDGTracePartsArgs args        = {.corners    = c->corners,
                                       .robinFaces = c->robinFaces,
                                       .parts      = c->parts,
                                       .omega      = c->omega,
                                       .nrobin     = (int)c->nrobin};
  const PetscInt        ofFaces     = c->nrobin * PetscSqr(c->nv * PlexHDGComponents(hdg));
  PetscInt              grid        = 0;
  void                 *arguments[] = {&args};

  PetscFunctionBegin;
  if (!c->inverses)
    PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory,
                                 sizeof(double) * (size_t)PetscMax(1, mesh->nown) * (size_t)(B * B),
                                 (void **)&c->inverses));
  args.inverses = c->inverses;
  if (hdg->elements->smoothed) PetscCall(PetscObjectStateIncrease((PetscObject)hdg->elements->smoothed));
  PetscCall(PlexHDGTraceGetArgs_Private(hdg, &args.trace));
  if (!c->invert) PetscCall(PlexHDGTraceInvertHost(hdg, c));
  else if (mesh->nown)
    PetscCall(PlexKernelLaunch(c->invert, mesh->nown, B * B <= 36 ? 32 : 128, sizeof(double) * B * (B + 2), arguments));
  if (!c->N) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->sums) {
    PetscCall(PlexHDGTracePartsHost(hdg, c));
    PlexHDGTracePartsRobinHost(hdg, c);
  } else {
    PetscCall(PlexHDGBlocks_Private(c->nparts - ofFaces, &grid));
    if (grid) PetscCall(PlexKernelLaunch(c->sums, grid, 128, 0, arguments));
    PetscCall(PlexHDGBlocks_Private(ofFaces, &grid));
    if (grid) PetscCall(PlexKernelLaunch(c->sumsRobin, grid, 128, 0, arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
