/*
  Elements of several types or degrees: a discretization whose parts are groups of elements of one type and one degree.

  A face has a trace of the larger degree of its two elements (Y. Chen and B. Cockburn, Analysis of variable-degree HDG
  methods for convection-diffusion equations. Part I: general nonconforming meshes, IMA J. Numer. Anal. 32 (2012),
  1267-1293). A group is that of elements of one (type, degree
  P, trace's degree Pt), Pt being the largest one of an element's faces. Its part has the tables of functions of degree
  P in an element and of degree Pt on all its faces, and the stages of any discretization. A face of degree k < Pt has the
  functions of degree k among those of degree Pt, which contain them: the others get zeros, and what flows through them is
  left out. With the restriction I_e to them K is the sum of I_e^T K^e I_e.

  The unknowns of the trace are those of this process's own faces, then those of other processes' faces, then known ones.
*/
#pragma once

#include "hdgimpl.h"

typedef struct {
  PlexHDG  part;      /* with a mesh of the group's elements, whose face[] are those of the whole */
  PetscInt offset[3]; /* where its numbers begin in this process's u, q and u* */
  double  *trace;     /* [Ne][faces][functions of degree Pt] of the elements' faces */
  double  *flux;      /* likewise minus the flux through them */
} PlexHDGGroup;

struct _n_PlexHDGGroups {
  PetscInt       n;
  PlexHDGGroup  *group;                /* [n] the same ones on all processes, some without elements */
  DMPolytopeType face;                 /* of all faces */
  PetscInt       range[2];             /* least and largest degree of all elements */
  int           *degree;               /* [nown + nghost + nfixed] of the faces' traces */
  PetscInt      *start;                /* [nown + nghost + nfixed + 1] a face's first unknown */
  PetscInt     own, ghost, fixed, all; /* unknowns: of this process, of others, known ones; own ones of all processes */
  PetscInt    *number;                 /* [own + ghost] global numbers */
  PetscInt     lengths[3];             /* of u, q and u* */
  PetscScalar *trace;                  /* [own + ghost + fixed] the known ones stay */
  PetscReal   *natural;                /* [own] right-hand side of Neumann's and Robin's conditions */
  PetscInt     nrobin;                 /* facets with Robin's condition */
  PetscInt    *robin;                  /* [nrobin] their faces */
  PetscReal   *matrices;               /* theirs, one after the other, [functions][functions] */
  PetscInt     nvalues;                /* that are summed to K */
  Vec          local;                  /* [own + ghost] of this process */
  VecScatter   scatter;                /* from the trace to it */
};

/* Function m of degree k of a face among those of degree P */
static inline PetscInt PlexHDGFaceFunction(DMPolytopeType face, PetscInt P, PetscInt k, PetscInt m)
{
  return face == DM_POLYTOPE_QUADRILATERAL ? m / (k + 1) * (P + 1) + m % (k + 1) : m;
}

/* groups.c: the groups with their parts, and the faces; or an error where there are none for this problem */
PETSC_INTERN PetscErrorCode PlexHDGGroupsSetUp_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGGroupsDestroy_Private(PlexHDG);
/* groupfaces.c: faces of the whole, with conditions; those of the parts' meshes */
PETSC_INTERN PetscErrorCode PlexHDGGroupsSetFaces_Private(PlexHDG, const PetscMPIInt owner[], const PetscInt sides[],
                                                          const PetscInt degree[]);
PETSC_INTERN PetscErrorCode PlexHDGGroupsSetBoundary_Private(PlexHDG);
/* groupstages.c: the stages */
PETSC_INTERN PetscErrorCode PlexHDGGroupsCreateMatrix_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGGroupsAssemble_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGGroupsSolveLocal_Private(PlexHDG, Vec trace, Vec u, Vec q, PetscBool flux);
PETSC_INTERN PetscErrorCode PlexHDGGroupsGather_Private(PlexHDG, Vec rhs);
PETSC_INTERN PetscErrorCode PlexHDGGroupsPostprocess_Private(PlexHDG, Vec u, Vec q, Vec star);
PETSC_INTERN PetscErrorCode PlexHDGGroupsComputeFluxJump_Private(PlexHDG, PetscReal *);
/* A group's numbers of u, q or u* (which 0, 1, 2), on all processes, where those of the whole are: destroy it before they
   are moved. v NULL: so is *part */
PETSC_INTERN PetscErrorCode PlexHDGGroupGetVec_Private(const PlexHDGGroup *, PetscInt which, Vec v, Vec *part);
/* groupcoarse.c */
PETSC_INTERN PetscErrorCode PlexHDGGroupsCreateCoarse_Private(PlexHDG, PlexHDGCoarse);
PETSC_INTERN PetscErrorCode PlexHDGGroupsUpdateCoarse_Private(PlexHDG, PlexHDGCoarse);
