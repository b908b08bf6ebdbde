# SPDX-License-Identifier: Apache-2.0
"""Asks JAX's Mosaic GPU and swz what a layout means, and compares every coordinate.

    PYTHONPATH=$(sh scripts/wheels mosaic) python3 -B tests/dialect/golden_mosaic.py --swz build/dev/swz

Cases: tables of what kernels use, and random ones from a fixed seed, valid and invalid. Agreed means the same function
at every coordinate; refused by both is counted apart. Then the way back: what swz writes for layouts that others
write is read by Mosaic and is the same function. Exits 1 on any difference.
"""
import argparse
import itertools
import json
import math
import random
import shlex
import subprocess
import sys
from collections import Counter, namedtuple

import mosaic_model as model
from mosaic_model import Refused, fa, layouts, tcgen05

Case = namedtuple("Case", "group text shape dtype")
BITS = {"e2m1": 4, "s8": 8, "e4m3": 8, "bf16": 16, "f16": 16, "tf32": 32, "f32": 32, "f64": 64}
SHARED, REGISTERS, TILINGS, TENSOR = "shared", "registers", "tilings", "tensor"
GROUP_OF = {"shared": SHARED, "register": REGISTERS, "tensor": TENSOR}  # by the kind of swz

NAMED = ["WGMMA_LAYOUT", "WGMMA_LAYOUT_8BIT", "WGMMA_LAYOUT_ACC_32BIT", "WGMMA_LAYOUT_UPCAST_2X", "WGMMA_LAYOUT_UPCAST_4X",
         "WGMMA_TRANSPOSED_LAYOUT", "WGMMA_ROW_LAYOUT", "WGMMA_COL_LAYOUT", "TCGEN05_LAYOUT", "TCGEN05_TRANSPOSED_LAYOUT",
         "TCGEN05_ROW_LAYOUT", "TCGEN05_COL_LAYOUT", "TMEM_NATIVE_LAYOUT", "TMA_INDICES_LAYOUT", "TMA_INDICES_4_LAYOUT"]
PALLAS = ["WGMMA", "WGMMA_8BIT", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X", "WGMMA_TRANSPOSED", "_WGMMA_ACC_32BIT", "TCGEN05",
          "TCGEN05_TRANSPOSED", "TCGEN05_TMEM_NATIVE", "TMA_INDICES", "TMA_INDICES_4"]


# ---- cases

def spelled(tile, swizzle, how):
    """One tile and a swizzle, as each layer of Mosaic writes them."""
    if how == "pallas":
        return f"plgpu.TilingTransform({tile})" + (f", plgpu.SwizzleTransform({swizzle})" if swizzle else "")
    if how == "spec":
        return f"transforms=[plgpu.TilingTransform({tile})" + (f", plgpu.SwizzleTransform({swizzle})]" if swizzle else "]")
    if how == "mgpu":
        return f"gmem_transform=mgpu.TileTransform({tile})" + (f", swizzle={swizzle}" if swizzle else "")
    return f"[#mosaic_gpu.tile<{list(tile)}>" + (f", #mosaic_gpu.swizzle<{swizzle} : i32>]" if swizzle else "]")


def shared_cases(draw):
    # What wgmma and tcgen05 read: every width, swizzle and number of blocks.
    hows = itertools.cycle(["pallas", "spec", "mgpu", "attribute"])
    for dtype, swizzle in itertools.product(["e2m1", "s8", "bf16", "f32", "f64"], [None, 16, 32, 64, 128]):
        width = 8 * (swizzle or 128) // BITS[dtype]
        for rows, blocks in [(8, 1), (64, 1), (64, 2), (24, 3), (128, 2)]:
            yield Case(SHARED, spelled((8, width), swizzle, next(hows)), (rows, width * blocks), dtype)
    # Any tile, of which many do not divide or do not fit the swizzle.
    for _ in range(150):
        dtype = draw.choice(list(BITS))
        swizzle = draw.choice([None, None, 16, 32, 64, 128, 128, 48])
        width = 8 * (swizzle or 64) // BITS[dtype] if draw.random() < 0.8 else draw.choice([4, 16, 24, 32, 64])
        tile = (draw.choice([1, 2, 4, 8, 8, 16, 64, 3]), width)
        shape = (tile[0] * draw.choice([1, 2, 3, 8]), tile[1] * draw.choice([1, 2, 3]) + draw.choice([0] * 9 + [4]))
        yield Case(SHARED, spelled(tile, swizzle, draw.choice(["pallas", "spec", "mgpu", "attribute"])), shape, dtype)
    # Several transforms in mgpu's spelling: tiles of tiles, and transposed tiles.
    for _ in range(60):
        tile = (draw.choice([4, 8, 16]), draw.choice([16, 32, 64]))
        shape = (tile[0] * draw.choice([1, 2, 3]), tile[1] * draw.choice([1, 2, 4]))
        transforms, rank = [f"mgpu.TileTransform({tile})"], 4
        if draw.random() < 0.4:
            transforms.append(f"mgpu.TileTransform(({draw.choice([1, 2, 4])}, {draw.choice([8, 16, 3])}))")
            rank = 6
        order = list(range(rank))
        draw.shuffle(order)
        if draw.random() < 0.1:
            order[0] = order[1]
        transforms.append(f"mgpu.TransposeTransform({tuple(order)})")
        yield Case(SHARED, f"gmem_transform=({', '.join(transforms)})", shape, "bf16")
    for text, shape in [("mgpu.TileTransform((64,))", (8, 128)), ("mgpu.TileTransform((2, 8, 64))", (16, 128)),
                        ("plgpu.TilingTransform((64,)), plgpu.SwizzleTransform(128)", (8, 128)),
                        ("plgpu.SwizzleTransform(128)", (8, 64)), ("plgpu.SwizzleTransform(128)", (8, 128)),
                        ("plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)", (3, 16, 128)),
                        ("[#mosaic_gpu.tile<[8, 64]>]", (2, 8, 64)), ("mgpu.TileTransform((0, 64))", (8, 64)),
                        ("mgpu.TransposeTransform((1, 0))", (8, 64)), ("mgpu.TransposeTransform((0, 0))", (8, 64))]:
        yield Case(SHARED, text, shape, "bf16")


def register_shapes(layout, draw, count):
    """Shapes that the layout fits, of one more dimension now and then."""
    base = layout.base_tile_shape
    for _ in range(count):
        shape = tuple(t * draw.choice([1, 1, 2, 3]) for t in base)
        if draw.random() < 0.15 and len(shape) == 1:
            shape = (draw.choice([2, 3]), *shape)
        if math.prod(shape) * layout.replication_factor <= 1 << 17:
            yield shape


def texts_of(layout, draw):
    """A TiledLayout in one of its spellings."""
    def numbers(dims):
        return "(" + "".join(f"{d if isinstance(d, int) else f'plgpu.Replicated({d.times})'}, " for d in dims) + ")"
    tiles, warps, lanes = layout.tiling.tiles, numbers(layout.warp_dims), numbers(layout.lane_dims)
    with model.ir.Context() as context:
        model.attributes.register_dialect(context)
        attribute = str(layouts.to_layout_attr(layout))
    return draw.choice([repr(layout), attribute, attribute,
                        f"plgpu.Layout.TILED(plgpu.Tiling({tiles}), {warps}, {lanes}, {layout.vector_dim})",
                        f"fa.TiledLayout(fa.Tiling(tiles={tiles}), warp_dims={warps}, lane_dims={lanes}, "
                        f"vector_dim={layout.vector_dim})"])


def random_layout(draw):
    """A TiledLayout, not always canonical."""
    rank = draw.choice([1, 2, 2, 2, 3])
    tile = [2 ** draw.randint(0, 5) * draw.choice([1] * 12 + [3]) for _ in range(rank)]
    tiles = [tuple(tile)]
    for _ in range(draw.randint(0, 3)):
        last = tiles[-1][-draw.randint(1, len(tiles[-1])):]
        tiles.append(tuple(draw.choice([d for d in range(1, t + 1) if t % d == 0]) for t in last))
    tiled = fa.Tiling(tuple(tiles)).tile_shape(tuple(tile))[rank:]
    free = list(range(-len(tiled), 0))
    draw.shuffle(free)
    vector = draw.choice([-1, -1, draw.choice(free)])
    free.remove(vector)
    parts = []
    for threads in (4, 32):
        dims, left = [], threads
        for d in list(free):
            if tiled[d] > 1 and left % tiled[d] == 0 and draw.random() < 0.8:
                dims.append(d)
                free.remove(d)
                left //= tiled[d]
        if left > 1:
            dims.insert(draw.randint(0, len(dims)), fa.Replicated(left))
        parts.append(tuple(dims))
    layout = fa.TiledLayout(fa.Tiling(tuple(tiles)), *parts, vector, _check_canonical=False)
    try:
        return layout.canonicalize() if draw.random() < 0.85 else layout
    except (ValueError, AssertionError):  # it takes a dimension of size 1 for another one
        return random_layout(draw)


def register_cases(draw):
    for name in NAMED:
        layout = getattr(fa, name)
        for prefix in ["", "fa.", "mgpu."]:
            if prefix != "mgpu." or hasattr(model.mgpu, name):
                for shape in register_shapes(layout, draw, 2):
                    yield Case(REGISTERS, prefix + name, shape, "bf16")
        yield Case(REGISTERS, texts_of(layout, draw), tuple(layout.base_tile_shape), "f32")
    for name in PALLAS:
        text = f"plgpu.Layout.{name}"
        for shape in register_shapes(model.layout_of(text), draw, 2):
            yield Case(REGISTERS, text, shape, "bf16")
    for text in [f"plgpu.Layout.{name}.reduce({axis})" for name in ["WGMMA", "TCGEN05", "TCGEN05_TMEM_NATIVE", "WGMMA_8BIT"]
                 for axis in (0, 1)]:
        for shape in register_shapes(model.layout_of(text), draw, 2):
            yield Case(REGISTERS, text, shape, "bf16")
    for text, shape in [(f"plgpu.Layout.TCGEN05_M64_COLLECTIVE({c})", (64, c)) for c in (16, 32, 160, 24)] + [
            (f"plgpu.Layout.TCGEN05_M64_COLLECTIVE_NATIVE({c})", (64, c)) for c in (16, 64)] + [
            (f"plgpu.Layout.TCGEN05_TMEM_NATIVE({v})", (128, 32)) for v in (1, 2, 4, 8)] + [
            ("mgpu.tmem_native_layout(16)", (128, 32))]:
        yield Case(REGISTERS, text, shape, "bf16")
    for shape, dtype, swizzle in [((128, 128), "bfloat16", 128), ((64, 64), "bfloat16", 64), ((64, 128), "float32", 128),
                                  ((8, 256), "bfloat16", 128), ((32, 64), "int8", 32), ((8, 64), "bfloat16", 128)]:
        name = {"bfloat16": "bf16", "float32": "f32", "int8": "s8"}[dtype]
        yield Case(REGISTERS, f"plgpu.Layout.SMEM_GMEM_COPY({shape}, jnp.{dtype}, {swizzle})", shape, name)
    for _ in range(40):
        shape = draw.choice([(64, 64), (128, 24), (1024,), (4, 8, 128), (16, 16), (8, 48)])
        vector = draw.choice([1, 2, 4, 8, 3])
        text = draw.choice([f"WGStridedFragLayout(shape={shape}, vec_size={vector})",
                            f"plgpu.Layout.WG_STRIDED({shape}, vec_size={vector})",
                            f"#mosaic_gpu.WGStridedFragLayout<{list(shape)}, {vector}>"])
        yield Case(REGISTERS, text, shape if draw.random() < 0.9 else (128, 128), "bf16")
    for text in ["WGSplatFragLayout(shape=(64, 64))", "plgpu.Layout.WG_SPLAT((64, 64))", "#mosaic_gpu.WGSplatFragLayout<[64, 64]>"]:
        yield Case(REGISTERS, text, (64, 64), "bf16")
    for _ in range(250):
        layout = random_layout(draw)
        shape = next(register_shapes(layout, draw, 9), None)
        if shape:
            yield Case(REGISTERS, texts_of(layout, draw), shape if draw.random() < 0.93 else shape[:-1] + (shape[-1] + 1,),
                       "bf16")
    tiles = "((64, 8), (16, 8), (8, 8), (2,))"
    for dims in ["(-7,), (-3, -2), 1", "(-7,), (-3, -2), -9", "(-7,), (-3, -3), -1", "(-8,), (-3, -2), -1",
                 "(-7,), (-3,), -1", "(-7,), (-3, -2), -2"]:  # positive, out of range, twice, products, twice
        yield Case(REGISTERS, f"TiledLayout(Tiling({tiles}), {dims})", (64, 8), "bf16")
    for tiles in ["((8,), (8, 2))", "((0, 8),)", "((8, 8), ())", "()"]:
        yield Case(REGISTERS, f"TiledLayout(Tiling({tiles}), (-2,), (-1,), -1)", (64, 8), "bf16")


def tiling_cases(draw):
    for text, shape in [("Tiling(((64, 8), (16, 8), (8, 8), (2,)))", (128, 128)), ("Tiling(((8, 128), (2, 1)))", (16, 256)),
                        ("Tiling(tiles=((8,), (2,)))", (4, 16)), ("Tiling(((64, 8), (8, 8)))", (65, 8))]:
        yield Case(TILINGS, text, shape, "bf16")
    for _ in range(40):
        layout = random_layout(draw)
        shape = next(register_shapes(layout, draw, 9), None)
        if shape:
            yield Case(TILINGS, str(layout.tiling) if draw.random() < 0.5 else repr(layout.tiling), shape, "bf16")


def tensor_cases(draw):
    for _ in range(120):
        dtype = draw.choice(["f32", "bf16", "s8", "e2m1", "f64"])
        columns, packing = draw.choice([16, 32, 64, 128, 256, 24]), draw.choice([1, 1, 2, 4, 8])
        text, rows = draw.choice([
            (f"tcgen05.tmem_default_layout({packing})", 128), (f"tcgen05.tmem_default_layout(packing={packing})", 128),
            (f"tcgen05.tmem_half_lane_layout({columns}, packing={packing})", 64),
            (f"tcgen05.tmem_m64_collective_layout({columns}, {packing})", 64),
            (f"plgpu.TMEMLayout.M64_COLLECTIVE_LAYOUT({columns}, packing={packing})", 64)])
        if draw.random() < .3:
            try:
                text = repr(model.layout_of(text))
            except Refused:
                pass
        shape = rows * draw.choice([1, 1, 1, 2]), columns * draw.choice([1, 1, 1, 2, 4])
        yield Case(TENSOR, text, shape if draw.random() < .9 else (rows + 8, columns), dtype)
    for text, rows in [("tcgen05.scales_layout()", 128), ("plgpu.TMEMLayout.SCALES_LAYOUT", 128),
                       ("tcgen05.b_scales_m64_collective_layout()", 256),
                       ("plgpu.TMEMLayout.SCALES_M64_COLLECTIVE_LAYOUT", 256)]:
        for shape in [(rows, 4), (rows, 16), (2 * rows, 8), (rows, 2)]:
            for dtype in ("e4m3", "bf16"):
                yield Case(TENSOR, text, shape, dtype)


# ---- answers

def mosaic_answer(case):
    """The flat map, or a refusal as text."""
    try:
        if case.group == REGISTERS:
            return model.register_numbers(model.layout_of(case.text), case.shape)
        if case.group == TENSOR:
            return model.tensor_addresses(model.layout_of(case.text), case.shape, BITS[case.dtype])
        if case.group == TILINGS:
            text = case.text
            if not text.startswith(("Tiling(tiles", "Tiling(((")):  # as it prints itself, without commas between tiles
                text = f"Tiling(({text[7:-1].replace(')(', '), (')},))"
            return model.tiling_offsets(model.layout_of(text), case.shape)
        transforms, swizzle = model.transforms_of(case.text, case.shape, BITS[case.dtype])
        return model.shared_offsets(transforms, swizzle, case.shape, BITS[case.dtype])
    except Refused as refusal:
        return str(refusal)


def ask(swz, lines):
    told = subprocess.run([swz, "batch", "-"], input="\n".join(map(shlex.join, lines)) + "\n", text=True, capture_output=True)
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(answers) == len(lines), told.stderr
    return answers


def translate(case, *more):
    shape = "x".join(map(str, case.shape))
    return ["translate", case.text, "--shape", shape, "--dtype", case.dtype, "--map", *more]


# ---- comparing

def first_difference(a, b):
    if len(a) != len(b):
        return f"{len(a)} values against {len(b)}"
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), None)
    return None if at is None else f"at {at}: Mosaic {a[at]}, swz {b[at]}"


def has_strides(offsets):
    """Whether a sequence of indices is a CuTe layout: runs of one step inside runs of the next."""
    span = 1
    while span < len(offsets):
        steps = 2
        while steps * span < len(offsets) and offsets[steps * span] == steps * offsets[span]:
            steps += 1
        while len(offsets) % (steps * span):
            steps -= 1
        if steps == 1 or any(offsets[i] != offsets[i % span] + i // span * offsets[span] for i in range(steps * span)):
            return False
        span *= steps
    return True


def has_thread_value_layout(case, numbers):
    """Whether column-major indices of the first values of all threads, and of the values of thread 0, have strides.
    swz has registers as CuTe's (thread, value) layouts; threads that step across rows are none."""
    def index(number):
        place, step = 0, math.prod(case.shape)
        for d in reversed(range(len(case.shape))):
            step //= case.shape[d]
            place += number % case.shape[d] * step
            number //= case.shape[d]
        return place
    per = len(numbers) // 128
    return has_strides([index(n) for n in numbers[::per]]) and has_strides([index(n) for n in numbers[:per]])


def compare(cases, swz):
    counts, wrong = Counter(), []
    for case, answer in zip(cases, ask(swz, [translate(c, "--from", "mosaic", "--to", "cute") for c in cases])):
        wanted = mosaic_answer(case)
        refused = "error" in answer
        where = f"{case.text} {case.shape} {case.dtype}"
        if refused and case.group == REGISTERS and not isinstance(wanted, str) \
                and "not a (thread, value) layout" in answer["error"]["message"] \
                and not has_thread_value_layout(case, wanted):
            counts[case.group, "no strides"] += 1
        elif isinstance(wanted, str) != refused:
            said = answer["error"]["message"] if refused else "accepted"
            wrong.append(f"{where}\n  Mosaic: {wanted if isinstance(wanted, str) else 'accepted'}\n  swz: {said}")
        elif refused:
            counts[case.group, "refused by both"] += 1
        elif (difference := first_difference(wanted, answer["result"]["map"])) is not None:
            wrong.append(f"{where}\n  {difference}; swz: {answer['result']['forms']['cute']}")
        else:
            counts[case.group, "agreed"] += 1
    return counts, wrong


def foreign_cases(draw):
    """Layouts in CuTe's notation, of which Mosaic can express many."""
    for _ in range(120):  # atoms, tiled in either order, and plain ones
        dtype = draw.choice(["bf16", "s8", "f32"])
        swizzle = draw.choice([32, 64, 128])
        w, r, c = 8 * swizzle // BITS[dtype], draw.choice([1, 2, 4]), draw.choice([1, 2, 3])
        bits = {32: 1, 64: 2, 128: 3}[swizzle]
        base = {8: 4, 16: 3, 32: 2}[BITS[dtype]]
        row, column = draw.choice([(8 * w * c, 8 * w), (8 * w, 8 * w * r)])
        k = f"((8,{r}),({w},{c})):(({w},{row}),(1,{column}))"
        mn = f"(({w},{c}),(8,{r})):((1,{column}),({w},{row}))"
        layout, shape = draw.choice([(k, (8 * r, w * c)), (mn, (w * c, 8 * r))])
        yield Case("written", f"Sw<{bits},{base},3> o 0 o {layout}" if draw.random() < 0.8 else layout, shape, dtype)
    for _ in range(60):  # any order of the parts of both extents
        parts = [(d, draw.choice([2, 4, 8, 3])) for d in (0, 1) for _ in range(draw.randint(1, 3))]
        order, stride = list(range(len(parts))), {}
        draw.shuffle(order)
        size = 1
        for i in order:
            stride[i] = size
            size *= parts[i][1]
        modes = [[i for i, (d, _) in enumerate(parts) if d == e] for e in (0, 1)]
        shape = tuple(math.prod(parts[i][1] for i in m) for m in modes)
        extents = ",".join("(" + ",".join(str(parts[i][1]) for i in m) + ")" for m in modes)
        strides = ",".join("(" + ",".join(str(stride[i]) for i in m) + ")" for m in modes)
        yield Case("written", f"({extents}):({strides})", shape, draw.choice(["bf16", "f32"]))
    for m, n, stride in itertools.product((64, 128), (16, 32, 64), (1, 2)):  # tensor memory, as Triton has it
        for shape in ((128, 64), (64, 64), (64, 32)):
            if shape[0] >= m:
                text = f"#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = {stride}>"
                yield Case("written", text, shape, "bf16")
    yield Case("written", "#ttng.tensor_memory_scales_encoding<>", (128, 8), "e4m3")


def compare_written(cases, swz):
    """What swz writes for Mosaic is read by Mosaic: the same function as the layout that was given."""
    counts, wrong = Counter(), []
    for case, answer in zip(cases, ask(swz, [translate(c, "--to", "mosaic") for c in cases])):
        if "error" in answer:
            wrong.append(f"{case.text}: {answer['error']['message']}")
            continue
        text, wanted = answer["result"]["forms"]["mosaic"], answer["result"]["map"]
        if text is None:
            counts["written", "refused by swz"] += 1
            continue
        as_read = case._replace(text=text, group=GROUP_OF[answer["result"]["kind"]])
        told = mosaic_answer(as_read)
        difference = told if isinstance(told, str) else first_difference(told, wanted)
        if difference is not None:
            wrong.append(f"{case.text} written as {text}\n  {difference}")
        else:
            counts["written", "agreed"] += 1
    return counts, wrong


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--swz", required=True)
    options.add_argument("--seed", type=int, default=14)
    given = options.parse_args()
    draw = random.Random(given.seed)
    cases = list({c: None for c in [*shared_cases(draw), *register_cases(draw), *tiling_cases(draw),
                                   *tensor_cases(draw)]})
    foreign = list({c: None for c in foreign_cases(draw)})
    # Register layouts as CuTe has them: those that swz wrote for Mosaic's own.
    own = [c for c in cases if c.group == REGISTERS][::3]
    for case, answer in zip(own, ask(given.swz, [translate(c, "--from", "mosaic", "--to", "cute") for c in own])):
        if "result" in answer and answer["result"]["forms"]["cute"]:
            foreign.append(case._replace(text=answer["result"]["forms"]["cute"]))
    counts, wrong = compare(cases, given.swz)
    more, also_wrong = compare_written(foreign, given.swz)
    for (group, result), count in sorted((counts + more).items()):
        print(f"{group:10} {result:16} {count}")
    for text in wrong + also_wrong:
        print("DIFFERS", text)
    print(f"{sum(counts.values()) + len(wrong)} records, {sum(more.values()) + len(also_wrong)} written; "
          f"{len(wrong) + len(also_wrong)} differ")
    if len(cases) < 400 or more["written", "agreed"] < 100:
        print("too few cases to speak of agreement")
        return 1
    return 1 if wrong or also_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
