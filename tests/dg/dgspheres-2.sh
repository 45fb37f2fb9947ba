#!/usr/bin/env bash
# Far fields of spheres on 2 processes, as those of one.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgspheres
