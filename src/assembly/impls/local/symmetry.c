/*
  local_row by symmetry classes. A row of element data of dof i is that of the first dof of i's class under the
  rotations of the cell, of the element read in another order of its nodes.
*/
#include "symmetry.h"
#include "../../plan/planner.h"
#include "../../integrate/integrate.h"

#define PLEX_SYMMETRY_SHARED (24 << 10) /* bytes of nodal data of a block, most */

/* -DPLEX_<name>=<numbers>, commas between */
static PetscErrorCode PlexSymmetryDefine(const char name[], int n, const int numbers[], size_t size, char text[])
{
  char number[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "PLEX_%s=", name));
  for (int k = 0; k < PetscMax(1, n); ++k) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "%s%d", k ? "," : "", numbers[k]));
    PetscCall(PetscStrlcat(text, number, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymmetryCompile(PlexAssembly asm_, PlexProduct *product, PetscInt shared, PlexSymmetry *o)
{
  const PlexDofClasses *classes = &o->classes;
  const PlexRecord     *r       = &o->record;
  const int nodal = (int)o->nodal, factor = product->tensor && asm_->elements->Nv == asm_->elements->dim + 1 ? 2 : 1,
            resident = (int)PetscMax(1, PetscMin(PlexSymmetryResident(asm_, o, product->block),
                                                 shared / (PetscInt)(o->shared + PLEX_SYMMETRY_BLOCK)));
  const struct {
    const char *name;
    int         n;
    const int  *numbers;
  } lists[] = {
    {"CLASSES",           classes->n,  classes->first },
    {"CLASSES_FIXED",     classes->n,  classes->fixed },
    {"PARTS",             1,           &o->parts      },
    {"COORDINATE_FACTOR", 1,           &factor        },
    {"WORDS",             1,           &r->words      },
    {"CHUNK",             1,           &o->chunk      },
    {"RESIDENT",          1,           &resident      },
    {"SUMS",              1,           &nodal         },
    {"SUMS_WARP",         1,           &o->sums       },
    {"NODE_BITS",         1,           &r->nodes.bits },
    {"NODES_AT",          r->nodes.n,  r->nodes.at    },
    {"DOF_BITS",          1,           &r->dofs.bits  },
    {"DOFS_AT",           r->dofs.n,   r->dofs.at     },
    {"PLACE_BITS",        1,           &r->places.bits},
    {"PLACES_AT",         r->places.n, r->places.at   }
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(lists)][512];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(lists)];

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) {
    PetscCall(PlexSymmetryDefine(lists[k].name, lists[k].n, lists[k].numbers, sizeof(text[k]), text[k]));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_symmetry.cu", PETSC_STATIC_ARRAY_LENGTH(lists), defines));
  PetscCall(PlexModuleGetKernel(product->module, "plex_gather", &o->gather));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexSymmetrySet(PlexAssembly asm_, PlexProduct *product, PlexSymmetry *o)
{
  o->solution     = product->tensor ? PETSC_FALSE : PETSC_TRUE;
  o->chunk        = (int)PlexPlannerChunk(asm_, product);
  product->turned = PETSC_TRUE;
  product->team   = 1;
  product->rows   = 1;
  product->work   = 0;
  product->block  = asm_->blockSize ? asm_->blockSize : 128;
  if (!product->symmetric) return;
  product->symmetric = PETSC_FALSE; /* a row is computed whole */
  product->nd        = asm_->elements->ef * asm_->elements->ef;
}

PetscErrorCode PlexSymmetryCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexSymmetry *o)
{
  const PetscInt    budget = asm_->owner->sharedMemory ? asm_->owner->sharedMemory : PLEX_SYMMETRY_SHARED;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  *serves = PlexSymmetryServes_Private(asm_, product);
  if (*serves) PetscCall(PlexDofClassesCreate_Private(asm_, product, serves, &o->classes));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PlexSymmetrySet(asm_, product, o);
  PetscCall(PlexSymmetryFill_Private(asm_, product, (size_t)budget, o));
  o->shared = o->nodal + (sizeof(PetscScalar) * (size_t)o->sums + PLEX_SYMMETRY_WAYS) * (size_t)(product->block / 32);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has "
             "%zu: use -plex_assembly_type %s",
             o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product),
                                          o->contributions, 0);
  product->bytes = 128.0 * o->groups * o->record.words + 4.0 * PLEX_SYMMETRY_HEAD * o->tasks +
                   8.0 * asm_->elements->cdim * o->nodes + 12.0 * o->dofs + 8.0 * product->Nt;
  PetscCall(PlexSymmetryCompile(asm_, product, (PetscInt)limits.sharedPerProcessor, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are gathered again when the mesh has moved, the solution each time */
PetscErrorCode PlexSymmetryLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexSymmetry *o, PlexKernel kernel,
                                          const void *args)
{
  int             solution;
  const PetscBool moved      = (PetscBool)(!o->gathered || o->coordinateState != asm_->coordinateState);
  void           *gather[]   = {(void *)args, &o->device, &solution};
  void           *assemble[] = {(void *)args, &o->device};

  PetscFunctionBegin;
  for (solution = 0; solution < 2; ++solution)
    if (solution ? o->solution : moved) PetscCall(PlexKernelLaunch(o->gather, o->nblocks, product->block, 0, gather));
  o->gathered        = PETSC_TRUE;
  o->coordinateState = asm_->coordinateState;
  PetscCall(PlexKernelLaunch(kernel, o->nblocks, product->block, o->shared, assemble));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryView_Private(const PlexSymmetry *o, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "elements turned: %" PetscInt_FMT " kinds of rows; blocks: %" PetscInt_FMT
                                   ", of %.4g rows and %.4g coordinate nodes, %zu bytes of shared memory\n",
                                   (PetscInt)o->classes.n, o->nblocks, o->rows / o->nblocks, o->nodes / o->nblocks,
                                   o->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer, "records: %" PetscInt_FMT " bytes, %.3g %% padding\n",
                                   (PetscInt)(4 * o->record.words),
                                   100 * (1.0 - o->contributions / (32.0 * o->groups))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
