/* The choices of a line of Table 3: what is taken where nobody has chosen, and options */
#include "separateimpl.h"

const char *const PlexDGGatherWays_Private[] = {"faces", "blocks", "PlexDGGatherWay", "PLEX_DG_GATHER_", NULL};
const char *const PlexDGPartitions_Private[] = {"metis", "greedy", "curve", "PlexDGPartition", "PLEX_DG_PARTITION_",
                                                NULL};
const char *const PlexDGSharedWays_Private[] = {"field", "matrix", "PlexDGShared", "PLEX_DG_SHARED_", NULL};

PetscInt PlexDGMicroblockSize_Private(PetscInt Np, PetscInt align)
{
  for (PetscInt n = 1;; ++n) { /* align elements need no padding */
    const PetscInt padded = (n * Np + align - 1) / align * align;

    if (20 * (padded - n * Np) < padded) return n;
  }
}

PetscErrorCode PlexDGTableSetDefault_Private(PlexDG dg, PlexDGTable *t)
{
  PlexDGReference R = dg->reference;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(t, sizeof(*t)));
  t->align         = 16;
  t->microblock    = PlexDGMicroblockSize_Private(R->Np, t->align);
  t->gather        = PLEX_DG_GATHER_BLOCKS;
  t->microblocks   = PetscMax(1, 16 / t->microblock);
  t->partition     = PLEX_DG_PARTITION_GREEDY; /* as good as METIS, and leaves no slot empty: docs/dg.md */
  t->pairs         = PetscMax(1, 128 / R->Nfp);
  t->differentiate = (PlexDGWork){.shared     = PLEX_DG_SHARED_FIELD,
                                  .parallel   = PetscMax(1, 192 / (t->microblock * R->Np)),
                                  .inlined    = 2,
                                  .sequential = 1};
  t->lift          = (PlexDGWork){.shared     = PLEX_DG_SHARED_FIELD,
                                  .parallel   = PetscMax(1, 192 / (t->microblock * R->Np)),
                                  .inlined    = 3,
                                  .sequential = 1};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_dg_NAME field|matrix, -plex_dg_NAME_workers p,i,s, -plex_dg_NAME_rows n */
static PetscErrorCode PlexDGWorkSetFromOptions(PlexDG dg, PetscOptionItems PetscOptionsObject, const char name[],
                                               PetscInt align, PlexDGWork *work)
{
  PetscInt  w[3] = {work->parallel, work->inlined, work->sequential}, n = 3;
  char      option[64];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s", name));
  PetscCall(PetscOptionsEnum(option, "What is in shared memory", "PlexDG", PlexDGSharedWays_Private,
                             (PetscEnum)work->shared, (PetscEnum *)&work->shared, NULL));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s_workers", name));
  PetscCall(PetscOptionsIntArray(option, "Units in parallel, inline, and in sequence", "PlexDG", w, &n, &set));
  if (set) {
    PetscCheck(n == 3 && w[0] > 0 && w[1] > 0 && w[2] > 0 && w[1] <= 16, PetscObjectComm((PetscObject)dg),
               PETSC_ERR_ARG_OUTOFRANGE,
               "%s takes three numbers, of units in parallel, inline (at most 16) and in sequence, as in 2,4,1",
               option);
    work->parallel   = w[0];
    work->inlined    = w[1];
    work->sequential = w[2];
  }
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s_rows", name));
  PetscCall(PetscOptionsInt(option, "Rows of a segment of the matrix in shared memory; 0: as many as fit", "PlexDG",
                            work->rows, &work->rows, NULL));
  PetscCheck(work->rows >= 0 && work->rows % align == 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "%s %" PetscInt_FMT " is not a multiple of %" PetscInt_FMT ", the alignment of microblocks", option,
             work->rows, align);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTableSetFromOptions_Private(PlexDG dg, PlexDGTable *t)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dg);
  PetscBool set;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsInt("-plex_dg_align", "Microblocks are padded to a multiple of this", "PlexDG", t->align,
                            &t->align, &set));
  PetscCheck(t->align == 16 || t->align == 32, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_align %" PetscInt_FMT " is neither 16 nor 32", t->align);
  if (set) t->microblock = PlexDGMicroblockSize_Private(dg->reference->Np, t->align);
  PetscCall(PetscOptionsInt("-plex_dg_microblock", "Elements of a microblock", "PlexDG", t->microblock, &t->microblock,
                            NULL));
  PetscCheck(t->microblock >= 1 && t->microblock <= 64, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_microblock %" PetscInt_FMT " is not from 1 to 64", t->microblock);
  PetscCall(PetscOptionsEnum("-plex_dg_gather", "Flux gather by faces, or by pairs of faces in blocks", "PlexDG",
                             PlexDGGatherWays_Private, (PetscEnum)t->gather, (PetscEnum *)&t->gather, NULL));
  PetscCall(PetscOptionsInt("-plex_dg_gather_microblocks", "Microblocks of a block of the gather", "PlexDG",
                            t->microblocks, &t->microblocks, NULL));
  PetscCheck(t->microblocks >= 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_gather_microblocks %" PetscInt_FMT " is not at least 1", t->microblocks);
  PetscCall(PetscOptionsEnum("-plex_dg_partition", "How blocks of the gather are found", "PlexDG",
                             PlexDGPartitions_Private, (PetscEnum)t->partition, (PetscEnum *)&t->partition, &set));
  PetscCheck(!set || t->partition != PLEX_DG_PARTITION_METIS || PlexHasMetis(), comm, PETSC_ERR_SUP,
             PLEX_METIS_MISSING ", or take -plex_dg_partition greedy");
  PetscCall(PetscOptionsInt("-plex_dg_gather_workers", "Pairs of faces that a block of the gather computes at a time",
                            "PlexDG", t->pairs, &t->pairs, NULL));
  PetscCheck(t->pairs >= 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_gather_workers %" PetscInt_FMT " is not at least 1", t->pairs);
  PetscCall(PlexDGWorkSetFromOptions(dg, PetscOptionsObject, "lift", t->align, &t->lift));
  PetscCall(PlexDGWorkSetFromOptions(dg, PetscOptionsObject, "differentiation", t->align, &t->differentiate));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTableGetFixed_Private(PlexDG dg, PlexDGFixed *fixed)
{
  const struct {
    const char *name;
    PetscBool  *is;
  } options[] = {
    {"-plex_dg_microblock",              &fixed->microblock },
    {"-plex_dg_align",                   &fixed->microblock },
    {"-plex_dg_gather",                  &fixed->gather     },
    {"-plex_dg_gather_microblocks",      &fixed->microblocks},
    {"-plex_dg_partition",               &fixed->partition  },
    {"-plex_dg_gather_workers",          &fixed->pairs      },
    {"-plex_dg_differentiation",         &fixed->shared[0]  },
    {"-plex_dg_differentiation_workers", &fixed->workers[0] },
    {"-plex_dg_differentiation_rows",    &fixed->workers[0] },
    {"-plex_dg_lift",                    &fixed->shared[1]  },
    {"-plex_dg_lift_workers",            &fixed->workers[1] },
    {"-plex_dg_lift_rows",               &fixed->workers[1] }
  };
  char      value[64];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(fixed, sizeof(*fixed)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); ++k) {
    PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, options[k].name, value,
                                    sizeof(value), &set));
    if (!set) continue;
    *options[k].is = PETSC_TRUE;
    PetscCall(PetscStrlcat(fixed->text, options[k].name + strlen("-plex_dg_"), sizeof(fixed->text)));
    PetscCall(PetscStrlcat(fixed->text, " ", sizeof(fixed->text)));
    PetscCall(PetscStrlcat(fixed->text, value, sizeof(fixed->text)));
    PetscCall(PetscStrlcat(fixed->text, " ", sizeof(fixed->text)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
