/*
  The inside of the class PlexAssembly: products, strategies and their operations. src/assembly/

  Index spaces are those of meshimpl.h.
*/
#pragma once

#include <plexgpuassembly.h>
#include <plexgpu/private/sourceimpl.h>

/* Residual and Jacobian are the same computation [A F] = S G on different element data, so a strategy sees a "product":
   the rows of element data that an element computes and the targets they are summed into. PLEX_RESIDUAL  element data
   [ef]       targets: entries of the local residual vector PLEX_JACOBIAN  element data [ef][ef]   targets: slots of the
   matrix When symmetric, only j <= i is computed and stored: element data [ef*(ef+1)/2], entry i*(i+1)/2 + j. */
typedef enum {
  PLEX_RESIDUAL,
  PLEX_JACOBIAN,
  PLEX_PRODUCTS
} PlexProductKind;

typedef struct _n_PlexIntegrator PlexIntegrator; /* below */

/* Tensor integration of a Jacobian (src/assembly/integrate/tensor.c): A^e_ij = sum_k sum_ab K[i][k][ab][j] G_k[ab] */
typedef struct _n_PlexTensor *PlexTensor;
struct _n_PlexTensor {
  PetscInt  degree;    /* of the polynomials in which coefficients are expanded */
  PetscBool symmetric; /* G is, of one scalar field: ab runs over a <= b */
  /* g3 is one tensor an element, of the constants and auxiliary fields alone; where it is not the same in all elements,
     entry (c,d,k,l) is (d,c,l,k) */
  PetscBool oneValue;
  PetscInt  nab; /* pairs ab of parts of the test and trial functions */
  /* the elements, with bases at the nodes of the polynomials in the place of quadrature points; weights 1 */
  PlexElements at;
  PetscInt     n;
  PetscReal   *K;      /* [n] of the fields fi, fj from offset on: [Nn[fi]][at->Nq][nab][Nn[fj]] */
  PetscInt    *offset; /* [Nf * Nf], of fi, fj at fi * Nf + fj */
};

typedef struct {
  PlexProductKind kind;
  PetscBool       setUp;
  const char *variant;  /* the strategy says so: name of the way in which it is computed, static; NULL: there is one */
  PlexTensor  tensor;   /* NULL: by quadrature */
  char        why[192]; /* this integration */
  PetscBool   solutionUnread; /* the functions of the Jacobian do not read u, u_t and u_x, */
  PetscBool   pointUnread;    /* nor auxiliary fields and the position */
  PetscBool  *zero;           /* [nzero] entries of the functions that are zero at all points: see traits.h */
  PetscInt    nzero;          /* 0: nothing is known of them */
  PetscBool   equal;          /* G is symmetric, of one scalar field */
  /* by tensors, on the host: as long as the functions read nothing of a point but auxiliary fields, which is watched */
  PetscBool watched;
  /* on the host, by quadrature and where it is watched: the tensor for elements in which the functions' values are the
     same at all points, or NULL */
  PlexTensor constant;
  /* what computes element data in the place of quadrature and tensors, or NULL: PlexIntegratorChoose(); its own data */
  const PlexIntegrator *integrator;
  void                 *integratorData;
  /* of a Jacobian, the strategy's own, where it sums along lines of points: PlexLineTables of
     src/assembly/integrate/lines.h, or NULL */
  const void *lines;
  PetscBool   moments;   /* the strategy says so: element matrices by moments, cuda/integrate/moments.cuh */
  PetscBool   symmetric; /* PLEX_JACOBIAN only: the form is known symmetric, and this strategy uses it */
  /* the strategy says so: the kernel computes a few rows, which the compiler knows, and larger tables are compiled
     in */
  PetscBool turned;
  /* the strategy says so: compute sums the rows that are sent in the side queue, before and beside all else */
  PetscBool     early;
  PetscInt      nd;    /* entries of element data an element */
  PetscInt      Nt;    /* targets: Nl or the pattern's nnz */
  PetscInt      team;  /* threads that work on one element together: 1, or a power of two up to a warp */
  PetscInt      block; /* threads a block */
  size_t        work;  /* bytes of shared memory that a team needs for quadrature data; 0 when team is 1 */
  PlexModule    module;
  PlexVariables variables; /* that the module reads, or NULL */
  void         *plan;      /* the strategy's own */
  PlexMemory    memory;    /* arrays of the plan, which are freed with the product: PlexProductUpload() */
  /* basis tables in the backend's memory, in the precision of the element data, where not compiled in */
  void    *tables;
  PetscInt rows;                  /* rows of element data that a team computes together */
  double   bytes;                 /* moved through device memory a launch, as the plan counts them */
  double   flops;                 /* a launch */
  double   planTime, compileTime; /* seconds */
  double   time;                  /* seconds of device time, all launches */
  PetscInt launches;
  PetscBool
    stored; /* an action by coefficients that are stored, src/assembly/impls/stored/, in the place of the type's way */
} PlexProduct;

#define PLEX_TENSOR_DEGREE 8 /* most, of the polynomials in which coefficients are expanded */

/* The assembly that is under way, as the program asked for it */
typedef struct {
  Vec       locX, locX_t; /* locX_t NULL: there is none */
  PetscReal t, shift;
} PlexMoment;
typedef struct _n_PlexFormTraits *PlexFormTraits; /* src/assembly/integrate/traits.h */
typedef struct _n_PlexCall       *PlexCall;       /* src/assembly/integrate/traits.c */

typedef struct _n_PlexExchange    *PlexExchange;
typedef struct _n_PlexTuner       *PlexTuner;       /* src/assembly/tune/ */
typedef struct _n_PlexCohesiveSum *PlexCohesiveSum; /* src/assembly/interface/cohesive.c */
/* rows of essential values, and their entries of a matrix: src/assembly/interface/essential.c */
typedef struct _n_PlexEssential        *PlexEssential;
typedef struct _n_PlexEssentialEntries *PlexEssentialEntries;

typedef struct _PlexAssemblyOps *PlexAssemblyOps;
struct _PlexAssemblyOps { /* a product has operations and asm->data of its own, also where both are of one type */
  /* Builds product->plan and compiles; the pattern is there when kind is PLEX_JACOBIAN. Not collective, and like
     compute not called on a process without elements */
  PetscErrorCode (*setup)(PlexAssembly, PlexProduct *);
  /* Launches; every target is written or zeroed */
  PetscErrorCode (*compute)(PlexAssembly, PlexProduct *, const void *args /* PlexArgs */);
  PetscErrorCode (*resetproduct)(PlexAssembly, PlexProduct *);      /* frees product->plan */
  PetscErrorCode (*view)(PlexAssembly, PlexProduct *, PetscViewer); /* may be NULL: a line or two about the plan */
  PetscErrorCode (*destroy)(PlexAssembly);                          /* may be NULL: frees what asm->data refers to */
};

/* A way in which a type computes a product: TYPE:NAME in -plex_assembly_type */
typedef struct {
  const char *name;                   /* "sumfactor" */
  PetscBool   product[PLEX_PRODUCTS]; /* of which products */
  PetscBool   quadrature;             /* by quadrature also those Jacobians that tensors would serve */
  const char *serves;                 /* what it computes: "Jacobians of scalar fields on ..." */
} PlexVariant;

/* How tuning came by a strategy: not at all, by measuring now, from the archive */
typedef enum {
  PLEX_TUNED_NOT,
  PLEX_TUNED_MEASURED,
  PLEX_TUNED_FOUND
} PlexTuned;

/* A faster type that takes the place of another one: static, NULL where there is none; its expected time over that of the
   type before; seconds that its plan is expected to take */
typedef struct {
  PlexAssemblyType type;
  double           ratio, plan;
} PlexFollower;

/* What computes a product. While it does, its operations, data and sizes are the assembly's own, where a strategy finds
   them */
typedef struct {
  struct _PlexAssemblyOps ops;
  void                   *data;    /* the strategy's own, if any: freed with its type by PetscFree() */
  char                   *type;    /* NULL: still to be chosen */
  PetscBool               chosen;  /* was not asked for, and may be chosen anew */
  const PlexVariant      *variant; /* of the type, that was asked for, or NULL */
  char                   *why;     /* this type, for the view */
  PlexTuned               origin;  /* of this type */
  PetscBool               tuned;   /* tuning has found sizes, which take the place of the assembly's: */
  PetscInt                block, team, partition;
  /* of a type that was chosen as its plan is soon made: the faster one that follows; what has been computed; and after
     how many of these it follows, 0: the first ones are still to be measured */
  PlexFollower later;
  PetscInt     done, after;
} PlexStrategy;

/* An integral, as strategies see it: of a residual and a Jacobian, over the cells of a region or the facets of a
   boundary condition. What a program calls its assembly is the integral over the cells of the first region, which owns
   the other ones. All of them are sums' terms:

     owner                   cells of the first region: residual and Jacobian
     owner->next             what adds to them: cells of the other regions, facets
     owner->preconditioner   the first term of the matrix of a preconditioner with functions of its own
     owner->explicitPart     the first term of the right-hand side of an IMEX method
     owner->action[k]        the first term of an action of the Jacobian: PlexAction
     owner->cohesive         sums over cohesive cells, whose terms all add

   What belongs to the problem as a whole is there once, in the owner. */
struct _p_PlexAssembly {
  /* operations of the strategy at work; the type's name is that of the Jacobian's */
  PETSCHEADER(struct _PlexAssemblyOps);

  /* ---- One integral */
  PlexAssembly    owner; /* not owned; of the owner itself */
  PlexAssembly    next;  /* the next term of the same sum, or NULL; owned */
  PlexIntegral    integral;
  PetscBool       additive; /* adds to its targets, in place of writing them: all terms of a sum but the first */
  PlexBackend     backend;
  PlexElements    elements;
  PlexForm        form;
  PlexPattern     pattern; /* of the matrix last assembled into */
  PlexFormTraits  traits;  /* what the source of the form's functions says; NULL: not looked at */
  PlexCall        call;    /* for calls of the form's functions at a point; made when first needed */
  PlexParts       parts;
  PlexProduct     product[PLEX_PRODUCTS];
  PlexStrategy    strategy[PLEX_PRODUCTS]; /* of each product */
  PlexProductKind selected;                /* the product whose strategy is at work */
  void           *data;                    /* of the strategy at work */
  PetscInt        blockSize;      /* of the strategy at work, of the owner also as it was set; <= 0: its own choice */
  PetscInt        teamSize;       /* likewise; <= 0: chosen from the element's size */
  PetscInt        partitionSize;  /* likewise, elements a partition; <= 0: what fits */
  PetscBool       affineElements; /* the elements at hand are affine, whatever their cell type */
  PetscBool       repeated;       /* some element has a dof twice (a periodic mesh of very few cells) */
  /* functions were found to read more in some elements than at the point where they were looked at */
  PetscBool        unsteady;
  PetscObjectState coordinateState;
  PetscReal       *xDevice;     /* [Nx][dim] coordinate nodes in the backend's memory */
  PetscReal       *facetDevice; /* of the elements, likewise: facet, face, dofsAux */
  int             *faceDevice, *auxDevice;
  PetscScalar     *constants; /* [numConstants+3] as last uploaded */
  PetscScalar     *constantsDevice;
  PlexArray        arrayAux;

  /* ---- The sum, of its first term */
  PlexArray            arrayX, arrayX_t, arrayV, arrayF, arrayA, arrayO; /* O: off-diagonal block */
  PlexExchange         exchange;     /* of the pattern's interface rows; NULL on one process */
  double               exchangeTime; /* seconds, all exchanges */
  PlexBasisBlocks      blocks;       /* of the pattern, where there is a basis transform; NULL: not made yet */
  PlexEssentialEntries entries;      /* of the pattern, where there are essential rows; NULL: not made yet */

  /* ---- The whole, of the owner: asm->owner->memory. Nothing is set of it in the other integrals */
  DM              dm;
  char           *backendType; /* as asked for; NULL: auto */
  PlexIntegration integration;
  PetscInt        tensorDegree; /* of coefficients' polynomials; < 0: not asked for */
  unsigned        declared;     /* PLEX_READS_..., most that the Jacobian's functions read as the program says */
  PlexPrecision   precision;
  char           *source;    /* files of pointwise functions, comma separated; "auto": those of debugging information */
  char           *found;     /* then the files; NULL where they are not looked for yet */
  PlexProgram     program;   /* the same, read when a kernel is first compiled */
  PetscBool3      symmetric; /* PETSC_BOOL3_UNKNOWN: as the matrix says */
  PetscInt64      memory;    /* most bytes of device memory for element data; <= 0: half of what is free */
  PlexPartitioner partitioner;
  PetscInt        sharedMemory; /* bytes of shared memory a block, shared_*; <= 0: a third of a multiprocessor's */
  /* shared_nz by pairs of nodes takes diagonals from the sums of rows; PETSC_BOOL3_UNKNOWN: where that is faster */
  PetscBool3 rowSums;
  PetscBool3 planOnDevice;  /* plans are made where the kernels are; PETSC_BOOL3_UNKNOWN: on a device */
  PetscInt   expected;      /* assemblies of either product; PETSC_DETERMINE: not known, PETSC_UNLIMITED: very many */
  PetscBool  deterministic; /* auto takes types of which sums are bitwise repeatable */
  PetscBool  fallback;
  PetscBool  dummy;    /* element data without integration, of no use but to be timed (cuda/integrate/dummy.cuh) */
  PetscReal  check;    /* relative tolerance of -plex_assembly_check; <= 0: off */
  PetscBool  timing;   /* device time of every launch is taken, for the view */
  PetscBool  borrowed; /* dm owns this assembly, and is not owned by it */
  PetscBool  setUp;
  PetscBool  typesOpen; /* set up but for types */
  PlexTuner  tuner;     /* NULL: nothing is tuned */
  /* first terms of further sums, or NULL; owned */
  PlexAssembly    preconditioner, explicitPart, action[PLEX_ACTIONS];
  PlexCohesiveSum cohesive; /* sums over cohesive cells, that the program asked for; owned */
  /* next and preconditioner are there; explicitPart and actions are made when first asked for */
  PetscBool         integralsMade;
  const PlexMoment *moment;        /* of the Jacobian that is under way, or NULL */
  PetscInt          counts[2][2];  /* [residual, Jacobian][here, left to PETSc] */
  PetscInt          interposed[2]; /* those of counts[] for which the program called PETSc's function by its name */
  PlexBoundary      boundary;
  PlexBasis         basis;         /* NULL: the DM has no basis transform */
  PlexAnchors       anchors;       /* NULL: the DM has no hanging nodes */
  PetscInt          insertions[2]; /* of essential values: here, left to PETSc */
  PetscInt          evaluations;   /* of essential values, those of earlier set-ups included */
  PlexEssential     essential;     /* NULL: there are no such rows */
  PetscInt64        state;         /* of the DM and its form when set up */
  PlexAssembly      live;          /* list of this process's assemblies that DMs own */
  char             *reason;        /* why PETSc's host path is used, or NULL */
  PetscBool         inverted;      /* that is so because of cells that are inside out, for these coordinates */
  PlexApply         apply;         /* what products of actions are made of */
  PetscInt64        applied; /* number of the state of the action that is under way: a matrix gets one each time */
  PetscInt64        moves;   /* how often coordinates have changed: */
  PetscObjectState  coordinatesSeen;           /* when they had this state, */
  PetscInt64        coordinatesHash;           /* this hash */
  PetscInt64        actionMoves[PLEX_ACTIONS]; /* with which actions were set up */
};

/* What a type would do with a product, as far as that is known without a plan: what the cost model goes by. Zero: it
   does not */
typedef struct {
  double turned;      /* local_row:symmetry */
  double flopsLines;  /* local_row:sumfactor: operations of a row */
  double pairs;       /* shared_nz by pairs of nodes: components of a node; */
  double points;      /* pairs are of so many DMPlex points an element */
  double matrices;    /* pairs are those of element matrices of hexahedra */
  double flopsMatrix; /* shared_nz:partial: operations of an element's matrix, beside its points' */
  double runs;        /* global_row:monomials or moments */
} PlexEstimate;
typedef PetscErrorCode PlexEstimateFn(PlexAssembly, PlexProduct *, PlexEstimate *);
/* variants: of a registered type, all that it has, static, ended by one without a name. estimate: sets the type's own
   members; NULL: it has none */
PETSC_EXTERN PetscErrorCode PlexAssemblyRegisterVariants(const char type[], const PlexVariant variants[],
                                                         PlexEstimateFn *estimate);
/* Of all types */
PETSC_EXTERN PetscErrorCode PlexAssemblyEstimate(PlexAssembly, PlexProduct *, PlexEstimate *);
/* For tables of variants */
#define PLEX_OF_RESIDUALS {PETSC_TRUE, PETSC_FALSE}
#define PLEX_OF_JACOBIANS {PETSC_FALSE, PETSC_TRUE}
#define PLEX_OF_BOTH      {PETSC_TRUE, PETSC_TRUE}
/* How a strategy's kernel has element data computed */
typedef enum {
  PLEX_CALLS_NONE,
  PLEX_CALLS_ELEMENT,   /* by plex_element(), in a team */
  PLEX_CALLS_ELEMENTS,  /* by plex_elements() of cuda/integrate/teams.cuh; nodal data are in global memory */
  PLEX_CALLS_PREFETCHED /* likewise; nodal data are in shared memory */
} PlexStrategyCall;

/* What computes element data in the place of quadrature and tensors: docs/adding-an-integrator.md. TYPE:NAME asks for
   one, of the types that take integrators. Static: it is kept by its address */
struct _n_PlexIntegrator {
  PlexVariant variant;   /* its name, of which products, what it serves */
  PetscBool   automatic; /* it computes what quadrature does, and is taken unasked where it serves */
  /* of cuda/, or with its absolute path: defines plex_integrator_element(), or, where `elements` says so,
     plex_elements() */
  const char *file;
  PetscBool   elements;
  PetscInt    warp; /* then elements that a warp computes together; 0: a team has one */
  /* *serves is false: if it serves, sets it, product->integratorData, and the product's sizes where they are others */
  PetscErrorCode (*create)(PlexAssembly, PlexProduct *, PlexStrategyCall, PetscBool *serves);
  PetscErrorCode (*destroy)(PlexProduct *);                     /* NULL: PetscFree(product->integratorData) */
  PetscErrorCode (*write)(PlexAssembly, PlexProduct *, FILE *); /* may be NULL: definitions, before the file */
  /* may be NULL: what args.tables is, in the place of the basis tables */
  PetscErrorCode (*tables)(PlexAssembly, PlexProduct *, PetscInt *n, PetscReal **tables);
  double (*flops)(PlexAssembly, PlexProduct *);             /* of an element; NULL: as quadrature */
  PetscErrorCode (*view)(const PlexProduct *, PetscViewer); /* may be NULL: a line */
};
PETSC_EXTERN PetscErrorCode PlexIntegratorRegister(const PlexIntegrator *);

/* ---- For strategies that take integrators */

/* How the kernels of a type have element data computed: which integrators it takes. A string literal */
PETSC_EXTERN PetscErrorCode PlexAssemblyTakeIntegrators(const char type[], PlexStrategyCall);
/* Sets product->integrator, ->variant and its sizes where an integrator serves that was asked for, or is automatic; call
   it before a plan is made by these sizes */
PETSC_EXTERN PetscErrorCode PlexIntegratorChoose(PlexAssembly, PlexProduct *);
PETSC_EXTERN PetscErrorCode PlexIntegratorReset(PlexProduct *); /* product->integrator is NULL again */
/* Elements that a block of threads computes at a time */
PETSC_EXTERN PetscInt PlexIntegratorElements(const PlexProduct *);
/* Operations of all elements' data, each element once, by an integrator, quadrature or tensors */
PETSC_EXTERN double         PlexIntegratorFlops(PlexAssembly, PlexProduct *);
PETSC_EXTERN PetscErrorCode PlexIntegratorView(const PlexProduct *, PetscViewer);

/* Whether a strategy may compute a product in the way of this name: the program has asked for no other one. If it does,
   product->variant is the name */
PETSC_EXTERN PetscBool PlexVariantAllowed(PlexAssembly, const PlexProduct *, const char name[]);
/* Element e's data as a strategy that builds lists needs it: target[nd] of each entry (-1: dropped), and for a
   symmetric product mirror[nd] the target of the transposed entry (-1 on the diagonal); mirror may be NULL */
PETSC_EXTERN PetscErrorCode PlexAssemblyGetElementTargets(PlexAssembly, PlexProduct *, PetscInt e, int target[],
                                                          int mirror[]);
/* Zeroes all targets of a product, wherever they are (args is PlexArgs) */
PETSC_EXTERN PetscErrorCode PlexAssemblyZeroTargets(PlexAssembly, PlexProduct *, const void *args);
/* Compiles cuda/assembly/<file>, or the file of an absolute path, behind the generated prelude (sizes, tables,
   pointwise functions) and further definitions */
PETSC_EXTERN PetscErrorCode PlexAssemblyCompile(PlexAssembly, PlexProduct *, const char file[], PetscInt ndefines,
                                                const char *const defines[]);
/* The same, where the definitions are numbers */
typedef struct {
  const char *name;
  PetscInt    value;
} PlexSize;
PETSC_EXTERN PetscErrorCode PlexAssemblyCompileSizes(PlexAssembly, PlexProduct *, const char file[], PetscInt nsizes,
                                                     const PlexSize sizes[]);
/* Copies an array of the plan to the backend's memory, which the product frees when it is reset; device: address of a
   pointer */
PETSC_EXTERN PetscErrorCode PlexProductUpload(PlexAssembly, PlexProduct *, const void *from, size_t bytes,
                                              void *device);
/* Sets the operations of a type that has two forms; flag: which of them this is, asm->data for PlexAssemblyFlag() */
PETSC_EXTERN PetscErrorCode PlexAssemblySetOps(PlexAssembly, const struct _PlexAssemblyOps *, PetscBool flag);
static inline PetscBool     PlexAssemblyFlag(PlexAssembly asm_)
{
  return *(const PetscBool *)asm_->data;
}
/* Bytes of shared memory for the sums of a block's rows, `group` threads and at most `longest` targets a row; 0: they
   take too much, and are summed in the matrix (cuda/assembly/rows.cuh) */
PETSC_EXTERN size_t PlexAssemblyRowSums(PlexAssembly, const PlexProduct *, PetscInt group, PetscInt longest);
/* Points of an element at which a product evaluates the pointwise functions */
PETSC_EXTERN PetscInt PlexAssemblyPoints(PlexAssembly, PlexProduct *);
/* Flops of a launch that evaluates `points` of these points and computes `rows` rows of element data, or `entries` one
   by one */
PETSC_EXTERN double PlexAssemblyCountFlops(PlexAssembly, PlexProduct *, double points, double rows, double entries);
/* Elements of the last Jacobian that tensors served, where the host looks for those in which the functions have one
   value; else -1 */
PETSC_EXTERN PetscErrorCode PlexAssemblyGetConstantElements_Private(PlexAssembly, PetscInt *);
/* Bytes of one entry of element data */
PETSC_EXTERN size_t PlexAssemblyRealSize(PlexAssembly);
/* Threads an element of a product as the options say, else by the element's sizes, before there is a limit of memory */
PETSC_INTERN PetscInt PlexAssemblyDefaultTeam(PlexAssembly, PlexProduct *);
/* Chooses team, block and work of a product from the element's sizes and the options */
PETSC_EXTERN PetscErrorCode PlexAssemblyChooseTeam(PlexAssembly, PlexProduct *);
