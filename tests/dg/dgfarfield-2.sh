#!/usr/bin/env bash
# Far fields on 2 and 4 processes, whose sums are those of one; also with check-gpu, where they share the GPU.
${MPIEXEC:-mpiexec} -n 2 build/tests/dgfarfield || exit 1
exec ${MPIEXEC:-mpiexec} --oversubscribe -n 4 build/tests/dgfarfield -backend host
