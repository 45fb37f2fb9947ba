/* Navier-Stokes equations by kernels: what kernels.c does not have, as it is no stage of an element alone. Traces of all
   elements, and kernels of convection that is explicit in time */
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
  PlexHDGReference R   = hdg->reference;
  PlexHDGKernel   *k   = &hdg->navier->kernels.carry;
  const PetscInt   dim = R->dim, U = dim * hdg->elastic->Nu, first = R->faces * PlexHDGBasisSize(R->face, R->P + 1);

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

PetscErrorCode PlexHDGNavierShare_Private(PlexHDG hdg, PlexKernel kernel, const PlexHDGArgs *own, PetscInt from,
                                          PetscInt n)
{
  PlexHDGNavierArgs args;
  long long         size  = (long long)hdg->mesh->Ne * PlexHDGTraceSize(hdg);
  int               first = (int)from, count = (int)n;
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
  PetscCall(PlexHDGNavierShare_Private(hdg, hdg->navier->kernels.spread, args, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
