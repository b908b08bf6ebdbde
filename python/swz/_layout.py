# SPDX-License-Identifier: Apache-2.0
"""Layout: a layout of any project, to be asked, drawn, compared and translated.

    a = swz.layout("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", (128, 32), "f16")
    a.cute                          'Sw<2,3,3> o 0 o (128,32):(32,1)'
    a.map[1][8]                     40, the offset of element (1, 8)
    a.banks(access="ldmatrix.x4")   the answer of `swz banks --layout ...`

Offsets count elements. A Layout does not change.
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex, Union

from . import commands
from ._adapters import Shape, Text, is_function, text_of
from ._answer import Answer, Record
from ._errors import Error

Extents = Union[None, str, SupportsIndex, "tuple[SupportsIndex, ...]", "list[SupportsIndex]"]


class Layout(Text):
    """text: as it was given, after the name of its dialect where that was said; shape, dtype: of the array, or None."""

    __slots__ = ("_translation",)
    _translation: Answer | None

    def __init__(
        self, text: str, shape: Shape | None = None, dtype: str | None = None, is_whole: bool = False
    ) -> None:
        super().__init__(text, shape, dtype, is_whole)
        object.__setattr__(self, "_translation", None)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a layout does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a layout does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.text, self.shape, self.dtype, self.is_whole)

    def __repr__(self) -> str:
        said = [f"{name}={getattr(self, name)!r}" for name in ("shape", "dtype") if getattr(self, name)]
        return f"swz.layout({', '.join([repr(self.text), *said])})"

    def __str__(self) -> str:
        return self.forms["cute"] or self.text

    @property
    def translation(self) -> Answer:
        """What `swz translate` says of it, asked once."""
        known = self._translation
        if known is None:
            known = commands.translate(self)
            object.__setattr__(self, "_translation", known)
        return known

    @property
    def forms(self) -> Record:
        """The text in every notation, None where it has none; why is in translation.refused."""
        forms: Record = self.translation["forms"]
        return forms

    @property
    def cute(self) -> str:
        """In CuTe's notation, in elements; of registers (thread, value) to the column-major index."""
        return self.to("cute")

    def triton(self, shape: Extents = None) -> str:
        """As Triton's encoding, of an array of this shape."""
        return layout(self, shape).to("triton")

    def to(self, dialect: str) -> str:
        """In the notation of this name. Throws Error with the reason if that project cannot express it."""
        if dialect not in self.forms:
            raise Error(f"{dialect} is not a notation of swz", f"one of {', '.join(self.forms)}")
        text = self.forms[dialect]
        if text is None:
            raise Error(f"{dialect} has no text for this layout: {self.translation['refused'][dialect]}")
        return str(text)

    @property
    def map(self) -> Any:
        """The offset of every coordinate, in elements, map[row][col]: a numpy array where numpy is there, else nested
        tuples. Of registers the row-major index of every value, map[thread][value]."""
        answer = commands.translate(self, map=True)
        numbers, shape = answer["map"], answer["shape"]
        if answer["kind"] == "register":
            threads = commands.layout_expression(f"size(mode({self.cute},0))")["value"]
            shape = (threads, len(numbers) // threads)
        try:
            import numpy
        except ImportError:
            return nested(numbers, shape)
        return numpy.array(numbers, dtype=numpy.int64).reshape(shape)

    def banks(self, **options: Any) -> Answer:
        """Wavefronts and conflicts of an access: options are those of `swz banks`, access="ldmatrix.x4" and so on."""
        return commands.banks(layout=self, **options)

    def place(self, **options: Any) -> Answer:
        """Where its elements lie in shared memory: options are those of `swz place`."""
        return commands.place(layout=self, **options)

    def descriptors(self, **options: Any) -> Answer:
        """The words by which an MMA reads it, options of `swz desc`; false where it has none, and says why."""
        return commands.desc(from_=self, **options)

    def diff(self, other: Any, shape: Extents = None, dtype: str | None = None) -> Answer:
        """Whether another layout is the same function; false where it is not, with the first difference."""
        if shape is None and isinstance(other, str):
            shape = self.shape
        if shape is None and is_function(other):
            shape = self.shape or self.translation["shape"]
        return commands.diff(self, layout(other, shape, dtype))

    def svg(self, **options: Any) -> str:
        """The table of its offsets as SVG: options are those of every picture."""
        return commands.layout_expression(self).svg(**options)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except Error:
            return None

    def _repr_html_(self) -> str | None:
        drawn = self._repr_svg_()
        text = str(self).replace("&", "&amp;").replace("<", "&lt;")
        caption = f"<figcaption><code>{text}</code></figcaption>"
        return drawn and f"<figure style='margin:0'>{drawn}{caption}</figure>"


def layout(x: Any, shape: Extents = None, dtype: str | None = None, dialect: str | None = None) -> Layout:
    """A layout from the text or the object of any project.

    x        text in any notation of `swz translate`, a layout of CuTe DSL, pycute, tensor-layouts or Gluon, a numpy or
             torch array (its strides), or a function of (row, col) that returns an offset in elements
    shape    of the array, if x does not give it: (64, 64) or "64x64"
    dtype    of its elements, if x does not give it: "bf16"
    dialect  the notation, if several can read the text: "tilelang"
    """
    extents = extents_of(shape)
    found = text_of(x, extents)
    if found.is_whole and found.shape and extents and found.shape != extents:
        raise Error(f"the layout is of an array of shape {found.shape}, not {extents}", "leave the shape out")
    text = f"{dialect}: {found.text}" if dialect else found.text
    return Layout(text, extents or found.shape, dtype or found.dtype, found.is_whole)


def extents_of(shape: Extents) -> Shape | None:
    """ "64x64", 64 and [64, 64] as a tuple."""
    if shape is None:
        return None
    try:
        if isinstance(shape, str):
            return tuple(int(extent) for extent in shape.split("x"))
        return tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    except (ValueError, TypeError):
        raise Error(f"{shape!r} is not a shape", "for example (64, 64) or '64x64'") from None


def nested(numbers: Any, shape: Any) -> Any:
    if len(shape) == 1:
        return tuple(numbers)
    step = len(numbers) // shape[0]
    return tuple(nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))
