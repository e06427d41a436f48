#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cup of coffee cools: a model of Python with two fidelities, for cooling.prm.

The cup loses heat through its wall and by evaporation, which grows with the square of the
difference to the room: T' = -loss (T - 20) - steam (T - 20)^2, T(0) = 90. Predicted are the
temperatures after 5, 10, ..., 30 minutes, by the method of Heun.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
import tempera  # noqa: E402

MINUTES = 30
READINGS = 6


def cooling(parameters, n_steps):
    loss, steam = parameters[0], parameters[1]

    def slope(excess):
        return -loss * excess - steam * excess**2

    excess, result, step = 70.0, [], MINUTES / n_steps
    for i in range(n_steps):
        first = slope(excess)
        excess += 0.5 * step * (first + slope(excess + step * first))
        if (i + 1) % (n_steps // READINGS) == 0:
            result.append(20 + excess)
    return result


def fine(parameters):
    return cooling(parameters, 600)


def coarse(parameters):
    return cooling(parameters, 48)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 4242
    tempera.serve({"fine": fine, "coarse": coarse}, n_inputs=2, n_outputs=READINGS, port=port)
