"""pictures.py PROGRAMS [NAME...]: runs the commands of docs/gallery.md, and keeps their pictures in docs/pictures.

PROGRAMS is the folder of the examples, build/examples. A block of commands follows the picture that it makes, and writes
build/gallery/NAME.png, which becomes docs/pictures/NAME.png: 900 points wide at most, as few colours as 150 kB need.
Pillow, numpy, h5py and matplotlib are those of the project's Python.
"""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from PIL import Image

TOP = Path(__file__).resolve().parents[2]
LIMIT = 150000
BLOCK = re.compile(r"^!\[[^\]]*\]\(pictures/(\w[\w-]*)\.png\)\n\n(?:[^\n]+\n)*?\n?```bash\n(.*?)^```", re.M | re.S)


def small(path, out):
    """Colours that are rare, as the ends of a bar, are kept; means of clusters keep pale ones apart"""
    picture = Image.open(path).convert("RGB")
    for width, colours in ((900, 256), (900, 128), (900, 64), (800, 64), (700, 64), (600, 48)):
        scaled = picture.resize((width, round(picture.height * width / picture.width)), Image.LANCZOS) if picture.width > width else picture
        data = io.BytesIO()
        scaled.quantize(colours, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
        if data.tell() <= LIMIT:
            out.write_bytes(data.getvalue())
            return
    sys.exit(f"{path} does not become small enough")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = TOP / "build" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in BLOCK.findall((TOP / "docs" / "gallery.md").read_text()):
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        body = body.replace("build/examples", sys.argv[1]).replace("python ", f"{sys.executable} ")
        subprocess.run(["bash", "-euxc", body], cwd=TOP, check=True, env=dict(os.environ, MPLBACKEND="Agg"))
        small(folder / f"{name}.png", TOP / "docs" / "pictures" / f"{name}.png")
