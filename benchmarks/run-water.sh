#!/bin/bash
# `make bench-water`: tables and figures of chapter 5 of Henry de Frahan (2011) for this machine's GPU, or for the backend $BACKEND: linear shallow water by DG with
# quadrature, by all ways. SERIES="sizes degrees small shore host" of
#   sizes    degree 4 on meshes of $SIZES cells a side, up to $CELLS (default 8 to 1000; triangles have 707 squares in two at most: N_E = 1 M)
#   degrees  $DEGREES (default 1 to 10) on $CELLS cells a side, fewer where the state would have more than $VALUES values (default 80 million)
#   small    $DEGREES on 33 cells a side, about the thesis' 1,108 elements, where $CELLS are more: launches and deviations by degree
#   shore    $SHORE_DEGREES (default "1 2 4"), fused: the nonlinear equations over a bottom of varying depth, and the same where 5 % of the elements may fall dry, both without the correction by energy too, shocks captured, and tsunami with a shore on the sphere, to shore.csv
#   host     one core of this machine: both on up to $HOST_CELLS cells a side (default 128)
# in $PRECISIONS (default double) of $SHAPES, "triangles squares" and curved ones besides: "curved-triangles curved-squares". $JOBS cases (default: three quarters of the cores, at most 6)
# make their meshes and kernels at the same time, and take turns in measuring. No case is started when $BUDGET seconds (default 540) have gone, and none runs longer
# than what is left of them. SCALING=yes: weak scaling over the GPUs comes first, by run-dg-scaling.sh. The results go to $OUT (default build/bench-water): water.csv, kernels.csv, bench.md, and water.md
# and figures where there is a Python with matplotlib.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks/shallow_water
out=${OUT:-build/bench-water}
budget=${BUDGET:-540}
cells=${CELLS:-1000}
host_cells=${HOST_CELLS:-128}
jobs=${JOBS:-$(n=$(($(env -u OMP_NUM_THREADS nproc) * 3 / 4)); echo $((n > 6 ? 6 : n < 1 ? 1 : n)))}
python=${PLEXGPU_PYTHON:-python3}
shapes=${SHAPES:-triangles squares}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 # cases are side by side, and the host is one core
mkdir -p "$out"
rm -rf "$out"/{water.csv,shore.csv,kernels.csv,bench.md,water.md,cases}
mkdir "$out/cases"
cases=0

# run BACKEND SHAPE CELLS DEGREE OPTIONS...: one case in the background, once there is room, its results to files of its own
run() {
  local backend=$1 shape=$2 n=$3 degree=$4 file left options=(-precision "$precision")
  shift 4
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  left=$((budget - SECONDS))
  cases=$((cases + 1))
  file=$(printf '%s/cases/%03d' "$out" "$cases")
  if [ $left -le 5 ]; then
    echo "-- $shape, $n cells a side, degree $degree: not started, $SECONDS of $budget s have gone" | tee "$file.md"
    return
  fi
  case $shape in
  *triangles)
    options+=(-triangles)
    n=$(((n * 707 + 500) / 1000)) # as many elements as squares
    ;;
  esac
  [ -n "${prefix:-}" ] || options+=(-stages "$file.kernels")
  case $shape in curved-*) options+=(-curved) ;; esac
  {
    timeout "$left" "$bin" ${backend:+-bench_backend "$backend"} -cells $((n < 1 ? 1 : n)) -degrees "$degree" -values "${VALUES:-8e7}" -host_cells 0 -reps "${REPS:-7}" -lock "$out/cases/lock" -csv "$file.${prefix:-}csv" "${options[@]}" "$@" >"$file.md" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
      echo "-- $shape, $n cells a side, degree $degree: ended with status $status$([ $status -eq 124 ] && echo ', out of time')" | tee -a "$file.md"
      touch "$file.failed"
    fi
  } &
}

# append CSV PART...: the first line of the parts names the columns
append() {
  local csv=$1 file
  shift
  for file in "$@"; do
    [ -e "$file" ] || continue
    [ -e "$csv" ] || head -n 1 "$file" >"$csv"
    sed -n "2,$(wc -l <"$file")p" "$file" >>"$csv" # a case that ran out of time may end within a line
  done
}

if [ -n "${SCALING:-}" ]; then
  for shape in $shapes; do CELLS=${SCALING_CELLS:-} DEGREES=${DEGREE:-4} OUT=$out/scaling-$shape PROBLEM=$shape BENCH_BACKEND=${BACKEND:-cuda} benchmarks/run-dg-scaling.sh || touch "$out/cases/$shape.failed"; done
fi
for series in ${SERIES:-host degrees sizes small shore}; do
  for kind in $(for precision in ${PRECISIONS:-double}; do for shape in $shapes; do echo "$precision,$shape"; done; done); do
    precision=${kind%%,*} shape=${kind#*,}
    case $series in
    degrees)
      for degree in $(echo "${DEGREES:-10 9 8 7 6 5 4 3 2 1}" | tr ' ' '\n' | sort -rn); do run "${BACKEND:-}" "$shape" "$cells" "$degree"; done # those that take longest first
      ;;
    sizes)
      for n in ${SIZES:-500 250 125 64 33 16 8 2}; do
        if [ "$n" -lt "$cells" ]; then run "${BACKEND:-}" "$shape" "$n" "${DEGREE:-4}"; fi
      done
      ;;
    small)
      if [ "$cells" -gt 33 ]; then
        for degree in $(echo "${DEGREES:-10 9 8 7 6 5 4 3 2 1}" | tr ' ' '\n' | sort -rn); do run "${BACKEND:-}" "$shape" 33 "$degree"; done
      fi
      ;;
    shore)
      for degree in $(echo "${SHORE_DEGREES:-1 2 4}" | tr ' ' '\n' | sort -rn); do
        for equations in nonlinear shore bores sphere; do
          for entropy in 1 0; do
            case $equations$entropy in bores0 | sphere0) continue ;; esac
            prefix=shore- run "${BACKEND:-}" "$shape" "$cells" "$degree" -ways fused -equations $equations -entropy $entropy
          done
        done
      done
      ;;
    host)
      for degree in ${DEGREES:-1 2 3 4 5 6 7 8 9 10}; do run host "$shape" $((host_cells < 33 ? host_cells : 33)) "$degree" -reps 3; done # 1,089 elements: the thesis has 1,108
      for n in 128 64 16 8 2; do
        if [ "$n" -le "$host_cells" ]; then run host "$shape" "$n" "${DEGREE:-4}" -reps 3; fi
      done
      ;;
    *)
      echo "run-water.sh: SERIES has sizes, degrees, small, shore and host, not $series" >&2
      exit 2
      ;;
    esac
  done
  [ "$series" != host ] || wait # no one else then
  echo "-- $series after $SECONDS s"
done
wait
cat "$out"/cases/*.md >"$out/bench.md"
append "$out/water.csv" "$out"/cases/*.csv
append "$out/shore.csv" "$out"/cases/*.shore-csv
append "$out/kernels.csv" "$out"/cases/*.kernels
failed=$(find "$out/cases" -name '*.failed' | wc -l)
rm -rf "$out/cases"
if "$python" -c '' 2>/dev/null; then "$python" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
if [ ! -s "$out/water.csv" ]; then # the shore alone
  cat "$out/bench.md"
elif "$python" -c 'import numpy, matplotlib' 2>/dev/null; then
  "$python" benchmarks/waterfigures.py -o "$out" "$out" >"$out/water.md" 2>&1 || failed=$((failed + 1))
  cat "$out/water.md"
else
  cat "$out/bench.md"
  echo "There is no Python with matplotlib to draw figures: benchmarks/waterfigures.py $out does elsewhere"
fi
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
