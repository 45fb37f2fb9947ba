/*
  Good conductors of the boundary and thin sheets inside, once the operator is set up: their sides, and what these need to
  know, of the formulas of cuda/dg/impedance.h
*/
#include "dgimpl.h"

/* Sides, while they are found */
typedef struct {
  PlexDG     dg;
  PetscReal  alpha;
  PetscReal *G; /* [Ne faces] conductances */
  PetscInt   n;
  int       *traces, *across;
  PetscReal *numbers; /* [n][PLEX_IMPEDANCE_NUMBERS] */
  PetscBool *layer;   /* [Ne] of a perfectly matched one */
  PetscBool *enters;  /* [Ne] the incident wave does, at its surface */
} PlexDGSides;

static PetscErrorCode PlexDGSidesMark(PlexDGSides *s)
{
  const int *elements;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(s->dg->mesh->Ne, &s->layer, s->dg->mesh->Ne, &s->enters));
  for (PetscInt k = 0; s->dg->pml && k < s->dg->pml->items; ++k) s->layer[s->dg->pml->elements[k]] = PETSC_TRUE;
  PlexDGSourcesGetElements_Private(s->dg, 0, &n, &elements);
  for (PetscInt k = 0; k < n; ++k) s->enters[elements[k]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error where the element of a side is another one than straight with constant coefficients, or where fields are not
   those of the medium */
static PetscErrorCode PlexDGSideCheck(const PlexDGSides *s, PetscInt trace, const char what[], const char instead[])
{
  PlexDG         dg = s->dg;
  const PetscInt e  = trace / dg->mesh->faces;
  PetscReal      x[3], area[3];

  PetscFunctionBegin;
  PlexDGSurfaceGetSide_Private(dg, trace, x, area);
  PetscCheck(PlexDGMeshCurvedIndex(dg->mesh, e) < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The %s at (%g, %g, %g) is of a cell that is curved, or graded, or beside a graded one, and these are for "
             "straight cells of constant coefficients: leave the curve out there, or use %s",
             what, (double)x[0], (double)x[1], (double)x[2], instead);
  PetscCheck(!s->layer[e], PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The %s at (%g, %g, %g) is of a cell of the perfectly matched layer, whose stretched fields do not match "
             "it: "
             "end it before the layer, use pec for walls there",
             what, (double)x[0], (double)x[1], (double)x[2]);
  PetscCheck(!s->enters[e], PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The %s at (%g, %g, %g) is of a cell at the surface where the incident wave enters, -plex_dg_total_field: "
             "keep "
             "them a cell apart",
             what, (double)x[0], (double)x[1], (double)x[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Normal and Fscale/epsilon, Fscale/mu */
static void PlexDGSideSetNormal(const PlexDGSides *s, PetscInt trace, PetscReal numbers[])
{
  PlexDGMesh       mesh = s->dg->mesh;
  const PetscInt   dim = mesh->dim, e = trace / mesh->faces, f = trace % mesh->faces;
  const PetscReal *rx = &mesh->rx[e * dim * dim], *k = &s->dg->coefficients[e * s->dg->system->host[0]->NK];
  PetscReal        scale = 0.;

  for (PetscInt d = 0; d < dim; ++d) {
    PetscReal n = 0.;

    for (PetscInt a = 0; a < dim; ++a) n += f == dim ? rx[a * dim + d] : f == a ? -rx[a * dim + d] : 0.;
    numbers[PLEX_IMPEDANCE_NORMAL + d] = n;
    scale += n * n;
  }
  scale = PetscSqrtReal(scale);
  for (PetscInt d = 0; d < dim; ++d) numbers[PLEX_IMPEDANCE_NORMAL + d] /= scale;
  numbers[PLEX_IMPEDANCE_E] = scale / k[0];
  numbers[PLEX_IMPEDANCE_H] = scale / k[1];
}

static void PlexDGSideSetConductor(const PlexDGSides *s, PetscInt trace, const PlexDGConductor *c, PetscReal numbers[])
{
  const PetscReal *k = &s->dg->coefficients[trace / s->dg->mesh->faces * s->dg->system->host[0]->NK];
  const PetscReal  R = c->resistance, Z = PetscSqrtReal(k[1] / k[0]), r = R > Z ? Z / R : R / Z,
                   p = s->alpha + (1. - s->alpha) * r, A = R > Z ? 1. : p, B = R > Z ? p : 1.;

  numbers[PLEX_IMPEDANCE_VOLTAGE] = A / (A * R + B * Z);
  numbers[PLEX_IMPEDANCE_CURRENT] = B * Z / (A * R + B * Z);
}

static void PlexDGSideSetSheet(const PlexDGSides *s, PetscInt trace, PetscInt other, PetscReal G, PetscReal numbers[])
{
  const PetscInt   NK = s->dg->system->host[0]->NK;
  const PetscReal *k = &s->dg->coefficients[trace / s->dg->mesh->faces * NK], *l = &s->dg->coefficients[other * NK];
  const PetscReal  own = PetscSqrtReal(k[0] / k[1]), far = PetscSqrtReal(l[0] / l[1]), Y = own + far, g = G / Y,
                   alpha = s->alpha + (1. - s->alpha) * g / (1. + g), c = 1. / (1. + alpha * g);

  numbers[PLEX_IMPEDANCE_OWN]     = own / Y;
  numbers[PLEX_IMPEDANCE_OTHER]   = far / Y;
  numbers[PLEX_IMPEDANCE_MEAN]    = c;
  numbers[PLEX_IMPEDANCE_SUM]     = c * alpha / Y;
  numbers[PLEX_IMPEDANCE_WITHOUT] = s->alpha / Y;
  numbers[PLEX_IMPEDANCE_THROUGH] = G * own / Y;
  numbers[PLEX_IMPEDANCE_DAMPING] = (alpha - s->alpha) / (1. / own + 1. / far);
}

/* All sides in the order of traces */
static PetscErrorCode PlexDGSidesFind(PlexDGSides *s, PetscInt facets[2])
{
  PlexDG         dg   = s->dg;
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt all  = mesh->Ne * mesh->faces;
  int           *at; /* [all] facet of the boundary with a conductor, -1: none */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all, &at));
  for (PetscInt t = 0; t < all; ++t) at[t] = -1;
  for (PetscInt b = 0; b < mesh->nfacets; ++b)
    if (dg->conductor[b] >= 0) at[mesh->facet[b]] = (int)b;
  for (PetscInt t = 0; t < all; ++t) {
    const PetscInt link    = mesh->links[t];
    PetscReal     *numbers = &s->numbers[s->n * PLEX_IMPEDANCE_NUMBERS];

    if (at[t] < 0 && s->G[t] == 0.) continue;
    PetscCall(PetscArrayzero(numbers, PLEX_IMPEDANCE_NUMBERS));
    PlexDGSideSetNormal(s, t, numbers);
    if (s->G[t] > 0.) {
      PetscReal x[3], area[3];

      PlexDGSurfaceGetSide_Private(dg, t, x, area);
      PetscCheck(link >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "A sheet has the facet at (%g, %g, %g), which is on the boundary of the mesh: use -plex_dg_impedance "
                 "there, "
                 "or a label of facets inside for -plex_dg_sheet",
                 (double)x[0], (double)x[1], (double)x[2]);
      PetscCall(PlexDGSideCheck(s, t, "sheet", "a layer of cells with -plex_dg_material"));
      const PetscInt trace = link / mesh->turns;

      PlexDGSideSetSheet(s, t, trace < all ? trace / mesh->faces : mesh->Ne + trace - all, s->G[t], numbers);
      s->across[s->n] = (int)link;
      ++facets[1];
    } else {
      PetscCall(PlexDGSideCheck(s, t, "conductor", "-plex_dg_impedance"));
      PlexDGSideSetConductor(s, t, &dg->conductors[dg->conductor[at[t]]], numbers);
      s->across[s->n] = -1 - dg->conductor[at[t]];
      ++facets[0];
    }
    s->traces[s->n++] = (int)t;
  }
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceCreate_Private(PlexDG dg)
{
  PlexDGSides s     = {.dg = dg};
  PetscInt    count = 0, NC = 0, all;

  PetscFunctionBegin;
  if (!dg->nconductors && !dg->nsheets) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(dg->system->conducting && !dg->parts[0] && !dg->quadrature, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_SUP,
             "System %s of %s DG has no sheets and no conductors of the boundary, which maxwell has: leave "
             "-plex_dg_sheet out",
             dg->system->name, dg->quadrature ? "quadrature" : "nodal");
  for (PetscInt k = 0; k < dg->system->nconstants; NC += dg->system->constants[k++].n)
    if (!strcmp(dg->system->constants[k].name, "alpha")) s.alpha = dg->actual[NC];
  all = dg->mesh->Ne * dg->mesh->faces;
  PetscCall(PetscMalloc1(all, &s.G));
  PetscCall(PlexDGSheetsGetFacets_Private(dg, s.G));
  for (PetscInt t = 0; t < all; ++t) count += s.G[t] > 0.;
  for (PetscInt b = 0; b < dg->mesh->nfacets; ++b) count += dg->conductor[b] >= 0;
  PetscCall(PetscMalloc3(count + 1, &s.traces, count + 1, &s.across, (count + 1) * PLEX_IMPEDANCE_NUMBERS, &s.numbers));
  PetscCall(PetscNew(&dg->impedance));
  PetscCall(PlexDGSidesMark(&s));
  PetscCall(PlexDGSidesFind(&s, dg->impedance->counts));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, dg->impedance->counts, 2, MPIU_INT, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  PetscCall(PlexDGImpedanceSetUp_Private(dg, s.n, s.traces, s.across, s.numbers));
  PetscCall(PetscFree3(s.traces, s.across, s.numbers));
  PetscCall(PetscFree2(s.layer, s.enters));
  PetscCall(PetscFree(s.G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!dg->impedance) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < dg->nconductors; ++k) {
    const PlexDGConductor *c = &dg->conductors[k];

    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "conductor: sigma %g, mu %g, epsilon %g, angular frequencies %g to %g, "
                                     "%" PetscInt_FMT " poles, impedance within %.1e\n",
                                     (double)c->given[0], (double)c->given[3], (double)c->given[4], (double)c->given[1],
                                     (double)c->given[2], c->n, (double)c->error));
  }
  for (PetscInt k = 0; k < dg->nsheets; ++k)
    PetscCall(PetscViewerASCIIPrintf(viewer, "sheet %s: conductance %g\n", dg->sheets[k].label,
                                     (double)dg->sheets[k].conductance));
  if (dg->impedance->counts[1])
    PetscCall(PetscViewerASCIIPrintf(viewer, "sheets: %" PetscInt_FMT " facets\n", dg->impedance->counts[1] / 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}
