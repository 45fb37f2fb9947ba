// element_color and element_atomic: a team computes an element and adds its data to the matrix or residual at once.
// Colours (one launch each) keep elements that share a dof apart in time; without colours the additions are atomic.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed (Cecka, figure 4); -1 marks
// padding. slots: of a matrix, interleaved, PLEX_EF * PLEX_EF of an element (dm/slots.cu); -1 where a dof is constrained. The targets of a residual are
// the dofs. With NT targets an element reads 4 (NV + EF) bytes of plan, 4 NT of slots and 8 (dim NV + EF) of nodal data, and reads and
// writes 8 NT of targets.
#define PLEX_K (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS)

PLEX_DEVICE void plex_add(PlexTarget target, int s, plex_real v)
{
  if (s < 0) return;
#if PLEX_ATOMIC
  atomicAdd(&target[s], (plex_scalar)v);
#else
  target[s] += (plex_scalar)v;
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, const int *plan, const int *slots, int first, int n)
{
  const int        p      = first + blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX; // position of this team's element
  const PlexTarget target = plex_target(args);

  PLEX_TEAM_WORK(work);
  if (p >= first + n || plan[plex_interleaved(p, PLEX_K, 0)] < 0) return;
  plex_load_nodal(args, work.nodal, [&](int k) { return plan[plex_interleaved(p, PLEX_K, k)]; });
  plex_element(args, work, [&](int i, int j, plex_real v) {
#if PLEX_JACOBIAN
    plex_add(target, slots[plex_interleaved(p, PLEX_EF * PLEX_EF, i * PLEX_EF + j)], v);
    if (PLEX_SYMMETRIC && i != j) plex_add(target, slots[plex_interleaved(p, PLEX_EF * PLEX_EF, j * PLEX_EF + i)], v);
#else
    plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_NV + i)], v);
#endif
  });
}
PLEX_EXPORT_KERNEL(plex_assemble)
