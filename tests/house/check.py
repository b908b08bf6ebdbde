# SPDX-License-Identifier: Apache-2.0
"""The house rules that a machine can read, checked in the source tree.

    python3 tests/house/check.py [ROOT]

Prints one line for each breach, "file:line: what is wrong", and exits 1 if there is any.

  arrows    A room may include only rooms to its left, from the root of src: "arch/dtype.hpp".
  core      src/ neither prints nor reads files: no <iostream>, no <fstream>. src/probe/cuda is no core: it asks the
            system, whose driver tells its version in a file. It prints as little as the others.
  library   src/<room>/ is built without the command: of others' headers it has only <fmt/...>, and
            <nlohmann/...> where JSON is read and written: src/base/json.cpp.
  CLI11     <CLI/...> is included only by cmd/words.cpp: its header takes seconds to compile.
  kernels   A CUDA file is in src/probe/cuda/kernels and includes only the headers there and
            "statement.cuh", which swz puts in their places: NVRTC has no others.
  licence   A source of any language names its licence in its first line, a script in its second.
  headers   A header (.hpp, .cuh) begins with a comment that says what it is, and has #pragma once.
  length    No file in src/ or cmd/ is longer than 600 lines, no function longer than 60.
  types     One type a name in namespace swz: two files that define one name break the program without a message, where
            one program links both. A type of an unnamed namespace is the file's own.
  includes  What a file names it includes, itself or through its headers: includes.py.
  tests     A test case is in a file named test_<thing>.cpp, where ctest looks for it.
  words     No comment, message or document has a word that is not plain English: words.py.
  version   What names the version of swz names that of CMakeLists.txt, and CHANGELOG.md begins with it: versions.py.
"""

import re
import sys
from pathlib import Path

import includes
import versions
import words

# In the order of docs/contributing.md.
ROOMS = "base layout arch fragment smem scale tmem expr dialect descriptor tma cluster story pipeline identify binary ptx sass probe source view render cmd".split()
MAX_LINES = 600
MAX_FUNCTION_LINES = 60
SOURCES = {".hpp", ".cpp", ".h", ".cu", ".cuh", ".in"}
# The part of src that is no core, and in it the files that a GPU runs.
DEVICE = "src/probe/cuda/"
PAINTER = "src/render/cairo/"
CODECS = "src/binary/codec/"
JSON = "src/base/json.cpp"
COMMAND_LINE = "cmd/words.cpp"
KERNELS = DEVICE + "kernels/"
KERNEL_INCLUDES = {"probe.cuh", "tma.cuh", "tmem.cuh", "statement.cuh"}
STANDARD_HEADER = re.compile(r"[a-z0-9_]+")
NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{$")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) ([\w:]+)(?= )[^;()]*\{")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# What names its licence: (folder, names of its files). A script without a suffix is one of scripts/.
LICENSED = (
    ("src", r".*\.(?:[ch]pp|cuh?|txt)"), ("cmd", r".*\.(?:[ch]pp|txt)"), ("tests", r".*\.(?:[ch]pp|cuh?|py|sh)|CMakeLists\.txt"),
    ("cmake", r".*\.cmake"), ("scripts", r"[a-z]+|.*\.sh"), ("python", r".*\.py"), ("page", r".*\.(?:js|py)"), ("gdb", r".*\.py"),
)
NO_FUNCTION = re.compile(r"(?:namespace|struct|class|enum|union|extern|if|for|while|do|switch|try)\b")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path, root):
    """src/layout/swizzle.hpp -> layout, cmd/decode.cpp -> cmd; None for a file that is in no room."""
    parts = path.relative_to(root).parts
    room = parts[0] if parts[0] == "cmd" else parts[1]
    return room if room in ROOMS else None


def check_kernel_include(quote, target):
    """The same for a CUDA file."""
    if quote == '"' and target in KERNEL_INCLUDES:
        return None
    return f"a kernel includes only {' and '.join(sorted(KERNEL_INCLUDES))}: {target}"


def check_include(room, name, quote, target):
    """What is wrong with this include of the file `name`, which is in a room, or None."""
    first = target.split("/")[0]
    if first in ROOMS and "/" in target:
        if ROOMS.index(first) > ROOMS.index(room):
            return f"'{room}' may not include '{first}', which is to its right: {target}"
        return None
    if target.startswith("swz/") and quote == "<":
        return f"inside the house an include is written from the root of src, not {target}"
    if quote == '"' and room != "cmd":
        return f'not written from the root of src ("room/file.hpp"): {target}'
    may_read = room == "cmd" or name.startswith(DEVICE)
    if (room != "cmd" and target == "iostream") or (not may_read and target == "fstream"):
        return f"the core neither prints nor reads files: <{target}>"
    in_library = room != "cmd" and not name.startswith((DEVICE, PAINTER, CODECS))
    if room == "cmd" and first == "CLI" and name != COMMAND_LINE:
        return f"CLI11 is included only by {COMMAND_LINE}: <{target}>"
    if first == "nlohmann" and name != JSON:
        return f"nlohmann-json is included only by {JSON}: <{target}>"
    if in_library and quote == "<" and not STANDARD_HEADER.fullmatch(target) and first not in ("fmt", "nlohmann"):
        return f"the library needs only fmt and nlohmann-json: <{target}>"
    return None


def check_file(path, root):
    """Yields (line number, what is wrong)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    room = room_of(path, root)
    if room is None:
        yield 1, "is in no room; the rooms are " + " ".join(ROOMS)
        return
    name = path.relative_to(root).as_posix()
    is_kernel = path.suffix in (".cu", ".cuh")
    if is_kernel and not name.startswith(KERNELS):
        yield 1, f"a CUDA file belongs in {KERNELS}, from where the build takes it into the binary"
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        if is_kernel:
            wrong = check_kernel_include(include[1], include[2])
        else:
            wrong = check_include(room, name, include[1], include[2])
        if wrong:
            yield number, wrong
    if ".hpp" in path.suffixes or path.suffix == ".cuh":
        head = 1 if lines and LICENCE in lines[0] else 0
        if len(lines) <= head or not re.match(r"//\s*\S", lines[head]):
            yield head + 1, "a header begins with a comment that says what it is"
        if "#pragma once" not in lines:
            yield 1, "a header has #pragma once"
    if len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines, more than {MAX_LINES}"
    for number, length in function_lengths(lines):
        if length > MAX_FUNCTION_LINES:
            yield number, f"a function of {length} lines, more than {MAX_FUNCTION_LINES}"


def function_lengths(lines):
    """(line where it begins, lines) of each function, as clang-format leaves them: its last line is only a brace."""
    for indent in ("", "  "):  # in a namespace, in a class
        begin = None
        for number, line in enumerate(lines, 1):
            before = lines[number - 2].strip() if number > 1 else ""
            at_level = line.startswith(indent) and line[len(indent) : len(indent) + 1] not in ("", " ", "}", "/", "#")
            if at_level and (not before or before.endswith((";", "}", "{", ":")) or before.startswith("//")):
                begin = None if NO_FUNCTION.match(line.strip()) else number
            if line == indent + "}" and begin:
                yield begin, number - begin + 1
                begin = None


def defined_types(path):
    """Yields (line number, name) of each type that the file defines in a named namespace: "swz::Layout"."""
    namespaces = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if opened := NAMESPACE.match(line):
            namespaces.append(opened[1] or "")
        elif line.startswith("}  // namespace") and namespaces:
            namespaces.pop()
        elif (defined := TYPE.match(line)) and "" not in namespaces:
            yield number, "::".join([*namespaces, defined[1]])


def check_types(files):
    """Yields (file, line number, what is wrong) where a name is defined again."""
    first = {}
    for path in files:
        if path.suffix in (".cu", ".cuh"):
            continue
        for number, name in defined_types(path):
            if first.setdefault(name, path) != path:
                yield path, number, f"{name} is another type in {first[name].name}"


def check_test_file(path):
    if path.name.startswith("test_"):
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.match(r"\s*(TEST_CASE|SCENARIO)", line):
            yield number, "a test case outside of a file named test_<thing>.cpp is not run by ctest"


def check_licences(root):
    """Yields (file, line number, what is wrong) of each source that does not name its licence."""
    for folder, names in LICENSED:
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or not re.fullmatch(names, path.name):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()[:2]
            number = 2 if lines and lines[0].startswith("#!") else 1
            if len(lines) < number or LICENCE not in lines[number - 1]:
                yield path, number, f"its licence is not named: {LICENCE}"


def check(root):
    """All breaches as "file:line: what is wrong", and the number of files read."""
    files = sorted(p for d in ("src", "cmd") for p in (root / d).rglob("*") if p.suffix in SOURCES)
    tests = sorted((root / "tests").rglob("*.cpp"))
    found = [(p, *breach) for p in files for breach in check_file(p, root)]
    found += includes.breaches(root)
    found += words.breaches(root)
    found += versions.breaches(root)
    found += check_types(files)
    found += [(p, *breach) for p in tests for breach in check_test_file(p)]
    return [f"{p.relative_to(root)}:{number}: {wrong}" for p, number, wrong in found], len(files) + len(tests)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    breaches, count = check(root)
    breaches += [f"{p.relative_to(root)}:{number}: {wrong}" for p, number, wrong in check_licences(root)]
    if count == 0:
        breaches = [f"{root}: no source files here"]
    for breach in breaches:
        print(breach)
    print(f"{count} files read, {len(breaches)} breaches of the house rules")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
