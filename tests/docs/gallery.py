# SPDX-License-Identifier: Apache-2.0
"""Every picture of docs/gallery.md is what the command above it draws.

    python3 tests/docs/gallery.py --swz build/default/swz            compare; exits 1 when one is stale
    python3 tests/docs/gallery.py --swz build/default/swz --write    draw them anew
    python3 tests/docs/gallery.py … --only 'tmem|sf_'                those whose name holds this pattern

In docs/gallery.md a block that opens with ```sh holds commands, each of which writes one picture, and the lines after
the block show them, on a phone as wide as a phone, with the other formats below:

    ```sh
    swz place --dtype bf16 --tile 8x64 -o docs/gallery/atom_k_128B.svg
    ```
    <picture><source media="(max-width: 640px)" srcset="gallery/narrow/atom_k_128B.svg"><img alt="what it shows" src="gallery/atom_k_128B.svg"></picture>
    <br>[TikZ](gallery/atom_k_128B.tex), [HTML](gallery/atom_k_128B.html)

Checked: the bytes of each file; that an SVG is well-formed XML with a title and texts; that no picture is shown without
a command, none is drawn and not shown, and no file is left over in docs/gallery. Each picture is also drawn as PNG and
PDF, which must hold something.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
SHOWN = re.compile(
    r'<picture><source media="\(max-width: 640px\)" srcset="gallery/narrow/(\w+)\.svg">'
    r'<img alt="([^"]*)" src="gallery/(\w+)\.svg"></picture>\n<br>\[TikZ\]\(gallery/(\w+)\.tex\), '
    r"\[HTML\]\(gallery/(\w+)\.html\)")
# What stands in docs/gallery of each picture NAME, and what is added to its command.
KEPT = {"{}.svg": [], "narrow/{}.svg": ["--width", "360px"], "{}.tex": [], "{}.html": []}


class Failure(Exception):
    """A gallery that cannot be read, or a picture that is not what its command draws."""


def commands_of(text):
    """(line number, command line) of each command in ```sh blocks; a trailing backslash goes on."""
    found, inside, pending = [], False, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```sh" and not inside
            continue
        if not inside or not line.strip():
            continue
        start, so_far = pending or (number, "")
        if line.endswith("\\"):
            pending = (start, so_far + line[:-1])
            continue
        pending = None
        found.append((start, so_far + line.strip()))
    return found


def read_gallery(path):
    """{file name under docs/: words of its command}, in order. Throws where commands and images do not match."""
    text = path.read_text()
    drawn = {}
    for number, line in commands_of(text):
        words = shlex.split(line)
        if words[0] != "swz" or len(words) < 3 or words[-2] != "-o" or not words[-1].startswith("docs/"):
            raise Failure(f"{path.name}:{number}: a command of the gallery is 'swz ... -o docs/gallery/NAME.svg'")
        name = words[-1].removeprefix("docs/")
        if name in drawn:
            raise Failure(f"{path.name}:{number}: {name} is drawn twice")
        drawn[name] = words[1:-2]
    shown = []
    for narrow, description, *names in SHOWN.findall(text):
        shown.append(f"gallery/{narrow}.svg")
        if not description.strip():
            raise Failure(f"{path.name}: {narrow} has no description")
        if set(names) != {narrow}:
            raise Failure(f"{path.name}: {narrow} is shown beside {', '.join(sorted(set(names) - {narrow}))}")
    if list(drawn) != shown:
        odd = sorted(set(drawn) ^ set(shown)) or ["their order"]
        raise Failure(f"{path.name}: what is drawn and what is shown differ: {', '.join(odd)}")
    return drawn


def draw(swz, words, output):
    """Runs one command with its answer in a file. Returns the bytes of the file."""
    done = subprocess.run(
        [swz, *words, "-o", str(output)], capture_output=True, cwd=ROOT, stdin=subprocess.DEVNULL
    )
    if done.returncode not in (0, 1) or done.stderr or done.stdout:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise Failure(f"swz {shlex.join(words)}: exit {done.returncode}: {said}")
    return output.read_bytes()


def check_svg(name, data):
    root = ElementTree.fromstring(data)
    if root.tag != SVG + "svg":
        raise Failure(f"{name}: no svg at its root")
    if root.find(SVG + "title") is None:
        raise Failure(f"{name}: no title")
    if not any(text.text for text in root.iter(SVG + "text")):
        raise Failure(f"{name}: no text")


def check_png(name, data):
    """Signature, and pixels that are not all alike."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        raise Failure(f"{name}: no PNG")
    pixels, at = b"", 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            pixels += data[at + 8 : at + 8 + length]
        at += 12 + length
    if len(set(zlib.decompress(pixels))) < 16:
        raise Failure(f"{name}: the PNG shows nothing")


def check_pdf(name, data):
    if not data.startswith(b"%PDF-") or b"%%EOF" not in data[-16:] or len(data) < 4000:
        raise Failure(f"{name}: the PDF shows nothing")


def still(words):
    """The command for formats other than SVG, which alone can be animated."""
    return [word for word in words if word != "--animate"]


def check_one(swz, folder, name, words, write):
    stem = Path(name).stem
    check_png(name, draw(swz, still(words), folder / f"{stem}.png"))
    check_pdf(name, draw(swz, still(words), folder / f"{stem}.pdf"))
    for place, more in KEPT.items():
        kept = ROOT / "docs" / "gallery" / place.format(stem)
        new = folder / place.format(stem)
        made = draw(swz, [*(words if new.suffix == ".svg" else still(words)), *more], new)
        if new.suffix == ".svg":
            check_svg(name, made)
        if write:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(made)
        elif not kept.is_file():
            raise Failure(f"{kept.relative_to(ROOT)} is missing; draw it with: sh scripts/gallery")
        elif kept.read_bytes() != made:
            raise Failure(f"{kept.relative_to(ROOT)} is stale; draw it anew with: sh scripts/gallery")


def check(swz, write, only):
    """Returns how many pictures were drawn. Throws Failure with every fault, one a line."""
    drawn = read_gallery(ROOT / "docs" / "gallery.md")
    chosen = {name: words for name, words in drawn.items() if re.search(only, Path(name).stem)}
    faults = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        (Path(scratch) / "narrow").mkdir()
        jobs = [pool.submit(check_one, swz, Path(scratch), name, words, write) for name, words in chosen.items()]
        for job in jobs:
            try:
                job.result()
            except (Failure, ElementTree.ParseError) as failure:
                faults.append(str(failure))
    folder = ROOT / "docs" / "gallery"
    wanted = {folder / place.format(Path(name).stem) for name in drawn for place in KEPT}
    left = sorted(path for path in folder.rglob("*") if path.is_file() and path not in wanted)
    faults += [f"{path.relative_to(ROOT)} is shown nowhere in gallery.md" for path in left]
    if faults:
        raise Failure("\n".join(faults))
    return len(chosen)


def main():
    parser = argparse.ArgumentParser(description="check or draw docs/gallery")
    parser.add_argument("--swz", required=True, help="the program")
    parser.add_argument("--write", action="store_true", help="draw the pictures anew, in place")
    parser.add_argument("--only", default="", help="a pattern for the names of the pictures")
    options = parser.parse_args()
    try:
        count = check(str(Path(options.swz).resolve()), options.write, options.only)
    except Failure as failure:
        sys.exit(f"{failure}")
    print(f"{count} pictures {'drawn' if options.write else 'are what their commands draw'}")


if __name__ == "__main__":
    main()
