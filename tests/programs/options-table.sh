#!/usr/bin/env bash
# Options: each one that -help prints is in a table of docs/, each one of the tables exists, and docs/options.md has what -help prints.
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
python=${PLEXGPU_PYTHON:-python3}
if [ ! -e docs/site/options.py ] || [ ! -e docs/options.md ] || ! "$python" -c '' 2>/dev/null; then
  echo "skip options-table: there is no docs/ here, or no Python"
  exit 0
fi
exec "$python" docs/site/options.py --check "${BUILD:-build}/examples"
