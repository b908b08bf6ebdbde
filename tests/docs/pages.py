"""The HTML of pictures in a browser: every cell says what its tooltip says, lights up what says the same, and can be pinned.

    python3 tests/docs/pages.py --swz build/default/swz --browser chromium

For some pictures of docs/gallery.md: a script points at every cell in turn and reads what the page then says; the texts
are compared with the tooltips of the SVG that the same command draws. Then keys: right, Enter, Escape. The page is
opened from a file and has to be below 400 KB.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from gallery import ROOT, SVG, draw, read_gallery

PICTURES = """atom_k_128B atom_mn_128B banks_128B mma_a_k_major mma_m16n8k8 ldmatrix_x2 decode phase_64B tma_32B_plan
    tma_gaps map_k_128B desc_k_32B mma_tiles why_swizzle stack_32B_k_first place_mn_32B tma_corner
    banks_ldmatrix atom_k_32B atom_mn_64B""".split()
MOST_BYTES = 400_000
SCRIPT = """<script>
const out = [], point = rect => rect.dispatchEvent(new Event('pointerover', {bubbles: true}));
const key = name => document.dispatchEvent(new KeyboardEvent('keydown', {key: name}));
const lit = () => document.querySelectorAll('rect.lit').length;
for (const rect of document.querySelectorAll('rect[data-says]')) {
  point(rect);
  out.push([said.textContent, lit()]);
}
svg.dispatchEvent(new Event('pointerleave'));
const keys = [[said.textContent, lit()]];
for (const name of ['ArrowRight', 'Enter', 'ArrowRight', 'Escape']) {
  key(name);
  keys.push([said.textContent, lit(), document.querySelectorAll('rect.pinned').length]);
}
const result = document.createElement('script');
result.type = 'application/json';
result.id = 'result';
result.textContent = JSON.stringify({out, keys}).replaceAll('<', '\\\\u003c');
document.body.append(result);
</script>"""


def faults_of(name, svg, html, browser, folder):
    if len(html) > MOST_BYTES:
        yield f"{name}: {len(html)} bytes, more than {MOST_BYTES}"
    page = folder / f"{Path(name).stem}.html"
    page.write_bytes(html + SCRIPT.encode())
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'id="result">(.*?)</script>', dom, re.S)
    if not found:
        yield f"{name}: the page does not answer"
        return
    result = json.loads(found[1])
    rects = ElementTree.fromstring(svg).iter(SVG + "rect")
    tips = [rect.find(SVG + "title").text for rect in rects if rect.find(SVG + "title") is not None]
    expected = [[tip, tips.count(tip)] for tip in tips]
    if result["out"] != expected:
        odd = next((pair for pair in zip(result["out"], expected) if pair[0] != pair[1]), "their number")
        yield f"{name}: the page says {len(result['out'])} cells, the picture has {len(expected)}: {odd}"
    rest, right, enter, moved, escape = result["keys"]
    if rest[1] != 0 or right[:2] != expected[0] or enter[2] != 1 or moved[2] != 1 or escape[1:] != [0, 0]:
        yield f"{name}: the keys do not move and pin: {result['keys']}"
    if escape[0] != rest[0]:
        yield f"{name}: after Escape the page says {escape[0]!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swz", required=True)
    parser.add_argument("--browser", required=True)
    options = parser.parse_args()
    swz = str(Path(options.swz).resolve())
    gallery = read_gallery(ROOT / "docs" / "gallery.md")
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for stem in PICTURES:
            words = gallery[f"gallery/{stem}.svg"]
            svg, html = (draw(swz, words, folder / f"{stem}.{suffix}") for suffix in ("svg", "html"))
            faults += faults_of(stem, svg, html, options.browser, folder)
    for fault in faults:
        print(fault)
    print(f"{len(PICTURES)} pages opened, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
