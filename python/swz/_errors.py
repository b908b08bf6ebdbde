# SPDX-License-Identifier: Apache-2.0
"""Error: what swz refuses, with the way out and the place in the text."""

from __future__ import annotations


class Error(Exception):
    """A refusal of swz, or a swz that cannot be asked.

    message    what is wrong, one sentence
    hint       the way out; empty when there is none
    place      (begin, end) in bytes of the text that is wrong, or None
    exit_code  2: the input is wrong; 3: the hardware, or swz itself, could not be asked
    """

    def __init__(
        self, message: str, hint: str = "", place: tuple[int, int] | None = None, exit_code: int = 2
    ) -> None:
        super().__init__(message, hint, place, exit_code)
        self.message = message
        self.hint = hint
        self.place = place
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message
