# SPDX-License-Identifier: Apache-2.0
"""What other programs call a layout, as text that swz reads.

    text_of(np.zeros((4, 8), np.float16))                     Text("(4,8):(8,1)", (4, 8), "f16")
    text_of(lambda r, c: r * 8 + (c ^ r % 8), shape=(8, 8))   Text("Sw<3,0,3> o 0 o (8,8):(8,1)", (8, 8))

Known by what they have, so that no package is imported here: strings, objects with shape and stride (pycute,
tensor-layouts), CuTe DSL's layouts, Gluon's classes, arrays with strides (numpy, torch), functions of a coordinate.
Offsets count elements.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any, Callable

from ._errors import Error
from ._process import batch

Shape = tuple[int, ...]
MOST = 1 << 20  # coordinates at which a function is asked

# The element types of numpy and torch that swz has. Of any other type the number of bytes counts.
DTYPES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "ue8m0",
    "int8": "s8",
    "int16": "s16",
    "int32": "s32",
    "int64": "s64",
}
OTHER_DTYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "u128"}


class Text:
    """text: the layout. shape, dtype: of the array, or None. is_whole: the text says the shape itself."""

    __slots__ = ("dtype", "is_whole", "shape", "text")
    text: str
    shape: Shape | None
    dtype: str | None
    is_whole: bool

    def __init__(
        self, text: str, shape: Shape | None = None, dtype: str | None = None, is_whole: bool = False
    ) -> None:
        for name, value in (("text", text), ("shape", shape), ("dtype", dtype), ("is_whole", is_whole)):
            object.__setattr__(self, name, value)


def text_of(layout: Any, shape: Shape | None = None) -> Text:
    """The text of any layout; shape is for a function. Throws Error for an object that is not a layout."""
    if isinstance(layout, Text):
        return layout
    if isinstance(layout, str):
        return Text(layout)
    module = type(layout).__module__
    if module.startswith("triton."):
        return Text(repr(layout))
    if module.startswith("cutlass"):
        return Text(str(layout))
    if hasattr(layout, "__array_interface__") or callable(getattr(layout, "data_ptr", None)):
        return text_of_array(layout)
    if hasattr(layout, "shape") and hasattr(layout, "stride"):
        return Text(f"{tuple_text(layout.shape)}:{tuple_text(layout.stride)}", is_whole=True)
    if hasattr(layout, "outer") and hasattr(layout, "inner"):
        return Text(text_of_composition(layout), is_whole=True)
    if is_function(layout):
        return text_of_function(layout, shape)
    raise Error(
        f"{type(layout).__name__} is not a layout that swz knows",
        "give its text, a function of (row, col), or an object with shape and stride",
    )


def is_function(layout: Any) -> bool:
    """A function of the coordinate, and no object that knows its shape."""
    return callable(layout) and not any(hasattr(layout, name) for name in ("shape", "inner"))


def tuple_text(value: Any) -> str:
    """(2, (3, 4)) is (2,(3,4))"""
    if isinstance(value, (tuple, list)):
        return "(" + ",".join(tuple_text(item) for item in value) + ")"
    return str(operator.index(value))


def text_of_composition(layout: Any) -> str:
    """tensor-layouts: a swizzle, or another layout, after a layout."""
    outer, inner, offset = layout.outer, text_of(layout.inner).text, getattr(layout, "offset", 0)
    if all(hasattr(outer, name) for name in ("bits", "base", "shift")):
        return f"Sw<{outer.bits},{outer.base},{outer.shift}> o {offset} o {inner}"
    if offset:
        raise Error("an offset between two layouts has no text", "give a function of the coordinate instead")
    return f"composition({text_of(outer).text},{inner})"


def text_of_array(array: Any) -> Text:
    """numpy has strides in bytes, torch in elements."""
    shape = tuple(operator.index(extent) for extent in array.shape)
    if not shape or 0 in shape:
        raise Error(f"an array of shape {shape} has no layout", "give one with at least one dimension and one element")
    if callable(getattr(array, "data_ptr", None)):
        size, strides = int(array.element_size()), tuple(array.stride())
    else:
        size, strides = int(array.itemsize), tuple(array.strides)
        if any(stride % size for stride in strides):
            raise Error(
                f"strides of {strides} bytes are not multiples of the {size} bytes of an element",
                "take an array of one field's type, not a view of it",
            )
        strides = tuple(stride // size for stride in strides)
    if any(stride < 0 for stride in strides):
        raise Error("a negative stride", "a layout of shared memory counts upwards: copy the array")
    dtype = DTYPES.get(str(array.dtype).rpartition(".")[2], OTHER_DTYPES.get(size))
    return Text(f"{tuple_text(shape)}:{tuple_text(strides)}", shape, dtype, is_whole=True)


def text_of_function(offset: Callable[..., int], shape: Shape | None) -> Text:
    """The simplest layout, or bases over GF(2), with the value of the function everywhere: swz layout --fit."""
    if shape is None:
        raise Error("a function does not say the shape of its array", "add it: shape=(64, 64)")
    count = math.prod(shape)
    if not 1 <= count <= MOST:
        raise Error(f"an array of {count} elements", f"a function is asked at 1 to {MOST} coordinates")
    import tempfile  # 5 ms, which most programs do not need

    with tempfile.NamedTemporaryFile("w", prefix="swz-offsets-", suffix=".txt") as file:
        for at in itertools.product(*map(range, shape)):
            file.write(f"{' '.join(map(str, at))} {operator.index(offset(*at))}\n")
        file.flush()
        status, fit = batch.ask(["layout", "--fit", file.name])
    if status == 0:
        return Text(fit["layout"], shape, is_whole=True)
    nearest = f"; {fit['layout']} has all but {len(fit['exceptions'])} of its {count} values" if fit["layout"] else ""
    raise Error(
        f"the function has neither strides with one swizzle nor an XOR of the bits of its coordinates{nearest}",
        "give it as C code, in text: 'row*64 + (col + row) % 64'",
    )
