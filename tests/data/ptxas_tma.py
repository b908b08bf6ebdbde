# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which forms of TMA's instructions it takes for which target.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_tma.py > tests/data/ptxas_tma.txt

A line is  form | what is asked of it ... | target ...  A form is that of src/arch/tma_form.cpp. What is not in the file
was refused.
"""
from ptxas_mma import record

TILE = "cp.async.bulk.tensor"
MAP, TO, BARRIER = "%rd0", "[%r0]", "[%r1]"


def coordinates(rank):
    return "{" + ", ".join(f"%r{10 + i}" for i in range(rank)) + "}"


def load(rank, to="shared::cluster", mode="tile", more="", offsets="", last="", coordinate=None):
    at = coordinate or coordinates(rank)
    return (f"{TILE}.{rank}d.{to}.global.{mode}.mbarrier::complete_tx::bytes{more} {TO}, [{MAP}, {at}], "
            f"{BARRIER}{offsets}{last};")


def copies():
    rows = "{%r10, %r11, %r12, %r13, %r14}"
    im2col = {3: ", {%h0}", 4: ", {%h0, %h1}", 5: ", {%h0, %h1, %h2}"}
    for to in ("shared::cluster", "shared::cta"):
        for rank in range(1, 6):
            yield "tile load", f"{rank}d.{to}", load(rank, to)
        for rank, offsets in im2col.items():
            yield "im2col load", f"{rank}d.{to}", load(rank, to, "im2col", offsets=offsets)
            yield f"im2col::w load to {to}", f"{rank}d", load(rank, to, "im2col::w", offsets=", {%h0, %h1}")
            yield f"im2col::w::128 load to {to}", f"{rank}d", load(rank, to, "im2col::w::128", offsets=", {%h0, %h1}")
        yield f"tile::gather4 load to {to}", "2d", load(2, to, "tile::gather4", coordinate=rows)
        for group in (1, 2):
            yield f"cta_group load to {to}", group, load(2, to, more=f".cta_group::{group}")
        yield f"multicast load to {to}", "16", load(2, to, more=".multicast::cluster", last=", %h0")
        yield f"multicast load to {to}", "16b", load(2, to, more=".multicast::cluster::16b", last=", %h0")
        for check in ("disabled", "validity::per_16bytes::80000000", "validity::per_16bytes::8000",
                      "validity::per_16bytes::80", "validity::per_16bytes::8", "validity::per_element::ff"):
            yield "mbarrier::report load", f"{to}.{check}", load(2, to, more=f".mbarrier::report::{check}")
        yield f"multicast::cluster::32b load to {to}", "32b", load(2, to, more=".multicast::cluster::32b", last=", %r20")
    for rank in range(1, 6):
        yield "tile store", f"{rank}d", f"{TILE}.{rank}d.global.shared::cta.tile.bulk_group [{MAP}, {coordinates(rank)}], {TO};"
        yield "tile reduce", f"{rank}d", (f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.tile.bulk_group "
                                          f"[{MAP}, {coordinates(rank)}], {TO};")
        yield "tile prefetch", f"{rank}d", f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [{MAP}, {coordinates(rank)}];"
    for mode, rank in ((mode, rank) for mode in ("im2col_no_offs", "im2col_no_offs::w") for rank in (3, 4, 5)):
        yield f"{mode} store", f"{rank}d", (f"{TILE}.{rank}d.global.shared::cta.{mode}.bulk_group "
                                            f"[{MAP}, {coordinates(rank)}], {TO};")
    yield "tile::scatter4 store", "2d", f"{TILE}.2d.global.shared::cta.tile::scatter4.bulk_group [{MAP}, {rows}], {TO};"


def overrides():
    """The base address and the extents of the tensor from operands instead of the map."""
    for rank in range(1, 6):
        sizes = "{" + ", ".join(f"%h{i % 4}" for i in range(rank)) + "}"
        strides = "{" + ", ".join(f"%r{15 + i}" for i in range(rank - 1)) + "}"
        extents = f", {sizes}" if rank == 1 else f", {sizes}, {strides}, %h3"
        which = "global_dim" if rank == 1 else "global_dim_stride"
        for what, more, at in (("global_address", "", f"[{MAP}, %rd1, {coordinates(rank)}]"),
                               (which, f".override::{which}", f"[{MAP}, %rd1{extents}, {coordinates(rank)}]"),
                               (f"{which} alone", None, f"[{MAP}, %rd1{extents}, {coordinates(rank)}]")):
            word = f".override::{which}" if more is None else f".override::global_address{more}"
            form = "override::global_address" if what == "global_address" else "override::global_dim"
            for to in ("shared::cluster", "shared::cta"):
                yield f"{form} load", f"{rank}d.{to}.{what}", (
                    f"{TILE}.{rank}d.{to}.global.tile.mbarrier::complete_tx::bytes{word} {TO}, {at}, {BARRIER};")
            yield f"{form} store", f"{rank}d.{what}", (
                f"{TILE}.{rank}d.global.shared::cta.tile.bulk_group{word} {at}, {TO};")
            yield f"{form} reduce", f"{rank}d.{what}", (
                f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.tile.bulk_group{word} {at}, {TO};")
            yield f"{form} prefetch", f"{rank}d.{what}", (
                f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile{word} {at};")


FIELDS = {"global_address": ("b64", "%rd1"), "rank": ("b32", "1"), "box_dim": ("b32", "0, %r2"),
          "global_dim": ("b32", "0, %r2"), "global_stride": ("b64", "0, %rd1"), "element_stride": ("b32", "0, %r2"),
          "interleave_layout": ("b32", "0"), "fill_mode": ("b32", "0")}


def replaces():
    for field, (width, value) in FIELDS.items():
        yield "tensormap.replace", field, f"tensormap.replace.tile.{field}.global.b1024.{width} [%rd0], {value};"
    for number in range(17):
        form = "tensormap.replace elemtype 0 to 12" if number < 13 else "tensormap.replace elemtype 13 to 15"
        yield form, number, f"tensormap.replace.tile.elemtype.global.b1024.b32 [%rd0], {number};"
    for number in range(6):
        form = "tensormap.replace swizzle_mode 0 to 3" if number < 4 else "tensormap.replace swizzle_mode 4, 96B"
        yield form, number, f"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd0], {number};"
    for number in range(5):
        yield "tensormap.replace swizzle_atomicity", number, (
            f"tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd0], {number};")


def questions():
    for some in (copies, overrides, replaces):
        for form, value, text in some():
            yield (form.replace(" ", "_"),), value, text


if __name__ == "__main__":
    record(__file__, list(questions()), heads=True)
