"""%swz in IPython: a command line of swz as a line of a notebook.

    %load_ext swz
    %swz decode 0x4000004000010042
"""

from __future__ import annotations

import shlex
from typing import Any

from ._answer import Answer
from ._errors import Error
from ._process import batch


def swz_line(line: str) -> Any:
    """The answer, which shows itself; a refusal is printed as the command prints it."""
    words = shlex.split(line)
    try:
        exit, fields = batch.ask(words)
    except Error as error:
        print(f"swz: error: {error}")
        return None
    return Answer(fields, words, exit)


def load(shell: Any) -> None:
    shell.register_magic_function(swz_line, "line", "swz")
