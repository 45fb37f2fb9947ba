#!/usr/bin/env bash
# Which types give the same bits in every run (docs/reproducibility.md): emulated, with blocks and threads in three orders, as
# a GPU has another one in each run. element_atomic sums in the order of arrival, and has to show it.
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
. tests/verdict
for order in forward reverse random; do
  if ! PLEXGPU_EMULATE_ORDER=$order build/tests/repeatable >"$tmp/output" 2>&1; then verdict "order $order" ""; fi
  grep '^bits ' "$tmp/output" >"$tmp/$order"
done
if ! grep -q emulate "$tmp/forward"; then
  echo "skip repeatable: emulated kernels: there is no C++ compiler"
  exit "$failures"
fi
while read -r _ backend type residual jacobian; do
  cat "$tmp/forward" "$tmp/reverse" "$tmp/random" | grep "^bits $backend $type " >"$tmp/output"
  n=$(sort -u "$tmp/output" | wc -l)
  if [ "$type" = element_atomic ]; then
    verdict "$backend $type: other bits in another order" "$([ "$n" -gt 1 ] && echo yes)"
  else
    verdict "$backend $type: the same bits in three orders" "$([ "$n" -eq 1 ] && [ -n "$residual" ] && [ -n "$jacobian" ] && echo yes)"
  fi
done <"$tmp/forward"
[ "$(wc -l <"$tmp/forward")" -eq 9 ] && good=yes || good=""
verdict "all types" "$good"
[ "$failures" -eq 0 ]
