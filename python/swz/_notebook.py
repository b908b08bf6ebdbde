# SPDX-License-Identifier: Apache-2.0
"""%swz in IPython: a command line of swz as a line of a notebook.

    %load_ext swz
    %swz decode 0x4000004000010042
"""

from __future__ import annotations

import shlex
import sys
from typing import Any

from ._answer import Answer, answer_to
from ._errors import Error


def swz_line(line: str) -> Answer | None:
    """The answer, which shows itself; a refusal is printed as the command prints it."""
    try:
        return answer_to(shlex.split(line))
    except (Error, ValueError) as error:
        print(f"swz: error: {error}", file=sys.stderr)
        return None


def load(shell: Any) -> None:
    shell.register_magic_function(swz_line, "line", "swz")
