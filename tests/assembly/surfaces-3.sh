#!/usr/bin/env bash
# Segments, surfaces and curves on 3 processes.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/surfaces -backend host
