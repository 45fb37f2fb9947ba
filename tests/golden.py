#!/usr/bin/env python3
"""Golden hashes: whether a change that should leave all results alone does so to the last bit.

    tests/golden.py record FILE [TEST...]   runs tests (default: TESTS) emulated and writes a line "TEST NUMBER SHA-256" to FILE for each
                                            matrix and vector that they compare
    tests/golden.py compare OLD NEW         says what differs; exit status 1 if anything does

Record before and after, on one machine: basis tables come from LAPACK and points from libm, whose last bits depend on the processor.
The program build/tests/TEST is run as it is, so build first. Kernels are compiled with -O2. A test's own verdict is not looked at, but one that ends early is an error.
"""
import glob
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TESTS = ["assembly", "tensor", "lines", "vectors", "partial", "forms", "reorder"]
SHARDS = 8  # of those that have the option -shard


def hashes(path):
    """SHA-256 of each record: 8 bytes with the length of what follows."""
    found = []
    with open(path, "rb") as file:
        while head := file.read(8):
            data = file.read(struct.unpack("<q", head)[0])
            found.append(hashlib.sha256(data).hexdigest())
    return found


def run(test, part, folder):
    values = os.path.join(folder, test + part.replace("/", "of"))
    command = [os.path.join("build", "tests", test), "-backend", "emulate"] + (["-shard", part] if part else [])
    done = subprocess.run(command, env={**os.environ, "PLEXGPU_TEST_VALUES": values, "PLEXGPU_EMULATE_FLAGS": "-O2"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout[-2000:]}")
    path = values + ".0"
    return [f"{test}{' ' + part if part else ''} {k} {h}" for k, h in enumerate(hashes(path))] if os.path.exists(path) else []


def shards(test):
    with open(glob.glob(os.path.join("tests", "*", test + ".c"))[0], encoding="utf-8") as file:
        return [f"{k}/{SHARDS}" for k in range(SHARDS)] if "-shard <k>/<n>" in file.read() else [""]


def record(file, tests):
    parts = [(test, part) for test in tests for part in shards(test)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = [line for found in pool.map(lambda p: run(*p, folder), parts) for line in found]
    if not lines:
        sys.exit("No test recorded anything")
    with open(file, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines)
    print(f"{len(lines)} hashes in {file}")


def compare(old, new):
    def read(name):
        with open(name, encoding="utf-8") as file:
            return dict(line.rsplit(" ", 1) for line in file.read().splitlines())

    before, after = read(old), read(new)
    missing, differ = [k for k in before if k not in after], [k for k in before if k in after and before[k] != after[k]]
    for key in missing[:20]:
        print(f"missing: {key}")
    for key in differ[:20]:
        print(f"differs: {key}")
    print(f"{len(before)} before, {len(after)} after: {len(differ)} differ, {len(missing)} are missing")
    return 1 if differ or missing else 0


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "record":
        record(sys.argv[2], sys.argv[3:] or TESTS)
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
