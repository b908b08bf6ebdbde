# SPDX-License-Identifier: Apache-2.0
"""Every picture of docs/gallery.md is what the command above it draws.

    python3 tests/docs/gallery.py --swz build/default/swz            compare; exits 1 when one is stale
    python3 tests/docs/gallery.py --swz build/default/swz --write    draw them
    python3 tests/docs/gallery.py … --only 'tmem|sf_'                those whose name matches this pattern

In docs/gallery.md a block that opens with ```sh holds commands, each of which writes one picture. The lines after the
block show those of docs/gallery, which are in git, and describe those of build/gallery, which are not:

    ```sh
    swz place --dtype bf16 --tile 8x64 -o docs/gallery/atom_k_128B.svg
    swz place --dtype bf16 --tile 8x64 --label element -o build/gallery/atom_k_128B_elements.svg
    ```
    ![what it shows](gallery/atom_k_128B.svg)
    *What it shows.*

Each is drawn in the forms of FORMS; tests/data/gallery.txt has a hash of each file: "hash file". Checked: the hashes and
the files of docs/gallery; that an SVG is well-formed XML with a title and texts; that no picture is shown or described
without a command, and no file is left over in docs/gallery. Each picture is also drawn as PNG and PDF, which must hold
something.
"""

import argparse
import hashlib
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
SHOWN = re.compile(r"^(?:!\[([^\]]+)\]\(gallery/(\w+)\.svg\)|\*([^*]+)\.\*)$", re.M)
# The files of a picture NAME, and what is added to its command.
FORMS = {"{}.svg": [], "narrow/{}.svg": ["--width", "360px"], "{}.tex": [], "{}.html": []}
HASHES = ROOT / "tests" / "data" / "gallery.txt"
PLACES = ("docs/gallery/", "build/gallery/")


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
    """{"gallery/NAME.svg": words of its command}, in order. Throws where commands and pictures do not match."""
    return {name: words for name, (words, _) in placed_pictures(path).items()}


def placed_pictures(path):
    """{"gallery/NAME.svg": (words of its command, whether the picture is in git)}"""
    text = path.read_text()
    drawn = {}
    for number, line in commands_of(text):
        words = shlex.split(line)
        if words[0] != "swz" or len(words) < 3 or words[-2] != "-o" or not words[-1].startswith(PLACES):
            raise Failure(f"{path.name}:{number}: a command of the gallery is 'swz ... -o docs/gallery/NAME.svg', or build/gallery")
        name = words[-1].partition("/")[2]
        if name in drawn:
            raise Failure(f"{path.name}:{number}: {name} is drawn twice")
        drawn[name] = (words[1:-2], words[-1].startswith(PLACES[0]))
    shown = [f"gallery/{name}.svg" if name else None for _, name, _ in SHOWN.findall(text)]
    wanted = [name if is_kept else None for name, (_, is_kept) in drawn.items()]
    if wanted != shown:
        odd = sorted({name for name in {*wanted} ^ {*shown} if name}) or ["their order, or a description"]
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
    """The command for formats other than SVG; only SVG can be animated."""
    return [word for word in words if word != "--animate"]


def drawn_forms(swz, folder, name, words):
    """{file: bytes} of a picture in every form."""
    stem = Path(name).stem
    check_png(name, draw(swz, still(words), folder / f"{stem}.png"))
    check_pdf(name, draw(swz, still(words), folder / f"{stem}.pdf"))
    made = {}
    for form, more in FORMS.items():
        file = form.format(stem)
        made[file] = draw(swz, [*(words if file.endswith(".svg") else still(words)), *more], folder / file)
        if file.endswith(".svg"):
            check_svg(name, made[file])
    return made


def recorded_hashes():
    return dict(reversed(line.split()) for line in HASHES.read_text(encoding="utf-8").splitlines()) if HASHES.is_file() else {}


def stale(files, hashes):
    return [f"{name} is stale; draw it with: sh scripts/gallery" for name, data in files.items() if hashes.get(name) != hash_of(data)]


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:16]


def check(swz, write, only):
    """Returns how many pictures were drawn. Throws Failure with every fault, one per line."""
    pictures = placed_pictures(ROOT / "docs" / "gallery.md")
    chosen = {name: words for name, (words, _) in pictures.items() if re.search(only, Path(name).stem)}
    hashes, faults = recorded_hashes(), []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        (Path(scratch) / "narrow").mkdir()
        jobs = {name: pool.submit(drawn_forms, swz, Path(scratch), name, words) for name, words in chosen.items()}
        for name, job in jobs.items():
            try:
                made, is_kept = job.result(), pictures[name][1]
            except (Failure, ElementTree.ParseError) as failure:
                faults.append(str(failure))
                continue
            if write:
                hashes.update((file, hash_of(data)) for file, data in made.items())
                svg = ROOT / ("docs" if is_kept else "build") / name
                svg.parent.mkdir(parents=True, exist_ok=True)
                svg.write_bytes(made[svg.name])
            else:
                faults += stale(made, hashes)
    files = sorted(form.format(Path(name).stem) for name in pictures for form in FORMS)
    if write:
        hashes = {file: hashes[file] for file in files if file in hashes}
        HASHES.write_text("".join(f"{made} {file}\n" for file, made in hashes.items()), encoding="utf-8")
    faults += [f"{file} is in tests/data/gallery.txt and not in gallery.md" for file in sorted(set(hashes) - set(files))]
    folder = ROOT / "docs" / "gallery"
    kept = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    shown = {Path(name).name for name, (_, is_kept) in pictures.items() if is_kept}
    faults += [f"docs/gallery/{name} is missing; draw it with: sh scripts/gallery" for name in sorted(shown - set(kept))]
    faults += [f"docs/gallery/{name} is not shown in gallery.md" for name in sorted(set(kept) - shown)]
    faults += stale({name: kept[name] for name in sorted(shown & set(kept))}, hashes)
    if faults:
        raise Failure("\n".join(faults))
    return len(chosen)


def main():
    parser = argparse.ArgumentParser(description="check or draw docs/gallery")
    parser.add_argument("--swz", required=True, help="the program")
    parser.add_argument("--write", action="store_true", help="draw the pictures")
    parser.add_argument("--only", default="", help="a pattern for the names of the pictures")
    options = parser.parse_args()
    try:
        count = check(str(Path(options.swz).resolve()), options.write, options.only)
    except Failure as failure:
        sys.exit(f"{failure}")
    print(f"{count} pictures {'drawn' if options.write else 'are what their commands draw'}")


if __name__ == "__main__":
    main()
