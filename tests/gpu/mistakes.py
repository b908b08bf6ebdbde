# SPDX-License-Identifier: Apache-2.0
"""Runs the wgmma kernels of tests/ptx/mistakes on a Hopper GPU: a twin's product is right, that of a mistake is not.

    python3 -B tests/gpu/mistakes.py

It needs only the driver. The shared array of small_alignment begins at an address that suits it anyway: there the mistake gives
the right product, which is why it is found late. A kernel has a process of its own: a mistake may read what is not there.
"""

import argparse
import ctypes
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "ptx/mistakes"
ROWS, DEPTH, THREADS = 64, 64, 128
GOES_WELL = {"small_alignment"}


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in b] for row in a]


def bytes_of(matrix):
    """As bfloat16, the upper half of a float, row after row."""
    return b"".join(struct.pack("<f", x)[2:] for row in matrix for x in row)


def place(register, thread):
    """(row, column) of an accumulator's register: wgmma's D fragment."""
    return (thread // 32 * 16 + thread % 32 // 4 + register // 2 % 2 * 8, register // 4 * 8 + thread % 4 * 2 + register % 2)


def launch(ptx):
    """Whether the kernel's product is right."""
    text = ptx.read_text()
    columns = int(re.search(r"m64n(\d+)k16", text)[1])
    entry = re.search(r"\.entry\s+(\w+)", text)[1]
    draw = random.Random(1)
    a, b = ([[draw.randint(-4, 4) for _ in range(DEPTH)] for _ in range(count)] for count in (ROWS, columns))
    driver = ctypes.CDLL("libcuda.so.1")

    def call(name, *words):
        if status := getattr(driver, name)(*words):
            raise RuntimeError(f"{name}: error {status}")

    def upload(data):
        at = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(len(data)))
        call("cuMemcpyHtoD_v2", at, data, ctypes.c_size_t(len(data)))
        return at

    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), text.encode())
    call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    out = bytearray(ROWS * columns * 4)
    values = [upload(bytes(out)), upload(bytes_of(a)), upload(bytes_of(b))]
    places = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
    call("cuLaunchKernel", function, 1, 1, 1, THREADS, 1, 1, 0, None, places, None)
    call("cuCtxSynchronize")
    got = (ctypes.c_float * (ROWS * columns))()
    call("cuMemcpyDtoH_v2", got, values[0], ctypes.c_size_t(len(out)))
    right = product(a, b)
    for register in range(columns // 2):
        for thread in range(THREADS):
            row, column = place(register, thread)
            if got[register * THREADS + thread] != right[row][column]:
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description="run the planted mistakes")
    parser.add_argument("ptx", nargs="?", type=Path, help="only this one: exit 0 if its product is right, 3 if not")
    options = parser.parse_args()
    if options.ptx:
        return 0 if launch(options.ptx) else 3
    failed = 0
    for ptx in sorted(FOLDER.glob("*.ptx")):
        if "wgmma.mma_async" not in ptx.read_text():
            continue
        done = subprocess.run([sys.executable, "-B", __file__, str(ptx)], capture_output=True, text=True, check=False)
        said = {0: "right", 3: "wrong"}.get(done.returncode, done.stderr.strip()[-200:])
        good = ptx.stem.endswith("_right") or ptx.stem in GOES_WELL
        expected = said == "right" if good else said == "wrong" or "cuCtxSynchronize" in said
        failed += not expected
        print(f"{ptx.stem}: {said}" + ("" if expected else "  <-- not expected"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
