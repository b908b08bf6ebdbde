# SPDX-License-Identifier: Apache-2.0
"""The HTML of pictures in a browser: every cell says what its tooltip says, lights up what says the same, and can be pinned.

    python3 tests/docs/pages.py --swz build/default/swz --browser chromium

For some pictures of docs/gallery.md: a script points at every cell in turn and reads what the page then says; the texts
are compared with the tooltips of the SVG that the same command draws. Then keys: right, Enter, Escape. Of a picture with
steps the slider is moved to each position, and the keys N and P are pressed: the cells of other steps are faint. The page
is opened from a file and has to be below 400 KB.

The same steps as an animated SVG: at each time the cells of one step are full and its name is seen; for a reader who asks
for less motion nothing moves and all cells are full.
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

PICTURES = """atom_k_128B atom_mn_128B mma_m16n8k16 mma_a_k_major mma_m16n8k8 ldmatrix_x2 decode phase_64B tma_32B_plan
    tma_gaps map_k_128B desc_k_32B mma_tiles why_swizzle stack_32B_k_first place_mn_32B tma_corner
    banks_ldmatrix atom_k_32B atom_mn_64B""".split()
# Pictures with steps.
STEPPED = {
    "k_loop": "map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --arch sm_90a",
    "k_loop_mn": "map 0x4000004000010040 0x40000040000100c0 0x4000004000010140 --major mn --arch sm_90a",
    "k_loop_wrong": "map 0x4000004000010040 0x4000004000010050 --arch sm_90a --full",
    "wavefronts": "banks --dtype bf16 --tile 16x64 --swizzle none --access ldmatrix.x4",
    "desc": "desc --dtype f16 --tile 128x64 --swizzle 128B",
    "copies": "tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first",
}
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
const faint = () => [...document.querySelectorAll('rect[data-says]')].map(rect => getComputedStyle(rect).opacity < 1);
const steps = [];
if (slider) {
  steps.push([shown.textContent, faint()]);
  for (let i = 1; i <= slider.max; ++i) {
    slider.value = i;
    slider.dispatchEvent(new Event('input'));
    steps.push([shown.textContent, faint()]);
  }
  slider.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}));
  steps.push([lit()]);
  for (const name of [...'nppN']) { key(name); steps.push([shown.textContent, faint()]); }
}
answer({out, keys, steps});
</script>"""
ANSWER = """<script>
function answer(value) {
  const result = document.createElement('script');
  result.type = 'application/json';
  result.id = 'result';
  result.textContent = JSON.stringify(value).replaceAll('<', '\\\\u003c');
  document.body.append(result);
}
</script>"""
# What an animated SVG shows at the middle of each step, twice around, and one moment before each change.
MOMENTS = """<script>
const all = document.getAnimations(), moments = [];
const opacity = item => +getComputedStyle(item).opacity;
const cells = [...document.querySelectorAll('rect')].filter(rect => rect.querySelector('title'));
for (let time = 600; time < 2400 * STEPS; time += 1200)
  for (const at of [time, time + 599]) {
    for (const animation of all) { animation.pause(); animation.currentTime = at; }
    moments.push([cells.map(opacity), [...document.querySelectorAll('.u')].filter(opacity).map(name => name.textContent)]);
  }
answer({animations: all.length, moments});
</script>"""


def answer_of(page, browser, *flags):
    """What the script of a page answers, or None."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", *flags, "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'id="result">(.*?)</script>', dom, re.S)
    return json.loads(found[1]) if found else None


def cells_of(svg):
    """(tip, name of its step or None, whether it is faint in the still picture) of each cell."""
    cells = []
    for rect in ElementTree.fromstring(svg).iter(SVG + "rect"):
        tip = rect.find(SVG + "title")
        if tip is not None:
            step = re.search(r"^step \d+ of \d+: .*\Z", tip.text, re.M)
            cells.append((tip.text, step and step[0], "opacity" in rect.attrib))
    return cells


def steps_of(cells):
    """The steps that the cells name, "step 2 of 4: k 16-31", in their order."""
    return sorted({step for _, step, _ in cells if step}, key=lambda step: int(step.split()[1]))


def step_faults(name, cells, answers):
    """The slider at each position, an arrow key that belongs to it, and N, P, P, N."""
    names = steps_of(cells)
    if not names:
        if answers:
            yield f"{name}: a slider without steps"
        return

    def expected(position):
        shown = names[position - 1] if position else "all steps"
        other = [bool(position and step and step != names[position - 1]) for _, step, _ in cells]
        return [shown, [faint or is_other for (_, _, faint), is_other in zip(cells, other)]]

    last = len(names)
    wanted = [expected(i) for i in range(last + 1)] + [[0]] + [expected(i) for i in (last, last - 1, last - 2, last - 1)]
    if answers != wanted:
        odd = next((i for i, pair in enumerate(zip(answers, wanted)) if pair[0] != pair[1]), "their number")
        yield f"{name}: the slider does not show its steps, at {odd}: {[a[0] for a in answers]}"


def animation_faults(name, svg, browser, folder):
    cells = cells_of(svg)
    names = steps_of(cells)
    page = folder / f"{Path(name).stem}_moving.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{svg.decode()}{ANSWER}{MOMENTS.replace('STEPS', str(len(names)))}")
    moving, still = answer_of(page, browser), answer_of(page, browser, "--force-prefers-reduced-motion")

    def opacities(full):
        return [0.35 if faint or (full and step and step != full) else 1 for _, step, faint in cells]

    for i, (seen, said) in enumerate(moving["moments"]):
        step = i // 2 % len(names)
        if seen != opacities(names[step]) or said != [names[step]]:
            yield f"{name}: at moment {i} the animation shows {said}"
    if still["animations"] or any(moment != [opacities(None), []] for moment in still["moments"]):
        yield f"{name}: {still['animations']} animations where less motion is asked for"


def faults_of(name, svg, html, browser, folder):
    if len(html) > MOST_BYTES:
        yield f"{name}: {len(html)} bytes, more than {MOST_BYTES}"
    page = folder / f"{Path(name).stem}.html"
    page.write_bytes(html + ANSWER.encode() + SCRIPT.encode())
    result = answer_of(page, browser)
    if result is None:
        yield f"{name}: the page does not answer"
        return
    cells = cells_of(svg)
    yield from step_faults(name, cells, result["steps"])
    tips = [tip for tip, _, _ in cells]
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
        for stem, line in STEPPED.items():
            svg, html = (draw(swz, line.split(), folder / f"{stem}.{suffix}") for suffix in ("svg", "html"))
            moving = draw(swz, [*line.split(), "--animate"], folder / f"{stem}_moving.svg")
            faults += faults_of(stem, svg, html, options.browser, folder)
            faults += animation_faults(stem, moving, options.browser, folder)
    for fault in faults:
        print(fault)
    print(f"{len(PICTURES) + len(STEPPED)} pages opened, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
