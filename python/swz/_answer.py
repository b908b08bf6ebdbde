# SPDX-License-Identifier: Apache-2.0
"""Answer: what swz says, as a mapping with attributes that shows itself as text and as a picture.

    a = swz.decode(0x4000004000010042)
    a.fields[0].value      1056
    a["word"]              '0x4000004000010042'
    a.json                 {'verdict': 'clean', ...}, the JSON as Python has it
    a.svg()                the picture, as `swz decode ... -f svg` draws it
    print(a)               the text of the command

The names and units of the fields are those of docs/json.md. An answer does not change.
"""

from __future__ import annotations

import json
import keyword
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._adapters import text_of
from ._errors import Error
from ._process import batch, run
from ._words import word_of, words_of

PICTURES = ("svg", "tex", "html")


class Record(Mapping[str, Any]):
    """A JSON object: r["name"] and r.name are the same, r["from"] is r.from_; r["values"] is no attribute."""

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
        field = name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name
        if not name.startswith("_") and field in self._fields:
            return self._fields[field]
        raise AttributeError(f"{name}: this answer has {', '.join(self._fields) or 'no fields'}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an answer does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("an answer does not change")

    def __dir__(self) -> Sequence[str]:
        return [*super().__dir__(), *(name + "_" * keyword.iskeyword(name) for name in self._fields)]

    def __hash__(self) -> int:
        return hash(frozenset(self._fields.items()))

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
    """The answer to a command; false where it says no: two layouts differ, a tensor map is refused, lints under strict.

    asked      the command line, without "swz"
    exit_code  0, or 1 where the answer is no
    """

    __slots__ = ("asked", "exit_code")
    asked: tuple[str, ...]
    exit_code: int

    def __init__(self, fields: Mapping[str, Any], asked: Sequence[str] = (), exit_code: int = 0) -> None:
        super().__init__(fields)
        object.__setattr__(self, "asked", tuple(asked))
        object.__setattr__(self, "exit_code", exit_code)

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.to_dict(), self.asked, self.exit_code)

    @property
    def json(self) -> dict[str, Any]:
        """The JSON of the command, as Python has it, to be changed at will."""
        return self.to_dict()

    def __str__(self) -> str:
        """What the command prints; of a measurement, which would be made again, its JSON."""
        if is_measured(self.asked):
            return json.dumps(self.to_dict(), indent=2)
        return run(["--color=never", *self.asked])[1]

    def picture(self, format: str = "svg", **options: Any) -> str:
        """The picture as SVG, TikZ (tex) or HTML; options are those of every picture: title="...", width="86mm"."""
        if format not in PICTURES:
            raise Error(f"{format} is not a format of text", "save('figure.png') writes PNG and PDF")
        return run([f"--format={format}", *words_of(options), *self.asked])[1]

    def svg(self, **options: Any) -> str:
        """The picture as SVG."""
        return self.picture("svg", **options)

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Writes the answer to a file; its suffix says the format: .svg, .png, .pdf, .tex, .html, .json, .txt."""
        run([f"--output={word_of(path)}", *words_of(options), *self.asked])

    def _repr_svg_(self) -> str | None:
        try:
            return None if is_measured(self.asked) else self.svg()
        except Error:
            return None  # this command has no picture

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else str(self))


def is_measured(words: Sequence[str]) -> bool:
    """swz verify takes seconds and asks a GPU: once, and in a process of its own."""
    return "verify" in words[:1]


def answer_to(words: Sequence[str]) -> Answer:
    """The answer to a command line."""
    if is_measured(words):
        exit_code, text = run(["--format=json", *words])
        return Answer(json.loads(text), words, exit_code)
    exit_code, fields = batch.ask(words)
    return Answer(fields, words, exit_code)


def ask(
    command: str,
    options: dict[str, Any],
    arguments: Sequence[Any] = (),
    layouts: Sequence[str] = (),
    repeated: Sequence[str] = (),
) -> Answer:
    """The answer to a command: what the functions of commands.py call.

    layouts   the options that take a layout; "arguments" for the arguments
    repeated  the options that take a list
    """
    found = []

    def text(value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, list):
            return [text(one) for one in value]
        found.append(text_of(value))
        return found[-1].text

    options.update({name: text(options[name]) for name in layouts if name != "arguments"})
    if "arguments" in layouts:
        arguments = [text(value) for value in arguments]
    for name in ("shape", "dtype"):
        if name in options and options[name] is None:
            said = agreed(name, [getattr(one, name) for one in found])
            # swz refuses a shape where no text needs it.
            options[name] = None if name == "shape" and all(one.is_whole for one in found) else said
    words = [word_of(value) for value in arguments if value is not None]
    return answer_to([*command.split(), *words_of(options, repeated), *(["--", *words] if words else [])])


def agreed(name: str, said: Sequence[Any]) -> Any:
    """What the layouts of a question say of their array, None where they say nothing."""
    distinct = list(dict.fromkeys(one for one in said if one is not None))
    if len(distinct) > 1:
        listed = " and ".join(word_of(one) for one in distinct)
        raise Error(f"the layouts are of arrays of different {name}: {listed}", f"say one for both: {name}=...")
    return distinct[0] if distinct else None
