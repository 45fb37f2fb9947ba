/* How archives of tuning use HDF5: assembly's own (archive.c), and that of nodal DG, which may be the same file */
#pragma once

#include <petscsys.h>
#include <hdf5.h>

/* HDF5's own messages are not wanted: what does not work is seen, and answered */
typedef struct {
  H5E_auto2_t function;
  void       *data;
} PlexQuiet;

static inline void PlexQuietBegin(PlexQuiet *q)
{
  (void)H5Eget_auto2(H5E_DEFAULT, &q->function, &q->data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static inline void PlexQuietEnd(PlexQuiet *q)
{
  (void)H5Eset_auto2(H5E_DEFAULT, q->function, q->data);
}

/* A file that is there, or with H5F_ACC_EXCL a new one in its place */
static inline hid_t PlexOpenFile(const char path[], unsigned flags)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  (void)H5Pset_file_locking(access, 0, 1); /* not on every file system; who writes has a file of his own, and reads one that does not change */
#endif
  file = flags == H5F_ACC_EXCL ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(path, flags, access);
  (void)H5Pclose(access);
  return file;
}

/* <prefix>-<hash>: FNV-1a, 64 bits, over n texts with their ends */
static inline void PlexKeyName(const char prefix[], size_t n, const char *const texts[], char name[64])
{
  uint64_t hash = 0xcbf29ce484222325ULL;

  for (size_t k = 0; k < n; ++k) {
    for (const char *c = texts[k];; ++c) {
      hash = (hash ^ (unsigned char)*c) * 0x100000001b3ULL;
      if (!*c) break;
    }
  }
  (void)snprintf(name, 64, "%s-%016llx", prefix, (unsigned long long)hash);
}
