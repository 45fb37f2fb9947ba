/*
  Finds a perfectly matched layer in the mesh: its inner and outer sides, which axes are stretched in a cell, rates at the
  points of a quadrature. And refuses what would reflect or grow.

  Around a box: the box is that of the cells which are not of the layer. An axis is stretched in a cell of the layer that
  reaches beyond the box along it. A rate is sigma_max (d/L)^m of a point at the distance d beyond a side with a layer of
  thickness L, or one of a slab of cells, pmlprofile.c.

  Where a field's time derivative has the factor s_a/(s_b s_c), as a velocity in 3D, what fluxes take from jumps, at a rate
  t >= 0, may become growth. With z s_a/(s_b s_c) = -t, roots z of

    z (z + alpha) (z + alpha + sigma_a) + t (z + alpha + sigma_b) (z + alpha + sigma_c) = 0

  are to the left of the imaginary axis for each t if sigma_a (sigma_b + sigma_c) >= sigma_b sigma_c, by the criterion of
  Routh. Therefore sigma_a, which is 0 along an edge, is at least sigma_b sigma_c/(sigma_b + sigma_c), in which both layers of
  the edge begin smoothly.
*/
#include "dgimpl.h"

#define PLEX_PML_SAME     1e-7 /* of lengths, over the size of the mesh */
#define PLEX_PML_ROUND    1e-5 /* of a radius, or of a cell, as mesh files may have them */
#define PLEX_PML_STRAIGHT 1e-6 /* sine of an angle between directions that are the same */
#define PLEX_PML_STEP     4    /* degree from which on one step of rates reflects as little as a profile that grows */
typedef struct {
  PlexDG     dg;
  PlexDGPML  pml;
  PetscBool  measures; /* nothing but `damping` is wanted */
  PetscBool *in;       /* [Ne] the element is of the layer */
  int       *kinds;    /* [Ne] as PlexDGPMLArgs has them, 0: not of the layer */
  PetscBool *beyond;   /* [Ne] all of the element is beyond the box along each axis that is stretched there */
  PetscBool  sheets;   /* of all processes: slabs are a cell thick, two of a side at least */
  PetscReal  same;     /* lengths that are not different from 0 */
} PlexDGPMLFinder;

/* ---- Where it is */

static PetscErrorCode PlexDGPMLMark(PlexDGPMLFinder *f)
{
  PlexDG     dg   = f->dg;
  MPI_Comm   comm = PetscObjectComm((PetscObject)dg);
  PlexDGMesh mesh = dg->mesh;
  PetscInt   all[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->npmlCells; ++k) {
    const PlexDGPMLCells *c = &dg->pmlCells[k];
    DMLabel               label;
    PetscBool             any = PETSC_FALSE;

    PetscCall(DMGetLabel(dg->dm, c->label, &label));
    for (PetscInt e = 0; e < mesh->Ne && label; ++e) {
      PetscBool holds;

      PetscCall(PlexLabelHolds(label, c->value, mesh->cells[e], &holds));
      any      = (PetscBool)(any || holds);
      f->in[e] = (PetscBool)(f->in[e] || holds);
    }
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &any, 1, MPI_C_BOOL, MPI_LOR, comm));
    if (any) continue;
    PetscCheck(c->value == PETSC_DETERMINE, comm, PETSC_ERR_ARG_WRONG,
               "No cell of the mesh has the value %" PetscInt_FMT
               " of label %s, which is to be a perfectly matched layer: see -plex_dg_pml, PlexDGSetPML()",
               c->value, c->label);
    SETERRQ(comm, PETSC_ERR_ARG_WRONG,
            "No cell of the mesh has a label %s, which is to be a perfectly matched layer: see -plex_dg_pml, "
            "PlexDGSetPML(); -dm_plex_gmsh_use_regions makes labels of Gmsh's names",
            c->label);
  }
  all[0] = 0;
  for (PetscInt e = 0; e < mesh->Ne; ++e) all[0] += f->in[e];
  all[1] = mesh->Ne;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, all, 2, MPIU_INT, MPI_SUM, comm));
  PetscCheck(all[0] < all[1] || dg->pmlGiven, comm, PETSC_ERR_ARG_WRONG,
             "All cells of the mesh are of the perfectly matched layer, and none is left for it to be around: see "
             "-plex_dg_pml, whose shape %s leaves those inside",
             mesh->dim == 3 ? "box,x,y,z,x,y,z" : "box,x,y,x,y");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal PlexDGPMLRadius(PlexDG dg, const PetscReal x[])
{
  PetscReal r2 = 0.;

  for (PetscInt d = 0; d < dg->mesh->dim; ++d) r2 += PetscSqr(x[d] - dg->pmlNumbers[d]);
  return PetscSqrtReal(r2);
}

/* Whether a node of the cell is beyond the box or sphere of the numbers */
static PetscBool PlexDGPMLGivenReaches(PlexDG dg, PetscInt nx, PetscInt dim, const PetscReal x[])
{
  PetscBool is = PETSC_FALSE;

  for (PetscInt v = 0; v < nx && dg->pmlRadial; ++v)
    is = (PetscBool)(is || PlexDGPMLRadius(dg, &x[v * dim]) > (1. + PLEX_PML_ROUND) * dg->pmlNumbers[dim]);
  for (PetscInt d = 0; d < dim && !dg->pmlRadial; ++d) {
    PetscReal low = x[d], high = x[d], same;

    for (PetscInt v = 1; v < nx; ++v) {
      low  = PetscMin(low, x[v * dim + d]);
      high = PetscMax(high, x[v * dim + d]);
    }
    same = PLEX_PML_ROUND * (high - low);
    is   = (PetscBool)(is || low < dg->pmlNumbers[d] - same || high > dg->pmlNumbers[dim + d] + same);
  }
  return is;
}

PetscErrorCode PlexDGPMLMark_Private(void *ctx, PlexDGMesh mesh, const PetscReal nodes[], PetscBool in[])
{
  PlexDG         dg   = (PlexDG)ctx;
  const PetscInt size = mesh->nx * mesh->dim;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->npmlCells; ++k) {
    DMLabel label;

    PetscCall(DMGetLabel(dg->dm, dg->pmlCells[k].label, &label));
    for (PetscInt e = 0; e < mesh->Ne && label; ++e) {
      PetscBool holds;

      PetscCall(PlexLabelHolds(label, dg->pmlCells[k].value, mesh->cells[e], &holds));
      in[e] = (PetscBool)(in[e] || holds);
    }
  }
  for (PetscInt e = 0; e < mesh->Ne && dg->pmlGiven; ++e)
    in[e] = (PetscBool)(in[e] && PlexDGPMLGivenReaches(dg, mesh->nx, mesh->dim, &nodes[e * size]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sides of the box, of the mesh, and the largest radius */
static PetscErrorCode PlexDGPMLMeasure(PlexDGPMLFinder *f)
{
  PlexDG            dg   = f->dg;
  PlexDGMesh        mesh = dg->mesh;
  const PetscInt    dim  = mesh->dim;
  PlexDGPML         p    = f->pml;
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  PetscReal         most[14], rest[PLEX_DG_MAX_FIELDS] = {0.}; /* +-x_d of the box, of all; radius, speed */

  PetscFunctionBegin;
  for (int k = 0; k < 12; ++k) most[k] = PETSC_MIN_REAL;
  most[12] = most[13] = 0.;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt v = 0; v < mesh->nv; ++v) {
      const PetscReal *x = &mesh->x[(e * mesh->nv + v) * dim];

      for (PetscInt d = 0; d < dim; ++d)
        for (int box = f->in[e] ? 1 : 0; box < 2; ++box) {
          most[6 * box + 2 * d]     = PetscMax(most[6 * box + 2 * d], -x[d]);
          most[6 * box + 2 * d + 1] = PetscMax(most[6 * box + 2 * d + 1], x[d]);
        }
      most[12] = PetscMax(most[12], PlexDGPMLRadius(dg, x));
    }
    if (f->in[e])
      most[13] = PetscMax(most[13],
                          (*host->speed)(rest, host->NK ? &dg->coefficients[e * host->NK] : NULL, dg->actual));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 14, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  f->same = 0.;
  for (PetscInt d = 0; d < dim; ++d) f->same = PetscMax(f->same, PLEX_PML_SAME * (most[6 + 2 * d] + most[7 + 2 * d]));
  p->speed = most[13];
  for (PetscInt d = 0; d < dim && !dg->pmlRadial; ++d)
    for (int side = 0; side < 2; ++side) {
      const PetscReal sign = side ? 1. : -1.;

      p->inner[side][d] = dg->pmlGiven ? dg->pmlNumbers[side * dim + d] : sign * most[2 * d + side];
      p->outer[side][d] = sign * most[6 + 2 * d + side];
      if (sign * (p->outer[side][d] - p->inner[side][d]) <= f->same) p->inner[side][d] = p->outer[side][d];
    }
  if (dg->pmlRadial) {
    p->inner[0][0] = dg->pmlNumbers[dim];
    p->outer[0][0] = most[12];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distance of x beyond the box along axis d, negative below it; 0 in it */
static PetscReal PlexDGPMLBeyond(const PlexDGPMLFinder *f, PetscInt d, PetscReal x)
{
  if (x > f->pml->inner[1][d] + f->same) return x - f->pml->inner[1][d];
  if (x < f->pml->inner[0][d] - f->same) return x - f->pml->inner[0][d];
  return 0.;
}

static PetscErrorCode PlexDGPMLGetNode(PlexDG dg, PetscInt e, PetscInt i, PetscReal x[3])
{
  PetscFunctionBegin;
  PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &dg->shapes[i * dg->mesh->nx], x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell of the layer with a node inside the box, or whose center is there */
static PetscErrorCode PlexDGPMLCheckBox(const PlexDGPMLFinder *f, PetscInt e)
{
  PlexDG         dg   = f->dg;
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, Np = dg->reference->Np;
  PetscReal      x[3] = {0., 0., 0.};
  char           cell[160];

  PetscFunctionBegin;
  for (PetscInt i = 0; i <= Np; ++i) {
    PetscBool inside = PETSC_TRUE;

    if (i < Np) PetscCall(PlexDGPMLGetNode(dg, e, i, x));
    else
      for (PetscInt d = 0; d < dim; ++d) {
        x[d] = 0.;
        for (PetscInt v = 0; v < mesh->nv; ++v) x[d] += mesh->x[(e * mesh->nv + v) * dim + d] / mesh->nv;
      }
    for (PetscInt d = 0; d < dim; ++d)
      inside = (PetscBool)(inside && x[d] > f->pml->inner[0][d] + f->same && x[d] < f->pml->inner[1][d] - f->same);
    if (!inside) continue;
    PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
            "%s is of the perfectly matched layer, and is not beyond the box of the cells that are not, (%g, %g, %g) "
            "to (%g, "
            "%g, %g): these have to fill a box; a layer around a %s is -plex_dg_pml_<label> %s",
            cell, (double)f->pml->inner[0][0], (double)f->pml->inner[0][1], (double)f->pml->inner[0][2],
            (double)f->pml->inner[1][0], (double)f->pml->inner[1][1], (double)f->pml->inner[1][2],
            dim == 3 ? "sphere" : "circle", dim == 3 ? "sphere,x,y,z,r" : "circle,x,y,r");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a vertex is beyond the box or sphere; kind: bits of the axes along which one is */
static PetscBool PlexDGPMLReaches(const PlexDGPMLFinder *f, PetscInt e, int *kind)
{
  PlexDG         dg   = f->dg;
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim  = mesh->dim;

  *kind = 0;
  for (PetscInt v = 0; v < mesh->nv; ++v) {
    const PetscReal *x = &mesh->x[(e * mesh->nv + v) * dim];

    if (dg->pmlRadial &&
        PlexDGPMLRadius(dg, x) > f->pml->inner[0][0] + PetscMax(f->same, PLEX_PML_ROUND * f->pml->inner[0][0]))
      *kind = PLEX_PML_RADIAL;
    for (PetscInt d = 0; d < dim && !dg->pmlRadial; ++d)
      if (PlexDGPMLBeyond(f, d, x[d]) != 0.) *kind |= 1 << d;
  }
  return (PetscBool)(*kind != 0);
}

/* Whether all vertices are beyond the box, on one side of it, along the axes of the element's kind */
static PetscBool PlexDGPMLIsBeyond(const PlexDGPMLFinder *f, PetscInt e)
{
  PlexDGMesh     mesh = f->dg->mesh;
  const PetscInt dim  = mesh->dim;
  PetscBool      is   = (PetscBool)!f->dg->pmlRadial;

  for (PetscInt d = 0; d < dim && is; ++d) {
    PetscBool low = PETSC_TRUE, high = PETSC_TRUE;

    if (!(f->kinds[e] & 1 << d)) continue;
    for (PetscInt v = 0; v < mesh->nv; ++v) {
      const PetscReal x = mesh->x[(e * mesh->nv + v) * dim + d];

      low  = (PetscBool)(low && x <= f->pml->inner[0][d] + f->same);
      high = (PetscBool)(high && x >= f->pml->inner[1][d] - f->same);
    }
    is = (PetscBool)(low || high);
  }
  return is;
}

/* Which axes are stretched in each cell, and how many there are */
static PetscErrorCode PlexDGPMLSetKinds(PlexDGPMLFinder *f)
{
  PlexDG     dg   = f->dg;
  PlexDGMesh mesh = dg->mesh;
  char       cell[160];

  PetscFunctionBegin;
  f->pml->cells = 0;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscBool reaches = PlexDGPMLReaches(f, e, &f->kinds[e]);

    if (f->in[e] && !dg->pmlGiven) PetscCall(PlexDGPMLCheckBox(f, e));
    if (!f->in[e] && reaches) {
      PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
              "%s reaches beyond the %s that is given for the perfectly matched layer, and has not the layer's label: "
              "see "
              "-plex_dg_pml",
              cell,
              !dg->pmlRadial   ? "box"
              : mesh->dim == 3 ? "sphere"
                               : "circle");
    }
    f->in[e] = (PetscBool)(f->in[e] && reaches);
    if (f->in[e] && dg->curved && PlexDGMeshCurvedIndex(mesh, e) >= 0) {
      PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
              "%s is of the perfectly matched layer and curved, or beside a cell whose coefficients vary: a layer has "
              "straight cells of constant coefficients, see -plex_dg_pml, -plex_dg_curve, PlexDGSetMaterialFunction()",
              cell);
    }
    f->pml->cells += f->in[e];
    f->beyond[e] = PlexDGPMLIsBeyond(f, e);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &f->pml->cells, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distances beyond a side along axis d at which an element of the layer begins and ends; whether it is there at all */
static PetscBool PlexDGPMLGetExtent(const PlexDGPMLFinder *f, PetscInt e, int side, PetscInt d, PetscReal extent[2])
{
  PlexDGMesh      mesh = f->dg->mesh;
  const PetscReal sign = side ? 1. : -1.;

  extent[0] = PETSC_MAX_REAL;
  extent[1] = 0.;
  if (!f->in[e] || !(f->kinds[e] & 1 << d)) return PETSC_FALSE;
  for (PetscInt v = 0; v < mesh->nv; ++v) {
    const PetscReal x = sign * (mesh->x[(e * mesh->nv + v) * mesh->dim + d] - f->pml->inner[side][d]);

    extent[0] = PetscMin(extent[0], PetscMax(x, 0.));
    extent[1] = PetscMax(extent[1], x);
  }
  return (PetscBool)(extent[1] > f->same);
}

/* Slabs of each side, and whether each of them is one cell thick */
static PetscErrorCode PlexDGPMLSetSlabs(PlexDGPMLFinder *f)
{
  PlexDG     dg   = f->dg;
  MPI_Comm   comm = PetscObjectComm((PetscObject)dg);
  PlexDGMesh mesh = dg->mesh;
  PlexDGPML  p    = f->pml;
  PetscReal *intervals;

  PetscFunctionBegin;
  f->sheets = (PetscBool)!dg->pmlRadial;
  PetscCall(PetscMalloc1(2 * mesh->Ne, &intervals));
  for (PetscInt d = 0; d < mesh->dim && !dg->pmlRadial; ++d)
    for (int side = 0; side < 2; ++side) {
      PetscReal *planes = p->planes[side][d], extent[2];
      PetscInt   n      = 0;

      for (PetscInt e = 0; e < mesh->Ne; ++e)
        if (PlexDGPMLGetExtent(f, e, side, d, extent)) PetscCall(PetscArraycpy(&intervals[2 * n++], extent, 2));
      PetscCall(PlexDGPMLSetSlabs_Private(comm, f->same, n, intervals, &p->slabs[side][d], planes));
      if (!p->slabs[side][d]) continue;
      f->sheets = (PetscBool)(f->sheets && p->slabs[side][d] > 1);
      for (PetscInt e = 0; e < mesh->Ne && f->sheets; ++e) {
        PetscInt k;

        if (!PlexDGPMLGetExtent(f, e, side, d, extent)) continue;
        k         = PlexDGPMLGetSlab_Private(p->slabs[side][d], planes, (extent[0] + extent[1]) / 2.);
        f->sheets = (PetscBool)(extent[1] - extent[0] > (1. - PLEX_PML_ROUND) * (planes[k + 1] - planes[k]));
      }
    }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &f->sheets, 1, MPI_C_BOOL, MPI_LAND, comm));
  PetscCall(PetscFree(intervals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What cannot be right */

/* How much of the direction of a side's area is along a stretched axis of a kind, 0 to 1 */
static PetscReal PlexDGPMLAlong(PlexDG dg, int kind, const PetscReal x[3], const PetscReal area[3])
{
  PetscReal most = 0., size = 0., r = 0., along = 0.;

  for (PetscInt d = 0; d < dg->mesh->dim; ++d) {
    size += PetscSqr(area[d]);
    r += PetscSqr(x[d] - dg->pmlNumbers[d]);
    along += area[d] * (x[d] - dg->pmlNumbers[d]);
    if (kind != PLEX_PML_RADIAL && kind & 1 << d) most = PetscMax(most, PetscAbsReal(area[d]));
  }
  if (kind == PLEX_PML_RADIAL) most = PetscAbsReal(along) / PetscSqrtReal(r);
  return most / PetscSqrtReal(size);
}

/* Boundaries of the layer: its outer side, or walls along the way out */
static PetscErrorCode PlexDGPMLCheckFacets(const PlexDGPMLFinder *f)
{
  PlexDG         dg   = f->dg;
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim  = mesh->dim;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / mesh->faces;
    PetscReal      x[3], area[3];
    PetscInt       vertices[4];
    PetscBool      ends = PETSC_FALSE, incident, scatterer;
    const char    *kind = dg->system->kinds[dg->kinds[b]];

    if (!f->in[e]) continue;
    PlexDGSurfaceGetSide_Private(dg, mesh->facet[b], x, area);
    PetscCall(PetscStrcmp(kind, "incident", &incident));
    PetscCall(PetscStrcmp(kind, "scatterer", &scatterer));
    PetscCheck(!incident && !scatterer, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The boundary at (%g, %g, %g) behind or in the perfectly matched layer is %s, and a wave cannot enter "
               "through "
               "the layer: use absorbing, and -plex_dg_total_field for the wave",
               (double)x[0], (double)x[1], (double)x[2], kind);
    PlexDGFaceVertices(dim, PETSC_FALSE, mesh->facet[b] % mesh->faces, vertices);
    for (PetscInt d = 0; d < (dg->pmlRadial ? 1 : dim); ++d)
      for (int side = 0; side < (dg->pmlRadial ? 1 : 2) && !ends; ++side) {
        const PetscReal outer = f->pml->outer[side][d],
                        same  = dg->pmlRadial ? 1e-3 * (outer - f->pml->inner[0][0]) : f->same;

        ends = PETSC_TRUE;
        for (PetscInt v = 0; v < dim; ++v) {
          const PetscReal *at = &mesh->x[(e * mesh->nv + vertices[v]) * dim];

          ends = (PetscBool)(ends && PetscAbsReal((dg->pmlRadial ? PlexDGPMLRadius(dg, at) : at[d]) - outer) <= same);
        }
      }
    PetscCheck(ends || PlexDGPMLAlong(dg, f->kinds[e], x, area) < PLEX_PML_STRAIGHT, PETSC_COMM_SELF,
               PETSC_ERR_ARG_WRONG,
               "The boundary at (%g, %g, %g) ends the perfectly matched layer before its outer side: the layer has to "
               "have "
               "the same thickness all along a side, and walls in it to go straight outwards",
               (double)x[0], (double)x[1], (double)x[2]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Media in the layer: no conductors, and no changes along the way out */
static PetscErrorCode PlexDGPMLCheckMedia(const PlexDGPMLFinder *f)
{
  PlexDG         dg   = f->dg;
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt NK = dg->system->ncoefficients, own = mesh->Ne * mesh->faces;
  char           cell[160];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    if (!f->in[e]) continue;
    if (PlexDGDecayMost_Private(dg, e) > 0.) {
      PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
              "%s is of the perfectly matched layer and conducts, or has fields that decay otherwise, which a layer "
              "cannot: "
              "see -plex_dg_material, -plex_dg_pml",
              cell);
    }
    for (PetscInt k = 0; k < dg->system->Nf; ++k) {
      if (!PlexDGMemoryHas_Private(dg, e, k)) continue;
      PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
              "%s is of the perfectly matched layer and of a dispersive medium, which a layer cannot be: see "
              "-plex_dg_drude, -plex_dg_pml",
              cell);
    }
    for (PetscInt s = 0; s < mesh->faces; ++s) {
      const PetscInt   t = e * mesh->faces + s, other = mesh->links[t] < 0 ? -1 : mesh->links[t] / mesh->turns;
      const PetscInt   there = other < 0 ? e : other < own ? other / mesh->faces : mesh->Ne + other - own;
      const PetscReal *k = &dg->coefficients[e * NK], *kP = &dg->coefficients[there * NK];
      PetscReal        x[3], area[3];
      PetscBool        differ = PETSC_FALSE;

      for (PetscInt c = 0; c < NK; ++c)
        differ = (PetscBool)(differ || PetscAbsReal(k[c] - kP[c]) > 1e-12 * PetscAbsReal(k[c]));
      if (!differ) continue;
      PlexDGSurfaceGetSide_Private(dg, t, x, area);
      PetscCheck(PlexDGPMLAlong(dg, f->kinds[e], x, area) < PLEX_PML_STRAIGHT, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "The medium changes at (%g, %g, %g), along the way out of the perfectly matched layer, which "
                 "reflects: media "
                 "have to be the same from the layer's inner side outwards, see -plex_dg_material, -plex_dg_pml",
                 (double)x[0], (double)x[1], (double)x[2]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The total field of an incident wave may not reach into the layer */
static PetscErrorCode PlexDGPMLCheckTotalField(const PlexDGPMLFinder *f)
{
  PlexDG    dg = f->dg;
  DMLabel   label;
  PetscBool holds;

  PetscFunctionBegin;
  if (!dg->totalLabel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLabel(dg->dm, dg->totalLabel, &label));
  for (PetscInt e = 0; e < dg->mesh->Ne && label; ++e) {
    if (!f->in[e]) continue;
    PetscCall(PlexLabelHolds(label, dg->totalValue, dg->mesh->cells[e], &holds));
    PetscCheck(!holds, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "Cells of the perfectly matched layer are inside of the total field, label %s: it lets the scattered "
               "field out "
               "alone, see -plex_dg_total_field, -plex_dg_pml",
               dg->totalLabel);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates */

/* Whether a factor of the system has two axes in the denominator */
static PetscBool PlexDGPMLDivides(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  PetscBool         is   = PETSC_FALSE;

  for (PetscInt k = 0; k < host->Nf; ++k) {
    PetscInt down = 0;

    for (PetscInt d = 0; d < dg->mesh->dim; ++d) down += host->stretch[k][d] < 0;
    is = (PetscBool)(is || down > 1);
  }
  return is;
}

/* The axes whose rates an element has: in an edge all three, where its own would let energy grow */
static int PlexDGPMLGetKind(const PlexDGPMLFinder *f, PetscInt e)
{
  const int kind = f->kinds[e];

  return f->dg->mesh->dim == 3 && kind != PLEX_PML_RADIAL && (kind & (kind - 1)) && PlexDGPMLDivides(f->dg) ? 7 : kind;
}

static PetscInt PlexDGPMLCountNumbers(PetscInt dim, int kind)
{
  return kind == PLEX_PML_RADIAL ? 2 + dim : (kind & 1) + (kind >> 1 & 1) + (kind >> 2 & 1);
}

/* Rates of the axes at x, a point of element e around a box, 0 of those that are not of its kind */
static void PlexDGPMLGetSigma(const PlexDGPMLFinder *f, PetscInt e, const PetscReal x[3], PetscReal sigma[3])
{
  PlexDG    dg   = f->dg;
  PlexDGPML p    = f->pml;
  const int kind = PlexDGPMLGetKind(f, e);

  sigma[0] = sigma[1] = sigma[2] = 0.;
  for (PetscInt k = 0; k < dg->mesh->dim; ++k) {
    const PetscReal d    = PlexDGPMLBeyond(f, k, x[k]);
    const int       side = d > 0.;

    if (d != 0.)
      sigma[k] = PlexDGPMLSigma_Private(dg, PetscAbsReal(d), PetscAbsReal(p->outer[side][k] - p->inner[side][k]),
                                        p->slabs[side][k], p->planes[side][k]);
  }
  for (PetscInt k = 0; k < 3 && kind == 7 && PlexDGPMLDivides(dg); ++k) {
    const PetscReal b = sigma[(k + 1) % 3], c = sigma[(k + 2) % 3];

    if (b > 0. && c > 0.) sigma[k] = PetscMax(sigma[k], b * c / (b + c));
  }
}

/* Numbers of a point of element e, `stride` apart; damping: of the element so far */
static PetscErrorCode PlexDGPMLSetPoint(const PlexDGPMLFinder *f, PetscInt e, const PetscReal shapes[], PetscInt stride,
                                        PetscReal q[], PetscReal *damping)
{
  PlexDG         dg  = f->dg;
  PlexDGPML      p   = f->pml;
  const PetscInt dim = dg->mesh->dim;
  PetscReal      x[3], sum = p->alpha;

  PetscFunctionBegin;
  PetscCall(PlexDGMeshGetPosition(dg->mesh, e, shapes, x));
  if (dg->pmlRadial) {
    const PetscReal r = PlexDGPMLRadius(dg, x), L = p->outer[0][0] - p->inner[0][0];
    const PetscReal d = PetscClipInterval(r - p->inner[0][0], 0., L);

    q[0]      = d > 0. ? PlexDGPMLSigma_Private(dg, d, L, 0, NULL) : 0.; /* of power 0, too */
    q[stride] = q[0] * d / ((p->power + 1) * r);                         /* 1/r times the integral of sigma */
    for (PetscInt k = 0; k < dim; ++k) q[(2 + k) * stride] = (x[k] - dg->pmlNumbers[k]) / r;
    sum += q[0] + q[stride];
  } else {
    const int kind = PlexDGPMLGetKind(f, e);
    PetscReal sigma[3];

    PlexDGPMLGetSigma(f, e, x, sigma);
    for (PetscInt k = 0, n = 0; k < dim; ++k)
      if (kind & 1 << k) {
        q[n++ * stride] = sigma[k];
        sum += sigma[k];
      }
  }
  *damping = PetscMax(*damping, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an element whose rates are constant, from its center */
static PetscErrorCode PlexDGPMLSetConstant(const PlexDGPMLFinder *f, PetscInt e, PetscReal sigma[3])
{
  PlexDGMesh     mesh = f->dg->mesh;
  PlexDGPML      p    = f->pml;
  const PetscInt dim  = mesh->dim;
  PetscReal      x[3] = {0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < mesh->nv; ++v)
    for (PetscInt d = 0; d < dim; ++d) x[d] += mesh->x[(e * mesh->nv + v) * dim + d] / (PetscReal)mesh->nv;
  PlexDGPMLGetSigma(f, e, x, sigma);
  p->damping[e] = p->alpha + sigma[0] + sigma[1] + sigma[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPMLSetRates(PlexDGPMLFinder *f)
{
  PlexDG     dg   = f->dg;
  PlexDGPML  p    = f->pml;
  PlexDGMesh mesh = dg->mesh;
  PetscInt   n = 0, nconstant = 0, k = 0, j = 0, Nq;
  PetscReal *numbers, *points, *shapes, *dshapes, *rates;
  int       *kinds, *at;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    f->beyond[e] = (PetscBool)(f->beyond[e] && p->power == 0);
    n += f->in[e] && !f->beyond[e];
    nconstant += f->in[e] && f->beyond[e];
  }
  PetscCall(PetscMalloc2(n + nconstant, &p->elements, n + 1, &p->first));
  PetscCall(PetscCalloc1(mesh->Ne, &p->damping));
  PetscCall(PetscMalloc3(n, &kinds, n + 1, &at, 3 * nconstant, &rates));
  at[0] = 0;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    if (!f->in[e]) continue;
    if (f->beyond[e]) {
      p->elements[n + j] = (int)e;
      PetscCall(PlexDGPMLSetConstant(f, e, &rates[3 * j++]));
      continue;
    }
    p->elements[k] = (int)e;
    kinds[k]       = PlexDGPMLGetKind(f, e);
    at[k + 1]      = at[k] + (int)PlexDGPMLCountNumbers(mesh->dim, kinds[k]);
    ++k;
  }
  PetscCall(PlexDGPMLPoints_Private(dg, &points));
  Nq = p->args.NQ;
  PetscCall(PetscMalloc3((size_t)at[n] * (size_t)Nq, &numbers, Nq * mesh->nx, &shapes, Nq * mesh->nx * mesh->dim,
                         &dshapes));
  PetscCall(PlexDGMeshTabulate(mesh, Nq, points, shapes, dshapes));
  for (k = 0; k < n; ++k)
    for (PetscInt q = 0; q < Nq; ++q)
      PetscCall(PlexDGPMLSetPoint(f, p->elements[k], &shapes[q * mesh->nx], Nq,
                                  &numbers[(size_t)at[k] * (size_t)Nq + (size_t)q], &p->damping[p->elements[k]]));
  if (!f->measures) PetscCall(PlexDGPMLSetUp_Private(dg, n, kinds, at, numbers, nconstant, rates));
  PetscCall(PetscFree3(numbers, shapes, dshapes));
  PetscCall(PetscFree(points));
  PetscCall(PetscFree3(kinds, at, rates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the profile: the one that was asked for, or, where rates can be constant and sheets of cells or the degree resolve their steps, 0. Not
   where an edge has rates of its own, which would begin with a step across an axis that is not stretched */
static PetscErrorCode PlexDGPMLSetPower(PlexDGPMLFinder *f)
{
  PlexDG         dg   = f->dg;
  const PetscInt dim  = dg->mesh->dim;
  PetscBool      step = (PetscBool)(!dg->pmlRadial && (dg->reference->N >= PLEX_PML_STEP || f->sheets) &&
                                    (dim < 3 || !PlexDGPMLDivides(dg)));

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) step = (PetscBool)(step && (!f->in[e] || f->beyond[e]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &step, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)dg)));
  f->pml->power = dg->pmlPower != PETSC_DETERMINE ? dg->pmlPower : step ? 0 : 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest thickness, for alpha, and whether there is a layer at all */
static PetscErrorCode PlexDGPMLSetAlpha(PlexDGPMLFinder *f)
{
  PlexDGPML p     = f->pml;
  PetscReal thick = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < f->dg->mesh->dim; ++d)
    for (int side = 0; side < 2; ++side) thick = PetscMax(thick, PetscAbsReal(p->outer[side][d] - p->inner[side][d]));
  PetscCheck(thick > f->same && (!f->dg->pmlRadial || p->outer[0][0] > p->inner[0][0]),
             PetscObjectComm((PetscObject)f->dg), PETSC_ERR_ARG_WRONG,
             "The perfectly matched layer has no thickness: its cells are not beyond the others, see -plex_dg_pml");
  p->alpha = f->dg->pmlAlpha == (PetscReal)PETSC_DETERMINE ? p->speed / thick : f->dg->pmlAlpha;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLCreate_Private(PlexDG dg, PetscBool measures)
{
  PlexDGPMLFinder f = {.dg = dg, .measures = measures};

  PetscFunctionBegin;
  if (!dg->npmlCells) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->parts[0] && !dg->quadrature && dg->system->host[dg->precision]->stretch,
             PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "System %s of %s DG has no perfectly matched layer, which those whose header defines PLEX_DG_STRETCH have "
             "in nodal "
             "DG, as maxwell and acoustics: leave -plex_dg_pml out",
             dg->system->name, dg->quadrature || dg->parts[0] ? "quadrature" : "nodal");
  PetscCall(PetscNew(&dg->pml));
  f.pml = dg->pml;
  PetscCall(PetscCalloc3(dg->mesh->Ne, &f.in, dg->mesh->Ne, &f.kinds, dg->mesh->Ne, &f.beyond));
  PetscCall(PlexDGPMLMark(&f));
  PetscCall(PlexDGPMLMeasure(&f));
  PetscCall(PlexDGPMLSetAlpha(&f));
  PetscCall(PlexDGPMLSetKinds(&f));
  PetscCall(PlexDGPMLSetSlabs(&f));
  PetscCall(PlexDGPMLSetPower(&f));
  PetscCall(PlexDGPMLCheckFacets(&f));
  PetscCall(PlexDGPMLCheckMedia(&f));
  PetscCall(PlexDGPMLCheckTotalField(&f));
  PetscCall(PlexDGPMLSetRates(&f));
  PetscCall(PetscFree3(f.in, f.kinds, f.beyond));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLView_Private(PlexDG dg, PetscViewer viewer)
{
  PlexDGPML p         = dg->pml;
  char      text[512] = "", steps[64] = "";
  PetscInt  most = 0;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  if (dg->pmlRadial)
    PetscCall(PetscSNPrintf(text, sizeof(text), ", radii %g to %g", (double)p->inner[0][0], (double)p->outer[0][0]));
  for (PetscInt d = 0; d < dg->mesh->dim && !dg->pmlRadial; ++d)
    for (int side = 0; side < 2; ++side) {
      char part[64];

      if (p->outer[side][d] == p->inner[side][d]) continue;
      PetscCall(PetscSNPrintf(part, sizeof(part), ", %c %g to %g", "xyz"[d], (double)p->inner[side][d],
                              (double)p->outer[side][d]));
      PetscCall(PetscStrlcat(text, part, sizeof(text)));
      most = PetscMax(most, p->slabs[side][d]);
    }
  if (p->power == 0 && most > 1) PetscCall(PetscSNPrintf(steps, sizeof(steps), " in %" PetscInt_FMT " steps", most));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "perfectly matched layer: %" PetscInt_FMT
                                   " cells%s; for reflection %g at speed %g, power "
                                   "%" PetscInt_FMT "%s, alpha %g, at most %" PetscInt_FMT " variables a node\n",
                                   p->cells, text, (double)dg->pmlReflection, (double)p->speed, p->power, steps,
                                   (double)p->alpha, p->most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLFree_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->npmlCells; ++k) PetscCall(PetscFree(dg->pmlCells[k].label));
  PetscCall(PetscFree(dg->pmlCells));
  dg->npmlCells = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
