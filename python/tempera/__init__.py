# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tempera from Python: run parameter files, read results, sample functions.

    import tempera

    fit = tempera.Model("file.prm").run(set={"Random seed": 7}, output="results")
    fit.draws                       # xarray, by chain and draw
    fit.summary(), fit.warnings()

    fit = tempera.sample(fine, prior={"x": "uniform(0, 1)"}, data=[2.1], noise=0.1,
                         levels=[coarse])

Nothing heavy is imported before it is used. The program is found by
`find_program()`.
"""
from .fit import Fit, compare
from .model import Model
from .program import ProgramFailed, find_program, show_progress
from .sampling import sample
from .server import Server, serve

__all__ = [
    "Fit",
    "Model",
    "ProgramFailed",
    "Server",
    "compare",
    "find_program",
    "sample",
    "serve",
    "show_progress",
]
