/* Variants of shared_nz that live in folders of their own: each has its plan, its kernel and its launch */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

typedef struct {
  PlexVariant variant; /* its name, and what it serves */
  /* The plan, with its kernels compiled, if the variant serves the product; else *plan is NULL and nothing is done */
  PetscErrorCode (*create)(PlexAssembly, PlexProduct *, void **plan);
  PetscErrorCode (*launch)(PlexAssembly, PlexProduct *, void *plan, const void *args /* PlexArgs */);
  PetscErrorCode (*destroy)(PlexAssembly, void *plan);
  PetscErrorCode (*view)(PlexAssembly, const void *plan, PetscViewer);
  PlexEstimateFn *estimate; /* or NULL */
} PlexSharedVariant;

/* It is tried before `plain`, after those that are there; a static struct. Not collective */
PETSC_INTERN PetscErrorCode PlexSharedVariantRegister_Private(const PlexSharedVariant *);

/* ---- What shared.c calls */

/* Of all of these together */
PETSC_INTERN PlexEstimateFn PlexSharedVariantsEstimate_Private;
/* The first one that serves and is allowed, with its plan, and product->variant; *variant NULL: there is none */
PETSC_INTERN PetscErrorCode PlexSharedVariantCreate_Private(PlexAssembly, PlexProduct *,
                                                            const PlexSharedVariant **variant, void **plan);
