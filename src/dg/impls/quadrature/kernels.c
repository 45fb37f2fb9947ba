/*
  DG with quadrature by kernels one after the other (P_GPU of Henry de Frahan 2011), or with the products by the backend's library, cuBLAS on a GPU (P_GPUBLAS):
  cuda/dg/quadrature_kernels.cu.

    map_to_face | collocation U, UF | evaluate sf, q | Jacobians sf, q | redistribution sf, q | map_to_element | solve

  Each face between two elements is computed once. Faces between processes are the last ones, and computed with the elements that have them.
*/
#include "quadratureimpl.h"

#define PLEX_DG_THREADS      128
#define PLEX_DG_GEMM_COLUMNS 16 /* as quadrature_kernels.cu has it */
#define PLEX_DG_MOST_BLOCKS  (1 << 20)

enum {
  MAP_TO_FACE,
  EVALUATE_SF,
  JACOBIAN_SF,
  EVALUATE_Q,
  JACOBIAN_Q,
  MAP_TO_ELEMENT,
  SOLVE,
  GEMM,
  GEMM_STATE,
  KERNELS
};

typedef struct {
  PetscBool       library;
  PetscInt        nfaces, nown; /* faces; those that are not between processes */
  PlexDGPointArgs points;
  PlexDGFaceArgs  faces;
  const void     *W0, *W2, *W3, *W4, *W5; /* as PlexDGTables has them; W5: of one face */
  void           *state;                  /* [Ne][Nf][Np] in single precision, for the library */
  PlexModule      module, convert;
  PlexKernel      kernel[KERNELS], narrow;
} PlexDGKernels;

/* A face for each pair of traces, or trace without a partner; those between processes last */
static PetscErrorCode PlexDGNumberFaces(PlexDG dg, PlexDGKernels *way)
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt n = mesh->Ne * mesh->faces, turns = dg->reference->turns;
  int           *left, *face;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &left, n, &face));
  for (int pass = 0; pass < 2; ++pass) {
    for (PetscInt trace = 0; trace < n; ++trace) {
      const PetscInt link = mesh->links[trace], other = link < 0 ? -1 : link / turns;

      if ((other >= n) != pass) continue;
      if (other >= 0 && other < trace) face[trace] = face[other] + 1;
      else {
        face[trace]         = (int)(2 * way->nfaces);
        left[way->nfaces++] = (int)trace;
      }
    }
    if (!pass) way->nown = way->nfaces;
  }
  PetscCall(PlexDGUpload(dg, left, sizeof(int) * (size_t)way->nfaces, (const void **)&way->faces.left));
  PetscCall(PlexDGUpload(dg, face, sizeof(int) * (size_t)n, (const void **)&way->faces.face));
  PetscCall(PetscFree2(left, face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGAllocateSteps(PlexDG dg, PlexDGKernels *way)
{
  PlexDGReference  R    = dg->reference;
  PlexDGQuadrature Q    = dg->quadrature;
  const size_t     real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double), ne = real * (size_t)(dg->mesh->Ne * dg->system->Nf), nt = real * (size_t)(way->nfaces * dg->system->Nf);

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(dg->backend, nt * 2 * (size_t)R->Nfp, &way->faces.UF));
  PetscCall(PlexBackendMalloc(dg->backend, nt * 2 * (size_t)Q->MG, &way->faces.UFg));
  PetscCall(PlexBackendMalloc(dg->backend, nt * (size_t)Q->MG, &way->faces.q));
  PetscCall(PlexBackendMalloc(dg->backend, nt * (size_t)R->Nfp, &way->faces.Q));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)Q->NG, &way->faces.Ug));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)(Q->NG * R->dim), &way->faces.f));
  if (dg->system->host[0]->addsource) PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)Q->NG, &way->faces.s));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)R->Np, &way->faces.B));
  if (way->library && dg->precision == PLEX_PRECISION_SINGLE) PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)R->Np, &way->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_QuadratureKernels(PlexDG dg)
{
  static const char *const names[] = {"map_to_face", "evaluate_sf", "jacobian_sf", "evaluate_q", "jacobian_q", "map_to_element", "solve", "gemm", "gemm_state"};
  PlexDGKernels           *way     = (PlexDGKernels *)dg->data;
  PlexDGReference          R       = dg->reference;
  PlexDGQuadrature         Q       = dg->quadrature;
  PlexDGTables             tables;
  char                     name[64];

  PetscFunctionBegin;
  PetscCall(PlexDGNumberFaces(dg, way));
  PetscCall(PlexDGAllocateSteps(dg, way));
  PetscCall(PlexDGUploadPointArgs_Private(dg, &way->points));
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_FALSE, &tables));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->Np * Q->NG), tables.W0, &way->W0));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->Np * Q->NG), tables.W2, &way->W2));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->dim * R->Np * Q->NG), tables.W3, &way->W3));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->Nfp * Q->MG), tables.W4, &way->W4));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->Nfp * Q->MG), tables.face, &way->W5));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscCall(PlexDGCompilePoints_Private(dg, "dg/quadrature_kernels.cu", 0, NULL, &way->module));
  for (PetscInt k = 0; k < KERNELS; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "plex_dg_%s", names[k]));
    PetscCall(PlexModuleGetKernel(way->module, name, &way->kernel[k]));
  }
  if (way->state) {
    PetscCall(PlexBackendCompile(dg->backend, "convert.cu", 0, NULL, "#include \"dg/convert.cu\"\n", &way->convert));
    PetscCall(PlexModuleGetKernel(way->convert, "plex_dg_narrow", &way->narrow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step with a thread for each of n results */
static PetscErrorCode PlexDGStep(PlexDGKernels *way, PetscInt step, const PlexDGArgs *args, size_t n)
{
  void *withPoints[] = {(void *)args, &way->points, &way->faces}, *withFaces[] = {(void *)args, &way->faces};

  PetscFunctionBegin;
  if (n) PetscCall(PlexKernelLaunch(way->kernel[step], (PetscInt)PetscMin((n + PLEX_DG_THREADS - 1) / PLEX_DG_THREADS, PLEX_DG_MOST_BLOCKS), PLEX_DG_THREADS, 0, step == MAP_TO_FACE ? withFaces : withPoints));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R[columns][rows] = W X (+ R), from column `first` on. state: X are the state's numbers, double */
static PetscErrorCode PlexDGProduct(PlexDG dg, const void *W, const void *X, void *R, PetscInt rows, PetscInt inner, size_t first, size_t columns, PetscBool add, PetscBool state)
{
  PlexDGKernels *way  = (PlexDGKernels *)dg->data;
  const size_t   real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const void    *x    = (const char *)X + first * (size_t)inner * (state ? sizeof(double) : real);
  void          *r    = (char *)R + first * (size_t)rows * real;

  PetscFunctionBegin;
  if (!columns) PetscFunctionReturn(PETSC_SUCCESS);
  if (way->library) PetscCall(PlexBackendGemm(dg->backend, dg->precision, rows, (PetscInt)columns, inner, 1., W, x, add ? 1. : 0., r));
  else {
    int       irows = (int)rows, iinner = (int)inner, iadd = (int)add;
    long long n           = (long long)columns;
    void     *arguments[] = {(void *)&W, (void *)&x, &r, &irows, &iinner, &n, &iadd};

    PetscCall(PlexKernelLaunch(way->kernel[state ? GEMM_STATE : GEMM], (PetscInt)PetscMin((columns + PLEX_DG_GEMM_COLUMNS - 1) / PLEX_DG_GEMM_COLUMNS, PLEX_DG_MOST_BLOCKS), PLEX_DG_THREADS, PLEX_DG_GEMM_COLUMNS * (size_t)inner * real, arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fluxes of faces first .. last */
static PetscErrorCode PlexDGComputeFaces(PlexDG dg, const PlexDGArgs *args, PetscInt first, PetscInt last)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;
  const size_t   n = (size_t)(last - first), Nf = (size_t)dg->system->Nf, Nfp = (size_t)dg->reference->Nfp, MG = (size_t)dg->quadrature->MG, at = (size_t)first * Nf;

  PetscFunctionBegin;
  way->faces.firstFace = (int)first;
  way->faces.lastFace  = (int)last;
  PetscCall(PlexDGStep(way, MAP_TO_FACE, args, n * Nf * Nfp));
  PetscCall(PlexDGProduct(dg, way->W4, way->faces.UF, way->faces.UFg, (PetscInt)MG, (PetscInt)Nfp, 2 * at, 2 * n * Nf, PETSC_FALSE, PETSC_FALSE));
  PetscCall(PlexDGStep(way, EVALUATE_Q, args, n * MG));
  if (!dg->quadrature->affine) PetscCall(PlexDGStep(way, JACOBIAN_Q, args, n * Nf * MG));
  PetscCall(PlexDGProduct(dg, way->W5, way->faces.q, way->faces.Q, (PetscInt)Nfp, (PetscInt)MG, at, n * Nf, PETSC_FALSE, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_QuadratureKernels(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;
  const size_t   n = (size_t)(args->end - args->begin), Nf = (size_t)dg->system->Nf, Np = (size_t)dg->reference->Np, NG = (size_t)dg->quadrature->NG, at = (size_t)args->begin * Nf;
  const void    *u       = args->u;
  PetscBool      double_ = PETSC_TRUE;

  PetscFunctionBegin;
  if (way->state) {
    const double *from        = args->u + at * Np;
    float        *to          = (float *)way->state + at * Np;
    long long     count       = (long long)(n * Nf * Np);
    void         *arguments[] = {(void *)&from, &to, &count};

    PetscCall(PlexKernelLaunch(way->narrow, (PetscInt)PetscMin((count + PLEX_DG_THREADS - 1) / PLEX_DG_THREADS, PLEX_DG_MOST_BLOCKS), PLEX_DG_THREADS, 0, arguments));
    u       = way->state;
    double_ = PETSC_FALSE;
  }
  if (!args->begin) PetscCall(PlexDGComputeFaces(dg, args, 0, way->nown));
  if (args->end == args->Ne) PetscCall(PlexDGComputeFaces(dg, args, way->nown, way->nfaces));
  PetscCall(PlexDGProduct(dg, way->W0, u, way->faces.Ug, (PetscInt)NG, (PetscInt)Np, at, n * Nf, PETSC_FALSE, double_));
  PetscCall(PlexDGStep(way, EVALUATE_SF, args, n * NG));
  PetscCall(PlexDGStep(way, JACOBIAN_SF, args, n * NG));
  PetscCall(PlexDGProduct(dg, way->W3, way->faces.f, way->faces.B, (PetscInt)Np, (PetscInt)NG * dg->reference->dim, at, n * Nf, PETSC_FALSE, PETSC_FALSE));
  if (way->faces.s) PetscCall(PlexDGProduct(dg, way->W2, way->faces.s, way->faces.B, (PetscInt)Np, (PetscInt)NG, at, n * Nf, PETSC_TRUE, PETSC_FALSE));
  PetscCall(PlexDGStep(way, MAP_TO_ELEMENT, args, n * Np));
  if (way->library && dg->quadrature->affine && dg->precision == PLEX_PRECISION_DOUBLE)
    PetscCall(PlexBackendGemm(dg->backend, dg->precision, (PetscInt)Np, (PetscInt)(n * Nf), (PetscInt)Np, 1., way->points.Minv, (const double *)way->faces.B + at * Np, 0., args->r + at * Np));
  else PetscCall(PlexDGStep(way, SOLVE, args, n * Np));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureKernels(PlexDG dg, PetscViewer viewer)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "kernels one after the other, products by %s; %" PetscInt_FMT " faces\n", way->library ? "the backend's library" : "own ones", way->nfaces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureKernels(PlexDG dg)
{
  PlexDGKernels *way     = (PlexDGKernels *)dg->data;
  void         **array[] = {&way->faces.UF, &way->faces.UFg, &way->faces.q, &way->faces.Q, &way->faces.Ug, &way->faces.f, &way->faces.s, &way->faces.B, &way->state};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(array); ++k) PetscCall(PlexBackendFree(dg->backend, array[k]));
  PetscCall(PlexModuleDestroy(&way->module));
  PetscCall(PlexModuleDestroy(&way->convert));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCreateQuadrature_Kernels_Private(PlexDG dg, PetscBool library)
{
  PlexDGKernels *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  way->library   = library;
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_QuadratureKernels;
  dg->ops->rhs   = PlexDGRHS_QuadratureKernels;
  dg->ops->view  = PlexDGView_QuadratureKernels;
  dg->ops->reset = PlexDGReset_QuadratureKernels;
  PetscFunctionReturn(PETSC_SUCCESS);
}
