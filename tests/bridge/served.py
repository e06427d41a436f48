# SPDX-License-Identifier: LGPL-2.1-or-later
"""For the tests of this folder: a served parameter file, and a client of our own."""
import http.client
import json
import re
import subprocess

SECONDS = 120  # Nothing takes nearly as long, but computers may be busy.


class Served:
    """`tempera serve` with any free port; use it with `with`."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, "serve", *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for line in self.process.stdout:
            found = re.search(r"serving at http://[^:]*:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                self.url = f"http://127.0.0.1:{self.port}"
                return
        raise RuntimeError("tempera serve has not begun")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(SECONDS)
        self.process.stdout.close()

    def ask(self, path, body=None, method="POST", headers=None):
        """Status and JSON of an answer; a body that is no text is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, json.loads(text) if text else None


class Checks:
    """Counts what holds and what does not."""

    def __init__(self):
        self.n_failed = 0

    def __call__(self, name, holds, details=""):
        print(("OK " if holds else "FAILED ") + name, "" if holds else details, flush=True)
        self.n_failed += not holds

    def close(self):
        print("all passed" if self.n_failed == 0 else f"{self.n_failed} failed")
        raise SystemExit(self.n_failed > 0)
