# Sphinx's settings of the site. docs/site/stage.py puts the pages together; `make docs` calls both.
import os
import re

project = "PlexGPU"
author = "the PlexGPU developers"
copyright = author
version = release = os.environ.get("PLEXGPU_VERSION", "")
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = []
html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_title = f"PlexGPU {version}".strip()
html_static_path = []
html_css_files = []
html_extra_path = ["../extra"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "gallery": [], "measurements": []}
myst_enable_extensions = ["attrs_block"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
copybutton_exclude = ".linenos, .gp, .go"
highlight_language = "none"
pygments_style = "tango"


def setup(app):
    app.add_css_file("style.css")
    app.connect("build-finished", copy_style)


def copy_style(app, exception):
    if exception is None and app.builder.format == "html":
        source = os.path.join(app.srcdir, "style.css")
        with open(source) as file, open(os.path.join(app.outdir, "_static", "style.css"), "w") as out:
            out.write(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))
