/*
  Closed surfaces of facets inside the mesh, or of its boundary: those of a label. A side of a facet is a trace of an own
  element, and each process has the sides of its own elements, so that what is summed over both sides needs no exchange.

  Where the label holds cells these are the inside, and the surface is where they end. Else it holds facets, which cut
  the mesh into regions: the outside is the region that reaches the mesh's largest x, all others are inside. Facets of
  the boundary alone surround what lies on the side to which the vectors of their areas, times positions, say so.
*/
#include "dgimpl.h"

/* What is known of elements and faces while a surface is made */
typedef struct {
  PlexDG     dg;
  PetscBool *marked; /* [Ne * faces] */
  PetscInt  *region; /* [Ne] number of the own element's region */
  PetscInt  *across; /* [nghosts] what the other side of a ghost says */
  PetscInt  *said;   /* [nghosts] */
  char       name[256];
} PlexDGCut;

/* The own element across trace t, -1: none of this process; ghost: the received trace there, or -1 */
static PetscInt PlexDGCutAcross(const PlexDGCut *c, PetscInt t, PetscInt *ghost)
{
  const PlexDGMesh mesh = c->dg->mesh;
  const PetscInt   link = mesh->links[t], other = link < 0 ? -1 : link / mesh->turns, own = mesh->Ne * mesh->faces;

  *ghost = other >= own ? other - own : -1;
  return other >= 0 && other < own ? other / mesh->faces : -1;
}

/* A number of the element, or of the trace, of each ghost to the other side */
static PetscErrorCode PlexDGCutShare(PlexDGCut *c, const PetscInt *ofElement, const PetscBool *ofTrace)
{
  PlexDGMesh mesh = c->dg->mesh;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < mesh->nghosts; ++g)
    c->said[g] = ofElement ? ofElement[mesh->sent[g] / mesh->faces] : (PetscInt)ofTrace[mesh->sent[g]];
  PetscCall(PlexDGShare_Private(c->dg, MPIU_INT, c->said, c->across));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Center, and area times the outward normal, of a side */
static void PlexDGSideGetArea(PlexDG dg, PetscInt trace, PetscReal x[3], PetscReal area[3])
{
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   dim = mesh->dim, e = trace / mesh->faces, f = trace % mesh->faces;
  const PetscReal *rx = &mesh->rx[e * dim * dim];
  PetscInt         vertices[4];

  PlexDGFaceVertices(dim, PETSC_FALSE, f, vertices);
  for (PetscInt d = 0; d < 3; ++d) x[d] = area[d] = 0.;
  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt v = 0; v < dim; ++v) x[d] += mesh->x[(e * mesh->nv + vertices[v]) * dim + d] / dim;
    /* the normal times Fscale, 2 over the height, of an element of volume detJ times that of the reference element */
    for (PetscInt a = 0; a < dim; ++a)
      if (f == dim || f == a) area[d] += (f == dim ? 2. : -2.) * mesh->detJ[e] * rx[a * dim + d];
  }
}

static PetscErrorCode PlexDGCutBadSide(const PlexDGCut *c, PetscInt trace, const char what[])
{
  PetscReal x[3], area[3];

  PetscFunctionBegin;
  PlexDGSideGetArea(c->dg, trace, x, area);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Facet (%g, %g, %g) of label %s %s", (double)x[0], (double)x[1],
          (double)x[2], c->name, what);
}

/* Faces of the label, of both sides */
static PetscErrorCode PlexDGCutMarkFacets(PlexDGCut *c, DMLabel label, PetscInt value)
{
  PlexDGMesh  mesh = c->dg->mesh;
  PlexDGFaces F;
  PetscInt    trace;

  PetscFunctionBegin;
  PetscCall(PlexDGFacesCreate_Private(mesh, 1, &F));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone = &F.cones.points[PlexConesAt(&F.cones, mesh->cells[e])];

    for (PetscInt k = 0; k < mesh->faces; ++k) {
      (void)PlexDGFacesGetSide(&F, e * mesh->faces + k, &trace);
      PetscCall(PlexLabelHolds(label, value, cone[k], &c->marked[trace]));
    }
  }
  PetscCall(PlexDGFacesDestroy_Private(&F));
  PetscCall(PlexDGCutShare(c, NULL, c->marked));
  for (PetscInt g = 0; g < mesh->nghosts; ++g)
    if (c->across[g]) c->marked[mesh->sent[g]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's cells are region 1; what lies between them and others is marked */
static PetscErrorCode PlexDGCutUseCells(PlexDGCut *c, DMLabel label, PetscInt value, PetscBool *any)
{
  PlexDGMesh mesh = c->dg->mesh;
  PetscInt   ghost;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscBool holds;

    PetscCall(PlexLabelHolds(label, value, mesh->cells[e], &holds));
    c->region[e] = holds;
    *any         = (PetscBool)(*any || holds);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, any, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)c->dg)));
  if (!*any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCutShare(c, c->region, NULL));
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) {
    const PetscInt other = PlexDGCutAcross(c, t, &ghost), there = ghost >= 0 ? c->across[ghost]
                                                                : other >= 0 ? c->region[other]
                                                                             : c->region[t / mesh->faces];

    c->marked[t] = (PetscBool)(there != c->region[t / mesh->faces]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lowest number that two elements' regions have, of a forest in region[] */
static PetscInt PlexDGCutRoot(PetscInt region[], PetscInt e)
{
  while (region[e] != e) {
    region[e] = region[region[e]];
    e         = region[e];
  }
  return e;
}

/* Regions that marked faces leave, numbered by an element in each, the same on all processes */
static PetscErrorCode PlexDGCutFindRegions(PlexDGCut *c)
{
  MPI_Comm   comm    = PetscObjectComm((PetscObject)c->dg);
  PlexDGMesh mesh    = c->dg->mesh;
  PetscInt   first   = 0, ghost, *root, *number;
  PetscBool  changed = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&mesh->Ne, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMalloc2(mesh->Ne, &root, mesh->Ne, &number));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    root[e]   = e;
    number[e] = first + e;
  }
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) {
    const PetscInt other = c->marked[t] ? -1 : PlexDGCutAcross(c, t, &ghost);
    PetscInt       a, b;

    if (other < 0) continue;
    a                    = PlexDGCutRoot(root, t / mesh->faces);
    b                    = PlexDGCutRoot(root, other);
    root[PetscMax(a, b)] = PetscMin(a, b);
  }
  while (changed) {
    changed = PETSC_FALSE;
    for (PetscInt e = 0; e < mesh->Ne; ++e) c->region[e] = number[PlexDGCutRoot(root, e)];
    PetscCall(PlexDGCutShare(c, c->region, NULL));
    for (PetscInt g = 0; g < mesh->nghosts; ++g) {
      const PetscInt a = PlexDGCutRoot(root, mesh->sent[g] / mesh->faces);

      if (c->marked[mesh->sent[g]] || c->across[g] >= number[a]) continue;
      number[a] = c->across[g];
      changed   = PETSC_TRUE;
    }
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_C_BOOL, MPI_LOR, comm));
  }
  PetscCall(PetscFree2(root, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Regions become 0, the one with the largest x of all, and 1 */
static PetscErrorCode PlexDGCutFindOutside(PlexDGCut *c)
{
  MPI_Comm   comm    = PetscObjectComm((PetscObject)c->dg);
  PlexDGMesh mesh    = c->dg->mesh;
  PetscReal  most    = PETSC_MIN_REAL;
  PetscInt   outside = PETSC_INT_MAX;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < mesh->Ne * mesh->nv; ++i) most = PetscMax(most, mesh->x[i * mesh->dim]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, comm));
  for (PetscInt i = 0; i < mesh->Ne * mesh->nv; ++i)
    if (mesh->x[i * mesh->dim] == most) outside = PetscMin(outside, c->region[i / mesh->nv]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &outside, 1, MPIU_INT, MPI_MIN, comm));
  for (PetscInt e = 0; e < mesh->Ne; ++e) c->region[e] = c->region[e] != outside;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each facet has the inside on one side, and not on the other */
static PetscErrorCode PlexDGCutCheckSides(PlexDGCut *c)
{
  PlexDGMesh mesh = c->dg->mesh;
  PetscInt   ghost;

  PetscFunctionBegin;
  PetscCall(PlexDGCutShare(c, c->region, NULL));
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) {
    const PetscInt other = PlexDGCutAcross(c, t, &ghost), there = ghost >= 0 ? c->across[ghost]
                                                                : other >= 0 ? c->region[other]
                                                                             : -1;

    if (c->marked[t] && there == c->region[t / mesh->faces])
      PetscCall(PlexDGCutBadSide(c, t,
                                 "has the same region on both sides: the surface is not closed, or lies in another "
                                 "one. Give it all of its facets, or a label of the cells inside"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a surface of the boundary alone: 1 where the mesh is inside of it, -1 where it is a hole of the mesh */
static PetscErrorCode PlexDGCutGetBoundarySign(PlexDGCut *c, PetscInt *sign)
{
  PlexDGMesh mesh   = c->dg->mesh;
  PetscReal  volume = 0., x[3], area[3];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) {
    if (!c->marked[t]) continue;
    PlexDGSideGetArea(c->dg, t, x, area);
    for (PetscInt d = 0; d < 3; ++d) volume += x[d] * area[d];
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &volume, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)c->dg)));
  *sign = volume > 0. ? 1 : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sides, from what is marked; boundary: the sign of facets there, 0 where that follows from their elements */
static PetscErrorCode PlexDGCutGetSides(const PlexDGCut *c, PetscInt boundary, PlexDGSurface *s)
{
  PlexDGMesh mesh    = c->dg->mesh;
  PetscInt   n       = 0, ghost;
  PetscReal  sums[4] = {0., 0., 0., 0.}, x[3], area[3];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) n += c->marked[t];
  PetscCall(PetscMalloc3(n, &s->traces, n, &s->signs, n, &s->alone));
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t) {
    const PetscInt other = PlexDGCutAcross(c, t, &ghost);

    if (!c->marked[t]) continue;
    s->traces[s->n] = (int)t;
    s->alone[s->n]  = (PetscBool)(other < 0 && ghost < 0);
    s->signs[s->n]  = s->alone[s->n] && boundary ? (int)boundary : c->region[t / mesh->faces] ? 1 : -1;
    PlexDGSideGetArea(c->dg, t, x, area);
    for (PetscInt d = 0; d < 3; ++d) {
      if (s->alone[s->n] || s->signs[s->n] > 0) sums[d] += s->signs[s->n] * area[d];
    }
    if (s->alone[s->n] || s->signs[s->n] > 0)
      sums[3] += PetscSqrtReal(PetscSqr(area[0]) + PetscSqr(area[1]) + PetscSqr(area[2]));
    s->nfacets += s->alone[s->n] || s->signs[s->n] > 0;
    ++s->n;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &s->nfacets, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)c->dg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 4, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)c->dg)));
  s->area   = sums[3];
  s->closed = (PetscBool)(PetscAbsReal(sums[0]) + PetscAbsReal(sums[1]) + PetscAbsReal(sums[2]) < 1e-8 * sums[3]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks and regions of a label; boundary: the sign of its facets there */
static PetscErrorCode PlexDGCutUseLabel(PlexDGCut *c, DMLabel label, PetscInt value, PetscInt *boundary)
{
  PlexDGMesh mesh = c->dg->mesh;
  PetscBool  cells, inside = PETSC_FALSE;
  PetscInt   ghost;

  PetscFunctionBegin;
  *boundary = 0;
  PetscCall(PlexDGCutUseCells(c, label, value, &cells));
  if (cells) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCutMarkFacets(c, label, value));
  for (PetscInt t = 0; t < mesh->Ne * mesh->faces; ++t)
    if (c->marked[t] && (PlexDGCutAcross(c, t, &ghost) >= 0 || ghost >= 0)) inside = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &inside, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)c->dg)));
  if (inside) {
    PetscCall(PlexDGCutFindRegions(c));
    PetscCall(PlexDGCutFindOutside(c));
    PetscCall(PlexDGCutCheckSides(c));
  } else PetscCall(PlexDGCutGetBoundarySign(c, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSurfaceCreate_Private(PlexDG dg, const char name[], PetscInt value, const char what[],
                                           PlexDGSurface *s)
{
  MPI_Comm   comm = PetscObjectComm((PetscObject)dg);
  PlexDGMesh mesh = dg->mesh;
  PlexDGCut  c    = {.dg = dg};
  DMLabel    label;
  PetscInt   boundary;
  int        curved = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscCheck(mesh && !dg->quadrature, comm, PETSC_ERR_SUP,
             "%s is a surface of triangles or tetrahedra of nodal DG: use -plex_dg_discretization nodal", what);
  PetscCall(DMGetLabel(dg->dm, name, &label));
  PetscCheck(label, comm, PETSC_ERR_ARG_WRONG,
             "The mesh has no label %s, which %s is to be: -dm_view shows what it has", name, what);
  if (value == PETSC_DETERMINE) PetscCall(PetscStrncpy(c.name, name, sizeof(c.name)));
  else PetscCall(PetscSNPrintf(c.name, sizeof(c.name), "%s, value %" PetscInt_FMT ",", name, value));
  PetscCall(PetscCalloc1(mesh->Ne * mesh->faces, &c.marked));
  PetscCall(PetscCalloc1(mesh->Ne, &c.region));
  PetscCall(PetscMalloc2(mesh->nghosts, &c.across, mesh->nghosts, &c.said));
  PetscCall(PlexDGCutUseLabel(&c, label, value, &boundary));
  PetscCall(PlexDGCutGetSides(&c, boundary, s));
  PetscCall(PetscFree(c.marked));
  PetscCall(PetscFree(c.region));
  PetscCall(PetscFree2(c.across, c.said));
  PetscCheck(s->nfacets, comm, PETSC_ERR_ARG_WRONG,
             "%s is to be a surface of label %s which no facet of the mesh has, nor is any inside of some of its "
             "cells: "
             "-dm_view shows the labels and their values",
             what, c.name);
  for (PetscInt q = 0; q < s->n; ++q) curved |= PlexDGMeshCurvedIndex(mesh, s->traces[q] / mesh->faces) >= 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &curved, 1, MPI_INT, MPI_LOR, comm));
  PetscCheck(!curved, comm, PETSC_ERR_SUP,
             "%s is on surface %s beside curved elements, and works with affine ones alone: choose a surface a cell "
             "away from those that are bent",
             what, c.name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSurfaceDestroy_Private(PlexDGSurface *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(s->traces, s->signs, s->alone));
  s->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGSurfaceGetSide_Private(PlexDG dg, PetscInt trace, PetscReal center[3], PetscReal area[3])
{
  PlexDGSideGetArea(dg, trace, center, area);
}

/* All elements at the surface have the same coefficients, which `first` gets, of all processes */
PetscErrorCode PlexDGSurfaceGetMaterial_Private(PlexDG dg, const PlexDGSurface *s, const char what[], PetscReal first[])
{
  const PetscInt NK = dg->system->ncoefficients, faces = dg->mesh->faces;
  PetscReal      low[PLEX_DG_MAX_FIELDS], high[PLEX_DG_MAX_FIELDS];
  PetscBool      remembers = PETSC_FALSE, varies = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < s->n; ++q)
    for (PetscInt f = 0; f < dg->system->Nf; ++f)
      if (PlexDGMemoryHas_Private(dg, s->traces[q] / faces, f)) remembers = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &remembers, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  PetscCheck(!remembers, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "%s has to lie where fields have no memory variables, and a dispersive medium touches it: take another "
             "surface",
             what);
  for (PetscInt q = 0; q < s->n; ++q)
    if (PlexDGVaries(dg, s->traces[q] / faces)) varies = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &varies, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  PetscCheck(!varies, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "%s has to lie in one material, and PlexDGSetMaterialFunction() lets coefficients of cells vary that "
             "touch "
             "it: take another surface",
             what);
  for (PetscInt k = 0; k < NK; ++k) {
    low[k]  = PETSC_MAX_REAL;
    high[k] = PETSC_MIN_REAL;
    for (PetscInt q = 0; q < s->n; ++q) {
      low[k]  = PetscMin(low[k], dg->coefficients[s->traces[q] / faces * NK + k]);
      high[k] = PetscMax(high[k], dg->coefficients[s->traces[q] / faces * NK + k]);
    }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, low, (PetscMPIInt)NK, MPIU_REAL, MPIU_MIN,
                              PetscObjectComm((PetscObject)dg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, high, (PetscMPIInt)NK, MPIU_REAL, MPIU_MAX,
                              PetscObjectComm((PetscObject)dg)));
  for (PetscInt k = 0; k < NK; ++k) {
    PetscCheck(low[k] == high[k], PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
               "%s has to lie in one material, and on its sides coefficient %s is from %g to %g: take a surface that "
               "does "
               "not touch another material",
               what, dg->system->coefficients[k].name, (double)low[k], (double)high[k]);
    PetscCheck(strcmp(dg->system->coefficients[k].name, "sigma") || low[k] == 0., PetscObjectComm((PetscObject)dg),
               PETSC_ERR_ARG_INCOMP,
               "%s has to lie in a material that conducts nothing, and sigma is %g there: take "
               "another surface, or -plex_dg_sigma 0 and -plex_dg_material for what conducts",
               what, (double)low[k]);
    first[k] = low[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option "name" or "name:value" */
PetscErrorCode PlexDGLabelOption_Private(PlexDG dg, const char option[], size_t size, char label[], PetscInt *value,
                                         PetscBool *set)
{
  char      tag[256], *colon;
  PetscBool found;

  PetscFunctionBegin;
  *value = PETSC_DETERMINE;
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, tag, sizeof(tag),
                                  set));
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  colon = strrchr(tag, ':');
  if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
    PetscCall(PetscOptionsStringToInt(colon + 1, value));
    *colon = 0;
  }
  PetscCheck(tag[0], PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "Option %s has no name of a label: %s NAME or NAME:VALUE", option, option);
  for (char *c = tag; *c; ++c)
    if (*c == ' ') *c = '_';
  PetscCall(PlexDGFindLabel_Private(dg, tag, size, label, &found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
