# SPDX-License-Identifier: LGPL-2.1-or-later
# Usage: samples_are_exported.py FOLDER KIND CHAINS BURN_IN DRAWS
# Reads what samples_are_exported.cc has exported, and compares it with the
# formula that made the record. Prints "OK name" or "FAILED name".
import math
import subprocess
import sys

import netCDF4
import numpy as np
import xarray as xr

folder, kind = sys.argv[1:3]
n_chains, n_burn_in, n_draws = map(int, sys.argv[3:6])
path = folder + "/samples.nc"
failures = 0
THINNING = 1 if kind == "long" else 2

if kind == "levels":
    # As documented.
    draws = xr.open_dataset(path, group="level_draws")
    mean = float((draws.weight * draws.x).sum())
    expected, uncorrected = map(float, sys.argv[6:8])
    plain = draws.where(draws.rung == draws.rung.max(), drop=True)
    weighted = draws.dropna("draw")
    ratio = np.exp(weighted.energy - weighted.finer_energy)
    direct = (
        1.0 / plain.x.size * plain.x.sum()
        + ((ratio / ratio.mean() - 1.0) * weighted.x).sum() / weighted.x.size
    )
    right = {
        "the corrected mean is that of the summary": abs(mean - expected) < 1e-9,
        "and is near what the formula without smoothing says": abs(mean - direct)
        < 0.1 * abs(mean - uncorrected),
        "without weights it is that of the coarse level": abs(
            float(plain.x.mean()) - uncorrected
        )
        < 1e-9,
        "weights have the sum 1": abs(float(draws.weight.sum()) - 1.0) < 1e-9,
        "chains and rounds": set(draws.ladder.values) == set(range(n_chains))
        and draws["round"].max() == 3 * n_draws
        and draws.attrs["inference_library"] == "tempera",
    }
    for name, holds in right.items():
        print("OK" if holds else "FAILED", folder + ":", name, "" if holds else mean)
    sys.exit(not all(right.values()))


def check(name, holds, details=""):
    global failures
    if holds:
        print("OK", folder + ":", name)
    else:
        failures += 1
        print("FAILED", folder + ":", name, details)


def group(name):
    return xr.open_dataset(path, group=name)


def formula(chains, rounds, rungs, column):
    """Of the test program, by broadcasting."""
    return (1000000 * chains + 97 * rounds + 13 * rungs + 5 * column + 1) / 7.0


def same(actual, expected):
    return (
        actual.shape == np.shape(expected)
        and actual.dtype == np.asarray(expected).dtype
        and np.array_equal(actual, expected, equal_nan=actual.dtype == float)
    )


def values(first, n, column, rungs=0):
    """By chain and draw, of the draws from the number first."""
    chains = np.arange(n_chains)[:, None]
    rounds = (first + np.arange(n)[None, :] + 1) * THINNING
    if np.ndim(rungs) > 0:
        chains, rounds = chains[..., None], rounds[..., None]
    return formula(chains, rounds, rungs, column)


def energies(first, n, rungs=0):
    return values(first, n, 100, rungs) / 3.0, values(first, n, 101, rungs) / 11.0


def statistics(first, n):
    reference, potential = energies(first, n)
    i = first + np.arange(n)
    n_rungs = 1 if kind == "long" else 4
    by_draw = {
        "acceptance_rate": np.where(i % 4 == 3, np.nan, 1.0 / (1.0 + i % 5)),
        "step_size": np.where(i < n_burn_in, 0.1 * (i + 1), 0.3),
        "diverging": i % 7 == 0,
        "replica": (i % n_rungs).astype(np.int32),
    }
    result = {name: np.tile(row, (n_chains, 1)) for name, row in by_draw.items()}
    result.update(reference=reference, potential=potential)
    result.update(energy=reference + potential, lp=-(reference + potential))
    return result


COLUMNS = {  # name in the posterior: what the user called it
    "long": {"x": "x", "sigma": "sigma"},
    "ladder": {
        "x": "x",
        "a_b": "a/b",
        "a_b_2": "a_b",
        "draw_2": "draw",
        'k, "quoted"_': 'k, "quoted" ',
        "αβ": "αβ",
        "x.1": "x.1",
        "lp__": "lp__",
        "energy": "energy",
        "u(0.5)": "u(0.5)",
        "_-1": "-1",
    },
}
columns = COLUMNS["long" if kind == "long" else "ladder"]
CSV_NAMES = {
    "long": ["x", "sigma"],
    "ladder": "x a_b a_b_2 draw k___quoted αβ x_1 lp energy u_0_5 v_1".split(),
}
csv_names = CSV_NAMES["long" if kind == "long" else "ladder"]
MEASUREMENTS = {
    "long": [("first", 1.0, None), ("second", 2.0, None)],
    "ladder": [
        ("(0.5, 0.5), t = 0.1", 1.5, 0.25),
        ("Messung für β", -2.5, 0.5),
        ("(0.5, 0.5), t = 0.1", 3.5, 2.0),
    ],
}
measurements = MEASUREMENTS["long" if kind == "long" else "ladder"]
PLACES = {
    "long": {},
    "ladder": {
        "place_x": [0.5, 0.25, 0.5],
        "place_y": [0.5, -1.0, 0.5],
        "time": [0.1, 0.2, 0.1],
    },
}
places = PLACES["long" if kind == "long" else "ladder"]
# The errors of the first and the third measurement are correlated.
COVARIANCE = np.array([[0.0625, 0.0, 0.25], [0.0, 0.25, 0.0], [0.25, 0.0, 4.0]])


def check_coordinates(name, data, n, numbers=None):
    numbers = np.arange(n) if numbers is None else numbers
    check(
        "coordinates of " + name,
        same(data["chain"].values, np.arange(n_chains))
        and same(data["draw"].values, numbers)
        and {"chain", "draw"} <= set(data.coords),
        data,
    )


def check_phase(prefix, first, n):
    posterior = group(prefix + "posterior")
    check_coordinates(prefix + "posterior", posterior, n)
    check(
        "names of " + prefix + "posterior",
        list(posterior.data_vars) == list(columns)
        and [posterior[name].attrs["long_name"] for name in columns]
        == list(columns.values()),
        posterior,
    )
    check(
        "values of " + prefix + "posterior",
        all(
            posterior[name].dims == ("chain", "draw")
            and same(posterior[name].values, values(first, n, column))
            for column, name in enumerate(columns)
        ),
        posterior,
    )
    stats = group(prefix + "sample_stats")
    expected = statistics(first, n)
    check_coordinates(prefix + "sample_stats", stats, n)
    check(
        "values of " + prefix + "sample_stats",
        set(stats.data_vars) == set(expected)
        and all(
            stats[name].dims == ("chain", "draw")
            and same(stats[name].values, expected[name])
            for name in expected
        ),
        [name for name in expected if not same(stats[name].values, expected[name])],
    )


def check_attributes():
    root = xr.open_dataset(path)
    seed = 5 if kind == "long" else 12345678901234567890
    title = "long" if kind == "long" else 'odd "names", = and ?'
    parameters = (
        "set A = 1\n"
        if kind == "long"
        else "set Title = long\n" + "#" * 100000 + "\nend\n"
    )
    check(
        "attributes",
        root.attrs["seed"] == seed
        and root.attrs["title"] == title
        and root.attrs["parameters"] == parameters
        and root.attrs["inference_library"] == "tempera"
        and root.attrs["inference_library_version"] == "1.2.3"
        and not any("time" in name or "created_at" in name for name in root.attrs),
        {name: str(value)[:80] for name, value in root.attrs.items()},
    )
    groups = netCDF4.Dataset(path).groups
    check(
        "every group says who made it",
        all(
            groups[name].inference_library == "tempera"
            and groups[name].inference_library_version == "1.2.3"
            for name in groups
        ),
    )
    note = "The coldest temperature is 2, not 1"
    check(
        "a coldest temperature that is not 1 is noted",
        root.attrs.get("note", "").startswith(note)
        if folder == "long"
        else "note" not in root.attrs,
        root.attrs.get("note"),
    )
    check(
        "storage is contiguous",
        all(
            variable.chunking() == "contiguous"
            for one in groups.values()
            for variable in one.variables.values()
            if 0 not in variable.shape
        ),
    )
    return set(groups)


def check_measurements(name, data):
    """The dimension with its coordinates."""
    check(
        "measurements of " + name,
        same(data["measurement"].values, np.arange(len(measurements)))
        and data["measurement_name"].values.tolist() == [one[0] for one in measurements]
        and all(same(data[key].values, places[key]) for key in places)
        and {"measurement", "measurement_name", *places}
        == set(data.coords) - {"chain", "draw", "answer"},
        data,
    )


def check_cross_validation(density):
    """The example of doc/results.md, as it stands there."""
    with open(sys.path[0] + "/../../doc/results.md", encoding="utf-8") as file:
        example = file.read().split("```python\n")[1].split("```")[0]
    found = {"path": path}
    exec(example, found)
    expected = [
        math.log(one.size) - np.logaddexp.reduce(-one.ravel())
        for one in np.moveaxis(density, 2, 0)
    ]
    check(
        "cross-validation as documented",
        np.allclose(found["elpd"].values, expected, rtol=1e-12, atol=0)
        and found["posterior"].sizes["draw"] == density.shape[1]
        and same(
            found["posterior"]["x"].values,
            group("posterior")["x"].values[:, found["likelihood"]["draw"].values],
        ),
        found,
    )


READERS = """
import sys
for module in sys.argv[2].split():
    sys.modules[module] = None
for module in sys.argv[3].split():
    __import__(module)
import netCDF4
import xarray as xr
path = sys.argv[1]
for i in range(5):
    groups = list(netCDF4.Dataset(path).groups)
    for group in groups:
        xr.open_dataset(path, group=group).load()
    assert groups
"""


def check_open_files():
    """
    With h5py, HDF5 reads variable-length texts with the help of a file that is
    closed already, and crashes, if groups are opened again and again.
    """
    for name, absent, first in [
        ("as packages are installed", "", ""),
        ("after h5py", "", "h5py"),
        ("without h5py", "h5py h5netcdf", ""),
    ]:
        reader = subprocess.run(
            [sys.executable, "-c", READERS, path, absent, first],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        check(
            "groups can be opened again and again " + name,
            reader.returncode == 0,
            (reader.returncode, reader.stdout.decode("utf-8", "replace")),
        )
    texts = []

    def find_texts(one):
        for variable in one.variables.values():
            if variable.dtype is str:
                texts.append(variable.name)
        for inner in one.groups.values():
            find_texts(inner)

    with netCDF4.Dataset(path) as file:
        find_texts(file)
    check("no text has a variable length", not texts, texts)


def check_predictions():
    """Against the measurements, at every eighth draw."""
    # Every eighth draw is predicted; of long chains less than 1000 are used.
    stride = 1
    while -(-n_draws // stride) >= 1000:
        stride *= 2
    numbers = np.arange(0, n_draws, max(8, stride))
    observed = group("observed_data")
    y = np.array([value for _, value, _ in measurements])
    check("measurements", same(observed["y"].values, y), observed)
    check_measurements("observed_data", observed)
    predictive, likelihood = group("posterior_predictive"), group("log_likelihood")
    for name, data in [("predictive", predictive), ("likelihood", likelihood)]:
        check_coordinates(name, data, len(numbers), numbers)
        check_measurements(name, data)
        check(
            "dimensions of " + name,
            data["y"].dims == ("chain", "draw", "measurement"),
        )
    rounds = (n_burn_in + numbers[None, :, None] + 1) * THINNING
    chains = np.arange(n_chains)[:, None, None]
    expected = formula(chains, rounds, 0, 200 + np.arange(len(y))) / 1000.0
    check("predictions", same(predictive["prediction"].values, expected))
    if kind == "long":
        deviation = formula(chains, rounds, 0, 1)
    else:
        deviation = np.array([one for _, _, one in measurements])
        known = group("constant_data")
        check_measurements("constant_data", known)
        check("deviations", same(known["deviation"].values, deviation))
        check(
            "truth",
            known["true_x"].dims == ("answer",)
            and known["true_x"].values.tolist() == [0.25, 0.75]
            and known["true_a_b"].values.tolist() == [-1.0, -2.0]
            and "true_a_b_2" not in known,
            known,
        )
    residual = (y - expected) / deviation
    if kind == "ladder":
        # Of each measurement given the others, as partitioned matrices say.
        conditional = np.empty(3)
        residual = np.empty(expected.shape)
        for i in range(3):
            others = [j for j in range(3) if j != i]
            weights = COVARIANCE[i, others] @ np.linalg.inv(
                COVARIANCE[np.ix_(others, others)]
            )
            conditional[i] = math.sqrt(
                COVARIANCE[i, i] - weights @ COVARIANCE[others, i]
            )
            residual[..., i] = (
                (y - expected)[..., i] - (y - expected)[..., others] @ weights
            ) / conditional[i]
        deviation = conditional
    density = -(residual**2) / 2 - np.log(deviation) - math.log(2 * math.pi) / 2
    check(
        "logarithms of the likelihood",
        np.allclose(likelihood["y"].values, density, rtol=1e-13, atol=0),
    )
    check_cross_validation(density)
    if kind == "ladder":
        factor = np.linalg.inv(np.linalg.cholesky(COVARIANCE))
        errors = ((predictive["y"].values - expected) @ factor.T).ravel()
    else:
        errors = ((predictive["y"].values - expected) / deviation).ravel()
    check("replicates have errors of their own", len(set(errors)) == errors.size)
    if errors.size < 1000:
        return
    # Four standard errors of mean, variance, and correlation of neighbours.
    bound = 4 / math.sqrt(errors.size)
    neighbours = np.corrcoef(errors[:-1], errors[1:])[0, 1]
    by_measurement = np.corrcoef(errors[0::2], errors[1::2])[0, 1]
    check(
        "which are normal",
        abs(errors.mean()) < bound
        and abs(errors.var() - 1) < bound * math.sqrt(2)
        and abs((np.abs(errors) < 1).mean() - math.erf(math.sqrt(0.5))) < bound / 2
        and abs(neighbours) < bound
        and abs(by_measurement) < bound * math.sqrt(2),
        (errors.mean(), errors.var(), neighbours, by_measurement),
    )


def check_ladder():
    tempered = group("tempered_posterior")
    check_coordinates("tempered_posterior", tempered, n_draws)
    rungs = np.arange(1, 4)
    temperature = 1.0 + rungs + 0.5 * np.arange(n_chains)[:, None]
    check(
        "coordinates of the rungs",
        same(tempered["rung"].values, rungs)
        and set(tempered.coords) == {"chain", "draw", "rung", "temperature", "level"}
        and same(tempered["temperature"].values, temperature)
        and tempered["level"].values.tolist() == ["coarse", "coarse", "fine"],
        tempered,
    )
    names = [name if name != "energy" else "energy_2" for name in columns]
    reference, potential = energies(n_burn_in, n_draws, rungs)
    i = n_burn_in + np.arange(n_draws)[None, :, None]
    replica = np.broadcast_to(
        ((rungs + i) % 4).astype(np.int32), (n_chains, n_draws, 3)
    )
    check(
        "values of tempered_posterior",
        set(tempered.data_vars)
        == set(names) | {"energy", "reference", "potential", "replica"}
        and same(tempered["reference"].values, reference)
        and same(tempered["potential"].values, potential)
        and same(tempered["energy"].values, reference + potential)
        and same(tempered["replica"].values, replica)
        and all(
            tempered[name].dims == ("chain", "draw", "rung")
            and same(tempered[name].values, values(n_burn_in, n_draws, column, rungs))
            for column, name in enumerate(names)
        ),
        tempered,
    )
    swaps = group("swaps")
    check_coordinates("swaps", swaps, n_draws)
    pairs = np.arange(3)
    everywhere = np.zeros((n_chains, n_draws, 3), dtype=np.int32)
    check(
        "swaps",
        swaps["attempts"].dims == ("chain", "draw", "pair")
        and same(swaps["attempts"].values, (everywhere + 2 + pairs).astype(np.int32))
        and same(
            swaps["accepted"].values, (everywhere + (i + pairs) % 3).astype(np.int32)
        )
        and swaps["replica"].dims == ("chain", "draw", "rung")
        and same(
            swaps["replica"].values,
            np.broadcast_to(
                ((np.arange(4) + i) % 4).astype(np.int32), (n_chains, n_draws, 4)
            ),
        )
        and same(
            swaps["round_trips"].values,
            np.tile(np.arange(n_draws) // 5, (n_chains, 1)),
        ),
        swaps,
    )
    prior = group("prior")
    check(
        "draws of the prior",
        list(prior.data_vars)
        == list(columns)[:9]
        and prior["x"].dims == ("chain", "draw")
        and all(
            same(prior[name].values[0], formula(9, np.arange(10), 0, column))
            for column, name in enumerate(list(columns)[:9])
        ),
        prior,
    )


def check_csv():
    """As the readers of CmdStan's files go about it. There is no burn-in."""
    statistic, posterior = group("sample_stats"), group("posterior")
    for chain in range(n_chains):
        name = "draws.csv" if n_chains == 1 else f"draws_{chain + 1}.csv"
        with open(folder + "/" + name, "rb") as file:
            lines = file.read().decode("utf-8").split("\n")
        header = [k for k, line in enumerate(lines) if not line.startswith("#")][0]
        settings = dict(
            [part.strip() for part in line[1:].replace("(Default)", "").split("=")]
            for line in lines[:header]
            if "=" in line
        )
        thin = int(settings["thin"])
        expected = {
            "method": "sample",
            "algorithm": "replica_exchange",
            "engine": "MALA",
            "metric": "diag_e",
            "max_depth": "10",
            "id": str(chain + 1),
            "num_chains": str(n_chains),
            "save_warmup": "0",
            "thin": str(THINNING),
            "num_warmup": str(n_burn_in * thin),
            "num_samples": str(n_draws * thin),
            "seed": "5" if kind == "long" else str(12345678901234567890 % 2**32),
            "model": "long" if kind == "long" else "odd__names_____and",
        }
        check(
            name + " begins as CmdStan's files",
            all(settings.get(key) == value for key, value in expected.items())
            and settings["stan_version_major"].isdigit()
            and not any("nuts" in line or "hmc" in line for line in lines)
            and lines[header]
            == "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,"
            "divergent__,energy__," + ",".join(csv_names),
            (settings, lines[header]),
        )
        body = lines[header + 1 :]
        end = body[:4]
        # As it was at the first draw, or at the end of burn-in without one.
        step = "0.3" if n_draws > 0 else "0.5" if n_burn_in > 0 else "0"
        ones = ", ".join(["1"] * (2 if kind == "long" else 9))
        check(
            name + " says what was adapted",
            end
            == [
                "# Adaptation terminated",
                "# Step size = " + step,
                "# Diagonal elements of inverse mass matrix:",
                "# " + ones,
            ],
            end,
        )
        rows = body[4:]
        check(
            name + " has the right number of rows",
            rows.pop() == "" and len(rows) == n_draws,
            len(rows),
        )
        equal = True
        if n_draws > 0:
            table = np.array([row.split(",") for row in rows])
            integers = table[:, [3, 4, 5]].astype(int)
            numbers = table.astype(float)
            one = lambda name: statistic[name].values[chain]
            equal = equal and (
                np.array_equal(numbers[:, 0], one("lp"))
                and np.array_equal(numbers[:, 1], one("acceptance_rate"), equal_nan=True)
                and np.array_equal(numbers[:, 2], one("step_size"))
                and np.all(integers[:, :2] == 1)
                and np.array_equal(integers[:, 2], one("diverging"))
                and np.array_equal(numbers[:, 6], one("energy"))
                and all(
                    np.array_equal(numbers[:, 7 + k], posterior[column].values[chain])
                    for k, column in enumerate(columns)
                )
            )
        check("numbers of " + name + " equal those of samples.nc", equal)


groups = check_attributes()
expected_groups = {"posterior", "sample_stats", "observed_data"}
if n_burn_in > 0:
    expected_groups |= {"warmup_posterior", "warmup_sample_stats"}
if n_draws > 0:
    expected_groups |= {"posterior_predictive", "log_likelihood"}
if kind != "long":
    expected_groups |= {"prior", "constant_data"}
if kind == "ladder":
    expected_groups |= {"tempered_posterior", "swaps"}
check("groups", groups == expected_groups, groups)
check_phase("", n_burn_in, n_draws)
if n_burn_in > 0:
    check_phase("warmup_", 0, n_burn_in)
if n_draws > 0:
    check_predictions()
if kind == "ladder":
    check_ladder()
check_csv()
if kind != "empty":
    check_open_files()
sys.exit(failures > 0)
