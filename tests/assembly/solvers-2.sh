#!/usr/bin/env bash
# Solvers of other libraries on 2 processes.
exec "${MPIEXEC:-mpiexec}" -n 2 build/tests/solvers
