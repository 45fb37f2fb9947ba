#!/usr/bin/env bash
# Files of meshes of triangles and quadrilaterals on 2 processes, and on 4; also with check-gpu, where they share the GPU.
${MPIEXEC:-mpiexec} -n 2 build/tests/dgmixedfiles && exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgmixedfiles
