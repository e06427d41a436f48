#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's Experiment 2, a nonlinear equation with unknown alpha: curves with bands, and errors by round."""
# %% The runs: the ladder, and its two rungs alone.
from paper import curves, run

FITS = {
    "m-reSGLD": run("pinn_nonlinear_inverse", 20000, 10000),
    "lt-SGLD": run("pinn_nonlinear_inverse_lt", 20000, 10000),
    "ht-SGLD": run("pinn_nonlinear_inverse_ht", 20000, 10000),
}

# %% The picture.
curves(FITS, "pinn_nonlinear_inverse")
