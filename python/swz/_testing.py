# SPDX-License-Identifier: Apache-2.0
"""Assertions for the tests of kernels: they fail with what swz says.

    swz.assert_same("#ttg.nvmma_shared<{...}>", "tile_to_shape(K_SW128<bf16>, (128,64))", shape=(128, 64))
    swz.assert_conflict_free("(32,32):(33,1)", access="transpose", dtype="f32")
"""

from __future__ import annotations

from typing import Any

from ._layout import Extents, layout


def assert_same(a: Any, b: Any, shape: Extents = None, dtype: str | None = None) -> None:
    """Fails unless both layouts are the same function."""
    answer = layout(a, shape, dtype).diff(b, shape, dtype)
    if not answer:
        raise AssertionError(str(answer))


def assert_conflict_free(
    x: Any, access: Any = "ldmatrix.x4", shape: Extents = None, dtype: str | None = None, **options: Any
) -> None:
    """Fails when an access of the layout has a bank conflict; several accesses are a list."""
    answer = layout(x, shape, dtype).banks(access=access, strict=True, **options)
    if not answer:
        raise AssertionError(str(answer))
