"""Answer: what swz says, as a mapping with attributes that shows itself as text and as a picture.

    a = swz.decode(0x4000004000010042)
    a.fields[0].value      1056
    a["word"]              '0x4000004000010042'
    a.svg()                the picture, as `swz decode ... -f svg` draws it
    print(a)               the text of the command

The names and units of the fields are those of docs/json.md. An answer does not change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._errors import Error
from ._process import batch, run

PICTURES = ("svg", "tex", "html")


class Record(Mapping[str, Any]):
    """A JSON object: r["name"] and r.name are the same; a name with a hyphen has an underscore as attribute."""

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", {name: frozen(value) for name, value in fields.items()})

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for known in (name, name.rstrip("_"), name.replace("_", "-")):
                if known in self._fields:
                    return self._fields[known]
        raise AttributeError(f"{name}: this answer has {', '.join(self._fields) or 'no fields'}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an answer does not change")

    def __dir__(self) -> Sequence[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self._fields)]

    def __hash__(self) -> int:
        return hash(tuple(self._fields))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_dict()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as Python has it, to be changed at will."""
        return {name: thawed(value) for name, value in self._fields.items()}


def frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value if isinstance(value, Record) else Record(value)
    return tuple(frozen(item) for item in value) if isinstance(value, (list, tuple)) else value


def thawed(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


class Answer(Record):
    """The answer to a command.

    words  the command line that was asked, without "swz"
    exit   0, or 1 where the answer is no: two layouts differ, a tensor map is refused, lints under strict
    """

    __slots__ = ("exit", "words")
    words: tuple[str, ...]
    exit: int

    def __init__(self, fields: Mapping[str, Any], words: Sequence[str] = (), exit: int = 0) -> None:
        super().__init__(fields)
        object.__setattr__(self, "words", tuple(words))
        object.__setattr__(self, "exit", exit)

    def __bool__(self) -> bool:
        """Whether the answer is yes: exit is 0."""
        return self.exit == 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.to_dict(), self.words, self.exit)

    def text(self) -> str:
        """What the command prints."""
        return run([*self.words, "--color", "never"])[1]

    def picture(self, format: str = "svg", **options: Any) -> str:
        """The picture as SVG, TikZ (tex) or HTML; options are those of every picture: title="...", width="86mm"."""
        if format not in PICTURES:
            raise Error(f"{format} is not text", "save('figure.png') writes PNG and PDF")
        return run([*self.words, "-f", format, *words_of(options)])[1]

    def svg(self, **options: Any) -> str:
        """The picture as SVG."""
        return self.picture("svg", **options)

    def save(self, path: str, **options: Any) -> None:
        """Writes the answer to a file; its suffix says the format: .svg, .png, .pdf, .tex, .html, .json, .txt."""
        run([*self.words, "-o", str(path), *words_of(options)])

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> Any:
        try:
            return without_declaration(self.svg())
        except Error:
            return None  # this command has no picture

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else self.text())


def without_declaration(svg: str) -> str:
    """As a notebook shows it: no XML declaration before <svg."""
    return re.sub(r"^<\?xml[^>]*\?>\s*", "", svg)


def words_of(options: Mapping[str, Any]) -> Sequence[str]:
    """from_="(8,8):(8,1)", slots=True, at=[(0, 1), (2, 3)]  ->  --from=(8,8):(8,1) --slots --at=0,1 --at=2,3"""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={word_of(one)}")
    return words


def word_of(value: Any, separator: str = ",") -> str:
    """A value as the command line has it: (128, 64) is 128,64; a number is decimal."""
    if isinstance(value, (tuple, list, range)):
        return separator.join(word_of(item) for item in value)
    return str(value)


def ask(words: Sequence[str], options: Mapping[str, Any]) -> Answer:
    line = [*words, *words_of(options)]
    exit, fields = batch.ask(line)
    return Answer(fields, line, exit)


def once(words: Sequence[str], options: Mapping[str, Any]) -> Answer:
    """The same in a process of its own, for as long as it takes."""
    line = [*words, *words_of(options)]
    exit, text = run([*line, "-f", "json"])
    return Answer(json.loads(text), line, exit)


def joined(value: Any, separator: str) -> Any:
    """(128, 64) as 128x64; anything else as it is."""
    return word_of(value, separator) if isinstance(value, tuple) else value


def hex_word(value: Any) -> str:
    """A descriptor word: an int as 0x and 16 digits, so that it is not read as a short decimal."""
    return f"{value:#018x}" if isinstance(value, int) and value >= 0 else str(value)
