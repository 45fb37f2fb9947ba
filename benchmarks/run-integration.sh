#!/bin/bash
# `make bench-integration`: integration alone on this machine's GPU, or on the backend $BACKEND, with $ELEMENTS elements (default 8 million) in single
# and double precision: the table, all combinations of parameters, the series of figures 1 to 3 of Knepley and Terrel 2011, and the table once more
# with half of G, which is symmetric. $JOBS processes (default: the cores) compile the kernels first. LEAST=0.7: fails where a search finds
# nothing above that share of a copy. The results go to $OUT (default build/bench-integration): integration.md, integration.csv, and figures where
# there is a Python with matplotlib.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks/integration
out=${OUT:-build/bench-integration}
jobs=${JOBS:-$(env -u OMP_NUM_THREADS nproc)}
python=${PLEXGPU_PYTHON:-python3}
common=(${BACKEND:+-bench_backend "$BACKEND"} ${ELEMENTS:+-elements "$ELEMENTS"} -precision single,double -mode table,search,figures)
symmetric=("${common[@]/table,search,figures/table}" -symmetric)
failed=0
mkdir -p "$out"
rm -f "$out/integration.md" "$out/integration.csv"
for ((k = 0; k < jobs; k++)); do
  { "$bin" "${common[@]}" -share "$k/$jobs" && "$bin" "${symmetric[@]}" -share "$k/$jobs"; } >"$out/compile.$k.log" 2>&1 || touch "$out/compile.$k.failed" &
done
wait
for ((k = 0; k < jobs; k++)); do
  if [ -e "$out/compile.$k.failed" ]; then failed=$((failed + 1)); tail -n 20 "$out/compile.$k.log"; fi
done
rm -f "$out"/compile.*
echo "-- kernels compiled in $SECONDS s"
"$bin" "${common[@]}" -csv "$out/integration.csv" ${LEAST:+-least "$LEAST"} >"$out/integration.md" 2>&1 || failed=$((failed + 1))
"$bin" "${symmetric[@]}" -csv "$out/integration.csv" >>"$out/integration.md" 2>&1 || failed=$((failed + 1))
cat "$out/integration.md"
if "$python" -c 'import matplotlib' 2>/dev/null; then "$python" benchmarks/integration.py -o "$out" "$out/integration.csv" || failed=$((failed + 1)); else echo "There is no Python with matplotlib to draw $out/integration.csv: benchmarks/integration.py does elsewhere"; fi
if "$python" -c '' 2>/dev/null; then "$python" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
