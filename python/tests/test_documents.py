# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md shows is what the package answers; the notebook is run as it is."""

import doctest
import json
import os
import re
from pathlib import Path

import pytest

import swz

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_python_md():
    failed, tried = doctest.testfile(str(DOCS / "python.md"), module_relative=False)
    assert (failed, tried > 10) == (0, True)


def test_the_test_of_a_kernel_in_python_md():
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "python.md").read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) == 1
    names = {}
    exec(blocks[0], names)
    names["test_layouts"]()


def test_examples_of_the_package():
    failed, tried = doctest.testmod(swz)
    assert (failed, tried > 2) == (0, True)


def shown(cell):
    """The outputs of a cell that do not change from run to run."""
    kept = []
    for output in cell.get("outputs", []):
        data = output.get("data", {"text/plain": output.get("text", "")})
        kept.append({kind: "".join(text) for kind, text in data.items()})
    return kept


def test_tour():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    path = DOCS / "tour.ipynb"
    notebook = nbformat.read(path, as_version=4)
    before = [shown(cell) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    if os.environ.get("SWZ_WRITE_TOUR"):
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata.pop("language_info", None)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    assert [shown(cell) for cell in notebook.cells] == before
