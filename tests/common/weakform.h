/* Problems with all that a weak form may hold, on small meshes that all processes share; pointwise functions of
   integrals.h. */
#pragma once

#include <petscdmplex.h>

#define PLEX_TEST_INTEGRALS "tests/common/integrals.h" /* from the top folder, where tests run */

/* What a problem has besides its fields */
enum {
  PRECONDITIONER = 1,      /* functions of a Jacobian preconditioner, */
  PRE_ONLY       = 2,      /* and none of a Jacobian */
  DYNAMIC        = 4,      /* functions of a dynamic Jacobian */
  SEVERAL        = 8,      /* several functions a key */
  SPARSE         = 16,     /* blocks without functions */
  EXPLICIT       = 32,     /* the last field is not implicit, and part 100 has functions */
  AUX            = 64,     /* auxiliary fields on the same mesh: a linear scalar, a constant vector */
  ENCLOSING      = 128,    /* auxiliary fields on a mesh of which this one is a part */
  FACETS         = 256,    /* natural boundary conditions */
  OWN_AUX        = 512,    /* another auxiliary vector for one of their values */
  CURVED         = 1024,   /* coordinates of degree 2 */
  PERIODIC       = 2048,   /* a box that is periodic in x, its coordinates cellwise */
  MOVED          = 4096,   /* coordinates that change after the first assembly */
  REGION         = 8192,   /* the last field on a part of the mesh */
  SINGLE         = 16384,  /* precision */
  LONE           = 32768,  /* one facet for each value, turned against its cell: PETSc then knows that it is curved */
  UNUSED         = 65536,  /* PetscDSUseJacobianPreconditioner() false */
  SYMMETRIC      = 131072, /* the matrix is said to be symmetric, which the sum of all parts might be */
  EXCHANGED      = 262144, /* moved coordinates are in another vector */
  DEVICE         = 524288, /* vectors and matrices of CUDA types */
  /* facets inside too: on several processes PETSc's residual has each once, its Jacobian once a process */
  INSIDE     = 1048576,
  IDLE       = 2097152,   /* of several processes the last has no cells */
  OVERLAP    = 4194304,   /* neighbouring processes share a layer of cells, which all of them integrate */
  BENT       = 8388608,   /* in a space of one dimension more */
  BENT2      = 16777216,  /* of two more */
  FACETS_PRE = 33554432,  /* with FACETS: functions for a preconditioner on them */
  CHAIN      = 67108864,  /* a field has functions with those before and after it alone */
  NINE_AUX   = 134217728, /* with AUX: a linear scalar, a constant vector, and seven more */
  CONSTANT   = 268435456  /* scalar fields; Jacobians of the constants alone */
};

#define PLEX_TEST_FIELDS 10 /* most */

/* Spaces of fields; those from PLEX_TEST_RT on have functions that are vectors */
typedef enum {
  PLEX_TEST_LAGRANGE,
  PLEX_TEST_DISC,    /* linear, discontinuous, of no tensor product */
  PLEX_TEST_RT,      /* Raviart-Thomas, the lowest degree is 1 */
  PLEX_TEST_BDM,     /* Brezzi-Douglas-Marini, on simplices */
  PLEX_TEST_NEDELEC, /* H(curl), first kind, on simplices */
  PLEX_TEST_ENRICHED /* PETSCSPACEWXY, on prisms: linear vectors and more, the same on all cells */
} PlexTestSpace;

/* A field: degree; components, 0 for as many as dimensions */
typedef struct {
  PetscInt      degree, components;
  PlexTestSpace space;
} PlexTestField;

typedef struct {
  DMPolytopeType cell;
  PetscInt       cells; /* most; 0: all */
  PetscInt       Nf;
  PlexTestField  fields[PLEX_TEST_FIELDS];
  PetscInt       has;
} PlexTestWeakForm;

PetscErrorCode PlexTestWeakFormCreate(const PlexTestWeakForm *, DM *);

/* Auxiliary fields on a mesh that is the DM's own or encloses it */
PetscErrorCode PlexTestAddAuxiliary(DM dm, DM mesh, const PlexTestWeakForm *);

/* Other coordinates, in another vector where asked */
PetscErrorCode PlexTestMove(DM, PetscBool exchange);
