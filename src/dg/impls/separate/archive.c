/*
  Results of tuning in an HDF5 file, which may be that of assembly's tuning: its problems and these leave each other alone.

    /dg-<hash>               attributes device, backend, version, precision, system, fixed; dim, degree
      /mesh-<class>          attributes date; elements, processes, skipped, budget, spent
        candidates [n]       a table, PlexDGCandidate

  A mesh's class is a power of sqrt(2) of its elements a process: of each class one result is kept.
*/
#include "tune.h"
#include "../../../assembly/tune/tuneimpl.h"
#include "../../../assembly/tune/archivehdf5.h"
#include <hdf5_hl.h>

static void PlexDGKeyName(const PlexDGTuneKey *key, char name[64])
{
  char        numbers[64];
  const char *texts[] = {key->device, key->backend, key->version, key->precision, key->system, key->fixed, numbers};

  (void)snprintf(numbers, sizeof(numbers), "%d %d", (int)key->dim, (int)key->degree);
  PlexKeyName("dg", PETSC_STATIC_ARRAY_LENGTH(texts), texts, name);
}

static int PlexDGMeshClass(double elements)
{
  return (int)floor(0.5 + 2. * log2(PetscMax(elements, 1.)));
}

/* PlexDGCandidate in memory; members are matched by name */
static hid_t PlexDGCandidateType(void)
{
  const struct {
    const char *name;
    size_t      offset;
  } integers[] = {
    {"part",        HOFFSET(PlexDGCandidate, part)       },
    {"microblock",  HOFFSET(PlexDGCandidate, microblock) },
    {"align",       HOFFSET(PlexDGCandidate, align)      },
    {"way",         HOFFSET(PlexDGCandidate, way)        },
    {"partition",   HOFFSET(PlexDGCandidate, partition)  },
    {"microblocks", HOFFSET(PlexDGCandidate, microblocks)},
    {"parallel",    HOFFSET(PlexDGCandidate, parallel)   },
    {"inlined",     HOFFSET(PlexDGCandidate, inlined)    },
    {"sequential",  HOFFSET(PlexDGCandidate, sequential) },
    {"rows",        HOFFSET(PlexDGCandidate, rows)       }
  };
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(PlexDGCandidate));

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(integers); ++k) (void)H5Tinsert(type, integers[k].name, integers[k].offset, H5T_NATIVE_INT);
  (void)H5Tinsert(type, "seconds", HOFFSET(PlexDGCandidate, seconds), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "bytes", HOFFSET(PlexDGCandidate, bytes), H5T_NATIVE_DOUBLE);
  (void)H5Tinsert(type, "flops", HOFFSET(PlexDGCandidate, flops), H5T_NATIVE_DOUBLE);
  return type;
}

/* Numbers of a group, read or written alike */
static PetscBool PlexDGNumbersDo(hid_t group, PetscInt n, const char *const names[], double values[], PetscBool write)
{
  PetscBool good = PETSC_TRUE;

  for (PetscInt k = 0; k < n && good; ++k) good = (PetscBool)((write ? H5LTset_attribute_double(group, ".", names[k], &values[k], 1) : H5LTget_attribute_double(group, ".", names[k], &values[k])) >= 0);
  return good;
}

static const char *const PlexDGMeshNumbers[] = {"elements", "processes", "skipped", "budget", "spent"};

static PetscBool PlexDGResultRead(hid_t problem, const char name[], PlexDGTuneResult *r)
{
  hid_t   group = H5Gopen2(problem, name, H5P_DEFAULT), type = PlexDGCandidateType();
  hsize_t n = 0;
  double  numbers[5];
  PetscBool good = (PetscBool)(group >= 0 && PlexDGNumbersDo(group, 5, PlexDGMeshNumbers, numbers, PETSC_FALSE) && H5LTget_attribute_string(group, ".", "date", r->date) >= 0 && H5LTget_dataset_info(group, "candidates", &n, NULL, NULL) >= 0 && n > 0 && n < 1000000);

  if (good) good = (PetscBool)!PetscMalloc1((size_t)n, &r->candidates);
  if (good) {
    hid_t set = H5Dopen2(group, "candidates", H5P_DEFAULT);

    good = (PetscBool)(set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->candidates) >= 0);
    if (set >= 0) (void)H5Dclose(set);
    r->n         = (PetscInt)n;
    r->elements  = numbers[0];
    r->processes = (PetscInt)numbers[1];
    r->skipped   = (PetscInt)numbers[2];
    r->budget    = numbers[3];
    r->spent     = numbers[4];
  }
  (void)H5Tclose(type);
  if (group >= 0) (void)H5Gclose(group);
  return good;
}

PetscErrorCode PlexDGArchiveFind_Private(const char path[], const PlexDGTuneKey *key, double elements, PlexDGTuneResult *r, PetscBool *found)
{
  const int class = PlexDGMeshClass(elements), near[3] = {class, class - 1, class + 1};
  char      name[64];
  PlexQuiet quiet;
  PetscBool exists;
  hid_t     file, problem;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscTestFile(path, 'r', &exists));
  if (!exists) PetscFunctionReturn(PETSC_SUCCESS);
  PlexDGKeyName(key, name);
  PlexQuietBegin(&quiet);
  file    = PlexOpenFile(path, H5F_ACC_RDONLY);
  problem = file >= 0 ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
  for (int k = 0; k < 3 && problem >= 0 && !*found; ++k) {
    (void)snprintf(name, sizeof(name), "mesh-%d", near[k]);
    if (H5Lexists(problem, name, H5P_DEFAULT) <= 0) continue;
    *found = PlexDGResultRead(problem, name, r);
    if (!*found || PetscMax(r->elements / elements, elements / r->elements) > PetscSqrtReal(2.)) {
      PetscCall(PetscFree(r->candidates));
      *found = PETSC_FALSE;
    }
  }
  if (problem >= 0) (void)H5Gclose(problem);
  if (file >= 0) (void)H5Fclose(file);
  PlexQuietEnd(&quiet);
  r->key = *key;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the file, a copy that nobody else sees */
static PetscBool PlexDGArchivePut(hid_t file, const PlexDGTuneResult *r)
{
  const PlexDGTuneKey *key = &r->key;
  const struct {
    const char *name, *value;
  } texts[] = {
    {"device",    key->device   },
    {"backend",   key->backend  },
    {"version",   key->version  },
    {"precision", key->precision},
    {"system",    key->system   },
    {"fixed",     key->fixed    }
  };
  const char *const numbers[] = {"dim", "degree"};
  double            sizes[2] = {(double)key->dim, (double)key->degree}, values[5] = {r->elements, (double)r->processes, (double)r->skipped, r->budget, r->spent};
  const hsize_t     n = (hsize_t)r->n;
  hid_t             problem, mesh = -1, type = PlexDGCandidateType();
  char              name[64];
  PetscBool         good;

  PlexDGKeyName(key, name);
  problem = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Gopen2(file, name, H5P_DEFAULT) : H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  good    = (PetscBool)(problem >= 0 && PlexDGNumbersDo(problem, 2, numbers, sizes, PETSC_TRUE));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(texts) && good; ++k) good = (PetscBool)(H5LTset_attribute_string(problem, ".", texts[k].name, texts[k].value) >= 0);
  (void)snprintf(name, sizeof(name), "mesh-%d", PlexDGMeshClass(r->elements));
  if (good && H5Lexists(problem, name, H5P_DEFAULT) > 0) good = (PetscBool)(H5Ldelete(problem, name, H5P_DEFAULT) >= 0);
  if (good) mesh = H5Gcreate2(problem, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  good = (PetscBool)(good && mesh >= 0 && PlexDGNumbersDo(mesh, 5, PlexDGMeshNumbers, values, PETSC_TRUE) && H5LTset_attribute_string(mesh, ".", "date", r->date) >= 0 && H5LTmake_dataset(mesh, "candidates", 1, &n, type, r->candidates) >= 0);
  if (mesh >= 0) (void)H5Gclose(mesh);
  if (problem >= 0) (void)H5Gclose(problem);
  (void)H5Tclose(type);
  return good;
}

/* As PlexArchiveAdd(): a copy is changed under a lock, and takes the file's place; what is no archive is put aside */
PetscErrorCode PlexDGArchiveAdd_Private(const char path[], const PlexDGTuneResult *r, PetscBool *written)
{
  PlexTuneResult  *all;
  PlexArchiveState state;
  PlexArchiveFile  file;
  PlexQuiet        quiet;
  PetscInt         n;
  PetscBool        exists, good = PETSC_FALSE;
  char             kept[PETSC_MAX_PATH_LEN] = "";
  hid_t            copy;

  PetscFunctionBegin;
  PetscCall(PlexArchiveBegin_Private(path, &file, &exists));
  PetscCall(PlexArchiveRead(path, &n, &all, &state));
  PetscCall(PlexTuneResultsDestroy(n, &all));
  if (state == PLEX_ARCHIVE_DAMAGED) {
    PetscCall(PlexArchivePutAside_Private(&file, kept));
    exists = PETSC_FALSE;
  }
  if (state != PLEX_ARCHIVE_UNREADABLE && (state != PLEX_ARCHIVE_DAMAGED || kept[0])) {
    PlexQuietBegin(&quiet);
    copy = PlexOpenFile(file.temporary, exists ? H5F_ACC_RDWR : H5F_ACC_EXCL);
    good = (PetscBool)(copy >= 0 && PlexDGArchivePut(copy, r));
    if (copy >= 0) good = (PetscBool)(H5Fclose(copy) >= 0 && good);
    PlexQuietEnd(&quiet);
  }
  PetscCall(PlexArchiveEnd_Private(&file, good, written));
  PetscFunctionReturn(PETSC_SUCCESS);
}
