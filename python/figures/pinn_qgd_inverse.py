#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paper's Experiment 4, quasi-gas dynamics with unknown alpha: curves with bands, and errors by round."""
# %% The runs: the ladder, and its two rungs alone.
from paper import curves, run

FITS = {
    "m-reSGLD": run("pinn_qgd_inverse", 10000, 5000),
    "lt-SGLD": run("pinn_qgd_inverse_lt", 10000, 5000),
    "ht-SGLD": run("pinn_qgd_inverse_ht", 10000, 5000),
}

# %% The picture.
curves(FITS, "pinn_qgd_inverse")
