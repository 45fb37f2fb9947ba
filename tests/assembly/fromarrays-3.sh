#!/usr/bin/env bash
# Meshes of arrays on three processes, with ghosts.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/fromarrays
