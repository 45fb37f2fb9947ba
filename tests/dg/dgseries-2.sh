#!/usr/bin/env bash
# Boundaries with values in time on 2 processes: the same rates, mass and errors.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgseries
