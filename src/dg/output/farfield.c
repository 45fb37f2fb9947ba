/*
  Running Fourier transforms of the fields on a closed surface, from which farpattern.c computes the far field: where the
  state is, while a TS steps.
*/
#include "farfieldimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_FUNCTION   static inline
#define PLEX_DG_NAME(name) name##_far
#define plex_real          double
#include <dg/systems/pulse.h>

#define PLEX_DFT_THREADS 128

/* The incident wave at x = 0, of amplitude 1 */
static PetscReal PlexDGFarFieldWave(PlexDGFarField x, PetscReal t)
{
  const char *const names[PLEX_DG_PULSE] = {"frequency", "wave_phase", "wave_delay", "wave_width", "wave_ramp"};
  double            pulse[PLEX_DG_PULSE] = {0.};
  PlexDGSystem      system               = x->dg->system;

  for (PetscInt k = 0, at = 0; k < system->nconstants; at += system->constants[k++].n)
    for (int i = 0; i < PLEX_DG_PULSE; ++i)
      if (!strcmp(names[i], system->constants[k].name)) pulse[i] = x->dg->constants[at];
  return dg_pulse(t, pulse);
}

/* Weight of waiting sample k */
static PetscReal PlexDGFarFieldWeight(PlexDGFarField x, PetscInt k)
{
  const PetscReal from = k ? x->times[k - 1] : x->before, to = x->times[PetscMin(k + 1, x->count - 1)];

  return (to - from) / 2.;
}

/* sums += weights times samples, on the host */
static void PlexDGFarFieldAdd(PlexDGFarField x, PetscInt count, const double weights[])
{
  const size_t n = (size_t)x->n;

  for (PetscInt f = 0; f < x->nf; ++f) {
    double *re = &x->sums[(size_t)f * 2 * n], *im = re + n;

    for (PetscInt k = 0; k < count; ++k) {
      const double *v = &x->samples[(size_t)((x->first + k) % PLEX_DFT_PLACES) * n], *w = &weights[(k * x->nf + f) * 2];

      for (size_t i = 0; i < n; ++i) {
        re[i] += w[0] * v[i];
        im[i] += w[1] * v[i];
      }
    }
  }
}

PetscErrorCode PlexDGFarFieldFlush_Private(PlexDGFarField x)
{
  const PetscInt count = x->count - 1;
  double        *weights;

  PetscFunctionBegin;
  if (count < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(2 * count * x->nf, &weights));
  for (PetscInt k = 0; k < count; ++k) {
    const PetscReal weight = PlexDGFarFieldWeight(x, k), wave = PlexDGFarFieldWave(x, x->times[k]);

    for (PetscInt f = 0; f < x->nf; ++f) {
      double *w = &weights[(k * x->nf + f) * 2];

      w[0] = weight * PetscCosReal(x->frequencies[f] * x->times[k]);
      w[1] = weight * PetscSinReal(x->frequencies[f] * x->times[k]);
      for (int c = 0; c < 2; ++c) x->spectrum[2 * f + c] += w[c] * wave;
    }
  }
  if (x->dft && x->n) {
    int   n = (int)x->n, nf = (int)x->nf, ncount = (int)count, first = (int)x->first, places = PLEX_DFT_PLACES;
    void *arguments[] = {&x->samples, &x->weights, &x->sums, &n, &nf, &ncount, &first, &places};

    PetscCall(PlexBackendCopyIn(x->backend, x->weights, weights, sizeof(double) * (size_t)(2 * count * x->nf)));
    PetscCall(PlexKernelLaunch(x->dft, (n + PLEX_DFT_THREADS - 1) / PLEX_DFT_THREADS, PLEX_DFT_THREADS, 0, arguments));
  } else if (x->n) PlexDGFarFieldAdd(x, count, weights);
  PetscCall(PetscFree(weights));
  x->before   = x->times[count - 1];
  x->times[0] = x->times[count];
  x->first    = (x->first + count) % PLEX_DFT_PLACES;
  x->count    = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFarFieldCheck_Private(PlexDGFarField x)
{
  PetscFunctionBegin;
  PetscCheck(x->resets == x->dg->resets, PetscObjectComm((PetscObject)x->dg), PETSC_ERR_ARG_WRONGSTATE,
             "The operator has been changed since the far field was made: destroy that and make it again, "
             "PlexDGFarFieldCreate()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFarFieldGetSums_Private(PlexDGFarField x, double sums[], PetscReal spectrum[])
{
  const size_t n = (size_t)x->n;
  double      *last;

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldCheck_Private(x));
  PetscCall(PlexDGFarFieldFlush_Private(x));
  if (spectrum) PetscCall(PetscArraycpy(spectrum, x->spectrum, 2 * x->nf));
  if (sums && n) PetscCall(PlexBackendCopyOut(x->backend, sums, x->sums, sizeof(double) * 2 * n * (size_t)x->nf));
  if (!x->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &last));
  if (sums && n) PetscCall(PlexBackendCopyOut(x->backend, last, x->samples + (size_t)x->first * n, sizeof(double) * n));
  for (PetscInt f = 0; f < x->nf; ++f) {
    const PetscReal weight = PlexDGFarFieldWeight(x, 0), wave = PlexDGFarFieldWave(x, x->times[0]);
    const PetscReal w[2] = {weight * PetscCosReal(x->frequencies[f] * x->times[0]),
                            weight * PetscSinReal(x->frequencies[f] * x->times[0])};

    for (int c = 0; c < 2; ++c) {
      if (spectrum) spectrum[2 * f + c] += w[c] * wave;
      for (size_t i = 0; sums && i < n; ++i) sums[((size_t)f * 2 + (size_t)c) * n + i] += w[c] * last[i];
    }
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldSample - Takes a state's fields on the surface into the Fourier transforms

  Collective

  Input Parameters:
+ x - the far field
. t - the time, later than that of the sample before; the same one is not taken twice, an earlier one begins a new run
- U - the state

  Level: intermediate

  Note:
  The integrals over time are sums by the trapezoidal rule, which for pulses that have passed are as exact as the samples
  are dense: more than two for each period of any frequency that the fields have. `PlexDGFarFieldSetTS()` takes them
  while a `TS` steps.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldSetTS()`, `PlexDGFarFieldReset()`
@*/
PetscErrorCode PlexDGFarFieldSample(PlexDGFarField x, PetscReal t, Vec U)
{
  PlexDG   dg = x->dg;
  PetscInt place;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(U, VEC_CLASSID, 3);
  PetscCall(PlexDGFarFieldCheck_Private(x));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  if (t < x->start) PetscFunctionReturn(PETSC_SUCCESS);
  if (x->count && t == x->times[x->count - 1]) PetscFunctionReturn(PETSC_SUCCESS);
  if (x->count && t < x->times[x->count - 1]) PetscCall(PlexDGFarFieldReset(x));
  if (x->count == PLEX_DFT_PLACES) PetscCall(PlexDGFarFieldFlush_Private(x));
  if (!x->count) x->before = t;
  place                = (x->first + x->count) % PLEX_DFT_PLACES;
  x->times[x->count++] = t;
  ++x->total;
  if (!x->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  {
    const double *u   = dg->arrayU.array;
    double       *out = x->samples + (size_t)place * (size_t)x->n;
    int           n = (int)x->n, Nf = (int)dg->system->Nf, Np = (int)dg->reference->Np, Nfp = (int)dg->reference->Nfp,
                  faces = (int)dg->mesh->faces, single = 0, half = 0;
    long long     values = n;
    void *arguments[] = {(void *)&u, &out, &x->traces, &x->faceNodes, &values, &Nf, &Np, &Nfp, &faces, &single, &half};

    if (x->pack)
      PetscCall(PlexKernelLaunch(x->pack, (n + PLEX_DFT_THREADS - 1) / PLEX_DFT_THREADS, PLEX_DFT_THREADS, 0,
                                 arguments));
    for (int k = 0; !x->pack && k < n; ++k) {
      const int trace = x->traces[k / Nfp / Nf];

      out[k] = u[((size_t)(trace / faces) * (size_t)Nf + (size_t)(k / Nfp % Nf)) * (size_t)Np +
                 (size_t)x->faceNodes[trace % faces * Nfp + k % Nfp]];
    }
  }
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldReset - Forgets the samples taken so far

  Collective

  Input Parameter:
. x - the far field

  Level: intermediate

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldSample()`
@*/
PetscErrorCode PlexDGFarFieldReset(PlexDGFarField x)
{
  PetscFunctionBegin;
  x->first = x->count = x->total = 0;
  PetscCall(PetscArrayzero(x->spectrum, 2 * x->nf));
  if (x->n) PetscCall(PlexBackendZero(x->backend, x->sums, sizeof(double) * 2 * (size_t)x->nf * (size_t)x->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarFieldCheckSystem(PlexDG dg)
{
  MPI_Comm     comm   = PetscObjectComm((PetscObject)dg);
  PlexDGSystem system = dg->system;
  PetscBool    maxwell;

  PetscFunctionBegin;
  maxwell = (PetscBool)(system->Nf == 6 && !strcmp(system->fields[0], "Ex") && !strcmp(system->fields[5], "Hz") &&
                        system->ncoefficients >= 2 && !strcmp(system->coefficients[0].name, "epsilon") &&
                        !strcmp(system->coefficients[1].name, "mu"));
  PetscCheck(maxwell, comm, PETSC_ERR_SUP,
             "The far field is that of Maxwell's equations, and the operator has system %s: leave -plex_dg_farfield "
             "out",
             system->name);
  PetscCheck(system->dim == 3, comm, PETSC_ERR_SUP,
             "The far field is that of surfaces in three dimensions, and the mesh has %" PetscInt_FMT
             ": leave -plex_dg_farfield out, or extrude the mesh",
             system->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays and kernels */
static PetscErrorCode PlexDGFarFieldAllocate(PlexDGFarField x)
{
  PlexDG          dg = x->dg;
  PlexDGReference R  = dg->reference;
  const size_t    n  = (size_t)x->n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * x->nf, &x->spectrum));
  PetscCall(PlexDGIntCheck_Private(x->surface.n, dg->system->Nf * R->Nfp, "values on the surface of a far field"));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendUpload(dg->backend, x->surface.traces, sizeof(int) * (size_t)x->surface.n, (void **)&x->traces));
  PetscCall(PlexBackendUpload(dg->backend, R->faceNodes, sizeof(int) * (size_t)(R->faces * R->Nfp),
                              (void **)&x->faceNodes));
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * PLEX_DFT_PLACES * n, (void **)&x->samples));
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * 2 * PLEX_DFT_SAMPLES * (size_t)x->nf,
                              (void **)&x->weights));
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * 2 * n * (size_t)x->nf, (void **)&x->sums));
  PetscCall(PlexDGFarFieldReset(x));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/traces.cu", &x->module[0]));
  PetscCall(PlexModuleGetKernel(x->module[0], "plex_dg_pack", &x->pack));
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/farfield.cu", &x->module[1]));
  PetscCall(PlexModuleGetKernel(x->module[1], "plex_dg_dft", &x->dft));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets have the same kind of field on both sides: none of them lies on the surface of the total field */
static PetscErrorCode PlexDGFarFieldCheckTotal(PlexDGFarField x)
{
  PlexDG        dg = x->dg;
  PlexDGSurface total;
  int           common = 0;

  PetscFunctionBegin;
  if (!dg->totalLabel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSurfaceCreate_Private(dg, dg->totalLabel, dg->totalValue, "The surface of the total field", &total));
  for (PetscInt a = 0, b = 0; a < x->surface.n && b < total.n;) {
    common = common || x->surface.traces[a] == total.traces[b];
    if (x->surface.traces[a] <= total.traces[b]) ++a;
    else ++b;
  }
  PetscCall(PlexDGSurfaceDestroy_Private(&total));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &common, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCheck(!common, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "The far field's surface, label %s, has facets of the surface of the total field, label %s, whose sides "
             "differ "
             "by the wave: take one inside or outside of it",
             x->label, dg->totalLabel);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nor on a thin sheet, where tangential H is not the same on both sides */
static PetscErrorCode PlexDGFarFieldCheckSheets(PlexDGFarField x)
{
  PlexDG     dg     = x->dg;
  int        common = 0;
  PetscReal *G;

  PetscFunctionBegin;
  if (!dg->nsheets) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(dg->mesh->Ne * dg->mesh->faces, &G));
  PetscCall(PlexDGSheetsGetFacets_Private(dg, G));
  for (PetscInt s = 0; s < x->surface.n; ++s) common = common || G[x->surface.traces[s]] > 0.;
  PetscCall(PetscFree(G));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &common, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCheck(!common, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "The far field's surface, label %s, has facets of a thin sheet (PlexDGAddSheet(), -plex_dg_sheet), whose "
             "sides differ by its current: take one around it",
             x->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a boundary, or the surface of a total field, has the incident wave */
static PetscErrorCode PlexDGFarFieldFindWave(PlexDG dg, PetscBool *wave)
{
  PetscInt *count;

  PetscFunctionBegin;
  *wave = (PetscBool)!!dg->totalLabel;
  PetscCall(PetscMalloc1(dg->system->nkinds, &count));
  PetscCall(PlexDGConditionsCount_Private(dg, count));
  for (PetscInt k = 0; k < dg->system->nkinds; ++k)
    if (count[k] && (!strcmp(dg->system->kinds[k], "incident") || !strcmp(dg->system->kinds[k], "scatterer")))
      *wave = PETSC_TRUE;
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldCreate - Creates what transforms the fields on a closed surface in time, at any number of frequencies, and
  from them computes the far field

  Collective

  Input Parameters:
+ dg          - the operator, of `maxwell` in three dimensions
. label       - a label of the mesh
. value       - its value; `PETSC_DETERMINE` for any
. nf          - number of frequencies
- frequencies - [nf] angular, more than 0

  Output Parameter:
. farfield - the far field

  Level: intermediate

  Notes:
  Where the label holds cells, the surface is what lies between these and other cells. Else it is the facets that the
  label holds, inside the mesh or on its boundary, such as a physical surface of Gmsh. The surface is closed, does not
  touch two materials, and that around it does not conduct; all that scatters or radiates lies inside. Fields on it may be
  the total or the scattered ones.

  Facets inside the mesh are seen from both sides, with the mean or, where constant alpha is not 0, upwind fields that the
  numerical flux has. On the boundary they are those of the element.

  The operator may not be changed while this exists. Checkpoints of the operator have the sums.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldSetTS()`, `PlexDGFarFieldSample()`,
         `PlexDGFarFieldGetCrossSections()`, `PlexDGFarFieldGetAmplitudes()`, `PlexDGFarFieldWrite()`,
         `PlexDGFarFieldDestroy()`, `PlexDGMonitorFarField()`
@*/
PetscErrorCode PlexDGFarFieldCreate(PlexDG dg, const char label[], PetscInt value, PetscInt nf,
                                    const PetscReal frequencies[], PlexDGFarField *farfield)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDGFarField x;
  PetscReal      material[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(label, 2);
  PetscAssertPointer(farfield, 6);
  *farfield = NULL;
  PetscCheck(nf > 0 && nf <= PLEX_DFT_FREQUENCIES, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "A far field has 1 to %d frequencies, not %" PetscInt_FMT
             ": see -plex_dg_farfield_frequencies, or make several far fields",
             PLEX_DFT_FREQUENCIES, nf);
  for (PetscInt f = 0; f < nf; ++f)
    PetscCheck(frequencies[f] > 0. && frequencies[f] < PETSC_INFINITY, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "Frequency %g of the far field is not more than 0: see -plex_dg_farfield_frequencies",
               (double)frequencies[f]);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGFarFieldCheckSystem(dg));
  PetscCall(PetscNew(&x));
  *farfield = x;
  PetscCall(PetscObjectReference((PetscObject)dg));
  PetscCall(PetscObjectReference((PetscObject)dg->backend));
  x->dg      = dg;
  x->resets  = dg->resets;
  x->backend = dg->backend;
  x->value   = value;
  x->nf      = nf;
  x->every   = 1;
  x->angles  = 91;
  x->start   = PETSC_MIN_REAL;
  PetscCall(PetscStrallocpy(label, &x->label));
  PetscCall(PetscMalloc1(nf, &x->frequencies));
  PetscCall(PetscArraycpy(x->frequencies, frequencies, nf));
  PetscCall(PlexDGSurfaceCreate_Private(dg, label, value, "The far field's surface", &x->surface));
  PetscCheck(x->surface.closed, comm, PETSC_ERR_ARG_WRONG,
             "The far field's surface, label %s of %" PetscInt_FMT
             " facets, is not closed: the vectors of its facets' areas do not have the sum 0. Take a surface all "
             "around "
             "what scatters or radiates",
             label, x->surface.nfacets);
  PetscCall(PlexDGSurfaceGetMaterial_Private(dg, &x->surface, "The far field's surface", material));
  PetscCall(PlexDGFarFieldCheckTotal(x));
  PetscCall(PlexDGFarFieldCheckSheets(x));
  x->epsilon = material[0];
  x->mu      = material[1];
  x->n       = x->surface.n * dg->system->Nf * dg->reference->Nfp;
  PetscCall(PlexDGFarFieldFindWave(dg, &x->wave));
  PetscCall(PlexDGFarFieldAllocate(x));
  x->next       = dg->farfields;
  dg->farfields = x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldDestroy - Destroys a far field

  Collective

  Input Parameter:
. farfield - the far field; set to `NULL`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGFarFieldCreate()`
@*/
PetscErrorCode PlexDGFarFieldDestroy(PlexDGFarField *farfield)
{
  PlexDGFarField x = *farfield, *at;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  for (at = &x->dg->farfields; *at && *at != x;) at = &(*at)->next;
  if (*at) *at = x->next;
  for (int k = 0; k < 2; ++k) PetscCall(PlexModuleDestroy(&x->module[k]));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->traces));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->faceNodes));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->samples));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->weights));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->sums));
  PetscCall(PlexDGSurfaceDestroy_Private(&x->surface));
  PetscCall(PetscFree(x->label));
  PetscCall(PetscFree(x->frequencies));
  PetscCall(PetscFree(x->spectrum));
  PetscCall(PlexBackendDestroy(&x->backend));
  PetscCall(PlexDGDestroy(&x->dg));
  PetscCall(PetscFree(*farfield));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A TS takes the samples */

PetscErrorCode PlexDGFarFieldSee_Private(PlexDGFarField x, TS ts, PetscInt step, PetscReal t, Vec U)
{
  TSExactFinalTimeOption final;
  PetscReal              end;

  PetscFunctionBegin;
  PetscCall(TSGetExactFinalTime(ts, &final));
  PetscCall(TSGetMaxTime(ts, &end));
  /* one beyond the end of the run, where TSInterpolate() makes the last one out of it: step -1 */
  if (step >= 0 && final == TS_EXACTFINALTIME_INTERPOLATE && t > end) PetscFunctionReturn(PETSC_SUCCESS);
  if (!step) PetscCall(PlexDGFarFieldReset(x));
  if (step < 0 || step % x->every == 0) PetscCall(PlexDGFarFieldSample(x, t, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarFieldMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldSee_Private((PlexDGFarField)ctx, ts, step, t, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldSetTS - Has a `TS` take the samples of a far field while it steps

  Collective

  Input Parameters:
+ x     - the far field, which has to live as long as `ts` steps
. ts    - the time stepper, which was given the operator
. every - steps from one sample to the next, 1 or more
- start - samples before this time are left out; `PETSC_MIN_REAL` for all

  Level: intermediate

  Note:
  A run that begins at step 0 begins with no samples.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldSample()`, `PlexDGMonitorFarField()`
@*/
PetscErrorCode PlexDGFarFieldSetTS(PlexDGFarField x, TS ts, PetscInt every, PetscReal start)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscCheck(every >= 1, PetscObjectComm((PetscObject)x->dg), PETSC_ERR_ARG_OUTOFRANGE,
             "A far field has a sample every 1 steps or more, not %" PetscInt_FMT ": see -plex_dg_farfield", every);
  x->every = every;
  x->start = start;
  PetscCall(TSMonitorSet(ts, PlexDGFarFieldMonitor, x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
