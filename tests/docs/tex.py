# SPDX-License-Identifier: Apache-2.0
"""Every picture of docs/gallery.md as a tikzpicture: pdflatex and lualatex compile it, and it shows what the SVG shows.

    python3 tests/docs/tex.py --swz build/default/swz

Each command of the gallery is run once more with -f tex. Compared with the SVG: the boxes and where they lie, the texts
and where they are. Then every fourth, with SWZ_WHOLE_SWEEPS=1 all of them, are compiled as one document by pdflatex, and
the smallest by lualatex, with only tikz; an error or a warning of LaTeX fails the test. Without a TeX
only the comparison is made, and the test says so.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gallery import ROOT, SVG, draw, read_gallery, still

NUMBER = r"(-?[\d.]+)"
RECTANGLE = re.compile(rf"\\path\[[^]]*\] \({NUMBER},{NUMBER}\) rectangle \+\({NUMBER},{NUMBER}\);")
NODE = re.compile(rf"\\node\[([^]]*)\] at \({NUMBER},{NUMBER}\) {{(.*)}};")
LINE = re.compile(rf"\\draw\[[^]]*\] \({NUMBER},{NUMBER}\) -- \({NUMBER},{NUMBER}\);")
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{tikz}
\pagestyle{empty}\parindent=0pt\parskip=0pt\topmargin=0pt\textwidth=9000pt\textheight=9000pt
\begin{document}
%s
\end{document}
"""
SMALLEST = 12
EVERY = 4


def numbers(*texts):
    return tuple(float(text) for text in texts)


def letters_of(text):
    """The letters and digits, which TeX writes as they are."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


def letters_of_tex(text):
    text = re.sub(r"\$\\[a-z]+\$|\\text[a-z]+{}|\\dots{}", "", text)
    return letters_of(text)


def parts_of_svg(svg):
    root = ElementTree.fromstring(svg)
    boxes = [numbers(r.get("x"), r.get("y"), r.get("width"), r.get("height")) for r in root.iter(SVG + "rect")
             if r.get("class") != "p"]
    texts = [(*numbers(t.get("x"), t.get("y")), letters_of(t.text or "")) for t in root.iter(SVG + "text")]
    lines = [numbers(*re.split("[ ML]+", p.get("d"))[1:]) for p in root.iter(SVG + "path")]
    return sorted(boxes), sorted(texts), sorted(lines)


def parts_of_tex(tex):
    boxes = [numbers(*match.groups()) for match in RECTANGLE.finditer(tex)]
    texts = [(*numbers(match[2], match[3]), letters_of_tex(match[4])) for match in NODE.finditer(tex)]
    lines = [numbers(*match.groups()) for match in LINE.finditer(tex)]
    return sorted(boxes), sorted(texts), sorted(lines)


def faults_of(name, svg, tex):
    """What one picture shows in one of the two formats and not in the other."""
    faults = []
    for what, in_svg, in_tex in zip(("boxes", "texts", "lines"), parts_of_svg(svg), parts_of_tex(tex)):
        if in_svg == in_tex:
            continue
        odd = next((pair for pair in zip(in_svg, in_tex) if pair[0] != pair[1]), "one has more")
        faults.append(f"{name}: {len(in_svg)} {what} in SVG, {len(in_tex)} in TikZ: {odd}")
    return faults


def compile_all(engine, pictures, folder):
    """What LaTeX has to say against a document of these pictures."""
    document = folder / f"{engine}.tex"
    document.write_text(DOCUMENT % "\n\\newpage\n".join(pictures))
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", document.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    log = document.with_suffix(".log")
    text = log.read_text(errors="replace") if log.exists() else done.stdout
    said = [line for line in text.splitlines() if line.startswith("!") or re.search(r"Warning|Missing character", line)]
    if done.returncode != 0 or said:
        return [f"{engine}: exit code {done.returncode}: {'; '.join(said[:5]) or text[-400:]}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swz", required=True)
    swz = str(Path(parser.parse_args().swz).resolve())
    gallery = read_gallery(ROOT / "docs" / "gallery.md")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name)

        def both(item):
            picture, words = item
            stem = folder / Path(picture).stem
            return picture, *(draw(swz, still(words), stem.with_suffix(f".{suffix}")).decode() for suffix in ("svg", "tex"))

        drawn = list(pool.map(both, gallery.items()))
        faults = [fault for picture in drawn for fault in faults_of(*picture)]
        pictures = [tex for _, _, tex in drawn]
        smallest = sorted(pictures, key=len)[:SMALLEST]
        some = pictures if os.environ.get("SWZ_WHOLE_SWEEPS") else pictures[::EVERY]
        engines = [(engine, some) for engine, some in (("pdflatex", some), ("lualatex", smallest)) if shutil.which(engine)]
        for engine, some in engines:
            faults += compile_all(engine, some, folder)
    for fault in faults:
        print(fault)
    compiled = ", ".join(f"{len(some)} compiled by {engine}" for engine, some in engines) or "NOT compiled, there is no TeX here"
    print(f"{len(drawn)} pictures compared, {compiled}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
