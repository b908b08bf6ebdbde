# SPDX-License-Identifier: Apache-2.0
"""swz.scales: the offsets of the command, both ways, with numpy and without."""

import itertools
import random
import re
import sys

import pytest

import swz


def test_offsets_are_those_of_the_command(command):
    for layout in [row["name"] for row in swz.sf_list()["layouts"]]:
        scales = swz.scales(layout, 256, 768, 32, 2)
        asked = command("sf", "place", "--layout", layout, "--shape", "256x768", "--batches", "2", "--map")["map"]
        computed = [scales.offset(r, k, b) for b in range(2) for r in range(256) for k in range(24)]
        assert computed == asked
        for at in random.Random(1).sample(range(len(asked)), 50):
            assert scales.factor(asked[at]) == (at // (256 * 24), at // 24 % 256, at % 24)


def test_there_and_back_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    scales = swz.scales("to_blocked", 200, 704)
    assert len(scales.sources) == scales.size == 6144
    assert scales.sources.count(-1) == 6144 - 200 * 22
    for r in (0, 37, 199):
        for k in (0, 5, 21):
            assert scales.sources[scales.slots[0][r][k]] == r * 22 + k
    assert repr(scales) == "<swz.scales 128x4: 1 x 200 x 22, 6144 bytes>"


def test_there_and_back_with_numpy():
    numpy = pytest.importorskip("numpy")
    linear = numpy.arange(3 * 201 * 22, dtype=numpy.int64)
    for layout in ("128x4", "deepgemm", "8x16", "linear_f32", "ggml_mxfp4"):
        scales = swz.scales(layout, 201, 352, 16, 3)
        packed = numpy.append(linear, -7)[scales.sources]
        assert (packed[scales.slots].ravel() == linear).all()
        assert (packed == -7).sum() == scales.size // scales.unit - linear.size


def test_refused():
    with pytest.raises(swz.Error, match="has whole groups of 128 rows, not 200"):
        swz.scales("deepgemm_utccp", 200, 256)
    with pytest.raises(swz.Error, match="'129x4' is not a known layout"):
        swz.scales("129x4", 200, 256)


def test_formulas_are_the_offsets():
    rows, factors = 256, 16
    symbolic = {row["name"]: row["formula"] for row in swz.sf_list()["layouts"]}
    for layout in symbolic:
        scales = swz.scales(layout, rows, 32 * factors)
        written = re.sub(r"ceil\((\w) / (\d+)\)", r"(-(-\1 // \2))", symbolic[layout])
        for formula in (written, scales.answer["formula"]):
            python = re.sub(r"(?<!/)/(?!/)", "//", formula)
            for row, kb in itertools.product(range(0, rows, 7), range(factors)):
                names = {"row": row, "kb": kb, "batch": 0, "B": 1, "R": rows, "C": factors}
                assert eval(python, names) == scales.offset(row, kb)
