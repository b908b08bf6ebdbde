# SPDX-License-Identifier: Apache-2.0
"""Values of Python as words of a command line.

    words_of({"tile": (128, 64), "slots": True, "base": None, "at": [(0, 1), (2, 3)]}, repeated=("at",))
        ["--tile=128,64", "--slots", "--at=0,1", "--at=2,3"]

None and False leave an option out, True gives a flag. A list gives an option that may be repeated once for each item;
any other sequence is one value: numbers with commas, texts with semicolons, a tuple in a tuple in parentheses. A number
is an int, of Python or of numpy: 2048/2 is a float, and refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from typing import Any, SupportsIndex, Union

from ._errors import Error

Value = Union[str, SupportsIndex, Sequence[Any], "os.PathLike[str]", None]


def words_of(options: Mapping[str, Any], repeated: Iterable[str] = ()) -> list[str]:
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            several = value if isinstance(value, list) and name in repeated else [value]
            words += [f"{option}={word_of(one)}" for one in several]
    return words


def word_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list, range)):
        items = [f"({word_of(item)})" if isinstance(item, (tuple, list)) else word_of(item) for item in value]
        return (";" if any(isinstance(item, str) for item in value) else ",").join(items)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    return str(integer(value)) if hasattr(type(value), "__index__") else type_word(value)


def integer(value: Any) -> int:
    """An int of Python or numpy; arrays and tensors have __index__ as well, and refuse it where they hold floats."""
    try:
        return int(value.__index__())
    except TypeError:
        raise not_integer(value) from None


def not_integer(value: Any) -> Error:
    kind = type(value).__name__
    return Error(f"{value} is of type {kind}, not an int", "int(value); a quotient by // is an int, one by / is not")


def type_word(value: Any) -> str:
    """An element type of numpy, torch, CuTe DSL or Triton by its name."""
    if any(value is known for known in (bool, int, float, complex)):
        raise Error(f"{value.__name__} does not say how many bits an element has", "for example f32 or f64")
    if isinstance(value, Number):
        raise not_integer(value)
    name = getattr(value, "__name__", None) or getattr(value, "name", None) or value
    return str(name).rpartition(".")[2]


def hex_word(value: Any) -> str:
    """A descriptor word: a number as 0x and 16 digits."""
    return f"{integer(value):#018x}" if hasattr(type(value), "__index__") and integer(value) >= 0 else word_of(value)
