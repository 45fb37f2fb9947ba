"""Archives of tuning results, as src/util/archive.h describes them."""
import numpy as np

HASH = 0xCBF29CE484222325


def unescape(value):
    out, k = [], 0
    while k < len(value):
        if value[k] == "\\" and k + 1 < len(value):
            k += 1
            out.append({"n": "\n", "s": " ", "e": ""}.get(value[k], value[k]))
        else:
            out.append(value[k])
        k += 1
    return "".join(out)


def fnv(data):
    h = HASH
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def number(value):
    try:
        return float(value)
    except ValueError:
        return unescape(value)


def table(columns, rows):
    """A structured array; residual_NAME and jacobian_NAME become NAME[2]"""
    columns = [c.split("_", 1) if c.startswith(("residual_", "jacobian_")) else ["", c] for c in columns]
    values = {}
    for k, (product, name) in enumerate(columns):
        values.setdefault(name, []).append([number(row[k]) for row in rows])
    types = [(name, "U64" if isinstance(v[0][0], str) else float, *([(len(v),)] if len(v) > 1 else [])) for name, v in values.items()]
    out = np.zeros(len(rows), dtype=types)
    for name, v in values.items():
        out[name] = np.array(v).T if len(v) > 1 else v[0]
    return out


class Block:
    """A result: its key (problem, mesh), its lines as attributes, and tables[name]"""

    def __init__(self, lines):
        self.problem_key, self.mesh_key = lines[0].split()[1:]
        self.tables = {}
        k = 1
        while k < len(lines):
            name, _, value = lines[k].partition(" ")
            k += 1
            if name == "table":
                name, rows, *columns = value.split(" ")
                self.tables[name] = table(columns, [line.split(" ") for line in lines[k : k + int(rows)]])
                k += int(rows)
            else:
                setattr(self, name, number(value))


def read(path, prefix):
    """The blocks of problems whose key begins with prefix; damaged ones are left out"""
    blocks, lines = [], None
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\x89HDF"):
        raise SystemExit(f"{path} is an HDF5 file of an earlier version: results of tuning are text now")
    for line in data.split(b"\n"):
        if line.startswith(b"result "):
            lines = []
        elif line.startswith(b"end ") and lines:
            if int(line[4:], 16) == fnv(b"\n".join(lines) + b"\n") and lines[0].startswith(b"result " + prefix.encode()):
                blocks.append(Block([each.decode() for each in lines]))
            lines = None
        if lines is not None:
            lines.append(line)
    return blocks
