static char help[] = "Steps over arrays (src/backend/arrays) on each backend, against the obvious: sums, sorts, "
                     "segments of equal keys.\n\n";

#include "../../src/backend/arrays/arrays.h"
#include "report.h"

/* One value, less than a warp, a block, one tile, one more, several levels of tiles where that does not take long */
static const PetscInt Sizes[] = {0, 1, 31, 257, 4096, 4097, 50001, 3000017};

static uint64_t Random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state * 0x2545f4914f6cdd1dULL;
}

static PetscErrorCode TestSums(PlexArrays a, PlexBackend b, const char name[], PetscInt n)
{
  uint64_t state = 88172645463325252ULL + (uint64_t)n;
  int     *values, *sums, *device;
  PetscInt total = -1, sum = 0, wrong = 0;
  char     text[128];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n + 1, &values, n + 1, &sums));
  for (PetscInt k = 0; k < n; ++k) values[k] = (int)(Random(&state) % 100) - 20;
  PetscCall(PlexBackendUpload(b, values, sizeof(int) * (size_t)(n + 1), (void **)&device));
  PetscCall(PlexArraysSum(a, n, device, device, &total));
  PetscCall(PlexBackendCopyOut(b, sums, device, sizeof(int) * (size_t)n));
  for (PetscInt k = 0; k < n; sum += values[k++]) wrong += sums[k] != sum;
  PetscCall(PlexBackendFree(b, (void **)&device));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: sums of %" PetscInt_FMT " values", name, n));
  PetscCall(PlexTestReport((PetscBool)(!wrong && total == sum), text,
                           "%" PetscInt_FMT " wrong, total %" PetscInt_FMT " and %" PetscInt_FMT, wrong, total, sum));
  PetscCall(PetscFree2(values, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By bits 5 to 5 + bits - 1; all others are there to be left alone */
static PetscErrorCode TestSort(PlexArrays a, PlexBackend b, const char name[], PetscInt n, PetscInt bits)
{
  const uint64_t mask  = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
  const PetscInt first = bits == 64 ? 0 : 5;
  uint64_t       state = 1234567 + (uint64_t)(n + bits), *keys, *sorted, *device;
  int           *order, *places;
  char          *seen;
  PetscInt       wrong = 0;
  char           text[128];

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n + 1, &keys, n + 1, &sorted, n + 1, &order));
  PetscCall(PetscCalloc1(n + 1, &seen));
  for (PetscInt k = 0; k < n; ++k) keys[k] = Random(&state);
  PetscCall(PlexBackendUpload(b, keys, sizeof(uint64_t) * (size_t)(n + 1), (void **)&device));
  PetscCall(PlexBackendMalloc(b, sizeof(int) * (size_t)(n + 1), (void **)&places));
  PetscCall(PlexArraysSort(a, n, first, first + bits, device, places, PETSC_TRUE));
  PetscCall(PlexBackendCopyOut(b, sorted, device, sizeof(uint64_t) * (size_t)n));
  PetscCall(PlexBackendCopyOut(b, order, places, sizeof(int) * (size_t)n));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscBool is = (PetscBool)(order[k] >= 0 && order[k] < n && !seen[order[k]] && keys[order[k]] == sorted[k]);

    if (is) seen[order[k]] = 1;
    wrong += !is;
    if (!k || !is) continue;
    const uint64_t before = sorted[k - 1] >> first & mask, now = sorted[k] >> first & mask;

    wrong += before > now || (before == now && order[k - 1] > order[k]);
  }
  PetscCall(PlexBackendFree(b, (void **)&device));
  PetscCall(PlexBackendFree(b, (void **)&places));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %" PetscInt_FMT " keys sorted by %" PetscInt_FMT " bits", name, n,
                          bits));
  PetscCall(PlexTestReport((PetscBool)!wrong, text, "%" PetscInt_FMT " wrong", wrong));
  PetscCall(PetscFree3(keys, sorted, order));
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keys k / 3 in their upper bits, and anything in the lower four */
static PetscErrorCode TestSegments(PlexArrays a, PlexBackend b, const char name[], PetscInt n)
{
  uint64_t state = 99, *keys, *device;
  int     *starts, *found;
  PetscInt segments, wrong = 0;
  char     text[128];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &keys));
  for (PetscInt k = 0; k < n; ++k) keys[k] = (uint64_t)(k / 3) << 4 | Random(&state) % 16;
  PetscCall(PlexBackendUpload(b, keys, sizeof(uint64_t) * (size_t)(n + 1), (void **)&device));
  PetscCall(PlexArraysSegments(a, n, 4, device, &segments, &starts));
  PetscCall(PetscMalloc1(segments + 1, &found));
  PetscCall(PlexBackendCopyOut(b, found, starts, sizeof(int) * (size_t)(segments + 1)));
  for (PetscInt s = 0; s <= segments; ++s) wrong += found[s] != PetscMin(3 * s, n);
  PetscCall(PlexBackendFree(b, (void **)&device));
  PetscCall(PlexBackendFree(b, (void **)&starts));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: segments of %" PetscInt_FMT " keys", name, n));
  PetscCall(PlexTestReport((PetscBool)(!wrong && segments == (n + 2) / 3), text,
                           "%" PetscInt_FMT " segments, %" PetscInt_FMT " wrong", segments, wrong));
  PetscCall(PetscFree(found));
  PetscCall(PetscFree(keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char name[])
{
  PlexBackend b;
  PlexArrays  a;
  PetscBool   emulate;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(name, PLEXBACKENDEMULATE, &emulate));
  PetscCall(PlexBackendCreate(name, &b));
  PetscCall(PlexArraysCreate(b, &a));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Sizes); ++k) {
    if (emulate && Sizes[k] > 100000) continue;
    PetscCall(TestSums(a, b, name, Sizes[k]));
    PetscCall(TestSort(a, b, name, Sizes[k], 64));
    PetscCall(TestSort(a, b, name, Sizes[k], 13));
    PetscCall(TestSegments(a, b, name, Sizes[k]));
  }
  PetscCall(TestSort(a, b, name, 300, 0));
  PetscCall(PlexArraysDestroy(&a));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
