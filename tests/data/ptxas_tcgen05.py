# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which forms of the tcgen05 instructions it takes for which target.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_tcgen05.py > tests/data/ptxas_tcgen05.txt

A line is  instruction modifiers | values of the last modifier | target ...  Every combination is asked, illegal ones
too, so what is not in the file was refused; the "asked" lines count the combinations. ptxas does not see M and N,
which are in the instruction descriptor. All that it takes it also compiles, as long as one kernel has one cta_group.
"""
from itertools import product

from ptxas_mma import record, registers

SHAPES = {"32x32b": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4, "16x32bx2": 1}  # registers of .x1
NUMBERS = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
COLUMNS = (0, 1, 16, 31, 32, 33, 48, 64, 96, 128, 160, 192, 256, 384, 512, 544, 576, 608, 1024)
COPIES = ("128x256b", "128x128b", "64x128b", "32x128b", "4x256b")
MULTICASTS = ("-", "warpx2::02_13", "warpx2::01_23", "warpx4")
FORMATS = ("-", "b8x16.b6x16_p32", "b8x16.b4x16_p64")
KINDS = ("tf32", "f16", "f8f6f4", "i8", "ti16", "mxf8f6f4", "mxf4", "mxf4nvf4")
SCALES = ("-", "block_scale", "block_scale.scale_vec::1X", "block_scale.scale_vec::2X", "block_scale.scale_vec::4X",
          "block_scale.block16", "block_scale.block32")
FILLS = ("fill", "use", "lastuse", "discard")


def dotted(*words):
    return "".join("." + word for word in words if word != "-")


def memory():
    for name, group, n in product(("alloc", "dealloc", "alloc.exclusive", "dealloc.exclusive"), (1, 2), COLUMNS):
        to = "[%rd0]" if name.startswith("alloc") else "%r0"
        yield (name, group), n, f"tcgen05.{name}.cta_group::{group}.sync.aligned.b32 {to}, {n};"
    for group in (1, 2):
        yield ("relinquish_alloc_permit",), group, f"tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;"
        yield ("shift", "down"), group, f"tcgen05.shift.cta_group::{group}.down [%r0];"
        yield ("shift", "-"), group, f"tcgen05.shift.cta_group::{group} [%r0];"
        commit = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
        yield ("commit", "-"), group, f"{commit}.b64 [%r0];"
        yield ("commit", "multicast"), group, f"{commit}.multicast::cluster.b64 [%r0], %h0;"
        yield ("commit", "multicast32"), group, f"{commit}.multicast::cluster::32b.b64 [%r0], %r1;"
    for way in ("ld", "st"):
        yield ("wait",), way, f"tcgen05.wait::{way}.sync.aligned;"
    for when in ("before", "after"):
        yield ("fence",), when, f"tcgen05.fence::{when}_thread_sync;"


def moves():
    for shape, pack, n in product(SHAPES, ("-", "16b"), NUMBERS):
        r, split = registers("r", SHAPES[shape] * n), ", 8" if shape == "16x32bx2" else ""
        to, tail = f"{shape}.x{n}", ".b32"
        yield ("ld", shape, pack), n, f"tcgen05.ld.sync.aligned.{to}{dotted('pack::16b') if pack != '-' else ''}" \
                                      f"{tail} {r}, [%r299]{split};"
        yield ("st", shape, pack), n, f"tcgen05.st.sync.aligned.{to}{dotted('unpack::16b') if pack != '-' else ''}" \
                                      f"{tail} [%r299]{split}, {r};"
    for shape, dtype, operation, modifier, n in product(SHAPES, ("u32", "s32", "f32", "f16"), ("min", "max"),
                                                        ("-", "abs", "NaN", "abs.NaN", "pack::16b"), NUMBERS):
        kind = "f" if dtype == "f32" else "r"
        r, split = registers(kind, SHAPES[shape] * n), ", 8" if shape == "16x32bx2" else ""
        pack = modifier == "pack::16b"
        yield ("ld.red", shape, operation, dtype, modifier), n, (
            f"tcgen05.ld.red.sync.aligned.{shape}.x{n}{dotted(modifier) if pack else ''}.{operation}"
            f"{'' if pack else dotted(modifier)}.{dtype} {r}, %{kind}298, [%r299]{split};")


def copies():
    for shape, multicast, group, form in product(COPIES, MULTICASTS, (1, 2), FORMATS):
        yield ("cp", shape, multicast, group), form, (
            f"tcgen05.cp.cta_group::{group}{dotted(shape, multicast, form)} [%r0], %rd0;")


def mmas():
    a_from = {"smem": "%rd0", "tmem": "[%r4]"}
    for ws, sp, group, kind, scale in product(("-", "ws"), ("-", "sp"), (1, 2), KINDS, SCALES):
        collectors = [f"{buffer}::{fill}" for buffer in ("a", "b0", "b1", "b2", "b3", "b") for fill in FILLS]
        collectors += [f"a::{fill}.b::{other}" for fill in FILLS for other in FILLS]
        forms = [(a, shift, "-", "-") for a in a_from for shift in ("-", "ashift")]
        forms += [(a, shift, c, "-") for c in collectors for a in a_from for shift in ("-", "ashift")]
        # What stands last is the scale of D, under .ws the mask of columns.
        extras = ("mask", "lanes4", "lanes8") if ws == "ws" else ("scale0", "scale15", "scale16", "lanes4", "lanes8")
        forms += [(a, "-", "-", extra) for a in a_from for extra in (*extras, "table")]
        forms += [(a, "-", "b::fill", "table") for a in a_from]
        for a, shift, collector, extra in forms:
            scales = "" if scale == "-" else ", [%r2], [%r3]"
            metadata = ", [%r5]" if sp == "sp" else ""
            lanes = ", " + registers("r", int(extra[5:])) if extra.startswith("lanes") else ""
            last = ", " + extra[5:] if extra.startswith("scale") else ", %rd2" if extra == "mask" else ""
            at_end = "".join(f".collector::{name}" for name in collector.split(".") if name != "-")
            if extra == "table":  # B is compressed, and the table is an operand
                at_end, metadata = ".decompress::lut::b" + at_end, metadata + ", [%r6]"
            # The shift is written after the kind and its scales, the collector after it.
            yield ("mma", ws, sp, group, kind, scale), ".".join(w for w in (a, shift, collector, extra) if w != "-"), (
                f"tcgen05.mma{dotted(ws, sp)}.cta_group::{group}.kind::{kind}{dotted(scale, shift)}{at_end} [%r0], "
                f"{a_from[a]}, %rd1{metadata}, %r1{scales}{lanes}, %p1{last};")


def questions():
    for some in (memory, moves, copies, mmas):
        yield from some()


if __name__ == "__main__":
    record(__file__, list(questions()), heads=True)
