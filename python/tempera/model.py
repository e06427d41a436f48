# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parameter files that are run."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Union

from . import program
from .fit import Fit


class Model:
    """What a parameter file describes."""

    def __init__(self, file: Union[str, Path]) -> None:
        self.file = Path(file)
        if not self.file.is_file():
            raise FileNotFoundError(f"There is no parameter file '{file}'.")

    def __repr__(self) -> str:
        return f"Model({str(self.file)!r})"

    def validate(self, set: Optional[Mapping[str, object]] = None) -> str:
        """Is it right, what would it do, how long would it take?"""
        return program.call(["validate", str(self.file), *program.assignments(set)])

    def run(
        self,
        set: Optional[Mapping[str, object]] = None,
        output: Optional[Union[str, Path]] = None,
        on_progress: Optional[program.Progress] = None,
        overwrite: bool = False,
    ) -> Fit:
        """Sample the posterior.

        Args:
            set: Values of parameters, as {"Sampler/Kernel/Type": "MALA"}.
            output: Folder for the results; otherwise that of the file.
            on_progress: Called now and then with the share that is done, from 0 to 1.
            overwrite: Replace a run that is in the folder.
        """
        arguments = [str(self.file), *program.assignments(set)]
        if output is not None:
            arguments += ["--output", str(output)]

        def resume(progress: Optional[program.Progress]) -> None:
            program.run(arguments + ["--resume"], progress)

        log = program.run(arguments + ["--overwrite"] * overwrite, on_progress)
        if output is None:
            found = re.search(r"\. results in (.*)", log)
            output = found.group(1).strip() if found else "output"
        return Fit(output, resume=resume, log=log)

    @staticmethod
    def parameters() -> list[dict[str, Any]]:
        """Every parameter that there is, with default and meaning."""
        result: list[dict[str, Any]] = json.loads(
            program.call(["parameters", "--json"])
        )["parameters"]
        return result
