# SPDX-License-Identifier: Apache-2.0
"""CUB's device-wide and block-wide algorithms, compiled by nvcc here: what hand-written code calls."""

import ctypes
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).with_name("cub_kernels.cu")
PARTS = ("reduce", "scan", "sort", "histogram", "block")


def built(out, part):
    """The library of a part; its PTX and cubin are kept."""
    folder = out / "cub" / PARTS[part]
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{PARTS[part]}.so"
    if library.exists():
        return library
    subprocess.run(["nvcc", "-std=c++17", "-lineinfo", "-gencode", "arch=compute_90a,code=sm_90a", f"-DPART={part}", "-shared",
                    "-Xcompiler", "-fPIC", "--expt-relaxed-constexpr", "--keep", "--keep-dir", str(folder), "-o", str(library), str(SOURCE)],
                   check=True, cwd=folder, stdout=sys.stderr)
    for ptx in folder.glob("*.ptx"):
        cubin = next(folder.glob("*.cubin"))
        shutil.copy(ptx, out / "kept" / f"cub_{PARTS[part]}.ptx")
        shutil.copy(cubin, out / "kept" / f"cub_{PARTS[part]}.cubin")
    return library


def libraries(out):
    (out / "kept").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(lambda part: built(out, part), range(len(PARTS))))


def calls():
    for name, library in zip(PARTS, libraries(Path(sys.argv[2]).resolve())):
        def call(library=library):
            if error := ctypes.CDLL(str(library)).run():
                raise RuntimeError(f"cudaError {error}")
        yield name, call


if __name__ == "__main__":  # before Nsight Compute looks on
    libraries(Path(sys.argv[1]).resolve())
