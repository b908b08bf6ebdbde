# SPDX-License-Identifier: Apache-2.0
"""The version is written once, in project(swz VERSION ...) of CMakeLists.txt; texts that name it follow.

    python3 tests/house/versions.py         prints the version, and each line that names another; exits 1 if there is any
    python3 tests/house/versions.py 1.2.0   sets it, there and in the texts: sh scripts/version 1.2.0

The command, the library, the packages and the Python package take theirs from CMakeLists.txt when they are built. Texts
name it in file names (swz-1.2.0), requirements (swz==1.2.0, find_package(swz 1.2)) and inputs (version: 1.2.0). The first
section of CHANGELOG.md has to be that of the version.
"""

import re
import sys
from pathlib import Path

SOURCE = "CMakeLists.txt"
CHANGES = "CHANGELOG.md"
PROJECT = re.compile(r"(project\(swz VERSION )(\d+\.\d+\.\d+)")
SECTION = re.compile(r"^(## )(\d+\.\d+\.\d+)", re.MULTILINE)
TEXTS = ("README.md", "action.yml", "docs/*.md", "docs/ci/*", "cmake/package.cmake", "tests/docs/declared.py", "tests/gdb/transcript.txt")
# As many parts of the version as each form has.
NAMED = re.compile(
    r"(\bswz(?:[-_ ]|==)(?=\d+\.\d+\.\d)|(?:version: |rev: v|for example )(?=\d+\.\d+\.\d)|find_package\(swz |The JSON of swz )"
    r"(\d+(?:\.\d+){0,2})"
)


def texts(root):
    return [path for pattern in TEXTS for path in sorted(root.glob(pattern)) if path.is_file()]


def version_of(root):
    """The version, or None where the tree has none."""
    source = root / SOURCE
    found = PROJECT.search(source.read_text(encoding="utf-8")) if source.exists() else None
    return found[2] if found else None


def as_long_as(version, named):
    return ".".join(version.split(".")[: named.count(".") + 1])


def breaches(root):
    """(file, line number, what is wrong) of each line that names another version."""
    version = version_of(root)
    if not version:
        return
    for path in texts(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for _, named in NAMED.findall(line):
                if named != as_long_as(version, named):
                    yield path, number, f"names version {named}, {SOURCE} has {version}: sh scripts/version {version}"
    changes = (root / CHANGES).read_text(encoding="utf-8") if (root / CHANGES).exists() else ""
    first = SECTION.search(changes)
    if not first or first[2] != version:
        number = changes[: first.start()].count("\n") + 1 if first else 1
        yield root / CHANGES, number, f"its first section is not that of version {version}: write '## {version}'"


def set_version(root, version):
    for path in [root / SOURCE, *texts(root)]:
        text = path.read_text(encoding="utf-8")
        pattern = PROJECT if path.name == SOURCE else NAMED
        changed = pattern.sub(lambda found: found[1] + as_long_as(version, found[2]), text)
        if changed != text:
            path.write_text(changed, encoding="utf-8")


def main():
    root = Path(__file__).resolve().parents[2]
    if len(sys.argv) > 1:
        if not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[1]):
            print(f"'{sys.argv[1]}' is no version: give three numbers, as in sh scripts/version 1.2.0", file=sys.stderr)
            return 2
        set_version(root, sys.argv[1])
    found = list(breaches(root))
    for path, number, wrong in found:
        print(f"{path.relative_to(root)}:{number}: {wrong}", file=sys.stderr)
    print(version_of(root))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
