#!/usr/bin/env bash
# SNES and TS, and matrices made from elements, on 4 processes: the tests takeover, timestep, stokes and matrix again.
exec "$(dirname "$0")/again" 4
