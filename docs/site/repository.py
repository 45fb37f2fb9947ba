"""What the site is made of: the Markdown files of the repository, and where each is in the site.

A page is named by its path in the repository, "docs/guide.md", and has a place in the site, "guide.md": docs/ is its
root, other folders keep their names. The README at the top is what a hosting service shows; the site begins with
docs/index.md, to which links to it go.
"""

import os
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ["docs", "examples", "cuda", "src", "tests", "benchmarks", "python-bindings", "packaging"]
LOOSE = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]


def places():
    """{path in the repository: path in the site} of all pages"""
    found = {}
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*.md")):
            name = path.relative_to(TOP).as_posix()
            found[name] = name.removeprefix("docs/")
    found.update({name: name for name in LOOSE if (TOP / name).exists()})
    return found


def slug(title):
    """The anchor of a heading, as GitHub and MyST make it"""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def split_code(text):
    """[(is code, part)]: blocks that are fenced or indented, comments, and inline code, apart from prose"""
    out, prose, fence, blank = [], [], None, True

    def flush():
        if prose:
            pieces = re.split(r"(<!--.*?-->|(?<!`)`[^`]+`(?!`))", "".join(prose), flags=re.S)
            out.extend((k % 2 == 1, p) for k, p in enumerate(pieces) if p)
            prose.clear()

    for line in text.splitlines(keepends=True):
        mark = re.match(r" {0,3}(`{3,})", line)
        if fence:
            out.append((True, line))
            if mark and len(mark[1]) >= len(fence) and line.strip() == mark[1]:
                fence = None
        elif mark:
            flush()
            out.append((True, line))
            fence = mark[1]
        elif line.startswith("    ") and blank:
            flush()
            out.append((True, line))
            continue  # the next line may be one of the same block
        else:
            prose.append(line)
        blank = not line.strip()
    flush()
    return out


def anchors(path):
    """The anchors of a page's headings"""
    prose = "".join("" if code and not part.startswith("`") or part.startswith("```") else part for code, part in split_code(path.read_text()))
    seen, found = {}, set()
    for title in re.findall(r"^#{1,6} +(.*?)\s*$", prose, re.M):
        name = slug(title)
        count = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(re.findall(r'<a (?:name|id)="([^"]+)"></a>', path.read_text()))


LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def links(text):
    """[(is a picture, text, target)] of the links of a page"""
    prose = "".join("`" + " " * (len(part) - 2) + "`" if code and part.startswith("`") and not part.startswith("```") else "\n" if code else part for code, part in split_code(text))
    return [(m[1] == "!", m[2], m[3]) for m in LINK.finditer(prose)]


def resolve(page, target):
    """(path in the repository, anchor) of a link of a page; None for one that leaves the repository"""
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    path = os.path.normpath(os.path.join(os.path.dirname(page), path))
    if (TOP / path).is_dir() and (TOP / path / "README.md").exists():
        path = os.path.join(path, "README.md")
    return path, anchor
