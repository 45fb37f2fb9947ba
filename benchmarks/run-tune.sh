#!/bin/bash
# `make bench-tune`: a full search (-plex_assembly_tune full) on meshes of growing size and order, on this machine's GPU, or on the backend $BACKEND.
# Then the figures, and how far the cost model's choices are from the best types. No search takes longer than $TIME seconds (default 40), and none is
# started when $BUDGET seconds (default 540) have gone. What an earlier run has found in the archive is not measured again. CASES="..." runs others:
# options of benchmarks/assembly, separated by semicolons; SERIES=spaces a quick search on a mesh each of triangles, tetrahedra and hexahedra with moved
# vertices, of elasticity too, that fills a GPU: kernels are compiled first, for all of them at once, on smaller meshes ($WARM seconds at most, default 30); then all meshes
# are made at once, and their searches take turns.
# The results go to $OUT (default build/bench-tune): tuning.txt, tuning-*.png, model.md, terms.csv, which benchmarks/tuning.py --fit takes.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-tune}
budget=${BUDGET:-540}
python=${PLEXGPU_PYTHON:-python3}
mode=full
mkdir -p "$out"
if [ "$SERIES" = spaces ]; then
  mode=quick
  TIME=${TIME:-12}
  CASES=${CASES:-"-refine 6; -refine 5 -order 2; -cell tetrahedron -refine 3; -cell tetrahedron -refine 2 -order 2; -cell tetrahedron -refine 2 -order 3; -cell tetrahedron -refine 1 -order 4;
    -cell hexahedron -faces 72 -move 0.1; -cell hexahedron -faces 40 -move 0.1 -order 2; -cell tetrahedron -refine 3 -vector; -cell tetrahedron -refine 2 -order 2 -vector"}
fi
cases=${CASES:-"-refine 4; -refine 5; -refine 6; -refine 7;
  -refine 5 -order 2; -refine 5 -order 3; -refine 4 -order 4; -refine 4 -order 5;
  -cell tetrahedron -refine 2; -cell tetrahedron -refine 3; -cell tetrahedron -refine 4;
  -cell tetrahedron -refine 2 -order 2; -cell tetrahedron -refine 2 -order 3; -cell tetrahedron -refine 1 -order 4;
  -cell quadrilateral -faces 1000; -cell quadrilateral -faces 500 -order 2; -cell hexahedron -faces 64; -cell hexahedron -faces 24 -order 2"}
failed=0
IFS=';' read -r -d '' -a list <<<"$cases"
# One case into the archive $2, printed to $3; the first argument is the case, those behind are further options; killed after $LIMIT seconds
tune() {
  local options
  read -r -a options <<<"${1//$'\n'/ } ${*:4}"
  case "$1" in *-cell*) ;; *) options=(-mesh examples/plate-coarse.msh "${options[@]}") ;; esac
  ${LIMIT:+timeout "$LIMIT"} "$bin/assembly" ${BACKEND:+-bench_backend "$BACKEND"} "${options[@]}" -types auto -reps 3 -reference_cells 1000 -plex_assembly_tune $mode \
    -plex_assembly_tune_time "${TIME:-40}" -plex_assembly_tune_archive "$2" -plex_assembly_view >"$3" 2>&1
}

# The same space on a smaller mesh
smaller() {
  case=${1//$'\n'/ }
  if [[ $case =~ -refine\ ([0-9]+) && ${BASH_REMATCH[1]} -gt 1 ]]; then case=${case/${BASH_REMATCH[0]}/-refine $((BASH_REMATCH[1] - 1))}; fi
  if [[ $case =~ -faces\ ([0-9]+) ]]; then case=${case/${BASH_REMATCH[0]}/-faces $((BASH_REMATCH[1] / 2))}; fi
  echo "$case"
}

if [ "$SERIES" = spaces ]; then # compiled kernels are kept on disk
  warm=0
  for case in "${list[@]}"; do
    warm=$((warm + 1))
    TIME=${WARM:-30} tune "$(smaller "$case")" "$out/warm-$warm.txt" "$out/warm-$warm.log" &
  done
  wait
  rm -f "$out"/warm-*
  echo "-- kernels compiled ($SECONDS s)"
  pids=()
  for case in "${list[@]}"; do
    LIMIT=$((budget > SECONDS ? budget - SECONDS : 1)) tune "$case" "$out/tuning.txt" "$out/case-${#pids[@]}.log" -lock "$out/case.lock" &
    pids+=($!)
  done
  for k in "${!pids[@]}"; do
    wait "${pids[$k]}"
    code=$?
    echo "-- $(echo ${list[$k]})"
    if [ $code -ne 0 ]; then
      failed=$((failed + 1))
      echo "  exit code $code ($SECONDS of $budget s)"
      tail -n 20 "$out/case-$k.log"
    fi
    grep '(tuned ' "$out/case-$k.log" | tail -n 1
  done
  echo "-- tuned ($SECONDS s)"
  rm -f "$out"/case*
  list=()
fi
for case in "${list[@]}"; do
  if [ $SECONDS -gt "$budget" ]; then
    echo "-- ${case//$'\n'/ }: not started, $SECONDS of $budget s have gone"
    continue
  fi
  echo "-- $(echo $case) ($SECONDS s)"
  tune "$case" "$out/tuning.txt" "$out/case.log" || { failed=$((failed + 1)); tail -n 20 "$out/case.log"; }
  grep '(tuned ' "$out/case.log" | tail -n 1
done
rm -f "$out/case.log"
"$bin/model" -archive "$out/tuning.txt" -terms "$out/terms.csv" | tee "$out/model.md"
if "$python" -c 'import matplotlib' 2>/dev/null; then "$python" benchmarks/tuning.py -o "$out" "$out/tuning.txt"; else echo "There is no Python with h5py and matplotlib to draw $out/tuning.txt: benchmarks/tuning.py does elsewhere"; fi
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
