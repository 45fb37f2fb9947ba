#!/bin/bash
# `make bench-tune`: a full search (-plex_assembly_tune full) on meshes of growing size and order, on this machine's GPU, or on the backend $BACKEND.
# Then the figures, and how far the cost model's choices are from the best types. No search takes longer than $TIME seconds (default 40), and none is
# started when $BUDGET seconds (default 540) have gone. What an earlier run has found in the archive is not measured again. CASES="..." runs others:
# options of benchmarks/assembly, separated by semicolons. The results go to $OUT (default build/bench-tune): tuning.h5, tuning-*.png, model.md.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-tune}
budget=${BUDGET:-540}
python=${PLEXGPU_PYTHON:-python3}
mkdir -p "$out"
cases=${CASES:-"-refine 4; -refine 5; -refine 6; -refine 7;
  -refine 5 -order 2; -refine 5 -order 3; -refine 4 -order 4; -refine 4 -order 5;
  -cell tetrahedron -refine 2; -cell tetrahedron -refine 3; -cell tetrahedron -refine 4;
  -cell tetrahedron -refine 2 -order 2; -cell tetrahedron -refine 2 -order 3; -cell tetrahedron -refine 1 -order 4;
  -cell quadrilateral -faces 1000; -cell quadrilateral -faces 500 -order 2; -cell hexahedron -faces 64; -cell hexahedron -faces 24 -order 2"}
failed=0
IFS=';' read -r -d '' -a list <<<"$cases"
for case in "${list[@]}"; do
  if [ $SECONDS -gt "$budget" ]; then
    echo "-- ${case//$'\n'/ }: not started, $SECONDS of $budget s have gone"
    continue
  fi
  read -r -a options <<<"${case//$'\n'/ }"
  echo "-- ${options[*]} ($SECONDS s)"
  case "$case" in *-cell*) ;; *) options=(-mesh examples/plate-coarse.msh "${options[@]}") ;; esac
  "$bin/assembly" ${BACKEND:+-bench_backend "$BACKEND"} "${options[@]}" -types auto -reps 3 -reference_cells 1000 -plex_assembly_tune full \
    -plex_assembly_tune_time "${TIME:-40}" -plex_assembly_tune_archive "$out/tuning.h5" -plex_assembly_view >"$out/case.log" 2>&1 || { failed=$((failed + 1)); tail -n 20 "$out/case.log"; }
  grep '(tuned ' "$out/case.log" | tail -n 1
done
rm -f "$out/case.log"
"$bin/model" -archive "$out/tuning.h5" | tee "$out/model.md"
if "$python" -c 'import h5py, matplotlib' 2>/dev/null; then "$python" benchmarks/tuning.py -o "$out" "$out/tuning.h5"; else echo "There is no Python with h5py and matplotlib to draw $out/tuning.h5: benchmarks/tuning.py does elsewhere"; fi
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
