#!/usr/bin/env python3
"""PETSc's own finite element programs, with PlexGPU and without: whose cases it takes over, and whether the results are the same.

petscprograms.py [-b FOLDER] [-o FOLDER] [-j JOBS] [-t SECONDS] [-c TOLERANCE] [-B BACKEND] [-k] [PROGRAM[:CASE]...]

  -b FOLDER     where lib/ and config.mk are (default build)
  -o FOLDER     for cases.csv, table.md, and a folder of outputs for each case (default build/petscprograms)
  -j JOBS       cases at a time (2)
  -t SECONDS    time limit of a run (120)
  -c TOLERANCE  of -plex_assembly_check, in a third run; 0: none (1e-9)
  -B BACKEND    host or emulate (host). With emulate, pointwise functions whose source cannot be taken are left to PETSc
  -k            keeps the results of cases that were run before, in the same folder
  PROGRAM       as snes/tutorials/ex13, and :CASE the name of one of its tests; default: all

Programs are the C files of src/*/tests and src/*/tutorials of PETSc that set the weak form of a DMPlex. Cases are their tests, as the block TEST of
each file has them, which this PETSc and this machine (without a GPU) can run. Of the values of a {{loop}} with one output the first is taken.
A case is run by PETSc alone, with libplexgpu_preload.so, and with it and -plex_assembly_check, which compares every entry of every residual and
Jacobian; one in which PETSc assembles nothing is not run a third time. PETSc's log says who assembled. Outputs are the same if their words are and
their numbers differ by at most 1e-6 of the larger one, 1e-8, or one in the last digit that is printed.
"""
import argparse
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SETS_FORM = re.compile(r"PetscDSSet(Bd)?(Residual|Jacobian)|PetscWeakFormSet|PetscWeakFormAdd")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
UNUSED = re.compile(r"WARNING! There are options|WARNING! could be|There (is|are) (one|\d+) unused|Option left: name:|$")
BY_PETSC = ("DMPlexResidualFE", "DMPlexJacobianFE")
HERE = ("PlexResidual", "PlexJacobian")


class Setup:
    def __init__(self, options):
        self.build, self.out = os.path.abspath(options.build), os.path.abspath(options.out)
        with open(os.path.join(self.build, "config.mk"), encoding="utf-8") as file:
            known = dict(re.findall(r"^(\w+) *:= *(.*)$", file.read(), re.M))
        self.petsc, self.arch = known["PETSC_DIR"], known["PETSC_ARCH"]
        prefix = os.path.join(self.petsc, self.arch)
        with open(os.path.join(prefix, "include", "petscconf.h"), encoding="utf-8") as file:
            self.defined = set(re.findall(r"^#define (PETSC_\w+)", file.read(), re.M))
        if not os.path.exists(os.path.join(self.petsc, "config", "testparse.py")):
            sys.exit(f"{self.petsc} has no sources of PETSc")
        self.flags = subprocess.run(
            ["make", "-s", "-f", "-", "flags"], text=True, check=True, stdout=subprocess.PIPE,
            input=f"PETSC_DIR={self.petsc}\nPETSC_ARCH={self.arch}\ninclude {prefix}/lib/petsc/conf/petscvariables\n"
                  "flags: ; @echo '$(CC) -std=gnu11 -O1 -g -w $(PETSC_CC_INCLUDES)'; echo '$(EXEFLAGS) $(CC_LINKER_FLAGS) $(PCC_LINKER_FLAGS) $(PETSC_LIB) -lm'\n",
        ).stdout.splitlines()
        self.options = options

    def has(self, word):
        """Whether a word of "requires" holds"""
        if word.startswith("!"):
            return not self.has(word[1:])
        if found := re.fullmatch(r"defined\((\w+)\)", word):
            return found[1] in self.defined
        if word in ("complex", "single", "__float128", "datafilespath", "cuda", "hip", "kokkos", "kokkos_kernels", "sycl", "64bitptr", "todo"):
            return word == "64bitptr"
        if word in ("double", "c99", "x", "c"):
            return word != "x"
        return {"PETSC_HAVE_" + word.upper(), "PETSC_USE_" + word.upper()} & self.defined != set()


def cases_of(setup, source):
    """(name, processes, arguments, files, why not) of the tests of a program"""
    import testparse

    parsed = testparse.parseTestFile(source, 0)[os.path.basename(source)]
    of_program = parsed.get("requires", "")
    for name, test in parsed.items():
        if not isinstance(test, dict):
            continue
        parts = [test] if not test.get("subtests") else [{**test, **test[sub], **{key: f"{test.get(key, '')} {test[sub].get(key, '')}" for key in ("args", "requires")}}
                                                         for sub in test["subtests"]]
        for k, part in enumerate(parts):
            args = re.sub(r"\{\{\s*([^\s}]+)[^}]*\}(?:[a-z]+ output)?\}?", r"\1", part.get("args", ""))
            missing = [word for word in (of_program + " " + part.get("requires", "")).split() if not setup.has(word)]
            why = "todo" if "TODO" in part or "SKIP" in part else " ".join(missing)
            if "{{" in args:
                why = "a loop"
            processes = int(re.sub(r"\D*(\d+).*", r"\1", part.get("nsize", "1")))
            yield name[3:] + (f"-{k}" if len(parts) > 1 else ""), processes, args, part.get("localrunfiles", ""), why


def counts(path):
    """How often events were logged, in all stages"""
    found = dict.fromkeys(BY_PETSC + HERE, 0)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                words = line.split()
                if len(words) > 1 and words[0] in found and words[1].isdigit():
                    found[words[0]] += int(words[1])
    return found


def last_digit(number):
    """What one more in the last digit of a number with a point adds; 0 of an integer"""
    mantissa, _, exponent = number.lower().partition("e")
    _, point, digits = mantissa.partition(".")
    return 10.0 ** (int(exponent or 0) - len(digits)) if point else 0.0


def same(a, b):
    """Whether two outputs are: None, or where they differ. What is said of options that were not used, as PlexGPU's are where it is not needed, does not count"""
    a, b = ([line for line in text.splitlines() if not UNUSED.match(line)] for text in (a, b))
    for k, (x, y) in enumerate(zip(a, b)):
        if NUMBER.sub("#", x).split() != NUMBER.sub("#", y).split():
            return f"line {k + 1}: '{x.strip()}' and '{y.strip()}'"
        for p, q in zip(NUMBER.findall(x), NUMBER.findall(y)):
            digit, p, q = last_digit(p), float(p), float(q)
            if abs(p - q) > max(1e-8, 1e-6 * max(abs(p), abs(q)), 1.01 * digit):
                return f"line {k + 1}: '{x.strip()}' and '{y.strip()}'"
    return None if len(a) == len(b) else f"{len(a)} and {len(b)} lines"


class Case:
    def __init__(self, setup, source, program, name, processes, args, files):
        self.setup, self.source, self.program = setup, source, program
        self.name, self.processes, self.files = name, processes, files
        for variable in ("${wPETSC_DIR}", "$wPETSC_DIR", "${PETSC_DIR}", "$PETSC_DIR"):
            args = args.replace(variable, setup.petsc)
        self.args = args
        self.folder = os.path.join(setup.out, program.replace("/", "-"), name)

    def run(self, what, more=()):
        """(status, stdout, stderr, counts) of a run in a folder of its own"""
        folder = os.path.join(self.folder, what)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for file in self.files.split():
            source = os.path.join(os.path.dirname(self.source), file)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(folder, file))
        preload = [] if what == "plain" else [
            "env", f"LD_PRELOAD={self.setup.build}/lib/libplexgpu_preload.so",
            "PLEXGPU_OPTIONS=" + " ".join([f"-plex_assembly_backend {self.setup.options.backend} -plex_assembly_source auto -plex_assembly_view :view::append", *more])]
        command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(self.processes), *preload,
                   os.path.join(self.setup.out, self.program.replace("/", "-"), "program")]
        # The shell takes quotes apart, as PETSc's own harness has it
        line = " ".join(command[:3]) + " " + " ".join(f"'{word}'" for word in command[3:]) + f" -log_view :log {self.args}"
        with open(os.path.join(folder, "command"), "w", encoding="utf-8") as file:
            file.write(line + "\n")
        with open(os.path.join(folder, "out"), "w", encoding="utf-8") as out, open(os.path.join(folder, "err"), "w", encoding="utf-8") as err:
            status = subprocess.run(["timeout", "-k", "5", str(self.setup.options.seconds), "bash", "-c", line], cwd=folder, stdout=out, stderr=err,
                                    stdin=subprocess.DEVNULL).returncode
        texts = []
        for name in ("out", "err"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        return status, texts[0], texts[1], counts(os.path.join(folder, "log"))

    def reasons(self, err):
        """Why PETSc assembles, of lines on stderr and of the view"""
        found = re.findall(r"PlexGPU: (.* (?:is|are) left to PETSc: .*)", err)
        view = os.path.join(self.folder, "with", "view")
        if os.path.exists(view):
            with open(view, encoding="utf-8", errors="replace") as file:
                text = file.read()
            found += re.findall(r"\S.*not taken over.*", text)
        return "; ".join(dict.fromkeys(line.strip() for line in found))

    def result(self):
        """(kind, detail): kind is of KINDS"""
        path = os.path.join(self.folder, "result")
        if not self.setup.options.keep or not os.path.exists(path):
            found = self.compare()
            with open(path, "w", encoding="utf-8") as file:
                file.write("\t".join(found))
        with open(path, encoding="utf-8") as file:
            return tuple(file.read().split("\t", 1))

    def compare(self):
        status, out, err, events = self.run("plain")
        if status:
            return "not run", f"status {status} of PETSc alone: " + next((line for line in (err + out).splitlines() if "ERROR" in line), "")[:150]
        assembles = any(events[name] for name in BY_PETSC)
        status, taken, err, events = self.run("with")
        if status:
            return "crash", f"status {status}: " + " ".join(err.split())[:300]
        if where := same(out, taken):
            return "differ", where
        if not assembles:
            return "nothing", "PETSc assembles nothing"
        petsc, here = sum(events[name] for name in BY_PETSC), sum(events[name] for name in HERE)
        kind, detail = ("taken" if not petsc else "part" if here else "left"), self.reasons(err)
        if here and self.setup.options.check > 0:
            status, _, err, _ = self.run("checked", [f"-plex_assembly_check {self.setup.options.check:g}"])
            if "plex_assembly_check:" in err:
                return "differ", re.sub(r"\s+", " ", err[err.index("-plex_assembly_check:"):])[:200]
            if status:
                return "crash", f"with the check, status {status}: " + " ".join(err.split())[:300]
        return kind, detail


KINDS = {
    "taken": "taken over whole", "part": "in part", "left": "left", "crash": "crash", "differ": "differ", "nothing": "assemble nothing", "not run": "fail by PETSc alone",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-b", dest="build", default="build")
    parser.add_argument("-o", dest="out", default="build/petscprograms")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-t", dest="seconds", type=int, default=120)
    parser.add_argument("-c", dest="check", type=float, default=1e-9)
    parser.add_argument("-B", dest="backend", default="host")
    parser.add_argument("-k", dest="keep", action="store_true")
    parser.add_argument("programs", nargs="*")
    setup = Setup(parser.parse_args())
    sys.path.insert(0, os.path.join(setup.petsc, "config"))

    wanted = dict(word.partition(":")[::2] for word in setup.options.programs)
    todo, skipped = [], {}
    for source in sorted(glob.glob(os.path.join(setup.petsc, "src", "**", "*.c"), recursive=True)):
        program = os.path.relpath(source, os.path.join(setup.petsc, "src"))[:-2]
        if not re.search("/(tests|tutorials)/", program) or (wanted and program not in wanted):
            continue
        with open(source, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if not SETS_FORM.search(text) or "DMPLEX" not in text.upper():
            continue
        folder = os.path.join(setup.out, program.replace("/", "-"))
        os.makedirs(folder, exist_ok=True)
        binary = os.path.join(folder, "program")
        if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
            done = subprocess.run(f"{setup.flags[0]} -o {binary} {source} {setup.flags[1]}", shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit(f"{program} does not compile:\n{done.stdout[-2000:]}")
        skipped[program] = 0
        for name, processes, args, files, why in cases_of(setup, source):
            if wanted.get(program) and name != wanted[program]:
                continue
            if why:
                skipped[program] += 1
            else:
                todo.append(Case(setup, source, program, name, processes, args, files))

    def one(case):
        kind, detail = case.result()
        print(f"{case.program} {case.name}: {kind}{': ' + detail if detail else ''}", flush=True)
        return case, kind, detail

    with ThreadPoolExecutor(setup.options.jobs) as pool:
        results = list(pool.map(one, todo))
    write(setup, results, skipped)
    bad = sum(kind in ("crash", "differ") for _, kind, _ in results)
    return 1 if bad else 0


def write(setup, results, skipped):
    with open(os.path.join(setup.out, "cases.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "case", "result", "detail"])
        writer.writerows((case.program, case.name, kind, detail) for case, kind, detail in results)
    lines = ["| program | cases | " + " | ".join(KINDS.values()) + " | not for this PETSc |", "|---|" + "---|" * (len(KINDS) + 2)]
    total = [0] * (len(KINDS) + 2)
    for program, others in skipped.items():
        kinds = [kind for case, kind, _ in results if case.program == program]
        numbers = [len(kinds)] + [kinds.count(kind) for kind in KINDS] + [others]
        total = [a + b for a, b in zip(total, numbers)]
        lines.append(f"| {program} | " + " | ".join(str(number or "") for number in numbers) + " |")
    lines.append(f"| **{len(skipped)} programs** | " + " | ".join(map(str, total)) + " |")
    with open(os.path.join(setup.out, "table.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
