#!/usr/bin/env bash
# Assembly on 4 processes, and the first example there; also with check-gpu, where they share the GPU.
status=0
${MPIEXEC:-mpiexec} -n 4 build/tests/parallel || status=1
for backend in $(tr , ' ' <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}"); do
  if ${MPIEXEC:-mpiexec} -n 4 build/examples/heat -order 2 -plex_assembly_backend "$backend" -plex_assembly_check 1e-11 | grep "^result: example=heat .*backend=$backend "; then
    echo "ok examples/heat on 4 processes, $backend"
  else
    echo "not ok examples/heat on 4 processes, $backend"
    status=1
  fi
done
exit $status
