/* Shared by the files of src/assembly/integrate/, and what strategies ask them */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

/* Tables of a product in the order of cuda/integrate/quadrature.cuh: fields, coordinates, weights, and K of
   tensor.cuh */
PETSC_INTERN PetscErrorCode PlexTablesCreate_Private(PlexAssembly, PlexProduct *, PetscInt *n, PetscReal **tables);
PETSC_INTERN PetscErrorCode PlexTablesUpload_Private(PlexAssembly, PlexProduct *); /* where they are not compiled in */
PETSC_INTERN PetscBool      PlexTablesCompiled_Private(PlexAssembly, PlexProduct *);
PETSC_INTERN PetscBool      PlexTablesCompiledTurned_Private(PlexAssembly, PlexProduct *); /* were the product turned */
/* Dofs times points, most, of an element all of whose loops are compiled for a thread alone: PLEX_UNROLL in
   cuda/plex.cuh */
#define PLEX_MOST_COMPILED 160
/* for rows by quadrature that a thread computes alone */
PETSC_INTERN PetscErrorCode PlexWriteModal_Private(PlexAssembly, PlexProduct *, FILE *);
/* Whether a row is computed with gradients expanded: cuda/integrate/modal.cuh */
PETSC_INTERN PetscErrorCode PlexModalServes_Private(PlexAssembly, PlexProduct *, PetscBool *);
/* Whether a thread may compute an element matrix by quadrature with these expansions:
   cuda/integrate/modal_element.cuh */
PETSC_INTERN PetscErrorCode PlexModalServesElement_Private(PlexAssembly, PlexProduct *, PetscBool *);
/* Whether it may by moments (cuda/integrate/moments.cuh), where it may by expansions; and what these need */
PETSC_INTERN PetscErrorCode PlexMomentsServe_Private(PlexAssembly, PlexProduct *, PetscBool *);
PETSC_INTERN PetscErrorCode PlexWriteMoments_Private(PlexAssembly, PlexProduct *, FILE *);
/* The elements with the tabulation that a product uses: at quadrature points, or those of its tensors */
PETSC_INTERN PlexElements PlexProductElements_Private(PlexAssembly, PlexProduct *);
/* Parts of jets that the functions of a product use */
typedef struct {
  PetscBool testValue, testGrad, trialValue, trialGrad;
} PlexJets;
PETSC_INTERN void PlexFormGetJets_Private(PlexForm, PlexProductKind, PlexJets *);
/* Tensor integration: whether it serves a product, and how; what is known of the product's functions */
typedef struct {
  PetscInt    degree;
  PetscBool   symmetric, oneValue;         /* see PlexTensor */
  PetscBool   solutionUnread, pointUnread; /* see PlexProduct */
  PetscBool   watched;
  PetscBool  *zero; /* [nzero], freed with PetscFree() */
  PetscInt    nzero;
  const char *how;      /* this is known; static */
  char        why[192]; /* not; empty: it serves */
} PlexTensorPlan;
PETSC_INTERN PetscErrorCode PlexTensorExamine_Private(PlexAssembly, PlexProduct *, PlexTensorPlan *);
/* Whether g3 of a scalar field is known to be a multiple of the identity */
PETSC_INTERN PetscErrorCode PlexTensorIsIsotropic_Private(PlexAssembly, PetscBool *);
PETSC_INTERN PetscErrorCode PlexTensorCreate_Private(PlexAssembly, const PlexTensorPlan *, PlexTensor *);
PETSC_INTERN PetscErrorCode PlexTensorDestroy_Private(PlexTensor *);
/* Whether local_row computes a Jacobian better without these tensors: sumfactor.c */
PETSC_INTERN PetscErrorCode PlexLinesPreferred_Private(PlexAssembly, PlexProduct *, const PlexTensorPlan *,
                                                       PetscBool *lines);
/* Words that kernels have the signs of an element's dofs in: a bit each */
#define PlexSignWords(el) (((el)->ef + 31) / 32)
/* ---- Integrators: integrator.c. Those of the library, which PlexAssemblyRegisterAll() registers */
PETSC_INTERN const PlexIntegrator PlexIntegrator_SumFactor, PlexIntegrator_TensorCores;
PETSC_INTERN PetscErrorCode       PlexIntegratorAdd_Private(const PlexIntegrator *); /* unless it is there */
PETSC_INTERN void                 PlexIntegratorFinalize_Private(void);
/* Integrator k of those that a type takes; NULL: it takes no more */
PETSC_INTERN const PlexIntegrator *PlexIntegratorOfType_Private(const char type[], PetscInt k);
PETSC_INTERN const PlexIntegrator *PlexIntegratorOf_Private(const PlexVariant *); /* whose variant it is, or NULL */
/* Operations of an element by the automatic integrator that types with prefetched nodal data would take; 0: by none */
PETSC_INTERN PetscErrorCode PlexIntegratorEstimate_Private(PlexAssembly, const PlexProduct *, double *flops);
/* The program that the source of the pointwise functions is, if there is one */
PETSC_INTERN PetscErrorCode PlexAssemblyGetProgram_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyFindProgram_Private(PlexAssembly); /* no error where it cannot be read */
/* Whether the present integration of a product is what this assembly takes, in three steps: looks what is known now; if
   *same is false, what the product was made for is freed by the caller and the second makes what the new one takes; the
   third says why, and frees the plan */
typedef struct {
  PlexTensorPlan tensor;
  PetscBool      constant; /* the host looks for elements in which the functions are constant */
} PlexIntegrationPlan;
PETSC_INTERN PetscErrorCode PlexIntegrationExamine_Private(PlexAssembly, PlexProduct *, PlexIntegrationPlan *,
                                                           PetscBool *same);
PETSC_INTERN PetscErrorCode PlexIntegrationTake_Private(PlexAssembly, PlexProduct *, PlexIntegrationPlan *);
PETSC_INTERN PetscErrorCode PlexIntegrationEnd_Private(PlexAssembly, PlexProduct *, PlexIntegrationPlan *);
