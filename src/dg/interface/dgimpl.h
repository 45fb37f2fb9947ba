/* The class PlexDG: shared by the files of src/dg/interface/ and what is above them */
#pragma once

#include "../core/coreimpl.h"
#include "../quadrature/quadratureimpl.h"
#include "../systems/systemsimpl.h"

PETSC_EXTERN PetscLogEvent PLEX_DGRHS;

/* Leave: a step of a TS, or a checkpoint (ts 0), has left this state at time t. IsAnother: whether a state is not the one
   that was left last, and begins another run with that, at step 0 or at another time: variables of layers, conductors and
   media that it does not have are zero then. dg.c */
PETSC_INTERN PetscErrorCode PlexDGIsAnother_Private(PlexDG, TS, Vec U, PetscBool *changed, PetscBool *another);
PETSC_INTERN PetscErrorCode PlexDGZeroVariables_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGLeave_Private(PlexDG, PetscObjectId ts, PetscReal t, Vec U);

#define PLEX_DG_OF_TS "PlexDGOfTS" /* the operator that PlexDGSetTS() gave to a TS last, composed with it */

/* The create function of a registered type; register.c */
PETSC_INTERN PetscErrorCode PlexDGFindType_Private(PlexDG, PlexDGType, PetscErrorCode (**create)(PlexDG));

/* Meshes of triangles and quadrilaterals; parts.c. CheckOneKind: an error if it is one. Do: a function of each part and
   its values of a state, or of the operator itself where it has no parts */
PETSC_EXTERN PetscErrorCode PlexDGCheckOneKind_Private(PlexDG, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGPartsDo_Private(PlexDG, Vec U, PetscErrorCode (*compute)(PlexDG, Vec, void *),
                                                  void *ctx);

/* Boundary conditions: reads options, finds the kind of each facet of the mesh; conditions.c */
PETSC_INTERN PetscErrorCode PlexDGConditionsSetFromOptions_Private(PlexDG);
/* Options that are read elsewhere, for -help; "TEXT (one of) auto ...": types */
PETSC_INTERN PetscErrorCode PlexDGHelp_Private(PlexDG, PetscOptionItems);
PETSC_INTERN PetscErrorCode PlexDGHelpTypes_Private(const char text[], size_t size, char out[]);
/* SetNumbers: the different resistances to constants, and which one a condition has, before the system chooses its
   source */
PETSC_INTERN PetscErrorCode PlexDGConditionsSetNumbers_Private(PlexDG);
/* Apply: held[nconditions] is set where one holds for a facet; CheckHeld: an error where one of a label does for none of
   any process */
PETSC_INTERN PetscErrorCode PlexDGConditionsApply_Private(PlexDG, int held[]);
PETSC_INTERN PetscErrorCode PlexDGConditionsCheckHeld_Private(PlexDG, int held[]);
/* count[nkinds] facets of each kind, on all processes together */
PETSC_INTERN PetscErrorCode PlexDGConditionsCount_Private(PlexDG, PetscInt count[]);
PETSC_INTERN PetscErrorCode PlexDGConditionsDestroy_Private(PlexDG);

/* The conductor of dg->conductors with these numbers, "sigma,from,to[,mu[,epsilon]]", which is made where there is none;
   conductor.c */
PETSC_INTERN PetscErrorCode PlexDGConductorFind_Private(PlexDG, const char numbers[], int *conductor);

/* Thin sheets; sheets.c, and sheetfacets.c. GetFacets: G[Ne faces] the conductance of each trace, 0: none; an error where a sheet is not
   possible. Collective */
PETSC_INTERN PetscErrorCode PlexDGSheetsSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSheetsDestroy_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSheetsGetFacets_Private(PlexDG, PetscReal G[]);

/* Conductors and sheets together, set up; impedancesides.c */
PETSC_INTERN PetscErrorCode PlexDGImpedanceCreate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGImpedanceView_Private(PlexDG, PetscViewer);

/* Coefficients of cells by labels, once there is a system; materials.c */
PETSC_INTERN PetscErrorCode PlexDGMaterialsSetFromOptions_Private(PlexDG);
/* Coefficients that vary within cells; graded.c. SetUp: after those of elements, which become those of the largest speed.
   Check: after memory variables, an error where there is something that such cells cannot have. Varies: whether they
   do in own element e */
PETSC_INTERN PetscErrorCode PlexDGGradedSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGGradedCheck_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGGradedDestroy_Private(PlexDGGraded *);
PETSC_INTERN PetscErrorCode PlexDGGradingsDestroy_Private(PlexDG); /* the settings */
static inline PetscBool     PlexDGVaries(PlexDG dg, PetscInt e)
{
  return (PetscBool)(dg->graded && dg->graded->varies[e]);
}
/* materialcells.c. SetUp: the meshes are there; finds how many cells each has, and errors of the labels. Find: the one
   of own element e, or NULL. Get: its coefficients k[]. Name: as in -plex_dg_material_<name>, or "all other cells".
   Underscore: of blanks */
#define PLEX_DG_MATERIAL_LABEL "Cell Sets" /* whose values stand alone in options */
PETSC_INTERN PetscErrorCode PlexDGMaterialsSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGMaterialsView_Private(PlexDG, PetscViewer);
PETSC_INTERN PetscErrorCode PlexDGMaterialsDestroy_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGMaterialFind_Private(PlexDG, PetscInt e, const PlexDGMaterial **);
PETSC_INTERN PetscErrorCode PlexDGMaterialGet_Private(PlexDG, const PlexDGMaterial *, PetscReal k[]);
PETSC_INTERN PetscErrorCode PlexDGMaterialName_Private(const PlexDGMaterial *, size_t size, char name[]);
/* Tag: the label, and its value or PETSC_DETERMINE, that an option's tag means. Holds: whether the cell of own element e
   has the label. Missing: an error of one that no cell has, what: "material". Collective */
PETSC_INTERN PetscErrorCode PlexDGMaterialTag_Private(PlexDG, const char tag[], size_t size, char label[],
                                                      PetscInt *value);
PETSC_INTERN PetscErrorCode PlexDGMaterialHolds_Private(PlexDG, const PlexDGMaterial *, PetscInt e, PetscBool *holds);
PETSC_INTERN PetscErrorCode PlexDGMaterialMissing_Private(PlexDG, const PlexDGMaterial *, const char what[],
                                                          const char function[]);

/* Dispersive media; dispersion.c. SetUp: once coefficients are there, before PlexDGDecayCreate_Private() */
PETSC_INTERN PetscErrorCode PlexDGDispersionsSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGDispersionsSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGDispersionsView_Private(PlexDG, PetscViewer);
PETSC_INTERN PetscErrorCode PlexDGDispersionsDestroy_Private(PlexDG);

/* Facets that are moved to surfaces; curves.c */
PETSC_INTERN PetscErrorCode PlexDGCurvesSetFromOptions_Private(PlexDG);

/* Values in time of boundaries; series.c. Options -plex_dg_series<suffix>, -plex_dg_tide<suffix> */
PETSC_INTERN PetscErrorCode PlexDGSeriesFromOption_Private(PlexDG, const char suffix[], const char label[],
                                                           PetscInt value);
PETSC_INTERN PetscErrorCode PlexDGSeriesDestroy_Private(PlexDG);

/* Parameters of the system: reads options, makes the coefficients of all elements; parameters.c */
PETSC_INTERN PetscErrorCode PlexDGParametersReset_Private(PlexDG); /* to the system's defaults */
PETSC_INTERN PetscErrorCode PlexDGParametersSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSetUpCoefficients_Private(PlexDG);
/* an error where a parameter is outside the system's bounds; after conditions and coefficients */
PETSC_INTERN PetscErrorCode PlexDGParametersCheck_Private(PlexDG);
/* sets `actual`, the constants that kernels get, of all parts; after the geometry; timestep.c */
PETSC_INTERN PetscErrorCode PlexDGSetUpConstants_Private(PlexDG);

/* Exchange of `size` values of each trace between processes, in this precision; exchange.c. Pack takes the nodal values
   that others need of u, and between parts puts them where they are received; of other values, Packed says that they are
   in out[nghosts][size]. Send, and Receive puts what arrives into in[nghosts][size]. Elements that need no ghosts are
   launched in between */
PETSC_INTERN PetscErrorCode PlexDGExchangeCreate_Private(PlexDG, PetscInt size, PlexPrecision, PlexDGExchange *);
/* in: of a mixed mesh [places of both parts] */
PETSC_INTERN void           PlexDGExchangeGetArrays_Private(PlexDGExchange, void **out, void **in);
PETSC_INTERN PetscErrorCode PlexDGExchangePacked_Private(PlexDGExchange);
PETSC_INTERN PetscErrorCode PlexDGExchangeDestroy_Private(PlexDGExchange *);
/* single: u is in single precision */
PETSC_INTERN PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange, const void *u, PetscBool single);
PETSC_INTERN PetscErrorCode PlexDGExchangeSend_Private(PlexDGExchange);
PETSC_INTERN PetscErrorCode PlexDGExchangeReceive_Private(PlexDGExchange);

/* What is done with a state after a stage, and whether anything is; limit.c */
PETSC_INTERN PetscErrorCode PlexDGLimit_Private(PlexDG, void *u, PetscBool isSingle);
PETSC_EXTERN PetscBool      PlexDGLimits_Private(PlexDG);
/* Shock capturing; shock.c. Create: `shock` of the operator or its parts, once args has the links and the exchange is
   there. Limit: in the operator's precision, or double */
PETSC_INTERN PetscErrorCode PlexDGShockCreate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShockDestroy_Private(PlexBackend, PlexDGShock *);
PETSC_INTERN PetscErrorCode PlexDGShockLimit_Private(PlexDG, void *u, PetscBool isSingle);

/* Viscous fluxes; viscous.c. Create: an error where they are not possible; `viscous` stays NULL where there are none.
   Add: factor times the rates of u to r, and weight times that to next unless it is NULL; in single precision or double */
PETSC_INTERN PetscErrorCode PlexDGViscousCreate_Private(PlexDG, PlexDGViscous *);
PETSC_INTERN PetscErrorCode PlexDGViscousDestroy_Private(PlexBackend, PlexDGViscous *);
PETSC_INTERN PetscErrorCode PlexDGViscousAdd_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next,
                                                     PetscReal weight, PetscBool isSingle);
/* What viscosity times the square of PlexDGGetSpeedScale_Private() is multiplied by to give a rate; 0: there is none */
PETSC_INTERN PetscReal PlexDGGetViscousScale_Private(PlexDG);

/* What the energy's kernel needs, made when it is asked for first; energy.c */
PETSC_INTERN PetscErrorCode PlexDGEnergyDestroy_Private(PlexBackend, PlexDGEnergy *);

/* Extrema of water over the steps of a run; extrema.c. Watch: a monitor of the TS is going to see its steps. See: a
   state; step -1: one within the last step, at the end of the run. values[Ne][PLEX_DG_EXTREMA][Np], of one part after the
   other */
#define PLEX_DG_EXTREMA 4 /* numbers of a node: cuda/dg/extrema.h */
PETSC_INTERN PetscErrorCode PlexDGExtremaWatch_Private(PlexDG, TS, PetscReal threshold);
PETSC_INTERN PetscErrorCode PlexDGExtremaSee_Private(PlexDG, PetscInt step, PetscReal t, Vec U);
/* Whether the run of the TS (NULL: of any) keeps extrema, and whether there are any yet */
PETSC_INTERN PetscErrorCode PlexDGExtremaAre_Private(PlexDG, TS, PetscBool *watched, PetscBool *started,
                                                     PetscReal *threshold);
PETSC_INTERN PetscErrorCode PlexDGExtremaGet_Private(PlexDG, PetscReal values[]);
/* Those of a checkpoint, before a monitor asks for them or afterwards; values NULL: it has none */
PETSC_INTERN PetscErrorCode PlexDGExtremaSet_Private(PlexDG, TS, PetscReal threshold, const PetscReal values[]);
PETSC_INTERN PetscErrorCode PlexDGExtremaReset_Private(PlexDG);

/* ---- Surfaces */

/* A closed surface, and on which side of it own elements are; surface.c */
typedef struct {
  PetscInt   n;       /* sides of own elements: a facet inside the mesh has two, of one process or of two */
  int       *traces;  /* [n] e * faces + f, ascending */
  int       *signs;   /* [n] 1: the element is inside, its outward normal that of the surface; -1: outside */
  PetscBool *alone;   /* [n] the facet is on the boundary of the mesh: it has no other side */
  PetscInt   nfacets; /* of all processes */
  PetscReal  area;
  PetscBool  closed; /* the vectors of its facets' areas have the sum 0 */
} PlexDGSurface;
/* Of a label's cells, or facets; what: for messages. Collective */
PETSC_INTERN PetscErrorCode PlexDGSurfaceCreate_Private(PlexDG, const char label[], PetscInt value, const char what[],
                                                        PlexDGSurface *);
PETSC_INTERN PetscErrorCode PlexDGSurfaceDestroy_Private(PlexDGSurface *);
/* Center, and outward normal times the area, of a side */
PETSC_INTERN void PlexDGSurfaceGetSide_Private(PlexDG, PetscInt trace, PetscReal center[3], PetscReal area[3]);
/* The coefficients of all elements at the surface: an error where they differ, or where these conduct */
PETSC_INTERN PetscErrorCode PlexDGSurfaceGetMaterial_Private(PlexDG, const PlexDGSurface *, const char what[],
                                                             PetscReal coefficients[]);

/* An option "name" or "name:value" of a label, whose name may have underscores for blanks */
PETSC_INTERN PetscErrorCode PlexDGLabelOption_Private(PlexDG, const char option[], size_t size, char label[],
                                                      PetscInt *value, PetscBool *set);

/* ---- Sources that do not depend on the state: a total field, dipoles; sources.c, sourcerates.c. Create: once all else is set up. Add:
   factor times their rates at time t to r, and weight times that to next unless it is NULL */
PETSC_INTERN PetscErrorCode PlexDGSourcesSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSourcesCreate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSourcesReset_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSourcesView_Private(PlexDG, PetscViewer);
PETSC_INTERN PetscErrorCode PlexDGSourcesAdd_Private(PlexDG, PetscReal t, void *r, PetscReal factor, void *next,
                                                     PetscReal weight, PetscBool isSingle);
/* AddLevel: those of the elements of a level, which the operator has sources of. GetElements: own elements that have any, on the
   host, of list 0 (total field) or 1 (dipoles) */
PETSC_INTERN PetscErrorCode PlexDGSourcesAddLevel_Private(PlexDG, PetscReal t, PetscInt level, PlexDGSourceTarget *);
PETSC_INTERN void           PlexDGSourcesGetElements_Private(PlexDG, int list, PetscInt *n, const int **elements);

/* ---- A perfectly matched layer: settings in pml.c. Create: finds it in the mesh, once all else is set up; an error where it
   cannot be right; measures: only how much elements are damped, for their levels, before that. Mark: of PlexDGTogether, while the mesh
   is made; ctx: the operator. pmlcells.c */
#define PLEX_PML_WINDOW \
  512 /* elements; one block of kernels in each has both kinds, and blocks of both are computed at a time */
PETSC_INTERN PetscErrorCode PlexDGPMLSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGPMLCreate_Private(PlexDG, PetscBool measures);
PETSC_INTERN PetscErrorCode PlexDGPMLMark_Private(void *ctx, PlexDGMesh, const PetscReal nodes[], PetscBool in[]);
PETSC_INTERN PetscErrorCode PlexDGPMLView_Private(PlexDG, PetscViewer);
PETSC_INTERN PetscErrorCode PlexDGPMLFree_Private(PlexDG); /* the settings */

/* pmlprofile.c, of planes in ascending distances from the inner side. SetSlabs: from [n][2] where own cells begin and end,
   which are overwritten; GetSlab: the one at a distance; Sigma: the rate there in a layer of thickness L */
PETSC_INTERN PetscErrorCode PlexDGPMLSetSlabs_Private(MPI_Comm, PetscReal same, PetscInt n, PetscReal intervals[],
                                                      PetscInt *nslabs, PetscReal planes[]);
PETSC_INTERN PetscInt       PlexDGPMLGetSlab_Private(PetscInt nslabs, const PetscReal planes[], PetscReal d);
PETSC_INTERN PetscReal      PlexDGPMLSigma_Private(PlexDG, PetscReal d, PetscReal L, PetscInt nslabs,
                                                   const PetscReal planes[]);

/* ---- The step of a TS: rates are the inverse of stable steps */

/* rate of sources times the step, at most: on the real axis methods of order three and more are stable to 2.5 */
#define PLEX_DG_DAMPING 2.
/* frequency of memory variables times the step, at most: exponentials of what oscillates are stable to 2.25 with scheme
   ck45 and steps that are 0.87 times the longest stable ones without, and to 1.75 with williamson3; eigenvalues in one
   dimension, mean and upwind flux */
#define PLEX_DG_TURN 1.7

/* What an element's largest speed is multiplied by to give a rate; timestep.c */
PETSC_INTERN PetscReal PlexDGGetSpeedScale_Private(PlexDG, PetscInt e);
/* Of own elements, on the host: rates[2] the largest rate, the largest at which sources damp; bad: the first element
   whose rate is none, or Ne. exact: but the decay, which a TS takes exactly */
PETSC_INTERN PetscErrorCode PlexDGGetRates_Private(PlexDG, const PetscScalar u[], PetscBool exact, PetscReal rates[2],
                                                   PetscInt *bad);
/* rates[Ne] of own elements of a linear system, which may not be set up yet: 1/rate is the step of the factor 1 */
PETSC_INTERN PetscErrorCode PlexDGGetElementRates_Private(PlexDG, PetscReal rates[]);
/* Rates r of the elements of levels first to last of the state u, or a stage whose u this is, in double precision; nodal
   DG. constants: in the place of the operator's, or NULL. Without sources. Collective; compute.c */
PETSC_INTERN PetscErrorCode PlexDGLevelsCompute_Private(PlexDG, PetscReal t, const void *constants, PetscInt first,
                                                        PetscInt last, const PlexDGStage *, const double *u, double *r);
/* Likewise of level `level` alone, of the state 0, which `zero` is: of all elements, or of curved ones. ghosts: received
   traces of it */
PETSC_INTERN PetscErrorCode PlexDGLevelsComputeRest_Private(PlexDG, PetscReal t, PetscInt level, PetscBool curved,
                                                            const double *zero, const void *ghosts, double *r);
/* PlexDGComputeTimeStep() likewise */
PETSC_INTERN PetscErrorCode PlexDGGetTimeStep_Private(PlexDG, Vec U, PetscBool exact, PetscReal *dt);
/* The largest rate of all processes, where the operator is; a state without one: infinite; rates.c */
PETSC_EXTERN PetscErrorCode PlexDGGetRate_Private(PlexDG, Vec U, PetscBool exact, PetscReal *rate);
PETSC_INTERN PetscErrorCode PlexDGRatesDestroy_Private(PlexBackend, PlexDGRatesKernel *);
