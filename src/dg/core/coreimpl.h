/* Sizes, and the parts of the mesh: shared by the files of src/dg/core/ and what is above them. Mesh, text of kernels
   and copies in the backend's memory are in plexgpu/private/dgimpl.h, since types from outside the library use them,
   too */
#pragma once

#include <plexgpu/private/dgimpl.h>
#include "../../dm/elementsimpl.h" /* PlexCones */

/* SizeCheck: an error if n * each is no PetscInt; IntCheck: if it is no int, whatever PetscInt is. CheckVec: an error if
   a vector does not have the operator's size. sizes.c */
PETSC_INTERN PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGIntCheck_Private(PetscInt64 n, PetscInt64 each, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGCheckVec_Private(PlexDG, Vec);

/* Blanks of a name become underscores, as in names of options; tags.c */
PETSC_INTERN void PlexDGUnderscore_Private(char name[]);
/* each(dg, tag) for all options -<prefix><name>_<tag> that there are: one whose tag the mesh has not is not passed over */
PETSC_INTERN PetscErrorCode PlexDGEachTag_Private(PlexDG, const char name[],
                                                  PetscErrorCode (*each)(PlexDG, const char tag[]));
/* The label of the mesh that an option means by a name; that name where there is none */
PETSC_INTERN PetscErrorCode PlexDGFindLabel_Private(PlexDG, const char name[], size_t size, char label[],
                                                    PetscBool *found);

/* The operators that compute: dg itself, or the two parts of a mixed mesh; how many */
static inline PetscInt PlexDGGetParts(PlexDG dg, PlexDG parts[2])
{
  parts[0] = dg->parts[0] ? dg->parts[0] : dg;
  parts[1] = dg->parts[1];
  return parts[1] ? 2 : 1;
}

/* Bytes of a number */
static inline size_t PlexPrecisionSize(PlexPrecision precision)
{
  return precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

/* Values of a state on this process */
static inline PetscInt PlexDGGetLocalSize(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n    = PlexDGGetParts(dg, parts);
  PetscInt       size = 0;

  for (PetscInt k = 0; k < n; ++k) size += parts[k]->mesh->Ne * parts[k]->system->Nf * parts[k]->reference->Np;
  return size;
}

/* Where the values of part k begin in those of a state, u[] of float or double; NULL of NULL */
static inline void *PlexDGPartsGetArray(const PlexDG parts[], PetscInt k, const void *u, PetscBool isSingle)
{
  return u && k ? (char *)u + (size_t)PlexDGGetLocalSize(parts[0]) * (isSingle ? sizeof(float) : sizeof(double))
                : (void *)u;
}

/* Linear decay of fields; decay.c. Create: `decay` of the operator or its parts, where coefficients, constants and backend
   are there. Decays: whether any field does. Most: the largest rate in element e, which may be none. Add: takes factor
   times the decay of u from r, and weight times that from next unless it is NULL, in single precision or double.
   AddElements: likewise of elements begin .. end of an operator without parts, in double precision. Stage:
   after one of a low-storage scheme that was computed without; Vecs: likewise of vectors, error NULL: none */
PETSC_INTERN PetscErrorCode PlexDGDecayCreate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGDecayDestroy_Private(PlexBackend, PlexDGDecay *);
PETSC_INTERN PetscBool      PlexDGDecays_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGDecayMost_Private(PlexDG, PetscInt e);
PETSC_INTERN PetscErrorCode PlexDGDecayAdd_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next,
                                                   PetscReal weight, PetscBool isSingle);
PETSC_INTERN PetscErrorCode PlexDGDecayAddElements_Private(PlexDG, PetscInt begin, PetscInt end, const void *u, void *r,
                                                           PetscReal factor);
PETSC_INTERN PetscErrorCode PlexDGDecayStage_Private(PlexDG, const PlexDGDecayStage *);
PETSC_INTERN PetscErrorCode PlexDGDecayVecs_Private(PlexDG, const PlexDGDecayStage *, Vec residual, Vec next,
                                                    Vec error);

/* A stage with the arrays of part k */
PETSC_INTERN PlexDGDecayStage PlexDGDecayStageOfPart_Private(PlexDG parts[], PetscInt k, const PlexDGDecayStage *);

/* Elements of a layer whose rates are constant; pmlconstant.c */
typedef struct {
  PlexDGPMLConstantArgs args;   /* arrays in the backend's memory */
  PlexDGPMLItem        *items;  /* [args.n] those of args, on the host */
  PetscInt             *levels; /* [levels of time steps + 1] the first item of a level */
  PlexDGLayer           layer;  /* for the kernel of a stage */
  PlexModule            module;
  PlexKernel            kernel;
} *PlexDGPMLConstant;

#define PLEX_PML_SLABS 15 /* at most, of a side: rates of corners fit a short */

/* A perfectly matched layer, when it is set up. Where it is around a box: `inner` and `outer`, least and largest x_d of the
   other cells and of all; around a sphere: radii inner[0][0], outer[0][0]. Nothing of a side without a layer */
struct _n_PlexDGPML {
  PlexDGPMLArgs   args;             /* arrays in the backend's memory */
  PetscInt        items, nvarying;  /* own elements of the layer, of which rates vary in the first ones */
  int            *elements, *first; /* [items] of the mesh; [nvarying] 16 times its batch, and its place there */
  PlexDGPMLBatch *batches;          /* [args.nbatches + 1] those of args, on the host, and where they end */
  PetscInt       *levels;           /* [levels of time steps + 1] the first batch of a level */
  PetscReal      *damping;          /* [Ne] the largest rate at which the layer damps there, 1/time */
  PetscReal       inner[2][3], outer[2][3];
  PetscReal       alpha, speed;                     /* the largest of its cells */
  PetscInt        power;                            /* of its profile */
  PetscInt        slabs[2][3];                      /* around a box, of each side */
  PetscReal       planes[2][3][PLEX_PML_SLABS + 1]; /* where they begin and end, distances from the inner side */
  PetscInt        cells;                            /* of all processes */
  PetscInt        most;                             /* variables of an element, of all processes */
  PetscInt        rows;                             /* of [Np] numbers that hold these, for checkpoints */
  PetscBool       narrow;                           /* variables are float */
  size_t          bytes;                            /* of values, and of their residuals */
  size_t          shared;                           /* of a block of the kernel */
  void           *values, *residual;
  PlexArray       arrayU;
  PlexModule      module;
  PlexKernel      kernel;
  /* NULL: all elements' rates vary. inStage: a stage's kernel computes what they do; isStage: such a stage is on */
  PlexDGPMLConstant constant;
  PetscBool         inStage, isStage;
};

/* Good conductors of the boundary and thin sheets, when they are set up */
struct _n_PlexDGImpedance {
  PlexDGImpedanceArgs args;      /* arrays in the backend's memory */
  PetscInt            nplaces;   /* sides with memory variables, of this process */
  int                *traces;    /* [nplaces] */
  PetscInt            counts[2]; /* facets of conductors and of sheets, of all processes */
  PetscReal           rate;      /* the largest pole of all conductors */
  PetscInt            most;      /* sides of an element, at most */
  size_t              bytes;     /* of values, and of their residuals */
  double             *values, *residual;
  PlexArray           arrayU;
  PlexModule          module;
  PlexKernel          kernel;
};

/* impedance.c. SetUp: of dg->impedance, n sides of own traces in ascending order; across[n] and numbers[n] as in
   PlexDGImpedanceArgs, across of a conductor -1 - its number. Remembers: whether there are conductors. Rate: the largest at which variables
   change, 0: there are none. Zero: variables begin. Add: factor times the rates of u to r, and weight times that to next
   unless it is NULL, with the variables' part of a stage, or of none; Vec: that part alone, where the state is U. Get, Set: the
   variables, [nplaces][npoles][3][Nfp] */
PETSC_INTERN PetscErrorCode PlexDGImpedanceSetUp_Private(PlexDG, PetscInt n, const int traces[], const int across[],
                                                         const PetscReal numbers[]);
PETSC_INTERN PetscErrorCode PlexDGImpedanceDestroy_Private(PlexBackend, PlexDGImpedance *);
PETSC_INTERN PetscBool      PlexDGImpedanceRemembers_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGImpedanceRate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGImpedanceZero_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGImpedanceAdd_Private(PlexDG, const PlexDGStage *, const void *u, void *r,
                                                       PetscReal factor, void *next, PetscReal weight,
                                                       PetscBool isSingle);
PETSC_INTERN PetscErrorCode PlexDGImpedanceVec_Private(PlexDG, Vec U, PetscReal a, PetscReal b, PetscReal dt);
PETSC_INTERN PetscErrorCode PlexDGImpedanceGet_Private(PlexDG, PetscReal values[]);
PETSC_INTERN PetscErrorCode PlexDGImpedanceSet_Private(PlexDG, const PetscReal values[]);

/* The level of time steps of own element e */
static inline PetscInt PlexDGMeshGetLevel(PlexDGMesh mesh, PetscInt e)
{
  return mesh->levels ? mesh->levels->level[mesh->cells[e] - mesh->levels->cStart] : 0;
}

/* pml.c. SetUp: of dg->pml, whose elements are there, and first[n] is to be filled in; kinds[n], at[n + 1] and numbers
   as in PlexDGPMLArgs; behind these n elements are nconstant more whose rates[nconstant][3] are constant. CountVariables: of an element of a kind. Zero: variables begin. Damping: of own element e. Add: the
   layer's rates of u to r, both double. Stage: before one of a low-storage scheme, and after; Vec: the variables' part of
   one whose state is U. Levels: what a stage says, with `values` and `residual` of its own, of elements of levels first to
   last. Get, Set: the variables of all elements, [Ne][rows][Np]. Points: of the quadrature, args.NQ of them,
   before SetUp; points[NQ][dim] of the reference element are the caller's to free */
PETSC_INTERN PetscErrorCode PlexDGPMLPoints_Private(PlexDG, PetscReal *points[]);
PETSC_INTERN PetscErrorCode PlexDGPMLSetUp_Private(PlexDG, PetscInt n, const int kinds[], const int at[],
                                                   const PetscReal numbers[], PetscInt nconstant,
                                                   const PetscReal rates[]);
PETSC_INTERN PetscErrorCode PlexDGPMLDestroy_Private(PlexBackend, PlexDGPML *);
PETSC_INTERN PetscInt       PlexDGPMLCountVariables_Private(PlexDG, int kind);
PETSC_INTERN PetscErrorCode PlexDGPMLZero_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGPMLDamping_Private(PlexDG, PetscInt e);
PETSC_INTERN PetscErrorCode PlexDGPMLAdd_Private(PlexDG, const void *u, void *r);
PETSC_INTERN PetscErrorCode PlexDGPMLStage_Private(PlexDG, const PlexDGStage *, PetscBool before);
PETSC_INTERN PetscErrorCode PlexDGPMLVec_Private(PlexDG, Vec U, PetscReal a, PetscReal b, PetscReal dt);
PETSC_INTERN PetscErrorCode PlexDGPMLLevels_Private(PlexDG, PetscInt first, PetscInt last, PlexDGPMLStage *);
PETSC_INTERN PetscErrorCode PlexDGPMLGet_Private(PlexDG, PetscReal all[]);
PETSC_INTERN PetscErrorCode PlexDGPMLSet_Private(PlexDG, PetscReal all[]);
/* Numbers, in the precision of the variables */
PETSC_INTERN PetscErrorCode PlexDGPMLUploadReals_Private(PlexDG, size_t n, const PetscReal values[], const void **);

/* pmlconstant.c. Create: of dg->pml, whose variables begin at `first`; `end`: where they end. Run: what a stage says, of
   elements of levels first to last. Range: the places of a level's variables. GetLayer: what the kernel of a stage has to
   compute, NULL: nothing */
PETSC_INTERN PetscErrorCode PlexDGPMLConstantCreate_Private(PlexDG, PetscInt n, const int elements[],
                                                            const PetscReal rates[], long long first, long long *end);
PETSC_INTERN PetscErrorCode PlexDGPMLConstantDestroy_Private(PlexDGPMLConstant *);
PETSC_INTERN PetscErrorCode PlexDGPMLConstantRun_Private(PlexDG, PetscInt first, PetscInt last, PlexDGPMLStage *);
PETSC_INTERN PetscErrorCode PlexDGPMLConstantRange_Private(PlexDG, PetscInt level, long long *first, long long *end);
PETSC_INTERN PlexDGLayer   *PlexDGPMLGetLayer_Private(PlexDG);

/* rates[Nf] of element e: an error where one is none */
PETSC_INTERN PetscErrorCode PlexDGDecayGetRates_Private(PlexDG, PetscInt e, PetscReal rates[]);

/* Memory variables of fields; memory.c, which explains what clients give. Add: of an operator without parts, before
   PlexDGDecayCreate_Private(), which calls Create. Has: whether field f of element e has any. Remembers: whether any field of any process does. AddRates: adds
   factor times what M makes of u and the present variables to r, and weight times that to next unless it is NULL. Stage:
   after one of a low-storage scheme, which the functions of the decay call. Keep: of a step that may be done again, and
   then takes them back */
PETSC_INTERN PetscErrorCode PlexDGMemoryAdd_Private(PlexDG, PetscInt e, PetscInt f, PetscInt m, const PetscReal M[]);
PETSC_INTERN PetscErrorCode PlexDGMemoryCreate_Private(PlexDG, PetscBool *any);
PETSC_INTERN PetscErrorCode PlexDGMemoryDestroy_Private(PlexBackend, PlexDGMemory *);
PETSC_INTERN PetscBool      PlexDGMemoryHas_Private(PlexDG, PetscInt e, PetscInt f);
PETSC_INTERN PetscBool      PlexDGRemembers_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGMemoryFrequency_Private(PlexDG); /* of all M, the largest; 0: there is none */
PETSC_INTERN PetscErrorCode PlexDGMemoryAddRates_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next,
                                                         PetscReal weight, PetscBool isSingle);
PETSC_INTERN PetscErrorCode PlexDGMemoryStage_Private(PlexDG, const PlexDGDecayStage *);
PETSC_INTERN PetscErrorCode PlexDGMemoryKeep_Private(PlexDG, PetscBool back);
/* GetMost: variables of an element, at most, of all processes. Get and Set: values[Ne][most][Np] of one part after the
   other, those of an element's fields in their order, then zeros; Set NULL: zero. Collective */
PETSC_INTERN PetscErrorCode PlexDGMemoryZero_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGMemoryGetMost_Private(PlexDG, PetscInt *most);
/* Of an operator without parts: sums[Ne] of numbers >= 0 that depend on an element's matrices; by which other ones are seen */
PETSC_INTERN PetscErrorCode PlexDGMemorySum_Private(PlexDG, PetscReal sums[]);
PETSC_INTERN PetscErrorCode PlexDGMemoryGet_Private(PlexDG, PetscInt most, PetscReal values[]);
PETSC_INTERN PetscErrorCode PlexDGMemorySet_Private(PlexDG, PetscInt most, const PetscReal values[]);

/* A unit of each trace, host memory, to the other side: sent and received[places of all parts]. Collective. share.c */
PETSC_INTERN PetscErrorCode PlexDGShare_Private(PlexDG, MPI_Datatype unit, const void *sent, void *received);

/* Levels of elements, levels.c. Find: of an operator of nodal DG whose elements need the steps 1/rates[Ne]. Collective.
   GetOf: that of each own element, and of each received trace's element, [Ne + nghosts]; PetscFree() it. Collective */
PETSC_INTERN PetscErrorCode PlexDGLevelsFind_Private(PlexDG, const PetscReal rates[], PlexDGLevels *);
PETSC_INTERN PetscErrorCode PlexDGLevelsDestroy_Private(PlexDGLevels *);
PETSC_INTERN PetscErrorCode PlexDGLevelsGetOf_Private(PlexDG, int **levels);
PETSC_INTERN PetscErrorCode PlexDGLevelsView_Private(PlexDG, PetscViewer);

/* PETSc's vertex v of a simplex as ours, which has a positive Jacobian where the cell is not turned:
   PlexDGMesh.turned */
static inline PetscInt PlexDGVertexNumber(PetscInt dim, PetscInt v)
{
  return dim == 3 && (v == 1 || v == 2) ? 3 - v : v;
}

/* Coordinates of the cells while the mesh is made. Gather: [Ne][nx][dim] as DMPlex has them, in the order of
   mesh->cells; PetscFree() them. Center: the mean of a cell's vertices, of its nodes[nx][dim]. SetNodes: vertices,
   nodes and affine maps of the elements, of which element e is cell order[e] of nodes[]. coordinates.c */
PETSC_INTERN PetscErrorCode PlexDGMeshGatherNodes_Private(PlexDGMesh, PetscReal **nodes);
PETSC_INTERN void           PlexDGMeshGetCenter_Private(PlexDGMesh, const PetscReal nodes[], PetscReal center[]);
PETSC_INTERN PetscErrorCode PlexDGMeshSetNodes_Private(PlexDGMesh, const PetscReal nodes[], const int order[]);
/* Nodal DG on curved elements, curve.c. SetUpShape: where coordinates are of a degree above 1, the DM's or that
   elements are bent to (0: they are not), or coefficients vary in some. GatherShape: nodes [Ne][nx][dim] of that degree, as GatherNodes. Bend: moves them to
   curves. FindCurved: curved[Ne], which elements are, or have
   coefficients that vary, or are beside one of these; NULL where no process has any, and `shape` is no more */
PETSC_INTERN PetscErrorCode PlexDGCurvesDestroy_Private(PlexDG); /* the settings */
PETSC_INTERN PetscErrorCode PlexDGMeshSetUpShape_Private(PlexDGMesh, PetscInt degree, PetscBool graded);
PETSC_INTERN PetscErrorCode PlexDGMeshGatherShape_Private(PlexDGMesh, PetscReal **nodes);
PETSC_INTERN PetscErrorCode PlexDGMeshBend_Private(PlexDGMesh, PetscInt n, const PlexDGCurve curves[],
                                                   PetscReal nodes[]);
PETSC_INTERN PetscErrorCode PlexDGMeshFindCurved_Private(PlexDGMesh, PetscInt ngradings, const PlexDGGrading gradings[],
                                                         PetscReal **nodes, PetscBool **curved);
/* found: the last grading that holds for a cell of the mesh, -1: none */
PETSC_INTERN PetscErrorCode PlexDGGradingFind_Private(DM, PetscInt n, const PlexDGGrading gradings[], PetscInt cell,
                                                      PetscInt *found);
/* Where own element e is, for messages: "cell 3, centroid (0.5, 0.5, 0.)"; coordinates.c */
PETSC_INTERN PetscErrorCode PlexDGMeshCellName_Private(PlexDGMesh, PetscInt e, size_t size, char name[]);

/* How a side of a face lies in its element, by its place in the cone and its orientation there */
typedef struct {
  PetscInt face; /* of our numbering */
  PetscInt turn; /* PlexDGTurnNumber(): which vertex of the face's point is vertex v of the face */
  /* the point's vertices turn left seen from outside of the cell (of an edge: the cell is on its left); else right */
  PetscBool outward;
} PlexDGSide;

/* The faces of the mesh, or of a part of it, while it is made */
typedef struct {
  PlexDGMesh mesh;
  PetscBool  parallel; /* there are several processes */
  PetscInt   pStart, pEnd, fStart, fEnd;
  /* [fEnd - fStart] the own elements' sides of a face, e * faces + (place in the cone), ascending; -1: none */
  PetscInt (*sides)[2];
  /* [pEnd - pStart] >= 0 where another process or part has a cell on the other side of an own one's face; NULL: one
     process, one part */
  PetscInt64 *other;
  PlexCones   cones;
  PlexDGSide  side[2][6][8];    /* by whether the cell is turned, place in the cone, 4 + orientation there */
  PetscInt    between[8][8];    /* turns of both sides: which vertex of the other one is vertex v of this one */
  PlexLowest  inverted, broken; /* the first face whose cells are on one side of it; that is not of two cells */
} PlexDGFaces;
/* SetSides: of the elements in their present order. GetSide: the side with a number of sides[], and its trace.
   sides.c */
PETSC_INTERN PetscErrorCode PlexDGFacesCreate_Private(PlexDGMesh, PetscInt nparts, PlexDGFaces *);
PETSC_INTERN PetscErrorCode PlexDGFacesDestroy_Private(PlexDGFaces *);
PETSC_INTERN PetscErrorCode PlexDGFacesSetSides_Private(PlexDGFaces *);
PETSC_INTERN PetscErrorCode PlexDGFacesSetLinks_Private(PlexDGFaces *);
/* An error if two cells are on the same side of a face: they overlap. here, there: PlexDGSide.outward of both */
PETSC_INTERN PetscErrorCode     PlexDGFacesCheck_Private(const PlexDGFaces *, PetscInt trace, PetscInt point,
                                                         PetscBool here, PetscBool there);
static inline const PlexDGSide *PlexDGFacesGetSide(const PlexDGFaces *F, PetscInt number, PetscInt *trace)
{
  const PlexDGMesh  mesh = F->mesh;
  const PetscInt    e = number / mesh->faces, c = number % mesh->faces;
  const PetscInt    o    = F->cones.orientations[PlexConesAt(&F->cones, mesh->cells[e]) + c];
  const PlexDGSide *side = &F->side[mesh->turned[e] ? 1 : 0][c][4 + o];

  *trace = e * mesh->faces + side->face;
  return side;
}
/* Of all n parts of the mesh: elements with a face that another process or part has, too, remote[n][Ne]; the traces that
   are sent, the links to those received, and the star forest of them. Collective. ghosts.c */
PETSC_INTERN PetscErrorCode PlexDGFacesFindRemote_Private(PetscInt n, PlexDGFaces[], PetscBool *remote[]);
PETSC_INTERN PetscErrorCode PlexDGFacesSetGhosts_Private(PetscInt n, PlexDGFaces[], PetscSF *);
