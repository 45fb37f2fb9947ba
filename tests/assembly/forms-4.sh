#!/usr/bin/env bash
# Every case of the test forms on 4 processes, one strategy each; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/forms
