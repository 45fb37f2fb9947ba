#!/usr/bin/env bash
# Clockwise cells, and nodes, on 2 processes.
set -e
${MPIEXEC:-mpiexec} -n 2 build/tests/dgmesh
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgnodes
