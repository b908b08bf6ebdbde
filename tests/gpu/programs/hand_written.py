# SPDX-License-Identifier: Apache-2.0
"""Kernels as one writes them by hand, of many kinds (hand_written/*.cu), compiled by nvcc here."""

from pathlib import Path

import nvcc_library

PARTS = [(f"hand_{source.stem}", source, []) for source in sorted(Path(__file__).with_name("hand_written").glob("*.cu"))]


def calls():
    return nvcc_library.calls(PARTS)


if __name__ == "__main__":
    nvcc_library.build(PARTS)
