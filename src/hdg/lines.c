/*
  A smoother along lines of elements, for kappa that is anisotropic or elements that are stretched.

  Of an element G = J^-1 kappa J^-T, in the coordinates of the regular cell, says in which direction u is coupled. Where
  its eigenvalues differ by orders of magnitude, errors that are constant along the strong direction and of any degree
  across it are neither in the coarse space nor small after a step with blocks of faces or patches of a vertex: these
  cut the line. So elements are joined to lines through those two of their faces with the largest n . kappa n, which
  both elements have to choose. A line's patch are all faces of its elements; faces of no line are patches of their
  own. With R_p the unknowns of a patch, the smoother is

    x <- x + omega sum_p R_p^T (R_p K R_p^T)^-1 R_p (b - K x)

  K is a sum of elements' matrices, so that no eigenvalue of that sum times K is beyond the largest number of patches
  that touch an element; omega is 2 over 1.1 times that. All R_p K R_p^T are one matrix without couplings between
  patches, whose faces are in the order of the line: Cholesky's factors have little more than its band. Patches end at
  processes. All of it is on the host.
*/
#include "hdgimpl.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */

/* ((lambda_1 + .. + lambda_dim)/dim)^dim/(lambda_1 .. lambda_dim) of G beyond which an element is anisotropic: 38 to 1 in
   2D, 160 to 1 to 1 in 3D */
#define PLEX_HDG_ANISOTROPIC(dim) ((dim) == 2 ? 10. : 1000.)

struct _n_PlexHDGLines {
  PetscInt     n;      /* patches' unknowns, an unknown in several patches counts as often */
  PetscInt     nlines; /* of at least two elements */
  PetscInt    *row;    /* [n] own unknown of each */
  PetscInt    *start;  /* [n + 1] entries of B's rows, */
  PetscInt    *column; /* [start[n]] their columns, */
  PetscInt    *entry;  /* [start[n]] their place in the values of K's diagonal part */
  PetscReal    omega;
  PetscScalar *values; /* [start[n]] */
  Mat          B, F;   /* all R_p K R_p^T; its factors */
  Vec          b, x;   /* [n] */
};

/* Faces in the order of patches; how elements are joined */
typedef struct {
  PlexHDG   hdg;
  PetscInt *other;   /* [Ne][faces] the element beyond a face, -1: none of this process */
  PetscInt *links;   /* [Ne][2] elements that it is joined to, -1: none */
  PetscInt *patchOf; /* [Ne] the line, -1: none */
  PetscInt  nfaces;
  PetscInt *face, *patch; /* [nfaces] */
  PetscInt *count;        /* [nown] patches that a face is in */
  PetscInt  n;            /* patches */
} PlexHDGPatches;

/* Jacobian from the reference cell to the regular one, but for a factor */
static void PlexHDGGetRegular(PlexHDGMesh mesh, PetscReal E[3][3])
{
  const PetscBool simplex       = (PetscBool)(mesh->faces == mesh->dim + 1);
  const PetscReal regular[3][3] = {
    {1., 0.5,                    0.5                   },
    {0., PetscSqrtReal(3.) / 2., PetscSqrtReal(3.) / 6.},
    {0., 0.,                     PetscSqrtReal(2. / 3.)}
  };

  for (PetscInt a = 0; a < 3; ++a)
    for (PetscInt b = 0; b < 3; ++b) E[a][b] = simplex ? regular[a][b] : (PetscReal)(a == b);
}

/* How much the eigenvalues of E G E^T differ: 1 where they are equal */
static PetscReal PlexHDGAnisotropy(PetscInt dim, const PetscReal E[3][3], const PetscReal G[3][3])
{
  PetscReal H[3][3] = {{0.}}, C[3][3], trace = 0., det;

  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt b = 0; b < dim; ++b)
      for (PetscInt c = 0; c < dim; ++c)
        for (PetscInt d = 0; d < dim; ++d) H[a][b] += E[a][c] * G[c][d] * E[b][d];
  det = PlexCofactors(dim, H, C);
  for (PetscInt a = 0; a < dim; ++a) trace += H[a][a] / dim;
  return det > 0. ? PetscPowRealInt(trace, (int)dim) / det : PETSC_MAX_REAL;
}

/* Of all elements the two faces with the largest n . kappa n, -1: it is not anisotropic; their number */
static PetscErrorCode PlexHDGFindStrong(PlexHDG hdg, PetscInt strong[][2], PetscInt *n)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, size = dim * dim, points = hdg->point ? R->Nq : 1;
  const PetscBool  simplex = (PetscBool)(mesh->faces == dim + 1);
  PetscReal        E[3][3], xi[3], *shape, *dshape, *kappa;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt a = 0; a < dim; ++a) xi[a] = simplex ? 2. / (dim + 1) - 1. : 0.;
  PlexHDGGetRegular(mesh, E);
  PetscCall(PlexHDGTabulate_Private(mesh, 1, xi, &shape, &dshape));
  PetscCall(PetscMalloc1((size_t)mesh->Ne * points * size, &kappa));
  PetscCall(PlexBackendCopyOut(hdg->backend, kappa, hdg->point ? hdg->args.kappaq : hdg->args.kappa,
                               sizeof(double) * (size_t)mesh->Ne * points * size));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal x[3], J[3][3], C[3][3], G[3][3] = {{0.}}, largest[2] = {-1., -1.};

    PlexHDGMeshMap_Private(mesh, e, xi, shape, dshape, x, J);
    (void)PlexCofactors(dim, J, C);
    for (PetscInt q = 0; q < points; ++q)
      for (PetscInt k = 0; k < size; ++k)
        for (PetscInt a = 0; a < dim; ++a)
          for (PetscInt b = 0; b < dim; ++b)
            G[a][b] += C[a][k / dim] * kappa[((size_t)e * points + q) * size + k] * C[b][k % dim];
    strong[e][0] = strong[e][1] = -1;
    if (PlexHDGAnisotropy(dim, E, G) <= PLEX_HDG_ANISOTROPIC(dim)) continue;
    ++*n;
    for (PetscInt f = 0; f < mesh->faces; ++f) {
      PetscReal w = 0.;

      for (PetscInt a = 0; a < dim; ++a)
        for (PetscInt b = 0; b < dim; ++b) w += R->normal[f][a] * G[a][b] * R->normal[f][b];
      if (w > largest[0]) {
        largest[1]   = largest[0];
        strong[e][1] = strong[e][0];
        largest[0]   = w;
        strong[e][0] = f;
      } else if (w > largest[1]) {
        largest[1]   = w;
        strong[e][1] = f;
      }
    }
  }
  PetscCall(PetscFree(kappa));
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements that are joined */
static PetscErrorCode PlexHDGLink(PlexHDGPatches *p, PetscInt strong[][2])
{
  PlexHDGMesh    mesh = p->hdg->mesh;
  const PetscInt n    = mesh->nown + mesh->nghost + mesh->nfixed;
  PetscInt      *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &first));
  for (PetscInt l = 0; l < n; ++l) first[l] = -1;
  for (PetscInt k = 0; k < mesh->Ne * mesh->faces; ++k) {
    const int l = mesh->face[k];

    p->other[k] = -1;
    if (first[l] < 0) first[l] = k;
    else {
      p->other[k]        = first[l] / mesh->faces;
      p->other[first[l]] = k / mesh->faces;
    }
  }
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    for (int s = 0; s < 2; ++s) {
      const PetscInt f = strong[e][s], o = f < 0 ? -1 : p->other[e * mesh->faces + f];

      p->links[2 * e + s] = -1;
      for (int t = 0; o >= 0 && t < 2; ++t)
        if (strong[o][t] >= 0 && mesh->face[o * mesh->faces + strong[o][t]] == mesh->face[e * mesh->faces + f])
          p->links[2 * e + s] = o;
    }
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGAddFace(PlexHDGPatches *p, PetscInt l)
{
  p->face[p->nfaces]    = l;
  p->patch[p->nfaces++] = p->n;
  ++p->count[l];
}

/* The line from element e on: faces that follow each other are near each other. last[nown]: the patch that a face was
   put in */
static void PlexHDGWalk(PlexHDGPatches *p, PetscInt e, PetscInt last[])
{
  PlexHDGMesh mesh = p->hdg->mesh;

  while (e >= 0) {
    PetscInt next = -1;

    p->patchOf[e] = p->n;
    for (int s = 0; s < 2; ++s)
      if (p->links[2 * e + s] >= 0 && p->patchOf[p->links[2 * e + s]] < 0) next = p->links[2 * e + s];
    for (int pass = 0; pass < 2; ++pass) /* the face to the next element comes last */
      for (PetscInt f = 0; f < mesh->faces; ++f) {
        const int l = mesh->face[e * mesh->faces + f];

        if (l >= mesh->nown || last[l] == p->n || (!pass && next >= 0 && p->other[e * mesh->faces + f] == next))
          continue;
        last[l] = p->n;
        PlexHDGAddFace(p, l);
      }
    e = next;
  }
  ++p->n;
}

/* Lines from their ends, closed ones from anywhere, then the faces that are left. *nlines: lines */
static PetscErrorCode PlexHDGMakePatches(PlexHDGPatches *p, PetscInt *nlines)
{
  PlexHDGMesh mesh = p->hdg->mesh;
  PetscInt   *last;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->nown, &last));
  for (PetscInt l = 0; l < mesh->nown; ++l) last[l] = -1;
  for (PetscInt e = 0; e < mesh->Ne; ++e) p->patchOf[e] = -1;
  for (int closed = 0; closed < 2; ++closed)
    for (PetscInt e = 0; e < mesh->Ne; ++e) {
      const int links = (p->links[2 * e] >= 0) + (p->links[2 * e + 1] >= 0);

      if (p->patchOf[e] < 0 && links == 1 + closed) PlexHDGWalk(p, e, last);
    }
  *nlines = p->n;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    if (last[l] >= 0) continue;
    PlexHDGAddFace(p, l);
    ++p->n;
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest number of patches that touch an element of any process. At a face inside a line it is the element's own;
   others' faces are in two at most */
static PetscErrorCode PlexHDGCountPatches(PlexHDGPatches *p, PetscReal *omega)
{
  PlexHDGMesh mesh = p->hdg->mesh;
  PetscInt    most = 1;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscInt n = p->patchOf[e] >= 0;

    for (PetscInt f = 0; f < mesh->faces; ++f) {
      const int l = mesh->face[e * mesh->faces + f];

      if (l < mesh->nown) n += p->count[l] - (p->patchOf[e] >= 0);
      else if (l < mesh->nown + mesh->nghost) n += 2;
    }
    most = PetscMax(most, n);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)p->hdg)));
  *omega = 2. / (1.1 * (PetscReal)most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of K in a patch: column's place in the list of faces, and where its row of values begins in K's */
typedef struct {
  PetscInt place, offset;
} PlexHDGEntry;

/* Blocks of the face at `place` within its patch, by columns; at[nown]: where a face is in the patch that of[] says */
static PetscInt PlexHDGGetBlocks(const PlexHDGPatches *p, PetscInt place, const PetscInt i[], const PetscInt j[],
                                 const PetscInt at[], const PetscInt of[], PlexHDGEntry blocks[])
{
  const PetscInt Nf = p->hdg->reference->Nf, row = p->face[place] * Nf;
  PetscInt       n = 0;

  for (PetscInt k = i[row]; k < i[row + 1]; k += Nf) {
    const PetscInt l = j[k] / Nf;
    PetscInt       m = n;

    if (of[l] != p->patch[place]) continue;
    for (; m > 0 && blocks[m - 1].place > at[l]; --m) blocks[m] = blocks[m - 1];
    blocks[m] = (PlexHDGEntry){at[l], k - i[row]};
    ++n;
  }
  return n;
}

/* Pattern of B, and which entries of K it has */
static PetscErrorCode PlexHDGLinesPattern(PlexHDGLines lines, const PlexHDGPatches *p, const PetscInt i[],
                                          const PetscInt j[])
{
  const PetscInt Nf = p->hdg->reference->Nf, nown = p->hdg->mesh->nown;
  PetscInt       most = 0, first = 0, *at, *of;
  PetscInt64     nz = 0;
  PlexHDGEntry  *blocks;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < nown; ++l) most = PetscMax(most, (i[l * Nf + 1] - i[l * Nf]) / Nf);
  PetscCall(PetscMalloc3(nown, &at, nown, &of, most, &blocks));
  for (PetscInt l = 0; l < nown; ++l) of[l] = -1;
  for (PetscInt k = 0; k < p->nfaces; ++k) nz += (PetscInt64)(i[p->face[k] * Nf + 1] - i[p->face[k] * Nf]) * Nf;
  PetscCall(PetscIntCast(nz, &first)); /* no less than there will be */
  PetscCall(PetscIntCast((PetscInt64)p->nfaces * Nf, &lines->n));
  PetscCall(PetscMalloc3(lines->n, &lines->row, lines->n + 1, &lines->start, first, &lines->column));
  PetscCall(PetscMalloc2(first, &lines->entry, first, &lines->values));
  lines->start[0] = 0;
  for (PetscInt k = 0; k < p->nfaces; ++k) {
    PetscInt n;

    if (!k || p->patch[k] != p->patch[k - 1])
      for (PetscInt m = k; m < p->nfaces && p->patch[m] == p->patch[k]; ++m) {
        at[p->face[m]] = m;
        of[p->face[m]] = p->patch[m];
      }
    n = PlexHDGGetBlocks(p, k, i, j, at, of, blocks);
    for (PetscInt r = 0; r < Nf; ++r) {
      const PetscInt row = k * Nf + r, own = p->face[k] * Nf + r;
      PetscInt       z = lines->start[row];

      lines->row[row] = own;
      for (PetscInt b = 0; b < n; ++b)
        for (PetscInt s = 0; s < Nf; ++s, ++z) {
          lines->column[z] = blocks[b].place * Nf + s;
          lines->entry[z]  = i[own] + blocks[b].offset + s;
        }
      lines->start[row + 1] = z;
    }
  }
  PetscCall(PetscFree3(at, of, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factors' pattern, in the order of the lines */
static PetscErrorCode PlexHDGLinesSymbolic(PlexHDGLines lines)
{
  MatFactorInfo info;
  IS            order;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(lines->values, lines->start[lines->n]));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, lines->n, lines->n, lines->start, lines->column, lines->values,
                                      &lines->B));
  PetscCall(MatSetOption(lines->B, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(lines->B, &lines->x, &lines->b));
  PetscCall(MatGetFactor(lines->B, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &lines->F));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, lines->n, 0, 1, &order));
  PetscCall(ISSetPermutation(order));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 2.;
  PetscCall(MatCholeskyFactorSymbolic(lines->F, lines->B, order, &info));
  PetscCall(ISDestroy(&order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGMakeLines(PlexHDG hdg, PetscInt strong[][2], PlexHDGLines *newlines)
{
  PlexHDGMesh     mesh = hdg->mesh;
  PlexHDGPatches  p    = {.hdg = hdg};
  PlexHDGLines    lines;
  const PetscInt *i, *j;
  PetscInt        n;
  PetscBool       done;
  Mat             diagonal, other;

  PetscFunctionBegin;
  PetscCall(PetscNew(&lines));
  *newlines = lines;
  PetscCall(PetscMalloc3(mesh->Ne * mesh->faces, &p.other, 2 * mesh->Ne, &p.links, mesh->Ne, &p.patchOf));
  PetscCall(PetscMalloc2(mesh->Ne * mesh->faces + mesh->nown, &p.face, mesh->Ne * mesh->faces + mesh->nown, &p.patch));
  PetscCall(PetscCalloc1(mesh->nown, &p.count));
  PetscCall(PlexHDGLink(&p, strong));
  PetscCall(PlexHDGMakePatches(&p, &lines->nlines));
  PetscCall(PlexHDGCountPatches(&p, &lines->omega));
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
  PetscCall(MatGetRowIJ(diagonal, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done && n == mesh->nown * hdg->reference->Nf, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "K has %" PetscInt_FMT " rows", n);
  PetscCall(PlexHDGLinesPattern(lines, &p, i, j));
  PetscCall(MatRestoreRowIJ(diagonal, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(PlexHDGLinesSymbolic(lines));
  PetscCall(PetscFree3(p.other, p.links, p.patchOf));
  PetscCall(PetscFree2(p.face, p.patch));
  PetscCall(PetscFree(p.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines where they are wanted, else NULL. K has its pattern */
PetscErrorCode PlexHDGLinesCreate_Private(PlexHDG hdg, PlexHDGLines *lines)
{
  PetscInt count[2] = {0, hdg->mesh->Ne};
  PetscInt (*strong)[2];

  PetscFunctionBegin;
  *lines = NULL;
  if (hdg->lines == PETSC_BOOL3_TRUE)
    PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "A smoother along lines, -plex_hdg_lines,"));
  PetscCheck(hdg->lines != PETSC_BOOL3_TRUE || !PlexHDGIsGeneral(hdg), PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_lines is a smoother of symmetric and positive definite matrices, and that of the trace is not "
             "with convection, kappa(u) or lambda < 0: leave the option out");
  if (hdg->lines == PETSC_BOOL3_FALSE || PlexHDGIsGeneral(hdg) || hdg->elastic) PetscFunctionReturn(PETSC_SUCCESS);
  /* on a GPU its solves on the host take long beside a product with K */
  if (hdg->lines == PETSC_BOOL3_UNKNOWN && hdg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(hdg->mesh->Ne, &strong));
  PetscCall(PlexHDGFindStrong(hdg, strong, &count[0]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  if (hdg->lines == PETSC_BOOL3_TRUE || count[0] > count[1] / 2) PetscCall(PlexHDGMakeLines(hdg, strong, lines));
  PetscCall(PetscFree(strong));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGLinesDestroy_Private(PlexHDGLines *lines)
{
  PetscFunctionBegin;
  if (!*lines) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&(*lines)->F));
  PetscCall(MatDestroy(&(*lines)->B));
  PetscCall(VecDestroy(&(*lines)->b));
  PetscCall(VecDestroy(&(*lines)->x));
  PetscCall(PetscFree3((*lines)->row, (*lines)->start, (*lines)->column));
  PetscCall(PetscFree2((*lines)->entry, (*lines)->values));
  PetscCall(PetscFree(*lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of K's present values */
PetscErrorCode PlexHDGLinesUpdate_Private(PlexHDG hdg, PlexHDGLines lines)
{
  const PetscScalar *K;
  MatFactorInfo      info;
  Mat                diagonal, other;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
  PetscCall(MatSeqAIJGetArrayRead(diagonal, &K));
  for (PetscInt z = 0; z < lines->start[lines->n]; ++z) lines->values[z] = K[lines->entry[z]];
  PetscCall(MatSeqAIJRestoreArrayRead(diagonal, &K));
  PetscCall(PetscObjectStateIncrease((PetscObject)lines->B));
  PetscCall(MatFactorInfoInitialize(&info));
  info.shifttype   = (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE; /* where K is singular and a line is all of the mesh */
  info.shiftamount = info.zeropivot = 100. * PETSC_MACHINE_EPSILON;
  PetscCall(MatCholeskyFactorNumeric(lines->F, lines->B, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = omega sum_p R_p^T (R_p K R_p^T)^-1 R_p b, or x + that of b - w where there is w = K x */
PetscErrorCode PlexHDGLinesSmooth_Private(PlexHDGLines lines, Vec b, Vec w, Vec x)
{
  const PetscScalar *rhs, *product = NULL, *correction;
  PetscScalar       *all;

  PetscFunctionBegin;
  if (!w) PetscCall(VecZeroEntries(x));
  PetscCall(VecGetArrayRead(b, &rhs));
  if (w) PetscCall(VecGetArrayRead(w, &product));
  PetscCall(VecGetArrayWrite(lines->b, &all));
  for (PetscInt k = 0; k < lines->n; ++k) all[k] = rhs[lines->row[k]] - (w ? product[lines->row[k]] : 0.);
  PetscCall(VecRestoreArrayWrite(lines->b, &all));
  if (w) PetscCall(VecRestoreArrayRead(w, &product));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscCall(MatSolve(lines->F, lines->b, lines->x));
  PetscCall(VecGetArrayRead(lines->x, &correction));
  PetscCall(VecGetArray(x, &all));
  for (PetscInt k = 0; k < lines->n; ++k) all[lines->row[k]] += lines->omega * correction[k];
  PetscCall(VecRestoreArray(x, &all));
  PetscCall(VecRestoreArrayRead(lines->x, &correction));
  PetscFunctionReturn(PETSC_SUCCESS);
}
