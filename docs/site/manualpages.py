"""Manual pages from the comments of the sources: PETSc's /*@ ... @*/ of functions, /*S of objects, /*E and /*J of their
values, /*MC of types.

A comment has the name and what it is, "Collective" or the like, and sections: titles that end in a colon, with
paragraphs or items, which begin with +, . or - in the first column; "Level: beginner"; .seealso.
"""

import re
from dataclasses import dataclass, field

from repository import TOP

HEADERS = ["plexgpuassembly.h", "plexgpudg.h", "plexgpuhdg.h", "plexgpuview.h", "plexgpubackend.h", "plexgpumesh.h", "plexgpugeo.h", "plexgpu.h"]
GROUPS = [  # the first that matches
    ("Assembly", "plexgpuassembly.h", "PlexAssembly, residuals and Jacobians of a PetscDS"),
    ("DG", "plexgpudg.h", "PlexDG, discontinuous Galerkin"),
    ("HDG", "plexgpuhdg.h", "PlexHDG, hybridized discontinuous Galerkin"),
    ("View", "plexgpuview.h", "Files for ParaView, and pictures"),
    ("Backend", "plexgpubackend.h", "PlexBackend, where it runs"),
    ("Mesh", "plexgpumesh.h", "Meshes, orders, elements"),
    ("Geography", "plexgpugeo.h", "Rasters, faults and the sphere: the library plexgpugeo"),
    ("Library", "plexgpu.h", "The library as a whole"),
]
SECTION = re.compile(r"  ((?:Input|Output|Input/Output) Parameters?|Options Database Keys?|Values|Notes?|Developer Notes?|References?|Calling sequence of .*?):\s*$")


@dataclass
class Page:
    name: str
    short: str
    kind: str  # "function", "object", "values", "type"
    file: str
    line: int
    synopsis: str
    header: str = ""
    collective: str = ""
    level: str = ""
    sections: list = field(default_factory=list)  # (title, lines)
    seealso: list = field(default_factory=list)

    @property
    def options(self):
        """The options of its section of options, names alone"""
        return [o for title, lines in self.sections if title.startswith("Options") for line in lines if re.match(r"[+.-] ", line)
                for o in re.findall(r"(?<![\w-])-[a-z]\w*", line.split(" - ")[0])]


def prototypes():
    """{function: header} of what the public headers declare"""
    found = {}
    for header in HEADERS:
        for name in re.findall(r"PETSC_EXTERN\s+[\w ]+?\*?\s*(\w+)\(", (TOP / "include" / header).read_text()):
            found.setdefault(name, header)
    return found


def comments():
    """All pages, by name"""
    declared, pages = prototypes(), {}
    files = [p for folder in ("include", "src") for p in sorted((TOP / folder).rglob("*.[ch]"))]
    for path in files:
        text = path.read_text()
        for m in re.finditer(r"^/\*(@C?|S|E|J|MC)\n(.*?)^\s*(?:@|S|E|J|M)\*/\n", text, re.M | re.S):
            page = parse(m[1], m[2], text[m.end() :], path.relative_to(TOP).as_posix(), text.count("\n", 0, m.start()) + 1)
            page.header = declared.get(page.name) or (path.name if path.parent.name == "include" else "")
            if page.kind == "function" and page.name not in declared:
                continue  # of the contract between parts of the library, include/plexgpu/private
            if page.kind != "function" and not page.header and page.kind != "type":
                continue
            pages[page.name] = page
    for page in pages.values():
        page.header = page.header or {"PLEXA": "plexgpuassembly.h", "PLEXB": "plexgpubackend.h", "PLEXD": "plexgpudg.h", "PLEXH": "plexgpuhdg.h", "PLEXI": "plexgpuview.h"}.get(page.name[:5], "plexgpu.h")
    return pages


def parse(mark, body, after, file, line):
    lines = body.rstrip().split("\n")
    kind = {"@": "function", "@C": "function", "S": "object", "E": "values", "J": "values", "MC": "type"}[mark]
    k = next(i for i, text in enumerate(lines) if text.strip())
    head = []
    while k < len(lines) and lines[k].strip():
        head.append(lines[k].strip())
        k += 1
    name, _, short = " ".join(head).partition(" - ")
    synopsis = ""
    if kind == "function":
        synopsis = re.sub(r"\s+", " ", after[: after.index("{")].strip().removeprefix("static ")) + ";"
    elif kind == "type":
        name, _, value = name.partition(" = ")
        synopsis = f"#define {name} {value}"
    elif kind == "values" and after.startswith("typedef enum"):
        synopsis = after[: after.index(";") + 1]
    elif kind == "values":
        # a type of names: the definitions that follow it
        synopsis = "\n".join(re.match(r"(?:(?:typedef|#define).*\n)*", after)[0].splitlines())
    else:
        synopsis = after[: after.index(";") + 1]
    page = Page(name.strip(), short, kind, file, line, synopsis)
    section = None
    while k < len(lines):
        text = lines[k]
        title = SECTION.match(text)
        if text.startswith(".seealso"):
            page.seealso = re.findall(r"`([^`]+)`", " ".join(lines[k:]))
            break
        if title:
            section = (title[1], [])
            page.sections.append(section)
        elif text.startswith("  Level:"):
            page.level, section = text.split(":")[1].strip(), None
        elif section is None and re.match(r"  (Not |Logically )?Collective|  No Fortran", text):
            page.collective = text.strip()
        else:
            if section is None and text.strip():
                section = ("", [])
                page.sections.append(section)
            if section:
                section[1].append(text)
        k += 1
    return page


def escape(text):
    """Prose of a comment as Markdown: code stays, what Markdown has a meaning for does not get it"""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if k % 2 else re.sub(r"([\\*_\[\]<>|#~$])", r"\\\1", p) for k, p in enumerate(parts))


def body(lines):
    """The lines of a section as Markdown: items as a list, deeper lines as code, else paragraphs"""
    out, k = [], 0
    while k < len(lines):
        line = lines[k]
        if re.match(r"[+.-] ", line):
            item = line[2:].rstrip()
            while k + 1 < len(lines) and lines[k + 1].startswith("  ") and lines[k + 1].strip():
                k += 1
                item += " " + lines[k].strip()
            name, dash, text = item.partition(" - ")
            out.append(f"- `{name.strip().strip('`')}`: {escape(text.strip())}" if dash else f"- {escape(item)}")
        elif line.startswith("    ") and (not out or out[-1] == "" or out[-1].startswith("    ")):
            out.append("  " + line.rstrip())
        elif line.strip():
            if out and out[-1].startswith("- "):
                out.append("")
            out.append(escape(line.strip()))
        elif out and out[-1] != "":
            out.append("")
        k += 1
    return "\n".join(out).strip()


# ---------------------------------------------------------------------------------------------------------------------
# Examples


def programs():
    """[(path, lines, words)] in which uses are looked for: complete programs of examples/ and tests/, shortest first, then
    files that are parts of one"""
    found = []
    for pattern in ("examples/*.c", "examples/*.h", "tests/*/*.c", "tests/*/*.h", "benchmarks/*.c", "benchmarks/*.h"):
        for path in TOP.glob(pattern):
            text = path.read_text()
            main = re.search(r"^int main", text, re.M) is not None
            found.append((not main, path.parts[len(TOP.parts)] != "examples", text.count("\n"), path.relative_to(TOP).as_posix(), text))
    return [(name, text.split("\n"), set(re.findall(r"\w+", text))) for *_, name, text in sorted(found)]


def example(name, kind, among):
    """(file, first line, lines, line of the use) of the shortest complete use"""
    use = rf"\b{name}\(" if kind == "function" else rf"\b{name}\b|\"{name}\""
    setting = re.fullmatch(r"Plex(Assembly|DG|HDG)[SG]et(\w+)", name)
    if setting:  # macros of tests/assembly/settings.c, which set and get
        use += rf"|\b(?:SETTING|TEXT)\({setting[1]}, {setting[2]}," + (rf"|\bFUNCTION\({setting[2]}," if setting[1] == "HDG" else "")
    use, word = re.compile(use), setting[2] if setting else name
    for file, lines, words in among:
        for k, line in enumerate(lines if name in words or word in words else ()):
            if use.search(line) and not line.lstrip().startswith(("*", "/*", "//", "#include")):
                first, last = max(0, k - 3), min(len(lines), k + 4)
                while first < k and not lines[first].strip():
                    first += 1
                return file, first + 1, lines[first:last], k + 1
    return None


def render(page, pages, found, code):
    """The page as Markdown. code(file, line): the address of a source file's page"""
    out = [f"# {page.name}", "", escape(page.short[:1].upper() + page.short[1:]) + ("" if page.short.endswith(".") else "."), ""]
    if page.synopsis:
        include = f"#include <{page.header}>\n" if page.header else ""
        out += ["## Synopsis", "", f"```c\n{include}{wrap(page.synopsis)}\n```", ""]
    if page.collective:
        out += [page.collective + ".", ""]
    for title, lines in page.sections:
        text = body(lines)
        if text:
            out += ([f"## {escape_title(title)}", ""] if title else []) + [text, ""]
    if found:
        file, first, lines, use = found
        shift = min((len(t) - len(t.lstrip()) for t in lines if t.strip()), default=0)
        macro = re.search(r"^\s*(?:SETTING|TEXT|FUNCTION)\(", lines[use - first])
        out += ["## Example", "", "By a macro that calls `Set` and `Get`:", ""] if macro else ["## Example", ""]
        out += [f'From <a href="{code(file, use)}">{file}</a>, line {use}:', "", "```c", *[t[shift:] for t in lines], "```", ""]
    if page.level:
        out += ["## Level", "", page.level, ""]
    others = [s for s in page.seealso if s.rstrip("()") != page.name]
    if others:
        out += ["## See also", "", ", ".join(f"`{s}`" for s in others), ""]
    out += ["## Source", "", f'<a href="{code(page.file, page.line)}">{page.file}</a>', ""]
    return "\n".join(out)


def escape_title(title):
    return re.sub(r"[:]$", "", title)


def wrap(text):
    """A prototype with a parameter a line where it is long"""
    if len(text) <= 100 or "(" not in text or "\n" in text or text.startswith("#"):
        return text
    head, _, rest = text.partition("(")
    parts, depth, last = [], 0, 0
    for k, c in enumerate(rest):
        depth += c in "(["
        depth -= c in ")]"
        if c == "," and depth == 0:
            parts.append(rest[last:k].strip())
            last = k + 1
    parts.append(rest[last:].strip())
    return f"{head}(\n  " + ",\n  ".join(parts)
