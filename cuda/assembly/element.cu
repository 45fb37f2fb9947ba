// element_color and element_atomic: a team computes an element and adds its data to the matrix or residual at once.
// Colours (one launch each) keep elements that share a dof apart in time; without colours the additions are atomic.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed, PLEX_NT targets (Cecka,
// figure 4); -1 marks padding and, among the targets, constrained dofs. Of an element it reads 4 (NV + EF + NT) bytes of plan and 8 (dim NV + EF) of nodal data,
// and reads and writes 8 NT of targets.
#define PLEX_NT (PLEX_JACOBIAN ? PLEX_EF * PLEX_EF : PLEX_EF)
#define PLEX_T  (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS) // where the targets begin
#define PLEX_K  (PLEX_T + PLEX_NT)

PLEX_DEVICE void plex_add(PlexTarget target, int s, plex_real v)
{
  if (s < 0) return;
#if PLEX_ATOMIC
  atomicAdd(&target[s], (plex_scalar)v);
#else
  target[s] += (plex_scalar)v;
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, const int *plan, int first, int n)
{
  const int        p      = first + blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX; // position of this team's element
  const PlexTarget target = plex_target(args);

  PLEX_TEAM_WORK(work);
  if (p >= first + n || plan[plex_interleaved(p, PLEX_K, 0)] < 0) return;
  plex_load_nodal(args, work.nodal, [&](int k) { return plan[plex_interleaved(p, PLEX_K, k)]; });
  plex_element(args, work, [&](int i, int j, plex_real v) {
#if PLEX_JACOBIAN
    plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_T + i * PLEX_EF + j)], v);
    if (PLEX_SYMMETRIC && i != j) plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_T + j * PLEX_EF + i)], v);
#else
    plex_add(target, plan[plex_interleaved(p, PLEX_K, PLEX_T + i)], v);
#endif
  });
}
PLEX_EXPORT_KERNEL(plex_assemble)
