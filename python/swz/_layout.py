"""Layout: a layout of any project, to be asked, drawn, compared and translated.

    a = swz.layout("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", (128, 32), "f16")
    a.cute                          'Sw<2,3,3> o 0 o (128,32):(32,1)'
    a.map[1][8]                     40, the offset of element (1, 8)
    a.banks(access="ldmatrix.x4")   the answer of `swz banks --layout ...`

Offsets count elements. A Layout does not change.
"""

from __future__ import annotations

from typing import Any, Union

from . import commands
from ._adapters import Shape, text_of
from ._answer import Answer, Record, without_declaration
from ._errors import Error

Extents = Union[None, str, int, Shape, list[int]]


class Layout:
    """text: as it was given; shape, dtype: what was said beside it, or None; dialect: the notation, or None."""

    __slots__ = ("_translation", "dialect", "dtype", "shape", "text")
    text: str
    shape: Shape | None
    dtype: str | None
    dialect: str | None
    _translation: Answer | None

    def __init__(self, text: str, shape: Shape | None, dtype: str | None, dialect: str | None) -> None:
        for name, value in (("text", text), ("shape", shape), ("dtype", dtype), ("dialect", dialect)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_translation", None)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a layout does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.text, self.shape, self.dtype, self.dialect)

    def __repr__(self) -> str:
        said = [repr(self.text)]
        said += [f"{name}={getattr(self, name)!r}" for name in ("shape", "dtype", "dialect") if getattr(self, name)]
        return f"swz.layout({', '.join(said)})"

    def __str__(self) -> str:
        return self.cute

    @property
    def translation(self) -> Answer:
        """What `swz translate` says of it, asked once."""
        known = self._translation
        if known is None:
            known = commands.translate(self.text, **self._given("dialect"))
            object.__setattr__(self, "_translation", known)
        return known

    @property
    def forms(self) -> Record:
        """The text in every notation, None where it has none; why is in translation.refused."""
        return self.translation.forms  # type: ignore[no-any-return]

    @property
    def cute(self) -> str:
        """In CuTe's notation, in elements; of registers (thread, value) to the column-major index."""
        return self.to("cute")

    def triton(self, shape: Extents = None) -> str:
        """As Triton's encoding, of an array of this shape."""
        return (layout(self.text, shape, self.dtype, self.dialect) if shape is not None else self).to("triton")

    def to(self, dialect: str) -> str:
        """In the notation of this name. Throws Error with the reason where that project cannot say it."""
        if dialect not in self.forms:
            raise Error(f"{dialect} is not a notation of swz", f"one of {', '.join(self.forms)}")
        text = self.forms[dialect]
        if text is None:
            raise Error(f"{dialect} has no text for this layout: {self.translation.refused[dialect]}")
        return str(text)

    @property
    def map(self) -> Any:
        """The offset of every coordinate, in elements, map[row, col]: a numpy array where numpy is there, else nested
        tuples. Of registers the row-major index of every value, map[thread, value]."""
        answer = commands.translate(self.text, map=True, **self._given("dialect"))
        numbers, shape = answer["map"], answer.shape
        if answer.kind == "register":
            threads = commands.layout_expression(f"size(mode({self.cute},0))").value
            shape = (threads, len(numbers) // threads)
        try:
            import numpy
        except ImportError:
            return nested(numbers, shape)
        return numpy.array(numbers, dtype=numpy.int64).reshape(shape)

    def banks(self, **options: Any) -> Answer:
        """Wavefronts and conflicts of an access: options are those of `swz banks`, access="ldmatrix.x4" and so on."""
        return commands.banks(layout=self._named(), **self._given(), **options)

    def place(self, **options: Any) -> Answer:
        """Where its elements lie in shared memory: options are those of `swz place`."""
        return commands.place(layout=self._named(), **self._given(), **options)

    def descriptors(self, **options: Any) -> Answer:
        """The words by which an MMA reads it; false where it has none, and says why."""
        return commands.desc(from_=self._named(), **self._given(), **options)

    def diff(self, other: Any, shape: Extents = None, dtype: str | None = None) -> Answer:
        """Whether another layout is the same function; false where it is not, with the first difference."""
        that = other if isinstance(other, Layout) else layout(other, shape, dtype)
        return commands.diff(
            self._named(), that._named(), shape=self.shape or that.shape, dtype=self.dtype or that.dtype
        )

    def svg(self, **options: Any) -> str:
        """The table of its offsets as SVG: options are those of `swz layout` and of every picture."""
        return commands.layout_expression(self.cute).svg(**options)

    def _repr_svg_(self) -> Any:
        try:
            return without_declaration(self.svg())
        except Error:
            return None

    def _repr_html_(self) -> Any:
        drawn = self._repr_svg_()
        text = self.cute.replace("&", "&amp;").replace("<", "&lt;")
        return drawn and f"<figure style='margin:0'>{drawn}<figcaption><code>{text}</code></figcaption></figure>"

    def _named(self) -> str:
        return f"{self.dialect}: {self.text}" if self.dialect else self.text

    def _given(self, *more: str) -> dict[str, Any]:
        """What was said beside the text, as options: the dialect is --from."""
        given = {"shape": self.shape, "dtype": self.dtype}
        return {**given, "from_": self.dialect} if more else given


def layout(x: Any, shape: Extents = None, dtype: str | None = None, dialect: str | None = None) -> Layout:
    """A layout from whatever wrote it.

    x        text in any notation of `swz translate`, a layout of CuTe DSL, pycute, tensor-layouts or Gluon, a numpy or
             torch array (its strides), or a function of (row, col) that returns an offset in elements
    shape    of the array, where x does not say it: (64, 64) or "64x64"
    dtype    of its elements, where x does not say it: "bf16"
    dialect  the notation, where several read the text: "tilelang"
    """
    if isinstance(x, Layout):
        return layout(x.text, shape or x.shape, dtype or x.dtype, dialect or x.dialect)
    extents = extents_of(shape)
    found = text_of(x, extents)
    return Layout(found.text, extents or found.shape, dtype or found.dtype, dialect)


def extents_of(shape: Extents) -> Shape | None:
    """"64x64", 64 and [64, 64] as a tuple."""
    if shape is None or isinstance(shape, int):
        return None if shape is None else (shape,)
    try:
        return tuple(int(extent) for extent in (shape.split("x") if isinstance(shape, str) else shape))
    except ValueError:
        raise Error(f"{shape!r} is not a shape", "for example (64, 64) or '64x64'") from None


def nested(numbers: Any, shape: Any) -> Any:
    if len(shape) == 1:
        return tuple(numbers)
    step = len(numbers) // shape[0]
    return tuple(nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))
