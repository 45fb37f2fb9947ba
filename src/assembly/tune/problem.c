/* What a result of tuning is good for: the same problem, on a mesh that is about the same. */
#include "tuneimpl.h"
#include <plexgpuversion.h>
#include "../../dm/elementsimpl.h" /* PlexFindFirst() */

/* Appends; where there is no room, the text ends with a number that differs for other texts, as of many fields */
static PetscErrorCode PlexAppend(char text[], size_t size, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
static PetscErrorCode PlexAppend(char text[], size_t size, const char format[], ...)
{
  size_t     length;
  int        more;
  char      *piece;
  PetscInt64 sum = 0;
  va_list    args;

  PetscFunctionBegin;
  PetscCall(PetscStrlen(text, &length));
  va_start(args, format);
  more = vsnprintf(text + length, size - length, format, args);
  va_end(args);
  if (more < 0 || length + (size_t)more < size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(more + 1, &piece));
  va_start(args, format);
  (void)vsnprintf(piece, (size_t)more + 1, format, args);
  va_end(args);
  for (size_t k = 0; k < length; ++k) sum = (31 * sum + text[k]) & 0xffffffffffff;
  for (int k = 0; k < more; ++k) sum = (31 * sum + piece[k]) & 0xffffffffffff;
  PetscCall(PetscFree(piece));
  (void)snprintf(text + size - 14, 14, "#%012llx", (unsigned long long)sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDescribeSpace(PlexElements el, char text[], size_t size)
{
  static const char *const names[] = {"", " vectors", " H(curl)", " H(div)"}; /* PlexFieldSpace */

  PetscFunctionBegin;
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f)
    PetscCall(PlexAppend(text, size, "%s %dx%d%s, ", f < el->Nf ? "field" : "auxiliary", (int)el->Nn[f], (int)el->Nc[f],
                         names[el->space[f]]));
  PetscCall(PlexAppend(text, size, "%d dofs, %d points, %s with %d nodes", (int)el->ef, (int)el->Nq,
                       el->affine ? "affine" : "isoparametric", (int)el->Nv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* " g3[0,0] laplace": a kind, its fields, and the names of its functions */
static PetscErrorCode PlexDescribeFunctions(const char kind[], PetscInt i, PetscInt j, const PlexFunctions *functions,
                                            char text[], size_t size)
{
  PetscFunctionBegin;
  if (!functions->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (j < 0) PetscCall(PlexAppend(text, size, "%s%s[%d]", text[0] ? " " : "", kind, (int)i));
  else PetscCall(PlexAppend(text, size, "%s%s[%d,%d]", text[0] ? " " : "", kind, (int)i, (int)j));
  for (PetscInt n = 0; n < functions->n; ++n)
    PetscCall(PlexAppend(text, size, " %s", functions->names[n] ? functions->names[n] : "?"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDescribeForm(PlexForm form, char text[], size_t size)
{
  const char *const f[] = {"f0", "f1"}, *const g[] = {"g0", "g1", "g2", "g3"}, *const d[] = {"d0", "d1", "d2", "d3"};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->Nf; ++i) {
    for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDescribeFunctions(f[k], i, -1, &form->f[k][i], text, size));
    for (PetscInt j = 0; j < form->Nf; ++j) {
      for (PetscInt k = 0; k < 4; ++k)
        PetscCall(PlexDescribeFunctions(g[k], i, j, &form->g[k][i * form->Nf + j], text, size));
      for (PetscInt k = 0; k < 4; ++k)
        PetscCall(PlexDescribeFunctions(d[k], i, j, &form->d[k][i * form->Nf + j], text, size));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The variant of a type that was asked for, behind a colon; or nothing */
static const char *PlexColon(const PlexStrategy *s)
{
  return s->variant ? ":" : "";
}

static const char *PlexName(const PlexStrategy *s)
{
  return s->variant ? s->variant->name : "";
}

/* Settings that are not tuned because they were asked for, or that are no part of tuning */
static PetscErrorCode PlexDescribeFixed(PlexAssembly asm_, char text[], size_t size)
{
  const PlexStrategy *residual = &asm_->strategy[PLEX_RESIDUAL], *jacobian = &asm_->strategy[PLEX_JACOBIAN];
  PetscBool           one;

  PetscFunctionBegin;
  if (PetscDefined(USE_COMPLEX)) PetscCall(PlexAppend(text, size, "complex "));
  PetscCall(PlexAssemblyIsOneType_Private(asm_, &one));
  if (one && asm_->backend->kernels && !residual->chosen && !jacobian->chosen && !residual->variant)
    PetscCall(PlexAppend(text, size, "type %s%s%s ", jacobian->type, PlexColon(jacobian), PlexName(jacobian)));
  else if (asm_->backend->kernels) {
    if (!residual->chosen)
      PetscCall(PlexAppend(text, size, "residual type %s%s%s ", residual->type, PlexColon(residual),
                           PlexName(residual)));
    if (!jacobian->chosen)
      PetscCall(PlexAppend(text, size, "Jacobian type %s%s%s ", jacobian->type, PlexColon(jacobian),
                           PlexName(jacobian)));
  }
  if (asm_->integration != PLEX_INTEGRATION_AUTO)
    PetscCall(PlexAppend(text, size, "integration %s ", PlexIntegrations[asm_->integration]));
  if (asm_->blockSize) PetscCall(PlexAppend(text, size, "block %d ", (int)asm_->blockSize));
  if (asm_->teamSize) PetscCall(PlexAppend(text, size, "team %d ", (int)asm_->teamSize));
  if (asm_->partitionSize) PetscCall(PlexAppend(text, size, "partition %d ", (int)asm_->partitionSize));
  if (asm_->partitioner != PLEX_PARTITIONER_AUTO)
    PetscCall(PlexAppend(text, size, "partitioner %d ", (int)asm_->partitioner));
  if (asm_->sharedMemory) PetscCall(PlexAppend(text, size, "shared memory %d ", (int)asm_->sharedMemory));
  if (asm_->memory > 0) PetscCall(PlexAppend(text, size, "memory %.0f ", (double)asm_->memory));
  if (asm_->symmetric != PETSC_BOOL3_UNKNOWN) PetscCall(PlexAppend(text, size, "symmetric %d ", (int)asm_->symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMeshGet(PlexAssembly asm_, PlexTuneMesh *mesh)
{
  PlexElements el     = asm_->elements;
  double       sum[4] = {1.0, (double)el->Ne, el->Ne ? (double)el->Nl : 0.0, 0.0};

  PetscFunctionBegin;
  if (el->Ne) PetscCall(PlexModelEstimateNonzeros(el, &sum[3]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)asm_)));
  mesh->elements  = sum[1] / sum[0];
  mesh->dofs      = sum[2] / PetscMax(sum[1], 1.0);
  mesh->rowLength = sum[3] / PetscMax(sum[2], 1.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Told by the first process that has elements */
PetscErrorCode PlexTuneProblemGet_Private(PlexAssembly asm_, PlexTuneProblem *problem, PlexTuneMesh *mesh)
{
  MPI_Comm          comm = PetscObjectComm((PetscObject)asm_);
  PlexElements      el   = asm_->elements;
  PlexBackendLimits limits;
  PetscMPIInt       first;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(problem, sizeof(*problem)));
  PetscCall(PlexMeshGet(asm_, mesh));
  PetscCall(PlexFindFirst(comm, (PetscBool)(el->Ne > 0), &first));
  if (el->Ne) {
    PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
    PetscCall(PetscStrncpy(problem->device, limits.name, sizeof(problem->device)));
    PetscCall(PetscStrncpy(problem->backend, ((PetscObject)asm_->backend)->type_name, sizeof(problem->backend)));
    PetscCall(PetscStrncpy(problem->version, PLEXGPU_VERSION, sizeof(problem->version)));
    PetscCall(PetscStrncpy(problem->precision, PlexPrecisions[asm_->precision], sizeof(problem->precision)));
    PetscCall(PetscStrncpy(problem->cell, DMPolytopeTypes[el->cellType], sizeof(problem->cell)));
    PetscCall(PlexDescribeSpace(el, problem->space, sizeof(problem->space)));
    PetscCall(PlexDescribeForm(asm_->form, problem->form, sizeof(problem->form)));
    PetscCall(PlexDescribeFixed(asm_, problem->fixed, sizeof(problem->fixed)));
  }
  PetscCallMPI(MPI_Bcast(problem, sizeof(*problem), MPI_BYTE, PetscMax(first, 0), comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
