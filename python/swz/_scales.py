# SPDX-License-Identifier: Apache-2.0
"""Scales: where the scale factors of an operand are in memory, as functions of indices.

    s = swz.scales("128x4", rows=200, k=704, vec=32)     200 x 22 factors
    s.offset(37, 5)                                      597; also of numpy and torch arrays, elementwise
    s.factor(597)                                        (0, 37, 5): batch, row, kb
    packed = np.append(linear, 0)[s.sources]             what a kernel reads, padding 0; linear is flat
    linear = packed[s.slots].ravel()                     and back

A slot is the place of one factor: its number is its offset divided by `unit`, the bytes from one factor to the next.
"""

from __future__ import annotations

from typing import Any

from . import commands
from ._answer import Answer


class Scales:
    """rows, factors, batches: the factors; size: bytes with the padding; answer: what `swz sf place` says."""

    __slots__ = ("_digits", "answer", "batches", "factors", "rows", "size", "unit")

    def __init__(self, answer: Answer, rows: int, factors: int, batches: int) -> None:
        self.answer, self.rows, self.factors, self.batches = answer, rows, factors, batches
        self.size: int = answer["bytes"]
        self.unit: int = answer["unit"]
        # Batches follow each other, unless a digit counts them.
        self._digits: list[Any] = list(answer["digits"])
        if all(digit["axis"] != "batch" for digit in self._digits):
            each = self.size // batches
            self._digits.append({"axis": "batch", "from": 1, "count": batches, "stride": each})

    def __repr__(self) -> str:
        return f"<swz.scales {self.answer['layout']}: {self.batches} x {self.rows} x {self.factors}, {self.size} bytes>"

    def offset(self, row: Any, kb: Any, batch: Any = 0) -> Any:
        """The first byte of a factor: integers, or arrays of them."""
        axes = {"row": row, "kb": kb, "batch": batch}
        total = 0
        for digit in self._digits:
            total = total + axes[digit["axis"]] // digit["from"] % digit["count"] * digit["stride"]
        return total

    def factor(self, offset: Any) -> tuple[Any, Any, Any]:
        """Batch, row and kb of the factor in a byte; of padding, row or kb is beyond the factors."""
        found = {"row": 0, "kb": 0, "batch": 0}
        rest = offset
        for digit in reversed(self._digits):
            found[digit["axis"]] = found[digit["axis"]] + rest // digit["stride"] * digit["from"]
            rest = rest % digit["stride"]
        return found["batch"], found["row"], found["kb"]

    @property
    def slots(self) -> Any:
        """The slot of every factor, slots[batch][row][kb]: a numpy array where numpy is there, else tuples."""
        try:
            import numpy
        except ImportError:
            return tuple(
                tuple(tuple(self.offset(r, k, b) // self.unit for k in range(self.factors)) for r in range(self.rows))
                for b in range(self.batches)
            )
        batch, row, kb = numpy.ogrid[: self.batches, : self.rows, : self.factors]
        return self.offset(row, kb, batch) // self.unit

    @property
    def sources(self) -> Any:
        """The factor of every slot, as its number (batch * rows + row) * factors + kb; -1 for padding."""
        count = self.size // self.unit
        try:
            import numpy
        except ImportError:
            found = [-1] * count
            for b in range(self.batches):
                for r in range(self.rows):
                    for k in range(self.factors):
                        found[self.offset(r, k, b) // self.unit] = (b * self.rows + r) * self.factors + k
            return tuple(found)
        sources = numpy.full(count, -1, dtype=numpy.int64)
        sources[self.slots.ravel()] = numpy.arange(self.batches * self.rows * self.factors)
        return sources


def scales(layout: str, rows: int, k: int, vec: int = 32, batches: int = 1) -> Scales:
    """The scale factors of an operand of rows x k elements, one for `vec` elements, in the layout of this name: those
    of `swz sf list`, or what a project calls them ("to_blocked")."""
    answer = commands.sf_place(shape=(rows, k), layout=layout, vec=vec, batches=batches)
    return Scales(answer, rows, -(-k // vec), batches)
