/*
  All that an assembly strategy of your own includes: docs/adding-a-strategy.md. A backend of your own needs
  plexgpu/private/backendimpl.h alone; a way to compute DG, or a system, plexgpu/private/dgimpl.h.
*/
#pragma once

#include <plexgpu/private/assemblyimpl.h>
