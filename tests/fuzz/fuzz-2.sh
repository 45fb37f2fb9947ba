#!/usr/bin/env bash
# The fuzzer on 2 processes, on the host; make fuzz has kernels there too
exec "${MPIEXEC:-mpiexec}" -n 2 build/tests/fuzz -backend host -seed 2000000 -seconds 15
