#!/usr/bin/env bash
# Clockwise cells on 2 processes.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgmesh
