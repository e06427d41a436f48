# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions are sampled and served."""
import math
import tempfile
import unittest
from http.client import HTTPConnection
from json import dumps, loads
from pathlib import Path

import tempera

PRIOR = {"a": "normal(0, 1)", "b": "normal(0, 1)"}
DATA = [1.0, 0.4]
NOISE = 0.5


def fine(x):
    return [x[0] + x[1], x[0] - x[1]]


def coarse(x):
    return [1.05 * x[0] + x[1], x[0] - 0.95 * x[1] + 0.02]


def exact_moments():
    """Of a linear model with independent priors: columns are orthogonal."""
    precision = 1 + 2 / NOISE**2
    means = [(DATA[0] + DATA[1]) / NOISE**2 / precision, (DATA[0] - DATA[1]) / NOISE**2 / precision]
    return means, 1 / math.sqrt(precision)


class FunctionsAreSampled(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)

    def tearDown(self):
        self.place.cleanup()

    def check_moments(self, fit):
        means, deviation = exact_moments()
        for unknown, mean in zip(fit.summary()["unknowns"], means):
            self.assertLess(abs(unknown["mean"] - mean), 5 * unknown["mcse_mean"])
            self.assertLess(abs(unknown["sd"] - deviation), 5 * unknown["mcse_sd"])

    def test_one_function(self):
        progress = []
        fit = tempera.sample(fine, PRIOR, DATA, NOISE, draws=250, output=self.folder / "one",
                             on_progress=progress.append)
        self.check_moments(fit)
        self.assertEqual(progress[-1], 1.0)

    def test_a_fine_and_a_coarse_one(self):
        fit = tempera.sample(fine, PRIOR, DATA, NOISE, levels=[coarse], draws=250,
                             output=self.folder / "two")
        self.check_moments(fit)
        few = min(one["ess_bulk"] for one in fit.summary()["unknowns"])
        self.assertLess(fit.n_calls[0] / few, 4)
        self.assertGreater(fit.n_calls[1], 10 * fit.n_calls[0])

    def test_gradients_are_used(self):
        def curve(x):
            return fine(x)

        curve.gradient = lambda x, w: [w[0] + w[1], w[0] - w[1]]
        fit = tempera.sample(curve, PRIOR, DATA, NOISE, draws=250, output=self.folder / "slope")
        self.assertIn("MALA", fit.log)
        self.check_moments(fit)

    def test_a_stop_can_be_resumed(self):
        options = dict(draws=200, chains=2, output=self.folder / "stopped")

        def stop(done):
            if done >= 0.5:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            tempera.sample(fine, PRIOR, DATA, NOISE, on_progress=stop, **options)
        fit = tempera.sample(fine, PRIOR, DATA, NOISE, resume=True, **options)
        options["output"] = self.folder / "whole"
        whole = tempera.sample(fine, PRIOR, DATA, NOISE, **options)
        self.assertTrue(fit.draws.equals(whole.draws))
        self.assertTrue(fit.resume().draws.equals(whole.draws))

    def test_a_lost_answer_is_asked_for_again(self):
        calls = [0]

        def mortal(x):
            calls[0] += 1
            if calls[0] == 1500:
                raise SystemExit  # Ends the thread that answers, not the server.
            return fine(x)

        options = dict(draws=200, chains=2)
        whole = tempera.sample(fine, PRIOR, DATA, NOISE, output=self.folder / "whole", **options)
        fit = tempera.sample(mortal, PRIOR, DATA, NOISE, output=self.folder / "part", **options)
        self.assertTrue(fit.draws.equals(whole.draws))

    def test_mistakes_are_told(self):
        with self.assertRaisesRegex(tempera.ProgramFailed, "uniform"):
            tempera.sample(fine, {"a": "unifrm(0, 1)", "b": 1}, DATA, NOISE)
        with self.assertRaisesRegex(tempera.ProgramFailed, "two answers"):
            state = [0.0]

            def moody(x):
                state[0] += 1e-9
                return [x[0] + state[0], x[1]]

            tempera.sample(moody, PRIOR, DATA, NOISE)


class FunctionsAreServed(unittest.TestCase):
    def ask(self, server, path, body=None, method="POST"):
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request(method, path, None if body is None else dumps(body))
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, loads(text) if text else None

    def test_the_protocol(self):
        with tempera.Server({"fine": fine, "coarse": coarse}, 2, 2) as server:
            good = {"name": "fine", "input": [[1, 2]]}
            self.assertEqual(self.ask(server, "/Info", method="GET"),
                             (200, {"protocolVersion": 1.0, "models": ["fine", "coarse"]}))
            self.assertEqual(self.ask(server, "/Info", method="HEAD"), (200, None))
            self.assertEqual(self.ask(server, "/InputSizes", good), (200, {"inputSizes": [2]}))
            self.assertEqual(self.ask(server, "/OutputSizes", good), (200, {"outputSizes": [2]}))
            self.assertEqual(self.ask(server, "/Evaluate", good), (200, {"output": [[3.0, -1.0]]}))
            for path, body, status, kind in (
                ("/Evaluate", None, 400, "InvalidInput"),
                ("/Evaluate", [], 400, "InvalidInput"),
                ("/Evaluate", {}, 400, "ModelNotFound"),
                ("/Evaluate", {**good, "name": "other"}, 400, "ModelNotFound"),
                ("/Evaluate", {**good, "input": [[1]]}, 400, "InvalidInput"),
                ("/Evaluate", {**good, "input": [[1, "2"]]}, 400, "InvalidInput"),
                ("/Gradient", good, 400, "UnsupportedFeature"),
                ("/ApplyJacobian", good, 400, "UnsupportedFeature"),
                ("/ApplyHessian", good, 400, "UnsupportedFeature"),
                ("/nowhere", good, 404, "InvalidInput"),
            ):
                got, answer = self.ask(server, path, body)
                self.assertEqual((got, answer["error"]["type"]), (status, kind), path)
            self.assertEqual(server.n_calls, {"fine": 1, "coarse": 0})

    def test_what_has_no_result(self):
        for wrong in (lambda x: [1], lambda x: [math.nan, 1], lambda x: 1 / 0, lambda x: "ab"):
            with tempera.Server(wrong, 1, 2) as server:
                status, answer = self.ask(server, "/Evaluate", {"name": "forward", "input": [[1]]})
                self.assertEqual((status, answer["error"]["type"]), (500, "InvalidOutput"))


if __name__ == "__main__":
    unittest.main()
