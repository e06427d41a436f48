# SPDX-License-Identifier: LGPL-2.1-or-later
"""The inverse problems of benchmarks/honesty.

A problem has a name, a kind (one of five), the kinds of warnings that count as
the right reason (none: it is a control, and must run without any warning), its
parameters ('Section/Name = value', a later line replaces an earlier one, an empty
value removes it), the maker of its data, a reference (parameters of a run to
compare with, or 'truth' for the posterior on a grid), and one line of evidence
that it is what it claims. Evidence was measured with 'benchmarks/honesty --confirm',
seed 1, unless it says otherwise.

Data never come from the level that is tested: they are made here, from solutions
in closed form or with a fine solver, with seeded noise.
"""
import math
import random

# ----------------------------------------------------------------------------
# Solutions, in closed form or by a fine solver of second order
# ----------------------------------------------------------------------------


def tridiagonal(lower, middle, upper, right):
    """Thomas' algorithm."""
    n = len(middle)
    c, d = [0.] * n, [0.] * n
    c[0], d[0] = upper[0] / middle[0], right[0] / middle[0]
    for i in range(1, n):
        pivot = middle[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i] * d[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def interpolate(values, x):
    position = x * (len(values) - 1)
    i = min(int(position), len(values) - 2)
    return values[i] + (position - i) * (values[i + 1] - values[i])


def balance(n, kappa, w, c):
    """Rows of -(kappa u')' + w u' + c u on n cells of (0, 1), central differences."""
    h = 1. / n
    lower, middle, upper = [0.] * (n + 1), [0.] * (n + 1), [0.] * (n + 1)
    for i in range(n + 1):
        x = i * h
        left, right = kappa(x - h / 2) / h / h, kappa(x + h / 2) / h / h
        lower[i], upper[i] = -left - w / (2 * h), -right + w / (2 * h)
        middle[i] = left + right + c(x)
    return lower, middle, upper


def rod(kappa=lambda x: 1., w=0., c=lambda x: 0., f=lambda x: 0., left=1., right=None,
        exchange=None, n=2000):
    """Stationary; Dirichlet on the left, on the right Dirichlet, or kappa u' + r u = 0."""
    lower, middle, upper = balance(n, kappa, w, c)
    h = 1. / n
    loads = [f(i * h) for i in range(n + 1)]
    middle[0], upper[0], loads[0] = 1., 0., left
    if exchange is None:
        lower[n], middle[n], loads[n] = 0., 1., right or 0.
    else:
        # Ghost value beyond the end: u_{n+1} = u_{n-1} - 2 h r u_n / kappa.
        lower[n] += upper[n]
        middle[n] -= upper[n] * 2 * h * exchange / kappa(1.)
    values = tridiagonal(lower, middle, upper, loads)
    return lambda x: interpolate(values, x)


def evolution(initial, kappa=1., w=0., c=0., f=lambda x, t: 0., left=0., right=0.,
              end=1., n=400, steps=400):
    """Crank-Nicolson; Dirichlet values, or None on the right: no flux."""
    lower, middle, upper = balance(n, lambda x: kappa, w, lambda x: c)
    dt, h = end / steps, 1. / n
    if right is None:
        lower[n] += upper[n]
        upper[n] = 0.
    free = range(1, n + 1 if right is None else n)
    u = [initial(i * h) for i in range(n + 1)]
    u[0] = left
    if right is not None:
        u[n] = right
    history = [u]
    a, b, d = [0.] * (n + 1), [1.] * (n + 1), [0.] * (n + 1)
    for i in free:
        a[i], b[i], d[i] = dt / 2 * lower[i], 1 + dt / 2 * middle[i], dt / 2 * upper[i]
    for step in range(steps):
        t = (step + .5) * dt
        loads = list(u)
        for i in free:
            after = u[i + 1] if i < n else 0.
            loads[i] += dt * f(i * h, t) - dt / 2 * (
                lower[i] * u[i - 1] + middle[i] * u[i] + upper[i] * after)
        u = tridiagonal(a, b, d, loads)
        history.append(u)

    def value(x, t):
        position = t / dt
        k = min(int(position), steps - 1)
        share = position - k
        return (1 - share) * interpolate(history[k], x) + share * interpolate(history[k + 1], x)
    return value


def cooled(leak, cooling):
    """-u'' + leak u = 0, u(0) = 1, u'(1) + cooling u(1) = 0: in closed form."""
    m = math.sqrt(leak)

    def shape(z):
        return math.cosh(m * z) + cooling / m * math.sinh(m * z)
    return lambda x: shape(1 - x) / shape(1.)


def cloud(x0, y0, width=.1, mass=1.):
    """The exact solution of 'pollution source'."""
    return lambda x, y, t: (mass / (2 * math.pi * width ** 2) * math.exp(
        -((x - x0) ** 2 + (y - y0) ** 2) / (2 * width ** 2) - t))


# ----------------------------------------------------------------------------
# Data
# ----------------------------------------------------------------------------


def spread(n, begin=0., end=1.):
    """n places between the ends, evenly."""
    return [begin + (end - begin) * (i + 1) / (n + 1) for i in range(n)]


def text_of(numbers):
    return ", ".join(f"{number:.10g}" for number in numbers)


def measure(function, sensors, sigma, times=None, spoil=None, correlation=0.):
    """A maker of data: values of a function at sensors (and times) with noise.

    spoil(values): what goes wrong with the measurements. correlation: of the
    errors of neighbours.
    """
    def make(rng):
        places = [place if isinstance(place, tuple) else (place,) for place in sensors]
        values, error = [], 0.
        for t in [None] if times is None else times:
            for place in places:
                error = correlation * error + math.sqrt(
                    1 - correlation ** 2 if values else 1.) * rng.gauss(0, 1)
                values.append(function(*place, *(() if t is None else (t,))) + sigma * error)
        if spoil:
            values = spoil(values)
        lines = ["Observations/Sensors = " + "; ".join(text_of(place) for place in places),
                 "Observations/Values = " + text_of(values)]
        if times is not None:
            lines.append("Observations/Times = " + text_of(times))
        return lines
    return make


class Problem:
    """See the top of the file."""

    def __init__(self, name, kind, reasons, parts, data=None, evidence="", reference=(),
                 start=None):
        self.name, self.kind, self.evidence = name, kind, evidence
        self.reasons, self.is_trap = set(reasons), bool(reasons)
        self.parts, self.data, self.start = parts, data, start
        self.reference = (reference if reference == "truth" else
                          [line for line in "\n".join(reference).split("\n") if line]
                          if reference else [])

    def text(self, seed):
        """Lines of parameters, and files that they need."""
        lines = [line for part in self.parts for line in part.split("\n")]
        files = {}
        if self.data:
            lines += self.data(random.Random(f"honesty {self.name} {seed}"))
        if "Network/Likelihood/Noisy data = true" in lines:
            lines.append(f"Observations/Synthetic seed = {seed}")
        if self.start:
            # All chains begin where an optimiser has ended.
            lines += ["Sampler/Start from = file", "Sampler/Start file = start.csv"]
            names = list(self.start)
            files["start.csv"] = ",".join(names) + "\n" + text_of(
                self.start[name] for name in names) + "\n"
        return lines, files


MODE, IDENTIFIABLE, COARSE, RESOLUTION, FIT = (
    "missed mode", "not identifiable", "coarse-level bias (multi-variance)",
    "level too coarse", "wrong noise, wrong model, prior in conflict with the data")

# ----------------------------------------------------------------------------
# Parameters that problems share
# ----------------------------------------------------------------------------

COMMON = """
Chains = 4
Output/Report = false
Sampler/Kernel/Preconditioner = adapt
"""


def sampling(iterations, burn_in, temperatures="1", levels="fine"):
    return f"""
Iterations = {iterations}
Burn-in = {burn_in}
Sampler/Ladder/Temperatures = {temperatures}
Sampler/Ladder/Levels = {levels}
"""


ONE_RUNG = "Sampler/Ladder/Temperatures = 1\nSampler/Ladder/Levels = fine"
MULTI_VARIANCE = "Sampler/Swaps/Rule = multi-variance\nSampler/Swaps/Noise = 0"
EXACT = "Sampler/Swaps/Rule = exact"

# A line with sources: u = 0 at both ends, stationary.
LINE = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Equation/Capacity = 0
Problem/Equation/Diffusion = 1
Problem/Equation/Dirichlet value = 0
Levels/fine/Subdivisions = 10
Levels/fine/Degree = 2
""" + sampling(4000, 1000)

# -u'' + leak u = 0: heat flows along a rod and leaks, the right end is cooled.
ROD = LINE + """
Problem/Unknowns/leak = uniform(0, 10)
Problem/Unknowns/cooling = log-normal(1, 1)
Problem/Equation/Reaction = leak
Problem/Equation/Dirichlet value = 0: 1
Problem/Equation/Exchange = 1: cooling
Observations/Noise = 0.01
""" + sampling(5500, 1000, "1, 3")

# A bump of heat decays: u = exp(-kappa pi^2 t) sin(pi x).
DECAY = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Unknowns/kappa = uniform(0.05, 2)
Problem/Equation/Diffusion = kappa
Problem/Equation/Initial value = sin(pi*x)
Problem/Equation/Dirichlet value = 0
Solver/Time stepping = Crank-Nicolson
Levels/fine/Subdivisions = 8
Levels/fine/Degree = 2
Levels/fine/Time step = 0.025
""" + sampling(2500, 500)

# A cloud drifts down a river; where was it at the beginning?
RIVER = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Unknowns/x0 = uniform(0.05, 0.6)
Problem/Equation/Diffusion = 0.002
Problem/Equation/Convection = 1
Problem/Equation/Initial value = exp(-(x-x0)^2/(2*0.05^2))
Problem/Equation/Dirichlet value = 0
Observations/Noise = 0.02
Solver/Time stepping = Crank-Nicolson
Levels/fine/Subdivisions = 50
Levels/fine/Degree = 2
Levels/fine/Time step = 0.0025
Levels/coarse/Subdivisions = 25
Levels/coarse/Degree = 2
Levels/coarse/Time step = 0.02
""" + sampling(5000, 1000)

# A plate, u = 0 around it: stationary in two dimensions.
PLATE = COMMON + """
Problem/Type = expressions
Problem/Dimension = 2
Problem/Equation/Capacity = 0
Problem/Equation/Dirichlet value = 0
Levels/fine/Subdivisions = 4
Levels/fine/Degree = 2
""" + sampling(3000, 600)

# Where did a cloud in the unit square come from?
CLOUD = COMMON + """
Problem/Type = pollution source
Problem/Unknowns/x = uniform(0, 1)
Problem/Unknowns/y = uniform(0, 1)
Observations/Noise = 0.35
Levels/fine/Subdivisions = 40
Levels/fine/Time step = 0.001
Levels/coarse/Subdivisions = 10
Levels/coarse/Time step = 0.002
Sampler/Kernel/Step sizes = 1e-4
""" + sampling(6000, 1500, "1, 3, 9, 30", "fine, coarse, coarse, coarse")

# -u'' + alpha u^2 = f, u = exp(-2 x^2) for alpha = 0.7.
REACTION = COMMON + """
Problem/Type = nonlinear reaction
Problem/Dimension = 1
Problem/Lower corner = -1
Problem/Upper corner = 1
Problem/Unknowns/alpha = uniform(0, 2)
Problem/Equation/Source = (4 - 16*x^2)*exp(-2*x^2) + 0.7*exp(-4*x^2)
Problem/Equation/Dirichlet value = exp(-2*x^2)
Observations/Noise = 0.01
Levels/fine/Subdivisions = 12
Levels/fine/Degree = 2
""" + sampling(2500, 500)


def bell(x):
    return math.exp(-2 * x * x)


# u_t + alpha u_tt - u_xx = f, u = sin(2 pi x) exp(-t) for alpha = 1.
GAS = COMMON + """
Problem/Type = quasi-gas dynamics
Problem/Dimension = 1
Problem/Unknowns/alpha = uniform(0.5, 3)
Problem/Equation/Source = 4*pi^2*sin(2*pi*x)
Problem/Equation/Source in time = exp(-t)
Problem/Equation/Initial value = sin(2*pi*x)
Problem/Equation/Initial velocity = -sin(2*pi*x)
Observations/Noise = 0.006
Solver/Time stepping = Crank-Nicolson
Levels/fine/Subdivisions = 12
Levels/fine/Degree = 2
Levels/fine/Time step = 0.025
""" + sampling(2000, 400)


def wave(x, t):
    return math.sin(2 * math.pi * x) * math.exp(-t)


# The nonlinear reaction once more, as a network: u = 2 exp(-2 x^2) for alpha = 0.7.
NETWORK = """
Chains = 4
Iterations = 250000
Burn-in = 20000
Thinning = 40
Output/Report = false
Network/Equation = nonlinear reaction
Network/Hidden layers = 4
Network/Precision = double
Network/Lower corner = -1
Network/Upper corner = 1
Network/Data points = 2
Network/Coefficient step = 10
Network/Coefficients/alpha = uniform(0, 4)
Network/Data/Source = 2*(4 - 16*x^2)*exp(-2*x^2) + 0.7*4*exp(-4*x^2)
Network/Data/Boundary value = 2*exp(-2*x^2)
Network/Likelihood/Residual noise = 2
Network/Likelihood/Boundary noise = 0.2
Network/Likelihood/Noisy data = true
Network/Warm start/Method = Levenberg-Marquardt
Network/Warm start/Iterations = 100
Observations/Noise = 0.2
Levels/fine/Collocation points = 16
Sampler/Ladder/Temperatures = 1
Sampler/Ladder/Levels = fine
Sampler/Kernel/Type = MALA
Sampler/Kernel/Step sizes = 1e-3
"""

# Of the law of the weights, too, so many draws are known as the warnings ask for.
LONG_NETWORK = NETWORK + """
Iterations = 500000
Burn-in = 40000
Thinning = 80
"""

ANALYTIC = """
Chains = 4
Iterations = 20000
Burn-in = 4000
Output/Report = false
"""

PROBLEMS = []


def trap(name, kind, reasons, *parts, **more):
    PROBLEMS.append(Problem(name, kind, reasons, parts, **more))


def control(name, kind, *parts, **more):
    PROBLEMS.append(Problem(name, kind, (), parts, **more))


# ----------------------------------------------------------------------------
# Missed modes
# ----------------------------------------------------------------------------

MISSED = {"missed mode"}
HOT = sampling(14000, 2000, "1, 2, 4, 8, 20", "fine, coarse, coarse, coarse, coarse") + """
Sampler/Kernel/Preconditioner =
Sampler/Kernel/Steps per round = 1, 4, 4, 4, 4
"""

# Two sensors on the axis of symmetry: the source is on the left or on the right.
TWO_SENSORS = [(.5, .3), (.5, .6)]
LEFT = cloud(.3677124344467705, .45)

trap("two_sources_one_rung", MODE, MISSED, CLOUD, ONE_RUNG, start={"x": .37, "y": .45},
     data=measure(LEFT, TWO_SENSORS, .35, [.03]), reference="truth")
trap("two_sources_cold_ladder", MODE, MISSED, CLOUD,
     sampling(6000, 1500, "1, 1.4", "fine, coarse"), start={"x": .63, "y": .45},
     data=measure(LEFT, TWO_SENSORS, .35, [.03]), reference="truth")
trap("two_sources_no_swaps", MODE, MISSED, CLOUD,
     sampling(6000, 1500, "1, 12", "fine, coarse"), "Sampler/Swaps/Rule = none",
     start={"x": .37, "y": .45},
     data=measure(LEFT, TWO_SENSORS, .35, [.03]), reference="truth")
control("two_sources_found", MODE, CLOUD, HOT, "Observations/Noise = 0.7",
        data=measure(LEFT, TWO_SENSORS, .7, [.03]), reference="truth")
control("one_source_one_rung", MODE, CLOUD, ONE_RUNG, start={"x": .37, "y": .45},
        data=measure(LEFT, TWO_SENSORS + [(.3, .5), (.7, .5)], .35, [.03]), reference="truth")

# With the mass unknown as well, three sensors in a row.
ROW = [(.5, .25), (.5, .5), (.5, .75)]
trap("row_of_sensors_one_chain", MODE, MISSED, CLOUD, "Chains = 1",
     "Problem/Unknowns/mass = log-normal(1, 0.1)", "Sampler/Start = 0.35, 0.45, 1",
     sampling(20000, 4000, "1, 2", "fine, coarse"), data=measure(LEFT, ROW, .3, [.03]),
     reference=[HOT, "Chains = 4", "Observations/Truth = 0.35, 0.45, 1", "Sampler/Start ="])

# One gauge, one reading: was the cloud coming or going?
LIMB = measure(lambda x, t: .3, [.6], .02, [.3])
trap("river_one_reading", MODE, MISSED, RIVER, start={"x0": .214}, data=LIMB,
     reference="truth")
control("river_two_gauges", MODE, RIVER, start={"x0": .214}, reference="truth",
        data=measure(evolution(lambda x: math.exp(-(x - .214) ** 2 / .005), .002, 1., end=.3),
                     [.55, .6], .02, [.3]))
control("river_biased_coarse_level", MODE, RIVER,
        sampling(5000, 1000, "1, 2, 4", "fine, coarse, coarse"),
        "Levels/coarse/Subdivisions = 16\nLevels/coarse/Degree = 1\n"
        "Sampler/Swaps/Rule = exact\nObservations/Noise = 0.05", "Sampler/Start = 0.22",
        data=measure(evolution(lambda x: math.exp(-(x - .214) ** 2 / .005), .002, 1., end=.3),
                     [.5, .55, .6], .05, [.3]), reference="truth")

# Sensors an eighth apart cannot tell a wave number k from k + 16 pi.
STRING = LINE + """
Problem/Unknowns/k = uniform(1, 65)
Problem/Equation/Source = k^2*sin(k*x)
Observations/Noise = 0.05
Levels/fine/Subdivisions = 48
"""


def string(k):
    return lambda x: math.sin(k * x) - x * math.sin(k)


trap("wave_number_aliased", MODE, MISSED, STRING, sampling(5000, 1000, "1, 10"),
     start={"k": 5.}, data=measure(string(5.), spread(7), .05), reference="truth")
control("wave_number_uneven_sensors", MODE, STRING, start={"k": 5.},
        data=measure(string(5.), [.09, .23, .31, .46, .6, .77, .93], .05))

# One sensor in the middle: the heater is on the left or on the right.
HEATER = LINE + """
Problem/Unknowns/p = uniform(0.05, 0.95)
Problem/Equation/Reaction = 4
Problem/Equation/Source = 5*exp(-(x-p)^2/(2*0.05^2))
Levels/fine/Subdivisions = 20
Sampler/Kernel/Step sizes = 1e-4
"""


def heater(p, strength=5., width=.05, c=4.):
    return rod(c=lambda x: c, left=0., right=0.,
               f=lambda x: strength * math.exp(-(x - p) ** 2 / (2 * width ** 2)))


trap("heater_left_or_right", MODE, MISSED, HEATER, "Observations/Noise = 0.002",
     sampling(5000, 1000, "1, 1.5"), start={"p": .3}, data=measure(heater(.3), [.5], .002),
     reference="truth")
control("heater_both_found", MODE, HEATER, "Observations/Noise = 0.006",
        sampling(8000, 1500, "1, 3, 9, 30"), data=measure(heater(.3), [.5], .006),
        reference="truth")

trap("mixture_far_and_narrow", MODE, MISSED, ANALYTIC, """
Energy/Type = gaussian mixture
Energy/Gaussian mixture/Weights = 0.5, 0.5
Energy/Gaussian mixture/Means = 0, 0; 30, 10
Energy/Gaussian mixture/Standard deviations = 0.5, 0.5
""")
trap("mixture_of_three_one_rung", MODE, MISSED, ANALYTIC, """
Energy/Type = gaussian mixture
Energy/Lower bounds = -10, -10
Energy/Upper bounds = 10, 10
Energy/Gaussian mixture/Weights = 0.3, 0.4, 0.3
Energy/Gaussian mixture/Means = -6, 1; 0, 0; 6, -1
Energy/Gaussian mixture/Standard deviations = 0.5, 0.5, 0.5
Sampler/Ladder/Temperatures = 1
""")
control("mixture_found", MODE, ANALYTIC, """
Iterations = 60000
Energy/Type = gaussian mixture
Energy/Gaussian mixture/Weights = 0.4, 0.6
Energy/Gaussian mixture/Means = -4, 0; 3, 0
Energy/Gaussian mixture/Standard deviations = 0.7, 0.5
Sampler/Ladder/Number of rungs = 5
Sampler/Ladder/Highest temperature = 60
Sampler/Ladder/Temperatures = automatic
""")
control("gaussian_one_rung", MODE, ANALYTIC, """
Energy/Type = gaussian
Energy/Gaussian/Mean = 1, -2
Energy/Gaussian/Covariance = 100, 0.6; 0.6, 0.01
Sampler/Ladder/Temperatures = 1
Sampler/Kernel/Preconditioner = adapt
""")
trap("funnel_neck", MODE, {"missed mode", "unreachable"}, ANALYTIC, """
Energy/Type = funnel
Energy/Funnel/Dimension = 2
Iterations = 60000
Burn-in = 10000
Sampler/Ladder/Temperatures = 1, 2, 4, 8
""")
control("cooled_rod_biased_coarse_level", MODE, ROD,
        sampling(14000, 2000, "1, 2", "fine, coarse"), """
Problem/Equation/Diffusion = 1 + 0.5*x
Problem/Equation/Convection = 0.5
Observations/Noise = 0.005
Problem/Unknowns/cooling = uniform(0, 5)
Levels/coarse/Subdivisions = 4
Sampler/Swaps/Rule = exact
""", data=measure(rod(lambda x: 1 + .5 * x, .5, lambda x: 3., exchange=1.), [.2, .4, .6, .8, 1.], .005),
        reference="truth")

# ----------------------------------------------------------------------------
# Not identifiable
# ----------------------------------------------------------------------------

NOTHING = {"identifiability"}
SINE = [.1, .2, .35, .5, .65, .8, .9, .95]

TWO_FACTORS = LINE + """
Problem/Unknowns/a = normal(3, 1)
Problem/Unknowns/b = normal(2, 0.6)
Observations/Noise = 0.1
""" + sampling(10000, 3000)
trap("product_of_two", IDENTIFIABLE, NOTHING, TWO_FACTORS,
     "Problem/Equation/Source = a*b*sin(pi*x)",
     data=measure(lambda x: 6 / math.pi ** 2 * math.sin(math.pi * x), SINE, .1))
control("two_terms", IDENTIFIABLE, TWO_FACTORS,
        "Problem/Equation/Source = a*sin(pi*x) + b*sin(2*pi*x)", "Observations/Noise = 0.01",
        data=measure(lambda x: (3 * math.sin(math.pi * x) + .5 * math.sin(2 * math.pi * x))
                     / math.pi ** 2, SINE, .01))

TWO_LEAKS = LINE + """
Problem/Unknowns/leak1 = uniform(0, 8)
Problem/Unknowns/leak2 = uniform(0, 8)
Problem/Equation/Dirichlet value = 0: 1; 1: 1
Observations/Noise = 0.03
""" + sampling(8000, 2000)
trap("sum_of_two", IDENTIFIABLE, NOTHING, TWO_LEAKS, "Problem/Equation/Reaction = leak1 + leak2",
     "Observations/Noise = 0.08", sampling(16000, 4000),
     data=measure(rod(c=lambda x: 5., right=1.), spread(9), .08))
control("two_leaks_apart", IDENTIFIABLE, TWO_LEAKS,
        "Problem/Equation/Reaction = if(x < 0.5, leak1, leak2)", "Observations/Noise = 0.01",
        data=measure(rod(c=lambda x: 2. if x < .5 else 4., right=1.), spread(9), .01))

HOT_PLATE = PLATE + """
Problem/Equation/Source = q*sin(pi*x)*sin(pi*y)
Problem/Equation/Diffusion = k
Problem/Unknowns/k = log-normal(1, 0.4)
Observations/Noise = 0.004
"""
PLATE_SENSORS = [(.25, .25), (.5, .25), (.75, .5), (.25, .75), (.5, .5), (.6, .8)]


def plate(ratio):
    return lambda x, y: (ratio / (2 * math.pi ** 2) * math.sin(math.pi * x)
                         * math.sin(math.pi * y))


trap("ratio_of_two", IDENTIFIABLE, NOTHING, HOT_PLATE, "Problem/Unknowns/q = log-normal(1, 0.4)",
     "Observations/Noise = 0.02", sampling(7000, 2000),
     data=measure(plate(1.), PLATE_SENSORS, .02))
control("ratio_with_one_known", IDENTIFIABLE, HOT_PLATE, "Problem/Unknowns/q = 1",
        data=measure(plate(1.), PLATE_SENSORS, .004))

# Wind from the left: what is emitted downstream is not seen upstream.
WIND = LINE + """
Problem/Unknowns/near = uniform(0, 10)
Problem/Unknowns/far = uniform(0, 10)
Problem/Equation/Convection = 30
Problem/Equation/Source = near*20*exp(-(x-0.2)^2/0.005) + far*20*exp(-(x-0.8)^2/0.005)
Problem/Equation/Dirichlet value = 0: 0
Observations/Noise = 0.05
Levels/fine/Subdivisions = 24
"""


def windy(x0=.2, x1=.8, near=4., far=5.):
    return rod(w=30., left=0., exchange=0., f=lambda x: near * 20 * math.exp(
        -(x - x0) ** 2 / .005) + far * 20 * math.exp(-(x - x1) ** 2 / .005))


trap("source_downstream", IDENTIFIABLE, NOTHING, WIND,
     data=measure(windy(), [.15, .25, .35, .45, .5], .05))
control("source_between_sensors", IDENTIFIABLE, WIND,
        data=measure(windy(), [.15, .25, .35, .85, .95], .05))

trap("gas_short_horizon", IDENTIFIABLE, NOTHING, GAS,
     "Levels/fine/Time step = 0.0001",
     data=measure(wave, spread(10), .006, [.0005, .001]))
control("gas_long_horizon", IDENTIFIABLE, GAS,
        data=measure(wave, spread(10), .006, [.25, .5, .75, 1.]))

# A fast mode has died out before the first reading.
MODES = DECAY + """
Problem/Unknowns/kappa =
Problem/Unknowns/slow = normal(0, 2)
Problem/Unknowns/fast = normal(0, 2)
Problem/Equation/Diffusion = 1
Problem/Equation/Initial value = slow*sin(pi*x) + fast*sin(4*pi*x)
Observations/Noise = 0.01
Levels/fine/Time step = 0.005
""" + sampling(8000, 2000)


def two_modes(x, t):
    return (math.exp(-math.pi ** 2 * t) * math.sin(math.pi * x)
            + .8 * math.exp(-16 * math.pi ** 2 * t) * math.sin(4 * math.pi * x))


trap("fast_mode_died_out", IDENTIFIABLE, NOTHING, MODES,
     data=measure(two_modes, [.1, .3, .6, .85], .01, [.08, .1]))
control("fast_mode_in_time", IDENTIFIABLE, MODES, "Levels/fine/Time step = 0.0005",
        "Levels/fine/Subdivisions = 24",
        data=measure(two_modes, [.1, .3, .6, .85], .01, [.01, .02]))

trap("network_drowned_in_noise", IDENTIFIABLE, NOTHING, NETWORK,
     "Observations/Noise = 2", "Network/Coefficients/alpha = uniform(0, 0.5)",
     "Network/Likelihood/Residual noise = 20",
     data=measure(lambda x: 2 * bell(x), spread(15, -1., 1.), 2.))
control("network_identified", IDENTIFIABLE, LONG_NETWORK,
        data=measure(lambda x: 2 * bell(x), spread(15, -1., 1.), .2))

# ----------------------------------------------------------------------------
# A biased coarse level and the rule 'multi-variance'
# ----------------------------------------------------------------------------

BIASED = {"coarse bias"}

ROD_MV = ROD + "Observations/Noise = 0.007" + sampling(9000, 1500, "1, 3", "fine, coarse") + MULTI_VARIANCE
ROD_5 = measure(cooled(3., 1.), spread(5), .007)
trap("rod_coarse_3", COARSE, BIASED, ROD_MV, "Levels/coarse/Subdivisions = 3",
     "Observations/Noise = 0.005", data=measure(cooled(3., 1.), spread(5), .005),
     reference=[EXACT])
control("rod_coarse_20", COARSE, ROD_MV, "Levels/coarse/Subdivisions = 20",
        data=ROD_5, reference=[EXACT])

CLOUD_4 = TWO_SENSORS + [(.3, .5), (.7, .5)]
CLOUD_MV = CLOUD + sampling(10000, 2000, "1, 3", "fine, coarse") + MULTI_VARIANCE
trap("cloud_coarse_8", COARSE, BIASED, CLOUD_MV, "Levels/coarse/Subdivisions = 8",
     "Observations/Noise = 0.25", start={"x": .37, "y": .45},
     data=measure(LEFT, CLOUD_4, .25, [.03]), reference=[EXACT])
control("cloud_coarse_20", COARSE, CLOUD_MV, "Levels/coarse/Subdivisions = 20",
        "Levels/coarse/Degree = 2", start={"x": .37, "y": .45},
        data=measure(LEFT, CLOUD_4, .35, [.03]), reference=[EXACT])

DECAY_MV = (DECAY + sampling(5000, 1000, "1, 4", "fine, coarse") + MULTI_VARIANCE
            + "\nObservations/Noise = 0.02\nLevels/coarse/Subdivisions = 4\n"
            "Levels/coarse/Degree = 2")


def decay(kappa):
    return lambda x, t: math.exp(-kappa * math.pi ** 2 * t) * math.sin(math.pi * x)


trap("decay_coarse_cells", COARSE, BIASED, DECAY_MV, "Levels/coarse/Time step = 0.1",
     "Levels/coarse/Subdivisions = 3\nLevels/coarse/Degree = 1",
     data=measure(decay(.5), spread(5), .02, [.1, .2]), reference=[EXACT])
control("decay_good_cells", COARSE, DECAY_MV, "Levels/coarse/Time step = 0.025",
        data=measure(decay(.5), spread(5), .02, [.1, .2]), reference=[EXACT])

REACTION_MV = REACTION + sampling(2400, 500, "1, 4", "fine, coarse") + MULTI_VARIANCE
REACTION_5 = measure(bell, [-.8, -.4, 0, .4, .8], .01)
trap("reaction_coarse_5", COARSE, BIASED, REACTION_MV, "Levels/coarse/Subdivisions = 5",
     data=REACTION_5, reference=[EXACT])
control("reaction_coarse_good", COARSE, REACTION_MV, "Levels/coarse/Subdivisions = 8",
        "Levels/coarse/Degree = 2", data=REACTION_5, reference=[EXACT])

GAS_MV = GAS + sampling(1400, 300, "1, 4", "fine, coarse") + MULTI_VARIANCE + """
Levels/coarse/Subdivisions = 6
Levels/coarse/Degree = 2
"""
GAS_40 = measure(wave, spread(10), .006, [.25, .5, .75, 1.])
trap("gas_coarse_cells", COARSE, BIASED, GAS_MV, "Levels/coarse/Time step = 0.05",
     "Levels/coarse/Subdivisions = 20\nLevels/coarse/Degree = 1", data=GAS_40, reference=[EXACT])
control("gas_good_cells", COARSE, GAS_MV, "Levels/coarse/Time step = 0.05",
        "Levels/coarse/Subdivisions = 12", data=GAS_40, reference=[EXACT])

PLATE_MV = (HOT_PLATE + sampling(4000, 800, "1, 5", "fine, coarse") + MULTI_VARIANCE
            + "\nProblem/Unknowns/q = 1")
trap("plate_coarse_3", COARSE, BIASED, PLATE_MV, "Levels/coarse/Subdivisions = 3",
     data=measure(plate(1.), PLATE_SENSORS, .004), reference=[EXACT])
control("plate_coarse_good", COARSE, PLATE_MV, "Levels/coarse/Subdivisions = 3",
        "Levels/coarse/Degree = 2", data=measure(plate(1.), PLATE_SENSORS, .004),
        reference=[EXACT])

# ----------------------------------------------------------------------------
# A level that is too coarse for the posterior
# ----------------------------------------------------------------------------

FINER = {"resolution"}

DECAY_150 = DECAY + "Observations/Noise = 0.2"
trap("decay_many_small_errors", RESOLUTION, FINER, DECAY_150,
     "Solver/Time stepping = backward Euler", "Levels/fine/Time step = 0.05",
     data=measure(decay(.5), spread(15), .2, [.05 * (i + 1) for i in range(10)]),
     reference=["Levels/fine/Time step = 0.005"])
control("decay_many_good_steps", RESOLUTION, DECAY_150, "Levels/fine/Time step = 0.025",
        data=measure(decay(.5), spread(15), .2, [.05 * (i + 1) for i in range(10)]),
        reference=["Levels/fine/Time step = 0.005\nLevels/fine/Subdivisions = 16"])

SHARP_ROD = ROD + sampling(4000, 1000) + """
Problem/Unknowns/leak = uniform(1, 100)
Levels/fine/Degree = 1
"""
SHARP_SENSORS = [.05, .1, .15, .2, .25, .3, .4, .5, .9, .95]
SHARP = measure(rod(c=lambda x: 40., exchange=1.), SHARP_SENSORS, .01)
trap("boundary_layer_5_cells", RESOLUTION, FINER, SHARP_ROD, "Levels/fine/Subdivisions = 5",
     "Problem/Unknowns/cooling = 1", data=SHARP, reference=["Levels/fine/Subdivisions = 80"])
control("boundary_layer_resolved", RESOLUTION, SHARP_ROD, "Levels/fine/Subdivisions = 20",
        "Levels/fine/Degree = 2", "Problem/Unknowns/cooling = 1",
        data=SHARP, reference=["Levels/fine/Subdivisions = 80"])

# A wire of known strength, thinner than a cell, that no integration point sees.
WIRE = LINE + """
Problem/Unknowns/q = uniform(0, 10)
Problem/Equation/Source = q + 0.6*exp(-(x-0.45)^2/(2*0.003^2))/(0.003*sqrt(2*pi))
Levels/fine/Degree = 1
Observations/Noise = 0.1
"""


def wire(q):
    """q x (1 - x)/2 and a source of 0.6 at a point, which is 0.003 wide at most."""
    return lambda x: q * x * (1 - x) / 2 + .6 * min(x * (1 - .45), .45 * (1 - x))


trap("wire_between_points", RESOLUTION, FINER, WIRE,
     data=measure(wire(3.), [.15, .25, .35, .55, .65, .75], .1),
     reference=["Levels/fine/Subdivisions = 1600"])
control("wire_resolved", RESOLUTION, WIRE, "Levels/fine/Subdivisions = 400",
        data=measure(wire(3.), [.15, .25, .35, .55, .65, .75], .1),
        reference=["Levels/fine/Subdivisions = 1600"])

trap("heater_between_nodes", RESOLUTION, FINER, HEATER, "Observations/Noise = 0.002",
     "Levels/fine/Subdivisions = 5\nLevels/fine/Degree = 1", "Sampler/Start = 0.3",
     sampling(5000, 1000, "1, 4, 16"), data=measure(heater(.32), [.21, .36, .5, .78], .002),
     reference=["Levels/fine/Subdivisions = 80"])
control("heater_resolved", RESOLUTION, HEATER, "Observations/Noise = 0.004",
        "Levels/fine/Subdivisions = 24", sampling(5000, 1000, "1, 4, 16"),
        data=measure(heater(.32), [.21, .36, .5, .78], .004),
        reference=["Levels/fine/Subdivisions = 80"])

trap("cloud_8_cells", RESOLUTION, FINER, CLOUD, ONE_RUNG, "Levels/fine/Subdivisions = 8",
     "Levels/fine/Time step = 0.002", start={"x": .37, "y": .45},
     data=measure(LEFT, CLOUD_4, .35, [.03]), reference=["Levels/fine/Subdivisions = 60"])
control("cloud_40_cells", RESOLUTION, CLOUD, data=measure(LEFT, CLOUD_4, .35, [.03]),
        reference=["Levels/fine/Subdivisions = 100"])

GAS_SHORT = measure(wave, spread(12), .006, [.1, .2, .3, .4, .5])
trap("gas_linear_cells", RESOLUTION, FINER, GAS, "Levels/fine/Subdivisions = 32",
     "Levels/fine/Degree = 1", data=GAS_SHORT,
     reference=["Levels/fine/Subdivisions = 16\nLevels/fine/Degree = 2"])
control("gas_quadratic_cells", RESOLUTION, GAS, "Levels/fine/Subdivisions = 16", data=GAS_SHORT,
        reference=["Levels/fine/Time step = 0.01\nLevels/fine/Subdivisions = 20"])

trap("reaction_6_cells", RESOLUTION, FINER, REACTION, "Levels/fine/Subdivisions = 6",
     "Levels/fine/Degree = 1", data=REACTION_5, reference=["Levels/fine/Subdivisions = 80"])
control("reaction_12_cells", RESOLUTION, REACTION, data=REACTION_5,
        reference=["Levels/fine/Subdivisions = 40"])

# ----------------------------------------------------------------------------
# Wrong noise, wrong model, prior in conflict with the data
# ----------------------------------------------------------------------------

ROD_24 = spread(24)
TRUE_ROD = cooled(3., 1.)

control("rod_done_right", FIT, ROD, data=measure(TRUE_ROD, ROD_24, .01))
trap("rod_sigma_too_small", FIT, {"fit"}, ROD, "Observations/Noise = 0.0025",
     data=measure(TRUE_ROD, ROD_24, .01))
trap("rod_sigma_too_large", FIT, {"fit"}, ROD, "Observations/Noise = 0.05",
     data=measure(TRUE_ROD, ROD_24, .01))
trap("rod_heater_forgotten", FIT, {"fit"}, ROD,
     data=measure(rod(c=lambda x: 3., exchange=1., f=lambda x: 5 * math.exp(
         -(x - .6) ** 2 / .005)), ROD_24, .01))


def outlier(values):
    return values[:16] + [values[16] + .08] + values[17:]


trap("rod_one_outlier", FIT, {"fit"}, ROD, data=measure(TRUE_ROD, ROD_24, .01, spoil=outlier))
trap("rod_prior_wall", FIT, {"prior", "fit"}, ROD, "Problem/Unknowns/leak = uniform(0, 2)",
     data=measure(TRUE_ROD, ROD_24, .01))
trap("rod_prior_far_off", FIT, {"prior", "fit"}, ROD, "Problem/Unknowns/leak = normal(1, 0.3)",
     data=measure(TRUE_ROD, ROD_24, .01))
control("rod_prior_a_little_off", FIT, ROD, "Problem/Unknowns/leak = normal(2.5, 0.5)",
        data=measure(TRUE_ROD, ROD_24, .01))
trap("rod_sigma_at_its_bound", FIT, {"prior", "fit"}, ROD,
     "Observations/Noise = uniform(0.001, 0.008)", sampling(20000, 8000),
     "Sampler/Kernel/Step sizes = 1e-6", start={"leak": 3., "cooling": 1., "sigma": .007},
     data=measure(TRUE_ROD, spread(40), .014))
control("rod_sigma_unknown", FIT, ROD, "Observations/Noise = log-normal(0.02, 1)",
        "Sampler/Ladder/Temper = likelihood", data=measure(TRUE_ROD, ROD_24, .01))
control("rod_as_many_data", FIT, ROD, "Problem/Unknowns/cooling = log-normal(1, 0.5)",
        data=measure(TRUE_ROD, [.4, .9], .01))
control("rod_correlated_noise", FIT, ROD, "Observations/Covariance = " + "; ".join(
    text_of(1e-4 * .7 ** abs(i - j) for j in range(16)) for i in range(16)),
        data=measure(TRUE_ROD, spread(16), .01, correlation=.7))

DECAY_40 = DECAY + """
Problem/Unknowns/a = normal(1, 0.5)
Problem/Equation/Initial value = a*sin(pi*x)
Observations/Noise = 0.02
""" + sampling(6000, 1500)
TIMES = [.025 * (i + 1) for i in range(8)]
control("decay_done_right", FIT, DECAY_40, data=measure(decay(.5), spread(5), .02, TIMES))
trap("decay_in_other_units", FIT, {"fit", "prior"}, DECAY_40, data=measure(
    decay(.5), spread(5), .02, TIMES, spoil=lambda values: [1000 * value for value in values]))


def drift(values):
    """The third of five sensors reads more and more too much."""
    return [value + (.02 * (i // 5 + 1) if i % 5 == 2 else 0.) for i, value in enumerate(values)]


trap("decay_drifting_sensor", FIT, {"fit"}, DECAY_40,
     data=measure(decay(.5), spread(5), .02, TIMES, spoil=drift))

trap("decay_wind_forgotten", FIT, {"fit"}, DECAY_40,
     data=measure(evolution(lambda x: math.sin(math.pi * x), .5, 1., end=.2), spread(5), .02,
                  TIMES))

SIXTEEN = [(.125 + .25 * i, .125 + .25 * j) for j in range(4) for i in range(4)]
CLOUD_16 = CLOUD + "Problem/Unknowns/mass = log-normal(1, 0.5)"
control("cloud_done_right", FIT, CLOUD_16, "Levels/coarse/Subdivisions = 20",
        data=measure(LEFT, SIXTEEN, .35, [.015, .03]), reference=["Sampler/Ladder/Levels = fine"])


def two_clouds(x, y, t):
    return LEFT(x, y, t) + cloud(.7, .7, mass=.6)(x, y, t)


trap("cloud_second_source", FIT, {"fit"}, CLOUD_16,
     data=measure(two_clouds, SIXTEEN, .35, [.015, .03]))

trap("network_sigma_too_small", FIT, {"fit"}, NETWORK, "Observations/Noise = 0.2",
     data=measure(lambda x: 2 * bell(x), spread(19, -1., 1.), 1.2))
control("network_done_right", FIT, LONG_NETWORK,
        data=measure(lambda x: 2 * bell(x), spread(19, -1., 1.), .2))

# ----------------------------------------------------------------------------
# Evidence, measured with --confirm at seed 1 unless a range of seeds is given
# ----------------------------------------------------------------------------

EVIDENCE = {
    "two_sources_one_rung": "grid: share of the left answer 0.5; the run has 1 (R-hat 1.002)",
    "two_sources_cold_ladder": "grid: share of the left answer 0.5; the run has 0 (R-hat 1.000)",
    "two_sources_no_swaps": "grid: share of the left answer 0.5; the cold rung has 1",
    "two_sources_found": "grid: share 0.5; the run has 0.512, R-hat 1.003, ESS 1849",
    "one_source_one_rung": "grid: one answer, total variation 0.015 from the run",
    "row_of_sensors_one_chain": "mirror symmetry; a hot ladder has x = 0.488 +- 0.14, the run 0.363 +- 0.009",
    "river_one_reading": "grid: share of the lower answer 0.50; the run has 1",
    "river_two_gauges": "grid: one answer, the run's mean is 0.007 sd off; refined: 0.04 sd",
    "river_biased_coarse_level": "grid: the run's mean is 0.003 sd off; refined: 0.03 sd",
    "wave_number_aliased": "closed form on 64,000 points, seeds 1 to 3: half of the mass above k = 10; the run has none",
    "wave_number_uneven_sensors": "the same: all mass below k = 10, other minima 450 and more above",
    "heater_left_or_right": "grid: share of the left answer 0.5; the run has 1 (R-hat 1.001)",
    "heater_both_found": "grid: share 0.5; the run has 0.504",
    "mixture_far_and_narrow": "by construction: half of the mass at (30, 10); the run has mean 0",
    "mixture_of_three_one_rung": "by construction: 60 % of the mass at x1 = -6 and 6; the run has sd 0.5",
    "mixture_found": "by construction: mean 0.2; the run has 0.25 +- 3.5 with an ESS of 16,120",
    "gaussian_one_rung": "by construction: means 1 and -2; the run has 1.007 and -2.000",
    "funnel_neck": "x1 is normal(0, 3); the runs have 0.37, 0.41, 0.25 (seeds 1 to 3), sd 2.7; MCSE 0.07 at seeds 1 and 2",
    "cooled_rod_biased_coarse_level": "grid: the run's means are 0.007 and 0.002 sd off; refined: 0.01 sd",
    "product_of_two": "only a b is in the equation",
    "two_terms": "posterior sds 0.053 and 0.19 of a prior's 1 and 0.6; refined: 0.00 sd",
    "sum_of_two": "only leak1 + leak2 is in the equation",
    "two_leaks_apart": "posterior sds 0.20, 0.21 of a prior's 2.3",
    "ratio_of_two": "only q/k is in the solution",
    "ratio_with_one_known": "posterior sd 0.052 of a prior's 0.4",
    "source_downstream": "influence upstream exp(-30 0.3) = 1e-4; posterior of far 4.9 +- 2.9, prior 5 +- 2.9",
    "source_between_sensors": "posterior sds 0.43, 0.63 of a prior's 2.9",
    "gas_short_horizon": "alpha moves u by T^2/2 = 5e-7; posterior 1.72 +- 0.73, prior 1.75 +- 0.72",
    "gas_long_horizon": "posterior sd 0.062 of a prior's 0.72; refined: 0.09 sd",
    "fast_mode_died_out": "exp(-16 pi^2 0.08) = 3e-6; posterior of fast 0.0 +- 2.0, prior 0 +- 2",
    "fast_mode_in_time": "posterior sds 0.006, 0.027 of a prior's 2; refined: 0.01 sd",
    "network_drowned_in_noise": "posterior 0.247 +- 0.14, prior 0.25 +- 0.144",
    "network_identified": "posterior sd 0.28 of a prior's 1.15; seeds 1 to 3: R-hat at most 1.005, ESS 2007 and more",
    "rod_coarse_3": "seeds 1 to 3 against exact: means shift by 0.34, 0.43, 0.46 sd, widths by 13 to 14 %",
    "rod_coarse_20": "against exact: 0.05 sd, widths 1 %; refined: 0.03 sd",
    "cloud_coarse_8": "seeds 1 to 3 against exact: means shift by 0.39, 0.44, 0.42 sd, widths by 45 to 50 %",
    "cloud_coarse_20": "against exact: 0.01 sd; refined: 0.02 sd",
    "decay_coarse_cells": "seeds 1 to 3 against exact: means shift by 3.1 to 3.8 sd, widths by 370 %",
    "decay_good_cells": "seeds 1 to 3 against exact: at most 0.03 sd; refined: 0.03 sd",
    "reaction_coarse_5": "against exact: means shift by 1.54 sd, widths by 146 %",
    "reaction_coarse_good": "against exact: 0.05 sd; refined: 0.00 sd",
    "gas_coarse_cells": "against exact: means shift by 0.85 sd, widths by 94 %",
    "gas_good_cells": "against exact: 0.00 sd; refined: 0.03 sd",
    "plate_coarse_3": "against exact: means shift by 0.77 sd, widths by 41 %",
    "plate_coarse_good": "against exact: 0.05 sd; refined: 0.00 sd",
    "decay_many_small_errors": "with steps of 0.001 the mean shifts by 1.56 sd",
    "decay_many_good_steps": "with steps of 0.005 and twice the cells: 0.01 sd",
    "boundary_layer_5_cells": "with 80 cells the mean shifts by 5.4 sd",
    "boundary_layer_resolved": "with 80 cells: 0.00 sd",
    "wire_between_points": "with 1600 cells the mean shifts by 2.4 sd",
    "wire_resolved": "with 1600 cells: 0.00 sd",
    "heater_between_nodes": "with 80 cells, seeds 1 to 3: the mean shifts by 3.9 to 4.7 sd",
    "heater_resolved": "with 80 cells: 0.01 sd",
    "cloud_8_cells": "with 60 cells, seeds 1 to 3: the mean shifts by 1.5 to 1.8 sd",
    "cloud_40_cells": "with 100 cells: 0.03 sd; refined: 0.04 sd",
    "gas_linear_cells": "with quadratic elements the mean shifts by 1.95 sd",
    "gas_quadratic_cells": "with 20 cells and steps of 0.01: 0.02 sd; refined: 0.02 sd",
    "reaction_6_cells": "with 80 cells the mean shifts by 1.65 sd",
    "reaction_12_cells": "with 40 cells: 0.02 sd",
    "rod_done_right": "noise as stated; R-hat 1.002, ESS 1789; refined: 0.01 sd",
    "rod_sigma_too_small": "by construction: the noise is 4 times as large as stated, 24 data",
    "rod_sigma_too_large": "by construction: the noise is 5 times smaller than stated, 24 data",
    "rod_heater_forgotten": "best fit by brute force, noise-free: chi^2 rises by 52 for a heater of 4; here it is 5",
    "rod_one_outlier": "by construction: measurement 17 of 24 is 8 sigma off",
    "rod_prior_wall": "truth 3 beyond the wall 2; posterior 1.994 +- 0.005",
    "rod_prior_far_off": "truth 3, prior 1 +- 0.3; posterior 2.89 +- 0.08, 6.3 prior sds off",
    "rod_prior_a_little_off": "truth one prior sd off; refined: 0.02 sd",
    "rod_sigma_at_its_bound": "noise 0.014, wall 0.008; posterior 0.0079 +- 0.0001 in seeds 1 to 3; where the noise happens to be 0.0104 (seed 12) the conflict has p = 0.004",
    "rod_sigma_unknown": "posterior 0.0121 +- 0.0019, truth 0.01; R-hat 1.003, ESS 918",
    "rod_as_many_data": "two data, two unknowns; R-hat 1.001, ESS 2370; refined: 0.01 sd",
    "rod_correlated_noise": "noise drawn with the stated covariance; refined: 0.02 sd",
    "decay_done_right": "noise as stated; R-hat 1.005, ESS 911; refined: 0.03 sd",
    "decay_in_other_units": "by construction: data a thousand times too large",
    "decay_drifting_sensor": "best fit by brute force, noise-free: chi^2 rises by 137",
    "decay_wind_forgotten": "best fit by brute force, noise-free: chi^2 rises by 308",
    "cloud_done_right": "seeds 1 to 3, all rungs fine: 0.02 sd, widths 3 %; refined: 0.05 sd; swaps 0.10 and more",
    "cloud_second_source": "by construction: a second cloud of 0.6 of the mass at (0.7, 0.7)",
    "network_sigma_too_small": "by construction: the noise is 6 times as large as stated, 19 data",
    "network_done_right": "noise as stated; seeds 1 to 3: R-hat at most 1.003, ESS 1784 and more",
}
for problem in PROBLEMS:
    problem.evidence = EVIDENCE[problem.name]

MAIN = PROBLEMS
SETS = {"main": MAIN}

# ----------------------------------------------------------------------------
# The set 'more': ten problems by another hand, a trap and a control of every kind
# ----------------------------------------------------------------------------

PROBLEMS = MORE = []


def robin_modes(r, length, n=30):
    """Eigenfunctions of -v'' on (0, length), v' = r v on the left, v' = -r v on the right."""
    def condition(m):
        return 2 * r * m * math.cos(m * length) - (m * m - r * r) * math.sin(m * length)
    modes = []
    for k in range(n):
        low, high = (k + 1e-9) * math.pi / length, (k + 1) * math.pi / length
        sign = condition(low)
        for _ in range(60):
            middle = (low + high) / 2
            if condition(middle) * sign > 0:
                low = middle
            else:
                high = middle
        modes.append(low)
    return [(m, lambda x, m=m: math.cos(m * x) + r / m * math.sin(m * x)) for m in modes]


def exchanger(x0, y0, strength, r, width, length=1.):
    """-laplace u = a Gaussian source on (0, length) x (0, 1), du/dn + r u = 0: a series."""
    def parts(modes, end, centre):
        """Eigenfunctions, and the source's coefficients, by the midpoint rule."""
        n = 600
        points = [(i + .5) * end / n for i in range(n)]
        result = []
        for m, v in modes:
            values = [v(x) for x in points]
            load = sum(value * math.exp(-(x - centre) ** 2 / (2 * width ** 2))
                       for value, x in zip(values, points))
            result.append((m * m, v, load / sum(value * value for value in values)))
        return result
    series = (parts(robin_modes(r, length), length, x0), parts(robin_modes(r, 1.), 1., y0))

    def value(x, y):
        rows = [(m, c * v(x)) for m, v, c in series[0]]
        columns = [(m, c * v(y)) for m, v, c in series[1]]
        return strength * sum(a * b / (m + k) for m, a in rows for k, b in columns)
    return value


# A chip on a square plate that gives its heat to the air along the edges. All probes
# are on the diagonal, so that (x0, y0) and (y0, x0) look the same.
CHIP = COMMON + """
Problem/Type = expressions
Problem/Dimension = 2
Problem/Equation/Capacity = 0
Problem/Equation/Diffusion = 1
Problem/Equation/Dirichlet value = none
Problem/Equation/Exchange = 1.5
Problem/Equation/Source = 40*exp(-((x-x0)^2 + (y-y0)^2)/(2*0.1^2))
Problem/Unknowns/x0 = uniform(0.1, 0.9)
Problem/Unknowns/y0 = uniform(0.1, 0.9)
Observations/Noise = 0.01
Levels/fine/Subdivisions = 10
Levels/fine/Degree = 2
Sampler/Kernel/Step sizes = 1e-4
""" + sampling(3000, 800)
trap("chip_probes_on_diagonal", MODE, MISSED, CHIP, start={"x0": .68, "y0": .27},
     data=measure(exchanger(.68, .27, 40., 1.5, .1), [(.15, .15), (.35, .35), (.6, .6), (.9, .9)],
                  .01), reference="truth")
control("mixture_3d_found", MODE, ANALYTIC, """
Iterations = 50000
Energy/Type = gaussian mixture
Energy/Gaussian mixture/Weights = 0.25, 0.45, 0.3
Energy/Gaussian mixture/Means = -2, 0, 1; 2, 1.5, -1; 0, -3, 2
Energy/Gaussian mixture/Standard deviations = 0.8, 0.6, 0.7
Sampler/Ladder/Temperatures = 1, 2.2, 5, 12
""")

# Two puffs enter a pipe at t = 0.2 and 0.7 and travel with speed 1.
PIPE = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Unknowns/first = log-normal(1, 0.5)
Problem/Unknowns/second = log-normal(1, 0.5)
Problem/Equation/Diffusion = 0.005
Problem/Equation/Convection = 1
Problem/Equation/Dirichlet value = 0: first*exp(-(t-0.2)^2/(2*0.05^2)) + second*exp(-(t-0.7)^2/(2*0.05^2))
Observations/Noise = 0.03
Solver/Time stepping = Crank-Nicolson
Levels/fine/Subdivisions = 40
Levels/fine/Degree = 2
Levels/fine/Time step = 0.005
""" + sampling(3000, 800)


def puffs(first, second, d=.005, n=4000):
    """Boundary values convolved with the law of the time of arrival (a half-line)."""
    def value(x, t):
        total = 0.
        for i in range(n):
            s = (i + .5) * t / n
            inflow = (first * math.exp(-(t - s - .2) ** 2 / .005)
                      + second * math.exp(-(t - s - .7) ** 2 / .005))
            total += inflow * x / math.sqrt(4 * math.pi * d * s ** 3) * math.exp(
                -(x - s) ** 2 / (4 * d * s))
        return total * t / n
    return value


trap("second_puff_on_its_way", IDENTIFIABLE, NOTHING, PIPE,
     data=measure(puffs(1.3, .8), [.45, .7], .03, [.5, .6, .7, .8]))
control("both_puffs_arrived", IDENTIFIABLE, PIPE,
        data=measure(puffs(1.3, .8), [.45, .7], .03, [.6, .8, 1., 1.2, 1.4]))

# A damped string: u_tt + 0.2 u_t - speed^2 u_xx = 0, plucked as sin(pi x).
PLUCKED = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Unknowns/speed = uniform(0.6, 1.6)
Problem/Equation/Inertia = 1
Problem/Equation/Capacity = 0.2
Problem/Equation/Diffusion = speed^2
Problem/Equation/Initial value = sin(pi*x)
Problem/Equation/Dirichlet value = 0
Observations/Noise = 0.08
Solver/Time stepping = Crank-Nicolson
Levels/fine/Subdivisions = 6
Levels/fine/Degree = 2
Levels/fine/Time step = 0.02
Levels/coarse/Subdivisions = 6
Levels/coarse/Degree = 2
""" + sampling(1800, 400, "1, 4", "fine, coarse") + MULTI_VARIANCE


def plucked(speed):
    w = math.sqrt(math.pi ** 2 * speed ** 2 - .01)
    return lambda x, t: math.sin(math.pi * x) * math.exp(-.1 * t) * (
        math.cos(w * t) + .1 / w * math.sin(w * t))


STRUM = measure(plucked(1.1), [.2, .3, .55, .7, .85], .08, [.2, .4, .6, .8, 1.])
trap("string_coarse_steps", COARSE, BIASED, PLUCKED, "Levels/coarse/Time step = 0.2",
     data=STRUM, reference=[EXACT])
control("string_good_steps", COARSE, PLUCKED, "Levels/coarse/Time step = 0.04",
        data=STRUM, reference=[EXACT])

# The day's wave of temperature in the soil: how well does the soil conduct?
SOIL = COMMON + """
Problem/Type = expressions
Problem/Dimension = 1
Problem/Unknowns/k = log-normal(0.06, 0.4)
Problem/Equation/Diffusion = k
Problem/Equation/Initial value = -exp(-x*sqrt(pi/k))*sin(x*sqrt(pi/k))
Problem/Equation/Dirichlet value = 0: sin(2*pi*t); 1: 0
Observations/Noise = 0.02
Solver/Time stepping = BDF2
Levels/fine/Subdivisions = 16
Levels/fine/Degree = 2
""" + sampling(1500, 400)


def soil(k):
    """A half-line; at x = 1 the wave is down to 4e-4."""
    m = math.sqrt(math.pi / k)
    return lambda x, t: math.exp(-m * x) * math.sin(2 * math.pi * t - m * x)


SOIL_DATA = measure(soil(.05), [.04, .1, .17, .26], .02, [.25, .5, .75, 1.])
trap("soil_eight_steps_a_day", RESOLUTION, FINER, SOIL, "Levels/fine/Time step = 0.125",
     data=SOIL_DATA, reference=["Levels/fine/Time step = 0.005"])
control("soil_hundred_steps_a_day", RESOLUTION, SOIL, "Levels/fine/Time step = 0.01",
        data=SOIL_DATA, reference=["Levels/fine/Time step = 0.0025\nLevels/fine/Subdivisions = 24"])

# A heat exchanger of 1.6 x 1 with one burner; someone has written y, x for x, y.
BURNER = COMMON + """
Problem/Type = expressions
Problem/Dimension = 2
Problem/Upper corner = 1.6, 1
Problem/Unknowns/power = log-normal(20, 0.6)
Problem/Unknowns/loss = log-normal(1.5, 0.6)
Problem/Equation/Capacity = 0
Problem/Equation/Diffusion = 1
Problem/Equation/Dirichlet value = none
Problem/Equation/Exchange = loss
Problem/Equation/Source = power*exp(-((x-0.5)^2 + (y-0.6)^2)/(2*0.15^2))
Observations/Noise = 0.02
Levels/fine/Subdivisions = 8
Levels/fine/Degree = 2
""" + sampling(2000, 500)
BURNER_PROBES = [(.2, .8), (.5, .3), (.6, .55), (.8, .15), (.9, .75), (.35, .6), (.7, .95), (.1, .1)]
burner = exchanger(.5, .6, 25., 2., .15, 1.6)
trap("burner_probes_x_for_y", FIT, {"fit", "prior"}, BURNER,
     data=measure(lambda x, y: burner(y, x), BURNER_PROBES, .02))
# Power and loss are hard to tell apart, so it takes many draws.
control("burner_done_right", FIT, BURNER, sampling(40000, 8000), data=measure(burner, BURNER_PROBES, .02))

EVIDENCE = {
    "chip_probes_on_diagonal": "grid: share of the left answer 0.5; the run has 0 (R-hat 1.001)",
    "mixture_3d_found": "by construction: means 0.4, -0.225, 0.4; the run has 0.417, -0.200, 0.382, ESS 11,558",
    "second_puff_on_its_way": "closed form: the second puff adds less than 1e-3 to any reading; posterior 1.15 +- 0.64, prior 1.13 +- 0.60",
    "both_puffs_arrived": "posterior sds 0.043, 0.042 of a prior's 0.6; R-hat 1.001, ESS 2972; readings within 0.06 sigma of the closed form",
    "string_coarse_steps": "against exact: means shift by 0.65 sd, widths by 38 %",
    "string_good_steps": "against exact: 0.02 sd, widths 2 %; refined: 0.01 sd",
    "soil_eight_steps_a_day": "with steps of 0.005 the mean shifts by 3.5 sd",
    "soil_hundred_steps_a_day": "second order: (0.01/0.125)^2 of 3.5 sd is 0.02 sd; R-hat 1.001, ESS 1403",
    "burner_probes_x_for_y": "best fit of the series by brute force, noise-free: chi^2 is 231, of 8 data",
    "burner_done_right": "linearised, the level moves the best fit by 0.08 sd from the series; seeds 1 to 3: no R-hat above 1.01, no ESS below 400",
}
for problem in MORE:
    problem.evidence = EVIDENCE[problem.name]

SETS["more"] = MORE
