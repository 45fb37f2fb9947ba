"""stage.py FOLDER: the sources of the site, for Sphinx, in FOLDER/source, and what is copied as it is in FOLDER/extra.

Pages of the repository get their places in the site. Their links follow; those to source files go to a page of that
file. Names of functions in prose, as `PlexAssemblyCreate()`, link to their manual pages, and options to their rows of
the table. Manual pages, tables of options, pages of the Python package and figures are made here.
"""

import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

import codepages
import manualpages
import options
import pythonpages
import repository
from repository import LINK, TOP, resolve, split_code


class Site:
    def __init__(self, folder):
        self.source, self.extra = Path(folder) / "source", Path(folder) / "extra"
        self.places = repository.places()
        self.pages = manualpages.comments()
        self.options = options.documented()
        self.code = set()

    # Addresses, from a page at `place` ------------------------------------------------------------------------------

    def relative(self, place, target):
        return posixpath.relpath(target, posixpath.dirname(place) or ".")

    def source_page(self, place, file, line=None):
        self.code.add(file)
        path, _, anchor = codepages.address(file, line).partition("#")
        return self.relative(place, path) + (f"#{anchor}" if anchor else "")

    def link(self, page, place, text, target):
        """A link of a page of the repository, as the site has it"""
        found = resolve(page, target)
        if found is None:
            return f"[{text}]({target})"
        path, anchor = found
        if path == "README.md":
            path = "docs/index.md"
        if path.startswith(("docs/manual/", "docs/python/")):  # made here
            return f"[{text}]({self.relative(place, path.removeprefix('docs/'))})"
        if path in self.places:
            if re.fullmatch(r"[\w./-]+\.md", text):
                text = self.title(path)
            if path == page:
                return f"[{text}](#{anchor})"
            return f"[{text}]({self.relative(place, self.places[path])}{'#' + anchor if anchor else ''})"
        if (TOP / path).is_file() and not path.endswith(".png"):
            return f'<a href="{self.source_page(place, path)}">{text}</a>'
        if (TOP / path).is_file():
            return f"[{text}]({self.relative(place, path.removeprefix('docs/'))})"
        return text  # a folder without a page; check.py says which links are dead

    def title(self, path):
        """Of a page, in place of its file's name"""
        return re.search(r"^# +(.*)$", (TOP / path).read_text(), re.M)[1]

    def names(self, place, code):
        """Inline code that names a function or an option, as a link to it"""
        name = code[1:-1]
        manual = self.pages.get(name.removesuffix("()"))
        if manual and (name.endswith("()") or manual.kind != "function") and place != f"manual/{manual.name}.md":
            return f"[{code}]({self.relative(place, f'manual/{manual.name}.md')})"
        if place.startswith("manual/") and name.split(" ")[0] in self.options:
            return f'<a href="{self.relative(place, "options.html")}#{options.anchor(name.split(" ")[0])}">{code}</a>'
        return code

    def rewrite(self, page, place, text):
        """Links and names of a page"""
        parts = split_code(text)
        # a link may hold code: it is put together from what split_code() took apart
        hidden = []

        def hide(part):
            hidden.append(part)
            return f"\0{len(hidden) - 1}\0"

        text = "".join(hide(part) if code else part for code, part in parts)
        show = lambda s: re.sub("\0(\\d+)\0", lambda m: hidden[int(m[1])], s)
        heading = re.compile(r"^#{1,6} .*$", re.M)
        text = heading.sub(lambda m: hide(show(m[0])), text)
        text = LINK.sub(lambda m: m[0] if m[1] else hide(self.link(page, place, show(m[2]), m[3])), text)
        pictures = lambda m: f"![{m[2]}]({self.relative(place, resolve(page, m[3])[0].removeprefix('docs/'))})" if m[1] else m[0]
        text = LINK.sub(pictures, text)

        def code(m):
            part = hidden[int(m[1])]
            return self.names(place, part) if re.fullmatch(r"`[^`\n]+`", part) else part

        text = re.sub("\0(\\d+)\0", code, text)
        return show(text)

    # The parts ------------------------------------------------------------------------------------------------------

    def write(self, place, text):
        path = self.source / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        self.written.add(place)

    def manual(self):
        among = manualpages.programs()
        for name, page in self.pages.items():
            place = f"manual/{name}.md"
            found = manualpages.example(name, page.kind, among)
            text = manualpages.render(page, self.pages, found, lambda file, line: self.source_page(place, file, line))
            self.write(place, self.rewrite(f"docs/{place}", place, text))
        out = ["# Manual pages", "", "Of every public function, object and type. `-help` and [the table](../options.md) have the options."]
        for title, header, what in manualpages.GROUPS:
            members = [p for p in self.pages.values() if p.header == header]
            level = {"beginner": 0, "intermediate": 1, "advanced": 2, "developer": 3}
            out += ["", f"## {title}", "", f"{what}: `#include <{header}>`, or `plexgpu.h`." if header not in ("plexgpugeo.h", "plexgpu.h") else f"{what}: `#include <{header}>`.", "", "| | | level |", "|---|---|---|"]
            for p in sorted(members, key=lambda p: (p.kind == "function", level.get(p.level, 4), p.name)):
                short = manualpages.escape(p.short).rstrip(".")
                out.append(f"| [`{p.name}{'()' if p.kind == 'function' else ''}`]({p.name}.md) | {short} | {p.level} |")
        out += ["", "```{toctree}", ":hidden:", "", *sorted(self.pages), "```", ""]
        self.write("manual/index.md", "\n".join(out))

    def unlisted(self):
        """Pages that no toctree has, by the page that gets them: those of docs/ are for users, others for developers"""
        listed = {"index"}
        for page, place in self.places.items():
            for block in re.findall(r"^```{toctree}\n(.*?)^```", (TOP / page).read_text(), re.M | re.S):
                listed |= {posixpath.normpath(posixpath.join(posixpath.dirname(place), line.strip())) for line in block.splitlines() if line.strip() and line[0] != ":"}
        more = {"docs/reference.md": [], "docs/developer.md": []}
        for page, place in self.places.items():
            name = place.removesuffix(".md")
            if name not in listed and not name.startswith("notes/"):
                more["docs/reference.md" if "/" not in place and page.startswith("docs/") else "docs/developer.md"].append(name)
        return more

    def copies(self):
        more = self.unlisted()
        for page, place in self.places.items():
            text = (TOP / page).read_text()
            if more.get(page):
                links = "".join(f"- [{self.title(p)}]({posixpath.relpath(p, 'docs')})\n" for p in self.places if self.places[p].removesuffix(".md") in more[page])
                text += f"\n## More\n\n{links}\n```{{toctree}}\n:hidden:\n\n" + "\n".join(more[page]) + "\n```\n"
            if page == "docs/options.md":
                text = options.with_anchors(text)
            text = re.sub(r'^<a (?:name|id)="([^"]+)"></a>$', r"(\1)=", text, flags=re.M)
            self.write(place, self.rewrite(page, place, text))

    def files(self):
        for path in (TOP / "docs" / "pictures").glob("*.png"):
            out = self.source / "pictures" / path.name
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, out)
            self.written.add(f"pictures/{path.name}")
        for name in ("conf.py", "site/style.css"):
            shutil.copyfile(TOP / "docs" / name, self.source / Path(name).name)
        for file in sorted(self.code):
            codepages.write(file, self.extra)

    def make(self):
        self.written = set()
        shutil.rmtree(self.extra, ignore_errors=True)
        self.source.mkdir(parents=True, exist_ok=True)
        self.manual()
        self.copies()
        for place, text in pythonpages.make().items():
            self.write(place, text)
        self.files()
        import figures

        for place in figures.make(self.source / "figures"):
            self.written.add(f"figures/{place}")
        for path in self.source.rglob("*"):  # pages that are no more
            if path.suffix in (".md", ".svg", ".png") and path.relative_to(self.source).as_posix() not in self.written:
                path.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    os.chdir(TOP)
    Site(sys.argv[1]).make()
