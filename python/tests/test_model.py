# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parameter files are run, and their results are read."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tempera

EXAMPLES = Path(__file__).resolve().parents[2] / "prm" / "examples"
SHORT = {"Iterations": 600, "Burn-in": 200}


class RunsOfFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        cls.progress = []
        cls.fit = tempera.Model(EXAMPLES / "gaussian.prm").run(
            set=SHORT, output=cls.folder / "run", on_progress=cls.progress.append
        )

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_progress_is_told(self):
        self.assertEqual(self.progress, sorted(self.progress))
        self.assertEqual(self.progress[-1], 1.0)

    def test_progress_is_shown(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            for share in (0.5, 1.0):
                tempera.show_progress(share)
        self.assertIn(" 50 %", said.getvalue())
        self.assertTrue(said.getvalue().endswith(" 100 %\n"))

    def test_draws_have_chains_and_names(self):
        draws = self.fit.draws
        summary = self.fit.summary()
        self.assertEqual(draws.sizes["chain"], summary["chains"])
        for unknown in summary["unknowns"]:
            mean = float(draws[unknown["name"]].mean())
            self.assertAlmostEqual(mean, unknown["mean"], places=10)
        self.assertEqual(self.fit.group("sample_stats").sizes["draw"], draws.sizes["draw"])

    def test_warnings_say_what_to_do(self):
        few = tempera.Model(EXAMPLES / "gaussian.prm").run(
            set={"Iterations": 40, "Burn-in": 20}, output=self.folder / "few"
        )
        self.assertTrue(any("Iterations" in one for one in few.warnings()))

    def test_evidence_is_there_or_not(self):
        self.assertIsNone(self.fit.evidence())
        self.assertIn("prior", self.fit.summary()["no_evidence"])
        fit = tempera.Model(EXAMPLES / "two_sources_best.prm").run(
            set={"Iterations": 150, "Chains": 2}, output=self.folder / "evidence"
        )
        evidence = fit.evidence()
        self.assertGreater(evidence["error"], 0.0)
        self.assertLess(evidence["error"], 0.3)
        self.assertAlmostEqual(
            evidence["log_evidence"], evidence["log_integral"] - evidence["constant"], places=10
        )
        self.assertEqual(len(evidence["pairs"]), 6)

    def test_runs_are_compared(self):
        other = tempera.Model(EXAMPLES / "gaussian.prm").run(
            set={**SHORT, "Random seed": 2}, output=self.folder / "other"
        )
        for table in (self.fit.compare(other), tempera.compare(self.fit, other.folder)):
            self.assertIn("other", table)

    def test_more_draws_by_resuming(self):
        model = tempera.Model(EXAMPLES / "gaussian.prm")
        fit = model.run(set=SHORT, output=self.folder / "resumed")
        self.assertIs(fit.resume(), fit)
        again = tempera.Fit(fit.folder).resume()
        self.assertTrue(again.draws.equals(self.fit.draws))

    def test_mistakes_are_exceptions(self):
        with self.assertRaises(FileNotFoundError):
            tempera.Model("nowhere.prm")
        model = tempera.Model(EXAMPLES / "gaussian.prm")
        with self.assertRaisesRegex(tempera.ProgramFailed, "Iterations") as caught:
            model.run(set={"Iteration": 3}, output=self.folder / "wrong")
        self.assertEqual(caught.exception.exit_code, 1)
        with self.assertRaisesRegex(tempera.ProgramFailed, "--overwrite"):
            model.run(set=SHORT, output=self.folder / "run")
        self.assertIn("is valid", model.validate(SHORT))

    def test_parameters_are_described(self):
        self.assertGreater(len(tempera.Model.parameters()), 50)

    def test_figures_are_made(self):
        script = EXAMPLES.parents[1] / "python" / "figures" / "two_sources.py"
        folder = self.folder / "figures"
        done = subprocess.run([sys.executable, script, folder, "--quick"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((folder / "two_sources.pdf").is_file())

    def test_the_import_is_light(self):
        heavy = "'numpy', 'xarray', 'matplotlib', 'netCDF4'"
        done = subprocess.run(
            [sys.executable, "-c",
             f"import sys, tempera; sys.exit(any(m in sys.modules for m in ({heavy})))"],
            check=False,
        )
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
