/*
  Moments of the source of a hybridized DG method, f[Ne][Np] = (phi_i, f) by quadrature; of elasticity [Ne][dim][Nu].

  A pointwise function of PETSc whose source is known is evaluated by cuda/hdg/source.cu where the backend has kernels;
  all others by the host, one point after the other, and their moments copied.
*/
#include "elastic.h"            /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors() */
#include <plexgpu/private/sourceimpl.h>

struct _n_PlexHDGSource {
  PlexProgram program;
  /* of elements that are not affine, of affine ones */
  PlexModule        module[2];
  PlexKernel        kernel[2];
  PlexVariables     variables[2]; /* that the function reads besides its arguments */
  PlexMemory        memory;
  PlexHDGSourceArgs args;
  PetscInt          elements; /* of a block */
};

/*@C
  PlexHDGSetSource - Sets the right-hand side f of the equation

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. func - gives f, one number, or of `PLEX_HDG_ELASTICITY` the dim components of a force per volume, at a point;
         `NULL`: zero
- ctx  - its context

  Level: beginner

  Notes:
  It is evaluated on the host, at the points of a quadrature that is exact to degree 2 P + 3 in each element.
  `PlexHDGSetSourcePoint()` is for functions that are evaluated where the discretization is computed.

  Called again, it costs the evaluation of the new function, and `PlexHDGSolve()` after it a right-hand side, a solve of
  the trace and the recovery: K and the preconditioner stay.

.seealso: `PlexHDG`, `PlexHDGGetSource()`, `PlexHDGSetSourcePoint()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGSetSource(PlexHDG hdg, PlexHDGFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_SOURCE;
  hdg->source      = func;
  hdg->sourceCtx   = ctx;
  hdg->sourcePoint = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetSource - Gets the function that gives the right-hand side f of the equation

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func - the function; `NULL`: zero, or a function of `PlexHDGSetSourcePoint()`; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSetSource()`
@*/
PetscErrorCode PlexHDGGetSource(PlexHDG hdg, PlexHDGFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = hdg->source;
  if (ctx) *ctx = hdg->sourceCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetSourcePoint - Sets the right-hand side f of the equation by a pointwise function of PETSc

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. func      - gives f, one number (of elasticity dim), at a point; `NULL`: zero. Of its arguments dim, t, x, numConstants and constants are
              given; there are no fields. t is the time of `PlexHDGSetTimeVariable()`, 0 where there is none
. n         - number of constants
- constants - [n], copied

  Options Database Key:
. -plex_hdg_source path - the file that defines it, see `PlexHDGSetPointwiseSource()`

  Level: intermediate

  Notes:
  With its source named by `PlexHDGSetPointwiseSource()`, it is compiled and evaluated where the discretization is
  computed; else it is called on the host, as is that of `PlexHDGSetSource()`, whose place it takes.

  Of `PLEX_HDG_ELASTICITY` it is called on the host always.

  Other constants, set by a call with the same function, cost an evaluation and no compilation.

.seealso: `PlexHDG`, `PlexHDGGetSourcePoint()`, `PlexHDGSetSource()`, `PlexHDGSetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetSourcePoint(PlexHDG hdg, PetscPointFn *func, PetscInt n, const PetscScalar constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func != hdg->sourcePoint || n != hdg->nconstants) PetscCall(PlexHDGSourceDestroy_Private(hdg));
  hdg->stale |= PLEX_HDG_STALE_SOURCE;
  hdg->source      = NULL;
  hdg->sourcePoint = func;
  PetscCall(PetscFree(hdg->constants));
  PetscCall(PetscMalloc1(n, &hdg->constants));
  PetscCall(PetscArraycpy(hdg->constants, constants, n));
  hdg->nconstants = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetSourcePoint - Gets the pointwise function that gives the right-hand side f of the equation

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func      - the function; `NULL`: none; may be `NULL`
. n         - number of constants; may be `NULL`
- constants - [n], not to be freed; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetSourcePoint()`
@*/
PetscErrorCode PlexHDGGetSourcePoint(PlexHDG hdg, PetscPointFn **func, PetscInt *n, const PetscScalar *constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = hdg->sourcePoint;
  if (n) *n = hdg->nconstants;
  if (constants) *constants = hdg->constants;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetPointwiseSource - Names the source of the function of `PlexHDGSetSourcePoint()`, for backends that compile

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
- path - a file in C that defines it, or several with commas between; `NULL`: none

  Options Database Keys:
+ -plex_hdg_source path                  - likewise
. -plex_assembly_source_flags words      - for the C compiler that preprocesses the file
- -plex_assembly_source_compiler command - that compiler, by default PETSc's

  Level: intermediate

  Note:
  See `PlexAssemblySetPointwiseSource()` for what such a file may be.

.seealso: `PlexHDG`, `PlexHDGGetPointwiseSource()`, `PlexHDGSetSourcePoint()`, `PlexAssemblySetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetPointwiseSource(PlexHDG hdg, const char path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSourceDestroy_Private(hdg));
  hdg->stale |= PLEX_HDG_STALE_SOURCE;
  PetscCall(PetscFree(hdg->sourceFiles));
  if (path) PetscCall(PetscStrallocpy(path, &hdg->sourceFiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetPointwiseSource - Gets the files that are the source of the function of `PlexHDGSetSourcePoint()`

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. path - the files, with commas between; `NULL`: none were named

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetPointwiseSource()`
@*/
PetscErrorCode PlexHDGGetPointwiseSource(PlexHDG hdg, const char **path)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(path, 2);
  *path = hdg->sourceFiles;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSourceDestroy_Private(PlexHDG hdg)
{
  PlexHDGSource s = hdg->sourceKernel;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMemoryFree(hdg->backend, &s->memory));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexVariablesDestroy(&s->variables[k]));
    PetscCall(PlexModuleDestroy(&s->module[k]));
  }
  PetscCall(PlexProgramDestroy(&s->program));
  PetscCall(PetscFree(hdg->sourceKernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The source at a point of an element, finite; value[components] */
static PetscErrorCode PlexHDGEvaluateSource(PlexHDG hdg, PetscInt e, const PetscReal x[], PetscScalar value[])
{
  const PetscInt dim = hdg->mesh->dim, n = PlexHDGComponents(hdg);
  PetscInt       wrong = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; ++c) value[c] = 0.;
  if (hdg->source) PetscCall((*hdg->source)(dim, x, n, value, hdg->sourceCtx));
  else
    (*hdg->sourcePoint)(dim, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                        hdg->time ? *hdg->time : 0., x, hdg->nconstants, hdg->constants, value);
  while (wrong < n - 1 && PetscAbsScalar(value[wrong]) <= PETSC_MAX_REAL) ++wrong;
  PetscCheck(PetscAbsScalar(value[wrong]) <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The source is %g in cell %" PetscInt_FMT " at (%g, %g, %g): see PlexHDGSetSource()",
             (double)PetscRealPart(value[wrong]), hdg->mesh->cells[e], (double)x[0], (double)x[1],
             dim == 3 ? (double)x[2] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements first .. end by the host, moments[end - first][components][functions of one] */
static PetscErrorCode PlexHDGSourceHost(PlexHDG hdg, PetscInt first, PetscInt end, PetscReal moments[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv, components = PlexHDGComponents(hdg),
                   n   = hdg->elastic ? hdg->elastic->Nu : R->Np;
  const PetscReal *phi = hdg->elastic ? hdg->elastic->U : R->phi;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = first; e < end; ++e) {
    PetscReal *f = &moments[(size_t)(e - first) * components * n], det = 0.;

    for (PetscInt i = 0; i < components * n; ++i) f[i] = 0.;
    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal   x[3], J[3][3], C[3][3];
      PetscScalar value[3];

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
      if (!q || !PlexHDGMeshIsAffine(mesh, e)) det = PlexCofactors(dim, J, C);
      PetscCall(PlexHDGEvaluateSource(hdg, e, x, value));
      for (PetscInt c = 0; c < components; ++c) {
        const PetscReal w = R->weights[q] * det * PetscRealPart(value[c]);

        for (PetscInt i = 0; i < n; ++i) f[c * n + i] += w * phi[q * n + i];
      }
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of the kernel: sizes, what the function reaches, and a call of it */
static PetscErrorCode PlexHDGSourceWrite(PlexHDG hdg, PlexHDGSource s, PetscBool affine, PlexExtract extract,
                                         FILE *file)
{
  PlexHDGReference R = hdg->reference;
  char             name[256];
  PetscBool        found;

  PetscFunctionBegin;
  PetscCall(PlexExtractAddFunction(extract, (PetscVoidFn *)hdg->sourcePoint, NULL, &found, name, sizeof(name)));
  PetscCheck(found, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONG,
             "The function of PlexHDGSetSourcePoint() is not in '%s': name the file that defines it with "
             "-plex_hdg_source FILE (several with commas between), or none, and it is called on the host",
             hdg->sourceFiles);
  fprintf(file,
          "#define PLEX_DIM %d\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NP %d\n#define PLEX_HDG_NQ %d\n#define "
          "PLEX_HDG_NV %d\n#define PLEX_HDG_AFFINE %d\n#define PLEX_HDG_SOURCE_ELEMENTS %d\n",
          (int)R->dim, (int)R->Np, (int)R->Nq, (int)(affine ? R->dim + 1 : hdg->mesh->Nv), (int)affine,
          (int)s->elements);
  fprintf(file, "#include \"plex.cuh\"\n#include \"petsc.cuh\"\n");
  PetscCall(PlexExtractWrite(extract, PETSC_FALSE, file));
  PetscCall(PlexExtractGetVariables(extract, PETSC_FALSE, &s->variables[affine]));
  fprintf(file,
          "\n#line 1 \"plex_hdg_source\"\n#define PLEX_HDG_SOURCE(args, x, f) %s(PLEX_DIM, 0, 0, NULL, NULL, NULL, "
          "NULL, NULL, NULL, NULL, NULL, NULL, NULL, (args).t, x, %d, (args).constants, f)\n#include "
          "\"hdg/source.cu\"\n",
          name, (int)hdg->nconstants);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSourceCompile(PlexHDG hdg, PlexHDGSource s, PetscBool affine)
{
  PlexExtract    extract;
  char          *text = NULL;
  size_t         size = 0;
  FILE          *file = open_memstream(&text, &size);
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexExtractCreate(s->program, &extract));
  ierr = PlexHDGSourceWrite(hdg, s, affine, extract, file);
  if (fclose(file) && !ierr) ierr = PETSC_ERR_MEM;
  if (!ierr) ierr = PlexBackendCompile(hdg->backend, "hdg_source.cu", 0, NULL, text, &s->module[affine]);
  free(text);
  PetscCall(PlexExtractDestroy(&extract));
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(s->module[affine], "plex_hdg_source", &s->kernel[affine]));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel and its tables */
static PetscErrorCode PlexHDGSourceCreate(PlexHDG hdg)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGSource    s;
  const size_t     points = sizeof(double) * (size_t)R->Nq;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  hdg->sourceKernel = s;
  s->elements       = PetscMax(1, 512 / R->Nq); /* 4 KB of shared memory, or as much as one element needs */
  PetscCall(PlexProgramCreate(hdg->sourceFiles, ((PetscObject)hdg)->prefix, &s->program));
  if (mesh->nmapped) PetscCall(PlexHDGSourceCompile(hdg, s, PETSC_FALSE));
  if (mesh->nmapped < mesh->Ne) PetscCall(PlexHDGSourceCompile(hdg, s, PETSC_TRUE));
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, R->points, points * R->dim, (const void **)&s->args.points));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, R->weights, points, (const void **)&s->args.weights));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, R->phi, points * R->Np, (const void **)&s->args.phi));
  if (mesh->nmapped) {
    PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, shape, points * mesh->Nv, (const void **)&s->args.shape));
    PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, dshape, points * mesh->Nv * R->dim,
                               (const void **)&s->args.dshape));
  }
  PetscCall(PlexMemoryAllocate(hdg->backend, &s->memory, sizeof(double) * (size_t)PetscMax(1, hdg->nconstants),
                               (void **)&s->args.constants));
  PetscCall(PlexMemoryAllocate(hdg->backend, &s->memory, sizeof(int), (void **)&s->args.bad));
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements begin .. end, which are affine or not; *bad: the last one where the source is not finite, -1: none */
static PetscErrorCode PlexHDGSourceLaunchPart(PlexHDG hdg, PetscBool affine, PetscInt begin, PetscInt end, int *bad)
{
  PlexHDGSource     s           = hdg->sourceKernel;
  PlexHDGSourceArgs args        = s->args;
  const PetscInt    n           = end - begin;
  void             *arguments[] = {&args};

  PetscFunctionBegin;
  *bad = -1;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  args.x       = hdg->args.x + PlexHDGMeshPlaceX(hdg->mesh, begin);
  args.moments = hdg->moments + (size_t)begin * hdg->reference->Np;
  args.Ne      = (int)n;
  PetscCall(PlexBackendCopyIn(hdg->backend, args.bad, bad, sizeof(*bad)));
  PetscCall(PlexVariablesUpdate(s->variables[affine], s->module[affine]));
  PetscCall(PlexKernelLaunch(s->kernel[affine], (n + s->elements - 1) / s->elements, 128,
                             sizeof(double) * (size_t)(s->elements * hdg->reference->Nq), arguments));
  PetscCall(PlexBackendCopyOut(hdg->backend, bad, args.bad, sizeof(*bad)));
  if (*bad >= 0) *bad += (int)begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All elements by kernels */
static PetscErrorCode PlexHDGSourceLaunch(PlexHDG hdg)
{
  PlexHDGMesh   mesh = hdg->mesh;
  PlexHDGSource s;
  int           bad;

  PetscFunctionBegin;
  if (!hdg->sourceKernel) PetscCall(PlexHDGSourceCreate(hdg));
  s         = hdg->sourceKernel;
  s->args.t = hdg->time ? (double)*hdg->time : 0.;
  if (hdg->nconstants)
    PetscCall(PlexBackendCopyIn(hdg->backend, (void *)s->args.constants, hdg->constants,
                                sizeof(double) * (size_t)hdg->nconstants));
  PetscCall(PlexHDGSourceLaunchPart(hdg, PETSC_FALSE, 0, mesh->nmapped, &bad));
  if (bad < 0) PetscCall(PlexHDGSourceLaunchPart(hdg, PETSC_TRUE, mesh->nmapped, mesh->Ne, &bad));
  if (bad >= 0) { /* where the source is not finite: the host says at which point */
    PetscReal *moments;

    PetscCall(PetscMalloc1(hdg->reference->Np, &moments));
    PetscCall(PlexHDGSourceHost(hdg, bad, bad + 1, moments));
    PetscCall(PetscFree(moments));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The source is not finite in cell %" PetscInt_FMT,
            mesh->cells[bad]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetSource_Private(PlexHDG hdg)
{
  const size_t n     = (size_t)hdg->mesh->Ne * (hdg->elastic ? hdg->mesh->dim * hdg->elastic->Nu : hdg->reference->Np),
               bytes = sizeof(double) * n;
  PetscReal   *moments;

  PetscFunctionBegin;
  hdg->args.f = NULL;
  if (!hdg->source && !hdg->sourcePoint) PetscFunctionReturn(PETSC_SUCCESS);
  if (hdg->sourcePoint && hdg->sourceFiles && hdg->backend->kernels && !hdg->elastic) {
    if (!hdg->moments) PetscCall(PlexHDGAllocate(hdg, bytes, (void **)&hdg->moments));
    PetscCall(PlexHDGSourceLaunch(hdg));
  } else {
    PetscCall(PetscMalloc1(n, &moments));
    PetscCall(PlexHDGSourceHost(hdg, 0, hdg->mesh->Ne, moments));
    PetscCall(PlexHDGUpdate_Private(hdg, moments, bytes, (const void **)&hdg->moments));
    PetscCall(PetscFree(moments));
  }
  hdg->args.f = hdg->moments;
  PetscFunctionReturn(PETSC_SUCCESS);
}
