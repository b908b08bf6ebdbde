# SPDX-License-Identifier: Apache-2.0
"""Every picture of docs/gallery.md in a browser, with its own fonts: headless Chromium measures each of them.

    python3 tests/docs/browser.py --swz build/default/swz [--browser /usr/bin/chromium] [--keep FILE.png]

Each command of the gallery is drawn as it is there, and at three widths on light and dark pages; the palette goes
with the page. Checked in every picture: it is drawn at its own size, no text is cut at its edge, no two texts overlap,
no text is smaller than the floor, and letters have a contrast of at least 4.5 to the topmost box under them (WCAG 2.1);
what is faint on purpose is left out of that. --keep leaves a screenshot of the pictures as they are in the gallery.

The floor is 6 pt, 8 px. A picture that cannot be as narrow as it was asked to be is made smaller, letters and all, which
swz says on standard error below 6 px: then there is no floor.
"""

import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gallery import ROOT, read_gallery

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Columns of a paper, a page of a screen, a slide; each with the palettes in turn.
WIDTHS = ("86mm", "600px", "900px")
PAGES = (("light", "default"), ("dark", "default"), ("light", "grey"), ("dark", "viridis"))

# Runs in the page. Two texts overlap when their boxes, taken from the height of capitals to the baseline, do.
MEASURE = """
const luminance = colour => {
  const linear = colour.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const rgb = text => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};
const is_faint = node => parseFloat(getComputedStyle(node).opacity) < 1;
const report = [];
for (const holder of document.querySelectorAll('.picture')) {
  const svg = holder.querySelector('svg');
  const floor = parseFloat(holder.dataset.floor);
  const faults = [];
  const view = svg.viewBox.baseVal;
  const drawn = svg.getBoundingClientRect();
  if (Math.abs(drawn.width - view.width) > 1 || Math.abs(drawn.height - view.height) > 1)
    faults.push(`drawn ${drawn.width} x ${drawn.height}, said ${view.width} x ${view.height}`);
  const boxes = [], under = [], fills = new Set();
  for (const node of svg.querySelectorAll('rect,text')) {
    const style = getComputedStyle(node);
    fills.add(style.fill);
    if (node.tagName === 'rect') {
      if (style.fill !== 'none' && !is_faint(node)) under.push({box: node.getBBox(), fill: style.fill});
      continue;
    }
    const box = node.getBBox(), size = parseFloat(style.fontSize), base = parseFloat(node.getAttribute('y'));
    const text = node.textContent;
    if (box.width === 0) { faults.push(`'${text}' has no width`); continue; }
    if (size < floor - 0.01) faults.push(`'${text}' is ${size} px high`);
    if (box.x < -0.5 || box.x + box.width > view.width + 0.5 || base > view.height) faults.push(`'${text}' is cut`);
    boxes.push({left: box.x, right: box.x + box.width, top: base - 0.7 * size, bottom: base, text,
                inTurn: node.classList.contains('u')});
    const x = box.x + box.width / 2, y = base - 0.35 * size;
    const below = under.findLast(({box: b}) => b.x <= x && x <= b.x + b.width && b.y <= y && y <= b.y + b.height);
    if (!below || is_faint(node)) continue;
    const ratio = contrast(rgb(style.fill), rgb(below.fill));
    if (ratio < 4.5) faults.push(`'${text}' has a contrast of ${ratio.toFixed(2)}`);
  }
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; ++i)
    for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom; ++j) {
      const over = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
      if (over > 1 && !(boxes[i].inTurn && boxes[j].inTurn))
        faults.push(`'${boxes[i].text}' overlaps '${boxes[j].text}' by ${over.toFixed(1)}`);
    }
  if (boxes.length === 0 || fills.size < 2) faults.push(`${boxes.length} texts, ${fills.size} colours`);
  report.push({name: holder.id, texts: boxes.length, faults: faults.slice(0, 20)});
}
document.body.innerHTML = '<pre id="report"></pre>';
document.getElementById('report').textContent = JSON.stringify(report);
"""


def find_browser(given):
    for name in [given] if given else NAMES:
        found = shutil.which(name)
        if found:
            return found
    return None


def run(browser, *words):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             f"--user-data-dir={profile}", *words],
            capture_output=True, stdin=subprocess.DEVNULL,
        )
    if done.returncode != 0:
        sys.exit(f"{browser} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout.decode()


def drawn(swz, words, more):
    """(the SVG, the size of its smallest letters that swz promises) of one command."""
    done = subprocess.run([swz, *words, *more, "-f", "svg"], capture_output=True, text=True, cwd=ROOT,
                          stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        sys.exit(f"swz {' '.join([*words, *more])}: {done.stderr}")
    return done.stdout, 0 if done.stderr else 8


def page_of(pictures, script):
    # The style of one picture must not reach another: each gets its classes renamed by its name.
    parts = []
    for name, (svg, floor) in pictures.items():
        scope = f"#{name}"
        svg = re.sub(r"<style>(.*?)</style>", lambda m: f"<style>{scope}{{{m[1]}}}</style>", svg, flags=re.S)
        parts.append(f'<div class="picture" id="{html.escape(name)}" data-floor="{floor}">{svg}</div>')
    end = f"<script>{script}</script>" if script else ""
    return f"<!doctype html><meta charset=utf-8><body style='margin:0'>{''.join(parts)}{end}</body>"


def measured(browser, pictures, folder):
    """[{name, texts, faults}] of pictures that are opened as one page."""
    with tempfile.NamedTemporaryFile("w", suffix=".html", dir=folder, delete=False) as page:
        page.write(page_of(pictures, MEASURE))
    dom = run(browser, "--virtual-time-budget=60000", "--dump-dom", Path(page.name).as_uri())
    found = re.search(r'<pre id="report">(.*?)</pre>', dom, re.S)
    report = json.loads(html.unescape(found[1])) if found else []
    if len(report) != len(pictures):
        sys.exit(f"{len(pictures)} pictures, {len(report)} answers")
    return report


def main():
    parser = argparse.ArgumentParser(description="measure the pictures of the gallery in headless Chromium")
    parser.add_argument("--swz", required=True)
    parser.add_argument("--browser", help="default: chromium, chromium-browser or google-chrome")
    parser.add_argument("--keep", help="where to leave the screenshot")
    options = parser.parse_args()
    browser = find_browser(options.browser)
    if browser is None:
        sys.exit(f"no browser: install chromium (looked for {', '.join(NAMES)})")
    swz = str(Path(options.swz).resolve())
    gallery = read_gallery(ROOT / "docs" / "gallery.md")
    variants = {"as it is": []}
    for number, (theme, palette) in enumerate(PAGES):
        for width in WIDTHS if number < 2 else WIDTHS[:1]:
            variants[f"{width} {theme} {palette}"] = ["--width", width, "--theme", theme, "--palette", palette]
    faults, texts = [], 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        def measure(more):
            pictures = {Path(name).stem: drawn(swz, words, more) for name, words in gallery.items()}
            return measured(browser, pictures, scratch)

        for variant, report in zip(variants, pool.map(measure, variants.values())):
            for one in report:
                texts += one["texts"]
                faults += [f"{one['name']}, {variant}: {fault}" for fault in one["faults"]]
        if options.keep:
            plain = Path(scratch) / "plain.html"
            plain.write_text(page_of({Path(n).stem: drawn(swz, w, []) for n, w in gallery.items()}, ""))
            run(browser, f"--screenshot={options.keep}", "--window-size=1000,20000", plain.as_uri())
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(gallery)} pictures, {len(variants)} times each, {texts} texts: none cut, overlapping, too small or pale")


if __name__ == "__main__":
    main()
