# Shared by the set-up scripts: messages, timed steps, and where things are kept.
# Sourced, not run. Expects $top, the root of the checkout.

cache=${PLEXGPU_CACHE:-$HOME/.cache/plexgpu}
logs=$cache/logs

say()  { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

# step NAME EXPECTED COMMAND...: run a long command with its output in a log, say how long it takes,
# and show the end of the log when it fails. NAME is also the log's name. The command has its own process group, so that
# an interruption ends all of it.
step() {
  local name=$1 expected=$2 log started=$SECONDS pid
  shift 2
  mkdir -p "$logs"
  log=$logs/$name.log
  say "$name: started (expect $expected; log: $log)"
  set -m
  "$@" </dev/null >"$log" 2>&1 &
  pid=$!
  set +m
  trap 'interrupted "$pid"' INT TERM HUP
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    if [ $(((SECONDS - started) % 60)) -eq 59 ]; then say "$name: $((SECONDS - started + 1)) s ..."; fi
  done
  trap - INT TERM HUP
  if wait "$pid"; then
    say "$name: done in $((SECONDS - started)) s"
  else
    tail -n 30 "$log" >&2
    fail "$name failed after $((SECONDS - started)) s; the whole output is in $log"
  fi
}

interrupted() { # PROCESS-GROUP
  trap '' INT TERM HUP
  kill -TERM -- "-$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
  say "interrupted: run the same command again to go on from here"
  exit 130
}

# One set-up at a time: a second one waits for the first.
lock_cache() {
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  if ! flock -n 9; then
    say "another set-up is using $cache: waiting for it"
    flock 9
  fi
}

# A short key for a set of words: the first eight hexadecimal digits of their SHA-256.
key_of() { printf '%s\n' "$@" | sha256sum | cut -c1-8; }

# Whether a C program, given as lines, compiles and links: compiles ARGUMENTS -- LINE...
compiles() {
  local arguments=() dir status=0
  while [ "$1" != -- ]; do arguments+=("$1"); shift; done
  shift
  dir=$(mktemp -d)
  printf '%s\n' "$@" >"$dir/try.c"
  $(c_compiler) -o "$dir/try" "$dir/try.c" "${arguments[@]}" >/dev/null 2>&1 || status=1
  rm -rf "$dir"
  return $status
}

# PETSc's compiler, of the PETSc that is to be used; else an MPI's, or one that the environment names
c_compiler() {
  if [ -n "${PETSC_DIR:-}" ]; then petsc_compiler
  elif command -v mpicc >/dev/null; then echo mpicc
  else echo "${CC:-cc}"; fi
}
