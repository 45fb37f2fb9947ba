#!/usr/bin/env bash
# NetCDF files with UGRID conventions, on 4 processes.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgugrid
