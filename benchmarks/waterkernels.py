"""Single kernels as chapter 5 and appendix C of Henry de Frahan (2011) have them, for waterfigures.py: tables 5.1, 5.2, C.1 and C.2, figures 5.3 to 5.5, C.1 and C.2
on. Rows are those of kernels.csv; what a backend does not have is None there. The thesis has N_E = 1108 by degree, and p = 4 by N_E
"""
import math
import os

from dgfigures import as_text, curves, grouped, numbers, save

WAYS = ["host", "kernels", "blas", "fused"]
KERNELS = ["map_to_face", "collocation_u", "collocation_uf", "evaluate_sf", "evaluate_q", "jacobian_sf", "jacobian_q", "gemm_sf", "gemm_q", "map_to_element", "solve", "equal", "add"]
VECTORS = ["equal", "add"]  # PETSc's kernels
ALL = KERNELS + ["rhs", "rk_step"]
ELEMENTS, DEGREE = 1108, 4
WARP = 32


def ordered(groups):
    """Groups by shape, precision and way"""
    return sorted(groups.items(), key=lambda g: (g[0][0], g[0][1], WAYS.index(g[0][2])))


def by_degree(rows):
    """Of several sizes the one nearest to the thesis'"""
    return [min(group, key=lambda r: abs(math.log(r["elements"] / ELEMENTS))) for group in grouped(rows, lambda r: (r["shape"], r["precision"], r["way"], r["degree"], r["part"])).values()]


def by_size(rows):
    """Of the thesis' degree, or where it was not measured of the highest"""
    return [r for r in rows if r["degree"] == DEGREE] or [r for r in rows if r["degree"] == max(q["degree"] for q in rows)]


def value(rows, x, f):
    """{kernel: {x: f(row)}} where f has something to say"""
    found = {}
    for part in ALL:
        values = {r[x]: f(r) for r in rows if r["part"] == part and f(r) is not None}
        if values:
            found[part] = values
    return found


def launch(r):
    return 1e6 * r["launch_s"] if r.get("launch_s") and r["part"] != "rk_step" else None


def launch_share(r):
    return 100 * r["launch_s"] / r["mean_s"] if launch(r) else None


def deviation(r):
    """jacobian_q of affine elements is no kernel"""
    nothing = r["part"] in KERNELS and not r["bytes"]
    return 100 * r["deviation"] if r.get("samples") and r["mean_s"] > 0 and not nothing else None


def occupied(r):
    return 100 * r["occupancy"] if r.get("occupancy") else None


def occupancy(threads, registers, shared, r):
    """What NVIDIA's calculator has for compute capability 8 and 9, of blocks of so many threads: a processor's warps over those it has room for. Registers go to a warp
    by 256, warps to its four parts, shared memory to a block by 128 bytes and 1 KiB more"""
    warps = -(-threads // WARP)
    blocks = [r["processor_threads"] // WARP // warps, r["processor_blocks"], r["processor_shared"] // (-(-(shared + 1024) // 128) * 128)]
    if registers:
        blocks.append(r["processor_registers"] // 4 // (-(-registers * WARP // 256) * 256) * 4 // warps)
    return min(blocks) * warps / (r["processor_threads"] // WARP)


def span(rows, name):
    values = [r[name] for r in rows]
    return f"{min(values):.0f}" if min(values) == max(values) else f"{min(values):.0f} to {max(values):.0f}"


def resources(rows):
    """Tables 5.1 and 5.2"""
    for (cells, precision, way), group in ordered(grouped(rows, lambda r: (r["shape"], r["precision"], r["way"]))):
        found = [r for r in by_degree(group) if r.get("occupancy") and r["part"] != "rk_step"]
        if not found:
            continue
        print(f"Table 5.1, {way}, {cells}, {precision}, p = {span(found, 'degree')}\n\n| kernel | threads per block | registers | shared mem (B) | local mem (B) |\n|:--|--:|--:|--:|--:|")
        for part in (part for part in ALL if any(r["part"] == part for r in found)):
            of = [r for r in found if r["part"] == part]
            print(f"| {part} | " + " | ".join(span(of, name) for name in ("threads", "registers", "shared_bytes", "local_bytes")) + " |")
        print()
        numbers(f"Table 5.2, {way}, {cells}, {precision}: occupancy, %, by p", as_text(value(found, "degree", occupied)), [f"{p:.0f}" for p in sorted({r["degree"] for r in found})])


def figure53(plt, rows, folder):
    """Occupancy against the size of a block, as the registers and shared memory of gemm_sf allow it; a mark where the kernel is"""
    rows = [r for r in by_degree(rows) if r["part"] == "gemm_sf" and r["way"] == "kernels" and r.get("occupancy") and r.get("processor_registers")]
    if not rows:
        return
    groups = sorted(grouped(rows, lambda r: (r["shape"], r["precision"])).items())
    sizes = range(WARP, 1025, WARP)
    fig, axes = plt.subplots(1, len(groups), figsize=(6 * len(groups), 4), squeeze=False)
    for ax, ((cells, precision), group) in zip(axes[0], groups):
        shown = [r for r in group if r["degree"] in (1, 4, 7, 10)] or group
        for k, r in enumerate(sorted(shown, key=lambda r: r["degree"])):
            line = [100 * occupancy(size, r["registers"], r["shared_bytes"], r) for size in sizes]
            ax.plot(sizes, line, color=f"C{k}", marker=".", linewidth=0.8, label=f"p = {r['degree']:.0f}: {r['registers']:.0f} registers, {r['shared_bytes']:.0f} bytes")
            ax.plot([r["threads"]], [100 * r["occupancy"]], color=f"C{k}", marker="^", markersize=9, markeredgecolor="black")
        ax.set(xlabel="threads per block", ylabel="occupancy, %", ylim=(0, 105), title=f"gemm_sf, {cells}, {precision}")
        ax.grid(True, linewidth=0.4)
        ax.legend(fontsize=7)
    save(fig, folder, "water-occupancy.png", "Figure 5.3: occupancy against the size of a block; a triangle is the kernel's own")


def check_occupancy(rows):
    """The formula beside what the driver says of the kernels that ran"""
    known = [r for r in rows if r.get("occupancy") and r.get("processor_registers")]
    other = [r for r in known if abs(occupancy(r["threads"], r["registers"], r["shared_bytes"], r) - r["occupancy"]) > 1e-6]
    if known:
        print(f"The formula of figure 5.3 has the driver's occupancy for {len(known) - len(other)} of {len(known)} rows" + (f", not for {other[0]['part']}, p = {other[0]['degree']:.0f}" if other else "") + "\n")


def by_both(title, rows, f):
    """Tables by N_E, p = 4, and by p"""
    for (cells, precision, way), group in ordered(grouped(rows, lambda r: (r["shape"], r["precision"], r["way"]))):
        for x, of, fixed in ("elements", by_size(group), "p = {degree:.0f}, by N_E"), ("degree", by_degree(group), "N_E = {elements:.0f}, by p"):
            values = value(of, x, f)
            if values:
                numbers(f"{title}, {way}, {cells}, {precision}, {fixed.format(**of[0])}", as_text(values), [f"{v:.0f}" for v in sorted({v for found in values.values() for v in found})])


def of_collocation(plt, rows, f, ylabel, folder, name, title):
    """Figures 5.4 and 5.5: of collocation_u, and of the one kernel of fused, against p"""
    groups = sorted(grouped(by_degree([r for r in rows if r["part"] == ("rhs" if r["way"] == "fused" else "collocation_u")]), lambda r: (r["shape"], r["precision"])).items())
    lines = {key: [{r["way"]: {} for r in group} for _ in f] for key, group in groups}
    for key, group in groups:
        for r in group:
            for k, g in enumerate(f):
                if g(r) is not None:
                    lines[key][k][r["way"]][r["degree"]] = g(r)
    groups = [(key, group) for key, group in groups if any(lines[key][0].values())]
    if not groups:
        return
    fig, axes = plt.subplots(len(groups), len(f), figsize=(6 * len(f), 4 * len(groups)), squeeze=False)
    for ax, ((cells, precision), group) in zip(axes, groups):
        for k in range(len(f)):
            curves(ax[k], {way: line for way, line in lines[cells, precision][k].items() if line}, "p", ylabel[k], order=WAYS)
            ax[k].set_title(f"{cells}, {precision}, $N_E$ = {span(group, 'elements')}", fontsize=8)
    save(fig, folder, name, title)


def shares(plt, rows, x, folder, name, title):
    """Figures 5.8 and C.1: what each kernel takes of a right-hand side"""
    groups = ordered(grouped([r for r in rows if r["part"] in KERNELS and r["part"] not in VECTORS], lambda r: (r["shape"], r["precision"], r["way"])))
    if not groups:
        return
    fig, axes = plt.subplots(len(groups), 1, figsize=(9, 3 * len(groups)), squeeze=False)
    for ax, ((cells, precision, way), group) in zip(axes[:, 0], groups):
        at = sorted({r[x] for r in group})
        total = {n: sum(r["seconds"] for r in group if r[x] == n) for n in at}
        share = value(group, x, lambda r: 100 * r["seconds"] / total[r[x]])
        below = [0] * len(at)
        for k, (part, values) in enumerate(share.items()):
            heights = [values.get(n, 0) for n in at]
            ax.bar(range(len(at)), heights, bottom=below, label=part, color=f"C{k % 10}", hatch="//" if k > 9 else None)
            below = [b + h for b, h in zip(below, heights)]
        ax.set(xlabel="p" if x == "degree" else "$N_E$", ylabel="% of the kernels' time", ylim=(0, 100))
        ax.set_xticks(range(len(at)), [f"{n:.0f}" for n in at])
        ax.set_title(f"{way}, {cells}, {precision}", fontsize=8)
        ax.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
        numbers(f"{way}, {cells}, {precision}: % of the kernels' time" + ("" if x == "degree" else " by elements"), as_text(share), [f"{n:.0f}" for n in at])
    save(fig, folder, name, title)


def appendix(plt, rows, copy, folder):
    """Figures C.2 on: each kernel's time, speed-up element for element, and bandwidth, against N_E and p"""
    for (cells, precision), group in sorted(grouped(rows, lambda r: (r["shape"], r["precision"])).items()):
        parts = [part for part in KERNELS if any(r["part"] == part and r["way"] != "fused" and r["bytes"] > 0 for r in group)]
        if not parts:
            continue
        one = {}  # seconds of an element on one core, of the largest mesh
        for r in sorted((r for r in group if r["way"] == "host"), key=lambda r: r["elements"]):
            one[r["part"], r["degree"]] = r["seconds"] / r["elements"]
        degree = by_size([r for r in group if r["way"] != "fused"])[0]["degree"]
        fig, axes = plt.subplots(len(parts), 6, figsize=(24, 3.2 * len(parts)), squeeze=False)
        for ax, part in zip(axes, parts):
            of = [r for r in group if r["part"] == part and r["way"] != "fused"]
            for k, (x, xlabel, some) in enumerate((("elements", "$N_E$", by_size(of)), ("degree", "p", by_degree(of)))):
                lines = {way: [r for r in some if r["way"] == way] for way in WAYS if any(r["way"] == way for r in some)}
                faster = {way: {r[x]: one[part, r["degree"]] * r["elements"] / r["seconds"] for r in line if (part, r["degree"]) in one} for way, line in lines.items() if way != "host"}
                curves(ax[k], {way: {r[x]: 1e3 * r["seconds"] for r in line} for way, line in lines.items()}, xlabel, f"{part}, ms", not k, WAYS)
                ax[k].set_yscale("log")
                curves(ax[2 + k], {way: line for way, line in faster.items() if line}, xlabel, "times one core", not k, WAYS)
                curves(ax[4 + k], {way: {r[x]: 1e-9 * r["bytes"] / r["seconds"] for r in line} for way, line in lines.items()}, xlabel, "GB/s", not k, WAYS)
                if copy:
                    ax[4 + k].axhline(1e-9 * copy, color="gray", linewidth=0.8, linestyle="--")
        path = os.path.join(folder, f"water-appendix-{cells.replace(' ', '-')}-{precision}.png")
        fig.suptitle(f"Figures C.2 on, {cells}, {precision}: each kernel by $N_E$, p = {degree:.0f}, and by p, $N_E$ near {ELEMENTS}; dashes: a copy", fontsize=12, y=0.995)
        fig.subplots_adjust(left=0.04, right=0.99, bottom=0.02, top=0.98, wspace=0.25, hspace=0.3)  # to fit them tightly takes a minute
        fig.savefig(path, dpi=80)
        print(f"Wrote {path}\n")


def draw(plt, kernels, copy, folder):
    """All but the figures of shares"""
    device = [r for r in kernels if r["way"] != "host"]
    resources(device)
    figure53(plt, device, folder)
    check_occupancy(device)
    by_both("Table C.1: launch, us", device, launch)
    by_both("Table C.1: launch over the kernel's time, %", device, launch_share)
    by_both("Table C.2: relative standard deviation, %", kernels, deviation)
    of_collocation(plt, device, [launch, launch_share], ["launch, us", "launch over the kernel's time, %"], folder, "water-launch.png", "Figure 5.4: launches of collocation_u, and of fused's one kernel")
    of_collocation(plt, kernels, [deviation], ["relative standard deviation, %"], folder, "water-deviation.png", "Figure 5.5: collocation_u, and fused's one kernel")
    if not any(r.get("launch_s") for r in device):
        print("Tables 5.1, 5.2 and C.1, figures 5.3 and 5.4: -, there is no GPU in these rows\n")
    appendix(plt, kernels, copy, folder)
