/*
  The equations div u = 0 of Stokes's equations that are not eliminated: what flows out of each element is zero,

    sum over faces of <phi_0, t . n> = 0

  with the pressure's function phi_0, a constant. B has minus these sums for the unknowns of the trace. What known traces
  bring out of an element is its right-hand side: B t = sum over known faces of <phi_0, t . n>.
*/
#include "stokes.h"

/* Numbers of known traces: count alone, or with what they bring out of elements by net[Ne][faces][dim][Nf] */
static void PlexHDGStokesSetKnown(PlexHDG hdg, const PetscReal net[])
{
  PlexHDGStokes  s    = hdg->stokes;
  PlexHDGMesh    mesh = hdg->mesh;
  PlexHDGElastic el   = hdg->elastic;
  const PetscInt n = PlexHDGBlockSize(hdg), Nf = hdg->reference->Nf, first = mesh->nown + mesh->nghost;

  s->nknown = s->nfacets = 0;
  for (PetscInt row = 0; row < mesh->Ne * mesh->faces; ++row) {
    const PetscInt at   = mesh->face[row] - first;
    const int      held = el->held && el->held[row] >= 0 ? el->bits[el->held[row]] : 0;

    if (at < 0 && !held) continue;
    if (net) s->facetElement[s->nfacets] = (int)(row / mesh->faces);
    for (PetscInt k = 0; k < n; ++k) {
      if (at < 0 && !(held >> (k / Nf) & 1)) continue;
      if (net) {
        s->known[s->nknown]   = (int)(at < 0 ? (mesh->nfixed + el->held[row]) * n + k : at * n + k);
        s->weights[s->nknown] = net[(size_t)row * n + k];
      }
      ++s->nknown;
    }
    ++s->nfacets;
    if (net) s->facetStart[s->nfacets] = (int)s->nknown;
  }
}

/* Global number of the first unknown of face l, -1: it is known */
static PetscInt PlexHDGStokesColumn(PlexHDG hdg, PetscInt l)
{
  PlexHDGMesh mesh = hdg->mesh;

  if (l >= mesh->nown + mesh->nghost) return -1;
  return (l < mesh->nown ? mesh->first + l : mesh->faceGlobal[l]) * PlexHDGBlockSize(hdg);
}

static PetscErrorCode PlexHDGStokesCreateB(PlexHDG hdg, const PetscReal net[])
{
  PlexHDGStokes  s    = hdg->stokes;
  PlexHDGMesh    mesh = hdg->mesh;
  PlexHDGElastic el   = hdg->elastic;
  const PetscInt n = PlexHDGBlockSize(hdg), Nf = hdg->reference->Nf, most = mesh->Ne * mesh->faces * n;
  PetscInt      *i, *j, at = 0, first = 0;
  PetscScalar   *values;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &s->B));
  PetscCall(MatSetSizes(s->B, mesh->Ne, mesh->nown * n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(s->B, PlexBackendMatType(hdg->backend)));
  PetscCall(PetscObjectSetName((PetscObject)s->B, "B"));
  PetscCall(PetscMalloc3(most, &i, most, &j, most, &values));
  PetscCallMPI(MPI_Scan(&mesh->Ne, &first, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  first -= mesh->Ne;
  for (PetscInt row = 0; row < mesh->Ne * mesh->faces; ++row) {
    const PetscInt column = PlexHDGStokesColumn(hdg, mesh->face[row]);
    const int      held   = el->held && el->held[row] >= 0 ? el->bits[el->held[row]] : 0;

    for (PetscInt k = 0; column >= 0 && k < n; ++k) {
      if (held >> (k / Nf) & 1) continue;
      i[at]        = first + row / mesh->faces;
      j[at]        = column + k;
      values[at++] = -net[(size_t)row * n + k];
    }
  }
  PetscCall(MatSetPreallocationCOO(s->B, at, i, j));
  PetscCall(MatSetValuesCOO(s->B, values, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether p has a free constant: B^T 1 = 0 */
static PetscErrorCode PlexHDGStokesSetClosed(PlexHDG hdg, PetscReal largest)
{
  PlexHDGStokes s = hdg->stokes;
  PetscReal     norm;
  Vec           one, sums;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(s->B, &sums, &one));
  PetscCall(VecSet(one, 1.));
  PetscCall(MatMultTranspose(s->B, one, sums));
  PetscCall(VecNorm(sums, NORM_INFINITY, &norm));
  s->closed = (PetscBool)(norm < 1e-9 * largest);
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesSetDivergence_Private(PlexHDG hdg)
{
  PlexHDGStokes  s   = hdg->stokes;
  const PetscInt Ne  = hdg->mesh->Ne;
  const size_t   n   = (size_t)Ne * PlexHDGTraceSize(hdg);
  PetscReal     *net = NULL, *volume, *material, sum[2] = {0., 0.};
  PetscScalar   *scale;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Ne, &volume, 2 * (size_t)Ne, &material));
  if (Ne) PetscCall(PlexBackendCopyOut(hdg->backend, volume, s->args.volume, sizeof(double) * Ne));
  if (Ne)
    PetscCall(PlexBackendCopyOut(hdg->backend, material, hdg->elastic->args.material, sizeof(double) * 2 * (size_t)Ne));
  PetscCall(VecGetArrayWrite(s->scale, &scale));
  for (PetscInt e = 0; e < Ne; ++e) scale[e] = material[2 * e + 1] / volume[e];
  PetscCall(VecRestoreArrayWrite(s->scale, &scale));
  if (!s->B) {
    PetscCall(PetscMalloc1(n, &net));
    if (n) PetscCall(PlexBackendCopyOut(hdg->backend, net, s->args.net, sizeof(double) * n));
    for (size_t k = 0; k < n; ++k) sum[1] = PetscMax(sum[1], PetscAbsReal(net[k]));
    PlexHDGStokesSetKnown(hdg, NULL);
    PetscCall(PetscMalloc4(s->nknown, &s->known, s->nknown, &s->weights, s->nfacets + 1, &s->facetStart, s->nfacets,
                           &s->facetElement));
    s->facetStart[0] = 0;
    PlexHDGStokesSetKnown(hdg, net);
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum[1], 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
    PetscCall(PlexHDGStokesCreateB(hdg, net));
    PetscCall(PlexHDGStokesSetClosed(hdg, sum[1]));
    for (PetscInt e = 0; e < Ne; ++e) sum[0] += volume[e];
    PetscCallMPI(MPIU_Allreduce(sum, &s->allVolume, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
    PetscCall(PetscFree(net));
  }
  PetscCall(PetscFree2(volume, material));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where nothing else can flow out, what known traces bring out of all elements has to be zero: what quadrature leaves of
   it is taken from all elements in proportion to their volumes */
static PetscErrorCode PlexHDGStokesBalance(PlexHDG hdg, PetscScalar rhs[], const PetscReal sums[])
{
  PlexHDGStokes s = hdg->stokes;
  PetscReal    *volume;

  PetscFunctionBegin;
  PetscCheck(PetscAbsReal(sums[0]) <= 1e-3 * sums[1], PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "The known velocities let %g flow out of the domain in all, of %g that their size allows, and nothing "
             "else "
             "can flow: velocities of PlexHDGAddBoundary() have to balance, or a part of the boundary be open "
             "(PLEX_HDG_NEUMANN)",
             (double)sums[0], (double)sums[1]);
  PetscCall(PetscMalloc1(hdg->mesh->Ne, &volume));
  if (hdg->mesh->Ne)
    PetscCall(PlexBackendCopyOut(hdg->backend, volume, s->args.volume, sizeof(double) * hdg->mesh->Ne));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) rhs[e] -= sums[0] * volume[e] / s->allVolume;
  PetscCall(PetscFree(volume));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesComputeRHS_Private(PlexHDG hdg)
{
  PlexHDGStokes  s = hdg->stokes;
  const PetscInt n = PlexHDGBlockSize(hdg), fixed = hdg->mesh->nfixed * n, held = hdg->elastic->nheld * n;
  PetscReal     *values, sums[2] = {0., 0.}; /* what flows out, and would if velocities were normal to facets */
  PetscScalar   *rhs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fixed + held, &values));
  if (fixed) PetscCall(PlexBackendCopyOut(hdg->backend, values, hdg->args.fixed, sizeof(double) * fixed));
  if (held)
    PetscCall(PlexBackendCopyOut(hdg->backend, values + fixed, hdg->elastic->args.known, sizeof(double) * held));
  PetscCall(VecZeroEntries(s->rhs));
  PetscCall(VecGetArray(s->rhs, &rhs));
  for (PetscInt f = 0; f < s->nfacets; ++f) {
    PetscReal size[2] = {0., 0.};

    for (PetscInt k = s->facetStart[f]; k < s->facetStart[f + 1]; ++k) {
      rhs[s->facetElement[f]] += s->weights[k] * values[s->known[k]];
      sums[0] += s->weights[k] * values[s->known[k]];
      size[0] += PetscSqr(s->weights[k]);
      size[1] += PetscSqr(values[s->known[k]]);
    }
    sums[1] += PetscSqrtReal(size[0] * size[1]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  if (s->closed) PetscCall(PlexHDGStokesBalance(hdg, rhs, sums));
  PetscCall(VecRestoreArray(s->rhs, &rhs));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
