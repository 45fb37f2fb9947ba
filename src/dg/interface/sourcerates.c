/*
  Sources that do not depend on the state: an incident wave on a surface, inside of which the state is the total field and
  outside the scattered one, and currents at points. What they add to rates is computed after a right-hand side or a stage
  by a kernel of their own, cuda/dg/sources.h, of the few elements that have any.
*/
#include "dgimpl.h"

#define PLEX_SOURCE_NUMBERS 8     /* of a dipole: moment, and its change in time */
#define PLEX_SOURCE_INSIDE  1e-10 /* barycentric coordinates are not less than minus this inside */

struct _n_PlexDGSources {
  PlexDGSourceArgs args;
  PlexModule       module;
  PlexKernel       surface, points;
  PetscInt         nfacets;     /* of the surface, on all processes */
  int             *elements[2]; /* of both lists, on the host: those of a level after those of the one before */
  PetscInt        *begins[2];   /* [levels + 1] where those of a level begin */
};

/* ---- Set-up */

/* Keeps a list of elements, and where those of each level begin */
static PetscErrorCode PlexDGSourcesKeep(PlexDG dg, PlexDGSources s, int list, PetscInt n, const int elements[])
{
  const PetscInt nlevels = PlexDGMeshLevelsN(dg->mesh);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &s->elements[list]));
  PetscCall(PetscArraycpy(s->elements[list], elements, n));
  PetscCall(PetscCalloc1(nlevels + 1, &s->begins[list]));
  for (PetscInt k = 0; k < n; ++k) ++s->begins[list][PlexDGMeshGetLevel(dg->mesh, elements[k]) + 1];
  for (PetscInt l = 0; l < nlevels; ++l) s->begins[list][l + 1] += s->begins[list][l];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places order[n] of own elements e[n], of one level after the other, and in a level as they are */
static PetscErrorCode PlexDGSourcesOrder(PlexDG dg, PetscInt n, const PetscInt e[], PetscInt order[])
{
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < PlexDGMeshLevelsN(dg->mesh); ++l)
    for (PetscInt q = 0; q < n; ++q)
      if (e[q] >= 0 && PlexDGMeshGetLevel(dg->mesh, e[q]) == l) order[at++] = q;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The surface's sides, by elements, which ascend in a level as traces do */
static PetscErrorCode PlexDGSourcesUploadSurface(PlexDG dg, const PlexDGSurface *surface, PlexDGSources s)
{
  PlexDGReference   R    = dg->reference;
  PlexDGMesh        mesh = dg->mesh;
  PlexDGSourceArgs *a    = &s->args;
  const PetscInt    n    = surface->n;
  int              *elements, *starts, *sides;
  PetscInt         *own, *order;
  PetscReal        *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(n, &elements, n + 1, &starts, n, &sides, n * R->Nfp * R->dim, &x, n, &own, n, &order));
  for (PetscInt q = 0; q < n; ++q) own[q] = surface->traces[q] / mesh->faces;
  PetscCall(PlexDGSourcesOrder(dg, n, own, order));
  for (PetscInt q = 0; q < n; ++q) {
    const int trace = surface->traces[order[q]], e = trace / (int)mesh->faces, f = trace % (int)mesh->faces;

    if (!a->n || elements[a->n - 1] != e) {
      starts[a->n]     = (int)q;
      elements[a->n++] = e;
    }
    sides[q] = 2 * f + (surface->signs[order[q]] > 0);
    for (PetscInt m = 0; m < R->Nfp; ++m)
      PetscCall(PlexDGMeshGetPosition(mesh, e, &dg->shapes[R->faceNodes[f * R->Nfp + m] * mesh->nx],
                                      &x[(q * R->Nfp + m) * R->dim]));
  }
  starts[a->n] = (int)n;
  PetscCall(PlexDGUpload(dg, elements, sizeof(int) * (size_t)a->n, (const void **)&a->elements));
  PetscCall(PlexDGUpload(dg, starts, sizeof(int) * (size_t)(a->n + 1), (const void **)&a->starts));
  PetscCall(PlexDGUpload(dg, sides, sizeof(int) * (size_t)n, (const void **)&a->sides));
  PetscCall(PlexDGUploadReals(dg, (size_t)(n * R->Nfp * R->dim), x, &a->x));
  PetscCall(PlexDGSourcesKeep(dg, s, 0, a->n, elements));
  PetscCall(PetscFree6(elements, starts, sides, x, own, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSourcesSetSurface(PlexDG dg, PlexDGSources s)
{
  const char    what[] = "The surface of the total field";
  PlexDGSurface surface;
  PetscReal     material[PLEX_DG_MAX_FIELDS];
  int           alone = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGSurfaceCreate_Private(dg, dg->totalLabel, dg->totalValue, what, &surface));
  for (PetscInt q = 0; q < surface.n; ++q) alone = alone || surface.alone[q];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCheck(!alone, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "%s, label %s, has facets on the boundary of the mesh, where there is nothing on the other side: use "
             "-plex_dg_bc_<label> incident there, or another surface",
             what, dg->totalLabel);
  PetscCall(PlexDGSurfaceGetMaterial_Private(dg, &surface, what, material));
  s->nfacets = surface.nfacets;
  PetscCall(PlexDGSourcesUploadSurface(dg, &surface, s));
  PetscCall(PlexDGSurfaceDestroy_Private(&surface));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The own element that has x, of several the one with the least centroid by its coordinates in turn, as on all processes;
   -1: another process has it. r[dim]: where in it */
static PetscErrorCode PlexDGSourcesFind(PlexDG dg, const PetscReal x[], PetscInt *element, PetscReal r[])
{
  PlexDGMesh     mesh    = dg->mesh;
  const PetscInt dim     = mesh->dim;
  PetscReal      best[3] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}, least[3];
  PetscBool      there   = PETSC_TRUE;

  PetscFunctionBegin;
  *element = -1;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscReal *v = &mesh->x[e * mesh->nv * dim], *rx = &mesh->rx[e * dim * dim];
    PetscReal        at[3], center[3] = {0., 0., 0.}, low = 1., sum = 0.;
    PetscBool        before = PETSC_FALSE, behind = PETSC_FALSE;

    for (PetscInt a = 0; a < dim; ++a) {
      at[a] = -1.;
      for (PetscInt d = 0; d < dim; ++d) at[a] += rx[a * dim + d] * (x[d] - v[d]);
      low = PetscMin(low, (1. + at[a]) / 2.);
      sum += (1. + at[a]) / 2.;
    }
    if (PetscMin(low, 1. - sum) < -PLEX_SOURCE_INSIDE) continue;
    for (PetscInt k = 0; k < mesh->nv; ++k)
      for (PetscInt d = 0; d < dim; ++d) center[d] += v[k * dim + d] / mesh->nv;
    for (PetscInt d = 0; d < dim && !before && !behind; ++d) {
      before = (PetscBool)(center[d] < best[d]);
      behind = (PetscBool)(center[d] > best[d]);
    }
    if (!before) continue;
    *element = e;
    PetscCall(PetscArraycpy(best, center, 3));
    PetscCall(PetscArraycpy(r, at, dim));
  }
  for (int d = 0; d < 3; ++d) {
    least[d] = there ? best[d] : PETSC_MAX_REAL;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &least[d], 1, MPIU_REAL, MPIU_MIN, PetscObjectComm((PetscObject)dg)));
    there = (PetscBool)(there && best[d] == least[d]);
    PetscCheck(d || least[0] < PETSC_MAX_REAL, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
               "A dipole is at (%g, %g, %g), which is in no element of the mesh: see -plex_dg_dipole_position, "
               "PlexDGAddDipole()",
               (double)x[0], (double)x[1], (double)x[2]);
  }
  if (!there) *element = -1;
  PetscCheck(!there || PlexDGMeshCurvedIndex(mesh, *element) < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A dipole is at (%g, %g, %g), in a curved element, and works in affine ones alone: move it by a cell, or "
             "leave the curve of that element out",
             (double)x[0], (double)x[1], (double)x[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1 of the element times the basis at r: b[Np] */
static PetscErrorCode PlexDGSourcesProject(PlexDG dg, PetscInt e, const PetscReal r[], PetscReal b[])
{
  PlexDGReference R  = dg->reference;
  const PetscInt  Np = R->Np;
  PetscReal      *phi, *modes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Np, &phi, Np, &modes));
  PetscCall(PlexDGReferenceInterpolate(R, 1, r, phi));
  for (PetscInt j = 0; j < Np; ++j) { /* M^-1 = V V^T over the determinant */
    modes[j] = 0.;
    for (PetscInt i = 0; i < Np; ++i) modes[j] += R->V[i * Np + j] * phi[i];
  }
  for (PetscInt i = 0; i < Np; ++i) {
    b[i] = 0.;
    for (PetscInt j = 0; j < Np; ++j) b[i] += R->V[i * Np + j] * modes[j] / dg->mesh->detJ[e];
  }
  PetscCall(PetscFree2(phi, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSourcesSetPoints(PlexDG dg, PlexDGSources s)
{
  const PetscInt    n = dg->ndipoles, Np = dg->reference->Np;
  PlexDGSourceArgs *a = &s->args;
  PetscInt         *element, *order, *sorted, count = 0, own = 0;
  PetscReal        *r, *basis, *numbers;
  int              *elements, *starts;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &sorted));
  PetscCall(PetscMalloc7(n, &element, n, &order, 3 * n, &r, n * Np, &basis, PLEX_SOURCE_NUMBERS * n, &numbers, n,
                         &elements, n + 1, &starts));
  for (PetscInt q = 0; q < n; ++q) {
    order[q] = q;
    PetscCall(PlexDGSourcesFind(dg, dg->dipoles[q].x, &element[q], &r[3 * q]));
  }
  PetscCall(PetscSortIntWithArray(n, element, order));
  for (PetscInt q = 0; q < n; ++q) own += element[q] >= 0;
  PetscCall(PlexDGSourcesOrder(dg, n, element, sorted));
  for (PetscInt p = 0; p < own; ++p) {
    const PetscInt      q = sorted[p];
    const PlexDGDipole *d = &dg->dipoles[order[q]];

    if (!a->npoints || elements[a->npoints - 1] != element[q]) {
      starts[a->npoints]     = (int)count;
      elements[a->npoints++] = (int)element[q];
    }
    PetscCall(PlexDGSourcesProject(dg, element[q], &r[3 * order[q]], &basis[count * Np]));
    PetscCall(PetscArraycpy(&numbers[count * PLEX_SOURCE_NUMBERS], d->moment, 3));
    PetscCall(PetscArraycpy(&numbers[count * PLEX_SOURCE_NUMBERS + 3], d->pulse, 5));
    ++count;
  }
  starts[a->npoints] = (int)count;
  PetscCall(PlexDGUpload(dg, elements, sizeof(int) * (size_t)a->npoints, (const void **)&a->pointElements));
  PetscCall(PlexDGUpload(dg, starts, sizeof(int) * (size_t)(a->npoints + 1), (const void **)&a->pointStarts));
  PetscCall(PlexDGUploadReals(dg, (size_t)(count * Np), basis, &a->basis));
  PetscCall(PlexDGUploadReals(dg, (size_t)(count * PLEX_SOURCE_NUMBERS), numbers, &a->numbers));
  PetscCall(PlexDGSourcesKeep(dg, s, 1, a->npoints, elements));
  PetscCall(PetscFree(sorted));
  PetscCall(PetscFree7(element, order, r, basis, numbers, elements, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSourcesCreate_Private(PlexDG dg)
{
  PlexDGSources s;

  PetscFunctionBegin;
  if (!dg->totalLabel && !dg->ndipoles) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->parts[0] && !dg->quadrature && dg->system->host[dg->precision]->sources,
             PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "System %s of %s DG has no total field and no dipoles, which linear systems with PLEX_DG_INCIDENT have, "
             "as "
             "maxwell: leave -plex_dg_total_field and -plex_dg_dipole_position out",
             dg->system->name, dg->quadrature ? "quadrature" : "nodal");
  PetscCall(PetscNew(&s));
  dg->sources = s;
  if (dg->totalLabel) PetscCall(PlexDGSourcesSetSurface(dg, s));
  if (dg->ndipoles) PetscCall(PlexDGSourcesSetPoints(dg, s));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCompile(dg, "dg/sources.cu", 0, NULL, &s->module));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_sources", &s->surface));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_source_points", &s->points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSourcesReset_Private(PlexDG dg)
{
  PetscFunctionBegin;
  if (!dg->sources) PetscFunctionReturn(PETSC_SUCCESS);
  for (int list = 0; list < 2; ++list) {
    PetscCall(PetscFree(dg->sources->elements[list]));
    PetscCall(PetscFree(dg->sources->begins[list]));
  }
  PetscCall(PlexModuleDestroy(&dg->sources->module));
  PetscCall(PetscFree(dg->sources));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSourcesView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!dg->sources) PetscFunctionReturn(PETSC_SUCCESS);
  if (dg->totalLabel)
    PetscCall(PetscViewerASCIIPrintf(viewer, "total field: inside of %" PetscInt_FMT " facets of label %s\n",
                                     dg->sources->nfacets, dg->totalLabel));
  if (dg->ndipoles) PetscCall(PetscViewerASCIIPrintf(viewer, "dipoles: %" PetscInt_FMT "\n", dg->ndipoles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates */

/* Lists that args has, of n and npoints elements */
static PetscErrorCode PlexDGSourcesCompute(PlexDG dg, PlexDGSourceArgs *args, PlexDGSourceTarget *to)
{
  PlexDGSources  s           = dg->sources;
  const PetscInt threads     = (dg->reference->Np + 31) / 32 * 32;
  void          *arguments[] = {&dg->args, args, to};

  PetscFunctionBegin;
  if (!s->surface)
    (*dg->system->host[dg->precision]->sources)(&dg->args, args, to, (int)dg->reference->Np, (int)dg->reference->Nfp);
  if (s->surface && args->n) PetscCall(PlexKernelLaunch(s->surface, args->n, threads, 0, arguments));
  if (s->points && args->npoints) PetscCall(PlexKernelLaunch(s->points, args->npoints, threads, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSourcesAdd_Private(PlexDG dg, PetscReal t, void *r, PetscReal factor, void *next, PetscReal weight,
                                        PetscBool isSingle)
{
  PlexDGSourceTarget to = {.r = r, .next = next, .factor = factor, .weight = weight, .single = (int)isSingle};

  PetscFunctionBegin;
  dg->sources->args.t = t;
  PetscCall(PlexDGSourcesCompute(dg, &dg->sources->args, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGSourcesGetElements_Private(PlexDG dg, int list, PetscInt *n, const int **elements)
{
  PlexDGSources s = dg->sources;

  *n        = !s || !s->begins[list] ? 0 : list ? s->args.npoints : s->args.n;
  *elements = *n ? s->elements[list] : NULL;
}

PetscErrorCode PlexDGSourcesAddLevel_Private(PlexDG dg, PetscReal t, PetscInt level, PlexDGSourceTarget *to)
{
  PlexDGSources    s    = dg->sources;
  PlexDGSourceArgs args = s->args;

  PetscFunctionBegin;
  args.t = t;
  if (s->begins[0]) {
    args.n = (int)(s->begins[0][level + 1] - s->begins[0][level]);
    args.elements += s->begins[0][level];
    args.starts += s->begins[0][level];
  }
  if (s->begins[1]) {
    args.npoints = (int)(s->begins[1][level + 1] - s->begins[1][level]);
    args.pointElements += s->begins[1][level];
    args.pointStarts += s->begins[1][level];
  }
  if (args.n || args.npoints) PetscCall(PlexDGSourcesCompute(dg, &args, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}
