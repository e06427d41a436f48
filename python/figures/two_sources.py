#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's Experiment 1 with two answers: samples of three methods."""
# %% The runs: as many rounds as in the paper.
from paper import run, scatters

FITS = {
    "m-reSGLD": run("two_sources", 30000, 1000),
    "SGLD": run("two_sources_sgld", 60000, 1000),
    "reSGLD": run("two_sources_resgld", 30000, 1000),
}


# %% The picture: SGLD stays at one answer.
def truth(axes):
    axes.plot([0.3677, 0.6323], [0.45, 0.45], "r+", markersize=12, label="truth")


scatters(FITS, "two_sources", truth, [(0.5, 0.3), (0.5, 0.6)])
