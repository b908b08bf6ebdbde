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


OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


def store(rank, mode="tile", coordinate=None, last=""):
    return f"{TILE}.{rank}d.global.shared::cta.{mode}.bulk_group [{MAP}, {coordinate or coordinates(rank)}], {TO}{last};"


def reduce(rank, mode="tile", coordinate=None, last="", operation="add"):
    return (f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{operation}.{mode}.bulk_group "
            f"[{MAP}, {coordinate or coordinates(rank)}], {TO}{last};")


def prefetch(rank, mode="tile", coordinate=None, offsets=""):
    return f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{mode} [{MAP}, {coordinate or coordinates(rank)}]{offsets};"


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
        yield "tile store", f"{rank}d", store(rank)
        yield "tile reduce", f"{rank}d", reduce(rank)
        yield "tile prefetch", f"{rank}d", prefetch(rank)
    for operation in OPERATIONS[1:]:
        yield "tile reduce", f"2d.{operation}", reduce(2, operation=operation)
    for mode, rank in ((mode, rank) for mode in ("im2col_no_offs", "im2col_no_offs::w") for rank in (3, 4, 5)):
        yield f"{mode} store", f"{rank}d", store(rank, mode)
        yield f"{mode} reduce", f"{rank}d", reduce(rank, mode)
    yield "tile::scatter4 store", "2d", store(2, "tile::scatter4", rows)
    yield "tile::scatter4 reduce", "2d", reduce(2, "tile::scatter4", rows)
    yield "tile::gather4 prefetch", "2d", prefetch(2, "tile::gather4", rows)
    for rank, offsets in im2col.items():
        yield "im2col prefetch", f"{rank}d", prefetch(rank, "im2col", offsets=offsets)
        for mode in ("im2col::w", "im2col::w::128"):
            yield f"{mode} prefetch", f"{rank}d", prefetch(rank, mode, offsets=", {%h0, %h1}")


def nowhere():
    """Modes of another direction: what the table lacks, ptxas takes on no target."""
    rows = "{%r10, %r11, %r12, %r13, %r14}"
    for mode in ("tile::scatter4", "im2col_no_offs", "im2col_no_offs::w"):
        at = {"coordinate": rows} if mode == "tile::scatter4" else {}
        rank = 2 if at else 3
        for to in ("shared::cluster", "shared::cta"):
            yield f"{mode} load to {to}", f"{rank}d", load(rank, to, mode, **at)
        yield f"{mode} prefetch", f"{rank}d", prefetch(rank, mode, **at)
    for mode, offsets in (("tile::gather4", ""), ("im2col", ", {%h0}"), ("im2col::w", ", {%h0, %h1}"),
                          ("im2col::w::128", ", {%h0, %h1}")):
        at = {"coordinate": rows} if mode == "tile::gather4" else {}
        rank = 2 if at else 3
        for more in ("", offsets):
            yield f"{mode} store", f"{rank}d", store(rank, mode, last=more, **at)
            yield f"{mode} reduce", f"{rank}d", reduce(rank, mode, last=more, **at)


BULK = "cp.async.bulk"


def bulk():
    """Copies without a tensor map."""
    for to in ("shared::cta", "shared::cluster"):
        start = f"{BULK}.{to}.global.mbarrier::complete_tx::bytes"
        yield f"bulk load to {to}", "plain", f"{start} {TO}, [%rd1], %r2, {BARRIER};"
        yield f"bulk load to {to}", "cache_hint", f"{start}.L2::cache_hint {TO}, [%rd1], %r2, {BARRIER}, %rd3;"
        yield f"bulk ignore_oob load to {to}", "plain", f"{start}.ignore_oob {TO}, [%rd1], %r2, %r3, %r4, {BARRIER};"
        yield f"bulk relaxed load to {to}", "gpu", f"{start}.relaxed.gpu.b128 {TO}, [%rd1], %r2, {BARRIER};"
        for size, mask in (("", "%h0"), ("::16b", "%h0")):
            yield f"bulk multicast load to {to}", size or "plain", (
                f"{start}.multicast::cluster{size} {TO}, [%rd1], %r2, {BARRIER}, {mask};")
        yield f"bulk multicast::cluster::32b load to {to}", "32b", (
            f"{start}.multicast::cluster::32b {TO}, [%rd1], %r2, {BARRIER}, %r20;")
    yield "bulk copy to shared::cluster", "plain", (
        f"{BULK}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes {TO}, [%r2], %r3, {BARRIER};")
    for form, name in (("bulk", BULK), ("multimem bulk", f"multimem.{BULK}")):
        start = f"{name}.global.shared::cta.bulk_group"
        yield f"{form} store", "plain", f"{start} [%rd1], {TO}, %r2;"
        yield f"{form} cp_mask store", "plain", f"{start}.cp_mask [%rd1], {TO}, %r2, %h0;"
    yield "bulk relaxed store", "gpu", f"{BULK}.global.shared::cta.bulk_group.relaxed.gpu.b128 [%rd1], {TO}, %r2;"
    yield "bulk prefetch", "plain", f"{BULK}.prefetch.L2.global [%rd1], %r2;"
    yield "bulk prefetch", "cache_hint", f"{BULK}.prefetch.L2.global.L2::cache_hint [%rd1], %r2, %rd3;"


TYPES = {"add": "u32 s32 u64 f32 f64 f16 bf16", "min": "u32 s32 u64 s64 f16 bf16", "max": "u32 s32 u64 s64 f16 bf16",
         "inc": "u32", "dec": "u32", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64"}


def bulk_reduce():
    for operation, types in TYPES.items():
        for dtype in types.split():
            how = f"{operation}.noftz.{dtype}" if operation == "add" and dtype in ("f16", "bf16") else f"{operation}.{dtype}"
            yield "bulk reduce", how, f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{how} [%rd1], {TO}, %r2;"
            yield "multimem bulk reduce", how, (
                f"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{how} [%rd1], {TO}, %r2;")
            yield "bulk reduce to shared::cluster", how, (
                "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
                f"{how} {TO}, [%r2], %r3, {BARRIER};")


def others():
    """What else reaches the shared memory of other CTAs."""
    yield "mapa", "u32", "mapa.shared::cluster.u32 %r0, %r1, %r2;"
    yield "mapa", "u64", "mapa.u64 %rd0, %rd1, %r2;"
    start = "st.async.shared::cluster.mbarrier::complete_tx::bytes"
    for dtype, value in (("u32", "%r2"), ("b64", "%rd1"), ("v2.b32", "{%r2, %r3}"), ("v4.f32", "{%f2, %f3, %f4, %f5}")):
        yield "st.async to shared::cluster", dtype, f"{start}.{dtype} {TO}, {value}, {BARRIER};"
    for how in ("inc.u32", "dec.u32", "min.s32", "max.u32", "add.s32", "and.b32", "or.b32", "xor.b32"):
        yield "red.async to shared::cluster", how, (
            f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{how} {TO}, %r2, {BARRIER};")
    start = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
    yield "try_cancel", "plain", f"{start}.b128 {TO}, {BARRIER};"
    yield "try_cancel multicast::cluster::all", "all", f"{start}.multicast::cluster::all.b128 {TO}, {BARRIER};"


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
    for some in (copies, nowhere, bulk, bulk_reduce, others, overrides, replaces):
        for form, value, text in some():
            yield (form.replace(" ", "_"),), value, text


if __name__ == "__main__":
    record(__file__, list(questions()), heads=True)
