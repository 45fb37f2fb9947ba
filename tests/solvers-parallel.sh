#!/usr/bin/env bash
# SNES and TS, and matrices made from elements, on 2 and 4 processes: the tests takeover, timestep, stokes and matrix again.
cd "$(dirname "$0")/.." || exit 1
status=0
for ranks in 2 4; do
  for name in takeover timestep stokes matrix; do
    "${MPIEXEC:-mpiexec}" -n $ranks build/tests/$name >build/tests/solvers.$$ 2>&1 || status=1
    sed -n "/^\(not \)\{0,1\}ok /s/\(ok \)\(.*\)/\1$ranks processes: \2/p; /^\(not \)\{0,1\}ok /!p" build/tests/solvers.$$
  done
done
rm -f build/tests/solvers.$$
exit $status
