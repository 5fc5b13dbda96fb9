"""The notebooks run, and print what they show.

    notebook_test.py           runs the cells of every notebook in an interpreter of its own
    notebook_test.py --write   and writes what they print and draw into the notebooks

Cells are plain Python, so they need no kernel of Jupyter, which would bring some forty packages. Like one, this
shows the value of a cell's last expression, and the figures that it leaves behind.
"""

import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import sys
import unittest

os.environ["MPLBACKEND"] = "agg"
ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs/tutorials").glob("*.ipynb"))
DPI = 80


def picture(figure):
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    return base64.b64encode(stream.getvalue()).decode("ascii")


def shown(value):
    """What a notebook shows of a value: {kind: content}."""
    data = {"text/plain": lines(repr(value))}
    if hasattr(value, "savefig"):
        data = {"text/plain": ["<Figure>"], "image/png": picture(value)}
    elif getattr(value, "_repr_html_", None) and (text := value._repr_html_()) is not None:
        data["text/html"] = lines(text)
    return data


def lines(text):
    return text.splitlines(keepends=True)


class Cells:
    """Runs the cells of a notebook, one after the other."""

    def __init__(self, name):
        self.name = name
        self.names = {"__name__": "__main__"}
        self.count = 0

    def run(self, source):
        self.count += 1
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, self.name, "exec"), self.names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), self.name, "eval"), self.names)
        outputs = []
        if printed.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
        outputs += self.figures()
        if value is not None:
            outputs.append({"data": shown(value), "execution_count": self.count, "metadata": {},
                            "output_type": "execute_result"})  # fmt: skip
        return outputs

    def figures(self):
        if "matplotlib.pyplot" not in sys.modules:
            return []
        plt = sys.modules["matplotlib.pyplot"]
        found = [plt.figure(number) for number in plt.get_fignums()]
        outputs = [{"data": shown(figure), "metadata": {}, "output_type": "display_data"} for figure in found]
        plt.close("all")
        return outputs


def run(notebook):
    """(number, cell, its outputs now) of the cells with code."""
    cells = Cells(notebook["metadata"].get("title", "notebook"))
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            yield number, cell, cells.run("".join(cell["source"]))


def without_pictures(outputs):
    """Pictures differ between versions of the libraries that draw them."""
    return [
        {**output, "data": {kind: "drawn" if kind == "image/png" else text for kind, text in output["data"].items()}}
        if "data" in output
        else output
        for output in outputs
    ]


def write(file):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    for count, (_, cell, outputs) in enumerate(run(notebook), 1):
        cell["outputs"], cell["execution_count"] = outputs, count
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class Notebooks(unittest.TestCase):
    def test_cells_print_what_they_show(self):
        self.assertTrue(NOTEBOOKS)
        for file in NOTEBOOKS:
            for number, cell, outputs in run(json.loads(file.read_text(encoding="utf-8"))):
                with self.subTest(notebook=file.name, cell=number):
                    self.assertEqual(without_pictures(outputs), without_pictures(cell["outputs"]))

    def test_they_are_notebooks(self):
        for file in NOTEBOOKS:
            notebook = json.loads(file.read_text(encoding="utf-8"))
            self.assertEqual((notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]), (4, "python3"))
            ids = [cell["id"] for cell in notebook["cells"]]
            self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for found in NOTEBOOKS:
            write(found)
    else:
        unittest.main()
