/*
  Sizes of arrays and vectors: whether they are what they have to be.

  Values of fields, coefficients and geometry are counted by PetscInt on the host, and in kernels by numbers of 64 bits: an
  offset is formed in 64 bits once for an element, and offsets within one are int. Elements, traces and facets are int
  everywhere, and so is a link, trace * turns + turn: its 31 bits hold 89 million tetrahedra of a process, 44 million
  hexahedra, 357 million triangles or 268 million quadrilaterals.
*/
#include "coreimpl.h"

/* An error if n * each is more than `most` */
static PetscErrorCode PlexDGCountCheck(PetscInt64 n, PetscInt64 each, const char what[], PetscInt64 most)
{
  PetscFunctionBegin;
  if (each == 0 || n <= most / each) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(most > PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt64_FMT " times %" PetscInt64_FMT " %s are more than %" PetscInt64_FMT
             ", what one process can have where PETSc counts in 32 bits: use a PETSc that is configured with "
             "--with-64-bit-indices, or more processes, or a lower degree",
             n, each, what, most);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "%" PetscInt64_FMT " times %" PetscInt64_FMT " %s are more than %" PetscInt64_FMT
          ", what one process can have: use more processes, or a lower degree",
          n, each, what, most);
}

PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGCountCheck(n, each, what, PETSC_INT_MAX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGIntCheck_Private(PetscInt64 n, PetscInt64 each, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(each == 0 || n <= PETSC_INT32_MAX / each, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt64_FMT " times %" PetscInt64_FMT
             " %s are more than %d, what kernels count with any PETSc: use more processes",
             n, each, what, PETSC_INT32_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSizesCheck(const PlexDGSizes *s, PetscInt64 most)
{
  PetscFunctionBegin;
  PetscCall(PlexDGIntCheck_Private(s->Ne * s->faces + s->nghosts, s->turns, "codes of faces"));
  PetscCall(PlexDGCountCheck(s->Ne, s->nx * s->dim, "coordinates of nodes", most));
  PetscCall(PlexDGCountCheck(s->Ne, s->Nf * s->Np, "values of fields", most));
  PetscCall(PlexDGCountCheck(s->nfacets, s->dim * s->facetPoints, "coordinates of points of the boundary", most));
  PetscCall(PlexDGCountCheck(s->Ne + s->nghosts, s->NK, "coefficients", most));
  PetscCall(PlexDGCountCheck(s->nghosts, PetscMax(s->Nf, s->NK) * s->Nfp,
                             "values of faces that other processes have, too,", most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexDGSizes PlexDGGetSizes(PlexDG dg)
{
  PlexDGMesh      mesh = dg->mesh;
  PlexDGReference R    = dg->reference;

  return (PlexDGSizes){.Ne          = mesh->Ne,
                       .nghosts     = mesh->nghosts,
                       .nfacets     = mesh->nfacets,
                       .dim         = mesh->dim,
                       .faces       = mesh->faces,
                       .turns       = mesh->turns,
                       .nx          = mesh->nx,
                       .Nf          = dg->system->Nf,
                       .NK          = dg->system->ncoefficients,
                       .Np          = R->Np,
                       .Nfp         = R->Nfp,
                       .facetPoints = dg->quadrature ? dg->quadrature->MG : R->Nfp};
}

PetscErrorCode PlexDGCheckVec_Private(PlexDG dg, Vec v)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  if (n == PlexDGGetLocalSize(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->parts[0], PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A vector has %" PetscInt_FMT " entries here, and the operator %" PetscInt_FMT
             " values: use PlexDGCreateVec()",
             n, PlexDGGetLocalSize(dg));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
          "A vector has %" PetscInt_FMT " entries here, and the operator %" PetscInt_FMT " elements of %" PetscInt_FMT
          " fields at %" PetscInt_FMT " nodes: use PlexDGCreateVec()",
          n, dg->mesh->Ne, dg->system->Nf, dg->reference->Np);
}
