/*
  Good conductors of the boundary and thin sheets inside: what they add after a right-hand side or a stage of a low-storage
  scheme, and the memory variables of conductors, by a loop or kernel of the elements at them alone. The work at a node is in
  cuda/dg/impedance.h, with the method; ../interface/impedancesides.c finds the sides.

  The variables take the stages of the scheme as the state does, so that the scheme keeps its order. Their largest pole times
  the step is at most 2, PLEX_DG_DAMPING: with a pole of r 0.01 to 30 times Z, Z_0 of 0 and 0.3 r, alpha 0, 0.5 and 1, degrees
  1, 3 and 6 in one dimension, no eigenvalue of a step of ck45 was above 1 up to 4, where the step was 0.87 times the longest
  stable one without.
*/
#include "coreimpl.h"
#include "../nodal/nodalimpl.h"

#define PLEX_IMPEDANCE_FUNCTION static inline
#include <dg/impedance.h>

#define PLEX_IMPEDANCE_LEAST 8 /* elements a thread of the host */

PetscErrorCode PlexDGImpedanceDestroy_Private(PlexBackend backend, PlexDGImpedance *impedance)
{
  PlexDGImpedance x = *impedance;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&x->module));
  PetscCall(PlexBackendFree(backend, (void **)&x->values));
  PetscCall(PlexBackendFree(backend, (void **)&x->residual));
  PetscCall(PlexArrayReset(backend, &x->arrayU));
  PetscCall(PetscFree(x->traces));
  PetscCall(PetscFree(*impedance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexDGImpedanceRemembers_Private(PlexDG dg)
{
  return (PetscBool)(dg->impedance && dg->impedance->counts[0]);
}

PetscReal PlexDGImpedanceRate_Private(PlexDG dg)
{
  return dg->impedance ? dg->impedance->rate : 0.;
}

PetscErrorCode PlexDGImpedanceZero_Private(PlexDG dg)
{
  PlexDGImpedance x = dg->impedance;

  PetscFunctionBegin;
  if (!x || !x->bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendZero(dg->backend, x->values, x->bytes));
  PetscCall(PlexBackendZero(dg->backend, x->residual, x->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residues and poles of all conductors: [nconductors][2][npoles] */
static PetscErrorCode PlexDGImpedanceSetPoles(PlexDG dg)
{
  PlexDGImpedance x = dg->impedance;
  PetscReal      *poles;
  PetscInt        most = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < dg->nconductors; ++c) most = PetscMax(most, dg->conductors[c].n);
  x->args.npoles = (int)most;
  PetscCall(PetscCalloc1(2 * most * dg->nconductors, &poles));
  for (PetscInt c = 0; c < dg->nconductors; ++c)
    for (PetscInt k = 0; k < dg->conductors[c].n; ++k) {
      poles[2 * c * most + k]       = dg->conductors[c].residues[k];
      poles[(2 * c + 1) * most + k] = dg->conductors[c].poles[k];
      if (x->counts[0]) x->rate = PetscMax(x->rate, dg->conductors[c].poles[k]);
    }
  PetscCall(PlexDGUpload(dg, poles, sizeof(*poles) * (size_t)(2 * most * dg->nconductors),
                         (const void **)&x->args.poles));
  PetscCall(PetscFree(poles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of faces, and across them */
static PetscErrorCode PlexDGImpedanceSetNodes(PlexDG dg)
{
  PlexDGImpedanceArgs *a = &dg->impedance->args;
  PlexDGReference      R = dg->reference;
  int                 *meet, *nodes;

  PetscFunctionBegin;
  PetscCall(PlexDGGetMeet_Private(R, &meet));
  PetscCall(PlexDGUpload(dg, meet, sizeof(int) * (size_t)((R->faces + 1) * dg->mesh->turns * R->Nfp),
                         (const void **)&a->meet));
  PetscCall(PetscFree(meet));
  PetscCall(PetscMalloc1(R->faces * R->Nfp, &nodes));
  for (PetscInt k = 0; k < R->faces * R->Nfp; ++k) nodes[k] = (int)R->faceNodes[k];
  PetscCall(PlexDGUpload(dg, nodes, sizeof(int) * (size_t)(R->faces * R->Nfp), (const void **)&a->faceNodes));
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceSetUp_Private(PlexDG dg, PetscInt n, const int traces[], const int across[],
                                            const PetscReal numbers[])
{
  PlexDGImpedance      x     = dg->impedance;
  PlexDGImpedanceArgs *a     = &x->args;
  const PetscInt       faces = dg->mesh->faces;
  int                 *elements, *starts, *face, *place, *to;

  PetscFunctionBegin;
  *a = (PlexDGImpedanceArgs){.NP     = (int)dg->reference->Np,
                             .NFP    = (int)dg->reference->Nfp,
                             .FACES  = (int)faces,
                             .turns  = (int)dg->mesh->turns,
                             .Ne     = (int)dg->mesh->Ne,
                             .L      = dg->args.L,
                             .narrow = dg->precision == PLEX_PRECISION_SINGLE};
  PetscCall(PetscMalloc5(n, &elements, n + 1, &starts, n, &face, n, &place, n, &to));
  PetscCall(PetscMalloc1(n, &x->traces));
  for (PetscInt s = 0; s < n; ++s) {
    if (!a->n || elements[a->n - 1] != traces[s] / faces) {
      starts[a->n]     = (int)s;
      elements[a->n++] = traces[s] / (int)faces;
    }
    face[s]  = traces[s] % (int)faces;
    place[s] = across[s] < 0 ? (int)x->nplaces : -1;
    to[s]    = across[s] < 0 ? -1 - across[s] : across[s];
    if (across[s] < 0) x->traces[x->nplaces++] = traces[s];
    x->most = PetscMax(x->most, s + 1 - starts[a->n - 1]);
  }
  starts[a->n] = (int)n;
  PetscCall(PlexDGUpload(dg, elements, sizeof(int) * (size_t)a->n, (const void **)&a->elements));
  PetscCall(PlexDGUpload(dg, starts, sizeof(int) * (size_t)(a->n + 1), (const void **)&a->starts));
  PetscCall(PlexDGUpload(dg, face, sizeof(int) * (size_t)n, (const void **)&a->faces));
  PetscCall(PlexDGUpload(dg, place, sizeof(int) * (size_t)n, (const void **)&a->place));
  PetscCall(PlexDGUpload(dg, to, sizeof(int) * (size_t)n, (const void **)&a->across));
  PetscCall(PlexDGUpload(dg, numbers, sizeof(*numbers) * (size_t)(n * PLEX_IMPEDANCE_NUMBERS),
                         (const void **)&a->numbers));
  PetscCall(PetscFree5(elements, starts, face, place, to));
  PetscCall(PlexDGImpedanceSetPoles(dg));
  PetscCall(PlexDGImpedanceSetNodes(dg));
  x->bytes = sizeof(double) * (size_t)x->nplaces * (size_t)(3 * a->npoles * a->NFP);
  PetscCall(PlexBackendMalloc(dg->backend, x->bytes, (void **)&x->values));
  PetscCall(PlexBackendMalloc(dg->backend, x->bytes, (void **)&x->residual));
  PetscCall(PlexDGImpedanceZero_Private(dg));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/impedance.cu", &x->module));
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_impedance", &x->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates and stages */

typedef struct {
  const PlexDGImpedanceArgs  *args;
  const PlexDGImpedanceStage *stage;
} PlexDGImpedanceLoop;

#define PLEX_IMPEDANCE_FLUX (PLEX_IMPEDANCE_FIELDS * 4 * (PLEX_DG_MAX_DEGREE + 1) * (PLEX_DG_MAX_DEGREE + 2) / 2)

static void PlexDGImpedanceRun(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGImpedanceLoop *l = (const PlexDGImpedanceLoop *)ctx;
  double                     flux[PLEX_IMPEDANCE_FLUX];

  for (PetscInt k = begin; k < end; ++k) {
    plex_impedance_flux(l->args, l->stage, (int)k, 0, 1, flux);
    if (l->stage->r) plex_impedance_lift(l->args, l->stage, (int)k, 0, 1, flux);
  }
}

static PetscErrorCode PlexDGImpedanceLaunch(PlexDG dg, PlexDGImpedanceStage *stage)
{
  PlexDGImpedance     x           = dg->impedance;
  PlexDGImpedanceLoop loop        = {.args = &x->args, .stage = stage};
  void               *arguments[] = {&x->args, stage};
  const PetscInt      threads     = (x->args.NP + 31) / 32 * 32;

  PetscFunctionBegin;
  if (!x->args.n) PetscFunctionReturn(PETSC_SUCCESS);
  stage->ghosts   = dg->args.ghosts;
  stage->values   = x->values;
  stage->residual = x->residual;
  if (x->kernel)
    PetscCall(PlexKernelLaunch(x->kernel, x->args.n, threads,
                               sizeof(double) * (size_t)(PLEX_IMPEDANCE_FIELDS * x->args.FACES * x->args.NFP),
                               arguments));
  else PetscCall(PlexThreadsRun(x->args.n, PLEX_IMPEDANCE_LEAST, PlexDGImpedanceRun, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceAdd_Private(PlexDG dg, const PlexDGStage *stage, const void *u, void *r, PetscReal factor,
                                          void *next, PetscReal weight, PetscBool isSingle)
{
  PlexDGImpedanceStage s = {.u = u, .r = r, .next = next, .factor = factor, .weight = weight, .single = (int)isSingle};

  PetscFunctionBegin;
  if (stage) {
    s.a      = stage->a;
    s.b      = stage->b;
    s.dt     = stage->dt;
    s.update = 1;
  }
  PetscCall(PlexDGImpedanceLaunch(dg, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceVec_Private(PlexDG dg, Vec U, PetscReal a, PetscReal b, PetscReal dt)
{
  PlexDGImpedance      x = dg->impedance;
  PlexDGImpedanceStage s = {.a = a, .b = b, .dt = dt, .update = 1};

  PetscFunctionBegin;
  if (!PlexDGImpedanceRemembers_Private(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &x->arrayU));
  s.u = x->arrayU.array;
  PetscCall(PlexDGImpedanceLaunch(dg, &s));
  PetscCall(PlexBackendVecRestore(dg->backend, &x->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- For checkpoints */

PetscErrorCode PlexDGImpedanceGet_Private(PlexDG dg, PetscReal values[])
{
  PlexDGImpedance x = dg->impedance;

  PetscFunctionBegin;
  if (x->bytes) PetscCall(PlexBackendCopyOut(dg->backend, values, x->values, x->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGImpedanceSet_Private(PlexDG dg, const PetscReal values[])
{
  PlexDGImpedance x = dg->impedance;

  PetscFunctionBegin;
  if (x->bytes) PetscCall(PlexBackendCopyIn(dg->backend, x->values, values, x->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
