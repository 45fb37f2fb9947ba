/* Tables of velocities in H(div) without divergence, and what is kept for them: made when they are first asked for, freed with
   Stokes's equations; solenoidal.c has the method */
#include "solenoidal.h"
#include <petscblaslapack.h>

static PetscErrorCode PlexHDGSolenoidalCheck(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCheck(hdg->reference->faces == hdg->reference->dim + 1, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Velocities without divergence, and convection that is explicit, are for triangles and tetrahedra: take a "
             "mesh of these, or -plex_hdg_transport implicit");
  PetscCheck(!hdg->mesh->nmappedGlobal, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Velocities without divergence, and convection that is explicit, are for straight elements, and "
             "%" PetscInt_FMT " of %" PetscInt_FMT
             " are curved: take coordinates of degree 1 and -plex_hdg_affine true, or "
             "-plex_hdg_transport implicit",
             hdg->mesh->nmappedGlobal, hdg->mesh->NeGlobal);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C[nc][dim Nu] by U[faces][Nqf][Nu] and own[Nqf][NF], functions of a face in the order that the element has there */
static void PlexHDGSolenoidalSetConditions(PlexHDG hdg, const PetscReal U[], const PetscReal own[], PetscReal C[])
{
  PlexHDGReference  R  = hdg->reference;
  PlexHDGSolenoidal s  = hdg->stokes->solenoidal;
  const PetscInt    Nu = hdg->elastic->Nu, dim = R->dim, NF = s->NF, Nqf = R->Nqf, first = R->faces * NF;

  for (PetscInt f = 0; f < R->faces; ++f) {
    for (PetscInt m = 0; m < NF; ++m) {
      for (PetscInt j = 0; j < Nu; ++j) {
        PetscReal sum = 0.;

        for (PetscInt q = 0; q < Nqf; ++q) sum += R->weightsFace[q] * own[q * NF + m] * U[(f * Nqf + q) * Nu + j];
        for (PetscInt a = 0; a < dim; ++a) C[((f * NF + m) * dim + a) * Nu + j] = R->normal[f][a] * sum;
      }
    }
  }
  for (PetscInt i = 0; i < R->Np - 1; ++i)
    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt j = 0; j < Nu; ++j)
        C[((first + i) * dim + a) * Nu + j] = s->divergence[(a * (R->Np - 1) + i) * Nu + j];
}

/* solve = (C C^T)^-1 C, row by row */
static PetscErrorCode PlexHDGSolenoidalInvert(PetscInt rows, PetscInt columns, const PetscReal C[], PetscReal solve[])
{
  const PetscBLASInt n = (PetscBLASInt)rows, m = (PetscBLASInt)columns;
  const PetscScalar  one = 1., zero = 0.;
  PetscReal         *G, *T;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(rows * rows, &G, rows * columns, &T));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &n, &m, &one, C, &m, &zero, G, &n));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt k = 0; k < columns; ++k) T[k * rows + i] = C[i * columns + k];
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &n, G, &n, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Conditions of a velocity without divergence are not independent");
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &n, &m, G, &n, T, &n, &info));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt k = 0; k < columns; ++k) solve[i * columns + k] = T[k * rows + i];
  PetscCall(PetscFree2(G, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSolenoidalSetTables(PlexHDG hdg)
{
  PlexHDGReference  R  = hdg->reference;
  PlexHDGElastic    el = hdg->elastic;
  PlexHDGSolenoidal s  = hdg->stokes->solenoidal;
  const PetscInt    Nu = el->Nu, dim = R->dim, NF = s->NF, Nqf = R->Nqf;
  PetscReal        *phi, *U, *own, *C;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(R->turns * Nqf * NF, &s->psi, R->faces * R->turns * NF * Nu, &s->moments, R->turns * NF * NF,
                         &s->turn, dim * (R->Np - 1) * Nu, &s->divergence, s->nc * dim * Nu, &s->solve));
  PetscCall(PetscMalloc4(R->faces * Nqf * R->Npost, &phi, R->faces * Nqf * Nu, &U, Nqf * NF, &own, s->nc * dim * Nu,
                         &C));
  PetscCall(PlexHDGReferenceFaceBasis(R, R->P + 1, s->psi));
  PetscCall(PlexHDGBasis(R->face, R->P + 1, Nqf, R->pointsTrace, own, NULL));
  PetscCall(PlexHDGBasis(R->cell, R->P + 1, R->faces * Nqf, R->pointsFace, phi, NULL));
  for (PetscInt q = 0; q < R->faces * Nqf; ++q)
    for (PetscInt j = 0; j < Nu; ++j) U[q * Nu + j] = phi[q * R->Npost + el->functions[j]];
  for (PetscInt t = 0; t < R->turns; ++t) {
    const PetscReal *psi = &s->psi[t * Nqf * NF];

    PlexHDGReferenceMoments(Nqf, R->weightsFace, NF, own, NF, psi, &s->turn[t * NF * NF]);
    for (PetscInt f = 0; f < R->faces; ++f)
      PlexHDGReferenceMoments(Nqf, R->weightsFace, NF, psi, Nu, &U[f * Nqf * Nu],
                              &s->moments[(f * R->turns + t) * NF * Nu]);
  }
  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt i = 0; i < R->Np - 1; ++i) {
      for (PetscInt j = 0; j < Nu; ++j) {
        PetscReal sum = 0.;

        for (PetscInt q = 0; q < R->Nq; ++q)
          sum += R->weights[q] * R->phi[q * R->Np + i + 1] * R->dphiPost[(a * R->Nq + q) * R->Npost + el->functions[j]];
        s->divergence[(a * (R->Np - 1) + i) * Nu + j] = sum;
      }
    }
  }
  PlexHDGSolenoidalSetConditions(hdg, U, own, C);
  PetscCall(PlexHDGSolenoidalInvert(s->nc, dim * Nu, C, s->solve));
  PetscCall(PetscFree4(phi, U, own, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolenoidalSetUp_Private(PlexHDG hdg)
{
  PlexHDGReference  R    = hdg->reference;
  PlexHDGMesh       mesh = hdg->mesh;
  PlexHDGSolenoidal s;
  size_t            rows;

  PetscFunctionBegin;
  if (hdg->stokes->solenoidal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSolenoidalCheck(hdg));
  PetscCall(PetscNew(&s));
  hdg->stokes->solenoidal = s;
  s->NF                   = PlexHDGBasisSize(R->face, R->P + 1);
  s->nc                   = R->faces * s->NF + R->Np - 1;
  PetscCall(PlexHDGSolenoidalSetTables(hdg));
  rows = (size_t)mesh->Ne * mesh->faces;
  PetscCall(PetscCalloc1(rows, &s->outer));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) s->outer[mesh->boundary[b]] = PETSC_TRUE;
  PetscCall(PetscCalloc3(rows * R->dim * s->NF, &s->own, rows * R->dim * s->NF, &s->other, rows * R->dim * R->Nf,
                         &s->trace));
  PetscCall(VecDuplicate(hdg->trace, &s->sums));
  PetscCall(VecDuplicate(hdg->trace, &s->balanced));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolenoidalDestroy_Private(PlexHDG hdg)
{
  PlexHDGSolenoidal s = hdg->stokes->solenoidal;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree5(s->psi, s->moments, s->turn, s->divergence, s->solve));
  PetscCall(PetscFree(s->outer));
  PetscCall(PetscFree3(s->own, s->other, s->trace));
  PetscCall(VecDestroy(&s->sums));
  PetscCall(VecDestroy(&s->balanced));
  PetscCall(VecDestroy(&s->flows[0]));
  PetscCall(VecDestroy(&s->flows[1]));
  PetscCall(VecDestroy(&s->velocity));
  PetscCall(MatDestroy(&s->laplacian));
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(PetscFree(hdg->stokes->solenoidal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
