#!/usr/bin/env bash
# What all processes hear of a reason that one of them has.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/messages -parallel
