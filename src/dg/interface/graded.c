/*
  Coefficients that vary within cells: graded materials.

  With weights w of the equations, w u_t = L u where L does not depend on the coefficients (w = epsilon of E and mu of H), the
  element's mass matrix M_{J w} is replaced by M M_{1/(J w)}^-1 M, whose inverse is products with matrices of the reference
  element and a number at each point (Chan, Hewett and Warburton, Weight-adjusted discontinuous Galerkin methods: wave
  propagation in heterogeneous media, SIAM J. Sci. Comput. 39, 2017). It is that of curved elements (src/dg/impls/curved) with
  1/(J w) in the place of 1/J, so such cells are computed as curved ones, straight or not, with

    ratio  w_e/w(x) at the points, where w_e are the weights of the element's own coefficients, by which its rates are divided
    k      coefficients of both sides at the points of faces, of which fluxes are made

  Cells that share a facet with one are computed likewise, with their constant coefficients, so that both sides of a face have
  the same flux at the same points. Then energy, of the norm M M_{1/(J w)}^-1 M, changes by fluxes alone as with constant
  coefficients.

  The element's own coefficients are those with the largest speed among the least and largest values at its points: the time
  step follows them.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../nodal/nodalimpl.h"

PetscErrorCode PlexDGGradingsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ngradings; ++k) PetscCall(PetscFree(dg->gradings[k].label));
  PetscCall(PetscFree(dg->gradings));
  dg->ngradings = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up */

PetscErrorCode PlexDGGradedDestroy_Private(PlexDGGraded *graded)
{
  PetscFunctionBegin;
  if (!*graded) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*graded)->varies));
  PetscCall(PetscFree3((*graded)->ratio, (*graded)->k, (*graded)->mean));
  PetscCall(PetscFree(*graded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which function each element has, and of elements across faces between processes, with the vertices of these faces as they
   have them: another place where the mesh is periodic */
typedef struct {
  PetscInt  *which;   /* [Ne + nghosts] -1: none */
  PetscReal *corners; /* [nghosts][dim][dim] vertices of the other element's face, in its order */
  PetscReal *k;       /* [Ne + nghosts][NK] coefficients of the elements */
} PlexDGGradedCells;

static PetscErrorCode PlexDGGradedFindCells(PlexDG dg, PlexDGGradedCells *c)
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, unit = 1 + dim * dim, NK = dg->system->ncoefficients, all = mesh->Ne + mesh->nghosts;
  PetscReal     *sent, *received;
  PetscInt      *held, vertices[4];
  MPI_Datatype   type;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(all, &c->which, mesh->nghosts * dim * dim, &c->corners, all * NK, &c->k));
  PetscCall(PetscArraycpy(c->k, dg->coefficients, all * NK));
  PetscCall(PetscCalloc1(dg->ngradings, &held));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscCall(PlexDGGradingFind_Private(dg->dm, dg->ngradings, dg->gradings, mesh->cells[e], &c->which[e]));
    if (c->which[e] >= 0) held[c->which[e]] = 1;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, held, (PetscMPIInt)dg->ngradings, MPIU_INT, MPI_MAX,
                              PetscObjectComm((PetscObject)dg)));
  for (PetscInt k = 0; k < dg->ngradings; ++k)
    PetscCheck(held[k] || !dg->gradings[k].func, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
               "PlexDGSetMaterialFunction() is called for value %" PetscInt_FMT " of label %s (%d: any), which no cell "
               "has, or "
               "later calls hold for all of its cells: -dm_view shows the labels and their values",
               dg->gradings[k].value, dg->gradings[k].label ? dg->gradings[k].label : "none", PETSC_DETERMINE);
  PetscCall(PetscFree(held));
  PetscCall(PetscMalloc2(mesh->nghosts * unit, &sent, mesh->nghosts * unit, &received));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) {
    const PetscInt e = mesh->sent[g] / mesh->faces;

    PlexDGFaceVertices(dim, PETSC_FALSE, mesh->sent[g] % mesh->faces, vertices);
    sent[g * unit] = (PetscReal)c->which[e];
    for (PetscInt v = 0; v < dim; ++v)
      PetscCall(PetscArraycpy(&sent[g * unit + 1 + v * dim], &mesh->x[(e * mesh->nv + vertices[v]) * dim], dim));
  }
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)unit, MPIU_REAL, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCall(PlexDGShare_Private(dg, type, sent, received));
  PetscCallMPI(MPI_Type_free(&type));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) {
    c->which[mesh->Ne + g] = (PetscInt)received[g * unit];
    PetscCall(PetscArraycpy(&c->corners[g * dim * dim], &received[g * unit + 1], dim * dim));
  }
  PetscCall(PetscFree2(sent, received));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k[NK] of element n, of this process or another one, at x + shift; an error where the system does not allow it. e: the own
   element at which that is */
static PetscErrorCode PlexDGGradedGet(PlexDG dg, const PlexDGGradedCells *c, PetscInt n, PetscInt e,
                                      const PetscReal x[], const PetscReal shift[], PetscReal k[])
{
  const PetscInt    NK = dg->system->ncoefficients, dim = dg->mesh->dim;
  const PlexDGHost *host  = dg->system->host[PLEX_PRECISION_DOUBLE];
  PetscReal         at[3] = {0., 0., 0.}, rates[PLEX_DG_MAX_FIELDS] = {0.};
  char              cell[160];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(k, &c->k[n * NK], NK));
  if (c->which[n] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt d = 0; d < dim; ++d) at[d] = x[d] + (shift ? shift[d] : 0.);
  PetscCall((*dg->gradings[c->which[n]].func)(dim, at, NK, k, dg->gradings[c->which[n]].ctx));
  for (PetscInt i = 0; i < NK; ++i) {
    PetscBool good = (PetscBool)!PetscIsInfOrNanReal(k[i]);

    for (PetscInt b = 0; b < dg->system->nbounds; ++b) {
      const PlexDGBound *bound = &dg->system->bounds[b];

      if (strcmp(bound->name, dg->system->coefficients[i].name)) continue;
      if (!(k[i] >= bound->least && k[i] <= bound->most) || (bound->beyond && k[i] == bound->least)) good = PETSC_FALSE;
    }
    if (good) continue;
    PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
            "The function of PlexDGSetMaterialFunction() gives the coefficient %s = %g at (%g, %g, %g), in or beside "
            "%s, "
            "which "
            "system %s does not allow",
            dg->system->coefficients[i].name, (double)k[i], (double)at[0], (double)at[1], (double)at[2], cell,
            dg->system->name);
  }
  if (host->decay) (*host->decay)(k, dg->constants, rates);
  for (PetscInt f = 0; f < dg->system->Nf; ++f) {
    if (rates[f] == 0.) continue;
    PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "Fields decay, as sigma makes them, in or beside %s, where PlexDGSetMaterialFunction() lets coefficients "
            "vary: "
            "take "
            "PlexDGAddMaterial() or PlexDGSetCoefficients() for what conducts",
            cell);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions x[n][dim] of element e, of bases B[n][nx] */
static PetscErrorCode PlexDGGradedPositions(PlexDGMesh mesh, PetscInt e, PetscInt n, const PetscReal B[], PetscReal x[])
{
  PetscFunctionBegin;
  for (PetscInt g = 0; g < n; ++g) PetscCall(PlexDGMeshGetPosition(mesh, e, &B[g * mesh->nx], &x[g * mesh->dim]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of low[] and high[] the coefficients with the largest speed, to k[] */
static void PlexDGGradedFastest(PlexDG dg, const PetscReal low[], const PetscReal high[], PetscReal k[])
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt    NK = dg->system->ncoefficients, corners = (PetscInt)1 << NK;
  PetscReal         u[PLEX_DG_MAX_FIELDS] = {0.}, best = -1.;

  for (PetscInt corner = 0; corner < corners; ++corner) {
    PetscReal at[PLEX_DG_MAX_FIELDS], speed;

    for (PetscInt i = 0; i < NK; ++i) at[i] = corner >> i & 1 ? high[i] : low[i];
    speed = (*host->speed)(u, at, dg->constants);
    if (speed <= best) continue;
    best = speed;
    for (PetscInt i = 0; i < NK; ++i) k[i] = at[i];
  }
}

/* Ratios of curved element index, element e; its coefficients at points values[NG][NK] are work space */
static PetscErrorCode PlexDGGradedSetVolume(PlexDG dg, const PlexDGGradedCells *c, PetscInt index, PetscInt e,
                                            const PetscReal B[], PetscReal x[], PetscReal values[])
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  PlexDGGraded      z    = dg->graded;
  const PetscInt    NG = dg->curved->NG, NK = dg->system->ncoefficients, dim = dg->mesh->dim, nw = z->nweights;
  PetscReal        *own = &dg->coefficients[e * NK], w[PLEX_DG_MAX_FIELDS], at[PLEX_DG_MAX_FIELDS];
  PetscReal         low[PLEX_DG_MAX_FIELDS], high[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  PetscCall(PlexDGGradedPositions(dg->mesh, e, NG, B, x));
  for (PetscInt g = 0; g < NG; ++g) {
    PetscReal *k = &values[g * NK];

    PetscCall(PlexDGGradedGet(dg, c, e, e, &x[g * dim], NULL, k));
    for (PetscInt i = 0; i < NK; ++i) {
      low[i]  = g ? PetscMin(low[i], k[i]) : k[i];
      high[i] = g ? PetscMax(high[i], k[i]) : k[i];
      z->mean[index * NK + i] += k[i] / NG;
    }
  }
  if (z->varies[e]) PlexDGGradedFastest(dg, low, high, own);
  (*host->weights)(own, dg->constants, w);
  for (PetscInt g = 0; g < NG; ++g) {
    (*host->weights)(&values[g * NK], dg->constants, at);
    for (PetscInt j = 0; j < nw; ++j) z->ratio[((size_t)index * nw + j) * NG + g] = w[j] / at[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From where own element e has face f to where the element across has it */
static PetscErrorCode PlexDGGradedShift(PlexDG dg, const PlexDGGradedCells *c, PetscInt e, PetscInt f,
                                        PetscReal shift[])
{
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   dim = mesh->dim, link = mesh->links[e * mesh->faces + f], trace = link / mesh->turns,
                   own = mesh->Ne * mesh->faces;
  PetscInt         vertices[4], others[4], turn[4];
  const PetscReal *here, *there, *end;
  PetscReal        size = 0., far = 0.;

  PetscFunctionBegin;
  PlexDGTurnGet(dim, link % mesh->turns, turn);
  PlexDGFaceVertices(dim, PETSC_FALSE, f, vertices);
  here = &mesh->x[(e * mesh->nv + vertices[0]) * dim];
  end  = &mesh->x[(e * mesh->nv + vertices[1]) * dim];
  if (trace < own) {
    PlexDGFaceVertices(dim, PETSC_FALSE, trace % mesh->faces, others);
    there = &mesh->x[(trace / mesh->faces * mesh->nv + others[turn[0]]) * dim];
  } else there = &c->corners[((trace - own) * dim + turn[0]) * dim];
  for (PetscInt d = 0; d < dim; ++d) {
    shift[d] = there[d] - here[d];
    size     = PetscMax(size, PetscAbsReal(end[d] - here[d]));
    far      = PetscMax(far, PetscAbsReal(shift[d]));
  }
  for (PetscInt d = 0; d < dim && far < 1e-6 * size; ++d) shift[d] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients on both sides of the faces of curved element index, element e; B[faces][MG][nx] */
static PetscErrorCode PlexDGGradedSetFaces(PlexDG dg, const PlexDGGradedCells *c, PetscInt index, PetscInt e,
                                           const PetscReal B[], PetscReal x[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt MG = dg->curved->MG, NK = dg->system->ncoefficients, faces = mesh->faces;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < faces; ++f) {
    const PetscInt across = PlexDGMeshAcross(mesh, e, f);
    PetscReal     *to = &dg->graded->k[((size_t)index * faces + f) * 2 * NK * MG], shift[3] = {0., 0., 0.};

    PetscCall(PlexDGGradedPositions(mesh, e, MG, &B[f * MG * mesh->nx], x));
    if (across >= 0) PetscCall(PlexDGGradedShift(dg, c, e, f, shift));
    for (PetscInt g = 0; g < MG; ++g)
      for (PetscInt side = 0; side < 2; ++side) {
        const PetscBool other = (PetscBool)(side && across >= 0);
        PetscReal       k[PLEX_DG_MAX_FIELDS];

        PetscCall(PlexDGGradedGet(dg, c, other ? across : e, e, &x[g * mesh->dim], other ? shift : NULL, k));
        for (PetscInt i = 0; i < NK; ++i) to[(side * NK + i) * MG + g] = k[i];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ratios and coefficients at all points, once it is known which cells have a function */
static PetscErrorCode PlexDGGradedCreate(PlexDG dg, const PlexDGGradedCells *c, PlexDGGraded *graded)
{
  PlexDGMesh        mesh = dg->mesh;
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt    dim = mesh->dim, NG = dg->curved->NG, MG = dg->curved->MG, NK = dg->system->ncoefficients,
                    faces = mesh->faces, n = mesh->ncurved[0] + mesh->ncurved[1], most = PetscMax(NG, faces * MG);
  PetscReal        *B, *faceB, *points, *x, *values;
  PlexDGGraded      z;

  PetscFunctionBegin;
  PetscCall(PetscNew(&z));
  *graded     = z;
  z->nweights = host->nweights;
  PetscCall(PetscMalloc1(mesh->Ne, &z->varies));
  for (PetscInt e = 0; e < mesh->Ne; ++e) z->varies[e] = (PetscBool)(c->which[e] >= 0);
  PetscCall(PetscCalloc3((size_t)n * z->nweights * NG, &z->ratio, (size_t)n * faces * 2 * NK * MG, &z->k,
                         (size_t)n * NK, &z->mean));
  PetscCall(PetscMalloc5(NG * mesh->nx, &B, faces * MG * mesh->nx, &faceB, most * dim, &points, most * dim, &x, NG * NK,
                         &values));
  PetscCall(PlexDGMeshTabulate(mesh, NG, dg->curved->points, B, NULL));
  for (PetscInt f = 0; f < faces; ++f)
    PlexDGFacePoints_Private(dg->reference, f, MG, dg->curved->facePoints, &points[f * MG * dim]);
  PetscCall(PlexDGMeshTabulate(mesh, faces * MG, points, faceB, NULL));
  for (PetscInt index = 0; index < n; ++index) {
    const PetscInt e = PlexDGMeshCurvedElement(mesh, index);

    PetscCall(PlexDGGradedSetVolume(dg, c, index, e, B, x, values));
    PetscCall(PlexDGGradedSetFaces(dg, c, index, e, faceB, x));
  }
  PetscCall(PetscFree5(B, faceB, points, x, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGradedSetUp_Private(PlexDG dg)
{
  MPI_Comm          comm = PetscObjectComm((PetscObject)dg);
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  PlexDGGradedCells c;

  PetscFunctionBegin;
  if (!dg->ngradings) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(host->weights, comm, PETSC_ERR_SUP,
             "Coefficients of system %s cannot vary in cells: PlexDGSetMaterialFunction() is for maxwell and "
             "acoustics, "
             "and "
             "for systems whose header defines PLEX_DG_WEIGHTS",
             dg->system->name);
  PetscCheck(!host->addsource, comm, PETSC_ERR_SUP,
             "System %s has a current or source here, which PlexDGSetMaterialFunction() is not for: use dipoles in "
             "cells "
             "without a function",
             dg->system->name);
  PetscCall(PlexDGGradedFindCells(dg, &c));
  if (dg->curved) PetscCall(PlexDGGradedCreate(dg, &c, &dg->graded));
  PetscCall(PetscFree3(c.which, c.corners, c.k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What knows coefficients of elements alone */
PetscErrorCode PlexDGGradedCheck_Private(PlexDG dg)
{
  PlexDGMesh mesh = dg->mesh;
  char       cell[160];

  PetscFunctionBegin;
  if (!dg->graded) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    for (PetscInt f = 0; f < dg->system->Nf && dg->graded->varies[e]; ++f) {
      if (!PlexDGMemoryHas_Private(dg, e, f)) continue;
      PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
              "There is a dispersive medium in %s, where PlexDGSetMaterialFunction() lets coefficients vary: such "
              "cells "
              "have one or the other",
              cell);
    }
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / mesh->faces;

    if (!dg->graded->varies[e] || dg->system->homogeneous >> dg->kinds[b] & 1) continue;
    PetscCall(PlexDGMeshCellName_Private(mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "A facet of %s has the boundary condition %s, whose wave is that of a uniform medium, and "
            "PlexDGSetMaterialFunction() lets coefficients vary there: let it enter elsewhere",
            cell, dg->system->kinds[dg->kinds[b]]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
