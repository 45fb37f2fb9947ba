#!/usr/bin/env bash
# Every case of the test cohesive on 2 processes; some have no cohesive cells.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/cohesive
