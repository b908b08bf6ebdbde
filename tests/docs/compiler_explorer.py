# SPDX-License-Identifier: Apache-2.0
"""The tools of docs/compiler_explorer.md, run as Compiler Explorer's class base-tool runs them.

    python3 tests/docs/compiler_explorer.py --swz build/dev/swz

The class runs `exe`, with the words of `options`, those of the user and the name of the source, in the folder of the source.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = ROOT / "share/compiler_explorer"
PREFIX = "/opt/compiler-explorer/swz"
# docs/AddingATool.md of Compiler Explorer.
KEYS = {"name", "exe", "type", "exclude", "class", "stdinHint", "monacoStdin", "languageId", "options", "args"}
FINDING = "bank-conflict  line 75: ld.shared.b32 takes 32 wavefronts per warp where 1 would do"


def tool_of(path):
    """The properties of the only tool of a file."""
    rows = dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    assert rows.pop("tools") == "swz", path
    tool = {key.removeprefix("tools.swz."): value for key, value in rows.items()}
    assert set(tool) <= KEYS, f"{path}: {set(tool) - KEYS} are no keys of a tool"
    assert tool["class"] == "base-tool", path
    return tool


def run_tool(tool, prefix, source, words=()):
    """(exit code, output, errors)"""
    line = [tool["exe"].replace(PREFIX, str(prefix)), *tool["options"].split(), *words, str(source)]
    done = subprocess.run(line, cwd=source.parent, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def check(place, swz):
    """Yields what is wrong."""
    prefix = place / "swz"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/swz").symlink_to(swz)
    shutil.copytree(DEFINITIONS, prefix / "share/swz/compiler_explorer")
    shown = re.findall(r"^```ini\n(.*?)^```", (ROOT / "docs/compiler_explorer.md").read_text(encoding="utf-8"), re.S | re.M)
    for name, text in zip(("ptx", "cuda"), shown, strict=True):
        lines = (DEFINITIONS / f"{name}.local.properties").read_text(encoding="utf-8").splitlines(True)
        if "".join(line for line in lines if not line.startswith("#")) != text:
            yield f"docs/compiler_explorer.md shows other lines than {name}.local.properties"
    conflict, none = ROOT / "tests/ci/planted/transpose.ptx", ROOT / "tests/ci/repository/kernels/transpose.ptx"
    folder = place / "example"
    folder.mkdir()
    for language in ("ptx", "cuda"):
        tool = tool_of(DEFINITIONS / f"{language}.local.properties")
        source = folder / f"example.{'ptx' if language == 'ptx' else 'cu'}"
        if language == "cuda":
            source.touch()
            (folder / "output.s").write_text("\t.text\n")  # the code of the host
        for ptx, finding in ((conflict, FINDING), (none, "no contradiction found")):
            shutil.copy(ptx, folder / "example.ptx")
            for words in ((), ("--threads", "256")):
                code, out, errors = run_tool(tool, prefix, source, words)
                if code != 0 or finding not in out or "\x1b" in out or errors:
                    yield f"{language}, {ptx.name}, {words}: exit {code}: {out}{errors}"
    # clang leaves the PTX in output.s; without any the tool says so.
    (folder / "example.ptx").rename(folder / "output.s")
    tool = tool_of(DEFINITIONS / "cuda.local.properties")
    if "no contradiction found" not in run_tool(tool, prefix, folder / "example.cu")[1]:
        yield "the PTX in output.s is not read"
    (folder / "output.s").unlink()
    code, out, errors = run_tool(tool, prefix, folder / "example.cu")
    if (code, out) != (2, "") or "the compiler left no PTX" not in errors:
        yield f"no PTX: exit {code}: {out}{errors}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--swz", type=Path, required=True, help="the built program")
    swz = parser.parse_args().swz.resolve()
    with tempfile.TemporaryDirectory() as place:
        wrong = list(check(Path(place), swz))
    print("\n".join(wrong) or "two tools of Compiler Explorer: all answers as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
