# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which forms of ldmatrix, stmatrix and movmatrix it takes for which target.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_matrix.py > tests/data/ptxas_matrix.txt

A line is  instruction shape type trans | number of matrices ... | target ...  Every combination is asked, illegal ones
too; the "asked" lines count them. m16n16 has two registers for each matrix, the others have one.
"""
from itertools import product

from ptxas_mma import record, registers

SHAPES = ("m8n8", "m8n16", "m16n8", "m16n16")
TYPES = ("b16", "b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64", "s8.s4")
NUMBERS = (1, 2, 4, 8)


def questions():
    for shape, dtype, trans, number in product(SHAPES, TYPES, ("-", "trans"), NUMBERS):
        r = registers("r", number * (2 if shape == "m16n16" else 1))
        form = f"sync.aligned.{shape}.x{number}{'.trans' if trans == 'trans' else ''}"
        yield ("ldmatrix", shape, dtype, trans), number, f"ldmatrix.{form}.shared.{dtype} {r}, [%r299];"
        yield ("stmatrix", shape, dtype, trans), number, f"stmatrix.{form}.shared.{dtype} [%r299], {r};"
    for shape, dtype, trans in product(SHAPES, ("b16", "b8"), ("-", "trans")):
        trans_text = ".trans" if trans == "trans" else ""
        yield ("movmatrix", shape, dtype, trans), 1, f"movmatrix.sync.aligned.{shape}{trans_text}.{dtype} %r0, %r1;"


if __name__ == "__main__":
    record(__file__, list(questions()), heads=True)
