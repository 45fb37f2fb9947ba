#!/usr/bin/env bash
# Matrices of DMs on 2, 3 and 4 processes.
cd "$(dirname "$0")/.." || exit 1
status=0
for ranks in 2 3 4; do
  "${MPIEXEC:-mpiexec}" -n $ranks build/tests/matrix >build/tests/matrix.$$ 2>&1 || status=1
  sed -n "/^\(not \)\{0,1\}ok /s/\(ok \)\(.*\)/\1$ranks processes: \2/p; /^\(not \)\{0,1\}ok /!p" build/tests/matrix.$$
done
rm -f build/tests/matrix.$$
exit $status
