/* Local matrices of affine elements by squares of 8 x 8: whether they can be, and the reference element's matrices in
   the order in which cuda/hdg/squarecondense.cu reads them */
#include "hdgimpl.h"

#define PLEX_HDG_STEP        4  /* terms of a sum that a step of the tensor cores has: PLEX_UNIT_K */
#define PLEX_HDG_LEAST_WARPS 4  /* of a block */
#define PLEX_HDG_MOST_WARPS  16 /* rows of a product */

/* Squares that rows or columns are put into */
static PetscInt PlexHDGSquares(PetscInt n)
{
  return (n + 7) / 8;
}

/* Terms of S: stiffness, faces, reaction, and 1 where rows are added */
static PetscInt PlexHDGTerms(PlexHDGReference R)
{
  return (R->nab + R->faces + 2 + PLEX_HDG_STEP - 1) / PLEX_HDG_STEP * PLEX_HDG_STEP;
}

/* Whether a face turned has the same functions but for the sign of odd ones: Legendre's polynomials do */
static PetscBool PlexHDGTurnsAreSigns(PlexHDGReference R)
{
  const PetscInt n = R->Np * R->Nf;

  if (R->turns > 2) return PETSC_FALSE;
  for (PetscInt f = 0; f < R->faces; ++f)
    for (PetscInt t = 1; t < R->turns; ++t)
      for (PetscInt k = 0; k < n; ++k)
        if (PetscAbsReal(R->F[(f * R->turns + t) * n + k] - (k % R->Nf % 2 ? -1 : 1) * R->F[f * R->turns * n + k]) >
            1e-12)
          return PETSC_FALSE;
  return PETSC_TRUE;
}

/* As many elements a block as make most warps of a processor, all in shared memory; of equal numbers up to 8 the larger
   one, which shares what it reads, beyond that the smaller one, so that blocks take turns: for this, several blocks may
   also have a tenth less than one large one. *resident: blocks at once, 0: none. Warps of 4 rows of squares do with 64
   registers, others would keep numbers in memory */
static PetscErrorCode PlexHDGSquaresChoose(PlexHDG hdg, PlexHDGKernel *k, PetscInt *resident)
{
  const PlexBackendLimits *limits = &hdg->backend->limits;
  const PetscInt           NS = PlexHDGSquares(hdg->reference->Np), N = NS + PlexHDGSquares(hdg->reference->Nt),
                           enough = N <= 4 ? 32 : 24;
  /* four pairs of elements' numbers are in different banks */
  const PetscInt work = 64 * (NS * N - NS * (NS - 1) / 2) + 2;
  PetscInt       best = 0, wanted = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_hdg_block_elements", &wanted, NULL));
  *resident = 0;
  for (PetscInt n = PLEX_HDG_LEAST_WARPS; n <= PLEX_HDG_MOST_WARPS; ++n) {
    const size_t   bytes  = sizeof(double) * work * n;
    const PetscInt blocks = PetscMin((PetscInt)(limits->sharedPerProcessor / (bytes + 1024)), enough / n),
                   score  = (blocks == 1 && n > 8 ? 9 : 10) * blocks * n;

    if (bytes > limits->sharedPerBlock || !blocks || (wanted && n != wanted)) continue;
    if (score > best || (score == best && n <= 8)) {
      best       = score;
      *resident  = blocks;
      k->threads = 32;
      k->teams   = n;
      k->work    = work;
    }
  }
  PetscCheck(*resident || !wanted, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_hdg_block_elements %" PetscInt_FMT ": a block has %d to %d elements of %" PetscInt_FMT
             " bytes in %zu bytes of shared memory",
             wanted, PLEX_HDG_LEAST_WARPS, PLEX_HDG_MOST_WARPS, (PetscInt)sizeof(double) * work,
             limits->sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Term c of entry (i, j) of S */
static PetscReal PlexHDGTermS(PlexHDGReference R, PetscInt c, PetscInt i, PetscInt j)
{
  const PetscInt Np = R->Np;

  if (i >= Np || j >= Np) return i == j && c == R->nab + R->faces + 1;
  if (c < R->nab) return R->S[(c * Np + i) * Np + j];
  if (c < R->nab + R->faces) return R->E[((c - R->nab) * Np + i) * Np + j];
  return i == j && c == R->nab + R->faces;
}

/* Term c of entry (i, t) of R, t of all faces' functions */
static PetscReal PlexHDGTermR(PlexHDGReference R, PetscInt c, PetscInt i, PetscInt t)
{
  const PetscInt at = t / R->Nf * R->turns * R->Np * R->Nf + i * R->Nf + t % R->Nf;

  if (i >= R->Np || t >= R->Nt || c > R->dim) return 0.;
  return c ? R->H[(c - 1) * R->faces * R->turns * R->Np * R->Nf + at] : R->F[at];
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
   of -S and -R. squareT[squares (i, j) of T, i >= j][8][8]: H of faces that are not turned, over the numbers of two
   faces, as N_f = det sum_a r_a n_fa */
static PetscErrorCode PlexHDGSquaresUpload(PlexHDG hdg)
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
  PetscCall(PlexHDGUpload(hdg, T, sizeof(double) * sizeT, (const void **)&hdg->args.squareT));
  PetscCall(PetscFree3(S, RT, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSquaresCreate_Private(PlexHDG hdg, PlexHDGKernel *k)
{
  PlexHDGReference R        = hdg->reference;
  const PetscInt   numbers  = PlexHDGTerms(R) + R->faces * (PLEX_HDG_STEP + R->faces) + 1;
  PetscInt         resident = 0;
  char             defines[128];

  PetscFunctionBegin;
  if (PlexHDGIsGeneral(hdg) || R->dim >= PLEX_HDG_STEP || R->Nt > 64 || !PlexHDGTurnsAreSigns(R))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSquaresChoose(hdg, k, &resident));
  if (!resident) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSquaresUpload(hdg));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * (hdg->mesh->Ne / 8 + 1) * 8 * numbers, (void **)&hdg->args.numbers));
  PetscCall(PetscSNPrintf(defines, sizeof(defines),
                          "#define PLEX_HDG_NUMBERS %" PetscInt_FMT "\n#define PLEX_HDG_RESIDENT %" PetscInt_FMT "\n",
                          numbers, resident));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &hdg->memory, "squarecondense", "squarecondense", defines, R->Np + R->Nt,
                                        k));
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
