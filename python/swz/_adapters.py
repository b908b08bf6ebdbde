"""What other programs call a layout, as text that swz reads.

    text_of(np.zeros((4, 8), np.float16))      ("(4,8):(8,1)", (4, 8), "f16")
    text_of(lambda r, c: r * 8 + (c ^ r % 8), shape=(8, 8))   bases over GF(2)

Known by what they have, so that no package is imported here: strings, objects with shape and stride (pycute,
tensor-layouts), CuTe DSL's layouts, Gluon's classes, arrays with strides in bytes (numpy, torch), functions of a
coordinate. Offsets count elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Callable

from ._errors import Error

Shape = tuple[int, ...]
MOST = 1 << 20  # coordinates at which a function is asked

# numpy and torch have no names for the narrow types; theirs pass through by name.
DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "int8": "s8", "uint8": "u8", "int32": "s32"}


class Text:
    """text: the layout. shape and dtype: what the text does not say, where the object knows it."""

    def __init__(self, text: str, shape: Shape | None = None, dtype: str | None = None) -> None:
        self.text, self.shape, self.dtype = text, shape, dtype


def text_of(layout: Any, shape: Shape | None = None) -> Text:
    """The text of a layout, whatever wrote it. Throws Error for an object that is none."""
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
        return Text(f"{tuple_text(layout.shape)}:{tuple_text(layout.stride)}")
    if hasattr(layout, "outer") and hasattr(layout, "inner"):
        return text_of_composition(layout)
    if callable(layout):
        return text_of_function(layout, shape)
    raise Error(
        f"{type(layout).__name__} is not a layout that swz knows",
        "give its text, a function of (row, col), or an object with shape and stride",
    )


def tuple_text(value: Any) -> str:
    """(2, (3, 4)) is (2,(3,4))"""
    if isinstance(value, (tuple, list)):
        return "(" + ",".join(tuple_text(item) for item in value) + ")"
    return str(int(value))


def text_of_composition(layout: Any) -> Text:
    """tensor-layouts: a swizzle, or another layout, after a layout."""
    outer, inner = layout.outer, text_of(layout.inner).text
    if not all(hasattr(outer, name) for name in ("bits", "base", "shift")):
        if getattr(layout, "offset", 0):
            raise Error("an offset between two layouts", "give the offsets as a function of the coordinate")
        return Text(f"composition({text_of(outer).text},{inner})")
    return Text(f"Sw<{outer.bits},{outer.base},{outer.shift}> o {getattr(layout, 'offset', 0)} o {inner}")


def text_of_array(array: Any) -> Text:
    """numpy has strides in bytes, torch in elements."""
    shape = tuple(int(extent) for extent in array.shape)
    if callable(getattr(array, "data_ptr", None)):
        strides = tuple(int(stride) for stride in array.stride())
    else:
        size = int(array.itemsize)
        if any(stride % size for stride in array.strides):
            raise Error(f"strides of {array.strides} bytes are not multiples of the {size} bytes of an element")
        strides = tuple(int(stride) // size for stride in array.strides)
    if any(stride < 0 for stride in strides):
        raise Error("a negative stride", "a layout of shared memory counts upwards: copy the array")
    name = str(array.dtype).replace("torch.", "")
    return Text(f"{tuple_text(shape)}:{tuple_text(strides)}", shape, DTYPES.get(name, name))


def text_of_function(offset: Callable[..., int], shape: Shape | None) -> Text:
    """Strides, or bases over GF(2), that give the function's value at every coordinate."""
    if shape is None:
        raise Error("a function does not say the shape of its array", "add it: shape=(64, 64)")
    count = 1
    for extent in shape:
        count *= extent
    if count > MOST or count < 1:
        raise Error(f"{count} coordinates", f"a function is asked at 1 to {MOST} coordinates")
    coordinates = list(itertools.product(*(range(extent) for extent in shape)))
    values = [int(offset(*coordinate)) for coordinate in coordinates]
    strides = [int(offset(*unit(shape, d))) - values[0] if extent > 1 else 0 for d, extent in enumerate(shape)]
    if values[0] == 0 and all(
        value == sum(map(int.__mul__, coordinate, strides)) for coordinate, value in zip(coordinates, values)
    ):
        return Text(f"{tuple_text(shape)}:{tuple_text(strides)}", shape)
    return Text(bases_text(coordinates, values, shape), shape)


def unit(shape: Sequence[int], dimension: int) -> Shape:
    return tuple(int(d == dimension) for d in range(len(shape)))


def bases_text(coordinates: Sequence[Shape], values: Sequence[int], shape: Shape) -> str:
    """The bits of each dimension and where they move: "{row = [64, 128], col = [1, 2]}"."""
    refusal = Error(
        "the function has neither strides nor an XOR of the bits of its coordinates",
        "give it as C code, in text: '(row*65 + col)'",
    )
    if values[0] != 0 or any(extent & (extent - 1) for extent in shape):
        raise refusal
    at = dict(zip(coordinates, values))
    bases = [
        [at[tuple(step if d == dimension else 0 for d in range(len(shape)))] for step in powers_below(extent)]
        for dimension, extent in enumerate(shape)
    ]
    for coordinate, value in at.items():
        for x, moves in zip(coordinate, bases):
            for bit, move in enumerate(moves):
                value ^= move if x >> bit & 1 else 0
        if value:
            raise refusal
    names = ["row", "col"] if len(shape) == 2 else [f"dim{d}" for d in range(len(shape))]
    return "{" + ", ".join(f"{name} = {moves}" for name, moves in zip(names, bases)) + "}"


def powers_below(extent: int) -> list[int]:
    return [1 << bit for bit in range(extent.bit_length() - 1)]
