/*
  Triangles of a picture: cells of the plane divided into triangles, or sections of a plane with the tetrahedra that cells
  in space are divided into. Field and positions are linear between the nodes of the division.

  A tetrahedron with signed distances d_v of its vertices meets the plane in the points x_p + d_p / (d_p - d_q) (x_q - x_p)
  of its edges pq with d_p < 0 <= d_q: three or four. One with none below the plane, and three vertices in it, has that
  face in it.
*/
#include "viewimpl.h"

/* A cell's nodes: where they are in the picture and off the plane, and their values */
typedef struct {
  PlexPlane        plane;
  const PetscReal *p;        /* [n][2] */
  const PetscReal *distance; /* [n], of cells in space */
  const PetscReal *v;        /* [n] */
  PlexTriangleFn  *draw;
  void            *ctx;
} PlexCut;

static PetscErrorCode PlexCutTriangle(const PlexCut *c, const PetscInt vertices[])
{
  PetscReal p[3][2], v[3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    p[k][0] = c->p[2 * vertices[k]];
    p[k][1] = c->p[2 * vertices[k] + 1];
    v[k]    = c->v[vertices[k]];
  }
  PetscCall((*c->draw)((const PetscReal (*)[2])p, v, c->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCutTetrahedron(const PlexCut *c, const PetscInt vertices[])
{
  PetscInt  below[4], above[4], in[4], nbelow = 0, nabove = 0, nin = 0, n = 0;
  PetscReal p[4][2], v[4];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) {
    const PetscReal d = c->distance[vertices[k]];

    if (d < 0.) below[nbelow++] = vertices[k];
    else above[nabove++] = vertices[k];
    if (d == 0.) in[nin++] = vertices[k];
  }
  if (!nbelow && nin == 3) PetscCall(PlexCutTriangle(c, in));
  if (!nbelow || !nabove) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt b = 0; b < nbelow; ++b)
    for (PetscInt a = 0; a < nabove; ++a, ++n) {
      const PetscInt  from = below[b], to = above[b % 2 ? nabove - 1 - a : a]; /* once around a quadrilateral */
      const PetscReal s = c->distance[from] / (c->distance[from] - c->distance[to]);

      for (PetscInt d = 0; d < 2; ++d) p[n][d] = c->p[2 * from + d] + s * (c->p[2 * to + d] - c->p[2 * from + d]);
      v[n] = c->v[from] + s * (c->v[to] - c->v[from]);
    }
  PetscCall((*c->draw)((const PetscReal (*)[2])p, v, c->ctx));
  if (n < 4) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt d = 0; d < 2; ++d) p[1][d] = p[0][d];
  v[1] = v[0];
  PetscCall((*c->draw)((const PetscReal (*)[2]) & p[1], &v[1], c->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of a cell in the picture's axes; *meets false: all are on one side of the plane */
static void PlexCutPlace(const PlexPlane *plane, PetscInt dim, PetscInt n, const PetscReal x[], PetscReal p[],
                         PetscReal distance[], PetscBool *meets)
{
  PetscReal low = PETSC_MAX_REAL, high = -PETSC_MAX_REAL, size = 0.;

  for (PetscInt i = 0; i < n; ++i) {
    PetscReal d = 0.;

    p[2 * i] = p[2 * i + 1] = 0.;
    for (PetscInt k = 0; k < 3; ++k) {
      const PetscReal y = x[3 * i + k] - plane->point[k];

      p[2 * i] += plane->axes[0][k] * y;
      p[2 * i + 1] += plane->axes[1][k] * y;
      d += plane->normal[k] * y;
      size = PetscMax(size, PetscAbsReal(x[3 * i + k]));
    }
    distance[i] = d;
  }
  for (PetscInt i = 0; i < n; ++i) {
    if (PetscAbsReal(distance[i]) < 64. * PETSC_MACHINE_EPSILON * size) distance[i] = 0.; /* to rounding */
    low  = PetscMin(low, distance[i]);
    high = PetscMax(high, distance[i]);
  }
  *meets = (PetscBool)(dim == 2 || (low <= 0. && high >= 0.));
}

/* Values v[n][nc] become numbers v[n] */
static void PlexCutReduce(PetscInt n, PetscInt nc, PetscInt component, PetscReal v[])
{
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal sum = 0.;

    for (PetscInt c = 0; c < nc; ++c) sum += PetscSqr(v[i * nc + c]);
    v[i] = component >= 0 ? v[i * nc + component] : nc == 1 ? v[i] : PetscSqrtReal(sum);
  }
}

/* Intervals of an edge that make the picture smooth enough: a number for all processes */
static PetscInt PlexDivisions(PlexSampler s, PetscInt k, PetscInt divide)
{
  if (divide > 0) return divide;
  return s->kinds[k].linear ? 1 : PetscMin(12, s->dim == 2 ? 4 * s->kinds[k].degree : 2 * s->kinds[k].degree);
}

PetscErrorCode PlexTriangles_Private(PlexSampler s, PetscInt component, const PlexPlane *plane, PetscInt divide,
                                     PlexTriangleFn *draw, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->nkinds; ++k) {
    PlexLattice l;
    PetscReal  *x, *p, *distance, *v;
    PlexCut     cut;

    PetscCall(PlexLatticeCreate_Private(s->dim, s->kinds[k].tensor, PlexDivisions(s, k, divide), &l));
    PetscCall(PetscMalloc4(3 * l.n, &x, 2 * l.n, &p, l.n, &distance, l.n * s->nc, &v));
    s->kinds[k].n = l.n;
    PetscCall((*s->tabulate)(s, k, l.n, l.nodes));
    cut = (PlexCut){*plane, p, distance, v, draw, ctx};
    for (PetscInt e = 0; e < s->kinds[k].Ne; ++e) {
      PetscBool meets;

      PetscCall((*s->position)(s, k, e, x));
      PlexCutPlace(plane, s->dim, l.n, x, p, distance, &meets);
      if (!meets) continue;
      PetscCall((*s->values)(s, k, e, v));
      PlexCutReduce(l.n, s->nc, component, v);
      for (PetscInt i = 0; i < l.m; ++i) {
        if (s->dim == 2) PetscCall(PlexCutTriangle(&cut, &l.vertices[3 * i]));
        else PetscCall(PlexCutTetrahedron(&cut, &l.vertices[4 * i]));
      }
    }
    PetscCall(PetscFree4(x, p, distance, v));
    PetscCall(PlexLatticeDestroy_Private(&l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerGetBox_Private(PlexSampler s, MPI_Comm comm, PetscReal low[3], PetscReal high[3])
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; ++d) {
    low[d]  = PETSC_MAX_REAL;
    high[d] = -PETSC_MAX_REAL;
  }
  for (PetscInt k = 0; k < s->nkinds; ++k) {
    PlexLattice l;
    PetscReal  *x;

    /* bent sides may be beyond their vertices */
    PetscCall(PlexLatticeCreate_Private(s->dim, s->kinds[k].tensor, s->kinds[k].linear ? 1 : 2, &l));
    PetscCall(PetscMalloc1(3 * l.n, &x));
    s->kinds[k].n = l.n;
    PetscCall((*s->tabulate)(s, k, l.n, l.nodes));
    for (PetscInt e = 0; e < s->kinds[k].Ne; ++e) {
      PetscCall((*s->position)(s, k, e, x));
      for (PetscInt i = 0; i < 3 * l.n; ++i) {
        low[i % 3]  = PetscMin(low[i % 3], x[i]);
        high[i % 3] = PetscMax(high[i % 3], x[i]);
      }
    }
    PetscCall(PetscFree(x));
    PetscCall(PlexLatticeDestroy_Private(&l));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, low, 3, MPIU_REAL, MPIU_MIN, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, high, 3, MPIU_REAL, MPIU_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
