#!/usr/bin/env bash
# Messages of nodal DG on 2 processes.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgexchange
