#!/usr/bin/env python3
"""The layers of the library: which folder of src/ may use which.

    config/layers.py [BUILD]    reads the objects of a build (default: build); exit status 1 where a folder uses one above it

LAYERS is the order, lowest first. A file uses what its object leaves undefined and another object of the library defines. src/plexgpu.c, which
registers all classes, stands outside; so does geo, a library of its own, which is linked with files of io. The last lines are the largest circles: files of which each uses, by way of others, all of them.
"""
import collections
import os
import subprocess
import sys

LAYERS = ["util", "io", "backend", "dm", "assembly/source", "assembly/integrate", "assembly/impls", "assembly/interface", "assembly/tune", "dg", "hdg"]
LARGEST = 14  # files of a circle within assembly, most
OUTSIDE = {"plexgpu"}


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


def layer(name):
    folder = os.path.dirname(name)
    return next((k for k, top in enumerate(LAYERS) if folder == top or folder.startswith(top + "/")), None)


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
            if layer(other) > layer(name):
                symbols = sorted(s for s in undefined[name] if defined.get(s) == other)
                print(f"src/{name}.c uses src/{other}.c, which is above it: {', '.join(symbols)}")
                wrong += 1
    found = circles(uses)
    for circle in found[:4]:
        folders = collections.Counter(os.path.dirname(name) for name in circle)
        print(f"circle of {len(circle)} files: {', '.join(f'{folder} {n}' for folder, n in folders.most_common())}")
    large = [c for c in found if len(c) > LARGEST and not c[0].startswith(("dg/", "hdg/"))]
    for circle in large:
        print(f"too large, at most {LARGEST} files: {' '.join(circle)}")
    print(f"{len(uses)} files, {wrong} uses of a layer above")
    return 1 if wrong or large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "build"))
