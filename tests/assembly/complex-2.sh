#!/usr/bin/env bash
# Complex scalars on 2 processes.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/complex
