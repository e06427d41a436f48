# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tempera's forward map of the problem 'pollution source' on the unit square, in numpy.

Bilinear elements on n x n cells, Gauss' formula with 2 x 2 points, data at the boundary and
at the beginning taken at the nodes, backward Euler; diffusivity 1, predictions at the last
time. Everything is a product over the two coordinates: in the modes of the matrices along a
line, a step in time is a division. So the predictions of mass 1 are bilinear in the values
of the Gaussian along the two lines, with one matrix for each sensor.
"""
import numpy


class PollutionModel:
    def __init__(self, sensors, n_cells, final_time, n_steps):
        n, h, dt = n_cells, 1. / n_cells, final_time / n_steps
        self.nodes = numpy.linspace(0., 1., n + 1)
        places = numpy.array([0.5 - 0.5 / 3. ** 0.5, 0.5 + 0.5 / 3. ** 0.5])
        self.points = ((numpy.arange(n)[:, None] + places) * h).ravel()
        mass, stiffness = numpy.zeros((2, n + 1, n + 1))
        load = numpy.zeros((n + 1, 2 * n))
        for cell in range(n):
            here = slice(cell, cell + 2)
            mass[here, here] += h / 6. * numpy.array([[2., 1.], [1., 2.]])
            stiffness[here, here] += 1. / h * numpy.array([[1., -1.], [-1., 1.]])
            load[here, 2 * cell:2 * cell + 2] += h / 2. * numpy.array([1. - places, places])

        # Modes along a line: V^T M V = 1, V^T A V = diag(rates).
        inner = slice(1, n)
        inverse = numpy.linalg.inv(numpy.linalg.cholesky(mass[inner, inner]))
        rates, modes = numpy.linalg.eigh(inverse @ stiffness[inner, inner] @ inverse.T)
        modes = inverse.T @ modes

        # What the values of a line (Gaussian at points, heated one at points, Gaussian at
        # nodes) are in the modes; _o: of the nodes inside alone.
        def of_nodes(matrix, is_inner):
            rows = matrix[inner].copy()
            if is_inner:
                rows[:, [0, -1]] = 0.
            return numpy.hstack([numpy.zeros((n - 1, 4 * n)), rows]).T @ modes

        zero = numpy.zeros((n - 1, 2 * n))
        nothing = numpy.zeros((n - 1, n + 1))
        gauss = numpy.hstack([load[inner], zero, nothing]).T @ modes
        heated = numpy.hstack([zero, load[inner], nothing]).T @ modes
        m, m_o = of_nodes(mass, False), of_nodes(mass, True)
        a, a_o = of_nodes(stiffness, False), of_nodes(stiffness, True)

        factor = 1. / (1. + dt * (rates[:, None] + rates))
        kept = factor ** n_steps
        driven = sum(factor ** (n_steps - k + 1) * dt * numpy.exp(-k * dt)
                     for k in range(1, n_steps + 1))
        change = (1. - numpy.exp(dt)) / dt
        self.left, self.right = [], []
        for sensor in sensors:
            shape = []
            for coordinate in sensor:
                cell = min(n - 1, int(coordinate * n + 1e-9))
                row = numpy.zeros(n + 1)
                row[cell + 1] = coordinate * n - cell
                row[cell] = 1. - row[cell + 1]
                shape.append(row[inner] @ modes)
            here = numpy.outer(*shape)
            forms = (
                (heated, gauss, 1.), (gauss, heated, 1.),
                # Dirichlet values: all nodes less those inside.
                (a, m, -1.), (m, a, -1.), (a_o, m_o, 1.), (m_o, a_o, 1.),
                (m, m, -change), (m_o, m_o, change))
            bilinear = m_o @ (here * kept) @ m_o.T
            for x, y, sign in forms:
                bilinear += sign * x @ (here * driven) @ y.T
            u, s, v = numpy.linalg.svd(bilinear)
            rank = int((s > 1e-13 * s[0]).sum())
            self.left.append(u[:, :rank] * s[:rank])
            self.right.append(v[:rank].T)

    def line(self, centre, width):
        """Values of a Gaussian along a line, by state."""
        centre, width = centre[:, None], width[:, None]
        amplitude = 1. / ((2. * numpy.pi) ** 0.5 * width)
        square = ((self.points - centre) / width) ** 2
        gauss = amplitude * numpy.exp(-0.5 * square)
        return numpy.hstack([gauss, gauss * ((1. - square) / width ** 2 - 0.5),
                             amplitude * numpy.exp(
                                 -0.5 * ((self.nodes - centre) / width) ** 2)])

    def of_unit_mass(self, x, y, width):
        """Predictions by state and sensor."""
        along_x, along_y = self.line(x, width), self.line(y, width)
        return numpy.array([((along_x @ left) * (along_y @ right)).sum(axis=1)
                            for left, right in zip(self.left, self.right)]).T

    def on_grid(self, x, y, width):
        """The same for all pairs of some x and y and one width, by sensor, x and y."""
        along_x = self.line(x, numpy.full(len(x), width))
        along_y = self.line(y, numpy.full(len(y), width))
        return numpy.array([(along_x @ left) @ (along_y @ right).T
                            for left, right in zip(self.left, self.right)])
