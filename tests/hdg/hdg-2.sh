#!/usr/bin/env bash
# Hybridized DG, few curved cells, coefficients in time, pointwise functions, its nodes, its changes, K that is asked for later, elasticity, Stokes's and Navier-Stokes equations, continuous elements and its preconditioner on 2 processes; also with check-gpu, where they share the GPU.
set -e
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgparallel
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgnodes
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgcurved
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgtime
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgpoints
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgplan
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgupdate
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgconvectionways
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgelastic
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgtrace
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgsmoother
${MPIEXEC:-mpiexec} -n 2 build/tests/hdglater
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgstokes
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgcg
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgnavier
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgincompressible
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgnavierstages
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/hdgprecondition
