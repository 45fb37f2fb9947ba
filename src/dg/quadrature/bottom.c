/*
  Bottoms that are linear (bilinear in quadrilaterals) in some elements: where they may fall dry, shore.c, and where the
  polynomial through the depths at the nodes falls far below them in between. Water is deeper than 0 there after all:
  linear waves over a negative depth grow, and other water has no speed there.

  In such an element the depth is that of its vertices, and on its faces that of the neighbours is, too, so that it is
  continuous. That changes neighbours, which are looked at again. It ends, as a linear bottom falls nowhere below its
  vertices. A smooth depth of more than 0 has no such elements from some mesh on, so that orders are kept.
*/
#include "quadratureimpl.h"
#include "../core/coreimpl.h" /* PlexDGGetParts(), PlexDGShare_Private() */

/* Least depth of an element, as a part of that at its nodes, with which it keeps its bottom */
#define PLEX_BOTTOM_LEAST 0.5

/* Linear functions of the vertices at n reference points, B[n][nv], and their derivatives dB[dim][n][nv] or NULL */
void PlexDGBottomLinear_Private(PetscBool tensor, PetscInt n, const PetscReal r[], double B[], double dB[])
{
  const double corner[4][2] = {
    {-1., -1.},
    {1.,  -1.},
    {1.,  1. },
    {-1., 1. }
  };
  const double slope[3][2] = {
    {-0.5, -0.5},
    {0.5,  0.  },
    {0.,   0.5 }
  };
  const PetscInt nv = tensor ? 4 : 3;

  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt v = 0; v < nv; ++v) {
      const double x = r[2 * i], y = r[2 * i + 1];

      B[i * nv + v] = tensor ? (1. + corner[v][0] * x) * (1. + corner[v][1] * y) / 4.
                             : (v ? 0.5 : 0.) + slope[v][0] * x + slope[v][1] * y;
      for (PetscInt a = 0; a < 2 && dB; ++a)
        dB[(a * n + i) * nv + v] = tensor ? corner[v][a] * (1. + corner[v][1 - a] * (a ? x : y)) / 4. : slope[v][a];
    }
}

/* The nodes that are vertices */
PetscErrorCode PlexDGBottomVertices_Private(PlexDGReference R, PetscInt nv, const double linear[], int vertices[])
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < nv; ++v) {
    vertices[v] = -1;
    for (PetscInt i = 0; i < R->Np; ++i)
      if (linear[i * nv + v] > 1. - 1e-9) vertices[v] = (int)i;
    PetscCheck(vertices[v] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No node at vertex %" PetscInt_FMT, v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind flags of own elements, flags[parts][Ne], those of the elements across the faces between processes and parts */
PetscErrorCode PlexDGBottomShare_Private(PlexDG dg, int *flags[])
{
  PlexDG         parts[2];
  const PetscInt n   = PlexDGGetParts(dg, parts);
  PetscInt       all = 0;
  int           *sent, *received;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) all += parts[k]->mesh->nghosts;
  PetscCall(PetscMalloc2(all, &sent, all, &received));
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt g = 0; g < parts[k]->mesh->nghosts; ++g)
      sent[parts[k]->start + g] = flags[k][parts[k]->mesh->sent[g] / parts[k]->mesh->faces];
  PetscCall(PlexDGShare_Private(dg, MPI_INT, sent, received));
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PetscArraycpy(&flags[k][parts[k]->mesh->Ne], &received[parts[k]->start], parts[k]->mesh->nghosts));
  PetscCall(PetscFree2(sent, received));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of element e where coefficients become linear: all, or those of faces that it has in common with elements
   that are linear */
static void PlexDGBottomMark(PlexDG dg, PetscInt e, const int may[], PetscBool node[])
{
  PlexDGMesh      mesh = dg->mesh;
  PlexDGReference R    = dg->reference;
  const PetscInt  own  = mesh->Ne * mesh->faces;

  for (PetscInt i = 0; i < R->Np; ++i) node[i] = (PetscBool)may[e];
  for (PetscInt f = 0; f < mesh->faces; ++f) {
    const PetscInt link = mesh->links[e * mesh->faces + f], trace = link / R->turns;

    if (link < 0 || !may[trace < own ? trace / mesh->faces : mesh->Ne + trace - own]) continue;
    for (PetscInt m = 0; m < R->Nfp; ++m) node[R->faceNodes[f * R->Nfp + m]] = PETSC_TRUE;
  }
}

PetscErrorCode PlexDGBottomMakeLinear_Private(PlexDG dg, const int may[], PetscInt count, PetscInt *others)
{
  PlexDGMesh      mesh = dg->mesh;
  PlexDGReference R    = dg->reference;
  const PetscInt  NK = dg->system->ncoefficients, Np = R->Np, nv = R->tensor ? 4 : 3;
  int             vertices[4];
  double         *linear;
  PetscBool      *node;

  PetscFunctionBegin;
  *others = 0;
  PetscCall(PetscMalloc2(Np * nv, &linear, Np, &node));
  PlexDGBottomLinear_Private(R->tensor, Np, R->r, linear, NULL);
  PetscCall(PlexDGBottomVertices_Private(R, nv, linear, vertices));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscBool any = PETSC_FALSE;

    PlexDGBottomMark(dg, e, may, node);
    for (PetscInt i = 0; i < Np; ++i) any = (PetscBool)(any || node[i]);
    if (any && !may[e]) ++*others;
    for (PetscInt c = 0; c < count; ++c) {
      PetscReal *k = &dg->variables[((size_t)e * NK + c) * Np], corner[4];

      for (PetscInt v = 0; v < nv; ++v) corner[v] = k[vertices[v]];
      for (PetscInt i = 0; i < Np; ++i) {
        if (!node[i]) continue;
        k[i] = 0.;
        for (PetscInt v = 0; v < nv; ++v) k[i] += linear[i * nv + v] * corner[v];
      }
    }
  }
  PetscCall(PetscFree2(linear, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flags of elements whose depth has become too small in between, and how many these are */
static PetscErrorCode PlexDGBottomFind(PlexDG dg, int flat[], PetscInt *found)
{
  PetscReal *node, *least;
  PetscInt   n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(dg->mesh->Ne, &node, dg->mesh->Ne, &least));
  PetscCall(PlexDGGetLeastDepths_Private(dg, node, least));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    if (!flat[e] && node[e] > 0. && least[e] < PLEX_BOTTOM_LEAST * node[e]) {
      flat[e] = 1;
      ++n;
    }
  dg->bottoms[0] += n;
  *found += n;
  PetscCall(PetscFree2(node, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The depth is linear where it falls far below that of the nodes. Where it is no more than 0 at a node it is left alone,
   which is an error elsewhere */
PetscErrorCode PlexDGBottomLimit_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n     = PlexDGGetParts(dg, parts);
  PetscInt       found = 1;
  int           *flat[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) parts[k]->bottoms[0] = parts[k]->bottoms[1] = 0;
  if (!dg->system->water || !parts[0]->variables || dg->degree == 1 || parts[0]->mesh->dim != 2)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscCalloc1(parts[k]->mesh->Ne + parts[k]->mesh->nghosts, &flat[k]));
  while (found) {
    found = 0;
    for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGBottomFind(parts[k], flat[k], &found));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &found, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
    if (!found) break;
    PetscCall(PlexDGBottomShare_Private(dg, flat));
    for (PetscInt k = 0; k < n; ++k)
      PetscCall(PlexDGBottomMakeLinear_Private(parts[k], flat[k], 1, &parts[k]->bottoms[1]));
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree(flat[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGBottomView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscInt count[2];

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(dg->bottoms, count, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  if (count[0])
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "bottom: %" PetscInt_FMT " of %" PetscInt_FMT
                                     " elements have a linear one, as the polynomial through the depths at their "
                                     "nodes is less than half as deep in between; %" PetscInt_FMT
                                     " others are linear on faces that they share with these\n",
                                     count[0], dg->mesh->NeGlobal, count[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
