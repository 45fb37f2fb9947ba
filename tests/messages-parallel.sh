#!/usr/bin/env bash
# What two processes get from an assembly that works on one.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/messages -parallel
