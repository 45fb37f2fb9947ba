"""Docstrings as Markdown, for pages.py and the documentation site."""

import inspect
import re


def markdown(text, name=""):
    """A docstring as Markdown: without the signature that Cython puts first, sections with a list of parameters.

    A section is a title, underlined by ---, and entries: a name, or several, and indented lines below. It ends at a
    line that is neither.
    """
    text = inspect.cleandoc(re.sub(rf"\A{re.escape(name)}\(.*\n+", "", text)) if name else inspect.cleandoc(text)
    lines, out, section = text.split("\n"), [], False
    for k, line in enumerate(lines):
        below = lines[k + 1] if k + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}", below) and line:
            out += [f"**{line}**", ""]
            section = True
        elif re.fullmatch(r"-{3,}", line):
            continue
        elif section and line and not line.startswith(" "):
            if below.startswith(" "):
                out.append(f"- **{line}**:")
            else:
                section = False
                out += ["", line]
        else:
            out.append(line)
    escaped = [line if line.startswith("    ") and not section else _escape(line) for line in out]
    return "\n".join(escaped)


def _escape(line):
    """<name> is text, but in code."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)
