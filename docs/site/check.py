"""check.py FOLDER: what `make check-docs` looks at, in FOLDER/html and the pages that it is made of. Without FOLDER: the
pages and manual pages in the sources alone, which the test `manual-pages` looks at; this needs Python and nothing else.

Lines `ok` and `not ok`; the last one is the sum. Links to other sites are listed in FOLDER/external-links.txt, and fetched
where PLEXGPU_DOCS_EXTERNAL is set. Programs are those of build/.
"""

import html.parser
import os
import posixpath
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import manualpages
import messages
import repository
from repository import TOP

passed = failed = 0


def verdict(what, wrong):
    global passed, failed
    print(f"{'not ok' if wrong else 'ok'} docs: {what}")
    for line in wrong:
        print(f"  {line}")
    passed, failed = passed + (not wrong), failed + bool(wrong)


# Links ---------------------------------------------------------------------------------------------------------------


def repository_links():
    """Links between files of the repository, as a hosting service shows them"""
    wrong, count, known = [], 0, {}
    pages = [*repository.places(), "README.md"]
    for page in pages:
        for picture, text, target in repository.links((TOP / page).read_text()):
            found = repository.resolve(page, target)
            if found is None:
                continue
            count += 1
            path, anchor = found
            here = (TOP / path).exists()
            made = path.startswith(("docs/manual/", "docs/python/", "docs/figures/"))  # of the site alone
            if not here and not made:
                wrong.append(f"{page}: {target} is not there")
            elif anchor and path.endswith(".md") and here:
                if path not in known:
                    known[path] = repository.anchors(TOP / path)
                if anchor not in known[path]:
                    wrong.append(f"{page}: {target}: no heading has this anchor")
    verdict(f"{count} links between files of the repository", wrong)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("id", "name"):
            if attrs.get(name) and (name == "id" or tag == "a"):
                self.ids.add(attrs[name])
        for name in ("href", "src"):
            if attrs.get(name):
                self.targets.append(attrs[name])


def site_links(folder):
    """Links of the HTML pages: files and marks"""
    pages = {p.relative_to(folder).as_posix(): Page(p.read_text()) for p in folder.rglob("*.html") if "_static" not in p.parts}
    wrong, count, external = set(), 0, {}
    for name, page in pages.items():
        for target in page.targets:
            if re.match(r"https?:", target):
                external.setdefault(target, name)
            if re.match(r"[a-z]+:|//", target):
                continue
            count += 1
            path, _, mark = target.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (folder / path).is_file():
                wrong.add(f"{name}: {target} is not there")
            elif mark and path in pages and urllib.parse.unquote(mark) not in pages[path].ids:
                wrong.add(f"{name}: {target}: there is no such mark")
    verdict(f"{count} links of {len(pages)} pages of the site", sorted(wrong)[:40])
    return external


def external_links(folder, external):
    (folder / "external-links.txt").write_text("".join(f"{target}  {page}\n" for target, page in sorted(external.items())))
    if not os.environ.get("PLEXGPU_DOCS_EXTERNAL"):
        print(f"skip docs: {len(external)} links to other sites are listed in {folder}/external-links.txt, not fetched")
        return
    wrong = []
    for target, page in sorted(external.items()):
        try:
            urllib.request.urlopen(urllib.request.Request(target, headers={"User-Agent": "Mozilla/5.0"}), timeout=20).close()
        except Exception as error:  # of any kind: the link is dead
            wrong.append(f"{page}: {target}: {error}")
    verdict(f"{len(external)} links to other sites", wrong)


# Contents ------------------------------------------------------------------------------------------------------------


def manual():
    declared, pages = manualpages.prototypes(), manualpages.comments()
    verdict(f"{len(declared)} public functions have a manual page", [f"{n} of {h} has none" for n, h in declared.items() if n not in pages])
    among = manualpages.programs()
    functions = [p for p in pages.values() if p.kind == "function" and p.level != "developer"]
    verdict(f"{len(functions)} functions have an example", [p.name for p in functions if not manualpages.example(p.name, p.kind, among)])
    verdict("see also names pages", sorted({f"{n}: {s}" for n, p in pages.items() for s in p.seealso if s.startswith("Plex") and s.removesuffix("()") not in pages}))
    wrong = []
    for name, page in pages.items():
        listed = {part.strip().strip("`") for title, lines in page.sections if "Parameter" in title for line in lines if re.match(r"[+.-] ", line) for part in line[2:].split(" - ")[0].split(",")}
        if page.kind == "function":
            args = {re.sub(r"\[.*", "", a).split()[-1].lstrip("*").rstrip("_") for a in parameters(page.synopsis)}
            missing = {a for a in args if a and not any(a in (t, t.rstrip("_")) for t in listed)}
            if listed and len(listed) < len(args) or not listed and args:
                wrong.append(f"{name}: {', '.join(sorted(missing))}")
    verdict("manual pages have all parameters", wrong)


def parameters(synopsis):
    inside = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", synopsis[synopsis.index("(") + 1 : synopsis.rindex(")")])
    return [] if inside.strip() in ("void", "") else [a.strip() for a in inside.split(",")]


def pictures():
    files = sorted((TOP / "docs" / "pictures").glob("*.png"))
    verdict(f"{len(files)} pictures of 150 kB at most, 16 at most", [f"{p.name}: {p.stat().st_size} bytes" for p in files if p.stat().st_size > 150000] + [f"{len(files)} pictures"] * (len(files) > 16))


def faq():
    count, wrong = messages.check()
    verdict(f"{count} messages of docs/faq.md are printed by the sources", wrong)


def listed():
    """Programs have a row in the README of their folder; tests of a program on several processes may be named -2 or -parallel there"""
    wrong, count = [], 0
    for folder, patterns in (("examples", ("*.c", "*.py")), ("benchmarks", ("*.c", "*.py", "*.sh")), ("tests", ("*/*.c", "*/*.sh"))):
        text = (TOP / folder / "README.md").read_text()
        words = set(re.findall(r"[\w*-]+", text))
        for path in sorted(p for pattern in patterns for p in (TOP / folder).glob(pattern)):
            count += 1
            name = re.sub(r"-(?:\d|[a-z]+)$", "", path.stem)
            if not {name, path.stem, re.sub(r"_?\w*$", "*", name), re.sub(r"\d+$|_.*$", "", name) + "*"} & words:
                wrong.append(f"{folder}/README.md does not name {path.relative_to(TOP)}")
    verdict(f"{count} programs have a row in the README of their folder", wrong)


def readme():
    text = (TOP / "README.md").read_text()
    lines = text.count("\n")
    verdict("README.md is a screen, 80 lines at most, and names the tests", [f"{lines} lines"] * (lines > 80) + [f"`{c}` is not in it" for c in ("make check", "make check-python") if c not in text])


def search(folder):
    """The index of the site's search finds what people look for, on the right pages"""
    import json

    from sphinx.search.en import SearchEnglish

    text = (folder / "searchindex.js").read_text()
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    stem = SearchEnglish({}).stem
    wrong = []
    for word, page in (("atomics", "howto/repeatable"), ("Dirichlet", "hdg"), ("RCS", "howto/rcs"), ("wetting", "dgquadrature"), ("tuning", "guide")):
        found = []
        for kind in ("terms", "titleterms"):
            pages = index[kind].get(stem(word.lower()), [])
            found += [index["docnames"][k] for k in (pages if isinstance(pages, list) else [pages])]
        if page not in found:
            wrong.append(f"{word}: {page} is not among {', '.join(found) or 'none'}")
    verdict("the search finds atomics, Dirichlet, RCS, wetting and tuning", wrong)


# Code ----------------------------------------------------------------------------------------------------------------

BLOCK = re.compile(r"<!-- (file|run|run python|output)(?:: (\S+))? -->\n```(\w*)\n(.*?)^```", re.M | re.S)


def prefix(folder):
    """What looks like an installation, of the library in build/"""
    root = folder / "prefix"
    (root / "lib" / "pkgconfig").mkdir(parents=True, exist_ok=True)
    for name in [p.name for p in (TOP / "build" / "lib").glob("*.so*")]:
        link = root / "lib" / name
        link.unlink(missing_ok=True)
        link.symlink_to(TOP / "build" / "lib" / name)
    petsc = [os.environ["PETSC_DIR"], os.path.join(os.environ["PETSC_DIR"], os.environ.get("PETSC_ARCH", ""))]
    values = dict(
        prefix=root, libdir=root / "lib", includedir=TOP / "include", datadir=root / "share", version="0", library="libplexgpu.so.0",
        petsc_cflags=" ".join(f"-I{d}/include" for d in petsc), petsc_libs=f"-Wl,-rpath,{petsc[1]}/lib -L{petsc[1]}/lib -lpetsc",
    )
    text = re.sub(r"@(\w+)@", lambda m: str(values[m[1]]), (TOP / "plexgpu.pc.in").read_text())
    (root / "lib" / "pkgconfig" / "plexgpu.pc").write_text(text)
    return root


NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?")


def pattern(line):
    """A line of output whose numbers may be others: names of processors and counts of what is stored differ too"""
    line = re.sub(r"backend: host \(.*\);", "backend: host (NAME);", line)
    return NUMBER.sub("#", " ".join(line.split()))


def results(line):
    """Its numbers with a point and five digits or more, which are results; times have fewer. The others are None"""
    found = [n.rstrip(".,").replace(",", "") for n in NUMBER.findall(line)]
    return [float(n) if "." in n and len(re.sub(r"e.*|\D", "", n).lstrip("0")) >= 5 else None for n in found]


def printed(line, lines):
    """Whether one of the lines is this one, results to 1e-3"""
    same = [results(other) for other in lines if pattern(other) == pattern(line)]
    near = lambda a, b: a is None or (b is not None and abs(a - b) <= 1e-3 * abs(a))
    return any(all(map(near, results(line), other)) for other in same)


SETTING = re.compile(r"^(?:export +\w+=|unset +\w|\w+=(?:\"[^\"]*\"|\S*) *(?:#.*)?$).*\n", re.M)  # of the shell


def blocks(folder):
    if not os.environ.get("PETSC_DIR"):
        print("skip docs: code is not run, as PETSC_DIR is not set; `make check-docs` sets it")
        return
    root = prefix(folder)
    env = dict(os.environ, PLEXGPU=str(root), PKG_CONFIG_PATH=str(root / "lib" / "pkgconfig"), OMP_NUM_THREADS="1")
    for page in repository.places():
        text = (TOP / page).read_text()
        found = BLOCK.findall(text)
        if not found:
            continue
        place = folder / "run" / page.replace("/", "-").removesuffix(".md")
        subprocess.run(["rm", "-rf", str(place)], check=True)
        place.mkdir(parents=True)
        for name in ("build", "examples"):
            (place / name).symlink_to(TOP / name)
        output, wrong, count, unbuilt, shell, python = "", [], 0, {}, "", (TOP / "build/python/bin/python").exists()
        everything = "".join(b for kind, _, _, b in found if kind == "run")
        for kind, name, language, body in found:
            if kind == "file":
                (place / name).write_text(body)
                if language == "c" and "int main" in body and name not in everything:
                    unbuilt[name] = body
            elif kind == "output" and output is not None:
                have = output.splitlines()
                wrong += [f"is not printed: {line}" for line in body.splitlines() if line.strip() and not printed(line, have)]
            elif kind == "run python" and not python:
                output = None
                print(f"skip docs: {page}: Python is not run, as there is no build/python; `make python` makes it")
            elif kind.startswith("run"):
                count += 1
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", shell + body], cwd=place, env=env, capture_output=True, text=True, timeout=300)
                output = done.stdout + done.stderr
                shell += "".join(SETTING.findall(body))
                if done.returncode:
                    wrong.append(f"status {done.returncode}: {body.splitlines()[0]} ...: {output[-600:]}")
        for name in unbuilt:
            done = subprocess.run(f"mpicc -o {name}.out {name} $(pkg-config --cflags --libs plexgpu) -lm", shell=True, cwd=place, env=env, capture_output=True, text=True)
            wrong += [f"{name}: {done.stderr[-600:]}"] * (done.returncode != 0)
        verdict(f"{page}: {count} blocks run, {len(unbuilt)} programs compile", wrong)


def of_sources():
    repository_links()
    manual()
    pictures()
    faq()
    listed()
    readme()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__.splitlines()[0])
    of_sources()
    if len(sys.argv) == 2:
        folder = Path(sys.argv[1]).resolve()
        external_links(folder, site_links(folder / "html"))
        search(folder / "html")
        blocks(folder)
        print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
