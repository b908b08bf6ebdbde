# SPDX-License-Identifier: Apache-2.0
"""A program that uses the package, for mypy --strict: it is checked and never run."""

import pathlib

import swz


def words(tile: tuple[int, int]) -> list[str]:
    answer = swz.desc(dtype="bf16", tile=tile, arch="sm_90a", strict=True)
    return [step.word for step in answer.descriptors] if answer else []


def same(a: swz.Layout) -> bool:
    text: str = a.cute + a.triton((64, 64))
    return bool(a.diff(lambda row, col: row * 64 + col)) and text != ""


def refused() -> str:
    try:
        swz.encode_smem(from_=pathlib.Path("word.json"), sbo=1024)
    except swz.Error as error:
        return f"{error.message} {error.hint} {error.place}"
    return ""


swz.decode(0x42, wrong=1)  # type: ignore[call-arg]
swz.layout([1, 2], shape=1.5)  # type: ignore[arg-type]
