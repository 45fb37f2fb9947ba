/* An integrator from outside the library, `vertex`: linear simplices by the rule whose points are the vertices */
#include "vertex.h"

/* The vertex of each node of a field of order 1: whose function has the same gradient; false: the field is another */
static PetscBool VertexFind(PlexElements el, PetscInt f, PetscInt vertex[])
{
  if (el->Nn[f] != el->dim + 1) return PETSC_FALSE;
  for (PetscInt n = 0; n < el->Nn[f]; ++n) {
    vertex[n] = -1;
    for (PetscInt v = 0; v < el->Nv; ++v) {
      PetscReal apart = 0.;

      for (PetscInt d = 0; d < el->dim; ++d)
        apart += PetscAbsReal(el->dphi[f][n * el->dim + d] - el->dpsi[v * el->dim + d]);
      if (apart < 1e-10) vertex[n] = v;
    }
    if (vertex[n] < 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* A thread has an element, all in registers */
static PetscErrorCode VertexCreate(PlexAssembly assembly, PlexProduct *product, PlexStrategyCall call,
                                   PetscBool *serves)
{
  PlexElements el = assembly->elements;
  PetscInt    *vertex, other[4];

  PetscFunctionBegin;
  if (!el->affine || el->Nv != el->dim + 1 || el->integral.facets || el->NfAux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(4, &vertex));
  product->integratorData = vertex; /* freed with the product */
  if (!VertexFind(el, 0, vertex)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 1; f < el->Nf; ++f) {
    PetscBool same = PETSC_FALSE;

    if (VertexFind(el, f, other)) PetscCall(PetscArraycmp(vertex, other, el->Nv, &same));
    if (!same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  product->team = product->rows = 1;
  product->work                 = 0;
  *serves                       = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode VertexWrite(PlexAssembly assembly, PlexProduct *product, FILE *out)
{
  const PetscInt *vertex = (const PetscInt *)product->integratorData;

  PetscFunctionBegin;
  fprintf(out, "static __device__ constexpr int vertex_of[] = {");
  for (PetscInt n = 0; n < assembly->elements->Nv; ++n) fprintf(out, "%d, ", (int)vertex[n]);
  fprintf(out, "};\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestVertexRegister(void)
{
  static char           file[PETSC_MAX_PATH_LEN];
  static PlexIntegrator integrator = {
    .variant = {"vertex", PLEX_OF_BOTH, PETSC_TRUE, "linear simplices without auxiliary fields"},
    .file    = file,
    .create  = VertexCreate,
    .write   = VertexWrite,
  };

  PetscFunctionBegin;
  PetscCall(PetscGetRealPath("tests/assembly/vertex.cuh", file));
  PetscCall(PlexIntegratorRegister(&integrator));
  PetscFunctionReturn(PETSC_SUCCESS);
}
