# SPDX-License-Identifier: Apache-2.0
"""The text of swz's page on PyPI: README.md with whole links. scikit-build-core calls it (pyproject.toml).

PyPI shows no file of the repository: a link goes to the file of this version, a picture is read from there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def first(pattern: str, name: str) -> str:
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"))
    assert found, f"{name} has no {pattern}"
    return found[1]


def text() -> str:
    source = first(r'Source = "https://github\.com/([^"]+)"', "pyproject.toml")
    version = first(r"project\(swz VERSION ([0-9.]+)", "CMakeLists.txt")

    def whole(found: re.Match[str]) -> str:
        place = "raw.githubusercontent.com/{}/v{}" if found[1] else "github.com/{}/blob/v{}"
        return f"{found[1]}[{found[2]}](https://{place.format(source, version)}/{found[3]})"

    return LINK.sub(whole, (ROOT / "README.md").read_text(encoding="utf-8"))


def dynamic_metadata(field: str, settings: Mapping[str, Any]) -> dict[str, str]:
    if field != "readme" or settings:
        raise ValueError(f"{field}, {settings}: only the readme is made here, without settings")
    return {"content-type": "text/markdown", "text": text()}
