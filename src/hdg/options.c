/* Options of a hybridized DG method, each of which sets what a function of the program does, or a stage */
#include "../util/help.h"
#include "navier.h" /*I "plexgpuhdg.h" I*/

/* A line on stderr: an option has the last word where the program has a function */
static PetscErrorCode PlexHDGReportOption(PlexHDG hdg, const char option[], PetscReal value, const char function[],
                                          const char what[], const char stays[])
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)hdg), PETSC_STDERR,
                         "PlexHDG: -%s%s %g takes the place of %s that the function of %s gives%s\n",
                         prefix ? prefix : "", option, (double)value, what, function, stays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa, lambda and tau: each option sets its own number and leaves all else as it is */
static PetscErrorCode PlexHDGSetCoefficientOptions(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  PetscBool kappa, lambda, tau, factor, function = (PetscBool)(hdg->coefficient != NULL);
  PetscReal value[4] = {hdg->kappa, hdg->reaction, hdg->tau, hdg->tauFactor};

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-plex_hdg_kappa", "Diffusion", "PlexHDGSetDiffusion", value[0], &value[0], &kappa));
  PetscCall(PetscOptionsReal("-plex_hdg_lambda", "Reaction", "PlexHDGSetDiffusion", value[1], &value[1], &lambda));
  PetscCall(PetscOptionsReal("-plex_hdg_tau",
                             "Stabilization of all faces, in the place of one that follows kappa, lambda and lengths",
                             "PlexHDGSetTau", value[2], &value[2], &tau));
  PetscCall(PetscOptionsReal("-plex_hdg_tau_factor", "Times stabilization that follows kappa, lambda and lengths",
                             "PlexHDGSetTauFactor", value[3], &value[3], &factor));
  PetscCheck(!tau || !factor, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_tau %g is tau of all faces, and -plex_hdg_tau_factor %g a factor of tau that follows kappa: "
             "give one of them",
             (double)value[2], (double)value[3]);
  if (kappa && function)
    PetscCall(PlexHDGReportOption(hdg, "plex_hdg_kappa", value[0], "PlexHDGSetCoefficients()", "kappa",
                                  "; its lambda stays"));
  if (lambda && function)
    PetscCall(PlexHDGReportOption(hdg, "plex_hdg_lambda", value[1], "PlexHDGSetCoefficients()", "lambda",
                                  "; its kappa stays"));
  if (tau && hdg->stabilization)
    PetscCall(PlexHDGReportOption(hdg, "plex_hdg_tau", value[2], "PlexHDGSetStabilization()", "tau", ""));
  if (kappa || lambda) hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->kappa    = value[0];
  hdg->reaction = value[1];
  if (kappa) hdg->kappaForced = PETSC_TRUE;
  if (lambda) hdg->reactionForced = PETSC_TRUE;
  if (tau) PetscCall(PlexHDGSetTau(hdg, value[2]));
  if (factor) PetscCall(PlexHDGSetTauFactor(hdg, value[3]));
  PetscCall(PlexHDGSetConvectionOptions_Private(hdg, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How stages are computed, which programs need not choose: these are options alone */
static PetscErrorCode PlexHDGSetOptionsOfStages(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  static const char *const traces[] = {"aij", "elements", "auto"};

  PetscBool     set[8], sell = hdg->sell, affine = (PetscBool)!hdg->mapped;
  PetscBool3    keep = hdg->keep, units = hdg->units, lines = hdg->lines;
  PlexPrecision smoother = hdg->rounded == PETSC_BOOL3_FALSE ? PLEX_PRECISION_DOUBLE : PLEX_PRECISION_SINGLE;
  PetscInt      tile = hdg->tile, trace = hdg->local;

  PetscFunctionBegin;
  PetscCall(PetscOptionsBool("-plex_hdg_affine", "Elements that are affine have kernels of their own",
                             "PlexHDGSetFromOptions", affine, &affine, &set[5]));
  PetscCall(PlexOptionsBool3_Private(PetscOptionsObject, "-plex_hdg_keep", "Keep factors of the local problems",
                                     "PlexHDGSetFromOptions", &keep, &set[0]));
  PetscCall(PlexOptionsBool3_Private(PetscOptionsObject, "-plex_hdg_tensor_cores", "Eliminations on tensor cores",
                                     "PlexHDGSetFromOptions", &units, &set[1]));
  PetscCall(PetscOptionsBool("-plex_hdg_sell", "Products with K by a matrix of type SELL", "PlexHDGSetFromOptions",
                             sell, &sell, &set[2]));
  PetscCall(PetscOptionsEList("-plex_hdg_trace",
                              "Products with K by the matrix, or by those of the elements without it",
                              "PlexHDGSetFromOptions", traces, 3, traces[trace], &trace, &set[6]));
  PetscCall(PetscOptionsEnum("-plex_hdg_smoother_precision",
                             "Numbers of the elements' matrices that the trace's smoother multiplies by",
                             "PlexHDGSetFromOptions", PlexPrecisions, (PetscEnum)smoother, (PetscEnum *)&smoother,
                             &set[7]));
  PetscCall(PlexOptionsBool3_Private(PetscOptionsObject, "-plex_hdg_lines", "Smoother along lines of elements",
                                     "PlexHDGSetFromOptions", &lines, &set[4]));
  PetscCall(PetscOptionsInt("-plex_hdg_tile", "Elements whose local matrices are there at once",
                            "PlexHDGSetFromOptions", tile, &tile, &set[3]));
  PetscCheck(tile >= 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "A tile of %" PetscInt_FMT
             " elements: at least 1, or 0 for as many as there is memory for. See -plex_hdg_tile",
             tile);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(set); ++k)
    if (set[k]) PetscCall(PlexHDGReset(hdg));
  hdg->keep   = keep;
  hdg->units  = units;
  hdg->lines  = lines;
  hdg->sell   = sell;
  hdg->local  = trace;
  hdg->tile   = tile;
  hdg->mapped = (PetscBool)!affine;
  if (set[7]) hdg->rounded = smoother == PLEX_PRECISION_SINGLE ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetFromOptions - Sets a discretization from the options database

  Collective

  Input Parameter:
. hdg - the discretization

  Options Database Keys:
+ -plex_hdg_degree degree     - of the polynomials, 1 to 9
. -plex_hdg_degrees_label name - `PlexHDGSetDegreesByLabel()`
. -plex_hdg_backend type      - `auto`, `cuda`, `host` or `emulate`
. -plex_hdg_system system     - diffusion, elasticity, stokes or navierstokes, `PlexHDGSetSystem()`
. -plex_hdg_lame lambda,mu    - `PlexHDGSetLame()`
. -plex_hdg_viscosity mu      - `PlexHDGSetViscosity()`
. -plex_hdg_symmetric_stress (true|false) - `PlexHDGSetSymmetricStress()`
. -plex_hdg_kappa kappa       - `PlexHDGSetDiffusion()`; of a function of `PlexHDGSetCoefficients()` lambda stays
. -plex_hdg_lambda lambda     - likewise; of such a function kappa stays
. -plex_hdg_tau tau           - `PlexHDGSetTau()`
. -plex_hdg_tau_factor factor - `PlexHDGSetTauFactor()`
. -plex_hdg_velocity b1,b2,b3 - `PlexHDGSetVelocity()`
. -plex_hdg_convection form   - advective or conservative, `PlexHDGSetConvection()`
. -plex_hdg_source path       - `PlexHDGSetPointwiseSource()`
. -plex_hdg_memory bytes      - `PlexHDGSetMemory()`
. -plex_hdg_affine (true|false) - elements whose map is affine have kernels of their own; true by default. false: they are computed by quadrature, as the others
. -plex_hdg_keep (true|false) - keep the factors of the local problems between the assembly of K and the recovery of u; unknown, the default: those of elements that are not affine
. -plex_hdg_tile elements     - local matrices that are there at once while K is assembled; 0, the default: all, or as many as memory has room for
. -plex_hdg_sell (true|false) - the trace's solver multiplies by a copy of K of type `MATSELL`; false by default
. -plex_hdg_trace (auto|aij|elements) - the trace's solver multiplies by the matrix K, or by the elements' matrices of which half is kept, without K; `auto`, the default: without K
                                where kernels compute, K is symmetric and nothing asks for its values
. -plex_hdg_smoother_precision (double|single) - without K, products of the trace's smoother by all of the elements' numbers, or by their upper 32 bits; single by default
. -plex_hdg_tensor_cores (true|false) - eliminations in the local problems on tensor cores, in double precision; unknown, the default: where a GPU has them
. -plex_hdg_lines (true|false) - the trace's preconditioner smooths along lines of elements, on the host; unknown, the default: where most elements are anisotropic, on the host
. -plex_hdg_view viewer       - view when set up
- -plex_hdg_ksp_type ...      - all options of the trace's `KSP` and `PC`, with this prefix

  Level: beginner

  Notes:
  Where an option takes the place of what a function of the program gives, a line on stderr says so. Options that contradict each other are errors.

  Whether a map is affine is decided for each element, to rounding: parallelograms and parallelepipeds are, and triangles and tetrahedra with straight edges in meshes
  with coordinates of any degree. Those that are not, at a curved boundary, cost several times as much. Where kappa is given by `PlexHDGSetPointwise()` no element is.

  Factors take 8 Np (Np + Nt) bytes an element; section 5 of King and others (2014) has the choice of keeping them. Affine elements are made again from few numbers,
  in less time than their factors are read in. K has the same bits whatever the tiles are.

  Rows of K have the same number of entries but for those at the boundary, which is what the format SELL is for (section 4.3). The preconditioner is made from the matrix of
  type AIJ, and PETSc makes the copy on the host each time K is assembled: it pays where K is assembled once and solved with often.

  Without K `PlexHDGGetKSP()`'s operator is a `MATSHELL` that multiplies, and its preconditioner of type `mg` is made from the elements' matrices; it is for symmetric K: diffusion,
  elasticity and Stokes's equations. Six of seven products in an iteration on tetrahedra are the smoother's, four of five on quadrilaterals and hexahedra. By default they
  read the upper half of each number's 64 bits, which is the nearest number with 20 bits behind the point, in the range of double; sums are of doubles. That changes the
  preconditioner, which remains symmetric and positive definite, and not the solution.

  The backend `host` does not ask for tensor cores; with `emulate` they are emulated, which is slow. Local matrices of affine elements then have kernels of their own,
  triangles and parallelograms of all degrees, tetrahedra to degree 7, parallelepipeds to 4.

.seealso: `PlexHDG`, `PlexHDGSetDegree()`, `PlexHDGSetBackend()`, `PlexHDGSetDiffusion()`, `PlexHDGSetTau()`, `PlexHDGSetTauFactor()`, `PlexHDGSetMemory()`, `PlexHDGGetKSP()`
@*/
PetscErrorCode PlexHDGSetFromOptions(PlexHDG hdg)
{
  const PlexHelp elsewhere[] = {
    {"-plex_hdg_block_elements", "n",      "Affine elements on tensor cores: elements of a block",    "PlexHDGSetFromOptions"},
    {"-plex_hdg_element_warps",  "n",      "Those that take several warps an element: how many",      "PlexHDGSetFromOptions"},
    {"-plex_hdg_view",           "viewer", "View when set up",                                        "PlexHDGView"          },
    {"-plex_hdg_monitor_image",  "file",   "Picture as PNG after each PlexHDGSolve()",                "PlexImageWrite"       },
    {"-plex_hdg_ksp_type",       "type",   "The trace's solver; all of KSP and PC follow -plex_hdg_", "PlexHDGGetKSP"        }
  };
  char      text[PETSC_MAX_PATH_LEN], help[256];
  PetscBool set;
  PetscReal memory = (PetscReal)hdg->memoryLimit;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscObjectOptionsBegin((PetscObject)hdg);
  PetscCall(PlexHDGSetDegreeOptions_Private(hdg, PetscOptionsObject));
  PetscCall(PlexBackendHelp_Private("Where it is computed", sizeof(help), help));
  PetscCall(PetscOptionsString("-plex_hdg_backend", help, "PlexHDGSetBackend",
                               hdg->backendType ? hdg->backendType : PLEXBACKENDAUTO, text, sizeof(text), &set));
  if (set) PetscCall(PlexHDGSetBackend(hdg, text));
  PetscCall(PetscOptionsString("-plex_hdg_source", "Source of the pointwise functions", "PlexHDGSetPointwiseSource",
                               hdg->sourceFiles ? hdg->sourceFiles : "", text, sizeof(text), &set));
  if (set) PetscCall(PlexHDGSetPointwiseSource(hdg, text));
  PetscCall(PlexHDGSetElasticOptions_Private(hdg, PetscOptionsObject));
  PetscCall(PlexHDGSetStokesOptions_Private(hdg, PetscOptionsObject));
  PetscCall(PlexHDGSetNavierOptions_Private(hdg, PetscOptionsObject));
  PetscCall(PlexHDGSetCoefficientOptions(hdg, PetscOptionsObject));
  PetscCall(PlexHDGSetOptionsOfStages(hdg, PetscOptionsObject));
  PetscCall(PetscOptionsReal("-plex_hdg_memory", "Most memory for local matrices, bytes", "PlexHDGSetMemory", memory,
                             &memory, &set));
  if (set) PetscCall(PlexHDGSetMemory(hdg, (PetscInt64)memory));
  PetscCall(PlexHelpSay(PetscOptionsObject, elsewhere));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}
