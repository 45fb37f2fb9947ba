/*
  The module of a hybridized DG method's pointwise functions: their source, and the kernels that call them, cuda/hdg/source.cu,
  coefficients.cu and boundary.cu; tables and constants that these read.

  There is one text for elements that are not affine and one for those that are, with all functions in it. It is made
  again when a function has come, gone or changed its number of constants; other values of constants are copied.
*/
#include "points.h" /*I "plexgpuhdg.h" I*/

static const char *const PlexHDGPointNames[] = {"PlexHDGSetSourcePoint()", "PlexHDGSetCoefficientsPoint()",
                                                "PlexHDGSetKappaPoint()", "PlexHDGSetConvectionPoint()"};

PetscErrorCode PlexHDGPointsDestroy_Private(PlexHDG hdg)
{
  PlexHDGFunctions s = hdg->functions;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMemoryFree(hdg->backend, &s->memory));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexVariablesDestroy(&s->variables[k]));
    PetscCall(PlexModuleDestroy(&s->module[k]));
  }
  PetscCall(PlexProgramDestroy(&s->program));
  PetscCall(PetscFree3(s->conditionFunc, s->conditionN, s->conditionOffset));
  PetscCall(PetscFree(s->constants));
  PetscCall(PetscFree(s->table));
  PetscCall(PetscFree(hdg->functions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What modules are made for: the functions that kernels evaluate now, and where their constants are */
static PetscErrorCode PlexHDGPointsDescribe(PlexHDG hdg, PlexHDGFunctions s)
{
  PetscFunctionBegin;
  s->coefficients = PlexHDGPointRunsCoefficients_Private(hdg);
  for (int k = 0; k < PLEX_HDG_POINTS; ++k) {
    if (!PlexHDGPointRuns_Private(hdg, (PlexHDGPointRole)k)) continue;
    s->func[k]   = hdg->points[k].func;
    s->n[k]      = hdg->points[k].n;
    s->offset[k] = s->nconstants;
    s->nconstants += s->n[k];
  }
  if (s->func[PLEX_HDG_POINT_KAPPA]) s->slope = hdg->points[PLEX_HDG_POINT_KAPPA].slope;
  s->nconditions = PlexHDGPointRunsBoundary_Private(hdg) ? hdg->nconditions : 0;
  PetscCall(PetscCalloc3(s->nconditions, &s->conditionFunc, s->nconditions, &s->conditionN, s->nconditions,
                         &s->conditionOffset));
  for (PetscInt k = 0; k < s->nconditions; ++k) {
    const PlexHDGBoundaryPoint *p = hdg->conditions[k].point;

    s->conditionOffset[k] = s->nconstants;
    if (!p) continue;
    s->conditionFunc[k] = p->func;
    s->conditionN[k]    = p->n;
    s->nconstants += p->n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether modules are still what the present functions need */
static PetscErrorCode PlexHDGPointsFit(PlexHDG hdg, PetscBool *fit)
{
  PlexHDGFunctions           s = hdg->functions;
  struct _n_PlexHDGFunctions now;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&now, sizeof(now)));
  PetscCall(PlexHDGPointsDescribe(hdg, &now));
  *fit = (PetscBool)(now.coefficients == s->coefficients && now.slope == s->slope &&
                     now.nconditions == s->nconditions && now.nconstants == s->nconstants);
  for (int k = 0; k < PLEX_HDG_POINTS; ++k)
    *fit = (PetscBool)(*fit && now.func[k] == s->func[k] && now.n[k] == s->n[k]);
  for (PetscInt k = 0; *fit && k < now.nconditions; ++k)
    *fit = (PetscBool)(now.conditionFunc[k] == s->conditionFunc[k] && now.conditionN[k] == s->conditionN[k]);
  PetscCall(PetscFree3(now.conditionFunc, now.conditionN, now.conditionOffset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a function is called in the kernel's text */
static PetscErrorCode PlexHDGPointsAdd(PlexHDG hdg, PlexExtract extract, PetscVoidFn *func, const char of[],
                                       char name[256])
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PlexExtractAddFunction(extract, func, NULL, &found, name, 256));
  PetscCheck(found, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONG,
             "The function of %s is not in '%s': name the file that defines it with "
             "-plex_hdg_source FILE (several with commas between), or none, and it is called on the host",
             of, hdg->sourceFiles);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* #define MACRO(args, x, f), of kappa (args, x, u, f), as a call of a function with its constants */
static void PlexHDGPointsWriteCall(const char macro[], const char name[], PetscBool field, PetscInt offset, PetscInt n,
                                   FILE *file)
{
  if (field)
    fprintf(file,
            "#define %s(args, x, u, f) { const PetscInt plex_offsets[2] = {0, 1}, plex_offsets_x[2] = {0, PLEX_DIM}; "
            "%s(PLEX_DIM, 1, 0, plex_offsets, plex_offsets_x, u, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (args).t, "
            "x, %d, (args).constants + %d, f); }\n",
            macro, name, (int)n, (int)offset);
  else
    fprintf(file,
            "#define %s(args, x, f) %s(PLEX_DIM, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
            "(args).t, x, %d, (args).constants + %d, f)\n",
            macro, name, (int)n, (int)offset);
}

/* Sizes, and the reference cell */
static void PlexHDGPointsWriteSizes(PlexHDG hdg, PlexHDGFunctions s, PetscBool affine, FILE *file)
{
  PlexHDGReference R      = hdg->reference;
  double           volume = 0., area = 0.;

  for (PetscInt q = 0; q < R->Nq; ++q) volume += R->weights[q];
  for (PetscInt q = 0; q < R->Nqf; ++q) area += R->weightsFace[q];
  fprintf(file,
          "#define PLEX_DIM %d\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NP %d\n#define PLEX_HDG_NQ %d\n#define "
          "PLEX_HDG_NV %d\n#define PLEX_HDG_AFFINE %d\n#define PLEX_HDG_SOURCE_ELEMENTS %d\n",
          (int)R->dim, (int)R->Np, (int)R->Nq, (int)(affine ? R->dim + 1 : hdg->mesh->Nv), (int)affine,
          (int)s->sourceElements);
  fprintf(file,
          "#define PLEX_HDG_NF %d\n#define PLEX_HDG_NQF %d\n#define PLEX_HDG_FACES %d\n#define PLEX_HDG_DEGREE "
          "%d\n#define PLEX_HDG_VOLUME %.17g\n#define PLEX_HDG_AREA %.17g\n#define PLEX_HDG_CONVECTION %d\n",
          (int)R->Nf, (int)R->Nqf, (int)R->faces, (int)hdg->degree, volume, area,
          hdg->convectionForm == PLEX_HDG_ADVECTIVE ? 1 : 2);
  fprintf(file, "#include \"plex.cuh\"\n#include \"petsc.cuh\"\n#include \"hdg/hdg_args.h\"\n#include "
                "\"hdg/points_args.h\"\n");
  fprintf(file, "static __device__ constexpr double plex_hdg_normals[%d][%d] = {\n", (int)R->faces, (int)R->dim);
  for (PetscInt f = 0; f < R->faces; ++f) {
    fprintf(file, "{");
    for (PetscInt d = 0; d < R->dim; ++d) fprintf(file, "%s%.17g", d ? ", " : "", (double)R->normal[f][d]);
    fprintf(file, "},\n");
  }
  fprintf(file, "};\n");
}

/* Boundary values by the number of the condition, and their kernel */
static void PlexHDGPointsWriteBoundary(PlexHDGFunctions s, char (*names)[256], FILE *file)
{
  fprintf(file,
          "PLEX_DEVICE void plex_hdg_boundary_value(const PlexHDGFacetsArgs &args, int condition, const double *x, "
          "const double *n, PetscScalar *g)\n{\n  switch (condition) {\n");
  for (PetscInt k = 0; k < s->nconditions; ++k)
    if (s->conditionFunc[k])
      fprintf(file,
              "  case %d: %s(PLEX_DIM, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, args.t, x, "
              "n, %d, args.constants + %d, g); break;\n",
              (int)k, names[k], (int)s->conditionN[k], (int)s->conditionOffset[k]);
  fprintf(file, "  }\n}\n#include \"hdg/boundary.cu\"\n");
}

/* The text: sizes, what functions reach, and kernels that call them */
static PetscErrorCode PlexHDGPointsWrite(PlexHDG hdg, PlexHDGFunctions s, PetscBool affine, PlexExtract extract,
                                         FILE *file)
{
  static const char *const macros[] = {"PLEX_HDG_SOURCE", "PLEX_HDG_COEFFICIENTS", "PLEX_HDG_KAPPA",
                                       "PLEX_HDG_VELOCITY"};
  char                     names[PLEX_HDG_POINTS][256], slope[256], (*conditions)[256];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->nconditions, &conditions));
  for (int k = 0; k < PLEX_HDG_POINTS; ++k)
    if (s->func[k])
      PetscCall(PlexHDGPointsAdd(hdg, extract, (PetscVoidFn *)s->func[k], PlexHDGPointNames[k], names[k]));
  if (s->slope)
    PetscCall(PlexHDGPointsAdd(hdg, extract, (PetscVoidFn *)s->slope, PlexHDGPointNames[PLEX_HDG_POINT_KAPPA], slope));
  for (PetscInt k = 0; k < s->nconditions; ++k)
    if (s->conditionFunc[k])
      PetscCall(PlexHDGPointsAdd(hdg, extract, (PetscVoidFn *)s->conditionFunc[k], "PlexHDGAddBoundaryPoint()",
                                 conditions[k]));
  PlexHDGPointsWriteSizes(hdg, s, affine, file);
  PetscCall(PlexExtractWrite(extract, PETSC_FALSE, file));
  PetscCall(PlexExtractGetVariables(extract, PETSC_FALSE, &s->variables[affine]));
  fprintf(file, "\n#line 1 \"plex_hdg_points\"\n");
  for (int k = 0; k < PLEX_HDG_POINTS; ++k)
    if (s->func[k])
      PlexHDGPointsWriteCall(macros[k], names[k], (PetscBool)(k == PLEX_HDG_POINT_KAPPA), s->offset[k], s->n[k], file);
  if (s->slope)
    PlexHDGPointsWriteCall("PLEX_HDG_KAPPA_SLOPE", slope, PETSC_TRUE, s->offset[PLEX_HDG_POINT_KAPPA],
                           s->n[PLEX_HDG_POINT_KAPPA], file);
  if (s->func[PLEX_HDG_POINT_SOURCE]) fprintf(file, "#include \"hdg/source.cu\"\n");
  if (s->coefficients || s->func[PLEX_HDG_POINT_VELOCITY]) fprintf(file, "#include \"hdg/coefficients.cu\"\n");
  if (s->nconditions) PlexHDGPointsWriteBoundary(s, conditions, file);
  PetscCall(PetscFree(conditions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPointsCompile(PlexHDG hdg, PlexHDGFunctions s, PetscBool affine)
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
  ierr = PlexHDGPointsWrite(hdg, s, affine, extract, file);
  if (fclose(file) && !ierr) ierr = PETSC_ERR_MEM;
  if (!ierr) ierr = PlexBackendCompile(hdg->backend, "hdg_points.cu", 0, NULL, text, &s->module[affine]);
  free(text);
  PetscCall(PlexExtractDestroy(&extract));
  PetscCall(ierr);
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define UPLOAD(at, values, n) \
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, values, sizeof(double) * (size_t)(n), (const void **)&(at)))

/* Points of elements, of faces and centers, with the coordinates' functions there */
static PetscErrorCode PlexHDGPointsUpload(PlexHDG hdg, PlexHDGFunctions s)
{
  PlexHDGReference    R    = hdg->reference;
  PlexHDGMesh         mesh = hdg->mesh;
  const PetscInt      dim = R->dim, Nv = mesh->Nv, faces = R->faces;
  PetscReal          *shape, *dshape, centers[(PLEX_HDG_MAX_FACES + 1) * 3];
  PlexHDGCenterPoints P;
  int                *outer;

  PetscFunctionBegin;
  UPLOAD(s->args.points, R->points, R->Nq * dim);
  UPLOAD(s->args.weights, R->weights, R->Nq);
  UPLOAD(s->args.phi, R->phi, R->Nq * R->Np);
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  if (mesh->nmapped) UPLOAD(s->args.shape, shape, R->Nq * Nv);
  if (mesh->nmapped) UPLOAD(s->args.dshape, dshape, R->Nq * Nv * dim);
  PetscCall(PetscFree2(shape, dshape));
  if (s->func[PLEX_HDG_POINT_VELOCITY]) {
    UPLOAD(s->args.pointsFace, R->pointsFace, faces * R->Nqf * dim);
    UPLOAD(s->args.weightsFace, R->weightsFace, R->Nqf);
    PetscCall(PlexHDGTabulate_Private(mesh, faces * R->Nqf, R->pointsFace, &shape, &dshape));
    if (mesh->nmapped) UPLOAD(s->args.shapeFace, shape, faces * R->Nqf * Nv);
    if (mesh->nmapped) UPLOAD(s->args.dshapeFace, dshape, faces * R->Nqf * Nv * dim);
    PetscCall(PetscFree2(shape, dshape));
    PetscCall(PetscCalloc1(mesh->Ne * faces, &outer));
    for (PetscInt b = 0; b < mesh->nboundary; ++b) outer[mesh->boundary[b]] = 1;
    PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, outer, sizeof(int) * (size_t)(mesh->Ne * faces),
                               (const void **)&s->args.outer));
    PetscCall(PetscFree(outer));
  }
  if (s->coefficients) {
    PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
    PetscCall(PlexHDGSetLength_Private(hdg, &P));
    for (PetscInt k = 0; k <= faces; ++k)
      for (PetscInt d = 0; d < dim; ++d) centers[k * dim + d] = P.xi[k][d];
    UPLOAD(s->args.centers, centers, (faces + 1) * dim);
    if (mesh->nmapped) UPLOAD(s->args.shapeCenters, P.shape, (faces + 1) * Nv);
    if (mesh->nmapped) UPLOAD(s->args.dshapeCenters, P.dshape, (faces + 1) * Nv * dim);
    PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPointsCreate(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGFunctions s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  hdg->functions    = s;
  s->sourceElements = PetscMax(1, 512 / hdg->reference->Nq); /* 4 KB of shared memory, or as much as one needs */
  PetscCall(PlexHDGPointsDescribe(hdg, s));
  PetscCall(PlexProgramCreate(hdg->sourceFiles, ((PetscObject)hdg)->prefix, &s->program));
  if (mesh->nmapped) PetscCall(PlexHDGPointsCompile(hdg, s, PETSC_FALSE));
  if (mesh->nmapped < mesh->Ne) PetscCall(PlexHDGPointsCompile(hdg, s, PETSC_TRUE));
  PetscCall(PlexHDGPointsUpload(hdg, s));
  PetscCall(PlexMemoryAllocate(hdg->backend, &s->memory, sizeof(double) * (size_t)PetscMax(1, s->nconstants),
                               (void **)&s->args.constants));
  PetscCall(PlexMemoryAllocate(hdg->backend, &s->memory, sizeof(PlexHDGFound), (void **)&s->args.found));
  s->source                = (PlexHDGSourceArgs){.points    = s->args.points,
                                                 .weights   = s->args.weights,
                                                 .phi       = s->args.phi,
                                                 .shape     = s->args.shape,
                                                 .dshape    = s->args.dshape,
                                                 .constants = s->args.constants};
  hdg->functions->complete = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants of all functions, copied where they are others than those that are there */
static PetscErrorCode PlexHDGPointsSetConstants(PlexHDG hdg, PlexHDGFunctions s)
{
  PetscScalar *now;
  PetscBool    same = PETSC_FALSE;

  PetscFunctionBegin;
  if (!s->nconstants) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(s->nconstants, &now));
  for (int k = 0; k < PLEX_HDG_POINTS; ++k)
    PetscCall(PetscArraycpy(&now[s->offset[k]], hdg->points[k].constants, s->n[k]));
  for (PetscInt k = 0; k < s->nconditions; ++k)
    if (s->conditionFunc[k])
      PetscCall(PetscArraycpy(&now[s->conditionOffset[k]], hdg->conditions[k].point->constants, s->conditionN[k]));
  if (s->constants) PetscCall(PetscArraycmp(s->constants, now, s->nconstants, &same));
  if (!same)
    PetscCall(PlexBackendCopyIn(hdg->backend, (void *)s->args.constants, now, sizeof(*now) * (size_t)s->nconstants));
  PetscCall(PetscFree(s->constants));
  s->constants = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointsSetUp_Private(PlexHDG hdg)
{
  PetscBool fit = PETSC_FALSE;

  PetscFunctionBegin;
  if (hdg->functions) {
    PetscCall(PlexHDGPointsFit(hdg, &fit));
    fit = (PetscBool)(fit && hdg->functions->complete);
    if (!fit) PetscCall(PlexHDGPointsDestroy_Private(hdg));
  }
  if (!fit) PetscCall(PlexHDGPointsCreate(hdg));
  PetscCall(PlexHDGPointsSetConstants(hdg, hdg->functions));
  hdg->functions->args.t = hdg->time ? (double)*hdg->time : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetPointwiseSource - Names the source of pointwise functions, for backends that compile

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
- path - a file in C that defines them, or several with commas between; `NULL`: none

  Options Database Keys:
+ -plex_hdg_source path                  - likewise
. -plex_assembly_source_flags words      - for the C compiler that preprocesses the file
- -plex_assembly_source_compiler command - that compiler, by default PETSc's

  Level: intermediate

  Notes:
  The functions are those of `PlexHDGSetSourcePoint()`, `PlexHDGSetCoefficientsPoint()`, `PlexHDGSetKappaPoint()`,
  `PlexHDGSetConvectionPoint()` and `PlexHDGAddBoundaryPoint()`. All of them are compiled into one module, with their kernels.
  Without their source, and with the backend `host`, they are called on the host.

  See `PlexAssemblySetPointwiseSource()` for what such a file may be.

.seealso: `PlexHDG`, `PlexHDGGetPointwiseSource()`, `PlexHDGSetSourcePoint()`, `PlexAssemblySetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetPointwiseSource(PlexHDG hdg, const char path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGPointsDestroy_Private(hdg));
  hdg->stale |= PLEX_HDG_STALE_SOURCE | PLEX_HDG_STALE_BOUNDARY;
  for (int k = 1; k < PLEX_HDG_POINTS; ++k)
    if (PlexHDGHasPoint_Private(hdg, (PlexHDGPointRole)k)) hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  PetscCall(PetscFree(hdg->sourceFiles));
  if (path) PetscCall(PetscStrallocpy(path, &hdg->sourceFiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetPointwiseSource - Gets the files that are the source of pointwise functions

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
