# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scripts for the paper's figures share.

Every script takes the folder for runs and pictures (default: output/figures), and with --quick
a hundredth of the rounds, to see whether it works.
"""
from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import tempera  # noqa: E402

_parser = argparse.ArgumentParser()
_parser.add_argument("folder", nargs="?", type=Path, default=Path("output/figures"))
_parser.add_argument("--quick", action="store_true")
ARGUMENTS = _parser.parse_args()


def run(name: str, rounds: int, burn_in: int) -> tempera.Fit:
    """The run of a file of prm/paper, for as many rounds; made once, then read."""
    if ARGUMENTS.quick:
        rounds, burn_in = rounds // 100, burn_in // 100
    folder = ARGUMENTS.folder / f"{name}_{rounds}"
    if (folder / "samples.nc").is_file():
        return tempera.Fit(folder)
    print(f"-- running {name}", flush=True)
    return tempera.Model(ROOT / "prm" / "paper" / f"{name}.prm").run(
        set={"Iterations": rounds, "Burn-in": burn_in}, output=folder, overwrite=True
    )


def table(file: Path) -> dict[str, list[float]]:
    """The columns of a CSV file by name."""
    with open(file, newline="") as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return {
        name: [float(row[i]) if row[i] else float("nan") for row in rows[1:]]
        for i, name in enumerate(rows[0])
    }


def save(figure: Any, name: str) -> None:
    ARGUMENTS.folder.mkdir(parents=True, exist_ok=True)
    for kind in ("pdf", "png"):
        figure.savefig(ARGUMENTS.folder / f"{name}.{kind}", dpi=150, bbox_inches="tight")
    print(f"-- {ARGUMENTS.folder / name}.pdf and .png")


def scatters(fits: dict[str, tempera.Fit], name: str, truth: Any, sensors: Sequence[Any]) -> None:
    """Draws of two unknowns by method, with the truth and the sensors."""
    from matplotlib import pyplot

    figure, all_axes = pyplot.subplots(
        1, len(fits), figsize=(4 * len(fits), 4), sharex=True, sharey=True
    )
    for axes, (method, fit) in zip(all_axes, fits.items()):
        draws = fit.draws
        axes.scatter(draws["x"], draws["y"], s=1, alpha=0.2, rasterized=True)
        truth(axes)
        axes.plot(*zip(*sensors), "k^", label="sensor")
        axes.set(title=method, xlabel="x", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    all_axes[0].set_ylabel("y")
    all_axes[0].legend(loc="lower left")
    save(figure, name)


def curves(methods: dict[str, tempera.Fit], name: str) -> None:
    """Of a network: mean and 90 % band of the curve by method, and errors by round."""
    from matplotlib import pyplot

    figure, all_axes = pyplot.subplots(1, len(methods) + 1, figsize=(4 * len(methods) + 4, 3.5))
    for axes, (method, fit) in zip(all_axes, methods.items()):
        curve = table(fit.folder / "prediction.csv")
        axes.fill_between(curve["x"], curve["5 %"], curve["95 %"], alpha=0.4, label="90 %")
        axes.plot(curve["x"], curve["mean"], label="mean")
        if "exact" in curve:
            axes.plot(curve["x"], curve["exact"], "k--", label="exact")
        axes.set(title=method, xlabel="x")
        axes.legend()
        errors = table(fit.folder / "errors.csv")
        all_axes[-1].semilogy(errors["round"], errors["rung 0"], label=method)
    all_axes[-1].set(xlabel="round", title="relative error")
    all_axes[-1].legend()
    save(figure, name)
