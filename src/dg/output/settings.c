/*
  What a checkpoint knows of the run beside its state: constants, coefficients and boundary conditions. And the keys by
  which elements are known, whatever their numbers.
*/
#include "outputimpl.h"
#include <inttypes.h>

/* ---- Keys of elements */

static PetscInt64 PlexDGMix(uint64_t z) /* of splitmix64 */
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (PetscInt64)((z ^ (z >> 31)) >> 1); /* not negative */
}

/* Sums over the vertices, whose order then does not matter */
void PlexDGComputeKeys_Private(PetscInt dim, PetscInt nv, PetscInt n, const PetscReal x[], PetscInt64 keys[])
{
  for (PetscInt e = 0; e < n; ++e) {
    uint64_t sum = 0;

    for (PetscInt v = 0; v < nv; ++v) {
      uint64_t vertex = 0x9e3779b97f4a7c15ULL;

      for (PetscInt d = 0; d < dim; ++d) {
        const PetscReal at = x[(e * nv + v) * dim + d] + 0.; /* -0 is 0 */
        uint64_t        bits;

        memcpy(&bits, &at, sizeof(bits));
        vertex = (uint64_t)PlexDGMix(vertex ^ bits) * 0x9e3779b97f4a7c15ULL + (uint64_t)d;
      }
      sum += (uint64_t)PlexDGMix(vertex);
    }
    keys[e] = PlexDGMix(sum);
  }
}

PetscErrorCode PlexDGGetKeys_Private(PlexDG dg, PetscInt64 keys[])
{
  PetscFunctionBegin;
  PlexDGComputeKeys_Private(dg->mesh->dim, dg->mesh->nv, dg->mesh->Ne, dg->mesh->x, keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a run depends on beside its state: constants, coefficients, boundary conditions */

#define PLEX_DG_CHECKPOINT_SAME 1e-9 /* relative difference of sums that are rounded otherwise on other processes */

/* Sums over all elements: add() adds those of an operator without parts to sums[n]. Weights in [0, 1) are made of the
   elements' vertices, so that values that trade places do not go unseen */
static PetscErrorCode PlexDGSumElements(PlexDG dg,
                                        PetscErrorCode (*add)(PlexDG, const PetscReal weights[], PetscReal[]),
                                        PetscInt n, PetscReal sums[])
{
  PlexDG         parts[2];
  const PetscInt nparts = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sums, n));
  for (PetscInt p = 0; p < nparts; ++p) {
    const PetscInt Ne = parts[p]->mesh->Ne;
    PetscInt64    *keys;
    PetscReal     *weights;

    PetscCall(PetscMalloc2(Ne, &keys, Ne, &weights));
    PetscCall(PlexDGGetKeys_Private(parts[p], keys));
    for (PetscInt e = 0; e < Ne; ++e) weights[e] = (PetscReal)keys[e] / 9223372036854775808.; /* 2^63 */
    PetscCall((*add)(parts[p], weights, sums));
    PetscCall(PetscFree2(keys, weights));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)n, MPIU_REAL, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of weight times mean, and of weight times mean square, of the values at the nodes: sums[2 NK] */
static PetscErrorCode PlexDGAddCoefficients(PlexDG part, const PetscReal weights[], PetscReal sums[])
{
  const PetscInt NK = part->system->ncoefficients, Np = part->variables ? part->reference->Np : 1;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < part->mesh->Ne; ++e) {
    const PetscBool graded = (PetscBool)(part->graded && part->graded->varies[e]);
    const PetscInt  index  = graded ? PlexDGMeshCurvedIndex(part->mesh, e) : -1;

    for (PetscInt k = 0; k < NK; ++k) {
      const PetscReal *value = part->variables ? &part->variables[((size_t)e * NK + k) * Np]
                             : graded          ? &part->graded->mean[index * NK + k]
                                               : &part->coefficients[e * NK + k];

      for (PetscInt i = 0; i < Np; ++i) {
        sums[2 * k] += weights[e] * value[i] / Np;
        sums[2 * k + 1] += weights[e] * value[i] * value[i] / Np;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what PlexDGMemorySum_Private() makes of matrices: times weights, and without */
static PetscErrorCode PlexDGAddMemory(PlexDG part, const PetscReal weights[], PetscReal sums[])
{
  PetscReal *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(part->mesh->Ne, &values));
  PetscCall(PlexDGMemorySum_Private(part, values));
  for (PetscInt e = 0; e < part->mesh->Ne; ++e) {
    sums[0] += weights[e] * values[e];
    sums[1] += values[e];
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of all parts, of all processes */
PetscInt PlexDGCountElements_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n   = PlexDGGetParts(dg, parts);
  PetscInt       all = 0;

  for (PetscInt k = 0; k < n; ++k) all += parts[k]->mesh->NeGlobal;
  return all;
}

static uint64_t PlexDGHashNumbers(uint64_t hash, PetscInt n, const PetscReal values[])
{
  for (PetscInt k = 0; k < n; ++k) {
    uint64_t bits;

    memcpy(&bits, &values[k], sizeof(bits));
    hash = (uint64_t)PlexDGMix(hash * 31 + bits);
  }
  return hash;
}

static PetscInt PlexDGCountConstants(PlexDG dg)
{
  PetscInt n = 0;

  for (PetscInt k = 0; k < dg->system->nconstants; ++k) n += dg->system->constants[k].n;
  return n;
}

/* Of an operator without parts: a sum over own facets, each known by its vertices, with their kinds and resistances */
static PetscErrorCode PlexDGHashFacets(PlexDG dg, uint64_t *sum)
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, nf = PlexDGFaceSize(dim, mesh->tensor);
  PetscInt       vertices[4];

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / mesh->faces;
    PetscReal      x[12];
    PetscInt64     key;
    uint64_t       hash;

    PlexDGFaceVertices(dim, mesh->tensor, mesh->facet[b] % mesh->faces, vertices);
    for (PetscInt v = 0; v < nf; ++v)
      PetscCall(PetscArraycpy(&x[v * dim], &mesh->x[(e * mesh->nv + vertices[v]) * dim], dim));
    PlexDGComputeKeys_Private(dim, nf, 1, x, &key);
    hash = (uint64_t)PlexDGMix((uint64_t)key + 0x9e3779b97f4a7c15ULL * (uint64_t)(dg->kinds[b] + 1));
    if (dg->conductor[b] >= 0)
      hash = PlexDGHashNumbers(hash, PLEX_DG_CONDUCTOR_NUMBERS, dg->conductors[dg->conductor[b]].given);
    else if (dg->system->resistive && dg->kinds[b] == dg->system->resistive)
      hash = PlexDGHashNumbers(hash, 1, &dg->constants[PlexDGCountConstants(dg) + dg->resistance[b]]);
    *sum += hash;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "8 facets pec, 4 facets pmc", and a number, as text, of which facet has which kind */
static PetscErrorCode PlexDGHashBoundary(PlexDG dg, size_t size, char text[], char hash[32])
{
  const PetscInt nkinds = dg->system->nkinds;
  PlexDG         parts[2];
  const PetscInt n   = PlexDGGetParts(dg, parts);
  uint64_t       sum = 0;
  PetscInt      *count;
  char           part[128];

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(PetscMalloc1(nkinds, &count));
  PetscCall(PlexDGConditionsCount_Private(dg, count));
  for (PetscInt k = 0; k < nkinds; ++k) {
    if (!count[k]) continue;
    PetscCall(PetscSNPrintf(part, sizeof(part), "%s%" PetscInt_FMT " facets %s", text[0] ? ", " : "", count[k],
                            dg->system->kinds[k]));
    PetscCall(PetscStrlcat(text, part, size));
  }
  PetscCall(PetscFree(count));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGHashFacets(parts[k], &sum));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all values in time of boundaries, as text */
static PetscErrorCode PlexDGHashSeries(PlexDG dg, char hash[32])
{
  uint64_t sum = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    const PlexDGSeries *s = &dg->series[k];
    char                where[256];

    PetscCall(PlexDGSeriesName_Private(s, sizeof(where), where));
    for (const char *c = where; *c; ++c) sum = sum * 31 + (unsigned char)*c;
    sum = PlexDGHashNumbers(sum, s->n, s->t);
    sum = PlexDGHashNumbers(sum, 2 * s->n, s->values);
    sum = PlexDGHashNumbers(sum, 3 * s->ntides, s->tides);
  }
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the total field's surface and the dipoles, as text */
static PetscErrorCode PlexDGHashSources(PlexDG dg, char hash[32])
{
  uint64_t sum = 0;

  PetscFunctionBegin;
  for (const char *c = dg->totalLabel ? dg->totalLabel : ""; *c; ++c) sum = sum * 31 + (unsigned char)*c;
  if (dg->totalLabel) sum = (uint64_t)PlexDGMix(sum * 31 + (uint64_t)(PetscInt64)dg->totalValue);
  for (PetscInt k = 0; k < dg->ndipoles; ++k) {
    sum = PlexDGHashNumbers(sum, 3, dg->dipoles[k].x);
    sum = PlexDGHashNumbers(sum, 3, dg->dipoles[k].moment);
    sum = PlexDGHashNumbers(sum, 5, dg->dipoles[k].pulse);
  }
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGHashPML_Private(PlexDG dg, char hash[32])
{
  const PlexDGPML p         = dg->pml;
  const PetscReal numbers[] = {p->alpha, p->speed, dg->pmlReflection, (PetscReal)p->power, (PetscReal)p->cells};
  uint64_t        sum       = (uint64_t)dg->pmlRadial;

  PetscFunctionBegin;
  sum = PlexDGHashNumbers(sum, PETSC_STATIC_ARRAY_LENGTH(numbers), numbers);
  sum = PlexDGHashNumbers(sum, 6, &p->inner[0][0]);
  sum = PlexDGHashNumbers(sum, 6, &p->outer[0][0]);
  for (int k = 0; k < 6 && p->power == 0; ++k)
    sum = PlexDGHashNumbers(sum, p->slabs[k / 3][k % 3], p->planes[k / 3][k % 3]);
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckpointWriteSettings_Private(PlexDG dg, PlexH5 *h)
{
  const PetscInt n = PlexDGCountConstants(dg), NK = dg->system->ncoefficients;
  PetscReal      sums[2 * PLEX_DG_MAX_FIELDS];
  char           text[512], hash[32];

  PetscFunctionBegin;
  PetscCall(PlexH5SetNumbers(h, "/", "nconstants", PLEX_H5_INDEX, 0, &n));
  if (n) PetscCall(PlexH5SetNumbers(h, "/", "constants", PLEX_H5_DOUBLE, n, dg->constants));
  PetscCall(PlexDGHashBoundary(dg, sizeof(text), text, hash));
  PetscCall(PlexH5SetText(h, "/", "boundary", text));
  PetscCall(PlexH5SetText(h, "/", "boundary_hash", hash));
  PetscCall(PlexDGHashSeries(dg, hash));
  if (dg->nseries) PetscCall(PlexH5SetText(h, "/", "boundary_values", hash));
  PetscCall(PlexDGHashSources(dg, hash));
  if (dg->sources) PetscCall(PlexH5SetText(h, "/", "sources", hash));
  PetscCall(PlexDGSumElements(dg, PlexDGAddMemory, 2, sums));
  if (PlexDGRemembers_Private(dg)) PetscCall(PlexH5SetNumbers(h, "/", "memory_matrices", PLEX_H5_DOUBLE, 2, sums));
  PetscCall(PlexDGSumElements(dg, PlexDGAddCoefficients, 2 * NK, sums));
  if (NK) PetscCall(PlexH5SetNumbers(h, "/", "coefficients", PLEX_H5_DOUBLE, 2 * NK, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGAddClause_Private(char text[], size_t size, const char format[], ...)
{
  char    part[1200];
  va_list arguments;

  PetscFunctionBegin;
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(part, sizeof(part), format, NULL, arguments));
  va_end(arguments);
  if (text[0]) PetscCall(PetscStrlcat(text, "; ", size));
  PetscCall(PetscStrlcat(text, part, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareConstants(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  PlexDGSystem   system = dg->system;
  const PetscInt n      = PlexDGCountConstants(dg);
  PetscReal     *was;
  PetscInt       at = 0;
  int            number;

  PetscFunctionBegin;
  PetscCall(PlexH5GetNumbers(h, "/", "nconstants", PLEX_H5_INT, 0, &number));
  if (number != n) {
    PetscCall(PlexDGAddClause_Private(text, size, "the system had %d constants and has %" PetscInt_FMT, number, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &was));
  PetscCall(PlexH5GetNumbers(h, "/", "constants", PLEX_H5_DOUBLE, n, was));
  for (PetscInt k = 0; k < system->nconstants; ++k)
    for (PetscInt i = 0; i < system->constants[k].n; ++i, ++at)
      if (was[at] != dg->constants[at])
        PetscCall(PlexDGAddClause_Private(text, size, "constant %s was %g and is %g", system->constants[k].name,
                                          (double)was[at], (double)dg->constants[at]));
  PetscCall(PetscFree(was));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareCoefficients(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  const PetscInt NK = dg->system->ncoefficients, Ne = PlexDGCountElements_Private(dg);
  PetscReal      was[2 * PLEX_DG_MAX_FIELDS], is[2 * PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  if (!NK) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSumElements(dg, PlexDGAddCoefficients, 2 * NK, is));
  PetscCall(PlexH5GetNumbers(h, "/", "coefficients", PLEX_H5_DOUBLE, 2 * NK, was));
  for (PetscInt k = 0; k < NK; ++k) {
    const PetscReal squares = PetscMax(was[2 * k + 1], is[2 * k + 1]), size1 = PetscSqrtReal(squares * Ne);

    if (PetscAbsReal(was[2 * k] - is[2 * k]) > PLEX_DG_CHECKPOINT_SAME * size1 ||
        PetscAbsReal(was[2 * k + 1] - is[2 * k + 1]) > PLEX_DG_CHECKPOINT_SAME * squares)
      PetscCall(PlexDGAddClause_Private(text, size, "coefficient %s was another one, root mean square %g and now %g",
                                        dg->system->coefficients[k].name,
                                        (double)PetscSqrtReal(2. * was[2 * k + 1] / Ne),
                                        (double)PetscSqrtReal(2. * is[2 * k + 1] / Ne)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareBoundary(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  char      was[512], is[512], hash[2][32];
  PetscBool same, there;

  PetscFunctionBegin;
  PetscCall(PlexDGHashBoundary(dg, sizeof(is), is, hash[0]));
  PetscCall(PlexH5GetText(h, "/", "boundary", sizeof(was), was));
  PetscCall(PlexH5GetText(h, "/", "boundary_hash", sizeof(hash[1]), hash[1]));
  PetscCall(PetscStrcmp(was, is, &same));
  PetscCall(PetscStrcmp(hash[0], hash[1], &there));
  if (!same)
    PetscCall(PlexDGAddClause_Private(text, size, "the boundary had %s and has %s", was[0] ? was : "no facets",
                                      is[0] ? is : "no facets"));
  else if (!there) PetscCall(PlexDGAddClause_Private(text, size, "the boundary has %s as before, but elsewhere", is));
  PetscCall(PlexH5HasAttribute(h, "/", "boundary_values", &there));
  PetscCall(PlexDGHashSeries(dg, hash[0]));
  if (there) PetscCall(PlexH5GetText(h, "/", "boundary_values", sizeof(hash[1]), hash[1]));
  PetscCall(PetscStrcmp(hash[0], hash[1], &same));
  if (there ? !same : dg->nseries > 0)
    PetscCall(PlexDGAddClause_Private(text, size, "the boundary had other values in time, series or tides"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareSources(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  char      hash[2][32];
  PetscBool same, there;

  PetscFunctionBegin;
  PetscCall(PlexH5HasAttribute(h, "/", "sources", &there));
  PetscCall(PlexDGHashSources(dg, hash[0]));
  if (there) PetscCall(PlexH5GetText(h, "/", "sources", sizeof(hash[1]), hash[1]));
  PetscCall(PetscStrcmp(hash[0], hash[1], &same));
  if (there ? !same : !!dg->sources)
    PetscCall(PlexDGAddClause_Private(text, size, "the total field or the dipoles were others"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareMemory(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  PetscReal was[2] = {0., 0.}, is[2];
  PetscBool there;

  PetscFunctionBegin;
  PetscCall(PlexH5HasAttribute(h, "/", "memory_matrices", &there));
  if (there) PetscCall(PlexH5GetNumbers(h, "/", "memory_matrices", PLEX_H5_DOUBLE, 2, was));
  PetscCall(PlexDGSumElements(dg, PlexDGAddMemory, 2, is));
  for (int k = 0; k < 2; ++k)
    if (PetscAbsReal(was[k] - is[k]) > PLEX_DG_CHECKPOINT_SAME * PetscMax(was[1], is[1])) {
      PetscCall(PlexDGAddClause_Private(text, size, "dispersive media were others"));
      break;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is different from what the run began with: one that goes on so is another run. Nothing where an option accepts
   it */
PetscErrorCode PlexDGCheckpointCompare_Private(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  PetscBool changed = PETSC_FALSE;
  int       version;

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(PlexH5GetNumbers(h, "/", "version", PLEX_H5_INT, 0, &version));
  if (version < 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  if (changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCompareConstants(dg, h, size, text));
  PetscCall(PlexDGCompareCoefficients(dg, h, size, text));
  PetscCall(PlexDGCompareBoundary(dg, h, size, text));
  PetscCall(PlexDGCompareSources(dg, h, size, text));
  PetscCall(PlexDGCompareMemory(dg, h, size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
