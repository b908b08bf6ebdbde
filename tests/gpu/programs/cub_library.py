# SPDX-License-Identifier: Apache-2.0
"""CUB's device-wide and block-wide algorithms, compiled by nvcc here: what hand-written code calls."""

from pathlib import Path

import nvcc_library

SOURCE = Path(__file__).with_name("cub_kernels.cu")
PARTS = [(f"cub_{name}", SOURCE, [f"-DPART={part}"])
         for part, name in enumerate(("reduce", "scan", "sort", "histogram", "block"))]


def calls():
    return nvcc_library.calls(PARTS)


if __name__ == "__main__":
    nvcc_library.build(PARTS)
