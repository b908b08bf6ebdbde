"""The pictures of docs/gallery in a browser, with its own fonts: headless Chromium opens each of them.

    python3 tests/docs/browser.py [--browser /usr/bin/chromium] [FILE.svg...]

Chromium is asked for the box of every text. Checked: each picture is drawn at its own size, no text is cut at the edge
of its picture, no two texts that are seen together overlap, every colour of the style sheet is on the page. A screenshot of all pictures is
taken too; with --keep FILE.png it stays.
"""

import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")

# Runs in the page. Two texts overlap when their boxes, taken from the height of capitals to the baseline, do.
MEASURE = """
const report = [];
for (const holder of document.querySelectorAll('.picture')) {
  const svg = holder.querySelector('svg');
  const faults = [];
  const view = svg.viewBox.baseVal;
  const drawn = svg.getBoundingClientRect();
  if (Math.abs(drawn.width - view.width) > 1 || Math.abs(drawn.height - view.height) > 1)
    faults.push(`drawn ${drawn.width} x ${drawn.height}, said ${view.width} x ${view.height}`);
  const boxes = [];
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBBox();
    const size = parseFloat(getComputedStyle(text).fontSize);
    const base = parseFloat(text.getAttribute('y'));
    if (box.width === 0) { faults.push(`'${text.textContent}' has no width`); continue; }
    if (box.x < -0.5 || box.x + box.width > view.width + 0.5 || base > view.height)
      faults.push(`'${text.textContent}' is cut`);
    boxes.push({left: box.x, right: box.x + box.width, top: base - 0.7 * size, bottom: base, text: text.textContent,
                inTurn: text.classList.contains('u')});
  }
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; ++i)
    for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom; ++j) {
      const over = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
      if (over > 1 && !(boxes[i].inTurn && boxes[j].inTurn)) faults.push(`'${boxes[i].text}' overlaps '${boxes[j].text}' by ${over.toFixed(1)}`);
    }
  const fills = new Set();
  for (const part of svg.querySelectorAll('rect,text')) fills.add(getComputedStyle(part).fill);
  report.push({name: holder.id, texts: boxes.length, colours: fills.size, faults: faults.slice(0, 20)});
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


def page_of(files, script):
    # The style of one picture must not reach another: each gets its classes renamed by its number.
    parts = []
    for number, file in enumerate(files):
        svg = file.read_text()
        scope = f"#{file.stem}"
        svg = re.sub(r"<style>(.*?)</style>", lambda m: f"<style>{scope}{{{m[1]}}}</style>", svg, flags=re.S)
        parts.append(f'<div class="picture" id="{html.escape(file.stem)}">{svg}</div>')
    end = f"<script>{script}</script>" if script else ""
    return f"<!doctype html><meta charset=utf-8><body style='margin:0'>{''.join(parts)}{end}</body>"


def main():
    parser = argparse.ArgumentParser(description="open the gallery in headless Chromium")
    parser.add_argument("--browser", help="default: chromium, chromium-browser or google-chrome")
    parser.add_argument("--keep", help="where to leave the screenshot")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    browser = find_browser(options.browser)
    if browser is None:
        sys.exit(f"no browser: install chromium (looked for {', '.join(NAMES)})")
    files = options.files or sorted((ROOT / "docs" / "gallery").glob("*.svg"))
    if not files:
        sys.exit("no pictures")
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / "measure.html"
        page.write_text(page_of(files, MEASURE))
        dom = run(browser, "--virtual-time-budget=20000", "--dump-dom", page.as_uri())
        found = re.search(r'<pre id="report">(.*?)</pre>', dom, re.S)
        if not found:
            sys.exit("the page did not answer")
        report = json.loads(html.unescape(found[1]))
        if len(report) != len(files):
            sys.exit(f"{len(files)} pictures, {len(report)} answers")
        for one in report:
            if one["texts"] == 0 or one["colours"] < 2:
                faults.append(f"{one['name']}: {one['texts']} texts, {one['colours']} colours")
            faults += [f"{one['name']}: {fault}" for fault in one["faults"]]

        shot = Path(options.keep) if options.keep else Path(scratch) / "shot.png"
        plain = Path(scratch) / "plain.html"
        plain.write_text(page_of(files[:4] if not options.keep else files, ""))
        run(browser, f"--screenshot={shot}", "--window-size=1600,4000", plain.as_uri())
        if shot.stat().st_size < 20000:
            faults.append(f"the screenshot shows nothing: {shot.stat().st_size} bytes")
    if faults:
        sys.exit("\n".join(faults))
    texts = sum(one["texts"] for one in report)
    print(f"{len(files)} pictures, {texts} texts: none cut, none overlapping")


if __name__ == "__main__":
    main()
