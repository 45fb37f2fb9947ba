/* Values of a state [Ne][fields][NP] of float where `single`, else double, for the host and for kernels: what
   PLEX_STATE_FUNCTION is put before. PLEX_STATE_UNROLL before a loop: a kernel asks for many numbers at once */
#ifndef PLEX_STATE_UNROLL
  #define PLEX_STATE_UNROLL
#endif

PLEX_STATE_FUNCTION double plex_state_get(const void *u, int single, long long at)
{
  return single ? (double)((const float *)u)[at] : ((const double *)u)[at];
}

PLEX_STATE_FUNCTION void plex_state_set(void *u, int single, long long at, double value)
{
  if (single) ((float *)u)[at] = (float)value;
  else ((double *)u)[at] = value;
}

/* sum over the nodes of w[i] times a field */
PLEX_STATE_FUNCTION double plex_state_sum(const void *u, int single, long long at, int NP, const double *w)
{
  double sum = 0;

  PLEX_STATE_UNROLL
  for (int i = 0; i < NP; ++i) sum += w[i] * plex_state_get(u, single, at + i);
  return sum;
}
