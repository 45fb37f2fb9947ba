/*
  Viscous fluxes, u_t + div F(u) = div Fv(u, grad w(u)) + s + sv(u, grad w(u)), of systems that define PLEX_DG_VISCOUS, and
  sources sv of those that define PLEX_DG_VISCOUS_SOURCE: a pass after each right-hand side or stage. (Henry de Frahan 2011,
  equations 2.9 and 2.10, has fluxes and sources that read gradients.)

  For all polynomials phi and vectors tau of polynomials in an element, with the means {} and jumps [] of what is on both
  sides of a face, sums over quadrature points in the place of integrals, and P the projection by them,

    w = P w(u)
    (theta, tau) = (grad w, tau) + <({w} - w) n, tau>                             the gradient,
    F = P Fv(u, theta)
    (du/dt, phi) = -(F, grad phi) + <n.{F} - eta/h n.{Fv(u, n [w])}, phi> + (sv(u, theta), phi),   [w] = w- - w+

  which is BR1 (Bassi and Rebay, J. Comput. Phys. 131 (1997)) with a penalty of jumps, without which the gradient has
  modes that it does not see, and the order is N where N is odd: local DG with C12 = 0 and C11 of order 1/h, of order N + 1
  (Castillo, Cockburn, Perugia and Schoetzau, SIAM J. Numer. Anal. 38 (2000)). It is adjoint consistent, and there is no
  least eta.

  - Conservation: both sides of a face compute the same flux.
  - Energy: gradient and divergence are adjoint for any rule and geometry, as both are sums over the same points. So if w
    is the derivative of an energy E(u), as velocities are that of water's, with phi = w

      dE/dt = - (theta, Fv(u, theta)) - eta/h <[w], n.{Fv(u, n [w])}>  <=  0

    wherever theta . Fv(u, theta) is not negative, in each point.
  - Means are weighted by the inertia m = du/dw of the sides, H of water: {w} = (m- w- + m+ w+)/(m- + m+) and {F} = (m+ F-
    + m- F+)/(m- + m+), the same where m is continuous (as weighted means for diffusion that jumps: Ern, Stephansen and
    Zunino, IMA J. Numer. Anal. 29 (2009)). Else thin water beside deep water would be driven by the deep one's flux, at a
    rate larger by the ratio of depths.
  - Boundary: no flux, as at walls along which water slips, unless dg_viscous_boundary() gives w.
  - Where the inertia is not positive somewhere in an element, at a point of it or its faces (water thinner than `dry`), or
    less than PLEX_VISCOUS_THIN of its largest there, the element has no viscosity, and nothing crosses its faces.

  - Axes that turn, PLEX_DG_VISCOUS_AXES: on a map of the sphere w is a vector along the axes of the plane, which turn by
    a_d per length along axis d (dg_viscous_axes()). Fv and sv then read

      D = theta + (a_d w_2, -a_d w_1)

    in the place of theta, and the momentum gains (sum_d a_d Fv_d2, -sum_d a_d Fv_d1), at the points and with the polynomial
    w: the adjoint again, so that dE/dt = - (D, Fv(u, D)) - .. <= 0.
  - Sources: theta has order N, and so has what a source makes of it, unless it is smoothed by diffusion (N + 1 for fields
    with viscosity, tests/dg/dggradients.c).

  Between processes travel the traces of w, and then those of F.

  The work on an element is in cuda/dg/viscous.h, for the host and for kernels.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_VISCOUS_THREADS 128 /* of a block */
#define PLEX_VISCOUS_LEAST   64  /* elements a thread of the host */
#define PLEX_VISCOUS_PENALTY 0.3 /* times N + 1: eta, with h of the time step */

struct _n_PlexDGViscous {
  PlexDGViscousArgs args;
  PlexDGExchange    exchange[2]; /* of w, of F; NULL: one process */
  PlexModule        module;
  PlexKernel        step, pack;
  PetscInt          threads; /* of an element */
  double           *sides, *penalty;
  int              *meet;
  void             *owned; /* w, acts, F */
};

/* The value of constant `viscosity`; a system without it: 1 */
static PetscReal PlexDGViscousConstant(PlexDG dg)
{
  PlexDGSystem system = dg->system;
  PetscInt     at     = 0;

  for (PetscInt k = 0; k < system->nconstants; at += system->constants[k++].n)
    if (!strcmp("viscosity", system->constants[k].name)) return dg->actual[at];
  return 1.;
}

static PetscErrorCode PlexDGViscousCheck(PlexDG dg)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscCheck(dg->quadrature, comm, PETSC_ERR_SUP,
             "System %s has viscous fluxes, which are for DG with quadrature: use -plex_dg_discretization quadrature",
             dg->system->name);
  PetscCheck(dg->mesh->dim == 2, comm, PETSC_ERR_SUP,
             "Viscous fluxes are for meshes of dimension 2, and this one has %" PetscInt_FMT
             ": use a system without them, of water -plex_dg_viscosity 0",
             dg->mesh->dim);
  PetscCheck(PlexDGWaterConstant_Private(dg, "linear") <= 0., comm, PETSC_ERR_ARG_INCOMP,
             "The linear equations of water have no viscosity: use -plex_dg_viscosity 0, or -plex_dg_linear 0");
  PetscCheck(!dg->scaled || dg->system->host[PLEX_PRECISION_DOUBLE]->axes, comm, PETSC_ERR_SUP,
             "Viscous fluxes of system %s are none for the sphere, where axes turn: leave coefficient %s 1, or define "
             "PLEX_DG_VISCOUS_AXES",
             dg->system->name, dg->system->coefficients[dg->system->scale].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary condition no_slip is none without viscosity */
static PetscErrorCode PlexDGViscousCheckNone(PlexDG dg)
{
  MPI_Comm  comm   = PetscObjectComm((PetscObject)dg);
  PetscBool stands = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < dg->mesh->nfacets; ++b)
    if (!strcmp(dg->system->kinds[dg->kinds[b]], "no_slip")) stands = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &stands, 1, MPI_C_BOOL, MPI_LOR, comm));
  PetscCheck(!stands, comm, PETSC_ERR_ARG_INCOMP,
             "At walls with boundary condition no_slip viscosity stops the water, and here it has none: set "
             "-plex_dg_viscosity, or use condition wall");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Basis functions of an element at the points of its faces, [faces MG][Np] */
static PetscErrorCode PlexDGViscousSides(PlexDG dg, double **sides)
{
  PlexDGQuadrature Q = dg->quadrature;
  PlexDGReference  R = dg->reference;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(R->faces * Q->MG * R->Np, sides));
  for (PetscInt f = 0; f < R->faces; ++f)
    for (PetscInt g = 0; g < Q->MG; ++g)
      for (PetscInt m = 0; m < R->Nfp; ++m)
        (*sides)[(f * Q->MG + g) * R->Np + R->faceNodes[f * R->Nfp + m]] = Q->psi[g * R->Nfp + m];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* eta/h of each face, by the smaller of its two elements */
static PetscErrorCode PlexDGViscousPenalty(PlexDG dg, double **penalty)
{
  PlexDGMesh      mesh = dg->mesh;
  const PetscReal eta  = PLEX_VISCOUS_PENALTY * (dg->degree + 1);
  const PetscInt  own  = mesh->Ne * mesh->faces;
  PetscReal      *sent, *received;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(own, penalty));
  PetscCall(PetscMalloc2(mesh->nghosts, &sent, mesh->nghosts, &received));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) sent[g] = dg->quadrature->rate[mesh->sent[g] / mesh->faces];
  PetscCall(PetscSFBcastBegin(mesh->sf, MPIU_REAL, sent, received, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(mesh->sf, MPIU_REAL, sent, received, MPI_REPLACE));
  for (PetscInt trace = 0; trace < own; ++trace) {
    const PetscInt  link = mesh->links[trace], other = link / mesh->turns;
    const PetscReal inside = dg->quadrature->rate[trace / mesh->faces];

    (*penalty)[trace] = eta * (link < 0      ? inside
                               : other < own ? PetscMax(inside, dg->quadrature->rate[other / mesh->faces])
                                             : PetscMax(inside, received[other - own]));
  }
  PetscCall(PetscFree2(sent, received));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that stay where they are on the host, and are copied where there are kernels */
static PetscErrorCode PlexDGViscousPut(PlexDG dg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  *at = values;
  if (dg->backend->kernels) PetscCall(PlexDGUpload(dg, values, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#define PLEX_VISCOUS_PUT(member, values, n) \
  PetscCall(PlexDGViscousPut(dg, values, sizeof(*a->member) * (size_t)(n), (const void **)&a->member))

static PetscErrorCode PlexDGViscousTables(PlexDG dg, PlexDGViscous s)
{
  PlexDGQuadrature    Q         = dg->quadrature;
  PlexDGReference     R         = dg->reference;
  PlexDGMesh          mesh      = dg->mesh;
  PlexDGViscousArgs  *a         = &s->args;
  const PlexDGHost   *host      = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PlexPrecision precision = dg->precision;
  const size_t Ne = (size_t)mesh->Ne, Np = (size_t)R->Np, dim = (size_t)R->dim, point = Q->affine ? 1 : (size_t)Q->NG,
               facePoint = Q->affine ? 1 : (size_t)Q->MG;

  PetscFunctionBegin;
  PetscCall(PlexDGViscousSides(dg, &s->sides));
  PetscCall(PlexDGViscousPenalty(dg, &s->penalty));
  PetscCall(PlexDGGetMeet_Private(R, &s->meet));
  PLEX_VISCOUS_PUT(links, mesh->links, Ne * R->faces);
  PLEX_VISCOUS_PUT(kinds, dg->kinds, mesh->nfacets);
  PLEX_VISCOUS_PUT(sent, mesh->sent, mesh->nghosts);
  PLEX_VISCOUS_PUT(faceNodes, R->faceNodes, R->faces * R->Nfp);
  PLEX_VISCOUS_PUT(meet, s->meet, (R->faces + 1) * R->turns * R->Nfp);
  PLEX_VISCOUS_PUT(phi, Q->phi, Q->NG * R->Np);
  PLEX_VISCOUS_PUT(dphi, Q->dphi, R->dim * Q->NG * R->Np);
  PLEX_VISCOUS_PUT(psi, Q->psi, Q->MG * R->Nfp);
  PLEX_VISCOUS_PUT(sides, s->sides, R->faces * Q->MG * R->Np);
  PLEX_VISCOUS_PUT(weights, Q->weights, Q->NG);
  PLEX_VISCOUS_PUT(faceWeights, Q->faceWeights, Q->MG);
  PLEX_VISCOUS_PUT(C, Q->C, Ne * dim * dim * point);
  PLEX_VISCOUS_PUT(detJ, Q->detJ, Ne * point);
  PLEX_VISCOUS_PUT(normals, Q->normals, Ne * R->faces * dim * facePoint);
  PLEX_VISCOUS_PUT(Minv, Q->Minv, (Q->affine ? 1 : Ne) * Np * Np);
  PLEX_VISCOUS_PUT(penalty, s->penalty, Ne * R->faces);
  PLEX_VISCOUS_PUT(coefficients, dg->coefficients, (Ne + mesh->nghosts) * host->NK);
  PLEX_VISCOUS_PUT(constants, dg->actual, host->NC);
  dg->precision = PLEX_PRECISION_DOUBLE;
  PetscCall(PlexDGUploadVariables_Private(dg, (const void **)&a->K, (const void **)&a->KM, (const void **)&a->KP));
  dg->precision = precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGViscousCompile(PlexDG dg, PlexDGViscous s)
{
  const PlexPrecision precision = dg->precision;
  PetscErrorCode      ierr;

  PetscFunctionBegin;
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  s->threads = 8;
  while (s->threads < PLEX_VISCOUS_THREADS && s->threads < s->args.NG) s->threads *= 2;
  dg->precision = PLEX_PRECISION_DOUBLE;
  ierr          = PlexDGCompile(dg, "dg/viscous.cu", 0, NULL, &s->module);
  dg->precision = precision;
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_viscous", &s->step));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_viscous_pack", &s->pack));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGViscousCreate_Private(PlexDG dg, PlexDGViscous *viscous)
{
  const PetscInt     NV = dg->system->host[PLEX_PRECISION_DOUBLE]->NV, NS = dg->system->host[PLEX_PRECISION_DOUBLE]->NS;
  PlexDGMesh         mesh = dg->mesh;
  PlexDGReference    R    = dg->reference;
  PlexDGQuadrature   Q    = dg->quadrature;
  PlexDGViscous      s;
  PlexDGViscousArgs *a;
  size_t             n;

  PetscFunctionBegin;
  if (!NV || !(PlexDGViscousConstant(dg) > 0.)) {
    PetscCall(PlexDGViscousCheckNone(dg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGViscousCheck(dg));
  PetscCall(PetscNew(&s));
  *viscous   = s;
  a          = &s->args;
  a->Ne      = (int)mesh->Ne;
  a->nghosts = (int)mesh->nghosts;
  a->NP      = (int)R->Np;
  a->NFP     = (int)R->Nfp;
  a->NG      = (int)Q->NG;
  a->MG      = (int)Q->MG;
  a->FACES   = (int)R->faces;
  a->TURNS   = (int)mesh->turns;
  a->affine  = (int)Q->affine;
  a->single  = dg->precision == PLEX_PRECISION_SINGLE;
  a->ghosts  = dg->args.ghosts;
  a->work    = (int)(NV * (2 * R->dim * PetscMax(Q->NG, R->Np) + R->faces * Q->MG) + R->faces * Q->MG);
  a->work += (int)(NS * (Q->NG + R->Np));
  PetscCall(PlexDGSizeCheck_Private(mesh->nghosts, NV * R->dim * R->Nfp, "viscous fluxes of faces between processes"));
  PetscCall(PlexDGViscousTables(dg, s));
  n = (size_t)mesh->Ne * (size_t)(NV * R->Np);
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * (n * (size_t)(1 + R->dim) + (size_t)mesh->Ne), &s->owned));
  a->w    = (double *)s->owned;
  a->F    = a->w + n;
  a->acts = a->F + n * (size_t)R->dim;
  if (dg->exchange) {
    PetscCall(PlexDGExchangeCreate_Private(dg, NV * R->Nfp + 1, PLEX_PRECISION_DOUBLE, &s->exchange[0]));
    PetscCall(PlexDGExchangeCreate_Private(dg, NV * R->dim * R->Nfp, PLEX_PRECISION_DOUBLE, &s->exchange[1]));
    PlexDGExchangeGetArrays_Private(s->exchange[0], (void **)&a->outW, (void **)&a->inW);
    PlexDGExchangeGetArrays_Private(s->exchange[1], (void **)&a->outF, (void **)&a->inF);
  }
  PetscCall(PlexDGViscousCompile(dg, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGViscousDestroy_Private(PlexBackend backend, PlexDGViscous *viscous)
{
  PlexDGViscous s = *viscous;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&s->module));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDGExchangeDestroy_Private(&s->exchange[k]));
  PetscCall(PlexBackendFree(backend, &s->owned));
  PetscCall(PetscFree(s->sides));
  PetscCall(PetscFree(s->penalty));
  PetscCall(PetscFree(s->meet));
  PetscCall(PetscFree(*viscous));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step on the host, in threads */
typedef struct {
  const PlexDGHost         *host;
  const PlexDGViscousArgs  *args;
  const PlexDGViscousStage *stage;
  int                       step;
  atomic_llong              failed; /* there was no memory */
} PlexDGViscousRun;

static void PlexDGViscousLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGViscousRun *run  = (PlexDGViscousRun *)ctx;
  double           *work = (double *)malloc(sizeof(double) * (size_t)run->args->work);

  if (work) (*run->host->viscous)(run->args, run->stage, run->step, begin, end, work);
  else atomic_store(&run->failed, 1);
  free(work);
}

/* A step of all elements */
static PetscErrorCode PlexDGViscousStep(PlexDG dg, PlexDGViscousStage *stage, int step)
{
  PlexDGViscous    s   = dg->viscous;
  PlexDGViscousRun run = {.host  = dg->system->host[PLEX_PRECISION_DOUBLE],
                          .args  = &s->args,
                          .stage = stage,
                          .step  = step};

  PetscFunctionBegin;
  if (s->step) {
    int            threads     = (int)s->threads;
    const PetscInt elements    = PLEX_VISCOUS_THREADS / s->threads;
    void          *arguments[] = {&s->args, stage, &step, &threads};

    if (s->args.Ne)
      PetscCall(PlexKernelLaunch(s->step, (s->args.Ne + elements - 1) / elements, PLEX_VISCOUS_THREADS,
                                 sizeof(double) * (size_t)(elements * s->args.work), arguments));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  atomic_init(&run.failed, 0);
  PetscCall(PlexThreadsRun(s->args.Ne, PLEX_VISCOUS_LEAST, PlexDGViscousLoop, &run));
  PetscCheck(!atomic_load(&run.failed), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for viscous fluxes of an element");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Traces travel: of w (which 0), or of F */
static PetscErrorCode PlexDGViscousExchange(PlexDG dg, int which)
{
  PlexDGViscous s           = dg->viscous;
  void         *arguments[] = {&s->args, &which};

  PetscFunctionBegin;
  if (!s->exchange[which]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->pack) (*dg->system->host[PLEX_PRECISION_DOUBLE]->viscouspack)(&s->args, which);
  else if (s->args.nghosts)
    PetscCall(PlexKernelLaunch(s->pack, (s->args.nghosts + PLEX_VISCOUS_THREADS - 1) / PLEX_VISCOUS_THREADS,
                               PLEX_VISCOUS_THREADS, 0, arguments));
  PetscCall(PlexDGExchangePacked_Private(s->exchange[which]));
  PetscCall(PlexDGExchangeSend_Private(s->exchange[which]));
  PetscCall(PlexDGExchangeReceive_Private(s->exchange[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGViscousAdd_Private(PlexDG dg, const void *u, void *r, PetscReal factor, void *next,
                                        PetscReal weight, PetscBool isSingle)
{
  PlexDGViscousStage stage = {u, r, next, factor, weight, (int)isSingle};

  PetscFunctionBegin;
  for (int step = 0; step < PLEX_VISCOUS_STEPS; ++step) {
    PetscCall(PlexDGViscousStep(dg, &stage, step));
    if (step < PLEX_VISCOUS_RATE) PetscCall(PlexDGViscousExchange(dg, step));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
