/*
  Values of fields at points: where these are, and the polynomials there
*/
#include "outputimpl.h"            /*I "plexgpudg.h" I*/
#include "../../dm/elementsimpl.h" /* PlexCofactors() */

#define PLEX_DG_INSIDE 1e-10 /* of barycentric coordinates, which are not less than minus this inside */
#define PLEX_DG_NEWTON 30    /* steps */

/* Those in elements of this process, of one kind */
typedef struct {
  PetscInt   n, Np;
  PetscInt  *which;   /* [n] of all points */
  int       *element; /* [n] in the backend's memory, as what follows */
  double    *B;       /* [n][Np] basis there */
  double    *out;     /* [n][Nf] */
  PetscReal *values;  /* [n][Nf] on the host */
} PlexDGProbed;

struct _n_PlexDGProbes {
  PlexDG       dg;     /* not owned */
  PetscInt64   resets; /* of it, when these were made */
  PlexBackend  backend;
  PetscInt     n, Nf, nparts;
  PlexDGProbed parts[2];
  PlexArray    array;
  PlexModule   module;
  PlexKernel   kernel;
};

/* ---- Elements by place: boxes in a grid, and for each those of the elements that touch it */

typedef struct {
  PetscInt  dim, size[3];
  PetscReal low[3], width[3];
  PetscReal margin; /* of the extent of its nodes, that an element may stand out */
  PetscInt *start;  /* [boxes + 1] */
  PetscInt *list;   /* elements */
} PlexDGBoxes;

/* The range of boxes that an element touches */
static void PlexDGBoxesRange(const PlexDGBoxes *b, PetscInt nx, const PetscReal x[], PetscInt from[], PetscInt to[])
{
  for (PetscInt d = 0; d < 3; ++d) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;

    from[d] = to[d] = 0;
    if (d >= b->dim) continue;
    for (PetscInt v = 0; v < nx; ++v) {
      low  = PetscMin(low, x[v * b->dim + d]);
      high = PetscMax(high, x[v * b->dim + d]);
    }
    low -= b->margin * (high - low);
    high += b->margin * (high - low);
    from[d] = PetscClipInterval((PetscInt)((low - b->low[d]) / b->width[d] - 1e-6), 0, b->size[d] - 1);
    to[d]   = PetscClipInterval((PetscInt)((high - b->low[d]) / b->width[d] + 1e-6), 0, b->size[d] - 1);
  }
}

static PetscErrorCode PlexDGBoxesCreate(PlexDGMesh mesh, PlexDGBoxes *b)
{
  const PetscInt dim = mesh->dim, each = mesh->nx * dim;
  PetscInt       boxes = 1, from[3], to[3], *at;
  PetscReal      high[3];

  PetscFunctionBegin;
  b->dim    = dim;
  b->margin = mesh->shape ? 0.2 : 0.;
  for (PetscInt d = 0; d < 3; ++d) {
    b->size[d] = d < dim ? PetscMax(1, (PetscInt)PetscPowReal(mesh->Ne, 1. / dim)) : 1;
    b->low[d]  = PETSC_MAX_REAL;
    high[d]    = PETSC_MIN_REAL;
    for (PetscInt i = 0; d < dim && i < mesh->Ne * mesh->nx; ++i) {
      b->low[d] = PetscMin(b->low[d], mesh->nodes[i * dim + d]);
      high[d]   = PetscMax(high[d], mesh->nodes[i * dim + d]);
    }
    if (d < dim && mesh->Ne) b->low[d] -= b->margin * (high[d] - b->low[d]) / b->size[d];
    if (d < dim && mesh->Ne) high[d] += b->margin * (high[d] - b->low[d]) / b->size[d];
    b->width[d] = d < dim && mesh->Ne ? (high[d] - b->low[d]) / b->size[d] : 1.;
    boxes *= b->size[d];
  }
  PetscCall(PetscCalloc1(boxes + 1, &b->start));
  PetscCall(PetscMalloc1(boxes, &at));
  for (int pass = 0; pass < 2; ++pass) { /* count, then list */
    for (PetscInt e = 0; e < mesh->Ne; ++e) {
      PlexDGBoxesRange(b, mesh->nx, &mesh->nodes[e * each], from, to);
      for (PetscInt k = from[2]; k <= to[2]; ++k)
        for (PetscInt j = from[1]; j <= to[1]; ++j)
          for (PetscInt i = from[0]; i <= to[0]; ++i) {
            const PetscInt box = (k * b->size[1] + j) * b->size[0] + i;

            if (!pass) ++b->start[box + 1];
            else b->list[at[box]++] = e;
          }
    }
    if (pass) continue;
    for (PetscInt box = 0; box < boxes; ++box) {
      b->start[box + 1] += b->start[box];
      at[box] = b->start[box];
    }
    PetscCall(PetscMalloc1(b->start[boxes], &b->list));
  }
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGBoxesDestroy(PlexDGBoxes *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->start));
  PetscCall(PetscFree(b->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether x[dim] is in element e of DG with quadrature, or in a curved one: reference coordinates r[dim], by Newton's method */
static PetscErrorCode PlexDGPointInsideMapped(PlexDGMesh mesh, PetscInt e, const PetscReal x[], PetscReal r[],
                                              PetscBool *inside)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal     *B, *dB, change = 1., least = 1., most = -1., sum = 0.;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nx, &B, nx * dim, &dB));
  for (PetscInt a = 0; a < dim; ++a) r[a] = mesh->tensor ? 0. : (1. - dim) / (1. + dim);
  for (PetscInt k = 0; k < PLEX_DG_NEWTON && change > 1e-14 && change < 1e3; ++k) {
    PetscReal J[3][3] = {{0.}}, C[3][3], at[3], det;

    PetscCall(PlexDGMeshTabulate(mesh, 1, r, B, dB));
    PetscCall(PlexDGMeshGetPosition(mesh, e, B, at));
    for (PetscInt v = 0; v < nx; ++v)
      for (PetscInt d = 0; d < dim; ++d)
        for (PetscInt a = 0; a < dim; ++a) J[d][a] += mesh->nodes[(e * nx + v) * dim + d] * dB[v * dim + a];
    det    = PlexCofactors(dim, J, C);
    change = 0.;
    for (PetscInt a = 0; a < dim; ++a) {
      PetscReal step = 0.;

      for (PetscInt d = 0; d < dim; ++d) step += C[a][d] * (x[d] - at[d]) / det;
      r[a] += step;
      change += PetscAbsReal(step);
    }
  }
  for (PetscInt a = 0; a < dim; ++a) {
    least = PetscMin(least, r[a]);
    most  = PetscMax(most, r[a]);
    sum += 1. + r[a];
  }
  *inside = (PetscBool)(change < 1e-6 && least >= -1. - 2. * PLEX_DG_INSIDE &&
                        (mesh->tensor ? most <= 1. + 2. * PLEX_DG_INSIDE : sum <= 2. + 2. * PLEX_DG_INSIDE));
  PetscCall(PetscFree2(B, dB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether x[dim] is in element e: reference coordinates r[dim] */
static PetscBool PlexDGPointInside(PlexDGMesh mesh, PetscInt e, const PetscReal x[], PetscReal r[])
{
  const PetscInt   dim = mesh->dim;
  const PetscReal *rx = &mesh->rx[e * dim * dim], *x0 = &mesh->x[e * (dim + 1) * dim];
  PetscReal        lambda0 = 1., least = 1.;

  for (PetscInt a = 0; a < dim; ++a) {
    r[a] = -1.;
    for (PetscInt d = 0; d < dim; ++d) r[a] += rx[a * dim + d] * (x[d] - x0[d]);
    lambda0 -= 0.5 * (1. + r[a]);
    least = PetscMin(least, 0.5 * (1. + r[a]));
  }
  return (PetscBool)(PetscMin(least, lambda0) >= -PLEX_DG_INSIDE);
}

/* found[n]: the own element that each point lies in, -1: none; r[n][dim]: where in it. Of elements that share a point
   the one with the least key is taken, the same on any number of processes. keys[n] of those found; PETSC_INT64_MAX:
   none */
static PetscErrorCode PlexDGPointsFind(PlexDG dg, PetscInt n, const PetscReal points[], PetscInt found[], PetscReal r[],
                                       PetscInt64 keys[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim  = mesh->dim;
  PetscInt64    *key;
  PlexDGBoxes    boxes;

  PetscFunctionBegin;
  PetscCall(PlexDGBoxesCreate(mesh, &boxes));
  PetscCall(PetscMalloc1(mesh->Ne, &key));
  PetscCall(PlexDGGetKeys_Private(dg, key));
  for (PetscInt p = 0; p < n; ++p) {
    PetscInt  box     = 0;
    PetscBool outside = PETSC_FALSE;

    found[p] = -1;
    keys[p]  = PETSC_INT64_MAX;
    for (PetscInt d = dim - 1; d >= 0; --d) {
      const PetscReal at = (points[p * dim + d] - boxes.low[d]) / boxes.width[d];

      outside = (PetscBool)(outside || !(at > -1e-6 && at < boxes.size[d] + 1e-6));
      box     = box * boxes.size[d] + (outside ? 0 : PetscClipInterval((PetscInt)at, 0, boxes.size[d] - 1));
    }
    for (PetscInt k = boxes.start[box]; !outside && k < boxes.start[box + 1]; ++k) {
      const PetscInt e = boxes.list[k];
      PetscReal      at[3];
      PetscBool      inside = PETSC_FALSE;

      if (key[e] >= keys[p]) continue;
      if (mesh->quadrature || (mesh->shape && PlexDGMeshCurvedIndex(mesh, e) >= 0))
        PetscCall(PlexDGPointInsideMapped(mesh, e, &points[p * dim], at, &inside));
      else inside = PlexDGPointInside(mesh, e, &points[p * dim], at);
      if (!inside) continue;
      found[p] = e;
      keys[p]  = key[e];
      PetscCall(PetscArraycpy(&r[p * dim], at, dim));
    }
  }
  PetscCall(PetscFree(key));
  PetscCall(PlexDGBoxesDestroy(&boxes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that names the first point that no element has */
static PetscErrorCode PlexDGPointsCheck(PlexDG dg, PetscInt n, const PetscReal points[], const PetscInt64 keys[])
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt nparts = PlexDGGetParts(dg, parts), dim = parts[0]->mesh->dim;
  PetscInt       p = 0, outside = 0;
  PetscReal      low[3]  = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL},
                 high[3] = {PETSC_MIN_REAL, PETSC_MIN_REAL, PETSC_MIN_REAL}, x[3] = {0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt k = n - 1; k >= 0; --k) {
    if (keys[k] < PETSC_INT64_MAX) continue;
    p = k;
    ++outside;
  }
  if (!outside) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < nparts; ++k) {
    PlexDGMesh mesh = parts[k]->mesh;

    for (PetscInt i = 0; i < mesh->Ne * mesh->nv; ++i)
      for (PetscInt d = 0; d < dim; ++d) {
        low[d]  = PetscMin(low[d], mesh->x[i * dim + d]);
        high[d] = PetscMax(high[d], mesh->x[i * dim + d]);
      }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, low, dim, MPIU_REAL, MPI_MIN, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, high, dim, MPIU_REAL, MPI_MAX, comm));
  if (dim == 2) low[2] = high[2] = 0.;
  PetscCall(PetscArraycpy(x, &points[p * dim], dim));
  SETERRQ(comm, PETSC_ERR_ARG_OUTOFRANGE,
          "Point %" PetscInt_FMT ", (%g, %g, %g), is in no element of the mesh, nor are %" PetscInt_FMT
          " others; the mesh lies within (%g, %g, %g) and (%g, %g, %g). %s: points on a round boundary can be outside",
          p, (double)x[0], (double)x[1], (double)x[2], outside - 1, (double)low[0], (double)low[1], (double)low[2],
          (double)high[0], (double)high[1], (double)high[2],
          parts[0]->mesh->nx > parts[0]->mesh->nv ? "Its sides are polynomials" : "Its sides are straight");
}

/* Points found[n] in elements of an operator without parts, at r[n][dim], those whose keys are the least of all */
static PetscErrorCode PlexDGProbedCreate(PlexDG dg, PetscInt n, const PetscInt found[], PetscReal r[],
                                         const PetscInt64 keys[], const PetscInt64 least[], PlexDGProbed *q)
{
  const PetscInt dim = dg->mesh->dim, Nf = dg->system->Nf;
  PetscReal     *B;
  int           *element;

  PetscFunctionBegin;
  q->Np = dg->reference->Np;
  PetscCall(PlexDGIntCheck_Private(n, 1, "points of probes"));
  PetscCall(PlexDGSizeCheck_Private(n, PetscMax(Nf, q->Np), "numbers of probes"));
  PetscCall(PetscMalloc1(n, &q->which));
  PetscCall(PetscMalloc1(n, &element));
  for (PetscInt p = 0; p < n; ++p) {
    if (found[p] < 0 || keys[p] != least[p]) continue;
    PetscCall(PetscArraymove(&r[q->n * dim], &r[p * dim], dim));
    element[q->n]    = (int)found[p];
    q->which[q->n++] = p;
  }
  PetscCall(PetscMalloc1(q->n * q->Np, &B));
  PetscCall(PetscMalloc1(q->n * Nf, &q->values));
  if (q->n) PetscCall(PlexDGReferenceInterpolate(dg->reference, q->n, r, B));
  PetscCall(PlexBackendUpload(dg->backend, element, sizeof(*element) * (size_t)q->n, (void **)&q->element));
  PetscCall(PlexBackendUpload(dg->backend, B, sizeof(*B) * (size_t)(q->n * q->Np), (void **)&q->B));
  if (q->n) PetscCall(PlexBackendMalloc(dg->backend, sizeof(*q->out) * (size_t)(q->n * Nf), (void **)&q->out));
  PetscCall(PetscFree(B));
  PetscCall(PetscFree(element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGProbesCreate - Finds points in the mesh, where fields are to be evaluated

  Collective

  Input Parameters:
+ dg     - the operator, which has to live as long as the probes and may not be changed
. n      - number of points, the same on all processes
- points - [n][dim] coordinates, the same on all processes

  Output Parameters:
+ outside - [n] whether a point lies in no element; `NULL`: that is an error
- probes  - the probes

  Level: intermediate

  Note:
  Where elements meet, states jump; which element's value is taken depends on where the elements are, not on the
  processes.

.seealso: `PlexDG`, `PlexDGProbes`, `PlexDGProbesEvaluate()`, `PlexDGProbesDestroy()`, `PlexDGMonitorProbes()`
@*/
PetscErrorCode PlexDGProbesCreate(PlexDG dg, PetscInt n, const PetscReal points[], PetscBool outside[],
                                  PlexDGProbes *probes)
{
  PlexDGProbes q;
  PlexDG       parts[2];
  PetscInt    *found[2], nparts, dim;
  PetscInt64  *keys[2], *least;
  PetscReal   *r[2];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGSetUp(dg));
  nparts = PlexDGGetParts(dg, parts);
  dim    = parts[0]->mesh->dim;
  PetscCall(PetscMalloc1(n, &least));
  for (PetscInt p = 0; p < n; ++p) least[p] = PETSC_INT64_MAX;
  for (PetscInt k = 0; k < nparts; ++k) {
    PetscCall(PetscMalloc3(n, &found[k], n, &keys[k], n * dim, &r[k]));
    PetscCall(PlexDGPointsFind(parts[k], n, points, found[k], r[k], keys[k]));
    for (PetscInt p = 0; p < n; ++p) least[p] = PetscMin(least[p], keys[k][p]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, n, MPIU_INT64, MPI_MIN, PetscObjectComm((PetscObject)dg)));
  if (!outside) PetscCall(PlexDGPointsCheck(dg, n, points, least));
  for (PetscInt p = 0; p < n && outside; ++p) outside[p] = (PetscBool)(least[p] == PETSC_INT64_MAX);
  PetscCall(PetscNew(&q));
  *probes    = q;
  q->dg      = dg;
  q->resets  = dg->resets;
  q->backend = dg->backend;
  q->n       = n;
  q->Nf      = dg->system->Nf;
  q->nparts  = nparts;
  PetscCall(PetscObjectReference((PetscObject)q->backend));
  for (PetscInt k = 0; k < nparts; ++k) {
    PetscCall(PlexDGProbedCreate(parts[k], n, found[k], r[k], keys[k], least, &q->parts[k]));
    PetscCall(PetscFree3(found[k], keys[k], r[k]));
  }
  if (q->backend->kernels) {
    PetscCall(PlexBackendCompileFile(q->backend, "dg/probes.cu", &q->module));
    PetscCall(PlexModuleGetKernel(q->module, "plex_dg_probe", &q->kernel));
  }
  PetscCall(PetscFree(least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexDGProbesFit_Private(PlexDGProbes probes)
{
  return (PetscBool)(probes->resets == probes->dg->resets);
}

/* The values of own points, from the state of their part */
static PetscErrorCode PlexDGProbedEvaluate(PlexDGProbes probes, PlexDGProbed *q, const double *u)
{
  const size_t all = (size_t)q->n * (size_t)probes->Nf;
  int          n = (int)q->n, Nf = (int)probes->Nf, Np = (int)q->Np;
  void        *arguments[] = {(void *)&u, &q->B, &q->element, &q->out, &n, &Nf, &Np};

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (probes->kernel) {
    PetscCall(PlexKernelLaunch(probes->kernel, (PetscInt)((all + 127) / 128), 128, 0, arguments));
    PetscCall(PlexBackendCopyOut(probes->backend, q->values, q->out, sizeof(*q->out) * all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t k = 0; k < all; ++k) {
    const size_t  p = k / (size_t)Nf, field = k % (size_t)Nf;
    const double *b = &q->B[p * (size_t)Np], *v = &u[((size_t)q->element[p] * (size_t)Nf + field) * (size_t)Np];

    q->values[k] = 0.;
    for (int i = 0; i < Np; ++i) q->values[k] += b[i] * v[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGProbesEvaluate - Evaluates a state's polynomials at points

  Collective

  Input Parameters:
+ probes - the points
- U      - the state

  Output Parameter:
. values - [n][fields] on all processes; 0 at points outside of the mesh

  Level: intermediate

  Note:
  On a GPU a kernel evaluates, and the values alone are copied to the host.

.seealso: `PlexDG`, `PlexDGProbesCreate()`
@*/
PetscErrorCode PlexDGProbesEvaluate(PlexDGProbes probes, Vec U, PetscReal values[])
{
  PlexDG parts[2];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscCheck(PlexDGProbesFit_Private(probes), PetscObjectComm((PetscObject)probes->dg), PETSC_ERR_ARG_WRONGSTATE,
             "The operator has been changed since the probes were made: make them again, PlexDGProbesCreate()");
  PetscCall(PlexDGCheckVec_Private(probes->dg, U));
  PetscCall(PetscArrayzero(values, probes->n * probes->Nf));
  (void)PlexDGGetParts(probes->dg, parts);
  PetscCall(PlexBackendVecGet(probes->backend, U, PLEX_READ, &probes->array));
  for (PetscInt k = 0; k < probes->nparts; ++k) {
    PlexDGProbed *q = &probes->parts[k];

    PetscCall(PlexDGProbedEvaluate(probes, q,
                                   (const double *)PlexDGPartsGetArray(parts, k, probes->array.array, PETSC_FALSE)));
    for (PetscInt p = 0; p < q->n; ++p)
      PetscCall(PetscArraycpy(&values[q->which[p] * probes->Nf], &q->values[p * probes->Nf], probes->Nf));
  }
  PetscCall(PlexBackendVecRestore(probes->backend, &probes->array));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, values, probes->n * probes->Nf, MPIU_REAL, MPI_SUM,
                              PetscObjectComm((PetscObject)probes->dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGProbesDestroy - Destroys probes

  Collective

  Input Parameter:
. probes - the probes; set to `NULL`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGProbesCreate()`
@*/
PetscErrorCode PlexDGProbesDestroy(PlexDGProbes *probes)
{
  PlexDGProbes q = *probes;

  PetscFunctionBegin;
  if (!q) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&q->module));
  PetscCall(PlexArrayReset(q->backend, &q->array));
  for (PetscInt k = 0; k < q->nparts; ++k) {
    PetscCall(PlexBackendFree(q->backend, (void **)&q->parts[k].element));
    PetscCall(PlexBackendFree(q->backend, (void **)&q->parts[k].B));
    PetscCall(PlexBackendFree(q->backend, (void **)&q->parts[k].out));
    PetscCall(PetscFree(q->parts[k].which));
    PetscCall(PetscFree(q->parts[k].values));
  }
  PetscCall(PlexBackendDestroy(&q->backend));
  PetscCall(PetscFree(*probes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
