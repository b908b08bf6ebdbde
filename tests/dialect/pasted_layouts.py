#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/pasted/layouts.jsonl: prints of staged and partitioned layouts, with what their answer must say.

Expected values come from the atoms alone, by CuTe's rules: an atom of a K-major operand is 8 rows of S bytes, of an MN-major one
8 k of S bytes; SBO and LBO are the distances of atoms (PTX ISA 9.7.15.5.1).
"""
import json
import pathlib

TYPES = {"bf16": ("cutlass.BFloat16", 16), "f16": ("cutlass.Float16", 16), "e4m3": ("cutlass.Float8E4M3FN", 8), "tf32": ("cutlass.TFloat32", 32)}
rows = []


def row(source, command, text, expect):
    rows.append({"from": source, "command": command, "text": text, "expect": expect})


def refused(source, command, text, part):
    rows.append({"from": source, "command": command, "text": text, "refused": part})


def expected(mode, major, lbo, sbo, stages=None, stage_bytes=None):
    e = {"hardware_mode": mode, "swizzle_mode": mode, "read_by.0.major": major, "read_by.0.rows": "mn",
         "read_by.0.lbo": lbo, "read_by.0.sbo": sbo}
    if stages is not None:
        e |= {"stages.count": stages, "stages.bytes": stage_bytes}
        if stages > 1:
            e["stages.starts.1"] = stage_bytes
    return e


# K-major tiles, one atom wide: LBO 1 (16 B) as CuTe writes it, SBO one atom of 8 x S bytes.
for name, (python, bits) in TYPES.items():
    for width, b in ((32, 1), (64, 2), (128, 3)):
        s = width * 8 // bits
        k = 256 // bits
        for mn, stages in ((64, 2), (128, 3), (256, 4)):
            size = mn * width
            e = expected(f"{width}B", "K-major", 16, 8 * width, stages, size)
            row("CUTLASS sm90 collectives, print(SmemLayoutA{})", ["translate", "--dtype", name],
                f"Sw<{b},4,3> o smem_ptr[{bits}b](unset) o ((_8,_{mn // 8}),(_{s},_1),(_1,_{stages})):((_{s},_{8 * s}),(_1,_0),(_0,_{mn * s}))", e)
            row("CuTe DSL, print(a_smem_layout_staged) of hopper/dense_gemm.py", ["translate", "--dtype", name],
                f"S<{b},4,3> o 0 o ((8,{mn // 8}),({s},1),(1,{stages})):(({s},{8 * s}),(1,0),(0,{mn * s}))", e)
            if mn == 128:
                row("CUTLASS tutorial blackwell/02_mma_tma_sm100.cu, print(tCsA)", ["translate", "--dtype", name],
                    f"tCsA: Sw<{b},4,3>_smem_ptr[{bits}b](SMEM_ADDR_A) o ((_{mn},_{k}),_1,_{s // k},_{stages}):((_{s},_1),_0,_{k},_{mn * s})", e)
                row("CuTe DSL, print of a tensor on its pointer", ["translate"],
                    f"tensor<ptr<{ {'bf16': 'bf16', 'f16': 'f16', 'e4m3': 'f8E4M3FN', 'tf32': 'tf32'}[name] }, smem, align<1024>, S<{b},4,3>> o (({mn},{k}),1,{s // k},{stages}):(({s},1),0,{k},{mn * s})>", e)
        if name != "tf32":
            row("CuTe DSL kernels, sm90_utils", ["translate"],
                f"sm90_utils.make_smem_layout_a(utils.LayoutEnum.ROW_MAJOR, (128, 64, {s}), {python}, 4)",
                expected(f"{width}B", "K-major", 16, 8 * width, 4, 128 * width))
        if 8 * s * bits // 8 == 8 * width:
            row("CuTe DSL, make_smem_layout_atom", ["translate"],
                f"cute.nvgpu.warpgroup.make_smem_layout_atom(cute.nvgpu.warpgroup.SmemLayoutAtomKind.K_SW{width}, {python})",
                {"hardware_mode": f"{width}B", "read_by.0.major": "K-major", "read_by.0.sbo": 8 * width})

# MN-major tiles of 16-bit types: atoms of S bytes along MN and 8 k.
for name in ("bf16", "f16"):
    for width, b in ((32, 1), (64, 2), (128, 3)):
        s = width // 2
        for mn, k, stages in ((128, 64, 3), (256, 64, 4), (128, 32, 2)):
            across, along = mn // s, k // 8
            # Step<_2,_1,_3>: atoms along K first. From one atom along MN to the next: along * atom; along K: one atom.
            e = expected(f"{width}B", "MN-major", along * 8 * width, 8 * width, stages, mn * k * 2)
            row("CUTLASS issue 2381, print(sB) with Step<_2,_1,_3>", ["translate", "--dtype", name],
                f"Sw<{b},4,3> o smem_ptr[16b](unset) o ((_{s},_{across}),(_8,_{along}),(_1,_{stages})):((_1,_{along * 8 * s}),(_{s},_{8 * s}),(_0,_{mn * k}))", e)
            e = expected(f"{width}B", "MN-major", 8 * width, across * 8 * width, stages, mn * k * 2)
            row("Colfax, WGMMA tutorial, print(sA)", ["translate", "--dtype", name],
                f"Sw<{b},4,3> o smem_ptr[16b](unset) o ((_{s},_{across}),(_8,_{along}),_{stages}):((_1,_{8 * s}),(_{s},_{across * 8 * s}),_{mn * k})", e)

# Triton: one row of buffers.
for stages in (2, 3, 4, 6):
    for width, columns in ((32, 16), (64, 32), (128, 64)):
        row("Triton, ttgir of a pipelined matmul", ["translate"],
            f"!ttg.memdesc<{stages}x128x{columns}xf16, #ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = false, elementBitWidth = 16}}>, #smem, mutable>",
            expected(f"{width}B", "K-major", 16, 8 * width, stages, 128 * width))

for kind in ("rt_bf<16, 64>", "rt_fl<16, 64>", "rt<bf16, 32, 64>", "kittens::rt_hf<16, 16>"):
    refused("ThunderKittens kernels", ["translate"], kind, "is a register tile")
refused("CUTLASS, a stage stride of half a tile", ["translate", "--shape", "8x8", "--dtype", "f16"], "(128,64,3):(64,1,4096)", "extents")
refused("CuTe DSL blackwell kernels", ["translate"], "sm100_utils.make_smem_layout_a(tiled_mma, mma_tiler_mnk, a_dtype, 4)", "is not in the text")

out = pathlib.Path(__file__).resolve().parent.parent / "data" / "pasted" / "layouts.jsonl"
out.write_text("".join(json.dumps(r) + "\n" for r in rows))
print(len(rows))
