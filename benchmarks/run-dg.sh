#!/bin/bash
# `make bench-dg`: figures 8 to 12 and Table 3 of Klöckner et al. (2009) for this machine's GPU, or for the backend $BACKEND. SERIES="tune size host" of
#   tune   types separate, tuned, and fused by degree ($DEGREES, default 1 to 9) on cubes of up to 6 $CELLS^3 tetrahedra (default 40) and $VALUES values
#          (default 60 million), in $PRECISIONS (double,single), $TIME seconds (default 10) of tuning each. Kernels are compiled first, on small meshes, all
#          degrees at once, in $WARM seconds at most (default 60); 0: not
#   size   both types, at their own sizes, on cubes of growing numbers of elements, degrees 2 and 4
#   host   the host's one core
#   body   the default type at degree $BODYDEGREES (4) on the mesh $BODY, in $PRECISIONS; default: 78,673 tetrahedra around examples/rocket.geo, made by Gmsh
# Measurements take turns by the file $LOCK (default: one of its own), which other benchmarks on the machine can share.
# The results go to $OUT (default build/bench-dg): dg.csv, stages.csv, stages.md (what is printed), tuning.txt, size.csv, body.csv, body.md, results/dg.csv, and dg.md and figures where there is a Python with matplotlib.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks/dg
out=${OUT:-build/bench-dg}
python=${PLEXGPU_PYTHON:-python3}
series=${SERIES:-tune size host}
cells=${CELLS:-40}
warm=${WARM:-60}
read -r -a degrees <<<"${DEGREES:-1 2 3 4 5 6 7 8 9}"
IFS=, read -r -a precisions <<<"${PRECISIONS:-double,single}"
common=(${BACKEND:+-bench_backend "$BACKEND"} -reps 5 -host_cells 0)
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
lock=${LOCK:-$tmp/lock}
export OPENBLAS_NUM_THREADS=1 # runs are side by side
failed=0

# All cases that were started, with what each printed
collect() {
  local log
  wait
  for log in "$tmp"/*.log; do
    if ! grep -q '^result: ' "$log"; then failed=$((failed + 1)); fi
    tee -a "$out/stages.md" <"$log"
    rm -f "$log"
  done
  for file in "$tmp"/stages.*; do # the first line names the columns
    [ -e "$file" ] || continue
    [ -e "$out/stages.csv" ] || head -n 1 "$file" >"$out/stages.csv"
    tail -n +2 "$file" >>"$out/stages.csv"
    rm -f "$file"
  done
}

for s in $series; do
  case $s in
  tune)
    tuned=(-types separate,fused -plex_dg_view -plex_dg_tune)
    if [ "$warm" -gt 0 ]; then
      for p in "${precisions[@]}"; do for n in "${degrees[@]}"; do
        timeout $((2 * warm)) "$bin" ${BACKEND:+-bench_backend "$BACKEND"} -cells $((cells < 4 ? cells : 4)) -degrees "$n" -precisions "$p" -reps 1 -host_cells 0 "${tuned[@]}" -plex_dg_tune_time "$warm" -plex_dg_tune_archive "$tmp/warm-$p-$n.txt" >/dev/null 2>&1 &
      done; done
      wait
      echo "-- kernels compiled in $SECONDS s"
    fi
    for p in "${precisions[@]}"; do for n in "${degrees[@]}"; do
      "$bin" "${common[@]}" -csv "$out/dg.csv" -cells "$cells" -values "${VALUES:-6e7}" -degrees "$n" -precisions "$p" -lock "$lock" -stages "$tmp/stages.$p-$n" "${tuned[@]}" -plex_dg_tune_time "${TIME:-10}" -plex_dg_tune_archive "$out/tuning.txt" >"$tmp/$p-$n.log" 2>&1 &
    done; done
    collect
    ;;
  size)
    for n in 2 4; do for c in 2 4 8 12 16 24 32 40; do
      if [ "$c" -gt "$cells" ]; then continue; fi
      "$bin" "${common[@]}" -csv "$out/size.csv" -cells "$c" -degrees "$n" -precisions "$(IFS=,; echo "${precisions[*]}")" -types separate,fused -lock "$lock" >"$tmp/size-$n-$c.log" 2>&1 &
    done; done
    collect
    ;;
  host)
    "$bin" -bench_backend host -types host -reps 3 -cells $((cells < 12 ? cells : 12)) -values 2e6 -degrees "$(IFS=,; echo "${degrees[*]}")" -precisions "$(IFS=,; echo "${precisions[*]}")" -csv "$out/dg.csv" >"$tmp/host.log" 2>&1
    collect
    ;;
  body)
    body=${BODY:-$out/body.msh}
    if [ -z "${BODY:-}" ] && [ ! -e "$body" ] && ! gmsh -3 -format msh41 -setnumber h 0.106 -setnumber H 0.6 -o "$body" examples/rocket.geo >"$out/body.log" 2>&1; then
      echo "run-dg.sh: Gmsh has not made $body from examples/rocket.geo: install gmsh, or name a mesh by BODY=FILE" >&2
      exit 2
    fi
    "$bin" "${common[@]}" -mesh "$body" -degrees "${BODYDEGREES:-4}" -precisions "$(IFS=,; echo "${precisions[*]}")" -csv "$out/body.csv" -lock "$lock" 2>&1 | tee "$out/body.md"
    if ! grep -q '^result: ' "$out/body.md"; then failed=$((failed + 1)); fi
    ;;
  *)
    echo "run-dg.sh: SERIES has tune, size, host and body, not $s" >&2
    exit 2
    ;;
  esac
  echo "-- $s after $SECONDS s"
done
rm -f "$out"/tuning.txt.lock
if "$python" -c '' 2>/dev/null; then "$python" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
files=()
for pair in csv:dg.csv stages:stages.csv archive:tuning.txt size:size.csv body:body.csv; do if [ -e "$out/${pair#*:}" ]; then files+=("--${pair%:*}" "$out/${pair#*:}"); fi; done
if "$python" -c 'import matplotlib' 2>/dev/null; then
  "$python" benchmarks/dgfigures.py "${files[@]}" -o "$out" >"$out/dg.md" 2>&1 || failed=$((failed + 1))
  cat "$out/dg.md"
else echo "There is no Python with h5py and matplotlib to draw figures: benchmarks/dgfigures.py ${files[*]} does elsewhere"; fi
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
