// Where rates go: to the time derivative, or, where PLEX_DG_STAGE is set, to residual and next state of a low-storage
// scheme, whose states are in the operator's precision.
#pragma once

#include "dg.cuh"
#include "fused_args.h"

#if PLEX_DG_STAGE // of a low-storage scheme
typedef plex_real plex_state;
#else
typedef plex_scalar plex_state;
#endif

// The residual at place `at` of the state, before the update; 0 where there is none, or a stage does not ask for it
PLEX_DEVICE plex_real plex_dg_residual(const PlexDGStage &stage, plex_index at)
{
#if PLEX_DG_STAGE
  return stage.a != 0 ? __ldcs((const plex_real *)stage.residual + at) : 0;
#else
  return 0;
#endif
}

// The update of a stage, or the right-hand side, from the rate r. Nothing of it is read again soon
PLEX_DEVICE void plex_dg_store(const PlexDGArgs &args, const PlexDGStage &stage, plex_index at, plex_real u,
                               plex_real residual, plex_real r)
{
#if PLEX_DG_STAGE
  const plex_real sum = (plex_real)stage.a * (stage.means ? residual - u : residual) + (plex_real)stage.dt * r;

  if (!stage.means && !stage.ends) __stcs((plex_real *)stage.residual + at, sum);
  __stcs((plex_real *)stage.next + at, u + (plex_real)stage.b * sum);
#else
  __stcs(args.r + at, (plex_scalar)r);
#endif
}
