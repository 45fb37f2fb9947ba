#!/usr/bin/env bash
# The fuzzer on 3 processes, on the host; make fuzz has kernels there too
exec "${MPIEXEC:-mpiexec}" -n 3 build/tests/fuzz -backend host -seed 3000000 -seconds 15
