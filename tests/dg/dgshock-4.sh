#!/usr/bin/env bash
# Shock capturing on 4 processes.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgshock
