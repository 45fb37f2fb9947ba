#!/usr/bin/env bash
# Viscous fluxes on 4 processes.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgviscous
