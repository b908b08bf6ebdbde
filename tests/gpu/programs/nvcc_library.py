# SPDX-License-Identifier: Apache-2.0
"""What nvcc compiles here of a source, and calls of it: a shared library each, with `extern "C" int run()`."""

import ctypes
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def built(out, name, source, defines):
    """The library; its PTX and cubin are kept."""
    folder = out / "nvcc" / name
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{name}.so"
    if library.exists():
        return library
    subprocess.run(["nvcc", "-std=c++17", "-lineinfo", "-gencode", "arch=compute_90a,code=sm_90a", *defines, "-shared", "-Xcompiler",
                    "-fPIC", "--expt-relaxed-constexpr", "--keep", "--keep-dir", str(folder), "-o", str(library), str(source)],
                   check=True, cwd=folder, stdout=sys.stderr)
    ptx, = folder.glob("*.ptx")
    cubin, = folder.glob(f"{ptx.stem}*.cubin")  # not that of the linker
    shutil.copy(ptx, out / "kept" / f"{name}.ptx")
    shutil.copy(cubin, out / "kept" / f"{name}.cubin")
    return library


def libraries(out, parts):
    """The libraries of parts: (name, source, options that define) each."""
    (out / "kept").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(lambda part: built(out, *part), parts))


def calls(parts):
    for (name, *_), library in zip(parts, libraries(Path(sys.argv[2]).resolve(), parts)):
        def call(library=library):
            if error := ctypes.CDLL(str(library)).run():
                raise RuntimeError(f"cudaError {error}")
        yield name, call


def build(parts):
    """Before Nsight Compute looks on: the program's main."""
    libraries(Path(sys.argv[1]).resolve(), parts)
