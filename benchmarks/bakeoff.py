#!/usr/bin/env python3
"""CEED's bake-off problems, from the files of `benchmarks/bakeoff -csv` and those of other libraries.

bakeoff.py [-o FOLDER] [-dofs N] FILE...     tables, and with -o figures:
  bakeoff-degree.png  dofs times iterations of CG a second, and dofs of products, against the degree, a column a problem
  bakeoff-size.png    the same against dofs, a colour a degree, where there are several sizes
A file of another library or run has the columns problem (BP1 to BP5), degree, dofs (without essential ones), rate (dofs times iterations of CG a
second), product_rate (dofs of products a second), and name, which tables and figures call it by; if it also has product_bytes and copy_rate, bytes
of a product and of a copy a second, the table has its share of a copy. The first file's name is drawn solid, the second one's dashed, others dotted;
names that are the same up to a comma have one colour.
Of several sizes the one nearest to N counts, by default the largest; where another name has more than twice the dofs of it, it is left out. A
later line for the same case takes an earlier one's place.
"""
import argparse
import csv
import os

TEXT = ["problem", "name"]
NUMBERS = ["degree", "dofs", "rate", "product_rate", "product_bytes", "copy_rate"]


def read(paths):
    """{name: {(problem, degree, dofs): row}}, names in the order of the files"""
    series = {}
    for path in paths:
        with open(path, newline="") as file:
            for line in csv.DictReader(file):
                row = {k: line[k] for k in TEXT if k in line} | {k: float(line[k]) for k in NUMBERS if k in line}
                name = row.get("name") or "PlexGPU" + (f", {line['backend']}" if line["backend"] != "cuda" else "")
                series.setdefault(name, {})[row["problem"], row["degree"], row["dofs"]] = row
    return series


def chosen(series, dofs):
    """{name: {(problem, degree): row}} of one size each, the largest if dofs is None"""
    best = {}
    for name, rows in series.items():
        best[name] = {}
        for row in sorted(rows.values(), key=lambda r: -abs(r["dofs"] - dofs) if dofs else r["dofs"]):
            best[name][row["problem"], row["degree"]] = row
    most = {}
    for rows in best.values():
        for case, row in rows.items():
            most[case] = max(most.get(case, 0), row["dofs"])
    return {name: {case: row for case, row in rows.items() if 2 * row["dofs"] > most[case]} for name, rows in best.items()}


def cell(row):
    if not row:
        return ""
    text = f"{1e-9 * row['rate']:.3g}, {1e-9 * row['product_rate']:.3g}"
    if "copy_rate" in row:
        text += f", {100 * row['product_bytes'] * row['product_rate'] / row['dofs'] / row['copy_rate']:.0f} %"
    return text


def table(best):
    cases = {case for rows in best.values() for case in rows}
    degrees = sorted({degree for _, degree in cases})
    print("\nGDOF/s of CG, of products, and their share of a copy\n")
    print("| problem | | " + " | ".join(f"p = {d:.0f}" for d in degrees) + " |\n|---|---|" + "--:|" * len(degrees))
    for problem in sorted({problem for problem, _ in cases}):
        for name, rows in best.items():
            if any(case[0] == problem for case in rows):
                print(f"| {problem} | {name} | " + " | ".join(cell(rows.get((problem, d))) for d in degrees) + " |")


def panels(problems, xlabel, width):
    """A figure, and its axes: rates of CG above, of products below, a column a problem"""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(problems), figsize=(1 + width * len(problems), 5.4), sharex=True, sharey="row", squeeze=False)
    for k, problem in enumerate(problems):
        axes[0][k].set_title(problem, fontsize=10)
        axes[1][k].set_xlabel(xlabel)
    for ax in axes.flat:
        ax.grid(True, linewidth=0.4)
        ax.tick_params(labelsize=9)
    axes[0][0].set_ylabel("CG, dofs x iterations / s, 1e9", fontsize=9)
    axes[1][0].set_ylabel("products, dofs / s, 1e9", fontsize=9)
    figure.align_ylabels()
    return figure, axes


def draw_degrees(best, folder):
    from dgfigures import save

    problems = sorted({problem for rows in best.values() for problem, _ in rows})
    figure, axes = panels(problems, "degree p", 1.7)
    libraries = [name.split(",")[0] for name in best]
    colours = [f"C{sorted(set(libraries), key=libraries.index).index(library)}" for library in libraries]
    styles = [("-", "o"), ("--", "s")] + [(":", "^")] * len(best)
    for k, problem in enumerate(problems):
        for quantity, ax in zip(("rate", "product_rate"), axes[:, k]):
            for (line, marker), colour, (name, rows) in zip(styles, colours, best.items()):
                points = sorted((d, 1e-9 * row[quantity]) for (p, d), row in rows.items() if p == problem)
                ax.plot([d for d, _ in points], [rate for _, rate in points], line, marker=marker, color=colour, markersize=4, linewidth=1.3, label=name)
    for ax in axes[:, 0]:
        ax.set_ylim(0)
    axes[0][0].set_xticks(sorted({d for rows in best.values() for _, d in rows}))
    handles, names = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncol=len(names), fontsize=10, frameon=False)
    save(figure, folder, "bakeoff-degree.png", "CEED's bake-off problems", bottom=0.06)


def draw_sizes(series, folder):
    """CG and products against dofs, a column a problem, a colour a degree"""
    from dgfigures import save
    from matplotlib.lines import Line2D

    curves = {}
    for name, rows in series.items():
        for (problem, degree, dofs), row in sorted(rows.items()):
            curves.setdefault((problem, degree, name), []).append((dofs, 1e-9 * row["rate"], 1e-9 * row["product_rate"]))
    curves = {case: points for case, points in curves.items() if len(points) > 1}
    if not curves:
        return
    problems, degrees = (sorted({case[k] for case in curves}) for k in (0, 1))
    names = [name for name in series if any(case[2] == name for case in curves)]
    styles = dict(zip(names, ["-", "--"] + [":"] * len(names)))
    figure, axes = panels(problems, "dofs", 1.9)
    for (problem, degree, name), points in curves.items():
        for k, ax in enumerate(axes[:, problems.index(problem)]):
            ax.plot([p[0] for p in points], [p[1 + k] for p in points], styles[name], color=f"C{degrees.index(degree)}", linewidth=1.2, marker=".")
            ax.set(xscale="log", yscale="log")
    handles = [Line2D([], [], color=f"C{k}", label=f"p = {degree:.0f}") for k, degree in enumerate(degrees)]
    handles += [Line2D([], [], color="black", linestyle=styles[name], label=name) for name in names]
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), fontsize=10, frameon=False)
    save(figure, folder, "bakeoff-size.png", "CEED's bake-off problems against size", bottom=0.06, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="folder", help="for the figures; without it there are tables alone")
    parser.add_argument("-dofs", type=float, help="the nearest size counts; default: the largest")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    series = read(args.files)
    best = chosen(series, args.dofs)
    table(best)
    if args.folder:
        import matplotlib

        matplotlib.use("Agg")
        os.makedirs(args.folder, exist_ok=True)
        draw_degrees(best, args.folder)
        draw_sizes(series, args.folder)


if __name__ == "__main__":
    main()
