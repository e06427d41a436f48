# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program `tempera`: where it is, and how it is called."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

Progress = Callable[[float], None]
"""Is called with the share of a run that is done, from 0 to 1."""


def show_progress(done: float) -> None:
    """A bar for terminals and notebooks, to be given as `on_progress`."""
    filled = round(40 * done)
    end = "\n" if done >= 1 else ""
    bar = "=" * filled + " " * (40 - filled)
    print(f"\r[{bar}] {100 * done:.0f} %", end=end, file=sys.stderr, flush=True)


class ProgramFailed(RuntimeError):
    """The program has ended with an error; the message is what it said."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def find_program() -> str:
    """The path of the program: that of the environment variable TEMPERA_PROGRAM, that of
    a build or of an installation with this package, or the one that the shell would find."""
    named = os.environ.get("TEMPERA_PROGRAM")
    if named:
        return named
    place = Path(__file__).resolve().parent
    for beside in ("../../build/tempera", "../../../../bin/tempera"):
        if (place / beside).is_file():
            return str((place / beside).resolve())
    found = shutil.which("tempera")
    if found:
        return found
    raise FileNotFoundError(
        "The program 'tempera' is neither built beside this package nor on the PATH. "
        "Set the environment variable TEMPERA_PROGRAM to its path."
    )


def assignments(values: Optional[Mapping[str, object]]) -> list[str]:
    """Options of a command line that set parameters."""
    result = []
    for name, value in (values or {}).items():
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, (list, tuple)):
            text = ", ".join(str(one) for one in value)
        else:
            text = str(value)
        result += ["--set", f"{name} = {text}"]
    return result


def call(arguments: Sequence[str]) -> str:
    """What the program says; a ProgramFailed if it ends with an error."""
    done = subprocess.run(
        [find_program(), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ProgramFailed(_cause(done.stderr), done.returncode)
    return done.stdout


def run(arguments: Sequence[str], on_progress: Optional[Progress] = None) -> str:
    """The same for a run, which tells how far it is.

    Ctrl-C stops the run after its round, and then this function.
    """
    with subprocess.Popen(
        [find_program(), "run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                done = re.match(r" +(\d+) %, .* rounds/s, ", line)
                if done and on_progress:
                    on_progress(int(done.group(1)) / 100)
        except BaseException:
            # The shell sends Ctrl-C to both; whatever else it was, nobody waits any more.
            process.terminate()
            process.wait()
            raise
        words = process.stderr.read()
    if process.returncode != 0:
        raise ProgramFailed(_cause(words), process.returncode)
    return "".join(said)


def _cause(words: str) -> str:
    found = words.rfind("Error")
    return words[found:].strip() if found >= 0 else words.strip()
