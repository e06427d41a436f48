# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python functions that are sampled, without a parameter file."""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Mapping, Optional, Sequence, Union

from . import program
from .fit import Fit
from .server import Function, Server


def sample(
    forward: Function,
    prior: Mapping[str, object],
    data: Sequence[float],
    noise: Union[float, str],
    levels: Sequence[Function] = (),
    costs: Optional[Sequence[float]] = None,
    draws: int = 1000,
    warmup: Optional[int] = None,
    chains: int = 4,
    hottest: Optional[float] = None,
    seed: int = 1,
    set: Optional[Mapping[str, object]] = None,
    output: Optional[Union[str, Path]] = None,
    on_progress: Optional[program.Progress] = None,
    overwrite: bool = False,
    resume: bool = False,
) -> SampledFit:
    """Sample the posterior of the parameters of a function, given data.

    The functions are served on this computer while the program runs. They must give the
    same result whenever they are asked the same.

    Args:
        forward: Takes a list of parameters, in the order of the prior, and returns what would
            be measured. What it raises is a state without solution, which is rejected.
        prior: Of each parameter by name: "uniform(0, 1)", "normal(0, 1) above 0", or any
            other of doc/priors_and_noise.md, or a number if it is known.
        data: What was measured.
        noise: Standard deviation of its errors, or a prior for it.
        levels: Cheaper versions of `forward`, best first. They do most of the work; the
            result is that of `forward`, however wrong they are.
        costs: What a call of each of the `levels` costs, relative to one of `forward`; a
            twentieth if nothing is said. How much is checked afterwards depends on it.
        draws: In each chain.
        warmup: Rounds before these; a quarter of them, and at least 100, if nothing is said.
        chains: Independent of each other.
        hottest: Temperature of the hottest rung; more rungs lead there, so that chains go from
            one answer to another. 10 if nothing is said and there are no `levels`; with these the
            ladder of the cheapest one then ends at the prior.
        seed: The same seed gives the same draws.
        set: Parameters of the program, as {"Sampler/Kernel/Type": "MALA"}.
        output: Folder for the results; otherwise a new one for temporary files.
        on_progress: Called now and then with the share that is done, from 0 to 1.
        overwrite: Replace a run that is in the folder.
        resume: Go on with the run in the folder after a stop, a kill or a failure, bit for bit.
    """
    if warmup is None:
        warmup = max(100, draws // 4)
    functions = [forward, *levels]
    works = [1.0, *(costs if costs is not None else [0.05] * len(levels))]
    if len(works) != len(functions):
        raise ValueError(f"There are {len(levels)} levels, but {len(works) - 1} costs.")
    models = {f"level{i}": function for i, function in enumerate(functions)}
    folder = Path(output) if output is not None else Path(tempfile.mkdtemp("_tempera"))
    n_data = len(data)

    settings = {
        "Iterations": warmup + draws,
        "Burn-in": warmup,
        "Chains": chains,
        "Random seed": seed,
        "Observations/Values": ", ".join(repr(float(one)) for one in data),
        "Observations/Noise": noise,
        # Each costs two calls for every unknown.
        "Output/Information draws": 10,
        **_ladder(functions, hottest),
        **(set or {}),
    }

    def text(urls: Sequence[str]) -> str:
        lines = ["subsection Model", "  set Type = external", "  subsection Unknowns"]
        lines += [f"    set {name} = {one}" for name, one in prior.items()]
        lines += ["  end", "end", "subsection Levels"]
        for name, cost in zip(models, works):
            lines += [
                f"  subsection {name}",
                f"    set Servers = {', '.join(urls)}",
                f"    set Model = {name}",
                f"    set Work = {cost}",
                "  end",
            ]
        return "\n".join([*lines, "end", ""])

    def run(options: Sequence[str], progress: Optional[program.Progress]) -> str:
        with Server(models, len(prior), n_data) as server:
            with tempfile.TemporaryDirectory() as place:
                file = Path(place) / "sample.prm"
                file.write_text(text([server.url]))
                try:
                    return program.run(
                        [str(file), *program.assignments(settings)]
                        + ["--output", str(folder), *options],
                        progress,
                    )
                finally:
                    fit.n_calls = [
                        before + now
                        for before, now in zip(fit.n_calls, server.n_calls.values())
                    ]

    def go_on(progress: Optional[program.Progress]) -> None:
        run(["--resume"], progress)

    fit = SampledFit(folder, resume=go_on)
    fit.n_calls = [0] * len(functions)
    is_replaced = overwrite or output is None
    fit.log = run(
        ["--resume"] if resume else ["--overwrite"] if is_replaced else [], on_progress
    )
    return fit


class SampledFit(Fit):
    """The results of `sample()`."""

    n_calls: list[int]
    """Evaluations of `forward` and of each of the `levels`."""


def _ladder(
    functions: Sequence[Function], hottest: Optional[float]
) -> dict[str, object]:
    """Rungs and kernels. Without cheaper versions all rungs are of one level. With them, the
    better ones only swap with the next cheaper one at the same temperature, and the cheapest
    has a ladder of its own down to the prior, which is much faster."""
    has_gradients = all(hasattr(one, "gradient") for one in functions)
    cold = [f"level{i}" for i in range(len(functions))]
    n_cold = len(cold)
    if n_cold == 1:
        hottest = hottest or 10.0
        hot = [f"{hottest ** ((i + 1) / 3):.6g}" for i in range(3)]
        kernel = "MALA" if has_gradients else "random walk"
    else:
        hot = ["6", "infinity"] if hottest is None else [f"{hottest:.6g}"]
        kernel = "differences + MALA" if has_gradients else "differences"
    # Each is a multiple of the one before.
    paces = ([1] * n_cold + [2, 4, 20])[-n_cold:] if n_cold > 1 else [1]
    paces[0] = 1
    return {
        "Sampler/Ladder/Temperatures": ", ".join(["1"] * n_cold + hot),
        "Sampler/Ladder/Levels": ", ".join(cold + cold[-1:] * len(hot)),
        "Sampler/Ladder/Pace": ", ".join(map(str, paces + paces[-1:] * len(hot))),
        "Sampler/Ladder/Temper": "likelihood",
        "Sampler/Kernel/Type": kernel,
        "Sampler/Kernel/Steps per round": ", ".join(
            ["0"] * (n_cold - 1) + ["1"] * (1 + len(hot))
        ),
        "Sampler/Kernel/Preconditioner": "adapt dense",
        "Sampler/Swaps/Rule": "exact",
    }
