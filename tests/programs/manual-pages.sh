#!/usr/bin/env bash
# Documentation in the sources: each public function has a manual page with all its parameters and an example, which is a part of a
# program that is compiled here; links between files of the repository; messages of docs/faq.md are printed by the sources.
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
python=${PLEXGPU_PYTHON:-python3}
if [ ! -e docs/site/check.py ] || [ ! -e docs/faq.md ] || ! "$python" -c '' 2>/dev/null; then
  echo "skip manual-pages: there is no docs/ here, or no Python"
  exit 0
fi
exec "$python" docs/site/check.py
