# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which forms of block-scaled mma, mma.sp and wgmma.sp it takes for which target.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_scaled.py > tests/data/ptxas_scaled.txt

A line is one of
    scaled way kind k scale_vec scale-type accumulator | A.B ... | target ...
    ids kind scale_vec operand | byte.thread ... | target ...
    mma.sp way k type accumulator | selector ... | target ...
    wgmma.sp k type accumulator | N ... | target ...
The way is "-" (dense), "sp" or "sp::ordered_metadata". Every combination is asked, illegal ones too; the "asked" lines
count them.
"""
from itertools import product

from ptxas_mma import ACCUMULATORS, BITS, record, register_kind, registers

WAYS = ("-", "sp", "sp::ordered_metadata")
KINDS = {"mxf8f6f4": 8, "mxf4": 4, "mxf4nvf4": 4}  # bits of an element in its register
VECTORS = ("-", "1X", "2X", "4X")
SCALES = ("ue8m0", "ue4m3", "ue5m3")
TYPES = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


def block_scaled(way, kind, k, vector, scale, accumulator, types, ids_a="{0,0}", ids_b="{0,0}"):
    """The text of m16n8k; None if its operands do not fill registers."""
    words = k * KINDS[kind] // 32
    a, b = 16 * words // 32 // (1 if way == "-" else 2), 8 * words // 32
    if 0 in (a, b):
        return None
    d = registers(register_kind(accumulator), 4 * ACCUMULATORS[accumulator] // 32)
    name = "mma" if way == "-" else f"mma.{way}"
    size = "" if vector == "-" else f".scale_vec::{vector}"
    metadata = "" if way == "-" else "%r40, 0, "
    return (f"{name}.sync.aligned.m16n8k{k}.row.col.kind::{kind}.block_scale{size}.{accumulator}.{types}."
            f"{accumulator}.{scale} {d}, {registers('r', a)}, {registers('r', b)}, {d}, {metadata}"
            f"%r41, {ids_a}, %r42, {ids_b};")


def scaled():
    for way, kind, k, vector, scale, accumulator in product(WAYS, KINDS, (16, 32, 64, 128, 256), VECTORS, SCALES,
                                                            ("f32", "f16")):
        for types in (f"{a}.{b}" for a in TYPES for b in TYPES):
            text = block_scaled(way, kind, k, vector, scale, accumulator, types)
            if text:
                yield ("scaled", way, kind, k, vector, scale, accumulator), types, text


def ids():
    legal = (("mxf8f6f4", 32, "1X", "ue8m0"), ("mxf4", 64, "2X", "ue8m0"), ("mxf4nvf4", 64, "2X", "ue8m0"),
             ("mxf4nvf4", 64, "4X", "ue4m3"))
    for (kind, k, vector, scale), operand, byte, thread in product(legal, "ab", range(5), range(5)):
        two = ["{0,0}", "{0,0}"]
        two["ab".index(operand)] = f"{{{byte},{thread}}}"
        text = block_scaled("-", kind, k, vector, scale, "f32", "e2m1.e2m1", *two)
        yield ("ids", kind, vector, operand), f"{byte}.{thread}", text


def sparse():
    for way, k, dtype, accumulator in product(WAYS[1:], (8, 16, 32, 64, 128, 256), BITS, ACCUMULATORS):
        words = k * BITS[dtype] // 32
        a, b = 16 * words // 64, 8 * words // 32
        if dtype in ("b1", "f64", "f32") or 0 in (a, b):
            continue
        d = registers(register_kind(accumulator), 4 * ACCUMULATORS[accumulator] // max(32, ACCUMULATORS[accumulator]))
        kind = ".kind::f8f6f4" if dtype in ("e2m3", "e3m2", "e2m1") else ""
        for selector in range(5):
            yield ("mma.sp", way, k, dtype, accumulator), selector, (
                f"mma.{way}.sync.aligned.m16n8k{k}.row.col{kind}.{accumulator}.{dtype}.{dtype}.{accumulator} "
                f"{d}, {registers('r', a)}, {registers('r', b)}, {d}, %r40, {selector};")


def wgmma():
    for k, dtype, accumulator, n in product((8, 16, 32, 64, 128), ("tf32", "f16", "bf16", "e4m3", "e5m2", "s8", "u8"),
                                            ("f16", "bf16", "f32", "s32"), range(8, 265, 8)):
        d = registers(register_kind(accumulator), n * ACCUMULATORS[accumulator] // 64)
        tail = {"f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "s8": "", "u8": ""}.get(dtype, ", 1, 1")
        yield ("wgmma.sp", k, dtype, accumulator), n, (
            f"wgmma.mma_async.sp.sync.aligned.m64n{n}k{k}.{accumulator}.{dtype}.{dtype} "
            f"{d}, %rd0, %rd1, %r299, 0, %p1{tail};")


def questions():
    for some in (scaled, ids, sparse, wgmma):
        yield from some()


if __name__ == "__main__":
    record(__file__, list(questions()), heads=True)
