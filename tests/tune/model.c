static char help[] = "The cost model: it grows with what it depends on, agrees with the plans, and chooses well where "
                     "times were measured.\n"
                     "  -archive FILE : only write the measured times as an archive, for benchmarks/model and "
                     "benchmarks/tuning.py\n\n";

#include <plexgpu/private/tuneimpl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include "model-spaces.h"
#include <sys/stat.h>
#include <unistd.h>

static const char *const Types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                    PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                    PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

/* Times on an NVIDIA H200: the record of 2026-11-21 in docs/performance.md. Flops of a quadrature point, row and entry,
   residual then Jacobian, and team sizes are what PlexGPU has for these elements and forms; milliseconds by type in the
   order above */
typedef struct {
  const char *cell, *what;
  PetscInt    dim, degree;
  double      Ne, Nl, nonzeros, ef, Nv, Nq, team[2], flops[2][3], ms[2][TYPES];
} Case;

static const Case Record[] = {
  {"triangle",
   "heat",       2,
   1, 5177344,
   2587260,  18095440,
   3,  3,
   3,  {1, 1},
   {{87, 18, 18}, {113, 48, 36}},
   {{0.4685, 0.1716, 0.3359, 0.3801, 0.4024, 0.3924, 0.3072, 0.3568},
    {1.98, 0.5273, 0.9067, 1.286, 0.5889, 0.896, 0.5083, 0.5404}}                                                     },
  {"triangle",
   "heat",       2,
   2, 20709376,
   41413116, 476083066,
   6,  3,
   6,  {1, 1},
   {{105, 36, 36}, {131, 132, 72}},
   {{3.776, 1.208, 2.589, 3.055, 2.944, 5.001, 4.637, 5.29}, {42.17, 10.81, 17.96, 24.84, 13.82, 20.06, 18.06, 10.09}}},
  {"triangle",
   "heat",       2,
   3, 5177344,
   23293820, 395762042,
   10, 3,
   12, {8, 8},
   {{129, 72, 72}, {155, 360, 144}},
   {{6.938, 6.663, 7.438, 7.584, 13.99, 14.95, 24.03, 15.67}, {18.7, 10.22, 20.36, 13.44, 23.43, 34.85, 47.07, 25.41}}},
  {"triangle",
   "heat",       2,
   4, 5177344,
   41413116, 972718672,
   15, 3,
   16, {8, 16},
   {{159, 96, 96}, {185, 640, 192}},
   {{13.06, 12.54, 15.41, 15.66, 28.18, 30.94, 72.79, 49.94}, {36.1, 19.81, 38.96, 24.43, 55.91, 65.35, 152.2, 45.42}}},
  {"triangle",
   "heat",       2,
   5, 1294336,
   16175676, 501005116,
   21, 3,
   25, {16, 32},
   {{195, 150, 150}, {221, 1300, 300}},
   {{13.08, 12.74, 13.35, 13.48, 33.03, 39.41, 61.91, 35.78},
    {17.22, 13.28, 21.29, 20.12, 46.39, 56.27, 124.9, 33.17}}                                                         },
  {"tetrahedron",
   "heat",       3,
   1, 7450624,
   1257454,  18451104,
   4,  4,
   4,  {1, 1},
   {{220, 32, 32}, {320, 132, 96}},
   {{1.129, 0.3836, 0.7934, 1.359, 2.487, 1.937, 1.679, 1.675},
    {6.589, 1.323, 2.226, 6.114, 2.634, 5.033, 2.106, 2.831}}                                                         },
  {"tetrahedron",
   "heat",       3,
   2, 7450624,
   9997022,  283088218,
   10, 4,
   14, {8, 8},
   {{268, 112, 112}, {368, 714, 336}},
   {{16.08, 14.75, 16.43, 16.88, 71.68, 68.06, 70.28, 74.61},
    {44.35, 28.57, 39.46, 33.94, 112.5, 172.6, 101.7, 160.3}}                                                         },
  {"tetrahedron",
   "heat",       3,
   3, 931328,
   4226310,  200329188,
   20, 4,
   24, {16, 32},
   {{348, 192, 192}, {448, 1944, 576}},
   {{12.42, 11.2, 11.61, 11.58, 78.59, 69.14, 75.3, 92.08}, {19.26, 16.37, 23.18, 19.47, 88.73, 120.9, 97.59, 58.1}}  },
  {"tetrahedron",
   "heat",       3,
   4, 931328,
   9997022,  738569718,
   35, 4,
   46, {32, 32},
   {{468, 368, 368}, {568, 5796, 1104}},
   {{74.83, 71.55, 73.24, 73.28, 822.1, 855, 475.2, 608.6}, {86.73, 64.13, 83.37, 77.06, 424.5, 437.3, 638, 581.6}}   },
  {"quadrilateral",
   "heat",       2,
   1, 1000000,
   1000000,  8988004,
   4,  4,
   4,  {1, 1},
   {{105, 24, 24}, {131, 72, 48}},
   {{0.07942, 0.0438, 0.08718, 0.08827, 0.1206, 0.1124, 0.1542, 0.1848},
    {0.5041, 0.2166, 0.2012, 0.323, 0.2473, 0.445, 0.3602, 0.1957}}                                                   },
  {"quadrilateral",
   "heat",       2,
   2, 250000,
   1000000,  15968016,
   9,  4,
   9,  {8, 8},
   {{135, 54, 54}, {161, 252, 108}},
   {{0.2735, 0.2475, 0.2881, 0.2865, 0.6804, 0.6198, 0.8383, 0.9155},
    {0.8329, 0.4132, 0.8143, 0.5543, 0.8776, 1.026, 2.213, 0.8924}}                                                   },
  {"hexahedron",
   "heat",       3,
   1, 884736,
   893855,   23636443,
   8,  8,
   8,  {4, 8},
   {{348, 64, 64}, {448, 360, 192}},
   {{0.8346, 0.7104, 0.8876, 0.883, 2.743, 2.695, 1.369, 1.363},
    {2.405, 2.116, 2.666, 2.325, 5.319, 6.153, 4.798, 4.265}}                                                         },
  {"hexahedron",
   "heat",       3,
   2, 64000,
   518319,   32045751,
   27, 8,
   27, {16, 32},
   {{500, 216, 216}, {600, 2754, 648}},
   {{1.504, 1.21, 1.529, 1.532, 9.371, 8.756, 6.457, 15.29}, {2.517, 1.739, 2.686, 2.071, 7.256, 7.718, 26.24, 5.375}}},
  {"tetrahedron",
   "elasticity", 3,
   1, 931328,
   497160,   21451590,
   12, 4,
   4,  {8, 8},
   {{372, 32, 32}, {1428, 372, 96}},
   {{1.511, 0.7668, 0.9586, 0.942, 3.326, 3.06, 1.499, 1.589},
    {6.477, 2.996, 3.079, 2.866, 11.9, 15.57, 44.34, 14.37}}                                                          },
  {"triangle",
   "morton",     2,
   1, 1294336,
   646460,   4517520,
   3,  3,
   3,  {1, 1},
   {{87, 18, 18}, {113, 48, 36}},
   {{0.0987, 0.0403, 0.07792, 0.06301, 0.1076, 0.1009, 0.08771, 0.09457},
    {0.2819, 0.1341, 0.1362, 0.2039, 0.1505, 0.2445, 0.1387, 0.1519}}                                                 },
};
#define CASES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Record))

/* Jacobians by tensors, of the same day's record of them: the types that it names; 0: another one, or not measured.
   Flops, by tensors, and dofs an element are PlexGPU's, the sizes of the residual do not matter here. local_row turns
   elements but of hexahedra of order 2. "all": the first table of that section, but for local_row, whose kernels have
   been made anew since */
static const Case Tensors[] = {
  {"triangle",
   "heat by tensors",            2,
   1, 8863744,
   4429500, 30992658,
   3,  3,
   1, {1, 1},
   {{87, 18, 18}, {113, 12, 6}},
   {{0}, {0, 0.9123, 0, 0, 0, 0, 0.8414, 0.35}}                   },
  {"triangle",
   "heat by tensors",            2,
   2, 553984,
   1107900, 12705408,
   6,  3,
   1, {1, 1},
   {{105, 36, 36}, {131, 21, 6}},
   {{0}, {0, 0.4093, 0, 0, 0.4161, 0, 0, 0.1494}}                 },
  {"tetrahedron",
   "heat by tensors",            3,
   1, 7450624,
   1257454, 18451104,
   4,  4,
   1, {1, 1},
   {{220, 32, 32}, {320, 30, 12}},
   {{0}, {0, 1.326, 0, 0, 0, 0, 0, 0.4319}}                       },
  {"tetrahedron",
   "heat by tensors",            3,
   2, 931328,
   1249600, 35061418,
   10, 4,
   1, {8, 1},
   {{268, 112, 112}, {368, 66, 12}},
   {{0}, {0, 2.282, 2.026, 0, 0, 0, 0, 0.5001}}                   },
  {"tetrahedron",
   "heat by tensors",            3,
   3, 116416,
   528300,  24631256,
   20, 4,
   1, {16, 32},
   {{348, 192, 192}, {448, 126, 12}},
   {{0}, {0, 0.5916, 0, 0.7178, 0, 0, 0, 0.3307}}                 },
  {"tetrahedron",
   "elasticity by tensors",      3,
   1, 931328,
   497160,  21451590,
   12, 4,
   1, {8, 8},
   {{372, 32, 32}, {1428, 117, 18}},
   {{0}, {0, 1.361, 0, 1.851, 0, 0, 0, 0.7217}}                   },
  {"hexahedron",
   "heat by tensors",            3,
   1, 1404928,
   1417359, 37591339,
   8,  8,
   1, {4, 1},
   {{348, 64, 64}, {448, 54, 12}},
   {{0}, {0, 1.883, 0, 1.042, 0, 0, 0, 0.392}}                    },
  {"hexahedron",
   "heat by tensors",            3,
   2, 262144,
   2113407, 132374007,
   27, 8,
   1, {16, 32},
   {{500, 216, 216}, {600, 168, 12}},
   {{0}, {0, 2.811, 0, 2.649, 0, 0, 0, 5.086}}                    },
  {"triangle",
   "heat by tensors, all",       2,
   1, 5177344,
   2587260, 18095440,
   3,  3,
   1, {1, 1},
   {{87, 18, 18}, {113, 12, 6}},
   {{0}, {2.371, 0.5695, 0.8698, 1.284, 0.585, 0.8905, 0.4572, 0}}},
  {"triangle",
   "heat by tensors, all",       2,
   2, 1294336,
   2592509, 29652968,
   6,  3,
   1, {1, 1},
   {{105, 36, 36}, {131, 21, 6}},
   {{0}, {2.084, 1.064, 1.155, 1.631, 0.9397, 1.359, 1.189, 0}}   },
  {"tetrahedron",
   "heat by tensors, all",       3,
   1, 7450624,
   1257454, 18451104,
   4,  4,
   1, {1, 1},
   {{220, 32, 32}, {320, 30, 12}},
   {{0}, {6.616, 1.334, 2.19, 6.11, 2.578, 4.962, 1.542, 0}}      },
  {"tetrahedron",
   "heat by tensors, all",       3,
   2, 931328,
   1249600, 35061418,
   10, 4,
   1, {8, 1},
   {{268, 112, 112}, {368, 66, 12}},
   {{0}, {6.324, 2.291, 2.03, 2.747, 1.611, 4.172, 1.285, 0}}     },
  {"tetrahedron",
   "heat by tensors, all",       3,
   3, 116416,
   528300,  24631256,
   20, 4,
   1, {16, 32},
   {{348, 192, 192}, {448, 126, 12}},
   {{0}, {1.863, 0.596, 1.123, 0.7195, 2.841, 4.494, 5.495, 0}}   },
  {"tetrahedron",
   "heat by tensors, all",       3,
   4, 116416,
   1249600, 90000000,
   35, 4,
   1, {32, 32},
   {{468, 368, 368}, {568, 216, 12}},
   {{0}, {4.342, 2.293, 3.341, 2.596, 7.672, 9.884, 0, 0}}        },
  {"tetrahedron",
   "elasticity by tensors, all", 3,
   1, 931328,
   497160,  21451590,
   12, 4,
   1, {8, 8},
   {{372, 32, 32}, {1428, 117, 18}},
   {{0}, {4.442, 1.378, 2.058, 1.853, 4.657, 6.37, 20.58, 0}}     },
  {"tetrahedron",
   "elasticity by tensors, all", 3,
   2, 116416,
   490000,  37500000,
   30, 4,
   1, {16, 32},
   {{516, 80, 80}, {1572, 279, 18}},
   {{0}, {3.376, 1.246, 2.026, 1.665, 5.018, 6.019, 23.4, 0}}     }
};
#define TENSORS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Tensors))

#define SPACES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Spaces))
#define ALL    (CASES + TENSORS + SPACES)

/* Of all cases that are written with their sizes */
static const Case *GetCase(PetscInt k)
{
  return k < CASES ? &Record[k] : &Tensors[k - CASES];
}

static PetscBool ByTensors(const Case *c)
{
  return (PetscBool)(c >= Tensors && c < Tensors + TENSORS);
}

static const PlexModelRates H200 = {4.26e12, 33.5e12, 1e12};

/* Coordinate nodes of a large mesh; tetrahedra: as in the mesh that was measured */
static double Nodes(const Case *c)
{
  const double around = c->Nv == 3 ? 2.0 : c->dim == 3 && c->Nv == 4 ? 5.9 : 1.0; /* elements a node */

  return c->Ne / around;
}

static PlexModelInput Input(const Case *c, PetscInt kind)
{
  PlexModelInput in = {.kind      = kind,
                       .dim       = c->dim,
                       .Ne        = c->Ne,
                       .Nx        = Nodes(c),
                       .Nl        = c->Nl,
                       .Nt        = kind ? c->nonzeros : c->Nl,
                       .ef        = c->ef,
                       .Nv        = c->Nv,
                       .Nq        = c->Nq,
                       .symmetric = kind,
                       .team      = c->team[kind],
                       .real      = 8.0};

  in.flopsPoint = c->flops[kind][0];
  in.flopsRow   = c->flops[kind][1];
  in.flopsEntry = c->flops[kind][2];
  in.tensor     = kind && ByTensors(c);
  in.turned     = in.tensor && !(c->Nv == 8 && c->ef == 27);
  return in;
}

/* ---- The record as an archive, and the model's choices */

static PetscErrorCode FillResult(const char cell[], const char what[], const char space[], PetscBool tensor,
                                 const double ms[2][TYPES], PlexTuneResult *r)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  PetscCall(PetscStrncpy(r->problem.device, "NVIDIA H200", sizeof(r->problem.device)));
  PetscCall(PetscStrncpy(r->problem.backend, "cuda", sizeof(r->problem.backend)));
  PetscCall(PetscStrncpy(r->problem.precision, "double", sizeof(r->problem.precision)));
  PetscCall(PetscStrncpy(r->problem.cell, cell, sizeof(r->problem.cell)));
  PetscCall(PetscStrncpy(r->problem.space, space, sizeof(r->problem.space)));
  PetscCall(PetscStrncpy(r->problem.form, what, sizeof(r->problem.form)));
  PetscCall(PetscStrncpy(r->date, "2026-11-21", sizeof(r->date)));
  r->processes = 1;
  r->mode      = PLEX_TUNE_QUICK;
  r->rates     = H200;
  r->n         = TYPES;
  PetscCall(PetscCalloc1(TYPES, &r->candidates));
  for (PetscInt k = 0; k < TYPES; ++k) {
    PlexCandidate *candidate = &r->candidates[k];

    PetscCall(PetscStrncpy(candidate->type, Types[k], sizeof(candidate->type)));
    PetscCall(PetscStrncpy(candidate->integration, tensor ? "tensor" : "quadrature", sizeof(candidate->integration)));
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      candidate->seconds[kind] = 1e-3 * ms[kind][k];
      if (ms[kind][k] > 0) r->products |= 1 << kind;
    }
    candidate->state = candidate->seconds[0] + candidate->seconds[1] > 0 ? PLEX_CANDIDATE_MEASURED
                                                                         : PLEX_CANDIDATE_SKIPPED;
    r->measured += candidate->state == PLEX_CANDIDATE_MEASURED;
  }
  r->skipped = r->n - r->measured;
  r->best    = -1;
  for (PetscInt products = r->products; products > 0 && r->best < 0; --products)
    PetscCall(PlexTuneResultGetBest(r, products, &r->best));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateResult(const Case *c, PlexTuneResult *r)
{
  char space[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(space, sizeof(space), "%d dofs, %d points", (int)c->ef, (int)c->Nq));
  PetscCall(FillResult(c->cell, c->what, space, ByTensors(c), c->ms, r));
  r->degree = c->degree;
  r->mesh   = (PlexTuneMesh){c->Ne, c->Nl / c->Ne, c->nonzeros / c->Nl};
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    if (r->products & (1 << kind)) r->input[kind] = Input(c, kind);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all records */
static PetscErrorCode CreateAny(PetscInt k, PlexTuneResult *r)
{
  const Space *s = &Spaces[PetscMax(0, k - CASES - TENSORS)];
  char         space[64];

  PetscFunctionBegin;
  if (k < CASES + TENSORS) {
    PetscCall(CreateResult(GetCase(k), r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(space, sizeof(space), "%d dofs, as tuned", (int)s->input[1].ef));
  PetscCall(FillResult(s->cell, s->what, space, (PetscBool)(s->input[1].tensor > 0), s->ms, r));
  r->degree = s->degree;
  r->mesh   = (PlexTuneMesh){s->elements, s->dofs, s->rowLength};
  PetscCall(PetscArraycpy(r->input, s->input, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteArchive(const char path[])
{
  PlexTuneResult r;
  char           kept[PETSC_MAX_PATH_LEN];
  PetscBool      written;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < ALL; ++k) {
    PetscCall(CreateAny(k, &r));
    PetscCall(PlexArchiveAdd(path, &r, kept, &written));
    PetscCheck(written && !kept[0], PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", path);
    PetscCall(PetscFree(r.candidates));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtChoice(PlexTuneResult *r, PlexProductKind kind)
{
  const char *pick, *best, *what = kind == PLEX_JACOBIAN ? "Jacobian" : "residual";
  double      ratio;
  char        name[256];

  PetscFunctionBegin;
  if (!(r->products & (1 << kind)) || strstr(r->problem.form, ", all")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneResultJudgeModel(r, kind, &pick, &best, &ratio, NULL));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s, order %" PetscInt_FMT ", %s, %.0f elements, %s: the choice is within 25 %% of the best",
                          r->problem.cell, r->degree, r->problem.form, r->mesh.elements, what));
  PetscCall(PlexTestReport((PetscBool)(pick && ratio <= 1.25), name, "%s takes %g times what %s does", pick, ratio,
                           best));
  if (r->products == 2 || strstr(r->problem.space, "as tuned")) PetscFunctionReturn(PETSC_SUCCESS);
  /* without the type that is the best nearly everywhere there is more to choose */
  r->candidates[1].state = PLEX_CANDIDATE_SKIPPED;
  PetscCall(PlexTuneResultJudgeModel(r, kind, &pick, &best, &ratio, NULL));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s, order %" PetscInt_FMT
                          ", %s, %.0f elements, %s: the choice without %s is within 30 %% of the best",
                          r->problem.cell, r->degree, r->problem.form, r->mesh.elements, what, Types[1]));
  PetscCall(PlexTestReport((PetscBool)(pick && ratio <= 1.3), name, "%s takes %g times what %s does", pick, ratio,
                           best));
  r->candidates[1].state = PLEX_CANDIDATE_MEASURED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtArchive(void)
{
  char             path[PETSC_MAX_PATH_LEN], name[256];
  PlexTuneResult  *results, found;
  PlexArchiveState state;
  PetscInt         n, wrong = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/plexgpu-model-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(path), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", path);
  PetscCall(PetscStrncpy(name, path, sizeof(name)));
  PetscCall(PetscStrlcat(path, "/record.txt", sizeof(path)));
  PetscCall(WriteArchive(path));
  PetscCall(PlexArchiveRead(path, &n, &results, &state));
  for (PetscInt k = 0; k < ALL; ++k) {
    PlexTuneResult r;

    PetscCall(CreateAny(k, &r));
    r.mesh.elements *= 1.2;
    PetscCall(PlexArchiveFind(path, &r.problem, &r.mesh, r.products, &found, &state));
    if (found.n != TYPES || found.best != r.best ||
        memcmp(found.candidates, r.candidates, TYPES * sizeof(PlexCandidate)) ||
        memcmp(found.input, r.input, sizeof(r.input)))
      ++wrong;
    PetscCall(PetscFree(found.candidates));
    PetscCall(PetscFree(r.candidates));
  }
  (void)unlink(path);
  PetscCall(PetscStrlcat(path, ".lock", sizeof(path)));
  (void)unlink(path);
  (void)rmdir(name);
  PetscCall(PlexTestReport((PetscBool)(n == ALL && !wrong),
                           "results are read from an archive as they were written, also for a mesh a fifth larger",
                           "%" PetscInt_FMT " of %" PetscInt_FMT ", %" PetscInt_FMT " not found or not the same", n,
                           ALL, wrong));
  for (PetscInt k = 0; k < PLEX_PRODUCTS * n; ++k)
    PetscCall(LookAtChoice(&results[k / PLEX_PRODUCTS], (PlexProductKind)(k % PLEX_PRODUCTS)));
  PetscCall(PlexTuneResultsDestroy(n, &results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The judge itself: a type that is expected to be fast and was measured slow */
static PetscErrorCode LookAtJudge(void)
{
  PlexTuneResult r;
  const char    *pick, *best, *before;
  double         ratio, tuned;

  PetscFunctionBegin;
  PetscCall(CreateResult(&Record[0], &r));
  PetscCall(PlexTuneResultJudgeModel(&r, PLEX_JACOBIAN, &before, &best, &ratio, NULL));
  for (PetscInt k = 0; k < r.n; ++k) {
    if (strcmp(r.candidates[k].type, before)) continue;
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) r.candidates[k].seconds[kind] *= 100;
  }
  PetscCall(PlexTuneResultJudgeModel(&r, PLEX_JACOBIAN, &pick, &best, &ratio, NULL));
  PetscCall(PlexTestReport((PetscBool)(pick && !strcmp(pick, before) && strcmp(best, before) && ratio > 10),
                           "a choice that is slow is judged so", "%s, %s, %g", pick, best, ratio));
  /* sizes that make some type faster than all are the best candidate, and say nothing of types */
  r.candidates[TYPES - 1].block      = 64;
  r.candidates[TYPES - 1].seconds[0] = r.candidates[TYPES - 1].seconds[1] = 1e-9;
  before                                                                  = best;
  PetscCall(PlexTuneResultJudgeModel(&r, PLEX_JACOBIAN, &pick, &best, &ratio, &tuned));
  PetscCall(PlexTestReport((PetscBool)(best == before && tuned > 1e5),
                           "a candidate with other sizes is the best of all, and not the best type", "%s, %g", best,
                           tuned));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Monotone: more of anything takes no less, and what scales with the mesh does so */

static PetscErrorCode Seconds(const PlexModelInput *in, PlexAssemblyType type, const PlexModelRates *rates,
                              double *seconds)
{
  PlexModelCost cost;
  PetscBool     known;

  PetscFunctionBegin;
  PetscCall(PlexModelPredict(in, type, rates, &cost, &known));
  PetscCheck(known && cost.bytes > 0 && cost.flops > 0 && cost.launches > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The model does not know %s", type);
  *seconds = cost.seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtGrowth(void)
{
  const char *const what[]   = {"elements",       "non-zeros",         "quadrature points", "flops of a point",
                                "flops of a row", "flops of an entry", "a slower memory",   "slower arithmetic"};
  PetscInt          wrong[8] = {0, 0, 0, 0, 0, 0, 0, 0}, scale = 0;
  double            t0, t1, far = 0;
  char              name[256];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < CASES * PLEX_PRODUCTS * TYPES; ++k) {
    const char          *type = Types[k % TYPES];
    const PlexModelInput in   = Input(&Record[k / TYPES / PLEX_PRODUCTS], k / TYPES % PLEX_PRODUCTS);

    PetscCall(Seconds(&in, type, &H200, &t0));
    for (PetscInt w = 0; w < 8; ++w) {
      PlexModelInput more  = in;
      PlexModelRates rates = H200;

      if (w == 0) more.Ne *= 1.5;
      if (w == 1) more.Nt *= 1.5;
      if (w == 2) more.Nq += 1;
      if (w == 3) more.flopsPoint += 10;
      if (w == 4) more.flopsRow += 10;
      if (w == 5) more.flopsEntry += 10;
      if (w == 6) rates.bandwidth /= 2;
      if (w == 7) rates.flops /= 2;
      PetscCall(Seconds(&more, type, &rates, &t1));
      if (!(t1 >= t0) || (w == 0 && !(t1 > t0)) || t1 > 2 * t0) ++wrong[w];
    }
    { /* a mesh four times as large takes four times as long */
      PlexModelInput large = in;

      large.Ne *= 4;
      large.Nx *= 4;
      large.Nl *= 4;
      large.Nt *= 4;
      PetscCall(Seconds(&large, type, &H200, &t1));
      far = PetscMax(far, PetscAbsReal(t1 / t0 - 4));
      if (PetscAbsReal(t1 / t0 - 4) > 1e-12) ++scale;
    }
  }
  for (PetscInt w = 0; w < 8; ++w) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "monotone in %s", what[w]));
    PetscCall(PlexTestReport((PetscBool)!wrong[w], name, "%" PetscInt_FMT " of %" PetscInt_FMT " wrong", wrong[w],
                             CASES * PLEX_PRODUCTS * TYPES));
  }
  PetscCall(PlexTestReport((PetscBool)!scale, "proportional to the mesh", "%" PetscInt_FMT " wrong, up to %g", scale,
                           far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Consistent: bytes and flops are those that the plan then counts; non-zeros those of the matrix */

static PetscErrorCode LookAtNonzeros(const char what[], DM dm, PetscReal tolerance)
{
  PlexElements elements;
  Mat          A;
  MatInfo      info;
  double       estimate;

  PetscFunctionBegin;
  PetscCall(PlexElementsCreate(dm, &elements));
  PetscCall(PlexElementsCreateMatrix(elements, &A));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(PlexModelEstimateNonzeros(elements, &estimate));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(estimate / info.nz_used - 1) <= tolerance), what,
                             "non-zeros are estimated without the matrix", "%g, and there are %g", estimate,
                             info.nz_used));
  PetscCall(MatDestroy(&A));
  PetscCall(PlexElementsDestroy(&elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One field and no essential values, so that all dofs have a row */
static PetscErrorCode CreateSpace(DMPolytopeType cell, PetscInt degree, PetscInt components, DM *dm)
{
  const PetscBool simplex = (PetscBool)(cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON);
  PetscFE         fe;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, cell, 0, dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, DMPolytopeTypeGetDim(cell), components, simplex, degree,
                                  PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtAllNonzeros(void)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON};
  char                 what[64];
  DM                   dm;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) {
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      PetscCall(CreateSpace(cells[k], degree, degree == 2 ? 3 : 1, &dm));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s, order %" PetscInt_FMT, DMPolytopeTypes[cells[k]], degree));
      PetscCall(LookAtNonzeros(what, dm, 1e-12));
      PetscCall(DMDestroy(&dm));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of a small mesh, whose parts are small and whose packed lists are padded, are more than the model has from
   means: to a factor, which is larger for the types that pack lists of each part */
static PetscErrorCode LookAtPlans(const char backend[], DMPolytopeType cell, PetscInt degree, PetscInt refine)
{
  const PlexTestProblem problem = {.cell = cell, .degree = degree, .components = 1, .form = PLEX_TEST_GENERAL};
  PlexAssembly          assembly;
  DM                    dm, fine;
  Vec                   X, F;
  Mat                   A;
  PetscBool             lines;
  char                  name[256];

  PetscFunctionBegin;
  lines = (PetscBool)(cell == DM_POLYTOPE_HEXAHEDRON);
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, cell, 0, &dm));
  for (PetscInt k = 0; k < refine; ++k) {
    PetscCall(DMPlexSetRefinementUniform(dm, PETSC_TRUE));
    PetscCall(DMRefine(dm, PETSC_COMM_SELF, &fine));
    PetscCall(DMDestroy(&dm));
    dm = fine;
  }
  PetscCall(PlexTestMarkHeld(dm));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetIntegration(assembly, PLEX_INTEGRATION_QUADRATURE));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(PlexAssemblyCreateMatrix(assembly, &A));
  for (PetscInt k = 0; k < TYPES; ++k) {
    const double factor = k >= 4 && k <= 6 ? 3.0 : 1.75;
    double       least = PETSC_MAX_REAL, most = 0, flops[2] = {PETSC_MAX_REAL, 0};
    PetscBool    known;

    if (lines && k >= 2 && k < 7) continue; /* parts of such a small mesh are little else than their surface */
    PetscCall(PlexAssemblySetType(assembly, Types[k]));
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., A, A));
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      PlexModelInput in;
      PlexModelCost  cost;

      PetscCall(PlexModelGetInput(assembly, (PlexProductKind)kind, PETSC_FALSE, &in));
      PetscCall(PlexModelPredict(&in, Types[k], &H200, &cost, &known));
      least    = PetscMin(least, cost.bytes / assembly->product[kind].bytes);
      most     = PetscMax(most, cost.bytes / assembly->product[kind].bytes);
      flops[0] = PetscMin(flops[0], cost.flops / assembly->product[kind].flops);
      flops[1] = PetscMax(flops[1], cost.flops / assembly->product[kind].flops);
    }
    PetscCall(PetscSNPrintf(name, sizeof(name),
                            "%s, order %" PetscInt_FMT ", %s: bytes and flops as the plan counts them, to a factor",
                            DMPolytopeTypes[cell], degree, Types[k]));
    PetscCall(PlexTestReport((PetscBool)(least > 1 / factor && most < factor && flops[0] > 0.75 && flops[1] < 1.35),
                             name, "%g to %g, %g to %g", least, most, flops[0], flops[1]));
    if (k < 2) {
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s, order %" PetscInt_FMT ", %s: the plan's very numbers",
                              DMPolytopeTypes[cell], degree, Types[k]));
      PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(least - 1) < 1e-10 && PetscAbsReal(most - 1) < 1e-10 &&
                                           PetscAbsReal(flops[0] - 1) < 1e-10 && PetscAbsReal(flops[1] - 1) < 1e-10),
                               name, "%g to %g, %g to %g", least, most, flops[0], flops[1]));
    }
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the model does not know */

static PetscErrorCode LookAtUnknown(void)
{
  const PlexModelInput in = Input(&Record[0], 1);
  PlexModelCost        cost;
  PetscBool            known = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexModelPredict(&in, "my_own_type", &H200, &cost, &known));
  PetscCall(PlexTestReport((PetscBool)(!known && cost.seconds == 0. && cost.bytes == 0.),
                           "a type of the user's own is not known", "%d, %g s", known, cost.seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The file of constants: not there, damaged, incomplete. What is found is kept, so that these come first */

static PetscErrorCode Predict(void *ctx)
{
  const PlexModelInput in = Input(&Record[0], 1);
  PlexModelCost        cost;
  PetscBool            known;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexModelPredict(&in, PLEXASSEMBLYELEMENTATOMIC, &H200, &cost, &known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteConstants(const char path[], const char text[])
{
  FILE *file = fopen(path, "w");

  PetscFunctionBegin;
  PetscCheck(file && fputs(text, file) >= 0 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s",
             path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtConstants(void)
{
  char folder[] = "/tmp/plexgpu-model-XXXXXX", models[64], path[96];

  PetscFunctionBegin;
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot make a folder in /tmp");
  PetscCall(PetscSNPrintf(models, sizeof(models), "%s/models", folder));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/nvidia-h200.txt", models));
  PetscCheck(!mkdir(models, 0700), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot make %s", models);
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_source_dir", folder));
  EXPECT("no file of constants", Predict, NULL, path, "-plexgpu_source_dir", "-plex_assembly_type");
  PetscCall(WriteConstants(path, "# constants\nclear 1.15\nelement_atomic residual 1 2 3\n"));
  EXPECT("a damaged line among the constants", Predict, NULL, "Line 3", path);
  PetscCall(WriteConstants(path, "clear -1\n"));
  EXPECT("a negative number among the constants", Predict, NULL, "Line 1", path);
  PetscCall(WriteConstants(path, "processors 132\nelement_atomic residual 0 0.5 0.3 0 14 9\n"));
  EXPECT("constants that are not complete", Predict, NULL, path, "lacks a type or a number");
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_source_dir"));
  (void)unlink(path);
  (void)rmdir(models);
  (void)rmdir(folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool write, available;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-archive", path, sizeof(path), &write));
  if (write) {
    PetscCall(WriteArchive(path));
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCall(LookAtConstants());
  PetscCall(LookAtGrowth());
  PetscCall(LookAtUnknown());
  PetscCall(LookAtAllNonzeros());
  PetscCall(LookAtArchive());
  PetscCall(LookAtJudge());
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &available));
  if (available) {
    PetscCall(LookAtPlans(PLEXBACKENDEMULATE, DM_POLYTOPE_TRIANGLE, 1, 5));
    PetscCall(LookAtPlans(PLEXBACKENDEMULATE, DM_POLYTOPE_TETRAHEDRON, 1, 3));
    PetscCall(LookAtPlans(PLEXBACKENDEMULATE, DM_POLYTOPE_HEXAHEDRON, 1, 2));
    PetscCall(LookAtPlans(PLEXBACKENDEMULATE, DM_POLYTOPE_HEXAHEDRON, 2, 1));
  } else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip plans of %s: not available on this machine\n", PLEXBACKENDEMULATE));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
