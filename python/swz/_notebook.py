# SPDX-License-Identifier: Apache-2.0
"""%swz in IPython: a command line of swz as a line of a notebook; %%swz: one in each line of a cell.

    %load_ext swz
    %swz decode 0x4000004000010042

    %%swz --arch sm_90a
    # the options of the first line are those of every line
    decode 0x4000004000010040
    decode 0x4000004000010042

The value of a line is an Answer, that of a cell Answers: pictures where the command has one, otherwise text. `.json` is
the JSON that docs/json.md describes. {name} and $name are the notebook's variables, as in every magic.
"""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Sequence
from typing import Any, overload

from ._answer import Answer, answer_to
from ._errors import Error


class Answers(Sequence[Answer]):
    """What the lines of a cell are answered. A refused line has none; what was wrong with it is printed."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = tuple(answers)

    @overload
    def __getitem__(self, index: int) -> Answer: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Answer]: ...
    def __getitem__(self, index: int | slice) -> Answer | Sequence[Answer]:
        return self._answers[index]

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        return "\n\n".join(str(answer) for answer in self._answers)

    @property
    def json(self) -> list[dict[str, Any]]:
        """The JSON of each answer."""
        return [answer.json for answer in self._answers]

    def _ipython_display_(self) -> None:
        display = importlib.import_module("IPython.display").display
        for answer in self._answers:
            display(answer)


def asked(words: Sequence[str], place: str = "") -> Answer | None:
    """The answer, which shows itself; a refusal is printed as the command prints it."""
    try:
        return answer_to(words)
    except Error as error:
        print(f"swz: error: {place}{error}", file=sys.stderr)
        return None


def words_of(line: str, place: str = "") -> list[str]:
    try:
        return shlex.split(line, comments=bool(place))
    except ValueError as error:
        print(f"swz: error: {place}{error}", file=sys.stderr)
        return []


def swz_line(line: str) -> Answer | None:
    words = words_of(line)
    return asked(words) if words else None


def swz_cell(line: str, cell: str, shell: Any = None) -> Answers:
    """One command in each line of the cell, as `swz batch` reads them; an error in one does not stop the rest."""
    common = words_of(line)
    answers = []
    for number, text in enumerate(cell.splitlines(), 1):
        place = f"line {number}: "
        words = words_of(shell.var_expand(text, depth=0) if shell else text, place)
        answer = asked([*words, *common], place) if words else None
        if answer is not None:
            answers.append(answer)
    return Answers(answers)


def load(shell: Any) -> None:
    def swz(line: str, cell: str | None = None) -> Answer | Answers | None:
        return swz_line(line) if cell is None else swz_cell(line, cell, shell)

    shell.register_magic_function(swz, "line_cell", "swz")
