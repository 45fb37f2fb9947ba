#!/usr/bin/env bash
# docs.sh FOLDER [check]: the documentation site, FOLDER/html, by Sphinx in a Python environment of its own in the cache.
# With "check" its pages are made anew, and then checked: no warning, no dead link, code that runs runs (docs/site/check.py).
# Called by `make docs` and `make check-docs`. An environment that is there needs no network.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
folder=${1:?usage: config/docs.sh FOLDER [check]}
. config/common.sh
packages="sphinx==9.* myst-parser==5.* pydata-sphinx-theme==0.24.* sphinx-copybutton==0.5.* matplotlib==3.10.*"

docs_install() {
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --no-cache-dir $packages
  touch "$venv/done"
}

venv=$cache/docs-$(key_of "$packages" "$(python3 --version)")
if [ ! -e "$venv/done" ]; then
  python3 -c "import ensurepip, venv" 2>/dev/null ||
    fail "the site needs Python 3 with venv: apt-get install python3-venv, or run make once, which installs it"
  lock_cache
  [ -e "$venv/done" ] || step docs-environment "under a minute" docs_install
fi
[ "${2:-}" != check ] || rm -rf "$folder/source" "$folder/doctrees"
mkdir -p "$folder"
"$venv/bin/python" docs/site/stage.py "$folder"
"$venv/bin/python" -m sphinx -q -W --keep-going -j auto -b html -d "$folder/doctrees" "$folder/source" "$folder/html"
say "the site: $folder/html/index.html"
[ "${2:-}" != check ] || exec "$venv/bin/python" docs/site/check.py "$folder"
