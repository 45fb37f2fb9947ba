"""Messages of docs/faq.md, and whether the sources still print them.

A message is cut into the words between what differs from run to run: "...", numbers, names in quotes, FILE. Each such part
has to be in a string of the sources, where it may be interrupted by a value.
"""

import re

from repository import TOP

STRING = r'"(?:[^"\\\n]|\\.)*"'
CUT = re.compile(r"\.\.\.|'[^']*'|\b\d+\b|\bFILE\b|\([\w.]*\)|[:;(]|\b[a-z]+[A-Z]\w+|\bPetsc[A-Z]\w+")


def strings():
    """What the sources print, with \\0 for a value"""
    found = []
    for path in sorted(p for folder in ("src", "include", "cuda") for p in (TOP / folder).rglob("*") if p.suffix in (".c", ".h", ".cu", ".cuh")):
        for text in re.findall(rf"{STRING}(?:\s*(?:[A-Z]\w+\s*)?{STRING})*", path.read_text()):
            text = re.sub(r'"\s*[A-Z]\w+\s*"', "d", text)  # % and a format of PETSc's
            text = re.sub(r'"\s*"', "", text)[1:-1].replace("\\n", " ").replace('\\"', '"')
            found.append(re.sub(r"%[-+ #0-9.*]*[lzh]*[a-zA-Z]", "\0", text))
    return found


def parts(message):
    return [p.strip(" ,") for p in CUT.split(message) if len(p.split()) >= 2]


def printed(part, texts, whole):
    """Whether a string has the part, or ends and goes on with it at a value: half of its letters or 12 at least"""
    if part in whole:
        return True
    for text in texts:
        pieces = text.split("\0")
        for before, after in zip(pieces, pieces[1:]):
            head = max(k for k in range(len(part) + 1) if before.endswith(part[:k]))
            tail = max(k for k in range(len(part) + 1 - head) if after.startswith(part[len(part) - k :]))
            if head + tail >= min(12, len(part) / 2):
                return True
    return False


def listed():
    """The messages of the tables, in the first column"""
    rows = re.findall(r"^\| (`[^|]*)\|", (TOP / "docs" / "faq.md").read_text(), re.M)
    return [message for row in rows for message in re.findall(r"`([^`]+)`", row)]


def check():
    """(number of messages, those with a part that no source prints)"""
    texts = strings()
    whole, values = "\n".join(texts), [t for t in texts if "\0" in t]
    messages = listed()
    return len(messages), [f"docs/faq.md: {m}: no source prints '{p}'" for m in messages for p in parts(m) if not printed(p, values, whole)]
