#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/pasted/notations.jsonl: shared layouts as Triton, Gluon, TLX, TileLang, Mosaic GPU, ThunderKittens,
DeepGEMM, TMA and CuTe print them, with the offsets of some elements. 'pasted_notations.py --check' compares the file.

Offsets come from each project's own formula, written out below; strides from the atoms (PTX ISA 9.7.15.5.1): an atom of mode S
has 8 lines of S bytes, of mode 128B_32B on MN-major data 4.
"""
import json
import pathlib
import sys

rows = []

def row(source, words, text, expect):
    rows.append({"from": source, "command": ["translate", *words], "text": text, "expect": expect})

def refused(source, words, text, part):
    rows.append({"from": source, "command": ["translate", *words], "text": text, "refused": part})

def samples(shape, offset):
    """The offsets of corners and of some elements between, at their row-major index."""
    r, c = shape[-2:]
    lead = tuple(n - 1 for n in shape[:-2])
    expect = {}
    for i, j in ((0, 0), (1, 0), (1, c // 4), (2, c // 2), (3, 1), (5, c - 1), (r // 2, c // 2 + 1), (r - 1, c - 1)):
        index = 0
        for extent, x in zip(shape, (*lead, i, j)):
            index = index * extent + x
        expect[f"map.{index}"] = offset(*lead, i, j)
    return expect

def answer(shape, offset, dtype=None, mode=None, reads=None, stages=None):
    """reads: (major, rows, LBO, SBO) of the first way in which an MMA reads it; stages: (count, bytes)."""
    e = {"shape": list(shape)} | ({"dtype": dtype} if dtype else {}) | {"hardware_mode": mode} | samples(shape, offset)
    if reads:
        e |= dict(zip(("read_by.0.major", "read_by.0.rows", "read_by.0.lbo", "read_by.0.sbo"), reads))
    else:
        e["read_by"] = []
    if stages:
        e |= {"stages.count": stages[0], "stages.bytes": stages[1], f"stages.starts.{stages[0] - 1}": (stages[0] - 1) * stages[1]}
    return e

def sized(shape, dtype):
    return ["--map", "--shape", "x".join(map(str, shape)), "--dtype", dtype]

def blocks(n, width, bits):
    """n lines of column blocks of `width` bytes, one block after the other, in the mode of that width (0: plain rows)."""
    def offset(i, j):
        w = width * 8 // bits
        byte = ((j // w) * n * w + i * w + j % w) * bits // 8
        return (byte ^ (((byte >> 7) & (width // 16 - 1)) << 4)) * 8 // bits
    return offset

def swapped(f):
    return lambda i, j: f(j, i)

K, MN = "K-major", "MN-major"
MLIR = {"f16": "f16", "bf16": "bf16", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "f32": "f32"}
BITS = {"f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "f32": 32, "tf32": 32}

def mode_of(width):
    return f"{width}B"

# Triton's memdesc of nvmma_shared, with buffers, transposed, and more than one column block.
for width, r, c, dtype, stages in ((128, 128, 128, "f16", 3), (64, 64, 64, "bf16", 2), (32, 128, 32, "f16", 4), (128, 64, 256, "e4m3", 2),
                                   (64, 256, 64, "e5m2", 5), (128, 64, 32, "f32", 3)):
    bits = BITS[dtype]
    w, size = width * 8 // bits, r * c * bits // 8
    text = f"!ttg.memdesc<{stages}x{r}x{c}x{MLIR[dtype]}, #ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = false, elementBitWidth = {bits}}}>, #smem, mutable>"
    row("Triton, ttgir, local_alloc of a pipelined dot", ["--map"], text,
        answer((r, c), blocks(r, width, bits), dtype, mode_of(width), (K, "mn", 16, 8 * width), (stages, size)))
for width, r, c, dtype in ((128, 128, 64, "f16"), (128, 64, 128, "bf16"), (64, 64, 64, "f16"), (32, 32, 64, "bf16")):
    lbo = c * width if r > width // 2 else 0
    text = f"!ttg.memdesc<{r}x{c}x{dtype}, #ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = true, elementBitWidth = 16}}>, #ttg.shared_memory>"
    row("Triton, ttgir, the transposed operand of a dot", ["--map"], text,
        answer((r, c), swapped(blocks(c, width, 16)), dtype, mode_of(width), (MN, "mn", lbo, 8 * width)))
    row("Gluon, NVMMASharedLayout of a transposed operand", sized((r, c), dtype),
        f"ttgl.NVMMASharedLayout(swizzle_byte_width={width}, element_bitwidth=16, rank=2, transposed=True)",
        answer((r, c), swapped(blocks(c, width, 16)), dtype, mode_of(width), (MN, "mn", lbo, 8 * width)))
for n, r, c, width in ((4, 128, 32, 64), (8, 64, 64, 128), (2, 32, 16, 32)):
    f = blocks(r, width, 16)
    row("Gluon, NVMMASharedLayout of rank 3", sized((n, r, c), "f16"),
        f"gl.NVMMASharedLayout(swizzle_byte_width={width}, element_bitwidth=16, rank=3)",
        answer((n, r, c), lambda s, i, j: s * r * c + f(i, j), "f16", mode_of(width), (K, "mn", 16, 8 * width), (n, r * c * 2)))
for r, c, width in ((128, 64, 128), (64, 32, 64), (64, 16, 32), (64, 128, 128)):
    row("Gluon, NVMMASharedLayout.get_default_for", ["--map"], f"gl.NVMMASharedLayout.get_default_for([{r}, {c}], gl.float16)",
        answer((r, c), blocks(r, width, 16), None, mode_of(width), (K, "mn", 16, 8 * width)))
    row("TLX, nv_mma_shared_layout_encoding", ["--map"],
        f"tlx.nv_mma_shared_layout_encoding(shape=[{r}, {c}], order=[1, 0], elemType=tl.float16, numCTAsPerCGA=[1, 1], numCTASplit=[1, 1], numCTAOrder=[1, 0], fp4Padded=False, swizzled=True)",
        answer((r, c), blocks(r, width, 16), None, mode_of(width), (K, "mn", 16, 8 * width)))

# swizzled_shared: row r moves the vec-wide column x to x ^ ((r / perPhase) % maxPhase).
def phases(pitch, vec, per_phase, max_phase):
    return lambda i, j: i * pitch + (((j // vec) ^ (i // per_phase % max_phase)) * vec + j % vec)

for vec, per, phase, r, c, mode in ((8, 1, 8, 64, 64, 128), (8, 2, 4, 64, 32, 64), (8, 4, 2, 128, 16, 32), (4, 1, 8, 64, 64, None),
                                    (8, 2, 8, 64, 64, None), (1, 1, 1, 32, 32, None), (2, 1, 16, 32, 32, None)):
    reads = (K, "mn", 16, 8 * mode) if mode else None
    e = answer((r, c), phases(c, vec, per, phase), "f16", mode and mode_of(mode), reads)
    numbers = f"vec = {vec}, perPhase = {per}, maxPhase = {phase}"
    row("Triton, ttgir, swizzled_shared", sized((r, c), "f16"), f"#shared = #ttg.swizzled_shared<{{{numbers}, order = [1, 0]}}>", e)
    row("Gluon, SwizzledSharedLayout", sized((r, c), "f16"),
        f"gl.SwizzledSharedLayout(vec={vec}, per_phase={per}, max_phase={phase}, order=[1, 0])", e)
    row("TLX, swizzled_shared_layout_encoding", sized((r, c), "f16"),
        f"tlx.swizzled_shared_layout_encoding({vec}, {per}, {phase}, [1, 0], [1, 1], [1, 1], [1, 0])", e)
    if mode:
        row("Triton, ttgir, buffers of swizzled_shared", ["--map"],
            f"!ttg.memdesc<3x{r}x{c}xbf16, #ttg.swizzled_shared<{{{numbers}, order = [1, 0]}}>, #smem, mutable>",
            answer((r, c), phases(c, vec, per, phase), "bf16", mode_of(mode), reads, (3, r * c * 2)))
        row("Triton, ttgir, swizzled_shared of columns", sized((c, r), "f16"), f"#ttg.swizzled_shared<{{{numbers}, order = [0, 1]}}>",
            answer((c, r), swapped(phases(c, vec, per, phase)), "f16", mode_of(mode), (MN, "mn", 0, 8 * mode)))
for b, m, s, c, mode in ((3, 3, 3, 64, 128), (2, 3, 3, 32, 64), (1, 3, 3, 16, 32)):
    def cute(i, j, b=b, m=m, s=s, c=c):
        x = i * c + j
        return x ^ ((x >> (m + s) & ((1 << b) - 1)) << m)
    row("TLX, swizzled_layout", sized((64, c), "f16"), f"tlx.swizzled_layout({b}, {m}, {s}, order=[1, 0])",
        answer((64, c), cute, "f16", mode_of(mode), (K, "mn", 16, 8 * mode)))

# padded_shared: after every interval so many elements more.
def padded(c, pairs):
    def offset(i, j):
        x = i * c + j
        return x + sum(x // interval * pad for interval, pad in pairs)
    return offset

for r, c, pairs in ((64, 64, ((64, 8),)), (32, 128, ((256, 16),)), (64, 32, ((32, 4), (256, 8))), (16, 64, ((512, 32),))):
    e = answer((r, c), padded(c, pairs), "f16")
    text = ", ".join(f"{interval}:+{pad}" for interval, pad in pairs)
    row("Triton, ttgir, padded_shared", ["--map", "--dtype", "f16"], f"#ttg.padded_shared<[{text}] {{order = [1, 0], shape = [{r}, {c}]}}>", e)
    row("Gluon, PaddedSharedLayout.with_identity_for", ["--map", "--dtype", "f16"],
        f"gl.PaddedSharedLayout.with_identity_for({[list(p) for p in pairs]}, [{r}, {c}], [1, 0])", e)

# shared_linear: bit i of the offset is the coordinate in the list.
def linear(bases):
    places = {}
    for x in range(1 << len(bases)):
        i = j = 0
        for bit, (bi, bj) in enumerate(bases):
            if x >> bit & 1:
                i, j = i ^ bi, j ^ bj
        places[i, j] = x
    return lambda i, j: places[i, j]

core = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
for bases, r, c, mode, reads in (
        ([[0, 1 << b] for b in range(6)] + [[1, 8], [2, 16], [4, 32]] + [[8 << b, 0] for b in range(4)], 128, 64, "128B", (K, "mn", 16, 1024)),
        ([[0, 1 << b] for b in range(5)] + [[1, 0], [2, 8], [4, 16]] + [[8 << b, 0] for b in range(3)], 64, 32, "64B", (K, "mn", 16, 512)),
        (core + [[8, 0], [16, 0], [32, 0], [0, 8], [0, 16]], 64, 32, "none", (K, "mn", 1024, 128)),
        (core + [[0, 8], [0, 16], [8, 0], [16, 0], [32, 0]], 64, 32, "none", (K, "mn", 128, 512)),
        ([[1, 0], [2, 0], [4, 0], [8, 4], [0, 1], [0, 2], [0, 8], [16, 0], [0, 4]], 32, 16, None, None)):
    e = answer((r, c), linear(bases), "f16", mode, reads)
    row("Triton, ttgir, shared_linear", ["--map", "--dtype", "f16"], f"#ttg.shared_linear<{{offset = {bases}}}, alignment = 1024>", e)
    row("Gluon, SharedLinearLayout", ["--map", "--dtype", "f16"],
        f"ttgl.SharedLinearLayout(offset_bases={bases}, block_bases=[], alignment=1024)", e)

# TileLang: full, half and quarter bank are 8, 4 and 2 columns of 16 bytes.
for name, width in (("full", 128), ("half", 64), ("quarter", 32)):
    for r, c, dtype in ((64, 64, "f16"), (128, 128, "e4m3")):
        f = blocks(r, width, BITS[dtype])
        row("TileLang, swizzled layouts by name", sized((r, c), dtype), f"tilelang.layout.make_{name}_bank_swizzled_layout(A_shared)",
            answer((r, c), f, dtype, mode_of(width), (K, "mn", 16, 8 * width)))
    c = width // 2
    f = blocks(64, width, 16)
    row("TileLang, make_swizzled_layout of a 3-D buffer", ["--from", "tilelang", *sized((3, 64, c), "f16")], "make_swizzled_layout(A_shared)",
        answer((3, 64, c), lambda s, i, j: s * 64 * c + f(i, j), "f16", mode_of(width), (K, "mn", 16, 8 * width), (3, 128 * c)))
    step = 128 // width
    row("TileLang, Layout with a lambda of three names", ["--map", "--dtype", "f16"],
        f"Layout([2, 64, {c}], lambda s, i, j: [s, i, j ^ (i // {step} % {width // 16}) * 8])",
        answer((2, 64, c), lambda s, i, j: s * 64 * c + f(i, j), "f16", mode_of(width), (K, "mn", 16, 8 * width), (2, 128 * c)))
for instruction in ("wgmma", "tcgen05mma"):
    row("TileLang, swizzled layouts of an instruction", sized((64, 64), "bf16"), f"tilelang.layout.make_{instruction}_swizzled_layout(A_shared, continuity=64, k_major=True)",
        answer((64, 64), blocks(64, 128, 16), "bf16", "128B", (K, "mn", 16, 1024)))
row("TileLang, annotate_layout", sized((128, 32), "bf16"), "T.annotate_layout({B_shared: tilelang.layout.make_swizzled_layout(B_shared)})",
    answer((128, 32), blocks(128, 64, 16), "bf16", "64B", (K, "mn", 16, 512)))
row("TileLang, Layout with padding of rows", ["--map", "--dtype", "f16"], "Layout([32, 32], lambda i, j: i * 40 + j)",
    answer((32, 32), lambda i, j: i * 40 + j, "f16"))

# Mosaic GPU: column blocks inside row blocks; the XOR acts on lines of 128 bytes.
def tiled(c, t0, t1, width, bits):
    def offset(i, j):
        x = ((i // t0) * (c // t1) + j // t1) * t0 * t1 + (i % t0) * t1 + j % t1
        byte = x * bits // 8
        return (byte ^ (byte >> 7 & (width // 16 - 1)) << 4) * 8 // bits
    return offset

for width, r, c, dtype in ((128, 64, 128, "bf16"), (64, 64, 64, "f16"), (32, 128, 32, "bf16"), (128, 128, 64, "e4m3")):
    bits = BITS[dtype]
    t1 = width * 8 // bits
    if c % t1:
        c = t1
    e = answer((r, c), tiled(c, 8, t1, width, bits), dtype, mode_of(width), (K, "mn", 16, c // t1 * 8 * width))
    row("Pallas Mosaic GPU, transforms of a BlockSpec", sized((r, c), dtype),
        f"transforms=(plgpu.TilingTransform((8, {t1})), plgpu.SwizzleTransform({width}))", e)
    row("Mosaic GPU, attributes of MLIR", sized((r, c), dtype), f"[#mosaic_gpu.tile<[8, {t1}]>, #mosaic_gpu.swizzle<{width} : i32>]", e)
    row("Mosaic GPU, an async_copy", sized((r, c), dtype), f"gmem_transform=(mgpu.TileTransform((8, {t1})),), swizzle={width}", e)

# ThunderKittens: st<T, rows, cols, swizzle, swizzle_bytes>.
for text, dtype, r, c, width in (("st_bf<64, 128>", "bf16", 64, 128, 128), ("st_hf<16, 32>", "f16", 16, 32, 64), ("kittens::st_bf<32, 16>", "bf16", 32, 16, 32),
                                 ("st_fl<64, 32>", "f32", 64, 32, 128), ("st_fl<32, 16>", "f32", 32, 16, 64), ("st_fp8e4m3<128, 128>", "e4m3", 128, 128, 128),
                                 ("st_fp8e5m2<64, 64>", "e5m2", 64, 64, 64), ("kittens::st<kittens::bf16, 64, 128, true, 64>", "bf16", 64, 128, 64),
                                 ("st_bf<64, 96>", "bf16", 64, 96, 64), ("st_hf<48, 48>", "f16", 48, 48, 32)):
    row("ThunderKittens kernels, shared tiles", ["--map"], text,
        answer((r, c), blocks(r, width, BITS[dtype]), dtype, mode_of(width), (K, "mn", 16, 8 * width)))
row("ThunderKittens, a tile without swizzle", ["--map"], "st<half, 32, 64, false>", answer((32, 64), lambda i, j: i * 64 + j, "f16"))

# DeepGEMM: blocks of so many bytes of columns; 16 is a column of core matrices, 0 plain rows.
for mode, r, c in ((128, 64, 128), (64, 128, 64), (32, 64, 64)):
    for source, text in (("DeepGEMM, epilogue", f"col ^= row % ({mode} / 16);"), ("DeepGEMM, swizzle_mode of a config", f"swizzle_mode = {mode}")):
        row(source, sized((r, c), "bf16"), text, answer((r, c), blocks(r, mode, 16), "bf16", mode_of(mode), (K, "mn", 16, 8 * mode)))
row("DeepGEMM, mode none", sized((128, 32), "bf16"), "swizzle_mode = 16",
    answer((128, 32), lambda i, j: j // 8 * 1024 + i * 8 + j % 8, "bf16", "none", (K, "mn", 2048, 128)))
row("DeepGEMM, no swizzle", sized((64, 64), "bf16"), "swizzle_mode = 0", answer((64, 64), lambda i, j: i * 64 + j, "bf16"))

# The box of a tensor map; inner dimension first. 128B_ATOM_32B: bits 7 and 8 of the address into bits 5 and 6.
for mode, inner, r, dtype, name in ((128, 64, 64, "bf16", "BFLOAT16"), (64, 32, 128, "f16", "FLOAT16"), (32, 8, 256, "tf32", "TFLOAT32")):
    row("tensor map, the box in shared memory", ["--map"],
        f"tensor_map(swizzle = CU_TENSOR_MAP_SWIZZLE_{mode}B, boxDim = {{{inner}, {r}}}, dataType = CU_TENSOR_MAP_DATA_TYPE_{name})",
        answer((r, inner), blocks(r, mode, BITS[dtype]), dtype, mode_of(mode), (K, "mn", 16, 8 * mode)))

def atom_32(pitch):
    def offset(i, j):
        byte = i * pitch * 4 + j * 4
        return (byte ^ ((byte >> 7 & 3) << 5)) // 4
    return offset

for r in (8, 32, 64):
    row("tensor map of 128B_ATOM_32B", ["--map"],
        f"tensor_map(swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, boxDim = {{32, {r}}}, dataType = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32)",
        answer((r, 32), atom_32(32), "tf32", "128B_32B", (MN, "k", 0, 512)))

# CuTe: atoms one after the other, along MN or along K first. K-major atom: 8 rows; MN-major atom: 8 k; 128B_32B: 4 k.
def stacked(k_major, mn, k, width, bits, k_first, depth=8, shift=4):
    w = width * 8 // bits
    def offset(i, j, s=0):
        (line, at), (n_line, n_at) = ((i, j), (mn, k)) if k_major else ((j, i), (k, mn))
        across, along = n_at // w, n_line // depth
        line_first = k_first != k_major
        atom = line // depth + at // w * along if line_first else at // w + line // depth * across
        byte = (atom * depth * w + line % depth * w + at % w) * bits // 8
        byte ^= (byte >> 7 & (width // (1 << shift) - 1)) << shift if width > 16 else 0
        return byte * 8 // bits + s * mn * k
    return offset

def staged_answer(mn, k, stages, f, mode, reads, bits):
    e = answer((mn, k), f, None, mode, reads, (stages, mn * k * bits // 8))
    e["shape"] = [mn, k, stages]
    for index in [key for key in e if key.startswith("map.")]:  # the array is (MN,K,STAGE): the offset of the last stage
        i = int(index[4:])
        e[f"map.{(i + 1) * stages - 1}"] = f(i // k, i % k, stages - 1)
        if (i + 1) * stages - 1 != i:
            del e[index]
    return e

for mn, stages in ((128, 1), (176, 2), (64, 3)):
    f = stacked(True, mn, 128, 128, 16, False)
    e = staged_answer(mn, 128, stages, f, "128B", (K, "mn", 16, 1024), 16)
    if stages > 1:
        row("FlashAttention-3, print(SmemLayoutK{})", ["--map", "--dtype", "bf16"],
            f"Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_{mn // 8}),(_64,_2),(_1,_{stages})):((_64,_512),(_1,_{mn * 64}),(_0,_{mn * 128}))", e | {"dtype": "bf16"})
        row("FlashAttention-4, print(sK_layout)", ["--map", "--dtype", "bf16"],
            f"S<3,4,3> o 0 o (({mn},16),1,(4,2),{stages}):((64,1),0,(16,{mn * 64}),{mn * 128})", e | {"dtype": "bf16"})
    else:
        row("FlashAttention-3, print(SmemLayoutQ{})", ["--map", "--dtype", "bf16"],
            f"Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_{mn // 8}),(_64,_2)):((_64,_512),(_1,_{mn * 64}))",
            answer((mn, 128), f, "bf16", "128B", (K, "mn", 16, 1024)))
for which, python, bits, tile, mn in (("a", "Float16", 16, (128, 256, 64), 128), ("b", "BFloat16", 16, (128, 192, 64), 192),
                                      ("a", "Float16", 16, (64, 128, 32), 64)):
    k = tile[2]
    e = staged_answer(mn, k, 4, stacked(False, mn, k, 128, bits, True), "128B", (MN, "mn", k * 128 if mn > 64 else 0, 1024), bits)
    row("CuTe DSL, MN-major operands of sm90_utils", ["--map"],
        f"sm90_utils.make_smem_layout_{which}(utils.LayoutEnum.COL_MAJOR, {tile}, cutlass.{python}, 4)", e)
for tile, width in (((64, 32), 64), ((128, 64), 128)):
    e = staged_answer(*tile, 2, stacked(True, *tile, width, 16, False), mode_of(width), (K, "mn", 16, 8 * width), 16)
    row("CuTe DSL, epilogue tiles of sm90_utils", ["--map"],
        f"sm90_utils.make_smem_layout_epi(cutlass.Float16, utils.LayoutEnum.ROW_MAJOR, {tile}, 2)", e)
for first, reads in (("Step<_1,_2>", (K, "mn", 16, 1024)), ("Step<_2,_1>", (K, "mn", 16, 2048))):
    row("CUTLASS, tile_to_shape of an atom", ["--map"], f"tile_to_shape(GMMA::Layout_K_SW128_Atom<cute::bfloat16_t>{{}}, Shape<_128,_128>{{}}, {first}{{}})",
        answer((128, 128), stacked(True, 128, 128, 128, 16, first == "Step<_2,_1>"), None, "128B", reads))
for first, reads in (("Step<_1,_2>", (K, "mn", 2048, 128)), ("Step<_2,_1>", (K, "mn", 128, 512))):
    row("CUTLASS, tile_to_shape of core matrices", ["--map"],
        f"tile_to_shape(GMMA::Layout_K_INTER_Atom<half_t>{{}}, Shape<_128,_32>{{}}, {first}{{}})",
        answer((128, 32), stacked(True, 128, 32, 16, 16, first == "Step<_2,_1>"), None, "none", reads))
for first, reads in (("Step<_1,_2>", (MN, "mn", 512, 1024)), ("Step<_2,_1>", (MN, "mn", 4096, 512))):
    row("CUTLASS, tile_to_shape of 128B_ATOM_32B", ["--map"],
        f"tile_to_shape(UMMA::Layout_MN_SW128_32B_Atom<tfloat32_t>{{}}, Shape<_64,_32>{{}}, {first}{{}})",
        answer((64, 32), stacked(False, 64, 32, 128, 32, first == "Step<_2,_1>", 4, 5), None, "128B_32B", reads))

# Boxes of three dimensions, and boxes narrower than their mode: rows lie one span apart.
for width, inner, r in ((64, 16, 32), (128, 32, 64), (128, 8, 16), (32, 8, 64)):
    row("tensor map, a box narrower than its swizzle", ["--map"],
        f"tensor_map(swizzle = {width}B, box = {{{inner}, {r}}}, dtype = bf16)",
        {"shape": [r, inner]} | samples((r, inner), lambda i, j: blocks(r, width, 16)(i, j)))
for n, r, width in ((4, 64, 128), (2, 128, 64)):
    c, f = width // 2, blocks(r, width, 16)
    e = answer((n, r, c), lambda s, i, j: s * r * c + f(i, j), "bf16", mode_of(width), (K, "mn", 16, 8 * width), (n, r * c * 2))
    row("tensor map, a box of three dimensions", ["--map"], f"tensor_map(swizzle = {width}B, box = {{{c}, {r}, {n}}}, dtype = bf16)", e)
    row("Pallas Mosaic GPU, SMEM scratch with a leading dimension", ["--map"],
        f"plgpu.SMEM(({n}, {r}, {c}), jnp.bfloat16, transforms=(plgpu.TilingTransform((8, {c})), plgpu.SwizzleTransform({width})))", e)
row("Mosaic GPU, tiles of columns first", sized((128, 128), "f16"),
    "plgpu.TilingTransform((8, 64)), plgpu.TransposeTransform((1, 0, 2, 3)), plgpu.SwizzleTransform(128)",
    answer((128, 128), blocks(128, 128, 16), "f16", "128B", (K, "mn", 16, 1024)))

# Triton: an alias on its own line, a buffer of several, and the names of Triton 3.0.
alias = "#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
e = answer((128, 64), blocks(128, 128, 16), "bf16", "128B", (K, "mn", 16, 1024))
row("Triton, ttgir, an alias and the type that uses it", ["--map"], alias + "\n!ttg.memdesc<128x64xbf16, #shared, #smem, mutable>", e)
row("Triton, ttgir, memdesc_index: one buffer of four", ["--map"], alias.split(" = ", 1)[1].join(("!ttg.memdesc<128x64xbf16, ", ", #smem, mutable, 4x128x64>")), e)
row("Triton 3.0, #triton_gpu.shared", sized((128, 64), "bf16"),
    "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = false}>", e)
row("Triton 3.0, #triton_gpu.shared with hasLeadingOffset", sized((128, 128), "f16"),
    "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>",
    answer((128, 128), blocks(128, 128, 16), "f16", "128B", (K, "mn", 16, 1024)))
for width, name, element, bits in ((128, "float8e4nv", "b8", 8), (64, "bfloat16", "b16", 16)):
    c = width * 8 // bits
    row("TLX, nv_mma_shared_layout_encoding.make_default", ["--map"], f"tlx.nv_mma_shared_layout_encoding.make_default([64, {c}], tl.{name})",
        answer((64, c), blocks(64, width, bits), element, mode_of(width), (K, "mn", 16, 8 * width)))
row("TLX, nv_mma_shared_layout_encoding of columns", ["--map"],
    "tlx.nv_mma_shared_layout_encoding(shape=[64, 128], order=[0, 1], elemType=tl.float16, numCTAsPerCGA=[1, 1], numCTASplit=[1, 1], numCTAOrder=[1, 0], fp4Padded=False, swizzled=True)",
    answer((64, 128), swapped(blocks(128, 128, 16)), None, "128B", (MN, "mn", 0, 1024)))

# CuTe DSL: atoms of tcgen05, and tile_to_shape with an order.
dsl = "cute.nvgpu.tcgen05.make_smem_layout_atom(cute.nvgpu.tcgen05.SmemLayoutAtomKind"
row("CuTe DSL, an atom of mode none", ["--map"], f"{dsl}.K_INTER, cutlass.Float16)", answer((8, 8), lambda i, j: i * 8 + j, None, "none"))
row("CuTe DSL, an atom of 128B_ATOM_32B", ["--map"], f"{dsl}.MN_SW128_32B, cutlass.TFloat32)",
    {"shape": [32, 4], "hardware_mode": "128B_32B", "read_by": []} | samples((32, 4), swapped(atom_32(32))))
warpgroup = "cute.nvgpu.warpgroup.make_smem_layout_atom(cute.nvgpu.warpgroup.SmemLayoutAtomKind"
row("CuTe DSL, tile_to_shape along MN first", ["--map"], f"cute.tile_to_shape({warpgroup}.K_SW128, cutlass.BFloat16), (128, 128, 3), order=(0, 1, 2))",
    staged_answer(128, 128, 3, stacked(True, 128, 128, 128, 16, False), "128B", (K, "mn", 16, 1024), 16))
row("CuTe DSL, tile_to_shape along K first", ["--map"], f"cute.tile_to_shape({warpgroup}.MN_SW64, cutlass.BFloat16), (128, 64, 2), order=(1, 0, 2))",
    staged_answer(128, 64, 2, stacked(False, 128, 64, 64, 16, True), "64B", (MN, "mn", 64 * 64, 512), 16))

# What is half a layout, two of them, or none.
two = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
refused("two layouts in one text", ["--dtype", "f16"], "Sw<3,3,3> o 0 o (64,64):(64,1)\nSw<2,3,3> o 0 o (64,32):(32,1)", "expected the end of the expression")
refused("two tiles in one text", [], "st_bf<64, 64> st_bf<32, 32>", "expected the end of the layout")
refused("two names in one text", sized((64, 64), "f16")[1:], "make_swizzled_layout(A), make_half_bank_swizzled_layout(B)", "expected the end of the layout")
refused("Triton, an alias without its line", [], "!ttg.memdesc<128x64xbf16, #shared, #smem, mutable>", "is an alias that is not defined here")
refused("Triton, a width that is none", sized((64, 64), "f16")[1:], two.replace("128", "96"), "must be 0, 32, 64, or 128")
refused("Gluon, half a layout", sized((64, 64), "f16")[1:], "SwizzledSharedLayout(vec=8, per_phase=1, order=[1, 0])", "without max_phase")
refused("TileLang, too few names", ["--dtype", "f16"], "Layout([64, 64], lambda i: [i])", "1 names for an array of 2 dimensions")
refused("Mosaic GPU, a tile that does not divide", sized((100, 64), "f16")[1:], "plgpu.TilingTransform((8, 64))", "does not divide the array")
refused("Mosaic GPU, a swizzle wider than the tile", sized((64, 64), "f16")[1:],
        "plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)", "takes rows of 64 f16")
refused("ThunderKittens, rows that are no multiple of 16", [], "st_bf<60, 128>", "st_bf<60, 128>")
refused("ThunderKittens, a swizzle of 256 bytes", [], "st_bf<64, 128, true, 256>", "swizzle_bytes = 256")
refused("CuTe DSL, a major that is none", [], "sm90_utils.make_smem_layout_b(utils.LayoutEnum.COLUMN_MAJOR, (128, 128, 64), cutlass.Float16, 3)", "the major is not in the text")
refused("CuTe DSL blackwell kernels", [], "sm100_utils.make_smem_layout_b(tiled_mma, mma_tiler_mnk, b_dtype, 6)", "is not in the text")
refused("nvFuser, mode none", sized((64, 64), "f16")[1:], "MmaInputSmemSwizzle::None", "None")
bf16 = sized((64, 64), "bf16")[1:]
for source, words, text, name in (
        ("TMA, swizzle", [], "tensor_map(swizzle = 128B, swizzle = 64B, boxDim = {64, 64}, dataType = bf16)", "swizzle"),
        ("TMA, box", [], "swizzle = 128B, box = {64, 64}, box = {64, 32}, dtype = bf16", "box"),
        ("TMA, box by two names", [], "swizzle = 128B, box = {64, 64}, boxDim = {64, 32}, dtype = bf16", "boxDim"),
        ("TMA, dtype", [], "swizzle = 128B, box = {64, 64}, dtype = bf16, dtype = f16", "dtype"),
        ("Gluon, a keyword", bf16, "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2, swizzle_byte_width=64)", "swizzle_byte_width"),
        ("Gluon, by position and keyword", bf16, "NVMMASharedLayout(128, 16, swizzle_byte_width=64)", "swizzle_byte_width"),
        ("Gluon, a keyword of SwizzledSharedLayout", bf16, "SwizzledSharedLayout(vec=8, vec=4, per_phase=1, max_phase=8, order=[1, 0])", "vec"),
        ("Gluon, order by position and keyword", bf16, "SwizzledSharedLayout(8, 1, 8, [1, 0], order=[0, 1])", "order"),
        ("Triton, an attribute", bf16, "#ttg.nvmma_shared<{swizzlingByteWidth = 128, swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>", "swizzlingByteWidth"),
        ("Tilus, shape", [], "SharedLayout(shape=[64, 64], shape=[32, 64], mode_shape=[64, 64], mode_strides=[64, 1])", "shape"),
        ("Tilus, shape by position and keyword", [], "shared_row_major([64, 64], shape=[64, 128])", "shape"),
        ("TLX, a keyword", bf16, "tlx.swizzled_shared_layout_encoding(8, 1, 8, [1, 0], vectorSize=4)", "vectorSize"),
        ("TLX, shape by position and keyword", [], "tlx.nv_mma_shared_layout_encoding([128, 64], [1, 0], tl.float16, shape=[64, 64])", "shape"),
        ("TileLang, k_major", bf16, "make_swizzled_layout(A, k_major=True, k_major=False)", "k_major"),
        ("TileLang, k_major by position and keyword", bf16, "make_swizzled_layout(A, True, k_major=False)", "k_major"),
        ("TileLang, replicate", ["--dtype", "f16"], "Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2), replicate=1, replicate=2)", "replicate")):
    refused(source + " twice", words, text, f"'{name}' stands twice")
for name in ("make_swizzled_layout", "make_wgmma_swizzled_layout", "make_full_bank_swizzled_layout", "make_linear_layout", "make_mma_swizzle_layout"):
    refused("TileLang, an unknown keyword", bf16, f"{name}(A, foo=3)", f"{name} does not have 'foo'")

# A module before the name, a label before the text, a mark that is missing.
for name in ("T.Layout", "tilelang.layout.Layout", "tilelang.Layout", "tl.Layout"):
    for n, m in ((64, 64), (32, 64)):
        row("TileLang, Layout with its module", ["--map", "--dtype", "f16"], f"{name}([{n}, {m}], lambda i, j: [i, j ^ (i % 8) * 8])",
            answer((n, m), lambda i, j, w=m: i * w + (j ^ (i % 8) * 8), "f16", "128B", (K, "mn", 16, 1024)))
nvmma = "#ttg.nvmma_shared<{swizzlingByteWidth = %d, transposed = false, elementBitWidth = 16}>"
for width in (128, 64, 32):
    for text in (f"memdesc<128x{width // 2}xbf16, {nvmma % width}, #smem>", f"ttg.memdesc<128x{width // 2}xbf16, {nvmma % width}, #smem, mutable>",
                 f"#shared = {nvmma % width}\nmemdesc<128x{width // 2}xbf16, #shared, #smem>"):
        row("Triton, memdesc without its mark", ["--map"], text,
            answer((128, width // 2), blocks(128, width, 16), "bf16", mode_of(width), (K, "mn", 16, 8 * width)))
refused("Triton, memdesc of an alias without its line", [], "memdesc<128x64xbf16, #shared, #smem>", "is an alias that is not defined here")
for call, n, c, width, count in (("(128, 64), tl.float16, 3", 128, 64, 128, 3), ("(64, 32), tl.bfloat16, num=tl.constexpr(2)", 64, 32, 64, 2),
                                 ("shape=(128, 16), dtype=tl.float16, num=4, storage=tlx.storage_kind.smem", 128, 16, 32, 4),
                                 ("(128, 64), tl.float16, 2, layout=tlx.swizzled_layout(3, 3, 3, order=[1, 0])", 128, 64, 128, 2)):
    for label in ("", "buffers_A = "):
        row("TLX, local_alloc", ["--map"], f"{label}tlx.local_alloc({call})",
            answer((n, c), blocks(n, width, 16), "bf16" if "bfloat" in call else "f16", mode_of(width), (K, "mn", 16, 8 * width), (count, n * c * 2)))
row("TLX, local_alloc of one buffer", ["--map"], "tlx.local_alloc((128, 64), tl.float16, 1)", answer((128, 64), blocks(128, 128, 16), "f16", "128B", (K, "mn", 16, 1024)))
refused("TLX, local_alloc without num", [], "tlx.local_alloc((128, 64), tl.float16)", "without num")
refused("TLX, local_alloc of names", [], "tlx.local_alloc((BLOCK_M, BLOCK_K), tl.float16, 3)", "expected a number")
refused("TLX, local_alloc in tensor memory", [], "tlx.local_alloc((128, 64), tl.float32, 1, tlx.storage_kind.tmem)", "is no array in shared memory")
refused("TLX, local_alloc with a layout from elsewhere", [], "tlx.local_alloc((128, 64), tl.float16, 1, layout=my_layout)", "'my_layout' of local_alloc is not in the text")
refused("TLX, local_alloc and another shape", ["--shape", "64x64"], "tlx.local_alloc((128, 64), tl.float16, 1)", "the text is of 128x64")
gluon = "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)"
e = answer((128, 64), blocks(128, 128, 16), "f16", "128B", (K, "mn", 16, 1024))
row("Gluon, a constexpr with its label", sized((128, 64), "f16"), f"a_smem_layout: gl.constexpr = {gluon}", e)
for label in ("", "smem = "):
    row("Gluon, allocate_shared_memory", ["--map"], f"{label}gl.allocate_shared_memory(gl.float16, [128, 64], {gluon})", e)
    row("Gluon, allocate_shared_memory of stages", ["--map"], f"{label}gl.allocate_shared_memory(gl.float16, [3, 128, 64], layout={gluon})",
        answer((128, 64), blocks(128, 128, 16), "f16", "128B", (K, "mn", 16, 1024), (3, 128 * 64 * 2)))
refused("Gluon, allocate_shared_memory with a layout from elsewhere", [], "gl.allocate_shared_memory(gl.float16, [128, 64], smem_layout)", "'smem_layout' is not in the text")
row("TileLang, a layout with its label", sized((128, 64), "f16"), "A_shared: tilelang.layout.make_swizzled_layout(A_shared)", e)
for tile, count in (("st_bf<128, 64> &As", 1), ("kittens::st_bf<128, 64> As;", 1), ("using a_tile = st_bf<128, 64>;", 1),
                    ("st_bf<128, 64> (&As)[4] = al.allocate<st_bf<128, 64>, 4>();", 4), ("__shared__ st_bf<128, 64> As[2];"[11:], 2)):
    row("ThunderKittens, a declaration", ["--map"], tile, answer((128, 64), blocks(128, 128, 16), "bf16", "128B", (K, "mn", 16, 1024), (count, 128 * 64 * 2) if count > 1 else None))
row("Mojo, a variable", sized((64, 64), "f16"), "var layout = Layout.row_major(64, 64)", {"shape": [64, 64]} | samples((64, 64), lambda i, j: i * 64 + j))
row("Mojo, IntTuple of shape and stride", sized((64, 64), "bf16"), "Layout(IntTuple(64, 64), IntTuple(64, 1))", {"shape": [64, 64]} | samples((64, 64), lambda i, j: i * 64 + j))
row("Mojo, nested IntTuple", sized((64, 128), "bf16"), "var l = Layout(IntTuple(64, IntTuple(64, 2)), IntTuple(64, IntTuple(1, 4096)))",
    {"shape": [64, 128]} | samples((64, 128), lambda i, j: i * 64 + j % 64 + j // 64 * 4096))
row("CuTe DSL, MLIR, a layout", sized((128, 64), "f16"), '!cute.layout<"(128,64):(64,1)">', {"shape": [128, 64]} | samples((128, 64), lambda i, j: i * 64 + j))
row("CuTe DSL, MLIR, a memref", ["--map"], '!cute.memref<f16, smem, align<1024>, S<3,4,3>, "(128,64):(64,1)">', answer((128, 64), blocks(128, 128, 16), None, "128B", (K, "mn", 16, 1024)))
row("CuTe DSL, MLIR, a composed layout", sized((64, 64), "f16"), '!cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">', answer((64, 64), blocks(64, 128, 16), "f16", "128B", (K, "mn", 16, 1024)))
for text in ('T.alloc_shared((128, 64), "float16")', "A_shared = T.alloc_shared((128, 64), T.float16)"):
    refused("TileLang, alloc_shared", [], text, "alloc_shared does not say the layout")
for pointer in ("ptr[16b](0x7f0000000400)", "gmem_ptr[16b](0x7f0000000400)"):
    row("CuTe, a pointer with its address", sized((128, 64), "f16"), f"{pointer} o (_128,_64):(_64,_1)",
        {"shape": [128, 64], "notes.0.message": {"contains": "the layout does not hold the pointer"}} | samples((128, 64), lambda i, j: i * 64 + j))
for address in ("0x7f0000000400", "unset", "0x400"):
    row("CuTe, a pointer into shared memory", ["--map"], f"Sw<3,4,3> o smem_ptr[16b]({address}) o (_128,_64):(_64,_1)", answer((128, 64), blocks(128, 128, 16), None, "128B", (K, "mn", 16, 1024)))

shared = "!ttg.memdesc<128x64xbf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #smem>"
SIZED = sized((64, 64), "f16")[1:]
for source, words, wrong, part in (
        ("CuTe, another type than the text's", ["--dtype", "f32"], "Sw<3,4,3> o smem_ptr[16b](unset) o (_128,_64):(_64,_1)", "the text has elements of 16 bits"),
        ("CuTe DSL, another type than the text's", ["--dtype", "f32"], "tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (128,64):(64,1)>", "the text has elements of 16 bits"),
        ("Triton, another type than the text's", ["--dtype", "f32"], shared, "the text has elements of 16 bits"),
        ("Triton, another shape than the text's", ["--shape", "64x64"], shared, "the type says 128x64"),
        ("ThunderKittens, another shape than the text's", ["--shape", "32x32"], "st_bf<64, 64>", "the text is of 64x64"),
        ("Triton, a width twice", [], shared.replace("transposed", "swizzlingByteWidth = 64, transposed"), "stands twice"),
        ("Triton, half an encoding", [], shared.replace(", elementBitWidth = 16", ""), "without elementBitWidth"),
        ("Triton, a text that is cut off", [], shared[: shared.index("}>")], "is not closed"),
        ("Triton, half of swizzled_shared", SIZED, "#ttg.swizzled_shared<{vec = 8, perPhase = 1, order = [1, 0]}>", "without maxPhase"),
        ("Triton, an order that is none", SIZED, "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 1]}>", "is not a permutation"),
        ("Triton, bases that meet", ["--dtype", "f16"], "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 1], [1, 0]]}, alignment = 16>", "must be bijective"),
        ("Triton, an interval of 30", ["--dtype", "f16"], "#ttg.padded_shared<[30:+4] {order = [1, 0], shape = [8, 8]}>", "must all be powers of two"),
        ("Gluon, another rank than the array's", SIZED, "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=3)", "the encoding has 3 dimensions"),
        ("Pallas Mosaic GPU, a swizzle of 96", SIZED, "plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(96)", "a swizzle of 96 bytes"),
        ("Pallas Mosaic GPU, two swizzles", SIZED, "plgpu.SwizzleTransform(128), plgpu.SwizzleTransform(64)", "a second swizzle"),
        ("tensor map, a box wider than its swizzle", [], "tensor_map(swizzle = 128B, box = {128, 64}, dtype = bf16)", "the inner dimension of the box has 256 B, the swizzle spans 128 B"),
        ("tensor map, a box of 512", [], "tensor_map(swizzle = 128B, box = {64, 512}, dtype = bf16)", "the extent 512 of a box"),
        ("tensor map, without a type", [], "tensor_map(swizzle = 128B, box = {64, 64})", "does not say the element type"),
        ("DeepGEMM, a mode of 48 bytes", SIZED, "swizzle_mode = 48", "the mode is not said"),
        ("DeepGEMM, a mode of 256 bytes", SIZED, "col ^= row % (256 / 16)", "the mode is not said"),
        ("DeepGEMM, two statements", SIZED, "col ^= row % (128 / 16); col ^= row % (64 / 16)", "the mode is not said"),
        ("TileLang, two layouts", ["--dtype", "f16"], "Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8]), Layout([64, 64], lambda i, j: [i, j])", "expected the end of the layout"),
        ("TileLang, a name from elsewhere", ["--dtype", "f16"], "Layout([64, 64], lambda i, j: [i, k])", "unknown name 'k'"),
        ("TileLang, without a shape", ["--dtype", "f16"], "make_swizzled_layout(A)", "does not say the shape"),
        ("ThunderKittens, half a tile", [], "st<bf16, 64>", "without cols"),
        ("ThunderKittens, 24 columns", [], "st_bf<64, 24>", "a tile of 64x24"),
        ("ThunderKittens, a vector", [], "sv_bf<64>", "is a shared vector"),
        ("CUTLASS, two tensors in one print", [], "sA: Sw<3,4,3>_smem_ptr[16b](0x400) o (_128,_64):(_64,_1) sB: Sw<3,4,3>_smem_ptr[16b](0x4400) o (_64,_64):(_64,_1)", "expected the end of the expression"),
        ("CUTLASS, half a print", [], "Sw<3,4,3> o smem_ptr[16b](unset) o", "expected a layout"),
        ("CuTe DSL, an atom that is none", [], "make_smem_layout_atom(SmemLayoutAtomKind.K_SW256, cutlass.Float16)", "is not a kind of atom"),
        ("CuTe DSL, a tile of two numbers", [], "sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128, 256), cutlass.Float16, 3)", "takes a tile of (M,N,K)")):
    refused(source, words, wrong, part)

out = pathlib.Path(__file__).resolve().parent.parent / "data" / "pasted" / "notations.jsonl"
text = "".join(json.dumps(r) + "\n" for r in rows)
if sys.argv[1:] == ["--check"]:
    sys.exit(0 if out.read_text() == text else f"{out.name} is not what this script writes")
out.write_text(text)
print(len(rows))
