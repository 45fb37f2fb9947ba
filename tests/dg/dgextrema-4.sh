#!/usr/bin/env bash
# Extrema of water on 4 processes.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgextrema
