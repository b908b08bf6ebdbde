# SPDX-License-Identifier: Apache-2.0
"""Kernels as Triton compiles them, in PTX: what `swz kernel` is measured against. No GPU is needed.

    python3 -B tests/ptx/triton_kernels.py build/ptx/triton            # all, in half a minute
    python3 -B tests/ptx/triton_kernels.py build/ptx/triton 'matmul*'  # those whose name fits

FOLDER/NAME.ptx is the kernel, FOLDER/kernels.jsonl has one line a kernel: name, entry, num_warps, shared (dynamic bytes), and
its parameters with their types and constants. `matmul_bf16_tn_sm90` multiplies bfloat16 on sm_90, A transposed (`t`: M runs
fastest), B not (`n`: N runs fastest); `desc`: operands come by tensor descriptors, else by pointers.

Triton is that of `sh scripts/wheels triton`, whose wheel is unpacked without its CUDA tools: the compiler stops at PTX, and no
kernel here calls a function of libdevice.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.update(TRITON_BACKENDS_IN_TREE="1", TRITON_LIBDEVICE_PATH=os.devnull, TRITON_DEFAULT_FP_FUSION="1",
                  TRITON_ALWAYS_COMPILE="1", TRITON_CACHE_DIR=tempfile.mkdtemp(prefix="swz_triton_"))
ROOT = Path(__file__).resolve().parents[2]
MODULES = os.environ.get("SWZ_MODULES_triton") or subprocess.run(
    ["sh", str(ROOT / "scripts/wheels"), "triton"], check=True, capture_output=True, text=True).stdout.strip()
sys.path.insert(0, MODULES)

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

PTX_VERSION = 90  # of CUDA 13.0


# ---- the kernels

@triton.jit
def matmul(a, b, c, m, n, k, TA: tl.constexpr, TB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           PRECISION: tl.constexpr):
    """C = A B by pointers; a transposed operand is contiguous along M or K instead of K or N."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_stride = m if TA else k
    b_stride = k if TB else n
    a_at = a + (depth[None, :] * a_stride + rows[:, None] if TA else rows[:, None] * a_stride + depth[None, :])
    b_at = b + (columns[None, :] * b_stride + depth[:, None] if TB else depth[:, None] * b_stride + columns[None, :])
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, k, BK):
        sums = tl.dot(tl.load(a_at), tl.load(b_at), sums, input_precision=PRECISION)
        a_at += BK * a_stride if TA else BK
        b_at += BK if TB else BK * b_stride
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(c.dtype.element_ty))


@triton.jit
def matmul_desc(a, b, c, k, TA: tl.constexpr, TB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                SPECIALIZE: tl.constexpr):
    """C = A B by tensor descriptors of the host."""
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for at in tl.range(0, k, BK, warp_specialize=SPECIALIZE):
        x = a.load([at, row]).T if TA else a.load([row, at])
        y = b.load([column, at]).T if TB else b.load([at, column])
        sums = tl.dot(x, y, sums)
    c.store([row, column], sums.to(c.dtype))


@triton.jit
def matmul_device_desc(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A B by tensor descriptors that the kernel makes itself (tensormap.replace on sm_90)."""
    a_desc = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
    c_desc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        sums = tl.dot(a_desc.load([row, at]), b_desc.load([column, at]).T, sums)
    c_desc.store([row, column], sums.to(c.dtype.element_ty))


@triton.jit
def matmul_scaled(a, a_scale, b, b_scale, c, k, FORMAT: tl.constexpr, PACK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    """C = (A scale) (B scale), one block of C; scales of 32 elements, MX formats."""
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = tl.arange(0, BK // PACK)
    blocks = tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        x = tl.load(a + rows[:, None] * (k // PACK) + (at // PACK + depth)[None, :])
        y = tl.load(b + columns[None, :] * (k // PACK) + (at // PACK + depth)[:, None])
        xs = tl.load(a_scale + rows[:, None] * (k // 32) + (at // 32 + blocks)[None, :])
        ys = tl.load(b_scale + columns[:, None] * (k // 32) + (at // 32 + blocks)[None, :])
        sums = tl.dot_scaled(x, xs, FORMAT, y, ys, FORMAT, sums)
    tl.store(c + rows[:, None] * BN + columns[None, :], sums.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """One head's softmax(Q K^T) V with a running maximum and sum."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * length * D
    inner = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + inner[None, :])
    top = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    sums = tl.zeros((BM, D), dtype=tl.float32)
    for at in range(0, length, BN):
        columns = at + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + inner[:, None])
        scores = tl.dot(queries, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1e30)
        new_top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp(scores - new_top[:, None])
        shrink = tl.exp(top - new_top)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + head + columns[:, None] * D + inner[None, :])
        sums = tl.dot(weights.to(values.dtype), values, sums * shrink[:, None])
        top = new_top
    tl.store(out + head + rows[:, None] * D + inner[None, :], (sums / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def attention_desc(q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, SPECIALIZE: tl.constexpr):
    """The same by tensor descriptors of the host, all heads below each other."""
    row = tl.program_id(0) * BM
    queries = q.load([row, 0])
    top = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    sums = tl.zeros((BM, D), dtype=tl.float32)
    for at in tl.range(0, length, BN, warp_specialize=SPECIALIZE):
        scores = tl.dot(queries, k.load([at, 0]).T) * scale
        new_top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp(scores - new_top[:, None])
        shrink = tl.exp(top - new_top)
        total = total * shrink + tl.sum(weights, 1)
        values = v.load([at, 0])
        sums = tl.dot(weights.to(values.dtype), values, sums * shrink[:, None])
        top = new_top
    out.store([row, 0], (sums / total[:, None]).to(out.dtype))


@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    """y = x^T, one tile a block."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    base = tl.program_id(0) * M * N
    tile = tl.load(x + base + i[:, None] * N + j[None, :])
    tl.store(y + base + j[:, None] * M + i[None, :], tile.T)


@triton.jit
def softmax(x, y, columns, N: tl.constexpr):
    """One row a block."""
    at = tl.arange(0, N)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + at, mask=at < columns, other=float("-inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + at, values / tl.sum(values, 0), mask=at < columns)


@triton.jit
def reduce(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    """The sums of one tile along an axis."""
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(y + tl.arange(0, N if AXIS == 0 else M), tl.sum(tile, AXIS))


@triton.jit
def argmax(x, y, M: tl.constexpr, N: tl.constexpr):
    """The place of the largest of each column."""
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(y + tl.arange(0, N), tl.argmax(tile, 0))


@triton.jit
def layer_norm(x, y, weight, bias, columns, eps, N: tl.constexpr):
    """One row a block: mean 0, variance 1, then weight and bias."""
    at = tl.arange(0, N)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / columns
    away = tl.where(at < columns, values - mean, 0.0)
    scale = 1 / tl.sqrt_rn(tl.sum(away * away, 0) / columns + eps)
    result = away * scale * tl.load(weight + at, mask=at < columns) + tl.load(bias + at, mask=at < columns)
    tl.store(y + row + at, result.to(y.dtype.element_ty), mask=at < columns)


@triton.jit
def cumsum(x, y, M: tl.constexpr, N: tl.constexpr):
    """Running sums down the columns of one tile."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def histogram(x, y, N: tl.constexpr, BINS: tl.constexpr):
    """Counts by atomics in shared memory."""
    tl.store(y + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@triton.jit
def sort(x, y, M: tl.constexpr, N: tl.constexpr):
    """Each row of one tile in order."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.sort(tl.load(x + at)))


@triton.jit
def gather(x, index, y, M: tl.constexpr, N: tl.constexpr):
    """y[i, j] = x[index[i, j], j] of one tile: addresses that only the data know."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.gather(tl.load(x + at), tl.load(index + at), 0))


# ---- what of them is compiled

def kernels():
    """(name, kernel, parameters with their types, constants, options, architectures)."""
    every, hopper, blackwell = (80, 90, 100), (90, 100), (100,)
    numbers = {"m": "i32", "n": "i32", "k": "i32"}

    def by_pointers(name, dtype, out, trans, archs, *, tile=(128, 128, 64), precision="tf32", **options):
        constants = dict(TA=trans[0] == "t", TB=trans[1] == "t", BM=tile[0], BN=tile[1], BK=tile[2], PRECISION=precision)
        return name, matmul, {"a": f"*{dtype}", "b": f"*{dtype}", "c": f"*{out}", **numbers}, constants, options, archs

    def by_descriptors(name, dtype, out, trans, archs, *, tile=(128, 128, 64), specialize=False, **options):
        m, n, k = tile
        a, b = ((k, m) if trans[0] == "t" else (m, k)), ((n, k) if trans[1] == "t" else (k, n))
        types = {x: f"tensordesc<{t}[{s[0]},{s[1]}]>" for x, t, s in (("a", dtype, a), ("b", dtype, b), ("c", out, (m, n)))}
        constants = dict(TA=trans[0] == "t", TB=trans[1] == "t", BM=m, BN=n, BK=k, SPECIALIZE=specialize)
        return name, matmul_desc, {**types, "k": "i32"}, constants, options, archs

    for trans in ("nn", "nt", "tn", "tt"):
        yield by_pointers(f"matmul_f16_{trans}", "fp16", "fp16", trans, every)
        yield by_descriptors(f"matmul_desc_f16_{trans}", "fp16", "fp16", trans, hopper)
    yield by_pointers("matmul_bf16_tn", "bf16", "bf16", "tn", every)
    yield by_pointers("matmul_bf16_small", "bf16", "fp32", "nt", every, tile=(64, 64, 32), num_warps=4, num_stages=2)
    yield by_pointers("matmul_tf32_nn", "fp32", "fp32", "nn", every, tile=(128, 64, 32))
    yield by_pointers("matmul_tf32_nt", "fp32", "fp32", "nt", every, tile=(128, 64, 32), num_warps=8)
    yield by_pointers("matmul_f32_nn", "fp32", "fp32", "nn", (80, 90), tile=(64, 64, 32), precision="ieee")
    yield by_pointers("matmul_e4m3_nt", "fp8e4nv", "fp16", "nt", hopper, tile=(128, 128, 128), num_warps=8)
    yield by_pointers("matmul_e4m3_nn", "fp8e4nv", "fp16", "nn", hopper, tile=(128, 128, 64))
    yield by_pointers("matmul_f16_wide", "fp16", "fp16", "nt", every, tile=(128, 256, 64), num_warps=8)
    yield by_descriptors("matmul_desc_bf16_nt_256", "bf16", "bf16", "nt", hopper, tile=(128, 256, 64), num_warps=8)
    yield by_descriptors("matmul_desc_tf32_nt", "fp32", "fp32", "nt", hopper, tile=(128, 64, 32))
    yield by_descriptors("matmul_desc_e4m3_nt", "fp8e4nv", "fp16", "nt", hopper, tile=(128, 128, 128), num_warps=8)
    yield by_descriptors("matmul_desc_f16_k32", "fp16", "fp16", "nt", hopper, tile=(64, 64, 32))
    yield by_descriptors("matmul_desc_f16_k16", "fp16", "fp16", "nt", hopper, tile=(64, 32, 16))
    yield by_descriptors("matmul_desc_f16_specialized", "fp16", "fp16", "nt", blackwell, specialize=True)
    yield ("matmul_device_desc_f16", matmul_device_desc, {"a": "*fp16", "b": "*fp16", "c": "*fp16", **numbers},
           dict(BM=128, BN=128, BK=64), {}, hopper)
    scaled = {"a": "*u8", "a_scale": "*u8", "b": "*u8", "b_scale": "*u8", "c": "*fp32", "k": "i32"}
    yield ("matmul_mxfp8", matmul_scaled, {**scaled, "a": "*fp8e4nv", "b": "*fp8e4nv"},
           dict(FORMAT="e4m3", PACK=1, BM=128, BN=128, BK=128), {}, hopper)
    yield ("matmul_mxfp4", matmul_scaled, scaled, dict(FORMAT="e2m1", PACK=2, BM=128, BN=128, BK=128), {}, hopper)

    heads = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "length": "i32", "scale": "fp32"}
    yield "attention_f16_d64", attention, heads, dict(D=64, BM=128, BN=64, CAUSAL=False), {"num_warps": 4}, every
    yield "attention_f16_d128_causal", attention, heads, dict(D=128, BM=128, BN=64, CAUSAL=True), {"num_warps": 8}, every
    described = {x: f"tensordesc<bf16[{n},128]>" for x, n in (("q", 128), ("k", 64), ("v", 64), ("out", 128))}
    described |= {"length": "i32", "scale": "fp32"}
    yield "attention_desc_bf16", attention_desc, described, dict(D=128, BM=128, BN=64, SPECIALIZE=False), {"num_warps": 8}, hopper
    yield ("attention_desc_bf16_specialized", attention_desc, described, dict(D=128, BM=128, BN=64, SPECIALIZE=True), {},
           blackwell)

    for bits, dtype in ((8, "i8"), (16, "fp16"), (32, "fp32"), (64, "fp64")):
        yield f"transpose_b{bits}", transpose, {"x": f"*{dtype}", "y": f"*{dtype}"}, dict(M=64, N=64), {}, every
    yield "transpose_b16_wide", transpose, {"x": "*fp16", "y": "*fp16"}, dict(M=32, N=128), {"num_warps": 8}, every
    rows = {"x": "*fp32", "y": "*fp32"}
    yield "softmax_1024", softmax, {**rows, "columns": "i32"}, dict(N=1024), {}, every
    yield "softmax_4096", softmax, {**rows, "columns": "i32"}, dict(N=4096), {"num_warps": 8}, every
    yield "reduce_rows", reduce, rows, dict(M=64, N=128, AXIS=1), {}, every
    yield "reduce_columns", reduce, rows, dict(M=128, N=64, AXIS=0), {}, every
    yield "reduce_columns_f16", reduce, {"x": "*fp16", "y": "*fp16"}, dict(M=256, N=32, AXIS=0), {"num_warps": 8}, every
    yield "argmax_columns", argmax, {"x": "*fp32", "y": "*i32"}, dict(M=128, N=64), {}, every
    weighted = {"x": "*fp16", "y": "*fp16", "weight": "*fp32", "bias": "*fp32", "columns": "i32", "eps": "fp32"}
    yield "layer_norm", layer_norm, weighted, dict(N=2048), {"num_warps": 8}, every
    yield "cumsum_columns", cumsum, rows, dict(M=128, N=32), {}, every
    yield "histogram", histogram, {"x": "*i32", "y": "*i32"}, dict(N=1024, BINS=128), {}, every
    yield "sort_rows", sort, rows, dict(M=16, N=128), {}, every
    yield "gather_columns", gather, {"x": "*fp32", "index": "*i32", "y": "*fp32"}, dict(M=64, N=32), {}, every


# ---- the compiler

def stop_at_ptx(backend=None, stages=None, *_):
    """The stage that would call ptxas gives nothing. Asked without stages, it names itself for Triton's cache."""
    if stages is None:
        return "ptx", "ptx"
    stages["cubin"] = lambda source, metadata: b""
    return None


def compile_to_ptx(kernel, types, constants, options, arch):
    """(PTX, metadata) of a kernel."""
    triton.knobs.nvidia.mock_ptx_version = str(PTX_VERSION)
    triton.knobs.runtime.add_stages_inspection_hook = stop_at_ptx
    signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
    # Pointers and numbers are multiples of 16, as Triton finds them for most tensors.
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(kernel.arg_names)
               if types.get(name, "").startswith("*") or types.get(name) == "i32"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"ptx_version": PTX_VERSION, **options})
    return made.asm["ptx"], made.metadata


def main():
    parser = argparse.ArgumentParser(description="compile Triton's kernels to PTX")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="?", default="*", help="which, as a pattern of names")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    lines, failed = [], 0
    for short, kernel, types, constants, chosen, archs in kernels():
        for arch in archs:
            name = f"{short}_sm{arch}"
            if not fnmatch.fnmatch(name, options.names):
                continue
            try:
                ptx, metadata = compile_to_ptx(kernel, types, constants, chosen, arch)
            except Exception as error:  # Triton throws what it likes; the others are still compiled
                failed += 1
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                continue
            (options.folder / f"{name}.ptx").write_text(ptx)
            lines.append({"name": name, "entry": metadata.name, "num_warps": metadata.num_warps, "shared": metadata.shared,
                          "tmem_columns": metadata.tmem_size or 0, "parameters": types, "constants": constants})
    (options.folder / "kernels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(f"{len(lines)} kernels, {failed} failed")
    return 1 if failed or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
