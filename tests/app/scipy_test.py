"""SciPy reads the Matrix Market files that are written, and dcube those of SciPy.

NumPy, which comes with it, arranges devices by the lists that are written for JAX as JAX's users do.
"""

import json
import unittest

import numpy
import scipy.io
import scipy.sparse

from program import ProgramTest, ring, scenario


class SciPy(ProgramTest):
    def traffic(self, file):
        """Bytes from process to process, as dcube reads them."""
        matrix = numpy.zeros((8, 8), dtype=int)
        machine = ["embed", "ring:8", "--embedding", "identity", "--guest", "cube:3", "--traffic", file]
        self.output(*machine, "--export", "traffic.grf")
        result = self.json(*machine, "--json")
        for process, line in enumerate((self.folder / "traffic.grf").read_text().splitlines()[3:]):
            for load, other in zip(*[iter(line.split()[1:])] * 2):
                matrix[process, int(other)] = int(load)
        return matrix, result["traffic"]["bytes"]

    def test_a_run_is_read_by_scipy(self):
        self.write("s.json", scenario(ring(8), message=2**40))
        self.output("run", "s.json", "--traffic", "x.mtx", "--quiet")
        matrix = scipy.io.mmread(self.folder / "x.mtx").toarray()
        expected = [[2**40 if bin(i ^ j).count("1") == 1 else 0 for j in range(8)] for i in range(8)]
        self.assertEqual(matrix.tolist(), expected)

    def test_what_scipy_writes_is_read(self):
        lots = numpy.random.default_rng(5)
        matrix = lots.integers(0, 2**50, (8, 8)) * (lots.random((8, 8)) < 0.5)
        symmetric = numpy.tril(matrix, -1)
        symmetric += symmetric.T
        for name, content, expected in (
            ("general", scipy.sparse.coo_matrix(matrix), matrix),
            ("dense", matrix, matrix),
            ("real", scipy.sparse.coo_matrix(matrix.astype(float)), matrix),
            ("symmetric", scipy.sparse.coo_matrix(symmetric), symmetric),
            ("dense symmetric", symmetric, symmetric),
        ):
            with self.subTest(name):
                scipy.io.mmwrite(self.folder / "x.mtx", content, comment="by SciPy")
                loads, sent = self.traffic("x.mtx")
                numpy.fill_diagonal(expected, 0)
                self.assertEqual(sent, expected.sum())
                self.assertEqual(loads.tolist(), ((expected + expected.T + 1) // 2).tolist())
        scipy.io.mmwrite(self.folder / "x.mtx", scipy.sparse.coo_matrix(symmetric / 3), field="pattern")
        self.assertEqual(self.traffic("x.mtx")[0].tolist(), (symmetric > 0).astype(int).tolist())

    def test_axes_of_a_jax_mesh_are_those_of_the_guest(self):
        self.output("embed", "torus:4x2x4", "--embedding", "random", "--guest", "mesh:4x8", "--export", "x.jax",
                    "--export", "x.csv")
        coordinates = [(x, y, z) for x in range(4) for y in range(2) for z in range(4)]  # any order
        devices = sorted(coordinates, key=lambda device: device[::-1])
        mesh = numpy.array(list(map(str, devices)))[json.loads((self.folder / "x.jax").read_text())].reshape(8, 4)
        for process, node in (map(int, row.split(",")) for row in (self.folder / "x.csv").read_text().split()[1:]):
            device = str((node % 4, node // 4 % 2, node // 8))
            self.assertEqual(mesh[process // 4, process % 4], device)


if __name__ == "__main__":
    unittest.main()
