#!/usr/bin/env bash
# Every strategy with the emulated threads of a block run in other orders, and with parts so small that blocks go over several
# passes: a barrier that is missing shows. Likewise element matrices alone, and nodal DG.
status=0
for order in forward reverse random; do
  for options in "" "-plex_assembly_partition_size 2"; do
    PLEXGPU_EMULATE_ORDER=$order build/tests/sanitize -backend emulate $options | sed -e "s/^\(\(not \)\?ok\) /\1 order $order $options, /"
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
  done
  if [ $order = forward ]; then continue; fi # the test itself
  PLEXGPU_EMULATE_ORDER=$order build/tests/integration -backends emulate | sed -e "s/^\(\(not \)\?ok\) /\1 order $order, /"
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
  PLEXGPU_EMULATE_ORDER=$order build/tests/dg -backend emulate -agree | sed -e "s/^\(\(not \)\?ok\) /\1 order $order, /"
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
  PLEXGPU_EMULATE_ORDER=$order build/tests/sanitizedg -backend emulate -type plain | sed -e "s/^\(\(not \)\?ok\) /\1 order $order, /"
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
exit $status
