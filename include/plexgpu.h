/*
  PlexGPU: finite element residuals and Jacobians, discontinuous Galerkin operators and hybridized DG of DMPlex problems
  on the GPU.

  This includes the whole public interface of libplexgpu.so.0. What a strategy of your own needs besides is in
  plexgpu/impl.h, and plexgpugeo.h is the interface of libplexgpugeo.so.0.
*/
#pragma once

#include <plexgpubackend.h>
#include <plexgpuassembly.h>
#include <plexgpudg.h>
#include <plexgpuhdg.h>
#include <plexgpuview.h>
