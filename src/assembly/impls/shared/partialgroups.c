/* Rows to which several parts of the mesh add, in groups of those with the same parts: the last one of them sums the group's rows (shared_nz by partial sums) */
#include "partial.h"
#include <petsc/private/hashmapi.h>

/* Of each dof with a row the parts that have elements of it, ascending; start[Nl + 1] */
static PetscErrorCode PlexPartialPartsOf(PlexAssembly asm_, const PlexBlocks *blocks, PetscInt **start, int **parts)
{
  PlexElements   el = asm_->elements;
  const PetscInt ef = el->ef, Nl = el->Nl;
  int           *last;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(Nl + 1, start));
  PetscCall(PetscMalloc1(Nl, &last));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt l = 0; l < Nl; ++l) last[l] = -1;
    for (PetscInt b = 0; b < blocks->nblocks; ++b) {
      for (PetscInt p = blocks->elementStart[b]; p < blocks->elementStart[b + 1]; ++p) {
        const PetscInt e = blocks->elements[p];

        for (PetscInt i = 0; e >= 0 && i < ef; ++i) {
          const int l = el->dofs[e * ef + i];

          if (last[l] == (int)b || asm_->pattern->row[l] < 0) continue;
          last[l] = (int)b;
          if (!pass) (*start)[l + 1]++;
          else (*parts)[(*start)[l]++] = (int)b;
        }
      }
    }
    if (pass) continue;
    for (PetscInt l = 0; l < Nl; ++l) (*start)[l + 1] += (*start)[l];
    PetscCall(PetscMalloc1(PetscMax(1, (*start)[Nl]), parts));
  }
  for (PetscInt l = Nl; l > 0; --l) (*start)[l] = (*start)[l - 1];
  (*start)[0] = 0;
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt PlexPartialHash(PetscInt n, const int parts[])
{
  uint64_t hash = (uint64_t)n;

  for (PetscInt k = 0; k < n; ++k) {
    hash = (hash ^ (uint64_t)parts[k]) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return (PetscInt)(hash & PETSC_INT32_MAX);
}

PetscErrorCode PlexPartialGroupsCreate_Private(PlexAssembly asm_, const PlexBlocks *blocks, PlexPartialGroups *groups)
{
  const PetscInt Nl = asm_->elements->Nl;
  PetscInt      *start, *next, nparts = 0;
  int           *parts, *of;
  PetscHMapI     known;

  PetscFunctionBegin;
  *groups = (PlexPartialGroups){0};
  PetscCall(PlexPartialPartsOf(asm_, blocks, &start, &parts));
  PetscCall(PetscMalloc1(Nl, &groups->group));
  PetscCall(PetscMalloc1(Nl, &of)); /* of each group a dof */
  PetscCall(PetscHMapICreate(&known));
  for (PetscInt l = 0; l < Nl; ++l) {
    const PetscInt n = start[l + 1] - start[l];
    PetscInt       key, g;

    groups->group[l] = -1;
    if (n < 2) continue;
    key = PlexPartialHash(n, &parts[start[l]]);
    PetscCall(PetscHMapIGet(known, key, &g)); /* of two groups with the same number the later one is found, and there are two of the other one then */
    if (g < 0 || start[of[g] + 1] - start[of[g]] != n || memcmp(&parts[start[of[g]]], &parts[start[l]], sizeof(*parts) * (size_t)n)) {
      g     = groups->ngroups++;
      of[g] = (int)l;
      nparts += n;
      PetscCall(PetscHMapISet(known, key, g));
    }
    groups->group[l] = (int)g;
    ++groups->n;
  }
  PetscCall(PetscHMapIDestroy(&known));
  PetscCall(PetscMalloc1(PetscMax(1, groups->n), &groups->dofs));
  PetscCall(PetscCalloc2(groups->ngroups + 1, &groups->start, groups->ngroups + 1, &groups->partStart));
  PetscCall(PetscMalloc1(PetscMax(1, nparts), &groups->parts));
  PetscCall(PetscMalloc1(groups->ngroups + 1, &next));
  for (PetscInt l = 0; l < Nl; ++l)
    if (groups->group[l] >= 0) groups->start[groups->group[l] + 1]++;
  for (PetscInt g = 0; g < groups->ngroups; ++g) {
    const PetscInt n = start[of[g] + 1] - start[of[g]];

    groups->start[g + 1] += groups->start[g];
    next[g]                  = groups->start[g];
    groups->partStart[g + 1] = groups->partStart[g] + n;
    for (PetscInt k = 0; k < n; ++k) groups->parts[groups->partStart[g] + k] = parts[start[of[g]] + k];
  }
  for (PetscInt l = 0; l < Nl; ++l)
    if (groups->group[l] >= 0) groups->dofs[next[groups->group[l]]++] = l;
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(of));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialGroupsDestroy_Private(PlexPartialGroups *groups)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(groups->group));
  PetscCall(PetscFree(groups->dofs));
  PetscCall(PetscFree2(groups->start, groups->partStart));
  PetscCall(PetscFree(groups->parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
