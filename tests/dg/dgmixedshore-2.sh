#!/usr/bin/env bash
# Wetting and drying on meshes of triangles and quadrilaterals on 2 processes, and on 4; also with check-gpu, where they share the GPU.
${MPIEXEC:-mpiexec} -n 2 build/tests/dgmixedshore && exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgmixedshore
