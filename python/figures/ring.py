#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's Experiment 1 with a circle of answers: samples of three methods."""
# %% The runs: as many rounds as in the paper.
from paper import run, scatters

FITS = {
    "m-reSGLD": run("ring", 60000, 1000),
    "SGLD": run("ring_sgld", 60000, 1000),
    "reSGLD": run("ring_resgld", 60000, 1000),
}


# %% The picture: one sensor cannot tell directions.
def truth(axes):
    from matplotlib.patches import Circle

    axes.add_patch(Circle((0.5, 0.3), 0.2, fill=False, color="r", label="truth"))


scatters(FITS, "ring", truth, [(0.5, 0.3)])
