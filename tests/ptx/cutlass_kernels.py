# SPDX-License-Identifier: Apache-2.0
"""CUTLASS's and CuTe's own examples in PTX: what `swz kernel` is measured against. Needs nvcc, and no GPU.

    python3 -B tests/ptx/cutlass_kernels.py build/ptx/cutlass            # all, in six minutes
    python3 -B tests/ptx/cutlass_kernels.py build/ptx/cutlass 'sgemm*'   # those whose name fits

The sources are those of the wheel that `sh scripts/cute` fetches, as they are; nothing of them is in this repository. A file has
all kernels of its example, those of thrust that fill its matrices too: `--entry` of `swz kernel` picks one.
"""

import argparse
import fnmatch
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Name, architecture, source below the examples.
KERNELS = (
    ("sgemm_1", "sm_80", "cute/tutorial/sgemm_1.cu"),
    ("sgemm_2", "sm_80", "cute/tutorial/sgemm_2.cu"),
    ("sgemm_sm70", "sm_80", "cute/tutorial/sgemm_sm70.cu"),
    ("sgemm_sm80", "sm_80", "cute/tutorial/sgemm_sm80.cu"),
    ("wgmma_sm90", "sm_90a", "cute/tutorial/hopper/wgmma_sm90.cu"),
    ("wgmma_tma_sm90", "sm_90a", "cute/tutorial/hopper/wgmma_tma_sm90.cu"),
    ("mma_sm100", "sm_100a", "cute/tutorial/blackwell/01_mma_sm100.cu"),
    ("mma_tma_sm100", "sm_100a", "cute/tutorial/blackwell/02_mma_tma_sm100.cu"),
    ("mma_tma_2sm_sm100", "sm_100a", "cute/tutorial/blackwell/04_mma_tma_2sm_sm100.cu"),
    ("mma_tma_epilogue_sm100", "sm_100a", "cute/tutorial/blackwell/05_mma_tma_epi_sm100.cu"),
    ("ampere_tf32_gemm", "sm_80", "14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu"),
    ("hopper_gemm", "sm_90a", "48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu"),
    ("hopper_gemm_builder", "sm_90a", "49_hopper_gemm_with_collective_builder/49_collective_builder.cu"),
    ("hopper_e4m3_gemm", "sm_90a", "54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm.cu"),
    ("hopper_sparse_gemm", "sm_90a", "62_hopper_sparse_gemm/62_hopper_sparse_gemm.cu"),
    ("blackwell_gemm", "sm_100a", "70_blackwell_gemm/70_blackwell_fp16_gemm.cu"),
    ("blackwell_nvfp4_gemm", "sm_100a", "72_blackwell_narrow_precision_gemm/72a_blackwell_nvfp4_bf16_gemm.cu"),
)


def compile_to_ptx(nvcc, target, arch, source):
    includes = subprocess.run(["sh", str(ROOT / "scripts/cute")], check=True, capture_output=True, text=True).stdout.split(";")
    cutlass = Path(includes[0]).parent
    folders = [includes[0], cutlass / "tools/util/include", cutlass / "examples/common"]
    return subprocess.run([nvcc, "-ptx", "-std=c++17", "-lineinfo", f"-arch={arch}", "--expt-relaxed-constexpr", "-w",
                           *(f"-I{folder}" for folder in folders), "-o", str(target), str(cutlass / "examples" / source)],
                          capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description="compile CUTLASS's examples to PTX")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="?", default="*", help="which, as a pattern of names")
    parser.add_argument("--nvcc", default=os.environ.get("NVCC", "nvcc"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, arch, source in KERNELS:
        if not fnmatch.fnmatch(name, options.names):
            continue
        target, begun = options.folder / f"{name}.ptx", time.monotonic()
        done = compile_to_ptx(options.nvcc, target, arch, source)
        if done.returncode:
            failed += 1
            print(f"{name}: {done.stderr[-1000:]}", file=sys.stderr)
        else:
            print(f"{name}: {target.stat().st_size} bytes, {time.monotonic() - begun:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
