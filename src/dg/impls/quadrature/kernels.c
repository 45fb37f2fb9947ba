/*
  DG with quadrature by kernels one after the other (P_GPU of Henry de Frahan 2011), or with the products by the
  backend's library, cuBLAS on a GPU (P_GPUBLAS): cuda/dg/quadrature_kernels.cu.

    map_to_face | collocation U, UF | evaluate sf, q | Jacobians sf, q | redistribution sf, q | map_to_element | solve

  Each face between two elements is computed once. Faces between processes are the last ones, and computed with the
  elements that have them.
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
  CORRECT, /* where energy is looked at */
  KERNELS
};

typedef struct {
  PetscBool       library;
  PetscInt        nfaces, nown; /* faces; those that are not between processes */
  PetscInt        inner;        /* numbers of a column that own products have in shared memory at a time */
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
  PlexDGReference  R = dg->reference;
  PlexDGQuadrature Q = dg->quadrature;
  const size_t real  = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
               ne = real * (size_t)(dg->mesh->Ne * dg->system->Nf), nt = real * (size_t)(way->nfaces * dg->system->Nf);

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(dg->backend, nt * 2 * (size_t)R->Nfp, &way->faces.UF));
  PetscCall(PlexBackendMalloc(dg->backend, nt * 2 * (size_t)Q->MG, &way->faces.UFg));
  PetscCall(PlexBackendMalloc(dg->backend, nt * (size_t)Q->MG, &way->faces.q));
  PetscCall(PlexBackendMalloc(dg->backend, nt * (size_t)R->Nfp, &way->faces.Q));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)Q->NG, &way->faces.Ug));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)(Q->NG * R->dim), &way->faces.f));
  if (dg->system->host[0]->addsource) PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)Q->NG, &way->faces.s));
  PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)R->Np, &way->faces.B));
  if (way->library && dg->precision == PLEX_PRECISION_SINGLE)
    PetscCall(PlexBackendMalloc(dg->backend, ne * (size_t)R->Np, &way->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_QuadratureKernels(PlexDG dg)
{
  static const char *const names[] = {"map_to_face",    "evaluate_sf", "jacobian_sf", "evaluate_q", "jacobian_q",
                                      "map_to_element", "solve",       "gemm",        "gemm_state", "correct"};
  PlexDGKernels           *way     = (PlexDGKernels *)dg->data;
  PlexDGReference          R       = dg->reference;
  PlexDGQuadrature         Q       = dg->quadrature;
  PlexDGTables             tables;
  PlexBackendLimits        limits;
  char                     name[64];

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  way->inner = (PetscInt)(limits.sharedPerBlock /
                          (PLEX_DG_GEMM_COLUMNS *
                           (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double))));
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
  for (PetscInt k = 0; k < (dg->entropy ? KERNELS : CORRECT); ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "plex_dg_%s", names[k]));
    PetscCall(PlexModuleGetKernel(way->module, name, &way->kernel[k]));
  }
  if (way->state) {
    PetscCall(PlexBackendCompileFile(dg->backend, "dg/convert.cu", &way->convert));
    PetscCall(PlexModuleGetKernel(way->convert, "plex_dg_narrow", &way->narrow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step with a thread for each of n results */
static PetscErrorCode PlexDGStep(PlexDGKernels *way, PetscInt step, const PlexDGArgs *args, size_t n)
{
  void *withPoints[] = {(void *)args, &way->points, &way->faces}, *withFaces[] = {(void *)args, &way->faces};

  PetscFunctionBegin;
  if (n)
    PetscCall(PlexKernelLaunch(way->kernel[step],
                               (PetscInt)PetscMin((n + PLEX_DG_THREADS - 1) / PLEX_DG_THREADS, PLEX_DG_MOST_BLOCKS),
                               PLEX_DG_THREADS, 0, step == MAP_TO_FACE ? withFaces : withPoints));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product with a matrix of the reference element, R = W X or R += W X, of columns first .. first + columns - 1 */
typedef struct {
  const void *W;              /* [inner][rows] in the operator's precision */
  const void *X;              /* [columns of the mesh][inner] */
  void       *R;              /* [columns of the mesh][rows] in the operator's precision */
  PetscInt    rows, inner;    /* numbers of a column of R, and of X */
  size_t      first, columns; /* a column is a field of an element, or of one side of a face */
  PetscBool   state;          /* X is in double precision, as the state is; else in the operator's */
  PetscBool   add;            /* to what is in R */
} PlexDGMatrixProduct;

/* The columns x[n][stride] of a product by the kernel, as many rows of W at a time as shared memory holds of x */
static PetscErrorCode PlexDGMultiplyByKernel(PlexDG dg, const PlexDGMatrixProduct *p, const void *x, void *r)
{
  PlexDGKernels *way    = (PlexDGKernels *)dg->data;
  const size_t   real   = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const size_t   size   = p->state ? sizeof(double) : real,
                 blocks = (p->columns + PLEX_DG_GEMM_COLUMNS - 1) / PLEX_DG_GEMM_COLUMNS;

  PetscFunctionBegin;
  for (PetscInt from = 0; from < p->inner; from += way->inner) {
    const void *W  = (const char *)p->W + (size_t)from * (size_t)p->rows * real,
               *X  = (const char *)x + (size_t)from * size;
    int       rows = (int)p->rows, inner = (int)PetscMin(way->inner, p->inner - from), stride = (int)p->inner;
    int       add         = (int)(p->add || from);
    long long n           = (long long)p->columns;
    void     *arguments[] = {(void *)&W, (void *)&X, &r, &rows, &inner, &stride, &n, &add};

    PetscCall(PlexKernelLaunch(way->kernel[p->state ? GEMM_STATE : GEMM],
                               (PetscInt)PetscMin(blocks, PLEX_DG_MOST_BLOCKS), PLEX_DG_THREADS,
                               PLEX_DG_GEMM_COLUMNS * (size_t)inner * real, arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGMultiply(PlexDG dg, const PlexDGMatrixProduct *p)
{
  PlexDGKernels *way  = (PlexDGKernels *)dg->data;
  const size_t   real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const void    *x    = (const char *)p->X + p->first * (size_t)p->inner * (p->state ? sizeof(double) : real);
  void          *r    = (char *)p->R + p->first * (size_t)p->rows * real;
  const PlexGemm gemm = {p->rows, (PetscInt)p->columns, p->inner, 1., p->add ? 1. : 0., p->W, x, r};

  PetscFunctionBegin;
  if (!p->columns) PetscFunctionReturn(PETSC_SUCCESS);
  if (way->library) PetscCall(PlexBackendGemm(dg->backend, dg->precision, &gemm));
  else PetscCall(PlexDGMultiplyByKernel(dg, p, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernels of chapter 4, in their order */
enum {
  STEP_MAP_TO_FACE,
  STEP_COLLOCATION_U,
  STEP_COLLOCATION_UF,
  STEP_EVALUATE_SF,
  STEP_EVALUATE_Q,
  STEP_JACOBIAN_SF,
  STEP_JACOBIAN_Q,
  STEP_GEMM_SF,
  STEP_GEMM_Q,
  STEP_MAP_TO_ELEMENT,
  STEP_SOLVE,
  STEP_CORRECT, /* where energy is looked at; not of chapter 4 */
  STEPS
};

/* The state's numbers from element `begin` on, for the library in single precision */
static PetscErrorCode PlexDGNarrow(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGKernels *way         = (PlexDGKernels *)dg->data;
  const size_t   each        = (size_t)(dg->system->Nf * dg->reference->Np);
  const double  *from        = args->u + (size_t)args->begin * each;
  float         *to          = (float *)way->state + (size_t)args->begin * each;
  long long      n           = (long long)(args->end - args->begin) * (long long)each;
  void          *arguments[] = {(void *)&from, &to, &n};

  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(way->narrow,
                             (PetscInt)PetscMin((n + PLEX_DG_THREADS - 1) / PLEX_DG_THREADS, PLEX_DG_MOST_BLOCKS),
                             PLEX_DG_THREADS, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSolve(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;
  const PetscInt Nf = dg->system->Nf, Np = dg->reference->Np, n = args->end - args->begin;
  const size_t   at = (size_t)args->begin * (size_t)(Nf * Np);

  PetscFunctionBegin;
  if (way->library && dg->quadrature->affine && dg->precision == PLEX_PRECISION_DOUBLE) {
    const double  *B       = (const double *)way->faces.B + at;
    const PlexGemm product = {Np, n * Nf, Np, 1., 0., way->points.Minv, B, args->r + at};

    PetscCall(PlexBackendGemm(dg->backend, dg->precision, &product));
  } else PetscCall(PlexDGStep(way, SOLVE, args, (size_t)(n * Np)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a step for the elements begin .. end and their faces. Faces between own elements and boundary facets go with the
   first elements, faces of other processes with the last ones */
static PetscErrorCode PlexDGRunStep(PlexDG dg, const PlexDGArgs *args, PetscInt step)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;
  const PetscInt Np = dg->reference->Np, Nfp = dg->reference->Nfp, NG = dg->quadrature->NG, MG = dg->quadrature->MG;
  const size_t   n = (size_t)(args->end - args->begin), Nf = (size_t)dg->system->Nf, at = (size_t)args->begin * Nf;
  const size_t   first        = (size_t)(args->begin ? way->nown : 0),
                 nf           = (size_t)(args->end == args->Ne ? way->nfaces : way->nown) - first;
  const void    *u            = way->state ? way->state : args->u;
  PlexDGMatrixProduct inside  = {way->W0, u, way->faces.Ug, NG, Np, at, n * Nf, (PetscBool)!way->state, PETSC_FALSE};
  PlexDGMatrixProduct sides   = {way->W4,        way->faces.UF, way->faces.UFg, MG,         Nfp,
                                 2 * first * Nf, 2 * nf * Nf,   PETSC_FALSE,    PETSC_FALSE};
  PlexDGMatrixProduct fluxes  = {way->W3, way->faces.f, way->faces.B, Np,         NG * dg->reference->dim,
                                 at,      n * Nf,       PETSC_FALSE,  PETSC_FALSE};
  PlexDGMatrixProduct sources = {way->W2, way->faces.s, way->faces.B, Np, NG, at, n * Nf, PETSC_FALSE, PETSC_TRUE};
  PlexDGMatrixProduct onFaces = {way->W5,    way->faces.q, way->faces.Q, Nfp,        MG,
                                 first * Nf, nf * Nf,      PETSC_FALSE,  PETSC_FALSE};

  PetscFunctionBegin;
  way->faces.firstFace = (int)first;
  way->faces.lastFace  = (int)(first + nf);
  switch (step) {
  case STEP_MAP_TO_FACE:
    PetscCall(PlexDGStep(way, MAP_TO_FACE, args, nf * Nf * (size_t)Nfp));
    break;
  case STEP_COLLOCATION_U:
    PetscCall(PlexDGMultiply(dg, &inside));
    break;
  case STEP_COLLOCATION_UF:
    PetscCall(PlexDGMultiply(dg, &sides));
    break;
  case STEP_EVALUATE_SF:
    PetscCall(PlexDGStep(way, EVALUATE_SF, args, n * (size_t)NG));
    break;
  case STEP_EVALUATE_Q:
    PetscCall(PlexDGStep(way, EVALUATE_Q, args, nf * (size_t)MG));
    break;
  case STEP_JACOBIAN_SF:
    PetscCall(PlexDGStep(way, JACOBIAN_SF, args, n * (size_t)NG));
    break;
  case STEP_JACOBIAN_Q: /* of affine elements in map_to_element */
    if (!dg->quadrature->affine) PetscCall(PlexDGStep(way, JACOBIAN_Q, args, nf * Nf * (size_t)MG));
    break;
  case STEP_GEMM_SF:
    PetscCall(PlexDGMultiply(dg, &fluxes));
    if (way->faces.s) PetscCall(PlexDGMultiply(dg, &sources));
    break;
  case STEP_GEMM_Q:
    PetscCall(PlexDGMultiply(dg, &onFaces));
    break;
  case STEP_MAP_TO_ELEMENT:
    PetscCall(PlexDGStep(way, MAP_TO_ELEMENT, args, n * (size_t)Np));
    break;
  case STEP_SOLVE:
    PetscCall(PlexDGSolve(dg, args));
    break;
  default:
    if (dg->entropy) PetscCall(PlexDGStep(way, CORRECT, args, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_QuadratureKernels(PlexDG dg, const PlexDGArgs *args)
{
  PetscFunctionBegin;
  if (((PlexDGKernels *)dg->data)->state) PetscCall(PlexDGNarrow(dg, args));
  for (PetscInt step = 0; step < STEPS; ++step) PetscCall(PlexDGRunStep(dg, args, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that a step reads and writes, each counted once, and flops of its products. The geometry of affine elements
   is small and not counted */
static void PlexDGDescribe(PlexDG dg, PetscInt step, double *numbers, double *flops)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;
  const double dim = (double)dg->mesh->dim, sources = way->faces.s ? 1. : 0., curved = dg->quadrature->affine ? 0. : 1.;
  const double Np = (double)dg->reference->Np, Nfp = (double)dg->reference->Nfp, NG = (double)dg->quadrature->NG,
               MG = (double)dg->quadrature->MG;
  const double Ne = (double)dg->mesh->Ne, ne = Ne * (double)dg->system->Nf, nf = (double)way->nfaces,
               nt               = nf * (double)dg->system->Nf;
  const double counts[STEPS][2] = {
    {4. * nt * Nfp,                                                 0.                                 },
    {ne * (Np + NG),                                                2. * ne * Np * NG                  },
    {2. * nt * (Nfp + MG),                                          4. * nt * Nfp * MG                 },
    {ne * NG * (1. + dim + sources),                                0.                                 },
    {3. * nt * MG + nf * dim * (curved > 0. ? MG : 1.),             0.                                 },
    {2. * ne * NG * (dim + sources) + curved * Ne * NG * dim * dim, 2. * ne * NG * dim * dim           },
    {curved * (2. * nt * MG + nf * dim * MG),                       0.                                 },
    {ne * (NG * (dim + sources) + Np * (1. + 2. * sources)),        2. * ne * Np * NG * (dim + sources)},
    {nt * (MG + Nfp),                                               2. * nt * MG * Nfp                 },
    {2. * ne * Np + (double)dg->mesh->faces * ne * Nfp,             0.                                 },
    {2. * ne * Np + curved * Ne * Np * Np,                          2. * ne * Np * Np                  },
    {3. * ne * Np + 4. * nt * MG,                                   4. * ne * Np * NG                  }
  };

  *numbers = counts[step][0];
  *flops   = counts[step][1];
}

static PetscErrorCode PlexDGPart_QuadratureKernels(PlexDG dg, const PlexDGArgs *args, PetscInt k, PlexDGPart *part)
{
  static const char *const names[STEPS]   = {"map_to_face", "collocation_u",  "collocation_uf", "evaluate_sf",
                                             "evaluate_q",  "jacobian_sf",    "jacobian_q",     "gemm_sf",
                                             "gemm_q",      "map_to_element", "solve"};
  static const char *const library[STEPS] = {[STEP_COLLOCATION_U]  = "collocation_u by the library",
                                             [STEP_COLLOCATION_UF] = "collocation_uf by the library",
                                             [STEP_GEMM_SF]        = "gemm_sf by the library",
                                             [STEP_GEMM_Q]         = "gemm_q by the library"};
  const PlexDGKernels     *way            = (const PlexDGKernels *)dg->data;
  PlexDGArgs               all;

  PetscFunctionBegin;
  if (k == STEP_CORRECT && !dg->entropy) k = STEPS;
  part->name = k >= STEPS ? NULL : way->library && library[k] ? library[k] : names[k];
  if (k >= STEPS) PetscFunctionReturn(PETSC_SUCCESS);
  PlexDGDescribe(dg, k, &part->bytes, &part->flops);
  part->bytes *= dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  if (!args) PetscFunctionReturn(PETSC_SUCCESS);
  all       = *args;
  all.begin = 0;
  all.end   = all.Ne;
  PetscCall(PlexDGRunStep(dg, &all, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureKernels(PlexDG dg, PetscViewer viewer)
{
  PlexDGKernels *way = (PlexDGKernels *)dg->data;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "kernels one after the other, products by %s; %" PetscInt_FMT " faces\n",
                                   way->library ? "the backend's library" : "own ones", way->nfaces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureKernels(PlexDG dg)
{
  PlexDGKernels *way     = (PlexDGKernels *)dg->data;
  void         **array[] = {&way->faces.UF, &way->faces.UFg, &way->faces.q, &way->faces.Q, &way->faces.Ug,
                            &way->faces.f,  &way->faces.s,   &way->faces.B, &way->state};

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
  dg->ops->part  = PlexDGPart_QuadratureKernels;
  dg->ops->view  = PlexDGView_QuadratureKernels;
  dg->ops->reset = PlexDGReset_QuadratureKernels;
  PetscFunctionReturn(PETSC_SUCCESS);
}
