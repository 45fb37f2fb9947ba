/* Local matrices of affine elements by squares of 8 x 8: by which kernel they can be, and the reference element's
   matrices in the order in which cuda/hdg/squarecondense.cu, a warp an element, reads them */
#include "squares.h"

#define PLEX_HDG_LEAST_WARPS 4  /* of a block */
#define PLEX_HDG_MOST_WARPS  16 /* rows of a product */
#define PLEX_HDG_MIXED_MOST  64 /* functions of a face: bits of their places */

/* Whether a face turned has the same functions but for the sign of odd ones, as many as a number has bits: Legendre's
   polynomials do */
static PetscBool PlexHDGTurnsAreSigns(PlexHDGReference R)
{
  const PetscInt n = R->Np * R->Nf;

  if (R->turns > 2 || R->dim > 2 || R->Nt > 64) return PETSC_FALSE;
  for (PetscInt f = 0; f < R->faces; ++f)
    for (PetscInt t = 1; t < R->turns; ++t)
      for (PetscInt k = 0; k < n; ++k)
        if (PetscAbsReal(R->F[(f * R->turns + t) * n + k] - (k % R->Nf % 2 ? -1 : 1) * R->F[f * R->turns * n + k]) >
            1e-12)
          return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Registers of a lane with which a warp that holds all of K does, as compiled for compute capability 9.0 */
static PetscInt PlexHDGRegistersOfK(PlexHDGReference R)
{
  const PetscInt NT = PlexHDGSquares(R->Nt);

  return 8 * ((NT + 1) * (NT + 1) / 4) + 48;
}

/* As many elements a block as make most warps of a processor, all in shared memory; of equal numbers up to 8 the larger
   one, which shares what it reads, beyond that the smaller one, so that blocks take turns: for this, several blocks may
   also have a tenth less than one large one. *resident: blocks at once, 0: none. Warps of 4 rows of squares do with 64
   registers, others would keep numbers in memory; in 3D K is large, and has to be in registers */
static PetscErrorCode PlexHDGSquaresChoose(PlexHDG hdg, PlexHDGKernel *k, PetscBool signs, PetscInt *resident)
{
  const PlexBackendLimits *limits = &hdg->backend->limits;
  PlexHDGReference         R      = hdg->reference;
  const PetscInt           N = PlexHDGSquares(R->Np) + PlexHDGSquares(R->Nt), enough = N <= 4 ? 32 : 24;
  /* four pairs of elements' numbers are in different banks */
  const PetscInt work = PlexHDGSquaresSize(R) + (signs ? 0 : PlexHDGTurnedSize(R)) + 2;
  PetscInt       best = 0, wanted = 0;
  PetscBool      possible = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_hdg_block_elements", &wanted, NULL));
  *resident = 0;
  for (PetscInt n = PLEX_HDG_LEAST_WARPS; n <= PLEX_HDG_MOST_WARPS; ++n) {
    const size_t bytes  = sizeof(double) * work * n;
    PetscInt     blocks = PetscMin((PetscInt)(limits->sharedPerProcessor / (bytes + 1024)), enough / n), score;

    /* 4 schedulers have 512 registers of a lane each, and a lane at most 255 */
    while (!signs && blocks && PetscMin(512 / ((n * blocks + 3) / 4) / 8 * 8, 255) < PlexHDGRegistersOfK(R)) --blocks;
    score = (blocks == 1 && n > 8 ? 9 : 10) * blocks * n;
    if (bytes > limits->sharedPerBlock || !blocks) continue;
    possible = PETSC_TRUE;
    if (wanted && n != wanted) continue;
    if (score > best || (score == best && n <= 8)) {
      best       = score;
      *resident  = blocks;
      k->threads = 32;
      k->teams   = n;
      k->work    = work;
    }
  }
  PetscCheck(*resident || !possible, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_hdg_block_elements %" PetscInt_FMT ": a block has %d to %d elements of %" PetscInt_FMT
             " bytes in %zu bytes of shared memory",
             wanted, PLEX_HDG_LEAST_WARPS, PLEX_HDG_MOST_WARPS, (PetscInt)sizeof(double) * work,
             limits->sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry (s, t) of H over the number of its two faces */
static PetscReal PlexHDGTermH(PlexHDGReference R, PetscInt s, PetscInt t)
{
  const PetscInt pairs = R->faces * R->turns, f = s / R->Nf, h = t / R->Nf;

  if (s >= R->Nt || t >= R->Nt) return 0.;
  return R->T[((f * R->turns * pairs + h * R->turns) * R->Nf + s % R->Nf) * R->Nf + t % R->Nf];
}

/* squareS[rows of S's squares][pairs of squares k][steps][32 lanes][2], squareR[rows of T's squares][pairs of squares
   k][32 lanes][2]: a lane has term lane % 4 of the step, and column lane / 4 of either square, 0 where there is none,
   of -S and -R. signs: squareT[squares (i, j) of T, i >= j][8][8]: H of faces that are not turned, over the numbers of
   two faces, as N_f = det sum_a r_a n_fa */
static PetscErrorCode PlexHDGSquaresUpload(PlexHDG hdg, PetscBool signs)
{
  PlexHDGReference R = hdg->reference;
  const PetscInt NS = PlexHDGSquares(R->Np), NT = PlexHDGSquares(R->Nt), pairs = (NS + 1) / 2, terms = PlexHDGTerms(R);
  const PetscInt sizeS = NS * 8 * pairs * terms * 16, sizeR = NT * 8 * pairs * 64, sizeT = NT * (NT + 1) / 2 * 64;
  PetscReal     *S, *RT, *T;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(sizeS, &S, sizeR, &RT, sizeT, &T));
  for (PetscInt i = 0; i < NS * 8; ++i)
    for (PetscInt k = 0; k < pairs; ++k)
      for (PetscInt c = 0; c < terms; c += PLEX_HDG_STEP)
        for (PetscInt lane = 0; lane < 64; ++lane)
          S[n++] = -PlexHDGTermS(R, c + lane / 2 % 4, i, (2 * k + lane % 2) * 8 + lane / 8);
  n = 0;
  for (PetscInt t = 0; t < NT * 8; ++t)
    for (PetscInt k = 0; k < pairs; ++k)
      for (PetscInt lane = 0; lane < 64; ++lane)
        RT[n++] = -PlexHDGTermR(R, lane / 2 % 4, (2 * k + lane % 2) * 8 + lane / 8, t);
  n = 0;
  for (PetscInt i = 0; i < NT; ++i)
    for (PetscInt j = 0; j <= i; ++j)
      for (PetscInt k = 0; k < 64; ++k) T[n++] = PlexHDGTermH(R, i * 8 + k / 8, j * 8 + k % 8);
  PetscCall(PlexHDGUpload(hdg, S, sizeof(double) * sizeS, (const void **)&hdg->args.squareS));
  PetscCall(PlexHDGUpload(hdg, RT, sizeof(double) * sizeR, (const void **)&hdg->args.squareR));
  if (signs) PetscCall(PlexHDGUpload(hdg, T, sizeof(double) * sizeT, (const void **)&hdg->args.squareT));
  PetscCall(PetscFree3(S, RT, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGWriteConstants_Private(char text[], size_t size, const char type[], const char name[], PetscInt n,
                                             const PetscInt64 values[])
{
  char word[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(word, sizeof(word), "static __device__ constexpr %s %s[%" PetscInt_FMT "] = {", type, name,
                          n));
  PetscCall(PetscStrlcat(text, word, size));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(word, sizeof(word), "%s%" PetscInt64_FMT, k ? ", " : "", values[k]));
    PetscCall(PetscStrlcat(text, word, size));
  }
  PetscCall(PetscStrlcat(text, "};\n", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* squareQ[turns][numbers of the pattern, row by row, an even number]: functions of a face turned, psi_m = sum_n Q[m][n]
   psi_n of unturned ones; the pattern, which all turns share, goes to the kernel's text */
static PetscErrorCode PlexHDGTurnsUpload(PlexHDG hdg, char text[], size_t size)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Nf = R->Nf, n = R->Nqf * Nf;
  PetscInt64       mixed[PLEX_HDG_MIXED_MOST] = {0};
  PetscInt         at                         = 0;
  PetscReal       *Q, *packed;
  char             word[64];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->turns * Nf * Nf, &Q, R->turns * (Nf * Nf + 1), &packed));
  for (PetscInt t = 0; t < R->turns; ++t)
    PlexHDGReferenceMoments(R->Nqf, R->weightsFace, Nf, &R->psi[t * n], Nf, R->psi, &Q[t * Nf * Nf]);
  for (PetscInt t = 0; t < R->turns; ++t)
    for (PetscInt k = 0; k < Nf * Nf; ++k)
      if (PetscAbsReal(Q[t * Nf * Nf + k]) > 1e-12) mixed[k / Nf] |= (PetscInt64)1 << k % Nf;
  for (PetscInt t = 0; t < R->turns; ++t) {
    for (PetscInt k = 0; k < Nf * Nf; ++k)
      if (mixed[k / Nf] >> k % Nf & 1) packed[at++] = Q[t * Nf * Nf + k];
    if (at % 2) packed[at++] = 0.;
  }
  PetscCall(PlexHDGUpload(hdg, packed, sizeof(double) * at, (const void **)&hdg->args.squareQ));
  PetscCall(PetscFree2(Q, packed));
  PetscCall(PetscSNPrintf(word, sizeof(word), "#define PLEX_HDG_MIXES %" PetscInt_FMT "\n", at / R->turns));
  PetscCall(PetscStrlcat(text, word, size));
  PetscCall(PlexHDGWriteConstants_Private(text, size, "unsigned long long", "plex_hdg_mixed", Nf, mixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSquaresCreate_Private(PlexHDG hdg, PlexHDGKernel *k)
{
  PlexHDGReference R        = hdg->reference;
  const PetscInt   numbers  = PlexHDGTerms(R) + R->faces * (PLEX_HDG_STEP + R->faces) + 1;
  const PetscBool  signs    = PlexHDGTurnsAreSigns(R);
  PetscInt         resident = 0;
  PetscBool        team;
  const char      *name;
  char             defines[4096], constants[3584] = "";

  PetscFunctionBegin;
  if (PlexHDGIsGeneral(hdg) || R->dim >= PLEX_HDG_STEP || R->Nf > PLEX_HDG_MIXED_MOST - 1)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSquaresChoose(hdg, k, signs, &resident));
  team = (PetscBool)!resident;
  if (team) PetscCall(PlexHDGTeamsCreate_Private(hdg, k, &resident, constants, sizeof(constants)));
  else PetscCall(PlexHDGSquaresUpload(hdg, signs));
  if (!resident) PetscFunctionReturn(PETSC_SUCCESS);
  if (!signs || team) PetscCall(PlexHDGTurnsUpload(hdg, constants, sizeof(constants)));
  name = team ? "teamcondense" : "squarecondense";
  PetscCall(PetscSNPrintf(defines, sizeof(defines),
                          "#define PLEX_HDG_NUMBERS %" PetscInt_FMT "\n#define PLEX_HDG_RESIDENT %" PetscInt_FMT
                          "\n#define PLEX_HDG_SIGNS %d\n%s",
                          numbers, resident, (int)(signs && !team), constants));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * (hdg->mesh->Ne / 8 + 1) * 8 * numbers, (void **)&hdg->args.numbers));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &hdg->memory, name, name, defines, R->Np + R->Nt, k));
  PetscCall(PlexHDGSquaresRenew_Private(hdg, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSquaresRenew_Private(PlexHDG hdg, PlexHDGKernel *k)
{
  PlexHDGArgs args = hdg->args;
  PetscInt    blocks;
  PlexKernel  kernel;
  void       *arguments[] = {&args, &hdg->args.numbers};

  PetscFunctionBegin;
  if (!hdg->args.numbers) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_squarenumbers", &kernel));
  args.x += PlexHDGMeshAffineOffset(hdg->mesh);
  args.begin = (int)hdg->mesh->nmapped;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGBlocks_Private(args.end - args.begin, &blocks));
  if (blocks) PetscCall(PlexKernelLaunch(kernel, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}
