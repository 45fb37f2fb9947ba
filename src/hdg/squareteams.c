/* Local matrices of affine elements by squares of 8 x 8, a team of warps an element: sizes of teams and blocks, and the
   reference element's matrices as cuda/hdg/teamcondense.cu reads them, without their zeros */
#include "squares.h"

#define PLEX_HDG_MOST_TERMS  11 /* of an entry that are not zero */
#define PLEX_HDG_LEAST_WARPS 16 /* of a processor */
#define PLEX_HDG_MOST_WARPS  20 /* so that a lane has 96 registers */
#define PLEX_HDG_ALL_WARPS   32 /* with 64, where an option says how many warps an element has */
#define PLEX_HDG_LIST        32 /* entries, a lane each */

/* An entry of -S or -R^T: its place in squares, and terms that are not zero. head: the place, 16 bits; from there on 4
   bits for each term, its number; in the last 4 bits a quarter of the place of term 0's coefficient among all */
typedef struct {
  unsigned long long head;
  PetscInt           n;
  PetscReal          value[PLEX_HDG_MOST_TERMS];
} PlexHDGEntry;

/* Most terms first; of equal numbers those with the same terms side by side, by their places */
static int PlexHDGCompareEntries(const void *a, const void *b)
{
  const PlexHDGEntry      *x = (const PlexHDGEntry *)a, *y = (const PlexHDGEntry *)b;
  const unsigned long long u = x->head >> 16 | x->head << 48, v = y->head >> 16 | y->head << 48;

  return x->n != y->n ? (x->n < y->n ? 1 : -1) : u < v ? -1 : u > v;
}

/* The largest number of each term of S, [terms], and of R, [dim + 1], times what rounding makes of zeros */
static void PlexHDGGetZeros(PlexHDGReference R, PetscReal zeroS[], PetscReal zeroR[])
{
  const PetscInt Np = R->Np, terms = PlexHDGTerms(R);

  for (PetscInt c = 0; c < terms; ++c) {
    zeroS[c] = 0.;
    for (PetscInt k = 0; k < Np * Np; ++k)
      zeroS[c] = PetscMax(zeroS[c], 1e-14 * PetscAbsReal(PlexHDGTermS(R, c, k / Np, k % Np)));
  }
  for (PetscInt c = 0; c <= R->dim; ++c) {
    zeroR[c] = 0.;
    for (PetscInt k = 0; k < Np * R->Nt; ++k)
      zeroR[c] = PetscMax(zeroR[c], 1e-14 * PetscAbsReal(PlexHDGTermR(R, c, k / R->Nt, k % R->Nt)));
  }
}

/* Adds term c to an entry, unless it is zero */
static PetscErrorCode PlexHDGEntryAdd(PlexHDGEntry *entry, PetscInt c, PetscReal value, PetscReal zero)
{
  PetscFunctionBegin;
  if (PetscAbsReal(value) <= zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(entry->n < PLEX_HDG_MOST_TERMS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "An entry of S has more than %d terms",
             PLEX_HDG_MOST_TERMS);
  entry->head |= (unsigned long long)c << (16 + 4 * entry->n);
  entry->value[entry->n++] = -value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that are not zero, sorted; PetscFree() them */
static PetscErrorCode PlexHDGGetEntries(PlexHDGReference R, PetscInt *n, PlexHDGEntry **entries)
{
  const PetscInt NS = PlexHDGSquares(R->Np), NT = PlexHDGSquares(R->Nt), N = NS + NT, terms = PlexHDGTerms(R);
  PetscReal      zeroS[4 * PLEX_HDG_STEP], zeroR[PLEX_HDG_STEP];

  PetscFunctionBegin;
  PlexHDGGetZeros(R, zeroS, zeroR);
  PetscCall(PetscMalloc1(PlexHDGSquaresSize(R), entries));
  *n = 0;
  for (PetscInt i = 0; i < 8 * N; ++i) {
    for (PetscInt j = 0; j < 8 * PetscMin(NS, i / 8 + 1); ++j) {
      const PetscInt k = j / 8, place = 64 * (k * N - k * (k - 1) / 2 + i / 8 - k) + i % 8 * 8 + j % 8, t = i - 8 * NS;
      PlexHDGEntry  *entry = &(*entries)[*n];

      PetscCall(PetscMemzero(entry, sizeof(*entry)));
      entry->head = (unsigned long long)place;
      if (t < 0)
        for (PetscInt c = 0; c < terms; ++c) PetscCall(PlexHDGEntryAdd(entry, c, PlexHDGTermS(R, c, i, j), zeroS[c]));
      else {
        entry->head |= (unsigned long long)(4 + t / R->Nf) << 60;
        for (PetscInt c = 0; c <= R->dim; ++c) PetscCall(PlexHDGEntryAdd(entry, c, PlexHDGTermR(R, c, j, t), zeroR[c]));
      }
      if (entry->n) ++*n;
    }
  }
  qsort(*entries, *n, sizeof(**entries), PlexHDGCompareEntries);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* squareLists[lists]([32 lanes] heads, [terms of the list][32 lanes] numbers), lists of 32 entries each; of those at the
   end the last terms may be 0. lists[t]: how many lists have more than t terms. Doubles of all */
static PetscErrorCode PlexHDGListsUpload(PlexHDG hdg, PetscInt n, const PlexHDGEntry entries[], PetscInt64 lists[],
                                         PetscInt *size)
{
  PetscReal *packed;
  PetscInt   at = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((1 + PLEX_HDG_MOST_TERMS) * (n + PLEX_HDG_LIST), &packed));
  for (PetscInt first = 0; first < n; first += PLEX_HDG_LIST) {
    const PetscInt terms = entries[first].n, count = PetscMin(PLEX_HDG_LIST, n - first);

    for (PetscInt t = 0; t < terms; ++t) ++lists[t];
    for (PetscInt l = 0; l < PLEX_HDG_LIST; ++l) /* lanes beyond the end write the last entry again */
      PetscCall(PetscMemcpy(&packed[at++], &entries[first + PetscMin(l, count - 1)].head, sizeof(PetscReal)));
    for (PetscInt t = 0; t < terms; ++t)
      for (PetscInt l = 0; l < PLEX_HDG_LIST; ++l) packed[at++] = entries[first + PetscMin(l, count - 1)].value[t];
  }
  PetscCall(PlexHDGUpload(hdg, packed, sizeof(double) * at, (const void **)&hdg->args.squareLists));
  PetscCall(PetscFree(packed));
  *size = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block share tables, where these are larger than an element's squares as many as there is room for, else
   blocks of one element take turns. A team has as many warps as make 16 of a processor, and at least so many that one
   inverts squares and each of the others has at most two pairs of rows */
static PetscErrorCode PlexHDGTeamsChoose(PlexHDG hdg, PlexHDGKernel *k, PetscInt tables, PetscInt *resident)
{
  const PlexBackendLimits *limits = &hdg->backend->limits;
  PlexHDGReference         R      = hdg->reference;
  const PetscInt rows = PlexHDGSquares(R->Np) + PlexHDGSquares(R->Nt), least = PetscMax(4, (rows + 1) / 4 + 1);
  const size_t   bytes = sizeof(double) * k->work;
  const PetscInt most  = PetscMin((PetscInt)(limits->sharedPerBlock / bytes), PLEX_HDG_MOST_WARPS / least);
  PetscInt       teams = PetscMax(1, tables > k->work ? most : 1), wanted = 0, warps = 0, room;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_hdg_block_elements", &wanted, NULL));
  PetscCheck(!wanted || (wanted > 0 && wanted <= PetscMax(1, most)), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_hdg_block_elements %" PetscInt_FMT ": a block has 1 to %" PetscInt_FMT
             " elements of %zu bytes in %zu bytes of shared memory",
             wanted, PetscMax(1, most), bytes, limits->sharedPerBlock);
  if (wanted) teams = wanted;
  room = (PetscInt)(limits->sharedPerProcessor / (teams * bytes + 1024));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_hdg_element_warps", &warps, NULL));
  PetscCheck(!warps || (warps >= 4 && warps * teams <= PLEX_HDG_ALL_WARPS), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_hdg_element_warps %" PetscInt_FMT ": an element has 4 to %" PetscInt_FMT
             " warps, with %" PetscInt_FMT " elements a block",
             warps, PLEX_HDG_ALL_WARPS / teams, teams);
  *resident = PetscMax(1, PetscMin(room, warps ? PLEX_HDG_ALL_WARPS / (teams * warps)
                                               : PLEX_HDG_MOST_WARPS / (teams * least)));
  if (!warps) warps = PetscMax(least, (PLEX_HDG_LEAST_WARPS + teams * *resident - 1) / (teams * *resident));
  k->teams   = teams;
  k->threads = 32 * warps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGTeamsCreate_Private(PlexHDG hdg, PlexHDGKernel *k, PetscInt *resident, char text[], size_t size)
{
  PlexHDGReference R     = hdg->reference;
  const PetscInt   coefs = PLEX_HDG_STEP * (4 + R->faces), work = PlexHDGSquaresSize(R) + PlexHDGTurnedSize(R) + coefs;
  PetscInt64       lists[PLEX_HDG_MOST_TERMS] = {0};
  PetscInt         n = 0, tables = 0;
  PlexHDGEntry    *entries;

  PetscFunctionBegin;
  *resident = 0;
  if (sizeof(double) * work > hdg->backend->limits.sharedPerBlock) PetscFunctionReturn(PETSC_SUCCESS);
  k->work = work;
  PetscCall(PlexHDGGetEntries(R, &n, &entries));
  PetscCall(PlexHDGListsUpload(hdg, n, entries, lists, &tables));
  PetscCall(PetscInfo(hdg,
                      "%" PetscInt_FMT " entries of S and R^T are not zero, of %" PetscInt_FMT ", %" PetscInt_FMT
                      " bytes of tables\n",
                      n, PlexHDGSquaresSize(R), (PetscInt)sizeof(double) * tables));
  PetscCall(PlexHDGTeamsChoose(hdg, k, tables, resident));
  PetscCall(PlexHDGWriteConstants_Private(text, size, "int", "plex_hdg_lists", entries[0].n, lists));
  PetscCall(PetscStrlcat(text, "#define PLEX_HDG_TERMS ((int)(sizeof(plex_hdg_lists) / sizeof(int)))\n", size));
  PetscCall(PetscFree(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}
