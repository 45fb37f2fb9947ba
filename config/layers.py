#!/usr/bin/env python3
"""The layers of the library: which folder of src/ may use which.

    config/layers.py [BUILD]    reads the objects of a build (default: build); exit status 1 where a folder uses one
                                above it, or where a circle is too large

LAYERS is the order, lowest first; a folder that is not named in it belongs to the one that holds it. A file uses what
its object leaves undefined and another object of the library defines, and the headers that it includes: HEADERS says
whose those of include/ are. src/plexgpu.c, which registers all classes, stands outside; so does geo, a library of its
own, which is linked with files of io. The last lines are the largest circles: files of which each uses, by way of
others, all of them. A circle of more than LARGEST files is an error.

Besides, each file begins with a comment that says what it holds, and what computes an integral reads what belongs to
the whole by way of its owner: asm_->owner->memory, not asm_->memory.
"""
import collections
import os
import re
import subprocess
import sys

LAYERS = ["util", "io", "backend", "dm", "view",
          "assembly/source", "assembly/integrate", "assembly/plan", "assembly/impls", "assembly/interface", "assembly/tune", "assembly/multigrid",
          "dg/nodal", "dg/systems", "dg/core", "dg/quadrature", "dg/impls", "dg/interface", "dg/output", "dg/ts", "dg", "hdg"]
APART = {("hdg", "dg")}  # folders: the first does not use the second, or folders in it, though it is above
LARGEST = 12  # files of a circle, most
OUTSIDE = {"plexgpu"}
INTEGRALS = ("assembly/integrate", "assembly/plan", "assembly/impls")  # whose functions get an integral, which may not be its owner
HEADERS = {
    "plexgpu/private/util.h": "util",
    "plexgpuversion.h": "util",
    "plexgpubackend.h": "backend",
    "plexgpu/private/backendimpl.h": "backend",
    "plexgpumesh.h": "dm",
    "plexgpu/private/meshimpl.h": "dm",
    "plexgpuview.h": "view",
    "plexgpu/private/sourceimpl.h": "assembly/source",
    "plexgpuassembly.h": "assembly/integrate",
    "plexgpu/private/assemblyimpl.h": "assembly/integrate",
    "plexgpu/private/tuneimpl.h": "assembly/tune",
    "plexgpudg.h": "dg/nodal",
    "plexgpu/private/dgimpl.h": "dg/nodal",
    "plexgpu/dg_system.h": "dg/systems",
    "plexgpuhdg.h": "hdg",
    "plexgpu/private/hdgimpl.h": "hdg",
}


def read(build):
    """Symbols that each object defines, and those that it leaves undefined."""
    root = os.path.join(build, "obj", "src")
    defined, undefined = {}, {}
    for folder, _, files in os.walk(root):
        for file in files:
            if not file.endswith(".o"):
                continue
            name = os.path.relpath(os.path.join(folder, file), root)[:-2]
            if name in OUTSIDE or name.startswith(("preload/", "geo/")) or not os.path.exists(os.path.join("src", name + ".c")):
                continue
            undefined[name] = set()
            for line in subprocess.run(["nm", os.path.join(folder, file)], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
                words = line.split()
                if len(words) == 2 and words[0] == "U":
                    undefined[name].add(words[1])
                elif len(words) == 3 and words[1] in "TDBRC":
                    defined[words[2]] = name
    return defined, undefined


def within(folder, top):
    return folder == top or folder.startswith(top + "/")


def layer(name):
    folder = os.path.dirname(name)
    return next((k for k, top in enumerate(LAYERS) if within(folder, top)), None)


def may_use(own, other):
    return other <= own and not any(within(LAYERS[own], a) and within(LAYERS[other], b) for a, b in APART)


def included(path):
    """Headers that a file includes: those of HEADERS by their names, and those of src/ by their paths there."""
    with open(path, encoding="utf-8") as file:
        for mark, name in re.findall(r'^\s*#\s*include ([<"])([^>"]+)[>"]', file.read(), re.M):
            if mark == "<" and name.startswith("plexgpu"):
                yield name
            elif mark == '"' and path.startswith("src/"):
                yield os.path.relpath(os.path.join(os.path.dirname(path), name), "src")


def layer_of_header(name):
    top = HEADERS.get(name)
    return LAYERS.index(top) if top else layer(name)


def includes_above():
    """Says which file includes a header of a layer above its own, or one that no layer has; how many do."""
    wrong = 0
    paths = [os.path.join(folder, f) for folder, _, files in os.walk("src") for f in files if f.endswith((".c", ".h"))]
    for path in sorted(paths) + [os.path.join("include", name) for name in HEADERS]:
        own = layer_of_header(os.path.relpath(path, "src" if path.startswith("src/") else "include"))
        if own is None:
            continue  # src/plexgpu.c, preload, geo
        for name in included(path):
            other = layer_of_header(name)
            if other is None and name != "plexgpu/dg_loops.h" or other is not None and not may_use(own, other):
                print(f"{path} includes {name}, which is {'in no layer' if other is None else 'above it or apart'}")
                wrong += 1
    return wrong


def members_of_the_whole():
    """Those of PlexAssembly behind the comment that says so."""
    with open("include/plexgpu/private/assemblyimpl.h", encoding="utf-8") as file:
        text = file.read().split("---- The whole", 1)[1].split("*/", 1)[1].split("\n};", 1)[0]
    declarations = re.sub(r"/\*.*?\*/", "", text, flags=re.S).split(";")
    return {re.sub(r"\W|\d", "", name.split("[")[0].split()[-1]) for d in declarations if d.strip() for name in d.split(",")}


def reads_of_integrals():
    """Says where a member of the whole is read of an integral itself; how many times."""
    members, wrong = members_of_the_whole(), 0
    for path in sorted(os.path.join(folder, f) for top in INTEGRALS for folder, _, files in os.walk(os.path.join("src", top)) for f in files):
        with open(path, encoding="utf-8") as file:
            for k, line in enumerate(file, 1):
                for name in re.findall(r"\basm_->(\w+)", line):
                    if name in members:
                        print(f"{path}:{k} reads asm_->{name}, which only the owner has: asm_->owner->{name}")
                        wrong += 1
    return wrong


def circles(uses):
    """Strongly connected components of more than one file (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in uses[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for v in sorted(uses):
        if v not in index:
            visit(v)
    return sorted(found, key=len, reverse=True)


def begins_with_comment(path):
    with open(path) as file:
        return file.read(2) == "/*"


def main(build):
    defined, undefined = read(build)
    if not undefined:
        sys.exit(f"There are no objects in {build}/obj/src: run make first")
    uses = {name: {defined[s] for s in symbols if s in defined and defined[s] != name} for name, symbols in undefined.items()}
    wrong = 0
    for name in sorted(uses):
        if layer(name) is None:
            sys.exit(f"src/{name}.c is in no layer: add its folder to LAYERS in config/layers.py")
        for other in sorted(uses[name]):
            if not may_use(layer(name), layer(other)):
                symbols = sorted(s for s in undefined[name] if defined.get(s) == other)
                print(f"src/{name}.c uses src/{other}.c, which is above it or apart: {', '.join(symbols)}")
                wrong += 1
    wrong += includes_above()
    reads = reads_of_integrals()
    found = circles(uses)
    for circle in found[:4]:
        folders = collections.Counter(os.path.dirname(name) for name in circle)
        print(f"circle of {len(circle)} files: {', '.join(f'{folder} {n}' for folder, n in folders.most_common())}")
    large = [c for c in found if len(c) > LARGEST]
    for circle in large:
        print(f"too large, at most {LARGEST} files: {' '.join(circle)}")
    silent = [name for name in sorted(uses) if not begins_with_comment(f"src/{name}.c")]
    for name in silent:
        print(f"src/{name}.c does not begin with a comment that says what it holds")
    print(f"{len(uses)} files, {wrong} uses of a layer above")
    return 1 if wrong or reads or large or silent else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "build"))
