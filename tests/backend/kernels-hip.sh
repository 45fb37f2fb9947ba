#!/usr/bin/env bash
# Every file of cuda/ compiled for a GPU of AMD with hiprtc, without such a GPU; skipped where HIP is not installed.
cd "$(dirname "$0")/../.." || exit 1
exec build/tests/kernels -hip
