/*
  The version of PlexGPU, its one place: the makefile, pkg-config, CMake and the Python package read it from here. It is
  a semantic version. docs/building.md says what of the interface stays the same between versions.
*/
#pragma once

#define PLEXGPU_VERSION_MAJOR    0
#define PLEXGPU_VERSION_MINOR    2
#define PLEXGPU_VERSION_SUBMINOR 0
#define PLEXGPU_VERSION          "0.2.0"

/* Whether it is this version or a newer one; an application may compile different code for each */
#define PLEXGPU_VERSION_GE(major, minor, subminor) \
  (PLEXGPU_VERSION_MAJOR > (major) || (PLEXGPU_VERSION_MAJOR == (major) && \
                                       (PLEXGPU_VERSION_MINOR > (minor) || (PLEXGPU_VERSION_MINOR == (minor) && \
                                                                            PLEXGPU_VERSION_SUBMINOR >= (subminor)))))
