# SPDX-License-Identifier: Apache-2.0
"""Kernels as TileLang compiles them, in PTX: what `swz kernel` is measured against. Needs nvcc, and no GPU.

    python3 -m pip install --target build/tilelang_dsl tilelang==0.1.15
    python3 -B tests/ptx/tilelang_kernels.py build/ptx/tilelang            # all, in a minute
    python3 -B tests/ptx/tilelang_kernels.py build/ptx/tilelang '*sm90'    # those whose name fits

TileLang writes CUDA, which nvcc compiles with TileLang's own templates. `matmul_f16_tn_sm90` multiplies float16 on sm_90a, A
transposed (`t`), B not (`n`); `loop`: K is an argument; `store`: the result goes through shared memory.
"""

import argparse
import fnmatch
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build/tilelang_dsl"
sys.path.insert(0, str(PACKAGES))

import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402
from tvm.target import Target  # noqa: E402

TARGETS = {"sm80": "sm_80", "sm90": "sm_90a", "sm100": "sm_100a"}
WIDTHS = {"float16": 16, "bfloat16": 16, "float32": 32, "float8_e4m3fn": 8}


# ---- the kernels

def matmul(dtype, transposed, block=(128, 128), stages=3, loop=False, store=False, threads=128):
    """C = A B; A is M x K and B is K x N where they are not transposed."""
    M, N = 4096, 2048
    K = T.dynamic("K") if loop else 1024
    BM, BN = block
    BK = 1024 // WIDTHS[dtype]
    TA, TB = (one == "t" for one in transposed)
    of_a, of_b = ((K, M) if TA else (M, K)), ((N, K) if TB else (K, N))
    tile_a, tile_b = ((BK, BM) if TA else (BM, BK)), ((BN, BK) if TB else (BK, BN))

    @T.prim_func
    def kernel(A: T.Tensor(of_a, dtype), B: T.Tensor(of_b, dtype), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            a = T.alloc_shared(tile_a, dtype)
            b = T.alloc_shared(tile_b, dtype)
            c = T.alloc_shared((BM, BN), "float16")
            sums = T.alloc_fragment((BM, BN), "float32")
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                if TA:
                    T.copy(A[k * BK, by * BM], a)
                else:
                    T.copy(A[by * BM, k * BK], a)
                if TB:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, sums, transpose_A=TA, transpose_B=TB)
            if store:
                T.copy(sums, c)
                T.copy(c, C[by * BM, bx * BN])
            else:
                T.copy(sums, C[by * BM, bx * BN])
    return kernel


def matmul_tmem(dtype, transposed):
    """C = A B with the accumulator in tensor memory."""
    M, N, K, BM, BN = 4096, 2048, 1024, 128, 256
    BK = 1024 // WIDTHS[dtype]
    TB = transposed == "nt"
    of_b, tile_b = ((N, K), (BN, BK)) if TB else ((K, N), (BK, BN))

    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor(of_b, dtype), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=256) as (bx, by):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared(tile_b, dtype)
            sums = T.alloc_tmem((BM, BN), "float32")
            done = T.alloc_barrier(1)
            out = T.alloc_fragment((BM, BN), "float32")
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):
                T.copy(A[by * BM, k * BK], a)
                if TB:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, sums, transpose_B=TB, mbar=done, clear_accum=k == 0)
            T.copy(sums, out)
            T.copy(out, C[by * BM, bx * BN])
    return kernel


def attention(dtype, block=(128, 128), stages=2, threads=256):
    """Softmax of Q K^T, times V, for one head, over blocks of K with the running maximum."""
    heads, length, depth = 16, 2048, 128
    BM, BN = block
    shape = (heads, length, depth)

    @T.prim_func
    def kernel(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype), O: T.Tensor(shape, dtype)):
        with T.Kernel(T.ceildiv(length, BM), heads, threads=threads) as (bx, head):
            q = T.alloc_shared((BM, depth), dtype)
            k = T.alloc_shared((BN, depth), dtype)
            v = T.alloc_shared((BN, depth), dtype)
            scores = T.alloc_fragment((BM, BN), "float32")
            weights = T.alloc_fragment((BM, BN), dtype)
            out = T.alloc_fragment((BM, depth), "float32")
            highest = T.alloc_fragment((BM,), "float32")
            before = T.alloc_fragment((BM,), "float32")
            shrink = T.alloc_fragment((BM,), "float32")
            total = T.alloc_fragment((BM,), "float32")
            sums = T.alloc_fragment((BM,), "float32")
            T.copy(Q[head, bx * BM : (bx + 1) * BM, :], q)
            T.fill(out, 0)
            T.fill(sums, 0)
            T.fill(highest, -T.infinity("float32"))
            for at in T.Pipelined(T.ceildiv(length, BN), num_stages=stages):
                T.copy(K[head, at * BN : (at + 1) * BN, :], k)
                T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(V[head, at * BN : (at + 1) * BN, :], v)
                T.copy(highest, before)
                T.reduce_max(scores, highest, dim=1, clear=False)
                for i in T.Parallel(BM):
                    shrink[i] = T.exp2(before[i] - highest[i])
                for i, j in T.Parallel(BM, BN):
                    scores[i, j] = T.exp2(scores[i, j] - highest[i])
                T.reduce_sum(scores, total, dim=1)
                for i in T.Parallel(BM):
                    sums[i] = sums[i] * shrink[i] + total[i]
                for i, j in T.Parallel(BM, depth):
                    out[i, j] *= shrink[i]
                T.copy(scores, weights)
                T.gemm(weights, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(BM, depth):
                out[i, j] /= sums[i]
            T.copy(out, O[head, bx * BM : (bx + 1) * BM, :])
    return kernel


def transposition(dtype, padding):
    """Through a tile of shared memory whose rows are longer by `padding` elements."""
    M, N, side = 4096, 4096, 64

    @T.prim_func
    def kernel(A: T.Tensor((M, N), dtype), B: T.Tensor((N, M), dtype)):
        with T.Kernel(M // side, N // side, threads=256) as (bx, by):
            tile = T.alloc_shared((side, side + padding), dtype)
            for i, j in T.Parallel(side, side):
                tile[i, j] = A[bx * side + i, by * side + j]
            T.sync_threads()
            for i, j in T.Parallel(side, side):
                B[by * side + i, bx * side + j] = tile[j, i]
    return kernel


def softmax(dtype):
    rows, length, BM = 4096, 1024, 4

    @T.prim_func
    def kernel(A: T.Tensor((rows, length), dtype), B: T.Tensor((rows, length), dtype)):
        with T.Kernel(rows // BM, threads=256) as bx:
            x = T.alloc_fragment((BM, length), "float32")
            highest = T.alloc_fragment((BM,), "float32")
            total = T.alloc_fragment((BM,), "float32")
            T.copy(A[bx * BM, 0], x)
            T.reduce_max(x, highest, dim=1)
            for i, j in T.Parallel(BM, length):
                x[i, j] = T.exp2(x[i, j] - highest[i])
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(BM, length):
                x[i, j] /= total[i]
            T.copy(x, B[bx * BM, 0])
    return kernel


def kernels():
    """(name, the program) of each, compiled for the target after the last underline."""
    for target in TARGETS:
        for transposed in ("nn", "nt", "tn", "tt"):
            yield f"matmul_f16_{transposed}_{target}", matmul("float16", transposed)
        yield f"matmul_f16_nt_store_{target}", matmul("float16", "nt", block=(128, 256), stages=4, store=True, threads=256)
        yield f"matmul_tf32_nt_{target}", matmul("float32", "nt")
        # TileLang has no cp.async of a tensor whose size is an argument, and sm_80 no e4m3.
        if target != "sm80":
            yield f"matmul_bf16_nt_loop_{target}", matmul("bfloat16", "nt", loop=True)
            yield f"matmul_f16_nn_loop_store_{target}", matmul("float16", "nn", loop=True, store=True)
            yield f"matmul_e4m3_nt_{target}", matmul("float8_e4m3fn", "nt")
        yield f"attention_f16_{target}", attention("float16", threads=128 if target == "sm80" else 256)
        yield f"transposition_f16_{target}", transposition("float16", 0)
        yield f"transposition_f16_padded_{target}", transposition("float16", 2)
        yield f"softmax_f16_{target}", softmax("float16")
    for transposed in ("nn", "nt"):
        yield f"matmul_tmem_f16_{transposed}_sm100", matmul_tmem("float16", transposed)


def compile_to_ptx(program, target, arch, place):
    with Target({"kind": "cuda", "arch": arch}) as chosen:
        cuda = tilelang.lower(program, target=chosen).kernel_source
    tilelang_folder = PACKAGES / "tilelang"
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as source:
        source.write(cuda)
        source.flush()
        return subprocess.run(["nvcc", "-ptx", "-std=c++17", "-w", "-lineinfo", f"-arch={arch}", f"-I{tilelang_folder}/src",
                               f"-I{tilelang_folder}/3rdparty/cutlass/include", "-o", str(place), source.name],
                              capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description="compile kernels of TileLang to PTX")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="?", default="*")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, program in kernels():
        if not fnmatch.fnmatch(name, options.names):
            continue
        target = name.rsplit("_", 1)[1]
        try:
            done = compile_to_ptx(program, target, TARGETS[target], options.folder / f"{name}.ptx")
            fault = done.stderr if done.returncode else ""
        except Exception as refusal:  # of TileLang, whose errors have no common class
            fault = str(refusal)
        failed += bool(fault)
        print(f"{name}: {fault.strip()[-400:]}" if fault else name, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
