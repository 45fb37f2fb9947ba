"""Pages of source files that the site links to, coloured, with a number at each line. They are not searched."""

import html
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

from repository import TOP

LEXERS = {".cuh": "x.cpp", ".cu": "x.cpp", ".h": "x.c", ".geo": "x.c", "makefile": "Makefile"}
STYLE = """body { font: 14px/1.45 ui-monospace, monospace; margin: 0 auto; max-width: 72rem; padding: 1rem; background: #fff }
header { font: 16px sans-serif; padding-bottom: .7rem } a { color: #0a5fa0 } .highlight a { text-decoration: none } .linenos { color: #999 } :target { background: #fff3c4 }
pre { white-space: pre; overflow-x: auto }"""


def address(file, line=None):
    """Of a source file's page, from the root of the site"""
    return f"code/{file}.html" + (f"#L-{line}" if line else "")


def write(file, folder):
    path = TOP / file
    text = path.read_text(errors="replace")
    key = path.suffix if path.suffix in LEXERS else path.name
    try:
        lexer = get_lexer_for_filename(LEXERS.get(key, path.name), stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    form = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True)
    out = Path(folder) / address(file)
    out.parent.mkdir(parents=True, exist_ok=True)
    up = "../" * (file.count("/") + 1)
    title = html.escape(file)
    out.write_text(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - PlexGPU</title>\n'
        f"<style>{STYLE}\n{form.get_style_defs('.highlight')}</style></head>\n"
        f'<body><header><a href="{up}index.html">PlexGPU</a> / {title}</header>\n{highlight(text, lexer, form)}</body></html>\n'
    )
