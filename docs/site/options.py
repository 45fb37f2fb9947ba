"""Options: those that -help prints, those that the pages document, those that the sources read.

options.py --write PROGRAMS    docs/options.md gets the table of what -help of the programs prints
options.py --check PROGRAMS    each option of -help is in a table of docs/, and the other way round; lines `ok` and `not ok`

PROGRAMS is the folder of the examples, build/examples.
"""

import html
import os
import re
import subprocess
import sys
import tempfile

import repository
from repository import TOP

DOCUMENT = TOP / "docs" / "options.md"
TABLES = ["options.md", "building.md", "assembly.md", "backend.md", "dg.md", "maxwell.md", "dgquadrature.md", "hdg.md"]
BEGIN, END = "<!-- help -->", "<!-- end of help -->"
RUNS = [  # programs that make all classes, on small meshes
    "heat -mesh examples/plate-coarse.msh",
    "maxwell_cavity -cells 1 -plex_dg_degree 1 -time 0.01 -ts_type lowstorage",
    "shallow_water -cells 2 -plex_dg_degree 1 -time 0.01",
    "hdg_helmholtz -plex_hdg_degree 1",
]
OURS = re.compile(r"-plex(?:gpu)?_[a-z]\w*|-ts_(?:lowstorage|multirate)_\w+")
# of solvers that have PETSc's options behind the prefix of ours
PETSC = re.compile(r"-plex_hdg_(?:ksp|pc|mg|mat|fieldsplit|st)_")
HELP = re.compile(r"\s+(-\w+)(?::|\s)\s*(?:<(?:now .* : formerly )?(.*?)>)?:?\s*(.*)\s\(([\w()]*)\)\s*$")


def printed(folder):
    """{option: (default, text, function)} of what -help prints"""
    found = {}
    with tempfile.TemporaryDirectory() as tmp:
        for run in RUNS:
            program, *args = run.split()
            command = [os.path.join(folder, program), *args, "-plex_assembly_backend", "host", "-plex_dg_backend", "host", "-plex_hdg_backend", "host", "-help"]
            done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=120, env=dict(os.environ, TMPDIR=tmp))
            if done.returncode:
                sys.exit(f"{' '.join(command)}: {done.stderr[-500:]}")
            for line in done.stdout[done.stdout.index("Options for all PETSc programs") :].splitlines():  # behind the program's own text
                m = HELP.match(line)
                # constants of systems, which each has others of, are the row -plex_dg_<name>
                if m and OURS.fullmatch(m[1]) and not PETSC.match(m[1]) and not m[3].endswith("of the system"):
                    found.setdefault(m[1], (m[2] or "", m[3], m[4]))
    return found


def names(cell, known):
    """Options of the first cell of a row; `_other` after an option is that option with another end"""
    found, last = [], ""
    for code in re.findall(r"`([^`]+)`", cell):
        name = code.split(" ")[0]
        if name.startswith("-"):
            last = name
            found.append(name)
        elif name.startswith("_<"):
            found.append(last + name)
        elif name.startswith("_"):
            parts = last.split("_")
            ends = ["_".join(parts[:k]) + name for k in range(len(parts), 1, -1)]
            found.append(next((e for e in ends if e in known), ends[0]))
    return found


def tables(known=()):
    """{option: page} of the first two columns of tables that have options there; without what -help has written"""
    found = {}
    for page in TABLES:
        text = re.sub(rf"{BEGIN}.*?{END}", "", (TOP / "docs" / page).read_text(), flags=re.S)
        for cells in re.findall(r"^\|([^|\n]*)\|([^|\n]*)\|", text, re.M):
            for name in [n for cell in cells if cell.strip().startswith("`-") for n in names(cell, known)]:
                if OURS.match(name):
                    found.setdefault(name, page)
    return found


def read():
    """Names that the sources have as text"""
    text = "".join(p.read_text() for p in (TOP / "src").rglob("*.[ch]"))
    return {"-" + name.lstrip("-") for name in re.findall(r'"(-?plex\w+|-ts_\w+)"', text)}


def of_manual():
    """Options of the sections of the manual pages"""
    import manualpages

    return {o for page in manualpages.comments().values() for o in page.options}


def anchor(name):
    return name.lstrip("-")


def rows():
    """{option: line} of the table that -help has written"""
    text = DOCUMENT.read_text()
    part = text[text.index(BEGIN) : text.index(END)]
    return {m[1]: m[0] for m in re.finditer(r"^\| `(-\w+)`.*$", part, re.M)}


documented = rows


def with_anchors(text):
    """The table with a mark at each option, for links"""
    head, rest = text.split(BEGIN)
    part, tail = rest.split(END)
    part = re.sub(r"^\| `-(\w+)`", r'| <span id="\1"></span>`-\1`', part, flags=re.M)
    return head + part + tail


def table(found):
    """The table of -help, a part for each class"""
    parts = [("Assembly", "-plex_assembly"), ("Discontinuous Galerkin", "-plex_dg"), ("Hybridized DG", "-plex_hdg"), ("All classes", "-")]
    out, left = [], dict(found)
    for title, start in parts:
        mine = [o for o in left if o.startswith(start)]
        if not mine:
            continue
        out += [f"### {title}", "", "| option | values (default) | meaning | function |", "|---|---|---|---|"]
        for name in mine:
            default, text, function = left.pop(name)
            choice = re.search(r"\s*\((?:choose )?one of\) (.*)$", text)
            values = ""
            if choice:
                text = text[: choice.start()]
                values = ", ".join(f"`{v}`" for v in choice[1].split())
            elif default in ("TRUE", "FALSE"):
                values = "bool"
                default = default.lower()
            if re.match(r"ascii|\[|:", text) or function.startswith("PetscOptionsCreateViewer"):
                values, text, function, default = "viewer", "View it", "", ""
            if default and default != "(null)":
                default = re.sub(r"\.(?=$|,)", "", default)
                values += f" (`{default}`)" if values else f"`{default}`"
            link = f"`{function}()`" if function.startswith("Plex") and " " not in function else ""
            cell = lambda s: html.escape(s, quote=False).replace("|", "\\|")
            out.append(f"| `{name}` | {values.replace('|', chr(92) + '|')} | {cell(text)} | {link} |")
        out.append("")
    return "\n".join(out)


def write(folder):
    text = DOCUMENT.read_text()
    new = re.sub(rf"{BEGIN}.*?{END}", lambda m: f"{BEGIN}\n\n{table(printed(folder))}\n{END}", text, flags=re.S)
    DOCUMENT.write_text(new)


def check(folder):
    found, manual, sources = printed(folder), of_manual(), read()
    exist = set(found) | sources
    hand = tables(exist)
    bad = 0

    def verdict(what, missing, way_out):
        nonlocal bad
        bad += bool(missing)
        print(f"{'not ok' if missing else 'ok'} options: {what}")
        for name in sorted(missing):
            print(f"  {name}: {way_out}")

    verdict(f"{len(found)} options of -help are in a table of docs/", set(found) - set(hand), "add a row to docs/options.md, dg.md, maxwell.md, dgquadrature.md or hdg.md")
    # what ends in ... stands for several, and <name> for what a program names
    fixed = {o for o in hand if "<" not in o and not o.endswith("...")}
    known = lambda o: o in exist or o in manual
    verdict(f"{len(fixed)} options of the tables exist", {o for o in fixed if not known(o)}, "neither -help, nor a manual page, nor the sources have it")
    verdict("docs/options.md has what -help prints", set(found) ^ set(rows()), "run docs/site/options.py --write build/examples")
    return bad


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("--write", "--check"):
        sys.exit(__doc__)
    if sys.argv[1] == "--write":
        write(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2]) > 0)
