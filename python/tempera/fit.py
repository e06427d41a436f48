# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results of a run."""
from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from . import program

if TYPE_CHECKING:
    import xarray

Folder = Union[str, "Path"]


class Fit:
    """What a run has left in its folder, also while it is still going."""

    def __init__(
        self,
        folder: Folder,
        *,
        resume: Optional[Callable[[Optional[program.Progress]], None]] = None,
        log: str = "",
    ) -> None:
        self.folder = Path(folder)
        self.log = log
        """What the run has said."""
        self._resume = resume
        self._draws: Optional[xarray.Dataset] = None

    def __repr__(self) -> str:
        return f"Fit({str(self.folder)!r})"

    @property
    def draws(self) -> xarray.Dataset:
        """The draws of the posterior, by chain and draw."""
        if self._draws is None:
            self._draws = self.group("posterior")
        return self._draws

    def group(self, name: str) -> xarray.Dataset:
        """A group of samples.nc: `posterior`, `sample_stats`, `tempered_posterior`, ..."""
        import xarray

        with xarray.open_dataset(self.folder / "samples.nc", group=name) as data:
            return data.load()

    def summary(self) -> dict[str, Any]:
        """Means, quantiles, diagnostics, modes, swaps: what `tempera summary --json` says.

        `summary()["unknowns"]` has a dictionary for each unknown.
        """
        result: dict[str, Any] = json.loads(
            program.call(["summary", str(self.folder), "--json"])
        )
        return result

    def warnings(self) -> list[str]:
        """What is doubtful about the run, each with its remedy."""
        return [f"{one['what']} {one['remedy']}" for one in self.summary()["warnings"]]

    def evidence(self) -> Optional[dict[str, Any]]:
        """The marginal likelihood with its error, if the run has it, otherwise None.

        `log_evidence` and its `error`; `log_integral` without the likelihood's `constant`;
        `pairs` of rungs. Why there is none: `summary()["no_evidence"]`.
        """
        result: Optional[dict[str, Any]] = self.summary().get("evidence")
        return result

    def resume(self, on_progress: Optional[program.Progress] = None) -> Fit:
        """Go on after a stop, a kill or a failure, bit for bit."""
        if self._resume is not None:
            self._resume(on_progress)
        else:
            program.run(
                [
                    str(self.folder / "parameters.prm"),
                    "--output",
                    str(self.folder),
                    "--resume",
                ],
                on_progress,
            )
        self._draws = None
        return self

    def compare(self, *others: Union[Fit, Folder]) -> str:
        """This run and others side by side, as a table."""
        return compare(self, *others)


def compare(*fits: Union[Fit, Folder]) -> str:
    """Runs side by side, as a table."""
    folders = [str(one.folder if isinstance(one, Fit) else one) for one in fits]
    picture = Path(folders[0]) / "convergence.svg"
    return program.call(["compare", *folders, "--write", str(picture)])
