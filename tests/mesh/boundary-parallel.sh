#!/usr/bin/env bash
# Essential boundary values of a mesh on several processes.
cd "$(dirname "$0")/../.." || exit 1
status=0
for ranks in 2 4; do
  "${MPIEXEC:-mpiexec}" -n $ranks build/tests/boundary -parallel | sed "s/on several processes/on $ranks processes/"
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
exit $status
