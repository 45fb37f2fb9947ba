/* Navier-Stokes equations by kernels: what kernels.c does not have, as it is no stage of an element alone. Traces of all
   elements, and convection that is explicit in time (navierexplicit.c has the method) with what elements share on faces */
#include "solenoidal.h"
#include "navier.h"

void PlexHDGNavierSetArgs_Private(PlexHDG hdg, const PlexHDGArgs *own, PlexHDGNavierArgs *args)
{
  *args                    = hdg->navier->args;
  args->rho                = hdg->density;
  args->stokes             = hdg->stokes->args;
  args->stokes.elastic     = hdg->elastic->args;
  args->stokes.elastic.hdg = *own;
}

/* Kernels whose threads have a number each */
static PetscErrorCode PlexHDGNavierCompileShare(PlexHDG hdg)
{
  PlexHDGReference      R = hdg->reference;
  PlexHDGNavierKernels *k = &hdg->navier->kernels;
  char                  text[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "#define PLEX_DIM %" PetscInt_FMT
                          "\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NF %" PetscInt_FMT
                          "\n#define PLEX_HDG_FACES %" PetscInt_FMT "\n#define PLEX_HDG_TURNS %" PetscInt_FMT
                          "\n#define PLEX_HDG_NU %" PetscInt_FMT "\n#define PLEX_NAVIER_NF1 %" PetscInt_FMT
                          "\n#include \"hdg/naviershare.cu\"\n",
                          R->dim, R->Nf, R->faces, R->turns, hdg->elastic->Nu, PlexHDGBasisSize(R->face, R->P + 1)));
  PetscCall(PlexBackendCompile(hdg->backend, "hdg_naviershare.cu", 0, NULL, text, &k->module));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_navierspread", &k->spread));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_naviermoments", &k->moments));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_navierothers", &k->others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel of an element's convection, and its workspace as the static_assert() there has it */
static PetscErrorCode PlexHDGNavierCompileCarry(PlexHDG hdg)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGKernel   *k    = &hdg->navier->kernels.carry;
  const PetscInt   dim  = R->dim, U = dim * hdg->elastic->Nu, first = R->faces * PlexHDGBasisSize(R->face, R->P + 1);

  PetscFunctionBegin;
  k->affine = k->kept = PETSC_TRUE;
  k->work             = PlexHDGElasticGeometrySize_Private(hdg, PETSC_TRUE) + 2 * U + 3 * first + R->Np - 1 +
            R->Nq * dim * (1 + dim) + R->faces * R->Nqf * dim;
  PetscCall(PlexHDGKernelCreate_Private(hdg, &hdg->memory, "navierexplicit", "navierexplicit", "", U, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierKernelsCreate_Private(PlexHDG hdg, PetscBool explicit)
{
  PlexHDGNavierKernels *k = &hdg->navier->kernels;

  PetscFunctionBegin;
  if (!k->module) PetscCall(PlexHDGNavierCompileShare(hdg));
  if (explicit && !k->carry.kernel) PetscCall(PlexHDGNavierCompileCarry(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierKernelsDestroy_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexModuleDestroy(&hdg->navier->kernels.module));
  PetscCall(PlexModuleDestroy(&hdg->navier->kernels.carry.module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions first .. first + n of the faces; a thread a number of all elements' traces */
static PetscErrorCode PlexHDGNavierShare(PlexHDG hdg, PlexKernel kernel, const PlexHDGArgs *own, PetscInt from, PetscInt n)
{
  PlexHDGNavierArgs args;
  long long         size        = (long long)hdg->mesh->Ne * PlexHDGTraceSize(hdg);
  int               first       = (int)from, count = (int)n;
  void             *arguments[] = {&args, &first, &count, &size};
  PetscInt          blocks      = 0;

  PetscFunctionBegin;
  if (!size) PetscFunctionReturn(PETSC_SUCCESS);
  PlexHDGNavierSetArgs_Private(hdg, own, &args);
  PetscCall(PlexHDGBlocks_Private(size, &blocks));
  PetscCall(PlexKernelLaunch(kernel, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierSpread_Kernels(PlexHDG hdg, const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGNavierShare(hdg, hdg->navier->kernels.spread, args, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables of velocities without divergence, and room for what elements have on their faces, once */
static PetscErrorCode PlexHDGNavierSetUpExplicit(PlexHDG hdg)
{
  PlexHDGReference       R    = hdg->reference;
  PlexHDGNavierKernels  *k    = &hdg->navier->kernels;
  PlexHDGSolenoidal      s    = hdg->stokes->solenoidal;
  PlexHDGSolenoidalArgs *args = &hdg->navier->args.solenoidal;
  const size_t           Nu = hdg->elastic->Nu, NF = s->NF, turns = R->turns,
               zeros = sizeof(double) * hdg->mesh->nown * PlexHDGBlockSize(hdg),
               sides = sizeof(double) * hdg->mesh->Ne * R->faces * R->dim * NF;

  PetscFunctionBegin;
  if (args->psi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexHDGNavierKernelsCreate_Private(hdg, PETSC_TRUE));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexHDGUpload(hdg, s->moments, sizeof(double) * R->faces * turns * NF * Nu, (const void **)&args->moments));
  PetscCall(PlexHDGUpload(hdg, s->turn, sizeof(double) * turns * NF * NF, (const void **)&args->turn));
  PetscCall(PlexHDGUpload(hdg, s->divergence, sizeof(double) * R->dim * (R->Np - 1) * Nu,
                          (const void **)&args->divergence));
  PetscCall(PlexHDGUpload(hdg, s->solve, sizeof(double) * s->nc * R->dim * Nu, (const void **)&args->solve));
  PetscCall(PlexHDGAllocate(hdg, sides, (void **)&args->own));
  PetscCall(PlexHDGAllocate(hdg, sides, (void **)&args->other));
  PetscCall(PlexHDGAllocate(hdg, zeros, (void **)&k->zero));
  PetscCall(PlexBackendZero(hdg->backend, k->zero, zeros));
  PetscCall(PlexHDGUpload(hdg, s->psi, sizeof(double) * turns * R->Nqf * NF, (const void **)&args->psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moments of u with all functions of the faces, of the elements and of their neighbours. Block rows have room for those of
   degree P: high ones first, which are never more. Collective */
static PetscErrorCode PlexHDGNavierShareMoments(PlexHDG hdg)
{
  PlexHDGNavierKernels *k       = &hdg->navier->kernels;
  PlexHDGSolenoidal     s       = hdg->stokes->solenoidal;
  const PetscInt        Nf      = hdg->reference->Nf;
  double               *natural = hdg->natural;

  PetscFunctionBegin;
  for (int low = 0; low < 2; ++low) {
    const PetscInt first = low ? 0 : Nf, n = low ? Nf : s->NF - Nf;
    PlexHDGArgs    args = hdg->args;

    PetscCall(PlexHDGNavierShare(hdg, k->moments, &args, first, n));
    hdg->natural = k->zero;
    PetscCall(PlexHDGGather_Private(hdg, s->sums));
    hdg->natural = natural;
    PetscCall(PlexHDGGetTrace_Private(hdg, s->sums, &args));
    PetscCall(PlexHDGNavierShare(hdg, k->others, &args, first, n));
    PetscCall(PlexHDGRestoreTrace_Private(hdg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierExplicit_Kernels(PlexHDG hdg, Vec X, Vec G)
{
  PlexHDGNavierArgs args, *own = &hdg->navier->args;
  const size_t      u = PlexHDGNavierPlaceP(hdg);
  PlexHDGArgs       at;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUpExplicit(hdg));
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
  PetscCall(PlexHDGNavierSetTrace_Private(hdg, hdg->arrayX.array));
  own->u = hdg->arrayX.array;
  at     = hdg->args;
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &at));
  PetscCall(PlexHDGNavierSpread_Kernels(hdg, &at));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(PlexHDGNavierShareMoments(hdg));
  PetscCall(PlexBackendVecGet(hdg->backend, G, PLEX_WRITE, &hdg->arrayF));
  own->r   = hdg->arrayF.array;
  at       = hdg->args;
  at.begin = 0;
  at.end   = (int)hdg->mesh->Ne;
  PlexHDGNavierSetArgs_Private(hdg, &at, &args);
  if (at.end) PetscCall(PlexHDGKernelLaunch_Private(&hdg->navier->kernels.carry, &args.stokes.elastic.hdg, &args));
  PetscCall(PlexBackendZero(hdg->backend, hdg->arrayF.array + u, sizeof(double) * (PlexHDGNavierSize(hdg) - u)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}
