/* What is read of the points of large meshes, in threads: of sections, whose charts have all of them, and of their
   types. */
#include "elementsimpl.h"
#include <petsc/private/sectionimpl.h> /* the dofs of millions of points are read where they are, */
#include <petsc/private/dmpleximpl.h>  /* and their types */

typedef struct {
  const PetscInt *dofs;
  PlexCount       sum;
} SectionSum;

static void SectionSumLoop(void *ctx, PetscInt begin, PetscInt end)
{
  SectionSum *s   = (SectionSum *)ctx;
  PetscInt    sum = 0;

  for (PetscInt p = begin; p < end; ++p) sum += PetscMax(0, s->dofs[p]);
  PlexCountAdd(&s->sum, sum);
}

PetscErrorCode PlexSectionGetSize(PetscSection section, PetscInt *size)
{
  SectionSum s = {.dofs = section->atlasDof};
  PetscInt   pStart, pEnd;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PlexCountInit(&s.sum);
  PetscCall(PlexThreadsRun(pEnd - pStart, PLEX_SECTION_LEAST, SectionSumLoop, &s));
  *size = (PetscInt)PlexCountGet(&s.sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSC_VERSION_LT(3, 26, 0): the mapping of a section with a permutation has the dofs in the order of points, which is
   not that of local vectors */
static PetscErrorCode PlexCreatePermutedMapping(DM dm, PetscSection section, ISLocalToGlobalMapping *map)
{
  PetscSection global;
  PetscInt     pStart, pEnd, n, *g;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalSection(dm, &global));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(PetscMalloc1(n, &g));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    const PetscInt *held;
    PetscInt        dof, to, from, nheld, k = 0;

    PetscCall(PetscSectionGetDof(section, p, &dof));
    PetscCall(PetscSectionGetConstraintDof(section, p, &nheld));
    PetscCall(PetscSectionGetConstraintIndices(section, p, &held));
    PetscCall(PetscSectionGetOffset(section, p, &to));
    PetscCall(PetscSectionGetOffset(global, p, &from));
    if (from < 0) from = -(from + 1); /* of another process */
    for (PetscInt c = 0; c < dof; ++c) {
      if (k < nheld && c == held[k]) {
        g[to + c] = -(from + c + 1);
        ++k;
      } else g[to + c] = from + c - k;
    }
  }
  PetscCall(ISLocalToGlobalMappingCreate(PetscObjectComm((PetscObject)dm), 1, n, g, PETSC_OWN_POINTER, map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetLocalToGlobalMapping(DM dm, ISLocalToGlobalMapping *map)
{
  PetscSection section;
  IS           order;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetPermutation(section, &order));
  if (PETSC_VERSION_LT(3, 26, 0) && order) {
    PetscCall(PlexCreatePermutedMapping(dm, section, map));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMGetLocalToGlobalMapping(dm, map));
  PetscCall(PetscObjectReference((PetscObject)*map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetCellTypes(DM dm, const uint8_t **types, PetscInt *pStart)
{
  const DM_Plex *mesh = (const DM_Plex *)dm->data;
  PetscInt       pEnd;
  DMPolytopeType type;

  PetscFunctionBegin;
  *types = NULL;
  PetscCall(DMPlexGetChart(dm, pStart, &pEnd));
  if (mesh->tr || pEnd == *pStart) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetCellType(dm, *pStart, &type)); /* makes the array where there is none */
  *types = (const uint8_t *)mesh->cellTypes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetCones(DM dm, PlexCones *c)
{
  PetscSection section;
  PetscInt    *points, *orientations;

  PetscFunctionBegin;
  PetscCall(DMPlexGetConeSection(dm, &section));
  PetscCall(DMPlexGetCones(dm, &points));
  PetscCall(DMPlexGetConeOrientations(dm, &orientations));
  *c = (PlexCones){points, orientations, section->atlasOff, section->pStart};
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const uint8_t  *types;
  const PetscInt *cells;
  PetscInt        pStart;
  PlexLowest      other;
} SectionTypes;

static void SectionTypesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  SectionTypes *s     = (SectionTypes *)ctx;
  const uint8_t first = s->types[s->cells[0] - s->pStart];

  for (PetscInt e = begin; e < end; ++e) {
    if (s->types[s->cells[e] - s->pStart] == first) continue;
    PlexLowestPut(&s->other, e);
    return;
  }
}

PetscErrorCode PlexFindOtherType(DM dm, PetscInt Ne, const PetscInt cells[], PetscInt *e)
{
  SectionTypes s = {.cells = cells};

  PetscFunctionBegin;
  *e = 0;
  PetscCall(PlexGetCellTypes(dm, &s.types, &s.pStart));
  if (!s.types) PetscFunctionReturn(PETSC_SUCCESS);
  PlexLowestInit(&s.other, Ne);
  PetscCall(PlexThreadsRun(Ne, PLEX_SECTION_LEAST, SectionTypesLoop, &s));
  *e = PlexLowestGet(&s.other);
  PetscFunctionReturn(PETSC_SUCCESS);
}
